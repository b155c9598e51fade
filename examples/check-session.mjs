// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Looks at garden-planner.jsonl as a stranger would: no code in common with what wrote it.
//
//   node examples/check-session.mjs [FILE]
//
// Follows the active branch from the last line, regroups what was split, and asserts every feature the example promises.
// Prints the counts. Exits with 1 when something is missing.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Buffer } from 'node:buffer';
import { inflateSync } from 'node:zlib';

const file = process.argv[2] ?? new URL('garden-planner.jsonl', import.meta.url);
const bytes = readFileSync(file);
const text = bytes.toString('utf8');
assert.ok(Buffer.from(text, 'utf8').equals(bytes), 'the file is valid UTF-8');
assert.ok(text.endsWith('\n') && !text.includes('\r'), 'LF at the end of each line');
const source = text.slice(0, -1).split('\n');
const lines = source.map((l, n) => {
  try {
    return JSON.parse(l);
  } catch (e) {
    throw new Error(`line ${n + 1}: ${e.message}`);
  }
});

// ---- the tree

const byId = new Map();
for (const line of lines) {
  if (line.uuid === undefined) continue;
  assert.match(line.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(!byId.has(line.uuid), `uuid ${line.uuid} twice`);
  if (line.parentUuid !== null) assert.ok(byId.has(line.parentUuid), `${line.uuid} hangs below a line that does not come before it`);
  byId.set(line.uuid, line);
}
const position = new Map(lines.map((line, n) => [line, n]));
const roots = lines.filter((l) => l.uuid && l.parentUuid === null);
for (let n = 1, last = ''; n < lines.length; n++) {
  if (!lines[n].timestamp) continue;
  assert.ok(lines[n].timestamp >= last, `line ${n + 1} goes back in time`);
  last = lines[n].timestamp;
}

const leaf = lines.filter((l) => l.uuid && !l.isSidechain).at(-1);
function walk(from, throughBoundaries) {
  const path = new Set();
  for (let at = from; at;) {
    path.add(at);
    const up = at.parentUuid ?? (throughBoundaries ? at.logicalParentUuid : undefined);
    at = up === undefined || up === null ? undefined : byId.get(up);
  }
  return path;
}
/** The path, and what belongs to it beside it: other lines of the same API message and the results of their calls. */
function active(throughBoundaries) {
  const path = walk(leaf, throughBoundaries);
  const ids = new Set([...path].filter((l) => l.type === 'assistant').map((l) => l.message.id));
  const homes = new Set();
  for (const l of lines) {
    if (l.type === 'assistant' && !l.isSidechain && ids.has(l.message.id)) {
      path.add(l);
      homes.add(l.uuid);
    }
  }
  for (const l of lines) if (homes.has(l.sourceToolAssistantUUID)) path.add(l);
  return [...path].sort((a, b) => position.get(a) - position.get(b));
}
function regroup(chain) {
  const out = [];
  for (const l of chain) {
    if ((l.type !== 'user' && l.type !== 'assistant') || l.isApiErrorMessage) continue;
    const blocks = typeof l.message.content === 'string' ? [{ type: 'text', text: l.message.content }] : l.message.content;
    const last = out.at(-1);
    if (last && last.role === l.type && (l.type === 'user' || last.id === l.message.id)) last.content.push(...blocks);
    else out.push({ role: l.type, id: l.message.id, content: [...blocks] });
  }
  return out;
}

const pathOnly = walk(leaf, true);
const window = active(false);
const whole = active(true);
const windowMessages = regroup(window);
const wholeMessages = regroup(whole);

/** What the Messages API asks of a conversation, checked in the plainest way. */
function sound(messages, name) {
  assert.equal(messages[0].role, 'user', name);
  messages.forEach((m, n) => {
    if (n) assert.notEqual(m.role, messages[n - 1].role, `${name}: message ${n} does not alternate`);
    assert.ok(m.content.length > 0);
    const calls = m.content.filter((b) => b.type === 'tool_use').map((b) => b.id);
    assert.equal(new Set(calls).size, calls.length);
    const next = messages[n + 1]?.content ?? [];
    assert.deepEqual(next.slice(0, calls.length).map((b) => b.tool_use_id).sort(), [...calls].sort(), `${name}: results after message ${n}`);
    if (m.role === 'assistant') {
      assert.deepEqual(next.slice(calls.length).filter((b) => b.type === 'tool_result'), [], `${name}: result without call after message ${n}`);
      const at = m.content.findIndex((b) => b.type === 'thinking');
      if (at >= 0) assert.equal(at, 0, 'thinking comes first');
      assert.ok(m.content.some((b) => b.type !== 'thinking'));
    }
    for (const b of m.content) {
      if (b.type === 'thinking') assert.ok(b.signature.length > 100);
      if (b.type === 'text') assert.ok(b.text.trim());
    }
  });
}
sound(windowMessages, 'window');
sound(wholeMessages, 'whole');

// ---- what it promises

const of = (f) => lines.filter(f);
const blocksOf = (l) => (Array.isArray(l.message?.content) ? l.message.content : []);
const userTexts = (chain) => chain.filter((l) => l.type === 'user' && !l.isMeta && !l.isCompactSummary && !l.toolUseResult && !l.isSidechain)
  .flatMap((l) => (typeof l.message.content === 'string' ? [l.message.content] : blocksOf(l).filter((b) => b.type === 'text').map((b) => b.text)));
const prompts = userTexts(window);
const promise = (what, ok) => {
  assert.ok(ok, what);
  promises.push(what);
};
const promises = [];

promise('250 to 800 KB', bytes.length >= 250e3);
promise('300 messages or more in the window', windowMessages.length >= 300);
promise('and more with what was folded', wholeMessages.length >= windowMessages.length + 20);
for (const type of ['user', 'assistant', 'system', 'progress', 'file-history-snapshot', 'summary']) promise(`lines of type ${type}`, of((l) => l.type === type).length > 1);

const split = new Map();
for (const l of of((x) => x.type === 'assistant' && !x.isApiErrorMessage)) split.set(l.message.id, [...(split.get(l.message.id) ?? []), l]);
for (const group of split.values()) {
  for (const l of group) {
    assert.equal(l.message.content.length, 1, 'one block a line');
    assert.deepEqual(l.message.usage, group[0].message.usage);
    assert.equal(l.requestId, group[0].requestId);
    assert.ok(l.message.usage.output_tokens > 0);
  }
  group.slice(1).forEach((l, n) => assert.equal(l.parentUuid, group[n].uuid, 'lines of a message hang below each other'));
}
promise('an API message over three lines: thinking, text, call', [...split.values()].some((g) => g.map((l) => l.message.content[0].type).join() === 'thinking,text,tool_use'));
const parallel = [...split.values()].filter((g) => g.filter((l) => l.message.content[0].type === 'tool_use').length > 1);
promise('parallel calls', parallel.length >= 20);
promise('first result and second call have the same parent', parallel.some((g) => {
  const calls = g.filter((l) => l.message.content[0].type === 'tool_use');
  return of((l) => l.parentUuid === calls[0].uuid).some((l) => l.sourceToolAssistantUUID === calls[0].uuid) && calls[1].parentUuid === calls[0].uuid;
}));
promise('the straight path alone would lose results', [...whole].filter((l) => l.toolUseResult !== undefined && !pathOnly.has(l)).length > 20);
const results = of((l) => blocksOf(l).some((b) => b.type === 'tool_result'));
for (const l of results) {
  assert.ok(l.toolUseResult !== undefined && l.sourceToolAssistantUUID, 'result lines say where they come from');
  assert.equal(l.parentUuid, l.sourceToolAssistantUUID);
  assert.equal(blocksOf(byId.get(l.sourceToolAssistantUUID))[0].id, blocksOf(l)[0].tool_use_id);
}
promise('results out of order', parallel.some((g) => {
  const calls = g.filter((l) => l.message.content[0].type === 'tool_use').map((l) => l.uuid);
  const came = results.filter((l) => calls.includes(l.sourceToolAssistantUUID)).map((l) => l.sourceToolAssistantUUID);
  return came.join() !== calls.join();
}));

const offPath = of((l) => l.uuid && !l.isSidechain && !whole.includes(l) && (l.type === 'user' || l.type === 'assistant'));
const fork = offPath.map((l) => byId.get(l.parentUuid)).find((p) => p && whole.includes(p) && of((l) => l.parentUuid === p.uuid && l.type === 'user' && !l.toolUseResult).length === 2);
promise('a branch that was left', offPath.length >= 5 && fork !== undefined);
const [older, newer] = of((l) => l.parentUuid === fork.uuid && l.type === 'user');
promise('the later child is the active one', offPath.includes(older) && window.includes(newer));

const side = of((l) => l.isSidechain);
promise('a side chain with a root of its own', side.length >= 8 && side[0].parentUuid === null && side.every((l) => l.agentId) && side.slice(1).every((l) => byId.get(l.parentUuid).isSidechain));
promise('no side chain in the window', whole.every((l) => !l.isSidechain));
promise('meta lines', whole.filter((l) => l.type === 'user' && l.isMeta === true).length >= 1);

const boundary = lines.findIndex((l) => l.subtype === 'compact_boundary');
const b = lines[boundary];
promise('a compact boundary', boundary > 0 && b.type === 'system' && b.parentUuid === null && byId.has(b.logicalParentUuid) && b.compactMetadata.trigger === 'auto' && b.compactMetadata.preTokens > 10000);
const summary = lines[boundary + 1];
promise('followed by its summary', summary.isCompactSummary === true && summary.parentUuid === b.uuid && summary.type === 'user');
promise('the window starts at the boundary', window[0] === b);
promise('a boundary in the middle of a turn', byId.get(b.logicalParentUuid).toolUseResult !== undefined);
const titles = of((l) => l.type === 'summary');
promise('titles point to lines', titles.every((l) => l.summary && byId.has(l.leafUuid)) && titles.at(-1).leafUuid === leaf.uuid);
for (const subtype of ['stop_hook_summary', 'turn_duration']) promise(`system lines ${subtype}`, of((l) => l.subtype === subtype).length > 3);
for (const kind of ['hook_progress', 'bash_progress']) promise(`progress lines ${kind}`, of((l) => l.data?.type === kind).length > 3);
promise('an API error line', of((l) => l.isApiErrorMessage === true && l.message.model === '<synthetic>').length === 1);
promise('an interrupted request', of((l) => blocksOf(l).some((x) => x.text === '[Request interrupted by user]')).length === 1);

const image = whole.flatMap(blocksOf).find((x) => x.type === 'image');
const png = Buffer.from(image.source.data, 'base64');
promise('a picture', image.source.media_type === 'image/png' && validPng(png));

const calls = whole.flatMap(blocksOf).filter((x) => x.type === 'tool_use');
for (const name of ['Read', 'Edit', 'Write', 'Bash', 'Grep', 'Glob', 'Task', 'TodoWrite']) promise(`tool ${name}`, calls.some((c) => c.name === name));
promise('error results', whole.flatMap(blocksOf).filter((x) => x.type === 'tool_result' && x.is_error === true).length >= 3);
const sizes = window.flatMap(blocksOf).filter((x) => x.type === 'tool_result').map((x) => Buffer.byteLength(JSON.stringify(x.content)));
promise('one result of 20 to 40 KB', Math.max(...sizes) >= 20e3 && Math.max(...sizes) <= 40e3);
promise('a number of 19 digits, as it is', source.some((l) => l.includes('"type":"tool_use"') && /"sensor_id":1734509912345678901[,}]/.test(l)) && !text.includes('"sensor_id":1734509912345678800'));
promise('2.0 as it is', source.filter((l) => l.includes('"type":"tool_use"') && /"scale":2\.0[,}]/.test(l)).length === 2 && source.some((l) => l.includes('"toolUseResult"') && /"moisture":2\.0[,}]/.test(l)));
promise('keys in an order that a parser would change', source.some((l) => l.includes('"depths":{"30":')));
promise('switch before path', source.some((l) => l.includes('"input":{"replace_all":false,"file_path"')));

