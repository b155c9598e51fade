// The ledger of a conversation: holds the originals that folds, reductions and repairs took away, as your own objects. What
// belongs where is decided by the core; here the objects are kept and put in their places.

import { activityOf } from "./activity.js";
import { PlicaError } from "./errors.js";
import type { Activity, EditKind, EditRecord, FoldRecord } from "./generated/core.js";
import { bytesOf, fingerprint, fingerprints, fingerprintsOfLines, packedPrints, unpacked } from "./identity.js";
import { article, isArray } from "./kinds.js";
import { fields } from "./options.js";
import { foldArguments, readingOf, readingOptions, windowOf } from "./planning.js";
import type { Core, Plan, PlanLike, ReadOptions } from "./planning.js";
import type { Edit } from "./repair.js";
import { fromLedgerJson, toLedgerJson } from "./revive.js";
import { readSpans, unknownRuns, unplacedOf, writeSpans } from "./spans.js";
import type { Place, Span, SpanOptions, UnplacedSpan } from "./spans.js";
import { call, elements, encode, messageLine, messageLines, valueText, withBytes, withLines } from "./stage.js";

/** What the ledger keeps of the originals. */
export type Retention = "full" | "reference" | "discard";

/** One fold of a ledger. */
export interface Fold<M extends object = object> extends FoldNotes {
  /** Unique in its ledger. */
  readonly id: string;
  /** Layout and fingerprints. */
  readonly record: FoldRecord;
  /** What is kept of the originals. */
  readonly retention: Retention;
  /** The messages that folded, in their order; only with retention `full`. */
  readonly messages?: readonly M[];
}

/** What is kept with a fold beside what it did, as the caller said; `compact` says all of it. */
export interface FoldNotes {
  /** Where the digest came from: `"summarized"`, `"deterministic"`, `"floor"`, or words of your own. */
  readonly outcome?: string | undefined;
  /** Why it is not a model's, where it is not. */
  readonly reason?: string | undefined;
  /** The model that wrote it. */
  readonly model?: string | undefined;
  /** Tokens before and after. */
  readonly tokens?: { before: number; after: number } | undefined;
  /** Files and commands in what folded; those of earlier folds are with these. See `activity`. */
  readonly activity?: Activity | undefined;
}

/** One reduction or repair of a ledger. */
export interface LedgerEdit<M extends object = object> {
  /** Unique in its ledger. */
  readonly id: string;
  /** What changed, by place and fingerprint; `record.kind` says whether it is a reduction or a repair. */
  readonly record: EditRecord;
  /** What is kept of the originals. */
  readonly retention: Retention;
  /** The messages that it took away, in their order; only with retention `full`. */
  readonly messages?: readonly M[];
}

/** What {@link Ledger.recordEdit} needs to know of a reduction or a repair. */
export interface EditToRecord<M extends object> extends ReadOptions<M> {
  /** Which of the two. */
  kind: EditKind;
  /** The messages before it. */
  messages: readonly M[];
  /** What it changed, as `repair` and `reduce` give it. */
  edits: readonly Edit<M>[];
  /** Default `full`. */
  retention?: Retention | undefined;
}

/** What {@link Ledger.record} needs to know of a fold. */
export interface FoldToRecord<M extends object> extends ReadOptions<M>, FoldNotes {
  /** The messages that were planned: the window before the fold. */
  messages: readonly M[];
  /** The plan. */
  plan: Plan | PlanLike;
  /** The digest that takes the place of the folded span: the same that goes to `fold`. */
  digest: object | readonly object[];
  /** As given to `fold`. */
  merge?: boolean | undefined;
  /** Default `full`. */
  retention?: Retention | undefined;
}

/** A pin that another one took the place of. */
export interface RetiredPin {
  /** Unique in its ledger. */
  readonly id: string;
  /** The pin, as it was. */
  readonly pin: object;
  /** The one that took its place. */
  readonly by?: object | undefined;
}

/** A {@link Ledger} as an argument: what it was made for does not say what your messages are. */
export interface AnyLedger {
  /** As in {@link Ledger}. */
  readonly folds: readonly Fold[];
  /** As in {@link Ledger}. */
  lookup(message: object): Fold | undefined;
  /** As in {@link Ledger}. */
  toJSON(): LedgerJson;
}

/** Options of a ledger. */
export interface LedgerOptions {
  /** Secret that seals {@link Ledger.toJSON}: without it nobody can edit the ledger unnoticed. */
  key?: string | Uint8Array | undefined;
}

/** Options of {@link Ledger.from}. */
export interface FromOptions<M extends object = object> extends LedgerOptions {
  /** Originals that the JSON holds by reference only ({@link Ledger.toReferences}), by the ids of their folds, reductions and repairs. */
  originals?: ReadonlyMap<string, readonly M[]> | undefined;
}

/** Options of {@link Ledger.fromFolded}. */
export interface FromFoldedOptions extends LedgerOptions {
  /** Only `"agentfootprint"`: spans know no other, and plain text is read as such. */
  format?: "agentfootprint" | undefined;
}

/** A ledger as plain JSON. */
export interface LedgerJson {
  /** Always `"ledger"`. */
  plica: "ledger";
  /** Version of this form: 2 where there are edits or unplaced spans, 3 where there are pins; the lowest that knows what there is. */
  version: 1 | 2 | 3;
  /** The reductions and repairs, the oldest first; `behind` is the number of folds that were made before. */
  edits?: { id: string; retention: Retention; behind: number; record: EditRecord; messages?: unknown[] }[];
  /** The folds, the oldest first. */
  folds: (FoldNotes & { id: string; retention: Retention; record: FoldRecord; messages?: unknown[] })[];
  /** Spans of a stored conversation that are none of the folds. */
  unplaced?: { index: number; why: UnplacedSpan["why"]; span: unknown }[];
  /** Pins that others took the place of, the oldest first, and fingerprints of the pinned messages that plica placed. */
  pins?: { retired: { id: string; pin: unknown; by?: unknown }[]; placed: string[]; displaced?: { at: number; message: unknown }[] };
  /** Whether the seal was made with a key. */
  keyed?: boolean;
  /** Over all of it. */
  seal: string;
}

