/// <reference lib="esnext.disposable" preserve="true" />
// The transcript of a conversation that goes on: each message's contents cross into the core once, when it is appended. What to
// fold and when is the core's to say; here your own messages are kept, and given again where the core asks for them.

import { PlicaError } from "./errors.js";
import type { Bindings } from "./generated/glue.js";
import type { Explanation, FoldRecord, Format, Measure } from "./generated/core.js";
import { article } from "./kinds.js";
import { Ledger, notesOf, retentionOf } from "./ledger.js";
import type { AnyLedger, Fold, FoldNotes, Retention } from "./ledger.js";
import { live } from "./loader/live.js";
import { fields, formatName } from "./options.js";
import { anyPlan, besideWindow, counts, digestMessages, explanations, marksOf, planArgument, planOptions, readingOf, windowOf } from "./planning.js";
import type { Estimate, Plan, PlanLike, PlanOptions, ProvenanceMark, ReadOptions } from "./planning.js";
import { Sorted, placed } from "./pins.js";
import type { IssuerOptions } from "./pins.js";
import { call, elements, messageLine, valueText, withBytes, withLines } from "./stage.js";

/** The window of a model. */
export interface WindowSize {
  /** Tokens that fit. */
  size: number;
  /** Tokens sent beside the messages: system text, tool schemas. Left out, it is learned from what the provider counts. */
  overhead?: number | undefined;
  /** Tokens to keep free for the answer. Default 0. */
  output?: number | undefined;
}

/** Options of a {@link Transcript}. */
export interface TranscriptOptions<M extends object = object> extends ReadOptions<M> {
  /**
   * As for the functions. Asked once, when a message is appended, with its index then: what it says goes with the message, whatever
   * folds or is put in front of it.
   */
  provenance?: ReadOptions<M>["provenance"];
  /** The model's window, in tokens. */
  window?: number | WindowSize | undefined;
}

/** Options of {@link Transcript.due}. */
export interface DueOptions {
  /** The share of the window above which it is time: more than 0, at most 1. Default 0.8; 0.6 is a good share to prepare at. */
  at?: number | undefined;
  /** Another window than that of the transcript. */
  window?: number | WindowSize | undefined;
}

/** What a provider counted, by our names; those of any provider do as well. */
export interface UsageFigures {
  /** Tokens of the whole prompt, those from a cache included. */
  inputTokens: number;
  /** Tokens of the answer. */
  outputTokens?: number | undefined;
  /** Number of messages that the request held. Left out: see {@link Transcript.usage}. */
  at?: number | undefined;
}

/** The options of a plan that a transcript makes: how messages are read was settled when it was made. */
export type TranscriptPlanOptions<M extends object = object> = Omit<PlanOptions<M>, keyof ReadOptions> & Partial<Pick<PlanOptions<M>, keyof ReadOptions>>;

/** Options of {@link Transcript.commit}: notes are kept with the fold; its tokens are the transcript's own to say. */
export interface CommitOptions extends Omit<FoldNotes, "tokens"> {
  /** What the ledger keeps of the originals. Default `full`. */
  retention?: Retention | undefined;
}

/** Messages are given to the core in pieces of about this many UTF-16 units, so that its memory stays small. */
const CHUNK_UNITS = 1 << 18;

const CHANGED = "the transcript was changed while messages were read for it";

/** What the caller said of where messages came from. */
type Marks = (ProvenanceMark | undefined)[];

/** Messages, and what was said of each; nothing where nobody was asked. */
interface Marked<M> {
  messages: readonly M[];
  marks: Marks;
}

/** A transcript in the core. */
interface Place {
  number: number;
  /** The instance of the core that it lives in. */
  generation: number;
  /** Given back: the number may be another's. */
  gone?: boolean;
}

const READING = ["format", "estimator", "provenance", "ledger"] as const;

