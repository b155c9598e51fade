// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The stateful form: after whatever was done to a Transcript, it answers as the stateless functions do for its messages. Then
// what it alone can: commit, usage, restore, fork, free. PLICA_SEEDS=n runs n seeds of each format.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { forEachEntry, loaded } from './support/package.mjs';
import { FORMATS, Random, randomTranscript } from './support/random.mjs';
import { MAKE } from './support/samples.mjs';
import { count, shared, sharedBytes, sharedJson, sharedTest } from './support/shared.mjs';

const SEEDS = Number(process.env.PLICA_SEEDS ?? 16);
const MALFORMED = [0, 0, 0.15, 0.5, 1];

const several = (digest) => (Array.isArray(digest) ? digest : [digest]);
const isSame = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
const halves = (text) => text.length / 2;
/** By what a message says alone: marks go with their messages, wherever a fold moves them. */
const marked = (message) => {
  const text = JSON.stringify(message);
  return text.length % 13 === 7 && !text.includes('compaction') ? ['instructions', 'memory', 'injected', 'plain'][text.length % 4] : undefined;
};

function planOptionsOf(r, messages, total) {
  const options = { tailBudget: r.pick([0, 1, 50, 200, 1000, Infinity, total, total / 2, total / 3, total * 0.8, r.below(total + 1), r.below(total + 1)]) };
  if (r.chance(0.3)) options.keepTurns = r.below(4);
  if (r.chance(0.2)) options.prefix = r.below(6);
  if (r.chance(0.25)) options.anchorTask = true;
  if (r.chance(0.2)) options.anchorRequest = true;
  if (r.chance(0.25)) options.keepSystem = true;
  if (r.chance(0.15)) options.margin = r.below(90) / 100;
  if (r.chance(0.35) && messages.length) {
    const pins = Array.from({ length: 1 + r.below(4) }, () => r.below(messages.length));
    options.pinned = r.chance(0.5) ? pins : (_, i) => pins.includes(i);
  }
  return options;
}

function readingOf(r, format) {
  return {
    ...(r.chance(0.5) ? { format } : {}),
    ...r.pick([{}, {}, { estimator: 'conservative' }, { estimator: halves }]),
    ...(r.chance(0.3) ? { provenance: marked } : {}),
  };
}

