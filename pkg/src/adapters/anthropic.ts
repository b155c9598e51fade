// Folding for loops around the SDK of Anthropic: its tool runner, and loops of your own around `messages.create` and
// `messages.stream`. The types say what is used of the SDK, and nothing of it is imported.

import { PlicaError, fingerprints } from "plica";
import type { Ledger, Signal, Summarize } from "plica";
import { CUT_OFF, LEFT, blocksOf, callIds, ended, isOpen, recorded, sound, withResults } from "./anthropic-replies.js";
import { tokensOf, toolsText } from "./beside.js";
import { isArray, memberOf, optionsIn, refuseMessages, refuseNoFunction } from "./checks.js";
import { Conversation } from "./conversation.js";
import type { ConversationOptions } from "./conversation.js";

/** A message of the Messages API, as it is sent. */
export interface MessageParam {
  role: string;
  content: string | readonly object[];
}

/** Options of {@link foldMessages}: `window`, and those of `compact` and of a conversation. */
export type FoldMessagesOptions = ConversationOptions<MessageParam>;

/** What is known of a request. */
export interface RequestNotes {
  /** `usage` of the answer to the request before: the count that the next fold stands on. */
  usage?: object | null | undefined;
  /** Ends a fold; nothing has changed then. */
  signal?: Signal | undefined;
}

/** What is used of a tool runner: that of `client.beta.messages.toolRunner(…)`. */
export interface ToolRunner<Item> {
  readonly params: object;
  setMessagesParams(params: never): void;
  generateToolResponse(): PromiseLike<object | null>;
  [Symbol.asyncIterator](): AsyncIterator<Item, unknown, undefined>;
}

/** What is used of a client. */
export interface SummaryClient {
  readonly messages: {
    create(
      body: { model: string; max_tokens: number; system: string; messages: { role: "user"; content: string }[]; stream?: false },
      options?: { signal?: Signal },
    ): PromiseLike<SummaryAnswer>;
  };
}

/** What is used of an answer. */
export interface SummaryAnswer {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[];
  readonly stop_reason: string | null;
  readonly usage: object;
  readonly model: string;
}

/** Options of {@link summarizeWith}: a model, and whatever else the request is to hold. */
export interface SummarizeWithOptions {
  /** The model that summarizes. */
  model: string;
  /** Tokens of a summary, at most. Default 8,192; a summary that is cut off is asked for again. */
  max_tokens?: number | undefined;
  /** Any other parameter of `messages.create`. */
  readonly [parameter: string]: unknown;
}

/** A reply, as the runner gives it. @internal */
export interface Reply {
  role: string;
  content: readonly { type: string }[];
  stop_reason: string | null;
  usage?: object | null;
}

/** The parameters of a request, as far as they are read. @internal */
export interface Params {
  messages: readonly MessageParam[];
  betas?: readonly string[] | null;
  thinking?: { type: string; block_binding?: unknown } | null;
  compaction?: unknown;
  context_management?: { edits?: readonly { type: string }[] | null } | null;
  runToolsEagerly?: boolean | undefined;
  system?: unknown;
  tools?: unknown;
}

/** Says that thinking which was led to by other messages may be left out by the API, and what has to be asked for with it. */
const BINDING = { prefix_mismatch_behavior: "drop_block" };
const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/** A reply that stopped so is sent back as it is, and goes on. */
const UNFINISHED: readonly (string | null)[] = ["pause_turn", "compaction"];

/**
 * Folds the conversation of a program that talks to Anthropic's Messages API.
 *
 * @param options `window` says what the model takes, in tokens; `summarize` makes summaries ({@link summarizeWith}); with `store` and
 * `id` the conversation is kept in a store of `plica/store`; `pins` are rules that every request holds. All others are those of `compact`.
 * @throws PlicaError `bad-argument`.
 * @example
 * const folding = foldMessages({ window: 200_000, summarize: summarizeWith(client, { model: "claude-haiku-4-5" }) });
 * const runner = client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools });
 * for await (const message of folding.run(runner)) console.log(message.stop_reason);
 */
export function foldMessages(options: FoldMessagesOptions): MessageFolding {
  return new MessageFolding(options);
}

