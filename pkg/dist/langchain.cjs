/*! plica 0.1.0 | MIT OR Apache-2.0 | notices: THIRD-PARTY-NOTICES.txt */
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// pkg/src/langchain.ts
var langchain_exports = {};
__export(langchain_exports, {
  plicaMiddleware: () => plicaMiddleware,
  summarizeWith: () => summarizeWith
});
module.exports = __toCommonJS(langchain_exports);

// pkg/src/adapters/langchain.ts
var import_langgraph = require("@langchain/langgraph");
var import_langchain = require("langchain");
var import_plica2 = require("plica");
var import_v4 = require("zod/v4");

// pkg/src/adapters/conversation.ts
var import_plica = require("plica");
var GROWTH = 1.05;
var LEFT = "~left~";
var NONE = "0";
var itself = (i) => i;
var noPlaces = () => void 0;
var STRAY = 4;
var FEW = 8;
var ATTEMPTS = 3;
var Conversation = class _Conversation {
  /** @throws PlicaError `bad-argument`. */
  constructor(options, internals) {
    this.options = options;
    this.internals = internals;
    /** All that was ever said, in its order. */
    this.log = [];
    /** For each message of the log its index in the window, -1 where it is folded. */
    this.places = [];
    /** Below so many tokens folding, and preparing it, is of no use. */
    this.useless = 0;
    this.unprepared = 0;
    this.pinned = false;
    this.fitting = false;
    /** Whether the provider has counted a request of this transcript. */
    this.counted = false;
    /** Messages with rules that were put into a window. */
    this.rules = /* @__PURE__ */ new WeakSet();
    this.version = NONE;
    /** What the store has not got: messages behind those it has, or more than that. */
    this.unsaved = "nothing";
    this.saved = 0;
    this.forgets = false;
    /** What is known came from another server, and the framework has not seen it yet. */
    this.foreign = false;
    /** Fingerprints of digests whose folds were undone: what they stand for is said again, or gone. */
    this.undone = /* @__PURE__ */ new Set();
    this.prints = /* @__PURE__ */ new WeakMap();
    this.last = Promise.resolve();
    const { window, store, id, messages, ledger } = options ?? {};
    if (window === void 0 || window === null) throw new import_plica.PlicaError("bad-argument", "the options need a window: what the model takes, in tokens");
    if (store !== void 0 && typeof id !== "string") throw new import_plica.PlicaError("bad-argument", "a store needs the id of the conversation");
    if (store !== void 0 && (messages ?? ledger) !== void 0) throw new import_plica.PlicaError("bad-argument", "with a store, messages and ledger come from it");
    const tried = new import_plica.Transcript({ window, format: internals.format });
    for (const at of [options.at, options.prepareAt]) if (at !== void 0) tried.due({ at });
    tried.free();
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
    return this.inTurn(() => this.stored(async (again) => {
      refuseAborted(options.signal);
      await this.load();
      const given = this.take(messages, again, options);
      await this.keep();
      await this.fit(options);
      await this.keepFold();
      this.sent = this.transcript.length;
      void this.inWindow;
      const window = this.transcript.messages();
      given.forEach((message, i) => {
        if (this.places[i] >= 0) window[this.places[i]] = message;
      });
      return window;
    }));
  }
  /**
   * Takes the messages as the framework has them, and folds nothing: behind the last answer of a run.
   *
   * @throws as {@link Conversation.window}.
   */
  record(messages, options = {}) {
    return this.inTurn(() => this.stored(async (again) => {
      await this.load();
      this.take(messages, again, options);
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
      refuseAborted(options.signal);
      await this.stored(() => this.kept(messages, options.usage));
      if (options.fold === false) return;
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
      this.foreign = false;
      try {
        await this.keep();
      } catch (error) {
        this.leave();
        throw error;
      }
      return last;
    }));
  }
  /** Forgets everything, in the store as well. */
  clear() {
    return this.inTurn(async () => {
      const { store, id } = this.options;
      this.leave();
      this.foreign = false;
      this.left = void 0;
      this.undone.clear();
      if (store === void 0) return this.start([], new import_plica.Ledger());
      await store.delete(id);
      for (const left of await store.list({ prefix: `${id}${LEFT}`, limit: Number.MAX_SAFE_INTEGER })) await store.delete(left.id);
    });
  }
  /** The window as it is now. */
  messages() {
    return this.reading(async () => {
      await this.load();
      this.foreign = false;
      if (this.log.length === 0) this.pin(true);
      void this.inWindow;
      return this.transcript.messages();
    });
  }
  /** All that was ever said: every original; in these objects, where they are all of them. */
  originals(as) {
    return this.reading(async () => {
      await this.load();
      this.foreign = false;
      const isAll = as !== void 0 && as.length === this.log.length && this.common(as, this.log) === as.length;
      return (isAll ? as : this.log).slice();
    });
  }
  /** The ledger: with the window it is all that has to be kept to go on later. */
  ledger() {
    return this.reading(async () => {
      await this.load();
      this.foreign = false;
      return this.transcript.ledger;
    });
  }
  /** Forgets what is in memory where another server has written since: it is read anew when it is asked for. */
  refresh() {
    return this.inTurn(async () => {
      const { store, id } = this.options;
      if (store === void 0 || this.transcript === void 0 || this.unsaved !== "nothing") return;
      const [info] = await store.list({ prefix: id, limit: 1 });
      if ((info?.id === id ? info.version : NONE) !== this.version) this.leave();
    });
  }
  /** A conversation of the same messages and folds that goes its own way, in no store. */
  branch() {
    return this.inTurn(async () => {
      await this.load();
      const fork = this.transcript.fork();
      const { store: _, id: __, ...options } = this.options;
      const branch = new _Conversation({ ...options, messages: fork.messages(), ledger: fork.ledger, originals: this.log.slice() }, this.internals);
      fork.free();
      await branch.load();
      branch.countAs(this);
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
      this.countAs(branch);
      this.unsaved = "window";
      await this.keptLater();
      return true;
    });
  }
  /** Whether a message of the window is the one with the rules, which nobody said. */
  isRules(message) {
    return this.rules.has(message);
  }
  // --- what is known ----------------------------------------------------------------------------------------------------
  async load() {
    if (this.transcript !== void 0) return;
    const { store, id, messages = [], ledger = new import_plica.Ledger() } = this.options;
    if (store === void 0) return this.start(messages, ledger);
    const stored = await store.load(id, { originals: true });
    this.left = void 0;
    this.start(stored.messages, stored.ledger);
    if (stored.version === this.version) this.foreign = false;
    this.version = stored.version;
  }
  start(messages, ledger) {
    const transcript = this.transcribed(messages, ledger);
    const { originals } = this.options;
    const said = ledger.unfold(transcript.messages(), originals === void 0 ? {} : { originals });
    this.leave();
    this.transcript = transcript;
    this.pinned = this.counted = false;
    this.useless = this.unprepared = 0;
    this.sent = void 0;
    this.log = said;
    this.placed();
    this.saved = transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }
  transcribed(window, ledger) {
    const { window: size, estimator, provenance } = this.options;
    return import_plica.Transcript.restore(window, ledger, { window: size, estimator, provenance, format: this.internals.format });
  }
  /** Where the log is in the window, after that has changed as a whole. */
  placed() {
    this.made = void 0;
    const window = this.transcript.messages();
    try {
      this.places = this.transcript.ledger.places(window);
    } catch (error) {
      if (!hasCode(error, "digest-missing")) throw error;
      const at = new Map(window.map((message, i) => [message, i]));
      this.places = this.log.map((message) => at.get(message) ?? -1);
    }
  }
  get inWindow() {
    if (this.made !== void 0) return this.made;
    const window = this.transcript.messages();
    const folds = this.transcript.ledger.lookupMany(window);
    const said = new Set(this.places);
    const isDigest = (i) => folds[i] !== void 0 && !said.has(i);
    const digests = window.flatMap((_, i) => isDigest(i) ? [i] : []);
    const put = new Set(window.flatMap((_, i) => said.has(i) || isDigest(i) ? [] : [i]));
    for (const i of put) this.rules.add(window[i]);
    return this.made = { digests, put };
  }
  /** What is in memory may not be what is stored any more. */
  leave() {
    this.unprepare();
    this.transcript?.free();
    this.transcript = void 0;
  }
  // --- what is new ------------------------------------------------------------------------------------------------------
  /**
   * Finds out what is new among these messages, or how far they go back.
   *
   * @returns of what was said, by its place in the log, messages that were given in another object: it is theirs that go out, since what
   * changes nothing of a message's meaning may have changed.
   */
  take(given, again, { usage, back = "begun" }) {
    if (this.log.length === 0) {
      if (this.foreign) throw this.refusal = new import_plica.PlicaError("conflict", "another server has cleared the conversation: clear() begins anew, originals() has nothing any more");
      this.transcript.truncate(0);
      this.pinned = false;
      this.made = void 0;
      return this.goOn(this.unfolded(given) ?? given, 0, noPlaces, void 0);
    }
    if (this.undone.size > 0 && this.printsOf(given).some((print) => this.undone.has(print))) {
      throw this.refusal = new import_plica.PlicaError("conflict", "these messages hold a summary whose fold was undone when the conversation went back: hand over what it stands for, or the window of now");
    }
    const known = this.common(given, this.log);
    if (known === this.log.length) return this.goOn(given, known, itself, usage);
    const views = this.views();
    const whole = views.find((view) => this.common(given, view.messages) === view.messages.length);
    if (whole !== void 0) return this.goOn(given, whole.messages.length, this.saidAt(whole.places), usage);
    const earlier = this.unfolded(given);
    if (earlier !== void 0 && this.common(earlier, this.log) === this.log.length) return this.goOn(earlier, this.log.length, itself, void 0);
    if (this.foreign) {
      throw this.refusal = new import_plica.PlicaError("conflict", "another server has written to the conversation what is not among these messages: load it again");
    }
    const isOther = known === 0 && earlier === void 0 && views.every((view) => this.common(given, view.messages) === 0);
    if (back === "never" || back === "begun" && isOther) {
      const refusal = new import_plica.PlicaError("conflict", "these messages do not go on from what was said in this conversation: those of another need a conversation of their own");
      throw again ? this.refusal = refusal : refusal;
    }
    return this.back(given, known, views, earlier);
  }
  /** So many of the messages are known, each at a place of the log, or at none where it is a digest. */
  goOn(given, known, placeOf, usage) {
    const theirs = /* @__PURE__ */ new Map();
    for (let i = 0; i < known; i++) {
      const place = placeOf(i);
      if (place !== void 0 && this.log[place] !== given[i]) theirs.set(place, given[i]);
    }
    this.add(given.slice(known), usage, this.sent);
    this.foreign = false;
    return theirs;
  }
  /** Where in the log a message of a view is. */
  saidAt(view) {
    const said = new Map(this.places.map((place, i) => [place, i]));
    return (i) => said.get(view[i]);
  }
  /** What a framework may have kept of what it was given: the window, and the window without what nobody said. */
  views() {
    const messages = this.transcript.messages();
    const whole = { messages, places: messages.map((_, i) => i) };
    const { put } = this.inWindow;
    if (put.size === 0) return [whole];
    const places = whole.places.filter((i) => !put.has(i));
    return [whole, { messages: places.map((i) => messages[i]), places }];
  }
  /** What was said behind messages with digests or rules of this conversation among them; undefined when there are none. */
  unfolded(given) {
    const { ledger } = this.transcript;
    if (ledger.lookupMany(given).every((fold) => fold === void 0)) {
      const rules = ledger.placedByMe(given);
      return rules.includes(true) ? given.filter((_, i) => rules[i] !== true) : void 0;
    }
    try {
      return ledger.unfold(given);
    } catch (error) {
      if (hasCode(error, "digest-missing", "originals-missing")) return void 0;
      throw error;
    }
  }
  /** The framework has gone back: to a place in all that was said, in the window that it was given, or in one of before. */
  back(given, known, views, earlier) {
    const shared = earlier === void 0 ? known : this.common(earlier, this.log);
    let best = { kept: shared, at: shared, list: earlier ?? given, placeOf: itself };
    for (const { messages, places } of views) {
      const at2 = this.common(given, messages);
      const kept2 = at2 === 0 ? 0 : this.saidBefore(places[at2 - 1] + 1) ?? 0;
      if (kept2 > 0 && kept2 >= best.kept) best = { kept: kept2, at: at2, list: given, placeOf: this.saidAt(places) };
    }
    const { kept, at, list, placeOf } = best;
    this.printsOf(list.slice(at));
    this.leaveBehind();
    this.rewind(kept);
    return this.goOn(list, at, placeOf, void 0);
  }
  /** How much of the log the window stands for up to a place; undefined where that is not its beginning. */
  saidBefore(place) {
    if (this.inWindow.digests.some((digest) => digest >= place)) return void 0;
    const first = this.places.findIndex((other) => other >= place);
    const kept = first < 0 ? this.places.length : first;
    return this.places.slice(kept).every((other) => other >= place) ? kept : void 0;
  }
  /** What is gone back from stays to be had, where there is a store: it is not for a framework to delete what was said. */
  leaveBehind() {
    if (this.options.store === void 0 || this.version === NONE || this.left !== void 0) return;
    this.left = { messages: this.transcript.messages(), ledger: this.transcript.ledger.copy() };
  }
  /** Forgets what was said from `length` on. Folds that reach behind it are undone, the last one first. */
  rewind(length) {
    if (length === this.log.length) return;
    if (length === 0) return this.startOver();
    while (!this.isCut(length)) {
      if (this.undo()) continue;
      this.become(this.log, 0);
      this.placed();
    }
    this.cut(length);
  }
  /** Whether the window can be cut where this much of the log ends. */
  isCut(length) {
    const at = this.places[length];
    return this.places.every((place, i) => i < length ? place < at : place >= at) && this.inWindow.digests.every((digest) => digest < at);
  }
  cut(length) {
    const at = this.places[length];
    const { prepared } = this;
    if (prepared?.plan.kind === "fold" && prepared.plan.keptFrom > at) this.unprepare();
    this.transcript.truncate(at);
    this.log.length = this.places.length = length;
    this.changed();
  }
  startOver() {
    this.become([], 0);
    this.log = [];
    this.places = [];
  }
  /** Undoes the last fold; false when there is none, or what it took away is not there. */
  undo() {
    const { ledger } = this.transcript;
    const last = ledger.records[ledger.records.length - 1];
    if (last?.messages === void 0 || !("span" in last.record)) return false;
    const alone = import_plica.Ledger.found([{ record: last.record, messages: last.messages }]);
    this.become(alone.unfold(this.transcript.messages()), ledger.records.length - 1);
    this.placed();
    return true;
  }
  /** Other messages are the window, and a ledger of so many records says what they stand for: one that had others could not be read. */
  become(window, records) {
    const old = this.transcript;
    const ledger = old.ledger.copy(records);
    for (const { record } of old.ledger.records.slice(records)) if ("digest" in record) for (const print of record.digest) this.undone.add(print);
    this.transcript = this.transcribed(window, ledger);
    const beside = old.tokens - old.calibration * old.estimate().total;
    if (beside >= 1) this.transcript.usage({ inputTokens: Math.ceil(beside + this.transcript.estimate().total), at: window.length });
    old.free();
    this.unprepare();
    if (records === 0) this.pinned = false;
    this.changed();
    this.forgets = "records";
  }
  /** The window is not what is stored, and may lack what is. */
  changed() {
    this.made = void 0;
    this.sent = void 0;
    this.useless = this.unprepared = 0;
    this.unsaved = "window";
    this.forgets || (this.forgets = true);
  }
  /** `counted`: how many messages the request held that the usage is of; what was not sent so was not counted. */
  add(messages, usage, counted) {
    const transcript = this.transcript;
    const { at: own } = usage ?? {};
    const sent2 = this.pin() ? void 0 : typeof own === "number" ? own : counted;
    const at = transcript.length;
    if (messages.length > 0) transcript.append(messages);
    messages.forEach((message, i) => {
      this.places.push(at + i);
      this.log.push(message);
    });
    this.count(usage, sent2);
    if (messages.length > 0 && this.unsaved === "nothing") this.unsaved = "messages";
    this.pin();
  }
  count(usage, at) {
    if (usage === void 0 || usage === null || at === void 0 || at === 0) return;
    try {
      if (!this.isPlausible({ ...usage, at })) return;
      this.transcript.usage({ ...usage, at });
      this.counted = true;
    } catch (error) {
      if (!hasCode(error, "bad-argument")) throw error;
    }
  }
  /** The same messages are as many tokens as there, where the provider has counted those. */
  countAs(other) {
    const { transcript, counted } = other;
    if (!counted || transcript === void 0 || transcript.length === 0 || transcript.length !== this.transcript.length) return;
    this.transcript.usage({ inputTokens: transcript.tokens, at: transcript.length });
    this.counted = true;
  }
  /** Some providers count nothing, and say so as 0; some count without what they have in their cache; some say anything. */
  isPlausible(usage) {
    const { window } = this.options;
    const tried = this.transcript.fork();
    try {
      tried.truncate(Math.min(usage.at, tried.length));
      const estimated = tried.estimate().total;
      const tokens = tried.usage(usage).tokens;
      return (tokens >= estimated / STRAY || usage.partial === true) && tokens <= STRAY * estimated + (typeof window === "number" ? window : window.size);
    } finally {
      tried.free();
    }
  }
  /** The rules are in the window from the first request on: put in later, they would cost the provider's cache. Says whether they are new. */
  pin(first = false) {
    const { pins, admission, onPins } = this.options;
    const transcript = this.transcript;
    if (this.pinned || pins === void 0 || transcript.length === 0 && !first) return false;
    const before = transcript.messages();
    const admitted = (0, import_plica.admitPins)(pins, admission);
    transcript.placePins(admitted.pinned);
    heard(() => onPins?.(admitted));
    this.pinned = true;
    const after = transcript.messages();
    if (after.length === before.length && after.every((message, i) => message === before[i])) return false;
    this.placed();
    this.unsaved = "window";
    this.forgets || (this.forgets = true);
    return true;
  }
  /** How many messages the lists begin with alike. Lists that differ at once are not read to their ends. */
  common(a, b) {
    const length = Math.min(a.length, b.length);
    let at = 0;
    for (let size = FEW; ; size *= 2) {
      const others = [];
      for (; at < length && others.length < size; at++) if (a[at] !== b[at]) others.push(at);
      const [left, right] = [this.printsOf(others.map((i) => a[i])), this.printsOf(others.map((i) => b[i]))];
      const first = others.findIndex((_, i) => left[i] !== right[i]);
      if (first >= 0) return others[first];
      if (at === length) return length;
    }
  }
  printsOf(messages) {
    const missing = messages.filter((message) => !this.prints.has(message));
    if (missing.length > 0) (0, import_plica.fingerprints)(missing, { format: this.internals.format }).forEach((print, i) => this.prints.set(missing[i], print));
    return messages.map((message) => this.prints.get(message));
  }
  // --- folding ----------------------------------------------------------------------------------------------------------
  async fit({ signal, beside }) {
    const { at } = this.options;
    const transcript = this.transcript;
    const room = this.room(beside);
    if (!transcript.due({ ...room, ...at === void 0 ? {} : { at } })) return this.prepare(room);
    if (transcript.tokens < this.useless) return;
    this.fitting = true;
    try {
      await this.folded(room, signal);
    } finally {
      this.fitting = false;
    }
  }
  async folded(room, signal) {
    const { onCompaction } = this.options;
    const transcript = this.transcript;
    let made = await this.compacted(room, signal);
    if (made?.outcome === "unchanged" && made.reason === "message-changed") {
      this.prints = /* @__PURE__ */ new WeakMap();
      this.become(transcript.messages(), transcript.ledger.records.length);
      made = await this.compacted(room, signal);
    }
    this.useless = made?.outcome === "unchanged" && made.failed.length > 0 ? Math.ceil(this.transcript.tokens * GROWTH) : 0;
    if (made === void 0) return;
    if (made.fold !== void 0) {
      this.placed();
      for (const print of made.fold.record.digest) this.undone.delete(print);
      this.sent = void 0;
      this.unprepared = 0;
      this.unsaved = "window";
    }
    heard(() => onCompaction?.(made));
  }
  get making() {
    const { window: _, at: __, prepareAt: ___, onCompaction: ____, store: _____, id: ______, messages: _______, ledger: ________, originals: _________, onPins: __________, ...making } = this.options;
    return making;
  }
  /** The window without what is sent beside the messages: the transcript does not know of that before something was counted. */
  room(beside) {
    const { window } = this.options;
    const { size, overhead, output } = typeof window === "number" ? { size: window } : window;
    if (this.counted || beside === void 0 || (overhead ?? void 0) !== void 0) return {};
    return { window: { size: Math.max(1, size - beside()), ...output === void 0 ? {} : { output } } };
  }
  /** Where nothing can be freed the provider has the last word about a window that may still do. */
  async compacted(room, signal) {
    try {
      const made = await (0, import_plica.compact)(this.transcript, { ...this.making, ...room, signal, prepared: this.prepared });
      this.unprepare();
      return made;
    } catch (error) {
      if (!hasCode(error, "no-progress")) throw error;
      this.unprepare();
      return void 0;
    }
  }
  prepare(room) {
    const { prepareAt } = this.options;
    const transcript = this.transcript;
    if (prepareAt === void 0 || this.prepared !== void 0 || transcript.tokens < this.unprepared || !transcript.due({ ...room, at: prepareAt })) return;
    const preparation = (0, import_plica.prepare)(transcript, { ...this.making, ...room });
    this.prepared = preparation;
    const tokens = transcript.tokens;
    void preparation.ready.then(({ prepared }) => {
      if (prepared || this.prepared !== preparation) return;
      this.prepared = void 0;
      this.unprepared = Math.ceil(tokens * GROWTH);
    });
  }
  /** Nothing is prepared any more: what is under way ends. */
  unprepare() {
    this.prepared?.cancel();
    this.prepared = void 0;
  }
  // --- keeping ----------------------------------------------------------------------------------------------------------
  async keep() {
    const { store, id } = this.options;
    if (this.unsaved === "nothing") return;
    const transcript = this.transcript;
    if (store !== void 0) {
      await this.keepLeft(store, id);
      this.version = this.unsaved === "messages" ? await store.append(id, transcript.messages().slice(this.saved), { version: this.version }) : await store.save(id, transcript, { version: this.version, forget: this.forgets });
    }
    this.saved = transcript.length;
    this.unsaved = "nothing";
    this.forgets = false;
  }
  async keepLeft(store, id) {
    const { left } = this;
    if (left === void 0) return;
    try {
      await store.save(`${id}${LEFT}${this.version}`, left, { version: NONE });
    } catch (error) {
      if (!hasCode(error, "conflict")) throw error;
    }
    this.left = void 0;
  }
  /** Keeps a fold, where what was said is kept already; where that fails the next write has it. */
  async keepFold() {
    try {
      await this.keep();
    } catch (error) {
      if (hasCode(error, "conflict")) throw error;
    }
  }
  /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
  async kept(messages, usage) {
    await this.load();
    if (this.isDone(messages)) return;
    this.pin();
    const { unsaved, forgets } = this;
    const [window, said] = [this.transcript.length, this.log.length];
    this.add(messages, usage, window);
    try {
      await this.keep();
    } catch (error) {
      this.transcript.truncate(window);
      this.made = void 0;
      this.log.length = this.places.length = said;
      if (window === 0) this.pinned = false;
      Object.assign(this, { unsaved, forgets });
      this.doubtful = hasCode(error, "conflict") ? this.doubtful : { said, messages };
      throw error;
    }
    this.doubtful = void 0;
  }
  /** Whether a write that seemed to fail was done: the answer of the database got lost. */
  isDone(messages) {
    const { doubtful } = this;
    if (doubtful === void 0 || this.log.length === doubtful.said) return false;
    this.doubtful = void 0;
    if (doubtful.messages.length !== messages.length || this.log.length !== doubtful.said + messages.length) return false;
    return [doubtful.messages, this.log.slice(doubtful.said)].every((list) => this.common(list, messages) === messages.length);
  }
  /** Keeps a fold; where that fails the next write has it, unless another server's fold was first: then that one counts. */
  async keptLater() {
    try {
      await this.keep();
    } catch (error) {
      if (hasCode(error, "conflict")) this.leave();
    }
  }
  /** Another server may have been first: what it wrote counts, and this is done once more on top of it, or refused. */
  async stored(work) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(attempt > 1);
      } catch (error) {
        if (!hasCode(error, "conflict") || error === this.refusal || this.options.store === void 0) throw error;
        this.leave();
        this.foreign = true;
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }
  /** What is there can be read while a summary is waited for: a summarizer may want to. */
  reading(work) {
    return this.fitting ? work() : this.inTurn(work);
  }
  inTurn(work) {
    const next = this.last.then(work, work);
    this.last = next.catch(() => void 0);
    return next;
  }
};
function hasCode(error, ...codes) {
  const { name, code } = typeof error === "object" && error !== null ? error : {};
  return name === "PlicaError" && codes.includes(code);
}
function heard(tell) {
  try {
    const answer = tell();
    if (answer instanceof Promise) answer.catch(() => void 0);
  } catch {
  }
}
function refuseAborted(signal) {
  const { aborted, reason } = signal ?? {};
  if (aborted === true) throw reason;
}

