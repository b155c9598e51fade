import { Ledger } from "plica";
import type { Admission, CompactOptions, Compaction, Format, Signal, UsageFigures, WindowSize } from "plica";
import type { LedgerStore } from "../store/types.js";
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
    /** Without a store: what was said, where the ledger holds originals by reference. */
    originals?: readonly M[] | undefined;
    /** Hears which of the `pins` were admitted and which were not, when the rules are put in. What it throws is ignored. */
    onPins?: ((admission: Admission) => void) | undefined;
    /** Hears of each fold, and of each time that nothing could fold. What it throws is ignored. */
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
    /** Ends a fold; nothing has changed then. */
    signal?: Signal | undefined;
    /** Tokens that are sent beside the messages. Asked for as long as the provider has counted nothing and the window has no overhead. */
    beside?: (() => number) | undefined;
    /**
     * Messages that do not go on from what was said: `"begun"`, the default, goes back with them where they begin as the conversation does,
     * `"anywhere"` also where they have nothing of it, `"never"` not at all. What is refused is a `conflict`.
     */
    back?: "anywhere" | "begun" | "never" | undefined;
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
/**
 * One conversation. Calls follow each other, however they are made.
 *
 * @example
 * const conversation = new Conversation({ window: 200_000, summarize }, { format: "anthropic" });
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
    /** Indices in the window of its digests, and of what was put in beside them (the rules, say); undefined until it is asked for. */
    private made;
    private prepared;
    /** Below so many tokens folding, and preparing it, is of no use. */
    private useless;
    private unprepared;
    /** Length of the window that was given last; undefined when it is another one since. */
    private sent;
    private pinned;
    private fitting;
    /** Whether the provider has counted a request of this transcript. */
    private counted;
    /** Messages with rules that were put into a window. */
    private readonly rules;
    private version;
    /** What the store has not got: messages behind those it has, or more than that. */
    private unsaved;
    private saved;
    private forgets;
    /** What is known came from another server, and the framework has not seen it yet. */
    private foreign;
    private refusal;
    /** What was gone back from, as long as the store has not got it under an id of its own. */
    private left;
    /** Fingerprints of digests whose folds were undone: what they stand for is said again, or gone. */
    private readonly undone;
    /** Messages of a write of which it is not known whether it was done. */
    private doubtful;
    private prints;
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
    append(messages: readonly M[], options?: AppendingOptions): Promise<void>;
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
    /** Forgets what is in memory where another server has written since: it is read anew when it is asked for. */
    refresh(): Promise<void>;
    /** A conversation of the same messages and folds that goes its own way, in no store. */
    branch(): Promise<Conversation<M>>;
    /**
     * Takes the folds of a branch over, where the same was said in both.
     *
     * @returns whether it was.
     */
    join(branch: Conversation<M>): Promise<boolean>;
    /** Whether a message of the window is the one with the rules, which nobody said. */
    isRules(message: M): boolean;
    private load;
    private start;
    private transcribed;
    /** Where the log is in the window, after that has changed as a whole. */
    private placed;
    private get inWindow();
    /** What is in memory may not be what is stored any more. */
    private leave;
    /**
     * Finds out what is new among these messages, or how far they go back.
     *
     * @returns of what was said, by its place in the log, messages that were given in another object: it is theirs that go out, since what
     * changes nothing of a message's meaning may have changed.
     */
    private take;
    /** So many of the messages are known, each at a place of the log, or at none where it is a digest. */
    private goOn;
    /** Where in the log a message of a view is. */
    private saidAt;
    /** What a framework may have kept of what it was given: the window, and the window without what nobody said. */
    private views;
    /** What was said behind messages with digests or rules of this conversation among them; undefined when there are none. */
    private unfolded;
    /** The framework has gone back: to a place in all that was said, in the window that it was given, or in one of before. */
    private back;
    /** How much of the log the window stands for up to a place; undefined where that is not its beginning. */
    private saidBefore;
    /** What is gone back from stays to be had, where there is a store: it is not for a framework to delete what was said. */
    private leaveBehind;
    /** Forgets what was said from `length` on. Folds that reach behind it are undone, the last one first. */
    private rewind;
    /** Whether the window can be cut where this much of the log ends. */
    private isCut;
    private cut;
    private startOver;
    /** Undoes the last fold; false when there is none, or what it took away is not there. */
    private undo;
    /** Other messages are the window, and a ledger of so many records says what they stand for: one that had others could not be read. */
    private become;
    /** The window is not what is stored, and may lack what is. */
    private changed;
    /** `counted`: how many messages the request held that the usage is of; what was not sent so was not counted. */
    private add;
    private count;
    /** The same messages are as many tokens as there, where the provider has counted those. */
    private countAs;
    /** Some providers count nothing, and say so as 0; some count without what they have in their cache; some say anything. */
    private isPlausible;
    /** The rules are in the window from the first request on: put in later, they would cost the provider's cache. Says whether they are new. */
    private pin;
    /** How many messages the lists begin with alike. Lists that differ at once are not read to their ends. */
    private common;
    private printsOf;
    private fit;
    private folded;
    private get making();
    /** The window without what is sent beside the messages: the transcript does not know of that before something was counted. */
    private room;
    /** Where nothing can be freed the provider has the last word about a window that may still do. */
    private compacted;
    private prepare;
    /** Nothing is prepared any more: what is under way ends. */
    private unprepare;
    private keep;
    private keepLeft;
    /** Keeps a fold, where what was said is kept already; where that fails the next write has it. */
    private keepFold;
    /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
    private kept;
    /** Whether a write that seemed to fail was done: the answer of the database got lost. */
    private isDone;
    /** Keeps a fold; where that fails the next write has it, unless another server's fold was first: then that one counts. */
    private keptLater;
    /** Another server may have been first: what it wrote counts, and this is done once more on top of it, or refused. */
    private stored;
    /** What is there can be read while a summary is waited for: a summarizer may want to. */
    private reading;
    private inTurn;
}
