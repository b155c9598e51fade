// Contents on their way into the core: texts become bytes in its memory, once.
//
// Measured: `encodeInto` into wasm memory costs 0.26 ns a byte, the string glue of wasm-bindgen 2.1. Many short texts are
// joined first, since each call of `encodeInto` has a price of its own.

import { PlicaError, asPlicaError } from "./errors.js";
import type { Bindings } from "./generated/glue.js";
import { jsonText, messageText } from "./json.js";
import { article, isArray } from "./kinds.js";
import { live } from "./loader/live.js";
import { textCodecs } from "./loader/text.js";

/** Text is joined up to about this many UTF-16 units before it is encoded. */
const BATCH_UNITS = 1 << 16;

/** wasm32 has 4 GiB at most, and the core needs room for its answers. */
const MAX_BYTES = 0x5000_0000;

/** Runs a call into the core; whatever it throws is a PlicaError. @internal */
export function call<T>(fn: (core: Bindings) => T): T {
  try {
    return live.withCore(fn);
  } catch (error) {
    throw asPlicaError(error);
  }
}

/** Writes into the scratch of the core, from its start. */
class Stage {
  length = 0;
  private encoder = new (textCodecs().TextEncoder)();

  constructor(private readonly core: Bindings) {}

  text(text: string): void {
    let rest = text;
    // Most text is ASCII: guess one byte a unit, and make room for the worst only when the guess was wrong.
    let room = rest.length;
    while (rest.length > 0) {
      const { read, written } = this.encoder.encodeInto(rest, this.space(room));
      this.length += written;
      if (read === rest.length) return;
      rest = rest.slice(read);
      room = rest.length * 3;
    }
  }

  bytes(bytes: Uint8Array): void {
    this.space(bytes.byteLength).set(bytes);
    this.length += bytes.byteLength;
  }

  private space(size: number): Uint8Array {
    const end = this.length + size;
    if (end > MAX_BYTES) throw new PlicaError("too-large", `more than ${MAX_BYTES} bytes at once; pass less`);
    const start = this.core.stageRoom(end) >>> 0;
    return live.bytes().subarray(start + this.length, start + end);
  }
}

/** Runs `fn` with one text staged. `json` says that the text holds lone surrogates and was staged as a JSON string. @internal */
export function withText<T>(text: string, fn: (core: Bindings, length: number, json: boolean) => T): T {
  return call((core) => {
    const stage = new Stage(core);
    const json = !isWellFormed(text);
    stage.text(json ? JSON.stringify(text) : text);
    return fn(core, stage.length, json);
  });
}

/** Runs `fn` with lines of JSON staged. @internal */
export function withLines<T>(lines: readonly string[], fn: (core: Bindings, length: number) => T): T {
  return call((core) => {
    const stage = new Stage(core);
    let batch: string[] = [];
    let units = 0;
    lines.forEach((line, index) => {
      batch.push(line);
      units += line.length;
      if (units < BATCH_UNITS && index < lines.length - 1) return;
      stage.text(index < lines.length - 1 ? `${batch.join("\n")}\n` : batch.join("\n"));
      batch = [];
      units = 0;
    });
    return fn(core, stage.length);
  });
}

/** Runs `fn` with byte strings staged one behind the other. @internal */
export function withBytes<T>(parts: readonly Uint8Array[], fn: (core: Bindings, length: number) => T): T {
  return call((core) => {
    const stage = new Stage(core);
    for (const part of parts) stage.bytes(part);
    return fn(core, stage.length);
  });
}

/** The JSON lines of a message array. Read before anything is staged, since getters of the caller's may call plica again. @internal */
export function messageLines(messages: unknown): string[] {
  return elements(messages, "messages").map((message, index) => messageText(message, index, hashBytes));
}

/** The JSON line of one message; the index is for its name in errors. @internal */
export function messageLine(message: unknown, index = 0): string {
  return messageText(message, index, hashBytes);
}

/** The JSON text of any other value. @internal */
export function valueText(value: unknown, what: string): string {
  return jsonText(value, what, hashBytes);
}

function hashBytes(bytes: Uint8Array): string {
  return withBytes([bytes], (core, length) => core.fingerprintText(length, false));
}

/** The elements of an array, each read once; `what` names the argument in errors. @internal */
export function elements<T>(array: readonly T[] | unknown, what: string): T[] {
  try {
    if (isArray(array)) {
      const out: T[] = [];
      // Not `slice` or a spread: a sparse array of length 2^32 must fail at its first hole, not fill the memory.
      for (let i = 0; i < array.length; i++) {
        if (array[i] === undefined && !(i in array)) {
          throw new PlicaError("bad-argument", `${what} has a hole at index ${i}`);
        }
        out.push(array[i] as T);
      }
      return out;
    }
  } catch (error) {
    if (error instanceof PlicaError) throw error;
    throw new PlicaError("bad-argument", `${what} cannot be read`, { cause: error });
  }
  throw new PlicaError("bad-argument", `${what} must be an array, not ${article(array)}`);
}

/** A text as UTF-8. @internal */
export function encode(text: string): Uint8Array {
  return new (textCodecs().TextEncoder)().encode(text);
}

interface WellFormed {
  isWellFormed?(): boolean;
}

/** Whether a string holds no lone surrogate. @internal */
export function isWellFormed(text: string): boolean {
  const native = text as string & WellFormed;
  // Node 18 lacks the method; the pattern finds surrogates that are not part of a pair.
  return typeof native.isWellFormed === "function" ? native.isWellFormed() : !/\p{Surrogate}/u.test(text);
}
