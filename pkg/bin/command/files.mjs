// Files: read whole, written whole or not at all.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "./failure.mjs";
import { bytes, progress } from "./text.mjs";

/** From this size on, reading is worth a word. */
const LARGE = 20e6;

/** The bytes of a file, or of standard input for "-". @param {string} path @param {string} what @returns {Uint8Array} */
export function readWhole(path, what = "file") {
  try {
    if (path === "-") return readFileSync(0);
    const size = statSync(path).size;
    if (size > LARGE) progress(`reading ${bytes(size)} from ${path}`);
    return readFileSync(path);
  } catch (error) {
    throw new Failure("input", unreadable(path, what, /** @type {NodeJS.ErrnoException} */ (error)), "unreadable-file");
  }
}

function unreadable(path, what, error) {
  const why = { ENOENT: "does not exist", EISDIR: "is a folder", EACCES: "may not be read", ERR_FS_FILE_TOO_LARGE: "is larger than 2 GiB" };
  return `the ${what} ${path} ${why[error.code] ?? `cannot be read (${error.message})`}`;
}

/** FILE's name with another ending, for what is written beside it. @param {string} path @param {string} ending */
export function beside(path, ending) {
  const name = basename(path).replace(/\.folded\.json$/, "").replace(/\.(jsonl|json)$/i, "");
  return join(dirname(path), `${name}${ending}`);
}

/**
 * Writes several files, all or none: each is written aside and synced first, then all are renamed in their order.
 * A file that holds something else is left alone unless `force`; it might be the only copy of somebody's originals.
 * @param {{ path: string, data: string | Uint8Array }[]} files
 * @param {boolean} force
 */
export function writeAll(files, force) {
  for (const { path, data } of files) if (!force) refuseOther(path, data);
  /** @type {{ path: string, aside: string }[]} */
  const ready = [];
  try {
    for (const { path, data } of files) {
      const aside = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
      ready.push({ path, aside });
      writeSynced(aside, data);
    }
    for (const { path, aside } of ready) renameSync(aside, path);
  } catch (error) {
    for (const { aside } of ready) rmSync(aside, { force: true });
    const { code, message, path } = /** @type {NodeJS.ErrnoException} */ (error);
    const why = { ENOENT: "its folder does not exist", EACCES: "this is not allowed", ENOSPC: "the disk is full", EROFS: "the disk is read-only" };
    throw new Failure("output", `${files.map((file) => file.path).join(" and ")} cannot be written: ${why[code] ?? message}${path && !why[code] ? ` (${path})` : ""}`, "unwritable-file");
  }
}

function refuseOther(path, data) {
  if (!existsSync(path)) return;
  let present;
  try {
    present = readFileSync(path);
  } catch {
    throw new Failure("output", `${path} exists and cannot be read; give another name with --out`, "file-exists");
  }
  if (!present.equals(Buffer.from(data))) {
    throw new Failure("output", `${path} exists and holds something else; give another name with --out, or --force`, "file-exists");
  }
}

function writeSynced(path, data) {
  const all = Buffer.from(data);
  const file = openSync(path, "w");
  try {
    for (let at = 0; at < all.length;) at += writeSync(file, all, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
