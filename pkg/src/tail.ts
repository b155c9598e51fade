// A plan of a plain array that takes only the end of it into the core: pieces from the end, each larger than the one before,
// until the core has what it needs. Of the messages before that, a glance at the members that tell system text, instructions and
// memory from the rest; which members those are is the format's to say.

import { TELLING_MEMBERS } from "./generated/constants.js";
import type { Plan as CorePlan } from "./generated/core.js";
import type { ReadingArgument } from "./planning.js";
import { messageLine, withLines } from "./stage.js";

/** What a plan from the end is made of. @internal */
export interface EndPlan {
  all: readonly object[];
  /** The options of the plan, in the form of the core. */
  options: object;
  budget: number;
  format: string | undefined;
  provenance: ReadingArgument["provenance"];
  estimator: unknown;
  /** Counts of lines by the caller's own counter, if there is one. */
  counts: (lines: readonly string[], indices: readonly number[]) => number[] | undefined;
}

/** Fewer messages than this are read at once. */
const FEW = 24;

/** UTF-16 units of JSON that a token takes in English prose with its envelope; where it takes fewer, one piece is enough. */
const UNITS = 5;

/** The second piece is by this factor larger than the first. Where that is not enough either (a loop of tools that goes back
 * to the start, as a rule) all is read: measured, more pieces cost more than they save. */
const GROWTH = 4;
const PIECES = 2;

interface Classes {
  of: Uint8Array;
  models: string[];
}

type Answer = { plan: CorePlan } | { read: number[] } | "more" | "all";

/** The plan, or undefined where it takes all messages to make it. @internal */
export function planFromEnd({ all, options, budget, format: named, provenance, estimator, counts }: EndPlan): CorePlan | undefined {
  if (all.length < FEW || !Number.isFinite(budget)) return undefined;
  const end = new End(all);
  let format = named;
  for (let piece = 0, units = budget * UNITS + 4096; piece < PIECES && end.readTo(units); piece++, units = end.units * GROWTH) {
    format ??= end.format();
    if (format === undefined) return undefined;
    const members = TELLING_MEMBERS[format as keyof typeof TELLING_MEMBERS] as readonly string[] | null | undefined;
    const classes = members ? glance(() => classesOf(all, end.first, members)) : undefined;
    if (classes === undefined) return undefined;
    for (;;) {
      const indices = [...end.others.keys()].sort((a, b) => a - b);
      const lines = [...indices.map((index) => end.others.get(index)!), ...end.lines];
      const places = [...indices, ...end.lines.map((_, i) => end.first + i)];
      const tokens = counts(lines, places);
      const reading = { provenance, ...(typeof estimator === "string" ? { estimator } : {}), ...(tokens === undefined ? {} : { tokens }) };
      const given = { format, length: all.length, models: classes.models.length, others: indices };
      const answer = withLines([...classes.models, ...lines], (core, length) => core.planTail(length, given, classes.of, reading, options)) as Answer;
      if (answer === "all") return undefined;
      if (answer === "more") break;
      if ("plan" in answer) return answer.plan;
      end.readOthers(answer.read);
    }
  }
  return undefined;
}

/** The end of the array, as far as it was read. */
class End {
  first: number;
  lines: string[] = [];
  readonly others = new Map<number, string>();
  units = 0;

  constructor(private readonly all: readonly object[]) {
    this.first = all.length;
  }

  /** Reads on towards the front; false when that would be all. */
  readTo(units: number): boolean {
    const more: string[] = [];
    while (this.units < units && this.first > 0) {
      this.first--;
      const line = this.others.get(this.first) ?? messageLine(this.all[this.first], this.first);
      this.others.delete(this.first);
      this.units += line.length;
      more.push(line);
    }
    // Larger pieces where the front is near would save nothing.
    this.lines = [...more.reverse(), ...this.lines];
    return this.first > 0;
  }

  readOthers(indices: readonly number[]): void {
    for (const index of indices) this.others.set(index, messageLine(this.all[index], index));
  }

  /** The format, if the end proves it, or if all that is in front of it is text and nothing else. */
  format(): string | undefined {
    const proven = withLines(this.lines, (core, length) => core.tailFormat(length, this.first, false));
    if (proven !== undefined) return proven;
    const models = glance(() => textModels(this.all, this.first));
    return models && withLines([...models, ...this.lines], (core, length) => core.tailFormat(length, this.first, true));
  }
}

/** What a look at messages gives; nothing where one of them throws: reading all of them says which. */
function glance<T>(look: () => T | undefined): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** A message of each role, where all are a role and a text. */
function textModels(all: readonly object[], length: number): string[] | undefined {
  const models = new Map<string, string>();
  for (let i = 0; i < length; i++) {
    const message = all[i] as { role?: unknown; content?: unknown };
    if (!isText(message)) return undefined;
    const role = message.role as string;
    if (!models.has(role)) models.set(role, JSON.stringify({ role, content: "text" }));
  }
  return [...models.values()];
}

/** Whether a message is a role and a text: of those one is like the other. */
function isText(message: { role?: unknown; content?: unknown; toJSON?: unknown }): boolean {
  if (typeof message !== "object" || message === null || typeof message.content !== "string" || typeof message.role !== "string") return false;
  if (message.content === "" || message.toJSON !== undefined) return false;
  for (const key in message) if (key !== "role" && key !== "content") return false;
  return true;
}

/** For each message in front its class, by what it says in the telling members. Undefined where a message is not plain. */
function classesOf(all: readonly object[], length: number, [first, second, ...more]: readonly string[]): Classes | undefined {
  if (more.length > 0) return undefined;
  const of = new Uint8Array(length);
  const known: [unknown, unknown][] = [];
  for (let i = 0; i < length; i++) {
    const message = all[i] as Record<string, unknown>;
    if (typeof message !== "object" || message === null || message["toJSON"] !== undefined) return undefined;
    const one = text(message[first!]);
    const two = second === undefined ? undefined : text(message[second]);
    let place = 0;
    while (place < known.length && (known[place]![0] !== one || known[place]![1] !== two)) place++;
    if (place === known.length && known.push([one, two]) > 255) return undefined;
    of[i] = place;
  }
  const models = known.map(([one, two]) => JSON.stringify({ [first!]: one, ...(second === undefined ? {} : { [second]: two }) }));
  return { of, models };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
