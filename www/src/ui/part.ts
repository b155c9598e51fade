// A part of a message: prose, reasoning, a call, a result, a picture, or data of a kind that is not known.

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Part, Row } from "../protocol.js";
import { fill } from "../text/hidden.js";
import { highlighted, languageOf } from "../text/highlight.js";
import { jsonTree } from "../text/json.js";
import { markdown } from "../text/markdown.js";
import { count } from "../text/numbers.js";
import { hidden } from "./hidden.js";
import type { RowContext } from "./row.js";

/** Longer prose is folded up at first: about twenty lines. */
const LONG_UNITS = 1_600;
/** So many lines are long, whatever their length. */
const LONG_LINES = 24;
/** Made elements that are kept: making them is what costs, scrolling back shall not. */
const MOST_MADE = 400;

/** Which parts were opened or closed by hand, by item and part. */
export class Opened {
  private readonly byKey = new Map<string, boolean>();

  is(item: number, part: number): boolean | undefined {
    return this.byKey.get(`${item}:${part}`);
  }

  set(item: number, part: number, open: boolean): void {
    this.byKey.set(`${item}:${part}`, open);
  }

  clear(): void {
    this.byKey.clear();
  }
}

/**
 * Elements that a list has made, by what they are of. One for each list: an element stands in one place, and two viewers may show the
 * same file.
 */
export class Made {
  private readonly byKey = new Map<string, { text: string; element: HTMLElement }>();

  /** An element for a text; the same one as long as the text is the same. */
  kept(key: string, text: string, make: (text: string) => HTMLElement): HTMLElement {
    const known = this.byKey.get(key);
    const entry = known?.text === text ? known : { text, element: make(text) };
    this.byKey.delete(key);
    this.byKey.set(key, entry);
    for (const old of this.byKey.keys()) {
      if (this.byKey.size <= MOST_MADE) break;
      this.byKey.delete(old);
    }
    return entry.element;
  }

  clear(): void {
    this.byKey.clear();
  }
}

/** The part of a message at an index. */
export function part(row: Row, index: number, context: RowContext): TemplateResult | typeof nothing {
  const shown = row.parts[index];
  if (!shown) return nothing;
  switch (shown.kind) {
    case "text":
      return prose(row, shown, index, context);
    case "reasoning":
      return foldable(row, shown, index, context, { label: "Reasoning", className: "reasoning", open: false, body: () => proseOf(row, shown, index, context) });
    case "call":
      return call(row, shown, index, context);
    case "result":
      return result(row, shown, index, context);
    case "image":
      return picture(row, shown);
    default:
      return foldable(row, shown, index, context, { label: shown.name ?? "Data", className: "data", open: false, body: () => treeOf(row, shown, index, context) });
  }
}

const keyOf = (row: Row, index: number, how: string): string => `${row.item}:${index}:${how}`;

function proseOf(row: Row, shown: Part, index: number, context: RowContext): HTMLElement {
  return context.made.kept(keyOf(row, index, "md"), shown.text, (text) => {
    const element = document.createElement("div");
    element.className = "md";
    element.append(markdown(text));
    for (const placeholder of element.querySelectorAll<HTMLElement>(".remote[data-src]")) placeholder.append(" ", elsewhere(placeholder.dataset["src"] ?? ""));
    return element;
  });
}

function treeOf(row: Row, shown: Part, index: number, context: RowContext): HTMLElement {
  return context.made.kept(keyOf(row, index, "json"), shown.text, (text) => (shown.json && shown.text.length === shown.length ? jsonTree(text) : verbatim(text)));
}

function verbatim(text: string): HTMLElement {
  const element = output(text);
  element.dir = "auto";
  fill(element, text);
  return element;
}

/** The box of an output; one that may be higher than it can grow is scrolled, and must be reached by keys. */
function output(text: string): HTMLElement {
  const element = document.createElement("pre");
  element.className = "verbatim";
  // On a phone a line of text is two or three of the screen.
  if (text.length <= LONG_UNITS / 4 && lines(text) <= LONG_LINES / 2) return element;
  element.tabIndex = 0;
  // A group and no region: each open result would be a landmark of the page.
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", "Output");
  return element;
}

