// SPDX-License-Identifier: MIT OR Apache-2.0
import test from 'node:test';
import assert from 'node:assert/strict';
import { validate, faultsAdded, faultsOnly, pairs, BENIGN, RULES, SPLIT_RULES } from './validate.mjs';
import { Random, randomTranscript, FORMATS } from './random.mjs';

const u = (content) => ({ role: 'user', content });
const a = (...content) => ({ role: 'assistant', content: content.length === 1 && typeof content[0] === 'string' ? content[0] : content });
const text = (t) => ({ type: 'text', text: t });
const use = (id, type = 'tool_use') => ({ type, id, name: 'read', input: {} });
const res = (id, type = 'tool_result') => ({ type, tool_use_id: id, content: 'A' });
const think = (signature = 'Eq==') => ({ type: 'thinking', thinking: 'hm', signature });

const chatCall = (...ids) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })) });
const chatTool = (id, content = 'A') => ({ role: 'tool', tool_call_id: id, content });
const chat = (role, content) => ({ role, content });

const hu = (t, synthetic) => (synthetic ? { type: 'user', text: t, synthetic } : { type: 'user', text: t });
const ha = (...blocks) => ({ type: 'assistant', blocks });
const hr = (...ids) => ({ type: 'tool_results', results: ids.map((id) => ({ tool_use_id: id, content: 'A' })) });

const short = (faults) => faults.map((f) => `${f.rule}@${f.index}${f.id === undefined ? '' : `:${f.id}`}`);

function table(format, rows) {
  for (const [name, messages, expected] of rows) {
    test(`${format}: ${name}`, () => {
      const before = JSON.stringify(messages);
      assert.deepEqual(short(validate(messages, format)), expected);
      assert.equal(JSON.stringify(messages), before, 'the input is not touched');
    });
  }
}

table('anthropic', [
  ['nothing at all', [], []],
  ['plain talk', [u('hi'), a('hello')], []],
  ['call and result', [u('hi'), a(think(), text('ok'), use('t1'), use('t2')), u([res('t2'), res('t1'), text('and go on')]), a('done')], []],
  ['results split over two neighbouring user messages', [u('hi'), a(use('t1'), use('t2')), u([res('t1')]), u([res('t2')])], []],
  ['one turn of the assistant split over two messages', [u('hi'), a(think()), a(use('t1')), u([res('t1')])], []],
  ['two users in a row', [u('hi'), u('there'), a('yes')], []],
  ['same id in later turns', [u('hi'), a(use('c')), u([res('c')]), a(use('c')), u([res('c')])], []],
  ['server tool in one message', [u('q'), a(use('s', 'server_tool_use'), res('s', 'web_search_tool_result'), text('so'))], []],
  ['server tool over two messages', [u('q'), a(use('s', 'server_tool_use')), a(res('s', 'brand_new_tool_result'), text('so')), u('ok')], []],
  ['server tool that waits for a client tool', [u('q'), a(use('s', 'server_tool_use'), use('t')), u([res('t')]), a(res('s', 'code_execution_tool_result'), text('so')), u('ok')], []],
  ['mcp tool', [u('q'), a(use('m', 'mcp_tool_use'), res('m', 'mcp_tool_result'), text('x'))], []],
  ['thinking after tools in a message without client calls', [u('q'), a(use('s', 'server_tool_use'), res('s', 'web_search_tool_result'), think(), text('so'))], []],
  ['last assistant message may be empty', [u('q'), a()], []],
  ['assistant first', [a('hi'), u('q')], ['first-not-user@0']],
  ['system inside', [{ role: 'system', content: 'S' }, u('q'), a('x')], ['system-in-messages@0']],
  ['system between call and result is skipped', [u('q'), a(use('t')), { role: 'system', content: 'S' }, u([res('t')])], ['system-in-messages@2']],
  ['unknown role', [u('q'), { role: 'tool', content: 'x' }], ['bad-role@1']],
  ['not an object', [u('q'), null], ['bad-message@1']],
  ['content of a wrong kind', [u(5)], ['bad-message@0']],
  ['block without a type', [u([{ text: 'x' }])], ['bad-message@0']],
  ['empty content', [u(''), a(), u([])], ['empty-content@0', 'empty-content@1', 'empty-content@2']],
  ['content missing', [{ role: 'user' }], ['empty-content@0']],
  ['blank text', [u([text(' \n')]), a(text(''), text('x'))], ['empty-text@0', 'empty-text@1']],
  ['blank string', [u('  ')], ['empty-text@0']],
  ['no result', [u('q'), a(use('t')), u('go on'), a('x')], ['unanswered-call@1:t']],
  ['one of two results', [u('q'), a(use('t'), use('v')), u([res('v')]), a('x')], ['unanswered-call@1:t']],
  ['result one turn too late', [u('q'), a(use('t')), u('wait'), a('x'), u([res('t')])], ['unanswered-call@1:t', 'orphan-result@4:t']],
  ['result without any call', [u([res('t')]), a('x')], ['orphan-result@0:t']],
  ['second result', [u('q'), a(use('t')), u([res('t'), res('t')])], ['duplicate-result@2:t']],
  ['id twice in a turn', [u('q'), a(use('t'), use('t')), u([res('t'), res('t')])], ['duplicate-id@1:t']],
  ['id twice over a joined turn', [u('q'), a(use('t')), a(use('t')), u([res('t'), res('t')])], ['duplicate-id@2:t']],
  ['call without id', [u('q'), a({ type: 'tool_use', name: 'x', input: {} })], ['missing-id@1', 'pending-call@1']],
  ['text before the result', [u('q'), a(use('t')), u([text('by the way'), res('t')])], ['results-not-first@2:t']],
  ['user message before the result', [u('q'), a(use('t')), u('by the way'), u([res('t')])], ['results-not-first@3:t']],
  ['an orphan behind text is an orphan, no more', [u('q'), a('x'), u([text('y'), res('t')])], ['orphan-result@2:t']],
  ['text between results', [u('q'), a(use('t'), use('v')), u([res('t'), text('x'), res('v')])], ['results-not-first@2:v']],
  ['call at the end', [u('q'), a(use('t'))], ['pending-call@1:t']],
  ['half answered at the end', [u('q'), a(use('t'), use('v')), u([res('t')])], ['pending-call@1:v']],
  ['talked over at the end', [u('q'), a(use('t')), u('hello?')], ['unanswered-call@1:t']],
  ['talked over with an empty message', [u('q'), a(use('t')), u('')], ['unanswered-call@1:t', 'empty-content@2']],
  ['server call at the end', [u('q'), a(use('s', 'server_tool_use'))], ['pending-call@1:s']],
  ['server call abandoned', [u('q'), a(use('s', 'server_tool_use')), u('x'), a('y')], ['unanswered-call@1:s']],
  ['server result alone', [u('q'), a(res('s', 'web_search_tool_result'), text('x'))], ['orphan-result@1:s']],
  ['server result twice', [u('q'), a(use('s', 'server_tool_use'), res('s', 'web_search_tool_result'), res('s', 'web_search_tool_result'))], ['duplicate-result@1:s']],
  ['server result in front of its call', [u('q'), a(res('s', 'web_search_tool_result'), use('s', 'server_tool_use'))], ['orphan-result@1:s', 'pending-call@1:s']],
  ['client result in an assistant message', [u('q'), a(res('t'))], ['misplaced-block@1:t']],
  ['call in a user message', [u([use('t')])], ['misplaced-block@0:t']],
  ['unsigned thinking', [u('q'), a({ type: 'thinking', thinking: 'x' }, text('y'))], ['thinking-unsigned@1']],
  ['emptied signature', [u('q'), a(think(''), text('y'))], ['thinking-unsigned@1']],
  ['redacted thinking without data', [u('q'), a({ type: 'redacted_thinking' }, text('y'))], ['thinking-unsigned@1']],
  ['redacted thinking counts as thinking', [u('q'), a({ type: 'redacted_thinking', data: 'x' }, use('t')), u([res('t')])], []],
  ['thinking behind text in a tool loop', [u('q'), a(text('y'), think(), use('t')), u([res('t')])], ['thinking-not-first@1']],
  ['nothing but thinking', [u('q'), a(think()), u('x')], ['thinking-only@1']],
  ['thinking at the end', [u('q'), a(text('y'), think()), u('x')], ['thinking-last@1']],
]);

