// A middleware for `createAgent`. It folds what the model is sent (`wrapModelCall`), not the messages of the graph's state: those
// stay what was said. So a user interface that shows the state loses nothing, the checkpoints hold every original, and going back to
// an earlier checkpoint or branching off it needs no thought of folds. What folded is kept in the state as well, beside the messages
// (`_plica`: digests, places, the ledger by reference), written with the answer that it led to: each checkpoint has the folds of its
// own messages, whichever server goes on from it, and no step is added to the graph. `summarizationMiddleware` removes messages from
// the state instead; what it removed is gone from there.

import { Command, ReducedValue, StateSchema } from "@langchain/langgraph";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, createMiddleware } from "langchain";
import { Ledger, PlicaError, estimate, fingerprints } from "plica";
import type { Compaction, Summarize } from "plica";
import { z } from "zod/v4";
import { unlessAborted } from "./aborts.js";
import { jsonOf, toolsText } from "./beside.js";
import { isArray, memberOf, optionsIn, refuseNoFunction } from "./checks.js";
import { Conversation } from "./conversation.js";
import type { ConversationOptions } from "./conversation.js";

/** Options of {@link plicaMiddleware}. Those of `compact` say how a fold is made. */
export interface PlicaMiddlewareOptions extends Omit<ConversationOptions, "id" | "messages" | "ledger" | "originals" | "onCompaction"> {
  /** How many threads are kept in memory, those used last. The others are read again from the state or the store. Default 100. */
  threads?: number | undefined;
  /**
   * The id of a thread in the store. Default: the `thread_id` itself. Agents that share store and `thread_id` need ids of their own:
   * `(thread) => "gardener/" + thread`, say.
   */
  id?: ((thread: string) => string) | undefined;
  /** Hears of each fold, and of each time that nothing could fold. What it throws is ignored. */
  onCompaction?: ((compaction: Compaction, thread: { id: string | undefined }) => void) | undefined;
}

/** A middleware as `createAgent` takes it. */
export interface PlicaMiddleware {
  /** Always `"PlicaMiddleware"`. */
  readonly name: "PlicaMiddleware";
  /** What it keeps in the state is nobody else's. */
  readonly stateSchema?: undefined;
}

/** A chat model of LangChain. */
export interface LangchainModel {
  /** As in `BaseChatModel`. */
  invoke(messages: never, options?: never): Promise<object>;
}

/** What the state holds of the folds. */
interface Kept {
  version: 1;
  /** Says which folds these are. */
  mark: string;
  /** The window: messages of the state from one index to another (-1: the last), or one of `made`. */
  layout: (readonly [number, number] | number)[];
  /** Digests and rules. */
  made: object[];
  /** The ledger, originals by reference. */
  ledger: string;
}

/** What was said, and how the request has it. */
interface Asked {
  said: readonly object[];
  /** For each message that was said, the one to send. */
  messages: Map<object, object>;
  /** What other middleware has put in for this one request, each in front of a message that was said, by its index, or at the end. */
  added: readonly { at: number; message: object }[];
}

/** What is known of a thread. */
interface Thread {
  readonly conversation: Conversation;
  /** The folds that the state held at the last call, and those that it was given then. */
  marks: readonly string[];
  /** The answer that was kept at once, and where: the state has it, or another one, at the next call. */
  answer?: { at: number; message: object };
  /** Answers are kept when the state has them. */
  waits?: boolean;
}

/** A request of `wrapModelCall`. */
interface Request {
  messages: object[];
  systemMessage: SystemMessage;
  tools?: readonly object[];
  state: { messages: object[]; _plica?: Kept };
  runtime: { signal?: AbortSignal; configurable?: { thread_id?: string; checkpoint_ns?: string } };
}

const NAME = "PlicaMiddleware";
const THREADS = 100;

/** So long the user waits for a store with an answer that is there already. */
const PATIENCE_MS = 2_000;

