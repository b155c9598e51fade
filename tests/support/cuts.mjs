// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Where a transcript may be split, tried out index by index, and which cut the rules ask for. Written from the rules alone:
// nothing of the library is used here, only the judges' pairs of calls and results (where approvals come in, pairs of its own).
//
//   reading(messages, format)        -> { role, from, parts }[]     how each message is read; see READ
//   legalCuts(messages, format)      -> number[]                    all indices at which the transcript may be split
//   bonds(messages, format)          -> [from, to][]                messages that are never parted
//   waiting(messages, format)        -> string[]                    names of calls and requests that may still be answered
//   stays(transcript, options, from, to) -> Set<number>             what must stay verbatim inside from..to, whole units
//   bestCut(transcript, tokens, prefixEnd, options) -> number | undefined
//   legalTail(transcript, tokens, prefixEnd, options) the same, whatever folds then
//
// transcript: transcriptOf(messages, format, summaries), which is the transcript read once. summaries: messages that a ledger knows
// as digests.
//
// role: system, user, assistant, tool or other. from: plain, instructions, memory, steer, injected or summary.
// parts: { kind, signed?, id?, call? }; kind: text, reasoning, call, result, ask, answer, use or other.

import { pairs } from './validate.mjs';

const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);
const list = (v) => (Array.isArray(v) ? v.filter((x) => x !== null && x !== undefined) : []);
const full = (v) => typeof v === 'string' && v !== '';
const text = { kind: 'text' };
const other = { kind: 'other' };
const call = { kind: 'call' };
const result = { kind: 'result' };
const reasoning = (signed) => ({ kind: 'reasoning', signed });
const said = (v) => (full(v) ? [text] : []);
const PLAIN_ROLES = ['system', 'user', 'assistant', 'tool'];
const plainRole = (role) => (PLAIN_ROLES.includes(role) ? role : 'other');

// ------------------------------------------------------------------------------------------------------ how each format is read

function block(b) {
  if (!isObject(b)) return typeof b === 'string' ? text : other;
  if ('tool_use_id' in b || b.type === 'tool_result') return result;
  if (typeof b.type === 'string' && b.type.endsWith('tool_use')) return call;
  if (b.type === 'thinking') return reasoning(full(b.signature));
  if (b.type === 'redacted_thinking') return reasoning(true);
  return b.type === 'text' ? text : other;
}
const content = (value, read) => (typeof value === 'string' ? said(value) : list(value).map(read));

const SYNTHETIC = { project_instructions: 'instructions', memory: 'memory', steer: 'steer', compaction_summary: 'summary' };

/** Calls that cannot do without an id; any other `_call` without one ran at the provider. */
const OURS = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'computer_call', 'shell_call', 'apply_patch_call']);

const RESPONSES = {
  role(item, kind) {
    if (kind === 'message') return { user: 'user', assistant: 'assistant', system: 'system', developer: 'system' }[item.role] ?? 'other';
    return { reasoning: 'assistant', call: 'assistant', ask: 'assistant', answer: 'tool', result: 'tool', summary: 'user' }[kind] ?? 'other';
  },
  kind(item) {
    const { type } = item;
    const means = type === 'hosted_tool_call' ? item.name : type;
    const own = item.call_id ?? item.callId;
    if (type === undefined || type === 'message') return 'message';
    if (type === 'reasoning') return 'reasoning';
    if (means === 'mcp_approval_request') return 'ask';
    if (means === 'mcp_approval_response') return 'answer';
    if (['compaction', 'compaction_summary', 'context_compaction'].includes(type)) return 'summary';
    if (type.endsWith('_call') || type === 'mcp_list_tools') return 'call';
    return own !== undefined && /_(output|result)$/.test(type) ? 'result' : 'unknown';
  },
  parts(item, kind) {
    const data = isObject(item.providerData) ? item.providerData : {};
    if (kind === 'message') return content(item.content, (part) => (typeof part.text === 'string' ? text : other));
    if (kind === 'reasoning') return [reasoning(full(item.encrypted_content) || full(data.encrypted_content))];
    if (kind === 'ask') return [{ kind: 'ask', id: data.id ?? item.id }];
    if (kind === 'answer') return [{ kind: 'answer', id: item.approval_request_id ?? data.approval_request_id }];
    const used = item.approval_request_id ?? data.approval_request_id;
    const own = item.call_id ?? item.callId;
    if (kind === 'result') return [{ kind: 'result', id: own }];
    if (kind !== 'call') return [other];
    const ours = own !== undefined || OURS.has(item.type);
    if (ours) return [{ kind: 'call', id: own, name: item.name ?? item.type }];
    // What the provider ran brings its result along.
    const brings = ['error', 'output', 'outputs', 'results', 'result'].some((key) => (item[key] ?? data[key] ?? null) !== null);
    return [{ kind: 'call', hosted: true }, ...(brings ? [{ kind: 'result', hosted: true }] : []), ...(used === undefined || used === null ? [] : [{ kind: 'use', id: used }])];
  },
};

