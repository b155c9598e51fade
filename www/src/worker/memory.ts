// The facts of an agent's memory that a file holds: what is pinned, and what is out of balance.

import { computeMemoryHealth, partitionPinned } from "plica/slim";
import { FIRST_FACTS } from "../protocol.js";
import type { MemoryView } from "../protocol.js";
import { isObject, listOf, textOf } from "./json.js";
import type { Fields } from "./json.js";

/** The memory of a document; null without facts. */
export function memoryOf(document: unknown): MemoryView | null {
  const facts = factsOf(document);
  if (facts.length === 0) return null;
  const health = computeMemoryHealth(facts);
  const { pinned, rest } = partitionPinned(facts);
  const shown = [...pinned.map((fact) => shownFact(fact, true)), ...rest.slice(0, FIRST_FACTS).map((fact) => shownFact(fact, false))];
  return {
    facts: shown.slice(0, FIRST_FACTS),
    total: facts.length,
    pinned: pinned.length,
    findings: health.findings.map(({ code, message }) => ({ code, message })),
    byAgent: health.byAgent.map(({ agent_id, facts: count }) => ({ agent: agent_id, facts: count })),
    inflated: { count: health.imp5Count, percent: health.imp5Pct },
  };
}

function factsOf(document: unknown): Fields[] {
  if (!isObject(document)) return [];
  const held = isObject(document.memory) ? document.memory.facts : undefined;
  return listOf(Array.isArray(document.facts) ? document.facts : held).filter(isObject);
}

function shownFact(fact: Fields, pinned: boolean): MemoryView["facts"][number] {
  const importance = Number(fact.importance);
  return {
    key: textOf(fact.key),
    value: textOf(fact.value),
    importance: Number.isFinite(importance) ? importance : 0,
    agent: typeof fact.agent_id === "string" && fact.agent_id.trim() !== "" ? fact.agent_id.trim() : "default",
    kind: typeof fact.kind === "string" ? fact.kind : "",
    pinned,
  };
}
