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
export declare class PlicaError extends Error {
    /** The code, in kebab-case. */
    readonly code: PlicaErrorCode;
    /** What was thrown below, where something was. */
    readonly cause?: unknown;
    constructor(code: PlicaErrorCode, message: string, options?: {
        cause?: unknown;
    });
}
