// Binary data as base64, in every runtime.

type ViewConstructor = new (buffer: ArrayBuffer) => ArrayBufferView;

/** Views by their names; those that a platform lacks are left out. @internal */
export const BINARY_KINDS: Record<string, ViewConstructor | undefined> = /* @__PURE__ */ {
  Uint8Array,
  Uint8ClampedArray,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
};

/** Bytes as base64. @internal */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  // In pieces: the arguments of one call go through the stack.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** Base64 as bytes. @internal */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
