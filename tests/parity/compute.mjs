// What a runtime computes from inputs.json: every answer of the package, as one canonical JSON text.
//
// The same text is written by examples/parity.rs with the core alone, so both must be changed together. Nothing here but
// plain JavaScript: no imports, no API of one platform. Names of entries are "<part> <number> <what>".

/**
 * @param {Record<string, any>} plica the package
 * @param {Record<string, any[]>} inputs the contents of inputs.json
 * @returns {string}
 */
export function compute(plica, inputs) {
  const lines = [];
  for (const [part, fill] of Object.entries(PARTS)) {
    inputs[part].forEach((input, number) => {
      fill(plica, input, (what, fn) => lines.push(`${JSON.stringify(`${part} ${number} ${what}`)}:${canonical(attempt(plica, fn))}`));
    });
  }
  return `{\n${lines.join(",\n")}\n}\n`;
}

const PARTS = { texts, messages, transcripts, facts, salience, importance, sessions };

// --- canonical JSON ---------------------------------------------------------------------------------------------------

/** Sorted keys, no white space; what JSON cannot say is a string, and what no answer should be is one that gives it away. */
function canonical(value) {
  if (value === undefined || value === null) return "null";
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : JSON.stringify(String(value));
  if (typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return `[${Array.from(value, canonical).join(",")}]`;
  const kind = Object.prototype.toString.call(value);
  if (kind !== "[object Object]") return JSON.stringify(kind);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** The sentences of these come from the TypeScript face when it refuses an argument before the core sees it. */
const CODE_ONLY = ["bad-argument", "bad-budget"];

function attempt(plica, fn) {
  try {
    return fn();
  } catch (error) {
    if (!(error instanceof plica.PlicaError)) return { thrown: String(error) };
    return CODE_ONLY.includes(error.code) ? { code: error.code } : { code: error.code, message: error.message };
  }
}

/** Options, in which JSON's missing numbers are strings. */
function decoded(options) {
  const number = (value) => (["NaN", "Infinity", "-Infinity"].includes(value) ? Number(value) : value);
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [key, number(value)]));
}

// --- parts ------------------------------------------------------------------------------------------------------------

const FORMATS = ["anthropic", "openai-chat", "openai-responses", "ai-sdk", "ai-sdk-ui", "langchain", "gemini", "hotl", "agentfootprint", "pi"];

function texts(plica, text, put) {
  put("fnv", () => plica.summaryFingerprint(text));
  put("fingerprint", () => plica.fingerprint(text));
  put("keyPrefix", () => plica.keyPrefix(text));
  put("judgeSummary", () => verdict(plica.judgeSummary({ text })));
  put("mergeRequests", () => plica.mergeRequests([text, `${text} ${text}`, "GOAL: both"], { window: 1500 }));
  put("withActivity", () => plica.withActivity(text, DONE, { maxBytes: 200 }));
  for (const format of FORMATS) put(`digestMessage ${format}`, () => plica.digestMessage(text, { format }));
  for (const format of FORMATS) put(`pinnedMessage ${format}`, () => plica.pinnedMessage([{ key: "k", value: text }], { format }));
  put("proposePins", () => plica.proposePins([{ role: "user", content: text }], { format: "openai-chat" }).map(({ message, ...proposal }) => proposal));
}

const DONE = { files: [{ path: "beds/plan.md", changed: true }, { path: "map.csv", changed: false }], commands: [{ command: "frost --station 7", runs: 2, failed: true }] };

const verdict = (said) => (said.accepted ? "accepted" : said.code);

function messages(plica, text, put) {
  const message = JSON.parse(text);
  put("fingerprint", () => plica.fingerprint(message));
  put("detectFormat", () => plica.detectFormat([message]));
  put("digestFormat", () => plica.digestFormat([message]));
  for (const format of FORMATS) {
    put(`fingerprint ${format}`, () => plica.fingerprint(message, { format }));
    put(`estimate ${format}`, () => plica.estimate([message], { format }).total);
  }
}

