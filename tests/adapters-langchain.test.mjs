// SPDX-License-Identifier: MIT OR Apache-2.0
//
// plica/langchain: the middleware in agents of the real `langchain`, with its ChatOpenAI against a server that refuses what OpenAI would.

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
import { openai } from './support/openai.mjs';
import { root } from './support/package.mjs';

const project = frameworkProject('langchain');
const { AIMessage, HumanMessage, SystemMessage, ToolMessage, ClearToolUsesEdit, contextEditingMiddleware, createAgent, createMiddleware, humanInTheLoopMiddleware, providerStrategy, tool, toolStrategy } = await project.import('langchain');
const { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } = await project.import('@langchain/langgraph');
const { ChatOpenAI } = await project.import('@langchain/openai');
const { z } = await project.import('zod');
const { plicaMiddleware, summarizeWith } = await project.import('plica/langchain');
const { PlicaError, fingerprint } = await project.import('plica');
const stores = await project.import('plica/store');

const WINDOW = 4000;
const on = (thread_id, more = {}) => ({ configurable: { thread_id }, recursionLimit: 500, ...more });
const human = (text) => ({ messages: [new HumanMessage(text)] });
const summaries = (server) => server.requests.filter(({ model }) => model === 'summarizer');
const asked = (server) => server.requests.filter(({ model }) => model === 'agent');
const textOf = ({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n'));

after(closeDatabases);

/** A server, its gardener, and agents of it, each with a middleware of its own. */
async function garden({ steps = 50, window = WINDOW, answer } = {}, run) {
  const model = gardener({ steps });
  const server = await openai({ window, answer: answer ?? model.answer });
  const chat = (name, more) => new ChatOpenAI({ model: name, apiKey: 'none', maxRetries: 0, configuration: { baseURL: server.url }, ...more });
  const folds = [];
  const look = tool(({ bed: n }) => bed(n), { name: 'look', description: 'Looks at a bed', schema: z.object({ bed: z.number() }) });
  const options = { window, summarize: summarizeWith(chat('summarizer')), pins: PINS, onCompaction: (made, thread) => folds.push({ ...made, thread }) };
  const plica = (more) => plicaMiddleware({ ...options, ...more });
  const agent = ({ plica: own, before = [], behind = [], streaming = false, ...more } = {}) => createAgent({
    model: chat('agent', { streaming }), tools: [look], systemPrompt: 'You look after a garden.', middleware: [...before, plica(own), ...behind], ...more,
  });
  try {
    await run({ model, server, folds, agent });
    assert.deepEqual(server.refused, [], 'no request was one that OpenAI would refuse');
  } finally {
    await server.close();
  }
}

/** All that was said, of steps as the gardener makes them. */
function wasSaid(messages, from, steps) {
  assert.equal(messages.length, 2 + steps * 3);
  assert.ok(HumanMessage.isInstance(messages[0]));
  for (let i = 0; i < steps; i++) {
    const [call, ...results] = messages.slice(1 + i * 3, 4 + i * 3);
    assert.ok(AIMessage.isInstance(call));
    assert.deepEqual(call.tool_calls.map(({ args }) => args.bed), [(from + i) * 10, (from + i) * 10 + 1]);
    results.forEach((result, j) => {
      assert.equal(result.tool_call_id, call.tool_calls[j].id);
      assert.equal(result.content, bed((from + i) * 10 + j));
    });
  }
}

for (const streaming of [false, true]) {
  test(`fifty steps${streaming ? ', streamed' : ''}: below the window, each original in the state, few summaries`, () => garden({}, async ({ server, folds, agent }) => {
    const graph = agent({ streaming, checkpointer: new MemorySaver() });
    const seen = [];
    for await (const [piece] of await graph.stream(human('Look at all beds.'), on('t', { streamMode: 'messages' }))) seen.push(piece);
    const { values } = await graph.getState(on('t'));
    wasSaid(values.messages, 1, 50);
    assert.equal(summaries(server).length, folds.length);
    assert.ok(folds.length >= 3 && folds.length <= 8, `${folds.length} folds`);
    for (const { outcome, tokens } of folds) assert.ok(outcome === 'summarized' && tokens.after < tokens.before);
    assert.equal(asked(server).length, 51);
    for (const { messages, tokens } of asked(server)) {
      assert.ok(tokens <= WINDOW);
      assert.equal(messages.filter((message) => textOf(message).includes('Never water at noon.')).length, 1);
      assert.equal(textOf(messages[0]), 'You look after a garden.');
    }
    // What a user sees in the stream is what was said; of the summaries not a word.
    assert.ok(seen.length > 0);
    assert.ok(!seen.some((piece) => /GOAL|summaries/.test(piece.text)));
    if (streaming) assert.ok(seen.filter((piece) => AIMessage.isInstance(piece) || piece.type === 'ai').length > 100);
  }));
}

test('the counts of the provider are what the window is measured by', () => garden({ steps: 20, window: 6500 }, async ({ server, folds, agent }) => {
  await agent({ checkpointer: new MemorySaver() }).invoke(human('Look.'), on('t'));
  assert.equal(folds.length, 0, 'two thirds of the window');
  server.scale = 1.6;
  await agent({ checkpointer: new MemorySaver() }).invoke(human('Look.'), on('t'));
  assert.ok(folds.length >= 1 && folds.length <= 3);
}));

test('what is sent beside the messages has its room, also where nothing was counted yet', () => garden({ steps: 13 }, async ({ agent, folds }) => {
  const { messages } = await agent({ plica: { window: 1_000_000 } }).invoke(human('Look.'), { recursionLimit: 100 });
  // Another process, another agent: what was said fits by itself.
  const wordy = agent({ systemPrompt: 'Dig on. '.repeat(750) });
  const end = await wordy.invoke({ messages: [...messages, new HumanMessage('Look on.')] }, { recursionLimit: 100 });
  assert.ok(folds[0].outcome === 'summarized' && folds[0].tokens.before < 0.8 * WINDOW);
  assert.equal(end.messages.length, 2 * 41);
}));

test('schemas of tools have their room where nothing is counted', () => garden({ steps: 8 }, async ({ agent, folds }) => {
  const fields = Array.from({ length: 60 }, (_, i) => [`field_${i}`, `What the sensor ${i} of the bed is to be set to.`]);
  const shapes = {
    zod: z.object(Object.fromEntries(fields.map(([name, about]) => [name, z.string().describe(about).optional()]))),
    json: { type: 'object', properties: Object.fromEntries(fields.map(([name, description]) => [name, { type: 'string', description }])) },
  };
  const { messages } = await agent({ plica: { window: 1_000_000 } }).invoke(human('Look.'), { recursionLimit: 100 });
  // Without large schemas all of it fits.
  await agent({ streaming: false }).invoke({ messages: [...messages, new HumanMessage('Look on.')] }, { recursionLimit: 100 });
  const before = folds.length;
  for (const [kind, schema] of Object.entries(shapes)) {
    const large = tool(() => 'done', { name: 'set', description: 'Sets sensors', schema });
    const odd = Object.assign(tool(() => 'done', { name: 'odd', description: 'Is odd', schema: z.object({ at: z.string().transform((s) => s.length) }) }), {});
    folds.length = 0;
    await agent({ tools: [large, odd, tool(({ bed: n }) => bed(n), { name: 'look', description: 'Looks at a bed', schema: z.object({ bed: z.number() }) })] })
      .invoke({ messages: [...messages, new HumanMessage('Look on.')] }, { recursionLimit: 100 });
    assert.ok(folds.length > before, `${kind}: ${folds.length} folds, ${before} without`);
  }
}));

test('messages come as the very objects of the state, digests as instances that the ledger knows', () => garden({ steps: 30 }, async ({ agent, folds }) => {
  const [requests, states] = [[], []];
  const watch = createMiddleware({ name: 'Watch', wrapModelCall: (request, handler) => {
    requests.push(request.messages);
    states.push(request.state.messages);
    return handler(request);
  } });
  await agent({ behind: [watch], checkpointer: new MemorySaver() }).invoke(human('Look.'), on('t'));
  const { ledger } = folds.at(-1);
  let digests = 0;
  requests.forEach((messages, i) => {
    const said = new Set(states[i]);
    for (const message of messages.filter((one) => !said.has(one))) {
      assert.ok(HumanMessage.isInstance(message), 'digests and rules are instances');
      if (ledger.lookup(message) !== undefined) digests++;
      else assert.match(message.text, /Never water at noon/);
      assert.equal(fingerprint(message), fingerprint(JSON.parse(JSON.stringify(message))));
    }
    assert.equal(messages.at(-1), states[i].at(-1));
  });
  assert.ok(digests >= 10);
  assert.deepEqual(ledger.unfold(requests.at(-1)).map((message) => message.id), states.at(-1).map((message) => message.id));
}));

// --- other servers, other checkpoints ---------------------------------------------------------------------------------

test('another server goes on with the folds of the checkpoint, and asks for none again', () => garden({ steps: 20 }, async ({ server, agent, folds }) => {
  const checkpointer = new MemorySaver();
  await agent({ checkpointer }).invoke(human('Look at the beds.'), on('t'));
  const [asks, last] = [summaries(server).length, asked(server).at(-1)];
  assert.ok(asks >= 1);
  const other = agent({ checkpointer });
  await other.invoke(human('Once more.'), on('t'));
  const next = asked(server)[21];
  assert.deepEqual(next.messages.slice(0, 3), last.messages.slice(0, 3), 'the same system text, rules and digest');
  assert.ok(folds.length > asks);
  const { values } = await other.getState(on('t'));
  assert.equal(values.messages.length, 62 + 62);
  wasSaid(values.messages.slice(0, 62), 1, 20);
}));

test('two servers take turns on one thread: nothing is summarized twice, nothing is lost', () => garden({ steps: 4 }, async ({ server, agent, model, folds }) => {
  const checkpointer = new MemorySaver();
  const servers = [agent({ checkpointer }), agent({ checkpointer })];
  for (let turn = 0; turn < 12; turn++) await servers[turn % 2].invoke(human(`Turn ${turn}.`), on('t'));
  const { values } = await servers[0].getState(on('t'));
  assert.equal(values.messages.length, 12 * 14);
  for (let turn = 0; turn < 12; turn++) {
    assert.equal(values.messages[turn * 14].text, `Turn ${turn}.`);
    wasSaid(values.messages.slice(turn * 14, turn * 14 + 14), turn * 5 + 1, 4);
  }
  assert.equal(summaries(server).length, folds.length);
  assert.equal(model.summaries, folds.length);
  assert.ok(folds.length >= 3 && folds.length <= 7, `${folds.length}`);
}));

test('an earlier checkpoint has the folds that were made then, and a branch leaves the other alone', () => garden({ steps: 20 }, async ({ server, agent }) => {
  const checkpointer = new MemorySaver();
  const graph = agent({ checkpointer });
  await graph.invoke(human('Look at the beds.'), on('t'));
  const history = [];
  for await (const state of graph.getStateHistory(on('t'))) history.push(state);
  const end = history[0];
  const early = history.find(({ values, next }) => next[0] === 'model_request' && values.messages.length === 7);
  const before = asked(server).length;
  await graph.invoke(null, { ...early.config, recursionLimit: 500 });
  const branched = asked(server)[before];
  assert.equal(branched.messages.filter(({ role }) => role === 'tool').length, 4, 'nothing of the later fold');
  assert.ok(!JSON.stringify(branched.messages).includes('compaction-summary'));
  // The end of the first way, gone on with by a third server.
  const asks = asked(server).length;
  await agent({ checkpointer }).invoke(human('More.'), { ...end.config, recursionLimit: 500 });
  assert.ok(JSON.stringify(asked(server)[asks].messages).includes('compaction-summary'));
  const { values } = await graph.getState(end.config);
  wasSaid(values.messages, 1, 20);
}));

test('messages that somebody edits in the state are taken as they are then', () => garden({ steps: 20 }, async ({ server, agent }) => {
  const graph = agent({ checkpointer: new MemorySaver() });
  await graph.invoke(human('Look at the beds.'), on('t'));
  const { values } = await graph.getState(on('t'));
  const changed = values.messages[2];
  await graph.updateState(on('t'), { messages: [new ToolMessage({ id: changed.id, tool_call_id: changed.tool_call_id, content: 'Bed 10: there is a mole.' })] }, 'model_request');
  await graph.invoke(human('More.'), on('t'));
  const after = (await graph.getState(on('t'))).values.messages;
  assert.equal(after.length, 62 + 62);
  assert.equal(after[2].content, 'Bed 10: there is a mole.');
  assert.ok(server.requests.some(({ messages }) => JSON.stringify(messages).includes('there is a mole')));
}));

test('many threads at once, fewer in memory: none sees another', () => garden({ steps: 14 }, async ({ server, agent, folds }) => {
  const graph = agent({ checkpointer: new MemorySaver(), plica: { threads: 2 } });
  const names = ['ash', 'birch', 'cedar', 'dogwood', 'elm'];
  for (let round = 0; round < 2; round++) {
    const ends = await Promise.all(names.map((name) => graph.invoke(human(`I am ${name}.`), on(name))));
    assert.ok(ends.every(({ messages }) => messages.length > 2));
  }
  for (const { messages } of server.requests) {
    const named = names.filter((name) => JSON.stringify(messages).includes(`I am ${name}.`));
    assert.ok(named.length <= 1, `${named}`);
  }
  for (const name of names) {
    const { values } = await graph.getState(on(name));
    assert.equal(values.messages.filter((message) => HumanMessage.isInstance(message)).length, 2);
  }
  assert.ok(folds.length >= names.length);
  for (const { thread, ledger } of folds) assert.ok(names.includes(thread.id) && ledger.folds.length > 0);
}));

test('without a thread each run is a conversation of its own, and folds as well', () => garden({ steps: 30 }, async ({ server, agent, folds }) => {
  const graph = agent();
  const { messages } = await graph.invoke(human('Look.'), { recursionLimit: 500 });
  wasSaid(messages, 1, 30);
  assert.ok(folds.length >= 1 && folds.length === summaries(server).length);
  const asks = summaries(server).length;
  // All of it handed in again, by a user without a checkpointer.
  await graph.invoke({ messages: [...messages, new HumanMessage('More.')] }, { recursionLimit: 500 });
  assert.ok(summaries(server).length > asks);
}));

/** What was said in ten turns of five steps, and how many summaries were made: each turn is handed over by `run`. */
async function tenTurns({ server, folds }, run) {
  const before = summaries(server).length;
  let messages = [];
  for (let turn = 0; turn < 10; turn++) ({ messages } = await run(messages, `Turn ${turn}.`));
  assert.equal(messages.length, 10 * 17);
  assert.equal(folds.length, summaries(server).length);
  return summaries(server).length - before;
}

const asJson = (message) => {
  const { type, data } = JSON.parse(JSON.stringify(message.toDict()));
  return { ...data, type };
};

test('without a checkpointer the folds of the turn before are found again: by what was said', () => garden({ steps: 5 }, async (all) => {
  const { agent } = all;
  const direct = agent({ checkpointer: new MemorySaver() });
  const usual = await tenTurns(all, (_, text) => direct.invoke(human(text), on('t')));
  assert.ok(usual >= 4 && usual <= 8, `${usual}`);
  for (const [config, form] of [[on('t'), (message) => message], [{ recursionLimit: 500 }, (message) => message], [{ recursionLimit: 500 }, asJson]]) {
    const graph = agent();
    const made = await tenTurns(all, (messages, text) => graph.invoke({ messages: [...messages.map(form), new HumanMessage(text)] }, config));
    assert.ok(made <= usual + 1, `${made}, not ${usual}`);
  }
}));

test('runs that go on from the same messages at once go their own ways', () => garden({ steps: 20 }, async ({ server, agent, folds }) => {
  const graph = agent();
  const { messages } = await graph.invoke(human('Look.'), { recursionLimit: 500 });
  assert.ok(folds.length >= 1);
  const names = ['ash', 'birch', 'cedar'];
  const ends = await Promise.all(names.map((name) => graph.invoke({ messages: [...messages, new HumanMessage(`I am ${name}.`)] }, { recursionLimit: 500 })));
  ends.forEach((end, i) => assert.deepEqual(end.messages.filter(({ text }) => text.startsWith('I am')).map(({ text }) => text), [`I am ${names[i]}.`]));
  for (const request of server.requests) assert.ok(names.filter((name) => JSON.stringify(request.messages).includes(`I am ${name}.`)).length <= 1);
}));

for (const stored of [false, true]) {
  test(`an agent that is a node of a graph${stored ? ', with a store' : ''}: one conversation, turn after turn`, { skip: stored && withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 5 }, async (all) => {
    const inner = all.agent({ plica: stored ? { store: open() } : {} });
    const graph = new StateGraph(MessagesAnnotation).addNode('gardener', inner.graph).addEdge(START, 'gardener').addEdge('gardener', END).compile({ checkpointer: new MemorySaver() });
    const made = await tenTurns(all, (_, text) => graph.invoke(human(text), on('outer')));
    assert.ok(made >= 4 && made <= 8, `${made}`);
    if (!stored) return;
    const list = await open().list({});
    assert.equal(list.length, 1);
    assert.match(list[0].id, /^outer\|gardener\|[0-9a-f]+$/);
  })));
}

