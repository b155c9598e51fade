// A middleware for language models of the AI SDK: it folds the prompt of each call, whichever function made it. A prompt is all that was
// said, in new objects each time; which conversation it is of is for the caller to say, and nothing is guessed.

import { PlicaError, SUMMARIZE_SYSTEM } from "plica";
import type { Ledger, Signal } from "plica";
import { contentOf, isSystem, parted, textsOf, withoutRules } from "./ai-sdk-system.js";
import { Ways, isGoneOnWith, mayGoBack } from "./ai-sdk-ways.js";
import type { Call, Way } from "./ai-sdk-ways.js";
import { tokensOf, toolsText } from "./beside.js";
import { memberOf, optionsIn, refuseMessages, refuseNoFunction } from "./checks.js";
import { Conversation } from "./conversation.js";
import type { ConversationOptions, NextOptions } from "./conversation.js";
import { hasCode } from "./problems.js";

/** A call of a model, as far as it is looked at: the parameters that a provider is given. */
export interface ModelCall {
  /** The messages. */
  prompt: readonly object[];
  /** Tool schemas. */
  tools?: readonly object[] | undefined;
  /** `{ plica: { conversation: id } }` says which conversation the call is of. */
  providerOptions?: Readonly<Record<string, object | undefined>> | undefined;
  /** Ends the call, and a fold with it. */
  abortSignal?: Signal | undefined;
}

/** A conversation that is kept elsewhere. */
export interface KeptWindow<M extends object = object> {
  /** Its window. */
  messages: readonly M[];
  /** Its ledger. */
  ledger: Ledger<M>;
}

/** Options of {@link foldPrompts}: those of `compact`, the window, and where conversations are kept. */
export interface FoldPromptsOptions extends Omit<ConversationOptions, "id" | "messages" | "ledger"> {
  /**
   * Which conversation a call is of: its id, the id in a store as well; undefined for a call that is of none, and passes as it is. Left
   * out, it is `providerOptions.plica.conversation`. A string when all calls of the model are of one conversation.
   */
  conversation?: string | ((call: ModelCall) => string | undefined) | undefined;
  /** Without a store: what is kept of a conversation that is met for the first time. */
  restore?: ((id: string) => KeptWindow | undefined | PromiseLike<KeptWindow | undefined>) | undefined;
  /** How many conversations are held in memory: those that were called last. Default 100. */
  held?: number | undefined;
}

/** A conversation as the middleware knows it: up to its last call. */
export interface FoldedConversation {
  /** The window. */
  messages(): Promise<object[]>;
  /** Every original. */
  originals(): Promise<object[]>;
  /** The ledger: with the window it is all that has to be kept where there is no store; see `restore`. */
  ledger(): Promise<Ledger>;
}

/** The runtime's own `ReadableStream`, where its types are loaded. */
export type ModelStream = typeof globalThis extends { ReadableStream: { prototype: infer Own } } ? Own : object;

/** A middleware for `wrapLanguageModel`, and what it knows. */
export interface PromptFolding {
  /** Of version 6; version 7 takes it as well. */
  readonly specificationVersion: "v3";
  /** Folds the prompt. */
  readonly transformParams: <P extends ModelCall>(call: { params: P }) => Promise<P>;
  /** Takes what the provider counted. */
  readonly wrapGenerate: <R extends { usage?: object | undefined }>(call: { doGenerate: () => PromiseLike<R>; params: object }) => Promise<R>;
  /** Takes what the provider counted, from the end of the stream, which passes as it is. */
  readonly wrapStream: <R extends { stream: ModelStream }>(call: { doStream: () => PromiseLike<R>; params: object }) => Promise<R>;
  /** A conversation; one that was never called is empty, or what is stored. */
  of(id: string): FoldedConversation;
  /** Forgets a conversation, in the store as well. */
  clear(id: string): Promise<void>;
}

/**
 * A middleware that folds the prompt of each call of a model: for `generateObject`, agents, UI streams, and everything else that is
 * given a model. Not together with `prepareStep` of `foldSteps`, which does the same between steps.
 *
 * A call says which conversation it is of; without an id it passes as it is. A prompt that does not go on from the conversation of its
 * id (a message was edited, an answer is made anew, a turn was stopped, a helper was given the same id) is folded by itself, in memory: the
 * conversation stays what it was, in the store as well, until that other way is gone on with, by a further request behind an answer. Then
 * that is the conversation, with the folds that were made on it. A turn whose call has failed, or that a process before this one left
 * without an answer, is gone back from at once. The last answer is part of the conversation from the next call on.
 *
 * System text that leads the prompt is sent as it is and never folds; the rules of `pins` stand behind it.
 *
 * @throws PlicaError `bad-argument`. A call throws what its signal was aborted with, and PlicaErrors of `compact` and of the store.
 * @example
 * const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: foldPrompts({ window: 400_000, summarize }) });
 * generateText({ model, messages, providerOptions: { plica: { conversation: "garden/7" } } });
 */
