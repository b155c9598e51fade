// What the adapters share: one conversation of a framework, followed from call to call. A framework hands over its messages each time,
// be it all that was ever said or the window it was given last; the conversation finds out what is new (reading.ts, said.ts), folds when
// it is time to (window.ts), keeps what there is (keeping.ts), and gives the window to send.

import { Ledger, PlicaError } from "plica";
import type { Signal } from "plica";
import type { AppendingOptions, ConversationOptions, Internals, NextOptions } from "./conversation-options.js";
import { notesOf, optionsOf } from "./conversation-options.js";
import { abortOf, isAborted, reasonOf, refuseAborted } from "./aborts.js";
import { refuseMessages } from "./checks.js";
import { Keeping, Overtaken, Unknown } from "./keeping.js";
import { heard } from "./problems.js";
import { readingOf } from "./reading.js";
import type { GoingBack, GoingOn, Reading } from "./reading.js";
import { Recognition } from "./recognition.js";
import { Said } from "./said.js";
import { FoldingWindow } from "./window.js";

export type { AppendingOptions, ConversationOptions, Internals, NextOptions } from "./conversation-options.js";

/** So long, in ms, calls stand behind one that was aborted and waits for the store. Then it is left to itself. */
const GRACE = 1000;

/** What reading is told. `signal` ends it, before a store that does not answer, say. */
type ReadingOptions = Pick<NextOptions, "signal">;

/** What is known of a conversation, as long as it is what is stored. */
interface Known<M extends object> {
  said: Said<M>;
  window: FoldingWindow<M>;
}

/**
 * One conversation. Calls follow each other, however they are made.
 *
 * @example
 * const conversation = new Conversation({ window: 200_000, summarize }, { format: "anthropic" });
 * const messages = await conversation.window(everythingSaid);   // what to send
 */
export class Conversation<M extends object = object> {
  private readonly recognition: Recognition<M>;
  /** Another one, when a call that nobody waits for any more may still come back to it. */
  private keeping: Keeping<M>;
  /** Undefined until it is asked for, and again when it may not be what is stored any more. */
  private known: Known<M> | undefined;
  /** Messages of a write of which it is not known whether it was done, and how much had been said before it. */
  private doubtful: { said: number; messages: readonly M[] } | undefined;
  /** The same for a message that was to be taken off. */
  private popping: { said: number; last: M } | undefined;
  private last: Promise<unknown> = Promise.resolve();

  private readonly options: ConversationOptions<M>;

  /** @throws PlicaError `bad-argument`, and those that `compact` has for its options. */
  constructor(
    options: ConversationOptions<M>,
    private readonly internals: Internals,
  ) {
    this.options = optionsOf(options, internals);
    this.recognition = new Recognition(internals.format);
    this.keeping = new Keeping(this.options);
  }

  /**
   * Takes the messages as the framework has them, and gives the window to send: your own objects, with the digests among them.
   *
   * @param messages all that was said, or the window that was given last, with what came since behind it. Where the framework has gone
   * back (an answer made anew, a message edited) the conversation goes back with it.
   * @throws what the signal was aborted with; PlicaError those of `compact` and of the store; `conflict` when another server has written
   * to the conversation what is not among the messages.
   */
  async window(messages: readonly M[], options: NextOptions = {}): Promise<M[]> {
    return (await this.next(messages, options)).window;
  }

  /**
   * The same, with all that was said until then: in the objects that were given, where they are all of it; and what was new of it. No other
   * call gets in between.
   *
   * @throws as {@link Conversation.window}.
   */
  next(messages: readonly M[], options: NextOptions = {}): Promise<{ window: M[]; said: M[]; came: M[] }> {
    return this.inTurn(messages, options, (notes) => this.onTop(async () => {
      refuseAborted(notes.signal);
      const known = await this.load();
      refuseAborted(notes.signal);
      const { came, theirs } = this.take(known, messages, notes);
      await this.keeping.write(known.window);
      await this.fit(known, notes, () => this.keepFold(known));
      return { window: theirs(this.sent(known)), said: this.saidIn(known, messages), came };
    }));
  }

