// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A conversation that is the same in every process: after so many steps its window, its ledger and all that was said are known. Every
// step says two messages, and some of them fold.

import { loaded } from './package.mjs';

const { Ledger, digestMessage, fold, plan } = loaded.esm;
const FORMAT = 'openai-chat';
const FOLD_EACH = 5;

export const said = (step) => [{ role: 'user', content: `request ${step} ${'of the garden '.repeat(step % 7)}` }, { role: 'assistant', content: `answer ${step}` }];

export const emptyStory = () => ({ messages: [], ledger: new Ledger() });

/** One step further: what was there stays as it is. */
export function tell({ messages, ledger }, step) {
  const window = [...messages, ...said(step)];
  if (step % FOLD_EACH !== FOLD_EACH - 1) return { messages: window, ledger, folded: false };
  const p = plan(window, { format: FORMAT, tailBudget: 60, ledger });
  if (p.kind === 'none') return { messages: window, ledger, folded: false };
  const digest = digestMessage(`GOAL: up to ${step}`, { format: FORMAT });
  ledger.record({ messages: window, plan: p, digest, outcome: 'summarized' });
  return { messages: fold(window, p, digest), ledger, folded: true };
}

export function storyAfter(steps) {
  let story = emptyStory();
  for (let step = 0; step < steps; step++) story = tell(story, step);
  return story;
}
