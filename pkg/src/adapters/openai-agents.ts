// A session of the OpenAI Agents SDK. The runner reads a session once, when a run begins, and hands it what came at the end, or turn by
// turn where it streams. So a session alone cannot help in the midst of a long run; for that there is a filter of what the model is
// sent, which folds on a branch of the conversation. The session takes over the folds of the branch with the items of the run: a run
// that fails leaves nothing behind, and no span is summarized twice. Where no filter is used, it folds when the runner says that a
// turn is stored (`runCompaction`), and not when items are added: a write that the runner has to reconcile after a failure must find
// what it left.

import { PlicaError, estimate } from "plica";
import type { Ledger, Signal } from "plica";
import { unlessAborted } from "./aborts.js";
import { memberOf, optionsIn, refuseMessages, refuseNoSignal } from "./checks.js";
import { Conversation } from "./conversation.js";
import type { ConversationOptions } from "./conversation.js";
import { hasCode } from "./problems.js";
import { Recognition } from "./recognition.js";

/** An item, as far as it is looked at: an `AgentInputItem` of the SDK. */
export interface SessionItem {
  /** `"message"`, `"function_call"`, … */
  readonly type?: string | undefined;
  /** Of a message. */
  readonly role?: string | undefined;
}

/** Options of {@link plicaSession}. Those of `compact` say how a fold is made. */
export interface PlicaSessionOptions<T extends object = object> extends Omit<ConversationOptions<T>, "id" | "originals"> {
  /** The id of the session, in the store as well. */
  id: string;
}

/** The context of a run, as far as it is looked at. */
export interface RunUsage {
  /** What the provider has counted, request by request. */
  readonly usage: { readonly requestUsageEntries?: readonly object[] | undefined };
}

/** Options of {@link PlicaSession.inputFilter}. */
export interface InputFilterOptions {
  /** Ends a fold with the run; nothing has changed then. */
  signal?: Signal | undefined;
}

/** A filter as `callModelInputFilter` takes it. */
export interface InputFilter {
  <T extends object>(args: { modelData: { input: T[]; instructions?: string } }): Promise<{ input: T[]; instructions?: string }>;
  /** It changes no item, and needs no copies. */
  preserveInputIdentity: boolean;
}

/**
 * A `Session` for `run(agent, input, { session })`. Runs at one time go their own ways, and the session gets the items of all.
 *
 * All methods throw PlicaError: those of the store, `conflict` when another server has written what does not go with this, and
 * `bad-message`.
 */
export interface PlicaSession {
  /** The runner says which run asks. */
  readonly acceptsRunContext: true;
  /** The id. */
  getSessionId(): Promise<string>;
  /**
   * The window: what the next run begins with, digests among it.
   *
   * @param limit so many of the last items at most, and fewer where they would begin between a call and its result.
   */
  getItems<T extends object = SessionItem>(limit?: number, runContext?: RunUsage): Promise<T[]>;
  /** Puts items behind those that are there. Folds when it is due, but for those of a runner, which says by itself when it is time to. */
  addItems(items: readonly object[], runContext?: RunUsage): Promise<void>;
  /** Takes the last item off, and reasoning that would be left without what it led to. What is folded comes back when it is its turn. */
  popItem<T extends object = SessionItem>(): Promise<T | undefined>;
  /** Forgets everything, in the store as well. */
  clearSession(): Promise<void>;
  /** Folds when it is due. The runner calls it when a turn is stored. */
  runCompaction(args?: object, runContext?: RunUsage): Promise<null>;
  /** Items with a compaction of the provider's in front: they go behind what was said. The runner sends nothing that stands before it. */
  replaceHistoryWithCompaction(items: readonly object[]): Promise<void>;
  /**
   * For `callModelInputFilter`: keeps what the model is sent below the window in the midst of a run. One for each run.
   *
   * @example
   * await run(agent, "Look at all beds.", { session, signal, callModelInputFilter: session.inputFilter({ signal }) });
   */
  inputFilter(options?: InputFilterOptions): InputFilter;
  /** All that was ever said: every original. */
  originals<T extends object = SessionItem>(): Promise<T[]>;
  /** The ledger: with the window (`getItems()`) it is all that has to be kept to go on later. */
  ledger<T extends object = SessionItem>(): Promise<Ledger<T>>;
}