const WITHOUT_EDITS = 1;
const VERSION = 2;
const WITH_PINS = 3;
/** Bytes of a fingerprint. */
const PRINT_BYTES = 16;
const SPAN_FORMAT = "agentfootprint";
const RETENTIONS: readonly string[] = ["full", "reference", "discard"];

/** What a ledger holds, in the order in which it was made. */
type Entry<M extends object> = Fold<M> | LedgerEdit<M>;

/**
 * The record of all folds, reductions and repairs of a conversation: finds the originals behind a digest, and unfolds a window
 * into the original conversation, through any number of folds of folds.
 *
 * @example
 * const ledger = new Ledger();
 * ledger.record({ messages, plan, digest });
 * const window = fold(messages, plan, digest);
 * ledger.unfold(window) // the original messages, the same objects
 */
export class Ledger<M extends object = object> {
  private readonly all: Entry<M>[] = [];
  private readonly ownFolds: Fold<M>[] = [];
  private readonly ownEdits: LedgerEdit<M>[] = [];
  private readonly byDigest = new Map<string, Fold<M>[]>();
  /** Messages that folds put in between others: nobody said them. */
  private readonly fillers = new Set<string>();
  private readonly ids = new Set<string>();
  /** Fingerprints of the messages that each took away: asked of the core once a fold, not once a message. */
  private readonly takenBy = new Map<Entry<M>, readonly string[]>();
  /** The spans that folds were read from: the caller's own. */
  private readonly spanOf = new Map<Entry<M>, object>();
  private ownUnplaced: readonly UnplacedSpan[] = [];
  private readonly retired: RetiredPin[] = [];
  /** Fingerprints of what `retired` holds: told again, a pin is not retired again. */
  private readonly retiredPrints = new Set<string>();
  /** Fingerprints of pinned messages that plica put in: nobody said them. */
  private readonly placedPins = new Set<string>();
  /** Messages at the head that read like a pinned message, that this ledger did not put in, and that had to give way to one: whoever
   * said them, they are of the conversation. `at` is the place in it. */
  private readonly displaced: { at: number; message: M }[] = [];
  private nextId = 1;
  private readonly key: Uint8Array | undefined;

  constructor(options: LedgerOptions = {}) {
    this.key = keyBytes(fields(options, ["key"], "options").key);
  }

  /** The folds, the oldest first. */
  get folds(): readonly Fold<M>[] {
    return this.ownFolds;
  }

  /** The reductions and repairs, the oldest first. */
  get edits(): readonly LedgerEdit<M>[] {
    return this.ownEdits;
  }

  /** Folds, reductions and repairs in the order in which they were made. */
  get records(): readonly (Fold<M> | LedgerEdit<M>)[] {
    return this.all;
  }

  /** Pins that newer ones took the place of, the oldest first. */
  get pins(): readonly RetiredPin[] {
    return this.retired;
  }

  /**
   * Keeps the pins that newer ones of the same key took the place of. `compact` does it itself. What is kept already is not kept again.
   *
   * @throws PlicaError `bad-argument` when it is not what `admitPins` gave.
   * @example
   * const admission = admitPins(facts);
   * ledger.recordPins(admission);
   * ledger.pins.map(({ pin, by }) => [pin, by]) // the rules that were, and those that are
   */
  recordPins(admission: { readonly refused: readonly { readonly pin: object; readonly reason: string; readonly by?: object | undefined }[] }): readonly RetiredPin[] {
    const refused = elements<unknown>(fields(admission, ["refused"], "the admission").refused, "refused");
    const retired = refused.flatMap((entry) => {
      const { pin, reason, by } = fields(entry, ["pin", "reason", "by"], "a refused pin");
      if (typeof pin !== "object" || pin === null) throw new PlicaError("bad-argument", `a refused pin is ${article(pin)}, not an object`);
      return reason === "superseded" ? [{ pin, by: by as object | undefined, print: pinPrint(pin) }] : [];
    });
    for (const { pin, by, print } of retired) this.retire({ id: this.freeId("pin"), pin, ...(by === undefined ? {} : { by }) }, print);
    return this.retired;
  }

  private retire(retired: RetiredPin, print: string): void {
    if (this.retiredPrints.has(print)) return;
    this.retiredPrints.add(print);
    this.retired.push(retired);
    this.ids.add(retired.id);
  }

  /** Remembers pinned messages that were put in, so that `unfold` takes them out. @internal */
  placePins(written: readonly object[]): void {
    for (const print of fingerprints(written)) this.placedPins.add(print);
  }

  /** Whether plica put these in, by this ledger. @internal */
  placedByMe(messages: readonly object[]): boolean[] {
    return this.placedPins.size === 0 ? messages.map(() => false) : fingerprints(messages).map((print) => this.placedPins.has(print));
  }

  /** Keeps a message of the head that gives way to the pinned message, for `unfold`; `before` others of the conversation stand in front of it. @internal */
  displace(message: M, before: number): void {
    const at = this.displaced.reduce((place, other) => (other.at <= place ? place + 1 : place), before);
    this.displaced.push({ at, message });
    this.displaced.sort((a, b) => a.at - b.at);
  }

  /** Puts what was displaced back into a conversation that lacks it. */
  private restored<T>(list: T[], make: (message: M) => T, isThere: (item: T | undefined, message: M) => boolean): T[] {
    for (const { at, message } of this.displaced) if (!isThere(list[at], message)) list.splice(Math.min(at, list.length), 0, make(message));
    return list;
  }

  /** Indices of the pinned messages in a window that this ledger remembers. */
  private placedIn(window: readonly object[]): Set<number> {
    if (this.placedPins.size === 0) return new Set();
    const lines = messageLines(window);
    const { now } = withLines(lines, (core, length) => core.pinnedPlace(length, undefined, { facts: 0, issuers: [] })) as { now: number[] };
    const prints = now.length === 0 ? [] : fingerprintsOfLines(now.map((index) => lines[index]!));
    return new Set(now.filter((_, i) => this.placedPins.has(prints[i]!)));
  }

  /** For each message of the unfolded conversation ({@link Ledger.unfold}) its index in the window, -1 where it is not there. */
  places(messages: readonly M[]): number[] {
    const all = elements<M>(messages, "messages");
    const placed = this.placedIn(all);
    const places = this.origins(all).flatMap(([entry, index]) => (entry !== undefined ? [-1] : placed.has(index) ? [] : [index]));
    return this.restored(places, () => -1, (place, message) => place !== undefined && isSame(all[place], message));
  }

