// The viewer and transcripts that mean harm, its server, the element in other pages, and the command that starts it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PNG, ROOT, inBrowsers, plica, theSite } from "./support/viewer.mjs";

const TAG = "<img src=x onerror=\"document.title='RAN'\">";
const QUOTED = "x\" onmouseover=\"document.title='RAN'";
const HIDDEN = "safe\u202Egnp.exe \u001b[31mred\u001b[0m \u2066iso\u2069 zero\u200bwidth \u{e0041}\u{e0042} bell\u0007";
const RAW = /[\u202a-\u202e\u2066-\u2069\u001b\u0007\u200b]|[\u{e0000}-\u{e007f}]/u;

/** Messages in which every place that may hold a text holds a hostile one. */
const evil = () => [
  { role: "user", content: "<script>document.title='RAN';top.location='http://example.invalid/'</script><svg onload=\"document.title='RAN'\"></svg><iframe src=\"//example.invalid\"></iframe> findme" },
  { role: "assistant", content: "[a](javascript:document.title='RAN') [b](data:text/html,<script>alert(1)</script>) [c](vbscript:x) <a href=\"javascript:alert(1)\">d</a> ![e](http://example.invalid/track.png) <style>*{display:none}</style><form action=//example.invalid><button id=plica>f</button></form> findme" },
  { role: "assistant", content: "", tool_calls: [{ id: QUOTED, type: "function", function: { name: TAG, arguments: JSON.stringify({ "</pre><b>key": `${TAG} findme`, __proto__x: HIDDEN }) } }] },
  { role: "tool", content: `${TAG} ${HIDDEN} findme`, tool_call_id: QUOTED },
  { role: TAG, content: "a role that is a tag, findme" },
  { role: "user", content: [
    { type: "image_url", image_url: { url: "http://example.invalid/pixel.png" } },
    { type: "image_url", image_url: { url: "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+" } },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}" onerror="document.title='RAN'` } },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
  ] },
  { role: "user", content: `${HIDDEN} findme` },
  { role: "assistant", content: "```html\n<script>document.title='RAN'</script>\n```\n`<img src=x>` __proto__ ${alert(7)} {{alert(8)}} <!-- --> ]]> findme" },
];

/** What a page must never hold, wherever in it. */
const harm = (view) => view.page.evaluate(() => {
  const all = window.deepAll("*");
  return {
    title: document.title === "RAN",
    elements: all.filter((element) => ["script", "iframe", "object", "embed", "form", "style", "base", "meta"].includes(element.localName) && !element.matches('form[role="search"], form[method="dialog"], head *') && element.getRootNode() !== document && element.textContent !== "" && !(element.localName === "style")).map((element) => element.outerHTML.slice(0, 100)),
    handlers: all.flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith("on"))),
    images: [...new Set(all.filter((element) => element.localName === "img").map((image) => image.src))],
    links: all.filter((element) => element.localName === "a" && element.href && !/^https?:/.test(element.href)).map((element) => element.href),
    raw: all.flatMap((element) => [...element.attributes].map(({ name, value }) => `${name}=${value}`)),
  };
});

async function calm(view, where) {
  const { raw, images, ...found } = await harm(view);
  assert.deepEqual(found, { title: false, elements: [], handlers: [], links: [] }, where);
  assert.ok(images.every((src) => src.startsWith("data:image/png;base64,")), `${where}: ${images}`);
  assert.deepEqual(raw.filter((attribute) => RAW.test(attribute) && !attribute.startsWith("href=")), [], `${where}: attributes`);
  const words = await view.page.evaluate(() => window.textOf(document.body));
  assert.doesNotMatch(words, RAW, where);
  return words;
}

inBrowsers("safety", ({ drive }) => {
  drive("a hostile session is text: list, parts, search, titles", {}, async (view) => {
    const name = "<img src=x onerror=alert(9)>\u202Egpj.json";
    await view.open({ [name.replaceAll("/", "")]: evil() });
    await view.page.evaluate(() => window.deepAll('.opener[aria-expanded="false"]').forEach((opener) => opener.click()));
    await view.until("all inside", () => window.deepAll(".opener").length > 1 && window.deepAll('.opener[aria-expanded="false"]').length === 0);
    await view.page.evaluate(() => window.deepAll(".row *").forEach((element) => element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true, composed: true }))));
    const seen = (await view.gather()).map(({ role, text }) => `${role} ${text}`).join("\n");
    for (const part of ["<script>document.title='RAN'", "<svg onload", "javascript:document.title='RAN'", "data:text/html", "http://example.invalid/pixel.png", "e example.invalid", "<style>*{display:none}</style>", "U+202E", "U+200B", "␛[31m", "U+E0041", "␇", TAG.slice(0, 12), "</pre><b>key", "${alert(7)}"]) assert.ok(seen.includes(part), `${part} is not to be seen in ${seen}`);
    const words = await calm(view, "the list");
    assert.ok(words.includes("<img src=x onerror=alert(9)>"));
    assert.doesNotMatch(await view.page.title(), RAW);
    for (const panel of ["problems", "file", "plan"]) {
      await view.panel(panel);
      await view.until("the panel", () => !/Checking|Planning/.test(window.textOf(window.deep("#panel"))));
      await calm(view, panel);
    }
    await view.page.evaluate(() => window.deep("#search").focus());
    await view.page.keyboard.type("findme");
    await view.until("hits", () => /^[1-9]\d* \w+ found$/.test(window.textOf(window.deep('[role="tabpanel"] [role="status"]'))));
    assert.ok((await view.texts(".entry")).length >= 7);
    await calm(view, "search");
    const strip = await view.page.evaluate(() => { const { x, y, width, height } = window.deep(".strip").getBoundingClientRect(); return { x, y, width, height }; });
    await view.page.mouse.move(strip.x + strip.width * (4.5 / 8), strip.y + 20);
    await view.until("the tip", () => window.deep(".tip") !== null);
    await calm(view, "tip");
  });

  drive("hostile ledgers, digests and memories are text", {}, async (view) => {
    const said = Array.from({ length: 30 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `entry ${i} ${TAG} ${"soil ".repeat(20)}` }));
    const transcript = new plica.Transcript({ format: "openai-chat", messages: said });
    if (transcript.messages().length === 0) transcript.append(said);
    const plan = transcript.plan({ tailBudget: 200 });
    transcript.commit(plan, plica.digestMessage(`GOAL: ${TAG} ${HIDDEN} [x](javascript:alert(1))`, { format: "openai-chat" }), { outcome: "model", reason: `${TAG}${HIDDEN}`, model: `${TAG}${HIDDEN}` });
    const ledger = JSON.parse(JSON.stringify(transcript.ledger));
    await view.open({ "evil.json": JSON.stringify(transcript.messages()), "evil.ledger.json": JSON.stringify(ledger) });
    transcript.free();
    assert.match(await view.text(".file"), /1 fold,/);
    await view.panel("folds");
    await calm(view, "folds");
    await view.click('[data-fold="0"]');
    await view.until("the fold", () => window.deep(".path") !== null && /GOAL/.test(window.textOf(window.deep('[aria-label="Digest"]'))));
    const words = await calm(view, "fold view");
    assert.ok(words.includes(TAG.slice(0, 12)) && words.includes("U+202E"));
    const facts = [{ key: TAG, value: `${TAG}${HIDDEN}`, importance: 5, agent_id: `${TAG}\u202E`, kind: TAG }, ...Array.from({ length: 30 }, (_, i) => ({ key: `k${i}`, value: "v", importance: 5, agent_id: "b", kind: "observation" }))];
    await view.open({ "memory.json": { messages: [{ role: "user", content: "x" }], facts, folded: [{ summaryFingerprint: "x", model: TAG, runId: TAG, messageCount: 1, removedStageIds: [], retained: "discard", iteration: 1, foldedAtMs: 1e99 }] } });
    await view.panel("memory");
    await calm(view, "memory");
    const branch = (uuid, text) => JSON.stringify({ type: "user", uuid, parentUuid: uuid === TAG ? null : TAG, sessionId: TAG, isSidechain: false, message: { role: "user", content: text } });
    await view.open({ "branches.jsonl": `${branch(TAG, "root")}\n${branch(`${TAG}1`, "one")}\n${branch(`${TAG}2`, "two")}\n{"broken": ${HIDDEN}\n` });
    for (const panel of ["file", "problems"]) {
      await view.panel(panel);
      await calm(view, panel);
    }
  });

  drive("a remote picture and a link are left to the reader", {}, async (view) => {
    await view.open({ "links.json": [{ role: "user", content: "[guide](https://example.invalid/a) ![p](https://example.invalid/p.png)" }, { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.invalid/far.png" } }] }] });
    const links = await view.page.evaluate(() => window.deepAll("article a").map((a) => [a.target, a.rel.split(" ").sort().join(" "), a.protocol]));
    assert.ok(links.length >= 2);
    for (const link of links) assert.deepEqual(link, ["_blank", "noopener noreferrer", "https:"]);
  });

  // ------------------------------------------------------------------------------------------------------- the element elsewhere

  /** A page of somebody else, beside the viewer's files. */
  const page = async (name, { policy, body, script = "" }) => {
    const { dist } = await theSite();
    mkdirSync(join(dist, "pages"), { recursive: true });
    writeFileSync(join(dist, "pages", `${name}.js`), script);
    writeFileSync(join(dist, "pages", `${name}.html`), `<!doctype html><html lang="en"><meta charset="utf-8">${policy ? `<meta http-equiv="Content-Security-Policy" content="${policy}">` : ""}<title>${name}</title><link rel="icon" href="data:,"><body>${body}<script type="module" src="./${name}.js"></script>`);
    return join(dist, "pages");
  };

  drive("two in a page without a policy: each its own file, its own events, what open() takes", { at: null }, async (view) => {
    await page("plain", { body: '<plica-viewer id="a" style="height:400px"></plica-viewer><plica-viewer id="b" style="height:400px"></plica-viewer>', script: 'import "../viewer.js";' });
    const { dist } = await theSite();
    // Without the headers of the viewer's own server.
    const types = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
    const other = createServer(({ url }, answer) => {
      try {
        const path = new URL(url, "http://x").pathname;
        const bytes = readFileSync(join(dist, path));
        answer.writeHead(200, { "Content-Type": types[path.split(".").at(-1)] ?? "application/octet-stream" }).end(bytes);
      } catch { answer.writeHead(404).end(); }
    });
    await new Promise((done) => other.listen(0, "127.0.0.1", done));
    try {
      const origin = `http://127.0.0.1:${other.address().port}/`;
      await view.page.goto(`${origin}pages/plain.html`);
      view.complaints.length = 0;
      await view.until("the elements", () => document.getElementById("b")?.shadowRoot?.querySelector("[data-open]") != null);
      const names = () => view.page.evaluate(() => ["a", "b"].map((id) => window.textOf(document.getElementById(id).shadowRoot.querySelector("[data-name]"))));
      const told = await view.page.evaluate(async () => {
        const [a, b] = ["a", "b"].map((id) => document.getElementById(id));
        const heard = [];
        for (const type of ["plica-open", "plica-error", "plica-select"]) for (const element of [a, b]) element.addEventListener(type, ({ detail }) => heard.push([element.id, type, detail]));
        const messages = [{ role: "user", content: "one" }, { role: "assistant", content: "two" }];
        const text = JSON.stringify(messages);
        await a.open(messages, { name: "array" });
        await b.open(text, { name: "text" });
        await a.open(new TextEncoder().encode(text), { name: "bytes" });
        await a.open(new Blob([text]), { name: "blob" });
        await a.open(new File([text], "file.json"));
        const refused = await b.open("nothing").then(() => undefined, (error) => ({ code: error.code, message: error.message, isError: error instanceof Error }));
        a.goTo(1);
        return { heard, refused, item: a.item, other: b.item, view: a.view };
      });
      assert.deepEqual(told.heard.filter(([, type]) => type === "plica-open").map(([id, , { name, messages }]) => `${id} ${name} ${messages}`), ["a array 2", "b text 2", "a bytes 2", "a blob 2", "a file.json 2"]);
      assert.deepEqual(told.heard.filter(([, type]) => type === "plica-error").map(([id, , detail]) => [id, detail]), [["b", { code: told.refused.code, message: told.refused.message }]]);
      assert.equal(told.refused.isError, true);
      assert.deepEqual(told.heard.findLast(([, type]) => type === "plica-select"), ["a", "plica-select", { item: 1 }]);
      assert.deepEqual([told.item, told.other, told.view], [1, 0, { kind: "session" }]);
      assert.deepEqual(await names(), ["file.json", "text"]);
      // Taken out and put back: moved at once it keeps its file; later it opens another.
      await view.page.evaluate(async () => {
        const a = document.getElementById("a");
        document.body.prepend(a);
        await new Promise((done) => setTimeout(done, 50));
        a.remove();
        await new Promise((done) => setTimeout(done, 100));
        document.body.append(a);
        await a.open([{ role: "user", content: "three" }], { name: "again" });
      });
      assert.deepEqual(await names(), ["again", "text"]);
      await view.until("its message", () => [...document.getElementById("a").shadowRoot.querySelector("plica-messages").shadowRoot.querySelectorAll(".row")].some((row) => /three/.test(window.textOf(row))));
      // Two in quick succession: the last wins.
      await view.page.evaluate(async () => {
        const a = document.getElementById("a");
        const slow = Array.from({ length: 20_000 }, (_, i) => ({ role: "user", content: `slow ${i}` }));
        await Promise.allSettled([a.open(slow, { name: "first" }), a.open([{ role: "user", content: "fast" }], { name: "second" })]);
      });
      await view.until("the second", () => /fast/.test(window.textOf(document.getElementById("a").shadowRoot.querySelector("plica-messages"))));
      assert.deepEqual(await names(), ["second", "text"]);
      // The same file in both: a text that one has drawn is not taken away by the other.
      await view.page.evaluate(() => Promise.all(["a", "b"].map((id) => document.getElementById(id).open([{ role: "user", content: "the same words" }], { name: "same" }))));
      await view.until("the same words in both", () => ["a", "b"].every((id) => /the same words/.test(window.textOf(document.getElementById(id).shadowRoot.querySelector("plica-messages")))));
      const strangers = view.complaints.filter((complaint) => !complaint.startsWith(`request: ${origin}`));
      view.complaints.length = 0;
      view.complaints.push(...strangers);
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });

  drive("in a page with a strict policy; attributes open a file", { at: null }, async (view) => {
    const { put } = await theSite();
    put("attribute.json", [{ role: "user", content: "by attribute" }]);
    await page("strict", {
      policy: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:; require-trusted-types-for 'script'; trusted-types lit-html dompurify plica-viewer plica-viewer-worker",
      body: '<plica-viewer src="../made/attribute.json"></plica-viewer>', script: 'import "../viewer.js";',
    });
    await view.page.goto(`${view.url}pages/strict.html`);
    await view.until("the message", () => /by attribute/.test(window.textOf(window.deep(".scroller"))));
    assert.equal(await view.text("[data-name]"), "attribute.json");
  });
});

