import type { PinnedMessages } from "./generated/constants.js";
import type { Format, ProposedPin, RefusedPin } from "./generated/core.js";
import type { Fact } from "./memory.js";
import type { ReadOptions } from "./planning.js";
/**
 * What can be pinned. A fact – an object with a `key` or a `value` and nothing that makes a message of it – stands in the pinned
 * message. A message stays where it is, word for word.
 */
export type Pin = Partial<Fact> | object;
/** Who issues pins. */
export interface IssuerOptions<P extends object = object> {
    /**
     * Ranks of those whose pins come before all others', by the name in `agent_id`: the lower, the earlier. Who is not named ranks
     * behind. Default `{ operator: 0, user: 1 }`. Name your own agents here as well, if anybody may write under any name.
     */
    issuers?: Readonly<Record<string, number>> | undefined;
    /**
     * Says who issued a pin, whatever it says of itself in `agent_id`. Where it says nothing the issuer is unknown: the pin ranks behind
     * and stands marked as `unknown`.
     */
    issuer?: ((pin: P, index: number) => string | undefined) | undefined;
}
/** Options of {@link admitPins}. */
export interface AdmitOptions<P extends object = object> extends IssuerOptions<P> {
    /** So many pins at most. Default 12. */
    maxPins?: number | undefined;
    /** So many tokens at most, all pins together. Default 2 000. */
    maxTokens?: number | undefined;
}
/** One that was not admitted. */
export interface Refused<P extends object = object> {
    /** Your own object. */
    pin: P;
    /** Its place in the list. */
    index: number;
    /** Why: `blank`, `superseded`, `outranked`, `duplicate`, `near-duplicate`, `too-long`, `over-count`, `over-tokens`. */
    reason: RefusedPin;
    /** The one that stands for it or in front of it: your own object as well. */
    by?: P;
}
/** What {@link admitPins} gives: each of the pins is in one of the two lists. */
export interface Admission<P extends object = object> {
    /** The admitted ones, in the order of the list. */
    pinned: P[];
    /** All others, each with its reason. */
    refused: Refused<P>[];
    /** What the admitted ones cost. */
    tokens: number;
}
/**
 * Admits as many pins as there is room for, fairly: nobody crowds out others by pinning much.
 *
 * 1. Blank ones step back, and what is longer than all pins together may be; of one key and one agent all but the newest (`created_at`,
 *    then the later in the list; what has no time is older than what has); of one key all of lower-ranked issuers: what the operator
 *    named, no agent renames.
 * 2. Issuers: all pins of one rank come before all of the next (`issuers`).
 * 3. Shares: of one rank, each of k agents has a k-th of the pins and of the tokens that are left. What some leave goes to the
 *    others one by one: to who has the fewest pins, then the fewest tokens, then the oldest pin waiting.
 * 4. Age: of one agent the oldest comes first.
 *
 * A pin that says what an admitted one says, name and value (but for case, punctuation, white space, articles and politeness) is merged into it.
 * The same list gives the same answer everywhere. A message counts as the operator's when it is system text, otherwise as that
 * of its role.
 *
 * @throws PlicaError `bad-argument` when `pins` is not an array of objects; `bad-message` for a message that cannot be read.
 * @example
 * const { pinned, refused } = admitPins(facts, { maxPins: 12, maxTokens: 2000 });
 * for (const { pin, reason } of refused) log(`${pin.key} is not pinned: ${reason}`);
 */
