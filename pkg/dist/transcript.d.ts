/// <reference lib="esnext.disposable" preserve="true" />
import type { Explanation, Format, Measure } from "./generated/core.js";
import { Ledger } from "./ledger.js";
import type { AnyLedger, Fold, FoldNotes, Retention } from "./ledger.js";
import type { Estimate, Plan, PlanLike, PlanOptions, ReadOptions } from "./planning.js";
import type { IssuerOptions } from "./pins.js";
/** The window of a model. */
export interface WindowSize {
    /** Tokens that fit. */
    size: number;
    /** Tokens sent beside the messages: system text, tool schemas. Left out, it is learned from what the provider counts. */
    overhead?: number | undefined;
    /** Tokens to keep free for the answer. Default 0. */
    output?: number | undefined;
}
/** Options of a {@link Transcript}. */
export interface TranscriptOptions<M extends object = object> extends ReadOptions<M> {
    /**
     * As for the functions. Asked once, when a message is appended, with its index then: what it says goes with the message, whatever
     * folds or is put in front of it.
     */
    provenance?: ReadOptions<M>["provenance"];
    /** The model's window, in tokens. */
    window?: number | WindowSize | undefined;
}
/** Options of {@link Transcript.due}. */
export interface DueOptions {
    /** The share of the window above which it is time: more than 0, at most 1. Default 0.8; 0.6 is a good share to prepare at. */
    at?: number | undefined;
    /** Another window than that of the transcript. */
    window?: number | WindowSize | undefined;
}
/** What a provider counted, by our names; those of any provider do as well. */
export interface UsageFigures {
    /** Tokens of the whole prompt, those from a cache included. */
    inputTokens: number;
    /** Tokens of the answer. */
    outputTokens?: number | undefined;
    /** Number of messages that the request held. Left out: see {@link Transcript.usage}. */
    at?: number | undefined;
}
/** The options of a plan that a transcript makes: how messages are read was settled when it was made. */
export type TranscriptPlanOptions<M extends object = object> = Omit<PlanOptions<M>, keyof ReadOptions> & Partial<Pick<PlanOptions<M>, keyof ReadOptions>>;
/** Options of {@link Transcript.commit}: notes are kept with the fold; its tokens are the transcript's own to say. */
export interface CommitOptions extends Omit<FoldNotes, "tokens"> {
    /** What the ledger keeps of the originals. Default `full`. */
    retention?: Retention | undefined;
}
/**
 * A conversation that grows. Made once, it answers after every message whether it is time to fold ({@link due}, in constant
 * time) and where ({@link plan}, in time that hardly grows with the conversation).
 *
 * It holds your message objects and reads them when they are appended: one that is changed in place afterwards is refused by
 * {@link commit}. Its memory in the core is given back by {@link free}, by `using`, or when the object is collected.
 *
 * @example
 * const transcript = new Transcript({ window: { size: 200_000, output: 8_000 } });
 * transcript.append(messages);
 * if (transcript.due()) {
 *   const p = transcript.plan({ tailBudget: 60_000 });
 *   if (p.kind === "fold") transcript.commit(p, digestMessage(summary, { format: p.format }));
 * }
 * send(transcript.messages());
 */
