// Rules that survive: which facts and messages are pinned, the one message that holds the facts, and whether it all is still there.
// Who is admitted, what is written and where it stands is the core's to say; your own objects come back.

import { PlicaError, describe } from "./errors.js";
import { ISSUERS, MAX_PINS, MAX_PIN_TOKENS } from "./generated/constants.js";
import type { PinnedMessages } from "./generated/constants.js";
import type { AdmittedPins, Format, ProposedPin, RefusedPin } from "./generated/core.js";
import { fingerprints } from "./identity.js";
import { enlivened, isLive } from "./instances.js";
import { article, isArray } from "./kinds.js";
import { instant, numeric } from "./memory.js";
import type { Fact } from "./memory.js";
import { countOf, fields, formatName, numberOf } from "./options.js";
import { readingOf, readingOptions } from "./planning.js";
import type { ReadOptions } from "./planning.js";
import { elements, messageLine, messageLines, valueText, withLines } from "./stage.js";

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
export function admitPins<P extends object>(pins: readonly P[], options: AdmitOptions<P> = {}): Admission<P> {
  const all = elements<P>(pins, "pins");
  return admitted(all, new Sorted(all, options), options).admission;
}

/** The admission, and the admitted ones as they were read for it: what is written is what was admitted. @internal */
export function admitted<P extends object>(all: readonly P[], sorted: Sorted<P>, options: AdmitOptions<P>): { admission: Admission<P>; sorted: Sorted<P> } {
  const { maxPins, maxTokens } = fields(options, ["maxPins", "maxTokens"], "options");
  const limits = { maxPins: numberOf(maxPins, "maxPins", MAX_PINS), maxTokens: numberOf(maxTokens, "maxTokens", MAX_PIN_TOKENS) };
  // What is infinite in JSON's numbers is larger than everything that can be counted.
  const finite = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER);
  const given = { facts: sorted.facts.length, issuers: sorted.issuers, maxPins: finite(limits.maxPins), maxTokens: finite(limits.maxTokens) };
  const lines = [...sorted.factLines, ...sorted.messages.map((i) => messageLine(all[i], i))];
  const answer = withLines(lines, (core, length) => core.admitPins(length, given)) as AdmittedPins;
  // The core has the facts first, then the messages.
  const place = [...sorted.facts, ...sorted.messages];
  const refused = answer.refused.map(({ index, reason, by }): Refused<P> => {
    const own = place[index]!;
    return { pin: all[own]!, index: own, reason, ...(by === undefined || by === null ? {} : { by: all[place[by]!]! }) };
  });
  const inOrder = <T>(list: T[], at: (item: T) => number): T[] => list.sort((a, b) => at(a) - at(b));
  const indices = inOrder(answer.pinned.map((index) => place[index]!), (index) => index);
  const admission = { pinned: indices.map((index) => all[index]!), refused: inOrder(refused, ({ index }) => index), tokens: answer.tokens };
  return { admission, sorted: sorted.only(indices) };
}

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
export function pinnedMessage<F extends Format, P extends object = object>(facts: readonly P[], options: PinnedMessageOptions<F, P>): PinnedMessage<F> {
  const all = elements<P>(facts, "facts");
  const given = fields(options, ["format", "like"], "options");
  const format = formatName(given.format);
  if (format === undefined) throw new PlicaError("unknown-format", "pinnedMessage needs { format }; a plan carries it");
  const like = given.like === undefined || given.like === null ? [] : elements<object>(given.like, "like");
  const messages = writtenPins(new Sorted(all, options), format, like);
  return (messages.length === 1 ? messages[0] : messages) as PinnedMessage<F>;
}

function writtenPins<P extends object>({ factLines, issuers }: Sorted<P>, format: string, like: readonly object[]): object[] {
  const lines = [...factLines, ...like.slice(0, 1).map((message) => messageLine(message))];
  const write = (plain: boolean): object[] =>
    enlivened(JSON.parse(withLines(lines, (core, length) => core.pinnedMessage(length, format, { facts: factLines.length, issuers, plain }))) as object[], like);
  const messages = write(false);
  // A class of system messages that nobody has shown us cannot be made an instance of: then it is the user's.
  return isLive(like[0]) && !messages.every(isLive) ? write(true) : messages;
}

/** Options of {@link placePins}. */
export interface PlaceOptions<M extends object = object, P extends object = object> extends ReadOptions<M>, IssuerOptions<P> {}

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
export function placePins<M extends object, P extends object = object>(messages: readonly M[], pins: readonly P[], options: PlaceOptions<M, P> = {}): M[] {
  return placed(elements<M>(messages, "messages"), new Sorted(elements<P>(pins, "pins"), options), options).messages;
}

/** Who knows which pinned messages plica put in: then one that it did not is a message of the conversation. @internal */
export interface PlacedPins {
  placedByMe(messages: readonly object[]): boolean[];
}

/** @internal */
export interface Placed<M> {
  messages: M[];
  /** Where each of them was; -1 of what was written. */
  origins: number[];
  /** The pinned messages that were written for it. */
  written: M[];
  /** What gave way though nobody knows that plica put it in, each with the number of messages of the conversation in front of it. */
  displaced: [M, number][];
}

