// Pictures: which of them may be shown, and from where. Nothing is fetched here, and only kinds that cannot carry scripts pass.

import type { Part } from "../protocol.js";
import { firstOf, isObject, isText } from "./json.js";
import type { Fields } from "./json.js";

export type Image = NonNullable<Part["image"]>;

/** Base64 units of a picture that is still shown. */
export const LARGEST_IMAGE = 12_000_000;

const SAFE = /^(?:png|jpe?g|gif|webp|avif)$/;

/** How the base64 of a picture begins, for blocks that do not say what they hold. */
const BEGINNINGS: readonly [string, string][] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** The picture of a block, in whatever format it is written. */
export function imageOf(block: unknown): Image {
  if (!isObject(block)) return { missing: "The picture is not in the file." };
  const source = holderOf(block);
  const address = addressOf(block, source);
  if (address !== undefined) return address.startsWith("data:") ? inlined(address) : elsewhere(address);
  const data = firstOf(source, ["data", "base64", "image", "result"]);
  if (!isText(data)) return { missing: "The picture is not in the file." };
  const named = firstOf(source, MEDIA_TYPE) ?? firstOf(block, MEDIA_TYPE);
  const type = isText(named) && named !== "image/*" ? named : BEGINNINGS.find(([start]) => data.startsWith(start))?.[1];
  if (type === undefined) return { missing: "The picture does not say what kind it is of." };
  return checked(type, data);
}

const MEDIA_TYPE = ["media_type", "mediaType", "mimeType", "mime_type"];

/** Whether a block with a media type of its own is a picture. */
export function isImageType(block: Fields): boolean {
  const type = firstOf(block, MEDIA_TYPE);
  return isText(type) && type.startsWith("image/");
}

/** The member that holds the data, where it is not the block itself. */
function holderOf(block: Fields): Fields {
  const held = firstOf(block, ["source", "inlineData", "inline_data", "fileData", "file_data"]);
  return isObject(held) ? held : block;
}

function addressOf(block: Fields, source: Fields): string | undefined {
  const linked = isObject(block.image_url) ? block.image_url.url : block.image_url;
  const found = [linked, source.url, source.fileUri, source.file_uri, block.image, source.data].find(isAddress);
  return found as string | undefined;
}

function isAddress(value: unknown): boolean {
  return isText(value) && /^(?:data|https?|file|gs|blob|ftp|javascript):/i.test(value.slice(0, 12));
}

function elsewhere(address: string): Image {
  if (/^https?:\/\//i.test(address) && address.length < 10_000) return { remote: address };
  return { missing: "The picture is at an address that is not opened." };
}

function inlined(url: string): Image {
  const head = /^data:([a-z0-9.+/-]+);base64,/i.exec(url.slice(0, 100));
  if (head === null) return { missing: "The picture is not written in base64." };
  return checked(head[1]!, url.slice(head[0].length));
}

function checked(type: string, data: string): Image {
  const [kind, name] = type.toLowerCase().split("/");
  if (kind !== "image" || name === undefined || !SAFE.test(name)) return { missing: `Pictures of the kind ${type.slice(0, 60)} are not shown.` };
  if (data.length > LARGEST_IMAGE) return { missing: "The picture is too large to be shown." };
  if (!isBase64(data)) return { missing: "The picture is not written in plain base64." };
  return { data: `data:image/${name === "jpg" ? "jpeg" : name};base64,${data}` };
}

function isBase64(data: string): boolean {
  if (data === "" || /[^A-Za-z0-9+/=]/.test(data)) return false;
  const padding = data.indexOf("=");
  return padding === -1 || (padding >= data.length - 2 && data.endsWith("="));
}
