// Marks what is searched for in the messages on the screen, without a change to their nodes.

/** Marks in one message list; more would only cost. */
const MOST = 500;
const NAME = "plica-found";

/** Marks every place of a text under a root; none for an empty one. Browsers without this way of marking show none. */
export function highlightIn(root: ParentNode, query: string | undefined): void {
  if (typeof Highlight === "undefined" || !CSS.highlights) return;
  const wanted = wantedOf(query);
  if (wanted === "") {
    CSS.highlights.delete(NAME);
    return;
  }
  CSS.highlights.set(NAME, new Highlight(...[...root.querySelectorAll(".parts")].flatMap((parts) => ranges(parts, wanted, MOST)).slice(0, MOST)));
}

/** The first place of a text under an element. */
export function firstMatch(root: Node, query: string | undefined): Range | undefined {
  const wanted = wantedOf(query);
  return wanted === "" ? undefined : ranges(root, wanted, 1)[0];
}

const wantedOf = (query: string | undefined): string => query?.trim().toLowerCase() ?? "";

function ranges(root: Node, wanted: string, most: number): Range[] {
  const found: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node as Text).data.toLowerCase();
    // Lower case may be longer than the text (İ): such a node is left alone, its places would be off.
    if (text.length !== (node as Text).length) continue;
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      if (found.push(range) >= most) return found;
    }
  }
  return found;
}
