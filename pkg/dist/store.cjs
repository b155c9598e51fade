/*! plica 0.1.0 | MIT OR Apache-2.0 | notices: THIRD-PARTY-NOTICES.txt */
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// pkg/src/store.ts
var store_exports = {};
__export(store_exports, {
  postgresStore: () => postgresStore,
  sqliteStore: () => sqliteStore
});
module.exports = __toCommonJS(store_exports);

// pkg/src/store/sqlite.ts
var import_plica5 = require("plica");

// pkg/src/store/conversation.ts
var import_plica = require("plica");

// pkg/src/store/steps.ts
function* read(sql, ...values) {
  return yield { sql, values, reads: true };
}
function* readOne(sql, ...values) {
  return (yield* read(sql, ...values))[0];
}
function* write(sql, ...values) {
  yield { sql, values, reads: false };
}
var BATCH_ROWS = 500;
var BATCH_UNITS = 1 << 22;
function* readMany(texts, sql) {
  const all = [];
  for (let at = 0; at < texts.length; at += BATCH_ROWS) {
    const part = texts.slice(at, at + BATCH_ROWS);
    for (const row of yield* read(sql(part.map(() => "?").join(", ")), ...part)) all.push(row);
  }
  return all;
}
function* writeMany(rows, group, sql, ...before) {
  for (let at = 0; at < rows.length; ) {
    const values = [...before];
    let count = 0;
    for (let units = 0; at < rows.length && count < BATCH_ROWS && units < BATCH_UNITS; at++, count++) {
      for (const value of rows[at]) {
        values.push(value);
        if (typeof value === "string") units += value.length;
      }
    }
    yield { sql: sql(Array.from({ length: count }, () => group).join(", ")), values, reads: false };
  }
}
function numberIn(row, column) {
  return Number(row[column]);
}
function textIn(row, column) {
  return String(row[column]);
}

// pkg/src/store/window.ts
var STRIDE = 2 ** 20;
function placesBehind(last, count) {
  return Array.from({ length: count }, (_, i) => last + (i + 1) * STRIDE);
}
function windowChange(old, now) {
  const start = commonStart(old, now);
  const kept = commonEnd(old, now, start);
  const tail = changeBetween(old, now, start, kept);
  return tail ?? changeBetween(old, now, start, 0);
}
function commonStart(old, now) {
  let count = 0;
  while (count < old.length && count < now.length && old[count].hash === now[count].hash) count++;
  return count;
}
function commonEnd(old, now, start) {
  const most = Math.min(old.length, now.length) - start;
  let count = 0;
  while (count < most && old[old.length - 1 - count].hash === now[now.length - 1 - count].hash) count++;
  return count;
}
function changeBetween(old, now, start, kept) {
  const middle = now.slice(start, now.length - kept);
  const places = placesBetween(old[start - 1]?.place ?? 0, old[old.length - kept]?.place, middle.length);
  if (places === void 0) return void 0;
  const waiting = byHash(old.slice(start, old.length - kept));
  const change = { moved: [], added: [], gone: [], last: old[old.length - 1]?.place ?? 0 };
  middle.forEach((text, i) => {
    const row = waiting.get(text.hash)?.shift();
    if (row === void 0) change.added.push({ ...text, place: places[i] });
    else change.moved.push({ seq: row.seq, place: places[i] });
  });
  change.gone = [...waiting.values()].flat();
  if (kept === 0) change.last = places[places.length - 1] ?? old[start - 1]?.place ?? 0;
  return change;
}
function placesBetween(low, high, count) {
  if (high === void 0) return placesBehind(low, count);
  const step = Math.floor((high - low) / (count + 1));
  return step < 1 ? void 0 : Array.from({ length: count }, (_, i) => low + (i + 1) * step);
}
function byHash(rows) {
  const groups = /* @__PURE__ */ new Map();
  for (const row of rows) {
    const same = groups.get(row.hash);
    if (same) same.push(row);
    else groups.set(row.hash, [row]);
  }
  return groups;
}

