// The operations of a store, as steps within one transaction.

import { PlicaError, fingerprint, fingerprints, parseMessage, stringifyMessage } from "plica";
import type { EditRecord, FoldRecord, LedgerJson } from "plica";
import type { Dialect, Tables } from "./schema.js";
import { numberIn, read, readMany, readOne, textIn, write, writeMany } from "./steps.js";
import type { Row, Steps } from "./steps.js";
import type { ConversationInfo, LedgerToSave } from "./types.js";
import { byHash, placesBehind, windowChange } from "./window.js";
import type { Arrival, Standing, Text } from "./window.js";

/** The version of a conversation that is not there. @internal */
export const NONE = "0";

/** What a record of a loaded ledger is in the database, where its originals were left. @internal */
export interface Source {
  conversation: string;
  record: string;
  /** How many; undefined when the database has none of them. */
  originals: number | undefined;
}

/** A conversation as it was read. @internal */
export interface Loaded {
  version: string;
  texts: Text[];
  ledger: LedgerJson | undefined;
  /** In the order of the records. */
  sources: Source[];
  /** By the id of the record; only when they were asked for. */
  originals: Map<string, Text[]>;
}

/** What is to be saved. @internal */
export interface Saving {
  window: readonly object[];
  ledger: LedgerToSave;
  json: LedgerJson;
  forget: boolean;
  /** Whether records that the ledger lacks are to be deleted. */
  unrecorded: boolean;
  /** Where the originals of a record are that was loaded without them. */
  sourceOf(record: object): Source | undefined;
}

type Entry = LedgerToSave["records"][number];

interface State {
  number: number;
  version: number;
  seq: number;
  place: number;
  messages: number;
  records: number;
  head: string | null;
}

/** A row of `places` to be written. */
interface Place {
  taken: number;
  place: number;
  hash: string;
}

/** The text of a message as it is stored. @internal */
export function textOf(message: object): Text {
  const body = stringifyMessage(message);
  return { body, hash: fingerprint(body) };
}

/** Whether a ledger says nothing, and need not be stored. @internal */
export function isEmpty({ folds, edits = [], unplaced = [], pins }: LedgerJson): boolean {
  return folds.length + edits.length + unplaced.length === 0 && pins === undefined;
}

/** The operations on these tables. @internal */
export class Conversations {
  constructor(
    private readonly tables: Tables,
    private readonly dialect: Dialect,
    private readonly now: () => number,
  ) {}

  *load(id: string, withOriginals: boolean): Steps<Loaded> {
    const state = yield* this.state(id);
    if (state === undefined) return { version: NONE, texts: [], ledger: undefined, sources: [], originals: new Map() };
    const { number } = state;
    const { records, places, messages } = this.tables;
    const rows = yield* read(`SELECT number, id, originals, body FROM ${records} WHERE conversation = ? ORDER BY number`, number);
    const texts = (yield* read(`SELECT p.hash, m.body FROM ${places} p JOIN ${messages} m ON m.hash = p.hash WHERE p.conversation = ? AND p.taken = 0 ORDER BY p.place`, number)).map(rowText);
    if (texts.length !== state.messages || rows.length !== state.records) {
      throw new PlicaError("ledger-altered", `the conversation has ${texts.length} messages and ${rows.length} records, where it was written with ${state.messages} and ${state.records}`);
    }
    const sources = rows.map((row): Source => ({ conversation: id, record: textIn(row, "id"), originals: row.originals === null ? undefined : numberIn(row, "originals") }));
    const originals = new Map<string, Text[]>();
    if (withOriginals) {
      for (const { record, originals: count } of sources) if (count !== undefined) originals.set(record, []);
      const taken = yield* read(`SELECT p.taken, p.hash, m.body FROM ${places} p JOIN ${messages} m ON m.hash = p.hash WHERE p.conversation = ? AND p.taken > 0 ORDER BY p.taken, p.place`, number);
      const numbers = new Map(rows.map((row) => [numberIn(row, "number"), textIn(row, "id")]));
      for (const row of taken) originals.get(numbers.get(numberIn(row, "taken")) ?? "")?.push(rowText(row));
    }
    return { version: tokenOf(state), texts, ledger: ledgerOf(state.head, rows), sources, originals };
  }

