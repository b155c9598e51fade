// What every build script shares: paths, child processes, one-line reports, hashing.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const WASM_TARGET = "wasm32-unknown-unknown";

const require = createRequire(join(ROOT, "package.json"));

/** An error whose message is all that the reader needs: printed without a stack. */
export class BuildError extends Error {}

export function fail(message) {
  throw new BuildError(message);
}

/** Runs a main function; a BuildError ends the process with its message, anything else with its stack. */
export async function main(run) {
  try {
    await run();
  } catch (error) {
    console.error(error instanceof BuildError ? `error: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** Runs one step and prints it in one line: name, what came out of it, seconds. `fn` may return the text to print. */
export async function step(name, fn) {
  const start = performance.now();
  const { text = "", value } = (await fn()) ?? {};
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${name.padEnd(12)} ${text} (${seconds} s)`);
  return value;
}

/** Runs a command to its end and returns its stdout; a failure shows the output and the command. */
export function run(command, args, { cwd = ROOT, env = process.env, quiet = true, input } = {}) {
  const result = spawnSync(command, args, {
    cwd, env, input, encoding: "utf8", maxBuffer: 1 << 30, stdio: ["pipe", "pipe", quiet ? "pipe" : "inherit"],
  });
  if (result.error) fail(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0) {
    const output = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim();
    fail(`${[command, ...args].join(" ")} ended with ${result.status ?? result.signal}\n${output}`);
  }
  return result.stdout;
}

/** Like run, but undefined when the command is missing or fails. */
export function tryRun(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 30, ...options });
  return result.status === 0 ? result.stdout : undefined;
}

/** Runs a command for at most so long; when time is up, its whole process group is killed. True when it succeeded. */
export function runBounded(command, args, milliseconds, options = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: "ignore", detached: true, ...options });
    const timer = setTimeout(() => {
      try { process.kill(-child.pid, "SIGKILL"); } catch { /* it has just ended */ }
    }, milliseconds);
    const finish = (ok) => { clearTimeout(timer); done(ok); };
    child.on("error", () => finish(false));
    child.on("close", (code) => finish(code === 0));
  });
}

const PAUSE_MS = 100;

/**
 * Makes a folder once, whichever of several processes asks for it first; the others wait. It is whole when it is there. Where `make` fails
 * the next one tries again.
 */
export function onceMade(folder, make) {
  const [work, lock] = [`${folder}.making`, `${folder}.lock`];
  mkdirSync(dirname(folder), { recursive: true });
  while (!existsSync(folder)) {
    if (!locked(lock)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      continue;
    }
    try {
      // Another one may have made it between the two looks.
      if (existsSync(folder)) break;
      rmSync(work, { recursive: true, force: true });
      mkdirSync(work);
      make(work);
      renameSync(work, folder);
    } finally {
      rmSync(lock, { force: true });
    }
  }
  return folder;
}

/** Whether the lock is ours now. One whose process died is taken away. */
function locked(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const holder = Number(tryRead(lock));
  if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
  return false;
}

function tryRead(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Runs a JavaScript program of an installed npm package under this very Node. */
export function runPackageBin(packageName, bin, args, options) {
  const manifestPath = packageManifest(packageName);
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
  const file = typeof manifest.bin === "string" ? manifest.bin : manifest.bin[bin];
  return run(process.execPath, [join(dirname(manifestPath), file), ...args], options);
}

export function packageVersion(packageName) {
  return JSON.parse(readFileSync(packageManifest(packageName), "utf8")).version;
}

// Not require.resolve(name + "/package.json"): packages with an exports map may not export it.
function packageManifest(packageName) {
  for (const folder of require.resolve.paths(packageName)) {
    const path = join(folder, packageName, "package.json");
    if (existsSync(path)) return path;
  }
  return fail(`the npm package ${packageName} is not installed: run "npm ci" in the root of the repository`);
}

export function which(command) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, command);
    if (folder && existsSync(path)) return path;
  }
  return undefined;
}

/** All files below a folder (or the file itself), as sorted paths with forward slashes relative to `base`. */
export function listFiles(path, base = path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [toPosix(relative(base, path))];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => listFiles(join(path, entry.name), base))
    .sort();
}

export function toPosix(path) {
  return path.split(sep).join("/");
}

export function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}

/** Value of `--name value`, or the fallback. */
export function option(name, fallback, args = process.argv.slice(2)) {
  const at = args.indexOf(`--${name}`);
  if (at < 0) return fallback;
  return args[at + 1] ?? fail(`--${name} needs a value`);
}

export function flag(name, args = process.argv.slice(2)) {
  return args.includes(`--${name}`);
}
