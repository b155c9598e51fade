import type { Activity } from "./generated/core.js";
import type { Plan, PlanLike, ReadOptions } from "./planning.js";
import type { ToolUse } from "./tools.js";
/** Options of {@link activity}. */
export interface ActivityOptions<M extends object = object> extends ReadOptions<M> {
    /** What the tools of this conversation do, by name; those of well-known agents are known. */
    tools?: Readonly<Record<string, ToolUse>> | undefined;
    /** Only what these messages did themselves: digests among them are left out. */
    own?: boolean | undefined;
}
/**
 * Files read and changed and commands run in what a plan folds, each once, the one touched last at the end. What earlier folds
 * had is in it: as the ledger has it, or as the digest lists it.
 *
 * @throws PlicaError `bad-plan`, `plan-mismatch`, `bad-message`, `format-undetected`, `bad-argument`.
 * @example
 * const done = activity(messages, p, { ledger });
 * const digest = digestMessage(withActivity(summary, done), { format: p.format });
 */
export declare function activity<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options?: ActivityOptions<M>): Activity;
/**
 * A summary with the list of what was done behind it, for the digest. A list that the summary brings along is replaced; the
 * next summarize request leaves it out, so that it is never summarized.
 *
 * @param options.maxBytes UTF-8 bytes of the list at most, default 2 000: changed files, commands, files that were only read, each
 * the latest first; what is left out is counted.
 * @throws PlicaError `bad-argument`.
 * @example
 * withActivity("GOAL: ship it", { files: [{ path: "a.md", changed: true }], commands: [] })
 */
export declare function withActivity(summary: string, activity: Activity, options?: {
    maxBytes?: number | undefined;
}): string;
