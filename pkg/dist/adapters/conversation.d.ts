import { Ledger } from "plica";
import type { AppendingOptions, ConversationOptions, Internals, NextOptions } from "./conversation-options.js";
export type { AppendingOptions, ConversationOptions, Internals, NextOptions } from "./conversation-options.js";
/** What reading is told. `signal` ends it, before a store that does not answer, say. */
type ReadingOptions = Pick<NextOptions, "signal">;
/**
 * One conversation. Calls follow each other, however they are made.
 *
 * @example
 * const conversation = new Conversation({ window: 200_000, summarize }, { format: "anthropic" });
 * const messages = await conversation.window(everythingSaid);   // what to send
 */
export declare class Conversation<M extends object = object> {
    private readonly internals;
    private readonly recognition;
    /** Another one, when a call that nobody waits for any more may still come back to it. */
    private keeping;
    /** Undefined until it is asked for, and again when it may not be what is stored any more. */
    private known;
    /** Messages of a write of which it is not known whether it was done, and how much had been said before it. */
    private doubtful;
    /** The same for a message that was to be taken off. */
    private popping;
    private last;
    private readonly options;
    /** @throws PlicaError `bad-argument`, and those that `compact` has for its options. */
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
     * The same, with all that was said until then: in the objects that were given, where they are all of it; and what was new of it. No other
     * call gets in between.
     *
     * @throws as {@link Conversation.window}.
     */
    next(messages: readonly M[], options?: NextOptions): Promise<{
        window: M[];
        said: M[];
        came: M[];
    }>;
    /**
     * Takes the messages as the framework has them, and folds nothing: behind the last answer of a run.
     *
     * @throws as {@link Conversation.window}.
     */
    record(messages: readonly M[], options?: Pick<NextOptions, "usage" | "back" | "signal">): Promise<void>;
    /**
     * Puts messages behind those that are there, for frameworks that hand over what is new and nothing else.
     *
     * @throws as {@link Conversation.window}.
     */
    append(messages: readonly M[], options?: AppendingOptions): Promise<void>;
    /** Takes the last message off; undefined when there is none. What is folded comes back when it is its turn. */
    pop(): Promise<M | undefined>;
    /** The message that was taken off by a call that seemed to fail. */
    private isPopped;
    /** Forgets everything, in the store as well. */
    clear(): Promise<void>;
    /** The window as it is now: what to go on with, also where another server has written. */
    messages(options?: ReadingOptions): Promise<M[]>;
    /** All that was ever said: every original. */
    originals(options?: ReadingOptions): Promise<M[]>;
    /** The ledger: with the window it is all that has to be kept to go on later. */
    ledger(options?: ReadingOptions): Promise<Ledger<M>>;
    /** Forgets what is in memory where another server has written since: it is read anew when it is asked for. */
    refresh(): Promise<void>;
    /** A conversation of the same messages and folds that goes its own way, in no store. */
    branch({ signal }?: ReadingOptions): Promise<Conversation<M>>;
    /**
     * Takes the folds of a branch over, where the same was said in both.
     *
     * @returns whether it was.
     */
    join(branch: Conversation<M>): Promise<boolean>;
    /**
     * Goes the way of a branch: what was said there is what was said, and its folds are the folds. What is left stays to be had, where there
     * is a store.
     *
     * @throws as {@link Conversation.window}.
     */
    become(branch: Conversation<M>, { signal }?: ReadingOptions): Promise<void>;
    /** Whether a message of the window is the one with the rules, which nobody said. */
    isRules(message: M): boolean;
    private load;
    private start;
    /** What is in memory may not be what is stored any more. */
    private forget;
    /**
     * Finds out what is new among these messages, or how far they go back.
     *
     * @returns what is new; and what puts messages that were given in another object into a window: it is theirs that go out, since what changes
     * nothing of a message's meaning may have changed.
     */
    private take;
    private begin;
    /** Refuses messages that the conversation does not go on with, or back with. */
    private accepted;
    /** `counted`: how many messages the request held that the usage is of; what was not sent so was not counted. */
    private add;
    /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
    private appended;
    /** Whether a write that seemed to fail was done: the answer of the database got lost. */
    private isDone;
    /**
     * Folds when it is due.
     *
     * @param keep what is done with a fold; only one that counts is told of.
     */
    private fit;
    /** The window, which is given out now. */
    private sent;
    private saidIn;
    /** Keeps a fold, where what was said is kept already; where that fails the next write has it. */
    private keepFold;
    /** The same, unless another server's fold was first: then that one counts, and this one does not. */
    private keepLater;
    private onTop;
    /** What is there can be read while a summary is waited for: a summarizer may want to. */
    private reading;
    /** The same, with arguments that are seen to be some first. */
    private inTurn;
    private heeding;
    private following;
    /** Done when a call that was aborted waits for a store that does not answer: what comes of it is nobody's any more. */
    private givenUp;
}
