// SPDX-License-Identifier: MIT OR Apache-2.0
//
// plica/store: the same tests on every database that can be had here. Where this Node has no node:sqlite, they run once more in one that
// has. PLICA_DATABASES=a,b tries only those, PLICA_SEEDS=n so many seeds.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { nodeOf } from '../scripts/runtimes.mjs';
import { closeDatabases, connect, openDatabases } from './support/databases.mjs';
import { forEachEntry, loaded } from './support/package.mjs';
import { FORMATS, Random, randomTranscript } from './support/random.mjs';
import { storyAfter, said } from './support/store-story.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const SEEDS = Number(process.env.PLICA_SEEDS ?? 3);
const ROUNDS = 150;
const KILLS = 12;

const { Ledger, PlicaError, Transcript, compact, digestMessage, fingerprint, fingerprints, fold, parseMessage, plan, reduce, repair, stringifyMessage, summaryFingerprint } = loaded.esm;
const user = (content, more) => ({ role: 'user', content, ...more });
const assistant = (content) => ({ role: 'assistant', content });
const coded = (...codes) => (error) => {
  assert.ok(error instanceof PlicaError, `${error?.stack}`);
  assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
  assert.ok(error.message.length > 10);
  return true;
};

after(closeDatabases);

// --- on every database ------------------------------------------------------------------------------------------------

