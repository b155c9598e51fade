// SPDX-License-Identifier: MIT OR Apache-2.0
//
// plica/anthropic with the real SDK, its tool runner included, against a Messages API that refuses what the real one refuses.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { closeDatabases, connect, openDatabases } from './support/databases.mjs';
import { frameworkProject } from './support/frameworks.mjs';
import { messagesApi } from './support/messages-api.mjs';
import { root } from './support/package.mjs';

const project = frameworkProject('anthropic');
const { default: Anthropic } = await import((await sdkFile('@anthropic-ai/sdk')));
const { Ledger, PlicaError, verifyPins } = await project.import('plica');
const { foldMessages, summarizeWith } = await project.import('plica/anthropic');

const WINDOW = 6000;
const RULES = [{ key: 'water', importance: 5, kind: 'constraint', agent_id: 'operator', value: 'Water by hand after noon.' }];
const json = (value) => JSON.parse(JSON.stringify(value));
const coded = (code) => (error) => {
  // Stores of these tests are of another copy of the package.
  assert.equal(error.name, 'PlicaError', `${error?.stack}`);
  assert.equal(error.code, code, error.message);
  return true;
};
const alive = setInterval(() => {}, 60_000);
const database = openDatabases().find(({ why }) => why === undefined);
after(async () => {
  clearInterval(alive);
  await closeDatabases();
});

/** A default export, which `export *` leaves out. */
async function sdkFile(name) {
  const file = join(project.folder, 'sdk.mjs');
  writeFileSync(file, `export { default } from ${JSON.stringify(name)};\n`);
  return file;
}

/** What the model says at its n-th request: so many steps with calls, then an answer. */
const stepping = (steps, { thinking = false, parallel = true } = {}) => {
  let n = 0;
  return () => {
    n++;
    const think = thinking ? [{ type: 'thinking', thinking: `step ${n}: ${'which bed is next? '.repeat(6)}` }] : [];
    if (n % (steps + 1) === 0) return [...think, { type: 'text', text: `All beds are done, round ${n}.` }];
    const calls = Array.from({ length: parallel ? 1 + (n % 3) : 1 }, (_, i) => ({ type: 'tool_use', id: `toolu_${n}_${i}`, name: 'look', input: { bed: n * 10 + i } }));
    return [...think, { type: 'text', text: `Looking at step ${n}.` }, ...calls];
  };
};
const look = (runs = []) => ({
  type: 'custom', name: 'look', description: 'Looks at a bed.', input_schema: { type: 'object', properties: { bed: { type: 'integer' } } },
  parse: (input) => input,
  run: ({ bed }) => {
    runs.push(bed);
    return `bed ${bed}: ${'the soil is dry and the leaves are small. '.repeat(8)}`;
  },
});
const clientOf = (api) => new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: api.fetch });
const paramsOf = (more = {}) => ({ model: 'played', max_tokens: 500, system: 'You tend a garden.', messages: [{ role: 'user', content: 'Look at all the beds.' }], ...more });
const summarizer = (client) => summarizeWith(client, { model: 'summarizer', max_tokens: 1000 });

/** What the model was told and what it said, put together from what the API saw: without digests and rules. */
const isMade = ({ content }) => typeof content === 'string' && /^<(compaction-summary|pinned-rules)/.test(content);

for (const stream of [false, true]) {
  for (const thread of [undefined, false]) {
    for (const thinking of [false, true]) {
      const title = `tool runner, 50 steps: ${stream ? 'streamed' : 'whole'}, ${thread === false ? 'without' : 'with'} a thread${thinking ? ', thinking' : ''}`;
      test(title, async () => {
        const api = messagesApi({ window: WINDOW, answer: stepping(50, { thinking }) });
        const client = clientOf(api);
        const runs = [];
        const compactions = [];
        const folding = foldMessages({ window: { size: WINDOW, output: 500 }, summarize: summarizer(client), pins: RULES, onCompaction: (made) => compactions.push(made) });
        const runner = client.beta.messages.toolRunner({ ...paramsOf({ tools: [look(runs)] }), stream, ...(thread === false ? { thread } : {}), ...(thinking ? { thinking: { type: 'adaptive' } } : {}) });
        const replies = [];
        for await (const item of folding.run(runner)) replies.push(stream ? await item.finalMessage() : item);

        assert.equal(replies.length, 51);
        assert.equal(replies.at(-1).stop_reason, 'end_turn');
        assert.equal((await runner.done()).id, replies.at(-1).id);
        assert.deepEqual(api.refused, []);
        assert.equal(api.requests.length, 51, 'every request once');
        assert.equal(new Set(runs).size, runs.length, 'every call once');
        for (const { messages } of api.requests) assert.deepEqual(verifyPins(messages, RULES).missing, []);
        const folds = compactions.filter(({ fold }) => fold !== undefined);
        assert.ok(folds.length >= 3, `${folds.length} folds`);
        assert.ok(folds.every(({ outcome }) => outcome === 'summarized'));
        assert.equal(api.summaries, folds.length, 'one call of the summarizer a fold');
        if (thread !== false) {
          const created = api.requests.filter(({ body }) => body.thread.type === 'create').length;
          assert.equal(created, folds.length + 1, 'the thread goes on but where something folds');
        }
        // Every original.
        const originals = await folding.originals();
        assert.equal(originals.length, 1 + 50 * 2 + 1);
        assert.deepEqual(json(originals.filter(({ role }) => role === 'assistant').map(({ content }) => content)), json(replies.map(({ content }) => content)));
        const results = originals.flatMap(({ role, content }) => (role === 'user' && Array.isArray(content) ? content : []));
        assert.equal(results.length, runs.length);
        assert.deepEqual((await folding.ledger()).unfold(await folding.messages()), originals);
      });
    }
  }
}

