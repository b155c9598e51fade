/*! plica 0.1.0 | MIT OR Apache-2.0 | notices: THIRD-PARTY-NOTICES.txt */

// pkg/src/adapters/ai-sdk.ts
import { PlicaError as PlicaError6 } from "plica";

// pkg/src/adapters/checks.ts
import { PlicaError } from "plica";

// pkg/src/kinds.ts
function article(value) {
  if (value === null || value === void 0) return String(value);
  const kind = isArray(value) ? "array" : typeof value;
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}
function isArray(value) {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

// pkg/src/adapters/checks.ts
function memberOf(value, name) {
  try {
    return value?.[name];
  } catch {
    return void 0;
  }
}
function refuseMessages(messages, what = "messages") {
  if (!isArray(messages)) throw new PlicaError("bad-argument", `${what} must be an array, not ${article(messages)}`);
  for (let i = 0; i < messages.length; i++) {
    if (typeof messages[i] !== "object" || messages[i] === null) throw new PlicaError("bad-message", `message ${i} is ${article(messages[i])}, not an object`);
  }
}
function optionsIn(options, what = "options") {
  if (options === void 0 || options === null) return {};
  if (typeof options !== "object" || isArray(options)) throw new PlicaError("bad-argument", `${what} must be an object, not ${article(options)}`);
  try {
    return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null && value !== void 0));
  } catch (cause) {
    throw new PlicaError("bad-argument", `${what} cannot be read`, { cause });
  }
}
function refuseNoFunction(value, what) {
  if (value !== void 0 && value !== null && typeof value !== "function") throw new PlicaError("bad-argument", `${what} must be a function, not ${article(value)}`);
}
function refuseNoSignal(signal) {
  if (signal !== void 0 && signal !== null && typeof signal !== "object") throw new PlicaError("bad-argument", `signal must be an AbortSignal, not ${article(signal)}`);
}

// pkg/src/adapters/ai-sdk-system.ts
function parted(messages) {
  const first = messages.findIndex((message) => !isSystem(message));
  const length = first < 0 ? messages.length : first;
  return [messages.slice(0, length), messages.slice(length)];
}
function withoutRules(window, conversation) {
  const isRules = (message) => isSystem(message) && conversation.isRules(message);
  return [window.filter(isRules), window.filter((message) => !isRules(message))];
}
function textsOf(messages) {
  return messages.map(contentOf);
}
function isSystem(message) {
  return memberOf(message, "role") === "system";
}
function contentOf(message) {
  const content = memberOf(message, "content");
  return typeof content === "string" ? content : "";
}

// pkg/src/adapters/beside.ts
import { PlicaError as PlicaError2, estimate } from "plica";
function tokensOf(texts) {
  return texts.length === 0 ? 0 : estimate(texts.map((content) => ({ role: "system", content })), { format: "ai-sdk" }).total;
}
function toolsText(tools, textOf = jsonOf) {
  return isArray(tools) ? tools.filter((tool) => !isDeferred(tool)).map(textOf) : [];
}
function isDeferred(tool) {
  const places = [tool, memberOf(memberOf(tool, "providerOptions"), "anthropic"), memberOf(tool, "extras")];
  return places.some((place) => memberOf(place, "defer_loading") === true || memberOf(place, "deferLoading") === true);
}
function jsonOf(tool) {
  try {
    return JSON.stringify(tool, (_, value) => typeof value === "bigint" ? String(value) : value) ?? "";
  } catch (cause) {
    throw new PlicaError2("bad-argument", "a tool cannot be written as JSON", { cause });
  }
}

// pkg/src/adapters/conversation.ts
import { Ledger as Ledger3, PlicaError as PlicaError5 } from "plica";

// pkg/src/adapters/conversation-options.ts
import { PlicaError as PlicaError3, Transcript, admitPins, prepare } from "plica";
var STORE = ["load", "append", "save", "list", "delete"];
var LONGEST = 512 - "~left~".length - `${Number.MAX_SAFE_INTEGER}.${Number.MAX_SAFE_INTEGER}`.length;
var nobody = () => {
};
function optionsOf(given, { format }) {
  const options = optionsIn(given);
  const { window, store, id, messages, ledger, originals, at, prepareAt, onCompaction, onPins, pins, admission, pinned, left, storeTimeoutMs } = options;
  if (window === void 0) throw new PlicaError3("bad-argument", "the options need a window: what the model takes, in tokens");
  if (store !== void 0) refuseNoStore(store, id, left);
  if (store !== void 0 && (messages ?? ledger) !== void 0) throw new PlicaError3("bad-argument", "with a store, messages and ledger come from it");
  if (left !== void 0 && (typeof left !== "number" || !(left >= 0))) throw new PlicaError3("bad-argument", "left must be a number of 0 or more");
  if (storeTimeoutMs !== void 0 && (typeof storeTimeoutMs !== "number" || !(storeTimeoutMs > 0))) throw new PlicaError3("bad-argument", "storeTimeoutMs must be a number above 0");
  for (const [name, list] of Object.entries({ messages, originals })) if (list !== void 0) refuseMessages(list, name);
  if (ledger !== void 0 && typeof memberOf(ledger, "unfold") !== "function") throw new PlicaError3("bad-argument", "ledger must be a Ledger");
  for (const [name, value] of Object.entries({ onCompaction, onPins })) refuseNoFunction(value, name);
  if (pinned !== void 0 && !isArray(pinned)) refuseNoFunction(pinned, "pinned");
  admitPins(pins ?? [], admission);
  refuseFolding(options, format, [at, prepareAt]);
  return options;
}
function refuseNoStore(store, id, left) {
  const missing = STORE.find((name) => typeof memberOf(store, name) !== "function");
  if (missing !== void 0) throw new PlicaError3("bad-argument", `store must be a store of plica/store, or have its methods: ${missing} is missing`);
  if (typeof id !== "string" || id === "") throw new PlicaError3("bad-argument", "a store needs the id of the conversation, a string that is not empty");
  if (left !== 0 && id.length > LONGEST) throw new PlicaError3("bad-argument", `the id of a conversation is ${LONGEST} characters at most: what it goes back from is stored under <id>~left~<version>`);
}
function refuseFolding(options, format, shares) {
  const { window, estimator, provenance, onEvent } = options;
  const tried = new Transcript({ window, estimator, provenance, format });
  try {
    for (const at of shares) if (at !== void 0) tried.due({ at });
    prepare(tried, { ...makingOf(options), pins: void 0, pinned: void 0, onEvent: typeof onEvent === "function" ? nobody : onEvent }).cancel();
  } finally {
    tried.free();
  }
}
var OWN = {
  window: true,
  ledger: true,
  at: true,
  prepareAt: true,
  onCompaction: true,
  onPins: true,
  store: true,
  id: true,
  messages: true,
  originals: true,
  left: true,
  storeTimeoutMs: true
};
function makingOf(options) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in OWN)));
}
var BACK = ["anywhere", "begun", "never"];
function notesOf(given) {
  const notes = optionsIn(given);
  refuseNoSignal(notes.signal);
  refuseNoFunction(notes.beside, "beside");
  if (notes.back !== void 0 && typeof notes.back !== "function" && !BACK.includes(notes.back)) throw new PlicaError3("bad-argument", 'back must be "begun", "anywhere", "never" or a function');
  return notes;
}

// pkg/src/adapters/aborts.ts
function abortOf(signal) {
  const { addEventListener, removeEventListener } = signal;
  let hear = () => {
  };
  const heard2 = new Promise((resolve) => hear = resolve);
  if (typeof addEventListener === "function") addEventListener.call(signal, "abort", hear, { once: true });
  return { heard: heard2, unhear: () => typeof removeEventListener === "function" && removeEventListener.call(signal, "abort", hear) };
}
function isAborted(signal) {
  return signal?.aborted === true;
}
function reasonOf(signal) {
  const { reason } = signal ?? {};
  if (reason !== void 0) return reason;
  const controller = new AbortController();
  controller.abort();
  return controller.signal.reason;
}
function refuseAborted(signal) {
  if (isAborted(signal)) throw reasonOf(signal);
}
async function unlessAborted(work, signal) {
  if (signal === void 0 || signal === null) return work();
  refuseAborted(signal);
  const abort = abortOf(signal);
  try {
    return await Promise.race([
      work(),
      abort.heard.then(() => {
        throw reasonOf(signal);
      })
    ]);
  } finally {
    abort.unhear();
  }
}

