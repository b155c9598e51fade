// A plan from plain arrays, without anything kept between calls.

import { piPlan } from "../peers.mjs";
import { bySize, checkPlan, tailBudget } from "./common.mjs";

export const title = "Plan on plain arrays, nothing kept between calls";

export async function run(bench) {
  const { text } = await bySize(bench, title, async (n) => {
    const { messages } = bench.conversation(n);
    const budget = tailBudget(n);
    const plan = { name: "plica `plan`", run: () => bench.plica.plan(messages, { tailBudget: budget }), check: (answer) => checkPlan(answer, n, budget) };
    return [plan, ...(bench.peers ? [await piPlan(messages, budget)] : [])];
  });
  return `${text}\n\nTail of 20,000 tokens (4,000 at 100 messages), by each one's own estimate. plica detects the format as well.`;
}