table('openai-chat', [
  ['nothing at all', [], []],
  ['calls and results', [chat('system', 'S'), chat('user', 'q'), chatCall('a', 'b'), chatTool('b'), chatTool('a'), chat('assistant', 'x')], []],
  ['same ids in every turn', [chat('user', 'q'), chatCall('c0', 'c1'), chatTool('c0'), chatTool('c1'), chatCall('c0'), chatTool('c0'), chat('assistant', 'x')], []],
  ['developer, image, refusal, audio', [chat('developer', 'S'), chat('user', [{ type: 'image_url', image_url: { url: 'data:,' } }]), { role: 'assistant', content: null, refusal: 'no' }, { role: 'assistant', audio: { id: 'x' } }], []],
  ['legacy function', [chat('user', 'q'), { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }, { role: 'function', name: 'f', content: 'A' }], []],
  ['empty string is content', [chat('user', ''), chat('assistant', '')], []],
  ['starts with the assistant', [chat('assistant', 'hi'), chat('user', 'q')], []],
  ['unanswered', [chat('user', 'q'), chatCall('a', 'b'), chatTool('a'), chat('user', 'go on')], ['unanswered-call@1:b']],
  ['answered after another message', [chat('user', 'q'), chatCall('a'), chat('user', 'wait'), chatTool('a'), chat('assistant', 'x')], ['unanswered-call@1:a', 'orphan-result@3:a']],
  ['system in between', [chat('user', 'q'), chatCall('a'), chat('system', 'S'), chatTool('a')], ['unanswered-call@1:a', 'orphan-result@3:a']],
  ['call after call', [chat('user', 'q'), chatCall('a'), chatCall('b'), chatTool('a'), chatTool('b')], ['unanswered-call@1:a', 'orphan-result@3:a']],
  ['tool message first', [chatTool('a'), chat('user', 'q')], ['orphan-result@0:a']],
  ['tool message without id', [chat('user', 'q'), chatCall('a'), { role: 'tool', content: 'x' }, chatTool('a')], ['orphan-result@2']],
  ['second result', [chat('user', 'q'), chatCall('a'), chatTool('a'), chatTool('a')], ['duplicate-result@3:a']],
  ['id twice in one message', [chat('user', 'q'), chatCall('a', 'a'), chatTool('a'), chatTool('a')], ['duplicate-id@1:a']],
  ['call without id', [chat('user', 'q'), { role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'f', arguments: '' } }] }], ['missing-id@1', 'pending-call@1']],
  ['in flight', [chat('user', 'q'), chatCall('a', 'b'), chatTool('a')], ['pending-call@1:b']],
  ['assistant with nothing', [chat('user', 'q'), chat('assistant', null), { role: 'assistant' }], ['empty-assistant@1', 'empty-assistant@2']],
  ['empty tool_calls', [chat('user', 'q'), { role: 'assistant', content: 'x', tool_calls: [] }], ['empty-tool-calls@1']],
  ['user without content', [chat('user', null), chat('user', [])], ['empty-content@0', 'empty-content@1']],
  ['result without content', [chat('user', 'q'), chatCall('a'), chatTool('a', null)], ['empty-content@2']],
  ['unknown role', [chat('model', 'x')], ['bad-role@0']],
  ['content of a wrong kind', [chat('user', 7)], ['bad-message@0']],
  ['legacy call unanswered', [chat('user', 'q'), { role: 'assistant', function_call: { name: 'f', arguments: '' } }, chat('user', 'x')], ['unanswered-call@1:function:f']],
  ['legacy result alone', [chat('user', 'q'), { role: 'function', name: 'f', content: 'x' }], ['orphan-result@1:function:f']],
  ['a tool call is not answered by a function message', [chat('user', 'q'), chatCall('f'), { role: 'function', name: 'f', content: 'x' }, chatTool('f')], ['orphan-result@2:function:f']],
]);

table('hotl', [
  ['nothing at all', [], []],
  ['calls and results', [{ type: 'system', text: 'S' }, hu('q'), ha(think(), use('a'), use('b')), hr('a', 'b'), ha(text('x'))], []],
  ['user items between', [hu('q'), ha(use('a')), hu('and', 'steer'), hr('a'), ha(text('x'))], []],
  ['results in two items with a user between', [hu('q'), ha(use('a'), use('b')), hr('a'), hu('and'), hr('b'), ha(text('x'))], []],
  ['assistant items in a row are one turn', [hu('q'), ha(use('a')), ha(use('b')), hr('a', 'b'), ha(text('x'))], []],
  ['same id in later turns', [hu('q'), ha(use('c')), hr('c'), ha(use('c')), hr('c')], []],
  ['unknown items are carried', [hu('q'), ha(use('c')), { type: 'checkpoint' }, hr('c')], []],
  ['picture without words', [{ type: 'user', text: '', images: [{ media_type: 'image/png', data: 'iV' }] }], []],
  ['server tool', [hu('q'), ha(use('s', 'server_tool_use'), res('s', 'web_search_tool_result'), text('x'))], []],
  ['assistant first', [ha(text('x'))], ['first-not-user@0']],
  ['abandoned', [hu('q'), ha(use('old')), hu('never mind'), ha(text('x'))], ['unanswered-call@1:old']],
  ['another assistant item took its place', [hu('q'), ha(use('a')), hu('w'), ha(use('b')), hr('a', 'b')], ['unanswered-call@1:a', 'orphan-result@4:a']],
  ['in flight, talked to', [hu('q'), ha(use('a')), hu('hello?', 'steer')], ['unanswered-call@1:a']],
  ['in flight', [hu('q'), ha(use('a'), use('b')), hr('a'), { type: 'checkpoint' }], ['pending-call@1:b']],
  ['a server call in flight, talked to', [hu('q'), ha(use('s', 'server_tool_use')), hu('hello?')], ['unanswered-call@1:s']],
  ['orphan', [hu('q'), hr('gone')], ['orphan-result@1:gone']],
  ['second result', [hu('q'), ha(use('a')), hr('a', 'a')], ['duplicate-result@2:a']],
  ['id twice', [hu('q'), ha(use('a'), use('a')), hr('a', 'a')], ['duplicate-id@1:a']],
  ['empty items', [hu(''), ha(), { type: 'tool_results', results: [] }], ['empty-content@0', 'empty-content@1', 'empty-content@2']],
  ['thinking rules', [hu('q'), ha(text('y'), think(''), use('a')), hr('a'), ha(think()), hu('x')], ['thinking-unsigned@1', 'thinking-not-first@1', 'thinking-only@3']],
  ['server call abandoned', [hu('q'), ha(use('s', 'server_tool_use')), hu('x'), ha(text('y'))], ['unanswered-call@1:s']],
  ['blocks missing', [hu('q'), { type: 'assistant' }], ['bad-message@1']],
]);

