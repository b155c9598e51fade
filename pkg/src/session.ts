// Session files: read, inspected, folded, unfolded. Bytes go straight into the core and are parsed there.

import { PlicaError, describe } from "./errors.js";
import type { Branch, FoldRecord, FoldReport, Format, Inspection, SessionProblem, Provenance, SessionKind, Skipped, SummarizeRequest, Usage } from "./generated/core.js";
import { article } from "./kinds.js";
import { Ledger } from "./ledger.js";
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
  /** What the provider counted for each message, where the file says so: the prompt that it answers, and the answer. */
  usage: (Usage | null)[];
  /** Folds that the file's own program made, the oldest first. */
  folds: SessionFold[];
  /** The same folds as a ledger: `session.ledger.unfold(session.messages)` is the whole conversation. */
  ledger: Ledger;
  /** The branches of the file, by their last lines; empty for a kind of file that has none. */
  branches: Branch[];
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
  /** Indices into `originals` of messages that stand in front of the digest again. */
  before: number[];
  /** Indices into `originals` of messages that stand after the digest again. */
  kept: number[];
  /** The summary that took the place of the rest. */
  digest: object[];
}

/** How a session file is read. */
export interface ReadSessionOptions {
  /** Id of a branch of {@link Session.branches}, or of any record with a message: then the conversation up to there. The branch
   * that the file's program goes on with by default. */
  branch?: string | undefined;
  /** Called while the file is read: bytes so far, and all. What it throws stops the reading. */
  onProgress?: ((bytes: number, total: number) => void) | undefined;
}

/**
 * Reads a session file: Claude Code, Codex, pi, opencode, gemini-cli, or messages as a JSON array, as JSONL, or in an object under
 * `messages`.
 *
 * @param data the file's bytes (fastest), or its text.
 * @throws PlicaError `bad-session` when nothing of it is a session; `bad-argument`, also for a branch that it lacks.
 * @example
 * const session = readSession(await readFile("session.jsonl"));
 * plan(session.messages, { format: session.messageFormat, tailBudget: 20_000 });
 */
export function readSession(data: Uint8Array | string, options: ReadSessionOptions = {}): Session {
  const bytes = fileBytes(data, "data");
  const given = fields(options, ["branch", "onProgress"], "options");
  const branch = branchOf(given.branch);
  const { onProgress } = given;
  if (onProgress !== undefined && typeof onProgress !== "function") throw new PlicaError("bad-argument", `onProgress must be a function, not ${article(onProgress)}`);
  const thrown: unknown[] = [];
  const tell = onProgress && ((read: number): void => {
    try {
      (onProgress as NonNullable<ReadSessionOptions["onProgress"]>)(read, bytes.byteLength);
    } catch (error) {
      thrown.push(error);
      throw error;
    }
  });
  const answer = stopped(thrown, () => withBytes([bytes], (core, length) => core.readSession(length, branch, tell)) as RawSession);
  const { records, ...session } = answer;
  const folds = answer.folds.map(({ originals, digest, folded: _, ...fold }) => ({ ...fold, originals: originals.flat(), digest: digest.flat() }));
  const found = (JSON.parse(records) as FoldRecord[]).map((record, number) => {
    const { originals } = folds[number]!;
    return { record, messages: answer.folds[number]!.folded.map((index) => originals[index]!) };
  });
  return { ...session, messages: answer.messages.flat(), folds, ledger: Ledger.found(found) };
}

/** What a callback threw comes out as it is. */
function stopped<T>(thrown: readonly unknown[], run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw thrown.length > 0 ? thrown[0] : error;
  }
}

type RawFold = Omit<SessionFold, "originals" | "digest"> & { originals: object[][]; digest: object[][]; folded: number[] };
type RawSession = Omit<Session, "messages" | "folds" | "ledger"> & { messages: object[][]; folds: RawFold[]; records: string };

