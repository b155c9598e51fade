// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Session files counted apart from the library: from what is known of the files alone, with no line of it shared.
//
//   countSession(kind, text) -> { windows, calls, results, usage }
//
// windows: messages in each window, the current one last; calls, results, usage: of the current window. The file has to be sound:
// no branches but those of subagents, nothing torn.

const recordsOf = (text) => text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
const blocks = (message, type) => (Array.isArray(message?.content) ? message.content.filter((block) => block.type === type) : []);
const ofKind = (message, type) => (Array.isArray(message?.content) ? message.content.filter((block) => type.test(block.type)).length : 0);
const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);

/** An answer that was broken off has figures of nothing but zeros. */
const counted = (usage) => Boolean(usage) && [usage.input, usage.output, usage.cacheRead, usage.cacheWrite].some((n) => n > 0);

const COUNTERS = { 'claude-code': claudeCode, codex, pi, opencode, 'gemini-cli': geminiCli };

export function countSession(kind, text) {
  return COUNTERS[kind](text);
}

/** One answer may be spread over lines with one id; the results of all its calls are one message. */
function claudeCode(text) {
  const windows = [[]];
  const turns = [];
  for (const record of recordsOf(text)) {
    if (record.subtype === 'compact_boundary') {
      const kept = record.compactMetadata?.preservedMessages?.uuids ?? [];
      windows.push([]);
      windows.at(-1).kept = turns.filter(({ uuid }) => kept.includes(uuid));
    }
    if (!['user', 'assistant'].includes(record.type) || record.isSidechain || record.message.model === '<synthetic>') continue;
    turns.push(record);
    const window = windows.at(-1);
    window.push(record);
    // What was kept stands behind the summary.
    if (record.isCompactSummary) window.push(...window.kept);
  }
  const count = (window) => {
    const answers = new Map();
    for (const { message } of window.filter(({ type }) => type === 'assistant')) answers.set(message.id, [...(answers.get(message.id) ?? []), ...blocks(message, 'tool_use')]);
    const results = new Set(window.flatMap(({ message }) => blocks(message, 'tool_result').map((block) => block.tool_use_id)));
    const answered = [...answers.values()].filter((calls) => calls.some(({ id }) => results.has(id)));
    return window.filter(({ type, message }) => type === 'user' && blocks(message, 'tool_result').length === 0).length + answers.size + answered.length;
  };
  const now = windows.at(-1);
  return {
    windows: windows.map(count),
    // The provider's own tools, too: their results stand in the answer itself.
    calls: sum(now, ({ message }) => ofKind(message, /tool_use$/)),
    results: sum(now, ({ message }) => ofKind(message, /tool_result$/)),
    usage: new Set(now.filter(({ message }) => message.usage).map(({ message }) => message.id)).size,
  };
}

function codex(text) {
  const windows = [];
  let window = [];
  let usage = 0;
  for (const { type, payload } of recordsOf(text)) {
    if (type === 'response_item') window.push(payload);
    if (type === 'event_msg' && payload.type === 'token_count' && payload.info) usage++;
    if (type === 'compacted') {
      windows.push(window.length);
      window = [...payload.replacement_history];
      usage = 0;
    }
  }
  const typed = (pattern) => window.filter(({ type }) => pattern.test(type)).length;
  return { windows: [...windows, window.length], calls: typed(/(^|function|tool|shell)_call$/), results: typed(/_call_output$/), usage };
}

/** The way from the last entry back to the first; in an older file, whose entries have no ids, all of them. */
function pi(text) {
  const records = recordsOf(text);
  const all = records.filter(({ type }) => type !== 'session');
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  const path = all.at(-1).id === undefined ? all : [];
  for (let at = all.at(-1); at?.id !== undefined; at = byId.get(at.parentId)) path.push(at);
  if (path !== all) path.reverse();
  const windows = [];
  let window = [];
  for (const entry of path) {
    if (entry.type === 'compaction') {
      windows.push(window.length);
      const first = entry.firstKeptEntryIndex === undefined ? byId.get(entry.firstKeptEntryId) : records[entry.firstKeptEntryIndex];
      const from = window.indexOf(first);
      window = [entry, ...(from < 0 ? [] : window.slice(from))];
    } else if (['message', 'custom_message', 'branch_summary'].includes(entry.type)) window.push(entry);
  }
  return {
    windows: [...windows, window.length],
    calls: sum(window, ({ message }) => (message?.role === 'assistant' ? blocks(message, 'toolCall').length : 0)),
    results: window.filter(({ message }) => message?.role === 'toolResult').length,
    usage: window.filter(({ message }) => message?.role === 'assistant' && counted(message.usage)).length,
  };
}

const listOf = (text) => {
  try {
    return JSON.parse(text).messages;
  } catch {
    return recordsOf(text);
  }
};

function opencode(text) {
  const windows = [];
  let window = [];
  for (const entry of listOf(text)) {
    window.push(entry);
    const asked = window.findIndex(({ info }) => info.id === entry.info.parentID);
    if (!entry.info.summary || asked < 0) continue;
    windows.push(asked);
    const tail = window[asked].parts.find(({ type }) => type === 'compaction').tail_start_id;
    const from = window.findIndex(({ info }) => info.id === tail);
    window = [window[asked], entry, ...(from < 0 ? [] : window.slice(from, asked))];
  }
  const tools = window.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool'));
  return { windows: [...windows, window.length], calls: tools.length, results: tools.length, usage: window.filter(({ info }) => info.tokens).length };
}

/** An answer with calls is two messages: the model's, and the one with the responses. */
function geminiCli(text) {
  const size = (window) => sum(window, (message) => 1 + (message.toolCalls?.length ? 1 : 0));
  const windows = [];
  let window = [];
  for (const record of listOf(text)) {
    if (record.$set) {
      windows.push(size(window));
      window = [...record.$set.messages];
    } else if (record.type) window.push(record);
  }
  const calls = sum(window, ({ toolCalls = [] }) => toolCalls.length);
  return { windows: [...windows, size(window)], calls, results: calls, usage: window.filter(({ tokens }) => tokens).length };
}