// ----------------------------------------------------------------------------------------------------- the flat items

const item = (type, more) => ({ type, ...more });
const msg = (role, content = 'x') => item('message', { role, content });
const rs = (id) => item('reasoning', { id, summary: [], encrypted_content: 'gAAA' });
const fc = (id, more) => item('function_call', { call_id: id, name: 'read', arguments: '{}', ...more });
const fco = (id, more) => item('function_call_output', { call_id: id, output: 'A', ...more });
const ask = (id) => item('mcp_approval_request', { id, name: 'n', arguments: '{}', server_label: 's' });
const reply = (id, approve = true) => item('mcp_approval_response', { approval_request_id: id, approve });
const hosted = (name, providerData) => item('hosted_tool_call', { name, providerData: { type: name, ...providerData } });

table('openai-responses', [
  ['nothing at all', [], []],
  ['reasoning, parallel calls, results anywhere later', [msg('user'), rs('r1'), fc('a'), fc('b'), msg('user', 'wait'), fco('b'), fco('a'), rs('r2'), msg('assistant')], []],
  ['easy messages of all roles', [{ role: 'system', content: 'S' }, { role: 'developer', content: 'D' }, { role: 'user', content: '' }, { role: 'assistant', content: 'x' }], []],
  ['assistant first, two users in a row', [msg('assistant'), msg('user'), msg('user')], []],
  ['all kinds of calls', [item('custom_tool_call', { call_id: 'a', name: 'n', input: '' }), item('custom_tool_call_output', { call_id: 'a', output: '' }), item('shell_call', { call_id: 'b' }), item('shell_call_output', { call_id: 'b' }), item('brand_new_call', { call_id: 'c' }), item('brand_new_call_output', { call_id: 'c' })], []],
  ['the camelCase twin', [item('function_call', { callId: 'a', name: 'n', arguments: '{}' }), item('function_call_result', { callId: 'a', output: 'A' }), item('computer_call', { callId: 'b' }), item('computer_call_result', { callId: 'b' })], []],
  ['hosted tools need no result', [rs('r'), item('web_search_call', { id: 'w' }), item('mcp_list_tools', { id: 'l' }), item('mcp_call', { id: 'm' }), item('tool_search_call', { call_id: null }), hosted('web_search_call'), msg('assistant')], []],
  ['a shell of the older kind is answered by its id', [item('local_shell_call', { id: 'i1', call_id: 'a' }), item('local_shell_call_output', { id: 'a', output: 'A' })], []],
  ['opaque and unknown items anywhere', [item('compaction', { id: 'c', encrypted_content: 'x' }), msg('user'), rs('r'), item('brand_new', { id: 'n' }), fc('a'), item('compaction_trigger'), fco('a')], []],
  ['references are no items of their own', [msg('user'), item('item_reference', { id: 'x' }), item('item_reference', { id: 'x' })], []],
  ['approvals', [ask('m1'), ask('m2'), reply('m2'), reply('m1', false), item('mcp_call', { id: 'c', approval_request_id: 'm2' }), msg('assistant')], []],
  ['approvals as the SDK packs them', [hosted('mcp_approval_request', { id: 'm' }), hosted('mcp_approval_response', { approval_request_id: 'm', approve: true }), msg('assistant')], []],
  ['same call id in later turns', [fc('c'), fco('c'), fc('c'), fco('c')], []],
  ['in flight', [msg('user'), rs('r'), fc('a'), fc('b'), fco('a')], ['pending-call@3:b']],
  ['an approval in flight', [msg('user'), fc('a'), ask('m')], ['pending-call@1:a', 'pending-call@2:m']],
  ['abandoned', [fc('a'), msg('user'), msg('assistant')], ['unanswered-call@0:a']],
  ['talked to', [fc('a'), fc('b'), fco('b'), msg('user')], ['unanswered-call@0:a']],
  ['another call came', [fc('a'), fc('b'), fco('b'), fc('c')], ['unanswered-call@0:a', 'pending-call@3:c']],
  ['an approval that nobody gave', [ask('m'), msg('user')], ['unanswered-call@0:m']],
  ['orphan', [msg('user'), fco('gone')], ['orphan-result@1:gone']],
  ['result in front of its call', [fco('a'), fc('a')], ['orphan-result@0:a', 'pending-call@1:a']],
  ['result without an id', [fc('a'), item('function_call_output', { output: 'A' }), fco('a')], ['orphan-result@1']],
  ['approval without request', [msg('user'), reply('m')], ['orphan-result@1:m']],
  ['second result', [fc('a'), fco('a'), msg('user'), fco('a')], ['duplicate-result@3:a']],
  ['second approval', [ask('m'), reply('m'), reply('m')], ['duplicate-result@2:m']],
  ['call without id', [item('function_call', { name: 'n', arguments: '{}' })], ['missing-id@0', 'pending-call@0']],
  ['call id twice', [fc('a'), fc('a'), fco('a'), fco('a')], ['duplicate-id@1:a']],
  ['item id twice', [msg('user'), fc('a', { id: 'i' }), fco('a', { id: 'i' })], ['duplicate-id@2:i']],
  ['reasoning that leads to nothing', [msg('user'), rs('r'), msg('user')], ['reasoning-orphan@1']],
  ['reasoning at the end', [msg('user'), rs('r1'), rs('r2')], ['reasoning-orphan@1', 'reasoning-orphan@2']],
  ['reasoning before a result', [fc('a'), rs('r'), fco('a'), msg('assistant')], ['reasoning-orphan@1']],
  ['unknown role', [msg('tool')], ['bad-role@0']],
  ['no content', [msg('user', []), msg('assistant', null)], ['empty-content@0', 'empty-content@1']],
  ['no items', [null, { content: 'x' }, msg('user', 5)], ['bad-message@0', 'bad-message@1', 'bad-message@2']],
]);

// ------------------------------------------------------------------------------------------------------------- contents

const gu = (...parts) => ({ role: 'user', parts: parts.map((p) => (typeof p === 'string' ? { text: p } : p)) });
const gm = (...parts) => ({ ...gu(...parts), role: 'model' });
const gc = (name, id) => ({ functionCall: { ...(id ? { id } : {}), name, args: {} } });
const gr = (name, id) => ({ functionResponse: { ...(id ? { id } : {}), name, response: {} } });
const thought = { text: 'hm', thought: true };

