// SPDX-License-Identifier: MIT OR Apache-2.0
//
// When the core traps: the error says so, the core is made anew, the next call answers, nothing that the caller holds is
// lost. Traps are simulated by wrapping WebAssembly.Instance before the package makes its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';

let armed = 0; // the how-manyth call into an instance from now on traps
let raise; // what it throws
let made = 0;
const Real = WebAssembly.Instance;
WebAssembly.Instance = function (module, imports) {
  made++;
  const exports = {};
  for (const [name, value] of Object.entries(new Real(module, imports).exports)) {
    exports[name] = typeof value !== 'function' ? value : (...args) => {
      if (armed > 0 && --armed === 0) throw raise();
      return value(...args);
    };
  }
  return { exports };
};

const { forEachEntry } = await import('./support/package.mjs');
const { count } = await import('./support/shared.mjs');

const KINDS = {
  'unreachable': () => new WebAssembly.RuntimeError('unreachable'),
  'memory access out of bounds': () => new WebAssembly.RuntimeError('memory access out of bounds'),
  'stack overflow of V8': () => new RangeError('Maximum call stack size exceeded'),
  'stack overflow of SpiderMonkey': () => Object.assign(new Error('too much recursion'), { name: 'InternalError' }),
};

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, Transcript } = plica;
  const messages = Array.from({ length: 12 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `message ${i} é🙂 `.repeat(4) }));
  const file = JSON.stringify(messages);
  const facts = [{ key: 'a', kind: 'constraint', importance: 5 }];
  const format = 'openai-chat';
  const plan = plica.plan(messages, { format, tailBudget: 60 });
  const digest = plica.digestMessage('GOAL: x', { format });
  const ledger = new Ledger();
  ledger.record({ messages, plan, digest });
  const window = plica.fold(messages, plan, digest);
  const folded = plica.foldSession(file, { tailBudget: 60 });
  const json = JSON.parse(JSON.stringify(ledger));

  const calls = {
    summaryFingerprint: () => plica.summaryFingerprint('日本語'), spanFingerprint: () => plica.spanFingerprint(messages), foldedSpanFor: () => plica.foldedSpanFor({ folded: [{ summaryFingerprint: 'e40c292c' }] }, { content: 'a' }),
    isPinnedKind: () => plica.isPinnedKind(facts[0]), partitionPinned: () => plica.partitionPinned(facts), computeMemoryHealth: () => plica.computeMemoryHealth(facts), budgetFacts: () => plica.budgetFacts(facts),
    keyPrefix: () => plica.keyPrefix('ab_c'), effectiveImportance: () => plica.effectiveImportance(facts[0], 5), salience: () => plica.salience(1, 2, 3),
    'fingerprint of a text': () => plica.fingerprint('abc'), fingerprint: () => plica.fingerprint(messages), fingerprints: () => plica.fingerprints(messages), detectFormat: () => plica.detectFormat(messages) ?? 'none',
    digestFormat: () => plica.digestFormat(messages), estimate: () => plica.estimate(messages), plan: () => plica.plan(messages, { tailBudget: 60 }), measure: () => plica.measure(messages, plan), explain: () => plica.explain(messages, plan),
    fold: () => plica.fold(messages, plan, digest), summarizeRequest: () => plica.summarizeRequest(messages, plan), deterministicDigest: () => plica.deterministicDigest(messages, plan), floorDigest: () => plica.floorDigest(messages, plan),
    digestMessage: () => plica.digestMessage('x', { format }), readSession: () => plica.readSession(file), inspectSession: () => plica.inspectSession(file), foldSession: () => plica.foldSession(file, { tailBudget: 60 }),
    summarizeSession: () => plica.summarizeSession(file, { tailBudget: 60 }), unfoldSession: () => plica.unfoldSession(folded.conversation, folded.ledger),
    'Ledger.record': () => new Ledger().record({ messages, plan, digest }), 'Ledger.lookup': () => ledger.lookup(digest).id, 'Ledger.unfold': () => ledger.unfold(window), 'Ledger.missing': () => ledger.missing(window),
    'Ledger.toJSON': () => ledger.toJSON(), 'Ledger.from': () => Ledger.from(json).folds,
  };
  // A transcript with a fold, figures of a provider and messages since; what changes it is done to a fork.
  const transcript = new Transcript({ format, window: 5000 }).append(messages);
  transcript.commit(transcript.plan({ tailBudget: 100 }), digest);
  transcript.append([messages[1], messages[2]]).usage({ inputTokens: 1234, outputTokens: 9, at: transcript.length - 1 });
  const state = (t) => ({ messages: t.messages(), format: t.format, tokens: t.tokens, calibration: t.calibration, due: t.due(), plan: t.plan({ tailBudget: 50 }), folds: t.ledger.folds.map((fold) => fold.record) });
  const forked = (act) => () => {
    const fork = transcript.fork();
    act(fork);
    const after = state(fork);
    fork.free();
    return after;
  };
  Object.assign(calls, {
    'new Transcript': () => state(new Transcript({ window: 100 })), 'Transcript.restore': () => state(Transcript.restore(transcript.messages(), transcript.ledger, { format, window: 100 })),
    'Transcript, all it says': () => state(transcript), 'Transcript.tokens': () => transcript.tokens, 'Transcript.due': () => transcript.due({ at: 0.2 }), 'Transcript.plan': () => transcript.plan({ tailBudget: 60 }),
    'Transcript.fork': forked(() => {}), 'Transcript.append': forked((t) => t.append(messages.slice(0, 3))), 'Transcript.truncate': forked((t) => t.truncate(2)), 'Transcript.replaceLast': forked((t) => t.replaceLast(messages[0])),
    'Transcript.usage': forked((t) => t.usage({ inputTokens: 77 })), 'Transcript.commit': forked((t) => t.commit(t.plan({ tailBudget: 30 }), digest)),
  });
  const good = Object.fromEntries(Object.entries(calls).map(([name, fn]) => [name, fn()]));

  test(`${entry}: after every trap a new core answers`, () => {
    for (const [name, fn] of Object.entries(calls)) {
      for (const [kind, make] of Object.entries(KINDS)) {
        for (let which = 1; which <= 8; which++) {
          raise = make;
          armed = which;
          const before = made;
          let error;
          let result;
          try {
            result = fn();
          } catch (e) {
            error = e;
          }
          const hit = armed === 0;
          armed = 0;
          if (!hit) {
            assert.equal(error, undefined, `${name} makes fewer than ${which} calls and throws ${error}`);
            assert.deepEqual(result, good[name]);
            break;
          }
          assert.ok(error instanceof PlicaError, `${name}, ${kind} in call ${which}: ${error === undefined ? 'no error' : error}`);
          assert.equal(error.code, 'internal', `${name}, ${kind} in call ${which}: ${error.message}`);
          assert.ok(error.message.length > 10);
          assert.notEqual(error.cause, undefined);
          for (const other of ['fingerprint', 'plan', name]) assert.deepEqual(calls[other](), good[other], `${other} after ${kind} in call ${which} of ${name}`);
          assert.ok(made > before, 'no new instance was made');
          count('traps');
        }
      }
    }
  });

  test(`${entry}: a trap while recording leaves the ledger as it was`, () => {
    const book = new Ledger();
    book.record({ messages, plan, digest });
    const before = JSON.stringify(book);
    const second = plica.plan(window, { format, tailBudget: 30, ledger: book });
    for (let which = 1; which < 20; which++) {
      raise = KINDS.unreachable;
      armed = which;
      try {
        book.record({ messages: window, plan: second.kind === 'fold' ? second : plan, digest });
      } catch (error) {
        assert.ok(error instanceof PlicaError);
      }
      const hit = armed === 0;
      armed = 0;
      if (!hit) break;
      assert.equal(JSON.stringify(book), before);
      assert.deepEqual(book.unfold(window), messages);
    }
  });

  test(`${entry}: a trap in a call that changes a transcript: it was made, or it was not`, () => {
    const changes = {
      append: (t) => t.append(messages.slice(0, 3)), truncate: (t) => t.truncate(2), replaceLast: (t) => t.replaceLast(messages[0]), usage: (t) => t.usage({ inputTokens: 77 }),
      commit: (t) => t.commit(t.plan({ tailBudget: 30 }), digest),
    };
    for (const [name, change] of Object.entries(changes)) {
      for (let which = 1; which <= 60; which++) {
        const t = transcript.fork();
        const before = state(t);
        raise = KINDS.unreachable;
        armed = which;
        let error;
        try {
          change(t);
        } catch (e) {
          error = e;
        }
        const hit = armed === 0;
        armed = 0;
        if (!hit) {
          assert.equal(error, undefined);
          t.free();
          break;
        }
        assert.equal(error?.code, 'internal', `${name}, call ${which}`);
        assert.deepEqual(state(t), before, `${name}, call ${which}`);
        assert.deepEqual(state(transcript), good['Transcript, all it says']);
        change(t);
        const want = transcript.fork();
        change(want);
        assert.deepEqual(state(t), state(want), `${name}, once more after call ${which}`);
        t.free();
        want.free();
        count('traps in transcripts');
      }
    }
  });

  test(`${entry}: called at any depth of the stack, the core survives`, () => {
    let at;
    let strange;
    const outcomes = {};
    const names = Object.keys(calls);
    let n = 0;
    const sink = (depth) => {
      at = depth;
      try {
        sink(depth + 1);
      } catch (e) {
        // On the way up from the very end of the stack: call again and again with ever more room.
        if (n < 3000) {
          const name = names[n++ % names.length];
          try {
            const result = calls[name]();
            if (JSON.stringify(result) !== JSON.stringify(good[name])) strange ??= `${name} answers differently near the end of the stack: ${JSON.stringify(result)?.slice(0, 100)}`;
            outcomes.answered = (outcomes.answered ?? 0) + 1;
          } catch (error) {
            const kind = error instanceof PlicaError ? error.code : error instanceof RangeError ? 'raw RangeError' : String(error);
            outcomes[kind] = (outcomes[kind] ?? 0) + 1;
            throw e;
          }
          if (n < 3000) throw e;
        }
      }
    };
    for (let round = 0; round < 5; round++) {
      n = 0;
      try { sink(0); } catch { /* the stack was full */ }
      for (const [name, fn] of Object.entries(calls)) assert.deepEqual(fn(), good[name], `${name} after round ${round}`);
    }
    assert.ok(at > 500);
    assert.equal(strange, undefined);
    const other = Object.keys(outcomes).filter((k) => !['answered', 'raw RangeError', 'internal', 'too-deep', 'bad-argument', 'bad-message'].includes(k));
    assert.deepEqual(other, [], JSON.stringify(outcomes));
    console.log(`# ${entry} near the end of the stack: ${JSON.stringify(outcomes)}`);
  });

  test(`${entry}: many large calls do not pile up memory`, () => {
    const big = 'x'.repeat(4_000_000);
    const list = Array.from({ length: 20_000 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `m${i}` }));
    for (let i = 0; i < 30; i++) {
      plica.fingerprint(big);
      plica.plan(list, { tailBudget: 1000 });
    }
    assert.deepEqual(calls.plan(), good.plan);
  });
});
