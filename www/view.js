// What of a message is shown: its parts as plain data. Runs in the worker; knows no DOM.

/** Characters of a text that are shown at first. */
export const FIRST = 2_000;
/** Characters that "Show more" adds. */
const STEP = 50_000;
/** Parts of a message that are shown at once. */
const PARTS = 50;
/** Base64 characters of a picture that is still shown. */
const LARGEST_IMAGE = 12_000_000;

/**
 * @typedef {"text" | "thinking" | "call" | "result" | "image" | "data"} PartKind
 * @typedef {{ kind: PartKind, name?: string, id?: string, text: string, image?: string, error?: boolean, inner?: boolean }} Part
 * @typedef {Part & { total: number }} ShownPart
 * @typedef {{ parts: ShownPart[], total: number }} Body
 * @typedef {{ role: string, kind: PartKind, name: string, text: string, more: number }} Line
 */

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** @param {unknown} value */
const string = (value) => (typeof value === "string" ? value : "");
/** @param {unknown} value @returns {unknown[]} */
const list = (value) => (Array.isArray(value) ? value : []);

/** Any value as text: strings as they are, the rest as JSON. @param {unknown} value */
function text(value) {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  try {
    return JSON.stringify(value);
  } catch {
    return "(too deep to show)";
  }
}

/** The parts of a message, whatever its format. @param {object} message @returns {Part[]} */
export function partsOf(message) {
  const m = /** @type {Record<string, unknown>} */ (message);
  const parts = [
    ...["reasoning_content", "reasoning"].filter((key) => typeof m[key] === "string" && m[key] !== "").map((key) => thinking(m[key])),
    ...answered(m),
    ...list(m.blocks).flatMap((block) => blockParts(block)),
    ...list(m.results).flatMap((block) => blockParts(block)),
    ...(typeof m.text === "string" ? [textPart(m.text)] : []),
    ...list(m.images).map((image) => imagePart(image)),
    ...(typeof m.refusal === "string" ? [textPart(m.refusal)] : []),
    ...list(m.tool_calls).map(chatCall),
    ...(isObject(m.function_call) ? [chatCall({ function: m.function_call })] : []),
  ];
  return parts.length > 0 ? parts : [isEmpty(m) ? textPart("") : dataPart(m)];
}

/** @param {Record<string, unknown>} m */
const isEmpty = (m) => m.content === "" || m.content === null || (Array.isArray(m.content) && m.content.length === 0);

/** The content of a message; of a tool message, as a result. @param {Record<string, unknown>} m @returns {Part[]} */
function answered(m) {
  if (m.tool_call_id === undefined) return contentParts(m.content);
  return resultParts(m.tool_call_id, m.content, false, string(m.name));
}

/** @param {unknown} content @param {boolean} [inner] @returns {Part[]} */
function contentParts(content, inner = false) {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [textPart(content, inner)];
  if (Array.isArray(content)) return content.flatMap((block) => blockParts(block, inner));
  return [dataPart(content, inner)];
}

/** @param {unknown} block @param {boolean} [inner] @returns {Part[]} */
function blockParts(block, inner = false) {
  if (typeof block === "string") return [textPart(block, inner)];
  if (!isObject(block)) return [dataPart(block, inner)];
  const type = string(block.type);
  if (block.tool_use_id !== undefined && !inner) return resultParts(block.tool_use_id, block.content, block.is_error === true, "");
  if (type.endsWith("tool_use")) return [{ kind: "call", name: text(block.name), id: text(block.id), text: text(block.input), inner }];
  if (type === "text" && typeof block.text === "string") return [textPart(block.text, inner)];
  if (type === "thinking") return [thinking(block.thinking)];
  if (type === "image" || type === "image_url") return [imagePart(block, inner)];
  return [dataPart(block, inner)];
}

