// What a message says, piece by piece, in whichever of the formats it is written. Read by field, so that messages of mixed or
// unknown formats show as much as can be told of them; what is not known is shown as JSON. Nothing here throws.

import type { PartKind } from "../protocol.js";
import { firstOf, isObject, isText, listOf } from "./json.js";
import type { Fields } from "./json.js";
import { isImageType } from "./images.js";

/** A part of a message, its text not yet written out. */
export interface Piece {
  kind: PartKind;
  /** A text, or a value that is shown as JSON. */
  value: unknown;
  json?: true;
  name?: string;
  id?: string;
  error?: true;
  inner?: true;
  /** Of a result: its id may be made up by the client, its call may have none. */
  looseId?: true;
  /** Of reasoning: it is signed or encrypted. */
  sealed?: true;
  /** Of a picture, the block that holds it. */
  block?: unknown;
}

const SEALED = "(sealed reasoning: only the provider can read it)";
const SEALED_DIGEST = "(a digest that only the provider can read)";

/** The pieces of a message; one without text when it says nothing. */
export function piecesOf(message: unknown): Piece[] {
  const pieces = isObject(message) ? read(message) : undefined;
  if (pieces === undefined) return [dataPiece(message)];
  return pieces.length > 0 ? pieces : [textPiece("")];
}

function read(message: Fields): Piece[] | undefined {
  const body = langchainBody(message);
  if (body !== undefined) return langchain(message, body);
  if (Array.isArray(message.parts)) return message.parts.flatMap(partPieces);
  if (typeof message.type === "string" && message.role === undefined) return item(message, message.type);
  if (message.role !== undefined || message.content !== undefined) return chat(message);
  return undefined;
}

// ------------------------------------------------------------------------------------------------------------------ small pieces

function textPiece(value: string): Piece {
  return { kind: "text", value };
}

function dataPiece(value: unknown): Piece {
  return { kind: "data", value, json: true };
}

function imagePiece(block: unknown): Piece {
  return { kind: "image", value: "", block };
}

function reasoningPiece(value: unknown, sealed = false): Piece {
  return { kind: "reasoning", value: isText(value) ? value : SEALED, ...(sealed ? { sealed } : {}) };
}

const SEALS = ["signature", "thinkingSignature", "thoughtSignature", "thought_signature", "redactedData", "reasoningEncryptedContent", "encrypted_content", "encryptedContent"];

/** Whether a block holds a secret of the provider, itself or in the options that it carries. */
function isSealed(block: Fields): boolean {
  const options = firstOf(block, ["providerOptions", "providerMetadata"]);
  const holders = [block, block.providerData, ...(isObject(options) ? Object.values(options) : [])].filter(isObject);
  return holders.some((holder) => SEALS.some((key) => isText(holder[key])));
}

function named(name: unknown, id: unknown): { name?: string; id?: string } {
  return { ...(isText(name) ? { name } : {}), ...(isText(id) ? { id } : typeof id === "number" ? { id: String(id) } : {}) };
}

