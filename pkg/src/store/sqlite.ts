// SQLite, through a client that answers at once. Each operation runs without a pause, so that nothing else of the program gets into
// its transaction. Where another writer has the database, SQLite would wait within the call, and the whole program with it: it is told
// not to, and the transaction is tried again after a pause in which everything else goes on.

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

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions extends StoreOptions {
  /** For how many milliseconds a call waits for other writers before it is refused with `store-busy`. Default 5,000. */
  busyTimeoutMs?: number | undefined;
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

/** How long a call waits for other writers. */
const PATIENCE_MS = 5000;

/** From one attempt to the next, at first and at most. */
const PAUSE_MS = { first: 1, most: 50 };

/**
 * A store in a SQLite database of yours: opened, set up and closed by you. `PRAGMA journal_mode = WAL` lets others read while one
 * writes. Where another writer has the database a call waits for it (`busyTimeoutMs`), and the program goes on meanwhile: the busy
 * timeout of the database itself, which would block it, is 0 within the store's transactions, and what it was behind them.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * const store = sqliteStore(new DatabaseSync("agent.db"));
 */
export function sqliteStore(db: SqliteDatabase, options: SqliteStoreOptions = {}): LedgerStore {
  if (typeof db?.exec !== "function" || typeof db.prepare !== "function") throw new PlicaError("bad-argument", "db must be a DatabaseSync of node:sqlite, or a Database of better-sqlite3");
  const prefix = identifier(options?.prefix ?? "plica_", "prefix");
  const tables = tablesOf(prefix);
  const patience = options?.busyTimeoutMs ?? PATIENCE_MS;
  if (typeof patience !== "number" || !(patience >= 0)) throw new PlicaError("bad-argument", "busyTimeoutMs must be a number of milliseconds, 0 or more");
  let ready = false;
  const attempt = <T>(kind: "read" | "write", steps: () => Steps<T>): T => {
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
  return new Store(new Conversations(tables, SQLITE, Date.now), (kind, steps) => patiently(() => withoutWaiting(db, () => attempt(kind, steps)), patience), options?.key);
}

/** Tries again as long as another writer has the database. */
async function patiently<T>(attempt: () => T, patience: number): Promise<T> {
  const began = performance.now();
  for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    try {
      return attempt();
    } catch (error) {
      const left = patience - (performance.now() - began);
      if (!(error instanceof PlicaError) || error.code !== "store-busy" || left <= 0) throw error;
      // By chance, so that two who wait do not meet again.
      await new Promise((done) => setTimeout(done, Math.min(left, pause * (0.5 + Math.random()))));
    }
  }
}

/** Has SQLite say at once that another writer has the database. Behind it the connection is as its owner has set it up. */
function withoutWaiting<T>(db: SqliteDatabase, run: () => T): T {
  const own = busyTimeout(db);
  if (own === 0) return run();
  try {
    setBusyTimeout(db, 0);
    return run();
  } finally {
    setBusyTimeout(db, own);
  }
}

/** 0 where it cannot be asked for: what is wrong with the database the next statement says. */
function busyTimeout(db: SqliteDatabase): number {
  try {
    const [row] = db.prepare("PRAGMA busy_timeout").all() as ({ timeout?: unknown } | undefined)[];
    return Number(row?.timeout ?? 0) || 0;
  } catch {
    return 0;
  }
}

function setBusyTimeout(db: SqliteDatabase, milliseconds: number): void {
  try {
    db.exec(`PRAGMA busy_timeout = ${milliseconds}`);
  } catch {
    // The same.
  }
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
