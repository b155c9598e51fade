// What is wrong: lines that could not be read, and faults of the window.

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Store } from "../store.js";
import { count, counted } from "../text/numbers.js";
import { hidden } from "./hidden.js";

/** Entries of a list that are shown; the rest are counted. */
const MOST = 300;

/** The panel of the problems. */
export function problems(store: Store): TemplateResult {
  const { checks } = store;
  const lines = store.opened?.problems ?? [];
  const errors = store.opened?.errors ?? new Uint32Array();
  return html`<div class="stack">
    ${store.isEmpty ? nothing : checks === undefined ? html`<p class="quiet" role="status">Checking the window…</p>` : html`<section><h2>${checks.length === 0 ? "The window has no fault that a provider would refuse" : counted(checks.length, "fault of the window", "faults of the window")}</h2>
      <ul class="list">${checks.slice(0, MOST).map(({ item, code, message }) => html`<li><button type="button" class="entry" data-item=${item} @click=${() => store.goTo(item)}><span class="where num">message ${count(item + 1)}</span><strong>${code}</strong><br>${hidden(message)}</button></li>`)}${more(checks.length)}</ul></section>`}
    ${lines.length === 0 ? nothing : html`<section><h2>${counted(lines.length, "problem of the file", "problems of the file")}</h2>
      <ul class="list">${lines.slice(0, MOST).map(({ line, code, message }) => html`<li><p class="entry"><span class="where num">line ${count(line)}</span><strong>${code}</strong><br>${hidden(message)}</p></li>`)}${more(lines.length)}</ul></section>`}
    ${errors.length === 0 ? nothing : html`<section><h2>${counted(errors.length, "tool call that failed", "tool calls that failed")}</h2>
      <ul class="list">${Array.from(errors.subarray(0, MOST), (item) => html`<li><button type="button" class="entry" data-item=${item} @click=${() => store.goTo(item)}><span class="where num">message ${count(item + 1)}</span></button></li>`)}${more(errors.length)}</ul></section>`}
  </div>`;
}

const more = (length: number): TemplateResult | typeof nothing => (length > MOST ? html`<li class="quiet">and ${count(length - MOST)} more</li>` : nothing);
