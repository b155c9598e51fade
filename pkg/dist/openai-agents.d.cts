export { plicaSession } from "./adapters/openai-agents.cjs";
export type { InputFilter, InputFilterOptions, PlicaSession, PlicaSessionOptions, RunUsage, SessionItem } from "./adapters/openai-agents.cjs";
