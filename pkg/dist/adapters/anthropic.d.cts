import type { Ledger, Signal, Summarize } from "plica";
import type { ConversationOptions } from "./conversation.cjs";
/** A message of the Messages API, as it is sent. */
export interface MessageParam {
    role: string;
    content: string | readonly object[];
}
/** Options of {@link foldMessages}: `window`, and those of `compact` and of a conversation. */
export type FoldMessagesOptions = ConversationOptions<MessageParam>;
/** What is known of a request. */
export interface RequestNotes {
    /** `usage` of the answer to the request before: the count that the next fold stands on. */
    usage?: object | null | undefined;
    /** Ends a fold; nothing has changed then. */
    signal?: Signal | undefined;
}
/** What is used of a tool runner: that of `client.beta.messages.toolRunner(…)`. */
export interface ToolRunner<Item> {
    readonly params: object;
    setMessagesParams(params: never): void;
    generateToolResponse(): PromiseLike<object | null>;
    [Symbol.asyncIterator](): AsyncIterator<Item, unknown, undefined>;
}
/** What is used of a client. */
export interface SummaryClient {
    readonly messages: {
        create(body: {
            model: string;
            max_tokens: number;
            system: string;
            messages: {
                role: "user";
                content: string;
            }[];
            stream?: false;
        }, options?: {
            signal?: Signal;
        }): PromiseLike<SummaryAnswer>;
    };
}
/** What is used of an answer. */
export interface SummaryAnswer {
    readonly content: readonly {
        readonly type: string;
        readonly text?: unknown;
    }[];
    readonly stop_reason: string | null;
    readonly usage: object;
    readonly model: string;
}
/** Options of {@link summarizeWith}: a model, and whatever else the request is to hold. */
export interface SummarizeWithOptions {
    /** The model that summarizes. */
    model: string;
    /** Tokens of a summary, at most. Default 8,192; a summary that is cut off is asked for again. */
    max_tokens?: number | undefined;
    /** Any other parameter of `messages.create`. */
    readonly [parameter: string]: unknown;
}
/**
 * Folds the conversation of a program that talks to Anthropic's Messages API.
 *
 * @param options `window` says what the model takes, in tokens; `summarize` makes summaries ({@link summarizeWith}); with `store` and
 * `id` the conversation is kept in a store of `plica/store`; `pins` are rules that every request holds. All others are those of `compact`.
 * @throws PlicaError `bad-argument`.
 * @example
 * const folding = foldMessages({ window: 200_000, summarize: summarizeWith(client, { model: "claude-haiku-4-5" }) });
 * const runner = client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools });
 * for await (const message of folding.run(runner)) console.log(message.stop_reason);
 */
export declare function foldMessages(options: FoldMessagesOptions): MessageFolding;
/** The folding of one conversation; made by {@link foldMessages}. Calls follow each other, however they are made. */
export declare class MessageFolding {
    private readonly conversation;
    private readonly hasRules;
    /**
     * Iterates a tool runner, and folds between its requests: before the first one, and behind the results of each step. What it gives
     * is what the runner gives, messages or streams.
     *
     * The runner sends what it would have sent as long as nothing folds. In the loop `setMessagesParams` and `pushMessages` work as
     * ever; `compactBeforeNextTurn` is refused, since two would summarize the same.
     *
     * @throws what the runner throws; what the signal was aborted with; PlicaError those of `compact` and of the store; `conflict` when
     * another server has written to the conversation what is not among the messages; `bad-argument` where the provider is to compact
     * the conversation and there are rules that it would summarize with it.
     * @example
     * for await (const message of folding.run(runner)) console.log(message.stop_reason);
     */
    run<Item>(runner: ToolRunner<Item>, options?: {
        signal?: Signal | undefined;
    }): AsyncGenerator<Item, void, undefined>;
    /**
     * Runs a tool runner to its end, as `runner.runUntilDone()` does, and folds between its requests.
     *
     * @returns the last message.
     * @throws as {@link MessageFolding.run}.
     * @example
     * const answer = await folding.runUntilDone(client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools }));
     */
    runUntilDone<Item>(runner: ToolRunner<Item>, options?: {
        signal?: Signal | undefined;
    }): Promise<Item extends {
        finalMessage(): PromiseLike<infer Message>;
    } ? Message : Item>;
    /**
     * The parameters to send: those that were given, with the window in the place of the messages. The same object where nothing
     * is different.
     *
     * @param params those of `messages.create` or `messages.stream`, with all messages, or the messages of the parameters before and what
     * came since.
     * @throws as {@link MessageFolding.run}.
     * @example
     * for (let usage; ; ) {
     *   params = await folding.params(params, { usage });
     *   const answer = await client.messages.create(params);
     *   params.messages.push({ role: "assistant", content: answer.content });
     *   …
     *   usage = answer.usage;
     * }
     */
    params<P extends {
        messages: readonly object[];
    }>(params: P, notes?: RequestNotes): Promise<P>;
    /**
     * Takes the messages behind the last answer, and folds nothing: at the end of a loop of your own, so that the answer is kept.
     *
     * @throws as {@link MessageFolding.run}.
     * @example
     * await folding.record([...params.messages, { role: "assistant", content: answer.content }]);
     */
    record(messages: readonly object[], notes?: Pick<RequestNotes, "usage">): Promise<void>;
    /** The window as it is now: what a new process goes on with, a new request behind it. */
    messages<M = MessageParam>(): Promise<M[]>;
    /** All that was ever said: every original. */
    originals<M = MessageParam>(): Promise<M[]>;
    /** The ledger. Where there is no store, it is to be kept with the window: `{ messages, ledger: Ledger.from(json) }` goes on. */
    ledger(): Promise<Ledger<MessageParam>>;
    /** Forgets everything, in the store as well. */
    clear(): Promise<void>;
    private before;
    /** Behind a reply: the caller has had it, and the runner has not gone on. */
    private behind;
    /** Behind the last reply that the caller had: the loop was left there. */
    private left;
    /** The results of the calls of a reply, as the runner has them; null where there are none, undefined where it is to say what went wrong. */
    private results;
    private set;
    private window;
    private isKnown;
    /** Thinking is bound to the messages in front of it. Behind a fold those are others: without this the API refuses the request. */
    private bound;
}
/**
 * Summaries by a model of the client.
 *
 * @param options `model`, `max_tokens`, and whatever else `messages.create` takes.
 * @returns what `summarize` takes. A summary that was cut off or refused counts as a failed attempt.
 * @example
 * foldMessages({ window: 200_000, summarize: summarizeWith(client, { model: "claude-haiku-4-5", max_tokens: 4096 }) });
 */
export declare function summarizeWith(client: SummaryClient, options: SummarizeWithOptions): Summarize;