/** A result as text: as code where the call says which language it is in. */
function outputOf(row: Row, shown: Part, index: number, context: RowContext, path: string | undefined): HTMLElement {
  if (shown.json || /^\s*[[{]/.test(shown.text)) {
    return context.made.kept(keyOf(row, index, "out"), shown.text, (text) => (shown.text.length === shown.length ? jsonTree(text) : verbatim(text)));
  }
  return context.made.kept(keyOf(row, index, "out"), shown.text, (text) => {
    const language = path === undefined ? undefined : languageOf(path);
    if (language === undefined) return verbatim(text);
    const element = output(text);
    element.append(highlighted(text, language));
    return element;
  });
}

function prose(row: Row, shown: Part, index: number, context: RowContext): TemplateResult {
  const long = shown.length > LONG_UNITS || lines(shown.text) > LONG_LINES;
  const open = !long || (context.open.is(row.item, index) ?? context.expanded);
  return html`
    <div class="part prose ${open ? "" : "is-short"}" data-part=${index}>${proseOf(row, shown, index, context)}</div>
    ${long ? foot(row, shown, index, context, open) : nothing}
  `;
}

function lines(text: string): number {
  let found = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) found++;
  return found;
}

/** Shows all, shows more, shows less. */
function foot(row: Row, shown: Part, index: number, context: RowContext, open: boolean): TemplateResult {
  const whole = shown.text.length >= shown.length;
  const set = (to: boolean): void => {
    context.open.set(row.item, index, to);
    if (to) void context.store.whole(row.item, index);
    context.store.changed();
  };
  return html`<p class="foot">
    <button type="button" class="more" aria-expanded=${open ? "true" : "false"} @click=${() => set(!open)}>${open ? "Show less" : "Show all"}</button>
    ${open && !whole ? html`<button type="button" class="more" @click=${() => void context.store.more(row.item, index)}>Show more</button>` : nothing}
    <span class="quiet num">${whole ? `${count(shown.length)} characters` : `${count(shown.text.length)} of ${count(shown.length)} characters`}</span>
  </p>`;
}

interface Foldable {
  label: unknown;
  className: string;
  open: boolean;
  /** Said beside the label. */
  hint?: unknown;
  body: () => unknown;
}

/** A part behind a line that opens it. */
function foldable(row: Row, shown: Part, index: number, context: RowContext, { label, className, open: first, hint, body }: Foldable): TemplateResult {
  const open = context.open.is(row.item, index) ?? first;
  const toggle = (): void => {
    context.open.set(row.item, index, !open);
    context.store.changed();
  };
  return html`<section class="part fold-up ${className} ${shown.inner ? "is-inner" : ""}" data-part=${index}>
    <button type="button" class="opener" aria-expanded=${open ? "true" : "false"} @click=${toggle}>
      <span class="arrow" aria-hidden="true"></span><span class="label">${label}</span>
      <span class="hint">${hint ?? (open ? nothing : brief(shown))}</span>
    </button>
    ${pairOf(shown, context)}
    ${open ? html`<div class="inside">${body()}${rest(row, shown, index, context)}</div>` : nothing}
  </section>`;
}

/** More of a text that is not there as a whole. */
function rest(row: Row, shown: Part, index: number, context: RowContext): TemplateResult | typeof nothing {
  if (shown.text.length >= shown.length) return nothing;
  return html`<p class="foot">
    <button type="button" class="more" @click=${() => void context.store.more(row.item, index)}>Show more</button>
    <span class="quiet num">${count(shown.text.length)} of ${count(shown.length)} characters</span>
  </p>`;
}

/** The first line of a text. */
function brief(shown: Part): unknown {
  const line = shown.text.slice(0, 400).trim().replace(/\s+/g, " ");
  return line === "" ? nothing : hidden(line, 160);
}

function call(row: Row, shown: Part, index: number, context: RowContext): TemplateResult {
  return foldable(row, shown, index, context, {
    label: html`<span class="kind">call</span> ${hidden(shown.name ?? "")}`,
    className: "call",
    open: false,
    hint: argument(shown),
    body: () => treeOf(row, shown, index, context),
  });
}

/** What most says what a call does: its command, path, query or first text. */
function argument(shown: Part): unknown {
  if (!shown.json || shown.text.length > 20_000) return brief(shown);
  try {
    const value: unknown = JSON.parse(shown.text);
    if (typeof value !== "object" || value === null) return brief(shown);
    const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "");
    const named = texts.find(([key]) => /^(?:command|cmd|file_?path|path|query|pattern|url|description|prompt)$/i.test(key)) ?? texts[0];
    return named ? hidden(named[1].slice(0, 200).replace(/\s+/g, " ")) : brief(shown);
  } catch {
    return brief(shown);
  }
}

