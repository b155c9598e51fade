// The tables, and how older ones become these.
//
//   schema         one row: the version of the tables
//   conversations  a row each: its state, and of its ledger the frame around the records
//   messages       every text once, under its fingerprint, for all conversations
//   places         where messages stand: in a window (taken = 0), or behind the record of that number
//   records        folds, reductions and repairs, without their originals
//
// A message gets its row in `places` when it comes. A fold moves rows from the window behind the record: it writes what it changes,
// and no original a second time.

import { PlicaError } from "plica";
import { numberIn, readOne, write } from "./steps.js";
import type { Steps } from "./steps.js";

/** Names of the tables, quoted. @internal */
export interface Tables {
  schema: string;
  conversations: string;
  messages: string;
  places: string;
  records: string;
}

/** In what databases differ. @internal */
export interface Dialect {
  /** The type of a number that is given to each new row, and never again. */
  serial: string;
  /** The type of an id: compared byte by byte. */
  id: string;
  /** Behind a SELECT: nobody else writes this row until the transaction ends. */
  forUpdate: string;
  /** Asks whether a table is there: gives a row when it is. */
  exists: string;
  /** What `exists` is asked for. */
  nameOf(table: string): string;
  /** So that only one server makes tables at a time; nothing where a transaction sees to that. */
  lockSchema: string | undefined;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Longer names would be cut off by PostgreSQL. */
const MAX_IDENTIFIER = 40;

/** A name as an identifier; what could be anything else is refused. @internal */
export function identifier(name: unknown, what: string): string {
  if (typeof name === "string" && name.length <= MAX_IDENTIFIER && IDENTIFIER.test(name)) return name;
  throw new PlicaError("bad-argument", `${what} must be of letters, digits and _, not begin with a digit, and have at most ${MAX_IDENTIFIER} characters`);
}

/** The tables behind a prefix. @internal */
export function tablesOf(prefix: string, schema?: string): Tables {
  const table = (name: string): string => `${schema === undefined ? "" : `"${schema}".`}"${prefix}${name}"`;
  return { schema: table("schema"), conversations: table("conversations"), messages: table("messages"), places: table("places"), records: table("records") };
}

type Migration = (tables: Tables, dialect: Dialect, prefix: string) => string[];

/** What makes version n of version n - 1. What was released is never changed: a new version is a new entry. */
const MIGRATIONS: readonly Migration[] = [
  (t, { serial, id }, prefix) => [
    `CREATE TABLE ${t.conversations} (number ${serial}, id ${id} NOT NULL UNIQUE, version BIGINT NOT NULL, seq BIGINT NOT NULL, place BIGINT NOT NULL, messages BIGINT NOT NULL, records BIGINT NOT NULL, head TEXT)`,
    `CREATE TABLE ${t.messages} (hash ${id} NOT NULL PRIMARY KEY, body TEXT NOT NULL)`,
    `CREATE TABLE ${t.places} (conversation BIGINT NOT NULL REFERENCES ${t.conversations} (number), seq BIGINT NOT NULL, taken BIGINT NOT NULL, place BIGINT NOT NULL, hash ${id} NOT NULL REFERENCES ${t.messages} (hash), PRIMARY KEY (conversation, seq))`,
    `CREATE INDEX "${prefix}places_order" ON ${t.places} (conversation, taken, place)`,
    `CREATE INDEX "${prefix}places_hash" ON ${t.places} (hash)`,
    `CREATE TABLE ${t.records} (conversation BIGINT NOT NULL REFERENCES ${t.conversations} (number), number BIGINT NOT NULL, id TEXT NOT NULL, originals BIGINT, print TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (conversation, number))`,
  ],
  (t) => [`ALTER TABLE ${t.conversations} ADD COLUMN updated BIGINT NOT NULL DEFAULT 0`],
];

/** The version of the tables that this plica reads and writes. @internal */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Whether the tables are as they have to be; those of a newer plica are refused. @internal */
export function* isCurrent(tables: Tables, dialect: Dialect): Steps<boolean> {
  if ((yield* readOne(dialect.exists, dialect.nameOf(tables.schema))) === undefined) return false;
  return (yield* versionOf(tables)) === SCHEMA_VERSION;
}

/** Makes the tables, or of older ones those of today. Within one transaction. @internal */
export function* migrate(tables: Tables, dialect: Dialect, prefix: string): Steps<void> {
  if (dialect.lockSchema !== undefined) yield* readOne(dialect.lockSchema, tables.schema);
  // Another server may have been here since it was asked whether the table is there, and what PostgreSQL remembers of names may be
  // older than the lock: it looks anew when it makes one.
  yield* write(`CREATE TABLE IF NOT EXISTS ${tables.schema} (version BIGINT NOT NULL)`);
  const version = yield* versionOf(tables);
  if (version === SCHEMA_VERSION) return;
  for (const migration of MIGRATIONS.slice(version)) {
    for (const sql of migration(tables, dialect, prefix)) yield* write(sql);
  }
  yield* write(`DELETE FROM ${tables.schema}`);
  yield* write(`INSERT INTO ${tables.schema} (version) VALUES (?)`, SCHEMA_VERSION);
}

function* versionOf(tables: Tables): Steps<number> {
  const row = yield* readOne(`SELECT version FROM ${tables.schema}`);
  const version = row === undefined ? 0 : numberIn(row, "version");
  if (version > SCHEMA_VERSION) {
    throw new PlicaError("store-newer", `the tables are of version ${version}, and this plica knows versions up to ${SCHEMA_VERSION}: update it`);
  }
  return version;
}
