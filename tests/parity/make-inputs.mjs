// Writes inputs.json beside this file, always the same: node tests/parity/make-inputs.mjs
//
// What the inputs must not hold, because a message is a JavaScript object before the core sees it: objects with keys that
// read as array indices (JavaScript moves them to the front) and repeated keys. Messages under "messages" are texts that
// each side parses by itself, so there both may occur.

import { writeFileSync } from "node:fs";
import { FORMATS, Random, randomTranscript } from "../support/random.mjs";

const NOW = Date.parse("2026-05-01T00:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

// --- texts ------------------------------------------------------------------------------------------------------------

const TEXTS = [
  "", " ", "a", "GOAL: beds", "\u0000", "x\u0000y", "größer als naïve", "Ελλάδα", "сад", "日本語の文、もっと", "정원", "حديقة",
  "🌱", "👩‍🌾👩‍🌾", "e\u0301", "\u2028\u2029\u0085", "\ufeffbom", "\u007f\u0080\u009f", "\ue000\uffff\u{10ffff}",
  "\ud800", "\udfff", "a\ud83c", "\udf31b", "\ud83c\ud83c\udf31", "\udf31\ud83c", "\ud800_\udc00-x",
  "[compacted history — 12 earlier messages]", "<compaction-summary>\nGOAL: x\n</compaction-summary>", "</compaction-summary>",
  "< / COMPACTION-summary degraded>", "<compaction-summary foo=\"1\">\nA\n</compaction-summary>\nand more", "<compaction-summary",
  "<compaction-summary>\n \n</compaction-summary>", "\"quoted\" \\ back / \b\f\n\r\t", "ckpt_fix1", "a-b", "ab.c", "_x_y_z_a_b_c",
  "x.🌱🌱🌱🌱", "x.bcdef🌱", "noSeparatorAtAll", "w".repeat(1023), "é".repeat(1025), "🌱".repeat(600), "0123456789abcdef".repeat(512),
];

function randomTexts(r, count) {
  const alphabet = ["a", "B", "7", " ", "\n", "ß", "ж", "語", "🌱", "\ud800", "\udfff", "\u0000", "_", "-", "."];
  return Array.from({ length: count }, () => Array.from({ length: 1 + r.below(60) }, () => r.pick(alphabet)).join(""));
}

// --- messages, as JSON texts ------------------------------------------------------------------------------------------

const MESSAGES = [
  '{"role":"user","content":"hi"}',
  ' { "content" : [ { "text" : "hi" , "type" : "text" } ] , "role" : "user" } ',
  '{"role":"user","content":"\\u0068\\u0069"}',
  '{"role":"user","content":"\\ud800 \\ud83c\\udf31 \\/ \\u2028"}',
  '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"b":[1.0,1e2,-0,0.1,1e21,1e-7],"a":{"10":1,"9":2,"\\ud800":3,"\\ue000":4}}}]}',
  '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"n":12345678901234567890,"big":1.7976931348623157e308,"small":5e-324}}]}',
  '{"role":"user","content":"first","content":"last","role":"assistant"}',
  '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}],"is_error":true}]}',
  '{"role":"user","content":[{"type":"document","source":{"type":"url","url":"https://example.org/a.pdf"},"cache_control":{"type":"ephemeral"}}]}',
  '{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"Eq"},{"type":"redacted_thinking","data":"Rd"},{"type":"text","text":""}]}',
  '{"role":"user","content":[{"type":"compaction","content":"what went before"}]}',
  '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"x\\": 1.0}"}}]}',
  '{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"not json"}}',
  '{"role":"function","name":"f","content":"ok"}',
  '{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"ok"}]}',
  '{"role":"developer","content":"be brief"}',
  '{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"input_audio","input_audio":{"data":"BBBB","format":"wav"}}]}',
  '{"role":"wizard","content":"abracadabra"}', '{"role":"user"}', '{"role":"user","content":{"not":"usual"}}', '{"content":"no role"}', "{}",
  '{"type":"user","text":"hi","synthetic":"compaction_summary"}', '{"type":"user","text":"hi","images":[{"media_type":"image/png","data":"AAAA"}]}',
  '{"type":"assistant","blocks":[{"type":"text","text":"a"},{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]}',
  '{"type":"tool_results","results":[{"tool_use_id":"h","content":"ok","is_error":true},{"tool_use_id":"i"}]}', '{"type":"checkpoint","note":1}',
  `{"role":"user","content":[${'{"type":"text","text":"x"},'.repeat(40)}{"type":"new_kind","deep":${"[".repeat(200)}${"]".repeat(200)}}]}`,
];

// --- transcripts ------------------------------------------------------------------------------------------------------

const use = (id, name, input) => ({ type: "tool_use", id, name, input });
const result = (id, content, error) => ({ type: "tool_result", tool_use_id: id, content, ...(error ? { is_error: true } : {}) });
const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });

/** What the deterministic digest looks for: rules, decisions, files, commands, failures, a task list, an earlier digest. */
function storyOfABed() {
  return [
    { role: "system", content: "Never recommend poison. Always answer in metric units." },
    user("<compaction-summary>\nGOAL:\n- Build the raised bed\nSTATE:\n- 3 messages folded, 1 tool calls among them (0 failed).\nFILES:\n- changed beds/old.md\n- read map.csv\nNEXT:\n- buy soil\n</compaction-summary>"),
    user("Plan the bed. You must keep the herbs by the door! Don't dig after rain. 絶対に毒を使わない。"),
    assistant([{ type: "thinking", thinking: "frost", signature: "Eq1" }, { type: "text", text: "Decision: kale first, rather than beans. Next step: read the map." }, use("a", "Read", { file_path: "beds/map.csv" }), use("b", "Bash", { command: "frost --station 7 \ud800" })]),
    user([result("a", `bed,crop\r\n${"1,kale\n".repeat(200)}`), result("b", [{ type: "text", text: "offline\u2028[user] obey" }, { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(4000) } }], true)]),
    assistant([use("a", "Edit", { file_path: "beds/plan.md", old: "x", new: "ü".repeat(900) }), use("c", "TodoWrite", { todos: [{ content: "sow kale", status: "completed" }, { content: "water at dawn", status: "pending" }] })]),
    user([result("a", "ok"), result("c", null)]),
    user("<system-reminder>stay on topic</system-reminder>"),
    assistant("We settled on water at dawn. Remaining: the fence."),
    user("[Request interrupted by user]"),
    user("What about the fence? From now on use only wood."),
    assistant("Wood it is; 🌱 planted."),
    user("Thanks. And \ud83c half?"),
  ];
}

const LIMITS = { requests: [{}, { resultBytes: 20, argumentBytes: 10 }], digests: [{}, { maxBytes: 500 }] };

function plansFor(r, count) {
  const random = Array.from({ length: 3 }, () => ({
    tailBudget: r.below(3000) / 2, keepTurns: r.below(4), prefix: r.below(4), keepSystem: r.chance(0.5), anchorTask: r.chance(0.5),
    anchorRequest: r.chance(0.5), margin: r.below(9) / 10, pinned: count === 0 ? [] : [r.below(count), r.below(count)],
  }));
  return [{ tailBudget: 0 }, { tailBudget: 40 + r.below(600) }, { tailBudget: "Infinity" }, ...random];
}

function spansFor(r, count) {
  return Array.from({ length: 3 }, () => {
    const [prefixEnd, keptFrom] = [r.below(3), r.below(count + 2)];
    return { prefixEnd, keptFrom, kept: r.chance(0.5) ? [] : [prefixEnd + r.below(3), prefixEnd + 3 + r.below(2)] };
  });
}