/**
 * A conversation that grows. Made once, it answers after every message whether it is time to fold ({@link due}, in constant
 * time) and where ({@link plan}, in time that hardly grows with the conversation).
 *
 * It holds your message objects and reads them when they are appended: one that is changed in place afterwards is refused by
 * {@link commit}. Its memory in the core is given back by {@link free}, by `using`, or when the object is collected.
 *
 * @example
 * const transcript = new Transcript({ window: { size: 200_000, output: 8_000 } });
 * transcript.append(messages);
 * if (transcript.due()) {
 *   const p = transcript.plan({ tailBudget: 60_000 });
 *   if (p.kind === "fold") transcript.commit(p, digestMessage(summary, { format: p.format }));
 * }
 * send(transcript.messages());
 */
export class Transcript<M extends object = object> {
  /** For `using`: {@link free}. */
  declare readonly [Symbol.dispose]: () => void;
  private all: M[] = [];
  /** What the caller said of each message when it came; empty where nobody is asked. */
  private marks: Marks = [];
  private readonly own: Ledger<M>;
  private readonly reading: { format: string | undefined; estimator: unknown; provenance: unknown };
  private readonly window: WindowSize | undefined;
  private place: Place | undefined;
  private freed = false;
  /** How often the messages became others. */
  private changes = 0;
  /** Number of folds of the ledger that the core knows. */
  private known = 0;
  /** What the core learned from the provider's counts. */
  private meter: Float64Array | undefined;
  /** How often messages that a plan may be of were replaced or removed; of each plan, how often it was when it was made. */
  private epoch = 0;
  private readonly plans = new WeakMap<object, number>();

  /**
   * @throws PlicaError `bad-argument`, `unknown-format`, `bad-estimator`.
   */
  constructor(options: TranscriptOptions<M> = {}) {
    // Set here and not in the class: a computed name keeps bundlers from leaving the class out. Node 18 has no such symbol.
    if (typeof Symbol.dispose === "symbol") Object.defineProperty(this, Symbol.dispose, { value: () => this.free() });
    const given = fields(options, [...READING, "window"], "options");
    const { ledger = new Ledger<M>() } = given;
    if (!isLedger<M>(ledger)) throw new PlicaError("bad-argument", "ledger must be a Ledger");
    this.own = ledger;
    this.reading = { format: formatName(given.format), estimator: given.estimator, provenance: given.provenance };
    // Refuses an estimator or a callback that is none, before there is a message to try it on.
    readingOf([], [], this.reading);
    this.window = windowSize(given.window);
    this.withPlace(() => undefined);
  }

  /**
   * A transcript of a window and the ledger of the folds that led to it, as they were saved. A log in which originals and digests
   * follow each other leads to its window (see {@link Ledger.replay}): what folded never comes back beside its digest.
   *
   * @throws PlicaError those of the constructor, of {@link append}, and of {@link Ledger.replay}; `digest-missing` when there are messages
   * and the ledger has folds, of which none is in them: it is the ledger of another conversation, and would be written into.
   * @example
   * Transcript.restore(saved.messages, Ledger.from(saved.ledger), { window: 200_000 })
   */
  static restore<M extends object>(messages: readonly M[], ledger: AnyLedger, options: TranscriptOptions<M> = {}): Transcript<M> {
    const { transcript, prints } = Transcript.restored(elements<M>(messages, "messages"), ledger, options);
    try {
      transcript.own.refuseForeign(transcript.all, prints);
    } catch (error) {
      transcript.free();
      throw error;
    }
    return transcript;
  }

  /**
   * The same of any ledger, and which of the messages each one of the transcript is, below 0 of what was put in between; and the messages'
   * fingerprints, where they were asked for. @internal
   */
  static restored<M extends object>(messages: M[], ledger: AnyLedger, options: TranscriptOptions<M>): { transcript: Transcript<M>; origins: number[]; prints: Uint8Array | undefined } {
    const given = fields(options, [...READING, "window"], "options");
    const transcript = new Transcript<M>({ ...(given as TranscriptOptions<M>), ledger });
    const { window, origins, prints } = transcript.own.replayOf(messages);
    // Asked of the messages as they were given: their indices are the caller's.
    const said = marksOf(messages, given.provenance);
    transcript.take(window, () => (said.length === 0 ? [] : origins.map((origin) => said[origin])));
    return { transcript, origins, prints };
  }

  /** Number of messages. */
  get length(): number {
    this.refuseFreed();
    return this.all.length;
  }

