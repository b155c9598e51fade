// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Anthropic messages: { role: user | assistant, content: string | blocks }.

import { blockEvents, isServerCall, isServerResult, isThinking, thinkingRules } from './blocks.mjs';
import { fault, isObject, nonBlank } from './common.mjs';

export const rules = [
  'bad-message', 'bad-role', 'system-in-messages', 'first-not-user', 'empty-content', 'empty-text', 'misplaced-block', 'missing-id',
  'duplicate-id', 'reused-id', 'unanswered-call', 'pending-call', 'orphan-result', 'duplicate-result', 'results-not-first',
  'thinking-unsigned', 'thinking-not-first', 'thinking-only', 'thinking-last',
];

export function judge(messages, options) {
  const faults = [];
  const turns = [];
  messages.forEach((message, index) => {
    if (!isObject(message)) return void faults.push(fault('bad-message', index, 'not an object'));
    const { role, content } = message;
    if (role === 'system') return void faults.push(fault('system-in-messages', index, 'system belongs beside the messages'));
    if (role !== 'user' && role !== 'assistant') {
      return void faults.push(fault('bad-role', index, `role ${JSON.stringify(role)}`));
    }
    let blocks;
    if (typeof content === 'string') blocks = content === '' ? [] : [{ type: 'text', text: content }];
    else if (Array.isArray(content)) blocks = content;
    else blocks = content === undefined || content === null ? [] : null;
    if (blocks === null) {
      faults.push(fault('bad-message', index, 'content is neither a string nor an array'));
      blocks = [];
    } else if (blocks.length === 0 && !(role === 'assistant' && index === messages.length - 1)) {
      faults.push(fault('empty-content', index, 'no content'));
    }
    joinTurn(turns, role, index, blocks, faults);
  });
  if (turns.length && turns[0].role !== 'user') {
    faults.push(fault('first-not-user', turns[0].index, 'the first message must be the user\'s'));
  }
  for (const turn of turns) {
    for (const { block, index } of turn.parts) {
      if (block.type === 'text' && !nonBlank(block.text)) faults.push(fault('empty-text', index, 'blank text block'));
    }
    if (turn.role === 'assistant') thinkingRules(turn, faults);
  }
  toolRules(turns, faults, options);
  return faults;
}

/** Same-role neighbours are one turn to the provider. */
function joinTurn(turns, role, index, blocks, faults) {
  const parts = [];
  for (const block of blocks) {
    if (isObject(block) && typeof block.type === 'string') parts.push({ block, index });
    else faults.push(fault('bad-message', index, 'a block without a type'));
  }
  const last = turns[turns.length - 1];
  if (last && last.role === role) {
    last.parts.push(...parts);
    last.messages.push(parts);
  } else {
    turns.push({ role, index, parts: [...parts], messages: [parts] }); // not the same array: the turn grows, the message does not
  }
}

/** Calls and results over alternating turns; a server's own tools are answered inside the assistant's turns. */
function toolRules(turns, faults, options) {
  const seenBefore = new Set();
  let serverOpen = []; // server calls that wait for their result, [{ id, index }]
  for (let t = 0; t < turns.length; t++) {
    const turn = turns[t];
    if (turn.role === 'assistant') {
      const ids = new Set();
      const serverDone = new Set();
      let clientCalls = 0;
      for (const { block, index } of turn.parts) {
        if (block.type === 'tool_use' || isServerCall(block)) {
          if (typeof block.id !== 'string' || block.id === '') faults.push(fault('missing-id', index, 'a call without an id'));
          else if (ids.has(block.id)) faults.push(fault('duplicate-id', index, `${block.id} twice in one turn`, block.id));
          else if (options.strictIds && seenBefore.has(block.id)) {
            faults.push(fault('reused-id', index, `${block.id} was used in an earlier turn`, block.id));
          }
          ids.add(block.id);
          if (block.type === 'tool_use') clientCalls++;
          else serverOpen.push({ id: block.id, index });
        } else if (block.type === 'tool_result' || (block.type === 'image' && block.source)) {
          faults.push(fault('misplaced-block', index, `${block.type} in an assistant message`, block.tool_use_id));
        } else if (isServerResult(block)) {
          const at = serverOpen.findIndex((c) => c.id === block.tool_use_id);
          if (at >= 0) {
            serverOpen.splice(at, 1);
            serverDone.add(block.tool_use_id);
          } else if (serverDone.has(block.tool_use_id)) {
            faults.push(fault('duplicate-result', index, `a second ${block.type}`, block.tool_use_id));
          } else {
            faults.push(fault('orphan-result', index, `${block.type} without its call`, block.tool_use_id));
          }
        }
      }
      for (const id of ids) seenBefore.add(id);
      // A server's tool may itself wait for a client's tool: then its result comes after the client's results.
      const next = turns[t + 1];
      const mayWait = clientCalls > 0 && (!next || next.parts.every((p) => p.block.type === 'tool_result'));
      if (next && !mayWait) {
        for (const c of serverOpen) faults.push(fault('unanswered-call', c.index, 'server call without its result', c.id));
        serverOpen = [];
      }
      answersOf(turn, next, t + 2 >= turns.length, faults);
    } else {
      const previous = turns[t - 1];
      const open = new Map();
      if (previous) {
        for (const { block } of previous.parts) {
          if (block.type === 'tool_use') open.set(block.id, (open.get(block.id) ?? 0) + 1);
        }
      }
      const had = new Set(open.keys());
      let otherBlock = false;
      for (const { block, index } of turn.parts) {
        if (block.type === 'tool_result') {
          const left = open.get(block.tool_use_id) ?? 0;
          if (left > 0) open.set(block.tool_use_id, left - 1);
          else if (had.has(block.tool_use_id)) {
            faults.push(fault('duplicate-result', index, 'a second result', block.tool_use_id));
          } else {
            faults.push(fault('orphan-result', index, 'no such call in the assistant turn before', block.tool_use_id));
          }
          if (otherBlock && had.has(block.tool_use_id)) faults.push(fault('results-not-first', index, 'another block before it', block.tool_use_id));
        } else {
          otherBlock = true;
          if (block.type === 'tool_use' || isServerCall(block) || isServerResult(block) || isThinking(block)) {
            faults.push(fault('misplaced-block', index, `${block.type} in a user message`, block.id ?? block.tool_use_id));
          }
        }
      }
    }
  }
  for (const c of serverOpen) faults.push(fault('pending-call', c.index, 'server call at the end', c.id));
}

/** Every client call of the turn must have its result in the very next one. */
function answersOf(turn, next, isLast, faults) {
  const results = new Map();
  let onlyResults = true;
  for (const { block } of next ? next.parts : []) {
    if (block.type === 'tool_result') results.set(block.tool_use_id, (results.get(block.tool_use_id) ?? 0) + 1);
    else onlyResults = false;
  }
  if (next && next.messages.some((parts) => parts.length === 0)) onlyResults = false; // an empty message is one, too
  const inFlight = !next || (isLast && onlyResults);
  for (const { block, index } of turn.parts) {
    if (block.type !== 'tool_use') continue;
    const left = results.get(block.id) ?? 0;
    if (left > 0) results.set(block.id, left - 1);
    else if (inFlight) faults.push(fault('pending-call', index, 'the conversation ends before the result', block.id));
    else faults.push(fault('unanswered-call', index, 'no result in the next message', block.id));
  }
}

export function events(messages) {
  return messages.flatMap((m, i) => {
    if (!isObject(m)) return [];
    return [...(m.role === 'assistant' ? [{ kind: 'assistant', at: [i, 0] }] : []), ...blockEvents(m.content, i)];
  });
}
