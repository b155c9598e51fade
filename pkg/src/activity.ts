// What was done, as data: files and commands, read off the calls by the core and carried from fold to fold.

import { PlicaError } from "./errors.js";
import { PROVENANCE_MARKS } from "./generated/constants.js";
import type { Activity } from "./generated/core.js";
import { article } from "./kinds.js";
import { countOf, fields } from "./options.js";
import { planArgument, readingOf, readingOptions } from "./planning.js";
import type { Plan, PlanLike, ReadOptions, ReadingArgument } from "./planning.js";
import { elements, messageLines, withLines } from "./stage.js";
import { toolsOf } from "./tools.js";
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
export function activity<M extends object>(messages: readonly M[], plan: Plan | PlanLike, options: ActivityOptions<M> = {}): Activity {
  const span = planArgument(plan);
  const given = fields(options, ["tools", "ledger", "own"], "options");
  const all = elements<M>(messages, "messages");
  const lines = messageLines(all);
  const reading = readingOf(all, lines, readingOptions(options, plan));
  const limits = { tools: toolsOf(given.tools), ...(given.own === true ? {} : { earlier: earlierActivities(lines, reading, given.ledger) }) };
  return withLines(lines, (core, length) => core.activity(length, reading, span, limits)) as Activity;
}

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
export function withActivity(summary: string, activity: Activity, options: { maxBytes?: number | undefined } = {}): string {
  if (typeof summary !== "string") throw new PlicaError("bad-argument", `the summary must be a string, not ${article(summary)}`);
  const limit = countOf(fields(options, ["maxBytes"], "options").maxBytes, "maxBytes", 2000);
  const done = activityOf(activity);
  return withLines([JSON.stringify(summary)], (core, length) => core.withActivity(length, done, limit));
}

/** A copy of an activity of the caller's, seen to be one. @internal */
export function activityOf(value: unknown): Activity {
  if (typeof value !== "object" || value === null) throw new PlicaError("bad-argument", `activity must be { files, commands }, not ${article(value)}`);
  const given = fields(value, ["files", "commands"], "activity");
  const bad = (what: string): PlicaError => new PlicaError("bad-argument", `activity.${what} is none`);
  const files = elements<unknown>(given.files ?? [], "activity.files").map((file, i) => {
    const { path, changed } = fields(file, ["path", "changed"], `activity.files[${i}]`);
    if (typeof path !== "string" || typeof changed !== "boolean") throw bad(`files[${i}]`);
    return { path, changed };
  });
  const commands = elements<unknown>(given.commands ?? [], "activity.commands").map((run, i) => {
    const { command, runs, failed } = fields(run, ["command", "runs", "failed"], `activity.commands[${i}]`);
    if (typeof command !== "string" || typeof failed !== "boolean") throw bad(`commands[${i}]`);
    return { command, runs: countOf(runs, `activity.commands[${i}].runs`, 1), failed };
  });
  return { files, commands };
}

/**
 * Of the lines that are digests of the ledger, their index and what it knows: all folds behind each, the oldest first. Reading them
 * told already which are digests. @internal
 */
export function earlierActivities(lines: readonly string[], reading: ReadingArgument, ledger: unknown): [number, Activity][] {
  if (ledger === undefined || ledger === null) return [];
  // By what it can do, not by instanceof: the slim and the full entry have a Ledger each.
  const { activities } = fields(ledger, ["activities"], "ledger");
  if (typeof activities !== "function") return [];
  const digests = reading.provenance.filter(([, mark]) => PROVENANCE_MARKS[mark] === "summary").map(([index]) => index);
  return (ledger as { activities(lines: readonly string[], digests: readonly number[]): [number, Activity][] }).activities(lines, digests);
}