  /** The format that the messages are read by: the one given, or the strictest that all of them fit. */
  get format(): Format {
    return this.withPlace((core, place) => core.transcriptFormat(place)) as Format;
  }

  /**
   * Tokens of the next request: what the provider counted last and estimates of what came since; estimates of all messages and
   * the window's overhead as long as nothing was counted.
   */
  get tokens(): number {
    return Math.ceil(this.withPlace((core, place) => core.transcriptTokens(place)));
  }

  /**
   * Real tokens for one that is estimated, as learned from the provider's counts; 1 at first. Budgets of plans are in estimated
   * tokens: divide by it what you know in real ones.
   */
  get calibration(): number {
    return this.withPlace((core, place) => core.transcriptMeter(place))[0]!;
  }

  /** The window that it was made with. @internal */
  get size(): WindowSize | undefined {
    return this.window;
  }

  /** How its messages are read. @internal */
  readBy(): Pick<ReadOptions<M>, "estimator" | "provenance"> {
    return { estimator: this.reading.estimator, provenance: saying(this.marks) } as Pick<ReadOptions<M>, "estimator" | "provenance">;
  }

  /** The folds of this transcript, with the originals. */
  get ledger(): Ledger<M> {
    return this.own;
  }

  /** The messages: an array of your own objects. */
  messages(): M[] {
    this.refuseFreed();
    return this.all.slice();
  }

  /**
   * Takes messages in at the end.
   *
   * @throws PlicaError `bad-argument`, `bad-message`, `bad-estimator`, `format-undetected`, `too-deep`, `too-large`, `freed`; nothing
   * is appended then.
   */
  append(messages: readonly M[]): this {
    this.refuseFreed();
    const added = elements<M>(messages, "messages");
    this.take(added, () => marksOf(added, this.reading.provenance, this.all.length));
    return this;
  }

  private take(added: readonly M[], marking: () => Marks): void {
    const marks = this.unchanged(marking);
    this.guarded(() => this.withPlace(() => this.give(this.place!, { messages: added, marks }, this.all.length)));
    for (const message of added) this.all.push(message);
    for (const mark of marks) this.marks.push(mark);
    this.changes++;
  }

  /**
   * Forgets all messages from `length` on.
   *
   * @throws PlicaError `bad-argument` when there are fewer; `freed`.
   */
  truncate(length: number): this {
    this.refuseFreed();
    if (!Number.isInteger(length) || length < 0 || length > this.all.length) {
      throw new PlicaError("bad-argument", `length must be a whole number from 0 to ${this.all.length}, not ${typeof length === "number" ? length : article(length)}`);
    }
    if (length === this.all.length) return this;
    this.guarded(() => this.withPlace((core, place) => this.cut(core, place, length)));
    this.all.length = length;
    this.marks.length = Math.min(length, this.marks.length);
    this.changes++;
    this.epoch++;
    return this;
  }

  /**
   * Puts a message in the place of the last one: for a message that is still streaming in, or that was edited.
   *
   * @throws PlicaError `bad-argument` when there is none; those of {@link append}.
   */
  replaceLast(message: M): this {
    this.refuseFreed();
    const first = this.all.length - 1;
    if (first < 0) throw new PlicaError("bad-argument", "there is no message to replace");
    const marks = this.unchanged(() => marksOf([message], this.reading.provenance, first));
    const last = { messages: [message], marks };
    this.guarded(() => {
      this.withPlace((core, place) => {
        const kept = core.transcriptTruncate(place, first);
        if (kept) this.give(this.place!, last, first);
        else this.give(this.place!, this.behindFirst(first, last), 0);
        if (this.meter !== undefined) this.meter = core.transcriptMeter(place);
      });
    });
    this.all[first] = message;
    if (marks.length > 0) this.marks[first] = marks[0];
    this.changes++;
    this.epoch++;
    return this;
  }

  /**
   * Has exactly one pinned message among the messages: that of these facts, as the function `placePins` does it. As long as it says
   * the same, nothing is touched; otherwise the messages are read anew, and the provider's last count is forgotten. The ledger
   * knows of it: `unfold` takes out what was put in.
   *
   * @throws PlicaError those of the function `placePins`; `freed`.
   * @example
   * transcript.placePins(admitPins(facts).pinned);
   */
  placePins<P extends object = object>(pins: readonly P[], options: IssuerOptions<P> = {}): this {
    this.placeSorted(new Sorted(elements<P>(pins, "pins"), options));
    return this;
  }

