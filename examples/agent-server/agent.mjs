// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The agent: turns of conversations, one after the other, on top of whatever is stored.

import { setTimeout as sleep } from "node:timers/promises";
import { generateText, stepCountIs, tool } from "ai";
import { foldSteps, summarizeWith } from "plica/ai-sdk";
import { sqliteStore } from "plica/store";
import { z } from "zod";
import { look, water } from "./garden.mjs";

/** What the model takes, in tokens; 2,000 of them for its answer. */
const WINDOW = { size: 32_000, output: 2_000 };

const SYSTEM = "You look after a garden. Look before you water.";

/** Rules that no summary can lose. */
const PINS = [{ key: "night", value: "Never water at night.", agent_id: "operator", importance: 5, kind: "constraint" }];

/** A turn has so many steps, however often it is gone on with. */
const STEPS = 20;

/** So often a turn is begun anew when other servers write to the same conversation. */
const ATTEMPTS = 60;

/** So many conversations stay in memory. */
const HELD = 100;

/** A turn that another server has begun gets so many milliseconds without a step until it is brought to its end here. */
const PATIENCE = 400;

const tools = {
  look: tool({ description: "Looks at a bed", inputSchema: z.object({ bed: z.number() }), execute: async ({ bed }) => look(bed) }),
  water: tool({ description: "Waters a bed", inputSchema: z.object({ bed: z.number(), litres: z.number() }), execute: async (order) => water(order) }),
};

export class Agent {
  #store;
  #model;
  #summarizer;
  /** Conversations in memory, by id. */
  #foldings = new Map();
  /** The last turn of each conversation, which the next one waits for. */
  #last = new Map();

  constructor({ database, model, summarizer }) {
    this.#store = sqliteStore(database);
    this.#model = model;
    this.#summarizer = summarizer;
  }

  /** Answers a turn: the messages of the answer, stored. Turns of one conversation follow each other. */
  turn(id, request) {
    const turn = (this.#last.get(id) ?? Promise.resolve()).then(() => this.#answered(id, request));
    const settled = turn.catch(() => {});
    this.#last.set(id, settled);
    void settled.then(() => this.#last.get(id) === settled && this.#last.delete(id));
    return turn;
  }

  async originals(id) {
    return (await this.state(id)).said;
  }

  /** As it is stored, whoever wrote it. */
  async state(id) {
    const folding = this.#fresh(id);
    return { said: await folding.originals(), window: await folding.messages(), folds: (await folding.ledger()).records.length };
  }

  async #answered(id, { key, text }) {
    let patience = Date.now() + PATIENCE;
    let seen = -1;
    for (let attempt = 1; ; attempt++) {
      const folding = this.#foldings.get(id) ?? this.#fresh(id);
      const said = await folding.originals();
      const answer = answerTo(said, key);
      if (answer !== undefined) return answer;
      const open = openTurn(said);
      try {
        if (open === undefined) await this.#run(folding, [user(key, text)]);
        else if (open === key) await this.#run(folding, []);
        else {
          // Another server is at it, or has died over it.
          if (said.length > seen) [seen, patience] = [said.length, Date.now() + PATIENCE];
          if (Date.now() > patience) await this.#finish(id, folding, open);
          else await sleep(20 + 30 * Math.random());
          this.#fresh(id);
        }
      } catch (error) {
        // What is stored counts: the turn goes on from there.
        this.#foldings.delete(id);
        if (!["conflict", "store-busy"].includes(error?.code) || attempt >= ATTEMPTS) throw error;
        await sleep(10 * Math.random() * Math.min(attempt, 20));
      }
    }
  }

  /** Brings a turn of somebody else's to its end. One that fails for good is closed: nothing else would ever be answered here. */
  async #finish(id, folding, key) {
    try {
      await this.#run(folding, []);
    } catch (error) {
      if (mayPass(error)) throw error;
      const stored = this.#fresh(id);
      if (openTurn(await stored.originals()) === key) await this.#close(stored, `This request could not be answered: ${error?.message ?? error}`);
    }
  }

  /** Runs the model until it has answered; each step is stored when it is done, the answer when this returns. */
  async #run(folding, more) {
    const messages = [...(await folding.messages()), ...more];
    const left = STEPS - (more.length > 0 ? 0 : stepsOf(await folding.originals()));
    if (left > 0) {
      const run = { model: this.#model, tools, system: SYSTEM, messages, stopWhen: stepCountIs(left), prepareStep: folding.prepareStep, onStepFinish: folding.onStepFinish };
      await folding.record(await generateText(run));
    }
    // Asked once more it would do the same.
    if (openTurn(await folding.originals()) !== undefined) await this.#close(folding, `This request has no answer: the model gave none in ${STEPS} steps, or fell silent.`);
  }

  /** Stores an answer that is not the model's. */
  async #close(folding, text) {
    await folding.record([...(await folding.messages()), { role: "assistant", content: [{ type: "text", text }] }]);
  }

  /** The conversation as it is stored now. */
  #fresh(id) {
    const summarize = summarizeWith({ generateText, model: this.#summarizer });
    // The request that is being worked at stays in the window.
    const folding = foldSteps({ window: WINDOW, summarize, store: this.#store, id, pins: PINS, anchorRequest: true });
    this.#foldings.delete(id);
    this.#foldings.set(id, folding);
    if (this.#foldings.size > HELD) this.#foldings.delete(this.#foldings.keys().next().value);
    return folding;
  }
}

/** A request. Its key travels with the message, and is stored with it. */
const user = (key, text) => ({ role: "user", content: text, providerOptions: { turn: { key } } });

const keyOf = (message) => message.providerOptions?.turn?.key;

/** What was answered to the turn of this key; undefined while it is open, or was never asked. */
function answerTo(said, key) {
  const at = said.findLastIndex((message) => message.role === "user" && keyOf(message) === key);
  if (at < 0) return undefined;
  const next = said.findIndex((message, i) => i > at && message.role === "user");
  const answer = said.slice(at + 1, next < 0 ? undefined : next);
  return isEnd(answer[answer.length - 1]) ? answer : undefined;
}

/** The key of the turn that is not answered yet. */
function openTurn(said) {
  if (said.length === 0 || isEnd(said[said.length - 1])) return undefined;
  return keyOf(said[said.findLastIndex(({ role }) => role === "user")]);
}

/** How many steps the turn at the end has had. */
function stepsOf(said) {
  return said.slice(said.findLastIndex(({ role }) => role === "user")).filter(({ role }) => role === "assistant").length;
}

/** Whether it may go well another time: the database is busy or away, other servers are faster, the provider has no room. */
function mayPass(error) {
  return ["conflict", "store-busy", "store-failed"].includes(error?.code) || (error?.lastError ?? error)?.isRetryable === true;
}

/** The model's last word. */
function isEnd(message) {
  if (message?.role !== "assistant") return false;
  return typeof message.content === "string" || !message.content.some(({ type }) => type === "tool-call");
}
