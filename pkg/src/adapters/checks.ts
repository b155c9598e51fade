// Arguments that are none are refused before anything else is done with them, by the codes of the package.

import { PlicaError } from "plica";
import { article, isArray } from "../kinds.js";

export { isArray };

/** A member of any value; undefined where it cannot be read: what reads it as a message says so. */
export function memberOf(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

/** @throws PlicaError `bad-argument` when it is no array, `bad-message` when one of it is no object. */
export function refuseMessages(messages: unknown, what = "messages"): void {
  if (!isArray(messages)) throw new PlicaError("bad-argument", `${what} must be an array, not ${article(messages)}`);
  for (let i = 0; i < messages.length; i++) {
    if (typeof messages[i] !== "object" || messages[i] === null) throw new PlicaError("bad-message", `message ${i} is ${article(messages[i])}, not an object`);
  }
}

/** The members of an object, those that are null aside: they are like left out. */
export function optionsIn<T extends object>(options: T | null | undefined, what = "options"): T {
  if (options === undefined || options === null) return {} as T;
  if (typeof options !== "object" || isArray(options)) throw new PlicaError("bad-argument", `${what} must be an object, not ${article(options)}`);
  try {
    return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null && value !== undefined)) as T;
  } catch (cause) {
    throw new PlicaError("bad-argument", `${what} cannot be read`, { cause });
  }
}

/** @throws PlicaError `bad-argument` when it is neither a function nor left out. */
export function refuseNoFunction(value: unknown, what: string): void {
  if (value !== undefined && value !== null && typeof value !== "function") throw new PlicaError("bad-argument", `${what} must be a function, not ${article(value)}`);
}

/** @throws PlicaError `bad-argument` when it is neither a signal nor left out. */
export function refuseNoSignal(signal: unknown): void {
  if (signal !== undefined && signal !== null && typeof signal !== "object") throw new PlicaError("bad-argument", `signal must be an AbortSignal, not ${article(signal)}`);
}