  /** Entries of the list that {@link Ledger.fromFolded} read of which no fold could be made, in their order. */
  get unplaced(): readonly UnplacedSpan[] {
    return this.ownUnplaced;
  }

  /**
   * Records a fold that is made with these arguments. Nothing is copied: the ledger holds the message objects themselves.
   *
   * @throws PlicaError `illegal-cut`, `bad-plan`, `plan-mismatch`, and those of `plan`.
   */
  record(fold: FoldToRecord<M>): Fold<M> {
    if (typeof fold !== "object" || fold === null) throw new PlicaError("bad-argument", "record needs { messages, plan, digest }");
    const given = fields(fold, ["messages", "plan", "digest", "merge", "retention"], "the fold");
    const messages = elements<M>(given.messages, "messages");
    const [retention, notes] = [retentionOf(given.retention), notesOf(fold)];
    const { digestLines, lines, reading, span } = foldArguments(messages, given.plan, given.digest, { ...readingOptions(fold), merge: given.merge, ledger: this });
    const record = withLines([...lines, ...digestLines], (core, length) => core.foldRecord(length, digestLines.length, reading, span)) as FoldRecord;
    return this.keepFold(record, messages, retention, notes);
  }

  /** Keeps a fold whose record is there already, with what it took away of the messages that were planned. @internal */
  keepFold(record: FoldRecord, planned: readonly M[], retention: Retention, notes: FoldNotes): Fold<M> {
    const indices = takenIndices([record])[0]!;
    const folded = indices.map((index) => planned[record.prefixEnd + index]!);
    return this.addFold(printsAt(record, indices), {
      id: this.freeId("fold"),
      record,
      retention,
      ...(retention === "full" ? { messages: folded } : {}),
      ...notes,
    });
  }

  /** A ledger with the same records, or only the first of them, to go another way with. @internal */
  copy(records = this.all.length): Ledger<M> {
    const copy = new Ledger<M>(this.key === undefined ? {} : { key: this.key });
    for (const entry of this.all.slice(0, records)) {
      if (isEdit(entry)) copy.addEdit(entry);
      else copy.addFold(this.takenBy.get(entry)!, entry);
    }
    this.spanOf.forEach((span, entry) => copy.spanOf.set(entry, span));
    copy.ownUnplaced = this.ownUnplaced;
    for (const retired of this.retired) copy.retire(retired, pinPrint(retired.pin));
    for (const print of this.placedPins) copy.placedPins.add(print);
    copy.displaced.push(...this.displaced);
    return copy;
  }

  /** Fingerprints of all digests and fillers, 16 bytes each. @internal */
  digestPrints(): Uint8Array {
    return bytesOf([...this.byDigest.keys(), ...this.fillers].join(""));
  }

  /**
   * Records a reduction or a repair, so that {@link Ledger.unfold} undoes it as well: call it before the next fold. `reduce` does
   * it itself. Nothing is copied: the ledger holds the message objects themselves.
   *
   * @returns the record; undefined when nothing changed.
   * @throws PlicaError `bad-argument` for edits that are none of these messages; `bad-message`, `format-undetected`.
   * @example
   * const { messages: sound, edits } = repair(messages);
   * ledger.recordEdit({ kind: "repair", messages, edits });
   * ledger.unfold(sound) // the original messages, the same objects
   */
  recordEdit(edit: EditToRecord<M>): LedgerEdit<M> | undefined {
    if (typeof edit !== "object" || edit === null) throw new PlicaError("bad-argument", "recordEdit needs { kind, messages, edits }");
    const given = fields(edit, ["kind", "messages", "edits", "retention"], "the edit");
    const { kind } = given;
    if (kind !== "reduce" && kind !== "repair") throw new PlicaError("bad-argument", 'kind must be "reduce" or "repair"');
    const messages = elements<M>(given.messages, "messages");
    const retention = retentionOf(given.retention);
    const { after, places } = edited(messages, elements<Edit<M>>(given.edits, "edits"));
    if (places.length === 0) return undefined;
    const lines = messageLines(messages);
    const known = new Map(messages.map((message, i) => [message, lines[i]!]));
    const newLines = after.map((message, i) => known.get(message) ?? messageLine(message, i));
    const reading = readingOf(messages, lines, readingOptions({ ...fields(edit, ["format"], "the edit") }));
    const record = withLines([...lines, ...newLines], (core, length) => core.editRecord(length, after.length, reading, kind, places)) as EditRecord;
    return this.keepEdit(record, places.flatMap(({ from, removed }) => messages.slice(from, from + removed)), retention);
  }

  /** Keeps an edit whose record is there already, with what it took away. @internal */
  keepEdit(record: EditRecord, taken: readonly M[], retention: unknown): LedgerEdit<M> {
    const kept = retentionOf(retention);
    return this.addEdit({ id: this.freeId("edit"), record, retention: kept, ...(kept === "full" ? { messages: taken } : {}) });
  }

  /** The latest fold whose digest is this message; undefined when there is none. */
  lookup(message: object): Fold<M> | undefined {
    const found = this.lookupAll(message);
    return found[found.length - 1];
  }

  /** All folds whose digest is this message, the oldest first: more than one when summaries are the same. */
  lookupAll(message: object): Fold<M>[] {
    const print = fingerprintsOfLines([messageLine(message)])[0]!;
    return [...(this.byDigest.get(print) ?? [])];
  }

  /**
   * {@link Ledger.lookup} of many messages at once: one call into the core for all of them.
   *
   * @throws PlicaError `bad-argument`, `bad-message`.
   * @example
   * ledger.lookupMany(window).filter((fold) => fold !== undefined) // the folds whose digests stand in the window
   */
  lookupMany(messages: readonly object[]): (Fold<M> | undefined)[] {
    const lines = messageLines(messages);
    if (this.byDigest.size === 0) return lines.map(() => undefined);
    return fingerprintsOfLines(lines).map((print) => {
      const found = this.byDigest.get(print);
      return found?.[found.length - 1];
    });
  }

