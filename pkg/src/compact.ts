// Compaction from end to end: plan, ask, judge, fall back, fold. What folds, what a summary has to be and whether a fold is worth it
// is the core's to say; here is what takes time: the calls of the summarizer, their order and their end.
//
// Nothing changes until the digest is there. The fold itself is one synchronous step behind the last await: whatever fails,
// throws or is aborted before it leaves messages and ledger as they were.

import { isTooLong, judgeSummary } from "./accept.js";
import { activity, withActivity } from "./activity.js";
import { deterministicDigest, digestMessage, floorDigest, mergeRequests, summarizeRequests } from "./digests.js";
import { PlicaError, describe } from "./errors.js";
import { LEAST_GAIN } from "./generated/constants.js";
import type { Activity, NoneReason, Obstacle, Rejection, SummarizeRequest } from "./generated/core.js";
import { fingerprints } from "./identity.js";
import { article, isArray } from "./json.js";
import { Ledger, retentionOf } from "./ledger.js";
import type { Fold, Retention } from "./ledger.js";
import { budgetOf, countOf, fields, numberOf } from "./options.js";
import { Sorted, admitted, pinnedAmong, verifyPins } from "./pins.js";
import type { Admission, AdmitOptions } from "./pins.js";
import { digestMessages, estimate, pinnedIndices } from "./planning.js";
import type { Plan, PlanLike, PlanOptions, ReadOptions } from "./planning.js";
import { call, elements, messageLines, withLines } from "./stage.js";
import { toolsOf } from "./tools.js";
import type { ToolUse } from "./tools.js";
import { Transcript, windowSize } from "./transcript.js";
import type { WindowSize } from "./transcript.js";

/** The runtime's own `AbortSignal`, where its types are loaded; otherwise what it needs to have. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Own } }
  ? Own
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
      removeEventListener(type: "abort", listener: () => void): void;
    };

/** What a summarizer gives: the text, or the text with what the provider said of it. */
export type SummaryText =
  | string
  | {
      /** The summary. */
      text: string;
      /** Why the model stopped, in the provider's words: `"length"`, `"max_tokens"`, `"MAX_TOKENS"` and the like are a summary cut off. */
      finishReason?: string | undefined;
      /** Handed on in the events. */
      usage?: object | undefined;
      /** Kept with the fold. */
      model?: string | undefined;
    };

/** Calls your model. What it throws counts as a failed attempt. */
export type Summarize = (
  request: SummarizeRequest,
  context: {
    /** Aborted when time is up, or with the signal of {@link CompactOptions}. */
    signal: Signal;
    /** 1 for the first attempt at this request. */
    attempt: number;
    /** Why the attempt before was no good. */
    failed?: FailedAttempt | undefined;
  },
) => SummaryText | PromiseLike<SummaryText>;

/** An attempt that gave no summary. */
export interface FailedAttempt {
  /** Which part of the transcript was asked about, from 1 on. */
  part: number;
  /** Which attempt, from 1 on. */
  attempt: number;
  /** What was wrong. */
  reason: CompactReason;
  /** The same in a sentence. */
  message: string;
}

/** Why there is no summary by the model, or no fold at all. */
export type CompactReason =
  | NoneReason
  | Obstacle
  | Rejection
  | "summarizer-failed"
  | "timed-out"
  | "too-long"
  | "not-accepted"
  | "no-summarizer"
  | "too-many-calls"
  | "aborted"
  | "stale-plan"
  | "plan-mismatch"
  | "message-changed"
  | "illegal-cut";

/** A step of {@link compact} or {@link prepare}. */
export type CompactEvent<M extends object = object> =
  | { type: "planned"; plan: Plan; tokens: { before: number; folded: number } }
  | { type: "request"; request: SummarizeRequest; attempt: number }
  | { type: "failed"; failed: FailedAttempt; text?: string; error?: unknown }
  | { type: "answered"; request: SummarizeRequest; text: string; model?: string; usage?: object }
  | { type: "shortened"; window: number }
  | { type: "adopted" }
  | { type: "discarded"; reason: string }
  | { type: "digest"; outcome: "summarized" | "deterministic" | "floor"; reason?: CompactReason; text: string }
  | { type: "folded"; fold: Fold<M>; tokens: { before: number; after: number } }
  | { type: "unchanged"; reason: CompactReason };

