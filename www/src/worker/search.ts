// Searches everything that a reader can see, in slices, so that other requests are answered in between.

import { MOST_HITS } from "../protocol.js";
import type { Events, Hit } from "../protocol.js";
import { cut, whole } from "./cut.js";
import { textOf } from "./json.js";
import { piecesOf } from "./pieces.js";

/** Milliseconds of a slice. */
const SLICE = 20;
/** Milliseconds between events, at least. */
const PAUSE = 100;
/** UTF-16 units of an excerpt in front of the match and behind it. */
const AROUND = 60;
/** UTF-16 units of the match that an excerpt shows, at most. */
const MOST_MATCH = 200;

/** What a search needs of its surroundings. */
export interface Searching {
  messages: readonly object[];
  /** Whether a newer one has taken its place. */
  ended: () => boolean;
  tell: (hits: Events["hits"]) => void;
  /** Gives way to whatever waits. */
  turn: () => Promise<void>;
}

/** Hits are parts: the first match in each. */
export async function search(query: string, { messages, ended, tell, turn }: Searching): Promise<{ hits: number; complete: boolean }> {
  const wanted = folded(query.trim());
  if (wanted === "") return { hits: 0, complete: true };
  let [total, sent, told] = [0, 0, performance.now()];
  let hits: Hit[] = [];
  let sliceEnd = performance.now() + SLICE;
  const report = (searched: number): void => {
    tell({ hits, total, searched });
    sent += hits.length;
    hits = [];
    told = performance.now();
  };
  for (let item = 0; item < messages.length; item++) {
    for (const { part, text, named } of textsOf(messages[item]!)) {
      const match = find(text, wanted);
      if (match !== undefined) {
        total++;
        if (sent + hits.length < MOST_HITS) hits.push({ item, part, end: named ? 0 : match.to, ...excerpt(text, match) });
      }
      const now = performance.now();
      if (now < sliceEnd) continue;
      if (now - told >= PAUSE) report(item);
      await turn();
      if (ended()) return { hits: total, complete: false };
      sliceEnd = performance.now() + SLICE;
    }
  }
  report(messages.length);
  return { hits: total, complete: true };
}

interface Shown {
  part: number;
  text: string;
  /** It is the name of the part and not its text. */
  named: boolean;
}

/** The texts of a message that are shown. */
function* textsOf(message: object): Generator<Shown> {
  for (const [part, piece] of piecesOf(message).entries()) {
    if (piece.name !== undefined && piece.kind !== "result") yield { part, text: piece.name, named: true };
    const text = textOf(piece.value);
    if (text !== "") yield { part, text, named: false };
  }
}

/** Without case; the two forms of the Greek sigma, which differ by their place in a word, are one. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.includes("ς") ? lower.replaceAll("ς", "σ") : lower;
}

interface Match {
  from: number;
  to: number;
}

function find(text: string, wanted: string): Match | undefined {
  const lower = folded(text);
  const at = lower.indexOf(wanted);
  if (at === -1) return undefined;
  if (lower.length === text.length) return { from: at, to: at + wanted.length };
  return { from: unfoldedPlace(text, at), to: unfoldedPlace(text, at + wanted.length) };
}

/** The place in a text of a place in its lower case, which is longer where a capital has no small letter of one unit. */
function unfoldedPlace(text: string, place: number): number {
  let at = 0;
  for (const character of text) {
    if (place <= 0) break;
    place -= character.toLowerCase().length;
    at += character.length;
  }
  return at;
}

/** The text around a match on one line: each run of white space is one space. */
function excerpt(text: string, { from, to }: Match): Pick<Hit, "excerpt" | "from" | "to"> {
  const start = whole(text, Math.max(0, from - AROUND));
  const before = onOneLine(text.slice(start, from)).trimStart();
  const match = onOneLine(cut(text, from, Math.min(to - from, MOST_MATCH)));
  const after = onOneLine(cut(text, to, AROUND)).trimEnd();
  const [head, foot] = [start > 0 ? "…" : "", to + AROUND < text.length ? "…" : ""];
  const place = head.length + before.length;
  return { excerpt: `${head}${before}${match}${after}${foot}`, from: place, to: place + match.length };
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
