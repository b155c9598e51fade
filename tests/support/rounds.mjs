// SPDX-License-Identifier: MIT OR Apache-2.0
//
// In a process of its own: transcripts by the thousand, and what memory of the core they take.
//
//   node --expose-gc rounds.mjs <folder of the package> <job> <transcripts> <rounds of each>

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setImmediate } from 'node:timers/promises';

const instances = [];
let taken = 0;
const Real = WebAssembly.Instance;
WebAssembly.Instance = function (module, imports) {
  const instance = new Real(module, imports);
  const exports = { ...instance.exports };
  const counted = (name, by) => {
    const real = exports[name];
    if (real === undefined) throw new Error(`the core exports no ${name}`);
    exports[name] = (...args) => {
      taken += by;
      return real(...args);
    };
  };
  counted('transcriptNew', 1);
  counted('transcriptFork', 1);
  counted('transcriptFree', -1);
  instances.push(exports);
  return { exports };
};

const [from, job, transcripts, each] = process.argv.slice(2);
const dist = from.endsWith('dist') ? from : join(from, 'dist');
const { Transcript, digestMessage, fingerprint, plan } = await import(pathToFileURL(join(dist, 'index.js')).href);
const format = 'openai-chat';
const turn = (i) => [{ role: 'user', content: `question ${i} ${'word '.repeat(i % 20)}` }, { role: 'assistant', content: `answer ${i}` }];
const digest = digestMessage('GOAL: x', { format });
const size = () => instances.at(-1).memory.buffer.byteLength;

/** Append, plan, commit; over and over. */
function work(n) {
  const t = new Transcript({ format, window: 1000 });
  for (let i = 0; i < n; i++) {
    t.append(turn(n + i)).append(turn(i));
    const p = t.plan({ tailBudget: 30 });
    if (p.kind !== 'fold') throw new Error(`no fold in round ${i}`);
    t.commit(p, digest, { retention: 'discard' });
    if (i % 10 === 9) t.usage({ inputTokens: 500 + i }).fork().free();
  }
  return t;
}

const jobs = {
  async free() {
    const n = Number(each);
    const start = performance.now();
    for (let i = 0; i < 40; i++) work(n).free();
    const warm = size();
    for (let i = 40; i < Number(transcripts); i++) work(n).free();
    return { made: Number(transcripts) * n, warm, end: size(), live: taken, ms: performance.now() - start };
  },
  async collect() {
    const wrong = [];
    const kept = new Transcript({ format }).append([...turn(1), ...turn(2)]);
    const want = JSON.stringify(kept.plan({ tailBudget: 0 }));
    let warm;
    for (let round = 0; round < Number(transcripts); round++) {
      for (let i = 0; i < Number(each); i++) {
        const t = new Transcript({ format }).append(Array.from({ length: 20 }, (_, k) => turn(k)).flat());
        if (i % 3 === 0) t.fork();
      }
      await setImmediate();
      globalThis.gc();
      await setImmediate();
      globalThis.gc();
      await setImmediate();
      if (round === 9) warm = size();
    }
    if (JSON.stringify(kept.plan({ tailBudget: 0 })) !== want) wrong.push('one that was held answers otherwise');
    return { live: taken, warm, end: size(), wrong };
  },
  async refused() {
    const wrong = [];
    const others = [];
    const fail = (t) => {
      try {
        t.append([{ type: 'tool_results', results: [] }]);
        wrong.push('not refused');
      } catch (error) {
        if (error.code !== 'format-undetected') wrong.push(String(error));
      }
    };
    for (let i = 0; i < Number(transcripts); i++) {
      (() => fail(new Transcript().append(turn(i))))();
      others.push(new Transcript({ format }).append([...turn(i), ...turn(i + 1)]));
    }
    for (let i = 0; i < 3; i++) {
      await setImmediate();
      globalThis.gc();
    }
    await setImmediate();
    others.forEach((t, i) => {
      try {
        if (JSON.stringify(t.plan({ tailBudget: 0 })) !== JSON.stringify(plan(t.messages(), { format, tailBudget: 0 }))) wrong.push(`another plan of ${i}`);
      } catch (error) {
        wrong.push(`${i}: ${error}`);
      }
    });
    return { wrong: wrong.slice(0, 5) };
  },
  async large() {
    const wrong = [];
    const t = work(5);
    t.append([...turn(5), ...turn(6)]).usage({ inputTokens: 777, outputTokens: 3 });
    const look = () => JSON.stringify({ tokens: t.tokens, due: t.due(), calibration: t.calibration, plan: t.plan({ tailBudget: 0 }), messages: t.messages(), ledger: t.ledger });
    const before = look();
    const p = t.plan({ tailBudget: 0 });
    fingerprint('x'.repeat(300 * 2 ** 20));
    if (look() !== before) wrong.push('other answers');
    fingerprint('x'.repeat(300 * 2 ** 20));
    const fork = t.fork();
    if (fork.tokens !== t.tokens) wrong.push('another fork');
    t.commit(p, digest);
    t.free();
    fork.free();
    return { wrong, instances: instances.length };
  },
};

console.log(JSON.stringify(await jobs[job]()));
