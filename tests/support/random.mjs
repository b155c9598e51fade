// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Seeded random transcripts.
//
//   randomTranscript(seed, format, { malformed = 0, turns } = {}) -> messages
//
// The same seed, format and options give the same transcript on every runtime. A story is invented first, without a
// format: what the user says, what the assistant answers, what it calls and what comes back. Then, as often as `malformed`
// (0 to 1) says, something goes wrong in the story. Last, it is written down in the format.
//
// With malformed 0 the transcript obeys the provider's rules; it may still end in a call that is in flight, and for
// "anthropic" it may hold system messages (validate reports both by name). With malformed 1 nearly every turn is hit.

export const FORMATS = ['anthropic', 'openai-chat', 'hotl'];

export function randomTranscript(seed, format, { malformed = 0, turns } = {}) {
  if (!FORMATS.includes(format)) throw new RangeError(`no random transcripts for ${String(format)}`);
  const r = new Random(seed);
  const story = invent(r, turns ?? 1 + r.below(14), format);
  if (malformed > 0) spoil(r, story, malformed);
  if (format === 'anthropic') return story.flatMap(toAnthropic);
  if (format === 'openai-chat') return story.flatMap((step) => toChat(step));
  return story.flatMap(toHotl);
}

/** Small generator of 32-bit numbers (a multiply-and-shift mix of a counter); good enough to shuffle tests. */
export class Random {
  constructor(seed) {
    this.state = (Number(seed) | 0) ^ 0x5bd1e995;
  }
  next() {
    this.state = (this.state + 0x9e3779b9) | 0;
    let x = this.state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (x ^ (x >>> 15)) >>> 0;
  }
  below(n) {
    return Math.floor((this.next() / 4294967296) * n);
  }
  chance(p) {
    return this.next() / 4294967296 < p;
  }
  pick(list) {
    return list[this.below(list.length)];
  }
}

// -------------------------------------------------------------------------------------------------------------- story
//
// Steps: { kind: 'system', text, developer? } · { kind: 'user', text, image?, synthetic? }
//        { kind: 'assistant', thinking: [], texts: [], calls: [], server: [], legacy?, thinkingLast?, late? }
//        { kind: 'results', results: [{ id, content, error?, legacy? }], textAfter?, textBefore? }

const WORDS = [
  'plan', 'bed', 'row', 'seed', 'frost', 'water', 'the', 'a', 'and', 'then', 'north', 'shade', 'leaf', 'error', 'ok', 'done',
  'größer', 'naïve', 'Ελλάδα', 'сад', '庭', '日本語の文', '정원', 'حديقة', '🌱', '👩‍🌾', 'e\u0301', '\u2028', 'x\u0000y', '<b>', '"q"', '\\',
  '</compaction-summary>', '[user]', 'ÿ', '𝒳',
];
const TOOLS = ['read', 'bash', 'search', 'write', 'list'];
const SYNTHETIC = ['project_instructions', 'system_reminder', 'steer', 'compaction_summary', 'memory', 'retry_feedback', 'brand_new_kind'];

function words(r, most = 12) {
  const out = [];
  for (let n = 1 + r.below(most); n > 0; n--) out.push(r.pick(WORDS));
  return `w${out.join(r.chance(0.1) ? '\n' : ' ')}`;
}

function call(r, id) {
  const input = r.pick([
    {}, { path: 'src/a.js' }, { b: 1, a: [1, 2.5, null], z: { y: true } }, { text: words(r, 6) }, { n: 9007199254740991 },
  ]);
  return { id, name: r.pick(TOOLS), input };
}

function resultFor(r, c) {
  const content = r.chance(0.1) ? [{ type: 'text', text: words(r) }] : r.chance(0.05) ? words(r, 400) : words(r, 20);
  return { id: c.id, content, error: r.chance(0.1), legacy: c.legacy };
}

