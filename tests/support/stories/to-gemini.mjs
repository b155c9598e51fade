// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Contents take turns, so neighbours of one side are written as one content, unless a step is to stand apart.

import { odd, PIXEL, seedTag, textOf } from './dice.mjs';

export function write(story, r) {
  const style = {
    ids: r.pick(['none', 'both', 'both', 'response', 'some']), // who has ids: nobody, both sides, gemini-cli's responses, now and then
    signs: r.chance(0.5),
    ownRole: r.chance(0.15), // role "function" for contents of nothing but responses
  };
  const named = new Map(); // ids of calls that were written with their id
  const pieces = story.flatMap((step) => (WRITERS[step.kind] ?? nothing)(step, r, style, named).map((piece) => ({ apart: step.apart, ...piece })));
  return join(pieces).map((content) => odd(r, style.ownRole && isAllResponses(content) ? { ...content, role: 'function' } : content));
}

const isAllResponses = ({ role, parts }) => role === 'user' && parts.length > 0 && parts.every((part) => part.functionResponse);

/** A content without parts stands alone too: joined, nobody would see it. */
function join(pieces) {
  const out = [];
  for (const { role, parts, apart } of pieces) {
    const last = out[out.length - 1];
    if (last && last.role === role && !apart && parts.length && last.parts.length) last.parts.push(...parts);
    else out.push({ role, parts: [...parts] });
  }
  return out;
}

const nothing = () => [];
const WRITERS = { user, assistant, results, summary };

function user(step, r) {
  if (step.empty) return [{ role: 'user', parts: r.chance(0.5) ? [] : [{ text: '' }], apart: true }];
  return [{ role: 'user', parts: [{ text: step.text }, ...(step.image ? [{ inlineData: { mimeType: 'image/png', data: PIXEL } }] : [])] }];
}

function summary(step) {
  return [
    { role: 'user', parts: [{ text: `<state_snapshot>\n${step.text}\n</state_snapshot>` }] },
    { role: 'model', parts: [{ text: 'Got it. Thanks for the additional context!' }] },
  ];
}

function assistant(step, r, style, named) {
  const signed = (part) => (style.signs ? { ...part, thoughtSignature: `Ts${seedTag(r)}` } : part);
  const thoughts = step.thinking.filter((t) => !('redacted' in t)).map((t) => ({ text: t.text, thought: true }));
  const rest = step.texts.map((text) => ({ text }));
  if (rest.length && r.chance(0.03)) rest.push({ brandNewPart: { note: seedTag(r) } });
  for (const _ of step.server) rest.push(signed({ executableCode: { language: 'PYTHON', code: 'print(2)' } }), { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2\n' } });
  step.calls.forEach((c, n) => rest.push(n === 0 ? signed(functionCall(c, r, style, named)) : functionCall(c, r, style, named)));
  return [{ role: 'model', parts: step.thinkingLast ? [...rest, ...thoughts] : [...thoughts, ...rest] }];
}

function functionCall(c, r, style, named) {
  const withId = style.ids === 'both' || (style.ids === 'some' && r.chance(0.5));
  if (withId) named.set(c.id, c.id);
  else named.delete(c.id);
  return { functionCall: { ...(withId ? { id: c.id } : {}), name: c.name, args: c.input } };
}

function results(step, r, style, named) {
  const parts = step.results.map((x) => functionResponse(x, r, style, named));
  if (step.textBefore !== undefined) parts.unshift({ text: step.textBefore });
  if (step.textAfter !== undefined) parts.push({ text: step.textAfter });
  return parts.length ? [{ role: 'user', parts }] : [];
}

function functionResponse(x, r, style, named) {
  const name = x.name ?? 'gone';
  const id = named.get(x.id) ?? (style.ids === 'response' || r.chance(0.05) ? `${name}-${seedTag(r)}` : undefined);
  const response = x.error ? { error: textOf(x.content) } : { output: textOf(x.content) };
  const more = r.chance(0.04) ? { parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }] } : {};
  return { functionResponse: { ...(id === undefined ? {} : { id }), name, response, ...more } };
}