const CLASS = /^(.*?)(Message)?(Chunk)?$/;

/** The fields of a LangChain message, and its kind: `ai` of `ai`, `AIMessage` and `AIMessageChunk`. */
function langchain(message) {
  const m = typeof message.toJSON === 'function' ? message.toJSON() : message;
  if (m.lc !== undefined) return { kind: CLASS.exec(m.id[m.id.length - 1])[1].toLowerCase(), data: m.kwargs };
  return { kind: m.type, data: m.data };
}
const LANGCHAIN_ROLES = { human: 'user', ai: 'assistant', system: 'system', developer: 'system', tool: 'tool', function: 'tool' };

function langchainParts(kind, data) {
  if (LANGCHAIN_ROLES[kind] === 'tool') return [result];
  const calls = list(data.tool_calls);
  const repeated = (part) => calls.length > 0 && ['tool_use', 'tool_call', 'functionCall'].includes(part?.type);
  const read = (part) => (part?.type === 'reasoning' ? reasoning(full(part.signature)) : block(part));
  return [
    ...(full(data.additional_kwargs?.reasoning_content) ? [reasoning(false)] : []),
    ...(typeof data.content === 'string' ? said(data.content) : list(data.content).filter((part) => !repeated(part)).map(read)),
    ...calls.map(() => call),
    ...(calls.length ? [] : list(data.additional_kwargs?.tool_calls).map(() => call)),
  ];
}

/** A secret of the provider, whoever it is, in the options that a part carries. */
const sealed = (options) => Object.values(options ?? {}).some((of) => ['signature', 'redactedData', 'reasoningEncryptedContent', 'thoughtSignature'].some((key) => full(of?.[key])));

const PI_OWN = { bashExecution: 'injected', custom: 'injected', branchSummary: 'injected', compactionSummary: 'summary' };

