// One message in the list.

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Row } from "../protocol.js";
import type { Store } from "../store.js";
import { count, counted } from "../text/numbers.js";
import { hidden } from "./hidden.js";
import { part } from "./part.js";
import type { Made, Opened as OpenParts } from "./part.js";

/** What a row needs beside its message. */
export interface RowContext {
  store: Store;
  open: OpenParts;
  made: Made;
  /** Long prose is shown whole at first. */
  expanded: boolean;
  /** Copies a text, and says so. */
  copy(text: string | Promise<string>, what: string): void;
  /** The address that reopens the message. */
  link(item: number): string;
}

/** A message. */
export function row(shown: Row, context: RowContext): TemplateResult {
  const { store } = context;
  return html`
    <header class="head">
      <span class="index num">${count(shown.item + 1)}</span>
      <span class="role" data-role=${shown.role}>${hidden(shown.fold === null ? shown.role : "digest")}</span>
      ${shown.provenance === null ? nothing : html`<span class="from">${shown.provenance}</span>`}
      <span class="quiet num tokens">${counted(shown.tokens, "token")}</span>
      ${fate(shown, store)}
      <span class="tools">
        <button type="button" class="ghost" @click=${() => context.copy(context.link(shown.item), "Link")} aria-label="Copy a link to message ${shown.item + 1}" title="Copy link">#</button>
        <button type="button" class="ghost" @click=${() => context.copy(store.raw(shown.item), "Message")} aria-label="Copy message ${shown.item + 1} as JSON" title="Copy as JSON">{ }</button>
      </span>
    </header>
    ${digest(shown, store)}
    <div class="parts">
      ${shown.parts.map((own, index) => (own.inner ? nothing : part(shown, index, context)))}
      ${shown.partCount > shown.parts.length
        ? html`<button type="button" class="more" @click=${() => void store.moreParts(shown.item)}>Show more of ${counted(shown.partCount - shown.parts.length, "further part")}</button>`
        : nothing}
      ${shown.partCount === 0 ? html`<p class="quiet">No content</p>` : nothing}
    </div>
  `;
}

/** What becomes of the message, and why; or which fold took it. */
function fate(shown: Row, store: Store): TemplateResult {
  const planned = store.fate(shown.item);
  if (planned) {
    return html`<span class="chip fate is-${planned.fate}"><i class="dot" aria-hidden="true"></i><span class="fate-name">${planned.fate}</span> <span class="why">${planned.reason}</span></span>`;
  }
  const taken = store.opened?.takenBy[shown.item] ?? -1;
  if (taken >= 0 && store.moment > (store.opened?.folds[taken]?.moment ?? 0)) {
    return html`<span class="chip fate is-digest"><button type="button" class="link" @click=${() => store.lookAt({ kind: "fold", fold: taken, deep: false })}>behind fold ${taken + 1}</button></span>`;
  }
  return html`<span class="chip fate quiet">not in this window</span>`;
}

/** Says what is known of the fold behind a digest: three answers, and a warning for what only looks like one. */
function digest(shown: Row, store: Store): TemplateResult | typeof nothing {
  if (shown.lookalike) {
    return html`<p class="banner warn"><strong>Looks like a digest, but no fold is recorded for it.</strong> Nothing says that it stands for anything: read it as an ordinary message.</p>`;
  }
  const fold = shown.fold === null ? undefined : store.opened?.folds[shown.fold];
  if (!fold) return nothing;
  const stood = fold.covers.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (fold.state === "without-originals") {
    return html`<p class="banner lost"><strong>Fold ${fold.number + 1}</strong> is recorded; its originals are not at hand. <button type="button" class="link" @click=${() => store.lookAt({ kind: "fold", fold: fold.number, deep: false })}>What is known</button></p>`;
  }
  return html`<p class="banner found"><strong>Fold ${fold.number + 1}</strong> stands for ${counted(stood, "message")}. <button type="button" class="link" @click=${() => store.lookAt({ kind: "fold", fold: fold.number, deep: false })}>Beside its originals</button></p>`;
}
