// Arguments that are objects: their fields are copied once, before anything is staged.
//
// A field may be a getter that throws, or one that calls plica again and would find its own texts where ours are staged.
// Nothing of the caller's runs between staging and the call into the core.

import { PlicaError, describe } from "./errors.js";
import type { PlicaErrorCode } from "./errors.js";
import { article } from "./kinds.js";

/** The named fields of an object; of null and undefined none. @internal */
export function fields<K extends string>(value: unknown, keys: readonly K[], what: string, code: PlicaErrorCode = "bad-argument"): { [key in K]?: unknown } {
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" && typeof value !== "function") throw new PlicaError(code, `${what} must be an object, not ${article(value)}`);
  // Without a prototype: a field may be called __proto__.
  const out = Object.create(null) as { [key in K]?: unknown };
  try {
    for (const key of keys) {
      const field = (value as Record<string, unknown>)[key];
      if (field !== undefined) out[key] = field;
    }
  } catch (error) {
    throw new PlicaError(code, `${what} cannot be read: ${describe(error)}`, { cause: error });
  }
  return out;
}

/** A whole number of 0 or more, cut off where the core counts no further. @internal */
export function countOf(value: unknown, what: string, otherwise = 0): number {
  if (value === undefined || value === null) return otherwise;
  if (typeof value === "number" && value >= 0) return Math.min(Math.floor(value), 2 ** 32 - 1);
  throw new PlicaError("bad-argument", `${what} must be a number of 0 or more, not ${typeof value === "number" ? value : article(value)}`);
}

/** A number of 0 or more; Infinity and fractions are fine. @internal */
export function numberOf(value: unknown, what: string, otherwise: number): number {
  if (value === undefined || value === null) return otherwise;
  if (typeof value === "number" && value >= 0) return value;
  throw new PlicaError("bad-argument", `${what} must be a number of 0 or more, not ${typeof value === "number" ? value : article(value)}`);
}

/** An option that is false, or an object of settings, or left out; true is like left out. @internal */
export function switchOf<K extends string>(value: unknown, keys: readonly K[], what: string): { [key in K]?: unknown } | undefined {
  if (value === false) return undefined;
  return fields(value === true ? undefined : value, keys, what);
}

/** A budget of the tail in tokens. @internal */
export function budgetOf(value: unknown): number {
  if (typeof value === "number" && value >= 0) return value;
  throw new PlicaError("bad-budget", `tailBudget must be a number of tokens, 0 or more, not ${typeof value === "number" ? value : article(value)}`);
}

/** A format's name; the core knows which there are. @internal */
export function formatName(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new PlicaError("unknown-format", `format must be a string, not ${article(value)}`);
}