test('agents that one node runs side by side are conversations of their own', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 14 }, async ({ agent, folds }) => {
  const inner = agent({ plica: { store: open() } });
  const both = async () => {
    const ends = await Promise.all(['ash', 'birch'].map((name) => inner.invoke(human(`I am ${name}.`), { recursionLimit: 500 })));
    return { messages: ends.map(({ messages }) => messages.at(-1)) };
  };
  const graph = new StateGraph(MessagesAnnotation).addNode('both', both).addEdge(START, 'both').addEdge('both', END).compile({ checkpointer: new MemorySaver() });
  await graph.invoke(human('Go.'), on('outer'));
  await graph.invoke(human('Go on.'), on('outer'));
  assert.ok(folds.length >= 2);
  // What was said before stays, under ids of its own.
  const list = (await open().list({})).filter(({ id }) => !id.includes('~left~'));
  assert.equal(list.length, 2);
  for (const { id } of list) {
    const stored = await open().load(id, { originals: true });
    assert.equal(stored.ledger.unfold(stored.messages).filter((message) => JSON.stringify(message).includes('I am ')).length, 1);
  }
})));

// --- what goes wrong --------------------------------------------------------------------------------------------------

for (const [name, summary, own] of [
  ['fails', () => ({ status: 500, error: 'no capacity' }), {}],
  ['refuses', () => "I'm sorry, but I can't help with that.", {}],
  ['hangs', () => 'hang', { timeoutMs: 50 }],
]) {
  test(`a summarizer that ${name} does no harm`, () => garden({ steps: 30 }, async ({ model, agent, folds }) => {
    model.summary = summary;
    const { messages } = await agent({ plica: own, checkpointer: new MemorySaver() }).invoke(human('Look.'), on('t'));
    wasSaid(messages, 1, 30);
    assert.ok(folds.length >= 1);
    assert.ok(folds.every(({ outcome }) => outcome === 'deterministic'));
  }));
}

