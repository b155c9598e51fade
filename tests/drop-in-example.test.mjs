// SPDX-License-Identifier: MIT OR Apache-2.0
//
// examples/drop-in: an application written against an old module says the same with plica in its place; what plica wrote the old module
// reads.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as old from '../examples/drop-in/old-module.mjs';
import { forEachEntry, loaded } from './support/package.mjs';

const EXAMPLE = join(dirname(fileURLToPath(import.meta.url)), '../examples/drop-in');
const OLD_LINE = 'from "./old-module.mjs";';
const folder = mkdtempSync(join(tmpdir(), 'plica-drop-in-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const source = readFileSync(join(EXAMPLE, 'app.mjs'), 'utf8');
const run = (app, ...args) => execFileSync(process.execPath, [app, ...args], { encoding: 'utf8' });

/** The application with one line changed. */
function swapped() {
  assert.equal(source.split(OLD_LINE).length, 2);
  const module = pathToFileURL(join(loaded.from, process.env.PLICA_DIST ? 'index.js' : 'dist/index.js')).href;
  const app = join(folder, 'app.mjs');
  writeFileSync(app, source.replace(OLD_LINE, `from ${JSON.stringify(module)};`));
  copyFileSync(join(EXAMPLE, 'orchard.json'), join(folder, 'orchard.json'));
  return app;
}

test('the application says the same with plica, word for word', () => {
  const before = run(join(EXAMPLE, 'app.mjs'));
  assert.equal(run(swapped()), before);
  assert.match(before, /5 messages stand for 13, 10 are kept in folds/);
});

forEachEntry((entry, plica) => {
  const { Ledger, digestMessage, fold, plan } = plica;
  const stored = () => JSON.parse(readFileSync(join(EXAMPLE, 'orchard.json'), 'utf8'));

  test(`${entry}: what the old application stored is a ledger, and goes on as one`, () => {
    const { conversation } = stored();
    const ledger = Ledger.fromFolded(conversation, conversation.messages);
    assert.equal(ledger.folds.length, 3);
    assert.deepEqual(ledger.missing(conversation.messages), [ledger.folds[0].id]);
    const lost = Array.from({ length: 40 }, (_, i) => ({ role: 'user', content: `of spring ${i}` }));
    const all = ledger.unfold(conversation.messages, { originals: lost });
    assert.deepEqual(all.slice(0, 40), lost);
    assert.equal(all.length, 52);
  });

  test(`${entry}: what plica stored the old module and the application read`, () => {
    const { conversation, facts } = stored();
    const ledger = Ledger.fromFolded(conversation, conversation.messages);
    let window = [...conversation.messages, { role: 'user', content: 'And the cider?' }, { role: 'assistant', content: 'In the press since noon.' }];
    for (const summary of ['GOAL: the harvest is in', 'GOAL: the cider']) {
      const p = plan(window, { format: 'agentfootprint', tailBudget: 20, ledger });
      assert.equal(p.kind, 'fold');
      const digest = digestMessage(summary, { format: 'agentfootprint' });
      ledger.record({ messages: window, plan: p, digest });
      window = [...fold(window, p, digest), { role: 'user', content: 'Good.' }, { role: 'assistant', content: `Noted: ${summary}.` }];
    }
    const written = { messages: window, folded: ledger.toFolded(window, { runId: 'run-3', model: 'm', now: 5 }) };
    const file = join(folder, `${entry}.json`);
    writeFileSync(file, JSON.stringify({ conversation: written, facts }));
    const said = run(join(EXAMPLE, 'app.mjs'), file);
    assert.equal(run(swapped(), file), said);
    assert.match(said, /How many crates\?/);
    assert.match(said, /In the press since noon\./);
    const reread = JSON.parse(readFileSync(file, 'utf8')).conversation;
    for (const message of reread.messages) {
      assert.deepEqual(old.foldedSpanFor(reread, message), plica.foldedSpanFor(reread, message));
      assert.equal(old.isCompactedSummary(message), plica.isCompactedSummary(message));
    }
    assert.deepEqual(old.foldedMessages(reread), plica.foldedMessages(reread));
  });

  test(`${entry}: the old module and plica agree on facts`, () => {
    const { facts } = stored();
    const now = Date.parse('2026-03-04T05:06:07Z');
    const bare = ({ warnings, findings: _, ...rest }) => ({ ...rest, warnings: warnings.length });
    for (const some of [facts, [], facts.slice(2), Array.from({ length: 60 }, (_, i) => ({ ...facts[i % 10], key: `k${i}`, kind: 'note' }))]) {
      assert.deepEqual(bare(plica.computeMemoryHealth(some)), bare(old.computeMemoryHealth(some)));
      for (const config of [{}, { pinConstraints: false }, { pinnedMaxFacts: 1 }]) {
        const [a, b] = [plica, old].map((module) => module.partitionPinned(some, config));
        assert.deepEqual([a.pinned, a.rest], [b.pinned, b.rest]);
      }
      for (const options of [{}, { maxChars: 0 }, { maxChars: 300, minFacts: 1 }, { maxChars: 500, minFacts: 2, pinnedMaxChars: 10 }]) {
        const [a, b] = [plica, old].map((module) => module.budgetFacts(some, options));
        assert.deepEqual([a.rendered, a.collapsed], [b.rendered, b.collapsed]);
      }
    }
    for (const { key } of facts) assert.equal(plica.keyPrefix(key), old.keyPrefix(key));
    for (const days of [0, 13, 15, 29, 100]) {
      const fact = { key: 'k', importance: 5, created_at: new Date(now - days * 86_400_000).toISOString() };
      assert.equal(plica.effectiveImportance(fact, now), old.effectiveImportance(fact, now));
      assert.ok(Math.abs(plica.salience(days, fact.created_at, now) - old.salience(days, fact.created_at, now)) < 1e-12);
    }
  });
});
