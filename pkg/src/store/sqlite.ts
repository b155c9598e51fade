// SQLite, through a client that answers at once. Each operation runs without a pause, so that nothing else of the program gets into
// its transaction.

import { PlicaError } from "plica";
import { Conversations } from "./conversation.js";
import { NOTHING, describe, failed } from "./failures.js";
import { identifier, isCurrent, migrate, tablesOf } from "./schema.js";
import type { Dialect } from "./schema.js";
import type { Row, Statement, Steps } from "./steps.js";
import { Store } from "./store.js";
import type { LedgerStore, SqlValue, StoreOptions } from "./types.js";

/** What a statement has to offer. */
export interface SqliteStatement {
  /** Runs it and gives its rows. */
  all(...values: SqlValue[]): unknown[];
  /** Runs it. */
  run(...values: SqlValue[]): unknown;
}

/** What a database has to offer: a `DatabaseSync` of `node:sqlite` does, and a `Database` of better-sqlite3. */
export interface SqliteDatabase {
  /** Runs SQL. */
  exec(sql: string): unknown;
  /** Makes a statement. */
  prepare(sql: string): SqliteStatement;
}

const SQLITE: Dialect = {
  serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
  id: "TEXT",
  // A transaction that writes has the whole database.
  forUpdate: "",
  lockSchema: undefined,
  exists: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
  nameOf: (table) => table.slice(1, -1),
};

/**
 * A store in a SQLite database of yours: opened, set up and closed by you. `PRAGMA journal_mode = WAL` lets others read while one
 * writes; a busy timeout (better-sqlite3 has one, `new DatabaseSync(path, { timeout: 5000 })`) waits for other writers.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * const store = sqliteStore(new DatabaseSync("agent.db", { timeout: 5000 }));
 */
export function sqliteStore(db: SqliteDatabase, options: StoreOptions = {}): LedgerStore {
  if (typeof db?.exec !== "function" || typeof db.prepare !== "function") throw new PlicaError("bad-argument", "db must be a DatabaseSync of node:sqlite, or a Database of better-sqlite3");
  const prefix = identifier(options?.prefix ?? "plica_", "prefix");
  const tables = tablesOf(prefix);
  let ready = false;
  const transact = <T>(kind: "read" | "write", steps: () => Steps<T>): T => {
    try {
      if (!ready && !inTransaction(db, "BEGIN", () => isCurrent(tables, SQLITE))) inTransaction(db, "BEGIN IMMEDIATE", () => migrate(tables, SQLITE, prefix));
      ready = true;
      return inTransaction(db, kind === "read" ? "BEGIN" : "BEGIN IMMEDIATE", steps);
    } catch (error) {
      if (error instanceof PlicaError) throw error;
      // It may be another database by the next call.
      ready = false;
      throw asFailure(error);
    }
  };
  return new Store(new Conversations(tables, SQLITE, Date.now), async (kind, steps) => transact(kind, steps), options?.key);
}

function inTransaction<T>(db: SqliteDatabase, begin: string, steps: () => Steps<T>): T {
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

function played<T>(db: SqliteDatabase, steps: Steps<T>): T {
  let next = steps.next();
  while (next.done !== true) next = steps.next(answer(db, next.value));
  return next.value;
}

function answer(db: SqliteDatabase, { sql, values, reads }: Statement): readonly Row[] {
  const statement = db.prepare(sql);
  if (reads) return statement.all(...values) as Row[];
  statement.run(...values);
  return [];
}

function rollBack(db: SqliteDatabase): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has done it by itself, or the database is closed. What was thrown first says more.
  }
}

const BUSY = 5;
const LOCKED = 6;

/** Both clients give the code of SQLite, each in its own way. */
function asFailure(error: unknown): PlicaError {
  const { code, errcode } = (typeof error === "object" && error !== null ? error : {}) as { code?: unknown; errcode?: unknown };
  const number = typeof errcode === "number" ? errcode & 0xff : undefined;
  if (number === BUSY || number === LOCKED || (typeof code === "string" && /^SQLITE_(BUSY|LOCKED)/.test(code))) {
    return new PlicaError("store-busy", `another writer has the database: ${NOTHING}, try again (${describe(error)})`, { cause: error });
  }
  return failed(error, NOTHING);
}
