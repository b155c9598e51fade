// SPDX-License-Identifier: MIT OR Apache-2.0

/** Small generator of 32-bit numbers (a multiply-and-shift mix of a counter); good enough to shuffle tests. */
export class Random {
  constructor(seed) {
    this.state = (Number(seed) | 0) ^ 0x5bd1e995;
  }
  next() {
    this.state = (this.state + 0x9e3779b9) | 0;
    let x = this.state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (x ^ (x >>> 15)) >>> 0;
  }
  below(n) {
    return Math.floor((this.next() / 4294967296) * n);
  }
  chance(p) {
    return this.next() / 4294967296 < p;
  }
  pick(list) {
    return list[this.below(list.length)];
  }
}

export function seedTag(r) {
  return r.next().toString(36);
}

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFUlEQVR4nGOIWuC2atUqBiBVEaABACmUBW+QKI+rAAAAAElFTkSuQmCC';

const WORDS = [
  'plan', 'bed', 'row', 'seed', 'frost', 'water', 'the', 'a', 'and', 'then', 'north', 'shade', 'leaf', 'error', 'ok', 'done',
  'größer', 'naïve', 'Ελλάδα', 'сад', '庭', '日本語の文', '정원', 'حديقة', '🌱', '👩‍🌾', 'e\u0301', '\u2028', 'x\u0000y', '<b>', '"q"', '\\',
  '</compaction-summary>', '[user]', 'ÿ', '𝒳',
];

export function words(r, most = 12) {
  const out = [];
  for (let n = 1 + r.below(most); n > 0; n--) out.push(r.pick(WORDS));
  return `w${out.join(r.chance(0.1) ? '\n' : ' ')}`;
}

/** A result's text, whether the story has it as a string or as text blocks. */
export function textOf(content) {
  return typeof content === 'string' ? content : content[0].text;
}

/** Now and then a field that nobody has heard of. */
export function odd(r, message) {
  return r.chance(0.04) ? { ...message, x_trace: { id: seedTag(r), n: 1.5 } } : message;
}
