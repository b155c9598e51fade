// All messages into a Transcript: what a process pays once when it takes up a long conversation. `tokens` is asked for, because
// a load that puts off reading the contents would be no load.

import assert from "node:assert/strict";
import { bySize } from "./common.mjs";

export const title = "Cold load: all messages into a `Transcript`";

function ours({ plica }, messages) {
  return {
    prepare: () => ({}),
    run(state) {
      // One sample may be several runs: each lets go of the one before.
      state.transcript?.free();
      state.transcript = new plica.Transcript().append(messages);
      return state.transcript.tokens;
    },
    check: (tokens) => assert.ok(tokens > 10 * messages.length, `${tokens} tokens`),
    dispose: ({ transcript }) => transcript?.free(),
  };
}

export async function run(bench) {
  const { text } = await bySize(bench, title, async (n) => {
    const { messages } = bench.conversation(n);
    const json = JSON.stringify(messages);
    return [
      { name: "plica `append` + `tokens`", ...ours(bench, messages) },
      { name: "`JSON.parse` of the same messages", run: () => JSON.parse(json), check: (parsed) => assert.equal(parsed.length, n) },
      { name: "`JSON.stringify` of them", run: () => JSON.stringify(messages), check: (written) => assert.equal(written.length, json.length) },
    ];
  });
  return text;
}
