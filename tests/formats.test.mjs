// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Each format on its own: hand-written conversations are told apart, counted, folded and unfolded without a scratch; typed marks of
// digests; live instances; binary parts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEntry } from './support/package.mjs';
import { FORMATS } from './support/random.mjs';
import { constructed, IMAGE, MAKE, PICTURES, SAMPLES, SUMMARIES } from './support/samples.mjs';
import { count } from './support/shared.mjs';
import { faultsAdded, faultsOnly } from './support/validate.mjs';

const json = (value) => JSON.parse(JSON.stringify(value));
const several = (digest) => (Array.isArray(digest) ? digest : [digest]);
const same = (got, want) => got.length === want.length && got.every((m, i) => m === want[i]);

/** All objects inside, key order turned round. */
function turned(value) {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([key, inner]) => [key, turned(inner)]));
}

// -------------------------------------------------------------------------------- live messages, as @langchain/core has them
class Serializable {
  lc_serializable = true;
  constructor(kwargs) {
    this.lc_kwargs = kwargs ?? {};
  }
  static lc_name() {
    return this.name;
  }
  get lc_id() {
    return [...this.lc_namespace, this.constructor.lc_name()];
  }
  toJSON() {
    const kwargs = Object.fromEntries(Object.keys(this.lc_kwargs).map((key) => [key, key in this ? this[key] : this.lc_kwargs[key]]));
    return { lc: 1, type: 'constructor', id: this.lc_id, kwargs };
  }
}
class BaseMessage extends Serializable {
  lc_namespace = ['langchain_core', 'messages'];
  constructor(given) {
    const fields = typeof given === 'string' ? { content: given } : { ...given };
    super({ additional_kwargs: {}, response_metadata: {}, ...fields });
    this.content = fields.content;
    this.name = fields.name;
    this.additional_kwargs = this.lc_kwargs.additional_kwargs;
    this.response_metadata = this.lc_kwargs.response_metadata;
    this.id = fields.id;
  }
  get text() {
    return typeof this.content === 'string' ? this.content : this.content.map((block) => block.text ?? '').join('');
  }
}
class HumanMessage extends BaseMessage {}
class SystemMessage extends BaseMessage {}
class AIMessage extends BaseMessage {
  constructor(given) {
    const fields = typeof given === 'string' ? { content: given } : given;
    super({ tool_calls: [], invalid_tool_calls: [], ...fields });
    this.tool_calls = this.lc_kwargs.tool_calls;
    this.invalid_tool_calls = this.lc_kwargs.invalid_tool_calls;
  }
}
class ToolMessage extends BaseMessage {
  constructor(fields) {
    super(fields);
    this.tool_call_id = fields.tool_call_id;
    this.status = fields.status;
  }
}
const CLASSES = { human: HumanMessage, ai: AIMessage, system: SystemMessage, tool: ToolMessage };
const live = ({ type, data }) => new CLASSES[type](data);

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, check, clipResults, detectFormat, digestFormat, digestMessage, estimate, fingerprints, floorDigest, fold, plan, repair, undoRepair } = plica;
  const code = (fn) => {
    try {
      fn();
    } catch (error) {
      assert.ok(error instanceof PlicaError, `${error}`);
      return error.code;
    }
    return undefined;
  };

  test(`${entry} gemini: a signature that is lost or altered is a change`, () => {
    const format = 'gemini';
    const [read, words] = [(more) => ({ functionCall: { name: 'read', args: { path: 'a' } }, ...more }), (more) => ({ text: 'I shall look.', ...more })];
    for (const make of [read, words]) {
      const prints = [{ thoughtSignature: 'AAAA' }, { thoughtSignature: 'BBBB' }, {}].map((more) => fingerprints([{ role: 'model', parts: [words({}), make(more)] }], { format })[0]);
      assert.equal(new Set(prints).size, 3);
      assert.equal(fingerprints([{ role: 'model', parts: [words({}), make({ thought_signature: 'AAAA' })] }], { format })[0], prints[0]);
      assert.notEqual(fingerprints([{ role: 'model', parts: [words({ thoughtSignature: 'AAAA' }), make({})] }], { format })[0], prints[0], 'it belongs to its part');
    }
    const said = (text) => ({ role: 'user', parts: [{ text }] });
    const story = () => [said('go '.repeat(200)), { role: 'model', parts: [read({ thoughtSignature: 'AAAA' })] }, { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'x '.repeat(300) } } }] }, { role: 'model', parts: [{ text: 'Done.' }] }, said('more'), { role: 'model', parts: [{ text: 'Good.' }] }];
    const messages = story();
    const digest = digestMessage('GOAL: read', { format });
    const p = plan(messages, { format, tailBudget: 20 });
    const ledger = new Ledger();
    ledger.record({ messages, plan: p, digest, format, retention: 'reference' });
    const window = fold(messages, p, digest, { format });
    const altered = story();
    altered[1].parts[0].thoughtSignature = 'CCCC';
    assert.equal(code(() => ledger.unfold(window, { originals: altered })), 'originals-missing');
    assert.deepEqual(ledger.unfold(window, { originals: story() }), messages);
    const transcript = new plica.Transcript({ format }).append(altered);
    const again = transcript.plan({ tailBudget: 20 });
    delete altered[1].parts[0].thoughtSignature;
    assert.equal(code(() => transcript.commit(again, digest)), 'message-changed');
  });

  for (const format of FORMATS) {
    const { user, model, call, called } = MAKE[format];

    test(`${entry} ${format}: is told from the others`, () => {
      assert.equal(detectFormat(SAMPLES[format]()), format);
      assert.equal(detectFormat(json(SAMPLES[format]())), format);
      assert.equal(digestFormat(SAMPLES[format]()), format);
      assert.equal(plan(SAMPLES[format](), { tailBudget: 0 }).format, format);
    });

    test(`${entry} ${format}: every message costs something, pictures a flat price`, () => {
      const { total, perMessage } = estimate(SAMPLES[format](), { format });
      assert.ok(perMessage.every((tokens) => tokens >= 5), `${perMessage}`);
      assert.ok(total < 3000, `${total}: a picture was counted as text`);
      for (const message of PICTURES[format](IMAGE)) {
        const cost = estimate([message], { format }).total;
        assert.ok(cost >= 1000 && cost < 1150, `${cost}: ${JSON.stringify(message).slice(0, 150)}`);
        count('pictures');
      }
      const small = PICTURES[format]('iVBORw0KGgo=');
      PICTURES[format](IMAGE).forEach((message, i) => assert.equal(estimate([message], { format }).total, estimate([small[i]], { format }).total, 'the price depends on the size'));
      assert.ok(estimate([user(IMAGE)], { format }).total > 13_000, 'base64 inside a string is text');
    });

    test(`${entry} ${format}: folded and unfolded, all of it is as it was`, () => {
      for (const merge of [false, true]) {
        const messages = SAMPLES[format]();
        const before = JSON.stringify(messages);
        const original = [...messages];
        const last = estimate(messages.slice(-2), { format }).total;
        const p = plan(messages, { tailBudget: last });
        assert.equal(p.kind, 'fold');
        assert.ok(p.keptFrom <= messages.length - 1 && !p.overBudget);
        const digest = digestMessage('GOAL: x', { format: p.format, like: messages });
        const ledger = new Ledger();
        ledger.record({ messages, plan: p, digest, merge });
        const window = fold(messages, p, digest, { merge });
        assert.ok(window.length < messages.length);
        assert.deepEqual(faultsAdded(messages, window, format), []);
        const tail = messages.slice(p.keptFrom);
        const own = merge && !window.includes(messages[p.keptFrom]) ? tail.slice(1) : tail;
        assert.ok(same(window.slice(window.length - own.length), own), 'the tail is not the caller\'s');
        assert.ok(same(ledger.unfold(window), original), 'not the very same messages');
        assert.equal(JSON.stringify(messages), before, 'a message was changed');
        assert.equal(JSON.stringify(ledger.unfold(window)), before);
        assert.deepEqual(Ledger.from(json(ledger)).unfold(json(window)), json(original));
        // The window folds again, and comes back through both.
        const more = [...window, user('more'), model('most'), user('last'), model('words')];
        const q = plan(more, { tailBudget: 0, ledger });
        assert.equal(q.kind, 'fold');
        const second = digestMessage('GOAL: y', { format: q.format, like: more });
        ledger.record({ messages: more, plan: q, digest: second, merge });
        assert.ok(same(ledger.unfold(fold(more, q, second, { merge, ledger })), [...original, ...more.slice(window.length)]));
        count('round trips');
      }
    });

    test(`${entry} ${format}: fields, parts and kinds that nobody has heard of come through untouched`, () => {
      const messages = SAMPLES[format]();
      const before = JSON.stringify(messages);
      assert.deepEqual(check(messages, { format }), []);
      assert.deepEqual(faultsOnly(messages, format), []);
      const { messages: sound, changes, edits } = repair(messages, { format });
      assert.ok(same(sound, messages) && changes.length === 0 && edits.length === 0);
      assert.ok(same(clipResults(messages, [], { format }), messages));
      for (let cut = 0; cut < messages.length; cut++) {
        if (cut === 0 || code(() => fold(messages, { prefixEnd: 0, keptFrom: cut }, digestMessage('GOAL', { format }), { format }))) continue;
        const window = fold(messages, { prefixEnd: 0, keptFrom: cut }, digestMessage('GOAL', { format }), { format });
        assert.ok(same(window.slice(-(messages.length - cut)), messages.slice(cut)));
      }
      assert.equal(JSON.stringify(messages), before);
    });

    test(`${entry} ${format}: a digest is a message of this format`, () => {
      const messages = SAMPLES[format]();
      for (const digests of [several(digestMessage('GOAL: x', { format })), several(floorDigest(messages, { prefixEnd: 0, keptFrom: 2 }, { format }))]) {
        assert.equal(detectFormat([...digests, ...messages]), format);
        assert.equal(detectFormat([...digests, user('a'), model('b'), ...called('c')]), format);
        const alone = detectFormat(digests);
        assert.ok(alone === undefined || alone === format, `read as ${alone}`);
        assert.deepEqual(faultsOnly([...digests, ...(format === 'gemini' ? [] : [model('b')])], format), []);
        assert.deepEqual(check(digests, { format }), []);
        assert.ok(estimate(digests, { format }).total > 20);
        assert.ok(JSON.stringify(digests).includes('<compaction-summary'));
        assert.equal(digests.length, format === 'gemini' ? 2 : 1);
      }
    });

    test(`${entry} ${format}: typed marks of digests`, () => {
      const rest = [user('a'), model('b')];
      for (const summary of SUMMARIES[format]) {
        const messages = [summary, ...(format === 'langchain' && summary.lc ? rest.map(constructed) : rest)];
        const p = plan(messages, { format, tailBudget: estimate(messages.slice(1), { format }).total });
        assert.equal(p.reason, 'only-existing-summary', JSON.stringify(summary));
        assert.equal(plan([...messages, ...messages.slice(1)], { format, tailBudget: 0 }).kind, 'fold');
        count('typed marks');
      }
      // Any digest is known by the ledger that recorded it; without it, text that looks like a frame is text like other.
      const messages = [user('z'), model('y'), ...rest];
      const digest = digestMessage('GOAL: x', { format });
      const ledger = new Ledger();
      ledger.record({ messages, plan: { prefixEnd: 0, keptFrom: 2 }, digest, format });
      const window = fold(messages, { prefixEnd: 0, keptFrom: 2 }, digest, { format });
      const tailBudget = estimate(rest, { format }).total;
      assert.equal(plan(window, { format, tailBudget, ledger }).reason, 'only-existing-summary');
      const typed = ['hotl', 'langchain', 'ai-sdk-ui'].includes(format);
      assert.equal(plan(window, { format, tailBudget }).kind, typed ? 'none' : 'fold');
    });

    test(`${entry} ${format}: fingerprints survive copies`, () => {
      const messages = SAMPLES[format]();
      const prints = fingerprints(messages, { format });
      assert.ok(prints.every((print) => /^[0-9a-f]{32}$/.test(print)));
      assert.equal(new Set(prints).size, prints.length, 'two messages have one fingerprint');
      assert.deepEqual(fingerprints(structuredClone(messages), { format }), prints);
      assert.deepEqual(fingerprints(json(messages), { format }), prints);
      assert.deepEqual(fingerprints(turned(messages), { format }), prints);
      assert.deepEqual(fingerprints(messages), fingerprints(json(messages)));
      assert.deepEqual(messages.map((m) => fingerprints([m])[0]), fingerprints(messages), 'a message\'s fingerprint depends on its neighbours');
    });

    test(`${entry} ${format}: what waits is named and not folded`, () => {
      const before = [user('a'), model('b'), user('c')];
      const waiting = (messages, ids, from) => {
        for (const tailBudget of [0, 50, 1e6]) {
          const p = plan(messages, { format, tailBudget });
          assert.deepEqual([...p.pending].sort(), [...ids].sort());
          assert.ok(p.keptFrom <= from, `${p.keptFrom} of ${from}`);
        }
        assert.deepEqual(check(messages, { format }), []);
        assert.deepEqual(repair(messages, { format }).changes, []);
        for (let cut = from + 1; cut < messages.length; cut++) {
          const digest = digestMessage('GOAL', { format });
          assert.equal(code(() => fold(messages, { prefixEnd: 0, keptFrom: cut }, digest, { format })), 'illegal-cut');
        }
      };
      waiting([...before, ...call('p', 'q')], ['p', 'q'], 3);
      if (format === 'ai-sdk-ui') {
        const [message] = called('p', 'q', 'r');
        for (const open of [0, 1, 2]) {
          const parts = message.parts.map((part, i) => (i === open ? { ...part, state: 'input-available', output: undefined } : part));
          waiting([...before, { ...message, parts: json(parts) }], [['p', 'q', 'r'][open]], 3);
        }
        return;
      }
      const [first] = MAKE[format].result('p');
      waiting([...before, ...call('p', 'q'), first], ['q'], 3);
      const next = plan([...before, ...call('p'), user('d'), model('e'), user('f')], { format, tailBudget: 0 });
      assert.deepEqual([next.pending, next.keptFrom], [[], before.length + 3], 'an abandoned call blocks nothing');
    });
  }

  test(`${entry}: what waits beside requests for leave, and beside the provider's own tools`, () => {
    const ask = (id) => ({ type: 'mcp_approval_request', id, name: 'read', arguments: '{}', server_label: 's' });
    const { user, model, call } = MAKE['openai-responses'];
    const before = [user('a'), model('b'), user('c')];
    for (const [open, ids] of [[[ask('q1'), ask('q2')], ['q1', 'q2']], [[...call('c1'), ask('q2')], ['c1', 'q2']], [[ask('q1'), ...call('c2')], ['q1', 'c2']]]) {
      const p = plan([...before, ...open], { format: 'openai-responses', tailBudget: 0 });
      assert.deepEqual([[...p.pending].sort(), p.keptFrom], [[...ids].sort(), 3]);
      assert.deepEqual(check([...before, ...open], { format: 'openai-responses' }), []);
    }
    const approve = (id) => ({ type: 'mcp_approval_response', approval_request_id: id, approve: true });
    const half = plan([...before, ask('q1'), ask('q2'), approve('q2')], { format: 'openai-responses', tailBudget: 0 });
    assert.deepEqual([half.pending, half.keptFrom], [['q1'], 3]);
    const A = MAKE.anthropic;
    const server = [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }];
    const [{ content: x }] = A.call('x');
    const [{ content: y }] = A.call('y');
    for (const reply of [[[...x, ...server, ...y]], [x, [...server, ...y]]]) {
      const p = plan([A.user('a'), A.model('b'), A.user('c'), ...reply.map((content) => ({ role: 'assistant', content }))], { format: 'anthropic', tailBudget: 0 });
      assert.deepEqual([p.pending, p.keptFrom], [['x', 'y'], 3]);
    }
    // Leave that was denied is an answer.
    const denied = [{ role: 'user', content: 'a' }, { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'rm', input: {} }, { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'c' }] }];
    assert.deepEqual(plan(denied, { format: 'ai-sdk', tailBudget: 0 }).pending, ['c']);
    const answered = [...denied, { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'q', approved: false }] }];
    assert.deepEqual(plan(answered, { format: 'ai-sdk', tailBudget: 0 }).pending, []);
    assert.deepEqual(check([...answered, { role: 'user', content: 'b' }], { format: 'ai-sdk' }), []);
  });

  test(`${entry}: arrays that fit several formats`, () => {
    const text = (content) => [{ role: 'user', content }, { role: 'assistant', content }];
    const ambiguous = {
      'nothing at all': [],
      'role and string: anthropic, openai-chat, openai-responses, ai-sdk, agentfootprint, pi': text('x'),
      'the same with a system message': [{ role: 'system', content: 'S' }, ...text('x')],
      'role and text blocks: anthropic, openai-chat, ai-sdk, pi': text([{ type: 'text', text: 'x' }]),
      'role and empty parts: gemini, ai-sdk-ui': [{ role: 'user', parts: [] }],
    };
    for (const [name, messages] of Object.entries(ambiguous)) assert.equal(detectFormat(messages), undefined, name);
    for (const [name, messages] of Object.entries(ambiguous)) {
      // Where the digest would be the same in all of them, nothing has to be told.
      if (name.startsWith('role and empty') || name.startsWith('nothing')) {
        assert.equal(code(() => digestFormat(messages)), 'format-ambiguous', name);
        continue;
      }
      const format = digestFormat(messages);
      assert.equal(plan(messages, { tailBudget: 0 }).format, format, name);
      const digest = digestMessage('GOAL', { format });
      assert.equal(fold(messages, { prefixEnd: 0, keptFrom: messages.length - 1 }, digest).length, 2, name);
    }
    const certain = {
      gemini: [{ role: 'user', parts: [{ text: 'x' }] }],
      'ai-sdk-ui': [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
      hotl: [{ type: 'user', text: 'x' }],
      langchain: [{ type: 'human', data: { content: 'x' } }],
      'openai-responses': [{ type: 'message', role: 'user', content: 'x' }],
      'openai-chat': [{ role: 'developer', content: 'x' }, { role: 'user', content: 'x' }],
    };
    for (const [format, messages] of Object.entries(certain)) assert.equal(detectFormat(messages), format);
    assert.equal(detectFormat([{ weird: true }]), undefined);
    assert.equal(code(() => plan([{ weird: true }], { tailBudget: 0 })), 'format-undetected');
    // One message that tells is enough.
    for (const format of ['anthropic', 'openai-chat', 'ai-sdk', 'agentfootprint', 'pi']) {
      const { user, model, called } = MAKE[format];
      assert.equal(detectFormat([user('x'), model('y'), ...called('c'), user('z')]), format);
    }
  });

  // ------------------------------------------------------------------------------------------------------- live instances
  const talk = () => [
    live({ type: 'system', data: { content: 'S' } }),
    live({ type: 'human', data: { content: 'one' } }),
    live({ type: 'ai', data: { content: '', tool_calls: [{ id: 'c1', name: 'read', args: { p: 1 }, type: 'tool_call' }, { id: 'c2', name: 'ls', args: {}, type: 'tool_call' }] } }),
    live({ type: 'tool', data: { content: `A ${'long '.repeat(2000)}`, tool_call_id: 'c1', name: 'read', artifact: { rows: [1] } } }),
    live({ type: 'tool', data: { content: 'B', tool_call_id: 'c2', name: 'ls' } }),
    live({ type: 'ai', data: { content: 'two' } }),
    live({ type: 'human', data: { content: 'three' } }),
    live({ type: 'ai', data: { content: 'four' } }),
  ];

  test(`${entry} langchain: live messages are read, folded and given back as they are`, () => {
    const messages = talk();
    const before = JSON.stringify(messages);
    assert.equal(detectFormat(messages), 'langchain');
    assert.deepEqual(fingerprints(messages), fingerprints(json(messages)));
    assert.ok(same(repair(messages).messages, messages));
    const p = plan(messages, { tailBudget: 100, anchorTask: true });
    assert.deepEqual([p.kind, p.format, p.prefixEnd, p.kept], ['fold', 'langchain', 1, [1]]);
    const digest = digestMessage('GOAL: x', { format: 'langchain', like: messages });
    assert.ok(digest instanceof HumanMessage, 'not an instance');
    assert.ok(digest.text.startsWith('<compaction-summary>') && digest.additional_kwargs.lc_source === 'summarization');
    assert.deepEqual(json(digest).id, ['langchain_core', 'messages', 'HumanMessage']);
    assert.ok(floorDigest(messages, p) instanceof HumanMessage);
    for (const merge of [false, true]) {
      const ledger = new Ledger();
      ledger.record({ messages, plan: p, digest, merge });
      const window = fold(messages, p, digest, { merge });
      assert.ok(window.every((m) => m instanceof BaseMessage), 'the window holds something else');
      assert.ok(same(ledger.unfold(window), messages));
      assert.deepEqual(faultsAdded(messages, window, 'langchain'), []);
      assert.equal(plan([window[0], ...several(digest), ...window.slice(-2)], { tailBudget: estimate(window.slice(-2)).total }).reason, 'only-existing-summary');
      assert.deepEqual(Ledger.from(json(ledger)).unfold(json(window)), json(messages));
    }
    assert.equal(JSON.stringify(messages), before);
    // No instance of that class is there to be copied: then the written form.
    assert.deepEqual(digestMessage('GOAL: x', { format: 'langchain', like: messages.slice(0, 1) }).type, 'constructor');
    assert.deepEqual(digestMessage('GOAL: x', { format: 'langchain', like: json(messages) }).type, 'constructor');
    assert.deepEqual(digestMessage('GOAL: x', { format: 'langchain' }).type, 'human');
  });

  test(`${entry} langchain: the digest goes into a live message`, () => {
    const messages = talk();
    const p = plan(messages, { tailBudget: estimate(messages.slice(6)).total });
    assert.equal(p.keptFrom, 6);
    const window = fold(messages, p, digestMessage('GOAL: x', { format: 'langchain', like: messages }), { merge: true });
    assert.equal(window.length, 3);
    const merged = window[1];
    assert.ok(merged instanceof HumanMessage && Object.getPrototypeOf(merged) === HumanMessage.prototype);
    assert.ok(merged.content.startsWith('<compaction-summary>') && merged.content.endsWith('three'), merged.content);
    assert.equal(merged.text, merged.content);
    assert.equal(json(merged).kwargs.content, merged.content, 'what it serialises is not what it holds');
    assert.equal(messages[6].content, 'three');
    assert.equal(messages[6].lc_kwargs.content, 'three');
  });

  test(`${entry} langchain: repaired and clipped live messages are of their class`, () => {
    const [system, human, ai, first, second, , three, four] = talk();
    const unnamed = live({ type: 'ai', data: { content: 'x', tool_calls: [{ name: 'ls', args: {}, type: 'tool_call' }] } });
    const stray = live({ type: 'tool', data: { content: 'x', tool_call_id: 'gone', name: 'ls' } });
    const messages = [system, human, ai, first, three, second, stray, unnamed, four];
    const before = JSON.stringify(messages);
    assert.deepEqual(check(messages).map((p) => p.code).sort(), ['misplaced-result', 'missing-id', 'orphan-result', 'unanswered-call'].sort());
    const { messages: sound, edits } = repair(messages);
    assert.deepEqual(check(sound), []);
    assert.deepEqual(faultsOnly(json(sound), 'langchain'), []);
    assert.ok(sound.every((m) => m instanceof BaseMessage && Object.getPrototypeOf(m) === m.constructor.prototype), 'not all are instances');
    assert.deepEqual(sound.map((m) => m.constructor.name), ['SystemMessage', 'HumanMessage', 'AIMessage', 'ToolMessage', 'ToolMessage', 'HumanMessage', 'AIMessage', 'ToolMessage', 'AIMessage']);
    assert.ok(same([0, 1, 2, 3, 4, 5, 8].map((i) => sound[i]), [system, human, ai, first, second, three, four]));
    const named = sound[6];
    assert.ok(named !== unnamed && named.text === 'x' && typeof named.tool_calls[0].id === 'string');
    assert.equal(json(named).kwargs.tool_calls[0].id, named.tool_calls[0].id);
    assert.equal(sound[7].tool_call_id, named.tool_calls[0].id);
    assert.equal(unnamed.tool_calls[0].id, undefined);
    assert.ok(same(undoRepair(sound, edits), messages));
    assert.ok(same(repair(sound).messages, sound));
    assert.equal(JSON.stringify(messages), before);

    const all = talk();
    const p = plan(all.slice(0, 5), { tailBudget: 1000 });
    assert.ok(p.overBudget && p.clips.length === 1 && p.clips[0].index === 3);
    const clipped = clipResults(all.slice(0, 5), p.clips);
    assert.ok(clipped[3] instanceof ToolMessage && clipped[3].tool_call_id === 'c1' && clipped[3].content.length < 6000);
    assert.equal(clipped[3].lc_kwargs.artifact, all[3].lc_kwargs.artifact);
    assert.equal(json(clipped[3]).kwargs.content, clipped[3].content);
    assert.ok(same([0, 1, 2, 4].map((i) => clipped[i]), [0, 1, 2, 4].map((i) => all[i])));
    assert.ok(all[3].content.length > 9000);
  });

  test(`${entry} langchain: both serialised forms, and how each digest is written`, () => {
    const stored = SAMPLES.langchain();
    const written = stored.map(constructed);
    assert.equal(detectFormat(written), 'langchain');
    assert.deepEqual(fingerprints(written.filter((_, i) => stored[i].type !== 'chat')), fingerprints(stored.filter((m) => m.type !== 'chat')), 'one message, two forms');
    for (const [list, kind] of [[stored, 'human'], [written, 'constructor']]) {
      assert.equal(digestMessage('GOAL', { format: 'langchain', like: list }).type, kind);
      assert.equal(floorDigest(list, { prefixEnd: 0, keptFrom: 2 }).type, kind);
    }
    const torn = [...written.slice(0, 4), ...written.slice(7)];
    const mended = repair(torn).messages;
    assert.equal(mended[4].id[2], 'ToolMessage');
    assert.equal(mended[4].kwargs.tool_call_id, 'c2');
  });

  // ------------------------------------------------------------------------------------------------------------ binary
  test(`${entry} ai-sdk: binary stays the very same`, () => {
    const values = [new Uint8Array([1, 2, 3]), Buffer.from('png'), new Blob(['x'], { type: 'image/png' }), new URL('https://example.invalid/a.png'), new Date(0), 10n ** 30n, new ArrayBuffer(4)];
    const file = (data) => ({ type: 'file', mediaType: 'image/png', data });
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'see' }, ...values.map(file)] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { at: values[4], n: values[5] } }, { type: 'file', mediaType: 'image/png', data: values[0] }] },
      { role: 'user', content: [file(values[1])] },
      { role: 'tool', content: [
        { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'content', value: [{ type: 'text', text: 'seen '.repeat(4000) }, { type: 'media', mediaType: 'image/png', data: values[0] }, { type: 'media', mediaType: 'image/png', data: values[1] }] } },
        { type: 'tool-result', toolCallId: 'gone', toolName: 'look', output: { type: 'json', value: values[3] } },
      ] },
      { role: 'assistant', content: 'a picture' },
    ];
    assert.equal(detectFormat(messages), 'ai-sdk');
    assert.deepEqual(check(messages).map((p) => [p.code, p.index, p.id]).sort(), [['misplaced-result', 3, 'c'], ['orphan-result', 3, 'gone']]);
    const { messages: sound, edits } = repair(messages);
    assert.deepEqual(check(sound), []);
    assert.deepEqual(sound.map((m) => m.role), ['user', 'assistant', 'tool', 'user', 'assistant']);
    for (const [mine, theirs] of [[0, 0], [1, 1], [3, 2], [4, 4]]) assert.equal(sound[mine], messages[theirs]);
    assert.equal(sound[2].content.length, 1);
    assert.equal(sound[2].content[0], messages[3].content[0], 'the part is a copy');
    assert.ok(same(undoRepair(sound, edits), messages));

    const p = plan(sound.slice(0, 3), { tailBudget: 3000 });
    assert.ok(p.overBudget && p.clips.length === 1);
    const clipped = clipResults(sound.slice(0, 3), p.clips);
    assert.ok(clipped[0] === sound[0] && clipped[1] === sound[1] && clipped[2] !== sound[2]);
    const { value } = clipped[2].content[0].output;
    assert.ok(value[0].text.length < 4000 && value[0].text.startsWith('seen') && value[0].text.trimEnd().endsWith('seen'), value[0].text.slice(0, 40));
    assert.ok(value[1] === messages[3].content[0].output.value[1] && value[2] === messages[3].content[0].output.value[2]);
    assert.ok(value[1].data === values[0] && value[2].data === values[1]);

    // What a message holds beside its change is handed on, whatever it is.
    const ui = [{ id: 'm', role: 'assistant', metadata: { at: values[4], blob: values[2] }, parts: [{ type: 'tool-look', toolCallId: 'c', state: 'input-available', input: { data: values[0] } }] }, { id: 'n', role: 'user', parts: [{ type: 'text', text: 'x' }] }];
    const [closed] = repair(ui).messages;
    assert.ok(closed.parts[0].state === 'output-error' && closed.parts[0].input === ui[0].parts[0].input && closed.metadata === ui[0].metadata);

    const all = [messages[0], { role: 'assistant', content: 'b' }, messages[2], { role: 'assistant', content: 'd' }];
    const merged = fold(all, { prefixEnd: 0, keptFrom: 2 }, digestMessage('GOAL', { format: 'ai-sdk' }), { format: 'ai-sdk', merge: true });
    assert.equal(merged.length, 2);
    assert.ok(merged[0].content[0].text.startsWith('<compaction-summary>') && merged[0].content[1] === messages[2].content[0]);
    assert.ok(estimate(messages).total < 19_000, 'binary was spelled out');
  });
});