test('a run that is aborted while it waits for a summary leaves everything as it was', () => garden({ steps: 30 }, async ({ model, server, agent, folds }) => {
  const checkpointer = new MemorySaver();
  const controller = new AbortController();
  model.summary = () => {
    setTimeout(() => controller.abort(new Error('enough')), 20);
    return 'hang';
  };
  const graph = agent({ checkpointer });
  await assert.rejects(graph.invoke(human('Look.'), on('t', { signal: controller.signal })));
  assert.equal(folds.length, 0);
  const { values } = await graph.getState(on('t'));
  assert.ok(!JSON.stringify(values._plica?.made ?? []).includes('compaction-summary'));
  const { length } = values.messages;
  model.summary = summaryOf;
  await graph.invoke(null, on('t'));
  const whole = (await graph.getState(on('t'))).values.messages;
  assert.ok(whole.length > length);
  wasSaid(whole, 1, 30);
  assert.ok(folds.length >= 1 && summaries(server).length === folds.length + 1);
}));

test('a model that fails behind a fold does not cost a second summary', async () => {
  const model = gardener({ steps: 30 });
  let failing = 0;
  const answer = (request) => (request.model === 'agent' && JSON.stringify(request.messages).includes('compaction-summary') && failing++ < 2 ? { status: 503, error: 'overloaded' } : model.answer(request));
  await garden({ answer }, async ({ server, agent, folds }) => {
    const graph = agent({ checkpointer: new MemorySaver() });
    await assert.rejects(graph.invoke(human('Look.'), on('t')), /overloaded/);
    await assert.rejects(graph.invoke(null, on('t')), /overloaded/);
    assert.equal(summaries(server).length, 1);
    await graph.invoke(null, on('t'));
    wasSaid((await graph.getState(on('t'))).values.messages, 1, 30);
    assert.equal(summaries(server).length, folds.length);
  });
});