function invent(r, turns, format) {
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

function seedTag(r) {
  return r.next().toString(36);
}

function answer(r, thinks, calls) {
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

/** Things that go wrong. Each takes the story and the place of a step, and changes the story there. */
const ACCIDENTS = [
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
export const ACCIDENT_NAMES = ACCIDENTS.map((a) => a.name);

function spoil(r, story, malformed) {
  const hits = Math.max(r.chance(malformed) ? 1 : 0, Math.round((story.length / 3) * malformed * (r.below(100) / 100)));
  for (let n = 0; n < hits && story.length; n++) r.pick(ACCIDENTS)(r, story, r.below(story.length));
}

// ------------------------------------------------------------------------------------------------------------ writing

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFUlEQVR4nGOIWuC2atUqBiBVEaABACmUBW+QKI+rAAAAAElFTkSuQmCC';

function blocksOf(step) {
  const thinking = step.thinking.map((t) => {
    if ('redacted' in t) return { type: 'redacted_thinking', data: t.redacted };
    return t.signature === undefined ? { type: 'thinking', thinking: t.text } : { type: 'thinking', thinking: t.text, signature: t.signature };
  });
  const rest = step.texts.map((text) => ({ type: 'text', text }));
  for (const c of step.server) {
    if (c.half !== 'result') rest.push({ type: 'server_tool_use', id: c.id, name: c.name, input: { query: 'q' } });
    if (c.half !== 'call') rest.push({ type: 'web_search_tool_result', tool_use_id: c.id, content: [] });
  }
  for (const c of step.calls) rest.push({ type: 'tool_use', id: c.id, name: c.name, input: c.input });
  return step.thinkingLast ? [...rest, ...thinking] : [...thinking, ...rest];
}

function toAnthropic(step) {
  if (step.kind === 'system') return [{ role: 'system', content: step.text }];
  if (step.kind === 'user') {
    if (!step.image) return [{ role: 'user', content: step.text }];
    return [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }, { type: 'text', text: step.text }] }];
  }
  if (step.kind === 'assistant') {
    const blocks = blocksOf(step);
    if (blocks.length === 1 && blocks[0].type === 'text') return [{ role: 'assistant', content: blocks[0].text }];
    return [{ role: 'assistant', content: blocks }];
  }
  if (step.kind === 'results') {
    const content = step.results.map((x) => {
      const block = { type: 'tool_result', tool_use_id: x.id, content: x.content };
      return x.error ? { ...block, is_error: true } : block;
    });
    if (step.textBefore !== undefined) content.unshift({ type: 'text', text: step.textBefore });
    if (step.textAfter !== undefined) content.push({ type: 'text', text: step.textAfter });
    return [{ role: 'user', content }];
  }
  return [];
}

function toChat(step) {
  if (step.kind === 'system') return [{ role: step.developer ? 'developer' : 'system', content: step.text }];
  if (step.kind === 'user') {
    if (!step.image) return [{ role: 'user', content: step.text }];
    return [{ role: 'user', content: [{ type: 'text', text: step.text }, { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'low' } }] }];
  }
  if (step.kind === 'assistant') {
    const message = { role: 'assistant', content: step.texts.length ? step.texts.join('\n') : null };
    if (step.thinking.length) message.reasoning_content = step.thinking.map((t) => t.text ?? '').join('\n');
    const calls = step.calls.filter((c) => !c.legacy);
    if (calls.length || step.emptyCalls) {
      message.tool_calls = calls.map((c) => ({ id: c.id, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.input) } }));
    }
    const legacy = step.calls.find((c) => c.legacy);
    if (legacy) message.function_call = { name: legacy.name, arguments: JSON.stringify(legacy.input) };
    return [message];
  }
  if (step.kind === 'results') {
    const out = step.results.map((x) => {
      if (x.legacy) return { role: 'function', name: x.id, content: typeof x.content === 'string' ? x.content : x.content[0].text };
      return { role: 'tool', tool_call_id: x.id, content: x.content };
    });
    if (step.textBefore !== undefined) out.unshift({ role: 'user', content: step.textBefore });
    if (step.textAfter !== undefined) out.push({ role: 'user', content: step.textAfter });
    return out;
  }
  return [];
}

function toHotl(step) {
  if (step.kind === 'system') return [{ type: 'system', text: step.text }];
  if (step.kind === 'user') {
    const item = { type: 'user', text: step.text };
    if (step.synthetic) item.synthetic = step.synthetic;
    if (step.image) item.images = [{ media_type: 'image/png', data: PIXEL }];
    return [item];
  }
  if (step.kind === 'assistant') return [{ type: 'assistant', blocks: blocksOf(step) }];
  if (step.kind === 'results') {
    const results = step.results.map((x) => {
      const row = { tool_use_id: x.id, content: typeof x.content === 'string' ? x.content : x.content[0].text };
      return x.error ? { ...row, is_error: true } : row;
    });
    const out = [{ type: 'tool_results', results }];
    if (step.textBefore !== undefined) out.unshift({ type: 'user', text: step.textBefore });
    if (step.textAfter !== undefined) out.push({ type: 'user', text: step.textAfter, synthetic: 'steer' });
    return out;
  }
  return [{ type: 'checkpoint', note: step.text }]; // a kind of item nobody has heard of
}