function result(row: Row, shown: Part, index: number, context: RowContext): TemplateResult {
  const caller = shown.pair === undefined ? undefined : context.store.row(shown.pair);
  const made = caller?.parts.find((other) => other.kind === "call" && other.id === shown.id);
  const name = shown.name || made?.name || "";
  const inner = innerOf(row, index);
  const first = inner.map((place) => row.parts[place]).find((other) => other !== undefined && other.text !== "");
  return foldable(row, shown, index, context, {
    label: html`<span class="kind">${shown.error ? "failed" : "result"}</span>${name === "" ? nothing : html` ${hidden(name)}`}`,
    className: `result${shown.error ? " is-error" : ""}`,
    open: false,
    ...(shown.length === 0 && first && !(context.open.is(row.item, index) ?? false) ? { hint: brief(first) } : {}),
    body: () => html`${shown.length > 0 ? outputOf(row, shown, index, context, pathOf(made)) : inner.length === 0 ? html`<p class="quiet">Empty</p>` : nothing}
      ${inner.map((place) => within(row, place, context, pathOf(made)))}`,
  });
}

/** Places of the parts that stand inside a result: those right behind it. */
function innerOf(row: Row, index: number): number[] {
  const places: number[] = [];
  for (let place = index + 1; row.parts[place]?.inner; place++) places.push(place);
  return places;
}

/** A part inside a result: its text as output, not as prose. */
function within(row: Row, place: number, context: RowContext, path: string | undefined): unknown {
  const inner = row.parts[place];
  if (!inner) return nothing;
  return inner.kind === "text" ? html`${outputOf(row, inner, place, context, path)}${rest(row, inner, place, context)}` : part(row, place, context);
}

/** The file that a call names. */
function pathOf(made: Part | undefined): string | undefined {
  return made === undefined ? undefined : /"(?:file_?path|path)"\s*:\s*"([^"\\]{1,400})"/.exec(made.text.slice(0, 2_000))?.[1];
}

/** The way from a call to its result and back. */
function pairOf(shown: Part, { store }: RowContext): TemplateResult | typeof nothing {
  if (shown.kind !== "call" && shown.kind !== "result") return nothing;
  const { pair } = shown;
  if (pair === undefined) return html`<span class="pair quiet">${shown.kind === "call" ? "no result" : "no call"}</span>`;
  const label = shown.kind === "call" ? "result" : "call";
  return html`<button type="button" class="pair link num" @click=${() => store.goTo(pair)} title="Go to its ${label}">${label} ${count(pair + 1)}</button>`;
}

/** The way to a picture on another host. */
function elsewhere(address: string): HTMLAnchorElement {
  const link = document.createElement("a");
  // What is no address of the web gets no address here: the worker and the Markdown renderer have looked, this is the last door.
  if (/^https?:\/\//i.test(address)) link.href = address;
  Object.assign(link, { target: "_blank", rel: "noopener noreferrer", referrerPolicy: "no-referrer", textContent: "Open it in a new tab" });
  return link;
}

/**
 * A picture of the file; one on another host is never loaded into the page, whose policy forbids it: a click opens it in a tab of
 * its own, without a referrer.
 */
function picture(row: Row, { image }: Part): TemplateResult {
  if (image && "data" in image) return html`<p class="part picture"><img alt="Picture in message ${row.item + 1}" src=${image.data} decoding="async" loading="lazy"></p>`;
  if (image && "remote" in image) return html`<p class="part picture remote"><span class="quiet">A picture on another host, not loaded:</span> ${hidden(image.remote)} ${elsewhere(image.remote)}</p>`;
  return html`<p class="part picture quiet">${hidden(image?.missing ?? "A picture that is not in the file.")}</p>`;
}