  /**
   * Takes the messages as the framework has them, and folds nothing: behind the last answer of a run.
   *
   * @throws as {@link Conversation.window}.
   */
  record(messages: readonly M[], options: Pick<NextOptions, "usage" | "back" | "signal"> = {}): Promise<void> {
    return this.inTurn(messages, options, (notes) => this.onTop(async () => {
      const known = await this.load();
      this.take(known, messages, notes);
      await this.keeping.write(known.window);
    }));
  }

  /**
   * Puts messages behind those that are there, for frameworks that hand over what is new and nothing else.
   *
   * @throws as {@link Conversation.window}.
   */
  append(messages: readonly M[], options: AppendingOptions = {}): Promise<void> {
    return this.inTurn(messages, options, async (notes) => {
      const known = await this.onTop(() => {
        refuseAborted(notes.signal);
        return this.appended(messages, notes);
      });
      if (options?.fold === false) return;
      await this.fit(known, notes, () => this.keepLater(known));
    });
  }

  /** Takes the last message off; undefined when there is none. What is folded comes back when it is its turn. */
  pop(): Promise<M | undefined> {
    return this.following(() => this.onTop(async () => {
      const { said, window } = await this.load();
      const popped = this.isPopped(said);
      if (popped !== undefined) return popped;
      const last = said.log[said.length - 1];
      if (last === undefined) return undefined;
      this.popping = { said: said.length, last };
      said.rewind(said.length - 1);
      this.keeping.seen();
      try {
        await this.keeping.write(window);
      } catch (error) {
        // What the store has is the truth: it may have been done, and its answer got lost.
        this.forget();
        throw error;
      }
      this.popping = undefined;
      return last;
    }));
  }

  /** The message that was taken off by a call that seemed to fail. */
  private isPopped({ log }: Said<M>): M | undefined {
    const { popping } = this;
    this.popping = undefined;
    return popping !== undefined && log.length === popping.said - 1 ? popping.last : undefined;
  }

  /** Forgets everything, in the store as well. */
  clear(): Promise<void> {
    return this.following(async () => {
      this.forget();
      this.recognition.undone.clear();
      // Loaded anew from a store when it is asked for: the ledger may have its key.
      if (this.options.store === undefined) this.start([], new Ledger<M>());
      await this.keeping.clear();
    });
  }

  /** The window as it is now: what to go on with, also where another server has written. */
  messages(options: ReadingOptions = {}): Promise<M[]> {
    return this.reading(options, ({ said }) => {
      // What a first request is made of has them as well.
      if (said.length === 0) said.pin(true);
      this.keeping.seen();
      return said.messages();
    });
  }

  /** All that was ever said: every original. */
  originals(options: ReadingOptions = {}): Promise<M[]> {
    return this.reading(options, ({ said }) => said.log.slice());
  }

  /** The ledger: with the window it is all that has to be kept to go on later. */
  ledger(options: ReadingOptions = {}): Promise<Ledger<M>> {
    return this.reading(options, ({ window }) => window.ledger);
  }

  /** Forgets what is in memory where another server has written since: it is read anew when it is asked for. */
  async refresh(): Promise<void> {
    // While a summary is waited for, what is there is read as it is.
    if (this.known?.window.isFolding === true) return;
    return this.following(async () => {
      if (this.known?.window.unkept.kind === "nothing" && (await this.keeping.isOvertaken())) this.forget();
    });
  }

  /** A conversation of the same messages and folds that goes its own way, in no store. */
  branch({ signal }: ReadingOptions = {}): Promise<Conversation<M>> {
    return this.heeding(signal, async () => {
      const { said, window } = await this.load();
      const { store: _, id: __, ...options } = this.options;
      const branch = new Conversation<M>({ ...options, ...window.copied(), originals: said.log.slice() }, this.internals);
      branch.recognition.sharePrints(this.recognition);
      (await branch.load()).window.countAs(window);
      return branch;
    });
  }

