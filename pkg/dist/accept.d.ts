import type { Rejection } from "./generated/core.js";
/** What a model answered to a {@link summarizeRequest}, and what is known of the request. */
export interface SummaryAnswer {
    /** The text of the answer; whatever is no string is turned away. */
    text: unknown;
    /** Why it ended, in the provider's own word: `stop_reason`, `finish_reason`, `finishReason`. */
    finishReason?: string | undefined;
    /** The prompt of the request. */
    prompt?: string | undefined;
    /** The earlier summary that this one carries on, with its frame or without. */
    earlier?: string | undefined;
    /** Tokens of the messages whose place it takes. */
    spanTokens?: number | undefined;
}
/** Whether an answer may take the place of what folds; if not, why. */
export type Verdict = {
    accepted: true;
} | {
    accepted: false;
    code: Rejection;
    message: string;
};
/**
 * Whether what a model answered may stand for the messages that fold: no error, refusal, question or loop, not cut off, not the
 * request or the earlier summary given back, and smaller than what it replaces. What is turned away is worth another call.
 *
 * @throws PlicaError `bad-argument` when a field other than `text` is of the wrong type.
 * @example
 * const verdict = judgeSummary({ text, finishReason: response.stop_reason, prompt });
 * const summary = verdict.accepted ? text : deterministicDigest(messages, p);
 */
export declare function judgeSummary(answer: SummaryAnswer): Verdict;
/**
 * Whether an error of a provider says that the request did not fit the model's window, so that a shorter one would. Takes what
 * was caught as it is: an `Error` with its causes, a body, a text. Rate limits and limits on the answer are something else.
 *
 * Never throws; of what cannot be read, and before the core is loaded, the answer is false.
 *
 * @example
 * try { return await model(request) } catch (error) { if (!isTooLong(error)) throw error; … }
 */
export declare function isTooLong(error: unknown): boolean;
