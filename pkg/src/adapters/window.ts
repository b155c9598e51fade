// The window of a conversation: the rules in it, what it costs, and when it folds. What folds, where and into what is the package's
// to say; nothing of it is decided here.

import { Transcript, admitPins, compact, prepare } from "plica";
import type { CompactOptions, Compaction, Format, Ledger, Preparation, Signal, WindowSize } from "plica";
import { makingOf } from "./conversation-options.js";
import type { ConversationOptions, NextOptions } from "./conversation-options.js";
import { hasCode, heard } from "./problems.js";
import type { Recognition } from "./recognition.js";

/** What is not kept yet: messages from an index of the window on, or the window as a whole, which may lack what is stored. */
export type Unkept = { readonly kind: "nothing" } | { readonly kind: "messages"; readonly from: number } | { readonly kind: "window"; readonly forget: boolean | "records" };

/** Folding is tried again when so much has come since it was of no use. */
const GROWTH = 1.05;

/** A count is taken up to so many times the estimate, and down to its part: the estimate strays by a sixth, on some texts by a half. */
const STRAY = 4;

const NOTHING: Unkept = { kind: "nothing" };

/** What the provider takes for the messages, where something else is sent beside them. */
type Room = { window?: WindowSize };

export class FoldingWindow<M extends object> {
  /** What is not kept yet. */
  unkept: Unkept = NOTHING;
  /** Length of the window as it was given out last; undefined when it is another one since. */
  sent: number | undefined;
  private transcript: Transcript<M>;
  /** Whether the rules of the options are in, or were asked for. */
  private pinned = false;
  /** Whether the provider has counted a request of this window. */
  private counted = false;
  private preparation: Preparation | undefined;
  /** Below so many tokens folding, and preparing it, is of no use. */
  private foldFrom = 0;
  private prepareFrom = 0;
  /** What was told when nothing could fold last. */
  private unfolded: Compaction<M> | undefined;
  /** Whether a digest is being made. */
  isFolding = false;

  constructor(
    messages: readonly M[],
    ledger: Ledger<M>,
    private readonly options: ConversationOptions<M>,
    private readonly format: Format,
    private readonly recognition: Recognition<M>,
  ) {
    this.transcript = this.transcribed(messages, ledger);
  }

  get length(): number {
    return this.transcript.length;
  }

  get ledger(): Ledger<M> {
    return this.transcript.ledger;
  }

  messages(): M[] {
    return this.transcript.messages();
  }

  free(): void {
    this.endPreparation();
    this.transcript.free();
  }

  /** Copies that go their own way. */
  copied(): { messages: M[]; ledger: Ledger<M> } {
    return { messages: this.messages(), ledger: this.ledger.copy() };
  }

  // --- what is in it ----------------------------------------------------------------------------------------------------

  append(messages: readonly M[]): void {
    if (messages.length === 0) return;
    const from = this.length;
    this.transcript.append(messages);
    if (this.unkept.kind === "nothing") this.unkept = { kind: "messages", from };
  }

  /** As if what was appended had never come: it could not be kept. */
  takeBack(length: number, unkept: Unkept): void {
    this.transcript.truncate(length);
    if (length === 0) this.pinned = false;
    this.unkept = unkept;
  }

  /** Nothing was said: rules that are there have their place behind what will lead the conversation. */
  empty(): void {
    if (this.length > 0) this.changed(true);
    this.transcript.truncate(0);
    this.pinned = false;
  }

  cut(length: number): void {
    const plan = this.preparation?.plan;
    if (plan?.kind === "fold" && plan.keptFrom > length) this.endPreparation();
    this.transcript.truncate(length);
    this.reset(true);
  }

  /** Other messages are the window, and a ledger of so many records says what they stand for: one that had others could not be read. */
  replace(messages: readonly M[], records: number): void {
    const old = this.transcript;
    this.transcript = this.transcribed(messages, old.ledger.copy(records));
    // What is sent beside the messages is as much as it was.
    const beside = old.tokens - old.calibration * old.estimate().total;
    if (beside >= 1) this.transcript.usage({ inputTokens: Math.ceil(beside + this.transcript.estimate().total), at: messages.length });
    old.free();
    this.endPreparation();
    if (records === 0) this.pinned = false;
    this.reset("records");
  }

  /** The rules are in the window from the first request on: put in later, they would cost the provider's cache. Says whether they are new. */
  pin(first = false): boolean {
    const { pins, admission, onPins } = this.options;
    if (this.pinned || pins === undefined || (this.length === 0 && !first)) return false;
    const before = this.messages();
    const admitted = admitPins(pins, admission);
    this.transcript.placePins(admitted.pinned);
    heard(() => onPins?.(admitted));
    this.pinned = true;
    const after = this.messages();
    if (after.length === before.length && after.every((message, i) => message === before[i])) return false;
    // Rules that newer ones took the place of.
    this.changed(true);
    return true;
  }

  /** It is kept as it is. */
  kept(): void {
    this.unkept = NOTHING;
  }

  /** It is not what is stored; `forget`: it may lack what is. */
  changed(forget: boolean | "records"): void {
    const before = this.unkept.kind === "window" ? this.unkept.forget : false;
    this.unkept = { kind: "window", forget: before === "records" ? before : forget === false ? before : forget };
  }

  private reset(forget: true | "records"): void {
    this.sent = undefined;
    this.foldFrom = this.prepareFrom = 0;
    this.changed(forget);
  }

