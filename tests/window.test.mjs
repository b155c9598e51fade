// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What a window must be, whatever the transcript: thousands of seeded transcripts, well-formed and broken, planned, folded,
// and judged by the independent validator; ledgers over several rounds. PLICA_SEEDS=n runs n seeds of each kind.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNED, bestCut, isStanding, leadingRun, reading, stays, transcriptOf, waiting, wanted } from './support/cuts.mjs';
import { forEachEntry } from './support/package.mjs';
import { FORMATS, Random, randomTranscript } from './support/random.mjs';
import { count } from './support/shared.mjs';
import { faultsAdded, validate } from './support/validate.mjs';

const SEEDS = Number(process.env.PLICA_SEEDS ?? 40);
const MALFORMED = [0, 0, 0.15, 0.5, 1];

function optionsOf(r, messages, total) {
  const options = { tailBudget: r.pick([0, 1, 50, 200, 1000, Infinity, total, total / 2, total / 3, total * 0.8, r.below(total + 1), r.below(total + 1)]) };
  if (r.chance(0.3)) options.keepTurns = r.below(4);
  if (r.chance(0.2)) options.prefix = r.below(6);
  if (r.chance(0.25)) options.anchorTask = true;
  if (r.chance(0.2)) options.anchorRequest = true;
  if (r.chance(0.25)) options.keepSystem = true;
  if (r.chance(0.15)) options.margin = r.below(90) / 100;
  if (r.chance(0.35) && messages.length) {
    const pins = Array.from({ length: 1 + r.below(4) }, () => r.below(messages.length));
    options.pinned = r.chance(0.5) ? pins : Object.assign((_, i) => pins.includes(i), { toJSON: () => `function for ${pins}` });
  }
  return options;
}

const show = (options) => JSON.stringify({ ...options, tailBudget: String(options.tailBudget) });

/**
 * Faults that the fold is to blame for. A result too many is a "duplicate" beside the call that has one already and an
 * "orphan" without it: the provider refuses both, so each accounts for the other. One in the wrong turn may come into the right one, yet not be first there.
 */
function blamed(before, after, format) {
  const gone = faultsAdded(after, before, format);
  return faultsAdded(before, after, format).filter((fault) => {
    const at = gone.findIndex((g) => SPARE[fault.rule] === g.rule && g.id === fault.id);
    if (at >= 0) gone.splice(at, 1);
    return at < 0;
  });
}
/** For a rule, the one that accounts for it as well. */
const SPARE = { 'results-not-first': 'orphan-result', 'orphan-result': 'duplicate-result', 'duplicate-result': 'orphan-result' };

/**
 * Messages of nobody that stand between two that need none between them: of one side where user and model take turns, of the
 * model elsewhere. Only where a fold brought the two together.
 */
function needlessFillers(window, messages, digests, format) {
  const side = (m) => ({ user: 'user', tool: 'user', assistant: 'model' })[reading([m], format)[0].role];
  const spoken = window.filter((m) => side(m) !== undefined);
  return spoken.flatMap((m, i) => {
    if (messages.includes(m) || digests.includes(m)) return [];
    const [before, after] = [spoken[i - 1], spoken[i + 1]];
    if (before === undefined || after === undefined) return [i];
    const apart = side(before) === side(after) && side(m) !== side(before) && (format === 'gemini' || side(before) === 'model');
    return apart ? [] : [i];
  });
}

/** Collects failures by kind, so that one run tells all kinds there are, each with its smallest example. */
class Failures {
  kinds = new Map();
  add(kind, size, where, detail) {
    const known = this.kinds.get(kind);
    if (!known) this.kinds.set(kind, { size, where, detail, times: 1 });
    else {
      known.times++;
      if (size < known.size) Object.assign(known, { size, where, detail });
    }
  }
  assertNone() {
    const all = [...this.kinds].map(([kind, f]) => `${kind} (${f.times}×), smallest with ${f.size} messages: ${f.where}\n    ${f.detail}`);
    assert.equal(all.length, 0, `\n${all.join('\n')}`);
  }
}

