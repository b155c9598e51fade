// Errors of databases, by the names of the store.

import { PlicaError } from "plica";

/** What came of a write that failed. @internal */
export const NOTHING = "nothing was written";

/** A few words about any thrown value. @internal */
export function describe(error: unknown): string {
  try {
    return error instanceof Error ? error.message || error.name : String(error);
  } catch {
    return "a value that cannot be printed";
  }
}

/** The database is gone, or refused. @internal */
export function failed(error: unknown, outcome: string): PlicaError {
  return new PlicaError("store-failed", `the database failed: ${describe(error)}; ${outcome}`, { cause: error });
}