table('gemini', [
  ['nothing at all', [], []],
  ['plain talk', [gu('q'), gm('x'), gu('q')], []],
  ['parallel calls by id, in any order', [gu('q'), gm(thought, gc('f', '1'), gc('f', '2')), gu(gr('f', '2'), gr('f', '1')), gm('x')], []],
  ['without ids, by name and order', [gu('q'), gm(gc('f'), gc('g'), gc('f')), gu(gr('g'), gr('f'), gr('f')), gm('x')], []],
  ['ids on the side of the responses only', [gu('q'), gm(gc('f'), gc('f')), gu(gr('f', 'f-1'), gr('f', 'f-2')), gm('x')], []],
  ['an id that only the call has', [gu('q'), gm(gc('f', '1')), gu(gr('f')), gm('x')], []],
  ['role function', [gu('q'), gm(gc('f')), { ...gu(gr('f')), role: 'function' }, gm('x')], []],
  ['text beside the responses', [gu('q'), gm(gc('f')), gu(gr('f'), 'and go on'), gm('x')], []],
  ['same ids in later turns', [gu('q'), gm(gc('f', '0')), gu(gr('f', '0')), gm(gc('f', '0')), gu(gr('f', '0'))], []],
  ['an empty text that carries a signature', [gu('q'), gm({ text: '', thoughtSignature: 'x' })], []],
  ['parts nobody knows', [gu({ fileData: { fileUri: 'x' } }), gm({ executableCode: {} }, { codeExecutionResult: {} })], []],
  ['model first', [gm('x'), gu('q')], ['first-not-user@0']],
  ['two users', [gu('q'), gu('r'), gm('x')], ['alternation@1']],
  ['two of the model', [gu('q'), gm('x'), gm('y')], ['alternation@2']],
  ['system inside', [{ role: 'system', parts: [{ text: 'S' }] }, gu('q')], ['bad-role@0']],
  ['no parts', [{ role: 'user' }, gm(), gu('')], ['empty-content@0', 'empty-content@1', 'empty-content@2']],
  ['parts of a wrong kind', [{ role: 'user', parts: 'x' }, null, gm('x', 5)], ['bad-message@0', 'bad-message@1', 'bad-message@2']],
  ['nothing but thoughts', [gu('q'), gm(thought, thought)], ['reasoning-only@1']],
  ['one response too few', [gu('q'), gm(gc('f', '1'), gc('g')), gu(gr('f', '1')), gm('x')], ['unanswered-call@1:name:g']],
  ['talked to', [gu('q'), gm(gc('f', '1')), gu('hello?')], ['unanswered-call@1:1']],
  ['in flight', [gu('q'), gm(gc('f'), gc('g')), gu(gr('f'))], ['pending-call@1:name:g']],
  ['half answered and talked to', [gu('q'), gm(gc('f'), gc('g')), gu(gr('f'), 'hello?')], ['unanswered-call@1:name:g']],
  ['one response too many', [gu('q'), gm(gc('f')), gu(gr('f'), gr('f'))], ['duplicate-result@2:name:f']],
  ['response of another function', [gu('q'), gm(gc('f')), gu(gr('f'), gr('g'))], ['orphan-result@2:name:g']],
  ['response first', [gu(gr('f', '1')), gm('x')], ['orphan-result@0:1']],
  ['response later', [gu('q'), gm(gc('f', '1')), gu('wait'), gm('x'), gu(gr('f', '1'))], ['misplaced-result@4:1']],
  ['responses in two contents', [gu('q'), gm(gc('f'), gc('g')), gu(gr('f')), gu(gr('g')), gm('x')], ['misplaced-result@3:name:g', 'alternation@3']],
  ['id twice', [gu('q'), gm(gc('f', '1'), gc('f', '1')), gu(gr('f', '1'), gr('f', '1'))], ['duplicate-id@1:1']],
]);

// --------------------------------------------------------------------------------------------------------------- AI SDK

const call = (id, more) => ({ type: 'tool-call', toolCallId: id, toolName: 'read', input: {}, ...more });
const out = (id) => ({ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type: 'text', value: 'A' } });
const need = (id, callId) => ({ type: 'tool-approval-request', approvalId: id, toolCallId: callId });
const may = (id, approved = true) => ({ type: 'tool-approval-response', approvalId: id, approved });
const tool = (...content) => ({ role: 'tool', content });
const why = { type: 'reasoning', text: 'hm' };
const own = { providerExecuted: true };

table('ai-sdk', [
  ['nothing at all', [], []],
  ['strings and parts', [chat('system', 'S'), u('q'), a('x'), u([text('q'), { type: 'file', mediaType: 'image/png', data: 'iV' }]), a(why, text('x'))], []],
  ['results in several tool messages', [u('q'), a(why, call('a'), call('b')), tool(out('b')), tool(out('a')), a('x')], []],
  ['assistant first, two in a row', [a('x'), a('y'), u('q'), u('r')], []],
  ['a result in the assistant message', [u('q'), a(call('a'), out('a'), text('x'))], []],
  ['a tool of the provider, answered later or never', [u('q'), a(call('p', own), call('n', own), call('a')), tool(out('a')), a(out('p'), text('x')), u('r'), a('y')], []],
  ['an approval', [u('q'), a(call('a'), need('r', 'a')), tool(may('r')), tool(out('a')), a('x')], []],
  ['a denial is as good as a result', [u('q'), a(call('a'), call('b'), need('r', 'a')), tool(may('r', false), out('b')), a('x')], []],
  ['a denial and a result', [u('q'), a(call('a'), need('r', 'a')), tool(may('r', false)), tool(out('a')), a('x')], []],
  ['same id in later turns', [u('q'), a(call('c')), tool(out('c')), a(call('c')), tool(out('c'))], []],
  ['parts nobody knows', [u('q'), a({ type: 'brand-new' })], []],
  ['waits for an approval', [u('q'), a(call('a'), need('r', 'a'))], ['pending-call@1:a']],
  ['approved and not run yet', [u('q'), a(call('a'), need('r', 'a')), tool(may('r'))], ['pending-call@1:a']],
  ['approved and never run', [u('q'), a(call('a'), need('r', 'a')), tool(may('r')), u('well?')], ['unanswered-call@1:a']],
  ['nobody approved', [u('q'), a(call('a'), need('r', 'a')), u('well?')], ['unanswered-call@1:a']],
  ['in flight', [u('q'), a(call('a'), call('b')), tool(out('a'))], ['pending-call@1:b']],
  ['abandoned', [u('q'), a(call('a')), chat('system', 'S'), a('x')], ['unanswered-call@1:a']],
  ['result too late', [u('q'), a(call('a')), u('w'), tool(out('a'))], ['misplaced-result@3:a']],
  ['result in a later assistant message', [u('q'), a(call('a')), a(out('a'), text('x'))], ['misplaced-result@2:a']],
  ['approval too late', [u('q'), a(call('a'), need('r', 'a')), tool(out('a')), u('w'), tool(may('r'))], ['misplaced-result@4:r']],
  ['orphans', [tool(out('a')), a(out('b'), text('x'))], ['orphan-result@0:a', 'orphan-result@1:b']],
  ['approval without request', [u('q'), a(call('a')), tool(out('a'), may('r'))], ['orphan-result@2:r']],
  ['second result', [u('q'), a(call('a')), tool(out('a')), tool(out('a'))], ['duplicate-result@3:a']],
  ['second approval', [u('q'), a(call('a'), need('r', 'a')), tool(may('r'), may('r')), tool(out('a'))], ['duplicate-result@2:r']],
  ['ids twice', [u('q'), a(call('a'), call('a'), need('r', 'a'), need('r', 'a')), tool(out('a'), out('a'), may('r'))], ['duplicate-id@1:a', 'duplicate-id@1:r']],
  ['call without id', [u('q'), a(call(undefined))], ['missing-id@1', 'pending-call@1']],
  ['nothing said', [u(''), a(), u([text('')]), a(''), tool()], ['empty-content@0', 'empty-content@1', 'empty-content@2', 'empty-content@3', 'empty-content@4']],
  ['nothing but reasoning', [u('q'), a(why, text(''))], ['reasoning-only@1']],
  ['unknown role', [chat('function', 'x')], ['bad-role@0']],
  ['wrong kinds', [u(5), { role: 'tool', content: 'A' }, chat('system', []), u([{}])], ['bad-message@0', 'bad-message@1', 'empty-content@2', 'bad-message@3']],
]);