for (const { name, why, fresh } of openDatabases()) {
  if (why !== undefined) {
    console.log(`# skipped, ${name}: ${why}`);
    test(`${name}`, { skip: why }, () => {});
    continue;
  }
  /** A test with a new database, which is closed at the end. */
  const tried = (title, run) => test(`${name}: ${title}`, async () => {
    const place = await fresh();
    const link = await connect(place);
    try {
      await run({ place, link, store: link.store(), count: counterOf(link) });
    } finally {
      await link.end().catch(() => {});
    }
  });

  for (const format of FORMATS) {
    tried(`${format}: what was stored is what there was, through folds, reductions, repairs and restarts`, async ({ link, store }) => {
      let records = 0;
      for (let seed = 0; seed < SEEDS; seed++) records += await roundTrip(format, seed, link, store);
      assert.ok(records > 0);
    });
  }

  tried('messages are kept exactly', async ({ store }) => {
    const messages = exactMessages();
    const version = await store.append('exact', messages, { version: '0' });
    const { messages: back, version: same } = await store.load('exact');
    assert.equal(same, version);
    assert.ok(isDeepStrictEqual(back, messages.map((m) => parseMessage(stringifyMessage(m)))));
    back.forEach((m, i) => assert.equal(stringifyMessage(m), stringifyMessage(messages[i])));
    assert.ok(back[3].content[0].data instanceof Uint8Array && back[3].at instanceof Date && back[3].n === 2n ** 70n && back[3].seen instanceof Map);
    assert.equal(Object.keys(back[1]).join(), 'zebra,role,content,apple');
    // Behind a fold as well.
    const ledger = new Ledger();
    const p = plan(messages, { format: 'openai-chat', tailBudget: 0, ledger });
    const digest = digestMessage('GOAL: exact', { format: 'openai-chat' });
    ledger.record({ messages, plan: p, digest });
    await store.save('exact', { messages: fold(messages, p, digest), ledger }, { version });
    const full = await store.load('exact', { originals: true });
    full.ledger.unfold(full.messages).forEach((m, i) => assert.equal(stringifyMessage(m), stringifyMessage(messages[i])));
  });

  tried('one message is stored once, in however many conversations and behind however many folds', async ({ store, count }) => {
    const messages = Array.from({ length: 12 }, (_, i) => (i % 2 ? assistant(`answer ${i}`) : user(`request ${i}`)));
    for (let n = 0; n < 10; n++) await store.append(`c${n}`, messages, { version: '0' });
    assert.equal(await count('messages'), 12);
    for (let n = 0; n < 10; n++) await foldOnce(store, `c${n}`, `GOAL: of ${n % 3}`);
    assert.equal(await count('messages'), 12 + 3, 'and three digests');
    // The same in all that a fingerprint sees, not in the rest: two.
    await store.append('ids', [user('request 0', { id: 'a' }), user('request 0', { id: 'b' })], { version: '0' });
    assert.equal(await count('messages'), 17);
    assert.equal(fingerprint(user('x', { id: 'a' })), fingerprint(user('x', { id: 'b' })));
    for (let n = 1; n < 10; n++) assert.equal(await store.delete(`c${n}`), true);
    assert.equal(await store.delete('c1'), false);
    const { messages: window, ledger } = await store.load('c0', { originals: true });
    assert.deepEqual(ledger.unfold(window), messages);
    await store.delete('c0');
    assert.deepEqual((await store.load('ids')).messages.map((m) => m.id), ['a', 'b']);
    assert.equal(await count('messages'), 2);
    await store.delete('ids');
    for (const table of ['messages', 'places', 'records', 'conversations']) assert.equal(await count(table), 0, table);
  });

  tried('a turn writes what came, however long the conversation is', async ({ store, count }) => {
    const tables = ['messages', 'places', 'records', 'conversations'];
    const counts = async () => Promise.all(tables.map((table) => count(table)));
    let version = await store.append('long', Array.from({ length: 3000 }, (_, i) => user(`m${i}`)), { version: '0' });
    const before = await counts();
    version = await store.append('long', said(1), { version });
    assert.deepEqual((await counts()).map((n, i) => n - before[i]), [2, 2, 0, 0]);
    const { ledger, messages } = await store.load('long');
    const transcript = Transcript.restore(messages, ledger, { format: 'openai-chat' });
    transcript.commit(transcript.plan({ tailBudget: 500 }), digestMessage('GOAL: long', { format: 'openai-chat' }));
    await store.save('long', transcript, { version });
    assert.deepEqual((await counts()).map((n, i) => n - before[i]), [3, 3, 1, 0], 'a fold writes its digest and its record, and moves the rest');
  });

  tried('who wrote first wins, the other is told, and nothing is lost', async ({ link, store }) => {
    const other = link.store();
    const a = await store.append('c', said(0), { version: '0' });
    await assert.rejects(other.append('c', said(1), { version: '0' }), coded('conflict'));
    const b = await other.append('c', said(1), { version: a });
    await assert.rejects(store.append('c', said(2), { version: a }), coded('conflict'));
    await assert.rejects(store.save('c', { messages: said(2), ledger: new Ledger() }, { version: a, forget: true }), coded('conflict'));
    await assert.rejects(store.delete('c', { version: a }), coded('conflict'));
    await assert.rejects(store.append('nowhere', said(0), { version: b }), coded('conflict'));
    assert.deepEqual((await store.load('c')).messages, [...said(0), ...said(1)]);
    // Deleted and made anew, it is another, however often it was written.
    assert.equal(await store.delete('c', { version: b }), true);
    await other.append('c', said(5), { version: '0' });
    await assert.rejects(store.append('c', said(2), { version: a }), coded('conflict'));
    const both = await Promise.allSettled([store, other].map((one, i) => one.append('new', said(i), { version: '0' })));
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    coded('conflict')(both.find(({ status }) => status === 'rejected').reason);
  });

  tried('what would be lost is refused', async ({ store }) => {
    let version = await store.append('c', [...said(0), ...said(1), ...said(2)], { version: '0' });
    const ledger = new Ledger();
    await assert.rejects(store.save('c', { messages: said(0), ledger }, { version }), coded('bad-argument'));
    assert.equal((await store.load('c')).version, version);
    version = await store.save('c', { messages: [...said(0), user('another')], ledger }, { version, forget: true });
    assert.deepEqual((await store.load('c')).messages, [...said(0), user('another')]);
    version = await foldOnce(store, 'c', 'GOAL: x');
    const { messages } = await store.load('c');
    await assert.rejects(store.save('c', { messages, ledger: new Ledger() }, { version }), coded('bad-ledger'));
    await assert.rejects(store.save('c', { messages, ledger: storyAfter(40).ledger }, { version }), coded('bad-ledger'));
    // Changed in place since it was recorded: could not be read again.
    const changing = [user('one'), assistant('two'), user('three'), assistant('four')];
    const mine = new Ledger();
    const p = plan(changing, { format: 'openai-chat', tailBudget: 0, ledger: mine });
    const digest = digestMessage('GOAL: y', { format: 'openai-chat' });
    mine.record({ messages: changing, plan: p, digest });
    const window = fold(changing, p, digest);
    changing[0].content = 'changed';
    await assert.rejects(store.save('d', { messages: window, ledger: mine }, { version: '0' }), coded('message-changed'));
    assert.equal((await store.load('d')).version, '0');
    for (const bad of [undefined, null, {}, { messages: [] }, { messages: 5, ledger: mine }]) await assert.rejects(store.save('d', bad, { version: '0' }), coded('bad-argument'));
    for (const bad of [undefined, {}, { version: 5 }]) await assert.rejects(store.append('d', [], bad), coded('bad-argument'));
    await assert.rejects(store.append('d', [user('x'), 5], { version: '0' }), coded('bad-message'));
    const circle = user('x');
    circle.self = circle;
    await assert.rejects(store.append('d', [circle], { version: '0' }), coded('bad-message', 'too-deep'));
    assert.equal((await store.load('d')).version, '0');
  });

  tried('originals are read when they are needed, and go along where a conversation becomes another', async ({ store }) => {
    const { messages, ledger, all } = await longStory(store, 'c', 30);
    const { records } = ledger;
    assert.ok(records.length > 2 && records.every((record) => record.messages === undefined && record.retention === 'reference'));
    for (const { id, record } of records) {
      const read = await store.originals('c', id);
      assert.ok(read.every((m) => record.span.includes(fingerprint(m))));
      const pieces = [];
      for (let from = 0; from < read.length; from += 2) pieces.push(...await store.originals('c', id, { from, limit: 2 }));
      assert.deepEqual(pieces, read);
      assert.deepEqual(await store.originals('c', id, { from: read.length + 5 }), []);
    }
    for (const bad of ['fold-99', '', 'x\0', '\ud800', "' OR 1=1 --"]) await assert.rejects(store.originals('c', bad), coded('originals-missing'));
    await assert.rejects(store.originals('nowhere', 'fold-1'), coded('originals-missing'));
    // A branch, of what was loaded without originals.
    const branch = Transcript.restore(messages, ledger).fork();
    branch.append([user('this way')]);
    const version = await store.save('branch', branch, { version: '0' });
    await store.delete('c');
    const full = await store.load('branch', { originals: true });
    assert.equal(full.version, version);
    assert.deepEqual(full.ledger.unfold(full.messages), [...all, user('this way')]);
    // Of one that is gone they cannot be had.
    await assert.rejects(store.save('late', { messages, ledger }, { version: '0' }), coded('originals-missing'));
    assert.equal((await store.load('late')).version, '0');
    // Nor of folds that discarded them.
    const discarded = await store.load('branch');
    const t = Transcript.restore([...discarded.messages, ...said(80), ...said(81)], discarded.ledger);
    t.commit(t.plan({ tailBudget: 0 }), digestMessage('GOAL: gone', { format: 'openai-chat' }), { retention: 'discard' });
    await store.save('branch', t, { version });
    await assert.rejects(store.originals('branch', t.ledger.records.at(-1).id), coded('originals-missing'));
  });

  tried('conversations with spans, of which some have no place, and some no messages', async ({ store }) => {
    const spring = user('[compacted history — 40 earlier messages]\nGOAL: spring');
    const harvest = user('[compacted history — 3 earlier messages]\nGOAL: harvest');
    const span = (summary, messages, more) => ({ summaryFingerprint: summaryFingerprint(summary.content), runId: 'r', iteration: 1, foldedAtMs: 5, model: 'm', messageCount: 40, removedStageIds: [], retained: 'discard', ...(messages ? { retained: 'conversation', messageCount: messages.length, messages } : {}), ...more });
    const behind = [spring, user('one'), assistant('two')];
    const conversation = { folded: [span(spring), span(harvest, behind), span(user('nowhere'), said(3))] };
    const messages = [harvest, ...said(4)];
    const ledger = Ledger.fromFolded(conversation, messages);
    const version = await store.save('spans', { messages, ledger }, { version: '0' });
    const full = await store.load('spans', { originals: true });
    assert.deepEqual(full.ledger.unplaced, ledger.unplaced);
    assert.equal(full.ledger.unplaced.length, 1);
    assert.deepEqual(full.ledger.missing(full.messages), ledger.missing(messages));
    assert.deepEqual(full.ledger.records.map(({ retention }) => retention), ['discard', 'full']);
    const lost = Array.from({ length: 40 }, (_, i) => user(`spring ${i}`));
    assert.deepEqual(full.ledger.unfold(full.messages, { originals: lost }), [...lost, ...behind.slice(1), ...said(4)]);
    assert.deepEqual(full.ledger.toJSON(), ledger.toJSON());
    assert.equal(await store.save('spans', await store.load('spans'), { version }) > version, true);
  });

  tried('a ledger with a key stays sealed', async ({ link }) => {
    const store = link.store({ key: 'of the shed' });
    const { all } = await longStory(store, 'c', 20);
    const { messages, ledger } = await store.load('c', { originals: true });
    assert.deepEqual(ledger.unfold(messages), all);
    assert.equal(JSON.parse(JSON.stringify(ledger)).keyed, true);
    // What could not be read again is not written.
    const plain = storyAfter(6);
    assert.ok(plain.ledger.records.length > 0);
    for (const [into, told] of [[store, plain], [link.store(), { messages, ledger }], [link.store({ key: 'another' }), { messages, ledger }]]) {
      await assert.rejects(into.save('d', told, { version: '0' }), coded('ledger-key'));
    }
    assert.equal((await store.load('d')).version, '0');
    await store.save('empty', { messages: said(1), ledger: new Ledger() }, { version: '0' });
    await assert.rejects(link.store().load('c'), coded('ledger-key'));
    await assert.rejects(link.store({ key: 'another' }).load('c'), coded('ledger-key'));
    // Whoever edits the database has not the key.
    const [{ body }] = await link.rows('SELECT body FROM plica_records WHERE number = 1');
    await link.rows('UPDATE plica_records SET body = ? WHERE number = 1', body.replace('"prefixEnd":0', '"prefixEnd":1'));
    assert.ok(body.includes('"prefixEnd":0'));
    await assert.rejects(store.load('c'), coded('ledger-key'));
    await link.rows('UPDATE plica_records SET body = ? WHERE number = 1', body);
    await store.load('c');
    // Nor may originals change, in what a fingerprint covers or not.
    const [{ hash, body: text }] = await link.rows('SELECT m.hash, m.body FROM plica_messages m JOIN plica_places p ON p.hash = m.hash WHERE p.taken = 1 ORDER BY p.place');
    for (const changed of [text.replace('request', 'demand'), text.replace('{', '{"id":"x",')]) {
      await link.rows('UPDATE plica_messages SET body = ? WHERE hash = ?', changed, hash);
      await assert.rejects(store.load('c', { originals: true }), coded('ledger-altered'));
      await assert.rejects(store.originals('c', 'fold-1'), coded('ledger-altered'));
    }
    // With the hash of the changed text in its place, the ledger sees it.
    const forged = text.replace('request', 'demand');
    await link.rows('INSERT INTO plica_messages (hash, body) VALUES (?, ?)', fingerprint(forged), forged);
    await link.rows('UPDATE plica_places SET hash = ? WHERE hash = ?', fingerprint(forged), hash);
    await assert.rejects(store.load('c', { originals: true }), coded('ledger-altered'));
  });

  tried('hostile ids and messages are data', async ({ link, store, count }) => {
    const ids = [
      "'; DROP TABLE plica_messages; --", '" OR ""="', '$1', '?', '%', '_', '\\', '\\x00', 'é', 'e\u0301', 'É', 'A', 'a', ' a', 'a ', '\u200b', '日本', '🌱', '\u{10ffff}', '\ud7ff', '\ue000',
      '__proto__', 'constructor', 'null', '0', '-1', '1e3', 'a/b', '../x', '\n', '\u0001', '\u2028', 'x'.repeat(512), '庭'.repeat(512), "robert'); --", '{"$plica":"bigint"}',
    ];
    for (const id of ids) {
      const messages = [user(id), user(`${id}\0\ud800`, { [id]: id, toString: 'x', $plica: 'bytes' }), assistant("'); DELETE FROM plica_places; --")];
      const version = await store.append(id, messages, { version: '0' });
      const back = await store.load(id);
      assert.equal(back.version, version);
      assert.equal(JSON.stringify(back.messages), JSON.stringify(messages), JSON.stringify(id));
      await foldOnce(store, id, `GOAL: ${id}`);
      const full = await store.load(id, { originals: true });
      assert.equal(JSON.stringify(full.ledger.unfold(full.messages)), JSON.stringify(messages));
    }
    assert.equal(await count('conversations'), ids.length);
    const bytes = (s) => Buffer.from(s);
    const sorted = [...ids].sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
    const listed = [];
    for (let after = ''; ;) {
      const page = await store.list({ after, limit: 7 });
      listed.push(...page.map(({ id }) => id));
      if (page.length < 7) break;
      after = page.at(-1).id;
    }
    assert.deepEqual(listed, sorted);
    for (const prefix of ['', 'a', '%', '_', "'", '\\', 'x', '\u{10ffff}', '\ud7ff', '庭庭', 'zz']) {
      assert.deepEqual((await store.list({ prefix })).map(({ id }) => id), sorted.filter((id) => id.startsWith(prefix)), JSON.stringify(prefix));
    }
    const [info] = await store.list({ prefix: 'A' });
    assert.deepEqual(Object.keys(info), ['id', 'version', 'messages', 'records', 'updated']);
    assert.ok(info.version === (await store.load('A')).version && info.updated > 0);
    for (const id of ['', 'x'.repeat(513), 'a\0b', '\ud800', 'a\udc00', 5, null, undefined, {}, ['a']]) {
      for (const call of [(s) => s.load(id), (s) => s.append(id, [], { version: '0' }), (s) => s.delete(id), (s) => s.originals(id, 'fold-1')]) await assert.rejects(call(store), coded('bad-argument'));
    }
    for (const version of ["0' OR 1=1", '1.1; DROP TABLE x', '\0', '']) await assert.rejects(store.append('a', [], { version }), coded('conflict'));
    for (const options of [{ limit: -1 }, { limit: 1.5 }, { prefix: 5 }, { after: '\0' }]) await assert.rejects(store.list(options), coded('bad-argument'));
    for (const prefix of ['x; DROP TABLE y', 'a"b', "a'b", '1a', 'a-b', 'ä', 'x'.repeat(41), 5]) assert.throws(() => link.store({ prefix }), coded('bad-argument'));
    assert.equal(await count('conversations'), ids.length);
    // Tables of another prefix are another store.
    const other = link.store({ prefix: 'Other_' });
    assert.deepEqual(await other.list(), []);
    await other.append('a', [user('elsewhere')], { version: '0' });
    assert.deepEqual((await link.store({ prefix: 'Other_' }).load('a')).messages, [user('elsewhere')]);
    for (const id of ids) await store.delete(id);
    assert.equal(await count('messages'), 0);
  });

  tried('any window becomes any other', async ({ store }) => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const r = new Random(seed + 50);
      const pool = Array.from({ length: 8 }, (_, i) => user(`m${i}`));
      const ledger = new Ledger();
      let version = '0';
      let window = [];
      for (let step = 0; step < 60; step++) {
        if (r.chance(0.3)) {
          const more = Array.from({ length: r.below(4) }, () => r.pick(pool));
          version = await store.append(`w${seed}`, more, { version });
          window = [...window, ...more];
        } else {
          const at = r.below(window.length + 1);
          const put = Array.from({ length: r.below(3) }, () => r.pick(pool));
          window = [...window.slice(0, at), ...put, ...window.slice(at + r.below(3))];
          if (r.chance(0.2)) window.reverse();
          version = await store.save(`w${seed}`, { messages: window, ledger }, { version, forget: true });
        }
        assert.deepEqual((await store.load(`w${seed}`)).messages, window, `seed ${seed}, step ${step}`);
      }
    }
  });

  tried('so many insertions in one place that there is no room between its neighbours', async ({ store }) => {
    let window = [user('first'), user('last')];
    let version = await store.append('w', window, { version: '0' });
    for (let n = 0; n < 60; n++) {
      window = [window[0], user(`n${n}`), ...window.slice(1)];
      version = await store.save('w', { messages: window, ledger: new Ledger() }, { version });
    }
    await store.append('w', [user('end')], { version });
    assert.deepEqual((await store.load('w')).messages, [...window, user('end')]);
  });

  tried('whatever statement fails, nothing is half-written, and the next call works', async ({ link, store }) => {
    const ACTS = {
      append: ({ s, id, version }) => s.append(id, said(70), { version }),
      save: ({ s, id, version, transcript }) => s.save(id, transcript, { version }),
      create: ({ s }) => s.append('new', said(70), { version: '0' }),
      delete: ({ s, id, version }) => s.delete(id, { version }),
      load: ({ s, id }) => s.load(id, { originals: true }),
    };
    for (const [act, run] of Object.entries(ACTS)) {
      const { messages, ledger, version } = await longStory(store, act, 9);
      const transcript = Transcript.restore([...messages, ...said(60), ...said(61)], ledger);
      transcript.commit(transcript.plan({ tailBudget: 0 }), digestMessage('GOAL: failing', { format: 'openai-chat' }));
      const before = JSON.stringify(await store.load(act, { originals: true }));
      let at = 0;
      for (; ; at++) {
        const faulty = failing(name, link.client, at);
        // The same store for what fails and what comes next.
        const s = link.store(undefined, faulty.client);
        // Of its first call the asking for tables is part.
        if (at % 2) await s.list();
        faulty.arm();
        const error = await run({ s, id: act, version, transcript }).then(() => undefined, (e) => e);
        if (!faulty.failed()) {
          assert.equal(error, undefined, String(error?.stack));
          break;
        }
        coded('store-failed')(error);
        assert.match(error.message, /disk is full.*nothing was written/);
        assert.equal(error.cause.message, 'disk is full');
        assert.equal(JSON.stringify(await s.load(act, { originals: true })), before, `${act}, statement ${at}`);
        assert.equal((await s.load('new')).version, '0');
      }
      assert.ok(at > 3, `${act}: ${at}`);
      for (const { id } of await store.list()) await store.delete(id);
    }
  });

  tried('two servers write one conversation at once: whatever was said is there, once', async ({ place, store }) => {
    const racers = ['anna', 'bert'].map((racer, i) => child({ act: 'race', place, id: 'race', name: racer, rounds: ROUNDS, seed: 11 + i }));
    const ends = await Promise.all(racers.map(({ end }) => end));
    const { messages, ledger } = await store.load('race', { originals: true });
    const all = ledger.unfold(messages).map(({ content }) => content);
    let conflicts = 0;
    for (const { output, code, errors } of ends) {
      assert.equal(code, 0, errors);
      const told = JSON.parse(output);
      conflicts += told.conflicts;
      const [own] = told.appended[0].split(' ');
      assert.deepEqual(all.filter((content) => content.startsWith(`${own} `)), told.appended, 'each in the order in which it was said');
    }
    assert.equal(all.length, ends.reduce((sum, { output }) => sum + JSON.parse(output).appended.length, 0));
    assert.ok(ledger.folds.length > ROUNDS / 10, `${ledger.folds.length} folds`);
    console.log(`# ${name}: ${all.length} messages, ${ledger.folds.length} folds, ${conflicts} conflicts`);
  });

  tried('the same messages are stored and deleted at once', async ({ link, count }) => {
    const r = new Random(3);
    const servers = [link.store(), link.store(), link.store()];
    const pool = Array.from({ length: 6 }, (_, i) => user(`shared ${i}`));
    await servers[0].list();
    for (let round = 0; round < 60; round++) {
      // Each has a conversation of its own, and all of them the same messages.
      await Promise.all(servers.map(async (store, i) => {
        const messages = Array.from({ length: 1 + r.below(6) }, () => r.pick(pool));
        const { version } = await store.load(`s${i}`);
        if (version !== '0') await store.delete(`s${i}`, { version });
        await store.append(`s${i}`, messages, { version: '0' });
        assert.deepEqual((await store.load(`s${i}`)).messages, messages, `round ${round}`);
      }));
    }
    for (const i of servers.keys()) await servers[0].delete(`s${i}`);
    assert.equal(await count('messages'), 0);
  });

  if (name === 'postgresql') {
    tried('a connection is lost while it commits: then nobody knows, and the error says so', async ({ link, store }) => {
      const { version } = await longStory(store, 'c', 3);
      let known = version;
      for (const reached of [true, false]) {
        const lossy = {
          connect: async () => {
            const real = await link.client.connect();
            let lost = false;
            return {
              query: async (sql, values) => {
                if (lost) throw new Error('Connection terminated');
                if (sql !== 'COMMIT' || !armed) return real.query(sql, values);
                lost = true;
                if (reached) await real.query(sql);
                throw new Error('Connection terminated unexpectedly');
              },
              release: () => real.release(lost),
              on: (...args) => real.on(...args),
              removeListener: (...args) => real.removeListener(...args),
            };
          },
        };
        let armed = false;
        const unlucky = link.store(undefined, lossy);
        await unlucky.list();
        armed = true;
        await assert.rejects(unlucky.append('c', said(9), { version: known }), (error) => coded('store-failed')(error) && /is not known/.test(error.message));
        armed = false;
        const now = await unlucky.load('c');
        assert.equal(now.version !== known, reached);
        known = now.version;
      }
      const { messages, ledger } = await store.load('c', { originals: true });
      assert.equal(ledger.unfold(messages).length, 8);
    });
  }

  tried('a writer is killed at any moment: the conversation is as it was before or after', async ({ place, link, store }) => {
    const r = new Random(7);
    let done = 0;
    for (let n = 0; n < KILLS; n++) {
      const writer = child({ act: 'write', place, id: 'story' });
      const wanted = 1 + r.below(12);
      await writer.lines(wanted);
      await sleep(r.below(8));
      writer.kill();
      const { output, errors } = await writer.end;
      const told = output.split('\n').filter(Boolean).map(Number);
      assert.ok(told.length >= wanted, errors);
      assert.equal(told[0], done, 'it went on where the last one was killed');
      const { messages, ledger } = await store.load('story', { originals: true });
      const all = ledger.unfold(messages);
      done = all.length / 2;
      assert.ok(done === told.at(-1) + 1 || done === told.at(-1) + 2, `${done} steps are there, ${told.at(-1) + 1} were told`);
      const expected = storyAfter(done);
      assert.deepEqual(messages, expected.messages);
      assert.deepEqual(all, expected.ledger.unfold(expected.messages));
      assert.equal(JSON.stringify(ledger), JSON.stringify(Ledger.from(JSON.parse(JSON.stringify(expected.ledger)))));
      // The next call works, and nothing is there that belongs to nobody.
      await store.append('other', said(n), { version: (await store.load('other')).version });
      const [{ n: unused }] = await link.rows('SELECT count(*) AS n FROM plica_messages m WHERE NOT EXISTS (SELECT 1 FROM plica_places p WHERE p.hash = m.hash)');
      assert.equal(Number(unused), 0);
    }
    console.log(`# ${name}: ${KILLS} writers killed, ${done} steps`);
  });

  tried('the database goes away and comes back', async ({ place, link, store }) => {
    const { all, version } = await longStory(store, 'c', 12);
    if (name === 'postgresql') {
      // Every connection of the server is cut: while nothing happens, and while a statement waits.
      const cut = async () => {
        const other = await connect({ ...place, database: 'postgres' });
        await other.rows('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?', place.database);
        await other.end();
      };
      await cut();
      let written = version;
      let failures = 0;
      for (let n = 0; n < 20; n++) {
        const blocker = await blocking(link.client);
        const waiting = store.append('c', [user(`cut ${n}`)], { version: written }).then((v) => ({ v }), (error) => ({ error }));
        await sleep(n % 8);
        await cut();
        blocker.release(true);
        const { error, v } = await waiting;
        // It may have come to the database only then, or have been cut while it committed: nobody knows, and the error says so.
        const unknown = error !== undefined && /is not known/.test(error.message);
        const done = error === undefined || (unknown && (await store.load('c')).version !== written);
        if (done) {
          written = v ?? (await store.load('c')).version;
          all.push(user(`cut ${n}`));
        }
        if (error !== undefined) {
          failures++;
          coded('store-failed')(error);
          assert.ok(unknown || /nothing was written/.test(error.message), error.message);
        }
        assert.equal((await store.load('c')).version, written);
        written = await store.append('c', [user(`after ${n}`)], { version: written });
        all.push(user(`after ${n}`));
      }
      assert.ok(failures > 0);
      const { messages, ledger } = await store.load('c', { originals: true });
      assert.deepEqual(ledger.unfold(messages), all);
    } else {
      // Another writer has the file.
      const impatient = await connect({ ...place, busy: 1 });
      const blocked = impatient.store({ busyTimeoutMs: 5 });
      await blocked.list();
      for (const held of ['BEGIN IMMEDIATE', 'BEGIN EXCLUSIVE']) {
        link.client.exec(held);
        await assert.rejects(blocked.append('c', said(50), { version }), coded('store-busy'));
        await assert.rejects(blocked.delete('c'), coded('store-busy'));
        assert.equal((await blocked.load('c')).version, version, 'readers go on');
        link.client.exec('ROLLBACK');
      }
      const next = await blocked.append('c', said(50), { version });
      // Closed under its feet.
      await impatient.end();
      for (const call of [(s) => s.load('c'), (s) => s.append('c', said(51), { version: next }), (s) => s.list()]) await assert.rejects(call(blocked), coded('store-failed'));
      const { messages, ledger } = await store.load('c', { originals: true });
      assert.deepEqual(ledger.unfold(messages), [...all, ...said(50)]);
      // In a transaction of the program's own: refused, and the transaction is left to it.
      link.client.exec('BEGIN');
      await assert.rejects(store.append('c', said(51), { version: next }), coded('store-failed'));
      assert.equal((await store.load('c').catch(() => ({}))).version ?? next, next);
    }
  });

  if (name !== 'postgresql') {
    for (const mode of ['WAL', 'DELETE']) {
      test(`${name}: a database that another process has locked is waited for, and the program goes on meanwhile (${mode})`, async () => {
        const place = { ...(await fresh()), mode };
        // The connection's own busy timeout would block for as long.
        const link = await connect({ ...place, busy: 4000 });
        const store = link.store();
        const version = await store.append('c', [user('first')], { version: '0' });
        const other = child({ act: 'hold', place, ms: 1000 });
        await other.lines(1);
        let [ticks, last, longest] = [0, performance.now(), 0];
        const timer = setInterval(() => {
          longest = Math.max(longest, performance.now() - last);
          last = performance.now();
          ticks++;
        }, 5);
        const began = performance.now();
        const next = await store.append('c', [user('second')], { version });
        const waited = performance.now() - began;
        clearInterval(timer);
        assert.ok(waited > 400, `${waited} ms`);
        assert.ok(ticks > 20 && longest < 400, `${ticks} ticks, ${longest} ms without one`);
        assert.equal((await store.load('c')).version, next);
        assert.deepEqual((await store.load('c')).messages, [user('first'), user('second')]);
        assert.equal((await other.end).code, 0);
        // The connection is as its owner has set it up.
        assert.deepEqual(await link.rows('PRAGMA busy_timeout'), [{ timeout: 4000 }]);
        await link.end();
      });

      test(`${name}: a lock that never goes away is told in time (${mode})`, async () => {
        const place = { ...(await fresh()), mode };
        const link = await connect({ ...place, busy: 60_000 });
        const version = await link.store().append('c', [user('first')], { version: '0' });
        const other = child({ act: 'hold', place, ms: 120_000 });
        await other.lines(1);
        for (const busyTimeoutMs of [0, 300]) {
          const store = link.store({ busyTimeoutMs });
          const began = performance.now();
          await assert.rejects(store.append('c', [user('second')], { version }), coded('store-busy'));
          await assert.rejects(store.delete('c'), coded('store-busy'));
          const waited = performance.now() - began;
          assert.ok(waited >= 2 * busyTimeoutMs && waited < 2 * busyTimeoutMs + 3000, `${waited} ms`);
        }
        other.kill();
        await other.end;
        const next = await link.store().append('c', [user('second')], { version });
        assert.notEqual(next, version);
        await link.end();
      });
    }

    test(`${name}: busyTimeoutMs must be a number`, async () => {
      const { client, end } = await connect(await fresh());
      for (const busyTimeoutMs of [-1, NaN, 'x', {}]) assert.throws(() => loaded.stores.esm.sqliteStore(client, { busyTimeoutMs }), coded('bad-argument'));
      await end();
    });
  }

  tried('tables of version 1 become those of today, and newer ones are refused', async ({ link }) => {
    const { tables, rows, unfolded } = JSON.parse(readFileSync(join(HERE, 'fixtures/store-1.json'), 'utf8'));
    for (const sql of tables[name === 'postgresql' ? 'postgresql' : 'sqlite']) await link.rows(sql);
    for (const [table, list] of Object.entries(rows)) {
      for (const row of list) {
        const columns = Object.keys(row);
        const always = name === 'postgresql' && table === 'plica_conversations' ? ' OVERRIDING SYSTEM VALUE' : '';
        await link.rows(`INSERT INTO ${table} (${columns.join(', ')})${always} VALUES (${columns.map(() => '?').join(', ')})`, ...Object.values(row));
      }
    }
    if (name === 'postgresql') await link.rows("SELECT setval(pg_get_serial_sequence('plica_conversations', 'number'), 10)");
    // Several servers start at once.
    const stores = [link.store(), link.store(), link.store()];
    for (const list of await Promise.all(stores.map((one) => one.list()))) assert.deepEqual(list.map(({ id, updated }) => [id, updated]), Object.keys(unfolded).sort().map((id) => [id, 0]));
    for (const [id, expected] of Object.entries(unfolded)) {
      const { messages, ledger, version } = await stores[0].load(id, { originals: true });
      assert.deepEqual(ledger.unfold(messages), expected);
      assert.ok(ledger.records.length > 0);
      await stores[1].append(id, [user('since')], { version });
      const after = await foldOnce(stores[2], id, 'GOAL: since');
      assert.ok(after);
      const full = await stores[0].load(id, { originals: true });
      assert.deepEqual(full.ledger.unfold(full.messages), [...expected, user('since')]);
    }
    const [{ version }] = await link.rows('SELECT version FROM plica_schema');
    assert.ok(Number(version) >= 2);
    await link.rows('UPDATE plica_schema SET version = 99');
    await stores[0].list();
    for (const call of [(s) => s.load('x'), (s) => s.append('x', [], { version: '0' })]) {
      await assert.rejects(call(link.store()), (error) => coded('store-newer')(error) && /99/.test(error.message));
    }
  });
}