test('runUntilDone, and a runner that goes on from the window', async () => {
  const api = messagesApi({ window: WINDOW, answer: stepping(12) });
  const client = clientOf(api);
  const folding = foldMessages({ window: WINDOW, summarize: summarizer(client), pins: RULES });
  for (let round = 0; round < 5; round++) {
    const messages = [...(await folding.messages()), { role: 'user', content: `Round ${round}.` }];
    const stream = round % 2 === 0;
    const last = await folding.runUntilDone(client.beta.messages.toolRunner({ ...paramsOf({ messages, tools: [look()] }), stream }));
    assert.equal(last.stop_reason, 'end_turn');
  }
  assert.deepEqual(api.refused, []);
  assert.equal((await folding.originals()).length, 5 * (1 + 24 + 1));
  assert.ok((await folding.ledger()).folds.length > 1);
});

test('the caller changes the runner in the loop', async () => {
  const api = messagesApi({ window: WINDOW, answer: stepping(20) });
  const client = clientOf(api);
  const folding = foldMessages({ window: WINDOW, summarize: summarizer(client) });
  const runs = [];
  const runner = client.beta.messages.toolRunner(paramsOf({ tools: [look(runs)] }));
  let n = 0;
  for await (const message of folding.run(runner)) {
    n++;
    const reply = { role: 'assistant', content: message.content };
    // The reply and its results are the caller's to keep then.
    if (n === 16 || n === 21) continue;
    if (n % 5 === 1) runner.pushMessages(reply, await runner.generateToolResponse(), { role: 'user', content: `Also this, ${n}.` });
    else if (n % 5 === 2) runner.setMessagesParams((params) => ({ ...params, max_tokens: 400 + n, messages: [...params.messages, reply] }));
  }
  assert.deepEqual(api.refused, []);
  assert.equal(new Set(runs).size, runs.length);
  const originals = await folding.originals();
  assert.deepEqual(originals.filter(({ content }) => typeof content === 'string').map(({ content }) => content), ['Look at all the beds.', ...[1, 6, 11].map((i) => `Also this, ${i}.`)]);
  assert.equal(originals.length, 1 + 3 + 2 * 20 + 1);
  assert.equal(n, 21);
  assert.ok((await folding.ledger()).folds.length > 0);
  // Behind the run the runner is what it was.
  assert.equal(Object.hasOwn(runner, 'setMessagesParams'), false);
});

test('tools are added and taken away in the conversation, and stay so', async () => {
  const folding = foldMessages({ window: 2000 });
  const messages = Array.from({ length: 60 }, (_, i) => (i % 2 ? { role: 'assistant', content: [{ type: 'text', text: `answer ${i} ${'word '.repeat(90)}` }] } : { role: 'user', content: `request ${i}` }));
  const change = { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'look' } }] };
  messages.splice(4, 0, change);
  const { messages: window } = await folding.params({ messages });
  assert.ok(window.length < messages.length);
  assert.ok(window.includes(change));
});

test('two do not summarize the same', async () => {
  const api = messagesApi({ window: WINDOW, answer: stepping(3) });
  const client = clientOf(api);
  const folding = foldMessages({ window: WINDOW });
  const runner = client.beta.messages.toolRunner(paramsOf({ tools: [look()] }));
  await assert.rejects(async () => {
    for await (const _ of folding.run(runner)) runner.compactBeforeNextTurn();
  }, coded('bad-argument'));
  await assert.rejects(folding.params({ ...paramsOf(), compaction: { type: 'summarize' } }), coded('bad-argument'));
  const edits = { context_management: { edits: [{ type: 'compact_20260112' }] } };
  await assert.rejects(foldMessages({ window: WINDOW, pins: RULES }).params({ ...paramsOf(), ...edits }), coded('bad-argument'));
  const kept = await folding.originals();
  const compaction = { role: 'assistant', content: [{ type: 'compaction', content: 'so far', signature: 'x' }] };
  await assert.rejects(folding.params(paramsOf({ messages: [compaction, { role: 'user', content: 'on' }] })), coded('bad-argument'));
  assert.deepEqual(await folding.originals(), kept);
  for (const bad of [5, [{}], [null], 'compact']) {
    for (const pins of [undefined, RULES]) await assert.rejects(foldMessages({ window: WINDOW, pins }).params({ ...paramsOf(), context_management: { edits: bad } }), coded('bad-argument'));
  }
  // Alone it may begin so.
  const left = foldMessages({ window: WINDOW });
  for (const more of [[], [{ role: 'assistant', content: [{ type: 'text', text: 'well' }] }, { role: 'user', content: 'go on' }]]) {
    const params = paramsOf({ messages: [compaction, { role: 'user', content: 'on' }, ...more] });
    assert.equal(await left.params(params), params);
  }
  // A mark and another order of keys are no change; another text is.
  const on = [{ role: 'user', content: 'on' }];
  const marked = { role: 'assistant', content: [{ signature: 'x', content: 'so far', type: 'compaction', cache_control: { type: 'ephemeral' } }] };
  assert.equal((await left.params(paramsOf({ messages: [marked, ...on] }))).messages[0], marked);
  await assert.rejects(left.params(paramsOf({ messages: [{ role: 'assistant', content: [{ type: 'compaction', content: 'another', signature: 'x' }] }, ...on] })), coded('bad-argument'));
});

