// Messages of one format as messages of another. What has no counterpart is the core's to say.

import { PlicaError } from "./errors.js";
import type { ConversionReport, Format, Loss } from "./generated/core.js";
import { article } from "./kinds.js";
import { fields, formatName } from "./options.js";
import { readingOptions, withReading } from "./planning.js";
import type { ReadOptions } from "./planning.js";
import { fileBytes } from "./session.js";
import { elements, withBytes } from "./stage.js";

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
export function convert<M extends object>(messages: readonly M[], options: ConvertOptions<M>): Converted {
  const to = targetOf(options);
  const all = elements<M>(messages, "messages");
  const answer = withReading(all, readingOptions(options), (core, length, reading) => core.convert(length, reading, to)) as { messages?: string; losses: Loss[] };
  return { messages: typeof answer.messages === "string" ? parsed(answer.messages) : [...all], losses: answer.losses };
}

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
export function convertSession(data: Uint8Array | string, options: { to: Format }): ConvertedSession {
  const to = targetOf(options);
  return withBytes([fileBytes(data, "data")], (core, length) => core.convertFile(length, to)) as ConvertedSession;
}

function targetOf(options: unknown): string {
  const to = formatName(fields(options, ["to"], "options").to);
  if (to === undefined) throw new PlicaError("unknown-format", `options.to names the format to convert to; it is ${article(undefined)}`);
  return to;
}

function parsed(text: string): object[] {
  try {
    return JSON.parse(text) as object[];
  } catch (cause) {
    // The core wrote it; only the platform's own limits can refuse it.
    throw new PlicaError(cause instanceof RangeError ? "too-deep" : "bad-json", "the messages cannot be parsed by this runtime", { cause });
  }
}
