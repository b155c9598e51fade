// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A Messages API that is played, behind a `fetch`: it refuses what the real one would refuse, by name, and counts what it takes.
//
//   const api = messagesApi({ window: 4000, answer: (messages, n) => [{ type: 'text', text: 'done' }] });
//   new Anthropic({ apiKey: 'k', maxRetries: 0, fetch: api.fetch });
//   api.requests      // [{ model, messages, tokens, … }]: whole conversations, also where a thread sent only what was new
//
// Thinking that it gives is bound to what led to it. `summarize` answers requests of the model `summarizer`.

import { createHash } from 'node:crypto';

const hash = (value) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24);
const tokensOf = (value) => Math.ceil(JSON.stringify(value).length / 4);

class Refused extends Error {}
const refuse = (why) => {
  throw new Refused(why);
};

export function messagesApi({ window, answer, summarizer = 'summarizer', summarize = (_, n) => `GOAL: tend the beds\nSTATE: ${n} rows of them are wet\nNEXT: the one in the north` }) {
  const threads = new Map();
  const api = { requests: [], summaries: 0, refused: [], fetch, gate: undefined };

  async function fetch(_, init) {
    const body = JSON.parse(init.body);
    const betas = new Headers(init.headers).get('anthropic-beta') ?? '';
    if (init.signal?.aborted) throw new DOMException('aborted', 'AbortError');
    try {
      const message = await reply(body, betas, init.signal);
      return body.stream ? streamed(message) : Response.json(message);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      api.refused.push(error.message);
      return Response.json({ type: 'error', error: { type: 'invalid_request_error', message: error.message } }, { status: 400 });
    }
  }

  async function reply(body, betas, signal) {
    if (body.model === summarizer) {
      api.summaries++;
      if (tokensOf(body.messages) > window) refuse('prompt is too long');
      const said = await raced(summarize(body, api.summaries), signal);
      const { text = said, stop_reason = 'end_turn' } = said;
      return messageOf([{ type: 'text', text }], stop_reason, { input_tokens: tokensOf(body.messages), output_tokens: tokensOf(text) }, summarizer);
    }
    const whole = continued(body, betas);
    const messages = judged(whole, betas, body);
    const counted = effective(messages);
    const compaction = compacted(body, betas, counted);
    const read = compaction === undefined ? cleared(body, counted) : [{ role: 'assistant', content: [compaction] }];
    const input = tokensOf([whole.system, whole.tools, read]);
    if (input > window) refuse(`prompt is too long: ${input} tokens > ${window} maximum`);
    api.requests.push({ ...whole, body, messages, tokens: input, betas });
    const content = [...(compaction === undefined ? [] : [compaction]), ...(await raced(answer(messages, api.requests.length), signal))].map((block, i) =>
      block.type === 'thinking' ? { ...block, signature: `${hash(bare(whole.system, messages))}.${i}` } : block);
    const message = messageOf(content, content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn', { input_tokens: Math.ceil(input / 3), cache_read_input_tokens: input - Math.ceil(input / 3), cache_creation_input_tokens: 0, output_tokens: tokensOf(content) });
    if (body.thread !== undefined) threads.set(message.id, { ...whole, messages: [...messages, { role: 'assistant', content }] });
    return message;
  }

  /** The conversation behind a request: that of its thread, and what is new. */
  function continued(body, betas) {
    if (body.thread === undefined) return body;
    if (!betas.includes('message-threads')) refuse('thread needs its beta');
    if (body.thread.type === 'create') return body;
    const known = threads.get(body.thread.previous_message_id) ?? refuse('thread not found');
    if (body.system !== undefined || body.tools !== undefined) refuse('a thread keeps its system text and its tools');
    return { ...body, system: known.system, tools: known.tools, messages: [...known.messages, ...body.messages] };
  }

  return api;
}

/** What stands in front of the last summary of the provider is not read. */
function effective(messages) {
  const at = messages.findLastIndex(({ content }) => Array.isArray(content) && content.some(({ type, content: text }) => type === 'compaction' && text !== null));
  return at < 0 ? messages : messages.slice(at);
}

function compacted(body, betas, messages) {
  const edit = body.context_management?.edits?.find(({ type }) => type === 'compact_20260112');
  if (edit === undefined) return undefined;
  if (!betas.includes('compact-2026-01-12')) refuse('compact_20260112 needs its beta');
  return tokensOf(messages) > edit.trigger.value ? { type: 'compaction', content: `so far: ${messages.length} messages`, encrypted_content: 'opaque' } : undefined;
}

/** Results but the last ones are not read where there are too many. */
function cleared(body, messages) {
  const edit = body.context_management?.edits?.find(({ type }) => type === 'clear_tool_uses_20250919');
  if (edit === undefined || tokensOf(messages) <= edit.trigger.value) return messages;
  return messages.map(({ role, content }, i) => ({ role, content: i < messages.length - 4 && Array.isArray(content) ? content.map((block) => (block.type === 'tool_result' ? { ...block, content: 'cleared' } : block)) : content }));
}

/** Throws what the API would say of a request; gives its messages, without thinking that it was told to drop. */
function judged({ messages, max_tokens, thinking, system, model }, betas) {
  if (typeof model !== 'string' || !(max_tokens > 0)) refuse('model and max_tokens are required');
  if (!Array.isArray(messages) || messages.length === 0) refuse('messages: at least one message is required');
  if (messages[0].role !== 'user') refuse('messages.0: the first message must be of the user');
  let marks = 0;
  const ids = new Set();
  const kept = [];
  messages.forEach((message, i) => {
    const where = `messages.${i}`;
    if (Object.keys(message).sort().join() !== 'content,role') refuse(`${where}: ${Object.keys(message)}: extra inputs are not permitted`);
    const { role, content } = message;
    if (role !== 'user' && role !== 'assistant') refuse(`${where}.role: ${role}`);
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (!Array.isArray(blocks) || blocks.length === 0) refuse(`${where}: must have content`);
    const before = Array.isArray(messages[i - 1]?.content) && messages[i - 1].role === 'assistant' ? messages[i - 1].content.filter(({ type }) => type === 'tool_use') : [];
    const results = blocks.filter(({ type }) => type === 'tool_result');
    if (before.length > 0 && before.some(({ id }) => !results.some((result) => result.tool_use_id === id))) refuse(`${where}: tool_use ids were found without tool_result blocks immediately after`);
    for (const { tool_use_id: id } of results) if (!before.some((call) => call.id === id)) refuse(`${where}: unexpected tool_use_id ${id} in tool_result`);
    if (new Set(results.map(({ tool_use_id: id }) => id)).size !== results.length) refuse(`${where}: each tool_use must have a single result`);
    const served = role === 'assistant' && messages[i + 1]?.role === 'user' ? blocks.filter(({ type }) => type === 'server_tool_use') : [];
    for (const { id } of served) if (!blocks.some(({ tool_use_id: of }) => of === id)) refuse(`${where}: server_tool_use ${id} was not answered`);
    if (role === 'assistant' && i < messages.length - 1 && blocks.every(({ type }) => type === 'thinking')) refuse(`${where}: the final block cannot be thinking`);
    blocks.forEach((block, j) => {
      if (block.cache_control) marks++;
      if (block.type === 'text' && block.text.trim() === '') refuse(`${where}.content.${j}: text content blocks must be non-empty`);
      if (block.type === 'tool_use' && (role !== 'assistant' || ids.has(block.id) || !ids.add(block.id))) refuse(`${where}.content.${j}: tool_use ids must be unique, and of the assistant`);
      if (block.type === 'tool_result' && (role !== 'user' || blocks.slice(0, j).some(({ type }) => type !== 'tool_result'))) refuse(`${where}: tool_result blocks come first`);
    });
    const drops = thinking?.block_binding?.prefix_mismatch_behavior === 'drop_block';
    if (thinking?.block_binding !== undefined && !betas.includes('thinking-binding-controls')) refuse('thinking.block_binding needs its beta');
    const left = blocks.filter((block) => {
      if (block.type !== 'thinking') return true;
      const isBound = String(block.signature).split('.')[0] === hash(bare(system, messages.slice(0, i)));
      if (!isBound && !drops) refuse(`${where}: Invalid signature in thinking block. The block is bound to a different conversation.`);
      return isBound;
    });
    kept.push(left.length === blocks.length ? message : { role, content: left });
  });
  if (marks > 4) refuse(`a maximum of 4 blocks with cache_control may be provided; found ${marks}`);
  const calls = messages.at(-1).role === 'assistant' && Array.isArray(messages.at(-1).content) && messages.at(-1).content.some(({ type }) => type === 'tool_use');
  if (calls) refuse('the last message calls tools that have no result');
  return kept;
}

/** Marks are no part of a conversation, and a text is the same alone or in a list. */
function bare(system, messages) {
  const block = ({ cache_control: _, ...rest }) => rest;
  return [system ?? null, messages.map(({ role, content }) => [role, (typeof content === 'string' ? [{ type: 'text', text: content }] : content).filter(({ type }) => type !== 'thinking').map(block)])];
}

async function raced(value, signal) {
  if (signal?.aborted) throw new DOMException('aborted', 'AbortError');
  return Promise.race([value, new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))))]);
}