  *append(id: string, version: string, texts: readonly Text[]): Steps<string> {
    const state = yield* this.stateOf(id, version);
    const places = placesBehind(state.place, texts.length);
    yield* this.addPlaces(state, texts.map(({ hash }, i) => ({ taken: 0, place: places[i]!, hash })), texts);
    state.place = places[places.length - 1] ?? state.place;
    state.messages += texts.length;
    return yield* this.finish(state);
  }

  *save(id: string, version: string, { window, ledger, json, forget, unrecorded, sourceOf }: Saving): Steps<string> {
    const state = yield* this.stateOf(id, version);
    const { places } = this.tables;
    const bodies = bodiesOf(ledger, json);
    const known = yield* this.knownRecords(state, ledger.records, unrecorded);
    const fresh = ledger.records.slice(known);
    refuseChanged(fresh);
    const old = (yield* read(`SELECT seq, place, hash FROM ${places} WHERE conversation = ? AND taken = 0 ORDER BY place`, state.number)).map(
      (row): Standing => ({ seq: numberIn(row, "seq"), place: numberIn(row, "place"), hash: textIn(row, "hash") }),
    );
    const change = windowChange(old, window.map((message) => textOf(message)));
    const { taken, gone, added } = takenRows(fresh, known, change.gone);
    if (gone.length > 0 && !forget) yield* this.refuseLost(old, gone, fresh, change.added);

    const arrivals = [...change.added.map((arrival) => ({ ...arrival, taken: 0 })), ...added];
    yield* this.addPlaces(state, arrivals, arrivals);
    yield* this.movePlaces(state.number, [...change.moved.map((move) => ({ ...move, taken: 0 })), ...taken]);
    yield* this.removePlaces(state.number, gone);
    yield* this.addRecords(state, fresh, known, bodies, sourceOf);

    const { folds: _, edits: __, ...head } = json;
    state.head = isEmpty(json) ? null : JSON.stringify(head);
    state.place = change.last;
    state.messages = window.length;
    state.records = ledger.records.length;
    return yield* this.finish(state, true);
  }

  *originals(id: string, record: string, from: number, limit: number): Steps<Text[]> {
    const { conversations, records, places, messages } = this.tables;
    const row = yield* readOne(`SELECT r.conversation, r.number, r.originals FROM ${records} r JOIN ${conversations} c ON c.number = r.conversation WHERE c.id = ? AND r.id = ?`, id, record);
    if (row === undefined) throw new PlicaError("originals-missing", "the conversation has no record of this id");
    if (row.originals === null) throw new PlicaError("originals-missing", "the originals of this record were not kept: its retention is not \"full\"");
    const count = Math.max(0, Math.min(numberIn(row, "originals"), from + limit) - from);
    const rows = yield* read(
      `SELECT p.hash, m.body FROM ${places} p JOIN ${messages} m ON m.hash = p.hash WHERE p.conversation = ? AND p.taken = ? AND p.place >= ? AND p.place < ? ORDER BY p.place`,
      numberIn(row, "conversation"), numberIn(row, "number"), from, from + count,
    );
    if (rows.length !== count) throw new PlicaError("ledger-altered", `of ${count} originals ${rows.length} are in the database`);
    return rows.map(rowText);
  }

  *list(prefix: string, after: string, limit: number): Steps<ConversationInfo[]> {
    const end = successor(prefix);
    const rows = yield* read(
      `SELECT id, number, version, messages, records, updated FROM ${this.tables.conversations} WHERE id > ? AND id >= ?${end === undefined ? "" : " AND id < ?"} ORDER BY id LIMIT ?`,
      after, prefix, ...(end === undefined ? [] : [end]), limit,
    );
    return rows.map((row) => ({
      id: textIn(row, "id"),
      version: tokenOf({ number: numberIn(row, "number"), version: numberIn(row, "version") }),
      messages: numberIn(row, "messages"),
      records: numberIn(row, "records"),
      updated: numberIn(row, "updated"),
    }));
  }

  *delete(id: string, version: string | undefined): Steps<boolean> {
    const state = yield* this.state(id, true);
    if (version !== undefined && version !== (state === undefined ? NONE : tokenOf(state))) throw conflict(version, state);
    if (state === undefined) return false;
    const { conversations, places, records } = this.tables;
    const { number } = state;
    const own = yield* read(`SELECT DISTINCT hash FROM ${places} WHERE conversation = ?`, number);
    yield* write(`DELETE FROM ${places} WHERE conversation = ?`, number);
    yield* write(`DELETE FROM ${records} WHERE conversation = ?`, number);
    yield* write(`DELETE FROM ${conversations} WHERE number = ?`, number);
    yield* this.dropUnused(own.map((row) => textIn(row, "hash")));
    return true;
  }

