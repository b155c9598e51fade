// The options of a conversation, which all adapters have.

import { PlicaError, Transcript, admitPins, prepare } from "plica";
import type { Admission, CompactOptions, Compaction, Format, Ledger, Signal, UsageFigures, WindowSize } from "plica";
import type { LedgerStore } from "../store/types.js";
import { isArray, memberOf, optionsIn, refuseMessages, refuseNoFunction, refuseNoSignal } from "./checks.js";

/**
 * Options of every adapter. Those of `compact` say how a fold is made. They hold for the whole conversation, and the indices of `pinned`,
 * `prefix` and `provenance` are those of the window as it is then, with digests and rules in it: tell messages by what they say.
 */
export interface ConversationOptions<M extends object = object> extends Omit<CompactOptions<M>, "prepared" | "signal" | "window" | "format"> {
  /** What the model takes, in tokens. */
  window: number | WindowSize;
  /**
   * Rules that are in every request, word for word, from the first one on: see `admitPins`. They take the place of those that the conversation was
   * kept with. Left out, those stay as they are, until the conversation is cleared or begins anew; `[]` takes them out.
   */
  pins?: CompactOptions<M>["pins"];
  /** The share of the window from which on it folds. Default 0.8. */
  at?: number | undefined;
  /** The share of the window from which on a summary is prepared in the background: 0.6, say. Left out: none is. */
  prepareAt?: number | undefined;
  /** Where the conversation is kept, a store of `plica/store`; needs `id`. */
  store?: LedgerStore | undefined;
  /** The id of the conversation in the store. */
  id?: string | undefined;
  /**
   * With a store: how many of the ways that the conversation has left stay there, the latest ones, each under an id of its own
   * (`<id>~left~<version>`). Older ones are deleted. Default 8; 0 keeps none, Infinity all.
   */
  left?: number | undefined;
  /** With a store: how long, in ms, it may take to answer before that is `store-failed`. Default 30,000; Infinity waits for ever. */
  storeTimeoutMs?: number | undefined;
  /** Without a store: the window to go on with. */
  messages?: readonly M[] | undefined;
  /** Without a store: its ledger. */
  ledger?: Ledger<M> | undefined;
  /** Without a store: what was said, where the ledger holds originals by reference. */
  originals?: readonly M[] | undefined;
  /** Hears which of the `pins` were admitted and which were not, when the rules are put in. What it throws is ignored. */
  onPins?: ((admission: Admission) => void) | undefined;
  /**
   * Hears of each fold, and each time that a window over its share goes out as it is: `unchanged`, with the reason, which is that of before where
   * nothing was asked this time. What it throws is ignored.
   */
  onCompaction?: ((compaction: Compaction<M>) => void) | undefined;
}

/** What is known beside the messages. */
export interface NextOptions {
  /**
   * What the provider counted for the request that the window before was sent with, in any provider's shape. `at`, the number of messages
   * of that window, where the conversation has not given it out itself: it was loaded since, say. A count far from the estimate is none, unless
   * it is `partial`: the provider leaves out some of what it is sent.
   */
  usage?: UsageFigures | object | undefined;
  /**
   * Ends the call at once, be it in a fold, behind other calls, or before a store that does not answer. What was handed over may be part of
   * the conversation then; a fold that was not done is none.
   */
  signal?: Signal | undefined;
  /** Tokens that are sent beside the messages. Asked for as long as the provider has counted nothing and the window has no overhead. */
  beside?: (() => number) | undefined;
  /**
   * Messages that do not go on from what was said: `"begun"`, the default, goes back with them where they begin as the conversation does,
   * `"anywhere"` also where they have nothing of it, `"never"` not at all; a function is given what would be
   * left, how many messages would stay and what would come behind those, and says whether it may be. What is refused is a `conflict`.
   */
  back?: "anywhere" | "begun" | "never" | ((left: readonly object[], kept: number, instead: readonly object[]) => boolean) | undefined;
}

/** What is known beside messages that are appended. */
export interface AppendingOptions extends Pick<NextOptions, "usage" | "signal" | "beside"> {
  /** Whether to fold when it is due. Default true. */
  fold?: boolean | undefined;
}

/** What an adapter says of its framework. */
export interface Internals {
  /** The format of the framework's messages. */
  format: Format;
}

/** What a store has to offer here. */
const STORE = ["load", "append", "save", "list", "delete"] as const;

