// Messages as texts that hold all of them, for whoever stores a window himself.

import { PlicaError, describe } from "./errors.js";
import { article } from "./kinds.js";
import { fromLedgerJson, toLedgerJson } from "./revive.js";
import { messageLine, valueText } from "./stage.js";

/**
 * A message as JSON text, the way {@link Ledger.toJSON} writes originals: key order as it is; binary, dates, URLs, big integers, maps
 * and sets in a form that {@link parseMessage} reads back.
 *
 * @throws PlicaError `bad-message`, `too-deep`, `too-large`.
 * @example
 * parseMessage(stringifyMessage({ role: "user", content: "hi", at: new Date(0) })) // the same, with a Date
 */
export function stringifyMessage(message: object): string {
  if (typeof message !== "object" || message === null) throw new PlicaError("bad-message", `a message is an object, not ${article(message)}`);
  let plain: unknown;
  try {
    // Whether it can be read at all is one rule for all that take messages: an array of four thousand million holes cannot.
    messageLine(message);
    plain = toLedgerJson(message);
  } catch (error) {
    if (error instanceof PlicaError) throw error;
    throw new PlicaError("bad-message", `the message cannot be read: ${describe(error)}`, { cause: error });
  }
  return valueText(plain, "the message");
}

/**
 * The message behind a text of {@link stringifyMessage}.
 *
 * @throws PlicaError `bad-json` when the text is no JSON of an object; `bad-ledger` when it holds a mark that this plica does not know.
 * @example
 * const messages = texts.map((text) => parseMessage(text));
 */
export function parseMessage<M extends object = object>(text: string): M {
  if (typeof text !== "string") throw new PlicaError("bad-argument", `text must be a string, not ${article(text)}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PlicaError("bad-json", `the message is no JSON: ${describe(error)}`, { cause: error });
  }
  if (typeof value !== "object" || value === null) throw new PlicaError("bad-json", `the text holds ${article(value)}, not a message`);
  return fromLedgerJson(value) as M;
}
