// Real browsers for tests of pages. Queries go through shadow roots; a page's policy forbids eval, so waiting is done from outside.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FIREFOX = process.env.FIREFOX ?? ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => existsSync(path)) ?? "/usr/bin/firefox";
const puppeteer = await import("puppeteer-core").then((m) => m.default, () => undefined);

/** The browsers by name: how each is started, or why it cannot be. */
export const BROWSERS = [
  { name: "chromium", path: CHROMIUM, options: { browser: "chrome", args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] } },
  { name: "firefox", path: FIREFOX, options: { browser: "firefox" } },
].map(({ name, path, options }) => ({
  name,
  missing: !puppeteer ? "puppeteer-core is not installed" : existsSync(path) ? undefined : `there is no browser at ${path}`,
  launch: () => puppeteer.launch({ executablePath: path, headless: true, protocolTimeout: 180_000, ...options }),
}));

/** Queries through shadow roots, for code in the page: `deep(selector)`, `deepAll(selector)`, `textOf(element)`. */
function queries() {
  const roots = (root, found = [root]) => {
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) { found.push(element.shadowRoot); roots(element.shadowRoot, found); }
    return found;
  };
  window.deepAll = (selector) => roots(document).flatMap((root) => [...root.querySelectorAll(selector)]);
  window.deep = (selector) => window.deepAll(selector)[0] ?? null;
  window.focused = () => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at; };
  /** What a reader sees of an element, shadow roots and all. */
  window.textOf = (element) => {
    if (element === null) return "";
    const walk = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data;
      if (node.nodeType === Node.COMMENT_NODE || ["STYLE", "SCRIPT", "NOSCRIPT", "TEMPLATE"].includes(node.nodeName)) return "";
      return [...(node.shadowRoot ?? node).childNodes].map(walk).join("");
    };
    return walk(element).replace(/\s+/g, " ").trim();
  };
}

/** A page that notes whatever must not happen: errors, dialogs, requests to elsewhere, violations of the policy. */
export async function openPage(browser, origin, size = { width: 1360, height: 900 }) {
  const page = await browser.newPage();
  await page.setViewport(size);
  await page.evaluateOnNewDocument(queries);
  await page.evaluateOnNewDocument(() => {
    window.violations = [];
    addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`));
  });
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => { if (["error", "warn", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => complaints.push(`error: ${error}`));
  page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on("request", (sent) => { if (!sent.url().startsWith(origin) && !/^(?:data|blob|about):/.test(sent.url())) complaints.push(`request: ${sent.url()}`); });
  page.on("popup", (popup) => complaints.push(`window: ${popup?.url()}`));
  return { page, complaints, ...tools(page) };
}

/** Clicks that may miss what they are meant for, before a test fails. */
const MOST_CLICKS = 5;

/** In the page: the middle of an element, once it stands still and nothing covers it; notes where the next click lands. */
async function standing(selector) {
  // A page behind another one draws no frames.
  const frame = () => new Promise((done) => { requestAnimationFrame(() => done()); setTimeout(done, 100); });
  const inside = (element, node) => { for (let at = node; at; at = at.parentNode ?? at.host) if (at === element) return true; return false; };
  const under = (x, y) => {
    for (let root = document, at = null; ; root = at.shadowRoot) {
      const next = root.elementFromPoint(x, y);
      if (next === null || next === at) return at;
      at = next;
      if (!at.shadowRoot) return at;
    }
  };
  let [still, last] = [0, ""];
  let middle = { x: 0, y: 0 };
  // A second of frames at most: what never stands still or is covered is clicked all the same, as a user would.
  for (let frames = 0; frames < 60 && still < 3; frames++) {
    const element = window.deep(selector);
    element?.scrollIntoView({ block: "nearest" });
    await frame();
    if (!element?.isConnected) continue;
    const { x, y, width, height } = element.getBoundingClientRect();
    middle = { x: x + width / 2, y: y + height / 2 };
    const now = [x, y, width, height].join();
    still = now === last && inside(element, under(middle.x, middle.y)) ? still + 1 : 0;
    last = now;
  }
  const target = window.deep(selector);
  window.landing = new Promise((done) => {
    const name = (node) => `${node.localName ?? node.nodeName} ${node.className ?? ""}`.trim();
    addEventListener("click", (event) => { const path = event.composedPath(); done(path.includes(target) ? "target" : name(path[0])); }, { capture: true, once: true });
    setTimeout(() => done("nowhere"), 2_000);
  });
  return middle;
}

function tools(page) {
  /** Waits until a function in the page gives something; no elements, they cannot be brought out of it. */
  async function until(what, fn, ...args) {
    const end = Date.now() + 60_000;
    for (;;) {
      const value = await page.evaluate(fn, ...args).catch((error) => (/context|navigat/i.test(String(error)) ? undefined : Promise.reject(error)));
      if (value) return value;
      if (Date.now() > end) assert.fail(`waited too long for: ${what}; the page says: ${await page.evaluate(() => window.textOf(document.body).slice(0, 600))}`);
      await new Promise((done) => setTimeout(done, 30));
    }
  }
  const text = (selector) => page.evaluate((s) => window.textOf(window.deep(s)), selector);
  const texts = (selector) => page.evaluate((s) => window.deepAll(s).map((element) => window.textOf(element)), selector);
  const there = (selector) => page.evaluate((s) => window.deepAll(s).some((element) => element.getClientRects().length > 0), selector);
  /**
   * Clicks with the mouse, where a user would: on what stands still and is not covered. Firefox hands a click to its compositor,
   * which may lag behind the page on a busy machine, so that the click meets what stood there before: then once more.
   */
  async function click(selector) {
    await until(`${selector} to be there`, (s) => window.deep(s) !== null, selector);
    const met = [];
    for (let tries = 0; tries < MOST_CLICKS; tries++) {
      const { x, y } = await page.evaluate(standing, selector);
      await page.mouse.click(x, y);
      const where = await page.evaluate(() => window.landing).catch(() => undefined);
      // A click may lead to another page, which knows of no click.
      if (where === undefined || where === "target") return;
      console.log(`# a click on ${selector} met ${where}`);
      met.push(where);
    }
    assert.fail(`clicks on ${selector} went elsewhere: ${met.join(", ")}`);
  }
  async function setValue(selector, value) {
    await page.evaluate((s, v) => {
      const input = window.deep(s);
      input.value = v;
      input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      input.dispatchEvent(new Event("change", { bubbles: true, composed: true }));
    }, selector, String(value));
  }
  return { until, text, texts, there, click, setValue };
}
