import type { Format } from "./generated/core.js";
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
export declare function fingerprint(value: string | object | readonly object[], options?: FormatOptions): string;
/**
 * The fingerprint of each message.
 *
 * @throws As {@link fingerprint}.
 * @example
 * const before = fingerprints(messages);
 */
export declare function fingerprints(messages: readonly object[], options?: FormatOptions): string[];