interface SummarizerOptions<M extends object> {
  /** Calls your model. Left out: the digest is made by rules. */
  summarize?: Summarize | undefined;
  /** Tokens of the summarizer's window, its answer included. Default: the size of `window`, otherwise without bound. */
  summarizerWindow?: number | undefined;
  /** How often each request is tried. Default 2. */
  attempts?: number | undefined;
  /** How often the summarizer is called in all, parts and repetitions included. Default 24. */
  maxCalls?: number | undefined;
  /** Milliseconds for one call of the summarizer. Default 300 000; Infinity for no limit. */
  timeoutMs?: number | undefined;
  /** Ends everything: what it was aborted with is thrown, and nothing has changed. */
  signal?: Signal | undefined;
  /** Is told each step. What it throws is ignored. */
  onEvent?: ((event: CompactEvent<M>) => void) | undefined;
  /** Your own say about a summary: true accepts it; false, or a sentence that says what is wrong, refuses it. */
  accept?: ((summary: string) => boolean | string) | undefined;
  /** UTF-8 bytes that requests keep of one tool result. Default 600. */
  resultBytes?: number | undefined;
  /** UTF-8 bytes that requests keep of the arguments of one call. Default 2 000. */
  argumentBytes?: number | undefined;
  /** What the summarizer is to look after besides: your own words. */
  instructions?: string | undefined;
  /** What the tools of this conversation do, by name; those of well-known agents are known. */
  tools?: Readonly<Record<string, ToolUse>> | undefined;
  /** UTF-8 bytes of the list of files and commands in the digest, at most. Default 2 000. */
  listBytes?: number | undefined;
}

/** Options of {@link prepare}. */
export interface PrepareOptions<M extends object = object> extends SummarizerOptions<M>, Omit<PlanOptions<M>, "tailBudget"> {
  /** Tokens that the tail may cost. Default: three tenths of the window when the fold is due. */
  tailBudget?: number | undefined;
  /** The model's window in tokens; that of the Transcript when left out. */
  window?: number | WindowSize | undefined;
  /** Real tokens that a fold has to free. Default: a twentieth of what there is. */
  minGain?: number | undefined;
  /**
   * Rules that survive: facts, which stand in the pinned message, and messages, which stay where they are. Admitted as `admitPins`
   * does it; what was not is in `pins` of the answer, and what newer ones took the place of in the ledger.
   */
  pins?: readonly object[] | undefined;
  /** How many and whose pins are admitted. */
  admission?: AdmitOptions | undefined;
}

/** Options of {@link compact}. */
export interface CompactOptions<M extends object = object> extends PrepareOptions<M> {
  /** A digest that was prepared; taken when what it stands for is still what it was, and it frees enough. */
  prepared?: Preparation | undefined;
  /**
   * What to do without a summary: a digest made by rules (the default), the floor, which says what is missing and no more, or
   * nothing.
   */
  fallback?: "deterministic" | "floor" | "none" | undefined;
  /** UTF-8 bytes of a digest made by rules, at most. Default 6 000. */
  maxBytes?: number | undefined;
  /** What the ledger keeps of the originals. Default `full`. */
  retention?: Retention | undefined;
}

/** What {@link compact} gives. */
export interface Compaction<M extends object = object> {
  /** The window: your own objects, with the digest among them; as it was when the outcome is `unchanged`. */
  messages: M[];
  /** Whose digest it is. */
  outcome: "summarized" | "deterministic" | "floor" | "unchanged";
  /** Why it is not a model's, or why nothing changed. */
  reason?: CompactReason;
  /** The fold, as the ledger has it. */
  fold?: Fold<M>;
  /** The plan. */
  plan: Plan;
  /** Tokens of the next request, before and after. */
  tokens: { before: number; after: number };
  /** The ledger with the originals: the one that was given, or a new one. */
  ledger: Ledger<M>;
  /** All attempts that gave no summary. */
  failed: FailedAttempt[];
  /** Which pins were admitted and which were not; only where pins were given. */
  pins?: Admission;
}

/** A digest that is being prepared; see {@link prepare}. */
export interface Preparation {
  /** What would fold. */
  readonly plan: Plan;
  /** Done, whatever came of it; never rejects. */
  readonly ready: Promise<{ prepared: boolean; reason?: CompactReason }>;
  /** Ends it. */
  cancel(): void;
}

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
 * can be freed; `bad-budget` when neither `tailBudget` nor a window is known; those of `plan`.
 * @example
 * const { messages, outcome, reason } = await compact(transcript, {
 *   summarize: async ({ system, prompt }, { signal }) => (await model({ system, prompt, signal })).text,
 * });
 */
