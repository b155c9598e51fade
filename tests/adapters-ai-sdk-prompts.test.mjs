// SPDX-License-Identifier: MIT OR Apache-2.0
//
// plica/ai-sdk as a middleware of a model, in the AI SDK 6 and 7: one wrapped model for all conversations, in front of a server that
// refuses what the real one refuses.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { VERSIONS, PIN, SYSTEM, aiSdk, calls, worksFor } from './support/ai-sdk-project.mjs';
import { closeDatabases, connect, openDatabases } from './support/databases.mjs';

const WINDOW = 6000;
const database = openDatabases().find(({ name, why }) => why === undefined && /sqlite/.test(name));
after(closeDatabases);

const user = (content) => ({ role: 'user', content });

for (const version of VERSIONS) {
  const sdk = await aiSdk(version);
  const { ai, core } = sdk;
  const { foldPrompts } = sdk.plica;
  const named = (title, run) => test(`${version}: ${title}`, run);
  const of = (conversation) => ({ providerOptions: { plica: { conversation } } });
  /** What was said, in texts: of a conversation, of a provider's prompt, of what a program has. */
  const words = (messages) => messages.filter(({ role }) => role !== 'system').flatMap(({ role, content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content)
    .filter(({ type }) => type !== 'custom').map((part) => [role, part.text ?? part.toolCallId, part.input ?? part.output ?? null]));
  const sameWords = (messages, others) => assert.deepEqual(words(messages), words(others));

  /** A wrapped model, and a program that keeps whole conversations. */
  function wrapped(options, folding) {
    const world = sdk.world({ window: WINDOW, ...options });
    const made = [];
    const middleware = foldPrompts({ window: WINDOW, summarize: world.summarize, onCompaction: (compaction) => made.push(compaction), ...folding });
    const model = ai.wrapLanguageModel({ model: world.model, middleware });
    const all = {};
    return {
      ...world, made, middleware, model, all,
      async run(id, request, { streaming = false, ...more } = {}) {
        const said = (all[id] ??= []);
        const messages = [...said, user(request)];
        const call = { model, tools: sdk.tools, [sdk.named]: SYSTEM, messages, stopWhen: sdk.stepsUpTo(100), maxRetries: 0, ...of(id), ...more };
        let result;
        if (streaming) {
          result = ai.streamText({ ...call, onError: () => {} });
          await result.consumeStream();
        } else result = await ai.generateText(call);
        said.push(messages[messages.length - 1], ...(await sdk.answers(result)));
        return result;
      },
    };
  }

  for (const streaming of [false, true]) {
    named(`fifty steps, ${streaming ? 'streamed' : 'generated'}: every window is valid and fits, a summary is asked for once a fold`, async () => {
      const { run, fake, made, middleware, all } = wrapped({ answer: worksFor(50) }, { pins: [PIN] });
      const result = await run('garden', 'Look after all the beds.', { streaming });
      assert.equal((await result.steps).length, 50);
      assert.deepEqual(fake.refused, []);
      assert.ok(made.length >= 4 && made.length <= 8, `${made.length} folds`);
      assert.deepEqual(made.map(({ outcome }) => outcome), made.map(() => 'summarized'));
      assert.equal(fake.summaries.length, made.length);
      for (const { system, stream, tokens } of fake.requests) {
        assert.equal(stream, streaming);
        assert.ok(tokens <= WINDOW);
        assert.deepEqual([system.length, system[0]], [2, SYSTEM]);
        assert.ok(system[1].includes(PIN.value));
      }
      // The last answer is part of it from the next call on.
      sameWords(await middleware.of('garden').originals(), all.garden.slice(0, -1));
    });
  }

  named('what the provider counts is what the window is measured by, tools and system text from the first call on', async () => {
    const { run, fake, made } = wrapped({ perToken: 2, answer: worksFor(30) });
    await run('garden', 'Look after the beds.', { streaming: true });
    assert.deepEqual(fake.refused, []);
    assert.equal(fake.summaries.length, made.length);
    // Half of the window is taken by what stands beside the messages of a conversation that comes from elsewhere.
    const heavy = wrapped({ answer: () => [{ type: 'text', text: 'Good.' }] });
    const said = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? user(`Request ${i}: ${'of the garden '.repeat(40)}`) : { role: 'assistant', content: `Answer ${i}: ${'so be it '.repeat(40)}` }));
    await ai.generateText({ model: heavy.model, [sdk.named]: 'You are a gardener. '.repeat(650), messages: [...said, user('And now?')], maxRetries: 0, ...of('heavy') });
    assert.deepEqual(heavy.fake.refused, []);
    assert.equal(heavy.made.length, 1);
  });

  named('conversations are never mixed, whatever the order of their calls; a call of none passes as it is', async () => {
    const { run, fake, middleware, all, model, made } = wrapped({ answer: (request) => [{ type: 'text', text: `Answer to: ${JSON.stringify(request.messages[request.messages.length - 1]).slice(-60)} ${'Well. '.repeat(60)}` }] });
    const ids = ['a', 'b', 'c'];
    for (let turn = 0; turn < 25; turn++) {
      await Promise.all(ids.map((id) => run(id, `${id}-${turn} ${`${id}. `.repeat(400)}`, { streaming: turn % 2 === 0 })));
      const title = await ai.generateText({ model, prompt: `A title for ${turn}` });
      assert.ok(title.text.includes(`A title for ${turn}`));
    }
    assert.deepEqual(fake.refused, []);
    assert.ok(made.length >= 6);
    for (const id of ids) {
      sameWords(await middleware.of(id).originals(), all[id].slice(0, -1));
      for (const other of ids.filter((name) => name !== id)) assert.ok(!JSON.stringify(await middleware.of(id).messages()).includes(`${other}-`));
    }
    for (const { messages } of fake.requests) {
      const text = JSON.stringify(messages);
      assert.ok(ids.filter((id) => text.includes(`${id}-`)).length <= 1);
      assert.ok(!text.includes('A title') || messages.length === 1);
    }
    // What told them apart was not for the provider.
    assert.ok(!JSON.stringify(fake.requests).includes('plica'));
  });

  named('a function says which conversation a call is of, or there is but one', async () => {
    const heard = [];
    const one = wrapped({ answer: worksFor(14) }, { conversation: (call) => { heard.push(call.prompt.length); return call.headers?.['x-conversation']; } });
    await one.run('x', 'Look after the beds.', { providerOptions: undefined, headers: { 'x-conversation': 'x' } });
    assert.equal(heard.length >= 14, true);
    assert.equal(one.made.length, 1);
    const only = wrapped({ answer: worksFor(14) }, { conversation: 'the one' });
    await only.run('y', 'Look after the beds.', { providerOptions: undefined });
    assert.equal(only.made.length, 1);
    assert.ok((await only.middleware.of('the one').originals()).length > 20);
  });

  named('objects are generated over a folded prompt', async () => {
    const { run, fake, model, all, made } = wrapped({ answer: worksFor(14) });
    await run('garden', 'Look after the beds.');
    fake.answer = ({ tools }) => (tools.length > 0 ? [{ type: 'tool_use', id: 'toolu_o', name: tools[0].name, input: { bed: 3 } }] : [{ type: 'text', text: '{"bed":3}' }]);
    const schema = sdk.z.object({ bed: sdk.z.number() });
    const { object } = await ai.generateObject({ model, schema, messages: [...all.garden, user('Which bed?')], maxRetries: 0, ...of('garden') });
    assert.deepEqual(object, { bed: 3 });
    assert.deepEqual(fake.refused, []);
    assert.equal(made.length, 1);
    assert.ok(JSON.stringify(fake.requests[fake.requests.length - 1].messages).includes('<compaction-summary>'));
  });

  named('the summarizer may be the wrapped model itself', async () => {
    const world = sdk.world({ window: WINDOW, answer: worksFor(30) });
    const late = {};
    const middleware = foldPrompts({ window: WINDOW, conversation: 'garden', summarize: (request, context) => late.summarize(request, context) });
    const model = ai.wrapLanguageModel({ model: world.model, middleware });
    late.summarize = sdk.plica.summarizeWith({ generateText: ai.generateText, model });
    await ai.generateText({ model, tools: sdk.tools, messages: [user('Look after the beds.')], stopWhen: sdk.stepsUpTo(100) });
    assert.deepEqual(world.fake.refused, []);
    assert.ok(world.fake.summaries.length >= 2);
    const records = (await middleware.of('garden').ledger()).records;
    assert.equal(records.length, world.fake.summaries.length);
    assert.ok(records.every(({ model: name }) => name === 'claude-sonnet-4-5'));
  });

  for (const [what, summary, reason] of [
    ['fails', () => { throw new Error('no connection'); }, 'summarizer-failed'],
    ['hangs', (_request, _n, signal) => new Promise((_done, failed) => { signal.addEventListener('abort', () => failed(signal.reason)); }), 'timed-out'],
    ['refuses', () => 'I\'m sorry, but I can\'t help with that.', 'refusal'],
  ]) {
    named(`a summarizer that ${what} does no harm`, async () => {
      const world = wrapped({ answer: worksFor(14), summary }, { timeoutMs: 150 });
      await world.run('garden', 'Look after the beds.', { streaming: true });
      assert.deepEqual(world.made.map(({ outcome, reason: why }) => [outcome, why]), [['deterministic', reason]]);
      assert.deepEqual(world.fake.refused, []);
    });
  }

  named('a call that is aborted in the middle of a summary changes nothing', async () => {
    const controller = new AbortController();
    const world = wrapped({ answer: worksFor(50), summary: (_request, _n, signal) => new Promise((_done, failed) => {
      signal.addEventListener('abort', () => failed(signal.reason));
      queueMicrotask(() => controller.abort(new Error('enough')));
    }) });
    await assert.rejects(world.run('garden', 'Look after the beds.', { abortSignal: controller.signal }), /enough/);
    const own = world.middleware.of('garden');
    assert.equal((await own.ledger()).records.length, 0);
    assert.equal((await own.originals()).length, 1 + 2 * world.fake.requests.length);
  });

  named('what does not go on from the conversation is folded by itself, and the conversation stays until that is gone on with', async () => {
    const { run, fake, middleware, all, model } = wrapped({ answer: worksFor(14) });
    await run('garden', 'Look after the beds.');
    fake.answer = () => [{ type: 'text', text: 'The first answer.' }];
    await run('garden', 'How is it?');
    const [before, asked] = [await middleware.of('garden').originals(), fake.summaries.length];
    // An answer made anew: the fold is of use to it, too.
    fake.answer = () => [{ type: 'text', text: 'The second answer.' }];
    const again = all.garden.slice(0, -2);
    await ai.generateText({ model, tools: sdk.tools, messages: [...again, user('How is it really?')], maxRetries: 0, ...of('garden') });
    assert.ok(JSON.stringify(fake.requests[fake.requests.length - 1].messages).includes('<compaction-summary>'));
    // A helper that was given the same id.
    await ai.generateText({ model, messages: [user('Something else.')], maxRetries: 0, ...of('garden') });
    assert.equal(fake.summaries.length, asked);
    sameWords(await middleware.of('garden').originals(), before);
    assert.deepEqual(fake.refused, []);
    fake.answer = () => [{ type: 'text', text: 'The third answer.' }];
    await run('garden', 'And now?');
    sameWords(await middleware.of('garden').originals(), all.garden.slice(0, -1));
    // The other way goes on as well, with folds of its own: that is the conversation then.
    fake.answer = worksFor(30, fake.requests.length);
    const gone = [...again, user('How is it really?'), { role: 'assistant', content: 'The second answer.' }, user('Go on.')];
    const other = await ai.generateText({ model, tools: sdk.tools, messages: gone, stopWhen: sdk.stepsUpTo(100), maxRetries: 0, ...of('garden') });
    assert.equal(other.steps.length, 30);
    assert.deepEqual(fake.refused, []);
    const after = fake.summaries.length;
    assert.ok(after > asked && after <= asked + 5);
    sameWords(await middleware.of('garden').originals(), [...gone, ...(await sdk.answers(other)).slice(0, -1)]);
    // And the first one again, for which nothing is summarized a second time.
    fake.answer = () => [{ type: 'text', text: 'The fourth answer.' }];
    for (const request of ['Back to this.', 'And further.']) await run('garden', request);
    sameWords(await middleware.of('garden').originals(), all.garden.slice(0, -1));
    assert.deepEqual([fake.summaries.length, fake.refused], [after, []]);
  });

  named('a conversation goes on from the JSON of window and ledger', async () => {
    const first = wrapped({ answer: worksFor(14) }, { pins: [PIN] });
    await first.run('garden', 'Look after the beds.');
    const own = first.middleware.of('garden');
    const saved = JSON.stringify({ messages: (await own.messages()).map((message) => core.stringifyMessage(message)), ledger: await own.ledger() });
    const restore = async (id) => {
      assert.equal(id, 'garden');
      const { messages, ledger } = JSON.parse(saved);
      return { messages: messages.map((text) => core.parseMessage(text)), ledger: core.Ledger.from(ledger) };
    };
    const second = wrapped({ answer: () => [{ type: 'text', text: 'As it should.' }] }, { restore, pins: [PIN] });
    second.all.garden = first.all.garden;
    await second.run('garden', 'How is it growing?');
    assert.deepEqual([second.fake.refused, second.fake.summaries.length], [[], 0]);
    assert.ok(JSON.stringify(second.fake.requests[0].messages).includes('<compaction-summary>'));
    sameWords(await second.middleware.of('garden').originals(), second.all.garden.slice(0, -1));
  });

  test(`${version}: a turn that failed is gone back from, and what comes is stored`, { skip: database === undefined && 'no SQLite is to be had' }, async () => {
    // In its first call, and behind calls of tools.
    for (const failing of [1, 3]) {
      const link = await connect(await database.fresh());
      const store = sdk.store.sqliteStore(link.client);
      let n = 0;
      const answer = () => {
        n++;
        if (n === 1) return [{ type: 'text', text: 'Hello.' }];
        if (n === 1 + failing) throw new Error('the model is gone for a moment');
        return n <= failing ? calls(`f${n}`, 1) : [{ type: 'text', text: `As it should, ${n}.` }];
      };
      const one = wrapped({ answer }, { store });
      await one.run('garden', 'Hello?');
      await assert.rejects(one.run('garden', 'Look after the beds.'));
      // In the place of what failed.
      for (const request of ['Look after bed 1 then.', 'How is it growing?', 'And now?']) await one.run('garden', request);
      const kept = await store.load('garden', { originals: true });
      sameWords(kept.ledger.unfold(kept.messages), one.all.garden.slice(0, -1));
      sameWords(await one.middleware.of('garden').originals(), one.all.garden.slice(0, -1));
      assert.deepEqual((await store.list()).map(({ id }) => id.split('~left~')[0]), ['garden', 'garden']);
      await link.end();
    }
  });

  /** A conversation as a provider's middleware sees it: each prompt, and how its call ends. */
  async function played(folding) {
    const middleware = foldPrompts({ window: WINDOW, conversation: 'garden', ...folding });
    const finish = { type: 'finish', usage: { inputTokens: { total: 50 }, outputTokens: { total: 5 } } };
    const ask = (prompt) => middleware.transformParams({ params: { prompt } });
    const generate = async (prompt) => middleware.wrapGenerate({ params: await ask(prompt), doGenerate: async () => ({ usage: finish.usage }) });
    const stream = async (prompt, source) => {
      const { stream: parts } = await middleware.wrapStream({ params: await ask(prompt), doStream: async () => ({ stream: new ReadableStream(source) }) });
      return parts.getReader();
    };
    const said = async () => words(await middleware.of('garden').originals()).map(([, text]) => text);
    return { generate, stream, said, finish };
  }
  const text = (role, words) => ({ role, content: [{ type: 'text', text: words }] });
  const asked = (id) => ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'look', input: {} }] });
  const gave = (id) => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'look', output: { type: 'text', value: 'dry' } }] });

  test(`${version}: a helper that asks under the id while a call of a tool is under way changes nothing of the conversation`, async () => {
    const { generate, said } = await played();
    const run = [text('user', 'Look after the beds.'), asked('a'), gave('a')];
    await generate(run.slice(0, 1));
    await generate([text('user', 'helper')]);
    await generate([text('user', 'helper'), asked('h'), gave('h')]);
    await generate(run);
    const more = [...run, text('assistant', 'Done.'), text('user', 'And now?')];
    await generate(more);
    await generate([...more.slice(0, -1), text('user', 'A title for it?')]);
    await generate([...more, text('assistant', 'All is well.'), text('user', 'Fine.')]);
    assert.deepEqual(await said(), ['Look after the beds.', 'a', 'a', 'Done.', 'And now?', 'All is well.', 'Fine.']);
  });

  test(`${version}: whatever became of a turn, the conversation is what goes on, in the store and for the next server`, { skip: database === undefined && 'no SQLite is to be had' }, async () => {
    const begun = [text('user', 'Hello?'), text('assistant', 'Hello.')];
    const left = {
      'a request': [text('user', 'Look.')],
      'calls of tools': [text('user', 'Look.'), asked('a'), gave('a')],
      'an answer': [text('user', 'Look.'), text('assistant', 'Dry.'), text('user', 'A title for it?')],
      'the first request': undefined,
    };
    for (const [what, turn] of Object.entries(left)) {
      for (const servers of ['one', 'one a call']) {
        const link = await connect(await database.fresh());
        const folding = () => ({ store: sdk.store.sqliteStore(link.client), window: 1500, onCompaction: ({ fold }) => { folds += fold === undefined ? 0 : 1; } });
        let folds = 0;
        const first = await played(folding());
        if (turn === undefined) await first.generate([text('user', 'Hullo?')]);
        else for (const n of [1, 3, 5]) await first.generate([...begun, ...turn].slice(0, n));
        let server = first;
        const said = begun.slice(0, turn === undefined ? 0 : 2);
        for (let i = 0; i < 12; i++) {
          said.push(text('user', `Look at bed ${i}: ${'the beans are up '.repeat(20)}`));
          if (servers === 'one a call') server = await played(folding());
          await server.generate(said);
          said.push(text('assistant', `It is ${i}: ${'as it should be '.repeat(20)}`));
        }
        assert.deepEqual(await (await played(folding())).said(), said.slice(0, -1).map(({ content }) => content[0].text), `${what}, ${servers}`);
        const before = folds;
        assert.ok(before > 0);
        await (await played(folding())).generate([...said, text('user', 'And now?')]);
        assert.ok(folds <= before + 1, `${what}, ${servers}: ${folds - before} folds on a server that is new`);
        await link.end();
      }
    }
  });

  test(`${version}: helpers that ask behind each answer cost no fold twice`, async () => {
    const all = Array.from({ length: 40 }, (_, i) => [text('user', `Look at bed ${i}: ${'the beans are up '.repeat(20)}`), text('assistant', `It is ${i}: ${'as it should be '.repeat(20)}`)]).flat();
    const foldsOf = async (isHelped) => {
      let folds = 0;
      const { generate, said } = await played({ window: 1500, onCompaction: ({ fold }) => { folds += fold === undefined ? 0 : 1; } });
      for (let i = 0; i < all.length; i += 2) {
        await generate(all.slice(0, i + 1));
        if (isHelped) await generate([...all.slice(0, i + 2), text('user', 'What could be asked next?')]);
      }
      return { folds, said: await said() };
    };
    const [alone, helped] = [await foldsOf(false), await foldsOf(true)];
    assert.ok(alone.folds >= 5 && helped.folds <= alone.folds + 1, `${helped.folds} folds with helpers, ${alone.folds} without`);
    assert.deepEqual(helped.said, [...all.map(({ content }) => content[0].text), 'What could be asked next?']);
  });

  const bed = (i) => [text('user', `Look at bed ${i}: ${'the beans are up '.repeat(20)}`), text('assistant', `It is ${i}: ${'as it should be '.repeat(20)}`)];

  test(`${version}: ways that are gone on with at one time all end, and the one that is gone on with last is the conversation`, async () => {
    const later = (ms) => new Promise((done) => setTimeout(done, ms));
    const { generate, said } = await played({ window: 1500, summarize: async () => (await later(15), 'no summary') });
    const ways = ['a', 'b', 'c'].map((name) => [text('user', `Way ${name}.`), text('assistant', `Good, ${name}.`)]);
    for (let round = 0; round < 8; round++) {
      const calls = [];
      for (const way of ways) {
        for (let turn = 0; turn < 2; turn++) {
          way.push(bed(round)[0]);
          calls.push(generate(way.slice()));
          way.push(bed(round)[1]);
          calls.push(generate([...way, text('user', 'helper')]));
          if (round % 2) await later(5);
        }
      }
      await Promise.all(calls);
    }
    ways[1].push(...bed(9), text('user', 'The last one.'));
    for (const end of [-2, undefined]) await generate(ways[1].slice(0, end));
    assert.deepEqual(await said(), ways[1].map(({ content }) => content[0].text));
  });

  test(`${version}: helpers in their own words push the conversation out of nothing, in one process or many`, { skip: database === undefined && 'no SQLite is to be had' }, async () => {
    for (const servers of ['one', 'one a turn']) {
      const link = await connect(await database.fresh());
      let folds = 0;
      const folding = () => ({ store: sdk.store.sqliteStore(link.client), window: 1500, onCompaction: ({ fold, messages }) => { folds += fold !== undefined && messages.length > 3 ? 1 : 0; } });
      let server = await played(folding());
      const all = Array.from({ length: 30 }, (_, i) => bed(i)).flat();
      await server.generate([...all.slice(0, 2), text('user', 'A title for it?')]);
      for (let i = 2; i < all.length; i += 2) {
        if (servers !== 'one') server = await played(folding());
        const prompt = all.slice(0, i + 1);
        const helpers = Array.from({ length: 6 }, (_, n) => (n === 0 ? [prompt[0], ...prompt.slice(-3), text('user', 'Three things to ask?')] : [text('user', `Helper ${n} of turn ${i}`)]));
        await Promise.all([prompt, ...helpers].map((one) => server.generate(one)));
      }
      assert.deepEqual(await (await played(folding())).said(), all.slice(0, -1).map(({ content }) => content[0].text), servers);
      assert.ok(folds >= 3 && folds <= 16, `${servers}: ${folds} folds`);
      await link.end();
    }
  });

  test(`${version}: an abort is heard where a way becomes the conversation, before a store that does not answer`, { skip: database === undefined && 'no SQLite is to be had' }, async () => {
    const link = await connect(await database.fresh());
    const own = sdk.store.sqliteStore(link.client);
    const away = { now: false };
    const store = Object.fromEntries(['load', 'append', 'save', 'list', 'delete'].map((name) => [name, (...args) => (away.now ? new Promise(() => {}) : own[name](...args))]));
    const middleware = foldPrompts({ window: WINDOW, conversation: 'garden', store });
    const ask = (prompt, abortSignal) => middleware.transformParams({ params: { prompt, abortSignal } });
    await ask([...bed(0), text('user', 'One.')]);
    await ask([...bed(0), text('user', 'Another.')]);
    away.now = true;
    const on = [...bed(0), text('user', 'Another.'), text('assistant', 'Good.'), text('user', 'Go on.')];
    await assert.rejects(ask(on, AbortSignal.timeout(50)), { name: 'TimeoutError' });
    away.now = false;
    await ask([...on, text('assistant', 'Well.'), text('user', 'And on.')]);
    assert.equal((await middleware.of('garden').originals()).length, 7);
    await link.end();
  });

  test(`${version}: a stream that is stopped, breaks or ends early leaves a turn that is gone back from`, async () => {
    const ends = {
      stopped: async (reader) => { await reader.read(); await reader.cancel('stop'); },
      broken: async (reader) => { await reader.read(); await assert.rejects(reader.read(), /gone/); },
      'with an error': async (reader) => { while (!(await reader.read()).done); },
      'without a finish': async (reader) => { while (!(await reader.read()).done); },
    };
    for (const [how, end] of Object.entries(ends)) {
      const { generate, stream, said, finish } = await played();
      const begun = [text('user', 'Hello?'), text('assistant', 'Hello.')];
      await generate(begun.slice(0, 1));
      await end(await stream([...begun, text('user', 'Look.'), asked('a'), gave('a')], {
        pull(controller) {
          if (how === 'broken' && this.begun) return controller.error(new Error('gone'));
          this.begun = true;
          controller.enqueue({ type: 'text-delta', id: '1', delta: 'half' });
          if (how === 'with an error') controller.enqueue({ type: 'error', error: new Error('overloaded') });
          if (how === 'with an error') controller.enqueue(finish);
          if (how.startsWith('with')) controller.close();
        },
      }));
      await generate([...begun, text('user', 'Look again.')]);
      assert.deepEqual(await said(), ['Hello?', 'Hello.', 'Look again.'], how);
      // A whole one is an answer: nothing is gone back from.
      const reader = await stream([...begun, text('user', 'Look again.'), asked('b'), gave('b')], { start(controller) { controller.enqueue(finish); controller.close(); } });
      assert.deepEqual((await reader.read()).value, finish);
      assert.equal((await reader.read()).done, true);
      await generate([...begun, text('user', 'Something else.')]);
      assert.deepEqual(await said(), ['Hello?', 'Hello.', 'Look again.', 'b', 'b'], how);
    }
  });

  test(`${version}: what cannot be is said to be, by the codes of the package`, async () => {
    const middleware = foldPrompts({ window: WINDOW, conversation: 'c' });
    const prompt = [user([{ type: 'text', text: 'hello' }])];
    const tools = [{ type: 'function', name: 'look', inputSchema: { maximum: 5n } }];
    assert.equal((await middleware.transformParams({ params: { prompt, tools } })).prompt.length, 1);
    const around = {};
    around.around = around;
    await assert.rejects(middleware.transformParams({ params: { prompt: [...prompt], tools: [around] } }), { code: 'bad-argument' });
    for (const junk of [undefined, null, 5, {}, { stream: 5 }]) await assert.rejects(middleware.wrapStream({ doStream: async () => junk, params: {} }), { code: 'bad-argument' });
    for (const junk of [undefined, null, 5, {}]) assert.equal(await middleware.wrapGenerate({ doGenerate: async () => junk, params: junk }), junk);
  });

  test(`${version}: in a store, for servers that come and go`, { skip: database === undefined && 'no SQLite is to be had' }, async () => {
    const place = await database.fresh();
    const links = [await connect(place), await connect(place)];
    const stores = links.map(({ client }) => sdk.store.sqliteStore(client));
    const first = wrapped({ answer: (_request, n) => worksFor(14, n < 14 ? 0 : 14)(_request, n) }, { store: stores[0] });
    await first.run('garden', 'Look after the beds.');
    await first.run('other', 'Look after the other beds.');
    const folds = (await first.middleware.of('garden').ledger()).records.length;
    assert.ok(folds >= 1);
    // Another server goes on, without a summary.
    const second = wrapped({ answer: () => [{ type: 'text', text: 'As it should.' }] }, { store: stores[1] });
    second.all.garden = first.all.garden;
    await second.run('garden', 'How is it growing?');
    assert.deepEqual([second.fake.refused, second.fake.summaries.length], [[], 0]);
    // The first is behind, and finds out.
    first.fake.answer = () => [{ type: 'text', text: 'It is.' }];
    const asked = first.fake.summaries.length;
    await first.run('garden', 'Is it?');
    assert.deepEqual([first.fake.refused, first.fake.summaries.length], [[], asked]);
    const kept = await stores[1].load('garden', { originals: true });
    sameWords(kept.ledger.unfold(kept.messages), first.all.garden.slice(0, -1));
    // A server whose caller lacks what is stored: its call is answered, and what is stored stays.
    const third = wrapped({ answer: () => [{ type: 'text', text: 'Perhaps.' }] }, { store: stores[0] });
    third.all.garden = first.all.garden.slice(0, -4);
    await third.run('garden', 'Something else?');
    assert.deepEqual(third.fake.refused, []);
    assert.equal(third.fake.summaries.length, 0);
    const still = await stores[0].load('garden', { originals: true });
    assert.equal(still.version, kept.version);
    await third.middleware.clear('garden');
    assert.deepEqual((await stores[0].list()).map(({ id }) => id), ['other']);
    for (const link of links) await link.end();
  });

  test(`${version}: a store that goes away is said to be, and nothing is lost`, { skip: database === undefined && 'no SQLite is to be had' }, async () => {
    const link = await connect(await database.fresh());
    const real = sdk.store.sqliteStore(link.client);
    let away = false;
    const store = Object.fromEntries(['load', 'append', 'save', 'originals', 'list', 'delete'].map((name) => [name, async (...args) => {
      if (away) throw new core.PlicaError('store-failed', 'the database is gone');
      return real[name](...args);
    }]));
    const world = wrapped({ answer: worksFor(12) }, { store });
    for (let turn = 0; turn < 9; turn++) {
      away = turn % 3 === 1;
      world.fake.answer = worksFor(4, world.fake.requests.length);
      if (away) await assert.rejects(world.run('garden', `Request ${turn}`), { code: 'store-failed' });
      away = false;
      await world.run('garden', `Request ${turn}`, { streaming: turn % 2 === 0 });
    }
    assert.deepEqual(world.fake.refused, []);
    assert.ok(world.made.length >= 2);
    const { messages, ledger } = await real.load('garden', { originals: true });
    sameWords(ledger.unfold(messages), world.all.garden.slice(0, -1));
    await link.end();
  });
}
