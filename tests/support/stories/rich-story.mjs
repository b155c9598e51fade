// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Stories for the formats that have more to tell. Beside the steps of story.mjs:
//
//   { kind: 'summary', text }                     what an earlier fold left
//   { kind: 'answers', answers: [{ id, callId?, approved, reason }] }   to what an assistant step asks
// An assistant step has `asks: [{ id, callId?, name, input }]`; with callId the call waits for the answer, without it the
// provider's own tool does. A result has the `name` of its tool. A server entry with `ask` is the call that was allowed.
//
// Traits: { asks: 'calls' | 'hosted', server, other }: what the format has room for.

import { seedTag, words } from './dice.mjs';
import { answer, call, resultFor } from './story.mjs';

export function inventRich(r, turns, traits) {
  const teller = new Teller(r, traits);
  teller.opening();
  for (let t = 0; t < turns; t++) if (teller.turn(t === turns - 1) === 'in flight') break;
  return teller.story;
}

class Teller {
  constructor(r, traits) {
    this.r = r;
    this.traits = traits;
    this.story = [];
    this.reuse = r.chance(0.3); // the back end starts counting anew with every reply
    this.thinks = r.chance(0.6);
    this.serial = 0;
    this.allowed = []; // requests that were granted and not acted on yet
  }

  tell(...steps) {
    this.story.push(...steps);
  }

  opening() {
    const { r } = this;
    for (let n = r.below(3); n > 0; n--) this.tell({ kind: 'system', text: words(r), developer: r.chance(0.3) });
    if (r.chance(0.15)) this.tell({ kind: 'summary', text: words(r, 60) });
  }

  turn(isLast) {
    const { r } = this;
    for (let n = r.chance(0.1) ? 2 : 1; n > 0; n--) this.tell({ kind: 'user', text: words(r, 30), image: r.chance(0.08) });
    if (r.chance(0.06)) this.tell({ kind: 'system', text: words(r) }); // in the middle
    this.maybeOther(0.08);
    if (this.traits.asks === 'hosted' && r.chance(0.15) && this.hostedApproval(isLast) === 'in flight') return 'in flight';
    const steps = r.pick([0, 0, 1, 1, 2, 3, 6]);
    for (let s = 0; s < steps; s++) if (this.work(isLast && s === steps - 1) === 'in flight') return 'in flight';
    if (isLast && r.chance(0.3)) return 'in flight';
    this.tell(this.reply([]));
    if (r.chance(0.04)) this.tell(this.reply([])); // two answers in a row
    return 'done';
  }

  maybeOther(chance) {
    if (this.traits.other && this.r.chance(chance)) this.tell({ kind: 'other', text: words(this.r) });
  }

  reply(calls) {
    const { r } = this;
    const step = { ...answer(r, this.thinks, calls), asks: [] };
    for (const ask of this.allowed.splice(0)) step.server.push({ id: `srv_${seedTag(r)}`, name: 'mcp', ask });
    if (this.traits.server && r.chance(0.12)) step.server.push({ id: `srv_${seedTag(r)}`, name: 'web_search' });
    return step;
  }

  /** Calls, their results, and what may come between and after. */
  work(isLast) {
    const { r } = this;
    const calls = [];
    for (let n = r.pick([1, 1, 1, 2, 3, 5]); n > 0; n--) calls.push(call(r, this.reuse ? `call_${calls.length}` : `call_${seedTag(r)}_${this.serial++}`));
    const step = this.reply(calls);
    if (this.traits.asks === 'calls' && r.chance(0.15)) step.asks = calls.slice(0, 1 + r.below(2)).map((c) => ({ id: `approval_${seedTag(r)}`, callId: c.id, name: c.name, input: c.input }));
    this.tell(step);
    const answers = step.asks.map((ask) => ({ id: ask.id, callId: ask.callId, approved: r.chance(0.7), reason: words(r, 4) }));
    if (isLast && r.chance(0.3)) return this.breakOff(calls, answers);
    if (answers.length) this.tell({ kind: 'answers', answers });
    const silent = answers.filter((x) => !x.approved && r.chance(0.5)).map((x) => x.callId); // the denial is all there is
    this.results(calls.filter((c) => !silent.includes(c.id)).map((c) => this.result(c, answers)));
    if (r.chance(0.05)) this.tell({ kind: 'user', text: words(r) }); // a word while it works
    this.maybeOther(0.04);
    return 'done';
  }

  result(c, answers = []) {
    const denied = answers.some((x) => x.callId === c.id && !x.approved);
    return { ...resultFor(this.r, c), name: c.name, ...(denied ? { denied } : {}) };
  }

  breakOff(calls, answers) {
    if (answers.length && this.r.chance(0.5)) this.tell({ kind: 'answers', answers: answers.map((x) => ({ ...x, approved: true })) });
    else if (!answers.length && calls.length > 1 && this.r.chance(0.5)) this.tell({ kind: 'results', results: [this.result(calls[0])] });
    return 'in flight';
  }

  results(results) {
    const { r } = this;
    if (results.length === 0) return;
    const list = r.chance(0.2) ? [...results].reverse() : results;
    if (list.length > 1 && r.chance(0.15)) this.tell({ kind: 'results', results: list.slice(0, 1) }, { kind: 'results', results: list.slice(1) });
    else this.tell({ kind: 'results', results: list, textAfter: r.chance(0.1) ? words(r) : undefined });
  }

  /** The provider asks whether it may use a tool of its own. */
  hostedApproval(isLast) {
    const { r } = this;
    const asks = Array.from({ length: r.chance(0.2) ? 2 : 1 }, () => ({ ...call(r, undefined), id: `mcpr_${seedTag(r)}` }));
    this.tell({ ...this.reply([]), texts: r.chance(0.3) ? [words(r)] : [], asks });
    if (isLast && r.chance(0.3)) return 'in flight';
    const answers = asks.map(({ id }) => ({ id, approved: r.chance(0.75), reason: words(r, 4) }));
    this.tell({ kind: 'answers', answers });
    this.allowed.push(...answers.filter((x) => x.approved).map((x) => x.id));
    return 'done';
  }
}
