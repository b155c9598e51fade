// The side part: panels behind tabs.

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Panel, Store } from "../store.js";
import { count } from "../text/numbers.js";
import { about } from "./about.js";
import { StoreView, common } from "./base.js";
import { folds } from "./folds.js";
import { memory } from "./memory.js";
import { problems } from "./problems.js";
import { hits } from "./search.js";

/** Panels in the order of their tabs; one that has nothing to show has no tab. */
const PANELS: readonly { panel: Panel; label: string; there(store: Store): boolean; count?(store: Store): number }[] = [
  { panel: "plan", label: "Plan", there: () => true },
  { panel: "folds", label: "Folds", there: () => true, count: (store) => store.opened?.folds.length ?? 0 },
  { panel: "problems", label: "Problems", there: () => true, count: (store) => (store.opened?.problems.length ?? 0) + (store.checks?.length ?? 0) },
  { panel: "search", label: "Search", there: (store) => store.search !== undefined, count: (store) => store.search?.total ?? 0 },
  { panel: "memory", label: "Memory", there: (store) => store.opened?.memory != null, count: (store) => store.opened?.memory?.findings.length ?? 0 },
  { panel: "file", label: "File", there: () => true },
];

/** The tabs and the panel of the chosen one. */
export class SideView extends StoreView {
  static override readonly styles = [...common, css`
    :host { display: grid; grid-template-rows: auto 1fr; min-height: 0; height: 100%; background: var(--surface); }
    .tabs { display: flex; overflow-x: auto; padding: 0 12px; border-bottom: 1px solid var(--line); scrollbar-width: none; }
    .tabs button { flex: none; border: 0; border-radius: 0; background: none; padding: 9px 8px 7px; color: var(--quiet); border-bottom: 2px solid transparent; white-space: nowrap; }
    .tabs button[aria-selected="true"] { color: var(--text); font-weight: 600; border-bottom-color: var(--accent); }
    .tabs .n { margin-inline-start: 4px; font-size: 11.5px; font-weight: 400; color: var(--quiet); }
    .panel { overflow: auto; padding: 16px 20px 32px; min-height: 0; }
    .stack { display: grid; gap: 18px; }
    .list { list-style: none; display: grid; gap: 2px; }
    .list li { content-visibility: auto; contain-intrinsic-size: auto 48px; }
    .list button.entry { display: block; width: 100%; padding: 6px 10px; border-color: transparent; background: none; text-align: start; overflow-wrap: anywhere; }
    .list button.entry:hover { background: var(--soft); }
    .list button.entry[aria-current="true"] { background: var(--soft); border-color: var(--line); }
    .list .where { color: var(--quiet); font-size: 12px; margin-inline-end: 6px; }
    .list .entry strong { font-weight: 600; }
    .list p.entry { padding: 6px 10px; overflow-wrap: anywhere; }
    mark { background: light-dark(#ffe9a8, #5a4a16); color: inherit; border-radius: 2px; }
    dl.facts { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 3px 14px; font-size: 13px; }
    dl.facts dt { color: var(--quiet); }
    dl.facts dd { text-align: end; overflow-wrap: anywhere; }
    dl.facts .sub { padding-inline-start: 12px; }
    table { width: 100%; border-collapse: collapse; font-size: 13px; overflow-wrap: anywhere; }
    .stack { grid-template-columns: minmax(0, 1fr); }
    th { text-align: start; font-weight: 400; color: var(--quiet); }
    td, th { padding: 3px 0; }
    td.num, th.num { text-align: end; }
    tbody tr { border-top: 1px solid var(--line); }
    .finding { padding: 6px 10px; border-radius: 6px; background: var(--warn-soft); color: var(--warn); }
    .fact-list { list-style: none; display: grid; gap: 6px; }
    .fact-list li { padding: 6px 10px; border: 1px solid var(--line); border-radius: 6px; overflow-wrap: anywhere; }
    .fact-list li.is-pinned { border-inline-start: 3px solid var(--kept); }
    select { max-width: 100%; }
  `];

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    if (!store.opened) return nothing;
    const there = PANELS.filter((entry) => entry.there(store));
    const chosen = there.find(({ panel }) => panel === store.panel) ?? there[0];
    return html`
      <div class="tabs" role="tablist" aria-label="Details" @keydown=${this.key}>
        ${there.map(({ panel, label, count: counted }) => {
          const selected = panel === chosen?.panel;
          const n = counted?.(store) ?? 0;
          return html`<button type="button" role="tab" id=${`tab-${panel}`} data-panel=${panel} aria-selected=${selected ? "true" : "false"} aria-controls="panel" tabindex=${selected ? 0 : -1} @click=${() => store.showPanel(panel)}>${label}${n > 0 ? html`<span class="n num">${count(n)}</span>` : nothing}</button>`;
        })}
      </div>
      <div class="panel" id="panel" role="tabpanel" aria-labelledby=${`tab-${chosen?.panel ?? "plan"}`} tabindex="0">${this.panel(chosen?.panel ?? "plan")}</div>`;
  }

  private panel(panel: Panel): unknown {
    switch (panel) {
      case "plan":
        return html`<plica-planner .store=${this.store}></plica-planner>`;
      case "folds":
        return folds(this.store);
      case "problems":
        return problems(this.store);
      case "search":
        return hits(this.store);
      case "memory":
        return memory(this.store);
      case "file":
        return about(this.store);
    }
  }

  /** Arrow keys move between tabs. */
  private readonly key = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const tabs = [...this.renderRoot.querySelectorAll<HTMLElement>('[role="tab"]')];
    const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    const next = tabs[Math.min(tabs.length - 1, Math.max(0, at + step))];
    if (!next) return;
    this.store.showPanel(next.dataset["panel"] as Panel);
    void this.updateComplete.then(() => next.focus());
  };
}
