// What runs beside plica: how each peer is loaded, called, and what its answer must look like. They are installed in bench/peers,
// which is no workspace, so that `npm ci` at the root installs none of them.
//
// None does quite what plica does. What each does and does not do is said with it; where it does less, it is the faster for it,
// and where the caller can choose, the choice is the peer's fastest.

import assert from "node:assert/strict";
import { checkLimit } from "./measure.mjs";
import { load, versionOf } from "./peers/load.mjs";
import { aiSdkMessages, langchainMessages, piEntries, uiMessages } from "./transcript.mjs";

/** Packages, by the names used in the bench. */
export const PACKAGES = {
  pi: { name: "@mariozechner/pi-coding-agent", file: "dist/core/compaction/compaction.js" },
  aiSdk: { name: "ai" },
  cloudflare: { name: "agents", entry: "agents/sessions" },
  langchain: { name: "@langchain/core", entry: "@langchain/core/messages" },
  langchainAgents: { name: "langchain" },
  tokenx: { name: "tokenx" },
  gptTokenizer: { name: "gpt-tokenizer", entry: "gpt-tokenizer/encoding/o200k_base" },
};

export const versions = () => Object.values(PACKAGES).map(({ name }) => [name, versionOf(name)]);
export const missingPeers = () => versions().filter(([, version]) => version === undefined).map(([name]) => name);
export const loadPeer = (key) => load(PACKAGES[key].entry ?? PACKAGES[key].name, PACKAGES[key].file);

/**
 * A contender of the row "one agent turn": the state is the peer's own array, to which each run appends what the agent's turn
 * added, already in the peer's shape; then it plans.
 */
function turn(name, messages, pairs, convert, plan, check) {
  const base = convert(messages, 0);
  const added = pairs.map((pair, i) => convert(pair, base.length + 2 * i));
  return {
    name,
    maxRepeat: pairs.length,
    prepare: () => base.slice(),
    run(array, i) {
      array.push(...added[i]);
      return plan(array);
    },
    check,
  };
}

/**
 * pi: walks back from the end until its estimate (characters / 4) is over the budget, and cuts at a message that is no tool
 * result. Before, it lists all possible cuts from the first entry on: O(n). It keeps no results of other calls together, has no
 * prefix, pins or kept messages, and does not say when it is over the budget.
 */
export async function piTurn(messages, pairs, tailBudget) {
  const { findCutPoint } = await loadPeer("pi");
  // Ids of appended entries do not matter to it.
  return turn("pi `findCutPoint`", messages, pairs, piEntries, (entries) => findCutPoint(entries, 0, entries.length, tailBudget), checkPi);
}

export async function piPlan(messages, tailBudget) {
  const { findCutPoint } = await loadPeer("pi");
  const entries = piEntries(messages);
  return { name: "pi `findCutPoint`", run: () => findCutPoint(entries, 0, entries.length, tailBudget), check: (answer) => checkPi(answer, entries) };
}

function checkPi({ firstKeptEntryIndex: cut }, entries) {
  assert.ok(cut > 0 && cut < entries.length, `cut at ${cut} of ${entries.length}`);
  assert.notEqual(entries[cut].message.role, "toolResult");
}

/**
 * AI SDK: takes calls, their results and reasoning out of all but the last messages, and drops messages that are empty then. It
 * counts no tokens and has no budget: it is told to spare as many messages as the budget would keep. Texts all stay.
 */
export async function aiSdkTurn(messages, pairs, tailBudget) {
  const { pruneMessages } = await loadPeer("aiSdk");
  const keep = tailLength(messages, tailBudget);
  const prune = (array) => pruneMessages({ messages: array, reasoning: "before-last-message", toolCalls: `before-last-${keep}-messages`, emptyMessages: "remove" });
  return turn("AI SDK `pruneMessages`", messages, pairs, aiSdkMessages, prune, (pruned, array) => {
    assert.ok(pruned.length >= keep && pruned.length < array.length, `${pruned.length} of ${array.length} messages`);
    assert.deepEqual(pruned.at(-1), array.at(-1));
  });
}

/**
 * Cloudflare's agents: keeps 3 messages at the start and a tail within the budget, and has the rest summarized. The summarizer here
 * answers at once. It builds the summarizer's prompt on the way and cannot be kept from it: the row "request" is the one where
 * plica does that, too.
 */
export async function cloudflareTurn(messages, pairs, tailBudget) {
  const compact = await cloudflareCompact(tailBudget);
  return turn("Cloudflare `createCompactFunction`", messages, pairs, uiMessages, compact, checkCloudflare);
}

export async function cloudflareRequest(messages, tailBudget) {
  const compact = await cloudflareCompact(tailBudget);
  const array = uiMessages(messages);
  return { name: "Cloudflare `createCompactFunction`", run: () => compact(array), check: (answer) => checkCloudflare(answer, array) };
}

async function cloudflareCompact(keepRecentTokens) {
  const { createCompactFunction } = await loadPeer("cloudflare");
  const summarize = async (prompt) => (prompt.length > 1000 ? "The summary." : "");
  return createCompactFunction({ summarize, keepRecentTokens });
}

function checkCloudflare(answer, array) {
  assert.ok(answer, "nothing was compacted");
  const end = array.findIndex((message) => message.id === answer.toMessageId);
  assert.ok(end > 0 && end < array.length - 1, `compacted up to ${end} of ${array.length}`);
  assert.equal(answer.summary, "The summary.");
}

/**
 * LangChain: copies all messages, then asks the counter about ever shorter arrays until one fits: O(n²). The counter is the
 * cheapest that there is, characters / 4 without the calls. It may begin at a message of either side, never at a tool's: so no
 * result loses its call.
 */
export async function langchainTurn(messages, pairs, tailBudget) {
  const core = await loadPeer("langchain");
  const options = { maxTokens: tailBudget, strategy: "last", tokenCounter: countCharacters, startOn: ["human", "ai"], includeSystem: true };
  return turn("LangChain `trimMessages`", messages, pairs, (array) => langchainMessages(array, core), (array) => core.trimMessages(array, options), (kept, array) => {
    assert.ok(kept.length > 1 && kept.length < array.length, `${kept.length} of ${array.length} messages`);
    assert.equal(kept.at(-1).content, array.at(-1).content);
    assert.notEqual(kept[0].getType(), "tool");
  });
}

/** The only place where a call of LangChain can be stopped. */
function countCharacters(messages) {
  checkLimit();
  let characters = 0;
  for (const message of messages) characters += message.content.length;
  return Math.ceil(characters / 4);
}

/** How many messages at the end have so many tokens, at four characters a token. */
function tailLength(messages, tailBudget) {
  let left = tailBudget * 4;
  let count = 0;
  while (count < messages.length && (left -= JSON.stringify(messages[messages.length - 1 - count].content).length) >= 0) count++;
  return count;
}

/** tokenx: estimates by the kinds of segments that a regular expression splits the text into. */
export async function tokenx(text) {
  const { estimateTokenCount } = await loadPeer("tokenx");
  return { name: "tokenx `estimateTokenCount`", run: () => estimateTokenCount(text), check: (count) => checkCount(count, text) };
}

/** gpt-tokenizer: counts exactly, which is much more work. For scale. */
export async function gptTokenizer(text) {
  const { countTokens } = await loadPeer("gptTokenizer");
  return { name: "gpt-tokenizer `countTokens` (exact)", run: () => countTokens(text), check: (count) => checkCount(count, text) };
}

export function checkCount(count, text) {
  assert.ok(count > text.length / 20 && count < text.length * 2, `${count} tokens for ${text.length} characters`);
}
