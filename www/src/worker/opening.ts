// Opens files: finds out what each is, reads the session, and puts together what the operations work on.

import { Ledger, PlicaError, estimate, inspectSession, readSession } from "plica/slim";
import type { Inspection, Session, Transcript } from "plica/slim";
import type { Events, MemoryView, Opened } from "../protocol.js";
import { foldFacts } from "./facts.js";
import { bytesOf, documentIn, ledgerIn } from "./file.js";
import { canBeInspected, inspected, nothingInspected } from "./inspection.js";
import { itemsOf } from "./items.js";
import type { Items } from "./items.js";
import type { Fields } from "./json.js";
import { memoryOf } from "./memory.js";
import { timelineOf } from "./timeline.js";
import type { Timeline } from "./timeline.js";
import { transcriptOf } from "./window.js";
import type { Parts } from "./window.js";

export interface WhatToOpen {
  file: Blob;
  name: string;
  ledger?: Blob;
  branch?: string;
}

/** A conversation that is open. */
export interface Conversation {
  name: string;
  /** The file itself: its bytes are read again when they are needed. */
  file: Blob;
  /** The ledger that came with it. */
  ledger: Blob | undefined;
  branch: string | null;
  session: Session;
  inspection: Inspection;
  timeline: Timeline;
  /** What is known beside the folds that the ledger names, by number. */
  foldFacts: [string, string | number][][];
  items: Items;
  /** Of each item. */
  tokens: Uint32Array;
  /** The current window, read by the core. */
  transcript: Transcript;
  /** Where an item came from; undefined where its format says, or nobody does. */
  provenance: (item: number) => Session["provenance"][number] | undefined;
  ledgerFrom: Opened["ledger"];
  memory: MemoryView | null;
}

export type Tell = (progress: Events["progress"]) => void;

/** Files larger than this are not parsed a second time just to be inspected. */
const LARGE = 32 * 1024 * 1024;

export async function open(what: WhatToOpen, tell: Tell): Promise<Conversation> {
  const { file, name, ledger, bytes, ledgerJson } = await told(what, tell);
  const document = documentIn(bytes);
  const memory = memoryOf(document);
  const branch = what.branch === undefined ? {} : { branch: what.branch };
  const onProgress = (read: number): void => tell({ bytes: read, total: bytes.length, stage: "parsing" });
  const session = sessionOf(() => readSession(bytes, { ...branch, onProgress }), bytes, memory);
  const folds = foldsOf(session, ledgerJson, document);
  const timeline = folds.timeline;
  const provenance = provenanceOf(session, timeline);
  const { transcript, tokens } = counted({ session, timeline, provenance }, bytes.length, tell);
  const items = itemsOf(timeline.messages);
  const inspection = inspectionOf();
  const facts = foldFacts(timeline, { session, ledger: folds.ledger, document, ledgerJson });
  function inspectionOf(): Inspection {
    if (session.messages.length === 0) return nothingInspected(session);
    if (bytes.length > LARGE && canBeInspected(session)) return inspected(session, timeline, tokens, items.pairs);
    // Of folds that are not in the file itself its inspection does not know.
    return { ...inspectSession(bytes, branch), ...(folds.from === "file" ? {} : { allMessages: timeline.said }) };
  }
  return { name, file, ledger, branch: what.branch ?? null, session, inspection, timeline, foldFacts: facts, items, tokens, transcript, provenance, ledgerFrom: folds.from, memory };
}

interface Told {
  file: Blob;
  name: string;
  ledger: Blob | undefined;
  bytes: Uint8Array;
  ledgerJson: Fields | undefined;
}

/** Conversation and ledger told apart: they may come in either order. */
async function told(what: WhatToOpen, tell: Tell): Promise<Told> {
  const total = what.file.size + (what.ledger?.size ?? 0);
  const bytes = await bytesOf(what.file, (read) => tell({ bytes: read, total, stage: "reading" }));
  if (what.ledger === undefined) return { file: what.file, name: what.name, ledger: undefined, bytes, ledgerJson: undefined };
  const second = await bytesOf(what.ledger, (read) => tell({ bytes: bytes.length + read, total, stage: "reading" }));
  const ledgerJson = ledgerIn(second);
  if (ledgerJson !== undefined) return { file: what.file, name: what.name, ledger: what.ledger, bytes, ledgerJson };
  const first = ledgerIn(bytes);
  if (first === undefined) throw new PlicaError("bad-ledger", 'Neither of the two files is a ledger: a ledger is a JSON object with plica: "ledger".');
  return { file: what.ledger, name: nameOf(what.ledger) ?? what.name, ledger: what.file, bytes: second, ledgerJson: first };
}

