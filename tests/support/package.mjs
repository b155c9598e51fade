// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The package as a consumer gets it: packed once with `npm pack`, installed into a throwaway project outside the repository,
// and loaded there as ESM and as CommonJS.
//
//   const { esm, cjs, from } = await loadPackage();      // module objects, and where they come from
//   forEachEntry((name, plica, store) => { test(…) })    // the same tests over both, the name in front of each; store: plica/store
//
// The tarball is made anew whenever anything in pkg/ changed; the runs of all test files share it (they are processes of
// their own). PLICA_DIST=dir tests the dist in `dir` instead (index.js and index.cjs).

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const pkg = join(root, 'pkg');

/** Both module objects. */
export async function loadPackage() {
  if (process.env.PLICA_DIST) return fromDist(resolve(process.env.PLICA_DIST));
  const consumer = installed();
  const require = createRequire(join(consumer, 'index.cjs'));
  return {
    esm: await import(pathToFileURL(join(consumer, 'load.mjs')).href).then((m) => m.plica),
    cjs: require('plica'),
    stores: { esm: await import(pathToFileURL(join(consumer, 'load-store.mjs')).href).then((m) => m.store), cjs: require('plica/store') },
    from: join(consumer, 'node_modules/plica'),
  };
}

/** Calls `define(name, plica, store)` for "esm" and for "cjs". */
export function forEachEntry(define) {
  for (const name of ['esm', 'cjs']) define(name, loaded[name], loaded.stores?.[name]);
}

async function fromDist(dist) {
  return { esm: await import(pathToFileURL(join(dist, 'index.js')).href), cjs: createRequire(join(dist, 'x.cjs'))(join(dist, 'index.cjs')), from: dist };
}

/** The consumer project that has the tarball installed; made when there is none for this state of pkg/. */
function installed() {
  if (!existsSync(join(pkg, 'dist/index.js'))) throw new Error('pkg/dist is not built; run `npm run build` first');
  const base = join(tmpdir(), 'plica-packed');
  const consumer = join(base, stateOf(pkg));
  if (existsSync(join(consumer, 'ready'))) return consumer;
  mkdirSync(base, { recursive: true });
  forgetOld(base);
  const work = mkdtempSync(join(base, 'making-'));
  const npm = (args) => execFileSync('npm', [...args, '--silent', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: work,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    env: { ...process.env, npm_config_update_notifier: 'false' },
  }).toString();
  writeFileSync(join(work, 'package.json'), '{ "name": "consumer", "private": true }\n');
  const tarball = npm(['pack', pkg, '--pack-destination', work]).trim().split('\n').pop();
  npm(['install', `./${tarball}`]);
  writeFileSync(join(work, 'load.mjs'), 'import * as plica from "plica";\nexport { plica };\n');
  writeFileSync(join(work, 'load-store.mjs'), 'import * as store from "plica/store";\nexport { store };\n');
  writeFileSync(join(work, 'ready'), '');
  try {
    renameSync(work, consumer);
  } catch (error) {
    // Another test file was faster.
    rmSync(work, { recursive: true, force: true });
    if (!existsSync(join(consumer, 'ready'))) throw error;
  }
  return consumer;
}

function stateOf(folder) {
  const hash = createHash('sha256');
  const walk = (dir) => {
    for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name === 'node_modules' || entry.name === 'src') continue;
      const path = join(dir, entry.name);
      if (entry.isDirectory()) walk(path);
      else hash.update(path).update('\0').update(readFileSync(path)).update('\0');
    }
  };
  walk(folder);
  return hash.digest('hex').slice(0, 16);
}

function forgetOld(base) {
  for (const name of readdirSync(base)) {
    const path = join(base, name);
    if (Date.now() - statSync(path).mtimeMs > 86_400_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Loaded once per process. */
export const loaded = await loadPackage();
