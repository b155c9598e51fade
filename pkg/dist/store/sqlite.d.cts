import type { LedgerStore, SqlValue, StoreOptions } from "./types.cjs";
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
/**
 * A store in a SQLite database of yours: opened, set up and closed by you. `PRAGMA journal_mode = WAL` lets others read while one
 * writes; a busy timeout (better-sqlite3 has one, `new DatabaseSync(path, { timeout: 5000 })`) waits for other writers.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * const store = sqliteStore(new DatabaseSync("agent.db", { timeout: 5000 }));
 */
export declare function sqliteStore(db: SqliteDatabase, options?: StoreOptions): LedgerStore;
