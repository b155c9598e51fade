// What rules survive: five rounds of folds with a summarizer that forgets, scored by compaction-conformance-kit.
//
// Everyone gets the same sessions, the same turns in between and the same summarizer: of each sentence that it is given it keeps
// three in five, by a hash of sentence and round, as if each were remembered or not by chance. So what differs is who gives the
// rules to the summarizer at all. The score is the kit's: a canary survives when every word that its rule needs is in the window.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { loadPeer } from "../peers.mjs";
import { markdown } from "../table.mjs";

export const title = "Survival through five folds, scored by compaction-conformance-kit";

const KIT = fileURLToPath(new URL("../survival/kit.py", import.meta.url));
const PYTHON = process.env.PLICA_KIT_PYTHON ?? "python3";
const SESSIONS = 21;
const ROUNDS = 5;
const KEPT = 0.6;
const TAIL = 300;

function kit(args, input) {
  return JSON.parse(execFileSync(PYTHON, [KIT, ...args], { encoding: "utf8", maxBuffer: 1 << 28, ...(input === undefined ? {} : { input: JSON.stringify(input) }) }));
}

/** A number from 0 to 1 that is the same everywhere. */
function chance(text) {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  h = Math.imul(h ^ (h >>> 15), 2246822507);
  return ((h ^ (h >>> 13)) >>> 0) / 2 ** 32;
}

/** The summarizer: of the sentences of the session that the prompt holds, those that it remembers. */
const forgetful = (sentences, round) => (prompt) => {
  const held = sentences.filter((sentence) => prompt.includes(sentence));
  return `GOAL: go on\n${held.filter((sentence) => chance(`${round} ${sentence}`) < KEPT).join("\n")}`;
};

/** What is said between two folds. */
const between = (round) =>
  Array.from({ length: 12 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `Round ${round}, step ${i}: ${i % 2 ? "that part of the pipeline is reviewed and there is nothing left to report about it" : "please look at the next part of the pipeline and tell me what you find there"}.` }));

const textOf = (messages) => messages.map(({ content }) => content).join("\n");

/** A contender takes the window and gives the next one. */
async function contenders(bench) {
  const { plica } = bench;
  const list = [
    { name: "**plica, the operator's rules pinned**", make: (session) => plicaWith(plica, session, (turns) => rulesOf(session, turns)) },
    { name: "**plica, pinned what `proposePins` proposed**", make: (session) => plicaWith(plica, session, (turns) => proposed(plica, turns)) },
    { name: "plica without pins", make: (session) => plicaWith(plica, session, () => undefined) },
  ];
  if (bench.peers) {
    const [{ summarizationMiddleware }, messages] = await Promise.all([loadPeer("langchainAgents"), loadPeer("langchain")]);
    list.push({ name: "LangChain `summarizationMiddleware`", make: (session) => langchainWith(summarizationMiddleware, messages, session) });
  }
  list.push({ name: "a plain summary of everything", make: plain });
  return list;
}

function plicaWith(plica, session, pinsOf) {
  const ledger = new plica.Ledger();
  const pins = pinsOf(session.messages);
  return async (window, summarize) => {
    const options = { format: "openai-chat", ledger, tailBudget: TAIL, minGain: 0, ...(pins === undefined ? {} : { pins }), summarize: ({ prompt }) => summarize(prompt), accept: () => true };
    const { messages, outcome, reason } = await plica.compact(window, options);
    assert.notEqual(outcome, "unchanged", reason);
    if (pins !== undefined) assert.deepEqual(plica.verifyPins(messages, plica.admitPins(pins).pinned).missing, []);
    return messages;
  };
}

/** What a caller would pin by hand: safety rules and hard constraints. */
const rulesOf = ({ canaries }) =>
  canaries.filter(({ type }) => type === "safety_rule" || type === "hard_constraint").map(({ id, content }) => ({ key: id, importance: 5, kind: "constraint", agent_id: "operator", value: content }));

