// `init` of the slim entry.

import { live } from "./live.js";
import type { ModuleInput } from "./module-input.js";
import { provide } from "./slim.js";

export type { ModuleInput, ResponseLike, UrlLike, WasmModule } from "./module-input.js";

/**
 * Gives the library its WebAssembly module. Must have resolved before anything else is called; calling it again changes nothing.
 *
 * @param input - the compiled module, its bytes, a response that carries them, or the URL to fetch them from
 * @example
 * await init(new URL("plica/core.wasm", import.meta.url));
 */
export async function init(input: ModuleInput | PromiseLike<ModuleInput>): Promise<void> {
  try {
    await provide(input);
  } catch (cause) {
    throw live.unavailable(cause);
  }
  await live.init();
}