// --- without a database ------------------------------------------------------------------------------------------------

forEachEntry((entry, plica, store) => {
  test(`${entry}: what is no database is refused, and the entries share one core`, () => {
    for (const bad of [undefined, null, {}, 5, 'x.db', { exec: 5 }]) {
      for (const make of [store.sqliteStore, store.postgresStore]) assert.throws(() => make(bad), (error) => error instanceof plica.PlicaError && error.code === 'bad-argument');
    }
    assert.deepEqual(Object.keys(store).filter((key) => key !== 'default').sort(), ['postgresStore', 'sqliteStore']);
  });

  test(`${entry}: originals by reference`, () => {
    const { ledger, messages } = storyAfter(30);
    const mine = plica.Ledger.from(JSON.parse(JSON.stringify(ledger)));
    const all = mine.unfold(messages);
    const light = mine.toReferences();
    assert.ok(!JSON.stringify(light).includes('request'));
    const kept = new Map(mine.records.map((record) => [record.id, record.messages]));
    const back = plica.Ledger.from(light, { originals: kept });
    assert.ok(back.unfold(messages).every((m, i) => m === all[i]));
    assert.deepEqual(back.toReferences(), light);
    assert.deepEqual(back.toJSON(), mine.toJSON());
    assert.deepEqual(new Set(plica.Ledger.from(light).missing(messages)), new Set(mine.records.map(({ id }) => id)));
    const wrong = (error) => error instanceof plica.PlicaError && error.code === 'ledger-altered';
    assert.throws(() => plica.Ledger.from(light, { originals: new Map([['fold-1', [...kept.get('fold-1')].reverse()]]) }), wrong);
    assert.throws(() => plica.Ledger.from(light, { originals: new Map([['fold-1', []]]) }), wrong);
    assert.throws(() => plica.Ledger.from({ ...light, folds: light.folds.slice(1) }), wrong);
    assert.throws(() => plica.Ledger.from(light, { originals: {} }), (error) => error.code === 'bad-argument');
  });

  test(`${entry}: messages as texts`, () => {
    for (const message of exactMessages()) {
      const text = plica.stringifyMessage(message);
      assert.equal(plica.stringifyMessage(plica.parseMessage(text)), text);
    }
    const codes = (fn, code) => assert.throws(fn, (error) => error instanceof plica.PlicaError && error.code === code);
    codes(() => plica.stringifyMessage(5), 'bad-message');
    codes(() => plica.stringifyMessage({ get x() { throw new Error('no'); } }), 'bad-message');
    codes(() => plica.parseMessage('{'), 'bad-json');
    codes(() => plica.parseMessage('5'), 'bad-json');
    codes(() => plica.parseMessage('{"$plica":"?"}'), 'bad-ledger');
  });
});

