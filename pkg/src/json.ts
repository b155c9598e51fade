// Messages as JSON texts, from whatever JavaScript value they are.
//
// Real arrays hold binary parts, dates, big integers, class instances, proxies, cycles and getters that throw. Each gives
// a text or a PlicaError; nothing is ever changed. Binary is never spelled out: it becomes a short mark with its length and
// fingerprint, so that pictures are priced as pictures and two of them stay two.

import { PlicaError, describe } from "./errors.js";
import { article } from "./kinds.js";

/** Deeper than any real message; JSON.stringify itself gives up at a few thousand, each engine at another depth. */
const MAX_DEPTH = 1000;

/** More values than a message can have; a graph of shared objects unfolds to more than any memory holds. */
const MAX_VALUES = 20_000_000;

/** Starts the text that stands for binary data. */
const BINARY_MARK = "\u0000plica-bytes:";

/** Fingerprint of binary data; handed in, since this file calls no core. @internal */
export type HashBytes = (bytes: Uint8Array) => string;

/** The JSON text of one message. @internal */
export function messageText(message: unknown, index: number, hash: HashBytes): string {
  if (typeof message !== "object" || message === null) {
    throw new PlicaError("bad-message", `message ${index} is ${article(message)}, not an object`);
  }
  return jsonText(message, `message ${index}`, hash);
}

/** The JSON text of any value; `what` names it in errors. @internal */
export function jsonText(value: unknown, what: string, hash: HashBytes): string {
  try {
    const text = isPlain(value, what) ? JSON.stringify(value) : JSON.stringify(value, replacer(hash));
    if (typeof text === "string") return text;
  } catch (error) {
    throw unreadable(error, what);
  }
  throw new PlicaError("bad-message", `${what} has no JSON form`);
}

function unreadable(error: unknown, what: string): PlicaError {
  if (error instanceof PlicaError) return error;
  if (error instanceof RangeError && /string length/i.test(error.message)) {
    return new PlicaError("too-large", `${what} is larger than a string can be`, { cause: error });
  }
  if (error instanceof RangeError || (error instanceof Error && error.name === "InternalError")) {
    return new PlicaError("too-deep", `${what} is nested deeper than can be read here`, { cause: error });
  }
  return new PlicaError("bad-message", `${what} cannot be read: ${describe(error)}`, { cause: error });
}

interface Walk {
  what: string;
  left: number;
}

/**
 * Whether JSON.stringify alone tells all there is: no binary, no big integer. A walk over the objects costs a fraction of
 * the text; asking JSON.stringify with a replacer for everything would cost several times as much.
 */
function isPlain(value: unknown, what: string): boolean {
  return plainBelow(value, 0, { what, left: MAX_VALUES });
}

function plainBelow(value: unknown, depth: number, walk: Walk): boolean {
  if (typeof value === "bigint") return false;
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAX_DEPTH) throw tooDeep(value, walk.what);
  if (ArrayBuffer.isView(value) || isBinaryObject(value)) return false;
  if (Array.isArray(value)) {
    const { length } = value;
    if ((walk.left -= length) < 0) throw tooLarge(walk.what);
    for (let i = 0; i < length; i++) if (!plainBelow(value[i], depth + 1, walk)) return false;
    return true;
  }
  // Dates, URLs and class instances say themselves what they look like.
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return true;
  const keys = Object.keys(value);
  if ((walk.left -= keys.length) < 0) throw tooLarge(walk.what);
  for (const key of keys) if (!plainBelow((value as Record<string, unknown>)[key], depth + 1, walk)) return false;
  return true;
}

function tooLarge(what: string): PlicaError {
  return new PlicaError("too-large", `${what} holds more than ${MAX_VALUES} values`);
}

/** A cycle looks like endless depth; only then is it worth telling the two apart. */
function tooDeep(value: object, what: string): PlicaError {
  return isCyclic(value)
    ? new PlicaError("bad-message", `${what} contains itself; a cycle has no JSON form`)
    : new PlicaError("too-deep", `${what} is nested deeper than ${MAX_DEPTH} levels`);
}

function isCyclic(start: object): boolean {
  const seen = new Set<object>();
  const queue: object[] = [start];
  for (let next = queue.pop(); next !== undefined && seen.size < 100_000; next = queue.pop()) {
    for (const child of Object.values(next)) {
      if (child === start) return true;
      if (typeof child === "object" && child !== null && !seen.has(child as object)) {
        seen.add(child as object);
        queue.push(child as object);
      }
    }
  }
  return false;
}

/** Binary data that is no view: a buffer, or a file of the platform. @internal */
export function isBinaryObject(value: object): boolean {
  const tag = tagOf(value);
  return tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]" || tag === "[object Blob]" || tag === "[object File]";
}

/** For messages that hold more than JSON: sees each value before its own toJSON does. */
function replacer(hash: HashBytes): (this: unknown, key: string, value: unknown) => unknown {
  return function replace(this: unknown, key: string, value: unknown): unknown {
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    // Buffer has a toJSON that spells out every byte; the holder still has the buffer itself.
    const original = (this as Record<string, unknown>)[key];
    return binaryMark(original, hash) ?? binaryMark(value, hash) ?? value;
  };
}

function binaryMark(value: unknown, hash: HashBytes): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (ArrayBuffer.isView(value)) return mark(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), hash);
  if (!isBinaryObject(value)) return undefined;
  // A blob gives its bytes only asynchronously: size and type have to do.
  if ("size" in value) return `${BINARY_MARK}${(value as Blob).size}:${(value as Blob).type}`;
  return mark(new Uint8Array(value as ArrayBuffer), hash);
}

function mark(bytes: Uint8Array, hash: HashBytes): string {
  return `${BINARY_MARK}${bytes.byteLength}:${hash(bytes)}`;
}


/** `[object Date]` and the like; of a proxy that throws nothing. @internal */
export function tagOf(value: unknown): string {
  try {
    return Object.prototype.toString.call(value);
  } catch {
    return "";
  }
}
