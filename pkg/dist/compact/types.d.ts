import type { NoneReason, Obstacle, Rejection, SummarizeRequest } from "../generated/core.js";
import type { Fold, Ledger, Retention } from "../ledger.js";
import type { Admission, AdmitOptions } from "../pins.js";
import type { Plan, PlanOptions } from "../planning.js";
import type { ToolUse } from "../tools.js";
import type { WindowSize } from "../transcript.js";
/** The runtime's own `AbortSignal`, where its types are loaded; otherwise what it needs to have. */
export type Signal = typeof globalThis extends {
    AbortSignal: {
        prototype: infer Own;
    };
} ? Own : {
    readonly aborted: boolean;
    readonly reason: unknown;
    addEventListener(type: "abort", listener: () => void, options?: {
        once?: boolean;
    }): void;
    removeEventListener(type: "abort", listener: () => void): void;
};
/** What a summarizer gives: the text, or the text with what the provider said of it. */
export type SummaryText = string | {
    /** The summary. */
    text: string;
    /** Why the model stopped, in the provider's words: `"length"`, `"max_tokens"`, `"MAX_TOKENS"` and the like are a summary cut off. */
    finishReason?: string | undefined;
    /** Handed on in the events. */
    usage?: object | undefined;
    /** Kept with the fold. */
    model?: string | undefined;
};
/** Calls your model. What it throws counts as a failed attempt. */
export type Summarize = (request: SummarizeRequest, context: {
    /** Aborted when time is up, or with the signal of {@link CompactOptions}. */
    signal: Signal;
    /** 1 for the first attempt at this request. */
    attempt: number;
    /** Why the attempt before was no good. */
    failed?: FailedAttempt | undefined;
}) => SummaryText | PromiseLike<SummaryText>;
/** An attempt that gave no summary. */
export interface FailedAttempt {
    /** Which part of the transcript was asked about, from 1 on. */
    part: number;
    /** Which attempt, from 1 on. */
    attempt: number;
    /** What was wrong. */
    reason: CompactReason;
    /** The same in a sentence. */
    message: string;
}
/** Why there is no summary by the model, or no fold at all. */
export type CompactReason = NoneReason | Obstacle | Rejection | "summarizer-failed" | "timed-out" | "too-long" | "not-accepted" | "no-summarizer" | "too-many-calls" | "aborted" | "stale-plan" | "plan-mismatch" | "message-changed" | "illegal-cut";
/** A step of {@link compact} or {@link prepare}. */
export type CompactEvent<M extends object = object> = {
    type: "planned";
    plan: Plan;
    tokens: {
        before: number;
        folded: number;
    };
} | {
    type: "request";
    request: SummarizeRequest;
    attempt: number;
} | {
    type: "failed";
    failed: FailedAttempt;
    text?: string;
    error?: unknown;
} | {
    type: "answered";
    request: SummarizeRequest;
    text: string;
    model?: string;
    usage?: object;
} | {
    type: "shortened";
    window: number;
} | {
    type: "adopted";
} | {
    type: "discarded";
    reason: string;
} | {
    type: "digest";
    outcome: "summarized" | "deterministic" | "floor";
    reason?: CompactReason;
    text: string;
} | {
    type: "folded";
    fold: Fold<M>;
    tokens: {
        before: number;
        after: number;
    };
} | {
    type: "unchanged";
    reason: CompactReason;
};
interface SummarizerOptions<M extends object> {
    /** Calls your model. Left out: the digest is made by rules. */
    summarize?: Summarize | undefined;
    /** Tokens of the summarizer's window, its answer included. Default: the size of `window`, otherwise without bound. */
    summarizerWindow?: number | undefined;
    /** How often each request is tried. Default 2. */
    attempts?: number | undefined;
    /** How often the summarizer is called in all, parts and repetitions included. Default 24. */
    maxCalls?: number | undefined;
    /** Milliseconds for one call of the summarizer. Default 300 000; Infinity for no limit. */
    timeoutMs?: number | undefined;
    /** Ends everything: what it was aborted with is thrown, and nothing has changed. */
    signal?: Signal | undefined;
    /** Is told each step. What it throws is ignored. */
    onEvent?: ((event: CompactEvent<M>) => void) | undefined;
    /** Your own say about a summary: true accepts it; false, or a sentence that says what is wrong, refuses it. */
    accept?: ((summary: string) => boolean | string) | undefined;
    /** UTF-8 bytes that requests keep of one tool result. Default 600. */
    resultBytes?: number | undefined;
    /** UTF-8 bytes that requests keep of the arguments of one call. Default 2 000. */
    argumentBytes?: number | undefined;
    /** What the summarizer is to look after besides: your own words. */
    instructions?: string | undefined;
    /** What the tools of this conversation do, by name; those of well-known agents are known. */
    tools?: Readonly<Record<string, ToolUse>> | undefined;
    /** UTF-8 bytes of the list of files and commands in the digest, at most. Default 2 000. */
    listBytes?: number | undefined;
}
/**
 * Options of {@link prepare}. What is said by index (`pinned`, `prefix`, `provenance`) is said of the messages that are given, wherever
 * the rules of `pins` are put; the indices of the plan that comes back are those of the messages with the rules in their place. How a
 * Transcript reads its messages (`format`, `estimator`, `provenance`, `ledger`) was settled when it was made: another way is refused.
 */
