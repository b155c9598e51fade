// SPDX-License-Identifier: MIT OR Apache-2.0
//
// agentfootprint messages: { role, content: string, toolCalls?, toolCallId?, toolName?, thinkingBlocks? }.

import { asList, isObject } from './common.mjs';
import { eventsOfSteps, judgeSteps } from './runs.mjs';

export const rules = [
  'bad-message', 'bad-role', 'empty-content', 'reasoning-only', 'missing-id', 'duplicate-id', 'reused-id', 'unanswered-call', 'pending-call',
  'orphan-result', 'duplicate-result', 'misplaced-result',
];

const ROLES = new Set(['system', 'user', 'assistant', 'tool']);

export const judge = (messages, options) => judgeSteps(messages, options, read);
export const events = (messages) => eventsOfSteps(messages, read);

function read(message, say) {
  const { role, content } = message;
  if (!ROLES.has(role)) {
    say('bad-role', `role ${JSON.stringify(role)}`);
    return { kind: 'other' };
  }
  const none = content === undefined || content === null;
  if (!none && typeof content !== 'string') say('bad-message', 'content is not a string');
  if (role === 'assistant') return readAssistant(message, say);
  if (none) say('empty-content', `${role} without content`);
  if (role !== 'tool') return { kind: 'other' };
  return { kind: 'results', results: [{ id: message.toolCallId, name: message.toolName, p: 0 }] };
}

function readAssistant(message, say) {
  const calls = asList(message.toolCalls).filter(isObject).map((c, p) => ({ id: c.id, name: c.name, p }));
  if ((message.content ?? '') === '' && calls.length === 0) {
    if (asList(message.thinkingBlocks).length) say('reasoning-only', 'nothing but thinking');
    else say('empty-content', 'neither content nor calls');
  }
  return { kind: 'model', calls };
}
