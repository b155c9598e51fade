// The list of messages: only rows near the screen exist. Rows have one height, open ones their own.

import { ask } from "./client.js";
import { makeRow, paintBody, paintFate } from "./row.js";
import { make } from "./text.js";

/**
 * @typedef {import("./row.js").Row} Row
 * @typedef {import("./view.js").Body} Body
 * @typedef {import("./view.js").Line} Line
 * @typedef {{ lines: Line[], tokens: Uint32Array }} Messages
 * @typedef {{ fateOf(index: number): string, reasonOf(index: number): string, cut: number, digest: string }} Fates
 */

/** Rows beyond both edges of the screen. */
const MARGIN = 8;
/** Rows that a page key moves by. */
const PAGE = 10;

export class MessageList {
  /** @type {Messages} */
  #messages = { lines: [], tokens: new Uint32Array() };
  /** @type {Fates | undefined} */
  #fates;
  /** Rows in the page. @type {Map<number, Row>} */
  #rows = new Map();
  /** Open messages; null while their body is on its way. @type {Map<number, Body | null>} */
  #open = new Map();
  /** What open messages need beyond the height of a line. @type {Map<number, number>} */
  #extra = new Map();
  /** The message that the tab key reaches. */
  #active = 0;
  #rowHeight = 56;
  #opening = 0;
  #frame = 0;
  #divider = make("div", "divider");
  #sizes = new ResizeObserver((entries) => this.#measure(entries));