/** What a call gives: its answer, or the code of its error. */
function outcome(fn) {
  try {
    return { answer: fn() };
  } catch (error) {
    if (error?.name !== 'PlicaError' && typeof error?.code !== 'string') throw error;
    return { code: error.code };
  }
}

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, Transcript, digestMessage, estimate, explain, fold, measure, plan } = plica;
  const first = entry === 'esm' ? 0 : SEEDS; // both run the same code: other seeds find more

  const refused = (fn, ...codes) => assert.throws(fn, (error) => {
    assert.ok(error instanceof PlicaError, `${error?.stack ?? error}`);
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    assert.ok(error.message.length > 10);
    return true;
  });
  /** All that can be seen of a transcript. */
  const snapshot = (t) => ({
    messages: t.messages(), length: t.length, format: t.format, tokens: t.tokens, calibration: t.calibration, ledger: JSON.stringify(t.ledger),
    plans: [0, 50, 500].map((tailBudget) => outcome(() => t.plan({ tailBudget }))),
  });
  const unchangedBy = (t, fn, ...codes) => {
    const before = snapshot(t);
    refused(fn, ...codes);
    const after = snapshot(t);
    assert.deepEqual(after, before);
    assert.ok(isSame(after.messages, before.messages));
  };
  let explained = 0;
  /** The transcript answers as the functions do for its messages. */
  function agrees(t, reading, options, where) {
    const list = t.messages();
    assert.equal(t.length, list.length);
    const want = outcome(() => plan(list, { ...reading, ...options, ledger: t.ledger }));
    const got = outcome(() => t.plan(options));
    assert.deepEqual(got, want, where);
    count('plans compared');
    // The rest costs more than the plan: every few plans are enough of the many.
    if (got.answer?.kind === 'fold' && explained++ % 5 === 0) {
      const read = { ...reading, ledger: t.ledger };
      assert.deepEqual(t.explain(got.answer), explain(list, want.answer, read), where);
      assert.deepEqual(t.measure(got.answer), measure(list, want.answer, read), where);
      assert.deepEqual(t.estimate(), estimate(list, read), where);
      count('plans explained and measured');
    }
    return got.answer;
  }
  const estimated = (t, reading) => Math.ceil(estimate(t.messages(), { ...reading, ledger: t.ledger }).total);

  // ------------------------------------------------------------------------------------------ stateful = stateless
  /** Does `steps` things to a transcript that starts out with part of `source`; after each one it is compared. */
  function live(r, source, reading, steps, where, { compare = 2 } = {}) {
    let t = new Transcript(reading);
    let edited = false;
    let rest = [...source];
    const grow = (n) => {
      const part = rest.slice(0, n);
      const before = t.messages();
      const want = outcome(() => estimate([...before, ...part], { ...reading, ledger: t.ledger }));
      const got = outcome(() => t.append(part));
      assert.equal(got.code, want.code, `${where}: append`);
      assert.ok(isSame(t.messages(), got.code ? before : [...before, ...part]), where);
      rest = rest.slice(n);
    };
    grow(r.below(1 + rest.length));
    for (let step = 0; step < steps; step++) {
      const what = r.pick(['append', 'append', 'append', 'append all', 'usage', 'truncate', 'replace', 'fork', 'commit', 'commit']);
      const label = `${where}, step ${step}: ${what}`;
      edited ||= (what === 'truncate' || what === 'replace') && t.ledger.folds.length > 0;
      if (what === 'append') grow(1 + r.below(4));
      if (what === 'append all') grow(rest.length);
      if (what === 'usage') t.usage({ inputTokens: r.below(100_000), outputTokens: r.below(500) });
      if (what === 'truncate' && t.length) {
        const to = t.length - r.below(Math.min(6, t.length + 1));
        rest = [...t.messages().slice(to), ...rest];
        t.truncate(to);
      }
      if (what === 'replace' && t.length) {
        const other = source[r.below(source.length)];
        const want = outcome(() => estimate([...t.messages().slice(0, -1), other], { ...reading, ledger: t.ledger }));
        assert.equal(outcome(() => t.replaceLast(other)).code, want.code, label);
      }
      if (what === 'fork') {
        const old = t;
        const before = old.messages();
        t = old.fork();
        old.truncate(halfOf(before));
        agrees(old, reading, { tailBudget: 100 }, `${label}, the old one`);
        old.free();
      }
      if (what === 'commit') commit(r, t, reading, label, edited);
      for (let n = 0; n < compare; n++) agrees(t, reading, planOptionsOf(r, t.messages(), outcome(() => estimated(t, reading)).answer ?? 0), label);
      count('steps compared');
    }
    t.free();
  }
  const halfOf = (list) => Math.floor(list.length / 2);

  let commits = 0;
  function commit(r, t, reading, label, edited) {
    const before = t.messages();
    const p = t.plan(planOptionsOf(r, before, estimated(t, reading)));
    if (p.kind === 'none') return refused(() => t.commit(p, { role: 'user', content: 'x' }), 'nothing-to-fold');
    const digest = digestMessage(`GOAL: ${commits++}`, { format: p.format, like: before });
    // Where a truncation took a digest away, or what stood around it, nothing unfolds.
    const originals = outcome(() => t.ledger.unfold(before)).answer;
    const want = fold(before, p, digest, { ...reading, ledger: t.ledger });
    const done = t.commit(p, digest);
    assert.deepEqual(t.messages(), want, label);
    assert.ok(t.messages().every((m, i) => m === want[i] || !before.includes(want[i])), label);
    const back = outcome(() => t.ledger.unfold(t.messages())).answer ?? [];
    // A window that was edited after a fold is no longer the one on record: then contents decide, and may decide otherwise.
    if (edited) count(`commits after edits of a folded window that unfold ${originals && isSame(back, originals) ? 'as before' : 'otherwise'}`);
    else assert.ok(isSame(back, originals), `${label}: unfolds to other messages`);
    assert.equal(done, t.ledger.folds.at(-1));
    assert.equal(done.tokens.after, t.tokens);
    count('commits');
  }

  for (const format of FORMATS) {
    test(`${entry} ${format}: after every step the plans of the messages`, () => {
      for (let seed = first; seed < first + SEEDS; seed++) {
        const r = new Random(seed * 131 + format.length);
        const malformed = r.pick(MALFORMED);
        const reading = readingOf(r, format);
        live(r, randomTranscript(seed, format, { malformed, turns: 2 + r.below(12) }), reading, 14, `${format}, seed ${seed}, malformed ${malformed}, ${Object.keys(reading)}`);
      }
    });
  }

  test(`${entry}: formats that show themselves late`, () => {
    const text = [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }];
    const late = {
      anthropic: { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: {} }] },
      'openai-chat': { role: 'tool', tool_call_id: 't', content: 'x' },
      pi: { role: 'toolResult', toolCallId: 't', toolName: 'n', content: [{ type: 'text', text: 'x' }], isError: false },
      'ai-sdk': { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't', toolName: 'n', input: {} }] },
      'openai-responses': { type: 'function_call', call_id: 't', name: 'n', arguments: '{}' },
    };
    for (const [format, message] of Object.entries(late)) {
      const t = new Transcript().append(text);
      const early = t.format;
      t.append([message, { role: 'user', content: 'c' }, { role: 'assistant', content: 'd' }]);
      assert.equal(t.format, format);
      agrees(t, {}, { tailBudget: 20 }, format);
      assert.equal(t.truncate(2).format, early);
      agrees(t, {}, { tailBudget: 0 }, format);
      t.append([message]).replaceLast({ role: 'user', content: 'e' });
      assert.equal(t.format, early);
      agrees(t, {}, { tailBudget: 0 }, format);
      const other = Object.entries(late).find(([name]) => name !== format && name !== 'openai-responses');
      t.append([message]);
      assert.equal(outcome(() => t.append([other[1]])).code, outcome(() => plan([...text, { role: 'user', content: 'e' }, message, other[1]], { tailBudget: 0 })).code, `${format} then ${other[0]}`);
      agrees(t, {}, { tailBudget: 0 }, format);
    }
  });

  test(`${entry}: several megabytes come in pieces, whatever format they turn out to be`, () => {
    const words = 'one two three four five '.repeat(2000);
    const list = Array.from({ length: 60 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i} ${words}` }));
    list.push({ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: {} }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] });
    for (const reading of [{}, { estimator: halves, provenance: (_, i) => (i === 50 ? 'memory' : undefined) }]) {
      for (const parts of [[62], [40, 62], [1, 62], [61, 62]]) {
        const t = new Transcript(reading);
        parts.forEach((end, i) => t.append(list.slice(parts[i - 1] ?? 0, end)));
        assert.equal(t.format, 'anthropic');
        for (const tailBudget of [0, 20_000, 200_000]) agrees(t, reading, { tailBudget }, `${parts}`);
      }
    }
    // The last piece alone is of no format that the others are.
    const t = new Transcript();
    unchangedBy(t, () => t.append([...list, { type: 'tool_results', results: [] }]), 'format-undetected');
    t.append(list);
    agrees(t, {}, { tailBudget: 20_000 }, 'after a refusal');
  });

  sharedTest(`${entry}: every case with messages`, () => {
    for (const file of readdirSync(join(shared, 'cases')).sort()) {
      const { format, input } = sharedJson(`cases/${file}`);
      if (!FORMATS.includes(format) || !Array.isArray(input) || input.length === 0) continue;
      const r = new Random(file.length);
      for (const reading of [{}, { format }, { format, estimator: halves }]) live(r, input, reading, 10, file, { compare: 4 });
      count('cases compared');
    }
  });

  sharedTest(`${entry}: every recorded transcript`, () => {
    for (const file of readdirSync(join(shared, 'transcripts')).sort()) {
      const read = outcome(() => plica.readSession(sharedBytes(`transcripts/${file}`)));
      if (read.code !== undefined) {
        count(`transcripts that no reader knows (${read.code})`);
        continue;
      }
      const { messages, messageFormat, folds } = read.answer;
      const r = new Random(file.length);
      for (const reading of [{ format: messageFormat }, {}]) live(r, messages, reading, entry === 'esm' ? 12 : 4, file, { compare: 2 });
      count('transcripts compared');
      count('messages of transcripts', messages.length);
      count('folds found in transcripts', folds.length);
    }
  });

  // ------------------------------------------------------------------------------------------------------- commit
  const chat = MAKE['openai-chat'];
  /** A conversation of `n` turns; of every third the model reads something. */
  const turns = (format, n, from = 0) => Array.from({ length: n }, (_, i) => {
    const { user, model, called } = MAKE[format];
    return [user(`question ${from + i}`), ...(i % 3 === 1 ? called(`call_${from + i}`) : []), model(`answer ${from + i}`)];
  }).flat();

  test(`${entry}: folds of folds, ten deep, in every format`, () => {
    for (const format of FORMATS) {
      const t = new Transcript({ format });
      const everything = [];
      for (let round = 0; round < 10; round++) {
        const more = turns(format, 4, round * 10);
        t.append(more);
        everything.push(...more);
        const before = t.messages();
        const p = t.plan({ tailBudget: 60, pinned: round % 2 ? [2] : [] });
        assert.equal(p.kind, 'fold');
        // What comes after the plan is part of the tail.
        const late = turns(format, 1, round * 10 + 5);
        t.append(late);
        everything.push(...late);
        const digest = digestMessage(round % 3 ? `GOAL: ${round}` : 'GOAL: the same', { format });
        const want = fold([...before, ...late], p, digest, { format, ledger: t.ledger });
        const done = t.commit(p, digest, { outcome: `round ${round}` });
        assert.deepEqual(t.messages(), want);
        assert.equal(done.outcome, `round ${round}`);
        assert.ok(isSame(t.ledger.unfold(t.messages()), everything), `${format}, round ${round}`);
        agrees(t, { format }, { tailBudget: 60 }, `${format}, round ${round}`);
        assert.equal(t.tokens, estimated(t, { format }));
        assert.equal(done.tokens.after, t.tokens);
        assert.equal(done.tokens.before, Math.ceil(estimate([...before, ...late], { format, ledger: t.ledger }).total));
        count('folds of folds');
      }
      assert.equal(t.ledger.folds.length, 10);
      if (format === 'gemini') assert.ok(t.ledger.folds.some((f) => f.record.fillers?.length), 'no filler was ever needed');
      const again = Ledger.from(JSON.parse(JSON.stringify(t.ledger)));
      assert.deepEqual(again.unfold(t.messages()), everything);
    }
  });

  test(`${entry}: plans that were spread, written as JSON or made by hand`, () => {
    const list = turns('openai-chat', 6);
    const digest = digestMessage('GOAL: x', { format: 'openai-chat' });
    const planned = plan(list, { tailBudget: 50 });
    assert.equal(planned.kind, 'fold');
    const want = fold(list, planned, digest);
    const { prefixEnd, keptFrom, kept } = planned;
    for (const p of [planned, { ...planned }, JSON.parse(JSON.stringify(planned)), { prefixEnd, keptFrom, kept }, { prefixEnd, keptFrom }, new Transcript().append(list).plan({ tailBudget: 50 })]) {
      const t = new Transcript().append(list);
      t.commit(p, digest);
      assert.deepEqual(t.messages(), want);
      assert.ok(isSame(t.ledger.unfold(t.messages()), list));
    }
  });

  test(`${entry}: what commit refuses changes nothing`, () => {
    const list = turns('openai-chat', 6);
    const digest = digestMessage('GOAL: x', { format: 'openai-chat' });
    const made = () => {
      const t = new Transcript().append(structuredClone(list));
      return { t, p: t.plan({ tailBudget: 50 }) };
    };
    for (const change of [(t) => t.truncate(t.length - 1), (t) => t.replaceLast(chat.model('else')), (t) => t.truncate(2).append(list.slice(2)), (t) => t.commit(t.plan({ tailBudget: 80 }), digest)]) {
      const { t, p } = made();
      change(t);
      unchangedBy(t, () => t.commit(p, digest), 'stale-plan');
    }
    {
      // A copy of a plan says by its tokens that it is for other messages.
      const { t, p } = made();
      t.truncate(t.length - 1).append([chat.model('a much longer answer than the one that stood here before')]);
      unchangedBy(t, () => t.commit({ ...p }, digest), 'stale-plan');
      unchangedBy(t, () => t.commit(JSON.parse(JSON.stringify(p)), digest), 'stale-plan');
    }
    {
      const { t, p } = made();
      const longer = plan([...list, ...list], { tailBudget: 50 });
      unchangedBy(t, () => t.commit(longer, digest), 'plan-mismatch');
      unchangedBy(t, () => t.commit({ prefixEnd: 0, keptFrom: 99 }, digest), 'plan-mismatch', 'bad-plan');
      unchangedBy(t, () => t.commit({ prefixEnd: 0, keptFrom: 4 }, digest), 'illegal-cut');
      unchangedBy(t, () => t.commit({ prefixEnd: 2, keptFrom: 2 }, digest), 'nothing-to-fold');
      unchangedBy(t, () => t.commit({ kind: 'none', reason: 'nothing-to-fold' }, digest), 'nothing-to-fold');
      for (const bad of [{}, { prefixEnd: 4, keptFrom: 1 }, { prefixEnd: 0, keptFrom: 5, kept: [3, 2] }, null, 7, 'x', undefined]) unchangedBy(t, () => t.commit(bad, digest), 'bad-plan');
      for (const bad of [[], null, 'x', 7, [digest, null], undefined]) unchangedBy(t, () => t.commit(p, bad), 'bad-argument');
      unchangedBy(t, () => t.commit(p, digest, { retention: 'some' }), 'bad-argument');
      unchangedBy(t, () => t.commit(p, digest, 7), 'bad-argument');
      t.commit(p, digest);
    }
    for (const change of [(m) => { m.content = 'edited'; }, (m) => { m.role = 'user'; m.content = 'edited'; }, (m) => { delete m.content; }, (m) => { Object.defineProperty(m, 'content', { get() { throw new Error('gone'); }, enumerable: true }); }]) {
      for (const at of [1, 5, list.length - 1]) {
        const { t, p } = made();
        const message = t.messages()[at];
        const keep = Object.getOwnPropertyDescriptors(message);
        const before = snapshot(t);
        change(message);
        refused(() => t.commit(p, digest), 'message-changed', 'bad-message');
        for (const key of Object.keys(message)) delete message[key];
        Object.defineProperties(message, keep);
        assert.deepEqual(snapshot(t), before);
        t.commit(p, digest);
      }
    }
  });

  test(`${entry}: what clients change on the way is no change`, () => {
    const list = [
      { role: 'user', content: [{ type: 'text', text: 'one' }] }, { id: 'msg_1', role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: { a: 1 } }], usage: { input_tokens: 5, output_tokens: 3 } },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] }, { role: 'assistant', content: 'two' }, { role: 'user', content: 'three' }, { role: 'assistant', content: 'four' },
    ];
    const t = new Transcript().append(list);
    const p = t.plan({ tailBudget: 30 });
    list[0].content[0].cache_control = { type: 'ephemeral' };
    list[1].id = 'msg_2';
    list[1].usage = { input_tokens: 6, output_tokens: 3 };
    list[2].content[0].cache_control = { type: 'ephemeral' };
    list[5].stop_reason = 'end_turn';
    const digest = digestMessage('GOAL: x', { format: 'anthropic' });
    t.commit(p, digest);
    assert.ok(isSame(t.ledger.unfold(t.messages()), list));
    agrees(t, {}, { tailBudget: 0 }, 'afterwards');
  });

  test(`${entry}: what the ledger keeps is for the caller to say`, () => {
    const list = turns('anthropic', 5);
    for (const retention of [undefined, 'full', 'reference', 'discard']) {
      const t = new Transcript({ format: 'anthropic' }).append(list);
      const done = t.commit(t.plan({ tailBudget: 40 }), digestMessage('GOAL: x', { format: 'anthropic' }), { retention });
      assert.equal(done.retention, retention ?? 'full');
      assert.equal(done.messages !== undefined, done.retention === 'full');
      if (done.retention === 'full') assert.ok(isSame(t.ledger.unfold(t.messages()), list));
      else refused(() => t.ledger.unfold(t.messages()), 'originals-missing');
      if (retention === 'reference') assert.ok(isSame(t.ledger.unfold(t.messages(), { originals: list }), list));
      agrees(t, { format: 'anthropic' }, { tailBudget: 0 }, retention);
      Ledger.from(JSON.parse(JSON.stringify(t.ledger)));
    }
  });

  // -------------------------------------------------------------------------------------------------------- usage
  const SHAPES = {
    plica: { inputTokens: 1000, outputTokens: 50 },
    anthropic: { input_tokens: 100, cache_creation_input_tokens: 300, cache_read_input_tokens: 600, output_tokens: 50 },
    'openai chat': { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050, prompt_tokens_details: { cached_tokens: 900 } },
    'openai responses': { input_tokens: 1000, input_tokens_details: { cached_tokens: 900 }, output_tokens: 50, output_tokens_details: { reasoning_tokens: 10 }, total_tokens: 1050 },
    gemini: { promptTokenCount: 1000, candidatesTokenCount: 20, thoughtsTokenCount: 30, totalTokenCount: 1050, cachedContentTokenCount: 5 },
    'ai-sdk 5': { inputTokens: 1000, outputTokens: 50, totalTokens: 1050, cachedInputTokens: 900 },
    'ai-sdk 6': { inputTokens: { total: 1000, noCache: 100, cacheRead: 900 }, outputTokens: { total: 50, text: 40, reasoning: 10 } },
    'ai-sdk 4': { promptTokens: 1000, completionTokens: 50 },
    bedrock: { inputTokens: 100, outputTokens: 50, cacheReadInputTokens: 900, cacheWriteInputTokens: 0, totalTokens: 1050 },
    ollama: { model: 'm', prompt_eval_count: 1000, eval_count: 50 },
    langchain: { usage_metadata: { input_tokens: 1000, output_tokens: 50, total_tokens: 1050, input_token_details: { cache_read: 900 } } },
    pi: { input: 400, output: 50, cacheRead: 600, cacheWrite: 0, totalTokens: 1050 },
    'an answer of anthropic': { id: 'msg_1', usage: { input_tokens: 1000, output_tokens: 50 } },
    'an answer of gemini': { usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 50 } },
  };

  test(`${entry}: usage of every provider, before and after the answer`, () => {
    const request = [chat.user('one'), chat.model('two'), chat.user('three')];
    const answer = chat.model('an answer');
    const cost = (message) => estimate([message], { format: 'openai-chat' }).total;
    for (const [name, usage] of Object.entries(SHAPES)) {
      const before = new Transcript({ format: 'openai-chat', window: 1500 }).append(request).usage(usage);
      assert.equal(before.tokens, 1000, `${name}: the answer is not here yet`);
      before.append([answer]);
      assert.equal(before.tokens, 1050, name);
      const after = new Transcript({ format: 'openai-chat', window: 1500 }).append([...request, answer]).usage(usage);
      assert.equal(after.tokens, 1050, name);
      const named = new Transcript({ format: 'openai-chat' }).append([...request, answer, chat.user('four')]).usage({ ...usage, at: 3 });
      assert.equal(named.tokens, 1050 + cost(chat.user('four')), name);
      const whole = new Transcript({ format: 'openai-chat' }).append([...request, answer]).usage({ ...usage, at: 4 });
      assert.equal(whole.tokens, 1000, name);
      for (const t of [before, after]) {
        assert.equal(t.append([chat.user('four')]).tokens, 1050 + cost(chat.user('four')), name);
        assert.deepEqual([0.5, 0.7, 0.72, 0.8, 1].map((at) => t.due({ at })), [true, true, false, false, false]);
        assert.equal(t.due(), false);
        assert.equal(t.due({ window: 1300 }), true);
        agrees(t, { format: 'openai-chat' }, { tailBudget: 0 }, name);
      }
      count('shapes of usage');
    }
  });

  test(`${entry}: windows, overhead, and room for the answer`, () => {
    const list = turns('openai-chat', 10);
    const { total } = estimate(list, { format: 'openai-chat' });
    const of = (window) => new Transcript({ format: 'openai-chat', window }).append(list);
    assert.equal(of(undefined).tokens, total);
    assert.equal(of({ size: 10_000, overhead: 500 }).tokens, total + 500);
    assert.equal(of({ size: total, output: 0 }).due({ at: 1 }), false, 'what fits exactly fits');
    assert.equal(of({ size: total - 1 }).due({ at: 1 }), true);
    assert.equal(of(total).due(), true);
    assert.equal(of(total * 2).due(), false);
    assert.equal(of({ size: total * 2, output: total }).due({ at: 1 }), false);
    assert.equal(of({ size: total * 2, output: total + 1 }).due({ at: 1 }), true);
    assert.equal(of({ size: total * 2, overhead: total + 1 }).due({ at: 1 }), true);
    assert.equal(of(Infinity).due(), false);
    refused(() => of(undefined).due(), 'bad-argument');
    assert.equal(of(undefined).due({ window: total }), true);
    for (const at of [0, -1, 1.01, NaN, Infinity, '0.5', null, {}]) {
      if (at !== null) refused(() => of(1000).due({ at }), 'bad-argument');
    }
    for (const window of [0, -1, NaN, '1', {}, { size: -1 }, { size: 10, output: 10 }, { size: 10, output: -1 }, { size: 10, overhead: NaN }, { size: 10, overhead: Infinity }, true, [], () => 1, 10n]) {
      refused(() => of(window), 'bad-argument');
      refused(() => of(1000).due({ window }), 'bad-argument');
    }
    // What is sent beside the messages is learned from the provider's count, and outlives a fold and a truncation.
    const t = of(100_000).usage({ inputTokens: total + 700, at: list.length });
    assert.equal(t.tokens, total + 700);
    t.truncate(list.length - 1);
    assert.equal(t.tokens, estimate(list.slice(0, -1), { format: 'openai-chat' }).total + 700);
    t.append(list.slice(-1)).commit(t.plan({ tailBudget: 50 }), digestMessage('GOAL: x', { format: 'openai-chat' }));
    assert.equal(t.tokens, estimated(t, { format: 'openai-chat' }) + 700);
  });

  test(`${entry}: estimates learn from counts`, () => {
    const words = (i) => `${i} ${'word '.repeat(400)}`;
    const t = new Transcript({ format: 'openai-chat', window: { size: 1e6, overhead: 0 } });
    let real = 0;
    for (let i = 0; i < 30; i++) {
      const more = [chat.user(words(i)), chat.model('ok')];
      real += estimate(more, { format: 'openai-chat' }).total * 0.6;
      t.append(more).usage({ inputTokens: Math.round(real), at: t.length });
    }
    assert.ok(Math.abs(t.calibration - 0.6) < 0.02, `${t.calibration}`);
    const cost = estimate([chat.user(words(1))], { format: 'openai-chat' }).total;
    assert.ok(Math.abs(t.append([chat.user(words(1))]).tokens - real - 0.6 * cost) < 0.03 * cost);
    agrees(t, { format: 'openai-chat' }, { tailBudget: 1000 }, 'budgets stay in estimated tokens');
  });

  test(`${entry}: figures that are none`, () => {
    const t = new Transcript({ window: 10_000 }).append(turns('openai-chat', 3)).usage({ inputTokens: 100, outputTokens: 5 });
    for (const none of [undefined, null, 7, 'x', [], {}, { inputTokens: -1 }, { inputTokens: NaN }, { inputTokens: Infinity }, { inputTokens: '5' }, { inputTokens: 2 ** 60 }, { outputTokens: 5 }, { usage: null }, { usage: {} }, Symbol('s'), () => 1, new Date(0), new Map()]) {
      unchangedBy(t, () => t.usage(none), 'bad-argument');
    }
    for (const at of [-1, 1.5, NaN, 7.01, 1e9, '1', {}, [], true]) unchangedBy(t, () => t.usage({ inputTokens: 10, at }), 'bad-argument');
    const cyclic = { inputTokens: 5 };
    cyclic.self = cyclic;
    unchangedBy(t, () => t.usage(cyclic), 'bad-message', 'bad-argument');
    unchangedBy(t, () => t.usage({ get inputTokens() { throw new Error('x'); } }), 'bad-message', 'bad-argument');
    for (const good of [{ inputTokens: 10n }, { inputTokens: 0 }, { inputTokens: 1.5 }, { inputTokens: 5, outputTokens: null }, { inputTokens: 5, outputTokens: -1 }, { inputTokens: 2 ** 53 - 1 }]) {
      const got = outcome(() => t.usage(good).tokens);
      assert.ok(got.code === 'bad-argument' || got.answer >= 0, JSON.stringify(got));
    }
  });

  test(`${entry}: where nothing folds, that is what explain and measure say`, () => {
    for (const format of FORMATS) {
      const t = new Transcript({ format }).append(turns(format, 1));
      const messages = t.messages();
      const p = t.plan({ tailBudget: Infinity, prefix: messages.length });
      assert.equal(p.kind, 'none');
      const rows = t.explain(p);
      assert.deepEqual(rows, plica.explain(messages, p, { format }));
      assert.deepEqual(rows.map(({ index, fate }) => [index, fate]), messages.map((_, i) => [i, 'tail']));
      assert.ok(rows.every(({ reason }) => reason.length > 10));
      const { total } = t.estimate();
      assert.deepEqual(t.measure(p), { total, folded: 0, prefix: 0, kept: 0, tail: total, foldedMessages: 0, foldedCalls: 0, foldedSigned: 0 });
      assert.deepEqual(plica.measure(messages, p, { format }), t.measure(p));
      refused(() => t.commit(p, digestMessage('GOAL: x', { format })), 'nothing-to-fold');
      refused(() => plica.fold(messages, p, digestMessage('GOAL: x', { format }), { format }), 'nothing-to-fold');
      for (const act of [() => t.explain({ ...p, length: 99 }), () => t.measure({ ...p, length: 99 }), () => plica.explain(messages, { ...p, length: 99 }, { format })]) refused(act, 'plan-mismatch');
    }
    const chatty = [{ role: 'system', content: 'Be kind.' }, { role: 'user', content: 'hi' }, { role: 'assistant', content: 'hello' }];
    const t = new Transcript({ format: 'openai-chat' }).append(chatty);
    assert.deepEqual(t.explain({ kind: 'none', reason: 'nothing-to-fold' }).map(({ fate, reason }) => [fate, reason]), [['prefix', 'leading system text never folds'], ['tail', 'nothing folds, so it stays'], ['tail', 'nothing folds, so it stays']]);
    assert.equal(t.measure({ kind: 'none' }).prefix, t.estimate().perMessage[0]);
    assert.deepEqual(new Transcript({ format: 'openai-chat' }).explain({ kind: 'none' }), []);
  });

  // ---------------------------------------------------------------------------------------- restore, fork and free
  test(`${entry}: restored from what was saved`, () => {
    for (const format of FORMATS) {
      const t = new Transcript({ format, window: 5000 });
      for (let round = 0; round < 3; round++) {
        t.append(turns(format, 4, round * 10));
        t.commit(t.plan({ tailBudget: 60 }), digestMessage(`GOAL: ${round}`, { format }));
      }
      t.append(turns(format, 2, 90));
      const saved = JSON.parse(JSON.stringify({ messages: t.messages(), ledger: t.ledger }));
      for (const ledger of [Ledger.from(saved.ledger), t.ledger]) {
        const again = Transcript.restore(saved.messages, ledger, { format, window: 5000 });
        assert.deepEqual(again.messages(), t.messages());
        assert.equal(again.tokens, t.tokens);
        assert.equal(again.ledger, ledger);
        assert.equal(again.due({ at: 0.05 }), t.due({ at: 0.05 }));
        for (const tailBudget of [0, 60, 200, Infinity]) assert.deepEqual(agrees(again, { format }, { tailBudget }, format), t.plan({ tailBudget }));
        assert.deepEqual(again.ledger.unfold(again.messages()), t.ledger.unfold(t.messages()));
      }
      const next = Transcript.restore(saved.messages, Ledger.from(saved.ledger), { format });
      next.commit(next.plan({ tailBudget: 60 }), digestMessage('GOAL: more', { format }));
      assert.deepEqual(next.ledger.unfold(next.messages()), t.ledger.unfold(t.messages()));
      assert.equal(t.ledger.folds.length, 3);
    }
    const own = new Transcript({ format: 'anthropic' }).append(turns('anthropic', 4));
    own.commit(own.plan({ tailBudget: 20 }), digestMessage('GOAL: own', { format: 'anthropic' }));
    const [book, window] = [own.ledger, own.messages()];
    refused(() => Transcript.restore(turns('anthropic', 4, 500), book, { format: 'anthropic' }), 'digest-missing');
    // Without messages, without folds, with originals, at an earlier state: all of it is of this conversation.
    for (const messages of [[], window, book.unfold(window), window.slice(0, 1), [...book.unfold(window).slice(0, 1), ...turns('anthropic', 2, 500)]]) {
      assert.ok(Transcript.restore(messages, book, { format: 'anthropic' }).length >= 0);
    }
    assert.equal(Transcript.restore(turns('anthropic', 4, 500), new Ledger(), { format: 'anthropic' }).length, turns('anthropic', 4, 500).length);
    refused(() => Transcript.restore([], {}), 'bad-argument');
    refused(() => Transcript.restore('x', new Ledger()), 'bad-argument');
    refused(() => new Transcript({ ledger: { digestIndices() {} } }), 'bad-argument');
  });

  test(`${entry}: folds that the ledger learns of elsewhere are known`, () => {
    const format = 'openai-chat';
    const list = turns(format, 6);
    const t = new Transcript({ format }).append(list);
    const p = plan(list, { format, tailBudget: 40 });
    const digest = digestMessage('GOAL: x', { format });
    t.append([digest]);
    agrees(t, { format }, { tailBudget: 0 }, 'before');
    t.ledger.record({ messages: list, plan: p, digest });
    agrees(t, { format }, { tailBudget: 0 }, 'after');
    const window = fold(list, p, digest);
    const other = new Transcript({ format, ledger: t.ledger }).append(window);
    agrees(other, { format }, { tailBudget: 0 }, 'another transcript of that ledger');
  });

  test(`${entry}: forks go their own ways`, () => {
    for (const format of FORMATS) {
      const t = new Transcript({ format, window: 4000 }).append(turns(format, 6));
      t.commit(t.plan({ tailBudget: 80 }), digestMessage('GOAL: x', { format }));
      t.append(turns(format, 3, 50)).usage({ inputTokens: 900, outputTokens: 10 });
      const before = snapshot(t);
      const fork = t.fork();
      assert.deepEqual(snapshot(fork), before);
      assert.ok(isSame(fork.messages(), t.messages()));
      const p = t.plan({ tailBudget: 40 });
      fork.truncate(3).append(turns(format, 2, 70)).usage({ inputTokens: 5 });
      agrees(fork, { format }, { tailBudget: 20 }, 'the fork');
      assert.deepEqual(snapshot(t), before);
      const after = snapshot(fork);
      const done = t.commit(p, digestMessage('GOAL: y', { format }));
      assert.equal(fork.ledger.folds.length, 1);
      assert.ok(!fork.ledger.folds.includes(done));
      assert.deepEqual(snapshot(fork), after);
      t.free();
      assert.deepEqual(snapshot(fork), after);
      fork.fork().free();
      assert.deepEqual(snapshot(fork), after);
    }
  });

  test(`${entry}: freed is freed`, () => {
    const t = new Transcript({ window: 1000 }).append(turns('openai-chat', 3));
    const p = t.plan({ tailBudget: 0 });
    const other = new Transcript().append(turns('openai-chat', 2));
    t.free();
    t.free();
    const third = new Transcript().append(turns('openai-chat', 4));
    t.free();
    t[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
    for (const use of [() => t.length, () => t.tokens, () => t.format, () => t.calibration, () => t.messages(), () => t.append([]), () => t.truncate(0), () => t.replaceLast(chat.user('x')), () => t.usage({ inputTokens: 5 }), () => t.due(), () => t.plan({ tailBudget: 0 }), () => t.explain(p), () => t.measure(p), () => t.estimate(), () => t.commit(p, chat.user('x')), () => t.fork()]) {
      refused(use, 'freed');
    }
    assert.ok(t.ledger instanceof Ledger);
    agrees(other, {}, { tailBudget: 0 }, 'another one');
    agrees(third, {}, { tailBudget: 0 }, 'one in its place');
    const disposed = new Transcript();
    disposed[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
    refused(() => disposed.length, 'freed');
  });

  // ------------------------------------------------------------------------------------------------- what is hostile
  test(`${entry}: refused messages leave everything as it was`, () => {
    const t = new Transcript({ window: 1000 }).append(turns('anthropic', 3)).usage({ inputTokens: 200 });
    const cyclic = { role: 'user' };
    cyclic.content = cyclic;
    let deep = 'x';
    for (let i = 0; i < 2000; i++) deep = [deep];
    const bad = [null, 7, 'x', undefined, cyclic, { role: 'user', content: deep }, { get role() { throw new Error('x'); } }, { type: 'tool_results', results: [] }, { toJSON: () => undefined }];
    for (const message of bad) {
      unchangedBy(t, () => t.append([chat.user('good'), message]), 'bad-message', 'too-deep', 'format-undetected', 'bad-argument');
      unchangedBy(t, () => t.replaceLast(message), 'bad-message', 'too-deep', 'format-undetected', 'bad-argument');
    }
    for (const list of [null, undefined, 7, 'x', {}, [, chat.user('x')]]) unchangedBy(t, () => t.append(list), 'bad-argument');
    for (const length of [-1, 0.5, NaN, 99, '1', null, undefined, {}, Infinity]) unchangedBy(t, () => t.truncate(length), 'bad-argument');
    for (const options of [undefined, null, {}, { tailBudget: -1 }, { tailBudget: '5' }]) unchangedBy(t, () => t.plan(options), 'bad-budget');
    unchangedBy(t, () => t.plan({ tailBudget: 5, pinned: [99] }), 'bad-argument');
    unchangedBy(t, () => t.plan({ tailBudget: 5, pinned() { throw new Error('x'); } }), 'bad-argument');
    for (const reading of [{ format: 'openai-chat' }, { estimator: halves }, { provenance: () => undefined }, { ledger: new Ledger() }]) unchangedBy(t, () => t.plan({ tailBudget: 5, ...reading }), 'bad-argument');
    refused(() => new Transcript().replaceLast(chat.user('x')), 'bad-argument');
    for (const estimator of [() => NaN, () => -1, () => { throw new Error('x'); }, () => '5']) {
      const own = new Transcript({ format: 'anthropic', estimator });
      unchangedBy(own, () => own.append([chat.user('x')]), 'bad-estimator');
    }
  });

  test(`${entry}: a refusal in the middle does not free another's place`, async () => {
    const other = [];
    for (let i = 0; i < 20; i++) {
      const t = new Transcript().append([{ role: 'user', content: 'x' }]);
      refused(() => t.append([{ type: 'tool_results', results: [] }]), 'format-undetected');
      other.push(new Transcript().append(turns('anthropic', 2)));
      t.free();
    }
    for (const t of other) agrees(t, {}, { tailBudget: 0 }, 'another one');
  });

  test(`${entry}: messages that can be read no longer are named, and nothing is lost`, () => {
    const list = [chat.user('one'), chat.model('two'), chat.user('three'), { role: 'tool', tool_call_id: 'x', content: 'ok' }];
    const t = new Transcript().append(list);
    assert.equal(t.format, 'openai-chat');
    const before = snapshot(t);
    const keep = list[0].content;
    Object.defineProperty(list[0], 'content', { configurable: true, enumerable: true, get() { throw new Error('gone'); } });
    // Without the last message the format is to be told anew, and for that all are read.
    refused(() => t.truncate(3), 'bad-message');
    refused(() => t.replaceLast(chat.user('x')), 'bad-message');
    Object.defineProperty(list[0], 'content', { configurable: true, enumerable: true, writable: true, value: keep });
    assert.deepEqual(snapshot(t), before);
    t.truncate(3);
    agrees(t, {}, { tailBudget: 0 }, 'afterwards');
  });

  test(`${entry}: calls of the transcript while it reads`, () => {
    let taken;
    const actions = {
      append: (t) => t.append([chat.user('inner')]),
      truncate: (t) => t.truncate(0),
      replaceLast: (t) => t.replaceLast(chat.user('inner')),
      plan: (t) => t.plan({ tailBudget: 0 }),
      usage: (t) => t.usage({ inputTokens: 5 }),
      tokens: (t) => t.tokens,
      fork: (t) => t.fork().free(),
      commit: (t) => t.commit(t.plan({ tailBudget: 0 }), digestMessage('GOAL: inner', { format: t.format })),
      free: (t) => t.free(),
      // The next one takes the place in the core that the freed one had.
      'free and another': (t) => { t.free(); taken = new Transcript({ format: 'anthropic' }).append(turns('anthropic', 2)); },
      'another transcript': () => new Transcript().append(turns('anthropic', 2)).plan({ tailBudget: 0 }),
    };
    const calling = (message, act) => ({ ...message, toJSON() { act(); return message; } });
    const base = turns('openai-chat', 4);
    for (const [name, act] of Object.entries(actions)) {
      for (const where of ['append', 'replaceLast', 'estimator', 'provenance', 'pinned', 'commit', 'digest', 'usage', 'options', 'format']) {
        let armed = false;
        let t;
        const once = () => {
          if (!armed) return;
          armed = false;
          act(t);
        };
        const reading = where === 'estimator' ? { estimator: (text) => { once(); return text.length; } } : where === 'provenance' ? { provenance: () => { once(); } } : {};
        // Of text alone: the next message tells the format, and all are read again.
        const first = where === 'format' ? calling(chat.user('zero'), once) : where === 'commit' ? calling(base[0], once) : base[0];
        t = new Transcript(reading).append(where === 'format' ? [first, chat.model('b')] : [first, ...base.slice(1)]);
        const p = where === 'commit' || where === 'digest' ? t.plan({ tailBudget: 0 }) : undefined;
        const digest = chat.user('digest');
        armed = true;
        const run = {
          append: () => t.append([calling(chat.user('outer'), once)]), replaceLast: () => t.replaceLast(calling(chat.user('outer'), once)), estimator: () => t.append([chat.user('outer')]), provenance: () => t.append([chat.user('outer')]),
          pinned: () => t.plan({ tailBudget: 0, pinned: () => { once(); return false; } }), commit: () => t.commit(p, digest), digest: () => t.commit(p, calling(digest, once)), usage: () => t.usage({ get inputTokens() { once(); return 7; } }),
          options: () => t.plan({ get tailBudget() { once(); return 0; } }), format: () => t.append(chat.call('c')),
        }[where];
        const got = outcome(run);
        assert.notEqual(got.code, 'internal', `${name} in ${where}`);
        armed = false;
        const label = `${name} while ${where}: ${got.code ?? 'done'}`;
        if (taken) {
          agrees(taken, { format: 'anthropic' }, { tailBudget: 0 }, label);
          taken.free();
          taken = undefined;
        }
        if (name.startsWith('free')) refused(() => t.length, 'freed');
        else {
          agrees(t, reading, { tailBudget: 0 }, label);
          assert.equal(estimated(t, reading) >= 0, true);
          const again = Transcript.restore(t.messages(), t.ledger, reading);
          assert.equal(again.format, t.format, label);
          t.append([chat.user('after')]);
          agrees(t, reading, { tailBudget: 30 }, label);
        }
        count('calls inside calls');
      }
    }
  });

  test(`${entry}: frozen input, class instances, binary parts`, () => {
    const freeze = (value) => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
      return value;
    };
    for (const format of FORMATS) {
      const list = freeze(turns(format, 5));
      const t = new Transcript(Object.freeze({ format, window: Object.freeze({ size: 1000 }) })).append(list);
      t.usage(Object.freeze({ inputTokens: 5 }));
      const p = freeze(t.plan(Object.freeze({ tailBudget: 40, pinned: Object.freeze([1]) })));
      t.commit(p, freeze(digestMessage('GOAL: x', { format })), Object.freeze({ retention: 'full' }));
      assert.ok(isSame(t.ledger.unfold(t.messages()), list));
      t.replaceLast(freeze(MAKE[format].user('x'))).fork().free();
    }
    class Message {
      constructor(role, content) { this.role = role; this.content = content; }
    }
    class Written {
      #of;
      constructor(of) { this.#of = of; }
      toJSON() { return this.#of; }
    }
    class Live {
      constructor(kwargs) { this.lc_kwargs = kwargs; }
      toJSON() { return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', this.constructor.name], kwargs: this.lc_kwargs }; }
    }
    class HumanMessage extends Live {}
    class AIMessage extends Live {}
    const bytes = (n) => ({ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: new Uint8Array(1000).fill(n) } }] });
    const kinds = {
      'class instances': Array.from({ length: 40 }, (_, i) => new Message(i % 2 ? 'assistant' : 'user', `m${i}`)),
      'instances that write themselves': Array.from({ length: 40 }, (_, i) => new Written({ role: i % 2 ? 'assistant' : 'user', content: `m${i}` })),
      langchain: Array.from({ length: 40 }, (_, i) => new (i % 2 ? AIMessage : HumanMessage)({ content: `m${i}` })),
      binary: Array.from({ length: 40 }, (_, i) => (i % 2 ? { role: 'assistant', content: [{ type: 'text', text: `m${i}` }] } : bytes(i))),
      'null prototypes': Array.from({ length: 40 }, (_, i) => Object.assign(Object.create(null), { role: i % 2 ? 'assistant' : 'user', content: `m${i}` })),
    };
    for (const [name, list] of Object.entries(kinds)) {
      const t = new Transcript(name === 'binary' ? { format: 'anthropic' } : {}).append(list);
      const reading = name === 'binary' ? { format: 'anthropic' } : {};
      const p = agrees(t, reading, { tailBudget: 100 }, name);
      assert.equal(p.kind, 'fold');
      const digest = digestMessage('GOAL: x', { format: t.format, like: list });
      if (name === 'langchain') assert.ok(digest instanceof HumanMessage);
      t.commit(p, digest);
      assert.ok(isSame(t.ledger.unfold(t.messages()), list), name);
      agrees(t, reading, { tailBudget: 100 }, name);
      if (name === 'binary') {
        const [late, answer] = [bytes(99), list[1]];
        t.append([late, answer]);
        const next = t.plan({ tailBudget: 100 });
        late.content[0].source.data[5] ^= 1;
        unchangedBy(t, () => t.commit(next, digest), 'message-changed');
        late.content[0].source.data[5] ^= 1;
        t.commit(next, digest);
      }
    }
  });
});