const ui = (role, ...parts) => ({ id: 'm', role, parts });
const live = (id, state, type = 'tool-read') => ({ type, ...(type === 'dynamic-tool' ? { toolName: 'read' } : {}), toolCallId: id, state, input: {} });
const start = { type: 'step-start' };

table('ai-sdk-ui', [
  ['nothing at all', [], []],
  ['a turn of several steps', [ui('user', text('q')), ui('assistant', start, why, live('a', 'output-available'), live('b', 'output-error', 'dynamic-tool'), start, live('c', 'output-denied'), text('x'))], []],
  ['parts of all kinds', [ui('system', text('S')), ui('user', { type: 'file', url: 'data:,' }), ui('assistant', { type: 'data-x', data: 1 }, { type: 'source-url', url: 'x' }, { type: 'brand-new' })], []],
  ['assistant first, two in a row', [ui('assistant', text('x')), ui('assistant', text('y'))], []],
  ['same id in later messages', [ui('assistant', live('a', 'output-available')), ui('assistant', live('a', 'output-available'))], []],
  ['in flight, in every state', [ui('user', text('q')), ui('assistant', live('a', 'input-streaming'), live('b', 'input-available'), live('c', 'approval-requested'), live('d', 'approval-responded', 'dynamic-tool'))], ['pending-call@1:a', 'pending-call@1:b', 'pending-call@1:c', 'pending-call@1:d']],
  ['abandoned', [ui('assistant', live('a', 'input-available'), live('b', 'output-available')), ui('user', text('q'))], ['unanswered-call@0:a']],
  ['approval abandoned', [ui('assistant', live('a', 'approval-responded')), ui('assistant', text('x'))], ['unanswered-call@0:a']],
  ['a state nobody knows is no result', [ui('assistant', live('a', 'paused')), ui('user', text('q'))], ['unanswered-call@0:a']],
  ['id twice', [ui('assistant', live('a', 'output-available'), live('a', 'output-available', 'dynamic-tool'))], ['duplicate-id@0:a']],
  ['call without id', [ui('assistant', live(undefined, 'output-available'))], ['missing-id@0']],
  ['no parts', [ui('user'), { id: 'm', role: 'assistant' }], ['empty-content@0', 'empty-content@1']],
  ['nothing but reasoning', [ui('user', text('q')), ui('assistant', start, why, start, why)], ['reasoning-only@1']],
  ['step-start alone is not reasoning', [ui('user', text('q')), ui('assistant', start)], []],
  ['unknown role', [ui('tool', text('x'))], ['bad-role@0']],
  ['wrong kinds', ['x', { id: 'm', role: 'user', parts: 'x' }, ui('user', { text: 'x' })], ['bad-message@0', 'bad-message@1', 'bad-message@2']],
]);

// -------------------------------------------------------------------- the formats with the rules of the chat completions

const stored = (type, data) => ({ type, data: { additional_kwargs: {}, ...data } });
const built = (name, kwargs) => ({ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs });
const human = (content = 'q') => stored('human', { content });
const ai = (content, ...ids) => stored('ai', { content, tool_calls: ids.map((id) => ({ id, name: 'read', args: {} })) });
const lcTool = (id, content = 'A') => stored('tool', { content, tool_call_id: id });
class AIMessageChunk {
  constructor(fields) {
    Object.assign(this, fields);
  }
}
class Saved {
  constructor(form) {
    Object.defineProperty(this, 'toJSON', { value: () => form });
  }
}

table('langchain', [
  ['nothing at all', [], []],
  ['calls and results', [stored('system', { content: 'S' }), human(), ai('', 'a', 'b'), lcTool('b'), lcTool('a'), ai('x')], []],
  ['the other form', [built('HumanMessage', { content: 'q' }), built('AIMessageChunk', { content: '', tool_calls: [{ id: 'a', name: 'f', args: {} }] }), built('ToolMessage', { content: 'A', tool_call_id: 'a' }), built('AIMessage', { content: 'x' })], []],
  ['instances', [{ content: 'q', type: 'human' }, new AIMessageChunk({ content: '', tool_calls: [{ id: 'a', name: 'f', args: {} }] }), { content: 'A', tool_call_id: 'a' }, new Saved(built('AIMessage', { content: 'x' })), { content: 'q', _getType: () => 'human' }], []],
  ['same id in later turns', [human(), ai('', 'c'), lcTool('c'), ai('', 'c'), lcTool('c')], []],
  ['blocks say the calls again', [human(), stored('ai', { content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }], tool_calls: [{ id: 'a', name: 'f', args: {} }] }), lcTool('a')], []],
  ['blocks alone are no calls', [human(), stored('ai', { content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }), human()], []],
  ['as older ones kept calls', [human(), stored('ai', { content: '', additional_kwargs: { tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] } }), lcTool('a')], []],
  ['unreadable calls may be answered or not', [human(), stored('ai', { content: '', invalid_tool_calls: [{ id: 'a', name: 'f' }, { id: 'b', name: 'f' }] }), lcTool('a'), human()], []],
  ['functions', [human(), stored('ai', { content: '', additional_kwargs: { function_call: { name: 'f', arguments: '' } } }), stored('function', { name: 'f', content: 'A' })], []],
  ['chat messages and orders to the store', [human(), ai('', 'a'), stored('remove', { id: 'x' }), lcTool('a'), stored('chat', { role: 'critic', content: 'x' })], []],
  ['in flight', [human(), ai('', 'a', 'b'), lcTool('a')], ['pending-call@1:b']],
  ['talked to', [human(), ai('', 'a'), human()], ['unanswered-call@1:a']],
  ['call after call', [human(), ai('', 'a'), ai('', 'b'), lcTool('a'), lcTool('b')], ['misplaced-result@3:a']],
  ['system in between', [human(), ai('', 'a'), stored('system', { content: 'S' }), lcTool('a')], ['misplaced-result@3:a']],
  ['orphan', [human(), lcTool('a')], ['orphan-result@1:a']],
  ['result without id', [human(), ai('', 'a'), lcTool(undefined), lcTool('a')], ['orphan-result@2']],
  ['second result', [human(), ai('', 'a'), lcTool('a'), lcTool('a')], ['duplicate-result@3:a']],
  ['id twice', [human(), ai('', 'a', 'a'), lcTool('a'), lcTool('a')], ['duplicate-id@1:a']],
  ['call without id', [human(), ai('', undefined)], ['missing-id@1', 'pending-call@1']],
  ['nothing said', [human([]), ai(''), ai([]), lcTool('a', null)], ['empty-content@0', 'empty-content@1', 'empty-content@2', 'empty-content@3', 'orphan-result@3:a']],
  ['nothing but reasoning', [human(), ai([{ type: 'thinking', thinking: 'hm' }])], ['reasoning-only@1']],
  ['unknown type', [stored('wizard', { content: 'x' })], ['bad-role@0']],
  ['no message', [null, {}, built('AIMessage', 'x'), human(5)], ['bad-message@0', 'bad-message@1', 'bad-message@2', 'bad-message@3']],
]);

