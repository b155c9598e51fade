// SPDX-License-Identifier: MIT OR Apache-2.0
//
// AI SDK model messages: { role: system | user | assistant | tool, content: string | parts }. The results of an assistant message
// stand in the tool messages after it; a tool that the provider runs is answered in an assistant message, later or never.
// A call may wait for an approval: the response stands in the tool messages after it too, and one that denies is as good as a
// result, because the SDK makes the result from it.

import { asList, fault, isNone, isObject, isText } from './common.mjs';
import { eventsOfSteps, judgeSteps } from './runs.mjs';

export const rules = [
  'bad-message', 'bad-role', 'empty-content', 'reasoning-only', 'missing-id', 'duplicate-id', 'reused-id', 'unanswered-call', 'pending-call',
  'orphan-result', 'duplicate-result', 'misplaced-result',
];

const ROLES = new Set(['system', 'user', 'assistant', 'tool']);

export function judge(messages, options) {
  return [...judgeSteps(messages, options, reader(messages), { inside: true }), ...approvalRules(messages)];
}
export const events = (messages) => eventsOfSteps(messages, reader(messages));

const partsOf = (message) => (isObject(message) ? asList(message.content).filter(isObject) : []);

function reader(messages) {
  const asked = new Map(); // approval id -> id of the call
  for (const part of messages.flatMap(partsOf)) {
    if (part.type === 'tool-approval-request') asked.set(part.approvalId, part.toolCallId);
  }
  return (message, say) => read(message, say, asked);
}

function read(message, say, asked) {
  const { role, content } = message;
  if (!ROLES.has(role)) {
    say('bad-role', `role ${JSON.stringify(role)}`);
    return { kind: 'other' };
  }
  if (isNone(content) || (content === '' && role !== 'system')) say('empty-content', `${role} without content`);
  else if (!isText(content) || (role === 'system' && Array.isArray(content)) || (role === 'tool' && typeof content === 'string')) {
    say('bad-message', `content of a wrong kind for ${role}`);
  }
  const parts = asList(content);
  if (parts.some((part) => !isObject(part) || typeof part.type !== 'string')) say('bad-message', 'a part without a type');
  if (role === 'assistant' || role === 'user') emptyParts(parts, say);
  if (role === 'assistant') return { kind: 'model', calls: callsIn(parts), results: resultsIn(parts, asked) };
  return role === 'tool' ? { kind: 'results', results: resultsIn(parts, asked) } : { kind: 'other' };
}

/** The SDK takes empty texts out before it sends. */
function emptyParts(parts, say) {
  const full = parts.filter((part) => part?.type !== 'text' || part.text !== '');
  if (parts.length && full.length === 0) say('empty-content', 'nothing but empty text');
  if (full.length && full.every((part) => part?.type === 'reasoning' || part?.type === 'reasoning-file')) {
    say('reasoning-only', 'nothing but reasoning');
  }
}

function callsIn(parts) {
  return parts.flatMap((part, p) => {
    if (part?.type !== 'tool-call') return [];
    const call = { id: part.toolCallId, name: part.toolName, p };
    return [part.providerExecuted === true ? { ...call, optional: true } : call];
  });
}

function resultsIn(parts, asked) {
  return parts.flatMap((part, p) => {
    if (part?.type === 'tool-result') return [{ id: part.toolCallId, name: part.toolName, p }];
    const denies = part?.type === 'tool-approval-response' && part.approved === false && asked.has(part.approvalId);
    return denies ? [{ id: asked.get(part.approvalId), p, soft: true }] : [];
  });
}

function approvalRules(messages) {
  const faults = [];
  const requests = new Map(); // approval id -> { run, answered }
  let run = 0; // counts up with every message that is not a tool's
  messages.forEach((message, index) => {
    if (isObject(message) && message.role !== 'tool') run++;
    for (const part of partsOf(message)) {
      const id = part.approvalId;
      if (part.type === 'tool-approval-request') {
        if (requests.has(id)) faults.push(fault('duplicate-id', index, 'two requests with one approval id', id));
        requests.set(id, { run, answered: false });
      } else if (part.type === 'tool-approval-response') {
        const rule = answer(requests.get(id), run);
        if (rule) faults.push(fault(rule, index, 'an approval response', id));
      }
    }
  });
  return faults;
}

function answer(request, run) {
  if (!request) return 'orphan-result';
  if (request.answered) return 'duplicate-result';
  request.answered = true;
  return request.run === run ? undefined : 'misplaced-result';
}

/** Messages that belong together: an approval request (its call is in the same message) and the response to it. */
export function groups(messages) {
  const asked = new Map();
  const out = [];
  messages.forEach((message, index) => {
    for (const part of partsOf(message)) {
      if (part.type === 'tool-approval-request') asked.set(part.approvalId, [index, ...callBefore(messages, index, part.toolCallId)]);
      const request = part.type === 'tool-approval-response' ? asked.get(part.approvalId) : undefined;
      if (request) out.push({ rule: 'approval-split', members: [...new Set([...request, index])].sort((a, b) => a - b), id: part.approvalId });
    }
  });
  return out;
}

function callBefore(messages, from, id) {
  for (let i = from; i >= 0; i--) {
    if (partsOf(messages[i]).some((part) => part.type === 'tool-call' && part.toolCallId === id)) return [i];
  }
  return [];
}
