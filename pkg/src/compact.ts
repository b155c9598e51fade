// Compaction from end to end: plan, ask, judge, fall back, fold. What folds, what a summary has to be and whether a fold is worth it
// is the core's to say; here is what takes time: the calls of the summarizer, their order and their end.
//
// Nothing changes until the digest is there. The fold itself is one synchronous step behind the last await: whatever fails,
// throws or is aborted before it leaves messages and ledger as they were.

import { PlicaError } from "./errors.js";
import { Asking } from "./compact/asking.js";
import { withoutModel } from "./compact/digest.js";
import type { Digest } from "./compact/digest.js";
import { bare, copyOf, isStill, jobOf, windowOf } from "./compact/job.js";
import type { FoldingPlan, Job } from "./compact/job.js";
import { Prepared, adopted } from "./compact/preparing.js";
import { settingsOf } from "./compact/settings.js";
import type { Settings } from "./compact/settings.js";
import type { CompactOptions, CompactReason, Compaction, FailedAttempt, Preparation, PrepareOptions } from "./compact/types.js";
import { LEAST_GAIN } from "./generated/constants.js";
import { isArray } from "./kinds.js";
import { Ledger } from "./ledger.js";
import type { Fold } from "./ledger.js";
import { fields } from "./options.js";
import type { ReadOptions } from "./planning.js";
import { elements } from "./stage.js";
import { Transcript } from "./transcript.js";

export type { CompactEvent, CompactOptions, CompactReason, Compaction, FailedAttempt, Preparation, PrepareOptions, Signal, Summarize, SummaryText } from "./compact/types.js";

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
export async function compact<M extends object>(input: readonly M[] | Transcript<M>, options: CompactOptions<M> = {}): Promise<Compaction<M>> {
  const given = settingsOf<M>(options);
  given.refuseAborted();
  const { ledger: known } = fields(options, ["ledger"], "options");
  const { transcript, settings } = conversationOf(input, options, given);
  if (transcript === input) return compacted(transcript, settings, options, input);
  try {
    return await compacted(transcript, settings, options, (known as Ledger<M> | undefined) ?? input);
  } finally {
    transcript.free();
  }
}

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
export function prepare<M extends object>(input: readonly M[] | Transcript<M>, options: PrepareOptions<M>): Preparation {
  const given = settingsOf<M>(options);
  given.refuseAborted();
  const { transcript, settings } = conversationOf(input, options, given);
  try {
    return new Prepared(jobOf(transcript, settings, true), settings);
  } finally {
    if (transcript !== input) transcript.free();
  }
}

/** So often the same conversation may come back unchanged. */
const STREAK = 3;

/** How often in a row a conversation came back unchanged. */
const futile = new WeakMap<object, { state: string; times: number }>();

/** Of a conversation whose summary was not small enough: so many estimated tokens have to fold before it is tried again. */
const tooLarge = new WeakMap<object, number>();

