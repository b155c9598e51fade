// SPDX-License-Identifier: MIT OR Apache-2.0
//
// OpenAI Responses items, flat, in snake_case as the API has them or in the camelCase of the Agents SDK.
//
//   calls      items whose type ends in `_call`, with a call_id or callId; results: `_output` or `_result`, anywhere later
//   hosted     web_search_call and the like are complete in themselves; the Agents SDK says hosted_tool_call
//   reasoning  is followed by what it led to: a message of the assistant or a call, with other reasoning between at most
//   approvals  mcp_approval_request and mcp_approval_response; a request that is never answered is refused like a call
// Other types are passed over.

import { fault, isNone, isObject, isText } from './common.mjs';
import { match } from './pairing.mjs';

export const rules = [
  'bad-message', 'bad-role', 'empty-content', 'missing-id', 'duplicate-id', 'reused-id', 'unanswered-call', 'pending-call', 'orphan-result',
  'duplicate-result', 'reasoning-orphan',
];

const ROLES = new Set(['user', 'system', 'developer', 'assistant']);
const HOSTED = new Set([
  'web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call', 'mcp_call', 'mcp_list_tools', 'hosted_tool_call',
]);
/** Calls that cannot do without an id; a `_call` that is not among them and has none is taken for hosted. */
const OURS = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'computer_call', 'shell_call', 'apply_patch_call']);

export function judge(items, options) {
  const faults = [];
  const read = items.map((item, index) => {
    const it = readItem(item);
    shapeRules(it, item, index, faults);
    return it;
  });
  callRules(read, items, options, faults);
  approvalRules(read, faults);
  itemIds(read, items, faults);
  reasoningRules(read, faults);
  return faults;
}

/** What an item is: { kind, id?, name? }; kind: message, call, result, hosted, reasoning, ask, answer, other or bad. */
function readItem(item) {
  if (!isObject(item)) return { kind: 'bad' };
  const { type } = item;
  if (type === 'message' || (type === undefined && item.role !== undefined)) return { kind: 'message', role: item.role };
  if (typeof type !== 'string') return { kind: 'bad' };
  if (type === 'reasoning') return { kind: 'reasoning' };
  const approval = readApproval(item, type);
  if (approval) return approval;
  if (HOSTED.has(type)) return { kind: 'hosted', approval: item.approval_request_id ?? item.providerData?.approval_request_id };
  const id = item.call_id ?? item.callId ?? undefined;
  if (type.endsWith('_call')) return OURS.has(type) || typeof id === 'string' ? { kind: 'call', id, name: item.name ?? type } : { kind: 'hosted' };
  if (type === 'local_shell_call_output') return { kind: 'result', id: id ?? item.id, byItsId: id === undefined };
  if (/_(output|result)$/.test(type) && (id !== undefined || type === 'function_call_output' || type === 'function_call_result')) return { kind: 'result', id };
  return { kind: 'other' };
}

/** The Agents SDK packs both into hosted_tool_call; the API's fields are then in providerData. */
function readApproval(item, type) {
  const data = isObject(item.providerData) ? item.providerData : {};
  const means = type === 'hosted_tool_call' ? (data.type ?? item.name) : type;
  if (means === 'mcp_approval_request') return { kind: 'ask', id: data.id ?? item.id };
  if (means !== 'mcp_approval_response') return undefined;
  return { kind: 'answer', id: item.approval_request_id ?? item.approvalRequestId ?? data.approval_request_id ?? data.approvalRequestId };
}

function shapeRules(it, item, index, faults) {
  if (it.kind === 'bad') return void faults.push(fault('bad-message', index, 'no item'));
  if (it.kind !== 'message') return;
  if (!ROLES.has(it.role)) faults.push(fault('bad-role', index, `role ${JSON.stringify(it.role)}`));
  if (isNone(item.content)) faults.push(fault('empty-content', index, `${it.role} without content`));
  else if (!isText(item.content)) faults.push(fault('bad-message', index, 'content is neither a string nor an array'));
}

const isModels = (it) => ['call', 'hosted', 'ask'].includes(it.kind) || (it.kind === 'message' && it.role === 'assistant');
/** After one of these a call without result is not in flight any longer. */
const talks = (it) => isModels(it) || it.kind === 'message' || it.kind === 'reasoning';

function lastTalk(read) {
  for (let i = read.length - 1; i >= 0; i--) if (talks(read[i])) return i;
  return -1;
}

/** A reference in front of results may stand for their call: it names an item that the provider holds. */
function mayBeReferred(read, items, index) {
  let before = index - 1;
  while (before >= 0 && (read[before].kind === 'result' || read[before].kind === 'answer')) before--;
  return before >= 0 && items[before]?.type === 'item_reference';
}

