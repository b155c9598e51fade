// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Ledgers of every version as files: what an agent saved is unfolded and folded on by `unfoldSession` and `foldSession`, and what those
// write is read by `Ledger.from` again, with nothing lost on the way.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEntry } from './support/package.mjs';

const encode = (value) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const decode = (bytes) => JSON.parse(typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes));

const call = (n, path) => [
  { role: 'assistant', content: [{ type: 'tool_use', id: `c${n}`, name: 'Read', input: { file_path: path } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${n}`, content: `${path} says: ${'beds and paths '.repeat(40)}` }] },
];

/** A conversation with the same file read over and over, so that there is something to reduce. */
const conversation = (rounds, from = 0) => Array.from({ length: rounds }, (_, i) => [
  { role: 'user', content: `Question ${from + i}: what is in the plan now?` },
  ...call(from + i, `garden/${i % 2}.md`),
  { role: 'assistant', content: [{ type: 'text', text: `Answer ${from + i}: the same as before.` }] },
]).flat();

const pins = [
  { key: 'push', importance: 5, kind: 'constraint', agent_id: 'operator', value: 'Never push to main.' },
  { key: 'prod', importance: 5, kind: 'antipattern', agent_id: 'qa', value: 'Dropping the cache took production down.' },
];

/** Folds with pins, one after the other; what was said, the window and the ledger after each. */
async function steps({ Transcript, compact }) {
  const transcript = new Transcript({ window: 4_000, format: 'anthropic' });
  const [said, out] = [[], []];
  for (let round = 0; round < 4; round++) {
    const more = conversation(5, round * 5);
    said.push(...more);
    transcript.append(more);
    await compact(transcript, { summarize: () => `GOAL: keep the garden's plan in step, part ${round}.\nSTATE: read again and again.`, tailBudget: 900, pins });
    out.push({ said: structuredClone(said), window: structuredClone(transcript.messages()), ledger: JSON.parse(JSON.stringify(transcript.ledger)) });
  }
  return out;
}

forEachEntry((entry, plica) => {
  const { Ledger, foldSession, unfoldSession, verifyPins, reduce, repair, plan, fold, digestMessage } = plica;

  test(`${entry}: a ledger with pins: unfolded, folded on, read again`, async () => {
    for (const { said, window, ledger } of await steps(plica)) {
      assert.equal(ledger.version, 3);
      assert.deepEqual(verifyPins(window, pins).missing, []);
      const back = unfoldSession(encode(window), encode(ledger));
      assert.equal(back.exact, false);
      assert.deepEqual(decode(back.bytes), said);

      const since = conversation(6, 90);
      const folded = foldSession(encode([...window, ...since]), { tailBudget: 400, ledger: encode(ledger) });
      assert.equal(folded.report.outcome, 'deterministic');
      const again = Ledger.from(decode(folded.ledger));
      assert.deepEqual(again.folds.slice(0, -1).map(({ id, model, reason }) => ({ id, model, reason })), Ledger.from(ledger).folds.map(({ id, model, reason }) => ({ id, model, reason })));
      assert.deepEqual(again.unfold(decode(folded.conversation)), [...said, ...since]);
      assert.deepEqual(decode(unfoldSession(encode(folded.conversation), encode(folded.ledger)).bytes), [...said, ...since]);
      assert.deepEqual(verifyPins(decode(folded.conversation), pins).missing, []);
    }
  });

  test(`${entry}: pins that gave way, and a pinned message that the user quotes`, async () => {
    const own = plica.pinnedMessage([{ ...pins[0], value: 'Only squash merges.' }], { format: 'anthropic' });
    const said = [...[own].flat(), ...conversation(6)];
    const { messages, ledger } = await plica.compact(said, { window: 3_000, tailBudget: 500, format: 'anthropic', pins });
    assert.equal(JSON.parse(JSON.stringify(ledger)).pins.displaced?.length, 1);
    const quoting = [...messages, { role: 'user', content: [own].flat()[0].content }];
    const back = unfoldSession(encode(quoting), encode(ledger));
    assert.deepEqual(decode(back.bytes), ledger.unfold(quoting));
    assert.deepEqual(decode(back.bytes).at(-1), quoting.at(-1));
  });

  test(`${entry}: a ledger with reductions and repairs: unfolded, folded on, read again`, () => {
    const ledger = new Ledger();
    const format = 'anthropic';
    const said = conversation(8);
    let window = said;
    const folded = (budget, summary) => {
      const p = plan(window, { format, tailBudget: budget, ledger });
      assert.equal(p.kind, 'fold');
      const digest = digestMessage(summary, { format });
      ledger.record({ messages: window, plan: p, digest });
      window = fold(window, p, digest);
    };
    const reduced = () => {
      const r = reduce(window, { format });
      assert.ok(r.edits.length > 0);
      ledger.recordEdit({ messages: window, edits: r.edits, kind: 'reduce' });
      window = r.messages;
    };
    const check = () => {
      const json = JSON.parse(JSON.stringify(ledger));
      assert.equal(json.version, json.edits === undefined ? 1 : 2);
      const back = unfoldSession(encode(window), encode(json));
      assert.deepEqual(decode(back.bytes), said.slice());
      const more = conversation(4, 70);
      const on = foldSession(encode([...window, ...more]), { tailBudget: 300, ledger: encode(json) });
      assert.equal(on.report.outcome, 'deterministic');
      assert.equal(on.report.folds, ledger.folds.length + 1);
      const again = Ledger.from(decode(on.ledger));
      assert.deepEqual(again.edits.map(({ id }) => id), ledger.edits.map(({ id }) => id));
      assert.deepEqual(again.unfold(decode(on.conversation)), [...said, ...more]);
      assert.deepEqual(decode(unfoldSession(encode(on.conversation), encode(on.ledger)).bytes), [...said, ...more]);
    };
    reduced();
    check();
    folded(900, 'GOAL: one');
    check();
    const broken = [...window, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'nobody', content: 'stray' }, { type: 'text', text: 'hm' }] }];
    said.push(broken.at(-1));
    const mended = repair(broken, { format });
    ledger.recordEdit({ messages: broken, edits: mended.edits, kind: 'repair' });
    window = mended.messages;
    check();
    window = [...window, ...conversation(3, 40)];
    said.push(...window.slice(-12));
    folded(300, 'GOAL: two');
    check();
  });

  test(`${entry}: a ledger of references folds on, and says that originals are missing`, () => {
    const ledger = new Ledger();
    const window = conversation(8);
    const format = 'anthropic';
    const p = plan(window, { format, tailBudget: 500 });
    const digest = digestMessage('GOAL: one', { format });
    ledger.record({ messages: window, plan: p, digest });
    const now = fold(window, p, digest);
    const references = ledger.toReferences();
    assert.throws(() => unfoldSession(encode(now), encode(references)), { code: 'originals-missing' });
    const more = conversation(4, 50);
    const on = foldSession(encode([...now, ...more]), { tailBudget: 300, ledger: encode(references) });
    const again = Ledger.from(decode(on.ledger), { originals: new Map(ledger.folds.map(({ id, messages }) => [id, messages])) });
    assert.deepEqual(again.unfold(decode(on.conversation)), [...window, ...more]);
  });

  test(`${entry}: what is no ledger of a known version, or was changed, is refused by name`, async () => {
    const [{ window, ledger }] = await steps(plica);
    for (const version of [0, 4, 1.5, '3', null]) assert.throws(() => unfoldSession(encode(window), encode({ ...ledger, version })), { code: 'bad-ledger' });
    for (const change of [(j) => j.pins.placed.pop(), (j) => { j.pins.displaced = [{ at: 0, message: {} }]; }, (j) => { delete j.pins; j.version = 1; }]) {
      const other = structuredClone(ledger);
      change(other);
      assert.throws(() => unfoldSession(encode(window), encode(other)), { code: 'ledger-altered' });
    }
  });
});