export async function compact<M extends object>(input: readonly M[] | Transcript<M>, options: CompactOptions<M> = {}): Promise<Compaction<M>> {
  const given = settingsOf<M>(options);
  given.refuseAborted();
  const { ledger: known } = fields(options, ["ledger"], "options");
  if (isTranscript(input)) return compacted(input, given, options, input);
  const transcript = transcriptOf(input, options);
  try {
    return await compacted(transcript, given, options, (known as Ledger<M> | undefined) ?? input);
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
  const transcript = isTranscript(input) ? input : transcriptOf(input, options);
  try {
    return new Prepared(jobOf(transcript, given, true), given);
  } finally {
    if (transcript !== input) transcript.free();
  }
}

// --- what is to be done -------------------------------------------------------------------------------------------------

const WHOLE = { prefixEnd: 0, kept: [] };

/** So often the same conversation may come back unchanged. */
const STREAK = 3;

/** A request that is too long for the summarizer is halved so often. */
const HALVINGS = 6;

/** A plan and what it folds, as it was. */
interface Job<M extends object> {
  plan: Plan;
  before: number;
  ratio: number;
  window: WindowSize | undefined;
  messages: M[];
  /** What folds: requests and digests are made of these alone. */
  span: M[];
  folded: number;
  reading: ReadOptions<M>;
  obstacle?: Obstacle | undefined;
}

/** The job for the window as it will be: with the pinned message in its place, so that it is counted and the fold's places are those of it. */
function jobOf<M extends object>(transcript: Transcript<M>, given: Settings<M>, early = false): Job<M> {
  if (given.pins === undefined) return jobFor(transcript, given, early);
  // On a fork: the conversation itself changes only with the fold.
  const fork = transcript.fork();
  try {
    given.pin(fork);
    return jobFor(fork, given, early);
  } finally {
    fork.free();
  }
}

function jobFor<M extends object>(transcript: Transcript<M>, given: Settings<M>, early: boolean): Job<M> {
  const [before, ratio] = [transcript.tokens, transcript.calibration];
  const window = given.window ?? transcript.size;
  const tailBudget = given.tailBudget ?? call((core) => core.tailBudget(window, early ? before : undefined, ratio));
  const messages = transcript.messages();
  const plan = planned(transcript, messages, { ...given.planning, tailBudget, pinned: given.pinnedOf(messages) });
  const job: Job<M> = { plan, before, ratio, window, messages, span: [], folded: 0, reading: {} };
  if (plan.kind === "none") return job;
  const indices = foldedIndices(plan);
  job.span = indices.map((i) => messages[i]!);
  const { estimator, provenance } = transcript.readBy();
  const moved = provenance === undefined ? undefined : (message: M, i: number) => provenance(message, indices[i]!);
  job.reading = { format: plan.format, estimator, provenance: moved, ledger: transcript.ledger };
  job.folded = estimate(job.span, job.reading).total;
  job.obstacle = obstacleOf(job, given);
  return job;
}

/** A plan that folds nothing which the summarizer could not read: digests that are sealed stay. */
function planned<M extends object>(transcript: Transcript<M>, messages: readonly M[], options: PlanOptions<M>): Plan {
  const plan = transcript.plan(options);
  if (plan.kind === "none") return plan;
  const indices = foldedIndices(plan);
  const sealed = withLines(messageLines(indices.map((i) => messages[i]!)), (core, length) => Array.from(core.sealedDigests(length, plan.format)));
  if (sealed.length === 0) return plan;
  return transcript.plan({ ...options, pinned: [...pinnedIndices(messages, options.pinned), ...sealed.map((i) => indices[i]!)] });
}

function foldedIndices({ prefixEnd, keptFrom, kept }: FoldingPlan): number[] {
  const stays = new Set(kept);
  const indices: number[] = [];
  for (let i = prefixEnd; i < keptFrom; i++) if (!stays.has(i)) indices.push(i);
  return indices;
}

function obstacleOf<M extends object>({ before, folded, ratio, window }: Job<M>, { minGain }: Settings<M>, digest?: number, prepared = false): Obstacle | undefined {
  const weights = { before, folded, ratio, prepared, ...(digest === undefined ? {} : { digest }), ...(minGain === undefined ? {} : { leastGain: minGain }) };
  return call((core) => core.foldObstacle(weights, window)) as Obstacle | undefined;
}

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
  const summary = await given.summarized(job, failed);
  if ("text" in summary) return commit(job, summary.digest);
  if (summary.reason === "not-smaller") tooLarge.set(key, job.folded + (given.minGain ?? LEAST_GAIN * before));
  if (summary.keeps === true) return unchanged(summary.reason);
  const digest = withoutModel(job, given, summary.reason);
  if (digest !== undefined) return commit(job, digest);
  return unchanged(given.fallback === "none" || summary.reason === "not-smaller" ? summary.reason : "too-little-gain");
}

/** What a fold leaves, the digest in its place or near it: enough to see what is there. */
function windowOf<M extends object>({ plan, messages }: Job<M>, now: readonly M[], digest: object | readonly object[]): object[] {
  const folded = plan.kind === "none" ? new Set<number>() : new Set(foldedIndices(plan));
  const [prefixEnd, planned] = plan.kind === "none" ? [0, messages.length] : [plan.prefixEnd, plan.keptFrom];
  const kept = now.filter((_, i) => i >= planned || !folded.has(i));
  return [...kept.slice(0, prefixEnd), ...digestMessages(digest), ...kept.slice(prefixEnd)];
}

type FoldingPlan = Extract<Plan, { kind: "fold" }>;

/** The cut of a plan alone. Whether its messages are still there was seen by those who ask; what stands behind it may have changed. */
function bare({ prefixEnd, keptFrom, kept, keptReasons, overBudget }: FoldingPlan): PlanLike {
  return { prefixEnd, keptFrom, kept, keptReasons, overBudget } as PlanLike;
}

