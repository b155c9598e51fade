// Formats, estimates and plans. Rules are the core's; here arguments are read and your own messages handed back.

import { PlicaError, describe } from "./errors.js";
import { PROVENANCE_MARKS } from "./generated/constants.js";
import type { Explanation, FoldPlan, Format, Measure, NonePlan, Provenance } from "./generated/core.js";
import { packedPrints } from "./identity.js";
import type { FormatOptions } from "./identity.js";
import { article, isArray } from "./kinds.js";
import type { AnyLedger } from "./ledger.js";
import { budgetOf, countOf, fields, formatName } from "./options.js";
import { cooked } from "./recipe.js";
import { call, elements, messageLine, messageLines, withLines } from "./stage.js";
import { planFromEnd } from "./tail.js";

/** Where a message came from, in formats that have no typed mark for it. */
export type ProvenanceMark = Exclude<Provenance, "plain">;

/** How messages are read. */
export interface ReadOptions<M extends object = object> extends FormatOptions {
  /**
   * What counts tokens: `"balanced"` (the default: what o200k_base would make of the texts, to a few per cent, and images by
   * their size), `"conservative"` (UTF-8 bytes of the message's JSON / 3, and 8) or a function that gets the message's JSON text.
   */
  estimator?: "balanced" | "conservative" | ((text: string) => number) | undefined;
  /** Says where a message came from, if not from its role. `plain` and undefined mean: from its role. */
  provenance?: ((message: M, index: number) => ProvenanceMark | "plain" | undefined) | undefined;
  /** Digests that this ledger knows are recognised as such. */
  ledger?: AnyLedger | undefined;
}

/** What to plan for. */
export interface PlanOptions<M extends object = object> extends ReadOptions<M> {
  /** Tokens that the tail may cost: 0 or more; Infinity and fractions are fine. */
  tailBudget: number;
  /** At least so many of the user's latest turns stay in the tail, whatever they cost. */
  keepTurns?: number | undefined;
  /** At least so many leading messages are prefix. */
  prefix?: number | undefined;
  /** Messages that stay verbatim: their indices, or a function that says so. Whole units stay. */
  pinned?: readonly number[] | ((message: M, index: number) => boolean) | undefined;
  /** Keep system messages from the middle verbatim, too. */
  keepSystem?: boolean | undefined;
  /** Keep the user's first request verbatim. */
  anchorTask?: boolean | undefined;
  /** Keep the user's latest request verbatim. */
  anchorRequest?: boolean | undefined;
  /** Share of the budget to leave free against estimates that are too low, 0 up to less than 1. */
  margin?: number | undefined;
}

/** The answer of {@link plan}: a plain object. */
export type Plan = ({ kind: "fold" } & FoldPlan) | ({ kind: "none" } & NonePlan);

/** What the other functions need of a plan; one made by hand works. */
export interface PlanLike {
  /** Messages before this index never fold. */
  prefixEnd: number;
  /** Messages from this index on stay. */
  keptFrom: number;
  /** Indices in between that stay. */
  kept?: readonly number[] | undefined;
}

/**
 * The format of a message array, when it is certain; undefined when several fit.
 *
 * @throws PlicaError `bad-argument`, `bad-message`, `too-deep`.
 * @example
 * detectFormat([{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] }]) // "anthropic"
 */
export function detectFormat(messages: readonly object[]): Format | undefined {
  return withLines(messageLines(messages), (core, length) => core.detectFormat(length)) as Format | undefined;
}

/** Tokens of messages. */
export interface Estimate {
  /** Sum. */
  total: number;
  /** Of each message. */
  perMessage: Uint32Array;
}

/**
 * Estimated tokens of messages: texts, calls and results as o200k_base would count them, each within a few per cent on the
 * kinds of text that the readme lists, and what is put around them. Weights of letters and pairs of letters were fitted to
 * public texts of 45 kinds, and measured on others. Inlined images count by the size in their header and the provider's rule;
 * files, and images of a size that is not known, a flat 1 000 each; nothing inlined counts as text. With
 * `estimator: "conservative"` messages are a third of their JSON's bytes and 8, and images a flat 1 000 each.
 *
 * @throws PlicaError `bad-argument`, `bad-message`, `bad-estimator`, `format-undetected`.
 * @example
 * estimate([{ role: "user", content: "hi" }], { format: "openai-chat" }).total // 5
 */
