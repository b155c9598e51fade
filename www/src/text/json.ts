// JSON as a tree that opens level by level. Nothing is kept but the text itself: a level is read from its place in the text when it
// is opened, so numbers are shown as they are written, keys that stand twice are shown twice, and depth costs nothing until seen.

import { fill } from "./hidden.js";
import { count, counted } from "./numbers.js";

export interface JsonOptions {
  /** So many levels are open at first (1). */
  open?: number;
  /** What the tree is called for those who do not see it ("JSON"). */
  label?: string;
}

/** Longer text is not read as JSON; its beginning is shown. 5 MB take about 0.1 s. */
const LONGEST = 20_000_000;

/** Levels that can be opened. What is deeper is shown as text, as nodes inside nodes cost the browser its stack. */
const DEEPEST = 100;

/** Members of one list; longer ones come in groups. */
const GROUP = 100;

/** A string is cut here at first, and then grows by at most so much with each click. */
const CUT = 500;
const STEP = 100_000;

/** So much of what is inside is told beside a level that is closed. */
const PEEK = 72;

/** A place in the text: a value from `start` to `end`; for an object or array with the number of its members. */
interface Span {
  start: number;
  end: number;
  members: number;
}

interface Member extends Span {
  key: string | undefined;
  index: number;
}

/** Members that stand side by side: the first begins at `at` and has the number `index`. */
interface Run {
  at: number;
  index: number;
  members: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const opens = (code: number): boolean => code === 0x7b || code === 0x5b;
const closes = (code: number): boolean => code === 0x7d || code === 0x5d;

/** Reads text that is known to be JSON. */
class Reader {
  constructor(readonly text: string) {}

  code(at: number): number {
    return this.text.charCodeAt(at);
  }

  /** The next place that is neither space nor a comma. */
  next(at: number): number {
    while (isSpace(this.code(at)) || this.code(at) === 0x2c) at++;
    return at;
  }

  /** The end of the string that begins here. */
  #string(at: number): number {
    for (at++; this.code(at) !== QUOTE; at++) if (this.code(at) === BACKSLASH) at++;
    return at + 1;
  }

