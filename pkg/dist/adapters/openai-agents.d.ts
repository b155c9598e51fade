import type { Ledger, Signal } from "plica";
import type { ConversationOptions } from "./conversation.js";
/** An item, as far as it is looked at: an `AgentInputItem` of the SDK. */
export interface SessionItem {
    /** `"message"`, `"function_call"`, … */
    readonly type?: string | undefined;
    /** Of a message. */
    readonly role?: string | undefined;
}
/** Options of {@link plicaSession}. Those of `compact` say how a fold is made. */
export interface PlicaSessionOptions<T extends object = object> extends Omit<ConversationOptions<T>, "id" | "originals"> {
    /** The id of the session, in the store as well. */
    id: string;
}
/** The context of a run, as far as it is looked at. */
export interface RunUsage {
    /** What the provider has counted, request by request. */
    readonly usage: {
        readonly requestUsageEntries?: readonly object[] | undefined;
    };
}
/** Options of {@link PlicaSession.inputFilter}. */
export interface InputFilterOptions {
    /** Ends a fold with the run; nothing has changed then. */
    signal?: Signal | undefined;
}
/** A filter as `callModelInputFilter` takes it. */
export interface InputFilter {
    <T extends object>(args: {
        modelData: {
            input: T[];
            instructions?: string;
        };
    }): Promise<{
        input: T[];
        instructions?: string;
    }>;
    /** It changes no item, and needs no copies. */
    preserveInputIdentity: boolean;
}
/**
 * A `Session` for `run(agent, input, { session })`. Runs at one time go their own ways, and the session gets the items of all.
 *
 * All methods throw PlicaError: those of the store, `conflict` when another server has written what does not go with this, and
 * `bad-message`.
 */
export interface PlicaSession {
    /** The runner says which run asks. */
    readonly acceptsRunContext: true;
    /** The id. */
    getSessionId(): Promise<string>;
    /**
     * The window: what the next run begins with, digests among it.
     *
     * @param limit so many of the last items at most, and fewer where they would begin between a call and its result.
     */
    getItems<T extends object = SessionItem>(limit?: number, runContext?: RunUsage): Promise<T[]>;
    /** Puts items behind those that are there. Folds when it is due, but for those of a runner, which says by itself when it is time to. */
    addItems(items: readonly object[], runContext?: RunUsage): Promise<void>;
    /** Takes the last item off, and reasoning that would be left without what it led to. What is folded comes back when it is its turn. */
    popItem<T extends object = SessionItem>(): Promise<T | undefined>;
    /** Forgets everything, in the store as well. */
    clearSession(): Promise<void>;
    /** Folds when it is due. The runner calls it when a turn is stored. */
    runCompaction(args?: object, runContext?: RunUsage): Promise<null>;
    /** Items with a compaction of the provider's in front: they go behind what was said. The runner sends nothing that stands before it. */
    replaceHistoryWithCompaction(items: readonly object[]): Promise<void>;
    /**
     * For `callModelInputFilter`: keeps what the model is sent below the window in the midst of a run. One for each run.
     *
     * @example
     * await run(agent, "Look at all beds.", { session, signal, callModelInputFilter: session.inputFilter({ signal }) });
     */
    inputFilter(options?: InputFilterOptions): InputFilter;
    /** All that was ever said: every original. */
    originals<T extends object = SessionItem>(): Promise<T[]>;
    /** The ledger: with the window (`getItems()`) it is all that has to be kept to go on later. */
    ledger<T extends object = SessionItem>(): Promise<Ledger<T>>;
}
/**
 * A session that folds.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * const session = plicaSession({ id: "garden/7", window: 200_000, summarize, store });
 * const result = await run(agent, "Look at all beds.", { session, callModelInputFilter: session.inputFilter() });
 */
export declare function plicaSession<T extends object = object>(options: PlicaSessionOptions<T>): PlicaSession;
