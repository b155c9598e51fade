// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A plan of a plain array reads its end. It is the plan of the whole, as a Transcript makes it, which reads everything; and of a long
// conversation nothing far from the end is looked into.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEntry } from './support/package.mjs';
import { FORMATS, Random, randomTranscript } from './support/random.mjs';
import { MAKE } from './support/samples.mjs';
import { count } from './support/shared.mjs';

const SEEDS = Number(process.env.PLICA_SEEDS ?? 2);
const words = (r, n) => Array.from({ length: 1 + r.below(n) }, () => r.pick(['bed', 'carrot', 'water', 'grün', '水', '🥕', 'soil', 'seeds'])).join(' ');

/** Late system text and memory, where a format has a mark for it. */
const SYSTEM = {
  anthropic: { role: 'system', content: 'be brief' }, 'openai-chat': { role: 'developer', content: 'be brief' }, 'openai-responses': { role: 'system', content: 'be brief' }, 'ai-sdk': { role: 'system', content: 'be brief' },
  'ai-sdk-ui': { id: 's', role: 'system', parts: [{ type: 'text', text: 'be brief' }] }, langchain: { type: 'system', data: { content: 'be brief' } }, hotl: { type: 'system', text: 'be brief' }, agentfootprint: { role: 'system', content: 'be brief' },
};
const MEMORY = { hotl: { type: 'user', text: 'memo', synthetic: 'memory' } };
/** A step that thinks with a signature and calls. */
const SIGNED = {
  anthropic: (id) => [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'Eq==' }, { type: 'tool_use', id, name: 'read', input: {} }] }],
  gemini: (id) => [{ role: 'model', parts: [{ functionCall: { id, name: 'read', args: {} }, thoughtSignature: 'c2ln' }] }],
  'openai-responses': (id) => [{ type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: 'gAAA' }, { type: 'function_call', call_id: id, name: 'read', arguments: '{}' }],
};

/** Conversations by what they are like; each a list of at least `n` messages. */
const KINDS = {
  turns: (r, format, n) => grown(n, (i) => [MAKE[format].user(`${i} ${words(r, 20)}`), ...(r.chance(0.4) ? MAKE[format].called(`c${i}`) : []), MAKE[format].model(`${i} ${words(r, 30)}`)]),
  'text only': (r, format, n) => grown(n, (i) => [MAKE[format].user(`${i} ${words(r, 20)}`), MAKE[format].model(`${i} ${words(r, 30)}`)]),
  'one loop of 500 calls': (r, format) => [MAKE[format].user('task'), ...grown(1000, (i) => MAKE[format].called({ id: `c${i}`, name: 'read', text: words(r, 10) })), MAKE[format].model('done')],
  'parallel calls, ids used again': (r, format, n) => grown(n, () => [MAKE[format].user(words(r, 8)), ...MAKE[format].called('call_0', 'call_1', { id: 'call_2', name: 'ls' }), MAKE[format].model(words(r, 8))]),
  'signed reasoning': (r, format, n) => grown(n, (i) => [MAKE[format].user(words(r, 8)), ...grown(2 + r.below(6), (k) => [...(SIGNED[format] ?? MAKE[format].called)(`c${i}_${k}`), ...(SIGNED[format] ? MAKE[format].result(`c${i}_${k}`) : [])]), MAKE[format].model(words(r, 8))]),
  'calls in flight': (r, format, n) => [...KINDS.turns(r, format, n), MAKE[format].user('go'), ...MAKE[format].call('pending_a', 'pending_b'), ...(r.chance(0.5) && format !== 'ai-sdk-ui' ? MAKE[format].result('pending_a') : [])],
  'abandoned calls': (r, format, n) => grown(n, (i) => [MAKE[format].user(words(r, 8)), ...(i % 40 === 9 ? MAKE[format].call(`gone${i}`) : []), MAKE[format].model(words(r, 8))]),
  'system text and memory all over': (r, format, n) => grown(n, (i) => [...(SYSTEM[format] && i % 70 === 20 ? [{ ...SYSTEM[format] }] : []), ...(MEMORY[format] && i % 90 === 30 ? [{ ...MEMORY[format] }] : []), MAKE[format].user(words(r, 12)), MAKE[format].model(words(r, 12))]),
  'random, sound': (r, format, n) => grown(n, (i) => randomTranscript(r.below(1e6) + i, format, { turns: 6 })),
  'random, malformed': (r, format, n) => grown(n, (i) => randomTranscript(r.below(1e6) + i, format, { turns: 6, malformed: r.pick([0, 0.15, 1]) })),
};
function grown(n, make) {
  const out = [];
  for (let i = 0; out.length < n; i++) out.push(...make(i));
  return out;
}

