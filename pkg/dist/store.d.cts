export { sqliteStore } from "./store/sqlite.cjs";
export type { SqliteDatabase, SqliteStatement, SqliteStoreOptions } from "./store/sqlite.cjs";
export { postgresStore } from "./store/postgres.cjs";
export type { PostgresClient, PostgresPool, PostgresStoreOptions } from "./store/postgres.cjs";
export type { AppendOptions, ConversationInfo, ConversationToSave, LedgerStore, LedgerToSave, ListOptions, LoadOptions, OriginalsOptions, SaveOptions, SqlValue, StoreOptions, StoredConversation, } from "./store/types.cjs";