const FORMAT = { format: "langchain" } as const;

/** By the names of both serialised forms. */
const CLASSES = new Map<unknown, typeof HumanMessage>([
  ["human", HumanMessage],
  ["HumanMessage", HumanMessage],
  ["ai", AIMessage],
  ["AIMessage", AIMessage],
  ["system", SystemMessage],
  ["SystemMessage", SystemMessage],
  ["tool", ToolMessage],
  ["ToolMessage", ToolMessage],
]);

/** What the messages in the stream of a graph leave out: the words of a summary are not the agent's. */
const UNSEEN = "nostream";

/**
 * A middleware for `createAgent` that keeps what the model is sent below its window. Put it in front of middleware that edits requests
 * (`contextEditingMiddleware`): that works on the window then, and what was said stays as it was.
 *
 * The messages in the state of the graph are not touched, so they stay what was said, all of it. Folds are kept beside them in the
 * state, by a checkpointer where there is one, or in a `store` under the `thread_id`. Calls of one thread go on with its folds,
 * whichever server makes them. Where the state has no folds (there is no checkpointer, or the agent is a node of a graph) those in memory are
 * found by what was said.
 *
 * @throws PlicaError `bad-argument`. While it runs: those of `compact` and of the store, and what the run was aborted with; `conflict` when the
 * store has this thread with another beginning: the checkpointer has forgotten it, or another agent has the same `thread_id` (see `id`).
 * @example
 * const agent = createAgent({
 *   model,
 *   tools,
 *   checkpointer,
 *   middleware: [plicaMiddleware({ window: 200_000, summarize: summarizeWith(model) })],
 * });
 * await agent.invoke({ messages: [new HumanMessage("…")] }, { configurable: { thread_id: "garden/7" } });
 */
export function plicaMiddleware(options: PlicaMiddlewareOptions): PlicaMiddleware {
  const given = optionsIn(options);
  const threads = new Threads(given);
  // Several answers of one step are possible where other middleware asks twice: the last one counts.
  const stateSchema = new StateSchema({ _plica: new ReducedValue(z.custom().optional(), { reducer: (_, next) => next }) });
  return createMiddleware({
    name: NAME,
    ...(given.store === undefined ? { stateSchema } : {}),
    wrapModelCall: async (request: Request, handler: (request: object) => Promise<object>): Promise<object> => {
      if (request.messages.length === 0) return handler(request);
      const { window, asked, kept, thread } = await threads.next(request);
      const response = await handler({ ...request, ...sent(window, asked, request) });
      if (thread !== undefined) await threads.keep(thread, asked.said, response);
      return kept === undefined ? response : withKept(response, kept, request);
    },
  }) as PlicaMiddleware;
}

/**
 * A summarizer out of a chat model. Its words do not come up in the stream of the graph.
 *
 * @example
 * plicaMiddleware({ window: 200_000, summarize: summarizeWith(new ChatOpenAI({ model: "gpt-5-mini" })) })
 */
export function summarizeWith(model: LangchainModel): Summarize {
  const invoke = (model as { invoke?: unknown } | undefined)?.invoke;
  if (typeof invoke !== "function") throw new PlicaError("bad-argument", "summarizeWith needs a chat model: an object with `invoke`");
  return async ({ system, prompt }, { signal }) => {
    const options = { signal, tags: [UNSEEN], metadata: { lc_source: "summarization" } };
    const answer = (await invoke.call(model, [new SystemMessage({ content: system }), new HumanMessage({ content: prompt })], options)) as Answer;
    const { finish_reason, stop_reason, finishReason } = answer.response_metadata ?? {};
    return { text: answer.text, finishReason: finish_reason ?? stop_reason ?? finishReason, usage: answer.usage_metadata };
  };
}

/** An `AIMessage`, as far as it is looked at. */
interface Answer {
  text: string;
  usage_metadata?: object;
  response_metadata?: { finish_reason?: string; stop_reason?: string; finishReason?: string };
}

