// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What is packed: each entry has its files, and those beside the core bring nothing with them.

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
  assert.deepEqual(Object.keys(exports), ['.', './slim', './store', './ai-sdk', './core.wasm', './package.json']);
  // Frameworks are peers, and none has to be there.
  assert.equal(dependencies, undefined);
  assert.deepEqual(Object.keys(peerDependencies), ['ai']);
  for (const [name, range] of Object.entries(peerDependencies)) assert.deepEqual([peerDependenciesMeta[name], /^>=/.test(range)], [{ optional: true }, true], name);
  const paths = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(paths));
  for (const path of paths(exports)) assert.ok(existsSync(join(loaded.from, path)), path);
  // The licences and the readme are put beside them when it is published; here no scripts run.
  assert.deepEqual(readdirSync(loaded.from).filter((name) => !/^(LICENSE|README)/.test(name)).sort(), ['bin', 'dist', 'package.json']);
});

for (const [entry, names] of Object.entries({
  store: ['postgresStore', 'sqliteStore'],
  'ai-sdk': ['foldPrompts', 'foldSteps', 'summarizeWith'],
})) test(`plica/${entry} imports plica alone, and does nothing when it is loaded`, { skip: !packed }, () => {
  const esm = file(`dist/${entry}.js`).replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  assert.deepEqual([...new Set([...esm.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)].map(([, name]) => name))], ['plica']);
  assert.ok(!/WebAssembly|import\.meta/.test(esm));
  // Without any platform, and a plica that is not to be touched yet.
  const untouched = new Proxy({}, { get: (_, key) => { throw new Error(`${String(key)} was used`); } });
  const module = { exports: {} };
  const context = createContext({ module, exports: module.exports, require: () => untouched });
  new Script(file(`dist/${entry}.cjs`)).runInContext(context);
  assert.deepEqual(Object.keys(module.exports).sort(), names);
  assert.ok(esm.length < 60_000, `${esm.length} characters`);
});

test('declarations name only what is there', { skip: !packed }, () => {
  for (const end of ['ts', 'cts']) {
    const within = (folder) => readdirSync(join(loaded.from, 'dist', folder)).filter((path) => path.endsWith(`.d.${end}`)).map((path) => `${folder}/${path.slice(0, -3 - end.length)}`);
    for (const name of ['store', 'ai-sdk', ...within('store'), ...within('adapters')]) {
      const text = file(`dist/${name}.d.${end}`);
      assert.ok(!/\bany\b/.test(text.replace(/\/\*[^]*?\*\//g, '')), `${name}: any`);
    }
  }
});
