// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What is packed: each entry has its files, and plica/store brings nothing with it.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script, createContext } from 'node:vm';
import { loaded } from './support/package.mjs';

const packed = !process.env.PLICA_DIST;
const file = (name) => readFileSync(join(loaded.from, name), 'utf8');

test('every file that the exports name is in the package', { skip: !packed }, () => {
  const { exports, dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(file('package.json'));
  assert.deepEqual(Object.keys(exports), ['.', './slim', './store', './anthropic', './core.wasm', './package.json']);
  assert.equal(dependencies, undefined);
  // Frameworks belong to those who have them.
  assert.deepEqual(Object.keys(peerDependencies), ['@anthropic-ai/sdk']);
  for (const name of Object.keys(peerDependencies)) assert.deepEqual([/^>=\d+$/.test(peerDependencies[name]), peerDependenciesMeta[name]], [true, { optional: true }], name);
  const paths = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(paths));
  for (const path of paths(exports)) assert.ok(existsSync(join(loaded.from, path)), path);
  // The licences and the readme are put beside them when it is published; here no scripts run.
  assert.deepEqual(readdirSync(loaded.from).filter((name) => !/^(LICENSE|README)/.test(name)).sort(), ['bin', 'dist', 'package.json']);
});

test('plica/store imports plica alone, and does nothing when it is loaded', { skip: !packed }, () => {
  const esm = file('dist/store.js').replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  assert.deepEqual([...new Set([...esm.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)].map(([, name]) => name))], ['plica']);
  assert.ok(!/WebAssembly|import\.meta/.test(esm));
  // Without any platform, and a plica that is not to be touched yet.
  const untouched = new Proxy({}, { get: (_, key) => { throw new Error(`${String(key)} was used`); } });
  const module = { exports: {} };
  const context = createContext({ module, exports: module.exports, require: () => untouched });
  new Script(file('dist/store.cjs')).runInContext(context);
  assert.deepEqual(Object.keys(module.exports).sort(), ['postgresStore', 'sqliteStore']);
  assert.ok(esm.length < 60_000, `${esm.length} characters`);
});

/** Adapters, and what each of them has. */
const ADAPTERS = { anthropic: ['Conversation', 'MessageFolding', 'foldMessages', 'summarizeWith'] };

for (const [name, exported] of Object.entries(ADAPTERS)) {
  test(`plica/${name} imports plica alone, and does nothing when it is loaded`, { skip: !packed }, () => {
    const esm = file(`dist/${name}.js`).replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
    assert.deepEqual([...new Set([...esm.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)].map(([, from]) => from))], ['plica']);
    assert.ok(!/WebAssembly|import\.meta|node:/.test(esm));
    const untouched = new Proxy({}, { get: (_, key) => { throw new Error(`${String(key)} was used`); } });
    const module = { exports: {} };
    new Script(file(`dist/${name}.cjs`)).runInContext(createContext({ module, exports: module.exports, require: () => untouched }));
    assert.deepEqual(Object.keys(module.exports).sort(), exported);
  });
}

test('declarations name only what is there', { skip: !packed }, () => {
  for (const end of ['ts', 'cts']) {
    for (const name of ['store', ...Object.keys(ADAPTERS), ...Object.keys(ADAPTERS).map((adapter) => `adapters/${adapter}`), 'adapters/conversation', ...readdirSync(join(loaded.from, 'dist/store')).filter((path) => path.endsWith(`.d.${end}`)).map((path) => `store/${path.slice(0, -3 - end.length)}`)]) {
      const text = file(`dist/${name}.d.${end}`);
      assert.ok(!/\bany\b/.test(text.replace(/\/\*[^]*?\*\//g, '')), `${name}: any`);
    }
  }
});
