import type { ConversionReport, Format, Loss } from "./generated/core.cjs";
import type { ReadOptions } from "./planning.cjs";
/** What to convert to, and how the messages are read. */
export interface ConvertOptions<M extends object = object> extends Omit<ReadOptions<M>, "estimator"> {
    /** The format to convert to. */
    to: Format;
}
/** What {@link convert} gives. */
export interface Converted {
    /** The messages in the other format. */
    messages: object[];
    /** What could not be carried over, by message of the source. Empty when everything was. */
    losses: Loss[];
}
/**
 * Messages of any format as messages of any other one. Texts, images and files, calls, results, reasoning and digests come
 * along as far as the other format has room for them; what it has no room for is a loss, never dropped in silence. Messages
 * that {@link check} finds nothing wrong with are sound in the other format, too: results stand where its provider looks for
 * them, and sides take turns where they must. Calls without an id get one that is the same in every run.
 *
 * System text is sent apart from the messages of some formats (a loss `system-text` says so): pass it with your request.
 * Between messages of one format your own objects come back.
 *
 * @throws PlicaError `unknown-format`, `bad-argument`, `bad-message`, `format-undetected`.
 * @example
 * const { messages: items, losses } = convert(messages, { to: "openai-responses" });
 * if (losses.length > 0) console.warn(losses.map((loss) => loss.message));
 */
export declare function convert<M extends object>(messages: readonly M[], options: ConvertOptions<M>): Converted;
/** What {@link convertSession} gives. */
export interface ConvertedSession {
    /** The conversation, a JSON array with one message a line. */
    conversation: string;
    /** What was done, and what could not be carried over. */
    report: ConversionReport;
}
/**
 * Converts the current window of a session file. Numbers and strings keep the file's spelling: big integers, `1.0`.
 *
 * @param data the file's bytes (fastest), or its text.
 * @throws PlicaError `unknown-format`, and those of `readSession`.
 * @example
 * const { conversation, report } = convertSession(bytes, { to: "openai-chat" });
 */
export declare function convertSession(data: Uint8Array | string, options: {
    to: Format;
}): ConvertedSession;
