// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The fold module and the memory module, as those who used the originals call them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEntry } from './support/package.mjs';
import { caseOf, count, sharedJson, sharedTest } from './support/shared.mjs';

const DAY_MS = 86_400_000;

/** "<undefined>" stands for undefined in the vectors. */
function revived(value) {
  if (value === '<undefined>') return undefined;
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revived(v)]));
  return value;
}

function frozen(value) {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** FNV-1a over UTF-16 code units, written from its definition. */
function fnv(text) {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return (h >>> 0).toString(16);
}

/** `{ n, p }[]`: so many facts, each the usual one with these fields changed. */
function factsOf(spec) {
  return spec.flatMap(({ n, p }) => Array.from({ length: n }, () => ({ importance: 5, agent_id: 'developer', kind: 'fact', ...revived(p) })));
}

function assertHealth(health, expected, label) {
  for (const [field, want] of Object.entries(expected)) {
    if (field === 'warnings') assert.deepEqual(health.findings.map((f) => f.code), want, label);
    else if (field === 'warnings_count') assert.equal(health.warnings.length, want, label);
    else if (field === 'warning_text_contains') assert.ok(health.warnings.some((w) => w.includes(want)), label);
    else assert.deepEqual(health[field], want, `${label}: ${field}`);
  }
  assert.deepEqual(health.warnings, health.findings.map((f) => f.message), label);
  assert.ok(health.warnings.every((w) => typeof w === 'string' && w.length > 10), label);
}

function near(actual, expected, label) {
  assert.ok(Math.abs(actual - expected) <= 1e-12, `${label}: ${actual}, not ${expected}`);
}

forEachEntry((entry, plica) => {
  const {
    PINNED_KINDS, PlicaError, budgetFacts, computeMemoryHealth, effectiveImportance, foldedMessages, foldedSpanFor, foldedSpansFor, isCompactedSummary,
    isPinnedKind, keyPrefix, partitionPinned, salience, spanFingerprint, summaryFingerprint,
  } = plica;
  const refused = (fn, ...codes) => assert.throws(fn, (error) => {
    assert.ok(error instanceof PlicaError && error instanceof Error, String(error));
    assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    assert.ok(error.message.length > 10);
    return true;
  });

  sharedTest(`${entry}: fold-module vectors`, () => {
    const vectors = sharedJson('vectors/fold-module.json');
    for (const { input, utf16, hash } of vectors.fnv1a) {
      assert.equal(summaryFingerprint(input), hash);
      assert.equal(fnv(input), hash);
      if (utf16) assert.deepEqual(Array.from({ length: utf16.length }, (_, i) => input.charCodeAt(i)), utf16);
    }
    for (const { messages, fp } of vectors.spanFingerprint) assert.equal(spanFingerprint(messages), fp);
    for (const { message, expected } of vectors.isCompactedSummary) assert.equal(isCompactedSummary(message ?? undefined), expected);
    const spans = vectors.foldedSpanFor;
    const { conversation, message, expectedRunId } = spans.duplicate_summary_two_runs;
    assert.equal(foldedSpanFor(conversation, message).runId, expectedRunId);
    assert.equal(foldedSpanFor(conversation, message), conversation.folded[0]);
    assert.equal(foldedSpanFor(conversation, { ...message, role: 'assistant' }).runId, spans.assistant_role_same_content);
    assert.deepEqual(foldedSpansFor(conversation, message).map((s) => s.runId), ['run-1', 'run-2']);
    assert.equal(foldedSpanFor({ history: [] }, message) === undefined, spans.undefined_folded);
    assert.equal(foldedSpanFor({ history: [], folded: [] }, message) === undefined, spans.empty);
    assert.deepEqual(foldedMessages(conversation), spans.foldedMessages);
    const discarded = { folded: conversation.folded.map(({ messages, ...span }) => ({ ...span, retained: 'discard' })) };
    assert.deepEqual(foldedMessages(discarded), spans.foldedMessages_discard);
    count('vectors', vectors.fnv1a.length + vectors.spanFingerprint.length + vectors.isCompactedSummary.length + Object.keys(spans).length);
  });

  sharedTest(`${entry}: memory-quality vectors`, () => {
    const vectors = sharedJson('vectors/memory-quality.json');
    const runs = {
      isPinnedKind: ({ kind, expected }) => assert.equal(isPinnedKind({ key: 'k', importance: 3, kind: revived(kind) }), expected, JSON.stringify(kind)),
      partitionPinned: ({ name, facts, expected }) => {
        const given = frozen(revived(facts));
        const { pinned, rest } = partitionPinned(given);
        assert.deepEqual({ pinned: pinned.map((f) => f.key), rest: rest.map((f) => f.key) }, expected, name);
        for (const fact of [...pinned, ...rest]) assert.ok(given.includes(fact), name);
      },
      computeMemoryHealth: ({ name, spec, expected }) => assertHealth(computeMemoryHealth(frozen(factsOf(spec))), expected, name),
      effectiveImportance: ({ importance, daysAgo, now, expected }) => {
        const then = now - daysAgo * DAY_MS;
        for (const fact of [{ importance, last_retrieved_at: then }, { importance, created_at: then }, { importance, last_retrieved_at: then, created_at: now }]) {
          near(effectiveImportance(fact, now), expected, JSON.stringify(fact));
        }
        const text = new Date(then).toISOString();
        near(effectiveImportance({ importance, created_at: text, last_retrieved_at: null }, new Date(now).toISOString()), expected, text);
        near(effectiveImportance({ importance, created_at: new Date(then) }, new Date(now)), expected, text);
      },
      salience: ({ access, last, now, expected }) => {
        near(salience(access, last, now), expected, `${access} ${last}`);
        if (last !== null) near(salience(access, new Date(last), now), expected, `${access} ${last} as a Date`);
      },
      keyPrefix: ({ key, expected }) => assert.equal(keyPrefix(key), expected),
      budgetFacts: ({ name, facts, opts, expected }) => {
        const given = frozen(revived(facts));
        const answer = budgetFacts(given, opts);
        const keys = { rendered: answer.rendered.map((f) => f.key), collapsed: answer.collapsed.map((f) => f.key), inWindowCollapsed: answer.inWindowCollapsed };
        assert.deepEqual(keys, expected, name);
        assert.equal(typeof answer.notice === 'string', answer.collapsed.length > 0, name);
        assert.equal(new Set([...answer.rendered, ...answer.collapsed]).size, given.length, name);
      },
    };
    const { config, ...sections } = vectors;
    assert.deepEqual(Object.keys(sections).sort(), Object.keys(runs).sort(), 'a section that no test knows');
    for (const [section, run] of Object.entries(runs)) {
      sections[section].forEach(run);
      count('vectors', sections[section].length);
    }
    assert.equal(config.PINNED_MAX_FACTS, 12);
  });

  sharedTest(`${entry}: case 35, cap and order of pinned facts`, () => {
    const { input, call, expect } = caseOf(35);
    call.calls.forEach((config, i) => {
      const { pinned, rest, overflow } = partitionPinned(input, config);
      assert.deepEqual({ pinned: pinned.map((f) => f.key), rest: rest.map((f) => f.key) }, expect.results[i], JSON.stringify(config));
      if (i === 0) assert.deepEqual(overflow.map((f) => f.key), expect.overflow_reported);
      if (config.pinConstraints === false) assert.equal(rest, input);
    });
    count('cases');
  });

  sharedTest(`${entry}: case 36, edges of memory health`, () => {
    const { input, expect } = caseOf(36);
    const generated = input.fourth_set_generate;
    const fourth = [...Array(generated.importance_5).fill({ importance: 5 }), ...Array(generated.importance_1).fill({ importance: 1 })];
    const sets = { first: input.facts, second: input.second_set, third: input.third_set, fourth, empty: input.empty_set };
    for (const [name, facts] of Object.entries(sets)) assertHealth(computeMemoryHealth(facts), expect[name], name);
    count('cases');
  });

  sharedTest(`${entry}: cases 51 to 54, fingerprints and lookup`, () => {
    const collision = caseOf(51).input;
    for (const content of [collision.summary_A, collision.summary_B]) {
      assert.equal(summaryFingerprint(content), collision.shared_fingerprint);
      const spans = foldedSpansFor(collision, { content });
      assert.equal(spans.length, 2);
      spans.forEach((span, i) => assert.equal(span, collision.folded[i]));
      assert.equal(foldedSpanFor(collision, { content }), collision.folded[0]);
    }
    assert.notEqual(plica.fingerprint(collision.summary_A), plica.fingerprint(collision.summary_B));
    const texts = caseOf(52);
    assert.deepEqual(texts.input.texts.map(summaryFingerprint), texts.expect.hex);
    const spans = caseOf(53);
    for (const [name, print] of Object.entries(spans.expect.with_nul_separator)) assert.equal(spanFingerprint(spans.input[name]), print);
    for (const [a, b] of spans.expect.must_differ) assert.notEqual(spanFingerprint(spans.input[a]), spanFingerprint(spans.input[b]));
    const absent = caseOf(54);
    const { conversations, message } = absent.input;
    const found = conversations.map((conversation) => foldedSpanFor(conversation, message));
    assert.deepEqual(found.slice(0, 2), [undefined, undefined]);
    assert.ok(found[2].messageCount === 9 && !('messages' in found[2]) && found[2] === conversations[2].folded[0]);
    assert.deepEqual(found[3].messages, []);
    assert.deepEqual(conversations.map(foldedMessages), absent.expect.foldedMessages);
    count('cases', 4);
  });

  test(`${entry}: FNV of every kind of string, as its definition says`, () => {
    const pieces = ['a', 'é', '日本', '🙂', '\0', '\ud800', '\udfff', '\uffff', '\u2028', '"', '\\', 'ﬀ', 'x'.repeat(70_000), '\ud83d'.repeat(3), '€'.repeat(40_000)];
    for (let i = 0; i < 4000; i++) {
      const text = [i * 7, i * 13, i * 29].map((n) => pieces[n % (i % 50 ? 12 : pieces.length)]).join(i % 3 ? '' : ' ');
      assert.equal(summaryFingerprint(text), fnv(text));
    }
    for (let unit = 0; unit < 0x10000; unit += 17) assert.equal(summaryFingerprint(String.fromCharCode(unit)), fnv(String.fromCharCode(unit)));
    for (const unit of [0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000]) assert.equal(summaryFingerprint(String.fromCharCode(unit)), fnv(String.fromCharCode(unit)));
    assert.equal(spanFingerprint([{ role: 'user', content: '\ud800' }, { role: 'user', content: '\udc00' }]), fnv('user:\ud800\0user:\udc00'));
    assert.equal(spanFingerprint([{ role: 'user', content: 'x\ud83d' }]), fnv('user:x\ud83d'));
  });

  test(`${entry}: spanFingerprint spells undefined and null as a template does`, () => {
    assert.equal(spanFingerprint([{ role: 'user' }]), fnv('user:undefined'));
    assert.equal(spanFingerprint([{ role: 'user', content: null }]), fnv('user:null'));
    for (const bad of [undefined, null, 5, 'x', {}, [null], [undefined], new Set()]) refused(() => spanFingerprint(bad), 'bad-argument', 'bad-message');
    for (const bad of [undefined, null, 5, {}, [], Symbol('s'), 1n, () => {}]) refused(() => summaryFingerprint(bad), 'bad-argument');
  });

  test(`${entry}: isCompactedSummary looks at role and start only`, () => {
    for (const no of [undefined, null, 5, 'user', [], {}, { role: 'user' }, { role: 'user', content: null }, { role: 'user', content: ['[compacted history'] }, { role: 'system', content: '[compacted history' }]) {
      assert.equal(isCompactedSummary(no), false);
    }
    assert.equal(isCompactedSummary(Object.create({ role: 'user', content: '[compacted history — 3' })), true);
  });

  test(`${entry}: spans come back as the caller's own objects`, () => {
    class Span {
      constructor(text) {
        this.summaryFingerprint = fnv(text);
        this.at = new Date(0);
        this.messages = Object.freeze([Object.freeze({ role: 'user', content: text })]);
      }
    }
    const spans = [new Span('one'), Object.freeze(new Span('two')), Object.assign(Object.create(null), { summaryFingerprint: fnv('one'), extra: [1] })];
    const conversation = Object.freeze({ folded: Object.freeze([...spans]) });
    assert.equal(foldedSpanFor(conversation, { content: 'one' }), spans[0]);
    assert.equal(foldedSpanFor(conversation, { content: 'two' }), spans[1]);
    assert.deepEqual(foldedSpansFor(conversation, { content: 'one' }).map((s) => spans.indexOf(s)), [0, 2]);
    assert.ok(foldedSpanFor(conversation, { content: 'one' }) instanceof Span);
    const all = foldedMessages(conversation);
    assert.equal(all.length, 2);
    assert.equal(all[0], spans[0].messages[0]);
    assert.equal(all[1], spans[1].messages[0]);
  });

  test(`${entry}: foldedMessages of 200 000 messages, in one span and in many`, () => {
    const messages = Array.from({ length: 200_000 }, (_, i) => ({ role: 'user', content: String(i) }));
    const one = foldedMessages({ folded: [{ messages: messages.slice(0, 1) }, { messages: messages.slice(1) }] });
    assert.equal(one.length, 200_000);
    assert.ok(one.every((m, i) => m === messages[i]));
    const many = foldedMessages({ folded: messages.map((m) => ({ messages: [m] })) });
    assert.ok(many.length === 200_000 && many.every((m, i) => m === messages[i]));
  });

  test(`${entry}: junk under folded, and getters that throw, are no folds`, () => {
    const message = { role: 'user', content: 'S' };
    const boom = { get: () => { throw new Error('trap'); } };
    const thrower = (key) => Object.defineProperty({}, key, { enumerable: true, get() { throw new Error('no'); } });
    const revoked = () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; };
    const junk = [undefined, null, 0, 'x', {}, [], () => {}, Symbol('x'), 1n, [null], [undefined, 5, 'a', [], true], [{}], [{ messages: null }], [{ messages: 5 }], [{ messages: 'ab' }],
      [{ summaryFingerprint: null }], [thrower('messages')], [thrower('summaryFingerprint')], [new Proxy({}, boom)], new Proxy([], boom), new Proxy({}, boom)];
    for (const folded of junk) {
      const conversation = { folded };
      assert.deepEqual(foldedMessages(conversation), []);
      assert.equal(foldedSpanFor(conversation, message), undefined);
      assert.deepEqual(foldedSpansFor(conversation, message), []);
    }
    for (const conversation of [undefined, null, 5, 'x', [], {}, thrower('folded'), new Proxy({}, boom), revoked()]) {
      assert.deepEqual(foldedMessages(conversation), []);
      assert.equal(foldedSpanFor(conversation, message), undefined);
    }
    for (const bad of [undefined, null, 5, 'S', {}, { content: null }, { content: ['S'] }, thrower('content'), new Proxy({}, boom)]) {
      assert.equal(foldedSpanFor({ folded: [{ summaryFingerprint: fnv('S') }] }, bad), undefined);
    }
    for (const folded of [[revoked()], revoked()]) {
      assert.deepEqual(foldedMessages({ folded }), []);
      assert.equal(foldedSpanFor({ folded }, message), undefined);
    }
    const good = { summaryFingerprint: fnv('S'), messages: [message] };
    assert.equal(foldedSpanFor({ folded: [null, 5, thrower('summaryFingerprint'), good] }, message), good);
    assert.deepEqual(foldedMessages({ folded: [null, thrower('messages'), good, { messages: 7 }] }), [message]);
    // eslint-disable-next-line no-sparse-arrays
    assert.deepEqual(foldedMessages({ folded: [, good, ,] }), [message]);
  });

  test(`${entry}: facts come back as the caller's own objects`, () => {
    class Row { constructor(key, kind) { this.key = key; this.kind = kind; this.importance = 3; this.created_at = new Date(); this.self = this; } }
    const facts = [new Row('a', 'constraint'), Object.freeze(new Row('b', null)), Object.assign(Object.create(null), { key: 'c', kind: ' ANTIPATTERN\u3000', big: 1n }), new Row('d', 'fact'), new Row('e', 'constraint')];
    const { pinned, rest, overflow } = partitionPinned(Object.freeze(facts), { pinnedMaxFacts: 2 });
    assert.deepEqual(pinned.map((f) => facts.indexOf(f)), [0, 2]);
    assert.deepEqual(rest.map((f) => facts.indexOf(f)), [1, 3, 4]);
    assert.deepEqual(overflow.map((f) => facts.indexOf(f)), [4]);
    assert.ok(pinned[0] instanceof Row && pinned[0].self === pinned[0] && pinned[0].created_at instanceof Date);
    const off = partitionPinned(facts, { pinConstraints: false });
    assert.equal(off.rest, facts);
    assert.deepEqual(off.pinned, []);
    const recall = budgetFacts(facts, { maxChars: 55, minFacts: 0, pinnedMaxChars: 26 });
    assert.deepEqual(recall.rendered.map((f) => facts.indexOf(f)).sort(), [0, 1]);
    assert.ok([...recall.rendered, ...recall.collapsed].every((f) => facts.includes(f)));
    assert.equal(recall.collapsed.length, 3);
    assert.deepEqual([...PINNED_KINDS], ['constraint', 'antipattern']);
    assert.ok(Object.isFrozen(PINNED_KINDS));
    assert.equal(isPinnedKind({ kind: 'constraint' }, { pinConstraints: false }), false);
    for (const nothing of [null, undefined, {}, { kind: 5 }, { kind: {} }]) assert.equal(isPinnedKind(nothing), false);
  });

  test(`${entry}: percentages as JavaScript rounds them`, () => {
    for (let total = 1; total <= 420; total += total < 60 ? 1 : 7) {
      for (let five = 0; five <= total; five += total < 60 ? 1 : 5) {
        const health = computeMemoryHealth([...Array(five).fill({ importance: 5 }), ...Array(total - five).fill({ importance: 1 })]);
        const share = (five / total) * 100;
        assert.equal(health.imp5Pct, Number(share.toFixed(1)), `${five}/${total}`);
        if (share > 25) assert.ok(health.warnings[0].includes(`${five}/${total} facts (${share.toFixed(0)}%)`), health.warnings[0]);
        assert.equal(health.findings.some((f) => f.code === 'importance-inflation'), share > 25);
      }
    }
  });

  test(`${entry}: recall renders and collapses as its rules say`, () => {
    // The rules again, written down independently.
    const pinnedKind = (f) => ['constraint', 'antipattern'].includes(String(f.kind ?? '').trim().toLowerCase());
    const size = (f) => f.key.length + f.value.length + 24;
    const expected = (facts, { maxChars, pinnedMaxChars }) => {
      if (!(maxChars > 0) || facts.length === 0) return { rendered: facts, collapsed: [] };
      const rendered = [];
      let pinnedUsed = 0;
      for (const f of facts.filter(pinnedKind).slice(0, 12)) {
        if (rendered.length === 0 || pinnedUsed + size(f) <= pinnedMaxChars) { pinnedUsed += size(f); rendered.push(f); }
      }
      return { rendered, others: facts.filter((f) => !rendered.includes(f)) };
    };
    let seed = 7;
    const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % n;
    for (let round = 0; round < 300; round++) {
      const facts = Array.from({ length: random(40) }, (_, i) => ({
        key: `k${'x'.repeat(random(30))}_${i}`, value: 'v'.repeat(random(200)), kind: ['fact', 'constraint', null, ' Antipattern '][random(4)], importance: 1 + random(5),
        created_at: new Date(1.7e12 + random(100) * DAY_MS).toISOString(),
      }));
      const options = { maxChars: random(4) === 0 ? 0 : random(6000), minFacts: random(12), pinnedMaxChars: random(900) };
      const answer = budgetFacts(facts, options);
      const want = expected(facts, options);
      const all = [...answer.rendered, ...answer.collapsed];
      assert.equal(new Set(all).size, facts.length);
      assert.ok(all.every((f) => facts.includes(f)));
      if (want.others === undefined) {
        assert.deepEqual(answer.rendered, facts);
        continue;
      }
      assert.deepEqual(answer.rendered.slice(0, want.rendered.length), want.rendered, `round ${round}: pinned first`);
      assert.ok(answer.rendered.length >= Math.min(facts.length, options.minFacts));
      if (answer.collapsed.length) assert.ok(answer.notice.length > 10);
    }
  });

  test(`${entry}: nothing is done for arguments of the wrong kind`, () => {
    for (const bad of [undefined, null, 5, 'x', {}, new Set(), [null], [5], [undefined]]) {
      refused(() => partitionPinned(bad), 'bad-argument');
      refused(() => computeMemoryHealth(bad), 'bad-argument');
      refused(() => budgetFacts(bad), 'bad-argument');
    }
    for (const bad of [undefined, null, 5, {}, Symbol('k')]) refused(() => keyPrefix(bad), 'bad-argument');
    assert.equal(keyPrefix('\ud83d\ude42_x'), '\ud83d\ude42');
    assert.equal(keyPrefix('\ud83d_x'), '\ud83d_x');
  });
});
