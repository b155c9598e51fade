// SPDX-License-Identifier: MIT OR Apache-2.0
//
// An independent judge of message arrays. It is written from what the providers document about their own request
// bodies and shares nothing with the library it is meant to judge: no import, no helper, no table.
//
//   validate(messages, format, options?) -> Fault[]      format: "anthropic" | "openai-chat" | "hotl"
//   pairs(messages, format)              -> { pairs, orphans, unanswered }
//   faultsAdded(before, after, format)   -> Fault[]      faults of `after` that `before` does not account for
//
// Fault: { rule, index, detail, id? }. `index` is the index of the message in the array that was passed in.
//
// Rules
//   bad-message         not an object, or content of a wrong kind
//   bad-role            a role (or role/block combination) the provider does not know
//   system-in-messages  (anthropic) a system message inside the array; skipped by all other rules
//   first-not-user      (anthropic, hotl) the first message that is not system is not the user's
//   empty-content       no content at all (anthropic: the very last assistant message may be empty)
//   empty-text          (anthropic) a text block that is blank
//   empty-assistant     (openai-chat) an assistant message with neither content nor calls nor refusal nor audio
//   empty-tool-calls    (openai-chat) tool_calls: []
//   misplaced-block     (anthropic, hotl) a call in a user message, a client result or an image in an assistant message
//   missing-id          a call without an id
//   duplicate-id        one id twice among the calls that are open at the same time
//   reused-id           an id used again in a later turn; only with { strictIds: true }
//   unanswered-call     a call whose result is not where it has to be
//   pending-call        a call at the end of the array: still in flight, not a fault of a running conversation
//   orphan-result       a result without a call where the call has to be
//   duplicate-result    a second result for a call that has one
//   results-not-first   (anthropic) another kind of block in front of a tool_result
//   thinking-unsigned   thinking without signature, redacted_thinking without data
//   thinking-not-first  an assistant message that calls tools and thinks, and does not start with the thinking
//   thinking-only       an assistant turn of nothing but thinking
//   thinking-last       an assistant turn that ends with thinking

/** Rules that do not make a conversation in flight, or one that still carries its system text, wrong. */
export const BENIGN = new Set(['pending-call', 'system-in-messages']);

export function validate(messages, format, options = {}) {
  if (!Array.isArray(messages)) throw new TypeError('messages must be an array');
  if (format === 'anthropic') return sorted(anthropic(messages, options));
  if (format === 'openai-chat') return sorted(openaiChat(messages, options));
  if (format === 'hotl') return sorted(hotl(messages, options));
  throw new RangeError(`validate does not know the format ${String(format)}`);
}

/** Faults that make a request fail: everything but the benign rules. */
export function faultsOnly(messages, format, options) {
  return validate(messages, format, options).filter((f) => !BENIGN.has(f.rule));
}

/**
 * What `after` is to blame for. A fault is accounted for when `before` has one of the same rule (and the same id, where
 * there is one); each fault of `before` accounts for one of `after`. An unanswered call of `before` also accounts for
 * the same call being pending in `after`; not the other way round.
 */
export function faultsAdded(before, after, format, options) {
  const have = new Map();
  for (const f of validate(before, format, options)) bump(have, keyOf(f.rule, f.id), 1);
  const added = [];
  for (const f of validate(after, format, options)) {
    const keys = [keyOf(f.rule, f.id)];
    if (f.rule === 'pending-call') keys.push(keyOf('unanswered-call', f.id));
    const hit = keys.find((k) => (have.get(k) ?? 0) > 0);
    if (hit === undefined) added.push(f);
    else bump(have, hit, -1);
  }
  return added;
}

/**
 * Pairing by id and occurrence: a result answers the first open call with its id in the nearest earlier batch that has
 * one; a batch is all calls between two results. Positions are [message index, index of the call or result in it].
 * `pending` in an unanswered entry: no assistant message comes after the batch.
 */
