// BUILD.json: what was built, from what, with what. No time and no path in it, so that equal builds are equal.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT, listFiles, packageVersion, sha256 } from "./util.mjs";

export const MANIFEST_FILE = "BUILD.json";

const SOURCES = ["src", "Cargo.toml", "Cargo.lock", "pkg/src", "pkg/tsconfig.json", "scripts"];
const NOT_SOURCES = /^pkg\/src\/generated\//;

/** One digest of everything that goes into the build: names and contents, in sorted order. */
export function sourceDigest() {
  const hash = createHash("sha256");
  const files = SOURCES.flatMap((path) => listFiles(join(ROOT, path), ROOT)).filter((path) => !NOT_SOURCES.test(path)).sort();
  for (const path of files) hash.update(`${path}\0${sha256(readFileSync(join(ROOT, path)))}\n`);
  return hash.digest("hex");
}

export function toolVersions({ rustc, wasmBindgen }) {
  return {
    rustc, "wasm-bindgen": wasmBindgen, binaryen: packageVersion("binaryen"), esbuild: packageVersion("esbuild"),
    typescript: packageVersion("typescript"),
  };
}

export function buildManifest({ outDir, tools, sources }) {
  const files = listFiles(outDir).filter((path) => path !== MANIFEST_FILE);
  return { tools, sources, files: Object.fromEntries(files.map((path) => [path, sha256(readFileSync(join(outDir, path)))])) };
}

/** The table of sizes: each entry of the package, raw and gzipped. */
export function sizeTable(outDir, files) {
  const rows = files.map((file) => {
    const bytes = readFileSync(join(outDir, file));
    return [file, kib(bytes.length), kib(gzipSync(bytes, { level: 9 }).length)];
  });
  return [["file", "raw", "gz"], ...rows].map(([file, raw, gz]) => `  ${file.padEnd(20)} ${raw.padStart(11)} ${gz.padStart(11)}`).join("\n");
}

function kib(bytes) {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;
}
