// npm run test:parity: the same answers everywhere. What the core computes natively from tests/parity/inputs.json must be
// what every runtime computes from it through the packed package, byte for byte.
//
//   --only a,b     only runtimes whose name contains one of these words
//   --no-skips     a skipped runtime is a failure
//
// Both sides write one entry a line: examples/parity.rs and tests/parity/compute.mjs.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  BROWSERS, PACKAGE, attempt, bun, consumerFolder, deno, inBrowser, inWorkerd, nodeOf, pack, runProgram, servePackage, write,
} from "./runtimes.mjs";
import { ROOT, fail, flag, main, option, run, step } from "./util.mjs";
import { crateInfo } from "./wasm.mjs";

const BASE = join(crateInfo().targetDir, "parity");
const INPUTS = join(ROOT, "tests/parity/inputs.json");
const COMPUTE = readFileSync(join(ROOT, "tests/parity/compute.mjs"), "utf8");
// A thousand plans in a browser on a loaded machine.
const PATIENCE_MS = 180_000;
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** Name → a function of the consumer's folder that returns what the runtime computed. */
const RUNTIMES = {
  "node (this)": (folder) => program(folder, process.execPath),
  ...Object.fromEntries([18, 22, 24].map((major) => [`node ${major}`, (folder) => program(folder, nodeOf(major))])),
  "bun": (folder) => program(folder, bun()),
  "deno": (folder) => program(folder, deno(), ["run", "--no-remote", "--allow-read", "--allow-write"]),
  "workerd (miniflare)": worker,
  ...Object.fromEntries(Object.keys(BROWSERS).map((browser) => [browser, (folder) => page(folder, browser)])),
};

/** Runs the computation as a program that reads and writes files. */
async function program(folder, command, args = []) {
  write(folder, "compute.mjs", COMPUTE);
  const entry = write(folder, "main.mjs", `import * as plica from "${PACKAGE}";
import { compute } from "./compute.mjs";
import { readFileSync, writeFileSync } from "node:fs";
writeFileSync("results.json", compute(plica, JSON.parse(readFileSync(${JSON.stringify(INPUTS)}, "utf8"))));`);
  const { end, output } = await runProgram(command, [...args, entry], folder, { patience: PATIENCE_MS });
  if (end !== 0) fail(`ended with ${end}: ${output.trim()}`);
  return readFileSync(join(folder, "results.json"), "utf8");
}

async function worker(folder) {
  write(folder, "compute.mjs", COMPUTE);
  const entry = write(folder, "worker.js", `import * as plica from "${PACKAGE}";
import { compute } from "./compute.mjs";
export default { async fetch(request) { try { return new Response(compute(plica, await request.json())); } catch (error) { return new Response(String(error.stack)); } } };`);
  return (await inWorkerd(folder, entry, { method: "POST", body: readFileSync(INPUTS, "utf8") })).text;
}

async function page(folder, browser) {
  servePackage(folder, "site");
  write(folder, "site/index.html", '<!doctype html><title>parity</title><script type="module" src="./main.js"></script>');
  write(folder, "site/compute.mjs", COMPUTE);
  write(folder, "site/inputs.json", readFileSync(INPUTS, "utf8"));
  write(folder, "site/main.js", `import * as plica from "./plica/dist/index.js";
import { compute } from "./compute.mjs";
const go = async () => compute(plica, await (await fetch("./inputs.json")).json());
go().catch((error) => String(error) + "\\n" + error.stack).then((text) => fetch("/report", { method: "POST", body: text }));`);
  return (await inBrowser(browser, join(folder, "site"), POLICY)).text;
}

// --- comparing --------------------------------------------------------------------------------------------------------

const entries = (text) => text.split("\n").filter((line) => line.startsWith('"'));

/** Fails with the name of the first entry that differs, and both answers around the place. */
function compare(native, text) {
  if (text === native) return;
  const [expected, actual] = [entries(native), entries(text)];
  if (actual.length === 0) fail(`no results: ${text}`);
  const at = expected.findIndex((line, i) => line !== actual[i]);
  if (at < 0) fail(`${actual.length - expected.length} entries more than natively, from ${actual[expected.length] ?? "the end of the text"} on`);
  const differing = expected.filter((line, i) => line !== actual[i]).length;
  fail(`${differing} of ${expected.length} entries differ, the first: ${difference(expected[at], actual[at] ?? "nothing")}`);
}

function difference(expected, actual) {
  const name = /^"(?:[^"\\]|\\.)*"/.exec(expected)[0];
  let at = 0;
  while (expected[at] === actual[at]) at++;
  const around = (line) => line.slice(Math.max(0, at - 80), at + 80);
  return `${name}\n  native: …${around(expected)}…\n  here:   …${around(actual)}…`;
}

await main(async () => {
  const only = option("only", "").split(",").filter(Boolean);
  const chosen = Object.entries(RUNTIMES).filter(([name]) => only.length === 0 || only.some((word) => name.includes(word)));
  if (chosen.length === 0) fail(`no runtime is called ${only.join(" or ")}; there are ${Object.keys(RUNTIMES).join(", ")}`);
  mkdirSync(BASE, { recursive: true });
  const native = await step("native", () => {
    const path = join(BASE, "native.json");
    // As the native tests have built it: in another profile the core would be compiled once more.
    run("cargo", ["run", "--profile", "test", "--locked", "--quiet", "--example", "parity", "--", INPUTS, path]);
    const value = readFileSync(path, "utf8");
    return { value, text: `${entries(value).length} entries, ${Math.round(value.length / 1000)} kB` };
  });
  const tarball = pack(BASE);
  const results = { pass: 0, FAIL: 0, skipped: 0 };
  for (const [name, compute] of chosen) {
    const start = performance.now();
    const { outcome, text } = await attempt(async () => {
      compare(native, await compute(consumerFolder(BASE, name, tarball)));
      return `the same (${((performance.now() - start) / 1000).toFixed(1)} s)`;
    });
    results[outcome]++;
    console.log(`${outcome.padEnd(7)} ${name.padEnd(20)} ${text}`);
  }
  console.log(`${results.pass} passed, ${results.FAIL} failed, ${results.skipped} skipped`);
  if (results.FAIL > 0 || (flag("no-skips") && results.skipped > 0)) process.exitCode = 1;
});
