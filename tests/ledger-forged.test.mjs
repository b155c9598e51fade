// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Ledgers that were damaged, forged, or belong to another conversation: each is refused under its code.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { forEachEntry } from './support/package.mjs';
import { count } from './support/shared.mjs';

const FORMAT = 'openai-chat';
const user = (content) => ({ role: 'user', content });
const assistant = (content) => ({ role: 'assistant', content });
const chat = (n, from = 0) => Array.from({ length: n }, (_, i) => (i % 2 ? assistant(`answer ${from + i}`) : user(`question ${from + i}`)));
const KEYS = [undefined, 'secret'];

/** The ways to all that is inside a value, objects and lists included. */
const ways = (value) => (typeof value !== 'object' || value === null ? [] : Object.keys(value).flatMap((key) => [[key], ...ways(value[key]).map((rest) => [key, ...rest])]));
const at = (value, way) => way.reduce((inner, key) => inner[key], value);

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, digestMessage, fingerprint, fingerprints, fold, plan, repair } = plica;
  const refused = (fn, codes, what = '', says = /./) => assert.throws(fn, (error) => {
    assert.ok(error instanceof PlicaError, `${what}: ${error}`);
    assert.ok([codes].flat().includes(error.code), `${what}: ${error.code}: ${error.message}`);
    assert.match(error.message, says, what);
    return true;
  });

  /** A ledger of three folds and a repair, its window and the original conversation. */
  function story({ key, say = '', retention } = {}) {
    const ledger = new Ledger({ key });
    const call = { role: 'assistant', content: null, tool_calls: [{ id: 't', type: 'function', function: { name: 'n', arguments: '{}' } }] };
    const original = [user(`first${say}`), call, ...chat(6).map((m) => ({ ...m, content: m.content + say }))];
    const { messages, edits } = repair(original, { format: FORMAT });
    ledger.recordEdit({ kind: 'repair', messages: original, edits, format: FORMAT });
    let window = messages;
    for (let n = 0; n < 3; n++) {
      const p = plan(window, { format: FORMAT, tailBudget: 30, ledger });
      const digest = digestMessage(`GOAL: part ${n}${say}`, { format: FORMAT });
      ledger.record({ messages: window, plan: p, digest, retention, outcome: 'summarized', tokens: { before: 9, after: 1 } });
      const more = chat(4, 100 * (n + 1)).map((m) => ({ ...m, content: m.content + say }));
      window = [...fold(window, p, digest), ...more];
      original.push(...more);
    }
    return { ledger, window, original };
  }
  const jsonOf = (ledger) => JSON.parse(JSON.stringify(ledger));
  /** What an alteration is called: with a key nobody can tell it from another key. */
  const altered = (key) => (key === undefined ? 'ledger-altered' : 'ledger-key');

  test(`${entry}: every member, replaced and left out`, () => {
    for (const key of KEYS) {
      const good = jsonOf(story({ key }).ledger);
      Ledger.from(good, { key });
      const values = [null, true, 0, -1, 1.5, 3, 2 ** 32, 2 ** 53, 1e308, '', 'x', 'fold-1', '0'.repeat(32), 'F'.repeat(32), [], [null], {}, { $plica: 'date', ms: 1 }, JSON.parse('{"__proto__":{"folds":[]}}')];
      let tried = 0;
      for (const way of ways(good)) {
        for (const value of [...values, 'left out']) {
          const json = structuredClone(good);
          const [last, ...path] = [way.at(-1), ...way.slice(0, -1)];
          const parent = at(json, path);
          if (value === 'left out') {
            if (Array.isArray(parent)) parent.splice(Number(last), 1);
            else delete parent[last];
          } else if (isDeepStrictEqual(parent[last], value)) continue;
          else parent[last] = value;
          const what = `${way.join('.')} ${JSON.stringify(value)}`;
          // What has not the shape of a ledger is none; everything else is a ledger that was changed. Without its mark it is not sealed with a key.
          const shape = ['plica', 'version', 'folds', 'edits', 'seal'].includes(way[0]) && (way.length < 3 || ['id', 'retention', 'record', 'behind'].includes(way[2]));
          const expected = shape ? ['bad-ledger', altered(key)] : way[0] === 'keyed' ? 'ledger-key' : altered(key);
          refused(() => Ledger.from(json, { key }), expected, what);
          tried++;
        }
      }
      count('members altered', tried);
    }
    assert.equal({}.folds, undefined);
  });

  test(`${entry}: folds left out, twice, in another order; messages that change places`, () => {
    for (const key of KEYS) {
      const good = jsonOf(story({ key }).ledger);
      const cases = [
        ...good.folds.map((_, i) => [altered(key), `fold ${i} left out`, (j) => j.folds.splice(i, 1)]),
        ...good.folds.map((_, i) => ['bad-ledger', `fold ${i} twice`, (j) => j.folds.push(j.folds[i])]),
        ...good.folds.map((_, i) => [altered(key), `fold ${i} twice under another id`, (j) => j.folds.push({ ...j.folds[i], id: 'fold-99' })]),
        [altered(key), 'folds reversed', (j) => j.folds.reverse()],
        [altered(key), 'two folds changed places', (j) => { [j.folds[0], j.folds[1]] = [j.folds[1], j.folds[0]]; }],
        [altered(key), 'messages changed places', (j) => { [j.folds[0].messages, j.folds[1].messages] = [j.folds[1].messages, j.folds[0].messages]; }],
        [altered(key), 'one message of each', (j) => { [j.folds[0].messages[0], j.folds[1].messages[1]] = [j.folds[1].messages[1], j.folds[0].messages[0]]; }],
        [altered(key), 'records changed places', (j) => { [j.folds[0].record, j.folds[1].record] = [j.folds[1].record, j.folds[0].record]; }],
        [altered(key), 'a message twice', (j) => j.folds[0].messages.push(j.folds[0].messages[0])],
        [altered(key), 'messages reversed', (j) => j.folds[0].messages.reverse()],
        ['bad-ledger', 'an edit as a fold', (j) => j.folds.push(j.edits[0])],
        ['bad-ledger', 'an edit left out', (j) => { delete j.edits; j.version = 1; j.edits = [5]; }],
        [altered(key), 'no edits', (j) => { delete j.edits; j.version = 1; }],
        ['bad-ledger', 'edits of version 1', (j) => { j.version = 1; }],
        [altered(key), 'another seal', (j) => { j.seal = `${j.seal[0] === '0' ? '1' : '0'}${j.seal.slice(1)}`; }],
        [altered(key), 'the seal in capitals', (j) => { j.seal = j.seal.toUpperCase(); }],
        [altered(key), 'half a seal', (j) => { j.seal = j.seal.slice(0, 16); }],
        ...[0, 3, 1.5, '1', null, [1], {}, 2 ** 53, 'latest'].map((version) => ['bad-ledger', `version ${version}`, (j) => { j.version = version; }]),
      ];
      for (const [code, what, edit] of cases) {
        const json = structuredClone(good);
        edit(json);
        refused(() => Ledger.from(json, { key }), code, what);
      }
      count('ledgers altered', cases.length);
    }
  });

  test(`${entry}: a text that was cut off is no ledger`, () => {
    const text = JSON.stringify(story().ledger);
    for (let length = 0; length < text.length; length += 1 + (length % 7)) {
      const cut = text.slice(0, length);
      assert.throws(() => JSON.parse(cut));
      refused(() => Ledger.from(cut), 'bad-ledger', `${length} units`);
      // Closed by hand.
      for (const end of ['}', ']}', '"}', '"}]}', ']}]}', '}]}']) {
        let json;
        try { json = JSON.parse(cut + end); } catch { continue; }
        if (cut + end === text) continue;
        refused(() => Ledger.from(json), ['bad-ledger', 'ledger-altered'], cut.slice(-20) + end);
      }
    }
    refused(() => Ledger.from(text), 'bad-ledger', 'the text itself', /parse/);
  });

  test(`${entry}: sealed anew by one who knows the form`, () => {
    /** What an attacker writes who can do all that plica does, but has not the key. */
    const forged = (change, options = {}) => {
      const { ledger } = story(options);
      change(ledger);
      return jsonOf(ledger);
    };
    const swap = (ledger) => {
      const [{ messages }] = ledger.folds;
      messages[0].content = 'never said';
      const prints = fingerprints(messages);
      ledger.folds[0].record.span.splice(0, prints.length, ...prints);
      ledger.takenBy.set(ledger.folds[0], prints);
    };
    const real = jsonOf(story({ key: 'secret' }).ledger);
    for (const json of [forged(swap), { ...forged(swap), keyed: true }, { ...real, folds: forged(swap).folds }, forged(swap, { key: 'guess' }), { ...forged(swap), keyed: true, seal: real.seal }, { ...jsonOf(story().ledger), keyed: true }]) {
      refused(() => Ledger.from(json, { key: 'secret' }), 'ledger-key');
    }
    refused(() => Ledger.from(real), 'ledger-key');
    // Without a key the seal finds accidents; what does not fit together is found all the same.
    const inconsistent = {
      'an original': [(l) => { l.folds[1].messages[1] = user('other'); l.takenBy.set(l.folds[1], fingerprints(l.folds[1].messages)); }, 'ledger-altered'],
      'one original less': [(l) => { l.folds[1].messages.pop(); }, 'ledger-altered'],
      'no originals': [(l) => { delete l.folds[1].messages; }, 'ledger-altered'],
      'another format': [(l) => { l.folds[0].record.format = 'telegraph'; }, 'bad-ledger'],
      'no digest': [(l) => { l.folds[0].record.digest = []; }, 'bad-ledger'],
      'a digest that is no fingerprint': [(l) => { l.folds[0].record.digest = ['x']; }, 'bad-ledger'],
      'a span too long': [(l) => { l.folds[0].record.keptFrom = 4294967295; }, 'bad-ledger'],
      'a start behind the end': [(l) => { l.folds[0].record.prefixEnd = l.folds[0].record.keptFrom + 1; }, 'bad-ledger'],
      'kept messages from elsewhere': [(l) => { l.folds[0].record.before = [4e9]; }, 'bad-ledger'],
      'an unknown number': [(l) => { l.folds[0].record.unknown = 5; }, 'bad-ledger'],
      'originals that are gone': [(l) => { l.folds[0].record.gone = true; }, 'bad-ledger'],
      'an id twice': [(l) => { l.folds[0].id = l.folds[1].id; }, 'bad-ledger'],
      'the id of an edit': [(l) => { l.folds[0].id = l.edits[0].id; }, 'bad-ledger'],
      'an edit without runs': [(l) => { l.edits[0].record.edits = []; }, 'bad-ledger'],
    };
    for (const number of [-1, 0.5, 2 ** 32, 2 ** 53, 1e308]) {
      for (const member of ['prefixEnd', 'keptFrom', 'tailLength']) inconsistent[`${member} ${number}`] = [(l) => { l.folds[0].record[member] = number; }, 'bad-ledger'];
      inconsistent[`an edit at ${number}`] = [(l) => { l.edits[0].record.edits[0].at = number; }, 'bad-ledger'];
    }
    for (const [what, [change, code]] of Object.entries(inconsistent)) refused(() => Ledger.from(forged(change)), code, what);
    // What fits together and is of no window of ours: no wrong answer, and none that takes the memory.
    const { window } = story();
    const elsewhere = (record) => { record.keptFrom += 4e9; record.prefixEnd += 4e9; };
    const odd = [(l) => { l.folds[2].record.tailLength = 4294967295; }, (l) => elsewhere(l.folds[2].record), (l) => { l.folds[2].record.digest = ['0'.repeat(32)]; }];
    // (The first fold under another digest is the ledger of a conversation that went another way once: only a key tells.)
    for (const change of odd) {
      const book = Ledger.from(forged(change));
      let back;
      try { back = book.unfold(window); } catch (error) { assert.equal(error.code, 'digest-missing', error.message); continue; }
      assert.deepEqual(back, story().original);
    }
  });

  test(`${entry}: wrong types, strange objects, prototypes`, () => {
    const { ledger, window, original } = story();
    const good = jsonOf(ledger);
    for (const bad of [undefined, null, true, 5, 1n, 'x', Symbol('x'), () => {}, [], [good], new Map(Object.entries(good)), new Date(0), new Uint8Array(3), { folds: good.folds }, { ...good, plica: undefined }]) refused(() => Ledger.from(bad), 'bad-ledger', String(typeof bad));
    refused(() => Ledger.from(Object.create(good)), ['bad-ledger', 'ledger-altered'], 'inherited');
    refused(() => Ledger.from(new Proxy(good, { get() { throw new Error('trap'); } })), 'bad-ledger', 'a proxy');
    const polluting = ['{"polluted":1}', '{"folds":[],"edits":[]}', '{"toJSON":null}'].flatMap((value) => [
      JSON.parse(JSON.stringify(good).replace('{', `{"__proto__":${value},`)),
      JSON.parse(JSON.stringify(good).replace('"record":{', `"record":{"__proto__":${value},`)),
      JSON.parse(JSON.stringify(good).replace('"messages":[{', `"messages":[{"__proto__":${value},`)),
      JSON.parse(JSON.stringify(good).replace('{', `{"constructor":{"prototype":${value}},`)),
    ]);
    for (const json of polluting) refused(() => Ledger.from(json), 'ledger-altered');
    assert.equal({}.polluted, undefined);
    assert.ok(!('polluted' in Object.prototype) && !('folds' in Object.prototype));
    // A message that has such a member keeps it, as its own.
    const said = JSON.parse('{"role":"user","content":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    const book = new Ledger();
    const messages = [said, ...chat(6)];
    const p = plan(messages, { format: FORMAT, tailBudget: 20 });
    const digest = digestMessage('G', { format: FORMAT });
    book.record({ messages, plan: p, digest });
    const [back] = Ledger.from(jsonOf(book)).unfold(fold(messages, p, digest));
    assert.deepEqual(Object.getOwnPropertyNames(back), Object.getOwnPropertyNames(said));
    assert.equal(Object.getPrototypeOf(back), Object.prototype);
    assert.equal({}.polluted, undefined);
    for (const id of ['__proto__', 'constructor', 'toString']) {
      const { ledger: named, window: w, original: o } = story({ retention: 'reference' });
      named.folds.forEach((f, i) => { f.id = `${id}${i || ''}`; });
      const read = Ledger.from(jsonOf(named));
      assert.deepEqual(read.missing(w), named.missing(w));
      assert.deepEqual(read.unfold(w, { originals: o }), o);
    }
    assert.deepEqual(Ledger.from(good).unfold(window), original);
  });

  test(`${entry}: the ledger of another conversation`, () => {
    const [one, other] = [story(), story({ say: ' elsewhere' })];
    for (const key of ['unfold', 'missing']) {
      refused(() => one.ledger[key](other.window), 'digest-missing', key, /another conversation/);
      refused(() => one.ledger[key](other.original), 'digest-missing', key, /another conversation/);
      refused(() => one.ledger[key](chat(40, 7000)), 'digest-missing', key, /another conversation/);
      refused(() => one.ledger[key]([]), 'digest-missing', key, /another conversation/);
      // The digest of an old fold alone, and one with other kept messages around.
      const [first] = one.ledger.folds;
      const old = one.ledger.folds[1].messages.find((m) => one.ledger.lookup(m) === first);
      assert.ok(one.ledger[key]([old, ...one.window.slice(-4)]).length >= 0);
    }
    const messages = [user('a'), user('b'), ...chat(6)];
    const digest = digestMessage('G', { format: FORMAT });
    const book = new Ledger();
    book.record({ messages, plan: { prefixEnd: 0, keptFrom: 6, kept: [0] }, digest });
    const window = fold(messages, { prefixEnd: 0, keptFrom: 6, kept: [0] }, digest);
    assert.deepEqual(book.unfold(window), messages);
    refused(() => book.unfold(window.map((m) => (m === messages[0] ? user('other') : m))), 'digest-missing', 'a kept message', /around/);
    // What comes behind a digest may be other messages by now: an answer that was asked for again.
    assert.deepEqual(book.unfold([...window.slice(0, 2), user('again')]), [...messages.slice(0, 6), user('again')]);
  });

  test(`${entry}: lookup takes nothing else for a digest`, () => {
    for (const format of ['openai-chat', 'anthropic', 'agentfootprint']) {
      const messages = chat(8);
      const p = plan(messages, { format, tailBudget: 20 });
      const digest = digestMessage('GOAL: the ledger; "quoted" é 🙂\nNEXT: go', { format });
      const ledger = new Ledger();
      const recorded = ledger.record({ messages, plan: p, digest, format });
      const text = typeof digest.content === 'string' ? digest.content : digest.content[0].text;
      const made = (change, more) => ({ ...digest, content: typeof digest.content === 'string' ? change(text) : [{ type: 'text', text: change(text) }], ...more });
      const no = {
        ...Object.fromEntries([0, 1, text.length >> 1, text.length - 1].map((i) => [`another character ${i}`, made((t) => t.slice(0, i) + String.fromCharCode(t.charCodeAt(i) ^ 1) + t.slice(i + 1))])),
        'one character less': made((t) => t.slice(0, -1)),
        'one space more': made((t) => `${t} `),
        'another normal form': made((t) => t.normalize('NFD')),
        'another role': { ...digest, role: 'assistant' },
        'the system': { ...digest, role: 'system' },
        'a frame inside': made((t) => t.replace('GOAL', '<compaction-summary>GOAL')),
        'a frame around': made((t) => `<compaction-summary>\n${t}\n</compaction-summary>`),
        'a frame of the user': user('<compaction-summary>\nGOAL: something else\n</compaction-summary>'),
        'an old frame': user(`[compacted history — 3 earlier]\n${text}`),
        'the bare summary': user('GOAL: the ledger; "quoted" é 🙂\nNEXT: go'),
        'the text elsewhere': { role: 'user', content: '', name: text, text },
        'the text twice': made((t) => t + t),
        'nothing': user(''),
      };
      for (const [what, message] of Object.entries(no)) {
        assert.equal(ledger.lookup(message), undefined, `${format}: ${what}`);
        assert.deepEqual(ledger.lookupAll(message), []);
      }
      const reordered = Object.fromEntries(Object.entries(digest).reverse());
      const yes = [digest, structuredClone(digest), JSON.parse(JSON.stringify(digest)), reordered, Object.freeze({ ...digest }), Object.assign(Object.create(null), digest)];
      for (const message of yes) assert.equal(ledger.lookup(message), recorded, format);
      const all = [...Object.values(no), ...yes];
      assert.deepEqual(ledger.lookupMany(all), all.map((m) => ledger.lookup(m)));
      assert.equal(fingerprint(reordered), fingerprint(digest));
    }
  });
});
