export type Rejection = "blank" | "not-text" | "not-smaller";
export function judgeSummary(a: { text: unknown; finishReason?: string; prompt?: string; earlier?: string }): { accepted: true } | { accepted: false; code: Rejection; message: string } {
  if (typeof a.text !== "string") return { accepted: false, code: "not-text", message: "no text" };
  return a.text.trim() === "" ? { accepted: false, code: "blank", message: "blank" } : { accepted: true };
}
export function isTooLong(error: unknown): boolean { return String(error).includes("too long"); }
