// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What goes wrong in a story.

import { seedTag, words } from './dice.mjs';
import { answer, call, resultFor } from './story.mjs';

/** Things that go wrong. Each takes the story and the place of a step, and changes the story there. */
export const ACCIDENTS = [
  function dropResults(r, s, i) { if (s[i].kind === 'results') s.splice(i, 1); },
  function dropOneResult(r, s, i) { if (s[i].kind === 'results') { s[i].results.pop(); if (!s[i].results.length) s.splice(i, 1); } },
  function dropCaller(r, s, i) { if (s[i].kind === 'assistant' && s[i].calls.length) s.splice(i, 1); },
  function dropOneCall(r, s, i) { if (s[i].kind === 'assistant' && s[i].calls.length > 1) s[i].calls.pop(); },
  function steer(r, s, i) { if (s[i].kind === 'results') s.splice(i, 0, { kind: 'user', text: words(r), synthetic: r.chance(0.5) ? 'steer' : undefined }); },
  function systemBetween(r, s, i) { if (s[i].kind === 'results') s.splice(i, 0, { kind: 'system', text: words(r) }); },
  function secondResult(r, s, i) { if (s[i].kind === 'results') s[i].results.push({ ...s[i].results[0], content: words(r) }); },
  function sameId(r, s, i) { if (s[i].kind === 'assistant' && s[i].calls.length > 1) s[i].calls[1].id = s[i].calls[0].id; },
  function strayResult(r, s, i) { s.splice(i, 0, { kind: 'results', results: [{ id: `gone_${seedTag(r)}`, content: words(r) }] }); },
  function lateResults(r, s, i) { if (s[i].kind === 'results') s.splice(Math.min(s.length, i + 2 + r.below(3)), 0, ...s.splice(i, 1)); },
  function textFirst(r, s, i) { if (s[i].kind === 'results') s[i].textBefore = words(r); },
  function onlyThinking(r, s, i) { if (s[i].kind === 'assistant') { s[i].texts = []; s[i].calls = []; s[i].server = []; if (!s[i].thinking.length) s[i].thinking.push({ text: words(r), signature: 'Eq==' }); } },
  function unsigned(r, s, i) { if (s[i].kind === 'assistant') { if (!s[i].thinking.length) s[i].thinking.push({ text: words(r) }); for (const t of s[i].thinking) { delete t.signature; if ('redacted' in t) t.redacted = ''; } } },
  function thinkingLast(r, s, i) { if (s[i].kind === 'assistant') { s[i].thinkingLast = true; if (!s[i].thinking.length) s[i].thinking.push({ text: words(r), signature: 'Eq==' }); } },
  function blank(r, s, i) { if (s[i].kind === 'user' || s[i].kind === 'system') s[i].text = r.pick(['', ' ', '\n']); else if (s[i].kind === 'assistant') s[i].texts = [r.pick(['', '  '])]; },
  function nothing(r, s, i) { if (s[i].kind === 'assistant') { s[i].texts = []; s[i].calls = []; s[i].thinking = []; s[i].server = []; } },
  function noUser(r, s) { const at = s.findIndex((x) => x.kind === 'user'); if (at >= 0) s.splice(at, 1); },
  function halfServerCall(r, s, i) { if (s[i].kind === 'assistant') s[i].server.push({ id: `srv_${seedTag(r)}`, name: 'web_search', half: r.pick(['call', 'result']) }); },
  function abandonedBatch(r, s, i) { s.splice(i, 0, answer(r, r.chance(0.3), [call(r, `left_${seedTag(r)}`), call(r, `left_${seedTag(r)}`)])); },
  function twoCallers(r, s, i) { if (s[i].kind === 'results') { const extra = call(r, `second_${seedTag(r)}`); s.splice(i, 0, answer(r, false, [extra])); s[i + 1].results.push(resultFor(r, extra)); } },
  function nothingInside(r, s, i) { if (s[i].kind === 'results') s[i].results = []; },
  function emptyCalls(r, s, i) { if (s[i].kind === 'assistant' && !s[i].calls.length) s[i].emptyCalls = true; },
];

export function spoil(r, story, malformed) {
  const hits = Math.max(r.chance(malformed) ? 1 : 0, Math.round((story.length / 3) * malformed * (r.below(100) / 100)));
  for (let n = 0; n < hits && story.length; n++) r.pick(ACCIDENTS)(r, story, r.below(story.length));
}