  /**
   * Takes the folds of a branch over, where the same was said in both.
   *
   * @returns whether it was.
   */
  join(branch: Conversation<M>): Promise<boolean> {
    return this.following(async () => {
      const { log } = (await this.load()).said;
      const [said, messages, ledger] = [await branch.originals(), await branch.messages(), await branch.ledger()];
      if (said.length !== log.length || this.recognition.common(said, log) !== said.length) return false;
      const known = this.start(messages, ledger);
      if (branch.known !== undefined) known.window.countAs(branch.known.window);
      known.window.changed(false);
      return this.keepLater(known);
    });
  }

  /**
   * Goes the way of a branch: what was said there is what was said, and its folds are the folds. What is left stays to be had, where there
   * is a store.
   *
   * @throws as {@link Conversation.window}.
   */
  async become(branch: Conversation<M>, { signal }: ReadingOptions = {}): Promise<void> {
    if (branch === this) return;
    // What it is now: it may go on meanwhile.
    const own = await branch.branch({ signal });
    await this.heeding(signal, () => this.onTop(async () => {
      const left = await this.load();
      const { said, window: theirs } = await own.load();
      this.keeping.leaveBehind(left.window);
      const { window } = this.start(theirs.messages(), theirs.ledger.copy(), said.log.slice());
      window.countAs(theirs);
      // What was folded on the way that is left is no fold of this one.
      window.changed("records");
      this.keeping.seen();
      await this.keeping.write(window);
    })).finally(() => own.forget());
  }

  /** Whether a message of the window is the one with the rules, which nobody said. */
  isRules(message: M): boolean {
    return this.recognition.rules.has(message);
  }

  // --- what is known ----------------------------------------------------------------------------------------------------

  private async load(): Promise<Known<M>> {
    if (this.known !== undefined) return this.known;
    const { keeping } = this;
    const { messages, ledger } = await keeping.load();
    if (keeping !== this.keeping) throw new PlicaError("store-failed", "the store came back to a call that was aborted");
    return this.start(messages, ledger);
  }

  private start(messages: readonly M[], ledger: Ledger<M>, originals = this.options.originals): Known<M> {
    const window = new FoldingWindow(messages, ledger, this.options, this.internals.format, this.recognition);
    const said = new Said(window, this.recognition, originals);
    this.forget();
    // Folds that were undone in memory alone: the write of it failed, say.
    this.recognition.knows(ledger);
    return (this.known = { said, window });
  }

  /** What is in memory may not be what is stored any more. */
  private forget(): void {
    this.known?.window.free();
    this.known = undefined;
  }

  // --- what is new ------------------------------------------------------------------------------------------------------

  /**
   * Finds out what is new among these messages, or how far they go back.
   *
   * @returns what is new; and what puts messages that were given in another object into a window: it is theirs that go out, since what changes
   * nothing of a message's meaning may have changed.
   */
  private take({ said, window }: Known<M>, given: readonly M[], { usage, back = "begun" }: Pick<NextOptions, "usage" | "back">): { came: M[]; theirs: (window: M[]) => M[] } {
    if (said.length === 0) this.begin(said);
    const reading = this.accepted(readingOf(given, said, this.recognition), back, said);
    const { list, known, placeOf } = reading;
    if (reading.kind === "back") {
      // What is refused is refused before anything is forgotten.
      this.recognition.printsOf(list.slice(known));
      this.keeping.leaveBehind(window);
      said.rewind(reading.kept);
    }
    const theirs = new Map<number, M>();
    for (let i = 0; i < known; i++) {
      const place = placeOf(i);
      if (place !== undefined && said.log[place] !== list[i]) theirs.set(place, list[i]!);
    }
    const came = list.slice(known);
    this.add({ said, window }, came, reading.kind === "on" && reading.counted ? usage : undefined, window.sent);
    this.keeping.seen();
    return {
      came,
      theirs: (messages) => {
        theirs.forEach((message, i) => {
          if (said.placeOf(i) >= 0) messages[said.placeOf(i)] = message;
        });
        return messages;
      },
    };
  }