export function foldPrompts(options: FoldPromptsOptions): PromptFolding {
  return new Prompts(options);
}

const HELD = 100;

/** What goes out for a prompt, on which way, and what was new on it. */
interface Sent {
  way: Way;
  rules: readonly object[];
  rest: readonly object[];
  came: readonly object[];
}

class Prompts implements PromptFolding {
  readonly specificationVersion = "v3";
  readonly transformParams: PromptFolding["transformParams"];
  readonly wrapGenerate: PromptFolding["wrapGenerate"];
  readonly wrapStream: PromptFolding["wrapStream"];
  private readonly idOf: (call: ModelCall) => unknown;
  private readonly restore: FoldPromptsOptions["restore"];
  private readonly held: number;
  private readonly making: Omit<ConversationOptions, "id">;
  /** By id, the latest call's last. */
  private readonly all = new Map<string, Promise<Ways>>();
  /** By the parameters that were made for them. */
  private readonly calls = new WeakMap<object, Call>();
  /** Digests as providers take them. */
  private readonly listed = new WeakMap<object, object>();

  constructor(options: FoldPromptsOptions) {
    const { conversation, restore, held = HELD, ...making } = optionsIn(options);
    if (conversation !== undefined && typeof conversation !== "function" && (typeof conversation !== "string" || conversation === "")) {
      throw new PlicaError("bad-argument", "conversation must be an id, or a function that gives the id of a call");
    }
    if (making.store !== undefined && restore !== undefined) throw new PlicaError("bad-argument", "with a store, messages and ledger come from it");
    this.idOf = typeof conversation === "function" ? conversation : typeof conversation === "string" ? () => conversation : namedId;
    this.restore = restore;
    refuseNoFunction(restore, "restore");
    if (typeof held !== "number" || !(held >= 0)) throw new PlicaError("bad-argument", "held must be a number of 0 or more");
    this.held = held;
    this.making = making;
    // Refuses options that are none before a model is called.
    this.conversationOf("-");
    // Members of their own: they are handed over without their object.
    this.transformParams = <P extends ModelCall>(call: { params: P }) => this.folded(memberOf(call, "params") as P);
    this.wrapGenerate = async (call) => {
      refuseNoCall(call, "doGenerate");
      const { doGenerate, params } = call;
      const result = await this.made(params, doGenerate);
      this.count(params, memberOf(result, "usage") as object | undefined);
      return result;
    };
    this.wrapStream = async (call) => {
      refuseNoCall(call, "doStream");
      const { doStream, params } = call;
      const result = await this.made(params, doStream);
      if (typeof memberOf(memberOf(result, "stream"), "getReader") !== "function") throw new PlicaError("bad-argument", "doStream must give { stream }, a ReadableStream");
      return { ...result, stream: this.followed(params, result.stream as ReadableStream) };
    };
  }

  of(id: string): FoldedConversation {
    const own = async (): Promise<Conversation> => (await this.waysOf(id)).main.conversation;
    return {
      messages: async () => (await own()).messages(),
      originals: async () => (await own()).originals(),
      ledger: async () => (await own()).ledger(),
    };
  }

  async clear(id: string): Promise<void> {
    const { main } = await this.waysOf(id);
    await main.conversation.clear();
    this.all.delete(id);
  }

  private async folded<P extends ModelCall>(params: P): Promise<P> {
    refuseMessages(memberOf(params, "prompt"), "prompt");
    const id = this.idOf(params);
    const [head, body] = parted(params.prompt);
    const call = withoutName(params);
    // What a fold asks the summarizer through the same model is no part of the conversation, and waits for no other fold.
    if (id === undefined || id === null || body.length === 0 || isSummaryRequest(head)) return call;
    const { way, rules, rest } = await this.windowOf(id as string, params, head, body);
    const folded = { ...call, prompt: [...head, ...rules, ...rest.map((message) => this.asProvidersTakeIt(message))] };
    this.calls.set(folded, (way.last = { failed: false }));
    return folded;
  }

