// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Reductions: each rung of the ladder on examples in every format, each option, what the cache costs, and the way back through
// folds, reductions and repairs. Judged by the independent validator; on real sessions where they are at hand.

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { forEachEntry } from './support/package.mjs';
import { FORMATS as RANDOM_FORMATS, randomTranscript } from './support/random.mjs';
import { count, shared, sharedBytes, sharedTest } from './support/shared.mjs';
import { FAILING, FORMATS, SHOWN, TOOLS_SHOW, tell } from './support/tell.mjs';
import { SPLIT_RULES, faultsAdded } from './support/validate.mjs';

const SEEDS = Number(process.env.PLICA_SEEDS ?? 25);
const long = (word, n = 150) => `${word} `.repeat(n).trim();
const call = (id, name, args, result, more = {}) => ({ id, name, args, result, ...more });
const read = (id, path, result, more) => call(id, 'read', { path }, result, more);
const end = [{ say: 'That is all.' }, { user: 'and then?' }, { say: 'Nothing.' }];
const OFF = { duplicates: false, superseded: false, clear: false, clip: false, reasoning: false, images: false };
const IMAGE = 'iVBOR'.repeat(800);
const EAGER = { clear: { keep: 1, protect: 0, minGain: 0 }, clip: { bytes: 300 }, images: { keep: 0 } };

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, check, digestMessage, estimate, fold, plan, reduce, repair, undoRepair } = plica;
  const same = (a, b, why = 'not the same objects') => assert.ok(a.length === b.length && a.every((m, i) => m === b[i]), why);
  const through = (ledger, options) => Ledger.from(JSON.parse(JSON.stringify(ledger)), options);
  const codes = ({ steps }) => steps.map((step) => step.code);
  const refused = (fn, ...expected) => assert.throws(fn, (error) => error instanceof PlicaError && expected.includes(error.code) && error.message.length > 10);
  const text = (messages) => JSON.stringify(messages);

  /** Reduces, and sees to all that holds of every reduction. */
  function reduced(messages, options) {
    const before = text(messages);
    const result = reduce(messages, options);
    const { format, estimator } = { format: result.format, ...options };
    assert.equal(text(messages), before, 'it changed what it was given');
    assert.equal(result.tokens.before, estimate(messages, { format, estimator }).total);
    assert.equal(result.tokens.after, estimate(result.messages, { format, estimator }).total);
    assert.equal(result.tokens.before - result.tokens.after, result.steps.reduce((sum, step) => sum + step.tokens, 0));
    assert.ok(result.steps.every((step) => step.tokens > 0));
    const touched = new Set(result.steps.map((step) => step.index));
    const kept = messages.filter((_, i) => !touched.has(i));
    assert.ok(kept.every((message) => result.messages.includes(message)), 'an untouched message is another object');
    assert.equal(result.cache.firstChanged, result.steps.length ? Math.min(...touched) : undefined);
    const splits = new Set(SPLIT_RULES[format] ?? []);
    assert.deepEqual(faultsAdded(messages, result.messages, format).filter(({ rule }) => !splits.has(rule)), []);
    assert.ok(check(result.messages, { format }).length <= check(messages, { format }).length);
    same(result.ledger.unfold(result.messages), messages);
    same(undoRepair(result.messages, result.edits), messages);
    assert.deepEqual(through(result.ledger).unfold(result.messages), JSON.parse(before));
    const again = reduce(result.messages, options);
    assert.deepEqual(again.steps, [], 'a second run goes on');
    same(again.messages, result.messages);
    count(`reductions checked (${entry})`);
    return result;
  }

  for (const format of FORMATS) {
    const told = (turns) => tell(format, turns);

    test(`${entry} ${format}: identical results stand once`, () => {
      const listing = long('src/main.rs');
      const messages = told([
        { user: 'look' },
        { calls: [call('a', 'ls', {}, listing)] }, { calls: [call('b', 'find', {}, listing)] }, { calls: [call('c', 'ls', {}, listing)] },
        ...end,
      ]);
      const { steps, messages: now } = reduced(messages, { ...OFF, duplicates: true, format });
      assert.deepEqual(steps.map(({ code, id, tool }) => [code, id, tool]), [['duplicate-result', 'a', 'ls'], ['duplicate-result', 'b', 'find']]);
      assert.ok(steps.every(({ because }) => because === steps[0].because && because > steps[1].index));
      assert.equal(text(now).split(listing).length, 2, 'the newest stays, alone');
      assert.match(text(now), /\[…\d+ bytes left out: the same call gave the same output again further on…\]/);
      assert.match(text(now), /the same output stands further on…\]/);
      assert.deepEqual(reduced(messages, { ...OFF, format }).steps, []);
    });

    test(`${entry} ${format}: readings of files that were read again or changed`, () => {
      const [old, older, fresh, other] = ['old', 'older', 'fresh', 'other'].map((word) => long(word));
      const messages = told([
        { user: 'look' },
        { calls: [read('a', 'x.rs', old), read('b', 'y.rs', other)] },
        { calls: [call('c', 'write', { path: 'x.rs', content: 'new' }, 'ok')] },
        { calls: [read('d', './x.rs', fresh)] },
        { calls: [call('e', 'read', { path: 'y.rs', offset: 5 }, long('part'))] },
        { calls: [call('f', 'bash', { command: 'make' }, long('made'))] },
        { calls: [call('g', 'look_up', { at: 'z' }, older)] },
        { calls: [call('h', 'change', { at: 'z' }, 'ok')] },
        ...end,
      ]);
      const tools = { look_up: { kind: 'read', path: 'at' }, change: { kind: 'write', path: 'at' } };
      const only = { ...OFF, superseded: true, format };
      assert.deepEqual(reduced(messages, only).steps.map(({ code, id, path }) => [code, id, path]), [['superseded-read', 'a', 'x.rs']]);
      const { steps, messages: now } = reduced(messages, { ...only, tools });
      assert.deepEqual(steps.map(({ id }) => id), ['a', 'g'], 'a part of a file is not the file');
      assert.match(text(now), /the file was read again further on…\]/);
      assert.match(text(now), /the file was changed further on…\]/);
      assert.ok(!text(now).includes(old) && text(now).includes(fresh) && text(now).includes(other));
      assert.deepEqual(reduced(messages, { ...only, tools: { ...tools, read: { kind: 'run' } } }).steps.map(({ id }) => id), ['g']);
    });

    test(`${entry} ${format}: old results are cleared`, () => {
      const turns = Array.from({ length: 8 }, (_, n) => ({ calls: [call(`c${n}`, n === 1 ? 'keep_me' : 'run', { n }, long(`result${n}`))] }));
      const messages = told([{ user: 'go' }, ...turns, ...end]);
      const clear = (clear) => reduced(messages, { ...OFF, clear, format });
      assert.deepEqual(clear({}).steps, []);
      assert.deepEqual(clear(true).refused, []);
      const { steps, messages: now } = clear({ keep: 3, protect: 0, minGain: 0 });
      assert.deepEqual(steps.map(({ code, id }) => [code, id]), [0, 1, 2, 3, 4].map((n) => ['cleared-result', `c${n}`]));
      assert.match(text(now), /\[…\d+ bytes of an old result left out…\]/);
      assert.deepEqual(clear({ keep: 0, protect: 0, minGain: 0, exclude: ['keep_me'] }).steps.map(({ id }) => id).includes('c1'), false);
      const gain = steps.reduce((sum, step) => sum + step.tokens, 0);
      assert.equal(clear({ keep: 3, protect: 0, minGain: gain }).steps.length, 5);
      const little = clear({ keep: 3, protect: 0, minGain: gain + 1 });
      assert.deepEqual([little.steps, little.refused], [[], [{ code: 'cleared-result', steps: 5, gain, cost: gain + 1, reason: 'min-gain' }]]);
      const all = estimate(messages, { format }).total;
      assert.ok(clear({ keep: 0, protect: all / 2, minGain: 0 }).steps.length < clear({ keep: 0, protect: 0, minGain: 0 }).steps.length);
      assert.deepEqual(clear({ keep: 0, protect: Infinity, minGain: 0 }).steps, []);
    });

    test(`${entry} ${format}: long results are cut down`, () => {
      const log = `START ${long('line', 1000)} END`;
      const messages = told([{ user: 'go' }, { calls: [call('a', 'run', {}, log), call('b', 'run', { x: 1 }, long('short', 10))] }, { calls: [call('c', 'run', { x: 2 }, log.replace('line', 'lime'))] }, ...end]);
      const { steps, messages: now } = reduced(messages, { ...OFF, clip: { bytes: 500 }, format });
      assert.deepEqual(steps.map(({ code, id }) => [code, id]), format === 'ai-sdk-ui' ? [['clipped-result', 'a']] : [['clipped-result', 'a']]);
      assert.match(text(now), /START line [^"]* \[…\d+ bytes cut…\] [^"]*line END/);
      assert.deepEqual(reduced(messages, { ...OFF, clip: {}, format }).steps, []);
    });

    test(`${entry} ${format}: reasoning of turns that are over`, () => {
      const thought = long('hm');
      const messages = told([
        { user: 'go' }, { think: `${thought} 1`, calls: [call('a', 'run', {}, 'ok')] }, { think: `${thought} 2`, say: 'done' },
        { user: 'more' }, { think: `${thought} 3`, calls: [call('b', 'run', {}, 'ok')] }, { think: `${thought} 4`, say: 'done again' },
      ]);
      const result = reduced(messages, { ...OFF, reasoning: true, format });
      assert.deepEqual(codes(result), ['dropped-reasoning', 'dropped-reasoning']);
      assert.ok(!text(result.messages).includes(`${thought} 2`) && text(result.messages).includes(`${thought} 3`) && text(result.messages).includes(`${thought} 4`));
      assert.deepEqual(reduced(messages, { ...OFF, reasoning: true, keepTurns: 2, format }).steps, []);
      const alone = told([{ user: 'go' }, { think: thought }, { user: 'well?' }, { say: 'done' }]);
      if (format !== 'openai-responses') assert.deepEqual(reduced(alone, { ...OFF, reasoning: true, format }).steps, [], 'a message of nothing');
    });

    test(`${entry} ${format}: what must stay stays`, () => {
      const messages = told([
        { user: long('please') }, { calls: [call('a', 'run', {}, long('one'))] }, { calls: [call('b', 'run', {}, long('two'))] },
        { user: 'go on' }, { calls: [call('c', 'run', {}, long('three'))] }, { calls: [call('d', 'run', {}, long('four'))] },
      ]);
      const options = { ...OFF, clear: { keep: 0, protect: 0, minGain: 0 }, format };
      const ids = (more) => reduced(messages, { ...options, ...more }).steps.map(({ id }) => id);
      assert.deepEqual(ids(), ['a', 'b', 'c'], 'the newest batch stays');
      assert.deepEqual(ids({ keepTurns: 1 }), ['a', 'b']);
      assert.deepEqual(ids({ keepTurns: 2 }), []);
      assert.deepEqual(ids({ tailBudget: Infinity }), []);
      assert.deepEqual(ids({ prefix: messages.length }), []);
      const first = reduce(messages, options).steps[0].index;
      assert.deepEqual(ids({ pinned: [first] }), ['b', 'c']);
      assert.deepEqual(ids({ pinned: (_, index) => index === first }), ['b', 'c']);
      // A call that is pinned keeps its result.
      assert.deepEqual(ids({ pinned: [1] }), ['b', 'c']);
      const total = estimate(messages, { format }).total;
      assert.deepEqual(ids({ target: total }), []);
      assert.deepEqual(ids({ target: total - 1 }), ['a']);
      assert.deepEqual(ids({ target: 0 }), ['a', 'b', 'c']);
    });

    test(`${entry} ${format}: reduce → fold → repair → fold → unfold`, () => {
      const listing = long('main.rs');
      const turns = (n) => [{ user: `task ${n}` }, { calls: [call(`${n}a`, 'ls', { n }, listing)] }, { calls: [call(`${n}b`, 'ls', { n }, listing)] }, { think: long('hm'), say: `done ${n}` }];
      let original = told([0, 1, 2, 3].flatMap(turns));
      const ledger = new Ledger();
      const first = reduce(original, { ...EAGER, format, ledger });
      assert.equal(first.ledger, ledger);
      assert.ok(new Set(codes(first)).size >= 2);
      let window = first.messages;
      const step = (more, act) => {
        original = [...original, ...more];
        window = act([...window, ...more]);
        same(ledger.unfold(window), original);
        assert.deepEqual(through(ledger).unfold(structuredClone(window)), original);
        assert.deepEqual(ledger.missing(window), []);
      };
      const folded = (now) => {
        const p = plan(now, { tailBudget: estimate(now, { format }).total / 2, format, ledger });
        assert.equal(p.kind, 'fold');
        const digest = digestMessage('GOAL: go on', { format });
        ledger.record({ messages: now, plan: p, digest, format });
        return fold(now, p, digest, { format });
      };
      step([], folded);
      // A call without an answer, and the user goes on: something to mend.
      const torn = told([{ user: 'again' }, { calls: [call('t', 'ls', {}, listing)] }, { say: 'well' }, { user: 'hm' }]);
      const without = format === 'ai-sdk-ui' ? torn : torn.filter((message) => !check([message], { format }).some(({ code }) => code === 'orphan-result'));
      step(without, (now) => {
        const { messages, edits, changes } = repair(now, { format });
        assert.equal(changes.length > 0, format !== 'ai-sdk-ui');
        assert.equal(ledger.recordEdit({ kind: 'repair', messages: now, edits, format })?.record.kind, changes.length > 0 ? 'repair' : undefined);
        return messages;
      });
      step(told(turns(5)), folded);
      step(told(turns(6)), (now) => reduce(now, { ...EAGER, format, ledger }).messages);
      step(told(turns(7)), (now) => now);
      assert.equal(ledger.folds.length, 2);
      assert.deepEqual(ledger.edits.map(({ record }) => record.kind), format === 'ai-sdk-ui' ? ['reduce', 'reduce'] : ['reduce', 'repair', 'reduce']);
      assert.deepEqual(ledger.records.map(({ id }) => id).sort(), [...ledger.folds, ...ledger.edits].map(({ id }) => id).sort());
      assert.equal(plan(window, { tailBudget: 0, format, ledger }).kind, 'fold');
    });
  }

  for (const format of FAILING) {
    test(`${entry} ${format}: errors are kept, and kept short`, () => {
      const fault = `error[E0308] ${long('mismatched')} at main.rs:5`;
      const messages = tell(format, [{ user: 'go' }, { calls: [read('a', 'x', fault, { error: true })] }, { calls: [read('b', 'x', fault, { error: true })] }, { calls: [read('c', 'x', long('fine'))] }, ...end]);
      assert.deepEqual(reduced(messages, { ...OFF, duplicates: true, superseded: true, format }).steps, []);
      const { messages: now, steps } = reduced(messages, { ...OFF, clear: { keep: 1, protect: 0, minGain: 0 }, format });
      assert.deepEqual(steps.map(({ code, id }) => [code, id]), [['cleared-result', 'a'], ['cleared-result', 'b']]);
      assert.match(text(now), /error\[E0308\][^"]* \[…\d+ bytes cut…\] [^"]* at main.rs:5/);
    });
  }

  for (const format of SHOWN) {
    test(`${entry} ${format}: images become notes`, () => {
      const shows = TOOLS_SHOW.includes(format);
      const messages = tell(format, [{ user: 'see', image: IMAGE }, { say: 'nice' }, { calls: [call('a', 'shot', {}, 'here', shows ? { image: IMAGE } : {})] }, { user: 'and this', image: IMAGE }, ...end]);
      const there = shows ? 3 : 2;
      for (let keep = 0; keep <= there; keep++) {
        const { steps, messages: now } = reduced(messages, { ...OFF, images: { keep }, format });
        // A result of the newest batch stays, with its image.
        const stays = shows && keep < 2 ? 1 : 0;
        assert.equal(steps.length, there - keep - stays, `keeps ${keep}`);
        assert.ok(steps.every(({ code }) => code === 'image-note'));
        assert.equal(text(now).split(IMAGE).length - 1, keep + stays);
        if (steps.length) assert.match(text(now), /\[…an image \(image\/png, 3000 bytes\) left out…\]/);
        assert.ok(text(now).includes('"see"') && text(now).includes('"and this"'));
      }
    });
  }

  test(`${entry}: OpenAI's reasoning stays where item ids bind it`, () => {
    const messages = tell('openai-responses', [{ user: 'go' }, { think: long('hm'), say: 'done' }, { user: 'more' }, { say: 'yes' }]);
    assert.equal(reduced(messages, { ...OFF, reasoning: true }).steps.length, 1);
    const bound = messages.map((item, i) => (i === 2 ? { ...item, id: 'msg_1' } : item));
    assert.deepEqual(reduced(bound, { ...OFF, reasoning: true }).steps, []);
    const sdk = [{ role: 'user', content: 'go' }, { role: 'assistant', content: [{ type: 'reasoning', text: long('hm'), providerOptions: { openai: { itemId: 'rs_1' } } }, { type: 'text', text: 'done' }] }, { role: 'user', content: 'more' }];
    assert.deepEqual(reduced(sdk, { ...OFF, reasoning: true, format: 'ai-sdk' }).steps, []);
  });

  test(`${entry}: calls in flight, results without call, tools of the provider`, () => {
    const listing = long('main.rs');
    const chat = tell('openai-chat', [{ user: 'go' }, { calls: [call('a', 'ls', {}, listing)] }, { calls: [call('b', 'ls', {}, listing), call('c', 'ls', {}, listing)] }]);
    assert.deepEqual(reduced(chat.slice(0, -1), { ...OFF, duplicates: true }).steps.map(({ id }) => id), ['a']);
    assert.deepEqual(reduced([chat[0], { role: 'tool', tool_call_id: 'gone', content: listing }, ...chat.slice(1), { role: 'assistant', content: 'x' }], { ...OFF, duplicates: true, format: 'openai-chat' }).steps.map(({ id }) => id), ['a']);
    const server = [
      { role: 'user', content: 'search' },
      { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } }, { type: 'web_search_tool_result', tool_use_id: 's', content: [{ type: 'web_search_result', url: 'u', title: 't', encrypted_content: long('x', 500) }] }, { type: 'text', text: 'found' }] },
      ...tell('anthropic', [{ user: 'next' }, { calls: [call('a', 'ls', {}, listing)] }, ...end]),
    ];
    assert.deepEqual(reduced(server, { ...EAGER, clear: { keep: 0, protect: 0, minGain: 0 } }).steps, []);
  });

  test(`${entry}: what the cache costs`, () => {
    const listing = long('main.rs', 300);
    const messages = tell('anthropic', [
      { user: 'go' }, { calls: [call('a', 'ls', {}, long('tiny', 80))] }, { calls: [call('b', 'ls', {}, long('tiny', 80))] },
      ...Array.from({ length: 6 }, (_, n) => ({ say: long(`prose${n}`, 300) })).flatMap((turn) => [turn, { user: 'go on' }]),
      { calls: [call('c', 'ls', {}, listing)] }, { calls: [call('d', 'ls', {}, listing)] }, { say: 'end' },
    ]);
    const only = { ...OFF, duplicates: true };
    const free = reduced(messages, only);
    assert.deepEqual(free.steps.map(({ id }) => id), ['a', 'c']);
    const per = estimate(messages).perMessage;
    const sum = (from, to) => per.slice(from, to).reduce((a, b) => a + b, 0);
    assert.deepEqual(free.cache, { firstChanged: 2, invalidated: sum(2, messages.length - 1) });
    // Only what is near the end pays; a thousand requests pay for all; without any to come nothing cached is touched.
    const priced = reduced(messages, { ...only, cache: { turns: 20 } });
    assert.deepEqual(priced.steps.map(({ id }) => id), ['c']);
    assert.equal(priced.refused.length, 1);
    const [{ code, steps, gain, cost, reason }] = priced.refused;
    assert.deepEqual([code, steps, gain, reason], ['duplicate-result', 1, free.steps[0].tokens, 'cache']);
    // w − r of w + (t − 1)·r of the tokens between the two steps.
    assert.equal(cost, Math.ceil(sum(2, priced.cache.firstChanged) * (1.15 / 3.15) - 1e-9));
    assert.deepEqual(reduced(messages, { ...only, cache: { turns: 1000 } }).steps.map(({ id }) => id), ['a', 'c']);
    assert.deepEqual(reduced(messages, { ...only, cache: { turns: 0 } }).steps.map(({ id }) => id), []);
    assert.deepEqual(reduced(messages, { ...only, cache: { turns: 0, until: 0 } }).steps.map(({ id }) => id), ['a', 'c']);
    assert.deepEqual(reduced(messages, { ...only, cache: { turns: 0, readPrice: 1, writePrice: 1 } }).steps.map(({ id }) => id), ['a', 'c']);
    assert.deepEqual(reduced(messages, { ...only, cache: false }).steps.length, 2);
    assert.deepEqual(reduced(messages, { ...only, cache: true }).steps, reduced(messages, { ...only, cache: { readPrice: 0.1, writePrice: 1.25, turns: 10 } }).steps);
  });

  test(`${entry}: a counter of one's own`, () => {
    const messages = tell('openai-chat', [{ user: 'go' }, { think: long('hm'), calls: [call('a', 'ls', {}, long('x'))] }, { calls: [call('b', 'ls', {}, long('x'))] }, { say: 'done' }, { user: 'go on' }, { calls: [call('c', 'run', {}, long('y', 2000))] }, ...end]);
    const words = (text) => text.split(/\W+/).length;
    for (const cache of [undefined, { turns: 1000 }]) {
      const result = reduced(messages, { ...EAGER, estimator: words, cache });
      assert.ok(result.steps.length >= 1);
      assert.equal(result.tokens.before, messages.reduce((sum, message) => sum + words(text(message)), 0));
    }
    // One that asks plica itself.
    assert.ok(reduced(messages, { ...EAGER, estimator: (line) => estimate([JSON.parse(line)], { format: 'openai-chat' }).total }).steps.length > 1);
    // To one that counts messages nothing is gained.
    assert.deepEqual(reduced(messages, { ...EAGER, estimator: () => 1 }).steps, []);
    refused(() => reduce(messages, { ...EAGER, estimator: (line) => (line.includes('left out') ? NaN : line.length) }), 'bad-estimator');
  });

  test(`${entry}: bad options are refused by name`, () => {
    const messages = tell('openai-chat', [{ user: 'go' }, ...end]);
    for (const bad of [
      { target: -1 }, { target: 'x' }, { clear: { keep: -1 } }, { clear: { minGain: NaN } }, { clear: { exclude: 'ls' } }, { clear: { exclude: [5] } }, { clear: 5 }, { clip: { bytes: 'x' } },
      { images: { keep: {} } }, { tools: 'x' }, { tools: { a: {} } }, { tools: { a: { kind: 'eat' } } }, { tools: { a: { kind: 'read', path: 5 } } }, { pinned: [99] }, { keepTurns: -1 },
      { cache: { turns: -1 } }, { cache: { until: 'x' } }, { cache: 'x' }, { ledger: {} }, { ledger: 5 }, { retention: 'some' }, 5,
    ]) refused(() => reduce(messages, bad), 'bad-argument');
    refused(() => reduce(messages, { tailBudget: -1 }), 'bad-budget');
    refused(() => reduce(messages, { format: 'x' }), 'unknown-format');
    assert.deepEqual(reduce([], { format: 'pi' }).messages, []);
  });

  test(`${entry}: what the ledger keeps, and what it refuses`, () => {
    const messages = tell('anthropic', [{ user: 'go' }, { calls: [call('a', 'ls', {}, long('x'))] }, { calls: [call('b', 'ls', {}, long('x'))] }, ...end]);
    for (const retention of ['reference', 'discard']) {
      const { ledger, messages: now } = reduce(messages, { retention });
      assert.deepEqual(ledger.missing(now), ['edit-1']);
      refused(() => ledger.unfold(now), 'originals-missing');
      same(ledger.unfold(now, { originals: messages }), messages);
      assert.deepEqual(through(ledger).unfold(now, { originals: messages }), messages);
    }
    const { ledger, messages: now, edits } = reduce(messages);
    // A window from before it, one that went on, one of others.
    same(ledger.unfold(messages), messages);
    same(ledger.unfold([...now, messages[0]]), [...messages, messages[0]]);
    same(ledger.unfold(now.slice(0, 2)), messages.slice(0, 2));
    // Something in front of it, or another message beside it, does not hide what it put in.
    assert.deepEqual(ledger.unfold([messages[0], ...now]).length, messages.length + 1);
    const json = JSON.parse(JSON.stringify(ledger));
    assert.equal(json.version, 2);
    assert.equal(JSON.parse(JSON.stringify(new Ledger())).version, 1);
    const altered = (change) => {
      const copy = structuredClone(json);
      change(copy);
      return () => Ledger.from(copy);
    };
    refused(altered((l) => { l.edits[0].messages[0].content = 'x'; }), 'ledger-altered');
    refused(altered((l) => { l.edits[0].behind = 7; }), 'bad-ledger');
    refused(altered((l) => { l.version = 1; }), 'bad-ledger');
    refused(altered((l) => { l.version = 3; }), 'bad-ledger');
    refused(altered((l) => { l.edits = {}; }), 'bad-ledger');
    refused(altered((l) => { l.folds = l.edits; l.edits = []; }), 'bad-ledger');
    for (const field of ['kind', 'format', 'edits', 'length', 'window']) {
      for (const value of [undefined, null, -1, 1e300, 'x', [], {}, [{}], [{ at: 0, inserted: [], removed: [] }]]) {
        refused(altered((l) => { l.edits[0].record[field] = value; }), 'bad-ledger', 'ledger-altered');
      }
    }
    const keyed = reduce(messages, { ledger: new Ledger({ key: 'k' }) }).ledger;
    refused(() => through(keyed), 'ledger-key');
    assert.deepEqual(through(keyed, { key: 'k' }).unfold(now), messages);
    for (const bad of [undefined, {}, { kind: 'x', messages, edits }, { kind: 'repair', messages, edits: [{ at: 99, removed: [], inserted: [] }] }, { kind: 'repair', messages: now.slice(0, 1), edits }, { kind: 'reduce', messages, edits: [{}] }]) refused(() => new Ledger().recordEdit(bad), 'bad-argument');
    assert.equal(new Ledger().recordEdit({ kind: 'reduce', messages, edits: [] }), undefined);
    messages[edits[0].at].content[0].content = 'changed in place';
    refused(() => JSON.stringify(ledger), 'message-changed');
  });

  test(`${entry}: all messages reduced anew for every request`, () => {
    const ledger = new Ledger();
    const turns = (n) => [{ user: `task ${n}` }, { calls: [call(`${n}a`, 'ls', { n }, long('x'))] }, { calls: [call(`${n}b`, 'ls', { n }, long('x'))] }, { say: `done ${n}` }];
    for (let n = 1; n < 12; n++) {
      const messages = tell('openai-responses', Array.from({ length: n }, (_, i) => turns(i)).flat());
      const { messages: now } = reduce(messages, { ...EAGER, ledger });
      same(ledger.unfold(now), messages);
      assert.deepEqual(through(ledger).unfold(now), messages);
    }
    assert.equal(ledger.edits.length, 11);
  });

  test(`${entry}: random transcripts`, () => {
    const seen = {};
    for (const format of RANDOM_FORMATS) {
      for (let seed = 0; seed < SEEDS; seed++) {
        const messages = randomTranscript(seed, format, { malformed: [0, 0, 0.5][seed % 3] });
        for (const code of codes(reduced(messages, { ...EAGER, format }))) seen[code] = (seen[code] ?? 0) + 1;
      }
    }
    if (entry === 'esm') console.log(`# steps on random transcripts: ${JSON.stringify(seen)}`);
  });

  sharedTest(`${entry}: real sessions`, () => {
    const folder = join(shared, 'transcripts');
    if (!existsSync(folder)) return;
    for (const file of readdirSync(folder)) {
      let session;
      try {
        session = plica.readSession(sharedBytes(`transcripts/${file}`));
      } catch {
        continue;
      }
      const { messages, messageFormat: format } = session;
      for (const options of [{}, EAGER, { ...EAGER, target: 5000 }, { ...EAGER, cache: {} }]) {
        const result = reduced(messages, { ...options, format });
        // The folds that are in the file are undone behind it.
        const { ledger } = session;
        const whole = ledger.unfold(messages);
        const { messages: now } = reduce(messages, { ...options, format, ledger });
        same(ledger.unfold(now), whole);
        same(ledger.unfold(messages), whole);
        count(`steps on real sessions (${entry})`, result.steps.length);
        for (const code of codes(result)) count(`  ${code} (${entry})`);
      }
      count(`real sessions reduced (${entry})`);
    }
  });
});
