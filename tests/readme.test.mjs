// The readme's numbers and its sample are those of the code.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import * as plica from "../pkg/dist/index.js";
import * as store from "../pkg/dist/store.js";
import { tool } from "../scripts/runtimes.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

test("the first command prints what the readme shows", () => {
  const folder = mkdtempSync(join(tmpdir(), "plica-readme-"));
  const out = join(folder, "x.json");
  const args = ["pkg/bin/plica.mjs", "fold", "examples/garden-planner.jsonl", "--budget", "20k", "--out", out];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
  rmSync(folder, { recursive: true });
  assert.equal(status, 0);
  const shown = stdout.split("\n").filter((line) => /messages|message |tokens/.test(line) && !line.includes("claude-code"));
  assert.ok(shown.length >= 5);
  for (const line of shown) assert.ok(README.includes(line.trim()), `the readme lacks: ${line}`);
});

test("sizes are right to a few per cent", () => {
  const rows = [...README.matchAll(/\| `dist\/([\w.]+)`[^|]*\| (\d+) kB \| (\d+) kB \|/g)];
  assert.equal(rows.length, 3);
  for (const [, file, raw, gz] of rows) {
    const bytes = readFileSync(join(ROOT, "pkg/dist", file));
    for (const [said, is] of [[raw, bytes.length], [gz, gzipSync(bytes, { level: 9 }).length]]) {
      assert.ok(Math.abs(is / 1000 / Number(said) - 1) < 0.05, `${file}: the readme says ${said} kB, it is ${Math.round(is / 1000)} kB`);
    }
  }
});

test("token counts are within 15 per cent on every kind of text that was measured", () => {
  const rows = [...README.matchAll(/^\| ([^|]+) \| [\d,]+ \| ([−+]\d+) % \| [−+]\d+ % \| [−+]\d+ % \|$/gm)];
  for (const kind of ["English prose", "TypeScript", "Rust", "minified JSON", "Chinese", "Japanese", "Korean", "Russian", "Arabic", "emoji", "base64", "logs", "hex and uuids", "Markdown tables"]) {
    assert.ok(rows.some((row) => row[1] === kind), kind);
  }
  for (const [, kind, error] of rows) assert.ok(Math.abs(Number(error.replace("−", "-"))) <= 15, `${kind}: ${error} %`);
});

test("the sample imports what there is, and every code has its row", () => {
  const names = /import \{ ([^}]+) \} from "plica"/.exec(README)[1].split(", ");
  for (const name of names) assert.ok(name in plica, name);
  for (const [, imported] of README.matchAll(/import \{ ([^}]+) \} from "plica\/store"/g)) for (const name of imported.split(", ")) assert.ok(name in store, name);
  const types = readFileSync(join(ROOT, "pkg/dist/generated/core.d.ts"), "utf8");
  const codes = /type ErrorCode = ([^;]+);/.exec(types)[1].match(/[a-z-]+(?=")/g);
  assert.ok(codes.length > 20);
  const own = /type StoreErrorCode = ([^;]+);/.exec(readFileSync(join(ROOT, "pkg/dist/errors.d.ts"), "utf8"))[1].match(/[a-z-]+(?=")/g);
  assert.equal(own.length, 4);
  codes.push(...own);
  for (const code of codes) assert.ok(README.includes(`\`${code}\``), code);
});

/** Runs the first program of a section of the readme as it stands; `stubs` take the place of modules that are not to be had here. */
function printedBy(section, stubs = {}) {
  const folder = mkdtempSync(join(tmpdir(), "plica-readme-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(join(ROOT, "pkg"), join(folder, "node_modules/plica"), "junction");
    const program = /```js\n([^]*?)```/.exec(README.split(`\n### ${section}\n`)[1])[1];
    writeFileSync(join(folder, "program.mjs"), program);
    writeFileSync(join(folder, "hooks.mjs"), `const stubs = ${JSON.stringify(stubs)};\nexport const resolve = (name, context, next) => (stubs[name] === undefined ? next(name, context) : { url: stubs[name], shortCircuit: true });\n`);
    writeFileSync(join(folder, "register.mjs"), `import { register } from "node:module";\nregister("./hooks.mjs", import.meta.url);\n`);
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", pathToFileURL(join(folder, "register.mjs")).href, "program.mjs"], { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_NO_WARNINGS: "1", NODE_TEST_CONTEXT: undefined } });
    assert.equal(status, 0, stderr);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the program about rules runs as it stands", () => {
  const printed = printedBy("Rules that survive");
  assert.match(printed, /^\[\]\n\[\]\n\[\]\n<pinned-rules/);
  for (const rule of ["Never push to main.", "Dropping the cache took production down.", "From now on, always run the tests first."]) assert.ok(printed.includes(rule), printed);
});

test("the program about storage runs as it stands", (t) => {
  // Where this Node has no SQLite of its own, better-sqlite3 does the same.
  const stubs = {};
  if (process.getBuiltinModule?.("node:sqlite") === undefined) {
    let driver;
    try {
      driver = join(tool("databases", "better-sqlite3@12", "pg@8"), "node_modules/better-sqlite3/lib/index.js");
    } catch {
      return t.skip("no SQLite can be had here");
    }
    stubs["node:sqlite"] = `data:text/javascript,${encodeURIComponent(`import Database from ${JSON.stringify(pathToFileURL(driver).href)}; export { Database as DatabaseSync };`)}`;
  }
  const printed = printedBy("Storage", stubs);
  const [, said, kept] = /^(\d+) messages, (\d+) of them in the window; the first fold begins with "Request 1"/.exec(printed).map(Number);
  assert.equal(said, 120);
  assert.ok(kept < 60, printed);
  assert.match(printed, /id: 'garden\/7'/);
});