/** Whether a transcript still starts with the messages that were planned, up to the cut. */
function isStill<M extends object>({ plan, messages }: Job<M>, now: readonly M[]): boolean {
  if (plan.kind === "none" || now.length < plan.keptFrom) return false;
  const changed: number[] = [];
  for (let i = 0; i < plan.keptFrom; i++) if (now[i] !== messages[i]) changed.push(i);
  if (changed.length === 0) return true;
  const [before, after] = [messages, now].map((list) => fingerprints(changed.map((i) => list[i]!)));
  return before!.every((print, i) => print === after![i]);
}

/** What is told is a copy: a listener has no say. */
function copyOf(plan: Plan): Plan {
  return JSON.parse(JSON.stringify(plan)) as Plan;
}

const OUT_OF_DATE = ["stale-plan", "plan-mismatch", "message-changed", "illegal-cut"] as const;

function isOutOfDate(code: string): code is (typeof OUT_OF_DATE)[number] {
  return (OUT_OF_DATE as readonly string[]).includes(code);
}

// --- digests ------------------------------------------------------------------------------------------------------------

/** A digest and what the ledger notes of it. */
interface Digest {
  text: string;
  message: object | readonly object[];
  outcome: "summarized" | "deterministic" | "floor";
  reason?: CompactReason;
  model?: string;
  activity: Activity;
}

/** The digest without a model: the first that is worth the fold. */
function withoutModel<M extends object>(job: Job<M>, given: Settings<M>, reason: CompactReason): Digest | undefined {
  const { span, reading } = job;
  const plan = { ...WHOLE, keptFrom: span.length };
  const done = activity(span, plan, { ...reading, tools: given.tools, own: true });
  const worth = (message: object | readonly object[]): boolean => obstacleOf(job, given, digestTokens(job, message)) === undefined;
  if (given.fallback === "none") return undefined;
  if (given.fallback === "deterministic") {
    const text = deterministicDigest(span, plan, { ...reading, tools: given.tools, maxBytes: given.maxBytes });
    const message = digestMessage(text, { format: job.plan.format, like: job.messages });
    if (worth(message)) return { text, message, outcome: "deterministic", reason, activity: done };
  }
  // There was a summary: to say that there is none would be worse than to wait.
  if (reason === "not-smaller") return undefined;
  const message = floorDigest(span, plan, reading);
  return worth(message) ? { text: "", message, outcome: "floor", reason, activity: done } : undefined;
}

function digestTokens<M extends object>(job: Job<M>, message: object | readonly object[]): number {
  return estimate(digestMessages(message), { format: job.plan.format, estimator: job.reading.estimator }).total;
}

// --- the summarizer -----------------------------------------------------------------------------------------------------

type Answer = { text: string; model?: string };
/** `keeps`: the model did answer, and what rules can make of the span would be worse than leaving it. */
type Failure = { reason: CompactReason; keeps?: boolean };
type Judge = (text: string) => { reason: CompactReason; message: string } | undefined;

/** The options, read once, and what they do. */
class Settings<M extends object> {
  declare readonly window: WindowSize | undefined;
  declare readonly tailBudget: number | undefined;
  declare readonly minGain: number | undefined;
  declare readonly planning: Omit<PlanOptions<M>, "tailBudget" | keyof ReadOptions>;
  declare readonly tools: Readonly<Record<string, ToolUse>> | undefined;
  declare readonly fallback: "deterministic" | "floor" | "none";
  declare readonly maxBytes: number | undefined;
  declare readonly retention: Retention;
  declare readonly summarize: Summarize | undefined;
  declare readonly summarizerWindow: number | undefined;
  declare readonly attempts: number;
  declare readonly maxCalls: number;
  /** Nothing waits for it: its timers do not keep a program from ending. */
  declare readonly background: boolean;
  declare readonly timeoutMs: number;
  declare readonly listBytes: number;
  declare readonly accept: ((summary: string) => unknown) | undefined;
  declare readonly requests: { resultBytes: number | undefined; argumentBytes: number | undefined; instructions: string };
  declare signal: AbortSignal | undefined;
  declare readonly pins: { admission: Admission; sorted: Sorted<object>; messages: readonly object[] } | undefined;
  declare readonly onEvent: ((event: CompactEvent<M>) => void) | undefined;
  /** How often the summarizer was called. */
  private calls = 0;

  constructor(settings: object) {
    Object.assign(this, settings);
  }

  /** A listener has no say: what it throws must not decide what becomes of a conversation. */
  tell(event: CompactEvent<M>): void {
    const { onEvent } = this;
    try {
      onEvent?.(event);
    } catch {
      // Said in the documentation.
    }
  }

  /** The messages that stay verbatim: those of the caller's, and those among the pins. */
  pinnedOf(messages: readonly M[]): number[] {
    return [...pinnedIndices(messages, this.planning.pinned), ...pinnedAmong(messages, this.pins?.messages ?? [])];
  }

