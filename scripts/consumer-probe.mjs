// What every consumer does with the package. The text of `probe` is copied into each of them, so it must stand alone: no
// imports, nothing newer than ES2020, nothing that only one platform has.

/**
 * Calls the package at once, makes its core trap, and calls it again.
 * @param {Record<string, any>} plica the package
 * @returns {string} what to report; throws when something is not as it should be
 */
export function probe(plica) {
  function expect(what, actual, expected) {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      throw new Error(what + ": expected " + JSON.stringify(expected) + ", got " + JSON.stringify(actual));
    }
  }
  function answers() {
    expect("greet", plica.greet("é😀"), "fold, é😀: é😀");
    expect("summarize", plica.summarize("a b  ü"), { words: 3, bytes: 7 });
    expect("fingerprint", plica.fingerprint("abc"), "6437b3ac38465133ffb63b75273a8db5");
  }
  function failure(call) {
    try {
      call();
    } catch (error) {
      return error;
    }
    throw new Error("no error where one was due");
  }
  const start = Date.now();
  const trapNext = armTraps();
  answers();
  const first = Date.now() - start;
  for (const how of ["panic", "overflow-stack", "overflow-engine"]) {
    const error = failure(() => plica.provoke(how));
    expect(how + " name", error.name, "PlicaError");
    expect(how + " code", error.code, "internal");
    expect(how + " class", error instanceof plica.PlicaError, true);
    expect(how + " cause", error.cause !== undefined, true);
    answers();
  }
  trapNext();
  expect("simulated trap", failure(() => plica.greet("x")).code, "internal");
  answers();
  return "first call " + first + " ms";
}

/**
 * Wraps instantiation, and returns a function that makes the next call into an instance trap: for a package that exports
 * nothing that fails on purpose. To be called before the package makes its instance.
 */
export function armTraps() {
  const Real = WebAssembly.Instance;
  let armed = false;
  const trapping = (fn) => (...args) => {
    if (!armed) return fn(...args);
    armed = false;
    throw new WebAssembly.RuntimeError("unreachable");
  };
  WebAssembly.Instance = function (module, imports) {
    const exports = {};
    for (const [name, value] of Object.entries(new Real(module, imports).exports)) {
      exports[name] = typeof value === "function" ? trapping(value) : value;
    }
    return { exports };
  };
  return () => { armed = true; };
}

/** A call that must fail with "not-ready" before the slim entry has its module. */
export function beforeInit(plica) {
  try {
    plica.greet("x");
  } catch (error) {
    if (error instanceof plica.PlicaError && error.code === "not-ready") return;
    throw error;
  }
  throw new Error("no error before init");
}

/** A call that must fail with "wasm-unavailable" where the page's policy forbids WebAssembly. */
export function forbidden(plica) {
  try {
    plica.greet("x");
  } catch (error) {
    if (error instanceof plica.PlicaError && error.code === "wasm-unavailable") return "refused with: " + error.code;
    throw error;
  }
  throw new Error("no error though WebAssembly is forbidden");
}

/** An export that needs no core: a bundle of it alone must hold no WebAssembly. */
export const PURE_EXPORT = "PINNED_KINDS";

/** TypeScript that a strict consumer compiles against the shipped declarations. */
export const TYPES_MAIN = `
const summary: plica.Summary = plica.summarize("a");
const words: number = summary.words;
const counter = new plica.Counter();
const total: number = counter.add(words);
const code: plica.PlicaErrorCode = "internal";
const ready: Promise<void> = plica.init();
export { total, code, ready };
`;
export const TYPES_SLIM = `
const ready: Promise<void> = plica.init(new Uint8Array(8));
const text: string = plica.greet("a");
export { ready, text };
`;
