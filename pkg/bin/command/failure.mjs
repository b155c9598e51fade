// Failures of the command: a code, a sentence, an exit code that scripts can use.

import { PlicaError } from "../../dist/index.js";

/** What the command ends with. */
export const EXIT = { ok: 0, internal: 1, usage: 2, input: 3, nothing: 4, output: 5, ledger: 6 };

/** Codes of the library that say something about the ledger. */
const LEDGER_CODES = ["bad-ledger", "ledger-altered", "ledger-key", "digest-missing", "originals-missing"];
const USAGE_CODES = ["bad-budget", "bad-argument", "unknown-format"];

export class Failure extends Error {
  /**
   * @param {keyof typeof EXIT} kind
   * @param {string} message one sentence: what was wrong, where, what to do
   * @param {string} [code] for programs
   */
  constructor(kind, message, code = kind) {
    super(message);
    this.exit = EXIT[kind];
    this.code = code;
  }

  /** Whatever was thrown, as a failure. */
  static of(error) {
    if (error instanceof Failure) return error;
    if (!(error instanceof PlicaError)) return new Failure("internal", `unexpected failure: ${error instanceof Error ? error.message : String(error)}`);
    const kind = LEDGER_CODES.includes(error.code) ? "ledger"
      : USAGE_CODES.includes(error.code) ? "usage"
      : error.code === "internal" || error.code === "wasm-unavailable" ? "internal" : "input";
    return new Failure(kind, error.message, error.code);
  }
}
