// JSON values of any shape, looked at without trust.

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The first of these members that is there and not null. */
export function firstOf(value: Fields, keys: readonly string[]): unknown {
  for (const key of keys) {
    const member = value[key];
    if (member !== undefined && member !== null) return member;
  }
  return undefined;
}

/** Any value as text: strings as they are, the rest as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // Writing JSON goes down level by level, and reading it does not: what was read may be too deep to be written.
    return "(nested too deep to be shown)";
  }
}
