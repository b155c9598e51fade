// What takes the place of the folded span: the request to a model, and the digests.

import { PlicaError } from "./errors.js";
import type { DigestMessages } from "./generated/constants.js";
import type { Format, SummarizeRequest } from "./generated/core.js";
import { enlivened } from "./instances.js";
import { article } from "./kinds.js";
import { earlierActivities } from "./activity.js";
import { countOf, fields, formatName, numberOf } from "./options.js";
import { planArgument, readingOf, readingOptions, withReading } from "./planning.js";
import type { Plan, PlanLike, ReadOptions } from "./planning.js";
import { elements, messageLine, messageLines, withLines } from "./stage.js";
import { toolsOf } from "./tools.js";
import type { ToolUse } from "./tools.js";

/** How the transcript of a request is written. */
export interface SummarizeOptions<M extends object = object> extends ReadOptions<M> {
  /** UTF-8 bytes that are kept of one tool result, head and tail. Default 600. */
  resultBytes?: number | undefined;
  /** UTF-8 bytes that are kept of the arguments of one tool call. Default 2 000. */
  argumentBytes?: number | undefined;
  /** What is to be looked after besides: your own words, put behind the system text. */
  instructions?: string | undefined;
}

/** Options of {@link mergeRequests}. */
export interface MergeOptions {
  /** Tokens of the summarizer's window, its answer included. Default: without bound. */
  window?: number | undefined;
  /** As for {@link summarizeRequest}. */
  instructions?: string | undefined;
}

/** Options of {@link summarizeRequests}. */
export interface SummarizeRequestsOptions<M extends object = object> extends SummarizeOptions<M>, MergeOptions {
  /** As for {@link summarizeRequest}. */
  instructions?: string | undefined;
}

/**
 * What to ask a model: a system text, and the transcript of what folds as the prompt. Text of messages is data in it: it
 * cannot pose as another entry, role or the end of the transcript. User text is never cut. An earlier summary comes first, as
 * the base of the new one.
 *
 * @throws PlicaError `bad-plan`, `plan-mismatch`, `bad-message`, `format-undetected`.
 * @example
 * const { system, prompt } = summarizeRequest(messages, p);
 * const summary = await model({ system, messages: [{ role: "user", content: prompt }] });
 */
export function summarizeRequest<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options: SummarizeOptions<M> = {}): SummarizeRequest {
  return requests(messages, plan, options, Infinity)[0]!;
}

/**
 * The same in as many requests as it takes to fit the summarizer's window: one where it fits. Nothing is left out; what is too
 * long for a request is split. The summaries of several go to {@link mergeRequests}.
 *
 * @throws PlicaError those of {@link summarizeRequest}; `bad-argument` for a window that holds no request (less than about 1 000
 * tokens).
 * @example
 * const summaries = [];
 * for (const request of summarizeRequests(messages, p, { window: 32_000 })) summaries.push(await model(request));
 */
export function summarizeRequests<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options: SummarizeRequestsOptions<M> = {}): SummarizeRequest[] {
  return requests(messages, plan, options, windowOption(options));
}

/**
 * The requests that put the summaries of consecutive parts together, the oldest first: one, or several where they do not fit one.
 * The answers of several go here again, until it is one; every time they are fewer.
 *
 * @throws PlicaError `bad-argument` for no summaries, one that is no string, or a window that holds no request.
 * @example
 * while (summaries.length > 1) summaries = await Promise.all(mergeRequests(summaries, { window: 32_000 }).map(model));
 */
export function mergeRequests(summaries: readonly string[], options: MergeOptions = {}): SummarizeRequest[] {
  const all = elements<unknown>(summaries, "summaries");
  const wrong = all.find((summary) => typeof summary !== "string");
  if (wrong !== undefined) throw new PlicaError("bad-argument", `summaries must hold strings, not ${article(wrong)}`);
  const limits = { window: windowOption(options), instructions: instructionsOf(options) };
  return withLines([JSON.stringify(all)], (core, length) => core.mergeRequests(length, limits)) as SummarizeRequest[];
}

function requests<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options: SummarizeOptions<M>, window: number): SummarizeRequest[] {
  const span = planArgument(plan);
  const given = fields(options, ["resultBytes", "argumentBytes"], "options");
  const limits = {
    resultBytes: countOf(given.resultBytes, "resultBytes", 600),
    argumentBytes: countOf(given.argumentBytes, "argumentBytes", 2000),
    window,
    instructions: instructionsOf(options),
  };
  return withReading(messages, readingOptions(options, plan), (core, length, reading) => core.summarizeRequests(length, reading, span, limits)) as SummarizeRequest[];
}

function windowOption(options: unknown): number {
  return numberOf(fields(options, ["window"], "options").window, "window", Infinity);
}

