// SPDX-License-Identifier: MIT OR Apache-2.0
//
// judgeSummary and isTooLong as the package gives them: samples of every kind, and what is no answer and no error at all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEntry } from './support/package.mjs';

const GOOD = 'GOAL: move the booking service to webhooks\nSTATE: the receiver works\nDECISIONS: none\nCONSTRAINTS: never log the guest\'s name\nFILES: src/hooks.ts\nNEXT: remove the poller';

/** Answer, and the code that it is turned away with, if it is. */
const SAMPLES = [
  [{ text: GOOD, finishReason: 'end_turn' }, undefined],
  [{ text: GOOD, finishReason: null, prompt: undefined, earlier: null }, undefined],
  [{ text: '401 Unauthorized responses were traced to a stale token. lib/stock.py renews it now, and its test passes.' }, undefined],
  [{ text: '用户希望把登录页改成支持短信验证码。我们已经加入了输入框，并通过了测试。下一步是更新文档。' }, undefined],
  [{ text: `${GOOD} \ud800` }, undefined],
  [{ text: ' \ufeff\n' }, 'blank'],
  [{}, 'not-text'],
  [{ text: null }, 'not-text'],
  [{ text: [{ type: 'text', text: GOOD }] }, 'not-text'],
  [{ text: new String(GOOD) }, 'not-text'],
  [{ text: GOOD, finishReason: 'MAX_TOKENS' }, 'cut-off'],
  [{ text: GOOD.slice(0, GOOD.indexOf('NEXT')) }, 'cut-off'],
  // Whoever says that the model came to its end knows better than a heading that is missing.
  ...['stop', 'STOP', 'FINISH_REASON_STOP', 'end_turn', 'completed', 'eos_token'].map((finishReason) => [{ text: GOOD.slice(0, GOOD.indexOf('NEXT')), finishReason }, undefined]),
  ...['stop_sequence', 'unknown', ''].map((finishReason) => [{ text: GOOD.slice(0, GOOD.indexOf('NEXT')), finishReason }, 'cut-off']),
  [{ text: `<summary>\n${GOOD.slice(0, GOOD.indexOf('NEXT'))}</summary>` }, undefined],
  [{ text: `<analysis>Two things.</analysis>\n<summary>\n${GOOD.slice(0, GOOD.indexOf('NEXT'))}</summary>` }, undefined],
  [{ text: `<analysis>Two things.</analysis>\n${GOOD.slice(0, GOOD.indexOf('NEXT'))}` }, 'cut-off'],
  [{ text: `${GOOD.slice(0, GOOD.indexOf('NEXT'))}NEXT:`, finishReason: 'stop' }, 'cut-off'],
  [{ text: GOOD.slice(0, GOOD.indexOf('FILES')), finishReason: 'stop' }, 'cut-off'],
  [{ text: `${GOOD.slice(0, GOOD.indexOf('NEXT'))}- and then the`, finishReason: 'stop' }, 'cut-off'],
  [{ text: '{"error":{"message":"Overloaded"}}' }, 'error'],
  [{ text: 'I\u2019m sorry, but I can\u2019t help with that.' }, 'refusal'],
  [{ text: '[user] Move it to webhooks.' }, 'echo'],
  [{ text: 'Move the booking service to webhooks, please.\nNothing else.', prompt: 'Summarize.\n\n[user] Move the booking service to webhooks, please.\n' }, 'echo'],
  [{ text: GOOD, earlier: `<compaction-summary>\n${GOOD}\n</compaction-summary>` }, 'unchanged'],
  [{ text: 'on and '.repeat(500) }, 'repetition'],
  [{ text: GOOD, spanTokens: 20 }, 'not-smaller'],
  [{ text: GOOD, spanTokens: 2000 }, undefined],
  [{ text: GOOD, spanTokens: Infinity }, undefined],
  [{ text: 'Sure! Here is the summary:' }, 'not-a-summary'],
];