  /**
   * @param {HTMLElement} root
   * @param {() => number} covered height of what covers the top of the screen
   * @param {(first: number, last: number) => void} moved told which messages are on the screen
   */
  constructor(root, covered, moved) {
    this.root = root;
    this.covered = covered;
    this.moved = moved;
    this.#divider.setAttribute("aria-hidden", "true");
    addEventListener("scroll", () => this.#soon(), { passive: true });
    addEventListener("resize", () => this.#soon());
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("focusin", (event) => this.#focused(event));
  }

  /** Shows other messages. @param {Messages} messages */
  show(messages) {
    this.#messages = messages;
    this.#fates = undefined;
    this.#open.clear();
    this.#extra.clear();
    this.#active = 0;
    this.#opening++;
    this.#sizes.disconnect();
    this.#rows.clear();
    this.root.replaceChildren(this.#divider);
    this.#render();
  }

  /** Shows other fates. @param {Fates} fates */
  paint(fates) {
    this.#fates = fates;
    for (const [index, row] of this.#rows) paintFate(row, fates.fateOf(index), fates.reasonOf(index));
    this.#placeDivider();
  }

  /** Brings a message to the top of the screen. @param {number} index */
  reveal(index) {
    const y = this.root.getBoundingClientRect().top + scrollY + this.#top(index) - this.covered();
    scrollTo({ top: Math.max(0, y), behavior: "instant" });
    this.#active = index;
    this.#render();
  }

  get #size() {
    return this.#messages.lines.length;
  }

  /** Where a row begins. @param {number} index */
  #top(index) {
    let top = index * this.#rowHeight;
    for (const [open, extra] of this.#extra) if (open < index) top += extra;
    return top;
  }

  /** The row at a height. @param {number} y */
  #at(y) {
    let low = 0;
    let high = Math.max(0, this.#size - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #soon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  #render() {
    if (this.#size === 0) return;
    this.#rowHeight = parseFloat(getComputedStyle(this.root).getPropertyValue("--row")) * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const offset = this.root.getBoundingClientRect().top;
    const first = this.#at(Math.max(0, this.covered() - offset));
    const last = this.#at(Math.max(0, innerHeight - offset));
    const wanted = this.#wanted(Math.max(0, first - MARGIN), Math.min(this.#size - 1, last + MARGIN));
    this.#drop(wanted);
    for (const index of wanted) if (!this.#rows.has(index)) this.#add(index);
    this.#place();
    this.moved(first, last);
  }

  /** Indices to have: those near the screen, and the one with the focus. @param {number} from @param {number} to */
  #wanted(from, to) {
    const wanted = new Set(Array.from({ length: to - from + 1 }, (_, i) => from + i));
    for (const [index, { element }] of this.#rows) if (element.contains(document.activeElement)) wanted.add(index);
    return wanted;
  }

  /** @param {Set<number>} wanted */
  #drop(wanted) {
    for (const [index, { element }] of this.#rows) {
      if (wanted.has(index)) continue;
      this.#sizes.unobserve(element);
      element.remove();
      this.#rows.delete(index);
    }
  }

  /** @param {number} index */
  #add(index) {
    const row = makeRow(index, /** @type {Line} */ (this.#messages.lines[index]), this.#messages.tokens[index] ?? 0);
    row.element.dataset.index = String(index);
    row.element.setAttribute("aria-setsize", String(this.#size));
    row.element.setAttribute("aria-posinset", String(index + 1));
    row.button.addEventListener("click", () => void this.#toggle(index));
    paintBody(row, index, this.#open.get(index));
    if (this.#fates) paintFate(row, this.#fates.fateOf(index), this.#fates.reasonOf(index));
    this.#rows.set(index, row);
    this.root.insertBefore(row.element, this.#following(index));
    this.#sizes.observe(row.element);
  }

  /** The element that comes after a new row: screen readers follow the order of the page. @param {number} index */
  #following(index) {
    let best = Infinity;
    for (const other of this.#rows.keys()) if (other > index && other < best) best = other;
    return this.#rows.get(best)?.element ?? null;
  }

  #place() {
    this.root.style.height = `${this.#top(this.#size)}px`;
    const reached = this.#rows.has(this.#active) ? this.#active : Math.min(...this.#rows.keys());
    for (const [index, { element, button }] of this.#rows) {
      element.style.top = `${this.#top(index)}px`;
      button.tabIndex = index === reached ? 0 : -1;
    }
    this.#placeDivider();
  }

  #placeDivider() {
    const { cut = 0, digest = "" } = this.#fates ?? {};
    this.#divider.hidden = digest === "";
    this.#divider.dataset.label = digest;
    this.#divider.style.top = `${this.#top(cut)}px`;
  }

  /** @param {ResizeObserverEntry[]} entries */
  #measure(entries) {
    let changed = false;
    for (const { target } of entries) {
      const index = Number(/** @type {HTMLElement} */ (target).dataset.index);
      const extra = this.#open.has(index) ? Math.max(0, target.getBoundingClientRect().height - this.#rowHeight) : 0;
      if ((this.#extra.get(index) ?? 0) === extra) continue;
      if (extra === 0) this.#extra.delete(index);
      else this.#extra.set(index, extra);
      changed = true;
    }
    if (changed) this.#render();
  }

  /** @param {number} index */
  async #toggle(index) {
    if (this.#open.delete(index)) return this.#repaint(index);
    const opening = this.#opening;
    this.#open.set(index, null);
    this.#repaint(index);
    const body = await ask("body", index, 0).catch(() => null);
    if (opening !== this.#opening || !this.#open.has(index)) return;
    this.#open.set(index, body);
    this.#repaint(index);
  }

  /** @param {number} index */
  #repaint(index) {
    const row = this.#rows.get(index);
    if (row) paintBody(row, index, this.#open.get(index));
    else if (!this.#open.has(index)) this.#extra.delete(index);
  }

  /** @param {FocusEvent} event */
  #focused({ target }) {
    const row = /** @type {HTMLElement} */ (target).closest(".row");
    if (row instanceof HTMLElement) this.#active = Number(row.dataset.index);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!target.classList.contains("line") || event.altKey || event.ctrlKey || event.metaKey) return;
    const now = this.#active;
    const next = { ArrowDown: now + 1, ArrowUp: now - 1, PageDown: now + PAGE, PageUp: now - PAGE, Home: 0, End: this.#size - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.#goTo(Math.min(this.#size - 1, Math.max(0, next)));
  }

  /** Moves the focus. @param {number} index */
  #goTo(index) {
    const top = this.root.getBoundingClientRect().top + this.#top(index);
    const low = this.covered();
    if (top < low) scrollBy({ top: top - low, behavior: "instant" });
    else if (top + this.#rowHeight > innerHeight) scrollBy({ top: top + this.#rowHeight - innerHeight, behavior: "instant" });
    this.#active = index;
    this.#render();
    this.#rows.get(index)?.button.focus({ preventScroll: true });
  }
}
