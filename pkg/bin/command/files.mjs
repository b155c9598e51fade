// Files: read whole, written whole or not at all.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
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
 * A file that holds something else is left alone unless `force` (it might be the only copy of somebody's originals) or it
 * is one of the `known` ones: what this run has read and what its result contains.
 * @param {{ path: string, data: string | Uint8Array }[]} files
 * @param {{ force?: boolean, known?: Uint8Array[] }} options
 */
export function writeAll(files, { force = false, known = [] } = {}) {
  const targets = files.map(({ path, data }) => ({ ...target(path), data }));
  for (const { path, real, data } of targets) {
    if (statSync(real, { throwIfNoEntry: false })?.isDirectory()) throw new Failure("output", `${path} is a folder`, "unwritable-file");
    if (!force) refuseOther(path, real, [Buffer.from(data), ...known]);
  }
  /** @type {{ real: string, aside: string }[]} */
  const ready = [];
  try {
    for (const { real, mode, data } of targets) {
      const aside = join(dirname(real), `.${basename(real)}.${process.pid}.part`);
      ready.push({ real, aside });
      writeSynced(aside, data, mode);
    }
    for (const { real, aside } of ready) renameSync(aside, real);
  } catch (error) {
    for (const { aside } of ready) rmSync(aside, { force: true });
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const why = { ENOENT: "its folder does not exist", EACCES: "this is not allowed", ENOSPC: "the disk is full", EROFS: "the disk is read-only" };
    throw new Failure("output", `${files.map((file) => file.path).join(" and ")} cannot be written: ${why[code] ?? message}`, "unwritable-file");
  }
}

/** Where a path leads to (a link stays a link), and the rights of what is there. */
function target(path) {
  const present = statSync(path, { throwIfNoEntry: false });
  return { path, real: present ? realpathSync(path) : path, mode: present ? present.mode & 0o777 : 0o666 };
}

/** Whether two paths are the same file, as far as can be told before both exist. @param {string} a @param {string} b */
export function sameFile(a, b) {
  const whole = (path) => (existsSync(path) ? realpathSync(path) : resolve(path));
  return whole(a) === whole(b);
}

function refuseOther(path, real, allowed) {
  if (!existsSync(real)) return;
  let present;
  try {
    present = readFileSync(real);
  } catch {
    throw new Failure("output", `${path} exists and cannot be read; give another name with --out`, "file-exists");
  }
  if (!allowed.some((data) => present.equals(data))) {
    throw new Failure("output", `${path} exists and holds something else; give another name with --out, or --force`, "file-exists");
  }
}

function writeSynced(path, data, mode) {
  const all = Buffer.from(data);
  const file = openSync(path, "w", mode);
  try {
    for (let at = 0; at < all.length;) at += writeSync(file, all, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A pipe takes its time; one that was closed is no failure of ours. @param {string | Uint8Array} data */
export function toStandardOutput(data) {
  return new Promise((done) => {
    process.stdout.on("error", done);
    process.stdout.write(data, done);
  });
}