// pkg/src/adapters/keeping.ts
import { Ledger, PlicaError as PlicaError4 } from "plica";

// pkg/src/adapters/problems.ts
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

// pkg/src/adapters/keeping.ts
var LEFT = "~left~";
var NONE = "0";
var KEPT = 8;
var ATTEMPTS = 3;
var PATIENCE = 3e4;
var LONGEST2 = 2 ** 31 - 1;
var Overtaken = class {
  constructor(error) {
    this.error = error;
  }
};
var Unknown = class extends Overtaken {
};
var Keeping = class _Keeping {
  constructor(options) {
    this.options = options;
    this.unseen = false;
    this.version = NONE;
    this.waits = /* @__PURE__ */ new Set();
  }
  /** Whether what is known came from another server, and what the framework goes on with has nothing of it yet. */
  get isUnseen() {
    return this.unseen;
  }
  /** The same place, of which nothing is known. */
  anew() {
    const other = new _Keeping(this.options);
    other.unseen = this.unseen;
    return other;
  }
  /** The framework goes on from what is known. */
  seen() {
    this.unseen = false;
  }
  /** What is kept of the conversation. */
  async load() {
    const { store, id, messages = [], ledger = new Ledger() } = this.options;
    if (store === void 0) return { messages, ledger };
    const stored = await this.answered(store.load(id, { originals: true }));
    if (!isArray(memberOf(stored, "messages")) || typeof memberOf(stored, "version") !== "string" || typeof memberOf(stored.ledger, "unfold") !== "function") {
      throw new PlicaError4("bad-argument", "the store gave no conversation: load must give { version, messages, ledger }");
    }
    this.left = void 0;
    this.version = stored.version;
    return stored;
  }
  /** Writes what is not kept yet. */
  async write(window) {
    const { store, id } = this.options;
    if (window.unkept.kind === "nothing") return;
    try {
      if (store !== void 0) await this.stored(store, id, window);
    } catch (error) {
      throw hasCode(error, "conflict") ? new Overtaken(error) : error;
    }
    window.kept();
  }
  async stored(store, id, window) {
    const left = await this.storeLeft(store, id);
    const { version } = this;
    const { unkept } = window;
    if (unkept.kind === "messages") this.version = await this.answered(store.append(id, window.messages().slice(unkept.from), { version }));
    if (unkept.kind === "window") this.version = await this.answered(store.save(id, { messages: window.messages(), ledger: window.ledger }, { version, forget: unkept.forget }));
    if (left !== void 0) await this.deleteOldest(store, id, left).catch(() => void 0);
  }
  /** Stores what was gone back from, and says under which id. */
  async storeLeft(store, id) {
    if (this.left === void 0) return void 0;
    const way = `${id}${LEFT}${this.version}`;
    try {
      await this.answered(store.save(way, this.left, { version: NONE }));
    } catch (error) {
      if (!hasCode(error, "conflict")) throw error;
    }
    this.left = void 0;
    return way;
  }
  /** Deletes the ways that were left first, all but so many. Where that fails, the next one that is left does it. */
  async deleteOldest(store, id, latest) {
    const { left: kept = KEPT } = this.options;
    const ways = (await this.leftIn(store, id)).filter((way) => way.id !== latest && !way.id.slice(id.length + LEFT.length).includes(LEFT));
    ways.sort((a, b) => b.updated - a.updated || b.id.length - a.id.length || (a.id < b.id ? 1 : -1));
    for (const way of ways.slice(Math.max(0, kept - 1))) await this.answered(store.delete(way.id));
  }
  leftIn(store, id) {
    return this.answered(store.list({ prefix: `${id}${LEFT}`, limit: Number.MAX_SAFE_INTEGER }));
  }
  /** What is gone back from stays to be had, where there is a store: it is not for a framework to delete what was said. */
  leaveBehind(window) {
    const { store, left } = this.options;
    if (store === void 0 || left === 0 || this.version === NONE || this.left !== void 0) return;
    this.left = window.copied();
  }
  /** Deletes the conversation, and what was left of it. */
  async clear() {
    const { store, id } = this.options;
    this.seen();
    this.left = void 0;
    if (store === void 0) return;
    for (let attempt = 1; ; attempt++) {
      const stored = await this.storedNow(store, id);
      if (stored === void 0) break;
      try {
        await this.answered(store.delete(id, { version: stored.version }));
        break;
      } catch (error) {
        if (!hasCode(error, "conflict") || attempt === ATTEMPTS) throw error;
      }
    }
    for (const way of await this.leftIn(store, id)) await this.answered(store.delete(way.id, { version: way.version }));
  }
  /** Whether another server has written since. */
  async isOvertaken() {
    const { store, id } = this.options;
    if (store === void 0) return false;
    return ((await this.storedNow(store, id))?.version ?? NONE) !== this.version;
  }
  async storedNow(store, id) {
    const [info] = await this.answered(store.list({ prefix: id, limit: 1 }));
    return info?.id === id ? info : void 0;
  }
  /** What a store answers in its time. A write that comes later is told from another server's by nothing: it is found when it is read. */
  async answered(answer) {
    const { storeTimeoutMs: patience = PATIENCE } = this.options;
    let timer;
    const over = new Promise((_, reject) => {
      if (patience > LONGEST2) return;
      timer = setTimeout(() => reject(new PlicaError4("store-failed", `the store did not answer within ${patience} ms (storeTimeoutMs)`)), patience);
      this.waits.add(timer);
    });
    try {
      return await Promise.race([answer, over]);
    } finally {
      clearTimeout(timer);
      if (timer !== void 0) this.waits.delete(timer);
    }
  }
  /** Nobody waits for it any more: a program may end. */
  leave() {
    for (const timer of this.waits) timer.unref?.();
  }
  /**
   * Another server may have been first: what it wrote counts, and the work is done once more on top of it, or refused.
   *
   * @param forget what is in memory is not what is stored.
   */
  async onTop(work, forget) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        if (this.options.store === void 0) throw error.error;
        if (error instanceof Unknown && !await this.isOvertaken()) throw error.error;
        forget();
        this.unseen = true;
        if (attempt === ATTEMPTS) throw error.error;
      }
    }
  }
};

// pkg/src/adapters/reading.ts
var itself = (i) => i;
var noPlaces = () => void 0;
function readingOf(given, said, recognition) {
  const { log } = said;
  if (log.length === 0) return { kind: "on", list: said.unfolded(given) ?? given, known: 0, placeOf: noPlaces, counted: false };
  if (recognition.hasUndone(given)) return { kind: "undone" };
  const known = recognition.common(given, log);
  if (known === log.length) return { kind: "on", list: given, known, placeOf: itself, counted: true };
  const views = said.views().map((view) => ({ ...view, shared: recognition.common(given, view.messages) }));
  const whole = views.find(({ messages, shared: shared2 }) => shared2 === messages.length);
  if (whole !== void 0) return { kind: "on", list: given, known: whole.shared, placeOf: said.saidAt(whole.places), counted: true };
  const earlier = said.unfolded(given);
  const shared = earlier === void 0 ? known : recognition.common(earlier, log);
  if (earlier !== void 0 && shared === log.length) return { kind: "on", list: earlier, known: shared, placeOf: itself, counted: false };
  const isOther = known === 0 && earlier === void 0 && views.every((view) => view.shared === 0);
  let best = { kind: "back", list: earlier ?? given, known: shared, placeOf: itself, kept: shared, isOther };
  for (const view of views) {
    const kept = view.shared === 0 ? 0 : said.saidBefore(view.places[view.shared - 1] + 1) ?? 0;
    if (kept > 0 && kept >= best.kept) best = { kind: "back", list: given, known: view.shared, placeOf: said.saidAt(view.places), kept, isOther };
  }
  return best;
}