export function estimate<M extends object>(messages: readonly M[], options: ReadOptions<M> = {}): Estimate {
  const perMessage = withReading(messages, readingOptions(options), (core, length, reading) => core.estimate(length, reading));
  return { total: perMessage.reduce((sum, tokens) => sum + tokens, 0), perMessage };
}

/**
 * Plans a fold: everything before the cut folds, the tail stays. The cut is the earliest legal one whose tail fits the
 * budget; when none fits, the latest legal one, and `overBudget` says so. When nothing can fold, `kind` is `"none"` and
 * `reason` says why.
 *
 * The array is read from its end, as far as the plan needs it; of the messages before that only what tells system text,
 * instructions and memory from the rest. Without `format` the end tells the format, where it can be told from it.
 *
 * @throws PlicaError `bad-budget`, `bad-argument`, `bad-message`, `format-undetected`, `unknown-format`, `bad-estimator`.
 * @example
 * const p = plan(messages, { tailBudget: 20_000 });
 * if (p.kind === "fold") window = fold(messages, p, digestMessage(summary, { format: p.format }));
 */
export function plan<M extends object>(messages: readonly M[], options: PlanOptions<M>): Plan {
  const all = elements<M>(messages, "messages");
  const given = planOptions(all, options);
  const reading = readingOptions(options);
  return (planned(all, given, reading) ?? withReading(all, reading, (core, length, read) => core.plan(length, read, given))) as Plan;
}

/** The plan from the end of the array, where that is enough. */
function planned(all: readonly object[], options: PlanArgument, reading: Reading): Plan | undefined {
  if (ledgerHasFolds(reading.ledger)) return undefined;
  const tokens = new Map<number, number>();
  const count = (lines: readonly string[], indices: readonly number[]): number[] | undefined => {
    const fresh = indices.map((_, i) => i).filter((i) => !tokens.has(indices[i]!));
    counts(fresh.map((i) => lines[i]!), reading.estimator, (i) => indices[fresh[i]!]!)?.forEach((of, i) => tokens.set(indices[fresh[i]!]!, of));
    return typeof reading.estimator === "function" ? indices.map((index) => tokens.get(index)!) : undefined;
  };
  const provenance = withPinnedLead(all, provenances(all, [], { provenance: reading.provenance }));
  if (provenance === undefined) return undefined;
  return planFromEnd({ all, options, budget: options.tailBudget, format: formatName(reading.format), provenance, estimator: reading.estimator, counts: count });
}

/**
 * The marks with one for the pinned message where it leads as the user's: what tells it is its text, which the end of an array does
 * not show. Undefined where more than one message belongs to it.
 */
function withPinnedLead(all: readonly object[], marks: [number, number][]): [number, number][] | undefined {
  const said = new Map(marks);
  for (let i = 0; i < all.length; i++) {
    if (STANDING.includes(PROVENANCE_MARKS[said.get(i) ?? -1] ?? "") || isSystem(all[i])) continue;
    if (!opensAsPinned(all[i])) break;
    const lines = all.slice(i, i + 2).map((message, at) => messageLine(message, i + at));
    const leads = withLines(lines, (core, length) => core.pinnedLead(length));
    if (leads > 1) return undefined;
    if (leads === 0) break;
    said.set(i, PROVENANCE_MARKS.indexOf("memory"));
  }
  return said.size === marks.length ? marks : [...said].sort(([a], [b]) => a - b);
}

const STANDING = ["instructions", "memory"];

function isSystem(message: object | undefined): boolean {
  const { role, type } = glimpse(message);
  return role === "system" || role === "developer" || (role === undefined && type === "system");
}

/** Whether the first text of a message begins as that of the pinned message does. */
function opensAsPinned(message: object | undefined): boolean {
  const { content, text, parts } = glimpse(message);
  const first = [content, text, parts].map(firstText);
  return first.some((body) => typeof body === "string" && body.startsWith("<pinned-rules "));
}

