// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A conversation of each format, written by hand the way the providers document it: two turns, in the first an image, reasoning, two calls
// side by side and their results; a field, a part and, where there is room for one, a kind of message that nobody has heard of.
//
//   SAMPLES[format]() -> messages                      made anew for every use
//   MAKE[format]      -> { user, model, call, result }  short messages: call(...ids) -> messages, result(...ids) -> messages; ids may be { id, name }
//   SUMMARIES[format] -> messages that a typed mark says are digests
//   PICTURES[format]  -> messages with an inlined image of `data`, base64

export const IMAGE = 'iVBOR'.repeat(8000);
const URL_OF = (data) => `data:image/png;base64,${data}`;
const trace = { x_trace: { id: 'q7', n: 1.5 } };
const names = (ids) => ids.map((id) => (typeof id === 'string' ? { id, name: 'read' } : id));

export const SAMPLES = {
  anthropic: () => [
    { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } }], ...trace },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'Eu4E' }, { type: 'redacted_thinking', data: 'x' }, { type: 'text', text: 'ok' }, { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } }, { type: 'tool_use', id: 'toolu_2', name: 'ls', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'A' }, { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'B' }], is_error: true }] },
    { role: 'assistant', content: [{ type: 'text', text: 'done', citations: null }, { type: 'brand_new_block', n: 1.5 }] },
    { role: 'user', content: 'and then?' },
    { role: 'assistant', content: 'That is all.' },
  ],
  'openai-chat': () => [
    { role: 'system', content: 'S' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image_url', image_url: { url: URL_OF(IMAGE), detail: 'low' } }], ...trace },
    { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }, { id: 'call_2', type: 'custom', custom: { name: 'ls', input: '.' } }] },
    { role: 'tool', tool_call_id: 'call_1', content: 'A' },
    { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'B' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }, { type: 'brand_new_part', n: 1.5 }] },
    { role: 'developer', content: 'be brief' },
    { role: 'user', content: 'and then?' },
    { role: 'assistant', content: null, refusal: 'no' },
  ],
  'openai-responses': () => [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }, { type: 'input_image', image_url: URL_OF(IMAGE) }], ...trace },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'plan' }], encrypted_content: 'gAAA' },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{}' },
    { type: 'function_call', id: 'fc_2', call_id: 'call_2', name: 'ls', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'A' },
    { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'B' }] },
    { type: 'brand_new_item', id: 'new_1', n: 1.5 },
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done', annotations: [] }, { type: 'brand_new_part', n: 1.5 }] },
    { role: 'user', content: 'and then?' },
    { role: 'assistant', content: 'That is all.' },
  ],
  'ai-sdk': () => [
    { role: 'system', content: 'S' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'file', mediaType: 'image/png', data: IMAGE }], ...trace },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'plan', providerOptions: { openai: { itemId: 'rs_1' } } }, { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } }, { type: 'tool-call', toolCallId: 'c2', toolName: 'ls', input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'text', value: 'A' } }, { type: 'tool-result', toolCallId: 'c2', toolName: 'ls', output: { type: 'json', value: {} } }] },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }, { type: 'brand-new-part', n: 1.5 }] },
    { role: 'user', content: 'and then?' },
    { role: 'assistant', content: 'That is all.' },
  ],
  'ai-sdk-ui': () => [
    { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hi' }, { type: 'file', mediaType: 'image/png', url: URL_OF(IMAGE) }], ...trace },
    { id: 'm2', role: 'assistant', metadata: {}, parts: [{ type: 'step-start' }, { type: 'reasoning', text: 'plan', state: 'done' }, { type: 'tool-read', toolCallId: 'c1', state: 'output-available', input: { path: 'a' }, output: 'A' }, { type: 'dynamic-tool', toolName: 'ls', toolCallId: 'c2', state: 'output-error', input: {}, errorText: 'B' }, { type: 'text', text: 'done' }, { type: 'brand-new-part', n: 1.5 }] },
    { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'and then?' }] },
    { id: 'm4', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'text', text: 'That is all.' }, { type: 'data-progress', id: 'd', data: { n: 1.5 } }] },
  ],
  langchain: () => [
    { type: 'system', data: { content: 'S' } },
    { type: 'human', data: { content: [{ type: 'text', text: 'hi' }, { type: 'image_url', image_url: { url: URL_OF(IMAGE) } }], additional_kwargs: {}, response_metadata: {} }, ...trace },
    { type: 'ai', data: { content: 'ok', tool_calls: [{ id: 'c1', name: 'read', args: { p: 1 }, type: 'tool_call' }, { id: 'c2', name: 'ls', args: {}, type: 'tool_call' }], invalid_tool_calls: [], additional_kwargs: { reasoning_content: 'hm' }, response_metadata: {} } },
    { type: 'tool', data: { content: 'A', tool_call_id: 'c1', name: 'read', additional_kwargs: {}, response_metadata: {} } },
    { type: 'tool', data: { content: [{ type: 'text', text: 'B' }], tool_call_id: 'c2', name: 'ls', status: 'error' } },
    { type: 'chat', data: { role: 'critic', content: 'weak' } },
    { type: 'ai', data: { content: [{ type: 'text', text: 'done' }, { type: 'brand_new_block', n: 1.5 }], usage_metadata: { input_tokens: 3, output_tokens: 1, total_tokens: 4 } } },
    { type: 'human', data: { content: 'and then?' } },
    { type: 'ai', data: { content: 'That is all.' } },
  ],
  gemini: () => [
    { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: IMAGE } }], ...trace },
    { role: 'model', parts: [{ text: 'plan', thought: true }, { functionCall: { id: 'f1', name: 'read', args: {} }, thoughtSignature: 'c2ln' }, { functionCall: { name: 'ls', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'f1', name: 'read', response: { output: 'A' } } }, { functionResponse: { name: 'ls', response: { output: 'B' } } }] },
    { role: 'model', parts: [{ text: 'done' }, { brandNewPart: { n: 1.5 } }] },
    { role: 'user', parts: [{ text: 'and then?' }] },
    { role: 'model', parts: [{ text: 'That is all.' }] },
  ],
  hotl: () => [
    { type: 'system', text: 'S' },
    { type: 'user', text: 'hi', images: [{ media_type: 'image/png', data: IMAGE }], ...trace },
    { type: 'assistant', blocks: [{ type: 'thinking', thinking: 'hm', signature: 'Eu4E' }, { type: 'tool_use', id: 't1', name: 'read', input: {} }, { type: 'tool_use', id: 't2', name: 'ls', input: {} }], model: 'bed-1' },
    { type: 'tool_results', results: [{ tool_use_id: 't1', content: 'A', is_error: true }, { tool_use_id: 't2', content: 'B' }] },
    { type: 'checkpoint', at: 1.5 },
    { type: 'assistant', blocks: [{ type: 'text', text: 'done' }, { type: 'brand_new_block', n: 1.5 }] },
    { type: 'user', text: 'and then?', synthetic: 'steer' },
    { type: 'assistant', blocks: [{ type: 'text', text: 'That is all.' }] },
  ],
  agentfootprint: () => [
    { role: 'system', content: 'S' },
    { role: 'user', content: 'hi', ...trace },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'read', args: {}, providerMeta: { thoughtSignature: 'c2ln' } }, { id: 'c2', name: 'ls', args: {} }], thinkingBlocks: [{ type: 'thinking', thinking: 'hm', signature: 'Eu4E' }] },
    { role: 'tool', content: 'A', toolCallId: 'c1', toolName: 'read' },
    { role: 'tool', content: 'B', toolCallId: 'c2', toolName: 'ls' },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'remember the frost', injectedBy: 'brand-new-stage', ephemeral: true },
    { role: 'user', content: 'and then?' },
    { role: 'assistant', content: 'That is all.' },
  ],
  pi: () => [
    { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image', data: IMAGE, mimeType: 'image/png' }], timestamp: 1, ...trace },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', thinkingSignature: 'Eu4E' }, { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } }, { type: 'toolCall', id: 'c2', name: 'ls', arguments: {} }], usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }, stopReason: 'toolUse', timestamp: 2 },
    { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'A' }], isError: false, timestamp: 3 },
    { role: 'toolResult', toolCallId: 'c2', toolName: 'ls', content: [{ type: 'text', text: 'B' }], isError: true, details: { n: 1.5 }, timestamp: 4 },
    { role: 'bashExecution', command: 'ls', output: 'a b', exitCode: 0, cancelled: false, truncated: false, timestamp: 5 },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }, { type: 'brandNewPart', n: 1.5 }], timestamp: 6 },
    { role: 'user', content: 'and then?', timestamp: 7 },
    { role: 'assistant', content: [{ type: 'text', text: 'That is all.' }], timestamp: 8 },
  ],
};

