// SPDX-License-Identifier: MIT OR Apache-2.0
//
// examples/agent-server as somebody would run it: killed at random moments, and two servers on one conversation. The made-up model
// refuses windows that a real one would refuse; at the end every original is compared with what the clients said and got.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { tool } from '../scripts/runtimes.mjs';
import { frameworkProject } from './support/frameworks.mjs';
import { root } from './support/package.mjs';

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** The example with its packages, in a folder of its own. */
function installed(version) {
  const folder = mkdtempSync(join(tmpdir(), 'plica-agent-server-'));
  folders.push(folder);
  cpSync(join(root, 'examples/agent-server'), folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  const from = join(frameworkProject(`ai-sdk-${version}`).folder, 'node_modules');
  for (const name of readdirSync(from)) if (!name.startsWith('.')) symlinkSync(join(from, name), join(modules, name));
  // Where this Node has a SQLite of its own, the example takes that.
  if (process.getBuiltinModule?.('node:sqlite') === undefined) symlinkSync(join(tool('databases', 'better-sqlite3@12', 'pg@8'), 'node_modules/better-sqlite3'), join(modules, 'better-sqlite3'));
  return folder;
}

function story(folder, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'run.mjs'), ...args], { encoding: 'utf8', timeout: 240_000, env: { ...process.env, NODE_TEST_CONTEXT: undefined } });
  assert.equal(status, 0, stdout + stderr);
  const [, turns, folds] = /(\d+) turns, \d+ messages, \d+ tokens said, (\d+) folds/.exec(stdout).map(Number);
  const largest = Number(/largest window had (\d+) tokens/.exec(stdout)[1]);
  const killed = Number(/(\d+) times a server was killed/.exec(stdout)[1]);
  return { turns, folds, largest, killed };
}

test('AI SDK 6: a server that is killed at random moments loses nothing', () => {
  const { turns, folds, largest, killed } = story(installed(6), '--turns', '120', '--kills', '12', '--seed', '11');
  assert.equal(turns, 120);
  assert.ok(folds >= 2, `${folds} folds`);
  assert.ok(largest > 10_000 && largest <= 32_000, `${largest} tokens`);
  assert.ok(killed >= 12);
});

test('AI SDK 7: two servers on one conversation, both killed now and then', () => {
  const { turns, folds, largest, killed } = story(installed(7), '--turns', '100', '--kills', '6', '--servers', '2', '--seed', '5');
  assert.equal(turns, 100);
  assert.ok(folds >= 1, `${folds} folds`);
  assert.ok(largest <= 32_000);
  assert.ok(killed >= 6);
});