  // --- parts ------------------------------------------------------------------------------------------------------------

  private *state(id: string, forUpdate = false): Steps<State | undefined> {
    const row = yield* readOne(
      `SELECT number, version, seq, place, messages, records, head FROM ${this.tables.conversations} WHERE id = ?${forUpdate ? this.dialect.forUpdate : ""}`, id,
    );
    return row === undefined ? undefined : stateIn(row);
  }

  /** The conversation, seen to be of the version that a write builds on, and held until the transaction ends. */
  private *stateOf(id: string, version: string): Steps<State> {
    const state = yield* this.state(id, true);
    if (version !== (state === undefined ? NONE : tokenOf(state))) throw conflict(version, state);
    if (state !== undefined) return state;
    const made = yield* readOne(
      `INSERT INTO ${this.tables.conversations} (id, version, seq, place, messages, records, updated) VALUES (?, 0, 0, 0, 0, 0, ?) ON CONFLICT (id) DO NOTHING RETURNING number, version, seq, place, messages, records, head`,
      id, this.now(),
    );
    // Another server made it meanwhile.
    if (made === undefined) throw conflict(version, undefined);
    return stateIn(made);
  }

  private *finish(state: State, withHead = false): Steps<string> {
    state.version++;
    const { version, seq, place, messages, records, head, number } = state;
    yield* write(
      `UPDATE ${this.tables.conversations} SET version = ?, seq = ?, place = ?, messages = ?, records = ?, updated = ?${withHead ? ", head = ?" : ""} WHERE number = ?`,
      version, seq, place, messages, records, this.now(), ...(withHead ? [head] : []), number,
    );
    return tokenOf(state);
  }

  private *addPlaces(state: State, rows: readonly Place[], texts: readonly Text[]): Steps<void> {
    const { messages, places } = this.tables;
    // In one order everywhere, so that two servers never wait for each other.
    const bodies = [...new Map(texts.map(({ hash, body }) => [hash, body]))].sort(([a], [b]) => (a < b ? -1 : 1));
    yield* writeMany(bodies, "(?, ?)", (groups) => `INSERT INTO ${messages} (hash, body) VALUES ${groups} ON CONFLICT (hash) DO NOTHING`);
    yield* writeMany(
      rows.map(({ taken, place, hash }) => [state.number, ++state.seq, taken, place, hash]),
      "(?, ?, ?, ?, ?)", (groups) => `INSERT INTO ${places} (conversation, seq, taken, place, hash) VALUES ${groups}`,
    );
  }

  private *movePlaces(conversation: number, rows: readonly { seq: number; place: number; taken: number }[]): Steps<void> {
    const { places } = this.tables;
    yield* writeMany(
      rows.map(({ seq, place, taken }) => [conversation, seq, place, taken]), "(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))",
      (groups) => `WITH moved (conversation, seq, place, taken) AS (VALUES ${groups}) UPDATE ${places} SET place = moved.place, taken = moved.taken FROM moved WHERE ${places}.conversation = moved.conversation AND ${places}.seq = moved.seq`,
    );
  }

  /** How many records are stored: those of the ledger, seen to be the same. */
  private *knownRecords({ number }: State, given: readonly Entry[], unrecorded: boolean): Steps<number> {
    const rows = yield* read(`SELECT number, id, print FROM ${this.tables.records} WHERE conversation = ? ORDER BY number`, number);
    const other = rows.findIndex((row, i) => given[i] === undefined || given[i]!.id !== textIn(row, "id") || recordPrint(given[i]!) !== textIn(row, "print"));
    if (other < 0) return rows.length;
    if (unrecorded) {
      yield* this.removeRecords(number, other);
      return other;
    }
    throw new PlicaError("bad-ledger", `the ledger is not that of the conversation: ${JSON.stringify(textIn(rows[other]!, "id"))} is stored, and the ledger ${given[other] === undefined ? "ends before it" : "has another there"}`);
  }

