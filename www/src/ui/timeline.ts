// The whole session as one strip: a bar for each message (several share one where there are many), as high as the square root of
// its tokens, in the colour of its fate; below it a bracket for each fold, over the messages that it was the first to take.

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { FATES } from "../protocol.js";
import type { FoldView, Opened } from "../protocol.js";
import { plain } from "../text/hidden.js";
import { count, counted } from "../text/numbers.js";
import { StoreView, common } from "./base.js";

/** Colours by what an item is: the fates in their order, then digests, then what is not in the window. */
const COLOURS = [...FATES.map((fate) => `--${fate}`), "--digest", "--out"];
const DIGEST = FATES.length;
const OUT = FATES.length + 1;
/** Pixels of a bar, at least. */
const BAR = 2;

/** The strip with its brackets, and the moment. */
export class TimelineView extends StoreView {
  static override readonly styles = [...common, css`
    :host { display: block; padding: 8px 20px 6px; background: var(--surface); border-bottom: 1px solid var(--line); }
    .strip { position: relative; height: 72px; cursor: pointer; touch-action: pan-y; }
    canvas { display: block; width: 100%; height: 100%; }
    .seen { position: absolute; inset-block: 0; min-width: 3px; background: color-mix(in srgb, var(--accent) 14%, transparent); border-inline: 1px solid var(--accent); pointer-events: none; }
    .now { position: absolute; inset-block: 0; width: 0; border-inline-start: 2px dashed var(--text); pointer-events: none; }
    .tip { position: absolute; top: -4px; z-index: 3; padding: 2px 8px; border-radius: 6px; background: var(--text); color: var(--surface); font-size: 12px; white-space: nowrap; pointer-events: none; transform: translateX(-50%); }
    .folds { position: relative; height: 22px; margin-top: 3px; }
    .folds button { position: absolute; top: 2px; height: 18px; padding: 0; min-width: 7px; overflow: hidden; border: 0; border-block-start: 3px solid var(--digest); border-radius: 0 0 4px 4px; background: var(--digest-soft); color: var(--digest-ink); font-size: 11px; line-height: 14px; text-align: center; }
    .folds button.lost { border-block-start-style: dotted; border-block-start-color: var(--folded); background: var(--soft); color: var(--quiet); }
    .folds button[aria-pressed="true"] { background: var(--digest); color: var(--on-accent); }
    .line { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; margin-top: 2px; font-size: 12.5px; }
    .line label { color: var(--quiet); }
    .line input[type="range"] { flex: 1 1 160px; min-width: 120px; margin: 0; }
    .legend { display: flex; flex-wrap: wrap; gap: 2px 12px; font-size: 12px; color: var(--quiet); }
    @media (max-width: 640px) { :host { padding: 4px 12px; } .strip { height: 44px; } .legend { display: none; } .line { flex-wrap: nowrap; } .line label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } .line input[type="range"] { min-width: 0; } .line .num { white-space: nowrap; } }
  `];

