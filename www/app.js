// The page: opens a file, plans as the budget moves, and shows what comes of it.

import { ask, latest } from "./client.js";
import { MessageList } from "./list.js";
import { showFacts, showLists, showNumbers } from "./panel.js";
import { Strip } from "./strip.js";
import { count, counted, fill, make, plain } from "./text.js";

/**
 * @typedef {{ name: string, inspection: any, size: number, lines: import("./view.js").Line[], tokens: Uint32Array }} Opened
 * @typedef {{ tailBudget: number, keepTurns: number, anchorTask: boolean, anchorRequest: boolean }} Settings
 */

const FATES = ["prefix", "kept", "folded", "cleared", "tail"];
const NOTHING = {
  "nothing-to-fold": "Nothing folds: nothing before the tail could.",
  "only-existing-summary": "Nothing folds: only an earlier digest stands before the tail.",
  "no-legal-cut": "Nothing folds: every cut would tear a call from its result.",
  "pending-call": "Nothing folds: a call still waits for its result.",
};
const EXAMPLE = "garden-planner.jsonl";

/** @template {HTMLElement} [E=HTMLElement] @param {string} id */
const byId = (id) => /** @type {E} */ (document.getElementById(id));
/** @param {string} id */
const input = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** @type {Opened | undefined} */
let opened;
/** What became of the messages under the plan that is shown. */
let shown = { fateOf: (/** @type {number} */ _) => "tail", reasonOf: (/** @type {number} */ _) => "", cut: /** @type {number | undefined} */ (undefined) };

const band = byId("band");
const strip = new Strip(/** @type {HTMLCanvasElement} */ (byId("strip")), byId("tip"), { describe, pick: (index) => list.reveal(index) });
const list = new MessageList(byId("rows"), () => Math.max(0, band.getBoundingClientRect().bottom), (first, last) => strip.mark(first, last));

// Files

/** @param {Blob} blob @param {string} name */
async function open(blob, name) {
  document.body.setAttribute("aria-busy", "true");
  warn("");
  say(`Reading ${plain(name)}`);
  try {
    opened = { name, ...(await ask("open", blob)) };
    showOpened();
  } catch (error) {
    warn(`${name} could not be opened: ${said(error)}`);
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

async function openExample() {
  try {
    const answer = await fetch(new URL(`./examples/${EXAMPLE}`, import.meta.url));
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    await open(await answer.blob(), EXAMPLE);
  } catch (error) {
    warn(`The example could not be opened: ${said(error)}`);
  }
}

/** @param {unknown} error */
const said = (error) => (error instanceof Error ? error.message : String(error));

function showOpened() {
  const { name, inspection, size, lines, tokens } = /** @type {Opened} */ (opened);
  byId("start").hidden = true;
  byId("work").hidden = false;
  byId("file").hidden = false;
  fill(byId("file-name"), name.slice(0, 120), 5);
  byId("file-facts").textContent = `${inspection.kind}, ${counted(inspection.messages, "message")}, ${count(size)} bytes`;
  document.title = `${plain(name.slice(0, 120))} – plica`;
  showFacts(byId("facts"), inspection);
  showLists(byId("lists"), inspection);
  setRange(inspection.tokens);
  scrollTo({ top: 0, behavior: "instant" });
  list.show({ lines, tokens });
  replan(settings());
}

// The plan

/** A third of the tokens, in round steps. @param {number} total */
function setRange(total) {
  const step = Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, total) / 100)));
  const most = Math.ceil(total / step) * step;
  const slider = input("slider");
  Object.assign(slider, { max: String(most), step: String(step) });
  setBudget(Math.round(total / 3 / step) * step);
}

/** @param {number} budget */
function setBudget(budget) {
  input("budget").value = String(budget);
  moveSlider(budget);
}

/** @param {number} budget */
function moveSlider(budget) {
  const slider = input("slider");
  slider.value = String(budget);
  slider.setAttribute("aria-valuetext", counted(budget, "token"));
}

/** @param {string} id */
const wholeNumber = (id) => Math.max(0, Math.floor(Number(input(id).value) || 0));

