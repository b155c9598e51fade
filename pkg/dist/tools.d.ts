import type { ToolKind } from "./generated/core.js";
/** What a tool does with files. */
export interface ToolUse {
    /** `read`: it says what a file holds; `write`: it changes a file; `run`: neither. */
    kind: ToolKind;
    /** The argument that holds the path; `path`, `file_path` and the like when left out. */
    path?: string | undefined;
}
