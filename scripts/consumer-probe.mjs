// What every consumer does with the package. The text of `probe` is copied into each of them, so it must stand alone: no
// imports, nothing newer than ES2020, nothing that only one platform has.

/**
 * Calls the package at once, makes its core trap, and calls it again.
 * @param {Record<string, any>} plica the package
 * @returns {string} what to report; throws when something is not as it should be
 */
export function probe(plica, trapNext = armTraps()) {
  function expect(what, actual, expected) {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      throw new Error(what + ": expected " + JSON.stringify(expected) + ", got " + JSON.stringify(actual));
    }
  }
  const messages = [
    { role: "user", content: "one ".repeat(200) + "é😀" },
    { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: { path: "a" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "two" }] },
    { role: "assistant", content: "three" },
    { role: "user", content: "four" },
  ];
  function answers() {
    expect("fnv", [plica.summaryFingerprint("日本語"), plica.summaryFingerprint("\ud800")], ["5406374e", "481d51f"]);
    const plan = plica.plan(messages, { tailBudget: 50, estimator: "conservative" });
    expect("plan", [plan.kind, plan.format, plan.prefixEnd, plan.keptFrom, plan.overBudget], ["fold", "anthropic", 0, 3, false]);
    const digest = plica.digestMessage(plica.deterministicDigest(messages, plan), { format: plan.format });
    const window = plica.fold(messages, plan, digest);
    expect("window", [window.length, window[1] === messages[3], window[2] === messages[4]], [3, true, true]);
    const ledger = new plica.Ledger();
    ledger.record({ messages, plan, digest });
    const whole = ledger.unfold(window);
    expect("unfold", [whole.length, whole.every((message, i) => message === messages[i])], [5, true]);
    expect("health", plica.computeMemoryHealth([{ key: "a", importance: 5 }]).imp5Pct, 100);
    const session = plica.readSession(JSON.stringify(messages));
    expect("session", [session.format, session.messageFormat, session.messages.length], ["messages", "anthropic", 5]);
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
  answers();
  const first = Date.now() - start;
  // A refusal is no trap, and says what was wrong.
  const refused = failure(() => plica.plan(messages, { tailBudget: -1 }));
  expect("refusal", [refused.name, refused.code, refused instanceof plica.PlicaError], ["PlicaError", "bad-budget", true]);
  answers();
  // A call with hardly any stack left fails somewhere; wherever that was, the next call works.
  let deepest;
  (function deeper() {
    try {
      deeper();
    } catch (error) {
      if (deepest === undefined) {
        try {
          plica.plan(messages, { tailBudget: 50, estimator: "conservative" });
          deepest = "no failure";
        } catch (failed) {
          deepest = failed;
        }
      }
    }
  })();
  answers();
  trapNext();
  const trapped = failure(() => plica.plan(messages, { tailBudget: 50 }));
  expect("simulated trap", [trapped.name, trapped.code, trapped.cause !== undefined], ["PlicaError", "internal", true]);
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
    plica.summaryFingerprint("x");
  } catch (error) {
    if (error instanceof plica.PlicaError && error.code === "not-ready") return;
    throw error;
  }
  throw new Error("no error before init");
}

/** A call that must fail with "wasm-unavailable" where the page's policy forbids WebAssembly. */
export function forbidden(plica) {
  try {
    plica.summaryFingerprint("x");
  } catch (error) {
    if (error instanceof plica.PlicaError && error.code === "wasm-unavailable") return "refused with: " + error.code;
    throw error;
  }
  throw new Error("no error though WebAssembly is forbidden");
}

/** An export that needs no core: a bundle of it alone must hold no WebAssembly. */
export const PURE_EXPORT = "PINNED_KINDS";

/** TypeScript that a strict consumer compiles against the shipped declarations: no cast, no `any`. */
export const TYPES_MAIN = `
interface Chat { role: "user" | "assistant"; content: string; mine?: number }
const messages: Chat[] = [{ role: "user", content: "a" }];
const plan: plica.Plan = plica.plan(messages, { tailBudget: 10, pinned: (message) => message.mine === 1 });
const code: plica.PlicaErrorCode = "bad-budget";
const ready: Promise<void> = plica.init();
if (plan.kind === "fold") {
  const digest = plica.digestMessage("GOAL: x", { format: "anthropic" });
  const window: Chat[] = plica.fold(messages, plan, digest);
  const ledger = new plica.Ledger<Chat>();
  const made: plica.Fold<Chat> = ledger.record({ messages, plan, digest });
  const back: Chat[] = ledger.unfold(window);
  const originals: readonly Chat[] | undefined = made.messages;
  const reasons: string[] = plica.explain(messages, plan).map((entry) => entry.reason);
  console.log(back, originals, reasons, plan.tokens.tail);
}
const untyped = new plica.Ledger();
const less: Chat[] = plica.reduce(messages, { ledger: untyped }).messages;
const transcript = new plica.Transcript<Chat>({ window: 1000, ledger: untyped }).append(messages);
const prepared: plica.Preparation = plica.prepare(transcript, { summarize: ({ prompt, tokens }) => ({ text: prompt + tokens, model: "m" }) });
const folds = [
  plica.compact(transcript, { prepared, summarize: (request, { signal, attempt, failed }) => \`\${request.system}\${signal.aborted}\${attempt}\${failed?.reason}\`, onEvent: (event) => event.type === "failed" && console.log(event.failed.message) }),
  plica.compact(messages, { tailBudget: 5, ledger: untyped, pinned: (message) => message.mine === 1, accept: (summary) => summary.length > 5 || "too short" }),
];
const windows: Promise<Chat[]>[] = folds.map((done) => done.then(({ messages, ledger }) => ledger.unfold(messages)));
console.log(less, windows);
const facts = [{ key: "k", importance: 5, extra: new Date() }];
const dates: Date[] = plica.partitionPinned(facts).rest.map((fact) => fact.extra);
declare const console: { log(...values: unknown[]): void };
export { code, ready, dates };
`;
export const TYPES_SLIM = `
const ready: Promise<void> = plica.init(new Uint8Array(8));
const text: string = plica.summaryFingerprint("a");
export { ready, text };
`;