  /**
   * The original conversation behind a window: every fold, reduction and repair undone, messages appended since kept. Your own objects where the
   * ledger holds them.
   *
   * @param options.originals messages to take from where the ledger holds only references; found by fingerprint. Where not even
   * fingerprints are known (spans without messages, {@link Ledger.fromFolded}): the whole conversation from its start, or just the
   * messages that lack, in their order.
   * @throws PlicaError `digest-missing`, `originals-missing`.
   */
  unfold(messages: readonly M[], options: { originals?: readonly M[] | undefined } = {}): M[] {
    const all = elements<M>(messages, "messages");
    const supplied = new Map<string, M[]>();
    const given = fields(options, ["originals"], "options").originals;
    const originals = given === undefined || given === null ? [] : elements<M>(given, "originals");
    const prints = fingerprints(originals);
    // Equal messages are handed out in their order: a fingerprint does not know their ids.
    prints.forEach((print, i) => {
      const same = supplied.get(print);
      if (same) same.push(originals[i]!);
      else supplied.set(print, [originals[i]!]);
    });
    const origins = this.origins(all);
    const runs = this.unknown(origins, all, originals, prints);
    const placed = this.placedIn(all);
    const out: M[] = [];
    for (const [entry, index] of origins) {
      if (entry === undefined) {
        if (!placed.has(index)) out.push(all[index]!);
      }
      else if (unknownCount(entry) === undefined) out.push(this.original(entry, index, supplied));
      else for (const message of runs.shift()!) out.push(message);
    }
    return this.restored(out, (message) => message, isSame);
  }

  /** For each fold of which nothing is known, in the order of the unfolded conversation, its messages out of `originals`. */
  private unknown(origins: readonly [Entry<M> | undefined, number][], window: readonly M[], originals: readonly M[], prints: readonly string[]): M[][] {
    if (!origins.some(([entry]) => entry !== undefined && unknownCount(entry) !== undefined)) return [];
    const ofWindow = fingerprints(window);
    const places = origins.map(([entry, index]): Place<M> => {
      if (entry === undefined) return { message: window[index], print: ofWindow[index] };
      const count = unknownCount(entry);
      if (count !== undefined) return { id: entry.id, count };
      return { message: entry.messages?.[index], print: this.takenBy.get(entry)![index] };
    });
    return unknownRuns(places, originals, prints);
  }

  /**
   * The window that a log leads to, for whoever only ever appends: originals and digests in one list, in the order in which they
   * came. Each fold is made again where its digest stands, so that nothing is sent beside the summary of it. A list that is a
   * window already stays as it is. `Transcript.restore` does it by itself.
   *
   * @returns a new array of the same objects.
   * @throws PlicaError `originals-missing` where a fold cannot be made again: its messages were reduced or repaired first, or the log
   * was changed. Keep the window then.
   * @example
   * ledger.replay([...log, digest, ...since]) // what fold gave, and what came since
   */
  replay(log: readonly M[]): M[] {
    return this.replayOf(elements<M>(log, "log")).window;
  }

  /** The window that a log leads to, and the index in the log of each of its messages: below 0 of what was put in between. @internal */
  replayOf(all: M[]): { window: M[]; origins: number[]; prints: Uint8Array | undefined } {
    if (this.byDigest.size === 0) return { window: all, origins: [...all.keys()], prints: undefined };
    const lines = messageLines(all);
    const prints = packedPrints(lines);
    const plain = this.replayed(prints);
    const slots = this.placedPins.size > 0 && this.placedIn(all).size === 0 ? this.replayedBehindPins(lines, prints, plain) : plain;
    const { format } = this.ownFolds[this.ownFolds.length - 1]!.record;
    const window = windowOf(slots, all, [], (model) => call((core) => core.fillerMessage(format, model)));
    return { window, origins: Array.from(slots), prints };
  }

  private replayed(prints: Uint8Array): Int32Array {
    return withRecords(this.all, prints, (core, length, records) => core.replay(length, records));
  }

  /**
   * A log does not hold the pinned message, which nobody said, but the folds were made with it in front of them: they are made again
   * with something in its place, which is then taken out. A window without one (its pins were given up) stays as it is.
   */
  private replayedBehindPins(lines: readonly string[], prints: Uint8Array, plain: Int32Array): Int32Array | number[] {
    const { at } = withLines(lines, (core, length) => core.pinnedPlace(length, undefined, { facts: 0, issuers: [] })) as { at: number };
    const padded = new Uint8Array(prints.length + PRINT_BYTES);
    padded.set(prints.subarray(0, at * PRINT_BYTES));
    padded.set(prints.subarray(at * PRINT_BYTES), (at + 1) * PRINT_BYTES);
    let behind: number[];
    try {
      behind = Array.from(this.replayed(padded)).filter((slot) => slot !== at).map((slot) => (slot > at ? slot - 1 : slot));
    } catch {
      return plain;
    }
    return behind.length < plain.length ? behind : plain;
  }

  /** Refuses messages of which no fold of this ledger knows one, neither its digest nor an original; `packed`: their fingerprints. @internal */
  refuseForeign(window: readonly M[], packed: Uint8Array | undefined): void {
    if (packed === undefined || window.length === 0) return;
    const prints = unpacked(packed);
    if (prints.some((print) => this.byDigest.has(print))) return;
    const known = new Set(prints);
    if (this.ownFolds.some(({ record }) => record.span.some((print) => known.has(print)))) return;
    // What reductions put in, and what else there is to be known by, is for the way back to find.
    this.missing(window);
  }

  /**
   * Ids of the folds, reductions and repairs behind a window whose originals the ledger does not hold.
   *
   * @throws PlicaError `digest-missing`.
   */
  missing(messages: readonly M[]): string[] {
    const ids = new Set<string>();
    for (const [entry] of this.origins(elements<M>(messages, "messages"))) {
      if (entry !== undefined && entry.messages === undefined) ids.add(entry.id);
    }
    const gone = this.ownFolds.filter((fold) => fold.record.gone === true);
    if (gone.length > 0) {
      const prints = new Set([...fingerprints(messages), ...this.ownFolds.flatMap((fold) => fold.record.span), ...this.ownEdits.flatMap((edit) => this.takenBy.get(edit)!)]);
      for (const fold of gone) if (prints.has(fold.record.digest[0]!)) ids.add(fold.id);
    }
    return [...ids];
  }

