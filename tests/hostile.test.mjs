// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Whatever comes in: a result, or a PlicaError with a known code and a sentence. Nothing else is thrown, nothing that was
// given is changed, nothing hangs, and the next call works.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { HEAVY, HOSTILE } from './support/hostile.mjs';
import { forEachEntry } from './support/package.mjs';
import { FORMATS } from './support/random.mjs';
import { MAKE } from './support/samples.mjs';
import { count } from './support/shared.mjs';
import { watchdog } from './support/watchdog.mjs';

const LIMIT_MS = 20_000;
const CODES = new Set(['bad-argument', 'bad-budget', 'bad-message', 'too-deep', 'too-large', 'format-undetected', 'format-ambiguous', 'unknown-format', 'bad-estimator', 'bad-plan', 'plan-mismatch', 'illegal-cut',
  'nothing-to-fold', 'empty-summary', 'bad-json', 'bad-session', 'bad-ledger', 'ledger-altered', 'ledger-key', 'message-changed', 'digest-missing', 'originals-missing', 'stale-plan', 'pins-missing', 'freed', 'not-ready', 'wasm-unavailable']);
const watch = watchdog(LIMIT_MS);

/** The good calls follow one of so many, and the last of each test: they take longer than all else. What a call breaks stays broken. */
const EVERY = 5;

/** Calls that are known to hang would end the run: they are noted as failures without being made. `label: value`. */
const KNOWN_HANGS = new Set([]);

const frozen = (value) => {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

/** The ways to all that is inside a value. */
function ways(value) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => [[key], ...ways(value[key]).map((rest) => [key, ...rest])]);
}

/** A copy with another value at the end of a way. */
function replaced(value, [key, ...rest], by) {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = rest.length ? replaced(value[key], rest, by) : by;
  return copy;
}

/** Classes, what takes no arguments of this kind, and what is awaited (compact.test.mjs). */
const ELSEWHERE = ['Ledger', 'PlicaError', 'Transcript', 'init', 'compact'];

