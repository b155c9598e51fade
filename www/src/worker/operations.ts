// What the worker answers. Knows nothing of how it is asked: requests come in as calls, events go out through `emit`.

import { PlicaError } from "plica/slim";
import type { Events, Opened, Operations, Part, PlanView, CheckView, DigestView, Row, SaveKind, Saved, Settings } from "../protocol.js";
import { textOf } from "./json.js";
import { open } from "./opening.js";
import type { Conversation, WhatToOpen } from "./opening.js";
import { Planner } from "./planning.js";
import { HEADS, previewOf } from "./preview.js";
import { moreOf, partsOf, rowOf } from "./rows.js";
import type { Source } from "./rows.js";
import { Saver } from "./saving.js";
import { search } from "./search.js";
import { windowAt } from "./timeline.js";

export type Emit = <K extends keyof Events>(event: K, data: Events[K]) => void;

/** The operations, by their name; what takes a while is a promise. */
export type AsyncOperations = {
  [name in keyof Operations]: (...args: Parameters<Operations[name]>) => ReturnType<Operations[name]> | Promise<ReturnType<Operations[name]>>;
};

/** Milliseconds between two tellings of the same stage, at least. */
const PAUSE = 50;

interface Open {
  conversation: Conversation;
  source: Source;
  planner: Planner;
  saver: Saver;
}

export class Viewer implements AsyncOperations {
  private current: Open | undefined;
  /** Searches are numbered: a running one ends when it is not the newest any more. */
  private searches = 0;

  constructor(private readonly emit: Emit) {}

  async open(what: WhatToOpen): Promise<Opened> {
    const given = checkedFile(what);
    this.endSearch();
    const tell = this.teller();
    if (given.file.size > HEADS[0]! && given.branch === undefined && given.ledger === undefined) {
      const rows = await previewOf(given.file);
      if (rows.length > 0) this.emit("preview", { rows });
    }
    const conversation = await open(given, tell);
    this.current?.planner.free();
    const planner = new Planner(conversation);
    this.current = { conversation, source: sourceOf(conversation), planner, saver: new Saver(conversation, planner) };
    return opened(conversation);
  }

  rows(items: number[]): Row[] {
    const { source } = this.opened();
    if (!Array.isArray(items)) throw new PlicaError("bad-argument", "items must be a list of numbers");
    return items.map((item) => rowOf(source, this.item(item)));
  }

  more(item: number, part: number, from: number): string {
    const message = this.message(item);
    const text = moreOf(message, checkedNumber(part, "part"), checkedNumber(from, "from"));
    if (text === undefined) throw new PlicaError("bad-argument", `item ${item} has no part ${part}`);
    return text;
  }

  parts(item: number, from: number): Part[] {
    return partsOf(this.opened().source, this.item(item), checkedNumber(from, "from"));
  }

  raw(item: number): string {
    const message = this.message(item);
    try {
      return JSON.stringify(message, null, 2);
    } catch (error) {
      throw new PlicaError("too-deep", "The message is nested too deep to be written as JSON.", { cause: error });
    }
  }

  windowAt(moment: number): Uint32Array {
    return windowAt(this.opened().conversation.timeline, this.item(moment, "moment"));
  }

  plan(moment: number, settings: Settings): PlanView {
    const { planner } = this.opened();
    return planner.plan(this.item(moment, "moment"), checkedSettings(settings));
  }

  digest(moment: number, settings: Settings): DigestView | null {
    const { planner } = this.opened();
    return planner.digest(this.item(moment, "moment"), checkedSettings(settings));
  }

  check(moment: number): CheckView[] {
    return this.opened().planner.check(this.item(moment, "moment"));
  }

  async save(kind: SaveKind, settings: Settings): Promise<Saved> {
    if (!["conversation", "ledger", "request"].includes(kind)) throw new PlicaError("bad-argument", "What is saved is the conversation, the ledger or the request.");
    return this.opened().saver.save(kind, checkedSettings(settings));
  }

  async prove(settings: Settings): Promise<{ exact: boolean; messages: number; bytes: number }> {
    return this.opened().saver.prove(checkedSettings(settings));
  }

