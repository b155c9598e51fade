// What the core's inspection of a file says, put together from what is there already: a large file is not parsed twice for it.

import { plan } from "plica/slim";
import type { Inspection, Session } from "plica/slim";
import type { Pairs } from "./pairs.js";
import { isObject } from "./json.js";
import { piecesOf, roleOf } from "./pieces.js";
import type { Piece } from "./pieces.js";
import type { Timeline } from "./timeline.js";

/** Formats in which all that is counted can be told from the pieces. In others hosted tools and approvals come in, which the core knows. */
const COUNTED: readonly string[] = ["anthropic", "pi"];

export function canBeInspected(session: Session): boolean {
  return COUNTED.includes(session.messageFormat);
}

const FILES: readonly unknown[] = ["document", "container_upload"];

/** A picture, or a file that is shown as data. */
function isMedia({ kind, value }: Piece): boolean {
  return kind === "image" || (kind === "data" && isObject(value) && FILES.includes(value.type));
}

/** Calls that wait are at the end: so many tokens from there are read to find them. */
const END = 20_000;

export function inspected(session: Session, timeline: Timeline, tokens: Uint32Array, pairs: Pairs): Inspection {
  const { messages, messageFormat: format } = session;
  const counts = { calls: 0, results: 0, media: 0, signed: 0 };
  const roles: Record<string, number> = {};
  const pending = new Set(plan(messages, { format, tailBudget: END }).pending);
  const [unanswered, orphans]: string[][] = [[], []];
  messages.forEach((message, i) => {
    const pieces = piecesOf(message);
    const role = roleOf(message, pieces);
    roles[role] = (roles[role] ?? 0) + 1;
    pieces.forEach((piece, part) => {
      const { kind, id, name } = piece;
      if (piece.sealed === true) counts.signed++;
      if (isMedia(piece)) counts.media++;
      if (kind !== "call" && kind !== "result") return;
      counts[kind === "call" ? "calls" : "results"]++;
      const handle = id ?? name ?? "";
      if (pairs.of(timeline.window[i]!, part) !== undefined || pending.has(handle)) return;
      (kind === "call" ? unanswered! : orphans!).push(handle);
    });
  });
  return {
    ...nothingInspected(session),
    ...counts,
    messages: messages.length,
    roles,
    tokens: timeline.window.reduce((sum, item) => sum + tokens[item]!, 0),
    pending: [...pending],
    unanswered: unanswered!,
    orphans: orphans!,
    allMessages: timeline.said,
  };
}

/** What can be said of a file without a look at its messages. */
export function nothingInspected(session: Session): Inspection {
  const skipped: Record<string, number> = {};
  for (const { code } of session.skipped) skipped[code] = (skipped[code] ?? 0) + 1;
  const usages = session.usage.filter((usage) => usage !== null);
  return {
    kind: session.format,
    format: session.messageFormat,
    messages: 0,
    roles: {},
    tokens: 0,
    calls: 0,
    results: 0,
    pending: [],
    unanswered: [],
    orphans: [],
    media: 0,
    signed: 0,
    allMessages: 0,
    folds: session.folds.map(({ line, trigger, tokensBefore, originals, kept }) => ({ line, trigger, tokensBefore, originals: originals.length, kept: kept.length })),
    counted: usages.length,
    usage: usages.at(-1) ?? null,
    branches: session.branches,
    skipped,
    problems: session.problems,
  };
}