const proposed = (plica, messages) => plica.proposePins(messages, { format: "openai-chat" }).map(({ text, kind }) => ({ key: "", importance: 5, kind, agent_id: "user", value: text }));

function langchainWith(summarizationMiddleware, { HumanMessage, AIMessage, SystemMessage }, _session) {
  const live = ({ role, content }) => (role === "assistant" ? new AIMessage(content) : role === "system" ? new SystemMessage(content) : new HumanMessage(content));
  let system;
  return async (window, summarize) => {
    const model = { invoke: async (prompt) => ({ content: summarize(typeof prompt === "string" ? prompt : prompt.map((each) => each.content).join("\n")) }), getName: () => "forgetful" };
    const middleware = summarizationMiddleware({ model, trigger: { messages: 1 }, keep: { tokens: TAIL }, trimTokensToSummarize: 1_000_000 });
    const hook = typeof middleware.beforeModel === "function" ? middleware.beforeModel : middleware.beforeModel.hook;
    const answer = await hook({ messages: window.map(live) }, { context: {} });
    assert.ok(answer, "nothing was summarized");
    // The first of its messages says that all others are removed. System text is the agent's own option there: it stays.
    system ??= window.filter(({ role }) => role === "system").slice(0, 1);
    const back = answer.messages.slice(1).map((message) => ({ role: message.getType() === "ai" ? "assistant" : message.getType() === "system" ? "system" : "user", content: message.content }));
    return [...system, ...back.filter(({ role }) => role !== "system")];
  };
}

const plain = () => async (window, summarize) => [window[0], { role: "user", content: summarize(textOf(window.slice(1))) }];

export async function run(bench) {
  bench.progress(title);
  let sessions;
  let version;
  try {
    ({ sessions, version } = kit(["sessions", String(SESSIONS)]));
  } catch {
    return `| ${title} |\n|---|\n| not run: \`pip install compaction-conformance-kit\` into the Python that PLICA_KIT_PYTHON names |`;
  }
  const rows = [];
  for (const { name, make } of await contenders(bench)) {
    const contexts = [];
    for (const { seed, turns, canaries } of sessions) {
      const session = { canaries, messages: turns.map(({ role, text }) => ({ role: role === "tool" ? "user" : role, content: text })) };
      const sentences = [...new Set([...session.messages.slice(1).map(({ content }) => content), ...Array.from({ length: ROUNDS }, (_, round) => between(round).map(({ content }) => content)).flat()])];
      const fold = make(session);
      let window = session.messages;
      for (let round = 1; round <= ROUNDS; round++) {
        window = await fold(window, forgetful(sentences, round));
        contexts.push({ seed, round, text: textOf(window) });
        window = [...window, ...between(round - 1)];
      }
    }
    const scores = kit(["score"], contexts);
    rows.push([name, ...columnsOf(contexts, scores)]);
  }
  bench.record(title, rows.map((row) => ({ row })));
  const head = [`${title} ${version}, ${SESSIONS} sessions`, "rules and constraints after 1", "after 3", "after 5", "all canaries after 1", "after 5", "characters after 5"];
  return markdown(head, rows);
}

function columnsOf(contexts, scores) {
  const rules = (type) => type === "safety_rule" || type === "hard_constraint";
  const share = (round, wanted) => {
    const all = scores.filter((_, i) => contexts[i].round === round).flat().filter(([type]) => wanted(type));
    return `${Math.round((100 * all.filter(([, survived]) => survived).length) / all.length)} %`;
  };
  const last = contexts.filter(({ round }) => round === ROUNDS);
  const size = Math.round(last.reduce((sum, { text }) => sum + text.length, 0) / last.length);
  const any = () => true;
  return [share(1, rules), share(3, rules), share(5, rules), share(1, any), share(5, any), size.toString().replace(/\B(?=(\d{3})+$)/g, ",")];
}
