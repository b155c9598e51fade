export { sqliteStore } from "./store/sqlite.js";
export type { SqliteDatabase, SqliteStatement, SqliteStoreOptions } from "./store/sqlite.js";
export { postgresStore } from "./store/postgres.js";
export type { PostgresClient, PostgresPool, PostgresStoreOptions } from "./store/postgres.js";
export type { AppendOptions, ConversationInfo, ConversationToSave, LedgerStore, LedgerToSave, ListOptions, LoadOptions, OriginalsOptions, SaveOptions, SqlValue, StoreOptions, StoredConversation, } from "./store/types.js";
