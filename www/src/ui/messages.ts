// The list of messages: only those near the screen exist, each as high as it is.

import { css, html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { ref } from "lit/directives/ref.js";
import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from "@tanstack/virtual-core";
import type { VirtualItem } from "@tanstack/virtual-core";
import type { Hit, Row } from "../protocol.js";
import { plain } from "../text/hidden.js";
import { codeOf } from "../text/highlight.js";
import { StoreView, common } from "./base.js";
import { Made, Opened } from "./part.js";
import { firstMatch, highlightIn } from "./found.js";
import { row } from "./row.js";
import type { RowContext } from "./row.js";
import { rowStyles } from "./row.styles.js";

/** Rows that exist beyond both edges of the screen. */
const BEYOND = 6;
/** Rows that are asked for beyond both edges: a fling of the wheel shall find them. */
const AHEAD = 40;

/** Frames that are waited for a row to be drawn. */
const MOST_FRAMES = 60;

/** Messages in an order; `items` says which. */
export class MessagesView extends StoreView {
  static override readonly properties = { ...StoreView.properties, items: { attribute: false }, label: { attribute: false }, linkTo: { attribute: false }, main: { attribute: false }, expanded: { attribute: false } };
  static override readonly styles = [...common, rowStyles, css`
    :host { display: block; min-height: 0; height: 100%; }
    .scroller { height: 100%; overflow: auto; overflow-anchor: none; scrollbar-gutter: stable; contain: strict; }
    .space { position: relative; width: 100%; }
    .placed { position: absolute; inset-inline: 0; top: 0; contain: layout style; }
    ::highlight(plica-found) { background: light-dark(#ffe08a, #6b5716); color: inherit; }
    .empty { padding: 48px 24px; text-align: center; color: var(--quiet); }
  `];

  declare items: ArrayLike<number>;
  declare label: string;
  declare linkTo: (item: number) => string;
  /** The list that follows the address and tells the timeline what is on the screen. */
  declare main: boolean;
  /** Long prose is shown whole at first: for a digest beside its originals. */
  declare expanded: boolean;

  private readonly open = new Opened();
  private readonly made = new Made();
  private virtual: Virtualizer<HTMLElement, HTMLElement> | undefined;
  private unmount: (() => void) | undefined;
  private places = new Map<number, number>();
  private shownOf: unknown;
  private waiting: number | undefined;

  constructor() {
    super();
    this.items = [];
    this.label = "Messages";
    this.linkTo = (item) => `#m=${item + 1}`;
    this.main = false;
    this.expanded = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.unmount?.();
    this.unmount = undefined;
    this.virtual = undefined;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (this.shownOf !== this.store.opened) {
      this.shownOf = this.store.opened;
      this.open.clear();
      this.made.clear();
      this.virtual?.measure();
      // Where the store is by now: it may have been sent to a message before this list was there to hear of it.
      this.waiting = this.store.item;
    }
    if (!changed.has("items")) return;
    const { items } = this;
    this.places = new Map(Array.from(items, (item, place) => [item, place]));
    this.keyOf = (place) => items[place] ?? -1 - place;
  }

  protected override firstUpdated(): void {
    this.requestUpdate();
  }

  protected override updated(): void {
    const { virtual } = this;
    if (!virtual) return;
    virtual._willUpdate();
    this.ask(virtual.getVirtualItems());
    if (this.main) highlightIn(this.renderRoot, this.store.search?.query);
    if (this.waiting === undefined || this.items.length === 0) return;
    const place = this.places.get(this.waiting);
    this.waiting = undefined;
    // The library goes on correcting the way to an index for a while, against whoever scrolls: to the top there is nothing to correct.
    if (place === 0) virtual.scrollToOffset(0);
    else if (place !== undefined) virtual.scrollToIndex(place, { align: "start" });
  }

  /** The list of a file that is still being read. */
  private get previewed(): readonly Row[] {
    return this.main && !this.store.opened ? this.store.preview : [];
  }

  /** Changes with the items only: another function makes the library measure anew, all of 100,000. */
  private keyOf = (place: number): number => this.items[place] ?? -1 - place;

  private prepare(scroller: HTMLElement): Virtualizer<HTMLElement, HTMLElement> {
    const options = {
      count: this.items.length || this.previewed.length,
      getScrollElement: () => scroller,
      estimateSize: this.estimated,
      getItemKey: this.keyOf,
      overscan: BEYOND,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: () => this.requestUpdate(),
      useAnimationFrameWithResizeObserver: true,
    };
    if (this.virtual) this.virtual.setOptions({ ...this.virtual.options, ...options });
    else {
      this.virtual = new Virtualizer<HTMLElement, HTMLElement>(options);
      this.unmount = this.virtual._didMount();
    }
    return this.virtual;
  }

  /** A height to begin with: what is long is folded up, so that it is bounded. */
  private readonly estimated = (place: number): number => {
    const tokens = this.store.opened?.tokens[this.items[place] ?? 0] ?? 60;
    return Math.min(480, 76 + tokens * 0.4);
  };

  protected override render(): TemplateResult {
    const scroller = this.renderRoot.querySelector<HTMLElement>(".scroller");
    const virtual = scroller ? this.prepare(scroller) : undefined;
    const shown = virtual?.getVirtualItems() ?? [];
    const total = this.items.length || this.previewed.length;
    return html`<div class="scroller" role="feed" aria-label=${this.label} aria-busy=${this.store.opening ? "true" : "false"} tabindex="-1"
        @keydown=${this.key} @focusin=${this.focused} @scroll=${this.scrolled} @click=${this.clicked}>
      <div class="space" .style=${`height:${virtual?.getTotalSize() ?? 0}px`}>
        ${repeat(shown, (item) => item.key, (item) => this.placed(item, total))}
      </div>
      ${total === 0 && !this.store.opening ? html`<p class="empty">No messages to show here.</p>` : nothing}
    </div>`;
  }

  private placed({ index, start }: VirtualItem, total: number): TemplateResult {
    const item = this.items[index];
    const shown = item === undefined ? this.previewed[index] : this.store.row(item);
    const { store } = this;
    const current = item === store.item;
    const planned = item === undefined ? undefined : store.fate(item);
    const kind = shown?.fold != null ? "digest" : (planned?.fate ?? "out");
    return html`<article class="placed row is-${kind} ${current ? "is-current" : ""} ${shown?.parts.some(({ error }) => error) ? "has-error" : ""}"
        data-index=${index} data-item=${item ?? index} tabindex=${current || (index === 0 && !this.places.has(store.item)) ? 0 : -1}
        aria-posinset=${index + 1} aria-setsize=${total} aria-label=${`Message ${(item ?? index) + 1}${shown ? `, ${shown.fold === null ? plain(shown.role) : "digest"}` : ""}${planned ? `, ${planned.fate}` : ""}`}
        .style=${`transform:translateY(${start}px)`}
        ${ref(this.measured)}>
      ${shown ? row(shown, this.context) : html`<div class="skeleton" aria-hidden="true"></div>`}
    </article>`;
  }

  /** One function for all: another one at each drawing would have each row measured each time, which lays the page out. */
  private readonly measured = (element: Element | undefined): void => {
    if (element) this.virtual?.measureElement(element as HTMLElement);
  };

  private get context(): RowContext {
    return { store: this.store, open: this.open, made: this.made, expanded: this.expanded, link: this.linkTo, copy: (text, what) => this.copy(text, what) };
  }

  private copy(text: string | Promise<string>, what: string): void {
    this.dispatchEvent(new CustomEvent("copy-text", { detail: { text, what }, bubbles: true, composed: true }));
  }

  private ask(shown: readonly VirtualItem[]): void {
    const first = shown[0]?.index;
    const last = shown.at(-1)?.index;
    if (first === undefined || last === undefined || this.items.length === 0) return;
    const from = Math.max(0, first - AHEAD);
    const to = Math.min(this.items.length - 1, last + AHEAD);
    this.store.need(Array.from({ length: to - from + 1 }, (_, i) => this.items[from + i] ?? 0));
    if (this.main) this.tell();
    if (this.expanded) this.complete(shown);
  }

  private complete(shown: readonly VirtualItem[]): void {
    for (const { index } of shown) {
      const item = this.items[index] ?? 0;
      this.store.row(item)?.parts.forEach((part, place) => { if (part.kind === "text") void this.store.whole(item, place); });
    }
  }

  /** Tells the timeline which messages are on the screen. */
  private tell(): void {
    const { virtual } = this;
    if (!virtual) return;
    const top = virtual.scrollOffset ?? 0;
    const bottom = top + (virtual.scrollRect?.height ?? 0);
    const inside = virtual.getVirtualItems().filter(({ start, end }) => end > top && start < bottom);
    const places = inside.map(({ index }) => this.items[index] ?? 0);
    if (places.length === 0) return;
    this.store.see(places.reduce((a, b) => Math.min(a, b)), places.reduce((a, b) => Math.max(a, b)));
  }

  /** The copy buttons of code blocks. */
  private readonly clicked = (event: Event): void => {
    const block = (event.target as HTMLElement).closest("[data-copy]")?.closest(".code");
    const code = block ? codeOf(block) : undefined;
    if (code !== undefined) this.copy(code, "Code");
  };

  private readonly scrolled = (): void => {
    if (this.main) this.tell();
  };

  protected override goTo(item: number): void {
    this.waiting = item;
    this.requestUpdate();
  }

  /** Opens the part that a hit is in, and brings the match itself onto the screen. */
  protected override reveal({ item, part }: Hit): void {
    if (!this.places.has(item)) return;
    // What stands inside a result is seen when the result is open.
    let holder = part;
    while (this.store.row(item)?.parts[holder]?.inner) holder--;
    this.open.set(item, holder, true);
    this.store.changed();
    void this.showMatch(item, holder);
  }

  /** Once the list has come to rest at the message: the way to the match itself. */
  private async showMatch(item: number, part: number): Promise<void> {
    const element = await this.settledAt(item);
    const range = element && firstMatch(element.querySelector(`[data-part="${part}"]`) ?? element, this.store.search?.query);
    const scroller = this.renderRoot.querySelector<HTMLElement>(".scroller");
    if (!scroller || !range) return;
    const box = range.startContainer.parentElement?.closest<HTMLElement>(".verbatim, .json");
    if (box && box.scrollHeight > box.clientHeight) box.scrollTop += range.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
    const { top, bottom } = range.getBoundingClientRect();
    const screen = scroller.getBoundingClientRect();
    if (top < screen.top || bottom > screen.bottom) this.virtual?.scrollToOffset(scroller.scrollTop + top - screen.top - screen.height / 3);
  }

  /** The row of a message, once it is drawn and stands still; undefined when that does not come. */
  private async settledAt(item: number): Promise<HTMLElement | undefined> {
    let [still, last] = [0, NaN];
    for (let frame = 0; frame < MOST_FRAMES; frame++) {
      await new Promise((done) => requestAnimationFrame(done));
      const element = this.renderRoot.querySelector<HTMLElement>(`[data-item="${item}"]`);
      const top = element?.getBoundingClientRect().top ?? NaN;
      still = top === last ? still + 1 : 0;
      last = top;
      if (element && still >= 3) return element;
    }
    return undefined;
  }

  /** Shows a message and moves the focus to it. */
  async focusItem(item: number): Promise<void> {
    const place = this.places.get(item);
    if (place === undefined) return;
    this.store.attend(item);
    this.virtual?.scrollToIndex(place, { align: "auto" });
    // The row comes into being as the list scrolls there.
    for (let frame = 0; frame < MOST_FRAMES; frame++) {
      await new Promise((done) => requestAnimationFrame(done));
      const element = this.renderRoot.querySelector<HTMLElement>(`[data-item="${item}"]`);
      if (!element) continue;
      element.focus({ preventScroll: true });
      return;
    }
  }

  private readonly focused = (event: FocusEvent): void => {
    const element = (event.target as HTMLElement).closest<HTMLElement>(".row");
    if (element && this.items.length > 0) this.store.attend(Number(element.dataset["item"]));
  };

  /** The keys of a feed: from message to message, from page to page, to both ends. */
  private readonly key = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.ctrlKey) return this.leave(event);
    const element = event.target as HTMLElement;
    const at = this.places.get(this.store.item) ?? 0;
    const onRow = element.classList.contains("row") || element.classList.contains("scroller");
    const inFeed: Record<string, number> = { PageDown: at + 1, PageUp: at - 1 };
    const onRowOnly: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, j: at + 1, k: at - 1, Home: 0, End: this.items.length - 1 };
    const next = inFeed[event.key] ?? (onRow ? onRowOnly[event.key] : undefined);
    if (next === undefined) return this.openAll(event, element);
    event.preventDefault();
    const place = Math.min(this.items.length - 1, Math.max(0, next));
    void this.focusItem(this.items[place] ?? 0);
  };

  private leave(event: KeyboardEvent): void {
    const where = { End: "after", Home: "before" }[event.key];
    if (where === undefined) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent("leave-list", { detail: where, bubbles: true, composed: true }));
  }

  /** Enter on a message opens all of its parts, or closes them. */
  private openAll(event: KeyboardEvent, element: HTMLElement): void {
    if (event.key !== "Enter" || !element.classList.contains("row")) return;
    event.preventDefault();
    const item = Number(element.dataset["item"]);
    const parts = this.store.row(item)?.parts ?? [];
    const open = !parts.some((_, index) => this.open.is(item, index) === true);
    parts.forEach((_, index) => this.open.set(item, index, open));
    this.store.changed();
  }
}