export declare class Transcript<M extends object = object> {
    /** For `using`: {@link free}. */
    readonly [Symbol.dispose]: () => void;
    private all;
    /** What the caller said of each message when it came; empty where nobody is asked. */
    private marks;
    private readonly own;
    private readonly reading;
    private readonly window;
    private place;
    private freed;
    /** How often the messages became others. */
    private changes;
    /** Number of folds of the ledger that the core knows. */
    private known;
    /** What the core learned from the provider's counts. */
    private meter;
    /** How often messages that a plan may be of were replaced or removed; of each plan, how often it was when it was made. */
    private epoch;
    private readonly plans;
    /**
     * @throws PlicaError `bad-argument`, `unknown-format`, `bad-estimator`.
     */
    constructor(options?: TranscriptOptions<M>);
    /**
     * A transcript of a window and the ledger of the folds that led to it, as they were saved. A log in which originals and digests
     * follow each other leads to its window (see {@link Ledger.replay}): what folded never comes back beside its digest.
     *
     * @throws PlicaError those of the constructor, of {@link append}, and of {@link Ledger.replay}; `digest-missing` when there are messages
     * and the ledger has folds, of which none is in them: it is the ledger of another conversation, and would be written into.
     * @example
     * Transcript.restore(saved.messages, Ledger.from(saved.ledger), { window: 200_000 })
     */
    static restore<M extends object>(messages: readonly M[], ledger: AnyLedger, options?: TranscriptOptions<M>): Transcript<M>;
    /** Number of messages. */
    get length(): number;
    /** The format that the messages are read by: the one given, or the strictest that all of them fit. */
    get format(): Format;
    /**
     * Tokens of the next request: what the provider counted last and estimates of what came since; estimates of all messages and
     * the window's overhead as long as nothing was counted.
     */
    get tokens(): number;
    /**
     * Real tokens for one that is estimated, as learned from the provider's counts; 1 at first. Budgets of plans are in estimated
     * tokens: divide by it what you know in real ones.
     */
    get calibration(): number;
    /** The folds of this transcript, with the originals. */
    get ledger(): Ledger<M>;
    /** The messages: an array of your own objects. */
    messages(): M[];
    /**
     * Takes messages in at the end.
     *
     * @throws PlicaError `bad-argument`, `bad-message`, `bad-estimator`, `format-undetected`, `too-deep`, `too-large`, `freed`; nothing
     * is appended then.
     */
    append(messages: readonly M[]): this;
    private take;
    /**
     * Forgets all messages from `length` on.
     *
     * @throws PlicaError `bad-argument` when there are fewer; `freed`.
     */
    truncate(length: number): this;
    /**
     * Puts a message in the place of the last one: for a message that is still streaming in, or that was edited.
     *
     * @throws PlicaError `bad-argument` when there is none; those of {@link append}.
     */
    replaceLast(message: M): this;
    /**
     * Has exactly one pinned message among the messages: that of these facts, as the function `placePins` does it. As long as it says
     * the same, nothing is touched; otherwise the messages are read anew, and the provider's last count is forgotten. The ledger
     * knows of it: `unfold` takes out what was put in.
     *
     * @throws PlicaError those of the function `placePins`; `freed`.
     * @example
     * transcript.placePins(admitPins(facts).pinned);
     */
    placePins<P extends object = object>(pins: readonly P[], options?: IssuerOptions<P>): this;
    /**
     * A copy that goes its own way: the messages are the same objects, the ledger a copy of its own.
     *
     * @throws PlicaError `freed`.
     */
    fork(): Transcript<M>;
    /**
     * Takes what the provider counted for a request. From here on {@link tokens} and {@link due} stand on it.
     *
     * The request was the one that the model's messages at the end answer. Where the last message is not the model's (the answer is
     * not appended yet) it was the one with all messages; `at`, the number of messages in the request, says otherwise.
     *
     * @param figures `{ inputTokens, outputTokens }`, or the usage as any provider or framework gives it (Anthropic, OpenAI, Gemini,
     * Bedrock, Ollama, AI SDK, LangChain, pi), or the answer that holds it.
     * @throws PlicaError `bad-argument` when there is no count of a prompt in it; `freed`.
     * @example
     * transcript.append([response.message]).usage(response.usage);
     */
    usage(figures: UsageFigures | object): this;
    /**
     * Whether it is time to fold: more than 0.8 of the window is taken, what is kept free for the answer aside. In constant time.
     *
     * @throws PlicaError `bad-argument` when no window is known; `freed`.
     */
    due(options?: DueOptions): boolean;
    /**
     * The plan that the function `plan` makes for the same messages.
     *
     * @throws PlicaError those of the function `plan`; `bad-argument` when an option of reading is another than that of the transcript;
     * `freed`.
     */
    plan(options: TranscriptPlanOptions<M>): Plan;
    /**
     * The fate of every message under a plan, and why: what the function `explain` says for the same messages, without reading them
     * again.
     *
     * @throws PlicaError `bad-plan`, `plan-mismatch`, `freed`.
     * @example
     * transcript.explain(transcript.plan({ tailBudget: 20_000 }))[0] // { index: 0, fate: "prefix", reason: "…" }
     */
    explain(plan: Plan | PlanLike): Explanation[];
    /**
     * Tokens and messages of each part of a plan: what the function `measure` says for the same messages.
     *
     * @throws PlicaError `bad-plan`, `plan-mismatch`, `freed`.
     */
    measure(plan: Plan | PlanLike): Measure;
    /**
     * The estimate of each message, as the function `estimate` gives it: what the provider counted has no part in it.
     *
     * @throws PlicaError `freed`.
     */
    estimate(): Estimate;
    /**
     * Folds: the messages become prefix, kept messages, digest and tail, and the ledger has the originals. Messages appended since
     * the plan are part of the tail. Every message is read once more, to see that it is still what was appended.
     *
     * @param digest the message of `digestMessage`, or several.
     * @returns the fold, as the ledger has it.
     * @throws PlicaError `stale-plan` when messages that were planned were replaced or removed since; `plan-mismatch` when the plan is
     * for other messages; `message-changed` when a message was changed in place; `illegal-cut`, `nothing-to-fold`, `bad-plan`, `freed`.
     * Nothing is changed then.
     */
    commit(plan: Plan | PlanLike, digest: object | readonly object[], options?: CommitOptions): Fold<M>;
    /** Gives the memory in the core back. The messages and the ledger stay yours; every other call throws `freed`. Twice does no harm. */
    free(): void;
    /** Gives the place in the core back. The collector must not do it again: the number may be another's by then. */
    private leave;
    private refuseFreed;
    private countsOfCommit;
    /** Runs `fn` with this transcript in the live instance of the core. */
    private withPlace;
    /** Gives all messages to the core, which does not have them: at first, after a trap, when the ledger has gained folds. */
    private settle;
    /**
     * Appends in the core, from index `first` on, piece by piece: the texts of one piece are gone before those of the next are made.
     * Where another format shows itself, the messages in front are given again.
     */
    private give;
    /** Messages behind the first ones of this transcript. */
    private behindFirst;
    /** The texts of a piece and how they are read, before anything of it is staged: what the caller has there may call plica. */
    private read;
    private cut;
    /** On failure the core may hold part of what was given: the next call gives it everything anew. */
    private guarded;
    /** Runs `fn`, in which messages are read: getters and callbacks may do anything, but not that. */
    private unchanged;
}