  /** The end of the number or word that begins here. */
  #word(at: number): number {
    while (at < this.text.length && !isSpace(this.code(at)) && this.code(at) !== 0x2c && !closes(this.code(at))) at++;
    return at;
  }

  /** The value that begins here. Without recursion: any depth will do. */
  value(start: number): Span {
    const first = this.code(start);
    if (first === QUOTE) return { start, end: this.#string(start), members: 0 };
    if (!opens(first)) return { start, end: this.#word(start), members: 0 };
    let members = closes(this.code(this.next(start + 1))) ? 0 : 1;
    let depth = 0;
    for (let at = start; ; at++) {
      const code = this.code(at);
      if (code === QUOTE) at = this.#string(at) - 1;
      else if (opens(code)) depth++;
      else if (closes(code) && --depth === 0) return { start, end: at + 1, members };
      else if (code === 0x2c && depth === 1) members++;
    }
  }

  /** The members of a run, one after the other. */
  *members(run: Run, named: boolean): Generator<Member> {
    let at = run.at;
    for (let i = 0; i < run.members; i++) {
      at = this.next(at);
      let key: string | undefined;
      if (named) {
        const end = this.#string(at);
        key = JSON.parse(this.text.slice(at, end)) as string;
        at = end;
        while (isSpace(this.code(at)) || this.code(at) === 0x3a) at++;
      }
      const span = this.value(at);
      yield { ...span, key, index: run.index + i };
      at = span.end;
    }
  }

  /** A run in pieces of so many members. */
  groups(run: Run, size: number, named: boolean): Run[] {
    const found: Run[] = [];
    let at = run.at;
    let seen = 0;
    for (const member of this.members(run, named)) {
      if (seen % size === 0) found.push({ at, index: member.index, members: Math.min(size, run.members - seen) });
      seen++;
      at = member.end;
    }
    return found;
  }
}

function make<T extends keyof HTMLElementTagNameMap>(tag: T, className: string, text?: string): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Text of the transcript. */
function written(className: string, text: string): HTMLElement {
  const span = make("span", className);
  fill(span, text, 50);
  return span;
}

/** Not in the middle of a pair of surrogates. */
const whole = (text: string, at: number): number => (/[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at + 1 : at);

/** A long text: its beginning, and a button for more of it. */
function long(element: HTMLElement, text: string, first = CUT): void {
  if (text.length <= first) {
    fill(element, text);
    return;
  }
  let end = whole(text, first);
  fill(element, text.slice(0, end));
  const button = make("button", "more");
  button.type = "button";
  const name = (): void => {
    const rest = text.length - end;
    button.textContent = rest <= STEP ? `Show all ${count(text.length)} characters` : `Show ${count(STEP)} more of ${count(text.length)} characters`;
  };
  button.addEventListener("click", () => {
    const to = Math.min(text.length, whole(text, end + STEP));
    const more = make("span", "");
    fill(more, text.slice(end, to));
    end = to;
    button.before(more);
    if (end >= text.length) button.remove();
    else name();
  });
  name();
  element.append(button);
}

/** A string on one line is shown as it is written in JSON, so that a quote in it does not end it; with lines it is a box of its own. */
function string(value: string): HTMLElement {
  const lines = value.includes("\n");
  const element = make(lines ? "div" : "span", lines ? "string lines" : "string");
  element.dir = lines ? "auto" : "ltr";
  long(element, lines ? value.replaceAll("\r\n", "\n") : `"${value.replace(/["\\]/g, "\\$&")}"`);
  return element;
}

class Tree {
  readonly #reader: Reader;
  readonly #open: number;

  constructor(text: string, open: number) {
    this.#reader = new Reader(text);
    this.#open = open;
  }

  root(): HTMLElement {
    const span = this.#reader.value(this.#reader.next(0));
    const list = make("ul", "");
    list.append(this.#item({ ...span, key: undefined, index: 0 }, 0, false));
    return list;
  }

  #isObject(span: Span): boolean {
    return this.#reader.code(span.start) === 0x7b;
  }

  /** One member: its name, and a value or a level that opens. */
  #item(member: Member, depth: number, twice: boolean): HTMLElement {
    const item = make("li", "");
    const name = this.#name(member, twice);
    if (member.members === 0) {
      item.append(...name, this.#scalar(member));
    } else if (depth >= DEEPEST) {
      const text = make("span", "deep");
      long(text, this.#reader.text.slice(member.start, member.end));
      item.append(...name, text, make("span", "note", `deeper than ${DEEPEST} levels: shown as text`));
    } else {
      item.append(this.#level(member, name, depth));
    }
    return item;
  }

  #name(member: Member, twice: boolean): Node[] {
    if (member.key === undefined) return [];
    const key = written("key", `"${member.key.replace(/["\\]/g, "\\$&")}"`);
    const nodes: Node[] = [key, make("span", "colon", ": ")];
    if (twice) nodes.push(make("span", "note", "this key stands more than once"), document.createTextNode(" "));
    return nodes;
  }

  #scalar(span: Span): HTMLElement {
    const text = this.#reader.text.slice(span.start, span.end);
    if (text.startsWith('"')) return string(JSON.parse(text) as string);
    if (opens(text.charCodeAt(0))) return make("span", "brace", text.startsWith("{") ? "{}" : "[]");
    const element = make("span", /^[-\d]/.test(text) ? "number" : "word");
    long(element, text);
    return element;
  }

  #level(member: Member, name: Node[], depth: number): HTMLElement {
    const object = this.#isObject(member);
    const summary = make("summary", "");
    const [left, right] = object ? ["{", "}"] : ["[", "]"];
    summary.append(...name, make("span", "brace", left), written("peek", this.#peek(member)), make("span", "brace close", right), " ", make("span", "size", counted(member.members, object ? "key" : "item")));
    const run = { at: member.start + 1, index: 0, members: member.members };
    return this.#details(summary, depth < this.#open, () => this.#list(run, depth + 1, object, object ? this.#repeated(run) : new Set()));
  }

  /** The beginning of what is inside, on one line. */
  #peek(span: Span): string {
    const end = Math.min(span.end - 1, span.start + 1 + PEEK * 4);
    const text = this.#reader.text.slice(span.start + 1, end).replace(/\s+/g, " ").trim();
    return text.length > PEEK || end < span.end - 1 ? ` ${text.slice(0, whole(text, PEEK))}… ` : ` ${text} `;
  }

  /** The keys that stand more than once. */
  #repeated(run: Run): Set<string> {
    const seen = new Set<string>();
    const twice = new Set<string>();
    for (const { key = "" } of this.#reader.members(run, true)) (seen.has(key) ? twice : seen).add(key);
    return twice;
  }

  /** The members of a level; many of them in groups, and many groups in groups of groups. */
  #list(run: Run, depth: number, object: boolean, twice: Set<string>): HTMLElement {
    const list = make("ul", "");
    if (run.members <= GROUP) {
      for (const member of this.#reader.members(run, object)) list.append(this.#item(member, depth, twice.has(member.key ?? "")));
      return list;
    }
    let size = GROUP;
    while (run.members / size > GROUP) size *= GROUP;
    for (const group of this.#reader.groups(run, size, object)) {
      const summary = make("summary", "");
      summary.append(make("span", "range", `${count(group.index + 1)} – ${count(group.index + group.members)}`));
      const item = make("li", "");
      item.append(this.#details(summary, false, () => this.#list(group, depth, object, twice)));
      list.append(item);
    }
    return list;
  }

  /** What is inside is made when it is first opened. */
  #details(summary: HTMLElement, open: boolean, inside: () => HTMLElement): HTMLElement {
    const details = make("details", "");
    details.append(summary);
    let made = false;
    const build = (): void => {
      if (made || !details.open) return;
      made = true;
      details.append(inside());
    };
    details.addEventListener("toggle", build);
    details.open = open;
    build();
    return details;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Text that is no JSON, or too long to be read as such. */
function unread(text: string): HTMLElement {
  const pre = make("pre", "plain");
  pre.dir = "auto";
  long(pre, text, STEP);
  return pre;
}

/** JSON as a tree; text that is no JSON as text. */
export function jsonTree(text: string, options: JsonOptions = {}): HTMLElement {
  const box = make("div", "json");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", options.label ?? "JSON");
  if (text.length > LONGEST) box.append(make("p", "note", `${count(text.length)} characters are too many for a tree`), unread(text));
  else if (isJson(text)) box.append(new Tree(text, options.open ?? 1).root());
  else box.append(unread(text));
  return box;
}
