// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Writes garden-planner.jsonl: an invented coding session in the shape of a Claude Code session file.
//
//   node examples/make-session.mjs [--out FILE] [--dump DIR]
//
// No clock and no chance: the same source gives the same bytes. The story is in garden-story.mjs; here is what turns it
// into lines: a small file system that the tools work on, so that what is read, edited, tested and committed fits together,
// and the tree of uuids. --dump writes the project as it stands at the end of the session, to try it out.

import { writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILES, tell } from './garden-story.mjs';

const ROOT = '/home/user/garden-planner';
const SESSION = '7c1f0a52-3b9e-4d06-9a41-5e2d8c60b7f3';
const MODEL = 'claude-sonnet-4-5-20250929';

// ------------------------------------------------------------------------------------------------------------- dice

class Dice {
  constructor(seed) {
    this.state = seed >>> 0;
  }
  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let x = this.state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (x ^ (x >>> 15)) >>> 0;
  }
  between(low, high) {
    return low + (this.next() % (high - low + 1));
  }
  letters(alphabet, n) {
    let out = '';
    while (out.length < n) out += alphabet[this.next() % alphabet.length];
    return out;
  }
}
const HEX = '0123456789abcdef';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

// ---------------------------------------------------------------------------------------------- numbers as written

const RAW = '\u0000raw:';
/** JSON text that goes into the file exactly as it is given: 2.0 stays 2.0, 19 digits stay 19 digits. */
export const raw = (text) => RAW + text.replaceAll('"', '\u0001');
function jsonLine(value) {
  return JSON.stringify(value).replace(/"\\u0000raw:((?:[^"\\]|\\u0001)*)"/g, (_, t) => t.replaceAll('\\u0001', '"'));
}

// ---------------------------------------------------------------------------------------------------------- session

class Session {
  constructor(files) {
    this.dice = new Dice(20260302);
    this.lines = [];
    this.time = Date.parse('2026-03-02T08:14:05.120Z');
    this.parent = null;
    this.branch = 'main';
    this.slug = undefined;
    this.fs = new Map(Object.entries(files));
    this.head = new Map(this.fs);
    this.read = new Set();
    this.backups = {};
    this.todos = [];
    this.context = 0; // tokens in the window, reckoned roughly, so that the usage numbers grow as they would
    this.cached = 0;
    this.started = this.time;
    this.bashCount = 0;
    this.grow('', 17800); // system text and tools
  }

  // -- small things
  uuid() {
    const d = this.dice;
    return `${d.letters(HEX, 8)}-${d.letters(HEX, 4)}-4${d.letters(HEX, 3)}-${d.letters('89ab', 1)}${d.letters(HEX, 3)}-${d.letters(HEX, 12)}`;
  }
  stamp(low = 40, high = 900) {
    this.time += this.dice.between(low, high);
    return new Date(this.time).toISOString();
  }
  pause(seconds) {
    this.time += seconds * 1000;
  }
  grow(text, extra = 0) {
    let n = extra;
    for (const ch of text) n += ch.codePointAt(0) > 0x2e80 ? 1 : 0.27;
    this.context += Math.round(n);
  }
  base(parent) {
    const line = {
      parentUuid: parent, isSidechain: false, userType: 'external', cwd: ROOT, sessionId: SESSION, version: '2.1.17', gitBranch: this.branch,
    };
    return this.slug === undefined ? line : { ...line, slug: this.slug };
  }
  put(line) {
    this.lines.push(line);
    return line;
  }
  /** Puts a line into the chain. */
  link(line) {
    this.parent = line.uuid;
    return this.put(line);
  }

