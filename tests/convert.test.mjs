// SPDX-License-Identifier: MIT OR Apache-2.0
//
// convert: every pair of formats on the samples, judged by the independent judge; what cannot be carried over is a loss, one of each
// kind; what is written, letter by letter; the command.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { forEachEntry, root } from './support/package.mjs';
import { IMAGE, MAKE, SAMPLES, SUMMARIES, constructed } from './support/samples.mjs';
import { faultsOnly } from './support/validate.mjs';

const FORMATS = Object.keys(SAMPLES);
const codes = (losses) => [...new Set(losses.map((loss) => loss.code))];
const frozen = (value) => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

const PICTURE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const PDF = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };
const thought = { type: 'thinking', thinking: 'hm', signature: 'Eu4E' };
const user = (content = 'hi') => ({ role: 'user', content });
const model = (...content) => ({ role: 'assistant', content });
const says = (text) => ({ type: 'text', text });
const uses = (id, name = 'read', input = { path: 'a' }) => ({ type: 'tool_use', id, name, input });
const gives = (id, content, more = {}) => ({ type: 'tool_result', tool_use_id: id, content, ...more });

forEachEntry((entry, plica) => {
  const { check, convert, convertSession, detectFormat } = plica;

  for (const from of FORMATS) {
    for (const to of FORMATS.filter((to) => to !== from)) {
      test(`${entry}: ${from} to ${to}: sound, of the right format, nothing lost in silence`, () => {
        const sample = frozen(SAMPLES[from]());
        const { messages, losses } = convert(sample, { to, format: from });
        assert.deepEqual(check(messages, { format: to }), []);
        assert.deepEqual(faultsOnly(messages, to), []);
        assert.ok([to, undefined].includes(detectFormat(messages)), `it reads as ${detectFormat(messages)}`);
        const text = JSON.stringify(messages);
        for (const said of ['hi', 'done', 'and then?', 'That is all.', 'read', 'A', 'B']) {
          if (JSON.stringify(sample).includes(`"${said}"`)) assert.ok(text.includes(said), `${said} is gone`);
        }
        assert.ok(losses.every(({ index, message }) => index < sample.length && message.length > 10));
        if (from !== 'agentfootprint') assert.ok(text.includes(IMAGE) || codes(losses).includes('media'), 'the image is gone in silence');
        if (sample.some((message) => message.x_trace)) assert.ok(losses.some(({ code, message }) => code === 'field' && message.includes('x_trace')));
        const ids = [...JSON.stringify(sample).matchAll(/"(toolu_\d|call_\d|c\d|f\d|t\d)"/g)].map((match) => match[1]);
        for (const id of ids) assert.ok(text.includes(`"${id}"`), `the id ${id} is gone`);
      });
    }
  }

  test(`${entry}: one format: your own objects, nothing lost`, () => {
    for (const format of FORMATS) {
      const sample = SAMPLES[format]();
      const { messages, losses } = convert(sample, { to: format, format });
      assert.ok(messages !== sample && messages.every((message, i) => message === sample[i]) && losses.length === 0);
    }
  });

  // ------------------------------------------------------------------------------------------------------ letter by letter

  const SMALL = [user(), model(says('ok'), uses('t1'), uses('t2', 'ls', {})), user([gives('t2', 'B', { is_error: true }), gives('t1', 'A')]), model(says('done'))];
  const WRITTEN = {
    'openai-chat': [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'ok', tool_calls: [{ id: 't1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }, { id: 't2', type: 'function', function: { name: 'ls', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 't2', content: 'B' }, { role: 'tool', tool_call_id: 't1', content: 'A' },
      { role: 'assistant', content: 'done' },
    ],
    'openai-responses': [
      { type: 'message', role: 'user', content: 'hi' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
      { type: 'function_call', call_id: 't1', name: 'read', arguments: '{"path":"a"}' }, { type: 'function_call', call_id: 't2', name: 'ls', arguments: '{}' },
      { type: 'function_call_output', call_id: 't2', output: 'B', status: 'incomplete' }, { type: 'function_call_output', call_id: 't1', output: 'A' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
    ],
    'ai-sdk': [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [says('ok'), { type: 'tool-call', toolCallId: 't1', toolName: 'read', input: { path: 'a' } }, { type: 'tool-call', toolCallId: 't2', toolName: 'ls', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 't2', toolName: 'ls', output: { type: 'error-text', value: 'B' } }, { type: 'tool-result', toolCallId: 't1', toolName: 'read', output: { type: 'text', value: 'A' } }] },
      { role: 'assistant', content: 'done' },
    ],
    'ai-sdk-ui': [
      { id: 'm0', role: 'user', parts: [says('hi')] },
      { id: 'm1', role: 'assistant', parts: [says('ok'), { type: 'tool-read', toolCallId: 't1', input: { path: 'a' }, state: 'output-available', output: 'A' }, { type: 'tool-ls', toolCallId: 't2', input: {}, state: 'output-error', errorText: 'B' }] },
      { id: 'm2', role: 'assistant', parts: [says('done')] },
    ],
    langchain: [
      { type: 'human', data: { content: 'hi' } },
      { type: 'ai', data: { content: 'ok', tool_calls: [{ id: 't1', name: 'read', args: { path: 'a' }, type: 'tool_call' }, { id: 't2', name: 'ls', args: {}, type: 'tool_call' }] } },
      { type: 'tool', data: { content: 'B', tool_call_id: 't2', name: 'ls', status: 'error' } }, { type: 'tool', data: { content: 'A', tool_call_id: 't1', name: 'read', status: 'success' } },
      { type: 'ai', data: { content: 'done' } },
    ],
    gemini: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ text: 'ok' }, { functionCall: { id: 't1', name: 'read', args: { path: 'a' } }, thoughtSignature: 'skip_thought_signature_validator' }, { functionCall: { id: 't2', name: 'ls', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 't2', name: 'ls', response: { error: 'B' } } }, { functionResponse: { id: 't1', name: 'read', response: { output: 'A' } } }] },
      { role: 'model', parts: [{ text: 'done' }] },
    ],
    hotl: [
      { type: 'user', text: 'hi' },
      { type: 'assistant', blocks: [says('ok'), uses('t1'), uses('t2', 'ls', {})] },
      { type: 'tool_results', results: [{ tool_use_id: 't2', content: 'B', is_error: true }, { tool_use_id: 't1', content: 'A' }] },
      { type: 'assistant', blocks: [says('done')] },
    ],
    agentfootprint: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'ok', toolCalls: [{ id: 't1', name: 'read', args: { path: 'a' } }, { id: 't2', name: 'ls', args: {} }] },
      { role: 'tool', content: 'B', toolCallId: 't2', toolName: 'ls', isError: true }, { role: 'tool', content: 'A', toolCallId: 't1', toolName: 'read' },
      { role: 'assistant', content: 'done' },
    ],
    pi: [
      { role: 'user', content: 'hi', timestamp: 0 },
      { role: 'assistant', content: [says('ok'), { type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'a' } }, { type: 'toolCall', id: 't2', name: 'ls', arguments: {} }], stopReason: 'toolUse', timestamp: 0 },
      { role: 'toolResult', toolCallId: 't2', toolName: 'ls', content: [says('B')], isError: true, timestamp: 0 }, { role: 'toolResult', toolCallId: 't1', toolName: 'read', content: [says('A')], isError: false, timestamp: 0 },
      { role: 'assistant', content: [says('done')], stopReason: 'stop', timestamp: 0 },
    ],
  };
  for (const [to, written] of Object.entries(WRITTEN)) {
    test(`${entry}: what is written in ${to}, and back`, () => {
      const { messages, losses } = convert(SMALL, { to, format: 'anthropic' });
      assert.deepEqual(messages, written);
      assert.deepEqual(codes(losses), to === 'openai-chat' ? ['error-flag'] : []);
      const back = convert(messages, { to: 'anthropic', format: to }).messages;
      const ends = to === 'ai-sdk-ui' ? [gives('t1', 'A'), gives('t2', 'B', { is_error: true })] : [gives('t2', 'B', to === 'openai-chat' ? {} : { is_error: true }), gives('t1', 'A')];
      assert.deepEqual(back, [SMALL[0], SMALL[1], user(ends), SMALL[3]]);
    });
  }

  // ---------------------------------------------------------------------------------------- what providers would refuse

  test(`${entry}: results of images alone, failed ones with images, ids that are too long`, () => {
    const shot = [user('look'), model(uses('t')), user([gives('t', [PICTURE])]), model([says('seen')])];
    const chat = convert(shot, { to: 'openai-chat', format: 'anthropic' });
    assert.equal(chat.messages[2].content, '');
    assert.ok(codes(chat.losses).includes('media'));
    assert.deepEqual(check(chat.messages, { format: 'openai-chat' }), []);
    const pi = [
      { role: 'user', content: 'look', timestamp: 1 },
      { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'shot', arguments: {} }], stopReason: 'toolUse', timestamp: 2 },
      { role: 'toolResult', toolCallId: 'c', toolName: 'shot', content: [says('no'), { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }], isError: true, timestamp: 3 },
    ];
    const blocks = convert(pi, { to: 'anthropic', format: 'pi' });
    assert.equal(blocks.messages[2].content[0].is_error, undefined);
    assert.ok(codes(blocks.losses).includes('error-flag'));
    const silent = [user('go'), model(uses('t')), user([gives('t', '', { is_error: true })])];
    assert.ok(convert(silent, { to: 'hotl', format: 'anthropic' }).messages[2].results[0].content.length > 0);
    const long = `call_${'x'.repeat(30)}|fc_${'y'.repeat(45)}`;
    for (const [to, most] of [['openai-chat', 40], ['openai-responses', 64]]) {
      const { messages, losses } = convert(JSON.parse(JSON.stringify(pi).replaceAll('"c"', JSON.stringify(long))), { to, format: 'pi' });
      const ids = JSON.stringify(messages).match(/"(?:tool_call_id|call_id)":"([^"]*)"/g);
      assert.ok(ids.length >= 1 && ids.every((id) => id.length < most + 20) && !JSON.stringify(messages).includes(long), `${ids}`);
      assert.ok(codes(losses).includes('call-id'));
      assert.deepEqual(check(messages, { format: to }), []);
    }
  });

  // ---------------------------------------------------------------------------------------------------- what comes along

  test(`${entry}: images and documents, inlined or elsewhere`, () => {
    const link = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } };
    const all = [user([says('see'), PICTURE, link, PDF]), model(uses('t')), user([gives('t', [says('shot'), PICTURE])])];
    const content = (to) => convert(all, { to, format: 'anthropic' });
    const data = 'data:image/png;base64,iVBORw0KGgo=';
    assert.deepEqual(content('openai-chat').messages[0].content.slice(1), [
      { type: 'image_url', image_url: { url: data } }, { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'file', file: { filename: 'file', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]);
    assert.deepEqual(codes(content('openai-chat').losses), ['media'], 'results there are text');
    assert.deepEqual(content('openai-responses').messages.at(-1).output, [{ type: 'input_text', text: 'shot' }, { type: 'input_image', image_url: data }]);
    assert.deepEqual(content('gemini').messages[2].parts[0].functionResponse.parts, [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }]);
    assert.deepEqual(content('hotl').messages[0].images, [{ media_type: 'image/png', data: 'iVBORw0KGgo=' }]);
    for (const to of ['openai-responses', 'langchain']) {
      const there = content(to);
      assert.deepEqual(there.losses, []);
      const back = convert(there.messages, { to: 'anthropic', format: to });
      assert.deepEqual(back.messages, all, to);
    }
  });

  test(`${entry}: signed reasoning goes where Anthropic's signatures have a place, unsigned where nobody minds`, () => {
    const all = [user(), model(thought, { type: 'redacted_thinking', data: 'x' }, says('ok')), user('go on')];
    for (const to of ['hotl', 'ai-sdk', 'ai-sdk-ui', 'langchain', 'agentfootprint']) {
      const there = convert(all, { to, format: 'anthropic' });
      assert.deepEqual(there.losses, [], to);
      assert.deepEqual(convert(there.messages, { to: 'anthropic', format: to }).messages.slice(0, 2), all.slice(0, 2), to);
    }
    const chat = convert(all, { to: 'openai-chat', format: 'anthropic' });
    assert.equal(chat.messages[1].reasoning_content, 'hm');
    assert.deepEqual(codes(chat.losses), ['signature', 'reasoning']);
    assert.deepEqual(codes(convert(all, { to: 'openai-responses', format: 'anthropic' }).losses), ['reasoning']);
    assert.deepEqual(codes(convert(chat.messages, { to: 'anthropic', format: 'openai-chat' }).losses), ['reasoning']);
  });

  test(`${entry}: digests stay digests`, () => {
    for (const from of FORMATS) {
      for (const [n, summary] of SUMMARIES[from].entries()) {
        const maker = MAKE[from];
        const all = [summary, maker.user('go on'), maker.model('ok')];
        for (const to of FORMATS.filter((to) => to !== from)) {
          const { messages, losses } = convert(all, { to, format: from });
          assert.deepEqual(check(messages, { format: to }), [], `${from} ${n} to ${to}`);
          const said = JSON.stringify(messages).includes('<compaction-summary>');
          assert.ok(said !== codes(losses).includes('summary'), `${from} ${n} to ${to}: ${JSON.stringify(messages[0])}`);
        }
      }
    }
    const digest = plica.digestMessage('GOAL: x', { format: 'hotl' });
    const there = convert([digest], { to: 'langchain', format: 'hotl' }).messages;
    assert.equal(there[0].data.additional_kwargs.lc_source, 'summarization');
    assert.deepEqual(convert(there, { to: 'hotl', format: 'langchain' }).messages, [digest]);
    const marked = convert([user('so far: x'), user()], { to: 'pi', format: 'anthropic', provenance: (_, i) => (i === 0 ? 'summary' : undefined) });
    assert.equal(marked.messages[0].role, 'compactionSummary');
  });

  test(`${entry}: steps of one message are turns; calls in flight stay in flight`, () => {
    const tool = (id, more) => ({ type: 'tool-read', toolCallId: id, input: {}, ...more });
    const done = { state: 'output-available', output: { n: 1 } };
    const ui = [
      { id: 'a', role: 'user', parts: [says('hi')] },
      { id: 'b', role: 'assistant', parts: [{ type: 'step-start' }, tool('1', done), tool('2', done), { type: 'step-start' }, says('next'), tool('3', { state: 'input-available' })] },
    ];
    const { messages, losses } = convert(ui, { to: 'openai-chat' });
    assert.deepEqual(losses, []);
    assert.deepEqual(messages.map(({ role, tool_calls: calls = [] }) => [role, calls.length]), [['user', 0], ['assistant', 2], ['tool', 0], ['tool', 0], ['assistant', 1]]);
    assert.equal(messages[2].content, '{"n":1}');
    assert.deepEqual(check(messages, { format: 'openai-chat' }), []);
  });

  test(`${entry}: calls without ids get the same ones in every run`, () => {
    const call = { functionCall: { name: 'read', args: {} } };
    const answer = (said) => ({ functionResponse: { name: 'read', response: { output: said } } });
    const all = [1, 2].flatMap((n) => [{ role: 'user', parts: [{ text: 'hi' }] }, { role: 'model', parts: [call, call] }, { role: 'user', parts: [answer(`A${n}`), answer(`B${n}`)] }, { role: 'model', parts: [{ text: 'ok' }] }]);
    const { messages } = convert(all, { to: 'openai-chat' });
    const ids = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
    assert.equal(new Set(ids).size, 4);
    const results = messages.filter(({ role }) => role === 'tool');
    assert.deepEqual(results.map((result) => [result.tool_call_id, result.content]), ['A1', 'B1', 'A2', 'B2'].map((said, i) => [ids[i], said]));
    assert.deepEqual(convert(all, { to: 'openai-chat' }).messages, messages);
  });

  // ------------------------------------------------------------------------------------------------------------- losses

  const called = (id, more = {}) => ({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' }, ...more }] });
  const answered = (id) => ({ role: 'tool', tool_call_id: id, content: 'A' });
  const LOSSES = {
    'system-text': ['openai-chat', 'gemini', [{ role: 'system', content: 'S' }, user()]],
    reasoning: ['gemini', 'anthropic', [{ role: 'user', parts: [{ text: 'hi' }] }, { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'ok' }] }]],
    signature: ['gemini', 'openai-chat', [{ role: 'model', parts: [{ text: 'ok', thoughtSignature: 'c2ln' }] }]],
    'hosted-call': ['anthropic', 'pi', [user(), model({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }, says('ok'))]],
    approval: ['openai-responses', 'ai-sdk', [{ role: 'user', content: 'hi' }, { type: 'mcp_approval_request', id: 'r', name: 'x', arguments: '{}', server_label: 'm' }]],
    media: ['openai-responses', 'anthropic', [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }, { type: 'input_image', file_id: 'file-1' }] }]],
    field: ['openai-chat', 'hotl', [{ role: 'user', content: 'hi', name: 'Ada' }]],
    summary: ['openai-responses', 'openai-chat', [SUMMARIES['openai-responses'][0]]],
    'unknown-part': ['anthropic', 'openai-chat', [user([says('hi'), { type: 'hologram', n: 1 }])]],
    'tool-name': ['anthropic', 'ai-sdk', [user(), model({ type: 'tool_use', id: 't', input: {} })]],
    'call-id': ['openai-chat', 'anthropic', [user(), called('c'), answered('c'), called('c'), answered('c')]],
    arguments: ['openai-chat', 'anthropic', [user(), called('c', { type: 'custom', function: undefined, custom: { name: 'patch', input: '*** begin' } }), answered('c')]],
    'error-flag': ['anthropic', 'openai-chat', SMALL],
    'orphan-result': ['openai-chat', 'anthropic', [user(), answered('gone')]],
    provenance: ['hotl', 'anthropic', [{ type: 'user', text: 'mind the frost', synthetic: 'memory' }]],
    'blank-text': ['openai-chat', 'anthropic', [user(), { role: 'assistant', content: ' \n' }]],
  };
  test(`${entry}: each kind of loss`, () => {
    const types = readFileSync(join(root, 'pkg/dist/generated/core.d.ts'), 'utf8');
    const known = /type LossCode = ([^;]+);/.exec(types)[1].match(/[a-z-]+(?=")/g);
    assert.deepEqual(Object.keys(LOSSES).sort(), [...known].sort());
    for (const [code, [from, to, all]] of Object.entries(LOSSES)) {
      const { messages, losses } = convert(all, { to, format: from });
      assert.ok(codes(losses).includes(code), `${code}: ${JSON.stringify(losses)}`);
      assert.deepEqual(check(messages, { format: to }), [], code);
    }
  });

  test(`${entry}: ids that would be refused for their characters are changed, with the result's`, () => {
    const all = [user(), called('functions.read:0'), answered('functions.read:0')];
    const { messages, losses } = convert(all, { to: 'anthropic', format: 'openai-chat' });
    const [call, result] = [messages[1].content[0].id, messages[2].content[0].tool_use_id];
    assert.match(call, /^functions_read_0/);
    assert.ok(call === result && codes(losses).includes('call-id'));
    assert.equal(convert(all, { to: 'gemini', format: 'openai-chat' }).messages[1].parts[0].functionCall.id, 'functions.read:0');
  });

  test(`${entry}: tools that take any text stay such where both sides have them, else get an object`, () => {
    const [from, , all] = LOSSES.arguments;
    const items = convert(all, { to: 'openai-responses', format: from });
    assert.deepEqual(items.losses, []);
    assert.deepEqual(items.messages.slice(1).map(({ type, input, output }) => [type, input ?? output]), [['custom_tool_call', '*** begin'], ['custom_tool_call_output', 'A']]);
    assert.deepEqual(convert(all, { to: 'anthropic', format: from }).messages[1].content[0].input, { input: '*** begin' });
  });

  test(`${entry}: binary parts and live messages`, () => {
    const binary = [{ role: 'user', content: [says('see'), { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) }] }];
    const { messages, losses } = convert(binary, { to: 'anthropic', format: 'ai-sdk' });
    assert.deepEqual([messages, codes(losses)], [[user('see')], ['media']]);
    const live = SAMPLES.langchain().map((message) => ({ toJSON: () => constructed(message) }));
    assert.deepEqual(convert(live, { to: 'hotl', format: 'langchain' }).messages, convert(SAMPLES.langchain(), { to: 'hotl' }).messages);
  });

  test(`${entry}: what is refused`, () => {
    const throws = (code, ...args) => assert.throws(() => convert(...args), (error) => error instanceof plica.PlicaError && error.code === code, code);
    throws('unknown-format', [user()], { to: 'xml' });
    throws('unknown-format', [user()]);
    throws('unknown-format', [user()], { to: 7 });
    throws('unknown-format', [user()], { to: 'pi', format: 'xml' });
    throws('bad-message', [7], { to: 'pi' });
    throws('bad-argument', 'text', { to: 'pi' });
    throws('format-undetected', [{ a: 1 }], { to: 'pi' });
  });

  test(`${entry}: files keep the spelling of numbers and strings`, () => {
    const file = '[{"role":"user","content":"caf\\u00e9"},\n {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"read",\n "input":{"id":1234567890123456789,"n":1.0}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"\\u0041"}]}]';
    const { conversation, report } = convertSession(file, { to: 'gemini' });
    for (const spelt of ['caf\\u00e9', '1234567890123456789', '"n":1.0', '"\\u0041"']) assert.ok(conversation.includes(spelt), spelt);
    assert.equal(conversation.trim().split('\n').length, 5);
    assert.deepEqual([report.from, report.to, report.messagesBefore, report.messagesAfter, report.losses], ['anthropic', 'gemini', 3, 3, []]);
    const text = convertSession(conversation, { to: 'openai-chat' }).conversation;
    assert.ok(text.includes('\\"id\\":1234567890123456789,\\"n\\":1.0'));
    assert.ok(convertSession(text, { to: 'anthropic' }).conversation.includes('1234567890123456789'));
  });
});

