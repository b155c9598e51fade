// A plan and the prompt for the summarizer, which needs a look at all that folds.

import assert from "node:assert/strict";
import { cloudflareRequest } from "../peers.mjs";
import { bySize, tailBudget } from "./common.mjs";

export const title = "Plan and the summarizer's prompt";

export async function run(bench) {
  const { plan, summarizeRequest } = bench.plica;
  const { text } = await bySize(bench, title, async (n) => {
    const { messages } = bench.conversation(n);
    const options = { tailBudget: tailBudget(n) };
    const ours = {
      name: "plica `plan` + `summarizeRequest`",
      run: () => summarizeRequest(messages, plan(messages, options)),
      check: (request) => assert.ok(request.prompt.length > 1000, "no prompt"),
    };
    return [ours, ...(bench.peers ? [await cloudflareRequest(messages, tailBudget(n))] : [])];
  });
  return `${text}\n\nCloudflare's prompt has the first 500 characters of every call and result.`;
}
