// The entry of the worker: messages in, answers and events out.

import { init } from "plica/slim";
import type { ModuleInput } from "plica/slim";
import type { Events, Operations } from "../protocol.js";
import { Viewer, failureOf } from "./operations.js";

interface Call {
  id: number;
  name: string;
  args: unknown[];
}

/** What of the worker's own surroundings is used. */
interface Scope {
  addEventListener(type: "message", listener: (event: { data: Call }) => void): void;
  postMessage(message: unknown, transfer?: Transferable[]): void;
}

const scope = globalThis as unknown as Scope;

/** The call that runs, for the events that it tells. */
let running = 0;
let searching = 0;

const viewer = new Viewer((event: keyof Events, data) => {
  scope.postMessage({ id: event === "hits" ? searching : running, event, data });
});

const NAMES: readonly (keyof Operations)[] = ["open", "rows", "more", "parts", "raw", "windowAt", "plan", "digest", "check", "save", "prove", "search"];

/** Answers whose arrays nobody else holds: they are handed over and not copied. */
const HANDED_OVER: ReadonlySet<string> = new Set(["windowAt", "plan", "save"]);

let ready: Promise<void> | undefined;

/** The core, from where the first message said, or from beside the worker. */
function loaded(input?: ModuleInput): Promise<void> {
  ready ??= init(input ?? new URL("./plica.wasm", import.meta.url));
  return ready;
}

async function answer({ id, name, args }: Call): Promise<void> {
  try {
    const value = await run(name, args);
    scope.postMessage({ id, value }, HANDED_OVER.has(name) ? buffersOf(value) : []);
  } catch (error) {
    scope.postMessage({ id, error: failureOf(error) });
  }
}

async function run(name: string, args: unknown[]): Promise<unknown> {
  if (name === "init") return loaded(args[0] as ModuleInput);
  await loaded();
  const known = NAMES.find((own) => own === name);
  if (known === undefined) throw new Error(`there is no operation ${name}`);
  return (viewer[known] as (...args: unknown[]) => unknown)(...args);
}

function buffersOf(value: unknown): Transferable[] {
  const members = ArrayBuffer.isView(value) ? [value] : Object.values(value as object).filter((member) => ArrayBuffer.isView(member));
  return [...new Set(members.map((member) => member.buffer as ArrayBuffer))];
}

let turn: Promise<void> = Promise.resolve();

scope.addEventListener("message", ({ data: call }) => {
  if (call.name === "search") viewer.endSearch();
  turn = turn.then(() => begin(call));
});

/** One call at a time; only a search is not waited for, so that what comes after it is answered while it runs. */
function begin(call: Call): Promise<void> | void {
  if (call.name === "search") {
    searching = call.id;
    void answer(call);
    return;
  }
  running = call.id;
  return answer(call);
}
