// Where a conversation is kept. A store names versions: of two servers that write to one conversation the second one is told, loads
// what the first one wrote, and does its work once more on top of it. Without a store nothing is kept but what is in memory.

import { Ledger, PlicaError } from "plica";
import type { ConversationInfo, LedgerStore } from "../store/types.js";
import { isArray, memberOf } from "./checks.js";
import type { ConversationOptions } from "./conversation-options.js";
import { hasCode } from "./problems.js";
import type { FoldingWindow } from "./window.js";

/** Between the id of a conversation and the version that was gone back from. */
const LEFT = "~left~";

/** The version of a conversation that is in no store. */
const NONE = "0";

/** So many ways that were left stay in the store. */
const KEPT = 8;

/** So often a call is made on top of what other servers wrote. */
const ATTEMPTS = 3;

/** So long, in ms, a store may take to answer. A lost connection may never say that it is lost. */
const PATIENCE = 30_000;

/** A timer's longest time, in ms. */
const LONGEST = 2 ** 31 - 1;

type Timer = ReturnType<typeof setTimeout>;

/** Thrown where what is known is not what is stored any more. It never leaves {@link Keeping.onTop}. */
export class Overtaken {
  constructor(readonly error: unknown) {}
}

/** Thrown where what is refused may go on from what is stored, if that is something else. It never leaves {@link Keeping.onTop} either. */
export class Unknown extends Overtaken {}

export class Keeping<M extends object> {
  private unseen = false;
  private version = NONE;
  /** What was gone back from, as long as the store has not got it under an id of its own. */
  private left: { messages: M[]; ledger: Ledger<M> } | undefined;

  private readonly waits = new Set<Timer>();

  constructor(private readonly options: ConversationOptions<M>) {}

  /** Whether what is known came from another server, and what the framework goes on with has nothing of it yet. */
  get isUnseen(): boolean {
    return this.unseen;
  }

  /** The same place, of which nothing is known. */
  anew(): Keeping<M> {
    const other = new Keeping<M>(this.options);
    other.unseen = this.unseen;
    return other;
  }

  /** The framework goes on from what is known. */
  seen(): void {
    this.unseen = false;
  }

  /** What is kept of the conversation. */
  async load(): Promise<{ messages: readonly M[]; ledger: Ledger<M> }> {
    const { store, id, messages = [], ledger = new Ledger<M>() } = this.options;
    if (store === undefined) return { messages, ledger };
    const stored = await this.answered(store.load<M>(id!, { originals: true }));
    if (!isArray(memberOf(stored, "messages")) || typeof memberOf(stored, "version") !== "string" || typeof memberOf(stored.ledger, "unfold") !== "function") {
      throw new PlicaError("bad-argument", "the store gave no conversation: load must give { version, messages, ledger }");
    }
    // What was to be left had not come to be.
    this.left = undefined;
    this.version = stored.version;
    return stored;
  }

  /** Writes what is not kept yet. */
  async write(window: FoldingWindow<M>): Promise<void> {
    const { store, id } = this.options;
    if (window.unkept.kind === "nothing") return;
    try {
      if (store !== undefined) await this.stored(store, id!, window);
    } catch (error) {
      throw hasCode(error, "conflict") ? new Overtaken(error) : error;
    }
    window.kept();
  }

  private async stored(store: LedgerStore, id: string, window: FoldingWindow<M>): Promise<void> {
    const left = await this.storeLeft(store, id);
    const { version } = this;
    const { unkept } = window;
    if (unkept.kind === "messages") this.version = await this.answered(store.append(id, window.messages().slice(unkept.from), { version }));
    if (unkept.kind === "window") this.version = await this.answered(store.save(id, { messages: window.messages(), ledger: window.ledger }, { version, forget: unkept.forget }));
    // What was gone back from is there, and so is what the conversation is now.
    if (left !== undefined) await this.deleteOldest(store, id, left).catch(() => undefined);
  }

  /** Stores what was gone back from, and says under which id. */
  private async storeLeft(store: LedgerStore, id: string): Promise<string | undefined> {
    if (this.left === undefined) return undefined;
    const way = `${id}${LEFT}${this.version}`;
    try {
      await this.answered(store.save(way, this.left, { version: NONE }));
    } catch (error) {
      // It is there already: the write that was to follow it failed.
      if (!hasCode(error, "conflict")) throw error;
    }
    this.left = undefined;
    return way;
  }

