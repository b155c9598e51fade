// SPDX-License-Identifier: MIT OR Apache-2.0
//
// LangChain messages, in any of the forms they are stored and passed in:
//   { type: 'ai', data: { content, tool_calls, ... } }
//   { lc: 1, type: 'constructor', id: [..., 'AIMessage'], kwargs: { content, tool_calls, ... } }
//   an instance: something with toJSON, or with the fields themselves

import { asList, isNone, isObject, isText } from './common.mjs';
import { eventsOfSteps, judgeSteps } from './runs.mjs';

export const rules = [
  'bad-message', 'bad-role', 'empty-content', 'reasoning-only', 'missing-id', 'duplicate-id', 'reused-id', 'unanswered-call', 'pending-call',
  'orphan-result', 'duplicate-result', 'misplaced-result',
];

const KINDS = new Set(['human', 'ai', 'system', 'developer', 'tool', 'function', 'chat', 'generic', 'remove']);
const REASONING = new Set(['thinking', 'redacted_thinking', 'reasoning', 'reasoning_content']);

export const judge = (messages, options) => judgeSteps(messages, options, read);
export const events = (messages) => eventsOfSteps(messages, read);

/** The kind of message and its fields, whatever the form. */
function plain(message) {
  const m = typeof message.toJSON === 'function' ? message.toJSON() : message;
  if (!isObject(m)) return undefined;
  if (m.type === 'constructor') {
    const name = asList(m.id)[asList(m.id).length - 1];
    return isObject(m.kwargs) && typeof name === 'string' ? { kind: kindOf(name), data: m.kwargs } : undefined;
  }
  if (isObject(m.data) && typeof m.type === 'string') return { kind: kindOf(m.type), data: m.data };
  const kind = kindOfFields(m);
  return kind === undefined ? undefined : { kind, data: m };
}

/** 'AIMessageChunk', 'AIMessage' and 'ai' are the same kind. */
function kindOf(name) {
  return name.replace(/Chunk$/, '').replace(/Message$/, '').toLowerCase();
}

function kindOfFields(m) {
  if (typeof m.type === 'string') return kindOf(m.type);
  if (typeof m._getType === 'function') return kindOf(String(m._getType()));
  const className = m.constructor?.name ?? '';
  if (/Message(Chunk)?$/.test(className)) return kindOf(className);
  if ('tool_call_id' in m) return 'tool';
  if ('tool_calls' in m) return 'ai';
  return 'content' in m ? 'human' : undefined;
}

function read(message, say) {
  const { kind, data } = plain(message) ?? {};
  if (kind === undefined) return say('bad-message', 'no form of a message');
  if (!KINDS.has(kind)) {
    say('bad-role', `type ${kind}`);
    return { kind: 'other' };
  }
  if (kind === 'remove') return undefined; // an order to the store, not a message
  const { content } = data;
  const none = isNone(content);
  if (!none && !isText(content)) say('bad-message', 'content is neither a string nor an array');
  if (kind === 'ai') return readAssistant(data, say);
  if (none) say('empty-content', `${kind} without content`);
  if (kind === 'tool') return { kind: 'results', results: [{ id: data.tool_call_id, name: data.name, p: 0 }] };
  if (kind === 'function') return { kind: 'results', results: [{ id: `function:${data.name}`, name: data.name, p: 0 }] };
  return { kind: 'other' };
}

/** A tool_use block in the content says again what tool_calls says; it is no call of its own. */
function readAssistant(data, say) {
  const calls = callsOf(data);
  const { content } = data;
  if (calls.length === 0 && (isNone(content) || content === '')) say('empty-content', 'neither content nor calls');
  const blocks = asList(content);
  if (calls.length === 0 && blocks.length && blocks.every((b) => REASONING.has(b?.type))) say('reasoning-only', 'nothing but reasoning');
  return { kind: 'model', calls: calls.map((c, p) => ({ ...c, p })) };
}

function callsOf(data) {
  const raw = isObject(data.additional_kwargs) ? data.additional_kwargs : {};
  const calls = asList(data.tool_calls ?? raw.tool_calls) // older ones have them as the provider sent them only
    .filter(isObject)
    .map((c) => ({ id: c.id, name: c.name ?? c.function?.name }));
  // What the model wrote and nobody could read: it may be answered, and mostly is not.
  for (const c of asList(data.invalid_tool_calls)) if (isObject(c)) calls.push({ id: c.id, name: c.name, optional: true });
  if (isObject(raw.function_call)) calls.push({ id: `function:${raw.function_call.name}`, name: raw.function_call.name });
  return calls;
}
