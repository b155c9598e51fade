// Drop-in memory module: pins, memory health, recall within a budget. The rules are the core's; your own facts come back.

import { PlicaError, describe } from "./errors.js";
import { PINNED_KIND_NAMES } from "./generated/constants.js";
import type { BudgetedFacts, HealthReport } from "./generated/core.js";
import { tagOf } from "./json.js";
import { fields } from "./options.js";
import { elements, valueText, withLines } from "./stage.js";

/** A fact of an agent's memory. Other fields are carried along untouched. */
export interface Fact {
  /** Its name. */
  key: string;
  /** 1 to 5; 5 and above is the highest class. */
  importance: number;
  /** What it says; counted by {@link budgetFacts}. */
  value?: unknown;
  /** Who wrote it; "default" when missing or blank. */
  agent_id?: string | null | undefined;
  /** `constraint` and `antipattern` are pinned kinds. */
  kind?: string | null | undefined;
  /** When it was written: ISO 8601, milliseconds, or a Date. */
  created_at?: Time | null | undefined;
  /** When it was last used. */
  last_retrieved_at?: Time | null | undefined;
}

/** A point in time: ISO 8601 (UTC unless it has an offset), milliseconds since 1970, or a Date. */
export type Time = string | number | Date;

/** Configuration; always an argument, never the environment. */
export interface MemoryConfig {
  /** Whether pinned kinds are exempt from budgets at all. Default true. */
  pinConstraints?: boolean | undefined;
  /** At most so many facts are pinned. Default 12. */
  pinnedMaxFacts?: number | undefined;
  /** Share of top-importance facts, in percent, above which health warns. Default 25. */
  imp5SoftCap?: number | undefined;
}

/** Kinds that are pinned, compared after trimming and lower-casing. */
export const PINNED_KINDS: readonly string[] = /* @__PURE__ */ Object.freeze([...PINNED_KIND_NAMES]);

/**
 * Whether a fact is of a pinned kind; always false when pinning is off.
 *
 * @example
 * isPinnedKind({ key: "k", importance: 3, kind: " Constraint " }) // true
 */
export function isPinnedKind(fact: Pick<Fact, "kind"> | null | undefined, config: MemoryConfig = {}): boolean {
  if (fact === null || fact === undefined) return false;
  const given = memoryConfig(config);
  return withLines([line(fact, 0, ["kind"])], (core, length) => core.pinnedKinds(length, given))[0] === 1;
}

/** Facts apart: those that must not be dropped, and the rest. */
export interface Partition<F> {
  /** Pinned facts, in their order, at most `pinnedMaxFacts`. */
  pinned: F[];
  /** All others, in their order. */
  rest: F[];
  /** Facts of a pinned kind that did not fit; they are in `rest` as well. */
  overflow: F[];
}

/**
 * Splits facts into pinned and rest: your own objects, order kept. With pinning off, `rest` is the array itself.
 *
 * @throws PlicaError `bad-argument` when `facts` is not an array of objects.
 * @example
 * const { pinned, rest } = partitionPinned(facts, { pinnedMaxFacts: 12 });
 */
export function partitionPinned<F extends object>(facts: F[], config: MemoryConfig = {}): Partition<F> {
  const given = memoryConfig(config);
  if (given.pinConstraints === false) {
    elements(facts, "facts");
    return { pinned: [], rest: facts, overflow: [] };
  }
  const all = elements<F>(facts, "facts");
  const packed = withLines(all.map((fact, index) => line(fact, index, ["kind"])), (core, length) => core.partitionPinned(length, given));
  const [pinned, overflow] = [packed[0] ?? 0, packed[1] ?? 0];
  const at = (from: number, to: number): F[] => Array.from(packed.subarray(from, to), (index) => all[index]!);
  return { pinned: at(2, 2 + pinned), overflow: at(2 + pinned, 2 + pinned + overflow), rest: at(2 + pinned + overflow, packed.length) };
}

/**
 * Makes imbalance visible: too many top-importance facts, agents that record almost nothing, no standing rules.
 *
 * @throws PlicaError `bad-argument` when `facts` is not an array of objects.
 * @example
 * computeMemoryHealth(facts).warnings // ["…"]; `findings` has the same with codes and numbers
 */
export function computeMemoryHealth(facts: readonly object[], config: MemoryConfig = {}): HealthReport {
  const lines = elements<object>(facts, "facts").map((fact, index) => line(fact, index, ["importance", "agent_id", "kind"]));
  const given = memoryConfig(config);
  return withLines(lines, (core, length) => core.memoryHealth(length, given) as HealthReport);
}

/** Options of {@link budgetFacts}. */
export interface BudgetOptions extends MemoryConfig {
  /** UTF-16 units that the rendered facts may take. Default 16 000; 0 or less renders everything. */
  maxChars?: number | undefined;
  /** At least so many facts are rendered. Default 10. */
  minFacts?: number | undefined;
  /** UTF-16 units that pinned facts may take. Default 9 000; the first always fits. */
  pinnedMaxChars?: number | undefined;
  /** Facts created within this time come before the others. */
  window?: { from: Time; to: Time } | undefined;
}

/** What fits, and what does not. */
export interface Recall<F> extends Omit<BudgetedFacts, "rendered" | "collapsed"> {
  /** Facts to render, pinned first. */
  rendered: F[];
  /** The others; none is lost. */
  collapsed: F[];
}

/**
 * Chooses the facts that fit a budget. A fact takes its key, its value and 24 units. `notice` tells the reader, grouped by
 * key prefix, what was left out.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * const { rendered, collapsed, notice } = budgetFacts(facts, { maxChars: 16000 });
 */
