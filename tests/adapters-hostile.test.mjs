// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Whatever the entry points of the adapters are given: a result, or a PlicaError with a code and a sentence. Nothing hangs, and what is
// handed over behind it works.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { frameworkProject } from './support/frameworks.mjs';
import { loaded } from './support/package.mjs';

const { Ledger } = loaded.esm;
const entry = (name) => import(pathToFileURL([join(loaded.from, `dist/${name}.js`), join(loaded.from, `${name}.js`)].find(existsSync)).href);
const [{ Conversation, foldMessages, summarizeWith: byClient }, { foldSteps, foldPrompts, summarizeWith: byText }, { plicaSession }] = await Promise.all(['anthropic', 'ai-sdk', 'openai-agents'].map(entry));
const { plicaMiddleware, summarizeWith: byChat } = await frameworkProject('langchain').import('plica/langchain');

const WINDOW = 3000;
const throwing = { get role() { throw new Error('mine'); }, get content() { throw new Error('mine'); }, get type() { throw new Error('mine'); } };
const { proxy: revoked, revoke } = Proxy.revocable([], {});
revoke();
const cyclic = { role: 'user', content: [] };
cyclic.content.push(cyclic);

const NOTHING = [undefined, null];
const SCALARS = [0, 5, NaN, Infinity, -1, '', 'x', true, 7n, Symbol('s'), () => 1];
const OBJECTS = [{}, [], [null], [undefined], [5], ['x'], [[]], [{}], [throwing], [cyclic], new Map(), new Date(), Object.create(null)];
const ANYTHING = [...NOTHING, ...SCALARS, ...OBJECTS];
const LISTS = [...ANYTHING, [{ role: 5, content: 5 }], [{ role: 'user' }], [{ role: 'user', content: 'a' }, null], Array(2)];

/** A result, or a PlicaError that helps, within two seconds. */
async function settled(what, run) {
  let error;
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(reject, 2000, new Error('it hangs')); });
  try {
    await Promise.race([(async () => run())(), late]);
  } catch (thrown) {
    error = thrown;
  } finally {
    clearTimeout(timer);
  }
  if (error === undefined) return undefined;
  assert.equal(error?.name, 'PlicaError', `${what}: ${error?.stack ?? String(error)}`);
  assert.match(error.code, /^[a-z-]+$/);
  assert.ok(error.code !== 'internal' && error.message.length > 10 && !/undefined \(reading|is not a function/.test(error.message), `${what}: ${error.message}`);
  return error.code;
}

const named = (value) => {
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  } catch {
    return 'something';
  }
};

const user = (content) => ({ role: 'user', content });
const MAKERS = {
  Conversation: (options) => new Conversation(options, { format: 'anthropic' }),
  foldMessages,
  foldSteps,
  foldPrompts,
  plicaSession: (options) => plicaSession(typeof options === 'object' && options !== null && !Array.isArray(options) ? { id: 'a', ...options } : options),
  plicaMiddleware: (options) => plicaMiddleware(typeof options === 'object' && options !== null && 'id' in options ? { ...options, id: undefined } : options),
};

/** Options that are none, and the code of each: refused when it is made. */
const OPTIONS = [
  [{ window: 'x' }, 'bad-argument'], [{ window: {} }, 'bad-argument'], [{ window: NaN }, 'bad-argument'], [{ window: -1 }, 'bad-argument'], [{ window: null }, 'bad-argument'],
  [{ at: NaN }, 'bad-argument'], [{ at: 'x' }, 'bad-argument'], [{ at: 2 }, 'bad-argument'], [{ prepareAt: NaN }, 'bad-argument'],
  [{ summarize: 5 }, 'bad-argument'], [{ pins: 5 }, 'bad-argument'], [{ pins: [5] }, 'bad-argument'], [{ pins: [null] }, 'bad-argument'], [{ pinned: 5 }, 'bad-argument'],
  [{ tailBudget: 'x' }, 'bad-budget'], [{ estimator: 5 }, 'bad-estimator'], [{ provenance: 5 }, 'bad-argument'], [{ tools: 5 }, 'bad-argument'], [{ accept: 5 }, 'bad-argument'],
  [{ minGain: 'x' }, 'bad-argument'], [{ timeoutMs: 'x' }, 'bad-argument'], [{ attempts: -1 }, 'bad-argument'], [{ maxCalls: 'x' }, 'bad-argument'], [{ fallback: 'x' }, 'bad-argument'],
  [{ retention: 'x' }, 'bad-argument'], [{ onCompaction: 5 }, 'bad-argument'], [{ onPins: 5 }, 'bad-argument'], [{ onEvent: 5 }, 'bad-argument'],
  [{ storeTimeoutMs: 0 }, 'bad-argument'], [{ storeTimeoutMs: 'x' }, 'bad-argument'], [{ store: 5 }, 'bad-argument'], [{ store: {} }, 'bad-argument'], [{ store: { load() {} } }, 'bad-argument'],
];
const OWN = [[{ messages: 5 }, 'bad-argument'], [{ messages: [null] }, 'bad-message'], [{ ledger: 5 }, 'bad-argument'], [{ ledger: {} }, 'bad-argument']];

