// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Pairing by id and occurrence: a result answers the first open call with its id in the nearest earlier batch that has
// one; a batch is all calls between two results.
//
// Events in reading order:
//   { kind: 'assistant', at }                       the model spoke
//   { kind: 'call', id, name, at, optional? }       optional: nobody has to answer it
//   { kind: 'result', id, name?, at, soft? }        soft: counts only for a call that has no other result

const byId = (batches, result) => {
  for (let b = batches.length - 1; b >= 0; b--) {
    const call = batches[b].calls.find((c) => !c.done && c.id === result.id);
    if (call) return call;
  }
  return undefined;
};

/**
 * Batches of calls, each call with whether it is done; the pairs; and the results that are left over. `find(batches, result)`
 * is a format's own way to know the call that a result means. `byMessage`: as one reads it who has the results right behind
 * the message that called, so that of the calls of a batch those of the nearest message are answered first.
 */
export function match(events, find = byId, byMessage = false) {
  const grouped = (batches) => (byMessage ? batches.flatMap(messagesOf) : batches);
  const batches = [];
  const pairs = [];
  const orphans = [];
  const soft = [];
  let resultSince = true;
  let lastAssistant = -1;
  for (const e of events) {
    if (e.kind === 'assistant') lastAssistant = e.at[0];
    else if (e.kind === 'call') {
      if (resultSince) batches.push({ calls: [], last: -1 });
      resultSince = false;
      const batch = batches[batches.length - 1];
      batch.calls.push({ ...e, done: false });
      batch.last = e.at[0];
    } else if (e.soft) soft.push({ result: e, known: batches.length });
    else {
      resultSince = true;
      const call = find(grouped(batches), e);
      if (call) take(call, e, pairs);
      else orphans.push(e);
    }
  }
  for (const { result, known } of soft) {
    const call = find(grouped(batches.slice(0, known)), result);
    if (call) take(call, result, pairs);
  }
  return { batches, pairs, orphans, lastAssistant };
}

function messagesOf({ calls }) {
  const groups = new Map();
  for (const call of calls) groups.set(call.at[0], [...(groups.get(call.at[0]) ?? []), call]);
  return [...groups.values()].map((of) => ({ calls: of }));
}

function take(call, result, pairs) {
  call.done = true;
  pairs.push({ call, result });
}