export function pairs(messages, format) {
  const events = eventsOf(messages, format);
  const out = { pairs: [], orphans: [], unanswered: [] };
  const batches = [];
  let resultSince = true;
  let lastAssistant = -1;
  for (const e of events) {
    if (e.kind === 'assistant') {
      lastAssistant = e.at[0];
    } else if (e.kind === 'call') {
      if (resultSince) batches.push({ calls: [], last: -1 });
      resultSince = false;
      const batch = batches[batches.length - 1];
      batch.calls.push({ id: e.id, name: e.name, at: e.at, done: false });
      batch.last = e.at[0];
    } else {
      resultSince = true;
      let call;
      for (let b = batches.length - 1; b >= 0 && !call; b--) {
        call = batches[b].calls.find((c) => !c.done && c.id === e.id);
      }
      if (call) {
        call.done = true;
        out.pairs.push({ id: e.id, name: call.name, call: call.at, result: e.at });
      } else {
        out.orphans.push({ id: e.id, at: e.at });
      }
    }
  }
  for (const batch of batches) {
    for (const c of batch.calls) {
      if (!c.done) out.unanswered.push({ id: c.id, name: c.name, at: c.at, pending: lastAssistant <= batch.last });
    }
  }
  return out;
}

// ---------------------------------------------------------------------------------------------------------- Anthropic

function anthropic(messages, options) {
  const faults = [];
  const turns = [];
  messages.forEach((message, index) => {
    if (!isObject(message)) return void faults.push(fault('bad-message', index, 'not an object'));
    const { role, content } = message;
    if (role === 'system') return void faults.push(fault('system-in-messages', index, 'system belongs beside the messages'));
    if (role !== 'user' && role !== 'assistant') {
      return void faults.push(fault('bad-role', index, `role ${JSON.stringify(role)}`));
    }
    let blocks;
    if (typeof content === 'string') blocks = content === '' ? [] : [{ type: 'text', text: content }];
    else if (Array.isArray(content)) blocks = content;
    else blocks = content === undefined || content === null ? [] : null;
    if (blocks === null) {
      faults.push(fault('bad-message', index, 'content is neither a string nor an array'));
      blocks = [];
    } else if (blocks.length === 0 && !(role === 'assistant' && index === messages.length - 1)) {
      faults.push(fault('empty-content', index, 'no content'));
    }
    joinTurn(turns, role, index, blocks, faults);
  });
  if (turns.length && turns[0].role !== 'user') {
    faults.push(fault('first-not-user', turns[0].index, 'the first message must be the user\'s'));
  }
  for (const turn of turns) {
    for (const { block, index } of turn.parts) {
      if (block.type === 'text' && !nonBlank(block.text)) faults.push(fault('empty-text', index, 'blank text block'));
    }
    if (turn.role === 'assistant') thinkingRules(turn, faults);
  }
  toolRules(turns, faults, options);
  return faults;
}

/** Same-role neighbours are one turn to the provider. */
function joinTurn(turns, role, index, blocks, faults) {
  const parts = [];
  for (const block of blocks) {
    if (isObject(block) && typeof block.type === 'string') parts.push({ block, index });
    else faults.push(fault('bad-message', index, 'a block without a type'));
  }
  const last = turns[turns.length - 1];
  if (last && last.role === role) {
    last.parts.push(...parts);
    last.messages.push(parts);
  } else {
    turns.push({ role, index, parts: [...parts], messages: [parts] }); // not the same array: the turn grows, the message does not
  }
}

