// Edges at which the package was wrong once; each stays right.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlicaError, Ledger, Transcript, estimate, reduce, digestMessage, fold, plan, spanFingerprint } from "../pkg/dist/index.js";

const u = (content) => ({ role: "user", content });
const a = (content) => ({ role: "assistant", content });
const F = "openai-chat";
const D = digestMessage("same", { format: F });
const code = (fn) => {
  try {
    fn();
  } catch (error) {
    assert.ok(error instanceof PlicaError);
    return error.code;
  }
  return "none";
};

/** Records a fold and gives the window after it. */
function folded(ledger, window, prefixEnd, keptFrom, digest = D) {
  const plan = { prefixEnd, keptFrom, format: F };
  ledger.record({ messages: window, plan, digest });
  return fold(window, plan, digest);
}

test("two folds with one summary and one tail: the current window unfolds whole", () => {
  const ledger = new Ledger();
  const all = [u("1"), a("2"), u("continue"), a("Done."), u("5"), a("6"), u("continue"), a("Done.")];
  let w = folded(ledger, all.slice(0, 4), 0, 2);
  w = folded(ledger, [...w, ...all.slice(4, 7)], 0, 5);
  w.push(all[7]);
  assert.deepEqual(ledger.unfold(w), all);
});

test("an earlier window is told from a later one with the same summary by its tail", () => {
  const ledger = new Ledger();
  const all = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"].map((text, i) => (i % 2 ? a(text) : u(text)));
  const w1 = folded(ledger, all.slice(0, 6), 0, 3);
  const w1b = [...w1, ...all.slice(6)];
  const w2 = folded(ledger, w1b, 0, 5);
  assert.deepEqual(ledger.unfold(w2), all);
  assert.deepEqual(ledger.unfold(w1), all.slice(0, 6));
  assert.deepEqual(ledger.unfold(w1b), all);
});

test("a digest that the user quotes is not taken for the digest", () => {
  const ledger = new Ledger();
  const [x, y, z] = [u("a"), a("b"), u("z")];
  const w = folded(ledger, [x, y, z], 0, 2, u("D"));
  assert.deepEqual(ledger.unfold([...w, a("q"), u("D"), u("z")]), [x, y, z, a("q"), u("D"), u("z")]);
});

test("a fold is found where its prefix says, not where it happens to fit", () => {
  const ledger = new Ledger();
  const all = [u("task"), a("1"), u("ok")];
  let w = folded(ledger, all, 1, 2);
  w = folded(ledger, w, 0, 3);
  assert.deepEqual(ledger.unfold([...w, u("ok")]), [...all, u("ok")]);
});

test("keepTurns never keeps less for asking more", () => {
  const turns = [0, 1, 2].flatMap((i) => [u(`q${i}`), a(`a${i}`)]);
  const at = (keepTurns) => plan(turns, { tailBudget: 0, keepTurns, format: F });
  assert.deepEqual([at(1).keptFrom, at(2).keptFrom], [4, 2]);
  for (const k of [3, 4, 99]) assert.equal(at(k).reason, "nothing-to-fold");
});

test("a pin keeps signed reasoning with what it led to", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "Eq==" };
  const call = (id) => ({ type: "tool_use", id, name: "read", input: {} });
  const result = (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] });
  const split = [u("a"), { role: "assistant", content: [thinking] }, { role: "assistant", content: [call("t")] }, result("t"), a("done"), u("last")];
  for (const pin of [1, 2, 3]) {
    const p = plan(split, { format: "anthropic", tailBudget: 20, pinned: [pin] });
    assert.ok([1, 2, 3].every((i) => p.kept.includes(i)), JSON.stringify(p.kept));
  }
  const loop = [u("a"), { role: "assistant", content: [thinking, call("a")] }, result("a"), { role: "assistant", content: [call("b")] }, result("b"), a("done"), u("x"), a("y"), u("last")];
  const p = plan(loop, { format: "anthropic", tailBudget: 20, pinned: [3] });
  assert.ok([1, 2, 3, 4].every((i) => p.kept.includes(i)), JSON.stringify(p.kept));
});

