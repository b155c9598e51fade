// What the adapters share: one conversation of a framework, followed from call to call. A framework hands over its messages each time,
// be it all that was ever said or the window it was given last; the conversation finds out what is new, folds when it is time to, and
// gives the window to send. What folds, where and into what is the package's to say; nothing of it is decided here.

import { Ledger, PlicaError, Transcript, admitPins, compact, fingerprints, prepare } from "plica";
import type { CompactOptions, Compaction, Format, Preparation, Signal, UsageFigures, WindowSize } from "plica";
import type { LedgerStore } from "../store/types.js";

/** Options of every adapter. Those of `compact` say how a fold is made. */
export interface ConversationOptions<M extends object = object> extends Omit<CompactOptions<M>, "prepared" | "signal" | "window" | "format"> {
  /** What the model takes, in tokens. */
  window: number | WindowSize;
  /** The share of the window from which on it folds. Default 0.8. */
  at?: number | undefined;
  /** The share of the window from which on a summary is prepared in the background: 0.6, say. Left out: none is. */
  prepareAt?: number | undefined;
  /** Where the conversation is kept, a store of `plica/store`; needs `id`. */
  store?: LedgerStore | undefined;
  /** The id of the conversation in the store. */
  id?: string | undefined;
  /** Without a store: the window to go on with. */
  messages?: readonly M[] | undefined;
  /** Without a store: its ledger. */
  ledger?: Ledger<M> | undefined;
  /** Hears of each fold, and of each time that nothing could fold. What it throws is ignored. */
  onCompaction?: ((compaction: Compaction<M>) => void) | undefined;
}

/** What is known beside the messages. */
export interface NextOptions {
  /** What the provider counted for the request that the window before was sent with, in any provider's shape. */
  usage?: UsageFigures | object | undefined;
  /** Ends a fold; nothing has changed then. */
  signal?: Signal | undefined;
  /** Tokens that are sent beside the messages. Asked for as long as the provider has counted nothing and the window has no overhead. */
  beside?: (() => number) | undefined;
  /**
   * Messages that do not go on from what was said: left out, the conversation goes back with them, wherever that is. `"begun"`: only
   * where they begin as it does. `"never"`: not at all. What is refused is a `conflict`.
   */
  back?: "begun" | "never" | undefined;
}

/** Folding is tried again when so much has come since it was of no use. */
const GROWTH = 1.05;

/** What an adapter says of its framework. */
export interface Internals {
  /** The format of the framework's messages. */
  format: Format;
}

/**
 * One conversation. Calls follow each other, however they are made.
 *
 * @example
 * const conversation = new Conversation({ window: 200_000, summarize });
 * const messages = await conversation.window(everythingSaid);   // what to send
 */
export class Conversation<M extends object = object> {
  private transcript: Transcript<M> | undefined;
  /** All that was ever said, in its order. */
  private log: M[] = [];
  /** For each message of the log its index in the window, -1 where it is folded. */
  private places: number[] = [];
  private prepared: Preparation | undefined;
  /** Below so many tokens folding is of no use. */
  private useless = 0;
  private pinned = false;
  /** Whether the provider has counted a request of this transcript. */
  private counted = false;
  /** Messages with rules that were put into a window. */
  private readonly rules = new WeakSet<object>();
  private version = "0";
  /** What the store has not got: messages behind those it has, or more than that. */
  private unsaved: "nothing" | "messages" | "window" = "nothing";
  private saved = 0;
  private forgets = false;
  private readonly prints = new WeakMap<object, string>();
  private last: Promise<unknown> = Promise.resolve();

  /** @throws PlicaError `bad-argument`. */
  constructor(
    private readonly options: ConversationOptions<M>,
    private readonly internals: Internals,
  ) {
    const { window, store, id, messages, ledger } = options ?? {};
    if (window === undefined || window === null) throw new PlicaError("bad-argument", "the options need a window: what the model takes, in tokens");
    if (store !== undefined && typeof id !== "string") throw new PlicaError("bad-argument", "a store needs the id of the conversation");
    if (store !== undefined && (messages ?? ledger) !== undefined) throw new PlicaError("bad-argument", "with a store, messages and ledger come from it");
    // Refuses options that are none before a model is called.
    new Transcript<M>({ window, format: internals.format }).free();
  }

  /**
   * Takes the messages as the framework has them, and gives the window to send: your own objects, with the digests among them.
   *
   * @param messages all that was said, or the window that was given last, with what came since behind it. Where the framework has gone
   * back (an answer made anew, a message edited) the conversation goes back with it.
   * @throws what the signal was aborted with; PlicaError those of `compact` and of the store; `conflict` when another server has written
   * to the conversation what is not among the messages.
   */
  window(messages: readonly M[], options: NextOptions = {}): Promise<M[]> {
    return this.inTurn(() => this.stored(async (strict) => {
      await this.load();
      this.take(messages, strict, options);
      await this.keep();
      await this.fit(options);
      await this.keep();
      return this.shown(messages);
    }));
  }

