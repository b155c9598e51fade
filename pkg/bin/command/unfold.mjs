// plica unfold: the original back.

import { existsSync } from "node:fs";
import { inspectSession, unfoldSession } from "../../dist/index.js";
import { readArguments } from "./args.mjs";
import { EXIT, Failure } from "./failure.mjs";
import { beside, readWhole, toStandardOutput, writeAll } from "./files.mjs";
import { number, printable } from "./text.mjs";

const OPTIONS = /** @type {const} */ ({ ledger: { type: "string" }, out: { type: "string" }, force: { type: "boolean" } });

/** @param {string[]} args @returns {Promise<number>} */
export async function unfold(args) {
  const { file, values } = readArguments(args, OPTIONS);
  if (values.json && values.out === undefined) throw new Failure("usage", "--json needs --out PATH, since standard output would hold both");
  const data = readWhole(file);
  const { bytes, exact, messages } = unfoldSession(data, ledgerOf(file, values.ledger, data));
  const said = exact ? "the source, byte for byte" : "the whole conversation, as a JSON array";
  if (values.out === undefined) {
    await toStandardOutput(bytes);
    process.stderr.write(`plica: ${said} (${number(messages)} messages)\n`);
    return EXIT.ok;
  }
  writeAll([{ path: values.out, data: bytes }], { force: values.force === true });
  if (values.json) process.stdout.write(`${JSON.stringify({ out: values.out, exact, messages })}\n`);
  else process.stdout.write(`${printable(values.out)}: ${said} (${number(messages)} messages)\n`);
  return EXIT.ok;
}

/** The ledger that was named, or the one beside the file; none for a session that holds its folds itself. */
function ledgerOf(file, named, data) {
  if (named !== undefined) return readWhole(named, "ledger");
  const near = beside(file, ".ledger.json");
  if (file !== "-" && existsSync(near)) return readWhole(near, "ledger");
  if (inspectSession(data).folds.length > 0) return undefined;
  if (file === "-") throw new Failure("usage", "reading standard input needs --ledger PATH");
  return readWhole(near, "ledger");
}
