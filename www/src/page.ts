// The page around the element: its address, and files that are dropped or pasted anywhere.

import "./element.js";
import { plain } from "./text/hidden.js";

const viewer = document.querySelector("plica-viewer");
if (!viewer) throw new Error("the page has no viewer");

/** What the address asks for: `?url=` a file of this origin, `?ledger=` the ledger beside it, `#m=` a message. */
const asked = new URLSearchParams(location.search);
const url = asked.get("url");
const ledger = asked.get("ledger");

/** The message in the address, counted from 0. */
function itemOfHash(): number | undefined {
  const found = /(?:^#|&)m=(\d{1,9})(?:&|$)/.exec(location.hash)?.[1];
  return found === undefined || Number(found) < 1 ? undefined : Number(found) - 1;
}

let settling = itemOfHash();

viewer.addEventListener("plica-open", (event) => {
  document.title = `${plain((event as CustomEvent<{ name: string }>).detail.name.slice(0, 120))} – plica`;
  const item = settling ?? itemOfHash();
  settling = undefined;
  if (item !== undefined) viewer.goTo(item);
});

// The address follows, so that a reload or a copied link comes back to the same place; the history is not filled with it.
viewer.addEventListener("plica-select", (event) => {
  if (settling !== undefined) return;
  const { item } = (event as CustomEvent<{ item: number }>).detail;
  history.replaceState(history.state, "", `#m=${item + 1}`);
});

addEventListener("hashchange", () => {
  const item = itemOfHash();
  if (item !== undefined) viewer.goTo(item);
});

// What is dropped or pasted beside the element is meant for it, too.
addEventListener("dragover", (event) => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
});
addEventListener("drop", (event) => {
  if (!event.defaultPrevented && event.dataTransfer?.files.length && viewer.take(event.dataTransfer)) event.preventDefault();
});
document.addEventListener("paste", (event) => {
  if (event.composedPath().includes(viewer) || !event.clipboardData) return;
  if (viewer.take(event.clipboardData)) event.preventDefault();
});

// Keys that work wherever nothing is typed, also before anything in the element has the focus.
document.addEventListener("keydown", (event) => {
  if (event.target === document.body) viewer.press(event);
});

if (url !== null) {
  viewer.ledgerSrc = ledger;
  viewer.src = url;
}