export interface PrepareOptions<M extends object = object> extends SummarizerOptions<M>, Omit<PlanOptions<M>, "tailBudget"> {
    /** Tokens that the tail may cost. Default: three tenths of the window when the fold is due. */
    tailBudget?: number | undefined;
    /** The model's window in tokens; that of the Transcript when left out. */
    window?: number | WindowSize | undefined;
    /** Real tokens that a fold has to free. Default: a twentieth of what there is. */
    minGain?: number | undefined;
    /**
     * Rules that survive: facts, which stand in the pinned message, and messages, which stay where they are. Admitted as `admitPins`
     * does it; what was not is in `pins` of the answer, and what newer ones took the place of in the ledger.
     */
    pins?: readonly object[] | undefined;
    /** How many and whose pins are admitted. */
    admission?: AdmitOptions | undefined;
}
/** Options of {@link compact}. */
export interface CompactOptions<M extends object = object> extends PrepareOptions<M> {
    /** A digest that was prepared; taken when what it stands for is still what it was, and it frees enough. */
    prepared?: Preparation | undefined;
    /**
     * What to do without a summary: a digest made by rules (the default), the floor, which says what is missing and no more, or
     * nothing.
     */
    fallback?: "deterministic" | "floor" | "none" | undefined;
    /** UTF-8 bytes of a digest made by rules, at most. Default 6 000. */
    maxBytes?: number | undefined;
    /** What the ledger keeps of the originals. Default `full`. */
    retention?: Retention | undefined;
}
/** What {@link compact} gives. */
export interface Compaction<M extends object = object> {
    /** The window: your own objects, with the digest among them; as it was when the outcome is `unchanged`. */
    messages: M[];
    /** Whose digest it is. */
    outcome: "summarized" | "deterministic" | "floor" | "unchanged";
    /** Why it is not a model's, or why nothing changed. */
    reason?: CompactReason;
    /** The fold, as the ledger has it. */
    fold?: Fold<M>;
    /** The plan. Its indices are those of the messages with the rules of `pins` in their place. */
    plan: Plan;
    /** Tokens of the next request, before and after. */
    tokens: {
        before: number;
        after: number;
    };
    /** The ledger with the originals: the one that was given, or a new one. */
    ledger: Ledger<M>;
    /** All attempts that gave no summary. */
    failed: FailedAttempt[];
    /** Which pins were admitted and which were not; only where pins were given. */
    pins?: Admission;
}
/** A digest that is being prepared; see {@link prepare}. */
export interface Preparation {
    /** What would fold. */
    readonly plan: Plan;
    /** Done, whatever came of it; never rejects. */
    readonly ready: Promise<{
        prepared: boolean;
        reason?: CompactReason;
    }>;
    /** Ends it. */
    cancel(): void;
}
export {};
