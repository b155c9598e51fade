// What an agent does after every step: two messages more, is it time to fold, and if so where. The peers only plan: none has a
// cheap way to ask whether it is time.

import { aiSdkTurn, cloudflareTurn, langchainTurn, piTurn } from "../peers.mjs";
import { bySize, checkPlan, tailBudget } from "./common.mjs";
import { time } from "../table.mjs";

export const title = "One agent turn on a long transcript: 2 messages more, is it due, where to cut";

const OURS = "plica `Transcript`: `append` + `due` + `plan`";

function ours({ plica }, { messages, pairs }, budget) {
  return {
    maxRepeat: pairs.length,
    prepare: () => new plica.Transcript({ window: 200_000 }).append(messages),
    run(transcript, i) {
      transcript.append(pairs[i]);
      return { due: transcript.due(), plan: transcript.plan({ tailBudget: budget }) };
    },
    check({ due, plan }, transcript) {
      checkPlan(plan, transcript.length, budget);
      if (typeof due !== "boolean") throw new Error(`due() is ${due}`);
    },
    dispose: (transcript) => transcript.free(),
  };
}

export async function run(bench) {
  const { text, columns } = await bySize(bench, title, async (n) => {
    const { messages, pairs } = bench.conversation(n);
    const budget = tailBudget(n);
    const peers = bench.peers ? [piTurn, aiSdkTurn, cloudflareTurn, langchainTurn] : [];
    return [{ name: OURS, ...ours(bench, { messages, pairs }, budget) }, ...(await Promise.all(peers.map((make) => make(messages, pairs, budget))))];
  });
  return [text, growth(columns), NOTE].filter(Boolean).join("\n\n");
}

/** The goal is a cost that does not depend on the length. */
function growth(columns) {
  const timed = columns.filter(({ results }) => results.get(OURS)?.median !== undefined);
  if (timed.length < 2) return "";
  const [from, to] = [timed.find(({ n }) => n >= 1000) ?? timed[0], timed.at(-1)];
  const factor = to.results.get(OURS).median / from.results.get(OURS).median;
  return `plica: ${time(to.results.get(OURS), 0)} at ${to.head} are ${factor.toFixed(2)} × the time at ${from.head}.`;
}

const NOTE =
  "Tail of 20,000 tokens (4,000 at 100 messages), by each one's own estimate. pi lists all cuts and walks back over the tail. `pruneMessages` " +
  "counts nothing: it is told how many messages to spare. `createCompactFunction` also builds the summarizer's prompt, and its summarizer answers at once. " +
  "`trimMessages` has the cheapest counter, characters / 4.";
