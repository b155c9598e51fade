// What the page and its worker say to each other. Messages of a transcript stay in the worker: the page asks for the rows that it
// shows. An *item* is a place in the timeline: every message of the conversation in the order in which it came, and every digest
// at the moment at which it was made. Items are numbered from 0; people see them counted from 1.

import type { Inspection, Session, SessionProblem } from "plica/slim";

/** What a part of a message is. */
export type PartKind = "text" | "reasoning" | "call" | "result" | "image" | "data";

/** A part of a message as it is shown. */
export interface Part {
  kind: PartKind;
  /** The beginning of its text, cut at {@link FIRST_UNITS}. */
  text: string;
  /** UTF-16 units of the whole text. */
  length: number;
  /** The text is JSON: arguments of a call, a block of a kind that is not known. */
  json?: boolean;
  /** Name of the tool. */
  name?: string;
  /** Id of the call. */
  id?: string;
  /** A result that says that it failed. */
  error?: boolean;
  /** It stands inside the result in front of it. */
  inner?: boolean;
  /** The item of the result of this call, or of the call of this result. */
  pair?: number;
  /** A picture: one that is in the file (a data: URL that was checked), or the address of one that is elsewhere. */
  image?: { data: string } | { remote: string } | { missing: string };
}

/** UTF-16 units of a part's text that are sent at first. */
export const FIRST_UNITS = 4_000;

/** A message as it is shown. */
export interface Row {
  item: number;
  role: string;
  /** Where it came from, when not plainly from its role: "instructions", "memory", "injected", "pinned rules". */
  provenance: string | null;
  tokens: number;
  parts: Part[];
  /** All of its parts; `parts` holds the first {@link FIRST_PARTS}. */
  partCount: number;
  /** Number of the fold whose digest it is. */
  fold: number | null;
  /** It looks like the frame of a digest, and no fold is recorded for it. */
  lookalike: boolean;
}

/** Parts of a message that are sent at first. */
export const FIRST_PARTS = 40;

/** What is known of a fold. `none` is not here: a frame without a fold is a {@link Row.lookalike}. */
export type FoldState = "with-originals" | "without-originals";

/** A fold of the conversation. */
export interface FoldView {
  /** Counted from 0, in the order in which they were made. */
  number: number;
  /** Items of its digest, one or two. */
  digest: number[];
  /** It was made after this item; -1 when nothing of what was before it is there. */
  moment: number;
  state: FoldState;
  /** Pairs [first, last] of items that it stands for, down to the first messages: digests of earlier folds are undone. */
  covers: [number, number][];
  /** Items that it took away, digests of earlier folds among them; empty without originals. */
  originals: Uint32Array;
  /** What is known beside it, ready to be shown: name and value. */
  facts: [string, string | number][];
}

/** A finding about the facts of a memory. */
export interface MemoryView {
  facts: { key: string; value: string; importance: number; agent: string; kind: string; pinned: boolean }[];
  /** All of them; `facts` holds the first {@link FIRST_FACTS}, pinned ones first. */
  total: number;
  pinned: number;
  findings: { code: string; message: string }[];
  byAgent: { agent: string; facts: number }[];
  inflated: { count: number; percent: number };
}

/** Facts that are sent. */
export const FIRST_FACTS = 500;

/** A file that was opened. */
export interface Opened {
  name: string;
  /** Bytes of the file. */
  size: number;
  inspection: Omit<Inspection, "roles" | "skipped"> & { roles: [string, number][]; skipped: [string, number][] };
  /** Number of items. */
  items: number;
  /** Tokens of each item. */
  tokens: Uint32Array;
  /** Roles that occur. */
  roles: string[];
  /** Index into `roles` for each item. */
  roleOf: Uint8Array;
  /** Number of the fold whose digest an item is; -1 for messages. */
  digestOf: Int32Array;
  /** Number of the fold that took an item away first; -1 for those that no fold took. */
  takenBy: Int32Array;
  /** Items of the current window, in its order. */
  window: Uint32Array;
  folds: FoldView[];
  /** Items that nobody said: pinned rules that plica put in. */
  pinned: Uint32Array;
  /** Items that hold a result that failed. */
  errors: Uint32Array;
  problems: SessionProblem[];
  branches: Session["branches"];
  /** Id of the branch that is shown, if one was asked for. */
  branch: string | null;
  /** Where the folds are from: in the file, a ledger that was opened with it, spans beside the messages; null without folds. */
  ledger: "file" | "opened" | "spans" | null;
  /** Why the whole conversation cannot be shown: a sentence; null when it is there. */
  incomplete: string | null;
  memory: MemoryView | null;
}

