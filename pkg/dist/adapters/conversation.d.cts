import { Ledger } from "plica";
import type { CompactOptions, Compaction, Format, Signal, UsageFigures, WindowSize } from "plica";
import type { LedgerStore } from "../store/types.cjs";
/** Options of every adapter. Those of `compact` say how a fold is made. */
export interface ConversationOptions<M extends object = object> extends Omit<CompactOptions<M>, "prepared" | "signal" | "window" | "format"> {
    /** What the model takes, in tokens. */
    window: number | WindowSize;
    /** The share of the window from which on it folds. Default 0.8. */
    at?: number | undefined;
    /** The share of the window from which on a summary is prepared in the background: 0.6, say. Left out: none is. */
    prepareAt?: number | undefined;
    /** Where the conversation is kept, a store of `plica/store`; needs `id`. */
    store?: LedgerStore | undefined;
    /** The id of the conversation in the store. */
    id?: string | undefined;
    /** Without a store: the window to go on with. */
    messages?: readonly M[] | undefined;
    /** Without a store: its ledger. */
    ledger?: Ledger<M> | undefined;
    /** Hears of each fold, and of each time that nothing could fold. What it throws is ignored. */
    onCompaction?: ((compaction: Compaction<M>) => void) | undefined;
}
/** What is known beside the messages. */
export interface NextOptions {
    /** What the provider counted for the request that the window before was sent with, in any provider's shape. */
    usage?: UsageFigures | object | undefined;
    /** Ends a fold; nothing has changed then. */
    signal?: Signal | undefined;
    /** Tokens that are sent beside the messages. Asked for as long as the provider has counted nothing and the window has no overhead. */
    beside?: (() => number) | undefined;
    /**
     * Messages that do not go on from what was said: left out, the conversation goes back with them, wherever that is. `"begun"`: only
     * where they begin as it does. `"never"`: not at all. What is refused is a `conflict`.
     */
    back?: "begun" | "never" | undefined;
}
/** What an adapter says of its framework. */
export interface Internals {
    /** The format of the framework's messages. */
    format: Format;
}
/**
 * One conversation. Calls follow each other, however they are made.
 *
 * @example
 * const conversation = new Conversation({ window: 200_000, summarize });
 * const messages = await conversation.window(everythingSaid);   // what to send
 */
export declare class Conversation<M extends object = object> {
    private readonly options;
    private readonly internals;
    private transcript;
    /** All that was ever said, in its order. */
    private log;
    /** For each message of the log its index in the window, -1 where it is folded. */
    private places;
    private prepared;
    /** Below so many tokens folding is of no use. */
    private useless;
    private pinned;
    /** Whether the provider has counted a request of this transcript. */
    private counted;
    /** Messages with rules that were put into a window. */
    private readonly rules;
    private version;
    /** What the store has not got: messages behind those it has, or more than that. */
    private unsaved;
    private saved;
    private forgets;
    private readonly prints;
    private last;
    /** @throws PlicaError `bad-argument`. */
    constructor(options: ConversationOptions<M>, internals: Internals);
    /**
     * Takes the messages as the framework has them, and gives the window to send: your own objects, with the digests among them.
     *
     * @param messages all that was said, or the window that was given last, with what came since behind it. Where the framework has gone
     * back (an answer made anew, a message edited) the conversation goes back with it.
     * @throws what the signal was aborted with; PlicaError those of `compact` and of the store; `conflict` when another server has written
     * to the conversation what is not among the messages.
     */
    window(messages: readonly M[], options?: NextOptions): Promise<M[]>;
    /**
     * Takes the messages as the framework has them, and folds nothing: behind the last answer of a run.
     *
     * @throws as {@link Conversation.window}.
     */
    record(messages: readonly M[], options?: Pick<NextOptions, "usage" | "back">): Promise<void>;
    /**
     * Puts messages behind those that are there, for frameworks that hand over what is new and nothing else.
     *
     * @throws as {@link Conversation.window}.
     */
    append(messages: readonly M[], options?: NextOptions): Promise<void>;
    /** Takes the last message off; undefined when there is none. What is folded comes back when it is its turn. */
    pop(): Promise<M | undefined>;
    /** Forgets everything, in the store as well. */
    clear(): Promise<void>;
    /** The window as it is now. */
    messages(): Promise<M[]>;
    /** All that was ever said: every original; in these objects, where they are all of them. */
    originals(as?: readonly M[]): Promise<M[]>;
    /** The ledger: with the window it is all that has to be kept to go on later. */
    ledger(): Promise<Ledger<M>>;
    /** A conversation of the same messages and folds that goes its own way, in no store. */
    branch(): Promise<Conversation<M>>;
    /** Whether a message of the window is the one with the rules, which nobody said. */
    isRules(message: M): boolean;
    private load;
    private start;
    /** The log behind the window, after it has changed as a whole. */
    private remember;
    /** What is in memory may not be what is stored any more. */
    private leave;
    private take;
    /** What a framework may have kept of what it was given: the window, and the window without the rules that were put into it. */
    private views;
    /** The framework has gone back: to a place in the window that it was given, or in all that was said. */
    private back;
    /** Forgets what was said from `length` on. Where that is folded, all before it is in the window again. */
    private rewind;
    private cut;
    private add;
    private count;
    /** The rules are in the window from the first request on: put in later, they would cost the provider's cache. */
    private pin;
    private isAll;
    /** How many messages the lists begin with alike. */
    private common;
    private printsOf;
    private fit;
    /** The window without what is sent beside the messages: the transcript does not know of that before something was counted. */
    private room;
    /** Where nothing can be freed the provider has the last word about a window that may still do. */
    private made;
    /** The window, in the objects of the framework as they are now: what changes nothing of a message's meaning may have changed. */
    private shown;
    private keep;
    /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
    private kept;
    /** Keeps a fold; where that fails the next write has it, unless another server's fold was first: then that one counts. */
    private keptLater;
    /** Another server may have been first: what it wrote counts, and this is done once more on top of it, or refused. */
    private stored;
    private inTurn;
}