const fa = (content, ...ids) => ({ role: 'assistant', content, toolCalls: ids.map((id) => ({ id, name: 'read', args: {} })) });
const ft = (id, content = 'A') => ({ role: 'tool', content, toolCallId: id, toolName: 'read' });

table('agentfootprint', [
  ['nothing at all', [], []],
  ['calls and results', [chat('system', 'S'), u('q'), { ...fa('', 'a', 'b'), thinkingBlocks: [{ type: 'thinking' }] }, ft('b'), ft('a'), a('x')], []],
  ['same id in later turns', [u('q'), fa('', 'c'), ft('c'), fa('', 'c'), ft('c')], []],
  ['assistant first, no calls in the list', [fa('x'), fa('y'), u('')], []],
  ['in flight', [u('q'), fa('', 'a', 'b'), ft('a')], ['pending-call@1:b']],
  ['talked to', [u('q'), fa('', 'a'), u('hello?')], ['unanswered-call@1:a']],
  ['one of two', [u('q'), fa('', 'a', 'b'), ft('b'), a('x')], ['unanswered-call@1:a']],
  ['result too late', [u('q'), fa('', 'a'), u('w'), ft('a')], ['misplaced-result@3:a']],
  ['orphan', [ft('a'), a('x')], ['orphan-result@0:a']],
  ['second result', [u('q'), fa('', 'a'), ft('a'), ft('a')], ['duplicate-result@3:a']],
  ['a second result later is an orphan', [u('q'), fa('', 'a'), ft('a'), u('w'), ft('a')], ['orphan-result@4:a']],
  ['id twice', [u('q'), fa('', 'a', 'a'), ft('a'), ft('a')], ['duplicate-id@1:a']],
  ['call without id', [u('q'), fa('', undefined)], ['missing-id@1', 'pending-call@1']],
  ['nothing said', [{ role: 'user' }, fa(''), { role: 'assistant' }], ['empty-content@0', 'empty-content@1', 'empty-content@2']],
  ['nothing but thinking', [u('q'), { ...fa(''), thinkingBlocks: [{ type: 'thinking' }] }], ['reasoning-only@1']],
  ['unknown role', [chat('developer', 'x')], ['bad-role@0']],
  ['content that is no string', [u([text('q')]), 5], ['bad-message@0', 'bad-message@1']],
]);

const pc = (id) => ({ type: 'toolCall', id, name: 'read', arguments: {} });
const pt = (id, content = [text('A')]) => ({ role: 'toolResult', toolCallId: id, toolName: 'read', content, isError: false });
const pthink = { type: 'thinking', thinking: 'hm' };
const told = [{ role: 'bashExecution', command: 'ls', output: '' }, { role: 'custom', content: 'x' }, { role: 'compactionSummary', summary: 'x' }, { role: 'branchSummary', summary: 'x' }];

table('pi', [
  ['nothing at all', [], []],
  ['calls and results', [u('q'), a(pthink, text('x'), pc('a'), pc('b')), pt('b'), pt('a'), a(text('x'))], []],
  ['what else is told', [...told, a(text('x')), ...told], []],
  ['an application\'s own role is passed over', [u('q'), a(pc('a')), { role: 'artifact' }, pt('a'), { role: 'artifact' }], []],
  ['same id in later turns', [u('q'), a(pc('c')), pt('c'), a(pc('c')), pt('c')], []],
  ['in flight', [u('q'), a(pc('a'), pc('b')), pt('a')], ['pending-call@1:b']],
  ['in flight beside an own role', [u('q'), a(pc('a')), { role: 'artifact' }], ['pending-call@1:a']],
  ['talked to', [u('q'), a(pc('a')), told[0]], ['unanswered-call@1:a']],
  ['result too late', [u('q'), a(pc('a')), told[1], pt('a')], ['misplaced-result@3:a']],
  ['call after call', [u('q'), a(pc('a')), a(pc('b')), pt('a'), pt('b')], ['misplaced-result@3:a']],
  ['orphan', [u('q'), pt('a')], ['orphan-result@1:a']],
  ['second result', [u('q'), a(pc('a')), pt('a'), pt('a')], ['duplicate-result@3:a']],
  ['id twice', [u('q'), a(pc('a'), pc('a')), pt('a'), pt('a')], ['duplicate-id@1:a']],
  ['call without id', [u('q'), a(pc(undefined))], ['missing-id@1', 'pending-call@1']],
  ['nothing said', [u([]), a(), a(pc('a')), pt('a', null)], ['empty-content@0', 'empty-content@1', 'empty-content@3']],
  ['nothing but thinking', [u('q'), a(pthink, pthink)], ['reasoning-only@1']],
  ['wrong kinds', [{ content: 'x' }, u(5), a({ text: 'x' })], ['bad-message@0', 'bad-message@1', 'bad-message@2']],
]);

test('strictIds reports an id of an earlier turn', () => {
  const m = [u('hi'), a(use('c')), u([res('c')]), a(use('c')), u([res('c')])];
  assert.deepEqual(short(validate(m, 'anthropic', { strictIds: true })), ['reused-id@3:c']);
  const o = [chat('user', 'q'), chatCall('c'), chatTool('c'), chatCall('c'), chatTool('c')];
  assert.deepEqual(short(validate(o, 'openai-chat', { strictIds: true })), ['reused-id@3:c']);
  const h = [hu('q'), ha(use('c')), hr('c'), ha(use('c')), hr('c')];
  assert.deepEqual(short(validate(h, 'hotl', { strictIds: true })), ['reused-id@3:c']);
});

test('faultsOnly leaves out what is merely in flight', () => {
  assert.deepEqual(faultsOnly([{ role: 'system', content: 'S' }, u('q'), a(use('t'))], 'anthropic'), []);
});

test('unknown formats and non-arrays are refused', () => {
  assert.throws(() => validate([], 'bedrock'), RangeError);
  assert.throws(() => validate('x', 'hotl'), TypeError);
});

test('faultsAdded: what was there before is accounted for', () => {
  const before = [u('q'), a(use('t')), u('go on'), a('x'), u('more')];
  assert.deepEqual(faultsAdded(before, before, 'anthropic'), []);
  assert.deepEqual(faultsAdded(before, [u('digest'), a('x'), u('more')], 'anthropic'), []);
  assert.deepEqual(faultsAdded(before, before.slice(0, 2), 'anthropic'), [], 'unanswered before, pending after');
});

test('faultsAdded: new kinds, new ids and greater numbers are blamed', () => {
  const before = [u('q'), a(use('t'), use('v')), u([res('t'), res('v')]), a('x')];
  assert.deepEqual(short(faultsAdded(before, [u('digest'), ...before.slice(2)], 'anthropic')), ['orphan-result@1:t', 'orphan-result@1:v']);
  assert.deepEqual(short(faultsAdded(before, before.slice(1), 'anthropic')), ['first-not-user@0']);
  const one = [hu('q'), hr('gone'), ha(text('x'))];
  assert.deepEqual(short(faultsAdded(one, [hu('q'), hr('gone'), hr('gone'), ha(text('x'))], 'hotl')), ['orphan-result@2:gone']);
  assert.deepEqual(short(faultsAdded([u('q'), a(use('t'))], [u('q'), a(use('t')), u('digest')], 'anthropic')), ['unanswered-call@1:t'], 'pending before is no excuse');
});