function firstText(body: unknown): unknown {
  try {
    return isArray(body) ? glimpse(body[0]).text : body;
  } catch {
    return undefined;
  }
}

/** Members of what may be anything; none where one throws: reading it says so. */
function glimpse(value: unknown): { role?: unknown; type?: unknown; content?: unknown; text?: unknown; parts?: unknown } {
  if (typeof value !== "object" || value === null) return {};
  try {
    return fields(value, ["role", "type", "content", "text", "parts"], "a message");
  } catch {
    return {};
  }
}

/** What the ledger knows as digests is told by fingerprints: that takes all messages. */
function ledgerHasFolds(ledger: unknown): boolean {
  let asked = false;
  knownDigests([], ledger, () => {
    asked = true;
    return new Uint8Array();
  });
  return asked;
}

/**
 * Tokens and messages of each part of a plan. Where the plan says that nothing folds, nothing does: all is prefix and tail.
 *
 * @throws PlicaError `bad-plan`, `plan-mismatch`, and those of {@link plan}.
 * @example
 * measure(messages, p).folded // tokens that the fold frees
 */
export function measure<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options: ReadOptions<M> = {}): Measure {
  const span = anyPlan(plan);
  return withReading(messages, readingOptions(options, plan), (core, length, reading) => core.measure(length, reading, span)) as Measure;
}

/**
 * The fate of every message under a plan, and why. Where the plan says that nothing folds, what does not lead is tail.
 *
 * @throws PlicaError `bad-plan`, `plan-mismatch`, and those of {@link plan}.
 * @example
 * explain(messages, p)[0] // { index: 0, fate: "prefix", reason: "leading system text never folds" }
 */
export function explain<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options: ReadOptions<M> = {}): Explanation[] {
  const span = anyPlan(plan);
  return explanations(withReading(messages, readingOptions(options, plan), (core, length, reading) => core.explain(length, reading, span)));
}

/** Verdicts, and which of them each message has, as the core gives them: one object a message. */
export function explanations([verdicts, places]: [Pick<Explanation, "fate" | "reason">[], Uint8Array]): Explanation[] {
  return Array.from(places, (place, index) => {
    const { fate, reason } = verdicts[place]!;
    return { index, fate, reason };
  });
}

/** Options of {@link fold}. */
export interface FoldOptions<M extends object = object> extends ReadOptions<M> {
  /**
   * Put the digest into the user's message that follows it, for providers that want no two messages of the user in a row. Only
   * where that message is plain: never in front of tool results. That message is then a new object, and folds with the rest:
   * the ledger has it, when it is told the same.
   */
  merge?: boolean | undefined;
}

/**
 * The window after a fold: prefix, kept user and system units, digest, other kept units, tail. Your own objects, untouched;
 * messages appended since the plan are part of the tail. Where two of one side would meet that must not, a short message (“(noted)”) is put
 * in between: wherever user and model must take turns (`gemini`), and in other formats between two of the model that would be read as one
 * turn and break each other.
 *
 * @param digest the message of {@link digestMessage}, or several. It is a message of the same format, so the window has the type
 * of your messages and can be folded again.
 * @throws PlicaError `illegal-cut` when the plan would tear a call from its result, `nothing-to-fold`, `bad-plan`,
 * `plan-mismatch`, and those of {@link plan}.
 * @example
 * const window = fold(messages, p, digestMessage("GOAL: …", { format: p.format }));
 */
export function fold<M extends object>(messages: readonly M[], plan: Plan | PlanLike, digest: object | readonly object[], options: FoldOptions<M> = {}): M[] {
  const { all, lines, digests, digestLines, span, reading } = foldArguments(messages, plan, digest, options);
  const slots = withLines([...lines, ...digestLines], (core, length) => core.windowSlots(length, digests.length, reading, span));
  return windowOf(slots, all, digests, (model) => call((core) => core.fillerMessage(reading.format ?? detected(lines), model)));
}

/** What stands beside each message, for the messages at the places of a window. @internal */
export function besideWindow<T>(slots: Iterable<number>, all: readonly T[], digests: number): (T | undefined)[] {
  return Array.from(slots).flatMap((slot) => (slot === DIGEST ? Array.from<undefined>({ length: digests }) : [all[slot]]));
}

