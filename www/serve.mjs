// A small static server: this folder, the package's pkg/dist as /plica/, and examples/. Reads only, on this machine only.

import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const WWW = fileURLToPath(new URL(".", import.meta.url));
/** Folders by the first part of the path. */
const FOLDERS = { plica: join(WWW, "../pkg/dist"), examples: join(WWW, "../examples") };
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".jsonl": "application/jsonl",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
};
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-cache",
};

/** The folder and the file in it that a path names, or undefined. @param {string} path */
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
  const folder = Object.hasOwn(FOLDERS, parts[0]) ? FOLDERS[parts[0]] : undefined;
  return folder === undefined ? { folder: WWW, name: join(...parts) } : { folder, name: join(...parts.slice(1), "") };
}

/** The file to send, or undefined: links may not lead out of the folder. @param {string} path */
async function find(path) {
  const found = place(path);
  const type = found && TYPES[extname(found.name)];
  if (!type) return undefined;
  try {
    const root = await realpath(found.folder);
    const file = await realpath(join(root, found.name));
    const { size } = await stat(file);
    return file.startsWith(root.endsWith(sep) ? root : root + sep) && (await stat(file)).isFile() ? { file, type, size } : undefined;
  } catch {
    return undefined;
  }
}

async function answer(request, response) {
  const refuse = (code, text) => response.writeHead(code, { ...HEADERS, "Content-Type": "text/plain; charset=utf-8" }).end(`${text}\n`);
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "Only GET and HEAD");
  const found = await find((request.url ?? "/").split(/[?#]/, 1)[0]);
  if (!found) return refuse(404, "Not found");
  response.writeHead(200, { ...HEADERS, "Content-Type": found.type, "Content-Length": found.size });
  if (request.method === "HEAD") return response.end();
  createReadStream(found.file).on("error", () => response.destroy()).pipe(response);
}

/** Starts the server; port 0 takes a free one. @param {number} port @returns {Promise<{ url: string, close(): void }>} */
export function serve(port) {
  const server = createServer((request, response) => void answer(request, response));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const close = () => { server.close(); server.closeAllConnections?.(); };
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, close });
    });
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(await realpath(process.argv[1])).href) {
  try {
    console.log((await serve(Number(process.env.PORT ?? 8137))).url);
  } catch (error) {
    console.error(`The server did not start: ${error.message}. Another port: PORT=9000 npm start -w www`);
    process.exitCode = 1;
  }
}
