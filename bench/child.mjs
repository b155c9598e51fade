// What has to run in a process of its own. `child(job, args)` starts one and gives what it prints.

import { execFileSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";

const FILE = fileURLToPath(import.meta.url);

export function child(job, args) {
  const output = execFileSync(process.execPath, ["--expose-gc", FILE, job, ...args.map(String)], { encoding: "utf8", maxBuffer: 1 << 24 });
  return JSON.parse(output.trim().split("\n").at(-1));
}

/** Import and first call of one package. */
async function start(key) {
  const [{ conversation }, peers] = await Promise.all([import("./transcript.mjs"), import("./peers.mjs")]);
  const { messages, pairs } = conversation(100, 1);
  const begin = performance.now();
  const module = key === "plica" ? await import("plica") : await peers.loadPeer(key);
  const imported = performance.now();
  if (key === "plica") {
    module.plan(messages, { tailBudget: 4_000 });
    return { imported: imported - begin, called: performance.now() - imported };
  }
  const makers = { pi: peers.piTurn, aiSdk: peers.aiSdkTurn, cloudflare: peers.cloudflareTurn, langchain: peers.langchainTurn };
  const contender = await makers[key](messages, pairs, 4_000);
  const state = contender.prepare();
  const calling = performance.now();
  const answer = await contender.run(state, 0);
  const called = performance.now() - calling;
  contender.check(answer, state);
  return { imported: imported - begin, called };
}

/** All memories of WebAssembly that are made from here on. */
function watchMemories() {
  const memories = [];
  WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(...args) {
      super(...args);
      for (const value of Object.values(this.exports)) if (value instanceof WebAssembly.Memory) memories.push(value);
    }
  };
  return () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
}

function heapAfterCollection() {
  for (let i = 0; i < 3; i++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Growth of both memories by a Transcript of n messages that has planned once. */
async function memory(n) {
  const wasmBytes = watchMemories();
  const [{ conversation }, plica] = await Promise.all([import("./transcript.mjs"), import("plica")]);
  const { messages } = conversation(Number(n));
  // A small one first: compiled code and buffers for the crossing are there before the count begins.
  const use = (some) => {
    const transcript = new plica.Transcript({ window: 200_000 }).append(some);
    return [transcript, transcript.due(), transcript.plan({ tailBudget: 20_000 })];
  };
  use(conversation(1_000).messages)[0].free();
  const before = { wasm: wasmBytes(), heap: heapAfterCollection() };
  const kept = use(messages);
  const heap = heapAfterCollection() - before.heap;
  const wasm = wasmBytes() - before.wasm;
  if (kept[0].length !== messages.length) throw new Error("messages are missing");
  return { wasm, heap };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [job, ...args] = process.argv.slice(2);
  console.log(JSON.stringify(await { start, memory }[job](...args)));
}
