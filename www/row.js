// One message in the list: a line that opens, and the body below it.

import { ask } from "./client.js";
import { count, counted, fill, make } from "./text.js";

/**
 * @typedef {import("./view.js").Body} Body
 * @typedef {import("./view.js").Line} Line
 * @typedef {import("./view.js").ShownPart} ShownPart
 * @typedef {{ element: HTMLElement, button: HTMLButtonElement, fate: HTMLElement, reason: HTMLElement, body?: HTMLElement }} Row
 */

const KINDS = { text: "", thinking: "thinking", call: "call", result: "result", image: "image", data: "data" };

/** The line of a message. @param {number} index @param {Line} line @param {number} tokens @returns {Row} */
export function makeRow(index, line, tokens) {
  const element = make("div", "row");
  element.setAttribute("role", "listitem");
  const button = make("button", "line");
  button.type = "button";
  const fate = make("span", "fate");
  const reason = make("span", "reason");
  const why = make("span", "why");
  why.append(fate, reason);
  button.append(make("span", "index num", count(index + 1)), roleOf(line), previewOf(line), tokensOf(tokens), why);
  element.append(button);
  return { element, button, fate, reason };
}

/** @param {Line} line */
function roleOf({ role }) {
  const element = make("bdi", "role");
  fill(element, role, 3);
  return element;
}

/** @param {Line} line */
function previewOf({ kind, name, text, more }) {
  const element = make("span", "preview");
  if (KINDS[kind] !== "") element.append(make("span", "kind", KINDS[kind]));
  if (name !== "") element.append(filled("bdi", "name", name, 3));
  element.append(filled("bdi", "words", text, 8));
  if (more > 0) element.append(make("span", "plus", `+${count(more)}`));
  return element;
}

/** @param {number} tokens */
function tokensOf(tokens) {
  const element = make("span", "tokens num", count(tokens));
  element.append(make("span", "sr", " tokens,"));
  return element;
}

/** @param {keyof HTMLElementTagNameMap} tag @param {string} className @param {string} text @param {number} [marks] */
function filled(tag, className, text, marks) {
  const element = make(tag, className);
  fill(element, text, marks);
  return element;
}

/** Shows what becomes of the message. @param {Row} row @param {string} fate @param {string} reason */
export function paintFate(row, fate, reason) {
  row.element.dataset.fate = fate;
  row.fate.textContent = fate;
  row.reason.textContent = reason;
}

/** Opens a row on a body, or closes it. @param {Row} row @param {number} index @param {Body | null | undefined} body */
export function paintBody(row, index, body) {
  row.button.setAttribute("aria-expanded", String(body !== undefined));
  row.body?.remove();
  row.body = undefined;
  if (body === undefined) return;
  row.body = make("div", "body");
  if (body === null) row.body.append(make("p", "quiet", "Reading…"));
  else row.body.append(...body.parts.map((part, i) => partElement(part, index, i)), ...furtherParts(row, index, body));
  row.element.append(row.body);
}

/** @param {Row} row @param {number} index @param {Body} body */
function furtherParts(row, index, body) {
  const left = body.total - body.parts.length;
  if (left <= 0) return [];
  return [expander(`Show more of ${counted(left, "further part")}`, async () => {
    body.parts.push(...(await ask("body", index, body.parts.length)).parts);
    paintBody(row, index, body);
    row.button.focus();
  })];
}

/** @param {ShownPart} part @param {number} index @param {number} place */
function partElement(part, index, place) {
  const element = make("section", `part is-${part.kind}`);
  if (part.inner) element.classList.add("is-inner");
  if (part.error) element.classList.add("is-error");
  const head = partHead(part);
  if (head !== null) element.append(head);
  if (part.image !== undefined) element.append(picture(part.image, index));
  if (part.text !== "") element.append(...longText(part, index, place));
  else if (part.total === 0 && part.kind === "text") element.append(make("p", "quiet", "no text"));
  return element;
}

/** @param {ShownPart} part */
function partHead({ kind, name, id, error }) {
  if (KINDS[kind] === "") return null;
  const head = make("p", "part-head");
  head.append(make("span", "kind", error ? "result, failed" : KINDS[kind]));
  if (name) head.append(filled("bdi", "name", name.slice(0, 200), 20));
  if (id) head.append(filled("bdi", "id", id.slice(0, 200), 20));
  return head;
}

/** @param {string} url a data: URL that the worker has checked @param {number} index */
function picture(url, index) {
  const image = make("img", "picture");
  image.alt = `Picture in message ${index + 1}`;
  image.decoding = "async";
  image.addEventListener("error", () => image.replaceWith(make("p", "quiet", "The picture cannot be shown.")), { once: true });
  image.src = url;
  return image;
}

/** A text, with a way to see more of it. @param {ShownPart} part @param {number} index @param {number} place */
function longText(part, index, place) {
  const text = make("div", "text");
  text.dir = "auto";
  const foot = make("p", "part-foot");
  const more = expander("Show more", async () => {
    part.text += await ask("more", index, place, part.text.length);
    paint();
    if (more.hidden) text.closest(".row")?.querySelector("button")?.focus();
  });
  const said = make("span", "num");
  foot.append(said, more);
  function paint() {
    fill(text, part.text);
    said.textContent = `${count(part.text.length)} of ${count(part.total)} characters`;
    more.hidden = part.text.length >= part.total;
    foot.hidden = part.total <= 2_000;
  }
  paint();
  return [text, foot];
}

/** @param {string} label @param {() => Promise<void>} fn */
function expander(label, fn) {
  const button = make("button", "more", label);
  button.type = "button";
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await fn();
    } finally {
      button.disabled = false;
    }
  });
  return button;
}
