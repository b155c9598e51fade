// The page's side of the worker: calls that answer with promises.

/** Only this file's own worker may be started: Trusted Types enforce it where the browser has them. */
function workerUrl() {
  const url = new URL("./worker.js", import.meta.url).href;
  const types = /** @type {any} */ (globalThis).trustedTypes;
  return types === undefined ? url : types.createPolicy("plica-www", { createScriptURL: (/** @type {string} */ u) => (u === url ? u : "") }).createScriptURL(url);
}

const worker = new Worker(workerUrl(), { type: "module" });
/** @type {Map<number, { resolve(value: any): void, reject(error: Error): void }>} */
const waiting = new Map();
let lastId = 0;

worker.addEventListener("message", ({ data: { id, value, error } }) => {
  const call = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) call?.resolve(value);
  else call?.reject(Object.assign(new Error(error.message), { code: error.code }));
});

worker.addEventListener("error", () => {
  for (const { reject } of waiting.values()) reject(new Error("the package could not be loaded"));
  waiting.clear();
});

/** Calls an operation of the worker. @param {string} name @param {...any} args @returns {Promise<any>} */
export function ask(name, ...args) {
  return new Promise((resolve, reject) => {
    waiting.set(++lastId, { resolve, reject });
    worker.postMessage({ id: lastId, name, args });
  });
}

/**
 * Runs `fn` for the latest argument only: while it runs, newer arguments replace each other.
 *
 * @template A
 * @param {(arg: A) => Promise<void>} fn
 * @returns {(arg: A) => void}
 */
export function latest(fn) {
  /** @type {{ arg: A } | undefined} */
  let next;
  let busy = false;
  return async (arg) => {
    next = { arg };
    if (busy) return;
    busy = true;
    while (next !== undefined) {
      const { arg: now } = next;
      next = undefined;
      await fn(now);
    }
    busy = false;
  };
}