test('pairs: nearest batch, first open call', () => {
  const m = [hu('q'), ha(use('c')), hr('c'), ha(use('c'), use('c')), hr('c'), hu('x'), hr('c', 'c'), ha(use('z')), hu('w')];
  const p = pairs(m, 'hotl');
  assert.deepEqual(p.pairs.map((x) => [x.call, x.result]), [[[1, 0], [2, 0]], [[3, 0], [4, 0]], [[3, 1], [6, 0]]]);
  assert.deepEqual(p.orphans, [{ id: 'c', at: [6, 1] }]);
  assert.deepEqual(p.unanswered, [{ id: 'z', name: 'read', at: [7, 0], pending: true }]);
});

test('pairs: two call messages before both results; abandoned is not pending', () => {
  const p = pairs([chat('user', 'q'), chatCall('a'), chatCall('b'), chatTool('b'), chatTool('a'), chatCall('l'), chat('assistant', 'x')], 'openai-chat');
  assert.deepEqual(p.pairs.map((x) => [x.id, x.call, x.result]), [['b', [2, 0], [3, 0]], ['a', [1, 0], [4, 0]]]);
  assert.deepEqual(p.unanswered.map((x) => [x.id, x.pending]), [['l', false]]);
});

test('pairs: by field, not by role', () => {
  const p = pairs([u('q'), a(use('s', 'server_tool_use'), res('s', 'unheard_of_tool_result'), use('t')), u([res('t')])], 'anthropic');
  assert.deepEqual(p.pairs.map((x) => x.id), ['s', 't']);
  const l = pairs([{ role: 'assistant', function_call: { name: 'f', arguments: '' } }, { role: 'function', name: 'f', content: '' }], 'openai-chat');
  assert.equal(l.pairs.length, 1);
});

test('pairs: gemini by id, then by name and order; the id of either side', () => {
  const p = pairs([gu('q'), gm(gc('f'), gc('f', '2'), gc('g')), gu(gr('f', '2'), gr('g', 'made-up')), gu(gr('f'), gr('h'))], 'gemini');
  assert.deepEqual(p.pairs.map((x) => [x.id, x.name, x.call, x.result]), [['2', 'f', [1, 1], [2, 0]], ['made-up', 'g', [1, 2], [2, 1]], [undefined, 'f', [1, 0], [3, 0]]]);
  assert.deepEqual(p.orphans, [{ id: undefined, at: [3, 1] }]);
  const open = pairs([gu('q'), gm(thought, gc('f'))], 'gemini');
  assert.deepEqual(open.unanswered, [{ id: undefined, name: 'f', at: [1, 1], pending: true }]);
});

test('pairs: a denial answers when nothing else does; the provider\'s own calls may stay open', () => {
  const denied = pairs([u('q'), a(call('a'), call('b'), need('r', 'a'), need('s', 'b')), tool(may('r', false), may('s', false)), tool(out('b')), a('x')], 'ai-sdk');
  assert.deepEqual(denied.pairs.map((x) => [x.id, x.result]), [['b', [3, 0]], ['a', [2, 0]]]);
  assert.deepEqual(pairs([u('q'), a(call('p', own), call('a'))], 'ai-sdk').unanswered, [{ id: 'a', name: 'read', at: [1, 1], pending: true }]);
});

test('pairs: one part, flat items, all forms of LangChain', () => {
  const parts = pairs([ui('assistant', start, live('a', 'output-error'), live('b', 'input-available')), ui('user', text('q'))], 'ai-sdk-ui');
  assert.deepEqual(parts.pairs, [{ id: 'a', name: 'read', call: [0, 1], result: [0, 1] }]);
  assert.deepEqual(parts.unanswered, [{ id: 'b', name: 'read', at: [0, 2], pending: true }]);
  const flat = pairs([fc('a'), rs('r'), fc('b'), item('web_search_call', { id: 'w' }), fco('b'), item('custom_tool_call', { callId: 'c', name: 'n' })], 'openai-responses');
  assert.deepEqual(flat.pairs.map((x) => [x.id, x.call, x.result]), [['b', [2, 0], [4, 0]]]);
  assert.deepEqual(flat.unanswered.map((x) => [x.id, x.pending]), [['a', false], ['c', true]]);
  const forms = pairs([ai('', 'a', 'b'), { content: 'A', tool_call_id: 'b' }, built('ToolMessage', { content: 'A', tool_call_id: 'a' })], 'langchain');
  assert.deepEqual(forms.pairs.map((x) => [x.call, x.result]), [[[0, 1], [1, 0]], [[0, 0], [2, 0]]]);
});

test('strictIds in the other formats', () => {
  const strict = (m, format) => short(validate(m, format, { strictIds: true }));
  assert.deepEqual(strict([fc('c'), fco('c'), fc('c'), fco('c')], 'openai-responses'), ['reused-id@2:c']);
  assert.deepEqual(strict([u('q'), a(pc('c')), pt('c'), a(pc('c')), pt('c')], 'pi'), ['reused-id@3:c']);
});

test('faultsAdded: reasoning goes with what it led to', () => {
  const before = [msg('user'), rs('r1'), rs('r2'), msg('assistant'), fc('a'), fco('a'), rs('r3'), msg('assistant', 'y'), msg('user', 'z')];
  const added = (...indices) => short(faultsAdded(before, indices.map((i) => before[i]), 'openai-responses'));
  assert.deepEqual(added(0, 1, 2, 3, 4, 5), []);
  assert.deepEqual(added(6, 7, 8), []);
  assert.deepEqual(added(0, 7, 8), ['reasoning-split@1:r3']);
  assert.deepEqual(added(2, 3, 4, 5), ['reasoning-split@0:r1']);
  assert.deepEqual(added(1, 2, 3, 6, 7), ['reasoning-split@0:r1']);
  assert.deepEqual(added(7, 6, 7), ['reasoning-split@0:r3'], 'in another order');
  assert.deepEqual(short(faultsAdded(before, structuredClone([before[7]]), 'openai-responses')), ['reasoning-split@0:r3'], 'equal ones are the same');
  assert.deepEqual(faultsAdded(before, [msg('user', 'digest'), ...structuredClone(before.slice(6))], 'openai-responses'), []);
  const twins = [rs('r'), fc('a'), fco('a'), rs('r'), fc('a'), fco('a')];
  assert.deepEqual(faultsAdded(twins, structuredClone(twins.slice(3)), 'openai-responses').map((f) => f.rule), [], 'equal groups: either of them');
});

test('faultsAdded: an approval goes with its request and its call', () => {
  const before = [msg('user'), ask('m'), reply('m'), item('mcp_call', { id: 'c', approval_request_id: 'm' }), msg('assistant')];
  assert.deepEqual(short(faultsAdded(before, before.slice(3), 'openai-responses')), ['approval-split@0:m']);
  assert.deepEqual(faultsAdded(before, before.slice(4), 'openai-responses'), []);
  const denied = [u('q'), a(call('a'), need('r', 'a')), tool(may('r')), tool(out('a')), a('x')];
  assert.deepEqual(short(faultsAdded(denied, denied.slice(0, 2), 'ai-sdk')), ['pending-call@1:a', 'approval-split@1:r']);
  assert.deepEqual(faultsAdded(denied, denied.slice(0, 4), 'ai-sdk'), []);
});