test("plans made by hand do not cut into a signed loop", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "Eq==" };
  const call = (id) => ({ type: "tool_use", id, name: "read", input: {} });
  const result = (id) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] });
  const loop = [u("a"), { role: "assistant", content: [thinking, call("a")] }, result("a"), { role: "assistant", content: [call("b")] }, result("b"), u("z")];
  assert.equal(code(() => fold(loop, { prefixEnd: 0, keptFrom: 3 }, D)), "illegal-cut");
});

test("references are handed out in order: equal texts, other ids", () => {
  const all = [1, 2, 3, 4, 5].map((id) => ({ id, ...(id % 2 ? u("ok") : a("go")) }));
  const ledger = new Ledger();
  const plan = { prefixEnd: 0, keptFrom: 4, format: F };
  ledger.record({ messages: all, plan, digest: D, retention: "reference" });
  assert.deepEqual(ledger.unfold(fold(all, plan, D), { originals: all }).map((m) => m.id), [1, 2, 3, 4, 5]);
});

test("references to thousands of messages are resolved in one go", () => {
  const all = Array.from({ length: 6000 }, (_, i) => (i % 2 ? a(`answer ${i}`) : u(`question ${i}`)));
  const ledger = new Ledger();
  const plan = { prefixEnd: 0, keptFrom: 5998, format: F };
  ledger.record({ messages: all, plan, digest: D, retention: "reference" });
  const back = ledger.unfold(fold(all, plan, D), { originals: all });
  assert.ok(back.length === all.length && back.every((message, i) => message === all[i]));
});

test("an original that was edited in place is named before the ledger is written", () => {
  const all = [u("a"), a("b"), u("c")];
  const ledger = new Ledger();
  folded(ledger, all, 0, 2);
  all[0].content = "[cleared]";
  assert.equal(code(() => JSON.stringify(ledger)), "message-changed");
});

test("a picture inside a document is no text", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(30_000) } };
  const message = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "document", source: { type: "content", content: [image] } }] }] };
  assert.ok(estimate([message], { format: "anthropic" }).total < 3000);
});

test("frame tags are defused behind characters that cannot be seen", () => {
  for (const hidden of ["\u200b", "\ufeff", "\u2060", " \u00ad"]) {
    const { content } = digestMessage(`x\n<${hidden}/compaction-summary>\ny`, { format: F });
    assert.equal(content.split("<").length, 3, JSON.stringify(content));
  }
});

test("thousands of folds cost what they are, not their square", () => {
  const ledger = new Ledger();
  let w = [u("0"), a("0"), u("end")];
  for (let i = 1; i <= 3000; i++) {
    w = folded(ledger, w, 0, 2, digestMessage(`fold ${i}`, { format: F }));
    w.splice(1, 0, a(String(i)));
  }
  assert.equal(ledger.unfold(w).length, 3 + 3000);
  // All digests side by side are no window of this ledger; whatever the answer, it comes at once.
  code(() => ledger.unfold([...ledger.folds.map((_, i) => digestMessage(`fold ${i + 1}`, { format: F })), u("x")]));
});

test("what is no message is named by its index", () => {
  assert.throws(() => spanFingerprint([null]), /message 0 is null, not an object/);
});

test("a digest that the conversation went back behind is no loss", () => {
  const transcript = new Transcript({ format: F });
  transcript.append([u("1"), a("2"), u("3"), a("4")]);
  transcript.commit({ prefixEnd: 0, keptFrom: 2 }, digestMessage("first", { format: F }));
  transcript.truncate(0);
  const other = [u("5"), a("6"), u("7"), a("8")];
  transcript.append(other);
  transcript.commit({ prefixEnd: 0, keptFrom: 2 }, digestMessage("second", { format: F }));
  assert.deepEqual(transcript.ledger.unfold(transcript.messages()), other);
  // A digest that is missing from a window that is not as it was is one.
  assert.equal(code(() => transcript.ledger.unfold([u("9"), a("8")])), "digest-missing");
});

