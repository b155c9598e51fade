// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What all adapters share: the conversation of a framework, followed from call to call. Frameworks of every kind are played at random:
// such that hand over all that was said, the window they were given, or what is new; the same objects or copies; that go back, start
// over, are aborted; with stores that fail. PLICA_SEEDS=n tries so many seeds a case.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { closeDatabases, connect, openDatabases } from './support/databases.mjs';
import { loaded } from './support/package.mjs';
import { Random } from './support/random.mjs';
import { Talk, frozen } from './support/talk.mjs';
import { faultsOnly } from './support/validate.mjs';

const { Ledger, PlicaError, check, estimate, verifyPins } = loaded.esm;
const entry = [join(loaded.from, 'dist/anthropic.js'), join(loaded.from, 'anthropic.js')].find(existsSync);
const { Conversation } = await import(pathToFileURL(entry).href);

const SEEDS = Number(process.env.PLICA_SEEDS ?? 3);
const STEPS = 60;
const WINDOW = 3000;
const FORMATS = ['anthropic', 'ai-sdk', 'openai-responses', 'langchain'];
const RULES = [
  { key: 'push', importance: 5, kind: 'constraint', agent_id: 'operator', value: 'Never push to main.' },
  { key: 'water', importance: 5, kind: 'constraint', agent_id: 'operator', value: 'Water by hand after noon.' },
];
const SUMMARY = (n) => `GOAL: tend the beds, part ${n}\nSTATE: seeds are in the ground\nNEXT: water them`;
const summarize = () => SUMMARY(0);
const coded = (code) => (error) => {
  assert.ok(error instanceof PlicaError, `${error?.stack}`);
  assert.equal(error.code, code, error.message);
  return true;
};
const json = (value) => JSON.parse(JSON.stringify(value));
const database = openDatabases().find(({ why }) => why === undefined);

// A summarizer that hangs holds nothing that keeps the process alive.
const alive = setInterval(() => {}, 60_000);
after(async () => {
  clearInterval(alive);
  await closeDatabases();
});

/** A store on a database of its own. */
async function freshStore() {
  const link = await connect(await database.fresh());
  return { store: link.store(), another: () => link.store(), end: () => link.end() };
}

// --- frameworks at random ---------------------------------------------------------------------------------------------



const COPIES = { same: (message) => message, cloned: (message) => frozen(structuredClone(message)), parsed: (message) => frozen(json(message)) };

/** A summarizer that does whatever it likes. */
function moody(random, controller) {
  let n = 0;
  const summarizer = async ({ prompt }, { signal }) => {
    summarizer.calls++;
    await soon();
    switch (random.below(12)) {
      case 0: throw new Error('overloaded');
      case 1: return '';
      case 2: return "I'm sorry, but I can't help with that.";
      case 3: return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      case 4: return new Promise(() => {});
      case 5: return { text: 'GOAL: tend the', finishReason: 'max_tokens' };
      case 6: return prompt;
      case 7: return 42;
      case 8: return 'x'.repeat(60_000);
      case 9: controller.abort?.(new Error('stopped'));
      // falls through
      default: return { text: SUMMARY(++n), model: 'played' };
    }
  };
  summarizer.calls = 0;
  return summarizer;
}

/** A store that is slow, fails before it has done anything, or after it has. */
function shaky(store, random, state) {
  return new Proxy(store, {
    get: (target, key) => async (...args) => {
      if (random.chance(0.5)) await soon();
      if (random.chance(state.failing)) throw new PlicaError('store-failed', 'the database is gone for a moment');
      const done = await target[key](...args);
      if (random.chance(state.failing / 3)) throw new PlicaError('store-failed', 'its answer got lost on the way');
      return done;
    },
  });
}

/** One framework, one conversation; what was said is written down beside it. */
class Play {
  constructor({ format, keeper, copies, pins, stored, seed }) {
    Object.assign(this, { format, keeper, copies, seed });
    this.random = new Random(seed);
    this.talk = new Talk(format, this.random);
    this.said = [];
    /** What the framework has, and for each of its objects the one that was said. */
    this.memory = [];
    this.originals = new WeakMap();
    this.controller = {};
    this.told = [];
    this.events = [];
    this.state = { failing: stored === undefined ? 0 : 0.12 };
    this.summarize = moody(this.random, this.controller);
    this.plain = stored;
    this.options = {
      window: WINDOW, summarize: this.summarize, timeoutMs: 4, minGain: 0, onCompaction: (made) => this.told.push(made),
      ...(this.random.chance(0.5) ? { prepareAt: 0.5 } : {}),
      ...(pins ? { pins: RULES } : {}),
      ...(stored === undefined ? {} : { store: shaky(stored, this.random, this.state), id: 'c' }),
    };
    this.conversation = new Conversation(this.options, { format });
  }

  own(message) {
    return this.originals.get(message) ?? message;
  }

  copied(message) {
    const copy = COPIES[this.copies](message);
    this.originals.set(copy, this.own(message));
    return copy;
  }

  hear(messages) {
    for (const message of messages.map(frozen)) {
      this.said.push(message);
      this.memory.push(message);
    }
  }

  /** The framework goes back: the last answer anew, a request edited, everything. */
  goBack() {
    const isSaid = (message) => this.said.includes(this.own(message));
    const places = this.memory.flatMap((message, i) => (isSaid(message) ? [i] : []));
    // What stands in front of a digest in the window cannot be taken off without it.
    const first = this.keeper === 'all' ? 0 : this.memory.findLastIndex((message) => !isSaid(message)) + 1;
    const open = places.filter((i) => i >= first && this.startsTurn(this.own(this.memory[i])));
    if (open.length === 0) return false;
    const at = this.random.chance(0.5) ? open[open.length - 1] : this.random.pick(open);
    this.said.length = this.said.indexOf(this.own(this.memory[at]));
    this.memory.length = at;
    this.hear([this.talk.user(`rather ${this.talk.text()}`), this.talk.answer()]);
    return true;
  }

  startsTurn(message) {
    return message.role === 'user' ? !Array.isArray(message.content) || message.content[0].type === 'input_text' : message.type === 'human';
  }

  async step() {
    const { random } = this;
    if (random.chance(0.04)) {
      this.said = [];
      this.memory = [];
    }
    if (!(this.said.length > 4 && random.chance(0.2) && this.goBack())) for (let n = random.below(4); n >= 0; n--) this.hear(this.talk.turn());
    const given = frozen(this.memory.map((message) => this.copied(message)));
    const own = new AbortController();
    this.controller.abort = random.chance(0.3) ? (reason) => own.abort(reason) : undefined;
    const usage = this.sent === undefined || random.chance(0.5) ? {} : { usage: { input_tokens: Math.ceil(this.sent * 1.15), output_tokens: 40 } };
    const back = 'anywhere';
    if (random.chance(0.1)) return void (await this.conversation.record(given, { back }));
    const window = await this.conversation.window(given, { signal: own.signal, back, ...usage });
    this.seen(window, given, this.told);
    this.sent = estimate(window, { format: this.format }).total;
    // Sometimes the framework does not come to keep what it was given.
    if (this.keeper !== 'all' && !random.chance(0.1)) this.memory = this.keeper === 'window' ? window : window.filter((message) => !isRules(message));
  }