// ---------------------------------------------------------------------------------------------------------- the server, the command

const skip = plica ? false : "pkg/dist is not built";

test("viewer: the server sends its own files and those it was given, on this machine, and says so in its headers", { skip }, async () => {
  const { folder, serve } = await theSite();
  const secret = join(folder, "secret.json");
  writeFileSync(secret, "[]");
  const given = join(folder, "given \u{1f331}.json");
  writeFileSync(given, '[{"role":"user","content":"x"}]');
  const server = await serve({ session: given });
  try {
    const get = (path, { method = "GET", host } = {}) => new Promise((resolve, reject) => {
      request(new URL(server.url), { path, method, ...(host === undefined ? {} : { headers: { host } }) }, (answer) => {
        let body = "";
        answer.on("data", (bytes) => { body += bytes; }).on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
      }).on("error", reject).end();
    });
    const start = await get("/");
    assert.equal(start.status, 200);
    const policy = start.headers["content-security-policy"];
    for (const part of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "form-action 'none'", "base-uri 'none'"]) assert.ok(policy.includes(part), part);
    assert.doesNotMatch(policy, /'unsafe-inline'|'unsafe-eval'|https?:/);
    assert.equal(start.headers["x-content-type-options"], "nosniff");
    assert.equal(start.headers["referrer-policy"], "no-referrer");
    for (const [path, type] of [["/viewer.js", "text/javascript"], ["/worker.js", "text/javascript"], ["/plica.wasm", "application/wasm"], ["/examples/garden-planner.jsonl", "application/jsonl"], ["/THIRD-PARTY-NOTICES.txt", "text/plain"]]) {
      const answer = await get(path, { method: "HEAD" });
      assert.equal(answer.status, 200, path);
      assert.ok(answer.headers["content-type"].startsWith(type), path);
      assert.equal(answer.body, "");
    }
    const asked = new URL(server.url).searchParams.get("url");
    const file = await get(asked);
    assert.equal(file.body, '[{"role":"user","content":"x"}]');
    assert.ok(file.headers["content-security-policy"]);
    for (const path of ["/../secret.json", "/%2e%2e/secret.json", "/examples/../../secret.json", "/examples/..%2f..%2fsecret.json", "/examples/..%5c..%5csecret.json", "/.git/config", "/examples", "/examples/", "//etc/passwd", "/%00", "/%", "/serve.mjs", "/constructor", "/__proto__/x.js", "/given/0/other.json", "/given/1/", "/given/0/../../secret.json", "/index.html/"]) assert.equal((await get(path)).status, 404, path);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) assert.equal((await get("/", { method })).status, 405, method);
    for (const host of ["example.invalid", "127.0.0.1.example.invalid", "localhost.example.invalid:80", "attacker@127.0.0.1"]) assert.equal((await get("/", { host })).status, 403, host);
    assert.equal((await get("/", { host: "localhost:1234" })).status, 200);
  } finally {
    server.close();
  }
});

