// SPDX-License-Identifier: MIT OR Apache-2.0
//
// An agent server. Its conversations are in a database, whole, while the model sees a window of 32,000 tokens.
//
//   POST /conversations/ID/turns      { "key": "7", "text": "Look at bed 3." }  →  { "key", "text", "messages" }
//   GET  /conversations/ID            { "turns", "messages", "folds", "tokens" }
//   GET  /conversations/ID/originals  every message that was ever said, one JSON a line
//
//   PORT (0: any), DATABASE (agent.db), MODEL (anthropic:claude-sonnet-4-5, say; left out: a made-up one), MODEL_LOG
//
// A turn is answered when it is stored. Who gets no answer sends it again under the same key, to this server or to another one of the
// same database: what was done is not done again, and what was begun is brought to its end.

import { createServer } from "node:http";
import { estimate, stringifyMessage } from "plica";
import { Agent } from "./agent.mjs";
import { modelOf } from "./model.mjs";
import { openDatabase } from "./database.mjs";

const { PORT = "0", DATABASE = "agent.db", MODEL, MODEL_LOG } = process.env;
const database = await openDatabase(DATABASE);
const agent = new Agent({ database, ...(await modelOf(MODEL, { log: MODEL_LOG })) });

/** An id is so many bytes at most: what every database takes as a key. */
const LONGEST = 255;

const ROUTES = [
  ["POST", /^\/conversations\/([^/]+)\/turns$/, async (id, request, response) => {
    const { key, text } = (await turnOf(request)) ?? {};
    if (typeof key !== "string" || typeof text !== "string" || text.trim() === "") return send(response, 400, { error: "a turn is { key, text }, two strings" });
    const messages = await agent.turn(id, { key, text });
    send(response, 200, { key, text: textOf(messages[messages.length - 1]), messages });
  }],
  ["GET", /^\/conversations\/([^/]+)\/originals$/, async (id, _request, response) => {
    response.writeHead(200, { "content-type": "application/jsonl" });
    for (const message of await agent.originals(id)) response.write(`${stringifyMessage(message)}\n`);
    response.end();
  }],
  ["GET", /^\/conversations\/([^/]+)$/, async (id, _request, response) => {
    const { said, window, folds } = await agent.state(id);
    const turns = said.filter(({ role }) => role === "user").length;
    send(response, 200, { turns, messages: said.length, folds, tokens: { said: estimate(said, { format: "ai-sdk" }).total, window: estimate(window, { format: "ai-sdk" }).total } });
  }],
];

const server = createServer(async (request, response) => {
  try {
    const [pathname] = request.url.split("?", 1);
    for (const [method, path, answer] of ROUTES) {
      const match = method === request.method ? path.exec(pathname) : null;
      if (match === null) continue;
      const id = idOf(match[1]);
      if (id === undefined) return send(response, 400, { error: `an id is text, ${LONGEST} bytes at most` });
      return await answer(id, request, response);
    }
    send(response, 404, { error: "there is nothing here" });
  } catch (error) {
    // Nothing is lost: the turn can be sent again.
    if (response.headersSent) response.destroy();
    else send(response, 503, { error: String(error?.message ?? error), code: error?.code });
  }
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));

function send(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** The id in a path; undefined when it is none. */
function idOf(part) {
  try {
    const id = decodeURIComponent(part);
    return Buffer.byteLength(id) <= LONGEST && !id.includes("\0") ? id : undefined;
  } catch {
    return undefined;
  }
}

/** What was sent as a turn; undefined when it is no JSON. */
async function turnOf(request) {
  const text = await bodyOf(request);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function bodyOf(request) {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text;
}

function textOf({ content }) {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}