  seen(window, given, told) {
    const { total } = estimate(window, { format: this.format });
    assert.ok(total <= WINDOW || told.at(-1)?.outcome === 'unchanged', `${total} tokens, in silence`);
    assert.deepEqual(faultsOnly(window, this.format), [], 'the judge finds no fault');
    assert.deepEqual(check(window, { format: this.format }), []);
    assert.equal(window.filter(isRules).length, this.options.pins === undefined ? 0 : 1, 'the rules, once');
    if (this.options.pins !== undefined) assert.deepEqual(verifyPins(window, RULES).missing, []);
    // The framework's objects, in their order.
    const theirs = new Set(given);
    const known = window.filter((message) => this.said.includes(this.own(message)));
    for (const message of known) if (given.some((one) => this.own(one) === this.own(message))) assert.ok(theirs.has(message), 'the object that was given');
    const places = known.map((message) => this.said.indexOf(this.own(message)));
    assert.deepEqual(places, [...places].sort((a, b) => a - b));
    assert.deepEqual(places.slice(-1), [this.said.length - 1], 'what was said last is there');
  }

  /** All that was said is there, in memory and in the store. */
  async verify() {
    const failing = this.state.failing;
    this.state.failing = 0;
    assert.deepEqual((await this.conversation.originals()).map(json), this.said.map(json), 'every original');
    if (this.plain !== undefined) {
      const stored = await this.plain.load('c', { originals: true });
      const behind = stored.messages.length === 0 ? [] : withoutRules(unfolded(stored));
      assert.deepEqual(behind.map(json), this.said.map(json), 'every original is stored');
      assert.deepEqual(withoutRules(await this.conversation.messages()).length > 0, this.said.length > 0);
    }
    this.state.failing = failing;
  }

  /** The framework was told that somebody else wrote: it goes on from what there is. */
  async reload() {
    this.state.failing = 0;
    const [window, originals] = [await this.conversation.messages(), await this.conversation.originals()];
    this.said = originals;
    this.memory = this.keeper === 'all' ? originals.slice() : this.keeper === 'window' ? window : window.filter((message) => !isRules(message));
    this.state.failing = 0.12;
  }

  async run() {
    for (let step = 0; step < STEPS; step++) {
      try {
        await this.step();
      } catch (error) {
        if (error.message === 'stopped') this.events.push('aborted');
        else if (error.code === 'store-failed') this.events.push('failed');
        else if (error.code === 'conflict') {
          assert.ok(this.events.includes('failed'), error.stack);
          this.events.push('conflict');
          await this.reload();
        } else throw error;
        // What the store has, nobody can say now.
        if (error.code === 'store-failed') continue;
      }
      if (this.random.chance(this.plain === undefined ? 0.5 : 0.1)) await this.verify();
      if (this.random.chance(0.1)) await this.restart();
    }
    // In the end everything works, and everything is there.
    this.state.failing = 0;
    this.controller.abort = undefined;
    try {
      await this.conversation.window(this.memory, { back: 'anywhere' });
    } catch (error) {
      coded('conflict')(error);
      await this.reload();
      this.state.failing = 0;
      await this.conversation.window(this.memory);
    }
    await this.verify();
  }

  /** Another process goes on. */
  async restart() {
    const failing = this.state.failing;
    this.state.failing = 0;
    await this.conversation.window(this.memory.map((message) => this.copied(message)), { back: 'anywhere' }).catch(coded('conflict'));
    await this.reload();
    if (this.plain === undefined) {
      const ledger = Ledger.from(json(await this.conversation.ledger()));
      this.options = { ...this.options, messages: json(await this.conversation.messages()), ledger };
    }
    this.conversation = new Conversation(this.options, { format: this.format });
    this.state.failing = 0;
    await this.reload();
    this.state.failing = failing;
  }
}

const isRules = (message) => JSON.stringify(message).includes('<pinned-rules');
const withoutRules = (messages) => messages.filter((message) => !isRules(message));

function unfolded({ messages, ledger }) {
  try {
    return ledger.unfold(messages);
  } catch (error) {
    // All folds were undone.
    coded('digest-missing')(error);
    return messages;
  }
}

for (const format of FORMATS) {
  for (const keeper of ['all', 'window', 'window without rules']) {
    for (const withStore of [false, true]) {
      test(`${format}: a framework that keeps ${keeper}${withStore ? ', with a store that fails' : ''}`, { skip: withStore && database === undefined }, async () => {
        let folds = 0;
        for (let seed = 0; seed < SEEDS; seed++) {
          const place = withStore ? await freshStore() : undefined;
          const play = new Play({ format, keeper, copies: Object.keys(COPIES)[seed % 3], pins: seed % 2 === 1, stored: place?.store, seed: seed * 7919 + 17 });
          try {
            await play.run();
          } catch (error) {
            error.message = `seed ${seed}: ${error.message}`;
            throw error;
          }
          folds += play.told.filter(({ fold }) => fold !== undefined).length;
          await place?.end();
        }
        assert.ok(folds >= 3 * SEEDS, `${folds} folds`);
      });
    }
  }
}

// --- one by one -------------------------------------------------------------------------------------------------------

const OPTIONS = { window: WINDOW, summarize, minGain: 0 };
const made = (options = {}, format = 'anthropic') => new Conversation({ ...OPTIONS, ...options }, { format });
const turns = (n, seed = 1, format = 'anthropic') => {
  const talk = new Talk(format, new Random(seed));
  return Array.from({ length: n }, () => talk.turn()).flat().map(frozen);
};
const request = (text) => frozen({ role: 'user', content: text });
const reply = (text) => frozen({ role: 'assistant', content: [{ type: 'text', text }] });

test('options that are none are refused at once', () => {
  for (const options of [undefined, {}, { window: 0 }, { window: -1 }, { window: 1000, at: 2 }, { window: 1000, prepareAt: 0 }, { window: 1000, store: {} }]) {
    assert.throws(() => new Conversation(options, { format: 'anthropic' }), (error) => error instanceof PlicaError, JSON.stringify(options));
  }
});

test('nothing at all', async () => {
  for (const options of [{}, { pins: RULES }]) {
    const conversation = made(options);
    assert.deepEqual(await conversation.window([]), []);
    assert.equal(await conversation.pop(), undefined);
    await conversation.append([]);
    await conversation.record([]);
    assert.deepEqual([withoutRules(await conversation.messages()), await conversation.originals()], [[], []]);
    const all = turns(2);
    await conversation.window(all);
    // Started over with nothing: rules alone are no conversation.
    assert.deepEqual(await conversation.window([], { back: 'anywhere' }), []);
    assert.deepEqual(await conversation.window(all).then(withoutRules), all);
  }
});

