// SPDX-License-Identifier: MIT OR Apache-2.0
//
// examples/agent-server as somebody would run it: killed at random moments, and two servers on one conversation. The made-up model
// refuses windows that a real one would refuse; at the end every original is compared with what the clients said and got.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

// A turn larger than the window; then models that call without end, that say nothing, and whose provider has no room for a while.
const TURNS = `
import { Agent } from "./agent.mjs";
import { openDatabase } from "./database.mjs";
import { modelOf } from "./model.mjs";

const said = (messages) => messages.at(-1).content.map(({ text }) => text).join("");
const asked = (agent, key, text) => agent.turn("garden", { key, text }).then(said, ({ message }) => "failed: " + message);
const out = {};
const large = new Agent({ database: await openDatabase(":memory:"), ...(await modelOf()) });
out.large = [];
for (const [key, text] of [["1", "Request 1."], ["2", "Request 2. " + "Mind the edges. ".repeat(9000)], ["3", "Request 3."], ["2", "Once more."], ["4", "Request 4."]]) out.large.push(await asked(large, key, text));
out.roles = (await large.originals("garden")).map(({ role }) => role[0]).join("");

const { model } = await modelOf();
for (const [name, content] of [["endless", (n) => [{ type: "tool-call", toolCallId: "c" + n, toolName: "look", input: '{"bed":1}' }]], ["silent", () => []]]) {
  let calls = 0;
  const doGenerate = async (request) => ({ ...(await model.doGenerate(request)), content: content(++calls), finishReason: { unified: name === "silent" ? "content-filter" : "tool-calls", raw: undefined } });
  const agent = new Agent({ database: await openDatabase(":memory:"), model: { ...model, doGenerate }, summarizer: model });
  out[name] = [await asked(agent, "1", "Request 1."), calls];
}

let down = true;
const doGenerate = (request) => (down ? Promise.reject(Object.assign(new Error("overloaded"), { isRetryable: true })) : model.doGenerate(request));
const away = new Agent({ database: await openDatabase(":memory:"), model: { ...model, doGenerate }, summarizer: model });
out.away = [await asked(away, "1", "Request 4."), await asked(away, "2", "Request 8.")];
down = false;
out.away.push(await asked(away, "1", "Request 4."), await asked(away, "2", "Request 8."));
console.log(JSON.stringify(out));
process.exit();
`;

for (const version of [6, 7]) {
  test(`AI SDK ${version}: every turn comes to its end, and what can never be answered stops nobody`, () => {
    const folder = installed(version);
    writeFileSync(join(folder, 'turns.mjs'), TURNS);
    const out = JSON.parse(execFileSync(process.execPath, ['turns.mjs'], { cwd: folder, encoding: 'utf8', timeout: 60_000 }));
    assert.match(out.large[0], /^Turn 1: /);
    assert.match(out.large[1], /^failed: prompt is too long/);
    assert.match(out.large[2], /^Turn 3: /);
    assert.match(out.large[3], /^This request could not be answered: prompt is too long/);
    assert.match(out.large[4], /^Turn 4: /);
    assert.match(out.roles, /^u(at)*aua(u(at)*a){2}$/);
    assert.match(out.endless[0], /^This request has no answer/);
    assert.equal(out.endless[1], 20);
    assert.match(out.silent[0], /^This request has no answer/);
    assert.equal(out.silent[1], 1);
    assert.match(out.away[0], /^failed: .*overloaded/);
    assert.match(out.away[1], /^failed: .*overloaded/);
    assert.match(out.away[2], /^Turn 4: /);
    assert.match(out.away[3], /^Turn 8: /);
  });
}

test('what is no turn and no id is refused as such', async () => {
  const folder = installed(6);
  const server = spawn(process.execPath, ['server.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PORT: '0', NODE_NO_WARNINGS: '1' } });
  try {
    const printed = await new Promise((resolve) => server.stdout.setEncoding('utf8').once('data', resolve));
    const all = `http://127.0.0.1:${/listening on (\d+)/.exec(printed)[1]}/conversations/`;
    const post = async (id, body) => (await fetch(`${all}${id}/turns`, { method: 'POST', body })).status;
    for (const body of ['{bad', '', 'null', '7', '{"key":1,"text":"x"}', '{"key":"1","text":" "}']) assert.equal(await post('g', body), 400, body);
    const turn = '{"key":"1","text":"Request 4."}';
    for (const id of ['a'.repeat(600), '%E0%A4%A', '%00']) {
      assert.equal(await post(id, turn), 400, id);
      assert.equal((await fetch(`${all}${id}`)).status, 400, id);
    }
    assert.equal(await post('a'.repeat(255), turn), 200);
    assert.equal((await fetch(`${all}garden/7/8`)).status, 404);
  } finally {
    server.kill();
  }
});
