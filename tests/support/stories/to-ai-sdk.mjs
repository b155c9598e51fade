// SPDX-License-Identifier: MIT OR Apache-2.0

import { odd, PIXEL, seedTag, textOf } from './dice.mjs';

export function write(story, r) {
  const style = { vendor: r.pick(['openai', 'anthropic', 'google']), splits: r.chance(0.3) }; // splits: a tool message for each result
  return story.flatMap((step) => (WRITERS[step.kind] ?? nothing)(step, r, style)).map((message) => odd(r, message));
}

const nothing = () => [];
const WRITERS = { system, user, assistant, answers, results, summary: user };

function system(step) {
  return [{ role: 'system', content: step.text }];
}

function user(step, r) {
  if (step.empty) return [{ role: 'user', content: r.pick([[], '']) }];
  if (!step.image) return [{ role: 'user', content: r.chance(0.5) || step.text === '' ? step.text : [{ type: 'text', text: step.text }] }];
  const picture = r.pick([{ type: 'file', mediaType: 'image/png', data: PIXEL }, { type: 'image', image: PIXEL, mediaType: 'image/png' }]);
  return [{ role: 'user', content: [{ type: 'text', text: step.text }, picture] }];
}

function assistant(step, r, { vendor }) {
  const thoughts = step.thinking.map((t) => reasoning(t, r, vendor));
  const rest = step.texts.map((text) => ({ type: 'text', text }));
  if (step.texts.length && r.chance(0.03)) rest.push({ type: 'file', mediaType: 'image/png', data: PIXEL });
  if (step.texts.length && r.chance(0.02)) rest.push({ type: 'brand-new-part', note: seedTag(r) });
  if (thoughts.length && rest.length && r.chance(0.05)) thoughts.push({ type: 'reasoning-file', mediaType: 'image/png', data: PIXEL });
  for (const c of step.server) rest.push(...ofTheProvider(c));
  for (const c of step.calls) rest.push(toolCall(c, r, vendor));
  for (const ask of step.asks ?? []) rest.push({ type: 'tool-approval-request', approvalId: ask.id, toolCallId: ask.callId });
  const parts = step.thinkingLast ? [...rest, ...thoughts] : [...thoughts, ...rest];
  const plain = parts.length === 1 && parts[0].type === 'text' && r.chance(0.5);
  return [{ role: 'assistant', content: plain ? parts[0].text : parts }];
}

function reasoning(t, r, vendor) {
  const secret = t.redacted ?? t.signature;
  const data = {
    openai: { itemId: `rs_${seedTag(r)}`, reasoningEncryptedContent: secret ?? null },
    anthropic: 'redacted' in t ? { redactedData: secret } : { signature: secret ?? '' },
    google: { thoughtSignature: secret ?? '' },
  }[vendor];
  return { type: 'reasoning', text: t.text ?? '', providerOptions: { [vendor]: data } };
}

/** A tool that the provider runs: call and result in one message. */
function ofTheProvider({ id, name, half }) {
  const out = [];
  if (half !== 'result') out.push({ type: 'tool-call', toolCallId: id, toolName: name, input: { query: 'q' }, providerExecuted: true });
  if (half !== 'call') out.push({ type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'json', value: [{ url: 'https://example.org' }] } });
  return out;
}

function toolCall(c, r, vendor) {
  const call = { type: 'tool-call', ...(c.id === undefined ? {} : { toolCallId: c.id }), toolName: c.name, input: c.input };
  return r.chance(0.2) ? { ...call, providerOptions: { [vendor]: { itemId: `fc_${seedTag(r)}` } } } : call;
}

function answers(step) {
  const content = step.answers.map((x) => ({ type: 'tool-approval-response', approvalId: x.id, approved: x.approved, ...(x.approved ? {} : { reason: x.reason }) }));
  return [{ role: 'tool', content }];
}

function results(step, r, { splits }) {
  const parts = step.results.map((x) => ({ type: 'tool-result', toolCallId: x.id, toolName: x.name ?? 'read', output: outputOf(x, r) }));
  const out = splits && parts.length ? parts.map((part) => ({ role: 'tool', content: [part] })) : [{ role: 'tool', content: parts }];
  if (step.textBefore !== undefined) out.unshift({ role: 'user', content: step.textBefore });
  if (step.textAfter !== undefined) out.push({ role: 'user', content: step.textAfter });
  return out;
}

function outputOf(x, r) {
  const text = textOf(x.content);
  if (x.denied) return { type: 'execution-denied', reason: text };
  if (x.error) return r.chance(0.7) ? { type: 'error-text', value: text } : { type: 'error-json', value: { message: text } };
  if (typeof x.content === 'string') return r.chance(0.7) ? { type: 'text', value: text } : { type: 'json', value: { text, n: 1.5 } };
  const more = r.chance(0.3) ? [{ type: 'media', data: PIXEL, mediaType: 'image/png' }] : [];
  return { type: 'content', value: [{ type: 'text', text }, ...more] };
}
