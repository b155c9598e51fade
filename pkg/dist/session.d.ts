import type { Branch, FoldReport, Format, Inspection, SessionProblem, Provenance, SessionKind, Skipped, SummarizeRequest, Usage } from "./generated/core.js";
import { Ledger } from "./ledger.js";
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
export declare function readSession(data: Uint8Array | string, options?: ReadSessionOptions): Session;
/**
 * Says what is in a session file: format, messages by role, tokens, calls and results, folds, branches, problems by line.
 *
 * @param options.branch a branch other than the active one.
 * @throws As {@link readSession}.
 * @example
 * inspectSession(bytes).roles // { assistant: 120, tool: 118, user: 9 }
 */
export declare function inspectSession(data: Uint8Array | string, options?: {
    branch?: string | undefined;
}): Inspection;
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
export declare function foldSession(data: Uint8Array | string, options: FoldSessionOptions): FoldedSession;
/**
 * The request to a model for what {@link foldSession} would fold; undefined when nothing folds.
 *
 * @throws As {@link foldSession}.
 * @example
 * const request = summarizeSession(bytes, { tailBudget: 20_000 });
 * const summary = request && (await model(request));
 */
export declare function summarizeSession(data: Uint8Array | string, options: FoldSessionOptions): SummarizeRequest | undefined;
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
export declare function unfoldSession(conversation: Uint8Array | string, ledger?: Uint8Array | string): UnfoldedSession;
