// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A call and its result are one part, so a result is written into the part of its call. Most transcripts have one message for all
// that the assistant does between two messages of the user, with step-start in front of each step; the others a message a step.

import { odd, PIXEL, seedTag, textOf, words } from './dice.mjs';

export function write(story, r) {
  const writer = new Writer(r, r.chance(0.75));
  for (const step of story) if (typeof writer[step.kind] === 'function') writer[step.kind](step);
  return writer.messages.map((message) => odd(r, message));
}

class Writer {
  constructor(r, joins) {
    this.r = r;
    this.joins = joins;
    this.messages = [];
    this.current = undefined; // the assistant's message that goes on
    this.open = []; // tool parts without a result
  }

  add(role, parts, more = {}) {
    this.current = undefined;
    const message = { id: `m_${seedTag(this.r)}`, role, ...more, parts };
    this.messages.push(message);
    return message;
  }

  system({ text }) {
    this.add('system', [{ type: 'text', text }]);
  }

  user({ text, image, empty }) {
    const parts = empty ? [] : [{ type: 'text', text }];
    if (image) parts.push({ type: 'file', mediaType: 'image/png', filename: 'bed.png', url: `data:image/png;base64,${PIXEL}` });
    this.add('user', parts, this.r.chance(0.2) ? { metadata: { createdAt: 1760000000000 } } : {});
  }

  summary({ text }) {
    this.add('assistant', [{ type: 'text', text }]).id = `compaction_${seedTag(this.r)}`;
  }

  assistant(step) {
    const parts = this.parts(step);
    if (parts.length === 0) return void this.add('assistant', []);
    const ids = new Set((this.current?.parts ?? []).map((part) => part.toolCallId).filter(Boolean));
    if (this.joins && this.current && !parts.some((part) => ids.has(part.toolCallId))) this.current.parts.push({ type: 'step-start' }, ...parts);
    else this.current = this.add('assistant', [...(this.r.chance(0.9) ? [{ type: 'step-start' }] : []), ...parts], { metadata: {} });
  }

  parts(step) {
    const { r } = this;
    const out = step.thinking.map((t) => ({ type: 'reasoning', text: t.text ?? '', state: 'done', providerMetadata: { anthropic: { signature: t.signature ?? t.redacted ?? '' } } }));
    for (const c of step.server) out.push(this.ofTheProvider(c));
    out.push(...step.texts.map((text) => ({ type: 'text', text, ...(r.chance(0.5) ? { state: 'done' } : {}) })));
    if (step.texts.length) out.push(...this.trimmings());
    for (const c of step.calls) out.push(this.call(c, step.asks?.find((ask) => ask.callId === c.id)));
    return out;
  }

  /** What a page shows beside the text. */
  trimmings() {
    const { r } = this;
    const out = [];
    if (r.chance(0.08)) out.push({ type: 'source-url', sourceId: `s_${seedTag(r)}`, url: 'https://example.org/frost', title: words(r, 3) });
    if (r.chance(0.05)) out.push({ type: 'source-document', sourceId: `s_${seedTag(r)}`, mediaType: 'application/pdf', title: words(r, 3) });
    if (r.chance(0.08)) out.push({ type: r.pick(['data-weather', 'data-progress']), id: `d_${seedTag(r)}`, data: { frost: r.chance(0.5), n: 0.5 } });
    if (r.chance(0.03)) out.push({ type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PIXEL}` });
    if (r.chance(0.02)) out.push({ type: 'brand-new-part', note: words(r, 3) });
    return out;
  }

  toolPart(id, name, input) {
    const { r } = this;
    const ids = id === undefined ? {} : { toolCallId: id };
    return { ...(r.chance(0.8) ? { type: `tool-${name}` } : { type: 'dynamic-tool', toolName: name }), ...ids, state: 'input-available', input };
  }

  ofTheProvider({ id, name, half }) {
    const part = { ...this.toolPart(id, name, { query: 'q' }), providerExecuted: true };
    return half === 'call' ? part : { ...part, state: 'output-available', output: [] };
  }

  call(c, ask) {
    const part = this.toolPart(c.id, c.name, c.input);
    if (ask) Object.assign(part, { state: 'approval-requested', approval: { id: ask.id } });
    else if (this.r.chance(0.2)) Object.assign(part, { state: 'input-streaming' }); // until its result comes
    this.open.push({ id: c.id, part });
    return part;
  }

  answers({ answers }) {
    for (const { id, approved, reason } of answers) {
      const waiting = this.open.find(({ part }) => part.approval?.id === id)?.part;
      if (!waiting) continue;
      waiting.approval = { id, approved, reason };
      waiting.state = approved ? 'approval-responded' : 'output-denied';
    }
  }

  results({ results, textAfter }) {
    for (const x of results) this.answer(x);
    if (textAfter !== undefined) this.user({ text: textAfter });
  }

  answer(x) {
    const at = this.open.findLastIndex(({ id }) => id === x.id);
    if (at < 0) return;
    const [{ part }] = this.open.splice(at, 1);
    const text = textOf(x.content);
    if (x.denied) return void (part.state = 'output-denied');
    if (x.error) return void Object.assign(part, { state: 'output-error', errorText: text });
    Object.assign(part, { state: 'output-available', output: this.r.chance(0.7) ? text : { text, rows: [1, 2.5] } });
  }
}
