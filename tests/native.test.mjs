// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Folds written into session files the way the files' own programs write them: nothing of the file changes, the program's window
// is ours, what was folded comes back from the file alone. PLICA_SEEDS=n runs n seeds of each kind.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { forEachEntry } from './support/package.mjs';
import { Random, randomTranscript } from './support/random.mjs';
import { count, shared } from './support/shared.mjs';
import { faultsAdded } from './support/validate.mjs';

const SEEDS = Number(process.env.PLICA_SEEDS ?? 60);
const TIME = '2026-03-04T05:06:07.000Z';
const lines = (records) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const same = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;
const codes = (session) => session.problems.map(({ code }) => code);

/** For each kind: the format of its messages; the file of a conversation; the lines that its program would append to a file. */
const KINDS = {
  'claude-code': {
    format: 'anthropic',
    file: (messages) => lines(chain(null, messages, 'u')),
    more: (text, messages, round) => lines(chain(lastUuid(text), messages, `r${round}-`)),
  },
  codex: {
    format: 'openai-responses',
    file: (messages) => lines([{ timestamp: TIME, type: 'session_meta', payload: { id: 's', timestamp: TIME, cwd: '/garden' } }, ...rollout(messages)]),
    more: (text, messages) => lines(rollout(messages)),
  },
  pi: {
    format: 'pi',
    file: (messages) => lines([{ type: 'session', version: 3, id: 's', timestamp: TIME, cwd: '/garden' }, ...entries(null, messages, 'e')]),
    more: (text, messages, round) => lines(entries(JSON.parse(text.trimEnd().split('\n').pop()).id, messages, `r${round}-`)),
  },
};

function chain(parent, messages, prefix) {
  return messages.map((message, i) => {
    const record = { type: message.role === 'assistant' ? 'assistant' : 'user', uuid: `${prefix}${i}`, parentUuid: parent, sessionId: 's', cwd: '/garden', version: '2.1.0', timestamp: TIME, message: message.role === 'assistant' ? { id: `m-${prefix}${i}`, ...message } : message };
    parent = record.uuid;
    return record;
  });
}

/** The program goes on behind the last line that it knows: of a fold that keeps lines, behind the last of those. */
function lastUuid(text) {
  const records = text.trimEnd().split('\n').map((line) => JSON.parse(line));
  const boundary = records.findLast((record) => record.subtype === 'compact_boundary');
  return boundary?.compactMetadata.preservedMessages.uuids.at(-1) ?? records.at(-1).uuid;
}

function rollout(items) {
  return items.map((payload) => ({ timestamp: TIME, type: 'response_item', payload }));
}

function entries(parent, messages, prefix) {
  return messages.map((message, i) => {
    const entry = { type: 'message', id: `${prefix}${i}`, parentId: parent, timestamp: TIME, message };
    parent = entry.id;
    return entry;
  });
}

