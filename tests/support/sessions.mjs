// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Seeded session files, as the agents write them, with folds of their own programs in them.
//
//   sessionFile(kind, seed, { turns, layout }) -> text      kind: one of KINDS; layout: one of LAYOUTS[kind]
//
// The conversation is a random transcript in the format nearest to the kind's. Around it stands what such a file holds beside
// messages: headers, titles, settings, counts of tokens, the conversation of a subagent.

import { FORMATS, Random, randomTranscript } from './random.mjs';

export const KINDS = ['claude-code', 'codex', 'pi', 'opencode', 'gemini-cli', 'messages'];

/** The layouts that each kind of file comes in. */
export const LAYOUTS = {
  'claude-code': ['lines'],
  codex: ['lines'],
  pi: ['lines'],
  opencode: ['lines', 'document'],
  'gemini-cli': ['lines', 'document'],
  messages: ['lines', 'array', 'object'],
};

const TIME = '2026-03-04T05:06:07.000Z';
const START = Date.parse(TIME);

const WRITERS = { 'claude-code': claudeCode, codex, pi, opencode, 'gemini-cli': geminiCli, messages };

export function sessionFile(kind, seed, { turns = 12, layout = LAYOUTS[kind][0] } = {}) {
  return WRITERS[kind](new Random(seed + 7_000), seed, turns, layout);
}

const lines = (records) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const textOf = (content) => (typeof content === 'string' ? content : content.filter((b) => b.type === 'text').map((b) => b.text).join('\n'));
const blocksOf = ({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);
const results = (message) => (message.role === 'user' ? blocksOf(message).filter((b) => b.type === 'tool_result') : []);

/** An Anthropic conversation as the programs keep one: without system text, nobody silent, nothing in flight. */
function anthropic(seed, turns) {
  const said = randomTranscript(seed, 'anthropic', { turns }).filter((m) => m.role !== 'system' && blocksOf(m).length && textOf(m.content) !== undefined);
  const open = said.findIndex((m, i) => m.role === 'assistant' && blocksOf(m).some((b) => b.type === 'tool_use') && results(said[i + 1] ?? m).length === 0);
  return (open < 0 ? said : said.slice(0, open)).filter((m) => m.role === 'user' || blocksOf(m).some((b) => b.type !== 'text' || b.text));
}

/** Whether a fold may come in front of a message: not between a call and its result. */
const whole = (messages, at) => messages[at].role === 'user' && results(messages[at]).length === 0;

function claudeCode(r, seed, turns) {
  const messages = anthropic(seed, turns);
  const out = [];
  let parent = null;
  let n = 0;
  const base = { sessionId: 's', cwd: '/garden', version: '2.1.0', timestamp: TIME, userType: 'external' };
  const record = (type, rest) => {
    const made = { type, uuid: `u${n++}`, parentUuid: parent, isSidechain: false, ...base, ...rest };
    out.push(made);
    parent = made.uuid;
    return made;
  };
  out.push({ type: 'file-history-snapshot', messageId: 'u0', snapshot: { trackedFileBackups: {} } });
  messages.forEach((message, at) => {
    if (at > 2 && whole(messages, at) && r.chance(0.15)) claudeFold(r, record, out, () => { parent = null; });
    if (message.role === 'user') {
      record('user', { message });
      return;
    }
    const usage = { input_tokens: r.below(50), cache_read_input_tokens: r.below(9000), cache_creation_input_tokens: r.below(900), output_tokens: 1 + r.below(500) };
    // One answer, a line a block.
    for (const block of blocksOf(message)) {
      record('assistant', { requestId: `req_${at}`, message: { id: `msg_${at}`, type: 'message', role: 'assistant', model: 'bed-1', content: [block], stop_reason: null, usage } });
    }
    if (r.chance(0.1)) out.push({ type: 'user', uuid: `side${n}`, parentUuid: null, isSidechain: true, ...base, message: { role: 'user', content: `look at bed ${n}` } });
  });
  out.push({ type: 'summary', summary: 'The garden', leafUuid: parent });
  return lines(out);
}

function claudeFold(r, record, out, root) {
  const last = out.findLast((line) => line.uuid && !line.isSidechain);
  root();
  // Sometimes the program keeps the end of the conversation: a user's message and what came after it.
  const from = out.findLastIndex((line) => line.type === 'user' && line.isSidechain === false && typeof line.message.content === 'string' && !line.isCompactSummary);
  const boundary = out.findLastIndex((line) => line.subtype === 'compact_boundary');
  const kept = from > boundary + 1 && r.chance(0.5) ? out.slice(from).filter((line) => line.uuid && line.isSidechain === false) : [];
  const metadata = { trigger: r.pick(['auto', 'manual']), preTokens: 1000 + r.below(100_000) };
  const made = record('system', { subtype: 'compact_boundary', content: 'Conversation compacted', logicalParentUuid: last.uuid, compactMetadata: metadata });
  const summary = record('user', { isCompactSummary: true, isVisibleInTranscriptOnly: true, message: { role: 'user', content: `This session is being continued. GOAL: bed ${made.uuid}` } });
  if (kept.length) made.compactMetadata.preservedMessages = { anchorUuid: summary.uuid, uuids: kept.map((line) => line.uuid) };
}

/** How the summaries of Codex begin. */
const HANDED_ON = 'Another language model started to solve this problem and produced a summary of its thinking process.';

const CODEX_ITEMS = ['message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'];

/** Each call with an id of its own: two calls that are the same to the letter could not be told apart. */
function apart(items) {
  const ids = new Map();
  return items.map((item, at) => {
    if (item.call_id === undefined) return item;
    if (item.type.endsWith('_call')) ids.set(item.call_id, `${item.call_id}_${at}`);
    return { ...item, call_id: ids.get(item.call_id) ?? item.call_id };
  });
}

function codex(r, seed, turns) {
  const item = (payload) => ({ timestamp: TIME, type: 'response_item', payload });
  const event = (payload) => ({ timestamp: TIME, type: 'event_msg', payload });
  const items = apart(randomTranscript(seed, 'openai-responses', { turns }).filter((m) => m.role !== 'system' && CODEX_ITEMS.includes(m.type)));
  const out = [{ timestamp: TIME, type: 'session_meta', payload: { id: 's', timestamp: TIME, cwd: '/garden' } }];
  out.push({ timestamp: TIME, type: 'turn_context', payload: { cwd: '/garden', model: 'bed-1' } });
  let users = [];
  let open = 0;
  items.forEach((payload, at) => {
    const user = payload.role === 'user';
    if (user && open === 0 && at > 3 && r.chance(0.2)) {
      const message = `${HANDED_ON} GOAL: bed ${at}`;
      const history = [...users.slice(-2), { type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] }];
      out.push({ timestamp: TIME, type: 'compacted', payload: { message, replacement_history: history } }, event({ type: 'context_compacted' }));
      users = [];
    }
    if (user && payload.type === 'message') users.push(payload);
    if (/_call$/.test(payload.type)) open++;
    if (/_call_output$/.test(payload.type)) open = Math.max(0, open - 1);
    out.push(item(payload));
    if (payload.role === 'assistant') {
      out.push(event({ type: 'token_count', info: { last_token_usage: { input_tokens: 100 + at, cached_input_tokens: at, output_tokens: 1 + r.below(90), total_tokens: 500 } } }));
    }
  });
  return lines(out);
}

