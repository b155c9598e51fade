// SPDX-License-Identifier: MIT OR Apache-2.0
//
// hotl items: { type: system | user | assistant | tool_results, ... }; other types are carried and not judged.

import { blockEvents, isServerCall, isServerResult, thinkingRules } from './blocks.mjs';
import { fault, isObject, nonBlank } from './common.mjs';

export const rules = [
  'bad-message', 'first-not-user', 'empty-content', 'misplaced-block', 'missing-id', 'duplicate-id', 'reused-id', 'unanswered-call',
  'pending-call', 'orphan-result', 'duplicate-result', 'thinking-unsigned', 'thinking-not-first', 'thinking-only', 'thinking-last',
];

export function judge(messages, options) {
  const faults = [];
  const seenBefore = new Set();
  let turn = null; // the assistant turn whose calls are open
  let touching = false; // the item before belongs to that turn, so another assistant item would join it
  let serverOpen = [];
  let first = true;
  let talkedOver = false; // somebody spoke after that turn: a call of it without a result is not in flight any longer
  const closeTurn = (rule) => {
    if (!turn) return;
    for (const c of turn.calls) {
      if (!c.done) faults.push(fault(rule, c.index, rule === 'pending-call' ? 'the items end before the result' : 'another item came first', c.id));
    }
  };
  const endBlocks = () => {
    if (turn && touching) thinkingRules(turn, faults);
    touching = false;
  };
  messages.forEach((item, index) => {
    if (!isObject(item)) return void faults.push(fault('bad-message', index, 'not an object'));
    const { type } = item;
    if (type !== 'system' && type !== 'user' && type !== 'assistant' && type !== 'tool_results') return; // carried, not judged
    if (type !== 'system' && first) {
      first = false;
      if (type !== 'user') faults.push(fault('first-not-user', index, 'the first item must be the user\'s'));
    }
    if (type === 'assistant') {
      const blocks = Array.isArray(item.blocks) ? item.blocks : [];
      if (!Array.isArray(item.blocks)) faults.push(fault('bad-message', index, 'blocks is not an array'));
      else if (blocks.length === 0) faults.push(fault('empty-content', index, 'no blocks'));
      if (!touching) {
        closeTurn('unanswered-call');
        if (!(turn && turn.calls.length)) {
          for (const c of serverOpen) faults.push(fault('unanswered-call', c.index, 'server call without its result', c.id));
          serverOpen = [];
        }
        turn = { index, parts: [], messages: [], calls: [], ids: new Set() };
        touching = true;
        talkedOver = false;
      }
      const parts = [];
      for (const block of blocks) {
        if (!isObject(block) || typeof block.type !== 'string') {
          faults.push(fault('bad-message', index, 'a block without a type'));
          continue;
        }
        parts.push({ block, index });
        if (block.type === 'tool_use' || isServerCall(block)) {
          if (typeof block.id !== 'string' || block.id === '') faults.push(fault('missing-id', index, 'a call without an id'));
          else if (turn.ids.has(block.id)) faults.push(fault('duplicate-id', index, `${block.id} twice in one turn`, block.id));
          else if (options.strictIds && seenBefore.has(block.id)) faults.push(fault('reused-id', index, `${block.id} was used before`, block.id));
          turn.ids.add(block.id);
          seenBefore.add(block.id);
          if (block.type === 'tool_use') turn.calls.push({ id: block.id, index, done: false });
          else serverOpen.push({ id: block.id, index });
        } else if (block.type === 'tool_result') {
          faults.push(fault('misplaced-block', index, 'tool_result in an assistant item', block.tool_use_id));
        } else if (isServerResult(block)) {
          const at = serverOpen.findIndex((c) => c.id === block.tool_use_id);
          if (at >= 0) serverOpen.splice(at, 1);
          else faults.push(fault('orphan-result', index, `${block.type} without its call`, block.tool_use_id));
        }
      }
      turn.parts.push(...parts);
      turn.messages.push(parts);
      return;
    }
    endBlocks();
    if (type !== 'tool_results') talkedOver = true;
    if (type === 'tool_results') {
      const results = Array.isArray(item.results) ? item.results : [];
      if (!Array.isArray(item.results)) faults.push(fault('bad-message', index, 'results is not an array'));
      else if (results.length === 0) faults.push(fault('empty-content', index, 'no results'));
      for (const r of results) {
        const id = isObject(r) ? r.tool_use_id : undefined;
        const same = turn ? turn.calls.filter((c) => c.id === id) : [];
        const call = same.find((c) => !c.done);
        if (call) call.done = true;
        else if (same.length) faults.push(fault('duplicate-result', index, 'a second result', id));
        else faults.push(fault('orphan-result', index, 'no such call in the assistant item before', id));
      }
    } else {
      const images = Array.isArray(item.images) && item.images.length > 0;
      if (!nonBlank(item.text) && !images) faults.push(fault('empty-content', index, `${type} without text`));
    }
  });
  endBlocks();
  const last = talkedOver ? 'unanswered-call' : 'pending-call';
  closeTurn(last);
  for (const c of serverOpen) faults.push(fault(last, c.index, 'server call at the end', c.id));
  return faults;
}

export function events(messages) {
  return messages.flatMap((m, i) => {
    if (!isObject(m)) return [];
    if (m.type === 'assistant') return [{ kind: 'assistant', at: [i, 0] }, ...blockEvents(m.blocks, i)];
    if (m.type !== 'tool_results' || !Array.isArray(m.results)) return [];
    return m.results.map((r, p) => ({ kind: 'result', id: r?.tool_use_id, at: [i, p] }));
  });
}
