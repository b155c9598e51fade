// npm run check:consumers: the packed package in throwaway consumers, one line each.
//
//   --only a,b     only consumers whose name contains one of these words
//   --no-skips     a skipped consumer is a failure
//
// What they do with the package is in consumer-probe.mjs; those of the viewer are in consumers-viewer.mjs. A runtime that cannot be
// had here is skipped by name.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { PURE_EXPORT, TYPES_MAIN, TYPES_SLIM, armTraps, beforeInit, forbidden, probe } from "./consumer-probe.mjs";
import { packViewer, viewerConsumers } from "./consumers-viewer.mjs";
import { ENTRIES, WASM_FILE } from "./entries.mjs";
import {
  BROWSERS, PACKAGE as NAME, attempt, binary, bun, consumerFolder, deno, inBrowser, inWorkerd, load, nodeOf, pack, runProgram, servePackage, tool, write,
} from "./runtimes.mjs";
import { fail, flag, main, option, run, runPackageBin } from "./util.mjs";
import { crateInfo } from "./wasm.mjs";

const BASE = join(crateInfo().targetDir, "consumers");
const OK = "PROBE-OK";
const PROBE = `${armTraps}\n${probe}`;

/** Name → a function that returns what to report. */
function all(tarball) {
  let packed;
  const viewer = () => (packed ??= packViewer(BASE));
  return {
    ...Object.fromEntries(Object.entries(consumers(tarball)).map(([name, consumer]) => [name, () => consumer(consumerFolder(BASE, name, tarball))])),
    ...viewerConsumers(viewer, tarball),
    "viewer publint": () => lint("publint", "publint", ["run", "--strict", viewer()]),
    "viewer attw": () => lint("@arethetypeswrong/cli", "attw", [
      viewer(), "--profile", "esm-only", "--exclude-entrypoints", "core.wasm", "worker", "--format", "ascii", "--no-color", "--no-emoji"]),
  };
}

