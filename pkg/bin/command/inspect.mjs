// plica inspect: what is in a file.

import { inspectSession } from "../../dist/index.js";
import { readArguments } from "./args.mjs";
import { EXIT } from "./failure.mjs";
import { readWhole } from "./files.mjs";
import { number, printable, problemLines, table } from "./text.mjs";

/** @param {string[]} args @returns {Promise<number>} */
export async function inspect(args) {
  const { file, values } = readArguments(args, { branch: { type: "string" } });
  const found = inspectSession(readWhole(file), { branch: values.branch });
  process.stdout.write(values.json ? `${JSON.stringify(found)}\n` : `${page(file, found)}\n`);
  return EXIT.ok;
}

function page(file, found) {
  const roles = Object.entries(found.roles).map(([role, count]) => `${role} ${number(count)}`).join(", ");
  const rows = [
    ["messages", found.messages, roles],
    ["tokens", found.tokens, "estimate"],
    ["tool calls", found.calls, `${number(found.results)} results`],
    ...counted("media", found.media, "images, documents, sounds"),
    ...counted("signed", found.signed, "reasoning parts"),
    ...(found.usage ? [["counted", found.usage.input + found.usage.output, `tokens, by the provider at the latest of ${number(found.counted)} answers`]] : []),
    ...counted("whole", found.allMessages - found.messages, "further messages behind the folds"),
  ];
  return [
    `${printable(file)} (${found.kind}, ${found.format} messages)`,
    "",
    table(rows),
    ...section("branches", found.branches.length > 1 ? found.branches : [], branchLine),
    ...listed("calls that wait for a result", found.pending),
    ...listed("calls without a result", found.unanswered),
    ...listed("results without a call", found.orphans),
    ...section("folds in the file", found.folds, foldLine),
    ...section("lines that are no messages of the conversation", Object.entries(found.skipped), ([code, count]) => `  ${number(count)} ${code}`),
    ...(found.problems.length > 0 ? ["", `problems (${number(found.problems.length)})`, problemLines(found.problems)] : []),
  ].join("\n");
}

function foldLine({ line, trigger, tokensBefore, originals, kept }) {
  const how = trigger ? `${printable(trigger)}, ` : "";
  const before = tokensBefore === null ? "" : `, ${number(tokensBefore)} tokens before`;
  return `  line ${line}: ${how}${number(originals)} originals${kept > 0 ? `, ${number(kept)} of them kept` : ""}${before}`;
}

function branchLine({ id, line, records, active, sidechain }) {
  const what = active ? " (active)" : sidechain ? " (a subagent's)" : "";
  return `  ${printable(id)}  ${number(records)} records up to line ${number(line)}${what}`;
}

const counted = (name, count, words) => (count > 0 ? [[name, count, words]] : []);
const listed = (title, ids) => section(title, ids, (id) => `  ${printable(id)}`);

function section(title, items, line) {
  if (items.length === 0) return [];
  const shown = items.slice(0, 20).map(line);
  return ["", title, ...shown, ...(items.length > 20 ? [`  and ${number(items.length - 20)} more (--json lists all)`] : [])];
}
