// What is known of each item once all were looked at: who speaks, which results failed, which call each result is of.

import type { Pairs } from "./pairs.js";
import { Pairing } from "./pairs.js";
import { piecesOf, roleOf } from "./pieces.js";

export interface Items {
  roles: string[];
  /** Index into `roles` for each item. */
  roleOf: Uint8Array;
  /** Items that hold a result that failed. */
  errors: Uint32Array;
  pairs: Pairs;
}

/** Looks at all messages once. */
export function itemsOf(messages: readonly object[]): Items {
  const roles: string[] = [];
  const roleOfItem = new Uint8Array(messages.length);
  const errors: number[] = [];
  const pairing = new Pairing();
  messages.forEach((message, item) => {
    const pieces = piecesOf(message);
    pairing.add(pieces);
    if (pieces.some((piece) => piece.error === true)) errors.push(item);
    const role = roleOf(message, pieces);
    if (!roles.includes(role)) roles.push(role);
    roleOfItem[item] = roles.indexOf(role);
  });
  return { roles, roleOf: roleOfItem, errors: Uint32Array.from(errors), pairs: pairing.done() };
}
