// An invented old module: what an application may have used for folds and for the facts of its memory before plica. It does what such
// modules are documented to do, and no more: 32-bit fingerprints, lookup in a list, pins, health, recall within a budget.

// --- folds --------------------------------------------------------------------------------------------------------------

/** 32-bit FNV-1a over UTF-16 code units. */
function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0).toString(16);
}

export const summaryFingerprint = (content) => hashOf(content);

export const spanFingerprint = (messages) => hashOf(messages.map(({ role, content }) => `${role}:${content}`).join("\0"));

export const isCompactedSummary = (message) => message?.role === "user" && String(message.content).startsWith("[compacted history");

const spansOf = (conversation) => (Array.isArray(conversation?.folded) ? conversation.folded.filter((span) => typeof span === "object" && span !== null) : []);

export const foldedSpansFor = (conversation, message) => spansOf(conversation).filter((span) => span.summaryFingerprint === summaryFingerprint(message.content));

export const foldedSpanFor = (conversation, message) => foldedSpansFor(conversation, message)[0];

export const foldedMessages = (conversation) => spansOf(conversation).flatMap((span) => span.messages ?? []);

// --- facts --------------------------------------------------------------------------------------------------------------

const DAY_MS = 86_400_000;

export const PINNED_KINDS = ["constraint", "antipattern"];

export const isPinnedKind = ({ kind }, { pinConstraints = true } = {}) => pinConstraints && typeof kind === "string" && PINNED_KINDS.includes(kind.trim().toLowerCase());

export function partitionPinned(facts, config = {}) {
  const { pinConstraints = true, pinnedMaxFacts = 12 } = config;
  if (!pinConstraints) return { pinned: [], rest: facts };
  const [pinned, rest] = [[], []];
  for (const fact of facts) (isPinnedKind(fact, config) && pinned.length < Math.max(0, pinnedMaxFacts) ? pinned : rest).push(fact);
  return { pinned, rest };
}

export function computeMemoryHealth(facts, { pinConstraints = true } = {}) {
  const totalFacts = facts.length;
  const imp5Count = facts.filter(({ importance }) => importance >= 5).length;
  const share = totalFacts === 0 ? 0 : (imp5Count / totalFacts) * 100;
  const counts = new Map();
  for (const { agent_id } of facts) {
    const agent = agent_id?.trim() || "default";
    counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  const byAgent = [...counts].map(([agent_id, count]) => ({ agent_id, facts: count })).sort((a, b) => b.facts - a.facts);
  const named = byAgent.filter(({ agent_id }) => agent_id !== "default");
  const underRecording = named.filter((entry) => entry.facts * 10 < named[0].facts);
  const pinnedCount = facts.filter((fact) => isPinnedKind(fact)).length;
  const warnings = [
    ...(share > 25 ? [`too much is important: ${imp5Count}/${totalFacts} facts (${share.toFixed(0)}%)`] : []),
    ...(underRecording.length > 0 ? [`hardly any facts from: ${underRecording.map(({ agent_id }) => agent_id).join(", ")}`] : []),
    ...(pinConstraints && pinnedCount === 0 && totalFacts > 50 ? ["no rule is pinned"] : []),
  ];
  return { totalFacts, imp5Count, imp5Pct: Number(share.toFixed(1)), byAgent, underRecording, pinnedCount, warnings };
}

export function keyPrefix(key) {
  const [prefix] = key.split(/[_\-.]/, 1);
  return prefix.length < 2 ? key.slice(0, 8) : prefix;
}

export function effectiveImportance({ importance, created_at, last_retrieved_at }, now) {
  const age = now - new Date(last_retrieved_at ?? created_at ?? NaN).getTime();
  if (!(age > 14 * DAY_MS)) return importance;
  return Math.max(Math.min(3, importance), importance - 2 * Math.floor(age / (14 * DAY_MS)));
}

export function salience(access, last, now) {
  const used = typeof access === "number" ? 0.5 * Math.log(1 + access) : 0;
  const age = new Date(last ?? NaN).getTime();
  const recent = Number.isNaN(age) ? 0 : Math.exp(-((now - age) / 3_600_000) / 168);
  return 0.15 * (used + recent);
}

const lengthOf = ({ key, value }) => key.length + String(value ?? "").length + 24;

export function budgetFacts(facts, { maxChars = 16_000, minFacts = 10, pinnedMaxChars = 9_000 } = {}) {
  if (maxChars <= 0 || facts.length === 0) return { rendered: [...facts], collapsed: [], inWindowCollapsed: 0 };
  const { pinned } = partitionPinned(facts);
  const [rendered, collapsed] = [[], []];
  let used = 0;
  for (const fact of pinned) {
    if (rendered.length > 0 && used + lengthOf(fact) > pinnedMaxChars) continue;
    used += lengthOf(fact);
    rendered.push(fact);
  }
  const first = new Set(rendered);
  for (const fact of facts) {
    if (first.has(fact)) continue;
    const fits = rendered.length < minFacts || used + lengthOf(fact) <= maxChars;
    if (fits) used += lengthOf(fact);
    (fits ? rendered : collapsed).push(fact);
  }
  return { rendered, collapsed, inWindowCollapsed: 0 };
}
