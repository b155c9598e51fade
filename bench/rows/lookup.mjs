// From a digest to the fold that it stands for.

import assert from "node:assert/strict";
import { table } from "../table.mjs";
import { fnv } from "./fingerprints.mjs";

export const title = "Lookup of 1,000 digests among 10,000 folds";

const FOLDS = 10_000;

function ledger({ plica, conversation }) {
  const { messages } = conversation(100);
  const all = new plica.Ledger();
  for (let i = 0; i < FOLDS; i++) all.record({ messages, plan: { prefixEnd: 0, keptFrom: 2 }, digest: digest(i), format: "anthropic" });
  return all;
}

const digest = (i) => ({ role: "user", content: `[compacted history — ${i}]\n${"What was decided, and why it was. ".repeat(6)}` });

export async function run(bench) {
  bench.progress(title);
  const folds = ledger(bench);
  const spans = Array.from({ length: FOLDS }, (_, i) => ({ summaryFingerprint: fnv(digest(i).content), i }));
  const byPrint = new Map(spans.map((span) => [span.summaryFingerprint, span]));
  // Copies, as they come back from a store: found by what they say, not by being the same object.
  const wanted = Array.from({ length: 1_000 }, (_, i) => JSON.parse(JSON.stringify(digest(i * 10 + 3))));
  const conversation = { folded: spans };
  const found = (answers) => assert.ok(answers.every((answer, k) => answer?.i === k * 10 + 3), "not what was looked for");
  const results = await bench.compare([
    { name: "plica `ledger.lookup`", run: () => wanted.map((message) => folds.lookup(message)), check: (answers) => answers.forEach((fold, k) => assert.equal(fold, folds.folds[k * 10 + 3])) },
    { name: "plica `foldedSpanFor`", run: () => wanted.map((message) => bench.plica.foldedSpanFor(conversation, message)), check: found },
    { name: "`find` over an array, hash made once a digest", run: () => wanted.map((message) => findSpan(spans, fnv(message.content))), check: found },
    { name: "a `Map` by the 32-bit hash, which collides", run: () => wanted.map((message) => byPrint.get(fnv(message.content))), check: found },
  ]);
  const columns = [{ head: "1,000 lookups", results }];
  bench.record(title, columns);
  return table(title, columns, bench.rounds);
}

const findSpan = (spans, print) => spans.find((span) => span.summaryFingerprint === print);