  /** The admission, for the answer. */
  admitted(): { pins?: Admission } {
    return this.pins === undefined ? {} : { pins: this.pins.admission };
  }

  /** Puts the pinned message in its place. */
  pin(transcript: Transcript<M>): void {
    if (this.pins === undefined) return;
    transcript.placeSorted(this.pins.sorted);
    transcript.ledger.recordPins(this.pins.admission);
  }

  /** Refuses a window in which a pin would not be, once the pinned message is placed. */
  refuseLoss(window: readonly object[]): void {
    if (this.pins === undefined) return;
    const { admission, messages } = this.pins;
    const there = pinnedAmong(window, messages).length;
    if (there >= new Set(messages).size || messages.length === 0) return;
    const { missing } = verifyPins(window, messages);
    if (missing.length === 0) return;
    throw new PlicaError("pins-missing", `${missing.length} of ${admission.pinned.length} pins would not be in the window: messages that are pinned have to be in the conversation; nothing has changed`);
  }

  refuseAborted(): void {
    if (this.signal?.aborted === true) throw this.signal.reason;
  }

  /** Waits, unless it is aborted meanwhile. */
  async orAborted(promise: Promise<unknown>): Promise<void> {
    const { signal } = this;
    if (signal === undefined) return void (await promise);
    this.refuseAborted();
    let stop: (() => void) | undefined;
    const aborted = new Promise<void>((resolve) => (stop = resolve));
    signal.addEventListener("abort", stop!, { once: true });
    await Promise.race([promise, aborted]);
    signal.removeEventListener("abort", stop!);
    this.refuseAborted();
  }

  /** The model's summary of what folds, as a digest; or why there is none. */
  async summarized(job: Job<M>, failed: FailedAttempt[]): Promise<(Answer & { digest: Digest }) | Failure> {
    if (this.summarize === undefined) return { reason: "no-summarizer" };
    const { span, reading, plan } = job;
    const whole = { ...WHOLE, keptFrom: span.length };
    const done = activity(span, whole, { ...reading, tools: this.tools });
    const own = activity(span, whole, { ...reading, tools: this.tools, own: true });
    // Of a small span the list is small, too.
    const maxBytes = Math.min(this.listBytes, job.folded);
    let digest: Digest | undefined;
    const judge: Judge = (summary) => {
      const text = withActivity(summary, done, { maxBytes });
      const message = digestMessage(text, { format: plan.format, like: job.messages });
      const tokens = digestTokens(job, message);
      digest = { text, message, outcome: "summarized", activity: own };
      if (obstacleOf(job, this, tokens) === undefined) return undefined;
      smaller ||= tokens < job.folded;
      return { reason: "not-smaller", message: "with the summary in its place the conversation would hardly be smaller" };
    };
    let smaller = false;
    let window = this.summarizerWindow ?? job.window?.size ?? Infinity;
    for (let halved = 0; ; halved++) {
      const answer = await this.answered(job, whole, window, judge, failed);
      if ("text" in answer) return { ...answer, digest: { ...digest!, ...(answer.model === undefined ? {} : { model: answer.model }) } };
      if (answer.reason === "not-smaller" && (smaller || this.isMostlyEarlier(job, answer.earlier))) return { reason: "not-smaller", keeps: true };
      if (answer.reason !== "too-long" || halved === HALVINGS) return answer;
      window = answer.tokens / 2;
      this.tell({ type: "shortened", window });
    }
  }

  /** What folds is an earlier summary for the most part: rules would only cut that down. */
  private isMostlyEarlier(job: Job<M>, earlier: string | undefined): boolean {
    if (earlier === undefined) return false;
    return 2 * digestTokens(job, digestMessage(earlier, { format: job.plan.format, like: job.messages })) > job.folded;
  }

  private async answered(job: Job<M>, whole: { prefixEnd: number; keptFrom: number }, window: number, judge: Judge, failed: FailedAttempt[]): Promise<Answer | (Failure & { tokens: number; earlier?: string | undefined })> {
    let requests: SummarizeRequest[];
    const limits = { ...this.requests, window };
    try {
      requests = summarizeRequests(job.span, whole, { ...job.reading, ...limits });
    } catch (error) {
      // Either the model's window holds no request, or it has become so small that none fits it.
      const small = error instanceof PlicaError && error.code === "bad-argument" && Number.isFinite(window) && window !== this.summarizerWindow;
      if (!small) throw error;
      failed.push({ part: 1, attempt: 0, reason: "too-long", message: error.message });
      return { reason: "summarizer-failed", tokens: window };
    }
    const { earlier: base } = requests[0]!;
    for (let known: string | undefined; ; ) {
      // Seen before anything is paid for.
      if (requests.length > this.maxCalls - this.calls) {
        failed.push({ part: 1, attempt: 0, reason: "too-many-calls", message: `it would take ${requests.length} calls of the summarizer; maxCalls leaves ${this.maxCalls - this.calls}` });
        return { reason: "too-many-calls", tokens: window };
      }
      const last = requests.length === 1;
      const answers: Answer[] = [];
      for (const request of requests) {
        const earlier = known ?? request.earlier;
        const answer = await this.attempted(request, earlier, last ? judge : undefined, failed);
        if (!("text" in answer)) return { ...answer, tokens: Math.min(window, request.tokens), earlier: base };
        answers.push(answer);
      }
      if (last) return answers[0]!;
      const texts = answers.map(({ text }) => text);
      // What is put together repeats the lines of its parts, as it should.
      known = texts.join("\n");
      requests = mergeRequests(texts, limits);
    }
  }

