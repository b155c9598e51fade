// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the agents of the framework tests are about: a model that looks at beds, two at a time, and a summarizer that says how far it is.

/** A summary that `judgeSummary` takes; another one each time. */
export const summaryOf = (n) => `GOAL: look at all beds.\nSTATE: the beds are dry; ${n} summaries so far.\nDECISIONS: none\nCONSTRAINTS: none\nFILES: none\nNEXT: look at the other beds`;

/** What a bed looks like: about 60 tokens. */
export const bed = (n) => `Bed ${n}: ${'the soil is dry and the leaves hang. '.repeat(6)}`;

/** The answers of a model that looks at two beds a step, `steps` times, and then says so. */
export function gardener({ steps = 50, calls = 2 } = {}) {
  const state = { steps, n: 0, summaries: 0, summary: summaryOf };
  const answer = ({ model }) => {
    if (/summar/.test(model)) return summarized(state);
    const n = ++state.n;
    if (n % (state.steps + 1) === 0) return { text: `All beds are dry, says answer ${n}.` };
    return { calls: Array.from({ length: calls }, (_, i) => ({ id: `call_${n}_${i}`, name: 'look', arguments: { bed: n * 10 + i } })) };
  };
  return Object.assign(state, { answer });
}

function summarized(state) {
  const said = state.summary(++state.summaries);
  return typeof said === 'string' && said !== 'hang' ? { text: said } : said;
}

export const PINS = [{ key: 'noon', importance: 5, kind: 'constraint', agent_id: 'operator', value: 'Never water at noon.' }];
