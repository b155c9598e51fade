// Markdown to HTML that holds structure and text only: HTML in the text is text, and addresses and code stay out of it (they are
// kept in a list, and the HTML has their numbers), so that no attribute is written by the transcript.

import { Marked, Renderer, Tokenizer, type Tokens } from "marked";

/** What did not go through HTML. */
export type Kept = { kind: "link" | "image"; address: string } | { kind: "code"; text: string; language: string | undefined };

export interface Parsed {
  html: string;
  kept: Kept[];
}

/**
 * Longer text is not parsed. 100,000 units of ordinary Markdown take about 50 ms to parse; the
 * shapes that are quadratic in marked (an item of a list with thousands of lines, words and gaps without an end, rows of
 * delimiters) are bounded by what follows.
 */
const LONGEST = 100_000;

/** Lines of one text. An item of a list with n lines costs n²: 5,000 lines 0.2 s, 20,000 lines 3.5 s. */
const LINES = 5_000;

/** Letters of a word in front of an @, which is tried as an address from each of them: 40,000 take 2.9 s. Addresses have up to 254. */
const MAIL = 300;

/** Letters of a word with addresses in it: `https://a.b/(` again and again takes 1.1 s at 100,000, 50 ms at 20,000. */
const ADDRESS = 20_000;

/** In a longer word, so many `!` are taken: 30,000 of them in a row take 1.3 s, in words of 1,000 they take 1 ms each. */
const STOPS = 50;

/** Spaces in a row, which are tried as an end of line from each of them (100,000 take 14 s, 1,000 take 2 ms), or letters of a word. */
const GAP = 1_000;

/** Blocks or spans inside each other. marked overflows the stack at a few thousand; nobody reads more than these. */
const DEEPEST = 40;

/**
 * Units that delimiters of emphasis, code, links and references may look through, all together. Each may scan the rest of its paragraph
 * (and a nested one scans it again), so a row of n of them costs n²: `*a **b ` at 40,000 units took 7.6 s. 2 million units take
 * 0.1 to 0.3 s; 100,000 units of ordinary text with a link or emphasis every five words need 0.9 million.
 */
const WORK = 2_000_000;

/** Elements of the result: building and cleaning 20,000 takes about 0.5 s. */
const ELEMENTS = 20_000;

class TooMuch extends Error {}

/** The tokenizer of marked with an end to nesting and to work. */
class Bounded extends Tokenizer {
  #depth = 0;
  #work = WORK;

  #nested<T>(run: () => T): T {
    if (this.#depth >= DEEPEST) throw new TooMuch();
    this.#depth++;
    try {
      return run();
    } finally {
      this.#depth--;
    }
  }

  /** A delimiter at the beginning of a source may look at all of it. */
  #spend(source: string): void {
    this.#work -= source.length;
    if (this.#work < 0) throw new TooMuch();
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return this.#nested(() => super.blockquote(source));
  }

  override list(source: string): Tokens.List | undefined {
    return this.#nested(() => super.list(source));
  }

  override emStrong(source: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    if (/^[*_]/.test(source)) this.#spend(source);
    return this.#nested(() => super.emStrong(source, masked, before));
  }

  override del(source: string, masked: string, before?: string): Tokens.Del | undefined {
    if (source.startsWith("~")) this.#spend(source);
    return this.#nested(() => super.del(source, masked, before));
  }