  /** The same of pins that were read already; where each message was before, -1 of what was put in. @internal */
  placeSorted(sorted: Sorted<object>): number[] {
    this.refuseFreed();
    const reading = { ...this.reading, provenance: saying(this.marks), ledger: this.own };
    const { messages, origins, written, displaced } = this.unchanged(() => placed(this.all, sorted, reading, this.own));
    if (origins.length === this.all.length && origins.every((origin, i) => origin === i)) return origins;
    const marks = this.marks.length === 0 ? [] : origins.map((origin) => this.marks[origin]);
    this.guarded(() =>
      this.withPlace((core, place) => {
        core.transcriptTruncate(place, 0);
        this.give(this.place!, { messages, marks }, 0);
        if (this.meter !== undefined) this.meter = core.transcriptMeter(place);
      }),
    );
    this.all = messages;
    this.marks = marks;
    this.changes++;
    this.epoch++;
    this.own.placePins(written);
    for (const [message, before] of displaced) this.own.displace(message, before);
    return origins;
  }

  /**
   * A copy that goes its own way: the messages are the same objects, the ledger a copy of its own.
   *
   * @throws PlicaError `freed`.
   */
  fork(): Transcript<M> {
    const copy = new Transcript<M>({ ...this.reading, ledger: this.own.copy(), window: this.window } as TranscriptOptions<M>);
    this.withPlace((core, place) => {
      release(copy.place!);
      copy.place = { number: core.transcriptFork(place), generation: live.generation() };
    });
    copy.all = this.all.slice();
    copy.marks = this.marks.slice();
    copy.known = this.known;
    copy.meter = this.meter?.slice();
    watch(copy, copy.place!);
    return copy;
  }

  /**
   * Takes what the provider counted for a request. From here on {@link tokens} and {@link due} stand on it.
   *
   * The request was the one that the model's messages at the end answer. Where the last message is not the model's (the answer is
   * not appended yet) it was the one with all messages; `at`, the number of messages in the request, says otherwise.
   *
   * @param figures `{ inputTokens, outputTokens }`, or the usage as any provider or framework gives it (Anthropic, OpenAI, Gemini,
   * Bedrock, Ollama, AI SDK, LangChain, pi), or the answer that holds it.
   * @throws PlicaError `bad-argument` when there is no count of a prompt in it; `freed`.
   * @example
   * transcript.append([response.message]).usage(response.usage);
   */
  usage(figures: UsageFigures | object): this {
    this.refuseFreed();
    if (typeof figures !== "object" || figures === null) throw new PlicaError("bad-argument", `usage must be an object, not ${article(figures)}`);
    const { at } = fields(figures, ["at"], "usage");
    if (at !== undefined && !(Number.isInteger(at) && (at as number) >= 0 && (at as number) <= this.all.length)) {
      throw new PlicaError("bad-argument", `at must be a whole number from 0 to ${this.all.length}: how many messages the request held`);
    }
    const text = valueText(figures, "usage");
    this.withPlace((core, place) => {
      withLines([text], (inner, length) => inner.transcriptUsage(length, place, at as number | undefined));
      this.meter = core.transcriptMeter(place);
    });
    return this;
  }

  /**
   * Whether it is time to fold: more than 0.8 of the window is taken, what is kept free for the answer aside. In constant time.
   *
   * @throws PlicaError `bad-argument` when no window is known; `freed`.
   */
  due(options: DueOptions = {}): boolean {
    const { at, window } = fields(options, ["at", "window"], "options");
    if (at !== undefined && typeof at !== "number") throw new PlicaError("bad-argument", `at must be a number, not ${article(at)}`);
    const other = windowSize(window);
    return this.withPlace((core, place) => core.transcriptDue(place, at, other));
  }

