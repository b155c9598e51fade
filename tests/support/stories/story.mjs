// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Stories: what the user says, what the assistant answers, what it calls and what comes back, without a format.
//
// Steps: { kind: 'system', text, developer? } · { kind: 'user', text, image?, synthetic? }
//        { kind: 'assistant', thinking: [], texts: [], calls: [], server: [], legacy?, thinkingLast?, late? }
//        { kind: 'results', results: [{ id, content, error?, legacy? }], textAfter?, textBefore? }
//        { kind: 'other', text }

import { seedTag, words } from './dice.mjs';

const TOOLS = ['read', 'bash', 'search', 'write', 'list'];
const SYNTHETIC = ['project_instructions', 'system_reminder', 'steer', 'compaction_summary', 'memory', 'retry_feedback', 'brand_new_kind'];

export function call(r, id) {
  const input = r.pick([
    {}, { path: 'src/a.js' }, { b: 1, a: [1, 2.5, null], z: { y: true } }, { text: words(r, 6) }, { n: 9007199254740991 },
  ]);
  return { id, name: r.pick(TOOLS), input };
}

export function resultFor(r, c) {
  const content = r.chance(0.1) ? [{ type: 'text', text: words(r) }] : r.chance(0.05) ? words(r, 400) : words(r, 20);
  return { id: c.id, content, error: r.chance(0.1), legacy: c.legacy };
}

export function invent(r, turns, format) {
  const story = [];
  const reuse = r.chance(0.3); // the back end starts counting anew with every reply
  const thinks = r.chance(0.5);
  let serial = 0;
  const callId = (n) => (reuse ? `call_${n}` : `call_${seedTag(r)}_${serial++}`);
  for (let n = r.below(3); n > 0; n--) story.push({ kind: 'system', text: words(r), developer: r.chance(0.3) });
  if (format === 'hotl' && r.chance(0.3)) {
    story.push({ kind: 'user', text: words(r), synthetic: r.pick(['project_instructions', 'memory']) });
  }
  for (let t = 0; t < turns; t++) {
    for (let n = r.chance(0.1) ? 2 : 1; n > 0; n--) {
      story.push({ kind: 'user', text: words(r, 30), image: r.chance(0.05), synthetic: format === 'hotl' && r.chance(0.15) ? r.pick(SYNTHETIC) : undefined });
    }
    if (r.chance(0.06)) story.push({ kind: 'system', text: words(r) }); // in the middle
    if (format === 'hotl' && r.chance(0.05)) story.push({ kind: 'other', text: words(r) });
    const steps = r.pick([0, 0, 1, 1, 2, 3, 6]);
    for (let s = 0; s < steps; s++) {
      const calls = [];
      for (let n = r.pick([1, 1, 1, 2, 3, 5]); n > 0; n--) calls.push(call(r, callId(calls.length)));
      if (format === 'openai-chat' && r.chance(0.04)) {
        calls.length = 1;
        calls[0].legacy = true;
        calls[0].id = calls[0].name;
      }
      const step = answer(r, thinks, calls);
      if (format !== 'openai-chat' && r.chance(0.1)) step.server.push({ id: `srv_${seedTag(r)}_${serial++}`, name: 'web_search' });
      story.push(step);
      const lastOfAll = t === turns - 1 && s === steps - 1;
      if (lastOfAll && r.chance(0.3)) {
        if (calls.length > 1 && r.chance(0.5)) story.push({ kind: 'results', results: [resultFor(r, calls[0])] });
        return story; // in flight
      }
      let results = calls.map((c) => resultFor(r, c));
      if (r.chance(0.2)) results = results.reverse();
      if (format === 'hotl' && r.chance(0.15)) story.push({ kind: 'user', text: words(r), synthetic: 'steer' });
      if (results.length > 1 && r.chance(0.1)) {
        story.push({ kind: 'results', results: results.slice(0, 1) }, { kind: 'results', results: results.slice(1) });
      } else {
        story.push({ kind: 'results', results, textAfter: r.chance(0.1) ? words(r) : undefined });
      }
      if (r.chance(0.05)) story.push({ kind: 'user', text: words(r) }); // a word while it works
    }
    if (!(t === turns - 1 && r.chance(0.3))) {
      story.push(answer(r, thinks, []));
      if (r.chance(0.04)) story.push(answer(r, false, [])); // two answers in a row
    }
  }
  return story;
}

export function answer(r, thinks, calls) {
  const thinking = [];
  if (thinks && r.chance(0.8)) {
    thinking.push({ text: words(r, 20), signature: `Eq${seedTag(r)}${seedTag(r)}==` });
    if (r.chance(0.1)) thinking.push({ redacted: `Rd${seedTag(r)}` });
  }
  const texts = [];
  if (calls.length === 0 || r.chance(0.4)) texts.push(words(r, 40));
  if (r.chance(0.05)) texts.push(words(r));
  return { kind: 'assistant', thinking, texts, calls, server: [] };
}
