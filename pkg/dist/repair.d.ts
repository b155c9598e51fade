import type { Problem } from "./generated/core.js";
import type { FormatOptions } from "./identity.js";
import type { Plan } from "./planning.js";
/**
 * What the provider of this format would refuse: results without call and calls without result, reasoning torn from what it
 * led to, empty messages, roles out of order, ids that stand twice. Calls that are still in flight are none of it.
 *
 * @returns problems by message; `id` is that of the call or item. Empty when none of these rules is broken: how calls, results and
 * reasoning belong together, ids, roles that take turns, what is empty, the form of arguments and outputs. What names, media, lengths
 * and unknown roles a provider takes is not looked at.
 * @throws PlicaError `bad-argument`, `bad-message`, `format-undetected`, `unknown-format`.
 * @example
 * check([{ role: "user", content: "hi" }, { role: "tool", tool_call_id: "gone", content: "x" }])
 * // [{ code: "orphan-result", index: 1, id: "gone", message: "the result of \"gone\" has no call before it" }]
 */
export declare function check<M extends object>(messages: readonly M[], options?: FormatOptions): Problem[];
/** A run of new messages in place of a run of old ones. */
export interface Edit<M extends object = object> {
    /** Index of the first new message. */
    at: number;
    /** The old messages. */
    removed: M[];
    /** The new ones. */
    inserted: M[];
}
/** What {@link repair} gives. */
export interface Repaired<M extends object = object> {
    /** The mended messages; those that nothing was wrong with are your own objects. */
    messages: M[];
    /** What was mended, with its index in the messages that came in. Empty when nothing was. */
    changes: Problem[];
    /** How the two differ, for {@link undoRepair}. Plain data as far as your messages are: it can be stored with them. */
    edits: Edit<M>[];
}
/**
 * Mends what {@link check} finds, and nothing else: `check(repair(messages).messages)` is empty, and a second repair changes
 * nothing. Missing results are written (they say that there is none), results that stand elsewhere are moved behind their
 * call, what answers nothing is taken out. New ids are the same in every run, so that a provider's cache of the prompt survives.
 * Nothing is lost: {@link undoRepair} brings the old messages back.
 *
 * @throws PlicaError `bad-argument`, `bad-message`, `format-undetected`, `unknown-format`.
 * @example
 * const { messages: sound, changes, edits } = repair(messages);
 */
export declare function repair<M extends object>(messages: readonly M[], options?: FormatOptions): Repaired<M>;
/**
 * The messages as they were before a {@link repair}; messages appended since stay.
 *
 * @param edits what the repair gave, or the same read back from JSON.
 * @throws PlicaError `plan-mismatch` when the messages are not those of the repair; `bad-argument`.
 * @example
 * const { messages: sound, edits } = repair(messages);
 * undoRepair(sound, edits) // the messages again
 */
export declare function undoRepair<M extends object>(messages: readonly M[], edits: readonly Edit<M>[]): M[];
/**
 * Clips large tool results, head and tail kept and the cut marked, so that a tail fits that is over its budget: those that a
 * plan offers as `clips`, or any of them. Indices stay, so the plan still holds for what comes back.
 *
 * @returns new messages where one was clipped, your own objects everywhere else.
 * @throws PlicaError `bad-plan` for an offer that names no result; `bad-argument`, `bad-message`.
 * @example
 * const p = plan(messages, { tailBudget: 2000 });
 * if (p.overBudget) messages = clipResults(messages, p.clips, { format: p.format });
 */
export declare function clipResults<M extends object>(messages: readonly M[], clips: Plan["clips"], options?: FormatOptions): M[];