const FORMAT = { format: "openai-responses" } as const;

/**
 * A session that folds.
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * const session = plicaSession({ id: "garden/7", window: 200_000, summarize, store });
 * const result = await run(agent, "Look at all beds.", { session, callModelInputFilter: session.inputFilter() });
 */
export function plicaSession<T extends object = object>(options: PlicaSessionOptions<T>): PlicaSession {
  return new FoldingSession(options as object as PlicaSessionOptions<SessionItem>);
}

/** So many runs that are under way, or have failed, are remembered. */
const WAYS = 8;

/** What the model is sent in a run. */
interface Way {
  branch: Conversation<SessionItem>;
  /** Runs that it may be of, with the number of their requests that were counted when it was asked last: nobody says which one asks. */
  runs: Map<RunUsage, number>;
  /** Items that it was asked about. */
  seen: WeakSet<SessionItem>;
  /** The input that it was asked about last, and what was said of it. */
  last?: { input: readonly SessionItem[]; said: SessionItem[] };
}

class FoldingSession implements PlicaSession {
  readonly acceptsRunContext = true;
  private readonly id: string;
  private readonly conversation: Conversation<SessionItem>;
  /** The ways that runs have gone, the one that was asked last at the end. A run that failed leaves one that nobody goes on. */
  private ways: Way[] = [];
  /** Runs whose way is not certain: they have asked for nothing yet, or never will. */
  private begun: RunUsage[] = [];
  private readonly known = new WeakSet<RunUsage>();

  constructor(options: PlicaSessionOptions<SessionItem>) {
    const { id, store, ...others } = optionsIn(options);
    if (typeof id !== "string" || id === "") throw new PlicaError("bad-argument", "a session needs an id");
    this.id = id;
    this.conversation = new Conversation<SessionItem>({ ...others, ...(store === undefined ? {} : { store, id }) }, FORMAT);
  }

  async getSessionId(): Promise<string> {
    return this.id;
  }

  async getItems<T extends object>(limit?: number, runContext?: RunUsage): Promise<T[]> {
    await this.conversation.refresh();
    const items = await this.conversation.messages();
    // The runner asks in the midst of a run as well.
    if (isRun(runContext) && !this.known.has(runContext)) this.begin(runContext);
    if (limit !== undefined && (typeof limit !== "number" || !(limit >= 0))) throw new PlicaError("bad-argument", "limit must be a number of 0 or more");
    return (limit === undefined ? items : lastOf(items, limit)) as T[];
  }

  async addItems(items: readonly SessionItem[], runContext?: RunUsage): Promise<void> {
    refuseMessages(items, "items");
    await this.conversation.append(await this.said(items), { fold: runContext === undefined });
    await this.join();
  }

  async popItem<T extends object>(): Promise<T | undefined> {
    this.ways = [];
    await this.conversation.refresh();
    const last = await this.conversation.pop();
    // Reasoning without what it led to is refused by the provider.
    for (let items = await this.conversation.messages(); items[items.length - 1]?.type === "reasoning"; items = await this.conversation.messages()) await this.conversation.pop();
    return last as T | undefined;
  }

  clearSession(): Promise<void> {
    this.ways = [];
    return this.conversation.clear();
  }

  async runCompaction(_args?: object, runContext?: RunUsage): Promise<null> {
    await this.conversation.append([], { usage: await this.countedAtEnd(runContext) });
    return null;
  }

  async replaceHistoryWithCompaction(items: readonly SessionItem[]): Promise<void> {
    refuseMessages(items, "items");
    const way = this.ways[this.ways.length - 1];
    await this.conversation.append(way === undefined ? items : await this.withRun(way.branch, items), { fold: false });
    await this.join();
  }