for (const stream of [false, true]) {
  test(`compaction of the provider beside it: its blocks are sent back, and nothing folds twice (${stream ? 'streamed' : 'whole'})`, async () => {
    const api = messagesApi({ window: WINDOW, answer: stepping(40) });
    const client = clientOf(api);
    const folding = foldMessages({ window: WINDOW, summarize: summarizer(client) });
    const params = { ...paramsOf({ tools: [look()] }), stream, thread: false, betas: ['compact-2026-01-12'], context_management: { edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 3000 } }] } };
    const replies = [];
    for await (const item of folding.run(client.beta.messages.toolRunner(params))) replies.push(stream ? await item.finalMessage() : item);
    assert.deepEqual(api.refused, []);
    const blocks = replies.flatMap(({ content }) => content.filter(({ type }) => type === 'compaction'));
    assert.ok(blocks.length >= 2, `${blocks.length} compactions`);
    assert.equal(api.summaries, 0, 'the provider was first');
    const sent = api.requests.at(-1).messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(({ type }) => type === 'compaction') : []));
    assert.deepEqual(sent, json(blocks), 'as they came');
    assert.equal((await folding.originals()).length, 1 + 2 * 40 + 1);
  });
}

test('what is sent beside the messages is learned from what the provider counts', async () => {
  for (const stream of [false, true]) {
    const api = messagesApi({ window: WINDOW, answer: stepping(50) });
    const client = clientOf(api);
    const folding = foldMessages({ window: WINDOW, summarize: summarizer(client) });
    const system = 'You tend a garden, and never tire of it. '.repeat(200);
    await folding.runUntilDone(client.beta.messages.toolRunner({ ...paramsOf({ system, tools: [look()] }), stream }));
    assert.deepEqual(api.refused, []);
    assert.ok(api.requests.some(({ tokens }) => tokens > 0.6 * WINDOW));
    assert.ok((await folding.ledger()).folds.length > 3);
  }
});

test('what the provider clears is not counted: plica folds later, and both go on', async () => {
  const folds = [];
  for (const edits of [undefined, [{ type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 2500 } }]]) {
    const api = messagesApi({ window: WINDOW, answer: stepping(50) });
    const client = clientOf(api);
    const folding = foldMessages({ window: WINDOW, summarize: summarizer(client), pins: RULES });
    const params = { ...paramsOf({ tools: [look()] }), ...(edits === undefined ? {} : { betas: ['context-management-2025-06-27'], context_management: { edits } }) };
    await folding.runUntilDone(client.beta.messages.toolRunner(params));
    assert.deepEqual(api.refused, []);
    assert.equal((await folding.originals()).length, 1 + 2 * 50 + 1);
    folds.push((await folding.ledger()).folds.length);
  }
  assert.ok(folds[1] < folds[0], `${folds}`);
});

// --- loops of your own ------------------------------------------------------------------------------------------------

/** A loop as one writes it. */
async function loop(client, folding, params, { stream = false, beta = false, signal, turns = 60, tools = look() } = {}) {
  const { messages: api } = beta ? client.beta : client;
  let usage;
  for (let turn = 0; turn < turns; turn++) {
    params = await folding.params(params, { usage, signal });
    const answer = stream ? await api.stream(params).finalMessage() : await api.create(params);
    usage = answer.usage;
    params = { ...params, messages: [...params.messages, { role: 'assistant', content: answer.content }] };
    const calls = answer.content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) break;
    params.messages.push({ role: 'user', content: calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: tools.run(input) })) });
  }
  await folding.record(params.messages, { usage });
  return params;
}

for (const stream of [false, true]) {
  test(`a loop of one's own, ${stream ? 'streamed' : 'whole'}`, async () => {
    const api = messagesApi({ window: WINDOW, answer: stepping(50) });
    const client = clientOf(api);
    const folding = foldMessages({ window: WINDOW, summarize: summarizer(client), pins: RULES });
    const said = paramsOf();
    const frozen = Object.freeze({ ...said, messages: Object.freeze(said.messages.map(Object.freeze)) });
    await loop(client, folding, frozen, { stream });
    assert.deepEqual(api.refused, []);
    assert.equal(api.requests.length, 51);
    for (const { messages } of api.requests) assert.deepEqual(verifyPins(messages, RULES).missing, []);
    const { folds } = await folding.ledger();
    assert.ok(folds.length >= 3);
    assert.equal(api.summaries, folds.length);
    const originals = await folding.originals();
    assert.equal(originals.length, 1 + 2 * 50 + 1);
    assert.equal(originals[0], frozen.messages[0], 'the object itself');
  });
}

test('thinking stays with its loop; behind a fold what is bound to other messages may be left out', async () => {
  const api = messagesApi({ window: WINDOW, answer: stepping(50, { thinking: true }) });
  const client = clientOf(api);
  const folding = foldMessages({ window: WINDOW, summarize: summarizer(client) });
  await loop(client, folding, { ...paramsOf(), thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000, betas: [] }, { beta: true });
  assert.deepEqual(api.refused, []);
  const asked = api.requests.map(({ body }) => body.thinking.block_binding?.prefix_mismatch_behavior);
  assert.ok(asked.includes(undefined) && asked.includes('drop_block'));
  assert.ok(asked.slice(asked.indexOf('drop_block')).every((one) => one === 'drop_block'), 'from then on');
  assert.ok(api.requests.every(({ body }) => body.thinking.budget_tokens === 1024));
  const own = { ...paramsOf(), thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'error' } }, betas: [], messages: (await folding.messages()).concat({ role: 'user', content: 'on' }) };
  assert.deepEqual((await folding.params(own)).thinking, own.thinking, 'what the caller chose stays');
});

