// What all views share: the connection to the store, colours, and the looks of controls.

import { LitElement, css } from "lit";
import type { PropertyValues } from "lit";
import { textStyles } from "../text/styles.js";
import type { Hit } from "../protocol.js";
import type { Store } from "../store.js";

/** A view of the store: it is drawn anew when the store changes. */
export abstract class StoreView extends LitElement {
  static override readonly properties = { store: { attribute: false } };
  declare store: Store;

  private readonly changed = (): void => this.requestUpdate();
  private readonly reveals = (event: Event): void => this.reveal((event as CustomEvent<Hit>).detail);
  private readonly went = (event: Event): void => this.goTo((event as CustomEvent<number>).detail);

  override connectedCallback(): void {
    super.connectedCallback();
    this.store.addEventListener("change", this.changed);
    this.store.addEventListener("go", this.went);
    this.store.addEventListener("reveal", this.reveals);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.store.removeEventListener("change", this.changed);
    this.store.removeEventListener("go", this.went);
    this.store.removeEventListener("reveal", this.reveals);
  }

  /** A message is to be shown. */
  protected goTo(_item: number): void {}

  /** A hit of the search, with its text at hand, is to be shown. */
  protected reveal(_hit: Hit): void {}

  protected override shouldUpdate(_changed: PropertyValues): boolean {
    return this.store !== undefined;
  }
}

/** Colours: every one in light and dark, text with a contrast of 4.5 at least. Pages may set their own. */
export const tokens = css`
  :host {
    --ground: var(--plica-ground, light-dark(#f6f6f4, #14161a));
    --surface: var(--plica-surface, light-dark(#ffffff, #1b1e23));
    --raised: light-dark(#ffffff, #22262c);
    --text: var(--plica-text, light-dark(#1d2024, #e4e6e9));
    --quiet: light-dark(#5c636b, #9aa3ad);
    --line: light-dark(#e2e2de, #2d3239);
    --soft: light-dark(#efefec, #24282e);
    --accent: var(--plica-accent, light-dark(#1f5fae, #82b4f2));
    --on-accent: light-dark(#ffffff, #10151c);
    --bad: light-dark(#b42318, #f2938a);
    --bad-soft: light-dark(#fdecea, #3a2220);
    --good: light-dark(#1b6e49, #6fcea2);
    --warn: light-dark(#8a5300, #e5b062);
    --warn-soft: light-dark(#fcf1dc, #362b17);
    --prefix: light-dark(#7c5cc4, #a891e8);
    --kept: light-dark(#22875c, #5cc596);
    --folded: light-dark(#9aa1a8, #626b75);
    --cleared: light-dark(#a6865a, #8f7650);
    --out: light-dark(#cdd0cd, #3b4149);
    --tail: light-dark(#2f74c0, #649fe6);
    --digest: light-dark(#b96a00, #e3a34a);
    --digest-soft: light-dark(#fdf3e3, #2c2417);
    --prefix-ink: light-dark(#5f3fae, #bba8f0);
    --kept-ink: light-dark(#17694a, #74d3a8);
    --folded-ink: light-dark(#5c636b, #9aa3ad);
    --cleared-ink: light-dark(#765a2f, #c5a878);
    --tail-ink: light-dark(#1f5fae, #8ebcf4);
    --digest-ink: light-dark(#8a4f00, #ecb665);
    --sans: var(--plica-sans, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif);
    --mono: var(--plica-mono, ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "DejaVu Sans Mono", monospace);
    --round: 8px;
  }
`;

/** Controls and words that every view uses. */
export const common = [
  tokens,
  textStyles,
  css`
    *, *::before, *::after { box-sizing: border-box; }
    [hidden] { display: none !important; }
    :host { font: 14px/1.5 var(--sans); color: var(--text); }
    h1, h2, h3, p, dl, dd, ul, ol, fieldset { margin: 0; padding: 0; }
    h2 { font-size: 13px; font-weight: 650; letter-spacing: .01em; }
    h3 { font-size: 13px; font-weight: 600; }
    .num { font-variant-numeric: tabular-nums; }
    .quiet { color: var(--quiet); }
    .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; border-radius: 4px; }
    button, select, input[type="number"], input[type="search"] {
      font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
    }
    button { padding: 4px 10px; cursor: pointer; }
    button:hover:not(:disabled) { border-color: var(--quiet); }
    button:disabled { color: var(--quiet); cursor: default; }
    button.ghost { border-color: transparent; background: none; padding: 2px 6px; color: var(--quiet); }
    button.ghost:hover { color: var(--text); background: var(--soft); }
    button.link { border: 0; background: none; padding: 0; color: var(--accent); text-align: start; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 2px; }
    button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
    select, input[type="number"] { padding: 3px 6px; }
    input[type="number"] { text-align: end; font-variant-numeric: tabular-nums; appearance: textfield; }
    input[type="number"]::-webkit-inner-spin-button { appearance: none; }
    input[type="checkbox"], input[type="radio"], input[type="range"] { accent-color: var(--accent); }
    a { color: var(--accent); }
    .chip { display: inline-flex; align-items: center; gap: 5px; font-size: 12px; line-height: 18px; white-space: nowrap; }
    .dot { display: inline-block; width: 8px; height: 8px; border-radius: 2px; background: var(--dot, var(--folded)); flex: none; }
    .is-prefix { --dot: var(--prefix); --ink: var(--prefix-ink); }
    .is-kept { --dot: var(--kept); --ink: var(--kept-ink); }
    .is-folded { --dot: var(--folded); --ink: var(--folded-ink); }
    .is-cleared { --dot: var(--cleared); --ink: var(--cleared-ink); }
    .is-tail { --dot: var(--tail); --ink: var(--tail-ink); }
    .is-digest { --dot: var(--digest); --ink: var(--digest-ink); }
    @media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; scroll-behavior: auto !important; } }
  `,
];
