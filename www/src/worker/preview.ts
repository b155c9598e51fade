// The first messages of a large file, before the rest of it is read: its head, closed so that it is a file of its own.

import { estimate, readSession } from "plica/slim";
import type { Session } from "plica/slim";
import type { Row } from "../protocol.js";
import { decoded } from "./file.js";
import { rowOf } from "./rows.js";
import { timelineOf } from "./timeline.js";

/** Bytes of the heads that are tried, until a message is in one. */
export const HEADS = [256 * 1024, 512 * 1024, 1024 * 1024, 2048 * 1024];

const MOST_ROWS = 60;

/** The rows of the first messages; empty where there are none in the largest head. */
export async function previewOf(file: Blob): Promise<Row[]> {
  for (const size of HEADS) {
    if (size >= file.size && size !== HEADS[0]) break;
    const head = closed(decoded(new Uint8Array(await file.slice(0, size).arrayBuffer())));
    const session = head === undefined ? undefined : readable(head);
    if (session !== undefined && session.messages.length > 0) return rowsOf(session);
  }
  return [];
}

/** A head that is no session is none that can be shown: the whole file will say what is wrong. */
function readable(head: string): Session | undefined {
  try {
    return readSession(head);
  } catch {
    return undefined;
  }
}

function rowsOf(session: Session): Row[] {
  try {
    const timeline = timelineOf(session.messages, session.ledger);
    const messages = timeline.messages.slice(0, MOST_ROWS);
    const tokens = estimate(messages, { format: session.messageFormat }).perMessage;
    const source = { messages, tokens, digestOf: timeline.digestOf, pairs: undefined, provenance: () => undefined, pinned: new Set<number>() };
    return messages.map((_, item) => rowOf(source, item));
  } catch {
    return [];
  }
}

/** The part of a head that is whole: complete lines, or a document up to its last complete message, its brackets closed. */
export function closed(head: string): string | undefined {
  const text = head.replace(/^\ufeff?\s*/, "");
  if (text.startsWith("{") && isValue(text.slice(0, lineEnd(text)))) return text.slice(0, text.lastIndexOf("\n") + 1);
  return text.startsWith("{") || text.startsWith("[") ? document(text) : undefined;
}

function lineEnd(text: string): number {
  return Math.max(0, text.indexOf("\n"));
}

function isValue(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const CLOSING: Record<string, string> = { "{": "}", "[": "]" };

/** Messages are elements of an array that is the document, or a member of it: deeper arrays are parts of messages. */
function document(text: string): string | undefined {
  const open: string[] = [];
  let end: { at: number; open: string } | undefined;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!;
    if (unit === '"') {
      at = stringEnd(text, at);
    } else if (unit === "{" || unit === "[") {
      open.push(unit);
    } else if (unit === "}" || unit === "]") {
      open.pop();
      const around = open.length <= 2 ? open.join("") : "";
      if (around === "[" || around === "{[") end = { at: at + 1, open: around };
    }
  }
  if (open.length === 0) return text;
  return end && text.slice(0, end.at) + [...end.open].reverse().map((bracket) => CLOSING[bracket]).join("");
}

/** The place of the quote that ends a string; the end of the text where there is none. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const end = text.indexOf('"', at);
    if (end === -1) return text.length;
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end;
    at = end;
  }
  return text.length;
}