test('equal messages, and the same object twice', async () => {
  const conversation = made();
  const again = request('go on');
  const all = Array.from({ length: 200 }, (_, i) => (i % 2 ? reply('done '.repeat(20)) : i % 4 ? again : request('go on')));
  for (let n = 2; n <= all.length; n += 2) {
    const window = await conversation.window(all.slice(0, n));
    assert.deepEqual(check(window, { format: 'anthropic' }), []);
    assert.ok(estimate(window, { format: 'anthropic' }).total <= WINDOW);
  }
  assert.ok((await conversation.ledger()).folds.length > 0);
  assert.deepEqual(await conversation.originals(), all);
  // Back by one of many equal ones.
  await conversation.window([...all.slice(0, -1), reply('another')]);
  assert.deepEqual(await conversation.originals(), [...all.slice(0, -1), reply('another')]);
});

test('going back into folds makes none but those of before; the ledger can be read at each step', async () => {
  const conversation = made({ pins: RULES });
  const all = turns(60);
  for (let n = 6; n <= all.length; n += 6) await conversation.window(all.slice(0, n));
  const { folds } = await conversation.ledger();
  assert.ok(folds.length >= 3, `${folds.length} folds`);
  const starts = all.flatMap(({ content }, i) => (typeof content === 'string' ? [i] : [])).filter((i) => i > 0).reverse();
  for (const at of starts.filter((_, i) => i % 5 === 0)) {
    const given = [...all.slice(0, at), request(`instead of ${at}`)];
    const window = await conversation.window(given);
    assert.deepEqual(check(window, { format: 'anthropic' }), []);
    assert.deepEqual(await conversation.originals(), given);
    const [messages, ledger] = [json(await conversation.messages()), Ledger.from(json(await conversation.ledger()))];
    assert.deepEqual(ledger.unfold(messages), given);
    assert.ok(ledger.folds.length <= folds.length);
  }
});

test('a window of before the last fold is handed over: nothing is forgotten', async () => {
  for (const pins of [undefined, RULES]) {
    const conversation = made({ ...(pins ? { pins } : {}) });
    const all = turns(60);
    let [memory, n] = [[], 0];
    const folds = async () => (await conversation.ledger()).folds.length;
    for (let kept = -1; n < all.length; n += 3) {
      const given = [...memory, ...all.slice(n, n + 3)];
      const window = await conversation.window(given);
      assert.deepEqual(await conversation.originals(), all.slice(0, n + 3));
      assert.deepEqual(check(window, { format: 'anthropic' }), []);
      // Every second fold is not kept by the framework.
      const now = await folds();
      memory = now > kept && now % 2 === 0 ? given : window;
      kept = now;
    }
    assert.ok((await folds()) >= 4);
    // Back within such a window.
    const given = [...memory.slice(0, -1), reply('well')];
    await conversation.window(given);
    assert.deepEqual((await conversation.originals()).slice(-1), [given.at(-1)]);
    assert.ok((await conversation.originals()).length > all.length - 5);
  }
});

test('back to a message that was kept when what is around it folded', async () => {
  const conversation = made({ pinned: ({ content }) => typeof content === 'string' && content.startsWith('KEEP') });
  const keep = request('KEEP this');
  const all = [...turns(6), reply('so'), keep, reply('kept'), ...turns(20, 3)];
  for (let n = 4; n <= all.length; n += 2) await conversation.window(all.slice(0, n));
  assert.ok((await conversation.messages()).includes(keep));
  assert.ok((await conversation.ledger()).folds.length > 0);
  for (const at of [all.indexOf(keep) + 2, all.indexOf(keep) + 1, all.indexOf(keep)]) {
    const given = [...all.slice(0, at), request('instead')];
    const window = await conversation.window(given);
    assert.deepEqual(await conversation.originals(), given);
    assert.deepEqual((await conversation.ledger()).unfold(window), given);
  }
});

test('rules of before, in the window that is handed over, are nothing that was said', async () => {
  const first = made({ pins: RULES });
  const all = turns(3);
  const window = await first.window(all);
  // Another request, behind the rules that the framework kept.
  const anew = [window[0], request('another one')];
  assert.equal((await first.window(anew)).filter(isRules).length, 1);
  assert.deepEqual(await first.originals(), anew.slice(1));
  await first.window([], { back: 'anywhere' });
  await first.window(anew);
  assert.deepEqual(await first.originals(), anew.slice(1));
  // Other rules in the next process.
  const other = [{ ...RULES[0], value: 'Never push on a Friday.' }];
  const second = made({ pins: other, messages: await first.messages(), ledger: await first.ledger() });
  const given = [...(await first.messages()), reply('well'), request('on')];
  const next = await second.window(given);
  assert.deepEqual([next.filter(isRules).length, verifyPins(next, other).missing], [1, []]);
  assert.deepEqual(await second.originals(), given.slice(1));
});

test('many ways back keep no more than what is said', async () => {
  const conversation = made();
  const all = turns(40);
  let most = 0;
  for (let n = 0; n < 30; n++) {
    for (let end = 10; end <= all.length; end += 10) await conversation.window([request(`way ${n}`), reply('well'), ...all.slice(0, end)], { back: 'anywhere' });
    const { folds } = await conversation.ledger();
    most = Math.max(most, folds.length);
    assert.ok(folds.flatMap(({ messages }) => messages).length <= all.length + 2 + folds.length);
  }
  assert.ok(most >= 2);
});

test('a preparation is adopted; one of what was taken back is ended', async () => {
  const signals = [];
  let held;
  const prepared = made({ prepareAt: 0.4, summarize: (_, { signal }) => { signals.push(signal); return held ?? SUMMARY(signals.length); } });
  const all = turns(40);
  let n = 0;
  while (signals.length === 0) await prepared.window(all.slice(0, (n += 2)));
  const folds = [];
  prepared.options.onCompaction = (made) => folds.push(made);
  while (folds.length === 0) await prepared.window(all.slice(0, (n += 2)));
  assert.equal(signals.length, 1, 'what was prepared is the digest: no other call');
  assert.equal(folds[0].outcome, 'summarized');

  held = new Promise(() => {});
  while (signals.length === 1) await prepared.window(all.slice(0, (n += 2)));
  const last = signals[1];
  assert.equal(last.aborted, false);
  // What is taken back stands behind what is prepared: it still holds.
  await prepared.window([...all.slice(0, n - 1), request('instead')]);
  assert.equal(last.aborted, false);
  const start = all.indexOf((await prepared.messages()).find((message) => all.includes(message) && typeof message.content === 'string'));
  await prepared.window([...all.slice(0, start), request('from here')]);
  assert.equal(last.aborted, true, 'nobody waits for it any more');
});

