// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The rule that most formats share: the results of a message's calls come directly after it. A format reads each of its
// messages into a step; the steps are judged here.
//
// Step: { index, kind, calls: [], results: [], talks? }
//   kind 'model'    the model's message; its calls open a run. Results in it (a provider's own tools) count where the
//                   format says so (`inside`).
//   kind 'results'  belongs to the run before it. `talks`: it says something else, too.
//   kind 'other'    ends the run.
// Call: { id, name?, p, optional? }  Result: { id, name?, p, soft? }   p: place in the message; optional and soft: pairing.mjs
//
// How a format differs: { inside, find, tag, noIds, oneStep }
//   find(calls, result)  the open call that a result means; by id where nothing is said
//   tag(call or result)  what a fault calls it
//   noIds                calls need no id
//   oneStep              only the very next message may hold results

import { fault, isObject } from './common.mjs';

const byId = (calls, result) => (typeof result.id === 'string' ? calls.find((c) => c.id === result.id) : undefined);

/** Reads every message; what is wrong with the message itself is said at once. A message without a step is passed over. */
export function readSteps(messages, read, faults = []) {
  const steps = [];
  messages.forEach((message, index) => {
    const say = (rule, detail, id) => void faults.push(fault(rule, index, detail, id));
    if (!isObject(message)) return say('bad-message', 'not an object');
    const step = read(message, say, index);
    if (step) steps.push({ calls: [], results: [], ...step, index });
  });
  return steps;
}

export function judgeSteps(messages, options, read, how = {}) {
  const faults = [];
  const steps = readSteps(messages, read, faults);
  new Runs(faults, options, how).judge(steps);
  return faults;
}

export function eventsOfSteps(messages, read) {
  return readSteps(messages, read).flatMap((step) => [
    ...(step.kind === 'model' ? [{ kind: 'assistant', at: [step.index, 0] }] : []),
    ...[...step.calls.map((c) => ({ ...c, kind: 'call' })), ...step.results.map((x) => ({ ...x, kind: 'result' }))]
      .sort((a, b) => a.p - b.p)
      .map(({ p, ...event }) => ({ ...event, at: [step.index, p] })),
  ]);
}

class Runs {
  constructor(faults, options, how) {
    this.faults = faults;
    this.options = options;
    this.how = { find: byId, tag: (x) => x.id, ...how };
    this.past = []; // runs, the latest last: { calls, open: results may still come, talked: something else came after }
    this.seenBefore = new Set();
  }

  judge(steps) {
    for (const step of steps) {
      if (step.kind !== 'results') this.endRun();
      if (step.kind === 'model' && this.how.inside) this.openRun(step);
      for (const result of step.results) this.place(result, step.index);
      if (step.kind === 'model' && !this.how.inside) this.openRun(step);
      if (step.kind === 'results') this.afterResults(step);
    }
    for (const run of this.past) this.settle(run);
  }

  get run() {
    const last = this.past[this.past.length - 1];
    return last && last.open ? last : undefined;
  }

  endRun() {
    if (this.run) this.run.open = false;
    this.talked();
  }

  /** Something that is no result: no run so far is in flight any longer. */
  talked() {
    for (let n = this.past.length - 1; n >= 0 && !this.past[n].talked; n--) this.past[n].talked = true;
  }

  afterResults(step) {
    if (step.talks) this.talked();
    if (this.how.oneStep && this.run) this.run.open = false;
  }

  openRun(step) {
    if (step.calls.length === 0) return;
    const ids = new Set();
    for (const { id } of step.calls) {
      if (typeof id !== 'string' || id === '') {
        if (!this.how.noIds) this.say('missing-id', step.index, 'a call without an id');
      } else if (ids.has(id)) this.say('duplicate-id', step.index, `${id} twice in one message`, id);
      else if (this.options.strictIds && this.seenBefore.has(id)) this.say('reused-id', step.index, `${id} was used before`, id);
      ids.add(id);
    }
    for (const id of ids) if (typeof id === 'string') this.seenBefore.add(id);
    this.past.push({ calls: step.calls.map((c) => ({ ...c, index: step.index, done: false })), open: true, talked: false });
  }

  place(result, index) {
    const { find, tag } = this.how;
    const open = (calls) => find(calls.filter((c) => !c.done), result);
    const here = this.run && open(this.run.calls);
    if (result.soft) return void (here && (here.soft = true));
    if (here) return void (here.done = true);
    const earlier = [...this.past].reverse();
    const free = earlier.map((run) => open(run.calls.filter((c) => c.optional))).find(Boolean);
    if (free) return void (free.done = true);
    const late = earlier.map((run) => open(run.calls)).find(Boolean);
    if (late) {
      late.done = true;
      this.say('misplaced-result', index, 'not directly after its call', tag(result));
    } else if (this.run && find(this.run.calls, result)) this.say('duplicate-result', index, 'a second result', tag(result));
    else this.say('orphan-result', index, 'no such call before it', tag(result));
  }

  settle(run) {
    for (const call of run.calls) {
      if (call.done || call.soft || call.optional) continue;
      if (run.talked) this.say('unanswered-call', call.index, 'something else came before its result', this.how.tag(call));
      else this.say('pending-call', call.index, 'the conversation ends before the result', this.how.tag(call));
    }
  }

  say(rule, index, detail, id) {
    this.faults.push(fault(rule, index, detail, id));
  }
}
