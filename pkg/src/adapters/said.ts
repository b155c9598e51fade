// What was said in a conversation, where each message of it is in the window, and how the conversation goes back.

import { Ledger } from "plica";
import { hasCode } from "./problems.js";
import type { Recognition } from "./recognition.js";
import type { FoldingWindow } from "./window.js";

/** Indices in a window of what nobody said. */
interface Layout {
  digests: number[];
  /** What was put in beside the digests: the rules, say. */
  put: ReadonlySet<number>;
}

/** What a framework may have kept of a window that it was given, and for each message its index in the window. */
export interface View<M> {
  messages: M[];
  places: number[];
}

export class Said<M extends object> {
  /** All that was ever said, in its order. */
  readonly log: M[];
  /** For each message of the log its index in the window, -1 where it is folded. */
  private places: number[] = [];
  /** Undefined until it is asked for. */
  private known: Layout | undefined;

  constructor(
    private readonly window: FoldingWindow<M>,
    private readonly recognition: Recognition<M>,
    originals: readonly M[] | undefined,
  ) {
    this.log = window.ledger.unfold(window.messages(), originals === undefined ? {} : { originals });
    this.place();
  }

  get length(): number {
    return this.log.length;
  }

  /** Where a message of the log is in the window; -1 where it is folded. */
  placeOf(i: number): number {
    return this.places[i]!;
  }

  append(messages: readonly M[]): void {
    const at = this.window.length;
    this.window.append(messages);
    messages.forEach((message, i) => {
      this.places.push(at + i);
      this.log.push(message);
    });
  }

  /** As if what was appended had never come: it could not be kept. */
  takeBack(length: number): void {
    this.log.length = this.places.length = length;
    this.known = undefined;
  }

  /** Finds its places anew: the window has changed as a whole. */
  place(): void {
    this.known = undefined;
    const window = this.window.messages();
    try {
      this.places = this.window.ledger.places(window);
    } catch (error) {
      // Messages that were edited in place are not what the ledger knows; they are the same objects.
      if (!hasCode(error, "digest-missing")) throw error;
      const at = new Map(window.map((message, i) => [message, i]));
      this.places = this.log.map((message) => at.get(message) ?? -1);
    }
  }

  /** Puts the rules in, where they are not yet; says whether they are new. */
  pin(first = false): boolean {
    if (!this.window.pin(first)) return false;
    this.place();
    return true;
  }

  /** Nothing was said yet: what the window has is not the beginning. */
  begin(): void {
    this.window.empty();
    this.known = undefined;
  }

  // --- how the window has it --------------------------------------------------------------------------------------------

  get layout(): Layout {
    if (this.known !== undefined) return this.known;
    const window = this.window.messages();
    const folds = this.window.ledger.lookupMany(window);
    const said = new Set(this.places);
    const isDigest = (i: number): boolean => folds[i] !== undefined && !said.has(i);
    const digests = window.flatMap((_, i) => (isDigest(i) ? [i] : []));
    const put = new Set(window.flatMap((_, i) => (said.has(i) || isDigest(i) ? [] : [i])));
    for (const i of put) this.recognition.rules.add(window[i]!);
    return (this.known = { digests, put });
  }

  /** The window, in which what was put in is known by its object from now on. */
  messages(): M[] {
    void this.layout;
    return this.window.messages();
  }

  /** The window, and the window without what nobody said. */
  views(): View<M>[] {
    const messages = this.window.messages();
    const whole = { messages, places: messages.map((_, i) => i) };
    const { put } = this.layout;
    if (put.size === 0) return [whole];
    const places = whole.places.filter((i) => !put.has(i));
    return [whole, { messages: places.map((i) => messages[i]!), places }];
  }

  /** Where in the log a message of a view is; undefined for a digest. */
  saidAt(view: readonly number[]): (i: number) => number | undefined {
    const said = new Map(this.places.map((place, i) => [place, i]));
    return (i) => said.get(view[i]!);
  }

  /** How much of the log the window stands for up to a place; undefined where that is not its beginning. */
  saidBefore(place: number): number | undefined {
    if (this.layout.digests.some((digest) => digest >= place)) return undefined;
    const first = this.places.findIndex((other) => other >= place);
    const kept = first < 0 ? this.places.length : first;
    return this.places.slice(kept).every((other) => other >= place) ? kept : undefined;
  }

  /** What was said behind messages with digests or rules of this conversation among them; undefined when there are none. */
  unfolded(given: readonly M[]): M[] | undefined {
    const { ledger } = this.window;
    if (ledger.lookupMany(given).every((fold) => fold === undefined)) {
      const rules = ledger.placedByMe(given);
      return rules.includes(true) ? given.filter((_, i) => rules[i] !== true) : undefined;
    }
    try {
      return ledger.unfold(given);
    } catch (error) {
      if (hasCode(error, "digest-missing", "originals-missing")) return undefined;
      throw error;
    }
  }

  // --- going back -------------------------------------------------------------------------------------------------------

  /** Forgets what was said from `length` on. Folds that reach behind it are undone, the last one first. */
  rewind(length: number): void {
    if (length === this.log.length) return;
    // Rules alone are no conversation.
    if (length === 0) return this.startOver();
    while (!this.isCut(length)) {
      if (this.undo()) continue;
      // Changed by something else than folds: then all that was said is the window.
      this.become(this.log, 0);
    }
    const at = this.places[length]!;
    this.window.cut(at);
    this.log.length = this.places.length = length;
    this.known = undefined;
  }

  /** Whether the window can be cut where this much of the log ends. */
  private isCut(length: number): boolean {
    const at = this.places[length]!;
    return this.places.every((place, i) => (i < length ? place < at : place >= at)) && this.layout.digests.every((digest) => digest < at);
  }

  private startOver(): void {
    this.noteUndone(0);
    this.window.replace([], 0);
    this.log.length = this.places.length = 0;
    this.known = undefined;
  }

  /** Undoes the last fold; false when there is none, or what it took away is not there. */
  private undo(): boolean {
    const { records } = this.window.ledger;
    const last = records[records.length - 1];
    if (last?.messages === undefined || !("span" in last.record)) return false;
    const alone = Ledger.found<M>([{ record: last.record, messages: last.messages }]);
    this.become(alone.unfold(this.window.messages()), records.length - 1);
    return true;
  }

  private become(window: readonly M[], records: number): void {
    this.noteUndone(records);
    this.window.replace(window, records);
    this.place();
  }

  private noteUndone(records: number): void {
    for (const { record } of this.window.ledger.records.slice(records)) if ("digest" in record) for (const print of record.digest) this.recognition.undone.add(print);
  }
}