  inputFilter(options: InputFilterOptions = {}): InputFilter {
    const { signal } = optionsIn(options);
    refuseNoSignal(signal);
    const filter = async <T extends object>(args: { modelData: { input: T[]; instructions?: string } }): Promise<{ input: T[]; instructions?: string }> => {
      const modelData = memberOf(args, "modelData") as typeof args.modelData;
      refuseMessages(memberOf(modelData, "input"), "input");
      return { ...modelData, input: (await unlessAborted(() => this.window(modelData.input, modelData.instructions ?? "", signal), signal)) as T[] };
    };
    return Object.assign(filter, { preserveInputIdentity: true });
  }

  async originals<T extends object>(): Promise<T[]> {
    await this.conversation.refresh();
    return (await this.conversation.originals()) as object[] as T[];
  }

  async ledger<T extends object>(): Promise<Ledger<T>> {
    await this.conversation.refresh();
    return (await this.conversation.ledger()) as object as Ledger<T>;
  }

  // --- in the midst of a run --------------------------------------------------------------------------------------------

  private begin(context: RunUsage): void {
    this.known.add(context);
    this.begun = [...this.begun, context].slice(-WAYS);
  }

  private async window(input: readonly SessionItem[], instructions: string, signal: Signal | undefined): Promise<SessionItem[]> {
    const theirs = new Map(input.map((item) => [asStored(item), item]));
    const beside = (): number => estimate([{ role: "system", content: instructions }], FORMAT).total;
    const window = await this.windowOf([...theirs.keys()], { signal, beside });
    return fromCompaction(window, input).map((item) => theirs.get(item) ?? item);
  }

  /** The window of the way that the input goes on: several runs may be under way at a time, and nobody says which one asks. */
  private async windowOf(input: SessionItem[], options: { signal: Signal | undefined; beside: () => number }): Promise<SessionItem[]> {
    const known = new Map(this.ways.map((way) => [way, input.filter((item) => way.seen.has(item)).length]));
    for (const way of this.ways.slice().reverse().sort((a, b) => known.get(b)! - known.get(a)!)) {
      try {
        return await this.asked(way, input, { ...options, back: "never" });
      } catch (error) {
        if (!hasCode(error, "conflict")) throw error;
      }
    }
    return this.asked({ branch: await this.conversation.branch(), runs: new Map(), seen: new WeakSet() }, input, { ...options, back: "anywhere" });
  }

  private async asked(way: Way, input: SessionItem[], options: Parameters<Conversation["window"]>[1]): Promise<SessionItem[]> {
    const window = await way.branch.window(await this.saidOf(way, input), { ...options, usage: this.countedFor(way) });
    for (const item of input) way.seen.add(item);
    for (const context of way.runs.keys()) way.runs.set(context, countOf(context));
    this.ways = [...this.ways.filter((other) => other !== way), way].slice(-WAYS);
    return window;
  }

  /** What was said, of the input of a run. Most of the time there are some items more than before, and nothing else is read. */
  private async saidOf(way: Way, input: SessionItem[]): Promise<SessionItem[]> {
    const said = (await grown(way, input)) ?? (await saidIn(way.branch, input));
    way.last = { input, said };
    return said;
  }

  /** A run that asks again has been answered since. Where that is true of several, the one that was counted most: too early a fold does no harm. */
  private countedFor(way: Way): { inputTokens: number } | undefined {
    const answered = [...way.runs].filter(([context, counted]) => countOf(context) > counted);
    if (answered.length === 0) {
      // Another run may be going on from where one ended.
      for (const context of this.begun) if (!way.runs.has(context)) way.runs.set(context, countOf(context));
      return undefined;
    }
    way.runs = new Map(answered);
    const [[only]] = answered as [[RunUsage, number]];
    if (answered.length === 1) this.begun = this.begun.filter((context) => context !== only);
    // The first one since: what comes behind it may be requests of agents that are tools.
    const counts = answered.flatMap(([context, counted]) => countedOf(context, counted) ?? []);
    return counts.length === 0 ? undefined : { inputTokens: Math.max(...counts.map(({ inputTokens }) => inputTokens)) };
  }

  /**
   * Without the digests and rules that the model was sent: where a filter has replaced something of the input, the runner hands over what it
   * was replaced by. What was said in its place the branch knows.
   */
  private async said(items: readonly SessionItem[]): Promise<readonly SessionItem[]> {
    if (items.length === 0) return items;
    const prints = printsOf(items);
    for (const { branch } of this.ways.slice().reverse()) {
      const [ledger, made] = [await branch.ledger(), await madeIn(branch)];
      const folds = ledger.lookupMany(items);
      const given = items.filter((_, i) => folds[i] === undefined && !made.has(prints[i]!));
      if (given.length < items.length) return this.withRun(branch, given);
    }
    return items;
  }

