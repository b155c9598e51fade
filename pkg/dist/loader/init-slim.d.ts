import type { ModuleInput } from "./module-input.js";
export type { ModuleInput, ResponseLike, UrlLike, WasmModule } from "./module-input.js";
/**
 * Gives the library its WebAssembly module. Must have resolved before anything else is called; calling it again changes nothing.
 *
 * @param input - the compiled module, its bytes, a response that carries them, or the URL to fetch them from
 * @example
 * await init(new URL("plica/core.wasm", import.meta.url));
 */
export declare function init(input: ModuleInput | PromiseLike<ModuleInput>): Promise<void>;