/** @returns {Settings} */
function settings() {
  return { tailBudget: wholeNumber("budget"), keepTurns: wholeNumber("keep-turns"), anchorTask: input("anchor-task").checked, anchorRequest: input("anchor-request").checked };
}

const replan = latest(async (/** @type {Settings} */ wanted) => {
  const file = opened;
  byId("result").textContent = "";
  try {
    const plan = await ask("plan", wanted);
    if (file !== opened) return;
    showPlan(plan);
    redigest({ wanted, plan });
  } catch (error) {
    warn(`No plan: ${said(error)}`);
  }
});

/** The digest follows when the budget rests: it costs more than the plan. */
const redigest = settled(latest(async (/** @type {{ wanted: Settings, plan: any }} */ { wanted, plan }) => {
  const file = opened;
  try {
    const digest = await ask("digest", wanted);
    if (file === opened && JSON.stringify(wanted) === JSON.stringify(settings())) showDigest(plan, digest);
  } catch (error) {
    warn(`No digest: ${said(error)}`);
  }
}));

/** Waits until calls have stopped coming. @template A @param {(arg: A) => void} fn @returns {(arg: A) => void} */
function settled(fn) {
  let timer = 0;
  return (arg) => {
    clearTimeout(timer);
    timer = setTimeout(() => fn(arg), 60);
  };
}

/** @param {any} plan */
function showPlan(plan) {
  const { tokens } = /** @type {Opened} */ (opened);
  const none = plan.kind === "none";
  const nothing = none ? NOTHING[/** @type {keyof typeof NOTHING} */ (plan.reason)] ?? plan.reason : "";
  shown = none
    ? { fateOf: () => "tail", reasonOf: () => nothing, cut: undefined }
    : { fateOf: (i) => plan.fates[i], reasonOf: (i) => plan.reasons[plan.reasonOf[i]], cut: plan.keptFrom };
  const note = none ? nothing : plan.overBudget ? "No legal cut fits this budget: what you see is the smallest tail that can be kept." : "";
  byId("note").textContent = note;
  byId("note").hidden = note === "";
  list.paint({ ...shown, cut: shown.cut ?? 0, digest: none ? "" : "digest" });
  strip.show({ tokens, ...shown });
  showNumbers(byId("fates"), fateLines(none, undefined));
  showHeadline(none ? plan.total : plan.measure.total, none ? plan.total : undefined);
  for (const id of ["save-conversation", "save-ledger", "check"]) input(id).disabled = none;
}

/** @param {boolean} none @param {number | undefined} digestTokens */
function fateLines(none, digestTokens) {
  const { tokens } = /** @type {Opened} */ (opened);
  const sums = new Map(FATES.map((fate) => [fate, { fate, messages: 0, tokens: 0 }]));
  tokens.forEach((t, i) => {
    const sum = sums.get(shown.fateOf(i));
    if (sum) Object.assign(sum, { messages: sum.messages + 1, tokens: sum.tokens + t });
  });
  const lines = [...sums.values()].filter(({ fate, messages }) => fate !== "cleared" || messages > 0);
  return none ? lines : [...lines, { fate: "digest", name: "+ digest", messages: 1, tokens: digestTokens }];
}

/** @param {number} before @param {number | undefined} after */
function showHeadline(before, after) {
  byId("before").textContent = count(before);
  byId("after").textContent = after === undefined ? "…" : count(after);
  byId("saved").textContent = after === undefined || before === 0 ? "" : change(before, after);
}

/** @param {number} before @param {number} after */
function change(before, after) {
  const percent = Math.round((1 - after / before) * 100);
  return percent >= 0 ? `−${percent}\u202f%` : `+${-percent}\u202f%`;
}

