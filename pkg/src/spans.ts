// Spans of stored conversations on their way into a ledger and back. Which span is of which summary the core decides; here
// whatever a caller stored is read once, and your own objects are handed on.

import { PlicaError } from "./errors.js";
import { listed, property } from "./folded.js";
import type { FoldRecord } from "./generated/core.js";
import { article, isArray } from "./kinds.js";
import { fields } from "./options.js";
import { elements, messageLine, messageLines, withLines } from "./stage.js";

/** A fold as agentfootprint stores it, in the list `folded` of a conversation. */
export interface Span<M = object> {
  /** {@link summaryFingerprint} of the summary's content. */
  summaryFingerprint: string;
  /** The run that folded. */
  runId: string;
  /** Its iteration. */
  iteration: number;
  /** When, in milliseconds since 1970. */
  foldedAtMs: number;
  /** What wrote the summary. */
  model: string;
  /** Number of messages that the summary stands for. */
  messageCount: number;
  /** Stages that went with them. */
  removedStageIds: string[];
  /** Whether `messages` are there. */
  retained: "conversation" | "discard";
  /** The messages that the summary stands for, in their order. */
  messages?: readonly M[];
}

/** What {@link Ledger.toFolded} writes into the spans. */
export interface SpanOptions {
  /** Default `""`. */
  runId?: string | undefined;
  /** Default 0. */
  iteration?: number | undefined;
  /** Milliseconds since 1970, for `foldedAtMs`; default 0: no clock is asked. */
  now?: number | undefined;
  /** Default `""`. */
  model?: string | undefined;
}

/** An entry of `folded` that is no fold of the ledger. */
export interface UnplacedSpan {
  /** Its index in `folded`. */
  readonly index: number;
  /** The entry: your own. */
  readonly span: unknown;
  /**
   * `no-span`: it is no object with a fingerprint. `unreadable`: its messages cannot be read, or are none of agentfootprint.
   * `no-summary`: neither the window nor any span holds a message with its fingerprint.
   */
  readonly why: "no-span" | "unreadable" | "no-summary";
}

const REASONS: readonly unknown[] = ["no-span", "unreadable", "no-summary"];

/** A span whose place was found. @internal */
export interface PlacedSpan<M> {
  index: number;
  span: object;
  record: FoldRecord;
  /** Undefined where nothing is known of them. */
  messages: M[] | undefined;
}

interface Read<M> {
  index: number;
  span: object;
  key: string;
  count: number | undefined;
  messages: M[] | undefined;
  lines: string[];
}

/** The spans of a conversation as folds, the oldest first, and those that are none. @internal */
export function readSpans<M extends object>(conversation: unknown, messages: unknown): { placed: PlacedSpan<M>[]; unplaced: UnplacedSpan[] } {
  const window = messageLines(messages);
  const unplaced: UnplacedSpan[] = [];
  const read: Read<M>[] = [];
  listed(property(conversation, "folded")).forEach((span, index) => {
    const key = property(span, "summaryFingerprint");
    if (typeof key !== "string") return unplaced.push({ index, span, why: "no-span" });
    const own = readSpan<M>(span as object, index, key);
    return own === undefined ? unplaced.push({ index, span, why: "unreadable" }) : read.push(own);
  });
  const lines = [...window, ...read.flatMap((span) => span.lines)];
  const given = read.map(({ key, count, messages: held }) => ({ key, count, held: held?.length }));
  const { folds, unreadable } = withLines(lines, (core, length) => core.foldsOfSpans(length, window.length, given)) as { folds: { span: number; record: FoldRecord }[]; unreadable: number[] };
  const placed = folds.map(({ span: number, record }) => {
    const { index, span, messages: held } = read[number]!;
    return { index, span, record, messages: held };
  });
  const found = new Set(folds.map((fold) => fold.span));
  const unread = new Set(unreadable);
  read.forEach(({ index, span }, number) => {
    if (!found.has(number)) unplaced.push({ index, span, why: unread.has(number) ? "unreadable" : "no-summary" });
  });
  return { placed, unplaced: unplaced.sort((a, b) => a.index - b.index) };
}

/** A span whose messages can be read; undefined where they cannot. */
function readSpan<M extends object>(span: object, index: number, key: string): Read<M> | undefined {
  const count = property(span, "messageCount");
  const counted = typeof count === "number" && Number.isInteger(count) && count >= 0 && count < 2 ** 32 ? count : undefined;
  const held = property(span, "messages");
  if (held === undefined || held === null) return { index, span, key, count: counted, messages: undefined, lines: [] };
  try {
    const messages = elements<M>(held, "messages");
    return { index, span, key, count: counted, messages, lines: messages.map((message, i) => messageLine(message, i)) };
  } catch {
    return undefined;
  }
}

/** A fold of which a span is written. @internal */
export interface FoldToWrite<M> {
  record: FoldRecord;
  messages: readonly M[] | undefined;
  /** The span that it was read from. */
  span: object | undefined;
}

