// Session files: read, inspected, folded, unfolded. Bytes go straight into the core and are parsed there.

import { PlicaError, describe } from "./errors.js";
import type { FoldReport, Format, Inspection, SessionProblem, Provenance, SessionKind, Skipped, SummarizeRequest } from "./generated/core.js";
import { article } from "./json.js";
import { budgetOf, countOf, fields } from "./options.js";
import { encode, withBytes } from "./stage.js";

/** A session as read from a file. */
export interface Session {
  /** What kind of file it is. */
  format: SessionKind;
  /** The format of its messages. */
  messageFormat: Format;
  /** The current window: what follows the last fold, its digest first. */
  messages: object[];
  /** Where each message came from; can be handed to `plan` as `provenance: (_, i) => session.provenance[i]`. */
  provenance: Provenance[];
  /** Folds that the file's own program made, the oldest first. */
  folds: SessionFold[];
  /** What was wrong, by line; a bad line is reported and skipped, the rest is read. */
  problems: SessionProblem[];
  /** Records that are no messages of the conversation, by line. */
  skipped: Skipped[];
}

/** A fold found in a file. */
export interface SessionFold {
  /** The line that marks it, counted from 1. */
  line: number;
  /** What set it off, in the file's words. */
  trigger: string | null;
  /** Tokens before it, as the file says. */
  tokensBefore: number | null;
  /** The whole window before it, as far as the file still holds it. */
  originals: object[];
  /** Indices into `originals` of messages that stand after the digest again. */
  kept: number[];
  /** The summary that took the place of the rest. */
  digest: object;
}

/**
 * Reads a session file: Claude Code (JSONL), or messages as a JSON array, as JSONL, or in an object under `messages`.
 *
 * @param data the file's bytes (fastest), or its text.
 * @throws PlicaError `bad-session` when nothing of it is a session; `bad-argument`.
 * @example
 * const session = readSession(await readFile("session.jsonl"));
 * plan(session.messages, { format: session.messageFormat, tailBudget: 20_000 });
 */
export function readSession(data: Uint8Array | string): Session {
  const answer = withBytes([fileBytes(data, "data")], (core, length) => core.readSession(length)) as RawSession;
  const folds = answer.folds.map(({ originals, digest, ...fold }) => ({ ...fold, originals: parsed(originals) as object[], digest: parsed(digest) as object }));
  return { ...answer, messages: parsed(answer.messages) as object[], folds };
}

type RawFold = Omit<SessionFold, "originals" | "digest"> & { originals: string; digest: string };
type RawSession = Omit<Session, "messages" | "folds"> & { messages: string; folds: RawFold[] };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The core has read it already; only the platform's own limits can refuse it now.
    throw new PlicaError(cause instanceof RangeError ? "too-deep" : "bad-json", "the messages cannot be parsed by this runtime", { cause });
  }
}

/**
 * Says what is in a session file: format, messages by role, tokens, calls and results, folds, problems by line.
 *
 * @throws As {@link readSession}.
 * @example
 * inspectSession(bytes).roles // { assistant: 120, tool: 118, user: 9 }
 */
export function inspectSession(data: Uint8Array | string): Inspection {
  return withBytes([fileBytes(data, "data")], (core, length) => core.inspectFile(length)) as Inspection;
}

/** How to fold a file. */
export interface FoldSessionOptions {
  /** Tokens that the tail may cost. */
  tailBudget: number;
  /** The ledger that came with the file, when it was folded before: the new fold is added to it. */
  ledger?: Uint8Array | string | undefined;
  /** A summary from a model, for {@link foldSession}; the deterministic digest without. */
  summary?: string | undefined;
  /** At least so many of the user's latest turns stay in the tail. */
  keepTurns?: number | undefined;
  /** Keep the user's first request verbatim. */
  anchorTask?: boolean | undefined;
  /** Keep the user's latest request verbatim. */
  anchorRequest?: boolean | undefined;
}