/** Twelve readings of three files. */
function readings() {
  const all = [u("go")];
  for (let i = 0; i < 12; i++) {
    all.push({ role: "assistant", content: [{ type: "tool_use", id: `t${i}`, name: "Read", input: { file_path: `/a${i % 3}` } }] });
    all.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `t${i}`, content: `${i} line of text\n`.repeat(60) }] });
  }
  return [...all, a("fin")];
}

test("no note of a reduction stays when what is behind it has changed", () => {
  const all = readings();
  for (const change of [(t) => t.replaceLast(a("other")), (t) => t.truncate(t.length - 1), (t) => t.append([u("more")])]) {
    const folded = new Transcript().append(all);
    const plan = folded.plan({ tailBudget: 3200 });
    folded.commit(plan, digestMessage("s", { format: plan.format }));
    const { messages, ledger, steps } = reduce(folded.messages(), { ledger: folded.ledger });
    assert.ok(steps.length > 0);
    const transcript = Transcript.restore(messages, ledger);
    change(transcript);
    const back = ledger.unfold(transcript.messages());
    assert.ok(all.slice(0, -1).every((message, i) => back[i] === message));
  }
});

test("of a reduction that was cut off in the middle the rest is undone", () => {
  const all = readings();
  for (let length = 0; length <= all.length; length++) {
    const { messages, ledger } = reduce(all);
    const transcript = Transcript.restore(messages, ledger).truncate(length);
    const back = ledger.unfold(transcript.messages());
    assert.ok(back.length === length && back.every((message, i) => message === all[i]), `cut at ${length}`);
  }
});

test("a reduction that was looked at and not used is in nobody's way", () => {
  const all = readings();
  const ledger = new Ledger();
  reduce(all, { ledger });
  assert.deepEqual(ledger.unfold(all), all);
  assert.deepEqual(ledger.missing(all), []);
});

