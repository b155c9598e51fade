// The timeline: every message in the order in which it came, and every digest right after the item that was the last one when it
// was made. It says for every item which window the model saw once that item was there.

import { fingerprints } from "plica/slim";
import type { Fold, Ledger } from "plica/slim";
import type { FoldState } from "../protocol.js";
import { joined, rangesOf } from "./ranges.js";
import type { Range } from "./ranges.js";
import { walkBack } from "./walk.js";
import type { Place, Step, Walk } from "./walk.js";

/** A fold, by the items of the timeline. */
export interface TimelineFold {
  /** What the ledger has of it. */
  fold: Fold;
  digest: number[];
  /** It was made after this item; -1 when nothing of what was before is there. */
  moment: number;
  state: FoldState;
  covers: Range[];
  /** Items that it took away. */
  originals: Uint32Array;
}

export interface Timeline {
  /** The messages of the items. */
  messages: object[];
  /** Number of the fold whose digest an item is; -1 for others. */
  digestOf: Int32Array;
  /** Number of the fold that took an item away; -1 where none did. */
  takenBy: Int32Array;
  /** Items of the current window. */
  window: Uint32Array;
  folds: TimelineFold[];
  /** Number of messages that were said: all but what folds wrote whose originals are there. */
  said: number;
  /** Why the whole conversation cannot be shown. */
  incomplete: string | null;
  /** The windows right after the folds, the oldest first. */
  stages: Stage[];
  /** Items that nobody said: the pinned rules, which plica put in front of the conversation. */
  pinned: number[];
}

/** From one fold to the next nothing leaves the window: each item is added to it. */
interface Stage {
  /** The first item of it: the digest. */
  first: number;
  /** The window right after the fold. */
  window: Uint32Array;
  /** The first item that came since. */
  since: number;
}

/** The timeline of a window and the ledger of the folds behind it. */
export function timelineOf(window: readonly object[], ledger: Ledger): Timeline {
  if (ledger.records.length === 0) return bareTimeline(window, [], null);
  const prints = fingerprints(window);
  const walk = walkBack(window, prints, ledger.folds);
  const whole = unfolded(window, ledger);
  if (whole.messages !== undefined) {
    const said = saidIn(walk);
    const putIn = pinnedAmong(said, window, whole.messages);
    if (!same(said.filter((message) => !putIn.has(message)), whole.messages)) return mergedTimeline(window, whole.messages, ledger);
    const timeline = assembled(window, walk, ledger);
    timeline.pinned = Array.from(timeline.window).filter((item) => putIn.has(timeline.messages[item]!));
    timeline.said -= timeline.pinned.length;
    return timeline;
  }
  const known = walk.steps.length + walk.standing.length > 0;
  if (known && ledger.edits.length === 0) return { ...assembled(window, walk, ledger), incomplete: whole.why };
  return bareTimeline(window, ledger.lookupMany(window), whole.why);
}

/** Items of the window right after an item came. */
export function windowAt(timeline: Timeline, moment: number): Uint32Array {
  if (moment === timeline.messages.length - 1) return timeline.window.slice();
  const stage = stageAt(timeline.stages, moment);
  if (stage === undefined) return timeline.stages.length > 0 ? upTo(0, moment) : timeline.window.filter((item) => item <= moment);
  const since = moment >= stage.since ? upTo(stage.since, moment) : new Uint32Array();
  const window = new Uint32Array(stage.window.length + since.length);
  window.set(stage.window);
  window.set(since, stage.window.length);
  return window;
}

/** The last stage that had begun. */
function stageAt(stages: readonly Stage[], moment: number): Stage | undefined {
  let [low, high] = [0, stages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stages[middle]!.first <= moment) low = middle + 1;
    else high = middle;
  }
  return stages[low - 1];
}

