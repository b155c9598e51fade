// What the adapters share: one conversation of a framework, followed from call to call. A framework hands over its messages each time,
// be it all that was ever said or the window it was given last; the conversation finds out what is new, folds when it is time to, and
// gives the window to send. What folds, where and into what is the package's to say; nothing of it is decided here.

import { Ledger, PlicaError, Transcript, admitPins, compact, fingerprints, prepare } from "plica";
import type { Admission, CompactOptions, Compaction, Format, Preparation, Signal, UsageFigures, WindowSize } from "plica";
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
  /** Without a store: what was said, where the ledger holds originals by reference. */
  originals?: readonly M[] | undefined;
  /** Hears which of the `pins` were admitted and which were not, when the rules are put in. What it throws is ignored. */
  onPins?: ((admission: Admission) => void) | undefined;
  /** Hears of each fold, and of each time that nothing could fold. What it throws is ignored. */
  onCompaction?: ((compaction: Compaction<M>) => void) | undefined;
}

/** What is known beside the messages. */
export interface NextOptions {
  /**
   * What the provider counted for the request that the window before was sent with, in any provider's shape. `at`, the number of messages
   * of that window, where the conversation has not given it out itself: it was loaded since, say. A count far from the estimate is none, unless
   * it is `partial`: the provider leaves out some of what it is sent.
   */
  usage?: UsageFigures | object | undefined;
  /** Ends a fold; nothing has changed then. */
  signal?: Signal | undefined;
  /** Tokens that are sent beside the messages. Asked for as long as the provider has counted nothing and the window has no overhead. */
  beside?: (() => number) | undefined;
  /**
   * Messages that do not go on from what was said: `"begun"`, the default, goes back with them where they begin as the conversation does,
   * `"anywhere"` also where they have nothing of it, `"never"` not at all. What is refused is a `conflict`.
   */
  back?: "anywhere" | "begun" | "never" | undefined;
}

/** What is known beside messages that are appended. */
export interface AppendingOptions extends Pick<NextOptions, "usage" | "signal" | "beside"> {
  /** Whether to fold when it is due. Default true. */
  fold?: boolean | undefined;
}

/** Folding is tried again when so much has come since it was of no use. */
const GROWTH = 1.05;

/** Between the id of a conversation and the version that was gone back from. */
const LEFT = "~left~";

/** The version of a conversation that is in no store. */
const NONE = "0";

const itself = (i: number): number => i;
const noPlaces = (): undefined => undefined;

/** A count is taken up to so many times the estimate, and down to its part: the estimate strays by a sixth, on some texts by a half. */
const STRAY = 4;

/** So many messages are compared at first. */
const FEW = 8;

/** So often a call is made on top of what other servers wrote. */
const ATTEMPTS = 3;

/** What an adapter says of its framework. */
export interface Internals {
  /** The format of the framework's messages. */
  format: Format;
}

/**
 * One conversation. Calls follow each other, however they are made.
 *
 * @example
 * const conversation = new Conversation({ window: 200_000, summarize }, { format: "anthropic" });
 * const messages = await conversation.window(everythingSaid);   // what to send
 */
