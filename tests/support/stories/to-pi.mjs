// SPDX-License-Identifier: MIT OR Apache-2.0

import { odd, PIXEL, seedTag, textOf } from './dice.mjs';

const START = 1_760_000_000_000;

export function write(story, r) {
  return story
    .flatMap((step) => (WRITERS[step.kind] ?? nothing)(step, r))
    .map((message, n) => odd(r, { ...message, timestamp: START + 1000 * n }));
}

const nothing = () => [];
const WRITERS = { system, user, assistant, results, summary, other };

/** pi has no system role; what an extension says is a custom message. */
function system(step) {
  return [{ role: 'custom', customType: 'note', content: step.text, display: true }];
}

function user(step, r) {
  if (step.empty) return [{ role: 'user', content: [] }];
  if (step.image) return [{ role: 'user', content: [{ type: 'text', text: step.text }, image()] }];
  return [{ role: 'user', content: r.chance(0.3) ? step.text : [{ type: 'text', text: step.text }] }];
}

const image = () => ({ type: 'image', data: PIXEL, mimeType: 'image/png' });

function summary(step, r) {
  if (r.chance(0.3)) return [{ role: 'branchSummary', summary: step.text, fromId: seedTag(r) }];
  return [{ role: 'compactionSummary', summary: step.text, tokensBefore: 50000 }];
}

function other(step, r) {
  return [r.pick([
    { role: 'bashExecution', command: 'ls beds', output: step.text, exitCode: 0, cancelled: false, truncated: false },
    { role: 'custom', customType: 'weather', content: [{ type: 'text', text: step.text }], display: false, details: { frost: true } },
    { role: 'artifact', title: step.text }, // an application's own kind
  ])];
}

function assistant(step, r) {
  const parts = [...step.thinking.map(thinking), ...step.texts.map((text) => ({ type: 'text', text }))];
  for (const c of step.calls) parts.push({ type: 'toolCall', ...(c.id === undefined ? {} : { id: c.id }), name: c.name, arguments: c.input });
  const usage = { input: r.below(5000), output: r.below(900), cacheRead: r.below(9000), cacheWrite: 0, totalTokens: r.below(20000), cost: { total: 0.0125 } };
  const stopReason = step.calls.length ? 'toolUse' : 'stop';
  return [{ role: 'assistant', content: parts, api: 'openai-responses', provider: 'garden', model: 'bed-1', usage, stopReason }];
}

function thinking(t) {
  if ('redacted' in t) return { type: 'thinking', thinking: '', thinkingSignature: t.redacted, redacted: true };
  return { type: 'thinking', thinking: t.text, ...(t.signature === undefined ? {} : { thinkingSignature: t.signature }) };
}

function results(step, r) {
  const out = step.results.map((x) => toolResult(x, r));
  if (step.textBefore !== undefined) out.unshift({ role: 'user', content: step.textBefore });
  if (step.textAfter !== undefined) out.push({ role: 'user', content: [{ type: 'text', text: step.textAfter }] });
  return out;
}

function toolResult(x, r) {
  const content = [{ type: 'text', text: textOf(x.content) }, ...(r.chance(0.05) ? [image()] : [])];
  return { role: 'toolResult', toolCallId: x.id, toolName: x.name ?? 'read', content, ...(r.chance(0.1) ? { details: { lines: 3 } } : {}), isError: x.error === true };
}
