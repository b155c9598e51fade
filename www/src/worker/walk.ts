// The way back from the current window, fold by fold: what stood in the window before each fold, what the fold left of it, and
// what came since. Nothing of a message is looked at but its fingerprint, which the core gives.

import type { Fold, FoldRecord } from "plica/slim";

/** A message at its place in the conversation; it keeps its place through all windows that hold it. */
export interface Place {
  message: object;
  print: string;
  /** The item that it becomes; -1 before that is known. */
  item: number;
  /** The fold that wrote it, or put it in. */
  writtenBy: Fold | undefined;
}

/** A fold that was undone. */
export interface Step {
  fold: Fold;
  /** The window right after it. */
  after: Place[];
  /** Its digest, and what it put in beside it so that user and model take turns; in their order. */
  written: Place[];
  /** The digest alone. */
  digest: Place[];
  /** What it took away. */
  taken: Place[];
  /** What came between it and the next fold, or until now. */
  since: Place[];
}

/** A fold whose digest stands where it stood, because what it took away is not known. */
export interface Standing {
  fold: Fold;
  digest: Place[];
}

export interface Walk {
  /** The window before the first fold that could be undone. */
  first: Place[];
  /** The folds that were undone, the oldest first. */
  steps: Step[];
  standing: Standing[];
}

/** Undoes the folds of a window from the newest to the oldest. Folds whose digest is nowhere are of another way that was left. */
export function walkBack(window: readonly object[], prints: readonly string[], folds: readonly Fold[]): Walk {
  let entries = window.map((message, i): Place => placeOf(message, prints[i]!));
  const seen = new Set(prints);
  const steps: Step[] = [];
  const standing: Standing[] = [];
  for (const fold of [...folds].reverse()) {
    const body = bodyOf(fold.record);
    if (!body.every((entry) => seen.has(entry.print))) continue;
    const at = locate(fold.record, body, entries);
    if (at === undefined) continue;
    if (fold.messages === undefined || fold.record.gone === true) {
      standing.push(stand(fold, body, entries, at));
      continue;
    }
    const { before, step } = undo(fold, body, entries, at);
    for (const { print } of step.taken) seen.add(print);
    steps.push(step);
    entries = before;
  }
  return { first: entries, steps: steps.reverse(), standing: standing.reverse() };
}

function placeOf(message: object, print: string): Place {
  return { message, print, item: -1, writtenBy: undefined };
}

/** What a fold left between prefix and tail, in its order: kept messages by their index, the digest, what it put in. */
interface Left {
  print: string;
  /** Of a kept message its index in the window before. */
  kept?: number;
  digest?: true;
}

function bodyOf(record: FoldRecord): Left[] {
  const kept = (index: number): Left => ({ print: record.span[index - record.prefixEnd] ?? "", kept: index });
  const parts: Left[] = [...record.before.map(kept), ...record.digest.map((print): Left => ({ print, digest: true })), ...record.after.map(kept)];
  const body: Left[] = [];
  const fillers = [...(record.fillers ?? [])].reverse();
  const putIn = (): void => {
    for (let next = fillers.at(-1); next !== undefined && next.at === body.length; next = fillers.at(-1)) body.push({ print: fillers.pop()!.fingerprint });
  };
  for (const part of parts) {
    putIn();
    body.push(part);
  }
  putIn();
  return body;
}

/**
 * The index at which what a fold left begins. Two folds may have the same digest: the usual place counts more than any other, and
 * one with the tail behind it more than one without.
 */
function locate(record: FoldRecord, body: readonly Left[], entries: readonly Place[]): number | undefined {
  const stands = (start: number): boolean => body.every(({ print, digest }, i) => {
    const place = entries[start + i];
    return place !== undefined && place.print === print && !(digest === true && place.writtenBy !== undefined);
  });
  const inFront = (start: number): boolean => record.tail === null || entries[start + body.length]?.print === record.tail;
  if (stands(record.prefixEnd) && inFront(record.prefixEnd)) return record.prefixEnd;
  let any = stands(record.prefixEnd) ? record.prefixEnd : undefined;
  const first = body[0]!.print;
  for (let start = 0; start < entries.length; start++) {
    if (entries[start]!.print !== first || !stands(start)) continue;
    if (inFront(start)) return start;
    any ??= start;
  }
  return any;
}

function stand(fold: Fold, body: readonly Left[], entries: readonly Place[], at: number): Standing {
  const digest = body.flatMap((left, i) => (left.digest === true ? [entries[at + i]!] : []));
  for (const place of digest) place.writtenBy = fold;
  return { fold, digest };
}

/**
 * How many messages stood behind the span when the fold was made. Of a fold that was found in a file the span is all of the window
 * that was there; its record names what came next only to be found by it.
 */
function tailOf(fold: Fold): number {
  return fold.outcome === "found" ? 0 : fold.record.tailLength;
}

function undo(fold: Fold, body: readonly Left[], entries: readonly Place[], at: number): { before: Place[]; step: Step } {
  const end = at + body.length;
  const tailEnd = Math.min(entries.length, end + tailOf(fold));
  const kept = new Map<number, Place>();
  const written: Place[] = [];
  const digest: Place[] = [];
  body.forEach((left, i) => {
    const place = entries[at + i]!;
    if (left.kept !== undefined) return kept.set(left.kept, place);
    place.writtenBy = fold;
    if (left.digest === true) digest.push(place);
    return written.push(place);
  });
  const taken: Place[] = [];
  const span = fold.record.span.map((print, i) => {
    const stays = kept.get(fold.record.prefixEnd + i);
    if (stays !== undefined) return stays;
    const place = placeOf(fold.messages![taken.length]!, print);
    taken.push(place);
    return place;
  });
  const before = entries.slice(0, at).concat(span, entries.slice(end, tailEnd));
  return { before, step: { fold, after: entries.slice(0, tailEnd), written, digest, taken, since: entries.slice(tailEnd) } };
}
