// The viewer in a browser, for its tests: built once a process, served as it is installed, driven as by a user.
//
//   inBrowsers("opening", ({ drive, browser }) => {
//     drive("a file opens", { at: "?url=…", size, allowed }, async (view) => { await view.open({ "notes.json": bytes }); … });
//   });
//
// A drive has a page of its own. After it nothing may have gone wrong there: no error, no dialog, no window, no request to
// elsewhere, no violation of the policy.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BROWSERS, openPage } from "./browsers.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILT = join(ROOT, "pkg/dist/index.js");
const missing = !existsSync(BUILT) ? "pkg/dist is not built" : undefined;

export const PHONE = { width: 390, height: 844 };
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkqM9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The package, as the page uses it. */
export const plica = missing ? undefined : await import(pathToFileURL(BUILT).href);

let site;

/** The viewer's folder as a package has it, in a place of its own: `serve.mjs` beside `dist/`. */
async function made() {
  const folder = mkdtempSync(join(tmpdir(), "plica-view-"));
  const dist = join(folder, "dist");
  const { build } = await import("../../www/build.mjs");
  await build({ out: dist });
  copyFileSync(join(ROOT, "www/serve.mjs"), join(folder, "serve.mjs"));
  mkdirSync(join(dist, "made"));
  const { serve } = await import(pathToFileURL(join(folder, "serve.mjs")).href);
  const server = await serve();
  return {
    folder, dist, serve,
    /** Address of the page, with a slash at its end. */
    url: server.url,
    /** Puts a file beside the page, and gives its address for `?url=`. */
    put(name, bytes) {
      writeFileSync(join(dist, "made", name), typeof bytes === "string" || bytes instanceof Uint8Array ? bytes : JSON.stringify(bytes));
      return `made/${name}`;
    },
    close() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The site; made when it is first asked for. */
export const theSite = () => (site ??= made());
if (!missing) after(async () => (await site)?.close());

/** The same tests in every browser. */
export function inBrowsers(about, define) {
  for (const { name, missing: lacks, launch } of BROWSERS) {
    const why = missing ?? lacks;
    if (why) console.log(`# viewer, ${about}: skipped in ${name}, ${why}`);
    describe(`viewer, ${about}, ${name}`, { skip: why }, () => {
      let browser;
      before(async () => {
        await theSite();
        browser = await launch();
      });
      after(() => browser?.close());
      const drive = (what, options, body) => test(what, { skip: options.skip }, async (t) => {
        const { at = "", size, allowed = [], started } = options;
        const { url } = await theSite();
        const view = drivers(await openPage(browser, url, size), { name, browser, url });
        t.after(() => view.page.close().catch(() => undefined));
        await view.page.evaluateOnNewDocument(listening);
        await started?.(view);
        if (at !== null) await view.visit(at);
        await body(view, t);
        view.complaints.push(...(await view.page.evaluate(() => (window.violations ?? []).map((what) => `policy: ${what}`))));
        assert.deepEqual(view.complaints.filter((complaint) => !allowed.some((pattern) => pattern.test(complaint))), []);
      });
      define({ name, drive, browser: () => browser, isFirefox: name === "firefox" });
    });
  }
}

/** In the page: what the element told. */
function listening() {
  window.told = [];
  for (const type of ["plica-open", "plica-error", "plica-select"]) addEventListener(type, (event) => window.told.push([type, event.detail]), true);
}

/** Numbers of the page, without the thin spaces between their groups. */
export const number = (text) => Number(text.replace(/[^\d.-]/g, ""));

/** A number as the page writes it, read with any white space as a space. */
export const count = (value) => new Intl.NumberFormat("en").format(value).replaceAll(",", " ");

/** What a user does, on top of the tools for any page. */
function drivers(tools, { name, browser, url }) {
  const { page, until, click, text } = tools;
  const view = { ...tools, name, browser, url };
  const files = mkdtempSync(join(tmpdir(), "plica-files-"));
  page.once("close", () => rmSync(files, { recursive: true, force: true }));

  view.visit = async (at = "") => {
    await page.goto(new URL(at, url).href);
    await until("the element", () => window.deep("plica-viewer")?.shadowRoot?.querySelector("[data-open]") != null);
  };
  /** Gives files to the file input: names and what is in them. */
  view.give = async (contents) => {
    const paths = Object.entries(contents).map(([file, bytes]) => {
      const path = join(files, file);
      writeFileSync(path, typeof bytes === "string" || bytes instanceof Uint8Array ? bytes : JSON.stringify(bytes));
      return path;
    });
    const input = (await page.evaluateHandle(() => window.deep('input[type="file"]'))).asElement();
    await input.uploadFile(...paths);
  };
  view.count = (type) => page.evaluate((t) => window.told.filter(([told]) => told === t).length, type);
  /** Does something, and waits until the element tells of it. */
  view.expecting = async (type, act) => {
    const before = await view.count(type);
    await act();
    await until(type, (t, n) => window.told.filter(([told]) => told === t).length > n, type, before);
    return page.evaluate((t) => window.told.filter(([told]) => told === t).at(-1)[1], type);
  };
  /** Opens files by the file input, and waits for their messages. */
  view.open = async (contents) => {
    const told = await view.expecting("plica-open", () => view.give(contents));
    await view.settled();
    return told;
  };
  /** Waits until messages and plan are there. */
  view.settled = () => until("messages and a plan", () => {
    const rows = window.deepAll(".scroller .row");
    const none = window.deep(".scroller .empty");
    return none !== null || (rows.length > 0 && window.deepAll(".skeleton").length === 0 && window.deep(".headline[data-before]") !== null);
  });
  /** Waits until the digest of the plan is there. */
  view.planned = () => until("a digest", () => window.deep("[data-after]") !== null || /stay/.test(window.textOf(window.deep(".headline"))));
  view.panel = async (panel) => {
    await click(`[data-panel="${panel}"]`);
    await until(`panel ${panel}`, (p) => window.deep(`[data-panel="${p}"]`)?.getAttribute("aria-selected") === "true", panel);
  };
  view.panelText = () => text('[role="tabpanel"]');
  view.look = async (kind) => {
    await click(`[data-view="${kind}"]`);
    await until(kind, (k) => window.deep(`[data-view="${k}"]`).getAttribute("aria-pressed") === "true" && window.deep(".scroller .row") !== null, kind);
  };
  view.focused = () => page.evaluate(() => {
    const at = window.focused();
    return { tag: at.localName, text: window.textOf(at).slice(0, 80), label: at.getAttribute("aria-label") ?? "", item: at.closest(".row")?.dataset.item, id: at.id, classes: at.className };
  });
  /** The row of a message (by its number, from 0), once it is drawn. */
  view.row = (item) => `.scroller [data-item="${item}"]`;
  view.rowText = async (item) => {
    await until(`message ${item + 1}`, (i) => { const row = window.deep(`.scroller [data-item="${i}"]`); return row && !row.querySelector(".skeleton"); }, item);
    return text(view.row(item));
  };
  /** Types the number of a message into the jump box. */
  view.jump = async (item) => {
    await click("#jump");
    await page.keyboard.down("Control");
    await page.keyboard.press("a");
    await page.keyboard.up("Control");
    await page.keyboard.type(String(item + 1));
    await page.keyboard.press("Enter");
    await until(`message ${item + 1} on the screen`, (i) => {
      const row = window.deep(`.scroller [data-item="${i}"]`);
      const scroller = row?.closest(".scroller");
      if (!row || row.querySelector(".skeleton")) return false;
      const [a, b] = [row.getBoundingClientRect(), scroller.getBoundingClientRect()];
      return a.bottom > b.top && a.top < b.bottom;
    }, item);
  };
  /** Everything that a list shows, gathered as it is scrolled through: for each message its number, fate, reason and words. */
  view.gather = (selector = "plica-messages") => page.evaluate(async (s) => {
    const list = window.deep(s);
    const scroller = list.shadowRoot.querySelector(".scroller");
    const found = new Map();
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const before = scroller.scrollTop;
    scroller.scrollTop = 0;
    for (let turns = 0; turns < 4_000; turns++) {
      for (let tries = 0; tries < 300; tries++) {
        await frame();
        if (scroller.querySelectorAll(".skeleton").length === 0) break;
      }
      for (const row of scroller.querySelectorAll(".row")) {
        if (row.querySelector(".skeleton")) continue;
        const word = (part) => window.textOf(row.querySelector(part));
        found.set(Number(row.dataset.index), { item: Number(row.dataset.item), role: word(".role"), fate: word(".fate-name"), reason: word(".why"), text: word(".parts"), tokens: word(".tokens") });
      }
      const size = Number(scroller.querySelector(".row")?.getAttribute("aria-setsize") ?? 0);
      if (found.size >= size && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2) break;
      scroller.scrollTop += scroller.clientHeight * 0.8;
    }
    scroller.scrollTop = before;
    return [...found].sort(([a], [b]) => a - b).map(([, row]) => row);
  }, selector);
  view.alert = () => text(".alert span");
  return view;
}
