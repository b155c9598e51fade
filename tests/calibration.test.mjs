// What a Transcript says that the next request will cost, before each request of a session whose provider counted.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Transcript, estimate, readSession } from "../pkg/dist/index.js";
import { count, shared, sharedTest } from "./support/shared.mjs";

/** Sums of what was said before each request, the first apart, and of what was counted. */
function foretold(messages, counted, options = {}) {
  const transcript = new Transcript(options);
  const sums = { said: 0, counted: 0, requests: 0 };
  messages.forEach((message, i) => {
    const usage = counted[i];
    // The request ends where the run of the model's messages begins: what comes in the middle of an answer has its count already.
    const asked = usage && messages[i - 1]?.role !== "assistant";
    if (asked && sums.requests++ > 0) {
      sums.said += transcript.tokens;
      sums.counted += usage.input;
    }
    transcript.append([message]);
    if (asked) transcript.usage({ inputTokens: usage.input, outputTokens: usage.output, at: i });
  });
  transcript.free();
  return { ...sums, off: sums.said / sums.counted - 1 };
}

sharedTest("sessions that carry usage figures are foretold within 2 per cent", () => {
  const folder = join(shared, "transcripts");
  for (const name of readdirSync(folder)) {
    let session;
    try {
      session = readSession(readFileSync(join(folder, name)));
    } catch {
      continue;
    }
    const { requests, off } = foretold(session.messages, session.usage, { format: session.messageFormat });
    if (requests < 3) continue;
    count("sessions with usage figures");
    console.log(`# ${name}: ${requests} requests, off by ${(100 * off).toFixed(2)} %`);
    assert.ok(Math.abs(off) < 0.02, `${name} is off by ${(100 * off).toFixed(2)} %`);
  }
});

/** A session of a provider that counts a third more than o200k, and sends 9,000 tokens of tools beside the messages. */
function invented(factor, overhead) {
  const words = (n, seed) => Array.from({ length: n }, (_, i) => ["kale", "bed", "north", "sow", "water", "frost"][(i * seed) % 6]).join(" ");
  const messages = [];
  const counted = [];
  let [real, before] = [overhead, 0];
  for (let i = 0; i < 120; i++) {
    messages.push({ role: "user", content: words(20 + ((i * 37) % 200), i + 1) });
    counted.push(null);
    const { total } = estimate(messages, { format: "anthropic" });
    // One message is denser than another.
    real += factor * (total - before) * (1 + 0.2 * Math.sin(i));
    before = total;
    counted.push({ input: Math.round(real), output: 0 });
    messages.push({ role: "assistant", content: words(40 + ((i * 53) % 90), i + 5) });
  }
  return { messages, counted };
}

test("a provider that counts otherwise is learned", () => {
  for (const [factor, overhead] of [[1.33, 9000], [0.7, 0], [1, 20_000], [1.8, 500]]) {
    const { messages, counted } = invented(factor, overhead);
    const { requests, off } = foretold(messages, counted, { format: "anthropic" });
    assert.equal(requests, 120);
    assert.ok(Math.abs(off) < 0.02, `factor ${factor}, overhead ${overhead}: off by ${(100 * off).toFixed(2)} %`);
    const transcript = new Transcript({ format: "anthropic", window: { size: 1e6, overhead } });
    messages.forEach((message, i) => {
      transcript.append([message]);
      if (counted[i]) transcript.usage({ inputTokens: counted[i].input, at: i });
    });
    assert.ok(Math.abs(transcript.calibration / factor - 1) < 0.1, `calibration is ${transcript.calibration} for ${factor}`);
  }
});