  /**
   * The ledger as plain JSON, sealed. `JSON.stringify(ledger)` calls it. Binary, dates and big integers in originals are
   * written in a form that {@link Ledger.from} reads back.
   *
   * @throws PlicaError `message-changed` when an original was changed in place since it was recorded (what would be written could
   * not be read again); `bad-message` when an original has no JSON form.
   */
  toJSON(): LedgerJson {
    for (const entry of this.all) refuseChanged(entry, this.takenBy.get(entry)!);
    return this.sealed(({ messages, ...entry }) => ({ ...entry, ...(messages ? { messages: messages.map(toLedgerJson) } : {}) }));
  }

  /**
   * {@link Ledger.toJSON} without the originals, for whoever keeps those elsewhere: each is there by its fingerprint, under the
   * seal. {@link Ledger.from} reads it, and takes the originals as `{ originals }`; `plica/store` does that.
   *
   * @example
   * const kept = new Map(ledger.records.map(({ id, messages = [] }) => [id, messages]));
   * Ledger.from(ledger.toReferences(), { originals: kept })
   */
  toReferences(): LedgerJson {
    return this.sealed(({ messages: _, ...entry }) => ({ ...entry, retention: entry.retention === "discard" ? "discard" : "reference" }));
  }

  private sealed(written: (entry: Entry<M>) => object): LedgerJson {
    const folds = this.ownFolds.map(written);
    let behind = 0;
    const edits = this.all.flatMap((entry) => {
      if (isEdit(entry)) return [{ ...written(entry), behind }];
      behind++;
      return [];
    });
    const unplaced = this.ownUnplaced.filter(({ why }) => why !== "no-span").map(({ index, why, span }) => ({ index, why, span: toLedgerJson(span) }));
    const pins = {
      retired: this.retired.map(({ id, pin, by }) => ({ id, pin: toLedgerJson(pin), ...(by === undefined ? {} : { by: toLedgerJson(by) }) })),
      placed: [...this.placedPins],
      ...(this.displaced.length > 0 ? { displaced: this.displaced.map(({ at, message }) => ({ at, message: toLedgerJson(message) })) } : {}),
    };
    const hasPins = pins.retired.length + pins.placed.length + this.displaced.length > 0;
    const version: 1 | 2 | 3 = hasPins ? WITH_PINS : edits.length > 0 || unplaced.length > 0 ? VERSION : WITHOUT_EDITS;
    const open = { plica: "ledger" as const, version, folds, ...(hasPins ? { pins } : {}), ...(edits.length > 0 ? { edits } : {}), ...(unplaced.length > 0 ? { unplaced } : {}), ...(this.key ? { keyed: true } : {}) };
    // Through its text, so that what is handed out shares nothing with the originals.
    const text = valueText(open, "the ledger");
    return { ...(JSON.parse(text) as Omit<LedgerJson, "seal">), seal: sealOf(text, this.key) };
  }

  /**
   * Reads what {@link Ledger.toJSON} gave, or {@link Ledger.toReferences}.
   *
   * @param options.originals the messages that are there by reference only, by the ids of the records; each is compared with its
   * fingerprint. What is not among them stays a reference.
   * @throws PlicaError `bad-ledger`; `ledger-altered` when its contents were changed since; `ledger-key` when it is sealed with a
   * key and the key is missing or another, or a key is given and it is not sealed with one.
   */
  static from<M extends object = object>(json: unknown, options: FromOptions<M> = {}): Ledger<M> {
    const given = ledgerShape(json);
    const { key, originals: known } = fields(options, ["key", "originals"], "options");
    if (known !== undefined && !(known instanceof Map)) throw new PlicaError("bad-argument", "originals must be a Map of the messages by the ids of the records");
    const supplied = (id: string): readonly M[] | undefined => known?.get(id) as readonly M[] | undefined;
    const ledger = new Ledger<M>({ key } as LedgerOptions);
    ledger.checkSeal(given);
    const edits = given.edits ?? [];
    const taken = takenIndices([...given.folds, ...edits].map((entry) => entry.record));
    const byPlace = new Map<number, LedgerEdit<M>[]>();
    edits.forEach((edit, number) => {
      const restoredOne = restoredEdit<M>(edit, number, supplied(edit.id));
      const same = byPlace.get(edit.behind);
      if (same) same.push(restoredOne);
      else byPlace.set(edit.behind, [restoredOne]);
    });
    const addEdits = (behind: number): void => byPlace.get(behind)?.forEach((edit) => ledger.addEdit(edit));
    given.folds.forEach((fold, number) => {
      addEdits(number);
      ledger.addFold(printsAt(fold.record, taken[number]!), restored<M>(fold, number, taken[number]!, supplied(fold.id)));
    });
    addEdits(given.folds.length);
    ledger.ownUnplaced = unplacedOf(given.unplaced ?? [], fromLedgerJson);
    for (const { id, pin, by } of given.pins?.retired ?? []) {
      const own = fromLedgerJson(pin) as object;
      ledger.retire({ id, pin: own, ...(by === undefined ? {} : { by: fromLedgerJson(by) as object }) }, pinPrint(own));
    }
    for (const print of given.pins?.placed ?? []) ledger.placedPins.add(print);
    for (const { at, message } of given.pins?.displaced ?? []) ledger.displaced.push({ at, message: fromLedgerJson(message) as M });
    return ledger;
  }

  /**
   * The ledger of a conversation that was stored with its folds beside its messages, as agentfootprint does: `folded` lists
   * {@link Span}s, each under the 32-bit fingerprint of its summary. `ledger.unfold(messages)` then gives the original conversation:
   * your own objects, through folds of folds. Messages are agentfootprint's, or plain text.
   *
   * A span belongs to the summary that is to be seen once all later spans are undone: that tells apart spans with the same
   * fingerprint. A span without messages is a fold whose originals are missing. Entries that are no spans, and spans whose summary is
   * nowhere, are listed in {@link Ledger.unplaced}; nothing is thrown for them. The ledger's JSON keeps those that are objects.
   *
   * @throws PlicaError `bad-ledger` where spans with the same fingerprint cannot be told apart; `bad-argument` for messages of other
   * formats; `bad-message`.
   * @example
   * const ledger = Ledger.fromFolded(conversation, conversation.messages);
   * ledger.unfold(conversation.messages) // all that was ever said
   */
  static fromFolded<M extends object = object>(conversation: unknown, messages: readonly M[], options: FromFoldedOptions = {}): Ledger<M> {
    const { key, format } = fields(options, ["key", "format"], "options");
    if (format !== undefined && format !== null && format !== SPAN_FORMAT) throw new PlicaError("bad-argument", `format can only be "${SPAN_FORMAT}": spans know no other`);
    const ledger = new Ledger<M>({ key: keyBytes(key) });
    const { placed, unplaced } = readSpans<M>(conversation, messages);
    const taken = takenIndices(placed.map(({ record }) => record));
    placed.forEach(({ span, record, messages: held }, number) => {
      const kept = held === undefined ? { retention: "discard" as const } : { retention: "full" as const, messages: held };
      ledger.spanOf.set(ledger.addFold(printsAt(record, taken[number]!), { id: ledger.freeId("fold"), record, ...kept, outcome: "found" }), span);
    });
    ledger.ownUnplaced = unplaced;
    return ledger;
  }