// --- where this Node has no node:sqlite ---------------------------------------------------------------------------------

if (process.env.PLICA_DATABASES === undefined && !process.getBuiltinModule?.('node:sqlite')) {
  test('node:sqlite, in a Node that has it', async (t) => {
    let node;
    try {
      node = nodeOf(24);
    } catch (error) {
      console.log(`# skipped, node:sqlite: ${error.message}`);
      return t.skip(error.message);
    }
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const run = spawn(node, [fileURLToPath(import.meta.url)], { env: { ...env, PLICA_DATABASES: 'node:sqlite', NODE_OPTIONS: '' } });
    let output = '';
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (data) => { output += data; });
    const code = await new Promise((done) => { run.on('close', done); });
    assert.equal(code, 0, output);
    assert.match(output, /node:sqlite: two servers write one conversation/);
    for (const line of output.split('\n').filter((text) => text.startsWith('# node:sqlite'))) console.log(line);
    return undefined;
  });
}

// --- helpers ------------------------------------------------------------------------------------------------------------

/** A conversation of a format goes through a store; gives the number of its records. */
async function roundTrip(format, seed, link, store) {
  const r = new Random(seed * 31 + FORMATS.indexOf(format));
  const id = `${format}/${seed}`;
  const source = randomTranscript(seed, format, { turns: 30, malformed: r.pick([0, 0, 0.3]) });
  let [version, window, ledger, given, behind] = ['0', [], new Ledger(), 0, 0];
  const all = [];
  const kept = new Set();
  while (given < source.length) {
    const more = source.slice(given, (given += 1 + r.below(6)));
    all.push(...more);
    window = [...window, ...more];
    const dice = r.below(10);
    const before = ledger.records.length;
    const retention = r.chance(0.8) ? 'full' : r.pick(['reference', 'discard']);
    if (dice < 3) window = folded(window, ledger, format, r, retention);
    else if (dice === 3) window = repaired(window, ledger, format, retention);
    else if (dice === 4) window = reduce(window, { format, ledger, target: 0, clear: { keep: 1, protect: 0, minGain: 0 }, retention }).messages;
    for (const record of ledger.records.slice(before)) if (record.retention === 'full') kept.add(record.id);
    if (ledger.records.length === before && behind === 0) version = await store.append(id, more, { version });
    // Several records and messages at once.
    else if (r.chance(0.3) && given < source.length) {
      behind++;
      continue;
    } else {
      version = await store.save(id, { messages: window, ledger }, { version });
      behind = 0;
    }
    const label = `${format}, seed ${seed}, ${given} messages`;
    const light = await store.load(id);
    assert.equal(light.version, version, label);
    const texts = (messages) => messages.map((m) => stringifyMessage(m));
    assert.ok(isDeepStrictEqual(texts(light.messages), texts(window)), `${label}: the window`);
    const full = await store.load(id, { originals: true });
    assert.deepEqual(full.ledger.records.map((x) => [x.id, x.retention]), ledger.records.map((x) => [x.id, kept.has(x.id) ? 'full' : x.retention]), label);
    const back = full.ledger.unfold(full.messages, { originals: all });
    // What the ledger does not hold is found by its fingerprint, which does not know every id.
    const exact = kept.size === ledger.records.length ? texts : fingerprints;
    assert.ok(isDeepStrictEqual(exact(back), exact(all)), `${label}: unfolded`);
    // A restart: what was loaded goes on, with its originals or without them.
    if (r.chance(0.4)) ({ messages: window, ledger } = r.chance(0.5) ? light : full);
  }
  return ledger.records.length;
}

