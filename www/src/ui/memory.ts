// The facts of a memory: pins, and its health.

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Store } from "../store.js";
import { count, counted } from "../text/numbers.js";
import { hidden } from "./hidden.js";

/** The panel of the memory. */
export function memory(store: Store): TemplateResult | typeof nothing {
  const view = store.opened?.memory;
  if (!view) return nothing;
  return html`<div class="stack">
    <p>${counted(view.total, "fact")}, ${count(view.pinned)} pinned</p>
    ${view.findings.length === 0 ? html`<p class="quiet">Nothing is out of balance.</p>` : html`<ul class="list">${view.findings.map(({ code, message }) => html`<li class="finding" data-code=${code}>${hidden(message)}</li>`)}</ul>`}
    <table><caption class="sr">Facts by agent</caption><thead><tr><th scope="col">Agent</th><th scope="col" class="num">Facts</th></tr></thead>
      <tbody>${view.byAgent.slice(0, 50).map(({ agent, facts }) => html`<tr><th scope="row">${hidden(agent)}</th><td class="num">${count(facts)}</td></tr>`)}</tbody></table>
    <section><h2>Facts</h2><ul class="fact-list">${view.facts.map((fact) => html`<li class=${fact.pinned ? "is-pinned" : ""}>
      <strong>${hidden(fact.key)}</strong> ${fact.pinned ? html`<span class="chip is-kept"><i class="dot" aria-hidden="true"></i>pinned</span>` : nothing}<br>
      ${hidden(fact.value)}<br><span class="quiet num">importance ${fact.importance}${fact.kind === "" ? "" : html` · ${hidden(fact.kind)}`} · ${hidden(fact.agent)}</span></li>`)}</ul>
      ${view.total > view.facts.length ? html`<p class="quiet">and ${count(view.total - view.facts.length)} more</p>` : nothing}</section>
  </div>`;
}
