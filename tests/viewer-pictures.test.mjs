// The viewer as it looks: the main states, compared with pictures of them that were looked at.

import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, compared, difference } from "./support/pictures.mjs";
import { PHONE, PNG, inBrowsers } from "./support/viewer.mjs";

const NESTED = "?url=examples/folded-three-times.json&ledger=examples/folded-three-times.ledger.json";
const GARDEN = "?url=examples/garden-planner.jsonl";
const call = (id, name, args) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } });

/** Every kind of part. */
const PARTS = [
  { role: "user", content: "# Beds\n\n| bed | crop |\n|---|---|\n| 3 | **beans** |\n\n- [x] dig\n- [ ] water\n\n```js\nconst bed = 3; // three\n```" },
  { role: "assistant", content: [{ type: "thinking", thinking: "I weigh beans against kale.", signature: "c2ln" }, { type: "text", text: "I look." }, { type: "tool_use", id: "t1", name: "read_file", input: { path: "src/beds.js", options: { deep: true } } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "export const beds = [1, 2];" }] },
  { role: "assistant", content: [{ type: "tool_use", id: "t2", name: "run", input: { command: "npm test" } }, { type: "tool_use", id: "t3", name: "photo", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", is_error: true, content: "2 tests failed" }, { type: "tool_result", tool_use_id: "t3", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }, { type: "image", source: { type: "url", url: "https://example.invalid/far.png" } }] }] },
  { role: "assistant", content: "Done: <b>no</b> markup of a message is \u202Eever\u202C run." },
];

/** Faults that a provider would refuse. */
const FAULTY = [
  { role: "user", content: "start" }, { role: "assistant", content: null, tool_calls: [call("c1", "dig", {})] }, { role: "user", content: "no answer came" },
  { role: "tool", tool_call_id: "nobody", content: "answer to nothing" }, { role: "assistant", content: "end" },
];

const folds = async (view) => {
  await view.panel("folds");
  await view.click('[data-fold="1"]');
  await view.until("the fold", () => window.deep(".path") !== null && window.deepAll("plica-messages").length === 2);
};

/** What a user sees, and how to get there. */
const STATES = {
  start: { at: "" },
  session: { at: NESTED },
  "session, dark": { at: NESTED, theme: "dark" },
  "fold beside originals": { at: NESTED, reach: folds },
  "fold beside originals, dark": { at: NESTED, theme: "dark", reach: folds },
  "three answers": { at: "?url=examples/stored-with-spans.json", reach: (view) => view.panel("folds") },
  planner: { at: GARDEN, reach: (view) => view.look("window") },
  memory: { at: "?url=examples/stored-with-spans.json", reach: (view) => view.panel("memory") },
  parts: { files: { "parts.json": PARTS } },
  problems: {
    files: { "faulty.json": FAULTY },
    async reach(view) {
      await view.panel("problems");
      await view.until("the check", () => /faults? of the window/.test(window.textOf(window.deep('[role="tabpanel"]'))));
    },
  },
  search: {
    at: GARDEN,
    async reach(view) {
      await view.page.evaluate(() => window.deep("#search").focus());
      await view.page.keyboard.type("compost");
      await view.until("what was found", () => /found/.test(window.textOf(window.deep('[role="tabpanel"] [role="status"]'))));
    },
  },
  phone: { at: NESTED, size: PHONE },
  "phone, fold": {
    at: NESTED, size: PHONE,
    async reach(view) {
      await view.click(".folds button:nth-child(2)");
      await view.until("the fold", () => window.deep(".path") !== null);
    },
  },
};

/** Of one font everywhere, without a caret, and everything that moves at its end. */
async function settle(view) {
  await view.page.evaluate(async () => {
    const element = document.querySelector("plica-viewer");
    element.style.setProperty("--plica-sans", '"DejaVu Sans", sans-serif');
    element.style.setProperty("--plica-mono", '"DejaVu Sans Mono", monospace');
    await document.fonts.ready;
    window.focused()?.blur?.();
  });
  await view.page.mouse.move(0, 0);
  let last;
  await view.until("a page that rests", () => window.deepAll(".skeleton").length === 0 && document.getAnimations().every((animation) => animation.playState !== "running"));
  // Heights settle a few frames after the words do.
  for (let tries = 0; tries < 20; tries++) {
    const now = await view.page.evaluate(() => new Promise((done) => setTimeout(() => done(JSON.stringify(window.deepAll(".row, .panel, .side").map((e) => { const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height].map(Math.round); }))), 150)));
    if (now === last) return;
    last = now;
  }
}

inBrowsers("pictures", ({ name, drive }) => {
  const taken = new Map();
  for (const [state, { at = "", files, size, theme, reach }] of Object.entries(STATES)) {
    drive(state, { at: null, size, allowed: files ? [] : undefined }, async (view) => {
      await view.visit(at);
      if (theme) await view.page.evaluate((t) => { document.querySelector("plica-viewer").setAttribute("theme", t); document.documentElement.style.colorScheme = t; }, theme);
      if (files) await view.open(files);
      if (at !== "") await view.settled();
      if (at !== "" || files) await view.planned();
      await reach?.(view);
      await settle(view);
      const { now, then } = await compared(view.page, `${name}-${state.replace(/\W+/g, "-")}`);
      taken.set(state, now);
      assert.ok(then, "there is no picture to compare with: PLICA_PICTURES=write makes one, to be looked at");
      const differs = difference(now, then);
      console.log(`# ${name}, ${state}: ${differs.toFixed(2)} of 100 squares differ`);
      assert.ok(!apart(now, then), `${differs.toFixed(1)} of 100 squares differ from the picture`);
    });
  }

  test(`${name}: the comparison tells every state from every other`, () => {
    const states = [...taken];
    for (const [i, [one, a]] of states.entries()) for (const [other, b] of states.slice(i + 1)) assert.ok(apart(a, b), `${one} and ${other} are taken for the same: ${difference(a, b).toFixed(2)}`);
  });
});
