// Code with its words coloured. The highlighter writes HTML; here it becomes nodes without a parser of HTML: its output consists of
// spans with a class and of escaped text, and nothing else is understood.

import type { Language, LanguageFn } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import plaintext from "highlight.js/lib/languages/plaintext";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { markHidden, plain } from "./hidden.js";

const LANGUAGES: Readonly<Record<string, LanguageFn>> = {
  bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, makefile, markdown, php, plaintext, python, ruby,
  rust, sql, typescript, xml, yaml,
};

/** Longer code is shown without colours. */
const LONGEST = 30_000;

/**
 * Grammars look ahead from every letter of a line or over every empty line: 30,000 letters in one line took 5.6 s in Java, 30,000
 * empty lines 1.2 s in C#. JSON has no such rule and often one line.
 */
const LINE = 500;
const LINES = 3_000;

/**
 * Grammars that are slower than that. C# looks for a type over the lines as well: 30,000 units of short words took longer than 10 s,
 * 3,000 take 0.2 s. INI tries a key from each dot of a line: 30,000 units took 2 s.
 */
const SHORTER: Readonly<Record<string, number>> = { "C#": 3_000, "TOML, also INI": 10_000 };

/** Code without a name of a language is looked at up to this length; a guess that is less sure than this is none. */
const GUESSED = 2_000;
const SURE = 6;
const GUESSES = ["json", "javascript", "typescript", "python", "bash", "rust", "go", "xml", "sql", "diff"];

/** Spans inside spans deeper than this are left out; their text is not. */
const DEEPEST = 20;

const EXTENSIONS: Readonly<Record<string, string>> = {
  bash: "bash", c: "c", cc: "cpp", cjs: "javascript", cpp: "cpp", cs: "csharp", css: "css", cts: "typescript", cxx: "cpp",
  diff: "diff", go: "go", h: "c", hh: "cpp", hpp: "cpp", htm: "xml", html: "xml", ini: "ini", java: "java", js: "javascript",
  json: "json", jsonl: "json", jsx: "javascript", md: "markdown", mjs: "javascript", mk: "makefile", mts: "typescript",
  patch: "diff", php: "php", py: "python", pyi: "python", rb: "ruby", rs: "rust", sh: "bash", sql: "sql", svg: "xml", toml: "ini",
  ts: "typescript", tsx: "typescript", txt: "plaintext", xml: "xml", yaml: "yaml", yml: "yaml", zsh: "bash",
};

const FILES: Readonly<Record<string, string>> = { dockerfile: "dockerfile", containerfile: "dockerfile", makefile: "makefile", gnumakefile: "makefile", gemfile: "ruby", rakefile: "ruby" };

/** The names that people know; others are shown as they are. */
const TITLES: Readonly<Record<string, string>> = {
  bash: "Bash", c: "C", cpp: "C++", csharp: "C#", css: "CSS", diff: "Diff", dockerfile: "Dockerfile", go: "Go", ini: "INI",
  java: "Java", javascript: "JavaScript", json: "JSON", makefile: "Makefile", markdown: "Markdown", php: "PHP", plaintext: "Text",
  python: "Python", ruby: "Ruby", rust: "Rust", sql: "SQL", typescript: "TypeScript", xml: "XML", yaml: "YAML",
};

/** Aliases that are shown by their own name. */
const ALIASES: Readonly<Record<string, string>> = { html: "HTML", svg: "SVG", toml: "TOML", jsx: "JSX", tsx: "TSX", sh: "Shell", shell: "Shell", console: "Shell", shellsession: "Shell", jsonc: "JSON" };

let registered = false;

/**
 * A grammar without those of other languages inside. Each piece of an inner language is opened inside of all that the pieces before
 * left open: 4,400 units of prompts with `${` became 11 MB of HTML, 30,000 units of Dockerfile took all memory.
 */
function alone(grammar: Language): Language {
  const seen = new Set<object>();
  const rest: object[] = [grammar];
  for (let mode = rest.pop(); mode; mode = rest.pop()) {
    if (seen.has(mode)) continue;
    seen.add(mode);
    if ("subLanguage" in mode) delete mode.subLanguage;
    for (const value of Object.values(mode)) if (typeof value === "object" && value !== null && !(value instanceof RegExp)) rest.push(value);
  }
  return grammar;
}

function library(): typeof hljs {
  if (!registered) {
    for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, (api) => alone(language(api)));
    hljs.registerAliases(["shell", "console", "shellsession"], { languageName: "bash" });
    registered = true;
  }
  return hljs;
}

const own = (table: Readonly<Record<string, string>>, key: string): string | undefined => (Object.hasOwn(table, key) ? table[key] : undefined);