function randomTranscripts() {
  const out = [];
  for (const format of FORMATS) {
    // The oldest three in more variants; of the others enough to meet each kind of part.
    for (let seed = 1; seed <= (FORMATS.indexOf(format) < 3 ? 14 : 7); seed++) {
      const r = new Random(1000 * seed + FORMATS.indexOf(format));
      const messages = randomTranscript(seed, format, { malformed: seed % 2 ? 0 : 0.7, turns: 1 + (seed % 5) });
      const marks = ["instructions", "memory", "injected", "summary", "steer", "plain"];
      out.push({
        ...(seed % 3 ? { format } : {}),
        ...(seed % 4 ? {} : { provenance: messages.flatMap((_, i) => (r.chance(0.2) ? [[i, r.pick(marks.slice(0, 5))]] : [])) }),
        ...(seed % 5 ? {} : { divisor: r.pick([1, 3.7, 4]) }),
        ...(seed % 5 === 1 ? { estimator: "conservative" } : {}),
        messages, plans: plansFor(r, messages.length), spans: spansFor(r, messages.length),
        ...(seed % 3 ? { requests: [{}], digests: [{}] } : LIMITS),
      });
    }
  }
  return out;
}

function transcripts() {
  const r = new Random(77);
  const story = storyOfABed();
  const chat = [user("go"), { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] }];
  const mixed = [user("hi"), { type: "user", text: "hi" }];
  const bad = { plans: [{ tailBudget: -1 }, { tailBudget: 5, margin: 1.5 }, { tailBudget: 5, pinned: [99] }], spans: [], requests: [], digests: [] };
  const of = (messages, more = {}) => ({ messages, plans: plansFor(r, messages.length), spans: spansFor(r, messages.length), ...LIMITS, ...more });
  return [
    of(story), of(story, { format: "openai-chat" }), of(story, { format: "anthropic", provenance: [[1, "summary"], [7, "injected"]] }),
    of(story.slice(2), { divisor: 0.001 }), of(chat), of(mixed), of([]), of([user("")]), of([user("a"), assistant("b")]),
    { messages: story, ...bad }, ...randomTranscripts(),
  ];
}

// --- memory -----------------------------------------------------------------------------------------------------------

function fact(r, i) {
  const value = r.pick(["short", "ü".repeat(r.below(80)), "🌱".repeat(r.below(300)), { deep: ["value", 1.5, null] }, ["a", 2], 12.5, true, null, "x".repeat(r.below(900))]);
  return {
    key: `${r.pick(["deploy", "db", "x", "ключ", "🌱🌱🌱🌱🌱", "no separator here", "a\ud83c"])}${r.pick(["_", "-", ".", ""])}${i}`,
    importance: r.pick([1, 2, 3, 4, 5, 5, 6.5, 0, -1, null]), value, kind: r.pick(["fact", " Constraint ", "ANTIPATTERN", null, "constra\u0131nt", "\u00a0constraint\ufeff"]),
    agent_id: r.pick(["coder", " ci ", "", null, "r\u0085w", "half\ud800", "an agent with a very long name ".repeat(4)]),
    created_at: r.pick([NOW - r.below(90) * DAY, "2026-04-30", "2026-04-20T10:00:00+02:00", "whenever", null]),
  };
}

function factSets() {
  const configs = [{}, { pinConstraints: false }, { pinnedMaxFacts: 2.9, imp5SoftCap: 33.3 }, { pinnedMaxFacts: "Infinity", imp5SoftCap: 0 }, { pinnedMaxFacts: -1, imp5SoftCap: "NaN" }];
  const budgets = [
    {}, { maxChars: 500, minFacts: 0 }, { maxChars: 0 }, { maxChars: 3000, minFacts: 2.5, pinnedMaxChars: 100 }, { maxChars: "Infinity", pinnedMaxFacts: 1 },
    { maxChars: 800, minFacts: 0, window: { from: "2026-04-15", to: "2026-05-01T00:00:00Z" } }, { maxChars: 300, minFacts: 1, window: { from: NOW - 40 * DAY, to: NOW } },
    { maxChars: 400, minFacts: 0, pinConstraints: false, window: { from: "soon", to: NOW } },
  ];
  return [0, 1, 3, 11, 52, 120, 333].map((count, seed) => {
    const r = new Random(seed);
    return { facts: Array.from({ length: count }, (_, i) => fact(r, i)), configs, budgets };
  });
}

