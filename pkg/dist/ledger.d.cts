import type { FoldRecord } from "./generated/core.cjs";
import type { Plan, PlanLike, ReadOptions } from "./planning.cjs";
/** What the ledger keeps of the originals. */
export type Retention = "full" | "reference" | "discard";
/** One fold of a ledger. */
export interface Fold<M extends object = object> {
    /** Unique in its ledger. */
    readonly id: string;
    /** Layout and fingerprints. */
    readonly record: FoldRecord;
    /** What is kept of the originals. */
    readonly retention: Retention;
    /** The messages that folded, in their order; only with retention `full`. */
    readonly messages?: readonly M[];
    /** Where the summary came from, as the caller said. */
    readonly outcome?: string;
    /** Tokens before and after, as the caller said. */
    readonly tokens?: {
        before: number;
        after: number;
    };
}
/** What {@link Ledger.record} needs to know of a fold. */
export interface FoldToRecord<M extends object> extends ReadOptions<M> {
    /** The messages that were planned: the window before the fold. */
    messages: readonly M[];
    /** The plan. */
    plan: Plan | PlanLike;
    /** The digest that takes the place of the folded span: the same that goes to `fold`. */
    digest: object | readonly object[];
    /** As given to `fold`. */
    merge?: boolean | undefined;
    /** Default `full`. */
    retention?: Retention | undefined;
    /** Kept with the fold. */
    outcome?: string | undefined;
    /** Kept with the fold. */
    tokens?: {
        before: number;
        after: number;
    } | undefined;
}
/** Options of a ledger. */
export interface LedgerOptions {
    /** Secret that seals {@link Ledger.toJSON}: without it nobody can edit the ledger unnoticed. */
    key?: string | Uint8Array | undefined;
}
/** A ledger as plain JSON. */
export interface LedgerJson {
    /** Always `"ledger"`. */
    plica: "ledger";
    /** Version of this form. */
    version: 1;
    /** The folds, the oldest first. */
    folds: {
        id: string;
        retention: Retention;
        record: FoldRecord;
        messages?: unknown[];
        outcome?: string;
        tokens?: {
            before: number;
            after: number;
        };
    }[];
    /** Whether the seal was made with a key. */
    keyed?: boolean;
    /** Over all of it. */
    seal: string;
}
/**
 * The record of all folds of a conversation: finds the originals behind a digest, and unfolds a window into the original
 * conversation, through any number of folds of folds.
 *
 * @example
 * const ledger = new Ledger();
 * ledger.record({ messages, plan, digest });
 * const window = fold(messages, plan, digest);
 * ledger.unfold(window) // the original messages, the same objects
 */
export declare class Ledger<M extends object = object> {
    private readonly all;
    private readonly byDigest;
    /** Messages that folds put in between others: nobody said them. */
    private readonly fillers;
    private readonly ids;
    /** Which messages of its span each fold took away: asked of the core once a fold, not once a message. */
    private readonly foldedOf;
    private nextId;
    private readonly key;
    constructor(options?: LedgerOptions);
    /** The folds, the oldest first. */
    get folds(): readonly Fold<M>[];
    /**
     * Records a fold that is made with these arguments. Nothing is copied: the ledger holds the message objects themselves.
     *
     * @throws PlicaError `illegal-cut`, `bad-plan`, `plan-mismatch`, and those of `plan`.
     */
    record(fold: FoldToRecord<M>): Fold<M>;
    /** The latest fold whose digest is this message; undefined when there is none. */
    lookup(message: object): Fold<M> | undefined;
    /** All folds whose digest is this message, the oldest first: more than one when summaries are the same. */
    lookupAll(message: object): Fold<M>[];
    /**
     * The original conversation behind a window: every fold undone, messages appended since kept. Your own objects where the
     * ledger holds them.
     *
     * @param options.originals messages to take from where the ledger holds only references; found by fingerprint.
     * @throws PlicaError `digest-missing`, `originals-missing`.
     */
    unfold(messages: readonly M[], options?: {
        originals?: readonly M[] | undefined;
    }): M[];
    /**
     * Ids of the folds behind a window whose originals the ledger does not hold.
     *
     * @throws PlicaError `digest-missing`.
     */
    missing(messages: readonly M[]): string[];
    /**
     * The ledger as plain JSON, sealed. `JSON.stringify(ledger)` calls it. Binary, dates and big integers in originals are
     * written in a form that {@link Ledger.from} reads back.
     *
     * @throws PlicaError `message-changed` when an original was changed in place since it was recorded (what would be written could
     * not be read again); `bad-message` when an original has no JSON form.
     */
    toJSON(): LedgerJson;
    /**
     * Reads what {@link Ledger.toJSON} gave.
     *
     * @throws PlicaError `bad-ledger`; `ledger-altered` when its contents were changed since; `ledger-key` when it is sealed with a
     * key and the key is missing or another, or a key is given and it is not sealed with one.
     */
    static from<M extends object = object>(json: unknown, options?: LedgerOptions): Ledger<M>;
    private add;
    private freeId;
    /** For each message of the unfolded conversation its fold (undefined: the window) and index. */
    private origins;
    private original;
    private checkSeal;
}
