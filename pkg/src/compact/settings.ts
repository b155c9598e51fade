// The options, read once and seen to be some before anything is paid for.

import { PlicaError } from "../errors.js";
import { article } from "../kinds.js";
import { retentionOf } from "../ledger.js";
import type { Retention } from "../ledger.js";
import { budgetOf, countOf, fields, numberOf } from "../options.js";
import { Sorted, admitted, pinnedAmong, verifyPins } from "../pins.js";
import type { Admission, AdmitOptions } from "../pins.js";
import { pinnedIndices } from "../planning.js";
import type { PlanOptions, ReadOptions } from "../planning.js";
import { elements } from "../stage.js";
import { toolsOf } from "../tools.js";
import type { ToolUse } from "../tools.js";
import { windowSize } from "../transcript.js";
import type { Transcript, WindowSize } from "../transcript.js";
import type { CompactEvent, Summarize } from "./types.js";

/** The options, read once, and what they do. */
export class Settings<M extends object> {
  declare readonly window: WindowSize | undefined;
  declare readonly tailBudget: number | undefined;
  declare readonly minGain: number | undefined;
  declare readonly planning: Omit<PlanOptions<M>, "tailBudget" | keyof ReadOptions>;
  declare readonly tools: Readonly<Record<string, ToolUse>> | undefined;
  declare readonly fallback: "deterministic" | "floor" | "none";
  declare readonly maxBytes: number | undefined;
  declare readonly retention: Retention;
  declare readonly summarize: Summarize | undefined;
  declare readonly summarizerWindow: number | undefined;
  declare readonly attempts: number;
  declare readonly maxCalls: number;
  /** Nothing waits for it: its timers do not keep a program from ending. */
  declare readonly background: boolean;
  declare readonly timeoutMs: number;
  declare readonly listBytes: number;
  declare readonly accept: ((summary: string) => unknown) | undefined;
  declare readonly requests: { resultBytes: number | undefined; argumentBytes: number | undefined; instructions: string };
  declare signal: AbortSignal | undefined;
  declare readonly pins: { admission: Admission; sorted: Sorted<object>; messages: readonly object[] } | undefined;
  declare readonly onEvent: ((event: CompactEvent<M>) => void) | undefined;

  constructor(settings: object) {
    Object.assign(this, settings);
  }

  /** A listener has no say: what it throws must not decide what becomes of a conversation. */
  tell(event: CompactEvent<M>): void {
    const { onEvent } = this;
    try {
      onEvent?.(event);
    } catch {
      // Said in the documentation.
    }
  }

  /** The messages that stay verbatim: those of the caller's, and those among the pins. */
  pinnedOf(messages: readonly M[]): number[] {
    return [...pinnedIndices(messages, this.planning.pinned), ...pinnedAmong(messages, this.pins?.messages ?? [])];
  }

  /**
   * The same for a window that was made of `messages`, each at the place that `origins` tells: what the caller says by index is said
   * of the messages that were given.
   */
  moved(messages: readonly M[], origins: readonly number[]): Settings<M> {
    if (origins.length === messages.length && origins.every((origin, i) => origin === i)) return this;
    const pinned = new Set(pinnedIndices(messages, this.planning.pinned));
    const prefix = countOf(this.planning.prefix, "prefix");
    const places = (isMeant: (origin: number) => boolean): number[] => origins.flatMap((origin, place) => (origin >= 0 && isMeant(origin) ? [place] : []));
    const leading = places((origin) => origin < prefix);
    const planning = { ...this.planning, pinned: places((origin) => pinned.has(origin)), prefix: leading.length === 0 ? 0 : leading[leading.length - 1]! + 1 };
    return new Settings<M>({ ...this, planning });
  }

  /** The admission, for the answer. */
  admitted(): { pins?: Admission } {
    return this.pins === undefined ? {} : { pins: this.pins.admission };
  }

  /** Puts the pinned message in its place; where each message was before, -1 of what was put in. */
  pin(transcript: Transcript<M>): number[] {
    if (this.pins === undefined) return [...transcript.messages().keys()];
    const origins = transcript.placeSorted(this.pins.sorted);
    transcript.ledger.recordPins(this.pins.admission);
    return origins;
  }

  /** Refuses a window in which a pin would not be, once the pinned message is placed. */
  refuseLoss(window: readonly object[]): void {
    if (this.pins === undefined) return;
    const { admission, messages } = this.pins;
    const there = pinnedAmong(window, messages).length;
    if (there >= new Set(messages).size || messages.length === 0) return;
    const { missing } = verifyPins(window, messages);
    if (missing.length === 0) return;
    throw new PlicaError("pins-missing", `${missing.length} of ${admission.pinned.length} pins would not be in the window: messages that are pinned have to be in the conversation; nothing has changed`);
  }