/** The folds behind a window as spans; `records` are all that the ledger holds. @internal */
export function writeSpans<M extends object>(records: readonly object[], foldOf: (index: number) => FoldToWrite<M>, held: readonly (readonly M[] | undefined)[], messages: readonly M[], unplaced: readonly UnplacedSpan[], options: unknown): Span<M>[] {
  const { runId, iteration, now, model } = spanOptions(options);
  const lines = [...messageLines(messages), ...held.flatMap((own) => (own === undefined ? [] : messageLines(own)))];
  const counts = Int32Array.from(held, (own) => own?.length ?? -1);
  const packed = withLines([JSON.stringify(records), ...lines], (core, length) => core.spansOfFolds(length, messages.length, counts));
  const out: Span<M>[] = [];
  for (let i = 0; i < packed.length; i += 3) {
    const fold = foldOf(packed[i]!);
    const summaryFingerprint = packed[i + 1]!.toString(16);
    const own = fold.span as Span<M> | undefined;
    if (own !== undefined && isStill(own, summaryFingerprint, fold.messages)) {
      out.push(own);
      continue;
    }
    const kept = fold.messages === undefined ? ({ retained: "discard" } as const) : ({ retained: "conversation", messages: [...fold.messages] } as const);
    out.push({ summaryFingerprint, runId, iteration, foldedAtMs: now, model, messageCount: packed[i + 2]!, removedStageIds: [], ...kept });
  }
  const keys = new Set(out.map((span) => span.summaryFingerprint));
  for (const { index, span, why } of unplaced) {
    if (why === "no-span") continue;
    const key = property(span, "summaryFingerprint") as string;
    if (keys.has(key)) throw new PlicaError("bad-ledger", `span ${index}, of which no summary was found, has the 32-bit fingerprint ${key} of a fold, and would be taken for it`);
    out.splice(Math.min(index, out.length), 0, span as Span<M>);
  }
  return out;
}

/** Whether a span still says what it said when it was read. */
function isStill(span: object, key: string, messages: readonly object[] | undefined): boolean {
  const held = property(span, "messages");
  const own = listed(held);
  const same = messages === undefined ? !isArray(held) : own.length === messages.length && own.every((message, i) => message === messages[i]);
  return same && property(span, "summaryFingerprint") === key;
}

function spanOptions(options: unknown): { runId: string; iteration: number; now: number; model: string } {
  const { runId = "", iteration = 0, now = 0, model = "" } = fields(options, ["runId", "iteration", "now", "model"], "options");
  const text = (value: unknown, what: string): string => {
    if (typeof value === "string") return value;
    throw new PlicaError("bad-argument", `${what} must be a string, not ${article(value)}`);
  };
  const number = (value: unknown, what: string): number => {
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw new PlicaError("bad-argument", `${what} must be a finite number, not ${article(value)}`);
  };
  return { runId: text(runId, "runId"), iteration: number(iteration, "iteration"), now: number(now, "now"), model: text(model, "model") };
}

/** Spans without a place, as a ledger's JSON has them. @internal */
export function unplacedOf(given: unknown, read: (value: unknown) => unknown): UnplacedSpan[] {
  return elements<unknown>(given, "the spans of the ledger").map((entry, number) => {
    const { index, why, span } = fields(entry, ["index", "why", "span"], `span ${number} of the ledger`, "bad-ledger");
    const fits = typeof index === "number" && Number.isInteger(index) && index >= 0 && REASONS.includes(why) && typeof span === "object" && span !== null;
    if (!fits) throw new PlicaError("bad-ledger", `span ${number} of the ledger lacks its index, its reason or itself`);
    return { index, span: read(span), why: why as UnplacedSpan["why"] };
  });
}

/** What a place of the unfolded conversation holds: a message, or the messages of a fold of which nothing is known. @internal */
export type Place<M> = { message: M | undefined; print: string | undefined } | { id: string; count: number };

/**
 * Messages for folds of which nothing is known: out of the whole conversation from its start, or out of just those messages, one
 * fold's behind the other's. @internal
 */
export function unknownRuns<M>(places: readonly Place<M>[], originals: readonly M[], prints: readonly string[]): M[][] {
  const refuse = (id: string, what: string): never => {
    throw new PlicaError("originals-missing", `of the originals of ${id} nothing is known but their number${what}`);
  };
  const runs = places.filter((place) => "id" in place);
  const counted = runs.find((run) => run.count === 0);
  if (counted !== undefined) throw new PlicaError("originals-missing", `of the originals of ${counted.id} nothing is known, not even their number`);
  const sum = runs.reduce((total, run) => total + run.count, 0);
  const exact = originals.length === sum && places.every((place) => "id" in place || place.message !== undefined);
  const out: M[][] = [];
  let at = 0;
  for (const place of places) {
    if ("id" in place) {
      if (at + place.count > originals.length) refuse(place.id, `; pass all of the conversation as { originals }, or just those ${sum} messages`);
      out.push(originals.slice(at, at + place.count));
      at += place.count;
    } else if (!exact) {
      if (at < originals.length && prints[at] !== place.print) refuse(runs[0]!.id, `, and message ${at} of { originals } is not that of the conversation`);
      at++;
    }
  }
  return out;
}
