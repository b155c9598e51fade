/** A fold as agentfootprint stores it, in the list `folded` of a conversation. */
export interface Span<M = object> {
    /** {@link summaryFingerprint} of the summary's content. */
    summaryFingerprint: string;
    /** The run that folded. */
    runId: string;
    /** Its iteration. */
    iteration: number;
    /** When, in milliseconds since 1970. */
    foldedAtMs: number;
    /** What wrote the summary. */
    model: string;
    /** Number of messages that the summary stands for. */
    messageCount: number;
    /** Stages that went with them. */
    removedStageIds: string[];
    /** Whether `messages` are there. */
    retained: "conversation" | "discard";
    /** The messages that the summary stands for, in their order. */
    messages?: readonly M[];
}
/** What {@link Ledger.toFolded} writes into the spans. */
export interface SpanOptions {
    /** Default `""`. */
    runId?: string | undefined;
    /** Default 0. */
    iteration?: number | undefined;
    /** Milliseconds since 1970, for `foldedAtMs`; default 0: no clock is asked. */
    now?: number | undefined;
    /** Default `""`. */
    model?: string | undefined;
}
/** An entry of `folded` that is no fold of the ledger. */
export interface UnplacedSpan {
    /** Its index in `folded`. */
    readonly index: number;
    /** The entry: your own. */
    readonly span: unknown;
    /**
     * `no-span`: it is no object with a fingerprint. `unreadable`: its messages cannot be read, or are none of agentfootprint.
     * `no-summary`: neither the window nor any span holds a message with its fingerprint.
     */
    readonly why: "no-span" | "unreadable" | "no-summary";
}