function upTo(first: number, last: number): Uint32Array {
  return Uint32Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

// ----------------------------------------------------------------------------------------------------------- what the ledger says

/** The whole conversation, or why it is not to be had. */
function unfolded(window: readonly object[], ledger: Ledger): { messages: object[]; why: null } | { messages: undefined; why: string } {
  try {
    return { messages: ledger.unfold(window), why: null };
  } catch (error) {
    return { messages: undefined, why: sentence(error instanceof Error ? error.message : String(error)) };
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/** What was said, without what the folds wrote that were undone. */
function saidIn(walk: Walk): object[] {
  const all = [walk.first, ...walk.steps.map((step) => step.since)];
  return all.flatMap((places) => places.map((place) => place.message));
}

/** What stands in the window and is no part of the conversation, although no fold wrote it: only the pinned rules are such. */
function pinnedAmong(said: readonly object[], window: readonly object[], whole: readonly object[]): Set<object> {
  const known = new Set(whole);
  const standing = new Set(window);
  return new Set(said.filter((message) => !known.has(message) && standing.has(message)));
}

function same(a: readonly object[], b: readonly object[]): boolean {
  return a.length === b.length && a.every((message, i) => message === b[i]);
}

/** What is said of folds of which nothing but the digest is there. */
function goneSentence(count: number): string | null {
  if (count === 0) return null;
  return count === 1 ? "What one fold took away is not there: its digest is all that is left of it." : `What ${count} folds took away is not there: their digests are all that is left of it.`;
}

// ------------------------------------------------------------------------------------------------------------- the exact timeline

function assembled(window: readonly object[], walk: Walk, ledger: Ledger): Timeline {
  const order = [...walk.first];
  const stages: { step: Step; first: number; since: number }[] = [];
  for (const step of walk.steps) {
    const first = order.length;
    for (const place of step.written) order.push(place);
    stages.push({ step, first, since: order.length });
    for (const place of step.since) order.push(place);
  }
  order.forEach((place, item) => { place.item = item; });
  const last = walk.steps.at(-1);
  const now = last === undefined ? walk.first : last.after.concat(last.since);
  const timeline = emptyTimeline(order.map((place) => place.message), itemsOf(now));
  timeline.stages = stages.map(({ step, first, since }) => ({ first, window: itemsOf(step.after), since }));
  if (window.length !== now.length) throw new Error("the walk back lost a message");
  addFolds(timeline, walk, ledger);
  timeline.said -= walk.steps.reduce((sum, step) => sum + step.written.length, 0);
  timeline.incomplete = goneSentence(walk.standing.length);
  return timeline;
}

function emptyTimeline(messages: object[], window: Uint32Array): Timeline {
  const none = (): Int32Array => new Int32Array(messages.length).fill(-1);
  return { messages, digestOf: none(), takenBy: none(), window, folds: [], said: messages.length, incomplete: null, stages: [], pinned: [] };
}

function itemsOf(places: readonly Place[]): Uint32Array {
  return Uint32Array.from(places, (place) => place.item);
}

function addFolds(timeline: Timeline, walk: Walk, ledger: Ledger): void {
  const written = new Set(walk.steps.flatMap((step) => step.written.map((place) => place.item)));
  const steps = new Map(walk.steps.map((step) => [step.fold, step]));
  const standing = new Map(walk.standing.map((one) => [one.fold, one]));
  for (const fold of ledger.folds) {
    const step = steps.get(fold);
    const digest = (step ?? standing.get(fold))?.digest.map((place) => place.item);
    if (digest === undefined) continue;
    const originals = step === undefined ? new Uint32Array() : itemsOf(step.taken);
    addFold(timeline, fold, digest, originals, step === undefined ? digest[0]! : step.written[0]!.item, written);
  }
}

/** So many folds keep exact runs: their number grows with the square of that. */
const MOST_EXACT = 500;

/** `first` is the first item that the fold wrote, `written` what all folds wrote: what was said is covered, not that. */
function addFold(timeline: Timeline, fold: Fold, digest: number[], originals: Uint32Array, first: number, written: ReadonlySet<number>): void {
  const number = timeline.folds.length;
  // Between the messages that fold after fold took stand all their digests: so many runs that they are joined where there are too many.
  const many = number > MOST_EXACT;
  const ranges = rangesOf(originals.filter((item) => many || !written.has(item)).sort());
  const inside = new Set<number>();
  for (const item of originals) {
    if (timeline.takenBy[item] === -1) timeline.takenBy[item] = number;
    if (timeline.digestOf[item] !== -1) inside.add(timeline.digestOf[item]!);
  }
  for (const item of digest) timeline.digestOf[item] = number;
  const covers = joined([...ranges, ...[...inside].flatMap((earlier) => timeline.folds[earlier]!.covers)]);
  const state = fold.messages === undefined || fold.record.gone === true ? "without-originals" : "with-originals";
  timeline.folds.push({ fold, digest, moment: first - 1, state, covers, originals });
}

// ------------------------------------------------------------------------------------------- timelines where less is known for sure

/**
 * The unfolded conversation, and what of the window is none of it (digests, reduced and repaired messages) right before the message
 * that it stands before in the window.
 */
function mergedTimeline(window: readonly object[], whole: readonly object[], ledger: Ledger): Timeline {
  const place = new Map(whole.map((message, i) => [message, i]));
  const messages: object[] = [];
  const itemOf = new Map<object, number>();
  const push = (message: object): void => {
    itemOf.set(message, messages.length);
    messages.push(message);
  };
  const own: object[] = [];
  let next = 0;
  const pushUpTo = (end: number): void => {
    for (; next < end; next++) push(whole[next]!);
  };
  for (const message of window) {
    const at = place.get(message);
    if (at === undefined) {
      own.push(message);
      continue;
    }
    pushUpTo(at);
    own.splice(0).forEach(push);
  }
  pushUpTo(own.length > 0 ? whole.length : next);
  own.forEach(push);
  pushUpTo(whole.length);
  const timeline = emptyTimeline(messages, Uint32Array.from(window, (message) => itemOf.get(message)!));
  addStandingFolds(timeline, ledger.lookupMany(window), itemOf);
  timeline.said = whole.length;
  return timeline;
}

/** The window as it is: all there is to be shown. */
function bareTimeline(window: readonly object[], folds: readonly (Fold | undefined)[], incomplete: string | null): Timeline {
  const timeline = emptyTimeline([...window], upTo(0, window.length - 1));
  addStandingFolds(timeline, folds, new Map());
  timeline.incomplete = incomplete;
  return timeline;
}

const NONE: ReadonlySet<number> = new Set();

/** The folds whose digests stand in the window; `folds` has them by the messages of the window, `itemOf` the originals that are there. */
function addStandingFolds(timeline: Timeline, folds: readonly (Fold | undefined)[], itemOf: ReadonlyMap<object, number>): void {
  const digests = new Map<Fold, number[]>();
  folds.forEach((fold, i) => {
    if (fold === undefined) return;
    const items = digests.get(fold);
    if (items === undefined) digests.set(fold, [timeline.window[i]!]);
    else items.push(timeline.window[i]!);
  });
  for (const [fold, digest] of digests) {
    const originals = (fold.messages ?? []).flatMap((message) => itemOf.get(message) ?? []);
    addFold(timeline, fold, digest, Uint32Array.from(originals), digest[0]!, NONE);
    if (originals.length === 0) timeline.folds.at(-1)!.state = "without-originals";
  }
}