/** The messages at the places of a window; `filler` gives the text of one by the user or the model. @internal */
export function windowOf<M extends object>(slots: Iterable<number>, all: readonly M[], digests: readonly M[], filler: (model: boolean) => string): M[] {
  const fillers = new Map<number, M>();
  const window: M[] = [];
  for (const slot of slots) {
    if (slot >= 0) window.push(all[slot]!);
    else if (slot === DIGEST) for (const message of digests) window.push(message);
    else {
      if (!fillers.has(slot)) fillers.set(slot, JSON.parse(filler(slot === MODEL_FILLER)) as M);
      window.push(fillers.get(slot)!);
    }
  }
  return window;
}

/** What stands for no message in the places of a window. */
const DIGEST = -1;
const MODEL_FILLER = -3;

/** The arguments of a fold, read once; the digest merged where that is asked for. @internal */
export function foldArguments<M extends object>(messages: readonly M[], plan: unknown, digest: unknown, options: unknown): FoldArguments<M> {
  const all = elements<M>(messages, "messages");
  const span = planArgument(plan);
  const digests = digestMessages(digest as object) as M[];
  const lines = messageLines(all);
  const reading = readingOf(all, lines, readingOptions(options, plan));
  const given = { all, lines, digests, digestLines: digests.map((message) => messageLine(message)), span, reading };
  if (fields(options, ["merge"], "options").merge !== true) return given;
  const recipe = withLines([...lines, ...given.digestLines], (core, length) => core.mergeDigest(length, digests.length, reading, span));
  if (recipe === undefined) return given;
  const merged = cooked(recipe, all, lines);
  return { ...given, digests: merged, digestLines: merged.map((message) => messageLine(message)), span: { ...span, keptFrom: span.keptFrom + 1 } };
}

/** What a fold works on. @internal */
export interface FoldArguments<M> {
  all: M[];
  lines: string[];
  digests: M[];
  digestLines: string[];
  span: SpanArgument;
  reading: ReadingArgument;
}

function detected(lines: readonly string[]): Format {
  return withLines(lines, (core, length) => core.readFormat(length)) as Format;
}

/** The digest argument as an array of objects. @internal */
export function digestMessages<D extends object>(digest: D | readonly D[]): D[] {
  const all = isArray(digest) ? elements<D>(digest, "digest") : [digest as D];
  const bad = all.length === 0 || all.some((message) => typeof message !== "object" || message === null);
  if (bad) throw new PlicaError("bad-argument", `digest must be a message or several, not ${article(digest)}`);
  return all;
}

/** The core, as staging hands it out. @internal */
export type Core = Parameters<Parameters<typeof withLines>[1]>[0];

/** Options of reading, each field read once. @internal */
export interface Reading {
  format?: unknown;
  estimator?: unknown;
  provenance?: unknown;
  ledger?: unknown;
}

/** The options of reading; a plan knows its format already. @internal */
export function readingOptions(options: unknown, plan?: unknown): Reading {
  const { format } = fields(plan, ["format"], "the plan", "bad-plan");
  const given = fields(options, ["format", "estimator", "provenance", "ledger"], "options");
  return { ...(format === undefined ? {} : { format }), ...given };
}

/** Runs `fn` with messages staged and the way to read them. @internal */
export function withReading<M extends object, T>(messages: readonly M[], options: Reading, fn: (core: Core, length: number, reading: object) => T): T {
  const all = elements<M>(messages, "messages");
  const lines = messageLines(all);
  const reading = readingOf(all, lines, options);
  return withLines(lines, (core, length) => fn(core, length, reading));
}

/** How to read messages, in the form of the core. @internal */
export interface ReadingArgument {
  format: string | undefined;
  provenance: [number, number][];
  estimator?: string;
  tokens?: number[];
}

/** The same, from options; `first` is the index of the first message, for errors. @internal */
export function readingOf(messages: readonly object[], lines: readonly string[], options: Reading, first = 0): ReadingArgument {
  const { estimator } = options;
  const tokens = counts(lines, estimator, (i) => first + i);
  return {
    format: formatName(options.format),
    provenance: provenances(messages, lines, options, first),
    ...(typeof estimator === "string" ? { estimator } : {}),
    ...(tokens ? { tokens } : {}),
  };
}

