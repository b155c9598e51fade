// A stored window and the window that it is to become: what stays where it is, what moves, comes and goes.
//
// Rows are in the order of a number, their place. Places are far apart, so that a digest finds room between its neighbours and no
// other row is written.

/** A text to be stored, and its fingerprint. @internal */
export interface Text {
  hash: string;
  body: string;
}

/** A row of the stored window. @internal */
export interface Standing {
  seq: number;
  place: number;
  hash: string;
}

/** A message and where it is to stand. @internal */
export interface Arrival extends Text {
  place: number;
}

/** What makes one window of another. @internal */
export interface WindowChange {
  /** Rows that get another place. */
  moved: { seq: number; place: number }[];
  /** Messages that were not there. */
  added: Arrival[];
  /** Rows that are in the window no more. */
  gone: Standing[];
  /** The place of its last message; 0 when it is empty. */
  last: number;
}

/** From one appended message to the next. */
const STRIDE = 2 ** 20;

/** Places for messages behind the last. @internal */
export function placesBehind(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => last + (i + 1) * STRIDE);
}

/** How the stored rows become these messages. @internal */
export function windowChange(old: readonly Standing[], now: readonly Text[]): WindowChange {
  const start = commonStart(old, now);
  const kept = commonEnd(old, now, start);
  const tail = changeBetween(old, now, start, kept);
  // No room in front of the rows that stay: then these get new places as well.
  return tail ?? changeBetween(old, now, start, 0)!;
}

function commonStart(old: readonly Standing[], now: readonly Text[]): number {
  let count = 0;
  while (count < old.length && count < now.length && old[count]!.hash === now[count]!.hash) count++;
  return count;
}

function commonEnd(old: readonly Standing[], now: readonly Text[], start: number): number {
  const most = Math.min(old.length, now.length) - start;
  let count = 0;
  while (count < most && old[old.length - 1 - count]!.hash === now[now.length - 1 - count]!.hash) count++;
  return count;
}

/** The change when so many rows at the start and at the end stay as they are; undefined where there is no room between them. */
function changeBetween(old: readonly Standing[], now: readonly Text[], start: number, kept: number): WindowChange | undefined {
  const middle = now.slice(start, now.length - kept);
  const places = placesBetween(old[start - 1]?.place ?? 0, old[old.length - kept]?.place, middle.length);
  if (places === undefined) return undefined;
  const waiting = byHash(old.slice(start, old.length - kept));
  const change: WindowChange = { moved: [], added: [], gone: [], last: old[old.length - 1]?.place ?? 0 };
  middle.forEach((text, i) => {
    const row = waiting.get(text.hash)?.shift();
    if (row === undefined) change.added.push({ ...text, place: places[i]! });
    else change.moved.push({ seq: row.seq, place: places[i]! });
  });
  change.gone = [...waiting.values()].flat();
  if (kept === 0) change.last = places[places.length - 1] ?? old[start - 1]?.place ?? 0;
  return change;
}

function placesBetween(low: number, high: number | undefined, count: number): number[] | undefined {
  if (high === undefined) return placesBehind(low, count);
  const step = Math.floor((high - low) / (count + 1));
  return step < 1 ? undefined : Array.from({ length: count }, (_, i) => low + (i + 1) * step);
}

/** Rows by what they hold, each in their order. @internal */
export function byHash(rows: readonly Standing[]): Map<string, Standing[]> {
  const groups = new Map<string, Standing[]>();
  for (const row of rows) {
    const same = groups.get(row.hash);
    if (same) same.push(row);
    else groups.set(row.hash, [row]);
  }
  return groups;
}
