// The one error class, and how errors of the core become instances of it.

import type { ErrorCode } from "./generated/core.js";

/** Codes that only `plica/store` has: the core knows no databases. */
export type StoreErrorCode = "conflict" | "store-busy" | "store-failed" | "store-newer";

/** Why a call was refused; part of the API. See the README for each code. */
export type PlicaErrorCode = ErrorCode | StoreErrorCode;

/**
 * Everything that plica throws. `code` is for programs, `message` says what was wrong, where, and what to do.
 *
 * @example
 * try { plan(messages, { tailBudget: -1 }) } catch (error) {
 *   if (error instanceof PlicaError && error.code === "bad-budget") …
 * }
 */
export class PlicaError extends Error {
  /** The code, in kebab-case. */
  readonly code: PlicaErrorCode;
  /** What was thrown below, where something was. */
  readonly cause?: unknown;

  constructor(code: PlicaErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message);
    this.name = "PlicaError";
    this.code = code;
    if (options.cause !== undefined) this.cause = options.cause;
  }
}

/** The core throws plain objects `{ code, message }`; whatever else arrives here is a bug, and says so. @internal */
export function asPlicaError(error: unknown): PlicaError {
  if (error instanceof PlicaError) return error;
  const { code, message } = (typeof error === "object" && error !== null ? error : {}) as { code?: unknown; message?: unknown };
  if (typeof code === "string" && typeof message === "string" && !(error instanceof Error)) {
    return new PlicaError(code as PlicaErrorCode, message);
  }
  return new PlicaError("internal", `unexpected failure: ${describe(error)}`, { cause: error });
}

/** A few words about any thrown value, whatever its own toString does. @internal */
export function describe(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "a value that cannot be printed";
  }
}
