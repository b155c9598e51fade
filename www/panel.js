// The side panel: the plan in numbers, and what is in the file.

import { count, counted, fill, make } from "./text.js";

/** Entries of a list that are shown; the rest are counted. */
const MOST = 100;

/**
 * A line of the table of fates.
 *
 * @typedef {{ fate: string, messages: number, tokens: number | undefined, name?: string }} FateLine
 */

/** @param {HTMLElement} body @param {FateLine[]} lines */
export function showNumbers(body, lines) {
  body.replaceChildren(...lines.map(({ fate, messages, tokens, name }) => {
    const row = make("tr");
    row.dataset.fate = fate;
    const head = make("th", "", name ?? fate);
    head.scope = "row";
    row.append(head, make("td", "num", count(messages)), make("td", "num", tokens === undefined ? "…" : count(tokens)));
    return row;
  }));
}

/** @param {HTMLElement} list @param {any} inspection */
export function showFacts(list, inspection) {
  const { kind, format, messages, roles, tokens, calls, results, media, signed, allMessages } = inspection;
  /** @type {[string, string | number, string?][]} */
  const facts = [
    ["Kind", kind], ["Messages are", format],
    ["Messages in the window", messages], ...roles.map((/** @type {[string, number]} */ [role, n]) => [role, n, "sub"]),
    ["Messages in all", allMessages], ["Tokens", tokens], ["Tool calls", calls], ["Tool results", results],
    ["Pictures and files", media], ["Signed reasoning", signed],
  ];
  list.replaceChildren(...facts.flatMap(([name, value, className]) => {
    const term = make("dt", className, name);
    const data = make("dd", typeof value === "number" ? "num" : "");
    fill(data, typeof value === "number" ? count(value) : value);
    return [term, data];
  }));
}

/** Folds, problems and the like, each list behind a line that opens it. @param {HTMLElement} box @param {any} inspection */
export function showLists(box, inspection) {
  const { folds, problems, skipped, pending, unanswered, orphans } = inspection;
  const records = skipped.reduce((/** @type {number} */ sum, /** @type {[string, number]} */ [, n]) => sum + n, 0);
  box.replaceChildren(...[
    group(counted(problems.length, "problem"), problems.map((/** @type {any} */ p) => [`line ${count(p.line)}`, `${p.code}: ${p.message}`]), true),
    group(counted(folds.length, "fold found", "folds found"), folds.map(foldLine), true),
    group(counted(pending.length, "call waits", "calls wait"), pending.map((/** @type {string} */ id) => ["", id])),
    group(counted(unanswered.length, "call without result", "calls without result"), unanswered.map((/** @type {string} */ id) => ["", id])),
    group(counted(orphans.length, "result without call", "results without call"), orphans.map((/** @type {string} */ id) => ["", id])),
    group(`${counted(records, "other record")}`, skipped.map((/** @type {[string, number]} */ [code, n]) => [code, count(n)])),
  ].filter((element) => element !== null));
}

/** @param {any} fold @returns {[string, string]} */
function foldLine({ line, trigger, tokensBefore, originals, kept }) {
  const said = [
    ...(trigger === null ? [] : [trigger]),
    ...(tokensBefore === null ? [] : [`${count(tokensBefore)} tokens before`]),
    `${counted(originals, "message")} still there`,
    ...(kept === 0 ? [] : [`${count(kept)} kept`]),
  ];
  return [`line ${count(line)}`, said.join(", ")];
}

/** @param {string} title @param {[string, string][]} entries @param {boolean} [open] */
function group(title, entries, open = false) {
  if (entries.length === 0) return null;
  const details = make("details");
  details.open = open;
  const list = make("ul");
  list.append(...entries.slice(0, MOST).map(([head, text]) => {
    const item = make("li");
    if (head !== "") item.append(make("span", "where num", head));
    const words = make("bdi");
    fill(words, text.slice(0, 500), 20);
    item.append(words);
    return item;
  }));
  if (entries.length > MOST) list.append(make("li", "quiet", `and ${count(entries.length - MOST)} more`));
  details.append(make("summary", "", title), list);
  return details;
}
