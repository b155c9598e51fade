import type { Bindings } from "./generated/glue.js";
/** Runs a call into the core; whatever it throws is a PlicaError. */
export declare function call<T>(fn: (core: Bindings) => T): T;
/** Runs `fn` with one text staged. `json` says that the text holds lone surrogates and was staged as a JSON string. */
export declare function withText<T>(text: string, fn: (core: Bindings, length: number, json: boolean) => T): T;
/** Runs `fn` with lines of JSON staged. */
export declare function withLines<T>(lines: readonly string[], fn: (core: Bindings, length: number) => T): T;
/** Runs `fn` with byte strings staged one behind the other. */
export declare function withBytes<T>(parts: readonly Uint8Array[], fn: (core: Bindings, length: number) => T): T;
/** The JSON lines of a message array. Read before anything is staged, since getters of the caller's may call plica again. */
export declare function messageLines(messages: unknown): string[];
/** The JSON line of one message; the index is for its name in errors. */
export declare function messageLine(message: unknown, index?: number): string;
/** The JSON text of any other value. */
export declare function valueText(value: unknown, what: string): string;
/** The elements of an array, each read once; `what` names the argument in errors. */
export declare function elements<T>(array: readonly T[] | unknown, what: string): T[];
/** A text as UTF-8. */
export declare function encode(text: string): Uint8Array;
/** Whether a string holds no lone surrogate. */
export declare function isWellFormed(text: string): boolean;