// pkg/src/store/conversation.ts
var NONE = "0";
function textOf(message) {
  const body = (0, import_plica.stringifyMessage)(message);
  return { body, hash: (0, import_plica.fingerprint)(body) };
}
function isEmpty({ folds, edits = [], unplaced = [], pins }) {
  return folds.length + edits.length + unplaced.length === 0 && pins === void 0;
}
var Conversations = class {
  constructor(tables, dialect, now) {
    this.tables = tables;
    this.dialect = dialect;
    this.now = now;
  }
  *load(id, withOriginals) {
    const state = yield* this.state(id);
    if (state === void 0) return { version: NONE, texts: [], ledger: void 0, sources: [], originals: /* @__PURE__ */ new Map() };
    const { number } = state;
    const { records, places, messages } = this.tables;
    const rows = yield* read(`SELECT number, id, originals, body FROM ${records} WHERE conversation = ? ORDER BY number`, number);
    const texts = (yield* read(`SELECT p.hash, m.body FROM ${places} p JOIN ${messages} m ON m.hash = p.hash WHERE p.conversation = ? AND p.taken = 0 ORDER BY p.place`, number)).map(rowText);
    if (texts.length !== state.messages || rows.length !== state.records) {
      throw new import_plica.PlicaError("ledger-altered", `the conversation has ${texts.length} messages and ${rows.length} records, where it was written with ${state.messages} and ${state.records}`);
    }
    const sources = rows.map((row) => ({ conversation: id, record: textIn(row, "id"), originals: row.originals === null ? void 0 : numberIn(row, "originals") }));
    const originals = /* @__PURE__ */ new Map();
    if (withOriginals) {
      for (const { record, originals: count } of sources) if (count !== void 0) originals.set(record, []);
      const taken2 = yield* read(`SELECT p.taken, p.hash, m.body FROM ${places} p JOIN ${messages} m ON m.hash = p.hash WHERE p.conversation = ? AND p.taken > 0 ORDER BY p.taken, p.place`, number);
      const numbers = new Map(rows.map((row) => [numberIn(row, "number"), textIn(row, "id")]));
      for (const row of taken2) originals.get(numbers.get(numberIn(row, "taken")) ?? "")?.push(rowText(row));
    }
    return { version: tokenOf(state), texts, ledger: ledgerOf(state.head, rows), sources, originals };
  }
  *append(id, version, texts) {
    const state = yield* this.stateOf(id, version);
    const places = placesBehind(state.place, texts.length);
    yield* this.addPlaces(state, texts.map(({ hash }, i) => ({ taken: 0, place: places[i], hash })), texts);
    state.place = places[places.length - 1] ?? state.place;
    state.messages += texts.length;
    return yield* this.finish(state);
  }
  *save(id, version, { window, ledger, json, forget, unrecorded, sourceOf }) {
    const state = yield* this.stateOf(id, version);
    const { places } = this.tables;
    const bodies = bodiesOf(ledger, json);
    const known = yield* this.knownRecords(state, ledger.records, unrecorded);
    const fresh = ledger.records.slice(known);
    refuseChanged(fresh);
    const old = (yield* read(`SELECT seq, place, hash FROM ${places} WHERE conversation = ? AND taken = 0 ORDER BY place`, state.number)).map(
      (row) => ({ seq: numberIn(row, "seq"), place: numberIn(row, "place"), hash: textIn(row, "hash") })
    );
    const change = windowChange(old, window.map((message) => textOf(message)));
    const { taken: taken2, gone, added } = takenRows(fresh, known, change.gone);
    if (gone.length > 0 && !forget) yield* this.refuseLost(old, gone, fresh, change.added);
    const arrivals = [...change.added.map((arrival) => ({ ...arrival, taken: 0 })), ...added];
    yield* this.addPlaces(state, arrivals, arrivals);
    yield* this.movePlaces(state.number, [...change.moved.map((move) => ({ ...move, taken: 0 })), ...taken2]);
    yield* this.removePlaces(state.number, gone);
    yield* this.addRecords(state, fresh, known, bodies, sourceOf);
    const { folds: _, edits: __, ...head } = json;
    state.head = isEmpty(json) ? null : JSON.stringify(head);
    state.place = change.last;
    state.messages = window.length;
    state.records = ledger.records.length;
    return yield* this.finish(state, true);
  }
  *originals(id, record, from, limit) {
    const { conversations, records, places, messages } = this.tables;
    const row = yield* readOne(`SELECT r.conversation, r.number, r.originals FROM ${records} r JOIN ${conversations} c ON c.number = r.conversation WHERE c.id = ? AND r.id = ?`, id, record);
    if (row === void 0) throw new import_plica.PlicaError("originals-missing", "the conversation has no record of this id");
    if (row.originals === null) throw new import_plica.PlicaError("originals-missing", 'the originals of this record were not kept: its retention is not "full"');
    const count = Math.max(0, Math.min(numberIn(row, "originals"), from + limit) - from);
    const rows = yield* read(
      `SELECT p.hash, m.body FROM ${places} p JOIN ${messages} m ON m.hash = p.hash WHERE p.conversation = ? AND p.taken = ? AND p.place >= ? AND p.place < ? ORDER BY p.place`,
      numberIn(row, "conversation"),
      numberIn(row, "number"),
      from,
      from + count
    );
    if (rows.length !== count) throw new import_plica.PlicaError("ledger-altered", `of ${count} originals ${rows.length} are in the database`);
    return rows.map(rowText);
  }
  *list(prefix, after, limit) {
    const end = successor(prefix);
    const rows = yield* read(
      `SELECT id, number, version, messages, records, updated FROM ${this.tables.conversations} WHERE id > ? AND id >= ?${end === void 0 ? "" : " AND id < ?"} ORDER BY id LIMIT ?`,
      after,
      prefix,
      ...end === void 0 ? [] : [end],
      limit
    );
    return rows.map((row) => ({
      id: textIn(row, "id"),
      version: tokenOf({ number: numberIn(row, "number"), version: numberIn(row, "version") }),
      messages: numberIn(row, "messages"),
      records: numberIn(row, "records"),
      updated: numberIn(row, "updated")
    }));
  }
  *delete(id, version) {
    const state = yield* this.state(id, true);
    if (version !== void 0 && version !== (state === void 0 ? NONE : tokenOf(state))) throw conflict(version, state);
    if (state === void 0) return false;
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
  *state(id, forUpdate = false) {
    const row = yield* readOne(
      `SELECT number, version, seq, place, messages, records, head FROM ${this.tables.conversations} WHERE id = ?${forUpdate ? this.dialect.forUpdate : ""}`,
      id
    );
    return row === void 0 ? void 0 : stateIn(row);
  }
  /** The conversation, seen to be of the version that a write builds on, and held until the transaction ends. */
  *stateOf(id, version) {
    const state = yield* this.state(id, true);
    if (version !== (state === void 0 ? NONE : tokenOf(state))) throw conflict(version, state);
    if (state !== void 0) return state;
    const made = yield* readOne(
      `INSERT INTO ${this.tables.conversations} (id, version, seq, place, messages, records, updated) VALUES (?, 0, 0, 0, 0, 0, ?) ON CONFLICT (id) DO NOTHING RETURNING number, version, seq, place, messages, records, head`,
      id,
      this.now()
    );
    if (made === void 0) throw conflict(version, void 0);
    return stateIn(made);
  }
  *finish(state, withHead = false) {
    state.version++;
    const { version, seq, place, messages, records, head, number } = state;
    yield* write(
      `UPDATE ${this.tables.conversations} SET version = ?, seq = ?, place = ?, messages = ?, records = ?, updated = ?${withHead ? ", head = ?" : ""} WHERE number = ?`,
      version,
      seq,
      place,
      messages,
      records,
      this.now(),
      ...withHead ? [head] : [],
      number
    );
    return tokenOf(state);
  }
  *addPlaces(state, rows, texts) {
    const { messages, places } = this.tables;
    const bodies = [...new Map(texts.map(({ hash, body }) => [hash, body]))].sort(([a], [b]) => a < b ? -1 : 1);
    yield* writeMany(bodies, "(?, ?)", (groups) => `INSERT INTO ${messages} (hash, body) VALUES ${groups} ON CONFLICT (hash) DO NOTHING`);
    yield* writeMany(
      rows.map(({ taken: taken2, place, hash }) => [state.number, ++state.seq, taken2, place, hash]),
      "(?, ?, ?, ?, ?)",
      (groups) => `INSERT INTO ${places} (conversation, seq, taken, place, hash) VALUES ${groups}`
    );
  }
  *movePlaces(conversation, rows) {
    const { places } = this.tables;
    yield* writeMany(
      rows.map(({ seq, place, taken: taken2 }) => [conversation, seq, place, taken2]),
      "(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))",
      (groups) => `WITH moved (conversation, seq, place, taken) AS (VALUES ${groups}) UPDATE ${places} SET place = moved.place, taken = moved.taken FROM moved WHERE ${places}.conversation = moved.conversation AND ${places}.seq = moved.seq`
    );
  }
  /** How many records are stored: those of the ledger, seen to be the same. */
  *knownRecords({ number }, given, unrecorded) {
    const rows = yield* read(`SELECT number, id, print FROM ${this.tables.records} WHERE conversation = ? ORDER BY number`, number);
    const other = rows.findIndex((row, i) => given[i] === void 0 || given[i].id !== textIn(row, "id") || recordPrint(given[i]) !== textIn(row, "print"));
    if (other < 0) return rows.length;
    if (unrecorded) {
      yield* this.removeRecords(number, other);
      return other;
    }
    throw new import_plica.PlicaError("bad-ledger", `the ledger is not that of the conversation: ${JSON.stringify(textIn(rows[other], "id"))} is stored, and the ledger ${given[other] === void 0 ? "ends before it" : "has another there"}`);
  }
  /** Deletes all records but the first, and what they took away. */
  *removeRecords(conversation, first) {
    const rows = yield* read(`SELECT seq, place, hash FROM ${this.tables.places} WHERE conversation = ? AND taken > ?`, conversation, first);
    yield* this.removePlaces(conversation, rows.map((row) => ({ seq: numberIn(row, "seq"), place: numberIn(row, "place"), hash: textIn(row, "hash") })));
    yield* write(`DELETE FROM ${this.tables.records} WHERE conversation = ? AND number > ?`, conversation, first);
  }
  *addRecords(state, fresh, known, bodies, sourceOf) {
    const rows = [];
    for (const [i, entry] of fresh.entries()) {
      const number = known + i + 1;
      let originals = entry.messages?.length ?? null;
      const source = originals === null ? sourceOf(entry) : void 0;
      if (source?.originals !== void 0) {
        yield* this.copyOriginals(state, number, source, source.originals);
        originals = source.originals;
      }
      rows.push([state.number, number, entry.id, originals, recordPrint(entry), bodies[known + i]]);
    }
    yield* writeMany(rows, "(?, ?, ?, CAST(? AS BIGINT), ?, ?)", (groups) => `INSERT INTO ${this.tables.records} (conversation, number, id, originals, print, body) VALUES ${groups}`);
  }
  /** Originals that were left in the database when their conversation was loaded, for the conversation that it became. */
  *copyOriginals(state, number, { conversation, record }, count) {
    const { conversations, places, records } = this.tables;
    const rows = yield* read(
      `SELECT p.place, p.hash FROM ${places} p JOIN ${records} r ON r.conversation = p.conversation AND r.number = p.taken JOIN ${conversations} c ON c.number = r.conversation WHERE c.id = ? AND r.id = ? ORDER BY p.place`,
      conversation,
      record
    );
    if (rows.length !== count) throw new import_plica.PlicaError("originals-missing", `the originals of ${record} were left in a conversation that has them no more; load with { originals: true } what is to be saved elsewhere`);
    yield* this.addPlaces(state, rows.map((row) => ({ taken: number, place: numberIn(row, "place"), hash: textIn(row, "hash") })), []);
  }
  *removePlaces(conversation, rows) {
    if (rows.length === 0) return;
    yield* writeMany(rows.map(({ seq }) => [seq]), "CAST(? AS BIGINT)", (groups) => `DELETE FROM ${this.tables.places} WHERE conversation = ? AND seq IN (${groups})`, conversation);
    yield* this.dropUnused(rows.map(({ hash }) => hash));
  }
  /** Of rows that leave the window somebody has to say where they went: by fingerprints, since not all originals are kept. */
  *refuseLost(old, gone, fresh, added) {
    const left = counted([...fresh.flatMap(({ record }) => printsOf(record)), ...(0, import_plica.fingerprints)(added.map(({ body }) => (0, import_plica.parseMessage)(body)))]);
    const stored = yield* readMany(gone.map(({ hash }) => hash), (groups) => `SELECT hash, body FROM ${this.tables.messages} WHERE hash IN (${groups})`);
    const prints = new Map(stored.map((row) => [textIn(row, "hash"), (0, import_plica.fingerprint)((0, import_plica.parseMessage)(textIn(row, "body")))]));
    const lost = gone.filter(({ hash }) => !takeOne(left, prints.get(hash)));
    if (lost.length === 0) return;
    throw new import_plica.PlicaError("bad-argument", `message ${old.indexOf(lost[0])} of the stored window is neither in the new window nor in the ledger; { forget: true } deletes such messages (${lost.length} of them here)`);
  }
  /**
   * Deletes those texts that stand nowhere any more. Each is held first: two servers that take the last two places of a text would
   * otherwise each see that of the other.
   */
  *dropUnused(hashes) {
    const { messages, places } = this.tables;
    const sorted = [...new Set(hashes)].sort();
    if (this.dialect.forUpdate !== "") yield* readMany(sorted, (groups) => `SELECT hash FROM ${messages} WHERE hash IN (${groups}) ORDER BY hash${this.dialect.forUpdate}`);
    yield* writeMany(sorted.map((hash) => [hash]), "?", (groups) => `DELETE FROM ${messages} WHERE hash IN (${groups}) AND NOT EXISTS (SELECT 1 FROM ${places} p WHERE p.hash = ${messages}.hash)`);
  }
};
function counted(prints) {
  const counts = /* @__PURE__ */ new Map();
  for (const print of prints) counts.set(print, (counts.get(print) ?? 0) + 1);
  return counts;
}
function takeOne(counts, print) {
  const count = counts.get(print) ?? 0;
  if (count > 0) counts.set(print, count - 1);
  return count > 0;
}
function takenRows(fresh, known, leaving) {
  const waiting = byHash(leaving);
  const taken2 = [];
  const added = [];
  fresh.forEach(({ messages = [] }, i) => {
    const number = known + i + 1;
    messages.forEach((message, place) => {
      const text = textOf(message);
      const row = waiting.get(text.hash)?.shift();
      if (row === void 0) added.push({ ...text, taken: number, place });
      else taken2.push({ seq: row.seq, place, taken: number });
    });
  });
  return { taken: taken2, added, gone: [...waiting.values()].flat() };
}
function bodiesOf({ records }, { folds, edits = [] }) {
  const byId = new Map([...folds, ...edits].map((entry) => [entry.id, entry]));
  return records.map(({ id }) => JSON.stringify(byId.get(id)));
}
function ledgerOf(head, rows) {
  if (head === null) return void 0;
  const entries = rows.map((row) => JSON.parse(textIn(row, "body")));
  const folds = entries.filter((entry) => !isEdit(entry.record));
  const edits = entries.filter((entry) => isEdit(entry.record));
  return { ...JSON.parse(head), folds, ...edits.length > 0 ? { edits } : {} };
}
function recordPrint({ record }) {
  return (0, import_plica.fingerprint)(JSON.stringify(record));
}
function isEdit(record) {
  return "edits" in record;
}
function printsOf(record) {
  return isEdit(record) ? record.edits.flatMap(({ removed }) => removed) : record.span;
}
function refuseChanged(entries) {
  for (const { id, record, messages } of entries) {
    if (messages === void 0) continue;
    const left = counted(printsOf(record));
    (0, import_plica.fingerprints)(messages).forEach((print, i) => {
      if (takeOne(left, print)) return;
      throw new import_plica.PlicaError("message-changed", `message ${i} of ${id} was changed in place since it was recorded; record copies of messages that you edit`);
    });
  }
}
function tokenOf({ number, version }) {
  return `${number}.${version}`;
}
function conflict(expected, state) {
  const is = state === void 0 ? "does not exist, or was made by another server just now" : `is of version ${JSON.stringify(tokenOf(state))}`;
  return new import_plica.PlicaError("conflict", `the conversation ${is}, not of ${JSON.stringify(expected)}: another server wrote first. Nothing was written; load it again`);
}
function stateIn(row) {
  return {
    number: numberIn(row, "number"),
    version: numberIn(row, "version"),
    seq: numberIn(row, "seq"),
    place: numberIn(row, "place"),
    messages: numberIn(row, "messages"),
    records: numberIn(row, "records"),
    head: row.head === null ? null : textIn(row, "head")
  };
}
function rowText(row) {
  return { hash: textIn(row, "hash"), body: textIn(row, "body") };
}
function successor(prefix) {
  const points = Array.from(prefix, (character) => character.codePointAt(0));
  while (points.length > 0) {
    const last = points.pop();
    if (last < 1114111) return String.fromCodePoint(...points, last === 55295 ? 57344 : last + 1);
  }
  return void 0;
}

// pkg/src/store/failures.ts
var import_plica2 = require("plica");
var NOTHING = "nothing was written";
function describe(error) {
  try {
    return error instanceof Error ? error.message || error.name : String(error);
  } catch {
    return "a value that cannot be printed";
  }
}
function failed(error, outcome) {
  return new import_plica2.PlicaError("store-failed", `the database failed: ${describe(error)}; ${outcome}`, { cause: error });
}

// pkg/src/store/schema.ts
var import_plica3 = require("plica");
var IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
var MAX_IDENTIFIER = 40;
function identifier(name, what) {
  if (typeof name === "string" && name.length <= MAX_IDENTIFIER && IDENTIFIER.test(name)) return name;
  throw new import_plica3.PlicaError("bad-argument", `${what} must be of letters, digits and _, not begin with a digit, and have at most ${MAX_IDENTIFIER} characters`);
}
function tablesOf(prefix, schema) {
  const table = (name) => `${schema === void 0 ? "" : `"${schema}".`}"${prefix}${name}"`;
  return { schema: table("schema"), conversations: table("conversations"), messages: table("messages"), places: table("places"), records: table("records") };
}
var MIGRATIONS = [
  (t, { serial, id }, prefix) => [
    `CREATE TABLE ${t.conversations} (number ${serial}, id ${id} NOT NULL UNIQUE, version BIGINT NOT NULL, seq BIGINT NOT NULL, place BIGINT NOT NULL, messages BIGINT NOT NULL, records BIGINT NOT NULL, head TEXT)`,
    `CREATE TABLE ${t.messages} (hash ${id} NOT NULL PRIMARY KEY, body TEXT NOT NULL)`,
    `CREATE TABLE ${t.places} (conversation BIGINT NOT NULL REFERENCES ${t.conversations} (number), seq BIGINT NOT NULL, taken BIGINT NOT NULL, place BIGINT NOT NULL, hash ${id} NOT NULL REFERENCES ${t.messages} (hash), PRIMARY KEY (conversation, seq))`,
    `CREATE INDEX "${prefix}places_order" ON ${t.places} (conversation, taken, place)`,
    `CREATE INDEX "${prefix}places_hash" ON ${t.places} (hash)`,
    `CREATE TABLE ${t.records} (conversation BIGINT NOT NULL REFERENCES ${t.conversations} (number), number BIGINT NOT NULL, id TEXT NOT NULL, originals BIGINT, print TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (conversation, number))`
  ],
  (t) => [`ALTER TABLE ${t.conversations} ADD COLUMN updated BIGINT NOT NULL DEFAULT 0`]
];
var SCHEMA_VERSION = MIGRATIONS.length;
function* isCurrent(tables, dialect) {
  if ((yield* readOne(dialect.exists, dialect.nameOf(tables.schema))) === void 0) return false;
  return (yield* versionOf(tables)) === SCHEMA_VERSION;
}
function* migrate(tables, dialect, prefix) {
  if (dialect.lockSchema !== void 0) yield* readOne(dialect.lockSchema, tables.schema);
  yield* write(`CREATE TABLE IF NOT EXISTS ${tables.schema} (version BIGINT NOT NULL)`);
  const version = yield* versionOf(tables);
  if (version === SCHEMA_VERSION) return;
  for (const migration of MIGRATIONS.slice(version)) {
    for (const sql of migration(tables, dialect, prefix)) yield* write(sql);
  }
  yield* write(`DELETE FROM ${tables.schema}`);
  yield* write(`INSERT INTO ${tables.schema} (version) VALUES (?)`, SCHEMA_VERSION);
}
function* versionOf(tables) {
  const row = yield* readOne(`SELECT version FROM ${tables.schema}`);
  const version = row === void 0 ? 0 : numberIn(row, "version");
  if (version > SCHEMA_VERSION) {
    throw new import_plica3.PlicaError("store-newer", `the tables are of version ${version}, and this plica knows versions up to ${SCHEMA_VERSION}: update it`);
  }
  return version;
}

// pkg/src/store/store.ts
var import_plica4 = require("plica");
var MAX_ID = 512;
var PAGE = 100;
var Store = class {
  constructor(conversations, transact, key) {
    this.conversations = conversations;
    this.transact = transact;
    this.key = key;
    /** Of records that were loaded without their originals, where those are. */
    this.sources = /* @__PURE__ */ new WeakMap();
    this.emptyLedger();
  }
  async load(id, options = {}) {
    const own = idOf(id);
    const withOriginals = options?.originals === true;
    return this.revived(own, await this.transact("read", () => this.conversations.load(own, withOriginals)), withOriginals);
  }
  async append(id, messages, options) {
    const [own, version] = [idOf(id), versionOf2(options)];
    const texts = textsOf(messages);
    return this.transact("write", () => this.conversations.append(own, version, texts));
  }
  async save(id, conversation, options) {
    const [own, version] = [idOf(id), versionOf2(options)];
    const { messages, ledger } = parts(conversation);
    const json = ledger.toReferences();
    this.refuseOtherSeal(json);
    const saving = { window: messages, ledger, json, forget: options?.forget === true || options?.forget === "records", unrecorded: options?.forget === "records", sourceOf: (record) => this.sources.get(record) };
    return this.transact("write", () => this.conversations.save(own, version, saving));
  }
  async originals(id, record, options = {}) {
    const own = idOf(id);
    if (typeof record !== "string") throw new import_plica4.PlicaError("bad-argument", "record must be the id of a record of the ledger");
    const [from, limit] = [countOf(options?.from, "from", 0), countOf(options?.limit, "limit", Number.MAX_SAFE_INTEGER)];
    const texts = isStorable(record) ? await this.transact("read", () => this.conversations.originals(own, record, from, limit)) : void 0;
    if (texts === void 0) throw new import_plica4.PlicaError("originals-missing", "the conversation has no record of this id");
    return texts.map((text) => messageOf(text));
  }
  async list(options = {}) {
    const [prefix, after] = [listText(options?.prefix, "prefix"), listText(options?.after, "after")];
    const limit = countOf(options?.limit, "limit", PAGE);
    return this.transact("read", () => this.conversations.list(prefix, after, limit));
  }
  async delete(id, options = {}) {
    const own = idOf(id);
    const version = options?.version === void 0 ? void 0 : versionOf2(options);
    return this.transact("write", () => this.conversations.delete(own, version));
  }
  /** A ledger that could not be read again is not written. */
  refuseOtherSeal(json) {
    if (isEmpty(json) || this.key === void 0 && json.keyed !== true) return;
    import_plica4.Ledger.from(json, { key: this.key });
  }
  emptyLedger() {
    return new import_plica4.Ledger({ key: this.key });
  }
  revived(id, { version, texts, ledger: json, sources, originals: stored }, withOriginals) {
    const messages = texts.map((text) => messageOf(text));
    if (json === void 0) return { id, version, messages, ledger: this.emptyLedger() };
    const originals = new Map(Array.from(stored, ([record, all]) => [record, all.map((text) => messageOf(text))]));
    const ledger = import_plica4.Ledger.from(json, { key: this.key, originals });
    if (!withOriginals) ledger.records.forEach((record, i) => this.sources.set(record, sources[i]));
    return { id, version, messages, ledger };
  }
};
function messageOf({ hash, body }) {
  if ((0, import_plica4.fingerprint)(body) === hash) return (0, import_plica4.parseMessage)(body);
  throw new import_plica4.PlicaError("ledger-altered", `the message ${hash} was changed in the database since it was written`);
}
function textsOf(messages) {
  if (!Array.isArray(messages)) throw new import_plica4.PlicaError("bad-argument", "messages must be an array");
  return Array.from(messages, (message) => textOf(message));
}
function parts(conversation) {
  const { messages: given, ledger } = conversation ?? {};
  const messages = typeof given === "function" ? given.call(conversation) : given;
  if (!Array.isArray(messages) || typeof ledger?.toReferences !== "function") {
    throw new import_plica4.PlicaError("bad-argument", "save needs a Transcript, or { messages, ledger }");
  }
  return { messages, ledger };
}
function idOf(id) {
  if (typeof id === "string" && id !== "" && id.length <= MAX_ID && isStorable(id)) return id;
  throw new import_plica4.PlicaError("bad-argument", `id must be a string of 1 to ${MAX_ID} characters, without U+0000 and lone surrogates`);
}
function isStorable(text) {
  return !/\0|\p{Surrogate}/u.test(text);
}
function versionOf2(options) {
  const version = options?.version;
  if (typeof version === "string") return version;
  throw new import_plica4.PlicaError("bad-argument", `a write needs { version }: that which load gave, or the write before; ${JSON.stringify(NONE)} for a new conversation`);
}
function listText(text, what) {
  if (text === void 0) return "";
  if (typeof text === "string" && text.length <= MAX_ID && isStorable(text)) return text;
  throw new import_plica4.PlicaError("bad-argument", `${what} must be a string of at most ${MAX_ID} characters, without U+0000 and lone surrogates`);
}
function countOf(value, what, otherwise) {
  if (value === void 0) return otherwise;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new import_plica4.PlicaError("bad-argument", `${what} must be a whole number of 0 or more`);
}

// pkg/src/store/sqlite.ts
var SQLITE = {
  serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
  id: "TEXT",
  // A transaction that writes has the whole database.
  forUpdate: "",
  lockSchema: void 0,
  exists: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
  nameOf: (table) => table.slice(1, -1)
};
var PATIENCE_MS = 5e3;
var PAUSE_MS = { first: 1, most: 50 };
function sqliteStore(db, options = {}) {
  if (typeof db?.exec !== "function" || typeof db.prepare !== "function") throw new import_plica5.PlicaError("bad-argument", "db must be a DatabaseSync of node:sqlite, or a Database of better-sqlite3");
  const prefix = identifier(options?.prefix ?? "plica_", "prefix");
  const tables = tablesOf(prefix);
  const patience = options?.busyTimeoutMs ?? PATIENCE_MS;
  if (typeof patience !== "number" || !(patience >= 0)) throw new import_plica5.PlicaError("bad-argument", "busyTimeoutMs must be a number of milliseconds, 0 or more");
  let ready = false;
  const attempt = (kind, steps) => {
    try {
      if (!ready && !inTransaction(db, "BEGIN", () => isCurrent(tables, SQLITE))) inTransaction(db, "BEGIN IMMEDIATE", () => migrate(tables, SQLITE, prefix));
      ready = true;
      return inTransaction(db, kind === "read" ? "BEGIN" : "BEGIN IMMEDIATE", steps);
    } catch (error) {
      if (error instanceof import_plica5.PlicaError) throw error;
      ready = false;
      throw asFailure(error);
    }
  };
  return new Store(new Conversations(tables, SQLITE, Date.now), (kind, steps) => patiently(() => withoutWaiting(db, () => attempt(kind, steps)), patience), options?.key);
}
async function patiently(attempt, patience) {
  const began = performance.now();
  for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    try {
      return attempt();
    } catch (error) {
      const left = patience - (performance.now() - began);
      if (!(error instanceof import_plica5.PlicaError) || error.code !== "store-busy" || left <= 0) throw error;
      await new Promise((done) => setTimeout(done, Math.min(left, pause * (0.5 + Math.random()))));
    }
  }
}
function withoutWaiting(db, run) {
  const own = busyTimeout(db);
  if (own === 0) return run();
  try {
    setBusyTimeout(db, 0);
    return run();
  } finally {
    setBusyTimeout(db, own);
  }
}
function busyTimeout(db) {
  try {
    const [row] = db.prepare("PRAGMA busy_timeout").all();
    return Number(row?.timeout ?? 0) || 0;
  } catch {
    return 0;
  }
}
function setBusyTimeout(db, milliseconds) {
  try {
    db.exec(`PRAGMA busy_timeout = ${milliseconds}`);
  } catch {
  }
}
function inTransaction(db, begin, steps) {
  db.exec(begin);
  try {
    const done = played(db, steps());
    db.exec("COMMIT");
    return done;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}
function played(db, steps) {
  let next = steps.next();
  while (next.done !== true) next = steps.next(answer(db, next.value));
  return next.value;
}
function answer(db, { sql, values, reads }) {
  const statement = db.prepare(sql);
  if (reads) return statement.all(...values);
  statement.run(...values);
  return [];
}
function rollBack(db) {
  try {
    db.exec("ROLLBACK");
  } catch {
  }
}
var BUSY = 5;
var LOCKED = 6;
function asFailure(error) {
  const { code, errcode } = typeof error === "object" && error !== null ? error : {};
  const number = typeof errcode === "number" ? errcode & 255 : void 0;
  if (number === BUSY || number === LOCKED || typeof code === "string" && /^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new import_plica5.PlicaError("store-busy", `another writer has the database: ${NOTHING}, try again (${describe(error)})`, { cause: error });
  }
  return failed(error, NOTHING);
}

// pkg/src/store/postgres.ts
var import_plica6 = require("plica");
var POSTGRES = {
  serial: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  // As SQLite compares, whatever the database's own order.
  id: 'TEXT COLLATE "C"',
  forUpdate: " FOR UPDATE",
  lockSchema: "SELECT pg_advisory_xact_lock(hashtext(?))",
  exists: "SELECT 1 WHERE to_regclass(?) IS NOT NULL",
  nameOf: (table) => table
};
var BEGIN = { read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", write: "BEGIN ISOLATION LEVEL READ COMMITTED" };
var RETRIED = ["23503", "40001", "40P01"];
var ATTEMPTS = 5;
var LOCK_NOT_AVAILABLE = "55P03";
function postgresStore(pool, options = {}) {
  if (typeof pool?.connect !== "function") throw new import_plica6.PlicaError("bad-argument", "pool must be a Pool of pg");
  const prefix = identifier(options?.prefix ?? "plica_", "prefix");
  const tables = tablesOf(prefix, options?.schema === void 0 ? void 0 : identifier(options.schema, "schema"));
  let ready;
  const prepare = async () => {
    if (!await inTransaction2(pool, "read", () => isCurrent(tables, POSTGRES))) await inTransaction2(pool, "write", () => migrate(tables, POSTGRES, prefix));
  };
  const transact = async (kind, steps) => {
    try {
      await (ready ?? (ready = prepare()));
      return await repeated(() => inTransaction2(pool, kind, steps));
    } catch (error) {
      if (!(error instanceof import_plica6.PlicaError) || error.code !== "conflict") ready = void 0;
      throw error;
    }
  };
  return new Store(new Conversations(tables, POSTGRES, Date.now), transact, options?.key);
}
async function repeated(run) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof import_plica6.PlicaError) || !RETRIED.includes(codeOf(error.cause))) throw error;
    }
  }
}
async function inTransaction2(pool, kind, steps) {
  const client = await begun(pool, kind);
  let broken;
  let committing = false;
  try {
    const done = await played2(client, steps());
    committing = true;
    await client.query("COMMIT");
    return done;
  } catch (error) {
    broken = await rollBack2(client);
    throw error instanceof import_plica6.PlicaError ? error : asFailure2(error, committing && kind === "write" && broken !== void 0);
  } finally {
    giveBack(client, broken);
  }
}
async function begun(pool, kind) {
  for (let attempt = 1; ; attempt++) {
    const client = await taken(pool).catch((error) => {
      throw failed(error, NOTHING);
    });
    try {
      await client.query(BEGIN[kind]);
      return client;
    } catch (error) {
      giveBack(client, asError(error));
      if (attempt === ATTEMPTS) throw failed(error, NOTHING);
    }
  }
}
function taken(pool) {
  return new Promise((done, refused) => {
    const got = (error, client) => {
      if (client === void 0) return refused(error);
      client.on?.("error", deaf);
      done(client);
    };
    const connect = pool.connect;
    const promised = connect.call(pool, got);
    if (typeof promised?.then === "function") promised.then((client) => got(void 0, client), refused);
  });
}
function deaf() {
}
function giveBack(client, broken) {
  client.removeListener?.("error", deaf);
  client.release(broken);
}
async function played2(client, steps) {
  let next = steps.next();
  while (next.done !== true) next = steps.next(await answer2(client, next.value));
  return next.value;
}
async function answer2(client, { sql, values }) {
  let number = 0;
  const { rows } = await client.query(sql.replace(/\?/g, () => `$${++number}`), [...values]);
  return rows;
}
async function rollBack2(client) {
  try {
    await client.query("ROLLBACK");
    return void 0;
  } catch (error) {
    return asError(error);
  }
}
function asError(error) {
  return error instanceof Error ? error : new Error(describe(error));
}
function asFailure2(error, unknown) {
  if (unknown) return failed(error, "whether the write was done is not known: load the conversation again and look");
  if (codeOf(error) === LOCK_NOT_AVAILABLE) {
    return new import_plica6.PlicaError("store-busy", `another writer has the conversation: ${NOTHING}, try again (${describe(error)})`, { cause: error });
  }
  return failed(error, NOTHING);
}
function codeOf(error) {
  return typeof error === "object" && error !== null ? error.code : void 0;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  postgresStore,
  sqliteStore
});