  private async attempted(request: SummarizeRequest, earlier: string | undefined, judge: Judge | undefined, failed: FailedAttempt[]): Promise<Answer | Failure> {
    let last: FailedAttempt | undefined;
    for (let attempt = 1; attempt <= this.attempts && this.calls < this.maxCalls; attempt++) {
      this.tell({ type: "request", request: { ...request }, attempt });
      this.refuseAborted();
      this.calls++;
      const said = await this.asked(request, attempt, last);
      this.refuseAborted();
      const wrong = "reason" in said ? said : this.judged(said, request, earlier, judge);
      if (wrong === undefined) {
        const { text, model, usage } = said as Said & { text: string };
        this.tell({ type: "answered", request: { ...request }, text, ...(model === undefined ? {} : { model }), ...(usage === undefined ? {} : { usage }) });
        return { text, ...(model === undefined ? {} : { model }) };
      }
      last = { part: request.part, attempt, reason: wrong.reason, message: wrong.message };
      failed.push(last);
      this.tell({ type: "failed", failed: last, ...("text" in said && typeof said.text === "string" ? { text: said.text } : {}), ...("error" in said ? { error: said.error } : {}) });
      if (wrong.reason === "too-long") break;
    }
    return { reason: last?.reason ?? "too-many-calls" };
  }

  private judged(said: Said, request: SummarizeRequest, earlier: string | undefined, judge: Judge | undefined): { reason: CompactReason; message: string } | undefined {
    try {
      const verdict = judgeSummary({ text: said.text, prompt: request.prompt, ...(said.finishReason === undefined ? {} : { finishReason: said.finishReason }), ...(earlier === undefined ? {} : { earlier }) });
      if (!verdict.accepted) return { reason: verdict.code, message: verdict.message };
      const text = said.text as string;
      const { accept } = this;
      const own = accept?.(text);
      this.refuseAborted();
      if (own === false || typeof own === "string") return { reason: "not-accepted", message: own === false || own === "" ? "accept said no" : own };
      return judge?.(text);
    } catch (error) {
      this.refuseAborted();
      return { reason: "not-accepted", message: describe(error) };
    }
  }

  /** One call of the summarizer, which may never answer, throw anything, and give anything. */
  private async asked(request: SummarizeRequest, attempt: number, failed: FailedAttempt | undefined): Promise<Said | { reason: CompactReason; message: string; error?: unknown }> {
    const { signal, timeoutMs, summarize } = this;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let end: ((reason: CompactReason) => void) | undefined;
    const ended = new Promise<CompactReason>((resolve) => (end = resolve));
    const aborted = (): void => {
      controller.abort(signal!.reason);
      end!("summarizer-failed");
    };
    signal?.addEventListener("abort", aborted, { once: true });
    if (timeoutMs <= LONGEST_TIMER) {
      timer = setTimeout(() => {
        controller.abort(new PlicaError("bad-argument", `the summarizer took longer than ${timeoutMs} ms`));
        end!("timed-out");
      }, timeoutMs);
      if (this.background) (timer as { unref?: () => void }).unref?.();
    }
    try {
      const context = { signal: controller.signal, attempt, ...(failed === undefined ? {} : { failed }) };
      const answer = (async () => ({ said: await summarize!({ ...request }, context) }))();
      const first = await Promise.race([answer, ended]);
      if (typeof first === "string") return { reason: first, message: first === "timed-out" ? `the summarizer took longer than ${timeoutMs} ms` : "the compaction was aborted" };
      return saidOf(first.said);
    } catch (error) {
      if (isTooLong(error)) return { reason: "too-long", message: "the request was too long for the summarizer", error };
      return { reason: "summarizer-failed", message: describe(error), error };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    }
  }
}

/** What setTimeout holds; with more it would ring at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** An answer as it came. */
interface Said {
  text: unknown;
  finishReason?: string;
  usage?: object;
  model?: string;
}

function saidOf(answer: unknown): Said {
  if (typeof answer !== "object" || answer === null || isArray(answer)) return { text: answer };
  const { text, finishReason, usage, model } = fields(answer, ["text", "finishReason", "usage", "model"], "the summarizer's answer");
  return {
    text,
    ...(typeof finishReason === "string" ? { finishReason } : {}),
    ...(typeof usage === "object" && usage !== null ? { usage } : {}),
    ...(typeof model === "string" ? { model } : {}),
  };
}

