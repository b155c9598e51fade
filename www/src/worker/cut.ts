// Pieces of texts that do not tear a character into halves.

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Whether a cut at this place would part two halves of one character. */
function tears(text: string, at: number): boolean {
  return at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}

/** At most `length` units of a text; a character that does not fit whole is left to the next piece. */
export function cut(text: string, from: number, length: number): string {
  const end = from + length;
  // One character alone is given whole, so that whoever asks for piece after piece comes to the end.
  const torn = tears(text, end);
  return text.slice(from, torn ? (length > 1 ? end - 1 : end + 1) : end);
}

/** The nearest place at or behind this one at which no character is torn. */
export function whole(text: string, at: number): number {
  return tears(text, at) ? at + 1 : at;
}
