// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Gemini contents: { role: user | model | function, parts }. User and function are one side, and the sides take turns. The
// content after one with functionCalls has all their functionResponses. Where an id is missing on either side, or is one that no
// open call has, name and order pair.

import { fault, isObject } from './common.mjs';
import { eventsOfSteps, judgeSteps } from './runs.mjs';

export const rules = [
  'bad-message', 'bad-role', 'first-not-user', 'alternation', 'empty-content', 'reasoning-only', 'duplicate-id', 'reused-id', 'unanswered-call',
  'pending-call', 'orphan-result', 'duplicate-result', 'misplaced-result',
];

const ROLES = new Set(['user', 'model', 'function']);

export function judge(messages, options) {
  return [...judgeSteps(messages, options, read, { find, tag, noIds: true, oneStep: true }), ...turnRules(messages)];
}
export const events = (messages) => eventsOfSteps(messages, read);

function find(calls, result) {
  const same = result.id === undefined ? undefined : calls.find((c) => c.id === result.id);
  return same ?? calls.find((c) => c.name === result.name);
}
const tag = (x) => x.id ?? `name:${x.name}`;

/** For pairs: the open call with the id in any batch; failing that, the first of its name in the nearest batch. */
export function findOpen(batches, result) {
  const byId = result.id === undefined ? undefined : latest(batches, (c) => c.id === result.id);
  return byId ?? latest(batches, (c) => c.name === result.name);
}

function latest(batches, wanted) {
  for (let b = batches.length - 1; b >= 0; b--) {
    const call = batches[b].calls.find((c) => !c.done && wanted(c));
    if (call) return call;
  }
  return undefined;
}

function read(content, say) {
  const { role, parts } = content;
  if (!ROLES.has(role)) {
    say('bad-role', `role ${JSON.stringify(role)}`);
    return { kind: 'other' };
  }
  const list = Array.isArray(parts) ? parts : [];
  if (parts !== undefined && parts !== null && !Array.isArray(parts)) say('bad-message', 'parts is not an array');
  else if (list.length === 0 || (list.length === 1 && isBlankText(list[0]))) say('empty-content', 'no parts, or nothing in them');
  if (!list.every(isObject)) say('bad-message', 'a part that is no object');
  if (role === 'model' && list.length && list.every((part) => part?.thought === true)) say('reasoning-only', 'nothing but thoughts');
  return { ...stepOf(role, list), ...callsAndResults(role, list) };
}

function stepOf(role, parts) {
  if (role === 'model') return { kind: 'model' };
  const results = parts.filter((part) => isObject(part?.functionResponse)).length;
  return results === 0 ? { kind: 'other' } : { kind: 'results', talks: results < parts.length };
}

function callsAndResults(role, parts) {
  const pick = (field) => parts.flatMap((part, p) => (isObject(part?.[field]) ? [{ id: part[field].id || undefined, name: part[field].name, p }] : []));
  return { calls: role === 'model' ? pick('functionCall') : [], results: pick('functionResponse') };
}

/** An empty text that carries a thoughtSignature is what the model sent, and has to come back. */
function isBlankText(part) {
  return isObject(part) && part.text === '' && Object.keys(part).length === 1;
}

function turnRules(contents) {
  const faults = [];
  let before;
  contents.forEach((content, index) => {
    if (!isObject(content) || !ROLES.has(content.role)) return;
    const side = content.role === 'model' ? 'model' : 'user';
    if (before === undefined && side === 'model') faults.push(fault('first-not-user', index, 'the first content must be the user\'s'));
    if (side === before) faults.push(fault('alternation', index, `a second content of the ${side} side`));
    before = side;
  });
  return faults;
}