// --- threads ----------------------------------------------------------------------------------------------------------

/** The conversations that are in memory, the one used last behind the others. */
class Threads {
  private readonly named = new Map<string, Thread>();
  /** By their first message, while an `invoke` lasts: without an id nothing else tells two of them apart that begin alike. */
  private readonly nameless = new WeakMap<object, Thread>();
  private readonly bare = new WeakMap<object, object>();
  /** The last request of each conversation, which the next one waits for. */
  private readonly turns = new WeakMap<Conversation, Promise<unknown>>();
  /** Whether an answer is what the state has then. */
  private keepsAnswers = true;
  private readonly limit: number;
  private readonly idOf: (thread: string) => string;
  private readonly options: Omit<PlicaMiddlewareOptions, "threads" | "id" | "onCompaction">;
  private readonly onCompaction: PlicaMiddlewareOptions["onCompaction"];

  constructor({ threads = THREADS, id = (thread) => thread, onCompaction, ...options }: PlicaMiddlewareOptions) {
    if (!Number.isInteger(threads) || threads < 0) throw new PlicaError("bad-argument", "threads must be a whole number, 0 or more");
    if (typeof id !== "function") throw new PlicaError("bad-argument", "id must be a function: the id in the store of a thread");
    this.limit = threads;
    this.idOf = id;
    this.options = options;
    this.onCompaction = onCompaction;
    // Refuses options that are none before an agent runs.
    refuseNoFunction(onCompaction, "onCompaction");
    this.conversation("-", {});
  }

  /** The window for a request, and what the state is to keep where it has not got it yet, or the thread that a store has. */
  async next(request: Request): Promise<{ window: object[]; asked: Asked; kept: Kept | undefined; thread: Thread | undefined }> {
    const asked = askedOf(request, (message) => this.withoutArtifact(message));
    const { said } = asked;
    const id = threadOf(request.runtime.configurable, said);
    const stored = this.options.store !== undefined && id !== undefined;
    const kept = stored ? undefined : request.state._plica;
    const mark = kept?.mark ?? UNFOLDED;
    const thread = this.find(id, said, mark) ?? (await this.resumed(id, said, kept, request.runtime.signal)) ?? { conversation: await this.read(id, said, kept), marks: [] };
    this.compare(thread, said);
    // A thread that begins anew while the store still has it is told, not forgotten. Without one the state has the last word.
    // Runs that go on from the same messages may share it: one at a time, so that what is counted and kept for one is not another's.
    const turn = (): Promise<{ window: object[]; now: Kept | undefined }> => this.inTurn(thread, async () => {
      const folded = await windowOf(thread.conversation, asked, request, stored ? "begun" : "anywhere");
      return { window: folded, now: stored ? undefined : await keptOf(thread.conversation) };
    });
    const { window, now } = await unlessAborted(turn, request.runtime.signal);
    thread.marks = [mark, now?.mark ?? UNFOLDED];
    this.remember(id, said, thread);
    return { window, asked, kept: now?.mark === mark ? undefined : now, thread: stored ? thread : undefined };
  }

  /**
   * Keeps an answer that ends a turn: nobody knows whether another call comes, which would have it. Where the store fails, or another server
   * was first, the next call has it, or is told.
   */
  async keep(thread: Thread, said: readonly object[], response: object): Promise<void> {
    const messages = this.keepsAnswers && thread.waits !== true ? endOf(response).map((message) => this.withoutArtifact(message)) : [];
    if (messages.length === 0) return;
    thread.answer = { at: said.length, message: messages[0]! };
    const { usage_metadata: usage } = messages[0] as Answer;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    await this.inTurn(thread, () => thread.conversation.record([...said, ...messages], { usage, back: "never", signal })).catch(() => undefined);
  }