test('an aborted call leaves everything as it was, wherever it is aborted', async () => {
  const all = turns(30);
  const size = all.length;
  let places = 0;
  for (let at = 0; ; at++) {
    const controller = new AbortController();
    let count = 0;
    const maybe = () => count++ === at && controller.abort(new Error('stopped'));
    const conversation = made({ summarize: async () => (maybe(), await soon(), maybe(), SUMMARY(1)), onEvent: maybe, store: undefined });
    const before = [...(await conversation.window(all.slice(0, 4)))];
    const window = await conversation.window(all, { signal: controller.signal }).catch((error) => error);
    if (count <= at) break;
    if (window instanceof Error) {
      places++;
      assert.equal(window.message, 'stopped');
      assert.deepEqual(await conversation.messages(), all, 'nothing folded');
      assert.deepEqual(before, all.slice(0, 4));
    }
    assert.deepEqual(await conversation.originals(), all);
    assert.ok((await conversation.window(all)).length < size);
  }
  assert.ok(places >= 3, `${places} places`);
  const gone = AbortSignal.abort(new Error('never'));
  const conversation = made();
  await assert.rejects(conversation.window(all, { signal: gone }), /never/);
  await assert.rejects(conversation.append(all, { signal: gone }), /never/);
  assert.deepEqual(await conversation.originals(), []);
});

test('what is edited in place is read anew', async () => {
  const conversation = made();
  const all = turns(12).map((message) => structuredClone(message));
  await conversation.window(all.slice(0, 3));
  all[1].content[0].text = 'edited in place';
  for (let n = 4; n <= all.length; n++) await conversation.window(all.slice(0, n));
  const more = [...all, ...turns(20, 2)];
  const window = await conversation.window(more);
  assert.ok(window.length < more.length, 'it folds');
  assert.deepEqual(await conversation.originals(), more);
});

test('marks that mean nothing go out as they are now', async () => {
  const conversation = made();
  const all = turns(90);
  const marked = (messages) => messages.map((message, i) => (i === messages.length - 1 ? { ...message, content: [{ type: 'text', text: message.content, cache_control: { type: 'ephemeral' } }] } : structuredClone(message)));
  let memory = [];
  for (const message of all.filter(({ content }) => typeof content === 'string')) {
    memory.push(message, reply('well '.repeat(30)));
    const given = marked([...memory, request('and now')]);
    memory = await conversation.window(given);
    assert.equal(memory.at(-1), given.at(-1));
    assert.equal(memory.filter((one) => JSON.stringify(one).includes('cache_control')).length, 1, 'of moved marks the last one');
    memory.pop();
  }
  assert.ok((await conversation.ledger()).folds.length > 1);
});

test('one message more is read, whatever was said before', async () => {
  let reads = 0;
  const counted = (message) => Object.defineProperty({ role: message.role }, 'content', { enumerable: true, get: () => (reads++, message.content) });
  const all = Array.from({ length: 20_000 }, (_, i) => counted(i % 2 ? reply(`answer ${i}`) : request(`request ${i}`)));
  const large = made({ window: 10_000_000 });
  await large.window(all);
  for (const next of [counted(request('one')), counted(reply('more')), counted(request('and one'))]) {
    all.push(next);
    reads = 0;
    await large.window(all);
    assert.ok(reads < 20, `${reads} reads`);
  }
  // The same where the framework keeps the window.
  const folding = made({ window: 50_000, pins: RULES });
  let memory = await folding.window(all);
  assert.ok(memory.length < all.length);
  for (let n = 0; n < 4; n++) {
    memory = [...memory, counted(request(`more ${n}`))];
    reads = 0;
    memory = await folding.window(memory);
    if (n > 0) assert.ok(reads < 60, `${reads} reads`);
  }
});

test('calls that overlap follow each other', async () => {
  const conversation = made({ summarize: async () => (await soon(), SUMMARY(1)) });
  const all = turns(40);
  const windows = await Promise.all(Array.from({ length: 20 }, (_, i) => conversation.window(all.slice(0, ((i + 1) * all.length) / 20))));
  for (const window of windows) assert.deepEqual(check(window, { format: 'anthropic' }), []);
  assert.deepEqual(await conversation.originals(), all);
});

// --- appending, and stores --------------------------------------------------------------------------------------------

test('messages are appended and taken off one by one, through folds', async () => {
  for (const options of [{}, { pins: RULES }]) {
    const conversation = made(options);
    const all = turns(40);
    for (let n = 0; n < all.length; n += 3) await conversation.append(all.slice(n, n + 3));
    assert.ok((await conversation.ledger()).folds.length > 1);
    for (let n = all.length - 1; n >= 0; n--) {
      assert.equal(await conversation.pop(), all[n]);
      assert.deepEqual(await conversation.originals(), all.slice(0, n));
    }
    assert.deepEqual([await conversation.pop(), withoutRules(await conversation.messages())], [undefined, []]);
    await conversation.append(all.slice(0, 2));
    assert.deepEqual(withoutRules(await conversation.messages()), all.slice(0, 2));
    await conversation.clear();
    assert.deepEqual([await conversation.originals(), withoutRules(await conversation.messages())], [[], []]);
  }
});

const skip = database === undefined;

test('appending to a store that fails: all of it, or none', { skip }, async () => {
  for (let seed = 0; seed < 12; seed++) {
    const place = await freshStore();
    const random = new Random(seed);
    const state = { failing: 0.25 };
    const options = { store: shaky(place.store, random, state), id: 'c', ...(seed % 2 ? { pins: RULES } : {}) };
    let conversation = made(options);
    const all = turns(30, seed);
    const said = [];
    for (let n = 0; n < all.length; ) {
      const messages = all.slice(n, n + 3);
      try {
        await conversation.append(messages);
        said.push(...messages);
        n += 3;
      } catch (error) {
        coded('store-failed')(error);
      }
    }
    state.failing = 0;
    const stored = await place.store.load('c', { originals: true });
    assert.deepEqual(withoutRules(unfolded(stored)), said, `seed ${seed}`);
    const last = said.at(-1);
    const broken = new Proxy(place.store, { get: (target, key) => (key === 'save' && state.failing === 1 ? async () => Promise.reject(new PlicaError('store-failed', 'the database is gone for a moment')) : target[key]) });
    conversation = made({ ...options, store: broken });
    await conversation.originals();
    state.failing = 1;
    await assert.rejects(conversation.pop(), coded('store-failed'));
    state.failing = 0;
    assert.deepEqual(await conversation.pop(), last, 'it was not taken off the first time');
    await conversation.clear();
    assert.deepEqual((await place.store.load('c')).messages, []);
    await place.end();
  }
});