/** The indices of a plan, in the form of the core. @internal */
export interface SpanArgument {
  prefixEnd: number;
  keptFrom: number;
  kept: number[];
  keptReasons: unknown[];
  length?: number;
  overBudget: boolean;
  nothing?: boolean;
}

/** The indices of any plan, to tell of: where nothing folds, which ones lead is the core's to say. @internal */
export function anyPlan(plan: unknown): SpanArgument {
  const { kind, length } = fields(plan, ["kind", "length"], "the plan", "bad-plan");
  if (kind !== "none") return planArgument(plan);
  return { prefixEnd: 0, keptFrom: 0, kept: [], keptReasons: [], overBudget: false, nothing: true, ...(typeof length === "number" ? { length: index(length, "length") } : {}) };
}

/** The indices of what folds, from a fold plan or anything with its indices. @internal */
export function planArgument(plan: unknown): SpanArgument {
  if (typeof plan !== "object" || plan === null) throw new PlicaError("bad-plan", `the plan is ${article(plan)}, not an object`);
  const keys = ["kind", "reason", "prefixEnd", "keptFrom", "kept", "keptReasons", "length", "overBudget"] as const;
  const { kind, reason, prefixEnd, keptFrom, kept, keptReasons, length, overBudget } = fields(plan, keys, "the plan", "bad-plan");
  if (kind === "none") {
    throw new PlicaError("nothing-to-fold", `the plan says that nothing folds (${typeof reason === "string" ? reason : "no reason given"})`);
  }
  return {
    prefixEnd: index(prefixEnd, "prefixEnd"),
    keptFrom: index(keptFrom, "keptFrom"),
    kept: kept === undefined || kept === null ? [] : planElements(kept, "kept").map((i) => index(i, "kept")),
    // For explanations alone: what is none of ours is left out.
    keptReasons: isArray(keptReasons) ? planElements(keptReasons, "keptReasons").filter((why) => typeof why === "string") : [],
    ...(typeof length === "number" ? { length: index(length, "length") } : {}),
    overBudget: overBudget === true,
  };
}

function planElements(value: unknown, what: string): unknown[] {
  try {
    return elements<unknown>(value, `${what} in the plan`);
  } catch (error) {
    throw new PlicaError("bad-plan", (error as PlicaError).message, { cause: error });
  }
}

function index(value: unknown, what: string): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32) return value as number;
  throw new PlicaError("bad-plan", `${what} in the plan must be an index, a whole number of 0 or more`);
}

/** The options of a plan, in the form of the core. @internal */
export interface PlanArgument {
  tailBudget: number;
  keepTurns: number;
  prefix: number;
  pinned: number[];
  keepSystem: boolean;
  anchorTask: boolean;
  anchorRequest: boolean;
  margin: number;
}

const PLAN_KEYS = ["tailBudget", "keepTurns", "prefix", "pinned", "keepSystem", "anchorTask", "anchorRequest", "margin"] as const;

/** The options of a plan, in the form of the core. @internal */
export function planOptions<M extends object>(messages: readonly M[], options: unknown): PlanArgument {
  const given = fields(options, PLAN_KEYS, "options", "bad-budget");
  const margin = given.margin ?? 0;
  if (typeof margin !== "number") throw new PlicaError("bad-argument", `margin must be a number, not ${article(margin)}`);
  return {
    tailBudget: budgetOf(given.tailBudget),
    keepTurns: countOf(given.keepTurns, "keepTurns"),
    prefix: countOf(given.prefix, "prefix"),
    pinned: pinnedIndices(messages, given.pinned),
    keepSystem: given.keepSystem === true,
    anchorTask: given.anchorTask === true,
    anchorRequest: given.anchorRequest === true,
    margin,
  };
}

