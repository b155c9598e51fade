// The core of this bundle: the environment's source and the library's error class, put together.

import { PlicaError } from "../errors.js";
import { createCore } from "./core.js";
import { source } from "./source.js";

// Marked pure so that a bundler can leave it out, module and all, when nothing that calls the core is used.
export const live = /* @__PURE__ */ createCore(source, (code, message, cause) => new PlicaError(code, message, { cause }));