  private begin(said: Said<M>): void {
    // It was cleared: what a window of it stands for would be lost.
    if (this.keeping.isUnseen) throw new PlicaError("conflict", "another server has cleared the conversation: clear() begins anew, originals() has nothing any more");
    said.begin();
  }

  /** Refuses messages that the conversation does not go on with, or back with. */
  private accepted(reading: Reading<M>, back: NextOptions["back"], { log }: Said<M>): GoingOn<M> | GoingBack<M> {
    if (reading.kind === "on") return reading;
    if (reading.kind === "undone") {
      throw new PlicaError("conflict", "these messages hold a summary whose fold was undone when the conversation went back: hand over what it stands for, or the window of now");
    }
    if (typeof back === "function" && back(log.slice(reading.kept), reading.kept, reading.list.slice(reading.known))) return reading;
    if (this.keeping.isUnseen) throw new PlicaError("conflict", "another server has written to the conversation what is not among these messages: load it again");
    if (back === "anywhere" || (back === "begun" && !reading.isOther)) return reading;
    // What is stored may know of them.
    throw new Unknown(new PlicaError("conflict", "these messages do not go on from what was said in this conversation: those of another need a conversation of their own"));
  }

  /** `counted`: how many messages the request held that the usage is of; what was not sent so was not counted. */
  private add({ said, window }: Known<M>, messages: readonly M[], usage: object | undefined, counted: number | undefined): void {
    const { at } = (usage ?? {}) as { at?: unknown };
    // With other rules than those that were sent, the provider has counted something else.
    const sent = said.pin() ? undefined : typeof at === "number" ? at : counted;
    said.append(messages);
    window.count(usage, sent);
    said.pin();
  }

  /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
  private async appended(messages: readonly M[], { usage, signal }: AppendingOptions): Promise<Known<M>> {
    const known = await this.load();
    refuseAborted(signal);
    if (this.isDone(known, messages)) return known;
    const { said, window } = known;
    // First: their place is in front of what comes.
    said.pin();
    const { keeping, doubtful } = this;
    const before = { said: said.length, window: window.length, unkept: window.unkept };
    this.add(known, messages, usage, before.window);
    this.doubtful = { said: before.said, messages };
    try {
      await keeping.write(window);
    } catch (error) {
      if (keeping !== this.keeping) throw error;
      window.takeBack(before.window, before.unkept);
      said.takeBack(before.said);
      if (error instanceof Overtaken) this.doubtful = doubtful;
      throw error;
    }
    if (keeping === this.keeping) this.doubtful = undefined;
    return known;
  }

  /** Whether a write that seemed to fail was done: the answer of the database got lost. */
  private isDone({ said: { log } }: Known<M>, messages: readonly M[]): boolean {
    const { doubtful } = this;
    // As it was before that write: it is to be seen when the conversation is loaded.
    if (doubtful === undefined || log.length === doubtful.said) return false;
    this.doubtful = undefined;
    if (doubtful.messages.length !== messages.length || log.length !== doubtful.said + messages.length) return false;
    return [doubtful.messages, log.slice(doubtful.said)].every((list) => this.recognition.common(list, messages) === messages.length);
  }

  // --- the window -------------------------------------------------------------------------------------------------------

  /**
   * Folds when it is due.
   *
   * @param keep what is done with a fold; only one that counts is told of.
   */
  private async fit({ said, window }: Known<M>, options: Pick<NextOptions, "signal" | "beside">, keep: () => Promise<boolean>): Promise<void> {
    const made = await window.fit(options);
    if (made?.fold !== undefined) {
      said.place();
      this.recognition.knows(window.ledger);
    }
    const counts = await keep();
    if (made !== undefined && (counts || made.fold === undefined)) heard(() => this.options.onCompaction?.(made));
  }