forEachEntry((entry, { PlicaError, Ledger, check, foldSession, readSession, unfoldSession }) => {
  /** Folds a file several times over, going on in between as its program would. */
  function goOn(kind, text, r, appended) {
    const { format, more } = KINDS[kind];
    let file = text;
    let session = readSession(file);
    let all = session.ledger.unfold(session.messages);
    for (let round = 0; round < 3; round++) {
      const pins = kind === 'pi' ? {} : { anchorTask: r.chance(0.3), anchorRequest: r.chance(0.3) };
      const options = { tailBudget: r.pick([0, 200, 1000, 5000, r.below(20_000)]), keepTurns: r.below(3), ...pins, native: true };
      const result = foldSession(file, options);
      if (result.session === null) continue;
      const written = new TextDecoder().decode(result.session);
      assert.ok(written.startsWith(file), 'the file changed');
      assert.deepEqual([result.conversation, result.ledger], [null, null]);
      const after = readSession(written);
      assert.deepEqual(codes(after), codes(session));
      assert.equal(after.messages.length, result.report.messagesAfter);
      assert.equal(after.folds.length, session.folds.length + 1);
      assert.deepEqual(faultsAdded(session.messages, after.messages, format), []);
      assert.deepEqual(check(after.messages, { format }).length <= check(session.messages, { format }).length, true);
      assert.deepEqual(after.ledger.unfold(after.messages), all);
      assert.deepEqual(Ledger.from(JSON.parse(JSON.stringify(after.ledger))).unfold(after.messages), all);
      const { originals, before, kept, digest } = after.folds.at(-1);
      assert.equal(after.ledger.lookup(digest[0]).messages.length, originals.length - before.length - kept.length);
      const back = unfoldSession(result.session);
      assert.ok(back.exact && same(back.bytes, Buffer.from(file)), 'taken off to the byte');
      count(`${kind} folds written`);
      const next = appended(round);
      file = written + more(written, next, round);
      session = readSession(file);
      assert.deepEqual(session.messages.slice(after.messages.length), next, JSON.stringify(codes(session)));
      all = [...all, ...next];
      const whole = unfoldSession(file);
      assert.equal(whole.exact, false);
      assert.ok(isDeepStrictEqual(JSON.parse(new TextDecoder().decode(whole.bytes)), all));
    }
    return all;
  }

  for (const kind of Object.keys(KINDS)) {
    test(`${entry} ${kind}: folded, gone on with, folded again`, () => {
      const { format, file } = KINDS[kind];
      for (let seed = 0; seed < SEEDS; seed++) {
        const r = new Random(seed + 900);
        const tidy = (list) => list.filter((message) => message.role !== 'system' && !(message.role === 'assistant' && [''].flat().includes(message.content)));
        const transcript = tidy(randomTranscript(seed, format, { turns: 3 + r.below(8) }));
        const text = file(transcript);
        if (codes(readSession(text)).length) continue;
        goOn(kind, text, r, (round) => (kind === 'codex'
          ? [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `more ${round}` }] }, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `answer ${round}` }] }]
          : [{ role: 'user', content: `more ${round}` }, { role: 'assistant', content: [{ type: 'text', text: `answer ${round}` }] }]));
      }
    });
  }

  test(`${entry}: real sessions, folded at twenty budgets`, { skip: shared === undefined && 'no shared sessions' }, () => {
    const dir = join(shared, 'transcripts');
    for (const name of readdirSync(dir).filter((file) => /^(claude-code|pi)-.*\.jsonl$/.test(file))) {
      const bytes = readFileSync(join(dir, name));
      const session = readSession(bytes);
      const all = session.ledger.unfold(session.messages);
      assert.equal(session.ledger.missing(session.messages).length, 0);
      for (let n = 0; n < 20; n++) {
        const result = foldSession(bytes, { tailBudget: Math.round(1.7 ** n) - 1, native: true });
        if (result.session === null) continue;
        const after = readSession(result.session);
        assert.equal(after.messages.length, result.report.messagesAfter);
        assert.deepEqual(faultsAdded(session.messages, after.messages, session.messageFormat), []);
        assert.deepEqual(after.ledger.unfold(after.messages), all);
        const back = unfoldSession(result.session);
        assert.ok(back.exact && same(back.bytes, bytes));
        count(`real folds written (${session.format})`);
      }
    }
  });

  test(`${entry}: plain messages keep their layout`, () => {
    const messages = Array.from({ length: 12 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i} ${'word '.repeat(60)}` }));
    const texts = messages.map((message) => JSON.stringify(message));
    const layouts = {
      array: [`[${texts.join(', ')}]`, (text) => JSON.parse(text)],
      indented: [JSON.stringify(messages, null, 2), (text) => JSON.parse(text)],
      object: [`{ "model":"m", "n":1.50,\n "messages" : [\n${texts.join(',\n')}\n] , "stream":true }\n`, (text) => JSON.parse(text).messages],
      lines: [`${texts.join('\n')}\n`, (text) => text.trimEnd().split('\n').map((line) => JSON.parse(line))],
      crlf: [texts.join('\r\n\r\n'), (text) => text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line))],
    };
    for (const [layout, [text, read]] of Object.entries(layouts)) {
      for (const options of [{ tailBudget: 300 }, { tailBudget: 300, anchorTask: true }, { tailBudget: 0 }]) {
        const { session, conversation, ledger, report } = foldSession(text, { ...options, native: true, summary: 'GOAL: x' });
        assert.equal(conversation, null);
        const written = new TextDecoder().decode(session);
        const window = read(written);
        assert.equal(window.length, report.messagesAfter, layout);
        assert.deepEqual(window, readSession(written).messages);
        assert.deepEqual(window, JSON.parse(foldSession(text, { ...options, summary: 'GOAL: x' }).conversation));
        const tail = text.indexOf(texts.at(-1).slice(0, 30)) < 0 ? 0 : text.length - text.lastIndexOf(texts.at(-1));
        assert.ok(written.endsWith(text.slice(text.length - tail)), layout);
        if (layout === 'object') assert.ok(written.startsWith('{ "model":"m", "n":1.50,\n "messages" : [\n') && written.endsWith('\n] , "stream":true }\n'));
        const back = unfoldSession(session, ledger);
        assert.ok(back.exact && same(back.bytes, Buffer.from(text)), layout);
        count('layouts kept');
      }
    }
  });

  test(`${entry}: what a file has no way to say is refused, and what came later stays`, () => {
    const refused = (fn, code) => assert.throws(fn, (error) => error instanceof PlicaError && error.code === code && error.message.length > 20);
    const messages = Array.from({ length: 12 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: [{ type: 'text', text: `${i} ${'word '.repeat(60)}` }] }));
    const pi = KINDS.pi.file(messages);
    refused(() => foldSession(pi, { tailBudget: 200, anchorTask: true, native: true }), 'bad-plan');
    refused(() => foldSession(pi, { tailBudget: 200, branch: 'nowhere', native: true }), 'bad-argument');
    refused(() => readSession(pi, { branch: 5 }), 'bad-argument');
    refused(() => readSession(pi, { onProgress: 'x' }), 'bad-argument');
    const stop = new Error('stop');
    assert.throws(() => readSession(pi, { onProgress() { throw stop; } }), (error) => error === stop);
    assert.equal(readSession(pi).messages.length, 12);
    // A line was appended since, and then the mark says no more than that.
    const { session } = foldSession(pi, { tailBudget: 200, native: true });
    const text = new TextDecoder().decode(session);
    for (const later of [`${text}${JSON.stringify({ type: 'label', id: 'l', parentId: 'x' })}\n`, text.replace('word', 'WORD'), text.slice(0, -1) + ' \n\n']) {
      const back = unfoldSession(later);
      assert.equal(back.exact, later.endsWith(' \n\n'));
    }
    // A file without a last line end gets one.
    const open = foldSession(pi.trimEnd(), { tailBudget: 200, native: true });
    assert.ok(same(unfoldSession(open.session).bytes, Buffer.from(pi.trimEnd())));
    // An older fold's branch stays readable.
    const older = readSession(session, { branch: 'e11' });
    assert.equal(older.messages.length, 12);
  });
});
