// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Situations that break other libraries, in every format that knows them: parallel calls at every budget, one long turn, a result
// larger than the window, a word between call and result, a summarizer that fails. And what a fold may put in: a digest merged into the
// user's message, fillers where user and model take turns.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carriesResults, reading, transcriptOf, waiting } from './support/cuts.mjs';
import { forEachEntry } from './support/package.mjs';
import { FORMATS, Random, randomTranscript } from './support/random.mjs';
import { MAKE } from './support/samples.mjs';
import { caseOf, count, sharedTest } from './support/shared.mjs';
import { faultsAdded, faultsOnly, validate } from './support/validate.mjs';

const SEEDS = Number(process.env.PLICA_SEEDS ?? 120);
const json = (value) => JSON.parse(JSON.stringify(value));
const several = (digest) => (Array.isArray(digest) ? digest : [digest]);
const same = (got, want) => got.length === want.length && got.every((m, i) => m === want[i]);
const ids = (n) => Array.from({ length: n }, (_, i) => ({ id: `call_${i}`, name: ['read', 'ls', 'grep'][i % 3] }));

forEachEntry((entry, plica) => {
  const { Ledger, check, clipResults, deterministicDigest, digestMessage, estimate, floorDigest, fold, plan, repair, undoRepair } = plica;
  const total = (messages, format) => estimate(messages, { format }).total;

  for (const format of FORMATS) {
    const { user, model, call, result, called } = MAKE[format];

    test(`${entry} ${format}: eight parallel calls at every budget`, () => {
      const eight = ids(8);
      // Results in their order, in another, and without those of the last two.
      const answers = format === 'ai-sdk-ui' ? [called(...eight)] : [called(...eight), [...call(...eight), ...result(...[...eight].reverse())], [...call(...eight), ...result(...eight.slice(0, 6))]];
      for (const work of answers) {
        const messages = [user('Look at all of them, please.'), model('I will.'), user('All eight.'), ...work, ...(work === answers[2] ? [] : [model('Done.'), user('And?'), model('Fine.')])];
        const { legal, tied } = transcriptOf(messages, format);
        const digest = digestMessage('GOAL: x', { format });
        const all = total(messages, format);
        for (let tailBudget = 0; tailBudget <= all + 1; tailBudget += 3) {
          const p = plan(messages, { format, tailBudget });
          assert.equal(p.kind, 'fold');
          assert.ok(legal.includes(p.keptFrom) && !tied.some(([from, to]) => from < p.keptFrom && p.keptFrom <= to));
          assert.equal(p.overBudget, p.tokens.tail > tailBudget);
          assert.deepEqual(faultsAdded(messages, fold(messages, p, digest, { format }), format), []);
          count('budgets for parallel calls');
        }
        if (work === answers[2]) assert.deepEqual(plan(messages, { format, tailBudget: 0 }).pending, ['call_6', 'call_7']);
      }
    });

    test(`${entry} ${format}: one turn of sixty calls keeps its task and uses the budget`, () => {
      const task = user('Rename the function in every file, and do not touch the tests.');
      const messages = [task, ...ids(60).flatMap(({ id, name }, i) => called({ id, name, text: `file ${i}: ${'line '.repeat(i % 9)}` }))];
      const all = total(messages, format);
      for (const share of [0.3, 0.5, 0.8]) {
        const tailBudget = Math.floor(all * share);
        const p = plan(messages, { format, tailBudget, anchorTask: true });
        assert.deepEqual([p.kind, p.overBudget, p.kept, p.splitTurn], ['fold', false, [0], 0]);
        assert.ok(p.tokens.tail <= tailBudget && p.tokens.tail >= 0.9 * tailBudget, `${p.tokens.tail} of ${tailBudget}`);
        const digest = digestMessage('STATE: half done', { format });
        const window = fold(messages, p, digest, { format });
        assert.equal(window[0], task);
        assert.deepEqual(faultsOnly(window, format), []);
        const bare = plan(messages, { format, tailBudget });
        assert.deepEqual([bare.kept, bare.splitTurn], [[], 0], 'the plan says whose turn it splits');
        count('long turns');
      }
    });

    test(`${entry} ${format}: a result larger than the window is named and can be clipped`, () => {
      for (const filling of ['line of a log ', 'größer 庭🌱 ', 'say "x"\\\n\t']) {
        const big = `HEAD ${filling.repeat(Math.ceil(150_000 / new TextEncoder().encode(filling).length))} TAIL`;
        const messages = [user('Look.'), model('I see.'), user('What failed?'), ...called({ id: 'c', name: 'logs', text: big }), model('Let me think.')];
        const before = JSON.stringify(messages);
        assert.ok(total(messages, format) > 20_000);
        const p = plan(messages, { format, tailBudget: 2000 });
        assert.equal(p.kind, 'fold');
        if (p.overBudget) assert.ok(p.tokens.tail > 2000);
        const last = messages.slice(0, -1); // the result is what the model has to see next
        const q = plan(last, { format, tailBudget: 2000 });
        assert.deepEqual([q.kind, q.overBudget, q.clips.length], ['fold', true, 1]);
        const [{ index, id, bytes, tokens }] = q.clips;
        assert.ok(id === 'c' && bytes > 140_000 && tokens < 2000 && index === last.length - 1, JSON.stringify(q.clips));
        const clipped = clipResults(last, q.clips, { format });
        const again = plan(clipped, { format, tailBudget: 2000 });
        assert.deepEqual([again.kind, again.overBudget], ['fold', false], `${again.tokens?.tail}`);
        assert.ok(again.keptFrom <= q.keptFrom);
        assert.ok(again.tokens.tail > 1500, `${again.tokens.tail}: much less than there was room for`);
        assert.ok(clipped.every((m, i) => (i === index ? m !== last[i] : m === last[i])));
        const text = JSON.stringify(clipped[index]);
        assert.ok(text.includes('HEAD ') && text.includes(' TAIL') && /…\d+ bytes cut…/.test(text), text.slice(0, 300));
        assert.ok(!text.includes('\ufffd') && !/\p{Surrogate}/u.test(text));
        assert.deepEqual(faultsOnly(clipped, format).filter(({ rule }) => rule !== 'pending-call'), []);
        assert.deepEqual(Object.keys(clipped[index]), Object.keys(last[index]));
        // A budget that nothing fits: said so, and nothing is offered that would not help.
        const tight = plan(clipResults(last, plan(last, { format, tailBudget: 20 }).clips, { format }), { format, tailBudget: 20 });
        assert.deepEqual([tight.kind, tight.overBudget, tight.clips], ['fold', true, []]);
        assert.equal(JSON.stringify(messages), before);
        count('large results');
      }
    });

    test(`${entry} ${format}: when every summary fails, nothing is lost`, () => {
      const messages = [user('task'), ...ids(20).flatMap((one) => [...called({ ...one, text: `output ${'x'.repeat(50)}` })]), model('half'), user('go on'), model('done')];
      const original = [...messages];
      const p = plan(messages, { format, tailBudget: 100 });
      for (const digest of [floorDigest(messages, p, { format }), digestMessage(deterministicDigest(messages, p, { format }), { format })]) {
        const text = JSON.stringify(digest);
        assert.ok(!/error generating/i.test(text));
        const ledger = new Ledger();
        const record = ledger.record({ messages, plan: p, digest, format, outcome: 'floor' });
        const window = fold(messages, p, digest, { format });
        assert.deepEqual(faultsOnly(window, format), []);
        assert.ok(same(ledger.unfold(window), original));
        assert.ok(same(ledger.lookup(several(digest)[0]).messages, original.slice(p.prefixEnd, p.keptFrom)));
        assert.equal(record.outcome, 'floor');
        assert.deepEqual(Ledger.from(json(ledger)).unfold(json(window)), json(original));
      }
      const floor = JSON.stringify(floorDigest(messages, p, { format }));
      assert.ok(floor.includes('degraded') && floor.includes(`${p.keptFrom} earlier messages`), floor);
    });

    if (format === 'ai-sdk-ui') continue;
    test(`${entry} ${format}: a reused id and a call that was abandoned`, () => {
      const messages = [user('a'), ...call('c'), user('b'), model('x'), user('d'), ...call('c'), ...result('c'), model('e'), user('f'), model('g')];
      const digest = digestMessage('GOAL', { format });
      for (const pinned of [[], [1], [3], [1, 3], [2], [5], [6], [0, 6]]) {
        for (let tailBudget = 0; tailBudget <= total(messages, format); tailBudget += 5) {
          const p = plan(messages, { format, tailBudget, pinned });
          if (p.kind === 'none') continue;
          const window = fold(messages, p, digest, { format });
          assert.deepEqual(faultsAdded(messages, window, format), [], `pinned ${pinned}, budget ${tailBudget}: ${window.map((m) => messages.indexOf(m))}`);
        }
      }
    });

    test(`${entry} ${format}: a word of the user between a call and its result`, () => {
      const word = user('hurry');
      const messages = [user('a'), model('b'), user('c'), ...call('c1', 'c2'), word, ...result('c1', 'c2'), model('d'), user('e'), model('f')];
      const [from, to] = [3, messages.findIndex((m, i) => i > 3 && m !== word && carriesResults(reading([m], format)[0]))];
      for (let tailBudget = 0; tailBudget <= total(messages, format); tailBudget += 5) {
        const p = plan(messages, { format, tailBudget });
        assert.ok(p.keptFrom <= from || p.keptFrom > to, `torn at ${p.keptFrom}`);
        assert.deepEqual(faultsAdded(messages, fold(messages, p, digestMessage('GOAL', { format }), { format }), format), []);
      }
      const problems = check(messages, { format });
      const { messages: sound, edits } = repair(messages, { format });
      assert.deepEqual(faultsOnly(sound, format), []);
      assert.deepEqual(check(sound, { format }), []);
      assert.ok(same(undoRepair(sound, edits), messages));
      assert.ok(JSON.stringify(sound).includes('hurry'), 'the user\'s word is lost');
      // Nobody refuses it here: results may come later.
      const allowed = ['openai-responses', 'hotl'].includes(format);
      assert.equal(problems.length > 0, !allowed);
      assert.equal(faultsOnly(messages, format).length > 0, !allowed);
      if (allowed) return assert.ok(same(sound, messages));
      // Two contents of the user's side in a row are joined there, and the results are where they have to be.
      if (format === 'gemini') assert.deepEqual(problems.map((p) => p.code), ['broken-alternation']);
      else assert.ok(['c1', 'c2'].every((id) => problems.some((p) => p.id === id)), JSON.stringify(problems));
    });
  }

  // ----------------------------------------------------------------------------------------- calls that code made
  test(`${entry} anthropic: a call that the provider's code made stays with that code`, () => {
    const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' };
    const made = (id) => [
      { role: 'assistant', content: [...(id === 'a' ? [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'x' } }] : []), { type: 'tool_use', id, name: 'read', input: {}, caller }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    ];
    const messages = [{ role: 'user', content: 'one' }, { role: 'assistant', content: 'two' }, { role: 'user', content: 'three' }, ...made('a'), ...made('b'), ...made('c')];
    for (const cut of [messages.length, messages.length - 1]) {
      const p = plan(messages.slice(0, cut), { tailBudget: 0 });
      assert.equal(p.keptFrom, 3, 'the code that waits was folded');
    }
    const done = [...messages, { role: 'assistant', content: [{ type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'code_execution_result', stdout: '', stderr: '', return_code: 0, content: [] } }, { type: 'text', text: 'done' }] }, { role: 'user', content: 'next' }];
    assert.deepEqual(plan(done, { tailBudget: 0 }).keptFrom, done.length - 1);
    assert.deepEqual(plan(done, { tailBudget: 0, pinned: [5] }).kept, [3, 4, 5, 6, 7, 8, 9]);
    assert.deepEqual(check(done), []);
  });

  // ------------------------------------------------------------------------------------------------------------- merging
  for (const format of FORMATS) {
    const { user, model, called } = MAKE[format];

    test(`${entry} ${format}: a digest goes into the user's message, never into one with results`, () => {
      const messages = [user('a'), model('b'), ...called('c'), model('d'), user('the question'), model('e')];
      const before = JSON.stringify(messages);
      const digest = digestMessage('GOAL: x', { format });
      for (let keptFrom = 1; keptFrom < messages.length; keptFrom++) {
        let window;
        try {
          window = fold(messages, { prefixEnd: 0, keptFrom }, digest, { format, merge: true });
        } catch {
          continue;
        }
        const first = messages[keptFrom];
        const merges = first === messages[messages.length - 2] && format !== 'gemini';
        const bare = fold(messages, { prefixEnd: 0, keptFrom }, digest, { format });
        assert.equal(window.length, bare.length - (merges ? 1 : 0), `cut at ${keptFrom}`);
        assert.deepEqual(faultsAdded(messages, window, format), []);
        if (!merges) {
          assert.ok(same(window.slice(-(messages.length - keptFrom)), messages.slice(keptFrom)));
          continue;
        }
        const text = JSON.stringify({ ...window[0], id: undefined });
        assert.ok(text.includes('<compaction-summary>') && text.indexOf('GOAL: x') < text.indexOf('the question'));
        assert.ok(window[0] !== first && window[1] === messages[messages.length - 1]);
        assert.deepEqual(Object.keys(window[0]), Object.keys(first));
      }
      assert.equal(JSON.stringify(messages), before);
    });

    test(`${entry} ${format}: what was merged comes back as it was`, () => {
      let merged = 0;
      for (let seed = 0; seed < SEEDS; seed++) {
        const r = new Random(seed + 77);
        const messages = randomTranscript(seed, format, { malformed: r.pick([0, 0, 0.4]), turns: 2 + r.below(5) });
        const original = [...messages];
        const before = JSON.stringify(messages);
        const ledger = new Ledger();
        let window = messages;
        let all = original;
        for (let round = 0; round < 3; round++) {
          const read = reading(window, format);
          const cuts = transcriptOf(window, format).legal.filter((i) => i > 0);
          const wanted = cuts.filter((i) => read[i].role === 'user');
          const at = wanted.length && r.chance(0.8) ? r.pick(wanted) : undefined;
          const tail = at === undefined ? r.below(total(window, format) + 1) : total(window.slice(at), format);
          const p = plan(window, { format, tailBudget: tail, ledger, ...(r.chance(0.3) ? { anchorTask: true } : {}), ...(r.chance(0.3) && window.length ? { pinned: [r.below(window.length)] } : {}) });
          if (p.kind === 'none') break;
          const digest = digestMessage(`GOAL: ${seed}.${round}`, { format, like: window });
          ledger.record({ messages: window, plan: p, digest, format, merge: true });
          const next = fold(window, p, digest, { format, merge: true, ledger });
          const plain = fold(window, p, digest, { format, ledger });
          if (next.length < plain.length) {
            merged++;
            const host = next.find((m) => !window.includes(m) && !plain.includes(m));
            assert.ok(host && reading([host], format)[0].role === 'user' && !carriesResults(reading([window[p.keptFrom]], format)[0]));
            assert.equal(plain[plain.indexOf(digest) + 1], window[p.keptFrom], 'merged past what stands before it');
          }
          assert.deepEqual(faultsAdded(plain, next, format).filter(({ rule }) => rule !== 'alternation'), []);
          const more = round === 1 ? randomTranscript(seed + 5000, format, { turns: 1 }).filter((m) => reading([m], format)[0].role !== 'system') : [];
          window = [...next, ...more];
          all = [...all, ...more];
          assert.ok(same(ledger.unfold(window), all), `seed ${seed}, round ${round}`);
          assert.deepEqual(json(Ledger.from(json(ledger)).unfold(json(window))), json(all));
        }
        assert.equal(JSON.stringify(original), before);
      }
      assert.ok(format === 'gemini' ? merged === 0 : merged > SEEDS / 4, `${merged} merged`);
      count('merged digests', merged);
    });
  }

  test(`${entry}: a message with parts keeps them, the digest in front`, () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBOR' } };
    const last = { role: 'user', content: [image, { type: 'text', text: 'what is this?' }] };
    const [window] = [fold([{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }, last], { prefixEnd: 0, keptFrom: 2 }, digestMessage('GOAL', { format: 'anthropic' }), { format: 'anthropic', merge: true })];
    assert.equal(window.length, 1);
    assert.deepEqual(window[0].content.map((b) => b.type), ['text', 'image', 'text']);
    assert.ok(window[0].content[1] === image && window[0].content[2] === last.content[1]);
    // A result, though it answers nothing, is first in its message.
    const stray = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'gone', content: 'x' }, { type: 'text', text: 'and' }] };
    const messages = [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }, stray];
    const digest = digestMessage('GOAL', { format: 'anthropic' });
    assert.deepEqual(fold(messages, { prefixEnd: 0, keptFrom: 2 }, digest, { format: 'anthropic', merge: true }), [digest, stray]);
  });

  test(`${entry}: a question is not merged past what stands before it`, () => {
    const user = (content) => ({ role: 'user', content });
    const model = (content) => ({ role: 'assistant', content });
    const messages = [user('a'), model('b'), user('c'), model('PIN'), user('QUESTION'), { role: 'system', content: 'S' }, model([{ type: 'thinking', thinking: 'hm', signature: 'Eq==' }, { type: 'text', text: 'ANSWER' }])];
    const p = plan(messages, { format: 'anthropic', tailBudget: total(messages.slice(4), 'anthropic'), pinned: [3] });
    assert.deepEqual([p.keptFrom, p.kept], [4, [3]]);
    const digest = digestMessage('GOAL', { format: 'anthropic' });
    for (const merge of [false, true]) {
      const ledger = new Ledger();
      ledger.record({ messages, plan: p, digest, format: 'anthropic', merge });
      const window = fold(messages, p, digest, { format: 'anthropic', merge });
      assert.ok(same(window, [digest, ...messages.slice(3)]), JSON.stringify(window.map((m) => messages.indexOf(m))));
      assert.ok(same(ledger.unfold(window), messages));
    }
    // Next to each other they are merged, pins elsewhere or not.
    const q = plan(messages, { format: 'anthropic', tailBudget: total(messages.slice(4), 'anthropic'), pinned: [0] });
    assert.equal(fold(messages, q, digest, { format: 'anthropic', merge: true }).length, 4);
  });

  sharedTest(`${entry}: a digest is never put in front of a result (case 58)`, () => {
    const { format, input, call, expect } = caseOf(58);
    for (const merge of [false, true]) {
      const p = plan(input, { format, tailBudget: call.args.tail_budget });
      assert.deepEqual([p.prefixEnd, p.keptFrom], [expect.plan.prefix_end, expect.plan.kept_from]);
      const digest = digestMessage(call.args.summary, { format });
      const window = fold(input, p, digest, { merge });
      assert.equal(window[0], digest);
      assert.ok(same(window.slice(1), input.slice(1)));
      assert.equal(window[2].content.findIndex((b) => b.type === 'tool_result'), expect.result_block_index_in_its_message);
    }
  });

  // ------------------------------------------------------------------------------------------------------------ taking turns
  test(`${entry} gemini: user and model take turns in every window, and fillers go when it unfolds`, () => {
    let fillers = 0;
    for (let seed = 0; seed < 2 * SEEDS; seed++) {
      const r = new Random(seed + 4242);
      const original = randomTranscript(seed, 'gemini', { turns: 2 + r.below(6) });
      const ledger = new Ledger();
      let window = original;
      let all = original;
      for (let round = 0; round < 3; round++) {
        const budget = total(window, 'gemini');
        const options = { format: 'gemini', ledger, tailBudget: r.pick([0, budget / 3, budget / 2, r.below(budget + 1)]) };
        if (r.chance(0.7)) options.pinned = Array.from({ length: 1 + r.below(4) }, () => r.below(window.length));
        if (r.chance(0.3)) options.anchorTask = true;
        if (r.chance(0.3)) options.anchorRequest = true;
        if (r.chance(0.3)) options.keepSystem = true;
        if (r.chance(0.3)) options.prefix = r.below(4);
        if (r.chance(0.3)) options.keepTurns = r.below(3);
        const p = plan(window, options);
        if (p.kind === 'none') break;
        const merge = r.chance(0.3);
        const digest = digestMessage(`GOAL: ${seed}.${round}`, { format: 'gemini' });
        ledger.record({ messages: window, plan: p, digest, format: 'gemini', merge });
        const next = fold(window, p, digest, { ...options, merge });
        assert.deepEqual(faultsOnly(next, 'gemini'), [], `seed ${seed}: ${JSON.stringify({ ...options, ledger: undefined })}`);
        for (const m of next.filter((x) => !window.includes(x) && !digest.includes(x))) {
          fillers++;
          assert.deepEqual(Object.keys(m), ['role', 'parts']);
          assert.ok(['user', 'model'].includes(m.role) && m.parts.length === 1 && m.parts[0].text.length > 0 && m.parts[0].text.length < 30);
        }
        const more = round === 1 ? [{ role: validate([...next, { role: 'user', parts: [{ text: 'x' }] }], 'gemini').some(({ rule }) => rule === 'alternation') ? 'model' : 'user', parts: [{ text: 'more' }] }] : [];
        const fits = waiting(next, 'gemini').length === 0; // or else the answer comes next
        window = fits ? [...next, ...more] : next;
        all = fits ? [...all, ...more] : all;
        assert.ok(same(ledger.unfold(window), all), `seed ${seed}, round ${round}`);
        assert.deepEqual(Ledger.from(json(ledger)).unfold(json(window)), json(all));
        count('gemini windows');
      }
    }
    assert.ok(fillers > SEEDS / 10, `${fillers} fillers`);
    count('fillers', fillers);
  });

  test(`${entry} gemini: a filler is nobody's request`, () => {
    const { user, model } = MAKE.gemini;
    const messages = [user('a'), model('b'), user('c'), model('d')];
    const p = plan(messages, { tailBudget: 0 });
    const digest = digestMessage('GOAL', { format: 'gemini' });
    const ledger = new Ledger();
    ledger.record({ messages, plan: p, digest });
    const window = fold(messages, p, digest);
    assert.equal(window.length, 4);
    const more = [...window, user('the task'), model('e'), user('f'), model('g')];
    assert.deepEqual(plan(more, { tailBudget: 0, anchorTask: true, ledger }).kept, [4]);
    assert.equal(plan(more, { tailBudget: 0, keepTurns: 2, ledger }).keptFrom, 4);
    const waits = plan([...window.slice(0, 3), model('d'), user('f'), model('g'), model('h')], { format: 'gemini', tailBudget: 0, anchorRequest: true, ledger });
    assert.deepEqual(waits.keptReasons, ['request']);
    assert.deepEqual(waits.kept, [4]);
  });

  test(`${entry} gemini: what is put in, by hand`, () => {
    const { user, model, called } = MAKE.gemini;
    const messages = [user('a'), model('b'), user('keep me'), model('c'), ...called('f'), model('d'), user('e'), model('f'), user('g'), model('h')];
    assert.equal(messages[5].role, 'user');
    const sound = [user('a'), model('b'), user('keep me'), ...called('f'), model('d'), user('e'), model('f'), user('g'), model('h')];
    assert.deepEqual(faultsOnly(sound, 'gemini'), []);
    const digest = digestMessage('GOAL', { format: 'gemini' });
    const roles = (list) => list.map((m) => m.role).join(' ');
    // A pinned message of the user stands before the digest: the model says a word between the two.
    const p = plan(sound, { tailBudget: 30, pinned: [2] });
    const window = fold(sound, p, digest);
    assert.equal(window[0], sound[2]);
    assert.equal(roles(window.slice(0, 4)), 'user model user model');
    assert.ok(window[2] === digest[0] && window[3] === digest[1]);
    // The tail begins with the model: the user says one.
    const late = fold(sound, { prefixEnd: 0, keptFrom: 5 }, digest);
    assert.equal(roles(late), 'user model user model user model user model');
    assert.ok(late[3] === sound[5]);
    // Where all is well nothing is put in.
    assert.deepEqual(fold(sound, { prefixEnd: 0, keptFrom: 6 }, digest), [...digest, ...sound.slice(6)]);
    for (const list of [window, late]) assert.deepEqual(faultsOnly(list, 'gemini'), []);
  });
});