  /**
   * What was counted for the last request of a run, as a count of the session: that may have what other runs have added, and not have the
   * folds of this one. Then it is so much more or less by the estimate.
   */
  private async countedAtEnd(context: RunUsage | undefined): Promise<{ inputTokens: number } | undefined> {
    const items = await this.conversation.messages();
    const counted = isSaid(items[items.length - 1]) && isRun(context) ? countedOf(context, -1) : undefined;
    if (counted === undefined) return undefined;
    const tokens = (of: SessionItem[]): number => Math.max(1, estimate(of, FORMAT).total);
    const way = this.ways.find(({ runs }) => context !== undefined && runs.size === 1 && runs.has(context)) ?? this.ways[this.ways.length - 1];
    if (way === undefined) return 2 * counted.inputTokens < tokens(items) ? undefined : counted;
    return { inputTokens: Math.round((counted.inputTokens * tokens(items)) / tokens(await way.branch.messages())) };
  }

  /** With what the branch has of the run and the session has not. */
  private async withRun(branch: Conversation<SessionItem>, items: readonly SessionItem[]): Promise<SessionItem[]> {
    const all = await branch.originals();
    const [here, there] = [printsOf(await this.conversation.originals()), printsOf(all)];
    const shared = there.findIndex((print, i) => print !== here[i]);
    const run = shared < 0 ? [] : all.slice(shared);
    const left = countsOf(printsOf(run));
    return [...run, ...items.filter((item) => !taken(left, printsOf([item])[0]!))];
  }

  /** The session goes on with the folds of a way, once it has the items of it. */
  private async join(): Promise<void> {
    const folds = async (conversation: Conversation<SessionItem>): Promise<number> => (await conversation.ledger()).folds.length;
    for (const { branch } of this.ways.slice().reverse()) {
      const here = await this.conversation.originals();
      if ((await folds(branch)) <= (await folds(this.conversation)) || here.length < (await branch.originals()).length) continue;
      try {
        await branch.record(here, { back: "never" });
      } catch (error) {
        if (!hasCode(error, "conflict")) throw error;
        continue;
      }
      await this.conversation.join(await branch.branch());
    }
  }
}

/** What was said, where the input is that of before with items behind it that are no digests; undefined where it is not. */
async function grown({ branch, last }: Way, input: SessionItem[]): Promise<SessionItem[] | undefined> {
  if (last === undefined || memberOf(input[0], "type") === COMPACTION || input.length < last.input.length || !last.input.every((item, i) => item === input[i])) return undefined;
  const more = input.slice(last.input.length);
  if ((await branch.ledger()).lookupMany(more).some((fold) => fold !== undefined)) return undefined;
  const made = await madeIn(branch);
  const prints = printsOf(more);
  return [...last.said, ...more.filter((_, i) => !made.has(prints[i]!))];
}

/** What was said, of the input of a run. */
async function saidIn(branch: Conversation<SessionItem>, input: SessionItem[]): Promise<SessionItem[]> {
  return withCompacted(await branch.originals(), unfolded(await branch.ledger(), await madeIn(branch), input));
}

/** Fingerprints of what nobody said in the window: digests and rules. */
async function madeIn(conversation: Conversation<SessionItem>): Promise<Set<string>> {
  const said = new Set(await conversation.originals());
  return new Set(printsOf((await conversation.messages()).filter((item) => !said.has(item))));
}

/** What was said: the runner goes on from the window that the run began with, rules included, also where that has folded since. */
function unfolded(ledger: Ledger<SessionItem>, rules: ReadonlySet<string>, input: SessionItem[]): SessionItem[] {
  try {
    if (ledger.lookupMany(input).some((fold) => fold !== undefined)) return ledger.unfold(input);
  } catch (error) {
    // Edited by a filter of the user's: taken as it is.
    if (!hasCode(error, "digest-missing", "originals-missing")) throw error;
  }
  const prints = printsOf(input);
  return input.filter((_, i) => !rules.has(prints[i]!));
}

