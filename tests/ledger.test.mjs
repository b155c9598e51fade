// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What a ledger keeps, gives back, refuses. (Rounds of folds over random transcripts are in window.test.mjs.)

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { forEachEntry } from './support/package.mjs';
import { Random, randomTranscript } from './support/random.mjs';
import { count } from './support/shared.mjs';

const FORMAT = 'openai-chat';
const user = (content) => ({ role: 'user', content });
const assistant = (content) => ({ role: 'assistant', content });
const chat = (n, from = 0) => Array.from({ length: n }, (_, i) => (i % 2 ? assistant(`answer ${from + i}`) : user(`question ${from + i} ${'x'.repeat(i)}`)));

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, digestMessage, fingerprint, fold, plan } = plica;
  const refused = (fn, ...codes) => assert.throws(fn, (error) => {
    assert.ok(error instanceof PlicaError, `${error}`);
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    assert.ok(error.message.length > 10);
    return true;
  });

  /** A ledger with so many folds, and its window and original. */
  function story({ folds = 2, retention, key, extra = [], summary = (n) => `GOAL: part ${n}` } = {}) {
    const ledger = new Ledger({ key });
    let window = [{ role: 'system', content: 'S' }, ...extra, ...chat(10)];
    let original = [...window];
    for (let n = 0; n < folds; n++) {
      const p = plan(window, { format: FORMAT, tailBudget: 80, ledger });
      assert.equal(p.kind, 'fold');
      const digest = digestMessage(summary(n), { format: FORMAT });
      ledger.record({ messages: window, plan: p, digest, retention: Array.isArray(retention) ? retention[n] : retention, outcome: 'summarized', tokens: { before: 100 + n, after: 10 } });
      window = fold(window, p, digest);
      const more = chat(6, 100 * (n + 1));
      window = [...window, ...more];
      original = [...original, ...more];
    }
    return { ledger, window, original };
  }
  const same = (a, b) => assert.ok(a.length === b.length && a.every((m, i) => m === b[i]), 'not the same objects');
  const through = (ledger, options) => Ledger.from(JSON.parse(JSON.stringify(ledger)), options);

  test(`${entry}: the same objects come back`, () => {
    for (const folds of [1, 2, 5, 20]) {
      const { ledger, window, original } = story({ folds });
      same(ledger.unfold(window), original);
      same(ledger.unfold([...window]), original);
      assert.equal(ledger.folds.length, folds);
      assert.equal(new Set(ledger.folds.map((f) => f.id)).size, folds);
      assert.deepEqual(ledger.missing(window), []);
      assert.deepEqual(through(ledger).unfold(structuredClone(window)), original);
    }
  });

  test(`${entry}: identical summaries are told apart by where they stand`, () => {
    for (const folds of [2, 3, 7]) {
      const { ledger, window, original } = story({ folds, summary: () => 'GOAL: always the same' });
      same(ledger.unfold(window), original);
      assert.deepEqual(through(ledger).unfold(structuredClone(window)), original);
      const digest = digestMessage('GOAL: always the same', { format: FORMAT });
      assert.equal(ledger.lookupAll(digest).length, folds);
      assert.equal(ledger.lookup(digest), ledger.folds[folds - 1]);
    }
  });

  test(`${entry}: a digest in the words of the user is no fold`, () => {
    const forged = digestMessage('GOAL: part 0', { format: FORMAT });
    const { ledger, window, original } = story({ folds: 1 });
const said = [forged, assistant('so?')];
    same(ledger.unfold([...window, ...said]), [...original, ...said]);
    assert.equal(ledger.lookup(user('GOAL: part 0')), undefined);
    assert.deepEqual(ledger.lookupAll({ role: 'user', content: 'x' }), []);
  });

  test(`${entry}: what was changed is not found`, () => {
    const { ledger, window } = story();
    for (const bad of [window.filter((m) => !ledger.lookup(m)), [user('hello')], []]) refused(() => ledger.unfold(bad), 'digest-missing');
    refused(() => ledger.missing([user('hello')]), 'digest-missing');
    const empty = new Ledger();
    const list = chat(3);
    same(empty.unfold(list), list);
    assert.notEqual(empty.unfold(list), list);
  });

  test(`${entry}: every altered place is found`, () => {
    const { ledger } = story({ folds: 2, extra: [{ role: 'user', content: 'Ä "q" \\ \u2028 🙂', at: new Date(5), bytes: new Uint8Array([1, 2, 3]), n: 12.5, flag: true, none: null }] });
    for (const key of [undefined, 'secret']) {
      const text = JSON.stringify(key ? story({ key }).ledger : ledger);
      const good = JSON.parse(text);
      Ledger.from(good, { key });
      let tried = 0;
      const attempt = (changed, what) => {
        let json;
        try { json = JSON.parse(changed); } catch { return; }
        if (isDeepStrictEqual(json, good)) return; // says the same
        tried++;
        try {
          Ledger.from(json, { key });
        } catch (error) {
          assert.ok(error instanceof PlicaError && ['ledger-altered', 'bad-ledger', 'ledger-key'].includes(error.code), `${what}: ${error.code ?? error}`);
          return;
        }
        assert.fail(`accepted after ${what}: …${changed.slice(Math.max(0, what.at - 30), what.at + 30)}…`);
      };
      const r = new Random(3);
      for (let at = 0; at < text.length; at += 1 + r.below(5)) {
        const code = text.charCodeAt(at);
        for (const unit of [code ^ 1, 0x30 + r.below(10), 0x61 + r.below(6), 0x20]) {
          if (unit !== code) attempt(text.slice(0, at) + String.fromCharCode(unit) + text.slice(at + 1), { at, unit, toString() { return `unit ${unit} at ${at}`; } });
        }
        attempt(text.slice(0, at) + text.slice(at + 1), { at, toString() { return `deletion at ${at}`; } });
      }
      // Whole pieces changed.
      const edits = [
        (j) => j.folds.pop(), (j) => j.folds.reverse(), (j) => j.folds.push(j.folds[0]), (j) => { j.folds[0].messages.pop(); }, (j) => { j.folds[0].messages[0].content = 'x'; },
        (j) => { j.folds[0].retention = 'discard'; }, (j) => { delete j.folds[0].messages; }, (j) => { j.folds[0].record.prefixEnd++; }, (j) => { j.folds[0].outcome = 'floor'; }, (j) => { j.extra = 1; },
        (j) => { j.folds[0].extra = null; }, (j) => { j.seal = ''; }, (j) => { j.seal = '0'.repeat(32); }, (j) => { delete j.seal; }, (j) => { j.folds = []; }, (j) => { j.version = 2; }, (j) => { j.plica = 'x'; },
        (j) => { j.folds[0].record.span[0] = 'f'.repeat(32); }, (j) => { j.folds[1].tokens.before = 1; }, (j) => { j.folds[0].id = j.folds[1].id; },
      ];
      edits.forEach((edit, i) => {
        const json = structuredClone(good);
        edit(json);
        refused(() => Ledger.from(json, { key }), 'ledger-altered', 'bad-ledger', 'ledger-key');
        tried += i >= 0 ? 1 : 0;
      });
      assert.ok(tried > 1000);
      count('alterations', tried);
      // The order of keys and white space say nothing.
      Ledger.from(JSON.parse(JSON.stringify(good, null, 2)), { key });
      const shuffle = (v) => (Array.isArray(v) ? v.map(shuffle) : typeof v === 'object' && v !== null ? Object.fromEntries(Object.entries(v).reverse().map(([k, x]) => [k, shuffle(x)])) : v);
      Ledger.from(shuffle(good), { key });
    }
  });

  test(`${entry}: keys`, () => {
    const bytes = new TextEncoder().encode('secret');
    const { ledger, window, original } = story({ key: bytes });
    bytes.fill(0);
    const json = JSON.parse(JSON.stringify(ledger));
    assert.equal(json.keyed, true);
    assert.deepEqual(Ledger.from(json, { key: 'secret' }).unfold(window), original);
    assert.deepEqual(Ledger.from(json, { key: Buffer.from('secret') }).unfold(window), original);
    refused(() => Ledger.from(json), 'ledger-key');
    refused(() => Ledger.from(json, { key: 'Secret' }), 'ledger-key');
    refused(() => Ledger.from({ ...json, keyed: false }), 'ledger-altered', 'bad-ledger', 'ledger-key');
    const { keyed, ...unkeyed } = json;
    refused(() => Ledger.from(unkeyed), 'ledger-altered', 'bad-ledger');
    refused(() => Ledger.from(JSON.parse(JSON.stringify(story().ledger)), { key: 'secret' }), 'ledger-key');
    for (const key of ['', new Uint8Array(0), 5, {}, [], true, new DataView(new ArrayBuffer(0)), Symbol('k')]) refused(() => new Ledger({ key }), 'bad-argument');
    new Ledger({ key: null });
    new Ledger({ key: 'ключ 🔑 \ud800' });
    new Ledger({ key: 'x'.repeat(100_000) });
    const again = Ledger.from(json, { key: 'secret' });
    assert.deepEqual(JSON.parse(JSON.stringify(again)), json);
  });

  test(`${entry}: retention`, () => {
    for (const retention of ['reference', 'discard']) {
      const { ledger, window, original } = story({ retention });
      assert.ok(ledger.folds.every((f) => f.messages === undefined && f.retention === retention));
      const both = ledger.folds.map((f) => f.id);
      assert.deepEqual(ledger.missing(window).sort(), both.sort());
      refused(() => ledger.unfold(window), 'originals-missing');
      const text = JSON.stringify(ledger);
      assert.ok(!text.includes('question 1'), 'contents of discarded messages are in the ledger');
      const back = Ledger.from(JSON.parse(text));
      for (const book of [ledger, back]) {
        same(book.unfold(window, { originals: [...original].reverse() }), original);
        same(book.unfold(window, { originals: [...original, ...chat(4, 9000)] }), original);
        refused(() => book.unfold(window, { originals: original.slice(3) }), 'originals-missing');
        refused(() => book.unfold(window, { originals: [] }), 'originals-missing');
        refused(() => book.unfold(window, { originals: 5 }), 'bad-argument');
      }
    }
    const { ledger, window, original } = story({ retention: ['full', 'reference', 'full'], folds: 3 });
    assert.deepEqual(ledger.missing(window), [ledger.folds[1].id]);
    same(ledger.unfold(window, { originals: original }), original);
    assert.deepEqual(through(ledger).missing(window), [ledger.folds[1].id]);
    for (const bad of ['', 'keep', null, 5, {}, Symbol('r')]) {
      if (bad === null) continue;
      const p = plan(original, { tailBudget: 80 });
      refused(() => new Ledger().record({ messages: original, plan: p, digest: user('x'), retention: bad }), 'bad-argument');
    }
  });

  test(`${entry}: what is more than JSON comes back as what it was`, () => {
    const values = {
      date: new Date(1.7e12), old: new Date(-1), bad: new Date(NaN), bytes: new Uint8Array([0, 255, 128]), none: new Uint8Array(0), view: new Uint8Array(new ArrayBuffer(10), 3, 4).fill(7),
      clamped: new Uint8ClampedArray([1, 300]), floats: new Float64Array([1.5, NaN]), big: 2n ** 80n, negative: -5n, bigs: new BigInt64Array([1n, -1n]), data: new DataView(new ArrayBuffer(3)), buffer: new ArrayBuffer(5),
      url: new URL('https://example.invalid/a?b=c#d'), mark: { $plica: 'date', ms: 5 }, nested: [{ deep: [{ $plica: { $plica: 1n } }] }], large: new Uint8Array(300_000).map((_, i) => i * 31),
      map: new Map([['a', new Date(5)], [{ k: 1n }, new Set([undefined, NaN, -0, 'x'])]]), set: new Set([[new Map([[1, { $plica: 'map' }]])]]), empty: new Set(),
    };
    const strange = { role: 'user', content: 'strange', ...values, list: Object.values(values) };
    const { ledger, window, original } = story({ extra: [strange] });
    assert.ok(ledger.folds[0].messages.includes(strange));
    same(ledger.unfold(window), original);
    const back = through(ledger);
    const [, found] = back.unfold(window);
    const is = (a, b) => assert.equal(Object.prototype.toString.call(a), Object.prototype.toString.call(b));
    for (const [i, key] of Object.keys(values).entries()) {
      is(found[key], values[key]);
      if (key === 'bad') assert.ok([found.bad, found.list[i]].every((date) => date instanceof Date && Number.isNaN(date.getTime())));
      else assert.ok(isDeepStrictEqual([found[key], found.list[i]], [values[key], values[key]]), key);
    }
    assert.deepEqual(Object.keys(found), Object.keys(strange));
    assert.equal(fingerprint(found), fingerprint(strange));
    assert.deepEqual(JSON.parse(JSON.stringify(back)), JSON.parse(JSON.stringify(ledger)));
    const { ledger: withBuffer, window: w } = story({ extra: [{ role: 'user', content: 'b', b: Buffer.from('hello') }] });
    assert.equal(Buffer.from(through(withBuffer).unfold(w)[1].b).toString(), 'hello');
  });

  test(`${entry}: what has no JSON form is refused, not replaced in silence`, () => {
    for (const value of [new Blob(['abc'], { type: 'image/png' }), new SharedArrayBuffer(4), new WeakMap(), new Set([() => {}])]) {
      const { ledger, window, original } = story({ extra: [{ role: 'user', content: 'x', value }] });
      same(ledger.unfold(window), original); // in memory nothing is lost
      let json;
      try {
        json = JSON.parse(JSON.stringify(ledger));
      } catch (error) {
        assert.ok(error instanceof PlicaError && error.code === 'bad-message', String(error));
        continue;
      }
      const [, found] = Ledger.from(json).unfold(window);
      assert.equal(Object.prototype.toString.call(found.value), Object.prototype.toString.call(value), `became ${JSON.stringify(found.value)}`);
    }
  });

  test(`${entry}: what is handed out shares nothing, and a refused record leaves no trace`, () => {
    const { ledger, window, original } = story();
    const json = ledger.toJSON();
    json.folds[0].messages[0].content = 'changed';
    json.folds.length = 0;
    same(ledger.unfold(window), original);
    const before = JSON.stringify(ledger);
    const p = plan(original, { tailBudget: 80 });
    refused(() => ledger.record({ messages: original, plan: { ...p, keptFrom: 500 }, digest: user('x') }), 'plan-mismatch', 'bad-plan');
    refused(() => ledger.record({ messages: original, plan: p, digest: [] }), 'bad-argument');
    refused(() => ledger.record({ messages: original, plan: p, digest: null }), 'bad-argument');
    refused(() => ledger.record({ messages: original, plan: { kind: 'none', reason: 'nothing-to-fold' }, digest: user('x') }), 'nothing-to-fold');
    refused(() => ledger.record(), 'bad-argument');
    assert.equal(JSON.stringify(ledger), before);
    const circle = { role: 'user', content: 'x' };
    circle.self = circle;
    refused(() => ledger.record({ messages: [circle, ...original], plan: p, digest: user('x') }), 'bad-message');
    for (const bad of [undefined, null, 5, 'x', '{}', [], {}, { plica: 'ledger' }, { plica: 'ledger', version: 1 }, { plica: 'ledger', version: 1, folds: {}, seal: '' }, { plica: 'ledger', version: 9, folds: [], seal: '' }, before]) {
      refused(() => Ledger.from(bad), 'bad-ledger', 'ledger-altered');
    }
    assert.deepEqual(Ledger.from(JSON.parse(JSON.stringify(new Ledger()))).folds, []);
  });

  test(`${entry}: large ledgers`, () => {
    const messages = randomTranscript(5, FORMAT, { turns: 1200 });
    const ledger = new Ledger();
    let window = messages;
    for (let n = 0; n < 14; n++) {
      const p = plan(window, { format: FORMAT, tailBudget: plica.estimate(window, { format: FORMAT }).total * 0.85, ledger });
      if (p.kind !== 'fold') break;
      const digest = digestMessage(`GOAL: ${n}`, { format: FORMAT });
      ledger.record({ messages: window, plan: p, digest, format: FORMAT });
      window = fold(window, p, digest, { format: FORMAT });
    }
    assert.ok(ledger.folds.length > 8);
    same(ledger.unfold(window), messages);
    assert.deepEqual(through(ledger).unfold(window), messages);
  });
});
