// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Session files of every kind, real and invented: counted against an independent count, checked, planned, folded and unfolded;
// then damaged in every way that files are. PLICA_SEEDS=n invents n files of each kind and layout.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { loaded } from './support/package.mjs';
import { Random } from './support/random.mjs';
import { countSession } from './support/session-counts.mjs';
import { KINDS, LAYOUTS, sessionFile } from './support/sessions.mjs';
import { count, shared } from './support/shared.mjs';
import { faultsAdded } from './support/validate.mjs';

// Both entries run the same module; one of them will do here.
const { PlicaError, check, estimate, foldSession, inspectSession, plan, readSession, unfoldSession } = loaded.esm;

const SEEDS = Number(process.env.PLICA_SEEDS ?? 12);
const BUDGETS = Array.from({ length: 20 }, (_, n) => Math.round(1.75 ** n) - 1);
const CUTS = 200;
const NATIVE = ['claude-code', 'codex', 'pi', 'messages'];

const same = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;
const transcripts = shared === undefined ? undefined : join(shared, 'transcripts');

/** Files to try: name, text, the kind that it is, and how many messages it has where that is known beforehand. */
const invented = KINDS.flatMap((kind) => LAYOUTS[kind].flatMap((layout) => Array.from({ length: SEEDS }, (_, seed) => {
  return { name: `${kind} ${layout} ${seed}`, kind, layout, text: sessionFile(kind, seed, { layout, turns: 4 + seed % 9 }) };
})));
const real = transcripts !== undefined && existsSync(transcripts) ? readdirSync(transcripts).flatMap(realFiles) : [];
if (real.length === 0) console.log('# skipped, no folder with transcripts: real sessions');

function realFiles(name) {
  const text = readFileSync(join(transcripts, name), 'utf8');
  const kind = /^(claude-code|pi)-/.exec(name)?.[1];
  if (kind) return [{ name, kind, layout: 'lines', text }];
  const lists = messageLists(name, text).map((list, n) => ({ name: `${name} ${n}`, kind: 'messages', layout: 'array', text: JSON.stringify(list, null, 1) }));
  return lists.filter(({ text }) => text.length > 200);
}

/** The lists of messages in a file that is no session. */
function messageLists(name, text) {
  if (name.endsWith('.traj')) return [JSON.parse(text).history];
  if (name.startsWith('tau-bench')) return JSON.parse(text).filter((_, n) => n % 10 === 0).map(({ traj }) => traj);
  if (name.startsWith('openai-responses')) return JSON.parse(text).interactions.map(({ request }) => request.messages ?? request.input).filter(Array.isArray);
  if (name.startsWith('openhands')) return text.split('\n').filter(Boolean).map((line) => JSON.parse(line).history.map(openhands).filter(Boolean));
  console.log(`# skipped, of an unknown kind: ${name}`);
  return [];
}

/** An event of OpenHands as a chat message. */
function openhands({ source, action, observation, message, content, args, tool_call_metadata: call }) {
  if (observation && call) return { role: 'tool', tool_call_id: call.tool_call_id, content: content ?? message };
  const asked = call && { id: call.tool_call_id, type: 'function', function: { name: call.function_name, arguments: JSON.stringify(args) } };
  if (action && asked) return { role: 'assistant', content: args.thought ?? '', tool_calls: [asked] };
  if (action === 'system') return { role: 'system', content: message };
  return message ? { role: source === 'user' ? 'user' : 'assistant', content: message } : undefined;
}

// ---------------------------------------------------------------- sound files

const messagesIn = (text) => {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : value.messages;
  } catch {
    return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  }
};

function counts({ name, kind, text }) {
  const session = readSession(text);
  const inspection = inspectSession(text);
  assert.equal(session.format, kind, name);
  const windows = [...session.folds.map(({ originals }) => originals.length), session.messages.length];
  if (kind === 'messages') {
    const unread = session.skipped.filter(({ code }) => code === 'unreadable').length;
    assert.equal(session.messages.length + unread, messagesIn(text).length, name);
    if (unread === 0) assert.deepEqual(session.messages, messagesIn(text), name);
    return session;
  }
  const expected = countSession(kind, text);
  const usage = session.usage.filter((figure) => figure !== null).length;
  assert.deepEqual({ name, windows, calls: inspection.calls, results: inspection.results, usage }, { name, ...expected });
  assert.equal(inspection.counted, usage, name);
  return session;
}

