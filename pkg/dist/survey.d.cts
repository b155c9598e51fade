import type { ConversationSurvey, FactSurvey, HealthFinding, HealthReport, SurveyFinding } from "./generated/core.cjs";
import type { Ledger } from "./ledger.cjs";
import type { MemoryConfig } from "./memory.cjs";
import type { PlaceOptions } from "./pins.cjs";
/** Options of {@link surveyMemory}. */
export interface SurveyOptions<M extends object = object, P extends object = object> extends MemoryConfig, PlaceOptions<M, P> {
    /** Agents that should record: who wrote nothing is named. */
    roster?: readonly string[] | undefined;
    /** So many facts of importance 5 or more one namespace (the fact's `namespace`) may hold. Default 25. */
    namespaceSoftCap?: number | undefined;
    /** The window of the conversation. With `ledger`, what became of it is surveyed as well. */
    window?: readonly M[] | undefined;
    /** The record of its folds. */
    ledger?: Ledger<M> | undefined;
    /** Pins that should be in the window. */
    pins?: readonly P[] | undefined;
}
/** What {@link surveyMemory} gives. */
export interface MemorySurvey extends Omit<FactSurvey, "findings"> {
    /** The report of {@link computeMemoryHealth}. */
    health: HealthReport;
    /** What became of the conversation; only with a window. */
    conversation?: ConversationSurvey;
    /** What is wrong, with codes and numbers. A memory of fewer than 20 facts is too small for shares to say anything: of those there are no findings about facts. */
    findings: (HealthFinding | SurveyFinding)[];
}
/**
 * Looks at a memory as a whole: the health report, importance by agent and namespace, roles that recorded nothing; with the window
 * and the ledger of a conversation also which pins are there, how deep its summaries are, how old the oldest verbatim message is, which
 * folds freed little, and where the tokens are (the rows sum up to the total).
 *
 * @throws PlicaError `bad-argument`, `bad-message`, `digest-missing`.
 * @example
 * const { findings, conversation } = surveyMemory(facts, { roster: ["planner", "qa"], window, ledger, pins });
 */
export declare function surveyMemory<M extends object = object, P extends object = object>(facts: readonly object[], options?: SurveyOptions<M, P>): MemorySurvey;
