// The planner: options, what becomes of the window, the digest, and what can be saved.

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { FATES } from "../protocol.js";
import type { PlanView, SaveKind, Settings } from "../protocol.js";
import { budgetStep, sentence } from "../store.js";
import { count, counted } from "../text/numbers.js";
import { fill } from "../text/hidden.js";
import { StoreView, common } from "./base.js";

/** Why nothing folds, by the code of the plan. */
const NOTHING: Record<string, string> = {
  "nothing-to-fold": "Nothing folds: nothing before the tail could.",
  "only-existing-summary": "Nothing folds: only an earlier digest stands before the tail.",
  "no-legal-cut": "Nothing folds: every cut would tear a call from its result.",
  "pending-call": "Nothing folds: a call still waits for its result.",
};

/** The options that are on or off. */
const SWITCHES: readonly [keyof Settings & ("anchorTask" | "anchorRequest" | "keepSystem"), string][] = [
  ["anchorTask", "Keep the first request"],
  ["anchorRequest", "Keep the latest request"],
  ["keepSystem", "Keep system messages"],
];

/** The panel that plans. */
export class PlannerView extends StoreView {
  static override readonly styles = [...common, css`
    :host { display: grid; gap: 18px; }
    .headline { font-size: 22px; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; }
    .headline .quiet { font-weight: 400; }
    .saved { display: block; margin-top: 2px; font-size: 13px; font-weight: 400; letter-spacing: 0; color: var(--quiet); }
    .budget { display: grid; grid-template-columns: 1fr auto; gap: 4px 10px; align-items: center; }
    .budget label { grid-column: 1 / -1; font-weight: 600; font-size: 13px; }
    .budget input[type="range"] { width: 100%; margin: 0; }
    .budget input[type="number"] { width: 11ch; }
    table { width: 100%; border-collapse: collapse; font-size: 13px; }
    th { text-align: start; font-weight: 400; padding: 3px 0; }
    thead th { color: var(--quiet); font-size: 12px; }
    td, thead th:not(:first-child) { text-align: end; padding: 3px 0; }
    tbody tr { border-top: 1px solid var(--line); }
    tbody th { color: var(--ink, inherit); }
    tfoot tr { border-top: 1px solid var(--quiet); font-weight: 600; }
    fieldset { border: 0; display: grid; gap: 4px; min-width: 0; }
    fieldset label { display: flex; align-items: center; gap: 8px; }
    .turns input { width: 6ch; }
    .note { padding: 6px 10px; border-radius: 6px; background: var(--warn-soft); color: var(--warn); font-size: 13px; }
    .buttons { display: flex; flex-wrap: wrap; gap: 6px; }
    .digest { max-height: 320px; overflow: auto; padding: 10px 12px; border: 1px solid var(--line); border-radius: var(--round); background: var(--ground); font: 12px/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
    section { display: grid; gap: 8px; }
  `];

  private result = "";

  protected override render(): TemplateResult | typeof nothing {
    const { opened, plan, settings } = this.store;
    if (!opened) return nothing;
    if (opened.items === 0) return html`<p class="quiet">There are no messages to plan.</p>`;
    return html`
      <p class="headline num" data-before=${plan?.before ?? nothing} data-after=${(plan?.none === null ? this.tokensAfter(plan) : undefined) ?? nothing}>${this.headline(plan)}</p>
      ${this.budget(opened.inspection.tokens)}
      ${this.options(settings)}
      ${plan ? this.note(plan) : nothing}
      ${plan ? this.table(plan) : nothing}
      ${this.digest()}
      ${this.saving(plan)}`;
  }

  /** Of two lines at any time, so that what stands below never moves under the hand of who changes an option. */
  private headline(plan: PlanView | undefined): TemplateResult {
    const { first, second } = this.headlines(plan);
    return html`${first}<span class="saved">${second || "\u00a0"}</span>`;
  }

  private headlines(plan: PlanView | undefined): { first: TemplateResult; second: string } {
    if (!plan) return { first: html`<span class="quiet">Planning…</span>`, second: "" };
    if (plan.none !== null) return { first: html`${count(plan.before)} <span class="quiet">tokens stay</span>`, second: "" };
    const after = this.tokensAfter(plan);
    const before = html`<span class="quiet">${count(plan.before)} <span aria-hidden="true">→</span><span class="sr">becomes</span></span>`;
    if (after === undefined) return { first: html`${before} … <span class="quiet">tokens</span>`, second: "" };
    const share = plan.before > 0 ? Math.round((1 - after / plan.before) * 100) : 0;
    return {
      first: html`${before} ${count(after)} <span class="quiet">tokens</span>`,
      second: after < plan.before ? `${share} % less, with the digest that needs no model` : "No smaller with the digest that needs no model",
    };
  }

  /** Tokens after the fold; undefined until the digest is known. */
  private tokensAfter({ tokens }: PlanView): number | undefined {
    const { digest } = this.store;
    if (!digest) return undefined;
    const stays = (tokens[0] ?? 0) + (tokens[1] ?? 0) + (tokens[3] ?? 0) + (tokens[4] ?? 0);
    return stays + digest.tokens;
  }

  private budget(total: number): TemplateResult {
    const step = budgetStep(total);
    const most = Math.ceil(Math.max(1, total) / step) * step;
    const { tailBudget } = this.store.settings;
    return html`<div class="budget">
      <label for="slider">Budget of the tail, in tokens</label>
      <input id="slider" type="range" min="0" max=${most} step=${step} .value=${String(tailBudget)} aria-valuetext=${counted(tailBudget, "token")} @input=${(event: Event) => this.store.setSettings({ tailBudget: whole(event) })}>
      <input id="budget" type="number" min="0" step="1" inputmode="numeric" aria-label="Budget of the tail, in tokens, as a number" .value=${String(tailBudget)} @input=${(event: Event) => this.store.setSettings({ tailBudget: whole(event) })}>
    </div>`;
  }