let numbered = 0;
function messageOf(content, stop_reason, usage, model = 'played') {
  return { id: `msg_${++numbered}`, type: 'message', role: 'assistant', model, content, stop_reason, stop_sequence: null, usage };
}

function streamed(message) {
  const events = [['message_start', { message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } } }]];
  message.content.forEach((block, index) => {
    const [start, deltas] = pieces(block);
    events.push(['content_block_start', { index, content_block: start }]);
    for (const delta of deltas) events.push(['content_block_delta', { index, delta }]);
    events.push(['content_block_stop', { index }]);
  });
  events.push(['message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: message.usage.output_tokens } }], ['message_stop', {}]);
  const text = events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

function pieces(block) {
  const halves = (text) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];
  if (block.type === 'text') return [{ ...block, text: '' }, halves(block.text).map((text) => ({ type: 'text_delta', text }))];
  if (block.type === 'thinking') return [{ type: 'thinking', thinking: '', signature: '' }, [...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })), { type: 'signature_delta', signature: block.signature }]];
  if (block.type === 'tool_use') return [{ ...block, input: {} }, halves(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))];
  if (block.type === 'compaction') return [{ type: 'compaction', content: null, encrypted_content: null }, [{ type: 'compaction_delta', content: block.content, encrypted_content: block.encrypted_content }]];
  return [block, []];
}