  // -- lines that are not messages
  title(summary, leafUuid) {
    this.put({ type: 'summary', summary, leafUuid });
  }
  snapshot(messageId, update = false) {
    this.put({
      type: 'file-history-snapshot', messageId,
      snapshot: { messageId: update ? this.snapshotId : messageId, trackedFileBackups: { ...this.backups }, timestamp: new Date(this.time).toISOString() },
      isSnapshotUpdate: update,
    });
    if (!update) this.snapshotId = messageId;
  }
  hookProgress(event, name, command) {
    const id = this.uuid();
    this.link({
      ...this.base(this.parent), type: 'progress', data: { type: 'hook_progress', hookEvent: event, hookName: name, command },
      parentToolUseID: id, toolUseID: id, timestamp: this.stamp(), uuid: this.uuid(),
    });
    return id;
  }
  /** What the program writes when the assistant has come to rest. */
  rest() {
    const id = this.hookProgress('Stop', 'Stop', 'npm run --silent hooks:stop');
    this.link({
      ...this.base(this.parent), type: 'system', subtype: 'stop_hook_summary', hookCount: 1,
      hookInfos: [{ command: 'npm run --silent hooks:stop' }], hookErrors: [], preventedContinuation: false, stopReason: '',
      hasOutput: false, level: 'suggestion', timestamp: this.stamp(), uuid: this.uuid(), toolUseID: id,
    });
    this.link({
      ...this.base(this.parent), type: 'system', subtype: 'turn_duration', durationMs: this.time - this.started,
      timestamp: this.stamp(1, 5), uuid: this.uuid(), isMeta: false,
    });
  }

