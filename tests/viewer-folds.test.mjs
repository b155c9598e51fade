// The viewer: folds and their originals, the windows of the past, and the planner against what the package itself says.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examples } from "../www/examples.mjs";
import { count, inBrowsers, number, plica } from "./support/viewer.mjs";

const EXAMPLES = plica ? await examples() : {};
const GARDEN = EXAMPLES["garden-planner.jsonl"];
const NESTED = "?url=examples/folded-three-times.json&ledger=examples/folded-three-times.ledger.json";

/** A conversation that is folded twice as it goes on; after each message, and each digest, the window at that moment. */
function history() {
  const transcript = new plica.Transcript({ format: "openai-chat" });
  const moments = [];
  const text = ({ content }) => content;
  const note = () => moments.push(transcript.messages().map(text));
  for (let i = 0; i < 60; i++) {
    transcript.append([{ role: i % 2 ? "assistant" : "user", content: `note ${i + 1} on ${["beans", "kale", "peas"][i % 3]} ${"and water ".repeat(9)}`.trim() }]);
    note();
    if (i !== 24 && i !== 44) continue;
    const plan = transcript.plan({ tailBudget: 200 });
    assert.notEqual(plan.kind, "none");
    transcript.commit(plan, plica.digestMessage(`Summary after note ${i + 1}.`, { format: "openai-chat" }));
    note();
  }
  const made = { moments, conversation: JSON.stringify(transcript.messages()), ledger: JSON.stringify(transcript.ledger) };
  transcript.free();
  return made;
}

/** What the package says of a plan for a file. */
function truth(bytes, options, digest = true) {
  const session = plica.readSession(bytes);
  const reading = { format: session.messageFormat, provenance: (_, i) => session.provenance[i] };
  const plan = plica.plan(session.messages, { ...options, ...reading });
  const rows = plica.explain(session.messages, plan, reading);
  const each = plica.estimate(session.messages, reading).perMessage;
  const tokens = {};
  rows.forEach(({ fate }, i) => { tokens[fate] = (tokens[fate] ?? 0) + each[i]; });
  if (plan.kind === "none" || !digest) return { plan, rows, tokens, before: each.reduce((a, b) => a + b, 0) };
  const text = plica.deterministicDigest(session.messages, plan, { ...reading, ledger: session.ledger });
  const digestTokens = plica.estimate([plica.digestMessage(text, { format: session.messageFormat, like: session.messages })].flat(), reading).total;
  return { plan, rows, tokens, text, digestTokens, before: each.reduce((a, b) => a + b, 0) };
}

const plain = (text) => text.replace(/\s+/g, " ").trim();

