// SPDX-License-Identifier: MIT OR Apache-2.0
//
// pi messages: { role: user | assistant | toolResult, content }; bashExecution, custom, compactionSummary and branchSummary
// are the user's text. Any other role is an application's own: it never reaches a provider and is passed over.

import { asList, isNone, isObject, isText } from './common.mjs';
import { eventsOfSteps, judgeSteps } from './runs.mjs';

export const rules = [
  'bad-message', 'empty-content', 'reasoning-only', 'missing-id', 'duplicate-id', 'reused-id', 'unanswered-call', 'pending-call',
  'orphan-result', 'duplicate-result', 'misplaced-result',
];

const TOLD = new Set(['bashExecution', 'custom', 'compactionSummary', 'branchSummary']);

export const judge = (messages, options) => judgeSteps(messages, options, read);
export const events = (messages) => eventsOfSteps(messages, read);

function read(message, say) {
  const { role, content } = message;
  if (typeof role !== 'string') return say('bad-message', 'no role');
  if (TOLD.has(role)) return { kind: 'other' };
  if (role !== 'user' && role !== 'assistant' && role !== 'toolResult') return undefined;
  if (isNone(content) || (role === 'assistant' && content === '')) say('empty-content', `${role} without content`);
  else if (!isText(content)) say('bad-message', 'content is neither a string nor an array');
  for (const part of asList(content)) {
    if (!isObject(part) || typeof part.type !== 'string') say('bad-message', 'a part without a type');
  }
  if (role === 'user') return { kind: 'other' };
  if (role === 'toolResult') return { kind: 'results', results: [{ id: message.toolCallId, name: message.toolName, p: 0 }] };
  return readAssistant(asList(content), say);
}

function readAssistant(parts, say) {
  if (parts.length && parts.every((part) => part?.type === 'thinking')) say('reasoning-only', 'nothing but thinking');
  const calls = parts.map((part, p) => ({ type: part?.type, id: part?.id, name: part?.name, p }));
  return { kind: 'model', calls: calls.filter((c) => c.type === 'toolCall') };
}