function pi(r, seed, turns) {
  const messages = randomTranscript(seed, 'pi', { turns });
  const out = [{ type: 'session', version: 3, id: 's', timestamp: TIME, cwd: '/garden' }];
  let parent = null;
  const entry = (type, rest) => {
    const made = { type, id: `e${out.length}`, parentId: parent, timestamp: TIME, ...rest };
    out.push(made);
    parent = made.id;
  };
  entry('model_change', { provider: 'garden', modelId: 'bed-1' });
  messages.forEach((message, at) => {
    if (at > 3 && message.role === 'user' && messages[at - 1].role === 'assistant' && r.chance(0.2)) {
      const users = out.slice(out.findLastIndex((line) => line.type === 'compaction') + 1).filter((line) => line.message?.role === 'user');
      if (users.length) entry('compaction', { summary: `GOAL: bed ${at}`, firstKeptEntryId: r.pick(users).id, tokensBefore: 5000, details: { readFiles: [], modifiedFiles: [] } });
    }
    entry('message', { message });
    if (r.chance(0.05)) entry('label', { targetId: parent, label: 'here' });
  });
  return lines(out);
}

/** The steps of an Anthropic conversation, each answer with the results of its calls. */
function steps(seed, turns) {
  const messages = anthropic(seed, turns);
  return messages.flatMap((message, at) => {
    if (message.role === 'assistant') return [{ answer: blocksOf(message), results: new Map(results(messages[at + 1] ?? {}).map((x) => [x.tool_use_id, x])) }];
    const text = textOf(message.content);
    return text ? [{ text }] : [];
  });
}

const outputOf = (result) => (typeof result?.content === 'string' ? result.content : textOf(result?.content ?? []));

