import type { EditRecord, FoldRecord, Ledger, LedgerJson } from "plica";
/** What a statement takes for its `?`. */
export type SqlValue = string | number | null;
/** A conversation as it was loaded. */
export interface StoredConversation<M extends object = object> {
    /** Its id. */
    id: string;
    /** Its state: hand it to the write that builds on it. `"0"` when there is no such conversation yet. */
    version: string;
    /** The window. */
    messages: M[];
    /** Its folds, reductions and repairs: originals by reference, unless they were asked for. */
    ledger: Ledger<M>;
}
/** Options of {@link LedgerStore.load}. */
export interface LoadOptions {
    /** Whether the ledger is to hold the originals, so that `ledger.unfold(messages)` gives all that was ever said. Default false. */
    originals?: boolean | undefined;
}
/** Options of {@link LedgerStore.append}. */
export interface AppendOptions {
    /** The version that the messages follow. */
    version: string;
}
/** Options of {@link LedgerStore.save}. */
export interface SaveOptions {
    /** The version that was loaded, or that the last write gave. */
    version: string;
    /**
     * Whether messages of the stored window that neither the new window nor the ledger has are to be deleted: after `truncate` and
     * `replaceLast`. `"records"`: folds, reductions and repairs that the ledger lacks are deleted as well, with what they took away, after
     * they were undone. Default false: they are refused, so that nothing is lost by accident.
     */
    forget?: boolean | "records" | undefined;
}
/** Options of {@link LedgerStore.originals}. */
export interface OriginalsOptions {
    /** Index of the first. Default 0. */
    from?: number | undefined;
    /** How many at most. Default all. */
    limit?: number | undefined;
}
/** Options of {@link LedgerStore.list}. */
export interface ListOptions {
    /** Only ids that begin with it. */
    prefix?: string | undefined;
    /** Only ids behind it: that of the last entry of the page before. */
    after?: string | undefined;
    /** How many at most. Default 100. */
    limit?: number | undefined;
}
/** An entry of {@link LedgerStore.list}. */
export interface ConversationInfo {
    /** Its id. */
    id: string;
    /** Its state. */
    version: string;
    /** Number of messages in the window. */
    messages: number;
    /** Number of folds, reductions and repairs. */
    records: number;
    /** When it was written last, in milliseconds since 1970, by the clock of the server that wrote; 0 when that is not known. */
    updated: number;
}
/** A ledger as {@link LedgerStore.save} takes it: a `Ledger` of any entry of the package. */
export interface LedgerToSave {
    /** As in `Ledger`. */
    readonly records: readonly {
        readonly id: string;
        readonly record: FoldRecord | EditRecord;
        readonly retention: string;
        readonly messages?: readonly object[];
    }[];
    /** As in `Ledger`. */
    toReferences(): LedgerJson;
}
/** What {@link LedgerStore.save} takes: a `Transcript`, what `compact` gave, or the two. */
export interface ConversationToSave {
    /** The window. */
    readonly messages: readonly object[] | (() => readonly object[]);
    /** Its ledger. */
    readonly ledger: LedgerToSave;
}
/**
 * Keeps conversations in a database: their windows, their ledgers, and every original once. Each write is one transaction: it is
 * done, or nothing of it is.
 *
 * All of them throw PlicaError `store-busy` (another writer holds the database: nothing was written, try again), `store-failed` (the
 * database is gone, or refused; `cause` is its error), `store-newer` (the tables are of a newer plica), and `bad-argument`. After a
 * failure the next call works, once the database does.
 *
 * @example
 * async function turn(id, request) {
 *   const { messages, ledger, version } = await store.load(id);
 *   const transcript = Transcript.restore(messages, ledger, { window: 200_000 }).append([request]);
 *   const { message, usage } = await myModel(transcript.messages());
 *   transcript.append([message]).usage(usage);
 *   if (!transcript.due()) return store.append(id, [request, message], { version });
 *   await compact(transcript, { summarize });
 *   return store.save(id, transcript, { version });
 * }
 */
export interface LedgerStore {
    /**
     * A conversation: its window, and its ledger with originals by reference. One that was never written is empty, of version `"0"`.
     *
     * @throws PlicaError `ledger-key`, and `ledger-altered` when what is stored was changed by something else.
     * @example
     * const { messages, ledger, version } = await store.load("garden/7");
     */
    load<M extends object = object>(id: string, options?: LoadOptions): Promise<StoredConversation<M>>;
    /**
     * Puts messages behind the window. Writes them and no more, however long the conversation is.
     *
     * @returns the new version.
     * @throws PlicaError `conflict` when the conversation is not of this version any more: load it again; `bad-message`.
     * @example
     * version = await store.append("garden/7", [request, answer], { version });
     */
    append(id: string, messages: readonly object[], options: AppendOptions): Promise<string>;
    /**
     * Makes the stored window this one, and stores what the ledger has gained: folds, reductions, repairs. Writes what differs. Under
     * another id it is a branch: originals that this store left in the database go along.
     *
     * @returns the new version.
     * @throws PlicaError `conflict`; `bad-argument` when a message of the stored window is in neither (see `forget`); `bad-ledger` when
     * the ledger is not that of the conversation; `ledger-key` when it is not sealed with the key of the store; `message-changed` when an original was changed in place; `originals-missing` when it
     * was loaded from a conversation that is gone; `bad-message`.
     * @example
     * await compact(transcript, { summarize });
     * version = await store.save("garden/7", transcript, { version });
     */
    save(id: string, conversation: ConversationToSave, options: SaveOptions): Promise<string>;
    /**
     * The messages that a fold, a reduction or a repair took away, as they were: read when they are needed, in pieces where they are many.
     *
     * @param record its id: that of `ledger.lookup(digest)`, say.
     * @throws PlicaError `originals-missing` when there is no such record, or its originals were not kept.
     * @example
     * await store.originals("garden/7", ledger.lookup(message).id, { limit: 50 });
     */
    originals<M extends object = object>(id: string, record: string, options?: OriginalsOptions): Promise<M[]>;
    /**
     * Conversations in the order of their ids (by code point).
     *
     * @example
     * for (const { id } of await store.list({ prefix: "garden/" })) …
     */
    list(options?: ListOptions): Promise<ConversationInfo[]>;
    /**
     * Deletes a conversation, and the originals that no other has.
     *
     * @returns whether there was one.
     * @throws PlicaError `conflict` when a version is given and it is of another.
     * @example
     * await store.delete("garden/7");
     */
    delete(id: string, options?: {
        version?: string | undefined;
    }): Promise<boolean>;
}
/** Options of every store. */
export interface StoreOptions {
    /** Begins the names of the tables: letters, digits and `_`. Default `"plica_"`. */
    prefix?: string | undefined;
    /** Secret that seals the ledgers: those made by {@link LedgerStore.load} have it, and others are refused. */
    key?: string | Uint8Array | undefined;
}