  /**
   * Other middleware that puts something else in the place of answers does so each time: then the state alone says what they are. One with the
   * same id somebody may have edited, in this thread.
   */
  private compare(thread: Thread, said: readonly object[]): void {
    const { answer } = thread;
    const given = answer === undefined ? undefined : said[answer.at];
    // Asked again for the same: there is one answer more than the state will have.
    if (answer?.at === said.length) thread.waits = true;
    if (given !== undefined && AIMessage.isInstance(given) && !beginsWith([given], [answer!.message])) {
      thread.waits = true;
      if (idOf(given) !== idOf(answer!.message)) this.keepsAnswers = false;
    }
    delete thread.answer;
  }

  private async inTurn<T>({ conversation }: Thread, work: () => Promise<T>): Promise<T> {
    const turn = (this.turns.get(conversation) ?? Promise.resolve()).then(work);
    this.turns.set(conversation, turn.catch(() => undefined));
    return turn;
  }

  /** A thread that is in memory, where it has gone the way of the state. */
  private find(id: string | undefined, said: readonly object[], mark: string): Thread | undefined {
    const thread = id === undefined ? this.nameless.get(said[0]!) : this.named.get(id);
    return thread?.marks.includes(mark) ? thread : undefined;
  }

  /**
   * A thread whose state has no folds, though they were made: there is no checkpointer, or the agent is a node of another graph. Where all
   * that is in memory was said here as well, its folds count. It goes its own way from there: two runs may go on from the same messages.
   */
  private async resumed(id: string | undefined, said: readonly object[], kept: Kept | undefined, signal: AbortSignal | undefined): Promise<Thread | undefined> {
    const known = kept === undefined ? this.named.get(id ?? openingOf(said)) : undefined;
    if (known === undefined || !beginsWith(said, await known.conversation.originals({ signal }))) return undefined;
    return { conversation: await known.conversation.branch(), marks: [] };
  }

  private remember(id: string | undefined, said: readonly object[], thread: Thread): void {
    if (id === undefined) this.nameless.set(said[0]!, thread);
    const key = id ?? openingOf(said);
    this.named.delete(key);
    this.named.set(key, thread);
    for (const oldest of this.named.keys()) {
      if (this.named.size <= this.limit) break;
      this.named.delete(oldest);
    }
  }

  /** A thread that is not in memory: with the folds of its state, where those are folds of its messages. */
  private async read(id: string | undefined, said: readonly object[], kept: Kept | undefined): Promise<Conversation> {
    if (kept?.version === 1) {
      try {
        const conversation = this.conversation(id, keptWindow(kept, said));
        await conversation.originals();
        return conversation;
      } catch {
        // Somebody has edited the messages that folded: they are there, and fold anew.
      }
    }
    return this.conversation(id, {});
  }

  private conversation(id: string | undefined, known: Pick<ConversationOptions, "messages" | "ledger" | "originals">): Conversation {
    const { onCompaction } = this;
    const { store, ...options } = this.options;
    const place = store === undefined || id === undefined ? known : { store, id: this.idOf(id) };
    const listener = onCompaction === undefined ? {} : { onCompaction: (compaction: Compaction) => onCompaction(compaction, { id }) };
    return new Conversation({ ...options, ...place, ...listener }, FORMAT);
  }

  /** Artifacts are not sent to the model and may be anything. A store keeps those that it can write. */
  private withoutArtifact(message: object): object {
    const { artifact, content, tool_call_id, name, id, status, additional_kwargs, response_metadata } = message as ToolFields;
    if (artifact === undefined || !ToolMessage.isInstance(message)) return message;
    const known = this.bare.get(message);
    if (known !== undefined) return known;
    const isKept = this.options.store !== undefined && hasText(artifact);
    const bare = isKept ? message : new ToolMessage({ content, tool_call_id, name, id, status, additional_kwargs, response_metadata });
    this.bare.set(message, bare);
    return bare;
  }
}

