// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What goes wrong in the richer stories: the accidents of accidents.mjs and some more, for each format those that mean something
// in it, each at a step that it fits.

import { ACCIDENTS } from './accidents.mjs';
import { seedTag, words } from './dice.mjs';

const any = () => true;
const is = (...kinds) => (step) => kinds.includes(step.kind);
const results = (step) => step.kind === 'results' && step.results.length > 0;
const caller = (least) => (step) => step.kind === 'assistant' && step.calls.length >= least;
const asker = (step) => step.kind === 'assistant' && step.asks?.length > 0;

const FITS = {
  dropResults: results, dropOneResult: results, dropCaller: caller(1), dropOneCall: caller(2), steer: results, systemBetween: results,
  secondResult: results, sameId: caller(2), strayResult: any, lateResults: results, textFirst: results, onlyThinking: is('assistant'),
  thinkingLast: is('assistant'), blank: is('user', 'system', 'assistant'), nothing: is('assistant'), noUser: any, halfServerCall: is('assistant'),
  abandonedBatch: any, twoCallers: results, nothingInside: results,
};

/** An assistant step that was emptied asks for nothing either. */
const quiet = (act) => (r, s, i) => {
  act(r, s, i);
  s[i].asks = [];
};

const MORE = {
  noId: [caller(1), (r, s, i) => void delete s[i].calls[0].id],
  emptyUser: [is('user'), (r, s, i) => void (s[i].empty = true)],
  apart: [is('user', 'assistant'), (r, s, i) => void s.splice(i, 0, { ...s[i], apart: true, calls: [], server: [], asks: [], texts: [words(r)] })],
  resultsFirst: [results, (r, s, i) => void s.splice(Math.max(0, i - 1), 0, ...s.splice(i, 1))],
  dropAnswers: [is('answers'), (r, s, i) => void s.splice(i, 1)],
  secondAnswer: [is('answers'), (r, s, i) => void s[i].answers.push({ ...s[i].answers[0], approved: true })],
  lateAnswers: [is('answers'), (r, s, i) => void s.splice(Math.min(s.length, i + 2 + r.below(3)), 0, ...s.splice(i, 1))],
  strayAnswer: [any, (r, s, i) => void s.splice(i, 0, { kind: 'answers', answers: [{ id: `mcpr_gone_${seedTag(r)}`, approved: r.chance(0.5), reason: words(r, 3) }] })],
  dropAsks: [asker, (r, s, i) => void (s[i].asks = [])],
  twinItems: [is('assistant'), twinItems],
};

/** Two steps whose items were given the same id. */
function twinItems(r, s, i) {
  const itemId = `twin_${seedTag(r)}`;
  for (const step of [s[i], s.find((x, at) => at !== i && x.kind === 'assistant')]) if (step) step.itemId = itemId;
}

const PLAIN = [
  'dropResults', 'dropOneResult', 'dropCaller', 'dropOneCall', 'secondResult', 'sameId', 'strayResult', 'nothing', 'abandonedBatch', 'noId',
  'emptyUser',
];
const APPROVALS = ['dropAnswers', 'secondAnswer', 'lateAnswers', 'strayAnswer', 'dropAsks'];
const ADJACENT = ['steer', 'systemBetween', 'lateResults', 'textFirst', 'twoCallers', 'resultsFirst', 'onlyThinking', 'blank'];

const OF = {
  'openai-responses': [...PLAIN, ...APPROVALS, 'onlyThinking', 'onlyThinking', 'thinkingLast', 'resultsFirst', 'twinItems'],
  gemini: [...PLAIN.filter((name) => name !== 'noId'), 'steer', 'lateResults', 'resultsFirst', 'onlyThinking', 'onlyThinking', 'blank', 'noUser', 'apart', 'apart'],
  'ai-sdk': [...PLAIN, ...ADJACENT, ...APPROVALS, 'onlyThinking', 'nothingInside', 'halfServerCall'],
  'ai-sdk-ui': [
    'dropResults', 'dropOneResult', 'sameId', 'onlyThinking', 'nothing', 'abandonedBatch', 'noId', 'emptyUser', 'halfServerCall', 'dropAnswers',
  ],
  langchain: [...PLAIN, ...ADJACENT],
  agentfootprint: [...PLAIN, ...ADJACENT, 'onlyThinking'],
  pi: [...PLAIN, ...ADJACENT, 'onlyThinking'],
};

function accident(name) {
  if (MORE[name]) return MORE[name];
  const act = ACCIDENTS.find((a) => a.name === name);
  return [FITS[name], ['nothing', 'onlyThinking'].includes(name) ? quiet(act) : act];
}
const BY_FORMAT = Object.fromEntries(Object.entries(OF).map(([format, names]) => [format, names.map(accident)]));

export function spoilRich(r, story, malformed, format) {
  const hits = Math.max(r.chance(malformed) ? 1 : 0, Math.round((story.length / 4) * malformed * (r.below(100) / 100)));
  for (let n = 0; n < hits && story.length; n++) hit(r, story, BY_FORMAT[format]);
}

/** One accident, at a step that it fits; another one where there is no such step. */
function hit(r, story, accidents) {
  for (let tries = 0; tries < 8; tries++) {
    const [fits, act] = r.pick(accidents);
    const at = story.flatMap((step, i) => (fits(step) ? [i] : []));
    if (at.length) return act(r, story, r.pick(at));
  }
}