async function compacted<M extends object>(transcript: Transcript<M>, given: Settings<M>, options: CompactOptions<M>, key: object): Promise<Compaction<M>> {
  const failed: FailedAttempt[] = [];
  const job = jobOf(transcript, given);
  const { before } = job;
  const unchanged = (reason: CompactReason): Compaction<M> => {
    given.tell({ type: "unchanged", reason });
    given.pin(transcript);
    const messages = transcript.messages();
    const state = `${messages.length} ${before} ${given.tailBudget} ${job.window?.size}`;
    const last = futile.get(key);
    const times = last !== undefined && last.state === state ? last.times + 1 : 1;
    for (const one of [key, messages]) futile.set(one, { state, times });
    if (times > STREAK) {
      throw new PlicaError("no-progress", `nothing could be freed (${reason}) for the ${times}th time in a row; make the tail smaller, reduce or clip what stays, or take a larger window`);
    }
    return { messages, outcome: "unchanged", reason, plan: job.plan, tokens: { before, after: transcript.tokens }, ledger: transcript.ledger, failed, ...given.admitted() };
  };
  const commit = (of: Job<M>, { text, message, ...notes }: Digest): Compaction<M> => {
    const { outcome, reason } = notes;
    given.tell({ type: "digest", outcome, text, ...(reason === undefined ? {} : { reason }) });
    // The last moment: behind it the fold is one step.
    given.refuseAborted();
    // Before the rules are placed: what is refused has changed nothing.
    given.refuseLoss(windowOf(of, of.messages, message));
    given.pin(transcript);
    if (!isStill(of, transcript.messages())) return unchanged("stale-plan");
    let fold: Fold<M>;
    try {
      fold = transcript.commit(bare(of.plan as FoldingPlan), message, { ...notes, retention: given.retention });
    } catch (error) {
      if (error instanceof PlicaError && isOutOfDate(error.code)) return unchanged(error.code);
      throw error;
    }
    futile.delete(key);
    tooLarge.delete(key);
    const tokens = { before: fold.tokens?.before ?? before, after: transcript.tokens };
    given.tell({ type: "folded", fold, tokens });
    return { messages: transcript.messages(), outcome, ...(reason === undefined ? {} : { reason }), fold, plan: of.plan, tokens, ledger: transcript.ledger, failed, ...given.admitted() };
  };
  // A pin that is nowhere now would be nowhere then: said before anything is paid for.
  given.refuseLoss(transcript.messages());

  const ready = await adopted(transcript, job, given, options);
  if (ready !== undefined) return commit(...ready);
  const { plan } = job;
  given.tell({ type: "planned", plan: copyOf(plan), tokens: { before, folded: job.folded } });
  given.refuseAborted();
  if (plan.kind === "none") return unchanged(plan.reason);
  if (job.obstacle !== undefined) return unchanged(job.obstacle);
  // A summary was not small enough: as long as little more is to fold, another one would not be either.
  if (job.folded < (tooLarge.get(key) ?? 0)) return unchanged("not-smaller");
  const summary = await new Asking(given).summarized(job, failed);
  if ("text" in summary) return commit(job, summary.digest);
  if (summary.reason === "not-smaller") tooLarge.set(key, job.folded + (given.minGain ?? LEAST_GAIN * before));
  if (summary.keeps === true) return unchanged(summary.reason);
  const digest = withoutModel(job, given, summary.reason);
  if (digest !== undefined) return commit(job, digest);
  return unchanged(given.fallback === "none" || summary.reason === "not-smaller" ? summary.reason : "too-little-gain");
}

const OUT_OF_DATE = ["stale-plan", "plan-mismatch", "message-changed", "illegal-cut"] as const;

function isOutOfDate(code: string): code is (typeof OUT_OF_DATE)[number] {
  return (OUT_OF_DATE as readonly string[]).includes(code);
}

function isTranscript<M extends object>(input: readonly M[] | Transcript<M>): input is Transcript<M> {
  // By what it can do, not by instanceof: the slim and the full entry have a Transcript each.
  return !isArray(input) && typeof fields(input, ["commit"], "the conversation").commit === "function";
}

/** What is to fold: the transcript that was given, or one of the array for this fold alone. The settings speak of its messages. */
function conversationOf<M extends object>(input: readonly M[] | Transcript<M>, options: unknown, given: Settings<M>): { transcript: Transcript<M>; settings: Settings<M> } {
  if (isTranscript(input)) {
    input.refuseOtherReading(options);
    return { transcript: input, settings: given };
  }
  const messages = elements<M>(input, "messages");
  const { ledger, window, ...reading } = fields(options, ["format", "estimator", "provenance", "ledger", "window"], "options");
  const { transcript, origins } = Transcript.restored(messages, (ledger as Ledger<M> | undefined) ?? new Ledger<M>(), { ...reading, window } as ReadOptions<M>);
  return { transcript, settings: given.moved(messages, origins) };
}
