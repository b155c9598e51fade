// SPDX-License-Identifier: MIT OR Apache-2.0
//
// plica/openai-agents: the session in runs of the real `@openai/agents`, with a model that refuses what OpenAI would.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withStore, withoutStore } from './support/cut-store.mjs';
import { closeDatabases } from './support/databases.mjs';
import { frameworkProject } from './support/frameworks.mjs';
import { PINS, bed, gardener, summaryOf } from './support/garden.mjs';
import { openai, tokensOf, wrongInItems } from './support/openai.mjs';
import { root } from './support/package.mjs';

const project = frameworkProject('openai-agents');
const { Agent, RunState, Runner, Usage, tool } = await project.import('@openai/agents');
const { z } = await project.import('zod');
const { plicaSession } = await project.import('plica/openai-agents');
const { Ledger, PlicaError, check } = await project.import('plica');
const stores = await project.import('plica/store');

const WINDOW = 4000;
const coded = (...codes) => (error) => error instanceof PlicaError && codes.includes(error.code);
const plain = (value) => JSON.parse(JSON.stringify(value));

after(closeDatabases);

/** A model of the SDK around the answers of a gardener. */
class Model {
  requests = [];
  refused = [];
  constructor(answer, window) {
    Object.assign(this, { answer, window });
  }
  async getResponse({ input, tools, systemInstructions = '', signal }) {
    signal?.throwIfAborted();
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    const wrong = wrongInItems(items);
    const tokens = tokensOf(items) + tokensOf(tools) + tokensOf(systemInstructions);
    if (tokens > this.window) wrong.push(`context_length_exceeded: ${tokens} tokens`);
    if (wrong.length > 0) {
      this.refused.push(...wrong);
      throw new Error(wrong.join('; '));
    }
    this.requests.push({ input: plain(items), tokens });
    const { text, calls = [], reasoning, compaction } = await this.answer({ model: 'agent', messages: items });
    const n = this.requests.length;
    const output = [
      ...(compaction ? [{ type: 'compaction', id: `cmp_${n}`, encrypted_content: 'x'.repeat(40) }] : []),
      ...(reasoning === undefined ? [] : [{ type: 'reasoning', id: `rs_${n}`, content: [{ type: 'input_text', text: reasoning }] }]),
      ...calls.map(({ id, name, arguments: args }) => ({ type: 'function_call', id: `fc_${id}`, callId: id, name, status: 'completed', arguments: JSON.stringify(args) })),
      ...(text === undefined ? [] : [{ type: 'message', id: `msg_${n}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }]),
    ];
    const outputTokens = tokensOf(output);
    return { usage: new Usage({ requests: 1, inputTokens: tokens, outputTokens, totalTokens: tokens + outputTokens }), output, responseId: `resp_${n}` };
  }
  async *getStreamedResponse(request) {
    yield { type: 'response_started' };
    const { usage, output, responseId } = await this.getResponse(request);
    for (const item of output) if (item.type === 'message') yield { type: 'output_text_delta', delta: item.content[0].text };
    const figures = { requests: 1, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, totalTokens: usage.totalTokens };
    yield { type: 'response_done', response: { id: responseId, usage: figures, output } };
  }
}

/** An agent of a gardener, and what sessions of it are made of. */
async function garden({ steps = 50, window = WINDOW, answer, agent: more = {}, approval = false } = {}, run) {
  const state = gardener({ steps });
  const model = new Model(answer ?? state.answer, window);
  const look = tool({ name: 'look', description: 'Looks at a bed', parameters: z.object({ bed: z.number() }), needsApproval: approval, execute: ({ bed: n }) => bed(n) });
  const agent = new Agent({ name: 'Gardener', instructions: 'You look after a garden.', model, tools: [look], ...more });
  const folds = [];
  const own = { summary: summaryOf, asks: 0 };
  const options = { id: 'garden', window, pins: PINS, summarize: async (request, context) => own.summary(++own.asks, request, context), onCompaction: (made) => folds.push(made) };
  const session = (extra) => plicaSession({ ...options, ...extra });
  const runner = new Runner({ tracingDisabled: true });
  const ask = async (of, text, extra = {}) => {
    const result = await runner.run(agent, text, { session: of, maxTurns: 200, callModelInputFilter: of.inputFilter({ signal: extra.signal }), ...extra });
    if (extra.stream) await result.completed;
    return result;
  };
  await run({ model, agent, session, ask, folds, own, runner, state });
  assert.deepEqual(model.refused, [], 'no request was one that OpenAI would refuse');
}

/** The items of a run of so many steps, as the gardener and the runner make them. */
function wasSaid(items, request, from, steps) {
  assert.equal(items.length, 2 + steps * 4);
  assert.deepEqual(items[0], { type: 'message', role: 'user', content: request });
  for (let i = 0; i < steps; i++) {
    const step = items.slice(1 + i * 4, 5 + i * 4);
    const beds = [0, 1].map((j) => (from + i) * 10 + j);
    const ids = [0, 1].map((j) => `call_${from + i}_${j}`);
    const calls = beds.map((n, j) => ({ type: 'function_call', callId: ids[j], name: 'look', status: 'completed', arguments: JSON.stringify({ bed: n }) }));
    const results = beds.map((n, j) => ({ type: 'function_call_result', callId: ids[j], name: 'look', status: 'completed', output: { type: 'text', text: bed(n) } }));
    assert.deepEqual(step, [...calls, ...results]);
  }
  assert.match(items.at(-1).content[0].text, /All beds are dry/);
}

const hasRules = ({ input }) => input.filter(({ content }) => typeof content === 'string' && content.includes('Never water at noon.')).length === 1;

for (const stream of [false, true]) {
  test(`fifty steps${stream ? ', streamed' : ''}: below the window, each original in the session, few summaries`, () => garden({}, async ({ model, session, ask, folds, own }) => {
    const s = session();
    const result = await ask(s, 'Look at all beds.', { stream });
    assert.equal(result.finalOutput, 'All beds are dry, says answer 51.');
    wasSaid(await s.originals(), 'Look at all beds.', 1, 50);
    assert.equal(own.asks, folds.length);
    assert.ok(folds.length >= 3 && folds.length <= 8, `${folds.length}`);
    for (const { outcome, tokens } of folds) assert.ok(outcome === 'summarized' && tokens.after < tokens.before);
    assert.equal(model.requests.length, 51);
    for (const request of model.requests) assert.ok(hasRules(request) && request.tokens <= WINDOW);
    // The session has the folds of the run: the next one begins with the window that it ended with.
    const window = await s.getItems();
    assert.deepEqual(plain(window).slice(0, 2), model.requests.at(-1).input.slice(0, 2));
    assert.ok((await s.ledger()).folds.length === folds.length);
    assert.deepEqual((await s.ledger()).unfold(window), await s.originals());
    const so = folds.length;
    await ask(s, 'And again.', { stream });
    wasSaid((await s.originals()).slice(202), 'And again.', 52, 50);
    assert.equal(own.asks, folds.length);
    assert.ok(folds.length - so >= 3 && folds.length - so <= 8);
  }));
}

test('without a filter it folds between the runs, when the runner says that a turn is stored', () => garden({ steps: 3 }, async ({ model, session, ask, folds, own }) => {
  const s = session();
  for (let turn = 0; turn < 12; turn++) await ask(s, `Turn ${turn}.`, { callModelInputFilter: undefined });
  const said = await s.originals();
  for (let turn = 0; turn < 12; turn++) wasSaid(said.slice(turn * 14, turn * 14 + 14), `Turn ${turn}.`, turn * 4 + 1, 3);
  assert.ok(folds.length >= 2 && folds.length <= 5, `${folds.length}`);
  assert.equal(own.asks, folds.length);
  assert.ok(model.requests.slice(4).every(hasRules));
}));

test('the counts of the provider are what the window is measured by', () => garden({ steps: 3, window: 1_000_000 }, async ({ model, session, ask, folds }) => {
  const s = session({ window: 8000 });
  const real = model.getResponse.bind(model);
  // All that is sent beside the items: 4000 tokens of tools, say.
  model.getResponse = async (request) => {
    const answer = await real(request);
    const inputTokens = answer.usage.inputTokens + 4000;
    return { ...answer, usage: new Usage({ requests: 1, inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 }) };
  };
  for (let turn = 0; turn < 4; turn++) await ask(s, `Turn ${turn}.`);
  assert.ok(folds.length >= 1);
  for (const { tokens } of model.requests) assert.ok(tokens + 4000 <= 8000, `${tokens}`);
}));

test('what is sent beside the items has its room, also where nothing was counted yet', () => garden({ steps: 11 }, async ({ agent, session, ask, folds, runner }) => {
  const short = session({ window: 1_000_000 });
  await ask(short, 'Look.');
  // Another process, another agent: what is said fits by itself.
  const s = session({ messages: plain(await short.getItems()), ledger: Ledger.from(plain(await short.ledger())) });
  const wordy = agent.clone({ instructions: 'Dig on. '.repeat(750) });
  await runner.run(wordy, 'Look on.', { session: s, maxTurns: 100, callModelInputFilter: s.inputFilter() });
  assert.ok(folds[0].outcome === 'summarized' && folds[0].tokens.before < 0.8 * WINDOW);
  assert.equal((await s.originals()).length, 2 * 46);
}));

test('the caller\'s own items come back, and are not changed', () => garden({ steps: 1 }, async ({ session }) => {
  const s = session();
  const items = Object.freeze([Object.freeze({ role: 'user', content: 'Hello.' }), Object.freeze({ type: 'message', role: 'assistant', status: 'completed', content: Object.freeze([Object.freeze({ type: 'output_text', text: 'Yes?' })]) })]);
  await s.addItems(items);
  const [rules, ...rest] = await s.getItems();
  assert.match(rules.content, /Never water at noon/);
  assert.ok(rest.every((item, i) => item === items[i]));
  assert.ok((await s.originals()).every((item, i) => item === items[i]));
  assert.equal(await s.getSessionId(), 'garden');
}));

// --- what a session does ----------------------------------------------------------------------------------------------

test('the last items, so many at most: no call without its result, no reasoning without what it led to', () => garden({ steps: 3, answer: undefined }, async ({ session, ask, state, model }) => {
  const { answer } = state;
  model.answer = (request) => ({ reasoning: 'I wonder.', ...answer(request) });
  const s = session();
  await ask(s, 'Look.');
  const all = await s.getItems();
  assert.ok(all.some(({ type }) => type === 'reasoning'));
  for (let limit = 0; limit <= all.length + 2; limit++) {
    const items = await s.getItems(limit);
    assert.ok(items.length <= limit);
    assert.deepEqual(items, items.length === 0 ? [] : all.slice(-items.length));
    assert.deepEqual(wrongInItems(items).filter((wrong) => wrong !== 'nobody says anything'), []);
    assert.notEqual(all[all.length - items.length - 1]?.type, 'reasoning');
  }
  assert.deepEqual(await s.getItems(1), all.slice(-1).filter(() => all.at(-2).type !== 'reasoning'));
}));

test('items are taken off the end, one by one, through all folds', () => garden({ steps: 40 }, async ({ session, ask, folds }) => {
  const s = session();
  await ask(s, 'Look.');
  assert.ok(folds.length >= 1);
  const all = await s.originals();
  for (let left = all.length; left > 0; left--) {
    assert.deepEqual(await s.popItem(), all[left - 1]);
    if (left % 9 === 0) assert.deepEqual(await s.originals(), all.slice(0, left - 1));
  }
  assert.equal(await s.popItem(), undefined);
  assert.deepEqual(await s.originals(), []);
  await ask(s, 'Look once more.');
  wasSaid(await s.originals(), 'Look once more.', 42, 40);
}));

test('a session that is cleared has forgotten everything', () => garden({ steps: 20 }, async ({ session, ask, model }) => {
  const s = session();
  await ask(s, 'Look.');
  await s.clearSession();
  assert.deepEqual([(await s.getItems()).filter((item) => !hasRules({ input: [item] })), await s.originals(), (await s.ledger()).records.length], [[], [], 0]);
  const before = model.requests.length;
  await ask(s, 'Look again.');
  assert.equal(model.requests[before].input.length, 2, 'the rules and the request');
  wasSaid(await s.originals(), 'Look again.', 22, 20);
}));

test('items of all kinds are kept whole, and windows of them are sound', () => garden({ steps: 1 }, async ({ session }) => {
  const filler = 'The soil is dry, and the leaves hang. '.repeat(8);
  const kinds = (n) => [
    { role: 'user', content: [{ type: 'input_text', text: `Look at bed ${n}. ${filler}` }] },
    { type: 'reasoning', id: `rs_${n}`, content: [{ type: 'input_text', text: 'I wonder.' }], providerData: { encrypted_content: 'x'.repeat(40) } },
    { type: 'hosted_tool_call', id: `ws_${n}`, name: 'web_search_call', status: 'completed', providerData: { action: { type: 'search', query: 'slugs' } } },
    { type: 'function_call', callId: `f${n}`, name: 'look', arguments: '{}', status: 'completed', namespace: 'garden' },
    { type: 'computer_call', callId: `c${n}`, status: 'completed', action: { type: 'screenshot' } },
    { type: 'function_call_result', callId: `f${n}`, name: 'look', status: 'completed', output: [{ type: 'input_text', text: filler }] },
    { type: 'computer_call_result', callId: `c${n}`, output: { type: 'computer_screenshot', data: `data:image/png;base64,${'A'.repeat(80)}` } },
    { type: 'shell_call', callId: `s${n}`, status: 'completed', action: { commands: ['ls'] } },
    { type: 'shell_call_output', callId: `s${n}`, output: [{ stdout: filler, stderr: '', outcome: { type: 'exit', exitCode: 0 } }] },
    { type: 'apply_patch_call', callId: `p${n}`, status: 'completed', operation: { type: 'delete_file', path: 'slugs.txt' } },
    { type: 'apply_patch_call_output', callId: `p${n}`, status: 'completed', output: 'gone' },
    { type: 'tool_search_call', id: `t${n}`, call_id: `t${n}`, execution: 'client', arguments: { query: 'dig' }, status: 'completed' },
    { type: 'tool_search_output', call_id: `t${n}`, execution: 'client', status: 'completed', tools: [] },
    { type: 'message', role: 'assistant', id: `m${n}`, status: 'completed', content: [{ type: 'output_text', text: `Bed ${n} is dry.` }, { type: 'refusal', refusal: 'No.' }] },
    { type: 'unknown', providerData: { type: 'new_thing' } },
  ];
  const s = session({ pins: undefined });
  const all = [];
  for (let n = 0; n < 20; n++) {
    all.push(...kinds(n));
    await s.addItems(kinds(n));
    const window = await s.getItems();
    assert.deepEqual(wrongInItems(window), []);
    assert.deepEqual(check(window, { format: 'openai-responses' }), []);
  }
  assert.ok((await s.getItems()).length < all.length / 2);
  assert.deepEqual(await s.originals(), all);
  // The provider's own compaction: the runner sends what begins with it.
  const compacted = [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x'.repeat(40) }, { role: 'user', content: 'Go on.' }];
  await s.replaceHistoryWithCompaction(compacted);
  assert.deepEqual((await s.getItems()).slice(-2), compacted);
  assert.deepEqual(await s.originals(), [...all, ...compacted]);
}));

test('where the provider compacts in the midst of a run, what it replaced stays', () => garden({ steps: 6 }, async ({ session, ask, model, state }) => {
  const { answer } = state;
  model.answer = (request) => {
    const said = answer(request);
    return state.n === 4 ? { ...said, compaction: true } : said;
  };
  const s = session({ pins: undefined });
  await ask(s, 'Look.');
  const said = await s.originals();
  wasSaid(said.filter(({ type }) => type !== 'compaction'), 'Look.', 1, 6);
  assert.equal(said.filter(({ type }) => type === 'compaction').length, 1);
  const before = model.requests.length;
  await ask(s, 'Look on.');
  assert.equal(model.requests[before].input[0].type, 'compaction', 'the runner sends what begins with it');
  assert.equal((await s.originals()).filter(({ role }) => role === 'user').length, 2);
}));

test('approvals: the run is stored in the midst, and goes on in another process', () => garden({ steps: 20, approval: true }, async ({ agent, session, runner, model, folds }) => {
  let s = session();
  const extra = (of) => ({ session: of, maxTurns: 100, callModelInputFilter: of.inputFilter() });
  let result = await runner.run(agent, 'Look.', extra(s));
  let waits = 0;
  while (result.interruptions.length > 0) {
    // Another process, with nothing but what was stored.
    s = session({ messages: plain(await s.getItems()), ledger: Ledger.from(plain(await s.ledger())) });
    const state = await RunState.fromString(agent, result.state.toString());
    for (const waiting of state.getInterruptions()) waits++ % 5 === 3 ? state.reject(waiting) : state.approve(waiting);
    result = await runner.run(agent, state, extra(s));
  }
  assert.equal(waits, 40);
  assert.ok(folds.length >= 1);
  assert.match(result.finalOutput, /All beds are dry/);
  const said = await s.originals();
  assert.equal(said.filter(({ type }) => type === 'function_call').length, 40);
  assert.equal(said.filter(({ type }) => type === 'function_call_result').length, 40);
  assert.deepEqual(said[0], { type: 'message', role: 'user', content: 'Look.' });
  assert.deepEqual(wrongInItems(said), []);
  assert.ok(model.requests.every(({ tokens }) => tokens <= WINDOW));
}));

test('guardrails: what they turn down is not in the session', () => garden({ steps: 14, agent: {
  inputGuardrails: [{ name: 'No slugs', runInParallel: false, execute: async ({ input }) => ({ tripwireTriggered: JSON.stringify(input).includes('slugs!'), outputInfo: {} }) }],
  outputGuardrails: [{ name: 'Twice', execute: async ({ agentOutput }) => ({ tripwireTriggered: agentOutput.includes('answer 30'), outputInfo: {} }) }],
} }, async ({ session, ask }) => {
  const s = session();
  await ask(s, 'Look.');
  const [before, window] = [await s.originals(), await s.getItems()];
  await assert.rejects(ask(s, 'Tell me of slugs!'), /guardrail/i);
  assert.deepEqual([await s.originals(), await s.getItems()], [before, window]);
  await assert.rejects(ask(s, 'Look on.'), /guardrail/i);
  const after = await s.originals();
  assert.deepEqual(after.slice(0, before.length), before);
  assert.ok(!JSON.stringify(after).includes('answer 30'));
  await ask(s, 'Look on.');
  const said = await s.originals();
  assert.deepEqual(said.slice(0, after.length), after);
  assert.deepEqual(wrongInItems(await s.getItems()), []);
  assert.match(said.at(-1).content[0].text, /answer 45/);
}));

test('inputs of several items, changed history, other agents: nothing is lost', () => garden({ steps: 14 }, async ({ agent, model, session, ask, folds, runner }) => {
  const s = session();
  const input = [
    { role: 'user', content: `First: ${'the hedge is high. '.repeat(40)}` },
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'And?' }] },
    { role: 'user', content: 'Second: look at all beds.' },
  ];
  await ask(s, input, { sessionInputCallback: (history, items) => [...history, ...items] });
  assert.ok(folds.length >= 1);
  const said = await s.originals();
  assert.deepEqual(plain(said.slice(0, 3)).map(({ role, content }) => ({ role, content })), input.map(({ role, content }) => ({ role, content })));
  assert.equal(said.length, 3 + 14 * 4 + 1);
  // An agent that is a tool of another: its requests are counted with the others, and are none of this conversation.
  const nested = new Model(async () => ({ text: 'A worm.' }), Infinity);
  const digger = new Agent({ name: 'Digger', instructions: 'You dig.', model: nested });
  let n = 0;
  const outer = new Model(() => (++n % 21 ? { calls: [{ id: `dig_${n}`, name: 'dig', arguments: { input: `${'Dig deep. '.repeat(30)}${n}` } }] } : { text: 'Dug.' }), WINDOW);
  const boss = new Agent({ name: 'Boss', model: outer, tools: [digger.asTool({ toolName: 'dig', toolDescription: 'Digs' })], handoffs: [agent] });
  await runner.run(boss, 'Dig.', { session: s, maxTurns: 100, callModelInputFilter: s.inputFilter() });
  assert.deepEqual(outer.refused, []);
  const all = await s.originals();
  assert.equal(all.length, said.length + 1 + 20 * 2 + 1);
  assert.deepEqual(all.slice(0, said.length), said);
  assert.ok(nested.requests.length === 20 && model.requests.length > 0);
}));

test('several runs at once on one session: each folds on its own way, and every item is there', () => garden({ steps: 12 }, async ({ session, folds, runner }) => {
  const s = session();
  const look = tool({ name: 'look', description: 'Looks at a bed', parameters: z.object({ bed: z.number() }), execute: async ({ bed: n }) => (await new Promise((done) => setTimeout(done, n % 3)), bed(n)) });
  const refused = [];
  const one = async (name, round) => {
    let n = 0;
    const model = new Model(() => (++n > 12 ? { text: `Done, says ${name}.` } : { calls: [0, 1].map((i) => ({ id: `${name}_${round}_${n}_${i}`, name: 'look', arguments: { bed: n * 10 + i } })) }), WINDOW);
    const agent = new Agent({ name, model, tools: [look] });
    const { finalOutput } = await runner.run(agent, `I am ${name}, round ${round}.`, { session: s, maxTurns: 100, callModelInputFilter: s.inputFilter() });
    assert.equal(finalOutput, `Done, says ${name}.`);
    refused.push(...model.refused);
  };
  const names = ['ash', 'birch', 'cedar'];
  for (let round = 0; round < 2; round++) await Promise.all(names.map((name) => one(name, round)));
  assert.deepEqual(refused, []);
  assert.ok(folds.length >= 6, `${folds.length}`);
  const [said, window, ledger] = [await s.originals(), await s.getItems(), await s.ledger()];
  assert.equal(said.length, 2 * 3 * (2 + 12 * 4));
  assert.deepEqual(ledger.unfold(window), said);
  for (const name of names) {
    for (const round of [0, 1]) {
      const calls = said.filter(({ type, callId }) => type === 'function_call' && callId.startsWith(`${name}_${round}_`)).map(({ callId }) => callId);
      const results = said.filter(({ type, callId }) => type === 'function_call_result' && callId.startsWith(`${name}_${round}_`)).map(({ callId }) => callId);
      const wanted = Array.from({ length: 12 }, (_, i) => [0, 1].map((j) => `${name}_${round}_${i + 1}_${j}`)).flat();
      assert.deepEqual([calls, results], [wanted, wanted]);
    }
  }
  assert.ok(!said.some(({ content }) => typeof content === 'string' && content.includes('compaction-summary')));
  assert.deepEqual(check(window, { format: 'openai-responses' }), []);
}));

// --- what goes wrong --------------------------------------------------------------------------------------------------

for (const [name, summary, more] of [
  ['fails', () => { throw new Error('no capacity'); }, {}],
  ['refuses', () => "I'm sorry, but I can't help with that.", {}],
  ['hangs', () => new Promise(() => {}), { timeoutMs: 50 }],
]) {
  test(`a summarizer that ${name} does no harm`, () => garden({ steps: 30 }, async ({ session, ask, folds, own }) => {
    own.summary = summary;
    const s = session(more);
    await ask(s, 'Look.');
    wasSaid(await s.originals(), 'Look.', 1, 30);
    assert.ok(folds.length >= 1 && folds.every(({ outcome }) => outcome === 'deterministic'));
  }));
}

test('a run that is aborted while it waits for a summary leaves the session as it was', () => garden({ steps: 14 }, async ({ session, ask, folds, own }) => {
  const s = session();
  await ask(s, 'Look.');
  const [before, window, so] = [await s.originals(), await s.getItems(), folds.length];
  const controller = new AbortController();
  own.summary = () => {
    setTimeout(() => controller.abort(new Error('enough')), 10);
    return new Promise(() => {});
  };
  await assert.rejects(ask(s, 'Look on.', { signal: controller.signal }));
  assert.equal(folds.length, so);
  assert.deepEqual([await s.originals(), await s.getItems()], [before, window]);
  own.summary = summaryOf;
  await ask(s, 'Look on.');
  const said = await s.originals();
  assert.deepEqual(said.slice(0, before.length), before);
  assert.match(said.at(-1).content[0].text, /All beds are dry/);
  assert.ok(folds.length > so);
}));

test('a run whose model fails behind a fold leaves the session as it was', () => garden({ steps: 30 }, async ({ model, session, ask, folds }) => {
  const s = session();
  const { answer } = model;
  model.answer = (request) => {
    if (folds.length >= 1) throw new Error('overloaded');
    return answer(request);
  };
  await assert.rejects(ask(s, 'Look.'), /overloaded/);
  assert.deepEqual(await s.originals(), []);
  model.answer = answer;
  await ask(s, 'Look.');
  assert.equal((await s.originals())[0].content, 'Look.');
  assert.deepEqual(wrongInItems(await s.originals()), []);
}));

test('a summarizer may read the session, and nobody waits for a summary to read it', async () => {
  let session;
  const read = [];
  const options = { id: 'garden', window: 1500, timeoutMs: 20_000, attempts: 1 };
  const word = (text) => ({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] });
  const fill = async (runContext) => {
    for (let i = 0; i < 8; i++) await session.addItems([{ role: 'user', content: `q${i}` }, word('word '.repeat(200))], runContext);
  };
  const folds = [];
  session = plicaSession({ ...options, onCompaction: ({ outcome }) => folds.push(outcome), summarize: async () => {
    read.push((await session.originals()).length, (await session.getItems()).length, (await session.ledger()).folds.length);
    return 'GOAL: x\nSTATE: y\nNEXT: z';
  } });
  const begun = Date.now();
  await fill();
  assert.ok(folds.length > 0 && folds.every((outcome) => outcome === 'summarized'), `${folds}`);
  assert.ok(read.length > 0 && Date.now() - begun < 10_000);

  let end;
  session = plicaSession({ ...options, summarize: () => (end === undefined ? new Promise((resolve) => { end = () => resolve('GOAL: x\nSTATE: y\nNEXT: z'); }) : 'GOAL: x\nSTATE: y\nNEXT: z') });
  await fill({ usage: { requestUsageEntries: [] } });
  const folding = session.runCompaction();
  while (end === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal((await session.getItems()).length, 16);
  end();
  await folding;
  assert.ok((await session.getItems()).length < 16);
});

test('a step costs what is new, however long the run is', async () => {
  const session = plicaSession({ id: 'garden', window: 50_000, summarize: async () => 'GOAL: x\nSTATE: fine\nNEXT: on' });
  await session.addItems([{ role: 'user', content: 'start' }]);
  const filter = session.inputFilter();
  let reads = 0;
  const output = { type: 'text' };
  Object.defineProperty(output, 'text', { enumerable: true, get: () => (reads++, 'dry '.repeat(200)) });
  const items = [...(await session.getItems())];
  const seen = [];
  for (let i = 0; i < 240; i++) {
    const before = reads;
    await filter({ modelData: { input: [...items], instructions: 'x' } });
    seen.push(reads - before);
    items.push({ type: 'function_call', callId: `c${i}`, name: 'look', arguments: '{"bed":1}' }, { type: 'function_call_result', callId: `c${i}`, name: 'look', status: 'completed', output });
  }
  const ofStep = seen.slice().sort((a, b) => a - b)[120];
  assert.ok(ofStep <= 8, `${ofStep} reads of results at a step`);
});

test('a streamed run whose model fails: its request is in the session, since the runner has put it in, and the next run goes on', () => garden({ steps: 2 }, async ({ model, session, ask }) => {
  const s = session();
  await ask(s, 'Look.');
  const before = await s.originals();
  const { answer } = model;
  model.answer = (request) => {
    if (request.messages.at(-1).type === 'function_call_result') throw new Error('overloaded');
    return answer(request);
  };
  await assert.rejects(ask(s, 'Look on.', { stream: true }), /overloaded/);
  assert.deepEqual(plain((await s.originals()).slice(before.length)).map(({ role, content }) => [role, content]), [['user', 'Look on.']]);
  model.answer = answer;
  await ask(s, 'Once more.', { stream: true });
  assert.deepEqual(wrongInItems(await s.originals()), []);
}));

test('what is no option is refused', () => {
  for (const bad of [undefined, {}, { id: 'x' }, { id: '', window: 100 }, { id: 'x', window: -1 }]) assert.throws(() => plicaSession(bad), coded('bad-argument', 'bad-budget'));
});

// --- kept, and gone on with -------------------------------------------------------------------------------------------

test('window and ledger as JSON are all that is needed to go on', () => garden({ steps: 20 }, async ({ session, ask, own, model }) => {
  const first = session();
  await ask(first, 'Look.');
  const kept = JSON.stringify({ messages: await first.getItems(), ledger: await first.ledger() });
  const { messages, ledger } = JSON.parse(kept);
  const second = session({ messages, ledger: Ledger.from(ledger) });
  assert.deepEqual(await second.originals(), plain(await first.originals()));
  const [asks, before] = [own.asks, model.requests.length];
  await ask(second, 'Look on.');
  assert.deepEqual(model.requests[before].input.slice(0, messages.length), messages);
  wasSaid((await second.originals()).slice(82), 'Look on.', 22, 20);
  assert.ok(own.asks > asks);
}));

const stored = (title, options, run) => test(title, { skip: withoutStore }, () => withStore(stores, (place) => garden(options, (all) => run({ ...place, ...all }))));

stored('another process goes on with what is stored, and asks for no summary again', { steps: 20 }, async ({ open, session, ask, own, model, folds }) => {
  await ask(session({ store: open() }), 'Look.');
  const [asks, last] = [own.asks, model.requests.at(-1).input];
  assert.ok(asks >= 1 && asks === folds.length);
  const s = session({ store: open() });
  const before = model.requests.length;
  wasSaid(await s.originals(), 'Look.', 1, 20);
  await ask(s, 'Look on.');
  assert.deepEqual(model.requests[before].input.slice(0, 2), last.slice(0, 2), 'the rules and the digest');
  const again = session({ store: open() });
  wasSaid((await again.originals()).slice(82), 'Look on.', 22, 20);
  assert.deepEqual(plain(await again.getItems()), plain(await s.getItems()));
});

stored('two servers take turns on one session: each goes on with the folds of the other', { steps: 4 }, async ({ open, session, ask, own, folds, model }) => {
  const servers = [session({ store: open() }), session({ store: open() })];
  for (let turn = 0; turn < 12; turn++) await ask(servers[turn % 2], `Turn ${turn}.`);
  const said = await session({ store: open() }).originals();
  for (let turn = 0; turn < 12; turn++) wasSaid(said.slice(turn * 18, turn * 18 + 18), `Turn ${turn}.`, turn * 5 + 1, 4);
  assert.equal(own.asks, folds.length);
  assert.ok(model.requests.every(hasRules));
});

stored('two servers at the same time: what both say is there', { steps: 12 }, async ({ open, session, ask, state }) => {
  const servers = [session({ store: open() }), session({ store: open() })];
  await ask(servers[0], 'Look.');
  await servers[1].getItems();
  const ends = await Promise.allSettled(servers.map((s, i) => ask(s, `Server ${i}.`)));
  const said = await session({ store: open() }).originals();
  for (const [i, { status, reason }] of ends.entries()) {
    if (status === 'rejected') assert.ok(coded('conflict')(reason), `${reason?.stack}`);
    else assert.equal(said.filter(({ content }) => content === `Server ${i}.`).length, 1);
  }
  assert.ok(ends.some(({ status }) => status === 'fulfilled'));
  assert.equal(said[0].content, 'Look.');
  assert.deepEqual(wrongInItems(said), []);
  assert.ok(state.n > 13);
});

stored('a store that goes away is told, and what could not be written can be handed over again', { steps: 20 }, async ({ open, disk, session, ask }) => {
  const s = session({ store: open() });
  await ask(s, 'Look.');
  const before = await s.originals();
  disk.cut = true;
  const items = [{ type: 'message', role: 'user', content: 'Are you there?' }];
  await assert.rejects(s.addItems(items), coded('store-failed'));
  await assert.rejects(ask(s, 'Look on.'), coded('store-failed'));
  disk.cut = false;
  assert.deepEqual(await s.originals(), before);
  await s.addItems(items);
  await ask(s, 'Look on.');
  const said = await session({ store: open() }).originals();
  assert.deepEqual(plain(said.slice(0, 83)), plain([...before, ...items]));
  assert.match(said.at(-1).content[0].text, /All beds are dry/);
});

stored('a cleared session is gone from the store', { steps: 20 }, async ({ open, session, ask }) => {
  const s = session({ store: open() });
  await ask(s, 'Look.');
  await s.clearSession();
  assert.deepEqual(await open().list(), []);
  await ask(s, 'Look again.');
  wasSaid(await session({ store: open() }).originals(), 'Look again.', 22, 20);
});

// --- types, and the page of the readme --------------------------------------------------------------------------------

const PROGRAM = `
import { Agent, MemorySession, run } from "@openai/agents";
import type { AgentInputItem, CallModelInputFilter, OpenAIResponsesCompactionAwareSession, RunContextAwareSession, Session } from "@openai/agents";
import { Ledger } from "plica";
import { plicaSession } from "plica/openai-agents";
import type { InputFilter, PlicaSession, PlicaSessionOptions } from "plica/openai-agents";

const options: PlicaSessionOptions<AgentInputItem> = { id: "garden/7", window: 200_000, summarize: async ({ prompt }) => prompt, ledger: new Ledger<AgentInputItem>() };
const session: PlicaSession = plicaSession(options);
const sessions: Session[] = [session, new MemorySession()];
const aware: RunContextAwareSession = session;
const compacts: OpenAIResponsesCompactionAwareSession = session;
const own: InputFilter = session.inputFilter({ signal: new AbortController().signal });
const filter: CallModelInputFilter = own;
const agent = new Agent({ name: "Gardener" });
const result = await run(agent, "Look.", { session, callModelInputFilter: session.inputFilter() });
const streamed = await run(agent, "Look.", { session, stream: true, callModelInputFilter: own });
const items: AgentInputItem[] = await session.getItems(3);
const said: AgentInputItem[] = (await session.ledger<AgentInputItem>()).unfold(items);
const all: AgentInputItem[] = await session.originals();
const last: AgentInputItem | undefined = await session.popItem();
// @ts-expect-error an id is needed
plicaSession({ window: 100 });
await session.addItems(items);
void [sessions, aware, compacts, filter, result, streamed, said, all, last];
`;

for (const exact of [false, true]) {
  test(`types: strict${exact ? ', with exact optional properties' : ''}`, () => {
    const file = `types-${exact}.mts`;
    writeFileSync(join(project.folder, file), PROGRAM);
    const tsc = join(createRequire(join(root, 'package.json')).resolve('typescript/package.json'), '../bin/tsc');
    const args = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', '--types', '', '--exactOptionalPropertyTypes', String(exact), file];
    try {
      execFileSync(process.execPath, [tsc, ...args], { cwd: project.folder, encoding: 'utf8' });
    } catch (error) {
      assert.fail(error.stdout);
    }
  });
}

test('the program of the readme runs as it stands', async () => {
  const page = readFileSync(join(root, 'README.md'), 'utf8').split('\n### OpenAI Agents SDK\n')[1];
  const program = /```js\n([^]*?)```/.exec(page)[1];
  writeFileSync(join(project.folder, 'page.mjs'), program);
  // The first answer fills most of the window.
  const answers = [{ calls: [{ id: 'c1', name: 'look', arguments: { bed: 1 } }] }, { text: 'Bed 1 is dry. '.repeat(52_000) }, { text: 'Bed 2 is dry as well.' }];
  const server = await openai({ answer: ({ model }) => (/mini/.test(model) ? { text: summaryOf(1) } : answers.shift()) });
  try {
    const { code, out } = await runFile('page.mjs', { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: server.url, OPENAI_AGENTS_DISABLE_TRACING: '1' });
    assert.equal(code, 0, out);
    assert.match(out, /Bed 2 is dry as well\.\n6\n$/);
    assert.ok(server.requests.some(({ model }) => /mini/.test(model)));
    assert.match(JSON.stringify(server.requests.at(-1).messages), /compaction-summary/);
    assert.deepEqual(server.refused, []);
  } finally {
    await server.close();
  }
});

function runFile(file, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { cwd: project.folder, env: { ...process.env, ...env } });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text));
    child.on('close', (code) => resolve({ code, out }));
  });
}