/** A store takes ids of 512 characters; `~left~` and any version have their place behind this one. */
const LONGEST = 512 - "~left~".length - `${Number.MAX_SAFE_INTEGER}.${Number.MAX_SAFE_INTEGER}`.length;

const nobody = (): void => {};

/**
 * The options, those that are null left out, seen to be some before a model is called.
 *
 * @throws PlicaError `bad-argument`, and those that `compact` has for its options. @internal
 */
export function optionsOf<M extends object>(given: ConversationOptions<M>, { format }: Internals): ConversationOptions<M> {
  const options = optionsIn(given);
  const { window, store, id, messages, ledger, originals, at, prepareAt, onCompaction, onPins, pins, admission, pinned, left, storeTimeoutMs } = options;
  if (window === undefined) throw new PlicaError("bad-argument", "the options need a window: what the model takes, in tokens");
  if (store !== undefined) refuseNoStore(store, id, left);
  if (store !== undefined && (messages ?? ledger) !== undefined) throw new PlicaError("bad-argument", "with a store, messages and ledger come from it");
  if (left !== undefined && (typeof left !== "number" || !(left >= 0))) throw new PlicaError("bad-argument", "left must be a number of 0 or more");
  if (storeTimeoutMs !== undefined && (typeof storeTimeoutMs !== "number" || !(storeTimeoutMs > 0))) throw new PlicaError("bad-argument", "storeTimeoutMs must be a number above 0");
  for (const [name, list] of Object.entries({ messages, originals })) if (list !== undefined) refuseMessages(list, name);
  if (ledger !== undefined && typeof memberOf(ledger, "unfold") !== "function") throw new PlicaError("bad-argument", "ledger must be a Ledger");
  for (const [name, value] of Object.entries({ onCompaction, onPins })) refuseNoFunction(value, name);
  if (pinned !== undefined && !isArray(pinned)) refuseNoFunction(pinned, "pinned");
  admitPins(pins ?? [], admission);
  refuseFolding(options, format, [at, prepareAt]);
  return options;
}

function refuseNoStore(store: object, id: unknown, left: unknown): void {
  const missing = STORE.find((name) => typeof memberOf(store, name) !== "function");
  if (missing !== undefined) throw new PlicaError("bad-argument", `store must be a store of plica/store, or have its methods: ${missing} is missing`);
  if (typeof id !== "string" || id === "") throw new PlicaError("bad-argument", "a store needs the id of the conversation, a string that is not empty");
  if (left !== 0 && id.length > LONGEST) throw new PlicaError("bad-argument", `the id of a conversation is ${LONGEST} characters at most: what it goes back from is stored under <id>~left~<version>`);
}

/** Reads the options of `compact` as it does, with nothing to fold. */
function refuseFolding<M extends object>(options: ConversationOptions<M>, format: Format, shares: readonly (number | undefined)[]): void {
  const { window, estimator, provenance, onEvent } = options;
  const tried = new Transcript<M>({ window, estimator, provenance, format } as never);
  try {
    for (const at of shares) if (at !== undefined) tried.due({ at });
    prepare<M>(tried, { ...makingOf(options), pins: undefined, pinned: undefined, onEvent: typeof onEvent === "function" ? nobody : onEvent } as never).cancel();
  } finally {
    tried.free();
  }
}

/** Options that are none of `compact`. One that is not named here does not compile: what `compact` has not got is to be left out. */
const OWN: Record<Exclude<keyof ConversationOptions, keyof CompactOptions> | "window" | "ledger", true> = {
  window: true, ledger: true, at: true, prepareAt: true, onCompaction: true, onPins: true, store: true, id: true, messages: true, originals: true, left: true,
  storeTimeoutMs: true,
};

/** The options of `compact`, among those of a conversation. @internal */
export function makingOf<M extends object>(options: ConversationOptions<M>): CompactOptions<M> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in OWN))) as CompactOptions<M>;
}

const BACK: readonly unknown[] = ["anywhere", "begun", "never"];

/** What is known beside the messages, seen to be so. @internal */
export function notesOf(given: NextOptions | null | undefined): NextOptions {
  const notes = optionsIn(given);
  refuseNoSignal(notes.signal);
  refuseNoFunction(notes.beside, "beside");
  if (notes.back !== undefined && typeof notes.back !== "function" && !BACK.includes(notes.back)) throw new PlicaError("bad-argument", 'back must be "begun", "anywhere", "never" or a function');
  return notes;
}
