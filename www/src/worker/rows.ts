// Messages as they are shown: their parts, long texts cut, calls and results joined.

import { digestMessage, isCompactedSummary } from "plica/slim";
import { FIRST_PARTS, FIRST_UNITS } from "../protocol.js";
import type { Part, Row } from "../protocol.js";
import { cut } from "./cut.js";
import { imageOf } from "./images.js";
import { textOf } from "./json.js";
import type { Pairs } from "./pairs.js";
import { piecesOf, provenanceOf, roleOf } from "./pieces.js";
import type { Piece } from "./pieces.js";

/** UTF-16 units of a further piece of a text. */
const MORE_UNITS = 50_000;

/** What the rows are of. */
export interface Source {
  messages: readonly object[];
  tokens: ArrayLike<number>;
  digestOf: ArrayLike<number>;
  pairs: Pairs | undefined;
  /** Where a message came from, as the file says. */
  provenance: (item: number) => string | undefined;
  /** Items that are pinned rules. */
  pinned: ReadonlySet<number>;
}

export function rowOf(source: Source, item: number): Row {
  const message = source.messages[item]!;
  const pieces = piecesOf(message);
  const fold = source.digestOf[item]!;
  return {
    item,
    role: roleOf(message, pieces),
    provenance: source.pinned.has(item) ? "pinned rules" : (shownProvenance(source.provenance(item)) ?? provenanceOf(message)),
    tokens: source.tokens[item]!,
    parts: partsFrom(source, item, pieces, 0),
    partCount: pieces.length,
    fold: fold === -1 ? null : fold,
    lookalike: fold === -1 && (source.provenance(item) === "summary" || looksLikeDigest(pieces)),
  };
}

/** The parts of a message from one on, as many as are sent at once. */
export function partsOf(source: Source, item: number, from: number): Part[] {
  return partsFrom(source, item, piecesOf(source.messages[item]), from);
}

/** The text of a part from one unit on, as much as is sent at once. */
export function moreOf(message: object, part: number, from: number): string | undefined {
  const piece = piecesOf(message)[part];
  return piece === undefined ? undefined : cut(textOf(piece.value), from, MORE_UNITS);
}

function partsFrom(source: Source, item: number, pieces: readonly Piece[], from: number): Part[] {
  const others = new Map([[item, pieces]]);
  /** The name of a call, for results that do not say it; a message with many calls is read once. */
  const nameAt = (partner: { item: number; part: number }): string | undefined => {
    const known = others.get(partner.item) ?? piecesOf(source.messages[partner.item]);
    others.set(partner.item, known);
    return known[partner.part]?.name;
  };
  return pieces.slice(from, from + FIRST_PARTS).map((piece, i) => {
    const partner = source.pairs?.of(item, from + i);
    const name = piece.name ?? (piece.kind === "result" && partner !== undefined ? nameAt(partner) : undefined);
    return partOf(piece, name, partner?.item);
  });
}

function partOf(piece: Piece, name: string | undefined, pair: number | undefined): Part {
  const text = textOf(piece.value);
  return {
    kind: piece.kind,
    text: cut(text, 0, FIRST_UNITS),
    length: text.length,
    ...(piece.json === true ? { json: true } : {}),
    ...(name === undefined ? {} : { name }),
    ...(piece.id === undefined ? {} : { id: piece.id }),
    ...(piece.error === true ? { error: true } : {}),
    ...(piece.inner === true ? { inner: true } : {}),
    ...(pair === undefined ? {} : { pair }),
    ...(piece.kind === "image" ? { image: imageOf(piece.block) } : {}),
  };
}

/** Digests and messages that came in between have places of their own in a row. */
function shownProvenance(provenance: string | undefined): string | null {
  return provenance === "instructions" || provenance === "memory" || provenance === "injected" ? provenance : null;
}

/** How the frame of a digest begins, as the core writes it; without the end of its tag, behind which there may be attributes. */
let frame: string | undefined;

function looksLikeDigest(pieces: readonly Piece[]): boolean {
  const first = pieces.find((piece) => piece.kind === "text");
  if (first === undefined || typeof first.value !== "string") return false;
  frame ??= digestMessage("-", { format: "pi" }).content.split(/>?\n/, 1)[0]!;
  const text = first.value.trimStart();
  return text.startsWith(frame) || isCompactedSummary({ role: "user", content: text });
}