  /**
   * Takes the messages as the framework has them, and folds nothing: behind the last answer of a run.
   *
   * @throws as {@link Conversation.window}.
   */
  record(messages: readonly M[], options: Pick<NextOptions, "usage" | "back"> = {}): Promise<void> {
    return this.inTurn(() => this.stored(async (strict) => {
      await this.load();
      this.take(messages, strict, options);
      await this.keep();
    }));
  }

  /**
   * Puts messages behind those that are there, for frameworks that hand over what is new and nothing else.
   *
   * @throws as {@link Conversation.window}.
   */
  append(messages: readonly M[], options: NextOptions = {}): Promise<void> {
    return this.inTurn(async () => {
      await this.stored(() => this.kept(messages, options.usage));
      await this.fit(options);
      await this.keptLater();
    });
  }

  /** Takes the last message off; undefined when there is none. What is folded comes back when it is its turn. */
  pop(): Promise<M | undefined> {
    return this.inTurn(() => this.stored(async () => {
      await this.load();
      const last = this.log[this.log.length - 1];
      if (last === undefined) return undefined;
      this.rewind(this.log.length - 1);
      await this.keep();
      return last;
    }));
  }

  /** Forgets everything, in the store as well. */
  clear(): Promise<void> {
    return this.inTurn(async () => {
      const { store, id } = this.options;
      this.leave();
      if (store !== undefined) await store.delete(id!);
      this.start([], new Ledger<M>());
      this.version = "0";
    });
  }

  /** The window as it is now. */
  messages(): Promise<M[]> {
    return this.inTurn(async () => {
      await this.load();
      return this.transcript!.messages();
    });
  }

  /** All that was ever said: every original; in these objects, where they are all of them. */
  originals(as?: readonly M[]): Promise<M[]> {
    return this.inTurn(async () => {
      await this.load();
      return (as !== undefined && this.isAll(as) ? as : this.log).slice();
    });
  }

  /** The ledger: with the window it is all that has to be kept to go on later. */
  ledger(): Promise<Ledger<M>> {
    return this.inTurn(async () => {
      await this.load();
      return this.transcript!.ledger;
    });
  }

  /** A conversation of the same messages and folds that goes its own way, in no store. */
  branch(): Promise<Conversation<M>> {
    return this.inTurn(async () => {
      await this.load();
      const fork = this.transcript!.fork();
      const { store: _, id: __, ...options } = this.options;
      const branch = new Conversation<M>({ ...options, messages: fork.messages(), ledger: fork.ledger }, this.internals);
      fork.free();
      return branch;
    });
  }

  /** Whether a message of the window is the one with the rules, which nobody said. */
  isRules(message: M): boolean {
    return this.rules.has(message);
  }

  // --- what is known ----------------------------------------------------------------------------------------------------

  private async load(): Promise<void> {
    if (this.transcript !== undefined) return;
    const { store, id, messages = [], ledger = new Ledger<M>() } = this.options;
    if (store === undefined) return this.start(messages, ledger);
    const stored = await store.load<M>(id!, { originals: true });
    this.start(stored.messages, stored.ledger);
    this.version = stored.version;
  }

  private start(messages: readonly M[], ledger: Ledger<M>): void {
    const { window, estimator, provenance } = this.options;
    this.transcript?.free();
    this.transcript = Transcript.restore<M>(messages, ledger, { window, estimator, provenance, format: this.internals.format } as never);
    this.prepared?.cancel();
    this.prepared = undefined;
    this.pinned = false;
    this.counted = false;
    this.useless = 0;
    this.remember();
    this.saved = this.transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }

  /** The log behind the window, after it has changed as a whole. */
  private remember(): void {
    const window = this.transcript!.messages();
    const { ledger } = this.transcript!;
    try {
      this.log = ledger.unfold(window);
      this.places = ledger.places(window);
    } catch (error) {
      // Gone back behind all folds, now or when it was stored: the window has none of the digests.
      const isBack = this.log.length > 0 || this.options.store !== undefined;
      if (!(error instanceof PlicaError) || error.code !== "digest-missing" || !isBack) throw error;
      const placed = ledger.placedByMe(window);
      this.places = window.map((_, i) => i).filter((i) => !placed[i]);
      this.log = this.places.map((i) => window[i]!);
    }
    const said = new Set(this.places);
    const unsaid = window.filter((_, i) => !said.has(i));
    ledger.lookupMany(unsaid).forEach((fold, i) => {
      if (fold === undefined) this.rules.add(unsaid[i]!);
    });
  }