function isThinking(block) {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function thinkingRules(turn, faults) {
  for (const { block, index } of turn.parts) {
    if (block.type === 'thinking' && !nonBlank(block.signature)) {
      faults.push(fault('thinking-unsigned', index, 'thinking without its signature'));
    }
    if (block.type === 'redacted_thinking' && !nonBlank(block.data)) {
      faults.push(fault('thinking-unsigned', index, 'redacted_thinking without its data'));
    }
  }
  for (const parts of turn.messages) {
    const calls = parts.some((p) => p.block.type === 'tool_use');
    const thinks = parts.some((p) => isThinking(p.block));
    if (calls && thinks && !isThinking(parts[0].block)) {
      faults.push(fault('thinking-not-first', parts[0].index, `starts with ${parts[0].block.type}`));
    }
  }
  if (turn.parts.length && turn.parts.every((p) => isThinking(p.block))) {
    faults.push(fault('thinking-only', turn.index, 'nothing but thinking'));
  } else if (turn.parts.length && isThinking(turn.parts[turn.parts.length - 1].block)) {
    faults.push(fault('thinking-last', turn.parts[turn.parts.length - 1].index, 'ends with thinking'));
  }
}

const isServerCall = (block) => block.type !== 'tool_use' && block.type.endsWith('_tool_use');
const isServerResult = (block) => block.type !== 'tool_result' && block.type.endsWith('_tool_result');

/** Calls and results over alternating turns; a server's own tools are answered inside the assistant's turns. */
function toolRules(turns, faults, options) {
  const seenBefore = new Set();
  let serverOpen = []; // server calls that wait for their result, [{ id, index }]
  for (let t = 0; t < turns.length; t++) {
    const turn = turns[t];
    if (turn.role === 'assistant') {
      const ids = new Set();
      const serverDone = new Set();
      let clientCalls = 0;
      for (const { block, index } of turn.parts) {
        if (block.type === 'tool_use' || isServerCall(block)) {
          if (typeof block.id !== 'string' || block.id === '') faults.push(fault('missing-id', index, 'a call without an id'));
          else if (ids.has(block.id)) faults.push(fault('duplicate-id', index, `${block.id} twice in one turn`, block.id));
          else if (options.strictIds && seenBefore.has(block.id)) {
            faults.push(fault('reused-id', index, `${block.id} was used in an earlier turn`, block.id));
          }
          ids.add(block.id);
          if (block.type === 'tool_use') clientCalls++;
          else serverOpen.push({ id: block.id, index });
        } else if (block.type === 'tool_result' || (block.type === 'image' && block.source)) {
          faults.push(fault('misplaced-block', index, `${block.type} in an assistant message`, block.tool_use_id));
        } else if (isServerResult(block)) {
          const at = serverOpen.findIndex((c) => c.id === block.tool_use_id);
          if (at >= 0) {
            serverOpen.splice(at, 1);
            serverDone.add(block.tool_use_id);
          } else if (serverDone.has(block.tool_use_id)) {
            faults.push(fault('duplicate-result', index, `a second ${block.type}`, block.tool_use_id));
          } else {
            faults.push(fault('orphan-result', index, `${block.type} without its call`, block.tool_use_id));
          }
        }
      }
      for (const id of ids) seenBefore.add(id);
      // A server's tool may itself wait for a client's tool: then its result comes after the client's results.
      const next = turns[t + 1];
      const mayWait = clientCalls > 0 && (!next || next.parts.every((p) => p.block.type === 'tool_result'));
      if (next && !mayWait) {
        for (const c of serverOpen) faults.push(fault('unanswered-call', c.index, 'server call without its result', c.id));
        serverOpen = [];
      }
      answersOf(turn, next, t + 2 >= turns.length, faults);
    } else {
      const previous = turns[t - 1];
      const open = new Map();
      if (previous) {
        for (const { block } of previous.parts) {
          if (block.type === 'tool_use') open.set(block.id, (open.get(block.id) ?? 0) + 1);
        }
      }
      const had = new Set(open.keys());
      let otherBlock = false;
      for (const { block, index } of turn.parts) {
        if (block.type === 'tool_result') {
          const left = open.get(block.tool_use_id) ?? 0;
          if (left > 0) open.set(block.tool_use_id, left - 1);
          else if (had.has(block.tool_use_id)) {
            faults.push(fault('duplicate-result', index, 'a second result', block.tool_use_id));
          } else {
            faults.push(fault('orphan-result', index, 'no such call in the assistant turn before', block.tool_use_id));
          }
          if (otherBlock && had.has(block.tool_use_id)) faults.push(fault('results-not-first', index, 'another block before it', block.tool_use_id));
        } else {
          otherBlock = true;
          if (block.type === 'tool_use' || isServerCall(block) || isServerResult(block) || isThinking(block)) {
            faults.push(fault('misplaced-block', index, `${block.type} in a user message`, block.id ?? block.tool_use_id));
          }
        }
      }
    }
  }
  for (const c of serverOpen) faults.push(fault('pending-call', c.index, 'server call at the end', c.id));
}

/** Every client call of the turn must have its result in the very next one. */
function answersOf(turn, next, isLast, faults) {
  const results = new Map();
  let onlyResults = true;
  for (const { block } of next ? next.parts : []) {
    if (block.type === 'tool_result') results.set(block.tool_use_id, (results.get(block.tool_use_id) ?? 0) + 1);
    else onlyResults = false;
  }
  const inFlight = !next || (isLast && onlyResults);
  for (const { block, index } of turn.parts) {
    if (block.type !== 'tool_use') continue;
    const left = results.get(block.id) ?? 0;
    if (left > 0) results.set(block.id, left - 1);
    else if (inFlight) faults.push(fault('pending-call', index, 'the conversation ends before the result', block.id));
    else faults.push(fault('unanswered-call', index, 'no result in the next message', block.id));
  }
}

// -------------------------------------------------------------------------------------------------------- OpenAI chat

const CHAT_ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

function openaiChat(messages, options) {
  const faults = [];
  const seenBefore = new Set();
  let open = null; // { calls: [{ id, index, done }] } of the assistant message just before
  const close = (rule) => {
    for (const c of open ? open.calls : []) {
      if (!c.done) faults.push(fault(rule, c.index, rule === 'pending-call' ? 'the conversation ends before the result' : 'the next message that is not a result came first', c.id));
    }
    open = null;
  };
  messages.forEach((message, index) => {
    if (!isObject(message)) return void faults.push(fault('bad-message', index, 'not an object'));
    const { role, content } = message;
    if (!CHAT_ROLES.has(role)) return void (close('unanswered-call'), faults.push(fault('bad-role', index, `role ${JSON.stringify(role)}`)));
    const none = content === undefined || content === null || (Array.isArray(content) && content.length === 0);
    if (!none && typeof content !== 'string' && !Array.isArray(content)) {
      faults.push(fault('bad-message', index, 'content is neither a string nor an array'));
    }

    if (role === 'tool' || role === 'function') {
      const legacy = role === 'function';
      const id = legacy ? `function:${message.name}` : message.tool_call_id;
      const same = open ? open.calls.filter((c) => c.id === id && c.legacy === legacy) : [];
      const call = same.find((c) => !c.done);
      if (call) call.done = true;
      else if (same.length) faults.push(fault('duplicate-result', index, 'a second result', id));
      else faults.push(fault('orphan-result', index, 'no such call directly before', id));
      if (none && !legacy) faults.push(fault('empty-content', index, 'a result needs content'));
      return;
    }

    close('unanswered-call');
    if (role !== 'assistant') {
      if (none) faults.push(fault('empty-content', index, `${role} without content`));
      return;
    }

    const calls = [];
    if (message.tool_calls !== undefined && message.tool_calls !== null) {
      if (!Array.isArray(message.tool_calls)) faults.push(fault('bad-message', index, 'tool_calls is not an array'));
      else if (message.tool_calls.length === 0) faults.push(fault('empty-tool-calls', index, 'tool_calls must not be empty'));
      else {
        const ids = new Set();
        for (const c of message.tool_calls) {
          const id = isObject(c) ? c.id : undefined;
          if (typeof id !== 'string' || id === '') faults.push(fault('missing-id', index, 'a call without an id'));
          else if (ids.has(id)) faults.push(fault('duplicate-id', index, `${id} twice in one message`, id));
          else if (options.strictIds && seenBefore.has(id)) faults.push(fault('reused-id', index, `${id} was used before`, id));
          ids.add(id);
          calls.push({ id, index, done: false, legacy: false });
        }
        for (const id of ids) seenBefore.add(id);
      }
    }
    if (isObject(message.function_call)) {
      calls.push({ id: `function:${message.function_call.name}`, index, done: false, legacy: true });
    }
    if (none && calls.length === 0 && !nonBlank(message.refusal) && !isObject(message.audio)) {
      faults.push(fault('empty-assistant', index, 'neither content nor calls'));
    }
    if (calls.length) open = { calls };
  });
  close('pending-call');
  return faults;
}

// --------------------------------------------------------------------------------------------------------------- hotl

function hotl(messages, options) {
  const faults = [];
  const seenBefore = new Set();
  let turn = null; // the assistant turn whose calls are open
  let touching = false; // the item before belongs to that turn, so another assistant item would join it
  let serverOpen = [];
  let first = true;
  const closeTurn = (rule) => {
    if (!turn) return;
    for (const c of turn.calls) {
      if (!c.done) faults.push(fault(rule, c.index, rule === 'pending-call' ? 'the items end before the result' : 'the next assistant item came first', c.id));
    }
  };
  const endBlocks = () => {
    if (turn && touching) thinkingRules(turn, faults);
    touching = false;
  };
  messages.forEach((item, index) => {
    if (!isObject(item)) return void faults.push(fault('bad-message', index, 'not an object'));
    const { type } = item;
    if (type !== 'system' && type !== 'user' && type !== 'assistant' && type !== 'tool_results') return; // carried, not judged
    if (type !== 'system' && first) {
      first = false;
      if (type !== 'user') faults.push(fault('first-not-user', index, 'the first item must be the user\'s'));
    }
    if (type === 'assistant') {
      const blocks = Array.isArray(item.blocks) ? item.blocks : [];
      if (!Array.isArray(item.blocks)) faults.push(fault('bad-message', index, 'blocks is not an array'));
      else if (blocks.length === 0) faults.push(fault('empty-content', index, 'no blocks'));
      if (!touching) {
        closeTurn('unanswered-call');
        if (!(turn && turn.calls.length)) {
          for (const c of serverOpen) faults.push(fault('unanswered-call', c.index, 'server call without its result', c.id));
          serverOpen = [];
        }
        turn = { index, parts: [], messages: [], calls: [], ids: new Set() };
        touching = true;
      }
      const parts = [];
      for (const block of blocks) {
        if (!isObject(block) || typeof block.type !== 'string') {
          faults.push(fault('bad-message', index, 'a block without a type'));
          continue;
        }
        parts.push({ block, index });
        if (block.type === 'tool_use' || isServerCall(block)) {
          if (typeof block.id !== 'string' || block.id === '') faults.push(fault('missing-id', index, 'a call without an id'));
          else if (turn.ids.has(block.id)) faults.push(fault('duplicate-id', index, `${block.id} twice in one turn`, block.id));
          else if (options.strictIds && seenBefore.has(block.id)) faults.push(fault('reused-id', index, `${block.id} was used before`, block.id));
          turn.ids.add(block.id);
          seenBefore.add(block.id);
          if (block.type === 'tool_use') turn.calls.push({ id: block.id, index, done: false });
          else serverOpen.push({ id: block.id, index });
        } else if (block.type === 'tool_result') {
          faults.push(fault('misplaced-block', index, 'tool_result in an assistant item', block.tool_use_id));
        } else if (isServerResult(block)) {
          const at = serverOpen.findIndex((c) => c.id === block.tool_use_id);
          if (at >= 0) serverOpen.splice(at, 1);
          else faults.push(fault('orphan-result', index, `${block.type} without its call`, block.tool_use_id));
        }
      }
      turn.parts.push(...parts);
      turn.messages.push(parts);
      return;
    }
    endBlocks();
    if (type === 'tool_results') {
      const results = Array.isArray(item.results) ? item.results : [];
      if (!Array.isArray(item.results)) faults.push(fault('bad-message', index, 'results is not an array'));
      else if (results.length === 0) faults.push(fault('empty-content', index, 'no results'));
      for (const r of results) {
        const id = isObject(r) ? r.tool_use_id : undefined;
        const same = turn ? turn.calls.filter((c) => c.id === id) : [];
        const call = same.find((c) => !c.done);
        if (call) call.done = true;
        else if (same.length) faults.push(fault('duplicate-result', index, 'a second result', id));
        else faults.push(fault('orphan-result', index, 'no such call in the assistant item before', id));
      }
    } else {
      const images = Array.isArray(item.images) && item.images.length > 0;
      if (!nonBlank(item.text) && !images) faults.push(fault('empty-content', index, `${type} without text`));
    }
  });
  endBlocks();
  closeTurn('pending-call');
  for (const c of serverOpen) faults.push(fault('pending-call', c.index, 'server call at the end', c.id));
  return faults;
}

// ------------------------------------------------------------------------------------------------------------- events

/** Calls, results and assistant messages in reading order, whatever the format. */
function eventsOf(messages, format) {
  const events = [];
  messages.forEach((m, i) => {
    if (!isObject(m)) return;
    if (format === 'openai-chat') {
      if (m.role === 'assistant') {
        events.push({ kind: 'assistant', at: [i, 0] });
        const calls = Array.isArray(m.tool_calls) ? m.tool_calls : [];
        calls.forEach((c, p) => events.push({ kind: 'call', id: c?.id, name: c?.function?.name ?? c?.custom?.name, at: [i, p] }));
        if (isObject(m.function_call)) {
          const { name } = m.function_call;
          events.push({ kind: 'call', id: `function:${name}`, name, at: [i, calls.length] });
        }
      } else if (m.role === 'tool') events.push({ kind: 'result', id: m.tool_call_id, at: [i, 0] });
      else if (m.role === 'function') events.push({ kind: 'result', id: `function:${m.name}`, at: [i, 0] });
      return;
    }
    const assistant = format === 'hotl' ? m.type === 'assistant' : m.role === 'assistant';
    if (assistant) events.push({ kind: 'assistant', at: [i, 0] });
    if (format === 'hotl' && m.type === 'tool_results') {
      (Array.isArray(m.results) ? m.results : []).forEach((r, p) => events.push({ kind: 'result', id: r?.tool_use_id, at: [i, p] }));
      return;
    }
    const blocks = format === 'hotl' ? (assistant ? m.blocks : undefined) : m.content;
    (Array.isArray(blocks) ? blocks : []).forEach((b, p) => {
      if (!isObject(b) || typeof b.type !== 'string') return;
      if ('tool_use_id' in b) events.push({ kind: 'result', id: b.tool_use_id, at: [i, p] });
      else if (b.type.endsWith('tool_use')) events.push({ kind: 'call', id: b.id, name: b.name, at: [i, p] });
    });
  });
  return events;
}

// ------------------------------------------------------------------------------------------------------------- helpers

function fault(rule, index, detail, id) {
  return id === undefined ? { rule, index, detail } : { rule, index, detail, id };
}
function isObject(v) {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}
function nonBlank(v) {
  return typeof v === 'string' && v.trim() !== '';
}
function keyOf(rule, id) {
  return JSON.stringify([rule, id ?? null]);
}
function bump(map, key, by) {
  map.set(key, (map.get(key) ?? 0) + by);
}
function sorted(faults) {
  return faults.map((f, n) => [f, n]).sort((a, b) => a[0].index - b[0].index || a[1] - b[1]).map(([f]) => f);
}
