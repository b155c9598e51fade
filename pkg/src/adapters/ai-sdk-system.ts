// System text of the AI SDK stands at the head of the messages, or beside them. Either way it is sent as it is, each time anew: it may
// have the time in it, say, and is no part of the conversation that is followed.

import { memberOf } from "./checks.js";
import type { Conversation } from "./conversation.js";

/** Messages in two: the system text that leads them, and the conversation. */
export function parted<M extends object>(messages: readonly M[]): [head: M[], body: M[]] {
  const first = messages.findIndex((message) => !isSystem(message));
  const length = first < 0 ? messages.length : first;
  return [messages.slice(0, length), messages.slice(length)];
}

/** A window in two: the rules that were put into it, and everything else. They are sent with the other system text, where all providers take it. */
export function withoutRules<M extends object>(window: readonly M[], conversation: Conversation<M>): [rules: M[], rest: M[]] {
  const isRules = (message: M): boolean => isSystem(message) && conversation.isRules(message);
  return [window.filter(isRules), window.filter((message) => !isRules(message))];
}

/** The text of system messages. */
export function textsOf(messages: readonly object[]): string[] {
  return messages.map(contentOf);
}

export function isSystem(message: object): boolean {
  return memberOf(message, "role") === "system";
}

export function contentOf(message: object): string {
  const content = memberOf(message, "content");
  return typeof content === "string" ? content : "";
}
