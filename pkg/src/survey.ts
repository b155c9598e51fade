// How an agent's memory, its rules and its folds hold: more than the drop-in health report says. Counts and findings are the core's.

import { PlicaError } from "./errors.js";
import type { ConversationSurvey, FactSurvey, HealthFinding, HealthReport, SurveyFinding } from "./generated/core.js";
import { article } from "./kinds.js";
import type { Fold, Ledger } from "./ledger.js";
import { computeMemoryHealth } from "./memory.js";
import type { MemoryConfig } from "./memory.js";
import { fields, numberOf } from "./options.js";
import { surveyLine, verifyPins } from "./pins.js";
import type { PlaceOptions } from "./pins.js";
import { readingOf, readingOptions } from "./planning.js";
import { elements, messageLines, withLines } from "./stage.js";

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
export function surveyMemory<M extends object = object, P extends object = object>(facts: readonly object[], options: SurveyOptions<M, P> = {}): MemorySurvey {
  const lines = elements<object>(facts, "facts").map(surveyLine);
  const given = fields(options, ["roster", "namespaceSoftCap", "imp5SoftCap", "window", "ledger", "pins"], "options");
  const health = computeMemoryHealth(facts, options as MemoryConfig);
  const limits = {
    roster: rosterOf(given.roster),
    ...(given.imp5SoftCap === undefined ? {} : { imp5SoftCap: numberOf(given.imp5SoftCap, "imp5SoftCap", 25) }),
    ...(given.namespaceSoftCap === undefined ? {} : { namespaceSoftCap: numberOf(given.namespaceSoftCap, "namespaceSoftCap", 25) }),
  };
  const survey = withLines(lines, (core, length) => core.surveyFacts(length, limits)) as FactSurvey;
  const conversation = given.window === undefined || given.window === null ? undefined : conversationOf(elements<M>(given.window, "window"), given, options);
  const { findings, ...counts } = survey;
  return {
    ...counts,
    health,
    ...(conversation === undefined ? {} : { conversation: conversation.survey }),
    findings: [...(survey.isSmall ? [] : health.findings), ...findings, ...(conversation?.findings ?? [])],
  };
}

function rosterOf(roster: unknown): string[] {
  if (roster === undefined || roster === null) return [];
  return elements<unknown>(roster, "roster").map((name) => {
    if (typeof name === "string") return name;
    throw new PlicaError("bad-argument", `roster must hold strings, not ${article(name)}`);
  });
}

interface ConversationFindings {
  survey: ConversationSurvey;
  findings: SurveyFinding[];
}

function conversationOf<M extends object>(window: M[], given: { ledger?: unknown; pins?: unknown }, options: object): ConversationFindings {
  const { folds, places } = fields(given.ledger, ["folds", "places"], "ledger");
  if (given.ledger !== undefined && given.ledger !== null && typeof places !== "function") throw new PlicaError("bad-argument", "ledger must be a Ledger");
  const ledger = (given.ledger ?? undefined) as Ledger<M> | undefined;
  const all = ledger === undefined ? [] : elements<Fold<M>>(folds, "the folds of the ledger");
  const unfolded = ledger === undefined ? window.map((_, i) => i) : ledger.places(window);
  const pins = given.pins === undefined || given.pins === null ? [] : elements<object>(given.pins, "pins");
  const lost = pins.length === 0 ? 0 : verifyPins(window, pins, options as PlaceOptions<M>).missing.length;
  const lines = messageLines(window);
  const reading = readingOf(window, lines, readingOptions(options));
  const numbers = {
    tokens: all.map(({ tokens }) => (tokens === undefined ? null : [tokens.before, tokens.after])),
    unfolded,
    pinned: pins.length,
    lost,
  };
  const records = JSON.stringify(all.map(({ record }) => record));
  return withLines([records, ...lines], (core, length) => core.surveyConversation(length, reading, numbers)) as ConversationFindings;
}