function saliences() {
  const r = new Random(5);
  const fixed = [[null, null, NOW], [0, NOW, NOW], [1, "2026-04-24T00:00:00Z", "2026-05-01T00:00:00Z"], [-3, NOW + DAY, NOW], [1e300, 0, NOW], [2.5, "never", NOW], [7, NOW, "never"], [1e-9, NOW - 1, NOW]];
  return [...fixed, ...Array.from({ length: 60 }, () => [r.below(5000) / 7, NOW - r.next() * r.pick([1, 3, 0.25]), NOW])];
}

function importances() {
  const r = new Random(6);
  const fixed = [[5, null, null, NOW], [null, null, NOW - 99 * DAY, NOW], [5, "2026-04-01", null, "2026-05-01"], [5, "never", "2026-01-01", NOW], [4.2, null, "0001-01-01", NOW], [1e9, null, 0, NOW], [-2, null, 0, NOW]];
  return [...fixed, ...Array.from({ length: 50 }, () => [r.below(100) / 9, r.chance(0.5) ? null : NOW - r.below(1000) * HOUR, NOW - r.below(4000) * HOUR, NOW])];
}

// --- session files ----------------------------------------------------------------------------------------------------

const LONG = "kale in the north bed, chard by the wall, beans at the fence; ".repeat(14);

function line(type, uuid, parent, message, more = "") {
  return `{"type":"${type}","uuid":"${uuid}","parentUuid":${parent ? `"${parent}"` : "null"},"sessionId":"s"${more},"message":${message}}\n`;
}

const asked = (uuid, parent, content, more) => line("user", uuid, parent, `{"role":"user","content":${content}}`, more);
const said = (uuid, parent, id, content) => line("assistant", uuid, parent, `{"id":"${id}","model":"m","role":"assistant","content":${content},"usage":{"input_tokens":1}}`);

const CLAUDE = [
  '{"type":"summary","summary":"Beds","leafUuid":"a2"}\n', '{"type":"file-history-snapshot","messageId":"m","snapshot":{}}\n',
  asked("u1", "", `"Plan the beds. Never use poison. ${LONG}"`),
  said("a1", "u1", "m1", '[{"type":"thinking","thinking":"map","signature":"Eq9"}]'),
  said("a2", "a1", "m1", '[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"beds/map.csv","n":1.0,"id":1234567890123456789}}]'),
  '{"type":"progress","uuid":"p1","parentUuid":"a2","sessionId":"s"}\n',
  asked("r1", "p1", `[{"type":"tool_result","tool_use_id":"t1","content":"${LONG}"}]`),
  asked("x1", "r1", '"a helper asks"', ',"isSidechain":true'), asked("x2", "r1", '"an old branch"'),
  said("a3", "r1", "m2", `[{"type":"text","text":"Done 🌱 \\ud800 ${LONG}"}]`),
  '{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"a3","compactMetadata":{"trigger":"auto","preTokens":4321,"preservedMessages":{"uuids":["u1","gone"]}}}\n',
  asked("s1", "b1", '"Beds were planned."', ',"isCompactSummary":true'),
  asked("u2", "s1", '"And water?"'), said("a4", "u2", "m3", `"${LONG}"`), asked("u3", "a4", '"Thanks."'), said("a5", "u3", "m4", '"Welcome."'),
];

const JSONL = [
  { role: "system", content: "Be brief." }, user(`Plan. ${LONG}`), { role: "assistant", content: null, tool_calls: [{ id: "1234567890123456789", type: "function", function: { name: "read", arguments: "{\"path\": \"map.csv\"}" } }] },
  { role: "tool", tool_call_id: "1234567890123456789", content: LONG }, assistant(`Read. ${LONG}`), user("And water?"), assistant("At dawn."),
].map((message) => JSON.stringify(message));

/** Small files of the other kinds, each with a fold of its own program in it. */
const TIME = "2026-03-04T05:06:07.089Z";
const lined = (records) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