test("viewer: plica view prints an address that serves the file, and the ledger beside a folded one", { skip }, async () => {
  // The command finds the viewer of the workspace, which may not be bundled yet.
  if (!existsSync(join(ROOT, "www/dist/index.html"))) await (await import("../www/build.mjs")).build();
  const folder = mkdtempSync(join(tmpdir(), "plica-command-"));
  const bin = join(ROOT, "pkg/bin/plica.mjs");
  const run = (...args) => spawnSync(process.execPath, [bin, "view", ...args], { encoding: "utf8", cwd: ROOT, timeout: 20_000 });
  const refused = (answer, status, words) => {
    assert.equal(answer.status, status, answer.stderr);
    assert.match(answer.stderr, words);
    assert.equal(answer.stderr.trim().split("\n").length, 1, answer.stderr);
    assert.equal(answer.stdout, "");
  };
  let running;
  try {
    const messages = Array.from({ length: 20 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `row ${i} ${"soil ".repeat(30)}` }));
    const { conversation, ledger } = plica.foldSession(JSON.stringify(messages), { tailBudget: 100 });
    writeFileSync(join(folder, "garden.folded.json"), conversation);
    writeFileSync(join(folder, "garden.ledger.json"), ledger);
    running = spawn(process.execPath, [bin, "view", join(folder, "garden.folded.json")], { cwd: ROOT });
    const address = await new Promise((resolve, reject) => {
      let out = "";
      running.stdout.on("data", (bytes) => { out += bytes; if (out.includes("\n")) resolve(out.trim()); });
      running.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
    });
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/\?/);
    const asked = new URL(address);
    assert.equal((await fetch(asked)).status, 200);
    assert.equal(await (await fetch(new URL(asked.searchParams.get("url"), asked))).text(), conversation);
    assert.equal(await (await fetch(new URL(asked.searchParams.get("ledger"), asked))).text(), ledger);
    refused(run(join(folder, "garden.folded.json"), "--port", asked.port), 5, /port \d+ is in use/);
    refused(run(join(folder, "none.json")), 3, /none\.json cannot be read/);
    refused(run("-"), 2, /needs a file with a name/);
    refused(run(join(folder, "garden.folded.json"), "--port", "70000"), 2, /70000 is no port/);
    refused(run(), 2, /./);
  } finally {
    running?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