const READ = {
  anthropic(m) {
    const parts = content(m.content, block);
    const digest = list(m.content).length > 0 && list(m.content).every((b) => b.type === 'compaction');
    return { role: m.role === 'tool' ? 'other' : plainRole(m.role), from: digest ? 'summary' : 'plain', parts };
  },
  hotl(m) {
    const role = { system: 'system', user: 'user', assistant: 'assistant', tool_results: 'tool' }[m.type] ?? 'other';
    const from = m.synthetic === undefined ? 'plain' : SYNTHETIC[m.synthetic] ?? 'injected';
    const parts = { assistant: list(m.blocks).map(block), tool: list(m.results).map(() => result), other: [other] }[role] ?? [...said(m.text), ...list(m.images).map(() => other)];
    return { role, from, parts };
  },
  'openai-chat'(m) {
    if (m.role === 'tool' || m.role === 'function' || typeof m.tool_call_id === 'string') return { role: 'tool', from: 'plain', parts: [result] };
    const parts = [
      ...(full(m.reasoning_content) ? [reasoning(false)] : []),
      ...content(m.content, (part) => (part.type === 'text' ? text : other)),
      ...said(m.refusal),
      ...list(m.tool_calls).map(() => call),
      ...(isObject(m.function_call) ? [call] : []),
    ];
    return { role: m.role === 'developer' ? 'system' : plainRole(m.role), from: 'plain', parts };
  },
  'openai-responses'(item) {
    const kind = RESPONSES.kind(item);
    return { role: RESPONSES.role(item, kind), from: kind === 'summary' ? 'summary' : 'plain', parts: RESPONSES.parts(item, kind) };
  },
  gemini(m) {
    const part = (p) => {
      if (isObject(p.functionCall)) return call;
      if (isObject(p.functionResponse)) return result;
      if (typeof p.text !== 'string') return other;
      return p.thought === true ? reasoning(full(p.thoughtSignature)) : text;
    };
    return { role: { user: 'user', model: 'assistant', function: 'tool', system: 'system' }[m.role] ?? 'other', from: 'plain', parts: list(m.parts).map(part) };
  },
  'ai-sdk'(m) {
    const part = (p) => {
      if (p.type === 'text') return said(p.text);
      if (p.type === 'reasoning') return [reasoning(sealed(p.providerOptions))];
      if (p.type === 'tool-call') return [{ kind: 'call', id: p.toolCallId, name: p.toolName, optional: p.providerExecuted === true }];
      if (p.type === 'tool-result') return [{ kind: 'result', id: p.toolCallId }];
      if (p.type === 'tool-approval-request') return [{ kind: 'ask', id: p.approvalId, call: p.toolCallId }];
      return [p.type === 'tool-approval-response' ? { kind: 'answer', id: p.approvalId, denies: p.approved === false } : other];
    };
    return { role: plainRole(m.role), from: 'plain', parts: typeof m.content === 'string' ? said(m.content) : list(m.content).flatMap(part) };
  },
  'ai-sdk-ui'(m) {
    const part = (p) => {
      if (p.type === 'step-start') return [];
      const name = p.toolName ?? p.type.slice('tool-'.length);
      if (p.type === 'dynamic-tool' || p.type.startsWith('tool-')) return p.state?.startsWith('output-') ? [call, result] : [{ kind: 'call', id: p.toolCallId, name, open: true }];
      return [p.type === 'reasoning' ? reasoning(sealed(p.providerMetadata)) : p.type === 'text' ? text : other];
    };
    return { role: plainRole(m.role), from: m.id?.startsWith('compaction_') ? 'summary' : 'plain', parts: list(m.parts).flatMap(part) };
  },
  langchain(m) {
    const { kind, data } = langchain(m);
    const digest = data.additional_kwargs?.lc_source === 'summarization';
    return { role: LANGCHAIN_ROLES[kind] ?? 'other', from: digest ? 'summary' : 'plain', parts: langchainParts(kind, data) };
  },
  agentfootprint(m) {
    const parts = m.role === 'tool' ? [result] : [...list(m.thinkingBlocks).map(block), ...said(m.content), ...list(m.toolCalls).map(() => call)];
    return { role: plainRole(m.role), from: typeof m.injectedBy === 'string' ? 'injected' : 'plain', parts };
  },
  pi(m) {
    const part = (p) => (p.type === 'toolCall' ? call : p.type === 'thinking' ? reasoning(full(p.thinkingSignature)) : p.type === 'text' ? text : other);
    const own = m.role in PI_OWN;
    const role = own ? 'user' : { user: 'user', assistant: 'assistant', toolResult: 'tool' }[m.role] ?? 'other';
    const parts = role === 'tool' ? [result] : own ? [text] : content(m.content, part);
    return { role, from: PI_OWN[m.role] ?? 'plain', parts };
  },
};

/** How each message is read. */
export function reading(messages, format) {
  return messages.map((m) => READ[format](m));
}

// ---------------------------------------------------------------------------------------------------------------------- pairs

/** Formats in which a call holds its result. */
const INSIDE = new Set(['ai-sdk-ui']);
/** Formats in which leave is asked: an answer ends a batch of calls, and one that denies is all the result that a call gets. */
const ASKS = new Set(['openai-responses', 'ai-sdk']);

/** Where a call holds its result nothing can be torn; what has none in an earlier message has had its time. */
function inside(read) {
  const last = read.map((m) => m.role).lastIndexOf('assistant');
  const unanswered = read.flatMap((m, i) => m.parts.flatMap((c, p) => (c.open ? [{ ...c, at: [i, p], pending: i === last }] : [])));
  return { pairs: [], orphans: [], unanswered };
}