/** The folding of one conversation; made by {@link foldMessages}. Calls follow each other, however they are made. */
export class MessageFolding {
  private readonly conversation: Conversation<MessageParam>;
  private readonly hasRules: boolean;

  /** @internal */
  constructor(options: FoldMessagesOptions) {
    const given = optionsIn(options);
    const { pinned, pins } = given;
    if (pinned !== undefined && !isArray(pinned)) refuseNoFunction(pinned, "pinned");
    const own = typeof pinned === "function" ? pinned : (_: MessageParam, i: number) => pinned?.includes(i) === true;
    // Tools that were added or taken away in the conversation: the provider knows of them by these messages alone.
    const stays = (message: MessageParam, i: number): boolean => changesTools(message) || own(message, i);
    this.conversation = new Conversation<MessageParam>({ ...given, pinned: stays }, { format: "anthropic" });
    this.hasRules = pins !== undefined;
  }

  /**
   * Iterates a tool runner, and folds between its requests: before the first one, and behind the results of each step. What it gives
   * is what the runner gives, messages or streams.
   *
   * The runner sends what it would have sent as long as nothing folds. In the loop `setMessagesParams` and `pushMessages` work as
   * ever; `compactBeforeNextTurn` is refused, since two would summarize the same.
   *
   * @throws what the runner throws; what the signal was aborted with; PlicaError those of `compact` and of the store; `conflict` when
   * another server has written to the conversation what is not among the messages; `bad-argument` where the provider is to compact
   * the conversation and there are rules that it would summarize with it.
   * @example
   * for await (const message of folding.run(runner)) console.log(message.stop_reason);
   */
  async *run<Item>(runner: ToolRunner<Item>, options: { signal?: Signal | undefined } = {}): AsyncGenerator<Item, void, undefined> {
    refuseNoRunner(runner);
    const { signal } = optionsIn(options);
    const watched = watch(runner);
    const iterator = runner[Symbol.asyncIterator]();
    /** A reply that the caller has, and that is not taken yet. */
    let open: { item: Item } | undefined;
    try {
      await this.before(runner, watched, signal);
      for (;;) {
        watched.next();
        const step = await iterator.next();
        if (step.done === true) return;
        open = { item: step.value };
        yield step.value;
        open = undefined;
        await this.behind(runner, watched, step.value, signal);
      }
    } finally {
      watched.end();
      const params = runner.params as Params;
      // Ends a stream that is under way as well.
      await iterator.return?.();
      if (open !== undefined) await this.left(params, watched, open.item);
    }
  }

  /**
   * Runs a tool runner to its end, as `runner.runUntilDone()` does, and folds between its requests.
   *
   * @returns the last message.
   * @throws as {@link MessageFolding.run}.
   * @example
   * const answer = await folding.runUntilDone(client.beta.messages.toolRunner({ model, max_tokens: 4096, messages, tools }));
   */
  async runUntilDone<Item>(runner: ToolRunner<Item>, options: { signal?: Signal | undefined } = {}): Promise<Item extends { finalMessage(): PromiseLike<infer Message> } ? Message : Item> {
    let last: Item | undefined;
    for await (const item of this.run(runner, options)) last = item;
    if (last === undefined) throw new PlicaError("bad-argument", "the runner ended without a message");
    return (await replyOf(last)) as never;
  }

  /**
   * The parameters to send: those that were given, with the window in the place of the messages. The same object where nothing
   * is different.
   *
   * @param params those of `messages.create` or `messages.stream`, with all messages, or the messages of the parameters before and what
   * came since.
   * @throws as {@link MessageFolding.run}.
   * @example
   * for (let usage; ; ) {
   *   params = await folding.params(params, { usage });
   *   const answer = await client.messages.create(params);
   *   params.messages.push({ role: "assistant", content: answer.content });
   *   …
   *   usage = answer.usage;
   * }
   */
  async params<P extends { messages: readonly object[] }>(params: P, notes: RequestNotes = {}): Promise<P> {
    const given = params as unknown as Params;
    if (!isArray(memberOf(given, "messages"))) throw new PlicaError("bad-argument", "params must hold messages");
    const window = await this.window(given, given.messages, optionsIn(notes));
    const bound = Array.isArray(given.betas) ? this.bound(given, window) : {};
    if (isSame(window, given.messages) && Object.keys(bound).length === 0) return params;
    return { ...params, messages: window, ...bound };
  }

