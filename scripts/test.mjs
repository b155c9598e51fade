// All tests, step by step, with a table at the end.
//
//   --only a,b   only steps whose name contains one of these words

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT, option, tryRun } from "./util.mjs";
import { crateInfo } from "./wasm.mjs";

const suites = readdirSync(join(ROOT, "tests"), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".test.mjs"))
  .sort()
  .map((name) => join("tests", name));

// A plain distribution of Rust may lack the linters; the code is the same either way.
const lints = [
  ...(tryRun("cargo", ["fmt", "--version"]) ? [["rustfmt", "cargo", ["fmt", "--check"]]] : []),
  ...(tryRun("cargo", ["clippy", "--version"]) ? [["clippy", "cargo", ["clippy", "--all-targets", "--locked", "--", "-D", "warnings"]]] : []),
];

// One file a core: by default the runner leaves one core idle. Older runners do not know the option.
const concurrency = process.allowedNodeEnvironmentFlags.has("--test-concurrency") || Number(process.versions.node.split(".")[0]) >= 20 ? ["--test-concurrency=2"] : [];

const { targetDir } = crateInfo();
const NOTES = join(targetDir, "package-tests.jsonl");
const reporters = ["spec", "stdout", join(ROOT, "scripts/failed.mjs"), NOTES].map((value, i) => `--test-reporter${i % 2 ? "-destination" : ""}=${value}`);

/** Name, command, arguments. The order is from what fails fast to what takes long. */
const STEPS = [
  ...lints,
  ["native tests", "cargo", ["test", "--locked", "--no-fail-fast"]],
  ["build, and dist is its result", "node", ["scripts/check-dist.mjs", "--tests", "tests/drop-in.test.mjs,tests/plan.test.mjs"]],
  ["example", "node", ["examples/check-session.mjs"]],
  ["databases for the tests of plica/store", "node", ["scripts/databases.mjs"]],
  ["package tests", "node", ["--test", ...concurrency, ...reporters, ...suites]],
  ["wasm tests in Node and browsers", "node", ["scripts/test-wasm.mjs"]],
  ["the same answers everywhere", "node", ["scripts/parity.mjs"]],
  ["consumers", "node", ["scripts/consumers.mjs"]],
  ["crate can be published", "cargo", ["publish", "--dry-run", "--locked", "--allow-dirty"]],
  ["package can be published", "npm", ["publish", "--dry-run", "--workspace", "plica"]],
  ["viewer can be published", "npm", ["publish", "--dry-run", "--workspace", "@plica/viewer"]],
];

/** So many of the files whose tests took longest are named, and of the failed tests. */
const NAMED = 12;

/** What the reporter of the package tests has noted. */
function notes() {
  try {
    return readFileSync(NOTES, "utf8").split("\n").filter(Boolean).map((text) => JSON.parse(text));
  } catch {
    return [];
  }
}

const short = (file) => String(file).replace(`${ROOT}/`, "");

mkdirSync(targetDir, { recursive: true });
rmSync(NOTES, { force: true });
const only = option("only")?.split(",");
const chosen = STEPS.filter(([name]) => !only || only.some((word) => name.includes(word)));
const results = chosen.map(([name, command, args]) => {
  console.log(`\n── ${name}: ${command} ${args.slice(0, 3).join(" ")}${args.length > 3 ? " …" : ""}`);
  const start = Date.now();
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit" });
  return { name, ok: status === 0, seconds: (Date.now() - start) / 1000 };
});

const noted = notes();
const spent = new Map();
for (const { file, ms } of noted) if (ms !== undefined) spent.set(file, (spent.get(file) ?? 0) + ms);
const longest = [...spent].sort((a, b) => b[1] - a[1]).slice(0, NAMED);
if (longest.length > 0) console.log(`\nlongest: ${longest.map(([file, ms]) => `${short(file)} ${(ms / 1000).toFixed(0)} s`).join(", ")}`);
// The end of a log is what one reads: the runner names these far above.
const broken = noted.filter(({ failed }) => failed !== undefined);
for (const { failed, file, why } of broken.slice(0, NAMED)) console.log(`\nfailed: ${short(file)}: ${failed}\n  ${why.split("\n").slice(0, 6).join("\n  ")}`);
if (broken.length > NAMED) console.log(`\n… and ${broken.length - NAMED} more failed`);

console.log();
for (const { name, ok, seconds } of results) console.log(`${ok ? "passed" : "FAILED"}  ${seconds.toFixed(0).padStart(4)} s  ${name}`);
const failed = results.filter(({ ok }) => !ok).length;
console.log(`\n${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