/** Name → a function of the consumer's folder that returns what to report. */
function consumers(tarball) {
  const nodes = [["node (this)", async () => process.execPath], ...[18, 22, 24].map((major) => [`node ${major}`, () => nodeOf(major)])];
  return {
    ...Object.fromEntries(nodes.flatMap(([name, get]) => [
      [`${name} esm`, async (folder) => execute(await get(), [write(folder, "main.mjs", esm())], folder)],
      [`${name} cjs`, async (folder) => execute(await get(), [write(folder, "main.cjs", cjs())], folder)],
      [`${name} slim esm`, async (folder) => execute(await get(), [write(folder, "main.mjs", slimEsm())], folder)],
      [`${name} slim cjs`, async (folder) => execute(await get(), [write(folder, "main.cjs", slimCjs())], folder)],
      [`${name} store`, async (folder) => {
        await execute(await get(), [write(folder, "store.cjs", storeCjs())], folder);
        return execute(await get(), [write(folder, "store.mjs", storeEsm())], folder);
      }],
      [`${name} ai-sdk`, async (folder) => {
        await execute(await get(), [write(folder, "ai-sdk.cjs", aiSdkCjs())], folder);
        return execute(await get(), [write(folder, "ai-sdk.mjs", aiSdkEsm())], folder);
      }],
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
      [`${browser} plain page, init first`, (folder) => plainPage(folder, browser, CSP, page("./index.js", "const trapNext = armTraps(); await plica.init();", "probe(plica, trapNext)"))],
      [`${browser} plain page, slim`, (folder) => plainPage(folder, browser, CSP,
        page("./slim.js", `beforeInit(plica); const trapNext = armTraps(); await plica.init(new URL("./plica/dist/${WASM_FILE}", import.meta.url));`, "probe(plica, trapNext)"))],
      [`${browser} CSP forbids wasm`, (folder) => plainPage(folder, browser, CSP_WITHOUT_WASM, page("./index.js", "", "forbidden(plica)"))],
    ])),
    "types node16": (folder) => types(folder, "node16"),
    "types bundler": (folder) => types(folder, "bundler"),
    "publint": () => lint("publint", "publint", ["run", "--strict", tarball]),
    "attw node16": () => lint("@arethetypeswrong/cli", "attw", [
      tarball, "--profile", "node16", "--exclude-entrypoints", "core.wasm", "--format", "ascii", "--no-color", "--no-emoji"]),
  };
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
const trapNext = armTraps();
await plica.init(readFileSync(createRequire(import.meta.url).resolve("${NAME}/core.wasm")));
${report("probe(plica, trapNext)")}`;
}

function slimCjs() {
  return `${PROBE}\n${beforeInit}
const plica = require("${NAME}/slim");
beforeInit(plica);
const trapNext = armTraps();
plica.init(require("fs").readFileSync(require.resolve("${NAME}/core.wasm"))).then(() => { ${report("probe(plica, trapNext)")} });`;
}

// With the core of the main entry, and no driver and no framework: what it refuses is a PlicaError of that core.
const storeProbe = `for (const make of [store.sqliteStore, store.postgresStore, agents.plicaSession, anthropic.foldMessages]) {
  try { make({}); throw new Error("no refusal"); } catch (error) { if (!(error instanceof plica.PlicaError)) throw error; }
}`;

function storeEsm() {
  return `import * as plica from "${NAME}";\nimport * as store from "${NAME}/store";\nimport * as agents from "${NAME}/openai-agents";\nimport * as anthropic from "${NAME}/anthropic";\n${storeProbe}\n${report('"one core"')}`;
}

function storeCjs() {
  return `const plica = require("${NAME}");\nconst store = require("${NAME}/store");\nconst agents = require("${NAME}/openai-agents");\nconst anthropic = require("${NAME}/anthropic");\n${storeProbe}\n${report('"one core"')}`;
}

// Without the framework: it is given what the framework would give.
const aiSdkProbe = `for (const make of [ai.foldSteps, ai.foldPrompts]) {
  try { make({ window: 0 }); throw new Error("no refusal"); } catch (error) { if (!(error instanceof plica.PlicaError)) throw error; }
}
const window = ai.foldSteps({ window: 1000 }).prepareStep({ steps: [], messages: [{ role: "user", content: "Hello" }] });`;

function aiSdkEsm() {
  return `import * as plica from "${NAME}";\nimport * as ai from "${NAME}/ai-sdk";\n${aiSdkProbe}\nif ((await window).messages.length !== 1) throw new Error("no window");\n${report('"one core"')}`;
}

function aiSdkCjs() {
  return `const plica = require("${NAME}");\nconst ai = require("${NAME}/ai-sdk");\n${aiSdkProbe}\nwindow.then(({ messages }) => { if (messages.length === 1) ${report('"one core"')} });`;
}

function staticEsm() {
  return `import * as plica from "${NAME}";\n${PROBE}\n${report("probe(plica)")}`;
}

/** Runs a program and returns what its probe reported. */
async function execute(command, args, cwd, env = {}) {
  const { end, output } = await runProgram(command, args, cwd, { env });
  const line = output.split("\n").find((text) => text.includes(OK));
  if (end !== 0 || line === undefined) throw new Error(`ended with ${end}: ${output.trim()}`);
  return line.slice(line.indexOf(OK) + OK.length).trim();
}

// --- workers ---------------------------------------------------------------------------------------------------------

async function workerd(folder) {
  const entry = write(folder, "worker.js", `import * as plica from "${NAME}";\n${PROBE}
export default { async fetch() { try { return new Response("${OK} " + probe(plica)); } catch (error) { return new Response(String(error.stack)); } } };`);
  const { text, modules } = await inWorkerd(folder, entry);
  if (!text.startsWith(OK)) throw new Error(text);
  if (modules.length !== 2) throw new Error(`expected one script and one module, got ${modules}`);
  return text.slice(OK.length).trim();
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
  return probed("chromium", join(folder, "dist"), CSP);
}

// --- browsers --------------------------------------------------------------------------------------------------------

const CSP_WITHOUT_WASM = "default-src 'none'; script-src 'self'; connect-src 'self'";
const CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

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
  servePackage(folder, "site");
  return probed(browser, join(folder, "site"), policy);
}

/** Opens a folder under a policy, and returns what the page reports. */
async function probed(browser, folder, policy) {
  const { text, version } = await inBrowser(browser, folder, policy);
  if (!text.startsWith(OK)) throw new Error(text);
  return `${text.slice(OK.length).trim()} (${version})`;
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
  const tarball = pack(BASE);
  const results = { pass: 0, FAIL: 0, skipped: 0 };
  for (const [name, consumer] of Object.entries(all(tarball))) {
    if (only.length > 0 && !only.some((word) => name.includes(word))) continue;
    const { outcome, text } = await attempt(consumer);
    results[outcome]++;
    console.log(`${outcome.padEnd(7)} ${name.padEnd(34)} ${text}`);
  }
  console.log(`${results.pass} passed, ${results.FAIL} failed, ${results.skipped} skipped`);
  if (results.FAIL > 0 || (flag("no-skips") && results.skipped > 0)) process.exitCode = 1;
});