// ------------------------------------------------------------------------------------------------------------ the command

const folder = mkdtempSync(join(tmpdir(), 'plica-convert-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const run = (...args) => spawnSync(process.execPath, [join(root, 'pkg/bin/plica.mjs'), 'convert', ...args], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });

test('the command: a session as messages of another format, and what got lost', () => {
  const { status, stdout, stderr } = run(join(root, 'examples/garden-planner.jsonl'), '--to', 'openai-chat');
  assert.equal(status, 0, stderr);
  const messages = JSON.parse(stdout);
  assert.equal(stdout.trim().split('\n').length, messages.length + 2);
  assert.deepEqual(faultsOnly(messages, 'openai-chat'), []);
  assert.match(stderr, /^plica: [\d,]+ anthropic messages, now [\d,]+ of openai-chat\n/);
});

test('the command: losses by kind, the report, files whole or not at all', () => {
  writeFileSync(join(folder, 'a.json'), JSON.stringify(SAMPLES['openai-chat']()));
  const first = run('a.json', '--to', 'anthropic', '-o', 'b.json');
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stderr, /not carried over\n[^]*2 system-text, first in message 0: /);
  assert.deepEqual(faultsOnly(JSON.parse(readFileSync(join(folder, 'b.json'), 'utf8')), 'anthropic'), []);
  const { stdout } = run('a.json', '--to', 'anthropic', '-o', 'b.json', '--json');
  assert.equal(JSON.parse(stdout).losses.filter(({ code }) => code === 'system-text').length, 2);
  writeFileSync(join(folder, 'c.json'), 'mine');
  assert.equal(run('a.json', '--to', 'pi', '--out', 'c.json').status, 5);
  assert.equal(readFileSync(join(folder, 'c.json'), 'utf8'), 'mine');
  assert.equal(run('a.json', '--to', 'pi', '--out', 'c.json', '--force').status, 0);
  assert.equal(run('a.json', '--to', 'xml', '-o', 'd.json').status, 2);
  assert.equal(run('a.json').status, 2);
  assert.equal(run('a.json', '--to', 'pi', '--json').status, 2);
  assert.equal(run('none.json', '--to', 'pi', '-o', 'd.json').status, 3);
  assert.ok(!existsSync(join(folder, 'd.json')));
});
