// The worker, as seen from the page: calls that are answered once, and what is told while they run.

import { workerUrl } from "./worker-url.js";
import type { Events, Operations } from "./protocol.js";

/** Answers that come later. */
export type Awaited<N extends keyof Operations> = Promise<ReturnType<Operations[N]>>;

/** Hears what is told while a call runs. */
export type Listener = (event: { [E in keyof Events]: { event: E; data: Events[E] } }[keyof Events]) => void;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  listen: Listener | undefined;
}

/** What the worker could not do, with the code of a `PlicaError` where it is one. */
export class ViewerError extends Error {
  override readonly name = "ViewerError";
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Where the parts of the viewer that are files of their own are found. */
export interface Places {
  worker: URL | string;
  core: URL | string;
}

/** The worker of one viewer. */
export class Client {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  /** It can answer nothing any more. */
  dead = false;

  constructor(places: Places) {
    // Both against the page: the worker would resolve a relative address against its own.
    const at = (place: URL | string): string => new URL(place, document.baseURI).href;
    this.worker = new Worker(workerUrl(at(places.worker)), { type: "module", name: "plica" });
    this.worker.addEventListener("message", ({ data }) => this.answered(data));
    this.worker.addEventListener("error", (event) => this.failed(event.message));
    this.worker.addEventListener("messageerror", () => this.failed("an answer could not be read"));
    // Without its core it is of no use, either: the error itself comes with the first call.
    void this.send("init", [at(places.core)]).catch(() => { this.dead = true; });
  }

  /** Calls an operation. */
  ask<N extends keyof Operations>(name: N, args: Parameters<Operations[N]>, listen?: Listener): Awaited<N> {
    return this.send(name, args, listen) as Awaited<N>;
  }

  /** Ends the worker: what is still to be answered fails. */
  close(): void {
    this.failed("the viewer was closed");
  }

  private send(name: string, args: readonly unknown[], listen?: Listener): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.lastId++;
      this.waiting.set(id, { resolve, reject, listen });
      this.worker.postMessage({ id, name, args });
    });
  }

  private answered(data: { id: number; event?: string; data?: unknown; value?: unknown; error?: { code: string; message: string } }): void {
    const call = this.waiting.get(data.id);
    if (data.event !== undefined) return call?.listen?.(data as never);
    this.waiting.delete(data.id);
    if (data.error) call?.reject(new ViewerError(data.error.code, data.error.message));
    else call?.resolve(data.value);
  }

  private failed(why: string): void {
    this.dead = true;
    this.worker.terminate();
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of calls) reject(new ViewerError("worker", `The viewer's worker stopped: ${why || "it could not be loaded"}.`));
  }
}

/** Runs `fn` for the newest argument only: while it runs, newer arguments replace each other. */
export function latest<A>(fn: (arg: A) => Promise<void>): (arg: A) => void {
  let next: { arg: A } | undefined;
  let busy = false;
  return async (arg) => {
    next = { arg };
    if (busy) return;
    busy = true;
    while (next !== undefined) {
      const { arg: now }: { arg: A } = next;
      next = undefined;
      await fn(now);
    }
    busy = false;
  };
}

/** Waits until calls have stopped coming for `ms` milliseconds. */
export function settled<A>(ms: number, fn: (arg: A) => void): (arg: A) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (arg) => {
    clearTimeout(timer);
    timer = setTimeout(() => fn(arg), ms);
  };
}
