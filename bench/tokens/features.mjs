// What the estimator sees of a text, as numbers of weights: the same as src/tokens/balanced.rs, which the layout below is of.
// There a text is read in one pass; here one piece of the tokenizer's own splitting at a time, so that each piece has a
// known count to fit to.

import { decode } from "gpt-tokenizer/encoding/o200k_base";

/** How o200k_base splits a text before it looks for tokens; each piece has tokens of its own. */
export const PIECES = /[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Pairs of Han or Hangul characters that stand together in a token: a bit each, by a hash. */
export const PAIRS = new Uint8Array(8192);
const isJoining = (cp) => (cp >= 0x3400 && cp < 0xa000) || (cp >= 0xac00 && cp < 0xd800);
const pairBit = (before, cp) => (Math.imul(before, 0x9e3779b1) ^ Math.imul(cp, 0x85ebca6b)) >>> 16;
for (let token = 0; token < 199_998; token++) {
  const points = [...decode([token])].map((c) => c.codePointAt(0));
  for (let i = 1; i < points.length; i++) {
    if (!isJoining(points[i - 1]) || !isJoining(points[i])) continue;
    const bit = pairBit(points[i - 1], points[i]);
    PAIRS[bit >> 3] |= 1 << (bit & 7);
  }
}

function isPair(before, cp) {
  const bit = pairBit(before, cp);
  return isJoining(before) && (PAIRS[bit >> 3] >> (bit & 7)) % 2 === 1;
}

/** Where each table of weights begins. */
export const AT = {};
export let SIZE = 0;
for (const [name, length] of [
  ["letters", 32 * 32 * 32], // of two letters and the one in front of them
  ["capitals", 32 * 32],
  ["leads", 256], // by what stands in front of a word; the second half for words in capitals
  ["marks", 64 * 40], // by the one in front, of punctuation
  ["again", 40], // the third of the same, and every sixteenth behind it
  ["breaks", 40], // newlines behind punctuation
  ["spaces", 80],
  ["scripts", 10 * 1024], // of two letters
  ["han", 4096], // the second half behind a character that it makes a pair with
  ["others", 1152], // characters by their neighbourhood
  ["same", 1], // a symbol after itself
  ["digits", 1], // three of them
]) {
  AT[name] = SIZE;
  SIZE += length;
}

const isLetter = /[\p{L}\p{M}]/u;

/** 0 to 31 for ASCII punctuation, 32 for control characters. */
export function markCode(c) {
  if (c <= 32 || c === 127) return 32;
  if (c < 48) return c - 32;
  if (c < 65) return c - 58 + 16;
  if (c < 97) return c - 91 + 23;
  return c - 123 + 29;
}

const isLatin = (cp) => cp < 0x250 || (cp >= 0x1e00 && cp < 0x1f00) || (cp >= 0x300 && cp < 0x370);

/** 1 to 26 for a to z; others by where they are from. */
function latinCode(cp) {
  if (cp < 0x80) return cp & 31;
  if (cp < 0x100) return 27;
  if (cp < 0x140) return 28;
  if (cp < 0x180) return 29;
  return cp >= 0x300 && cp < 0x370 ? 31 : 30;
}

const HAN = 8;
const HANGUL = 9;

/** Scripts with weights for pairs of letters; -1 for all others. */
function scriptOf(cp) {
  if (cp >= 0x370 && cp < 0x400) return 0;
  if (cp >= 0x400 && cp < 0x530) return 1;
  if (cp >= 0x590 && cp < 0x600) return 2;
  if (cp >= 0x600 && cp < 0x780) return 3;
  if (cp >= 0x900 && cp < 0x980) return 4;
  if (cp >= 0xe00 && cp < 0xe80) return 5;
  if (cp >= 0x3040 && cp < 0x30a0) return 6;
  if (cp >= 0x30a0 && cp < 0x3100) return 7;
  if (cp >= 0x3400 && cp < 0xa000) return HAN;
  if (cp >= 0xac00 && cp < 0xd800) return HANGUL;
  return -1;
}

const mixed = (cp) => (cp ^ (cp >> 5)) & 511;

/** `before`: the letter in front, or 0 behind a space, 30 behind another script, 31 behind anything else. */
function scriptWeight(script, before, cp) {
  if (script < 0) return AT.others + other(cp);
  if (script === HAN) return AT.han + (isPair(before, cp) ? 2048 : 0) + (cp & 2047);
  const pair = script === HANGUL ? (isPair(before, cp) ? 512 : 0) + mixed(cp) : (before & 31) * 32 + (cp & 31);
  return AT.scripts + script * 1024 + pair;
}

/** Characters that are told apart by their neighbourhood alone: the finer the more of them are in use. */
export function other(cp) {
  if (cp < 0x2000) return cp >> 6;
  if (cp < 0x2c00) return 128 + ((cp - 0x2000) >> 3);
  if (cp < 0x10000) return 512 + ((cp - 0x2c00) >> 7);
  if (cp >= 0x1f000 && cp < 0x1fb00) return 940 + ((cp - 0x1f000) >> 4);
  return 1120 + ((cp >> 12) & 31);
}

/** The numbers of the weights that add up to a piece's tokens. */
export function features(piece) {
  const points = [...piece].map((c) => c.codePointAt(0));
  if (/^\p{N}/u.test(piece)) return points[0] < 128 ? [AT.digits] : points.map((cp) => AT.others + other(cp));
  if (/^\s+$/u.test(piece)) return spaces(piece, points);
  return isLetter.test(piece) ? word(points) : marks(points);
}

function spaces(piece, points) {
  if (points.some((cp) => cp > 127)) return points.map((cp) => AT.others + other(cp));
  const lines = (piece.match(/[\r\n]/g) ?? []).length;
  if (lines > 0) return [AT.spaces + Math.min(lines, 4) + (piece[0] === "\n" || piece[0] === "\r" ? 0 : 8)];
  return [AT.spaces + spaceCode(points.length, points[0] === 9)];
}

export function spaceCode(length, tab) {
  const size = length < 20 ? length : length < 40 ? 20 : length < 80 ? 21 : length < 128 ? 22 : 23;
  return 16 + size + (tab ? 24 : 0);
}

function word(points) {
  const found = [];
  let at = 0;
  let lead = 0;
  if (!isLetter.test(String.fromCodePoint(points[0]))) {
    lead = points[0] < 127 ? points[0] : 127;
    if (points[0] > 127) found.push(AT.others + other(points[0]));
    at = 1;
  }
  let script = -2; // -1 is Latin here
  let [two, one] = [0, 0];
  for (; at < points.length; at++) {
    const cp = points[at];
    if (cp === 39) {
      [lead, script] = [39, -2];
      continue;
    }
    if (isLatin(cp)) {
      const capital = (cp >= 65 && cp <= 90) || (cp >= 0xc0 && cp < 0xdf);
      const code = latinCode(cp);
      const next = points[at + 1];
      if (script !== -1) {
        found.push(AT.leads + (script === -2 ? lead : 1) + (capital && next >= 65 && next <= 90 ? 128 : 0));
        one = 0;
      } else if (capital) found.push(AT.capitals + one * 32 + code);
      else found.push(AT.letters + two * 1024 + one * 32 + code);
      [two, one, script] = [one, code, -1];
    } else {
      const own = scriptOf(cp) + 10;
      const start = script !== -2 ? 30 : lead === 32 ? 0 : lead === 0 ? 29 : 31;
      found.push(scriptWeight(own - 10, script === own ? points[at - 1] : start, cp));
      script = own;
    }
  }
  return found;
}

function marks(points) {
  const found = [];
  let [before, run] = [0, 0];
  for (const [i, cp] of points.entries()) {
    if (cp === 32 && i === 0) before = 63;
    else if (cp === 10 || cp === 13) {
      found.push(AT.breaks + (before >= 1 && before < 40 ? before - 1 : 39));
      break;
    } else if (cp < 128) {
      const code = markCode(cp);
      run = before === code + 1 ? run + 1 : 0;
      // Runs of one mark are few tokens, however long.
      if (run < 2) found.push(AT.marks + before * 40 + code);
      else if (run % 16 === 2) found.push(AT.again + code);
      before = code + 1;
    } else {
      found.push(points[i - 1] === cp ? AT.same : AT.others + other(cp));
      [run, before] = [0, 62];
    }
  }
  return found;
}