test('what is no option is refused when the agent is made', () => {
  for (const bad of [{}, { window: -1 }, { window: 100, threads: -1 }, { window: 100, id: 'garden' }]) assert.throws(() => plicaMiddleware(bad), (error) => error instanceof PlicaError && error.code.startsWith('bad-'));
  assert.throws(() => summarizeWith({}), (error) => error instanceof PlicaError && error.code === 'bad-argument');
});

for (const stored of [false, true]) {
  test(`artifacts of tools may be anything${stored ? ', with a store too' : ''}`, { skip: stored && withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 20 }, async ({ agent, folds }) => {
    const loop = {};
    loop.loop = loop;
    const artifacts = [{ big: 10n }, loop, { get closed() { throw new Error('closed'); } }, new Uint8Array(9), { rows: 3 }, () => 1];
    let calls = 0;
    const look = tool(({ bed: n }) => [bed(n), artifacts[calls++ % artifacts.length]], { name: 'look', description: 'Looks at a bed', schema: z.object({ bed: z.number() }), responseFormat: 'content_and_artifact' });
    const { messages } = await agent({ tools: [look], plica: stored ? { store: open() } : {} }).invoke(human('Look.'), on('t'));
    wasSaid(messages, 1, 20);
    assert.ok(folds.length >= 1);
    const held = messages.filter((message) => ToolMessage.isInstance(message)).map(({ artifact }) => artifact);
    assert.ok(held.every((artifact) => artifacts.includes(artifact)), 'the state has the very objects');
    if (!stored) return;
    const { ledger, messages: window } = await open().load('t', { originals: true });
    const texts = ledger.unfold(window).map((message) => JSON.stringify(message));
    assert.ok(texts.some((text) => text.includes('"rows":3')), 'what can be written is in the store');
  })));
}

