// TypeScript face + glue + module → the JavaScript files of the package.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script, createContext } from "node:vm";
import * as esbuild from "esbuild";
import { ENTRIES, WASM_FILE } from "./entries.mjs";
import { ROOT, fail } from "./util.mjs";

const SRC = join(ROOT, "pkg/src");
const GENERATED = join(SRC, "generated");

/** Writes what the TypeScript sources import but nobody wrote. */
export function writeGenerated({ glue, wasm }) {
  mkdirSync(GENERATED, { recursive: true });
  const base64 = `// Generated: the module of the core. Not to be edited.\nexport const wasmBase64 = "${wasm.toString("base64")}";\n`;
  for (const [name, text] of [
    ["glue.js", glue.js], ["glue.d.ts", glue.types], ["bindgen.d.ts", glue.bindgenTypes], ["wasm-base64.js", base64],
    ["wasm-base64.d.ts", "export const wasmBase64: string;\n"],
  ]) writeFileSync(join(GENERATED, name), text);
}

/** Bundles every entry in every form. */
export async function bundle({ outDir, manifest, wasm }) {
  const forms = ENTRIES.flatMap((entry) => [
    { entry, format: "esm", core: entry.core, file: `${entry.file}.js` },
    { entry, format: "cjs", core: entry.core, file: `${entry.file}.cjs` },
    ...(entry.workerd ? [{ entry, format: "esm", core: "workerd", file: `${entry.file}.workerd.js` }] : []),
  ]);
  for (const form of forms) await bundleOne(form, outDir, manifest);
  writeFileSync(join(outDir, WASM_FILE), wasm);
  for (const { core, file, format } of forms) {
    if (format === "cjs" && core) refuseWorkAtImport(join(outDir, file), file);
  }
  return forms.map((form) => form.file);
}

async function bundleOne({ entry, format, core, file }, outDir, manifest) {
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [join(SRC, `${entry.file}.ts`)],
    outfile: join(outDir, file),
    bundle: true,
    format,
    target: "es2020",
    // "node" makes esbuild note the names that a CommonJS file exports where Node's ESM can see them.
    platform: format === "cjs" ? "node" : "neutral",
    banner: { js: `/*! ${manifest.name} ${manifest.version} | ${manifest.license} | notices: THIRD-PARTY-NOTICES.txt */` },
    // The package's own name (one core in a program), and the peers of adapters.
    external: [manifest.name, ...Object.keys(manifest.peerDependencies ?? {})],
    plugins: [chooseCore(core, entry)],
    logLevel: "silent",
  }).catch((error) => fail(`${file}: ${error.message}`));
}

/** Puts the environment's loader in the place of loader/source.ts. */
function chooseCore(core, entry) {
  return {
    name: "choose-core",
    setup(build) {
      build.onResolve({ filter: /\/source\.js$/ }, ({ resolveDir }) => {
        if (resolveDir !== join(SRC, "loader")) return undefined;
        if (!core) return { errors: [{ text: `pkg/src/${entry.file}.ts would hold a second core: let it import the package by its name` }] };
        return { path: join(SRC, "loader", `${core}.ts`) };
      });
      build.onResolve({ filter: /\.wasm$/ }, () => ({ path: `./${WASM_FILE}`, external: true }));
    },
  };
}

// A context without any platform: no TextDecoder, no WebAssembly, no Buffer. Importing must not need them.
function refuseWorkAtImport(path, file) {
  const module = { exports: {} };
  const context = createContext({ module, exports: module.exports });
  new Script("delete globalThis.WebAssembly").runInContext(context);
  try {
    new Script(readFileSync(path, "utf8"), { filename: file }).runInContext(context);
  } catch (error) {
    fail(`importing ${file} evaluates something that not every platform has: ${error.message}`);
  }
}