  /** Deletes all records but the first, and what they took away. */
  private *removeRecords(conversation: number, first: number): Steps<void> {
    const rows = yield* read(`SELECT seq, place, hash FROM ${this.tables.places} WHERE conversation = ? AND taken > ?`, conversation, first);
    yield* this.removePlaces(conversation, rows.map((row) => ({ seq: numberIn(row, "seq"), place: numberIn(row, "place"), hash: textIn(row, "hash") })));
    yield* write(`DELETE FROM ${this.tables.records} WHERE conversation = ? AND number > ?`, conversation, first);
  }

  private *addRecords(state: State, fresh: readonly Entry[], known: number, bodies: readonly string[], sourceOf: Saving["sourceOf"]): Steps<void> {
    const rows: (readonly (string | number | null)[])[] = [];
    for (const [i, entry] of fresh.entries()) {
      const number = known + i + 1;
      let originals = entry.messages?.length ?? null;
      const source = originals === null ? sourceOf(entry) : undefined;
      if (source?.originals !== undefined) {
        yield* this.copyOriginals(state, number, source, source.originals);
        originals = source.originals;
      }
      rows.push([state.number, number, entry.id, originals, recordPrint(entry), bodies[known + i]!]);
    }
    // Of a number that may be null PostgreSQL has to be told that it is one.
    yield* writeMany(rows, "(?, ?, ?, CAST(? AS BIGINT), ?, ?)", (groups) => `INSERT INTO ${this.tables.records} (conversation, number, id, originals, print, body) VALUES ${groups}`);
  }

  /** Originals that were left in the database when their conversation was loaded, for the conversation that it became. */
  private *copyOriginals(state: State, number: number, { conversation, record }: Source, count: number): Steps<void> {
    const { conversations, places, records } = this.tables;
    const rows = yield* read(
      `SELECT p.place, p.hash FROM ${places} p JOIN ${records} r ON r.conversation = p.conversation AND r.number = p.taken JOIN ${conversations} c ON c.number = r.conversation WHERE c.id = ? AND r.id = ? ORDER BY p.place`,
      conversation, record,
    );
    if (rows.length !== count) throw new PlicaError("originals-missing", `the originals of ${record} were left in a conversation that has them no more; load with { originals: true } what is to be saved elsewhere`);
    yield* this.addPlaces(state, rows.map((row) => ({ taken: number, place: numberIn(row, "place"), hash: textIn(row, "hash") })), []);
  }

  private *removePlaces(conversation: number, rows: readonly Standing[]): Steps<void> {
    if (rows.length === 0) return;
    yield* writeMany(rows.map(({ seq }) => [seq]), "CAST(? AS BIGINT)", (groups) => `DELETE FROM ${this.tables.places} WHERE conversation = ? AND seq IN (${groups})`, conversation);
    yield* this.dropUnused(rows.map(({ hash }) => hash));
  }

  /** Of rows that leave the window somebody has to say where they went: by fingerprints, since not all originals are kept. */
  private *refuseLost(old: readonly Standing[], gone: readonly Standing[], fresh: readonly Entry[], added: readonly Arrival[]): Steps<void> {
    const left = counted([...fresh.flatMap(({ record }) => printsOf(record)), ...fingerprints(added.map(({ body }) => parseMessage(body)))]);
    const stored = yield* readMany(gone.map(({ hash }) => hash), (groups) => `SELECT hash, body FROM ${this.tables.messages} WHERE hash IN (${groups})`);
    const prints = new Map(stored.map((row) => [textIn(row, "hash"), fingerprint(parseMessage(textIn(row, "body")))]));
    const lost = gone.filter(({ hash }) => !takeOne(left, prints.get(hash)!));
    if (lost.length === 0) return;
    throw new PlicaError("bad-argument", `message ${old.indexOf(lost[0]!)} of the stored window is neither in the new window nor in the ledger; { forget: true } deletes such messages (${lost.length} of them here)`);
  }

  /**
   * Deletes those texts that stand nowhere any more. Each is held first: two servers that take the last two places of a text would
   * otherwise each see that of the other.
   */
  private *dropUnused(hashes: readonly string[]): Steps<void> {
    const { messages, places } = this.tables;
    const sorted = [...new Set(hashes)].sort();
    if (this.dialect.forUpdate !== "") yield* readMany(sorted, (groups) => `SELECT hash FROM ${messages} WHERE hash IN (${groups}) ORDER BY hash${this.dialect.forUpdate}`);
    yield* writeMany(sorted.map((hash) => [hash]), "?", (groups) => `DELETE FROM ${messages} WHERE hash IN (${groups}) AND NOT EXISTS (SELECT 1 FROM ${places} p WHERE p.hash = ${messages}.hash)`);
  }
}

