// Cloudflare Workers (workerd, wrangler, miniflare): the platform compiles `plica.wasm` at deployment and hands over the
// finished module.
//
// Rejected: the inlined module of the other environments (Workers forbid compiling bytes at run time), and one file for
// both (the import of a .wasm file fails everywhere else).

import module from "../plica.wasm";
import type { Source } from "./core.js";

export const source: Source = {
  module: () => module,
  moduleAsync: async () => module,
  missing: "",
};