function transcripts(plica, input, put) {
  const all = input.messages;
  const options = readOptions(input);
  const index = new Map(all.map((message, i) => [message, i]));
  put("detectFormat", () => plica.detectFormat(all));
  put("digestFormat", () => plica.digestFormat(all));
  put("fingerprints", () => plica.fingerprints(all));
  put("fingerprint", () => plica.fingerprint(all));
  put("estimate", () => plica.estimate(all, options));
  put("check", () => plica.check(all, options));
  put("repair", () => {
    const { messages: mended, changes, edits } = plica.repair(all, options);
    return { messages: mended, changes, edits: edits.map(({ at, removed, inserted }) => [at, removed.length, inserted.length]) };
  });
  for (const to of FORMATS) put(`convert ${to}`, () => plica.convert(all, { ...options, to }));
  if (typeof options.estimator !== "function") {
    for (const cache of [false, true]) {
      put(`reduce ${cache}`, () => {
        const { messages, steps, refused, tokens, cache: effect } = plica.reduce(all, { ...options, clear: { keep: 1, protect: 0, minGain: 0 }, clip: { bytes: 300 }, images: { keep: 0 }, cache });
        return { messages, steps, refused, tokens, effect };
      });
    }
  }
  grown(plica, { all, options, input }, (what, fn) => put(`transcript ${what}`, fn));
  input.plans.forEach((planOptions, number) => {
    let plan;
    put(`plan ${number}`, () => (plan = plica.plan(all, { ...options, ...decoded(planOptions) })));
    if (plan?.kind === "fold") planned(plica, { all, index, options, input, plan }, (what, fn) => put(`plan ${number} ${what}`, fn));
  });
  input.spans.forEach((plan, number) => spanned(plica, { all, index, options, input, plan }, (what, fn) => put(`span ${number} ${what}`, fn)));
}

/** A transcript, three messages at a time, with what a provider counted. */
function grown(plica, { all, options, input }, put) {
  let transcript;
  put("tokens", () => {
    transcript = new plica.Transcript(options);
    for (let at = 0; at < all.length; at += 3) {
      transcript.append(all.slice(at, at + 3)).usage({ inputTokens: 100 + 70 * at, outputTokens: 20 });
    }
    return { format: transcript.format, tokens: transcript.tokens, calibration: transcript.calibration };
  });
  if (transcript?.length !== all.length) return;
  input.plans.forEach((planOptions, number) => {
    let plan;
    put(`plan ${number}`, () => (plan = transcript.plan(decoded(planOptions))));
    if (plan?.kind !== "fold") return;
    put(`commit ${number}`, () => {
      const fork = transcript.fork();
      const digest = plica.digestMessage("GOAL: the same everywhere", { format: plan.format, like: all });
      const { record } = fork.commit(plan, digest);
      return { record, tokens: fork.tokens };
    });
  });
}

function readOptions({ format, provenance, divisor, estimator }) {
  const marks = new Map(provenance);
  return {
    ...(format ? { format } : {}),
    ...(provenance ? { provenance: (_, i) => marks.get(i) } : {}),
    ...(estimator ? { estimator } : {}),
    ...(divisor ? { estimator: (text) => text.length / divisor } : {}),
  };
}

/** What every plan allows, one made by hand included. */
function spanned(plica, { all, index, options, input, plan }, put) {
  const digest = oneDigest(plica, all, options.format ?? plan.format);
  put("measure", () => plica.measure(all, plan, options));
  put("explain", () => plica.explain(all, plan, options));
  put("slots", () => plica.fold(all, plan, digest, options).map((message) => index.get(message) ?? -1));
  put("floorDigest", () => plica.floorDigest(all, plan, options));
  input.requests.forEach((limits, number) => put(`summarizeRequest ${number}`, () => plica.summarizeRequest(all, plan, { ...options, ...limits })));
  put("summarizeRequests", () => plica.summarizeRequests(all, plan, { ...options, window: 1500 }));
  put("activity", () => plica.activity(all, plan, options));
  input.digests.forEach((limits, number) => put(`deterministicDigest ${number}`, () => plica.deterministicDigest(all, plan, { ...options, ...limits })));
}

/** What needs a plan of the planner: a ledger. */
function planned(plica, context, put) {
  const { all, index, options, plan } = context;
  spanned(plica, context, put);
  if (plan.clips.length > 0) put("clipResults", () => plica.clipResults(all, plan.clips, options));
  const ledger = new plica.Ledger();
  const digest = plica.digestMessage("GOAL: the same everywhere", { format: plan.format, like: all });
  put("record", () => ledger.record({ ...options, messages: all, plan, digest }).record);
  put("seal", () => ledger.toJSON().seal);
  put("unfold", () => ledger.unfold(plica.fold(all, plan, digest, options)).map((message) => index.get(message) ?? -1));
}

