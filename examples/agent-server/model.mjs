// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The model: a real one, or one that is made up, costs nothing, and refuses what a real one refuses.

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The model and its summarizer. `anthropic:claude-sonnet-4-5` is a real one; without a name it is made up. */
export async function modelOf(name, { log } = {}) {
  if (name === undefined || name === "") return { model: gardener(log), summarizer: gardener(log) };
  const [provider, id] = name.split(/:(.*)/);
  if (provider !== "anthropic") throw new Error(`MODEL must be anthropic:MODEL, not ${name}; another provider is one line here`);
  const { anthropic } = await import("@ai-sdk/anthropic");
  return { model: anthropic(id), summarizer: anthropic(id) };
}

const WINDOW = 32_000;

/** Thinks about its answer by what stands at the end of the prompt, and checks the prompt first. */
function gardener(log) {
  return {
    specificationVersion: "v3",
    provider: "made-up",
    modelId: "gardener-1",
    supportedUrls: {},
    doStream: () => { throw new Error("this model does not stream"); },
    async doGenerate({ prompt, tools = [] }) {
      const tokens = tokensOf(prompt) + tokensOf(tools);
      const wrong = faultOf(prompt, tokens);
      if (log !== undefined) appendFileSync(log, `${JSON.stringify({ tokens, messages: prompt.length, tools: tools.length, ...(wrong === undefined ? {} : { wrong }) })}\n`);
      if (wrong !== undefined) throw new Error(wrong);
      await sleep(Math.random() * 4);
      const content = tools.length === 0 ? [text(summary(prompt))] : answer(prompt);
      const calls = content.some(({ type }) => type === "tool-call");
      const output = tokensOf(content);
      return {
        content, warnings: [],
        finishReason: { unified: calls ? "tool-calls" : "stop", raw: undefined },
        usage: { inputTokens: { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: output, text: output, reasoning: 0 } },
      };
    },
  };
}

const text = (words) => ({ type: "text", text: words });

/** Four characters are a token. */
const tokensOf = (value) => Math.ceil(JSON.stringify(value).length / 4);

/** What a provider would say of it: undefined when nothing is wrong. */
function faultOf(prompt, tokens) {
  if (tokens > WINDOW) return `prompt is too long: ${tokens} tokens > ${WINDOW}`;
  const first = prompt.findIndex(({ role }) => role !== "system");
  const body = prompt.slice(first);
  if (body[0]?.role !== "user") return "the first message must be the user's";
  if (body[body.length - 1].role === "assistant") return "the last message must not be the model's";
  if (body.some(({ role }) => role === "system")) return "a system message stands among the others";
  if (first > 1 && !prompt[1].content.includes("Never water at night.")) return "the rules are missing";
  let open = new Set();
  for (const { role, content } of body) {
    if (role === "tool") {
      for (const { toolCallId } of content) if (!open.delete(toolCallId)) return `a result without its call: ${toolCallId}`;
      continue;
    }
    if (open.size > 0) return `a call without its result: ${[...open].join(", ")}`;
    if (content.length === 0) return "a message is empty";
    open = new Set(content.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId));
  }
  return open.size > 0 ? `a call without its result: ${[...open].join(", ")}` : undefined;
}

/** Looks at some beds, side by side, waters some of them, and says so. */
function answer(prompt) {
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const request = prompt[at].content.map((part) => part.text ?? "").join("");
  const number = Number(/\d+/.exec(request)?.[0] ?? 0);
  const step = prompt.slice(at).filter(({ role }) => role === "assistant").length;
  if (step >= number % 4) return [text(`Turn ${number}: I have seen to it. ${"The beds are as they should be, and there is little to do. ".repeat(1 + (number % 5))}`)];
  const beds = Array.from({ length: 1 + ((number + step) % 3) }, (_, i) => (number * 7 + step * 3 + i) % 60);
  const calls = beds.map((bed, i) => ({ type: "tool-call", toolCallId: `call_${number}_${step}_${i}_${Math.random().toString(36).slice(2, 8)}`, ...(step % 2 === 0 ? order("look", { bed }) : order("water", { bed, litres: 3 + i })) }));
  return [text(`Step ${step + 1} of turn ${number}.`), ...calls];
}

const order = (toolName, input) => ({ toolName, input: JSON.stringify(input) });

function summary(prompt) {
  const words = prompt.map(({ content }) => (typeof content === "string" ? content : content.map((part) => part.text ?? "").join(""))).join("\n");
  const turns = [...words.matchAll(/Turn (\d+): I have seen to it/g)].map(([, number]) => number);
  return `GOAL: look after the garden\nSTATE: turns ${turns[0] ?? "?"} to ${turns[turns.length - 1] ?? "?"} are done, ${words.length} characters of them\nDECISIONS: beds are looked at before they are watered\nNEXT: the turns to come`;
}