const OPTIONS = (r, list) => {
  const pins = Array.from({ length: 1 + r.below(4) }, () => r.below(list.length));
  const options = { tailBudget: r.pick([0, 10, 300, 1000, 3000, 8000, 20_000, r.below(60_000), r.below(3000) + 0.5]) };
  if (r.chance(0.2)) options.keepTurns = r.below(5);
  if (r.chance(0.2)) options.prefix = r.below(8);
  if (r.chance(0.25)) options.anchorTask = true;
  if (r.chance(0.2)) options.anchorRequest = true;
  if (r.chance(0.25)) options.keepSystem = true;
  if (r.chance(0.15)) options.margin = r.below(90) / 100;
  if (r.chance(0.3)) options.pinned = r.chance(0.5) ? pins : (_, i) => pins.includes(i);
  return options;
};

function outcome(fn) {
  try {
    return { answer: fn() };
  } catch (error) {
    if (typeof error?.code !== 'string') throw error;
    return { code: error.code };
  }
}

/** Messages that say when their contents are read; their roles may be looked at. */
function watched(list, contents = ['content', 'parts', 'text', 'blocks', 'results', 'tool_calls', 'data']) {
  const read = new Set();
  const messages = list.map((message, index) => {
    const copy = {};
    for (const [key, value] of Object.entries(message)) {
      if (!contents.includes(key)) copy[key] = value;
      else Object.defineProperty(copy, key, { enumerable: true, get() { read.add(index); return value; } });
    }
    return copy;
  });
  return { messages, read };
}

