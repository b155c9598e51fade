// Originals that hold more than JSON can: on their way into a ledger's JSON and back.
//
// Binary, dates, URLs and big integers become `{ "$plica": kind, … }`; an object of the caller's that has that key itself is
// wrapped, so that nothing can be taken for something else. Everything else stays as it is.

import { PlicaError } from "./errors.js";
import { isBinaryObject } from "./json.js";
import { BINARY_KINDS, fromBase64, toBase64 } from "./binary.js";

const MARK = "$plica";

/** A message in a form that survives JSON. @internal */
export function toLedgerJson(value: unknown): unknown {
  return mapped(value, 0, written);
}

/** The message again. @internal */
export function fromLedgerJson(value: unknown): unknown {
  return mapped(value, 0, read);
}

/** What `change` makes of a value, or undefined to go on inside it. */
type Change = (value: object | bigint) => { value: unknown } | undefined;

/** Objects that nothing changes inside of are handed on as they are: a copy is made only where it differs. */
function mapped(value: unknown, depth: number, change: Change): unknown {
  if (typeof value === "bigint") return change(value)?.value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > 1000) throw new PlicaError("too-deep", "an original is nested deeper than 1000 levels");
  const changed = change(value);
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

function written(value: object | bigint): { value: unknown } | undefined {
  if (typeof value === "bigint") return { value: { [MARK]: "bigint", text: String(value) } };
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { value: { [MARK]: "bytes", type: kindOf(value), base64: toBase64(bytes) } };
  }
  if (value instanceof ArrayBuffer) return { value: { [MARK]: "bytes", type: "ArrayBuffer", base64: toBase64(new Uint8Array(value)) } };
  if (isBinaryObject(value)) throw new PlicaError("bad-message", "an original holds a Blob, a File or shared memory, whose bytes cannot be written; keep it by reference");
  if (value instanceof Date) return { value: { [MARK]: "date", ms: Number.isNaN(value.getTime()) ? null : value.getTime() } };
  if (typeof URL !== "undefined" && value instanceof URL) return { value: { [MARK]: "url", href: value.href } };
  if (!Array.isArray(value) && MARK in value) {
    const entries = Object.entries(value).map(([key, item]) => [key, toLedgerJson(item)]);
    return { value: { [MARK]: "object", entries } };
  }
  return undefined;
}

function read(value: object | bigint): { value: unknown } | undefined {
  if (typeof value !== "object" || Array.isArray(value) || !(MARK in value)) return undefined;
  const marked = value as { [MARK]: unknown; text?: string; type?: string; base64?: string; ms?: number | null; href?: string; entries?: [string, unknown][] };
  switch (marked[MARK]) {
    case "bigint":
      return { value: BigInt(marked.text ?? "") };
    case "bytes":
      return { value: revivedBytes(marked.type, fromBase64(marked.base64 ?? "")) };
    case "date":
      return { value: new Date(marked.ms ?? NaN) };
    case "url":
      return { value: new URL(marked.href ?? "") };
    case "object":
      return { value: Object.fromEntries((marked.entries ?? []).map(([key, item]) => [key, fromLedgerJson(item)])) };
    default:
      throw new PlicaError("bad-ledger", `an original holds a mark that this plica does not know: ${String(marked[MARK])}`);
  }
}

/** A Buffer comes back as the Uint8Array that it is. */
function kindOf(view: ArrayBufferView): string {
  const tag = Object.prototype.toString.call(view);
  return tag.slice("[object ".length, -1);
}

function revivedBytes(type: string | undefined, bytes: Uint8Array): unknown {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  if (type === "ArrayBuffer") return buffer;
  const kind = BINARY_KINDS[type ?? ""];
  if (kind === undefined) throw new PlicaError("bad-ledger", `an original holds binary data of the unknown type ${String(type)}`);
  return new kind(buffer as ArrayBuffer);
}
