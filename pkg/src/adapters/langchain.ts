// A middleware for `createAgent`. It folds what the model is sent (`wrapModelCall`), not the messages of the graph's state: those
// stay what was said. So a user interface that shows the state loses nothing, the checkpoints hold every original, and going back to
// an earlier checkpoint or branching off it needs no thought of folds. What folded is kept in the state as well, beside the messages
// (`_plica`: digests, places, the ledger by reference), written with the answer that it led to: each checkpoint has the folds of its
// own messages, whichever server goes on from it, and no step is added to the graph. `summarizationMiddleware` removes messages from
// the state instead; what it removed is gone from there.

import { Command, ReducedValue, StateSchema } from "@langchain/langgraph";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, createMiddleware } from "langchain";
import { Ledger, PlicaError, estimate } from "plica";
import type { Compaction, Summarize } from "plica";
import { z } from "zod/v4";
import { Conversation } from "./conversation.js";
import type { ConversationOptions } from "./conversation.js";

/** Options of {@link plicaMiddleware}. Those of `compact` say how a fold is made. */
export interface PlicaMiddlewareOptions extends Omit<ConversationOptions, "id" | "messages" | "ledger" | "originals" | "onCompaction"> {
  /** How many threads are kept in memory, those used last. The others are read again from the state or the store. Default 100. */
  threads?: number | undefined;
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

/** What is known of a thread. */
interface Thread {
  readonly conversation: Conversation;
  /** The folds that the state held at the last call, and those that it was given then. */
  marks: readonly string[];
}

/** A request of `wrapModelCall`. */
interface Request {
  messages: object[];
  systemMessage: SystemMessage;
  tools?: readonly { name?: unknown; description?: unknown }[];
  state: { messages: object[]; _plica?: Kept };
  runtime: { signal?: AbortSignal; configurable?: { thread_id?: string; checkpoint_ns?: string } };
}

const NAME = "PlicaMiddleware";
const THREADS = 100;
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
 * whichever server makes them. Without a `thread_id` each `invoke` is a conversation of its own.
 *
 * @throws PlicaError `bad-argument`. While it runs: those of `compact` and of the store, and what the run was aborted with.
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
  const threads = new Threads(options);
  // Several answers of one step are possible where other middleware asks twice: the last one counts.
  const stateSchema = new StateSchema({ _plica: new ReducedValue(z.custom().optional(), { reducer: (_, next) => next }) });
  return createMiddleware({
    name: NAME,
    ...(options.store === undefined ? { stateSchema } : {}),
    wrapModelCall: async (request: Request, handler: (request: object) => Promise<object>): Promise<object> => {
      if (request.messages.length === 0) return handler(request);
      const { window, said, kept } = await threads.next(request);
      const response = await handler({ ...request, ...sent(window, said, request) });
      return kept === undefined || !AIMessage.isInstance(response) ? response : new Command({ update: { _plica: kept } });
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
  /** By their first message: without an id a thread lives as long as its `invoke`. */
  private readonly nameless = new WeakMap<object, Thread>();
  private readonly limit: number;
  private readonly options: Omit<PlicaMiddlewareOptions, "threads" | "onCompaction">;
  private readonly onCompaction: PlicaMiddlewareOptions["onCompaction"];

  constructor({ threads = THREADS, onCompaction, ...options }: PlicaMiddlewareOptions) {
    if (!Number.isInteger(threads) || threads < 0) throw new PlicaError("bad-argument", "threads must be a whole number, 0 or more");
    this.limit = threads;
    this.options = options;
    this.onCompaction = onCompaction;
    // Refuses options that are none before an agent runs.
    this.conversation("", {});
  }

  /** The window for a request, and what the state is to keep where it has not got it yet. */
  async next(request: Request): Promise<{ window: object[]; said: readonly object[]; kept: Kept | undefined }> {
    const said = saidIn(request);
    const id = idOf(request.runtime.configurable);
    const stored = this.options.store !== undefined && id !== undefined;
    const kept = stored ? undefined : request.state._plica;
    const mark = kept?.mark ?? UNFOLDED;
    const thread = this.find(id, said, mark) ?? { conversation: await this.read(id, said, kept), marks: [] };
    const window = await windowOf(thread.conversation, said, request);
    const now = stored ? undefined : await keptOf(thread.conversation);
    thread.marks = [mark, now?.mark ?? UNFOLDED];
    this.remember(id, said, thread);
    return { window, said, kept: now?.mark === mark ? undefined : now };
  }

  /** A thread that is in memory, where it has gone the way of the state. */
  private find(id: string | undefined, said: readonly object[], mark: string): Thread | undefined {
    const thread = id === undefined ? this.nameless.get(said[0]!) : this.named.get(id);
    return thread?.marks.includes(mark) ? thread : undefined;
  }

  private remember(id: string | undefined, said: readonly object[], thread: Thread): void {
    if (id === undefined) return void this.nameless.set(said[0]!, thread);
    this.named.delete(id);
    this.named.set(id, thread);
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
    const listener = onCompaction === undefined ? {} : { onCompaction: (compaction: Compaction) => onCompaction(compaction, { id }) };
    return new Conversation({ ...options, ...(store === undefined || id === undefined ? known : { store, id }), ...listener }, FORMAT);
  }
}

function idOf(configurable: Request["runtime"]["configurable"]): string | undefined {
  const { thread_id: thread, checkpoint_ns: place = "" } = configurable ?? {};
  if (thread === undefined) return undefined;
  // An agent within an agent has the thread of the outer one. The last part names the step.
  const outer = place.split("|").slice(0, -1);
  return [thread, ...outer].join("|");
}

async function windowOf(conversation: Conversation, said: readonly object[], request: Request): Promise<object[]> {
  const at = lastAnswer(said);
  const known = await conversation.originals();
  // What was counted for an answer is what was sent for it: all that is known, and folded no further since.
  const isNew = at >= 0 && known.length >= at && !AIMessage.isInstance(known[at]);
  const counted = isNew ? (said[at] as Answer).usage_metadata : undefined;
  // What other middleware put behind the messages for one request is not there any more.
  if (isNew && known.length > at) await conversation.record(said.slice(0, at));
  const usage = counted === undefined ? undefined : { ...counted, at: (await conversation.messages()).length };
  return conversation.window(said, { signal: request.runtime.signal, usage, beside: () => besideOf(request) });
}

/** About what system text and tools take. */
function besideOf({ systemMessage, tools = [] }: Request): number {
  const texts = [systemMessage.text, ...tools.map(({ name, description }) => `${String(name)}: ${String(description)}`)];
  return estimate([{ type: "system", data: { content: texts.join("\n") } }], FORMAT).total;
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
function saidIn({ messages, state }: Request): readonly object[] {
  return messages.length === state.messages.length ? state.messages : messages;
}

/** What of a request changes. Rules that are system text go to the system text that leads: providers refuse it in a second place. */
function sent(window: readonly object[], said: readonly object[], { messages, systemMessage }: Request): Pick<Request, "messages"> & { systemMessage?: SystemMessage } {
  // Other middleware may have changed a message for this one request.
  const asked = new Map(said.map((message, i) => [message, messages[i]!]));
  const all = window.map((message) => asked.get(message) ?? live(message));
  const rules = all.filter((message, i) => !asked.has(window[i]!) && SystemMessage.isInstance(message)) as SystemMessage[];
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
