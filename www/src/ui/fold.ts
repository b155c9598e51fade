// A fold: its digest beside the originals that it stands for, through folds of folds.

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { FoldView } from "../protocol.js";
import { count, counted } from "../text/numbers.js";
import { StoreView, common } from "./base.js";
import { hidden } from "./hidden.js";

/** The digest and the originals, side by side. */
export class FoldDetail extends StoreView {
  static override readonly properties = { ...StoreView.properties, linkTo: { attribute: false } };
  static override readonly styles = [...common, css`
    :host { display: grid; grid-template: auto 1fr / minmax(280px, 5fr) minmax(0, 7fr); height: 100%; min-height: 0; }
    .top { grid-column: 1 / -1; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; padding: 8px 20px; border-bottom: 1px solid var(--line); background: var(--surface); }
    .path { display: flex; flex-wrap: wrap; align-items: baseline; gap: 6px; list-style: none; }
    .path li + li::before { content: "‹"; color: var(--quiet); margin-inline-end: 6px; }
    .state { padding: 1px 8px; border-radius: 999px; font-size: 12px; background: var(--digest-soft); color: var(--digest-ink); }
    .state.lost { background: var(--soft); color: var(--quiet); }
    .choice { display: inline-flex; margin-inline-start: auto; }
    .choice button { border-radius: 0; }
    .choice button:first-child { border-radius: 6px 0 0 6px; }
    .choice button:last-child { border-radius: 0 6px 6px 0; border-inline-start: 0; }
    .choice button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
    .column { min-height: 0; display: grid; grid-template-rows: auto 1fr; border-inline-end: 1px solid var(--line); }
    .column h2 { padding: 6px 20px; font-size: 12px; font-weight: 600; color: var(--quiet); background: var(--ground); border-bottom: 1px solid var(--line); }
    .lost-note { padding: 24px; color: var(--quiet); max-width: 60ch; }
    .facts { display: flex; flex-wrap: wrap; gap: 2px 18px; font-size: 12.5px; flex-basis: 100%; }
    .facts div { display: flex; gap: 6px; }
    .facts dt { color: var(--quiet); }
    @media (max-width: 900px) { :host { grid-template: auto minmax(180px, 2fr) 3fr / minmax(0, 1fr); } .column { border-inline-end: 0; } }
    @media (max-width: 640px) {
      .top { padding: 8px 12px; }
      .shut { margin-inline-start: auto; }
      .choice { order: 1; flex-basis: 100%; margin-inline-start: 0; }
      .choice button { flex: 1; }
      .facts { order: 2; }
      .column h2 { padding: 6px 12px; }
    }
  `];

  declare linkTo: (item: number) => string;

  protected override render(): TemplateResult | typeof nothing {
    const { opened, view } = this.store;
    const fold = view.kind === "fold" ? opened?.folds[view.fold] : undefined;
    if (!opened || !fold || view.kind !== "fold") return nothing;
    const { deep } = view;
    return html`
      <div class="top">
        <nav aria-label="Folds around this one"><ol class="path">${this.path(fold).map((number, place) => html`<li>${place === 0 ? html`<strong aria-current="page">Fold ${number + 1}</strong>` : html`in <button type="button" class="link" @click=${() => this.look(number)}>fold ${number + 1}</button>`}</li>`)}</ol></nav>
        <span class="state ${fold.state === "with-originals" ? "" : "lost"}">${fold.state === "with-originals" ? "with originals" : "originals not at hand"}</span>
        ${fold.state === "with-originals" ? html`<span class="choice" role="group" aria-label="Which originals">
          <button type="button" aria-pressed=${deep ? "false" : "true"} @click=${() => this.look(fold.number, false)}>What it took</button>
          <button type="button" aria-pressed=${deep ? "true" : "false"} @click=${() => this.look(fold.number, true)}>Down to the first messages</button>
        </span>` : nothing}
        <button type="button" class="shut" @click=${() => this.store.lookAt({ kind: "session" })}>Close</button>
        <dl class="facts">${fold.facts.map(([name, value]) => html`<div><dt>${name}</dt><dd class="num">${typeof value === "number" ? count(value) : hidden(value)}</dd></div>`)}</dl>
      </div>
      <section class="column" aria-label="Digest"><h2>Digest</h2><plica-messages .store=${this.store} .items=${this.digestOf(fold)} .expanded=${true} .label=${`Digest of fold ${fold.number + 1}`} .linkTo=${this.linkTo}></plica-messages></section>
      <section class="column" aria-label="Originals"><h2>${this.heading(fold, deep)}</h2>
        ${fold.state === "with-originals"
          ? html`<plica-messages .store=${this.store} .items=${this.store.listed} .main=${true} .label=${`Originals of fold ${fold.number + 1}`} .linkTo=${this.linkTo}></plica-messages>`
          : html`<p class="lost-note">The fold is recorded, so this digest is a real one. What it stands for was not kept here: open the ledger or the file that holds the originals to see them.</p>`}
      </section>`;
  }

  private digests: { of: FoldView; items: Uint32Array } | undefined;

  private digestOf(fold: FoldView): Uint32Array {
    if (this.digests?.of !== fold) this.digests = { of: fold, items: Uint32Array.from(fold.digest) };
    return this.digests.items;
  }

  private heading(fold: FoldView, deep: boolean): string {
    if (fold.state !== "with-originals") return "Originals";
    if (!deep) return `What it took: ${counted(fold.originals.length, "message")}`;
    return `What it stands for: ${counted(fold.covers.reduce((sum, [first, last]) => sum + last - first + 1, 0), "message")}`;
  }

  /** This fold, and the folds that took its digest in turn. */
  private path(fold: FoldView): number[] {
    const path = [fold.number];
    const { opened } = this.store;
    for (let next = opened?.takenBy[fold.digest[0] ?? 0] ?? -1; next > (path.at(-1) ?? 0); next = opened?.takenBy[opened.folds[next]?.digest[0] ?? 0] ?? -1) path.push(next);
    return path;
  }

  private look(fold: number, deep = false): void {
    this.store.lookAt({ kind: "fold", fold, deep });
  }
}