  /** The window, which is given out now. */
  private sent({ said, window }: Known<M>): M[] {
    window.sent = window.length;
    return said.messages();
  }

  private saidIn({ said: { log } }: Known<M>, as: readonly M[]): M[] {
    const isAll = as.length === log.length && this.recognition.common(as, log) === as.length;
    return (isAll ? as : log).slice();
  }

  /** Keeps a fold, where what was said is kept already; where that fails the next write has it. */
  private async keepFold({ window }: Known<M>): Promise<true> {
    try {
      await this.keeping.write(window);
    } catch (error) {
      if (error instanceof Overtaken) throw error;
    }
    return true;
  }

  /** The same, unless another server's fold was first: then that one counts, and this one does not. */
  private async keepLater({ window }: Known<M>): Promise<boolean> {
    try {
      await this.keeping.write(window);
    } catch (error) {
      if (!(error instanceof Overtaken)) return true;
      this.forget();
      return false;
    }
    return true;
  }

  // --- one after the other ----------------------------------------------------------------------------------------------

  private onTop<T>(work: () => Promise<T>): Promise<T> {
    const { keeping } = this;
    return keeping.onTop(work, () => {
      if (keeping === this.keeping) this.forget();
    });
  }

  /** What is there can be read while a summary is waited for: a summarizer may want to. */
  private async reading<T>(options: ReadingOptions, read: (known: Known<M>) => T): Promise<T> {
    const { signal } = notesOf(options);
    const work = async (): Promise<T> => read(await this.load());
    return this.known?.window.isFolding === true ? work() : this.heeding(signal, work);
  }

  /** The same, with arguments that are seen to be some first. */
  private async inTurn<T>(messages: readonly M[], options: NextOptions | null | undefined, work: (notes: NextOptions) => Promise<T>): Promise<T> {
    refuseMessages(messages);
    const notes = notesOf(options);
    return this.heeding(notes.signal, () => work(notes));
  }

  private async heeding<T>(signal: Signal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal === undefined) return this.following(work);
    refuseAborted(signal);
    // Heard at once, in line and while the store is waited for as well.
    const abort = abortOf(signal);
    let isBegun = false;
    const next = this.following(() => {
      isBegun = true;
      refuseAborted(signal);
      return work();
    }, abort.heard);
    const ended = abort.heard.then(async (): Promise<never> => {
      // A fold ends by itself, or was done just then.
      if (isBegun && this.known?.window.isFolding === true) await inTime(next);
      throw reasonOf(signal);
    });
    try {
      return await Promise.race([next, ended]);
    } catch (error) {
      throw error === undefined && isAborted(signal) ? reasonOf(signal) : error;
    } finally {
      abort.unhear();
    }
  }

  private following<T>(work: () => Promise<T>, aborted?: Promise<void>): Promise<T> {
    const next = this.last.then(work, work);
    const done = next.then(() => undefined, () => undefined);
    this.last = aborted === undefined || this.options.store === undefined ? done : Promise.race([done, this.givenUp(this.last, aborted, done)]);
    return next;
  }

  /** Done when a call that was aborted waits for a store that does not answer: what comes of it is nobody's any more. */
  private async givenUp(before: Promise<unknown>, aborted: Promise<void>, done: Promise<void>): Promise<void> {
    await before;
    await aborted;
    if (await inTime(done)) return;
    this.keeping.leave();
    this.keeping = this.keeping.anew();
    // What the store has is the truth.
    this.forget();
  }
}

/** Whether it is done within the time that is waited for what was aborted. */
async function inTime(work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), GRACE);
    // Nobody waits for this alone: a program may end.
    (timer as { unref?: () => void }).unref?.();
  });
  const done = (): true => true;
  const answer = await Promise.race([work.then(done, done), over]);
  clearTimeout(timer);
  return answer;
}
