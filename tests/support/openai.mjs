// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A server that speaks OpenAI's protocols, as far as the tests of the frameworks need them, and refuses what OpenAI would refuse: a call
// without its result, a result without its call, system text in the midst of a conversation, a request beyond the window.
//
//   const server = await openai({ window: 4000, answer });   // scale: 5 counts five times what there is
//   server.url                      // http://127.0.0.1:…/v1
//   server.requests                 // [{ model, messages | input, tokens }], those that were taken
//   server.refused                  // what was wrong with the others
//   await server.close();
//
// answer({ model, messages, n }) gives { text } or { calls: [{ id, name, arguments }] }; { status, error } fails, "hang" never answers.

import { createServer } from 'node:http';

let made = 0;

export const tokensOf = (value) => Math.ceil(JSON.stringify(value).length / 4);

export async function openai({ window = Infinity, scale = 1, answer }) {
  const state = { requests: [], refused: [], open: new Set(), window, scale };
  const server = createServer((request, response) => {
    state.open.add(response);
    response.on('close', () => state.open.delete(response));
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text)).on('end', () => handle(state, answer, request.url, JSON.parse(body || '{}'), response).catch((error) => fail(state, response, 500, String(error?.stack ?? error))));
  });
  // On a busy machine a client may use a connection again just as the server gives it up.
  server.keepAliveTimeout = 600_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    async close() {
      for (const response of state.open) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function handle(state, answer, url, body, response) {
  const chat = url.endsWith('/chat/completions');
  const messages = chat ? body.messages : typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  const wrong = chat ? wrongInChat(messages) : wrongInItems(messages);
  const tokens = state.scale * (tokensOf(messages) + tokensOf(body.tools ?? []) + tokensOf(body.instructions ?? ''));
  if (tokens > state.window && !/summar/.test(body.model)) wrong.push(`context_length_exceeded: ${tokens} tokens`);
  if (wrong.length > 0) return fail(state, response, 400, wrong.join('; '));
  state.requests.push({ model: body.model, messages, tokens, instructions: body.instructions });
  const said = await answer({ model: body.model, messages, instructions: body.instructions, n: state.requests.filter(({ model }) => model === body.model).length });
  if (said === 'hang') return;
  if (said.status !== undefined) return fail(state, response, said.status, said.error ?? 'it failed', false);
  const usage = { in: tokens, out: state.scale * tokensOf(said) };
  if (chat) return sendChat(body, said, usage, response);
  return sendItems(body, said, usage, response);
}

function fail(state, response, status, message, wrong = true) {
  if (wrong) state.refused.push(message);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null, param: null } }));
}

// --- Chat Completions -------------------------------------------------------------------------------------------------

/** What the API says of such messages. */
export function wrongInChat(messages) {
  const wrong = [];
  let waiting = new Set();
  let spoke = false;
  messages.forEach((message, i) => {
    if (message.role === 'tool') {
      if (!waiting.delete(message.tool_call_id)) wrong.push(`messages[${i}]: a tool message without its call ${message.tool_call_id}`);
      return;
    }
    if (waiting.size > 0) wrong.push(`messages[${i}]: no tool message for ${[...waiting]}`);
    waiting = new Set((message.tool_calls ?? []).map(({ id }) => id));
    if (!['system', 'developer', 'user', 'assistant'].includes(message.role)) wrong.push(`messages[${i}]: role ${message.role}`);
    if (['system', 'developer'].includes(message.role)) {
      if (spoke) wrong.push(`messages[${i}]: system text in the midst`);
      if (i > 0) wrong.push(`messages[${i}]: more than one message of system text`);
    } else spoke = true;
    if (message.role === 'assistant' && !message.content?.length && !message.tool_calls?.length) wrong.push(`messages[${i}]: says nothing`);
  });
  if (waiting.size > 0) wrong.push(`no tool message for ${[...waiting]}`);
  if (!spoke) wrong.push('nobody says anything');
  return wrong;
}

function sendChat(body, { text = null, calls }, usage, response) {
  const figures = { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out };
  const tool_calls = calls?.map(({ id, name, arguments: args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }));
  const head = { id: `chatcmpl-${++made}`, created: 1, model: body.model };
  const finish_reason = calls ? 'tool_calls' : 'stop';
  if (!body.stream) {
    const message = { role: 'assistant', content: text, ...(tool_calls ? { tool_calls } : {}) };
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage: figures }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (choices, more = {}) => response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
  for (const piece of text?.match(/[^]{1,20}/g) ?? []) chunk([{ index: 0, delta: { content: piece }, finish_reason: null }]);
  tool_calls?.forEach((call, index) => {
    chunk([{ index: 0, delta: { tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] }, finish_reason: null }]);
    for (const piece of call.function.arguments.match(/[^]{1,9}/g)) chunk([{ index: 0, delta: { tool_calls: [{ index, function: { arguments: piece } }] }, finish_reason: null }]);
  });
  chunk([{ index: 0, delta: {}, finish_reason }]);
  chunk([], { usage: figures });
  response.end('data: [DONE]\n\n');
}

// --- Responses --------------------------------------------------------------------------------------------------------

/** What the API says of such items. */
export function wrongInItems(items) {
  const wrong = [];
  const calls = new Set();
  const answered = new Set();
  items.forEach((item, i) => {
    const id = item.call_id ?? item.callId;
    if (/_call$/.test(item.type ?? '') && id !== undefined) {
      if (calls.has(id)) wrong.push(`input[${i}]: the call ${id} again`);
      calls.add(id);
    } else if (/_(output|result)$/.test(item.type ?? '') && id !== undefined) {
      if (!calls.has(id)) wrong.push(`input[${i}]: an output without its call ${id}`);
      answered.add(id);
    } else if (item.type === 'reasoning') {
      const next = items[i + 1];
      if (next === undefined || next.role === 'user' || /_(output|result)$/.test(next.type ?? '')) wrong.push(`input[${i}]: reasoning without what follows it`);
    } else if ((item.type ?? 'message') === 'message' && !['user', 'assistant', 'system', 'developer'].includes(item.role)) {
      wrong.push(`input[${i}]: role ${item.role}`);
    }
  });
  for (const id of calls) if (!answered.has(id)) wrong.push(`no output for the call ${id}`);
  if (items.length === 0) wrong.push('nobody says anything');
  return wrong;
}

function sendItems(body, { text, calls = [] }, usage, response) {
  const output = calls.map(({ id, name, arguments: args }) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(args), status: 'completed' }));
  if (text !== undefined) output.push({ type: 'message', id: `msg_${made + 1}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [], logprobs: [] }] });
  const figures = { input_tokens: usage.in, output_tokens: usage.out, total_tokens: usage.in + usage.out, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const whole = { id: `resp_${++made}`, object: 'response', created_at: 1, model: body.model, status: 'completed', output, usage: figures, error: null, incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, tool_choice: 'auto', tools: [], top_p: 1 };
  if (!body.stream) return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sequence_number = 0;
  const event = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...more })}\n\n`);
  event('response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } });
  output.forEach((item, output_index) => {
    event('response.output_item.added', { output_index, item });
    if (item.type === 'message') event('response.output_text.delta', { output_index, item_id: item.id, content_index: 0, delta: text, logprobs: [] });
    event('response.output_item.done', { output_index, item });
  });
  event('response.completed', { response: whole });
  response.end();
}
