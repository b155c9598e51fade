export { Conversation } from "./adapters/conversation.cjs";
export type { ConversationOptions, NextOptions } from "./adapters/conversation.cjs";
