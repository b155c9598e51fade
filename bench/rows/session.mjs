// A session file of Claude Code, from its bytes to messages.

import assert from "node:assert/strict";
import { claudeCodeLines } from "../transcript.mjs";
import { bySize } from "./common.mjs";

export const title = "`readSession` of a Claude Code file";

const parseLines = (text) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line));

export async function run(bench) {
  const bytes = new Map();
  const contendersFor = (n) => {
    const file = Buffer.from(`${claudeCodeLines(bench.conversation(n).messages).join("\n")}\n`);
    const text = file.toString();
    bytes.set(n, file.length);
    return [
      { name: "plica `readSession`, from bytes", run: () => bench.plica.readSession(file), check: (session) => checkSession(session, n) },
      { name: "`JSON.parse` per line, from bytes", run: () => parseLines(file.toString()), check: (lines) => assert.equal(lines.length, n) },
      { name: "`JSON.parse` per line, from a string", run: () => parseLines(text), check: (lines) => assert.equal(lines.length, n) },
    ];
  };
  const { text } = await bySize(bench, title, contendersFor, (n) => ({ head: `${n.toLocaleString("en")} messages, ${megabytes(bytes.get(n))}` }));
  return `${text}\n\n\`readSession\` also orders the tree of lines, joins split answers, finds folds and reports bad lines; \`JSON.parse\` only parses.`;
}

function checkSession(session, n) {
  assert.equal(session.format, "claude-code");
  assert.equal(session.messages.length, n);
  assert.equal(session.problems.length, 0);
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 1)} MB`;