forEachEntry((entry, plica) => {
  const first = entry === 'esm' ? 0 : SEEDS; // both run the same code: other seeds find more
  const { Ledger, PlicaError, digestMessage, estimate, explain, fold, measure, plan } = plica;
  const several = (digest) => (Array.isArray(digest) ? digest : [digest]);

  for (const format of FORMATS) {
    test(`${entry} ${format}: plans are the best legal ones, folds tear nothing`, () => {
      const failures = new Failures();
      let folds = 0;
      let nones = 0;
      for (let seed = first; seed < first + SEEDS; seed++) {
        const r = new Random(seed * 7919 + format.length);
        const malformed = r.pick(MALFORMED);
        const messages = randomTranscript(seed, format, { malformed });
        const before = JSON.stringify(messages);
        const transcript = transcriptOf(messages, format);
        const { read } = transcript;
        const pending = waiting(messages, format);
        const { perMessage, total } = estimate(messages, { format });
        const tokens = Array.from(perMessage);
        assert.equal(tokens.reduce((a, b) => a + b, 0), total);
        for (let n = 0; n < 4; n++) {
          const options = { format, ...optionsOf(r, messages, total) };
          const where = `seed ${seed}, malformed ${malformed}, ${show(options)}`;
          const fail = (kind, detail) => failures.add(kind, messages.length, where, typeof detail === 'string' ? detail : JSON.stringify(detail));
          const p = plan(messages, options);
          const prefixEnd = leadingRun(messages, format, options.prefix);
          const cut = bestCut(transcript, tokens, prefixEnd, options);
          assert.equal(p.format, format);
          assert.equal(p.length, messages.length);
          if (JSON.stringify(p.pending.map((id) => id.replace(/^tool-/, '')).sort()) !== JSON.stringify(pending.sort())) fail('pending named wrongly', [p.pending, pending]);
          if (p.kind === 'none') {
            nones++;
            assert.equal(p.total, total);
            if (cut === undefined && p.reason === 'only-existing-summary') fail('wrong reason', p);
            if (cut !== undefined && (p.reason === 'no-legal-cut' || p.reason === 'pending-call')) fail('no plan although there is a legal cut', { p, cut });
            continue;
          }
          folds++;
          const { keptFrom, kept } = p;
          if (p.prefixEnd !== prefixEnd) fail('prefix', { got: p.prefixEnd, want: prefixEnd });
          if (keptFrom !== cut) fail('cut', { got: keptFrom, want: cut, legal: transcript.legal, tokens });
          const tailTokens = tokens.slice(keptFrom).reduce((a, b) => a + b, 0);
          if (p.tokens.tail !== tailTokens) fail('tail tokens', [p.tokens.tail, tailTokens]);
          if (p.overBudget !== tailTokens > options.tailBudget * (1 - (options.margin ?? 0))) fail('overBudget', [p.overBudget, tailTokens]);
          assert.deepEqual([...kept].sort((a, b) => a - b), kept);
          assert.ok(kept.every((i) => i >= p.prefixEnd && i < keptFrom));
          assert.equal(p.keptReasons.length, kept.length);
          // What must stay verbatim does.
          const inSpan = (i) => i >= p.prefixEnd && i < keptFrom;
          const must = [...wanted(transcript, options, p.prefixEnd)].filter(inSpan);
          if (!must.every((i) => kept.includes(i))) fail('something pinned folds', { must, kept });
          // Whole units: closure over what belongs together, from what must stay and from the prefix.
          const unit = stays(transcript, options, p.prefixEnd, keptFrom);
          // Beyond that only user messages that keep two assistant messages apart, and say so.
          const apart = (i, at) => !unit.has(i) && p.keptReasons[at] === 'unit' && read[i].role === 'user' && messages.slice(0, i).some((m, j) => unit.has(j) && read[j].role === 'assistant');
          // Signed reasoning stays with its tool loop, so a pin inside one may keep more of it.
          const ofLoop = (i, at) => SIGNED.has(format) && !unit.has(i) && p.keptReasons[at] === 'unit';
          const closed = kept.filter((i, at) => !apart(i, at) && !ofLoop(i, at));
          if (JSON.stringify([...unit].sort((a, b) => a - b)) !== JSON.stringify(closed)) fail('kept is not the closure of what must stay', { unit: [...unit], kept, reasons: p.keptReasons });
          // The window.
          const digests = several(digestMessage(`GOAL: seed ${seed}`, { format, like: messages }));
          const window = fold(messages, p, digests, { format });
          const place = window.indexOf(digests[0]);
          const end = place + digests.length;
          if (place < p.prefixEnd || !digests.every((m, i) => m === window[place + i])) fail('the digest is not in its place', p);
          const own = window.filter((m) => messages.includes(m));
          const parts = [...messages.slice(0, p.prefixEnd), ...kept.map((i) => messages[i]), ...messages.slice(keptFrom)];
          if (own.length !== parts.length || window.length < parts.length + digests.length) fail('window has other messages', { length: window.length });
          if (!window.slice(0, p.prefixEnd).every((m, i) => m === messages[i])) fail('prefix changed', p);
          const tail = messages.slice(keptFrom);
          if (!tail.every((m, i) => m === window[window.length - tail.length + i])) fail('tail is not the suffix', p);
          const middle = window.slice(p.prefixEnd, window.length - tail.length).filter((m) => messages.includes(m));
          if (middle.length !== kept.length || !kept.every((i) => middle.includes(messages[i]))) fail('kept messages', p);
          const order = (from, to) => window.slice(from, to).map((m) => messages.indexOf(m)).filter((i) => i >= 0);
          const ascending = (list) => list.every((x, i) => i === 0 || list[i - 1] < x);
          if (!ascending(order(p.prefixEnd, place)) || !ascending(order(end, window.length))) fail('order', p);
          const needless = needlessFillers(window, messages, digests, format);
          if (needless.length) fail('a filler that keeps nothing apart', { needless, roles: window.map((m) => messages.indexOf(m)) });
          const added = blamed(messages, window, format);
          if (added.length) {
            const name = (m) => (digests.includes(m) ? 'DIGEST' : messages.includes(m) ? `${messages.indexOf(m)}:${read[messages.indexOf(m)].role}` : 'FILLER');
            const clean = validate(messages, format).length === 0;
            fail(`fault ${added[0].rule}${clean ? ' from a clean transcript' : ''}${kept.length ? ', with kept messages' : ''}${options.prefix ? ', with prefix' : ''}`, `${JSON.stringify(added[0])} window: ${window.map(name).join(' ')}; kept ${kept}, reasons ${p.keptReasons}`);
          }
          // What the plan says elsewhere.
          const m = measure(messages, p);
          assert.equal(m.total, total);
          assert.equal(m.prefix + m.kept + m.folded + m.tail, total);
          assert.equal(m.foldedMessages, keptFrom - p.prefixEnd - kept.length);
          assert.deepEqual([m.prefix, m.kept, m.tail], [p.tokens.prefix, p.tokens.kept, p.tokens.tail]);
          const fates = explain(messages, p);
          assert.deepEqual(fates.map((f) => f.index), messages.map((_, i) => i));
          fates.forEach((f, i) => {
            assert.equal(f.fate, i < p.prefixEnd ? 'prefix' : i >= keptFrom ? 'tail' : kept.includes(i) ? 'kept' : 'folded');
            assert.ok(f.reason.length > 5);
          });
        }
        assert.equal(JSON.stringify(messages), before, 'messages were changed');
      }
      assert.ok(folds > SEEDS && nones > 0);
      count(`${format} plans judged`, folds + nones);
      failures.assertNone();
    });

    test(`${entry} ${format}: no legal tail is larger and fits (brute force over every budget)`, () => {
      const failures = new Failures();
      for (let seed = first; seed < first + SEEDS / 4; seed++) {
        const malformed = MALFORMED[seed % MALFORMED.length];
        const messages = randomTranscript(50_000 + seed, format, { malformed, turns: 1 + (seed % 4) });
        const transcript = transcriptOf(messages, format);
        const tokens = Array.from(estimate(messages, { format }).perMessage);
        const prefixEnd = leadingRun(messages, format);
        const sums = tokens.map((_, i) => tokens.slice(i).reduce((a, b) => a + b, 0));
        for (const tailBudget of new Set([0, ...sums, ...sums.map((s) => s - 1), ...sums.map((s) => s + 0.5)].filter((b) => b >= 0))) {
          const p = plan(messages, { format, tailBudget });
          const want = bestCut(transcript, tokens, prefixEnd, { tailBudget });
          const where = `seed ${50_000 + seed} malformed ${malformed} budget ${tailBudget}`;
          if (p.kind === 'fold' && p.keptFrom !== want) failures.add('cut', messages.length, where, `got ${p.keptFrom}, want ${want}`);
          if (p.kind === 'none' && want !== undefined) {
            const span = transcript.read.slice(prefixEnd, want).filter((m) => !isStanding(m));
            const blocked = span.every((m) => m.from === 'summary');
            if (!blocked && !transcript.tied.some(([from]) => from < prefixEnd)) failures.add('none', messages.length, where, p.reason);
            if (span.length && blocked && p.reason !== 'only-existing-summary') failures.add('reason', messages.length, where, p.reason);
            if (!span.length && p.reason !== 'nothing-to-fold') failures.add('reason', messages.length, where, p.reason);
          }
          if (p.kind === 'none' && want === undefined && !['nothing-to-fold', 'no-legal-cut', 'pending-call'].includes(p.reason)) failures.add('reason', messages.length, where, p.reason);
          count('budgets tried');
        }
      }
      failures.assertNone();
    });

    test(`${entry} ${format}: a ledger brings everything back through folds of folds`, () => {
      const failures = new Failures();
      let rounds = 0;
      for (let seed = first; seed < first + SEEDS / 2; seed++) {
        const r = new Random(seed + 900_000);
        const malformed = r.pick([0, 0, 0, 0.3]);
        const sameSummary = r.chance(0.3);
        const informed = r.chance(0.7); // whether plan and fold are told about the ledger
        const ledger = new Ledger();
        let original = [...randomTranscript(seed, format, { malformed, turns: 2 + r.below(6) })];
        let window = [...original];
        const windows = [];
        let folds = 0;
        const where = `seed ${seed}, malformed ${malformed}, same ${sameSummary}, informed ${informed}`;
        try {
          for (let round = 0; round < 3 + r.below(4); round++) {
            const options = { format, ...optionsOf(r, window, estimate(window, { format }).total), ...(informed ? { ledger } : {}) };
            delete options.prefix;
            const p = plan(window, options);
            if (p.kind === 'fold') {
              const digest = digestMessage(sameSummary ? 'GOAL: the same' : `GOAL: ${seed}.${round}`, { format, like: window });
              const before = window;
              const recorded = ledger.record({ messages: window, plan: p, digest, format, outcome: 'summarized', tokens: { before: 9, after: 1 } });
              folds++;
              assert.equal(recorded, ledger.folds[ledger.folds.length - 1]);
              const inSpan = before.slice(p.prefixEnd, p.keptFrom).filter((_, i) => !p.kept.includes(p.prefixEnd + i));
              assert.ok(recorded.messages.length === inSpan.length && recorded.messages.every((m, i) => m === inSpan[i]));
              window = fold(window, p, digest, options);
              assert.equal(ledger.lookup(several(digest)[0]).id, recorded.id);
              assert.ok(ledger.lookupAll(several(digest)[0]).includes(recorded));
              const added = blamed(before, window, format);
              if (added.length && malformed === 0) failures.add(`round fault ${added[0].rule}`, before.length, where, JSON.stringify(added[0]));
              windows.push({ window, original });
              rounds++;
            }
            const more = randomTranscript(seed * 31 + round + 1, format, { turns: 1 + r.below(3) }).filter((m) => reading([m], format)[0].role !== 'system');
            window = [...window, ...more];
            original = [...original, ...more];
            check(ledger, window, original, `round ${round}`);
          }
          if (folds === 0) continue;
          // Windows from before the latest folds unfold as well. With one summary for all, a later fold may have left the same
          // messages: then contents cannot tell, and the later one is taken.
          if (!sameSummary) for (const past of windows) check(ledger, past.window, past.original, 'an earlier window');
          assert.deepEqual(ledger.missing(window), []);
          const json = JSON.parse(JSON.stringify(ledger));
          const again = Ledger.from(json);
          assert.deepEqual(JSON.parse(JSON.stringify(again.unfold(window))), JSON.parse(JSON.stringify(original)));
          assert.deepEqual(again.unfold(JSON.parse(JSON.stringify(window))), JSON.parse(JSON.stringify(original)));
          assert.deepEqual(JSON.parse(JSON.stringify(again)), json);
          assert.deepEqual(again.folds.map((f) => f.record), ledger.folds.map((f) => f.record));
          const copy = structuredClone(window);
          assert.deepEqual(ledger.unfold(copy), original);
        } catch (error) {
          failures.add(error instanceof PlicaError ? error.code : error.message.split('\n')[0], original.length, where, String(error.message).slice(0, 300));
        }
        function check(book, from, to, label) {
          if (folds === 0) return;
          let back;
          try {
            back = book.unfold(from);
          } catch (error) {
            if (!(error instanceof PlicaError)) throw error;
            return failures.add(`unfold ${error.code}, ${label.replace(/\d+/, 'n')}, same summaries ${sameSummary}`, to.length, where, error.message);
          }
          if (back.length !== to.length || !back.every((m, i) => m === to[i])) {
            const at = back.findIndex((m, i) => m !== to[i]);
            failures.add(`unfold is not the original, ${label.replace(/\d+/, 'n')}, same summaries ${sameSummary}`, to.length, where, `lengths ${back.length}, ${to.length}; first difference at ${at}`);
          }
        }
      }
      assert.ok(rounds > SEEDS / 2);
      count(`${format} ledger rounds`, rounds);
      failures.assertNone();
    });
  }
});