export function budgetFacts<F extends object>(facts: readonly F[], options: BudgetOptions = {}): Recall<F> {
  const all = elements<F>(facts, "facts");
  const lines = all.map((fact, index) => line(fact, index, ["key", "value", "kind", "created_at"]));
  const { maxChars, minFacts, pinnedMaxChars, window } = fields(options, ["maxChars", "minFacts", "pinnedMaxChars", "window"], "options");
  const memory = memoryConfig(options);
  const limits = { maxChars: maybeNumber(maxChars), minFacts: maybeNumber(minFacts), pinnedMaxChars: maybeNumber(pinnedMaxChars) };
  const ends = fields(window, ["from", "to"], "window");
  const span = window === undefined || window === null ? {} : { fromMs: milliseconds(ends.from), toMs: milliseconds(ends.to) };
  const answer = withLines(lines, (core, length) => core.budgetFacts(length, { ...limits, ...span }, memory)) as BudgetedFacts;
  const own = (indices: readonly number[]): F[] => indices.map((index) => all[index]!);
  return { ...answer, rendered: own(answer.rendered), collapsed: own(answer.collapsed) };
}

/**
 * The part of a key before the first `_`, `-` or `.`; the first 8 units when that is shorter than 2.
 *
 * @example
 * keyPrefix("ckpt_fix1") // "ckpt"
 */
export function keyPrefix(key: string): string {
  if (typeof key !== "string") throw new PlicaError("bad-argument", "key must be a string");
  return key.slice(0, withLines([JSON.stringify([key])], (core, length) => core.keyPrefixUnits(length)));
}

/**
 * Importance of a fact now: from 14 days after its last use on, it sinks by 2 every 14 days, but not below 3.
 *
 * @example
 * effectiveImportance({ importance: 5, created_at: "2026-01-01" }, "2026-02-01") // 3
 */
export function effectiveImportance(fact: Pick<Partial<Fact>, "importance" | "created_at" | "last_retrieved_at">, now: Time): number {
  const fields = JSON.parse(line(fact, 0, ["importance", "last_retrieved_at", "created_at"])) as unknown[];
  return withLines([JSON.stringify([...fields, instant(now)])], (core, length) => core.effectiveImportance(length));
}

/**
 * How alive a fact is by its use: 0.15 × (0.5 × ln(1 + access) + e^(−hours / 168)), 0 for what is missing.
 *
 * @example
 * salience(10, "2026-07-22T12:00:00Z", "2026-07-29T12:00:00Z") // 0.235…
 */
export function salience(access: number | null | undefined, last: Time | null | undefined, now: Time): number {
  return withLines([JSON.stringify([numeric(access), instant(last), instant(now)])], (core, length) => core.salience(length));
}

type Field = "key" | "value" | "kind" | "importance" | "agent_id" | "created_at" | "last_retrieved_at";

/** The fields that the core needs of a fact, as a JSON array. */
function line(fact: unknown, index: number, fields: readonly Field[]): string {
  if (typeof fact !== "object" || fact === null) throw new PlicaError("bad-argument", `fact ${index} is not an object`);
  try {
    return JSON.stringify(fields.map((field) => encoded(field, (fact as Record<string, unknown>)[field])));
  } catch (error) {
    if (error instanceof PlicaError) throw error;
    throw new PlicaError("bad-argument", `fact ${index} cannot be read: ${describe(error)}`, { cause: error });
  }
}

function encoded(field: Field, value: unknown): unknown {
  if (field === "importance") return numeric(value);
  if (field === "created_at" || field === "last_retrieved_at") return instant(value);
  if (field === "value") return valueUnits(value);
  return typeof value === "string" ? value : null;
}

/** UTF-16 units that a value takes when it is rendered: its text, or its JSON. */
function valueUnits(value: unknown): number {
  if (typeof value === "string") return value.length;
  const silent = value === null || value === undefined || typeof value === "function" || typeof value === "symbol";
  return silent ? 0 : valueText(value, "a value").length;
}

/** JSON has no NaN: `false` stands for a number that is none. @internal */
export function numeric(value: unknown): number | false | null {
  if (value === null || value === undefined) return null;
  const number = toNumber(value);
  if (number === Infinity) return Number.MAX_VALUE;
  if (number === -Infinity) return -Number.MAX_VALUE;
  return Number.isNaN(number) ? false : number;
}

/** As JavaScript converts, but for objects: their own conversions may throw, or never end. A date has its time. */
function toNumber(value: unknown): number {
  if (typeof value === "object" && value !== null) return tagOf(value) === "[object Date]" ? dateTime(value) : NaN;
  return typeof value === "symbol" || typeof value === "function" ? NaN : Number(value);
}

function dateTime(value: object): number {
  try {
    return Date.prototype.getTime.call(value);
  } catch {
    return NaN;
  }
}

/** A time as the core reads it. @internal */
export function instant(value: unknown): string | number | false | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  return numeric(value);
}

/** One end of a window, in milliseconds; what cannot be read is NaN, and such a window holds nothing. */
function milliseconds(value: unknown): number {
  if (value === Infinity || value === -Infinity) return value as number;
  return withLines([JSON.stringify([instant(value)])], (core, length) => core.milliseconds(length));
}

function memoryConfig(config: unknown): MemoryConfig {
  const { pinConstraints, pinnedMaxFacts, imp5SoftCap } = fields(config, ["pinConstraints", "pinnedMaxFacts", "imp5SoftCap"], "config");
  return {
    pinConstraints: pinConstraints === undefined ? undefined : Boolean(pinConstraints),
    pinnedMaxFacts: maybeNumber(pinnedMaxFacts),
    imp5SoftCap: maybeNumber(imp5SoftCap),
  };
}

function maybeNumber(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : toNumber(value);
}
