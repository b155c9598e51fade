// What is open and what is looked at. Views read it and change it; each change is told to all of them.

import { Client, ViewerError, latest, settled } from "./client.js";
import type { Awaited, Listener, Places } from "./client.js";
import type { CheckView, DigestView, Fate, FoldView, Hit, Opened, Operations, Part, PlanView, Row, SaveKind, Saved, Settings } from "./protocol.js";
import { FATES } from "./protocol.js";

/** What the main part shows. */
export type View = { kind: "session" } | { kind: "window" } | { kind: "fold"; fold: number; deep: boolean };

/** What the side part shows. */
export type Panel = "plan" | "folds" | "problems" | "search" | "memory" | "file";

/** How far opening has come. */
export interface Opening {
  name: string;
  stage: "loading" | "reading" | "parsing" | "counting";
  /** Between 0 and 1; undefined when it is not known. */
  part: number | undefined;
}

/** What a search found so far. */
export interface Search {
  query: string;
  hits: Hit[];
  total: number;
  /** Items that were searched. */
  searched: number;
  done: boolean;
}

/** Rows that are kept at hand. 4,000 units a part and a few parts a row: some tens of MB at most. */
const MOST_ROWS = 2_000;
/** Rows that are asked for in one go. */
const PAGE = 80;

/** UTF-16 units that "Show all" shows: a hundred pages; what is longer comes piece by piece. */
const READABLE_UNITS = 200_000;

/** Messages of a large window. Digest and check of 100,000 (200 MB) take four seconds each, of 20,000 under one. */
const LARGE = 20_000;

/** Tells views that something changed. */
export class Store extends EventTarget {
  opened: Opened | undefined;
  opening: Opening | undefined;
  preview: Row[] = [];
  alert = "";
  view: View = { kind: "session" };
  panel: Panel = "plan";
  /** The message that is looked at. */
  item = 0;
  /** The window right after this item is the one that is planned. */
  moment = 0;
  settings: Settings = { tailBudget: 0, keepTurns: 0, anchorTask: false, anchorRequest: false, keepSystem: false };
  /** Items of the window at the moment. */
  window: Uint32Array = new Uint32Array();
  plan: PlanView | undefined;
  digest: DigestView | null | undefined;
  /** Faults of the window; undefined until they are asked for. */
  checks: CheckView[] | undefined;
  search: Search | undefined;
  /** The hit that was chosen. */
  hit: Hit | undefined;
  /** Items on the screen, for the timeline. */
  seen: { first: number; last: number } = { first: 0, last: -1 };

  private client: Client | undefined;
  private readonly rows = new Map<number, Row>();
  private readonly asked = new Set<number>();
  private placeOf = new Map<number, number>();
  private source: { file: Blob; name: string; ledger?: Blob } | undefined;
  private run = 0;

  constructor(private readonly places: () => Places) {
    super();
  }

  /** Ends the worker. */
  close(): void {
    this.client?.close();
    this.client = undefined;
    this.closed = true;
  }
  private closed = false;

  /** After {@link close}: what was open is opened again, at the same place. */
  async resume(): Promise<void> {
    if (!this.closed) return;
    this.closed = false;
    const { opened, item, view, settings, source } = this;
    if (!opened || !source) return;
    await this.open(source.file, source.name, source.ledger, opened.branch ?? undefined).catch(() => undefined);
    if (this.source?.file !== source.file) return;
    this.setSettings(settings);
    this.lookAt(view);
    this.goTo(item);
  }

  /** Says that something changed. */
  changed(): void {
    this.dispatchEvent(new Event("change"));
  }

  /** Only opening a file starts a worker: what is still asked for when the viewer was taken out of its page must not start another. */
  private ask<N extends keyof Operations>(name: N, args: Parameters<Operations[N]>, listen?: Listener): Awaited<N> {
    // A worker that has died answers nobody: the next file gets a new one.
    if (this.client?.dead) this.client = undefined;
    if (name === "open") this.client ??= new Client(this.places());
    return this.client?.ask(name, args, listen) ?? Promise.reject(new ViewerError("closed", "The viewer is closed."));
  }