  // -- what the user says
  user(content) {
    this.pause(this.dice.between(20, 240));
    const uuid = this.uuid();
    const timestamp = this.stamp();
    this.snapshot(uuid);
    this.grow(typeof content === 'string' ? content : JSON.stringify(content.filter((b) => b.type === 'text')), typeof content === 'string' ? 5 : 400);
    this.link({
      ...this.base(this.parent), type: 'user', message: { role: 'user', content }, uuid, timestamp,
      thinkingMetadata: { level: 'high', disabled: false, triggers: [] }, todos: this.todos, permissionMode: 'default',
    });
    this.started = this.time;
    return uuid;
  }
  interrupted(text = '[Request interrupted by user]') {
    this.grow(text);
    this.link({
      ...this.base(this.parent), type: 'user', message: { role: 'user', content: [{ type: 'text', text }] }, uuid: this.uuid(), timestamp: this.stamp(2000, 9000),
    });
  }
  /** A command of the program itself: three user lines, the first marked as meta. */
  localCommand(name, stdout) {
    this.pause(30);
    const say = (content, meta) => {
      this.grow(content);
      const line = { ...this.base(this.parent), type: 'user', message: { role: 'user', content } };
      if (meta) line.isMeta = true;
      this.link({ ...line, uuid: this.uuid(), timestamp: this.stamp(1, 9) });
    };
    say('<local-command-caveat>Caveat: the next messages come from a command that the user ran locally; they need no answer.</local-command-caveat>', true);
    say(`<command-name>/${name}</command-name>\n            <command-message>${name}</command-message>\n            <command-args></command-args>`, false);
    say(`<local-command-stdout>${stdout}</local-command-stdout>`, false);
  }
  /** The window was full: a boundary without a parent, and the summary that stands for everything before it. */
  compact(summary) {
    const before = this.context;
    const last = this.parent;
    const timestamp = this.stamp(60000, 70000);
    const boundary = this.uuid();
    this.put({
      parentUuid: null, logicalParentUuid: last, isSidechain: false, userType: 'external', cwd: ROOT, sessionId: SESSION, version: '2.1.17',
      gitBranch: this.branch, slug: this.slug, type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', isMeta: false,
      timestamp, uuid: boundary, level: 'info', compactMetadata: { trigger: 'auto', preTokens: before },
    });
    this.parent = boundary;
    this.context = 0;
    this.cached = 0;
    this.grow(summary, 17800);
    this.link({
      ...this.base(this.parent), type: 'user', message: { role: 'user', content: summary }, isVisibleInTranscriptOnly: true, isCompactSummary: true,
      uuid: this.uuid(), timestamp,
    });
    this.read.clear();
  }
  /** The service did not answer: the program puts a message of its own where the answer would be. */
  apiError(text) {
    this.link({
      ...this.base(this.parent), type: 'assistant', uuid: this.uuid(), timestamp: this.stamp(30000, 60000),
      message: {
        id: this.uuid(), container: null, model: '<synthetic>', role: 'assistant', stop_reason: 'stop_sequence', stop_sequence: '', type: 'message',
        usage: {
          input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0,
          server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 }, service_tier: null, cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        },
        content: [{ type: 'text', text }], context_management: null,
      },
      isApiErrorMessage: true,
    });
  }

  // -- what the assistant does
  /** One API message: thinking, text and every call on a line of its own; then the results, each hung below its own call. */
  turn({ think, say, calls = [], order }) {
    if (this.slug === undefined && calls.length) this.slug = 'mossy-digging-wren';
    const blocks = [];
    if (think) blocks.push({ type: 'thinking', thinking: think, signature: `Eq${this.dice.letters(BASE64, this.dice.between(150, 210))}==` });
    if (say) blocks.push({ type: 'text', text: say });
    const ids = calls.map(() => `toolu_01${this.dice.letters(BASE58, 22)}`);
    calls.forEach((c, n) => blocks.push({ type: 'tool_use', id: ids[n], name: c.name, input: c.input }));
    const before = this.context;
    this.grow((think ?? '') + (say ?? '') + calls.map((c) => jsonLine(c.input)).join(''), 10 + 30 * calls.length);
    const usage = {
      input_tokens: this.dice.between(4, 12), cache_creation_input_tokens: before - this.cached, cache_read_input_tokens: this.cached,
      output_tokens: this.context - before, service_tier: 'standard',
    };
    this.cached = before;
    const id = `msg_01${this.dice.letters(BASE58, 22)}`;
    const requestId = `req_011${this.dice.letters(BASE58, 21)}`;
    const homes = [];
    for (const block of blocks) {
      const line = this.link({
        ...this.base(this.parent),
        message: { model: MODEL, id, type: 'message', role: 'assistant', content: [block], stop_reason: null, stop_sequence: null, usage },
        requestId, type: 'assistant', uuid: this.uuid(), timestamp: this.stamp(300, 2600),
      });
      if (block.type === 'tool_use') homes.push(line.uuid);
    }
    for (const n of order ?? calls.map((_, k) => k)) {
      const c = calls[n];
      if (c.before) c.before(this, ids[n], homes[n]);
      const { content, error, result } = c.run(this);
      const block = error
        ? { type: 'tool_result', content, is_error: true, tool_use_id: ids[n] }
        : c.name === 'Bash'
          ? { tool_use_id: ids[n], type: 'tool_result', content, is_error: false }
          : { tool_use_id: ids[n], type: 'tool_result', content };
      this.grow(typeof content === 'string' ? content : JSON.stringify(content), 12);
      this.link({
        ...this.base(homes[n]), type: 'user', message: { role: 'user', content: [block] }, uuid: this.uuid(),
        timestamp: this.stamp(60, c.name === 'Bash' ? 4200 : 400), toolUseResult: result, sourceToolAssistantUUID: homes[n],
      });
      if (c.after) c.after(this, homes[n]);
    }
    // Whatever the order in which results arrive, the next message hangs below the last line.
    return this.parent;
  }

  // -- the project
  path(p) {
    return `${ROOT}/${p}`;
  }
  text(p) {
    if (!this.fs.has(p)) throw new Error(`the story reads ${p}, which does not exist`);
    return this.fs.get(p);
  }
  tests() {
    const found = [];
    for (const [p, text] of [...this.fs].sort()) {
      if (!p.startsWith('test/')) continue;
      text.split('\n').forEach((line, n) => {
        const m = /^test\('([^']+)'/.exec(line);
        if (m) found.push({ name: m[1], file: p, line: n + 1 });
      });
    }
    return found;
  }
  changed() {
    const names = new Set([...this.fs.keys(), ...this.head.keys()]);
    return [...names].sort().filter((p) => this.fs.get(p) !== this.head.get(p)).map((p) => ({ p, ...lineDiff(this.head.get(p) ?? '', this.fs.get(p) ?? ''), created: !this.head.has(p) }));
  }
  toText() {
    return this.lines.map(jsonLine).join('\n') + '\n';
  }
}

