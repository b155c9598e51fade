// <plica-viewer>: opens a session and shows what the agent saw.

import { LitElement, css, html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";
import { ViewerError } from "./client.js";
import type { Places } from "./client.js";
import { Store, sentence } from "./store.js";
import type { View } from "./store.js";
import { plain } from "./text/hidden.js";
import { bytes, count, counted } from "./text/numbers.js";
import { common } from "./ui/base.js";
import type { StoreView } from "./ui/base.js";
import { FoldDetail } from "./ui/fold.js";
import { hidden } from "./ui/hidden.js";
import { MessagesView } from "./ui/messages.js";
import { PlannerView } from "./ui/planner.js";
import { SideView } from "./ui/side.js";
import { TimelineView } from "./ui/timeline.js";

/** What can be opened: a file's bytes or text, or messages (a value that has a JSON form). */
export type Source = Blob | ArrayBuffer | Uint8Array | string | object;

/** Details of the event `plica-open`. */
export interface OpenDetail {
  name: string;
  kind: string;
  messages: number;
  folds: number;
}

/** The first bytes of a file that tell a ledger from a session: a ledger's JSON begins with its mark. */
const MARK_BYTES = 64;

/**
 * The viewer as an element. It fills the box that it is given; text of a transcript never runs in it, and it sends nothing
 * anywhere.
 *
 * @fires plica-open - `detail` is {@link OpenDetail}
 * @fires plica-error - `detail` is `{ code, message }`
 * @fires plica-select - `detail` is `{ item }`: the message that is looked at, counted from 0
 * @example
 * <plica-viewer src="/sessions/today.jsonl"></plica-viewer>
 * @example
 * await document.querySelector("plica-viewer").open(file, { ledger });
 */
export class PlicaViewer extends LitElement {
  static override readonly properties = {
    src: { type: String },
    ledgerSrc: { type: String, attribute: "ledger" },
    theme: { type: String, reflect: true },
    sideOpen: { state: true },
    helpOpen: { state: true },
    said: { state: true },
    dragging: { state: true },
  };
  static override readonly styles = [...common, css`
    :host { display: grid; grid-template-rows: auto auto auto minmax(0, 1fr); height: 100%; min-height: 320px; background: var(--ground); color-scheme: light dark; container-type: inline-size; position: relative; overflow: hidden; }
    :host([theme="light"]) { color-scheme: light; }
    :host([theme="dark"]) { color-scheme: dark; }
    .bar { grid-row: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px; padding: 8px 20px; background: var(--surface); }
    .file { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 10px; min-width: 0; }
    .file strong { font-size: 14px; overflow-wrap: anywhere; }
    .choice { display: inline-flex; }
    .choice button { border-radius: 0; }
    .choice button:first-child { border-radius: 6px 0 0 6px; }
    .choice button:last-child { border-radius: 0 6px 6px 0; border-inline-start: 0; }
    .choice button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
    .tools { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; margin-inline-start: auto; }
    .tools input[type="search"] { width: 22ch; padding: 4px 8px; }
    .jump { width: 9ch; }
    .alert { grid-row: 3; display: flex; gap: 12px; align-items: baseline; padding: 6px 20px; background: var(--bad-soft); color: var(--bad); }
    .alert span { flex: 1; overflow-wrap: anywhere; }
    .progress { position: absolute; inset-inline: 0; top: 0; height: 3px; z-index: 4; appearance: none; width: 100%; border: 0; background: transparent; }
    .progress::-webkit-progress-bar { background: transparent; }
    .progress::-webkit-progress-value { background: var(--accent); }
    .progress::-moz-progress-bar { background: var(--accent); }
    plica-timeline { grid-row: 2; }
    .body { grid-row: 4; display: grid; grid-template-columns: minmax(0, 1fr) minmax(300px, 380px); min-height: 0; }
    .main { min-height: 0; min-width: 0; }
    .side { min-height: 0; border-inline-start: 1px solid var(--line); }
    .start { grid-row: 4; display: grid; place-content: center; gap: 14px; padding: 24px; text-align: center; }
    .drop { padding: 40px 56px; border: 2px dashed var(--line); border-radius: 14px; background: var(--surface); display: grid; gap: 10px; justify-items: center; }
    .veil { position: absolute; inset: 12px; z-index: 5; display: grid; place-content: center; border: 2px dashed var(--accent); border-radius: 14px; background: color-mix(in srgb, var(--surface) 88%, transparent); font-size: 18px; pointer-events: none; }
    .start h2 { font-size: 22px; letter-spacing: -.01em; }
    .loading { grid-row: 4; min-height: 0; display: grid; grid-template-rows: auto 1fr; }
    .loading p { padding: 8px 20px; background: var(--surface); border-bottom: 1px solid var(--line); }
    .toast { position: absolute; bottom: 16px; left: 50%; transform: translateX(-50%); z-index: 6; padding: 6px 14px; border-radius: 8px; background: var(--text); color: var(--surface); }
    .toggle { display: none; }
    dialog { border: 1px solid var(--line); border-radius: 12px; padding: 20px 24px; background: var(--raised); color: var(--text); max-width: min(480px, 90%); }
    dialog::backdrop { background: rgb(0 0 0 / .35); }
    dialog dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 12px 0; }
    kbd { padding: 1px 6px; border: 1px solid var(--line); border-radius: 4px; background: var(--soft); font: 12px var(--mono); }
    @container (max-width: 900px) {
      .body { grid-template-columns: minmax(0, 1fr); }
      .toggle { display: inline-block; }
      .side { position: absolute; inset-block: 0; inset-inline-end: 0; width: min(420px, 94%); z-index: 3; box-shadow: -8px 0 24px rgb(0 0 0 / .18); display: none; grid-template-rows: minmax(0, 1fr) auto; }
      .side.is-open { display: grid; background: var(--surface); }
      .side .close { display: block; margin: 8px 20px; }
    }
    .close { display: none; }
    .skip { position: absolute; top: 4px; inset-inline-start: 50%; z-index: 6; transform: translateY(-80px); }
    .skip:focus { transform: none; }
    @container (max-width: 640px) {
      .bar { padding: 6px 12px; }
      .bar.has-file .file .quiet, .bar.has-file .help, .bar.has-file .jump { display: none; }
      .has-file .file { flex: 1 1 60%; }
      .file strong { display: -webkit-box; -webkit-line-clamp: 1; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; }
      .has-file .tools { margin-inline-start: 0; flex: 1 1 100%; flex-wrap: nowrap; min-width: 0; }
      .tools form { flex: 1; min-width: 0; }
      .tools input[type="search"] { width: 100%; min-width: 0; }
      .drop { padding: 28px 20px; }
    }
  `];

  /** Address of a session on the same origin. */
  declare src: string | null;
  /** Address of the ledger that belongs to it. */
  declare ledgerSrc: string | null;
  /** `light`, `dark`, or as the system has it. */
  declare theme: string | null;
  declare private sideOpen: boolean;
  declare private helpOpen: boolean;
  declare private said: string;
  declare private dragging: boolean;

  /** Where the worker and the core are, when a bundler put them elsewhere: set it before the first file is opened. */
  get places(): Places {
    // Made when it is asked for: where `import.meta.url` is nothing, a page that says the places itself shall work. Bundlers look for
    // exactly this form of both addresses.
    return (this.ownPlaces ??= { worker: new URL("./worker.js", import.meta.url), core: new URL("./plica.wasm", import.meta.url) });
  }

  set places(places: Places) {
    this.ownPlaces = places;
  }

  private ownPlaces: Places | undefined;

  /** The address that reopens a message: `#m=120` of the page, unless a page has addresses of its own. */
  linkTo: (item: number) => string = (item) => `${location.href.replace(/#.*$/, "")}#m=${item + 1}`;

  private readonly store = new Store(() => this.places);
  private lastItem = -1;
  private toastTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.src = null;
    this.ledgerSrc = null;
    this.theme = null;
    this.sideOpen = false;
    this.helpOpen = false;
    this.said = "";
    this.dragging = false;
    this.store.addEventListener("change", () => this.changed());
    this.store.addEventListener("opened", () => this.wasOpened());
    this.store.addEventListener("failed", (event) => this.failed((event as CustomEvent).detail));
    this.addEventListener("keydown", (event) => this.press(event));
    this.addEventListener("leave-list", (event) => this.leaveList((event as CustomEvent<"before" | "after">).detail));
    this.addEventListener("dragover", (event) => this.dragged(event));
    this.addEventListener("dragleave", (event) => { if (!this.contains(event.relatedTarget as Node | null)) this.dragging = false; });
    this.addEventListener("drop", (event) => this.dropped(event));
    this.addEventListener("paste", (event) => this.pasted(event));
    this.addEventListener("copy-text", (event) => void this.copy((event as CustomEvent).detail));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.store.resume();
    if (this.missed && this.src) void this.load(this.src, this.ledgerSrc);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // An element that only moves is connected again at once: its file stays.
    setTimeout(() => { if (!this.isConnected) this.store.close(); });
  }

  protected override updated(changed: PropertyValues<this>): void {
    if ((changed.has("src") || changed.has("ledgerSrc")) && this.src) void this.load(this.src, this.ledgerSrc);
    const dialog = this.renderRoot.querySelector("dialog");
    if (dialog && this.helpOpen && !dialog.open) dialog.showModal();
  }

  // The interface for pages

  /**
   * Opens a session.
   *
   * @param source a file, bytes, text, or messages.
   * @param options.name shown as its name; a file's own by default.
   * @param options.ledger the ledger that came with it.
   * @throws ViewerError with the code and sentence of what is wrong; what was open stays open.
   */
  async open(source: Source, options: { name?: string; ledger?: Source; branch?: string } = {}): Promise<void> {
    const file = blobOf(source);
    const search = this.renderRoot?.querySelector<HTMLInputElement>("#search");
    if (search) search.value = "";
    const name = options.name ?? (source instanceof File ? source.name : "session");
    await this.store.open(file, name, options.ledger === undefined ? undefined : blobOf(options.ledger), options.branch);
  }

  private wasOpened(): void {
    const { opened, messages } = this.store;
    if (!opened) return;
    const detail: OpenDetail = { name: opened.name, kind: opened.inspection.kind, messages, folds: opened.folds.length };
    this.dispatchEvent(new CustomEvent("plica-open", { detail, bubbles: true, composed: true }));
  }

  /** Shows a message, counted from 0. */
  goTo(item: number): void {
    this.store.goTo(item);
  }

  /** The message that is looked at, counted from 0. */
  get item(): number {
    return this.store.item;
  }

  /** What the main part shows. */
  get view(): View {
    return this.store.view;
  }

  set view(view: View) {
    this.store.lookAt(view);
  }

  /** A file came when the element was not in the page: it is fetched again when it is. */
  private missed = false;

  private async load(src: string, ledger: string | null): Promise<void> {
    this.missed = false;
    const name = nameOf(src);
    const run = this.store.begin(name);
    try {
      const told = (part: number): void => this.store.loaded(run, part);
      const [file, beside] = await Promise.all([fetched(src, told), ledger === null ? undefined : fetched(ledger)]);
      this.missed = !this.isConnected;
      if (!this.missed && this.store.isNewest(run)) await this.open(file, { name, ...(beside && { ledger: beside }) }).catch(() => undefined);
    } catch (error) {
      this.store.endLoading(run, `${name} could not be opened`, error);
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    const detail = { code: (error as { code?: unknown }).code ?? "file", message: sentence(error) };
    this.dispatchEvent(new CustomEvent("plica-error", { detail, bubbles: true, composed: true }));
  }

  // Drawing

  private changed(): void {
    this.keepFocus();
    this.requestUpdate();
    if (!this.store.opened || this.store.item === this.lastItem) return;
    this.lastItem = this.store.item;
    this.dispatchEvent(new CustomEvent("plica-select", { detail: { item: this.store.item }, bubbles: true, composed: true }));
  }

  private lastView: View | undefined;

  /** Another view takes the message that has the focus out of the page: the message of the new list gets it. */
  private keepFocus(): void {
    const { view } = this.store;
    const before = this.lastView;
    this.lastView = view;
    const focused = this.shadowRoot?.activeElement;
    if (before === undefined || before === view || !(focused instanceof MessagesView || focused instanceof FoldDetail)) return;
    void this.updateComplete.then(async () => {
      await this.renderRoot.querySelector<FoldDetail>("plica-fold")?.updateComplete;
      await this.list?.focusItem(this.store.item);
    });
  }

  protected override render(): TemplateResult {
    const { store } = this;
    const { opened, opening } = store;
    return html`
      ${opening ? html`<progress class="progress" aria-label="Opening" max="1" .value=${opening.part ?? 0}></progress>` : nothing}
      <header class="bar ${opened ? "has-file" : ""}">
        <slot name="brand"></slot>
        ${opened ? this.file() : nothing}
        ${opened ? this.choice() : nothing}
        <div class="tools">
          ${opened ? this.finder() : nothing}
          <slot name="tools"></slot>
          <button type="button" data-open @click=${this.choose}>Open…</button>
          <button type="button" class="ghost help" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" @click=${() => { this.helpOpen = true; }}>?</button>
          ${opened ? html`<button type="button" class="toggle" aria-expanded=${this.sideOpen ? "true" : "false"} @click=${() => { this.sideOpen = !this.sideOpen; }}>Details</button>` : nothing}
        </div>
      </header>
      <input type="file" hidden multiple aria-label="Session file, and its ledger" @change=${this.chosen}>
      ${opened && opened.items > 0 ? html`<plica-timeline .store=${store}></plica-timeline>` : nothing}
      ${store.alert ? html`<div class="alert" role="alert"><span>${hidden(store.alert, 2_000)}</span><button type="button" class="ghost" @click=${() => store.quiet()}>Dismiss</button></div>` : nothing}
      ${opened ? this.work() : opening ? this.loading() : this.start()}
      ${this.dragging ? html`<div class="veil">Drop the session, or the session and its ledger</div>` : nothing}
      ${this.said ? html`<div class="toast">${this.said}</div>` : nothing}
      <p class="sr" role="status" aria-live="polite">${opening ? `Reading ${plain(opening.name)}` : this.said || (opened ? `${plain(opened.name)} is open: ${counted(opened.items, "message")}` : "")}</p>
      ${this.helpOpen ? this.help() : nothing}`;
  }

  private file(): TemplateResult {
    const { opened } = this.store;
    if (!opened) return html``;
    const { inspection } = opened;
    return html`<p class="file"><strong data-name>${hidden(opened.name)}</strong>
      <span class="quiet num">${inspection.kind}, ${counted(this.store.messages, "message")}, ${counted(opened.folds.length, "fold")}, ${bytes(opened.size)}</span></p>`;
  }

  private choice(): TemplateResult {
    const { store } = this;
    const { view } = store;
    return html`<div class="choice" role="group" aria-label="Which messages">
      <button type="button" data-view="session" aria-pressed=${view.kind === "session" ? "true" : "false"} @click=${() => store.lookAt({ kind: "session" })}>Session</button>
      <button type="button" data-view="window" aria-pressed=${view.kind === "window" ? "true" : "false"} @click=${() => store.lookAt({ kind: "window" })}>Window <span class="num">${count(store.window.length)}</span></button>
    </div>`;
  }

  private finder(): TemplateResult {
    return html`<form role="search" @submit=${(event: Event) => event.preventDefault()}><label class="sr" for="search">Search all messages</label>
      <input type="search" id="search" placeholder="Search" @input=${this.searched} @search=${this.searched}></form>
      <label class="sr" for="jump">Go to message number</label><input type="number" class="jump" id="jump" min="1" placeholder="Go to" @change=${this.jumped}>`;
  }

  private work(): TemplateResult {
    const { store } = this;
    return html`<div class="body">
      <button type="button" class="skip" @click=${() => this.leaveList("after")}>Skip the messages</button>
      <div class="main" role="region" aria-label="Conversation">${store.view.kind === "fold"
        ? html`<plica-fold .store=${store} .linkTo=${this.linkTo}></plica-fold>`
        : html`<plica-messages .store=${store} .items=${store.listed} .main=${true} .label=${store.view.kind === "window" ? "Messages of the window" : "Messages of the session"} .linkTo=${this.linkTo}></plica-messages>`}</div>
      <aside class="side ${this.sideOpen ? "is-open" : ""}" aria-label="Details"><plica-side .store=${store}></plica-side><button type="button" class="close" @click=${() => { this.sideOpen = false; }}>Close details</button></aside>
    </div>`;
  }

  /** The first messages, while the rest is read. */
  private loading(): TemplateResult {
    const { store } = this;
    const words = { loading: "Loading", reading: "Reading", parsing: "Parsing", counting: "Counting tokens of" }[store.opening?.stage ?? "reading"];
    const part = store.opening?.part;
    return html`<div class="loading"><p class="num">${words} ${hidden(store.opening?.name ?? "")}${part === undefined ? "" : ` · ${Math.floor(part * 100)} %`}</p>
      ${store.preview.length > 0 ? html`<plica-messages .store=${store} .main=${true} .label=${"First messages"}></plica-messages>` : html`<div></div>`}</div>`;
  }

  private start(): TemplateResult {
    return html`<section class="start" aria-label="Open a session">
      <slot name="welcome"><h2>What did the agent see?</h2></slot>
      <div class="drop">
        <p><button type="button" class="primary" @click=${this.choose}>Choose a session file</button></p>
        <p class="quiet">or drop it here, or paste it. A ledger of plica can come along.</p>
        <p class="quiet">Claude Code, Codex, pi, opencode, gemini-cli, or messages as JSON or JSONL</p>
        <slot name="examples"></slot>
      </div>
      <p class="quiet">The file stays on this device: nothing is sent anywhere.</p>
    </section>`;
  }

  private help(): TemplateResult {
    const keys: [string, string][] = [
      ["↓ ↑  j k", "next, previous message"], ["Page Down, Page Up", "the same, from anywhere in a message"], ["Home, End", "first, last message"], ["Enter", "open or close all parts of a message"], ["Ctrl+End, Ctrl+Home", "out of the list: to the details, to the timeline"],
      ["/", "search"], ["g", "go to a message by its number"], ["s  w", "session, window"], ["f  F", "next, previous fold"], ["e  E", "next, previous failed call"], ["o", "open a file"], ["?", "this list"],
    ];
    return html`<dialog aria-labelledby="help-title" @close=${() => { this.helpOpen = false; }}><h2 id="help-title">Keyboard</h2>
      <dl>${keys.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
      <form method="dialog"><button>Close</button></form></dialog>`;
  }

  // Files

  private readonly choose = (): void => this.renderRoot.querySelector<HTMLInputElement>('input[type="file"]')?.click();

  private readonly chosen = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const files = [...(input.files ?? [])];
    input.value = "";
    void this.openFiles(files);
  };

  /** A session, or a session and its ledger; a ledger alone goes to what is open. */
  private async openFiles(files: readonly File[]): Promise<void> {
    const [first, second] = files;
    if (!first) return;
    try {
      if (second) await this.open(first, { ledger: second });
      else if (this.store.opened && (await isLedger(first))) await this.store.reopen({ ledger: first });
      else await this.open(first);
    } catch {
      // The store shows it.
    }
  }

  private dragged(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.dragging = true;
  }

  private dropped(event: DragEvent): void {
    this.dragging = false;
    if (event.dataTransfer?.files.length && this.take(event.dataTransfer)) event.preventDefault();
  }

  private pasted(event: ClipboardEvent): void {
    if (!typing(event) && event.clipboardData && this.take(event.clipboardData)) event.preventDefault();
  }

  /**
   * Opens what was dropped or pasted: files, or text. For pages that take drops and pastes beside the element as well.
   *
   * @returns whether there was something to open.
   */
  take(given: DataTransfer): boolean {
    const files = [...given.files];
    const text = files.length > 0 ? "" : given.getData("text/plain");
    if (files.length > 0) void this.openFiles(files);
    else if (text.trim() !== "") void this.open(text, { name: "pasted" }).catch(() => undefined);
    return files.length > 0 || text.trim() !== "";
  }

  // Finding

  private searchTimer: ReturnType<typeof setTimeout> | undefined;

  private readonly searched = (event: Event): void => {
    const { value } = event.target as HTMLInputElement;
    clearTimeout(this.searchTimer);
    if (value === (this.store.search?.query ?? "")) return;
    this.searchTimer = setTimeout(() => {
      this.sideOpen = value.trim() !== "" || this.sideOpen;
      void this.store.find(value);
    }, 150);
  };

  private readonly jumped = (event: Event): void => {
    const value = Number((event.target as HTMLInputElement).value);
    if (value >= 1) this.store.goTo(value - 1);
  };

  /** Acts on the keys that work wherever nothing is typed. For pages that hand on what is pressed beside the element as well. */
  press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || typing(event)) return;
    const { store } = this;
    const act = {
      "/": () => this.renderRoot.querySelector<HTMLInputElement>("#search")?.focus(),
      g: () => this.renderRoot.querySelector<HTMLInputElement>("#jump")?.focus(),
      s: () => store.lookAt({ kind: "session" }),
      w: () => store.lookAt({ kind: "window" }),
      f: () => this.step((store.opened?.folds ?? []).map(({ digest, moment }) => digest[0] ?? moment), 1),
      F: () => this.step((store.opened?.folds ?? []).map(({ digest, moment }) => digest[0] ?? moment), -1),
      e: () => this.step(Array.from(store.opened?.errors ?? []), 1),
      E: () => this.step(Array.from(store.opened?.errors ?? []), -1),
      o: this.choose,
      "?": () => { this.helpOpen = true; },
      ...(event.composedPath().some((target) => target instanceof MessagesView || target instanceof TimelineView || target instanceof SideView) ? {} : this.intoList),
    }[event.key];
    if (!act || (!store.opened && event.key !== "o" && event.key !== "?")) return;
    event.preventDefault();
    act();
  }

  /** Keys that go into the list from outside of it. */
  private readonly intoList: Record<string, () => void> = Object.fromEntries(["j", "k", "ArrowDown", "ArrowUp"].map((key) => [key, () => void this.list?.focusItem(this.store.item)]));

  /** The keys of a feed lead out of it: a list without end would hold whoever goes through it by Tab. */
  private leaveList(where: "before" | "after"): void {
    const view = this.renderRoot.querySelector<StoreView>(where === "after" ? "plica-side" : "plica-timeline");
    if (where === "after") this.sideOpen = true;
    void this.updateComplete.then(() => view?.renderRoot.querySelector<HTMLElement>(where === "after" ? '[role="tab"][aria-selected="true"]' : "#moment")?.focus());
  }

  /** To the next or previous of some items. */
  private step(items: readonly number[], direction: 1 | -1): void {
    const { item } = this.store;
    const next = direction === 1 ? items.find((other) => other > item) : items.findLast((other) => other < item);
    if (next === undefined) return this.say(direction === 1 ? "No further one" : "No earlier one");
    this.store.goTo(next);
    void this.updateComplete.then(() => this.list?.focusItem(next));
  }

  /** The list that people move in: beside a digest, that of its originals. */
  private get list(): MessagesView | undefined {
    const inFold = this.renderRoot.querySelector<FoldDetail>("plica-fold")?.renderRoot.querySelectorAll<MessagesView>("plica-messages");
    return this.renderRoot.querySelector<MessagesView>("plica-messages") ?? [...(inFold ?? [])].at(-1);
  }

  // Copying

  private async copy({ text, what }: { text: string | Promise<string>; what: string }): Promise<void> {
    try {
      await navigator.clipboard.writeText(await text);
      this.say(`${what} copied`);
    } catch {
      this.say(`${what} could not be copied: the browser did not allow it`);
    }
  }

  private say(text: string): void {
    this.said = text;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => { this.said = ""; }, 2_500);
  }
}

