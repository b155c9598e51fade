// SPDX-License-Identifier: MIT OR Apache-2.0
//
// An independent judge of message arrays. It is written from what the providers document about their own request
// bodies and shares nothing with the library it is meant to judge: no import, no helper, no table.
//
//   validate(messages, format, options?) -> Fault[]      format: one of the keys of RULES; each has its file in judge/
//   faultsOnly(messages, format)         -> Fault[]      without the benign ones
//   pairs(messages, format)              -> { pairs, orphans, unanswered }
//   faultsAdded(before, after, format)   -> Fault[]      faults of `after` that `before` does not account for
//
// Fault: { rule, index, detail, id? }. `index` is the index of the message in the array that was passed in.
//
// Rules (RULES says which format knows which)
//   bad-message         not an object, or content of a wrong kind
//   bad-role            a role (or role/block combination) the provider does not know
//   system-in-messages  (anthropic) a system message inside the array; skipped by all other rules
//   first-not-user      (anthropic, hotl, gemini) the first message that is not system is not the user's
//   alternation         (gemini) two contents of one side in a row
//   empty-content       no content at all (anthropic: the very last assistant message may be empty)
//   empty-text          (anthropic) a text block that is blank
//   empty-assistant     (openai-chat) an assistant message with neither content nor calls nor refusal nor audio
//   empty-tool-calls    (openai-chat) tool_calls: []
//   misplaced-block     (anthropic, hotl) a call in a user message, a client result or an image in an assistant message
//   missing-id          a call without an id, where calls need one
//   duplicate-id        one id twice among the calls that are open at the same time (openai-responses: also an item's own id;
//                       ai-sdk: also an approval's)
//   reused-id           an id used again in a later turn; only with { strictIds: true }
//   unanswered-call     a call without result, and something else came after it; also an approval nobody answered
//   pending-call        a call with nothing but results after it: still in flight, not a fault of a running conversation
//   orphan-result       a result without a call where the call has to be; an approval without request
//   duplicate-result    a second result for a call that has one
//   misplaced-result    a result that has its call, but not where it has to be (the formats with the older rules, anthropic,
//                       openai-chat and hotl, say unanswered-call and orphan-result instead)
//   results-not-first   (anthropic) another kind of block in front of a tool_result
//   thinking-unsigned   thinking without signature, redacted_thinking without data
//   thinking-not-first  an assistant message that calls tools and thinks, and does not start with the thinking
//   thinking-only       an assistant turn of nothing but thinking
//   thinking-last       an assistant turn that ends with thinking
//   reasoning-only      the same as thinking-only in the other formats
//   reasoning-orphan    (openai-responses) reasoning that is not followed by what it led to
//
// Two more are said by faultsAdded alone, because only two arrays can show them (SPLIT_RULES):
//   reasoning-split     (openai-responses) reasoning and the items it led to are not all in or all out
//   approval-split      (openai-responses, ai-sdk) the same of an approval request, its answer and its call

import * as agentfootprint from './judge/agentfootprint.mjs';
import * as aiSdk from './judge/ai-sdk.mjs';
import * as aiSdkUi from './judge/ai-sdk-ui.mjs';
import * as anthropic from './judge/anthropic.mjs';
import * as gemini from './judge/gemini.mjs';
import * as hotl from './judge/hotl.mjs';
import * as langchain from './judge/langchain.mjs';
import * as openaiChat from './judge/openai-chat.mjs';
import * as openaiResponses from './judge/openai-responses.mjs';
import * as pi from './judge/pi.mjs';
import { match } from './judge/pairing.mjs';
import { splits } from './judge/splits.mjs';

const JUDGES = {
  anthropic,
  'openai-chat': openaiChat,
  hotl,
  'openai-responses': openaiResponses,
  gemini,
  'ai-sdk': aiSdk,
  'ai-sdk-ui': aiSdkUi,
  langchain,
  agentfootprint,
  pi,
};

/** Rules that do not make a conversation in flight, or one that still carries its system text, wrong. */
export const BENIGN = new Set(['pending-call', 'system-in-messages']);

/** The rules that each format knows. */
export const RULES = Object.fromEntries(Object.entries(JUDGES).map(([format, { rules }]) => [format, rules]));

/** What faultsAdded may say beyond that. */
export const SPLIT_RULES = { 'openai-responses': ['reasoning-split', 'approval-split'], 'ai-sdk': ['approval-split'] };

export function validate(messages, format, options = {}) {
  if (!Array.isArray(messages)) throw new TypeError('messages must be an array');
  return sorted(judgeOf(format).judge(messages, options));
}

/** Faults that make a request fail: everything but the benign rules. */
export function faultsOnly(messages, format, options) {
  return validate(messages, format, options).filter((f) => !BENIGN.has(f.rule));
}

/**
 * What `after` is to blame for. A fault is accounted for when `before` has one of the same rule (and the same id, where
 * there is one); each fault of `before` accounts for one of `after`. An unanswered call of `before` also accounts for
 * the same call being pending in `after`; not the other way round. To this come the messages that belonged together in
 * `before` and were torn.
 */
export function faultsAdded(before, after, format, options) {
  const have = new Map();
  for (const f of validate(before, format, options)) bump(have, keyOf(f.rule, f.id), 1);
  const added = [];
  for (const f of validate(after, format, options)) {
    const keys = [keyOf(f.rule, f.id)];
    if (f.rule === 'pending-call') keys.push(keyOf('unanswered-call', f.id));
    const hit = keys.find((k) => (have.get(k) ?? 0) > 0);
    if (hit === undefined) added.push(f);
    else bump(have, hit, -1);
  }
  const { groups } = judgeOf(format);
  return groups ? sorted([...added, ...splits(groups(before), before, after)]) : added;
}

/**
 * Pairing by id and occurrence: a result answers the first open call with its id in the nearest earlier batch that has
 * one; a batch is all calls between two results. Positions are [message index, index of the call or result in it].
 * `pending` in an unanswered entry: no assistant message comes after the batch. Calls that nobody has to answer are not
 * listed as unanswered. `byMessage`: see `match`.
 */
export function pairs(messages, format, { byMessage = false } = {}) {
  const { events, findOpen } = judgeOf(format);
  const { batches, pairs: found, orphans, lastAssistant } = match(events(messages), findOpen, byMessage);
  return {
    pairs: found.map(({ call, result }) => ({ id: call.id ?? result.id, name: call.name, call: call.at, result: result.at })),
    orphans: orphans.map(({ id, at }) => ({ id, at })),
    unanswered: batches.flatMap(({ calls, last }) => calls
      .filter((c) => !c.done && !c.optional)
      .map(({ id, name, at }) => ({ id, name, at, pending: lastAssistant <= last }))),
  };
}

// ------------------------------------------------------------------------------------------------------------- helpers

function judgeOf(format) {
  if (!Object.hasOwn(JUDGES, format)) throw new RangeError(`validate does not know the format ${String(format)}`);
  return JUDGES[format];
}
function keyOf(rule, id) {
  return JSON.stringify([rule, id ?? null]);
}
function bump(map, key, by) {
  map.set(key, (map.get(key) ?? 0) + by);
}
function sorted(faults) {
  return faults.map((f, n) => [f, n]).sort((a, b) => a[0].index - b[0].index || a[1] - b[1]).map(([f]) => f);
}
