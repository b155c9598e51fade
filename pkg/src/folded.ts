// Drop-in fold module: FNV fingerprints, and the way from a summary to the originals it stands for.

import { PlicaError, describe } from "./errors.js";
import { article } from "./kinds.js";
import { elements, withText } from "./stage.js";

/** How the frame of a compacted history begins. */
const FRAME = "[compacted history";

function fnv1a(text: string): string {
  return (withText(text, (core, length, json) => core.fnv1a(length, json)) >>> 0).toString(16);
}

/**
 * 32-bit FNV-1a over the UTF-16 code units of a summary, as lower-case hex without padding: the key under which folds of
 * others are stored. For identity of your own use {@link fingerprint}: 32 bits collide by accident.
 *
 * @throws PlicaError `bad-argument` when `content` is not a string.
 * @example
 * summaryFingerprint("a") // "e40c292c"
 */
export function summaryFingerprint(content: string): string {
  if (typeof content !== "string") throw new PlicaError("bad-argument", `content must be a string, not ${article(content)}`);
  return fnv1a(content);
}

/**
 * The same hash over `role:content` of each message, joined by U+0000.
 *
 * @throws PlicaError `bad-argument` when `messages` is not an array of objects.
 * @example
 * spanFingerprint([{ role: "user", content: "a" }]) // "3d19ff3b"
 */
export function spanFingerprint(messages: readonly { role: string; content: string }[]): string {
  const texts = elements<unknown>(messages, "messages").map((message, index) => {
    if (typeof message !== "object" || message === null) throw new PlicaError("bad-argument", `message ${index} is ${article(message)}, not an object`);
    try {
      const { role, content } = message as { role: unknown; content: unknown };
      return `${role as string}:${content as string}`;
    } catch (error) {
      throw new PlicaError("bad-argument", `message ${index} cannot be read: ${describe(error)}`, { cause: error });
    }
  });
  return fnv1a(texts.join("\0"));
}

/** A conversation that may carry records of its folds. */
export interface FoldedConversation<S> {
  folded?: readonly S[] | null | undefined;
}

/** What a span must have to be found; spans of yours may have more. */
export interface SpanLike {
  summaryFingerprint?: string;
}

/** The message or undefined; only `content` is looked at. */
export type SummaryLike = { content?: unknown } | null | undefined;

/**
 * All recorded folds whose summary has the same 32-bit fingerprint as this message's content, in their order: your own
 * objects. More than one means a collision or the same text twice.
 *
 * @example
 * foldedSpansFor(conversation, message).length // 0: no fold was recorded
 */
export function foldedSpansFor<S extends SpanLike>(conversation: FoldedConversation<S> | null | undefined, message: SummaryLike): S[] {
  const content = property(message, "content");
  if (typeof content !== "string") return [];
  const spans = foldedOf<S>(conversation);
  if (spans.length === 0) return [];
  const print = fnv1a(content);
  return spans.filter((span) => property(span, "summaryFingerprint") === print);
}

/**
 * The first recorded fold for a summary: your own object, or undefined when none was recorded. Three answers stay apart: no
 * span; a span without `messages` (originals were discarded); a span with `messages`.
 *
 * @example
 * foldedSpanFor(conversation, message)?.messages
 */
export function foldedSpanFor<S extends SpanLike>(conversation: FoldedConversation<S> | null | undefined, message: SummaryLike): S | undefined {
  return foldedSpansFor(conversation, message)[0];
}

/**
 * The originals of all recorded folds, in span order: your own objects. Spans without `messages` add nothing.
 *
 * @example
 * foldedMessages({ folded: [{ messages: [m1, m2] }, { messages: [m3] }] }) // [m1, m2, m3]
 */
export function foldedMessages<M>(conversation: FoldedConversation<{ messages?: readonly M[] | undefined }> | null | undefined): M[] {
  const out: M[] = [];
  for (const span of foldedOf(conversation)) {
    // A loop: spreading into push overflows the stack at some 130 000 messages.
    for (const message of listed(property(span, "messages"))) out.push(message as M);
  }
  return out;
}

/**
 * Whether a message looks like the frame of a compacted history: role `user`, content starting with `[compacted history`.
 * It says "looks like", nothing more: anyone can write such a text. What a fold really stands for, {@link foldedSpanFor} and
 * the ledger know.
 *
 * @example
 * isCompactedSummary({ role: "user", content: "[compacted history — 3 earlier …" }) // true
 */
export function isCompactedSummary(message: { role?: unknown; content?: unknown } | null | undefined): boolean {
  const content = property(message, "content");
  return property(message, "role") === "user" && typeof content === "string" && content.startsWith(FRAME);
}

/** So many holes in a row end a sparse array, which may be billions long. */
const MAX_HOLES = 100_000;

function foldedOf<S>(conversation: FoldedConversation<S> | null | undefined): S[] {
  return listed(property(conversation, "folded")).filter((span) => typeof span === "object" && span !== null) as S[];
}

/** The elements of anything: none of what is no array, and as many as can be read of a proxy that throws. @internal */
export function listed(value: unknown): unknown[] {
  const out: unknown[] = [];
  try {
    if (!Array.isArray(value)) return out;
    let holes = 0;
    for (let i = 0; i < value.length && holes < MAX_HOLES; i++) {
      const element: unknown = value[i];
      if (element === undefined && !(i in value)) {
        holes++;
        continue;
      }
      holes = 0;
      out.push(element);
    }
  } catch {
    // What was read stands.
  }
  return out;
}

/** A property of anything; junk and getters that throw have none. @internal */
export function property(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
