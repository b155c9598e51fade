// From nothing to the first answer, each time in a fresh process.

import { child } from "../child.mjs";
import { count, markdown, time } from "../table.mjs";
import { summary } from "../measure.mjs";

export const title = "Import and first call, in a fresh process";

const OURS = [["plica", "plica", "`plan`"]];
const PEERS = [
  ["pi", "pi (the one file)", "`findCutPoint`"],
  ["aiSdk", "AI SDK", "`pruneMessages`"],
  ["cloudflare", "Cloudflare `agents/sessions`", "`createCompactFunction`"],
  ["langchain", "LangChain `@langchain/core/messages`", "`trimMessages`"],
];

export async function run(bench) {
  const wanted = [...OURS, ...(bench.peers ? PEERS : [])];
  const times = new Map(wanted.map(([key]) => [key, []]));
  for (let round = 0; round < bench.rounds; round++) {
    bench.progress(`${title}, round ${round + 1}`);
    for (const [key] of wanted) times.get(key).push(child("start", [key]));
  }
  const rows = wanted.map(([key, name, call]) => {
    const of = (pick) => time(summary(times.get(key).map(pick)), bench.rounds);
    return [key === "plica" ? `**${name}**` : name, of((t) => t.imported), `${call} ${of((t) => t.called)}`, of((t) => t.imported + t.called)];
  });
  bench.record(title, Object.fromEntries(times));
  return `${markdown([title, "import", "first call, 100 messages", "both"], rows)}\n\nMedian of ${count(bench.rounds)} processes. plica's first call decodes and compiles its module.`;
}