  /** What is in memory may not be what is stored any more. */
  private leave(): void {
    this.prepared?.cancel();
    this.prepared = undefined;
    this.transcript?.free();
    this.transcript = undefined;
  }

  // --- what is new ------------------------------------------------------------------------------------------------------

  private take(given: readonly M[], strict: boolean, { usage, back }: Pick<NextOptions, "usage" | "back">): void {
    const known = this.common(given, this.log);
    if (known === this.log.length) return this.add(given.slice(known), usage);
    for (const view of this.views()) {
      if (this.common(given, view) === view.length) return this.add(given.slice(view.length), usage);
    }
    if (strict) throw new PlicaError("conflict", "another server has written to the conversation what is not among these messages: load it again");
    if (back === "never" || (back === "begun" && known === 0 && this.views().every((view) => this.common(given, view) === 0))) {
      throw new PlicaError("conflict", "these messages do not go on from what was said in this conversation: are they those of another?");
    }
    this.back(given, known);
  }

  /** What a framework may have kept of what it was given: the window, and the window without the rules that were put into it. */
  private views(): M[][] {
    const window = this.transcript!.messages();
    const views = [window, window.filter((message) => !this.rules.has(message))];
    return views[1]!.length === window.length ? [window] : views;
  }

  /** The framework has gone back: to a place in the window that it was given, or in all that was said. */
  private back(given: readonly M[], known: number): void {
    for (const view of this.views()) {
      const kept = this.common(given, view);
      const at = kept === 0 ? -1 : this.transcript!.messages().indexOf(view[kept - 1]!);
      // Behind a digest: with what folded there is nothing else that would begin so.
      if (at < 0 || !this.transcript!.messages().slice(0, at + 1).some((message) => this.transcript!.ledger.lookup(message) !== undefined)) continue;
      this.cut(at + 1);
      return this.add(given.slice(kept), undefined);
    }
    this.rewind(known);
    this.add(given.slice(known), undefined);
  }

  /** Forgets what was said from `length` on. Where that is folded, all before it is in the window again. */
  private rewind(length: number): void {
    if (length === this.log.length) return;
    const at = this.places.slice(length).every((place) => place >= 0) ? this.places[length]! : -1;
    if (at >= 0 && this.places.slice(0, length).every((place) => place < at)) return this.cut(at);
    const { ledger } = this.transcript!;
    const log = this.log.slice(0, length);
    this.start([], ledger);
    this.transcript!.append(log);
    this.log = log;
    this.places = log.map((_, i) => i);
    this.unsaved = "window";
    this.forgets = true;
  }

  private cut(length: number): void {
    this.transcript!.truncate(length);
    this.remember();
    this.useless = 0;
    this.unsaved = "window";
    this.forgets = true;
  }

  private add(messages: readonly M[], usage: object | undefined): void {
    const transcript = this.transcript!;
    const at = transcript.length;
    if (messages.length > 0) transcript.append(messages);
    messages.forEach((message, i) => {
      this.places.push(at + i);
      this.log.push(message);
    });
    this.count(usage, at);
    if (messages.length > 0 && this.unsaved === "nothing") this.unsaved = "messages";
    this.pin();
  }

  private count(usage: object | undefined, at: number): void {
    if (usage === undefined || usage === null || at === 0) return;
    try {
      this.transcript!.usage({ ...usage, at });
      this.counted = true;
    } catch (error) {
      // Some models count nothing; then the estimate stands.
      if (!(error instanceof PlicaError) || error.code !== "bad-argument") throw error;
    }
  }

  /** The rules are in the window from the first request on: put in later, they would cost the provider's cache. */
  private pin(): void {
    const { pins, admission } = this.options;
    if (this.pinned || pins === undefined || this.transcript!.length === 0) return;
    this.transcript!.placePins(admitPins(pins, admission).pinned);
    this.pinned = true;
    this.remember();
    this.unsaved = "window";
  }

  private isAll(messages: readonly M[]): boolean {
    return messages.length === this.log.length && this.common(messages, this.log) === messages.length;
  }

  /** How many messages the lists begin with alike. */
  private common(a: readonly M[], b: readonly M[]): number {
    const length = Math.min(a.length, b.length);
    const others: number[] = [];
    for (let i = 0; i < length; i++) if (a[i] !== b[i]) others.push(i);
    if (others.length === 0) return length;
    const [left, right] = [this.printsOf(others.map((i) => a[i]!)), this.printsOf(others.map((i) => b[i]!))];
    const first = others.findIndex((_, i) => left[i] !== right[i]);
    return first < 0 ? length : others[first]!;
  }