/** Folded at every budget, with a ledger and as the file's program would; back to the byte. */
function folds({ name, kind, text }, session) {
  const { messages, messageFormat: format } = session;
  const bytes = Buffer.from(text);
  for (const problem of check(messages, { format })) assert.ok(problem.index < messages.length, name);
  for (const tailBudget of BUDGETS) {
    const what = `${name}, budget ${tailBudget}`;
    const planned = plan(messages, { format, tailBudget, provenance: (_, i) => session.provenance[i] });
    const folded = foldSession(text, { tailBudget });
    count('files folded');
    if (folded.conversation === null) continue;
    assert.equal(planned.kind, 'fold', what);
    const window = JSON.parse(folded.conversation);
    assert.equal(window.length, folded.report.messagesAfter, what);
    assert.deepEqual(faultsAdded(messages, window, format), [], what);
    const back = unfoldSession(folded.conversation, folded.ledger);
    assert.ok(back.exact && same(back.bytes, bytes), what);
    if (NATIVE.includes(kind)) written(what, kind, bytes, session, tailBudget);
  }
}

function written(what, kind, bytes, session, tailBudget) {
  let folded;
  try {
    folded = foldSession(bytes, { tailBudget, native: true });
  } catch (error) {
    // pi can keep nothing in front of the digest.
    assert.ok(error instanceof PlicaError && error.code === 'bad-plan', `${what}: ${error}`);
    return;
  }
  if (folded.session === null) return;
  const after = readSession(folded.session);
  assert.equal(after.messages.length, folded.report.messagesAfter, what);
  assert.deepEqual(faultsAdded(session.messages, after.messages, session.messageFormat), [], what);
  const back = folded.ledger === null ? unfoldSession(folded.session) : unfoldSession(folded.session, folded.ledger);
  assert.ok(back.exact && same(back.bytes, bytes), what);
  if (kind !== 'messages') assert.ok(isDeepStrictEqual(after.ledger.unfold(after.messages), session.ledger.unfold(session.messages)), what);
  count('folds written');
}

test('invented sessions: counted, folded, unfolded', () => {
  for (const file of invented) {
    const session = counts(file);
    assert.deepEqual(session.problems, file.kind === 'messages' ? session.problems : [], file.name);
    count(`${file.kind} files counted`);
    count('folds in them', session.folds.length);
    folds(file, session);
  }
});

test('real sessions: counted, folded, unfolded', { skip: real.length === 0 && 'no shared transcripts' }, () => {
  for (const file of real) {
    folds(file, counts(file));
    count('real files counted');
  }
});

// ---------------------------------------------------------------- damaged files

/** What a reader makes of damaged bytes: a session or a refusal, never a trap. */
function attempt(what, bytes) {
  count('damaged files');
  try {
    return readSession(bytes);
  } catch (error) {
    assert.ok(error instanceof PlicaError && error.code !== 'internal', `${what}: ${error}`);
    return undefined;
  }
}

/** Every string of a value, at any depth. */
function strings(value, into) {
  if (typeof value === 'string') into.add(value);
  else if (value !== null && typeof value === 'object') for (const inner of Object.values(value)) strings(inner, into);
  return into;
}

/** Where a record of each kind has what was said. */
const SAID = {
  'claude-code': (record) => (['user', 'assistant'].includes(record.type) ? said(record.message?.content) : []),
  codex: (record) => (record.type === 'response_item' ? [...said(record.payload?.content), record.payload?.output, record.payload?.arguments] : []),
  pi: (record) => (record.type === 'message' ? said(record.message?.content) : []),
  // A part of a type that nobody knows is no part that the model sees.
  opencode: (record) => (Array.isArray(record.parts) ? record.parts.map((part) => (part?.type === 'text' ? part.text : part?.type === 'tool' && part.state?.output)) : []),
  'gemini-cli': (record) => (record.type ? said(record.content) : []),
  messages: (record) => [...strings(record, new Set())],
};

function said(content) {
  if (typeof content === 'string') return [content];
  return Array.isArray(content) ? content.flatMap((block) => [block?.text, block?.thinking, typeof block?.content === 'string' ? block.content : undefined]) : [];
}

/** Each line is either named, with a code, or what it says is in the messages. */
function accounted(what, text, session) {
  const lines = text.split('\n');
  const named = new Set([...session.skipped, ...session.problems, ...session.folds].map(({ line }) => line));
  for (const line of named) assert.ok(line >= 1 && line <= lines.length, `${what}: line ${line} of ${lines.length}`);
  const held = new Set();
  for (const messages of [session.messages, ...session.folds.flatMap(({ originals, digest }) => [originals, digest])]) strings(messages, held);
  lines.forEach((line, at) => {
    if (named.has(at + 1) || !line.trim()) return;
    let record;
    try {
      record = JSON.parse(line.replace(/^\ufeff/, ''));
    } catch {
      assert.fail(`${what}: line ${at + 1} is no JSON, and nobody says so: ${line.slice(0, 200)}`);
    }
    const lost = SAID[session.format](record).find((words) => typeof words === 'string' && words && !held.has(words));
    assert.equal(lost, undefined, `${what}: line ${at + 1} is lost: ${line.slice(0, 200)}`);
    count('lines accounted for');
  });
}

