// What the package offers. A new subpath is one line in ENTRIES; the build writes package.json's exports from it.

/**
 * @typedef {object} Entry
 * @property {string} subpath           as in package.json's exports
 * @property {string} file              pkg/src/<file>.ts → dist/<file>.js, .cjs, .d.ts, .d.cts
 * @property {"inline" | "slim"} [core] which loader is inside; without one, the entry holds no core and imports the package
 *                                      by its own name, so that there is only one core in a program
 * @property {boolean} [workerd]        has a build of its own for Workers
 */

/** @type {Entry[]} */
export const ENTRIES = [
  { subpath: ".", file: "index", core: "inline", workerd: true },
  { subpath: "./slim", file: "slim", core: "slim" },
  { subpath: "./store", file: "store" },
  { subpath: "./ai-sdk", file: "ai-sdk" },
  { subpath: "./anthropic", file: "anthropic" },
  { subpath: "./langchain", file: "langchain" },
  { subpath: "./openai-agents", file: "openai-agents" },
];

/** The optimised module, as shipped. */
export const WASM_FILE = "plica.wasm";

const ASSETS = { "./core.wasm": `./dist/${WASM_FILE}`, "./package.json": "./package.json" };

/** The exports map. "types" comes first in each condition, "workerd" before the others: the first match wins. */
export function exportsMap() {
  return { ...Object.fromEntries(ENTRIES.map((entry) => [entry.subpath, conditions(entry)])), ...ASSETS };
}

function conditions({ file, workerd }) {
  const esm = { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` };
  return {
    ...(workerd ? { workerd: { ...esm, default: `./dist/${file}.workerd.js` } } : {}),
    import: esm,
    require: { types: `./dist/${file}.d.cts`, default: `./dist/${file}.cjs` },
  };
}
