import type { CompactOptions, Compaction, Preparation, PrepareOptions } from "./compact/types.cjs";
import { Transcript } from "./transcript.cjs";
export type { CompactEvent, CompactOptions, CompactReason, Compaction, FailedAttempt, Preparation, PrepareOptions, Signal, Summarize, SummaryText } from "./compact/types.cjs";
/**
 * Folds a conversation, whatever the summarizer does: a summary by your model when it is fit to take the place of what folds,
 * otherwise a digest made by rules, otherwise one that says what is missing. It folds whenever it is called: `due` says when.
 * When nothing can fold, or a fold would free next to nothing, the outcome is `unchanged`, and `reason` says why.
 *
 * Nothing is changed before the digest is there, and nothing at all when it fails or is aborted: the old window stays good.
 *
 * With `pins` the window has exactly one pinned message, whatever the outcome, and every pin is in it, word for word: a window that
 * would lack one is not handed out.
 *
 * @param input a Transcript, which then has the new window, or an array, which stays as it is.
 * @throws what the signal was aborted with; PlicaError `pins-missing` when a message that is to be pinned is not in the conversation,
 * or a pin would not be in the window (nothing has changed then); PlicaError `no-progress` when the same conversation is given again and again and nothing
 * can be freed; `bad-budget` when neither `tailBudget` nor a window is known; `bad-argument` when a Transcript is to be read in
 * another way than it was made for; those of `plan`.
 * @example
 * const { messages, outcome, reason } = await compact(transcript, {
 *   summarize: async ({ system, prompt }, { signal }) => (await model({ system, prompt, signal })).text,
 * });
 */
export declare function compact<M extends object>(input: readonly M[] | Transcript<M>, options?: CompactOptions<M>): Promise<Compaction<M>>;
/**
 * Starts a digest before it is needed, at 0.6 of the window, say: hand it to {@link compact} when a fold is due. It is taken when
 * its messages are still what they were, by their fingerprints, nothing of them has been pinned since, and it frees enough;
 * otherwise `compact` plans anew. Nothing of the conversation changes.
 *
 * @throws PlicaError as {@link compact}.
 * @example
 * if (!prepared && transcript.due({ at: 0.6 })) prepared = prepare(transcript, { summarize });
 * if (transcript.due()) {
 *   await compact(transcript, { summarize, prepared });
 *   prepared = undefined;
 * }
 */
export declare function prepare<M extends object>(input: readonly M[] | Transcript<M>, options: PrepareOptions<M>): Preparation;