  // Opening

  /** A file is on its way: the number under which the rest is told. */
  begin(name: string): number {
    this.alert = "";
    this.opening = { name, stage: "loading", part: undefined };
    this.changed();
    return ++this.run;
  }

  /** Whether nothing else was begun since. */
  isNewest(run: number): boolean {
    return run === this.run;
  }

  /** So much of it has come. */
  loaded(run: number, part: number): void {
    if (!this.isNewest(run) || !this.opening || part - (this.opening.part ?? 0) < 0.01) return;
    this.opening = { ...this.opening, part };
    this.changed();
  }

  /** It did not come, or could not be opened. */
  endLoading(run: number, what: string, error: unknown): void {
    if (!this.isNewest(run)) return;
    this.opening = undefined;
    this.fail(what, error);
  }

  /** Opens a file; rejects with what is wrong with it, and leaves what was open as it is. */
  async open(file: Blob, name: string, ledger?: Blob, branch?: string): Promise<Opened> {
    const run = ++this.run;
    this.closed = false;
    this.alert = "";
    this.opening = { name, stage: "reading", part: undefined };
    this.preview = [];
    this.changed();
    try {
      const what = { file, name, ...(ledger && { ledger }), ...(branch !== undefined && { branch }) };
      const opened = await this.ask("open", [what], (told) => {
        if (run === this.run) this.told(told);
      });
      if (run === this.run) this.show(opened, { file, name, ...(ledger && { ledger }) });
      return opened;
    } catch (error) {
      if (run === this.run) this.alert = `${name} could not be opened: ${sentence(error)}`;
      this.dispatchEvent(new CustomEvent("failed", { detail: error }));
      throw error;
    } finally {
      if (run === this.run) {
        this.opening = undefined;
        this.preview = [];
        this.changed();
      }
    }
  }

  /** Opens the file again: another branch of it, or with a ledger. */
  async reopen(change: { branch?: string; ledger?: Blob }): Promise<void> {
    if (!this.source) return;
    const { file, name, ledger } = { ...this.source, ...change };
    await this.open(file, name, ledger, change.branch).catch(() => undefined);
  }

  private told(told: { event: string; data: unknown }): void {
    if (told.event === "preview") this.preview = (told.data as { rows: Row[] }).rows;
    else if (told.event === "progress") {
      const { bytes, total, stage } = told.data as { bytes: number; total: number; stage: Opening["stage"] };
      this.opening = { name: this.opening?.name ?? "", stage, part: total > 0 ? bytes / total : undefined };
    }
    this.changed();
  }

  private show(opened: Opened, source: { file: Blob; name: string; ledger?: Blob }): void {
    this.source = source;
    this.opened = opened;
    this.rows.clear();
    this.asked.clear();
    this.view = { kind: "session" };
    this.panel = "plan";
    this.item = 0;
    this.moment = Math.max(0, opened.items - 1);
    this.search = undefined;
    this.hit = undefined;
    this.plan = undefined;
    this.digest = undefined;
    this.checks = undefined;
    // A ledger that does not fit is said at once: nobody looks for it in a panel.
    if (source.ledger && opened.ledger !== "opened") this.alert = opened.incomplete ?? "";
    this.setWindow(opened.window);
    const total = opened.inspection.tokens;
    this.settings = { ...this.settings, tailBudget: rounded(total / 3, budgetStep(total)) };
    // Messages first: the worker does one thing at a time, and people wait for what they read.
    this.firstRows = new Promise((done) => { this.gotRows = done; });
    setTimeout(this.gotRows, 1_000);
    void this.firstRows.then(() => { if (opened === this.opened) this.replan(); });
    this.dispatchEvent(new Event("opened"));
  }

  private firstRows: Promise<void> = Promise.resolve();
  private gotRows: () => void = () => undefined;

  // What is looked at