/** Formats whose provider takes results anywhere after their call; the others look in the nearest message that called. */
const ANYWHERE = new Set(['openai-responses']);

/** Pairs in both readings of ids that stand twice: what either takes for a pair is not torn, what waits in either is waited for. */
function pairsOf(messages, format, read) {
  if (INSIDE.has(format)) return inside(read);
  const batches = readPairs(messages, format, read, false);
  if (ANYWHERE.has(format)) return batches;
  const neighbours = readPairs(messages, format, read, true);
  return {
    pairs: [...batches.pairs, ...neighbours.pairs],
    orphans: batches.orphans,
    unanswered: batches.unanswered,
    unansweredToo: neighbours.unanswered,
  };
}

/** As the judges' pairs: by id and occurrence, in the nearest earlier batch, or of its calls first those of the nearest message. */
function readPairs(messages, format, read, byMessage) {
  if (!ASKS.has(format)) return pairs(messages, format, { byMessage });
  const batches = [];
  const asked = new Map(); // id of a request -> the call it names
  const out = { pairs: [], orphans: [], unanswered: [] };
  let between = true;
  read.forEach((m, i) => m.parts.forEach((part, p) => {
    // A request that names no call waits for its answer as a call does for its result.
    const waits = (part.kind === 'call' && !part.hosted) || (part.kind === 'ask' && part.call === undefined);
    if (waits) {
      if (between) batches.push([]);
      between = false;
      batches[batches.length - 1].push({ ...part, at: [i, p] });
    }
    if (part.kind === 'ask' && part.call !== undefined) asked.set(part.id, batches.flat().filter((c) => c.kind === 'call' && c.id === part.call).pop());
    // What the provider ran has its result in the model's own message: the calls beside it go on waiting.
    if ((part.kind === 'result' && m.role !== 'assistant') || part.kind === 'answer') between = true;
    if (part.kind === 'answer' && part.denies && asked.get(part.id)) asked.get(part.id).denied = true;
    const request = part.kind === 'answer' && batches.flat().filter((c) => c.kind === 'ask' && c.id === part.id).pop();
    if (request) request.done = true;
    if (part.kind !== 'result' || part.hosted) return;
    const fits = (c) => c.kind === 'call' && !c.done && c.id === part.id;
    const inBatch = [...batches].reverse().map((batch) => batch.filter(fits)).find((of) => of.length > 0) ?? [];
    const nearest = inBatch.filter((c) => c.at[0] === inBatch[inBatch.length - 1].at[0]);
    const found = byMessage ? nearest[0] : inBatch[0];
    if (found) out.pairs.push({ call: found.at, result: [i, p] });
    else out.orphans.push({ at: [i, p] });
    if (found) found.done = true;
  }));
  const last = read.map((m) => m.role).lastIndexOf('assistant');
  for (const batch of batches) {
    const pending = batch === batches[batches.length - 1] && last <= batch[batch.length - 1].at[0];
    out.unanswered.push(...batch.filter((c) => !c.done && !c.denied && !c.optional).map((c) => ({ ...c, pending })));
  }
  return out;
}

const has = (m, kind) => m.parts.some((p) => p.kind === kind);
export const carriesResults = (m) => m.role === 'tool' || has(m, 'result') || has(m, 'answer');
const onlyResults = (m) => m.role === 'tool' || (m.parts.length > 0 && m.parts.every((p) => p.kind === 'result' || p.kind === 'answer'));
const onlyReasoning = (m) => m.parts.length > 0 && m.parts.every((p) => p.kind === 'reasoning');

/** Something that the user said. */
export const isRequest = (m) => m.role === 'user' && !onlyResults(m) && (m.from === 'plain' || m.from === 'steer');
export const isStanding = (m) => m.role === 'user' && (m.from === 'instructions' || m.from === 'memory');

// ------------------------------------------------------------------------------------------------------------- what belongs together

/** Formats in which reasoning is an item of its own and led to the items after it. */
const BOUND = new Set(['openai-responses']);
/** Formats whose provider wants signed reasoning back in front of the tool loop that it began. */
export const SIGNED = new Set(['anthropic', 'hotl', 'ai-sdk', 'ai-sdk-ui', 'langchain', 'agentfootprint', 'pi']);

