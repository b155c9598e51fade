// Markdown of a transcript as nodes. It is parsed, cleaned, and only then gets what makes it useful: links, blocks of code, tables
// that scroll, marks for what is hidden. Where it is too much or too odd it is shown as it is.

import { linked, remote } from "./address.js";
import { markHidden } from "./hidden.js";
import { codeBlock } from "./highlight.js";
import { parse, type Kept } from "./parser.js";
import { sanitised } from "./trusted.js";

const TAGS = [
  "p", "br", "hr", "h3", "h4", "h5", "h6", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead",
  "tbody", "tr", "th", "td", "a", "span", "#text",
];
const ATTRIBUTES = ["start", "align", "data-ref", "data-level", "data-literal"];

const BLOCKS = "p, h3, h4, h5, h6, li, blockquote, th, td";

/** So many blocks of code get colours in one text. */
const COLOURED = 60;

/** Shown without any structure: the text of a transcript that cannot be parsed. */
function preformatted(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const pre = document.createElement("pre");
  pre.className = "plain";
  pre.dir = "auto";
  pre.textContent = text;
  fragment.append(pre);
  markHidden(fragment);
  return fragment;
}

function contents(element: Element): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...element.childNodes);
  return fragment;
}

/** Puts what was kept out of the HTML in its place. Elements come in the order of the text, the inner ones after the outer. */
function restore(fragment: DocumentFragment, kept: Kept[]): void {
  const places = [...fragment.querySelectorAll("[data-ref]")].map((element) => ({ element, what: kept[Number(element.getAttribute("data-ref"))] }));
  let blocks = 0;
  // Backwards, so that a picture inside a link is there when the link is made.
  for (const { element, what } of places.reverse()) {
    if (what?.kind === "code") element.replaceWith(codeBlock(what.text, what.language ?? (++blocks > COLOURED ? "plaintext" : undefined)));
    else if (what?.kind === "image") element.replaceWith(remote(what.address, element.textContent ?? ""));
    else if (what?.kind === "link") element.replaceWith(linked(what.address, contents(element)));
    else element.replaceWith(contents(element));
  }
}

/** A wide table scrolls inside a box that can be reached from the keyboard. */
function boxed(table: Element): void {
  const box = document.createElement("div");
  box.className = "table";
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Table");
  table.replaceWith(box);
  box.append(table);
}

function looks(fragment: DocumentFragment): void {
  for (const element of fragment.querySelectorAll(BLOCKS)) element.setAttribute("dir", "auto");
  for (const element of fragment.querySelectorAll("[data-literal]")) {
    element.className = "literal";
    element.removeAttribute("data-literal");
  }
  for (const item of fragment.querySelectorAll("li")) {
    const first = item.querySelector(":scope > p:first-child") ?? item;
    if (/^\s*[☐☑] /.test(first.firstChild?.nodeValue ?? "")) item.className = "task";
  }
}

function structured(text: string): DocumentFragment | undefined {
  const parsed = parse(text);
  const fragment = parsed && sanitised(parsed.html, TAGS, ATTRIBUTES);
  if (!fragment) return undefined;
  restore(fragment, parsed.kept);
  for (const table of fragment.querySelectorAll("table")) boxed(table);
  looks(fragment);
  markHidden(fragment);
  return fragment;
}

/** Markdown as nodes; text that is too much to parse as it is. */
export function markdown(text: string): DocumentFragment {
  const lines = text.replaceAll("\r\n", "\n");
  try {
    return structured(lines) ?? preformatted(lines);
  } catch {
    return preformatted(lines);
  }
}
