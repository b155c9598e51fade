// How times are taken. Contenders of one table run in turn, a sample each a round, in an order that moves on by one every round:
// whatever disturbs the machine meets all of them. What is said is the median, with the quartiles around it: a best of n would
// hide the collector's work, which is part of a result, and a mean would be that of the worst disturbance.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
export const collect = runInNewContext("gc");
/** Empties the young generation, so that nobody pays for what another left. (A full collection would drop compiled code, too.) */
const collectYoung = () => collect({ type: "minor" });

/** A contender was stopped because one call took longer than the limit. */
export class TooSlow extends Error {}

let overdueAt = Infinity;
/** For contenders that call back into the bench: throws when the present call is over the limit. */
export function checkLimit() {
  if (performance.now() > overdueAt) throw new TooSlow();
}

/**
 * One sample: `repeat` runs on a state that is prepared outside the time. Promises are awaited.
 * Gives milliseconds a run, and the last answer.
 */
async function sample(contender, repeat, limitMs) {
  const state = await contender.prepare?.();
  collectYoung();
  try {
    const start = performance.now();
    overdueAt = start + limitMs;
    let answer;
    for (let i = 0; i < repeat; i++) {
      answer = contender.run(state, i);
      if (answer instanceof Promise) answer = await answer;
    }
    return { ms: (performance.now() - start) / repeat, answer, state };
  } finally {
    overdueAt = Infinity;
    await contender.dispose?.(state);
  }
}

/** Runs that a sample is made of: enough for the clock, as many as the contender's state bears, one of what is slow. */
const repeats = (contender, ms) => Math.max(1, Math.min(contender.maxRepeat ?? 1000, Math.ceil(SAMPLE_MS / ms)));
const SAMPLE_MS = 5;
const WARM_MS = 300;

/** The first run: its answer is looked at before anything of it is timed. Then runs until it is compiled. */
async function warm(contender, limitMs) {
  let { ms, answer, state } = await sample({ ...contender, dispose: undefined }, 1, limitMs);
  try {
    contender.check(answer, state);
  } catch (error) {
    throw new Error(`${contender.name} gives a wrong answer: ${error.message}`, { cause: error });
  } finally {
    await contender.dispose?.(state);
  }
  let repeat = repeats(contender, ms);
  // The wall clock, because preparing a state may take much longer than running on it.
  const end = performance.now() + WARM_MS;
  for (let i = 0; ms < WARM_MS && i < 50 && (i < 3 || performance.now() < end); i++) {
    ({ ms } = await sample(contender, repeat, limitMs));
    repeat = repeats(contender, ms);
  }
  return { ms, repeat };
}

/** A value between the sorted ones. */
function quantile(sorted, q) {
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.ceil(at)] - sorted[low]) * (at - low);
}

export function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75), rounds: sorted.length };
}

/** Whether one that runs in `own` of `all` rounds runs in this one: spread over all of them. */
const takesPart = (round, own, all) => Math.floor(((round + 1) * own) / all) > Math.floor((round * own) / all);

/**
 * Times contenders beside each other.
 *
 * A contender: `name`; `run(state, i)`; `check(answer, state)`, which throws when the answer is not sane; `prepare()` and
 * `dispose(state)`, outside the time; `maxRepeat`, runs that one state bears; or `missing`, a text instead of a time.
 * Gives a Map from names to `{ median, low, high, rounds }` in milliseconds, `{ over }` (seconds), or `{ missing }`.
 */
export async function compare(contenders, { rounds = 15, limitMs = 20_000, shareMs = 6_000 } = {}) {
  const results = new Map();
  const running = [];
  for (const contender of contenders) {
    if (contender.missing) {
      results.set(contender.name, { missing: contender.missing });
      continue;
    }
    try {
      const { ms, repeat } = await warm(contender, limitMs);
      const own = Math.max(1, Math.min(rounds, Math.floor(shareMs / (ms * repeat))));
      running.push({ contender, repeat, rounds: own, times: [] });
    } catch (error) {
      if (!(error instanceof TooSlow)) throw error;
      results.set(contender.name, { over: limitMs / 1000 });
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < running.length; i++) {
      const one = running[(i + round) % running.length];
      if (takesPart(round, one.rounds, rounds)) one.times.push((await sample(one.contender, one.repeat, limitMs * 2)).ms);
    }
  }
  for (const { contender, times } of running) results.set(contender.name, summary(times));
  return results;
}
