// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Session files: read, inspected, folded, folded again, continued, unfolded, damaged.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { forEachEntry, root } from './support/package.mjs';
import { Random, randomTranscript } from './support/random.mjs';
import { count, shared } from './support/shared.mjs';
import { faultsAdded } from './support/validate.mjs';

const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
const same = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;
/** The texts of the elements of a JSON array. */
function elements(text) {
  const out = [];
  let depth = 0;
  let start = -1;
  let string = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (string) {
      if (c === '\\') i++;
      else if (c === '"') string = false;
    } else if (c === '"') string = true;
    else if (c === '{' || c === '[') {
      if (depth++ === 1) start = i;
    } else if (c === '}' || c === ']') {
      if (--depth === 1) out.push(text.slice(start, i + 1));
    }
  }
  return out;
}

const BUDGETS = [0, 1, 10, 100, 500, 1000, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000, 25_000, 30_000, 40_000, 50_000, 60_000, 100_000, 1e9, Infinity];

/** name, bytes, and whether its messages stand in it as they are (else put together from records). */
const files = [];
const add = (name, bytes, plain) => files.push({ name, bytes: typeof bytes === 'string' ? encode(bytes) : new Uint8Array(bytes), plain });

const example = join(root, 'examples/garden-planner.jsonl');
if (existsSync(example)) add('garden-planner.jsonl', readFileSync(example), false);
else console.log('# skipped, no example: garden-planner.jsonl');

const transcript = (name) => join(shared ?? '', 'transcripts', name);
const present = (name) => {
  if (shared !== undefined && existsSync(transcript(name))) return true;
  console.log(`# skipped, not there: ${name}`);
  return false;
};
for (const name of ['claude-code-small-1compaction.jsonl', 'claude-code-3compactions.jsonl', 'claude-code-983msgs.jsonl']) {
  if (present(name)) add(name, readFileSync(transcript(name)), false);
}
if (present('swe-agent-marshmallow-1867.traj')) add('swe-agent history', JSON.stringify(JSON.parse(readFileSync(transcript('swe-agent-marshmallow-1867.traj'), 'utf8')).history, null, 1), true);
if (present('tau-bench-gpt4o-airline.json')) {
  const tasks = JSON.parse(readFileSync(transcript('tau-bench-gpt4o-airline.json'), 'utf8'));
  for (const n of [0, 7, 42]) add(`tau-bench task ${n}`, JSON.stringify(tasks[n].traj), true);
  add('tau-bench, 30 tasks in a row, as JSONL', tasks.slice(0, 30).flatMap((t) => t.traj.slice(1)).map((m) => JSON.stringify(m)).join('\r\n'), true);
}
if (present('openai-responses-toolsearch.json')) {
  const { interactions } = JSON.parse(readFileSync(transcript('openai-responses-toolsearch.json'), 'utf8'));
  add('an Anthropic request body', JSON.stringify(interactions.filter((i) => i.uri.includes('anthropic')).pop().request, null, 2), true);
}
// Files of our own: every layout, odd spellings of numbers and text, other fields around.
const story = (seed, format, turns = 30) => randomTranscript(seed, format, { turns });
add('array', JSON.stringify(story(1, 'anthropic')), true);
add('array, indented', JSON.stringify(story(2, 'openai-chat'), null, '\t'), true);
add('items', JSON.stringify(story(3, 'hotl')), true);
add('lines without a last line end', story(4, 'openai-chat').map((m) => JSON.stringify(m)).join('\n'), true);
add('lines with blank ones and CRLF', story(5, 'anthropic').map((m) => JSON.stringify(m)).join('\r\n\r\n') + '\r\n', true);
add('object', `{"model":"m","n":1.50,"messages": ${JSON.stringify(story(6, 'anthropic'))} , "stream":true}`, true);
add('byte order mark', `\ufeff${JSON.stringify(story(7, 'openai-chat'))}`, true);
add('odd numbers', `[${Array.from({ length: 40 }, (_, i) => (i % 2
  ? `{"content":"answer \\u00e9 \\ud83d\\ude00 \\/ ${i}","role":"assistant","big":12345678901234567890,"one":1.0,"e":1E+2,"z":-0.50}`
  : `{ "role" : "user", "content" : "question ${i} ${'x'.repeat(200)}", "id":2512292042121000001 }`)).join(' ,\n')}]\n`, true);

