// Arguments of a subcommand.

import { parseArgs } from "node:util";
import { Failure } from "./failure.mjs";

/**
 * Options by name and the one file.
 * @param {string[]} args
 * @param {Record<string, { type: "string" | "boolean", short?: string }>} options
 */
export function readArguments(args, options) {
  let parsed;
  try {
    parsed = parseArgs({ args, options: { json: { type: "boolean" }, ...options }, allowPositionals: true, strict: true });
  } catch (error) {
    throw new Failure("usage", `${/** @type {Error} */ (error).message.split("\n")[0]} (see plica --help)`);
  }
  const [file, ...more] = parsed.positionals;
  if (file === undefined) throw new Failure("usage", "no file was given (see plica --help)");
  if (more.length > 0) throw new Failure("usage", `one file at a time: ${more.join(", ")} is too much`);
  return { file, values: parsed.values };
}

/** A number of tokens: 20000, 20_000, 20k, 1.5m. @param {string | undefined} text */
export function tokens(text) {
  if (text === undefined) throw new Failure("usage", "fold needs --budget N: the tokens that may stay verbatim at the end", "bad-budget");
  const match = /^(\d[\d_]*(?:\.\d+)?)([km]?)$/i.exec(text.trim());
  const value = match ? Number(match[1].replaceAll("_", "")) * { "": 1, k: 1e3, m: 1e6 }[match[2].toLowerCase()] : NaN;
  if (!Number.isFinite(value)) throw new Failure("usage", `--budget ${text} is no number of tokens; write 20000 or 20k`, "bad-budget");
  return value;
}

/** A whole number of 0 or more. @param {string | undefined} text @param {string} name */
export function count(text, name) {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text.trim())) throw new Failure("usage", `${name} ${text} is no whole number`);
  return Number(text);
}