/** A `ToolMessage`, as far as it is looked at. */
interface ToolFields extends Record<"content" | "tool_call_id" | "name" | "id" | "status" | "additional_kwargs" | "response_metadata", never> {
  artifact?: unknown;
}

function hasText(artifact: unknown): boolean {
  try {
    JSON.stringify(artifact);
    return true;
  } catch {
    return false;
  }
}

function threadOf(configurable: Request["runtime"]["configurable"], said: readonly object[]): string | undefined {
  const { thread_id: thread, checkpoint_ns: place = "" } = configurable ?? {};
  if (thread === undefined) return undefined;
  // An agent within an agent or a graph has the thread of the outer one. The last part names the step.
  const outer = place.split("|").slice(0, -1).filter((part) => !/^\d+$/.test(part));
  if (outer.length === 0) return thread;
  // Names of nodes; behind the colon stands the task, another one each time. The same node may be at several tasks, which begin differently.
  return [thread, ...outer.map((part) => part.replace(/:[^:]*$/, "")), openingOf(said)].join("|");
}

/** Tells apart what begins differently: by the first message that is no system text, and those in front of it. */
function openingOf(said: readonly object[]): string {
  const first = said.findIndex((message) => !SystemMessage.isInstance(message));
  return fingerprints(said.slice(0, first < 0 ? undefined : first + 1), FORMAT).join(".");
}

function beginsWith(said: readonly object[], log: readonly object[]): boolean {
  if (log.length > said.length) return false;
  const others = log.map((_, i) => i).filter((i) => log[i] !== said[i]);
  const [known, given] = [log, said].map((list) => fingerprints(others.map((i) => list[i]!), FORMAT));
  return known!.every((print, i) => print === given![i]);
}

async function windowOf(conversation: Conversation, { said, added }: Asked, request: Request, back: "begun" | "anywhere"): Promise<object[]> {
  const at = lastAnswer(said);
  const { signal } = request.runtime;
  const known = await conversation.originals({ signal });
  // What was counted for an answer is what was sent for it: all that is known, and folded no further since.
  const isNew = at >= 0 && known.length >= at && !isAnswer(known[at]) && beginsWith(said, known.slice(0, at));
  const counted = isNew ? (said[at] as Answer).usage_metadata : undefined;
  // What other middleware put behind the messages for one request is not there any more.
  if (isNew && known.length > at) await conversation.record(said.slice(0, at), { back, signal });
  const usage = counted === undefined ? undefined : { ...counted, at: (await conversation.messages({ signal })).length };
  return conversation.window(said, { signal, usage, back, beside: () => besideOf(request, added) });
}

/** About what system text, tools and the messages of other middleware take. */
function besideOf({ systemMessage, tools = [] }: Request, added: Asked["added"]): number {
  const texts = [systemMessage.text, ...toolsText(tools, (tool) => toolText(tool as object))];
  return estimate([{ type: "system", data: { content: texts.join("\n") } }, ...added.map(({ message }) => message)], FORMAT).total;
}

const toolTexts = new WeakMap<object, string>();

/** About what a tool is sent as: its schema as well, which with some tools is most of it. */
function toolText(tool: object): string {
  const known = toolTexts.get(tool);
  if (known !== undefined) return known;
  const text = writtenTool(tool);
  toolTexts.set(tool, text);
  return text;
}

function writtenTool(tool: object): string {
  const [name, description, schema] = ["name", "description", "schema"].map((member) => memberOf(tool, member));
  try {
    // Tools of the provider's own are sent as they are.
    return jsonOf(schema === undefined ? tool : { name, description, parameters: jsonSchemaOf(schema) });
  } catch {
    // Whether it can be sent is LangChain's to say.
    return `${String(name)}: ${String(description)}`;
  }
}