/** Pairs of messages that are never parted, the loops of signed reasoning apart. */
export function bonds(messages, format, read = reading(messages, format), paired = pairsOf(messages, format, read)) {
  const out = paired.pairs.map((p) => [p.call[0], p.result[0]]);
  return [...out, ...approvals(messages, format, read), ...reasoningBonds(read, format)].filter(([from, to]) => from !== to);
}

/** A request and its call, its answers, and what was done by it. */
function approvals(messages, format, read) {
  const latest = new Map();
  const lost = new Map(); // answers whose request is not there; what was done by them is not torn from them
  const out = [];
  read.forEach((m, i) => {
    for (const { kind, id, call: callId } of m.parts) {
      if (kind === 'ask') {
        const of = callId === undefined ? -1 : callMessage(messages, i, callId);
        if (of >= 0) out.push([of, i]);
        latest.set(id, i);
      } else if (kind === 'answer' || kind === 'use') {
        const from = latest.get(id) ?? (kind === 'use' ? lost.get(id) : undefined);
        if (from !== undefined) out.push([from, i]);
        else if (kind === 'answer') lost.set(id, i);
      }
    }
  });
  return out;
}

function callMessage(messages, from, id) {
  for (let i = from; i >= 0; i--) if (list(messages[i].content).some((p) => p.type === 'tool-call' && p.toolCallId === id)) return i;
  return -1;
}

/** Each bond between a message and the one before it that reasoning asks for. */
function reasoningBonds(read, format) {
  const out = [];
  for (let i = 1; i < read.length; i++) {
    if (read[i].role !== 'assistant' || read[i - 1].role !== 'assistant') continue;
    let start = i - 1;
    while (start > 0 && read[start - 1].role === 'assistant') start--;
    let end = i;
    while (end < read.length && read[end].role === 'assistant') end++;
    const before = read.slice(start, i).filter((m) => m.parts.length);
    const rest = read.slice(i, end).filter((m) => m.parts.length);
    const bound = BOUND.has(format)
      // Reasoning, and everything of the model's that comes after it.
      ? before.some(onlyReasoning)
      // Reasoning that is a message of its own: the reply goes on with the next message, and what is left of it is more than that.
      : (before.length > 0 && onlyReasoning(before[before.length - 1])) || (rest.length > 0 && rest.every(onlyReasoning));
    if (bound) out.push([i - 1, i]);
  }
  return out;
}

// ------------------------------------------------------------------------------------------------------------------------ cuts

/** Calls and requests that may still be answered: unanswered, and the model said nothing after their batch. */
function open(unanswered) {
  return unanswered.filter((c) => c.pending).map((c) => ({ name: c.id ?? c.name, at: c.at[0] }));
}

export function waiting(messages, format) {
  const read = reading(messages, format);
  return open(pairsOf(messages, format, read).unanswered).map(({ name }) => String(name ?? '').replace(/^function:/, ''));
}

/** All indices at which the transcript may be split. */
export function legalCuts(messages, format) {
  const read = reading(messages, format);
  const paired = pairsOf(messages, format, read);
  const tied = bonds(messages, format, read, paired);
  const pending = open([...paired.unanswered, ...(paired.unansweredToo ?? [])]);
  const cuts = [];
  let signedInLoop = false;
  for (let i = 0; i < messages.length; i++) {
    const m = read[i];
    let legal = m.role === 'user' || m.role === 'assistant';
    if (m.role === 'user' && !carriesResults(m)) signedInLoop = false;
    if (m.role === 'assistant' && SIGNED.has(format)) {
      if (signedInLoop && m.parts[0]?.kind !== 'reasoning') legal = false;
      if (m.parts.some((p) => p.kind === 'reasoning' && p.signed)) signedInLoop = true;
    }
    if (tied.some(([from, to]) => from < i && i <= to)) legal = false;
    if (pending.some(({ at }) => at < i)) legal = false;
    if (paired.orphans.some((o) => o.at[0] === i)) legal = false;
    if (legal) cuts.push(i);
  }
  return cuts;
}