export const MAKE = {
  anthropic: {
    user: (content) => ({ role: 'user', content }),
    model: (content) => ({ role: 'assistant', content }),
    call: (...ids) => [{ role: 'assistant', content: names(ids).map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} })) }],
    result: (...ids) => [{ role: 'user', content: names(ids).map(({ id, text = 'ok' }) => ({ type: 'tool_result', tool_use_id: id, content: text })) }],
  },
  'openai-chat': {
    user: (content) => ({ role: 'user', content }),
    model: (content) => ({ role: 'assistant', content }),
    call: (...ids) => [{ role: 'assistant', content: null, tool_calls: names(ids).map(({ id, name }) => ({ id, type: 'function', function: { name, arguments: '{}' } })) }],
    result: (...ids) => names(ids).map(({ id, text = 'ok' }) => ({ role: 'tool', tool_call_id: id, content: text })),
  },
  'openai-responses': {
    user: (content) => ({ type: 'message', role: 'user', content }),
    model: (content) => ({ type: 'message', role: 'assistant', content }),
    call: (...ids) => names(ids).map(({ id, name }) => ({ type: 'function_call', call_id: id, name, arguments: '{}' })),
    result: (...ids) => names(ids).map(({ id, text = 'ok' }) => ({ type: 'function_call_output', call_id: id, output: text })),
  },
  'ai-sdk': {
    user: (content) => ({ role: 'user', content }),
    model: (content) => ({ role: 'assistant', content }),
    call: (...ids) => [{ role: 'assistant', content: names(ids).map(({ id, name }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: {} })) }],
    result: (...ids) => [{ role: 'tool', content: names(ids).map(({ id, name, text = 'ok' }) => ({ type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: text } })) }],
  },
  'ai-sdk-ui': {
    user: (text) => ({ id: `u-${text.slice(0, 20)}`, role: 'user', parts: [{ type: 'text', text }] }),
    model: (text) => ({ id: `a-${text.slice(0, 20)}`, role: 'assistant', parts: [{ type: 'text', text }] }),
    call: (...ids) => [{ id: `c-${names(ids)[0].id}`, role: 'assistant', parts: names(ids).map(({ id, name }) => ({ type: `tool-${name}`, toolCallId: id, state: 'input-available', input: {} })) }],
    /** Not a message of its own: the calls with their results. */
    called: (...ids) => [{ id: `c-${names(ids)[0].id}`, role: 'assistant', parts: names(ids).map(({ id, name, text = 'ok' }) => ({ type: `tool-${name}`, toolCallId: id, state: 'output-available', input: {}, output: text })) }],
  },
  langchain: {
    user: (content) => ({ type: 'human', data: { content } }),
    model: (content) => ({ type: 'ai', data: { content } }),
    call: (...ids) => [{ type: 'ai', data: { content: '', tool_calls: names(ids).map(({ id, name }) => ({ id, name, args: {}, type: 'tool_call' })) } }],
    result: (...ids) => names(ids).map(({ id, name, text = 'ok' }) => ({ type: 'tool', data: { content: text, tool_call_id: id, name } })),
  },
  gemini: {
    user: (text) => ({ role: 'user', parts: [{ text }] }),
    model: (text) => ({ role: 'model', parts: [{ text }] }),
    call: (...ids) => [{ role: 'model', parts: names(ids).map(({ id, name }) => ({ functionCall: { id, name, args: {} } })) }],
    result: (...ids) => [{ role: 'user', parts: names(ids).map(({ id, name, text = 'ok' }) => ({ functionResponse: { id, name, response: { output: text } } })) }],
  },
  hotl: {
    user: (text) => ({ type: 'user', text }),
    model: (text) => ({ type: 'assistant', blocks: [{ type: 'text', text }] }),
    call: (...ids) => [{ type: 'assistant', blocks: names(ids).map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} })) }],
    result: (...ids) => [{ type: 'tool_results', results: names(ids).map(({ id, text = 'ok' }) => ({ tool_use_id: id, content: text })) }],
  },
  agentfootprint: {
    user: (content) => ({ role: 'user', content }),
    model: (content) => ({ role: 'assistant', content }),
    call: (...ids) => [{ role: 'assistant', content: '', toolCalls: names(ids).map(({ id, name }) => ({ id, name, args: {} })) }],
    result: (...ids) => names(ids).map(({ id, name, text = 'ok' }) => ({ role: 'tool', content: text, toolCallId: id, toolName: name })),
  },
  pi: {
    user: (content) => ({ role: 'user', content }),
    model: (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
    call: (...ids) => [{ role: 'assistant', content: names(ids).map(({ id, name }) => ({ type: 'toolCall', id, name, arguments: {} })) }],
    result: (...ids) => names(ids).map(({ id, name, text = 'ok' }) => ({ role: 'toolResult', toolCallId: id, toolName: name, content: [{ type: 'text', text }], isError: false })),
  },
};
for (const make of Object.values(MAKE)) make.called ??= (...ids) => [...make.call(...ids), ...make.result(...ids)];

