import type { Admission, CompactOptions, Compaction, Format, Ledger, Signal, UsageFigures, WindowSize } from "plica";
import type { LedgerStore } from "../store/types.cjs";
/**
 * Options of every adapter. Those of `compact` say how a fold is made. They hold for the whole conversation, and the indices of `pinned`,
 * `prefix` and `provenance` are those of the window as it is then, with digests and rules in it: tell messages by what they say.
 */
export interface ConversationOptions<M extends object = object> extends Omit<CompactOptions<M>, "prepared" | "signal" | "window" | "format"> {
    /** What the model takes, in tokens. */
    window: number | WindowSize;
    /**
     * Rules that are in every request, word for word, from the first one on: see `admitPins`. They take the place of those that the conversation was
     * kept with. Left out, those stay as they are, until the conversation is cleared or begins anew; `[]` takes them out.
     */
    pins?: CompactOptions<M>["pins"];
    /** The share of the window from which on it folds. Default 0.8. */
    at?: number | undefined;
    /** The share of the window from which on a summary is prepared in the background: 0.6, say. Left out: none is. */
    prepareAt?: number | undefined;
    /** Where the conversation is kept, a store of `plica/store`; needs `id`. */
    store?: LedgerStore | undefined;
    /** The id of the conversation in the store. */
    id?: string | undefined;
    /**
     * With a store: how many of the ways that the conversation has left stay there, the latest ones, each under an id of its own
     * (`<id>~left~<version>`). Older ones are deleted. Default 8; 0 keeps none, Infinity all.
     */
    left?: number | undefined;
    /** With a store: how long, in ms, it may take to answer before that is `store-failed`. Default 30,000; Infinity waits for ever. */
    storeTimeoutMs?: number | undefined;
    /** Without a store: the window to go on with. */
    messages?: readonly M[] | undefined;
    /** Without a store: its ledger. */
    ledger?: Ledger<M> | undefined;
    /** Without a store: what was said, where the ledger holds originals by reference. */
    originals?: readonly M[] | undefined;
    /** Hears which of the `pins` were admitted and which were not, when the rules are put in. What it throws is ignored. */
    onPins?: ((admission: Admission) => void) | undefined;
    /**
     * Hears of each fold, and each time that a window over its share goes out as it is: `unchanged`, with the reason, which is that of before where
     * nothing was asked this time. What it throws is ignored.
     */
    onCompaction?: ((compaction: Compaction<M>) => void) | undefined;
}
/** What is known beside the messages. */
export interface NextOptions {
    /**
     * What the provider counted for the request that the window before was sent with, in any provider's shape. `at`, the number of messages
     * of that window, where the conversation has not given it out itself: it was loaded since, say. A count far from the estimate is none, unless
     * it is `partial`: the provider leaves out some of what it is sent.
     */
    usage?: UsageFigures | object | undefined;
    /**
     * Ends the call at once, be it in a fold, behind other calls, or before a store that does not answer. What was handed over may be part of
     * the conversation then; a fold that was not done is none.
     */
    signal?: Signal | undefined;
    /** Tokens that are sent beside the messages. Asked for as long as the provider has counted nothing and the window has no overhead. */
    beside?: (() => number) | undefined;
    /**
     * Messages that do not go on from what was said: `"begun"`, the default, goes back with them where they begin as the conversation does,
     * `"anywhere"` also where they have nothing of it, `"never"` not at all; a function is given what would be
     * left, how many messages would stay and what would come behind those, and says whether it may be. What is refused is a `conflict`.
     */
    back?: "anywhere" | "begun" | "never" | ((left: readonly object[], kept: number, instead: readonly object[]) => boolean) | undefined;
}
/** What is known beside messages that are appended. */
export interface AppendingOptions extends Pick<NextOptions, "usage" | "signal" | "beside"> {
    /** Whether to fold when it is due. Default true. */
    fold?: boolean | undefined;
}
/** What an adapter says of its framework. */
export interface Internals {
    /** The format of the framework's messages. */
    format: Format;
}