/** The `pinned` option as indices. @internal */
export function pinnedIndices(messages: readonly object[], pinned: unknown): number[] {
  if (pinned === undefined || pinned === null) return [];
  if (typeof pinned === "function") {
    const out: number[] = [];
    messages.forEach((message, i) => {
      if (callback("pinned", i, () => pinned(message, i) as unknown)) out.push(i);
    });
    return out;
  }
  return elements<unknown>(pinned, "pinned").map((i) => {
    if (typeof i === "number" && Number.isInteger(i) && i >= 0 && i < messages.length) return i;
    throw new PlicaError("bad-argument", `pinned names message ${typeof i === "number" ? i : article(i)}, but there are ${messages.length} messages`);
  });
}

/** Pairs of index and number of the mark, ascending. */
function provenances(messages: readonly object[], lines: readonly string[], { provenance, ledger }: Reading, first = 0): [number, number][] {
  refuseNoProvenance(provenance);
  const summaries = new Set(knownDigests(lines, ledger));
  const marks = marksOf(messages, provenance, first);
  if (marks.length === 0 && summaries.size === 0) return [];
  return messages.flatMap((_, i): [number, number][] => {
    const mark = summaries.has(i) ? "summary" : marks[i];
    return mark === undefined ? [] : [[i, PROVENANCE_MARKS.indexOf(mark)]];
  });
}

/** What the caller says of each message, in which `first` is the index of the first; nothing at all where nobody is asked. @internal */
export function marksOf<M extends object>(messages: readonly M[], provenance: unknown, first = 0): (ProvenanceMark | undefined)[] {
  refuseNoProvenance(provenance);
  if (typeof provenance !== "function") return [];
  return messages.map((message, at) => {
    const i = first + at;
    const mark: unknown = callback("provenance", i, () => provenance(message, i) as unknown);
    if (mark === undefined || mark === null || mark === "plain") return undefined;
    if (typeof mark === "string" && PROVENANCE_MARKS.includes(mark)) return mark as ProvenanceMark;
    const what = typeof mark === "string" ? JSON.stringify(mark) : article(mark);
    throw new PlicaError("bad-argument", `provenance said ${what} of message ${i}; it may say ${PROVENANCE_MARKS.join(", ")} or undefined`);
  });
}

function refuseNoProvenance(provenance: unknown): void {
  if (provenance === undefined || provenance === null || typeof provenance === "function") return;
  throw new PlicaError("bad-argument", `provenance must be a function, not ${article(provenance)}`);
}

/** Indices of messages that are digests of the ledger. */
function knownDigests(lines: readonly string[], ledger: unknown, prints = (): Uint8Array => packedPrints(lines)): number[] {
  if (ledger === undefined || ledger === null) return [];
  // By what it can do, not by instanceof: the slim and the full entry have a Ledger each.
  const { digestIndices } = fields(ledger, ["digestIndices"], "ledger");
  if (typeof digestIndices !== "function") throw new PlicaError("bad-argument", "ledger must be a Ledger");
  return (ledger as { digestIndices(packed: () => Uint8Array): number[] }).digestIndices(prints);
}

/** Counts of the caller's own counter, or undefined for the core's. @internal */
export function counts(lines: readonly string[], estimator: unknown, indexOf = (i: number): number => i): number[] | undefined {
  if (estimator === undefined || estimator === "balanced" || estimator === "conservative") return undefined;
  if (typeof estimator !== "function") {
    throw new PlicaError("bad-estimator", `there is no estimator ${typeof estimator === "string" ? JSON.stringify(estimator) : article(estimator)}; pass "balanced", "conservative" or a function`);
  }
  return lines.map((line, i) => {
    let tokens: unknown;
    try {
      tokens = (estimator as (text: string) => number)(line);
    } catch (error) {
      throw new PlicaError("bad-estimator", `the counter threw for message ${indexOf(i)}: ${describe(error)}`, { cause: error });
    }
    if (typeof tokens === "number" && tokens >= 0 && tokens < 2 ** 32) return tokens;
    throw new PlicaError("bad-estimator", `the counter gave ${typeof tokens === "number" ? tokens : article(tokens)} for message ${indexOf(i)}; a count is a number of 0 or more`);
  });
}

function callback<T>(name: string, i: number, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    throw new PlicaError("bad-argument", `${name} threw for message ${i}: ${describe(error)}`, { cause: error });
  }
}