/** The other form of LangChain's messages. */
export const constructed = (message) => {
  const name = { human: 'HumanMessage', ai: 'AIMessage', system: 'SystemMessage', tool: 'ToolMessage', chat: 'ChatMessage' }[message.type];
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs: message.data };
};

export const SUMMARIES = {
  anthropic: [{ role: 'assistant', content: [{ type: 'compaction', content: 'GOAL: x', encrypted_content: null, signature: 'Eu4E', tool_changes: [] }] }],
  'openai-chat': [],
  'openai-responses': ['compaction', 'compaction_summary', 'context_compaction'].map((type) => ({ type, id: 'cmp_1', encrypted_content: 'gAAA' })),
  'ai-sdk': [],
  'ai-sdk-ui': ['assistant', 'user'].map((role) => ({ id: 'compaction_7', role, parts: [{ type: 'text', text: 'GOAL: x' }] })),
  langchain: [{ type: 'human', data: { content: 'GOAL: x', additional_kwargs: { lc_source: 'summarization' } } }, constructed({ type: 'human', data: { content: 'GOAL: x', additional_kwargs: { lc_source: 'summarization' } } })],
  gemini: [],
  hotl: [{ type: 'user', text: '<compaction-summary>\nGOAL: x\n</compaction-summary>', synthetic: 'compaction_summary' }],
  agentfootprint: [],
  pi: [{ role: 'compactionSummary', summary: 'GOAL: x', tokensBefore: 50_000 }],
};

