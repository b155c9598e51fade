// The looks of a message.

import { css } from "lit";

/** For {@link MessagesView}. */
export const rowStyles = css`
  .row { padding: 10px 20px 12px 24px; border-bottom: 1px solid var(--line); background: var(--surface); outline-offset: -2px; }
  .row::before { content: ""; position: absolute; inset-block: 0; inset-inline-start: 0; width: 4px; background: var(--dot, transparent); }
  .row.is-out { background: var(--ground); }
  .row.is-out::before { background: repeating-linear-gradient(transparent 0 4px, var(--out) 4px 8px); }
  .row.is-folded::before, .row.is-cleared::before { opacity: .8; }
  .row.is-digest { background: var(--digest-soft); }
  .row.is-current { box-shadow: inset 0 0 0 1px var(--accent); }
  .row.has-error .role { color: var(--bad); }
  .head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 10px; min-height: 24px; font-size: 12.5px; padding-inline-end: 56px; }
  .index { min-width: 3ch; color: var(--quiet); font-size: 12px; }
  .role { font-weight: 650; font-size: 13px; }
  .from { padding: 0 6px; border: 1px solid var(--line); border-radius: 999px; color: var(--quiet); font-size: 11.5px; line-height: 17px; }
  .tokens { font-size: 12px; }
  .fate { color: var(--ink, var(--quiet)); }
  .fate-name { font-weight: 600; }
  .fate .why { color: var(--quiet); font-weight: 400; white-space: normal; }
  .fate { white-space: normal; align-items: baseline; }
  .tools { position: absolute; top: 8px; inset-inline-end: 10px; display: flex; gap: 2px; opacity: 0; transition: opacity .12s; background: inherit; }
  .row:hover .tools, .row:focus-within .tools, .row:focus .tools { opacity: 1; }
  @media (hover: none) { .tools { opacity: 1; } }
  .tools button { font: 12px var(--mono); }
  .parts { max-width: 860px; }
  .part { margin-top: 6px; }
  .prose.is-short { max-height: 340px; overflow: hidden; mask-image: linear-gradient(#000 78%, transparent); }
  .foot { display: flex; align-items: baseline; gap: 10px; margin-top: 4px; font-size: 12px; }
  .more { font-size: 12px; padding: 1px 8px; }
  .banner { margin: 6px 0 2px; padding: 6px 10px; border-radius: 6px; font-size: 13px; max-width: 860px; border-inline-start: 3px solid var(--edge); background: var(--back); }
  .banner.found { --edge: var(--digest); --back: light-dark(#fbe8c9, #3b2f18); }
  .banner.lost { --edge: var(--folded); --back: var(--soft); }
  .banner.warn { --edge: var(--bad); --back: var(--bad-soft); }
  .fold-up { display: flex; flex-wrap: wrap; align-items: baseline; border: 1px solid var(--line); border-radius: var(--round); background: var(--ground); }
  .row.is-out .fold-up { background: var(--surface); }
  .fold-up + .fold-up { margin-top: 4px; }
  .fold-up.is-inner { margin-inline-start: 24px; }
  .opener { flex: 1; min-width: 0; display: flex; align-items: baseline; gap: 8px; padding: 4px 10px; border: 0; background: none; text-align: start; overflow: hidden; }
  .opener:hover { background: var(--soft); border-radius: var(--round); }
  .arrow { flex: none; width: 0; height: 0; border-block: 4px solid transparent; border-inline-start: 5px solid var(--quiet); align-self: center; transition: transform .12s; }
  .opener[aria-expanded="true"] .arrow { transform: rotate(90deg); }
  .label { flex: none; font-weight: 600; font-size: 12.5px; max-width: 60%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .kind { font-weight: 400; color: var(--quiet); }
  .hint { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--quiet); font: 12px var(--mono); }
  button.pair, .pair { flex: none; padding: 4px 10px; font-size: 12px; }
  .inside { flex: 1 0 100%; min-width: 0; padding: 2px 12px 10px; border-top: 1px solid var(--line); }
  .reasoning { border-style: dashed; }
  .reasoning .md { --t-text: var(--quiet); color: var(--quiet); }
  .reasoning .inside, .reasoning .label { color: var(--quiet); font-style: italic; font-weight: 400; }
  .is-error { border-color: color-mix(in srgb, var(--bad) 45%, var(--line)); background: var(--bad-soft); }
  .is-error .kind { color: var(--bad); font-weight: 650; }
  .verbatim { margin: 6px 0 0; font: 12.5px/1.5 var(--mono); white-space: pre-wrap; tab-size: 4; overflow-wrap: anywhere; max-height: 480px; overflow: auto; }
  .picture img { display: block; max-width: min(100%, 480px); max-height: 360px; border: 1px solid var(--line); border-radius: 6px; background: var(--soft); }
  .picture bdi { font: 12px var(--mono); overflow-wrap: anywhere; }
  .skeleton { height: 52px; border-radius: 6px; background: var(--soft); }
  @media (max-width: 640px) {
    .row { padding: 8px 12px 10px 14px; }
    .tools { opacity: 1; }
    .label { max-width: 70%; }
    .fate .why { flex-basis: 100%; }
  }
`;
