// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The life of a fold: long runs with a summarizer that fails in every way, in random order. After every step the window is valid,
// unfolding gives the original conversation, nothing that was passed in has changed, and what was saved last can be gone on with.
// PLICA_SEEDS=n runs n seeds of each format, PLICA_FOLDS=n makes so many folds a run.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEntry } from './support/package.mjs';
import { FORMATS, Random, randomTranscript } from './support/random.mjs';
import { faultsAdded } from './support/validate.mjs';

const SEEDS = Number(process.env.PLICA_SEEDS ?? 1);
const FOLDS = Number(process.env.PLICA_FOLDS ?? 50);

const good = (n) => `GOAL: carry on with the beds, round ${n}\nSTATE: beds 1 to ${n} are dug\nDECISIONS: raised beds\nCONSTRAINTS: herbs stay by the door\nFILES: beds/plan.md\nNEXT: dig bed ${n + 1}`;
const never = () => new Promise(() => {});

/** What a summarizer may do; of `good` ones the text becomes the digest. */
const SUMMARIZERS = {
  good: { good: true, run: (n) => good(n) },
  'the same words again': { good: true, run: () => good(0) },
  'an object': { good: true, run: (n) => ({ text: good(n), finishReason: 'stop', model: 'm', usage: { input_tokens: 5 } }) },
  'at the second attempt': { good: true, run: (n, { attempt }) => (attempt === 1 ? '' : good(n)) },
  'framed already': { good: true, run: (n) => `<compaction-summary>\n${good(n)}\n</compaction-summary>` },
  'too long at first': {
    good: true,
    run: (n, { state }) => {
      if ((state.calls = (state.calls ?? 0) + 1) === 1) throw new Error('prompt is too long: 210000 tokens > 200000 maximum');
      return good(n);
    },
  },
  'throws': { run: () => { throw new Error('connection reset'); } },
  'throws nothing': { run: () => { throw undefined; } },
  'rejects with an odd thing': { run: () => Promise.reject(Object.freeze({ __proto__: null })) },
  'never answers': { run: never, timeoutMs: 3 },
  // On a busy machine both timers are due at once: then either may win.
  'answers too late': { either: true, run: (n) => new Promise((done) => setTimeout(done, 20, good(n))), timeoutMs: 3 },
  'blank': { run: () => ' \n\ufeff' },
  'no text': { run: () => ({ text: 5 }) },
  'nothing': { run: () => undefined },
  'a getter that throws': { run: () => ({ get text() { throw new Error('no'); } }) },
  'cut off': { run: (n) => ({ text: good(n).slice(0, -20), finishReason: 'length' }) },
  'cut off, unsaid': { run: (n) => good(n).slice(0, good(n).indexOf('CONSTRAINTS')) },
  'refuses': { run: () => "I'm sorry, but I can't help with that." },
  'an error body': { run: () => '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
  'a page': { run: () => '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>' },
  'the prompt back': { run: (n, { request }) => request.prompt },
  'larger than what it replaces': { run: (n) => `${good(n)}\n${Array.from({ length: 4000 }, (_, i) => `bed${(i * 7919) % 4001}`).join(' ')}` },
  'always too long': { run: () => { throw Object.assign(new Error('Request too large'), { status: 413 }); } },
  'not accepted': { run: (n) => good(n), accept: (text) => !text.includes('beds') },
};

const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, Transcript, compact, fingerprint, prepare } = plica;
  const first = entry === 'esm' ? 0 : SEEDS;

  /** One run: a conversation grows and is folded, by a summarizer that does what the dice say. */
  async function run(format, seed, { folds = FOLDS } = {}) {
    const r = new Random(seed);
    const source = randomTranscript(seed, format, { turns: folds * 8 });
    const before = JSON.stringify(source);
    const window = { size: 900 + r.below(1500), output: 50 };
    const said = {};
    let given = 0;
    let originals = [];
    let log = []; // all that ever came, digests where they were made
    let t = new Transcript({ format, window });
    let saved = { messages: '[]', ledger: JSON.stringify(t.ledger), originals: 0, log: '[]' };
    let made = 0;
    const check = (label) => {
      assert.ok(same(t.ledger.unfold(t.messages()), originals), `${label}: unfolded`);
      const faults = faultsAdded(originals, t.messages(), format);
      assert.deepEqual(faults, [], `${label}: ${JSON.stringify(faults)}`);
    };
    const grow = (count) => {
      const part = source.slice(given, given + count);
      given += part.length;
      originals = [...originals, ...part];
      log.push(...part);
      t.append(part);
      return part.length;
    };
    while (made < folds && grow(1 + r.below(6)) > 0) {
      if (!t.due() && !r.chance(0.1)) continue;
      const [name, how] = r.pick(Object.entries(SUMMARIZERS));
      const label = `${format}, seed ${seed}, fold ${made}: ${name}`;
      const stop = r.chance(0.1) ? new AbortController() : undefined;
      const state = {};
      const waiting = { messages: t.messages(), ledger: JSON.stringify(t.ledger) };
      let awaits = 0;
      const options = {
        minGain: 1, attempts: 2, timeoutMs: how.timeoutMs ?? 10_000, ...(how.accept ? { accept: how.accept } : {}), ...(stop ? { signal: stop.signal } : {}),
        ...(r.chance(0.2) ? { tailBudget: r.below(window.size) } : {}),
        ...(r.chance(0.1) ? { fallback: r.pick(['floor', 'none']) } : {}),
        ...(r.chance(0.1) ? { summarizerWindow: 1400 + r.below(2000) } : {}),
        summarize: (request, context) => {
          // A process that dies here has lost nothing: what is there is what was there.
          awaits++;
          assert.ok(same(t.messages(), [...waiting.messages, ...originals.slice(originals.length - (state.grown ?? 0))]), label);
          assert.equal(JSON.stringify(t.ledger), waiting.ledger, label);
          if (stop && r.chance(0.5)) stop.abort(new Error('stopped by hand'));
          // The conversation goes on meanwhile.
          if (!state.grown && r.chance(0.2)) state.grown = grow(1 + r.below(3));
          return how.run(made, { ...context, request, state });
        },
      };
      const prepared = r.chance(0.2) ? prepare(t, { ...options, signal: undefined, summarize: (request) => good(made + request.part) }) : undefined;
      if (prepared && r.chance(0.7)) await prepared.ready;
      if (prepared && r.chance(0.3)) grow(1);
      waiting.messages = t.messages();
      const oldTokens = t.tokens;
      let done;
      try {
        done = await compact(t, { ...options, ...(prepared ? { prepared } : {}) });
      } catch (error) {
        const known = stop?.signal.aborted ? error.message === 'stopped by hand' : error instanceof PlicaError && error.code === 'no-progress';
        assert.ok(known, `${label}: ${error.stack}`);
        assert.equal(JSON.stringify(t.ledger), waiting.ledger, label);
        check(label);
        said.thrown = (said.thrown ?? 0) + 1;
        continue;
      }
      said[done.outcome] = (said[done.outcome] ?? 0) + 1;
      check(label);
      assert.ok(same(done.messages, t.messages()), label);
      if (done.outcome === 'unchanged') {
        assert.ok(typeof done.reason === 'string', label);
        assert.equal(JSON.stringify(t.ledger), waiting.ledger, label);
      } else {
        made++;
        const digest = new Set(done.fold.record.digest);
        const before = new Set([...waiting.messages, ...originals]);
        log.push(...done.messages.filter((message) => !before.has(message) && digest.has(fingerprint(message))));
        if (made % 4 === 0) {
          const replayed = t.ledger.replay(log);
          assert.deepEqual(replayed, done.messages, `${label}: replayed`);
          const objects = new Set(log);
          assert.ok(replayed.every((message, i) => !objects.has(done.messages[i]) || message === done.messages[i]), label);
          assert.ok(same(t.ledger.replay(done.messages), done.messages), `${label}: a window is one already`);
        }
        if (!state.grown) assert.ok(done.tokens.after < oldTokens, `${label}: ${JSON.stringify(done.tokens)}`);
        assert.equal(done.fold.outcome, done.outcome, label);
        if (done.outcome === 'summarized' && !prepared) assert.ok(how.good || how.either, label);
        if (done.outcome !== 'summarized') assert.ok(done.reason, label);
        if (how.good && !options.accept && awaits > 0 && done.outcome !== 'summarized') {
          // Good words are only refused where they are not smaller, or where no request fits.
          assert.ok(['not-smaller', 'too-long', 'too-many-calls', 'summarizer-failed', 'blank', 'unchanged'].includes(done.reason), `${label}: ${done.reason} ${JSON.stringify(done.failed)}`);
        }
      }
      if (r.chance(0.3)) saved = { messages: JSON.stringify(t.messages()), ledger: JSON.stringify(t.ledger), originals: given, log: JSON.stringify(log) };
      if (r.chance(0.15)) {
        // The process died: it goes on from what was saved last, and the messages since are given again.
        const ledger = Ledger.from(JSON.parse(saved.ledger));
        const restored = Transcript.restore(JSON.parse(saved.messages), ledger, { format, window });
        const back = ledger.unfold(restored.messages());
        assert.deepEqual(JSON.parse(JSON.stringify(back)), JSON.parse(JSON.stringify(originals.slice(0, saved.originals))), `${label}: restored`);
        t.free();
        t = restored;
        originals = back;
        given = saved.originals;
        log = JSON.parse(saved.log);
        if (r.chance(0.5)) {
          const again = Transcript.restore(log, Ledger.from(JSON.parse(saved.ledger)), { format, window });
          assert.deepEqual(again.messages(), t.messages(), `${label}: restored from the log`);
          again.free();
        }
      }
    }
    assert.equal(JSON.stringify(source), before, 'arguments are untouched');
    t.free();
    return { made, said };
  }

  for (const format of FORMATS) {
    test(`${entry}: ${FOLDS} folds in ${format}, with a summarizer that fails in every way`, { timeout: 300_000 }, async (context) => {
      for (let seed = first; seed < first + SEEDS; seed++) {
        const { made, said } = await run(format, seed * 131 + 7);
        context.diagnostic(`${made} folds: ${JSON.stringify(said)}`);
        assert.ok(made >= FOLDS * 0.8, `${made} folds: ${JSON.stringify(said)}`);
      }
    });
  }
});