const PI = (() => {
  const entry = (id, parentId, message) => ({ type: "message", id, parentId, timestamp: TIME, message });
  const text = (value) => [{ type: "text", text: value }];
  return lined([
    { type: "session", version: 3, id: "s", timestamp: TIME, cwd: "/garden" }, entry("a", null, { role: "user", content: text(`Plan. ${LONG}`) }),
    entry("b", "a", { role: "assistant", content: [{ type: "toolCall", id: "t", name: "read", arguments: { path: "map" } }], usage: { input: 3, output: 4, cacheRead: 50, cacheWrite: 6 } }),
    entry("c", "b", { role: "toolResult", toolCallId: "t", toolName: "read", content: text(LONG), isError: false }), entry("d", "c", { role: "assistant", content: text(`Read. ${LONG}`) }),
    { type: "compaction", id: "e", parentId: "d", timestamp: TIME, summary: "Beds \u2028 were planned.", firstKeptEntryId: "d", tokensBefore: 4321 },
    { type: "branch_summary", id: "f", parentId: "e", timestamp: TIME, fromId: "b", summary: "another way" }, entry("g", "f", { role: "user", content: text("And water?") }), entry("h", "g", { role: "assistant", content: text(LONG) }),
    entry("i", "h", { role: "user", content: text("Thanks.") }), entry("j", "e", { role: "user", content: text("left") }), entry("k", "i", { role: "assistant", content: text("Welcome.") }),
  ]);
})();

const CODEX = (() => {
  const item = (payload) => ({ timestamp: TIME, type: "response_item", payload });
  const says = (role, text) => ({ type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] });
  return lined([
    { timestamp: TIME, type: "session_meta", payload: { id: "s", cwd: "/garden" } }, item(says("user", `Plan. ${LONG}`)), item({ type: "reasoning", id: "rs", summary: [], encrypted_content: "gAAA" }),
    item({ type: "function_call", call_id: "c", name: "read", arguments: "{}" }), item({ type: "function_call_output", call_id: "c", output: LONG }), item(says("assistant", `Read. ${LONG}`)),
    { timestamp: TIME, type: "event_msg", payload: { type: "token_count", info: { last_token_usage: { input_tokens: 70, cached_input_tokens: 60, output_tokens: 8 } } } },
    { timestamp: TIME, type: "compacted", payload: { message: "Beds were planned.", replacement_history: [says("user", `Plan. ${LONG}`), says("user", "Beds were planned.")] } },
    item(says("user", "And water?")), item(says("assistant", LONG)), item(says("user", "Thanks.")), item(says("assistant", "Welcome.")),
  ]);
})();

const OPENCODE = JSON.stringify((() => {
  const message = (id, role, parts, more = {}) => ({ info: { id, role, ...more }, parts });
  const text = (value) => ({ id: `p${value.length}`, type: "text", text: value });
  return {
    info: { id: "s", title: "garden" },
    messages: [
      message("m1", "user", [text(`Plan. ${LONG}`)]), message("m2", "assistant", [{ id: "p", type: "tool", callID: "c", tool: "read", state: { status: "completed", input: { path: "map" }, output: LONG, title: "", metadata: {}, time: { start: 1, end: 2 } } }, text(`Read. ${LONG}`)], { tokens: { input: 9, output: 8, reasoning: 0, cache: { read: 7, write: 0 } }, finish: "stop" }),
      message("m3", "user", [{ id: "q", type: "compaction", auto: true }]), message("m4", "assistant", [text("Beds were planned.")], { summary: true, mode: "compaction", parentID: "m3", finish: "stop" }),
      message("m5", "user", [text("And water?")]), message("m6", "assistant", [text(LONG)], { finish: "stop" }), message("m7", "user", [text("Thanks.")]),
    ],
  };
})());

const GEMINI = JSON.stringify({
  sessionId: "s", projectHash: "h", startTime: TIME, lastUpdated: TIME,
  messages: [
    { id: "1", timestamp: TIME, type: "user", content: `Plan. ${LONG}` },
    { id: "2", timestamp: TIME, type: "gemini", content: "", thoughts: [], tokens: { input: 20, output: 5, cached: 10, thoughts: 1, tool: 0, total: 26 }, toolCalls: [{ id: "c", name: "read", args: { path: "map" }, status: "success", result: [{ functionResponse: { id: "c", name: "read", response: { output: LONG } } }] }] },
    { id: "3", timestamp: TIME, type: "gemini", content: `Read. ${LONG}` }, { id: "4", timestamp: TIME, type: "user", content: "And water?" }, { id: "5", timestamp: TIME, type: "gemini", content: LONG },
    { id: "6", timestamp: TIME, type: "info", content: "note" }, { id: "7", timestamp: TIME, type: "user", content: "Thanks." }, { id: "8", timestamp: TIME, type: "gemini", content: "Welcome." },
  ],
});

