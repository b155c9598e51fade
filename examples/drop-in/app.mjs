// The diary of an orchard, kept by an agent: what was said is stored with its folds beside it, what is to be remembered as facts.
//
//   node examples/drop-in/app.mjs [FILE]     prints what is stored
//
// Written against an old module. To use plica, change the next line to: … from "plica";
import { budgetFacts, computeMemoryHealth, foldedMessages, foldedSpanFor, isCompactedSummary, partitionPinned, spanFingerprint, summaryFingerprint } from "./old-module.mjs";

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** All that was said, through folds of folds. */
function everything(conversation, messages) {
  return messages.flatMap((message) => {
    const span = foldedSpanFor(conversation, message);
    if (span === undefined) return [message];
    if (span.messages === undefined) return [{ role: "system", content: `(${span.messageCount} messages were not kept)` }];
    return everything(conversation, span.messages);
  });
}

/** Folds the oldest messages, the way the application always did. */
function folded(conversation, count, summary) {
  const span = conversation.messages.slice(0, count);
  const digest = { role: "user", content: `[compacted history — ${count} earlier messages]\n${summary}` };
  const record = {
    summaryFingerprint: summaryFingerprint(digest.content), runId: `run-${spanFingerprint(span)}`, iteration: 1, foldedAtMs: 0, model: "by hand",
    messageCount: count, removedStageIds: [], retained: "conversation", messages: span,
  };
  return { ...conversation, messages: [digest, ...conversation.messages.slice(count)], folded: [...(conversation.folded ?? []), record] };
}

function diary({ conversation, facts }) {
  const lines = [];
  for (const message of conversation.messages) {
    const kind = isCompactedSummary(message) ? `summary of ${foldedSpanFor(conversation, message)?.messageCount ?? "nothing that is stored"}` : message.role;
    lines.push(`${summaryFingerprint(message.content)}  ${kind}: ${message.content.split("\n").pop()}`);
  }
  const all = everything(conversation, conversation.messages);
  lines.push(`${conversation.messages.length} messages stand for ${all.length}, ${foldedMessages(conversation).length} are kept in folds, span ${spanFingerprint(all)}`);
  for (const { role, content } of all) lines.push(`  ${role}: ${content}`);
  const again = folded(conversation, 2, "GOAL: the harvest");
  lines.push(`folded once more: ${again.messages.length} messages stand for ${everything(again, again.messages).length}, run ${again.folded.at(-1).runId}`);

  const { pinned, rest } = partitionPinned(facts);
  lines.push(`rules: ${pinned.map(({ key }) => key).join(", ")}; ${rest.length} other facts`);
  const health = computeMemoryHealth(facts);
  lines.push(`${health.totalFacts} facts, ${health.imp5Count} important (${health.imp5Pct} %), ${health.warnings.length} warnings`);
  lines.push(...health.byAgent.map((entry) => `  ${entry.agent_id}: ${entry.facts}`));
  const { rendered, collapsed } = budgetFacts(facts, { maxChars: 600, minFacts: 3 });
  lines.push(`recalled: ${rendered.map(({ key }) => key).join(", ")}; left aside: ${collapsed.map(({ key }) => key).join(", ")}`);
  return lines.join("\n");
}

const file = process.argv[2] ?? fileURLToPath(new URL("orchard.json", import.meta.url));
console.log(diary(JSON.parse(readFileSync(file, "utf8"))));
