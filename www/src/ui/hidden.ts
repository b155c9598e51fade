// Text of a transcript in a template: hidden characters are named, never applied.

import { fill } from "../text/hidden.js";

/** A short text (a name, a role, an id), isolated from the direction of what is around it. */
export function hidden(text: string, most = 20): HTMLElement {
  const element = document.createElement("bdi");
  fill(element, text.length > 300 ? `${text.slice(0, 300)}…` : text, most);
  return element;
}
