// What is known of folds beside what they did, ready to be shown.

import { summaryFingerprint } from "plica/slim";
import type { Ledger, Session } from "plica/slim";
import { isObject, isText, listOf } from "./json.js";
import type { Fields } from "./json.js";
import type { Timeline, TimelineFold } from "./timeline.js";

type Fact = [string, string | number];

/** Where facts come from. */
export interface Sources {
  session: Session;
  ledger: Ledger;
  /** The JSON object that the file is, with its spans. */
  document: Fields | undefined;
  /** The ledger that came with the file, as it was written: it may hold more than is asked for. */
  ledgerJson: Fields | undefined;
}

/** The facts of all folds: from the file's own program, the ledger, the spans that they were read from. */
export function foldFacts(timeline: Timeline, { session, ledger, document, ledgerJson }: Sources): Fact[][] {
  const written = new Map(listOf(ledgerJson?.folds).filter(isObject).map((entry) => [entry.id, entry]));
  const found = new Map(ledger === session.ledger ? ledger.folds.map((fold, i) => [fold, session.folds[i]]) : []);
  // Of spans with one fingerprint the first counts, as for whoever looks one up.
  const spans = new Map(listOf(document?.folded).filter(isObject).reverse().map((span) => [span.summaryFingerprint, span]));
  return timeline.folds.map((fold) => {
    const { content } = timeline.messages[fold.digest[0]!] as Fields;
    const span = spans.size > 0 && typeof content === "string" ? spans.get(summaryFingerprint(content)) : undefined;
    return factsOf(fold, found.get(fold.fold), written.get(fold.fold.id), span);
  });
}

function factsOf({ fold }: TimelineFold, found: Session["folds"][number] | undefined, written: Fields | undefined, span: Fields | undefined): Fact[] {
  return [
    ...fact("Made by", written?.madeBy),
    ...fact("Line", found?.line ?? written?.line),
    ...fact("Set off by", found?.trigger),
    ...fact("Tokens before, as the file says", found?.tokensBefore),
    ...fact("Summary", fold.outcome === "found" ? undefined : fold.outcome),
    ...fact("Reason", fold.reason),
    ...fact("Model", fold.model ?? span?.model),
    ...fact("Tokens before", fold.tokens?.before),
    ...fact("Tokens after", fold.tokens?.after),
    ...fact("Run", span?.runId),
    ...fact("Iteration", span?.iteration),
    ...fact("Folded at", timeOf(span?.foldedAtMs)),
    ...fact("Messages, as the file says", span?.messageCount),
    ...fact("Files", fold.activity?.files.length),
    ...fact("Commands", fold.activity?.commands.length),
    ...fact("Originals kept", KEPT.get(fold.retention)),
  ];
}

const KEPT = new Map([["reference", "only their fingerprints"], ["discard", "none"]]);

function fact(name: string, value: unknown): Fact[] {
  return isText(value) || typeof value === "number" ? [[name, value]] : [];
}

function timeOf(milliseconds: unknown): string | undefined {
  if (typeof milliseconds !== "number" || milliseconds <= 0) return undefined;
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
