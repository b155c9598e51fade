// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A long conversation with the server, which is killed at random moments meanwhile; then every original is compared with what was said
// and answered here.
//
//   node run.mjs [--turns 1000] [--kills 25] [--servers 1] [--seed 7] [--folder DIR]
//
// With --servers 2 two clients talk in one conversation at the same time, each to a server of its own. Ends with 1 when anything is lost,
// doubled or changed, or a window did not fit.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";

const SERVER = join(dirname(fileURLToPath(import.meta.url)), "server.mjs");
const ID = "garden/7";
/** A turn is sent again for so many milliseconds. */
const PATIENCE = 60_000;

const { values } = parseArgs({ options: { turns: { type: "string", default: "1000" }, kills: { type: "string", default: "25" }, servers: { type: "string", default: "1" }, seed: { type: "string", default: "7" }, folder: { type: "string" } } });
const [turns, kills, servers] = [values.turns, values.kills, values.servers].map(Number);
const random = seeded(Number(values.seed));
const folder = values.folder ?? mkdtempSync(join(tmpdir(), "agent-server-"));
mkdirSync(folder, { recursive: true });
const log = join(folder, "windows.jsonl");

const began = Date.now();
const all = Array.from({ length: servers }, () => new Server());
await Promise.all(all.map((server) => server.start()));
const share = Math.ceil(turns / servers);
const clients = await Promise.all(all.map((server, i) => converse(server, `client ${i + 1}`, Math.min(share, turns - i * share), Math.ceil(kills / servers))));
for (const server of all) await server.restart();
const problems = await verify(all[0], clients);
await report(all[0]);
for (const server of all) server.end();
if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
for (const problem of problems.slice(0, 20)) console.log(`WRONG: ${problem}`);
console.log(problems.length === 0 ? "every original is there, once, as it was said" : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Turn after turn. Who gets no answer asks again. */
async function converse(server, name, count, killed) {
  const moments = new Map();
  while (moments.size < Math.min(killed, count)) moments.set(Math.floor(random() * count), random() * 120);
  const acknowledged = [];
  for (let turn = 0; turn < count; turn++) {
    const request = { key: `${name}, ${turn}`, text: `Request ${turn} of ${name}: please see to the beds. ${"Mind the edges. ".repeat(turn % 7)}` };
    const moment = moments.get(turn);
    if (moment !== undefined) void sleep(moment).then(() => server.restart());
    acknowledged.push({ ...request, ...(await server.asked(request)) });
  }
  return acknowledged;
}

async function verify(server, clients) {
  const response = await fetch(`${await server.address()}/conversations/${encodeURIComponent(ID)}/originals`);
  const said = (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
  const wrong = [];
  const places = new Map();
  said.forEach((message, i) => message.role === "user" && places.set(message.providerOptions?.turn?.key, [...(places.get(message.providerOptions?.turn?.key) ?? []), i]));
  let messages = 0;
  for (const client of clients) {
    let before = -1;
    for (const { key, text, messages: answer } of client) {
      const at = places.get(key) ?? [];
      if (at.length !== 1) { wrong.push(`turn ${key} is there ${at.length} times`); continue; }
      if (at[0] < before) wrong.push(`turn ${key} stands in front of an earlier one`);
      before = at[0];
      if (said[at[0]].content !== text) wrong.push(`the request of turn ${key} is another`);
      if (!isDeepStrictEqual(said.slice(at[0] + 1, at[0] + 1 + answer.length), answer)) wrong.push(`the answer of turn ${key} is another`);
      messages += 1 + answer.length;
    }
  }
  if (messages !== said.length) wrong.push(`${said.length} messages are stored, ${messages} were acknowledged`);
  const windows = readFileSync(log, "utf8").trim().split("\n").filter((line) => line.endsWith("}")).map((line) => JSON.parse(line));
  for (const { wrong: fault } of windows) if (fault !== undefined) wrong.push(`a window was refused: ${fault}`);
  return wrong;
}

async function report(server) {
  const state = await (await fetch(`${await server.address()}/conversations/${encodeURIComponent(ID)}`)).json();
  const windows = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line)) : [];
  console.log(`${state.turns} turns, ${state.messages} messages, ${state.tokens.said} tokens said, ${state.folds} folds`);
  console.log(`${windows.filter(({ tools }) => tools > 0).length} requests, ${windows.filter(({ tools }) => tools === 0).length} for a summary; the largest window had ${Math.max(...windows.map(({ tokens }) => tokens))} tokens`);
  console.log(`${all.reduce((sum, { killed }) => sum + killed, 0)} times a server was killed and started again; ${Math.round((Date.now() - began) / 1000)} s`);
}

function Server() {
  let child;
  let address;
  let starting = Promise.resolve();
  this.killed = 0;
  this.address = async () => { await starting; return address; };
  this.start = () => (starting = started());
  this.end = () => child.kill("SIGKILL");
  /** Kills it as it stands, and starts another in its place; one after the other. */
  this.restart = () => (starting = starting.then(async () => {
    const ended = new Promise((done) => { child.once("exit", done); });
    child.kill("SIGKILL");
    this.killed++;
    await ended;
    await started();
  }));
  this.asked = async (request) => {
    for (const until = Date.now() + PATIENCE; ; ) {
      try {
        const response = await fetch(`${await this.address()}/conversations/${encodeURIComponent(ID)}/turns`, { method: "POST", body: JSON.stringify(request) });
        const answer = await response.json();
        if (response.status === 200) return { messages: answer.messages };
        if (Date.now() > until) throw new Error(`${response.status}: ${answer.error}`);
      } catch (error) {
        if (Date.now() > until) throw error;
      }
      await sleep(20);
    }
  };

  async function started() {
    child = spawn(process.execPath, [SERVER], { env: { ...process.env, PORT: "0", DATABASE: join(folder, "agent.db"), MODEL_LOG: log, NODE_NO_WARNINGS: "1" }, stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    for await (const part of child.stdout.setEncoding("utf8")) {
      printed += part;
      const port = /listening on (\d+)/.exec(printed)?.[1];
      if (port === undefined) continue;
      address = `http://127.0.0.1:${port}`;
      return;
    }
    throw new Error(`the server did not start: ${printed}`);
  }
}

/** The same numbers for the same seed. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
