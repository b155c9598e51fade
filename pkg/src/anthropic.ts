// The entry `plica/anthropic`: conversations with the Messages API, in the tool runner of `@anthropic-ai/sdk` and in loops of your own.

export { MessageFolding, foldMessages, summarizeWith } from "./adapters/anthropic.js";
export type { FoldMessagesOptions, MessageParam, RequestNotes, SummarizeWithOptions, SummaryAnswer, SummaryClient, ToolRunner } from "./adapters/anthropic.js";
export { Conversation } from "./adapters/conversation.js";
export type { ConversationOptions, NextOptions } from "./adapters/conversation.js";
