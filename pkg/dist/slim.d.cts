export * from "./index.cjs";
export { init } from "./loader/init-slim.cjs";
export type { ModuleInput, ResponseLike, UrlLike, WasmModule } from "./loader/init-slim.cjs";
