#!/usr/bin/env node
// The command: reads arguments, runs one of the subcommands, and turns failures into one sentence and an exit code.

import { Failure, EXIT } from "./command/failure.mjs";
import { convert } from "./command/convert.mjs";
import { fold } from "./command/fold.mjs";
import { help, version } from "./command/help.mjs";
import { inspect } from "./command/inspect.mjs";
import { unfold } from "./command/unfold.mjs";
import { view } from "./command/view.mjs";

const COMMANDS = { fold, unfold, inspect, convert, view };

// A reader that has seen enough (head, less) closes the pipe: that is no failure of ours.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});

process.exitCode = await main(process.argv.slice(2));

/** @param {string[]} args @returns {Promise<number>} exit code */
async function main(args) {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") return version();
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return help(name === undefined ? EXIT.usage : EXIT.ok);
  if (rest.includes("--help") || rest.includes("-h")) return help(EXIT.ok);
  const json = rest.includes("--json");
  try {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[/** @type {keyof typeof COMMANDS} */ (name)] : undefined;
    if (!command) throw new Failure("usage", `there is no command "${name}"; there are ${Object.keys(COMMANDS).join(", ")} (see plica --help)`);
    return await command(rest);
  } catch (error) {
    return report(error, json);
  }
}

/** One sentence on stderr (and, with --json, an object on stdout). */
function report(error, json) {
  const failure = Failure.of(error);
  if (json) process.stdout.write(`${JSON.stringify({ error: { code: failure.code, message: failure.message } })}\n`);
  process.stderr.write(`plica: ${failure.message}\n`);
  if (failure.exit === EXIT.internal && error instanceof Error && error.stack) process.stderr.write(`${error.stack}\n`);
  return failure.exit;
}
