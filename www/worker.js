// The package at work, off the page's own thread. One request at a time; the session stays here.

import {
  PlicaError, deterministicDigest, digestMessage, estimate, explain, foldSession, init, inspectSession, measure, plan, readSession, unfoldSession,
} from "./plica/index.js";
import { bodyOf, lineOf, moreOf } from "./view.js";

/**
 * @typedef {{ tailBudget: number, keepTurns: number, anchorTask: boolean, anchorRequest: boolean }} Settings
 * @typedef {{ bytes: Uint8Array, session: import("../pkg/src/session.js").Session }} Opened
 */

/** @type {Opened | undefined} */
let opened;
/** The last plan and the last fold, by their settings. @type {Map<string, { key: string, value: any }>} */
const last = new Map();

/** Computes, or hands back what the same settings gave before. @param {string} name @param {Settings} settings @param {() => any} fn */
function remembered(name, settings, fn) {
  const key = JSON.stringify(settings);
  const known = last.get(name);
  if (known?.key === key) return known.value;
  const value = fn();
  last.set(name, { key, value });
  return value;
}

function current() {
  if (opened === undefined) throw new Error("no file is open");
  return opened;
}

/** How the messages of the session are read. @param {Opened["session"]} session */
const reading = (session) => ({ format: session.messageFormat, provenance: (/** @type {unknown} */ _, /** @type {number} */ i) => session.provenance[i] });

/** @param {Settings} settings */
const planned = (settings) => remembered("plan", settings, () => {
  const { session } = current();
  return plan(session.messages, { ...reading(session), ...settings });
});

/** @param {Settings} settings */
const folded = (settings) => remembered("fold", settings, () => foldSession(current().bytes, settings));

/** Records and Maps alike. @param {any} counts @returns {[string, number][]} */
const pairs = (counts) => (counts instanceof Map ? [...counts] : Object.entries(counts));

/** What the functions of this worker answer, by name. @type {Record<string, (...args: any[]) => any>} */
const OPERATIONS = {
  /** @param {Blob} file */
  async open(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    await init();
    const inspection = inspectSession(bytes);
    const session = readSession(bytes);
    const { perMessage } = estimate(session.messages, reading(session));
    opened = { bytes, session };
    last.clear();
    return {
      inspection: { ...inspection, roles: pairs(inspection.roles), skipped: pairs(inspection.skipped) },
      size: bytes.byteLength,
      lines: session.messages.map(lineOf),
      tokens: perMessage,
    };
  },

  /** @param {Settings} settings */
  plan(settings) {
    const { session } = current();
    const made = planned(settings);
    if (made.kind === "none") return { kind: "none", reason: made.reason, total: made.total };
    const rows = explain(session.messages, made, reading(session));
    const reasons = [...new Set(rows.map(({ reason }) => reason))];
    const places = new Map(reasons.map((reason, i) => [reason, i]));
    return {
      kind: "fold",
      overBudget: made.overBudget,
      keptFrom: made.keptFrom,
      measure: measure(session.messages, made, reading(session)),
      fates: rows.map(({ fate }) => fate),
      reasons,
      reasonOf: Uint32Array.from(rows, ({ reason }) => places.get(reason) ?? 0),
    };
  },

  /** @param {Settings} settings */
  digest(settings) {
    const { session } = current();
    const made = planned(settings);
    if (made.kind === "none") return null;
    const text = deterministicDigest(session.messages, made, reading(session));
    const message = digestMessage(text, { format: session.messageFormat });
    return { text, tokens: estimate([message], { format: session.messageFormat }).total };
  },

  /** @param {Settings} settings */
  fold: (settings) => folded(settings),

  /** @param {Settings} settings */
  check(settings) {
    const { conversation, ledger, report } = folded(settings);
    if (conversation === null || ledger === null) return { folded: false, reason: report.reason };
    const { bytes, messages } = unfoldSession(conversation, ledger);
    return { folded: true, same: equal(bytes, current().bytes), size: bytes.byteLength, messages };
  },

  /** @param {number} index @param {number} from */
  body: (index, from) => bodyOf(current().session.messages[index] ?? {}, from),

  /** @param {number} index @param {number} part @param {number} from */
  more: (index, part, from) => moreOf(current().session.messages[index] ?? {}, part, from),
};

/** @param {Uint8Array} a @param {Uint8Array} b */
function equal(a, b) {
  return a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i]);
}

/** An error in a form that can be sent. @param {unknown} error */
function failure(error) {
  if (error instanceof PlicaError) return { code: error.code, message: error.message };
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
}

let turn = Promise.resolve();
addEventListener("message", ({ data: { id, name, args } }) => {
  turn = turn.then(async () => {
    try {
      postMessage({ id, value: await OPERATIONS[name]?.(...args) });
    } catch (error) {
      postMessage({ id, error: failure(error) });
    }
  });
});
