// The ledger of a conversation: holds the originals that folds took away, as your own objects. What belongs where is
// decided by the core; here the objects are kept and put in their places.

import { PlicaError } from "./errors.js";
import type { FoldRecord } from "./generated/core.js";
import { fingerprints, fingerprintsOfLines, hexOf, packedPrints } from "./identity.js";
import { article, isArray } from "./json.js";
import { fields } from "./options.js";
import { foldArguments, readingOptions } from "./planning.js";
import type { Plan, PlanLike, ReadOptions } from "./planning.js";
import { fromLedgerJson, toLedgerJson } from "./revive.js";
import { elements, encode, messageLine, messageLines, valueText, withBytes, withLines } from "./stage.js";

/** What the ledger keeps of the originals. */
export type Retention = "full" | "reference" | "discard";

/** One fold of a ledger. */
export interface Fold<M extends object = object> {
  /** Unique in its ledger. */
  readonly id: string;
  /** Layout and fingerprints. */
  readonly record: FoldRecord;
  /** What is kept of the originals. */
  readonly retention: Retention;
  /** The messages that folded, in their order; only with retention `full`. */
  readonly messages?: readonly M[];
  /** Where the summary came from, as the caller said. */
  readonly outcome?: string;
  /** Tokens before and after, as the caller said. */
  readonly tokens?: { before: number; after: number };
}

/** What {@link Ledger.record} needs to know of a fold. */
export interface FoldToRecord<M extends object> extends ReadOptions<M> {
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
  /** Kept with the fold. */
  outcome?: string | undefined;
  /** Kept with the fold. */
  tokens?: { before: number; after: number } | undefined;
}

/** Options of a ledger. */
export interface LedgerOptions {
  /** Secret that seals {@link Ledger.toJSON}: without it nobody can edit the ledger unnoticed. */
  key?: string | Uint8Array | undefined;
}

/** A ledger as plain JSON. */
export interface LedgerJson {
  /** Always `"ledger"`. */
  plica: "ledger";
  /** Version of this form. */
  version: 1;
  /** The folds, the oldest first. */
  folds: { id: string; retention: Retention; record: FoldRecord; messages?: unknown[]; outcome?: string; tokens?: { before: number; after: number } }[];
  /** Whether the seal was made with a key. */
  keyed?: boolean;
  /** Over all of it. */
  seal: string;
}

const VERSION = 1;
const RETENTIONS: readonly string[] = ["full", "reference", "discard"];

/**
 * The record of all folds of a conversation: finds the originals behind a digest, and unfolds a window into the original
 * conversation, through any number of folds of folds.
 *
 * @example
 * const ledger = new Ledger();
 * ledger.record({ messages, plan, digest });
 * const window = fold(messages, plan, digest);
 * ledger.unfold(window) // the original messages, the same objects
 */
export class Ledger<M extends object = object> {
  private readonly all: Fold<M>[] = [];
  private readonly byDigest = new Map<string, Fold<M>[]>();
  /** Messages that folds put in between others: nobody said them. */
  private readonly fillers = new Set<string>();
  private readonly ids = new Set<string>();
  /** Which messages of its span each fold took away: asked of the core once a fold, not once a message. */
  private readonly foldedOf = new Map<Fold<M>, readonly number[]>();
  private nextId = 1;
  private readonly key: Uint8Array | undefined;

  constructor(options: LedgerOptions = {}) {
    this.key = keyBytes(fields(options, ["key"], "options").key);
  }

  /** The folds, the oldest first. */
  get folds(): readonly Fold<M>[] {
    return this.all;
  }