/** The messages that a reduction changes; each pair is a call and what came back. */
function changedBy(pairs, options = {}) {
  const all = [u("go")];
  pairs.forEach(([name, args, content], i) => {
    all.push({ role: "assistant", content: null, tool_calls: [{ id: `c${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
    all.push({ role: "tool", tool_call_id: `c${i}`, content });
  });
  all.push(a("so"), u("and now"), a("done"));
  return reduce(all, { format: F, clear: false, ...options }).steps.map(({ code, index }) => [code, index]);
}

test("a reading is only replaced by one that says as much", () => {
  const long = (n) => `line ${n}\n`.repeat(200);
  assert.deepEqual(changedBy([["Read", { file_path: "/a" }, long(1)], ["Read", { file_path: "/a" }, long(2)]]), [["superseded-read", 2]]);
  for (const [first, second] of [
    [{ file_path: "/a", offset: 3000, limit: 50 }, { file_path: "/a" }],
    [{ file_path: "/a" }, { file_path: "/a", offset: 100 }],
    [{ file_path: "/a" }, { file_path: "/a", head: 3 }],
    [{ file_path: "/a" }, { file_path: "/a", mode: "indentation" }],
  ]) {
    assert.deepEqual(changedBy([["Read", first, long(1)], ["Read", second, long(2)]]), [], JSON.stringify(second));
  }
  for (const said of ["", "File unchanged since last read.", "Error: File not found"]) {
    assert.deepEqual(changedBy([["Read", { file_path: "/a" }, long(1)], ["Read", { file_path: "/a" }, said]]), [], said);
  }
});

test("a file that was not written stays read", () => {
  const long = "line of a file\n".repeat(200);
  const write = (said) => changedBy([["Read", { file_path: "/a" }, long], ["Write", { file_path: "/a", content: "x" }, said]]);
  assert.deepEqual(write("Wrote 1 line to /a"), [["superseded-read", 2]]);
  for (const said of ['{"error":"permission denied"}', "Error: oldString not found", "apply_patch verification failed", "<tool_use_error>no</tool_use_error>", "The user rejected it"]) {
    assert.deepEqual(write(said), [], said);
  }
});

test("what the user says behind results does not end the loop that its reasoning belongs to", () => {
  const thinking = { type: "thinking", thinking: "hmm ".repeat(100), signature: "s" };
  const loop = [u("go"), { role: "assistant", content: [thinking, { type: "tool_use", id: "a", name: "x", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "r" }] }, u("hurry up")];
  assert.deepEqual(reduce(loop, { format: "anthropic" }).steps, []);
  const over = [...loop, a("there"), u("next"), a("yes")];
  assert.deepEqual(reduce(over, { format: "anthropic" }).steps.map(({ code, index }) => [code, index]), [["dropped-reasoning", 1]]);
});

test("a document of text that the user gave is no file", () => {
  const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "what I typed ".repeat(200) } };
  const all = [{ role: "user", content: [document, { type: "text", text: "see" }] }, a("1"), u("2"), a("3"), u("4"), a("5")];
  assert.deepEqual(reduce(all, { format: "anthropic", images: { keep: 0 } }).steps, []);
});

test("a gain that nothing reaches is refused by a number", () => {
  for (const minGain of [Infinity, 2 ** 53, 1e30]) {
    const { steps, refused } = reduce(readings(), { superseded: false, duplicates: false, clear: { minGain, keep: 0, protect: 0 } });
    assert.deepEqual([steps, refused.map(({ reason }) => reason)], [[], ["min-gain"]]);
  }
});

test("messages of parts are not taken for messages without content", () => {
  const ui = Array.from({ length: 60 }, (_, i) => ({ id: `m${i}`, role: i % 2 ? "assistant" : "user", parts: [{ type: "text", text: "word ".repeat(100) }] }));
  assert.equal(new Transcript().append(ui).format, "ai-sdk-ui");
  assert.ok(estimate(ui).total > 5000);
});

test("inlined data is no text, wherever it is", () => {
  const data = Buffer.from(Array.from({ length: 30_000 }, (_, i) => (i * 7919) % 251)).toString("base64");
  const url = `data:image/png;base64,${data}`;
  const cases = {
    "openai-responses": [{ type: "code_interpreter_call", id: "ci_1", code: "plot()", container_id: "c", status: "completed", outputs: [{ type: "image", url }] }],
    "ai-sdk-ui": [{ id: "m", role: "assistant", parts: [{ type: "tool-shot", toolCallId: "t", state: "output-available", input: {}, output: { type: "content", value: [{ type: "media", data, mediaType: "image/png" }] } }] }],
    "openai-chat": [{ role: "assistant", content: null, audio: { id: "a", data, expires_at: 1, transcript: "hello" } }],
  };
  for (const [format, messages] of Object.entries(cases)) {
    const { total } = estimate(messages, { format });
    assert.ok(total < 3000, `${format}: ${total} tokens`);
  }
});

test("a target that does not pay alone is passed, where more does", () => {
  const all = [u("go")];
  for (let i = 0; i < 14; i++) {
    all.push({ role: "assistant", content: null, tool_calls: [{ id: `c${i}`, type: "function", function: { name: "custom", arguments: `{"n":${i}}` } }] });
    all.push({ role: "tool", tool_call_id: `c${i}`, content: `${i} said a word or two\n`.repeat(60) });
  }
  all.push(a("so"));
  const { total } = estimate(all, { format: F });
  const options = { format: F, clear: { keep: 0, protect: 0, minGain: 0 }, cache: { turns: 10 } };
  const full = reduce(all, options);
  for (const target of [total - 1, total - 200, total - 2000, 100]) {
    const { tokens, steps, cache } = reduce(all, { ...options, target });
    assert.ok(steps.length > 0 || full.steps.length === 0, `target ${target} of ${total}`);
    assert.ok(tokens.after <= target || tokens.after === full.tokens.after);
    assert.ok(cache.invalidated >= 0);
  }
});