function lineDiff(a, b) {
  const x = a === '' ? [] : a.replace(/\n$/, '').split('\n');
  const y = b === '' ? [] : b.replace(/\n$/, '').split('\n');
  let row = new Array(y.length + 1).fill(0);
  for (const line of x) {
    const next = [0];
    for (let j = 0; j < y.length; j++) next.push(line === y[j] ? row[j] + 1 : Math.max(row[j + 1], next[j]));
    row = next;
  }
  const same = row[y.length];
  return { plus: y.length - same, minus: x.length - same };
}

function patchOf(before, old, fresh) {
  const all = before.split('\n');
  const start = before.slice(0, before.indexOf(old)).split('\n').length - 1;
  const a = old.split('\n');
  const b = fresh.split('\n');
  const from = Math.max(0, start - 2);
  const head = all.slice(from, start).map((l) => ` ${l}`);
  const tail = all.slice(start + a.length, start + a.length + 2).map((l) => ` ${l}`);
  return [{
    oldStart: from + 1, oldLines: head.length + a.length + tail.length, newStart: from + 1, newLines: head.length + b.length + tail.length,
    lines: [...head, ...a.map((l) => `-${l}`), ...b.map((l) => `+${l}`), ...tail],
  }];
}

// ------------------------------------------------------------------------------------------------------------- tools

const numbered = (lines, first) => lines.map((l, n) => `${String(n + first).padStart(6)}→${l}`).join('\n');

