// A digest before it is needed.

import { PlicaError } from "../errors.js";
import { fingerprints } from "../identity.js";
import { fields } from "../options.js";
import { estimate } from "../planning.js";
import type { Plan } from "../planning.js";
import type { Transcript } from "../transcript.js";
import { Asking, LONGEST_TIMER } from "./asking.js";
import type { Digest } from "./digest.js";
import { copyOf, digestTokens, foldedIndices, jobOf, obstacleOf } from "./job.js";
import type { Job } from "./job.js";
import { Settings } from "./settings.js";
import type { CompactOptions, CompactReason, Preparation } from "./types.js";

/** All there are: whatever else is passed as one is not touched. */
const preparations = new WeakSet<object>();

export class Prepared<M extends object> implements Preparation {
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
      const summary = await new Asking(given).summarized(this.job, []);
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
    const stays = new Set([...kept, ...now.pinned]);
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

export async function adopted<M extends object>(transcript: Transcript<M>, job: Job<M>, given: Settings<M>, options: CompactOptions<M>): Promise<[Job<M>, Digest] | undefined> {
  const { prepared } = fields(options, ["prepared"], "options");
  if (prepared === undefined || prepared === null) return undefined;
  if (!preparations.has(Object(prepared))) throw new PlicaError("bad-argument", "prepared must be what prepare gave");
  const preparation = prepared as Prepared<M>;
  // Its own timers let a program end; what is waited for does not.
  const hold = setInterval(() => undefined, LONGEST_TIMER);
  try {
    await given.orAborted(preparation.ready);
  } finally {
    clearInterval(hold);
  }
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
