// What is to be done: a plan, what it folds, and whether that is worth it.

import type { Obstacle } from "../generated/core.js";
import { fingerprints } from "../identity.js";
import { digestMessages, estimate, pinnedIndices } from "../planning.js";
import type { Plan, PlanLike, PlanOptions, ReadOptions } from "../planning.js";
import { call, messageLines, withLines } from "../stage.js";
import type { Transcript, WindowSize } from "../transcript.js";
import type { Settings } from "./settings.js";

/** The span by itself: what folds is all there is of it. */
export const WHOLE = { prefixEnd: 0, kept: [] };

/** A plan and what it folds, as it was. */
export interface Job<M extends object> {
  plan: Plan;
  before: number;
  ratio: number;
  window: WindowSize | undefined;
  messages: M[];
  /** What folds: requests and digests are made of these alone. */
  span: M[];
  folded: number;
  /** What the caller and the pins want to stay. */
  pinned: number[];
  reading: ReadOptions<M>;
  obstacle?: Obstacle | undefined;
}

/** The job for the window as it will be: with the pinned message in its place, so that it is counted and the fold's places are those of it. */
export function jobOf<M extends object>(transcript: Transcript<M>, given: Settings<M>, early = false): Job<M> {
  if (given.pins === undefined) return jobFor(transcript, given, early);
  // On a fork: the conversation itself changes only with the fold.
  const messages = transcript.messages();
  const fork = transcript.fork();
  try {
    const origins = given.pin(fork);
    return jobFor(fork, given.moved(messages, origins), early);
  } finally {
    fork.free();
  }
}

function jobFor<M extends object>(transcript: Transcript<M>, given: Settings<M>, early: boolean): Job<M> {
  const [before, ratio] = [transcript.tokens, transcript.calibration];
  const window = given.window ?? transcript.size;
  const tailBudget = given.tailBudget ?? call((core) => core.tailBudget(window, early ? before : undefined, ratio));
  const messages = transcript.messages();
  const pinned = given.pinnedOf(messages);
  const plan = planned(transcript, messages, { ...given.planning, tailBudget, pinned });
  const job: Job<M> = { plan, before, ratio, window, messages, span: [], folded: 0, pinned, reading: {} };
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

export function foldedIndices({ prefixEnd, keptFrom, kept }: FoldingPlan): number[] {
  const stays = new Set(kept);
  const indices: number[] = [];
  for (let i = prefixEnd; i < keptFrom; i++) if (!stays.has(i)) indices.push(i);
  return indices;
}

export function obstacleOf<M extends object>({ before, folded, ratio, window }: Job<M>, { minGain }: Settings<M>, digest?: number, prepared = false): Obstacle | undefined {
  const weights = { before, folded, ratio, prepared, ...(digest === undefined ? {} : { digest }), ...(minGain === undefined ? {} : { leastGain: minGain }) };
  return call((core) => core.foldObstacle(weights, window)) as Obstacle | undefined;
}

/** What a fold leaves, the digest in its place or near it: enough to see what is there. */
export function windowOf<M extends object>({ plan, messages }: Job<M>, now: readonly M[], digest: object | readonly object[]): object[] {
  const folded = plan.kind === "none" ? new Set<number>() : new Set(foldedIndices(plan));
  const [prefixEnd, planned] = plan.kind === "none" ? [0, messages.length] : [plan.prefixEnd, plan.keptFrom];
  const kept = now.filter((_, i) => i >= planned || !folded.has(i));
  return [...kept.slice(0, prefixEnd), ...digestMessages(digest), ...kept.slice(prefixEnd)];
}

export type FoldingPlan = Extract<Plan, { kind: "fold" }>;

/** The cut of a plan alone. Whether its messages are still there was seen by those who ask; what stands behind it may have changed. */
export function bare({ prefixEnd, keptFrom, kept, keptReasons, overBudget }: FoldingPlan): PlanLike {
  return { prefixEnd, keptFrom, kept, keptReasons, overBudget } as PlanLike;
}

/** Whether a transcript still starts with the messages that were planned, up to the cut. */
export function isStill<M extends object>({ plan, messages }: Job<M>, now: readonly M[]): boolean {
  if (plan.kind === "none" || now.length < plan.keptFrom) return false;
  const changed: number[] = [];
  for (let i = 0; i < plan.keptFrom; i++) if (now[i] !== messages[i]) changed.push(i);
  if (changed.length === 0) return true;
  const [before, after] = [messages, now].map((list) => fingerprints(changed.map((i) => list[i]!)));
  return before!.every((print, i) => print === after![i]);
}

/** What is told is a copy: a listener has no say. */
export function copyOf(plan: Plan): Plan {
  return JSON.parse(JSON.stringify(plan)) as Plan;
}

export function digestTokens<M extends object>(job: Job<M>, message: object | readonly object[]): number {
  return estimate(digestMessages(message), { format: job.plan.format, estimator: job.reading.estimator }).total;
}
