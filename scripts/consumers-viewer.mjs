// The packed viewer in throwaway projects, opened in Chromium: it must show messages, and nothing may go wrong there. What they do
// is what its readme says, word for word: samples, settings and the policy are taken from there.
//
// The projects lie outside of the repository, so that nothing that is installed there helps.

import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import * as esbuild from "esbuild";
import { BROWSERS, openPage } from "../tests/support/browsers.mjs";
import { PACKAGE, Skip, binary, load, tool, write } from "./runtimes.mjs";
import { ROOT, fail, run, runPackageBin } from "./util.mjs";

const NAME = "@plica/viewer";
const README = readFileSync(join(ROOT, "www/README.md"), "utf8");
/** Names of the tools' folders, with what is in them. */
const REACT = ["viewer-react", "vite@8", "@vitejs/plugin-react", "react@19", "react-dom@19", "@types/react@19"];
const OLD_VITE = ["viewer-vite-7", "vite@7"];
const WEBPACK = ["viewer-webpack", "webpack@5"];

/** Packs the viewer as it would be published; returns the tarball. */
export function packViewer(into) {
  mkdirSync(into, { recursive: true });
  const [{ filename }] = Object.values(JSON.parse(run("npm", ["pack", "--json", "--pack-destination", into], { cwd: join(ROOT, "www") })));
  return join(into, filename);
}