test('cache marks that move are no change, and the last one is sent', async () => {
  const api = messagesApi({ window: WINDOW, answer: stepping(1000) });
  const client = clientOf(api);
  const folding = foldMessages({ window: WINDOW, summarize: summarizer(client) });
  const said = [{ role: 'user', content: 'Look at all the beds.' }];
  const marked = () => said.map((message, i) => (i === said.length - 1 ? { role: message.role, content: (typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content).map((block, j, all) => (j === all.length - 1 ? { ...block, cache_control: { type: 'ephemeral' } } : block)) } : message));
  let usage;
  for (let step = 0; step < 40; step++) {
    const params = await folding.params(paramsOf({ messages: marked() }), { usage });
    assert.equal(JSON.stringify(params.messages).split('cache_control').length, 2);
    const answer = await client.messages.create(params);
    usage = answer.usage;
    said.push({ role: 'assistant', content: answer.content }, { role: 'user', content: answer.content.filter(({ type }) => type === 'tool_use').map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: look().run(input) })) });
  }
  assert.deepEqual(api.refused, []);
  assert.ok((await folding.ledger()).folds.length >= 2);
  assert.equal(api.summaries, (await folding.ledger()).folds.length);
  // The last messages were not handed over yet.
  assert.deepEqual(json(await folding.originals()).map(({ role }) => role), said.slice(0, -2).map(({ role }) => role));
});

test('a summarizer that fails, hangs, refuses or is cut off does no harm', async () => {
  const moods = {
    fails: () => { throw new TypeError('overloaded'); },
    hangs: () => new Promise(() => {}),
    refuses: () => ({ text: "I can't help with that.", stop_reason: 'refusal' }),
    'is cut off': () => ({ text: 'GOAL: tend the', stop_reason: 'max_tokens' }),
    'says nothing': () => ({ text: '' }),
  };
  for (const [mood, summarize] of Object.entries(moods)) {
    const api = messagesApi({ window: WINDOW, answer: stepping(30), summarize });
    const client = clientOf(api);
    const compactions = [];
    const folding = foldMessages({ window: WINDOW, summarize: summarizer(client), timeoutMs: 20, onCompaction: (made) => compactions.push(made) });
    await folding.runUntilDone(client.beta.messages.toolRunner(paramsOf({ tools: [look()] })));
    assert.deepEqual(api.refused, [], mood);
    const folds = compactions.filter(({ fold }) => fold !== undefined);
    assert.ok(folds.length >= 2 && folds.every(({ outcome }) => outcome === 'deterministic'), `${mood}: ${folds.map(({ outcome }) => outcome)}`);
    assert.ok(folds[0].failed.length >= 1, mood);
    assert.equal((await folding.originals()).length, 1 + 2 * 30 + 1);
  }
});

test('a run that is aborted in the middle of a summary changes nothing, and can be gone on with', async () => {
  const controller = new AbortController();
  const held = { on: true };
  const api = messagesApi({ window: WINDOW, answer: stepping(30), summarize: () => {
    if (!held.on) return 'GOAL: tend\nSTATE: wet\nNEXT: north';
    controller.abort(new Error('stopped'));
    return new Promise(() => {});
  } });
  const client = clientOf(api);
  const folding = foldMessages({ window: WINDOW, summarize: summarizer(client) });
  const runner = client.beta.messages.toolRunner(paramsOf({ tools: [look()] }));
  await assert.rejects(async () => {
    for await (const _ of folding.run(runner, { signal: controller.signal })) await soon();
  }, /stopped/);
  const originals = await folding.originals();
  assert.deepEqual(await folding.messages(), originals, 'nothing has folded');
  assert.deepEqual((await folding.ledger()).folds, []);
  held.on = false;
  await folding.runUntilDone(client.beta.messages.toolRunner(paramsOf({ messages: originals, tools: [look()] })));
  assert.deepEqual(api.refused, []);
  assert.deepEqual((await folding.originals()).slice(0, originals.length), originals);
});

test('a stream that the caller aborts is the runner’s to tell of', async () => {
  const api = messagesApi({ window: WINDOW, answer: stepping(5) });
  const client = clientOf(api);
  const folding = foldMessages({ window: WINDOW });
  const runner = client.beta.messages.toolRunner({ ...paramsOf({ tools: [look()] }), stream: true });
  let n = 0;
  await assert.rejects(async () => {
    for await (const stream of folding.run(runner)) if (++n === 2) stream.abort();
  }, (error) => !(error instanceof PlicaError));
  assert.ok((await folding.originals()).length > 0);
});

/** The API, with another reason in the n-th reply. */
const stopping = (api, reasons) => {
  let n = 0;
  return async (...args) => {
    const answer = await api.fetch(...args);
    const reason = reasons[++n];
    if (reason === undefined) return answer;
    return new Response((await answer.text()).replace(/"stop_reason":"(end_turn|tool_use)"/, `"stop_reason":"${reason}"`), answer);
  };
};

