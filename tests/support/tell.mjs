// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Short conversations, told once and written in every format: for tests that need to know what stands where.
//
//   { user: 'text', image: 'base64' }
//   { think: 'text', say: 'text', calls: [{ id, name, args, result, error, image }] }     results follow the calls

const png = (data) => `data:image/png;base64,${data}`;
const block = (text) => ({ type: 'text', text });
const some = (list) => (list.length ? list : undefined);
const clean = (object) => JSON.parse(JSON.stringify(object));

const blocks = ({ think, say, calls = [] }) => [
  ...(think ? [{ type: 'thinking', thinking: think, signature: `Eu4E${think.length}` }] : []),
  ...(say ? [block(say)] : []),
  ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
];
const picture = (data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const blockResult = ({ id, result, error, image }) => ({ tool_use_id: id, content: image ? [block(result), picture(image)] : result, is_error: error });

/** What each format does with what the user says, what the model does, and what its calls give. */
const WRITERS = {
  anthropic: {
    user: ({ user, image }) => [{ role: 'user', content: image ? [block(user), picture(image)] : user }],
    model: (turn) => [{ role: 'assistant', content: blocks(turn) }],
    results: (calls) => [{ role: 'user', content: calls.map((call) => ({ type: 'tool_result', ...blockResult(call) })) }],
  },
  'openai-chat': {
    user: ({ user, image }) => [{ role: 'user', content: image ? [block(user), { type: 'image_url', image_url: { url: png(image) } }] : user }],
    model: ({ think, say, calls = [] }) => [{ role: 'assistant', content: say ?? null, reasoning_content: think, tool_calls: some(calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }))) }],
    results: (calls) => calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
  },
  'openai-responses': {
    user: ({ user, image }) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: user }, ...(image ? [{ type: 'input_image', image_url: png(image) }] : [])] }],
    model: ({ think, say, calls = [] }) => [
      ...(think ? [{ type: 'reasoning', summary: [{ type: 'summary_text', text: think }], encrypted_content: 'gAAA' }] : []),
      ...(say ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: say }] }] : []),
      ...calls.map(({ id, name, args }) => ({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) })),
    ],
    results: (calls) => calls.map(({ id, result, error, image }) => ({ type: 'function_call_output', call_id: id, status: error ? 'failed' : undefined, output: image ? [{ type: 'input_text', text: result }, { type: 'input_image', image_url: png(image) }] : result })),
  },
  'ai-sdk': {
    user: ({ user, image }) => [{ role: 'user', content: image ? [block(user), { type: 'file', mediaType: 'image/png', data: image }] : user }],
    model: ({ think, say, calls = [] }) => [{ role: 'assistant', content: [...(think ? [{ type: 'reasoning', text: think }] : []), ...(say ? [block(say)] : []), ...calls.map(({ id, name, args }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: args }))] }],
    results: (calls) => [{ role: 'tool', content: calls.map(({ id, name, result, error, image }) => ({ type: 'tool-result', toolCallId: id, toolName: name, output: image ? { type: 'content', value: [block(result), { type: 'media', mediaType: 'image/png', data: image }] } : { type: error ? 'error-text' : 'text', value: result } })) }],
  },
  'ai-sdk-ui': {
    user: ({ user, image }, n) => [{ id: `u${n}`, role: 'user', parts: [block(user), ...(image ? [{ type: 'file', mediaType: 'image/png', url: png(image) }] : [])] }],
    model: ({ think, say, calls = [] }, n) => [{ id: `a${n}`, role: 'assistant', parts: [{ type: 'step-start' }, ...(think ? [{ type: 'reasoning', text: think, state: 'done' }] : []), ...(say ? [block(say)] : []), ...calls.map(({ id, name, args, result, error }) => ({ type: `tool-${name}`, toolCallId: id, input: args, state: error ? 'output-error' : 'output-available', ...(error ? { errorText: result } : { output: result }) }))] }],
    results: () => [],
  },
  langchain: {
    user: ({ user, image }) => [{ type: 'human', data: { content: image ? [block(user), { type: 'image_url', image_url: { url: png(image) } }] : user } }],
    model: ({ think, say, calls = [] }) => [{ type: 'ai', data: { content: say ?? '', additional_kwargs: think ? { reasoning_content: think } : {}, tool_calls: calls.map(({ id, name, args }) => ({ id, name, args, type: 'tool_call' })) } }],
    results: (calls) => calls.map(({ id, name, result, error }) => ({ type: 'tool', data: { content: result, tool_call_id: id, name, status: error ? 'error' : 'success' } })),
  },
  gemini: {
    user: ({ user, image }) => [{ role: 'user', parts: [{ text: user }, ...(image ? [{ inlineData: { mimeType: 'image/png', data: image } }] : [])] }],
    model: ({ think, say, calls = [] }) => [{ role: 'model', parts: [...(think ? [{ text: think, thought: true }] : []), ...(say ? [{ text: say }] : []), ...calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }))] }],
    results: (calls) => [{ role: 'user', parts: calls.map(({ id, name, result, error }) => ({ functionResponse: { id, name, response: error ? { error: result } : { output: result } } })) }],
  },
  hotl: {
    user: ({ user }) => [{ type: 'user', text: user }],
    model: (turn) => [{ type: 'assistant', blocks: blocks(turn) }],
    results: (calls) => [{ type: 'tool_results', results: calls.map(blockResult) }],
  },
  agentfootprint: {
    user: ({ user }) => [{ role: 'user', content: user }],
    model: ({ think, say, calls = [] }) => [{ role: 'assistant', content: say ?? '', toolCalls: some(calls.map(({ id, name, args }) => ({ id, name, args }))), thinkingBlocks: think ? [{ type: 'thinking', thinking: think, signature: 'Eu4E' }] : undefined }],
    results: (calls) => calls.map(({ id, name, result, error }) => ({ role: 'tool', content: result, toolCallId: id, toolName: name, isError: error })),
  },
  pi: {
    user: ({ user, image }) => [{ role: 'user', content: [block(user), ...(image ? [{ type: 'image', data: image, mimeType: 'image/png' }] : [])], timestamp: 1 }],
    model: ({ think, say, calls = [] }) => [{ role: 'assistant', timestamp: 2, content: [...(think ? [{ type: 'thinking', thinking: think, thinkingSignature: 'Eu4E' }] : []), ...(say ? [block(say)] : []), ...calls.map(({ id, name, args }) => ({ type: 'toolCall', id, name, arguments: args }))] }],
    results: (calls) => calls.map(({ id, name, result, error = false, image }) => ({ role: 'toolResult', toolCallId: id, toolName: name, content: [block(result), ...(image ? [{ type: 'image', data: image, mimeType: 'image/png' }] : [])], isError: error, timestamp: 3 })),
  },
};

/** The formats that it can be told in. */
export const FORMATS = Object.keys(WRITERS);
/** Those in which the user can show an image, and a tool. */
export const SHOWN = FORMATS.filter((format) => !['hotl', 'agentfootprint'].includes(format));
export const TOOLS_SHOW = ['anthropic', 'openai-responses', 'ai-sdk', 'hotl', 'pi'];
/** Those that can say that a tool failed. */
export const FAILING = FORMATS.filter((format) => format !== 'openai-chat');

/** A conversation in a format. */
export function tell(format, turns) {
  const { user, model, results } = WRITERS[format];
  const messages = turns.flatMap((turn, n) => {
    if (turn.user !== undefined) return user(turn, n);
    return [...model(turn, n), ...(turn.calls ? results(turn.calls) : [])];
  });
  return clean(messages);
}
