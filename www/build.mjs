// Bundles the viewer into dist/: the element, its worker, the page, the core beside them, and the declarations.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { examples } from "./examples.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
export const DIST = join(HERE, "dist");

/** Writes dist/. Equal sources give equal bytes; a file that is the same already is left alone, so that it can be served meanwhile. */
export async function build({ out = DIST } = {}) {
  const { core, notices } = coreFiles();
  // Three runs: the element must stay one file that anybody can import, the worker needs nothing of it.
  const bundles = [
    await bundled("viewer.js", "src/element.ts"),
    await bundled("worker.js", "src/worker/worker.ts"),
    await bundled("page.js", "src/page.ts", [elementBeside]),
  ];
  const own = (name) => readFileSync(join(HERE, name));
  write(out, {
    ...Object.fromEntries(bundles.map(({ name, bytes }) => [name, bytes])),
    "plica.wasm": readFileSync(core),
    "index.html": own("index.html"),
    "page.css": own("page.css"),
    ...Object.fromEntries(["viewer.d.ts", "react.d.ts", "serve.d.ts"].map((name) => [name, own(join("types", name))])),
    "THIRD-PARTY-NOTICES.txt": noticesOf(bundles.flatMap(({ inputs }) => inputs), readFileSync(notices, "utf8")),
    ...Object.fromEntries(Object.entries(await examples()).map(([name, bytes]) => [join("examples", name), bytes])),
  });
}

/** One bundle, and the files that something of is in it. */
async function bundled(name, entry, plugins = []) {
  const { build: bundle } = await import("esbuild");
  const { outputFiles: [file], metafile } = await bundle({
    entryPoints: [join(HERE, entry)], outfile: join(DIST, name), absWorkingDir: HERE, plugins, bundle: true, format: "esm", target: "es2022", minify: true,
    legalComments: "none", logLevel: "warning", write: false, metafile: true,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return { name, bytes: file.contents, inputs: Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0).map((path) => join(HERE, path)) };
}

/** The page uses the element's file, as any other page would. */
const elementBeside = {
  name: "element-beside",
  setup({ onResolve }) {
    onResolve({ filter: /\/element\.js$/ }, () => ({ path: "./viewer.js", external: true }));
  },
};

/** The compiled core, and the notices of what is in it. */
function coreFiles() {
  const core = createRequire(import.meta.url).resolve("plica/core.wasm");
  return { core, notices: join(dirname(core), "THIRD-PARTY-NOTICES.txt") };
}

/** Writes these files and removes all others. */
function write(out, files) {
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(out, name);
    if (existsSync(path) && readFileSync(path).equals(Buffer.from(bytes))) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  const folders = new Set(Object.keys(files).map((name) => dirname(name)));
  for (const folder of folders) {
    for (const name of readdirSync(join(out, folder))) {
      const path = join(folder, name);
      if (!(path in files) && !folders.has(path)) rmSync(join(out, path), { recursive: true });
    }
  }
}

// --- notices ---------------------------------------------------------------------------------------------------------

const RULE = "-".repeat(80);
const LICENCE_FILE = /^(licen[cs]e|copying|copyright|notice)(?!.*\.js$)/i;

/** The licences of all packages that a file of is in a bundle, then those of the core. A package without one fails. */
export function noticesOf(inputs, core) {
  const folders = [...new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))];
  const packages = folders.map(notice).sort((a, b) => (a.title < b.title ? -1 : 1));
  return [
    "The scripts in this package contain code of the following packages.", "",
    ...new Set(packages.map(({ title }) => `* ${title}`)), "",
    ...packages.flatMap(({ title, text }) => [RULE, title, RULE, "", text, ""]),
    RULE, "", core.trim(), "",
  ].join("\n");
}

/** The folder of the package that a file belongs to; undefined for the project's own. */
function packageFolder(path) {
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules");
  if (at >= 0) return parts.slice(0, at + (parts[at + 1].startsWith("@") ? 3 : 2)).join(sep);
  if (relative(dirname(HERE), path).startsWith("..")) throw new Error(`${path} is in a bundle, and belongs to no package`);
  return undefined;
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file)).sort();
  const text = files.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim()).join("\n\n");
  if (!license || text === "") throw new Error(`${name} is in a bundle, and has no licence to go with it`);
  return { title: `${name} ${version} (${license})`, text };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