for (const stream of [false, true]) {
  test(`a reply that is cut off in the midst of a call: the conversation goes on (${stream ? 'streamed' : 'whole'})`, { skip: database === undefined }, async () => {
    for (const reason of ['max_tokens', 'model_context_window_exceeded', 'refusal', 'of_tomorrow']) {
      const place = await freshStore();
      const api = messagesApi({ window: WINDOW, answer: (_, n) => (n === 2 ? [{ type: 'text', text: 'I look.' }, { type: 'tool_use', id: 'a', name: 'look', input: { bed: 1 } }, { type: 'tool_use', id: 'b', name: 'look', input: {} }] : [{ type: 'text', text: `Answer ${n}.` }]) });
      const client = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: stopping(api, { 2: reason }) });
      const runs = [];
      for (const content of ['first', 'second', 'third', 'fourth']) {
        const folding = foldMessages({ window: WINDOW, store: place.store, id: 'garden' });
        const messages = [...(await folding.messages()), { role: 'user', content }];
        await folding.runUntilDone(client.beta.messages.toolRunner({ ...paramsOf({ messages, tools: [look(runs)] }), stream }));
      }
      assert.deepEqual(api.refused, [], reason);
      assert.deepEqual(runs, []);
      const said = json(await foldMessages({ window: WINDOW, store: place.store, id: 'garden' }).originals());
      if (reason === 'refusal') {
        assert.deepEqual(said.map(({ role }) => role), ['user', 'assistant', 'user', 'user', 'assistant', 'user', 'assistant']);
        assert.ok(!JSON.stringify(said).includes('tool_use'));
      } else {
        assert.equal(said[3].content[0].text, 'I look.');
        assert.deepEqual(said[4].content.map(({ type, tool_use_id, is_error }) => [type, tool_use_id, is_error]), [['tool_result', 'a', true], ['tool_result', 'b', true]]);
        assert.match(said[4].content[0].content, /cut off.*not made/);
        assert.equal(said.length, 9);
      }
      assert.deepEqual((await place.plain.list()).map(({ id }) => id), ['garden']);
      await place.end();
    }
  });
}

test('a reply that is cut off before it says anything is left out', async () => {
  for (const content of [[], [{ type: 'thinking', thinking: 'hm' }], [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }]]) {
    const api = messagesApi({ window: WINDOW, answer: (_, n) => (n === 1 ? content : [{ type: 'text', text: 'Well.' }]) });
    const client = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: stopping(api, { 1: 'max_tokens' }) });
    const folding = foldMessages({ window: WINDOW });
    for (const request of ['first', 'second']) {
      await folding.runUntilDone(client.beta.messages.toolRunner(paramsOf({ messages: [...(await folding.messages()), { role: 'user', content: request }], tools: [look()] })));
    }
    assert.deepEqual(api.refused, []);
    assert.deepEqual((await folding.originals()).map(({ role }) => role), ['user', 'user', 'assistant']);
  }
});

test('whatever a reply was, a request can follow it: in a loop of one’s own, and where the runner leaves a pause', async () => {
  const text = (words) => ({ type: 'text', text: words });
  const call = (id) => ({ type: 'tool_use', id, name: 'look', input: { bed: 1 } });
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
  const result = (id) => ({ type: 'tool_result', tool_use_id: id, content: 'dry' });
  const user = (content) => ({ role: 'user', content });
  const reply = (content) => ({ role: 'assistant', content });
  const missing = (id) => ({ type: 'tool_result', tool_use_id: id, is_error: true, content: 'No result of this call is known.' });
  // What the reply was, what was handed over behind it, and what is sent of both.
  const cases = [
    [[], [user('next')], [user('next')]],
    ['', [user('next')], [user('next')]],
    [[{ type: 'thinking', thinking: 'hm', signature: 'x' }], [user('next')], [user('next')]],
    [[text('I search'), search], [user('next')], [reply([text('I search')]), user('next')]],
    [[search], [user('next')], [user('next')]],
    [[search, found, text('It is so.')], [user('next')], [reply([search, found, text('It is so.')]), user('next')]],
    [[text('I look'), call('a')], [user('next')], [reply([text('I look'), call('a')]), user([missing('a')]), user('next')]],
    [[call('a'), call('b')], [user([result('b'), text('and?')])], [reply([call('a'), call('b')]), user([missing('a'), result('b'), text('and?')])]],
    [[call('a')], [user([result('a')]), user('next')], [reply([call('a')]), user([result('a')]), user('next')]],
  ];
  // Code that the provider runs calls a tool of the program's, and waits: that is the provider's to judge, and so is what stands in between.
  const waiting = [search, { ...call('a'), caller: { type: 'code_execution', tool_id: 's' } }];
  const judged = cases.length;
  cases.push([waiting, [user([result('a')])], [reply(waiting), user([result('a')])]]);
  cases.push([[call('a'), call('b')], [user('stop'), user([result('a')])], [reply([call('a'), call('b')]), user([missing('b'), text('stop')]), user([result('a')])]]);
  for (const [at, [content, behind, right]] of cases.entries()) {
    const api = messagesApi({ window: WINDOW, answer: () => [text('Well.')] });
    const client = clientOf(api);
    const folding = foldMessages({ window: WINDOW });
    const params = paramsOf({ tools: [look()] });
    await folding.params(params);
    await folding.record([...params.messages, reply(content)]);
    const messages = [...(await folding.messages()), ...behind];
    const before = json(messages);
    for (const _ of [1, 2]) {
      const next = await folding.params({ ...params, messages });
      assert.deepEqual(json(next.messages.slice(1)), json(right), JSON.stringify(content));
      if (at < judged) await client.messages.create({ ...next, tools: undefined });
    }
    assert.deepEqual(json(messages), before);
    assert.deepEqual(api.refused, []);
    assert.deepEqual(json((await folding.originals()).slice(1)), json(right));
  }
  // A runner that ends at a pause.
  const api = messagesApi({ window: WINDOW, answer: (_, n) => (n === 1 ? [text('I search'), search] : [text('Well.')]) });
  const client = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: stopping(api, { 1: 'pause_turn' }) });
  const folding = foldMessages({ window: WINDOW });
  for (const request of ['first', 'second', 'third']) {
    await folding.runUntilDone(client.beta.messages.toolRunner(paramsOf({ messages: [...(await folding.messages()), user(request)], tools: [look()], max_iterations: 1 })));
  }
  assert.deepEqual(api.refused, []);
  assert.deepEqual((await folding.originals()).map(({ role, content }) => (role === 'user' ? content : content.length)), ['first', 1, 'second', 1, 'third', 1]);
});