/** Messages of a list that stand whole in front of a cut. */
function wholeBefore(list, text, cut) {
  let from = 0;
  const starts = list.map((message) => {
    const at = text.indexOf(JSON.stringify(message), from);
    from = at + 1;
    return at;
  });
  return list.filter((message, n) => starts[n] >= 0 && starts[n] + JSON.stringify(message).length <= cut);
}

function cuts({ name, kind, layout, text }, r) {
  const bytes = Buffer.from(text);
  for (let n = 0; n < CUTS; n++) {
    const cut = r.below(bytes.length);
    const session = attempt(`${name}, cut at ${cut}`, bytes.subarray(0, cut));
    if (session && layout === 'lines') accounted(`${name}, cut at ${cut}`, bytes.subarray(0, cut).toString(), session);
  }
  if (kind !== 'messages' || layout === 'lines') return;
  // Without spaces in between, so that the messages' places can be told.
  const list = messagesIn(text);
  const tight = JSON.stringify(list);
  for (let n = 0; n < 20; n++) {
    const cut = r.below(tight.length);
    const session = attempt(`${name}, list cut at ${cut}`, tight.slice(0, cut));
    if (!session) continue;
    const unread = session.problems.filter(({ code }) => code === 'not-a-message').length;
    const kept = wholeBefore(list, tight, cut).length;
    assert.ok(session.messages.length + unread >= kept, `${name}, list cut at ${cut}: ${session.messages.length} of ${kept}`);
  }
}

function flips({ name, layout, text }, r) {
  const bytes = Buffer.from(text);
  for (let n = 0; n < CUTS / 2; n++) {
    const damaged = Buffer.from(bytes);
    for (let k = 0; k <= r.below(4); k++) damaged[r.below(damaged.length)] ^= 1 << r.below(8);
    const session = attempt(`${name}, flip ${n}`, damaged);
    if (session && layout === 'lines') accounted(`${name}, flip ${n}`, damaged.toString(), session);
  }
}

/** How a list of lines is damaged. */
const SHUFFLES = {
  dropped: (lines, r) => lines.splice(r.below(lines.length), 1),
  doubled: (lines, r) => lines.splice(r.below(lines.length), 0, r.pick(lines)),
  swapped: (lines, r) => {
    const [a, b] = [r.below(lines.length), r.below(lines.length)];
    [lines[a], lines[b]] = [lines[b], lines[a]];
  },
  joined: (lines, r) => {
    const at = r.below(lines.length - 1);
    lines.splice(at, 2, lines[at] + lines[at + 1]);
  },
};

function shuffles({ name, layout, text }, r) {
  for (const [how, change] of Object.entries(SHUFFLES)) {
    for (let n = 0; n < CUTS / 8; n++) {
      const lines = text.trimEnd().split('\n');
      if (lines.length < 2) return;
      for (let k = 0; k <= r.below(3) && lines.length > 2; k++) change(lines, r);
      const damaged = `${lines.join('\n')}\n`;
      const what = `${name}, ${how} ${n}`;
      const session = attempt(what, damaged);
      if (!session) continue;
      if (layout === 'lines') accounted(what, damaged, session);
      if (n % 5 === 0) stillFolds(what, damaged, session);
    }
  }
}

/** A damaged file folds and unfolds as a sound one does. */
function stillFolds(what, text, session) {
  for (const native of [false, ...(NATIVE.includes(session.format) ? [true] : [])]) {
    let folded;
    try {
      folded = foldSession(text, { tailBudget: Math.floor(estimate(session.messages, { format: session.messageFormat }).total / 3), native });
    } catch (error) {
      assert.ok(native && error instanceof PlicaError && error.code === 'bad-plan', `${what}: ${error}`);
      continue;
    }
    const file = folded.session ?? folded.conversation;
    if (file === null) continue;
    const back = folded.ledger === null ? unfoldSession(file) : unfoldSession(file, folded.ledger);
    assert.ok(back.exact && same(back.bytes, Buffer.from(text)), what);
    count('damaged files folded');
  }
}

/** A real file with its long texts cut short, so that it can be read hundreds of times. */
function thinned(file) {
  const short = (_, value) => (typeof value === 'string' && value.length > 120 ? [...value.slice(0, 60)].join('').replace(/[\ud800-\udbff]$/, '') : value);
  const text = file.layout === 'lines'
    ? file.text.trimEnd().split('\n').slice(0, 400).map((line) => `${JSON.stringify(JSON.parse(line), short)}\n`).join('')
    : JSON.stringify(JSON.parse(file.text).slice(0, 200), short);
  return { ...file, text };
}

for (const [what, files] of [['invented', invented.filter((_, n) => n % 4 === 0)], ['real', real.map(thinned)]]) {
  test(`${what} sessions, damaged: nothing traps, nothing is lost in silence`, { skip: files.length === 0 && 'no shared transcripts' }, () => {
    files.forEach((file, n) => {
      const r = new Random(n + 31);
      cuts(file, r);
      flips(file, r);
      shuffles(file, r);
    });
  });
}
