// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Runs of plica/ai-sdk at the same time, in any order: a loop of steps is played at random as versions 6 and 7 of the AI SDK have it,
// generating and streaming, aborted now and then. The answers of one run never stand behind another's request, and what was
// recorded by a run of its own stays. PLICA_SEEDS=n tries so many seeds a case.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { faultsOnly } from './support/validate.mjs';
import { loaded } from './support/package.mjs';
import { Random } from './support/random.mjs';

const { foldSteps } = await import(pathToFileURL([join(loaded.from, 'dist/ai-sdk.js'), join(loaded.from, 'ai-sdk.js')].find(existsSync)).href);

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
