// The list of folds, and what it says when there is none.

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { FoldView } from "../protocol.js";
import type { Store } from "../store.js";
import { count, counted } from "../text/numbers.js";
import { hidden } from "./hidden.js";

/** The panel of the folds. */
export function folds(store: Store): TemplateResult {
  const all = store.opened?.folds ?? [];
  if (all.length === 0) {
    return html`<div class="stack">${incomplete(store)}<p>No fold is recorded in this file.</p>
      <p class="quiet">If the conversation was folded by plica, its ledger is a file beside it: open both together, or open the ledger now.</p></div>`;
  }
  return html`<div class="stack">
    ${incomplete(store)}
    <ol class="list">${all.map((fold) => entry(store, fold))}</ol>
  </div>`;
}

/** Why the whole conversation cannot be shown. */
const incomplete = (store: Store): unknown => (store.opened?.incomplete ? html`<p class="finding">${hidden(store.opened.incomplete, 1_000)}</p>` : nothing);

function entry(store: Store, fold: FoldView): TemplateResult {
  const { view } = store;
  const stood = fold.covers.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const current = view.kind === "fold" && view.fold === fold.number;
  return html`<li><button type="button" class="entry" data-fold=${fold.number} aria-current=${current ? "true" : "false"} @click=${() => store.lookAt({ kind: "fold", fold: fold.number, deep: false })}>
    <strong>Fold ${fold.number + 1}</strong> <span class="where num">after message ${count(fold.moment + 1)}</span><br>
    ${fold.state === "with-originals" ? `Stands for ${counted(stood, "message")}` : "Its originals are not at hand"}
    ${fold.facts.slice(0, 4).map(([name, value]) => html`<span class="quiet"> · ${name} ${typeof value === "number" ? count(value) : hidden(value)}</span>`)}
  </button></li>`;
}