  refuseAborted(): void {
    if (this.signal?.aborted === true) throw this.signal.reason;
  }

  /** Waits, unless it is aborted meanwhile. */
  async orAborted(promise: Promise<unknown>): Promise<void> {
    const { signal } = this;
    if (signal === undefined) return void (await promise);
    this.refuseAborted();
    let stop: (() => void) | undefined;
    const aborted = new Promise<void>((resolve) => (stop = resolve));
    signal.addEventListener("abort", stop!, { once: true });
    await Promise.race([promise, aborted]);
    signal.removeEventListener("abort", stop!);
    this.refuseAborted();
  }
}

const PLANNING = ["keepTurns", "prefix", "pinned", "keepSystem", "anchorTask", "anchorRequest", "margin"] as const;
const FALLBACKS: readonly unknown[] = ["deterministic", "floor", "none"];

export function settingsOf<M extends object>(options: unknown): Settings<M> {
  const keys = ["summarize", "summarizerWindow", "attempts", "maxCalls", "timeoutMs", "signal", "onEvent", "accept", "resultBytes", "argumentBytes", "instructions", "tools", "listBytes"] as const;
  const given = fields(options, [...keys, "window", "tailBudget", "minGain", "fallback", "maxBytes", "retention", "pins", "admission"], "options");
  const { instructions = "", fallback = "deterministic" } = given;
  const signal = signalOf(given.signal);
  if (typeof instructions !== "string") throw new PlicaError("bad-argument", `instructions must be a string, not ${article(instructions)}`);
  if (!FALLBACKS.includes(fallback)) throw new PlicaError("bad-argument", 'fallback must be "deterministic", "floor" or "none"');
  // Seen to be one before a model is called.
  toolsOf(given.tools);
  const isLeftOut = (key: keyof typeof given): boolean => given[key] === undefined || given[key] === null;
  const optional = (key: "minGain" | "summarizerWindow"): number | undefined => (isLeftOut(key) ? undefined : numberOf(given[key], key, 0));
  // What it is otherwise is for those to say who take it.
  const counted = (key: "resultBytes" | "argumentBytes" | "maxBytes"): number | undefined => (isLeftOut(key) ? undefined : countOf(given[key], key));
  return new Settings<M>({
    window: windowSize(given.window),
    tailBudget: isLeftOut("tailBudget") ? undefined : budgetOf(given.tailBudget),
    minGain: optional("minGain"),
    planning: { ...fields(options, PLANNING, "options") },
    tools: given.tools,
    fallback,
    maxBytes: counted("maxBytes"),
    retention: retentionOf(given.retention),
    summarize: functionOf(given.summarize, "summarize"),
    summarizerWindow: optional("summarizerWindow"),
    attempts: Math.max(1, countOf(given.attempts, "attempts", 2)),
    maxCalls: countOf(given.maxCalls, "maxCalls", 24),
    background: false,
    timeoutMs: numberOf(given.timeoutMs, "timeoutMs", 300_000),
    listBytes: countOf(given.listBytes, "listBytes", 2000),
    accept: functionOf(given.accept, "accept"),
    requests: { resultBytes: counted("resultBytes"), argumentBytes: counted("argumentBytes"), instructions },
    signal,
    pins: pinsOf(given.pins, given.admission),
    onEvent: functionOf(given.onEvent, "onEvent"),
  });
}

function pinsOf(pins: unknown, admission: unknown): Settings<object>["pins"] {
  if (pins === undefined || pins === null) return undefined;
  const options = fields(admission, ["maxPins", "maxTokens", "issuers", "issuer"], "admission") as AdmitOptions;
  const all = elements<object>(pins, "pins");
  const { admission: made, sorted } = admitted(all, new Sorted(all, options), options);
  return { admission: made, sorted, messages: sorted.messages.map((index) => made.pinned[index]!) };
}

function signalOf(value: unknown): AbortSignal | undefined {
  if (value === undefined || value === null) return undefined;
  const { aborted, addEventListener } = fields(value, ["aborted", "addEventListener"], "signal");
  // By what it can do: signals of other realms and of polyfills do as well.
  if (typeof aborted === "boolean" && typeof addEventListener === "function") return value as AbortSignal;
  throw new PlicaError("bad-argument", `signal must be an AbortSignal, not ${article(value)}`);
}

function functionOf(value: unknown, what: string): unknown {
  if (value === undefined || value === null || typeof value === "function") return value ?? undefined;
  throw new PlicaError("bad-argument", `${what} must be a function, not ${article(value)}`);
}