// --- a digest before it is needed ---------------------------------------------------------------------------------------

/** All there are: whatever else is passed as one is not touched. */
const preparations = new WeakSet<object>();

class Prepared<M extends object> implements Preparation {
  readonly plan: Plan;
  readonly ready: Promise<{ prepared: boolean; reason?: CompactReason }>;
  private readonly controller = new AbortController();
  private readonly prints: readonly string[];
  private digest: Digest | undefined;

  constructor(
    private readonly job: Job<M>,
    given: Settings<M>,
  ) {
    preparations.add(this);
    this.plan = job.plan;
    // Read now: the messages are the caller's, who may change them.
    this.prints = job.plan.kind === "fold" ? fingerprints(job.messages.slice(0, job.plan.keptFrom)) : [];
    const outer = given.signal;
    const own = new Settings<M>({ ...given, signal: this.controller.signal, background: true });
    const follow = (): void => this.controller.abort(outer!.reason);
    outer?.addEventListener("abort", follow, { once: true });
    this.ready = this.run(own).finally(() => outer?.removeEventListener("abort", follow));
  }

  cancel(): void {
    this.controller.abort(new PlicaError("bad-argument", "the preparation was cancelled"));
  }

  private async run(given: Settings<M>): Promise<{ prepared: boolean; reason?: CompactReason }> {
    const { plan, obstacle } = this.job;
    given.tell({ type: "planned", plan: copyOf(plan), tokens: { before: this.job.before, folded: this.job.folded } });
    const none = plan.kind === "none" ? plan.reason : obstacle;
    if (none !== undefined) return { prepared: false, reason: none };
    try {
      const summary = await given.summarized(this.job, []);
      if (!("text" in summary)) return { prepared: false, reason: summary.reason };
      this.digest = summary.digest;
      return { prepared: true };
    } catch {
      // A fault of what it was given: compact meets it again, and says so.
      return { prepared: false, reason: given.signal?.aborted === true ? "aborted" : "summarizer-failed" };
    }
  }

  /** The fold of now, if it still fits; a sentence that says why not, otherwise. */
  adopt(now: Job<M>, given: Settings<M>): [Job<M>, Digest] | string {
    const { plan, digest } = this;
    if (digest === undefined || plan.kind === "none") return "there is no summary";
    if (plan.format !== now.plan.format) return "the messages are read by another format now";
    if (now.messages.length < plan.keptFrom) return "messages were removed";
    const prints = fingerprints(now.messages.slice(0, plan.keptFrom));
    if (!prints.every((print, i) => print === this.prints[i])) return "its messages are not what they were";
    if (now.plan.kind === "none") return `nothing is to fold now: ${now.plan.reason}`;
    const { tailBudget, planning } = given;
    const { prefixEnd, kept } = now.plan;
    const stays = new Set([...kept, ...given.pinnedOf(now.messages)]);
    // Where the caller says how much is to stay, that holds; a tail that was planned short, because it was to grow, is short.
    const more = (tailBudget !== undefined || planning.keepTurns !== undefined) && now.plan.keptFrom < plan.keptFrom;
    if (more || foldedIndices(plan).some((i) => i < prefixEnd || stays.has(i))) return "some of its messages are to stay now";
    if (tailBudget !== undefined && estimate(now.messages.slice(plan.keptFrom), { format: plan.format, estimator: now.reading.estimator }).total > tailBudget) return "its tail is longer than it may be now";
    if (!isAccepted(given.accept, digest.text)) return "accept says no to it";
    const job = { ...this.job, before: now.before, ratio: now.ratio, window: now.window, messages: now.messages };
    const obstacle = obstacleOf(job, given, digestTokens(job, digest.message), true);
    if (obstacle !== undefined) return obstacle === "cannot-fit" ? "another fold would be due behind it" : "it frees too little";
    return [job, digest];
  }
}

function isAccepted(accept: ((summary: string) => unknown) | undefined, summary: string): boolean {
  try {
    const said = accept?.(summary);
    return said !== false && typeof said !== "string";
  } catch {
    return false;
  }
}

async function adopted<M extends object>(transcript: Transcript<M>, job: Job<M>, given: Settings<M>, options: CompactOptions<M>): Promise<[Job<M>, Digest] | undefined> {
  const { prepared } = fields(options, ["prepared"], "options");
  if (prepared === undefined || prepared === null) return undefined;
  if (!preparations.has(Object(prepared))) throw new PlicaError("bad-argument", "prepared must be what prepare gave");
  const preparation = prepared as Prepared<M>;
  await given.orAborted(preparation.ready);
  // What came in while it was waited for belongs to the tail.
  const now = jobOf(transcript, given);
  Object.assign(job, now);
  const fold = preparation.adopt(now, given);
  if (typeof fold === "string") {
    given.tell({ type: "discarded", reason: fold });
    return undefined;
  }
  given.tell({ type: "adopted" });
  return fold;
}

