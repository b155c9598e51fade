// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A server of its own, for the tests of the store: `node store-process.mjs JSON`, where the JSON says which.
//
//   { act: "write", place, id }                 goes on with the story of store-story.mjs for ever; prints each step that is stored
//   { act: "race", place, id, name, rounds, seed }  appends messages of its own to a conversation that others write, and folds it now
//                                               and then; prints what it appended and how often it was told that another won
//   { act: "hold", place, ms }                  locks a SQLite database for so long; prints a line when it has it, and one behind it

import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from './databases.mjs';
import { loaded } from './package.mjs';
import { Random } from './random.mjs';
import { said, tell } from './store-story.mjs';

const { PlicaError, digestMessage, Transcript } = loaded.esm;
const task = JSON.parse(process.argv[2]);
const link = await connect(task.place);
const store = link.store();
await { write, race, hold }[task.act](task);
await link.end();

async function write({ id }) {
  let { version, ...story } = await store.load(id, { originals: true });
  for (let step = story.ledger.unfold(story.messages).length / 2; ; step++) {
    const next = tell(story, step);
    version = next.folded ? await store.save(id, next, { version }) : await store.append(id, said(step), { version });
    story = next;
    writeSync(1, `${step}\n`);
  }
}

async function hold({ ms }) {
  link.client.exec('BEGIN EXCLUSIVE');
  writeSync(1, 'held\n');
  await sleep(ms);
  link.client.exec('COMMIT');
  writeSync(1, 'free\n');
}

async function race({ id, name, rounds, seed }) {
  const r = new Random(seed);
  const appended = [];
  let conflicts = 0;
  for (let round = 0; round < rounds; ) {
    const own = Array.from({ length: 1 + r.below(3) }, (_, i) => ({ role: r.chance(0.5) ? 'user' : 'assistant', content: `${name} ${appended.length + i}` }));
    try {
      const { messages, ledger, version } = await store.load(id);
      const transcript = Transcript.restore(messages, ledger, { format: 'openai-chat' });
      transcript.append(own);
      // Others run meanwhile, now and then.
      if (r.chance(0.5)) await sleep(r.below(3));
      const p = transcript.length > 12 || r.chance(0.1) ? transcript.plan({ tailBudget: 10 + r.below(60) }) : { kind: 'none' };
      if (p.kind === 'none') await store.append(id, own, { version });
      else {
        transcript.commit(p, digestMessage(`GOAL: by ${name}, round ${round}`, { format: 'openai-chat' }));
        await store.save(id, transcript, { version });
      }
      transcript.free();
      for (const { content } of own) appended.push(content);
      round++;
    } catch (error) {
      if (!(error instanceof PlicaError) || !['conflict', 'store-busy'].includes(error.code)) throw error;
      conflicts++;
    }
  }
  process.stdout.write(JSON.stringify({ appended, conflicts }));
}
