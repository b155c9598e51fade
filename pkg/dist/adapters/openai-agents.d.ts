import type { Ledger, Signal } from "plica";
import type { AgentInputItem } from "@openai/agents";
import type { ConversationOptions } from "./conversation.js";
/** Options of {@link plicaSession}. Those of `compact` say how a fold is made. */
export interface PlicaSessionOptions extends Omit<ConversationOptions<AgentInputItem>, "id" | "originals"> {
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
    (args: {
        modelData: {
            input: AgentInputItem[];
            instructions?: string;
        };
    }): Promise<{
        input: AgentInputItem[];
        instructions?: string;
    }>;
    /** It changes no item, and needs no copies. */
    preserveInputIdentity: boolean;
}
/**
 * A `Session` for `run(agent, input, { session })`.
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
    getItems(limit?: number, runContext?: RunUsage): Promise<AgentInputItem[]>;
    /** Puts items behind those that are there. Folds when it is due, but for those of a runner, which says by itself when it is time to. */
    addItems(items: AgentInputItem[], runContext?: RunUsage): Promise<void>;
    /** Takes the last item off. What is folded comes back when it is its turn. */
    popItem(): Promise<AgentInputItem | undefined>;
    /** Forgets everything, in the store as well. */
    clearSession(): Promise<void>;
    /** Folds when it is due. The runner calls it when a turn is stored. */
    runCompaction(args?: object, runContext?: RunUsage): Promise<null>;
    /** Items with a compaction of the provider's in front: they go behind what was said. The runner sends nothing that stands before it. */
    replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void>;
    /**
     * For `callModelInputFilter`: keeps what the model is sent below the window in the midst of a run. One for each run.
     *
     * @example
     * await run(agent, "Look at all beds.", { session, signal, callModelInputFilter: session.inputFilter({ signal }) });
     */
    inputFilter(options?: InputFilterOptions): InputFilter;
    /** All that was ever said: every original. */
    originals(): Promise<AgentInputItem[]>;
    /** The ledger: with the window (`getItems()`) it is all that has to be kept to go on later. */
    ledger(): Promise<Ledger<AgentInputItem>>;
}
/**
 * A session that folds.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * const session = plicaSession({ id: "garden/7", window: 200_000, summarize, store });
 * const result = await run(agent, "Look at all beds.", { session, callModelInputFilter: session.inputFilter() });
 */
export declare function plicaSession(options: PlicaSessionOptions): PlicaSession;
