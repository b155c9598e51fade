// The viewer: what can be opened and how, what is refused and in which words, and files that are large.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { inBrowsers, number, plica, theSite } from "./support/viewer.mjs";

const said = (n, about = "bed") => Array.from({ length: n }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `${about} ${i + 1}` }));
const lines = (messages) => messages.map((message) => `${JSON.stringify(message)}\n`).join("");
const THREE = said(3);

/** A conversation that was folded once, and the ledger that it is folded by. */
function folded(n = 24) {
  const { conversation, ledger } = plica.foldSession(JSON.stringify(said(n, `row ${"of beans ".repeat(12)}`)), { tailBudget: 200 });
  return { conversation, ledger };
}

/** A file of Claude Code in which an answer was taken back: two branches. */
function branching() {
  const record = (uuid, parentUuid, role, text) => ({ type: role, uuid, parentUuid, sessionId: "s", isSidechain: false, timestamp: "2026-03-04T05:06:07.000Z", message: { role, content: [{ type: "text", text }] } });
  return lines([record("a", null, "user", "What grows in bed 3?"), record("b", "a", "assistant", "Beans."), record("c", "b", "user", "the branch of peas"), record("d", "b", "user", "the branch of kale"), record("e", "d", "assistant", "Kale it is.")]);
}

const name = (view) => view.text("[data-name]");
const drop = (view, files) => view.page.evaluate((given) => {
  const data = new DataTransfer();
  for (const [file, text] of given) data.items.add(new File([text], file));
  const target = window.deep(".start, .main");
  const options = { dataTransfer: data, bubbles: true, composed: true, cancelable: true };
  target.dispatchEvent(new DragEvent("dragover", options));
  target.dispatchEvent(new DragEvent("drop", options));
}, Object.entries(files));
/** Pastes by the clipboard itself: the text is copied from a field that is there for a moment. */
async function paste(view, text, into) {
  const withControl = async (key) => {
    await view.page.keyboard.down("Control");
    await view.page.keyboard.press(key);
    await view.page.keyboard.up("Control");
  };
  await view.page.evaluate((value) => {
    const field = document.createElement("textarea");
    field.id = "to-copy";
    field.value = value;
    document.body.prepend(field);
    field.select();
  }, text);
  await withControl("c");
  await view.page.evaluate(() => document.getElementById("to-copy").remove());
  if (into) await view.click(into);
  await withControl("v");
}