// ------------------------------------------------------------------------------------------- memory of the core
const ROUNDS = fileURLToPath(new URL('./support/rounds.mjs', import.meta.url));
function rounds(job, ...args) {
  const output = execFileSync(process.execPath, ['--expose-gc', ROUNDS, loaded.from, job, ...args.map(String)], { encoding: 'utf8' });
  return JSON.parse(output.trim().split('\n').at(-1));
}

test('a great many transcripts that are freed take no memory', () => {
  // PLICA_ROUNDS=20000 makes a million rounds.
  const transcripts = Number(process.env.PLICA_ROUNDS ?? 300);
  const { made, warm, end, ms } = rounds('free', transcripts, 50);
  count('rounds of append, plan and commit', made);
  count('milliseconds of that', Math.round(ms));
  assert.equal(made, transcripts * 50);
  assert.equal(end, warm, 'memory of the core has grown');
});

test('transcripts that nobody holds give their places back', () => {
  const { live, warm, end, wrong } = rounds('collect', 30, 200);
  assert.deepEqual(wrong, []);
  assert.ok(live < 400, `${live} places are taken`);
  assert.equal(end, warm, 'memory of the core has grown');
});

test('one that was refused and collected takes nobody else\'s place', () => {
  const { wrong } = rounds('refused', 200, 1);
  assert.deepEqual(wrong, []);
});

test('dropped for its size, the core gets the messages anew', () => {
  const { wrong, instances } = rounds('large', 1, 1);
  assert.deepEqual(wrong, []);
  assert.ok(instances >= 2, 'the core was not dropped');
});