/**
 * Says what is in a session file: format, messages by role, tokens, calls and results, folds, branches, problems by line.
 *
 * @param options.branch a branch other than the active one.
 * @throws As {@link readSession}.
 * @example
 * inspectSession(bytes).roles // { assistant: 120, tool: 118, user: 9 }
 */
export function inspectSession(data: Uint8Array | string, options: { branch?: string | undefined } = {}): Inspection {
  const bytes = fileBytes(data, "data");
  const branch = branchOf(fields(options, ["branch"], "options").branch);
  return withBytes([bytes], (core, length) => core.inspectFile(length, branch)) as Inspection;
}

function branchOf(branch: unknown): string | undefined {
  if (branch === undefined || typeof branch === "string") return branch;
  throw new PlicaError("bad-argument", `branch must be a string, not ${article(branch)}`);
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
  /** Id of the branch to fold; the active one by default. */
  branch?: string | undefined;
  /** For {@link foldSession}: write a session file of the same kind, with the fold as the file's own program would have written
   * it, so that the program goes on from there. Claude Code, Codex and pi sessions, and plain messages as they are laid out. */
  native?: boolean | undefined;
}

/** What folding a file gave. */
export interface FoldedSession {
  /** The folded conversation, a JSON array with one message a line; null when nothing folded, and with `native`. */
  conversation: string | null;
  /** With `native` the session file with the fold in it; null when nothing folded. */
  session: Uint8Array | null;
  /** Its ledger; null when nothing folded, and with `native` where the session file itself holds what was folded. */
  ledger: string | null;
  /** What was done, and why. */
  report: FoldReport;
}

/**
 * Folds a session file. Messages keep their bytes: big integers, `1.0`, key order.
 *
 * @throws PlicaError `bad-budget`, `empty-summary`, `bad-ledger`, and those of {@link readSession}; with `native` `bad-argument` for a
 * kind of file that is not written, `bad-plan` for a fold that the file has no way to say.
 * @example
 * const { conversation, ledger, report } = foldSession(bytes, { tailBudget: 20_000 });
 */
export function foldSession(data: Uint8Array | string, options: FoldSessionOptions): FoldedSession {
  const { parts, source, ledger, plan, summary, native, branch } = fileToFold(data, options);
  return withBytes(parts, (core, length) => core.foldFile(length, source, ledger, plan, summary, native, branch)) as FoldedSession;
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
  const { parts, source, ledger, plan, branch } = fileToFold(data, options);
  return withBytes(parts, (core, length) => core.requestForFile(length, source, ledger, plan, undefined, branch)) as SummarizeRequest | undefined;
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
 * @param ledger the ledger that came with it; without one the folds that the session file itself holds are undone.
 * @throws PlicaError `bad-ledger`, `ledger-altered`, `digest-missing`, `originals-missing`, and those of {@link readSession}.
 * @example
 * unfoldSession(conversation, ledger).bytes // the session file, to the last byte
 */
export function unfoldSession(conversation: Uint8Array | string, ledger?: Uint8Array | string): UnfoldedSession {
  const source = fileBytes(conversation, "conversation");
  const parts = ledger === undefined ? [source] : [source, fileBytes(ledger, "ledger")];
  return withBytes(parts, (core, length) => core.unfoldFile(length, source.byteLength, parts.length > 1)) as UnfoldedSession;
}

const FILE_KEYS = ["tailBudget", "ledger", "summary", "keepTurns", "anchorTask", "anchorRequest", "native", "branch"] as const;

interface FileToFold {
  parts: Uint8Array[];
  /** Bytes of the source; a ledger stands behind it. */
  source: number;
  ledger: boolean;
  plan: object;
  summary: string | undefined;
  native: boolean;
  branch: string | undefined;
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
  return { parts: [source, ...ledger], source: source.byteLength, ledger: ledger.length > 0, plan, summary, native: given.native === true, branch: branchOf(given.branch) };
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
