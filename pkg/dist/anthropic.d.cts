export { MessageFolding, foldMessages, summarizeWith } from "./adapters/anthropic.cjs";
export type { FoldMessagesOptions, MessageParam, RequestNotes, SummarizeWithOptions, SummaryAnswer, SummaryClient, ToolRunner } from "./adapters/anthropic.cjs";
export { Conversation } from "./adapters/conversation.cjs";
export type { ConversationOptions, NextOptions } from "./adapters/conversation.cjs";
