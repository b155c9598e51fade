export { plicaSession } from "./adapters/openai-agents.cjs";
export type { InputFilter, InputFilterOptions, PlicaSession, PlicaSessionOptions, RunUsage } from "./adapters/openai-agents.cjs";
