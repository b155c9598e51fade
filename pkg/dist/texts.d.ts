/**
 * A message as JSON text, the way {@link Ledger.toJSON} writes originals: key order as it is; binary, dates, URLs, big integers, maps
 * and sets in a form that {@link parseMessage} reads back.
 *
 * @throws PlicaError `bad-message`, `too-deep`, `too-large`.
 * @example
 * parseMessage(stringifyMessage({ role: "user", content: "hi", at: new Date(0) })) // the same, with a Date
 */
export declare function stringifyMessage(message: object): string;
/**
 * The message behind a text of {@link stringifyMessage}.
 *
 * @throws PlicaError `bad-json` when the text is no JSON of an object; `bad-ledger` when it holds a mark that this plica does not know.
 * @example
 * const messages = texts.map((text) => parseMessage(text));
 */
export declare function parseMessage<M extends object = object>(text: string): M;