// --- options ------------------------------------------------------------------------------------------------------------

const PLANNING = ["keepTurns", "prefix", "pinned", "keepSystem", "anchorTask", "anchorRequest", "margin"] as const;
const FALLBACKS: readonly unknown[] = ["deterministic", "floor", "none"];

function settingsOf<M extends object>(options: unknown): Settings<M> {
  const keys = ["summarize", "summarizerWindow", "attempts", "maxCalls", "timeoutMs", "signal", "onEvent", "accept", "resultBytes", "argumentBytes", "instructions", "tools", "listBytes"] as const;
  const given = fields(options, [...keys, "window", "tailBudget", "minGain", "fallback", "maxBytes", "retention", "pins", "admission"], "options");
  const { instructions = "", fallback = "deterministic" } = given;
  const signal = signalOf(given.signal);
  if (typeof instructions !== "string") throw new PlicaError("bad-argument", `instructions must be a string, not ${article(instructions)}`);
  if (!FALLBACKS.includes(fallback)) throw new PlicaError("bad-argument", 'fallback must be "deterministic", "floor" or "none"');
  // Seen to be one before a model is called.
  toolsOf(given.tools);
  const isLeftOut = (key: keyof typeof given): boolean => given[key] === undefined || given[key] === null;
  const optional = (key: "minGain" | "summarizerWindow"): number | undefined => (isLeftOut(key) ? undefined : numberOf(given[key], key, 0));
  // What it is otherwise is for those to say who take it.
  const counted = (key: "resultBytes" | "argumentBytes" | "maxBytes"): number | undefined => (isLeftOut(key) ? undefined : countOf(given[key], key));
  return new Settings<M>({
    window: windowSize(given.window),
    tailBudget: isLeftOut("tailBudget") ? undefined : budgetOf(given.tailBudget),
    minGain: optional("minGain"),
    planning: { ...fields(options, PLANNING, "options") },
    tools: given.tools,
    fallback,
    maxBytes: counted("maxBytes"),
    retention: retentionOf(given.retention),
    summarize: functionOf(given.summarize, "summarize"),
    summarizerWindow: optional("summarizerWindow"),
    attempts: Math.max(1, countOf(given.attempts, "attempts", 2)),
    maxCalls: countOf(given.maxCalls, "maxCalls", 24),
    background: false,
    timeoutMs: numberOf(given.timeoutMs, "timeoutMs", 300_000),
    listBytes: countOf(given.listBytes, "listBytes", 2000),
    accept: functionOf(given.accept, "accept"),
    requests: { resultBytes: counted("resultBytes"), argumentBytes: counted("argumentBytes"), instructions },
    signal,
    pins: pinsOf(given.pins, given.admission),
    onEvent: functionOf(given.onEvent, "onEvent"),
  });
}

function pinsOf(pins: unknown, admission: unknown): Settings<object>["pins"] {
  if (pins === undefined || pins === null) return undefined;
  const options = fields(admission, ["maxPins", "maxTokens", "issuers", "issuer"], "admission") as AdmitOptions;
  const all = elements<object>(pins, "pins");
  const { admission: made, sorted } = admitted(all, new Sorted(all, options), options);
  return { admission: made, sorted, messages: sorted.messages.map((index) => made.pinned[index]!) };
}

function signalOf(value: unknown): AbortSignal | undefined {
  if (value === undefined || value === null) return undefined;
  const { aborted, addEventListener } = fields(value, ["aborted", "addEventListener"], "signal");
  // By what it can do: signals of other realms and of polyfills do as well.
  if (typeof aborted === "boolean" && typeof addEventListener === "function") return value as AbortSignal;
  throw new PlicaError("bad-argument", `signal must be an AbortSignal, not ${article(value)}`);
}

function functionOf(value: unknown, what: string): unknown {
  if (value === undefined || value === null || typeof value === "function") return value ?? undefined;
  throw new PlicaError("bad-argument", `${what} must be a function, not ${article(value)}`);
}

function isTranscript<M extends object>(input: readonly M[] | Transcript<M>): input is Transcript<M> {
  // By what it can do, not by instanceof: the slim and the full entry have a Transcript each.
  return !isArray(input) && typeof fields(input, ["commit"], "the conversation").commit === "function";
}

/** A transcript of an array, for one fold. */
function transcriptOf<M extends object>(input: readonly M[], options: unknown): Transcript<M> {
  const messages = elements<M>(input, "messages");
  const { ledger, window, ...reading } = fields(options, ["format", "estimator", "provenance", "ledger", "window"], "options");
  return Transcript.restore(messages, (ledger as Ledger<M> | undefined) ?? new Ledger<M>(), { ...reading, window } as ReadOptions<M>);
}
