// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A ledger and a window that another process wrote, read here and gone on with.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { forEachEntry, loadPackage } from './support/package.mjs';

const { from } = await loadPackage();
const MODULE = pathToFileURL(join(from, process.env.PLICA_DIST ? 'index.js' : 'dist/index.js')).href;

/** Runs in the other process; prints what was said, the window and the ledger. */
const WRITER = `
  import { Ledger, plan, fold, digestMessage } from ${JSON.stringify(MODULE)};
  const format = 'openai-chat';
  const ledger = new Ledger({ key: 'k' });
  const said = [{ role: 'system', content: 'S' }];
  let window = [...said];
  for (let n = 0; n < 4; n++) {
    const more = Array.from({ length: 8 }, (_, i) => (i % 2
      ? { role: 'assistant', content: 'answer ' + n + '.' + i + ' é 🙂 \\u2028', n: 1.0, deep: { list: [n, null, { z: 1, a: 2 }] } }
      : { content: 'question ' + n + '.' + i, role: 'user', at: '2026-01-0' + (n + 1) }));
    said.push(...more);
    window.push(...more);
    const p = plan(window, { format, tailBudget: 60, ledger });
    const digest = digestMessage('GOAL: part ' + n, { format });
    ledger.record({ messages: window, plan: p, digest });
    window = fold(window, p, digest);
  }
  console.log(JSON.stringify({ said, window, ledger }));
`;
const written = execFileSync(process.execPath, ['--input-type=module', '-e', WRITER], { encoding: 'utf8', maxBuffer: 1 << 26 });

forEachEntry((entry, plica) => {
  const { Ledger } = plica;
  const more = [{ role: 'user', content: 'since' }, { role: 'assistant', content: 'then' }];

  test(`${entry}: what another process folded unfolds here`, () => {
    const { said, window, ledger: json } = JSON.parse(written);
    const ledger = Ledger.from(json, { key: 'k' });
    assert.equal(ledger.folds.length, 4);
    for (const given of [window, structuredClone(window), JSON.parse(JSON.stringify(window)), Object.freeze([...window])]) {
      assert.deepEqual(ledger.missing(given), []);
      assert.deepEqual(ledger.unfold(given), said);
      assert.deepEqual(ledger.unfold([...given, ...more]), [...said, ...more]);
    }
    // And gone on with.
    const going = [...window, ...more];
    const format = 'openai-chat';
    const p = plica.plan(going, { format, tailBudget: 10, ledger });
    const digest = plica.digestMessage('GOAL: here', { format });
    ledger.record({ messages: going, plan: p, digest });
    const back = Ledger.from(JSON.parse(JSON.stringify(ledger)), { key: 'k' });
    const last = structuredClone(plica.fold(going, p, digest));
    assert.deepEqual(back.unfold([...last, ...more]), [...said, ...more, ...more]);
    assert.deepEqual(back.missing(last), []);
  });

  test(`${entry}: of references the other process's originals`, () => {
    const { said, window, ledger: json } = JSON.parse(written);
    const full = Ledger.from(json, { key: 'k' });
    const bare = new Ledger();
    // The same folds, by reference.
    for (const fold of full.folds) bare.addFold(full.takenBy.get(fold), { id: fold.id, record: fold.record, retention: 'reference' });
    const read = Ledger.from(JSON.parse(JSON.stringify(bare)));
    assert.deepEqual(read.missing(structuredClone(window)).sort(), full.folds.map((f) => f.id).sort());
    const originals = JSON.parse(JSON.stringify([...said, ...more]));
    assert.deepEqual(read.unfold([...window, ...more], { originals }), [...said, ...more]);
  });
});
