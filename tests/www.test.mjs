// The page, in a real browser: what it says against what the API says in Node, and what hostile transcripts can do to it.
// Needs puppeteer-core and a Chromium (env CHROMIUM names another one than /usr/bin/chromium); skips without.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const DIST = join(ROOT, "pkg/dist/index.js");
const EXAMPLE = join(ROOT, "examples/garden-planner.jsonl");
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const puppeteer = await import("puppeteer-core").then((m) => m.default, () => undefined);
const missing = !puppeteer ? "puppeteer-core is not installed" : !existsSync(CHROMIUM) ? `there is no browser at ${CHROMIUM}` : !existsSync(DIST) ? "pkg/dist is not built" : undefined;
if (missing) console.log(`www: skipped, ${missing}`);

describe("www", { skip: missing }, () => {
  /** @type {any} */ let plica;
  /** @type {any} */ let browser;
  /** @type {any} */ let page;
  /** @type {{ url: string, close(): void }} */ let server;
  /** Whatever must not happen. @type {string[]} */
  const complaints = [];
  const folder = mkdtempSync(join(tmpdir(), "plica-www-"));

  before(async () => {
    plica = await import(DIST);
    server = await (await import("../www/serve.mjs")).serve(0);
    browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    watch();
    await page.goto(server.url);
  });

  after(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function watch() {
    page.on("console", (message) => { if (["error", "warn"].includes(message.type())) complaints.push(`console: ${message.text()}`); });
    page.on("pageerror", (error) => complaints.push(`error: ${error}`));
    page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
    page.on("request", (sent) => { if (!sent.url().startsWith(server.url) && !/^(?:data|blob):/.test(sent.url())) complaints.push(`request: ${sent.url()}`); });
    page.on("framenavigated", (frame) => { if (frame.url() !== server.url) complaints.push(`navigation: ${frame.url()}`); });
    browser.on("targetcreated", (target) => { if (target.type() === "page") complaints.push(`window: ${target.url()}`); });
  }

  /** The page's policy forbids eval, so puppeteer's own waiting cannot be used. */
  async function until(what, fn, ...args) {
    const end = Date.now() + 60_000;
    for (;;) {
      const value = await page.evaluate(fn, ...args);
      if (value) return value;
      if (Date.now() > end) assert.fail(`waited too long for: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  const text = (selector) => page.$eval(selector, (element) => element.textContent);
  const number = async (selector) => Number((await text(selector)).replace(/\D/g, ""));
  const calm = () => assert.deepEqual(complaints, []);
  const hasDigest = () => /^[\d\u202f]+$/.test(document.getElementById("after").textContent);

  async function open(name, content) {
    const path = join(folder, name);
    writeFileSync(path, content);
    await (await page.$("#picker")).uploadFile(path);
    await until(`${name} to open`, (n) => document.getElementById("file-name").textContent === n && document.body.ariaBusy !== "true", name);
    await until("a plan", () => document.querySelector(".row[data-fate]"));
  }

  async function setSlider(value) {
    const real = await page.$eval("#slider", (slider, v) => {
      slider.value = String(v);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      document.getElementById("after").textContent = "";
      return Number(slider.value);
    }, value);
    await until("the digest", hasDigest);
    return real;
  }

  /** Fate and reason of every message, gathered while the list is scrolled. */
  async function allFates(length) {
    const found = new Map();
    for (let y = 0; found.size < length && y < length * 100; y += 600) {
      await page.evaluate((top) => scrollTo(0, top), y);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const rows = await page.$$eval(".row", (all) => all.map((r) => [r.dataset.index, r.querySelector(".fate").textContent, r.querySelector(".reason").textContent]));
      for (const [index, fate, reason] of rows) found.set(Number(index), { index: Number(index), fate, reason });
    }
    return [...found.values()].sort((a, b) => a.index - b.index);
  }

  /** What the API says. */
  function truth(bytes, options) {
    const session = plica.readSession(bytes);
    const reading = { format: session.messageFormat, provenance: (_, i) => session.provenance[i] };
    const plan = plica.plan(session.messages, { ...options, ...reading });
    const digest = plica.deterministicDigest(session.messages, plan, reading);
    const message = plica.digestMessage(digest, { format: session.messageFormat });
    const measure = plica.measure(session.messages, plan, reading);
    const tokens = plica.estimate([message], reading).total;
    return { plan, digest, measure, tokens, after: measure.prefix + measure.kept + measure.tail + tokens, rows: plica.explain(session.messages, plan, reading) };
  }

  test("the example opens, and says what is in it", async () => {
    await page.click("#example");
    await until("the example", hasDigest);
    const inspection = plica.inspectSession(readFileSync(EXAMPLE));
    const facts = await page.$eval("#facts", (list) => Object.fromEntries([...list.querySelectorAll("dt")].map((t) => [t.textContent, t.nextElementSibling.textContent.replaceAll("\u202f", "")])));
    assert.equal(facts.Kind, inspection.kind);
    assert.equal(facts["Messages in the window"], String(inspection.messages));
    assert.equal(facts.Tokens, String(inspection.tokens));
    assert.equal(facts["Tool calls"], String(inspection.calls));
    const roles = inspection.roles instanceof Map ? [...inspection.roles] : Object.entries(inspection.roles);
    for (const [role, n] of roles) assert.equal(facts[role], String(n), role);
    assert.match(await text("#lists"), /1 fold found/);
    calm();
  });

  test("the slider plans again: fates, reasons and numbers are the API's", async () => {
    const bytes = readFileSync(EXAMPLE);
    for (const wanted of [3_000, 40_000]) {
      const tailBudget = await setSlider(wanted);
      const { rows, measure, after: sum, digest, tokens } = truth(bytes, { tailBudget });
      assert.equal(await number("#before"), measure.total);
      assert.equal(await number("#after"), sum);
      assert.equal(await number('#fates [data-fate="folded"] td:nth-child(2)'), measure.foldedMessages);
      assert.equal(await number('#fates [data-fate="folded"] td:nth-child(3)'), measure.folded);
      assert.equal(await number('#fates [data-fate="digest"] td:nth-child(3)'), tokens);
      assert.equal(await text("#digest"), digest);
      assert.deepEqual(await allFates(rows.length), rows);
      assert.equal(plica.foldSession(bytes, { tailBudget }).report.tokensAfter, sum);
    }
    calm();
  });

  test("anchors and turns reach the plan", async () => {
    await page.click("#anchor-task");
    await page.click("#anchor-request");
    const tailBudget = await setSlider(5_000);
    const { rows, measure } = truth(readFileSync(EXAMPLE), { tailBudget, anchorTask: true, anchorRequest: true });
    assert.ok(measure.kept > 0);
    assert.deepEqual(await allFates(rows.length), rows);
    assert.equal(await number('#fates [data-fate="kept"] td:nth-child(3)'), measure.kept);
    await page.click("#anchor-task");
    await page.click("#anchor-request");
    calm();
  });

  test("a budget that keeps everything folds nothing, and says so", async () => {
    await page.$eval("#budget", (input) => {
      input.value = "99999999";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await until("the note", () => document.getElementById("note").textContent.startsWith("Nothing folds"));
    assert.ok(await page.$eval("#check", (button) => button.disabled));
    assert.equal(await number("#after"), await number("#before"));
    calm();
  });

  test("the fold is saved as the API makes it, and unfolds exactly", async () => {
    const client = await page.createCDPSession();
    await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
    const tailBudget = await setSlider(20_000);
    const folded = plica.foldSession(readFileSync(EXAMPLE), { tailBudget });
    for (const [what, name] of [["conversation", "garden-planner.folded.json"], ["ledger", "garden-planner.ledger.json"]]) {
      await page.click(`#save-${what}`);
      const path = join(folder, name);
      for (let i = 0; i < 200 && !existsSync(path); i++) await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(readFileSync(path, "utf8"), folded[what]);
    }
    await page.click("#check");
    await until("the check", () => document.getElementById("result").dataset.mood === "good");
    assert.match(await text("#result"), /unfolds exactly/);
    calm();
  });

  test("keys move through the list and open a message", async () => {
    await until("the first row", () => {
      scrollTo(0, 0);
      document.querySelector('.row[data-index="0"] .line')?.focus();
      return document.activeElement.closest(".row")?.dataset.index === "0";
    });
    const active = () => page.evaluate(() => document.activeElement.closest(".row")?.dataset.index);
    await page.keyboard.press("ArrowDown");
    assert.equal(await active(), "1");
    await page.keyboard.press("Enter");
    await until("the body", () => document.querySelector('.row[data-index="1"] .part'));
    assert.equal(await page.$eval('.row[data-index="1"] .line', (line) => line.ariaExpanded), "true");
    await page.keyboard.press("End");
    assert.equal(await active(), "325");
    await page.keyboard.press("ArrowUp");
    assert.equal(await active(), "324");
    await page.keyboard.press("Home");
    assert.equal(await active(), "0");
    assert.equal(await page.$$eval('.line[tabindex="0"]', (all) => all.length), 1);
    calm();
  });

  test("controls have names", async () => {
    const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, input, canvas, [role=list], [role=region]")]
      .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map((e) => e.outerHTML));
    assert.deepEqual(unnamed, []);
  });

  test("a hostile transcript is text", async () => {
    const evil = `x" onmouseover="alert(1)`;
    const tag = `<img src=x onerror="alert(2)">`;
    const messages = [
      { role: "user", content: "<script>top.location='http://example.invalid/'</script><svg onload=alert(3)>" },
      { role: "assistant", content: "", tool_calls: [{ id: evil, type: "function", function: { name: tag, arguments: `{"a":"</pre><b>bold</b>"}` } }] },
      { role: "tool<b>", content: "[link](javascript:alert(4)) <a href='javascript:alert(5)'>x</a> <iframe src=//example.invalid></iframe>", tool_call_id: evil },
      { role: "user", content: [
        { type: "image_url", image_url: { url: "http://example.invalid/pixel.png" } },
        { type: "image_url", image_url: { url: "data:image/svg+xml;base64,PHN2Zy8+" } },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}" onerror="alert(6)` } },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
      ] },
      { role: "user", content: "safe\u202Egnp.exe \u001b[31mred\u001b[0m \u2066iso\u2069 zero\u200bwidth \u{e0041}\u{e0042} bell\u0007" },
      { role: "user", content: "\u202Ea".repeat(900) },
      { role: "assistant", content: "__proto__ constructor ${alert(7)} {{alert(8)}}" },
    ];
    await open(`<img src=x onerror=alert(9)>.json`, JSON.stringify(messages));
    for (const line of await page.$$(".row .line")) await line.evaluate((element) => element.click());
    await until("all bodies", (n) => document.querySelectorAll(".row .body .part").length >= n, messages.length);
    await page.$$eval(".row *", (all) => all.forEach((e) => e.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }))));
    const found = await page.evaluate(() => ({
      scripts: document.querySelectorAll("body script, iframe, object, embed, #rows a, #rows b, #rows svg, #rows pre").length,
      handlers: [...document.querySelectorAll("*")].flatMap((e) => e.getAttributeNames()).filter((name) => name.startsWith("on")),
      images: [...document.querySelectorAll("img")].map((image) => image.src),
      marks: [...document.querySelectorAll('.row[data-index="4"] .body .ctl')].map((mark) => mark.textContent),
      many: document.querySelectorAll('.row[data-index="5"] *').length,
      text: document.getElementById("rows").textContent,
      raw: /[\u202a-\u202e\u2066-\u2069\u001b\u0007]/.test(document.body.textContent),
    }));
    assert.equal(found.scripts, 0);
    assert.deepEqual(found.handlers, []);
    assert.deepEqual(found.images, [`data:image/png;base64,${PNG}`]);
    assert.deepEqual(found.marks, ["U+202E", "␛[31m", "␛[0m", "U+2066", "U+2069", "U+200B", "U+E0041 U+E0042", "␇"]);
    assert.ok(found.many < 300, `${found.many} elements for one message`);
    assert.equal(found.raw, false);
    for (const part of ["<script>top.location", tag, evil, "tool<b>", "</pre><b>bold", "javascript:alert(4)", "http://example.invalid/pixel.png"]) assert.ok(found.text.includes(part), part);
    calm();
  });

  test("results that are no text are shown whole", async () => {
    await open("rows.json", JSON.stringify([
      { role: "assistant", content: [{ type: "tool_use", id: "i1", name: "shot", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "i1", content: [
        { type: "text", text: "saved" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        { name: "row", n: 1 },
      ] }] },
    ]));
    await page.click('.row[data-index="1"] .line');
    await until("the picture", () => document.querySelector("#rows img")?.naturalWidth === 1);
    const all = await text("#rows");
    assert.ok(all.includes("saved") && all.includes('{"name":"row","n":1}'));
    assert.ok(!/\[object Object\]|undefined/.test(all));
    calm();
  });

  test("plain messages as JSONL, with a broken line", async () => {
    const lines = [{ role: "user", content: "one" }, { role: "assistant", content: "two" }].map((m) => JSON.stringify(m));
    await open("plain.jsonl", `${lines[0]}\n{"role": broken\n${lines[1]}\n`);
    assert.match(await text("#lists"), /1 problem.*line 2/s);
    calm();
  });

  test("what is no session is refused in words, and what was open stays", async () => {
    const path = join(folder, "none.json");
    writeFileSync(path, "\u0000\u0001 nothing");
    await (await page.$("#picker")).uploadFile(path);
    await until("the refusal", () => !document.getElementById("alert").hidden);
    assert.match(await text("#alert"), /none\.json could not be opened/);
    assert.equal(await text("#file-name"), "plain.jsonl");
    calm();
  });

  test("10 000 messages and one of 5 MB stay fluent", async () => {
    const messages = Array.from({ length: 10_000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `message ${i} `.padEnd(2_000, "lorem ipsum ") }));
    messages[10].content = `long ${"y".repeat(5_000_000)}`;
    const began = Date.now();
    await open("large.jsonl", messages.map((m) => JSON.stringify(m)).join("\n"));
    const opened = Date.now() - began;
    await page.click('.row[data-index="10"] .line');
    await until("the long one", () => document.querySelector('.row[data-index="10"] .text'));
    assert.equal(await page.$eval('.row[data-index="10"] .text', (e) => e.textContent.length), 2_000);
    await page.$eval('.row[data-index="10"] .more', (button) => button.click());
    await until("more of it", () => document.querySelector('.row[data-index="10"] .text').textContent.length === 52_000);
    // The page may still grow by what was opened: scroll until it is the end.
    await until("the last message", () => {
      scrollTo(0, document.documentElement.scrollHeight);
      return document.querySelector('.row[data-index="9999"]')?.getBoundingClientRect().bottom <= innerHeight;
    });
    assert.match(await text('.row[data-index="9999"] .words'), /^message 9999/);
    const nodes = await page.evaluate(() => {
      const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
      let n = 0;
      while (walker.nextNode()) n++;
      return n;
    });
    assert.ok(nodes < 5_000, `${nodes} nodes`);
    const longest = await page.evaluate(async () => {
      let worst = 0;
      for (let i = 0; i < 60; i++) {
        const start = performance.now();
        scrollBy(0, -7_000);
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        worst = Math.max(worst, performance.now() - start);
      }
      return worst;
    });
    console.log(`www: 25 MB opened in ${opened} ms, ${nodes} nodes, slowest of 60 scrolled frames ${Math.round(longest)} ms`);
    assert.ok(longest < 1_000, `a frame took ${longest} ms`);
    calm();
  });

  test("phone width has no sideways scroll", async () => {
    await page.setViewport({ width: 360, height: 740 });
    await until("a layout", () => document.documentElement.scrollWidth <= innerWidth && innerWidth === 360);
    calm();
  });

  test("the server serves three folders and nothing else", async () => {
    const get = (path, method = "GET") => new Promise((resolve, reject) => {
      request(new URL(server.url), { path, method }, (answer) => { answer.resume(); resolve([answer.statusCode, answer.headers["content-type"]]); }).on("error", reject).end();
    });
    assert.deepEqual(await get("/"), [200, "text/html; charset=utf-8"]);
    assert.deepEqual(await get("/plica/plica.wasm"), [200, "application/wasm"]);
    assert.deepEqual(await get("/examples/garden-planner.jsonl"), [200, "application/jsonl"]);
    const closed = ["/../package.json", "/%2e%2e/package.json", "/plica/../../package.json", "/plica/..%2f..%2fpackage.json", "/examples/..%5c..%5cCargo.toml",
      "/.git/config", "/plica/", "/plica", "/examples", "//etc/passwd", "/%00", "/%", "/serve.mjs", "/constructor/x.js", "/__proto__/x.js"];
    for (const path of closed) assert.equal((await get(path))[0], 404, path);
    assert.equal((await get("/", "POST"))[0], 405);
  });
});
