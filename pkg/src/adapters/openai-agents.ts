// A session of the OpenAI Agents SDK. The runner reads a session once, when a run begins, and hands it what came at the end, or turn by
// turn where it streams. So a session alone cannot help in the midst of a long run; for that there is a filter of what the model is
// sent, which folds on a branch of the conversation. The session takes over the folds of the branch with the items of the run: a run
// that fails leaves nothing behind, and no span is summarized twice. Where no filter is used, it folds when the runner says that a
// turn is stored (`runCompaction`), and not when items are added: a write that the runner has to reconcile after a failure must find
// what it left.

import { PlicaError, check, estimate, fingerprints } from "plica";
import type { Ledger, Signal } from "plica";
import { Conversation } from "./conversation.js";
import type { ConversationOptions } from "./conversation.js";

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
 * A `Session` for `run(agent, input, { session })`, for one run at a time.
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
  /** Takes the last item off. What is folded comes back when it is its turn. */
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

class FoldingSession implements PlicaSession {
  readonly acceptsRunContext = true;
  private readonly id: string;
  private readonly conversation: Conversation<SessionItem>;
  /** What the model is sent in the run that is under way. */
  private branch: Conversation<SessionItem> | undefined;
  private context: RunUsage | undefined;
  /** How many requests of the run had been counted when it was asked last. */
  private counted = 0;

  constructor(options: PlicaSessionOptions<SessionItem>) {
    const { id, store, ...others } = options ?? {};
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
    if (runContext !== undefined && runContext !== this.context) await this.begin(runContext, items);
    return (limit === undefined ? items : lastOf(items, limit)) as T[];
  }

  async addItems(items: readonly SessionItem[], runContext?: RunUsage): Promise<void> {
    await this.conversation.append(await this.said(items), { fold: runContext === undefined });
    await this.joinBranch();
  }

  popItem<T extends object>(): Promise<T | undefined> {
    this.branch = undefined;
    return this.conversation.pop() as Promise<T | undefined>;
  }

  clearSession(): Promise<void> {
    this.branch = undefined;
    return this.conversation.clear();
  }

  async runCompaction(_args?: object, runContext?: RunUsage): Promise<null> {
    const items = await this.conversation.messages();
    await this.conversation.append([], { usage: isSaid(items[items.length - 1]) ? countedOf(runContext, -1) : undefined });
    return null;
  }

  async replaceHistoryWithCompaction(items: readonly SessionItem[]): Promise<void> {
    const { branch } = this;
    await this.conversation.append(branch === undefined ? items : await this.withRun(branch, items), { fold: false });
    await this.joinBranch();
  }

  inputFilter({ signal }: InputFilterOptions = {}): InputFilter {
    const filter = async <T extends object>({ modelData }: { modelData: { input: T[]; instructions?: string } }): Promise<{ input: T[]; instructions?: string }> => ({
      ...modelData,
      input: (await this.window(modelData.input, modelData.instructions ?? "", signal)) as T[],
    });
    return Object.assign(filter, { preserveInputIdentity: true });
  }

  originals<T extends object>(): Promise<T[]> {
    return this.conversation.originals() as Promise<object[]> as Promise<T[]>;
  }

  ledger<T extends object>(): Promise<Ledger<T>> {
    return this.conversation.ledger() as Promise<object> as Promise<Ledger<T>>;
  }

  // --- in the midst of a run --------------------------------------------------------------------------------------------

  /** A branch that went on without the session is of a run that failed. */
  private async begin(context: RunUsage, items: readonly SessionItem[]): Promise<void> {
    this.context = context;
    this.counted = context.usage.requestUsageEntries?.length ?? 0;
    const [here, there] = [items, (await this.branch?.messages()) ?? []].map((list) => fingerprints(list, FORMAT).join());
    if (here !== there) this.branch = undefined;
  }

  private async window(input: readonly SessionItem[], instructions: string, signal: Signal | undefined): Promise<SessionItem[]> {
    this.branch ??= await this.conversation.branch();
    // The first one since: what comes behind it may be requests of agents that are tools.
    const usage = countedOf(this.context, this.counted);
    this.counted = this.context?.usage.requestUsageEntries?.length ?? 0;
    const theirs = new Map(input.map((item) => [asStored(item), item]));
    const rules = await madeIn(this.branch);
    const said = withCompacted(await this.branch.originals(), unfolded(await this.branch.ledger(), rules, [...theirs.keys()]));
    const beside = (): number => estimate([{ role: "system", content: instructions }], FORMAT).total;
    const window = await this.branch.window(said, { signal, usage, beside });
    return fromCompaction(window, input).map((item) => theirs.get(item) ?? item);
  }

