// SPDX-License-Identifier: MIT OR Apache-2.0
//
// plica/ai-sdk in the loop of steps of the AI SDK 6 and 7, with its own provider for Anthropic in front of a server that refuses whatever
// the real one refuses: a torn window, one that is too long, a system message among the others.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { VERSIONS, PIN, SYSTEM, aiSdk, calls, worksFor } from './support/ai-sdk-project.mjs';
import { closeDatabases, connect, openDatabases } from './support/databases.mjs';
import { plainSummary } from './support/fake-anthropic.mjs';
import { root } from './support/package.mjs';

const WINDOW = 6000;
const database = openDatabases().find(({ name, why }) => why === undefined && /sqlite/.test(name));
after(closeDatabases);

const user = (content) => ({ role: 'user', content });
const coded = (code) => (error) => {
  assert.equal(error?.code, code, `${error?.stack}`);
  return true;
};

for (const version of VERSIONS) {
  const sdk = await aiSdk(version);
  const { ai, plica, core } = sdk;
  const { foldSteps, summarizeWith } = plica;
  const plain = (value) => JSON.parse(core.stringifyMessage(value));
  /** Deep equal, however a framework writes what is not there. */
  const same = (messages, others) => assert.deepEqual(messages.map(plain), others.map(plain));
  const named = (title, run) => test(`${version}: ${title}`, run);
  const textOf = ({ content }) => (typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''));

  /** A conversation that is run again and again: what was said of it is kept here as well, by another way. */
  function garden({ fake, model, ...folding }, more = {}) {
    const said = [];
    return {
      said,
      async run(request, { streaming = false, messages, record = true, onStepFinish, until, ...options } = {}) {
        const given = messages ?? [...(await folding.folding.messages()), user(request)];
        const asked = given[given.length - 1];
        const call = {
          model, tools: sdk.tools, [sdk.named]: SYSTEM, messages: given, stopWhen: sdk.stepsUpTo(100), maxRetries: 0, onStepFinish, ...more, ...options,
          prepareStep: until === undefined ? folding.folding.prepareStep : folding.folding.until(until), abortSignal: until,
        };
        let result;
        if (streaming) {
          let failure;
          result = ai.streamText({ ...call, onError: ({ error }) => { failure = error; } });
          await result.consumeStream();
          if (failure !== undefined) throw failure;
        } else result = await ai.generateText(call);
        if (record) await folding.folding.record(result);
        said.push(...(said.includes(asked) ? [] : [asked]), ...(await sdk.answers(result)));
        return result;
      },
    };
  }

  const worlds = (options) => sdk.world({ window: WINDOW, ...options });

  for (const streaming of [false, true]) {
    named(`fifty steps, parallel calls, ${streaming ? 'streamed' : 'generated'}: every window is valid and fits, a summary is asked for once a fold`, async (t) => {
      const world = worlds({ answer: worksFor(50) });
      const made = [];
      const folding = foldSteps({ window: WINDOW, summarize: world.summarize, pins: [PIN], onCompaction: (compaction) => made.push(compaction) });
      const { run, said } = garden({ ...world, folding });
      // The AI SDK warns of system messages among the others.
      const warn = t.mock.method(console, 'warn', () => {});
      const { steps } = await run('Look after all the beds.', { streaming });
      assert.equal(warn.mock.callCount(), 0);
      const { fake } = world;
      assert.equal((await steps).length, 50);
      assert.deepEqual(fake.refused, []);
      assert.equal(fake.requests.length, 50);
      assert.ok(made.length >= 4 && made.length <= 8, `${made.length} folds`);
      for (const { outcome, fold } of made) assert.deepEqual([outcome, fold.model], ['summarized', 'claude-sonnet-4-5']);
      assert.equal(fake.summaries.length, made.length);
      for (const { system, stream, tokens } of fake.requests) {
        assert.equal(stream, streaming);
        assert.ok(tokens <= WINDOW);
        assert.equal(system[0], SYSTEM);
        // Once, behind the system text.
        assert.equal(system.filter((text) => text.includes(PIN.value)).length, 1);
        assert.equal(system.length, 2);
      }
      same(await folding.originals(), said);
      const ledger = await folding.ledger();
      same(ledger.unfold(await folding.messages()), said);
      assert.equal(ledger.records.length, made.length);
    });
  }

  named('a digest that was prepared in the background is taken', async () => {
    const world = worlds({ answer: worksFor(50) });
    const made = [];
    const events = [];
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize, prepareAt: 0.6, onCompaction: (compaction) => made.push(compaction), onEvent: ({ type }) => events.push(type) });
    const { run, said } = garden({ ...world, folding });
    await run('Look after all the beds.');
    assert.deepEqual(world.fake.refused, []);
    assert.ok(made.length >= 4);
    assert.equal(events.filter((type) => type === 'adopted').length, made.length);
    // One may be prepared for a fold to come.
    assert.ok(world.fake.summaries.length - made.length <= 1, `${world.fake.summaries.length} for ${made.length}`);
    same(await folding.originals(), said);
  });

  named('turn after turn, and every original can be produced', async () => {
    const world = worlds();
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize });
    const { run, said } = garden({ ...world, folding });
    const { fake } = world;
    for (let turn = 0; turn < 30; turn++) {
      fake.answer = worksFor(2 + (turn % 3), fake.requests.length);
      await run(`Request ${turn}`, { streaming: turn % 2 === 0, onStepFinish: turn % 3 === 0 ? folding.onStepFinish : undefined });
    }
    assert.deepEqual(fake.refused, []);
    assert.ok(fake.summaries.length >= 3);
    assert.ok(fake.requests.some(({ messages }) => JSON.stringify(messages).includes('<compaction-summary>')));
    same(await folding.originals(), said);
  });

  named('the whole conversation each time, in new objects, is as good as the window', async () => {
    const world = worlds();
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize, pins: [PIN] });
    const { run, said } = garden({ ...world, folding });
    const { fake } = world;
    for (let turn = 0; turn < 20; turn++) {
      fake.answer = worksFor(4, fake.requests.length);
      await run('', { messages: [...structuredClone(said), user(`Request ${turn}`)], record: turn % 2 === 0 });
    }
    assert.deepEqual(fake.refused, []);
    assert.ok(fake.summaries.length >= 3 && fake.summaries.length <= 12, `${fake.summaries.length}`);
    await folding.record(said);
    same(await folding.originals(), said);
  });

  named('an agent folds as well, generating and streaming', async () => {
    const world = worlds({ answer: worksFor(30) });
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize, pins: [PIN] });
    const agent = new ai.ToolLoopAgent({ model: world.model, tools: sdk.tools, instructions: SYSTEM, stopWhen: sdk.stepsUpTo(100), prepareStep: folding.prepareStep });
    const first = await agent.generate({ messages: [user('Look after the beds.')] });
    await folding.record(first);
    world.fake.answer = worksFor(30, 30);
    const again = [...(await folding.messages()), user('Once more.')];
    const second = await agent.stream({ messages: again });
    await second.consumeStream();
    await folding.record(second);
    assert.equal(world.fake.requests.length, 60);
    assert.deepEqual(world.fake.refused, []);
    assert.ok(world.fake.requests.every(({ system }) => system.length === 2 && system[0] === SYSTEM));
    same(await folding.originals(), [user('Look after the beds.'), ...(await sdk.answers(first)), user('Once more.'), ...(await sdk.answers(second))]);
  });

  named('what is handed over comes back: the same objects, in front of and behind a fold', async () => {
    const world = worlds({ answer: worksFor(30) });
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize });
    const first = { role: 'user', content: [{ type: 'text', text: 'Look after the beds.' }], providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
    let folded = 0;
    const prepareStep = async (step) => {
      const before = JSON.stringify(step.messages);
      const prepared = await folding.prepareStep(step);
      assert.equal(JSON.stringify(step.messages), before);
      const given = new Set(step.messages);
      const others = prepared.messages.filter((message) => !given.has(message));
      assert.ok(others.length <= 1, `${others.length}`);
      if (others.length === 1) {
        assert.match(others[0].content, /compaction-summary/);
        folded++;
      } else if (folded === 0) assert.deepEqual([prepared.messages, prepared.messages[0] === first], [step.messages, true]);
      return prepared;
    };
    await ai.generateText({ model: world.model, tools: sdk.tools, messages: [first], stopWhen: sdk.stepsUpTo(100), prepareStep });
    assert.ok(folded > 0);
    assert.deepEqual(world.fake.refused, []);
  });

  named('what the provider counts is what the window is measured by', async () => {
    // This provider counts twice as much as others.
    const world = worlds({ perToken: 2, answer: worksFor(40) });
    const made = [];
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize, onCompaction: (compaction) => made.push(compaction) });
    await garden({ ...world, folding }).run('Look after the beds.');
    assert.deepEqual(world.fake.refused, []);
    assert.equal(world.fake.summaries.length, made.length);
    assert.ok(made.length >= 8, `${made.length}`);
  });

  named('an aborted run leaves everything as it was, also in the middle of a summary', async () => {
    const controller = new AbortController();
    const summary = (_request, _n, signal) => new Promise((_done, failed) => {
      signal.addEventListener('abort', () => failed(signal.reason));
      queueMicrotask(() => controller.abort(new Error('enough')));
    });
    const world = worlds({ answer: worksFor(50), summary });
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize });
    const { run } = garden({ ...world, folding });
    await assert.rejects(run('Look after the beds.', { until: controller.signal }), /enough/);
    const before = await folding.originals();
    same(await folding.messages(), before);
    assert.equal((await folding.ledger()).records.length, 0);
    assert.equal(before.length, 1 + 2 * world.fake.requests.length);
    // It goes on where it was.
    world.fake.summary = plainSummary;
    world.fake.answer = worksFor(5, world.fake.requests.length);
    const result = await ai.generateText({ model: world.model, tools: sdk.tools, messages: await folding.messages(), stopWhen: sdk.stepsUpTo(100), prepareStep: folding.prepareStep });
    await folding.record(result);
    assert.equal(world.fake.summaries.length, 2);
    assert.deepEqual(world.fake.refused, []);
    same(await folding.originals(), [...before, ...(await sdk.answers(result))]);
  });

  named('a run that is aborted in the middle of an answer keeps its steps', async () => {
    const controller = new AbortController();
    const world = worlds({ answer: async (_request, n, signal) => {
      if (n < 5) return calls(n, 2);
      return new Promise((_done, failed) => {
        signal.addEventListener('abort', () => failed(signal.reason));
        queueMicrotask(() => controller.abort(new Error('enough')));
      });
    } });
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize });
    const result = ai.streamText({
      model: world.model, tools: sdk.tools, messages: [user('Look after the beds.')], stopWhen: sdk.stepsUpTo(100), prepareStep: folding.until(controller.signal), abortSignal: controller.signal,
      onAbort: (event) => folding.record(event), onError: () => {},
    });
    await result.consumeStream();
    assert.equal((await folding.originals()).length, 11);
    world.fake.answer = () => [{ type: 'text', text: 'All is done.' }];
    const again = await ai.generateText({ model: world.model, tools: sdk.tools, messages: [...(await folding.messages()), user('Go on.')], prepareStep: folding.prepareStep });
    await folding.record(again);
    assert.deepEqual(world.fake.refused, []);
    assert.equal((await folding.originals()).length, 13);
  });

  const FAULTS = {
    fails: [() => { throw new Error('no connection'); }, 'summarizer-failed', 2],
    hangs: [(_request, _n, signal) => new Promise((_done, failed) => { signal.addEventListener('abort', () => failed(signal.reason)); }), 'timed-out', 2],
    refuses: [() => 'I\'m sorry, but I can\'t help with that.', 'refusal', 2],
    'is cut off': [() => ({ text: 'GOAL: look after the garden\nSTATE: of the beds that were read', stop: 'max_tokens' }), 'cut-off', 2],
    'says nothing': [() => ' ', 'blank', 2],
  };
  for (const [what, [summary, reason, asked]] of Object.entries(FAULTS)) {
    named(`a summarizer that ${what} does no harm`, async () => {
      const world = worlds({ answer: worksFor(14), summary });
      const summarize = summarizeWith({ generateText: ai.generateText, model: world.model, settings: { maxRetries: 0 } });
      const made = [];
      const folding = foldSteps({ window: WINDOW, summarize, timeoutMs: 200, onCompaction: (compaction) => made.push(compaction) });
      const { run, said } = garden({ ...world, folding });
      await run('Look after the beds.');
      assert.deepEqual(made.map(({ outcome, reason: why }) => [outcome, why]), [['deterministic', reason]]);
      assert.equal(world.fake.summaries.length, asked);
      assert.deepEqual(world.fake.refused, []);
      same(await folding.originals(), said);
    });
  }

  named('without a summarizer rules make the digest', async () => {
    const world = worlds({ answer: worksFor(30) });
    const folding = foldSteps({ window: WINDOW });
    const { run, said } = garden({ ...world, folding });
    await run('Look after the beds.');
    assert.deepEqual([world.fake.refused, world.fake.summaries.length], [[], 0]);
    assert.ok((await folding.ledger()).records.length >= 2);
    same(await folding.originals(), said);
  });

  named('a conversation goes on from the JSON of window and ledger', async () => {
    const world = worlds({ answer: worksFor(14) });
    let folding = foldSteps({ window: WINDOW, summarize: world.summarize, pins: [PIN] });
    const first = garden({ ...world, folding });
    await first.run('Look after the beds.');
    const saved = JSON.stringify({ messages: (await folding.messages()).map((message) => core.stringifyMessage(message)), ledger: await folding.ledger() });
    const { messages, ledger } = JSON.parse(saved);
    folding = foldSteps({ window: WINDOW, summarize: world.summarize, pins: [PIN], messages: messages.map((text) => core.parseMessage(text)), ledger: core.Ledger.from(ledger) });
    const asked = world.fake.summaries.length;
    world.fake.answer = () => [{ type: 'text', text: 'As it should.' }];
    const second = garden({ ...world, folding });
    await second.run('How is it growing?');
    assert.equal(world.fake.summaries.length, asked);
    assert.deepEqual(world.fake.refused, []);
    same(await folding.originals(), [...first.said, ...second.said]);
    assert.equal(world.fake.requests[world.fake.requests.length - 1].system.length, 2);
  });

  // --- in a store -------------------------------------------------------------------------------------------------------

  const stored = (title, run) => test(`${version}: ${title}`, { skip: database === undefined && 'no SQLite is to be had' }, async () => {
    const place = await database.fresh();
    const links = [];
    const server = async () => {
      const link = await connect(place);
      links.push(link);
      return { link, store: sdk.store.sqliteStore(link.client) };
    };
    try {
      await run(server, place);
    } finally {
      for (const link of links) await link.end().catch(() => {});
    }
  });

  stored('a conversation in a store goes on in another process, in the middle of a run as well', async (server) => {
    const world = worlds({ answer: (_request, n) => { if (n === 20) throw new Error('the process died'); return calls(n, 2); } });
    const options = { window: WINDOW, summarize: world.summarize, pins: [PIN], id: 'garden' };
    const first = foldSteps({ ...options, store: (await server()).store });
    const request = user('Look after the beds.');
    await assert.rejects(garden({ ...world, folding: first }).run('', { messages: [request], onStepFinish: first.onStepFinish }), /died/);
    const folds = (await first.ledger()).records.length;
    assert.ok(folds >= 1);
    const folding = foldSteps({ ...options, store: (await server()).store });
    same(await folding.originals(), await first.originals());
    assert.equal((await folding.originals()).length, 41);
    world.fake.answer = () => [{ type: 'text', text: 'All is done.' }];
    const asked = world.fake.summaries.length;
    const result = await ai.generateText({ model: world.model, tools: sdk.tools, [sdk.named]: SYSTEM, messages: await folding.messages(), prepareStep: folding.prepareStep });
    await folding.record(result);
    assert.equal(world.fake.summaries.length, asked);
    assert.deepEqual(world.fake.refused, []);
    const third = foldSteps({ ...options, store: (await server()).store });
    same(await third.originals(), [...(await first.originals()), ...(await sdk.answers(result))]);
    assert.equal((await third.ledger()).records.length, folds);
  });

  stored('of two servers one is told, and nothing is lost', async (server) => {
    const world = worlds();
    const options = { window: WINDOW, summarize: world.summarize, id: 'garden' };
    const a = foldSteps({ ...options, store: (await server()).store });
    const b = foldSteps({ ...options, store: (await server()).store });
    const said = { a: [], b: [] };
    let told = 0;
    for (let turn = 0; turn < 12; turn++) {
      const runs = Object.entries({ a, b }).map(async ([name, folding]) => {
        const request = user(`${name} asks ${turn}`);
        for (let attempt = 0; ; attempt++) {
          try {
            world.fake.answer = (_r, n) => (n % 3 < 2 ? calls(n, 2) : [{ type: 'text', text: `Done ${n}.` }]);
            const result = await ai.generateText({ model: world.model, tools: sdk.tools, messages: [...(await folding.messages()), request], stopWhen: sdk.stepsUpTo(4), maxRetries: 0, prepareStep: folding.prepareStep });
            await folding.record(result);
            said[name].push(request.content);
            return;
          } catch (error) {
            if (error?.code !== 'conflict' || attempt > 50) throw error;
            told++;
            // Who tries again at once meets the other again.
            await sleep(Math.random() * 10 * attempt);
          }
        }
      });
      await Promise.all(runs);
    }
    assert.ok(told > 0);
    assert.deepEqual(world.fake.refused, []);
    const c = foldSteps({ ...options, store: (await server()).store });
    const requests = (await c.originals()).filter(({ role }) => role === 'user').map(textOf);
    // Nothing of what was acknowledged is missing. A run that was told of a conflict has left its request, answered or not.
    for (const text of [...said.a, ...said.b]) assert.ok(requests.includes(text), text);
    assert.ok((await c.ledger()).records.length >= 2);
  });

  stored('a fold of another server is gone on from', async (server) => {
    const world = worlds({ answer: worksFor(8) });
    const options = { window: WINDOW, summarize: world.summarize, id: 'garden' };
    const one = foldSteps({ ...options, store: (await server()).store });
    const { run, said } = garden({ ...world, folding: one });
    await run('Look after the beds.');
    const two = foldSteps({ ...options, window: 2500, store: (await server()).store });
    // The other server has a smaller window, and folds at once; this one has everything that was said.
    world.fake.answer = () => [{ type: 'text', text: 'Good.' }];
    const whole = structuredClone(said);
    const request = user('And now?');
    await two.prepareStep({ steps: [], messages: [...whole, request], initialMessages: version === 7 ? whole : undefined });
    assert.equal((await two.ledger()).records.length, 1);
    await run('', { messages: [...whole, request] });
    assert.equal((await one.ledger()).records.length, 1);
    assert.deepEqual(world.fake.refused, []);
    same(await one.originals(), said);
  });

  stored('a store that goes away in the middle of a run is said to be, and nothing is lost', async (server) => {
    const { link, store: real } = await server();
    let away = false;
    const store = Object.fromEntries(['load', 'append', 'save', 'originals', 'list', 'delete'].map((name) => [name, async (...args) => {
      if (away) throw new core.PlicaError('store-failed', 'the database is gone');
      return real[name](...args);
    }]));
    const world = worlds({ answer: (_request, n) => { away = n >= 9; return calls(n, 2); } });
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize, store, id: 'garden' });
    const request = user('Look after the beds.');
    await assert.rejects(ai.generateText({ model: world.model, tools: sdk.tools, messages: [request], stopWhen: sdk.stepsUpTo(100), prepareStep: folding.prepareStep, onStepFinish: folding.onStepFinish }), coded('store-failed'));
    assert.equal(world.fake.requests.length, 10);
    away = false;
    world.fake.answer = worksFor(3, 10);
    const messages = await folding.messages();
    const result = await ai.generateText({ model: world.model, tools: sdk.tools, messages, stopWhen: sdk.stepsUpTo(100), prepareStep: folding.prepareStep });
    away = true;
    await assert.rejects(folding.record(result), coded('store-failed'));
    away = false;
    await folding.record(result);
    assert.deepEqual(world.fake.refused, []);
    const fresh = foldSteps({ window: WINDOW, store: sdk.store.sqliteStore(link.client), id: 'garden' });
    const all = await fresh.originals();
    assert.equal(all.length, 1 + 2 * 12 + 1);
    same(all, await folding.originals());
    same(all.slice(-5), await sdk.answers(result));
  });

  // --- several runs at a time -------------------------------------------------------------------------------------------

  /** A provider that answers each run by its own: with so many steps, and only when its gate is open. */
  function gated(stepsOf) {
    const gates = new Map();
    const of = (name) => {
      if (!gates.has(name)) {
        gates.set(name, { asked: deferred(), open: deferred(), steps: 0 });
      }
      return gates.get(name);
    };
    const answer = async ({ messages }) => {
      const name = JSON.stringify(messages).match(/run \w+/g).at(-1).slice(4);
      const gate = of(name);
      gate.asked.resolve();
      await gate.open.promise;
      return gate.steps++ < stepsOf - 1 ? calls(`${name}${gate.steps}`, 1) : [{ type: 'text', text: `answer to ${name}` }];
    };
    return { answer, of };
  }
  const deferred = () => {
    const out = {};
    out.promise = new Promise((resolve, reject) => Object.assign(out, { resolve, reject }));
    return out;
  };
  const text = (messages) => messages.filter(({ role }) => role !== 'tool').map(textOf).join(' | ');

  for (const streaming of [false, true]) {
    for (const steps of [1, 3]) {
      const how = `${streaming ? 'streamed' : 'generated'}, ${steps} step${steps > 1 ? 's' : ''}`;
      const started = async (world, folding, run, name, more = {}) => {
        const messages = [...(await folding.messages()), user(`run ${name}`)];
        const call = { model: world.model, tools: sdk.tools, stopWhen: sdk.stepsUpTo(9), maxRetries: 0, messages, prepareStep: run.prepareStep, onStepFinish: run.onStepFinish, ...more };
        if (!streaming) return () => ai.generateText(call);
        return async () => {
          let failure;
          const result = ai.streamText({ ...call, onError: ({ error }) => { failure = error; } });
          await result.consumeStream();
          if (failure !== undefined) throw failure;
          return result;
        };
      };
      const hello = [user('hello'), { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }];
      const begun = async (options = {}) => {
        const folding = foldSteps({ window: WINDOW, ...options });
        await folding.record(hello);
        return folding;
      };
      /** Two runs that begin from the same messages: the second one is asked for while the first one waits for its answer. */
      const both = async (world, gate, folding, runs) => {
        const [startA, startB] = [await started(world, folding, runs.a, 'a'), await started(world, folding, runs.b, 'b')];
        const a = startA();
        await gate.of('a').asked.promise;
        const b = startB();
        b.catch(() => {});
        await Promise.race([gate.of('b').asked.promise, b.catch(() => {})]);
        return [a, b];
      };

      named(`two runs at once on one folding, ${how}: the second one takes its place, the first one is told`, async () => {
        const gate = gated(steps);
        const world = worlds({ answer: gate.answer });
        const folding = await begun();
        const [a, b] = await both(world, gate, folding, { a: folding, b: folding });
        gate.of('a').open.resolve();
        if (steps > 1) await assert.rejects(a, coded('conflict'));
        else await assert.rejects(folding.record(await a), coded('conflict'));
        gate.of('b').open.resolve();
        const result = await b;
        await folding.record(result);
        await folding.record(result);
        same(await folding.originals(), [...hello, user('run b'), ...(await sdk.answers(result))]);
        // And once more, as if nothing had been.
        gate.of('c').open.resolve();
        const third = await (await started(world, folding, folding, 'c'))();
        await folding.record(third);
        assert.match(text(await folding.originals()), /^hello \| hi \| run b.*answer to b \| run c.*answer to c$/);
        assert.deepEqual(world.fake.refused, []);
      });

      named(`two runs at once, each an object of its own, ${how}: the second one is told, and goes on behind the first`, async () => {
        const gate = gated(steps);
        const world = worlds({ answer: gate.answer });
        const folding = await begun();
        const runs = { a: folding.run(), b: folding.run() };
        const [a, b] = await both(world, gate, folding, runs);
        await assert.rejects(b, coded('conflict'));
        gate.of('a').open.resolve();
        const result = await a;
        await assert.rejects(folding.record(result), coded('bad-argument'));
        await assert.rejects(runs.b.record(result), coded('bad-argument'));
        await runs.a.record(result);
        await runs.a.record(result);
        same(await folding.originals(), [...hello, user('run a'), ...(await sdk.answers(result))]);
        gate.of('b').open.resolve();
        const again = folding.run();
        const second = await (await started(world, folding, again, 'b'))();
        await again.record(second);
        assert.match(text(await folding.originals()), /^hello \| hi \| run a.*answer to a \| run b.*answer to b$/);
        // An answer is made anew by the folding itself, and by no run of its own.
        gate.of('d').open.resolve();
        await assert.rejects((await started(world, folding, folding.run(), 'd', { messages: [...hello, user('run d')] }))(), coded('conflict'));
        const third = await (await started(world, folding, folding, 'd', { messages: [...hello, user('run d')] }))();
        await folding.record(third);
        same(await folding.originals(), [...hello, user('run d'), ...(await sdk.answers(third))]);
        assert.deepEqual(world.fake.refused, []);
      });

      named(`a run that was aborted is nobody's business, ${how}`, async () => {
        for (const own of [false, true]) {
          const world = worlds({ answer: (_request, n, signal) => new Promise((_done, failed) => {
            signal.addEventListener('abort', () => failed(signal.reason));
            queueMicrotask(() => controller.abort(new Error('enough')));
          }) });
          let controller = new AbortController();
          const folding = await begun();
          const run = () => (own ? folding.run({ signal: controller.signal }) : { ...folding, prepareStep: folding.until(controller.signal), onStepFinish: folding.onStepFinish, record: (...args) => folding.record(...args) });
          for (let n = 0; n < 3; n++) {
            controller = new AbortController();
            await (await started(world, folding, run(), `x${n}`, { abortSignal: controller.signal, onAbort: () => {} }))().catch(() => {});
          }
          const gate = gated(steps);
          world.fake.answer = gate.answer;
          gate.of('a').open.resolve();
          controller = new AbortController();
          const last = run();
          const result = await (await started(world, folding, last, 'a'))();
          await last.record(result);
          same((await folding.originals()).slice(-2 * steps), [user('run a'), ...(await sdk.answers(result))]);
        }
      });

      named(`a conversation that is cleared in the midst of a run, ${how}: the run is told`, async () => {
        for (const own of [false, true]) {
          const gate = gated(steps);
          const world = worlds({ answer: gate.answer });
          const folding = await begun();
          const run = own ? folding.run() : folding;
          const a = (await started(world, folding, run, 'a'))();
          await gate.of('a').asked.promise;
          await folding.clear();
          gate.of('a').open.resolve();
          if (steps > 1) await assert.rejects(a, coded('conflict'));
          else await assert.rejects(run.record(await a), coded('conflict'));
          assert.deepEqual(await folding.originals(), []);
        }
      });
    }
  }

  stored('two runs at once in a store: one goes on, the other is told, and what is gone back from is there', async (server) => {
    const { store } = await server();
    for (const own of [false, true]) {
      const gate = gated(2);
      const world = worlds({ answer: gate.answer });
      const id = own ? 'own' : 'one';
      const folding = foldSteps({ window: WINDOW, store, id });
      for (const name of ['a', 'b']) gate.of(name).open.resolve();
      const run = async (name) => {
        const one = own ? folding.run() : folding;
        const result = await ai.generateText({ model: world.model, tools: sdk.tools, stopWhen: sdk.stepsUpTo(9), maxRetries: 0, messages: [user(`run ${name}`)], prepareStep: one.prepareStep, onStepFinish: one.onStepFinish });
        await one.record(result);
        return name;
      };
      // The same beginning, then another request.
      await folding.record([user('hello'), { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }]);
      const before = await folding.messages();
      const asked = async (name) => {
        const one = own ? folding.run() : folding;
        const result = await ai.generateText({ model: world.model, tools: sdk.tools, stopWhen: sdk.stepsUpTo(9), maxRetries: 0, messages: [...before, user(`run ${name}`)], prepareStep: one.prepareStep, onStepFinish: one.onStepFinish });
        await one.record(result);
        return name;
      };
      const [a, b] = await Promise.allSettled([asked('a'), asked('b')]);
      const [winner, loser] = a.status === 'fulfilled' ? [a, b] : [b, a];
      assert.equal(winner.status, 'fulfilled', `${winner.reason?.stack}`);
      assert.equal(loser.status, 'rejected');
      coded('conflict')(loser.reason);
      const all = await foldSteps({ window: WINDOW, store: (await server()).store, id }).originals();
      assert.match(text(all), new RegExp(`^hello \\| hi \\| run ${winner.value}.*answer to ${winner.value}$`));
      assert.equal(all.length, 2 + 1 + 3);
      await assert.rejects(run('other'), coded('conflict'));
    }
  });

  // --- going back -------------------------------------------------------------------------------------------------------

  named('an answer made anew takes the place of the old one', async () => {
    const world = worlds({ answer: worksFor(14) });
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize });
    const { run, said } = garden({ ...world, folding });
    await run('Look after the beds.');
    world.fake.answer = () => [{ type: 'text', text: 'The first answer.' }];
    const before = await folding.messages();
    await run('How is it?');
    world.fake.answer = () => [{ type: 'text', text: 'The second answer.' }];
    const result = await ai.generateText({ model: world.model, tools: sdk.tools, messages: [...before, user('How is it?')], prepareStep: folding.prepareStep });
    await folding.record(result);
    said.splice(-1, 1, ...(await sdk.answers(result)));
    same(await folding.originals(), said);
    assert.deepEqual(world.fake.refused, []);
  });

  stored('an early request is made anew: what came behind it is gone, its folds with it, in the store as well', async (server) => {
    const world = worlds({ answer: worksFor(30) });
    const options = { window: WINDOW, summarize: world.summarize, pins: [PIN], id: 'garden' };
    const folding = foldSteps({ ...options, store: (await server()).store });
    const { run, said } = garden({ ...world, folding });
    await run('Look after the beds.');
    assert.ok((await folding.ledger()).records.length > 0);
    const early = structuredClone(said.slice(0, 5));
    world.fake.answer = worksFor(30, world.fake.requests.length);
    const result = await ai.generateText({ model: world.model, tools: sdk.tools, messages: early, stopWhen: sdk.stepsUpTo(1), prepareStep: folding.prepareStep });
    await folding.record(result);
    const now = [...early, ...(await sdk.answers(result))];
    same(await folding.originals(), now);
    const other = foldSteps({ ...options, store: (await server()).store });
    same(await other.originals(), now);
    const more = await ai.generateText({ model: world.model, tools: sdk.tools, messages: [...(await other.messages()), user('Go on.')], stopWhen: sdk.stepsUpTo(100), prepareStep: other.prepareStep });
    await other.record(more);
    assert.deepEqual(world.fake.refused, []);
    const third = foldSteps({ ...options, store: (await server()).store });
    same(await third.originals(), [...now, user('Go on.'), ...(await sdk.answers(more))]);
  });

  named('messages of another conversation are refused, and nothing is forgotten', async () => {
    const world = worlds({ answer: worksFor(14) });
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize });
    const { run, said } = garden({ ...world, folding });
    await run('Look after the beds.');
    await assert.rejects(run('', { messages: [user('A title for this chat, please.')] }), coded('conflict'));
    await assert.rejects(folding.record([user('Something else')]), coded('conflict'));
    same(await folding.originals(), said);
    await folding.clear();
    world.fake.answer = () => [{ type: 'text', text: 'Begun anew.' }];
    await run('', { messages: [user('Another garden.')] });
    assert.equal((await folding.originals()).length, 2);
  });

  named('system text at the head may change from call to call, and never folds', async () => {
    const world = worlds();
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize, pins: [PIN] });
    for (let turn = 0; turn < 12; turn++) {
      world.fake.answer = worksFor(3, world.fake.requests.length);
      const head = { role: 'system', content: `It is day ${turn}.` };
      const result = await ai.generateText({
        model: world.model, tools: sdk.tools, allowSystemInMessages: true, messages: [head, ...(await folding.messages()), user(`Request ${turn}`)], stopWhen: sdk.stepsUpTo(100), prepareStep: folding.prepareStep,
      });
      await folding.record(result);
      for (const { system } of world.fake.requests.slice(-3)) {
        assert.equal(system.length, 2);
        assert.ok(system.includes(head.content) && system.some((text) => text.includes(PIN.value)));
      }
    }
    assert.deepEqual(world.fake.refused, []);
    assert.ok(world.fake.summaries.length >= 1 && world.fake.summaries.length <= 4, `${world.fake.summaries.length}`);
    assert.ok((await folding.originals()).every(({ role }) => role !== 'system'));
  });

  named('a call that waits for leave stays in the window, and goes on when it is given', async () => {
    const dig = ai.tool({ description: 'Digs', inputSchema: sdk.z.object({ bed: sdk.z.number() }), needsApproval: true, execute: async () => 'It is dug.' });
    const world = worlds({ answer: worksFor(14) });
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize });
    const { run, said } = garden({ ...world, folding }, { tools: { ...sdk.tools, dig } });
    await run('Look after the beds.');
    world.fake.answer = () => [{ type: 'tool_use', id: 'toolu_dig', name: 'dig', input: { bed: 3 } }];
    const asked = await run('Dig bed 3.');
    const part = (await asked.content).find(({ type }) => type === 'tool-approval-request');
    world.fake.answer = worksFor(14, world.fake.requests.length);
    const leave = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: part.approvalId, approved: true }] };
    await run('', { messages: [...(await folding.messages()), leave] });
    assert.deepEqual(world.fake.refused, []);
    assert.ok(JSON.stringify(world.fake.requests).includes('It is dug.'));
    same(await folding.originals(), said);
  });

  stored('files are kept as they were, bytes, addresses and all', async (server) => {
    const world = worlds();
    const { store } = await server();
    const folding = foldSteps({ window: WINDOW, summarize: world.summarize, store, id: 'garden' });
    const said = [];
    for (let turn = 0; turn < 14; turn++) {
      world.fake.answer = worksFor(2, world.fake.requests.length);
      const image = turn % 2 === 0 ? new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, turn]) : Buffer.from(`picture ${turn}`).toString('base64');
      const request = { role: 'user', content: [{ type: 'text', text: 'What is this?' }, { type: 'file', data: image, mediaType: 'image/png' }, { type: 'text', text: 'Well. '.repeat(100) }], providerOptions: { own: { turn } } };
      const result = await ai.generateText({ model: world.model, tools: sdk.tools, messages: [...(await folding.messages()), request], stopWhen: sdk.stepsUpTo(100), prepareStep: folding.prepareStep });
      await folding.record(result);
      said.push(request, ...(await sdk.answers(result)));
    }
    assert.deepEqual(world.fake.refused, []);
    assert.ok(world.fake.summaries.length >= 1);
    same(await folding.originals(), said);
    const other = foldSteps({ window: WINDOW, store: (await server()).store, id: 'garden' });
    const back = await other.originals();
    same(back, said);
    assert.ok(back.some(({ content }) => content[1]?.data instanceof Uint8Array));
  });

  if (version === 7) {
    named('messages that steer a run are part of it', async () => {
      const steering = (ai.createSteering ?? ai.experimental_createSteering)();
      const world = worlds({ answer: (_request, n) => { if (n === 14) void steering.steer('Leave bed 7 alone.'); return worksFor(30)(_request, n); } });
      const folding = foldSteps({ window: WINDOW, summarize: world.summarize });
      const result = await ai.generateText({ model: world.model, tools: sdk.tools, messages: [user('Look after the beds.')], stopWhen: sdk.stepsUpTo(100), prepareStep: folding.prepareStep, experimental_steering: steering, steering });
      await folding.record(result);
      assert.deepEqual(world.fake.refused, []);
      const all = await folding.originals();
      assert.equal(all.filter((message) => textOf(message) === 'Leave bed 7 alone.').length, 1);
      assert.equal(all.length, 1 + 29 * 2 + 1 + 1);
    });

    named('instructions of every form get the rules once', async () => {
      for (const instructions of [undefined, SYSTEM, { role: 'system', content: SYSTEM }, [{ role: 'system', content: SYSTEM }, { role: 'system', content: 'Be kind.' }]]) {
        const world = worlds({ answer: worksFor(4) });
        const folding = foldSteps({ window: WINDOW, pins: [PIN] });
        await garden({ ...world, folding }).run('Look after the beds.', { instructions });
        const texts = instructions === undefined ? [] : [instructions].flat().map((text) => text.content ?? text);
        for (const { system } of world.fake.requests) {
          assert.deepEqual(system.slice(0, -1), texts);
          assert.ok(system[system.length - 1].includes(PIN.value));
        }
        assert.deepEqual(world.fake.refused, []);
      }
    });
  }

  named('options that are none are refused, and record needs a run', async () => {
    assert.throws(() => foldSteps({}), coded('bad-argument'));
    assert.throws(() => foldSteps({ window: -1 }), coded('bad-argument'));
    const folding = foldSteps({ window: WINDOW });
    await assert.rejects(folding.record({ steps: [{ response: { messages: [] } }] }), coded('bad-argument'));
    await folding.record({ steps: [] });
  });

  named('the program of the readme runs as it stands', () => {
    const { project } = sdk;
    const page = readFileSync(join(root, 'README.md'), 'utf8').split('### Vercel AI SDK')[1];
    const program = /```js\n([^]*?)```/.exec(page)[1];
    // A provider in the place of the real one; nothing else is changed.
    writeFileSync(join(project.folder, 'stub-openai.mjs'), `
      import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
      const usage = { inputTokens: { total: 100, noCache: 100 }, outputTokens: { total: 20, text: 20 } };
      let asked = 0;
      export const openai = (modelId) => new MockLanguageModelV3({ provider: 'openai.responses', modelId, doGenerate: async ({ prompt }) => {
        const system = prompt.filter(({ role }) => role === 'system');
        if (system.length !== 1 || prompt[0] !== system[0] || !system[0].content.includes('Never dig at night.')) throw new Error('the rules are not where they belong');
        const calls = [1, 2, 3].map((bed) => ({ type: 'tool-call', toolCallId: 'call_' + bed, toolName: 'look', input: JSON.stringify({ bed }) }));
        const content = asked++ === 0 ? calls : [{ type: 'text', text: 'Answer ' + asked + ' to ' + prompt.filter(({ role }) => role !== 'system').length + ' messages.' }];
        return { content, usage, warnings: [], finishReason: { unified: content === calls ? 'tool-calls' : 'stop', raw: undefined } };
      } });
    `);
    writeFileSync(join(project.folder, 'stub-hooks.mjs'), `export const resolve = (specifier, context, next) => (specifier === '@ai-sdk/openai' ? { url: new URL('./stub-openai.mjs', import.meta.url).href, shortCircuit: true } : next(specifier, context));\n`);
    writeFileSync(join(project.folder, 'stub-register.mjs'), `import { register } from 'node:module';\nregister('./stub-hooks.mjs', import.meta.url);\n`);
    const printed = project.run('readme.mjs', program, { env: { NODE_OPTIONS: `--import ${pathToFileURL(join(project.folder, 'stub-register.mjs')).href}`, NODE_NO_WARNINGS: '1' } });
    assert.equal(printed, 'Answer 2 to 3 messages.\nAnswer 3 to 5 messages.\n6 messages, all of them\n');
  });
}