export const PICTURES = {
  anthropic: (data) => [
    { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] },
    { role: 'user', content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] }] },
  ],
  'openai-chat': (data) => [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: URL_OF(data) } }] },
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] },
    { role: 'user', content: [{ type: 'file', file: { file_data: URL_OF(data) } }] },
  ],
  'openai-responses': (data) => [
    { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: URL_OF(data) }] },
    { type: 'message', role: 'user', content: [{ type: 'input_file', filename: 'a.pdf', file_data: URL_OF(data) }] },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: URL_OF(data) }] },
    { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: URL_OF(data) } },
    { type: 'computer_call_result', callId: 'c', output: { type: 'computer_screenshot', data: URL_OF(data) } },
    { type: 'function_call_result', callId: 'c', name: 'n', status: 'completed', output: { type: 'image', image: URL_OF(data) } },
    { type: 'function_call_result', callId: 'c', name: 'n', status: 'completed', output: [{ type: 'input_image', image: URL_OF(data) }] },
    { type: 'image_generation_call', id: 'ig', status: 'completed', result: data },
    { role: 'user', content: [{ type: 'input_image', image: URL_OF(data), detail: 'auto' }] },
  ],
  'ai-sdk': (data) => [
    { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] },
    { role: 'user', content: [{ type: 'image', image: data }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'n', output: { type: 'content', value: [{ type: 'media', data, mediaType: 'image/png' }] } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'n', output: { type: 'content', value: [{ type: 'image-data', data, mediaType: 'image/png' }] } }] },
  ],
  'ai-sdk-ui': (data) => [{ id: 'm', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: URL_OF(data) }] }],
  langchain: (data) => [
    { type: 'human', data: { content: [{ type: 'image_url', image_url: { url: URL_OF(data) } }] } },
    { type: 'human', data: { content: [{ type: 'image', source_type: 'base64', mime_type: 'image/png', data }] } },
    { type: 'human', data: { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] } },
    { type: 'tool', data: { content: [{ type: 'image_url', image_url: { url: URL_OF(data) } }], tool_call_id: 'c', name: 'n' } },
    constructed({ type: 'human', data: { content: [{ type: 'image_url', image_url: { url: URL_OF(data) } }] } }),
  ],
  gemini: (data) => [
    { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }] },
    { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'n', response: {}, parts: [{ inlineData: { mimeType: 'image/png', data } }] } }] },
  ],
  hotl: (data) => [
    { type: 'user', text: 'x', images: [{ media_type: 'image/png', data }] },
    { type: 'tool_results', results: [{ tool_use_id: 't', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] }] },
  ],
  agentfootprint: () => [], // text alone
  pi: (data) => [
    { role: 'user', content: [{ type: 'image', data, mimeType: 'image/png' }] },
    { role: 'toolResult', toolCallId: 'c', toolName: 'n', content: [{ type: 'image', data, mimeType: 'image/png' }], isError: false },
  ],
};
