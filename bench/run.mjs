// npm start -w bench: speed as ratios, both sides in one run on one machine. Nothing here is a test.

import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import * as plica from "plica";

/** Best of several rounds, in milliseconds: the least disturbed one. */
function time(fn, rounds = 7) {
  let best = Infinity;
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    fn();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** FNV-1a over UTF-16 units in plain JavaScript: what a fold module without a core does. */
function fnvLoop(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0).toString(16);
}

/** A tool-using transcript of n messages and about 600 bytes each. */
function transcript(n) {
  const messages = [];
  for (let i = 0; messages.length < n; i++) {
    messages.push(
      { role: "user", content: `Request ${i}: ${"please look at this ".repeat(20)}` },
      { role: "assistant", content: [{ type: "text", text: `Looking at ${i}.` }, { type: "tool_use", id: `t${i}`, name: "read", input: { path: `src/file${i}.ts`, limit: 200 } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${i}`, content: "const value = compute(input);\n".repeat(50) }] },
      { role: "assistant", content: `Done with ${i}. ${"It works now. ".repeat(10)}` },
    );
  }
  return messages.slice(0, n);
}

const rows = [];
function row(what, ours, theirs, peer) {
  rows.push([what, `${ours.toFixed(3)} ms`, `${theirs.toFixed(3)} ms`, `${(theirs / ours).toFixed(2)} ×`, peer]);
}

const start = performance.now();
plica.summaryFingerprint("");
const load = performance.now() - start;

const text = "a summary of moderate length, ".repeat(400);
row("summaryFingerprint, 12 000 characters × 100", time(() => { for (let i = 0; i < 100; i++) plica.summaryFingerprint(text); }), time(() => { for (let i = 0; i < 100; i++) fnvLoop(text); }), "the same loop in JavaScript");

const messages = transcript(20_000);
const json = JSON.stringify(messages);
const texts = messages.map((message) => JSON.stringify(message));
row("fingerprints, 20 000 messages (128 bits)", time(() => plica.fingerprints(messages), 3), time(() => texts.forEach(fnvLoop), 3), "FNV (32 bits) over ready texts");
row(`plan, 20 000 messages, ${(json.length / 1e6).toFixed(1)} MB`, time(() => plica.plan(messages, { tailBudget: 20_000 }), 3), time(() => JSON.parse(JSON.stringify(messages)), 3), "JSON.stringify + JSON.parse");

const session = readFileSync(new URL("../examples/garden-planner.jsonl", import.meta.url));
const many = Buffer.concat(Array.from({ length: 15 }, () => session));
row(`inspectSession, ${(many.length / 1e6).toFixed(1)} MB JSONL`, time(() => plica.inspectSession(many), 3), time(() => many.toString().split("\n").filter(Boolean).forEach((line) => JSON.parse(line)), 3), "JSON.parse per line");

const ledger = new plica.Ledger();
const short = transcript(8);
for (let i = 0; i < 2000; i++) {
  const plan = { prefixEnd: 0, keptFrom: 4 };
  ledger.record({ messages: short, plan, digest: { role: "user", content: `summary ${i}` } });
}
const wanted = Array.from({ length: 200 }, (_, i) => ({ role: "user", content: `summary ${i * 9}` }));
const spans = ledger.folds.map((fold, i) => ({ summaryFingerprint: fnvLoop(`summary ${i}`), fold }));
row("lookup of 200 digests among 2 000 folds", time(() => wanted.forEach((message) => ledger.lookup(message)), 3), time(() => wanted.forEach((message) => spans.find((span) => span.summaryFingerprint === fnvLoop(message.content))), 3), "find over an array");

console.log(`Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}; first call (decode, compile, run) ${load.toFixed(1)} ms\n`);
console.log("| what | plica | beside it | ratio | beside what |\n|---|---:|---:|---:|---|");
for (const cells of rows) console.log(`| ${cells.join(" | ")} |`);