promise('a German request', prompts.some((p) => p.startsWith('Meine Nachbarin')));
promise('a Japanese request', prompts.some((p) => /[\u3040-\u30ff]/.test(p)));
promise('emoji', /\p{Extended_Pictographic}/u.test(text) && /[\u{1f000}-\u{1ffff}]/u.test(prompts.join('')));
promise('CJK in results', window.flatMap(blocksOf).some((x) => x.type === 'tool_result' && /[\u3040-\u9fff]/.test(JSON.stringify(x.content))));
const everyPrompt = userTexts(whole).join('\n');
for (const rule of ['never touch files in vendor/', 'always run npm test before committing', 'keep the CLI flags unchanged', "don't do it again", 'I change my mind']) promise(`said by the user: ${rule}`, everyPrompt.includes(rule));
promise('the rules stand in the old summary', ['vendor/', 'npm test', 'CLI flags'].every((r) => summary.message.content.includes(r)));
promise('an unfinished end with a next step', /\*\*Next step:\*\*/.test(windowMessages.at(-1).content.at(-1).text));
promise('no address beyond example.invalid', [...text.matchAll(/https?:\/\/([a-z0-9.-]+)/gi)].every((m) => m[1] === 'localhost') && [...text.matchAll(/@([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi)].every((m) => m[1].endsWith('example.invalid') || /^[\d.]+$/.test(m[1])));

// ---- the files in it: what is edited was read, and is there

const files = new Map();
const fileOf = (c) => c.input.file_path;
const callOf = new Map();
let edits = 0;
let readsChecked = 0;
for (const l of whole) {
  for (const block of blocksOf(l)) {
    if (block.type === 'tool_use') callOf.set(block.id, block);
    if (block.type !== 'tool_result' || block.is_error) continue;
    const c = callOf.get(block.tool_use_id);
    if (c.name === 'Write') files.set(fileOf(c), c.input.content);
    if (c.name === 'Read') {
      const seen = block.content.split('\n').map((x) => x.replace(/^ *\d+→/, '')).join('\n');
      if (files.has(fileOf(c))) {
        assert.equal(seen, files.get(fileOf(c)).replace(/\n$/, ''), `${fileOf(c)} is read as it was left`);
        readsChecked++;
      } else {
        files.set(fileOf(c), `${seen}\n`);
      }
    }
    if (c.name === 'Edit') {
      const before = files.get(fileOf(c));
      assert.ok(before !== undefined, `${fileOf(c)} is edited unread`);
      const hits = before.split(c.input.old_string).length - 1;
      assert.ok(c.input.replace_all ? hits > 0 : hits === 1, `${fileOf(c)}: ${hits} places for\n${c.input.old_string}`);
      files.set(fileOf(c), before.split(c.input.old_string).join(c.input.new_string));
      edits++;
    }
  }
}
promise('edits fit the files', edits > 60);
promise('files are read back as edited', readsChecked > 15);
promise('nothing in vendor/ is written', calls.every((c) => !((c.name === 'Edit' || c.name === 'Write') && fileOf(c).includes('/vendor/'))));
let tested = false;
for (const c of calls) {
  if (c.name === 'Edit' || c.name === 'Write') tested = tested && /\.md$/.test(fileOf(c));
  if (c.name !== 'Bash') continue;
  if (c.input.command.startsWith('npm test')) tested = true;
  if (c.input.command.includes('git commit')) assert.ok(tested, `committed untested: ${c.input.command}`);
}
promise('every commit comes after a test run', true);

// ---- counts

const count = (list) => Object.fromEntries([...list.reduce((m, k) => m.set(k, (m.get(k) ?? 0) + 1), new Map())].sort((x, y) => y[1] - x[1]));
console.log({
  bytes: bytes.length,
  lines: lines.length,
  types: count(lines.map((l) => l.type)),
  roots: roots.length,
  messagesInWindow: windowMessages.length,
  messagesWithWhatWasFolded: wholeMessages.length,
  linesInWindow: window.length,
  apiMessagesOfTheAssistant: split.size,
  splitOverLines: [...split.values()].filter((g) => g.length > 1).length,
  parallelBatches: parallel.length,
  resultsBesideThePath: whole.filter((l) => l.toolUseResult !== undefined && !pathOnly.has(l)).length,
  linesOfTheLeftBranch: offPath.length,
  sidechainLines: side.length,
  signedThinking: whole.flatMap(blocksOf).filter((x) => x.type === 'thinking').length,
  userPromptsInWindow: prompts.length,
  largestResultBytes: Math.max(...sizes),
  tools: count(calls.map((c) => c.name)),
  preTokens: b.compactMetadata.preTokens,
  lastUsage: [...split.values()].filter((g) => window.includes(g[0])).map((g) => g[0].message.usage).map((x) => x.input_tokens + x.cache_read_input_tokens + x.cache_creation_input_tokens).at(-1),
});
console.log(`ok: ${promises.length} promises kept`);

function validPng(data) {
  if (data.subarray(0, 8).toString('hex') !== '89504e470d0a1a0a') return false;
  const pixels = [];
  let at = 8;
  let size;
  while (at < data.length) {
    const length = data.readUInt32BE(at);
    const type = data.toString('latin1', at + 4, at + 8);
    const body = data.subarray(at + 8, at + 8 + length);
    let crc = 0xffffffff;
    for (const byte of data.subarray(at + 4, at + 8 + length)) {
      crc ^= byte;
      for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    if (((crc ^ 0xffffffff) >>> 0) !== data.readUInt32BE(at + 8 + length)) return false;
    if (type === 'IHDR') size = [body.readUInt32BE(0), body.readUInt32BE(4)];
    if (type === 'IDAT') pixels.push(body);
    at += 12 + length;
  }
  return inflateSync(Buffer.concat(pixels)).length === size[1] * (1 + 3 * size[0]);
}
