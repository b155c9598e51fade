// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The blocks of Anthropic's messages, which hotl's items use as well.

import { fault, isObject, nonBlank } from './common.mjs';

export function isThinking(block) {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

export function thinkingRules(turn, faults) {
  for (const { block, index } of turn.parts) {
    if (block.type === 'thinking' && !nonBlank(block.signature)) {
      faults.push(fault('thinking-unsigned', index, 'thinking without its signature'));
    }
    if (block.type === 'redacted_thinking' && !nonBlank(block.data)) {
      faults.push(fault('thinking-unsigned', index, 'redacted_thinking without its data'));
    }
  }
  for (const parts of turn.messages) {
    const calls = parts.some((p) => p.block.type === 'tool_use');
    const thinks = parts.some((p) => isThinking(p.block));
    if (calls && thinks && !isThinking(parts[0].block)) {
      faults.push(fault('thinking-not-first', parts[0].index, `starts with ${parts[0].block.type}`));
    }
  }
  if (turn.parts.length && turn.parts.every((p) => isThinking(p.block))) {
    faults.push(fault('thinking-only', turn.index, 'nothing but thinking'));
  } else if (turn.parts.length && isThinking(turn.parts[turn.parts.length - 1].block)) {
    faults.push(fault('thinking-last', turn.parts[turn.parts.length - 1].index, 'ends with thinking'));
  }
}

export const isServerCall = (block) => block.type !== 'tool_use' && block.type.endsWith('_tool_use');
export const isServerResult = (block) => block.type !== 'tool_result' && block.type.endsWith('_tool_result');

/** Calls and results among the blocks, by field and not by role: whatever has a `tool_use_id` is a result. */
export function blockEvents(blocks, index) {
  return (Array.isArray(blocks) ? blocks : []).flatMap((b, p) => {
    if (!isObject(b) || typeof b.type !== 'string') return [];
    if ('tool_use_id' in b) return [{ kind: 'result', id: b.tool_use_id, at: [index, p] }];
    return b.type.endsWith('tool_use') ? [{ kind: 'call', id: b.id, name: b.name, at: [index, p] }] : [];
  });
}
