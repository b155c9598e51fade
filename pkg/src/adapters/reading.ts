// What messages are that a framework hands over, beside what was said: all of it, a window of it, what goes back in it, or another's.

import type { Recognition } from "./recognition.js";
import type { Said } from "./said.js";

/** A list of messages of which the first `known` are those that were said, or their digests. What stands behind them is new. */
interface Known<M> {
  list: readonly M[];
  known: number;
  /** Where in the log a known message is; undefined for a digest. */
  placeOf: (i: number) => number | undefined;
}

/** They go on from all that was said. `counted`: in messages that the last request held, so that what was counted for it counts. */
export interface GoingOn<M> extends Known<M> {
  kind: "on";
  counted: boolean;
}

/** They go back to where `kept` messages of the log had been said. `isOther`: they have nothing of the conversation. */
export interface GoingBack<M> extends Known<M> {
  kind: "back";
  kept: number;
  isOther: boolean;
}

/** `undone`: they hold a digest whose fold was undone, and nobody knows any more what it stands for. */
export type Reading<M> = GoingOn<M> | GoingBack<M> | { kind: "undone" };

const itself = (i: number): number => i;
const noPlaces = (): undefined => undefined;

export function readingOf<M extends object>(given: readonly M[], said: Said<M>, recognition: Recognition<M>): Reading<M> {
  const { log } = said;
  if (log.length === 0) return { kind: "on", list: said.unfolded(given) ?? given, known: 0, placeOf: noPlaces, counted: false };
  if (recognition.hasUndone(given)) return { kind: "undone" };
  const known = recognition.common(given, log);
  if (known === log.length) return { kind: "on", list: given, known, placeOf: itself, counted: true };
  const views = said.views().map((view) => ({ ...view, shared: recognition.common(given, view.messages) }));
  const whole = views.find(({ messages, shared }) => shared === messages.length);
  if (whole !== undefined) return { kind: "on", list: given, known: whole.shared, placeOf: said.saidAt(whole.places), counted: true };
  // A window of before the last fold: what it led to was not kept, or it is another server's.
  const earlier = said.unfolded(given);
  const shared = earlier === undefined ? known : recognition.common(earlier, log);
  if (earlier !== undefined && shared === log.length) return { kind: "on", list: earlier, known: shared, placeOf: itself, counted: false };
  const isOther = known === 0 && earlier === undefined && views.every((view) => view.shared === 0);
  let best: GoingBack<M> = { kind: "back", list: earlier ?? given, known: shared, placeOf: itself, kept: shared, isOther };
  // As far as it goes: to a place in the window that it was given, or in all that was said.
  for (const view of views) {
    const kept = view.shared === 0 ? 0 : said.saidBefore(view.places[view.shared - 1]! + 1) ?? 0;
    if (kept > 0 && kept >= best.kept) best = { kind: "back", list: given, known: view.shared, placeOf: said.saidAt(view.places), kept, isOther };
  }
  return best;
}
