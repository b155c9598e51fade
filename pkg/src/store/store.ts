// The store over any database: arguments seen to, messages and ledgers made of what was read.

import { Ledger, PlicaError, fingerprint, parseMessage } from "plica";
import type { LedgerJson } from "plica";
import { Conversations, NONE, isEmpty, textOf } from "./conversation.js";
import type { Loaded, Source } from "./conversation.js";
import type { Steps } from "./steps.js";
import type {
  AppendOptions, ConversationInfo, ConversationToSave, LedgerStore, LedgerToSave, ListOptions, LoadOptions, OriginalsOptions, SaveOptions, StoredConversation,
} from "./types.js";
import type { Text } from "./window.js";

/** Runs an operation in one transaction. @internal */
export type Transact = <T>(kind: "read" | "write", steps: () => Steps<T>) => Promise<T>;

/** Longer ids have no room in PostgreSQL's index. */
const MAX_ID = 512;

/** A page of a list, where nothing else is said. */
const PAGE = 100;

/** @internal */
export class Store implements LedgerStore {
  /** Of records that were loaded without their originals, where those are. */
  private readonly sources = new WeakMap<object, Source>();

  constructor(
    private readonly conversations: Conversations,
    private readonly transact: Transact,
    private readonly key: string | Uint8Array | undefined,
  ) {
    // Refuses a key that is none before there is a ledger to try it on.
    this.emptyLedger();
  }

  async load<M extends object = object>(id: string, options: LoadOptions = {}): Promise<StoredConversation<M>> {
    const own = idOf(id);
    const withOriginals = options?.originals === true;
    return this.revived<M>(own, await this.transact("read", () => this.conversations.load(own, withOriginals)), withOriginals);
  }

  async append(id: string, messages: readonly object[], options: AppendOptions): Promise<string> {
    const [own, version] = [idOf(id), versionOf(options)];
    const texts = textsOf(messages);
    return this.transact("write", () => this.conversations.append(own, version, texts));
  }

  async save(id: string, conversation: ConversationToSave, options: SaveOptions): Promise<string> {
    const [own, version] = [idOf(id), versionOf(options)];
    const { messages, ledger } = parts(conversation);
    const json = ledger.toReferences();
    this.refuseOtherSeal(json);
    const saving = { window: messages, ledger, json, forget: options?.forget === true || options?.forget === "records", unrecorded: options?.forget === "records", sourceOf: (record: object) => this.sources.get(record) };
    return this.transact("write", () => this.conversations.save(own, version, saving));
  }

  async originals<M extends object = object>(id: string, record: string, options: OriginalsOptions = {}): Promise<M[]> {
    const own = idOf(id);
    if (typeof record !== "string") throw new PlicaError("bad-argument", "record must be the id of a record of the ledger");
    const [from, limit] = [countOf(options?.from, "from", 0), countOf(options?.limit, "limit", Number.MAX_SAFE_INTEGER)];
    // An id that no database takes is none that is stored.
    const texts = isStorable(record) ? await this.transact("read", () => this.conversations.originals(own, record, from, limit)) : undefined;
    if (texts === undefined) throw new PlicaError("originals-missing", "the conversation has no record of this id");
    return texts.map((text) => messageOf<M>(text));
  }

  async list(options: ListOptions = {}): Promise<ConversationInfo[]> {
    const [prefix, after] = [listText(options?.prefix, "prefix"), listText(options?.after, "after")];
    const limit = countOf(options?.limit, "limit", PAGE);
    return this.transact("read", () => this.conversations.list(prefix, after, limit));
  }

  async delete(id: string, options: { version?: string | undefined } = {}): Promise<boolean> {
    const own = idOf(id);
    const version = options?.version === undefined ? undefined : versionOf(options);
    return this.transact("write", () => this.conversations.delete(own, version));
  }

  /** A ledger that could not be read again is not written. */
  private refuseOtherSeal(json: LedgerJson): void {
    if (isEmpty(json) || (this.key === undefined && json.keyed !== true)) return;
    Ledger.from(json, { key: this.key });
  }

  private emptyLedger<M extends object>(): Ledger<M> {
    return new Ledger<M>({ key: this.key });
  }

  private revived<M extends object>(id: string, { version, texts, ledger: json, sources, originals: stored }: Loaded, withOriginals: boolean): StoredConversation<M> {
    const messages = texts.map((text) => messageOf<M>(text));
    if (json === undefined) return { id, version, messages, ledger: this.emptyLedger() };
    const originals = new Map(Array.from(stored, ([record, all]) => [record, all.map((text) => messageOf<M>(text))]));
    const ledger = Ledger.from<M>(json, { key: this.key, originals });
    if (!withOriginals) ledger.records.forEach((record, i) => this.sources.set(record, sources[i]!));
    return { id, version, messages, ledger };
  }
}

/** A message behind its text, seen to be what was written: the fingerprints of a ledger do not cover every member. */
function messageOf<M extends object>({ hash, body }: Text): M {
  if (fingerprint(body) === hash) return parseMessage<M>(body);
  throw new PlicaError("ledger-altered", `the message ${hash} was changed in the database since it was written`);
}

function textsOf(messages: unknown): Text[] {
  if (!Array.isArray(messages)) throw new PlicaError("bad-argument", "messages must be an array");
  return Array.from(messages, (message: object) => textOf(message));
}

function parts(conversation: ConversationToSave): { messages: readonly object[]; ledger: LedgerToSave } {
  const { messages: given, ledger } = conversation ?? {};
  // A Transcript gives its messages when it is asked.
  const messages: unknown = typeof given === "function" ? given.call(conversation) : given;
  if (!Array.isArray(messages) || typeof ledger?.toReferences !== "function") {
    throw new PlicaError("bad-argument", "save needs a Transcript, or { messages, ledger }");
  }
  return { messages: messages as object[], ledger };
}

function idOf(id: unknown): string {
  if (typeof id === "string" && id !== "" && id.length <= MAX_ID && isStorable(id)) return id;
  throw new PlicaError("bad-argument", `id must be a string of 1 to ${MAX_ID} characters, without U+0000 and lone surrogates`);
}

/** What databases keep as it is: PostgreSQL takes no U+0000, and lone surrogates would all become one character. */
function isStorable(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text);
}

function versionOf(options: { version?: string | undefined } | undefined): string {
  const version = options?.version;
  if (typeof version === "string") return version;
  throw new PlicaError("bad-argument", `a write needs { version }: that which load gave, or the write before; ${JSON.stringify(NONE)} for a new conversation`);
}

function listText(text: unknown, what: string): string {
  if (text === undefined) return "";
  if (typeof text === "string" && text.length <= MAX_ID && isStorable(text)) return text;
  throw new PlicaError("bad-argument", `${what} must be a string of at most ${MAX_ID} characters, without U+0000 and lone surrogates`);
}

function countOf(value: unknown, what: string, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new PlicaError("bad-argument", `${what} must be a whole number of 0 or more`);
}
