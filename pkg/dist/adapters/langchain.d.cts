import type { Compaction, Summarize } from "plica";
import type { ConversationOptions } from "./conversation.cjs";
/** Options of {@link plicaMiddleware}. Those of `compact` say how a fold is made. */
export interface PlicaMiddlewareOptions extends Omit<ConversationOptions, "id" | "messages" | "ledger" | "originals" | "onCompaction"> {
    /** How many threads are kept in memory, those used last. The others are read again from the state or the store. Default 100. */
    threads?: number | undefined;
    /**
     * The id of a thread in the store. Default: the `thread_id` itself. Agents that share store and `thread_id` need ids of their own:
     * `(thread) => "gardener/" + thread`, say.
     */
    id?: ((thread: string) => string) | undefined;
    /** Hears of each fold, and of each time that nothing could fold. What it throws is ignored. */
    onCompaction?: ((compaction: Compaction, thread: {
        id: string | undefined;
    }) => void) | undefined;
}
/** A middleware as `createAgent` takes it. */
export interface PlicaMiddleware {
    /** Always `"PlicaMiddleware"`. */
    readonly name: "PlicaMiddleware";
    /** What it keeps in the state is nobody else's. */
    readonly stateSchema?: undefined;
}
/** A chat model of LangChain. */
export interface LangchainModel {
    /** As in `BaseChatModel`. */
    invoke(messages: never, options?: never): Promise<object>;
}
/**
 * A middleware for `createAgent` that keeps what the model is sent below its window. Put it in front of middleware that edits requests
 * (`contextEditingMiddleware`): that works on the window then, and what was said stays as it was.
 *
 * The messages in the state of the graph are not touched, so they stay what was said, all of it. Folds are kept beside them in the
 * state, by a checkpointer where there is one, or in a `store` under the `thread_id`. Calls of one thread go on with its folds,
 * whichever server makes them. Where the state has no folds (there is no checkpointer, or the agent is a node of a graph) those in memory are
 * found by what was said.
 *
 * @throws PlicaError `bad-argument`. While it runs: those of `compact` and of the store, and what the run was aborted with; `conflict` when the
 * store has this thread with another beginning: the checkpointer has forgotten it, or another agent has the same `thread_id` (see `id`).
 * @example
 * const agent = createAgent({
 *   model,
 *   tools,
 *   checkpointer,
 *   middleware: [plicaMiddleware({ window: 200_000, summarize: summarizeWith(model) })],
 * });
 * await agent.invoke({ messages: [new HumanMessage("…")] }, { configurable: { thread_id: "garden/7" } });
 */
export declare function plicaMiddleware(options: PlicaMiddlewareOptions): PlicaMiddleware;
/**
 * A summarizer out of a chat model. Its words do not come up in the stream of the graph.
 *
 * @example
 * plicaMiddleware({ window: 200_000, summarize: summarizeWith(new ChatOpenAI({ model: "gpt-5-mini" })) })
 */
export declare function summarizeWith(model: LangchainModel): Summarize;