inBrowsers("folds and plans", ({ drive, isFirefox, browser }) => {
  /** Types a budget. */
  const budget = async (view, tokens) => {
    await view.page.evaluate(() => window.deep("#budget").select());
    await view.page.evaluate(() => window.deep("#budget").focus());
    await view.page.keyboard.type(String(tokens));
    await view.until("the budget", (n) => window.deep("#slider").getAttribute("aria-valuetext")?.replace(/\D/g, "") === n, String(tokens));
  };
  /** Waits for a digest with a beginning, or for none. */
  const planned = (view, { rows, before }) => view.until("the plan", (folded, tokens) => {
    const cell = window.textOf(window.deep('[data-fate="folded"] td'));
    return cell.replace(/\D/g, "") === String(folded || "") && (folded === 0 ? /stay/.test(window.textOf(window.deep(".headline"))) : window.deep("[data-after]")?.dataset.before === String(tokens));
  }, rows.filter(({ fate }) => fate === "folded").length, before);

  drive("three answers: a fold with originals, one without, and a text that only looks like a digest", { at: "?url=examples/stored-with-spans.json" }, async (view) => {
    await view.settled();
    const banners = await view.page.evaluate(() => window.deepAll(".row").map((row) => [Number(row.dataset.item), row.querySelector(".banner")]).filter(([, banner]) => banner).map(([item, banner]) => {
      const { backgroundColor, borderInlineStartColor } = getComputedStyle(banner);
      return { item, words: window.textOf(banner), look: `${backgroundColor} ${borderInlineStartColor}`, role: window.textOf(banner.closest(".row").querySelector(".role")) };
    }));
    assert.deepEqual(banners.map(({ item, role }) => [item, role]), [[4, "digest"], [5, "digest"], [7, "user"]]);
    assert.match(banners[0].words, /Fold 1 stands for 4 messages\. Beside its originals/);
    assert.match(banners[1].words, /Fold 2 is recorded; its originals are not at hand/);
    assert.match(banners[2].words, /Looks like a digest, but no fold is recorded/);
    assert.equal(new Set(banners.map(({ look }) => look)).size, 3);
    // Behind each banner is what is known.
    await view.click('.scroller [data-item="5"] .banner button');
    await view.until("the fold", () => /The fold is recorded/.test(window.textOf(window.deep(".lost-note"))));
    assert.match(await view.text(".facts"), /Model ?small/);
    assert.match(await view.text(".state"), /originals not at hand/);
    await view.panel("folds");
    assert.deepEqual((await view.texts("[data-fold]")).map((entry) => /Stands for 4|not at hand/.exec(entry)?.[0]), ["Stands for 4", "not at hand"]);
    assert.deepEqual(await view.page.evaluate(() => window.deepAll(".folds button").map((button) => button.className)), ["", "lost"]);
  });

  drive("through folds of folds, down to the first messages", { at: NESTED }, async (view) => {
    await view.settled();
    const session = plica.readSession(EXAMPLES["folded-three-times.json"]);
    const ledger = plica.Ledger.from(JSON.parse(EXAMPLES["folded-three-times.ledger.json"]));
    await view.panel("folds");
    assert.equal((await view.texts("[data-fold]")).length, ledger.folds.length);
    await view.click('[data-fold="0"]');
    await view.until("fold 1", () => /^Fold 1 ?in fold 2 ?in fold 3/.test(window.textOf(window.deep(".path"))));
    // Up the path.
    await view.click(".path li:nth-child(2) button");
    await view.until("fold 2", () => /^Fold 2/.test(window.textOf(window.deep(".path"))));
    const heading = () => view.text('[aria-label="Originals"] h2');
    assert.equal(await heading(), `What it took: ${ledger.folds[1].messages.length} messages`);
    const beside = await view.text('[aria-label="Digest"]');
    assert.match(beside, /compaction-summary/);
    // The digest of the fold before is among what it took, and leads there.
    assert.match(await view.text('[aria-label="Originals"]'), /Fold 1 stands for/);
    await view.page.evaluate(() => [...window.deepAll(".top .choice button")].at(-1).setAttribute("data-deep", ""));
    await view.click("[data-deep]");
    const all = ledger.unfold(session.messages);
    const stands = number(/: (.*) messages/.exec(await view.until("how many", () => /stands for: .*/.exec(window.textOf(window.deep('[aria-label="Originals"] h2')))?.[0]))[1]);
    // What the digest stands for: all but what it left in the window, in the order in which it was said.
    const shown = await view.page.evaluate(async () => {
      const lists = window.deepAll("plica-messages");
      lists.at(-1).setAttribute("data-originals", "");
      return lists.length;
    });
    assert.equal(shown, 2);
    const rows = await view.gather("[data-originals]");
    assert.equal(rows.length, stands);
    const took = new Set(ledger.folds[1].messages.filter((message) => all.includes(message)));
    for (const message of ledger.folds[0].messages) took.add(message);
    const wanted = all.filter((message) => took.has(message));
    assert.equal(rows.length, wanted.length);
    const prose = (message) => (typeof message.content === "string" ? [message.content] : (message.content ?? []).filter(({ type }) => type === "text").map(({ text }) => text)).join(" ");
    let compared = 0;
    rows.forEach(({ role, text }, i) => {
      // A message of results alone is shown as the tool's.
      assert.ok(role === wanted[i].role || (role === "tool" && wanted[i].role === "user"), `message ${i}: ${role}`);
      // Words of Markdown without its signs.
      const words = prose(wanted[i]).match(/[A-Za-z]{4,}/g)?.slice(0, 12) ?? [];
      if (role === "user" && words.length > 3) {
        compared++;
        assert.ok(words.every((word) => text.includes(word)), `message ${i}: ${words} in ${text.slice(0, 200)}`);
      }
    });
    assert.ok(compared > 5);
    await view.page.evaluate(() => [...window.deepAll(".top button")].find((button) => button.textContent === "Close").click());
    await view.until("the session", () => window.deep('[data-view="session"]').getAttribute("aria-pressed") === "true" && window.deep(".path") === null);
  });

  drive("brackets of the timeline lead to folds, its strip to messages", { at: NESTED }, async (view) => {
    await view.settled();
    assert.deepEqual(await view.texts(".folds button"), ["1", "2", "3"]);
    assert.deepEqual(await view.page.evaluate(() => window.deepAll(".folds button").map((button) => button.localName)), ["button", "button", "button"]);
    await view.click(".folds button:nth-child(3)");
    await view.until("fold 3", () => /^Fold 3$/.test(window.textOf(window.deep(".path"))));
    assert.deepEqual(await view.page.evaluate(() => window.deepAll(".folds button").map((button) => button.getAttribute("aria-pressed"))), ["false", "false", "true"]);
    await view.look("session");
    const strip = await view.page.evaluate(() => { const { x, y, width, height } = window.deep(".strip").getBoundingClientRect(); return { x, y, width, height }; });
    for (const item of [200, 20]) {
      await view.page.mouse.click(strip.x + ((item + 0.5) / 329) * strip.width, strip.y + strip.height / 2);
      await view.until(`message ${item + 1}`, (i) => window.deep(`.scroller [data-item="${i}"]`)?.classList.contains("is-current"), item);
      assert.match(await view.text(".tip"), new RegExp(`^${item + 1} ·`));
      await view.rowText(item);
    }
    await view.until("where that is on the strip", () => { const mark = window.deep(".seen"); return !mark.hidden && parseFloat(mark.style.left) < 20; });
  });

  drive("the moment goes back: every window is the one that there was", {}, async (view) => {
    const { moments, conversation, ledger } = history();
    await view.open({ "history.json": conversation, "history.ledger.json": ledger });
    assert.match(await view.text(".line .num"), new RegExp(`^${moments.length} of ${moments.length}$`));
    await view.look("window");
    const setMoment = async (moment) => {
      await view.page.evaluate((value) => {
        const slider = window.deep("#moment");
        slider.value = String(value);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      }, moment);
      await view.until(`moment ${moment + 1}`, (n, size) => window.textOf(window.deep(".line .num")).startsWith(`${n} of`) && window.textOf(window.deep('[data-view="window"] .num')) === String(size) && window.deep(".scroller .row")?.getAttribute("aria-setsize") === String(size), moment + 1, moments[moment].length);
    };
    for (const moment of [0, 10, 24, 25, 26, 40, 45, 46, moments.length - 1]) {
      await setMoment(moment);
      const shown = (await view.gather()).map(({ text }) => text);
      const wanted = moments[moment].map((text) => plain(text));
      assert.equal(shown.length, wanted.length);
      wanted.forEach((text, i) => assert.equal(shown[i].replace(/^.*Beside its originals ?/, ""), text.replace(/<\/?compaction-summary>/g, (tag) => tag), `moment ${moment + 1}, message ${i + 1}`));
    }
    // A key on the slider moves by one; Now comes back.
    await view.page.evaluate(() => window.deep("#moment").focus());
    await view.page.keyboard.press("ArrowLeft");
    await view.until("one moment back", (n) => window.textOf(window.deep(".line .num")).startsWith(`${n} of`), moments.length - 1);
    assert.match(await view.panelText(), /Files are saved of the present window/);
    assert.equal(await view.there(".now"), true);
    await view.page.evaluate(() => [...window.deepAll(".line button")].find((button) => button.textContent === "Now").click());
    await view.until("now", (n) => window.textOf(window.deep(".line .num")).startsWith(`${n} of`) && window.deep(".now") === null, moments.length);
  });

  drive("fates, reasons, tokens and the digest are those of the package, for budgets and options", { at: "?url=examples/garden-planner.jsonl" }, async (view) => {
    await view.settled();
    await view.look("window");
    const cases = [[20_000, {}], [3_000, {}], [5_000, { anchorTask: true, anchorRequest: true }], [8_000, { keepTurns: 3 }]];
    let set = {};
    for (const [at, [tailBudget, options]] of cases.entries()) {
      const labels = { anchorTask: "Keep the first request", anchorRequest: "Keep the latest request" };
      for (const [option, label] of Object.entries(labels)) {
        if (Boolean(options[option]) === Boolean(set[option])) continue;
        await view.page.evaluate((words) => [...window.deepAll("label")].find((l) => window.textOf(l) === words).querySelector("input").setAttribute("data-wanted", words), label);
        await view.click(`[data-wanted="${label}"]`);
      }
      if ((options.keepTurns ?? 0) !== (set.keepTurns ?? 0)) await view.setValue(".turns input", options.keepTurns ?? 0);
      set = options;
      await budget(view, tailBudget);
      const right = truth(GARDEN, { tailBudget, keepTurns: 0, ...options });
      await planned(view, right);
      await view.until("the digest", (beginning) => window.textOf(window.deep(".digest")).startsWith(beginning), plain(right.text).slice(0, 60));
      for (const fate of ["prefix", "kept", "folded", "tail"]) {
        const cells = (await view.texts(`[data-fate="${fate}"] td`)).map(number);
        const n = right.rows.filter((row) => row.fate === fate).length;
        assert.deepEqual(cells, n === 0 ? [] : [n, right.tokens[fate]], `${fate} at ${tailBudget}`);
      }
      assert.equal(number((await view.texts('[data-fate="digest"] td'))[1]), right.digestTokens);
      const after = right.before - right.tokens.folded + right.digestTokens;
      assert.deepEqual(await view.page.evaluate(() => ({ ...window.deep("[data-after]").dataset })), { before: String(right.before), after: String(after) });
      assert.equal(plain(await view.page.evaluate(() => window.deep(".digest").textContent)), plain(right.text));
      if (at !== 1 && at !== 2) continue;
      const rows = await view.gather();
      assert.deepEqual(rows.map(({ fate, reason }) => ({ fate, reason })), right.rows.map(({ fate, reason }) => ({ fate, reason })));
    }
  });

  drive("what is set stays where it is, whatever becomes of the plan", { at: "?url=examples/garden-planner.jsonl" }, async (view) => {
    await view.settled();
    await view.page.evaluate(() => {
      window.tops = new Set();
      const look = () => {
        window.tops.add(window.deepAll("#slider, fieldset input").map((input) => Math.round(input.getBoundingClientRect().top)).join(" "));
        requestAnimationFrame(look);
      };
      look();
    });
    for (const tokens of [9_999_999, 3_000, 0, 20_000]) {
      await budget(view, tokens);
      if (tokens > 1_000_000) await view.until("the note", () => window.deep(".note") !== null);
      else await view.planned();
    }
    const tops = await view.page.evaluate(() => [...window.tops]);
    assert.equal(tops.length, 1, tops.join("; "));
    assert.equal(tops[0].split(" ").length, 5);
  });

  drive("notes: nothing folds, and a budget that no cut fits", { at: "?url=examples/garden-planner.jsonl" }, async (view) => {
    await view.settled();
    await budget(view, 9_999_999);
    await view.until("the note", () => /^Nothing folds/.test(window.textOf(window.deep(".note"))));
    assert.match(await view.text(".headline"), /tokens stay$/);
    assert.ok(await view.page.evaluate(() => window.deepAll("[data-save], [data-prove]").every((button) => button.disabled)));
    assert.equal(await view.there(".digest"), false);
    const call = (id) => ({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "dig", arguments: "{}" } }] });
    const tight = [{ role: "user", content: "first" }, { role: "assistant", content: "second" }, { role: "user", content: "third" }, call("c1"), { role: "tool", tool_call_id: "c1", content: "soil ".repeat(4_000) }];
    await view.open({ "tight.json": tight });
    await budget(view, 1);
    const { plan } = truth(JSON.stringify(tight), { tailBudget: 1 });
    assert.equal(plan.overBudget, true);
    await view.until("the note", () => /No legal cut fits this budget/.test(window.textOf(window.deep(".note"))));
  });

  drive("conversation, ledger and request are saved as the package makes them; it unfolds", { at: "?url=examples/garden-planner.jsonl" }, async (view, t) => {
    await view.settled();
    const folder = mkdtempSync(join(tmpdir(), "plica-saved-"));
    try {
      if (isFirefox) {
        t.diagnostic("the driver of Firefox cannot say where files are saved: what is given to the browser to save is read instead");
        await view.page.evaluate(() => {
          window.given = {};
          const urls = new Map();
          const create = URL.createObjectURL.bind(URL);
          URL.createObjectURL = (blob) => { const url = create(blob); urls.set(url, blob); return url; };
          HTMLAnchorElement.prototype.click = function () { const name = this.download; void urls.get(this.href).text().then((text) => { window.given[name] = text; }); };
        });
      } else {
        const client = await browser().target().createCDPSession();
        await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
      }
      const written = async (file) => {
        if (isFirefox) return view.until(file, (name) => window.given[name], file);
        for (let tries = 0; tries < 200 && !existsSync(join(folder, file)); tries++) await new Promise((done) => setTimeout(done, 50));
        return readFileSync(join(folder, file), "utf8");
      };
      const settings = { tailBudget: 9_000, keepTurns: 0, anchorTask: false, anchorRequest: false };
      await budget(view, settings.tailBudget);
      await planned(view, truth(GARDEN, settings));
      const { conversation, ledger } = plica.foldSession(GARDEN, settings);
      const request = plica.summarizeSession(GARDEN, settings);
      const wanted = [["conversation", "garden-planner.folded.json", conversation], ["ledger", "garden-planner.ledger.json", ledger], ["request", "garden-planner.request.txt", `${request.system}\n\n${request.prompt}`]];
      for (const [kind, file, bytes] of wanted) {
        await view.click(`[data-save="${kind}"]`);
        await view.until(`${file} saved`, (name) => window.deepAll('[role="status"]').some((status) => window.textOf(status) === `${name} saved.`), file);
        assert.equal(await written(file), bytes);
      }
      await view.open({ "again.folded.json": conversation, "again.ledger.json": ledger });
      assert.match(await view.text(".file"), /, [1-9] folds?,/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  drive("Check that it unfolds says what came back", { at: "?url=examples/garden-planner.jsonl" }, async (view) => {
    await view.settled();
    await view.planned();
    await view.click("[data-prove]");
    const words = await view.until("the answer", () => window.deepAll('[role="status"]').map((status) => window.textOf(status)).find((text) => /^(Folded and unfolded: all|Unfolded to|Not checked)/.test(text)));
    assert.match(words, new RegExp(`^Folded and unfolded: all ${count(GARDEN.length)} bytes came back`));
  });
});
