// Errors that conversations look at, and listeners that have no say.

/** By its name: the store may be of another copy of the package, of `require` beside `import`, say. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const { name, code } = (typeof error === "object" && error !== null ? error : {}) as { name?: unknown; code?: unknown };
  return name === "PlicaError" && codes.includes(code as string);
}

/** A listener has no say. */
export function heard(tell: () => unknown): void {
  try {
    const answer = tell();
    if (answer instanceof Promise) answer.catch(() => undefined);
  } catch {
    // Said in the documentation.
  }
}