test('two servers on one conversation: one is told, or goes on with the fold of the other', { skip }, async () => {
  const place = await freshStore();
  const told = [];
  const [a, b] = [place.store, place.another()].map((store) => made({ store, id: 'c', onCompaction: ({ fold }) => told.push(fold) }));
  const all = turns(40);
  for (let n = all.length % 4; n <= all.length; n += 4) {
    // Both follow the same framework: whose fold is first counts.
    const windows = await Promise.all([a, b].map((one) => one.window(all.slice(0, n))));
    for (const window of windows) assert.deepEqual(check(window, { format: 'anthropic' }), []);
  }
  assert.deepEqual(await a.originals(), all);
  const { folds } = await made({ store: place.store, id: 'c' }).ledger();
  assert.ok(folds.length > 1);
  assert.deepEqual(told.map(({ id }) => id).sort(), folds.map(({ id }) => id).sort(), 'each fold is told of once, by whose it is');
  // Now each hears something else.
  const [mine, theirs] = [[...all, request('mine')], [...all, request('theirs')]];
  await a.window(mine);
  await assert.rejects(b.window(theirs), coded('conflict'));
  await assert.rejects(b.window(theirs), coded('conflict'), 'told again, and not gone back over what the other wrote');
  assert.deepEqual((await place.store.load('c', { originals: true }).then(unfolded)).at(-1), mine.at(-1));
  // Loaded, it is b's to say.
  const loadedThere = await b.originals();
  assert.deepEqual(loadedThere, mine);
  await b.window([...loadedThere, reply('well'), request('theirs')]);
  assert.deepEqual((await place.store.load('c', { originals: true }).then(unfolded)).slice(-3), [mine.at(-1), reply('well'), request('theirs')]);
  // What is appended has its place behind what the other wrote.
  const [c, d] = [made({ store: place.store, id: 'd' }), made({ store: place.another(), id: 'd' })];
  await Promise.all([c, d].flatMap((one, i) => all.slice(0, 20).map((_, n) => one.append([request(`${i} ${n}`)]))));
  const both = (await made({ store: place.store, id: 'd' }).originals()).map(({ content }) => content);
  assert.equal(both.length, 40);
  for (const i of [0, 1]) assert.deepEqual(both.filter((text) => text.startsWith(i)), Array.from({ length: 20 }, (_, n) => `${i} ${n}`));
  await place.end();
});

test('a store that does not answer in its time has failed, whoever waits, and is asked anew', { skip }, async () => {
  const place = await freshStore();
  const away = { now: false };
  const store = Object.fromEntries(['load', 'append', 'save', 'list', 'delete'].map((name) => [name, (...args) => (away.now ? new Promise(() => {}) : place.store[name](...args))]));
  const all = turns(12);
  const conversation = made({ store, id: 'c', storeTimeoutMs: 40 });
  await conversation.append(all.slice(0, 8));
  away.now = true;
  const calls = [() => conversation.append(all.slice(8, 12)), () => conversation.window(all), () => conversation.record(all), () => conversation.pop(), () => conversation.clear(), () => conversation.messages(), () => conversation.originals()];
  for (const call of calls) await assert.rejects(call(), (error) => coded('store-failed')(error) && /did not answer within 40 ms/.test(error.message));
  // All of them stand in one line.
  for (const { reason } of await Promise.allSettled(calls.map((call) => call()))) coded('store-failed')(reason);
  away.now = false;
  assert.deepEqual(await conversation.originals(), all.slice(0, 8));
  await conversation.append(all.slice(8));
  assert.deepEqual(await made({ store: place.store, id: 'c' }).originals(), all);
  for (const storeTimeoutMs of [0, -1, NaN, '40', {}]) assert.throws(() => made({ store, id: 'c', storeTimeoutMs }), coded('bad-argument'));
  for (const storeTimeoutMs of [Infinity, 2 ** 40]) assert.deepEqual(await made({ store, id: 'c', storeTimeoutMs }).originals(), all);
  await place.end();
});

test('what a store did after its time was over is done once', { skip }, async () => {
  const place = await freshStore();
  const late = { name: undefined, waits: [] };
  const hold = () => new Promise(() => {});
  // The write is done, or is under way, and nobody hears of it.
  const store = Object.fromEntries(['load', 'append', 'save', 'list', 'delete'].map((name) => [name, async (...args) => {
    if (late.name !== name) return place.store[name](...args);
    late.name = undefined;
    if (name === 'delete') return hold(late.waits.push(() => place.store.delete(...args)));
    await place.store[name](...args);
    return hold();
  }]));
  const all = turns(12).slice(0, 6);
  const conversation = made({ store, id: 'c', storeTimeoutMs: 40 });
  await conversation.append(all.slice(0, 4));
  late.name = 'append';
  await assert.rejects(conversation.append(all.slice(4)), coded('store-failed'));
  await conversation.append(all.slice(4));
  assert.deepEqual(await conversation.originals(), all);
  late.name = 'save';
  await assert.rejects(conversation.pop(), coded('store-failed'));
  assert.deepEqual(await conversation.pop(), all[5]);
  assert.deepEqual(await conversation.pop(), all[4]);
  assert.deepEqual(await made({ store: place.store, id: 'c' }).originals(), all.slice(0, 4));
  late.name = 'delete';
  await assert.rejects(conversation.clear(), coded('store-failed'));
  await conversation.clear();
  await conversation.append(all.slice(0, 2));
  assert.equal(late.waits.length, 1);
  // The first one comes at last: it deletes nothing of what was begun since.
  await Promise.allSettled(late.waits.map((write) => write()));
  await conversation.append(all.slice(2, 4));
  assert.deepEqual(await made({ store: place.store, id: 'c' }).originals(), all.slice(0, 4));
  await place.end();
});

test('of two folds at once the one that counts is told of', { skip }, async () => {
  const all = turns(40);
  for (const way of ['window', 'append']) {
    const place = await freshStore();
    const told = [];
    const options = (name, more) => ({ id: 'c', onCompaction: ({ fold }) => told.push([name, fold.id]), ...more });
    let first = true;
    const b = made(options('b', { store: place.another() }));
    const a = made(options('a', {
      store: place.store,
      summarize: async (...asked) => {
        // While this one waits for its summary the other server folds the same.
        if (first) first = void (await b.window(all));
        return OPTIONS.summarize(...asked);
      },
    }));
    if (way === 'window') await a.window(all);
    else await a.append(all);
    const { folds } = await made({ store: place.store, id: 'c' }).ledger();
    assert.equal(folds.length, 1, way);
    assert.deepEqual(told, [['b', folds[0].id]], way);
    assert.deepEqual(await a.messages(), await b.messages(), way);
    await place.end();
  }
});

test('a conversation that went back into folds is stored so, and can be gone on with', { skip }, async () => {
  const place = await freshStore();
  const all = turns(60);
  const options = { store: place.store, id: 'c', pins: RULES };
  let conversation = made(options);
  for (let n = 6; n <= all.length; n += 6) await conversation.window(all.slice(0, n));
  for (const at of [Math.floor(all.length / 2), 3, 0]) {
    const start = all.findLastIndex(({ content }, i) => i <= at && typeof content === 'string');
    const given = [...all.slice(0, start), request(`instead of ${start}`)];
    await conversation.window(given, { back: 'anywhere' });
    conversation = made(options);
    assert.deepEqual(await conversation.originals(), given);
    assert.deepEqual(withoutRules(await conversation.window(given)).at(-1), given.at(-1));
    for (let n = given.length; n < all.length; n += 6) await conversation.window([...given, reply('well'), ...all.slice(0, n)], { back: 'anywhere' });
  }
  // With other rules than before.
  const other = [{ ...RULES[0], value: 'Never push on a Friday.' }];
  const memory = await conversation.messages();
  const later = made({ ...options, pins: other });
  const window = await later.window(memory);
  assert.deepEqual(verifyPins(window, other).missing, []);
  assert.equal(window.filter(isRules).length, 1);
  assert.deepEqual(await later.originals(), await conversation.originals());
  await place.end();
});

