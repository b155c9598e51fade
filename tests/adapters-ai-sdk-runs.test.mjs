// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs of plica/ai-sdk at the same time, in any order: a loop of steps is played at random as versions 6 and 7 of the AI SDK have it,
// generating and streaming, aborted now and then. The answers of one run never stand behind another's request, and what was
// recorded by a run of its own stays. PLICA_SEEDS=n tries so many seeds a case.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { closeDatabases, connect, openDatabases } from './support/databases.mjs';
import { faultsOnly } from './support/validate.mjs';
import { loaded } from './support/package.mjs';
import { Random } from './support/random.mjs';

const { foldSteps } = await import(pathToFileURL([join(loaded.from, 'dist/ai-sdk.js'), join(loaded.from, 'ai-sdk.js')].find(existsSync)).href);

const database = openDatabases().find(({ name, why }) => why === undefined && /sqlite/.test(name));
const skip = database === undefined && 'no SQLite is to be had';
after(closeDatabases);

const SEEDS = Number(process.env.PLICA_SEEDS ?? 20);
const user = (name) => ({ role: 'user', content: name });
const answer = (name, n) => ({ role: 'assistant', content: [{ type: 'text', text: `${name} answers ${n}` }] });
const call = (name, n) => [
  { role: 'assistant', content: [{ type: 'text', text: `${name} answers ${n}` }, { type: 'tool-call', toolCallId: `${name}-${n}`, toolName: 'look', input: {} }] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: `${name}-${n}`, toolName: 'look', output: { type: 'text', value: `${name} sees ${'leaves and stones '.repeat(20)}` } }] },
];
const nameIn = (message) => /r\d+/.exec(JSON.stringify(message))[0];

/** One run, as the AI SDK makes it. */
class Loop {
  constructor(name, random, { version, streaming, own }) {
    Object.assign(this, { name, random, version, streaming, own });
    this.length = 1 + random.below(4);
    this.hearing = random.chance(0.6);
    this.aborted = random.chance(0.2) ? random.below(this.length) : -1;
    this.said = [];
  }

  async pause() {
    for (let n = this.random.below(4); n > 0; n--) await soon();
  }

  async run(folding) {
    const run = this.own ? folding.run() : folding;
    const first = [...(await folding.messages()), user(this.name)];
    this.said.push(user(this.name));
    const steps = [];
    let [messages, all] = [first, []];
    for (let n = 0; n < this.length; n++) {
      await this.pause();
      const prepared = await run.prepareStep({ messages, steps, stepNumber: n, ...(this.version === 7 ? { initialMessages: first } : {}) });
      assert.deepEqual(faultsOnly(prepared.messages, 'ai-sdk'), []);
      await this.pause();
      if (n === this.aborted) throw Object.assign(new Error('aborted'), { steps });
      const made = n < this.length - 1 ? call(this.name, n) : [answer(this.name, n)];
      this.said.push(...made);
      all = [...all, ...made];
      const step = { usage: {}, response: { messages: this.version === 6 ? all : made } };
      if (!this.streaming) steps.push(step);
      // The AI SDK ignores what it throws.
      if (this.hearing) await run.onStepFinish(step).catch(() => {});
      if (this.streaming) steps.push(step);
      messages = this.version === 6 ? [...first, ...all] : [...prepared.messages, ...made];
    }
    await this.pause();
    for (let times = 1 + this.random.below(2); times > 0; times--) await run.record({ steps });
  }
}

/** Behind each request there is nothing but what its own run said, in order. */
function unmixed(log, loops) {
  let block = [];
  for (const message of log) {
    if (message.role === 'user') block = [];
    block.push(message);
    const { said } = loops.get(nameIn(block[0]));
    assert.deepEqual(block, said.slice(0, block.length), `behind ${nameIn(block[0])}: ${nameIn(message)}`);
  }
}

