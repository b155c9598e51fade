// SPDX-License-Identifier: MIT OR Apache-2.0
//
// AI SDK UI messages: { id, role, parts }. A call and its result are one part: `tool-NAME` or `dynamic-tool` with a state.

import { fault, isObject } from './common.mjs';

export const rules = [
  'bad-message', 'bad-role', 'empty-content', 'reasoning-only', 'missing-id', 'duplicate-id', 'unanswered-call', 'pending-call',
];

const ROLES = new Set(['system', 'user', 'assistant']);
const ANSWERED = new Set(['output-available', 'output-error', 'output-denied']);

export function judge(messages) {
  const faults = [];
  messages.forEach((message, index) => {
    const say = (rule, detail, id) => void faults.push(fault(rule, index, detail, id));
    if (!isObject(message)) return say('bad-message', 'not an object');
    if (!ROLES.has(message.role)) return say('bad-role', `role ${JSON.stringify(message.role)}`);
    const { parts } = message;
    if (parts === undefined || parts === null || (Array.isArray(parts) && parts.length === 0)) return say('empty-content', 'no parts');
    if (!Array.isArray(parts)) return say('bad-message', 'parts is not an array');
    if (!parts.every(isPart)) say('bad-message', 'a part without a type');
    if (message.role === 'assistant') judgeParts(parts.filter(isPart), index === messages.length - 1, say);
  });
  return faults;
}

function judgeParts(parts, isLast, say) {
  const ids = new Set();
  for (const { toolCallId: id, state } of parts.filter(isTool)) {
    if (typeof id !== 'string' || id === '') say('missing-id', 'a call without an id');
    else if (ids.has(id)) say('duplicate-id', `${id} twice in one message`, id);
    ids.add(id);
    if (!ANSWERED.has(state)) say(isLast ? 'pending-call' : 'unanswered-call', `state ${state}`, id);
  }
  const said = parts.filter((part) => part.type !== 'step-start');
  if (said.length && said.every((part) => part.type === 'reasoning')) say('reasoning-only', 'nothing but reasoning');
}

const isPart = (part) => isObject(part) && typeof part.type === 'string';
const isTool = (part) => part.type === 'dynamic-tool' || part.type.startsWith('tool-');

export function events(messages) {
  return messages.flatMap((message, i) => {
    if (!isObject(message) || message.role !== 'assistant' || !Array.isArray(message.parts)) return [];
    return [{ kind: 'assistant', at: [i, 0] }, ...message.parts.flatMap((part, p) => partEvents(part, [i, p]))];
  });
}

function partEvents(part, at) {
  if (!isPart(part) || !isTool(part)) return [];
  const { toolCallId: id } = part;
  const call = { kind: 'call', id, name: part.toolName ?? part.type.slice('tool-'.length), at };
  return ANSWERED.has(part.state) ? [call, { kind: 'result', id, at }] : [call];
}
