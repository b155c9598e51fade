// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Writes a story down as Anthropic messages, OpenAI chat messages and hotl items.

import { PIXEL } from './dice.mjs';

function blocksOf(step) {
  const thinking = step.thinking.map((t) => {
    if ('redacted' in t) return { type: 'redacted_thinking', data: t.redacted };
    return t.signature === undefined ? { type: 'thinking', thinking: t.text } : { type: 'thinking', thinking: t.text, signature: t.signature };
  });
  const rest = step.texts.map((text) => ({ type: 'text', text }));
  for (const c of step.server) {
    if (c.half !== 'result') rest.push({ type: 'server_tool_use', id: c.id, name: c.name, input: { query: 'q' } });
    if (c.half !== 'call') rest.push({ type: 'web_search_tool_result', tool_use_id: c.id, content: [] });
  }
  for (const c of step.calls) rest.push({ type: 'tool_use', id: c.id, name: c.name, input: c.input });
  return step.thinkingLast ? [...rest, ...thinking] : [...thinking, ...rest];
}

export function toAnthropic(step) {
  if (step.kind === 'system') return [{ role: 'system', content: step.text }];
  if (step.kind === 'user') {
    if (!step.image) return [{ role: 'user', content: step.text }];
    return [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }, { type: 'text', text: step.text }] }];
  }
  if (step.kind === 'assistant') {
    const blocks = blocksOf(step);
    if (blocks.length === 1 && blocks[0].type === 'text') return [{ role: 'assistant', content: blocks[0].text }];
    return [{ role: 'assistant', content: blocks }];
  }
  if (step.kind === 'results') {
    const content = step.results.map((x) => {
      const block = { type: 'tool_result', tool_use_id: x.id, content: x.content };
      return x.error ? { ...block, is_error: true } : block;
    });
    if (step.textBefore !== undefined) content.unshift({ type: 'text', text: step.textBefore });
    if (step.textAfter !== undefined) content.push({ type: 'text', text: step.textAfter });
    return [{ role: 'user', content }];
  }
  return [];
}

export function toChat(step) {
  if (step.kind === 'system') return [{ role: step.developer ? 'developer' : 'system', content: step.text }];
  if (step.kind === 'user') {
    if (!step.image) return [{ role: 'user', content: step.text }];
    return [{ role: 'user', content: [{ type: 'text', text: step.text }, { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'low' } }] }];
  }
  if (step.kind === 'assistant') {
    const message = { role: 'assistant', content: step.texts.length ? step.texts.join('\n') : null };
    if (step.thinking.length) message.reasoning_content = step.thinking.map((t) => t.text ?? '').join('\n');
    const calls = step.calls.filter((c) => !c.legacy);
    if (calls.length || step.emptyCalls) {
      message.tool_calls = calls.map((c) => ({ id: c.id, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.input) } }));
    }
    const legacy = step.calls.find((c) => c.legacy);
    if (legacy) message.function_call = { name: legacy.name, arguments: JSON.stringify(legacy.input) };
    return [message];
  }
  if (step.kind === 'results') {
    const out = step.results.map((x) => {
      if (x.legacy) return { role: 'function', name: x.id, content: typeof x.content === 'string' ? x.content : x.content[0].text };
      return { role: 'tool', tool_call_id: x.id, content: x.content };
    });
    if (step.textBefore !== undefined) out.unshift({ role: 'user', content: step.textBefore });
    if (step.textAfter !== undefined) out.push({ role: 'user', content: step.textAfter });
    return out;
  }
  return [];
}

export function toHotl(step) {
  if (step.kind === 'system') return [{ type: 'system', text: step.text }];
  if (step.kind === 'user') {
    const item = { type: 'user', text: step.text };
    if (step.synthetic) item.synthetic = step.synthetic;
    if (step.image) item.images = [{ media_type: 'image/png', data: PIXEL }];
    return [item];
  }
  if (step.kind === 'assistant') return [{ type: 'assistant', blocks: blocksOf(step) }];
  if (step.kind === 'results') {
    const results = step.results.map((x) => {
      const row = { tool_use_id: x.id, content: typeof x.content === 'string' ? x.content : x.content[0].text };
      return x.error ? { ...row, is_error: true } : row;
    });
    const out = [{ type: 'tool_results', results }];
    if (step.textBefore !== undefined) out.unshift({ type: 'user', text: step.textBefore });
    if (step.textAfter !== undefined) out.push({ type: 'user', text: step.textAfter, synthetic: 'steer' });
    return out;
  }
  return [{ type: 'checkpoint', note: step.text }]; // a kind of item nobody has heard of
}
