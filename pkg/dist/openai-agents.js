/*! plica 0.1.0 | MIT OR Apache-2.0 | notices: THIRD-PARTY-NOTICES.txt */

// pkg/src/adapters/openai-agents.ts
import { PlicaError as PlicaError2, check, fingerprints as fingerprints2 } from "plica";

// pkg/src/adapters/conversation.ts
import { Ledger, PlicaError, Transcript, admitPins, compact, fingerprints, prepare } from "plica";
var GROWTH = 1.05;
var Conversation = class _Conversation {
  /** @throws PlicaError `bad-argument`. */
  constructor(options, internals) {
    this.options = options;
    this.internals = internals;
    /** All that was ever said, in its order. */
    this.log = [];
    /** For each message of the log its index in the window, -1 where it is folded. */
    this.places = [];
    /** Below so many tokens folding is of no use. */
    this.useless = 0;
    this.pinned = false;
    this.version = "0";
    /** What the store has not got: messages behind those it has, or more than that. */
    this.unsaved = "nothing";
    this.saved = 0;
    this.forgets = false;
    this.prints = /* @__PURE__ */ new WeakMap();
    this.last = Promise.resolve();
    const { window, store, id, messages, ledger } = options ?? {};
    if (window === void 0 || window === null) throw new PlicaError("bad-argument", "the options need a window: what the model takes, in tokens");
    if (store !== void 0 && typeof id !== "string") throw new PlicaError("bad-argument", "a store needs the id of the conversation");
    if (store !== void 0 && (messages ?? ledger) !== void 0) throw new PlicaError("bad-argument", "with a store, messages and ledger come from it");
    new Transcript({ window, format: internals.format }).free();
  }
  /**
   * Takes the messages as the framework has them, and gives the window to send: your own objects, with the digests among them.
   *
   * @param messages all that was said, or the window that was given last, with what came since behind it. Where the framework has gone
   * back (an answer made anew, a message edited) the conversation goes back with it.
   * @throws what the signal was aborted with; PlicaError those of `compact` and of the store; `conflict` when another server has written
   * to the conversation what is not among the messages.
   */
  window(messages, options = {}) {
    return this.inTurn(() => this.stored(async (strict) => {
      await this.load();
      this.take(messages, strict, options.usage);
      await this.keep();
      await this.fit(options.signal);
      await this.keep();
      return this.shown(messages);
    }));
  }
  /**
   * Takes the messages as the framework has them, and folds nothing: behind the last answer of a run.
   *
   * @throws as {@link Conversation.window}.
   */
  record(messages, options = {}) {
    return this.inTurn(() => this.stored(async (strict) => {
      await this.load();
      this.take(messages, strict, options.usage);
      await this.keep();
    }));
  }
  /**
   * Puts messages behind those that are there, for frameworks that hand over what is new and nothing else.
   *
   * @throws as {@link Conversation.window}.
   */
  append(messages, options = {}) {
    return this.inTurn(async () => {
      await this.stored(() => this.kept(messages, options.usage));
      if (options.fold === false) return;
      await this.fit(options.signal);
      await this.keptLater();
    });
  }
  /** Takes the last message off; undefined when there is none. What is folded comes back when it is its turn. */
  pop() {
    return this.inTurn(() => this.stored(async () => {
      await this.load();
      const last = this.log[this.log.length - 1];
      if (last === void 0) return void 0;
      this.rewind(this.log.length - 1);
      await this.keep();
      return last;
    }));
  }
  /** Forgets everything, in the store as well. */
  clear() {
    return this.inTurn(async () => {
      const { store, id } = this.options;
      this.leave();
      if (store !== void 0) await store.delete(id);
      this.start([], new Ledger());
      this.version = "0";
    });
  }
  /** The window as it is now. */
  messages() {
    return this.inTurn(async () => {
      await this.load();
      return this.transcript.messages();
    });
  }
  /** All that was ever said: every original. */
  originals() {
    return this.inTurn(async () => {
      await this.load();
      return this.log.slice();
    });
  }
  /** The ledger: with the window it is all that has to be kept to go on later. */
  ledger() {
    return this.inTurn(async () => {
      await this.load();
      return this.transcript.ledger;
    });
  }
  /** Forgets what is in memory where another server has written since: it is read anew when it is asked for. */
  refresh() {
    return this.inTurn(async () => {
      const { store, id } = this.options;
      if (store === void 0 || this.transcript === void 0 || this.unsaved !== "nothing") return;
      const [info] = await store.list({ prefix: id, limit: 1 });
      if ((info?.id === id ? info.version : "0") !== this.version) this.leave();
    });
  }
  /** A conversation of the same messages and folds that goes its own way, in no store. */
  branch() {
    return this.inTurn(async () => {
      await this.load();
      const fork = this.transcript.fork();
      const { store: _, id: __, ...options } = this.options;
      const branch = new _Conversation({ ...options, messages: fork.messages(), ledger: fork.ledger }, this.internals);
      fork.free();
      return branch;
    });
  }
  /**
   * Takes the folds of a branch over, where the same was said in both.
   *
   * @returns whether it was.
   */
  join(branch) {
    return this.inTurn(async () => {
      await this.load();
      const [said, messages, ledger] = [await branch.originals(), await branch.messages(), await branch.ledger()];
      if (said.length !== this.log.length || this.common(said, this.log) !== said.length) return false;
      this.start(messages, ledger);
      this.unsaved = "window";
      await this.keptLater();
      return true;
    });
  }
  // --- what is known ----------------------------------------------------------------------------------------------------
  async load() {
    if (this.transcript !== void 0) return;
    const { store, id, messages = [], ledger = new Ledger() } = this.options;
    if (store === void 0) return this.start(messages, ledger);
    const stored2 = await store.load(id, { originals: true });
    this.start(stored2.messages, stored2.ledger);
    this.version = stored2.version;
  }
  start(messages, ledger) {
    const { window, estimator, provenance } = this.options;
    this.transcript?.free();
    this.transcript = Transcript.restore(messages, ledger, { window, estimator, provenance, format: this.internals.format });
    this.prepared?.cancel();
    this.prepared = void 0;
    this.pinned = false;
    this.useless = 0;
    this.remember();
    this.saved = this.transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }
  /** The log behind the window, after it has changed as a whole. */
  remember() {
    const { ledger } = this.transcript;
    const window = this.transcript.messages();
    const elsewhere = ledger.records.some(({ retention }) => retention === "reference");
    try {
      this.log = ledger.unfold(window, elsewhere ? { originals: this.log.length > 0 ? this.log : this.options.originals } : {});
      this.places = ledger.places(window);
    } catch (error) {
      if (!(error instanceof PlicaError) || error.code !== "digest-missing" || this.log.length === 0) throw error;
      const at = new Map(window.map((message, i) => [message, i]));
      this.log = this.log.filter((message) => at.has(message));
      this.places = this.log.map((message) => at.get(message));
    }
  }
  /** What is in memory may not be what is stored any more. */
  leave() {
    this.prepared?.cancel();
    this.prepared = void 0;
    this.transcript?.free();
    this.transcript = void 0;
  }
  // --- what is new ------------------------------------------------------------------------------------------------------
  take(given, strict, usage) {
    const known = this.common(given, this.log);
    if (known === this.log.length) return this.add(given.slice(known), usage);
    for (const view of this.views()) {
      if (this.common(given, view) === view.length) return this.add(given.slice(view.length), usage);
    }
    if (strict) throw new PlicaError("conflict", "another server has written to the conversation what is not among these messages: load it again");
    this.back(given, known);
  }
  /** What a framework may have kept of what it was given: the window, and the window without the rules that were put into it. */
  views() {
    const window = this.transcript.messages();
    const said = new Set(this.places);
    const views = [window, window.filter((message, i) => said.has(i) || this.transcript.ledger.lookup(message) !== void 0)];
    return views[1].length === window.length ? [window] : views;
  }
  /** The framework has gone back: to a place in the window that it was given, or in all that was said. */
  back(given, known) {
    for (const view of this.views()) {
      const kept = this.common(given, view);
      const at = kept === 0 ? -1 : this.transcript.messages().indexOf(view[kept - 1]);
      if (at < 0 || !this.transcript.messages().slice(0, at + 1).some((message) => this.transcript.ledger.lookup(message) !== void 0)) continue;
      this.cut(at + 1);
      return this.add(given.slice(kept), void 0);
    }
    this.rewind(known);
    this.add(given.slice(known), void 0);
  }
  /** Forgets what was said from `length` on. Where that is folded, all before it is in the window again. */
  rewind(length) {
    if (length === this.log.length) return;
    const at = this.places.slice(length).every((place) => place >= 0) ? this.places[length] : -1;
    if (at >= 0 && this.places.slice(0, length).every((place) => place < at)) return this.cut(at);
    const { ledger } = this.transcript;
    const log = this.log.slice(0, length);
    this.start([], this.options.store === void 0 ? new Ledger() : ledger);
    this.transcript.append(log);
    this.log = log;
    this.places = log.map((_, i) => i);
    this.unsaved = "window";
    this.forgets = true;
  }
  cut(length) {
    this.transcript.truncate(length);
    this.remember();
    this.useless = 0;
    this.unsaved = "window";
    this.forgets = true;
  }
  add(messages, usage) {
    const transcript = this.transcript;
    const at = transcript.length;
    if (messages.length > 0) transcript.append(messages);
    messages.forEach((message, i) => {
      this.places.push(at + i);
      this.log.push(message);
    });
    this.count(usage, at);
    if (messages.length > 0 && this.unsaved === "nothing") this.unsaved = "messages";
    this.pin();
  }
  count(usage, at) {
    if (usage === void 0 || usage === null || at === 0) return;
    try {
      this.transcript.usage({ ...usage, at });
    } catch (error) {
      if (!(error instanceof PlicaError) || error.code !== "bad-argument") throw error;
    }
  }
  /** The rules are in the window from the first request on: put in later, they would cost the provider's cache. */
  pin() {
    const { pins, admission } = this.options;
    if (this.pinned || pins === void 0 || this.transcript.length === 0) return;
    this.transcript.placePins(admitPins(pins, admission).pinned);
    this.pinned = true;
    this.remember();
    this.unsaved = "window";
  }
  /** How many messages the lists begin with alike. */
  common(a, b) {
    const length = Math.min(a.length, b.length);
    const others = [];
    for (let i = 0; i < length; i++) if (a[i] !== b[i]) others.push(i);
    if (others.length === 0) return length;
    const [left, right] = [this.printsOf(others.map((i) => a[i])), this.printsOf(others.map((i) => b[i]))];
    const first = others.findIndex((_, i) => left[i] !== right[i]);
    return first < 0 ? length : others[first];
  }
  printsOf(messages) {
    const missing = messages.filter((message) => !this.prints.has(message));
    if (missing.length > 0) fingerprints(missing, { format: this.internals.format }).forEach((print, i) => this.prints.set(missing[i], print));
    return messages.map((message) => this.prints.get(message));
  }
  // --- folding ----------------------------------------------------------------------------------------------------------
  async fit(signal) {
    const { window: _, at, prepareAt, onCompaction, store: __, id: ___, messages: ____, ledger: _____, originals: ______, ...making } = this.options;
    const transcript = this.transcript;
    const share = at === void 0 ? {} : { at };
    if (!transcript.due(share)) {
      if (prepareAt !== void 0 && this.prepared === void 0 && transcript.due({ at: prepareAt })) this.prepared = prepare(transcript, making);
      return;
    }
    if (transcript.tokens < this.useless) return;
    const { prepared } = this;
    const made = await this.made(() => compact(transcript, { ...making, signal, prepared }));
    this.prepared = void 0;
    this.useless = made === void 0 || made.outcome === "unchanged" ? Math.ceil(transcript.tokens * GROWTH) : 0;
    if (made?.fold !== void 0) {
      this.remember();
      this.unsaved = "window";
    }
    if (made === void 0) return;
    try {
      onCompaction?.(made);
    } catch {
    }
  }
  /** Where nothing can be freed the provider has the last word about a window that may still do. */
  async made(fold) {
    try {
      return await fold();
    } catch (error) {
      if (error instanceof PlicaError && error.code === "no-progress") return void 0;
      throw error;
    }
  }
  /** The window, in the objects of the framework as they are now: what changes nothing of a message's meaning may have changed. */
  shown(given) {
    const window = this.transcript.messages();
    if (given.length !== this.log.length || this.common(given, this.log) !== given.length) return window;
    this.places.forEach((place, i) => {
      if (place >= 0) window[place] = given[i];
    });
    return window;
  }
  // --- keeping ----------------------------------------------------------------------------------------------------------
  async keep() {
    const { store, id } = this.options;
    if (this.unsaved === "nothing") return;
    const transcript = this.transcript;
    if (store !== void 0) {
      this.version = this.unsaved === "messages" ? await store.append(id, transcript.messages().slice(this.saved), { version: this.version }) : await store.save(id, transcript, { version: this.version, forget: this.forgets });
    }
    this.saved = transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }
  /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
  async kept(messages, usage) {
    await this.load();
    const { unsaved } = this;
    const [window, said] = [this.transcript.length, this.log.length];
    this.add(messages, usage);
    try {
      await this.keep();
    } catch (error) {
      this.transcript.truncate(Math.min(window, this.transcript.length));
      this.log.length = this.places.length = said;
      this.unsaved = unsaved;
      throw error;
    }
  }
  /** Keeps a fold; where that fails the next write has it, unless another server's fold was first: then that one counts. */
  async keptLater() {
    try {
      await this.keep();
    } catch (error) {
      if (!(error instanceof PlicaError)) throw error;
      if (error.code === "conflict") this.leave();
    }
  }
  /** Another server may have been first: what it wrote counts, and this is done once more on top of it, or refused. */
  async stored(work) {
    try {
      return await work(false);
    } catch (error) {
      if (!(error instanceof PlicaError) || error.code !== "conflict") throw error;
      this.leave();
      return await work(true);
    }
  }
  inTurn(work) {
    const next = this.last.then(work, work);
    this.last = next.catch(() => void 0);
    return next;
  }
};