export const tools = {
  read(p, offset, limit) {
    return {
      name: 'Read',
      input: offset === undefined ? { file_path: `${ROOT}/${p}` } : { file_path: `${ROOT}/${p}`, offset, limit },
      run(s) {
        const all = s.text(p).replace(/\n$/, '').split('\n');
        const first = offset ?? 1;
        const part = all.slice(first - 1, limit === undefined ? undefined : first - 1 + limit);
        s.read.add(p);
        return {
          content: numbered(part, first),
          result: { type: 'text', file: { filePath: s.path(p), content: part.join('\n'), numLines: part.length, startLine: first, totalLines: all.length } },
        };
      },
    };
  },
  edit(p, oldString, newString, { all = false, flip = false } = {}) {
    const input = flip // some replies put the switch first; the order of keys is part of the bytes
      ? { replace_all: all, file_path: `${ROOT}/${p}`, old_string: oldString, new_string: newString }
      : { file_path: `${ROOT}/${p}`, old_string: oldString, new_string: newString, ...(all ? { replace_all: true } : {}) };
    return {
      name: 'Edit', input,
      run(s) {
        const before = s.text(p);
        const hits = before.split(oldString).length - 1;
        if (!s.read.has(p)) throw new Error(`the story edits ${p} unread`);
        if (hits === 0) throw new Error(`the story looks for what is not in ${p}:\n${oldString}`);
        if (hits > 1 && !all) {
          const say = `Found ${hits} matches of the string to replace, but replace_all is false. To replace every one, set replace_all to true; to replace one, give more of its surroundings.\nString: ${oldString}`;
          return { content: `<tool_use_error>${say}</tool_use_error>`, error: true, result: `Error: ${say}` };
        }
        s.fs.set(p, all ? before.replaceAll(oldString, newString) : before.replace(oldString, () => newString));
        s.touch = p;
        return {
          content: `The file ${s.path(p)} has been updated successfully.`,
          result: {
            filePath: s.path(p), oldString, newString, originalFile: before.length < 300 ? before : null,
            structuredPatch: patchOf(before, oldString, newString), userModified: false, replaceAll: all,
          },
        };
      },
      after: backup(p),
    };
  },
  write(p, text) {
    return {
      name: 'Write', input: { file_path: `${ROOT}/${p}`, content: text },
      run(s) {
        const before = s.fs.get(p) ?? null;
        if (before !== null && !s.read.has(p)) throw new Error(`the story overwrites ${p} unread`);
        s.fs.set(p, text);
        s.read.add(p);
        return before === null
          ? { content: `File created successfully at: ${s.path(p)}`, result: { type: 'create', filePath: s.path(p), content: text, structuredPatch: [], originalFile: null } }
          : { content: `The file ${s.path(p)} has been updated successfully.`, result: { type: 'update', filePath: s.path(p), content: text, structuredPatch: patchOf(before, before, text), originalFile: before } };
      },
      after: backup(p),
    };
  },
  bash(command, description, output, { fails, slow, timeout } = {}) {
    return {
      name: 'Bash', input: timeout ? { command, timeout, description } : { command, description },
      before: slow
        ? (s, id, home) => {
          s.put({
            ...s.base(home), type: 'progress', data: { type: 'bash_progress', output: '', fullOutput: '', elapsedTimeSeconds: 2, totalLines: 0 },
            toolUseID: `bash-progress-${s.bashCount++}`, parentToolUseID: id, uuid: s.uuid(), timestamp: s.stamp(2000, 2400),
          });
        }
        : undefined,
      run(s) {
        const stdout = typeof output === 'function' ? output(s) : output;
        if (fails) return { content: `Exit code ${fails}\n${stdout}`, error: true, result: `Error: Exit code ${fails}\n${stdout}` };
        return { content: stdout, result: { stdout, stderr: '', interrupted: false, isImage: false } };
      },
    };
  },
  /** npm test; `fail` maps names of tests to what the assertion said. */
  test(fail = {}, { only } = {}) {
    const failing = Object.keys(fail);
    const full = failing.length > 0 && !only; // where all is well, the end of the output is enough
    const command = only ? `node --test ${only}` : full ? 'npm test' : 'npm test 2>&1 | tail -14';
    return tools.bash(command, only ? `Run ${only}` : 'Run the tests', (s) => {
      const all = s.tests().filter((t) => !only || t.file === only);
      for (const name of failing) if (!all.some((t) => t.name === name)) throw new Error(`the story fails a test that does not exist: ${name}`);
      const ms = () => `${s.dice.between(0, 2)}.${s.dice.between(100, 999)}ms`;
      const out = [];
      const shown = full || only ? all : all.slice(-6);
      if (full) out.push('', '> garden-planner@0.4.0 test', '> node --test', '');
      for (const t of shown) out.push(`${t.name in fail ? '✖' : '✔'} ${t.name} (${ms()})`);
      out.push(`ℹ tests ${all.length}`, 'ℹ suites 0', `ℹ pass ${all.length - failing.length}`, `ℹ fail ${failing.length}`, 'ℹ cancelled 0', 'ℹ skipped 0', 'ℹ todo 0', `ℹ duration_ms ${s.dice.between(110, 260)}.${s.dice.between(100, 999)}`);
      if (failing.length) out.push('', '✖ failing tests:');
      for (const t of all.filter((x) => x.name in fail)) {
        out.push('', `test at ${t.file}:${t.line}:1`, `✖ ${t.name} (${ms()})`, ...fail[t.name].split('\n').map((l) => `  ${l}`));
      }
      return out.join('\n');
    }, { fails: failing.length && (full || only) ? 1 : undefined, slow: failing.length > 0 });
  },
  commit(message) {
    return tools.bash(`git add -A && git commit -m ${JSON.stringify(message)}`, 'Commit the change', (s) => {
      const files = s.changed();
      if (!files.length) throw new Error(`the story commits nothing: ${message}`);
      for (const f of files) if (f.p.startsWith('vendor/')) throw new Error('the story touches vendor/');
      const plus = files.reduce((n, f) => n + f.plus, 0);
      const minus = files.reduce((n, f) => n + f.minus, 0);
      s.head = new Map(s.fs);
      const parts = [`${files.length} file${files.length === 1 ? '' : 's'} changed`];
      if (plus) parts.push(`${plus} insertion${plus === 1 ? '' : 's'}(+)`);
      if (minus) parts.push(`${minus} deletion${minus === 1 ? '' : 's'}(-)`);
      return [`[${s.branch} ${s.dice.letters(HEX, 7)}] ${message}`, ` ${parts.join(', ')}`, ...files.filter((f) => f.created).map((f) => ` create mode 100644 ${f.p}`)].join('\n');
    });
  },
  diffStat() {
    return tools.bash('git diff --stat', 'See what has changed', (s) => {
      const files = s.changed();
      const wide = Math.max(...files.map((f) => f.p.length));
      return files.map((f) => ` ${f.p.padEnd(wide)} | ${String(f.plus + f.minus).padStart(3)} ${'+'.repeat(Math.min(f.plus, 20))}${'-'.repeat(Math.min(f.minus, 20))}`).join('\n');
    });
  },
  branch(name) {
    return tools.bash(`git switch -c ${name}`, 'Start a branch', (s) => {
      s.branch = name;
      return `Switched to a new branch '${name}'`;
    });
  },
  grep(pattern, { glob, mode = 'content' } = {}) {
    const input = mode === 'content' ? { pattern, output_mode: 'content', '-n': true, ...(glob ? { glob } : {}) } : { pattern, ...(glob ? { glob } : {}) };
    return {
      name: 'Grep', input,
      run(s) {
        const re = new RegExp(pattern);
        const found = [];
        for (const [p, text] of [...s.fs].sort()) {
          if (glob && !globRe(glob).test(p)) continue;
          text.split('\n').forEach((l, n) => re.test(l) && found.push([p, n + 1, l]));
        }
        if (mode !== 'content') {
          const filenames = [...new Set(found.map((f) => f[0]))];
          return {
            content: filenames.length ? `Found ${filenames.length} file${filenames.length === 1 ? '' : 's'}\n${filenames.join('\n')}` : 'No files found',
            result: { mode: 'files_with_matches', filenames, numFiles: filenames.length },
          };
        }
        const content = found.map((f) => `${f[0]}:${f[1]}:${f[2]}`).join('\n') || 'No matches found';
        return { content, result: { mode: 'content', numFiles: 0, filenames: [], content: found.length ? content : '', numLines: found.length } };
      },
    };
  },
  glob(pattern) {
    return {
      name: 'Glob', input: { pattern },
      run(s) {
        const filenames = [...s.fs.keys()].filter((p) => globRe(pattern).test(p)).sort().map((p) => s.path(p));
        return { content: filenames.join('\n') || 'No files found', result: { filenames, durationMs: s.dice.between(4, 60), numFiles: filenames.length, truncated: false } };
      },
    };
  },
  todo(...rows) {
    const marks = { x: 'completed', '>': 'in_progress', ' ': 'pending' };
    const todos = rows.map((r) => ({ content: r.slice(2), status: marks[r[0]], activeForm: `Working on: ${r.slice(2)}` }));
    return {
      name: 'TodoWrite', input: { todos },
      run(s) {
        const old = s.todos;
        s.todos = todos;
        return { content: 'Todos have been modified successfully. Continue with the current task where that makes sense.', result: { oldTodos: old, newTodos: todos } };
      },
    };
  },
  /** A helper with a window of its own; its lines stand in the same file, marked as side chain. */
  task(description, prompt, subagent, steps, report) {
    let agentId;
    return {
      name: 'Task', input: { description, prompt, subagent_type: subagent },
      before(s) {
        agentId = s.dice.letters(HEX, 7);
        sidechain(s, agentId, prompt, steps, report);
      },
      run(s) {
        const content = [{ type: 'text', text: report }];
        return {
          content: [...content, { type: 'text', text: `agentId: ${agentId} (for resuming to continue this agent's work if needed)` }],
          result: {
            status: 'completed', prompt, agentId, content, totalDurationMs: 41230, totalTokens: 21877, totalToolUseCount: steps.length,
            usage: { input_tokens: 3, cache_creation_input_tokens: 912, cache_read_input_tokens: 20311, cache_creation: { ephemeral_5m_input_tokens: 912, ephemeral_1h_input_tokens: 0 }, output_tokens: 651, service_tier: 'standard' },
          },
        };
      },
    };
  },
  /** A tool of a connected server. The JSON of input and result is written exactly as given. */
  mcp(name, inputText, resultText) {
    return {
      name, input: raw(inputText),
      run() {
        return { content: [{ type: 'text', text: resultText }], result: { content: [{ type: 'text', text: resultText }], structuredContent: raw(resultText) } };
      },
    };
  },
};

