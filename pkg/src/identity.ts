// Our own fingerprints: 128 bits of BLAKE3 over a canonical encoding.

import { PlicaError } from "./errors.js";
import type { Format } from "./generated/core.js";
import { article, isArray } from "./kinds.js";
import { fields, formatName } from "./options.js";
import { messageLine, messageLines, withLines, withText } from "./stage.js";

/** Options of the functions that read messages. */
export interface FormatOptions {
  /** The messages' format; detected when left out. */
  format?: Format | undefined;
}

/**
 * Fingerprint of a text, a message, or an array of messages: 32 hex digits.
 *
 * A message's covers role, texts, calls (id, name, arguments), results (id, content, error) and reasoning. It survives
 * `structuredClone`, a JSON round trip and a `jsonb` column (key order, 1.0 → 1). Left out, because providers and clients
 * change them on the way: the message's own id and time stamps, usage, stop reasons, `cache_control`. Each message is read by
 * the format it fits best, so its fingerprint does not depend on its neighbours.
 *
 * @throws PlicaError `bad-argument`, `bad-message`, `too-deep`, `unknown-format`.
 * @example
 * fingerprint({ role: "user", content: "hi" }) === fingerprint({ content: [{ type: "text", text: "hi" }], role: "user" })
 */
export function fingerprint(value: string | object | readonly object[], options: FormatOptions = {}): string {
  if (typeof value === "string") return withText(value, (core, length, json) => core.fingerprintText(length, json));
  if (isArray(value)) {
    const format = formatOf(options);
    return withLines(messageLines(value), (core, length) => core.fingerprintSpan(length, format));
  }
  if (typeof value !== "object" || value === null) {
    throw new PlicaError("bad-argument", `a fingerprint is of a text, a message or messages, not of ${article(value)}`);
  }
  return fingerprintsOfLines([messageLine(value)], options)[0]!;
}

/**
 * The fingerprint of each message.
 *
 * @throws As {@link fingerprint}.
 * @example
 * const before = fingerprints(messages);
 */
export function fingerprints(messages: readonly object[], options: FormatOptions = {}): string[] {
  return fingerprintsOfLines(messageLines(messages), options);
}

/** Fingerprints of messages that are JSON lines already. @internal */
export function fingerprintsOfLines(lines: readonly string[], options: FormatOptions = {}): string[] {
  return unpacked(packedPrints(lines, options));
}

/** Packed fingerprints, each in hex digits. @internal */
export function unpacked(packed: Uint8Array): string[] {
  const hex = hexOf(packed);
  return Array.from({ length: packed.length / 16 }, (_, index) => hex.slice(32 * index, 32 * index + 32));
}

/** The same, 16 bytes each. @internal */
export function packedPrints(lines: readonly string[], options: FormatOptions = {}): Uint8Array {
  const format = formatOf(options);
  if (lines.length === 0) return new Uint8Array(0);
  return withLines(lines, (core, length) => core.fingerprintMessages(length, format));
}

/** Bytes as hex digits. @internal */
export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

/** Hex digits as bytes. @internal */
export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The format option, as the core takes it. @internal */
export function formatOf(options: unknown): string | undefined {
  return formatName(fields(options, ["format"], "options").format);
}