/** @param {unknown} id @param {unknown} content @param {boolean} error @param {string} name @returns {Part[]} */
function resultParts(id, content, error, name) {
  /** @type {Part} */
  const head = { kind: "result", name, id: text(id), text: "", error };
  if (!Array.isArray(content)) return [{ ...head, text: text(content ?? "") }];
  const inner = contentParts(content, true);
  if (inner.length === 1 && inner[0]?.kind === "text") return [{ ...head, text: inner[0].text }];
  return [head, ...inner];
}

/** @param {unknown} call @returns {Part} */
function chatCall(call) {
  if (!isObject(call)) return dataPart(call);
  const body = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {};
  return { kind: "call", name: text(body.name), id: text(call.id), text: text(body.arguments ?? body.input) };
}

/** @param {string} value @param {boolean} [inner] @returns {Part} */
const textPart = (value, inner = false) => ({ kind: "text", text: value, inner });
/** @param {unknown} value @param {boolean} [inner] @returns {Part} */
const dataPart = (value, inner = false) => ({ kind: "data", text: text(value), inner });
/** @param {unknown} value @returns {Part} */
const thinking = (value) => ({ kind: "thinking", text: text(value) });

/** @param {unknown} block @param {boolean} [inner] @returns {Part} */
function imagePart(block, inner = false) {
  const image = dataUrl(block);
  if (image !== undefined) return { kind: "image", text: "", image, inner };
  return { kind: "image", text: `not shown: ${cut(text(block), 0, 300)}`, inner };
}

/** The data: URL of an inlined picture, when it is of a kind that is safe to show. @param {unknown} block */
function dataUrl(block) {
  if (!isObject(block)) return undefined;
  const linked = isObject(block.image_url) ? block.image_url.url : block.image_url;
  const source = isObject(block.source) ? block.source : block;
  const url = typeof linked === "string" ? linked : `data:${string(source.media_type ?? source.mime_type)};base64,${string(source.data)}`;
  const head = /^data:image\/(?:png|jpeg|gif|webp);base64,/.exec(url);
  if (head === null || url.length > LARGEST_IMAGE || url.length === head[0].length) return undefined;
  return /[^A-Za-z0-9+/=]/.test(url.slice(head[0].length)) ? undefined : url;
}

/** A piece of a text that tears no pair of surrogates. @param {string} value @param {number} from @param {number} length */
function cut(value, from, length) {
  const end = from + length;
  const code = value.charCodeAt(end - 1);
  const torn = end < value.length && code >= 0xd800 && code < 0xdc00;
  return value.slice(from, torn ? end - 1 : end);
}

/** One line for the list. @param {object} message @returns {Line} */
export function lineOf(message) {
  const parts = partsOf(message);
  const part = parts.find(({ kind, text: t }) => kind === "text" && t.trim() !== "") ?? parts.find(({ kind }) => kind !== "thinking" && kind !== "text") ?? parts[0];
  const { kind, name = "", text: full } = /** @type {Part} */ (part);
  const follows = full === "" && kind === "result" ? parts.find(({ inner, text: t }) => inner && t !== "")?.text ?? "" : full;
  const { role, type } = /** @type {Record<string, unknown>} */ (message);
  const preview = cut(cut(follows, 0, 600).replace(/\s+/g, " ").trim(), 0, 220);
  return { role: cut(text(role ?? type), 0, 40), kind, name: cut(name, 0, 60), text: preview, more: parts.length - 1 };
}

/** The body of a message: its parts from `from` on, long texts cut. @param {object} message @param {number} from @returns {Body} */
export function bodyOf(message, from) {
  const parts = partsOf(message);
  const shown = parts.slice(from, from + PARTS).map((part) => ({ ...part, text: cut(part.text, 0, FIRST), total: part.text.length }));
  return { parts: shown, total: parts.length };
}

/** The next piece of a part's text. @param {object} message @param {number} part @param {number} from */
export function moreOf(message, part, from) {
  return cut(partsOf(message)[part]?.text ?? "", from, STEP);
}