/** @param {any} plan @param {{ text: string, tokens: number } | null} digest */
function showDigest(plan, digest) {
  const text = byId("digest");
  text.hidden = digest === null;
  if (digest === null) {
    byId("digest-about").textContent = "No digest: nothing folds.";
    return say(`Nothing folds. ${counted(plan.total, "token")}.`);
  }
  const { total, prefix, kept, tail, foldedMessages } = plan.measure;
  const after = prefix + kept + tail + digest.tokens;
  byId("digest-about").textContent = `Written without a model. It takes the place of ${counted(foldedMessages, "message")}, for ${counted(digest.tokens, "token")}.`;
  fill(text, digest.text);
  list.paint({ ...shown, cut: shown.cut ?? 0, digest: `digest, ${counted(digest.tokens, "token")}` });
  showNumbers(byId("fates"), fateLines(false, digest.tokens));
  showHeadline(total, after);
  byId("strip").setAttribute("aria-label", `Tokens by message: ${fateLines(false, digest.tokens).map(({ fate, tokens }) => `${fate} ${tokens}`).join(", ")}`);
  say(`${counted(foldedMessages, "message")} folded. ${count(total)} tokens become ${count(after)}.`);
}

/** What the strip says of a message. @param {number} index */
function describe(index) {
  const { tokens, lines } = /** @type {Opened} */ (opened);
  return `${count(index + 1)}  ${plain(lines[index]?.role ?? "")}  ${counted(tokens[index] ?? 0, "token")}  ${shown.fateOf(index)}`;
}

// The fold

/** @param {"conversation" | "ledger"} what */
async function save(what) {
  const folded = await working("fold");
  if (folded === undefined) return;
  if (folded[what] === null) return tell(`Nothing was folded${folded.report.reason === "no-gain" ? ": the digest would cost more than it frees" : ""}.`);
  const name = (opened?.name ?? "session").replace(/\.[^.]*$/, "");
  download(folded[what], `${name}.${what === "ledger" ? "ledger" : "folded"}.json`);
  tell(`Saved: ${counted(folded.report.messagesAfter, "message")}, ${counted(folded.report.tokensAfter, "token")}.`);
}

async function check() {
  const answer = await working("check");
  if (answer === undefined) return;
  if (!answer.folded) return tell("Nothing was folded, so there is nothing to unfold.");
  if (!answer.same) return tell("What came back is not the file. Please report this.", "bad");
  tell(`It unfolds exactly: ${count(answer.size)} bytes, ${counted(answer.messages, "message")}, none changed.`, "good");
}

/** Runs an operation for the settings of now; undefined when it failed or they have changed since. @param {string} name @returns {Promise<any>} */
async function working(name) {
  const now = settings();
  const file = opened;
  const same = () => file === opened && JSON.stringify(now) === JSON.stringify(settings());
  tell("Folding…");
  try {
    const answer = await ask(name, now);
    return same() ? answer : undefined;
  } catch (error) {
    if (same()) tell(`That failed: ${said(error)}`, "bad");
    return undefined;
  }
}

/** @param {string} text @param {string} name */
function download(text, name) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {string} text @param {string} [mood] */
function tell(text, mood = "") {
  const result = byId("result");
  result.dataset.mood = mood;
  fill(result, text);
}

/** @param {string} text */
function say(text) {
  byId("said").textContent = text;
}

/** @param {string} text */
function warn(text) {
  const alert = byId("alert");
  fill(alert, text.slice(0, 1_000), 20);
  alert.hidden = text === "";
}

// What the user does

function listen() {
  byId("open").addEventListener("click", () => input("picker").click());
  byId("drop").addEventListener("click", () => input("picker").click());
  byId("example").addEventListener("click", () => void openExample());
  input("picker").addEventListener("change", () => {
    const file = input("picker").files?.[0];
    input("picker").value = "";
    if (file) void open(file, file.name);
  });
  input("slider").addEventListener("input", () => {
    setBudget(Number(input("slider").value));
    replan(settings());
  });
  input("budget").addEventListener("input", () => {
    moveSlider(wholeNumber("budget"));
    replan(settings());
  });
  for (const id of ["anchor-task", "anchor-request", "keep-turns"]) byId(id).addEventListener("input", () => replan(settings()));
  byId("save-conversation").addEventListener("click", () => void save("conversation"));
  byId("save-ledger").addEventListener("click", () => void save("ledger"));
  byId("check").addEventListener("click", () => void check());
}

function listenForDrops() {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dragging");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    const file = event.dataTransfer?.files[0];
    if (file) void open(file, file.name);
  });
}

listen();
listenForDrops();
