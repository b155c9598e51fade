// SPDX-License-Identifier: MIT OR Apache-2.0
import test from 'node:test';
import assert from 'node:assert/strict';
import { validate, faultsAdded, faultsOnly, pairs, BENIGN } from './validate.mjs';
import { randomTranscript, FORMATS } from './random.mjs';

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
  ['in flight, talked to', [hu('q'), ha(use('a')), hu('hello?', 'steer')], ['pending-call@1:a']],
  ['orphan', [hu('q'), hr('gone')], ['orphan-result@1:gone']],
  ['second result', [hu('q'), ha(use('a')), hr('a', 'a')], ['duplicate-result@2:a']],
  ['id twice', [hu('q'), ha(use('a'), use('a')), hr('a', 'a')], ['duplicate-id@1:a']],
  ['empty items', [hu(''), ha(), { type: 'tool_results', results: [] }], ['empty-content@0', 'empty-content@1', 'empty-content@2']],
  ['thinking rules', [hu('q'), ha(text('y'), think(''), use('a')), hr('a'), ha(think()), hu('x')], ['thinking-unsigned@1', 'thinking-not-first@1', 'thinking-only@3']],
  ['server call abandoned', [hu('q'), ha(use('s', 'server_tool_use')), hu('x'), ha(text('y'))], ['unanswered-call@1:s']],
  ['blocks missing', [hu('q'), { type: 'assistant' }], ['bad-message@1']],
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
  assert.throws(() => validate([], 'gemini'), RangeError);
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

for (const format of FORMATS) {
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