function instructionsOf(options: unknown): string {
  const { instructions } = fields(options, ["instructions"], "options");
  if (instructions === undefined || instructions === null) return "";
  if (typeof instructions !== "string") throw new PlicaError("bad-argument", `instructions must be a string, not ${article(instructions)}`);
  return instructions;
}

/** Options of {@link deterministicDigest}. */
export interface DigestOptions<M extends object = object> extends ReadOptions<M> {
  /**
   * UTF-8 bytes at most, and a third of what folds at most. Default 6 000. From about 1 200 on this is kept exactly; below that
   * the six headings and their first lines take what they need.
   */
  maxBytes?: number | undefined;
  /** What the tools of this conversation do, by name; those of well-known agents are known. */
  tools?: Readonly<Record<string, ToolUse>> | undefined;
}

/**
 * A summary without a model, built from what folds: requests, statements of decisions and rules, files, commands, last state.
 * The same span gives the same text.
 *
 * @throws PlicaError `bad-plan`, `plan-mismatch`, `bad-message`, `format-undetected`.
 * @example
 * fold(messages, p, digestMessage(deterministicDigest(messages, p), { format: p.format }))
 */
export function deterministicDigest<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options: DigestOptions<M> = {}): string {
  const span = planArgument(plan);
  const given = fields(options, ["maxBytes", "tools", "ledger"], "options");
  const all = elements<M>(messages, "messages");
  const lines = messageLines(all);
  const reading = readingOf(all, lines, readingOptions(options, plan));
  const limits = { maxBytes: countOf(given.maxBytes, "maxBytes", 6000), tools: toolsOf(given.tools), earlier: earlierActivities(lines, reading, given.ledger) };
  return withLines(lines, (core, length) => core.deterministicDigest(length, reading, span, limits));
}

/** A digest in format `F`: a message, or the two that Gemini wants. */
export type DigestMessage<F extends Format = Format> = DigestMessages[F];

/** Options of {@link digestMessage}. */
export interface DigestMessageOptions<F extends Format = Format> {
  /** The format to write; a plan carries it. */
  format: F;
  /** The conversation, for a format that comes in several forms (`langchain`: serialised either way, or live instances). */
  like?: readonly object[] | undefined;
}

/**
 * The message that carries a summary, in exactly one frame; frame tags inside the summary are defused. For `gemini` an array
 * of two: the summary in the user's name, and the model's word that it has read it. `fold` takes either.
 *
 * @throws PlicaError `empty-summary` when it is blank, `bad-argument` when it is no string, `unknown-format`.
 * @example
 * digestMessage("GOAL: ship it", { format: "hotl" })
 */
export function digestMessage<F extends Format>(summary: string, options: DigestMessageOptions<F>): DigestMessage<F> {
  if (summary === null || summary === undefined) throw new PlicaError("empty-summary", "there is no summary; use floorDigest when summarizing failed");
  if (typeof summary !== "string") throw new PlicaError("bad-argument", `the summary must be a string, not ${article(summary)}`);
  const given = fields(options, ["format", "like"], "options");
  const format = formatName(given.format);
  if (format === undefined) throw new PlicaError("unknown-format", "digestMessage needs { format }; a plan carries it");
  const like = given.like === undefined || given.like === null ? [] : elements<object>(given.like, "like");
  const text = withLines(like.slice(0, 1).map((message) => messageLine(message)), (core, length) => core.digestMessage(length, summary, format));
  return written(text, like) as DigestMessage<F>;
}

/**
 * The digest for when every attempt at a summary failed: marked as degraded, and honest about what is missing.
 *
 * @throws PlicaError `bad-plan`, `plan-mismatch`, `format-ambiguous`, `format-undetected`.
 * @example
 * fold(messages, p, floorDigest(messages, p))
 */
export function floorDigest<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options: ReadOptions<M> = {}): DigestMessage {
  const all = elements<M>(messages, "messages");
  const span = planArgument(plan);
  return written(withReading(all, readingOptions(options, plan), (core, length, reading) => core.floorDigest(length, reading, span)), all);
}

/** One message, or an array of them, in the form that the conversation has. */
function written(text: string, conversation: readonly object[]): DigestMessage {
  const messages = enlivened(JSON.parse(text) as object[], conversation);
  return (messages.length === 1 ? messages[0] : messages) as DigestMessage;
}

/**
 * The format in which to write a digest for these messages.
 *
 * @throws PlicaError `format-ambiguous` when they fit formats whose digests differ, `format-undetected` when they fit none.
 * @example
 * digestFormat(messages) // "anthropic"
 */
export function digestFormat(messages: readonly object[]): Format {
  return withLines(messageLines(messages), (core, length) => core.digestFormat(length)) as Format;
}

/**
 * The system text of a {@link summarizeRequest}: asks for the headings GOAL, STATE, DECISIONS, CONSTRAINTS, FILES and NEXT.
 */
export { SUMMARIZE_SYSTEM } from "./generated/constants.js";
