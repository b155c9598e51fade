// What kind of value something is, whatever it is: nothing of the value's own is run. Without imports, so that every entry can have it.

/** "a string", "null", "an array", …; runs nothing of the value's. @internal */
export function article(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const kind = isArray(value) ? "array" : typeof value;
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

/** Array.isArray, which throws for a revoked proxy. @internal */
export function isArray(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
