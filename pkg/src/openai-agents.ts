// The entry `plica/openai-agents`: a session for the OpenAI Agents SDK.

export { plicaSession } from "./adapters/openai-agents.js";
export type { InputFilter, InputFilterOptions, PlicaSession, PlicaSessionOptions, RunUsage, SessionItem } from "./adapters/openai-agents.js";
