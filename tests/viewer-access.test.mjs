// The viewer without a mouse, with a screen reader's rules (axe-core), on a phone, in the dark, and for those who want no motion.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PHONE, ROOT, inBrowsers } from "./support/viewer.mjs";

const AXE = join(ROOT, "node_modules/axe-core/axe.min.js");
const axe = existsSync(AXE) ? readFileSync(AXE, "utf8") : undefined;
const NESTED = "?url=examples/folded-three-times.json&ledger=examples/folded-three-times.ledger.json";

inBrowsers("access", ({ drive, isFirefox }) => {
  const press = async (view, ...keys) => { for (const key of keys) await view.page.keyboard.press(key); };
  const onMessage = (view, item) => view.until(`the focus on message ${item + 1}`, (i) => window.focused()?.classList.contains("row") && window.focused().dataset.item === String(i), item);
  /** Tabs until something has the focus. */
  const tabTo = async (view, what, is, most = 80) => {
    for (let tries = 0; tries < most; tries++) {
      await press(view, "Tab");
      if (is(await view.focused())) return;
    }
    assert.fail(`Tab does not reach ${what}`);
  };

  drive("from the start page to a message with keys alone", {}, async (view) => {
    await tabTo(view, "the example", ({ text }) => text === "folded three times");
    await press(view, "Enter");
    await view.until("the example", () => window.textOf(window.deep("[data-name]")) === "folded-three-times.json");
    await view.settled();
    await tabTo(view, "the first message", ({ item, classes }) => item === "0" && /\brow\b/.test(classes));
    await press(view, "ArrowDown");
    await onMessage(view, 1);
    await press(view, "j", "j");
    await onMessage(view, 3);
    await press(view, "k");
    await onMessage(view, 2);
    await press(view, "ArrowUp");
    await onMessage(view, 1);
    await press(view, "PageDown");
    await onMessage(view, 2);
    await press(view, "PageUp");
    await onMessage(view, 1);
    await press(view, "End");
    await onMessage(view, 328);
    await press(view, "Home");
    await onMessage(view, 0);
    assert.equal(await view.page.evaluate(() => window.deepAll('.scroller .row[tabindex="0"]').length), 1);
    // The parts of a message, all at once, and each by itself.
    await press(view, "j");
    await onMessage(view, 1);
    await press(view, "Enter");
    await view.until("all parts", () => window.deepAll('.scroller [data-item="1"] .opener').length > 0 && window.deepAll('.scroller [data-item="1"] .opener').every((opener) => opener.ariaExpanded === "true"));
    await press(view, "Enter");
    await view.until("no part", () => window.deepAll('.scroller [data-item="1"] .opener').every((opener) => opener.ariaExpanded === "false"));
    await tabTo(view, "a part", ({ classes }) => classes === "opener", 10);
    await press(view, "Enter");
    await view.until("one part", () => window.deepAll('.scroller [data-item="1"] .opener[aria-expanded="true"]').length === 1);
    assert.equal((await view.focused()).classes, "opener");
    // From inside a message a page key still moves on.
    await press(view, "PageDown");
    await onMessage(view, 2);
  });

  drive("keys for search, folds, failed calls, views and numbers", { at: NESTED }, async (view) => {
    await view.settled();
    await view.page.evaluate(() => { window.deep('.scroller [data-item="0"]').focus(); });
    await press(view, "f");
    await view.until("the digest of fold 1", () => window.focused()?.classList.contains("is-digest"));
    const first = Number((await view.focused()).item);
    await press(view, "f");
    await view.until("the next", (n) => Number(window.focused()?.dataset.item) > n && window.focused().classList.contains("is-digest"), first);
    await press(view, "F");
    await onMessage(view, first);
    await press(view, "e");
    await view.until("a failed call", () => window.focused()?.classList.contains("has-error") || /No further one/.test(window.textOf(window.deep(".toast"))));
    await press(view, "/");
    await view.until("the search", () => window.focused()?.id === "search");
    await view.page.keyboard.type("frost");
    await view.until("hits", () => /found$/.test(window.textOf(window.deep('[role="tabpanel"] [role="status"]'))));
    assert.equal((await view.focused()).id, "search");
    await view.page.evaluate(() => window.deep("#tab-search").focus());
    await tabTo(view, "a hit", ({ classes }) => classes === "entry", 5);
    await press(view, "Enter");
    await view.until("the hit", () => window.deep(".entry").getAttribute("aria-current") === "true");
    await view.page.evaluate(() => window.focused().blur());
    await view.page.evaluate(() => window.deep('.scroller .row[tabindex="0"]').focus());
    await press(view, "g");
    await view.until("the number", () => window.focused()?.id === "jump");
    await view.page.keyboard.type("77");
    await press(view, "Enter");
    await view.until("message 77", () => window.deep('.scroller [data-item="76"]')?.classList.contains("is-current"));
  });

  drive("tabs by arrow keys, with their panel", { at: NESTED }, async (view) => {
    await view.settled();
    await view.page.evaluate(() => window.deep("#tab-plan").focus());
    const order = [];
    for (let i = 0; i < 3; i++) {
      await press(view, "ArrowRight");
      await view.until("another tab", (known) => window.focused()?.getAttribute("role") === "tab" && window.focused().getAttribute("aria-selected") === "true" && !known.includes(window.focused().id), order);
      order.push((await view.focused()).id);
    }
    assert.deepEqual(order, ["tab-folds", "tab-problems", "tab-file"]);
    await press(view, "Home");
    await view.until("the first", () => window.focused()?.id === "tab-plan");
    await press(view, "End");
    await view.until("the last", () => window.focused()?.id === "tab-file");
    await press(view, "Tab");
    await view.until("the panel", () => window.focused()?.id === "panel");
    assert.equal(await view.page.evaluate(() => window.deepAll('[role="tab"][tabindex="0"]').length), 1);
  });

  drive("the list of keys opens, closes, and gives the focus back", { at: NESTED }, async (view) => {
    await view.settled();
    await view.page.evaluate(() => window.deep('.scroller [data-item="0"]').focus());
    await press(view, "j");
    await onMessage(view, 1);
    await press(view, "?");
    await view.until("the dialog", () => window.deep("dialog")?.open === true);
    assert.match(await view.text("dialog"), /^Keyboard.*search/);
    await press(view, "j");
    await press(view, "Escape");
    await view.until("no dialog", () => window.deep("dialog") === null);
    await onMessage(view, 1);
    await view.page.evaluate(() => window.deep(".help").focus());
    await press(view, "Enter");
    await view.until("the dialog", () => window.deep("dialog")?.open === true);
    await press(view, "Enter");
    await view.until("no dialog", () => window.deep("dialog") === null);
    assert.match((await view.focused()).classes, /help/);
  });

  drive("keys work from where nothing has the focus, and after a change of the view", { at: NESTED }, async (view) => {
    await view.settled();
    await press(view, "/");
    await view.until("the search", () => window.focused()?.id === "search");
    await view.page.evaluate(() => window.focused().blur());
    await press(view, "?");
    await view.until("the dialog", () => window.deep("dialog")?.open === true);
    await press(view, "Escape");
    await view.until("no dialog", () => window.deep("dialog") === null);
    await view.page.evaluate(() => window.deep('.scroller .row[tabindex="0"]').focus());
    await press(view, "w");
    await view.until("the window", () => window.deep('[data-view="window"]').getAttribute("aria-pressed") === "true");
    await press(view, "s");
    await view.until("the session", () => window.deep('[data-view="session"]').getAttribute("aria-pressed") === "true");
  });

  drive("no message holds the focus: the list is left to both sides, and the rest is gone through to its end", { at: NESTED }, async (view) => {
    await view.settled();
    await view.planned();
    const step = async (...keys) => {
      await press(view, ...keys);
      return view.page.evaluate(() => {
        const element = window.focused();
        if (element === document.body || element === document.documentElement) return null;
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
        return { id: element.id || element.className || window.textOf(element).slice(0, 30), inList: element.closest(".scroller") !== null, isRow: element.classList.contains("row"), shown: (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none" };
      });
    };
    const before = [];
    for (let at = await step("Tab"); at && !at.inList && before.length < 40; at = await step("Tab")) before.push(at);
    assert.ok(before.length < 40, "Tab does not reach the list");
    for (const id of ["search", "jump", "moment"]) assert.ok(before.some((at) => at.id === id), `${id} is not reached: ${before.map((at) => at.id)}`);
    await view.page.evaluate(() => window.deep('.scroller [data-item="0"]').focus());
    await view.page.keyboard.down("Control");
    await press(view, "End");
    await view.page.keyboard.up("Control");
    await view.until("the details", () => window.focused()?.getAttribute("role") === "tab");
    const after = [];
    for (let at = await step("Tab"); at && !before.some(({ id }) => id === at.id) && after.length < 40; at = await step("Tab")) after.push(at);
    assert.ok(after.length < 40, "Tab does not come out of the details");
    for (const id of ["panel", "slider", "budget"]) assert.ok(after.some((at) => at.id === id), `${id} is not reached: ${after.map((at) => at.id)}`);
    assert.deepEqual([...before, ...after].filter(({ shown }) => !shown), []);
    await view.page.evaluate(() => window.deep('.scroller [data-item="0"]').focus());
    await view.page.keyboard.down("Control");
    await press(view, "Home");
    await view.page.keyboard.up("Control");
    await view.until("what is before the list", () => window.focused() !== document.body && !window.focused().closest(".scroller"));
  });

  /** What axe finds wrong, in all its words; in the dark only the colours can be wrong that were right in the light. */
  const faults = async (view, theme) => {
    await view.page.evaluate((t) => { document.querySelector("plica-viewer").setAttribute("theme", t); document.documentElement.style.colorScheme = t; }, theme);
    if (!(await view.page.evaluate(() => typeof window.axe === "object"))) await view.page.evaluate(`${axe};undefined`);
    const found = await view.page.evaluate(async (options) => {
      const { violations } = await window.axe.run(document, { resultTypes: ["violations"], ...options });
      return violations.flatMap(({ id, nodes }) => nodes.slice(0, 2).map(({ target, html, any, all, none }) => `${id}: ${JSON.stringify(target)} ${html.slice(0, 140)} ${[...any, ...all, ...none][0]?.message ?? ""}`));
    }, theme === "dark" ? { runOnly: ["color-contrast"] } : {});
    return found.map((fault) => `${theme}, ${fault}`);
  };
  const noAxe = axe === undefined && "axe-core is not installed";
  const GARDEN = "?url=examples/garden-planner.jsonl";
  const SPANS = "?url=examples/stored-with-spans.json";
  const states = {
    "the start page": { at: "" },
    "a session and its plan": { at: NESTED, panel: "plan" },
    "a window": { at: NESTED, reach: (view) => view.look("window") },
    "parts that are open": { at: GARDEN, reach: async (view) => {
      await view.page.evaluate(() => window.deepAll('.opener[aria-expanded="false"]').forEach((opener) => opener.click()));
      await view.until("inside", () => window.deepAll(".inside").length > 0);
    } },
    "a fold": { at: NESTED, reach: async (view) => {
      await view.click(".folds button:nth-child(2)");
      await view.until("the fold", () => window.deep(".path") !== null && window.deepAll(".row").length > 1 && window.deepAll(".skeleton").length === 0);
    } },
    "folds": { at: NESTED, panel: "folds" },
    "answers of three kinds, and the memory": { at: SPANS, panel: "memory" },
    "problems": { at: GARDEN, panel: "problems", reach: (view) => view.until("the check", () => !/Checking/.test(window.textOf(window.deep("#panel")))) },
    "facts of the file": { at: GARDEN, panel: "file" },
    "hits of a search": { at: GARDEN, reach: async (view) => {
      await view.click("#search");
      await view.page.keyboard.type("bed");
      await view.until("hits", () => /found$/.test(window.textOf(window.deep('[role="tabpanel"] [role="status"]'))));
    } },
    "an error": { at: SPANS, reach: (view) => view.expecting("plica-error", () => view.give({ "no.json": "nothing" })) },
    "the list of keys": { at: SPANS, reach: async (view) => {
      await view.page.evaluate(() => window.deep('.scroller [data-item="0"]').focus());
      await press(view, "?");
      await view.until("the dialog", () => window.deep("dialog")?.open === true);
    } },
  };
  // What a phone lays out in another way; its rules are the same in both browsers.
  const NARROW = ["the start page", "a session and its plan", "parts that are open", "a fold", "answers of three kinds, and the memory", "the list of keys"];
  for (const [width, size] of [["on a desk", undefined], ["390 px wide", PHONE]]) {
    drive(`axe finds nothing wrong, in the light and in the dark, ${width}`, { at: null, size, skip: noAxe || (size && isFirefox && "the rules are tried in Chromium at this width") }, async (view) => {
      const wrong = [];
      for (const [state, { at, panel, reach }] of Object.entries(states)) {
        if (size && !NARROW.includes(state)) continue;
        await view.visit(at);
        if (at !== "") {
          await view.settled();
          await view.planned();
        }
        if (size && panel) await view.click(".toggle");
        if (panel && panel !== "plan") await view.panel(panel);
        await reach?.(view);
        for (const theme of ["light", "dark"]) for (const fault of await faults(view, theme)) wrong.push(`${state}, ${fault}`);
      }
      assert.deepEqual(wrong, []);
    });
  }

  drive("a phone: nothing scrolls sideways, and the details are a drawer", { at: NESTED, size: PHONE }, async (view) => {
    await view.settled();
    const sideways = () => view.page.evaluate(() => [document.documentElement, ...window.deepAll(".scroller, .panel, .start, .body")].filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0).map((element) => `${element.className || element.localName}: ${element.scrollWidth} > ${element.clientWidth}`));
    assert.deepEqual(await sideways(), []);
    assert.equal(await view.there(".side"), false);
    await view.click(".toggle");
    await view.until("the drawer", () => window.deep(".side").getClientRects().length > 0);
    assert.deepEqual(await sideways(), []);
    const box = await view.page.evaluate(() => { const { left, right } = window.deep(".side").getBoundingClientRect(); return [left, right]; });
    assert.ok(box[0] >= 0 && box[1] <= 391, box.join());
    for (const panel of ["folds", "problems", "file", "plan"]) {
      await view.panel(panel);
      assert.deepEqual(await sideways(), [], panel);
    }
    await view.click(".close");
    await view.until("no drawer", () => window.deep(".side").getClientRects().length === 0);
    await view.click(".folds button:nth-child(2)");
    await view.until("the fold", () => window.deep(".path") !== null);
    assert.deepEqual(await sideways(), []);
    await view.open({ "wide.json": [{ role: "user", content: `${"x".repeat(3_000)}\n\n| ${"wide ".repeat(60)} | b |\n|---|---|\n| c | d |\n\n\`\`\`\n${"code ".repeat(200)}\n\`\`\`` }] });
    assert.deepEqual(await sideways(), []);
    await view.visit("");
    assert.deepEqual(await sideways(), []);
  });

  const noMedia = isFirefox && "the driver of Firefox cannot set what the system prefers";
  drive("the dark scheme of the system is followed, and a theme overrides it", { skip: noMedia }, async (view) => {
    const ground = () => view.page.evaluate(() => getComputedStyle(window.deep("plica-viewer")).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0));
    await view.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    const light = await ground();
    await view.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    const dark = await ground();
    assert.ok(light > 600 && dark < 150, `${light}, ${dark}`);
    await view.open({ "a.json": [{ role: "user", content: "dark" }] });
    await view.page.evaluate(() => document.querySelector("plica-viewer").setAttribute("theme", "light"));
    assert.equal(await ground(), light);
    const row = await view.page.evaluate(() => getComputedStyle(window.deep(".prose p")).color);
    await view.page.evaluate(() => document.querySelector("plica-viewer").setAttribute("theme", "dark"));
    assert.notEqual(await view.page.evaluate(() => getComputedStyle(window.deep(".prose p")).color), row);
  });

  drive("who wants no motion gets none", { at: NESTED, skip: noMedia }, async (view) => {
    await view.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await view.settled();
    const moving = await view.page.evaluate(() => window.deepAll("*").filter((element) => { const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element); return element.getClientRects().length > 0 && (transitionDuration.split(", ").some((time) => parseFloat(time) > 0) || animationName !== "none" || scrollBehavior === "smooth"); }).map((element) => element.className || element.localName));
    assert.deepEqual(moving, []);
    await view.click('[data-view="window"]');
    assert.deepEqual(await view.page.evaluate(() => document.getAnimations().map((animation) => String(animation))), []);
  });
});