function facts(plica, input, put) {
  const all = input.facts;
  const index = new Map(all.map((fact, i) => [fact, i]));
  const indices = (list) => list.map((fact) => index.get(fact));
  input.configs.map(decoded).forEach((config, number) => {
    put(`isPinnedKind ${number}`, () => all.map((fact) => plica.isPinnedKind(fact, config)));
    put(`partitionPinned ${number}`, () => {
      const { pinned, rest, overflow } = plica.partitionPinned(all, config);
      return { pinned: indices(pinned), rest: indices(rest), overflow: indices(overflow) };
    });
    put(`computeMemoryHealth ${number}`, () => plica.computeMemoryHealth(all, config));
  });
  input.budgets.map(decoded).forEach((options, number) => put(`budgetFacts ${number}`, () => {
    const answer = plica.budgetFacts(all, options);
    return { ...answer, rendered: indices(answer.rendered), collapsed: indices(answer.collapsed) };
  }));
  put("admitPins", () => {
    const { pinned, refused, tokens } = plica.admitPins(all, { maxPins: 5, maxTokens: 300 });
    return { pinned: indices(pinned), refused: refused.map(({ index: at, reason, by }) => ({ index: at, reason, ...(by ? { by: index.get(by) } : {}) })), tokens };
  });
  put("surveyMemory", () => {
    const { health, findings, ...survey } = plica.surveyMemory(all, { roster: ["nobody"] });
    return { ...survey, findings: findings.filter(({ code }) => !health.findings.some((other) => other.code === code)) };
  });
}

function salience(plica, [access, last, now], put) {
  put("value", () => plica.salience(access, last, now));
}

function importance(plica, [value, last, created, now], put) {
  put("value", () => plica.effectiveImportance({ importance: value, last_retrieved_at: last, created_at: created }, now));
}

function sessions(plica, input, put) {
  const source = bytesOf(input.bytes);
  put("readSession", () => {
    const { ledger, ...session } = plica.readSession(source);
    return session;
  });
  put("inspectSession", () => plica.inspectSession(source));
  put("convertSession", () => plica.convertSession(source, { to: "openai-responses" }));
  input.folds.map(decoded).forEach((options, number) => {
    let folded;
    put(`foldSession ${number}`, () => (folded = plica.foldSession(source, options)));
    let native;
    put(`foldSession ${number}, native`, () => {
      const answer = plica.foldSession(source, { ...options, native: true });
      native = answer.session;
      return { ...answer, session: native && textOf(native) };
    });
    if (native) {
      put(`unfoldSession ${number}, native`, () => {
        const { bytes, exact, messages } = plica.unfoldSession(native);
        return { exact, messages, text: textOf(bytes) };
      });
    }
    put(`summarizeSession ${number}`, () => plica.summarizeSession(source, options));
    if (folded?.conversation) wayBack(plica, { source, folded, options }, (what, fn) => put(`foldSession ${number} ${what}`, fn));
  });
}

function wayBack(plica, { source, folded: { conversation, ledger }, options }, put) {
  put("unfoldSession", () => {
    const { bytes, exact, messages } = plica.unfoldSession(conversation, ledger);
    return { exact, messages, same: bytes.length === source.length && bytes.every((byte, i) => byte === source[i]) };
  });
  const longer = conversation.replace(/\n\]\n$/, ',\n{"role":"user","content":"and then?"}\n]\n');
  put("unfoldSession, longer", () => {
    const { bytes, exact, messages } = plica.unfoldSession(longer, ledger);
    return { exact, messages, text: textOf(bytes) };
  });
  put("foldSession, again", () => plica.foldSession(longer, { ...options, ledger, summary: "GOAL: twice" }));
}

/** Bytes as text, with U+FFFD for what is not UTF-8. */
function textOf(bytes) {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Bytes, given as texts (UTF-8) and numbers between them. */
function bytesOf(parts) {
  const encoder = new TextEncoder();
  return Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : Array.from(encoder.encode(part)))));
}

/** A message of the user's that stands for the digest, in the format of the messages. */
function oneDigest(plica, messages, given) {
  let format = given;
  try {
    format ??= plica.digestFormat(messages);
  } catch {
    format ??= plica.detectFormat(messages) ?? "openai-chat";
  }
  return [plica.digestMessage("stands for the digest", { format, like: messages })].flat()[0];
}