/** JSON schemas are what they are; of zod 3 the names and descriptions are all that can be had without another library. */
function jsonSchemaOf(schema: unknown): unknown {
  if (memberOf(schema, "_zod") !== undefined) return z.toJSONSchema(schema as object, { unrepresentable: "any" });
  const shape = memberOf(schema, "shape");
  if (typeof shape !== "object" || shape === null || memberOf(schema, "_def") === undefined) return schema;
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, { type: "string", description: memberOf(field, "description") }]));
}

/** Messages of a store are no instances. */
function isAnswer(message: object | undefined): boolean {
  return message !== undefined && AIMessage.isInstance(live(message));
}

/** What ends a turn, of the answer of a model: nothing where calls wait for their results. */
function endOf(response: object): readonly object[] {
  const messages = AIMessage.isInstance(response) ? [response] : ((response as { messages?: unknown }).messages ?? []);
  if (!isArray(messages) || messages.length === 0) return [];
  const answered = new Set(messages.map((message) => memberOf(message, "tool_call_id")));
  const isEnd = messages.every((message) => {
    const { tool_calls: calls = [], invalid_tool_calls: invalid = [] } = message as { tool_calls?: { id?: unknown }[]; invalid_tool_calls?: unknown[] };
    return invalid.length === 0 && calls.every(({ id }) => answered.has(id));
  });
  return isEnd ? (messages as object[]) : [];
}

function lastAnswer(said: readonly object[]): number {
  for (let i = said.length - 1; i >= 0; i--) if (AIMessage.isInstance(said[i])) return i;
  return -1;
}

// --- the state --------------------------------------------------------------------------------------------------------

/** A window that is the messages of the state. */
const UNFOLDED = "[[0,-1]]";

async function keptOf(conversation: Conversation): Promise<Kept> {
  const [window, said, ledger] = [await conversation.messages(), await conversation.originals(), await conversation.ledger()];
  const places = new Map(said.map((message, i) => [message, i]));
  const layout: ([number, number] | number)[] = [];
  const made: object[] = [];
  for (const message of window) {
    const place = places.get(message);
    const last = layout[layout.length - 1];
    if (place === undefined) layout.push(made.push(live(message)) - 1);
    else if (Array.isArray(last) && last[1] === place) last[1]++;
    else layout.push([place, place + 1]);
  }
  const last = layout[layout.length - 1];
  if (Array.isArray(last) && last[1] === said.length) last[1] = -1;
  const { records } = ledger;
  const mark = [JSON.stringify(layout), ...records.slice(-1).map(({ id }) => id)].join(" ");
  return { version: 1, mark, layout, made, ledger: JSON.stringify(ledger.toReferences()) };
}

/** The conversation before the last answer, so that what was counted for it counts; or all of it, where that has folded. */
function keptWindow({ layout, made, ledger }: Kept, said: readonly object[]): Pick<ConversationOptions, "messages" | "ledger" | "originals"> {
  const closed = Math.max(0, ...layout.flatMap((entry) => (typeof entry === "number" ? [] : entry)));
  const at = lastAnswer(said);
  const originals = at < closed ? said : said.slice(0, at);
  const messages = layout.flatMap((entry) => (typeof entry === "number" ? [made[entry]!] : originals.slice(entry[0], entry[1] < 0 ? undefined : entry[1])));
  return { messages, originals, ledger: Ledger.from(JSON.parse(ledger)) };
}

// --- the request ------------------------------------------------------------------------------------------------------

/** What was said: the messages of the state, unless other middleware has put something else in their place. */
function askedOf({ messages, state }: Request, bare: (message: object) => object): Asked {
  const found = inState(messages, state.messages);
  const sameLength = messages.length === state.messages.length;
  const { asked, added } = found ?? { asked: messages, added: [] };
  const said = (found !== undefined || sameLength ? state.messages : messages).map(bare);
  return { said, messages: new Map(said.map((message, i) => [message, asked[i]!])), added };
}

