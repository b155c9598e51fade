import type { LedgerStore, SqlValue, StoreOptions } from "./types.js";
/** What a connection has to offer. */
export interface PostgresClient {
    /** Runs a statement. */
    query(sql: string, values?: SqlValue[]): Promise<{
        rows: unknown[];
    }>;
    /** Gives the connection back; with an error it is closed. */
    release(error?: Error | boolean): void;
    /** As an EventEmitter has it. */
    on?(event: "error", listener: (error: Error) => void): unknown;
    /** As an EventEmitter has it. */
    removeListener?(event: "error", listener: (error: Error) => void): unknown;
}
/** What a pool has to offer: a `Pool` of `pg` does. */
export interface PostgresPool {
    /** Takes a connection out. */
    connect(): Promise<PostgresClient>;
}
/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions extends StoreOptions {
    /** The schema of the tables: letters, digits and `_`. It has to be there. Default: the first of the search path. */
    schema?: string | undefined;
}
/**
 * A store in a PostgreSQL database, for any number of servers. The pool is yours: made, and ended, by you. A pool of pg that nobody listens to
 * ends the program when the database ends an idle connection.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * import { Pool } from "pg";
 * const pool = new Pool({ connectionString });
 * pool.on("error", (error) => console.error(error.message));
 * const store = postgresStore(pool, { schema: "agents" });
 */
export declare function postgresStore(pool: PostgresPool, options?: PostgresStoreOptions): LedgerStore;
