// node fit.mjs: fits the weights of the estimator to counts of o200k_base, and writes src/tokens/weights.bin.
//
// Least squares over pieces of text, no weight below zero, by coordinate descent. Kinds of text weigh the same, however much
// there is of each. A weight that little is known of is held near a coarser one: that of the two letters without the one in
// front, that of the letter without the one in front, or what the character costs alone.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { textsOf } from "./corpora.mjs";
import { AT, PAIRS, PIECES, SIZE, features, other } from "./features.mjs";
import { FIT } from "./sources.mjs";

/** A weight is so many times the tokens, in a byte. */
const SCALE = 64;

/** Frequent pieces count a little less than their number: the next text has others. */
const POWER = 0.9;

/** How strongly weights are held near the coarser ones, as a number of average pieces. */
const PULL = 3;

const rows = observations();
const coarse = solve(rows.map((row) => ({ ...row, found: row.found.map(coarser) })), prior());
const fine = solve(rows, Float64Array.from({ length: SIZE }, (_, i) => coarse[coarser(i)]));
const bytes = Uint8Array.from(fine, (weight) => Math.min(255, Math.round(weight * SCALE)));
writeFileSync(fileURLToPath(new URL("../../src/tokens/weights.bin", import.meta.url)), Buffer.concat([bytes, PAIRS]));
console.log(`${rows.length} pieces, ${bytes.length} weights`);

function observations() {
  const known = new Map();
  for (const [kind, sources] of Object.entries(FIT)) {
    const counts = new Map();
    for (const text of textsOf(kind, sources)) for (const [piece] of text.matchAll(PIECES)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
    const total = [...counts].reduce((sum, [piece, count]) => sum + count ** POWER * tokens(piece), 0);
    for (const [piece, count] of counts) known.set(piece, (known.get(piece) ?? 0) + count ** POWER / total);
  }
  const mean = [...known.values()].reduce((sum, weight) => sum + weight, 0) / known.size;
  return [...known].map(([piece, weight]) => ({ found: features(piece), tokens: tokens(piece), weight: weight / mean }));
}

function tokens(piece) {
  tokens.known ??= new Map();
  if (!tokens.known.has(piece)) tokens.known.set(piece, encode(piece, { disallowedSpecial: new Set() }).length);
  return tokens.known.get(piece);
}

/** The weight that a weight is held near. */
function coarser(i) {
  if (i < AT.capitals) return AT.letters + (i & 1023);
  if (i >= AT.scripts && i < AT.han - 1024) return AT.scripts + ((i - AT.scripts) & ~1023) + ((i - AT.scripts) & 31);
  return i;
}

/** What characters cost alone; a third of a token for a letter more, a whole one for anything else. */
function prior() {
  const weights = new Float64Array(SIZE).fill(1);
  weights.fill(0.3, AT.letters, AT.leads);
  weights.fill(0.4, AT.marks, AT.again).fill(0.05, AT.again, AT.spaces).fill(0.5, AT.scripts, AT.han).fill(0.9, AT.han, AT.han + 2048).fill(0.3, AT.han + 2048, AT.others);
  const sums = new Map();
  for (let cp = 0x80; cp < 0x20000; cp++) {
    if (cp >= 0xd800 && cp < 0xe000) continue;
    const char = String.fromCodePoint(cp);
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char)) continue;
    const [sum, count] = sums.get(other(cp)) ?? [0, 0];
    sums.set(other(cp), [sum + tokens(char), count + 1]);
  }
  for (const [place, [sum, count]] of sums) weights[AT.others + place] = sum / count;
  return weights;
}

/** Weights of 0 or more with the least squared error, and not far from `near`. */
function solve(rows, near) {
  const columns = Array.from({ length: SIZE }, () => []);
  rows.forEach((row, r) => {
    const times = new Map();
    for (const i of row.found) times.set(i, (times.get(i) ?? 0) + 1);
    for (const [i, count] of times) columns[i].push([r, count]);
  });
  const weights = Float64Array.from(near);
  const rest = Float64Array.from(rows, (row) => row.tokens - row.found.reduce((sum, i) => sum + weights[i], 0));
  for (let sweep = 0; sweep < 60; sweep++) {
    for (let i = 0; i < SIZE; i++) {
      if (columns[i].length === 0) continue;
      let [up, down] = [PULL * (near[i] - weights[i]), PULL];
      for (const [r, count] of columns[i]) {
        up += rows[r].weight * rest[r] * count;
        down += rows[r].weight * count * count;
      }
      const next = Math.max(0, weights[i] + up / down);
      const step = next - weights[i];
      weights[i] = next;
      for (const [r, count] of columns[i]) rest[r] -= step * count;
    }
  }
  return weights;
}