forEachEntry((entry, plica) => {
  const { PlicaError, Transcript, estimate, plan } = plica;
  const first = entry === 'esm' ? 0 : SEEDS;

  for (const format of FORMATS) {
    test(`${entry} ${format}: from the end, the plan of the whole`, () => {
      for (const [kind, make] of Object.entries(KINDS)) {
        for (let seed = first; seed < first + (kind.startsWith('random') || kind === 'turns' ? SEEDS : Math.ceil(SEEDS / 2)); seed++) {
          const r = new Random(seed * 977 + kind.length);
          const list = make(r, format, r.pick([400, 400, 700, seed % 4 === 3 ? 3000 : 500]));
          const readings = [{ format }, {}, { format, estimator: (text) => text.length / 5 }, { provenance: (_, i) => (i % 150 === 77 ? 'memory' : i % 40 === 11 ? 'injected' : i === 0 ? 'instructions' : undefined) }];
          for (const reading of [readings[seed % 2], readings[2 + (seed % 2)]]) {
            const t = outcome(() => new Transcript(reading).append(list));
            for (let n = 0; n < 5; n++) {
              const options = OPTIONS(r, list);
              const got = outcome(() => plan(list, { ...reading, ...options }));
              const where = `${kind}, seed ${seed}, ${list.length} messages, ${Object.keys(reading)}, ${JSON.stringify(options)}`;
              if (t.code !== undefined) {
                if (got.code !== t.code) count(`plans from the end of what is refused as a whole (${t.code})`);
                continue;
              }
              assert.deepEqual(got, outcome(() => t.answer.plan(options)), where);
              count('plans from the end compared');
            }
            t.answer?.free();
          }
        }
      }
    });

    test(`${entry} ${format}: of a long conversation the end alone is read`, () => {
      const r = new Random(7);
      for (const kind of ['turns', 'system text and memory all over']) {
        const list = KINDS[kind](r, format, 2000);
        const pins = [500, 501];
        for (const options of [{ tailBudget: 2000 }, { tailBudget: 0 }, { tailBudget: 3000, anchorRequest: true, keepTurns: 3, margin: 0.2 }, { tailBudget: 2000, pinned: kind === 'turns' ? [] : pins.filter((i) => isUser(list[i])) }, { tailBudget: 1000, prefix: 1 }, { tailBudget: 1000, anchorTask: true }]) {
          for (const reading of [{ format }, { format, estimator: (text) => text.length / 3 }]) {
            const { messages, read } = watched(list);
            const got = plan(messages, { ...reading, ...options });
            const seen = [...read];
            const t = new Transcript(reading).append(list);
            assert.deepEqual(got, t.plan(options), `${kind} ${JSON.stringify(options)}`);
            t.free();
            assert.equal(got.kind, 'fold');
            const standing = new Set([...got.kept, ...(options.pinned ?? []), 0, 1, 2]);
            const far = seen.filter((i) => i < list.length - 800 && !standing.has(i) && !isStanding(list[i]));
            if (format === 'langchain') {
              assert.equal(seen.length, list.length, 'langchain tells nothing at a glance');
              continue;
            }
            // A role is all that tells of most messages; so nothing was looked into that far from the end.
            assert.deepEqual(far, [], `${kind} ${JSON.stringify(options)}: read ${seen.length} of ${list.length}`);
            count('long conversations of which the end was read');
            count('messages read of them', seen.length);
            count('messages in them', list.length);
          }
        }
      }
    });
  }
  const isUser = (message) => message.role === 'user' || message.type === 'user';
  const isStanding = (message) => JSON.stringify(message).includes('be brief') || message.synthetic === 'memory';

  test(`${entry}: what stands far from the end and is strange`, () => {
    class Written {
      constructor(of) { this.of = of; }
      toJSON() { return this.of; }
    }
    const thrower = (...keys) => Object.defineProperties({ role: 'user', content: 'x' }, Object.fromEntries(keys.map((key) => [key, { enumerable: true, get() { throw new Error('from a getter'); } }])));
    const revoked = () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    };
    const cyclic = { role: 'user', content: 'x' };
    cyclic.self = cyclic;
    const strange = {
      null: null, undefined, number: 7, text: 'x', array: [], symbol: Symbol('s'), function: () => 1, bigint: 1n, 'a written one': new Written({ role: 'user', content: 'x' }), 'a written system message': new Written({ role: 'system', content: 'x' }),
      'a written memory': new Written({ type: 'user', text: 'm', synthetic: 'memory' }), 'role throws': thrower('role'), 'type throws': thrower('type'), 'content throws': thrower('content'), 'all throw': thrower('role', 'type', 'content', 'toJSON', 'synthetic'),
      'a revoked proxy': revoked(), cycle: cyclic, empty: {}, 'role is a number': { role: 7, content: 'x' }, 'role is an object': { role: { toString() { throw new Error('x'); } }, content: 'x' }, 'no prototype': Object.assign(Object.create(null), { role: 'user', content: 'x' }),
      'frozen': Object.freeze({ role: 'user', content: 'x' }), 'a proxy': new Proxy({ role: 'user', content: 'x' }, {}), 'bytes': new Uint8Array(5), 'boxed role': { role: new String('system'), content: 'x' }, 'lone surrogate': { role: 'us\ud800er', content: 'x' }, 'own __proto__': JSON.parse('{"__proto__":{"role":"system"},"role":"user","content":"x"}'),
      'a Date': new Date(0), 'invalid Date': new Date(NaN), 'a Map': new Map(),
    };
    for (const format of FORMATS) {
      const base = KINDS.turns(new Random(3), format, 400);
      for (const [what, value] of Object.entries(strange)) {
        for (const reading of [{ format }, {}]) {
          const list = base.with(100, value);
          let got;
          try {
            got = { answer: plan(list, { ...reading, tailBudget: 500 }) };
          } catch (error) {
            assert.ok(error instanceof PlicaError, `${format}, ${what}: ${error?.stack ?? error}`);
            assert.notEqual(error.code, 'internal', `${format}, ${what}: ${error.message}`);
            got = { code: error.code };
          }
          const whole = outcome(() => new Transcript(reading).append(list).plan({ tailBudget: 500 }));
          // Of two formats in one array the end says which; named, it is one.
          if (reading.format === undefined && whole.answer && got.answer?.format !== whole.answer.format) count('strange messages of another format than the end');
          else if (whole.code === undefined) assert.deepEqual(got, whole, `${format}, ${what}`);
          else if (got.code === undefined) count(`strange messages far from the end that nobody looked into (${whole.code})`);
          count('strange messages far from the end');
        }
      }
      const hole = [...base];
      delete hole[100];
      assert.equal(outcome(() => plan(hole, { format, tailBudget: 500 })).code, 'bad-argument');
    }
  });

  test(`${entry}: an array that changes under the planner`, () => {
    const base = KINDS.turns(new Random(3), 'openai-chat', 400);
    const acts = { shrinks: (list) => { list.length = 50; }, grows: (list) => list.push(...base), empties: (list) => { list.length = 0; } };
    for (const [name, act] of Object.entries(acts)) {
      for (const at of [0, 100, base.length - 1]) {
        const list = [...base];
        list[at] = Object.defineProperty({ ...list[at] }, 'role', { enumerable: true, get() { act(list); return base[at].role; } });
        const got = outcome(() => plan(list, { format: 'openai-chat', tailBudget: 500 }));
        assert.notEqual(got.code, 'internal', name);
        if (got.answer) assert.deepEqual(got.answer, plan(base, { format: 'openai-chat', tailBudget: 500 }), name);
      }
    }
    assert.equal(estimate(base, { format: 'openai-chat' }).perMessage.length, base.length);
  });
});