  /**
   * The folds behind a window as {@link Span}s, the oldest first, for a conversation that is stored with them: `foldedSpanFor` finds
   * each by its digest. The messages are your own objects, and so are the spans that {@link Ledger.fromFolded} read. With retention
   * `reference` and `discard` a span has no messages. Folds of another way that the conversation went once are left out.
   *
   * What a reader of spans would put back wrongly is refused: it replaces each message that has the fingerprint by the span's messages.
   *
   * @throws PlicaError `bad-ledger` for reductions and repairs, for folds that kept messages between those that they took away, put
   * fillers in or have a digest of several messages, and for a digest whose 32-bit fingerprint another message has, too;
   * `originals-missing` where the digest of a fold, or the number of its messages, is not known; `digest-missing` when the messages
   * are no window of this ledger; `message-changed`; `bad-argument` for messages of other formats than agentfootprint and plain text.
   * @example
   * const stored = { messages: window, folded: ledger.toFolded(window, { now: Date.now() }) };
   */
  toFolded(messages: readonly M[], options: SpanOptions = {}): Span<M>[] {
    const window = elements<M>(messages, "messages");
    for (const entry of this.all) refuseChanged(entry, this.takenBy.get(entry)!);
    const foldOf = (index: number): { record: FoldRecord; messages: readonly M[] | undefined; span: object | undefined } => {
      const fold = this.all[index] as Fold<M>;
      return { record: fold.record, messages: fold.messages, span: this.spanOf.get(fold) };
    };
    const held = this.all.map((entry) => (isEdit(entry) ? undefined : entry.messages));
    return writeSpans(this.all.map((entry) => entry.record), foldOf, held, window, this.ownUnplaced, options);
  }

  /** The ledger of folds that a session file holds; of those that are gone the digest alone. @internal */
  static found<M extends object = object>(folds: readonly { record: FoldRecord; messages: readonly M[] }[]): Ledger<M> {
    const ledger = new Ledger<M>();
    const folded = takenIndices(folds.map((fold) => fold.record));
    folds.forEach(({ record, messages }, number) => {
      const held = record.gone === true ? { retention: "discard" as const } : { retention: "full" as const, messages };
      ledger.addFold(printsAt(record, folded[number]!), { id: ledger.freeId("fold"), record, ...held, outcome: "found" });
    });
    return ledger;
  }

  /** For reading messages: indices of those that are digests of this ledger, by their packed fingerprints. @internal */
  digestIndices(prints: () => Uint8Array): number[] {
    if (this.byDigest.size === 0) return [];
    return unpacked(prints()).flatMap((print, i) => (this.byDigest.has(print) || this.fillers.has(print) ? [i] : []));
  }

  /** Of the lines at the indices of digests, their index and what each fold of this ledger behind them did, the oldest first. @internal */
  activities(lines: readonly string[], digests: readonly number[]): [number, Activity][] {
    if (this.byDigest.size === 0 || digests.length === 0) return [];
    const out: [number, Activity][] = [];
    const order = new Map(this.ownFolds.map((fold, number) => [fold, number]));
    fingerprintsOfLines(digests.map((index) => lines[index]!)).forEach((print, i) => {
      for (const fold of this.behind(print, order)) if (fold.activity !== undefined) out.push([digests[i]!, fold.activity]);
    });
    return out;
  }

  /** The folds behind a digest, in their order; of equal digests the latest that can be meant. */
  private behind(print: string, order: ReadonlyMap<Fold<M>, number>): Fold<M>[] {
    const found = new Set<Fold<M>>();
    const queue: [string, number][] = [[print, Infinity]];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [digest, before] = next;
      const earlier = this.byDigest.get(digest)?.filter((fold) => order.get(fold)! < before && !found.has(fold));
      const fold = earlier?.[earlier.length - 1];
      if (fold === undefined) continue;
      found.add(fold);
      for (const inside of fold.record.span) if (this.byDigest.has(inside)) queue.push([inside, order.get(fold)!]);
    }
    return [...found].sort((a, b) => order.get(a)! - order.get(b)!);
  }

  private addFold(taken: readonly string[], fold: Fold<M>): Fold<M> {
    this.ownFolds.push(fold);
    this.add(fold, taken);
    for (const filler of fold.record.fillers ?? []) this.fillers.add(filler.fingerprint);
    for (const print of new Set(fold.record.digest)) {
      const known = this.byDigest.get(print);
      if (known) known.push(fold);
      else this.byDigest.set(print, [fold]);
    }
    return fold;
  }

  private addEdit(edit: LedgerEdit<M>): LedgerEdit<M> {
    this.ownEdits.push(edit);
    this.add(edit, removedPrints(edit.record));
    return edit;
  }

  private add(entry: Entry<M>, taken: readonly string[]): void {
    this.all.push(entry);
    this.takenBy.set(entry, taken);
    this.ids.add(entry.id);
  }

  private freeId(kind: "fold" | "edit" | "pin"): string {
    while (this.ids.has(`${kind}-${this.nextId}`)) this.nextId++;
    return `${kind}-${this.nextId}`;
  }

  /** For each message of the unfolded conversation what took it away (undefined: it is of the window) and its index there. */
  private origins(messages: readonly M[]): [Entry<M> | undefined, number][] {
    if (this.all.length === 0) return messages.map((_, index) => [undefined, index]);
    const packed = withRecords(this.all, packedPrints(messageLines(messages)), (core, length, records) => core.unfold(length, records));
    const out: [Entry<M> | undefined, number][] = [];
    for (let i = 0; i < packed.length; i += 2) {
      const entry = packed[i]!;
      out.push([entry === 0 ? undefined : this.all[entry - 1]!, packed[i + 1]!]);
    }
    return out;
  }

  private original(entry: Entry<M>, index: number, supplied: ReadonlyMap<string, M[]>): M {
    const own = entry.messages?.[index];
    if (own !== undefined) return own;
    const same = supplied.get(this.takenBy.get(entry)![index]!);
    const found = same !== undefined && same.length > 1 ? same.shift() : same?.[0];
    if (found !== undefined) return found;
    throw new PlicaError("originals-missing", `the originals of ${entry.id} are not in the ledger (${entry.retention}); pass them as { originals }`);
  }

  private checkSeal(given: LedgerJson): void {
    if (given.keyed === true && this.key === undefined) throw new PlicaError("ledger-key", "the ledger is sealed with a key; pass it as { key }");
    if (given.keyed !== true && this.key !== undefined) throw new PlicaError("ledger-key", "a key was given, but the ledger is not sealed with one");
    if (sealOf(valueText(given, "the ledger"), this.key) === given.seal) return;
    if (this.key !== undefined) throw new PlicaError("ledger-key", "the ledger was sealed with another key, or changed since");
    throw new PlicaError("ledger-altered", "the ledger was changed since it was written");
  }
}

