// Node, Bun, Deno, browsers, every bundler and test runner: the module is in the bundle as base64 and is compiled
// synchronously at the first call.
//
// Rejected:
// - reading or fetching a .wasm file next to this one: `import.meta.url` and `fs` each fail in some bundler, test runner or
//   edge runtime, and a fetch would make every first call asynchronous;
// - top-level await: no CommonJS, and importing would cost those who never call;
// - `Uint8Array.from(atob(text), …)`: takes 8–10 ms where the ways below take a fraction of one.

import { wasmBase64 } from "../generated/wasm-base64.js";
import type { Source } from "./core.js";

let compiled: WebAssembly.Module | undefined;

export const source: Source = {
  module: () => (compiled ??= new WebAssembly.Module(decodeBase64(wasmBase64))),
  moduleAsync: async () => (compiled ??= await WebAssembly.compile(decodeBase64(wasmBase64))),
  missing: "",
};

interface Base64Platform {
  Uint8Array: { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
  Buffer?: { from?(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const { Uint8Array: bytes, Buffer: buffer } = globalThis as unknown as Base64Platform;
  if (typeof bytes.fromBase64 === "function") return bytes.fromBase64(text);
  if (typeof buffer?.from === "function") return buffer.from(text, "base64");
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) out[at] = binary.charCodeAt(at);
  return out;
}