function callPiece(name: unknown, id: unknown, value: unknown): Piece {
  const json = typeof value !== "string" ? value !== undefined : /^\s*[{[]/.test(value);
  return { kind: "call", value, ...(json ? { json } : {}), ...named(name, id) };
}

/** A result, and what stands in it: a single text is its own, more are pieces of their own behind it. */
function resultPieces(name: unknown, id: unknown, content: unknown, error: boolean): Piece[] {
  const head: Piece = { kind: "result", value: "", ...named(name, id), ...(error ? { error } : {}) };
  const blocks = blocksIn(content);
  if (blocks === undefined) {
    const json = typeof content !== "string" && content !== undefined && content !== null;
    return [{ ...head, value: content ?? "", ...(json ? { json } : {}) }];
  }
  const inner = blocks.flatMap(blockPieces).map((piece): Piece => ({ ...piece, inner: true }));
  const [only] = inner;
  if (inner.length === 1 && only?.kind === "text") return [{ ...head, value: only.value }];
  return [head, ...inner];
}

/** The blocks of a content that is made of such. */
function blocksIn(content: unknown): readonly unknown[] | undefined {
  if (isObject(content) && typeof content.type === "string" && typeof content.text === "string") return [content];
  if (!Array.isArray(content)) return undefined;
  return content.every((block) => isObject(block) && typeof block.type === "string") ? content : undefined;
}

function contentPieces(content: unknown): Piece[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [textPiece(content)];
  return Array.isArray(content) ? content.flatMap(blockPieces) : blockPieces(content);
}

// ------------------------------------------------------------------------------------------------------------------------ blocks

function blockPieces(block: unknown): Piece[] {
  if (typeof block === "string") return [textPiece(block)];
  if (!isObject(block)) return [dataPiece(block)];
  const type = typeof block.type === "string" ? block.type : "";
  if (block.tool_use_id !== undefined || type === "tool_result") return resultPieces(block.name, block.tool_use_id, block.content, block.is_error === true);
  if (type.endsWith("tool_use")) return [callPiece(block.name, block.id, block.input)];
  const own = BLOCKS.get(type)?.(block);
  if (own !== undefined) return own;
  if (isImageType(block) && /^(?:file|media|document|reasoning-file|file-data)$/.test(type)) return [imagePiece(block)];
  return [dataPiece(block)];
}

type Reader = (block: Fields) => Piece[] | undefined;

const readText: Reader = (block) => (typeof block.text === "string" ? [textPiece(block.text)] : undefined);
const readImage: Reader = (block) => [imagePiece(block)];

/** Blocks by their type; undefined from a reader means that the block is not what its type says. */
const BLOCKS = new Map<string, Reader>([
  ["text", readText],
  ["input_text", readText],
  ["output_text", readText],
  ["summary_text", readText],
  ["reasoning_text", readText],
  ["refusal", (block) => (typeof block.refusal === "string" ? [textPiece(block.refusal)] : undefined)],
  ["thinking", (block) => [reasoningPiece(block.thinking, isSealed(block))]],
  ["redacted_thinking", () => [reasoningPiece(undefined, true)]],
  ["redacted-reasoning", () => [reasoningPiece(undefined, true)]],
  ["reasoning", (block) => [reasoningPiece(firstOf(block, ["text", "reasoning"]), isSealed(block))]],
  ["tool-call", (block) => [callPiece(block.toolName, block.toolCallId, firstOf(block, ["input", "args"]))]],
  ["tool-result", sdkResult],
  ["toolCall", (block) => [callPiece(block.name, block.id, block.arguments)]],
  ["tool_call", (block) => [callPiece(block.name, block.id, block.args)]],
  ["compaction", (block) => [textPiece(isText(block.content) ? block.content : SEALED_DIGEST)]],
  ["image", readImage],
  ["image_url", readImage],
  ["input_image", readImage],
  ["computer_screenshot", readImage],
  ["image-data", readImage],
  ["image-url", readImage],
]);

/** A result of the AI SDK: `{ type, value }` since version 5, before that the output itself. */
function sdkResult(block: Fields): Piece[] {
  const output = firstOf(block, ["output", "result"]);
  const type = isObject(output) ? output.type : undefined;
  const error = type === "error-text" || type === "error-json" || type === "execution-denied" || block.isError === true;
  const content = isObject(output) && typeof type === "string" ? firstOf(output, ["value", "reason"]) : output;
  return resultPieces(block.toolName, block.toolCallId, content, error);
}

// ------------------------------------------------------------------------------------------------------------- messages with a role

function chat(message: Fields): Piece[] {
  if (isToolMessage(message)) return toolMessage(message);
  const own = ["summary", "command", "output"].map((key) => message[key]).filter(isText).map(textPiece);
  return [
    ...[message.reasoning_content, message.reasoning].filter(isText).map((text) => reasoningPiece(text)),
    ...listOf(message.thinkingBlocks).flatMap(blockPieces),
    ...own,
    ...contentPieces(message.content),
    ...(isText(message.refusal) ? [textPiece(message.refusal)] : []),
    ...(isObject(message.audio) ? [dataPiece(message.audio)] : []),
    ...listOf(message.tool_calls).map(chatCall),
    ...listOf(message.toolCalls).map(chatCall),
    ...(isObject(message.function_call) ? [chatCall({ function: message.function_call })] : []),
  ];
}

const TOOL_ROLES: readonly unknown[] = ["tool", "function", "toolResult"];

/** Its content is a result, not blocks that are results. */
function isToolMessage(message: Fields): boolean {
  if (!TOOL_ROLES.includes(message.role) && message.tool_call_id === undefined) return false;
  return !listOf(message.content).some((block) => isObject(block) && (block.type === "tool-result" || block.type === "tool-approval-response" || block.tool_use_id !== undefined));
}

function toolMessage(message: Fields): Piece[] {
  const id = firstOf(message, ["tool_call_id", "toolCallId"]) ?? listOf(message.tool_call_ids)[0];
  const error = message.isError === true || message.is_error === true || message.status === "error";
  return resultPieces(firstOf(message, ["name", "toolName"]), id, message.content, error);
}

/** A call beside the content: Chat Completions put it into a member, agentfootprint and LangChain do not. */
function chatCall(call: unknown): Piece {
  if (!isObject(call)) return dataPiece(call);
  const body = firstOf(call, ["function", "custom"]);
  const { name, ...of } = isObject(body) ? body : call;
  return callPiece(name, call.id, firstOf(of, ["arguments", "input", "args"]));
}

// ------------------------------------------------------------------------------------------------------- LangChain, Gemini, UI parts

const LANGCHAIN_TYPES: readonly unknown[] = ["human", "ai", "system", "developer", "tool", "function", "chat", "generic", "remove"];

function langchainBody(message: Fields): Fields | undefined {
  const body = message.lc !== undefined ? message.kwargs : LANGCHAIN_TYPES.includes(message.type) ? message.data : undefined;
  return isObject(body) ? body : undefined;
}

/** `human`, `ai`, `tool`, … in both serialised forms. */
function langchainKind(message: Fields): string {
  if (message.lc === undefined) return String(message.type);
  const name = listOf(message.id).at(-1);
  return typeof name === "string" ? name.replace(/Message(?:Chunk)?$/, "").toLowerCase() : "";
}

function langchain(message: Fields, body: Fields): Piece[] {
  const kind = langchainKind(message);
  if (kind === "tool" || kind === "function") return resultPieces(body.name, body.tool_call_id, body.content, body.status === "error");
  const extra = isObject(body.additional_kwargs) ? body.additional_kwargs : {};
  const calls = listOf(body.tool_calls);
  // The provider's own form of a call that is listed as well is not said twice.
  const repeated = (block: unknown): boolean => calls.length > 0 && isObject(block) && /^(?:tool_use|tool_call|functionCall|input_json_delta)$/.test(String(block.type));
  // Version 1 may hold its own blocks beside the provider's content, or instead of it.
  const said = contentPieces(Array.isArray(body.content) ? body.content.filter((block) => !repeated(block)) : body.content);
  const blocks = listOf(firstOf(body, ["content_blocks", "contentBlocks"])).filter((block) => !repeated(block));
  return [
    ...(isText(extra.reasoning_content) ? [reasoningPiece(extra.reasoning_content)] : []),
    ...(said.length > 0 ? said : blocks.flatMap(blockPieces)),
    ...calls.map(chatCall),
    ...listOf(body.invalid_tool_calls).map(chatCall),
    ...(calls.length === 0 ? listOf(extra.tool_calls).map(chatCall) : []),
  ];
}

/** A part of a UIMessage, which says its type, or of Gemini's contents, which do not. */
function partPieces(part: unknown): Piece[] {
  if (!isObject(part)) return [dataPiece(part)];
  return typeof part.type === "string" ? uiPart(part, part.type) : geminiPart(part);
}

function uiPart(part: Fields, type: string): Piece[] {
  if (type === "step-start") return [];
  if (type === "tool-invocation" && isObject(part.toolInvocation)) return uiTool(part.toolInvocation, String(part.toolInvocation.toolName ?? ""));
  if (type === "dynamic-tool" || (type.startsWith("tool-") && type !== "tool-invocation")) return uiTool(part, type.slice("tool-".length));
  if (type === "file" && isImageType(part)) return [imagePiece(part)];
  return blockPieces(part);
}

/** A call, and its result when it has one. */
function uiTool(part: Fields, ofType: string): Piece[] {
  const name = part.toolName ?? ofType;
  const call = callPiece(name, part.toolCallId, firstOf(part, ["input", "rawInput", "args"]));
  const { state } = part;
  if (state === "output-available" || state === "result") return [call, ...resultPieces(name, part.toolCallId, firstOf(part, ["output", "result"]), false)];
  if (state === "output-error") return [call, ...resultPieces(name, part.toolCallId, part.errorText, true)];
  if (state === "output-denied") return [call, ...resultPieces(name, part.toolCallId, isObject(part.approval) ? part.approval.reason : undefined, true)];
  return [call];
}

function geminiPart(part: Fields): Piece[] {
  const call = firstOf(part, ["functionCall", "function_call"]);
  if (isObject(call)) return [callPiece(call.name, call.id, call.args)];
  const response = firstOf(part, ["functionResponse", "function_response"]);
  if (isObject(response)) return geminiResult(response);
  if (typeof part.text === "string") {
    if (part.thought === true) return [reasoningPiece(part.text, isSealed(part))];
    const signed = isText(part.thoughtSignature) || isText(part.thought_signature);
    return part.text === "" && signed ? [reasoningPiece(undefined)] : [textPiece(part.text)];
  }
  const media = firstOf(part, ["inlineData", "inline_data", "fileData", "file_data"]);
  return [isObject(media) && isImageType(media) ? imagePiece(part) : dataPiece(part)];
}

/** A response is an object, whatever the tool said: what it said stands alone in it. */
function geminiResult(response: Fields): Piece[] {
  const said = response.response;
  const keys = isObject(said) ? Object.keys(said) : [];
  const alone = isObject(said) && keys.length === 1 && /^(?:output|result|error)$/.test(keys[0]!);
  const error = isObject(said) && said.error !== undefined;
  const media = listOf(response.parts).flatMap(partPieces).map((piece): Piece => ({ ...piece, inner: true }));
  const [head, ...inner] = resultPieces(response.name, response.id, alone ? said[keys[0]!] : said, error);
  return [{ ...head!, looseId: true }, ...inner, ...media];
}

// ------------------------------------------------------------------------------------------------------------ items without a role

function item(message: Fields, type: string): Piece[] {
  if (typeof message.text === "string" && (type === "system" || type === "user")) return [textPiece(message.text), ...listOf(message.images).map(imagePiece)];
  if (Array.isArray(message.blocks)) return message.blocks.flatMap(blockPieces);
  if (Array.isArray(message.results) && type === "tool_results") return message.results.flatMap(blockPieces);
  if (type === "reasoning") return reasoningItem(message);
  if (SEALED_DIGESTS.has(type)) return [textPiece(SEALED_DIGEST)];
  if (type.endsWith("_call") || type === "mcp_list_tools") return callItem(message, type);
  if (/_(?:output|result)$/.test(type) && ownId(message, type) !== undefined) return outputItem(message, type);
  if (type === "message") return contentPieces(message.content);
  return [dataPiece(message)];
}

const SEALED_DIGESTS = new Set(["compaction", "compaction_summary", "context_compaction"]);
const ARGUMENTS = ["arguments", "input", "action", "operation", "code", "queries"];

function reasoningItem(message: Fields): Piece[] {
  const texts = [...listOf(message.summary), ...listOf(message.content)].map((block) => (isObject(block) ? block.text : block)).filter(isText);
  const sealed = isSealed(message);
  return texts.length > 0 ? texts.map((text, i) => reasoningPiece(text, sealed && i === 0)) : [reasoningPiece(undefined, sealed)];
}

/** The id that binds a call to its result. */
function ownId(message: Fields, type: string): unknown {
  return firstOf(message, type === "local_shell_call_output" ? ["call_id", "callId", "id"] : ["call_id", "callId"]);
}

function outputItem(message: Fields, type: string): Piece[] {
  const error = message.status === "incomplete" || message.status === "failed";
  const { output } = message;
  const content = isObject(output) && output.type === "computer_screenshot" ? [output] : output;
  return resultPieces(message.name, ownId(message, type), content, error);
}

/** A call; what the provider ran itself brings its result along. */
function callItem(message: Fields, type: string): Piece[] {
  const own = ownId(message, type);
  const held = isObject(message.providerData) && type === "hosted_tool_call" ? message.providerData : {};
  const of = (keys: readonly string[]): unknown => firstOf(message, keys) ?? firstOf(held, keys);
  const [id, name] = [own ?? message.id, of(["name"]) ?? type];
  const call = callPiece(name, id, of(ARGUMENTS));
  if (own !== undefined) return [call];
  if (type === "image_generation_call") return [call, imagePiece({ result: message.result })];
  const failed = of(["error"]);
  const result = failed ?? of(["output", "outputs", "results", "result"]);
  return result === undefined ? [call] : [call, ...resultPieces(name, id, result, failed !== undefined)];
}

// ------------------------------------------------------------------------------------------------------------------------- who speaks

const ROLES = new Map<unknown, string>([
  ["system", "system"], ["developer", "system"],
  ["user", "user"], ["human", "user"], ["bashExecution", "user"], ["custom", "user"], ["branchSummary", "user"], ["compactionSummary", "user"],
  ["assistant", "assistant"], ["ai", "assistant"], ["model", "assistant"], ["reasoning", "assistant"], ["mcp_list_tools", "assistant"], ["mcp_approval_request", "assistant"],
  ["tool", "tool"], ["function", "tool"], ["toolResult", "tool"], ["tool_results", "tool"], ["mcp_approval_response", "tool"],
  ["compaction", "user"], ["compaction_summary", "user"], ["context_compaction", "user"],
]);

/** Who speaks: system, user, assistant, tool or other. Messages that hold nothing but results are the tools', whoever carries them. */
export function roleOf(message: unknown, pieces: readonly Piece[]): string {
  if (!isObject(message)) return "other";
  if (pieces.length > 0 && pieces.every((piece) => piece.kind === "result" || piece.inner === true)) return "tool";
  if (typeof message.tool_call_id === "string") return "tool";
  const kind = langchainBody(message) !== undefined ? langchainSpeaker(message) : message.role ?? message.type;
  if (kind === undefined && Array.isArray(message.parts)) return "user";
  const known = ROLES.get(kind);
  if (known !== undefined) return known;
  return message.role === undefined && typeof kind === "string" && kind.endsWith("_call") ? "assistant" : "other";
}

function langchainSpeaker(message: Fields): unknown {
  const kind = langchainKind(message);
  return ROLES.has(kind) ? kind : langchainBody(message)?.role ?? kind;
}

const SYNTHETIC = new Map<unknown, string>([["project_instructions", "instructions"], ["memory", "memory"]]);

/** Where a message came from, by the marks of its own format. */
export function provenanceOf(message: unknown): string | null {
  if (!isObject(message)) return null;
  if (typeof message.synthetic === "string" && message.role === undefined) {
    return message.synthetic === "compaction_summary" || message.synthetic === "steer" ? null : SYNTHETIC.get(message.synthetic) ?? "injected";
  }
  if (typeof message.injectedBy === "string") return "injected";
  return message.role === "bashExecution" || message.role === "custom" || message.role === "branchSummary" ? "injected" : null;
}