/** The same, and what was done for it. Of what nobody knows that plica put it in only such as stands at the head gives way. @internal */
export function placed<M extends object>(all: readonly M[], sorted: Sorted<object>, options: unknown, known?: PlacedPins): Placed<M> {
  const lines = messageLines(all);
  const reading = readingOf(all, lines, { ...readingOptions(options), estimator: undefined });
  const { factLines, issuers } = sorted;
  const given = { facts: factLines.length, issuers };
  const place = withLines([...factLines, ...lines], (core, length) => core.pinnedPlace(length, reading, given)) as { format: Format; now: number[]; at: number; settled: boolean };
  if (place.settled) return { messages: [...all], origins: [...all.keys()], written: [], displaced: [] };
  const written = factLines.length === 0 ? [] : (writtenPins(sorted, place.format, all) as M[]);
  const mine = known?.placedByMe(place.now.map((i) => all[i]!));
  const isHead = (i: number, nth: number): boolean => i <= place.at + nth;
  const leaving = place.now.filter((i, nth) => mine === undefined || mine[nth] === true || isHead(i, nth));
  const gone = new Set(leaving);
  const others = [...all.keys()].filter((i) => !gone.has(i));
  const own = new Set(place.now.filter((_, nth) => mine?.[nth] === true));
  const displaced = mine === undefined ? [] : leaving.filter((i) => !own.has(i)).map((i): [M, number] => [all[i]!, i - [...own].filter((other) => other < i).length]);
  const origins = [...others.slice(0, place.at), ...written.map(() => -1), ...others.slice(place.at)];
  const messages = origins.map((origin, i) => (origin < 0 ? written[i - place.at]! : all[origin]!));
  return { messages, origins, written, displaced };
}

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
export function verifyPins<M extends object, P extends object>(window: readonly M[], pins: readonly P[], options: PlaceOptions<M, P> = {}): PinCheck<P> {
  const all = elements<M>(window, "window");
  const list = elements<P>(pins, "pins");
  const sorted = new Sorted(list, options);
  const lines = messageLines(all);
  const { factLines, issuers, facts } = sorted;
  const reading = readingOf(all, lines, { ...readingOptions(options), estimator: undefined });
  const given = { facts: factLines.length, issuers };
  const seen = withLines([...factLines, ...lines], (core, length) => core.missingPins(length, reading, given)) as { missing: number[]; copies: number };
  const lost = new Set(seen.missing.map((index) => facts[index]!));
  for (const index of missingMessages(sorted.messages, list, all)) lost.add(index);
  return { missing: list.filter((_, i) => lost.has(i)), copies: seen.copies };
}

/** Those of the messages to be pinned that are not there. */
function missingMessages(indices: readonly number[], pins: readonly object[], window: readonly object[]): number[] {
  const there = new Set<object>(window);
  const absent = indices.filter((i) => !there.has(pins[i]!));
  if (absent.length === 0) return [];
  const prints = new Set(fingerprints(window));
  const own = fingerprints(absent.map((i) => pins[i]!));
  return absent.filter((_, i) => !prints.has(own[i]!));
}

/** Indices of the messages of a conversation that are pinned as such. @internal */
export function pinnedAmong(messages: readonly object[], pins: readonly object[]): number[] {
  if (pins.length === 0) return [];
  const own = new Set(pins);
  const found = messages.flatMap((message, i) => (own.has(message) ? [i] : []));
  if (found.length >= pins.length) return found;
  const wanted = new Set(fingerprints(pins));
  return fingerprints(messages).flatMap((print, i) => (wanted.has(print) ? [i] : []));
}

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
export function proposePins<M extends object>(messages: readonly M[], options: ProposeOptions<M> = {}): Proposal<M>[] {
  const all = elements<M>(messages, "messages");
  const { from } = fields(options, ["from"], "options");
  const speakers = from === undefined || from === null ? ["system", "user"] : elements<unknown>(from, "from");
  const known = ["system", "user", "assistant", "injected"];
  const wrong = speakers.find((speaker) => !known.includes(speaker as string));
  if (wrong !== undefined) throw new PlicaError("bad-argument", `from may hold ${known.join(", ")}, not ${typeof wrong === "string" ? JSON.stringify(wrong) : article(wrong)}`);
  const wanted = Object.fromEntries(known.map((speaker) => [speaker, speakers.includes(speaker)]));
  const lines = messageLines(all);
  const reading = readingOf(all, lines, { ...readingOptions(options), estimator: undefined });
  const found = withLines(lines, (core, length) => core.proposePins(length, reading, wanted)) as ProposedPin[];
  return found.map((proposal) => ({ ...proposal, message: all[proposal.index]! }));
}

/** Pins as the core takes them: facts as lines, messages by their place. @internal */
export class Sorted<P extends object> {
  /** Indices of the facts. */
  readonly facts: number[] = [];
  /** Indices of the messages. */
  readonly messages: number[] = [];
  readonly factLines: string[] = [];
  readonly issuers: [string, number][];