/** Whether an event comes from where something is typed. */
function typing(event: Event): boolean {
  const target = event.composedPath()[0];
  return target instanceof HTMLElement && (target.isContentEditable || (target instanceof HTMLInputElement && !["range", "checkbox", "radio", "button"].includes(target.type)) || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement);
}

function blobOf(source: Source): Blob {
  if (source instanceof Blob) return source;
  if (typeof source === "string") return new Blob([source]);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return new Blob([source as ArrayBuffer]);
  try {
    return new Blob([JSON.stringify(source)]);
  } catch (error) {
    throw new ViewerError("bad-argument", `The messages have no JSON form: ${sentence(error)}`);
  }
}

async function isLedger(file: Blob): Promise<boolean> {
  return /^\s*\{\s*"plica"\s*:\s*"ledger"/.test(await file.slice(0, MARK_BYTES).text());
}

/** The name of the file at an address. */
function nameOf(address: string): string {
  const last = new URL(address, document.baseURI).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || address;
  } catch {
    return last;
  }
}

/** A file of the same origin: no other host is ever asked. `told` hears which part of it has come. */
async function fetched(address: string, told: (part: number) => void = () => undefined): Promise<Blob> {
  const url = new URL(address, document.baseURI);
  if (url.origin !== location.origin) throw new Error("only files of this page's own origin are opened by address");
  const answer = await fetch(url, { redirect: "error", credentials: "same-origin" });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const total = Number(answer.headers.get("content-length"));
  // Without a length, or with that of what is packed, nobody knows which part has come.
  if (!answer.body || !(total > 0) || answer.headers.has("content-encoding")) return answer.blob();
  const reader = answer.body.getReader();
  const pieces: BlobPart[] = [];
  let come = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces.push(next.value);
    come += next.value.byteLength;
    told(come / total);
  }
  return new Blob(pieces);
}

/** Names of the elements, the inner ones too: they are registered once a page. */
const ELEMENTS = { "plica-messages": MessagesView, "plica-timeline": TimelineView, "plica-planner": PlannerView, "plica-fold": FoldDetail, "plica-side": SideView, "plica-viewer": PlicaViewer };
for (const [name, element] of Object.entries(ELEMENTS)) if (!customElements.get(name)) customElements.define(name, element);

declare global {
  interface HTMLElementTagNameMap {
    "plica-viewer": PlicaViewer;
  }
}