inBrowsers("opening", ({ drive, isFirefox }) => {
  drive("a file by the file input: its name, its facts, its messages", {}, async (view) => {
    const detail = await view.open({ "three.json": THREE });
    assert.deepEqual(detail, { name: "three.json", kind: "messages", messages: 3, folds: 0 });
    assert.equal(await name(view), "three.json");
    assert.equal(await view.page.title(), "three.json – plica");
    assert.match(await view.text(".file"), /3 messages, 0 folds/);
    assert.deepEqual((await view.gather()).map(({ text }) => text), ["bed 1", "bed 2", "bed 3"]);
    await view.panel("file");
    const facts = await view.panelText();
    const inspection = plica.inspectSession(JSON.stringify(THREE));
    assert.match(facts, new RegExp(`Tokens of the window ?${inspection.tokens}`));
    assert.match(facts, /user ?2/);
    // The same file a second time: the input gives it again.
    await view.open({ "three.json": said(2) });
    assert.match(await view.text(".file"), /2 messages/);
  });

  drive("dropped files, on the start page and on an open session", {}, async (view) => {
    await view.expecting("plica-open", () => drop(view, { "dropped.jsonl": lines(THREE) }));
    assert.equal(await name(view), "dropped.jsonl");
    await view.settled();
    await view.expecting("plica-open", () => drop(view, { "other.jsonl": lines(said(2)) }));
    assert.equal(await name(view), "other.jsonl");
    assert.equal(await view.there(".veil"), false);
  });

  drive("pasted text; text that is pasted into a field stays there", {}, async (view) => {
    assert.equal((await view.expecting("plica-open", () => paste(view, lines(THREE)))).messages, 3);
    assert.equal(await name(view), "pasted");
    await view.settled();
    await paste(view, "[]", "#search");
    await view.until("the text in the field", () => window.deep("#search").value === "[]");
    await view.page.evaluate(() => window.deep("#search").blur());
    await view.expecting("plica-error", () => paste(view, "no session at all"));
    assert.match(await view.alert(), /^pasted could not be opened: /);
    assert.equal(await view.count("plica-open"), 1);
  });

  drive("?url= with &ledger=, and the links of the start page", { at: "" }, async (view) => {
    for (const [link, file, folds] of [["a session", "garden-planner.jsonl", 1], ["folded three times", "folded-three-times.json", 3], ["stored with its folds and a memory", "stored-with-spans.json", 2]]) {
      await view.visit("");
      await view.page.evaluate((words) => { [...document.querySelectorAll("a")].find((a) => a.textContent === words).id = "wanted"; }, link);
      await view.click("#wanted");
      await view.until(link, (n) => window.textOf(window.deep("[data-name]")) === n, file);
      await view.settled();
      assert.match(await view.text(".file"), new RegExp(`${folds} folds?,`));
      assert.equal(await view.alert(), "");
    }
  });

  drive("an address on another origin is refused, and not asked", { at: null, allowed: [] }, async (view) => {
    let asked = 0;
    const other = createServer((_, answer) => { asked++; answer.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end("[]"); });
    await new Promise((done) => other.listen(0, "127.0.0.1", done));
    try {
      await view.visit(`?url=${encodeURIComponent(`http://127.0.0.1:${other.address().port}/a.json`)}`);
      await view.until("the refusal", () => /own origin/.test(window.textOf(window.deep(".alert"))));
      await view.visit(`?url=examples/garden-planner.jsonl&ledger=${encodeURIComponent(`http://127.0.0.1:${other.address().port}/l.json`)}`);
      await view.until("the refusal of the ledger", () => /own origin/.test(window.textOf(window.deep(".alert"))));
      assert.equal(await view.there(".start"), true);
      assert.equal(asked, 0);
      await view.visit("?url=javascript:alert(1)");
      await view.until("the refusal of a script", () => window.textOf(window.deep(".alert")) !== "");
    } finally {
      other.close();
    }
  });

  drive("an address that is not there is refused in words", { at: "?url=made/missing.json", allowed: [/404/] }, async (view) => {
    await view.until("the refusal", () => /missing\.json could not be opened: the server answered 404/.test(window.textOf(window.deep(".alert"))));
    assert.equal(await view.there(".start"), true);
  });

  drive("conversation and ledger together, in either order; a ledger alone goes to what is open", {}, async (view) => {
    const { conversation, ledger } = folded();
    for (const files of [{ "a.json": conversation, "b.ledger.json": ledger }, { "a.ledger.json": ledger, "b.json": conversation }]) {
      const detail = await view.open(files);
      assert.deepEqual([detail.messages, detail.folds], [24, 1]);
      assert.equal(await name(view), Object.keys(files).find((file) => !file.includes("ledger")));
    }
    await view.open({ "alone.json": conversation });
    assert.match(await view.text(".file"), /0 folds/);
    await view.give({ "alone.ledger.json": ledger });
    await view.until("the fold", () => /24 messages, 1 fold,/.test(window.textOf(window.deep(".file"))));
    assert.equal(await name(view), "alone.json");
    await view.panel("file");
    assert.match(await view.panelText(), /Folds are from ?a ledger/);
  });

  drive("what is no session is refused in words, and what was open stays", { size: { width: 900, height: 700 } }, async (view) => {
    await view.open({ "good.json": THREE });
    const bad = {
      "noise.json": "\u0000\u0001 nothing", "empty.json": "", "number.json": "42", "half.json": '[{"role":"user","con', "other.json": '{"kind":"invoice"}',
      "alone.ledger.txt": "not a ledger either",
    };
    for (const [file, bytes] of Object.entries(bad)) {
      const { code, message } = await view.expecting("plica-error", () => view.give({ [file]: bytes }));
      assert.match(code, /^[a-z-]+$/);
      const alert = await view.alert();
      assert.equal(alert, `${file} could not be opened: ${message}`.replace(/\s+/g, " "), file);
      assert.match(message, /^\S+ .{15,}$/s, `${file}: ${message}`);
      assert.equal(await name(view), "good.json", file);
      assert.deepEqual((await view.gather()).length, 3);
    }
    const { ledger } = folded();
    await view.give({ "foreign.ledger.json": ledger });
    // A ledger of another conversation: said, and nothing is lost.
    await view.until("that the ledger does not fit", () => window.deep(".alert") !== null || /ledger|fold/.test(window.textOf(window.deep(".finding"))) || (window.deep('[data-panel="folds"]').click(), false));
    assert.equal(await name(view), "good.json");
    if (await view.there(".alert")) {
      await view.click(".alert button");
      await view.until("no alert", () => window.deep(".alert") === null);
    }
    // A shorter one in its place: nothing of the old one is asked for.
    await view.open({ "next.json": said(2) });
    assert.equal(await view.alert(), "");
  });

  drive("a ledger alone on the start page is refused with what to do", {}, async (view) => {
    await view.expecting("plica-error", () => view.give({ "some.ledger.json": folded().ledger }));
    assert.match(await view.alert(), /ledger.*together with the conversation/);
    assert.equal(await view.there(".start"), true);
  });

  drive("a file of facts without messages: no message, a memory", {}, async (view) => {
    const facts = [{ key: "rule", value: "never prune in June", importance: 5, agent_id: "gardener", kind: "constraint" }];
    const detail = await view.open({ "facts.json": { messages: [], facts } });
    assert.equal(detail.messages, 0);
    assert.match(await view.text(".empty"), /No messages/);
    await view.panel("memory");
    assert.match(await view.panelText(), /1 fact, 1 pinned.*never prune in June/);
    for (const panel of ["plan", "folds", "problems", "file"]) await view.panel(panel);
    assert.equal(await view.alert(), "");
  });

  drive("branches of a file are chosen", {}, async (view) => {
    await view.open({ "branches.jsonl": branching() });
    const shown = async () => (await view.gather()).map(({ text }) => text);
    assert.deepEqual(await shown(), ["What grows in bed 3?", "Beans.", "the branch of kale", "Kale it is."]);
    await view.panel("file");
    const options = await view.texts("select option");
    assert.equal(options.length, plica.readSession(branching()).branches.length);
    assert.match(options.join(), /active/);
    await view.page.evaluate(() => {
      const select = window.deep("select");
      select.value = [...select.options].find((option) => !/active/.test(option.textContent)).value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await view.until("the other branch", () => /3 messages/.test(window.textOf(window.deep(".file"))));
    await view.settled();
    assert.deepEqual(await shown(), ["What grows in bed 3?", "Beans.", "the branch of peas"]);
  });

  drive("the first messages of a large file are there before the rest is read, with how far it is", {}, async (view) => {
    const big = lines(Array.from({ length: 6_000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `entry ${i} ${"lorem ipsum ".repeat(120)}` })));
    await view.page.evaluate(() => {
      window.early = [];
      new MutationObserver(() => {
        const loading = window.deep(".loading");
        if (loading) window.early.push([window.textOf(loading.querySelector("p")), window.deepAll(".row").length, window.textOf(window.deep('[data-index="0"]')).includes("entry 0"), window.deep('[role="progressbar"], progress') !== null]);
      }).observe(document.querySelector("plica-viewer").shadowRoot, { childList: true, subtree: true, characterData: true });
      window.watch = setInterval(() => {
        if (window.deep(".loading")) window.early.push([window.textOf(window.deep(".loading p")), window.deepAll(".row").length, window.textOf(window.deep('[data-index="0"]')).includes("entry 0"), window.deep("progress") !== null]);
      }, 5);
    });
    await view.open({ "big.jsonl": big });
    const early = await view.page.evaluate(() => { clearInterval(window.watch); return window.early; });
    assert.ok(early.some(([, rows, first]) => rows > 0 && first), `no message before the file was read: ${JSON.stringify(early.slice(0, 5))}`);
    assert.ok(early.some(([words, , , bar]) => bar && /(Reading|Parsing|Counting).* \d+ %/.test(words)), "no progress");
    assert.match(await view.text(".file"), /6 000 messages/);
    assert.equal(await view.there(".loading"), false);
  });

  drive("20 000 messages: few rows exist, the wheel and the number lead anywhere", {}, async (view) => {
    const messages = Array.from({ length: 20_000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `entry ${i + 1} ${"word ".repeat(i % 40)}` }));
    await view.open({ "long.jsonl": lines(messages) });
    const drawn = () => view.page.evaluate(() => window.deepAll(".row").length);
    const nodes = () => view.page.evaluate(() => window.deepAll("*").length);
    assert.ok((await drawn()) < 80);
    const box = await view.page.evaluate(() => { const { x, y, width, height } = window.deep(".scroller").getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 }; });
    await view.page.mouse.move(box.x, box.y);
    let turns = 0;
    const atEnd = () => view.page.evaluate(() => { const row = window.deep('.scroller [data-item="19999"]'); return row !== null && !row.querySelector(".skeleton") && row.getBoundingClientRect().bottom <= innerHeight + 1; });
    for (; turns < 300 && !(await atEnd()); turns++) {
      await view.page.mouse.wheel({ deltaY: 100_000 });
      await new Promise((done) => setTimeout(done, 60));
      assert.ok((await drawn()) < 80, "rows pile up");
    }
    await view.until("the last message after the wheel", () => { const row = window.deep('.scroller [data-item="19999"]'); return row !== null && !row.querySelector(".skeleton") && row.getBoundingClientRect().bottom <= innerHeight + 1; });
    assert.match(await view.rowText(19_999), /entry 20000/);
    for (const item of [12_345, 0, 7_777]) {
      await view.jump(item);
      assert.match(await view.rowText(item), new RegExp(`entry ${item + 1}\\b`));
      assert.equal(await view.page.evaluate(() => location.hash), `#m=${item + 1}`);
    }
    assert.ok((await drawn()) < 80);
    assert.ok((await nodes()) < 5_000, `${await nodes()} elements`);
    assert.equal(number(await view.text('[data-view="window"] .num')), 20_000);
  });

  drive("what is read stays where it is when rows above change their height", {}, async (view) => {
    const long = (i) => `entry ${i + 1}\n\n${Array.from({ length: 60 }, (_, k) => `line ${k} of entry ${i + 1}`).join("\n\n")}`;
    const file = (await theSite()).put("tall.json", Array.from({ length: 300 }, (_, i) => ({ role: "user", content: long(i) })));
    await view.visit(`?url=${file}#m=200`);
    await view.rowText(199);
    const top = (item) => view.page.evaluate((i) => Math.round(window.deep(`.scroller [data-item="${i}"]`)?.getBoundingClientRect().top ?? NaN), item);
    const still = async (item) => {
      let last;
      for (let tries = 0; tries < 60; tries++) {
        const now = await top(item);
        if (now === last) return now;
        last = now;
        await new Promise((done) => setTimeout(done, 120));
      }
      assert.fail("the list does not come to rest");
    };
    const before = await still(199);
    // A row above, drawn but out of sight, opens.
    await view.until("a row above", () => window.deep('.scroller [data-item="197"] .more') !== null);
    await view.page.evaluate(() => window.deep('.scroller [data-item="197"] .more').click());
    await view.until("it to be open", () => window.deep('.scroller [data-item="197"] .more')?.textContent === "Show less" || window.deep('.scroller [data-item="197"]') === null);
    const after = await still(199);
    assert.ok(Math.abs(after - before) <= 2, `moved from ${before} to ${after}`);
  });

  drive("an address with #m= comes back to its place after a reload", { at: "?url=examples/garden-planner.jsonl#m=120" }, async (view) => {
    const inSight = () => view.until("message 120 in sight", () => {
      const row = window.deep('.scroller [data-item="119"]');
      return row !== null && !row.querySelector(".skeleton") && row.classList.contains("is-current") && row.getBoundingClientRect().top < innerHeight - 50 && row.getBoundingClientRect().bottom > 150;
    });
    await inSight();
    await view.page.reload();
    await inSight();
    assert.equal(await view.page.evaluate(() => location.hash), "#m=120");
    await view.page.evaluate(() => { location.hash = "#m=5"; });
    await view.until("message 5", () => window.deep('.scroller [data-item="4"]')?.classList.contains("is-current"));
  });

  drive("a link, a message and code are copied", {}, async (view, t) => {
    if (isFirefox) {
      t.diagnostic("the driver of Firefox grants no clipboard: its function is noted instead");
    } else {
      await view.browser.defaultBrowserContext().overridePermissions(new URL(view.url).origin, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]).catch(() => undefined);
    }
    await view.page.evaluate(() => {
      window.copied = [];
      const write = navigator.clipboard.writeText.bind(navigator.clipboard);
      Object.defineProperty(navigator.clipboard, "writeText", { value: async (text) => { window.copied.push(text); await write(text).catch(() => undefined); } });
    });
    await view.open({ "copy.json": [{ role: "user", content: "Plant `x`:\n\n```js\nconst bed = 3;\n```\n" }, ...said(2)] });
    const copy = async (selector, words) => {
      await view.page.evaluate(() => { window.copied.length = 0; });
      await view.click(selector);
      await view.until(words, (w) => window.textOf(window.deep(".toast")) === w, words);
      return view.page.evaluate(() => window.copied[0]);
    };
    assert.equal(await copy('[aria-label="Copy a link to message 2"]', "Link copied"), `${view.url}#m=2`);
    assert.deepEqual(JSON.parse(await copy('[aria-label="Copy message 1 as JSON"]', "Message copied")), { role: "user", content: "Plant `x`:\n\n```js\nconst bed = 3;\n```\n" });
    assert.equal((await copy("[data-copy]", "Code copied")).trim(), "const bed = 3;");
  });
});
