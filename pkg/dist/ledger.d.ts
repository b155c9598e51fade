import type { Activity, EditKind, EditRecord, FoldRecord } from "./generated/core.js";
import type { Plan, PlanLike, ReadOptions } from "./planning.js";
import type { Edit } from "./repair.js";
import type { Span, SpanOptions, UnplacedSpan } from "./spans.js";
/** What the ledger keeps of the originals. */
export type Retention = "full" | "reference" | "discard";
/** One fold of a ledger. */
export interface Fold<M extends object = object> extends FoldNotes {
    /** Unique in its ledger. */
    readonly id: string;
    /** Layout and fingerprints. */
    readonly record: FoldRecord;
    /** What is kept of the originals. */
    readonly retention: Retention;
    /** The messages that folded, in their order; only with retention `full`. */
    readonly messages?: readonly M[];
}
/** What is kept with a fold beside what it did, as the caller said; `compact` says all of it. */
export interface FoldNotes {
    /** Where the digest came from: `"summarized"`, `"deterministic"`, `"floor"`, or words of your own. */
    readonly outcome?: string | undefined;
    /** Why it is not a model's, where it is not. */
    readonly reason?: string | undefined;
    /** The model that wrote it. */
    readonly model?: string | undefined;
    /** Tokens before and after. */
    readonly tokens?: {
        before: number;
        after: number;
    } | undefined;
    /** Files and commands in what folded; those of earlier folds are with these. See `activity`. */
    readonly activity?: Activity | undefined;
}
/** One reduction or repair of a ledger. */
export interface LedgerEdit<M extends object = object> {
    /** Unique in its ledger. */
    readonly id: string;
    /** What changed, by place and fingerprint; `record.kind` says whether it is a reduction or a repair. */
    readonly record: EditRecord;
    /** What is kept of the originals. */
    readonly retention: Retention;
    /** The messages that it took away, in their order; only with retention `full`. */
    readonly messages?: readonly M[];
}
/** What {@link Ledger.recordEdit} needs to know of a reduction or a repair. */
export interface EditToRecord<M extends object> extends ReadOptions<M> {
    /** Which of the two. */
    kind: EditKind;
    /** The messages before it. */
    messages: readonly M[];
    /** What it changed, as `repair` and `reduce` give it. */
    edits: readonly Edit<M>[];
    /** Default `full`. */
    retention?: Retention | undefined;
}
/** What {@link Ledger.record} needs to know of a fold. */
export interface FoldToRecord<M extends object> extends ReadOptions<M>, FoldNotes {
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
}
/** A pin that another one took the place of. */
export interface RetiredPin {
    /** Unique in its ledger. */
    readonly id: string;
    /** The pin, as it was. */
    readonly pin: object;
    /** The one that took its place. */
    readonly by?: object | undefined;
}
/** A {@link Ledger} as an argument: what it was made for does not say what your messages are. */
export interface AnyLedger {
    /** As in {@link Ledger}. */
    readonly folds: readonly Fold[];
    /** As in {@link Ledger}. */
    lookup(message: object): Fold | undefined;
    /** As in {@link Ledger}. */
    toJSON(): LedgerJson;
}
/** Options of a ledger. */
export interface LedgerOptions {
    /** Secret that seals {@link Ledger.toJSON}: without it nobody can edit the ledger unnoticed. */
    key?: string | Uint8Array | undefined;
}
/** Options of {@link Ledger.from}. */
export interface FromOptions<M extends object = object> extends LedgerOptions {
    /** Originals that the JSON holds by reference only ({@link Ledger.toReferences}), by the ids of their folds, reductions and repairs. */
    originals?: ReadonlyMap<string, readonly M[]> | undefined;
}
/** Options of {@link Ledger.fromFolded}. */
export interface FromFoldedOptions extends LedgerOptions {
    /** Only `"agentfootprint"`: spans know no other, and plain text is read as such. */
    format?: "agentfootprint" | undefined;
}
/** A ledger as plain JSON. */
export interface LedgerJson {
    /** Always `"ledger"`. */
    plica: "ledger";
    /** Version of this form: 2 where there are edits or unplaced spans, 3 where there are pins; the lowest that knows what there is. */
    version: 1 | 2 | 3;
    /** The reductions and repairs, the oldest first; `behind` is the number of folds that were made before. */
    edits?: {
        id: string;
        retention: Retention;
        behind: number;
        record: EditRecord;
        messages?: unknown[];
    }[];
    /** The folds, the oldest first. */
    folds: (FoldNotes & {
        id: string;
        retention: Retention;
        record: FoldRecord;
        messages?: unknown[];
    })[];
    /** Spans of a stored conversation that are none of the folds. */
    unplaced?: {
        index: number;
        why: UnplacedSpan["why"];
        span: unknown;
    }[];
    /** Pins that others took the place of, the oldest first, and fingerprints of the pinned messages that plica placed. */
    pins?: {
        retired: {
            id: string;
            pin: unknown;
            by?: unknown;
        }[];
        placed: string[];
        displaced?: {
            at: number;
            message: unknown;
        }[];
    };
    /** Whether the seal was made with a key. */
    keyed?: boolean;
    /** Over all of it. */
    seal: string;
}
/**
 * The record of all folds, reductions and repairs of a conversation: finds the originals behind a digest, and unfolds a window
 * into the original conversation, through any number of folds of folds.
 *
 * @example
 * const ledger = new Ledger();
 * ledger.record({ messages, plan, digest });
 * const window = fold(messages, plan, digest);
 * ledger.unfold(window) // the original messages, the same objects
 */