/** The language of a file by its name, or undefined. */
export function languageOf(path: string): string | undefined {
  const file = (path.split(/[/\\]/).at(-1) ?? "").toLowerCase();
  const dot = file.lastIndexOf(".");
  return own(FILES, file) ?? own(FILES, file.slice(0, Math.max(dot, 0))) ?? (dot >= 0 ? own(EXTENSIONS, file.slice(dot + 1)) : undefined);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'" };

const unescaped = (html: string): string => html.replace(/&(amp|lt|gt|quot|#x27|#39);/g, (_, name: string) => ENTITIES[name] ?? "");

/** Nodes for the output of the highlighter. A `<` in it is always its own, as it escapes every one of the code. */
function nodes(html: string): DocumentFragment {
  const root = document.createDocumentFragment();
  const open: Node[] = [root];
  for (const piece of html.split(/(<span class="[\w\- ]*">|<\/span>)/)) {
    const top = open.at(-1) ?? root;
    if (piece === "</span>") {
      if (open.length > 1) open.pop();
    } else if (piece.startsWith("<span")) {
      open.push(open.length > DEEPEST ? top : top.appendChild(span(piece.slice(13, -2))));
    } else if (piece !== "") {
      top.appendChild(document.createTextNode(unescaped(piece)));
    }
  }
  return root;
}

function span(className: string): HTMLSpanElement {
  const element = document.createElement("span");
  element.className = className;
  return element;
}

/** The time that a grammar takes may grow faster than the code. */
function isOdd(code: string, language: string | undefined): boolean {
  if (language === "json" || language === "plaintext") return false;
  const grammar = (language && library().getLanguage(language)?.name) || "";
  if (code.length > (SHORTER[grammar] ?? LONGEST)) return true;
  const lines = code.split("\n");
  return lines.length > LINES || lines.some((line) => line.length > LINE);
}

/** The output of the highlighter and the language it took, or undefined where there is nothing to colour. */
function coloured(code: string, language: string | undefined): { html: string; language: string } | undefined {
  if (code.length > LONGEST || isOdd(code, language)) return undefined;
  try {
    if (language) {
      if (!library().getLanguage(language)) return undefined;
      return { html: library().highlight(code, { language, ignoreIllegals: true }).value, language };
    }
    if (code.length > GUESSED) return undefined;
    const guess = library().highlightAuto(code, GUESSES);
    return guess.language && guess.relevance >= SURE ? { html: guess.value, language: guess.language } : undefined;
  } catch {
    // A grammar that gives up has no say in whether the code is shown.
    return undefined;
  }
}

function shown(code: string, found: { html: string } | undefined): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(found ? nodes(found.html) : code);
  markHidden(fragment);
  return fragment;
}

const clean = (code: string): string => code.replaceAll("\r\n", "\n");

const known = (language: string | undefined): string | undefined => language?.trim().toLowerCase().replace(/[^\w+#-].*$/s, "") || undefined;

/** Code as nodes with the classes of the highlighter. Without a language it is guessed, if the code is short. */
export function highlighted(code: string, language?: string): DocumentFragment {
  const text = clean(code);
  return shown(text, coloured(text, known(language)));
}

function nameOf(language: string | undefined): string {
  if (!language) return "Code";
  const id = known(language) ?? "";
  return own(ALIASES, id) ?? own(TITLES, id) ?? own(TITLES, alias(id)) ?? plain(language).slice(0, 40);
}

/** The key of a language in the table above for any of its names. */
function alias(id: string): string {
  const found = library().getLanguage(id)?.name?.toLowerCase() ?? "";
  return Object.entries(TITLES).find(([, title]) => title.toLowerCase() === found)?.[0] ?? "";
}

const sources = new WeakMap<Element, string>();

/** The code that a block shows, as it came: what a button to copy is there for. */
export const codeOf = (block: Element): string | undefined => sources.get(block);

function header(name: string): HTMLElement {
  const head = document.createElement("div");
  head.className = "code-head";
  const label = span("language");
  label.textContent = name;
  const button = document.createElement("button");
  button.className = "copy";
  button.type = "button";
  button.dataset["copy"] = "";
  button.textContent = "Copy";
  head.append(label, button);
  return head;
}

/** A block of code with the name of its language and a button to copy, which is for the caller to handle: see {@link codeOf}. */
export function codeBlock(code: string, language?: string): HTMLElement {
  const text = clean(code);
  const found = coloured(text, known(language));
  const block = document.createElement("div");
  block.className = "code";
  const pre = document.createElement("pre");
  pre.dir = "ltr";
  const inner = document.createElement("code");
  inner.append(shown(text, found));
  pre.append(inner);
  const name = nameOf(language ?? found?.language);
  // A box that scrolls must be reachable from the keyboard.
  pre.tabIndex = 0;
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", name);
  block.append(header(name), pre);
  sources.set(block, code);
  return block;
}