test('a reply that says nothing is not recorded: nothing is gone back from, and no way is left', { skip: database === undefined }, async () => {
  const link = await connect(await database.fresh());
  const store = link.store({});
  const folding = foldMessages({ window: WINDOW, store, id: 'garden' });
  for (const content of [[], '', [{ type: 'text', text: ' ' }], [{ type: 'thinking', thinking: 'hm', signature: 'x' }]]) {
    const params = await folding.params(paramsOf({ messages: [...(await folding.messages()), { role: 'user', content: 'Look.' }] }));
    await folding.record([...params.messages, { role: 'assistant', content }]);
  }
  assert.deepEqual((await folding.originals()).map(({ role }) => role), ['user', 'user', 'user', 'user']);
  assert.deepEqual((await store.list()).map(({ id }) => id), ['garden']);
  await link.end();
});

test('tools that are found by a search take no room before', async () => {
  const folds = [];
  const folding = foldMessages({ window: WINDOW, onCompaction: (made) => folds.push(made) });
  const tools = (more) => Array.from({ length: 60 }, (_, i) => ({ name: `tool_${i}`, description: 'Does this and that. '.repeat(30), input_schema: { type: 'object' }, ...more }));
  const messages = Array.from({ length: 9 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i}: ${'as it should be '.repeat(20)}` }));
  await folding.params(paramsOf({ messages, tools: tools({ defer_loading: true }) }));
  assert.equal(folds.length, 0);
  await folding.params(paramsOf({ messages, tools: tools({}) }));
  assert.equal(folds.length, 1);
});

test('system text and tools have their room from the first request on, also where each process makes one', { skip: database === undefined }, async () => {
  for (const own of [false, true]) {
    const link = await connect(await database.fresh());
    const api = messagesApi({ window: WINDOW, answer: (_, n) => [{ type: 'text', text: `Answer ${n}: ${'as it should be '.repeat(20)}` }] });
    const client = clientOf(api);
    const folds = [];
    const tool = { ...look(), input_schema: { type: 'object', properties: Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`field_${i}`, { type: 'string', description: `What the sensor ${i} of the bed is to be set to.` }])) } };
    for (let i = 0; i < 40; i++) {
      const folding = foldMessages({ window: WINDOW, store: link.store({}), id: 'garden', onCompaction: ({ fold }) => folds.push(fold) });
      const params = paramsOf({ messages: [...(await folding.messages()), { role: 'user', content: `Request ${i}: ${'and the beans? '.repeat(10)}` }], tools: [tool] });
      if (!own) await folding.runUntilDone(client.beta.messages.toolRunner(params));
      else {
        const next = await folding.params(params);
        const answer = await client.messages.create({ ...next, tools: [{ name: tool.name, description: tool.description, input_schema: tool.input_schema }] });
        await folding.record([...next.messages, { role: 'assistant', content: answer.content }], { usage: answer.usage });
      }
    }
    assert.deepEqual(api.refused, []);
    assert.ok(folds.length >= 1, `${folds.length} folds`);
    await link.end();
  }
});

for (const stream of [false, true]) {
  test(`the loop is left: the reply is kept, and a request can follow (${stream ? 'streamed' : 'whole'})`, async () => {
    const ways = {
      break: () => true,
      throw: () => { throw new TypeError('mine'); },
    };
    for (const [way, leave] of Object.entries(ways)) {
      for (const at of ['end_turn', 'tool_use', 'with results', 'taken']) {
        const api = messagesApi({ window: WINDOW, answer: (messages) => (messages.at(-1).content === 'first' && at !== 'end_turn' ? [{ type: 'text', text: 'I look.' }, { type: 'tool_use', id: 'a', name: 'look', input: { bed: 1 } }] : [{ type: 'text', text: 'Well.' }]) });
        const client = clientOf(api);
        const runs = [];
        const folding = foldMessages({ window: WINDOW });
        const runner = client.beta.messages.toolRunner({ ...paramsOf({ messages: [{ role: 'user', content: 'first' }], tools: [look(runs)] }), stream });
        try {
          for await (const item of folding.run(runner)) {
            const { role, content } = stream ? await item.finalMessage() : item;
            if (at === 'with results') await runner.generateToolResponse();
            if (at === 'taken') runner.pushMessages({ role, content }, await runner.generateToolResponse());
            if (leave()) break;
          }
          assert.equal(way, 'break');
        } catch (error) {
          assert.match(error.message, /mine/);
        }
        assert.equal(Object.hasOwn(runner, 'generateToolResponse'), false);
        const said = json(await folding.messages());
        assert.equal(said[1].content[0].text, at === 'end_turn' ? 'Well.' : 'I look.');
        if (at === 'tool_use') assert.match(said[2].content[0].content, /before this call was made/);
        else if (at !== 'end_turn') assert.match(JSON.stringify(said[2].content[0].content), /soil is dry/);
        assert.equal(said.length, at === 'end_turn' ? 2 : 3);
        assert.deepEqual(runs, at === 'end_turn' || at === 'tool_use' ? [] : [1]);
        await folding.runUntilDone(client.beta.messages.toolRunner(paramsOf({ messages: [...said, { role: 'user', content: 'second' }], tools: [look()] })));
        assert.deepEqual(api.refused, []);
        assert.equal((await folding.originals()).length, said.length + 2);
      }
    }
  });
}

test('a stream that is left in its midst is no reply', async () => {
  const api = messagesApi({ window: WINDOW, answer: () => [{ type: 'text', text: 'A long answer.' }] });
  const folding = foldMessages({ window: WINDOW });
  let parts = 0;
  for await (const stream of folding.run(clientOf(api).beta.messages.toolRunner({ ...paramsOf({ tools: [look()] }), stream: true }))) {
    for await (const _ of stream) if (++parts === 2) break;
    break;
  }
  assert.deepEqual((await folding.originals()).map(({ role }) => role), ['user']);
});

test('from JSON of window and ledger another process goes on', async () => {
  const api = messagesApi({ window: WINDOW, answer: stepping(9) });
  const client = clientOf(api);
  let kept = { messages: [], ledger: new Ledger().toJSON() };
  for (let round = 0; round < 6; round++) {
    const folding = foldMessages({ window: WINDOW, summarize: summarizer(client), pins: RULES, messages: kept.messages, ledger: Ledger.from(kept.ledger) });
    await loop(client, folding, paramsOf({ messages: [...(await folding.messages()), { role: 'user', content: `Round ${round}.` }] }));
    kept = json({ messages: await folding.messages(), ledger: await folding.ledger() });
  }
  assert.deepEqual(api.refused, []);
  const originals = Ledger.from(kept.ledger).unfold(kept.messages);
  assert.equal(originals.length, 6 * (1 + 18 + 1));
  assert.deepEqual(originals.filter(({ content }) => typeof content === 'string').map(({ content }) => content), [0, 1, 2, 3, 4, 5].map((n) => `Round ${n}.`));
  for (const { messages } of api.requests) assert.equal(messages.filter(({ content }) => typeof content === 'string' && content.startsWith('<pinned-rules')).length, 1);
});

// --- stores -----------------------------------------------------------------------------------------------------------

const skip = database === undefined;

/** A store on a database of its own; while `state.gone` it is away. */
async function freshStore() {
  const link = await connect(await database.fresh());
  const state = { gone: false };
  const store = new Proxy(link.store(), {
    get: (target, key) => async (...args) => {
      if (state.gone) throw new PlicaError('store-failed', 'the database is gone');
      return target[key](...args);
    },
  });
  return { store, state, plain: link.store(), end: () => link.end() };
}

test('from a store another process goes on; two servers on one conversation', { skip }, async () => {
  const place = await freshStore();
  const api = messagesApi({ window: WINDOW, answer: stepping(9) });
  const client = clientOf(api);
  const server = () => foldMessages({ window: WINDOW, summarize: summarizer(client), pins: RULES, store: place.store, id: 'garden' });
  for (let round = 0; round < 5; round++) {
    const folding = server();
    await folding.runUntilDone(client.beta.messages.toolRunner(paramsOf({ messages: [...(await folding.messages()), { role: 'user', content: `Round ${round}.` }], tools: [look()] })));
  }
  const [one, other] = [server(), server()];
  const before = await one.messages();
  await other.messages();
  const next = (text) => paramsOf({ messages: [...before, { role: 'user', content: text }] });
  await one.params(next('First.'));
  await assert.rejects(other.params(next('Second.')), coded('conflict'));
  const originals = await other.originals();
  assert.equal(originals.length, 5 * (1 + 18 + 1) + 1);
  assert.equal(originals.at(-1).content, 'First.');
  await other.params(paramsOf({ messages: [...(await other.messages()), { role: 'assistant', content: 'Well.' }, { role: 'user', content: 'Second.' }] }));
  const stored = await place.plain.load('garden', { originals: true });
  assert.deepEqual(stored.ledger.unfold(stored.messages).slice(-3).map(({ content }) => content), ['First.', 'Well.', 'Second.']);
  assert.deepEqual(api.refused, []);
  await place.end();
});

test('a store that goes away in the middle and comes back', { skip }, async () => {
  const place = await freshStore();
  const api = messagesApi({ window: WINDOW, answer: stepping(30) });
  const client = clientOf(api);
  const folding = foldMessages({ window: WINDOW, summarize: summarizer(client), store: place.store, id: 'garden' });
  const runner = client.beta.messages.toolRunner(paramsOf({ tools: [look()] }));
  let n = 0;
  await assert.rejects(async () => {
    for await (const _ of folding.run(runner)) place.state.gone = ++n === 12;
  }, coded('store-failed'));
  place.state.gone = false;
  // What the runner has is more than what is stored; nothing of it is lost.
  const had = runner.params.messages;
  await folding.runUntilDone(client.beta.messages.toolRunner(paramsOf({ messages: had.at(-1).role === 'assistant' ? had.slice(0, -1) : had, tools: [look()] })));
  assert.deepEqual(api.refused, []);
  const stored = await place.plain.load('garden', { originals: true });
  assert.deepEqual(stored.ledger.unfold(stored.messages), json(await folding.originals()));
  assert.ok((await folding.originals()).length > 2 * n);
  await place.end();
});

// --- types and documents ----------------------------------------------------------------------------------------------

test('types: what the SDK has is what is asked for', () => {
  const source = `
    import Anthropic from '@anthropic-ai/sdk';
    import { foldMessages, summarizeWith } from 'plica/anthropic';
    declare const client: Anthropic;
    const folding = foldMessages({ window: 200_000, summarize: summarizeWith(client, { model: 'claude-haiku-4-5', max_tokens: 1000, temperature: 0 }) });
    export async function plain() {
      let params: Anthropic.MessageCreateParamsNonStreaming = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'x' }] };
      params = await folding.params(params, { usage: undefined });
      const answer: Anthropic.Message = await client.messages.create(params);
      params.messages.push({ role: 'assistant', content: answer.content });
      params = await folding.params(params, { usage: answer.usage });
      const streaming = await folding.params({ model: 'm', max_tokens: 10, messages: params.messages, betas: [] } satisfies Anthropic.Beta.MessageCreateParamsNonStreaming);
      const beta: Anthropic.Beta.BetaMessage = await client.beta.messages.stream(streaming).finalMessage();
      await folding.record([...params.messages, { role: 'assistant', content: beta.content }], { usage: beta.usage });
      const messages: Anthropic.MessageParam[] = await folding.messages<Anthropic.MessageParam>();
      return messages;
    }
    export async function runners() {
      const params = { model: 'm', max_tokens: 10, messages: [], tools: [] };
      for await (const message of folding.run(client.beta.messages.toolRunner(params))) {
        const one: Anthropic.Beta.BetaMessage = message;
        void one;
      }
      for await (const stream of folding.run(client.beta.messages.toolRunner({ ...params, stream: true }), { signal: new AbortController().signal })) {
        const one: Anthropic.Beta.BetaMessage = await stream.finalMessage();
        void one;
      }
      const a: Anthropic.Beta.BetaMessage = await folding.runUntilDone(client.beta.messages.toolRunner(params));
      const b: Anthropic.Beta.BetaMessage = await folding.runUntilDone(client.beta.messages.toolRunner({ ...params, stream: true }));
      return [a, b];
    }
    // @ts-expect-error: no window
    foldMessages({});
    // @ts-expect-error: no model
    summarizeWith(client, {});
  `;
  const folder = join(project.folder, 'types');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'use.ts'), source);
  writeFileSync(join(folder, 'use.cts'), source.replace("import Anthropic from", 'import Anthropic from'));
  for (const exactOptionalPropertyTypes of [false, true]) {
    const compilerOptions = { strict: true, exactOptionalPropertyTypes, module: 'node16', moduleResolution: 'node16', target: 'es2022', lib: ['es2022', 'dom', 'esnext.disposable'], noEmit: true, skipLibCheck: true, types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts', 'use.cts'] }));
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
});

test('types: whoever has no SDK can use another entry', () => {
  for (const end of ['ts', 'cts']) {
    const text = readFileSync(join(project.folder, `node_modules/plica/dist/anthropic.d.${end}`), 'utf8') + readFileSync(join(project.folder, `node_modules/plica/dist/adapters/anthropic.d.${end}`), 'utf8');
    assert.ok(!text.includes('from "@anthropic-ai'));
    assert.ok(!/\bany\b/.test(text.replace(/\/\*[^]*?\*\//g, '')));
  }
});

test('the program of the readme runs as it stands there', () => {
  const page = /### Anthropic SDK\n([^]*?)\n##/.exec(readFileSync(join(root, 'README.md'), 'utf8'))[1];
  const [program, loop] = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);
  // The provider is played behind fetch; all else is as it is.
  writeFileSync(join(project.folder, 'played.mjs'), `
    import { messagesApi } from ${JSON.stringify(new URL('./support/messages-api.mjs', import.meta.url).href)};
    let n = 0;
    const answer = () => (++n % 40 === 0
      ? [{ type: 'text', text: 'The third one.' }]
      : [{ type: 'tool_use', id: 'toolu_' + n, name: 'read_bed', input: { bed: n, why: 'a long thought '.repeat(2000) } }]);
    const api = messagesApi({ window: 200_000, answer, summarizer: 'claude-haiku-4-5' });
    globalThis.fetch = api.fetch;
    process.on('exit', () => console.log(JSON.stringify({ requests: api.requests.length, summaries: api.summaries, refused: api.refused, ruled: api.requests.every(({ messages }) => JSON.stringify(messages[0]).includes('Never water after noon.')) })));
  `);
  const env = { ANTHROPIC_API_KEY: 'none', NODE_OPTIONS: `--import=${new URL(`file://${join(project.folder, 'played.mjs')}`).href}` };
  const lines = project.run('program.mjs', program, { env }).trim().split('\n');
  const seen = JSON.parse(lines.at(-1));
  assert.deepEqual({ ...seen, summaries: seen.summaries > 0 }, { requests: 80, summaries: true, refused: [], ruled: true });
  assert.equal(lines.filter((line) => line.startsWith('summarized')).length, seen.summaries);
  assert.match(lines.at(-2), /^160 messages were said, \d+ are in the window$/);

  const around = `
    import Anthropic from "@anthropic-ai/sdk";
    import { foldMessages, summarizeWith } from "plica/anthropic";
    const client = new Anthropic();
    const folding = foldMessages({ window: 200_000, summarize: summarizeWith(client, { model: "claude-haiku-4-5" }), pins: [{ key: "", importance: 5, kind: "constraint", agent_id: "operator", value: "Never water after noon." }] });
    const runTools = async (content) => content.filter(({ type }) => type === "tool_use").map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "dry" }));
    let params = { model: "claude-sonnet-4-5", max_tokens: 4096, messages: [{ role: "user", content: "Read all the beds." }] };
    ${loop}
    console.log((await folding.originals()).length);`;
  const [said, counts] = project.run('loop.mjs', around, { env }).trim().split('\n');
  assert.equal(said, '80');
  assert.deepEqual({ ...JSON.parse(counts), summaries: JSON.parse(counts).summaries > 0 }, { requests: 40, summaries: true, refused: [], ruled: true });
});