for (const [name, twice] of [['an answer in a schema', false], ['an answer in a schema that is asked for twice', true]]) {
  test(`${name}: its folds are in the state`, async () => {
    let n = 0;
    const answer = ({ model }) => (/summar/.test(model) ? { text: summaryOf(++n) } : { text: JSON.stringify({ verdict: `dry ${++n} ${'and there is little to do '.repeat(45)}` }) });
    await garden({ answer, steps: 1 }, async ({ server, agent, folds }) => {
      const asking = createMiddleware({ name: 'Asking', wrapModelCall: async (request, handler) => {
        if (twice) await handler(request);
        return handler(request);
      } });
      const checkpointer = new MemorySaver();
      for (let turn = 0; turn < 24; turn++) {
        // Another server each time: it knows what the state knows.
        const graph = agent({ checkpointer, before: [asking], responseFormat: providerStrategy(z.object({ verdict: z.string() })) });
        const end = await graph.invoke(human(`Turn ${turn}.`), on('t'));
        assert.match(end.structuredResponse.verdict, /^dry/);
        assert.equal(end.messages.length, 2 * turn + 2);
      }
      if (twice) return;
      assert.ok(folds.length >= 2 && folds.length <= 6, `${folds.length}`);
    });
  });
}

// --- beside other middleware ------------------------------------------------------------------------------------------

test('beside contextEditingMiddleware: it clears results of the window, the state keeps them', () => garden({ steps: 30 }, async ({ server, agent }) => {
  const editing = contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: 600 }, keep: { messages: 4 } })] });
  const { messages } = await agent({ behind: [editing], checkpointer: new MemorySaver() }).invoke(human('Look.'), on('t'));
  wasSaid(messages, 1, 30);
  assert.ok(asked(server).some((request) => JSON.stringify(request.messages).includes('[cleared]')));
}));

test('beside humanInTheLoopMiddleware: calls wait, are edited and turned down, and the window stays sound', () => garden({ steps: 24 }, async ({ agent, folds }) => {
  const graph = agent({ checkpointer: new MemorySaver(), behind: [humanInTheLoopMiddleware({ interruptOn: { look: { allowedDecisions: ['approve', 'edit', 'reject'] } } })] });
  let state = await graph.invoke(human('Look.'), on('t'));
  let waits = 0;
  while (state.__interrupt__ !== undefined) {
    waits++;
    const edited = { type: 'edit', editedAction: { name: 'look', args: { bed: 7000 + waits } } };
    state = await graph.invoke(new Command({ resume: { decisions: [waits % 3 ? { type: 'approve' } : edited, waits % 5 ? { type: 'approve' } : { type: 'reject', message: 'Not now.' }] } }), on('t'));
  }
  assert.ok(waits >= 24);
  assert.ok(folds.length >= 1);
  const texts = state.messages.map(({ text }) => text).join('\n');
  for (const said of ['Bed 7003', 'Bed 10:', 'Not now.', 'All beds are dry']) assert.ok(texts.includes(said), said);
}));

test('behind middleware that asks twice, and that changes or adds messages for one request', () => garden({ steps: 24 }, async ({ server, model, agent, folds }) => {
  const twice = createMiddleware({ name: 'Twice', wrapModelCall: async (request, handler) => {
    model.n--;
    await handler(request);
    return handler(request);
  } });
  const shout = createMiddleware({ name: 'Shout', wrapModelCall: (request, handler) => handler({ ...request, messages: request.messages.map((message) => (HumanMessage.isInstance(message) ? new HumanMessage({ id: message.id, content: message.text.toUpperCase() }) : message)) }) });
  const remind = createMiddleware({ name: 'Remind', wrapModelCall: (request, handler) => handler({ ...request, messages: [...request.messages, new HumanMessage('It is raining.')] }) });
  await agent({ checkpointer: new MemorySaver(), before: [shout] }).invoke(human('Look.'), on('shout'));
  assert.ok(asked(server)[0].messages.some((message) => textOf(message) === 'LOOK.'));
  assert.ok(folds.length >= 1);
  const so = folds.length;
  const { messages } = await agent({ checkpointer: new MemorySaver(), before: [remind] }).invoke(human('Look.'), on('remind'));
  wasSaid(messages, 26, 24);
  assert.ok(folds.length > so && folds.length <= so + 4, `${folds.length - so}`);
  assert.ok(asked(server).slice(25, 50).every((request) => textOf(request.messages.at(-1)) === 'It is raining.'));
  await agent({ checkpointer: new MemorySaver(), before: [twice] }).invoke(human('Look.'), on('twice'));
}));

