// Identity of messages, and the 32-bit hash of fold modules without a core.

import assert from "node:assert/strict";
import { table } from "../table.mjs";
import { bySize } from "./common.mjs";

export const title = "`fingerprints` of all messages (128 bits)";

const OFFSET = 2166136261;
const extend = (hash, text) => {
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash;
};
const hex = (hash) => (hash >>> 0).toString(16);

/** FNV-1a over UTF-16 units in plain JavaScript: what a fold module without a core does. */
export const fnv = (text) => hex(extend(OFFSET, text));

/** The same over `role:content` of each message, joined by U+0000, without building the joined text. */
function fnvSpan(messages) {
  let hash = OFFSET;
  messages.forEach(({ role, content }, i) => {
    hash = extend(extend(extend(hash, i ? "\0" : ""), `${role}:`), content);
  });
  return hex(hash);
}

export async function run(bench) {
  const { text } = await bySize(bench, title, (n) => {
    const { messages } = bench.conversation(n);
    const texts = messages.map((message) => JSON.stringify(message));
    return [
      { name: "plica `fingerprints`", run: () => bench.plica.fingerprints(messages), check: (prints) => assert.equal(new Set(prints).size, n) },
      { name: "FNV-1a in JavaScript (32 bits), over texts that are ready", run: () => texts.map(fnv), check: (prints) => assert.equal(prints.length, n) },
    ];
  });
  return `${text}\n\n${await hashes(bench)}`;
}

/** A text of ASCII, flat. */
const plain = (length) => JSON.parse(JSON.stringify("a summary of moderate length, ".repeat(Math.ceil(length / 30)).slice(0, length)));

async function hashes(bench) {
  const { fingerprint, spanFingerprint, summaryFingerprint } = bench.plica;
  bench.progress("hashes of texts");
  const [short, long, huge] = [1_000, 12_000, 1_000_000].map(plain);
  const span = Array.from({ length: 1_000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `${i} ${plain(995)}` }));
  const same = (expected) => (print) => assert.equal(print, expected);
  const beside = async (head, ours, theirs) => ({
    head,
    results: await bench.compare([{ name: "plica", ...ours }, { name: "FNV-1a in JavaScript", ...theirs }]),
  });
  const columns = [];
  for (const [name, value] of [["1 kB", short], ["12 kB", long]]) {
    columns.push(await beside(`\`summaryFingerprint\`, ${name}`, { run: () => summaryFingerprint(value), check: same(fnv(value)) }, { run: () => fnv(value), check: same(fnv(value)) }));
  }
  columns.push(await beside("`spanFingerprint`, 1,000 messages of 1 kB", { run: () => spanFingerprint(span), check: same(fnvSpan(span)) }, { run: () => fnvSpan(span), check: same(fnvSpan(span)) }));
  columns.push(await beside("`fingerprint` (128 bits), 1 MB", { run: () => fingerprint(huge), check: (print) => assert.match(print, /^[0-9a-f]{32}$/) }, { run: () => fnv(huge), check: same(fnv(huge)) }));
  bench.record("hashes of texts", columns);
  return table("Hash of texts", columns, bench.rounds);
}
