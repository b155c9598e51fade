// PostgreSQL, through a pool. Each operation is one transaction on one connection.

import { PlicaError } from "plica";
import { Conversations } from "./conversation.js";
import { NOTHING, describe, failed } from "./failures.js";
import { identifier, isCurrent, migrate, tablesOf } from "./schema.js";
import type { Dialect } from "./schema.js";
import type { Row, Statement, Steps } from "./steps.js";
import { Store } from "./store.js";
import type { LedgerStore, SqlValue, StoreOptions } from "./types.js";

/** What a connection has to offer. */
export interface PostgresClient {
  /** Runs a statement. */
  query(sql: string, values?: SqlValue[]): Promise<{ rows: unknown[] }>;
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

const POSTGRES: Dialect = {
  serial: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  // As SQLite compares, whatever the database's own order.
  id: 'TEXT COLLATE "C"',
  forUpdate: " FOR UPDATE",
  lockSchema: "SELECT pg_advisory_xact_lock(hashtext(?))",
  exists: "SELECT 1 WHERE to_regclass(?) IS NOT NULL",
  nameOf: (table) => table,
};

const BEGIN = { read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", write: "BEGIN ISOLATION LEVEL READ COMMITTED" };

/**
 * Not failures, but two servers that met: one deleted a text that the other was about to use (23503), or they waited for each other.
 * The whole transaction was undone, and is done again.
 */
const RETRIED: readonly unknown[] = ["23503", "40001", "40P01"];

const ATTEMPTS = 5;

const LOCK_NOT_AVAILABLE = "55P03";

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
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): LedgerStore {
  if (typeof pool?.connect !== "function") throw new PlicaError("bad-argument", "pool must be a Pool of pg");
  const prefix = identifier(options?.prefix ?? "plica_", "prefix");
  const tables = tablesOf(prefix, options?.schema === undefined ? undefined : identifier(options.schema, "schema"));
  let ready: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    if (!(await inTransaction(pool, "read", () => isCurrent(tables, POSTGRES)))) await inTransaction(pool, "write", () => migrate(tables, POSTGRES, prefix));
  };
  const transact = async <T>(kind: "read" | "write", steps: () => Steps<T>): Promise<T> => {
    try {
      // Once, however many calls come at the same time.
      await (ready ??= prepare());
      return await repeated(() => inTransaction(pool, kind, steps));
    } catch (error) {
      // Made by a caller of another time or not: what the tables are is asked anew after a failure.
      if (!(error instanceof PlicaError) || error.code !== "conflict") ready = undefined;
      throw error;
    }
  };
  return new Store(new Conversations(tables, POSTGRES, Date.now), transact, options?.key);
}

async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof PlicaError) || !RETRIED.includes(codeOf(error.cause))) throw error;
    }
  }
}

async function inTransaction<T>(pool: PostgresPool, kind: "read" | "write", steps: () => Steps<T>): Promise<T> {
  const client = await begun(pool, kind);
  let broken: Error | undefined;
  let committing = false;
  try {
    const done = await played(client, steps());
    committing = true;
    await client.query("COMMIT");
    return done;
  } catch (error) {
    broken = await rollBack(client);
    throw error instanceof PlicaError ? error : asFailure(error, committing && kind === "write" && broken !== undefined);
  } finally {
    giveBack(client, broken);
  }
}

/** A connection with a transaction. A pool may hand out one that was cut while it was idle: then another one. */
async function begun(pool: PostgresPool, kind: "read" | "write"): Promise<PostgresClient> {
  for (let attempt = 1; ; attempt++) {
    const client = await taken(pool).catch((error: unknown) => {
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

/**
 * A connection of the pool, which somebody listens to from the first moment on: with a promise there would be one before, in which a
 * server that ends can be heard. What knows no callbacks gives a promise all the same.
 */
function taken(pool: PostgresPool): Promise<PostgresClient> {
  return new Promise((done, refused) => {
    const got = (error: unknown, client?: PostgresClient): void => {
      if (client === undefined) return refused(error);
      client.on?.("error", deaf);
      done(client);
    };
    const connect = pool.connect as (callback: typeof got) => unknown;
    const promised = connect.call(pool, got) as Promise<PostgresClient> | undefined;
    if (typeof promised?.then === "function") promised.then((client) => got(undefined, client), refused);
  });
}

/**
 * A connection that is cut between two statements says so as an event, and one that nobody hears ends the process. The next statement
 * fails by itself.
 */
function deaf(): void {}

function giveBack(client: PostgresClient, broken: Error | undefined): void {
  client.removeListener?.("error", deaf);
  client.release(broken);
}

async function played<T>(client: PostgresClient, steps: Steps<T>): Promise<T> {
  let next = steps.next();
  while (next.done !== true) next = steps.next(await answer(client, next.value));
  return next.value;
}

async function answer(client: PostgresClient, { sql, values }: Statement): Promise<readonly Row[]> {
  let number = 0;
  const { rows } = await client.query(sql.replace(/\?/g, () => `$${++number}`), [...values]);
  return rows as Row[];
}

/** What is wrong with the connection, when it cannot even do that. */
async function rollBack(client: PostgresClient): Promise<Error | undefined> {
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(describe(error));
}

function asFailure(error: unknown, unknown: boolean): PlicaError {
  if (unknown) return failed(error, "whether the write was done is not known: load the conversation again and look");
  if (codeOf(error) === LOCK_NOT_AVAILABLE) {
    return new PlicaError("store-busy", `another writer has the conversation: ${NOTHING}, try again (${describe(error)})`, { cause: error });
  }
  return failed(error, NOTHING);
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
}