test('behind middleware that puts another message in front of each request', () => garden({ steps: 5 }, async (all) => {
  const { server, agent } = all;
  const direct = agent({ checkpointer: new MemorySaver() });
  const usual = await tenTurns(all, (_, text) => direct.invoke(human(text), on('t')));
  let n = 0;
  const front = createMiddleware({ name: 'Front', wrapModelCall: (request, handler) => handler({ ...request, messages: [new HumanMessage(`It is ${++n} o'clock.`), ...request.messages] }) });
  const before = asked(server).length;
  const graph = agent({ checkpointer: new MemorySaver(), before: [front] });
  const made = await tenTurns(all, (_, text) => graph.invoke(human(text), on('front')));
  assert.ok(made <= usual + 1, `${made}, not ${usual}`);
  asked(server).slice(before).forEach(({ messages }, i) => {
    const times = messages.map(textOf).filter((text) => / o'clock\.$/.test(text));
    assert.deepEqual(times, [`It is ${i + 1} o'clock.`], 'that of this request, and no earlier one');
    assert.equal(textOf(messages.find(({ role }) => role === 'user')), times[0]);
  });
}));

test('rules join the system text that a conversation begins with', () => garden({ steps: 2 }, async ({ server, agent }) => {
  const graph = agent({ checkpointer: new MemorySaver(), systemPrompt: undefined });
  await graph.invoke({ messages: [new SystemMessage('You dig.'), new HumanMessage('Look.')] }, on('t'));
  for (const { messages } of asked(server)) {
    assert.deepEqual(messages.map(({ role }) => role).slice(0, 2), ['system', 'user']);
    assert.match(textOf(messages[0]), /You dig\.[^]*Never water at noon\./);
  }
}));

// --- with a store -----------------------------------------------------------------------------------------------------

test('with a store: folds and originals are there, another server goes on with them', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 20 }, async ({ server, agent, folds }) => {
  const checkpointer = new MemorySaver();
  await agent({ checkpointer, plica: { store: open() } }).invoke(human('Look.'), on('t'));
  const [asks, last] = [summaries(server).length, asked(server).at(-1)];
  assert.ok(asks >= 1);
  const graph = agent({ checkpointer, plica: { store: open() } });
  await graph.invoke(human('More.'), on('t'));
  assert.deepEqual(asked(server)[21].messages.slice(0, 3), last.messages.slice(0, 3));
  const { values } = await graph.getState(on('t'));
  assert.equal(values._plica, undefined);
  const stored = await open().load('t', { originals: true });
  const said = stored.ledger.unfold(stored.messages);
  // What the agent names its answers by it says when they are kept already.
  const plain = (messages) => messages.map((message) => JSON.parse(JSON.stringify(message))).map(({ kwargs: { name: _, ...kwargs }, ...rest }) => ({ ...rest, kwargs }));
  assert.deepEqual(plain(said), plain(values.messages));
  assert.equal(folds.length, summaries(server).length);
})));

test('two servers on one stored thread: one goes on with the folds of the other', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 4 }, async ({ server, agent, folds }) => {
  const checkpointer = new MemorySaver();
  const servers = [agent({ checkpointer, plica: { store: open() } }), agent({ checkpointer, plica: { store: open() } })];
  for (let turn = 0; turn < 12; turn++) await servers[turn % 2].invoke(human(`Turn ${turn}.`), on('t'));
  const { values } = await servers[0].getState(on('t'));
  assert.equal(values.messages.length, 12 * 14);
  assert.equal(summaries(server).length, folds.length);
  assert.ok(folds.length <= 7, `${folds.length}`);
  const stored = await open().load('t', { originals: true });
  assert.equal(stored.ledger.unfold(stored.messages).length, 12 * 14);
  assert.deepEqual((await open().list()).map(({ id }) => id), ['t']);
})));

test('a thread that begins anew while the store has it is told, and nothing is lost', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 20 }, async ({ agent }) => {
  const [conflict, saidIn] = [
    // As the readme says: LangChain wraps it.
    (error) => error.cause.code === 'conflict',
    async (id) => {
      const { ledger, messages } = await open().load(id, { originals: true });
      return ledger.unfold(messages);
    },
  ];
  await agent({ checkpointer: new MemorySaver(), plica: { store: open() } }).invoke(human('Look.'), on('t'));
  const before = await saidIn('t');
  assert.equal(before.length, 62);
  // The checkpointer has forgotten it, or another agent has the same thread.
  const other = (more) => agent({ checkpointer: new MemorySaver(), plica: { store: open(), ...more } }).invoke(human('Dig.'), on('t'));
  await assert.rejects(other(), conflict);
  assert.deepEqual(await saidIn('t'), before);
  await other({ id: (thread) => `digger/${thread}` });
  assert.deepEqual(await saidIn('t'), before);
  assert.equal((await saidIn('digger/t')).length > 1, true);
  assert.deepEqual((await open().list({})).map(({ id }) => id).sort(), ['digger/t', 't']);
  // What is stored, handed over, is where it goes on.
  const end = await agent({ checkpointer: new MemorySaver(), plica: { store: open() } }).invoke({ messages: [...before, new HumanMessage('Look on.')] }, on('t'));
  wasSaid(end.messages.slice(0, 62), 1, 20);
  assert.deepEqual((await saidIn('t')).slice(0, 62).map((message) => fingerprint(message)), before.map((message) => fingerprint(message)));
})));

test('a store that goes away is told, and goes on when it is back', { skip: withoutStore }, () => withStore(stores, ({ open, disk }) => garden({ steps: 20 }, async ({ agent }) => {
  let calls = 0;
  const cutting = createMiddleware({ name: 'Cutting', wrapModelCall: (request, handler) => {
    if (++calls === 9) disk.cut = true;
    return handler(request);
  } });
  const cut = agent({ checkpointer: new MemorySaver(), plica: { store: open() }, before: [cutting] });
  await assert.rejects(cut.invoke(human('Look.'), on('cut')), (error) => {
    // Each middleware around it wraps it once.
    let found = error;
    while (found !== undefined && !(found instanceof PlicaError)) found = found.cause;
    assert.equal(found?.code, 'store-failed', `${error?.stack}`);
    return true;
  });
  disk.cut = false;
  await cut.invoke(null, on('cut'));
  wasSaid((await cut.getState(on('cut'))).values.messages, 1, 20);
  const stored = await open().load('cut', { originals: true });
  assert.equal(stored.ledger.unfold(stored.messages).length, 62);
})));

