export { plicaMiddleware, summarizeWith } from "./adapters/langchain.cjs";
export type { LangchainModel, PlicaMiddleware, PlicaMiddlewareOptions } from "./adapters/langchain.cjs";