test('a store that is sealed with a key goes on after it was cleared', { skip }, async () => {
  const link = await connect(await database.fresh());
  const conversation = made({ store: link.store({ key: 'a key of this test' }), id: 'c' });
  const all = turns(30);
  for (let round = 0; round < 2; round++) {
    for (let n = 6; n <= all.length; n += 6) await conversation.window(all.slice(0, n));
    assert.ok((await conversation.ledger()).folds.length > 0);
    await conversation.clear();
  }
  await link.end();
});

// --- what others took for granted -------------------------------------------------------------------------------------

test('messages of another conversation are refused, and nothing is forgotten', async () => {
  for (const withStore of database === undefined ? [false] : [false, true]) {
    const place = withStore ? await freshStore() : undefined;
    const kept = withStore ? { store: place.store, id: 'c' } : {};
    const conversation = made(kept);
    const all = turns(20);
    for (let n = 5; n <= all.length; n += 5) await conversation.window(all.slice(0, n));
    await conversation.window(all);
    const others = [request('Quite another matter.'), reply('Indeed.')];
    for (let tries = 0; tries < 2; tries++) {
      await assert.rejects(conversation.window(others), coded('conflict'));
      await assert.rejects(conversation.record(others), coded('conflict'));
      await assert.rejects(conversation.window([...all.slice(0, 4), request('instead')], { back: 'never' }), coded('conflict'));
      assert.deepEqual(await conversation.originals(), all);
    }
    // And it goes on, and back where it may.
    all.push(request('And now?'));
    await conversation.window(all);
    assert.deepEqual(await conversation.originals(), all);
    await conversation.window(others, { back: 'anywhere' });
    assert.deepEqual(await conversation.originals(), others);
    await place?.end();
  }
});

test('what is gone back from stays in the store, until the conversation is cleared', { skip }, async () => {
  const place = await freshStore();
  const conversation = made({ store: place.store, id: 'c' });
  const all = turns(30);
  for (let n = 5; n <= all.length; n += 5) await conversation.window(all.slice(0, n));
  await conversation.window(all);
  assert.ok((await conversation.ledger()).folds.length > 0);
  const early = [...all.slice(0, 3), request('rather this')];
  await conversation.window(early);
  assert.deepEqual((await conversation.originals()).map(json), early);
  const ids = (await place.store.list()).map(({ id }) => id);
  assert.equal(ids.length, 2);
  const left = await place.store.load(ids.find((id) => id.startsWith('c~left~')), { originals: true });
  assert.deepEqual(left.ledger.unfold(left.messages).map(json), all);
  // Others keep theirs.
  const other = made({ store: place.another(), id: 'c2' });
  await other.window(all.slice(0, 2));
  await conversation.clear();
  assert.deepEqual((await place.store.list()).map(({ id }) => id), ['c2']);
  await place.end();
});

test('a conversation that another server has cleared is not begun anew with its window', { skip }, async () => {
  const place = await freshStore();
  const conversation = made({ store: place.store, id: 'c' });
  const all = turns(30);
  let window;
  for (let n = 5; n <= all.length; n += 5) window = await conversation.window(all.slice(0, n));
  assert.ok((await conversation.ledger()).folds.length > 0);
  await place.another().delete('c');
  const next = [...window, request('And now?')];
  for (let tries = 0; tries < 2; tries++) await assert.rejects(conversation.window(next), coded('conflict'));
  assert.deepEqual((await place.store.load('c')).messages, []);
  await conversation.clear();
  await conversation.window([request('Anew.')]);
  assert.deepEqual(await conversation.originals(), [request('Anew.')]);
  await place.end();
});

test('where nothing could fold, a message more is enough to try again', async () => {
  const told = [];
  const conversation = made({ onCompaction: (fold) => told.push(fold) });
  const big = 'the soil is dry and the leaves hang. '.repeat(600);
  const all = [request('Look.'), frozen({ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] }), frozen({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: big }] })];
  await conversation.window(all);
  assert.equal(told.at(-1).outcome, 'unchanged');
  // Told each time that the window is over its budget.
  all.push(reply('That was a lot.'), request('Never mind.'));
  const window = await conversation.window(all);
  assert.ok(estimate(window, { format: 'anthropic' }).total <= WINDOW, told.map(({ outcome, reason }) => `${outcome} ${reason}`).join());
  assert.deepEqual(await conversation.originals(), all);
});

test('counts that cannot be are no counts', async () => {
  for (const input_tokens of [0, 1, 3, 1e6, 1e12, -5, NaN, Infinity, '1000', null]) {
    const told = [];
    const conversation = made({ onCompaction: (fold) => told.push(fold) });
    const all = turns(40);
    for (let n = 4; n <= all.length; n += 4) {
      const window = await conversation.window(all.slice(0, n), { usage: { input_tokens, output_tokens: 1 } });
      assert.ok(estimate(window, { format: 'anthropic' }).total <= WINDOW, `${input_tokens}: ${estimate(window, { format: 'anthropic' }).total} at ${n}, ${told.map(({ outcome, reason }) => outcome + ' ' + reason)}`);
    }
    const { folds } = await conversation.ledger();
    assert.ok(folds.length > 0 && folds.length < 20, `${input_tokens}: ${folds.length} folds`);
  }
});

test('a mark goes out on the message that has it, and on no other', async () => {
  const conversation = made();
  const go = request('go on');
  const all = Array.from({ length: 12 }, (_, i) => (i % 2 ? reply(`done ${i}`) : go));
  await conversation.window(all);
  const marked = frozen({ ...go, cache_control: { type: 'ephemeral' } });
  const given = all.with(4, marked);
  assert.deepEqual((await conversation.window(given)).map((message) => 'cache_control' in message), given.map((message) => message === marked));
});

test('listeners that fail later do no harm; refused rules are told', async () => {
  const admissions = [];
  const conversation = made({ onCompaction: async () => { throw new Error('later'); }, pins: RULES, admission: { maxPins: 1 }, onPins: (admission) => admissions.push(admission) });
  const all = turns(30);
  for (let n = 5; n <= all.length; n += 5) await conversation.window(all.slice(0, n));
  await soon();
  assert.ok((await conversation.ledger()).folds.length > 0);
  assert.deepEqual(admissions.map(({ pinned, refused }) => [pinned.length, refused.length]), [[1, 1]]);
});

test('a summarizer may read the conversation that it is to summarize', async () => {
  const seen = [];
  const conversation = made({ summarize: async () => (seen.push((await conversation.originals()).length, (await conversation.messages()).length), SUMMARY(1)) });
  const all = turns(30);
  for (let n = 5; n <= all.length; n += 5) await conversation.window(all.slice(0, n));
  assert.ok(seen.length > 0);
});