function nameOf(file: Blob): string | undefined {
  const { name } = file as { name?: unknown };
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** The session; an empty one for a file that holds a memory and no messages. */
function sessionOf(read: () => Session, bytes: Uint8Array, memory: MemoryView | null): Session {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PlicaError) || error.code !== "bad-session") throw error;
    if (ledgerIn(bytes) !== undefined) throw new PlicaError("bad-session", "This is a ledger, not a conversation: open it together with the conversation that it belongs to.");
    if (memory === null) throw error;
    return { format: "messages", messageFormat: "openai-chat", messages: [], provenance: [], usage: [], folds: [], ledger: new Ledger(), branches: [], problems: [], skipped: [] };
  }
}

interface Folds {
  ledger: Ledger;
  timeline: Timeline;
  from: Opened["ledger"];
}

/** The folds behind the window: of the ledger that came with the file, of spans beside the messages, or of the file itself. */
function foldsOf(session: Session, ledgerJson: Fields | undefined, document: Fields | undefined): Folds {
  if (ledgerJson !== undefined) {
    const opened = foldsOfLedger(session, Ledger.from(ledgerJson), "opened");
    if (opened.timeline.folds.length > 0) return opened;
    const own = foldsOfLedger(session, session.ledger, "file");
    return { ...own, timeline: { ...own.timeline, incomplete: opened.timeline.incomplete ?? "The ledger that was opened holds no fold of this conversation." } };
  }
  const spans = Array.isArray(document?.folded) && document.folded.length > 0 ? spansOf(session, document) : undefined;
  return spans ?? foldsOfLedger(session, session.ledger, "file");
}

function foldsOfLedger(session: Session, ledger: Ledger, from: Opened["ledger"]): Folds {
  const timeline = timelineOf(session.messages, ledger);
  return { ledger, timeline, from: timeline.folds.length > 0 ? from : null };
}

/** Spans that cannot be read as folds leave the conversation as the file's own reader has it. */
function spansOf(session: Session, document: Fields): Folds | undefined {
  try {
    const ledger = Ledger.fromFolded(document, session.messages);
    if (ledger.folds.length === 0 && session.ledger.folds.length > 0) return undefined;
    const folds = foldsOfLedger(session, ledger, "spans");
    const lost = ledger.unplaced.length;
    if (lost > 0) folds.timeline.incomplete ??= lost === 1 ? 'One entry of "folded" belongs to no message.' : `${lost} entries of "folded" belong to no message.`;
    return folds;
  } catch {
    return undefined;
  }
}

/** The window is read into a transcript, which counts it; what is not of the window is counted beside it. */
function counted(parts: Parts, size: number, tell: Tell): { transcript: Transcript; tokens: Uint32Array } {
  const { session, timeline } = parts;
  const [all, inWindow] = [timeline.messages.length, timeline.window.length];
  const done = (read: number): void => tell({ bytes: Math.floor((size * read) / Math.max(1, all)), total: size, stage: "counting" });
  const transcript = transcriptOf(parts, timeline.window, done);
  const tokens = new Uint32Array(all);
  const { perMessage } = transcript.estimate();
  timeline.window.forEach((item, place) => { tokens[item] = perMessage[place]!; });
  const standing = new Set(timeline.window);
  const folded = Uint32Array.from({ length: all }, (_, item) => item).filter((item) => !standing.has(item));
  for (let from = 0; from < folded.length; from += AT_ONCE) {
    done(inWindow + from);
    const items = folded.subarray(from, from + AT_ONCE);
    const estimated = estimate(Array.from(items, (item) => timeline.messages[item]!), { format: session.messageFormat }).perMessage;
    items.forEach((item, place) => { tokens[item] = estimated[place]!; });
  }
  return { transcript, tokens };
}

/** Messages that are counted at once, so that progress can be told in between. */
const AT_ONCE = 4_000;

function provenanceOf(session: Session, timeline: Timeline): Conversation["provenance"] {
  const known = new Map<number, Session["provenance"][number]>();
  timeline.window.forEach((item, i) => {
    const provenance = session.provenance[i];
    if (provenance !== undefined && provenance !== "plain") known.set(item, provenance);
  });
  return (item) => (timeline.digestOf[item] === -1 ? known.get(item) : "summary");
}