  /** Messages of the whole conversation: items that are no digests and no pinned rules. */
  get messages(): number {
    const { opened } = this;
    return opened ? opened.items - opened.pinned.length - opened.folds.reduce((sum, { digest }) => sum + digest.length, 0) : 0;
  }

  /** Items that the main part lists, in their order. */
  get listed(): ArrayLike<number> & Iterable<number> {
    const { opened, view } = this;
    if (!opened) return [];
    if (view.kind === "window") return this.window;
    if (view.kind === "session") return range(opened.items);
    const fold = opened.folds[view.fold];
    return fold ? (view.deep ? covered(fold) : fold.originals) : [];
  }

  /** Goes to a message; to the whole session where the view does not list it. */
  goTo(item: number): void {
    const { opened } = this;
    if (!opened || opened.items === 0) return;
    this.item = Math.min(opened.items - 1, Math.max(0, Math.floor(item) || 0));
    if (!includes(this.listed, this.item)) this.view = { kind: "session" };
    this.dispatchEvent(new CustomEvent("go", { detail: this.item }));
    this.changed();
  }

  /** Says which messages are on the screen: the timeline alone listens. */
  see(first: number, last: number): void {
    if (first === this.seen.first && last === this.seen.last) return;
    this.seen = { first, last };
    this.dispatchEvent(new Event("see"));
  }

  /** The message that has the attention, without moving to it. */
  attend(item: number): void {
    if (item === this.item) return;
    this.item = item;
    this.changed();
  }

  lookAt(view: View): void {
    if (!this.isView(view)) return;
    this.view = view;
    if (view.kind === "fold") this.panel = "folds";
    if (this.opened && this.listed.length > 0 && !includes(this.listed, this.item)) this.item = this.listed[0] ?? 0;
    this.changed();
    this.dispatchEvent(new CustomEvent("go", { detail: this.item }));
  }

  /** Pages set the view, too: what is none, or of a fold that is not there, changes nothing. */
  private isView(view: View): boolean {
    if (view?.kind === "fold") return this.opened?.folds[view.fold] !== undefined;
    return view?.kind === "session" || view?.kind === "window";
  }

  showPanel(panel: Panel): void {
    this.panel = panel;
    if (panel === "problems" && this.checks === undefined && !this.isEmpty) this.recheck(this.moment);
    this.changed();
  }

  /** Whether the window is so large that digest and check block the worker for seconds: then they wait until they are asked for. */
  get isLarge(): boolean {
    return this.window.length > LARGE;
  }

  /** Goes to another moment: the window and its plan follow. */
  readonly setMoment = (moment: number): void => {
    if (!this.opened || moment === this.moment) return;
    this.moment = moment;
    this.changed();
    this.rewindow(moment);
  };

  private readonly rewindow = latest(async (moment: number) => {
    if (moment !== this.moment) return;
    const { opened } = this;
    const window = await this.ask("windowAt", [moment]).catch((error: unknown) => this.failFor(opened, "No window", error));
    if (!window || opened !== this.opened) return;
    this.setWindow(window);
    this.checks = undefined;
    this.replan();
    this.changed();
  });

  private setWindow(window: Uint32Array): void {
    this.window = window;
    this.placeOf = new Map(Array.from(window, (item, place) => [item, place]));
  }

  // Rows

  /** A row that is at hand. */
  row(item: number): Row | undefined {
    return this.rows.get(item);
  }

  /** Asks for rows that are to be shown; views are told when they come. */
  need(items: readonly number[]): void {
    // A list may still be that of the file before.
    const all = this.opened?.items ?? 0;
    const lacking = items.filter((item) => item < all && !this.rows.has(item) && !this.asked.has(item));
    for (let at = 0; at < lacking.length; at += PAGE) void this.fetch(lacking.slice(at, at + PAGE));
    // What is on the screen is the newest: the oldest go first.
    for (const item of items) this.touch(item);
  }

  private touch(item: number): void {
    const row = this.rows.get(item);
    if (!row) return;
    this.rows.delete(item);
    this.rows.set(item, row);
  }