  async search(query: string): Promise<{ hits: number; complete: boolean }> {
    const { conversation } = this.opened();
    if (typeof query !== "string") throw new PlicaError("bad-argument", "query must be a text");
    const number = this.endSearch();
    return search(query, {
      messages: conversation.timeline.messages,
      ended: () => number !== this.searches,
      tell: (hits) => this.emit("hits", hits),
      turn: nextTurn,
    });
  }

  /** Ends a running search; gives the number of the next. */
  endSearch(): number {
    return ++this.searches;
  }

  private opened(): Open {
    if (this.current === undefined) throw new PlicaError("bad-argument", "No file is open.");
    return this.current;
  }

  private item(item: number, what = "item"): number {
    const { length } = this.opened().conversation.timeline.messages;
    if (Number.isInteger(item) && item >= 0 && item < length) return item;
    throw new PlicaError("bad-argument", `${what} must be a number from 0 to ${length - 1}, not ${String(item)}`);
  }

  private message(item: number): object {
    return this.opened().conversation.timeline.messages[this.item(item)]!;
  }

  /** Tells how far a file is read, not too often; of each stage the first word at once. */
  private teller(): (progress: Events["progress"]) => void {
    let last: { stage: string; time: number } | undefined;
    return (progress) => {
      const time = performance.now();
      if (last?.stage === progress.stage && time - last.time < PAUSE) return;
      last = { stage: progress.stage, time };
      this.emit("progress", progress);
    };
  }
}

/** Whatever waits comes first: a message to the worker is handled before this goes on. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

function checkedFile(what: WhatToOpen): WhatToOpen {
  if (!(what?.file instanceof Blob)) throw new PlicaError("bad-argument", "There is no file to open.");
  const { file, name, ledger, branch } = what;
  if (ledger !== undefined && !(ledger instanceof Blob)) throw new PlicaError("bad-argument", "The ledger is not a file.");
  return { file, name: typeof name === "string" ? name : "", ...(ledger === undefined ? {} : { ledger }), ...(branch === undefined ? {} : { branch }) };
}

function checkedNumber(value: number, what: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new PlicaError("bad-argument", `${what} must be a number of 0 or more, not ${String(value)}`);
}

/** Only the settings that are known, in one order: the core says which values it takes. */
function checkedSettings(settings: Settings): Settings {
  if (typeof settings !== "object" || settings === null) throw new PlicaError("bad-argument", "There are no settings to plan with.");
  const { tailBudget, keepTurns, anchorTask, anchorRequest, keepSystem } = settings;
  return { tailBudget, keepTurns, anchorTask, anchorRequest, keepSystem };
}

function sourceOf({ timeline, tokens, items, provenance }: Conversation): Source {
  return { messages: timeline.messages, tokens, digestOf: timeline.digestOf, pairs: items.pairs, provenance, pinned: new Set(timeline.pinned) };
}

function opened(conversation: Conversation): Opened {
  const { name, file, inspection, timeline, tokens, items, session, branch, ledgerFrom, memory } = conversation;
  return {
    name,
    size: file.size,
    inspection: { ...inspection, roles: entriesOf(inspection.roles), skipped: entriesOf(inspection.skipped) },
    items: timeline.messages.length,
    tokens,
    roles: items.roles,
    roleOf: items.roleOf,
    digestOf: timeline.digestOf,
    takenBy: timeline.takenBy,
    window: timeline.window,
    folds: timeline.folds.map(({ digest, moment, state, covers, originals }, number) => ({ number, digest, moment, state, covers, originals, facts: conversation.foldFacts[number]! })),
    errors: items.errors,
    problems: session.problems,
    branches: session.branches,
    branch,
    ledger: ledgerFrom,
    pinned: Uint32Array.from(timeline.pinned),
    incomplete: timeline.incomplete,
    memory,
  };
}

/** The core gives counts as an object or as a Map. */
function entriesOf(counts: unknown): [string, number][] {
  return counts instanceof Map ? [...(counts as Map<string, number>)] : Object.entries(counts as Record<string, number>);
}

/** What a call is answered with when it fails. */
export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof PlicaError) return { code: error.code, message: error.message };
  const message = textOf(error instanceof Error ? error.message : String(error));
  return error instanceof RangeError ? { code: "too-large", message } : { code: "internal", message };
}
