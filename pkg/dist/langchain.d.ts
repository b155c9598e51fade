export { plicaMiddleware, summarizeWith } from "./adapters/langchain.js";
export type { LangchainModel, PlicaMiddleware, PlicaMiddlewareOptions } from "./adapters/langchain.js";