/** A transcript, read once. */
export function transcriptOf(messages, format, summaries = new Set()) {
  const read = reading(messages, format).map((m, i) => (summaries.has(messages[i]) ? { ...m, from: 'summary' } : m));
  return { messages, format, read, legal: legalCuts(messages, format), tied: bonds(messages, format, read) };
}

/** The cut that the budget asks for, or undefined. */
export function legalTail({ read, legal }, tokens, prefixEnd, options, waits = true) {
  let cuts = legal.filter((i) => i > prefixEnd);
  if (cuts.length === 0) return undefined;
  const request = (i) => isRequest(read[i]);
  const lastAssistant = read.map((m) => m.role).lastIndexOf('assistant');
  const limits = waits ? [read.findIndex((_, i) => i > lastAssistant && request(i))] : [];
  if (options.keepTurns > 0) {
    const opens = read.flatMap((_, i) => (request(i) && !(i > 0 && request(i - 1)) ? [i] : []));
    limits.push(opens.length >= options.keepTurns ? opens[opens.length - options.keepTurns] : -1);
  }
  for (const limit of limits.filter((l) => l >= 0)) {
    const within = cuts.filter((i) => i <= limit);
    if (within.length) cuts = within;
  }
  const cost = [];
  for (let i = tokens.length - 1, tail = 0; i >= 0; i--) cost[i] = tail += tokens[i];
  return cuts.find((i) => cost[i] <= options.tailBudget * (1 - (options.margin ?? 0))) ?? cuts[cuts.length - 1];
}

/**
 * The same, where something folds: when only an old digest stands in front of what the user waits for, and that is over the budget,
 * the cut may be among it.
 */
export function bestCut(transcript, tokens, prefixEnd, options) {
  const cut = legalTail(transcript, tokens, prefixEnd, options);
  if (cut === undefined || options.keepTurns > 0) return cut;
  const over = tokens.slice(cut).reduce((a, b) => a + b, 0) > options.tailBudget * (1 - (options.margin ?? 0));
  if (!over || foldsSomething(transcript, options, prefixEnd, cut)) return cut;
  const later = legalTail(transcript, tokens, prefixEnd, options, false);
  return foldsSomething(transcript, options, prefixEnd, later) ? later : cut;
}

/** Whether more than digests and what stays is inside from..to. */
export function foldsSomething(transcript, options, from, to) {
  const unit = stays(transcript, options, from, to);
  return transcript.read.slice(from, to).some((m, i) => m.from !== 'summary' && !unit.has(from + i));
}

/** What must stay verbatim inside from..to: by itself, and because it belongs to something that stays or to the prefix. */
export function stays(transcript, options, from, to) {
  const { tied } = transcript;
  const inside = (i) => i >= from && i < to;
  const unit = new Set([...wanted(transcript, options, from)].filter(inside));
  for (const [a, b] of tied) if (a < from && inside(b)) unit.add(b);
  for (let size = -1; size !== unit.size;) {
    size = unit.size;
    for (const [a, b] of tied) if (inside(a) && inside(b) && (unit.has(a) || unit.has(b))) unit.add(a).add(b);
  }
  return unit;
}

/** What must stay verbatim by itself. */
export function wanted({ messages, read }, options, from) {
  const requests = read.flatMap((m, i) => (isRequest(m) ? [i] : []));
  const standing = read.flatMap((m, i) => (isStanding(m) || (options.keepSystem && m.role === 'system') ? [i] : []));
  const pinned = typeof options.pinned === 'function' ? messages.flatMap((m, i) => (options.pinned(m, i) ? [i] : [])) : options.pinned ?? [];
  const task = options.anchorTask ? requests.filter((i) => i >= from).slice(0, 1) : [];
  return new Set([...standing, ...pinned, ...task, ...(options.anchorRequest ? requests.slice(-1) : [])]);
}

/** The leading run of system text, instructions and memory. */
export function leadingRun(messages, format, least = 0) {
  const read = reading(messages, format);
  let end = 0;
  while (end < read.length && (read[end].role === 'system' || isStanding(read[end]))) end++;
  return Math.min(Math.max(end, least), read.length);
}