forEachEntry((entry, plica) => {
  const { PlicaError, isTooLong, judgeSummary } = plica;

  test(`${entry}: every sample is judged as labelled`, () => {
    for (const [answer, code] of SAMPLES) {
      const verdict = judgeSummary(answer);
      assert.equal(verdict.code, code, JSON.stringify(answer).slice(0, 200));
      assert.deepEqual(Object.keys(verdict), code === undefined ? ['accepted'] : ['accepted', 'code', 'message']);
      assert.equal(verdict.accepted, code === undefined);
      if (code !== undefined) assert.match(verdict.message, /^[^\n]{10,}$/);
    }
  });

  test(`${entry}: what the package itself writes is accepted`, () => {
    const messages = Array.from({ length: 30 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: Array.from({ length: 9 }, (_, k) => `Booking ${i * 91 + k * 7} of guest ${i * k + 3} costs ${i * 17 + k * 13} euros.`).join(' ') }));
    const plan = plica.plan(messages, { tailBudget: 100, format: 'anthropic' });
    const { prompt, system } = plica.summarizeRequest(messages, plan);
    const text = plica.deterministicDigest(messages, plan);
    assert.deepEqual(judgeSummary({ text, spanTokens: 1e6 }), { accepted: true });
    for (const given of [prompt, system]) assert.equal(judgeSummary({ text: given, prompt }).code, 'echo');
  });

  test(`${entry}: other fields of the wrong type are named`, () => {
    for (const wrong of [{ finishReason: 2 }, { prompt: [] }, { earlier: {} }, { spanTokens: '9' }, { spanTokens: -1 }, { spanTokens: NaN }]) {
      const [name] = Object.keys(wrong);
      assert.throws(() => judgeSummary({ text: GOOD, ...wrong }), (error) => error instanceof PlicaError && error.code === 'bad-argument' && error.message.includes(name));
    }
    const throwing = { get text() { throw new Error('no'); } };
    assert.throws(() => judgeSummary(throwing), (error) => error instanceof PlicaError && error.code === 'bad-argument');
  });

  test(`${entry}: long texts and lone surrogates are read`, () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `- ${(i * 2654435761) % 4294967296} belongs to guest ${i * i} \udc00`).join('\n');
    assert.deepEqual(judgeSummary({ text: `GOAL: count\nSTATE:\n${lines}\nNEXT: go on \ud83d` }), { accepted: true });
    assert.equal(judgeSummary({ text: '\ud800'.repeat(10) }).accepted, false);
    assert.equal(isTooLong(`prompt is too long \udc00`), true);
  });

  test(`${entry}: errors of clients that say that the request was too long`, () => {
    const api = Object.assign(new Error('400 bad request'), { status: 400, error: { type: 'error', error: { message: 'prompt is too long: 207791 tokens > 200000 maximum' } } });
    const wrapped = new Error('failed after 3 attempts', { cause: new Error('call failed', { cause: api }) });
    const sdk = Object.assign(new Error('AI_APICallError'), { responseBody: '{"error":{"code":"context_length_exceeded"}}' });
    const many = Object.assign(new Error('retries'), { errors: [new Error('429 Too Many Requests'), api] });
    for (const error of ['prompt is too long', api, wrapped, sdk, many, { status: 413 }, { statusCode: 413 }, { code: 'context_length_exceeded' },
      { response: { status: 413 } }, { response: { data: { error: { message: 'Input is too long for requested model.' } } } }, [{ error: { message: 'maximum context length is 5' } }]]) {
      assert.equal(isTooLong(error), true, String(error));
    }
    const limited = Object.assign(new Error('429 Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000'), { status: 429, code: 'rate_limit_exceeded' });
    for (const error of [limited, new Error('fetch failed'), 'overloaded', { status: 429 }, { status: 400 }]) assert.equal(isTooLong(error), false, String(error));
  });

  test(`${entry}: isTooLong of anything is an answer`, () => {
    const cycle = new Error('x');
    cycle.cause = cycle;
    cycle.errors = [cycle, { cause: cycle }];
    const throwing = new Proxy({}, { get() { throw new Error('no'); }, has() { throw new Error('no'); } });
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const endless = new Proxy({}, { get: (target, key, self) => (key === 'cause' ? { cause: self } : self) });
    let deep = { message: 'prompt is too long' };
    for (let i = 0; i < 5000; i++) deep = { cause: deep };
    for (const value of [undefined, null, 0, NaN, 5n, true, Symbol('s'), () => 1, [], {}, new Map(), cycle, throwing, revoked.proxy, endless, deep, { message: 9 }, { get message() { throw cycle; } }, 'x'.repeat(1 << 24)]) {
      assert.equal(isTooLong(value), false);
    }
    assert.equal(isTooLong(`${'x'.repeat(1 << 24)} prompt is too long`), true);
    assert.equal(isTooLong({ get message() { throw cycle; }, cause: 'prompt is too long' }), true);
  });
});
