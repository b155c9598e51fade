// Bundles the viewer into dist/: the element, its worker, the page, and the core beside them. With --types the declarations, too.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { examples } from "./examples.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
export const DIST = join(HERE, "dist");

/** Libraries that are inside the bundle, with their licences: the notices ship with it. */
const BUNDLED = ["@tanstack/virtual-core", "dompurify", "highlight.js", "lit", "lit-html", "lit-element", "@lit/reactive-element", "marked"];

/** Writes dist/. */
export async function build({ out = DIST } = {}) {
  const { build: bundle } = await import("esbuild");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const options = { bundle: true, format: "esm", target: "es2022", minify: true, legalComments: "none", logLevel: "warning", outdir: out };
  // Two runs: the element must stay one file that anybody can import, the worker needs nothing of it.
  await bundle({ ...options, entryPoints: { viewer: join(HERE, "src/element.ts") } });
  await bundle({ ...options, entryPoints: { worker: join(HERE, "src/worker/worker.ts") } });
  await bundle({ ...options, entryPoints: { page: join(HERE, "src/page.ts") }, external: ["./element.js"], plugins: [elementBeside] });
  const require = createRequire(import.meta.url);
  cpSync(require.resolve("plica/core.wasm"), join(out, "plica.wasm"));
  for (const name of ["index.html", "page.css"]) cpSync(join(HERE, name), join(out, name));
  writeFileSync(join(out, "THIRD-PARTY-NOTICES.txt"), notices(require));
  mkdirSync(join(out, "examples"));
  for (const [name, bytes] of Object.entries(await examples())) writeFileSync(join(out, "examples", name), bytes);
}

/** The page uses the element's file, as any other page would. */
const elementBeside = {
  name: "element-beside",
  setup({ onResolve }) {
    onResolve({ filter: /\/element\.js$/ }, () => ({ path: "./viewer.js", external: true }));
  },
};

function notices(require) {
  return BUNDLED.map((name) => {
    const folder = packageFolder(require, name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const text = ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((file) => tryRead(join(folder, file))).find((found) => found !== undefined) ?? "";
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}

/** The folder of an installed package, whatever it exports. */
function packageFolder(require, name) {
  for (const base of require.resolve.paths(name) ?? []) if (tryRead(join(base, name, "package.json")) !== undefined) return join(base, name);
  throw new Error(`${name} is not installed: run npm ci`);
}

function tryRead(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Writes dist/types/. */
function declare() {
  const require = createRequire(import.meta.url);
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", join(HERE, "tsconfig.json")], { stdio: "inherit" });
  if (status !== 0) throw new Error("the declarations could not be written");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await build();
  if (process.argv.includes("--types")) declare();
}