  /** Deletes the ways that were left first, all but so many. Where that fails, the next one that is left does it. */
  private async deleteOldest(store: LedgerStore, id: string, latest: string): Promise<void> {
    const { left: kept = KEPT } = this.options;
    // Not those that such a way has left itself, where somebody went on with it.
    const ways = (await this.leftIn(store, id)).filter((way) => way.id !== latest && !way.id.slice(id.length + LEFT.length).includes(LEFT));
    // Of one clock tick the later version is the later one: the larger number.
    ways.sort((a, b) => b.updated - a.updated || b.id.length - a.id.length || (a.id < b.id ? 1 : -1));
    for (const way of ways.slice(Math.max(0, kept - 1))) await this.answered(store.delete(way.id));
  }

  private leftIn(store: LedgerStore, id: string): Promise<ConversationInfo[]> {
    return this.answered(store.list({ prefix: `${id}${LEFT}`, limit: Number.MAX_SAFE_INTEGER }));
  }

  /** What is gone back from stays to be had, where there is a store: it is not for a framework to delete what was said. */
  leaveBehind(window: FoldingWindow<M>): void {
    const { store, left } = this.options;
    if (store === undefined || left === 0 || this.version === NONE || this.left !== undefined) return;
    this.left = window.copied();
  }

  /** Deletes the conversation, and what was left of it. */
  async clear(): Promise<void> {
    const { store, id } = this.options;
    this.seen();
    this.left = undefined;
    if (store === undefined) return;
    for (let attempt = 1; ; attempt++) {
      const stored = await this.storedNow(store, id!);
      if (stored === undefined) break;
      try {
        // Of this version: a call that comes late deletes nothing that was begun since.
        await this.answered(store.delete(id!, { version: stored.version }));
        break;
      } catch (error) {
        if (!hasCode(error, "conflict") || attempt === ATTEMPTS) throw error;
      }
    }
    for (const way of await this.leftIn(store, id!)) await this.answered(store.delete(way.id, { version: way.version }));
  }

  /** Whether another server has written since. */
  async isOvertaken(): Promise<boolean> {
    const { store, id } = this.options;
    if (store === undefined) return false;
    return ((await this.storedNow(store, id!))?.version ?? NONE) !== this.version;
  }

  private async storedNow(store: LedgerStore, id: string): Promise<ConversationInfo | undefined> {
    // Ids come in their order, and none that begins with this one is before it.
    const [info] = await this.answered(store.list({ prefix: id, limit: 1 }));
    return info?.id === id ? info : undefined;
  }

  /** What a store answers in its time. A write that comes later is told from another server's by nothing: it is found when it is read. */
  private async answered<T>(answer: PromiseLike<T>): Promise<T> {
    const { storeTimeoutMs: patience = PATIENCE } = this.options;
    let timer: Timer | undefined;
    const over = new Promise<never>((_, reject) => {
      if (patience > LONGEST) return;
      timer = setTimeout(() => reject(new PlicaError("store-failed", `the store did not answer within ${patience} ms (storeTimeoutMs)`)), patience);
      this.waits.add(timer);
    });
    try {
      return await Promise.race([answer, over]);
    } finally {
      clearTimeout(timer);
      if (timer !== undefined) this.waits.delete(timer);
    }
  }

  /** Nobody waits for it any more: a program may end. */
  leave(): void {
    for (const timer of this.waits) (timer as { unref?: () => void }).unref?.();
  }

  /**
   * Another server may have been first: what it wrote counts, and the work is done once more on top of it, or refused.
   *
   * @param forget what is in memory is not what is stored.
   */
  async onTop<T>(work: () => Promise<T>, forget: () => void): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        // Without a store there is nothing but what is in memory.
        if (this.options.store === undefined) throw error.error;
        // Nobody else was there: it is refused for what is known, which stays as it is.
        if (error instanceof Unknown && !(await this.isOvertaken())) throw error.error;
        forget();
        this.unseen = true;
        if (attempt === ATTEMPTS) throw error.error;
      }
    }
  }
}
