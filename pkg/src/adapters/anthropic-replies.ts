// Replies that no request can follow as they are: they stop within their calls, say nothing, or ask the provider for what it has not
// answered. The API refuses a conversation for such a reply, from then on.

import { isArray, memberOf } from "./checks.js";
import type { MessageParam, Params, Reply } from "./anthropic.js";

/** Why calls of a reply have no results. */
export const CUT_OFF = { plain: "The reply was cut off, and this call was not made.", eager: "The reply was cut off, and what this call gave is not known." };
export const LEFT = { plain: "The run was ended before this call was made.", eager: "The run was ended before this call was answered." };

/** All that was said when a runner stops at a reply, so that a request can follow it. */
export function ended(params: Params, reply: Reply, why: typeof CUT_OFF): readonly MessageParam[] {
  // The runner forgets an answer that was refused.
  if (reply.stop_reason === "refusal") return params.messages;
  const content = answeredByServer(reply.content);
  // The API takes no message without content, and none that only thinks.
  if (!content.some(saysSomething)) return params.messages;
  return withResults([...params.messages, { role: reply.role, content }], why, params);
}

/** Calls must have results right behind them. */
export function withResults(messages: readonly MessageParam[], why: typeof CUT_OFF, params: Params): readonly MessageParam[] {
  if (!isOpen(messages)) return messages;
  // Run while the reply is read, calls may have been made.
  const text = params.runToolsEagerly === true ? why.eager : why.plain;
  return [...messages, results(callIds(messages[messages.length - 1]!), text)];
}

/** What stands for the result of a call, where nobody says why it has none. */
const UNKNOWN = "No result of this call is known.";

/**
 * The messages as a request can hold them: where a request of the user's follows a reply, that reply has said something, its calls have
 * results, and those of the provider's own tools are answered. The same list where all of it is so.
 */
export function sound(messages: readonly MessageParam[]): readonly MessageParam[] {
  const all: MessageParam[] = [];
  for (let i = 0; i < messages.length; i++) {
    const [message, next] = [messages[i]!, messages[i + 1]];
    if (!isOf(message, "assistant") || !isOf(next, "user")) {
      all.push(message);
      continue;
    }
    const calls = callIds(message);
    const given = resultsBehind(messages, i);
    const missing = calls.filter((id) => !given.has(id));
    // Where calls have results the reply is under way: what the provider's own tools do may wait for those.
    const own = missing.length < calls.length ? message : followed(message);
    if (own !== undefined) all.push(own);
    if (missing.length === 0) continue;
    const added = results(missing, UNKNOWN);
    if (missing.length === calls.length) all.push(added);
    // The results of a reply are one message.
    else all.push({ ...messages[++i]!, content: [...(added.content as object[]), ...wordsOf(next!)] });
  }
  return all.length === messages.length && all.every((message, i) => message === messages[i]) ? messages : all;
}

/** A reply as a request can follow it; undefined where nothing is left of it. */
function followed(message: MessageParam): MessageParam | undefined {
  const content = memberOf(message, "content");
  // What is neither words nor blocks is the API's to refuse.
  if (!isArray(content)) return saysNothing(message) ? undefined : message;
  const kept = answeredByServer(content as Reply["content"]);
  // The API takes no message without content, and none that only thinks.
  if (!kept.some(saysSomething)) return undefined;
  return kept === content ? message : { ...message, content: kept };
}

/** The messages that are kept at the end of a loop: a last reply that says nothing is none. */
export function recorded(messages: readonly MessageParam[]): readonly MessageParam[] {
  const all = sound(messages);
  const last = all[all.length - 1];
  return isOf(last, "assistant") && saysNothing(last!) ? all.slice(0, -1) : all;
}

function saysNothing(message: MessageParam): boolean {
  const content = memberOf(message, "content");
  return isArray(content) ? !content.some((block) => saysSomething(block as object)) : typeof content === "string" && content.trim() === "";
}

/** What a message says, in blocks. */
function wordsOf(message: MessageParam): readonly object[] {
  const content = memberOf(message, "content");
  return typeof content === "string" ? [{ type: "text", text: content }] : blocksOf(message);
}

function resultsBehind(messages: readonly MessageParam[], i: number): Set<unknown> {
  const ids = new Set<unknown>();
  for (let next = i + 1; isOf(messages[next], "user"); next++) blocksOf(messages[next]!).forEach((block) => ids.add(memberOf(block, "tool_use_id")));
  return ids;
}

function isOf(message: MessageParam | undefined, role: string): boolean {
  return memberOf(message, "role") === role;
}

function results(ids: readonly unknown[], text: string): MessageParam {
  return { role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, is_error: true, content: text })) };
}

/** Whether the last message has calls. */
export function isOpen(messages: readonly MessageParam[]): boolean {
  const last = messages[messages.length - 1];
  return last !== undefined && callIds(last).length > 0;
}

/** Calls of tools that the provider runs. */
const BY_SERVER: readonly unknown[] = ["server_tool_use", "mcp_tool_use"];

/** Without calls of the provider's own tools that it has not answered: nobody else can. */
function answeredByServer(content: Reply["content"]): Reply["content"] {
  // Code that the provider runs calls tools of the program's, and waits for what they give.
  const answered = new Set(content.flatMap((block) => [memberOf(block, "tool_use_id"), memberOf(memberOf(block, "caller"), "tool_id")]));
  const isKept = (block: object): boolean => !BY_SERVER.includes(memberOf(block, "type")) || answered.has(memberOf(block, "id"));
  return content.every(isKept) ? content : content.filter(isKept);
}

function saysSomething(block: object): boolean {
  const [type, text] = [memberOf(block, "type"), memberOf(block, "text")];
  if (type === "text") return typeof text !== "string" || text.trim() !== "";
  return type !== "thinking" && type !== "redacted_thinking";
}

export function blocksOf(message: { content: string | readonly object[] }): readonly { type?: unknown; id?: unknown }[] {
  const content = memberOf(message, "content");
  return isArray(content) ? (content as { type?: unknown; id?: unknown }[]) : [];
}

export function callIds(message: MessageParam): unknown[] {
  return blocksOf(message).flatMap((block) => (memberOf(block, "type") === "tool_use" ? [memberOf(block, "id")] : []));
}
