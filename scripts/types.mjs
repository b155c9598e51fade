// Strict type check, and the declarations of the package.
//
// The declarations stay one file a module, so that entries share their classes (bundled copies of a class with a private
// member are incompatible types). Only what the entries reach is shipped, each file twice: .d.ts for `import`, .d.cts for
// `require`, the latter with its relative imports renamed.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { ENTRIES } from "./entries.mjs";
import { ROOT, fail, runPackageBin } from "./util.mjs";

const SRC = join(ROOT, "pkg/src");
const SPECIFIER = /(\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)(["'])(\.{1,2}\/[^"']+)\.js\2/g;

/** Checks the sources and returns how many declaration files were written. */
export function declare({ outDir, workDir }) {
  const emitted = join(workDir, "types");
  rmSync(emitted, { recursive: true, force: true });
  runPackageBin("typescript", "tsc", ["-p", join(ROOT, "pkg"), "--outDir", emitted]);
  const files = reachable(emitted);
  for (const [name, text] of files) writeTwins(outDir, name, text);
  return files.size * 2;
}

/** Every declaration that an entry needs: path without extension → text. */
function reachable(emitted) {
  const found = new Map();
  const queue = ENTRIES.map((entry) => entry.file);
  for (const name of queue) {
    if (found.has(name)) continue;
    const text = readDeclaration(emitted, name);
    found.set(name, text);
    for (const [, , , specifier] of text.matchAll(SPECIFIER)) queue.push(posix.join(posix.dirname(name), specifier));
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// tsc does not copy declarations that were written (or generated) as such.
function readDeclaration(emitted, name) {
  const path = [emitted, SRC].map((folder) => join(folder, `${name}.d.ts`)).find((candidate) => existsSync(candidate));
  return path ? readFileSync(path, "utf8") : fail(`no declarations for pkg/src/${name}`);
}

function writeTwins(outDir, name, text) {
  const path = join(outDir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.d.ts`, text);
  writeFileSync(`${path}.d.cts`, text.replace(SPECIFIER, "$1$2$3.cjs$2"));
}