/** The messages of the state among those of a request, by what they are or by their ids, and what stands between; undefined when one is missing. */
function inState(messages: readonly object[], state: readonly object[]): { asked: object[]; added: Asked["added"] } | undefined {
  const places = new Map<unknown, number>(state.flatMap((message, i) => [[idOf(message) ?? message, i], [message, i]] as const));
  const asked: object[] = [];
  const added: { at: number; message: object }[] = [];
  for (const message of messages) {
    const place = places.get(message) ?? places.get(idOf(message));
    if (place === undefined) added.push({ at: asked.length, message });
    else if (place === asked.length) asked.push(message);
    else return undefined;
  }
  return asked.length === state.length ? { asked, added } : undefined;
}

const idOf = (message: object): unknown => (message as { id?: unknown }).id;

/** The window with the messages of other middleware where they stood: in front of it all, behind it all, or in between. */
function withAdded(window: readonly object[], { said, messages, added }: Asked): object[] {
  const places = new Map(said.map((message, i) => [message, i]));
  const rest = [...added];
  const taken = (place: number): object[] => rest.splice(0, rest.filter(({ at }) => at <= place).length).map(({ message }) => message);
  const all = taken(0);
  for (const message of window) all.push(...taken(places.get(message) ?? 0), messages.get(message) ?? live(message));
  return [...all, ...taken(said.length)];
}

/** The messages of states whose answer in a schema a `Command` has carried. */
const carried = new WeakSet<object>();

/** The answer, with the folds that it led to for the state. */
function withKept(response: object, kept: Kept, { state }: Request): object {
  if (AIMessage.isInstance(response)) return new Command({ update: { _plica: kept } });
  const { structuredResponse, messages } = response as { structuredResponse?: unknown; messages?: readonly object[] };
  // In a schema (`providerStrategy`) the state takes one such answer a step: where somebody asks twice, the second goes out as it is.
  if (structuredResponse === undefined || messages?.length !== 1 || carried.has(state.messages)) return response;
  carried.add(state.messages);
  return new Command({ update: { _plica: kept, structuredResponse } });
}

/** What of a request changes. Rules that are system text go to the system text that leads: providers refuse it in a second place. */
function sent(window: readonly object[], asked: Asked, { systemMessage }: Request): Pick<Request, "messages"> & { systemMessage?: SystemMessage } {
  const all = withAdded(window, asked);
  const placed = new Set(window.flatMap((message) => (asked.messages.has(message) ? [] : [live(message)])));
  const rules = all.filter((message) => placed.has(message) && SystemMessage.isInstance(message)) as SystemMessage[];
  if (rules.length === 0) return { messages: all };
  const [first, ...others] = all.filter((message) => !rules.includes(message as SystemMessage));
  if (SystemMessage.isInstance(first)) return { messages: [withRules(first as SystemMessage, rules), ...others] };
  return { messages: first === undefined ? [] : [first, ...others], systemMessage: withRules(systemMessage, rules) };
}

function withRules(system: SystemMessage, rules: readonly SystemMessage[]): SystemMessage {
  const { content } = system;
  const own = typeof content === "string" ? (content === "" ? [] : [textBlock(content)]) : content;
  return new SystemMessage({ ...system, content: [...own, ...rules.map(({ text }) => textBlock(text))] });
}

const textBlock = (text: string): object => ({ type: "text", text });

const lives = new WeakMap<object, object>();

/** A message of plica's as an instance of its class: to the ledger it is the same. */
function live(message: object): object {
  const { type, data, id, kwargs } = message as { type?: string; data?: object; id?: string[]; kwargs?: object };
  const [name, fields] = kwargs === undefined ? [type, data] : [id?.[id.length - 1], kwargs];
  const made = CLASSES.get(name);
  if (made === undefined || fields === undefined) return message;
  const known = lives.get(message) ?? new made(fields);
  lives.set(message, known);
  return known;
}
