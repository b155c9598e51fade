// SPDX-License-Identifier: MIT OR Apache-2.0

import { odd, seedTag, textOf } from './dice.mjs';

export function write(story, r) {
  return story.flatMap((step) => (WRITERS[step.kind] ?? nothing)(step, r)).map((message) => odd(r, message));
}

const nothing = () => [];
const WRITERS = { system, user, assistant, results, summary };

/** What the framework puts in itself, rather than somebody. */
function injected(r, message) {
  if (r.chance(0.1)) return { ...message, injectedBy: r.pick(['memory', 'skills', 'brand-new-stage']) };
  return r.chance(0.05) ? { ...message, ephemeral: true } : message;
}

function system(step, r) {
  return [injected(r, { role: 'system', content: step.text })];
}

function user(step, r) {
  if (step.empty) return [{ role: 'user' }];
  return [injected(r, { role: 'user', content: step.text })];
}

function summary(step) {
  return [{ role: 'user', content: `[compacted history — 12 earlier message(s) were folded out of this window at iteration 4.]\n\n${step.text}` }];
}

function assistant(step, r) {
  const message = { role: 'assistant', content: step.texts.join('\n') };
  if (step.calls.length) message.toolCalls = step.calls.map((c) => toolCall(c, r));
  else if (r.chance(0.1)) message.toolCalls = [];
  if (step.thinking.length) message.thinkingBlocks = step.thinking.map(thinkingBlock);
  return [message];
}

function toolCall(c, r) {
  const out = { ...(c.id === undefined ? {} : { id: c.id }), name: c.name, args: c.input };
  return r.chance(0.2) ? { ...out, providerMeta: { thoughtSignature: `Ts${seedTag(r)}` } } : out;
}

function thinkingBlock(t) {
  if ('redacted' in t) return { type: 'redacted_thinking', data: t.redacted };
  return { type: 'thinking', thinking: t.text, ...(t.signature === undefined ? {} : { signature: t.signature }) };
}

function results(step) {
  const out = step.results.map((x) => ({ role: 'tool', content: textOf(x.content), toolCallId: x.id, toolName: x.name ?? 'read' }));
  if (step.textBefore !== undefined) out.unshift({ role: 'user', content: step.textBefore });
  if (step.textAfter !== undefined) out.push({ role: 'user', content: step.textAfter });
  return out;
}
