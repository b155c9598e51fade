import type { Explanation, FoldPlan, Format, Measure, NonePlan, Provenance } from "./generated/core.js";
import type { FormatOptions } from "./identity.js";
import type { AnyLedger } from "./ledger.js";
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
export type Plan = ({
    kind: "fold";
} & FoldPlan) | ({
    kind: "none";
} & NonePlan);
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
export declare function detectFormat(messages: readonly object[]): Format | undefined;
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
export declare function estimate<M extends object>(messages: readonly M[], options?: ReadOptions<M>): Estimate;
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
export declare function plan<M extends object>(messages: readonly M[], options: PlanOptions<M>): Plan;
/**
 * Tokens and messages of each part of a plan. Where the plan says that nothing folds, nothing does: all is prefix and tail.
 *
 * @throws PlicaError `bad-plan`, `plan-mismatch`, and those of {@link plan}.
 * @example
 * measure(messages, p).folded // tokens that the fold frees
 */
export declare function measure<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options?: ReadOptions<M>): Measure;
/**
 * The fate of every message under a plan, and why. Where the plan says that nothing folds, what does not lead is tail.
 *
 * @throws PlicaError `bad-plan`, `plan-mismatch`, and those of {@link plan}.
 * @example
 * explain(messages, p)[0] // { index: 0, fate: "prefix", reason: "leading system text never folds" }
 */
export declare function explain<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options?: ReadOptions<M>): Explanation[];
/** Verdicts, and which of them each message has, as the core gives them: one object a message. */
export declare function explanations([verdicts, places]: [Pick<Explanation, "fate" | "reason">[], Uint8Array]): Explanation[];
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
export declare function fold<M extends object>(messages: readonly M[], plan: Plan | PlanLike, digest: object | readonly object[], options?: FoldOptions<M>): M[];