test('with a store: each answer is there when its turn ends, and the next turn goes on from it on any server', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 2 }, async ({ agent, folds }) => {
  const checkpointer = new MemorySaver();
  const nameless = createMiddleware({ name: 'Nameless', wrapModelCall: async (request, handler) => {
    const { content, tool_calls, usage_metadata } = await handler(request);
    return new AIMessage({ content, tool_calls, usage_metadata });
  } });
  for (let turn = 0; turn < 9; turn++) {
    const graph = agent({ checkpointer, name: 'gardener', behind: [nameless], plica: { store: open() } });
    for (let again = 0; again < 2; again++) {
      const { messages } = await graph.invoke(human(`Turn ${turn}.`), on('t'));
      const stored = await open().load('t', { originals: true });
      assert.deepEqual(stored.ledger.unfold(stored.messages).map((message) => fingerprint(message)), messages.map((message) => fingerprint(message)));
    }
  }
  assert.ok(folds.length > 0);
  assert.deepEqual((await open().list()).map(({ id }) => id), ['t']);
})));

test('with a store: answers that other middleware puts others in the place of', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 2 }, async ({ agent }) => {
  const saidIn = async (id) => {
    const { ledger, messages } = await open().load(id, { originals: true });
    return ledger.unfold(messages).map((message) => fingerprint(message));
  };
  const louder = createMiddleware({ name: 'Louder', wrapModelCall: async (request, handler) => {
    const { text, tool_calls } = await handler(request);
    return new AIMessage({ content: `${text}!`, tool_calls });
  } });
  const graph = agent({ checkpointer: new MemorySaver(), before: [louder], plica: { store: open() } });
  let messages;
  for (let turn = 0; turn < 6; turn++) ({ messages } = await graph.invoke(human(`Turn ${turn}.`), on('loud')));
  assert.deepEqual(await saidIn('loud'), messages.slice(0, -1).map((message) => fingerprint(message)));
  assert.equal((await open().list()).length, 2, 'the first one, which the state never had, is a way of its own');
})));

test('with a store: an answer that somebody edits in the state is what was said then; other threads go on as they were', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 1 }, async ({ agent }) => {
  const graph = agent({ checkpointer: new MemorySaver(), plica: { store: open() } });
  const isStored = async (id, messages) => {
    const stored = await open().load(id, { originals: true });
    assert.deepEqual(stored.ledger.unfold(stored.messages).map((message) => fingerprint(message)), messages.map((message) => fingerprint(message)));
  };
  const { messages } = await graph.invoke(human('Look.'), on('edited'));
  await isStored('edited', messages);
  await graph.updateState(on('edited'), { messages: [new AIMessage({ id: messages.at(-1).id, content: 'All is well.' })] });
  const next = await graph.invoke(human('Look on.'), on('edited'));
  assert.equal(next.messages[messages.length - 1].text, 'All is well.');
  await isStored('edited', next.messages.slice(0, -1));
  await isStored('other', (await graph.invoke(human('Look.'), on('other'))).messages);
})));

test('with a store: an answer in a schema is there at once', { skip: withoutStore }, () => withStore(stores, async ({ open }) => {
  const answer = async ({ messages }) => ({ calls: [{ id: `call_${messages.length}`, name: 'extract', arguments: { beds: 3 } }] });
  await garden({ answer }, async ({ agent }) => {
    const checkpointer = new MemorySaver();
    for (let turn = 0; turn < 4; turn++) {
      const responseFormat = toolStrategy({ title: 'extract', type: 'object', properties: { beds: { type: 'number' } }, required: ['beds'] });
      const { messages, structuredResponse } = await agent({ checkpointer, responseFormat, plica: { store: open() } }).invoke(human('How many?'), on('t'));
      assert.deepEqual(structuredResponse, { beds: 3 });
      const stored = await open().load('t', { originals: true });
      assert.deepEqual(stored.ledger.unfold(stored.messages).map((message) => fingerprint(message)), messages.map((message) => fingerprint(message)));
    }
    assert.deepEqual((await open().list()).map(({ id }) => id), ['t']);
  });
}));

test('a store that fails behind the answer does not take it away; the next call stores it', { skip: withoutStore }, () => withStore(stores, ({ open, disk }) => garden({ steps: 1 }, async ({ agent }) => {
  let calls = 0;
  const cutting = createMiddleware({ name: 'Cutting', wrapModelCall: async (request, handler) => {
    const answer = await handler(request);
    if (++calls === 2) disk.cut = true;
    return answer;
  } });
  const graph = agent({ checkpointer: new MemorySaver(), behind: [cutting], plica: { store: open() } });
  const { messages } = await graph.invoke(human('Look.'), on('t'));
  assert.equal(messages.length, 5);
  disk.cut = false;
  await graph.invoke(human('Look on.'), on('t'));
  const stored = await open().load('t', { originals: true });
  assert.equal(stored.ledger.unfold(stored.messages).length, 10);
  assert.deepEqual((await open().list()).map(({ id }) => id), ['t']);
})));

test('a store that does not answer holds the answer up for a moment, and not the thread', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 1 }, async ({ agent }) => {
  const store = open();
  let hangs = false;
  const hanging = Object.create(store, { append: { value: (...args) => (hangs ? new Promise(() => {}) : store.append(...args)) } });
  let calls = 0;
  const cutting = createMiddleware({ name: 'Cutting', wrapModelCall: async (request, handler) => {
    const answer = await handler(request);
    if (++calls === 2) hangs = true;
    return answer;
  } });
  const graph = agent({ checkpointer: new MemorySaver(), behind: [cutting], plica: { store: hanging } });
  const { messages } = await graph.invoke(human('Look.'), on('t'));
  assert.equal(messages.length, 5);
  hangs = false;
  await graph.invoke(human('Look on.'), on('t'));
  const stored = await open().load('t', { originals: true });
  assert.equal(stored.ledger.unfold(stored.messages).length, 10);
})));

