// What a search found.

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Hit } from "../protocol.js";
import type { Store } from "../store.js";
import { count, counted } from "../text/numbers.js";
import { hidden } from "./hidden.js";

/** Hits that are listed. */
const MOST = 500;

/** The panel of the search. */
export function hits(store: Store): TemplateResult | typeof nothing {
  const { search, opened } = store;
  if (!search || !opened) return nothing;
  const said = search.done ? `${counted(search.total, "place")} found` : `${counted(search.total, "place")} found so far, ${count(search.searched)} of ${count(opened.items)} searched`;
  return html`<div class="stack">
    <p role="status">${said}</p>
    <ul class="list">${search.hits.slice(0, MOST).map((hit) => entry(store, hit))}
      ${search.total > MOST ? html`<li class="quiet">The first ${count(MOST)} are listed.</li>` : nothing}</ul>
  </div>`;
}

function entry(store: Store, hit: Hit): TemplateResult {
  const { item, excerpt, from, to } = hit;
  const role = store.opened?.roles[store.opened.roleOf[item] ?? 0] ?? "";
  return html`<li><button type="button" class="entry" data-item=${item} aria-current=${store.hit === hit ? "true" : "false"} @click=${() => void store.goToHit(hit)}>
    <span class="where num">${count(item + 1)} ${hidden(role, 20)}</span><br>${hidden(excerpt.slice(0, from))}<mark>${hidden(excerpt.slice(from, to))}</mark>${hidden(excerpt.slice(to))}
  </button></li>`;
}