  constructor(all: readonly P[], options: unknown) {
    const { issuers, issuer } = fields(options, ["issuers", "issuer"], "options");
    this.issuers = ranks(issuers);
    if (issuer !== undefined && issuer !== null && typeof issuer !== "function") throw new PlicaError("bad-argument", `issuer must be a function, not ${article(issuer)}`);
    all.forEach((pin, index) => {
      if (typeof pin !== "object" || pin === null) throw new PlicaError("bad-argument", `pin ${index} is ${article(pin)}, not an object`);
      if (isMessage(pin, index)) {
        this.messages.push(index);
        return;
      }
      this.facts.push(index);
      this.factLines.push(factLine(pin, index, issuer as ((pin: P, index: number) => unknown) | undefined));
    });
  }

  /** Some of them, by their indices, as they were read; they are counted anew. */
  only(indices: readonly number[]): Sorted<P> {
    const chosen: Sorted<P> = Object.create(Sorted.prototype) as Sorted<P>;
    const lineOf = new Map(this.facts.map((index, line) => [index, this.factLines[line]!]));
    const [facts, messages]: [number[], number[]] = [[], []];
    const factLines: string[] = [];
    indices.forEach((index, place) => {
      const line = lineOf.get(index);
      if (line === undefined) return messages.push(place);
      factLines.push(line);
      return facts.push(place);
    });
    return Object.assign(chosen, { facts, messages, factLines, issuers: this.issuers });
  }
}

function ranks(given: unknown): [string, number][] {
  if (given === undefined || given === null) return Object.entries(ISSUERS);
  if (typeof given !== "object" || isArray(given)) throw new PlicaError("bad-argument", `issuers must be an object of ranks by name, not ${article(given)}`);
  try {
    return Object.entries(given).map(([name, rank]) => [name, Math.min(countOf(rank, `the rank of ${name}`), 2 ** 32 - 2)]);
  } catch (error) {
    if (error instanceof PlicaError) throw error;
    throw new PlicaError("bad-argument", `issuers cannot be read: ${describe(error)}`, { cause: error });
  }
}

/** Members that messages have and facts have not. */
const OF_MESSAGES = ["key", "value", "role", "type", "parts", "lc", "lc_kwargs", "content"] as const;

function isMessage(pin: object, index: number): boolean {
  const { key, value, role, type, parts, lc, lc_kwargs, content } = fields(pin, OF_MESSAGES, `pin ${index}`);
  // Somebody's words are a message, whatever else it carries; a fact may be of a `type` or a `role`, but then it says nothing by itself.
  if (role !== undefined && (content !== undefined || parts !== undefined)) return true;
  if (typeof key === "string" || (value !== undefined && role === undefined)) return false;
  if (role !== undefined) return true;
  return type !== undefined || parts !== undefined || lc !== undefined || lc_kwargs !== undefined || content !== undefined;
}

function factLine<P extends object>(pin: P, index: number, issuer: ((pin: P, index: number) => unknown) | undefined): string {
  const given = fields(pin, ["key", "value", "agent_id", "created_at"], `pin ${index}`);
  const agent = issuer === undefined || issuer === null ? given.agent_id : answered(issuer, pin, index);
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  if (given.key !== undefined && given.key !== null && typeof given.key !== "string") throw new PlicaError("bad-argument", `the key of pin ${index} must be a string, not ${article(given.key)}`);
  return JSON.stringify([text(given.key), renderedValue(given.value), text(agent), instant(given.created_at)]);
}

/** Who the host says that it is: whatever a fact says of itself, one that the host does not know is nobody's named issuer. */
function answered<P extends object>(issuer: (pin: P, index: number) => unknown, pin: P, index: number): string {
  let agent: unknown;
  try {
    agent = issuer(pin, index);
  } catch (error) {
    throw new PlicaError("bad-argument", `issuer threw for pin ${index}: ${describe(error)}`, { cause: error });
  }
  if (agent === undefined || agent === null) return UNKNOWN_ISSUER;
  if (typeof agent !== "string") throw new PlicaError("bad-argument", `issuer must say a name or nothing for pin ${index}, not ${article(agent)}`);
  return agent;
}

/** The name under which facts stand whose issuer the host does not know. */
const UNKNOWN_ISSUER = "unknown";

/** A value as it is written: its text, or its JSON. */
function renderedValue(value: unknown): string {
  if (typeof value === "string") return value;
  const silent = value === null || value === undefined || typeof value === "function" || typeof value === "symbol";
  return silent ? "" : valueText(value, "a value");
}

/** The line of a fact for a survey. @internal */
export function surveyLine(fact: unknown, index: number): string {
  if (typeof fact !== "object" || fact === null) throw new PlicaError("bad-argument", `fact ${index} is not an object`);
  const { agent_id, importance, kind, namespace } = fields(fact, ["agent_id", "importance", "kind", "namespace"], `fact ${index}`);
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return JSON.stringify(["", "", text(agent_id) ?? "", null, numeric(importance), text(kind), text(namespace)]);
}
