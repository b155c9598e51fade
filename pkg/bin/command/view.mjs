// plica view: shows a file in the browser. The viewer is a package of its own, so that the library stays small.

import { closeSync, existsSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { count, readArguments } from "./args.mjs";
import { EXIT, Failure } from "./failure.mjs";
import { beside } from "./files.mjs";

const VIEWER = "@plica/viewer/serve";

/** @param {string[]} args @returns {Promise<number>} */
export async function view(args) {
  const { file, values } = readArguments(args, { ledger: { type: "string" }, port: { type: "string" } });
  const port = count(values.port, "--port") ?? 0;
  if (port > 65_535) throw new Failure("usage", `--port ${port} is no port`);
  if (file === "-") throw new Failure("usage", "view needs a file with a name: it is read again whenever the page asks for it");
  const ledger = values.ledger ?? ledgerBeside(file);
  for (const path of [file, ledger]) if (path !== undefined) readable(path);
  const { serve } = await viewer();
  const { url } = await started(serve, { port, session: file, ledger });
  process.stdout.write(values.json ? `${JSON.stringify({ url })}\n` : `${url}\n`);
  if (!values.json) process.stderr.write("Open this address in a browser; Ctrl+C ends it. Only this machine can reach it.\n");
  return EXIT.ok;
}

/** The ledger that `fold` wrote beside a folded conversation. @param {string} file */
function ledgerBeside(file) {
  const path = beside(file, ".ledger.json");
  return file.endsWith(".folded.json") && existsSync(path) ? path : undefined;
}

/** @param {string} path */
function readable(path) {
  try {
    closeSync(openSync(path, "r"));
  } catch (error) {
    throw new Failure("input", `the file ${path} cannot be read (${/** @type {NodeJS.ErrnoException} */ (error).code})`, "unreadable-file");
  }
}

/** The viewer that is installed beside this package, or in the project that the command runs in. */
async function viewer() {
  try {
    return await import(VIEWER);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ERR_MODULE_NOT_FOUND") throw error;
  }
  try {
    return await import(pathToFileURL(createRequire(join(process.cwd(), "package.json")).resolve(VIEWER)).href);
  } catch {
    throw new Failure("usage", "the viewer is a package of its own: npm install --save-dev @plica/viewer, or npx -p plica -p @plica/viewer plica view FILE", "no-viewer");
  }
}

/** @param {(options: object) => Promise<{ url: string }>} serve @param {{ port: number }} options */
async function started(serve, options) {
  try {
    return await serve(options);
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new Failure("output", code === "EADDRINUSE" ? `port ${options.port} is in use: choose another with --port` : `the viewer could not start: ${message}`);
  }
}
