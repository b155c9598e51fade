// What a Transcript costs beyond the caller's own messages: each size in a process of its own, because memory of WebAssembly never
// shrinks, and the heap of a process that measured other things is no clean ground.

import { child } from "../child.mjs";
import { count, markdown } from "../table.mjs";

export const title = "Memory of a `Transcript`, beyond the caller's own messages";

export async function run(bench) {
  const sizes = bench.sizes.filter((n) => n >= 10_000);
  if (sizes.length === 0) return `${title}: measured from 10,000 messages on.`;
  const rows = sizes.map((n) => {
    bench.progress(`${title}, ${count(n)}`);
    const { wasm, heap } = child("memory", [n]);
    bench.record(title, { n, wasm, heap });
    return [`${count(n)} messages`, `${count((wasm + heap) / n)} bytes`, `${count(wasm / 1000)} kB`, `${count(heap / 1000)} kB`];
  });
  return `${markdown([title, "a message", "growth of WebAssembly's memory", "growth of JavaScript's heap"], rows)}\n\nAfter \`append\` of all, \`due\` and \`plan\`, and a full collection. The module's own memory is not in it.`;
}