for (const [name, make] of Object.entries(MAKERS)) {
  test(`${name}: options that are none are refused when it is made`, async () => {
    const own = ['Conversation', 'foldMessages', 'foldSteps', 'plicaSession'].includes(name) ? OWN : [];
    for (const [option, code] of [...OPTIONS, ...own]) {
      const id = name === 'foldPrompts' ? {} : { id: 'a' };
      if (name === 'plicaMiddleware' && 'store' in option && option.store !== 5 && Object.keys(option.store).length > 0) continue;
      assert.equal(await settled(`${name}(${named(option)})`, () => make({ window: WINDOW, ...('store' in option ? id : {}), ...option })), code, `${name}(${named(option)})`);
    }
    for (const options of ANYTHING) assert.equal(await settled(`${name}(${named(options)})`, () => make(options)), 'bad-argument', named(options));
    // What is null is left out.
    const none = Object.fromEntries(['at', 'prepareAt', 'store', 'messages', 'ledger', 'pins', 'summarize', 'onCompaction', 'tailBudget', 'pinned'].map((key) => [key, null]));
    assert.equal(await settled(`${name} of nulls`, () => make({ window: WINDOW, ...none })), undefined);
  });
}

test('Conversation: whatever it is handed', async () => {
  for (const begun of [false, true]) {
    for (const method of ['window', 'record', 'append', 'originals']) {
      for (const list of [...LISTS, revoked]) {
        const conversation = MAKERS.Conversation({ window: WINDOW });
        if (begun) await conversation.window([user('a')]);
        const code = await settled(`${method}(${named(list)})`, () => conversation[method](list));
        if (method !== 'originals' && (list === revoked || !Array.isArray(list) || list.some?.((message) => typeof message !== 'object' || message === null))) assert.ok(['bad-argument', 'bad-message'].includes(code), `${method}(${named(list)}): ${code}`);
        if (code !== undefined) assert.deepEqual(await conversation.originals(), begun ? [user('a')] : [], 'nothing has changed');
        if (begun && code !== undefined) await conversation.window([user('a'), { role: 'assistant', content: 'b' }]);
      }
      for (const options of [...ANYTHING, { usage: 5 }, { usage: { at: 99, inputTokens: 5 } }, { signal: 5 }, { signal: {} }, { beside: 5 }, { back: 'x' }, { back: 5 }]) {
        const conversation = MAKERS.Conversation({ window: WINDOW });
        await settled(`${method}([…], ${named(options)})`, () => conversation[method]([user('a')], options));
      }
    }
  }
});

test('a store that is none', async () => {
  for (const given of [...ANYTHING, { version: '0' }, { version: '0', messages: [] }, { version: 5, messages: [], ledger: new Ledger() }]) {
    const store = Object.fromEntries(['load', 'append', 'save', 'originals', 'list', 'delete'].map((name) => [name, async () => given]));
    const conversation = MAKERS.Conversation({ window: WINDOW, store, id: 'a' });
    assert.equal(await settled(`a store of ${named(given)}`, () => conversation.window([user('a')])), 'bad-argument');
  }
});