test('a window of a way that was left is refused: its summary would be all that is known of what folded', async () => {
  for (const withStore of database === undefined ? [false] : [false, true]) {
    const place = withStore ? await freshStore() : undefined;
    // With the first request in front of the digest it begins as the conversation does.
    const conversation = made({ anchorTask: true, ...(withStore ? { store: place.store, id: 'c' } : {}) });
    const all = turns(30);
    let left;
    for (let n = 5; n <= all.length; n += 5) left = await conversation.window(all.slice(0, n));
    left = await conversation.window(all);
    assert.ok((await conversation.ledger()).folds.length > 0);
    const early = [...all.slice(0, 3), request('rather this')];
    await conversation.window(early);
    for (let tries = 0; tries < 2; tries++) await assert.rejects(conversation.window([...left, request('and back')]), coded('conflict'));
    assert.deepEqual((await conversation.originals()).map(json), early);
    // All that was said is no such window.
    await conversation.window(all);
    assert.deepEqual((await conversation.originals()).map(json), all);
    assert.deepEqual((await conversation.ledger()).unfold(await conversation.messages()).map(json), all);
    await place?.end();
  }
});

test('what was left before a conversation was cleared does not come back', { skip }, async () => {
  const place = await freshStore();
  const state = { failing: 0 };
  const conversation = made({ store: shaky(place.store, new Random(3), state), id: 'c' });
  const all = turns(8);
  await conversation.window(all);
  state.failing = 1;
  await assert.rejects(conversation.window([...all.slice(0, 3), request('rather this')]), coded('store-failed'));
  state.failing = 0;
  await conversation.clear();
  await conversation.window([request('Anew.')]);
  assert.deepEqual((await place.store.list()).map(({ id }) => id), ['c']);
  await place.end();
});

test('rules that a conversation was kept with stay when they are left out of the options, and go when there are none', async () => {
  for (const withStore of database === undefined ? [false] : [false, true]) {
    const place = withStore ? await freshStore() : undefined;
    const all = turns(60);
    let kept = withStore ? { store: place.store, id: 'c' } : {};
    const resumed = async (conversation) => (withStore ? kept : { messages: json(await conversation.messages()), ledger: Ledger.from(json(await conversation.ledger())) });
    let conversation = made({ ...kept, pins: RULES });
    let n = 6;
    await conversation.window(all.slice(0, n));
    // Nothing is said of rules: through folds, back through one, and to the first request.
    for (const said of [30, 60, 90]) {
      kept = await resumed(conversation);
      conversation = made(kept);
      for (; n < Math.min(said, all.length - 3); n += 3) {
        const window = await conversation.window(all.slice(0, n));
        assert.deepEqual(verifyPins(window, RULES).missing, []);
        assert.equal(window.filter(isRules).length, 1);
        assert.deepEqual(check(window, { format: 'anthropic' }), []);
      }
    }
    assert.ok((await conversation.ledger()).folds.length > 0);
    for (const back of [20, 1]) {
      const window = await conversation.window([...all.slice(0, all.findLastIndex(({ content }, i) => i <= back && typeof content === 'string')), request('rather this')], { back: 'anywhere' });
      if (back > 1) assert.deepEqual(verifyPins(window, RULES).missing, [], `back to ${back}`);
    }
    await conversation.window(all.slice(0, 12), { back: 'anywhere' });
    // Other rules take their place, none take them out.
    for (const [pins, count] of [[RULES, 1], [[{ ...RULES[0], value: 'Never push on a Friday.' }], 1], [[], 0], [undefined, 0], [RULES, 1]]) {
      kept = await resumed(conversation);
      conversation = made({ ...kept, pins });
      const said = await conversation.originals();
      const window = await conversation.window([...said, request('on'), reply('well')]);
      assert.equal(window.filter(isRules).length, count, JSON.stringify(pins));
      if (pins !== undefined) assert.deepEqual(verifyPins(window, pins).missing, []);
      assert.deepEqual((await conversation.originals()).map(json), [...said, request('on'), reply('well')].map(json));
    }
    await place?.end();
  }
});

test('rules that stand alone in a store are no beginning: what is said behind them is stored', { skip }, async () => {
  const place = await freshStore();
  const first = made({ store: place.store, id: 'c', pins: RULES });
  await first.messages();
  await first.append([]);
  assert.equal((await place.store.load('c')).messages.length, 1);
  const second = made({ store: place.another(), id: 'c' });
  const all = turns(2);
  await second.window(all);
  const third = made({ store: place.another(), id: 'c' });
  assert.deepEqual((await third.originals()).map(json), all.map(json));
  await place.end();
});

test('of the ways that were left the latest stay in the store', { skip }, async () => {
  for (const [left, most] of [[undefined, 8], [3, 3], [1, 1], [0, 0], [Infinity, 20]]) {
    const place = await freshStore();
    const conversation = made({ store: place.store, id: 'c', left });
    const other = made({ store: place.another(), id: 'c~left' });
    await other.window([request('mine')]);
    const start = [request('Look at the beds.'), reply('All of them?')];
    for (let n = 0; n <= 20; n++) {
      await conversation.window([...start, request(`way ${n}`)]);
      await conversation.record([...start, request(`way ${n}`), reply(`answer ${n}`)]);
      const ids = (await place.store.list({ prefix: 'c~left~', limit: 1000 })).map(({ id }) => id);
      assert.equal(ids.length, Math.min(n, most), `${left}: ${ids}`);
      const said = [];
      for (const id of ids) said.push((await place.store.load(id)).messages.at(-1).content[0].text);
      const expected = Array.from({ length: n }, (_, i) => `answer ${i}`).slice(Math.max(0, n - most));
      assert.deepEqual(said.sort(), expected.sort(), 'the latest');
    }
    assert.deepEqual((await conversation.originals()).map(json), [...start, request('way 20'), reply('answer 20')]);
    assert.deepEqual(await made({ store: place.another(), id: 'c~left' }).originals(), [request('mine')]);
    await conversation.clear();
    assert.deepEqual((await place.store.list()).map(({ id }) => id), ['c~left']);
    await place.end();
  }
});

test('an old way is deleted when the new one is stored, and not before; where that fails nobody is told', { skip }, async () => {
  const place = await freshStore();
  const deeds = [];
  let failing = false;
  const store = new Proxy(place.store, { get: (target, key) => async (...args) => {
    deeds.push(`${key} ${args[0]}`);
    if (failing && key === 'delete') throw new PlicaError('store-failed', 'the database is gone for a moment');
    return target[key](...args);
  } });
  const conversation = made({ store, id: 'c', left: 1 });
  const start = [request('Look at the beds.'), reply('All of them?')];
  for (let n = 0; n < 2; n++) await conversation.window([...start, request(`way ${n}`)]);
  deeds.length = 0;
  await conversation.window([...start, request('way 2')]);
  assert.deepEqual(deeds.map((deed) => deed.replace(/~left~.*/, '~left~')), ['save c~left~', 'save c', 'list [object Object]', 'delete c~left~']);
  failing = true;
  await conversation.window([...start, request('way 3')]);
  assert.equal((await place.store.list({ prefix: 'c~left~' })).length, 2);
  failing = false;
  await conversation.window([...start, request('way 4')]);
  assert.equal((await place.store.list({ prefix: 'c~left~' })).length, 1);
  await place.end();
});

test('left must be a number', () => {
  for (const left of [-1, NaN, 'x', {}]) assert.throws(() => made({ left }), coded('bad-argument'));
});

