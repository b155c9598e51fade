// SPDX-License-Identifier: MIT OR Apache-2.0
//
// compact and prepare, point by point: what is asked, what becomes of an answer, what a failure leaves, and how it ends when
// nothing can be freed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTILE } from './support/hostile.mjs';
import { forEachEntry } from './support/package.mjs';

const SUMMARY = 'GOAL: dig the beds\nSTATE: two are dug\nDECISIONS: raised beds\nCONSTRAINTS: herbs by the door\nFILES: beds/plan.md\nNEXT: dig the third';
const words = (n, word = 'compost') => Array.from({ length: n }, (_, i) => `${word}${i}`).join(' ');
const u = (content) => ({ role: 'user', content });
const a = (content) => ({ role: 'assistant', content });
const use = (id, name, input) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] });
const result = (id, content, more = {}) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] });
const turns = (n, size = 60) => Array.from({ length: n }, (_, i) => [u(`bed ${i}: ${words(size)}`), a(`done ${i}: ${words(size)}`)]).flat();
const same = (x, y) => x.length === y.length && x.every((item, i) => item === y[i]);
const format = 'anthropic';

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, Transcript, activity, compact, deterministicDigest, digestMessage, estimate, fold, mergeRequests, plan, prepare, summarizeRequests, withActivity } = plica;
  const it = (name, fn) => test(`${entry}: ${name}`, { timeout: 60_000 }, fn);
  const code = (expected) => (error) => {
    assert.ok(error instanceof PlicaError, `${error?.stack ?? error}`);
    assert.equal(error.code, expected, error.message);
    return true;
  };
  /** A transcript of which a fold is due. */
  const full = (options = {}) => new Transcript({ format, window: 8000, ...options }).append(turns(20));

  it('a Transcript is folded in place, an array gives a new one', async () => {
    const t = full();
    const originals = t.messages();
    const before = t.tokens;
    const requests = [];
    const done = await compact(t, { summarize: (request) => (requests.push(request), SUMMARY) });
    assert.equal(done.outcome, 'summarized');
    assert.equal(done.reason, undefined);
    assert.equal(done.tokens.before, before);
    assert.equal(done.tokens.after, t.tokens);
    assert.ok(done.tokens.after < 0.5 * before);
    assert.ok(same(done.messages, t.messages()) && same(t.ledger.unfold(t.messages()), originals));
    assert.equal(requests.length, 1);
    assert.ok(requests[0].prompt.includes('bed 0:') && !requests[0].prompt.includes('bed 19:'));
    // Three tenths of the window stay.
    const tail = estimate(done.messages.slice(done.fold.record.prefixEnd + 1), { format }).total;
    assert.ok(tail <= 2400 && tail > 1800, `${tail}`);
    assert.deepEqual([done.fold.outcome, done.fold.tokens], ['summarized', done.tokens]);

    const array = turns(20);
    const copy = JSON.stringify(array);
    const ledger = new Ledger();
    const folded = await compact(array, { window: 8000, ledger, summarize: () => ({ text: SUMMARY, model: 'gardener-1' }) });
    assert.equal(JSON.stringify(array), copy);
    assert.equal(array.length, 40);
    assert.ok(folded.ledger === ledger && same(ledger.unfold(folded.messages), array));
    assert.equal(folded.fold.model, 'gardener-1');
    assert.ok(folded.messages.slice(1).every((message) => array.includes(message)));
    const again = await compact([...folded.messages, ...turns(20)], { window: 8000, ledger, summarize: (request) => (requests.push(request), SUMMARY) });
    assert.ok(requests.some(({ prompt }) => prompt.includes('[summary so far] GOAL: dig the beds\n  STATE:') && prompt.includes('write that summary anew')));
    assert.equal(ledger.unfold(again.messages).length, 80);
    const alone = await compact(array, { tailBudget: 2000, summarize: () => SUMMARY });
    assert.ok(same(alone.ledger.unfold(alone.messages), array));
  });

  it('a refused summary is asked for again, then rules make the digest, then the floor', async () => {
    const events = [];
    const contexts = [];
    const done = await compact(full(), {
      onEvent: (event) => { events.push(event.type); throw new Error('a listener has no say'); },
      summarize: (request, context) => { contexts.push(context); return context.attempt === 1 ? '' : SUMMARY; },
    });
    assert.equal(done.outcome, 'summarized');
    assert.deepEqual(events, ['planned', 'request', 'failed', 'request', 'answered', 'digest', 'folded']);
    assert.deepEqual(contexts.map(({ attempt, failed }) => [attempt, failed?.reason]), [[1, undefined], [2, 'blank']]);
    assert.deepEqual(done.failed.map(({ part, attempt, reason }) => [part, attempt, reason]), [[1, 1, 'blank']]);

    let calls = 0;
    const t = full();
    const span = t.plan({ tailBudget: 2400 });
    const text = deterministicDigest(t.messages(), span);
    const rules = await compact(t, { attempts: 3, summarize: () => { calls++; throw new Error('away'); } });
    assert.deepEqual([rules.outcome, rules.reason, calls], ['deterministic', 'summarizer-failed', 3]);
    assert.ok(rules.messages[0].content.includes(text));
    for (const heading of ['GOAL', 'STATE', 'DECISIONS', 'CONSTRAINTS', 'FILES', 'NEXT']) assert.match(rules.messages[0].content, new RegExp(`^${heading}:`, 'm'));
    assert.match(rules.failed[0].message, /away/);

    const floor = await compact(full(), { fallback: 'floor' });
    assert.deepEqual([floor.outcome, floor.reason], ['floor', 'no-summarizer']);
    assert.ok(floor.messages[0].content.startsWith('<compaction-summary degraded="true">'));
    const none = await compact(full(), { fallback: 'none', summarize: () => '' });
    assert.deepEqual([none.outcome, none.reason, none.messages.length, none.ledger.folds.length], ['unchanged', 'blank', 40, 0]);
    const own = await compact(full(), { summarize: () => SUMMARY, accept: (summary) => (summary.includes('door') ? 'no doors, please' : true) });
    assert.deepEqual([own.outcome, own.reason, own.failed[0].message], ['deterministic', 'not-accepted', 'no doors, please']);
    const big = await compact(full(), { summarize: () => `${SUMMARY}\n${words(6000, 'mulch')}` });
    assert.deepEqual([big.outcome, big.reason], ['deterministic', 'not-smaller']);
  });

  it('an abort throws its reason and changes nothing, before, during and while the summarizer does not listen', async () => {
    const reason = new Error('the user left');
    const t = full();
    const [messages, ledger] = [t.messages(), JSON.stringify(t.ledger)];
    const unharmed = () => assert.ok(same(t.messages(), messages) && JSON.stringify(t.ledger) === ledger);
    await assert.rejects(compact(t, { signal: AbortSignal.abort(reason), summarize: () => assert.fail('called') }), (error) => error === reason);
    unharmed();
    const during = new AbortController();
    const heard = [];
    await assert.rejects(
      compact(t, {
        signal: during.signal,
        summarize: (_, { signal }) => new Promise(() => {
          signal.addEventListener('abort', () => heard.push(signal.reason));
          setTimeout(() => during.abort(reason), 5);
        }),
      }),
      (error) => error === reason,
    );
    assert.deepEqual(heard, [reason]);
    unharmed();
    const late = new AbortController();
    await assert.rejects(compact(t, { signal: late.signal, summarize: async () => { late.abort(reason); return SUMMARY; } }), (error) => error === reason);
    unharmed();
    // Listeners are taken off again.
    const signal = new AbortController().signal;
    let listening = 0;
    const counted = { get aborted() { return signal.aborted; }, addEventListener: (...x) => { listening++; signal.addEventListener(...x); }, removeEventListener: (...x) => { listening--; signal.removeEventListener(...x); } };
    assert.equal((await compact(t, { signal: counted, summarize: () => SUMMARY })).outcome, 'summarized');
    assert.equal(listening, 0);
  });

  it('a summarizer that takes too long is given up, and told so', async () => {
    const signals = [];
    const done = await compact(full(), { timeoutMs: 5, summarize: (_, { signal }) => (signals.push(signal), new Promise(() => {})) });
    assert.deepEqual([done.outcome, done.reason, signals.length], ['deterministic', 'timed-out', 2]);
    assert.ok(signals.every((signal) => signal.aborted));
    assert.equal((await compact(full(), { timeoutMs: Infinity, summarize: () => SUMMARY })).outcome, 'summarized');
    assert.equal((await compact(full(), { timeoutMs: 1e12, summarize: () => SUMMARY })).outcome, 'summarized');
  });

  it('a request that is too long for the summarizer is made in parts, which are put together', async () => {
    const prompts = [];
    const events = [];
    const done = await compact(full(), {
      onEvent: ({ type, window }) => type === 'shortened' && events.push(window),
      summarize: ({ prompt, tokens, part, parts }) => {
        prompts.push(prompt);
        if (tokens > 2500) throw Object.assign(new Error('400 This model\'s maximum context length is 2500 tokens. However, your messages resulted in 5200 tokens.'), { code: 'context_length_exceeded' });
        return prompt.includes('[summary of part') ? SUMMARY : `${SUMMARY}, part ${part} of ${parts}`;
      },
    });
    assert.equal(done.outcome, 'summarized');
    assert.ok(events.length >= 1 && events.every((window, i) => i === 0 || window < events[i - 1]));
    assert.ok(prompts.at(-1).includes('[summary of part 1 of ') && prompts.at(-1).includes(', part 1 of '));
    assert.ok(done.messages[0].content.includes(SUMMARY));
    assert.ok(done.failed.every(({ reason }) => reason === 'too-long'));
    // Everything that folds was asked about once in the end.
    const parts = prompts.filter((prompt) => prompt.startsWith('Summarize part'));
    for (let i = 0; i < 10; i++) assert.ok(parts.some((prompt) => prompt.includes(`bed ${i}: `)));
    const never = await compact(full(), { summarize: () => { throw new Error('Input is too long for requested model.'); } });
    assert.equal(never.outcome, 'deterministic');
    assert.ok(never.failed.length < 20);
  });

  it('a fold that frees next to nothing is not made, and no model is called for it', async () => {
    const called = () => assert.fail('called');
    const t = new Transcript({ format, window: 8000 }).append([u('hi'), a('hello'), ...turns(3)]);
    const little = await compact(t, { tailBudget: estimate(t.messages().slice(2), { format }).total, summarize: called });
    assert.deepEqual([little.outcome, little.reason, little.tokens.after], ['unchanged', 'too-little-gain', little.tokens.before]);
    const nothing = await compact([u('hi'), a('hello')], { tailBudget: 1000, summarize: called });
    assert.deepEqual([nothing.outcome, nothing.reason], ['unchanged', 'too-little-gain']);
    // What stays does not fit, whatever the digest.
    const large = new Transcript({ format, window: 3000 }).append([...turns(5), u('go'), use('t', 'Read', { file_path: 'a' }), result('t', words(3000))]);
    const wide = await compact(large, { summarize: called });
    assert.deepEqual([wide.outcome, wide.reason], ['unchanged', 'cannot-fit']);
    assert.equal(large.ledger.folds.length, 0);
    // A loop that does not look at the answer ends by name.
    let rounds = 0;
    await assert.rejects(async () => { while (large.due() && rounds++ < 100) await compact(large, { summarize: called }); }, code('no-progress'));
    assert.ok(rounds <= 5);
    let list = [u('hi'), a('hello')];
    rounds = 0;
    await assert.rejects(async () => { while (rounds++ < 100) list = (await compact(list, { tailBudget: 1000 })).messages; }, code('no-progress'));
    assert.ok(rounds <= 5);
    // With another budget it is another question.
    assert.equal((await compact(large, { tailBudget: 5, summarize: called })).reason, 'cannot-fit');
  });

  it('a smaller window is planned for anew', async () => {
    const t = full();
    const small = await compact(t, { window: 4000, summarize: () => SUMMARY });
    assert.equal(small.outcome, 'summarized');
    assert.ok(small.tokens.after < 0.4 * 4000, `${small.tokens.after}`);
    await assert.rejects(compact(turns(3), { summarize: () => SUMMARY }), code('bad-budget'));
    await assert.rejects(compact(turns(3), { tailBudget: -1 }), code('bad-budget'));
  });

  it('a prepared digest is taken when its messages are what they were', async () => {
    const window = Math.round(estimate(turns(15), { format }).total / 0.65);
    const start = () => new Transcript({ format, window }).append(turns(15));
    const rest = () => turns(6).map((message) => ({ ...message, content: `later ${message.content}` }));
    const told = [];
    const fresh = (options) => ({ summarizerWindow: Infinity, summarize: (request) => (told.push(request), SUMMARY.replace('two', 'four')), onEvent: ({ type, reason }) => ['adopted', 'discarded'].includes(type) && told.push(reason ?? type), ...options });
    const prepared = async (t, options = {}) => {
      const one = prepare(t, { summarize: () => SUMMARY, ...options });
      assert.deepEqual(await one.ready, { prepared: true });
      return one;
    };
    let t = start();
    assert.ok(t.due({ at: 0.6 }) && !t.due());
    const originals = [...t.messages(), ...rest()];
    let one = prepare(t, { summarize: () => new Promise((done) => setTimeout(done, 5, SUMMARY)) });
    t.append(originals.slice(30));
    assert.ok(t.due());
    // Not ready yet: it is waited for.
    let done = await compact(t, fresh({ prepared: one }));
    assert.deepEqual([done.outcome, told], ['summarized', ['adopted']]);
    assert.ok(done.messages[0].content.includes('two are dug') && same(t.ledger.unfold(t.messages()), originals));
    assert.ok(!t.due());
    // At 0.6 the tail is planned short, so that it is 0.3 when it is taken.
    const tail = estimate(done.messages.slice(1), { format }).total;
    assert.ok(tail > 0.2 * window && tail < 0.45 * window, `${tail}`);

    const discarded = async (change, options = {}) => {
      told.length = 0;
      t = start();
      one = await prepared(t);
      change();
      const messages = t.messages();
      done = await compact(t, fresh({ prepared: one, ...options }));
      assert.equal(typeof told[0], 'string');
      assert.notEqual(told[0], 'adopted');
      assert.equal(told.filter((entry) => typeof entry === 'object').length, done.outcome === 'summarized' ? 1 : 0);
      assert.ok(same(done.ledger.unfold(done.messages), messages));
      return told[0];
    };
    assert.match(await discarded(() => t.truncate(4).append(turns(18))), /not what they were/);
    assert.match(await discarded(() => t.truncate(2).append(turns(1))), /removed/);
    assert.match(await discarded(() => t.append(rest()), { pinned: [3] }), /to stay/);
    assert.match(await discarded(() => t.append(rest()), { window: 0.45 * window }), /another fold would be due/);
    t = start();
    one = prepare(t, { summarize: () => '' });
    assert.deepEqual(await one.ready, { prepared: false, reason: 'blank' });
    t.append(rest());
    assert.equal((await compact(t, fresh({ prepared: one }))).outcome, 'summarized');
    // Cancelled and aborted.
    t = start();
    const signals = [];
    const cancelled = prepare(t, { summarize: (_, { signal }) => (signals.push(signal), new Promise(() => {})) });
    await new Promise((go) => setTimeout(go, 2));
    cancelled.cancel();
    assert.equal((await cancelled.ready).prepared, false);
    assert.ok(signals[0].aborted);
    await assert.rejects(compact(t, { prepared: {} }), code('bad-argument'));
    // Of an array, and taken by another with the same messages.
    const array = turns(20);
    const ofArray = prepare(array, { tailBudget: 2000, summarize: () => SUMMARY });
    await ofArray.ready;
    const taken = await compact(structuredClone(array), { tailBudget: 2000, prepared: ofArray });
    assert.equal(taken.outcome, 'summarized');
    assert.deepEqual(await prepare([u('hi'), a('x')], { tailBudget: 100 }).ready, { prepared: false, reason: 'too-little-gain' });
  });

  it('messages that change meanwhile are found out', async () => {
    const t = full();
    const later = await compact(t, { summarize: () => { t.append([u('one more')]); return SUMMARY; } });
    assert.equal(later.outcome, 'summarized');
    assert.equal(later.messages.at(-1).content, 'one more');
    const cut = full();
    const stale = await compact(cut, { summarize: () => { cut.truncate(10); return SUMMARY; } });
    assert.deepEqual([stale.outcome, stale.reason, cut.length, cut.ledger.folds.length], ['unchanged', 'stale-plan', 10, 0]);
    const array = turns(20);
    const ledger = new Ledger();
    const edited = await compact(array, { window: 8000, ledger, summarize: () => { array[3].content = 'changed'; return SUMMARY; } });
    assert.deepEqual([edited.outcome, edited.reason, ledger.folds.length], ['unchanged', 'message-changed', 0]);
    const twice = full();
    const both = await Promise.all([1, 2].map(() => compact(twice, { summarize: () => new Promise((done) => setTimeout(done, 2, SUMMARY)) })));
    assert.deepEqual(both.map(({ outcome, reason }) => reason ?? outcome).sort(), ['stale-plan', 'summarized']);
    assert.equal(twice.ledger.unfold(twice.messages()).length, 40);
  });

  it('files and commands are carried as data through folds of folds, and never summarized', async () => {
    const t = new Transcript({ format, window: 20_000 });
    const ledger = t.ledger;
    const step = (n) => [
      u(`step ${n}: ${words(80)}`),
      use(`r${n}`, 'Read', { file_path: `beds/${n}.csv` }), result(`r${n}`, words(200)),
      use(`w${n}`, 'Edit', { file_path: 'beds/plan.md', old_string: 'a', new_string: 'b' }), result(`w${n}`, 'ok'),
      use(`b${n}`, 'Bash', { command: `frost --bed ${n}` }), result(`b${n}`, n % 2 ? 'cold' : 'no station', { is_error: n % 2 === 0 }),
      use(`c${n}`, 'Bash', { command: 'make plan' }), result(`c${n}`, 'made'),
      a(`step ${n} is done ${words(60)}`),
    ];
    const prompts = [];
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 6; i++) t.append(step(round * 6 + i));
      const { outcome, reason } = await compact(t, { tailBudget: 1200, summarize: ({ prompt }) => (prompts.push(prompt), SUMMARY.replace('two', `${round} beds`)) });
      assert.equal(outcome, 'summarized', reason);
    }
    const done = activity(t.messages(), { prefixEnd: 0, keptFrom: 1 }, { format, ledger });
    const read = done.files.filter((file) => !file.changed).map((file) => file.path);
    assert.ok(read.length >= 34 && read[0] === 'beds/0.csv', `${read}`);
    assert.deepEqual(done.files.filter((file) => file.changed), [{ path: 'beds/plan.md', changed: true }]);
    const make = done.commands.find((run) => run.command === 'make plan');
    assert.ok(make.runs >= 34 && !make.failed, JSON.stringify(make));
    assert.equal(done.commands.find((run) => run.command === 'frost --bed 2').failed, true);
    const digest = t.messages()[0].content;
    for (const line of ['- changed beds/plan.md', '- ran `frost --bed 0` (failed)', '- read beds/30.csv']) assert.ok(digest.includes(line), `${line}: ${digest}`);
    assert.ok(prompts.slice(1).every((prompt) => prompt.includes('[summary so far]') && !prompt.includes('kept as data')));
    // Each fold keeps its own; those behind it are read from fold to fold.
    assert.ok(ledger.folds.slice(1).every((one) => one.activity.files.length < 10));
    // With the ledger from its JSON, without it from the text, by rules, and with the caller's own tools.
    const saved = Ledger.from(JSON.parse(JSON.stringify(ledger)));
    assert.deepEqual(saved.folds.map((one) => one.activity), ledger.folds.map((one) => one.activity));
    const window = t.messages();
    const whole = { prefixEnd: 0, keptFrom: 1 };
    assert.deepEqual(activity(window, whole, { format, ledger: saved, provenance: (_, i) => (i === 0 ? 'summary' : undefined) }), done);
    const fromText = activity(window, whole, { format, provenance: () => 'summary' });
    assert.ok(fromText.files.some((file) => file.changed) && fromText.commands.length > 5);
    assert.ok(deterministicDigest(window, whole, { format, ledger: saved }).includes('- changed beds/plan.md'));
    const own = activity([use('x', 'plough', { where: 'field' })], whole, { format, tools: { plough: { kind: 'write', path: 'where' } } });
    assert.deepEqual(own, { files: [{ path: 'field', changed: true }], commands: [] });
    assert.equal(withActivity('GOAL: x', { files: [], commands: [] }), 'GOAL: x');
    assert.ok(withActivity('GOAL: x', done, { maxBytes: 300 }).length <= 320);
    assert.throws(() => withActivity('GOAL: x', { files: [{ path: 5 }] }), code('bad-argument'));
    assert.throws(() => withActivity('GOAL: x', null), code('bad-argument'));
  });

  it('requests fit the window they are made for', () => {
    const messages = [...turns(10, 300), u(`${words(4000, 'seed')}`), a('x')];
    const p = plan(messages, { tailBudget: 0, format });
    for (const window of [1300, 2500, 6000, 50_000]) {
      const requests = summarizeRequests(messages, p, { format, window });
      for (const { system, prompt, tokens } of requests) {
        assert.ok(tokens < window);
        assert.ok(estimate([u(system), u(prompt)], { format }).total < window + 10);
      }
      for (let i = 0; i < 4000; i += 13) assert.ok(requests.some(({ prompt }) => new RegExp(`\\bseed${i}\\b`).test(prompt)), `seed${i}`);
    }
    assert.throws(() => summarizeRequests(messages, p, { format, window: 500 }), code('bad-argument'));
    assert.throws(() => mergeRequests([], {}), code('bad-argument'));
    assert.throws(() => mergeRequests(['a', 5]), code('bad-argument'));
    const [request] = summarizeRequests(messages, p, { format, instructions: 'Mind the slugs.' });
    assert.ok(request.system.endsWith('\n\nMind the slugs.') && request.parts === 1);
    assert.ok(mergeRequests([SUMMARY, SUMMARY])[0].prompt.includes('[summary of part 2 of 2] GOAL'));
  });

  it('a digest that says nothing is refused wherever it is given', () => {
    const messages = turns(3);
    const p = plan(messages, { tailBudget: 0, format });
    const t = new Transcript({ format }).append(messages);
    for (const digest of [{}, { role: 'user' }, u(''), u(' \n\ufeff'), { role: 'user', content: [] }, [digestMessage(SUMMARY, { format }), u('')]]) {
      for (const fn of [() => fold(messages, p, digest), () => new Ledger().record({ messages, plan: p, digest }), () => t.commit(p, digest)]) assert.throws(fn, code('empty-summary'));
    }
    assert.equal(t.length, 6);
  });

  it('an abort is seen in every gap', async () => {
    const reason = new Error('stopped');
    const stopped = async (options, { calls: most = 1 } = {}) => {
      const t = full();
      const [messages, ledger] = [t.messages(), JSON.stringify(t.ledger)];
      const controller = new AbortController();
      let calls = 0;
      const stop = () => controller.abort(reason);
      await assert.rejects(compact(t, { signal: controller.signal, timeoutMs: Infinity, ...options(stop, () => calls++) }), (error) => error === reason);
      assert.ok(same(t.messages(), messages) && JSON.stringify(t.ledger) === ledger);
      assert.ok(calls <= most, `${calls} calls`);
    };
    for (const type of ['planned', 'request', 'failed', 'answered', 'digest']) {
      await stopped((stop, called) => ({ onEvent: (event) => event.type === type && stop(), summarize: () => { called(); return type === 'failed' ? '' : SUMMARY; } }));
    }
    await stopped((stop, called) => ({ accept: () => { stop(); return false; }, summarize: () => { called(); return SUMMARY; } }));
    await stopped((stop, called) => ({ accept: () => { stop(); throw new Error('x'); }, summarize: () => { called(); return SUMMARY; } }));
    await stopped((stop) => ({ summarize: () => { stop(); return new Promise(() => {}); } }));
    const hanging = prepare(full(), { timeoutMs: Infinity, summarize: () => new Promise(() => {}) });
    await stopped((stop) => ({ prepared: hanging, pinned: () => { stop(); return false; }, summarize: () => SUMMARY }));
    hanging.cancel();
    assert.deepEqual(await hanging.ready, { prepared: false, reason: 'aborted' });
  });

  it('what changes behind the cut makes nothing stale', async () => {
    const t = full();
    const streaming = await compact(t, { summarize: () => { t.replaceLast(a('another end')); t.append([u('more')]); return SUMMARY; } });
    assert.deepEqual([streaming.outcome, t.messages().at(-2).content], ['summarized', 'another end']);
    const again = full();
    const prepared = prepare(again, { summarize: () => SUMMARY });
    await prepared.ready;
    const regrown = again.messages().map((message) => structuredClone(message));
    again.replaceLast(a('streamed')).truncate(0).append(regrown);
    assert.equal((await compact(again, { prepared, summarize: () => assert.fail('called') })).outcome, 'summarized');
    const edited = full();
    const stale = await compact(edited, { summarize: () => { edited.truncate(2).append(turns(19, 61)); return SUMMARY; } });
    assert.deepEqual([stale.outcome, stale.reason, stale.tokens.after], ['unchanged', 'stale-plan', edited.tokens]);
  });

  it('costs are bounded, and what is given up is said', async () => {
    let calls = 0;
    const many = await compact(full(), { summarizerWindow: 1100, maxCalls: 9, summarize: () => (calls++, SUMMARY) });
    assert.deepEqual([many.outcome, many.reason, calls], ['deterministic', 'too-many-calls', 0]);
    assert.match(many.failed.at(-1).message, /maxCalls/);
    calls = 0;
    const three = await compact(full(), { attempts: 9, maxCalls: 3, summarize: () => (calls++, '') });
    assert.deepEqual([three.outcome, calls], ['deterministic', 3]);
    await assert.rejects(compact(full(), { summarizerWindow: 300, summarize: () => SUMMARY }), code('bad-argument'));
    const tiny = await compact(new Transcript({ format, window: 900 }).append(turns(3)), { minGain: 1, summarize: () => assert.fail('called') });
    assert.notEqual(tiny.outcome, 'summarized');
    assert.match(tiny.failed[0].message, /window/);
  });

  it('a summary that is only not small enough is not traded for a worse digest', async () => {
    const decisions = Array.from({ length: 45 }, (_, i) => `- bed ${i} gets ${words(4, `plant${i}x`)}`).join('\n');
    const rich = `GOAL: plan\nSTATE: none\nDECISIONS:\n${decisions}\nCONSTRAINTS: none\nFILES: none\nNEXT: dig`;
    const t = full();
    await compact(t, { summarize: () => rich });
    t.append(turns(2, 10));
    const done = await compact(t, { tailBudget: 2300, summarize: () => rich.replace('NEXT: dig', 'NEXT: sow and dig') });
    assert.ok(done.outcome === 'unchanged' ? ['not-smaller', 'too-little-gain'].includes(done.reason) : done.outcome === 'summarized', `${done.outcome} ${done.reason}`);
    assert.ok(t.messages().some((message) => typeof message.content === 'string' && message.content.includes('- bed 44 gets')));
    // As long as hardly more is to fold, no model is paid to say so again.
    const tight = full();
    let calls = 0;
    const wordy = () => (calls++, `GOAL: dig\nSTATE: ${words(420, 'spade')}\nNEXT: rest`);
    for (let i = 0; i < 5; i++) {
      tight.append([u(`go on ${i}`), a('yes')]);
      const said = await compact(tight, { tailBudget: 2400, minGain: 2400, attempts: 1, fallback: 'none', summarize: wordy });
      assert.equal(said.reason, 'not-smaller');
    }
    assert.equal(calls, 1);
    const none = await compact(full(), { fallback: 'floor', summarize: () => `${SUMMARY}\n${words(6000, 'mulch')}` });
    assert.deepEqual([none.outcome, none.reason], ['unchanged', 'not-smaller']);
    const small = new Transcript({ format }).append([...turns(2, 40), ...turns(2)]);
    const little = await compact(small, { tailBudget: 600, minGain: 1, summarize: () => `${SUMMARY}\n${words(400, 'mulch')}` });
    assert.notEqual(little.outcome, 'floor');
  });

  it('a prepared digest is held against the options of now', async () => {
    const t = full();
    const prepared = prepare(t, { summarize: () => SUMMARY });
    await prepared.ready;
    for (const options of [{ prefix: 9 }, { keepTurns: 15 }, { tailBudget: 100 }, { accept: () => false }, { accept: () => 'no' }, { accept: () => { throw new Error('x'); } }]) {
      const said = [];
      await compact(t.fork(), { prepared, fallback: 'none', onEvent: ({ type }) => said.push(type), ...options });
      assert.equal(said[0], 'discarded', JSON.stringify(options));
    }
  });

  it('digests that only the provider can read stay', async () => {
    const sealed = { type: 'compaction', id: 'cmp_1', encrypted_content: 'c2VhbGVk' };
    const items = [sealed, ...turns(20).map(({ role, content }) => ({ type: 'message', role, content }))];
    const done = await compact(items, { format: 'openai-responses', window: 8000, summarize: () => SUMMARY });
    assert.equal(done.outcome, 'summarized');
    assert.ok(done.messages.includes(sealed) && done.ledger.unfold(done.messages).length === 41);
    const again = await compact([...done.messages, ...items.slice(1)], { format: 'openai-responses', window: 8000, ledger: done.ledger, summarize: () => SUMMARY.replace('two', 'nine') });
    assert.ok(again.messages.includes(sealed));
    assert.match(summarizeRequests(items, { prefixEnd: 0, keptFrom: 3 }, { format: 'openai-responses' })[0].prompt, /\[note\] an earlier summary stood here/);
  });

  it('nothing inlined is sent to the summarizer, and commands are told from what only looks like them', () => {
    const data = 'QUJD'.repeat(200);
    const contents = [
      [{ type: 'image', data, mimeType: 'image/png' }], [{ type: 'media', data, mediaType: 'image/png' }], [{ type: 'image', source_type: 'base64', data }],
      [{ type: 'computer_screenshot', image_url: `data:image/png;base64,${data}` }], { out: { nested: [{ data }] } }, { type: 'json', value: { b64_json: data } },
    ];
    for (const content of contents) {
      const { prompt } = summarizeRequests([use('t', 'look', {}), result('t', content)], { prefixEnd: 0, keptFrom: 2 }, { format })[0];
      assert.ok(!prompt.includes('QUJDQUJDQUJD'), `${JSON.stringify(content).slice(0, 60)}: ${prompt}`);
    }
    const done = (...messages) => activity(messages, { prefixEnd: 0, keptFrom: messages.length }, { format });
    assert.deepEqual(done(use('1', 'str_replace_based_edit_tool', { command: 'view', path: 'a' }), use('2', 'str_replace_editor', { command: 'create', path: 'b' })), { files: [{ path: 'a', changed: false }, { path: 'b', changed: true }], commands: [] });
    assert.deepEqual(done(use('1', 'read_many_files', { paths: ['a', './b'] })).files, [{ path: 'a', changed: false }, { path: 'b', changed: false }]);
    const patch = '*** Begin Patch\n*** Update File: beds.rs\n*** End Patch';
    assert.deepEqual(done(use('1', 'shell', { command: ['apply_patch', patch] })).files, [{ path: 'beds.rs', changed: true }]);
    assert.equal(done(use('1', 'shell', { command: ['bash', '-lc', 'make'] }), result('1', JSON.stringify({ output: 'no', metadata: { exit_code: 2 } }))).commands[0].failed, true);
    const heading = 'FILES AND COMMANDS SO FAR (kept as data):';
    const odd = { files: [{ path: 'a\n- ran `evil`', changed: true }], commands: [{ command: `grep "${heading}" src`, runs: 1, failed: false }] };
    const text = withActivity('GOAL: x', odd);
    assert.equal(text.split('\n').filter((line) => line.startsWith('- ran')).length, 1);
    const back = activity([u(`<compaction-summary>\n${text}\n</compaction-summary>`)], { prefixEnd: 0, keptFrom: 1 }, { format, provenance: () => 'summary' });
    assert.deepEqual([back.files.length, back.commands], [1, odd.commands]);
    assert.ok(done(use('1', 'Write', { file_path: 'x'.repeat(1e6) })).files[0].path.length < 600);
  });

  it('hostile arguments give an answer or an error by name, and change nothing', async () => {
    const messages = turns(6);
    const before = JSON.stringify(messages);
    const good = { format, window: 2000, timeoutMs: 20, summarize: () => SUMMARY, ledger: undefined };
    const keys = ['format', 'window', 'tailBudget', 'minGain', 'summarize', 'summarizerWindow', 'attempts', 'timeoutMs', 'signal', 'onEvent', 'accept', 'resultBytes', 'argumentBytes', 'instructions', 'tools', 'listBytes', 'prepared', 'fallback', 'maxBytes', 'retention', 'pinned', 'keepTurns', 'prefix', 'margin', 'ledger', 'provenance', 'estimator'];
    let made = 0;
    const tried = async (what, fn) => {
      made++;
      try {
        const { outcome, messages: window, ledger } = await fn();
        assert.ok(['summarized', 'deterministic', 'floor', 'unchanged'].includes(outcome), what);
        assert.ok(window.length > 0 && same(ledger.unfold(window), messages), what);
      } catch (error) {
        assert.ok(error instanceof PlicaError, `${what}: ${error?.stack ?? String(error?.name)}`);
        assert.notEqual(error.code, 'internal', what);
      }
      assert.equal(JSON.stringify(messages), before, what);
    };
    for (const [name, make] of Object.entries(HOSTILE)) {
      for (const key of keys) await tried(`${key}: ${name}`, () => compact(messages, { ...good, attempts: 1, [key]: make() }));
      for (const part of ['text', 'finishReason', 'usage', 'model']) await tried(`${part}: ${name}`, () => compact(messages, { ...good, attempts: 1, summarize: () => ({ text: SUMMARY, [part]: make() }) }));
      await tried(`answer: ${name}`, () => compact(messages, { ...good, attempts: 1, summarize: () => make() }));
      await tried(`thrown: ${name}`, () => compact(messages, { ...good, attempts: 1, summarize: () => { throw make(); } }));
      await assert.rejects(async () => { await compact(make(), good); throw new PlicaError('bad-argument', 'an odd conversation'); }, PlicaError, name);
      await tried(`options: ${name}`, async () => { await compact(messages, make()); return compact(messages, good); });
    }
    assert.ok(made > 1500, `${made}`);
  });
});
