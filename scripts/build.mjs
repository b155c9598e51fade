// npm run build: Rust → WebAssembly → glue → pkg/dist.
//
//   --out <dir>        where to write the package's files (pkg/dist)
//   --face             only the TypeScript side, around the module of the last build: seconds instead of minutes
//   --toolchain <way>  "rustup" or "debian" instead of the first that works
//   --probe            ask rustup again even though it could not add the target before
//   PLICA_TOOLS_DIR    where wasm-bindgen's command line tool is kept (target/tools)

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle, writeGenerated } from "./bundle.mjs";
import { WASM_FILE, exportsMap } from "./entries.mjs";
import { makeGlue } from "./glue.mjs";
import { MANIFEST_FILE, buildManifest, sizeTable, sourceDigest, toolVersions } from "./manifest.mjs";
import { notices } from "./notices.mjs";
import { findToolchain } from "./toolchain.mjs";
import { declare } from "./types.mjs";
import { ROOT, fail, flag, main, option, run, step } from "./util.mjs";
import { bind, compile, crateInfo, optimise, wasmBindgenTool } from "./wasm.mjs";

const PACKAGE_JSON = join(ROOT, "pkg/package.json");

await main(async () => {
  const out = resolve(option("out", join(ROOT, "pkg/dist")));
  const crate = crateInfo();
  const onlyFace = flag("face");
  const workDir = join(crate.targetDir, "plica-build");
  // Written aside and moved at the end: a failed build leaves the last good one in place.
  const outDir = join(workDir, "dist");
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });

  const sources = sourceDigest();
  if (!onlyFace) await step("core types", () => ({ text: exportTypes() }));
  const { wasm, glue, tools } = onlyFace ? lastCore() : await buildCore(crate);
  const files = await buildFace({ wasm, glue, outDir, workDir });
  await step("notices", () => {
    const { text, count } = notices();
    writeFileSync(join(outDir, "THIRD-PARTY-NOTICES.txt"), text);
    return { text: `${count} crates` };
  });
  await step("manifest", () => {
    const manifest = buildManifest({ outDir, tools, sources });
    writeFileSync(join(outDir, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
    return { text: `${Object.keys(manifest.files).length} files, sources ${sources.slice(0, 12)}` };
  });
  rmSync(out, { recursive: true, force: true });
  cpSync(outDir, out, { recursive: true });
  console.log(sizeTable(out, [WASM_FILE, ...files]));
});

/** Types and constants that cross the border, written by the Rust sources themselves. */
function exportTypes() {
  const folder = join(ROOT, "pkg/src/generated");
  rmSync(join(folder, "core.ts"), { force: true });
  const output = run("cargo", ["test", "--locked", "--lib", "--quiet", "export_bindings"], { env: { ...process.env, TS_RS_EXPORT_DIR: folder } });
  const ran = /(\d+) passed/.exec(output)?.[1] ?? fail("cargo test exported no types");
  return `${ran} from Rust`;
}

/** Rust → optimised module, factory of bindings, versions of the tools. */
async function buildCore(crate) {
  const toolsDir = resolve(process.env.PLICA_TOOLS_DIR ?? join(crate.targetDir, "tools"));
  const toolchain = await step("toolchain", async () => {
    const value = await findToolchain({ toolsDir, probe: flag("probe"), way: option("toolchain") });
    return { value, text: `${value.way}: ${value.rustc}` };
  });
  const module = await step("cargo", () => {
    const value = compile({ toolchain, crate });
    return { value, text: `${crate.name}, profile wasm, ${readFileSync(value).length} bytes` };
  });
  const tool = await step("wasm-bindgen", () => {
    const value = wasmBindgenTool({ toolsDir });
    return { value, text: `${value.version}, ${value.fresh ? "installed now" : "found"}` };
  });
  const bound = await step("bind", () => ({ value: bind({ tool, module, crate }), text: "target web" }));
  const wasm = await step("wasm-opt", () => {
    const value = optimise({ bound, crate });
    return { value, text: `${value.length} bytes` };
  });
  const glue = await step("glue", async () => ({ value: await makeGlue(bound), text: "createGlue()" }));
  return { wasm, glue, tools: toolVersions({ rustc: toolchain.rustc, wasmBindgen: tool.version }) };
}

/** What the last whole build made of the Rust sources. */
function lastCore() {
  const [dist, generated] = [join(ROOT, "pkg/dist"), join(ROOT, "pkg/src/generated")];
  const read = (folder, name) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, name === WASM_FILE ? undefined : "utf8") : fail(`${path} is not there: build the whole first`);
  };
  const { tools } = JSON.parse(read(dist, MANIFEST_FILE));
  return { wasm: read(dist, WASM_FILE), glue: { js: read(generated, "glue.js"), types: read(generated, "glue.d.ts"), bindgenTypes: read(generated, "bindgen.d.ts") }, tools };
}

/** TypeScript + module → everything that is published. Returns the JavaScript files. */
async function buildFace({ wasm, glue, outDir, workDir }) {
  await step("base64", () => {
    writeGenerated({ glue, wasm });
    return { text: `${Math.ceil(wasm.length / 3) * 4} characters` };
  });
  const manifest = await step("exports", updateExports);
  await step("types", () => ({ text: `${declare({ outDir, workDir })} declaration files` }));
  return step("bundle", async () => {
    const value = await bundle({ outDir, manifest, wasm });
    return { value, text: value.join(" ") };
  });
}

function updateExports() {
  const manifest = JSON.parse(readFileSync(PACKAGE_JSON, "utf8"));
  const exports = exportsMap();
  if (JSON.stringify(manifest.exports) === JSON.stringify(exports)) return { value: manifest, text: "unchanged" };
  writeFileSync(PACKAGE_JSON, `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`);
  return { value: manifest, text: "pkg/package.json updated" };
}