function folded(window, ledger, format, r, retention) {
  const p = plan(window, { format, tailBudget: r.below(400), ledger });
  if (p.kind === 'none') return window;
  const digest = digestMessage(`GOAL: ${r.below(4)}`, { format });
  ledger.record({ messages: window, plan: p, digest, retention });
  return fold(window, p, digest);
}

function repaired(window, ledger, format, retention) {
  const { messages, edits } = repair(window, { format });
  ledger.recordEdit({ kind: 'repair', messages: window, edits, retention, format });
  return messages;
}

/** Folds a stored conversation to its digest; gives the new version. */
async function foldOnce(store, id, summary) {
  const { messages, ledger, version } = await store.load(id);
  const p = plan(messages, { format: 'openai-chat', tailBudget: 0, ledger });
  assert.equal(p.kind, 'fold');
  const digest = digestMessage(summary, { format: 'openai-chat' });
  ledger.record({ messages, plan: p, digest, outcome: 'summarized' });
  return store.save(id, { messages: fold(messages, p, digest), ledger }, { version });
}

/** A conversation that is stored turn by turn, folded by rules; loaded again, with all that was said. */
async function longStory(store, id, turns) {
  const all = [];
  for (let turn = 0; turn < turns; turn++) {
    const { messages, ledger, version } = await store.load(id);
    const transcript = Transcript.restore(messages, ledger, { format: 'openai-chat', window: 400 });
    transcript.append(said(turn));
    all.push(...said(turn));
    if (turn % 4 !== 3) await store.append(id, said(turn), { version });
    else {
      await compact(transcript, { tailBudget: 40, minGain: 1, summarize: () => `GOAL: the garden\nSTATE: turn ${turn}\nDECISIONS: none\nCONSTRAINTS: none\nFILES: none\nNEXT: go on` });
      await store.save(id, transcript, { version });
    }
    transcript.free();
  }
  return { ...(await store.load(id)), all };
}

