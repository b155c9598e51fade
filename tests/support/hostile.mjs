// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Values that arguments are not meant to be. Each is made anew for every use. `HEAVY` ones take time or memory.

const thrown = () => { throw new Error('from a getter'); };
const traps = new Proxy({}, { get: () => thrown });

function nested(depth, step, inner) {
  let value = inner;
  for (let i = 0; i < depth; i++) value = step(value);
  return value;
}

function revoked(target) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function detached() {
  const buffer = new ArrayBuffer(8);
  const view = new Uint8Array(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  return { buffer, view };
}

class Instance {
  #secret = 1;
  field = 'x';
  get computed() { return this.#secret; }
}
class List extends Array {}

export const HOSTILE = {
  'undefined': () => undefined,
  'null': () => null,
  'NaN': () => NaN,
  '-1': () => -1,
  '-0': () => -0,
  '0.5': () => 0.5,
  '1e308': () => 1e308,
  'Infinity': () => Infinity,
  '-Infinity': () => -Infinity,
  '2^53': () => 2 ** 53,
  '2^32': () => 2 ** 32,
  'true': () => true,
  'false': () => false,
  'empty string': () => '',
  'blank string': () => ' \n\t\u3000',
  'lone high surrogate': () => 'a\ud800b',
  'lone low surrogate': () => '\udc00',
  'NUL and U+2028': () => 'a\0b\u2028c\u2029d\u0085e',
  'JSON text': () => '{"role":"user","content":"x"}',
  'broken JSON text': () => '{"role":"user","content":',
  '__proto__': () => '__proto__',
  'symbol': () => Symbol('s'),
  'symbol iterator': () => Symbol.iterator,
  'function': () => function named() {},
  'arrow that throws': () => () => { throw new Error('from a function'); },
  'function that throws undefined': () => () => { throw undefined; },
  'function that throws a null-prototype object': () => () => { throw Object.create(null); },
  'function that gives a symbol': () => () => Symbol('given'),
  'function that gives a BigInt': () => () => 1n,
  'function that gives a cyclic object': () => () => { const o = {}; o.o = o; return o; },
  'function that gives NaN': () => () => NaN,
  'function that gives -1': () => () => -1,
  'async function': () => async () => 1,
  'class': () => class {},
  'BigInt': () => 10n,
  'huge BigInt': () => 10n ** 400n,
  'Date': () => new Date(0),
  'invalid Date': () => new Date(NaN),
  'URL': () => new URL('https://example.invalid/'),
  'RegExp': () => /x/g,
  'Map': () => new Map([[1, 2]]),
  'Set': () => new Set([1]),
  'WeakMap': () => new WeakMap(),
  'Promise': () => Promise.resolve(1),
  'rejected Promise': () => { const p = Promise.reject(new Error('x')); p.catch(() => {}); return p; },
  'Error': () => new Error('an error'),
  'Uint8Array': () => new Uint8Array([1, 2, 3]),
  'Float64Array': () => new Float64Array([NaN, 1]),
  'Buffer': () => Buffer.from('{"role":"user"}'),
  'ArrayBuffer': () => new ArrayBuffer(4),
  'SharedArrayBuffer': () => new SharedArrayBuffer(4),
  'Uint8Array over shared memory': () => new Uint8Array(new SharedArrayBuffer(4)),
  'DataView': () => new DataView(new ArrayBuffer(4)),
  'Blob': () => new Blob(['x'], { type: 'text/plain' }),
  'detached ArrayBuffer': () => detached().buffer,
  'view of a detached ArrayBuffer': () => detached().view,
  'frozen object': () => Object.freeze({ role: 'user', content: 'x' }),
  'sealed object': () => Object.seal({ role: 'user', content: 'x' }),
  'null-prototype object': () => Object.assign(Object.create(null), { role: 'user', content: 'x' }),
  'empty null-prototype object': () => Object.create(null),
  'empty object': () => ({}),
  'empty array': () => [],
  'array of undefined': () => [undefined],
  'array of null': () => [null],
  'array of numbers': () => [1, 2, 3],
  'array of arrays': () => [[], [[]]],
  'array of a symbol': () => [Symbol('s')],
  'array of a function': () => [() => {}],
  'array subclass': () => List.from([{ role: 'user', content: 'x' }]),
  'class instance': () => new Instance(),
  'boxed string': () => new String('x'), // eslint-disable-line no-new-wrappers
  'boxed number': () => new Number(5), // eslint-disable-line no-new-wrappers
  'boxed symbol': () => Object(Symbol('s')),
  'array-like': () => ({ length: 2, 0: 'a', 1: 'b' }),
  'generator': () => (function* () { yield 1; })(),
  'getters that throw': () => Object.defineProperties({}, Object.fromEntries(
    ['role', 'content', 'type', 'text', 'format', 'tailBudget', 'prefixEnd', 'keptFrom', 'kept', 'kind', 'plan', 'messages', 'digest', 'folded', 'length', 'toJSON', 'key', 'importance', 'plica', 'folds', 'originals', 'estimator', 'resultBytes', 'maxBytes', 'maxChars', 'pinConstraints', 'window', 'ledger', 'a', 'id', 'name', 'summary']
      .map((name) => [name, { enumerable: true, configurable: true, get: thrown }]))),
  'array with a getter that throws': () => Object.defineProperty([{ role: 'user', content: 'x' }], 1, { enumerable: true, configurable: true, get: thrown }),
  'Proxy with throwing traps': () => new Proxy({}, traps),
  'array Proxy with throwing traps': () => new Proxy([], traps),
  'function Proxy with throwing traps': () => new Proxy(() => {}, traps),
  'revoked Proxy': () => revoked({}),
  'revoked array Proxy': () => revoked([]),
  'revoked function Proxy': () => revoked(() => {}),
  'array Proxy of length NaN': () => new Proxy([1], { get: (t, k) => (k === 'length' ? NaN : t[k]) }),
  'array Proxy of length 1e5': () => new Proxy([1], { get: (t, k) => (k === 'length' ? 1e5 : t[k]) }),
  'cyclic object': () => { const o = { role: 'user', content: 'x' }; o.self = o; return o; },
  'cyclic array': () => { const a = [{ role: 'user', content: 'x' }]; a.push(a); return a; },
  'cycle below': () => { const o = { a: { b: {} } }; o.a.b.c = [o.a]; return o; },
  'sparse array': () => { const a = []; a[3] = { role: 'user', content: 'x' }; return a; },
  'sparse array of length 2^32-1': () => { const a = []; a.length = 2 ** 32 - 1; return a; },
  'object 2 000 deep': () => nested(2000, (a) => ({ a }), 1),
  'array 5 000 deep': () => nested(5000, (a) => [a], 1),
  'toJSON that throws': () => ({ role: 'user', content: 'x', toJSON: thrown }),
  'toJSON that gives undefined': () => ({ role: 'user', content: 'x', toJSON: () => undefined }),
  'toJSON that gives a string': () => ({ role: 'user', content: 'x', toJSON: () => 'text' }),
  'toJSON that gives a BigInt': () => ({ role: 'user', content: 'x', toJSON: () => 7n }),
  'toJSON that gives itself': () => ({ role: 'user', content: 'x', toJSON() { return this; } }),
  'toJSON that gives a cycle': () => ({ role: 'user', content: 'x', toJSON() { const o = { role: 'user', content: 'x' }; o.o = o; return o; } }),
  'valueOf that throws': () => ({ valueOf: thrown, toString: thrown }),
  'toPrimitive that gives an object': () => ({ [Symbol.toPrimitive]: () => ({}) }),
  'toStringTag of a Blob': () => ({ [Symbol.toStringTag]: 'Blob', role: 'user', content: 'x' }),
  'toStringTag of an ArrayBuffer': () => ({ [Symbol.toStringTag]: 'ArrayBuffer', role: 'user', content: 'x' }),
  'toStringTag that throws': () => Object.defineProperty({ role: 'user' }, Symbol.toStringTag, { get: thrown }),
  '$plica mark': () => ({ $plica: 'bytes', type: 'Nothing', base64: '###' }),
  'own __proto__': () => JSON.parse('{"__proto__":{"role":"user"},"role":"user","content":"x"}'),
  'array that grows while it is read': () => { const a = [{ role: 'user', content: 'x' }]; Object.defineProperty(a, 0, { enumerable: true, configurable: true, get() { if (a.length < 50) a.push({ role: 'user', content: 'more' }); return { role: 'user', content: 'x' }; } }); return a; },
};

export const HEAVY = {
  'string of 5 MB': () => 'ab é\u2028 '.repeat(700_000),
  'array of 100 000 messages': () => Array.from({ length: 100_000 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `m${i}` })),
  'object 200 000 deep': () => nested(200_000, (a) => ({ a }), 1),
  'array 200 000 deep': () => nested(200_000, (a) => [a], 1),
  'shared references that unfold to 2^40': () => nested(40, (a) => ({ a, b: a }), { role: 'user', content: 'x' }),
  'array of shared references that unfold to 2^40': () => nested(40, (a) => [a, a], { role: 'user', content: 'x' }),
  '5 MB of bytes': () => new Uint8Array(5_000_000).fill(7),
  'object of 200 000 keys': () => Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i])),
  'JSON text 100 000 deep': () => '['.repeat(100_000),
};