  private async fetch(items: number[]): Promise<void> {
    const { opened } = this;
    for (const item of items) this.asked.add(item);
    const rows = await this.ask("rows", [items]).catch((error: unknown) => this.failFor(opened, "Messages could not be shown", error));
    if (opened !== this.opened) return;
    for (const item of items) this.asked.delete(item);
    for (const row of rows ?? []) this.rows.set(row.item, row);
    this.gotRows();
    for (const item of this.rows.keys()) {
      if (this.rows.size <= MOST_ROWS) break;
      this.rows.delete(item);
    }
    this.changed();
  }

  /** More of a part's text: it is added to the row. */
  async more(item: number, part: number): Promise<void> {
    const shown = this.rows.get(item)?.parts[part];
    if (!shown || shown.text.length >= shown.length || this.growing.has(shown)) return;
    this.growing.add(shown);
    try {
      shown.text += await this.ask("more", [item, part, shown.text.length]);
    } catch (error) {
      this.fail("No more of the text", error);
    } finally {
      this.growing.delete(shown);
    }
    this.changed();
  }
  private readonly growing = new Set<Part>();

  /** All of a part's text, as long as it is one that people read. */
  async whole(item: number, part: number): Promise<void> {
    for (let shown = this.rows.get(item)?.parts[part]; shown && !this.growing.has(shown) && shown.text.length < Math.min(shown.length, READABLE_UNITS); ) await this.more(item, part);
  }

  /** More parts of a message. */
  async moreParts(item: number): Promise<void> {
    const row = this.rows.get(item);
    if (!row) return;
    row.parts.push(...(await this.ask("parts", [item, row.parts.length])));
    this.changed();
  }

  /** A message as JSON. */
  raw(item: number): Promise<string> {
    return this.ask("raw", [item]);
  }

  // The plan

  /** Other options: the plan follows. */
  setSettings(change: Partial<Settings>): void {
    this.settings = { ...this.settings, ...change };
    this.changed();
    this.replan();
  }

  /** Nothing is in the file that could be planned. */
  get isEmpty(): boolean {
    return this.opened?.items === 0;
  }

  private replan(): void {
    if (this.isEmpty) return;
    this.askPlan({ moment: this.moment, settings: this.settings });
  }

  private readonly askPlan = latest(async ({ moment, settings }: { moment: number; settings: Settings }) => {
    if (moment !== this.moment || settings !== this.settings) return;
    const { opened } = this;
    const plan = await this.ask("plan", [moment, settings]).catch((error: unknown) => this.failFor(opened, "No plan", error));
    if (!plan || opened !== this.opened) return;
    this.plan = plan;
    this.digest = undefined;
    this.changed();
    if (!this.isLarge) this.redigest({ moment, settings });
  });

  /** Makes the digest of a large window. */
  askDigest(): void {
    this.redigest({ moment: this.moment, settings: this.settings });
  }

  /** The digest follows when the budget rests: it costs more than the plan. */
  private readonly redigest = settled(80, latest(async ({ moment, settings }: { moment: number; settings: Settings }) => {
    if (moment !== this.moment || settings !== this.settings) return;
    const { opened } = this;
    const digest = await this.ask("digest", [moment, settings]).catch((error: unknown) => this.failFor(opened, "No digest", error));
    if (opened !== this.opened || settings !== this.settings || moment !== this.moment) return;
    this.digest = digest ?? null;
    this.changed();
    if (this.checks === undefined && !this.isLarge) this.recheck(moment);
  }));

  private readonly recheck = latest(async (moment: number) => {
    if (moment !== this.moment) return;
    const { opened } = this;
    const checks = await this.ask("check", [moment]).catch((error: unknown) => this.failFor(opened, "No check", error));
    if (!checks || opened !== this.opened || moment !== this.moment) return;
    this.checks = checks;
    this.changed();
  });

