// The viewer: messages as they are read, the search over all of them, and the panels of problems and memory.

import assert from "node:assert/strict";
import { inBrowsers, plica, PNG } from "./support/viewer.mjs";

const call = (id, name, args) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } });
const LONG = Array.from({ length: 400 }, (_, i) => `paragraph ${i + 1} about the soil of bed ${i % 9}`).join("\n\n");

/** Every kind of part, in the shape of Anthropic. */
const PARTS = [
  { role: "user", content: "# Beds\n\n| bed | crop |\n|---|---|\n| 3 | **beans** |\n\n- [x] dig\n- [ ] water\n\n```js\nconst bed = 3; // three\n```\n\n[a guide](https://example.invalid/guide) ![plan](https://example.invalid/plan.png)" },
  { role: "assistant", content: [{ type: "thinking", thinking: "I weigh beans against kale.", signature: "c2ln" }, { type: "text", text: "I look." }, { type: "tool_use", id: "t1", name: "read_file", input: { path: "src/beds.js", options: { deep: { deeper: "far inside" } } } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "export const beds = [1, 2];" }] },
  { role: "assistant", content: [{ type: "tool_use", id: "t2", name: "run", input: { command: "npm test" } }, { type: "tool_use", id: "t3", name: "photo", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", is_error: true, content: "2 tests failed" }, { type: "tool_result", tool_use_id: "t3", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }, { type: "image", source: { type: "url", url: "https://example.invalid/far.png" } }] }] },
  { role: "user", content: LONG },
];

const attribute = (view, selector, name) => view.page.evaluate((s, n) => window.deep(s)?.getAttribute(n), selector, name);

inBrowsers("reading", ({ drive }) => {
  const search = async (view, query) => {
    await view.page.evaluate(() => { window.deep("#search").focus(); window.deep("#search").select(); });
    if (query === "") await view.page.keyboard.press("Backspace");
    else await view.page.keyboard.type(query);
    // The search begins when the typing rests: what is listed until then is of the search before.
    await view.until(`the search for ${query}`, (q) => (document.querySelector("plica-viewer").store.search?.query ?? "") === q, query);
  };
  const found = (view, words) => view.until(words, (w) => new RegExp(w).test(window.textOf(window.deep('[role="tabpanel"] [role="status"]'))), words);

  drive("Markdown is rendered, and code is coloured", {}, async (view) => {
    await view.open({ "parts.json": PARTS });
    const seen = await view.page.evaluate(() => {
      const row = window.deep('.scroller [data-item="0"]');
      const tags = (selector) => row.querySelectorAll(selector).length;
      return {
        head: window.textOf(row.querySelector("h1, h2, h3, h4")), cells: [...row.querySelectorAll("td")].map((cell) => window.textOf(cell)), bold: window.textOf(row.querySelector("td strong")), tasks: tags("li.task"),
        coloured: tags("pre span, .code span"), comment: [...row.querySelectorAll("pre span, .code span")].some((span) => span.textContent === "// three" && getComputedStyle(span).color !== getComputedStyle(span.closest("pre")).color), images: tags("img"),
        link: [...row.querySelectorAll("a")].map((a) => [a.href, a.target, a.rel]), text: window.textOf(row),
      };
    });
    assert.equal(seen.head, "Beds");
    assert.deepEqual(seen.cells, ["3", "beans"]);
    assert.equal(seen.bold, "beans");
    assert.equal(seen.tasks, 2);
    assert.ok(seen.comment, "the comment has no colour of its own");
    assert.equal(seen.images, 0);
    for (const [, target, rel] of seen.link) assert.deepEqual([target, /noopener/.test(rel) && /noreferrer/.test(rel)], ["_blank", true]);
    assert.ok(seen.link.some(([href]) => href === "https://example.invalid/guide"));
  });

  drive("calls and results lead to each other; trees of arguments open; failed results are marked", {}, async (view) => {
    await view.open({ "parts.json": PARTS });
    assert.match(await view.rowText(1), /call read_file src\/beds\.js result 3/);
    await view.click('.scroller [data-item="1"] .pair');
    await view.until("the result", () => window.deep('.scroller [data-item="2"]').classList.contains("is-current"));
    assert.match(await view.rowText(2), /result read_file/);
    await view.click('.scroller [data-item="2"] .pair');
    await view.until("the call", () => window.deep('.scroller [data-item="1"]').classList.contains("is-current"));
    // The tree, level by level.
    await view.click('.scroller [data-item="1"] .call .opener');
    await view.until("the arguments", () => /path/.test(window.textOf(window.deep('.scroller [data-item="1"] .call .inside'))));
    const closed = () => view.page.evaluate(() => { const button = window.deepAll('.scroller [data-item="1"] .inside [aria-expanded="false"]')[0]; button?.setAttribute("data-next", ""); return button !== undefined; });
    for (let level = 0; level < 6 && !/far inside/.test(await view.text('.scroller [data-item="1"] .inside [role="treeitem"] [role="treeitem"] [role="treeitem"], .scroller [data-item="1"] .inside')); level++) {
      if (!(await closed())) break;
      await view.click("[data-next]");
      await view.page.evaluate(() => window.deepAll("[data-next]").forEach((button) => button.removeAttribute("data-next")));
    }
    assert.match(await view.text('.scroller [data-item="1"] .inside'), /deeper.*far inside/);
    await view.jump(4);
    const failed = await view.page.evaluate(() => { const row = window.deep('.scroller [data-item="4"]'); return [row.classList.contains("has-error"), window.textOf(row.querySelector(".result.is-error .kind"))]; });
    assert.deepEqual(failed, [true, "failed"]);
    await view.panel("problems");
    assert.match(await view.panelText(), /1 tool call that failed ?message 5/);
    // A result in the language of the file that the call names.
    await view.jump(2);
    await view.click('.scroller [data-item="2"] .opener');
    await view.until("colours", () => window.deepAll('.scroller [data-item="2"] .inside span').some((span) => span.textContent === "export"));
  });

  drive("reasoning is folded up and dimmed until it is opened", {}, async (view) => {
    await view.open({ "parts.json": PARTS });
    const opener = '.scroller [data-item="1"] .reasoning .opener';
    assert.equal(await attribute(view, opener, "aria-expanded"), "false");
    assert.equal(await view.there('.scroller [data-item="1"] .reasoning .inside'), false);
    await view.click(opener);
    await view.until("the reasoning", () => window.textOf(window.deep('.scroller [data-item="1"] .reasoning .inside')) === "I weigh beans against kale.");
    const [dim, bright] = await view.page.evaluate(() => [".reasoning .inside p", ".prose p"].map((s) => getComputedStyle(window.deep(`.scroller [data-item="1"] ${s}`)).color));
    assert.notEqual(dim, bright);
    await view.click(opener);
    await view.until("it closed", () => window.deep('.scroller [data-item="1"] .reasoning .inside') === null);
  });

  drive("pictures of the file are shown, pictures elsewhere are not asked for", {}, async (view) => {
    await view.open({ "parts.json": PARTS });
    await view.jump(4);
    await view.page.evaluate(() => window.deepAll('.scroller [data-item="4"] .opener[aria-expanded="false"]').forEach((button) => button.click()));
    await view.until("the picture", () => window.deep('.scroller [data-item="4"] img')?.naturalWidth === 1);
    assert.deepEqual(await view.page.evaluate(() => window.deepAll("img").map((image) => image.src)), [`data:image/png;base64,${PNG}`]);
    assert.match(await view.rowText(4), /A picture on another host, not loaded: ?https:\/\/example\.invalid\/far\.png/);
  });

  drive("long text is cut until all of it is asked for", {}, async (view) => {
    await view.open({ "parts.json": PARTS });
    await view.jump(5);
    const row = '.scroller [data-item="5"]';
    const height = () => view.page.evaluate((s) => window.deep(s).querySelector(".prose").getBoundingClientRect().height, row);
    const short = await height();
    assert.ok(short < 900, `${short} px`);
    assert.equal(await view.text(`${row} .more`), "Show all");
    assert.match(await view.text(`${row} .foot`), new RegExp("characters"));
    await view.click(`${row} .more`);
    await view.until("all of it", () => /paragraph 400 about the soil/.test(window.textOf(window.deep('.scroller [data-item="5"]'))));
    assert.equal(await view.page.evaluate((s) => window.deepAll(`${s} .prose p`).length, row), 400);
    assert.ok((await height()) > short * 4);
    await view.page.evaluate((s) => window.deep(`${s} .more`).click(), row);
    await view.until("less", (s) => window.textOf(window.deep(`${s} .more`)) === "Show all", row);
    assert.ok((await height()) < 900);
  });

  drive("the search finds everything, leads there and opens what was closed", {}, async (view) => {
    const messages = Array.from({ length: 400 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `entry ${i + 1} on compost` }));
    messages[301] = { role: "assistant", content: null, tool_calls: [call("c1", "plant", { where: "the far bed", seed: "Zinnia elegans" })] };
    messages[302] = { role: "tool", tool_call_id: "c1", content: `${"loam ".repeat(1_500)}hidden treasure ${"loam ".repeat(200)}` };
    messages[350] = { role: "user", content: [{ type: "text", text: "both Mangold" }, { type: "text", text: "and MANGOLD again" }] };
    await view.open({ "search.json": messages });
    await search(view, "zinnia ELEGANS");
    await found(view, "^1 \\w+ found$");
    assert.match(await view.panelText(), /302 assistant.*Zinnia elegans/);
    assert.equal(await view.text("mark"), "Zinnia elegans");
    await view.click(".entry");
    await view.until("the arguments, opened", () => /Zinnia elegans/.test(window.textOf(window.deep('.scroller [data-item="301"] .call .inside'))));
    assert.equal(await attribute(view, ".entry", "aria-current"), "true");
    // Beyond what is sent at first of a text.
    await search(view, "hidden treasure");
    await found(view, "^1 \\w+ found$");
    await view.click(".entry");
    await view.until("the result, opened up to the place", () => /hidden treasure/.test(window.textOf(window.deep('.scroller [data-item="302"] .inside'))));
    // A word in two parts of one message: the count says what is listed.
    await search(view, "mangold");
    await found(view, "\\d \\w+ found$");
    const said = /^(\d) (\w+) found/.exec(await view.text('[role="tabpanel"] [role="status"]'));
    const entries = (await view.texts(".entry")).length;
    assert.equal(Number(said[1]), said[2].startsWith("message") ? 1 : entries, said[0]);
    // All, counted; the list is bounded; a new query ends the old one.
    await search(view, "compost");
    await found(view, "^397 \\w+ found$");
    assert.match(await view.text('[data-panel="search"] .n'), /397/);
    await search(view, "nothing like that");
    await found(view, "^0 \\w+ found$");
    assert.equal((await view.texts(".entry")).length, 0);
    await search(view, "");
    await view.until("no search", () => window.deep('[data-panel="search"]') === null);
    assert.equal(await attribute(view, '[data-panel="plan"]', "aria-selected"), "true");
  });

  drive("a new query ends one that still runs", {}, async (view) => {
    await view.open({ "many.json": Array.from({ length: 8_000 }, (_, i) => ({ role: "user", content: `entry ${i + 1} ${"loam and sand ".repeat(60)}` })) });
    await view.page.evaluate(() => {
      const input = window.deep("#search");
      for (const [at, value] of ["loam", "entry 7999 "].entries()) setTimeout(() => { input.value = value; input.dispatchEvent(new Event("input", { bubbles: true })); }, at * 200);
    });
    await found(view, "^1 \\w+ found$");
    assert.match(await view.panelText(), /entry 7999/);
    assert.equal((await view.texts(".entry")).length, 1);
  });

  drive("problems: faults of the window by message, problems of the file by line", {}, async (view) => {
    const messages = [
      { role: "user", content: "start" }, { role: "assistant", content: null, tool_calls: [call("c1", "dig", {})] }, { role: "user", content: "no answer came" },
      { role: "tool", tool_call_id: "nobody", content: "answer to nothing" }, { role: "assistant", content: "end" },
    ];
    const file = `${messages.slice(0, 2).map((message) => JSON.stringify(message)).join("\n")}\n{"role": broken\n${messages.slice(2).map((message) => JSON.stringify(message)).join("\n")}\n`;
    await view.open({ "faulty.jsonl": file });
    await view.panel("problems");
    const session = plica.readSession(file);
    const wanted = plica.check(session.messages, { format: session.messageFormat });
    assert.ok(wanted.length > 1);
    await view.until("the check", () => /faults? of the window/.test(window.textOf(window.deep('[role="tabpanel"]'))));
    const entries = await view.page.evaluate(() => window.deepAll("button.entry[data-item]").filter((entry) => entry.querySelector("strong")).map((entry) => [Number(entry.dataset.item), window.textOf(entry.querySelector("strong"))]));
    assert.deepEqual(entries, wanted.map(({ index, code }) => [index, code]));
    assert.match(await view.panelText(), /1 problem of the file ?line 3/);
    assert.equal(Number(await view.text('[data-panel="problems"] .n')), wanted.length + 1);
    await view.page.evaluate(() => [...window.deepAll("button.entry")].at(0).setAttribute("data-first", ""));
    await view.click("[data-first]");
    await view.until("the message", (item) => window.deep(`.scroller [data-item="${item}"]`).classList.contains("is-current"), entries[0][0]);
    await view.open({ "sound.json": [{ role: "user", content: "all is well" }] });
    await view.panel("problems");
    await view.until("nothing", () => /no fault that a provider would refuse/.test(window.textOf(window.deep('[role="tabpanel"]'))));
  });

  drive("the memory: pins first, what is out of balance, who wrote how much", { at: "?url=examples/stored-with-spans.json" }, async (view) => {
    await view.settled();
    await view.panel("memory");
    const words = await view.panelText();
    assert.match(words, /^57 facts, 1 pinned/);
    assert.match(words, /operator ?55 ?reviewer ?2/);
    const findings = await view.page.evaluate(() => window.deepAll(".finding[data-code]").map((finding) => finding.dataset.code));
    assert.ok(findings.length >= 2 && findings.every((code) => /^[a-z-]+$/.test(code)), findings.join());
    const facts = await view.texts(".fact-list li");
    assert.equal(facts.length, 57);
    assert.match(facts[0], /rule-signage ?pinned ?Do not touch the signage database\. ?importance 5 · constraint · operator/);
    assert.equal(await view.text('[data-panel="memory"] .n'), String(findings.length));
  });

  drive("what is searched for is marked in the messages", {}, async (view, t) => {
    if (!(await view.page.evaluate(() => CSS.highlights !== undefined))) return t.skip("this browser has no way of marking ranges");
    await view.open({ "marks.json": [{ role: "user", content: "Bean after bean" }, { role: "assistant", content: "**Bean**s" }] });
    await search(view, "bean");
    await found(view, "found$");
    await view.until("marks", () => [...(CSS.highlights.get("plica-found") ?? [])].length === 3);
    await search(view, "");
    await view.until("no marks", () => !CSS.highlights.has("plica-found"));
  });
});
