// plica fold: plan, digest, write.

import { existsSync } from "node:fs";
import { foldSession, judgeSummary, summarizeSession } from "../../dist/index.js";
import { count, readArguments, tokens } from "./args.mjs";
import { EXIT, Failure } from "./failure.mjs";
import { beside, readWhole, sameFile, writeAll } from "./files.mjs";
import { runSummarizer } from "./summarizer.mjs";
import { printable, problemLines, progress, table } from "./text.mjs";

const OPTIONS = /** @type {const} */ ({
  budget: { type: "string" },
  out: { type: "string" },
  "ledger-out": { type: "string" },
  ledger: { type: "string" },
  summarizer: { type: "string" },
  timeout: { type: "string" },
  "keep-turns": { type: "string" },
  "anchor-task": { type: "boolean" },
  "anchor-request": { type: "boolean" },
  native: { type: "boolean" },
  branch: { type: "string" },
  force: { type: "boolean" },
});

const FOLDED = ".folded.json";

/** Why nothing folded, for people. */
const REASONS = {
  "nothing-to-fold": "there is nothing to fold: all messages are prefix, tail, or must stay",
  "only-existing-summary": "all that could fold is the digest of an earlier fold",
  "no-legal-cut": "every cut would tear something that belongs together",
  "pending-call": "a tool call still waits for its result",
  "no-gain": "the digest would take more room than what it replaces; give a smaller --budget",
};

/** @param {string[]} args @returns {Promise<number>} */
export async function fold(args) {
  const { file, values } = readArguments(args, OPTIONS);
  const paths = outputPaths(file, values);
  const ledger = values.native === true && values.ledger === undefined ? undefined : ledgerOf(file, values);
  const options = planOptions(values, ledger);
  const data = readWhole(file);
  const { folded, note } = await foldWith(data, options, values);
  const { report } = folded;
  if (note) process.stderr.write(`plica: ${note}\n`);
  const written = folded.session ?? folded.conversation;
  if (written === null) return unchanged(report, values.json === true);
  // The ledger first: a conversation without its ledger would have lost its originals.
  // What was read is contained in what is written: the source in the ledger, the old ledger in the new one.
  const known = [data, ...(ledger === undefined ? [] : [ledger])];
  const ledgers = folded.ledger === null ? [] : [{ path: paths.ledger, data: folded.ledger }];
  writeAll([...ledgers, { path: paths.conversation, data: written }], { force: values.force === true, known });
  const made = { conversation: paths.conversation, ...(folded.ledger === null ? {} : { ledger: paths.ledger }) };
  if (values.json) process.stdout.write(`${JSON.stringify({ ...report, ...made, ...(note ? { note } : {}) })}\n`);
  else process.stdout.write(`${page(file, report, made)}\n`);
  return EXIT.ok;
}

/** The ledger that came with the file: the one named, or for a folded conversation the one beside it. */
function ledgerOf(file, values) {
  if (values.ledger !== undefined) return readWhole(values.ledger, "ledger");
  const near = beside(file, ".ledger.json");
  if (!file.endsWith(FOLDED) || !existsSync(near)) return undefined;
  process.stderr.write(`plica: going on with the ledger ${near}\n`);
  return readWhole(near, "ledger");
}

function planOptions(values, ledger) {
  return {
    tailBudget: tokens(values.budget),
    keepTurns: count(values["keep-turns"], "--keep-turns"),
    anchorTask: values["anchor-task"] === true,
    anchorRequest: values["anchor-request"] === true,
    native: values.native === true,
    branch: values.branch,
    ...(ledger === undefined ? {} : { ledger }),
  };
}

function outputPaths(file, values) {
  if (file === "-" && values.out === undefined) throw new Failure("usage", "reading standard input needs --out PATH");
  const ending = values.native === true && !/\.json$/i.test(file) ? ".folded.jsonl" : FOLDED;
  const conversation = values.out ?? beside(file, ending);
  const ledger = values["ledger-out"] ?? beside(conversation, ".ledger.json");
  if (sameFile(conversation, ledger)) throw new Failure("usage", "the conversation and its ledger need two names");
  return { conversation, ledger };
}

/** Folds with the summarizer's text, or without it when it failed or did not help. */
async function foldWith(data, options, values) {
  if (values.summarizer === undefined) return { folded: foldSession(data, options) };
  const seconds = count(values.timeout, "--timeout") ?? 600;
  const request = summarizeSession(data, options);
  if (request === undefined) return { folded: foldSession(data, options) };
  progress(`asking the summarizer (about ${request.tokens} tokens)`);
  const { summary, failure } = await runSummarizer(values.summarizer, request, seconds);
  const instead = (why) => ({ folded: foldSession(data, options), note: `${why}; the deterministic digest takes its place` });
  if (summary === undefined) return instead(`the summarizer ${failure}`);
  const verdict = judgeSummary({ text: summary, prompt: request.prompt, earlier: request.earlier });
  if (!verdict.accepted) return instead(`the summarizer's answer is no summary (${verdict.message})`);
  const folded = foldSession(data, { ...options, summary });
  if (folded.report.reason !== "no-gain") return { folded };
  return instead("the summary is larger than what it replaces");
}

function unchanged(report, json) {
  const reason = REASONS[report.reason] ?? report.reason;
  const calls = report.pending.length > 0 ? ` (waiting: ${report.pending.map(printable).join(", ")})` : "";
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  process.stderr.write(`plica: nothing was folded: ${reason}${calls}\n`);
  return EXIT.nothing;
}

function page(file, report, paths) {
  const rows = report.fates.map(({ fate, messages, tokens: cost, reason }) => [fate, messages, "messages", cost, "tokens", reason]);
  const digest = report.tokensAfter - report.fates.filter((row) => row.fate !== "folded").reduce((sum, row) => sum + row.tokens, 0);
  return [
    `${printable(file)} (${report.kind}, ${report.format} messages)`,
    "",
    table([["", "before", "after"], ["messages", report.messagesBefore, report.messagesAfter], ["tokens", report.tokensBefore, report.tokensAfter]]),
    "",
    table([...rows, ["digest", 1, "message", digest, "tokens", report.outcome === "summarized" ? "written by the summarizer" : "made by rules, without a model"]]),
    ...(report.overBudget ? ["", `  The tail is over the budget: no smaller one is legal.`] : []),
    ...(report.pending.length > 0 ? ["", `  Waiting for results: ${report.pending.map(printable).join(", ")}`] : []),
    ...(report.problems.length > 0 ? ["", "problems", problemLines(report.problems)] : []),
    "",
    `  folded  ${printable(paths.conversation)}`,
    paths.ledger === undefined
      ? "          the file holds what was folded; plica unfold gives everything back"
      : `  ledger  ${printable(paths.ledger)} (${report.folds} ${report.folds === 1 ? "fold" : "folds"}; plica unfold gives everything back)`,
  ].join("\n");
}
