// Reductions: less in the same messages, and the way back. What goes is decided by the core; here your own messages are put
// together, and the originals go to the ledger.

import { PlicaError } from "./errors.js";
import type { CacheEffect, Edit as EditPlace, EditRecord, Format, ReduceStep, ReducedTokens, Refusal } from "./generated/core.js";
import { article } from "./kinds.js";
import { Ledger, retentionOf } from "./ledger.js";
import type { AnyLedger, Retention } from "./ledger.js";
import { budgetOf, countOf, fields, numberOf, switchOf } from "./options.js";
import { counts, pinnedIndices, readingOf, readingOptions } from "./planning.js";
import type { ReadOptions } from "./planning.js";
import { cooked } from "./recipe.js";
import type { Edit } from "./repair.js";
import { elements, messageLines, withLines } from "./stage.js";
import { toolsOf } from "./tools.js";
import type { ToolUse } from "./tools.js";

/** When old tool results are cleared. */
export interface ClearOptions {
  /** So many of the newest results stay. Default 3. */
  keep?: number | undefined;
  /** The newest results stay that have so many tokens together. Default 40 000. */
  protect?: number | undefined;
  /** Nothing is cleared that does not gain so many tokens in all. Default 20 000. */
  minGain?: number | undefined;
  /** Names of tools whose results stay. */
  exclude?: readonly string[] | undefined;
}

/** What the provider's cache of the prompt costs. */
export interface CacheOptions {
  /** Index of the first message that is not in the cache. Default: the model's latest message, which was the answer. */
  until?: number | undefined;
  /** Price of a token that is read from the cache, where one that is not in it costs 1. Default 0.1. */
  readPrice?: number | undefined;
  /** Price of a token that is written to the cache. Default 1.25. */
  writePrice?: number | undefined;
  /** Requests to come with these messages. Default 10. */
  turns?: number | undefined;
}

/** What {@link reduce} does, and how far it goes. All rungs are on unless they are turned off with `false`. */
export interface ReduceOptions<M extends object = object> extends ReadOptions<M> {
  /** Nothing more is done once all messages together have at most so many tokens. Left out: all is done that can be. */
  target?: number | undefined;
  /** Identical results stand once: the newest stays, the older ones become a note. */
  duplicates?: boolean | undefined;
  /** Results that say what a file held which was read again or changed later become a note. */
  superseded?: boolean | undefined;
  /** Old results become a note; of old errors the first and the last few hundred bytes stay. */
  clear?: boolean | ClearOptions | undefined;
  /** Texts of results longer than so many bytes (default 10 000) are cut down to head and tail. */
  clip?: boolean | { bytes?: number | undefined } | undefined;
  /** Reasoning from before the user's latest request is left out, where the provider allows it. */
  reasoning?: boolean | undefined;
  /** Images and files become a note, all but so many of the newest (default 3). */
  images?: boolean | { keep?: number | undefined } | undefined;
  /** What tools mean, by name; those of Claude Code, Codex, pi, opencode and gemini-cli are known. */
  tools?: { readonly [name: string]: ToolUse } | undefined;
  /** So many of the user's latest turns stay as they are. */
  keepTurns?: number | undefined;
  /** The newest messages stay as they are that have so many tokens together. */
  tailBudget?: number | undefined;
  /** So many leading messages stay as they are. */
  prefix?: number | undefined;
  /** Messages that stay as they are, with the results of their calls: their indices, or a function that says so. */
  pinned?: readonly number[] | ((message: M, index: number) => boolean) | undefined;
  /** Refuses steps that cost more, for what is in the provider's cache and has to be read anew, than they gain. */
  cache?: boolean | CacheOptions | undefined;
  /** Where the reduction is recorded; a new one when left out. Its digests are recognised. */
  ledger?: AnyLedger | undefined;
  /** What the ledger keeps of the originals. Default `full`. */
  retention?: Retention | undefined;
}

/** What {@link reduce} gives. */
export interface Reduction<M extends object = object> {
  /** The messages with less in them; those in which nothing changed are your own objects. */
  messages: M[];
  /** The format that they were read by. */
  format: Format;
  /** What was done: rung by rung, in the order of the messages. Empty when nothing was. */
  steps: ReduceStep[];
  /** What was not done because it does not pay, or gains too little. */
  refused: Refusal[];
  /** Tokens before and after; the difference is the sum of what the steps gain. */
  tokens: ReducedTokens;
  /** The first message that changes, and how many cached tokens are void from there on. */
  cache: CacheEffect;
  /** How the two arrays differ, for `undoRepair`. */
  edits: Edit<M>[];
  /** The ledger that holds the originals: `ledger.unfold(messages)` brings them back. */
  ledger: Ledger<M>;
}

/**
 * Makes room without a model, from what loses least to what loses most: identical results stand once, readings of files that
 * were read again or changed go, old results are cleared, long ones are cut down, reasoning of turns that are over is left out,
 * images become notes. What the user said, calls and their arguments, the newest batch of results and everything behind the
 * model's latest message stay as they are. A second run with the same options changes nothing; `check` finds nothing new; the
 * ledger undoes it, also through folds that come later.
 *
 * @returns the reduced messages, every step with the tokens that it gains, and the ledger.
 * @throws PlicaError `bad-argument`, `bad-budget`, `bad-message`, `bad-estimator`, `format-undetected`, `unknown-format`.
 * @example
 * const { messages: window, steps, tokens, ledger } = reduce(messages, { target: 100_000, cache: { turns: 20 } });
 * ledger.unfold(window) // the original messages, the same objects
 */
