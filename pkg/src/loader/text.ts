// Every environment: the text codecs that the bindings use.
//
// Stand-ins are needed in Jest's jsdom only, which has WebAssembly but neither TextDecoder nor TextEncoder. Rejected: asking
// users for a polyfill (the import alone would not work for them), and `Buffer` (under jsdom it belongs to another realm).

import type { TextCodecs } from "../generated/glue.js";

/** The platform's codecs, or stand-ins; looked up when called, so that importing needs neither. */
export function textCodecs(): TextCodecs {
  return {
    TextDecoder: typeof TextDecoder === "undefined" ? PlainDecoder : TextDecoder,
    TextEncoder: typeof TextEncoder === "undefined" ? PlainEncoder : TextEncoder,
  };
}

const REPLACEMENT = 0xfffd;

/** Decodes what Rust made: well-formed UTF-8, so nothing is checked. */
class PlainDecoder {
  decode(bytes: Uint8Array = new Uint8Array(0)): string {
    let text = "";
    for (let at = 0; at < bytes.length;) {
      const lead = bytes[at++]!;
      const more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      let point = more === 0 ? lead : lead & (0x3f >> more);
      for (let left = more; left > 0; left--) point = (point << 6) | (bytes[at++]! & 0x3f);
      text += String.fromCodePoint(point);
    }
    return text;
  }
}

/** Encodes as the standard does: a lone surrogate becomes U+FFFD. */
class PlainEncoder {
  encode(text = ""): Uint8Array {
    const bytes = new Uint8Array(text.length * 3);
    return bytes.slice(0, this.encodeInto(text, bytes).written);
  }

  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
    let read = 0;
    let written = 0;
    while (read < text.length) {
      const raw = text.codePointAt(read)!;
      const point = raw >= 0xd800 && raw <= 0xdfff ? REPLACEMENT : raw;
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > bytes.length) break;
      if (size === 1) bytes[written] = point;
      else {
        for (let left = size - 1, rest = point; left >= 0; left--, rest >>= 6) {
          bytes[written + left] = left > 0 ? 0x80 | (rest & 0x3f) : ((0xf00 >> size) & 0xff) | rest;
        }
      }
      written += size;
      read += raw > 0xffff ? 2 : 1;
    }
    return { read, written };
  }
}