  /**
   * Records a fold that is made with these arguments. Nothing is copied: the ledger holds the message objects themselves.
   *
   * @throws PlicaError `illegal-cut`, `bad-plan`, `plan-mismatch`, and those of `plan`.
   */
  record(fold: FoldToRecord<M>): Fold<M> {
    if (typeof fold !== "object" || fold === null) throw new PlicaError("bad-argument", "record needs { messages, plan, digest }");
    const given = fields(fold, ["messages", "plan", "digest", "merge", "retention", "outcome", "tokens"], "the fold");
    const messages = elements<M>(given.messages, "messages");
    const retention = retentionOf(given.retention);
    const { digestLines, lines, reading, span } = foldArguments(messages, given.plan, given.digest, { ...readingOptions(fold), merge: given.merge, ledger: this });
    const record = withLines([...lines, ...digestLines], (core, length) => core.foldRecord(length, digestLines.length, reading, span)) as FoldRecord;
    const indices = foldedIndices([record])[0]!;
    const folded = indices.map((index) => messages[record.prefixEnd + index]!);
    return this.add(indices, {
      id: this.freeId(),
      record,
      retention,
      ...(retention === "full" ? { messages: folded } : {}),
      ...(typeof given.outcome === "string" ? { outcome: given.outcome } : {}),
      ...(given.tokens === undefined || given.tokens === null ? {} : { tokens: tokenCounts(given.tokens) }),
    });
  }

  /** Adds the fold that a transcript was committed with. @internal */
  committed(record: FoldRecord, planned: readonly M[], { retention, outcome, tokens }: { retention: Retention; outcome?: unknown; tokens: { before: number; after: number } }): Fold<M> {
    const indices = foldedIndices([record])[0]!;
    const messages = indices.map((index) => planned[record.prefixEnd + index]!);
    return this.add(indices, {
      id: this.freeId(),
      record,
      retention,
      ...(retention === "full" ? { messages } : {}),
      ...(typeof outcome === "string" ? { outcome } : {}),
      tokens,
    });
  }

  /** A ledger with the same folds, to go another way with. @internal */
  copy(): Ledger<M> {
    const copy = new Ledger<M>(this.key === undefined ? {} : { key: this.key });
    for (const fold of this.all) copy.add(this.foldedOf.get(fold)!, fold);
    return copy;
  }

