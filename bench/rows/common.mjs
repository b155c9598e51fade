// What several rows share.

import assert from "node:assert/strict";
import { count, table } from "../table.mjs";

/** Tokens of the tail: such that something is left to fold at every size. */
export const tailBudget = (n) => (n < 1000 ? 4_000 : 20_000);

/** A fold with a tail that is within its budget. */
export function checkPlan(plan, length, budget) {
  assert.equal(plan.kind, "fold", plan.reason);
  assert.ok(plan.keptFrom > plan.prefixEnd && plan.keptFrom < length, `cut at ${plan.keptFrom} of ${length}`);
  assert.equal(plan.overBudget, false);
  assert.ok(plan.tokens.tail > 0 && plan.tokens.tail <= budget, `the tail has ${plan.tokens.tail} tokens`);
}

/** A table with a column for each size. `contendersFor(n)` may be asynchronous. */
export async function bySize(bench, title, contendersFor, columnFor = () => ({})) {
  const columns = [];
  for (const n of bench.sizes) {
    bench.progress(`${title.split(":")[0]}, ${count(n)} messages`);
    const results = await bench.compare(await contendersFor(n));
    columns.push({ n, head: `${count(n)} messages`, results, ...columnFor(n) });
  }
  bench.record(title, columns);
  return { text: table(title, columns, bench.rounds), columns };
}