/** Name → a function that returns what to report. `viewer()` and `plica` are the tarballs. */
export function viewerConsumers(viewer, plica) {
  const consumers = {
    "viewer plain page, CSP": plainPage,
    "viewer react, vite build": reactBuild,
    "viewer react, vite dev": reactDev,
    "viewer vite 7 dev": oldViteDev,
    "viewer webpack": webpackBundle,
    "viewer esbuild, places": esbuildBundle,
    "viewer types": types,
    "viewer by plica view": (folder) => byCommand(folder, plica),
  };
  return Object.fromEntries(Object.entries(consumers).map(([name, consumer]) => [name, async () => {
    const folder = mkdtempSync(join(tmpdir(), "plica-viewer-"));
    try {
      unpack(folder, NAME, viewer());
      write(folder, "package.json", JSON.stringify({ name: "consumer", private: true, type: "module", dependencies: { [NAME]: "*" } }));
      return await consumer(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }]));
}

function unpack(folder, name, tarball) {
  const target = join(folder, "node_modules", name);
  mkdirSync(target, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", target, "--strip-components", "1"]);
}

// --- what is shown ---------------------------------------------------------------------------------------------------

const TODAY = ["The lamp of the lighthouse turns at dusk. Why is it late?", "Its clock is an hour behind.", "Set it right, please.", "It is set."];
const OTHER = ["How many boats are in the harbour?", "Four, and a raft."];
const GIVEN = ["Is the raft moored?", "It is, at the second pier."];

const messagesOf = (texts) => texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
const linesOf = (texts) => messagesOf(texts).map((message) => `${JSON.stringify(message)}\n`).join("");

/** Writes the sessions to where the readme's samples look for them. */
function sessions(folder) {
  write(folder, "sessions/today.jsonl", linesOf(TODAY));
  write(folder, "sessions/other.jsonl", linesOf(OTHER));
}

const POLICY = /^ {4}(default-src .*)$/m.exec(README)[1];
const ELEMENT = '<plica-viewer src="/sessions/today.jsonl"></plica-viewer>';

/** A sample of the readme: the block that begins with the name of its file. */
function sample(name) {
  const found = new RegExp(`^\`\`\`\\w+\\n(// ${name.replace(".", "\\.")}\\n[^]*?)^\`\`\`$`, "m").exec(README);
  return found?.[1] ?? fail(`the viewer's readme has no sample ${name}`);
}

function htmlSample() {
  return /^```html\n([^]*?)^```$/m.exec(README)?.[1] ?? fail("the viewer's readme has no page");
}

const page = (body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>consumer</title><link rel="icon" href="data:,"><body>${body}</body></html>`;

/** Waits until all these messages are shown. */
async function shows(view, texts) {
  await view.until(texts.join(" | "), (all) => { const shown = window.textOf(window.deep("plica-messages")); return all.every((text) => shown.includes(text)); }, texts);
  return `${texts.length} messages shown`;
}

/** Waits until so many workers run, and sees that it stays so. */
async function workers({ page }, count) {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  for (const end = Date.now() + 5_000; page.workers().length !== count && Date.now() < end;) await pause(20);
  await pause(300);
  if (page.workers().length !== count) fail(`${page.workers().length} workers run, and not ${count}`);
}

/** Opens an address; nothing but what `look` reports may come of it. */
async function inChromium(url, look) {
  const { missing, launch } = BROWSERS.find(({ name }) => name === "chromium");
  if (missing) throw new Skip(missing);
  const browser = await launch();
  try {
    const view = await openPage(browser, new URL(url).origin);
    await view.page.goto(url);
    const text = await look(view).catch((error) => fail([error.message, ...view.complaints].join("\n")));
    const wrong = [...view.complaints, ...(await view.page.evaluate(() => window.violations))];
    if (wrong.length > 0) fail(wrong.join("\n"));
    return `${text} (${await browser.version()})`;
  } finally {
    await browser.close();
  }
}

// --- servers ---------------------------------------------------------------------------------------------------------

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".jsonl": "application/jsonl", ".wasm": "application/wasm" };

/** Serves a folder under the readme's policy, and opens a page of it. */
async function served(folder, look, name = "") {
  const server = createServer((request, response) => {
    const path = join(folder, request.url === "/" ? "index.html" : decodeURIComponent(request.url.split("?")[0]));
    if (!path.startsWith(folder) || !existsSync(path)) return response.writeHead(404).end();
    // In chunks, without a length; the development servers send one.
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "content-security-policy": POLICY });
    return response.end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await inChromium(`http://127.0.0.1:${server.address().port}/${name}`, look);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function viteDev(vite, config, look) {
  const server = await vite.createServer({ ...config, configFile: false, logLevel: "silent", server: { port: 0, host: "127.0.0.1" } });
  await server.listen();
  try {
    return await inChromium(`http://127.0.0.1:${server.httpServer.address().port}/`, look);
  } finally {
    await server.close();
  }
}

/** Makes packages of a tool known to a project, as if they were installed there. */
function link(folder, tools, ...names) {
  for (const name of names) {
    const path = join(folder, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(binary(tools, name), path);
  }
}

// --- projects --------------------------------------------------------------------------------------------------------

function plainPage(folder) {
  sessions(folder);
  write(folder, "index.html", page(htmlSample()));
  return served(folder, async (view) => {
    await shows(view, TODAY);
    // Taken out for a while, and put back.
    await view.page.evaluate(() => { window.kept = document.querySelector("plica-viewer"); window.kept.remove(); });
    await workers(view, 0);
    await view.page.evaluate(() => { document.body.append(window.kept); });
    await workers(view, 1);
    return shows(view, TODAY);
  });
}

/** An application that shows, hides and changes the readme's component, in strict mode. */
async function reactProject(folder) {
  const tools = tool(...REACT);
  link(folder, tools, "react", "react-dom");
  sessions(join(folder, "public"));
  write(folder, "index.html", page('<div id="root"></div><script type="module" src="/main.jsx"></script>'));
  write(folder, "Session.jsx", sample("Session.jsx"));
  write(folder, "main.jsx", `import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { Session } from "./Session.jsx";
window.told = [];
const tell = ({ name, messages }) => window.told.push(name + " " + messages);
function App() {
  const [shown, show] = useState(true);
  const [src, read] = useState("/sessions/today.jsonl");
  const [messages, give] = useState();
  return <>
    <button id="toggle" onClick={() => show(!shown)}>toggle</button>
    <button id="other" onClick={() => read("/sessions/other.jsonl")}>other</button>
    <button id="give" onClick={() => give(${JSON.stringify(messagesOf(GIVEN))})}>give</button>
    {shown && <Session src={src} messages={messages} onOpen={tell} />}
  </>;
}
createRoot(document.querySelector("#root")).render(<StrictMode><App /></StrictMode>);
`);
  const react = await load(tools, "@vitejs/plugin-react");
  return { vite: await load(tools, "vite"), config: { root: folder, plugins: [react.default()] } };
}

async function driveReact(view) {
  const { page } = view;
  await shows(view, TODAY);
  await workers(view, 1);
  await page.click("#toggle");
  await workers(view, 0);
  await page.click("#toggle");
  await shows(view, TODAY);
  await page.click("#other");
  await shows(view, OTHER);
  await page.click("#give");
  await shows(view, GIVEN);
  await workers(view, 1);
  const told = await page.evaluate(() => window.told.join(", "));
  if (told !== "today.jsonl 4, today.jsonl 4, other.jsonl 2, session 2") fail(`it was told: ${told}`);
  return "mounted, unmounted, mounted, changed";
}

async function reactBuild(folder) {
  const { vite, config } = await reactProject(folder);
  await vite.build({ ...config, configFile: false, logLevel: "silent" });
  return served(join(folder, "dist"), driveReact);
}

async function reactDev(folder) {
  const { vite, config } = await reactProject(folder);
  return viteDev(vite, config, driveReact);
}

/** With the settings of the readme, and with addresses in their place. */
async function oldViteDev(folder) {
  const vite = await load(tool(...OLD_VITE), "vite");
  sessions(join(folder, "public"));
  write(folder, "index.html", page('<script type="module" src="/main.js"></script>'));
  const project = (name, text) => write(folder, name, `${text}\ndocument.body.append(viewer);\nviewer.src = "/sessions/today.jsonl";\n`);
  const look = (view) => shows(view, TODAY);
  project("main.js", 'import "@plica/viewer";\nconst viewer = document.createElement("plica-viewer");');
  const { default: settings } = await import(write(folder, "vite.config.js", sample("vite.config.js")));
  await viteDev(vite, { ...settings, root: folder }, look);
  const imports = [...README.matchAll(/`(import \w+ from "@plica\/viewer\/[\w.]+\?url")`/g)].map(([, statement]) => statement);
  if (imports.length !== 2) fail("the viewer's readme does not import two addresses");
  project("main.js", `import "@plica/viewer";\n${imports.join(";\n")};\nconst viewer = document.createElement("plica-viewer");\nviewer.places = { worker, core };`);
  await viteDev(vite, { root: folder, cacheDir: join(folder, "cache") }, look);
  return "by its setting, and by addresses";
}

async function webpackBundle(folder) {
  const { default: webpack } = await load(tool(...WEBPACK), "webpack");
  const dist = join(folder, "dist");
  const entry = write(folder, "main.js", 'import "@plica/viewer";\n');
  const stats = await new Promise((done, failed) => {
    webpack({ mode: "production", context: folder, entry, output: { path: dist }, performance: false }, (error, result) => (error ? failed(error) : done(result)));
  });
  if (stats.hasErrors() || stats.hasWarnings()) fail(stats.toString({ colors: false }));
  sessions(dist);
  write(dist, "index.html", page(`<script src="main.js" defer></script>${ELEMENT}`));
  return served(dist, (view) => shows(view, TODAY));
}

async function esbuildBundle(folder) {
  const entry = write(folder, "main.js", sample("main.js"));
  const site = join(folder, "site");
  await esbuild.build({ entryPoints: [entry], outfile: join(site, "assets/main.js"), bundle: true, format: "esm", minify: true, logLevel: "silent" });
  mkdirSync(join(site, "static"));
  for (const name of ["worker.js", "plica.wasm"]) copyFileSync(join(folder, "node_modules", NAME, "dist", name), join(site, "static", name));
  write(site, "index.html", page('<plica-viewer></plica-viewer><script type="module" src="/assets/main.js"></script>'));
  const text = await served(site, (view) => shows(view, ["Is the gate shut?", "It is."]));
  // As a classic script, which has no address of its own; the places are those of the page.
  sessions(site);
  const classic = write(folder, "classic.js", `import "${NAME}";
document.querySelector("plica-viewer").places = { worker: "static/worker.js", core: "static/plica.wasm" };`);
  await esbuild.build({ entryPoints: [classic], outfile: join(site, "assets/classic.js"), bundle: true, format: "iife", logLevel: "silent", logOverride: { "empty-import-meta": "silent" } });
  write(site, "classic.html", page(`${ELEMENT}<script src="/assets/classic.js"></script>`));
  await served(site, (view) => shows(view, TODAY), "classic.html");
  return `as a module and as a classic script: ${text}`;
}

/** The command of the library, with both packages installed. */
async function byCommand(folder, plica) {
  unpack(folder, PACKAGE, plica);
  const session = write(folder, "today.jsonl", linesOf(TODAY));
  const child = spawn(process.execPath, [join(folder, "node_modules", PACKAGE, "bin/plica.mjs"), "view", session], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  try {
    const url = await new Promise((done, failed) => {
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => { output += data; });
      child.stdout.on("data", () => { const found = /http:\S+/.exec(output); if (found) done(found[0]); });
      child.on("close", () => failed(new Error(output)));
    });
    return await inChromium(url, (view) => shows(view, TODAY));
  } finally {
    child.kill();
  }
}

// --- declarations ----------------------------------------------------------------------------------------------------

/** Every declared name, and what must be refused. React is there for the one file that uses it. */
function types(folder) {
  write(folder, "main.ts", `import { PlicaViewer } from "@plica/viewer";
import type { ErrorDetail, OpenDetail, OpenOptions, Places, PlicaViewerEventMap, SelectDetail, Source, View } from "@plica/viewer";
import { serve } from "@plica/viewer/serve";

const made: PlicaViewer = document.createElement("plica-viewer");
const viewer = document.querySelector("plica-viewer") ?? new PlicaViewer();
const places: Places = { worker: "/worker.js", core: new URL("/plica.wasm", location.href) };
const view: View = { kind: "fold", fold: 0, deep: false };
const source: Source = [{ role: "user", content: "Is the gate shut?" }];
const options: OpenOptions = { name: "gate", ledger: "{}" };
Object.assign(viewer, { places, view });
viewer.src = viewer.ledgerSrc = viewer.theme = null;
viewer.linkTo = (item) => "#" + item.toFixed(0);
viewer.addEventListener("plica-open", ({ detail }) => { const open: OpenDetail = detail; return open.messages; });
viewer.addEventListener("plica-error", ({ detail }) => { const error: ErrorDetail = detail; return error.code; });
viewer.addEventListener("plica-select", function ({ detail }) { const item: SelectDetail = detail; this.goTo(item.item); });
viewer.addEventListener("click", (event) => event.clientX);
document.body.addEventListener("plica-open", (event) => (event as PlicaViewerEventMap["plica-open"]).detail.folds);
export const opened: Promise<void> = made.open(source, options);
export const url: Promise<string> = serve({ session: "today.jsonl" }).then((server) => server.url);
// @ts-expect-error it only reads
viewer.item = 3;
// @ts-expect-error there is no such view
viewer.view = { kind: "elsewhere" };
`);
  write(folder, "react.tsx", `import type {} from "@plica/viewer/react";
import { useRef } from "react";
import type { PlicaViewer } from "@plica/viewer";
export function Session({ src }: { src: string }) {
  const viewer = useRef<PlicaViewer>(null);
  return <plica-viewer ref={viewer} src={src} ledgerSrc={null} theme="dark" linkTo={(item) => String(item)} places={{ worker: "w", core: "c" }}
    onplica-open={(event) => event.detail.messages} onplica-error={({ detail }) => detail.code} onClick={() => viewer.current?.goTo(2)} style={{ height: "80vh" }} />;
}
// @ts-expect-error it is an address
export const wrong = <plica-viewer src={3} />;
`);
  const tools = tool(...REACT);
  link(folder, tools, "@types/react");
  for (const [module, moduleResolution] of [["node16", "node16"], ["esnext", "bundler"]]) {
    write(folder, "tsconfig.json", JSON.stringify({
      compilerOptions: {
        target: "ES2022", lib: ["ES2022", "DOM"], types: [], strict: true, skipLibCheck: false, noEmit: true, exactOptionalPropertyTypes: true,
        jsx: "react-jsx", module, moduleResolution,
      },
      include: ["*.ts", "*.tsx"],
    }));
    runPackageBin("typescript", "tsc", ["-p", folder], { cwd: folder });
  }
  return "node16 and bundler, React's JSX, skipLibCheck false";
}