export function reduce<M extends object>(messages: readonly M[], options: ReduceOptions<M> = {}): Reduction<M> {
  const all = elements<M>(messages, "messages");
  const given = reduceOptions(all, options);
  const read = readingOptions(options);
  const retention = retentionOf(fields(options, ["retention"], "options").retention);
  const ledger = ledgerOf<M>(read.ledger);
  const lines = messageLines(all);
  const reading = readingOf(all, lines, read);
  const counted: number[] = [];
  for (;;) {
    const answer = withLines(lines, (core, length) => core.reduce(length, reading, given, Float64Array.from(counted))) as Wanted | Done;
    if ("wanted" in answer) {
      // Your own counter is asked outside the core: it may call plica itself.
      for (const count of counts(answer.wanted, read.estimator)!) counted.push(count);
      continue;
    }
    const { recipe, edits, record, ...said } = answer;
    const reduced = cooked(recipe, all, lines);
    const runs = edits.map(({ at, inserted, from, removed }) => ({ at, removed: all.slice(from, from + removed), inserted: reduced.slice(at, at + inserted) }));
    if (record !== undefined) ledger.keepEdit(record, runs.flatMap(({ removed }) => removed), retention);
    return { messages: reduced, ...said, edits: runs, ledger };
  }
}

interface Wanted {
  wanted: string[];
}

interface Done extends Pick<Reduction, "format" | "steps" | "refused" | "tokens" | "cache"> {
  recipe: string;
  edits: EditPlace[];
  /** Left out when nothing changed. */
  record?: EditRecord;
}

/** By what it can do, not by instanceof: the slim and the full entry have a Ledger each. */
function ledgerOf<M extends object>(ledger: unknown): Ledger<M> {
  if (ledger === undefined || ledger === null) return new Ledger<M>();
  const { keepEdit } = fields(ledger, ["keepEdit"], "ledger");
  if (typeof keepEdit === "function") return ledger as Ledger<M>;
  throw new PlicaError("bad-argument", "ledger must be a Ledger");
}

const KEYS = ["target", "duplicates", "superseded", "clear", "clip", "reasoning", "images", "tools", "keepTurns", "tailBudget", "prefix", "pinned", "cache"] as const;

function reduceOptions<M extends object>(messages: readonly M[], options: unknown): object {
  const given = fields(options, KEYS, "options");
  const clear = switchOf(given.clear, ["keep", "protect", "minGain", "exclude"], "clear");
  const clip = switchOf(given.clip, ["bytes"], "clip");
  const images = switchOf(given.images, ["keep"], "images");
  return {
    ...(given.target === undefined || given.target === null ? {} : { target: numberOf(given.target, "target", 0) }),
    duplicates: given.duplicates !== false,
    superseded: given.superseded !== false,
    clear: clear === undefined ? null : { ...counted(clear.keep, "clear.keep", "keep"), ...measured(clear.protect, "clear.protect", "protect"), ...measured(clear.minGain, "clear.minGain", "minGain"), exclude: names(clear.exclude) },
    clip: clip === undefined ? null : counted(clip.bytes, "clip.bytes", "bytes"),
    reasoning: given.reasoning !== false,
    images: images === undefined ? null : counted(images.keep, "images.keep", "keep"),
    tools: toolsOf(given.tools),
    keepTurns: countOf(given.keepTurns, "keepTurns"),
    tailBudget: given.tailBudget === undefined || given.tailBudget === null ? 0 : budgetOf(given.tailBudget),
    start: countOf(given.prefix, "prefix"),
    pinned: pinnedIndices(messages, given.pinned),
    cache: cacheOf(given.cache),
  };
}

/** A whole number, where it is given; what it is otherwise is the core's to say. */
function counted(value: unknown, what: string, key: string): object {
  return value === undefined || value === null ? {} : { [key]: countOf(value, what) };
}

/** The same for any number of 0 or more. */
function measured(value: unknown, what: string, key: string): object {
  return value === undefined || value === null ? {} : { [key]: numberOf(value, what, 0) };
}

function names(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return elements<unknown>(value, "clear.exclude").map((name) => {
    if (typeof name === "string") return name;
    throw new PlicaError("bad-argument", `clear.exclude holds the names of tools, not ${article(name)}`);
  });
}

function cacheOf(value: unknown): object | null {
  if (value === undefined || value === null) return null;
  const given = switchOf(value, ["until", "readPrice", "writePrice", "turns"], "cache");
  if (given === undefined) return null;
  return { ...counted(given.until, "cache.until", "until"), ...measured(given.readPrice, "cache.readPrice", "readPrice"), ...measured(given.writePrice, "cache.writePrice", "writePrice"), ...measured(given.turns, "cache.turns", "turns") };
}