/** Runs `fn` with the records of entries staged, and fingerprints behind them. */
function withRecords<T>(entries: readonly Entry<object>[], prints: Uint8Array, fn: (core: Core, length: number, records: number) => T): T {
  const records = encode(JSON.stringify(entries.map((entry) => entry.record)));
  return withBytes([records, prints], (core, length) => fn(core, length, records.byteLength));
}

const NOTES = ["outcome", "reason", "model", "tokens", "activity"] as const;

/** The notes among the fields of an object; those that are not given are left out. @internal */
export function notesOf(value: unknown, what = "the fold"): FoldNotes {
  const given = fields(value, NOTES, what);
  const notes: { -readonly [key in keyof FoldNotes]: FoldNotes[key] } = {};
  for (const key of ["outcome", "reason", "model"] as const) {
    const note = given[key];
    if (note === undefined || note === null) continue;
    if (typeof note !== "string") throw new PlicaError("bad-argument", `${key} must be a string, not ${article(note)}`);
    notes[key] = note;
  }
  if (given.tokens !== undefined && given.tokens !== null) notes.tokens = tokenCounts(given.tokens);
  if (given.activity !== undefined && given.activity !== null) notes.activity = activityOf(given.activity);
  return notes;
}

function tokenCounts(tokens: unknown): { before: number; after: number } {
  const { before, after } = fields(tokens, ["before", "after"], "tokens");
  if (typeof before === "number" && typeof after === "number" && before >= 0 && after >= 0) return { before, after };
  throw new PlicaError("bad-argument", "tokens must be { before, after }, two numbers of 0 or more");
}

/** The ledger holds the caller's own objects: what was changed in place since is no original any more. */
function refuseChanged<M extends object>(entry: Entry<M>, taken: readonly string[]): void {
  if (entry.messages === undefined) return;
  fingerprints(entry.messages).forEach((print, i) => {
    if (print === taken[i]) return;
    throw new PlicaError("message-changed", `message ${i} of ${entry.id} was changed in place since it was recorded; record copies of messages that you edit`);
  });
}

/** The `retention` option. @internal */
export function retentionOf(given: unknown): Retention {
  const retention = (given ?? "full") as Retention;
  if (RETENTIONS.includes(retention)) return retention;
  throw new PlicaError("bad-argument", `retention must be one of ${RETENTIONS.join(", ")}`);
}

function isEdit<M extends object>(entry: Entry<M>): entry is LedgerEdit<M> {
  return "edits" in entry.record;
}

/** How many messages a fold took away of which nothing more is known. */
function unknownCount<M extends object>(entry: Entry<M>): number | undefined {
  return isEdit(entry) ? undefined : entry.record.unknown;
}

function printsAt(record: FoldRecord, indices: readonly number[]): string[] {
  return indices.map((index) => record.span[index]!);
}

function removedPrints(record: EditRecord): string[] {
  return record.edits.flatMap((run) => run.removed);
}

/** The messages with the edits made, and where those are. */
function edited<M extends object>(messages: readonly M[], edits: readonly Edit<M>[]): { after: M[]; places: { at: number; inserted: number; from: number; removed: number }[] } {
  const after: M[] = [];
  let next = 0;
  const places = edits.map((edit, number) => {
    const { at, removed, inserted } = fields(edit, ["at", "removed", "inserted"], `edit ${number}`);
    if (typeof at !== "number" || !isArray(removed) || !isArray(inserted) || at < after.length) throw new PlicaError("bad-argument", `edit ${number} is none of these messages`);
    while (after.length < at && next < messages.length) after.push(messages[next++]!);
    if (after.length !== at || next + removed.length > messages.length) throw new PlicaError("bad-argument", `edit ${number} is none of these messages`);
    const place = { at, inserted: inserted.length, from: next, removed: removed.length };
    for (const message of elements<M>(inserted, "inserted")) after.push(message);
    next += removed.length;
    return place;
  });
  while (next < messages.length) after.push(messages[next++]!);
  return { after, places };
}

function restored<M extends object>(fold: LedgerJson["folds"][number], number: number, folded: readonly number[], supplied: readonly M[] | undefined): Fold<M> {
  const { id, record } = fold;
  const held = originals<M>(fold, `${id} (fold ${number})`, () => printsAt(record, folded), supplied);
  return { id, record, ...held, ...notesOf(fold, `fold ${number} of the ledger`) };
}

function restoredEdit<M extends object>(edit: NonNullable<LedgerJson["edits"]>[number], number: number, supplied: readonly M[] | undefined): LedgerEdit<M> {
  const { id, record } = edit;
  return { id, record, ...originals<M>(edit, `${id} (edit ${number})`, () => removedPrints(record), supplied) };
}