  override link(source: string): Tokens.Link | Tokens.Image | undefined {
    if (/^!?\[/.test(source)) this.#spend(source);
    return this.#nested(() => super.link(source));
  }

  override codespan(source: string): Tokens.Codespan | undefined {
    if (source.startsWith("`")) this.#spend(source);
    return super.codespan(source);
  }

  override reflink(source: string, links: Parameters<Tokenizer["reflink"]>[1]): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    if (/^!?\[/.test(source)) this.#spend(source);
    return this.#nested(() => super.reflink(source, links));
  }

  /** A tag is a piece of text; it does not change how what is behind it is read, as it does in a page. */
  override tag(source: string): Tokens.Tag | undefined {
    const raw = this.rules.inline.tag.exec(source)?.[0];
    return raw === undefined ? undefined : { type: "html", raw, text: raw, inLink: false, inRawBlock: false, block: false };
  }
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Text of Markdown may name characters (`&lt;`): the names stay, every other `&` is one. */
const escapedText = (text: string): string => text.replace(/&(?!(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,31});)/g, "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", colon: ":", Tab: "\t", NewLine: "\n" };

/** An address with its named and numbered characters resolved, as a browser would read it. Rarer names stay as they are. */
function resolved(address: string): string {
  return address.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,7}));/g, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? all) : all;
    const code = decimal !== undefined ? Number(decimal) : parseInt(hex ?? "", 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}

/** Headings of a text stand below those of the page; their looks follow `data-level`. */
const BELOW = 2;

class Structure extends Renderer {
  readonly kept: Kept[] = [];

  #keep(what: Kept): string {
    return `data-ref="${this.kept.push(what) - 1}"`;
  }

  override html(token: Tokens.HTML | Tokens.Tag): string {
    const text = escaped(token.text);
    return token.block ? `<p data-literal="">${text.trim()}</p>\n` : text;
  }

  override code(token: Tokens.Code): string {
    return `<pre ${this.#keep({ kind: "code", text: token.text, language: token.lang?.trim() || undefined })}></pre>\n`;
  }

  override codespan(token: Tokens.Codespan): string {
    return `<code>${escaped(token.text)}</code>`;
  }

  override heading(token: Tokens.Heading): string {
    const tag = `h${Math.min(6, token.depth + BELOW)}`;
    return `<${tag} data-level="${token.depth}">${this.parser.parseInline(token.tokens)}</${tag}>\n`;
  }

  override checkbox(token: Tokens.Checkbox): string {
    return token.checked ? "☑ " : "☐ ";
  }

  override link(token: Tokens.Link): string {
    const address = token.autolink ? token.href : resolved(token.href);
    const text = token.autolink ? escaped(token.text) : this.parser.parseInline(token.tokens);
    return `<a ${this.#keep({ kind: "link", address })}>${text}</a>`;
  }

  override image(token: Tokens.Image): string {
    const alt = token.tokens ? this.parser.parseInline(token.tokens, this.parser.textRenderer) : token.text;
    return `<span ${this.#keep({ kind: "image", address: resolved(token.href) })}>${escapedText(alt)}</span>`;
  }

  override text(token: Tokens.Text | Tokens.Escape): string {
    return "tokens" in token && token.tokens ? this.parser.parseInline(token.tokens) : escapedText(token.text);
  }
}

/** More lines than `most`, without a list of them. */
function longerThan(text: string, most: number): boolean {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (++lines > most) return true;
  }
  return false;
}

/** A word or a gap that is too long for marked. One pass with no way back. */
function hasLongRun(text: string): boolean {
  for (const [run] of text.matchAll(/[ \t]+|[^\s@]+@?/g)) {
    if (run.length <= MAIL) continue;
    if (run.endsWith("@")) return true;
    if (run.length > GAP && (/^[ \t]/.test(run) || run.split("!").length > STOPS)) return true;
    if (run.length > ADDRESS && run.includes("://")) return true;
  }
  return false;
}

/** The structure of a text, or undefined where it has more of something than can be parsed in a moment. */
export function parse(text: string): Parsed | undefined {
  if (text.length > LONGEST || longerThan(text, LINES) || hasLongRun(text)) return undefined;
  try {
    const renderer = new Structure();
    const marked = new Marked().setOptions({ gfm: true, breaks: true, renderer, tokenizer: new Bounded() });
    // A parser of HTML drops null characters without a word.
    const html = marked.parse(text.replaceAll("\0", "\u2400"), { async: false });
    return html.split("<").length > 2 * ELEMENTS ? undefined : { html, kept: renderer.kept };
  } catch {
    return undefined;
  }
}
