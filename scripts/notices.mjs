// The licence notices of everything that is compiled into the module.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, WASM_TARGET, run } from "./util.mjs";

const LICENCE_FILE = /^(licen[cs]e|copying|copyright|notice|unlicense)/i;

/** The text of THIRD-PARTY-NOTICES.txt and the number of crates in it. */
export function notices() {
  const crates = linkedCrates();
  const lines = [
    "The WebAssembly module in this package contains code of the following Rust crates.",
    "",
    ...crates.map((crate) => `* ${title(crate)}`),
    "* the Rust standard library and the crates it is built from (MIT OR Apache-2.0)",
    "",
  ];
  for (const [text, owners] of byText(crates)) lines.push(RULE, owners.join("\n"), RULE, "", text, "");
  lines.push(RULE, "the Rust standard library", RULE, "", STANDARD_LIBRARY, "");
  return { text: lines.join("\n"), count: crates.length };
}

const RULE = "-".repeat(80);

function title(crate) {
  return `${crate.name} ${crate.version} (${crate.license ?? "see its licence file"})`;
}

/** Normal dependencies for the wasm target, without procedural macros: those run in the compiler and are not linked. */
function linkedCrates() {
  const metadata = JSON.parse(run("cargo", ["metadata", "--format-version", "1", "--locked", "--filter-platform", WASM_TARGET]));
  const packages = new Map(metadata.packages.map((entry) => [entry.id, entry]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const root = metadata.packages.find((entry) => entry.manifest_path === join(ROOT, "Cargo.toml")).id;
  const seen = new Set([root]);
  for (const id of seen) {
    for (const dependency of nodes.get(id).deps) {
      const linked = dependency.dep_kinds.some(({ kind }) => kind === null) && !isMacro(packages.get(dependency.pkg));
      if (linked) seen.add(dependency.pkg);
    }
  }
  return [...seen]
    .map((id) => packages.get(id))
    .filter((entry) => entry.source !== null)
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

function isMacro(entry) {
  return entry.targets.some((target) => target.kind.includes("proc-macro"));
}

/** Licence text → the crates that carry it, so that none is printed twice. */
function byText(crates) {
  const texts = new Map();
  for (const crate of crates) {
    for (const text of licenceTexts(crate)) texts.set(text, [...(texts.get(text) ?? []), title(crate)]);
  }
  return texts;
}

function licenceTexts(crate) {
  const folder = dirname(crate.manifest_path);
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  if (files.length === 0) return [`SPDX-License-Identifier: ${crate.license}\nAuthors: ${withoutAddresses(crate.authors)}`];
  return chosen(files, crate).map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

// Of a choice the short one is taken; a NOTICE file always comes along.
function chosen(files, crate) {
  const mit = files.filter((name) => /mit/i.test(name));
  const choice = /\bMIT\b/.test(crate.license ?? "") && /\bOR\b|\//.test(crate.license);
  return choice && mit.length > 0 ? files.filter((name) => mit.includes(name) || /^notice/i.test(name)) : files;
}

function withoutAddresses(authors) {
  return authors.length === 0 ? "not named" : authors.map((author) => author.replace(/\s*<.*>/, "")).join(", ");
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// A constant, not read from the toolchain: each way of installing Rust keeps it elsewhere, or not at all.
const STANDARD_LIBRARY = `Copyright (c) The Rust Project Contributors

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