function exactMessages() {
  const own = JSON.parse('{"role":"user","content":"own","__proto__":{"x":1}}');
  return [
    user('plain \u2028 \0 \ud800 🌱', { n: [1.5, -0, 1e21, 12345678901234567000, 0.1], empty: {}, list: [[]], nothing: null, yes: true }),
    { zebra: 1, role: 'assistant', content: 'order', apple: { b: 1, a: 2 } },
    own,
    user([{ type: 'file', data: new Uint8Array([0, 255, 7]) }], { at: new Date(5), n: 2n ** 70n, seen: new Map([['k', new Set([1, 'x'])]]), url: new URL('https://example.org/?q=1') }),
    user('a mark of ours', { $plica: 'bigint', text: '5' }),
    assistant('x'.repeat(3_000_000)),
    user(''),
  ];
}

function counterOf(link) {
  return async (table) => Number((await link.rows(`SELECT count(*) AS n FROM plica_${table}`))[0].n);
}

/** A client of which the statement of this number fails, counted from when it is armed; all others run. */
function failing(name, client, at) {
  let [left, failed] = [Infinity, false];
  const next = () => {
    if (left-- !== 0) return;
    failed = true;
    throw new Error('disk is full');
  };
  const statement = (real) => ({ all: (...values) => (next(), real.all(...values)), run: (...values) => (next(), real.run(...values)) });
  // What the store asks of the connection itself is none of a transaction.
  const isSetting = (sql) => sql.startsWith('PRAGMA');
  const sqlite = { exec: (sql) => (isSetting(sql) || next(), client.exec(sql)), prepare: (sql) => (isSetting(sql) ? client.prepare(sql) : statement(client.prepare(sql))) };
  const pool = {
    connect: async () => {
      next();
      const real = await client.connect();
      return {
        query: async (...args) => {
          // One that fails with its first statement is taken for a connection that was cut, and another one is asked for.
          if (!args[0].startsWith('BEGIN')) next();
          return real.query(...args);
        },
        release: (error) => real.release(error),
        on: (...args) => real.on(...args),
        removeListener: (...args) => real.removeListener(...args),
      };
    },
  };
  return { client: name === 'postgresql' ? pool : sqlite, arm: () => { left = at; }, failed: () => failed };
}

/** A connection that holds all conversations; one that the server has cut, unnoticed so far, is left. */
async function blocking(pool) {
  for (;;) {
    const client = await pool.connect();
    client.on('error', () => {});
    try {
      await client.query('BEGIN');
      await client.query('SELECT * FROM plica_conversations FOR UPDATE');
      return client;
    } catch {
      client.release(true);
    }
  }
}

/** A server in a process of its own. */
function child(task) {
  const run = spawn(process.execPath, [join(HERE, 'support/store-process.mjs'), JSON.stringify(task)]);
  let [output, errors] = ['', ''];
  let waiting;
  const lines = () => output.split('\n').length - 1;
  run.stdout.on('data', (data) => {
    output += data;
    if (waiting && lines() >= waiting.count) waiting.done();
  });
  run.stderr.on('data', (data) => { errors += data; });
  const end = new Promise((done) => { run.on('close', (code) => done({ code, output, errors })); });
  return {
    end,
    kill: () => run.kill('SIGKILL'),
    lines: (count) => Promise.race([end, new Promise((done) => { waiting = { count, done }; if (lines() >= count) done(); })]),
  };
}