// pkg/src/adapters/recognition.ts
import { fingerprints } from "plica";
var FEW = 8;
var Recognition = class {
  constructor(format) {
    this.format = format;
    /** Fingerprints of digests whose folds were undone: what they stand for is said again, or gone. */
    this.undone = /* @__PURE__ */ new Set();
    /** Messages with rules that were put into a window. */
    this.rules = /* @__PURE__ */ new WeakSet();
    this.prints = /* @__PURE__ */ new WeakMap();
  }
  /** The fingerprints of messages, each asked for once. */
  printsOf(messages) {
    const missing = messages.filter((message) => !this.prints.has(message));
    if (missing.length > 0) fingerprints(missing, { format: this.format }).forEach((print, i) => this.prints.set(missing[i], print));
    return messages.map((message) => this.prints.get(message));
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
  /** What was asked for there need not be asked for here: the ways of a conversation are handed the same messages. */
  sharePrints(other) {
    this.prints = other.prints;
  }
  /** Messages were edited in place: they are to be read anew. */
  forgetPrints() {
    this.prints = /* @__PURE__ */ new WeakMap();
  }
  /** Digests of this ledger are good, whatever was undone before. */
  knows({ records }) {
    if (this.undone.size === 0) return;
    for (const { record } of records) if ("digest" in record) for (const print of record.digest) this.undone.delete(print);
  }
  /** Whether one of the messages is a digest whose fold was undone. */
  hasUndone(messages) {
    return this.undone.size > 0 && this.printsOf(messages).some((print) => this.undone.has(print));
  }
};

// pkg/src/adapters/said.ts
import { Ledger as Ledger2 } from "plica";
var Said = class {
  constructor(window, recognition, originals) {
    this.window = window;
    this.recognition = recognition;
    /** For each message of the log its index in the window, -1 where it is folded. */
    this.places = [];
    this.log = window.ledger.unfold(window.messages(), originals === void 0 ? {} : { originals });
    this.place();
  }
  get length() {
    return this.log.length;
  }
  /** Where a message of the log is in the window; -1 where it is folded. */
  placeOf(i) {
    return this.places[i];
  }
  append(messages) {
    const at = this.window.length;
    this.window.append(messages);
    messages.forEach((message, i) => {
      this.places.push(at + i);
      this.log.push(message);
    });
  }
  /** As if what was appended had never come: it could not be kept. */
  takeBack(length) {
    this.log.length = this.places.length = length;
    this.known = void 0;
  }
  /** Finds its places anew: the window has changed as a whole. */
  place() {
    this.known = void 0;
    const window = this.window.messages();
    try {
      this.places = this.window.ledger.places(window);
    } catch (error) {
      if (!hasCode(error, "digest-missing")) throw error;
      const at = new Map(window.map((message, i) => [message, i]));
      this.places = this.log.map((message) => at.get(message) ?? -1);
    }
  }
  /** Puts the rules in, where they are not yet; says whether they are new. */
  pin(first = false) {
    if (!this.window.pin(first)) return false;
    this.place();
    return true;
  }
  /** Nothing was said yet: what the window has is not the beginning. */
  begin() {
    this.window.empty();
    this.known = void 0;
  }
  // --- how the window has it --------------------------------------------------------------------------------------------
  get layout() {
    if (this.known !== void 0) return this.known;
    const window = this.window.messages();
    const folds = this.window.ledger.lookupMany(window);
    const said = new Set(this.places);
    const isDigest = (i) => folds[i] !== void 0 && !said.has(i);
    const digests = window.flatMap((_, i) => isDigest(i) ? [i] : []);
    const put = new Set(window.flatMap((_, i) => said.has(i) || isDigest(i) ? [] : [i]));
    for (const i of put) this.recognition.rules.add(window[i]);
    return this.known = { digests, put };
  }
  /** The window, in which what was put in is known by its object from now on. */
  messages() {
    void this.layout;
    return this.window.messages();
  }
  /** The window, and the window without what nobody said. */
  views() {
    const messages = this.window.messages();
    const whole = { messages, places: messages.map((_, i) => i) };
    const { put } = this.layout;
    if (put.size === 0) return [whole];
    const places = whole.places.filter((i) => !put.has(i));
    return [whole, { messages: places.map((i) => messages[i]), places }];
  }
  /** Where in the log a message of a view is; undefined for a digest. */
  saidAt(view) {
    const said = new Map(this.places.map((place, i) => [place, i]));
    return (i) => said.get(view[i]);
  }
  /** How much of the log the window stands for up to a place; undefined where that is not its beginning. */
  saidBefore(place) {
    if (this.layout.digests.some((digest) => digest >= place)) return void 0;
    const first = this.places.findIndex((other) => other >= place);
    const kept = first < 0 ? this.places.length : first;
    return this.places.slice(kept).every((other) => other >= place) ? kept : void 0;
  }
  /** What was said behind messages with digests or rules of this conversation among them; undefined when there are none. */
  unfolded(given) {
    const { ledger } = this.window;
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
  // --- going back -------------------------------------------------------------------------------------------------------
  /** Forgets what was said from `length` on. Folds that reach behind it are undone, the last one first. */
  rewind(length) {
    if (length === this.log.length) return;
    if (length === 0) return this.startOver();
    while (!this.isCut(length)) {
      if (this.undo()) continue;
      this.become(this.log, 0);
    }
    const at = this.places[length];
    this.window.cut(at);
    this.log.length = this.places.length = length;
    this.known = void 0;
  }
  /** Whether the window can be cut where this much of the log ends. */
  isCut(length) {
    const at = this.places[length];
    return this.places.every((place, i) => i < length ? place < at : place >= at) && this.layout.digests.every((digest) => digest < at);
  }
  startOver() {
    this.noteUndone(0);
    this.window.replace([], 0);
    this.log.length = this.places.length = 0;
    this.known = void 0;
  }
  /** Undoes the last fold; false when there is none, or what it took away is not there. */
  undo() {
    const { records } = this.window.ledger;
    const last = records[records.length - 1];
    if (last?.messages === void 0 || !("span" in last.record)) return false;
    const alone = Ledger2.found([{ record: last.record, messages: last.messages }]);
    this.become(alone.unfold(this.window.messages()), records.length - 1);
    return true;
  }
  become(window, records) {
    this.noteUndone(records);
    this.window.replace(window, records);
    this.place();
  }
  noteUndone(records) {
    for (const { record } of this.window.ledger.records.slice(records)) if ("digest" in record) for (const print of record.digest) this.recognition.undone.add(print);
  }
};

// pkg/src/adapters/window.ts
import { Transcript as Transcript2, admitPins as admitPins2, compact, prepare as prepare2 } from "plica";
var GROWTH = 1.05;
var STRAY = 4;
var NOTHING = { kind: "nothing" };
var FoldingWindow = class {
  constructor(messages, ledger, options, format, recognition) {
    this.options = options;
    this.format = format;
    this.recognition = recognition;
    /** What is not kept yet. */
    this.unkept = NOTHING;
    /** Whether the rules of the options are in, or were asked for. */
    this.pinned = false;
    /** Whether the provider has counted a request of this window. */
    this.counted = false;
    /** Below so many tokens folding, and preparing it, is of no use. */
    this.foldFrom = 0;
    this.prepareFrom = 0;
    /** Whether a digest is being made. */
    this.isFolding = false;
    this.transcript = this.transcribed(messages, ledger);
  }
  get length() {
    return this.transcript.length;
  }
  get ledger() {
    return this.transcript.ledger;
  }
  messages() {
    return this.transcript.messages();
  }
  free() {
    this.endPreparation();
    this.transcript.free();
  }
  /** Copies that go their own way. */
  copied() {
    return { messages: this.messages(), ledger: this.ledger.copy() };
  }
  // --- what is in it ----------------------------------------------------------------------------------------------------
  append(messages) {
    if (messages.length === 0) return;
    const from = this.length;
    this.transcript.append(messages);
    if (this.unkept.kind === "nothing") this.unkept = { kind: "messages", from };
  }
  /** As if what was appended had never come: it could not be kept. */
  takeBack(length, unkept) {
    this.transcript.truncate(length);
    if (length === 0) this.pinned = false;
    this.unkept = unkept;
  }
  /** Nothing was said: rules that are there have their place behind what will lead the conversation. */
  empty() {
    if (this.length > 0) this.changed(true);
    this.transcript.truncate(0);
    this.pinned = false;
  }
  cut(length) {
    const plan = this.preparation?.plan;
    if (plan?.kind === "fold" && plan.keptFrom > length) this.endPreparation();
    this.transcript.truncate(length);
    this.reset(true);
  }
  /** Other messages are the window, and a ledger of so many records says what they stand for: one that had others could not be read. */
  replace(messages, records) {
    const old = this.transcript;
    this.transcript = this.transcribed(messages, old.ledger.copy(records));
    const beside = old.tokens - old.calibration * old.estimate().total;
    if (beside >= 1) this.transcript.usage({ inputTokens: Math.ceil(beside + this.transcript.estimate().total), at: messages.length });
    old.free();
    this.endPreparation();
    if (records === 0) this.pinned = false;
    this.reset("records");
  }
  /** The rules are in the window from the first request on: put in later, they would cost the provider's cache. Says whether they are new. */
  pin(first = false) {
    const { pins, admission, onPins } = this.options;
    if (this.pinned || pins === void 0 || this.length === 0 && !first) return false;
    const before = this.messages();
    const admitted = admitPins2(pins, admission);
    this.transcript.placePins(admitted.pinned);
    heard(() => onPins?.(admitted));
    this.pinned = true;
    const after = this.messages();
    if (after.length === before.length && after.every((message, i) => message === before[i])) return false;
    this.changed(true);
    return true;
  }
  /** It is kept as it is. */
  kept() {
    this.unkept = NOTHING;
  }
  /** It is not what is stored; `forget`: it may lack what is. */
  changed(forget) {
    const before = this.unkept.kind === "window" ? this.unkept.forget : false;
    this.unkept = { kind: "window", forget: before === "records" ? before : forget === false ? before : forget };
  }
  reset(forget) {
    this.sent = void 0;
    this.foldFrom = this.prepareFrom = 0;
    this.changed(forget);
  }
  transcribed(messages, ledger) {
    const { window, estimator, provenance } = this.options;
    return Transcript2.restore(messages, ledger, { window, estimator, provenance, format: this.format });
  }
  // --- what it costs ----------------------------------------------------------------------------------------------------
  /** Takes what the provider counted for the first `at` messages. */
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
  countAs({ transcript, counted }) {
    if (!counted || transcript.length === 0 || transcript.length !== this.length) return;
    this.transcript.usage({ inputTokens: transcript.tokens, at: transcript.length });
    this.counted = true;
  }
  /** Some providers count nothing, and say so as 0; some count without what they have in their cache; some say anything. */
  isPlausible(usage) {
    const tried = this.transcript.fork();
    try {
      tried.truncate(Math.min(usage.at, tried.length));
      const estimated = tried.estimate().total;
      const tokens = tried.usage(usage).tokens;
      return (tokens >= estimated / STRAY || usage.partial === true) && tokens <= STRAY * estimated + sizeOf(this.options.window).size;
    } finally {
      tried.free();
    }
  }
  /** The window without what is sent beside the messages: the transcript does not know of that before something was counted. */
  room(beside) {
    const { size, overhead, output } = sizeOf(this.options.window);
    if (this.counted || beside === void 0 || (overhead ?? void 0) !== void 0) return {};
    return { window: { size: Math.max(1, size - beside()), ...output === void 0 ? {} : { output } } };
  }
  // --- folding ----------------------------------------------------------------------------------------------------------
  /** Folds when it is due, and prepares a fold when that is; gives what came of it each time that it was due. */
  async fit({ signal, beside }) {
    const { at } = this.options;
    const room = this.room(beside);
    if (!this.transcript.due({ ...room, ...at === void 0 ? {} : { at } })) {
      this.prepare(room);
      return void 0;
    }
    if (this.unfolded !== void 0 && this.transcript.tokens < this.foldFrom) return this.stillUnfolded(this.unfolded);
    this.isFolding = true;
    try {
      return await this.folded(room, signal);
    } finally {
      this.isFolding = false;
    }
  }
  async folded(room, signal) {
    let made = await this.compacted(room, signal);
    if (made.outcome === "unchanged" && made.reason === "message-changed") {
      this.recognition.forgetPrints();
      this.replace(this.messages(), this.ledger.records.length);
      made = await this.compacted(room, signal);
    }
    this.foldFrom = made.outcome === "unchanged" && made.failed.length > 0 ? this.grown() : 0;
    this.unfolded = made.fold === void 0 ? made : void 0;
    if (made.fold === void 0) return made;
    this.sent = void 0;
    this.prepareFrom = 0;
    this.changed(false);
    return made;
  }
  /** Where nothing can be freed the provider has the last word about a window that may still do. */
  async compacted(room, signal) {
    try {
      const made = await compact(this.transcript, { ...makingOf(this.options), ...room, signal, prepared: this.preparation });
      this.endPreparation();
      return made;
    } catch (error) {
      if (!hasCode(error, "no-progress") || this.unfolded === void 0) throw error;
      this.endPreparation();
      return this.stillUnfolded(this.unfolded);
    }
  }
  /** Nothing was asked this time; why nothing folds is what it was. */
  stillUnfolded(last) {
    const { tokens } = this.transcript;
    return { ...last, messages: this.messages(), tokens: { before: tokens, after: tokens }, failed: [] };
  }
  prepare(room) {
    const { prepareAt } = this.options;
    const { tokens } = this.transcript;
    if (prepareAt === void 0 || this.preparation !== void 0 || tokens < this.prepareFrom || !this.transcript.due({ ...room, at: prepareAt })) return;
    const preparation = prepare2(this.transcript, { ...makingOf(this.options), ...room });
    this.preparation = preparation;
    const next = this.grown();
    void preparation.ready.then(({ prepared }) => {
      if (prepared || this.preparation !== preparation) return;
      this.preparation = void 0;
      this.prepareFrom = next;
    });
  }
  /** Nothing is prepared any more: what is under way ends. */
  endPreparation() {
    this.preparation?.cancel();
    this.preparation = void 0;
  }
  grown() {
    return Math.ceil(this.transcript.tokens * GROWTH);
  }
};
function sizeOf(window) {
  return typeof window === "number" ? { size: window } : window;
}

// pkg/src/adapters/conversation.ts
var GRACE = 1e3;
var Conversation = class _Conversation {
  /** @throws PlicaError `bad-argument`, and those that `compact` has for its options. */
  constructor(options, internals) {
    this.internals = internals;
    this.last = Promise.resolve();
    this.options = optionsOf(options, internals);
    this.recognition = new Recognition(internals.format);
    this.keeping = new Keeping(this.options);
  }
  /**
   * Takes the messages as the framework has them, and gives the window to send: your own objects, with the digests among them.
   *
   * @param messages all that was said, or the window that was given last, with what came since behind it. Where the framework has gone
   * back (an answer made anew, a message edited) the conversation goes back with it.
   * @throws what the signal was aborted with; PlicaError those of `compact` and of the store; `conflict` when another server has written
   * to the conversation what is not among the messages.
   */
  async window(messages, options = {}) {
    return (await this.next(messages, options)).window;
  }
  /**
   * The same, with all that was said until then: in the objects that were given, where they are all of it; and what was new of it. No other
   * call gets in between.
   *
   * @throws as {@link Conversation.window}.
   */
  next(messages, options = {}) {
    return this.inTurn(messages, options, (notes) => this.onTop(async () => {
      refuseAborted(notes.signal);
      const known = await this.load();
      refuseAborted(notes.signal);
      const { came, theirs } = this.take(known, messages, notes);
      await this.keeping.write(known.window);
      await this.fit(known, notes, () => this.keepFold(known));
      return { window: theirs(this.sent(known)), said: this.saidIn(known, messages), came };
    }));
  }
  /**
   * Takes the messages as the framework has them, and folds nothing: behind the last answer of a run.
   *
   * @throws as {@link Conversation.window}.
   */
  record(messages, options = {}) {
    return this.inTurn(messages, options, (notes) => this.onTop(async () => {
      const known = await this.load();
      this.take(known, messages, notes);
      await this.keeping.write(known.window);
    }));
  }
  /**
   * Puts messages behind those that are there, for frameworks that hand over what is new and nothing else.
   *
   * @throws as {@link Conversation.window}.
   */
  append(messages, options = {}) {
    return this.inTurn(messages, options, async (notes) => {
      const known = await this.onTop(() => {
        refuseAborted(notes.signal);
        return this.appended(messages, notes);
      });
      if (options?.fold === false) return;
      await this.fit(known, notes, () => this.keepLater(known));
    });
  }
  /** Takes the last message off; undefined when there is none. What is folded comes back when it is its turn. */
  pop() {
    return this.following(() => this.onTop(async () => {
      const { said, window } = await this.load();
      const popped = this.isPopped(said);
      if (popped !== void 0) return popped;
      const last = said.log[said.length - 1];
      if (last === void 0) return void 0;
      this.popping = { said: said.length, last };
      said.rewind(said.length - 1);
      this.keeping.seen();
      try {
        await this.keeping.write(window);
      } catch (error) {
        this.forget();
        throw error;
      }
      this.popping = void 0;
      return last;
    }));
  }
  /** The message that was taken off by a call that seemed to fail. */
  isPopped({ log }) {
    const { popping } = this;
    this.popping = void 0;
    return popping !== void 0 && log.length === popping.said - 1 ? popping.last : void 0;
  }
  /** Forgets everything, in the store as well. */
  clear() {
    return this.following(async () => {
      this.forget();
      this.recognition.undone.clear();
      if (this.options.store === void 0) this.start([], new Ledger3());
      await this.keeping.clear();
    });
  }
  /** The window as it is now: what to go on with, also where another server has written. */
  messages(options = {}) {
    return this.reading(options, ({ said }) => {
      if (said.length === 0) said.pin(true);
      this.keeping.seen();
      return said.messages();
    });
  }
  /** All that was ever said: every original. */
  originals(options = {}) {
    return this.reading(options, ({ said }) => said.log.slice());
  }
  /** The ledger: with the window it is all that has to be kept to go on later. */
  ledger(options = {}) {
    return this.reading(options, ({ window }) => window.ledger);
  }
  /** Forgets what is in memory where another server has written since: it is read anew when it is asked for. */
  async refresh() {
    if (this.known?.window.isFolding === true) return;
    return this.following(async () => {
      if (this.known?.window.unkept.kind === "nothing" && await this.keeping.isOvertaken()) this.forget();
    });
  }
  /** A conversation of the same messages and folds that goes its own way, in no store. */
  branch({ signal } = {}) {
    return this.heeding(signal, async () => {
      const { said, window } = await this.load();
      const { store: _, id: __, ...options } = this.options;
      const branch = new _Conversation({ ...options, ...window.copied(), originals: said.log.slice() }, this.internals);
      branch.recognition.sharePrints(this.recognition);
      (await branch.load()).window.countAs(window);
      return branch;
    });
  }
  /**
   * Takes the folds of a branch over, where the same was said in both.
   *
   * @returns whether it was.
   */
  join(branch) {
    return this.following(async () => {
      const { log } = (await this.load()).said;
      const [said, messages, ledger] = [await branch.originals(), await branch.messages(), await branch.ledger()];
      if (said.length !== log.length || this.recognition.common(said, log) !== said.length) return false;
      const known = this.start(messages, ledger);
      if (branch.known !== void 0) known.window.countAs(branch.known.window);
      known.window.changed(false);
      return this.keepLater(known);
    });
  }
  /**
   * Goes the way of a branch: what was said there is what was said, and its folds are the folds. What is left stays to be had, where there
   * is a store.
   *
   * @throws as {@link Conversation.window}.
   */
  async become(branch, { signal } = {}) {
    if (branch === this) return;
    const own = await branch.branch({ signal });
    await this.heeding(signal, () => this.onTop(async () => {
      const left = await this.load();
      const { said, window: theirs } = await own.load();
      this.keeping.leaveBehind(left.window);
      const { window } = this.start(theirs.messages(), theirs.ledger.copy(), said.log.slice());
      window.countAs(theirs);
      window.changed("records");
      this.keeping.seen();
      await this.keeping.write(window);
    })).finally(() => own.forget());
  }
  /** Whether a message of the window is the one with the rules, which nobody said. */
  isRules(message) {
    return this.recognition.rules.has(message);
  }
  // --- what is known ----------------------------------------------------------------------------------------------------
  async load() {
    if (this.known !== void 0) return this.known;
    const { keeping } = this;
    const { messages, ledger } = await keeping.load();
    if (keeping !== this.keeping) throw new PlicaError5("store-failed", "the store came back to a call that was aborted");
    return this.start(messages, ledger);
  }
  start(messages, ledger, originals = this.options.originals) {
    const window = new FoldingWindow(messages, ledger, this.options, this.internals.format, this.recognition);
    const said = new Said(window, this.recognition, originals);
    this.forget();
    this.recognition.knows(ledger);
    return this.known = { said, window };
  }
  /** What is in memory may not be what is stored any more. */
  forget() {
    this.known?.window.free();
    this.known = void 0;
  }
  // --- what is new ------------------------------------------------------------------------------------------------------
  /**
   * Finds out what is new among these messages, or how far they go back.
   *
   * @returns what is new; and what puts messages that were given in another object into a window: it is theirs that go out, since what changes
   * nothing of a message's meaning may have changed.
   */
  take({ said, window }, given, { usage, back = "begun" }) {
    if (said.length === 0) this.begin(said);
    const reading = this.accepted(readingOf(given, said, this.recognition), back, said);
    const { list, known, placeOf } = reading;
    if (reading.kind === "back") {
      this.recognition.printsOf(list.slice(known));
      this.keeping.leaveBehind(window);
      said.rewind(reading.kept);
    }
    const theirs = /* @__PURE__ */ new Map();
    for (let i = 0; i < known; i++) {
      const place = placeOf(i);
      if (place !== void 0 && said.log[place] !== list[i]) theirs.set(place, list[i]);
    }
    const came = list.slice(known);
    this.add({ said, window }, came, reading.kind === "on" && reading.counted ? usage : void 0, window.sent);
    this.keeping.seen();
    return {
      came,
      theirs: (messages) => {
        theirs.forEach((message, i) => {
          if (said.placeOf(i) >= 0) messages[said.placeOf(i)] = message;
        });
        return messages;
      }
    };
  }
  begin(said) {
    if (this.keeping.isUnseen) throw new PlicaError5("conflict", "another server has cleared the conversation: clear() begins anew, originals() has nothing any more");
    said.begin();
  }
  /** Refuses messages that the conversation does not go on with, or back with. */
  accepted(reading, back, { log }) {
    if (reading.kind === "on") return reading;
    if (reading.kind === "undone") {
      throw new PlicaError5("conflict", "these messages hold a summary whose fold was undone when the conversation went back: hand over what it stands for, or the window of now");
    }
    if (typeof back === "function" && back(log.slice(reading.kept), reading.kept, reading.list.slice(reading.known))) return reading;
    if (this.keeping.isUnseen) throw new PlicaError5("conflict", "another server has written to the conversation what is not among these messages: load it again");
    if (back === "anywhere" || back === "begun" && !reading.isOther) return reading;
    throw new Unknown(new PlicaError5("conflict", "these messages do not go on from what was said in this conversation: those of another need a conversation of their own"));
  }
  /** `counted`: how many messages the request held that the usage is of; what was not sent so was not counted. */
  add({ said, window }, messages, usage, counted) {
    const { at } = usage ?? {};
    const sent = said.pin() ? void 0 : typeof at === "number" ? at : counted;
    said.append(messages);
    window.count(usage, sent);
    said.pin();
  }
  /** All of these messages are in the conversation and the store, or none is: they may be handed over once more then. */
  async appended(messages, { usage, signal }) {
    const known = await this.load();
    refuseAborted(signal);
    if (this.isDone(known, messages)) return known;
    const { said, window } = known;
    said.pin();
    const { keeping, doubtful } = this;
    const before = { said: said.length, window: window.length, unkept: window.unkept };
    this.add(known, messages, usage, before.window);
    this.doubtful = { said: before.said, messages };
    try {
      await keeping.write(window);
    } catch (error) {
      if (keeping !== this.keeping) throw error;
      window.takeBack(before.window, before.unkept);
      said.takeBack(before.said);
      if (error instanceof Overtaken) this.doubtful = doubtful;
      throw error;
    }
    if (keeping === this.keeping) this.doubtful = void 0;
    return known;
  }
  /** Whether a write that seemed to fail was done: the answer of the database got lost. */
  isDone({ said: { log } }, messages) {
    const { doubtful } = this;
    if (doubtful === void 0 || log.length === doubtful.said) return false;
    this.doubtful = void 0;
    if (doubtful.messages.length !== messages.length || log.length !== doubtful.said + messages.length) return false;
    return [doubtful.messages, log.slice(doubtful.said)].every((list) => this.recognition.common(list, messages) === messages.length);
  }
  // --- the window -------------------------------------------------------------------------------------------------------
  /**
   * Folds when it is due.
   *
   * @param keep what is done with a fold; only one that counts is told of.
   */
  async fit({ said, window }, options, keep) {
    const made = await window.fit(options);
    if (made?.fold !== void 0) {
      said.place();
      this.recognition.knows(window.ledger);
    }
    const counts = await keep();
    if (made !== void 0 && (counts || made.fold === void 0)) heard(() => this.options.onCompaction?.(made));
  }
  /** The window, which is given out now. */
  sent({ said, window }) {
    window.sent = window.length;
    return said.messages();
  }
  saidIn({ said: { log } }, as) {
    const isAll = as.length === log.length && this.recognition.common(as, log) === as.length;
    return (isAll ? as : log).slice();
  }
  /** Keeps a fold, where what was said is kept already; where that fails the next write has it. */
  async keepFold({ window }) {
    try {
      await this.keeping.write(window);
    } catch (error) {
      if (error instanceof Overtaken) throw error;
    }
    return true;
  }
  /** The same, unless another server's fold was first: then that one counts, and this one does not. */
  async keepLater({ window }) {
    try {
      await this.keeping.write(window);
    } catch (error) {
      if (!(error instanceof Overtaken)) return true;
      this.forget();
      return false;
    }
    return true;
  }
  // --- one after the other ----------------------------------------------------------------------------------------------
  onTop(work) {
    const { keeping } = this;
    return keeping.onTop(work, () => {
      if (keeping === this.keeping) this.forget();
    });
  }
  /** What is there can be read while a summary is waited for: a summarizer may want to. */
  async reading(options, read) {
    const { signal } = notesOf(options);
    const work = async () => read(await this.load());
    return this.known?.window.isFolding === true ? work() : this.heeding(signal, work);
  }
  /** The same, with arguments that are seen to be some first. */
  async inTurn(messages, options, work) {
    refuseMessages(messages);
    const notes = notesOf(options);
    return this.heeding(notes.signal, () => work(notes));
  }
  async heeding(signal, work) {
    if (signal === void 0) return this.following(work);
    refuseAborted(signal);
    const abort = abortOf(signal);
    let isBegun = false;
    const next = this.following(() => {
      isBegun = true;
      refuseAborted(signal);
      return work();
    }, abort.heard);
    const ended = abort.heard.then(async () => {
      if (isBegun && this.known?.window.isFolding === true) await inTime(next);
      throw reasonOf(signal);
    });
    try {
      return await Promise.race([next, ended]);
    } catch (error) {
      throw error === void 0 && isAborted(signal) ? reasonOf(signal) : error;
    } finally {
      abort.unhear();
    }
  }
  following(work, aborted) {
    const next = this.last.then(work, work);
    const done = next.then(() => void 0, () => void 0);
    this.last = aborted === void 0 || this.options.store === void 0 ? done : Promise.race([done, this.givenUp(this.last, aborted, done)]);
    return next;
  }
  /** Done when a call that was aborted waits for a store that does not answer: what comes of it is nobody's any more. */
  async givenUp(before, aborted, done) {
    await before;
    await aborted;
    if (await inTime(done)) return;
    this.keeping.leave();
    this.keeping = this.keeping.anew();
    this.forget();
  }
};
async function inTime(work) {
  let timer;
  const over = new Promise((resolve) => {
    timer = setTimeout(() => resolve(false), GRACE);
    timer.unref?.();
  });
  const done = () => true;
  const answer = await Promise.race([work.then(done, done), over]);
  clearTimeout(timer);
  return answer;
}

// pkg/src/adapters/ai-sdk.ts
function foldSteps(options) {
  return new Folding(options);
}
var REPLACED = 8;
var OVER = "another run of this conversation began since, or it was cleared: begin anew with messages(); runs at one time need a run() each";
var Shared = class {
  constructor(options) {
    /** Whose run an array of steps is of. */
    this.owners = /* @__PURE__ */ new WeakMap();
    /** Last steps of runs that were recorded to their end. */
    this.recorded = /* @__PURE__ */ new WeakSet();
    /** Messages with rules that were put behind the system text: version 7 hands them over again. */
    this.placed = /* @__PURE__ */ new WeakSet();
    /** How often the conversation was cleared. */
    this.cleared = 0;
    this.conversation = new Conversation(options, { format: "ai-sdk" });
  }
};
var Run = class {
  /** `alone`: runs that follow each other, each of which may go back with the conversation. */
  constructor(shared, signal, alone) {
    this.shared = shared;
    this.alone = alone;
    /** Those of runs that it took the place of. */
    this.replaced = [];
    this.cleared = shared.cleared;
    this.prepareStep = this.preparing(signal);
    this.onStepFinish = (step) => this.done(step);
  }
  async record(run) {
    if (isArray(run)) {
      refuseMessages(run);
      return this.recordMessages(parted(run)[1]);
    }
    const steps = await run?.steps;
    if (!Array.isArray(steps)) throw new PlicaError6("bad-argument", "record needs what generateText gave, or messages");
    const [last, number] = [steps[steps.length - 1], this.current?.number];
    if (last === void 0 || this.shared.recorded.has(last)) return;
    this.refuseOther(steps);
    if (number === steps.length) return;
    if (number !== steps.length - 1 || !this.isOfSteps(steps)) throw new PlicaError6("bad-argument", "record needs the run that prepareStep was part of last");
    const { current } = this;
    await this.finished(last);
    this.shared.recorded.add(last);
    if (this.current === current) this.current = void 0;
  }
  preparing(signal) {
    refuseNoSignal(signal);
    return async (step) => await this.prepared(step, signal);
  }
  async recordMessages(messages) {
    this.refuseCleared();
    return this.shared.conversation.record(messages, { back: this.back(true) });
  }
  async prepared(step, signal) {
    const { conversation } = this.shared;
    if (!isArray(memberOf(step, "steps"))) throw new PlicaError6("bad-argument", "prepareStep needs what the AI SDK hands over: { messages, steps }");
    refuseMessages(step.messages);
    if (step.steps.length > 0) refuseNoStep(step.steps[step.steps.length - 1]);
    const [head, given] = parted(step.messages);
    this.refuseOther(step.steps);
    if (given.length === 0) return { messages: step.messages };
    const system = this.instructionsOf(step.instructions);
    const all = this.followed(given, step.steps.length);
    const beside = () => tokensOf(textsOf([...system, ...head]));
    const back = this.back(step.steps.length === 0);
    const usage = this.usageBefore(step);
    const giveUp = this.beginWith(step.steps);
    const { window, said } = await conversation.next(all, { back, signal, usage, beside }).catch((error) => {
      giveUp();
      throw error;
    });
    const [rules, handed] = withoutRules(window, conversation);
    const seven = step.initialMessages !== void 0;
    const before = seven ? 0 : step.steps[step.steps.length - 1]?.response.messages.length;
    this.refuseOther(step.steps);
    this.current = { number: step.steps.length, given, handed, said, before, counted: false };
    if (!seven) return { messages: [...head, ...rules, ...handed] };
    const messages = [...head, ...handed];
    return rules.length === 0 ? { messages } : { messages, instructions: this.withRules(step.instructions, system, rules) };
  }
  // --- whose run --------------------------------------------------------------------------------------------------------
  /**
   * Whether it may take the conversation back. In the midst of a run nobody edits, and a run of its own never goes back: what there is
   * beyond its messages another run has said, here or on another server.
   */
  back(isFirst) {
    return this.alone && isFirst ? "begun" : "never";
  }
  /** A run of its own ends when the conversation is cleared: its messages may be from before. */
  refuseCleared() {
    if (!this.alone && this.cleared !== this.shared.cleared) throw new PlicaError6("conflict", OVER);
  }
  /** Refuses steps that are known to be of another run than the one that is under way. */
  refuseOther(steps) {
    this.refuseCleared();
    const owner = this.shared.owners.get(steps);
    if (owner === void 0) return;
    if (owner !== this) throw new PlicaError6("bad-argument", "these are steps of another run: hand them to the run whose prepareStep it has");
    if (this.steps !== steps || this.cleared !== this.shared.cleared) throw new PlicaError6("conflict", OVER);
  }
  /**
   * The run with these steps is under way now. A new one takes the place of the one before: that was aborted, say.
   *
   * @returns leaves everything as it was: nothing came of it.
   */
  beginWith(steps) {
    const { steps: before, current, replaced, cleared } = this;
    if (before === steps) return () => void 0;
    if (before !== void 0 && (steps.length === 0 || !this.isOfSteps(steps))) {
      if (!this.isRecorded(before)) this.replaced = [...replaced, before].slice(-REPLACED);
      this.current = void 0;
    }
    this.steps = steps;
    if (this.alone) this.cleared = this.shared.cleared;
    this.shared.owners.set(steps, this);
    return () => {
      if (this.steps !== steps) return;
      Object.assign(this, { steps: before, current, replaced, cleared });
      this.shared.owners.delete(steps);
    };
  }
  isRecorded(steps) {
    const last = steps[steps.length - 1];
    return last !== void 0 && this.shared.recorded.has(last);
  }
  /** Whether these may be the steps of the run: a copy of the array has the same steps in it. */
  isOfSteps(steps) {
    const own = this.steps ?? [];
    return own === steps || own.every((step, i) => step === steps[i]);
  }
  // --- one step to the next ---------------------------------------------------------------------------------------------
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
  /** A step that the AI SDK tells of: where it streams, before it puts the step into the array of its run. */
  async done(step) {
    refuseNoStep(step);
    if (this.replaced.length === 0 || this.steps?.includes(step) === true) return this.finished(step);
    if (this.replaced.some((steps) => steps.includes(step))) throw new PlicaError6("conflict", OVER);
    setTimeout(() => {
      if (this.steps?.[this.current?.number ?? -1] === step) this.finished(step).catch(() => void 0);
    });
  }
  async finished(step) {
    refuseNoStep(step);
    const { current } = this;
    if (this.cleared !== this.shared.cleared) throw new PlicaError6("conflict", OVER);
    if (current === void 0) return;
    const { messages } = step.response;
    const before = current.before ?? (isTool(messages[0]) ? 1 : 0);
    const usage = current.counted ? void 0 : step.usage;
    current.counted = true;
    await this.shared.conversation.record([...current.said, ...messages.slice(before)], { back: "never", usage });
  }
  /** The system text of version 7 as messages, without rules of ours. */
  instructionsOf(given) {
    if (given === void 0 || given === null) return [];
    const list = typeof given === "string" ? [{ role: "system", content: given }] : Array.isArray(given) ? given : [given];
    return list.filter((message) => !this.shared.placed.has(message));
  }
  withRules(given, system, rules) {
    const all = [...system, ...rules];
    for (const message of rules) this.shared.placed.add(message);
    return Array.isArray(given) && given.length === all.length && all.every((message, i) => message === given[i]) ? given : all;
  }
};
var Folding = class {
  constructor(options) {
    this.shared = new Shared(options);
    this.conversation = this.shared.conversation;
    this.own = new Run(this.shared, void 0, true);
    this.prepareStep = this.own.prepareStep;
    this.onStepFinish = this.own.onStepFinish;
  }
  run(options = {}) {
    return new Run(this.shared, optionsIn(options).signal, false);
  }
  until(signal) {
    return this.own.preparing(signal);
  }
  record(run) {
    return this.own.record(run);
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
    this.shared.cleared++;
    return this.conversation.clear();
  }
};
function refuseNoStep(step) {
  const messages = memberOf(memberOf(step, "response"), "messages");
  if (!isArray(messages)) throw new PlicaError6("bad-argument", "a step must be one of the AI SDK's, with response.messages");
}
function isTool(message) {
  return memberOf(message, "role") === "tool";
}

// pkg/src/adapters/ai-sdk-prompts.ts
import { PlicaError as PlicaError7, SUMMARIZE_SYSTEM } from "plica";

// pkg/src/adapters/ai-sdk-ways.ts
import { fingerprints as fingerprints2 } from "plica";
var WAYS = 16;
var Ways = class {
  constructor(conversation) {
    this.isAsked = false;
    this.last = Promise.resolve();
    this.list = [{ conversation, shared: 0 }];
  }
  /** The conversation itself. */
  get main() {
    return this.list[0];
  }
  /** In the order in which a prompt is held against them. */
  inOrder() {
    const [main, ...others] = this.list;
    return [main, ...others.reverse()];
  }
  /** Whether nothing was asked in this process before: which ways there were in another one nobody knows. */
  asked() {
    const isFirst = !this.isAsked;
    this.isAsked = true;
    return isFirst;
  }
  /** The first call could not be made: the next one is the first. */
  unasked() {
    this.isAsked = false;
  }
  /** Notes that a way was used, a new one as well. One that nobody used for long goes where there are too many: first those that share little. */
  use(way) {
    if (way === this.main) return;
    const others = [...this.list.slice(1).filter((other) => other !== way), way];
    if (others.length > WAYS) {
      const least = Math.min(...others.slice(0, -1).map(({ shared }) => shared));
      others.splice(others.findIndex(({ shared }) => shared === least), 1);
    }
    this.list = [this.main, ...others];
  }
  /** A way becomes the conversation, with its folds; what that was is a way. One at a time. */
  become(way, signal) {
    const turn = this.last.then(() => this.becomes(way, signal));
    this.last = turn.catch(() => void 0);
    return unlessAborted(() => turn, signal);
  }
  async becomes(way, signal) {
    const { main } = this;
    if (way === main || !this.list.includes(way)) return;
    const left = await main.conversation.branch({ signal });
    try {
      await main.conversation.become(way.conversation, { signal });
    } catch (error) {
      if (hasCode(error, "conflict")) return;
      throw error;
    }
    [main.conversation, way.conversation] = [left, main.conversation];
    this.list = [way, ...this.list.filter((other) => other !== way && other !== main), main];
  }
};
function mayGoBack(last, isFirst, left, kept, instead) {
  if (last?.failed === true) return left.every((message) => !isAnswer(message) || kept > 0 && isCall(message));
  if (!isFirst) return false;
  const isUnanswered = !left.some(isAnswer);
  if (kept > 0 && isUnanswered) return true;
  return (kept > 0 || isUnanswered) && isGoneOnWith(instead) && requestsIn(instead) >= requestsIn(left) && !isCutOut(instead, left);
}
function isGoneOnWith(messages) {
  const answer = messages.findIndex(isAnswer);
  return answer >= 0 && requestsIn(messages.slice(answer)) > 0;
}
function isCutOut(instead, left) {
  const [first] = fingerprints2(instead.slice(0, 1), { format: "ai-sdk" });
  return fingerprints2(left, { format: "ai-sdk" }).includes(first);
}
function requestsIn(messages) {
  return messages.filter((message) => memberOf(message, "role") === "user").length;
}
function isAnswer(message) {
  return memberOf(message, "role") === "assistant";
}
function isCall(message) {
  const content = memberOf(message, "content");
  return isArray(content) && content.some((part) => memberOf(part, "type") === "tool-call");
}

// pkg/src/adapters/ai-sdk-prompts.ts
function foldPrompts(options) {
  return new Prompts(options);
}
var HELD = 100;
var Prompts = class {
  constructor(options) {
    this.specificationVersion = "v3";
    /** By id, the latest call's last. */
    this.all = /* @__PURE__ */ new Map();
    /** By the parameters that were made for them. */
    this.calls = /* @__PURE__ */ new WeakMap();
    /** Digests as providers take them. */
    this.listed = /* @__PURE__ */ new WeakMap();
    const { conversation, restore, held = HELD, ...making } = optionsIn(options);
    if (conversation !== void 0 && typeof conversation !== "function" && (typeof conversation !== "string" || conversation === "")) {
      throw new PlicaError7("bad-argument", "conversation must be an id, or a function that gives the id of a call");
    }
    if (making.store !== void 0 && restore !== void 0) throw new PlicaError7("bad-argument", "with a store, messages and ledger come from it");
    this.idOf = typeof conversation === "function" ? conversation : typeof conversation === "string" ? () => conversation : namedId;
    this.restore = restore;
    refuseNoFunction(restore, "restore");
    if (typeof held !== "number" || !(held >= 0)) throw new PlicaError7("bad-argument", "held must be a number of 0 or more");
    this.held = held;
    this.making = making;
    this.conversationOf("-");
    this.transformParams = (call) => this.folded(memberOf(call, "params"));
    this.wrapGenerate = async (call) => {
      refuseNoCall(call, "doGenerate");
      const { doGenerate, params } = call;
      const result = await this.made(params, doGenerate);
      this.count(params, memberOf(result, "usage"));
      return result;
    };
    this.wrapStream = async (call) => {
      refuseNoCall(call, "doStream");
      const { doStream, params } = call;
      const result = await this.made(params, doStream);
      if (typeof memberOf(memberOf(result, "stream"), "getReader") !== "function") throw new PlicaError7("bad-argument", "doStream must give { stream }, a ReadableStream");
      return { ...result, stream: this.followed(params, result.stream) };
    };
  }
  of(id) {
    const own = async () => (await this.waysOf(id)).main.conversation;
    return {
      messages: async () => (await own()).messages(),
      originals: async () => (await own()).originals(),
      ledger: async () => (await own()).ledger()
    };
  }
  async clear(id) {
    const { main } = await this.waysOf(id);
    await main.conversation.clear();
    this.all.delete(id);
  }
  async folded(params) {
    refuseMessages(memberOf(params, "prompt"), "prompt");
    const id = this.idOf(params);
    const [head, body] = parted(params.prompt);
    const call = withoutName(params);
    if (id === void 0 || id === null || body.length === 0 || isSummaryRequest(head)) return call;
    const { way, rules, rest } = await this.windowOf(id, params, head, body);
    const folded = { ...call, prompt: [...head, ...rules, ...rest.map((message) => this.asProvidersTakeIt(message))] };
    this.calls.set(folded, way.last = { failed: false });
    return folded;
  }
  /** The window of the way that the prompt goes on from. */
  async windowOf(id, params, head, body) {
    const ways = await this.waysOf(id);
    const { main } = ways;
    const isFirst = ways.asked();
    const { abortSignal: signal } = params;
    const beside = () => tokensOf([...textsOf(head), ...toolsText(params.tools)]);
    let [nearest, shared] = [main, 0];
    for (const way2 of ways.inOrder()) {
      const back = (left, kept, instead) => {
        if (kept > shared) [nearest, shared] = [way2, kept];
        return mayGoBack(way2.last, isFirst && way2 === main, left, kept, instead);
      };
      const sent2 = await sentOf(way2, body, { signal, beside, usage: way2.last?.usage, back }).catch((error) => {
        if (hasCode(error, "conflict")) return void 0;
        if (isFirst) ways.unasked();
        throw error;
      });
      if (sent2 === void 0) continue;
      ways.use(way2);
      if (way2 !== main && isGoneOnWith(sent2.came)) await ways.become(way2, signal);
      return sent2;
    }
    const way = { conversation: await nearest.conversation.branch({ signal }), shared };
    const sent = await sentOf(way, body, { signal, beside, back: "anywhere" });
    ways.use(way);
    return sent;
  }
  async waysOf(id) {
    if (typeof id !== "string" || id === "") throw new PlicaError7("bad-argument", "the id of a conversation must be a string that is not empty");
    return this.known(id);
  }
  known(id) {
    const held = this.all.get(id);
    const ways = held ?? this.began(id);
    this.all.delete(id);
    this.all.set(id, ways);
    if (held === void 0) ways.catch(() => this.all.get(id) === ways && this.all.delete(id));
    for (const oldest of this.all.keys()) {
      if (this.all.size <= Math.max(1, this.held)) break;
      this.all.delete(oldest);
    }
    return ways;
  }
  async began(id) {
    return new Ways(this.conversationOf(id, await this.restore?.(id)));
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
  /** A call that fails leaves a run that is not gone on with. */
  async made(params, make) {
    try {
      return await make();
    } catch (error) {
      this.fail(params);
      throw error;
    }
  }
  fail(params) {
    const call = this.calls.get(params);
    if (call !== void 0) call.failed = true;
  }
  count(params, usage) {
    const call = this.calls.get(params);
    if (call !== void 0) call.usage = usage;
  }
  /** The stream as it is. One that ends before its finish, is stopped or has an error in it is a call that failed. */
  followed(params, stream) {
    const reader = stream.getReader();
    let isWhole = false;
    const ended = () => {
      if (!isWhole) this.fail(params);
    };
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await reader.read().catch((error) => {
          ended();
          throw error;
        });
        if (!done) {
          const part = value;
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
      }
    });
  }
};
function refuseNoCall(call, name) {
  if (typeof memberOf(call, name) !== "function") throw new PlicaError7("bad-argument", `a call of the AI SDK has ${name}`);
}
function namedId({ providerOptions }) {
  return providerOptions?.plica?.conversation;
}
function withoutName(params) {
  if (params.providerOptions?.plica === void 0) return params;
  const { plica: _, ...providerOptions } = params.providerOptions;
  return { ...params, providerOptions };
}
async function sentOf(way, body, options) {
  const { conversation } = way;
  const { window, came } = await conversation.next(body, options);
  const [rules, rest] = withoutRules(window, conversation);
  return { way, rules, rest, came };
}
function isSummaryRequest(head) {
  return head.length > 0 && contentOf(head[0]).startsWith(SUMMARIZE_SYSTEM);
}

// pkg/src/adapters/ai-sdk-summary.ts
import { PlicaError as PlicaError8 } from "plica";
function summarizeWith(options) {
  const { generateText, model, settings } = optionsIn(options);
  if (typeof generateText !== "function") throw new PlicaError8("bad-argument", "summarizeWith needs { generateText, model }, the function of the AI SDK");
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
