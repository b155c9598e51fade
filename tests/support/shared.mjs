// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Vectors, cases and transcripts that lie outside the repository. Without them the tests that need them are skipped, and
// say so. The folder is the one that PLICA_SHARED names, or the first folder `shared` with vectors beside the repository
// or above it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { root } from './package.mjs';

export const shared = find();

function find() {
  const named = process.env.PLICA_SHARED;
  if (named) return existsSync(join(named, 'vectors')) ? named : undefined;
  for (let dir = root; ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'shared/vectors'))) return join(dir, 'shared');
    if (dirname(dir) === dir) return undefined;
  }
}

/** The parsed JSON of a file in the shared folder. */
export const sharedJson = (path) => JSON.parse(readFileSync(join(shared, path), 'utf8'));

/** The bytes of a file in the shared folder. */
export const sharedBytes = (path) => readFileSync(join(shared, path));

/** A case by its number, or undefined when there is none. */
export function caseOf(number) {
  const name = readdirSync(join(shared, 'cases')).find((file) => file.startsWith(`${number}-`));
  return name === undefined ? undefined : sharedJson(`cases/${name}`);
}

/** Like `test`, but skipped with a printed line when the shared folder is missing. */
export function sharedTest(name, fn) {
  if (shared !== undefined) return test(name, fn);
  console.log(`# skipped, no folder with vectors: ${name}`);
  return test(name, { skip: 'no folder with vectors' }, () => {});
}

/** Counts what ran, by kind, and prints it when the process ends. */
export const ran = {};
export function count(kind, by = 1) {
  ran[kind] = (ran[kind] ?? 0) + by;
}
process.on('exit', () => {
  for (const [kind, number] of Object.entries(ran)) console.log(`# ${kind}: ${number} ran`);
});