// pkg/src/adapters/langchain.ts
var NAME = "PlicaMiddleware";
var THREADS = 100;
var FORMAT = { format: "langchain" };
var CLASSES = /* @__PURE__ */ new Map([
  ["human", import_langchain.HumanMessage],
  ["HumanMessage", import_langchain.HumanMessage],
  ["ai", import_langchain.AIMessage],
  ["AIMessage", import_langchain.AIMessage],
  ["system", import_langchain.SystemMessage],
  ["SystemMessage", import_langchain.SystemMessage],
  ["tool", import_langchain.ToolMessage],
  ["ToolMessage", import_langchain.ToolMessage]
]);
var UNSEEN = "nostream";
function plicaMiddleware(options) {
  const threads = new Threads(options);
  const stateSchema = new import_langgraph.StateSchema({ _plica: new import_langgraph.ReducedValue(import_v4.z.custom().optional(), { reducer: (_, next) => next }) });
  return (0, import_langchain.createMiddleware)({
    name: NAME,
    ...options.store === void 0 ? { stateSchema } : {},
    wrapModelCall: async (request, handler) => {
      if (request.messages.length === 0) return handler(request);
      const { window, asked, kept } = await threads.next(request);
      const response = await handler({ ...request, ...sent(window, asked, request) });
      return kept === void 0 ? response : withKept(response, kept, request);
    }
  });
}
function summarizeWith(model) {
  const invoke = model?.invoke;
  if (typeof invoke !== "function") throw new import_plica2.PlicaError("bad-argument", "summarizeWith needs a chat model: an object with `invoke`");
  return async ({ system, prompt }, { signal }) => {
    const options = { signal, tags: [UNSEEN], metadata: { lc_source: "summarization" } };
    const answer = await invoke.call(model, [new import_langchain.SystemMessage({ content: system }), new import_langchain.HumanMessage({ content: prompt })], options);
    const { finish_reason, stop_reason, finishReason } = answer.response_metadata ?? {};
    return { text: answer.text, finishReason: finish_reason ?? stop_reason ?? finishReason, usage: answer.usage_metadata };
  };
}
var Threads = class {
  constructor({ threads = THREADS, id = (thread) => thread, onCompaction, ...options }) {
    this.named = /* @__PURE__ */ new Map();
    /** By their first message, while an `invoke` lasts: without an id nothing else tells two of them apart that begin alike. */
    this.nameless = /* @__PURE__ */ new WeakMap();
    this.bare = /* @__PURE__ */ new WeakMap();
    if (!Number.isInteger(threads) || threads < 0) throw new import_plica2.PlicaError("bad-argument", "threads must be a whole number, 0 or more");
    if (typeof id !== "function") throw new import_plica2.PlicaError("bad-argument", "id must be a function: the id in the store of a thread");
    this.limit = threads;
    this.idOf = id;
    this.options = options;
    this.onCompaction = onCompaction;
    this.conversation("", {});
  }
  /** The window for a request, and what the state is to keep where it has not got it yet. */
  async next(request) {
    const asked = askedOf(request, (message) => this.withoutArtifact(message));
    const { said } = asked;
    const id = threadOf(request.runtime.configurable, said);
    const stored = this.options.store !== void 0 && id !== void 0;
    const kept = stored ? void 0 : request.state._plica;
    const mark = kept?.mark ?? UNFOLDED;
    const thread = this.find(id, said, mark) ?? await this.resumed(id, said, kept) ?? { conversation: await this.read(id, said, kept), marks: [] };
    const window = await windowOf(thread.conversation, asked, request, stored ? "begun" : "anywhere");
    const now = stored ? void 0 : await keptOf(thread.conversation);
    thread.marks = [mark, now?.mark ?? UNFOLDED];
    this.remember(id, said, thread);
    return { window, asked, kept: now?.mark === mark ? void 0 : now };
  }
  /** A thread that is in memory, where it has gone the way of the state. */
  find(id, said, mark) {
    const thread = id === void 0 ? this.nameless.get(said[0]) : this.named.get(id);
    return thread?.marks.includes(mark) ? thread : void 0;
  }
  /**
   * A thread whose state has no folds, though they were made: there is no checkpointer, or the agent is a node of another graph. Where all
   * that is in memory was said here as well, its folds count. It goes its own way from there: two runs may go on from the same messages.
   */
  async resumed(id, said, kept) {
    const known = kept === void 0 ? this.named.get(id ?? openingOf(said)) : void 0;
    if (known === void 0 || !beginsWith(said, await known.conversation.originals())) return void 0;
    return { conversation: await known.conversation.branch(), marks: [] };
  }
  remember(id, said, thread) {
    if (id === void 0) this.nameless.set(said[0], thread);
    const key = id ?? openingOf(said);
    this.named.delete(key);
    this.named.set(key, thread);
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
    const place = store === void 0 || id === void 0 ? known : { store, id: this.idOf(id) };
    const listener = onCompaction === void 0 ? {} : { onCompaction: (compaction) => onCompaction(compaction, { id }) };
    return new Conversation({ ...options, ...place, ...listener }, FORMAT);
  }
  /** Artifacts are not sent to the model and may be anything. A store keeps those that it can write. */
  withoutArtifact(message) {
    const { artifact, content, tool_call_id, name, id, status, additional_kwargs, response_metadata } = message;
    if (artifact === void 0 || !import_langchain.ToolMessage.isInstance(message)) return message;
    const known = this.bare.get(message);
    if (known !== void 0) return known;
    const isKept = this.options.store !== void 0 && hasText(artifact);
    const bare = isKept ? message : new import_langchain.ToolMessage({ content, tool_call_id, name, id, status, additional_kwargs, response_metadata });
    this.bare.set(message, bare);
    return bare;
  }
};
function hasText(artifact) {
  try {
    JSON.stringify(artifact);
    return true;
  } catch {
    return false;
  }
}
function threadOf(configurable, said) {
  const { thread_id: thread, checkpoint_ns: place = "" } = configurable ?? {};
  if (thread === void 0) return void 0;
  const outer = place.split("|").slice(0, -1).filter((part) => !/^\d+$/.test(part));
  if (outer.length === 0) return thread;
  return [thread, ...outer.map((part) => part.replace(/:[^:]*$/, "")), openingOf(said)].join("|");
}
function openingOf(said) {
  const first = said.findIndex((message) => !import_langchain.SystemMessage.isInstance(message));
  return (0, import_plica2.fingerprints)(said.slice(0, first < 0 ? void 0 : first + 1), FORMAT).join(".");
}
function beginsWith(said, log) {
  if (log.length > said.length) return false;
  const others = log.map((_, i) => i).filter((i) => log[i] !== said[i]);
  const [known, given] = [log, said].map((list) => (0, import_plica2.fingerprints)(others.map((i) => list[i]), FORMAT));
  return known.every((print, i) => print === given[i]);
}
async function windowOf(conversation, { said, added }, request, back) {
  const at = lastAnswer(said);
  const known = await conversation.originals();
  const isNew = at >= 0 && known.length >= at && !import_langchain.AIMessage.isInstance(known[at]);
  const counted = isNew ? said[at].usage_metadata : void 0;
  if (isNew && known.length > at) await conversation.record(said.slice(0, at), { back });
  const usage = counted === void 0 ? void 0 : { ...counted, at: (await conversation.messages()).length };
  return conversation.window(said, { signal: request.runtime.signal, usage, back, beside: () => besideOf(request, added) });
}
function besideOf({ systemMessage, tools = [] }, added) {
  const texts = [systemMessage.text, ...tools.map(({ name, description }) => `${String(name)}: ${String(description)}`)];
  return (0, import_plica2.estimate)([{ type: "system", data: { content: texts.join("\n") } }, ...added.map(({ message }) => message)], FORMAT).total;
}
function lastAnswer(said) {
  for (let i = said.length - 1; i >= 0; i--) if (import_langchain.AIMessage.isInstance(said[i])) return i;
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
  return { messages, originals, ledger: import_plica2.Ledger.from(JSON.parse(ledger)) };
}
function askedOf({ messages, state }, bare) {
  const found = inState(messages, state.messages);
  const sameLength = messages.length === state.messages.length;
  const { asked, added } = found ?? { asked: messages, added: [] };
  const said = (found !== void 0 || sameLength ? state.messages : messages).map(bare);
  return { said, messages: new Map(said.map((message, i) => [message, asked[i]])), added };
}
function inState(messages, state) {
  const places = new Map(state.flatMap((message, i) => [[idOf(message) ?? message, i], [message, i]]));
  const asked = [];
  const added = [];
  for (const message of messages) {
    const place = places.get(message) ?? places.get(idOf(message));
    if (place === void 0) added.push({ at: asked.length, message });
    else if (place === asked.length) asked.push(message);
    else return void 0;
  }
  return asked.length === state.length ? { asked, added } : void 0;
}
var idOf = (message) => message.id;
function withAdded(window, { said, messages, added }) {
  const places = new Map(said.map((message, i) => [message, i]));
  const rest = [...added];
  const taken = (place) => rest.splice(0, rest.filter(({ at }) => at <= place).length).map(({ message }) => message);
  const all = taken(0);
  for (const message of window) all.push(...taken(places.get(message) ?? 0), messages.get(message) ?? live(message));
  return [...all, ...taken(said.length)];
}
var carried = /* @__PURE__ */ new WeakSet();
function withKept(response, kept, { state }) {
  if (import_langchain.AIMessage.isInstance(response)) return new import_langgraph.Command({ update: { _plica: kept } });
  const { structuredResponse, messages } = response;
  if (structuredResponse === void 0 || messages?.length !== 1 || carried.has(state.messages)) return response;
  carried.add(state.messages);
  return new import_langgraph.Command({ update: { _plica: kept, structuredResponse } });
}
function sent(window, asked, { systemMessage }) {
  const all = withAdded(window, asked);
  const placed = new Set(window.flatMap((message) => asked.messages.has(message) ? [] : [live(message)]));
  const rules = all.filter((message) => placed.has(message) && import_langchain.SystemMessage.isInstance(message));
  if (rules.length === 0) return { messages: all };
  const [first, ...others] = all.filter((message) => !rules.includes(message));
  if (import_langchain.SystemMessage.isInstance(first)) return { messages: [withRules(first, rules), ...others] };
  return { messages: first === void 0 ? [] : [first, ...others], systemMessage: withRules(systemMessage, rules) };
}
function withRules(system, rules) {
  const { content } = system;
  const own = typeof content === "string" ? content === "" ? [] : [textBlock(content)] : content;
  return new import_langchain.SystemMessage({ ...system, content: [...own, ...rules.map(({ text }) => textBlock(text))] });
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
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  plicaMiddleware,
  summarizeWith
});
