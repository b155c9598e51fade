import type { Ledger, Signal } from "plica";
import type { ConversationOptions } from "./conversation.cjs";
/** A call of a model, as far as it is looked at: the parameters that a provider is given. */
export interface ModelCall {
    /** The messages. */
    prompt: readonly object[];
    /** Tool schemas. */
    tools?: readonly object[] | undefined;
    /** `{ plica: { conversation: id } }` says which conversation the call is of. */
    providerOptions?: Readonly<Record<string, object | undefined>> | undefined;
    /** Ends the call, and a fold with it. */
    abortSignal?: Signal | undefined;
}
/** A conversation that is kept elsewhere. */
export interface KeptWindow<M extends object = object> {
    /** Its window. */
    messages: readonly M[];
    /** Its ledger. */
    ledger: Ledger<M>;
}
/** Options of {@link foldPrompts}: those of `compact`, the window, and where conversations are kept. */
export interface FoldPromptsOptions extends Omit<ConversationOptions, "id" | "messages" | "ledger"> {
    /**
     * Which conversation a call is of: its id, the id in a store as well; undefined for a call that is of none, and passes as it is. Left
     * out, it is `providerOptions.plica.conversation`. A string when all calls of the model are of one conversation.
     */
    conversation?: string | ((call: ModelCall) => string | undefined) | undefined;
    /** Without a store: what is kept of a conversation that is met for the first time. */
    restore?: ((id: string) => KeptWindow | undefined | PromiseLike<KeptWindow | undefined>) | undefined;
    /** How many conversations are held in memory: those that were called last. Default 100. */
    held?: number | undefined;
}
/** A conversation as the middleware knows it: up to its last call. */
export interface FoldedConversation {
    /** The window. */
    messages(): Promise<object[]>;
    /** Every original. */
    originals(): Promise<object[]>;
    /** The ledger: with the window it is all that has to be kept where there is no store; see `restore`. */
    ledger(): Promise<Ledger>;
}
/** The runtime's own `ReadableStream`, where its types are loaded. */
export type ModelStream = typeof globalThis extends {
    ReadableStream: {
        prototype: infer Own;
    };
} ? Own : object;
/** A middleware for `wrapLanguageModel`, and what it knows. */
export interface PromptFolding {
    /** Of version 6; version 7 takes it as well. */
    readonly specificationVersion: "v3";
    /** Folds the prompt. */
    readonly transformParams: <P extends ModelCall>(call: {
        params: P;
    }) => Promise<P>;
    /** Takes what the provider counted. */
    readonly wrapGenerate: <R extends {
        usage?: object | undefined;
    }>(call: {
        doGenerate: () => PromiseLike<R>;
        params: object;
    }) => Promise<R>;
    /** Takes what the provider counted, from the end of the stream, which passes as it is. */
    readonly wrapStream: <R extends {
        stream: ModelStream;
    }>(call: {
        doStream: () => PromiseLike<R>;
        params: object;
    }) => Promise<R>;
    /** A conversation; one that was never called is empty, or what is stored. */
    of(id: string): FoldedConversation;
    /** Forgets a conversation, in the store as well. */
    clear(id: string): Promise<void>;
}
/**
 * A middleware that folds the prompt of each call of a model: for `generateObject`, agents, UI streams, and everything else that is
 * given a model. Not together with `prepareStep` of `foldSteps`, which does the same between steps.
 *
 * A call says which conversation it is of; without an id it passes as it is. A prompt that does not go on from the conversation of its
 * id (a message was edited, an answer is made anew, a turn was stopped, a helper was given the same id) is folded by itself, in memory: the
 * conversation stays what it was, in the store as well, until that other way is gone on with, by a further request behind an answer. Then
 * that is the conversation, with the folds that were made on it. A turn whose call has failed, or that a process before this one left
 * without an answer, is gone back from at once. The last answer is part of the conversation from the next call on.
 *
 * System text that leads the prompt is sent as it is and never folds; the rules of `pins` stand behind it.
 *
 * @throws PlicaError `bad-argument`. A call throws what its signal was aborted with, and PlicaErrors of `compact` and of the store.
 * @example
 * const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: foldPrompts({ window: 400_000, summarize }) });
 * generateText({ model, messages, providerOptions: { plica: { conversation: "garden/7" } } });
 */
export declare function foldPrompts(options: FoldPromptsOptions): PromptFolding;
