// Every environment: holds the one live instance of the core and replaces it after a trap.
//
// Rejected:
// - one instance for the life of the program: after a panic (compiled to a trap) locks stay taken and the heap may be half
//   written, so every later answer is suspect;
// - an instance per call: instantiating costs a fraction of a millisecond, and stateful objects live in the instance;
// - instantiating at import: costs those who import and never call, and fails where importing must not evaluate anything.

import { createGlue } from "../generated/glue.js";
import type { Bindings } from "../generated/glue.js";
import { textCodecs } from "./text.js";

/** Where an environment gets the compiled module from. */
export interface Source {
  /** The module at once, or undefined when this environment has to be given one first. */
  module(): WebAssembly.Module | undefined;
  /** The module without blocking, or undefined as above. */
  moduleAsync(): Promise<WebAssembly.Module | undefined>;
  /** What to do when there is none: a whole sentence. */
  readonly missing: string;
}

/** What can go wrong below the API. */
export type FaultCode = "internal" | "not-ready" | "wasm-unavailable";

/** Makes the error that the caller sees, so that the error class can live elsewhere. */
export type FaultHook = (code: FaultCode, message: string, cause?: unknown) => Error;

/** The handle on the live instance. */
export interface Core {
  /** The core's exports; instantiates on first use. */
  core(): Bindings;
  /** Runs `fn` with the exports. After a trap the instance is dropped, the error wrapped, and the next call starts afresh. */
  withCore<T>(fn: (core: Bindings) => T): T;
  /** Compiles without blocking and instantiates; to be called once before the first use, where there is time for it. */
  init(): Promise<void>;
  /** The live memory as bytes. Valid until the next call into the core: never keep it, never hand it out. */
  bytes(): Uint8Array<ArrayBuffer>;
  /** The live memory as 32-bit words, under the same rule. */
  words(): Uint32Array<ArrayBuffer>;
  /** The error to throw when a module could not be had or started. */
  unavailable(cause: unknown): Error;
  /** Whether an instance is at hand. */
  isAlive(): boolean;
  /** Grows by one with every instance: objects remember it to know that theirs is gone. */
  generation(): number;
}

interface Live {
  readonly bindings: Bindings;
  readonly memory: WebAssembly.Memory;
}

/**
 * Memory of WebAssembly never shrinks. After a file of hundreds of megabytes the instance is let go with it; the next call
 * starts another in a few milliseconds.
 */
const LARGE = 256 * 2 ** 20;

/** Binds a source of modules and a maker of errors to a core that is not alive yet. */
export function createCore(source: Source, fault: FaultHook): Core {
  let live: Live | undefined;
  let generation = 0;
  /** Calls that are inside each other. */
  let depth = 0;
  let starting: Promise<void> | undefined;
  let byteView: Uint8Array<ArrayBuffer> | undefined;
  let wordView: Uint32Array<ArrayBuffer> | undefined;

  function start(module: WebAssembly.Module): Live {
    const bindings = createGlue(textCodecs());
    const { memory } = bindings.initSync({ module });
    generation++;
    live = { bindings, memory };
    return live;
  }

  function alive(): Live {
    if (live !== undefined) return live;
    const module = guarded(() => source.module());
    if (module === undefined) throw fault("not-ready", source.missing);
    return guarded(() => start(module));
  }

  // A policy or a platform without WebAssembly must not look like a fault of the caller's data.
  function guarded<T>(fn: () => T): T {
    try {
      return fn();
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  function unavailable(cause: unknown): Error {
    if (isTrap(cause)) return fault("internal", `the core failed while starting (${describe(cause)})`, cause);
    return fault(
      "wasm-unavailable",
      "WebAssembly could not be started here. A page with a Content-Security-Policy needs 'wasm-unsafe-eval' in script-src. "
        + `The platform says: ${describe(cause)}`,
      cause,
    );
  }

  function drop(): void {
    const dead = live;
    live = undefined;
    byteView = undefined;
    wordView = undefined;
    dead?.bindings.retire(() => fault("internal", "this object belongs to an instance of the core that failed before; make a new one"));
  }

  function core(): Bindings {
    return live === undefined ? alive().bindings : live.bindings;
  }

  function withCore<T>(fn: (core: Bindings) => T): T {
    const bindings = core();
    depth++;
    try {
      return fn(bindings);
    } catch (error) {
      if (!isTrap(error)) throw error;
      // An inner withCore may have dropped it, and another instance may be alive by now.
      if (live?.bindings === bindings) drop();
      throw fault("internal", `the core failed (${describe(error)}) and was restarted; this is a bug in the library`, error);
    } finally {
      depth--;
      if (depth === 0 && live !== undefined && live.memory.buffer.byteLength > LARGE) drop();
    }
  }

  async function begin(): Promise<void> {
    let module: WebAssembly.Module | undefined;
    try {
      module = await source.moduleAsync();
    } catch (cause) {
      throw unavailable(cause);
    }
    if (module === undefined) throw fault("not-ready", source.missing);
    // A synchronous call may have come first.
    if (live === undefined) guarded(() => start(module));
  }

  function init(): Promise<void> {
    if (live !== undefined) return Promise.resolve();
    starting ??= begin().finally(() => { starting = undefined; });
    return starting;
  }

  // When memory grows, the old buffer is detached and every view of it is empty.
  function bytes(): Uint8Array<ArrayBuffer> {
    const { buffer } = (live ?? alive()).memory;
    if (byteView === undefined || byteView.buffer !== buffer) byteView = new Uint8Array(buffer as ArrayBuffer);
    return byteView;
  }

  function words(): Uint32Array<ArrayBuffer> {
    const { buffer } = (live ?? alive()).memory;
    if (wordView === undefined || wordView.buffer !== buffer) wordView = new Uint32Array(buffer as ArrayBuffer);
    return wordView;
  }

  return { core, withCore, init, bytes, words, unavailable, isAlive: () => live !== undefined, generation: () => generation };
}

/** Whether an error means that the instance was left in the middle of something. */
export function isTrap(error: unknown): boolean {
  if (!(error instanceof Error)) return isForeignTrap(error);
  return error.name === "RuntimeError" || isStackOverflow(error);
}

// V8 and JavaScriptCore throw a RangeError, SpiderMonkey an InternalError.
function isStackOverflow(error: { name: string; message: string }): boolean {
  return (error.name === "RangeError" && /call stack/i.test(error.message))
    || (error.name === "InternalError" && /too much recursion/.test(error.message));
}

// Errors of another realm (a frame, a test runner's sandbox) are no instances of this realm's Error.
function isForeignTrap(error: unknown): boolean {
  if (Object.prototype.toString.call(error) !== "[object Error]") return false;
  const { name, message } = error as Error;
  return name === "RuntimeError" || isStackOverflow({ name, message });
}

function describe(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