for (const version of [6, 7]) {
  for (const streaming of [false, true]) {
    for (const kind of ['of the folding', 'of their own', 'of both kinds']) {
      test(`version ${version}, ${streaming ? 'streamed' : 'generated'}, runs ${kind}: none is mixed with another`, async () => {
        let [done, told] = [0, 0];
        for (let seed = 0; seed < SEEDS; seed++) {
          const random = new Random(seed * 31 + version);
          const folding = foldSteps({ window: 3000, minGain: 0, onCompaction: () => {} });
          const loops = new Map();
          const recorded = [];
          const add = (own) => {
            const loop = new Loop(`r${loops.size}`, random, { version, streaming, own });
            loops.set(loop.name, loop);
            return loop;
          };
          const tell = async (loop) => {
            try {
              await loop.run(folding);
              recorded.push(loop);
              done++;
            } catch (error) {
              if (error.message === 'aborted') return;
              assert.equal(error.code, 'conflict', error.stack);
              told++;
            }
          };
          for (let round = 0; round < 4; round++) {
            const own = () => kind === 'of their own' || (kind === 'of both kinds' && random.chance(0.5));
            await Promise.all(Array.from({ length: 1 + random.below(3) }, () => tell(add(own()))));
            unmixed(await folding.originals(), loops);
          }
          if (kind === 'of their own') {
            const log = (await folding.originals()).map((message) => JSON.stringify(message));
            for (const { said } of recorded) for (const message of said) assert.ok(log.includes(JSON.stringify(message)), `seed ${seed}: what was recorded stays`);
          }
          // Alone, a run always goes on, whatever was before it.
          const last = add(kind !== 'of the folding');
          last.aborted = -1;
          await last.run(folding);
          const log = await folding.originals();
          unmixed(log, loops);
          assert.deepEqual(log.slice(-last.said.length), last.said);
        }
        assert.ok(done >= SEEDS && told >= SEEDS / 4, `${done} done, ${told} told`);
      });
    }
  }
}

// --- runs of their own ------------------------------------------------------------------------------------------------

const coded = (code) => (error) => {
  assert.equal(error?.code, code, `${error?.stack}`);
  return true;
};
const said = (text) => ({ role: 'assistant', content: [{ type: 'text', text }] });
const SUMMARY = 'GOAL: tend the beds\nSTATE: seeds are in the ground\nNEXT: water them';

/** A promise and how to settle it. */
function deferred() {
  const out = {};
  out.promise = new Promise((resolve) => (out.resolve = resolve));
  return out;
}

/** One step, and its answer. */
async function turn(run, messages, text = 'well') {
  const steps = [];
  const prepared = await run.prepareStep({ messages, steps });
  steps.push({ usage: {}, response: { messages: [said(text)] } });
  await run.record({ steps });
  return prepared;
}

/** A conversation that a fold is due in, the window of which can be read while its summary is waited for. */
function held() {
  const [asked, open] = [deferred(), deferred()];
  const summarize = async () => {
    asked.resolve();
    await open.promise;
    return SUMMARY;
  };
  const beginning = Array.from({ length: 4 }, (_, n) => [user(`question ${n}`), said('leaves and stones '.repeat(120))]).flat();
  return { asked, open, summarize, beginning };
}

test('a run of its own never takes the conversation back, however often it is tried', async () => {
  const folding = foldSteps({ window: 100_000 });
  await turn(folding, [user('first')]);
  const [a, b] = [folding.run(), folding.run()];
  const base = await folding.messages();
  await turn(a, [...base, user('a')]);
  for (let tries = 0; tries < 3; tries++) {
    await assert.rejects(turn(b, [...base, user('b')]), coded('conflict'));
    await assert.rejects(b.record([...base, user('b')]), coded('conflict'));
    await assert.rejects(turn(folding.run(), [...base, user('b')]), coded('conflict'));
  }
  assert.deepEqual(await folding.originals(), [user('first'), said('well'), user('a'), said('well')]);
  await turn(b, [...(await folding.messages()), user('b')]);
  assert.deepEqual((await folding.originals()).slice(-2), [user('b'), said('well')]);
  // The folding's own prepareStep does.
  await turn(folding, [...base, user('anew')]);
  assert.deepEqual(await folding.originals(), [user('first'), said('well'), user('anew'), said('well')]);
});

test('what a run of its own handed over goes through when it is tried again', async () => {
  const folding = foldSteps({ window: 100_000 });
  await turn(folding, [user('first')]);
  const messages = [...(await folding.messages()), user('second')];
  const run = folding.run();
  for (let tries = 0; tries < 3; tries++) await run.prepareStep({ messages: structuredClone(messages), steps: [] });
  await folding.run().prepareStep({ messages, steps: [] });
  await turn(run, await folding.messages());
  assert.deepEqual(await folding.originals(), [user('first'), said('well'), user('second'), said('well')]);
});

test('messages that were fetched while a fold was under way take nothing back', async () => {
  const { asked, open, summarize, beginning } = held();
  const folding = foldSteps({ window: 2000, summarize });
  await folding.record(beginning);
  const x = folding.run().prepareStep({ messages: [...(await folding.messages()), user('x')], steps: [] });
  await asked.promise;
  const b = folding.run();
  const asking = b.prepareStep({ messages: [...(await folding.messages()), user('b')], steps: [] });
  const a = folding.run();
  const early = await folding.messages();
  open.resolve();
  await Promise.all([x, asking]);
  await assert.rejects(turn(a, [...early, user('a')]), coded('conflict'));
  await b.onStepFinish({ response: { messages: [said('b says')] } });
  assert.deepEqual((await folding.originals()).slice(-3), [user('x'), user('b'), said('b says')]);
});