  private transcribed(messages: readonly M[], ledger: Ledger<M>): Transcript<M> {
    const { window, estimator, provenance } = this.options;
    return Transcript.restore<M>(messages, ledger, { window, estimator, provenance, format: this.format } as never);
  }

  // --- what it costs ----------------------------------------------------------------------------------------------------

  /** Takes what the provider counted for the first `at` messages. */
  count(usage: object | undefined, at: number | undefined): void {
    if (usage === undefined || usage === null || at === undefined || at === 0) return;
    try {
      if (!this.isPlausible({ ...usage, at })) return;
      this.transcript.usage({ ...usage, at });
      this.counted = true;
    } catch (error) {
      // Some models count nothing; then the estimate stands.
      if (!hasCode(error, "bad-argument")) throw error;
    }
  }

  /** The same messages are as many tokens as there, where the provider has counted those. */
  countAs({ transcript, counted }: FoldingWindow<M>): void {
    if (!counted || transcript.length === 0 || transcript.length !== this.length) return;
    this.transcript.usage({ inputTokens: transcript.tokens, at: transcript.length });
    this.counted = true;
  }

  /** Some providers count nothing, and say so as 0; some count without what they have in their cache; some say anything. */
  private isPlausible(usage: { at: number; partial?: unknown }): boolean {
    // On a fork, of the messages alone that were counted.
    const tried = this.transcript.fork();
    try {
      tried.truncate(Math.min(usage.at, tried.length));
      const estimated = tried.estimate().total;
      const tokens = tried.usage(usage).tokens;
      return (tokens >= estimated / STRAY || usage.partial === true) && tokens <= STRAY * estimated + sizeOf(this.options.window).size;
    } finally {
      tried.free();
    }
  }

  /** The window without what is sent beside the messages: the transcript does not know of that before something was counted. */
  private room(beside: (() => number) | undefined): Room {
    const { size, overhead, output } = sizeOf(this.options.window);
    if (this.counted || beside === undefined || (overhead ?? undefined) !== undefined) return {};
    return { window: { size: Math.max(1, size - beside()), ...(output === undefined ? {} : { output }) } };
  }

  // --- folding ----------------------------------------------------------------------------------------------------------

  /** Folds when it is due, and prepares a fold when that is; gives what came of it each time that it was due. */
  async fit({ signal, beside }: Pick<NextOptions, "signal" | "beside">): Promise<Compaction<M> | undefined> {
    const { at } = this.options;
    const room = this.room(beside);
    if (!this.transcript.due({ ...room, ...(at === undefined ? {} : { at }) })) {
      this.prepare(room);
      return undefined;
    }
    if (this.unfolded !== undefined && this.transcript.tokens < this.foldFrom) return this.stillUnfolded(this.unfolded);
    this.isFolding = true;
    try {
      return await this.folded(room, signal);
    } finally {
      this.isFolding = false;
    }
  }

  private async folded(room: Room, signal: Signal | undefined): Promise<Compaction<M>> {
    let made = await this.compacted(room, signal);
    if (made.outcome === "unchanged" && made.reason === "message-changed") {
      // Edited in place by the framework: read anew.
      this.recognition.forgetPrints();
      this.replace(this.messages(), this.ledger.records.length);
      made = await this.compacted(room, signal);
    }
    // What costs nothing is tried each time: a message more may be all that was missing for a cut. A summarizer that failed is left alone for a while.
    this.foldFrom = made.outcome === "unchanged" && made.failed.length > 0 ? this.grown() : 0;
    this.unfolded = made.fold === undefined ? made : undefined;
    if (made.fold === undefined) return made;
    this.sent = undefined;
    this.prepareFrom = 0;
    this.changed(false);
    return made;
  }

  /** Where nothing can be freed the provider has the last word about a window that may still do. */
  private async compacted(room: Room, signal: Signal | undefined): Promise<Compaction<M>> {
    try {
      const made = await compact<M>(this.transcript, { ...makingOf(this.options), ...room, signal, prepared: this.preparation } as CompactOptions<M>);
      this.endPreparation();
      return made;
    } catch (error) {
      // Said after the same has come back unchanged some times.
      if (!hasCode(error, "no-progress") || this.unfolded === undefined) throw error;
      this.endPreparation();
      return this.stillUnfolded(this.unfolded);
    }
  }

  /** Nothing was asked this time; why nothing folds is what it was. */
  private stillUnfolded(last: Compaction<M>): Compaction<M> {
    const { tokens } = this.transcript;
    return { ...last, messages: this.messages(), tokens: { before: tokens, after: tokens }, failed: [] };
  }

  private prepare(room: Room): void {
    const { prepareAt } = this.options;
    const { tokens } = this.transcript;
    if (prepareAt === undefined || this.preparation !== undefined || tokens < this.prepareFrom || !this.transcript.due({ ...room, at: prepareAt })) return;
    const preparation = prepare<M>(this.transcript, { ...makingOf(this.options), ...room } as never);
    this.preparation = preparation;
    const next = this.grown();
    void preparation.ready.then(({ prepared }) => {
      if (prepared || this.preparation !== preparation) return;
      // Tried again when more has come, as a fold is.
      this.preparation = undefined;
      this.prepareFrom = next;
    });
  }

  /** Nothing is prepared any more: what is under way ends. */
  private endPreparation(): void {
    this.preparation?.cancel();
    this.preparation = undefined;
  }

  private grown(): number {
    return Math.ceil(this.transcript.tokens * GROWTH);
  }
}

function sizeOf(window: number | WindowSize): WindowSize {
  return typeof window === "number" ? { size: window } : window;
}