export class Conversation<M extends object = object> {
  private transcript: Transcript<M> | undefined;
  /** All that was ever said, in its order. */
  private log: M[] = [];
  /** For each message of the log its index in the window, -1 where it is folded. */
  private places: number[] = [];
  /** Indices in the window of its digests, and of what was put in beside them (the rules, say); undefined until it is asked for. */
  private made: { digests: number[]; put: ReadonlySet<number> } | undefined;
  private prepared: Preparation | undefined;
  /** Below so many tokens folding, and preparing it, is of no use. */
  private useless = 0;
  private unprepared = 0;
  /** Length of the window that was given last; undefined when it is another one since. */
  private sent: number | undefined;
  private pinned = false;
  private fitting = false;
  /** Whether the provider has counted a request of this transcript. */
  private counted = false;
  /** Messages with rules that were put into a window. */
  private readonly rules = new WeakSet<object>();
  private version = NONE;
  /** What the store has not got: messages behind those it has, or more than that. */
  private unsaved: "nothing" | "messages" | "window" = "nothing";
  private saved = 0;
  private forgets: boolean | "records" = false;
  /** What is known came from another server, and the framework has not seen it yet. */
  private foreign = false;
  private refusal: PlicaError | undefined;
  /** What was gone back from, as long as the store has not got it under an id of its own. */
  private left: { messages: M[]; ledger: Ledger<M> } | undefined;
  /** Fingerprints of digests whose folds were undone: what they stand for is said again, or gone. */
  private readonly undone = new Set<string>();
  /** Messages of a write of which it is not known whether it was done. */
  private doubtful: { said: number; messages: readonly M[] } | undefined;
  private prints = new WeakMap<object, string>();
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
    const tried = new Transcript<M>({ window, format: internals.format });
    for (const at of [options.at, options.prepareAt]) if (at !== undefined) tried.due({ at });
    tried.free();
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
    return this.inTurn(() => this.stored(async (again) => {
      refuseAborted(options.signal);
      await this.load();
      const given = this.take(messages, again, options);
      await this.keep();
      await this.fit(options);
      await this.keepFold();
      this.sent = this.transcript!.length;
      void this.inWindow;
      const window = this.transcript!.messages();
      given.forEach((message, i) => {
        if (this.places[i]! >= 0) window[this.places[i]!] = message;
      });
      return window;
    }));
  }

  /**
   * Takes the messages as the framework has them, and folds nothing: behind the last answer of a run.
   *
   * @throws as {@link Conversation.window}.
   */
  record(messages: readonly M[], options: Pick<NextOptions, "usage" | "back"> = {}): Promise<void> {
    return this.inTurn(() => this.stored(async (again) => {
      await this.load();
      this.take(messages, again, options);
      await this.keep();
    }));
  }

  /**
   * Puts messages behind those that are there, for frameworks that hand over what is new and nothing else.
   *
   * @throws as {@link Conversation.window}.
   */
  append(messages: readonly M[], options: AppendingOptions = {}): Promise<void> {
    return this.inTurn(async () => {
      refuseAborted(options.signal);
      await this.stored(() => this.kept(messages, options.usage));
      if (options.fold === false) return;
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
      this.foreign = false;
      try {
        await this.keep();
      } catch (error) {
        // It is as it was, and can be taken off once more.
        this.leave();
        throw error;
      }
      return last;
    }));
  }

  /** Forgets everything, in the store as well. */
  clear(): Promise<void> {
    return this.inTurn(async () => {
      const { store, id } = this.options;
      this.leave();
      this.foreign = false;
      this.left = undefined;
      this.undone.clear();
      // Loaded anew when it is asked for: the ledger of a store may have its key.
      if (store === undefined) return this.start([], new Ledger<M>());
      await store.delete(id!);
      for (const left of await store.list({ prefix: `${id!}${LEFT}`, limit: Number.MAX_SAFE_INTEGER })) await store.delete(left.id);
    });
  }

  /** The window as it is now. */
  messages(): Promise<M[]> {
    return this.reading(async () => {
      await this.load();
      this.foreign = false;
      // What a first request is made of has them as well.
      if (this.log.length === 0) this.pin(true);
      void this.inWindow;
      return this.transcript!.messages();
    });
  }

  /** All that was ever said: every original; in these objects, where they are all of them. */
  originals(as?: readonly M[]): Promise<M[]> {
    return this.reading(async () => {
      await this.load();
      this.foreign = false;
      const isAll = as !== undefined && as.length === this.log.length && this.common(as, this.log) === as.length;
      return (isAll ? as : this.log).slice();
    });
  }

  /** The ledger: with the window it is all that has to be kept to go on later. */
  ledger(): Promise<Ledger<M>> {
    return this.reading(async () => {
      await this.load();
      this.foreign = false;
      return this.transcript!.ledger;
    });
  }

  /** Forgets what is in memory where another server has written since: it is read anew when it is asked for. */
  refresh(): Promise<void> {
    return this.inTurn(async () => {
      const { store, id } = this.options;
      if (store === undefined || this.transcript === undefined || this.unsaved !== "nothing") return;
      // Ids come in their order, and none that begins with this one is before it.
      const [info] = await store.list({ prefix: id!, limit: 1 });
      if ((info?.id === id ? info!.version : NONE) !== this.version) this.leave();
    });
  }

  /** A conversation of the same messages and folds that goes its own way, in no store. */
  branch(): Promise<Conversation<M>> {
    return this.inTurn(async () => {
      await this.load();
      const fork = this.transcript!.fork();
      const { store: _, id: __, ...options } = this.options;
      const branch = new Conversation<M>({ ...options, messages: fork.messages(), ledger: fork.ledger, originals: this.log.slice() }, this.internals);
      fork.free();
      await branch.load();
      branch.countAs(this);
      return branch;
    });
  }

  /**
   * Takes the folds of a branch over, where the same was said in both.
   *
   * @returns whether it was.
   */
  join(branch: Conversation<M>): Promise<boolean> {
    return this.inTurn(async () => {
      await this.load();
      const [said, messages, ledger] = [await branch.originals(), await branch.messages(), await branch.ledger()];
      if (said.length !== this.log.length || this.common(said, this.log) !== said.length) return false;
      this.start(messages, ledger);
      this.countAs(branch);
      this.unsaved = "window";
      await this.keptLater();
      return true;
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
    // What was to be left had not come to be.
    this.left = undefined;
    this.start(stored.messages, stored.ledger);
    // Nobody else was there: what was refused was refused for what is known.
    if (stored.version === this.version) this.foreign = false;
    this.version = stored.version;
  }

  private start(messages: readonly M[], ledger: Ledger<M>): void {
    const transcript = this.transcribed(messages, ledger);
    const { originals } = this.options;
    const said = ledger.unfold(transcript.messages(), originals === undefined ? {} : { originals });
    this.leave();
    this.transcript = transcript;
    this.pinned = this.counted = false;
    this.useless = this.unprepared = 0;
    this.sent = undefined;
    this.log = said;
    this.placed();
    this.saved = transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }

  private transcribed(window: readonly M[], ledger: Ledger<M>): Transcript<M> {
    const { window: size, estimator, provenance } = this.options;
    return Transcript.restore<M>(window, ledger, { window: size, estimator, provenance, format: this.internals.format } as never);
  }

  /** Where the log is in the window, after that has changed as a whole. */
  private placed(): void {
    this.made = undefined;
    const window = this.transcript!.messages();
    try {
      this.places = this.transcript!.ledger.places(window);
    } catch (error) {
      // Messages that were edited in place are not what the ledger knows; they are the same objects.
      if (!hasCode(error, "digest-missing")) throw error;
      const at = new Map(window.map((message, i) => [message, i]));
      this.places = this.log.map((message) => at.get(message) ?? -1);
    }
  }

  private get inWindow(): { digests: number[]; put: ReadonlySet<number> } {
    if (this.made !== undefined) return this.made;
    const window = this.transcript!.messages();
    const folds = this.transcript!.ledger.lookupMany(window);
    const said = new Set(this.places);
    const isDigest = (i: number): boolean => folds[i] !== undefined && !said.has(i);
    const digests = window.flatMap((_, i) => (isDigest(i) ? [i] : []));
    const put = new Set(window.flatMap((_, i) => (said.has(i) || isDigest(i) ? [] : [i])));
    for (const i of put) this.rules.add(window[i]!);
    return (this.made = { digests, put });
  }

  /** What is in memory may not be what is stored any more. */
  private leave(): void {
    this.unprepare();
    this.transcript?.free();
    this.transcript = undefined;
  }

  // --- what is new ------------------------------------------------------------------------------------------------------

  /**
   * Finds out what is new among these messages, or how far they go back.
   *
   * @returns of what was said, by its place in the log, messages that were given in another object: it is theirs that go out, since what
   * changes nothing of a message's meaning may have changed.
   */
  private take(given: readonly M[], again: boolean, { usage, back = "begun" }: Pick<NextOptions, "usage" | "back">): Map<number, M> {
    if (this.log.length === 0) {
      // It was cleared: what a window of it stands for would be lost.
      if (this.foreign) throw (this.refusal = new PlicaError("conflict", "another server has cleared the conversation: clear() begins anew, originals() has nothing any more"));
      // Rules that the framework still has are not the first thing that is said, and their place is behind what leads.
      this.transcript!.truncate(0);
      this.pinned = false;
      this.made = undefined;
      return this.goOn(this.unfolded(given) ?? given, 0, noPlaces, undefined);
    }
    if (this.undone.size > 0 && this.printsOf(given).some((print) => this.undone.has(print))) {
      throw (this.refusal = new PlicaError("conflict", "these messages hold a summary whose fold was undone when the conversation went back: hand over what it stands for, or the window of now"));
    }
    const known = this.common(given, this.log);
    if (known === this.log.length) return this.goOn(given, known, itself, usage);
    const views = this.views();
    const whole = views.find((view) => this.common(given, view.messages) === view.messages.length);
    if (whole !== undefined) return this.goOn(given, whole.messages.length, this.saidAt(whole.places), usage);
    // A window of before the last fold: what it led to was not kept, or it is another server's.
    const earlier = this.unfolded(given);
    if (earlier !== undefined && this.common(earlier, this.log) === this.log.length) return this.goOn(earlier, this.log.length, itself, undefined);
    if (this.foreign) {
      throw (this.refusal = new PlicaError("conflict", "another server has written to the conversation what is not among these messages: load it again"));
    }
    const isOther = known === 0 && earlier === undefined && views.every((view) => this.common(given, view.messages) === 0);
    if (back === "never" || (back === "begun" && isOther)) {
      const refusal = new PlicaError("conflict", "these messages do not go on from what was said in this conversation: those of another need a conversation of their own");
      // What is stored may know of them.
      throw again ? (this.refusal = refusal) : refusal;
    }
    return this.back(given, known, views, earlier);
  }

  /** So many of the messages are known, each at a place of the log, or at none where it is a digest. */
  private goOn(given: readonly M[], known: number, placeOf: (i: number) => number | undefined, usage: object | undefined): Map<number, M> {
    const theirs = new Map<number, M>();
    for (let i = 0; i < known; i++) {
      const place = placeOf(i);
      if (place !== undefined && this.log[place] !== given[i]) theirs.set(place, given[i]!);
    }
    this.add(given.slice(known), usage, this.sent);
    this.foreign = false;
    return theirs;
  }

  /** Where in the log a message of a view is. */
  private saidAt(view: readonly number[]): (i: number) => number | undefined {
    const said = new Map(this.places.map((place, i) => [place, i]));
    return (i) => said.get(view[i]!);
  }

  /** What a framework may have kept of what it was given: the window, and the window without what nobody said. */
  private views(): { messages: M[]; places: number[] }[] {
    const messages = this.transcript!.messages();
    const whole = { messages, places: messages.map((_, i) => i) };
    const { put } = this.inWindow;
    if (put.size === 0) return [whole];
    const places = whole.places.filter((i) => !put.has(i));
    return [whole, { messages: places.map((i) => messages[i]!), places }];
  }

  /** What was said behind messages with digests or rules of this conversation among them; undefined when there are none. */
  private unfolded(given: readonly M[]): M[] | undefined {
    const { ledger } = this.transcript!;
    if (ledger.lookupMany(given).every((fold) => fold === undefined)) {
      const rules = ledger.placedByMe(given);
      return rules.includes(true) ? given.filter((_, i) => rules[i] !== true) : undefined;
    }
    try {
      return ledger.unfold(given);
    } catch (error) {
      if (hasCode(error, "digest-missing", "originals-missing")) return undefined;
      throw error;
    }
  }

  /** The framework has gone back: to a place in all that was said, in the window that it was given, or in one of before. */
  private back(given: readonly M[], known: number, views: readonly { messages: M[]; places: number[] }[], earlier: readonly M[] | undefined): Map<number, M> {
    const shared = earlier === undefined ? known : this.common(earlier, this.log);
    let best: { kept: number; at: number; list: readonly M[]; placeOf: (i: number) => number | undefined } = { kept: shared, at: shared, list: earlier ?? given, placeOf: itself };
    for (const { messages, places } of views) {
      const at = this.common(given, messages);
      const kept = at === 0 ? 0 : this.saidBefore(places[at - 1]! + 1) ?? 0;
      if (kept > 0 && kept >= best.kept) best = { kept, at, list: given, placeOf: this.saidAt(places) };
    }
    const { kept, at, list, placeOf } = best;
    // What is refused is refused before anything is forgotten.
    this.printsOf(list.slice(at));
    this.leaveBehind();
    this.rewind(kept);
    return this.goOn(list, at, placeOf, undefined);
  }

  /** How much of the log the window stands for up to a place; undefined where that is not its beginning. */
  private saidBefore(place: number): number | undefined {
    if (this.inWindow.digests.some((digest) => digest >= place)) return undefined;
    const first = this.places.findIndex((other) => other >= place);
    const kept = first < 0 ? this.places.length : first;
    return this.places.slice(kept).every((other) => other >= place) ? kept : undefined;
  }

  /** What is gone back from stays to be had, where there is a store: it is not for a framework to delete what was said. */
  private leaveBehind(): void {
    if (this.options.store === undefined || this.version === NONE || this.left !== undefined) return;
    this.left = { messages: this.transcript!.messages(), ledger: this.transcript!.ledger.copy() };
  }

  /** Forgets what was said from `length` on. Folds that reach behind it are undone, the last one first. */
  private rewind(length: number): void {
    if (length === this.log.length) return;
    // Rules alone are no conversation.
    if (length === 0) return this.startOver();
    while (!this.isCut(length)) {
      if (this.undo()) continue;
      // Changed by something else than folds: then all that was said is the window.
      this.become(this.log, 0);
      this.placed();
    }
    this.cut(length);
  }

  /** Whether the window can be cut where this much of the log ends. */
  private isCut(length: number): boolean {
    const at = this.places[length]!;
    return this.places.every((place, i) => (i < length ? place < at : place >= at)) && this.inWindow.digests.every((digest) => digest < at);
  }

  private cut(length: number): void {
    const at = this.places[length]!;
    const { prepared } = this;
    if (prepared?.plan.kind === "fold" && prepared.plan.keptFrom > at) this.unprepare();
    this.transcript!.truncate(at);
    this.log.length = this.places.length = length;
    this.changed();
  }

  private startOver(): void {
    this.become([], 0);
    this.log = [];
    this.places = [];
  }

  /** Undoes the last fold; false when there is none, or what it took away is not there. */
  private undo(): boolean {
    const { ledger } = this.transcript!;
    const last = ledger.records[ledger.records.length - 1];
    if (last?.messages === undefined || !("span" in last.record)) return false;
    const alone = Ledger.found<M>([{ record: last.record, messages: last.messages }]);
    this.become(alone.unfold(this.transcript!.messages()), ledger.records.length - 1);
    this.placed();
    return true;
  }

  /** Other messages are the window, and a ledger of so many records says what they stand for: one that had others could not be read. */
  private become(window: readonly M[], records: number): void {
    const old = this.transcript!;
    const ledger = old.ledger.copy(records);
    for (const { record } of old.ledger.records.slice(records)) if ("digest" in record) for (const print of record.digest) this.undone.add(print);
    this.transcript = this.transcribed(window, ledger);
    // What is sent beside the messages is as much as it was.
    const beside = old.tokens - old.calibration * old.estimate().total;
    if (beside >= 1) this.transcript.usage({ inputTokens: Math.ceil(beside + this.transcript.estimate().total), at: window.length });
    old.free();
    this.unprepare();
    if (records === 0) this.pinned = false;
    this.changed();
    this.forgets = "records";
  }

  /** The window is not what is stored, and may lack what is. */
  private changed(): void {
    this.made = undefined;
    this.sent = undefined;
    this.useless = this.unprepared = 0;
    this.unsaved = "window";
    this.forgets ||= true;
  }

  /** `counted`: how many messages the request held that the usage is of; what was not sent so was not counted. */
  private add(messages: readonly M[], usage: object | undefined, counted: number | undefined): void {
    const transcript = this.transcript!;
    // With other rules than those that were sent, the provider has counted something else.
    const { at: own } = (usage ?? {}) as { at?: unknown };
    const sent = this.pin() ? undefined : typeof own === "number" ? own : counted;
    const at = transcript.length;
    if (messages.length > 0) transcript.append(messages);
    messages.forEach((message, i) => {
      this.places.push(at + i);
      this.log.push(message);
    });
    this.count(usage, sent);
    if (messages.length > 0 && this.unsaved === "nothing") this.unsaved = "messages";
    this.pin();
  }

  private count(usage: object | undefined, at: number | undefined): void {
    if (usage === undefined || usage === null || at === undefined || at === 0) return;
    try {
      if (!this.isPlausible({ ...usage, at })) return;
      this.transcript!.usage({ ...usage, at });
      this.counted = true;
    } catch (error) {
      // Some models count nothing; then the estimate stands.
      if (!hasCode(error, "bad-argument")) throw error;
    }
  }

  /** The same messages are as many tokens as there, where the provider has counted those. */
  private countAs(other: Conversation<M>): void {
    const { transcript, counted } = other;
    if (!counted || transcript === undefined || transcript.length === 0 || transcript.length !== this.transcript!.length) return;
    this.transcript!.usage({ inputTokens: transcript.tokens, at: transcript.length });
    this.counted = true;
  }

  /** Some providers count nothing, and say so as 0; some count without what they have in their cache; some say anything. */
  private isPlausible(usage: { at: number; partial?: unknown }): boolean {
    const { window } = this.options;
    // On a fork, of the messages alone that were counted.
    const tried = this.transcript!.fork();
    try {
      tried.truncate(Math.min(usage.at, tried.length));
      const estimated = tried.estimate().total;
      const tokens = tried.usage(usage).tokens;
      return (tokens >= estimated / STRAY || usage.partial === true) && tokens <= STRAY * estimated + (typeof window === "number" ? window : window.size);
    } finally {
      tried.free();
    }
  }

  /** The rules are in the window from the first request on: put in later, they would cost the provider's cache. Says whether they are new. */
  private pin(first = false): boolean {
    const { pins, admission, onPins } = this.options;
    const transcript = this.transcript!;
    if (this.pinned || pins === undefined || (transcript.length === 0 && !first)) return false;
    const before = transcript.messages();
    const admitted = admitPins(pins, admission);
    transcript.placePins(admitted.pinned);
    heard(() => onPins?.(admitted));
    this.pinned = true;
    const after = transcript.messages();
    if (after.length === before.length && after.every((message, i) => message === before[i])) return false;
    this.placed();
    this.unsaved = "window";
    // Rules that newer ones took the place of.
    this.forgets ||= true;
    return true;
  }

  /** How many messages the lists begin with alike. Lists that differ at once are not read to their ends. */
  private common(a: readonly M[], b: readonly M[]): number {
    const length = Math.min(a.length, b.length);
    let at = 0;
    for (let size = FEW; ; size *= 2) {
      const others: number[] = [];
      for (; at < length && others.length < size; at++) if (a[at] !== b[at]) others.push(at);
      const [left, right] = [this.printsOf(others.map((i) => a[i]!)), this.printsOf(others.map((i) => b[i]!))];
      const first = others.findIndex((_, i) => left[i] !== right[i]);
      if (first >= 0) return others[first]!;
      if (at === length) return length;
    }
  }

  private printsOf(messages: readonly M[]): string[] {
    const missing = messages.filter((message) => !this.prints.has(message));
    if (missing.length > 0) fingerprints(missing, { format: this.internals.format }).forEach((print, i) => this.prints.set(missing[i]!, print));
    return messages.map((message) => this.prints.get(message)!);
  }

  // --- folding ----------------------------------------------------------------------------------------------------------

  private async fit({ signal, beside }: Pick<NextOptions, "signal" | "beside">): Promise<void> {
    const { at } = this.options;
    const transcript = this.transcript!;
    const room = this.room(beside);
    if (!transcript.due({ ...room, ...(at === undefined ? {} : { at }) })) return this.prepare(room);
    if (transcript.tokens < this.useless) return;
    this.fitting = true;
    try {
      await this.folded(room, signal);
    } finally {
      this.fitting = false;
    }
  }

  private async folded(room: { window?: WindowSize }, signal: Signal | undefined): Promise<void> {
    const { onCompaction } = this.options;
    const transcript = this.transcript!;
    let made = await this.compacted(room, signal);
    if (made?.outcome === "unchanged" && made.reason === "message-changed") {
      // Edited in place by the framework: read anew.
      this.prints = new WeakMap();
      this.become(transcript.messages(), transcript.ledger.records.length);
      made = await this.compacted(room, signal);
    }
    // What costs nothing is tried each time: a message more may be all that was missing for a cut. A summarizer that failed is left alone for a while.
    this.useless = made?.outcome === "unchanged" && made.failed.length > 0 ? Math.ceil(this.transcript!.tokens * GROWTH) : 0;
    if (made === undefined) return;
    if (made.fold !== undefined) {
      this.placed();
      for (const print of made.fold.record.digest) this.undone.delete(print);
      this.sent = undefined;
      this.unprepared = 0;
      this.unsaved = "window";
    }
    heard(() => onCompaction?.(made!));
  }

  private get making(): CompactOptions<M> {
    const { window: _, at: __, prepareAt: ___, onCompaction: ____, store: _____, id: ______, messages: _______, ledger: ________, originals: _________, onPins: __________, ...making } = this.options;
    return making;
  }

  /** The window without what is sent beside the messages: the transcript does not know of that before something was counted. */
  private room(beside: (() => number) | undefined): { window?: WindowSize } {
    const { window } = this.options;
    const { size, overhead, output }: WindowSize = typeof window === "number" ? { size: window } : window;
    if (this.counted || beside === undefined || (overhead ?? undefined) !== undefined) return {};
    return { window: { size: Math.max(1, size - beside()), ...(output === undefined ? {} : { output }) } };
  }

  /** Where nothing can be freed the provider has the last word about a window that may still do. */
  private async compacted(room: { window?: WindowSize }, signal: Signal | undefined): Promise<Compaction<M> | undefined> {
    try {
      const made = await compact<M>(this.transcript!, { ...this.making, ...room, signal, prepared: this.prepared } as CompactOptions<M>);
      this.unprepare();
      return made;
    } catch (error) {
      if (!hasCode(error, "no-progress")) throw error;
      this.unprepare();
      return undefined;
    }
  }

  private prepare(room: { window?: WindowSize }): void {
    const { prepareAt } = this.options;
    const transcript = this.transcript!;
    if (prepareAt === undefined || this.prepared !== undefined || transcript.tokens < this.unprepared || !transcript.due({ ...room, at: prepareAt })) return;
    const preparation = prepare<M>(transcript, { ...this.making, ...room } as never);
    this.prepared = preparation;
    const tokens = transcript.tokens;
    void preparation.ready.then(({ prepared }) => {
      if (prepared || this.prepared !== preparation) return;
      // Tried again when more has come, as a fold is.
      this.prepared = undefined;
      this.unprepared = Math.ceil(tokens * GROWTH);
    });
  }

  /** Nothing is prepared any more: what is under way ends. */
  private unprepare(): void {
    this.prepared?.cancel();
    this.prepared = undefined;
  }

  // --- keeping ----------------------------------------------------------------------------------------------------------

  private async keep(): Promise<void> {
    const { store, id } = this.options;
    if (this.unsaved === "nothing") return;
    const transcript = this.transcript!;
    if (store !== undefined) {
      await this.keepLeft(store, id!);
      this.version = this.unsaved === "messages"
        ? await store.append(id!, transcript.messages().slice(this.saved), { version: this.version })
        : await store.save(id!, transcript, { version: this.version, forget: this.forgets });
    }
    this.saved = transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }

  private async keepLeft(store: LedgerStore, id: string): Promise<void> {
    const { left } = this;
    if (left === undefined) return;
    try {
      await store.save(`${id}${LEFT}${this.version}`, left, { version: NONE });
    } catch (error) {
      // It is there already: the write that was to follow it failed.
      if (!hasCode(error, "conflict")) throw error;
    }
    this.left = undefined;
  }

  /** Keeps a fold, where what was said is kept already; where that fails the next write has it. */
  private async keepFold(): Promise<void> {
    try {
      await this.keep();
    } catch (error) {
      if (hasCode(error, "conflict")) throw error;
    }
  }

  /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
  private async kept(messages: readonly M[], usage: object | undefined): Promise<void> {
    await this.load();
    if (this.isDone(messages)) return;
    // First: their place is in front of what comes.
    this.pin();
    const { unsaved, forgets } = this;
    const [window, said] = [this.transcript!.length, this.log.length];
    this.add(messages, usage, window);
    try {
      await this.keep();
    } catch (error) {
      this.transcript!.truncate(window);
      this.made = undefined;
      this.log.length = this.places.length = said;
      if (window === 0) this.pinned = false;
      Object.assign(this, { unsaved, forgets });
      this.doubtful = hasCode(error, "conflict") ? this.doubtful : { said, messages };
      throw error;
    }
    this.doubtful = undefined;
  }

  /** Whether a write that seemed to fail was done: the answer of the database got lost. */
  private isDone(messages: readonly M[]): boolean {
    const { doubtful } = this;
    // As it was before that write: it is to be seen when the conversation is loaded.
    if (doubtful === undefined || this.log.length === doubtful.said) return false;
    this.doubtful = undefined;
    if (doubtful.messages.length !== messages.length || this.log.length !== doubtful.said + messages.length) return false;
    return [doubtful.messages, this.log.slice(doubtful.said)].every((list) => this.common(list, messages) === messages.length);
  }

  /** Keeps a fold; where that fails the next write has it, unless another server's fold was first: then that one counts. */
  private async keptLater(): Promise<void> {
    try {
      await this.keep();
    } catch (error) {
      if (hasCode(error, "conflict")) this.leave();
    }
  }

  /** Another server may have been first: what it wrote counts, and this is done once more on top of it, or refused. */
  private async stored<T>(work: (again: boolean) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(attempt > 1);
      } catch (error) {
        // Without a store there is nothing but what is in memory.
        if (!hasCode(error, "conflict") || error === this.refusal || this.options.store === undefined) throw error;
        this.leave();
        this.foreign = true;
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** What is there can be read while a summary is waited for: a summarizer may want to. */
  private reading<T>(work: () => Promise<T>): Promise<T> {
    return this.fitting ? work() : this.inTurn(work);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work, work);
    this.last = next.catch(() => undefined);
    return next;
  }
}

/** By its name: the store may be of another copy of the package, of `require` beside `import`, say. */
function hasCode(error: unknown, ...codes: string[]): boolean {
  const { name, code } = (typeof error === "object" && error !== null ? error : {}) as { name?: unknown; code?: unknown };
  return name === "PlicaError" && codes.includes(code as string);
}

/** A listener has no say. */
function heard(tell: () => unknown): void {
  try {
    const answer = tell();
    if (answer instanceof Promise) answer.catch(() => undefined);
  } catch {
    // Said in the documentation.
  }
}

function refuseAborted(signal: Signal | undefined): void {
  const { aborted, reason } = (signal ?? {}) as { aborted?: boolean; reason?: unknown };
  if (aborted === true) throw reason;
}