  /**
   * Without the digests and rules that the model was sent: where a filter has replaced something of the input, the runner hands over what it
   * was replaced by. What was said in its place the branch knows.
   */
  private async said(items: readonly SessionItem[]): Promise<readonly SessionItem[]> {
    const { branch } = this;
    if (branch === undefined || items.length === 0) return items;
    const [ledger, made] = [await branch.ledger(), await madeIn(branch)];
    const prints = fingerprints(items, FORMAT);
    const folds = ledger.lookupMany(items);
    const given = items.filter((_, i) => folds[i] === undefined && !made.has(prints[i]!));
    if (given.length === items.length) return items;
    return this.withRun(branch, given);
  }

  /** With what the branch has of the run and the session has not. */
  private async withRun(branch: Conversation<SessionItem>, items: readonly SessionItem[]): Promise<SessionItem[]> {
    const all = await branch.originals();
    const [here, there] = [fingerprints(await this.conversation.originals(), FORMAT), fingerprints(all, FORMAT)];
    const shared = there.findIndex((print, i) => print !== here[i]);
    const run = shared < 0 ? [] : all.slice(shared);
    const left = countsOf(fingerprints(run, FORMAT));
    return [...run, ...items.filter((item) => !taken(left, fingerprints([item], FORMAT)[0]!))];
  }

  /** The session goes on with the folds of the branch, once it has the items of it. */
  private async joinBranch(): Promise<void> {
    const { branch } = this;
    if (branch === undefined) return;
    const [here, there] = [await this.conversation.originals(), await branch.originals()];
    if (here.length < there.length) return;
    await branch.record(here);
    const folds = async (conversation: Conversation<SessionItem>): Promise<number> => (await conversation.ledger()).folds.length;
    if ((await folds(branch)) > (await folds(this.conversation))) await this.conversation.join(await branch.branch());
  }
}

/** Fingerprints of what nobody said in the window: digests and rules. */
async function madeIn(conversation: Conversation<SessionItem>): Promise<Set<string>> {
  const said = new Set(await conversation.originals());
  return new Set(fingerprints((await conversation.messages()).filter((item) => !said.has(item)), FORMAT));
}

/** What was said: the runner goes on from the window that the run began with, rules included, also where that has folded since. */
function unfolded(ledger: Ledger<SessionItem>, rules: ReadonlySet<string>, input: SessionItem[]): SessionItem[] {
  try {
    if (ledger.lookupMany(input).some((fold) => fold !== undefined)) return ledger.unfold(input);
  } catch (error) {
    // Edited by a filter of the user's: taken as it is.
    if (!(error instanceof PlicaError) || (error.code !== "digest-missing" && error.code !== "originals-missing")) throw error;
  }
  const prints = fingerprints(input, FORMAT);
  return input.filter((_, i) => !rules.has(prints[i]!));
}

// --- items ------------------------------------------------------------------------------------------------------------

/** The runner sends nothing that stands before a compaction of the provider's. It was said nevertheless. */
function withCompacted(all: readonly SessionItem[], items: SessionItem[]): SessionItem[] {
  const [first] = items;
  if (first?.type !== COMPACTION) return items;
  const print = fingerprints([first], FORMAT)[0];
  const at = fingerprints(all, FORMAT).lastIndexOf(print!);
  return [...(at < 0 ? all : all.slice(0, at)), ...items];
}

/** What the runner would have sent of a window: what begins with the compaction, and the rules. */
function fromCompaction(window: SessionItem[], input: readonly SessionItem[]): SessionItem[] {
  if (input[0]?.type !== COMPACTION) return window;
  const at = window.map(({ type }) => type).lastIndexOf(COMPACTION);
  return window.filter((item, i) => i >= at || item.role === "system");
}

const COMPACTION = "compaction";

const stored = new WeakMap<SessionItem, SessionItem>();

/** An item as the runner hands it to a session: calls and results without the id of the item, which is good for one run. */
function asStored(item: SessionItem): SessionItem {
  if (item.type !== "function_call" && item.type !== "function_call_result") return item;
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

/** Tokens of a request and its answer: -1 is the last. */
function countedOf(context: RunUsage | undefined, at: number): { inputTokens: number } | undefined {
  const entries = context?.usage.requestUsageEntries ?? [];
  const entry = (at < 0 ? entries[entries.length - 1] : entries[at]) as { inputTokens?: number; outputTokens?: number } | undefined;
  if (entry?.inputTokens === undefined || entry.inputTokens === 0) return undefined;
  return { inputTokens: entry.inputTokens + (at < 0 ? entry.outputTokens ?? 0 : 0) };
}

/** The last items, so many at most, that need none before them. */
function lastOf(items: SessionItem[], limit: number): SessionItem[] {
  let from = limit <= 0 ? items.length : Math.max(0, items.length - limit);
  while (from > 0 && from < items.length && isTorn(items, from)) from++;
  return items.slice(from);
}

function isTorn(items: readonly SessionItem[], from: number): boolean {
  if (items[from - 1]!.type === "reasoning") return true;
  return check(items.slice(from), FORMAT).some(({ code }) => code === "orphan-result" || code === "misplaced-result");
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