test('a store that answers nobody for a while holds up no run that is aborted, and the thread goes on when it is back', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 1 }, async ({ agent }) => {
  const store = open();
  const away = { now: false };
  const hanging = Object.fromEntries(['load', 'append', 'save', 'list', 'delete'].map((name) => [name, (...args) => (away.now ? new Promise(() => {}) : store[name](...args))]));
  const graph = agent({ checkpointer: new MemorySaver(), plica: { store: hanging } });
  await graph.invoke(human('Look.'), on('t'));
  away.now = true;
  for (const signal of [AbortSignal.timeout(100), AbortSignal.timeout(300)]) await assert.rejects(graph.invoke(human('Look on.'), on('t', { signal })), /timeout/i);
  away.now = false;
  await graph.invoke(human('Look on.'), on('t'));
  const stored = await open().load('t', { originals: true });
  const { values } = await graph.getState(on('t'));
  assert.deepEqual(stored.ledger.unfold(stored.messages).length, values.messages.length);
})));

test('middleware that asks the model twice leaves one way in the store, not one each turn', { skip: withoutStore }, () => withStore(stores, ({ open }) => garden({ steps: 1 }, async ({ agent }) => {
  const twice = createMiddleware({ name: 'Twice', wrapModelCall: async (request, handler) => {
    await handler(request);
    return handler(request);
  } });
  const graph = agent({ checkpointer: new MemorySaver(), before: [twice], plica: { store: open() } });
  for (let turn = 0; turn < 4; turn++) await graph.invoke(human(`Turn ${turn}.`), on('t'));
  assert.ok((await open().list()).length <= 2, JSON.stringify(await open().list()));
})));

test('a model that fails behind results: another server goes on from the state, and nothing is left behind', { skip: withoutStore }, () => withStore(stores, async ({ open }) => {
  let fails = true;
  const model = gardener({ steps: 1 });
  const answer = (request) => (fails && request.messages.at(-1).role === 'tool' ? { status: 400, error: 'down' } : model.answer(request));
  await garden({ answer }, async ({ agent, server }) => {
    const checkpointer = new MemorySaver();
    await assert.rejects(agent({ checkpointer, plica: { store: open() } }).invoke(human('Look.'), on('t')));
    server.refused.length = 0;
    fails = false;
    const { messages } = await agent({ checkpointer, plica: { store: open() } }).invoke(null, on('t'));
    assert.equal(messages.length, 5);
    assert.deepEqual((await open().list()).map(({ id, messages: n }) => [id, n]), [['t', 6]], 'with the rules');
  });
}));

// --- types, and the page of the readme --------------------------------------------------------------------------------

const PROGRAM = `
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, createAgent, createMiddleware, summarizationMiddleware, tool } from "langchain";
import { Command, MemorySaver, ReducedValue, StateSchema } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { plicaMiddleware, summarizeWith } from "plica/langchain";
import type { PlicaMiddleware, PlicaMiddlewareOptions } from "plica/langchain";
import { sqliteStore } from "plica/store";
import { z } from "zod/v4";

const model = new ChatOpenAI({ model: "gpt-5" });
const options: PlicaMiddlewareOptions = { window: 200_000, summarize: summarizeWith(model), threads: 10, onCompaction: ({ outcome }, { id }) => console.log(outcome, id) };
const middleware: PlicaMiddleware = plicaMiddleware(options);
const look = tool(({ bed }: { bed: number }) => String(bed), { name: "look", description: "Looks", schema: z.object({ bed: z.number() }) });
const other = createMiddleware({ name: "Other", stateSchema: z.object({ seen: z.number().default(0) }) });
const agent = createAgent({ model, tools: [look], checkpointer: new MemorySaver(), middleware: [plicaMiddleware({ window: 100 }), other, middleware] as const });
const state = await agent.invoke({ messages: [new HumanMessage("Look.")] }, { configurable: { thread_id: "t" } });
const text: string | undefined = state.messages.at(-1)?.text;
const seen: number = state.seen;
// @ts-expect-error there is no such thing in the state
state.nothing;
// @ts-expect-error a window is needed
plicaMiddleware({});
void [text, seen, sqliteStore, summarizationMiddleware];

// What the entry takes of its peers.
new Command({ update: { _plica: {} } });
new StateSchema({ _plica: new ReducedValue(z.custom().optional(), { reducer: (_: unknown, next: unknown) => next }) });
for (const Made of [AIMessage, HumanMessage, SystemMessage]) {
  const message = new Made({ content: [{ type: "text", text: "x" }] });
  const said: string = message.text;
  const held: string | object[] = message.content;
  void [said, held, Made.isInstance(message)];
}
ToolMessage.isInstance({});
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
  const page = readFileSync(join(root, 'README.md'), 'utf8').split('\n### LangChain\n')[1];
  const program = /```js\n([^]*?)```/.exec(page)[1];
  writeFileSync(join(project.folder, 'page.mjs'), program);
  // The first answer fills most of the window.
  const answers = [{ calls: [{ id: 'c1', name: 'look', arguments: { bed: 1 } }] }, { text: 'Bed 1 is dry. '.repeat(52_000) }, { text: 'Bed 2 is dry as well.' }];
  const server = await openai({ answer: ({ model }) => (/mini/.test(model) ? { text: summaryOf(1) } : answers.shift()) });
  try {
    const { code, out } = await run('page.mjs', { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: server.url });
    assert.equal(code, 0, out);
    assert.match(out, /Bed 2 is dry as well\.\n6\n$/);
    assert.ok(server.requests.some(({ model }) => /mini/.test(model)));
    assert.match(JSON.stringify(server.requests.at(-1).messages), /compaction-summary/);
    assert.deepEqual(server.refused, []);
  } finally {
    await server.close();
  }
});

function run(file, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { cwd: project.folder, env: { ...process.env, ...env } });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text));
    child.on('close', (code) => resolve({ code, out }));
  });
}