export declare function admitPins<P extends object>(pins: readonly P[], options?: AdmitOptions<P>): Admission<P>;
/** The pinned message in format `F`: a message, or the two that Gemini wants. */
export type PinnedMessage<F extends Format = Format> = PinnedMessages[F];
/** Options of {@link pinnedMessage}. */
export interface PinnedMessageOptions<F extends Format = Format, P extends object = object> extends IssuerOptions<P> {
    /** The format to write. */
    format: F;
    /** The conversation, for a format that comes in several forms (`langchain`: serialised either way, or live instances). */
    like?: readonly object[] | undefined;
}
/**
 * The message that holds facts word for word, in one frame: system text, or in formats that have none among their messages
 * (`anthropic`, `gemini`, `pi`) the user's or the program's. The same facts give the same bytes, whatever their order, so that a
 * prompt cache survives; a newer fact stands behind the older ones. Texts are data: further lines of one are indented, tags of frames
 * and speakers escaped, halves of surrogate pairs replaced (providers refuse them). Facts of an agent that is no named issuer are
 * marked as that agent's; facts without an `agent_id` are the host's own and stand unmarked, so give a name to everyone who may
 * write. Messages among the pins stay where they stand and are not written here.
 *
 * It writes all that it is given: {@link admitPins} says what there is room for. {@link placePins} puts it in its place.
 *
 * @throws PlicaError `bad-argument` when no fact says anything; `unknown-format`.
 * @example
 * pinnedMessage(admitPins(facts).pinned, { format: "openai-chat" }) // { role: "system", content: "<pinned-rules …" }
 */
export declare function pinnedMessage<F extends Format, P extends object = object>(facts: readonly P[], options: PinnedMessageOptions<F, P>): PinnedMessage<F>;
/** Options of {@link placePins}. */
export interface PlaceOptions<M extends object = object, P extends object = object> extends ReadOptions<M>, IssuerOptions<P> {
}
/**
 * Messages with exactly one pinned message among them: that of these facts, behind the system text and the project instructions that
 * lead the conversation. One that is there already is replaced, or stays the very object that it is where it says the same at its
 * place; without facts it is taken away. Everything else stays, in its order.
 *
 * @returns a new array of your own objects.
 * @throws PlicaError `bad-argument`, `bad-message`, and those of `plan`.
 * @example
 * const { pinned } = admitPins(facts);
 * const window = placePins(messages, pinned);
 */
export declare function placePins<M extends object, P extends object = object>(messages: readonly M[], pins: readonly P[], options?: PlaceOptions<M, P>): M[];
/** What {@link verifyPins} finds. */
export interface PinCheck<P extends object = object> {
    /** Pins that are not in the window word for word: your own objects. */
    missing: P[];
    /** Pinned messages in the window: one, or none where there are no facts to hold. */
    copies: number;
}
/**
 * Whether every pin is in a window: a fact as an entry of the pinned message, to the letter; a message as itself. That a summary says
 * it, too, does not count.
 *
 * @throws PlicaError `bad-argument`, `bad-message`, and those of `plan`.
 * @example
 * const { missing } = verifyPins(window, pinned); // [] when all are there
 */
export declare function verifyPins<M extends object, P extends object>(window: readonly M[], pins: readonly P[], options?: PlaceOptions<M, P>): PinCheck<P>;
/** A sentence that reads like a rule. */
export interface Proposal<M extends object = object> extends ProposedPin {
    /** The message that it stands in: your own object. */
    message: M;
}
/** Options of {@link proposePins}. */
export interface ProposeOptions<M extends object = object> extends ReadOptions<M> {
    /** Whose messages are looked through. Default: system text and what the user said. */
    from?: readonly ("system" | "user" | "assistant" | "injected")[] | undefined;
}
/**
 * Sentences that read like standing rules ("never", "always", "from now on", …) or known mistakes ("that broke …", "not again"), in
 * two dozen languages. They are proposals: nothing is pinned without you. Code, comments, block quotes, quotations, questions, what
 * others said and what once was are left out, as well as digests and the pinned message.
 *
 * `start` and `end` are UTF-16 units of the text of part `part`; `reason` says what gave the sentence away, `kind` what fact it would be.
 *
 * @throws PlicaError `bad-argument`, `bad-message`, and those of `plan`.
 * @example
 * for (const { message, text, reason, kind } of proposePins(messages)) if (await ask(text)) facts.push({ key: "", importance: 5, kind, value: text });
 */
export declare function proposePins<M extends object>(messages: readonly M[], options?: ProposeOptions<M>): Proposal<M>[];