export declare class Ledger<M extends object = object> {
    private readonly all;
    private readonly ownFolds;
    private readonly ownEdits;
    private readonly byDigest;
    /** Messages that folds put in between others: nobody said them. */
    private readonly fillers;
    private readonly ids;
    /** Fingerprints of the messages that each took away: asked of the core once a fold, not once a message. */
    private readonly takenBy;
    /** The spans that folds were read from: the caller's own. */
    private readonly spanOf;
    private ownUnplaced;
    private readonly retired;
    /** Fingerprints of what `retired` holds: told again, a pin is not retired again. */
    private readonly retiredPrints;
    /** Fingerprints of pinned messages that plica put in: nobody said them. */
    private readonly placedPins;
    /** Messages at the head that read like a pinned message, that this ledger did not put in, and that had to give way to one: whoever
     * said them, they are of the conversation. `at` is the place in it. */
    private readonly displaced;
    private nextId;
    private readonly key;
    constructor(options?: LedgerOptions);
    /** The folds, the oldest first. */
    get folds(): readonly Fold<M>[];
    /** The reductions and repairs, the oldest first. */
    get edits(): readonly LedgerEdit<M>[];
    /** Folds, reductions and repairs in the order in which they were made. */
    get records(): readonly (Fold<M> | LedgerEdit<M>)[];
    /** Pins that newer ones took the place of, the oldest first. */
    get pins(): readonly RetiredPin[];
    /**
     * Keeps the pins that newer ones of the same key took the place of. `compact` does it itself. What is kept already is not kept again.
     *
     * @throws PlicaError `bad-argument` when it is not what `admitPins` gave.
     * @example
     * const admission = admitPins(facts);
     * ledger.recordPins(admission);
     * ledger.pins.map(({ pin, by }) => [pin, by]) // the rules that were, and those that are
     */
    recordPins(admission: {
        readonly refused: readonly {
            readonly pin: object;
            readonly reason: string;
            readonly by?: object | undefined;
        }[];
    }): readonly RetiredPin[];
    private retire;
    /** Puts what was displaced back into a conversation that lacks it. */
    private restored;
    /** Indices of the pinned messages in a window that this ledger remembers. */
    private placedIn;
    /** For each message of the unfolded conversation ({@link Ledger.unfold}) its index in the window, -1 where it is not there. */
    places(messages: readonly M[]): number[];
    /** Entries of the list that {@link Ledger.fromFolded} read of which no fold could be made, in their order. */
    get unplaced(): readonly UnplacedSpan[];
    /**
     * Records a fold that is made with these arguments. Nothing is copied: the ledger holds the message objects themselves.
     *
     * @throws PlicaError `illegal-cut`, `bad-plan`, `plan-mismatch`, and those of `plan`.
     */
    record(fold: FoldToRecord<M>): Fold<M>;
    /**
     * Records a reduction or a repair, so that {@link Ledger.unfold} undoes it as well: call it before the next fold. `reduce` does
     * it itself. Nothing is copied: the ledger holds the message objects themselves.
     *
     * @returns the record; undefined when nothing changed.
     * @throws PlicaError `bad-argument` for edits that are none of these messages; `bad-message`, `format-undetected`.
     * @example
     * const { messages: sound, edits } = repair(messages);
     * ledger.recordEdit({ kind: "repair", messages, edits });
     * ledger.unfold(sound) // the original messages, the same objects
     */
    recordEdit(edit: EditToRecord<M>): LedgerEdit<M> | undefined;
    /** The latest fold whose digest is this message; undefined when there is none. */
    lookup(message: object): Fold<M> | undefined;
    /** All folds whose digest is this message, the oldest first: more than one when summaries are the same. */
    lookupAll(message: object): Fold<M>[];
    /**
     * {@link Ledger.lookup} of many messages at once: one call into the core for all of them.
     *
     * @throws PlicaError `bad-argument`, `bad-message`.
     * @example
     * ledger.lookupMany(window).filter((fold) => fold !== undefined) // the folds whose digests stand in the window
     */
    lookupMany(messages: readonly object[]): (Fold<M> | undefined)[];
    /**
     * The original conversation behind a window: every fold, reduction and repair undone, messages appended since kept. Your own objects where the
     * ledger holds them.
     *
     * @param options.originals messages to take from where the ledger holds only references; found by fingerprint. Where not even
     * fingerprints are known (spans without messages, {@link Ledger.fromFolded}): the whole conversation from its start, or just the
     * messages that lack, in their order.
     * @throws PlicaError `digest-missing`, `originals-missing`.
     */
    unfold(messages: readonly M[], options?: {
        originals?: readonly M[] | undefined;
    }): M[];
    /** For each fold of which nothing is known, in the order of the unfolded conversation, its messages out of `originals`. */
    private unknown;
    /**
     * The window that a log leads to, for whoever only ever appends: originals and digests in one list, in the order in which they
     * came. Each fold is made again where its digest stands, so that nothing is sent beside the summary of it. A list that is a
     * window already stays as it is. `Transcript.restore` does it by itself.
     *
     * @returns a new array of the same objects.
     * @throws PlicaError `originals-missing` where a fold cannot be made again: its messages were reduced or repaired first, or the log
     * was changed. Keep the window then.
     * @example
     * ledger.replay([...log, digest, ...since]) // what fold gave, and what came since
     */
    replay(log: readonly M[]): M[];
    private replayed;
    /**
     * A log does not hold the pinned message, which nobody said, but the folds were made with it in front of them: they are made again
     * with something in its place, which is then taken out. A window without one (its pins were given up) stays as it is.
     */
    private replayedBehindPins;
    /**
     * Ids of the folds, reductions and repairs behind a window whose originals the ledger does not hold.
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
     * {@link Ledger.toJSON} without the originals, for whoever keeps those elsewhere: each is there by its fingerprint, under the
     * seal. {@link Ledger.from} reads it, and takes the originals as `{ originals }`; `plica/store` does that.
     *
     * @example
     * const kept = new Map(ledger.records.map(({ id, messages = [] }) => [id, messages]));
     * Ledger.from(ledger.toReferences(), { originals: kept })
     */
    toReferences(): LedgerJson;
    private sealed;
    /**
     * Reads what {@link Ledger.toJSON} gave, or {@link Ledger.toReferences}.
     *
     * @param options.originals the messages that are there by reference only, by the ids of the records; each is compared with its
     * fingerprint. What is not among them stays a reference.
     * @throws PlicaError `bad-ledger`; `ledger-altered` when its contents were changed since; `ledger-key` when it is sealed with a
     * key and the key is missing or another, or a key is given and it is not sealed with one.
     */
    static from<M extends object = object>(json: unknown, options?: FromOptions<M>): Ledger<M>;
    /**
     * The ledger of a conversation that was stored with its folds beside its messages, as agentfootprint does: `folded` lists
     * {@link Span}s, each under the 32-bit fingerprint of its summary. `ledger.unfold(messages)` then gives the original conversation:
     * your own objects, through folds of folds. Messages are agentfootprint's, or plain text.
     *
     * A span belongs to the summary that is to be seen once all later spans are undone: that tells apart spans with the same
     * fingerprint. A span without messages is a fold whose originals are missing. Entries that are no spans, and spans whose summary is
     * nowhere, are listed in {@link Ledger.unplaced}; nothing is thrown for them. The ledger's JSON keeps those that are objects.
     *
     * @throws PlicaError `bad-ledger` where spans with the same fingerprint cannot be told apart; `bad-argument` for messages of other
     * formats; `bad-message`.
     * @example
     * const ledger = Ledger.fromFolded(conversation, conversation.messages);
     * ledger.unfold(conversation.messages) // all that was ever said
     */
    static fromFolded<M extends object = object>(conversation: unknown, messages: readonly M[], options?: FromFoldedOptions): Ledger<M>;
    /**
     * The folds behind a window as {@link Span}s, the oldest first, for a conversation that is stored with them: `foldedSpanFor` finds
     * each by its digest. The messages are your own objects, and so are the spans that {@link Ledger.fromFolded} read. With retention
     * `reference` and `discard` a span has no messages. Folds of another way that the conversation went once are left out.
     *
     * What a reader of spans would put back wrongly is refused: it replaces each message that has the fingerprint by the span's messages.
     *
     * @throws PlicaError `bad-ledger` for reductions and repairs, for folds that kept messages between those that they took away, put
     * fillers in or have a digest of several messages, and for a digest whose 32-bit fingerprint another message has, too;
     * `originals-missing` where the digest of a fold, or the number of its messages, is not known; `digest-missing` when the messages
     * are no window of this ledger; `message-changed`; `bad-argument` for messages of other formats than agentfootprint and plain text.
     * @example
     * const stored = { messages: window, folded: ledger.toFolded(window, { now: Date.now() }) };
     */
    toFolded(messages: readonly M[], options?: SpanOptions): Span<M>[];
    /** The folds behind a digest, in their order; of equal digests the latest that can be meant. */
    private behind;
    private addFold;
    private addEdit;
    private add;
    private freeId;
    /** For each message of the unfolded conversation what took it away (undefined: it is of the window) and its index there. */
    private origins;
    private original;
    private checkSeal;
}