/** Options of the planner. */
export interface Settings {
  /** Tokens that the tail may cost. */
  tailBudget: number;
  keepTurns: number;
  anchorTask: boolean;
  anchorRequest: boolean;
  keepSystem: boolean;
}

export type Fate = "prefix" | "kept" | "folded" | "cleared" | "tail";

/** Fates by their number in {@link PlanView.fates}. */
export const FATES: readonly Fate[] = ["prefix", "kept", "folded", "cleared", "tail"];

/** A plan for the window at a moment. */
export interface PlanView {
  /** Items of the window, in its order. */
  window: Uint32Array;
  /** Why nothing folds, by its code; null for a fold. */
  none: string | null;
  overBudget: boolean;
  /** Index into `window` at which the tail begins. */
  keptFrom: number;
  /** For each message of the window. */
  fates: Uint8Array;
  /** Sentences. */
  reasons: string[];
  /** Index into `reasons` for each message of the window. */
  reasonOf: Uint32Array;
  /** Tokens of the window now. */
  before: number;
  /** Tokens by fate, in the order of {@link FATES}. */
  tokens: number[];
  /** Ids of calls that wait for a result. */
  pending: string[];
}

/** The digest that would be made without a model. */
export interface DigestView {
  text: string;
  tokens: number;
}

/** A fault of the window, by the item that it is at. */
export interface CheckView {
  item: number;
  code: string;
  message: string;
}

/** A place that a search found. */
export interface Hit {
  item: number;
  /** The part that it is in, and where in its text the match ends, in UTF-16 units. */
  part: number;
  end: number;
  /** The text around it; the match is [from, to). */
  excerpt: string;
  from: number;
  to: number;
}

/** Hits that are sent; the rest are counted. */
export const MOST_HITS = 2_000;

export type SaveKind = "conversation" | "ledger" | "request";

/** A file to save. */
export interface Saved {
  name: string;
  type: string;
  bytes: Uint8Array;
}

/** Operations of the worker: a call is answered with the value, or with an error's code and message. */
export interface Operations {
  /**
   * Opens a file, or a file and the ledger that came with it. Tells {@link Events.progress} and, before the file is read as a whole,
   * {@link Events.preview}.
   */
  open(what: { file: Blob; name: string; ledger?: Blob; branch?: string }): Opened;
  rows(items: number[]): Row[];
  /** The next piece of a part's text. */
  more(item: number, part: number, from: number): string;
  /** The next parts of a message. */
  parts(item: number, from: number): Part[];
  /** A message as JSON, for copying. */
  raw(item: number): string;
  /** Items of the window right after an item came; the last item gives the current window. */
  windowAt(moment: number): Uint32Array;
  plan(moment: number, settings: Settings): PlanView;
  digest(moment: number, settings: Settings): DigestView | null;
  check(moment: number): CheckView[];
  save(kind: SaveKind, settings: Settings): Saved;
  /** Folds, unfolds, and says whether the file came back byte for byte. */
  prove(settings: Settings): { exact: boolean; messages: number; bytes: number };
  /** Searches everything; tells {@link Events.hits}. A newer search ends it. */
  search(query: string): { hits: number; complete: boolean };
}

/** What the worker tells while a call runs, with the number of the call. */
export interface Events {
  progress: { bytes: number; total: number; stage: "reading" | "parsing" | "counting" };
  /** The first messages of a file, before the rest is read; item numbers are provisional. */
  preview: { rows: Row[] };
  hits: { hits: Hit[]; total: number; searched: number };
}