  /** What becomes of a message of the window; undefined for one that is not in it. */
  fate(item: number): { fate: Fate; reason: string } | undefined {
    const place = this.placeOf.get(item);
    const { plan } = this;
    if (place === undefined || !plan) return undefined;
    return { fate: FATES[plan.fates[place] ?? 4] ?? "tail", reason: plan.reasons[plan.reasonOf[place] ?? 0] ?? "" };
  }

  /** Whether a message is in the window at the moment. */
  inWindow(item: number): boolean {
    return this.placeOf.has(item);
  }

  // Search

  /** Searches everything; hits come in while it runs. */
  async find(query: string): Promise<void> {
    if (query.trim() === "") {
      this.search = undefined;
      return this.changed();
    }
    const search: Search = { query, hits: [], total: 0, searched: 0, done: false };
    this.search = search;
    this.panel = "search";
    this.changed();
    try {
      const { hits } = await this.ask("search", [query], (told) => {
        if (told.event !== "hits" || this.search !== search) return;
        search.hits.push(...told.data.hits);
        search.total = told.data.total;
        search.searched = told.data.searched;
        this.changed();
      });
      search.total = hits;
      search.done = true;
    } catch (error) {
      this.fail("The search stopped", error);
    }
    if (this.search === search) this.changed();
  }

  /** Goes to a hit: its message is fetched, and so much of its text that the match is in it. */
  async goToHit(hit: Hit): Promise<void> {
    this.hit = hit;
    this.goTo(hit.item);
    if (!this.rows.has(hit.item)) await this.fetch([hit.item]);
    await this.fetchUpTo(hit);
    if (this.hit === hit) this.dispatchEvent(new CustomEvent("reveal", { detail: hit }));
  }

  private async fetchUpTo(hit: Hit): Promise<void> {
    const row = this.rows.get(hit.item);
    if (!row) return;
    while (row.parts.length <= hit.part && row.parts.length < row.partCount && this.hit === hit) await this.moreParts(hit.item);
    const shown = row.parts[hit.part];
    while (shown && shown.text.length < Math.min(hit.end, shown.length) && this.hit === hit && !this.growing.has(shown)) await this.more(hit.item, hit.part);
  }

  // Saving

  save(kind: SaveKind): Promise<Saved> {
    return this.ask("save", [kind, this.settings]);
  }

  prove(): Promise<{ exact: boolean; messages: number; bytes: number }> {
    return this.ask("prove", [this.settings]);
  }

  /** Shows what went wrong with a file, as long as it is the one that is open. */
  private failFor(opened: Opened | undefined, what: string, error: unknown): undefined {
    return opened === this.opened ? this.fail(what, error) : undefined;
  }

  /** Shows what went wrong. */
  fail(what: string, error: unknown): undefined {
    if (this.closed) return undefined;
    this.alert = `${what}: ${sentence(error)}`;
    this.changed();
    return undefined;
  }

  /** Takes the alert away. */
  quiet(): void {
    this.alert = "";
    this.changed();
  }
}

/** What an error says. */
export const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The step of a budget for so many tokens: a power of ten, about a hundredth. */
export const budgetStep = (total: number): number => Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, total) / 100)));

/** To whole steps. */
export const rounded = (value: number, step: number): number => Math.round(value / step) * step;

let wholeRange = new Uint32Array();

/** 0, 1, 2, … below `length`; the same array while the length stays. */
function range(length: number): Uint32Array {
  if (wholeRange.length !== length) wholeRange = Uint32Array.from({ length }, (_, i) => i);
  return wholeRange;
}

const coveredBy = new WeakMap<FoldView, Uint32Array>();

/** The first messages behind a fold. */
function covered(fold: FoldView): Uint32Array {
  const known = coveredBy.get(fold);
  if (known) return known;
  const items = Uint32Array.from(fold.covers.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)));
  coveredBy.set(fold, items);
  return items;
}

function includes(items: ArrayLike<number>, item: number): boolean {
  if (items[item] === item) return true;
  return Array.prototype.includes.call(items, item);
}
