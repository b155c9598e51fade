// What is in the file.

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Store } from "../store.js";
import { bytes, count, counted } from "../text/numbers.js";
import { hidden } from "./hidden.js";

/** Ids that are listed. */
const MOST = 100;

/** The panel of the file. */
export function about(store: Store): TemplateResult | typeof nothing {
  const { opened } = store;
  if (!opened) return nothing;
  const { inspection } = opened;
  const facts: [string, string | number, string?][] = [
    ["Kind", inspection.kind], ["Messages are", inspection.format], ["Size", bytes(opened.size)],
    ["Messages in the window", inspection.messages], ...inspection.roles.map(([role, n]): [string, number, string] => [role, n, "sub"]),
    ["Messages in all", inspection.allMessages], ["Tokens of the window", inspection.tokens], ["Tool calls", inspection.calls],
    ["Tool results", inspection.results], ["Pictures and files", inspection.media], ["Signed reasoning", inspection.signed],
    ["Folds are from", opened.ledger === "file" ? "the file itself" : opened.ledger === "opened" ? "a ledger" : opened.ledger === "spans" ? "spans in the file" : "nowhere"],
  ];
  return html`<div class="stack">
    ${opened.branches.length > 1 ? branch(store) : nothing}
    <dl class="facts">${facts.map(([name, value, sub]) => html`<dt class=${sub ?? ""}>${hidden(name)}</dt><dd class="num">${typeof value === "number" ? count(value) : hidden(value)}</dd>`)}</dl>
    ${ids("call waits for its result", "calls wait for their results", inspection.pending)}
    ${ids("call without result", "calls without result", inspection.unanswered)}
    ${ids("result without call", "results without call", inspection.orphans)}
    ${inspection.skipped.length === 0 ? nothing : html`<details><summary>${counted(inspection.skipped.reduce((sum, [, n]) => sum + n, 0), "other record")}</summary><dl class="facts">${inspection.skipped.map(([code, n]) => html`<dt>${hidden(code)}</dt><dd class="num">${count(n)}</dd>`)}</dl></details>`}
  </div>`;
}

function branch(store: Store): TemplateResult {
  const { opened } = store;
  return html`<p><label>Branch <select @change=${(event: Event) => void store.reopen({ branch: (event.target as HTMLSelectElement).value })}>
    ${opened?.branches.map(({ id, line, records, active, sidechain }) => html`<option value=${id} ?selected=${opened.branch === null ? active : opened.branch === id}>line ${count(line)} · ${counted(records, "record")}${sidechain ? " · side chain" : ""}${active ? " · active" : ""}</option>`)}
  </select></label></p>`;
}

function ids(one: string, many: string, list: readonly string[]): TemplateResult | typeof nothing {
  if (list.length === 0) return nothing;
  return html`<details><summary>${counted(list.length, one, many)}</summary><ul>${list.slice(0, MOST).map((id) => html`<li>${hidden(id)}</li>`)}</ul></details>`;
}