forEachEntry((entry, plica) => {
  const { PlicaError, estimate, fold, foldSession, inspectSession, readSession, summarizeSession, unfoldSession } = plica;
  const refused = (fn, ...codes) => assert.throws(fn, (error) => {
    assert.ok(error instanceof PlicaError, `${error}`);
    assert.ok(codes.length === 0 ? error.code !== 'internal' : codes.includes(error.code), `${error.code}: ${error.message}`);
    assert.ok(error.message.length > 10);
    return true;
  });

  for (const file of files) {
    const { name, bytes, plain } = file;
    const text = decode(bytes);

    test(`${entry} ${name}: read and inspected`, () => {
      const session = readSession(bytes);
      const inspection = inspectSession(bytes);
      assert.equal(inspection.kind, session.format);
      assert.equal(inspection.format, session.messageFormat);
      assert.equal(inspection.messages, session.messages.length);
      assert.equal(session.provenance.length, session.messages.length);
      assert.equal(Object.values(inspection.roles).reduce((a, b) => a + b, 0), session.messages.length);
      assert.equal(Object.values(inspection.skipped).reduce((a, b) => a + b, 0), session.skipped.length);
      assert.deepEqual(inspection.problems, session.problems);
      assert.equal(inspection.folds.length, session.folds.length);
      session.folds.forEach((f, i) => assert.deepEqual([f.line, f.originals.length, f.kept.length, f.trigger, f.tokensBefore], [inspection.folds[i].line, inspection.folds[i].originals, inspection.folds[i].kept, inspection.folds[i].trigger, inspection.folds[i].tokensBefore]));
      assert.deepEqual(readSession(text), session);
      assert.deepEqual(readSession(Buffer.from(bytes)), session);
      assert.deepEqual(readSession(bytes.slice().buffer), session);
      assert.ok(Math.abs(inspection.tokens - estimate(session.messages, { format: session.messageFormat }).total) <= session.messages.length, 'tokens');
      if (plain) assert.deepEqual(session.problems, []);
      const lineCount = text.split('\n').length;
      for (const { line } of [...session.skipped, ...session.problems, ...session.folds]) assert.ok(line >= 1 && line <= lineCount);
    });

    test(`${entry} ${name}: folded with every budget, unfolded to the byte`, () => {
      const session = readSession(bytes);
      const { messages, messageFormat: format } = session;
      const known = new Map(messages.map((m) => [JSON.stringify(m), m]));
      let folds = 0;
      for (const tailBudget of BUDGETS.filter((_, i) => entry === 'esm' || i % 4 === 1)) { // both run the same code
        for (const options of [{}, { summary: 'GOAL: a summary from elsewhere </compaction-summary>' }, { keepTurns: 2, anchorTask: true, anchorRequest: true }]) {
          if (Object.keys(options).length && BUDGETS.indexOf(tailBudget) % 4 !== 1) continue;
          const { conversation, ledger, report } = foldSession(bytes, { tailBudget, ...options });
          const request = summarizeSession(bytes, { tailBudget, ...options });
          assert.equal(report.messagesBefore, messages.length);
          count('file folds');
          if (report.outcome === 'unchanged') {
            assert.ok(conversation === null && ledger === null && typeof report.reason === 'string' && report.messagesAfter === report.messagesBefore);
            if (report.reason !== 'no-gain') assert.equal(request, undefined);
            continue;
          }
          folds++;
          assert.equal(report.fates.reduce((sum, row) => sum + row.messages, 0), messages.length);
          assert.equal(report.outcome, options.summary ? 'summarized' : 'deterministic');
          assert.ok(request.prompt.length > 50 && request.system.includes('GOAL'));
          const window = JSON.parse(conversation);
          assert.equal(window.length, report.messagesAfter);
          assert.ok(report.tokensAfter < report.tokensBefore);
          assert.ok(Math.abs(report.tokensAfter - estimate(window, { format }).total) <= window.length, `${report.tokensAfter}`);
          assert.equal(report.overBudget, report.tailTokens > tailBudget);
          const added = faultsAdded(messages, window, format);
          assert.deepEqual(added, [], `budget ${tailBudget}: ${JSON.stringify(added[0])}`);
          const digests = window.filter((m) => !known.has(JSON.stringify(m)));
          assert.equal(digests.length, 1, `budget ${tailBudget}`);
          // Kept messages keep their bytes.
          for (const line of elements(conversation)) {
            const message = JSON.parse(line);
            if (plain && known.has(JSON.stringify(message))) assert.ok(text.includes(line), line.slice(0, 100));
          }
          const tail = window.slice(window.indexOf(digests[0]) + 1);
          assert.ok(isDeepStrictEqual(tail.slice(-1), messages.slice(-1)));
          const back = unfoldSession(conversation, ledger);
          assert.ok(back.exact && same(back.bytes, bytes), `budget ${tailBudget}: not the same bytes`);
          assert.equal(back.messages, inspectSession(bytes).allMessages);
          assert.ok(same(unfoldSession(encode(conversation), encode(ledger)).bytes, bytes));
        }
      }
      assert.ok(folds > 0, 'nothing folded at all');
    });

    test(`${entry} ${name}: continued, folded again, unfolded`, () => {
      const { messages, messageFormat: format } = readSession(bytes);
      const total = estimate(messages, { format }).total;
      const whole = inspectSession(bytes).allMessages;
      const first = foldSession(bytes, { tailBudget: total / 2 });
      if (first.conversation === null) return;
      const more = randomTranscript(99, format, { turns: 8 }).filter((m) => (format === 'hotl' ? m.type : m.role) !== 'system');
      // By a program that parses and prints, and by one that adds lines.
      const parsed = JSON.stringify([...JSON.parse(first.conversation), ...more]);
      const written = first.conversation.trimEnd().replace(/\s*\]$/, `,\n${more.map((m) => JSON.stringify(m)).join(',\n')}\n]\n`);
      const jsonl = [...JSON.parse(first.conversation), ...more].map((m) => JSON.stringify(m)).join('\n');
      let reference;
      for (const continued of [parsed, written, jsonl]) {
        const back = unfoldSession(continued, first.ledger);
        assert.equal(back.exact, false);
        const all = JSON.parse(decode(back.bytes));
        assert.equal(back.messages, all.length);
        assert.equal(all.length, whole + more.length);
        assert.deepEqual(all.slice(-more.length), more);
        const before = all.slice(0, -more.length);
        // As many of the end as are no digest of the file's own are the window's.
        const from = messages.length - before.length >= 0 ? messages.length - before.length : 0;
        if (readSession(bytes).folds.length === 0) assert.deepEqual(before, messages);
        else assert.deepEqual(before.slice(-(messages.length - 1 - from)), messages.slice(from + 1));
        reference ??= all;
        assert.deepEqual(all, reference);
      }
      // Folds of folds.
      let { conversation, ledger } = first;
      let appended = [];
      for (let round = 0; round < 4; round++) {
        const extra = randomTranscript(1000 + round, format, { turns: 3 }).filter((m) => (format === 'hotl' ? m.type : m.role) !== 'system');
        conversation = JSON.stringify([...JSON.parse(conversation), ...extra]);
        appended = [...appended, ...extra];
        const before = JSON.parse(conversation);
        const again = foldSession(conversation, { tailBudget: estimate(before, { format }).total * 0.4, ledger, ...(round % 2 ? { summary: 'GOAL: always the same' } : {}) });
        if (again.conversation !== null) {
          assert.deepEqual(faultsAdded(before, JSON.parse(again.conversation), format), []);
          ({ conversation, ledger } = again);
          count('folds of folded files');
        }
        const back = unfoldSession(conversation, ledger);
        const all = JSON.parse(decode(back.bytes));
        assert.equal(all.length, whole + appended.length, `round ${round}`);
        assert.deepEqual(all.slice(-appended.length), appended);
        assert.deepEqual(all.slice(0, whole), reference.slice(0, whole));
      }
      // Folded twice with nothing added: the source again, to the byte.
      const twice = foldSession(first.conversation, { tailBudget: 0, ledger: first.ledger });
      if (twice.conversation !== null) {
        const back = unfoldSession(twice.conversation, twice.ledger);
        assert.ok(back.exact && same(back.bytes, bytes));
      }
    });

    test(`${entry} ${name}: damaged conversations and ledgers are noticed`, () => {
      const total = inspectSession(bytes).tokens;
      const { conversation, ledger } = foldSession(bytes, { tailBudget: total / 3 });
      if (conversation === null) return;
      const r = new Random(bytes.length);
      const book = encode(ledger);
      const talk = encode(conversation);
      const tries = Math.max(12, Math.min(entry === 'esm' ? 150 : 30, Math.floor(2e7 / (book.length + talk.length))));
      const attempt = (what, c, l) => {
        count('damages');
        let back;
        try {
          back = unfoldSession(c, l);
        } catch (error) {
          assert.ok(error instanceof PlicaError && error.code !== 'internal', `${what}: ${error}`);
          return error.code;
        }
        if (back.exact) assert.ok(same(back.bytes, bytes), `${what}: says exact, and is not`);
        return back;
      };
      for (let n = 0; n < tries; n++) {
        const cut = r.below(book.length - 3);
        assert.equal(typeof attempt(`ledger cut at ${cut}`, conversation, book.slice(0, cut)), 'string');
        const at = r.below(book.length);
        const flipped = book.slice();
        flipped[at] ^= 1 << r.below(7);
        const answer = attempt(`ledger changed at ${at}`, conversation, flipped);
        if (typeof answer !== 'string') assert.ok(same(answer.bytes, bytes), `ledger changed at ${at} (${JSON.stringify(decode(book.slice(Math.max(0, at - 20), at + 20)))}): another answer`);
        const there = r.below(talk.length - 3);
        const half = attempt(`conversation cut at ${there}`, talk.slice(0, there), ledger);
        if (typeof half !== 'string') assert.equal(half.exact, false);
        const broken = talk.slice();
        broken[r.below(talk.length)] ^= 1 << r.below(7);
        attempt('conversation changed', broken, ledger);
      }
      const list = JSON.parse(conversation);
      const digestAt = list.findIndex((m) => JSON.stringify(m).includes('<compaction-summary>'));
      refused(() => unfoldSession(JSON.stringify(list.filter((_, i) => i !== digestAt)), ledger), 'digest-missing');
      // The source is not what its fold left; but the ledger knows the folds that the source itself holds.
      const source = attempt('the source', bytes, ledger);
      if (inspectSession(bytes).folds.length === 0) assert.equal(source, 'digest-missing');
      else assert.ok(typeof source === 'string' || source.messages === inspectSession(bytes).allMessages);
      refused(() => unfoldSession(conversation, conversation), 'bad-ledger');
      refused(() => unfoldSession(ledger, ledger));
      for (const bad of ['', '{}', '[]', 'null', '{"plica":"ledger"}', 'x', new Uint8Array([255, 254])]) refused(() => unfoldSession(conversation, bad), 'bad-ledger', 'bad-json');
      for (const bad of ['', '{}', 'x', new Uint8Array([0, 1, 2])]) refused(() => unfoldSession(bad, ledger), 'bad-session', 'digest-missing', 'bad-json');
    });
  }

  test(`${entry}: every random file folds and unfolds to the byte`, () => {
    for (let seed = 0; seed < 240; seed++) {
      const r = new Random(seed + 77);
      const format = r.pick(['anthropic', 'openai-chat', 'hotl']);
      const list = randomTranscript(seed, format, { malformed: r.pick([0, 0, 0.3, 1]), turns: 2 + r.below(10) });
      const text = r.pick([() => JSON.stringify(list), () => JSON.stringify(list, null, 2), () => list.map((m) => JSON.stringify(m)).join('\n'), () => `{"messages":${JSON.stringify(list)}}`])();
      let result;
      let read;
      try {
        read = readSession(text);
        result = foldSession(text, { tailBudget: r.below(2000) });
      } catch (error) {
        assert.ok(error instanceof PlicaError && error.code === 'bad-session', `seed ${seed}: ${error}`);
        continue;
      }
      assert.deepEqual(read.messages, list, `seed ${seed}`);
      if (result.conversation === null) continue;
      const back = unfoldSession(result.conversation, result.ledger);
      assert.ok(back.exact && same(back.bytes, encode(text)), `seed ${seed}`);
      count('random files');
      // The same as the stateless functions make of it.
      const window = JSON.parse(result.conversation);
      const digest = window.find((m) => !list.some((x) => isDeepStrictEqual(x, m)));
      if (digest && read.messageFormat === format) {
        const p = plica.plan(list, { format, tailBudget: 1e9 });
        if (p.kind === 'fold') assert.ok(fold(list, p, digest).includes(digest));
      }
    }
  });

  // Above 256 MB the instance of the core goes with the file.
  test(`${entry}: after a very large file the next calls work`, { skip: entry !== 'esm' && 'made with esm' }, () => {
    const large = new Uint8Array(290e6).fill(10);
    large.set(encode(JSON.stringify({ role: 'user', content: 'one' })));
    for (let i = 0; i < 2; i++) assert.deepEqual(readSession(large, { onProgress() { plica.fingerprint('x'); } }).messages, [{ role: 'user', content: 'one' }]);
    assert.equal(plica.fingerprint('abc'), plica.fingerprint('abc'));
    refused(() => readSession('{"messages":[]}'), 'bad-session');
    assert.throws(() => readSession('{"messages":[]}'), /holds no messages/);
    assert.throws(() => plica.plan([], { tailBudget: 1, keepTurns: -1 }), /not -1/);
  });

  test(`${entry}: what is no session is refused`, () => {
    for (const bad of ['', ' ', '\n', 'hello', '[]', '{}', 'null', '5', '"x"', '[1,2]', '{"a":1}', '\0\0\0', '[[]]', new Uint8Array(0), new Uint8Array([0xff, 0xfe, 0xfd]), '{"messages":5}', '{"messages":[]}', '['.repeat(10_000)]) {
      for (const fn of [readSession, inspectSession, (d) => foldSession(d, { tailBudget: 5 }), (d) => summarizeSession(d, { tailBudget: 5 })]) {
        try {
          const answer = fn(bad);
          assert.ok(answer === undefined || typeof answer === 'object');
        } catch (error) {
          assert.ok(error instanceof PlicaError && ['bad-session', 'bad-json', 'too-deep', 'bad-message'].includes(error.code), `${JSON.stringify(bad).slice(0, 30)}: ${error}`);
        }
      }
    }
    const good = JSON.stringify(story(1, 'anthropic'));
    for (const tailBudget of [undefined, null, NaN, -1, '5', 5n, {}]) {
      refused(() => foldSession(good, { tailBudget }), 'bad-budget');
      refused(() => summarizeSession(good, { tailBudget }), 'bad-budget');
    }
    for (const summary of [5, {}, null, 1n]) if (summary !== null) refused(() => foldSession(good, { tailBudget: 5, summary }), 'bad-argument');
    for (const summary of ['', ' \n']) refused(() => foldSession(good, { tailBudget: 5, summary }), 'empty-summary');
    for (const ledger of ['x', '{}', new Uint8Array([1]), '']) refused(() => foldSession(good, { tailBudget: 5, ledger }), 'bad-ledger', 'bad-json');
  });

  test(`${entry}: bad lines are reported and skipped, the rest is read`, () => {
    const user = (content) => JSON.stringify({ role: 'user', content });
    const text = [user('a'), '{"role":"user","content":"torn', user('b'), 'not json', '[1]', '5', user('c'), '{"role":"user"} {"role":"assistant","content":"d"}', user('e').slice(0, -3)].join('\n');
    const session = readSession(text);
    const said = session.messages.map((m) => m.content).filter(Boolean);
    for (const want of ['a', 'b', 'c']) assert.ok(said.includes(want), JSON.stringify(said));
    assert.ok(session.problems.length >= 4);
    for (const problem of session.problems) {
      assert.ok(problem.line >= 1 && problem.line <= 9 && problem.message.length > 10 && /^[a-z-]+$/.test(problem.code));
    }
    const folded = foldSession(text, { tailBudget: 0, summary: 'G' });
    if (folded.conversation !== null) assert.ok(same(unfoldSession(folded.conversation, folded.ledger).bytes, encode(text)));
  });
});