forEachEntry((entry, plica) => {
  const { Ledger, PlicaError, Transcript } = plica;
  const all = entry === 'esm'; // the heavy ones once: both run the same code

  // ------------------------------------------------------------------------------------------------ what is good
  const messages = frozen([
    { role: 'system', content: 'S' }, { role: 'user', content: 'one' }, { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: { a: 1 } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] }, { role: 'assistant', content: 'two' }, { role: 'user', content: 'three' }, { role: 'assistant', content: 'four' },
  ]);
  const format = 'anthropic';
  const plan = frozen(plica.plan(messages, { tailBudget: 40 }));
  const digest = frozen(plica.digestMessage('GOAL: x', { format }));
  const ledger = new Ledger();
  ledger.record({ messages, plan, digest });
  const window = frozen(plica.fold(messages, plan, digest));
  const ledgerJson = frozen(JSON.parse(JSON.stringify(ledger)));
  const file = JSON.stringify(messages);
  const folded = plica.foldSession(file, { tailBudget: 40 });
  const torn = frozen([messages[1], messages[2], messages[5], messages[3], messages[6]]);
  const repaired = frozen(plica.repair(torn, { format }));
  const edited = new Ledger();
  edited.recordEdit({ kind: 'repair', messages: torn, edits: repaired.edits, format });
  const editJson = frozen(JSON.parse(JSON.stringify(edited)));
  const flood = frozen([messages[1], messages[2], { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'line\n'.repeat(1000) }] }]);
  const { clips } = frozen(plica.plan(flood, { tailBudget: 100, format }));
  const facts = frozen([{ key: 'a_1', importance: 5, kind: 'constraint', value: 'v', created_at: '2026-01-01T00:00:00Z' }, { key: 'b', importance: 1, value: 'w', agent_id: 'x' }]);
  const span = frozen({ summaryFingerprint: 'e40c292c', messages: [{ role: 'user', content: 'm' }] });

  const old = frozen([{ role: 'user', content: 'a' }, { role: 'assistant', content: 'n' }]);
  const stored = Ledger.fromFolded({ folded: [span] }, old);

  const planOptions = { tailBudget: 40, format, estimator: 'conservative', keepTurns: 0, prefix: 0, pinned: [], provenance: () => undefined, keepSystem: false, anchorTask: false, anchorRequest: false, margin: 0, ledger };
  const reading = { format, estimator: 'conservative', provenance: () => undefined, ledger };
  const reduceOptions = { ...reading, target: 1, duplicates: true, superseded: true, clear: { keep: 0, protect: 0, minGain: 0, exclude: ['ls'] }, clip: { bytes: 300 }, reasoning: true, images: { keep: 0 }, tools: { read: { kind: 'read', path: 'a' } }, keepTurns: 0, tailBudget: 0, prefix: 0, pinned: [], cache: { until: 0, readPrice: 0.1, writePrice: 1.25, turns: 10 }, ledger: undefined, retention: 'full' };
  const memory = { pinConstraints: true, pinnedMaxFacts: 12, imp5SoftCap: 25 };
  const fileOptions = { tailBudget: 40, summary: 'GOAL: x', keepTurns: 0, anchorTask: false, anchorRequest: false };
  const at = '2026-02-01T00:00:00Z';

  /** Every exported function with good arguments. */
  const calls = {
    summaryFingerprint: [plica.summaryFingerprint, ['a']],
    spanFingerprint: [plica.spanFingerprint, [messages]],
    isCompactedSummary: [plica.isCompactedSummary, [{ role: 'user', content: '[compacted history' }]],
    foldedSpanFor: [plica.foldedSpanFor, [{ folded: [span] }, { content: 'a' }]],
    foldedSpansFor: [plica.foldedSpansFor, [{ folded: [span] }, { content: 'a' }]],
    foldedMessages: [plica.foldedMessages, [{ folded: [span] }]],
    isPinnedKind: [plica.isPinnedKind, [facts[0], memory]],
    partitionPinned: [plica.partitionPinned, [facts, memory]],
    computeMemoryHealth: [plica.computeMemoryHealth, [facts, memory]],
    budgetFacts: [plica.budgetFacts, [facts, { ...memory, maxChars: 50, minFacts: 0, pinnedMaxChars: 30, window: { from: at, to: at } }]],
    admitPins: [plica.admitPins, [[...facts, messages[1]], { maxPins: 3, maxTokens: 100, issuers: { x: 0 }, issuer: () => 'x' }]],
    pinnedMessage: [plica.pinnedMessage, [facts, { format: 'hotl', like: messages, issuers: { x: 0 }, issuer: () => 'x' }]],
    placePins: [plica.placePins, [messages, facts, { ...reading, issuers: { x: 0 }, issuer: () => 'x' }]],
    verifyPins: [plica.verifyPins, [messages, [...facts, messages[1]], { ...reading, issuers: { x: 0 }, issuer: () => 'x' }]],
    proposePins: [plica.proposePins, [messages, { ...reading, from: ['user', 'system', 'assistant', 'injected'] }]],
    surveyMemory: [plica.surveyMemory, [facts, { ...memory, ...reading, roster: ['x', 'y'], namespaceSoftCap: 1, window, ledger, pins: facts }]],
    keyPrefix: [plica.keyPrefix, ['abc_d']],
    effectiveImportance: [plica.effectiveImportance, [facts[0], at]],
    salience: [plica.salience, [3, at, at]],
    stringifyMessage: [plica.stringifyMessage, [messages[1]]],
    parseMessage: [plica.parseMessage, ['{"role":"user","content":"a"}']],
    fingerprint: [plica.fingerprint, [messages[1], { format }]],
    fingerprints: [plica.fingerprints, [messages, { format }]],
    detectFormat: [plica.detectFormat, [messages]],
    digestFormat: [plica.digestFormat, [messages]],
    estimate: [plica.estimate, [messages, reading]],
    plan: [plica.plan, [messages, planOptions]],
    measure: [plica.measure, [messages, plan, reading]],
    explain: [plica.explain, [messages, plan, reading]],
    fold: [plica.fold, [messages, plan, digest, reading]],
    summarizeRequest: [plica.summarizeRequest, [messages, plan, { ...reading, resultBytes: 600, argumentBytes: 2000 }]],
    summarizeRequests: [plica.summarizeRequests, [messages, plan, { ...reading, window: 5000, instructions: 'x' }]],
    mergeRequests: [plica.mergeRequests, [['GOAL: a', 'GOAL: b'], { window: 5000, instructions: 'x' }]],
    activity: [plica.activity, [messages, plan, { ...reading, tools: { dig: { kind: 'write', path: 'where' } }, ledger }]],
    withActivity: [plica.withActivity, ['GOAL: x', { files: [{ path: 'a', changed: true }], commands: [{ command: 'b', runs: 1, failed: false }] }, { maxBytes: 500 }]],
    deterministicDigest: [plica.deterministicDigest, [messages, plan, { ...reading, maxBytes: 6000, tools: { dig: { kind: 'write' } }, ledger }]],
    floorDigest: [plica.floorDigest, [messages, plan, reading]],
    digestMessage: [plica.digestMessage, ['GOAL: x', { format }]],
    judgeSummary: [plica.judgeSummary, [{ text: 'GOAL: x\nNEXT: y', finishReason: 'stop', prompt: 'Summarize.', earlier: 'GOAL: w', spanTokens: 1000 }]],
    isTooLong: [plica.isTooLong, [{ message: 'prompt is too long', status: 400, cause: { error: 'x' } }]],
    check: [plica.check, [torn, { format }]],
    repair: [plica.repair, [torn, { format }]],
    undoRepair: [plica.undoRepair, [repaired.messages, repaired.edits]],
    reduce: [plica.reduce, [flood, reduceOptions]],
    clipResults: [plica.clipResults, [flood, clips, { format }]],
    convert: [plica.convert, [messages, { to: 'gemini', format, provenance: () => undefined, ledger }]],
    convertSession: [plica.convertSession, [file, { to: 'pi' }]],
    readSession: [plica.readSession, [file]],
    inspectSession: [plica.inspectSession, [file]],
    foldSession: [plica.foldSession, [file, fileOptions]],
    'foldSession with a ledger': [(data, book) => plica.foldSession(data, { tailBudget: 40, ledger: book }), [folded.conversation, folded.ledger]],
    summarizeSession: [plica.summarizeSession, [file, fileOptions]],
    unfoldSession: [plica.unfoldSession, [folded.conversation, folded.ledger]],
    'new Ledger': [(options) => new Ledger(options), [{ key: 'k' }]],
    'Ledger.from': [Ledger.from, [ledgerJson, {}]],
    'Ledger.record': [(what) => new Ledger().record(what), [{ messages, plan, digest, retention: 'full', outcome: 'summarized', tokens: { before: 1, after: 1 }, reason: 'x', model: 'm', activity: { files: [], commands: [] }, format }]],
    'Ledger.recordEdit': [(what) => new Ledger().recordEdit(what), [{ kind: 'repair', messages: torn, edits: repaired.edits, retention: 'full', format }]],
    'Ledger.recordPins': [(what) => new Ledger().recordPins(what).length, [{ refused: [{ pin: facts[0], reason: 'superseded', by: facts[1] }] }]],
    'Ledger.lookup': [(message) => ledger.lookup(message), [digest]],
    'Ledger.lookupAll': [(message) => ledger.lookupAll(message), [digest]],
    'Ledger.lookupMany': [(list) => ledger.lookupMany(list), [messages]],
    'Ledger.fromFolded': [(...args) => Ledger.fromFolded(...args).unplaced.length, [{ folded: [span] }, old, { key: 'k', format: 'agentfootprint' }]],
    'Ledger.toFolded': [(list, options) => stored.toFolded(list, options), [old, { runId: 'r', iteration: 1, now: 5, model: 'm' }]],
    'Ledger.unfold': [(list, options) => ledger.unfold(list, options), [window, { originals: messages }]],
    'Ledger.replay': [(list) => ledger.replay(list), [window]],
    'Ledger.missing': [(list) => ledger.missing(list), [window]],
  };

  // One that lives through all of it: what it is asked to do to itself, it does to a fork.
  const transcript = new Transcript({ format, window: 1000 }).append(messages);
  const forked = (act) => (...args) => {
    const fork = transcript.fork();
    try {
      act(fork, ...args);
      return [fork.messages(), fork.tokens, fork.ledger.folds.length, fork.plan({ tailBudget: 0 })];
    } finally {
      fork.free();
    }
  };
  const lengthAndTokens = (t) => {
    const { length, tokens } = t;
    t.free();
    return [length, tokens];
  };
  const tokens = { size: 1000, overhead: 5, output: 10 };
  Object.assign(calls, {
    'new Transcript': [(options) => lengthAndTokens(new Transcript(options).append(messages)), [{ format, estimator: 'conservative', provenance: () => undefined, window: tokens, ledger: new Ledger() }]],
    'Transcript.restore': [(list, options) => lengthAndTokens(Transcript.restore(list, ledger, options)), [window, { format, estimator: 'conservative', provenance: () => undefined, window: tokens }]],
    'Transcript.append': [forked((t, list) => t.append(list)), [[messages[1]]]],
    'Transcript.append, a message': [forked((t, message) => t.append([message])), [messages[1]]],
    'Transcript.truncate': [forked((t, length) => t.truncate(length)), [3]],
    'Transcript.replaceLast': [forked((t, message) => t.replaceLast(message)), [messages[4]]],
    'Transcript.placePins': [forked((t, ...args) => t.placePins(...args)), [facts, { issuers: { x: 0 }, issuer: () => 'x' }]],
    'Transcript.usage': [forked((t, figures) => t.usage(figures)), [{ inputTokens: 100, outputTokens: 5, at: 3 }]],
    'Transcript.due': [(options) => transcript.due(options), [{ at: 0.5, window: tokens }]],
    'Transcript.due, window': [(of) => transcript.due({ window: of }), [tokens]],
    'Transcript.plan': [(options) => transcript.plan(options), [{ tailBudget: 40, format, keepTurns: 0, prefix: 0, pinned: [], keepSystem: false, anchorTask: false, anchorRequest: false, margin: 0 }]],
    'Transcript.explain': [(made) => transcript.explain(made), [plan]],
    'Transcript.measure': [(made) => transcript.measure(made), [plan]],
    'Transcript.commit': [forked((t, ...args) => t.commit(...args)), [plan, digest, { retention: 'full', outcome: 'summarized', reason: 'x', model: 'm', activity: { files: [], commands: [] } }]],
    prepare: [(list, options) => { const { plan: made, cancel } = plica.prepare(list, options); return [made.kind, typeof cancel]; }, [messages, { ...planOptions, window: 1000, minGain: 1, summarize: () => 'x', attempts: 1, timeoutMs: 1, accept: () => true, onEvent: () => undefined, instructions: 'x', tools: {}, resultBytes: 1, argumentBytes: 1, listBytes: 1, summarizerWindow: 5000, pins: facts, admission: { maxPins: 3, maxTokens: 100, issuers: { x: 0 } }, signal: new AbortController().signal }]],
  });

  const known = () => [
    plica.fingerprint('abc'), plica.summaryFingerprint('日本語'), plica.plan(messages, { tailBudget: 40 }), plica.keyPrefix('ab_c'), plica.detectFormat(messages), ledger.unfold(window).length, transcript.plan({ tailBudget: 40 }), transcript.tokens,
    plica.digestMessage('GOAL: y', { format }).content,
  ];
  const good = known();

  /** The values for one place. The other form of the same code gets a quarter at each: what it is to show is that it is the same. */
  const values = (place) => Object.entries(HOSTILE).filter((_, n) => all || n % 4 === place % 4);

  // ------------------------------------------------------------------------------------------------ the judge
  const failures = new Map();
  let made = 0;
  function judge(label, what, fn) {
    made++;
    const note = (how) => {
      const list = failures.get(`${label} → ${how}`) ?? failures.set(`${label} → ${how}`, []).get(`${label} → ${how}`);
      list.push(what);
    };
    if (KNOWN_HANGS.has(`${label}: ${what}`)) return note('hangs (take it off KNOWN_HANGS when that is repaired)');
    watch.start(`${entry} ${label}: ${what}`);
    let outcome;
    let error;
    let threw = false;
    try {
      outcome = fn();
    } catch (e) {
      threw = true;
      error = e;
    }
    const ms = watch.stop();
    if (ms > LIMIT_MS) note(`took ${Math.round(ms)} ms`);
    if (threw) {
      if (!(error instanceof PlicaError)) {
        let text;
        try { text = String(error).split('\n')[0].slice(0, 120); } catch { text = 'something unprintable'; }
        note(`raw ${text}`);
      } else if (error.code === 'internal') note(`internal: ${error.message.slice(0, 120)}`);
      else if (!CODES.has(error.code)) note(`unknown code ${String(error.code)}`);
      else if (typeof error.message !== 'string' || error.message.length <= 10) note(`says too little: ${error.message}`);
    }
    if (made % EVERY === 0) look(note);
    return outcome;
  }
  function look(note) {
    try {
      if (!isDeepStrictEqual(known(), good)) note('the next good call answers differently');
    } catch (e) {
      note(`the next good call throws ${e}`);
    }
  }
  function verdict() {
    look((how) => failures.set(`at the end → ${how}`, ['all of these']));
    count('hostile calls', made);
    made = 0;
    const lines = [...failures].map(([kind, values]) => `  ${kind}\n      for ${values.length}: ${values.slice(0, 8).join('; ')}${values.length > 8 ? '; …' : ''}`);
    failures.clear();
    assert.equal(lines.length, 0, `\n${lines.join('\n')}\n`);
  }

  test(`${entry}: every exported function is in this file`, () => {
    const here = new Set(Object.keys(calls));
    const functions = Object.keys(plica).filter((name) => typeof plica[name] === 'function' && !ELSEWHERE.includes(name));
    assert.deepEqual(functions.filter((name) => !here.has(name)), [], 'a function that no test knows');
    for (const [name, [fn, args]] of Object.entries(calls)) judge(name, 'good arguments', () => fn(...args));
    verdict();
  });

  for (const [name, [fn, args]] of Object.entries(calls)) {
    test(`${entry} ${name}: hostile arguments`, () => {
      for (let position = 0; position < args.length; position++) {
        for (const [what, make] of values(position)) {
          judge(`${name}, argument ${position}`, what, () => fn(...args.slice(0, position), make(), ...args.slice(position + 1)));
        }
        judge(`${name}, argument ${position}`, 'left out', () => fn(...args.slice(0, position)));
        // Each field of an object argument on its own.
        const given = args[position];
        if (typeof given !== 'object' || given === null || Array.isArray(given)) continue;
        for (const [place, field] of Object.keys(given).entries()) {
          for (const [what, make] of values(place)) {
            judge(`${name}, ${field} of argument ${position}`, what, () => fn(...args.slice(0, position), { ...given, [field]: make() }, ...args.slice(position + 1)));
          }
          const thrower = Object.defineProperty({ ...given }, field, { enumerable: true, get() { throw new Error('from a getter'); } });
          judge(`${name}, ${field} of argument ${position}`, 'a getter that throws', () => fn(...args.slice(0, position), thrower, ...args.slice(position + 1)));
        }
      }
      for (const [what, make] of values(args.length)) judge(`${name}, every argument`, what, () => fn(...args.map(() => make())));
      judge(name, 'no arguments', () => fn());
      judge(name, 'too many arguments', () => fn(...args, 1, 2, 3));
      verdict();
    });
  }

  test(`${entry}: elements of arrays, fields of facts, spans and ledgers`, () => {
    for (const [what, make] of values(0)) {
      for (const name of ['partitionPinned', 'computeMemoryHealth', 'budgetFacts']) {
        judge(`${name}, a fact`, what, () => calls[name][0]([facts[0], make()]));
        for (const field of ['key', 'importance', 'value', 'agent_id', 'kind', 'created_at', 'last_retrieved_at']) judge(`${name}, ${field} of a fact`, what, () => calls[name][0]([{ ...facts[0], [field]: make() }]));
      }
      for (const field of ['importance', 'created_at', 'last_retrieved_at']) judge(`effectiveImportance, ${field}`, what, () => plica.effectiveImportance({ [field]: make() }, at));
      for (const field of ['summaryFingerprint', 'messages']) {
        judge(`foldedSpanFor, ${field} of a span`, what, () => plica.foldedSpanFor({ folded: [{ ...span, [field]: make() }] }, { content: 'a' }));
        judge(`foldedMessages, ${field} of a span`, what, () => plica.foldedMessages({ folded: [{ ...span, [field]: make() }] }));
      }
      judge('foldedMessages, a span', what, () => plica.foldedMessages({ folded: [make(), span] }));
      for (const field of ['summaryFingerprint', 'messages', 'messageCount']) {
        judge(`Ledger.fromFolded, ${field} of a span`, what, () => {
          const book = Ledger.fromFolded({ folded: [{ ...span, [field]: make() }] }, old);
          if (book.folds.length + book.unplaced.length !== 1) throw new Error('a span is lost');
        });
      }
      judge('Ledger.fromFolded, a span', what, () => { if (Ledger.fromFolded({ folded: [span, make()] }, old).folds.length !== 1) throw new Error('a fold is lost'); });
      judge('Ledger.fromFolded, a message of a span', what, () => Ledger.fromFolded({ folded: [{ ...span, messages: [make()] }] }, old));
      judge('Ledger.fromFolded, a message', what, () => Ledger.fromFolded({ folded: [span] }, [make()]));
      judge('Ledger.toFolded, a message', what, () => stored.toFolded([old[0], make()]));
      judge('Ledger.lookupMany, a message', what, () => ledger.lookupMany([make(), digest]));
      for (const field of ['from', 'to']) judge(`budgetFacts, window.${field}`, what, () => plica.budgetFacts(facts, { window: { from: at, to: at, [field]: make() } }));
      judge('plan.kept, an index', what, () => plica.fold(messages, { ...plan, kept: [make()] }, digest));
      judge('plan.keptReasons, a reason', what, () => plica.explain(messages, { ...plan, keptReasons: [make()] }));
      judge('pinned, an index', what, () => plica.plan(messages, { tailBudget: 40, pinned: [make()] }));
      judge('digest, a message', what, () => plica.fold(messages, plan, [make()]));
      judge('record, a digest message', what, () => new Ledger().record({ messages, plan, digest: [digest, make()] }));
      for (const field of ['before', 'after']) judge(`record, tokens.${field}`, what, () => new Ledger().record({ messages, plan, digest, tokens: { before: 1, after: 1, [field]: make() } }));
      for (const field of Object.keys(ledgerJson.folds[0])) judge(`Ledger.from, ${field} of a fold`, what, () => Ledger.from({ ...ledgerJson, folds: [{ ...ledgerJson.folds[0], [field]: make() }] }));
      for (const field of Object.keys(ledgerJson.folds[0].record)) {
        judge(`Ledger.from, ${field} of a record`, what, () => Ledger.from({ ...ledgerJson, folds: [{ ...ledgerJson.folds[0], record: { ...ledgerJson.folds[0].record, [field]: make() } }] }));
      }
      for (const field of Object.keys(repaired.edits[0])) judge(`undoRepair, ${field} of an edit`, what, () => plica.undoRepair(repaired.messages, [{ ...repaired.edits[0], [field]: make() }]));
      for (const field of ['removed', 'inserted']) judge(`undoRepair, a message of ${field}`, what, () => plica.undoRepair(repaired.messages, [{ ...repaired.edits[0], [field]: [make()] }]));
      for (const [option, field] of [['clear', 'keep'], ['clear', 'protect'], ['clear', 'minGain'], ['clear', 'exclude'], ['clip', 'bytes'], ['images', 'keep'], ['cache', 'until'], ['cache', 'turns'], ['tools', 'read'], ['tools', '__proto__']]) {
        judge(`reduce, ${option}.${field}`, what, () => plica.reduce(flood, { ...reduceOptions, [option]: { ...reduceOptions[option], [field]: make() } }));
      }
      for (const field of Object.keys(editJson.edits[0])) judge(`Ledger.from, ${field} of an edit`, what, () => Ledger.from({ ...editJson, edits: [{ ...editJson.edits[0], [field]: make() }] }));
      for (const field of Object.keys(editJson.edits[0].record)) {
        judge(`Ledger.from, ${field} of an edit's record`, what, () => Ledger.from({ ...editJson, edits: [{ ...editJson.edits[0], record: { ...editJson.edits[0].record, [field]: make() } }] }));
      }
      judge('recordEdit, an edit', what, () => new Ledger().recordEdit({ kind: 'repair', messages: torn, edits: [make()] }));
      judge('undoRepair, an edit', what, () => plica.undoRepair(repaired.messages, [make()]));
      for (const field of Object.keys(clips[0])) judge(`clipResults, ${field} of a clip`, what, () => plica.clipResults(flood, [{ ...clips[0], [field]: make() }], { format }));
      judge('clipResults, a clip', what, () => plica.clipResults(flood, [make()], { format }));
      judge('Transcript.restore, a ledger', what, () => lengthAndTokens(Transcript.restore(window, make())));
      judge('unfold, an original', what, () => ledger.unfold(window, { originals: [make()] }));
    }
    verdict();
  });

  // ------------------------------------------------------------------------------------------------ inside messages
  const places = {
    anthropic: {
      'message': (v) => v,
      'role': (v) => ({ role: v, content: 'x' }),
      'content': (v) => ({ role: 'user', content: v }),
      'assistant content': (v) => ({ role: 'assistant', content: v }),
      'a block': (v) => ({ role: 'assistant', content: [v] }),
      'block type': (v) => ({ role: 'assistant', content: [{ type: v, text: 'x' }] }),
      'block text': (v) => ({ role: 'user', content: [{ type: 'text', text: v }] }),
      'call id': (v) => ({ role: 'assistant', content: [{ type: 'tool_use', id: v, name: 'n', input: {} }] }),
      'call name': (v) => ({ role: 'assistant', content: [{ type: 'tool_use', id: 'i', name: v, input: {} }] }),
      'call input': (v) => ({ role: 'assistant', content: [{ type: 'tool_use', id: 'i', name: 'n', input: v }] }),
      'result id': (v) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: v, content: 'x' }] }),
      'result content': (v) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: v }] }),
      'block in a result': (v) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [v] }] }),
      'image source': (v) => ({ role: 'user', content: [{ type: 'image', source: v }] }),
      'image data': (v) => ({ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: v } }] }),
      'signature': (v) => ({ role: 'assistant', content: [{ type: 'thinking', thinking: v, signature: v }] }),
      'another field': (v) => ({ role: 'user', content: 'x', extra: v }),
    },
    'openai-chat': {
      'message': (v) => v,
      'content': (v) => ({ role: 'user', content: v }),
      'a part': (v) => ({ role: 'user', content: [v] }),
      'tool_calls': (v) => ({ role: 'assistant', content: null, tool_calls: v }),
      'a call': (v) => ({ role: 'assistant', content: null, tool_calls: [v] }),
      'arguments': (v) => ({ role: 'assistant', content: null, tool_calls: [{ id: 'i', type: 'function', function: { name: 'n', arguments: v } }] }),
      'function': (v) => ({ role: 'assistant', content: null, tool_calls: [{ id: 'i', type: 'function', function: v }] }),
      'tool_call_id': (v) => ({ role: 'tool', tool_call_id: v, content: 'x' }),
      'result content': (v) => ({ role: 'tool', tool_call_id: 'i', content: v }),
      'image url': (v) => ({ role: 'user', content: [{ type: 'image_url', image_url: { url: v } }] }),
      'refusal': (v) => ({ role: 'assistant', content: null, refusal: v, reasoning_content: v }),
      'function_call': (v) => ({ role: 'assistant', content: null, function_call: v }),
    },
    hotl: {
      'item': (v) => v,
      'type': (v) => ({ type: v, text: 'x' }),
      'text': (v) => ({ type: 'user', text: v }),
      'synthetic': (v) => ({ type: 'user', text: 'x', synthetic: v }),
      'images': (v) => ({ type: 'user', text: 'x', images: v }),
      'an image': (v) => ({ type: 'user', text: 'x', images: [v] }),
      'blocks': (v) => ({ type: 'assistant', blocks: v }),
      'a block': (v) => ({ type: 'assistant', blocks: [v] }),
      'results': (v) => ({ type: 'tool_results', results: v }),
      'a result': (v) => ({ type: 'tool_results', results: [v] }),
      'result content': (v) => ({ type: 'tool_results', results: [{ tool_use_id: 't', content: v }] }),
      'unknown item': (v) => ({ type: 'new', body: v }),
    },
  };
  const around = {
    anthropic: [messages[1], messages[4], messages[5], messages[6]],
    'openai-chat': [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }, { role: 'user', content: 'c' }, { role: 'assistant', content: 'd' }],
    hotl: [{ type: 'user', text: 'a' }, { type: 'assistant', blocks: [] }, { type: 'user', text: 'c' }, { type: 'assistant', blocks: [] }],
  };

  const among = (f, value) => around[f].toSpliced(1, 0, value);
  function wholeWay(f, list) {
    const [, value] = list;
    const hand = { prefixEnd: 0, keptFrom: 3, kept: [] };
    return {
      detect: () => plica.detectFormat(list),
      fingerprint: () => plica.fingerprint(list),
      'fingerprint of one': () => plica.fingerprint(value),
      fingerprints: () => plica.fingerprints(list, { format: f }),
      estimate: () => plica.estimate(list, { format: f }),
      'plan, detected': () => plica.plan(list, { tailBudget: 0 }),
      plan: () => {
        const p = plica.plan(list, { format: f, tailBudget: 0, anchorTask: true, keepTurns: 1 });
        if (p.kind === 'none') return;
        plica.measure(list, p);
        plica.explain(list, p);
        plica.floorDigest(list, p);
        const d2 = plica.digestMessage('GOAL: x', { format: f });
        const w = plica.fold(list, p, d2);
        const book = new Ledger();
        book.record({ messages: list, plan: p, digest: d2 });
        const back = book.unfold(w);
        if (back.length !== list.length || !back.every((m, i) => m === list[i])) throw new Error('unfold gives other messages');
        JSON.stringify(book);
      },
      'check and repair': () => {
        plica.check(list, { format: f });
        const { messages: sound, edits } = plica.repair(list, { format: f });
        // Of a value that is another one at each look nothing can be promised.
        const steady = JSON.stringify(plica.fingerprints(list, { format: f })) === JSON.stringify(plica.fingerprints(list, { format: f }));
        const left = steady ? plica.check(sound, { format: f }) : [];
        if (left.length) throw new Error(`a repair leaves ${left[0].code}`);
        const back = plica.undoRepair(sound, edits);
        if (back.length !== list.length || !back.every((m, i) => m === list[i])) throw new Error('undoRepair gives other messages');
      },
      clipResults: () => plica.clipResults(list, plica.plan(list, { format: f, tailBudget: 0 }).clips, { format: f }),
      fold: () => plica.fold(list, hand, plica.digestMessage('GOAL: x', { format: f }), { format: f }),
      summarizeRequest: () => { const r = plica.summarizeRequest(list, hand, { format: f }); if (!r.prompt.includes('\n=== end of transcript ===\n\nWrite the summary now')) throw new Error('prompt'); },
      deterministicDigest: () => plica.deterministicDigest(list, hand, { format: f }),
    };
  }

  for (const f of Object.keys(places)) {
    test(`${entry} ${f}: hostile values inside messages`, () => {
      for (const [place, put] of Object.entries(places[f])) {
        for (const [what, make] of values(0)) {
          for (const [name, fn] of Object.entries(wholeWay(f, among(f, put(make()))))) if (all || name === 'plan' || name === 'check and repair') judge(`${f}, ${place}: ${name}`, what, fn);
        }
      }
      verdict();
    });
  }

  for (const f of FORMATS) {
    test(`${entry} ${f}: hostile values for every member of every message`, { skip: !all && 'made with esm' }, () => {
      const { user, model, called } = MAKE[f];
      const list = [user('one'), ...called('c'), model('two'), user('three'), model('four')];
      const samples = list.flatMap((message, index) => ways(message).map((path) => ({ index, path })));
      for (const [number, { index, path }] of samples.entries()) {
        // A quarter of the values at each place, all of them at any four: all at each would take minutes.
        for (const [what, make] of Object.entries(HOSTILE).filter((_, n) => n % 4 === number % 4)) {
          const changed = list.with(index, replaced(list[index], path, make()));
          const way = wholeWay(f, changed);
          for (const name of ['plan', 'check and repair']) judge(`${f}, ${path.join('.')}: ${name}`, what, way[name]);
        }
      }
      verdict();
    });
  }

  test(`${entry}: heavy values as arguments`, { skip: !all && 'made with esm' }, () => {
    for (const [what, make] of Object.entries(HEAVY)) {
      for (const name of ['summaryFingerprint', 'spanFingerprint', 'foldedSpanFor', 'foldedMessages', 'partitionPinned', 'keyPrefix', 'fingerprint', 'estimate', 'plan', 'digestMessage', 'readSession', 'foldSession', 'Ledger.from', 'Ledger.lookup', 'Ledger.lookupMany', 'Ledger.fromFolded', 'Ledger.unfold', 'Ledger.record']) {
        const [fn, args] = calls[name];
        judge(`${name}, argument 0`, what, () => fn(make(), ...args.slice(1)));
      }
      judge('fold, plan', what, () => plica.fold(messages, make(), digest));
      judge('fold, digest', what, () => plica.fold(messages, plan, make()));
      judge('fold, kept', what, () => plica.fold(messages, { ...plan, kept: make() }, digest));
      judge('plan, pinned', what, () => plica.plan(messages, { tailBudget: 40, pinned: make() }));
      judge('plan, format', what, () => plica.plan(messages, { tailBudget: 40, format: make() }));
      judge('foldSession, summary', what, () => plica.foldSession(file, { tailBudget: 40, summary: make() }));
      judge('unfoldSession, ledger', what, () => plica.unfoldSession(folded.conversation, make()));
      judge('fact value', what, () => plica.budgetFacts([{ key: 'k', value: make(), importance: 1 }]));
      judge('fact kind', what, () => plica.partitionPinned([{ kind: make() }]));
      judge('Ledger.from, a message', what, () => Ledger.from({ ...ledgerJson, folds: [{ ...ledgerJson.folds[0], messages: [make()] }] }));
      judge('Ledger.from, outcome', what, () => Ledger.from({ ...ledgerJson, folds: [{ ...ledgerJson.folds[0], outcome: make() }] }));
    }
    judge('fold, digest', '200 000 digest messages', () => plica.fold(messages, plan, Array.from({ length: 200_000 }, () => digest)));
    judge('foldedMessages', '200 000 spans', () => plica.foldedMessages({ folded: Array.from({ length: 200_000 }, () => span) }));
    verdict();
  });

  test(`${entry}: heavy values inside messages`, { skip: !all && 'made with esm' }, () => {
    const some = { anthropic: ['content', 'call input', 'another field'], 'openai-chat': ['arguments'], hotl: ['result content'] };
    for (const [f, list] of Object.entries(some)) {
      for (const place of list) {
        for (const [what, make] of Object.entries(HEAVY)) {
          const value = places[f][place](make());
          const way = wholeWay(f, among(f, value));
          for (const name of f === 'anthropic' && place === 'content' ? Object.keys(way) : ['plan']) judge(`${f}, ${place}: ${name}`, what, way[name]);
        }
      }
    }
    verdict();
  });

  // ------------------------------------------------------------------------------------------------ calling back
  test(`${entry}: calls of plica from inside its own calls change nothing`, () => {
    const inner = () => { plica.fingerprint('x'.repeat(100_000)); plica.plan(messages, { tailBudget: 1 }); plica.fingerprints(messages); };
    const list = [...messages.slice(0, 6), { role: 'assistant', content: 'four', toJSON() { inner(); return { role: 'assistant', content: 'four' }; } }];
    const same = (label, fn, want) => {
      const got = judge(label, 'calls plica inside', fn);
      if (!isDeepStrictEqual(got, want)) failures.set(`${label} → another answer than without the inner call`, [JSON.stringify(got)?.slice(0, 200)]);
    };
    same('toJSON: plan', () => plica.plan(list, { tailBudget: 40 }), plica.plan(messages, { tailBudget: 40 }));
    same('toJSON: fingerprints', () => plica.fingerprints(list), plica.fingerprints(messages));
    same('toJSON: detectFormat', () => plica.detectFormat(list), 'anthropic');
    same('toJSON: summarizeRequest', () => plica.summarizeRequest(list, { prefixEnd: 0, keptFrom: 7 }), plica.summarizeRequest(messages, { prefixEnd: 0, keptFrom: 7 }));
    const getter = (given, field) => Object.defineProperty({ ...given }, field, { enumerable: true, get() { inner(); return given[field]; } });
    for (const [name, [fn, args]] of Object.entries(calls)) {
      args.forEach((given, position) => {
        if (typeof given !== 'object' || given === null || Array.isArray(given)) return;
        for (const field of Object.keys(given)) {
          const want = fn(...args);
          same(`${name}, getter ${field} of argument ${position}`, () => fn(...args.slice(0, position), getter(given, field), ...args.slice(position + 1)), want);
        }
      });
    }
    const reenter = (value) => () => { inner(); return value; };
    same('estimator', () => plica.estimate(messages, { estimator: reenter(5) }).total, 35);
    same('pinned', () => plica.plan(messages, { tailBudget: 40, pinned: reenter(false) }), plica.plan(messages, { tailBudget: 40 }));
    same('provenance', () => plica.plan(messages, { tailBudget: 40, provenance: reenter(undefined) }), plica.plan(messages, { tailBudget: 40 }));
    const factWithGetter = Object.defineProperty({ ...facts[0] }, 'kind', { enumerable: true, get() { inner(); return 'constraint'; } });
    same('fact', () => plica.partitionPinned([factWithGetter, facts[1]]).pinned.length, 1);
    const bytes = Object.defineProperty({ role: 'user', content: [{ type: 'text', text: 'x' }], b: new Uint8Array([1]) }, 'c', { enumerable: true, get() { inner(); return new Uint8Array([2]); } });
    same('binary beside a getter', () => plica.fingerprint(bytes), plica.fingerprint({ role: 'user', content: [{ type: 'text', text: 'x' }], b: new Uint8Array([1]), c: new Uint8Array([2]) }));
    verdict();
  });

  test(`${entry}: binary is told apart, dates and URLs say what they are`, () => {
    const print = (value) => plica.fingerprint({ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: value } }] });
    const prints = [new Uint8Array([1]), new Uint8Array([2]), new Uint8Array([1, 1]), new Uint8Array(0), 'AQ==', new Uint8Array(500_000).fill(1)].map(print);
    assert.equal(new Set(prints).size, prints.length);
    assert.equal(print(Buffer.from([1])), print(new Uint8Array([1])));
    assert.equal(print(new Uint8Array([0, 1, 0]).subarray(1, 2)), print(new Uint8Array([1])));
    assert.equal(print(new Uint8Array([1]).buffer), print(new Uint8Array([1])));
    const tokens = plica.estimate([{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: new Uint8Array(5_000_000) } }] }], { format }).total;
    assert.ok(tokens < 1200, `5 MB of bytes cost ${tokens} tokens`);
    const text = (value) => plica.fingerprint({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: value }] });
    assert.equal(text(new Date(0)), text('1970-01-01T00:00:00.000Z'));
    assert.equal(text(new URL('https://a.invalid/b')), text('https://a.invalid/b'));
    assert.equal(text(5n), text('5'));
  });
});
