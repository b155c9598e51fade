import type { Signal, Summarize } from "plica";
/** What {@link summarizeWith} asks `generateText` for. */
export interface TextRequest<Model> {
    /** The model. */
    model: Model;
    /** The system text, as version 7 calls it. */
    instructions: string;
    /** The system text, as version 6 calls it. */
    system: string;
    /** The transcript of what folds. */
    prompt: string;
    /** Ends the call. */
    abortSignal: Signal;
}
/** What is looked at of the answer of `generateText`. */
export interface GeneratedText {
    /** The summary. */
    readonly text: string;
    /** Why the model stopped. */
    readonly finishReason?: string | undefined;
    /** What it cost. */
    readonly usage?: object | undefined;
    /** Says which model it was. */
    readonly response?: {
        readonly modelId?: string | undefined;
    } | undefined;
}
/** Options of {@link summarizeWith}. */
export interface SummarizeWithOptions<Model> {
    /** `generateText` of `ai`. */
    generateText: (request: TextRequest<Model>) => PromiseLike<GeneratedText>;
    /** The model that summarizes: a small one will do. */
    model: Model;
    /** What else goes with each request: `maxOutputTokens`, `providerOptions`, … */
    settings?: object | undefined;
}
/**
 * A summarizer out of a model of the AI SDK. Its errors, refusals and cut-off answers are for `compact` to judge.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * import { generateText } from "ai";
 * const summarize = summarizeWith({ generateText, model: openai("gpt-5-mini"), settings: { maxOutputTokens: 2000 } });
 */
export declare function summarizeWith<Model>(options: SummarizeWithOptions<Model>): Summarize;