  private readonly sizes = new ResizeObserver(() => this.draw());
  private readonly scheme = matchMedia("(prefers-color-scheme: dark)");
  private readonly redraw = (): void => this.draw();
  private readonly saw = (): void => this.mark();
  /** Which item the pointer is at. */
  private pointed: number | undefined;
  private highlight: FoldView | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.store.addEventListener("see", this.saw);
    this.scheme.addEventListener("change", this.redraw);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.store.removeEventListener("see", this.saw);
    this.scheme.removeEventListener("change", this.redraw);
    this.sizes.disconnect();
  }

  protected override firstUpdated(): void {
    const canvas = this.renderRoot.querySelector("canvas");
    if (canvas) this.sizes.observe(canvas);
  }

  /** What the strip was drawn of: most changes of the store are none of these. */
  private drawn: readonly unknown[] = [];

  protected override updated(): void {
    const { opened, window, plan } = this.store;
    const now = [opened, window, plan];
    if (now.some((value, i) => value !== this.drawn[i])) this.draw();
    this.drawn = now;
    this.mark();
  }

  protected override render(): TemplateResult | typeof nothing {
    const { opened, moment } = this.store;
    if (!opened) return nothing;
    const last = opened.items - 1;
    return html`
      <div class="strip" @pointermove=${this.point} @pointerleave=${this.leave} @click=${this.pick}>
        <canvas role="img" aria-label=${`Tokens of ${counted(opened.items, "message")}, ${counted(opened.folds.length, "fold")}`}></canvas>
        <div class="seen" hidden></div>
        ${moment < last ? html`<div class="now" .style=${`left:${((moment + 1) / opened.items) * 100}%`}></div>` : nothing}
        ${this.pointed === undefined ? nothing : html`<div class="tip" aria-hidden="true" .style=${`left:clamp(120px, ${((this.pointed + 0.5) / opened.items) * 100}%, calc(100% - 120px))`}>${this.describe(opened, this.pointed)}</div>`}
      </div>
      ${opened.folds.length > 0 ? html`<div class="folds" role="group" aria-label="Folds">${opened.folds.map((fold) => this.bracket(opened, fold))}</div>` : nothing}
      <div class="line">
        <label for="moment">Window after message</label>
        <input id="moment" type="range" min="0" max=${last} .value=${String(moment)} aria-valuetext=${moment === last ? `${moment + 1}, now` : String(moment + 1)}
          @input=${(event: Event) => this.store.setMoment(Number((event.target as HTMLInputElement).value))}>
        <span class="num">${count(moment + 1)} of ${count(opened.items)}</span>
        <button type="button" ?disabled=${moment === last} @click=${() => this.store.setMoment(last)}>Now</button>
        <span class="legend" aria-hidden="true">${FATES.map((fate) => html`<span class="chip is-${fate}"><i class="dot"></i>${fate}</span>`)}<span class="chip is-digest"><i class="dot"></i>digest</span></span>
      </div>`;
  }

  /** The span that a fold was the first to take. Where that is unknown, the place at which it was made. */
  private bracket(opened: Opened, fold: FoldView): TemplateResult {
    const [first, last] = firstTaken(opened, fold);
    const left = (first / opened.items) * 100;
    const width = ((last + 1 - first) / opened.items) * 100;
    const { view } = this.store;
    const words = fold.state === "with-originals" ? `messages ${first + 1} to ${last + 1}` : "originals not at hand";
    return html`<button type="button" class=${fold.state === "with-originals" ? "" : "lost"} .style=${`left:${left}%;width:calc(${width}% - 1px)`}
      aria-pressed=${view.kind === "fold" && view.fold === fold.number ? "true" : "false"} aria-label="Fold ${fold.number + 1}, ${words}" title="Fold ${fold.number + 1}: ${words}"
      @pointerenter=${() => this.light(fold)} @pointerleave=${() => this.light(undefined)}
      @click=${() => this.store.lookAt({ kind: "fold", fold: fold.number, deep: false })}>${fold.number + 1}</button>`;
  }

  private light(fold: FoldView | undefined): void {
    this.highlight = fold;
    this.draw();
  }

  private describe(opened: Opened, item: number): string {
    const fold = opened.digestOf[item] ?? -1;
    const what = fold >= 0 ? `digest of fold ${fold + 1}` : (opened.roles[opened.roleOf[item] ?? 0] ?? "");
    const planned = this.store.fate(item);
    return `${count(item + 1)} · ${plain(what.slice(0, 40))} · ${counted(opened.tokens[item] ?? 0, "token")}${planned ? ` · ${planned.fate}` : ""}`;
  }

  // Drawing

  private kinds(opened: Opened): Uint8Array {
    const kinds = new Uint8Array(opened.items).fill(OUT);
    const { window, plan } = this.store;
    const fitting = plan && plan.window.length === window.length;
    for (let place = 0; place < window.length; place++) kinds[window[place] ?? 0] = fitting ? (plan.fates[place] ?? 4) : 4;
    for (const { digest } of opened.folds) for (const item of digest) if (kinds[item] !== OUT) kinds[item] = DIGEST;
    return kinds;
  }

  private draw(): void {
    const canvas = this.renderRoot.querySelector("canvas");
    const { opened } = this.store;
    const context = canvas?.getContext("2d");
    if (!canvas || !context || !opened || canvas.clientWidth === 0) return;
    const scale = devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context.scale(scale, scale);
    const style = getComputedStyle(this);
    const colours = COLOURS.map((name) => resolved(style, name, this));
    this.drawHighlight(context, opened, width, height, resolved(style, "--digest-soft", this));
    this.drawBars(context, opened, width, height, colours);
  }

  private drawHighlight(context: CanvasRenderingContext2D, opened: Opened, width: number, height: number, colour: string): void {
    context.fillStyle = colour;
    for (const [first, last] of this.highlight?.covers ?? []) {
      context.fillRect((first / opened.items) * width, 0, Math.max(1, ((last + 1 - first) / opened.items) * width), height);
    }
  }

  private drawBars(context: CanvasRenderingContext2D, { tokens, items }: Opened, width: number, height: number, colours: readonly string[]): void {
    const { opened } = this.store;
    if (!opened || items === 0) return;
    const kinds = this.kinds(opened);
    const bins = Math.min(items, Math.max(1, Math.floor(width / BAR)));
    const top = Math.sqrt(usual(tokens) * 1.5);
    const gap = Math.min(6, width / bins >= 4 ? Math.max(1, width / bins / 8) : 0);
    for (let bin = 0; bin < bins; bin++) {
      const from = Math.floor((bin * items) / bins);
      const highest = largest(tokens, from, Math.max(from + 1, Math.floor(((bin + 1) * items) / bins)));
      const high = Math.min(height, Math.max(2, (Math.sqrt(tokens[highest] ?? 0) / top) * height));
      context.fillStyle = colours[kinds[highest] ?? OUT] ?? "gray";
      context.fillRect((bin * width) / bins, height - high, width / bins - gap, high);
    }
  }

  /** Marks what is on the screen, without drawing the bars anew. */
  private mark(): void {
    const mark = this.renderRoot.querySelector<HTMLElement>(".seen");
    const { opened, seen } = this.store;
    if (!mark || !opened) return;
    mark.hidden = seen.last < seen.first;
    mark.style.left = `${(seen.first / opened.items) * 100}%`;
    mark.style.width = `${((seen.last + 1 - seen.first) / opened.items) * 100}%`;
  }

  // The pointer

  private at(event: MouseEvent): number {
    const items = this.store.opened?.items ?? 1;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return Math.min(items - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * items)));
  }

  private readonly point = (event: PointerEvent): void => {
    if (event.pointerType === "touch") return;
    this.pointed = this.at(event);
    this.requestUpdate();
  };

  private readonly leave = (): void => {
    this.pointed = undefined;
    this.requestUpdate();
  };

  private readonly pick = (event: MouseEvent): void => this.store.goTo(this.at(event));
}