function opencode(r, seed, turns, layout) {
  const out = [];
  const entry = (info, parts) => {
    const id = `msg_${String(out.length).padStart(4, '0')}`;
    out.push({ info: { id, sessionID: 's', time: { created: START + out.length }, ...info }, parts: parts.map((part, i) => ({ id: `prt_${out.length}_${i}`, messageID: id, ...part })) });
    return id;
  };
  for (const step of steps(seed, turns)) {
    if (step.text !== undefined && out.length > 3 && r.chance(0.2)) opencodeFold(r, entry, out);
    if (step.text !== undefined) entry({ role: 'user' }, [{ type: 'text', text: step.text }]);
    else entry({ role: 'assistant', finish: 'stop', tokens: tokens(r) }, [{ type: 'step-start' }, ...step.answer.flatMap((block) => opencodePart(block, step))]);
  }
  return layout === 'lines' ? lines(out) : `${JSON.stringify({ info: { id: 's', title: 'The garden', version: '1.0.0' }, messages: out }, null, 1)}\n`;
}

const tokens = (r) => ({ input: r.below(900), output: 1 + r.below(90), reasoning: 0, cache: { read: r.below(9000), write: 0 } });

function opencodePart(block, step) {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type === 'thinking') return [{ type: 'reasoning', text: block.thinking, time: { start: 1, end: 2 } }];
  if (block.type !== 'tool_use') return [];
  const result = step.results.get(block.id);
  const state = result?.is_error
    ? { status: 'error', input: block.input, error: outputOf(result), time: { start: 1, end: 2 } }
    : { status: 'completed', input: block.input, output: outputOf(result), title: block.name, time: { start: 1, end: 2 } };
  return [{ type: 'tool', callID: block.id, tool: block.name, state }];
}

function opencodeFold(r, entry, out) {
  const since = out.slice(out.findLastIndex(({ info }) => info.summary) + 1).filter(({ info }) => info.role === 'user');
  const tail = since.length > 1 && r.chance(0.5) ? { tail_start_id: since.at(-1).info.id } : {};
  const parentID = entry({ role: 'user' }, [{ type: 'compaction', auto: true, overflow: false, ...tail }]);
  entry({ role: 'assistant', summary: true, mode: 'compaction', parentID, finish: 'stop', tokens: tokens(r) }, [{ type: 'text', text: `## Goal\nbed ${out.length}` }]);
}

function geminiCli(r, seed, turns, layout) {
  const out = [];
  let window = [];
  const say = (message) => {
    const made = { id: `m${out.length}`, timestamp: TIME, ...message };
    out.push(made);
    window.push(made);
  };
  for (const step of steps(seed, turns)) {
    if (layout === 'lines' && step.text !== undefined && window.length > 3 && r.chance(0.2)) {
      const from = window.findLastIndex(({ type }) => type === 'user');
      const snapshot = { id: `s${out.length}`, timestamp: TIME, type: 'user', content: [{ text: `<state_snapshot>bed ${out.length}</state_snapshot>` }] };
      const answer = { id: `a${out.length}`, timestamp: TIME, type: 'gemini', content: [{ text: 'Got it. Thanks for the additional context!' }] };
      window = [snapshot, answer, ...(r.chance(0.5) ? window.slice(from) : [])];
      out.push({ $set: { messages: window, lastUpdated: TIME } });
      window = [...window];
    }
    if (step.text !== undefined) say({ type: 'user', content: [{ text: step.text }] });
    else say(geminiAnswer(r, step));
  }
  const head = { sessionId: 's', projectHash: 'h', startTime: TIME, lastUpdated: TIME };
  return layout === 'lines' ? lines([head, ...out]) : `${JSON.stringify({ ...head, messages: out }, null, 2)}\n`;
}

function geminiAnswer(r, step) {
  const calls = step.answer.filter(({ type }) => type === 'tool_use').map((block) => {
    const response = { output: outputOf(step.results.get(block.id)) };
    return { id: block.id, name: block.name, args: block.input, status: 'success', timestamp: TIME, result: [{ functionResponse: { id: block.id, name: block.name, response } }] };
  });
  const tokens = { input: r.below(9000), output: 1 + r.below(90), cached: r.below(90), thoughts: 0, tool: 0, total: 100 };
  const said = textOf(step.answer);
  return { type: 'gemini', content: said, thoughts: [], tokens, model: 'bed-1', ...(calls.length ? { toolCalls: calls } : {}) };
}

/** The formats of the message files, by seed. */
function messages(r, seed, turns, layout) {
  const list = randomTranscript(seed, FORMATS[seed % FORMATS.length], { turns });
  if (layout === 'lines') return lines(list);
  return layout === 'array' ? JSON.stringify(list, null, r.below(3)) : JSON.stringify({ model: 'bed-1', messages: list, stream: true }, null, 1);
}