test('a run that was made before the conversation was cleared is told at its first step', async () => {
  const folding = foldSteps({ window: 100_000 });
  await turn(folding, [user('secret')]);
  const run = folding.run();
  const base = await folding.messages();
  await folding.clear();
  await assert.rejects(run.prepareStep({ messages: [...base, user('next')], steps: [] }), coded('conflict'));
  await assert.rejects(run.record([...base, user('next')]), coded('conflict'));
  assert.deepEqual(await folding.originals(), []);
  await turn(folding.run(), [user('anew')]);
  assert.deepEqual(await folding.originals(), [user('anew'), said('well')]);
});

test('two servers: what one has acknowledged no run of the other takes back', { skip }, async () => {
  const link = await connect(await database.fresh());
  const { asked, open, summarize, beginning } = held();
  const one = foldSteps({ window: 2000, summarize: () => SUMMARY, store: link.store(), id: 'c' });
  const two = foldSteps({ window: 2000, summarize, store: link.store(), id: 'c' });
  await two.record(beginning);
  const x = two.run().prepareStep({ messages: [...(await two.messages()), user('x')], steps: [] });
  x.catch(() => {});
  await asked.promise;
  const run = two.run();
  const early = await two.messages();
  await turn(one.run(), [...(await one.messages()), user('acknowledged')]);
  open.resolve();
  await assert.rejects(x, coded('conflict'));
  await two.messages();
  await assert.rejects(turn(run, [...early, user('unknowing')]), coded('conflict'));
  const all = await foldSteps({ window: 2000, store: link.store(), id: 'c' }).originals();
  assert.deepEqual(all.slice(-3), [user('x'), user('acknowledged'), said('well')]);
  assert.deepEqual((await link.store().list()).map(({ id }) => id), ['c']);
  await link.end();
});

test('two servers: who reads what was said has not gone on from it', { skip }, async () => {
  const link = await connect(await database.fresh());
  const [one, two] = [0, 0].map(() => foldSteps({ window: 20_000, store: link.store(), id: 'c' }));
  await turn(one, [user('first')]);
  const stale = await two.messages();
  await turn(one, [...(await one.messages()), user('acknowledged')]);
  for (let tries = 0; tries < 4; tries++) {
    await assert.rejects(turn(two, [...stale, user('unknowing')]), coded('conflict'));
    // A log, a page.
    await two.originals();
    await two.ledger();
  }
  assert.equal((await one.originals()).length, 4);
  await turn(two, [...(await two.messages()), user('knowing')]);
  assert.deepEqual((await two.originals()).slice(-3), [said('well'), user('knowing'), said('well')]);
  await link.end();
});

test('a run that is refused changes nothing: counts, folds and what is prepared stay', { skip }, async () => {
  const tokens = (value) => Math.ceil(JSON.stringify(value).length / 4);
  // Schemas that nobody tells of.
  const BESIDE = 1500;
  const seen = { true: [], false: [] };
  for (const disturbed of [false, true]) {
    const link = await connect(await database.fresh());
    let cancelled = 0;
    const summarize = (_request, { signal }) => new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        cancelled++;
        reject(signal.reason);
      });
      setTimeout(resolve, 5, SUMMARY);
    });
    const folding = foldSteps({ window: 4000, prepareAt: 0.6, summarize, store: link.store(), id: 'c' });
    const disturb = async () => {
      if (disturbed) await assert.rejects(folding.run().prepareStep({ messages: [user('from elsewhere')], steps: [] }), coded('conflict'));
    };
    for (let n = 0; n < 30; n++) {
      const run = folding.run();
      const steps = [];
      const { messages } = await run.prepareStep({ messages: [...(await folding.messages()), user(`request ${n}`)], steps });
      const inputTokens = tokens(messages) + BESIDE;
      seen[disturbed].push(inputTokens);
      await disturb();
      steps.push({ usage: { inputTokens, outputTokens: 60 }, response: { messages: [said('word '.repeat(60))] } });
      await run.record({ steps });
      await disturb();
      // What is prepared is ready, in both.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(cancelled, 0);
    assert.ok(Math.max(...seen[disturbed]) <= 4000, seen[disturbed].join());
    await link.end();
  }
  assert.deepEqual(seen.true, seen.false);
});