  /** The window of the way that the prompt goes on from. */
  private async windowOf(id: string, params: ModelCall, head: readonly object[], body: readonly object[]): Promise<Sent> {
    const ways = await this.waysOf(id);
    const { main } = ways;
    const isFirst = ways.asked();
    const { abortSignal: signal } = params;
    const beside = (): number => tokensOf([...textsOf(head), ...toolsText(params.tools)]);
    let [nearest, shared] = [main, 0];
    for (const way of ways.inOrder()) {
      const back = (left: readonly object[], kept: number, instead: readonly object[]): boolean => {
        if (kept > shared) [nearest, shared] = [way, kept];
        return mayGoBack(way.last, isFirst && way === main, left, kept, instead);
      };
      const sent = await sentOf(way, body, { signal, beside, usage: way.last?.usage, back }).catch((error: unknown) => {
        if (hasCode(error, "conflict")) return undefined;
        if (isFirst) ways.unasked();
        throw error;
      });
      if (sent === undefined) continue;
      ways.use(way);
      if (way !== main && isGoneOnWith(sent.came)) await ways.become(way, signal);
      return sent;
    }
    const way = { conversation: await nearest.conversation.branch({ signal }), shared };
    const sent = await sentOf(way, body, { signal, beside, back: "anywhere" });
    ways.use(way);
    return sent;
  }

  private async waysOf(id: string): Promise<Ways> {
    if (typeof id !== "string" || id === "") throw new PlicaError("bad-argument", "the id of a conversation must be a string that is not empty");
    return this.known(id);
  }

  private known(id: string): Promise<Ways> {
    const held = this.all.get(id);
    const ways = held ?? this.began(id);
    this.all.delete(id);
    this.all.set(id, ways);
    // What failed is tried again at the next call.
    if (held === undefined) ways.catch(() => this.all.get(id) === ways && this.all.delete(id));
    for (const oldest of this.all.keys()) {
      if (this.all.size <= Math.max(1, this.held)) break;
      this.all.delete(oldest);
    }
    return ways;
  }

  private async began(id: string): Promise<Ways> {
    return new Ways(this.conversationOf(id, await this.restore?.(id)));
  }

  private conversationOf(id: string, kept?: KeptWindow): Conversation {
    const { store } = this.making;
    return new Conversation({ ...this.making, ...(store === undefined ? kept : { id }) }, { format: "ai-sdk" });
  }

  private asProvidersTakeIt(message: object): object {
    if (isSystem(message) || contentOf(message) === "") return message;
    const known = this.listed.get(message);
    const listed = known ?? { ...message, content: [{ type: "text", text: contentOf(message) }] };
    this.listed.set(message, listed);
    return listed;
  }

  /** A call that fails leaves a run that is not gone on with. */
  private async made<R>(params: object, make: () => PromiseLike<R>): Promise<R> {
    try {
      return await make();
    } catch (error) {
      this.fail(params);
      throw error;
    }
  }

  private fail(params: object): void {
    const call = this.calls.get(params);
    if (call !== undefined) call.failed = true;
  }

  private count(params: object, usage: object | undefined): void {
    const call = this.calls.get(params);
    if (call !== undefined) call.usage = usage;
  }

  /** The stream as it is. One that ends before its finish, is stopped or has an error in it is a call that failed. */
  private followed(params: object, stream: ReadableStream): ReadableStream {
    const reader = stream.getReader();
    let isWhole = false;
    const ended = (): void => {
      if (!isWhole) this.fail(params);
    };
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await reader.read().catch((error: unknown): never => {
          ended();
          throw error;
        });
        if (!done) {
          const part = value as { type?: unknown; usage?: object } | undefined;
          if (part?.type === "error") this.fail(params);
          if (part?.type === "finish") {
            isWhole = true;
            this.count(params, part.usage);
          }
          return controller.enqueue(value);
        }
        ended();
        controller.close();
      },
      cancel: (reason) => {
        ended();
        return reader.cancel(reason);
      },
    });
  }
}

function refuseNoCall(call: unknown, name: string): void {
  if (typeof memberOf(call, name) !== "function") throw new PlicaError("bad-argument", `a call of the AI SDK has ${name}`);
}

/** The id among the provider's options. */
function namedId({ providerOptions }: ModelCall): unknown {
  return (providerOptions?.plica as { conversation?: unknown } | undefined)?.conversation;
}

/** The id is not for the provider. */
function withoutName<P extends ModelCall>(params: P): P {
  if (params.providerOptions?.plica === undefined) return params;
  const { plica: _, ...providerOptions } = params.providerOptions;
  return { ...params, providerOptions };
}

async function sentOf(way: Way, body: readonly object[], options: NextOptions): Promise<Sent> {
  const { conversation } = way;
  const { window, came } = await conversation.next(body, options);
  const [rules, rest] = withoutRules(window, conversation);
  return { way, rules, rest, came };
}

function isSummaryRequest(head: readonly object[]): boolean {
  return head.length > 0 && contentOf(head[0]!).startsWith(SUMMARIZE_SYSTEM);
}
