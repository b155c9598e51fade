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
export declare function sqliteStore(db: SqliteDatabase, options?: SqliteStoreOptions): LedgerStore;
