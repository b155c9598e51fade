// Texts by kind, from the sources in sources.mjs; packages are fetched once into a folder that is never committed.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { make } from "./made.mjs";

export const CACHE = process.env.PLICA_CORPORA ?? join(dirname(fileURLToPath(import.meta.url)), ".cache");

/** Bytes of a kind, and of a file: many files say more than much of one. */
const MOST = 400_000;
const MOST_OF_A_FILE = 24_000;

/** The text of a kind, as pieces of at most a file each. */
export function textsOf(kind, sources) {
  const each = MOST / sources.length;
  return sources.flatMap((source) => sample(readSource(source), each)).map((text) => (foreign(kind) ? ownLines(text) : text)).filter((text) => text.trim() !== "");
}

function readSource(source) {
  if (source.made) return make(source.made, source.seed);
  const root = source.npm ? fetchNpm(source.npm) : source.deb ? fetchDeb(source.deb) : crateFolder(source.crate);
  const files = walk(root).filter((file) => source.files.test(file)).sort();
  if (files.length === 0) throw new Error(`${JSON.stringify(source)} names no file`);
  return spread(files, 120).map((file) => READERS[source.read ?? "plain"](readFileSync(file))).filter((text) => text.length > 200);
}

/** So many of a list, evenly. */
function spread(list, most) {
  return list.length <= most ? list : Array.from({ length: most }, (_, i) => list[Math.floor((i * list.length) / most)]);
}

function sample(texts, most) {
  const share = Math.max(Math.ceil(most / Math.max(1, texts.length)), texts.length < 12 ? most / texts.length : 0, 2000);
  let left = most;
  const out = [];
  for (const text of texts) {
    if (left <= 0) break;
    const length = Math.min(share, left, texts.length > 12 ? MOST_OF_A_FILE : most);
    // Not the head: that is a licence too often.
    const start = text.length > 3 * length ? Math.floor((text.length - length) / 2) : 0;
    const piece = text.slice(start, start + length).toWellFormed();
    out.push(piece);
    left -= piece.length;
  }
  return out;
}

const READERS = {
  plain: (bytes) => bytes.toString("utf8"),
  html: (bytes) => strip(bytes.toString("utf8")),
  json: (bytes) => JSON.stringify(JSON.parse(bytes)),
  pretty: (bytes) => JSON.stringify(JSON.parse(bytes), null, 2),
  emoji: (bytes) => Object.keys(JSON.parse(bytes)).join(" "),
  mo: (bytes) => messages(bytes).join("\n"),
};

const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " ", apos: "'" };

function strip(page) {
  const text = page.replace(/<(script|style|head|nav)[\s>][\s\S]*?<\/\1>/g, "").replace(/<\/?(p|div|h\d|li|tr|title|item|section|note|br|body)[^>]*>/g, "\n").replace(/<[^>]*>/g, "");
  const plain = text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replace(/&(\w+);/g, (all, name) => ENTITIES[name] ?? all);
  return plain.replace(/[ \t]*\n[ \t]*/g, "\n").replace(/[ \t]+/g, " ").replace(/\n{2,}/g, "\n\n").trim();
}

/** The translations in a gettext catalogue. */
function messages(bytes) {
  const [count, table] = [bytes.readUInt32LE(8), bytes.readUInt32LE(16)];
  const out = [];
  for (let i = 1; i < count; i++) {
    const [length, at] = [bytes.readUInt32LE(table + 8 * i), bytes.readUInt32LE(table + 8 * i + 4)];
    const text = bytes.toString("utf8", at, at + length).split("\0")[0];
    if (text.length > 25) out.push(text);
  }
  return out;
}

/** Kinds in another script: lines that were left in English are none of theirs. */
function foreign(kind) {
  return /Chinese|Japanese|Korean|Russian|Arabic|Hindi|Thai|Hebrew|Greek|other scripts/.test(kind);
}

function ownLines(text) {
  const own = (line) => (line.match(/[^\x00-\x7f]/g)?.length ?? 0) >= (line.match(/[A-Za-z]/g)?.length ?? 0);
  return text.split("\n").filter(own).join("\n").replace(/\n{2,}/g, "\n\n");
}

function fetchNpm(spec) {
  return fetched(spec, (folder) => {
    execFileSync("npm", ["pack", spec, "--silent"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    const [file] = readdirSync(folder);
    execFileSync("tar", ["xzf", file], { cwd: folder });
  });
}

function fetchDeb(name) {
  return fetched(`${name}.deb`, (folder) => {
    // The sandbox user of apt may not write here; the file arrives all the same.
    execFileSync("apt-get", ["download", name, "-qq"], { cwd: folder, stdio: "ignore" });
    const [file] = readdirSync(folder);
    execFileSync("dpkg-deb", ["-x", file, "."], { cwd: folder });
  });
}

function fetched(name, fetch) {
  const folder = join(CACHE, name.replaceAll("/", "+"));
  if (!existsSync(folder)) {
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    fetch(partial);
    renameSync(partial, folder);
  }
  return folder;
}

function crateFolder(name) {
  const registry = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
  const found = readdirSync(registry).map((index) => join(registry, index, name)).find(existsSync);
  if (!found) throw new Error(`${name} is not in the registry: run \`cargo fetch\` here and in fuzz/`);
  return found;
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : [];
  });
}
