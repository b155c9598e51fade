export { Conversation } from "./adapters/conversation.js";
export type { ConversationOptions, NextOptions } from "./adapters/conversation.js";
