// The gate for summaries, and what an error says about the length of a request.

import { PlicaError } from "./errors.js";
import type { Rejection } from "./generated/core.js";
import { article } from "./kinds.js";
import { fields, numberOf } from "./options.js";
import { withLines, withText } from "./stage.js";

/** What a model answered to a {@link summarizeRequest}, and what is known of the request. */
export interface SummaryAnswer {
  /** The text of the answer; whatever is no string is turned away. */
  text: unknown;
  /** Why it ended, in the provider's own word: `stop_reason`, `finish_reason`, `finishReason`. */
  finishReason?: string | undefined;
  /** The prompt of the request. */
  prompt?: string | undefined;
  /** The earlier summary that this one carries on, with its frame or without. */
  earlier?: string | undefined;
  /** Tokens of the messages whose place it takes. */
  spanTokens?: number | undefined;
}

/** Whether an answer may take the place of what folds; if not, why. */
export type Verdict = { accepted: true } | { accepted: false; code: Rejection; message: string };

/**
 * Whether what a model answered may stand for the messages that fold: no error, refusal, question or loop, not cut off, not the
 * request or the earlier summary given back, and smaller than what it replaces. What is turned away is worth another call.
 *
 * @throws PlicaError `bad-argument` when a field other than `text` is of the wrong type.
 * @example
 * const verdict = judgeSummary({ text, finishReason: response.stop_reason, prompt });
 * const summary = verdict.accepted ? text : deterministicDigest(messages, p);
 */
export function judgeSummary(answer: SummaryAnswer): Verdict {
  const given = fields(answer, ["text", "finishReason", "prompt", "earlier", "spanTokens"], "the answer");
  const { text } = given;
  const finishReason = textOf(given.finishReason, "finishReason");
  const prompt = textOf(given.prompt, "prompt");
  const earlier = textOf(given.earlier, "earlier");
  const limit = numberOf(given.spanTokens, "spanTokens", Infinity);
  // A finite number larger than the core counts to limits nothing either.
  const spanTokens = limit <= Number.MAX_SAFE_INTEGER ? Math.ceil(limit) : undefined;
  if (typeof text !== "string") return { accepted: false, code: "not-text", message: `the answer is ${article(text)}, not a string` };
  const line = JSON.stringify({ text, finishReason, prompt, earlier, spanTokens });
  return withLines([line], (core, length) => core.judgeSummary(length)) as Verdict;
}

function textOf(value: unknown, what: string): string | undefined {
  // Providers write null where a stream has not ended.
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new PlicaError("bad-argument", `${what} must be a string, not ${article(value)}`);
}

/** Where errors of clients and frameworks keep the words, the status and the cause. */
const ERROR_FIELDS = [
  "message", "code", "type", "status", "statusCode", "statusText", "error", "errors", "cause", "body", "responseBody", "response", "data", "detail",
  "details", "lastError", "reason",
] as const;

/** An error that says more than this many things says nothing new. */
const MAX_PARTS = 64;

/** Of a long text both ends are read: bodies begin with the reason, traces of other languages end with it. */
const MAX_UNITS = 16_384;

/**
 * Whether an error of a provider says that the request did not fit the model's window, so that a shorter one would. Takes what
 * was caught as it is: an `Error` with its causes, a body, a text. Rate limits and limits on the answer are something else.
 *
 * Never throws; of what cannot be read, and before the core is loaded, the answer is false.
 *
 * @example
 * try { return await model(request) } catch (error) { if (!isTooLong(error)) throw error; … }
 */
export function isTooLong(error: unknown): boolean {
  try {
    const { texts, status } = said(error);
    return status || texts.some((text) => withText(text, (core, length, json) => core.isTooLong(length, json)));
  } catch {
    return false;
  }
}

/** The texts that an error holds, and whether its HTTP status says that the request was too large. */
function said(error: unknown): { texts: string[]; status: boolean } {
  const texts: string[] = [];
  let status = false;
  const seen = new Set<object>();
  const queue: unknown[] = [error];
  for (let at = 0; at < queue.length && at < MAX_PARTS; at++) {
    const value = queue[at];
    if (typeof value === "string") texts.push(value.length > MAX_UNITS ? `${value.slice(0, MAX_UNITS / 2)}\n${value.slice(-MAX_UNITS / 2)}` : value);
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const key of [...ERROR_FIELDS, 0, 1, 2, 3]) {
      const field = read(value, key);
      if ((key === "status" || key === "statusCode" || key === "code") && (field === 413 || field === "413")) status = true;
      if (field !== undefined && field !== null) queue.push(field);
    }
  }
  return { texts, status };
}

/** A field, or nothing where it cannot be read. */
function read(value: object, key: string | number): unknown {
  try {
    return (value as Record<string | number, unknown>)[key];
  } catch {
    return undefined;
  }
}
