// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Conversations that are stored with spans beside their messages: into a ledger, out of it, there and back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEntry } from './support/package.mjs';
import { Random, randomTranscript } from './support/random.mjs';
import { caseOf, count, sharedTest } from './support/shared.mjs';

const user = (content, more) => ({ role: 'user', content, ...more });
const assistant = (content) => ({ role: 'assistant', content });
const chat = (n, from = 0) => Array.from({ length: n }, (_, i) => (i % 2 ? assistant(`answer ${from + i}`) : user(`question ${from + i}`)));
const framed = (text) => user(`[compacted history — earlier messages]\n${text}`);

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, digestMessage, fold, foldedMessages, foldedSpanFor, foldedSpansFor, plan, spanFingerprint, summaryFingerprint } = plica;
  const refused = (fn, code, says = /./) => assert.throws(fn, (error) => {
    assert.ok(error instanceof PlicaError, `${error}`);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, says);
    return true;
  });
  const same = (a, b, what = '') => assert.ok(a.length === b.length && a.every((m, i) => m === b[i]), `not the same objects ${what}`);
  const spanOf = (summary, messages, more) => ({ summaryFingerprint: summaryFingerprint(summary.content), runId: 'r', iteration: 1, foldedAtMs: 5, model: 'm', messageCount: messages.length, removedStageIds: [], retained: 'conversation', messages, ...more });
  const discarded = (summary, n) => {
    const { messages, ...rest } = spanOf(summary, Array(n).fill(user('x')), { retained: 'discard' });
    return rest;
  };
  /** A conversation as the old module leaves it: so many folds, each of everything before the tail. */
  function stored(folds, { text = (n) => `GOAL: part ${n}`, discard = () => false } = {}) {
    const original = [{ role: 'system', content: 'S' }, ...chat(8)];
    const folded = [];
    let window = [...original];
    for (let n = 0; n < folds; n++) {
      const summary = framed(text(n));
      const end = window.length - 2;
      const span = window.slice(1, end);
      folded.push(discard(n) ? discarded(summary, span.length) : spanOf(summary, span));
      const more = chat(4, 100 * (n + 1));
      window = [window[0], summary, ...window.slice(end), ...more];
      original.push(...more);
    }
    return { folded, window, original };
  }
  /** What a reader of spans does: every message that has the fingerprint of a span is replaced by its messages. */
  const read = (conversation, messages) => messages.flatMap((message) => {
    const span = foldedSpanFor(conversation, message);
    return span?.messages ? read(conversation, span.messages) : [message];
  });

  test(`${entry}: stored spans give a ledger that unfolds`, () => {
    for (const folds of [0, 1, 2, 5, 40]) {
      const { folded, window, original } = stored(folds);
      const ledger = Ledger.fromFolded({ folded }, window);
      same(ledger.unfold(window), original);
      same(ledger.unfold([...window, user('later')]).slice(0, -1), original);
      assert.deepEqual(ledger.missing(window), []);
      assert.deepEqual(ledger.unplaced, []);
      assert.equal(ledger.folds.length, folds);
      ledger.folds.forEach((f, i) => same(f.messages, folded[i].messages, 'in the order of the spans'));
      if (folds) assert.equal(ledger.lookup(window[1]), ledger.folds[folds - 1]);
      assert.deepEqual(Ledger.from(JSON.parse(JSON.stringify(ledger))).unfold(structuredClone(window)), original);
      // In any order of the spans.
      same(Ledger.fromFolded({ folded: [...folded].reverse() }, window).unfold(window), original);
      // Back: the same spans.
      same(ledger.toFolded(window), folded);
    }
  });

  test(`${entry}: spans with the same summary are told apart by where they stand, or refused`, () => {
    const { folded, window, original } = stored(4, { text: () => 'always the same' });
    assert.equal(new Set(folded.map((s) => s.summaryFingerprint)).size, 1);
    same(Ledger.fromFolded({ folded }, window).unfold(window), original);
    // Two of the same text side by side: nothing tells which is which.
    const twice = framed('x');
    const beside = [twice, user('between'), { ...twice }, user('end')];
    const spans = [spanOf(twice, chat(2)), spanOf(twice, chat(2, 50))];
    refused(() => Ledger.fromFolded({ folded: spans }, beside), 'bad-ledger', /spans 0 and 1|spans 1 and 0/);
    // Two of which one has no place could each be it.
    refused(() => Ledger.fromFolded({ folded: spans }, [twice, user('end')]), 'bad-ledger', /nothing tells/);
    // The same span stored twice is no question.
    const [span] = spans;
    const book = Ledger.fromFolded({ folded: [span, { ...span }] }, [twice, user('end')]);
    same(book.unfold([twice, user('end')]).slice(0, 2), span.messages);
    assert.deepEqual(book.unplaced.map(({ index, why }) => [index, why]), [[0, 'no-summary']]);
    // A summary that is repeated later in the conversation was made by the first.
    const quoted = [twice, user('a'), { ...twice }];
    same(Ledger.fromFolded({ folded: [span] }, quoted).unfold(quoted), [...span.messages, quoted[1], quoted[2]]);
    // One that a tool or the model repeats before it, too.
    const said = [assistant(twice.content), { role: 'tool', content: twice.content, toolCallId: 't', toolName: 'n' }, twice];
    same(Ledger.fromFolded({ folded: [span] }, said).unfold(said), [said[0], said[1], ...span.messages]);
  });

  test(`${entry}: two texts with the same 32 bits`, () => {
    const [a, b] = [user('GOAL: ticket 162789 closed'), user('GOAL: ticket 379192 closed')];
    const [first, second] = [chat(2, 0), chat(4, 40)];
    assert.equal(summaryFingerprint(a.content), summaryFingerprint(b.content));
    // One inside the other.
    const nested = [spanOf(a, first), spanOf(b, [a, ...second])];
    const window = [b, user('end')];
    same(Ledger.fromFolded({ folded: nested }, window).unfold(window), [...first, ...second, window[1]]);
    // Side by side, and one message that forges the fingerprint of the other.
    refused(() => Ledger.fromFolded({ folded: [spanOf(a, first), spanOf(b, second)] }, [a, b]), 'bad-ledger', /bc0f8981/);
    refused(() => Ledger.fromFolded({ folded: [spanOf(a, first)] }, [a, user('x'), b]), 'bad-ledger', /different texts/);
    // And the way out.
    const ledger = Ledger.fromFolded({ folded: nested }, window);
    refused(() => ledger.toFolded(window), 'bad-ledger', /bc0f8981/);
  });

  sharedTest(`${entry}: case 51, a collision`, () => {
    const { input } = caseOf(51);
    const [A, B] = [user(input.summary_A), user(input.summary_B)];
    for (const window of [[A], [B], [A, B], [B, A]]) refused(() => Ledger.fromFolded(input, window), 'bad-ledger');
    assert.equal(Ledger.fromFolded(input, [user('x')]).unplaced.length, 2);
    count('cases');
  });

  test(`${entry}: spans without messages are folds whose originals are missing`, () => {
    for (const which of [0, 1, 2]) {
      // Of a fold of folds that was discarded, the earlier ones have no summary any more.
      const { folded, window } = stored(3, { discard: (n) => n === which });
      const ledger = Ledger.fromFolded({ folded }, window);
      assert.equal(ledger.folds.length, 3 - which);
      assert.equal(ledger.unplaced.length, which);
      ledger.unplaced.forEach(({ span, why, index }) => { assert.equal(span, folded[index]); assert.equal(why, 'no-summary'); });
      assert.deepEqual(ledger.missing(window), [ledger.folds[0].id]);
      refused(() => ledger.unfold(window), 'originals-missing');
      const whole = stored(3);
      const lacking = whole.folded[which].messages;
      const back = [window[0], ...lacking, ...whole.folded.slice(which + 1).flatMap((s) => s.messages.slice(1)), ...window.slice(2)];
      for (const book of [ledger, Ledger.from(JSON.parse(JSON.stringify(ledger)))]) {
        // Just what lacks, or all of the conversation from its start.
        for (const originals of [lacking, back, back.slice(0, 1 + lacking.length)]) {
          const got = book.unfold(window, { originals });
          assert.deepEqual(got, back);
          same(got.slice(1, 1 + lacking.length), lacking);
        }
        for (const originals of [[], lacking.slice(1), [...lacking, user('more')], [user('other'), ...back.slice(1)]]) refused(() => book.unfold(window, { originals }), 'originals-missing');
        assert.equal(book.unplaced.length, which);
      }
      same(ledger.toFolded(window), folded, 'what has no place goes back as it came');
    }
    const summary = framed('x');
    const none = Ledger.fromFolded({ folded: [{ summaryFingerprint: summaryFingerprint(summary.content) }] }, [summary]);
    assert.deepEqual(none.missing([summary]), [none.folds[0].id]);
    for (const originals of [[], chat(1), chat(9)]) refused(() => none.unfold([summary], { originals }), 'originals-missing');
    refused(() => none.toFolded([summary]), 'originals-missing', /how many/);
    const nothing = Ledger.fromFolded({ folded: [spanOf(summary, [])] }, [summary, user('z')]);
    assert.deepEqual(nothing.unfold([summary, user('z')]), [user('z')]);
  });

  test(`${entry}: what is no span is listed, and nothing is thrown`, () => {
    const { folded, window, original } = stored(2);
    const thrower = (key) => Object.defineProperty({ summaryFingerprint: 'e40c292c' }, key, { enumerable: true, get() { throw new Error('no'); } });
    const circle = user('c');
    circle.self = circle;
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const junk = {
      'no-span': [null, 0, 'x', true, 1n, Symbol('s'), () => {}, {}, [], { summaryFingerprint: 5 }, thrower('summaryFingerprint'), proxy],
      unreadable: [{ summaryFingerprint: 'a', messages: 5 }, { summaryFingerprint: 'a', messages: [null] }, { summaryFingerprint: 'a', messages: [circle] }, { summaryFingerprint: 'a', messages: Array(3) }, { summaryFingerprint: 'b', messages: [{ role: 'user', content: [{ type: 'text', text: 'blocks' }] }] }],
      'no-summary': [spanOf(framed('nowhere'), chat(2)), discarded(framed('nowhere'), 3), { summaryFingerprint: '00811c9dc5' }, { summaryFingerprint: 'x'.repeat(1000) }, { summaryFingerprint: '__proto__' },
        thrower('messageCount'), thrower('messages'), { summaryFingerprint: '', messageCount: 1e300 }],
    };
    const all = Object.entries(junk).flatMap(([why, list]) => list.map((span) => ({ why, span })));
    const ledger = Ledger.fromFolded({ folded: [folded[0], ...all.map(({ span }) => span), folded[1]] }, window);
    same(ledger.unfold(window), original);
    assert.deepEqual(ledger.unplaced.map(({ why }) => why), all.map(({ why }) => why));
    ledger.unplaced.forEach(({ span, index }, i) => { assert.equal(span, all[i].span); assert.equal(index, i + 1); });
    for (const conversation of [undefined, null, 5, 'x', [], {}, { folded: null }, { folded: 5 }, { folded: {} }, thrower('folded'), proxy]) {
      same(Ledger.fromFolded(conversation, window).unfold(window), window);
    }
    // What can be written is, with the rest of the ledger.
    const kept = Ledger.fromFolded({ folded: [...folded, null, junk['no-summary'][0], junk.unreadable[1]] }, window);
    const json = JSON.parse(JSON.stringify(kept));
    assert.equal(json.version, 2);
    const again = Ledger.from(json);
    assert.deepEqual(again.unplaced, kept.unplaced.filter(({ why }) => why !== 'no-span'));
    assert.deepEqual(again.unfold(window), original);
    assert.deepEqual(JSON.parse(JSON.stringify(again)), json);
    same(kept.toFolded(window), [...folded, junk['no-summary'][0], junk.unreadable[1]]);
    refused(() => Ledger.from({ ...json, unplaced: [] }), 'ledger-altered');
    for (const bad of [undefined, null, 5, 'x', {}, [null], [5]]) assert.throws(() => Ledger.fromFolded({ folded }, bad), PlicaError);
  });

  test(`${entry}: other formats are refused by name`, () => {
    const { folded, window } = stored(1);
    refused(() => Ledger.fromFolded({ folded }, window, { format: 'anthropic' }), 'bad-argument', /agentfootprint/);
    same(Ledger.fromFolded({ folded }, window, { format: 'agentfootprint' }).folds[0].messages, folded[0].messages);
    for (const format of ['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'hotl', 'ai-sdk-ui', 'pi', 'ai-sdk', 'langchain']) {
      const messages = randomTranscript(3, format, { turns: 8 });
      refused(() => Ledger.fromFolded({ folded }, messages), 'bad-argument');
      const p = plan(messages, { format, tailBudget: 0 });
      const digest = digestMessage('G', { format });
      const ledger = new Ledger();
      ledger.record({ messages, plan: p, digest, format });
      assert.throws(() => ledger.toFolded(fold(messages, p, digest, { format })), (error) => error instanceof PlicaError && ['bad-argument', 'bad-ledger', 'originals-missing'].includes(error.code));
    }
  });

  /** A ledger with one fold by hand, and its window. */
  function byHand(messages, p, digest, more = {}) {
    const ledger = new Ledger();
    ledger.record({ messages, plan: p, digest, ...more });
    return { ledger, window: fold(messages, p, digest, more.merge ? { merge: true } : {}) };
  }

  test(`${entry}: what a span cannot tell is refused, what it can is told`, () => {
    const messages = [{ role: 'system', content: 'S' }, ...chat(8)];
    const digest = framed('d');
    const good = byHand(messages, { prefixEnd: 1, keptFrom: 7 }, digest);
    const [span] = good.ledger.toFolded(good.window, { runId: 'run', iteration: 3, now: 1700, model: 'm' });
    assert.deepEqual(span, { summaryFingerprint: summaryFingerprint(digest.content), runId: 'run', iteration: 3, foldedAtMs: 1700, model: 'm', messageCount: 6, removedStageIds: [], retained: 'conversation', messages: messages.slice(1, 7) });
    same(span.messages, messages.slice(1, 7));
    assert.deepEqual(good.ledger.toFolded(good.window)[0], { ...span, runId: '', iteration: 0, foldedAtMs: 0, model: '' });
    for (const bad of [{ now: '5' }, { now: NaN }, { iteration: Infinity }, { runId: 5 }, { model: {} }]) refused(() => good.ledger.toFolded(good.window, bad), 'bad-argument');
    // Kept messages around what folded are where the reader finds them; between, not.
    const around = byHand(messages, { prefixEnd: 1, keptFrom: 7, kept: [1, 6] }, digest);
    same(read({ folded: around.ledger.toFolded(around.window) }, around.window), messages);
    const between = byHand(messages, { prefixEnd: 1, keptFrom: 7, kept: [3] }, digest);
    refused(() => between.ledger.toFolded(between.window), 'bad-ledger', /fold 0 .*between/);
    const several = byHand(messages, { prefixEnd: 1, keptFrom: 7 }, [digest, assistant('noted')]);
    refused(() => several.ledger.toFolded(several.window), 'bad-ledger', /several messages/);
    // Retention, and what became of folds behind it.
    for (const retention of ['reference', 'discard']) {
      const { ledger, window } = byHand(messages, { prefixEnd: 1, keptFrom: 7 }, digest, { retention });
      const [one] = ledger.toFolded(window);
      assert.equal(one.retained, 'discard');
      assert.ok(!('messages' in one) && one.messageCount === 6);
      assert.deepEqual(Ledger.fromFolded({ folded: [one] }, window).unfold(window, { originals: messages.slice(1, 7) }), messages);
    }
    // Another message with the digest's fingerprint.
    refused(() => good.ledger.toFolded([...good.window, user('so?'), { ...digest }]), 'bad-ledger', /another message/);
    // Another conversation, changed originals, reductions and repairs.
    refused(() => good.ledger.toFolded(chat(3)), 'digest-missing', /another conversation/);
    const own = structuredClone(messages);
    const changed = byHand(own, { prefixEnd: 1, keptFrom: 7 }, digest);
    own[2].content = 'changed';
    refused(() => changed.ledger.toFolded(changed.window), 'message-changed');
    const torn = [user('a'), { role: 'assistant', content: '', toolCalls: [{ id: 't', name: 'n', args: {} }] }, user('b')];
    const { messages: sound, edits } = plica.repair(torn, { format: 'agentfootprint' });
    const repaired = new Ledger();
    repaired.recordEdit({ kind: 'repair', messages: torn, edits, format: 'agentfootprint' });
    refused(() => repaired.toFolded(sound), 'bad-ledger', /reduction or a repair/);
    assert.deepEqual(new Ledger().toFolded(messages), []);
  });

  test(`${entry}: a digest among originals that nobody holds`, () => {
    const build = (retentions) => {
      const ledger = new Ledger();
      let window = chat(6);
      retentions.forEach((retention, n) => {
        const p = { prefixEnd: 0, keptFrom: window.length - 1 };
        const digest = framed(`n ${n}`);
        ledger.record({ messages: window, plan: p, digest, retention });
        window = [...fold(window, p, digest), ...chat(3, 10 * (n + 1))];
      });
      return { ledger, window };
    };
    const all = build(['discard', 'discard', 'discard']);
    assert.deepEqual(all.ledger.toFolded(all.window).map((s) => [s.retained, s.messageCount]), [['discard', 4]]);
    const lost = build(['full', 'discard', 'full']);
    refused(() => lost.ledger.toFolded(lost.window), 'originals-missing', /fold 0/);
    const fine = build(['discard', 'full', 'full']);
    assert.deepEqual(fine.ledger.toFolded(fine.window).map((s) => s.retained), ['discard', 'conversation', 'conversation']);
  });

  test(`${entry}: random conversations, from spans to a ledger`, () => {
    const r = new Random(11);
    for (let round = 0; round < 300; round++) {
      const original = round % 3 ? randomTranscript(round, 'agentfootprint', { turns: 3 + r.below(6) }) : chat(6 + r.below(10));
      let window = [...original];
      const folded = [];
      for (let n = 0, folds = 1 + r.below(6); n < folds && window.length > 2; n++) {
        const from = r.below(Math.min(3, window.length - 1));
        const to = from + 1 + r.below(window.length - from);
        const summary = r.below(2) ? framed(`round ${round}, fold ${n}`) : digestMessage(`round ${round}, fold ${n}`, { format: 'agentfootprint' });
        folded.push(spanOf(summary, window.slice(from, to)));
        const more = r.below(3) ? chat(r.below(5), 1000 * n) : [];
        window = [...window.slice(0, from), summary, ...window.slice(to), ...more];
        original.push(...more);
      }
      const ledger = Ledger.fromFolded({ folded }, window);
      same(ledger.unfold(window), original, `in round ${round}`);
      assert.deepEqual(ledger.unplaced, []);
      same(ledger.toFolded(window), folded);
      const stored = Ledger.from(JSON.parse(JSON.stringify(ledger)));
      assert.deepEqual(stored.unfold(JSON.parse(JSON.stringify(window))), JSON.parse(JSON.stringify(original)));
      same(stored.toFolded(window).map((s) => s.summaryFingerprint), folded.map((s) => s.summaryFingerprint));
    }
    count('stored conversations', 300);
  });

  test(`${entry}: random conversations, from a ledger to spans and back`, () => {
    const r = new Random(12);
    let [told, torn, deep] = [0, 0, 0];
    for (let round = 0; round < 320; round++) {
      const format = 'agentfootprint';
      const plain = round % 4 === 0;
      const original = plain ? chat(12 + r.below(10)) : randomTranscript(5000 + round, format, { turns: 4 + r.below(6) });
      const ledger = new Ledger();
      let window = [...original];
      for (let n = 0, folds = 1 + r.below(5); n < folds; n++) {
        const budget = plica.estimate(window, { format }).total * (0.2 + 0.1 * r.below(5));
        const p = plan(window, { format, tailBudget: budget, ledger, ...(r.below(6) === 0 ? { anchorTask: true } : {}) });
        if (p.kind === 'fold') {
          const digest = r.below(2) ? framed(`round ${round}, fold ${n}`) : digestMessage(`round ${round}, fold ${n}`, { format });
          ledger.record({ messages: window, plan: p, digest, format });
          window = fold(window, p, digest, { format });
        }
        const more = chat(r.below(5), 1000 * n);
        window.push(...more);
        original.push(...more);
      }
      same(ledger.unfold(window), original);
      let folded;
      try {
        folded = ledger.toFolded(window, { now: round });
      } catch (error) {
        assert.ok(error instanceof PlicaError && error.code === 'bad-ledger' && /between/.test(error.message), `${error}`);
        assert.ok(ledger.folds.some(({ record }) => record.before.length + record.after.length > 0));
        torn++;
        continue;
      }
      told++;
      assert.equal(folded.length, ledger.folds.length);
      if (folded.length > 1) deep++;
      same(read({ folded }, window), original, `for a reader of spans in round ${round}`);
      folded.forEach((span, i) => {
        const own = ledger.folds[i];
        const digest = [...window, ...foldedMessages({ folded })].find((message) => ledger.lookup(message) === own);
        assert.equal(foldedSpanFor({ folded }, digest), span);
        assert.deepEqual(foldedSpansFor({ folded }, digest), [span]);
        assert.equal(spanFingerprint(span.messages), spanFingerprint(own.messages));
        assert.equal(span.foldedAtMs, round);
      });
      const back = Ledger.fromFolded({ folded }, window);
      same(back.unfold(window), original);
      same(back.toFolded(window), folded);
      assert.deepEqual(Ledger.fromFolded(JSON.parse(JSON.stringify({ folded })), window).unfold(window), original);
    }
    assert.ok(told >= 200 && deep >= 100, `${told} told, ${deep} of several folds, ${torn} refused`);
    count('ledgers told as spans', told);
    count('ledgers that spans cannot tell', torn);
  });

  test(`${entry}: lookupMany answers as lookup does`, () => {
    const { folded, window, original } = stored(6);
    const ledger = Ledger.fromFolded({ folded }, window);
    const asked = [...window, ...original, ...foldedMessages({ folded })];
    const got = ledger.lookupMany(asked);
    asked.forEach((message, i) => assert.equal(got[i], ledger.lookup(message)));
    assert.ok(new Set(got).size === 7);
    assert.deepEqual(new Ledger().lookupMany(asked), asked.map(() => undefined));
    assert.deepEqual(ledger.lookupMany([]), []);
    for (const bad of [undefined, null, 5, 'x', {}, [null], [5]]) assert.throws(() => ledger.lookupMany(bad), PlicaError);
  });

  test(`${entry}: many spans take no long`, () => {
    const { folded, window, original } = stored(1500);
    const start = performance.now();
    const ledger = Ledger.fromFolded({ folded }, window);
    same(ledger.unfold(window), original);
    same(ledger.toFolded(window), folded);
    assert.ok(performance.now() - start < 20_000, `${Math.round(performance.now() - start)} ms`);
  });
});