  /**
   * The plan that the function `plan` makes for the same messages.
   *
   * @throws PlicaError those of the function `plan`; `bad-argument` when an option of reading is another than that of the transcript;
   * `freed`.
   */
  plan(options: TranscriptPlanOptions<M>): Plan {
    this.refuseFreed();
    const given = planOptions(this.all, options);
    this.refuseOtherReading(options);
    const plan = this.withPlace((core, place) => core.transcriptPlan(place, given)) as Plan;
    this.plans.set(plan, this.epoch);
    return plan;
  }

  /**
   * The fate of every message under a plan, and why: what the function `explain` says for the same messages, without reading them
   * again.
   *
   * @throws PlicaError `bad-plan`, `plan-mismatch`, `freed`.
   * @example
   * transcript.explain(transcript.plan({ tailBudget: 20_000 }))[0] // { index: 0, fate: "prefix", reason: "…" }
   */
  explain(plan: Plan | PlanLike): Explanation[] {
    this.refuseFreed();
    const span = anyPlan(plan);
    return explanations(this.withPlace((core, place) => core.transcriptExplain(place, span)));
  }

  /**
   * Tokens and messages of each part of a plan: what the function `measure` says for the same messages.
   *
   * @throws PlicaError `bad-plan`, `plan-mismatch`, `freed`.
   */
  measure(plan: Plan | PlanLike): Measure {
    this.refuseFreed();
    const span = anyPlan(plan);
    return this.withPlace((core, place) => core.transcriptMeasure(place, span)) as Measure;
  }

  /**
   * The estimate of each message, as the function `estimate` gives it: what the provider counted has no part in it.
   *
   * @throws PlicaError `freed`.
   */
  estimate(): Estimate {
    this.refuseFreed();
    const perMessage = this.withPlace((core, place) => core.transcriptEstimate(place));
    return { total: perMessage.reduce((sum, tokens) => sum + tokens, 0), perMessage };
  }

  /**
   * Folds: the messages become prefix, kept messages, digest and tail, and the ledger has the originals. Messages appended since
   * the plan are part of the tail. Every message is read once more, to see that it is still what was appended.
   *
   * @param digest the message of `digestMessage`, or several.
   * @returns the fold, as the ledger has it.
   * @throws PlicaError `stale-plan` when messages that were planned were replaced or removed since; `plan-mismatch` when the plan is
   * for other messages; `message-changed` when a message was changed in place; `illegal-cut`, `nothing-to-fold`, `bad-plan`, `freed`.
   * Nothing is changed then.
   */
  commit(plan: Plan | PlanLike, digest: object | readonly object[], options: CommitOptions = {}): Fold<M> {
    this.refuseFreed();
    const span = planArgument(plan);
    const { tokens } = fields(plan, ["tokens"], "the plan", "bad-plan");
    const retention = retentionOf(fields(options, ["retention"], "options").retention);
    const { tokens: _, ...notes } = notesOf(options, "options");
    const digests = digestMessages(digest) as M[];
    if ((this.plans.get(plan) ?? this.epoch) !== this.epoch) {
      throw new PlicaError("stale-plan", "messages that were planned have been replaced or removed since; plan again");
    }
    const before = this.tokens;
    const { lines, digestLines, counted } = this.unchanged(() => {
      const digestLines = digests.map((message) => messageLine(message));
      return { lines: this.all.map((message, index) => messageLine(message, index)), digestLines, counted: this.countsOfCommit(digestLines) };
    });
    const done = this.withPlace((core, place) => {
      const made = withLines([...lines, ...digestLines], (inner, length) =>
        inner.transcriptCommit(length, place, digests.length, span, plannedTokens(tokens), counted),
      ) as { record: FoldRecord; slots: number[] };
      // What was made is the core's to know and ours to hold: until both are done, the messages are to be given anew.
      this.place = undefined;
      const window = windowOf(made.slots, this.all, digests, (model) => core.fillerMessage(made.record.format, model));
      // All that the core is asked for before anything of it is ours: what fails until then has changed nothing.
      const after = Math.ceil(core.transcriptTokens(place));
      const marks = this.marks.length === 0 ? [] : besideWindow(made.slots, this.marks, digests.length);
      return { record: made.record, window, marks, after, meter: core.transcriptMeter(place), place: { number: place, generation: live.generation() } };
    });
    const planned = this.all;
    const fold = this.own.keepFold(done.record, planned, retention, { ...notes, tokens: { before, after: done.after } });
    this.all = done.window;
    this.marks = done.marks;
    this.changes++;
    this.place = done.place;
    this.meter = done.meter;
    this.known = this.own.folds.length;
    this.epoch++;
    return fold;
  }