for (const format of ['anthropic', 'openai-chat', 'hotl']) {
  test(`random ${format}: the same seed gives the same transcript`, () => {
    for (let seed = 0; seed < 50; seed++) {
      const options = { malformed: seed / 50 };
      assert.deepEqual(randomTranscript(seed, format, options), randomTranscript(seed, format, options));
    }
  });

  test(`random ${format}: well-formed ones have no fault, and every call its result`, () => {
    let pending = 0;
    for (let seed = 0; seed < 4000; seed++) {
      const m = randomTranscript(seed, format);
      const faults = validate(m, format);
      assert.deepEqual(faults.filter((f) => !BENIGN.has(f.rule)), [], `seed ${seed}`);
      const p = pairs(m, format);
      assert.deepEqual(p.orphans, [], `seed ${seed}`);
      const inFlight = faults.filter((f) => f.rule === 'pending-call').map((f) => f.id);
      assert.deepEqual(p.unanswered.map((x) => x.id), inFlight, `seed ${seed}`);
      assert.ok(p.unanswered.every((x) => x.pending), `seed ${seed}`);
      if (inFlight.length) pending++;
    }
    assert.ok(pending > 100);
  });

  test(`random ${format}: spoiled ones show every kind of fault and break nothing`, () => {
    const kinds = new Set();
    let spoiled = 0;
    for (let seed = 0; seed < 4000; seed++) {
      const m = randomTranscript(seed, format, { malformed: 1 });
      const faults = validate(m, format);
      for (const f of faults) {
        kinds.add(f.rule);
        assert.ok(Number.isInteger(f.index) && f.index >= 0 && f.index < m.length);
        assert.equal(typeof f.detail, 'string');
      }
      if (faults.some((f) => !BENIGN.has(f.rule))) spoiled++;
      assert.deepEqual(faultsAdded(m, m, format), []);
      pairs(m, format);
    }
    assert.ok(spoiled > 2500, `${spoiled} of 4000 are spoiled`); // some accidents are harmless in some formats
    const every = {
      anthropic: ['first-not-user', 'empty-content', 'empty-text', 'unanswered-call', 'pending-call', 'orphan-result', 'duplicate-id', 'duplicate-result', 'results-not-first', 'thinking-unsigned', 'thinking-not-first', 'thinking-only', 'thinking-last', 'system-in-messages'],
      'openai-chat': ['empty-assistant', 'empty-tool-calls', 'unanswered-call', 'pending-call', 'orphan-result', 'duplicate-id', 'duplicate-result'],
      hotl: ['first-not-user', 'empty-content', 'unanswered-call', 'pending-call', 'orphan-result', 'duplicate-id', 'duplicate-result', 'thinking-unsigned', 'thinking-not-first', 'thinking-only', 'thinking-last'],
    }[format];
    for (const rule of every) assert.ok(kinds.has(rule), `${rule} never happened`);
  });
}

// ------------------------------------------------------------------------------------ random transcripts of all formats

const SEEDS = 300;
const lengthOf = (seed) => (seed % 4 === 0 ? undefined : 1 + (seed % 7)); // mostly short ones: they show as much, and sooner

for (const format of FORMATS) {
  test(`random ${format}: what is told well has no fault but the benign ones`, () => {
    let pending = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const m = randomTranscript(seed, format, { turns: lengthOf(seed) });
      if (seed % 10 === 0) sameAndJson(seed, format, m);
      const faults = validate(m, format);
      assert.deepEqual(faults.filter((f) => !BENIGN.has(f.rule)), [], `seed ${seed}`);
      const p = pairs(m, format);
      assert.deepEqual(p.orphans, [], `seed ${seed}`);
      const inFlight = faults.filter((f) => f.rule === 'pending-call' && !/^mcpr_/.test(f.id)).map((f) => f.id); // an approval is no pair
      assert.deepEqual(p.unanswered.map((c) => c.id ?? `name:${c.name}`), inFlight, `seed ${seed}`);
      assert.ok(p.unanswered.every((c) => c.pending), `seed ${seed}`);
      if (inFlight.length) pending++;
    }
    assert.ok(pending > SEEDS / 20, `${pending} in flight`);
  });

  test(`random ${format}: what goes wrong shows every rule that the format knows`, () => {
    const seen = new Set();
    const see = (faults) => faults.forEach((f) => seen.add(f.rule));
    let spoiled = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const m = randomTranscript(seed, format, { malformed: 1, turns: lengthOf(seed) });
      const faults = validate(m, format, { strictIds: seed % 2 === 0 });
      see(faults);
      assert.ok(faults.every((f) => Number.isInteger(f.index) && f.index >= 0 && f.index < m.length && typeof f.detail === 'string'));
      if (faults.some((f) => !BENIGN.has(f.rule) && f.rule !== 'reused-id')) spoiled++;
      if (seed % 5 === 0) assert.deepEqual(faultsAdded(m, m, format), []);
      if (seed % 3 === 0) see(faultsOnly(hurt(m, format, seed), format));
    }
    assert.ok(spoiled >= 0.6 * SEEDS, `${spoiled} of ${SEEDS} are spoiled`);
    assert.deepEqual(RULES[format].filter((rule) => !seen.has(rule)), [], 'never happened');
    assert.deepEqual([...seen].filter((rule) => !RULES[format].includes(rule)), [], 'not in the list');
  });
}

function sameAndJson(seed, format, messages) {
  assert.deepEqual(randomTranscript(seed, format, { turns: lengthOf(seed) }), messages, `seed ${seed} twice`);
  assert.deepEqual(JSON.parse(JSON.stringify(messages)), messages, `seed ${seed} is not JSON`);
}

/** Damage that no accident of a story can do: one message of a wrong shape. */
const HURTS = {
  anthropic: [(m) => ({ ...m, role: 'wizard' }), (m) => ({ ...m, content: [use(undefined)] }), (m) => ({ ...m, content: [res('t')] })],
  'openai-chat': [(m) => ({ ...m, role: 'wizard' }), (m) => ({ ...m, content: null }), (m) => ({ ...m, tool_calls: [{ type: 'function' }] })],
  hotl: [(m) => ({ ...m, blocks: [use(undefined)] }), (m) => ({ ...m, blocks: [res('t')] })],
  'openai-responses': [() => msg('wizard')],
  langchain: [() => stored('wizard', { content: 'x' })],
  pi: [],
};
function hurt(messages, format, seed) {
  const r = new Random(seed);
  const hurts = [() => null, ...(HURTS[format] ?? [(m) => ({ ...m, role: 'wizard' })])];
  const at = r.below(messages.length);
  return messages.map((m, i) => (i === at ? r.pick(hurts)(m) : m));
}

for (const [format, rules] of Object.entries(SPLIT_RULES)) {
  test(`random ${format}: what is torn is seen, what is cut between is not`, () => {
    const seen = new Set();
    for (let seed = 0; seed < SEEDS; seed++) {
      const m = randomTranscript(seed, format, { turns: 1 + (seed % 5) });
      const at = new Random(seed).below(m.length);
      for (const f of faultsAdded(m, m.filter((_, i) => i !== at), format)) seen.add(f.rule);
      const lastRequest = m.findLastIndex((x) => x.role === 'user');
      assert.deepEqual(faultsAdded(m, m.slice(lastRequest), format).filter((f) => rules.includes(f.rule)), [], `seed ${seed}`);
    }
    assert.deepEqual(rules.filter((rule) => !seen.has(rule)), [], 'never happened');
  });
}
