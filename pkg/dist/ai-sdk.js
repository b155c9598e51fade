/*! plica 0.1.0 | MIT OR Apache-2.0 | notices: THIRD-PARTY-NOTICES.txt */

// pkg/src/adapters/ai-sdk.ts
import { PlicaError as PlicaError2 } from "plica";

// pkg/src/adapters/ai-sdk-system.ts
import { estimate } from "plica";
function parted(messages) {
  const first = messages.findIndex((message) => !isSystem(message));
  const length = first < 0 ? messages.length : first;
  return [messages.slice(0, length), messages.slice(length)];
}
function withoutRules(window, conversation) {
  const isRules = (message) => isSystem(message) && conversation.isRules(message);
  return [window.filter(isRules), window.filter((message) => !isRules(message))];
}
function tokensOf(texts) {
  return texts.length === 0 ? 0 : estimate(texts.map((content) => ({ role: "system", content })), { format: "ai-sdk" }).total;
}
function textsOf(messages) {
  return messages.map(contentOf);
}
function isSystem(message) {
  return message.role === "system";
}
function contentOf(message) {
  const { content } = message;
  return typeof content === "string" ? content : "";
}

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
    /** Whether the provider has counted a request of this transcript. */
    this.counted = false;
    /** Messages with rules that were put into a window. */
    this.rules = /* @__PURE__ */ new WeakSet();
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
      this.take(messages, strict, options);
      await this.keep();
      await this.fit(options);
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
      this.take(messages, strict, options);
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
      await this.fit(options);
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
  /** All that was ever said: every original; in these objects, where they are all of them. */
  originals(as) {
    return this.inTurn(async () => {
      await this.load();
      return (as !== void 0 && this.isAll(as) ? as : this.log).slice();
    });
  }
  /** The ledger: with the window it is all that has to be kept to go on later. */
  ledger() {
    return this.inTurn(async () => {
      await this.load();
      return this.transcript.ledger;
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
  /** Whether a message of the window is the one with the rules, which nobody said. */
  isRules(message) {
    return this.rules.has(message);
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
    this.counted = false;
    this.useless = 0;
    this.remember();
    this.saved = this.transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }
  /** The log behind the window, after it has changed as a whole. */
  remember() {
    const window = this.transcript.messages();
    const { ledger } = this.transcript;
    try {
      this.log = ledger.unfold(window);
      this.places = ledger.places(window);
    } catch (error) {
      const isBack = this.log.length > 0 || this.options.store !== void 0;
      if (!(error instanceof PlicaError) || error.code !== "digest-missing" || !isBack) throw error;
      const placed = ledger.placedByMe(window);
      this.places = window.map((_, i) => i).filter((i) => !placed[i]);
      this.log = this.places.map((i) => window[i]);
    }
    const said = new Set(this.places);
    const unsaid = window.filter((_, i) => !said.has(i));
    ledger.lookupMany(unsaid).forEach((fold, i) => {
      if (fold === void 0) this.rules.add(unsaid[i]);
    });
  }
  /** What is in memory may not be what is stored any more. */
  leave() {
    this.prepared?.cancel();
    this.prepared = void 0;
    this.transcript?.free();
    this.transcript = void 0;
  }
  // --- what is new ------------------------------------------------------------------------------------------------------
  take(given, strict, { usage, back }) {
    const known = this.common(given, this.log);
    if (known === this.log.length) return this.add(given.slice(known), usage);
    for (const view of this.views()) {
      if (this.common(given, view) === view.length) return this.add(given.slice(view.length), usage);
    }
    if (strict) throw new PlicaError("conflict", "another server has written to the conversation what is not among these messages: load it again");
    if (back === "never" || back === "begun" && known === 0 && this.views().every((view) => this.common(given, view) === 0)) {
      throw new PlicaError("conflict", "these messages do not go on from what was said in this conversation: are they those of another?");
    }
    this.back(given, known);
  }
  /** What a framework may have kept of what it was given: the window, and the window without the rules that were put into it. */
  views() {
    const window = this.transcript.messages();
    const views = [window, window.filter((message) => !this.rules.has(message))];
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
    this.start([], ledger);
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
      this.counted = true;
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
  isAll(messages) {
    return messages.length === this.log.length && this.common(messages, this.log) === messages.length;
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
  async fit({ signal, beside }) {
    const { window: _, at, prepareAt, onCompaction, store: __, id: ___, messages: ____, ledger: _____, ...making } = this.options;
    const transcript = this.transcript;
    const window = this.room(beside);
    const share = { ...at === void 0 ? {} : { at }, ...window };
    if (!transcript.due(share)) {
      if (prepareAt !== void 0 && this.prepared === void 0 && transcript.due({ ...window, at: prepareAt })) this.prepared = prepare(transcript, making);
      return;
    }
    if (transcript.tokens < this.useless) return;
    const { prepared } = this;
    const made = await this.made(() => compact(transcript, { ...making, ...window, signal, prepared }));
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
  /** The window without what is sent beside the messages: the transcript does not know of that before something was counted. */
  room(beside) {
    const { window } = this.options;
    const { size, overhead, output } = typeof window === "number" ? { size: window } : window;
    if (this.counted || beside === void 0 || (overhead ?? void 0) !== void 0) return {};
    return { window: { size: Math.max(1, size - beside()), ...output === void 0 ? {} : { output } } };
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
    if (!this.isAll(given)) return window;
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
      if (!(error instanceof PlicaError) || error.code !== "conflict" || this.options.store === void 0) throw error;
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

// pkg/src/adapters/ai-sdk.ts
function foldSteps(options) {
  return new Folding(options);
}
var Folding = class {
  constructor(options) {
    /** Messages with rules that were put behind the system text: version 7 hands them over again. */
    this.placed = /* @__PURE__ */ new WeakSet();
    this.conversation = new Conversation(options, { format: "ai-sdk" });
    this.prepareStep = this.preparing(void 0);
    this.onStepFinish = (step) => this.finished(step);
  }
  until(signal) {
    return this.preparing(signal);
  }
  async record(run) {
    if (Array.isArray(run)) return this.conversation.record(parted(run)[1], { back: "begun" });
    const steps = await run.steps;
    const [last, number] = [steps[steps.length - 1], this.current?.number];
    if (last === void 0 || number === steps.length) return;
    if (number !== steps.length - 1) throw new PlicaError2("bad-argument", "record needs the run that prepareStep was part of last");
    await this.finished(last);
  }
  async messages() {
    return withoutRules(await this.conversation.messages(), this.conversation)[1];
  }
  originals() {
    return this.conversation.originals();
  }
  ledger() {
    return this.conversation.ledger();
  }
  clear() {
    this.current = void 0;
    return this.conversation.clear();
  }
  preparing(signal) {
    return async (step) => await this.prepared(step, signal);
  }
  async prepared(step, signal) {
    const [head, given] = parted(step.messages);
    if (given.length === 0) return { messages: step.messages };
    const system = this.instructionsOf(step.instructions);
    const all = this.followed(given, step.steps.length);
    const beside = () => tokensOf(textsOf([...system, ...head]));
    const window = await this.conversation.window(all, { back: "begun", signal, usage: this.usageBefore(step), beside });
    const [rules, handed] = withoutRules(window, this.conversation);
    const said = await this.conversation.originals(all);
    const seven = step.initialMessages !== void 0;
    const before = seven ? 0 : step.steps[step.steps.length - 1]?.response.messages.length;
    this.current = { number: step.steps.length, given, handed, said, before, counted: false };
    if (!seven) return { messages: [...head, ...rules, ...handed] };
    const messages = [...head, ...handed];
    return rules.length === 0 ? { messages } : { messages, instructions: this.withRules(step.instructions, system, rules) };
  }
  /** All that was said, where the messages go on from those of the step before, in either way. */
  followed(given, number) {
    const { current } = this;
    if (current === void 0 || number === 0 || current.number !== number - 1) return given;
    for (const list of [current.given, current.handed]) {
      if (list.length <= given.length && list.every((message, i) => message === given[i])) return [...current.said, ...given.slice(list.length)];
    }
    return given;
  }
  usageBefore({ steps }) {
    const { current } = this;
    if (current === void 0 || current.number !== steps.length - 1 || current.counted) return void 0;
    current.counted = true;
    return steps[steps.length - 1].usage;
  }
  async finished(step) {
    const { current } = this;
    if (current === void 0) return;
    const { messages } = step.response;
    const before = current.before ?? (isTool(messages[0]) ? 1 : 0);
    const usage = current.counted ? void 0 : step.usage;
    current.counted = true;
    await this.conversation.record([...current.said, ...messages.slice(before)], { back: "begun", usage });
  }
  /** The system text of version 7 as messages, without rules of ours. */
  instructionsOf(given) {
    if (given === void 0 || given === null) return [];
    const list = typeof given === "string" ? [{ role: "system", content: given }] : Array.isArray(given) ? given : [given];
    return list.filter((message) => !this.placed.has(message));
  }
  withRules(given, system, rules) {
    const all = [...system, ...rules];
    for (const message of rules) this.placed.add(message);
    return Array.isArray(given) && given.length === all.length && all.every((message, i) => message === given[i]) ? given : all;
  }
};
function isTool(message) {
  return message?.role === "tool";
}

// pkg/src/adapters/ai-sdk-prompts.ts
import { PlicaError as PlicaError3, SUMMARIZE_SYSTEM } from "plica";
function foldPrompts(options) {
  return new Prompts(options);
}
var WAYS = 4;
var HELD = 100;
var Prompts = class {
  constructor(options) {
    this.specificationVersion = "v3";
    /** By id, the latest call's last: the conversation, and the ways that left it. */
    this.all = /* @__PURE__ */ new Map();
    /** Which way and call the parameters of a call are of. */
    this.calls = /* @__PURE__ */ new WeakMap();
    /** Digests as providers take them. */
    this.listed = /* @__PURE__ */ new WeakMap();
    const { conversation, restore, held, ...making } = options ?? {};
    if (conversation !== void 0 && typeof conversation !== "function" && (typeof conversation !== "string" || conversation === "")) {
      throw new PlicaError3("bad-argument", "conversation must be an id, or a function that gives the id of a call");
    }
    if (making.store !== void 0 && restore !== void 0) throw new PlicaError3("bad-argument", "with a store, messages and ledger come from it");
    this.idOf = typeof conversation === "function" ? conversation : typeof conversation === "string" ? () => conversation : namedId;
    this.restore = restore;
    this.held = held ?? HELD;
    this.making = making;
    this.conversationOf("-");
    this.transformParams = ({ params }) => this.folded(params);
    this.wrapGenerate = async ({ doGenerate, params }) => {
      const result = await doGenerate();
      this.count(params, result.usage);
      return result;
    };
    this.wrapStream = async ({ doStream, params }) => {
      const result = await doStream();
      return { ...result, stream: result.stream.pipeThrough(this.counting(params)) };
    };
  }
  of(id) {
    const own = async () => (await this.waysOf(id))[0].conversation;
    return {
      messages: async () => (await own()).messages(),
      originals: async () => (await own()).originals(),
      ledger: async () => (await own()).ledger()
    };
  }
  async clear(id) {
    const [own] = await this.waysOf(id);
    await own.conversation.clear();
    this.all.delete(id);
  }
  async folded(params) {
    const id = this.idOf(params);
    const [head, body] = parted(params.prompt);
    const call = withoutName(params);
    if (id === void 0 || id === null || body.length === 0 || isSummaryRequest(head)) return call;
    if (typeof id !== "string" || id === "") throw new PlicaError3("bad-argument", "the id of a conversation must be a string that is not empty");
    const { way, window } = await this.windowOf(id, params, head, body);
    const [rules, rest] = withoutRules(window, way.conversation);
    const folded = { ...call, prompt: [...head, ...rules, ...rest.map((message) => this.asProvidersTakeIt(message))] };
    this.calls.set(folded, { way, call: ++way.calls });
    return folded;
  }
  /** The window of the way that the prompt goes on from. */
  async windowOf(id, params, head, body) {
    const ways = await this.waysOf(id);
    const beside = () => tokensOf([...textsOf(head), ...(params.tools ?? []).map((tool) => JSON.stringify(tool))]);
    const given = { signal: params.abortSignal, beside };
    for (const way2 of [ways[0], ...ways.slice(1).reverse()]) {
      const { usage } = way2;
      try {
        const window2 = await way2.conversation.window(body, { ...given, usage, back: "never" });
        way2.usage = void 0;
        return { way: way2, window: window2 };
      } catch (error) {
        if (!(error instanceof PlicaError3) || error.code !== "conflict") throw error;
      }
    }
    const way = { conversation: await ways[ways.length - 1].conversation.branch(), calls: 0 };
    const window = await way.conversation.window(body, given);
    ways.push(way);
    if (ways.length > 1 + WAYS) ways.splice(1, 1);
    return { way, window };
  }
  waysOf(id) {
    const known = this.all.get(id);
    const ways = known ?? this.began(id);
    this.all.delete(id);
    this.all.set(id, ways);
    for (const oldest of this.all.keys()) {
      if (this.all.size <= Math.max(1, this.held)) break;
      this.all.delete(oldest);
    }
    return ways;
  }
  async began(id) {
    try {
      return [{ conversation: this.conversationOf(id, await this.restore?.(id)), calls: 0 }];
    } catch (error) {
      this.all.delete(id);
      throw error;
    }
  }
  conversationOf(id, kept) {
    const { store } = this.making;
    return new Conversation({ ...this.making, ...store === void 0 ? kept : { id } }, { format: "ai-sdk" });
  }
  asProvidersTakeIt(message) {
    if (isSystem(message) || contentOf(message) === "") return message;
    const known = this.listed.get(message);
    const listed = known ?? { ...message, content: [{ type: "text", text: contentOf(message) }] };
    this.listed.set(message, listed);
    return listed;
  }
  count(params, usage) {
    const known = this.calls.get(params);
    if (known !== void 0 && known.call === known.way.calls) known.way.usage = usage;
  }
  counting(params) {
    return new TransformStream({
      transform: (part, controller) => {
        if (part?.type === "finish") this.count(params, part.usage);
        controller.enqueue(part);
      }
    });
  }
};
function namedId({ providerOptions }) {
  return providerOptions?.plica?.conversation;
}
function withoutName(params) {
  if (params.providerOptions?.plica === void 0) return params;
  const { plica: _, ...providerOptions } = params.providerOptions;
  return { ...params, providerOptions };
}
function isSummaryRequest(head) {
  return head.length > 0 && contentOf(head[0]).startsWith(SUMMARIZE_SYSTEM);
}

// pkg/src/adapters/ai-sdk-summary.ts
function summarizeWith({ generateText, model, settings }) {
  return async ({ system, prompt }, { signal }) => {
    const { text, finishReason, usage, response } = await generateText({ ...settings, model, instructions: system, system, prompt, abortSignal: signal });
    return { text, finishReason, usage, model: response?.modelId };
  };
}
export {
  foldPrompts,
  foldSteps,
  summarizeWith
};
