// What the tools of a conversation mean, as the caller says it; those of well-known agents the core knows.

import { PlicaError } from "./errors.js";
import type { ToolKind } from "./generated/core.js";
import { article } from "./kinds.js";
import { fields } from "./options.js";

/** What a tool does with files. */
export interface ToolUse {
  /** `read`: it says what a file holds; `write`: it changes a file; `run`: neither. */
  kind: ToolKind;
  /** The argument that holds the path; `path`, `file_path` and the like when left out. */
  path?: string | undefined;
}

const KINDS: readonly unknown[] = ["read", "write", "run"];

/** The `tools` option in the form of the core. @internal */
export function toolsOf(value: unknown): { name: string; kind: unknown; path?: string }[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object") throw new PlicaError("bad-argument", `tools must be an object, not ${article(value)}`);
  let keys: string[];
  try {
    keys = Object.keys(value);
  } catch (error) {
    throw new PlicaError("bad-argument", "tools cannot be read", { cause: error });
  }
  const own = fields(value, keys, "tools");
  return keys.map((name) => {
    const { kind, path } = fields(own[name], ["kind", "path"], `tools.${name}`);
    if (!KINDS.includes(kind)) throw new PlicaError("bad-argument", `tools.${name} needs a kind: "read", "write" or "run"`);
    if (path !== undefined && path !== null && typeof path !== "string") throw new PlicaError("bad-argument", `tools.${name}.path must be the name of an argument, not ${article(path)}`);
    return { name, kind, ...(typeof path === "string" ? { path } : {}) };
  });
}
