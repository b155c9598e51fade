// SPDX-License-Identifier: MIT OR Apache-2.0

import { odd, PIXEL, seedTag, textOf } from './dice.mjs';

const CLASSES = { human: 'HumanMessage', ai: 'AIMessage', system: 'SystemMessage', tool: 'ToolMessage', chat: 'ChatMessage' };
const PATHS = [['langchain_core', 'messages'], ['langchain', 'schema', 'messages']];

export function write(story, r) {
  const path = r.pick(PATHS);
  const stored = (kind, data) => ({ type: kind, data });
  const constructed = (kind, kwargs) => ({ lc: 1, type: 'constructor', id: [...path, CLASSES[kind]], kwargs });
  const form = r.chance(0.5) ? stored : constructed; // one form for the whole transcript
  const asBlocks = r.chance(0.5);
  return story
    .flatMap((step) => (WRITERS[step.kind] ?? nothing)(step, r, asBlocks))
    .map(([kind, data]) => form(kind, odd(r, { additional_kwargs: {}, response_metadata: {}, ...data })));
}

const nothing = () => [];
const WRITERS = { system, user, assistant, results, summary, other };

function system(step) {
  return [['system', { content: step.text }]];
}

function user(step, r) {
  if (step.empty) return [['human', { content: [] }]];
  if (!step.image) return [['human', { content: r.chance(0.2) ? [{ type: 'text', text: step.text }] : step.text, ...(r.chance(0.2) ? { id: `h-${seedTag(r)}` } : {}) }]];
  return [['human', { content: [{ type: 'text', text: step.text }, { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }] }]];
}

function summary(step) {
  return [['human', { content: `Here is a summary of the conversation to date:\n\n${step.text}`, additional_kwargs: { lc_source: 'summarization' } }]];
}

function other(step) {
  return [['chat', { role: 'critic', content: step.text }]];
}

function assistant(step, r, asBlocks) {
  const data = { content: asBlocks && (step.texts.length !== 1 || step.thinking.length) ? blocks(step) : step.texts.join('\n') };
  const calls = step.calls.map((c) => ({ name: c.name, args: c.input, ...(c.id === undefined ? {} : { id: c.id }), type: 'tool_call' }));
  data.tool_calls = calls;
  data.invalid_tool_calls = [];
  if (!asBlocks) data.additional_kwargs = asTheProviderSentIt(step);
  if (r.chance(0.6)) data.usage_metadata = { input_tokens: r.below(9000), output_tokens: r.below(900), total_tokens: 9900, input_token_details: { cache_read: 12 } };
  if (r.chance(0.5)) data.id = `run-${seedTag(r)}`;
  if (r.chance(0.3)) data.response_metadata = { model_name: 'bed-1', finish_reason: calls.length ? 'tool_calls' : 'stop' };
  return [['ai', data]];
}

/** The provider's own blocks, which say the calls again. */
function blocks(step) {
  const thinking = step.thinking.map((t) => {
    if ('redacted' in t) return { type: 'redacted_thinking', data: t.redacted };
    return { type: 'thinking', thinking: t.text, ...(t.signature === undefined ? {} : { signature: t.signature }) };
  });
  const calls = step.calls.map((c) => ({ type: 'tool_use', id: c.id, name: c.name, input: c.input }));
  return [...thinking, ...step.texts.map((text) => ({ type: 'text', text })), ...calls];
}

function asTheProviderSentIt(step) {
  const out = {};
  if (step.thinking.length) out.reasoning_content = step.thinking.map((t) => t.text ?? '').join('\n');
  if (step.calls.length) out.tool_calls = step.calls.map((c) => ({ id: c.id, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.input) } }));
  return out;
}

function results(step, r) {
  const out = step.results.map((x) => ['tool', toolData(x, r)]);
  if (step.textBefore !== undefined) out.unshift(['human', { content: step.textBefore }]);
  if (step.textAfter !== undefined) out.push(['human', { content: step.textAfter }]);
  return out;
}

function toolData(x, r) {
  const data = { content: x.content, tool_call_id: x.id, name: x.name ?? 'read', status: x.error ? 'error' : 'success' };
  if (r.chance(0.05)) return { ...data, content: '[cleared]', response_metadata: { context_editing: { cleared: true, strategy: 'clear_tool_uses' } } };
  return r.chance(0.1) ? { ...data, artifact: { rows: [1, 2] } } : { ...data, content: r.chance(0.5) ? textOf(x.content) : x.content };
}
