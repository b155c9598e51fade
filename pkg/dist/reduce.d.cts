import type { CacheEffect, Format, ReduceStep, ReducedTokens, Refusal } from "./generated/core.cjs";
import { Ledger } from "./ledger.cjs";
import type { AnyLedger, Retention } from "./ledger.cjs";
import type { ReadOptions } from "./planning.cjs";
import type { Edit } from "./repair.cjs";
import type { ToolUse } from "./tools.cjs";
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
    clip?: boolean | {
        bytes?: number | undefined;
    } | undefined;
    /** Reasoning from before the user's latest request is left out, where the provider allows it. */
    reasoning?: boolean | undefined;
    /** Images and files become a note, all but so many of the newest (default 3). */
    images?: boolean | {
        keep?: number | undefined;
    } | undefined;
    /** What tools mean, by name; those of Claude Code, Codex, pi, opencode and gemini-cli are known. */
    tools?: {
        readonly [name: string]: ToolUse;
    } | undefined;
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
export declare function reduce<M extends object>(messages: readonly M[], options?: ReduceOptions<M>): Reduction<M>;
