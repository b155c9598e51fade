/*! plica 0.1.0 | MIT OR Apache-2.0 | notices: THIRD-PARTY-NOTICES.txt */

// pkg/src/adapters/langchain.ts
import { Command, ReducedValue, StateSchema } from "@langchain/langgraph";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, createMiddleware } from "langchain";
import { Ledger as Ledger2, PlicaError as PlicaError2 } from "plica";
import { z } from "zod/v4";

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
    const stored = await store.load(id, { originals: true });
    this.start(stored.messages, stored.ledger);
    this.version = stored.version;
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

// pkg/src/adapters/langchain.ts
var NAME = "PlicaMiddleware";
var THREADS = 100;
var FORMAT = { format: "langchain" };
var CLASSES = /* @__PURE__ */ new Map([
  ["human", HumanMessage],
  ["HumanMessage", HumanMessage],
  ["ai", AIMessage],
  ["AIMessage", AIMessage],
  ["system", SystemMessage],
  ["SystemMessage", SystemMessage],
  ["tool", ToolMessage],
  ["ToolMessage", ToolMessage]
]);
var UNSEEN = "nostream";
function plicaMiddleware(options) {
  const threads = new Threads(options);
  const stateSchema = new StateSchema({ _plica: new ReducedValue(z.custom().optional(), { reducer: (_, next) => next }) });
  return createMiddleware({
    name: NAME,
    ...options.store === void 0 ? { stateSchema } : {},
    wrapModelCall: async (request, handler) => {
      if (request.messages.length === 0) return handler(request);
      const { window, said, kept } = await threads.next(request);
      const response = await handler({ ...request, ...sent(window, said, request) });
      return kept === void 0 || !AIMessage.isInstance(response) ? response : new Command({ update: { _plica: kept } });
    }
  });
}
function summarizeWith(model) {
  const invoke = model?.invoke;
  if (typeof invoke !== "function") throw new PlicaError2("bad-argument", "summarizeWith needs a chat model: an object with `invoke`");
  return async ({ system, prompt }, { signal }) => {
    const options = { signal, tags: [UNSEEN], metadata: { lc_source: "summarization" } };
    const answer = await invoke.call(model, [new SystemMessage({ content: system }), new HumanMessage({ content: prompt })], options);
    const { finish_reason, stop_reason, finishReason } = answer.response_metadata ?? {};
    return { text: answer.text, finishReason: finish_reason ?? stop_reason ?? finishReason, usage: answer.usage_metadata };
  };
}
var Threads = class {
  constructor({ threads = THREADS, onCompaction, ...options }) {
    this.named = /* @__PURE__ */ new Map();
    /** By their first message: without an id a thread lives as long as its `invoke`. */
    this.nameless = /* @__PURE__ */ new WeakMap();
    if (!Number.isInteger(threads) || threads < 0) throw new PlicaError2("bad-argument", "threads must be a whole number, 0 or more");
    this.limit = threads;
    this.options = options;
    this.onCompaction = onCompaction;
    this.conversation("", {});
  }
  /** The window for a request, and what the state is to keep where it has not got it yet. */
  async next(request) {
    const said = saidIn(request);
    const id = idOf(request.runtime.configurable);
    const stored = this.options.store !== void 0 && id !== void 0;
    const kept = stored ? void 0 : request.state._plica;
    const mark = kept?.mark ?? UNFOLDED;
    const thread = this.find(id, said, mark) ?? { conversation: await this.read(id, said, kept), marks: [] };
    const window = await windowOf(thread.conversation, said, request.runtime.signal);
    const now = stored ? void 0 : await keptOf(thread.conversation);
    thread.marks = [mark, now?.mark ?? UNFOLDED];
    this.remember(id, said, thread);
    return { window, said, kept: now?.mark === mark ? void 0 : now };
  }
  /** A thread that is in memory, where it has gone the way of the state. */
  find(id, said, mark) {
    const thread = id === void 0 ? this.nameless.get(said[0]) : this.named.get(id);
    return thread?.marks.includes(mark) ? thread : void 0;
  }
  remember(id, said, thread) {
    if (id === void 0) return void this.nameless.set(said[0], thread);
    this.named.delete(id);
    this.named.set(id, thread);
    for (const oldest of this.named.keys()) {
      if (this.named.size <= this.limit) break;
      this.named.delete(oldest);
    }
  }
  /** A thread that is not in memory: with the folds of its state, where those are folds of its messages. */
  async read(id, said, kept) {
    if (kept?.version === 1) {
      try {
        const conversation = this.conversation(id, keptWindow(kept, said));
        await conversation.originals();
        return conversation;
      } catch {
      }
    }
    return this.conversation(id, {});
  }
  conversation(id, known) {
    const { onCompaction } = this;
    const { store, ...options } = this.options;
    const listener = onCompaction === void 0 ? {} : { onCompaction: (compaction) => onCompaction(compaction, { id }) };
    return new Conversation({ ...options, ...store === void 0 || id === void 0 ? known : { store, id }, ...listener }, FORMAT);
  }
};
function idOf(configurable) {
  const { thread_id: thread, checkpoint_ns: place = "" } = configurable ?? {};
  if (thread === void 0) return void 0;
  const outer = place.split("|").slice(0, -1);
  return [thread, ...outer].join("|");
}
async function windowOf(conversation, said, signal) {
  const at = lastAnswer(said);
  const known = await conversation.originals();
  const isNew = at >= 0 && known.length >= at && !AIMessage.isInstance(known[at]);
  const usage = isNew ? said[at].usage_metadata : void 0;
  if (isNew && known.length > at) await conversation.record(said.slice(0, at));
  return conversation.window(said, { signal, usage });
}
function lastAnswer(said) {
  for (let i = said.length - 1; i >= 0; i--) if (AIMessage.isInstance(said[i])) return i;
  return -1;
}
var UNFOLDED = "[[0,-1]]";
async function keptOf(conversation) {
  const [window, said, ledger] = [await conversation.messages(), await conversation.originals(), await conversation.ledger()];
  const places = new Map(said.map((message, i) => [message, i]));
  const layout = [];
  const made = [];
  for (const message of window) {
    const place = places.get(message);
    const last2 = layout[layout.length - 1];
    if (place === void 0) layout.push(made.push(live(message)) - 1);
    else if (Array.isArray(last2) && last2[1] === place) last2[1]++;
    else layout.push([place, place + 1]);
  }
  const last = layout[layout.length - 1];
  if (Array.isArray(last) && last[1] === said.length) last[1] = -1;
  const { records } = ledger;
  const mark = [JSON.stringify(layout), ...records.slice(-1).map(({ id }) => id)].join(" ");
  return { version: 1, mark, layout, made, ledger: JSON.stringify(ledger.toReferences()) };
}
function keptWindow({ layout, made, ledger }, said) {
  const closed = Math.max(0, ...layout.flatMap((entry) => typeof entry === "number" ? [] : entry));
  const at = lastAnswer(said);
  const originals = at < closed ? said : said.slice(0, at);
  const messages = layout.flatMap((entry) => typeof entry === "number" ? [made[entry]] : originals.slice(entry[0], entry[1] < 0 ? void 0 : entry[1]));
  return { messages, originals, ledger: Ledger2.from(JSON.parse(ledger)) };
}
function saidIn({ messages, state }) {
  return messages.length === state.messages.length ? state.messages : messages;
}
function sent(window, said, { messages, systemMessage }) {
  const asked = new Map(said.map((message, i) => [message, messages[i]]));
  const all = window.map((message) => asked.get(message) ?? live(message));
  const rules = all.filter((message, i) => !asked.has(window[i]) && SystemMessage.isInstance(message));
  if (rules.length === 0) return { messages: all };
  const [first, ...others] = all.filter((message) => !rules.includes(message));
  if (SystemMessage.isInstance(first)) return { messages: [withRules(first, rules), ...others] };
  return { messages: first === void 0 ? [] : [first, ...others], systemMessage: withRules(systemMessage, rules) };
}
function withRules(system, rules) {
  const { content } = system;
  const own = typeof content === "string" ? content === "" ? [] : [textBlock(content)] : content;
  return new SystemMessage({ ...system, content: [...own, ...rules.map(({ text }) => textBlock(text))] });
}
var textBlock = (text) => ({ type: "text", text });
var lives = /* @__PURE__ */ new WeakMap();
function live(message) {
  const { type, data, id, kwargs } = message;
  const [name, fields] = kwargs === void 0 ? [type, data] : [id?.[id.length - 1], kwargs];
  const made = CLASSES.get(name);
  if (made === void 0 || fields === void 0) return message;
  const known = lives.get(message) ?? new made(fields);
  lives.set(message, known);
  return known;
}
export {
  plicaMiddleware,
  summarizeWith
};