  /** Gives the memory in the core back. The messages and the ledger stay yours; every other call throws `freed`. Twice does no harm. */
  free(): void {
    if (this.freed) return;
    this.freed = true;
    this.leave();
  }

  /** Gives the place in the core back. The collector must not do it again: the number may be another's by then. */
  private leave(): void {
    const { place } = this;
    this.place = undefined;
    registry?.unregister(this);
    if (place !== undefined) release(place);
  }

  private refuseFreed(): void {
    if (this.freed) throw new PlicaError("freed", "this Transcript was freed; make a new one, or restore it from its messages and its ledger");
  }

  /** Refuses options that would have the messages read in another way. @internal */
  refuseOtherReading(options: unknown): void {
    const given = fields(options, READING, "options", "bad-budget");
    const own: Record<(typeof READING)[number], unknown> = { ...this.reading, ledger: this.own };
    for (const key of READING) {
      if (given[key] === undefined || given[key] === null || given[key] === own[key]) continue;
      // What it is where nothing was said.
      if (key === "estimator" && own[key] === undefined && given[key] === "balanced") continue;
      if (key === "format" && this.all.length > 0 && given[key] === this.format) continue;
      throw new PlicaError("bad-argument", `${key} is another than that of the Transcript; it is settled when the Transcript is made`);
    }
  }

  private countsOfCommit(digestLines: readonly string[]): Float64Array | undefined {
    const { estimator } = this.reading;
    if (typeof estimator !== "function") return undefined;
    const { format } = this;
    const fillers = [false, true].map((model) => call((core) => core.fillerMessage(format, model)));
    return Float64Array.from(counts([...digestLines, ...fillers], estimator)!);
  }

  /** Runs `fn` with this transcript in the live instance of the core. */
  private withPlace<T>(fn: (core: Bindings, place: number) => T): T {
    this.refuseFreed();
    return call((core) => {
      const { place } = this;
      const here = place !== undefined && place.generation === live.generation() && this.known === this.own.folds.length;
      return fn(core, here ? place.number : this.settle(core));
    });
  }

  /** Gives all messages to the core, which does not have them: at first, after a trap, when the ledger has gained folds. */
  private settle(core: Bindings): number {
    this.leave();
    const number = core.transcriptNew(this.reading.format, typeof this.reading.estimator === "string" ? this.reading.estimator : undefined, this.window);
    const place: Place = { number, generation: live.generation() };
    try {
      const prints = this.own.digestPrints();
      if (prints.byteLength > 0) withBytes([prints], (inner, length) => inner.transcriptKnow(length, number));
      this.unchanged(() => this.give(place, { messages: this.all, marks: this.marks }, 0));
      if (this.meter !== undefined) core.transcriptSetMeter(number, this.meter);
    } catch (error) {
      release(place);
      throw error;
    }
    // What the caller has there may have called this transcript, which then has a place already.
    this.leave();
    this.place = place;
    this.known = this.own.folds.length;
    watch(this, place);
    return number;
  }

  /**
   * Appends in the core, from index `first` on, piece by piece: the texts of one piece are gone before those of the next are made.
   * Where another format shows itself, the messages in front are given again.
   */
  private give(place: Place, marked: Marked<M>, first: number): void {
    const { messages } = marked;
    for (let start = 0; start < messages.length; ) {
      const { lines, reading } = this.read(marked, start, first);
      if (place.gone === true) throw new PlicaError("bad-argument", CHANGED);
      const end = start + lines.length;
      if (!withLines(lines, (inner, length) => inner.transcriptAppend(length, place.number, reading, messages.length - end))) {
        return this.give(place, this.behindFirst(first, marked), 0);
      }
      start = end;
    }
  }

