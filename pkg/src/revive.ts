// Originals that hold more than JSON can: on their way into a ledger's JSON and back.
//
// Binary, dates, URLs, big integers, maps and sets become `{ "$plica": kind, … }`; an object of the caller's that has that key
// itself is wrapped, so that nothing can be taken for something else. Everything else stays as it is.

import { PlicaError } from "./errors.js";
import { isBinaryObject } from "./json.js";
import { BINARY_KINDS, fromBase64, toBase64 } from "./binary.js";

const MARK = "$plica";

/** Objects whose contents nobody can list. */
const UNWRITABLE: readonly string[] = ["WeakMap", "WeakSet", "WeakRef", "Promise"];

/** A message in a form that survives JSON. @internal */
export function toLedgerJson(value: unknown): unknown {
  return mapped(value, 0, written);
}

/** The message again. @internal */
export function fromLedgerJson(value: unknown): unknown {
  return mapped(value, 0, read);
}

/** What `change` makes of a value, or undefined to go on inside it. */
type Change = (value: object | bigint, depth: number) => { value: unknown } | undefined;

/** Objects that nothing changes inside of are handed on as they are: a copy is made only where it differs. */
function mapped(value: unknown, depth: number, change: Change): unknown {
  if (typeof value === "bigint") return change(value, depth)?.value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > 1000) throw new PlicaError("too-deep", "an original is nested deeper than 1000 levels");
  const changed = change(value, depth);
  if (changed !== undefined) return changed.value;
  if (Array.isArray(value)) {
    const inner = value.map((item) => mapped(item, depth + 1, change));
    return inner.some((item, i) => item !== value[i]) ? inner : value;
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return value;
  let differs = false;
  const entries = Object.entries(value).map(([key, item]) => {
    const inner = mapped(item, depth + 1, change);
    differs ||= inner !== item;
    return [key, inner] as const;
  });
  return differs ? Object.fromEntries(entries) : value;
}

function written(value: object | bigint, depth: number): { value: unknown } | undefined {
  if (typeof value === "bigint") return { value: { [MARK]: "bigint", text: String(value) } };
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { value: { [MARK]: "bytes", type: kindOf(value), base64: toBase64(bytes) } };
  }
  if (value instanceof ArrayBuffer) return { value: { [MARK]: "bytes", type: "ArrayBuffer", base64: toBase64(new Uint8Array(value)) } };
  if (isBinaryObject(value)) throw new PlicaError("bad-message", "an original holds a Blob, a File or shared memory, whose bytes cannot be written; keep it by reference");
  if (value instanceof Date) return { value: { [MARK]: "date", ms: Number.isNaN(value.getTime()) ? null : value.getTime() } };
  if (typeof URL !== "undefined" && value instanceof URL) return { value: { [MARK]: "url", href: value.href } };
  // No property of theirs tells what these hold: JSON would write `{}`.
  const kind = kindOf(value);
  if (value instanceof Map || (kind === "Map" && isReal(Map, value))) {
    return { value: { [MARK]: "map", entries: Array.from(value as Map<unknown, unknown>, ([key, item]) => [member(key, depth), member(item, depth)]) } };
  }
  if (value instanceof Set || (kind === "Set" && isReal(Set, value))) {
    return { value: { [MARK]: "set", items: Array.from(value as Set<unknown>, (item) => member(item, depth)) } };
  }
  if (UNWRITABLE.includes(kind)) throw new PlicaError("bad-message", `an original holds a ${kind}, whose contents cannot be written; keep it by reference`);
  if (!Array.isArray(value) && MARK in value) {
    const entries = Object.entries(value).map(([key, item]) => [key, mapped(item, depth + 1, written)]);
    return { value: { [MARK]: "object", entries } };
  }
  return undefined;
}

/** Whether an object that calls itself so is one of another realm. */
function isReal(type: typeof Map | typeof Set, value: object): boolean {
  try {
    (type.prototype as Set<unknown>).has.call(value as Set<unknown>, 0);
    return true;
  } catch {
    return false;
  }
}

/** A member of a map or a set, where JSON has no word for some that are told apart there. */
function member(value: unknown, depth: number): unknown {
  if (value === undefined) return { [MARK]: "undefined" };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) return { [MARK]: "number", text: Object.is(value, -0) ? "-0" : String(value) };
  if (typeof value === "function" || typeof value === "symbol") throw new PlicaError("bad-message", `an original holds a map or a set with a ${typeof value}, which cannot be written`);
  return mapped(value, depth + 1, written);
}

function read(value: object | bigint, depth: number): { value: unknown } | undefined {
  if (typeof value !== "object" || Array.isArray(value) || !(MARK in value)) return undefined;
  const marked = value as { [MARK]: unknown; text?: string; type?: string; base64?: string; ms?: number | null; href?: string; entries?: unknown; items?: unknown };
  const inner = (item: unknown): unknown => mapped(item, depth + 1, read);
  switch (marked[MARK]) {
    case "bigint":
      return { value: BigInt(marked.text ?? "") };
    case "bytes":
      return { value: revivedBytes(marked.type, fromBase64(marked.base64 ?? "")) };
    case "date":
      return { value: new Date(marked.ms ?? NaN) };
    case "url":
      return { value: new URL(marked.href ?? "") };
    case "map":
      return { value: new Map(pairs(marked.entries).map(([key, item]) => [inner(key), inner(item)])) };
    case "set":
      return { value: new Set(list(marked.items).map(inner)) };
    case "number":
      return { value: Number(marked.text) };
    case "undefined":
      return { value: undefined };
    case "object":
      return { value: Object.fromEntries(pairs(marked.entries).map(([key, item]) => [key as string, inner(item)])) };
    default:
      throw new PlicaError("bad-ledger", `an original holds a mark that this plica does not know: ${String(marked[MARK])}`);
  }
}

function list(given: unknown): unknown[] {
  if (Array.isArray(given)) return given;
  throw new PlicaError("bad-ledger", "an original holds a mark without the list that belongs to it");
}

function pairs(given: unknown): [unknown, unknown][] {
  return list(given).map((pair) => [list(pair)[0], list(pair)[1]]);
}

/** The name that an object says of itself; a Buffer comes back as the Uint8Array that it is. */
function kindOf(value: object): string {
  try {
    const tag = Object.prototype.toString.call(value);
    return tag.slice("[object ".length, -1);
  } catch {
    // A getter of the caller's in the way: then it is none of those that are told by it.
    return "Object";
  }
}

function revivedBytes(type: string | undefined, bytes: Uint8Array): unknown {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  if (type === "ArrayBuffer") return buffer;
  const kind = BINARY_KINDS[type ?? ""];
  if (kind === undefined) throw new PlicaError("bad-ledger", `an original holds binary data of the unknown type ${String(type)}`);
  return new kind(buffer as ArrayBuffer);
}
