// SPDX-License-Identifier: MIT OR Apache-2.0
//
// OpenAI chat completions: { role, content, tool_calls?, tool_call_id? }, and the older function_call.

import { fault, isObject, nonBlank } from './common.mjs';

export const rules = [
  'bad-message', 'bad-role', 'empty-content', 'empty-assistant', 'empty-tool-calls', 'missing-id', 'duplicate-id', 'reused-id',
  'unanswered-call', 'pending-call', 'orphan-result', 'duplicate-result',
];

const CHAT_ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

export function judge(messages, options) {
  const faults = [];
  const seenBefore = new Set();
  let open = null; // { calls: [{ id, index, done }] } of the assistant message just before
  const close = (rule) => {
    for (const c of open ? open.calls : []) {
      if (!c.done) faults.push(fault(rule, c.index, rule === 'pending-call' ? 'the conversation ends before the result' : 'the next message that is not a result came first', c.id));
    }
    open = null;
  };
  messages.forEach((message, index) => {
    if (!isObject(message)) return void faults.push(fault('bad-message', index, 'not an object'));
    const { role, content } = message;
    if (!CHAT_ROLES.has(role)) return void (close('unanswered-call'), faults.push(fault('bad-role', index, `role ${JSON.stringify(role)}`)));
    const none = content === undefined || content === null || (Array.isArray(content) && content.length === 0);
    if (!none && typeof content !== 'string' && !Array.isArray(content)) {
      faults.push(fault('bad-message', index, 'content is neither a string nor an array'));
    }

    if (role === 'tool' || role === 'function') {
      const legacy = role === 'function';
      const id = legacy ? `function:${message.name}` : message.tool_call_id;
      const same = open ? open.calls.filter((c) => c.id === id && c.legacy === legacy) : [];
      const call = same.find((c) => !c.done);
      if (call) call.done = true;
      else if (same.length) faults.push(fault('duplicate-result', index, 'a second result', id));
      else faults.push(fault('orphan-result', index, 'no such call directly before', id));
      if (none && !legacy) faults.push(fault('empty-content', index, 'a result needs content'));
      return;
    }

    close('unanswered-call');
    if (role !== 'assistant') {
      if (none) faults.push(fault('empty-content', index, `${role} without content`));
      return;
    }

    const calls = [];
    if (message.tool_calls !== undefined && message.tool_calls !== null) {
      if (!Array.isArray(message.tool_calls)) faults.push(fault('bad-message', index, 'tool_calls is not an array'));
      else if (message.tool_calls.length === 0) faults.push(fault('empty-tool-calls', index, 'tool_calls must not be empty'));
      else {
        const ids = new Set();
        for (const c of message.tool_calls) {
          const id = isObject(c) ? c.id : undefined;
          if (typeof id !== 'string' || id === '') faults.push(fault('missing-id', index, 'a call without an id'));
          else if (ids.has(id)) faults.push(fault('duplicate-id', index, `${id} twice in one message`, id));
          else if (options.strictIds && seenBefore.has(id)) faults.push(fault('reused-id', index, `${id} was used before`, id));
          ids.add(id);
          calls.push({ id, index, done: false, legacy: false });
        }
        for (const id of ids) seenBefore.add(id);
      }
    }
    if (isObject(message.function_call)) {
      calls.push({ id: `function:${message.function_call.name}`, index, done: false, legacy: true });
    }
    if (none && calls.length === 0 && !nonBlank(message.refusal) && !isObject(message.audio)) {
      faults.push(fault('empty-assistant', index, 'neither content nor calls'));
    }
    if (calls.length) open = { calls };
  });
  close('pending-call');
  return faults;
}

export function events(messages) {
  return messages.flatMap((m, i) => {
    if (!isObject(m)) return [];
    if (m.role === 'tool') return [{ kind: 'result', id: m.tool_call_id, at: [i, 0] }];
    if (m.role === 'function') return [{ kind: 'result', id: `function:${m.name}`, at: [i, 0] }];
    return m.role === 'assistant' ? [{ kind: 'assistant', at: [i, 0] }, ...callEvents(m, i)] : [];
  });
}

function callEvents(message, index) {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const out = calls.map((c, p) => ({ kind: 'call', id: c?.id, name: c?.function?.name ?? c?.custom?.name, at: [index, p] }));
  if (!isObject(message.function_call)) return out;
  const { name } = message.function_call;
  return [...out, { kind: 'call', id: `function:${name}`, name, at: [index, calls.length] }];
}
