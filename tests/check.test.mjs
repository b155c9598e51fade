// SPDX-License-Identifier: MIT OR Apache-2.0
//
// check and repair: what a provider would refuse is named, with its message and id; mended so that the independent judge finds nothing
// either; and mended no further than that. PLICA_SEEDS=n runs n random transcripts of each kind.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { carriesResults, reading } from './support/cuts.mjs';
import { forEachEntry } from './support/package.mjs';
import { FORMATS, randomTranscript } from './support/random.mjs';
import { MAKE } from './support/samples.mjs';
import { count, shared, sharedJson, sharedTest } from './support/shared.mjs';
import { faultsOnly } from './support/validate.mjs';

const SEEDS = Number(process.env.PLICA_SEEDS ?? 120);
const json = (value) => JSON.parse(JSON.stringify(value));
const same = (got, want) => got.length === want.length && got.every((m, i) => m === want[i]);

/** Whatever changes anything in here throws. */
function frozen(value) {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

// -------------------------------------------------------------------------------------------------------- pieces by format

const thinking = { type: 'thinking', thinking: 'hm', signature: 'Eq==' };
const says = (type, text) => ({ type, text });

/** A reply of reasoning alone; messages without content; a call without id; the same id twice. */
const PIECES = {
  anthropic: {
    reasoning: { role: 'assistant', content: [thinking] },
    empty: [{ role: 'user', content: '' }, { role: 'user', content: [] }, { role: 'user', content: [says('text', ' \n')] }, { role: 'assistant', content: [] }],
  },
  'openai-chat': {
    reasoning: { role: 'assistant', content: null, reasoning_content: 'hm' },
    empty: [{ role: 'user', content: [] }, { role: 'user', content: null }, { role: 'user' }, { role: 'assistant', content: null }, { role: 'assistant' }],
  },
  'openai-responses': {
    reasoning: undefined,
    empty: [{ type: 'message', role: 'user', content: [] }, { type: 'message', role: 'assistant', content: [] }, { role: 'user', content: null }],
  },
  'ai-sdk': {
    reasoning: { role: 'assistant', content: [says('reasoning', 'hm')] },
    empty: [{ role: 'user', content: '' }, { role: 'user', content: [] }, { role: 'user', content: [says('text', '')] }, { role: 'assistant', content: [] }, { role: 'assistant', content: '' }, { role: 'tool', content: [] }],
  },
  'ai-sdk-ui': {
    reasoning: { id: 'r', role: 'assistant', parts: [{ type: 'step-start' }, says('reasoning', 'hm')] },
    empty: [{ id: 'e', role: 'user', parts: [] }, { id: 'e', role: 'assistant', parts: [] }],
  },
  langchain: {
    reasoning: { type: 'ai', data: { content: [thinking] } },
    empty: [{ type: 'human', data: { content: [] } }, { type: 'ai', data: { content: '' } }, { type: 'ai', data: { content: [] } }, { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs: { content: '' } }],
  },
  gemini: {
    reasoning: { role: 'model', parts: [{ text: 'hm', thought: true }] },
    empty: [{ role: 'user', parts: [] }, { role: 'user', parts: [{ text: '' }] }, { role: 'model', parts: [] }],
  },
  hotl: {
    reasoning: { type: 'assistant', blocks: [thinking] },
    empty: [{ type: 'user', text: '' }, { type: 'user', text: ' ' }, { type: 'assistant', blocks: [] }, { type: 'tool_results', results: [] }],
  },
  agentfootprint: {
    reasoning: { role: 'assistant', content: '', thinkingBlocks: [thinking] },
    empty: [{ role: 'user' }, { role: 'user', content: null }, { role: 'assistant', content: '' }, { role: 'assistant', content: '', toolCalls: [] }],
  },
  pi: {
    reasoning: { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', thinkingSignature: 'Eq==' }] },
    empty: [{ role: 'user', content: [] }, { role: 'assistant', content: [] }],
  },
};

/** A call of the format without its id. */
function withoutId([message]) {
  const without = (call, key) => Object.fromEntries(Object.entries(call).filter(([name]) => name !== key));
  if (message.call_id) return [without(message, 'call_id')];
  const [list, key] = [['tool_calls', 'id'], ['toolCalls', 'id'], ['blocks', 'id'], ['parts', 'toolCallId'], ['content', message.role === 'assistant' && message.content?.[0]?.type === 'tool-call' ? 'toolCallId' : 'id']].find(([name]) => Array.isArray((message.data ?? message)[name]));
  const changed = (holder) => ({ ...holder, [list]: holder[list].map((call) => without(call, key)) });
  return [message.data ? { ...message, data: changed(message.data) } : changed(message)];
}

/** name, messages, what check says: [code, index, id]; unseen: the judge of this format has no such rule. */
function cases(format) {
  const { user, model, call, result, called } = MAKE[format];
  const { reasoning, empty } = PIECES[format];
  const out = [];
  const add = (name, messages, ...found) => out.push({ name, messages, found, unseen: format === 'hotl' && name === 'a blank text among others' });
  const inside = format === 'ai-sdk-ui';
  const at = format === 'openai-responses' ? 2 : 1; // items of two calls
  const [start, end] = [user('a'), model('z')];

  for (const message of empty) {
    const model1 = reading([message], format)[0].role === 'assistant';
    const around = model1 ? [user('a'), message, user('b'), model('c')] : [user('a'), model('b'), message, model('c')];
    add(`nothing is said: ${JSON.stringify(message)}`, around, ['empty-message', model1 ? 1 : 2]);
  }
  if (reasoning) add('reasoning and nothing else', [user('a'), reasoning, user('b'), model('c')], ['reasoning-only', 1]);

  add('a call without result', [start, ...call('c'), user('b'), end], ['unanswered-call', 1, 'c']);
  add('two calls, one result', inside ? [start, { ...call('c', 'd')[0], parts: [called('c')[0].parts[0], call('d')[0].parts[0]] }, user('b'), end] : [start, ...call('c', 'd'), ...result('c'), ...(format === 'gemini' ? [] : [user('b')]), end], ['unanswered-call', at, 'd']);
  add('two calls without result', [start, ...call('c', 'd'), user('b'), end], ['unanswered-call', 1, 'c'], ['unanswered-call', at, 'd']);
  add('one id for two calls', [start, ...called('c', 'c'), ...(format === 'gemini' ? [] : [user('b')]), end], ['duplicate-id', at, 'c']);
  if (format !== 'gemini') add('a call without id', [start, ...withoutId(call('c')), user('b'), end], ['missing-id', 1], ['unanswered-call', 1]);
  if (inside) return out;

  add('a result without call', [start, ...(format === 'gemini' ? [model('b')] : []), ...result('gone'), end], ['orphan-result', format === 'gemini' ? 2 : 1, 'gone']);
  add('a second result', [start, ...call('c'), ...result('c'), ...(format === 'gemini' ? [model('b')] : []), ...result('c'), end], ['duplicate-result', format === 'gemini' ? 4 : 3, 'c']);
  add('the result of a call that comes later', [start, ...result('c'), ...call('c'), user('b'), end], ['misplaced-result', 1, 'c'], ...(format === 'gemini' ? [['broken-alternation', 1]] : []));
  if (format === 'gemini') {
    add('a result after the next turn', [start, ...call('c'), user('b'), model('d'), ...result('c'), end], ['misplaced-result', 4, 'c']);
    add('user and model do not take turns', [start, user('b'), end, model('y')], ['broken-alternation', 1], ['broken-alternation', 3]);
    add('the model begins', [model('b'), user('c'), end], ['wrong-first-role', 0]);
    add('names pair where ids lack', [start, ...call({ id: undefined, name: 'read' }, { id: undefined, name: 'ls' }), ...result({ id: 'invented', name: 'read' }), end], ['unanswered-call', 1, 'ls']);
  } else if (format === 'hotl') {
    add('a result after the next reply', [start, ...call('c'), user('b'), model('d'), ...result('c'), end], ['misplaced-result', 4, 'c']);
  } else if (format !== 'openai-responses') {
    add('a message between call and result', [start, ...call('c'), user('b'), ...result('c'), end], ['misplaced-result', 3, 'c']);
    if (format !== 'anthropic') add('a reply between call and result', [start, ...call('c'), model('b'), ...result('c'), end], ['misplaced-result', 3, 'c']);
  }
  if (format === 'anthropic' || format === 'hotl') blocks(format, add);
  if (format === 'openai-chat') {
    add('no calls in a list', [start, { role: 'assistant', content: 'b', tool_calls: [] }], ['bad-member', 1]);
    add('a result that says nothing', [start, ...call('c'), { role: 'tool', tool_call_id: 'c', content: null }, end], ['bad-member', 2]);
    add('a legacy call without result', [start, { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }, user('b'), end], ['unanswered-call', 1, 'f']);
  }
  if (format === 'openai-responses') items(add);
  if (format === 'ai-sdk') approvals(add);
  return out;
}

/** Blocks of Anthropic, in messages or items. */
function blocks(format, add) {
  const { user, model, call, result } = MAKE[format];
  const said = (...content) => (format === 'hotl' ? { type: 'assistant', blocks: content } : { role: 'assistant', content });
  const blocksOf = (message) => message.content ?? message.blocks;
  const [use] = blocksOf(call('c')[0]);
  const text = says('text', 'b');
  add('reasoning without signature', [user('a'), said({ type: 'thinking', thinking: 'hm' }, text)], ['unsigned-reasoning', 1]);
  add('reasoning with nothing in it', [user('a'), said({ type: 'redacted_thinking', data: '' }, text)], ['unsigned-reasoning', 1]);
  add('reasoning behind the call', [user('a'), said(text, thinking, use), ...result('c'), model('z')], ['misplaced-reasoning', 1]);
  add('reasoning at the end', [user('a'), said(text, thinking), user('b'), model('z')], ['misplaced-reasoning', 1]);
  add('a reply that ends with reasoning', [user('a'), said(text), said(thinking), user('b'), model('z')], ['reasoning-orphan', 2]);
  add('the model begins', [model('b'), user('c')], ['wrong-first-role', 0]);
  add('a blank text among others', [user('a'), said(says('text', ' '), text)], ['empty-message', 1]);
  add('a server call without result', [user('a'), said({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, text), user('b'), model('z')], ['unanswered-call', 1, 's']);
  add('a server result without call', [user('a'), said({ type: 'web_search_tool_result', tool_use_id: 's', content: [] }, text), user('b')], ['orphan-result', 1, 's']);
  if (format === 'anthropic') {
    add('an id used again in a later turn', [user('a'), ...call('c'), ...result('c'), ...call('c'), ...result('c'), model('z')], ['duplicate-id', 3, 'c']);
    const [first] = result('c')[0].content;
    add('text in front of a result', [user('a'), ...call('c'), { role: 'user', content: [text, first] }, model('z')], ['misplaced-result', 2, 'c']);
  }
}

/** Items of the Responses API. */
function items(add) {
  const { user, model, call, result } = MAKE['openai-responses'];
  const thought = (id) => ({ type: 'reasoning', id, summary: [], encrypted_content: 'gAAA' });
  const ask = { type: 'mcp_approval_request', id: 'q', name: 'read', arguments: '{}', server_label: 's' };
  const grant = { type: 'mcp_approval_response', approval_request_id: 'q', approve: true };
  const use = { type: 'mcp_call', id: 'm', name: 'read', arguments: '{}', server_label: 's', output: 'x', approval_request_id: 'q' };
  add('reasoning that led to nothing', [user('a'), thought('rs'), user('b'), model('z')], ['reasoning-orphan', 1]);
  add('reasoning at the very end', [user('a'), model('b'), thought('rs')], ['reasoning-orphan', 2]);
  add('two of that', [user('a'), thought('r1'), thought('r2'), user('b'), model('z')], ['reasoning-orphan', 1], ['reasoning-orphan', 2]);
  add('one item id twice', [user('a'), { ...model('b'), id: 'msg' }, user('c'), { ...model('d'), id: 'msg' }], ['duplicate-id', 3, 'msg']);
  add('one item twice', [user('a'), { ...model('b'), id: 'msg' }, user('c'), { ...model('b'), id: 'msg' }], ['duplicate-id', 3, 'msg']);
  add('a call twice', [user('a'), { ...call('c')[0], id: 'fc' }, ...result('c'), { ...call('d')[0], id: 'fc' }, ...result('d'), model('z')], ['duplicate-id', 3, 'fc']);
  add('a request without answer', [user('a'), ask, user('b'), model('z')], ['unanswered-call', 1, 'q']);
  add('a request that was acted on all the same', [user('a'), ask, use, model('z')], ['unanswered-call', 1, 'q']);
  add('a request that was acted on, and nothing since', [user('a'), ask, use], ['unanswered-call', 1, 'q']);
  add('a request that was acted on, and a call since', [user('a'), ask, use, ...call('c'), ...result('c')], ['unanswered-call', 1, 'q']);
  add('an answer without request', [user('a'), grant, model('z')], ['orphan-result', 1, 'q']);
  add('a second answer', [user('a'), ask, grant, grant, use, model('z')], ['duplicate-result', 3, 'q']);
  add('the Agents SDK writes the same', [user('a'), { type: 'function_call', callId: 'c', name: 'read', arguments: '{}' }, { type: 'function_call_result', callId: 'gone', name: 'ls', status: 'completed', output: 'x' }, model('z')], ['unanswered-call', 1, 'c'], ['orphan-result', 2, 'gone']);
}

/** Leave in the AI SDK. */
function approvals(add) {
  const { user, model, call, result } = MAKE['ai-sdk'];
  const asking = (...ids) => ({ role: 'assistant', content: [...call(...ids)[0].content, ...ids.map((id) => ({ type: 'tool-approval-request', approvalId: `q${id}`, toolCallId: id }))] });
  const answer = (id, approved = true) => ({ type: 'tool-approval-response', approvalId: id, approved });
  const tool = (...content) => ({ role: 'tool', content });
  add('leave that nobody asked for', [user('a'), model('b'), tool(answer('gone')), model('z')], ['orphan-result', 2, 'gone']);
  add('leave that comes late', [user('a'), asking('c'), user('b'), tool(answer('qc'), ...result('c')[0].content), model('z')], ['misplaced-result', 3, 'qc'], ['misplaced-result', 3, 'c']);
  add('leave and no result', [user('a'), asking('c'), tool(answer('qc')), user('b'), model('z')], ['unanswered-call', 1, 'c']);
  add('asked and never answered', [user('a'), asking('c'), user('b'), model('z')], ['unanswered-call', 1, 'c']);
  add('leave twice', [user('a'), asking('c'), tool(answer('qc'), answer('qc')), ...result('c'), model('z')], ['duplicate-result', 2, 'qc']);
}

/** Nothing is wrong with these. */
function sound(format) {
  const { user, model, call, result, called } = MAKE[format];
  const out = [[], [user('a')], [user('a'), model('b')], [user('a'), ...called('c', 'd'), model('e')], [user('a'), ...call('p')]];
  if (format !== 'ai-sdk-ui') out.push([user('a'), ...call('p', 'q'), ...result('q')], [user('a'), ...call('c', 'd'), ...result('d', 'c'), model('z')]);
  // Many back ends use their ids again on every reply; one provider wants them once.
  if (format !== 'anthropic') out.push([user('a'), ...called('c'), model('b'), user('x'), ...called('c'), model('z')]);
  if (format === 'anthropic') out.push([user('a'), { role: 'assistant', content: [] }], [{ role: 'system', content: 'S' }, user('a')], [user('a'), ...call('c'), { role: 'system', content: 'S' }, ...result('c'), model('z')]);
  if (format === 'hotl') out.push([user('a'), ...call('c'), { type: 'user', text: 'hurry', synthetic: 'steer' }, ...result('c'), model('z')]);
  return out;
}

/** Formats in which results are parts, so that one that is put in its place may get into a message that was fine. */
const HOSTS = new Set(['anthropic', 'hotl', 'ai-sdk', 'gemini']);

forEachEntry((entry, plica) => {
  const { PlicaError, check, repair, undoRepair } = plica;
  // Both run the same code: the second takes a few other seeds.
  const [first, seeds] = entry === 'esm' ? [0, SEEDS] : [SEEDS, SEEDS / 10];

  /** What must hold of every repair. Gives it, and throws with what does not. */
  function mended(messages, format) {
    const before = JSON.stringify(messages);
    const options = { format };
    const problems = check(messages, options);
    const done = repair(messages, options);
    const { messages: now, changes, edits } = done;
    assert.deepEqual(check(now, options), [], 'check finds something after repair');
    assert.deepEqual(faultsOnly(now, format, { strictIds: format === 'anthropic' }), [], 'the judge finds something after repair');
    assert.equal(problems.length === 0, changes.length === 0);
    assert.equal(changes.length === 0, edits.length === 0);
    if (changes.length === 0) assert.ok(same(now, messages), 'nothing was wrong, and something changed');
    for (const { code, index, message, id } of [...problems, ...changes]) {
      assert.ok(typeof code === 'string' && index < messages.length && index >= 0 && message.length > 10 && (id === undefined || typeof id === 'string'));
    }
    // Messages that nothing was wrong with.
    const at = new Set(changes.map(({ index }) => index));
    const renamed = changes.some(({ code }) => code === 'duplicate-id' || code === 'missing-id');
    const kept = new Set(now);
    const read = reading(messages, format);
    messages.forEach((message, i) => {
      if (kept.has(message) || at.has(i)) return;
      // A result gets the new id of its call.
      const follows = carriesResults(read[i]) ? HOSTS.has(format) || renamed : format === 'gemini';
      assert.ok(follows, `message ${i} was fine and is another object: ${JSON.stringify(changes.map(({ code, index }) => [code, index]))}`);
    });
    // Once more.
    const again = repair(now, options);
    assert.ok(same(again.messages, now) && again.changes.length === 0 && again.edits.length === 0, 'a second repair changes something');
    assert.equal(JSON.stringify(repair(messages, options)), JSON.stringify(done), 'another run gives something else');
    assert.equal(JSON.stringify(repair(structuredClone(json(messages)), options).messages), JSON.stringify(now.map(json)));
    // And back.
    assert.ok(same(undoRepair(now, edits), messages), 'undoRepair gives other messages');
    assert.deepEqual(json(undoRepair(now, json(edits))), json(messages), 'undoRepair of stored edits');
    assert.deepEqual(undoRepair(json(now), json(edits)), json(messages), 'undoRepair of stored messages');
    const { user, model } = MAKE[format];
    const more = [model('later'), user('on')];
    assert.ok(same(undoRepair([...now, ...more], edits), [...messages, ...more]), 'undoRepair with more messages');
    assert.equal(JSON.stringify(messages), before);
    return done;
  }

  for (const format of FORMATS) {
    const { user, model } = MAKE[format];
    const list = cases(format);

    test(`${entry} ${format}: what is wrong is named`, () => {
      for (const { name, messages, found } of list) {
        const got = check(messages, { format });
        const brief = ([code, index, id]) => [code, index, id ?? null];
        const order = (a, b) => a[1] - b[1] || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
        // A call without id goes by a name of its own, or by none.
        const known = ({ code, index, id }) => brief([code, index, code === 'unanswered-call' && found.some(([c, i]) => c === 'missing-id' && i === index) ? undefined : id]);
        assert.deepEqual(got.map(known).sort(order), found.map(brief).sort(order), name);
        assert.deepEqual(got.map(({ index }) => index), got.map(({ index }) => index).sort((a, b) => a - b), `${name}: not by message`);
        count('hand-made faults');
      }
      for (const messages of sound(format)) {
        assert.deepEqual(check(messages, { format }), [], JSON.stringify(messages));
        assert.deepEqual(faultsOnly(messages, format), [], JSON.stringify(messages));
      }
    });

    for (const { name, messages, unseen } of list) {
      test(`${entry} ${format}: ${name.slice(0, 90)}: is mended, and can be undone`, () => {
        if (!unseen) assert.notDeepEqual(faultsOnly(messages, format, { strictIds: format === 'anthropic' }), [], 'the judge finds nothing wrong with it');
        const { messages: now } = mended(frozen(structuredClone(json(messages))), format);
        // What comes before and after changes nothing about it, so that a provider's cache of the prompt survives.
        if (name.startsWith('the model begins')) return;
        const before = [user('x'), model('y')];
        assert.equal(JSON.stringify(repair([...before, ...messages], { format }).messages), JSON.stringify([...before, ...now]), 'it depends on what comes before');
        if (reading(messages, format).pop().role !== 'assistant' || format === 'openai-responses') return;
        const after = [user('x'), model('y')];
        assert.equal(JSON.stringify(repair([...messages, ...after], { format }).messages), JSON.stringify([...now, ...after]), 'it depends on what comes after');
      });
    }

    test(`${entry} ${format}: nothing is wrong, nothing changes`, () => {
      for (const messages of sound(format)) mended(frozen(structuredClone(json(messages))), format);
    });

    test(`${entry} ${format}: random transcripts, spoiled a little, much and all over`, () => {
      const failures = new Map();
      for (const malformed of [0.2, 0.6, 1]) {
        for (let seed = first; seed < first + seeds; seed++) {
          const messages = frozen(randomTranscript(seed, format, { malformed }));
          try {
            mended(messages, format);
          } catch (error) {
            const kind = error.message.split('\n')[0].replace(/\d+/g, 'n');
            const known = failures.get(kind);
            if (!known) failures.set(kind, { times: 1, size: messages.length, where: `seed ${seed}, malformed ${malformed}`, detail: error.message });
            else if (++known.times && messages.length < known.size) Object.assign(known, { size: messages.length, where: `seed ${seed}, malformed ${malformed}`, detail: error.message });
          }
          count('random repairs');
        }
      }
      const lines = [...failures].map(([kind, f]) => `${kind} (${f.times}×), smallest with ${f.size} messages: ${f.where}\n    ${f.detail.slice(0, 600)}`);
      assert.equal(lines.length, 0, `\n${lines.join('\n')}`);
    });
  }

  test(`${entry}: texts and ids that plica writes`, () => {
    const { user, call } = MAKE['openai-chat'];
    const messages = [user('a'), ...call({ id: 'c', name: 'read' }), user('b')];
    const [, , written] = repair(messages, { format: 'openai-chat' }).messages;
    assert.deepEqual(written, { role: 'tool', tool_call_id: 'c', content: 'No result was recorded for this call.' });
    const unnamed = [user('a'), ...withoutId(call('c')), user('b')];
    const ids = [unnamed, [user('x'), ...unnamed], json(unnamed)].map((list) => repair(list, { format: 'openai-chat' }).messages.find((m) => m.tool_calls).tool_calls[0].id);
    assert.equal(new Set(ids).size, 1);
    assert.match(ids[0], /^[a-zA-Z0-9_-]{1,40}$/, 'a provider refuses such an id');
    // Two of the same get different ones.
    const twice = [user('a'), ...withoutId(call('c', 'd')), user('b'), ...withoutId(call('c', 'd')), user('b')];
    const calls = repair(twice, { format: 'openai-chat' }).messages.flatMap((m) => m.tool_calls ?? []);
    assert.equal(calls.length, 4);
    assert.equal(new Set(calls.map((c) => c.id)).size, 4);
  });

  test(`${entry}: one id in two steps of a message, and in one`, () => {
    const seam = { type: 'step-start' };
    const tool = (state = 'output-available', more = { output: 'A' }) => ({ type: 'tool-read', toolCallId: 'call_0', state, input: {}, ...more });
    const found = (...parts) => plica.check([{ id: 'a', role: 'user', parts: [says('text', 'go')] }, { id: 'b', role: 'assistant', parts }, { id: 'c', role: 'user', parts: [says('text', 'on')] }], { format: 'ai-sdk-ui' }).map(({ code }) => code);
    assert.deepEqual(found(seam, tool(), seam, tool('output-error', { errorText: 'no' }), says('text', 'done')), []);
    assert.deepEqual(found(seam, tool(), tool(), says('text', 'done')), ['duplicate-id']);
    assert.deepEqual(found(tool(), tool()), ['duplicate-id']);
    assert.ok(found(seam, tool('input-available', {}), seam, tool()).includes('duplicate-id'), 'the first is open still');
    assert.deepEqual(found(seam, tool(), seam, tool(), tool()), ['duplicate-id']);
  });

  test(`${entry}: arguments, outputs and ids as the provider takes them`, () => {
    const [u, output] = [(content) => ({ role: 'user', content }), { type: 'tool_result', tool_use_id: 't', content: 'x' }];
    const anthropic = (input, id = 't') => [u('a'), { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', ...(input === undefined ? {} : { input }) }] }, u([{ ...output, tool_use_id: id }])];
    const chat = (args, content = 'x') => [u('a'), { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', ...(args === undefined ? {} : { arguments: args }) } }] }, { role: 'tool', tool_call_id: 'c', content }];
    const items = (args, out) => [u('a'), { type: 'function_call', call_id: 'c', name: 'read', arguments: args }, { type: 'function_call_output', call_id: 'c', ...(out === undefined ? {} : { output: out }) }];
    const gemini = (args, response) => [{ role: 'user', parts: [{ text: 'a' }] }, { role: 'model', parts: [{ functionCall: { name: 'read', args } }] }, { role: 'user', parts: [{ functionResponse: { name: 'read', response } }] }];
    const cases = [
      ['anthropic', anthropic('{"path":"a"}'), ([, { content: [call] }]) => call.input, { path: 'a' }],
      ['anthropic', anthropic('a b'), ([, { content: [call] }]) => call.input, { input: 'a b' }],
      ['anthropic', anthropic([1]), ([, { content: [call] }]) => call.input, { input: [1] }],
      ['anthropic', anthropic(undefined), ([, { content: [call] }]) => call.input, {}],
      ['anthropic', anthropic({}, 'call:1.2'), ([, { content: [call] }, { content: [of] }]) => [/^[\w-]+$/.test(call.id), call.id === of.tool_use_id], [true, true]],
      ['openai-chat', chat({ path: 'a' }), ([, { tool_calls: [call] }]) => call.function.arguments, '{"path":"a"}'],
      ['openai-chat', chat(undefined), ([, { tool_calls: [call] }]) => call.function.arguments, '{}'],
      ['openai-chat', chat('{}', { a: 1 }), ([, , tool]) => tool.content, '{"a":1}'],
      ['openai-chat', chat('{}', 5), ([, , tool]) => tool.content, '5'],
      ['openai-responses', items({ path: 'a' }, 'x'), ([, call]) => call.arguments, '{"path":"a"}'],
      ['openai-responses', items('{}', { a: 1 }), ([, , of]) => of.output, '{"a":1}'],
      ['openai-responses', items('{}', undefined), ([, , of]) => of.output, '(no output)'],
      ['gemini', gemini('{"path":"a"}', {}), ([, { parts: [call] }]) => call.functionCall.args, { path: 'a' }],
      ['gemini', gemini({}, 'x'), ([, , { parts: [of] }]) => of.functionResponse.response, { output: 'x' }],
    ];
    for (const [format, messages, read, expected] of cases) {
      const what = `${format} ${JSON.stringify(messages)}`;
      const before = JSON.stringify(messages);
      assert.deepEqual(plica.check(messages, { format }).map(({ code }) => code), ['bad-member'], what);
      const { messages: sound, edits } = plica.repair(messages, { format });
      assert.deepEqual(read(sound), expected, what);
      assert.deepEqual(plica.check(sound, { format }), [], what);
      assert.equal(JSON.stringify(messages), before);
      assert.deepEqual(plica.undoRepair(sound, edits), messages);
    }
    for (const [format, messages] of [['anthropic', anthropic({}, 'toolu_A-1')], ['openai-chat', chat('{"a":')], ['openai-chat', chat('{}', [says('text', 'x')])], ['openai-responses', items('{}', [says('input_text', 'x')])], ['gemini', gemini(undefined, {})]]) assert.deepEqual(plica.check(messages, { format }), []);
  });

  test(`${entry}: a conversation may begin with what the provider wrote in its place`, () => {
    const digest = { type: 'compaction', content: 'GOAL: beds' };
    for (const behind of [[], [says('text', 'I go on.')], [{ type: 'tool_use', id: 'c1', name: 'dig', input: {} }]]) {
      const answer = behind[0]?.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: 'c1', content: 'dug' }] : 'next';
      const messages = [{ role: 'assistant', content: [digest, ...behind] }, { role: 'user', content: answer }];
      assert.deepEqual(plica.check(messages, { format: 'anthropic' }), []);
      assert.deepEqual(plica.repair(messages, { format: 'anthropic' }).edits, []);
    }
    const late = [{ role: 'assistant', content: [says('text', 'I go on.'), digest] }, { role: 'user', content: 'next' }];
    assert.deepEqual(plica.check(late, { format: 'anthropic' }).map(({ code }) => code), ['wrong-first-role']);
  });

  test(`${entry}: an edit of very many messages is undone`, () => {
    const removed = Array.from({ length: 300_000 }, () => ({ role: 'user', content: 'x' }));
    const inserted = [{ role: 'user', content: 'y' }];
    assert.ok(same(undoRepair([...inserted, { role: 'user', content: 'z' }], [{ at: 0, removed, inserted }]).slice(0, -1), removed));
  });

  test(`${entry}: undoRepair refuses what is not the repair's`, () => {
    const { user, call } = MAKE['openai-chat'];
    const messages = [user('a'), ...call('c'), user('b')];
    const { messages: now, edits } = repair(messages, { format: 'openai-chat' });
    const refused = (fn, ...codes) => assert.throws(fn, (error) => error instanceof PlicaError && codes.includes(error.code));
    refused(() => undoRepair(messages, edits), 'plan-mismatch');
    refused(() => undoRepair(now.slice(0, 2), edits), 'plan-mismatch');
    refused(() => undoRepair([...now.slice(0, 2), { role: 'tool', tool_call_id: 'c', content: 'edited' }, ...now.slice(3)], edits), 'plan-mismatch');
    refused(() => undoRepair([user('new'), ...now], edits), 'plan-mismatch');
    for (const bad of [undefined, null, 5, {}, [null], [{}], [{ at: 'x', removed: [], inserted: [] }], [{ at: 0, removed: 1, inserted: [] }]]) refused(() => undoRepair(now, bad), 'bad-argument', 'plan-mismatch');
    for (const bad of [undefined, null, 5, {}, [null], [5]]) {
      refused(() => check(bad, { format: 'openai-chat' }), 'bad-argument', 'bad-message');
      refused(() => repair(bad, { format: 'openai-chat' }), 'bad-argument', 'bad-message');
    }
    refused(() => check(messages, { format: 'nothing' }), 'unknown-format');
    refused(() => repair([{ weird: 1 }]), 'format-undetected');
    assert.ok(same(undoRepair(now, []), now));
  });

  sharedTest(`${entry}: check reports what the cases say`, () => {
    let reported = 0;
    for (const file of readdirSync(join(shared, 'cases')).sort()) {
      const { format, input, expect } = sharedJson(`cases/${file}`);
      if (!Array.isArray(input) || !FORMATS.includes(format)) continue;
      if (expect.check_reports) {
        assert.deepEqual(check(input, { format }).map((p) => p.id), expect.check_reports, file);
        reported++;
      }
      // Roles that no provider knows are not for plica to change.
      const unknown = faultsOnly(input, format).some(({ rule }) => rule === 'bad-role');
      if (!unknown && input.every((m) => !('kind' in m))) mended(frozen(input), format);
      count('cases mended');
    }
    assert.ok(reported >= 2);
  });
});
