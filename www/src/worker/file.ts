// The bytes of a file, and what kind of document they are.

import { isObject } from "./json.js";
import type { Fields } from "./json.js";

const PIECE = 8 * 1024 * 1024;

/** Reads a file piece by piece, and tells how far it is. */
export async function bytesOf(file: Blob, told: (bytes: number) => void): Promise<Uint8Array> {
  const bytes = new Uint8Array(file.size);
  for (let at = 0; at < bytes.length; at += PIECE) {
    bytes.set(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()), at);
    told(Math.min(at + PIECE, bytes.length));
  }
  return bytes;
}

/** Lone halves of characters and bytes that are no UTF-8 are read as U+FFFD; the byte order mark is left out. */
export function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A text as an object; undefined for all else. */
export function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The ledger that these bytes are; undefined when they are something else. */
export function ledgerIn(bytes: Uint8Array): Fields | undefined {
  if (firstByte(bytes) !== OPEN_BRACE) return undefined;
  const value = objectIn(decoded(bytes));
  return value?.plica === "ledger" ? value : undefined;
}

/**
 * The object that a file is, when it is one that may hold more than messages. Files of lines, which begin like an object, too, are
 * told apart by their first line, so that a large one is not read in vain.
 */
export function documentIn(bytes: Uint8Array): Fields | undefined {
  if (bytes.length > LARGEST_TEXT || firstByte(bytes) !== OPEN_BRACE || isLines(bytes)) return undefined;
  const text = decoded(bytes);
  return /"(?:folded|facts)"/.test(text) ? objectIn(text) : undefined;
}

/** Larger files are no string in every browser; what they hold beside messages is not looked for. */
const LARGEST_TEXT = 500_000_000;

const OPEN_BRACE = 0x7b;
const LINE_END = 0x0a;

function firstByte(bytes: Uint8Array): number | undefined {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let i = start; i < bytes.length; i++) if (bytes[i]! > 0x20) return bytes[i];
  return undefined;
}

/** Whether the first line is a value by itself, and not the last. */
function isLines(bytes: Uint8Array): boolean {
  const end = bytes.indexOf(LINE_END);
  return end !== -1 && firstByte(bytes.subarray(end)) !== undefined && objectIn(decoded(bytes.subarray(0, end))) !== undefined;
}