  /**
   * Takes the messages behind the last answer, and folds nothing: at the end of a loop of your own, so that the answer is kept.
   *
   * @throws as {@link MessageFolding.run}.
   * @example
   * await folding.record([...params.messages, { role: "assistant", content: answer.content }]);
   */
  async record(messages: readonly object[], notes: Pick<RequestNotes, "usage"> = {}): Promise<void> {
    refuseMessages(messages);
    return this.conversation.record(recorded(messages as readonly MessageParam[]), usageOf(optionsIn(notes), { messages }));
  }

  /** The window as it is now: what a new process goes on with, a new request behind it. */
  messages<M = MessageParam>(): Promise<M[]> {
    return this.conversation.messages() as Promise<unknown> as Promise<M[]>;
  }

  /** All that was ever said: every original. */
  originals<M = MessageParam>(): Promise<M[]> {
    return this.conversation.originals() as Promise<unknown> as Promise<M[]>;
  }

  /** The ledger. Where there is no store, it is to be kept with the window: `{ messages, ledger: Ledger.from(json) }` goes on. */
  ledger(): Promise<Ledger<MessageParam>> {
    return this.conversation.ledger();
  }

  /** Forgets everything, in the store as well. */
  clear(): Promise<void> {
    return this.conversation.clear();
  }

  // --- the runner -------------------------------------------------------------------------------------------------------

  private async before(runner: ToolRunner<unknown>, watched: Watched, signal: Signal | undefined): Promise<void> {
    const params = runner.params as Params;
    await this.set(runner, watched, params, params.messages, { signal });
  }

  /** Behind a reply: the caller has had it, and the runner has not gone on. */
  private async behind(runner: ToolRunner<unknown>, watched: Watched, item: unknown, signal: Signal | undefined): Promise<void> {
    const reply = await replyOf(item).catch(() => undefined);
    // What failed, or was aborted, is the runner's to say.
    if (reply === undefined) return;
    const params = runner.params as Params;
    const usage = reply.usage;
    if (isCompaction(reply) && !compacts(params)) {
      throw new PlicaError("bad-argument", "the runner was told to compact the conversation before it ran; plica folds it: leave compactBeforeNextTurn out");
    }
    const own: MessageParam = { role: reply.role, content: reply.content };
    if (!watched.taken && UNFINISHED.includes(reply.stop_reason)) return this.record([...params.messages, own], { usage });
    // The runner stops here, whatever calls there are.
    if (!watched.taken && reply.stop_reason !== "tool_use") return this.record(ended(params, reply, CUT_OFF), { usage });
    const messages = watched.taken ? params.messages : [...params.messages, own];
    const results = await this.results(runner, messages[messages.length - 1], own);
    if (results === undefined) return;
    await this.set(runner, watched, params, results === null ? messages : [...messages, results], { usage, signal });
  }

  /** Behind the last reply that the caller had: the loop was left there. */
  private async left(params: Params, watched: Watched, item: unknown): Promise<void> {
    const reply = await replyOf(item).catch(() => undefined);
    if (reply === undefined) return;
    const messages = watched.taken ? params.messages : [...params.messages, { role: reply.role, content: reply.content }];
    // The caller may have had the calls made before.
    const results = isOpen(messages) ? await watched.results?.catch(() => null) : undefined;
    if (results) return this.record([...messages, results], { usage: reply.usage });
    const all = watched.taken ? withResults(messages, LEFT, params) : ended(params, reply, LEFT);
    return this.record(all, { usage: reply.usage });
  }

  /** The results of the calls of a reply, as the runner has them; null where there are none, undefined where it is to say what went wrong. */
  private async results(runner: ToolRunner<unknown>, last: MessageParam | undefined, reply: MessageParam): Promise<MessageParam | null | undefined> {
    const ids = callIds(reply);
    if (last === undefined || ids.length === 0 || callIds(last).join() !== ids.join()) return null;
    try {
      return (await runner.generateToolResponse()) as MessageParam | null;
    } catch {
      return undefined;
    }
  }

