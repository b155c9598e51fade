import type { BudgetedFacts, HealthReport } from "./generated/core.cjs";
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
export declare const PINNED_KINDS: readonly string[];
/**
 * Whether a fact is of a pinned kind; always false when pinning is off.
 *
 * @example
 * isPinnedKind({ key: "k", importance: 3, kind: " Constraint " }) // true
 */
export declare function isPinnedKind(fact: Pick<Fact, "kind"> | null | undefined, config?: MemoryConfig): boolean;
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
export declare function partitionPinned<F extends object>(facts: F[], config?: MemoryConfig): Partition<F>;
/**
 * Makes imbalance visible: too many top-importance facts, agents that record almost nothing, no standing rules.
 *
 * @throws PlicaError `bad-argument` when `facts` is not an array of objects.
 * @example
 * computeMemoryHealth(facts).warnings // ["…"]; `findings` has the same with codes and numbers
 */
export declare function computeMemoryHealth(facts: readonly object[], config?: MemoryConfig): HealthReport;
/** Options of {@link budgetFacts}. */
export interface BudgetOptions extends MemoryConfig {
    /** UTF-16 units that the rendered facts may take. Default 16 000; 0 or less renders everything. */
    maxChars?: number | undefined;
    /** At least so many facts are rendered. Default 10. */
    minFacts?: number | undefined;
    /** UTF-16 units that pinned facts may take. Default 9 000; the first always fits. */
    pinnedMaxChars?: number | undefined;
    /** Facts created within this time come before the others. */
    window?: {
        from: Time;
        to: Time;
    } | undefined;
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
export declare function budgetFacts<F extends object>(facts: readonly F[], options?: BudgetOptions): Recall<F>;
/**
 * The part of a key before the first `_`, `-` or `.`; the first 8 units when that is shorter than 2.
 *
 * @example
 * keyPrefix("ckpt_fix1") // "ckpt"
 */
export declare function keyPrefix(key: string): string;
/**
 * Importance of a fact now: from 14 days after its last use on, it sinks by 2 every 14 days, but not below 3.
 *
 * @example
 * effectiveImportance({ importance: 5, created_at: "2026-01-01" }, "2026-02-01") // 3
 */
export declare function effectiveImportance(fact: Pick<Partial<Fact>, "importance" | "created_at" | "last_retrieved_at">, now: Time): number;
/**
 * How alive a fact is by its use: 0.15 × (0.5 × ln(1 + access) + e^(−hours / 168)), 0 for what is missing.
 *
 * @example
 * salience(10, "2026-07-22T12:00:00Z", "2026-07-29T12:00:00Z") // 0.235…
 */
export declare function salience(access: number | null | undefined, last: Time | null | undefined, now: Time): number;