/** What folding a file gave. */
export interface FoldedSession {
  /** The folded conversation, a JSON array with one message a line; null when nothing folded. */
  conversation: string | null;
  /** Its ledger; null when nothing folded. */
  ledger: string | null;
  /** What was done, and why. */
  report: FoldReport;
}

/**
 * Folds a session file. Messages keep their bytes: big integers, `1.0`, key order.
 *
 * @throws PlicaError `bad-budget`, `empty-summary`, `bad-ledger`, and those of {@link readSession}.
 * @example
 * const { conversation, ledger, report } = foldSession(bytes, { tailBudget: 20_000 });
 */
export function foldSession(data: Uint8Array | string, options: FoldSessionOptions): FoldedSession {
  const { parts, source, ledger, plan, summary } = fileToFold(data, options);
  return withBytes(parts, (core, length) => core.foldFile(length, source, ledger, plan, summary)) as FoldedSession;
}

/**
 * The request to a model for what {@link foldSession} would fold; undefined when nothing folds.
 *
 * @throws As {@link foldSession}.
 * @example
 * const request = summarizeSession(bytes, { tailBudget: 20_000 });
 * const summary = request && (await model(request));
 */
export function summarizeSession(data: Uint8Array | string, options: FoldSessionOptions): SummarizeRequest | undefined {
  const { parts, source, ledger, plan } = fileToFold(data, options);
  return withBytes(parts, (core, length) => core.requestForFile(length, source, ledger, plan, undefined)) as SummarizeRequest | undefined;
}

/** What unfolding a file gave. */
export interface UnfoldedSession {
  /** The file as it was; or, when messages came after the fold, the whole conversation as a JSON array. */
  bytes: Uint8Array;
  /** The source came back byte for byte. */
  exact: boolean;
  /** Messages of the whole conversation. */
  messages: number;
}

/**
 * Undoes all folds of a conversation file.
 *
 * @throws PlicaError `bad-ledger`, `ledger-altered`, `digest-missing`, `originals-missing`, and those of {@link readSession}.
 * @example
 * unfoldSession(conversation, ledger).bytes // the session file, to the last byte
 */
export function unfoldSession(conversation: Uint8Array | string, ledger: Uint8Array | string): UnfoldedSession {
  const source = fileBytes(conversation, "conversation");
  return withBytes([source, fileBytes(ledger, "ledger")], (core, length) => core.unfoldFile(length, source.byteLength)) as UnfoldedSession;
}

const FILE_KEYS = ["tailBudget", "ledger", "summary", "keepTurns", "anchorTask", "anchorRequest"] as const;

interface FileToFold {
  parts: Uint8Array[];
  /** Bytes of the source; a ledger stands behind it. */
  source: number;
  ledger: boolean;
  plan: object;
  summary: string | undefined;
}

function fileToFold(data: unknown, options: unknown): FileToFold {
  const given = fields(options, FILE_KEYS, "options", "bad-budget");
  const plan = {
    tailBudget: budgetOf(given.tailBudget),
    keepTurns: countOf(given.keepTurns, "keepTurns"),
    anchorTask: given.anchorTask === true,
    anchorRequest: given.anchorRequest === true,
  };
  const { summary } = given;
  if (summary !== undefined && typeof summary !== "string") throw new PlicaError("bad-argument", `summary must be a string, not ${article(summary)}`);
  const source = fileBytes(data, "data");
  const ledger = given.ledger === undefined ? [] : [fileBytes(given.ledger, "ledger")];
  return { parts: [source, ...ledger], source: source.byteLength, ledger: ledger.length > 0, plan, summary };
}

/** The bytes of a file. @internal */
export function fileBytes(data: unknown, what: string): Uint8Array {
  if (typeof data === "string") return encode(data);
  try {
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (Object.prototype.toString.call(data) === "[object ArrayBuffer]") return new Uint8Array(data as ArrayBuffer);
  } catch (error) {
    throw new PlicaError("bad-argument", `${what} cannot be read: ${describe(error)}`, { cause: error });
  }
  throw new PlicaError("bad-argument", `${what} must be the bytes or the text of a file, not ${article(data)}`);
}