test('a fold that was undone in memory alone is good again when the conversation is loaded', { skip }, async () => {
  const place = await freshStore();
  const state = { failing: 0 };
  const broken = new Proxy(place.store, { get: (target, key) => (state.failing && key === 'save' ? async () => Promise.reject(new PlicaError('store-failed', 'the database is gone for a moment')) : target[key]) });
  const conversation = made({ store: broken, id: 'c' });
  const all = turns(30);
  for (let n = 5; n <= all.length; n += 5) await conversation.window(all.slice(0, n));
  await conversation.window(all);
  assert.ok((await conversation.ledger()).folds.length > 0);
  const memory = await conversation.messages();
  // Taken off until a fold is undone, which cannot be stored.
  for (;;) {
    const { length } = (await conversation.ledger()).folds;
    state.failing = 1;
    await assert.rejects(conversation.pop(), coded('store-failed'));
    state.failing = 0;
    assert.equal((await conversation.ledger()).folds.length, length);
    const window = await conversation.messages();
    assert.deepEqual(await conversation.window(window), window, 'the window of now');
    if (!memory.includes(await conversation.pop()) || (await conversation.ledger()).folds.length < length) break;
  }
  await place.end();
});

test('each time that a window over its share goes out it is told', async () => {
  const all = [request('the soil is dry. '.repeat(3000))];
  let told = [];
  const big = made({ onCompaction: (made) => told.push(made) });
  for (let n = 0; n < 8; n++) {
    told = [];
    const window = await big.window([...all]);
    assert.deepEqual(told.map(({ outcome, reason }) => [outcome, reason]), [['unchanged', 'nothing-to-fold']], `call ${n}`);
    assert.deepEqual(told[0].messages, window);
  }
  // A summarizer that fails is left alone for a while, and what goes out is told all the same.
  let asked = 0;
  const failing = made({ fallback: 'none', floor: false, attempts: 1, onCompaction: (made) => told.push(made), summarize: () => {
    asked++;
    throw new Error('down');
  } });
  const talk = [];
  let times = 0;
  for (let n = 0; n < 60; n++) {
    talk.push(request(`go on ${n}`), reply('the soil is dry. '.repeat(20)));
    told = [];
    const window = await failing.window([...talk]);
    const { total } = estimate(window, { format: 'anthropic' });
    if (total > 0.8 * WINDOW) {
      times++;
      assert.deepEqual(told.map(({ outcome, reason }) => [outcome, reason]), [['unchanged', 'summarizer-failed']], `${n}`);
      assert.deepEqual([told[0].messages.length, told[0].tokens.after], [window.length, total]);
    } else assert.deepEqual(told, []);
  }
  assert.ok(times > 10 && asked < times, `${asked} of ${times}`);
});

test('an abort is heard at once: behind other calls', async () => {
  let open;
  const held = new Promise((resolve) => (open = resolve));
  const conversation = made({ summarize: async () => (await held, SUMMARY(1)) });
  const all = turns(30);
  const folding = conversation.window(all);
  const controller = new AbortController();
  const waiting = conversation.window([...all, request('never')], { signal: controller.signal });
  const appending = conversation.append([request('never')], { signal: controller.signal });
  const reason = new Error('enough');
  queueMicrotask(() => controller.abort(reason));
  for (const call of [waiting, appending]) await assert.rejects(call, (error) => error === reason);
  // One that is aborted already does not wait either.
  await assert.rejects(conversation.window(all, { signal: controller.signal }), (error) => error === reason);
  // Without a reason it is an AbortError.
  const listeners = new Set();
  const bare = { aborted: false, addEventListener: (_, listener) => listeners.add(listener), removeEventListener: (_, listener) => listeners.delete(listener) };
  const unnamed = conversation.window(all, { signal: bare });
  bare.aborted = true;
  for (const listener of [...listeners]) listener();
  await assert.rejects(unnamed, { name: 'AbortError' });
  await assert.rejects(conversation.window(all, { signal: bare }), { name: 'AbortError' });
  assert.equal(listeners.size, 0);
  open();
  await folding;
  assert.deepEqual(await conversation.originals(), all, 'what had not begun has never begun');
});

test('an abort is heard at once: before a store that does not answer, which others do not wait for', { skip }, async () => {
  for (const way of ['window', 'append']) {
    for (const isDone of [false, true]) {
      const place = await freshStore();
      const state = { hangs: false };
      const store = new Proxy(place.store, { get: (target, key) => async (...args) => {
        if (!state.hangs) return target[key](...args);
        if (isDone) await target[key](...args);
        return new Promise(() => {});
      } });
      const conversation = made({ store, id: 'c' });
      const all = turns(4);
      await conversation.window(all);
      state.hangs = true;
      const controller = new AbortController();
      const more = [request('And now?')];
      const call = way === 'append' ? conversation.append(more, { signal: controller.signal }) : conversation.window([...all, ...more], { signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 20);
      const start = Date.now();
      await assert.rejects(call, /enough/);
      assert.ok(Date.now() - start < 800, `${Date.now() - start} ms`);
      state.hangs = false;
      assert.deepEqual((await conversation.originals()).map(json), (isDone ? [...all, ...more] : all).map(json));
      // And once more, which says it once.
      if (way === 'append') await conversation.append(more);
      else await conversation.window([...all, ...more]);
      assert.deepEqual((await place.store.load('c', { originals: true }).then(unfolded)).map(json), [...all, ...more].map(json));
      await place.end();
    }
  }
});

test('an id for which nothing that is left could be named is refused at once', { skip }, async () => {
  const place = await freshStore();
  const id = 'x'.repeat(473);
  for (const more of [1, 39]) assert.throws(() => made({ store: place.store, id: id + 'x'.repeat(more) }), coded('bad-argument'));
  const conversation = made({ store: place.store, id });
  await conversation.window([request('first'), reply('well'), request('second')]);
  await conversation.window([request('first'), reply('well'), request('instead')]);
  assert.equal((await place.store.list()).length, 2);
  // Where none is kept there is nothing to name.
  await made({ store: place.store, id: `${id}${'y'.repeat(39)}`, left: 0 }).window([request('first')]);
  await place.end();
});

test('which ways back there are may be said by what would be left', async () => {
  const conversation = made();
  const back = (left) => left.every(({ role }) => role === 'user');
  await conversation.window([request('first'), reply('well'), request('failed'), request('again')], { back });
  await conversation.window([request('first'), reply('well'), request('other')], { back });
  assert.deepEqual(await conversation.originals(), [request('first'), reply('well'), request('other')]);
  await assert.rejects(conversation.window([request('first'), request('other')], { back }), coded('conflict'));
  await assert.rejects(conversation.window([request('quite another')], { back }), coded('conflict'));
  assert.deepEqual(await conversation.originals(), [request('first'), reply('well'), request('other')]);
  const unanswered = made();
  await unanswered.window([request('failed')], { back });
  await unanswered.window([request('instead')], { back });
  assert.deepEqual(await unanswered.originals(), [request('instead')]);
});
