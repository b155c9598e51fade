// plica convert: a session's messages in another format.

import { convertSession } from "../../dist/index.js";
import { readArguments } from "./args.mjs";
import { EXIT, Failure } from "./failure.mjs";
import { readWhole, toStandardOutput, writeAll } from "./files.mjs";
import { number, printable, problemLines } from "./text.mjs";

const OPTIONS = /** @type {const} */ ({ to: { type: "string" }, out: { type: "string", short: "o" }, force: { type: "boolean" } });

/** @param {string[]} args @returns {Promise<number>} */
export async function convert(args) {
  const { file, values } = readArguments(args, OPTIONS);
  if (values.to === undefined) throw new Failure("usage", "convert needs --to FORMAT: the format to convert to (see plica --help)");
  if (values.json && values.out === undefined) throw new Failure("usage", "--json needs --out PATH, since standard output would hold both");
  const { conversation, report } = convertSession(readWhole(file), { to: values.to });
  const said = `${number(report.messagesBefore)} ${report.from} messages, now ${number(report.messagesAfter)} of ${report.to}`;
  if (values.out === undefined) {
    await toStandardOutput(conversation);
    process.stderr.write(`plica: ${said}\n`);
  } else {
    writeAll([{ path: values.out, data: conversation }], { force: values.force === true });
    process.stdout.write(values.json ? `${JSON.stringify({ out: values.out, ...report })}\n` : `${printable(values.out)}: ${said}\n`);
  }
  for (const line of [...lossLines(report.losses), ...fileProblems(report.problems)]) process.stderr.write(`${line}\n`);
  return EXIT.ok;
}

/** What could not be carried over, by kind: how often, and where first. */
function lossLines(losses) {
  const kinds = new Map();
  for (const { code, index, message } of losses) {
    const kind = kinds.get(code) ?? kinds.set(code, { count: 0, index, message }).get(code);
    kind.count += 1;
  }
  const line = ([code, { count, index, message }]) => `  ${number(count)} ${code}, first in message ${index}: ${printable(message)}`;
  return kinds.size > 0 ? ["plica: not carried over", ...[...kinds].map(line)] : [];
}

function fileProblems(problems) {
  return problems.length > 0 ? [`plica: problems of the file (${number(problems.length)})`, problemLines(problems)] : [];
}
