// The digest: by the model's summary or, without one, by rules.

import { activity } from "../activity.js";
import { deterministicDigest, digestMessage, floorDigest } from "../digests.js";
import type { Activity } from "../generated/core.js";
import { WHOLE, digestTokens, obstacleOf } from "./job.js";
import type { Job } from "./job.js";
import type { Settings } from "./settings.js";
import type { CompactReason } from "./types.js";

/** A digest and what the ledger notes of it. */
export interface Digest {
  text: string;
  message: object | readonly object[];
  outcome: "summarized" | "deterministic" | "floor";
  reason?: CompactReason;
  model?: string;
  activity: Activity;
}

/** The digest without a model: the first that is worth the fold. */
export function withoutModel<M extends object>(job: Job<M>, given: Settings<M>, reason: CompactReason): Digest | undefined {
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