// --- items ------------------------------------------------------------------------------------------------------------

/** The runner sends nothing that stands before a compaction of the provider's. It was said nevertheless. */
function withCompacted(all: readonly SessionItem[], items: SessionItem[]): SessionItem[] {
  const [first] = items;
  if (first === undefined || memberOf(first, "type") !== COMPACTION) return items;
  const print = printsOf([first])[0];
  const at = printsOf(all).lastIndexOf(print!);
  return [...(at < 0 ? all : all.slice(0, at)), ...items];
}

/** What the runner would have sent of a window: what begins with the compaction, and the rules. */
function fromCompaction(window: SessionItem[], input: readonly SessionItem[]): SessionItem[] {
  if (input[0]?.type !== COMPACTION) return window;
  const at = window.map(({ type }) => type).lastIndexOf(COMPACTION);
  return window.filter((item, i) => i >= at || item.role === "system");
}

const COMPACTION = "compaction";

const recognition = new Recognition<SessionItem>(FORMAT.format);

/** Fingerprints of items, each asked for once. */
const printsOf = (items: readonly SessionItem[]): string[] => recognition.printsOf(items);

const stored = new WeakMap<SessionItem, SessionItem>();

/** An item as the runner hands it to a session: calls and results without the id of the item, which is good for one run. */
function asStored(item: SessionItem): SessionItem {
  const type = memberOf(item, "type");
  if (type !== "function_call" && type !== "function_call_result") return item;
  const { id, ...others } = item as { id?: string };
  if (id === undefined) return item;
  const known = stored.get(item) ?? (others as SessionItem);
  stored.set(item, known);
  return known;
}

/** Whether the model said it: what was counted for its request covers all before it. */
function isSaid(item: SessionItem | undefined): boolean {
  if (item === undefined) return false;
  return item.role === "assistant" || (item.role === undefined && !/_(result|output)$/.test(item.type ?? ""));
}

/** Whether it says which run asks. */
function isRun(context: RunUsage | undefined): context is RunUsage {
  return typeof memberOf(context, "usage") === "object" && memberOf(context, "usage") !== null;
}

function countOf({ usage }: RunUsage): number {
  return usage.requestUsageEntries?.length ?? 0;
}

/** Tokens of a request and its answer: -1 is the last. */
function countedOf(context: RunUsage | undefined, at: number): { inputTokens: number } | undefined {
  const entries = context?.usage.requestUsageEntries ?? [];
  const entry = (at < 0 ? entries[entries.length - 1] : entries[at]) as { inputTokens?: number; outputTokens?: number } | undefined;
  if (entry?.inputTokens === undefined || entry.inputTokens === 0) return undefined;
  return { inputTokens: entry.inputTokens + (at < 0 ? entry.outputTokens ?? 0 : 0) };
}

/** The last items, so many at most, that need none before them: results go with their calls, and reasoning with what it led to. */
function lastOf(items: SessionItem[], limit: number): SessionItem[] {
  const from = Math.max(0, items.length - Math.max(0, Math.floor(limit)));
  // Backwards: how far before each place the results behind it reach.
  const calls = new Map<unknown, number>();
  let [best, needs] = [items.length, items.length];
  const idOf = (item: SessionItem): unknown => (item as { callId?: unknown }).callId;
  items.forEach((item, i) => /_call$/.test(item.type ?? "") && calls.set(idOf(item), i));
  for (let i = items.length - 1; i >= from; i--) {
    const item = items[i]!;
    if (/_(result|output)$/.test(item.type ?? "")) needs = Math.min(needs, calls.get(idOf(item)) ?? i);
    if (needs >= i && items[i - 1]?.type !== "reasoning") best = i;
  }
  return items.slice(best);
}

function countsOf(prints: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const print of prints) counts.set(print, (counts.get(print) ?? 0) + 1);
  return counts;
}

function taken(counts: Map<string, number>, print: string): boolean {
  const count = counts.get(print) ?? 0;
  counts.set(print, count - 1);
  return count > 0;
}
