export declare const SUMMARIZE_SYSTEM: string;
export declare const PINNED_KIND_NAMES: readonly string[];
export declare const PROVENANCE_MARKS: readonly string[];
