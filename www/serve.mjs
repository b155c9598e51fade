// A small static server for the viewer. Reads only, on this machine only; sends the viewer's own files and those that it was
// given.

import { createReadStream, existsSync, readFileSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, extname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const DIST = join(HERE, "dist");
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".jsonl": "application/jsonl",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
};

/** The page's own policy, and that nobody may frame it: a page cannot say that itself. */
function headers() {
  const page = readFileSync(join(DIST, "index.html"), "utf8");
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1];
  if (policy === undefined) throw new Error("the page has no policy");
  return {
    "Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
  };
}

/** The file that a path names, below dist/, or undefined. @param {string} path */
function place(path) {
  let parts;
  try {
    parts = decodeURIComponent(path).slice(1).split("/");
  } catch {
    return undefined;
  }
  if (parts.at(-1) === "") parts[parts.length - 1] = "index.html";
  // No empty or hidden names, no "..", no other separators or drives.
  if (!parts.every((part) => /^[\w-][\w.-]*$/.test(part))) return undefined;
  return join(...parts);
}

/** The file to send, or undefined: links may not lead out of the folder. @param {string} path */
async function find(path) {
  const name = place(path);
  const type = name && TYPES[extname(name)];
  if (!type) return undefined;
  try {
    const root = await realpath(DIST);
    const file = await realpath(join(root, name));
    return file.startsWith(root.endsWith(sep) ? root : root + sep) ? await sendable(file, type) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} file @param {string} type */
async function sendable(file, type) {
  const found = await stat(file);
  return found.isFile() ? { file, type, size: found.size } : undefined;
}

/**
 * Starts the server.
 *
 * @param {{ port?: number, session?: string, ledger?: string }} [options] port 0 takes a free one; the paths of a session to show, and
 * of its ledger.
 * @returns {Promise<{ url: string, close(): void }>} `url` opens the session.
 */
export async function serve({ port = 0, session, ledger } = {}) {
  const own = headers();
  // Under a number and its name: the page shows the name, and nothing else of the disk can be asked for.
  const given = [session, ledger].map((path, number) => (path === undefined ? undefined : { path, address: `/given/${number}/${encodeURIComponent(basename(path))}` }));

  async function answer(request, response) {
    const refuse = (code, text) => response.writeHead(code, { ...own, "Content-Type": "text/plain; charset=utf-8" }).end(`${text}\n`);
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "Only GET and HEAD");
    const path = (request.url ?? "/").split(/[?#]/, 1)[0];
    const asked = given.find((entry) => entry?.address === path);
    const found = asked ? await sendable(asked.path, "application/octet-stream").catch(() => undefined) : await find(path);
    if (!found) return refuse(404, "Not found");
    response.writeHead(200, { ...own, "Content-Type": found.type, "Content-Length": found.size });
    if (request.method === "HEAD") return response.end();
    createReadStream(found.file).on("error", () => response.destroy()).pipe(response);
  }

  const server = createServer((request, response) => {
    // A page of another host that resolves to this machine shall not read the session.
    if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? "")) return response.writeHead(403).end();
    void answer(request, response);
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", () => resolve(undefined)));
  const query = [["url", given[0]], ["ledger", given[1]]].filter(([, entry]) => entry).map(([name, entry]) => `${name}=${encodeURIComponent(entry.address)}`).join("&");
  return {
    url: `http://127.0.0.1:${server.address().port}/${query && `?${query}`}`,
    close() {
      server.close();
      server.closeAllConnections?.();
    },
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(await realpath(process.argv[1])).href) {
  try {
    // In a checkout the bundle is made when it lacks or is asked for; a package brings it along.
    if (existsSync(join(HERE, "build.mjs"))) await (await import("./build.mjs")).build();
    console.log((await serve({ port: Number(process.env.PORT ?? 8137), session: process.argv[2], ledger: process.argv[3] })).url);
  } catch (error) {
    console.error(`The viewer did not start: ${error.message}${error.code === "EADDRINUSE" ? " (another port: PORT=9000)" : ""}`);
    process.exitCode = 1;
  }
}
