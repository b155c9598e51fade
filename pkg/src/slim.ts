// The slim entry: everything of the main one, with an `init` that takes the module.

export * from "./index.js";
export { init } from "./loader/init-slim.js";
export type { ModuleInput, ResponseLike, UrlLike, WasmModule } from "./loader/init-slim.js";
