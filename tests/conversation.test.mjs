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
    if (random.chance(0.1)) return void (await this.conversation.record(given));
    const window = await this.conversation.window(given, { signal: own.signal, ...usage });
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
      await this.conversation.window(this.memory);
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
    await this.conversation.window(this.memory.map((message) => this.copied(message))).catch(coded('conflict'));
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
