// `init` of the entries that hold their module.

import { live } from "./live.js";

/**
 * Compiles the core without blocking. Never needed (the first call does it), but recommended in browsers, where the main
 * thread should not wait for it.
 *
 * @example
 * await init();
 */
export function init(): Promise<void> {
  return live.init();
}