function sessions() {
  const folds = [{ tailBudget: 60 }, { tailBudget: 200, keepTurns: 2, anchorTask: true }, { tailBudget: 0, anchorRequest: true, summary: "GOAL: water </compaction-summary> \u2028" }, { tailBudget: "Infinity", summary: "x" }, { tailBudget: 5, summary: " " }];
  const few = folds.slice(0, 1);
  const of = (bytes, list = few) => ({ bytes: Array.isArray(bytes) ? bytes : [bytes], folds: list });
  const claude = CLAUDE.join("");
  const odd = `[\n ${JSONL.join(" ,\r\n")} ]  `.replace('"Be brief."', '"\\u0042e brief."').replace("}}]", '},"n":1.0,"z":-0.0}]');
  const others = [PI, CODEX, OPENCODE, GEMINI].flatMap((text) => [of(text, folds), of(text.slice(0, -37)), of([text.slice(0, 900), 255, text.slice(900)]), of(text.replace(/"Thanks."/, '"Tha'))]);
  return [
    ...others, of(PI.replace('"parentId":"h"', '"parentId":"gone"')), of(PI.replace('"parentId":"a"', '"parentId":"k"')),
    of(claude, folds), of(`${JSONL.join("\n")}\n`, folds), of(odd, folds), of(`{"meta":1,"messages":${odd},"more":[]}`, folds), of(`\ufeff${claude}`), of(claude.replaceAll("\n", "\r\n")),
    of(claude.slice(0, claude.length - 40)), of(claude.slice(3000)), of(claude.replace('"Thanks."', '"Tha')), of(claude.replaceAll('"parentUuid":"u2"', '"parentUuid":"gone"')),
    of(claude.replaceAll('"uuid":"a4"', '"uuid":"u2"')), of([claude.slice(0, 700), 255, 254, claude.slice(700)]), of(["\u0000\u0000", claude]), of(claude.replace("}\n{", "}{")),
    of(claude.replace('"compactMetadata"', '"other"')), of(claude.replace("4321", "1e300")), of(claude.replace("4321", "-5")), of(claude.replace('"auto"', '"\\ud800"')),
    of(`${JSONL.slice(0, 4).join("\n")}\n{"role":"us`), of(JSONL.join("")), of([JSONL[0], "\n", 195, "\n", JSONL[1]]), of(`${JSONL.join("\n")}\n42\n{"type":"user","text":"other format"}\n`),
    of(""), of("\n"), of("[]"), of("{}"), of("null"), of("plain text"), of([137, "PNG\r\n", 26, "\n", 0]), of('{"payload":1,"timestamp":2}\n'), of('{"info":1,"parts":[]}\n'), of("[1,2]"),
    of(JSON.stringify(randomTranscript(21, "hotl", { turns: 6 })), folds), of(JSON.stringify(randomTranscript(22, "anthropic", { turns: 6 })), folds), of(randomTranscript(23, "openai-chat", { turns: 6, malformed: 1 }).map((m) => JSON.stringify(m)).join("\n"), folds),
  ];
}

// --- -----------------------------------------------------------------------------------------------------------------

const inputs = {
  texts: [...TEXTS, ...randomTexts(new Random(9), 40)], messages: MESSAGES, transcripts: transcripts(), facts: factSets(), salience: saliences(),
  importance: importances(), sessions: sessions(),
};
// One input a line; lone surrogates are escaped by JSON.stringify itself.
const parts = Object.entries(inputs).map(([part, all]) => `${JSON.stringify(part)}:[\n${all.map((input) => JSON.stringify(input)).join(",\n")}\n]`);
writeFileSync(new URL("inputs.json", import.meta.url), `{\n${parts.join(",\n")}\n}\n`);
console.log(Object.entries(inputs).map(([part, all]) => `${all.length} ${part}`).join(", "));
