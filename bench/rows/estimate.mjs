// Tokens of one long text: of many scripts and kinds of code, and of what an agent's transcript says.

import { checkCount, gptTokenizer, tokenx } from "../peers.mjs";
import { table } from "../table.mjs";
import { mixedText } from "../transcript.mjs";

export const title = "Token estimate of one text";

/** All that is said in a transcript, as one text. */
const transcriptText = ({ messages }) => JSON.parse(JSON.stringify(messages.flatMap(({ content }) => (typeof content === "string" ? [content] : content.map((block) => block.text ?? block.content ?? JSON.stringify(block.input)))).join("\n")));

async function measure(bench, text, head) {
  const bytes = Buffer.byteLength(text);
  const messages = [{ role: "user", content: text }];
  bench.progress(`${title}, ${head}`);
  const ours = {
    name: "plica `estimate` (balanced)",
    run: () => bench.plica.estimate(messages, { format: "anthropic", estimator: "balanced" }).total,
    check: (total) => checkCount(total, text),
  };
  const results = await bench.compare([ours, ...(bench.peers ? [await tokenx(text), await gptTokenizer(text)] : [])]);
  return { head: `${head}, ${(bytes / 1e6).toFixed(1)} MB of UTF-8`, results, bytes };
}

export async function run(bench) {
  const columns = [await measure(bench, mixedText(4_000_000), "many scripts"), await measure(bench, transcriptText(bench.conversation(10_000)), "an agent's transcript")];
  bench.record(title, columns);
  return `${table(title, columns, bench.rounds)}\n\nFrom one string in JavaScript. Many scripts: prose, code, JSON, logs, tables, base64, hex, Chinese, Japanese, Korean, Russian, Arabic, emoji.`;
}
