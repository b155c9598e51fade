/**
 * 32-bit FNV-1a over the UTF-16 code units of a summary, as lower-case hex without padding: the key under which folds of
 * others are stored. For identity of your own use {@link fingerprint}: 32 bits collide by accident.
 *
 * @throws PlicaError `bad-argument` when `content` is not a string.
 * @example
 * summaryFingerprint("a") // "e40c292c"
 */
export declare function summaryFingerprint(content: string): string;
/**
 * The same hash over `role:content` of each message, joined by U+0000.
 *
 * @throws PlicaError `bad-argument` when `messages` is not an array of objects.
 * @example
 * spanFingerprint([{ role: "user", content: "a" }]) // "3d19ff3b"
 */
export declare function spanFingerprint(messages: readonly {
    role: string;
    content: string;
}[]): string;
/** A conversation that may carry records of its folds. */
export interface FoldedConversation<S> {
    folded?: readonly S[] | null | undefined;
}
/** What a span must have to be found; spans of yours may have more. */
export interface SpanLike {
    summaryFingerprint?: string;
}
/** The message or undefined; only `content` is looked at. */
export type SummaryLike = {
    content?: unknown;
} | null | undefined;
/**
 * All recorded folds whose summary has the same 32-bit fingerprint as this message's content, in their order: your own
 * objects. More than one means a collision or the same text twice.
 *
 * @example
 * foldedSpansFor(conversation, message).length // 0: no fold was recorded
 */
export declare function foldedSpansFor<S extends SpanLike>(conversation: FoldedConversation<S> | null | undefined, message: SummaryLike): S[];
/**
 * The first recorded fold for a summary: your own object, or undefined when none was recorded. Three answers stay apart: no
 * span; a span without `messages` (originals were discarded); a span with `messages`.
 *
 * @example
 * foldedSpanFor(conversation, message)?.messages
 */
export declare function foldedSpanFor<S extends SpanLike>(conversation: FoldedConversation<S> | null | undefined, message: SummaryLike): S | undefined;
/**
 * The originals of all recorded folds, in span order: your own objects. Spans without `messages` add nothing.
 *
 * @example
 * foldedMessages({ folded: [{ messages: [m1, m2] }, { messages: [m3] }] }) // [m1, m2, m3]
 */
export declare function foldedMessages<M>(conversation: FoldedConversation<{
    messages?: readonly M[] | undefined;
}> | null | undefined): M[];
/**
 * Whether a message looks like the frame of a compacted history: role `user`, content starting with `[compacted history`.
 * It says "looks like", nothing more: anyone can write such a text. What a fold really stands for, {@link foldedSpanFor} and
 * the ledger know.
 *
 * @example
 * isCompactedSummary({ role: "user", content: "[compacted history — 3 earlier …" }) // true
 */
export declare function isCompactedSummary(message: {
    role?: unknown;
    content?: unknown;
} | null | undefined): boolean;
