// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Messages that belong together in one array and are not together any longer in another that was made from it: all of them are
// there in the same order, or none is. A message is found again as the same object, or else by its JSON text.

import { fault } from './common.mjs';

export function splits(groups, before, after) {
  if (groups.length === 0) return [];
  const placeOf = places(before, after);
  return groups.flatMap(({ rule, members, id }) => {
    const found = members.map((i) => placeOf(i));
    const there = found.filter((i) => i !== undefined);
    if (there.length === 0) return [];
    if (there.length < found.length) return [fault(rule, Math.min(...there), `${found.length - there.length} of ${found.length} are gone`, id)];
    return found.every((place, n) => n === 0 || found[n - 1] < place) ? [] : [fault(rule, Math.min(...there), 'not in their order', id)];
  });
}

/** Where a message of `before` is in `after`. Each place is given away once, the first to the first. */
function places(before, after) {
  const byObject = new Map();
  after.forEach((m, i) => byObject.set(m, [...(byObject.get(m) ?? []), i]));
  const place = before.map((m) => byObject.get(m)?.shift());
  const taken = new Set(place);
  const byText = new Map();
  after.forEach((m, i) => {
    if (taken.has(i)) return;
    const text = JSON.stringify(m);
    byText.set(text, [...(byText.get(text) ?? []), i]);
  });
  if (byText.size) place.forEach((at, i) => at === undefined && (place[i] = byText.get(JSON.stringify(before[i]))?.shift()));
  return (i) => place[i];
}
