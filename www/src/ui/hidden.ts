// Text of a transcript in a template: hidden characters are named, never applied.

import { fill } from "../text/hidden.js";

/** Marks in a short text; beyond that they are only counted. */
const MARKS = 20;

/** A short text (a name, a role, an id), isolated from the direction of what is around it, cut after `most` UTF-16 units. */
export function hidden(text: string, most = 300): HTMLElement {
  const element = document.createElement("bdi");
  fill(element, text.length > most ? `${text.slice(0, most)}…` : text, MARKS);
  return element;
}
