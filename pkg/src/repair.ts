// What a provider would refuse, found and mended. The rules are the core's; here your own messages are put together.

import { PlicaError } from "./errors.js";
import type { ClipOffer, Edit as EditPlace, Problem } from "./generated/core.js";
import type { FormatOptions } from "./identity.js";
import { isArray } from "./kinds.js";
import { fields } from "./options.js";
import { readingOptions, readingOf, withReading } from "./planning.js";
import type { Plan } from "./planning.js";
import { cooked } from "./recipe.js";
import { elements, messageLines, withLines } from "./stage.js";

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
export function check<M extends object>(messages: readonly M[], options: FormatOptions = {}): Problem[] {
  return withReading(messages, readingOptions(options), (core, length, reading) => core.check(length, reading)) as Problem[];
}

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
export function repair<M extends object>(messages: readonly M[], options: FormatOptions = {}): Repaired<M> {
  const all = elements<M>(messages, "messages");
  const lines = messageLines(all);
  const reading = readingOf(all, lines, readingOptions(options));
  const { recipe, changes, edits } = withLines(lines, (core, length) => core.repair(length, reading)) as { recipe: string; changes: Problem[]; edits: EditPlace[] };
  const mended = cooked(recipe, all, lines);
  const edit = ({ at, inserted, from, removed }: EditPlace): Edit<M> => ({
    at,
    removed: all.slice(from, from + removed),
    inserted: mended.slice(at, at + inserted),
  });
  return { messages: mended, changes, edits: edits.map(edit) };
}

/**
 * The messages as they were before a {@link repair}; messages appended since stay.
 *
 * @param edits what the repair gave, or the same read back from JSON.
 * @throws PlicaError `plan-mismatch` when the messages are not those of the repair; `bad-argument`.
 * @example
 * const { messages: sound, edits } = repair(messages);
 * undoRepair(sound, edits) // the messages again
 */
export function undoRepair<M extends object>(messages: readonly M[], edits: readonly Edit<M>[]): M[] {
  const out = elements<M>(messages, "messages");
  const all = elements<Edit<M>>(edits, "edits").map((edit, number) => {
    const { at, removed, inserted } = fields(edit, ["at", "removed", "inserted"], `edit ${number}`);
    if (typeof at !== "number" || !isArray(removed) || !isArray(inserted)) throw new PlicaError("bad-argument", `edit ${number} is none of repair's`);
    return { at, removed: elements<M>(removed, "removed"), inserted: elements<M>(inserted, "inserted") };
  });
  const back: M[] = [];
  let next = 0;
  for (const { at, removed, inserted } of all) {
    const now = out.slice(at, at + inserted.length);
    const same = at >= next && at <= out.length && now.length === inserted.length && messageLines(now).every((line, i) => now[i] === inserted[i] || line === messageLines([inserted[i]])[0]);
    if (!same) throw new PlicaError("plan-mismatch", `the messages from ${at} on are not those that the repair left`);
    for (; next < at; next++) back.push(out[next]!);
    // Not a spread: the arguments of one call go through the stack.
    for (const message of removed) back.push(message);
    next += inserted.length;
  }
  for (; next < out.length; next++) back.push(out[next]!);
  return back;
}

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
export function clipResults<M extends object>(messages: readonly M[], clips: Plan["clips"], options: FormatOptions = {}): M[] {
  const all = elements<M>(messages, "messages");
  const offers = elements<ClipOffer>(clips, "clips").map((clip) => clipOffer(clip));
  const lines = messageLines(all);
  const reading = readingOf(all, lines, readingOptions(options));
  const recipe = withLines(lines, (core, length) => core.clipResults(length, reading, offers));
  return cooked(recipe, all, lines);
}

function clipOffer(offer: unknown): ClipOffer {
  const { index, part, id = "", bytes = 0, keep, tokens } = fields(offer, ["index", "part", "id", "bytes", "keep", "tokens"], "a clip", "bad-plan");
  const count = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
  if (![index, part, bytes, keep, tokens ?? 0].every(count) || typeof id !== "string") throw new PlicaError("bad-plan", "a clip is { index, part, keep, tokens? }, whole numbers of 0 or more");
  return { index, part, id, bytes, keep, ...(tokens === undefined || tokens === null ? {} : { tokens }) } as ClipOffer;
}
