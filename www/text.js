// Text of a transcript on its way to the screen: always as text nodes, with what would be invisible made visible.

/** ANSI escapes; control characters but tab and line feed; bidi controls; characters that have no width or no glyph. */
const HIDDEN = /(?:\u001b\[[0-?]*[ -/]*[@-~])+|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]+/gu;

/** @type {Record<number, string>} */
const NAMES = {
  0x61c: "Arabic letter mark", 0x200b: "zero width space", 0x200e: "left-to-right mark", 0x200f: "right-to-left mark",
  0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding", 0x202c: "pop directional formatting",
  0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "pop directional isolate", 0xfeff: "byte order mark",
};

/** Named so many in one mark; the rest are counted. */
const NAMED = 6;

/** The name of one code point, as it is shown. @param {string} char */
function shown(char) {
  const code = /** @type {number} */ (char.codePointAt(0));
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** What stands for a run of hidden characters. @param {string} run */
function label(run) {
  if (run.startsWith("\u001b[")) return run.replaceAll("\u001b", "\u241b");
  const chars = Array.from(run);
  const named = chars.slice(0, NAMED).map(shown).join(" ");
  return chars.length > NAMED ? `${named} … ×${chars.length}` : named;
}

/** A mark for a run of hidden characters. @param {string} run */
function mark(run) {
  const span = document.createElement("span");
  span.className = "ctl";
  span.textContent = label(run);
  const name = NAMES[run.codePointAt(0) ?? 0];
  if (name !== undefined) span.title = name;
  return span;
}

/** CRLF is an ordinary end of line. @param {string} text */
const lines = (text) => text.replaceAll("\r\n", "\n");

/** Text with hidden characters named, for places that hold no elements (titles, labels). @param {string} text */
export function plain(text) {
  return lines(text).replace(HIDDEN, (run) => `[${label(run)}]`);
}

/**
 * Shows a text inside an element, in place of what was there. After `most` marks the rest is named in plain text, so that a
 * hostile text cannot blow up the page.
 *
 * @param {Element} element
 * @param {string} text
 * @param {number} [most]
 */
export function fill(element, text, most = 100) {
  const all = lines(text);
  const nodes = document.createDocumentFragment();
  let from = 0;
  let marks = 0;
  for (const match of all.matchAll(HIDDEN)) {
    if (marks++ >= most) break;
    if (match.index > from) nodes.append(all.slice(from, match.index));
    nodes.append(mark(match[0]));
    from = match.index + match[0].length;
  }
  if (from < all.length) nodes.append(marks > most ? plain(all.slice(from)) : all.slice(from));
  element.replaceChildren(nodes);
}

const GROUPED = new Intl.NumberFormat("en");

/** A number with thin spaces between groups. @param {number} value */
export const count = (value) => GROUPED.format(value).replaceAll(",", "\u202f");

/** "1 message", "2 messages". @param {number} value @param {string} one @param {string} [many] */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/**
 * An element with a class and a text.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}
