// npm start -w bench [-- --sizes 100,1000 --only turn,plan --rounds 15 --limit 20 --ours --json PATH]
//
// Speed and memory, everything beside what it is compared with, in one run on one machine. Prints the tables as the readme shows
// them. Nothing here is a test. First: npm ci --prefix bench/peers, for what runs beside plica (or --ours, without).

import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import * as plica from "plica";
import { collect, compare } from "./measure.mjs";
import { missingPeers, versions } from "./peers.mjs";
import { conversation } from "./transcript.mjs";

const ROWS = ["turn", "plan", "request", "cold", "session", "estimate", "fingerprints", "lookup", "survival", "memory", "start"];

const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "100,1000,10000,100000" },
    only: { type: "string", default: ROWS.join(",") },
    rounds: { type: "string", default: "15" },
    limit: { type: "string", default: "20" },
    ours: { type: "boolean", default: false },
    json: { type: "string" },
  },
});

function stop(message) {
  console.error(message);
  process.exit(2);
}

const whole = (text, name, least) => (/^\d+$/.test(text) && Number(text) >= least ? Number(text) : stop(`--${name}: ${text} is no whole number from ${least} on`));

const sizes = options.sizes.split(",").map((size) => whole(size, "sizes", 100));
if (sizes.some((n) => n % 2)) stop("--sizes: even numbers, because a call and its result are two messages");
const only = options.only.split(",");
const unknown = only.filter((name) => !ROWS.includes(name));
if (unknown.length) stop(`--only: there is no ${unknown.join(", ")}; there are ${ROWS.join(", ")}`);
const absent = options.ours ? [] : missingPeers();
if (absent.length) stop(`What runs beside plica is not installed (${absent.join(", ")}). First: npm ci --prefix bench/peers\nOr measure plica alone: npm start -w bench -- --ours`);

/** Turns that one transcript takes in a sample: it may grow by a tenth, no more. */
const turnsAt = (n) => Math.min(20, Math.floor(n / 20));

const conversations = new Map();
const rounds = whole(options.rounds, "rounds", 1);
const numbers = {};

const bench = {
  plica,
  sizes,
  rounds,
  peers: !options.ours,
  compare: (contenders) => compare(contenders, { rounds, limitMs: whole(options.limit, "limit", 1) * 1000 }),
  conversation(n) {
    if (!conversations.has(n)) conversations.set(n, conversation(n, turnsAt(n)));
    return conversations.get(n);
  },
  progress: (text) => process.stderr.write(`… ${text}\n`),
  record(title, columns) {
    (numbers[title] ??= []).push(JSON.parse(JSON.stringify(columns, (_, value) => (value instanceof Map ? Object.fromEntries(value) : value))));
  },
};

function machine() {
  const model = cpus()[0]?.model.trim() || "unknown processor";
  const beside = options.ours ? "nothing" : versions().map(([name, version]) => `${name} ${version}`).join(", ");
  return [
    `${model}, ${cpus().length} cores; Node ${process.versions.node}; beside plica: ${beside}.`,
    `Median (quartiles) of ${rounds} rounds, everyone in turn, in one process; × is the time beside plica's. "> ${options.limit} s": stopped after that.`,
    "Messages: an agent's calls, results, requests and answers, made up, about 600 bytes each, in the shape of each one's own.",
  ].join(" ");
}

console.log(`${machine()}\n`);
for (const name of ROWS.filter((row) => only.includes(row))) {
  const row = await import(`./rows/${name}.mjs`);
  console.log(`${await row.run(bench)}\n`);
  collect();
}
if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine: machine(), numbers }, null, 1)}\n`);
