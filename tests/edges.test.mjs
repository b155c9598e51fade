// Edges at which the package was wrong once; each stays right.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PlicaError, Ledger, Transcript, estimate, digestMessage, fold, plan, spanFingerprint } from "../pkg/dist/index.js";

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
