// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What is packed: each entry has its files, and those beside the main one bring nothing with them.

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
  assert.deepEqual(Object.keys(exports), ['.', './slim', './store', './ai-sdk', './anthropic', './langchain', './openai-agents', './core.wasm', './package.json']);
  assert.equal(dependencies, undefined);
  for (const [name, range] of Object.entries(peerDependencies)) {
    assert.equal(range, '*', `${name}: whoever wants another entry may have any version`);
    assert.deepEqual(peerDependenciesMeta[name], { optional: true });
  }
  const paths = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(paths));
  for (const path of paths(exports)) assert.ok(existsSync(join(loaded.from, path)), path);
  // The licences and the readme are put beside them when it is published; here no scripts run.
  assert.deepEqual(readdirSync(loaded.from).filter((name) => !/^(LICENSE|README)/.test(name)).sort(), ['bin', 'dist', 'package.json']);
});

/** What an entry imports beside relative files. */
const importsOf = (name) => {
  const esm = file(`dist/${name}.js`).replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  assert.ok(!/WebAssembly|import\.meta/.test(esm));
  return [...new Set([...esm.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)].map(([, from]) => from))].sort();
};

/** What an entry exports, in a place without any platform, with modules that are not to be touched yet. */
function exportsOf(name) {
  const untouched = new Proxy({}, { get: (_, key) => { throw new Error(`${String(key)} was used`); } });
  return loadedWith(name, () => untouched);
}

function loadedWith(name, require) {
  const module = { exports: {} };
  new Script(file(`dist/${name}.cjs`)).runInContext(createContext({ module, exports: module.exports, require }));
  return Object.keys(module.exports).sort();
}

test('plica/store imports plica alone, and does nothing when it is loaded', { skip: !packed }, () => {
  assert.deepEqual(importsOf('store'), ['plica']);
  assert.deepEqual(exportsOf('store'), ['postgresStore', 'sqliteStore']);
  assert.ok(file('dist/store.js').length < 60_000);
});

test('plica/ai-sdk imports plica alone, and does nothing when it is loaded', { skip: !packed }, () => {
  assert.deepEqual(importsOf('ai-sdk'), ['plica']);
  assert.deepEqual(exportsOf('ai-sdk'), ['foldPrompts', 'foldSteps', 'summarizeWith']);
  assert.ok(file('dist/ai-sdk.js').length < 80_000);
});

test('plica/anthropic imports plica alone, and does nothing when it is loaded', { skip: !packed }, () => {
  assert.deepEqual(importsOf('anthropic'), ['plica']);
  assert.deepEqual(exportsOf('anthropic'), ['Conversation', 'MessageFolding', 'foldMessages', 'summarizeWith']);
  assert.ok(file('dist/anthropic.js').length < 80_000);
});

test('plica/openai-agents imports plica alone, and does nothing when it is loaded', { skip: !packed }, () => {
  assert.deepEqual(importsOf('openai-agents'), ['plica']);
  assert.deepEqual(exportsOf('openai-agents'), ['plicaSession']);
  assert.ok(file('dist/openai-agents.js').length < 80_000);
});

test('plica/langchain imports plica and its peers', { skip: !packed }, () => {
  assert.deepEqual(importsOf('langchain'), ['@langchain/langgraph', 'langchain', 'plica', 'zod/v4']);
  // It looks up the classes of LangChain, and makes none.
  const messages = Object.fromEntries(['HumanMessage', 'AIMessage', 'SystemMessage', 'ToolMessage'].map((name) => [name, class {}]));
  assert.deepEqual(loadedWith('langchain', (name) => (name === 'langchain' ? messages : {})), ['plicaMiddleware', 'summarizeWith']);
  assert.ok(file('dist/langchain.js').length < 80_000);
});

test('declarations name only what is there', { skip: !packed }, () => {
  for (const end of ['ts', 'cts']) {
    const inside = (folder) => readdirSync(join(loaded.from, 'dist', folder)).filter((path) => path.endsWith(`.d.${end}`)).map((path) => `${folder}/${path.slice(0, -3 - end.length)}`);
    for (const name of ['store', 'anthropic', 'langchain', 'openai-agents', ...inside('store'), ...inside('adapters')]) {
      const text = file(`dist/${name}.d.${end}`);
      assert.ok(!/\bany\b/.test(text.replace(/\/\*[^]*?\*\//g, '')), `${name}: any`);
    }
  }
});