  /** Messages behind the first ones of this transcript. */
  private behindFirst(first: number, { messages, marks }: Marked<M>): Marked<M> {
    return { messages: [...this.all.slice(0, first), ...messages], marks: [...this.marks.slice(0, first), ...marks] };
  }

  /** The texts of a piece and how they are read, before anything of it is staged: what the caller has there may call plica. */
  private read({ messages, marks }: Marked<M>, start: number, first: number): { lines: string[]; reading: object | undefined } {
    const lines: string[] = [];
    for (let i = start, units = 0; i < messages.length && units < CHUNK_UNITS; i++) {
      lines.push(messageLine(messages[i], first + i));
      units += lines[i - start]!.length;
    }
    const { estimator } = this.reading;
    if (marks.length === 0 && typeof estimator !== "function") return { lines, reading: undefined };
    const end = start + lines.length;
    const provenance = saying(marks.slice(start, end), first + start);
    const { format: _, estimator: __, ...reading } = readingOf(messages.slice(start, end), lines, { estimator, provenance }, first + start);
    return { lines, reading };
  }

  private cut(core: Bindings, place: number, length: number): void {
    if (core.transcriptTruncate(place, length)) {
      if (this.meter !== undefined) this.meter = core.transcriptMeter(place);
      return;
    }
    const { meter } = this;
    this.give(this.place!, this.behindFirst(length, { messages: [], marks: [] }), 0);
    if (meter !== undefined) this.meter = core.transcriptMeter(place);
  }

  /** On failure the core may hold part of what was given: the next call gives it everything anew. */
  private guarded(fn: () => void): void {
    try {
      this.unchanged(fn);
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** Runs `fn`, in which messages are read: getters and callbacks may do anything, but not that. */
  private unchanged<T>(fn: () => T): T {
    const { changes } = this;
    const done = fn();
    if (this.changes === changes && !this.freed) return done;
    throw new PlicaError("bad-argument", CHANGED);
  }
}

/** Says of each message what was said of it before; `first` is the index of the first. */
function saying(marks: Marks, first = 0): ((message: object, index: number) => ProvenanceMark | undefined) | undefined {
  if (marks.length === 0) return undefined;
  // As they are now: who asks may do so after other messages have come.
  const said = marks.slice();
  return (_, index) => said[index - first];
}

function plannedTokens(tokens: unknown): Float64Array | undefined {
  if (typeof tokens !== "object" || tokens === null) return undefined;
  const { prefix, tail } = fields(tokens, ["prefix", "tail"], "tokens of the plan", "bad-plan");
  return typeof prefix === "number" && typeof tail === "number" ? Float64Array.of(prefix, tail) : undefined;
}

/** The `window` option. @internal */
export function windowSize(window: unknown): WindowSize | undefined {
  if (window === undefined || window === null) return undefined;
  const given = typeof window === "number" ? { size: window } : fields(window, ["size", "overhead", "output"], "window");
  const { size, overhead, output = 0 } = given as { size?: unknown; overhead?: unknown; output?: unknown };
  for (const [name, value] of Object.entries({ size, overhead: overhead ?? 0, output })) {
    if (typeof value !== "number" || !(value >= 0)) throw new PlicaError("bad-argument", `window.${name} must be a number of tokens, 0 or more`);
  }
  return { size, ...(overhead === undefined || overhead === null ? {} : { overhead }), output } as WindowSize;
}

function isLedger<M extends object>(value: unknown): value is Ledger<M> {
  // By what it can do, not by instanceof: the slim and the full entry have a Ledger each.
  return typeof value === "object" && typeof fields(value, ["digestPrints"], "ledger").digestPrints === "function";
}

let registry: FinalizationRegistry<Place> | undefined;

/** Gives the place in the core back when the object is collected. */
function watch(transcript: object, place: Place): void {
  if (typeof FinalizationRegistry === "undefined") return;
  registry ??= new FinalizationRegistry(release);
  registry.unregister(transcript);
  registry.register(transcript, place, transcript);
}

function release(place: Place): void {
  if (place.gone === true) return;
  place.gone = true;
  // Not through `call`: what the collector does must not start an instance of the core.
  if (place.generation === live.generation() && live.isAlive()) live.withCore((core) => core.transcriptFree(place.number));
}