  private async set(runner: ToolRunner<unknown>, watched: Watched, params: Params, messages: readonly MessageParam[], notes: RequestNotes): Promise<void> {
    const window = await this.window(params, messages, notes);
    const bound = this.bound(params, window);
    if (isSame(window, messages) && Object.keys(bound).length === 0) return;
    watched.set({ ...runner.params, messages: window, ...bound });
  }

  // --- both -------------------------------------------------------------------------------------------------------------

  private async window(params: Params, messages: readonly MessageParam[], notes: RequestNotes): Promise<MessageParam[]> {
    refuseMessages(messages);
    refuseNoEdits(params);
    if (params.compaction !== undefined && params.compaction !== null) {
      throw new PlicaError("bad-argument", "compaction has the provider summarize the whole conversation; plica folds it: leave one of them out");
    }
    if (this.hasRules && compacts(params)) {
      throw new PlicaError("bad-argument", "a compaction edit of context_management would summarize the pinned rules with everything in front of it; leave it out, or the pins");
    }
    const first = messages[0];
    if (first !== undefined && isCompaction(first) && !(await this.isKnown(first))) {
      throw new PlicaError("bad-argument", "the messages begin with a compaction of the provider in the place of what was said; give all that was said, or a folding of its own to what is left");
    }
    const beside = (): number => tokensOf([...systemOf(params), ...toolsText(params.tools)]);
    return this.conversation.window(sound(messages), { ...usageOf(notes, params), signal: notes.signal, beside });
  }

  private async isKnown(first: MessageParam): Promise<boolean> {
    const [said] = await this.conversation.originals();
    if (said === undefined) return true;
    const [known, given] = fingerprints([said, first], { format: "anthropic" });
    return known === given;
  }

  /** Thinking is bound to the messages in front of it. Behind a fold those are others: without this the API refuses the request. */
  private bound(params: Params, window: readonly MessageParam[]): { thinking?: object; betas?: string[] } {
    const { thinking, betas } = params;
    const { type, block_binding: chosen } = thinking ?? { type: "adaptive" };
    if ((type !== "adaptive" && type !== "enabled") || (chosen !== undefined && chosen !== null) || !window.some(thinks) || !window.some(isDigest)) return {};
    const all = betas ?? [];
    return { thinking: { ...thinking, type, block_binding: BINDING }, betas: all.includes(BINDING_BETA) ? [...all] : [...all, BINDING_BETA] };
  }
}

/**
 * Summaries by a model of the client.
 *
 * @param options `model`, `max_tokens`, and whatever else `messages.create` takes.
 * @returns what `summarize` takes. A summary that was cut off or refused counts as a failed attempt.
 * @example
 * foldMessages({ window: 200_000, summarize: summarizeWith(client, { model: "claude-haiku-4-5", max_tokens: 4096 }) });
 */
export function summarizeWith(client: SummaryClient, options: SummarizeWithOptions): Summarize {
  const { model, max_tokens = 8192, ...more } = optionsIn(options);
  if (typeof memberOf(memberOf(client, "messages"), "create") !== "function") throw new PlicaError("bad-argument", "summarizeWith needs a client of Anthropic's SDK");
  if (typeof model !== "string") throw new PlicaError("bad-argument", "summarizeWith needs the model that summarizes");
  return async ({ system, prompt }, { signal }) => {
    const answer = await client.messages.create({ ...more, model, max_tokens, system, messages: [{ role: "user", content: prompt }], stream: false }, { signal });
    const text = answer.content.map((block) => (block.type === "text" && typeof block.text === "string" ? block.text : "")).join("");
    return { text, usage: answer.usage, model: answer.model, ...(answer.stop_reason === null ? {} : { finishReason: answer.stop_reason }) };
  };
}

// --- what is read -------------------------------------------------------------------------------------------------------