/** How often each is there. */
function counted(prints: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const print of prints) counts.set(print, (counts.get(print) ?? 0) + 1);
  return counts;
}

/** Takes one of them away; false when there is none left. */
function takeOne(counts: Map<string, number>, print: string): boolean {
  const count = counts.get(print) ?? 0;
  if (count > 0) counts.set(print, count - 1);
  return count > 0;
}

/** The rows that records take from the window, and those of messages that were never in it when it was stored. */
function takenRows(fresh: readonly Entry[], known: number, leaving: readonly Standing[]): { taken: { seq: number; place: number; taken: number }[]; added: (Text & Place)[]; gone: Standing[] } {
  const waiting = byHash(leaving);
  const taken: { seq: number; place: number; taken: number }[] = [];
  const added: (Text & Place)[] = [];
  fresh.forEach(({ messages = [] }, i) => {
    const number = known + i + 1;
    messages.forEach((message, place) => {
      const text = textOf(message);
      const row = waiting.get(text.hash)?.shift();
      if (row === undefined) added.push({ ...text, taken: number, place });
      else taken.push({ seq: row.seq, place, taken: number });
    });
  });
  return { taken, added, gone: [...waiting.values()].flat() };
}

/** The records of a ledger's JSON as texts, in the order in which they were made. */
function bodiesOf({ records }: LedgerToSave, { folds, edits = [] }: LedgerJson): string[] {
  const byId = new Map([...folds, ...edits].map((entry) => [entry.id, entry]));
  return records.map(({ id }) => JSON.stringify(byId.get(id)));
}

/** {@link bodiesOf} the other way. */
function ledgerOf(head: string | null, rows: readonly Row[]): LedgerJson | undefined {
  if (head === null) return undefined;
  const entries = rows.map((row) => JSON.parse(textIn(row, "body")) as LedgerJson["folds"][number] & { record: FoldRecord | EditRecord });
  const folds = entries.filter((entry) => !isEdit(entry.record));
  const edits = entries.filter((entry) => isEdit(entry.record)) as unknown as NonNullable<LedgerJson["edits"]>;
  return { ...(JSON.parse(head) as LedgerJson), folds, ...(edits.length > 0 ? { edits } : {}) };
}

/** By it a record is known again: what it did, whatever was noted with it. */
function recordPrint({ record }: Entry): string {
  return fingerprint(JSON.stringify(record));
}

function isEdit(record: FoldRecord | EditRecord): record is EditRecord {
  return "edits" in record;
}

/** Fingerprints of the messages that a record speaks of. */
function printsOf(record: FoldRecord | EditRecord): string[] {
  return isEdit(record) ? record.edits.flatMap(({ removed }) => removed) : record.span;
}

/** What was changed in place since it was recorded could not be read again. */
function refuseChanged(entries: readonly Entry[]): void {
  for (const { id, record, messages } of entries) {
    if (messages === undefined) continue;
    const left = counted(printsOf(record));
    fingerprints(messages).forEach((print, i) => {
      if (takeOne(left, print)) return;
      throw new PlicaError("message-changed", `message ${i} of ${id} was changed in place since it was recorded; record copies of messages that you edit`);
    });
  }
}

/** The number is never given again: a conversation that was deleted and made anew is another. */
function tokenOf({ number, version }: Pick<State, "number" | "version">): string {
  return `${number}.${version}`;
}

function conflict(expected: string, state: State | undefined): PlicaError {
  const is = state === undefined ? "does not exist, or was made by another server just now" : `is of version ${JSON.stringify(tokenOf(state))}`;
  return new PlicaError("conflict", `the conversation ${is}, not of ${JSON.stringify(expected)}: another server wrote first. Nothing was written; load it again`);
}

function stateIn(row: Row): State {
  return {
    number: numberIn(row, "number"), version: numberIn(row, "version"), seq: numberIn(row, "seq"), place: numberIn(row, "place"),
    messages: numberIn(row, "messages"), records: numberIn(row, "records"), head: row.head === null ? null : textIn(row, "head"),
  };
}

function rowText(row: Row): Text {
  return { hash: textIn(row, "hash"), body: textIn(row, "body") };
}

/** The least text behind all that begin with a prefix, in the order of code points; undefined when there is none. */
function successor(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    // Surrogates are no characters, and behind the last there is none.
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}