  private printsOf(messages: readonly M[]): string[] {
    const missing = messages.filter((message) => !this.prints.has(message));
    if (missing.length > 0) fingerprints(missing, { format: this.internals.format }).forEach((print, i) => this.prints.set(missing[i]!, print));
    return messages.map((message) => this.prints.get(message)!);
  }

  // --- folding ----------------------------------------------------------------------------------------------------------

  private async fit({ signal, beside }: NextOptions): Promise<void> {
    const { window: _, at, prepareAt, onCompaction, store: __, id: ___, messages: ____, ledger: _____, ...making } = this.options;
    const transcript = this.transcript!;
    const window = this.room(beside);
    const share = { ...(at === undefined ? {} : { at }), ...window };
    if (!transcript.due(share)) {
      if (prepareAt !== undefined && this.prepared === undefined && transcript.due({ ...window, at: prepareAt })) this.prepared = prepare<M>(transcript, making as never);
      return;
    }
    if (transcript.tokens < this.useless) return;
    const { prepared } = this;
    const made = await this.made(() => compact<M>(transcript, { ...making, ...window, signal, prepared } as CompactOptions<M>));
    this.prepared = undefined;
    this.useless = made === undefined || made.outcome === "unchanged" ? Math.ceil(transcript.tokens * GROWTH) : 0;
    if (made?.fold !== undefined) {
      this.remember();
      this.unsaved = "window";
    }
    if (made === undefined) return;
    try {
      onCompaction?.(made);
    } catch {
      // A listener is no part of the fold.
    }
  }

  /** The window without what is sent beside the messages: the transcript does not know of that before something was counted. */
  private room(beside: (() => number) | undefined): { window?: WindowSize } {
    const { window } = this.options;
    const { size, overhead, output } = typeof window === "number" ? { size: window } as WindowSize : window;
    if (this.counted || beside === undefined || (overhead ?? undefined) !== undefined) return {};
    return { window: { size: Math.max(1, size - beside()), ...(output === undefined ? {} : { output }) } };
  }

  /** Where nothing can be freed the provider has the last word about a window that may still do. */
  private async made(fold: () => Promise<Compaction<M>>): Promise<Compaction<M> | undefined> {
    try {
      return await fold();
    } catch (error) {
      if (error instanceof PlicaError && error.code === "no-progress") return undefined;
      throw error;
    }
  }

  /** The window, in the objects of the framework as they are now: what changes nothing of a message's meaning may have changed. */
  private shown(given: readonly M[]): M[] {
    const window = this.transcript!.messages();
    if (!this.isAll(given)) return window;
    this.places.forEach((place, i) => {
      if (place >= 0) window[place] = given[i]!;
    });
    return window;
  }

  // --- keeping ----------------------------------------------------------------------------------------------------------

  private async keep(): Promise<void> {
    const { store, id } = this.options;
    if (this.unsaved === "nothing") return;
    const transcript = this.transcript!;
    if (store !== undefined) {
      this.version = this.unsaved === "messages"
        ? await store.append(id!, transcript.messages().slice(this.saved), { version: this.version })
        : await store.save(id!, transcript, { version: this.version, forget: this.forgets });
    }
    this.saved = transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }

  /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
  private async kept(messages: readonly M[], usage: object | undefined): Promise<void> {
    await this.load();
    const { unsaved } = this;
    const [window, said] = [this.transcript!.length, this.log.length];
    this.add(messages, usage);
    try {
      await this.keep();
    } catch (error) {
      this.transcript!.truncate(Math.min(window, this.transcript!.length));
      this.log.length = this.places.length = said;
      this.unsaved = unsaved;
      throw error;
    }
  }

  /** Keeps a fold; where that fails the next write has it, unless another server's fold was first: then that one counts. */
  private async keptLater(): Promise<void> {
    try {
      await this.keep();
    } catch (error) {
      if (!(error instanceof PlicaError)) throw error;
      if (error.code === "conflict") this.leave();
    }
  }

  /** Another server may have been first: what it wrote counts, and this is done once more on top of it, or refused. */
  private async stored<T>(work: (strict: boolean) => Promise<T>): Promise<T> {
    try {
      return await work(false);
    } catch (error) {
      // Without a store there is nothing but what is in memory.
      if (!(error instanceof PlicaError) || error.code !== "conflict" || this.options.store === undefined) throw error;
      this.leave();
      return await work(true);
    }
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work, work);
    this.last = next.catch(() => undefined);
    return next;
  }
}