function callRules(read, items, options, faults) {
  const open = new Map(); // id -> how many calls with it wait
  const had = new Set();
  read.forEach(({ kind, id }, index) => {
    if (kind === 'call') {
      if (typeof id !== 'string' || id === '') return void faults.push(fault('missing-id', index, 'a call without an id'));
      if (open.get(id)) faults.push(fault('duplicate-id', index, `${id} is open already`, id));
      else if (options.strictIds && had.has(id)) faults.push(fault('reused-id', index, `${id} was used before`, id));
      open.set(id, (open.get(id) ?? 0) + 1);
      had.add(id);
    } else if (kind === 'result') {
      if (open.get(id)) open.set(id, open.get(id) - 1);
      else if (had.has(id)) faults.push(fault('duplicate-result', index, 'a second result', id));
      else if (!mayBeReferred(read, items, index)) faults.push(fault('orphan-result', index, 'no such call before it', id));
    }
  });
  const last = lastTalk(read);
  const named = eventsOf(read).filter((e) => e.kind !== 'result' || typeof e.id === 'string');
  for (const batch of match(named).batches) {
    const abandoned = last > endOfReply(read, batch.last);
    for (const call of batch.calls.filter((c) => !c.done)) faults.push(unanswered(call.at[0], abandoned, call.id));
  }
}

function unanswered(index, abandoned, id) {
  if (abandoned) return fault('unanswered-call', index, 'something else came and no result', id);
  return fault('pending-call', index, 'the items end before the result', id);
}

function approvalRules(read, faults) {
  const asked = new Map(); // id -> { index, answered }
  read.forEach(({ kind, id }, index) => {
    if (kind === 'ask') asked.set(id, { index, answered: false });
    if (kind !== 'answer') return;
    const request = asked.get(id);
    if (!request) faults.push(fault('orphan-result', index, 'an approval that nobody asked for', id));
    else if (request.answered) faults.push(fault('duplicate-result', index, 'a second approval', id));
    else request.answered = true;
  });
  const last = lastTalk(read);
  for (const [id, { index, answered }] of asked) if (!answered) faults.push(unanswered(index, last > endOfReply(read, index), id));
}

/** The end of the calls and requests that stand together with this one. */
function endOfReply(read, index) {
  let end = index;
  while (end + 1 < read.length && (read[end + 1].kind === 'call' || read[end + 1].kind === 'ask')) end++;
  return end;
}

function itemIds(read, items, faults) {
  const seen = new Set();
  read.forEach(({ kind, byItsId }, index) => {
    const id = kind === 'bad' || byItsId || items[index].type === 'item_reference' ? undefined : items[index].id;
    if (typeof id !== 'string' || id === '') return;
    if (seen.has(id)) faults.push(fault('duplicate-id', index, 'two items with one id', id));
    seen.add(id);
  });
}

function reasoningRules(read, faults) {
  read.forEach(({ kind }, index) => {
    if (kind !== 'reasoning') return;
    let next = index + 1;
    while (next < read.length && (read[next].kind === 'reasoning' || read[next].kind === 'other')) next++;
    if (next === read.length || !isModels(read[next])) faults.push(fault('reasoning-orphan', index, 'what it led to does not follow'));
  });
}

export function events(items) {
  return eventsOf(items.map(readItem));
}

function eventsOf(read) {
  return read.flatMap(({ kind, id, name, role }, i) => {
    const at = [i, 0];
    if (kind === 'result') return [{ kind, id, at }];
    const speaks = { kind: 'assistant', at };
    if (kind === 'call') return [speaks, { kind, id, name, at }];
    return kind === 'hosted' || kind === 'reasoning' || kind === 'ask' || role === 'assistant' ? [speaks] : [];
  });
}

/** Items that belong together: reasoning and what it led to; an approval request, the answer and the call that came of it. */
export function groups(items) {
  const read = items.map(readItem);
  return [...reasoningGroups(read, items), ...approvalGroups(read)];
}

function reasoningGroups(read, items) {
  const out = [];
  for (let i = 0; i < read.length; i++) {
    if (read[i].kind !== 'reasoning') continue;
    const members = [i];
    while (i + 1 < read.length && read[i + 1].kind === 'reasoning') members.push(++i);
    while (i + 1 < read.length && isModels(read[i + 1])) members.push(++i);
    if (isModels(read[i])) out.push({ rule: 'reasoning-split', members, id: items[members[0]].id });
  }
  return out;
}

function approvalGroups(read) {
  const out = [];
  read.forEach(({ kind, id }, index) => {
    if (kind !== 'ask') return;
    const rest = read.flatMap((it, i) => (i > index && ((it.kind === 'answer' && it.id === id) || (it.kind === 'hosted' && it.approval === id)) ? [i] : []));
    if (rest.length) out.push({ rule: 'approval-split', members: [index, ...rest], id });
  });
  return out;
}