const taken = new WeakMap<FoldView, [number, number]>();

/** First and last of the items that a fold was the first to take. */
function firstTaken(opened: Opened, fold: FoldView): [number, number] {
  const known = taken.get(fold) ?? findTaken(opened, fold);
  taken.set(fold, known);
  return known;
}

function findTaken(opened: Opened, fold: FoldView): [number, number] {
  let first = -1;
  let last = -1;
  for (const [from, to] of fold.covers) {
    for (let item = from; item <= to; item++) {
      if (opened.takenBy[item] !== fold.number) continue;
      if (first < 0) first = item;
      last = item;
    }
  }
  if (first >= 0) return [first, last];
  const place = fold.digest[0] ?? fold.moment;
  return [place, place];
}

/** A colour as the canvas takes it: `light-dark()` is settled by a real property of an element. */
function resolved(style: CSSStyleDeclaration, name: string, host: HTMLElement): string {
  const raw = style.getPropertyValue(name).trim();
  if (!raw.includes("(") || raw.startsWith("rgb")) return raw || "gray";
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  host.shadowRoot?.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

const usuals = new WeakMap<Uint32Array, number>();

/** A number that nearly all do not exceed. */
function usual(numbers: Uint32Array): number {
  const known = usuals.get(numbers) ?? ninetyNinth(numbers);
  usuals.set(numbers, known);
  return known;
}

function ninetyNinth(numbers: Uint32Array): number {
  const sorted = numbers.slice().sort();
  return Math.max(1, sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 1);
}

/** The index of the largest number in a range. */
function largest(numbers: Uint32Array, from: number, to: number): number {
  let best = from;
  for (let i = from + 1; i < to; i++) if ((numbers[i] ?? 0) > (numbers[best] ?? 0)) best = i;
  return best;
}