function backup(p) {
  return (s, home) => {
    if (!s.fs.has(p)) return;
    const v = (s.backups[p]?.version ?? 0) + 1;
    if (v > 2 || (v === 1 && Object.keys(s.backups).length >= 4)) return;
    s.backups[p] = { backupFileName: s.backups[p]?.backupFileName.replace(/@v\d+$/, `@v${v}`) ?? `${s.dice.letters(HEX, 16)}@v1`, version: v, backupTime: new Date(s.time).toISOString() };
    s.snapshot(home, true);
  };
}

function globRe(glob) {
  const body = glob.replace(/[.+^$()|[\]\\]/g, '\\$&').replace(/\*\*\//g, '\u0001').replace(/\*/g, '[^/]*').replaceAll('\u0001', '(?:.*/)?')
    .replace(/\{([^}]*)\}/g, (_, x) => `(?:${x.split(',').join('|')})`);
  return new RegExp(`^${glob.includes('/') ? '' : '(?:.*/)?'}${body}$`);
}

function sidechain(s, agentId, prompt, steps, report) {
  const side = { parent: null };
  const base = () => ({ ...s.base(side.parent), isSidechain: true, agentId });
  const link = (line) => {
    side.parent = line.uuid;
    s.put(line);
  };
  const say = (block, id, requestId) => link({
    ...base(),
    message: {
      model: MODEL, id, type: 'message', role: 'assistant', content: [block], stop_reason: null, stop_sequence: null,
      usage: { input_tokens: 3, cache_creation_input_tokens: 844, cache_read_input_tokens: 9120, cache_creation: { ephemeral_5m_input_tokens: 844, ephemeral_1h_input_tokens: 0 }, output_tokens: 96, service_tier: 'standard' },
    },
    requestId, type: 'assistant', uuid: s.uuid(), timestamp: s.stamp(300, 2000),
  });
  link({ ...base(), type: 'user', message: { role: 'user', content: prompt }, uuid: s.uuid(), timestamp: s.stamp() });
  for (const call of steps) {
    const id = `msg_01${s.dice.letters(BASE58, 22)}`;
    const toolId = `toolu_01${s.dice.letters(BASE58, 22)}`;
    say({ type: 'tool_use', id: toolId, name: call.name, input: call.input }, id, `req_011${s.dice.letters(BASE58, 21)}`);
    const home = side.parent;
    const keep = new Set(s.read);
    const { content, result } = call.run(s);
    s.read = keep; // what the helper reads, the main agent has not read
    link({
      ...base(), type: 'user', message: { role: 'user', content: [{ tool_use_id: toolId, type: 'tool_result', content }] }, uuid: s.uuid(), timestamp: s.stamp(50, 300),
      toolUseResult: result, sourceToolAssistantUUID: home,
    });
  }
  say({ type: 'text', text: report }, `msg_01${s.dice.letters(BASE58, 22)}`, `req_011${s.dice.letters(BASE58, 21)}`);
}

// -------------------------------------------------------------------------------------------------------------- main

function option(name) {
  const at = process.argv.indexOf(name);
  return at > 0 ? process.argv[at + 1] : undefined;
}

const session = new Session(FILES);
tell(session, tools);
const here = dirname(fileURLToPath(import.meta.url));
const out = option('--out') ?? join(here, 'garden-planner.jsonl');
const text = session.toText();
writeFileSync(out, text);
const dump = option('--dump');
if (dump) {
  for (const [p, content] of session.fs) {
    mkdirSync(dirname(join(dump, p)), { recursive: true });
    writeFileSync(join(dump, p), content);
  }
}
console.log(`${out}: ${session.lines.length} lines, ${Buffer.byteLength(text)} bytes`);
