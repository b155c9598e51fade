// Text of a transcript on its way to the screen: always as text nodes, with what would be invisible made visible. A control
// character is never applied: it is shown as a small mark with its name.

/** Sequences that colour a terminal or move its cursor; several in a row are one mark. */
const ANSI = String.raw`(?:\u001b\[[0-?]*[ -/]*[@-~])+`;

/** Sequences with a text of their own (titles of windows, links): up to their end, which must be near. */
const OSC = String.raw`\u001b\][^\u0007\u001b\n]{0,500}(?:\u0007|\u001b\\)`;

/** Controls but tab and line feed; bidi controls; separators; tags and selectors of glyphs nobody has; what has no width or glyph. */
const INVISIBLE = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e01ef}]+`;

/** Joiners belong inside emoji and several scripts. After Latin, digits or signs, at a beginning, or in a row they carry something else. */
const JOINERS = String.raw`[\u200c\u200d]{2,}|(?<=[\u0000-\u024f]|^)[\u200c\u200d]`;

/** One selector after a sign chooses its look; a row of them is a hidden text. */
const SELECTORS = String.raw`[\ufe00-\ufe0f]{2,}`;

/** More accents than any script stacks on one letter would cover the lines around. */
const STACKED = String.raw`(?<=\p{M}{8})\p{M}+`;

const HIDDEN = new RegExp([OSC, ANSI, INVISIBLE, JOINERS, SELECTORS, STACKED].join("|"), "gu");

const NAMES: Readonly<Record<number, string>> = {
  0x00: "null", 0x07: "bell", 0x08: "backspace", 0x0d: "carriage return", 0x1b: "escape", 0x7f: "delete",
  0xad: "soft hyphen", 0x61c: "Arabic letter mark", 0x200b: "zero width space", 0x200c: "zero width non-joiner",
  0x200d: "zero width joiner", 0x200e: "left-to-right mark", 0x200f: "right-to-left mark", 0x2028: "line separator",
  0x2029: "paragraph separator", 0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding",
  0x202c: "pop directional formatting", 0x202d: "left-to-right override", 0x202e: "right-to-left override",
  0x2060: "word joiner", 0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate",
  0x2069: "pop directional isolate", 0xfeff: "byte order mark",
};

/** Named so many in one mark; the rest are counted. */
const NAMED = 4;

/** A sequence of a terminal is shown up to so many units. */
const SEQUENCE = 24;

/** So many marks in one text are elements; what is hidden after them is named in the text itself. */
const MOST = 200;

/** What one code point is called in a mark. */
function shown(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** What one sequence of a terminal is called in a mark. */
function sequence(text: string): string {
  const visible = Array.from(text, (char) => (HIDDEN_CHAR.test(char) ? shown(char) : char));
  return visible.length > SEQUENCE ? `${visible.slice(0, SEQUENCE).join("")}…` : visible.join("");
}

const HIDDEN_CHAR = new RegExp(`^(?:${INVISIBLE}|[\\u200c\\u200d])$`, "u");

const isSequence = (run: string): boolean => run.startsWith("\u001b[") || run.startsWith("\u001b]");

/** The beginnings of a run, and how many parts it has: sequences of a terminal, or code points. */
function parts(run: string): { first: string[]; all: number } {
  if (run.startsWith("\u001b]")) return { first: [sequence(run)], all: 1 };
  if (run.startsWith("\u001b[")) {
    const all = run.split("\u001b").slice(1);
    return { first: all.slice(0, 2).map((rest) => sequence(`\u001b${rest}`)), all: all.length };
  }
  const all = Array.from(run);
  return { first: all.slice(0, NAMED).map(shown), all: all.length };
}

/** What stands for a run of hidden characters. */
function label(run: string): string {
  const { first, all } = parts(run);
  return all > first.length ? `${first.join(" ")} … ×${all}` : first.join(" ");
}

/** Text that is written in tags (U+E0000 …) can be read: it is told, as the model may have read it too. */
function smuggled(run: string): string {
  const letters = Array.from(run, (char) => (char.codePointAt(0) ?? 0) - 0xe0000).filter((code) => code >= 0x20 && code < 0x7f);
  const text = String.fromCharCode(...letters.slice(0, 200));
  return text === "" ? "" : `: “${text}”${letters.length > 200 ? " …" : ""}`;
}

function title(run: string): string {
  if (isSequence(run)) return "terminal control sequence";
  const code = run.codePointAt(0) ?? 0;
  if (code >= 0xe0000 && code <= 0xe007f) return `hidden tag characters${smuggled(run)}`;
  if (/^\p{M}/u.test(run)) return "more combining marks than a letter can carry";
  return NAMES[code] ?? "hidden character";
}

/** A mark for a run of hidden characters. */
function mark(run: string): HTMLSpanElement {
  const span = document.createElement("span");
  span.className = "ctl";
  span.textContent = label(run);
  span.title = title(run);
  return span;
}

/** CRLF is an ordinary end of line. */
const lines = (text: string): string => text.replaceAll("\r\n", "\n");

const named = (text: string): string => text.replace(HIDDEN, (run) => `[${label(run)}]`);

/** Text with hidden characters named, for places that hold no elements (titles, labels). */
export function plain(text: string): string {
  return named(lines(text));
}

/** The nodes for a text, and how many marks are among them. */
function marked(text: string, most: number): { nodes: DocumentFragment; marks: number } {
  const nodes = document.createDocumentFragment();
  let from = 0;
  let marks = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (marks >= most) {
      nodes.append(named(text.slice(from)));
      return { nodes, marks };
    }
    marks++;
    if (match.index > from) nodes.append(text.slice(from, match.index));
    nodes.append(mark(match[0]));
    from = match.index + match[0].length;
  }
  if (from < text.length) nodes.append(text.slice(from));
  return { nodes, marks };
}

/**
 * Shows a text inside an element, in place of what was there. After `most` marks the rest is named in plain text, so that a
 * hostile text cannot blow up the page. The direction of the text is its own and does not reach what is around.
 */
export function fill(element: Element, text: string, most = MOST): void {
  element.replaceChildren(marked(lines(text), most).nodes);
  if (!element.hasAttribute("dir")) element.setAttribute("dir", "auto");
}

/** Marks what is hidden in every text node under a root; marks that are there already stay as they are. */
export function markHidden(root: Node, most = MOST): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if ((node as Text).data.search(HIDDEN) >= 0) found.push(node as Text);
  }
  let left = most;
  for (const node of found) {
    const { nodes, marks } = marked(lines(node.data), left);
    left -= marks;
    node.replaceWith(nodes);
  }
}
