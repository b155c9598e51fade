// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A server of the Messages API without a network: a `fetch` for `createAnthropic`. It refuses what the real one refuses, by the judge of
// messages that shares nothing with the library, and requests that do not fit the window.
//
//   const fake = fakeAnthropic({ window, answer, summary });
//   createAnthropic({ apiKey: '-', fetch: fake.fetch })('main')
//   fake.requests      [{ system, messages, tokens, tools, stream }]   requests of the conversation
//   fake.refused       what was wrong with requests, each a sentence
//   fake.summaries     requests for a summary
//
// `answer(request, n)` gives the blocks of the nth answer; `summary(request, n, signal)` the text of the nth summary, or { text, stop },
// or throws.

import { loaded } from './package.mjs';
import { validate } from './validate.mjs';

const { SUMMARIZE_SYSTEM } = loaded.esm;

/** Tokens by a rule of thumb that is not the library's. */
export const tokensOf = (value, perToken = 4) => Math.ceil(textOf(value).length / perToken);

function textOf(value) {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (value === null || typeof value !== 'object') return String(value ?? '');
  return Object.entries(value).filter(([key]) => !['type', 'cache_control'].includes(key)).map(([, inner]) => textOf(inner)).join('\n');
}

export function fakeAnthropic({ window = Infinity, perToken = 4, answer = () => [{ type: 'text', text: 'Good.' }], summary = plainSummary } = {}) {
  const fake = { requests: [], refused: [], summaries: [], answer, summary, fetch: respond };
  return fake;

  async function respond(_url, init) {
    const body = JSON.parse(init.body);
    const { signal } = init;
    signal?.throwIfAborted();
    const system = (body.system ?? []).map(({ text }) => text);
    const request = { model: body.model, system, messages: body.messages, tools: body.tools ?? [], stream: body.stream === true };
    request.tokens = tokensOf([system, body.messages, request.tools], perToken);
    if (system[0]?.startsWith(SUMMARIZE_SYSTEM)) {
      fake.summaries.push(request);
      const made = await fake.summary(request, fake.summaries.length - 1, signal);
      const { text, stop = 'end_turn' } = typeof made === 'string' ? { text: made } : made;
      return reply(body, request, [{ type: 'text', text }], stop);
    }
    const wrong = faultOf(request);
    if (wrong !== undefined) {
      fake.refused.push(wrong);
      return refusal(wrong);
    }
    fake.requests.push(request);
    const blocks = await fake.answer(request, fake.requests.length - 1, signal);
    return reply(body, request, blocks, blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
  }

  function faultOf({ system, messages, tokens }) {
    // A call that waits is a fault here: the request asks for the model's next word.
    const faults = validate(messages, 'anthropic');
    if (faults.length > 0) return `messages.${faults[0].index}: ${faults[0].rule}: ${faults[0].detail}`;
    if (messages.length === 0) return 'messages: at least one message is required';
    if (messages[messages.length - 1].role !== 'user') return 'messages: the last one must be the user\'s';
    if (system.some((text) => text.trim() === '')) return 'system: text content blocks must be non-empty';
    if (tokens > window) return `prompt is too long: ${tokens} tokens > ${window} maximum`;
    return undefined;
  }
}

export function plainSummary(_request, n) {
  return `GOAL: look after the garden\nSTATE: summary ${n} of what was read and planted\nDECISIONS: beds are dug by hand\nNEXT: read on`;
}

function refusal(message) {
  return new Response(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }), { status: 400, headers: { 'content-type': 'application/json' } });
}

let replies = 0;

function reply({ model, stream }, { tokens }, content, stop) {
  const id = `msg_${++replies}`;
  const usage = { input_tokens: tokens, output_tokens: tokensOf(content) };
  if (stream !== true) return Response.json({ id, type: 'message', role: 'assistant', model, content, stop_reason: stop, stop_sequence: null, usage });
  const events = [
    { type: 'message_start', message: { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: tokens, output_tokens: 1 } } },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } },
    { type: 'message_stop' },
  ];
  return new Response(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''), { headers: { 'content-type': 'text/event-stream' } });
}

function blockEvents(block, index) {
  const [begin, delta] = block.type === 'text'
    ? [{ type: 'text', text: '' }, { type: 'text_delta', text: block.text }]
    : [{ ...block, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  return [
    { type: 'content_block_start', index, content_block: begin },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}