/** A runner whose parameters the caller may change, and we as well. */
interface Watched {
  /** The caller has changed them since the last reply: the runner leaves that reply to the caller. */
  readonly taken: boolean;
  /** The results of the calls of the last reply, where somebody has asked for them. */
  readonly results: Promise<MessageParam | null> | undefined;
  /** Another reply comes. */
  next(): void;
  set(params: object): void;
  end(): void;
}

function refuseNoRunner(runner: unknown): void {
  const isOne = typeof memberOf(runner, "setMessagesParams") === "function" && typeof memberOf(runner, "params") === "object" && Symbol.asyncIterator in (runner as object);
  if (!isOne) throw new PlicaError("bad-argument", "run needs a tool runner: that of client.beta.messages.toolRunner(…)");
}

/** Nothing else says whether the caller has changed the parameters: they may be the same as before. */
function watch(runner: ToolRunner<unknown>): Watched {
  type Open = Record<"setMessagesParams" | "compactBeforeNextTurn", (params?: unknown) => void> & { generateToolResponse: (...args: unknown[]) => Promise<MessageParam | null> };
  const open = runner as unknown as Open;
  const { setMessagesParams: set, generateToolResponse: generate } = open;
  const watched = {
    taken: false,
    results: undefined as Promise<MessageParam | null> | undefined,
    next: () => {
      watched.taken = false;
      watched.results = undefined;
    },
    set: (params: object) => set.call(runner, params),
    end: () => {
      // Those of the class show again.
      delete (open as Partial<Open>).setMessagesParams;
      delete (open as Partial<Open>).compactBeforeNextTurn;
      delete (open as Partial<Open>).generateToolResponse;
    },
  };
  open.setMessagesParams = (params) => {
    set.call(runner, params);
    watched.taken = true;
  };
  open.generateToolResponse = (...args) => (watched.results = generate.apply(runner, args));
  open.compactBeforeNextTurn = () => {
    throw new PlicaError("bad-argument", "plica folds this conversation: compactBeforeNextTurn would summarize it a second time");
  };
  return watched;
}

async function replyOf(item: unknown): Promise<Reply> {
  const { finalMessage } = item as { finalMessage?: () => PromiseLike<Reply> };
  return typeof finalMessage === "function" ? finalMessage.call(item) : (item as Reply);
}

/** Where the provider clears or compacts in its own copy, it counts what it left. */
function usageOf({ usage }: Pick<RequestNotes, "usage">, { context_management: own, messages }: { context_management?: unknown; messages: readonly object[] }): { usage?: object } {
  const partial = (own !== undefined && own !== null) || messages.some((message) => isCompaction(message as MessageParam));
  return usage === undefined || usage === null ? {} : { usage: { ...usage, ...(partial ? { partial } : {}) } };
}

function systemOf({ system }: Params): string[] {
  return (isArray(system) ? system.map((block) => memberOf(block, "text")) : [system]).filter((text) => typeof text === "string");
}

function changesTools(message: MessageParam): boolean {
  return message.role === "system" && blocksOf(message).some(({ type }) => type === "tool_addition" || type === "tool_removal");
}

function thinks(message: MessageParam): boolean {
  return blocksOf(message).some(({ type }) => type === "thinking" || type === "redacted_thinking");
}

function isDigest(message: MessageParam): boolean {
  return typeof message.content === "string" && message.content.startsWith("<compaction-summary");
}

/** What the provider gives for a whole conversation. */
function isCompaction(message: { role: string; content: string | readonly object[] }): boolean {
  const blocks = blocksOf(message);
  return memberOf(message, "role") === "assistant" && blocks.length > 0 && blocks.every((block) => memberOf(block, "type") === "compaction");
}

function refuseNoEdits({ context_management: management }: Params): void {
  const edits = memberOf(management, "edits") ?? [];
  if (!isArray(edits) || edits.some((edit) => typeof memberOf(edit, "type") !== "string")) {
    throw new PlicaError("bad-argument", "context_management.edits must be a list of edits, each with its type");
  }
}

function compacts({ context_management: management }: Params): boolean {
  return management?.edits?.some(({ type }) => type.startsWith("compact_")) === true;
}

function isSame(one: readonly object[], other: readonly object[]): boolean {
  return one.length === other.length && one.every((message, i) => message === other[i]);
}