  private options(settings: Settings): TemplateResult {
    return html`<fieldset>
      <legend class="sr">What stays besides the tail</legend>
      ${SWITCHES.map(([name, label]) => html`<label><input type="checkbox" .checked=${settings[name]} @change=${(event: Event) => this.store.setSettings({ [name]: (event.target as HTMLInputElement).checked })}> ${label}</label>`)}
      <label class="turns">Keep the latest <input type="number" min="0" max="999" step="1" .value=${String(settings.keepTurns)} @input=${(event: Event) => this.store.setSettings({ keepTurns: whole(event) })}> turns</label>
    </fieldset>`;
  }

  private note(plan: PlanView): TemplateResult | typeof nothing {
    if (plan.none !== null) return html`<p class="note">${NOTHING[plan.none] ?? `Nothing folds: ${plan.none}.`}</p>`;
    if (plan.overBudget) return html`<p class="note">No legal cut fits this budget: what you see is the smallest tail that can be kept.</p>`;
    if (plan.pending.length > 0) return html`<p class="note">${counted(plan.pending.length, "call still waits", "calls still wait")} for a result: no cut after it is legal.</p>`;
    return nothing;
  }

  private table(plan: PlanView): TemplateResult {
    const messages = FATES.map(() => 0);
    for (const fate of plan.fates) messages[fate] = (messages[fate] ?? 0) + 1;
    const { digest } = this.store;
    const after = this.tokensAfter(plan);
    return html`<table>
      <caption class="sr">What becomes of the messages of the window</caption>
      <thead><tr><th scope="col">Fate</th><th scope="col">Messages</th><th scope="col">Tokens</th></tr></thead>
      <tbody>
        ${FATES.map((fate, i) => (messages[i] === 0 ? nothing : html`<tr class="is-${fate}" data-fate=${fate}><th scope="row"><span class="chip"><i class="dot" aria-hidden="true"></i>${fate}</span></th><td class="num">${count(messages[i] ?? 0)}</td><td class="num">${count(plan.tokens[i] ?? 0)}</td></tr>`))}
        ${plan.none === null ? html`<tr class="is-digest" data-fate="digest"><th scope="row"><span class="chip"><i class="dot" aria-hidden="true"></i>digest</span></th><td class="num">new</td><td class="num">${digest ? count(digest.tokens) : "…"}</td></tr>` : nothing}
      </tbody>
      ${after === undefined ? nothing : html`<tfoot><tr><th scope="row">After</th><td></td><td class="num">${count(after)}</td></tr></tfoot>`}
    </table>`;
  }

  private digest(): TemplateResult | typeof nothing {
    const { digest, plan } = this.store;
    if (!plan || plan.none !== null) return nothing;
    if (digest === undefined && this.store.isLarge) return html`<section><h2>Digest without a model</h2><p><button type="button" data-digest @click=${() => this.store.askDigest()}>Make the digest</button> <span class="quiet">of a window this large it takes a while</span></p></section>`;
    return html`<section><h2>Digest without a model</h2>${this.digestText(digest?.text ?? this.lastDigest.text)}</section>`;
  }

  private lastDigest: { text: string; element: HTMLElement | undefined } = { text: "…", element: undefined };

  /** Kept while the text is the same, so that it stays where it was scrolled to. */
  private digestText(text: string): HTMLElement {
    if (this.lastDigest.element && this.lastDigest.text === text) return this.lastDigest.element;
    const element = document.createElement("div");
    element.className = "digest";
    element.dir = "auto";
    element.tabIndex = 0;
    element.setAttribute("role", "region");
    element.setAttribute("aria-label", "Text of the digest");
    fill(element, text);
    this.lastDigest = { text, element };
    return element;
  }

  private saving(plan: PlanView | undefined): TemplateResult {
    const { moment, opened } = this.store;
    const now = moment === (opened?.items ?? 0) - 1;
    const off = !plan || plan.none !== null || !now;
    const button = (kind: SaveKind, label: string): TemplateResult => html`<button type="button" data-save=${kind} ?disabled=${off} @click=${() => void this.save(kind)}>${label}</button>`;
    return html`<section><h2>Save this fold</h2>
      <div class="buttons">${button("conversation", "Conversation")}${button("ledger", "Ledger")}${button("request", "Summarize request")}
        <button type="button" data-prove ?disabled=${off} @click=${() => void this.prove()}>Check that it unfolds</button></div>
      <p class="quiet" role="status">${now ? this.result : "Files are saved of the present window: choose Now in the timeline."}</p>
    </section>`;
  }

  private async save(kind: SaveKind): Promise<void> {
    try {
      const { name, type, bytes } = await this.store.save(kind);
      const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
      const link = document.createElement("a");
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
      this.say(`${name} saved.`);
    } catch (error) {
      this.say(`Not saved: ${sentence(error)}`);
    }
  }

  private async prove(): Promise<void> {
    this.say("Folding and unfolding…");
    try {
      const { exact, messages, bytes } = await this.store.prove();
      this.say(exact ? `Folded and unfolded: all ${count(bytes)} bytes came back, ${counted(messages, "message")}.` : `Unfolded to ${counted(messages, "message")}, but not byte for byte.`);
    } catch (error) {
      this.say(`Not checked: ${sentence(error)}`);
    }
  }

  private say(text: string): void {
    this.result = text;
    this.requestUpdate();
  }
}

/** A whole number, 0 or more. */
const whole = (event: Event): number => Math.max(0, Math.floor(Number((event.target as HTMLInputElement).value) || 0));