  /** Fingerprints of all digests and fillers, 16 bytes each. @internal */
  digestPrints(): Uint8Array {
    const hex = [...this.byDigest.keys(), ...this.fillers].join("");
    const bytes = new Uint8Array(hex.length / 2);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
    return bytes;
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
   * The original conversation behind a window: every fold undone, messages appended since kept. Your own objects where the
   * ledger holds them.
   *
   * @param options.originals messages to take from where the ledger holds only references; found by fingerprint.
   * @throws PlicaError `digest-missing`, `originals-missing`.
   */
  unfold(messages: readonly M[], options: { originals?: readonly M[] | undefined } = {}): M[] {
    const all = elements<M>(messages, "messages");
    const supplied = new Map<string, M[]>();
    const given = fields(options, ["originals"], "options").originals;
    if (given !== undefined && given !== null) {
      const originals = elements<M>(given, "originals");
      // Equal messages are handed out in their order: a fingerprint does not know their ids.
      fingerprints(originals).forEach((print, i) => {
        const same = supplied.get(print);
        if (same) same.push(originals[i]!);
        else supplied.set(print, [originals[i]!]);
      });
    }
    const out: M[] = [];
    for (const [fold, index] of this.origins(all)) {
      if (fold === undefined) out.push(all[index]!);
      else out.push(this.original(fold, index, supplied));
    }
    return out;
  }

  /**
   * Ids of the folds behind a window whose originals the ledger does not hold.
   *
   * @throws PlicaError `digest-missing`.
   */
  missing(messages: readonly M[]): string[] {
    const ids = new Set<string>();
    for (const [fold] of this.origins(elements<M>(messages, "messages"))) {
      if (fold !== undefined && fold.messages === undefined) ids.add(fold.id);
    }
    const gone = this.all.filter((fold) => fold.record.gone === true);
    if (gone.length > 0) {
      const prints = new Set([...fingerprints(messages), ...this.all.flatMap((fold) => fold.record.span)]);
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
    for (const fold of this.all) refuseChanged(fold, this.foldedOf.get(fold)!);
    const folds = this.all.map(({ messages, ...fold }) => ({ ...fold, ...(messages ? { messages: messages.map(toLedgerJson) } : {}) }));
    const open = { plica: "ledger" as const, version: VERSION as 1, folds, ...(this.key ? { keyed: true } : {}) };
    // Through its text, so that what is handed out shares nothing with the originals.
    const text = valueText(open, "the ledger");
    return { ...(JSON.parse(text) as Omit<LedgerJson, "seal">), seal: sealOf(text, this.key) };
  }

  /**
   * Reads what {@link Ledger.toJSON} gave.
   *
   * @throws PlicaError `bad-ledger`; `ledger-altered` when its contents were changed since; `ledger-key` when it is sealed with a
   * key and the key is missing or another, or a key is given and it is not sealed with one.
   */
  static from<M extends object = object>(json: unknown, options: LedgerOptions = {}): Ledger<M> {
    const given = ledgerShape(json);
    const ledger = new Ledger<M>(options);
    ledger.checkSeal(given);
    const records = given.folds.map((fold) => fold.record);
    const folded = foldedIndices(records);
    given.folds.forEach((fold, number) => ledger.add(folded[number]!, restored<M>(fold, number, folded[number]!)));
    return ledger;
  }

  /** The ledger of folds that a session file holds; of those that are gone the digest alone. @internal */
  static found<M extends object = object>(folds: readonly { record: FoldRecord; messages: readonly M[] }[]): Ledger<M> {
    const ledger = new Ledger<M>();
    const folded = foldedIndices(folds.map((fold) => fold.record));
    folds.forEach(({ record, messages }, number) => {
      const held = record.gone === true ? { retention: "discard" as const } : { retention: "full" as const, messages };
      ledger.add(folded[number]!, { id: ledger.freeId(), record, ...held, outcome: "found" });
    });
    return ledger;
  }

  /** For reading messages: indices of those that are digests of this ledger, by their packed fingerprints. @internal */
  digestIndices(prints: () => Uint8Array): number[] {
    if (this.byDigest.size === 0) return [];
    const packed = prints();
    const out: number[] = [];
    for (let i = 0; i * 16 < packed.length; i++) {
      const print = hexOf(packed.subarray(16 * i, 16 * i + 16));
      if (this.byDigest.has(print) || this.fillers.has(print)) out.push(i);
    }
    return out;
  }

  private add(folded: readonly number[], fold: Fold<M>): Fold<M> {
    this.all.push(fold);
    this.foldedOf.set(fold, folded);
    this.ids.add(fold.id);
    for (const filler of fold.record.fillers ?? []) this.fillers.add(filler.fingerprint);
    for (const print of new Set(fold.record.digest)) {
      const known = this.byDigest.get(print);
      if (known) known.push(fold);
      else this.byDigest.set(print, [fold]);
    }
    return fold;
  }

  private freeId(): string {
    while (this.ids.has(`fold-${this.nextId}`)) this.nextId++;
    return `fold-${this.nextId}`;
  }

  /** For each message of the unfolded conversation its fold (undefined: the window) and index. */
  private origins(messages: readonly M[]): [Fold<M> | undefined, number][] {
    if (this.all.length === 0) return messages.map((_, index) => [undefined, index]);
    const records = encode(JSON.stringify(this.all.map((fold) => fold.record)));
    const prints = packedPrints(messageLines(messages));
    const packed = withBytes([records, prints], (core, length) => core.unfold(length, records.byteLength));
    const out: [Fold<M> | undefined, number][] = [];
    for (let i = 0; i < packed.length; i += 2) {
      const fold = packed[i]!;
      out.push([fold === 0 ? undefined : this.all[fold - 1]!, packed[i + 1]!]);
    }
    return out;
  }

  private original(fold: Fold<M>, index: number, supplied: ReadonlyMap<string, M[]>): M {
    const own = fold.messages?.[index];
    if (own !== undefined) return own;
    const place = this.foldedOf.get(fold)![index]!;
    const same = supplied.get(fold.record.span[place]!);
    const found = same !== undefined && same.length > 1 ? same.shift() : same?.[0];
    if (found !== undefined) return found;
    throw new PlicaError("originals-missing", `the originals of ${fold.id} are not in the ledger (${fold.retention}); pass them as { originals }`);
  }

  private checkSeal(given: LedgerJson): void {
    if (given.keyed === true && this.key === undefined) throw new PlicaError("ledger-key", "the ledger is sealed with a key; pass it as { key }");
    if (given.keyed !== true && this.key !== undefined) throw new PlicaError("ledger-key", "a key was given, but the ledger is not sealed with one");
    if (sealOf(valueText(given, "the ledger"), this.key) === given.seal) return;
    if (this.key !== undefined) throw new PlicaError("ledger-key", "the ledger was sealed with another key, or changed since");
    throw new PlicaError("ledger-altered", "the ledger was changed since it was written");
  }
}

/** What is to be kept; all of it where nothing is said. @internal */
export function retentionOf(value: unknown): Retention {
  const retention = value ?? "full";
  if (RETENTIONS.includes(retention as string)) return retention as Retention;
  throw new PlicaError("bad-argument", `retention must be one of ${RETENTIONS.join(", ")}`);
}

function tokenCounts(tokens: unknown): { before: number; after: number } {
  const { before, after } = fields(tokens, ["before", "after"], "tokens");
  if (typeof before === "number" && typeof after === "number" && before >= 0 && after >= 0) return { before, after };
  throw new PlicaError("bad-argument", "tokens must be { before, after }, two numbers of 0 or more");
}

/** The ledger holds the caller's own objects: what was changed in place since is no original any more. */
function refuseChanged<M extends object>(fold: Fold<M>, folded: readonly number[]): void {
  if (fold.messages === undefined) return;
  fingerprints(fold.messages).forEach((print, i) => {
    if (print === fold.record.span[folded[i]!]) return;
    throw new PlicaError("message-changed", `message ${i} of ${fold.id} was changed in place since it was recorded; record copies of messages that you edit`);
  });
}

function restored<M extends object>(fold: LedgerJson["folds"][number], number: number, folded: readonly number[]): Fold<M> {
  const { id, retention, record, messages, outcome, tokens } = fold;
  const base = { id, record, retention, ...(outcome === undefined ? {} : { outcome }), ...(tokens === undefined ? {} : { tokens }) };
  if (retention !== "full") return base;
  if (!Array.isArray(messages) || messages.length !== folded.length) {
    throw new PlicaError("ledger-altered", `${id} (fold ${number}) does not hold the ${folded.length} messages that it folded`);
  }
  const own = messages.map((message) => fromLedgerJson(message)) as M[];
  fingerprints(own).forEach((print, i) => {
    if (print !== record.span[folded[i]!]) throw new PlicaError("ledger-altered", `message ${i} of ${id} is not what was folded`);
  });
  return { ...base, messages: own };
}

/** For each record the indices that folded, relative to the prefix's end; refuses impossible records. */
function foldedIndices(records: readonly FoldRecord[]): number[][] {
  const packed = withLines([JSON.stringify(records)], (core, length) => core.checkRecords(length));
  const out: number[][] = [];
  for (let at = 0; at < packed.length; at += 1 + packed[at]!) out.push(Array.from(packed.subarray(at + 1, at + 1 + packed[at]!)));
  return out;
}

function ledgerShape(json: unknown): LedgerJson {
  const bad = (what: string): PlicaError => new PlicaError("bad-ledger", what);
  if (typeof json !== "object" || json === null) throw bad(`a ledger is an object, not ${article(json)}; parse its text first`);
  const { plica, version, folds, seal } = fields(json, ["plica", "version", "folds", "seal"], "the ledger", "bad-ledger");
  if (plica !== "ledger") throw bad('this is no ledger: it lacks plica: "ledger"');
  if (version !== VERSION) throw bad(`the ledger is of version ${typeof version === "number" ? version : article(version)}; this plica reads version ${VERSION}`);
  if (!isArray(folds) || typeof seal !== "string") throw bad("the ledger lacks its folds or its seal");
  elements<unknown>(folds, "the folds of the ledger").forEach((fold, number) => {
    const { id, retention, record } = fields(fold, ["id", "retention", "record"], `fold ${number} of the ledger`, "bad-ledger");
    const fits = typeof id === "string" && RETENTIONS.includes(retention as string) && typeof record === "object" && record !== null;
    if (!fits) throw bad(`fold ${number} of the ledger lacks its id, retention or record`);
  });
  return json as LedgerJson;
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