test('foldSteps: whatever it is handed', async () => {
  for (const value of LISTS) {
    for (const run of [false, true]) {
      const folding = foldSteps({ window: WINDOW });
      const one = run ? folding.run() : folding;
      const what = named(value);
      await settled(`prepareStep(${what})`, () => one.prepareStep(value));
      await settled(`prepareStep({ messages: ${what} })`, () => one.prepareStep({ messages: value, steps: [] }));
      await settled(`prepareStep({ steps: ${what} })`, () => one.prepareStep({ messages: [user('a')], steps: value }));
      await settled(`prepareStep({ instructions: ${what} })`, () => one.prepareStep({ messages: [user('a')], steps: [], initialMessages: [], instructions: value }));
      await settled(`onStepFinish(${what})`, () => one.onStepFinish(value));
      await settled(`onStepFinish(of ${what})`, () => one.onStepFinish({ response: { messages: value } }));
      await settled(`record(${what})`, () => one.record(value));
      await settled(`record({ steps: ${what} })`, () => one.record({ steps: value }));
      await settled(`run(${what})`, () => folding.run(value));
      await settled(`until(${what})`, () => folding.until(value));
      await settled('after it', () => folding.clear());
      const next = folding.run();
      assert.deepEqual(await next.prepareStep({ messages: [user('a')], steps: [] }), { messages: [user('a')] });
    }
  }
});

test('foldPrompts: whatever it is handed', async () => {
  for (const value of LISTS) {
    const what = named(value);
    const folding = foldPrompts({ window: WINDOW, conversation: 'a' });
    await settled(`transformParams(${what})`, () => folding.transformParams(value));
    await settled(`transformParams({ params: ${what} })`, () => folding.transformParams({ params: value }));
    await settled(`a prompt ${what}`, () => folding.transformParams({ params: { prompt: value } }));
    await settled(`providerOptions ${what}`, () => foldPrompts({ window: WINDOW }).transformParams({ params: { prompt: [user('a')], providerOptions: value } }));
    await settled(`an id ${what}`, () => foldPrompts({ window: WINDOW }).transformParams({ params: { prompt: [user('a')], providerOptions: { plica: { conversation: value } } } }));
    for (const name of ['wrapGenerate', 'wrapStream']) await settled(`${name}(${what})`, () => folding[name](value));
    await settled(`of(${what})`, () => folding.of(value).messages());
    await settled(`clear(${what})`, () => folding.clear(value));
    await settled(`held ${what}`, () => foldPrompts({ window: WINDOW, held: value }));
    await settled(`restore ${what}`, () => foldPrompts({ window: WINDOW, restore: value }));
    await settled(`restore gives ${what}`, () => foldPrompts({ window: WINDOW, restore: () => value, conversation: 'a' }).transformParams({ params: { prompt: [user('a')] } }));
  }
});

test('foldMessages: whatever it is handed', async () => {
  for (const value of LISTS) {
    const what = named(value);
    const folding = foldMessages({ window: WINDOW });
    await settled(`run(${what})`, async () => { for await (const _ of folding.run(value)); });
    await settled(`runUntilDone(${what})`, () => folding.runUntilDone(value));
    await settled(`params(${what})`, () => folding.params(value));
    await settled(`params of ${what}`, () => folding.params({ messages: value }));
    await settled(`params with notes ${what}`, () => folding.params({ messages: [user('a')] }, value));
    await settled(`record(${what})`, () => folding.record(value));
    await settled(`record with notes ${what}`, () => folding.record([user('a')], value));
  }
});

test('plicaSession: whatever it is handed', async () => {
  for (const value of LISTS) {
    const what = named(value);
    const session = plicaSession({ id: 'a', window: WINDOW });
    for (const [name, ...args] of [['getItems', value], ['getItems', undefined, value], ['addItems', value], ['addItems', [{ type: 'message', role: 'user', content: 'a' }], value], ['runCompaction', value, value], ['replaceHistoryWithCompaction', value], ['popItem', value]]) {
      await settled(`${name}(${what})`, () => session[name](...args));
    }
    await settled(`inputFilter(${what})`, () => session.inputFilter(value));
    await settled(`a filter of ${what}`, () => session.inputFilter()(value));
    await settled(`modelData ${what}`, () => session.inputFilter()({ modelData: value }));
    await settled(`input ${what}`, () => session.inputFilter()({ modelData: { input: value } }));
  }
});

test('summarizers: whatever they are made of', async () => {
  for (const value of ANYTHING) {
    const what = named(value);
    for (const make of [byClient, byText, byChat]) {
      await settled(`summarizeWith(${what})`, () => make(value));
      await settled(`summarizeWith(${what}, ${what})`, () => make(value, value));
    }
    await settled(`generateText ${what}`, () => byText({ generateText: value }));
  }
});