/** What is held of the messages that a record took away, seen to be those. */
function originals<M extends object>(
  { retention, messages }: { retention: Retention; messages?: unknown }, id: string, printsOf: () => readonly string[], supplied: readonly M[] | undefined,
): { retention: Retention; messages?: M[] } {
  const given = retention === "full" ? messages : retention === "reference" ? supplied : undefined;
  if (retention !== "full" && given === undefined) return { retention };
  const prints = printsOf();
  if (!Array.isArray(given) || given.length !== prints.length) {
    throw new PlicaError("ledger-altered", `${id} does not hold the ${prints.length} messages that it took away`);
  }
  const own = retention === "full" ? (given.map((message) => fromLedgerJson(message)) as M[]) : elements<M>(given, `the originals of ${id}`);
  fingerprints(own).forEach((print, i) => {
    if (print !== prints[i]) throw new PlicaError("ledger-altered", `message ${i} of ${id} is not what was taken away`);
  });
  return { retention: "full", messages: own };
}

/** For each record the indices of what it took away, of a fold relative to the prefix's end; refuses impossible records. */
function takenIndices(records: readonly (FoldRecord | EditRecord)[]): number[][] {
  const packed = withLines([JSON.stringify(records)], (core, length) => core.checkRecords(length));
  const out: number[][] = [];
  for (let at = 0; at < packed.length; at += 1 + packed[at]!) out.push(Array.from(packed.subarray(at + 1, at + 1 + packed[at]!)));
  return out;
}

function ledgerShape(json: unknown): LedgerJson {
  const bad = (what: string): PlicaError => new PlicaError("bad-ledger", what);
  if (typeof json !== "object" || json === null) throw bad(`a ledger is an object, not ${article(json)}; parse its text first`);
  const { plica, version, folds, edits = [], unplaced = [], pins, seal } = fields(json, ["plica", "version", "folds", "edits", "unplaced", "pins", "seal"], "the ledger", "bad-ledger");
  if (plica !== "ledger") throw bad('this is no ledger: it lacks plica: "ledger"');
  if (version !== WITHOUT_EDITS && version !== VERSION && version !== WITH_PINS) throw bad(`the ledger is of version ${typeof version === "number" ? version : article(version)}; this plica reads versions up to ${WITH_PINS}`);
  if (!isArray(folds) || !isArray(edits) || !isArray(unplaced) || typeof seal !== "string") throw bad("the ledger lacks its folds or its seal");
  if (version === WITHOUT_EDITS && edits.length + unplaced.length > 0) throw bad(`the ledger holds edits or spans, which version ${WITHOUT_EDITS} does not know`);
  const ids = new Set<unknown>();
  if (version === WITH_PINS && pins === undefined) throw bad(`the ledger is of version ${WITH_PINS} and holds no pins; nothing else is written so`);
  if (pins !== undefined) checkPins(pins, version === WITH_PINS, bad);
  const check = (entry: unknown, what: string, edit: boolean): void => {
    const { id, retention, record, behind } = fields(entry, ["id", "retention", "record", "behind"], what, "bad-ledger");
    const fits = typeof id === "string" && RETENTIONS.includes(retention as string) && typeof record === "object" && record !== null;
    if (!fits) throw bad(`${what} lacks its id, retention or record`);
    if (ids.has(id)) throw bad(`${what} has the id ${JSON.stringify(id)} of another`);
    ids.add(id);
    if ((fields(record, ["edits"], `the record of ${what}`, "bad-ledger").edits !== undefined) !== edit) throw bad(`the record of ${what} is of another kind`);
    if (edit && !(Number.isInteger(behind) && (behind as number) >= 0 && (behind as number) <= folds.length)) throw bad(`${what} is behind no fold of the ledger`);
  };
  elements<unknown>(folds, "the folds of the ledger").forEach((fold, number) => check(fold, `fold ${number} of the ledger`, false));
  elements<unknown>(edits, "the edits of the ledger").forEach((edit, number) => check(edit, `edit ${number} of the ledger`, true));
  return json as LedgerJson;
}

function checkPins(pins: unknown, isKnown: boolean, bad: (what: string) => PlicaError): void {
  if (!isKnown) throw bad(`the ledger holds pins, which versions below ${WITH_PINS} do not know`);
  const { retired, placed, displaced = [] } = fields(pins, ["retired", "placed", "displaced"], "the pins of the ledger", "bad-ledger");
  if (!isArray(retired) || !isArray(placed) || !isArray(displaced)) throw bad("the pins of the ledger lack their lists");
  for (const entry of elements<unknown>(displaced, "the pins of the ledger")) {
    const { at, message } = fields(entry, ["at", "message"], "a displaced message of the ledger", "bad-ledger");
    if (!Number.isSafeInteger(at) || (at as number) < 0 || typeof message !== "object" || message === null) throw bad("a displaced message of the ledger lacks its place, or itself");
  }
  const ids = new Set<unknown>();
  for (const entry of elements<unknown>(retired, "the pins of the ledger")) {
    const { id, pin } = fields(entry, ["id", "pin"], "a pin of the ledger", "bad-ledger");
    if (typeof id !== "string" || ids.has(id) || typeof pin !== "object" || pin === null) throw bad("a pin of the ledger lacks its id, or itself");
    ids.add(id);
  }
  const isPrint = (print: unknown): boolean => typeof print === "string" && /^[0-9a-f]{32}$/.test(print);
  if (!elements<unknown>(placed, "the pins of the ledger").every(isPrint)) throw bad("the pins of the ledger hold something that is no fingerprint");
}

/** The same object, or one that says the same. */
function isSame(one: object | undefined, other: object): boolean {
  return one === other || (typeof one === "object" && one !== null && fingerprint(one) === fingerprint(other));
}

/** Of one content is one pin. */
function pinPrint(pin: object): string {
  return fingerprint(valueText(pin, "a pin"));
}

function sealOf(text: string, key: Uint8Array | undefined): string {
  return withLines([text], (core, length) => core.seal(length, key));
}

function keyBytes(key: unknown): Uint8Array | undefined {
  if (key === undefined || key === null) return undefined;
  if (typeof key === "string" && key !== "") return encode(key);
  if (ArrayBuffer.isView(key) && key.byteLength > 0) return new Uint8Array(key.buffer, key.byteOffset, key.byteLength).slice();
  throw new PlicaError("bad-argument", "key must be a string or bytes, and not empty");
}