// pkg/src/adapters/openai-agents.ts
var FORMAT = { format: "openai-responses" };
function plicaSession(options) {
  return new FoldingSession(options);
}
var FoldingSession = class {
  constructor(options) {
    this.acceptsRunContext = true;
    /** How many requests of the run had been counted when it was asked last. */
    this.counted = 0;
    const { id, store, ...others } = options ?? {};
    if (typeof id !== "string" || id === "") throw new PlicaError2("bad-argument", "a session needs an id");
    this.id = id;
    this.conversation = new Conversation({ ...others, ...store === void 0 ? {} : { store, id } }, FORMAT);
  }
  async getSessionId() {
    return this.id;
  }
  async getItems(limit, runContext) {
    await this.conversation.refresh();
    const items = await this.conversation.messages();
    if (runContext !== void 0 && runContext !== this.context) await this.begin(runContext, items);
    return limit === void 0 ? items : lastOf(items, limit);
  }
  async addItems(items, runContext) {
    await this.conversation.append(await this.said(items), { fold: runContext === void 0 });
    await this.joinBranch();
  }
  popItem() {
    this.branch = void 0;
    return this.conversation.pop();
  }
  clearSession() {
    this.branch = void 0;
    return this.conversation.clear();
  }
  async runCompaction(_args, runContext) {
    const items = await this.conversation.messages();
    await this.conversation.append([], { usage: isSaid(items[items.length - 1]) ? countedOf(runContext, -1) : void 0 });
    return null;
  }
  async replaceHistoryWithCompaction(items) {
    const { branch } = this;
    await this.conversation.append(branch === void 0 ? items : await this.withRun(branch, items), { fold: false });
    await this.joinBranch();
  }
  inputFilter({ signal } = {}) {
    const filter = async ({ modelData }) => ({ ...modelData, input: await this.window(modelData.input, signal) });
    return Object.assign(filter, { preserveInputIdentity: true });
  }
  originals() {
    return this.conversation.originals();
  }
  ledger() {
    return this.conversation.ledger();
  }
  // --- in the midst of a run --------------------------------------------------------------------------------------------
  /** A branch that went on without the session is of a run that failed. */
  async begin(context, items) {
    this.context = context;
    this.counted = context.usage.requestUsageEntries?.length ?? 0;
    const [here, there] = [items, await this.branch?.messages() ?? []].map((list) => fingerprints2(list, FORMAT).join());
    if (here !== there) this.branch = void 0;
  }
  async window(input, signal) {
    this.branch ?? (this.branch = await this.conversation.branch());
    const usage = countedOf(this.context, this.counted);
    this.counted = this.context?.usage.requestUsageEntries?.length ?? 0;
    const theirs = new Map(input.map((item) => [asStored(item), item]));
    const rules = await madeIn(this.branch);
    const said = withCompacted(await this.branch.originals(), unfolded(await this.branch.ledger(), rules, [...theirs.keys()]));
    const window = await this.branch.window(said, { signal, usage });
    return fromCompaction(window, input).map((item) => theirs.get(item) ?? item);
  }
  /**
   * Without the digests and rules that the model was sent: where a filter has replaced something of the input, the runner hands over what it
   * was replaced by. What was said in its place the branch knows.
   */
  async said(items) {
    const { branch } = this;
    if (branch === void 0 || items.length === 0) return items;
    const [ledger, made] = [await branch.ledger(), await madeIn(branch)];
    const prints = fingerprints2(items, FORMAT);
    const folds = ledger.lookupMany(items);
    const given = items.filter((_, i) => folds[i] === void 0 && !made.has(prints[i]));
    if (given.length === items.length) return items;
    return this.withRun(branch, given);
  }
  /** With what the branch has of the run and the session has not. */
  async withRun(branch, items) {
    const all = await branch.originals();
    const [here, there] = [fingerprints2(await this.conversation.originals(), FORMAT), fingerprints2(all, FORMAT)];
    const shared = there.findIndex((print, i) => print !== here[i]);
    const run = shared < 0 ? [] : all.slice(shared);
    const left = countsOf(fingerprints2(run, FORMAT));
    return [...run, ...items.filter((item) => !taken(left, fingerprints2([item], FORMAT)[0]))];
  }
  /** The session goes on with the folds of the branch, once it has the items of it. */
  async joinBranch() {
    const { branch } = this;
    if (branch === void 0) return;
    const [here, there] = [await this.conversation.originals(), await branch.originals()];
    if (here.length < there.length) return;
    await branch.record(here);
    const folds = async (conversation) => (await conversation.ledger()).folds.length;
    if (await folds(branch) > await folds(this.conversation)) await this.conversation.join(await branch.branch());
  }
};
async function madeIn(conversation) {
  const said = new Set(await conversation.originals());
  return new Set(fingerprints2((await conversation.messages()).filter((item) => !said.has(item)), FORMAT));
}
function unfolded(ledger, rules, input) {
  try {
    if (ledger.lookupMany(input).some((fold) => fold !== void 0)) return ledger.unfold(input);
  } catch (error) {
    if (!(error instanceof PlicaError2) || error.code !== "digest-missing" && error.code !== "originals-missing") throw error;
  }
  const prints = fingerprints2(input, FORMAT);
  return input.filter((_, i) => !rules.has(prints[i]));
}
function withCompacted(all, items) {
  const [first] = items;
  if (first?.type !== COMPACTION) return items;
  const print = fingerprints2([first], FORMAT)[0];
  const at = fingerprints2(all, FORMAT).lastIndexOf(print);
  return [...at < 0 ? all : all.slice(0, at), ...items];
}
function fromCompaction(window, input) {
  if (input[0]?.type !== COMPACTION) return window;
  const at = window.map(({ type }) => type).lastIndexOf(COMPACTION);
  return window.filter((item, i) => i >= at || item.role === "system");
}
var COMPACTION = "compaction";
var stored = /* @__PURE__ */ new WeakMap();
function asStored(item) {
  if (item.type !== "function_call" && item.type !== "function_call_result") return item;
  const { id, ...others } = item;
  if (id === void 0) return item;
  const known = stored.get(item) ?? others;
  stored.set(item, known);
  return known;
}
function isSaid(item) {
  if (item === void 0) return false;
  return item.role === "assistant" || item.role === void 0 && !/_(result|output)$/.test(item.type ?? "");
}
function countedOf(context, at) {
  const entries = context?.usage.requestUsageEntries ?? [];
  const entry = at < 0 ? entries[entries.length - 1] : entries[at];
  if (entry?.inputTokens === void 0 || entry.inputTokens === 0) return void 0;
  return { inputTokens: entry.inputTokens + (at < 0 ? entry.outputTokens ?? 0 : 0) };
}
function lastOf(items, limit) {
  let from = limit <= 0 ? items.length : Math.max(0, items.length - limit);
  while (from > 0 && from < items.length && isTorn(items, from)) from++;
  return items.slice(from);
}
function isTorn(items, from) {
  if (items[from - 1].type === "reasoning") return true;
  return check(items.slice(from), FORMAT).some(({ code }) => code === "orphan-result" || code === "misplaced-result");
}
function countsOf(prints) {
  const counts = /* @__PURE__ */ new Map();
  for (const print of prints) counts.set(print, (counts.get(print) ?? 0) + 1);
  return counts;
}
function taken(counts, print) {
  const count = counts.get(print) ?? 0;
  counts.set(print, count - 1);
  return count > 0;
}
export {
  plicaSession
};
