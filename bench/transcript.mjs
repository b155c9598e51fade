// The conversation that everything is measured on: made up, seeded, the same in every run. An agent works on code; requests,
// calls with their results and answers follow each other. About 600 bytes of JSON a message, most of it in tool results, whose
// lengths have a long tail, as in real sessions; one request in eight is not in English.
// Also the same conversation in the shapes that the peers take. All of it is built before anything is timed.

/** A stream of pseudo-random numbers in [0, 1): xorshift, 32 bits. */
export function randomness(seed) {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const pick = (random, list) => list[Math.floor(random() * list.length)];
const whole = (random, from, to) => from + Math.floor(random() * (to - from + 1));

const WORDS = ("the parser keeps reading until a newline and then returns what it found so that callers can decide whether to go on or stop " +
  "because most files are small we load them at once but large ones need a stream with a buffer of fixed size which is why this test " +
  "fails when the last line has no end please check the cache before you change anything else and run all tests again").split(" ");
const NAMES = ["user", "index", "token", "buffer", "result", "config", "session", "request", "entry", "cursor", "offset", "handler", "total", "node"];
const FOLDERS = ["src", "src/server", "src/store", "lib/format", "tests", "scripts", "app/routes"];
const FOREIGN = [
  "Bitte prüfe auch, ob die Größe der Datei stimmt, bevor du sie überschreibst.",
  "请先运行测试，然后再修改配置文件，谢谢。",
  "Проверь, пожалуйста, почему этот тест падает на пустом файле.",
  "設定ファイルの読み込みが遅いので、原因を調べてください。",
];

function prose(random, words) {
  const out = [];
  for (let i = 0; i < words; i++) out.push(pick(random, WORDS));
  const text = out.join(" ");
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

const path = (random) => `${pick(random, FOLDERS)}/${pick(random, NAMES)}-${pick(random, NAMES)}.ts`;

/** What tools print: code, logs, matches of a search, JSON. Each is one line, or what stands for one. */
const LINES = [
  (random, i) => `${String(i + 1).padStart(6)}\t${"  ".repeat(whole(random, 0, 3))}const ${pick(random, NAMES)}${whole(random, 1, 99)} = await ${pick(random, NAMES)}.${pick(random, NAMES)}(${pick(random, NAMES)}, ${whole(random, 0, 4096)});`,
  (random) => `2026-03-0${whole(random, 1, 9)}T1${whole(random, 0, 9)}:${whole(random, 10, 59)}:${whole(random, 10, 59)}.${whole(random, 100, 999)}Z INFO  [${pick(random, NAMES)}] ${pick(random, WORDS)} ${pick(random, WORDS)} id=${whole(random, 1e6, 9e6).toString(16)} took ${whole(random, 1, 900)}ms`,
  (random) => `${path(random)}:${whole(random, 1, 800)}:  ${pick(random, NAMES)}.${pick(random, NAMES)}(${pick(random, NAMES)})`,
  (random) => JSON.stringify({ id: whole(random, 1, 1e9), [pick(random, NAMES)]: pick(random, WORDS), ok: random() < 0.9, hash: whole(random, 1e8, 4e9).toString(16) }),
];

/** Output of a tool: mostly some hundred bytes, now and then thousands. */
function output(random) {
  const line = pick(random, LINES);
  const wanted = 90 * Math.exp(random() ** 2 * 3.75);
  const lines = [];
  for (let length = 0, i = 0; length < wanted; i++) {
    lines.push(line(random, i));
    length += lines[i].length + 1;
  }
  return lines.join("\n");
}

const TOOLS = [
  ["Read", (random) => ({ file_path: path(random), offset: whole(random, 1, 400), limit: 200 })],
  ["Bash", (random) => ({ command: `npm test -- ${path(random)} 2>&1 | tail -n ${whole(random, 5, 60)}`, description: prose(random, 5) })],
  ["Grep", (random) => ({ pattern: `${pick(random, NAMES)}\\.${pick(random, NAMES)}\\(`, path: pick(random, FOLDERS), output_mode: "content" })],
  ["Edit", (random) => ({ file_path: path(random), old_string: LINES[0](random, 1).trim(), new_string: `${LINES[0](random, 1).trim()}\n${LINES[0](random, 2).trim()}` })],
];

/** A call and its result, in one case of eight two parallel calls: two messages. */
function pair(random, id) {
  const uses = Array.from({ length: random() < 0.125 ? 2 : 1 }, (_, i) => {
    const [name, input] = pick(random, TOOLS);
    return { type: "tool_use", id: `toolu_${String(id).padStart(8, "0")}${"ab"[i]}`, name, input: input(random) };
  });
  const text = random() < 0.6 ? [{ type: "text", text: prose(random, whole(random, 6, 40)) }] : [];
  const results = uses.map((use) => ({ type: "tool_result", tool_use_id: use.id, content: output(random) }));
  return [{ role: "assistant", content: [...text, ...uses] }, { role: "user", content: results }];
}

const request = (random) => ({ role: "user", content: `${prose(random, whole(random, 10, 60))}${random() < 0.125 ? ` ${pick(random, FOREIGN)}` : ""}` });
const answer = (random) => ({ role: "assistant", content: [{ type: "text", text: `${prose(random, whole(random, 20, 120))}\n\n* ${path(random)}\n* ${path(random)}` }] });

/** Calls in one turn: mostly a few, sometimes dozens. */
const callsPerTurn = (random) => whole(random, 1, random() < 0.1 ? 40 : 8);

/**
 * n messages in Anthropic's shape that end with a tool result, and `turns` more pairs of call and result: what an agent appends.
 * n is even and at least 20.
 */
export function conversation(n, turns = 0, seed = 20260301) {
  const random = randomness(seed);
  // Odd, so that the last turn, which is still open, ends at an even length.
  const messages = [{ role: "user", content: `Instructions for this repository: ${prose(random, 120)}` }];
  while (messages.length < n) {
    messages.push(request(random));
    const left = n - messages.length;
    const calls = callsPerTurn(random);
    // The last turn takes what is left: its answer is still to come.
    const last = left - (2 * calls + 1) < 20;
    for (let i = 0; i < (last ? left / 2 : calls); i++) messages.push(...pair(random, messages.length));
    if (!last) messages.push(answer(random));
  }
  const pairs = Array.from({ length: turns }, (_, i) => pair(random, n + 2 * i));
  // Through JSON once: strings that were put together are flat then, as those that come from a network or a file.
  return JSON.parse(JSON.stringify({ messages, pairs }));
}

const blocks = (message) => (typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content);
const texts = (message) => blocks(message).filter((block) => block.type === "text");
const uses = (message) => blocks(message).filter((block) => block.type === "tool_use");
const results = (message) => blocks(message).filter((block) => block.type === "tool_result");

function toolNames(messages) {
  const names = new Map();
  for (const message of messages) for (const use of uses(message)) names.set(use.id, use.name);
  return names;
}

/** Messages of pi: every tool result is a message of its own. */
export function piMessages(messages) {
  const names = toolNames(messages);
  return messages.flatMap((message) => {
    if (message.role === "assistant") {
      return [{ role: "assistant", content: [...texts(message), ...uses(message).map((use) => ({ type: "toolCall", id: use.id, name: use.name, arguments: use.input }))] }];
    }
    const found = results(message);
    if (found.length === 0) return [{ role: "user", content: message.content }];
    return found.map((result) => ({ role: "toolResult", toolCallId: result.tool_use_id, toolName: names.get(result.tool_use_id), content: [{ type: "text", text: result.content }], isError: false }));
  });
}

/** Entries of pi's session file, which its planner takes: a message each, with id, parent and time. */
export function piEntries(messages) {
  return piMessages(messages).map((message, i) => ({ type: "message", id: `e${i}`, parentId: i ? `e${i - 1}` : null, timestamp: "2026-03-01T10:00:00.000Z", message }));
}

/** `ModelMessage`s of the AI SDK. */
export function aiSdkMessages(messages) {
  const names = toolNames(messages);
  return messages.map((message) => {
    if (message.role === "assistant") {
      return { role: "assistant", content: [...texts(message), ...uses(message).map((use) => ({ type: "tool-call", toolCallId: use.id, toolName: use.name, input: use.input }))] };
    }
    const found = results(message);
    if (found.length === 0) return { role: "user", content: message.content };
    return { role: "tool", content: found.map((result) => ({ type: "tool-result", toolCallId: result.tool_use_id, toolName: names.get(result.tool_use_id), output: { type: "text", value: result.content } })) };
  });
}

/** `UIMessage`s, which Cloudflare's agents keep: a call and its result are one part, so a pair of messages becomes one. */
export function uiMessages(messages, firstId = 0) {
  const outputs = new Map(messages.flatMap(results).map((result) => [result.tool_use_id, result.content]));
  return messages
    .filter((message) => message.role === "assistant" || results(message).length === 0)
    .map((message, i) => ({
      id: `m${firstId + i}`,
      role: message.role,
      parts: [...texts(message), ...uses(message).map((use) => ({ type: "dynamic-tool", toolName: use.name, toolCallId: use.id, state: "output-available", input: use.input, output: outputs.get(use.id) }))],
    }));
}

/** Live messages of LangChain; the classes come from its package. */
export function langchainMessages(messages, { HumanMessage, AIMessage, ToolMessage }) {
  return messages.flatMap((message) => {
    if (message.role === "assistant") {
      return [new AIMessage({ content: texts(message).map((block) => block.text).join("\n"), tool_calls: uses(message).map((use) => ({ type: "tool_call", id: use.id, name: use.name, args: use.input })) })];
    }
    const found = results(message);
    if (found.length === 0) return [new HumanMessage({ content: message.content })];
    return found.map((result) => new ToolMessage({ content: result.content, tool_call_id: result.tool_use_id }));
  });
}

/** The messages as lines of a Claude Code session: each in an envelope with ids, folder and time. */
export function claudeCodeLines(messages) {
  const random = randomness(7);
  const hex = (digits) => Array.from({ length: digits }, () => whole(random, 0, 15).toString(16)).join("");
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  const sessionId = uuid();
  let parentUuid = null;
  return messages.map((message, i) => {
    const id = uuid();
    const envelope = { parentUuid, isSidechain: false, userType: "external", cwd: "/home/user/project", sessionId, version: "2.1.17", gitBranch: "main", type: message.role };
    const body = message.role === "assistant" ? { model: "claude-sonnet-4-5", id: `msg_${i}`, type: "message", ...message, stop_reason: null, usage: { input_tokens: 11, output_tokens: 207 } } : message;
    parentUuid = id;
    return JSON.stringify({ ...envelope, message: body, uuid: id, timestamp: new Date(Date.UTC(2026, 2, 1) + i * 1000).toISOString() });
  });
}

/** Clauses in other scripts, with the punctuation that ends them. */
const CLAUSES = {
  zh: ["这个函数返回一个新的列表，", "如果文件不存在，", "请先检查缓存是否有效。", "服务器在启动时读取配置；", "我们已经修复了这个问题，", "测试全部通过。", "用户名不能为空，", "数据库连接超时。"],
  ja: ["この関数は新しい配列を返します。", "ファイルが見つからない場合、", "設定を読み込んでから、", "テストをもう一度実行してください。", "サーバーの起動に失敗しました。", "キャッシュを確認すると、", "ユーザー名は空にできません。"],
  ko: ["이 함수는 새 배열을 반환합니다. ", "파일이 없으면 ", "설정을 다시 읽은 다음 ", "모든 테스트가 통과했습니다. ", "서버를 시작할 수 없습니다. ", "캐시를 먼저 확인하세요. ", "사용자 이름은 비워 둘 수 없습니다. "],
  ru: ["Эта функция возвращает новый список. ", "Если файл не найден, ", "сначала проверьте кэш. ", "Сервер читает настройки при запуске, ", "и все тесты прошли успешно. ", "Соединение с базой данных прервано. "],
  ar: ["هذه الدالة تعيد قائمة جديدة. ", "إذا لم يكن الملف موجودا، ", "تحقق من الذاكرة المؤقتة أولا. ", "يقرأ الخادم الإعدادات عند البدء، ", "ونجحت جميع الاختبارات. ", "انقطع الاتصال بقاعدة البيانات. "],
  emoji: ["✅ done", "🚀", "🐛 fixed", "⚠️ careful", "👩‍💻", "🎉🎉", "🔥 hot path", "📦 released", "🇩🇪", "👍🏽"],
};

const SCRIPTS = [
  (random) => prose(random, 60),
  (random) => Array.from({ length: 6 }, (_, i) => LINES[0](random, i)).join("\n"),
  (random) => `pub fn ${pick(random, NAMES)}(&self, ${pick(random, NAMES)}: &[u8]) -> Result<Vec<${whole(random, 1, 64)}>, Error> {\n    self.${pick(random, NAMES)}.iter().map(|x| x.${pick(random, NAMES)}()).collect()\n}\n`,
  (random) => Array.from({ length: 4 }, () => LINES[3](random)).join(","),
  (random) => Array.from({ length: 4 }, () => LINES[1](random)).join("\n"),
  (random) => `| ${pick(random, NAMES)} | ${whole(random, 1, 999)} | ${pick(random, WORDS)} |\n`.repeat(4),
  (random) => Buffer.from(Array.from({ length: 240 }, () => whole(random, 0, 255))).toString("base64"),
  (random) => Array.from({ length: 6 }, () => whole(random, 1e8, 4e9).toString(16)).join("-"),
  ...["zh", "ja", "ko", "ru", "ar"].map((script) => (random) => Array.from({ length: 5 }, () => pick(random, CLAUSES[script])).join("")),
  (random) => Array.from({ length: 8 }, () => pick(random, CLAUSES.emoji)).join(" "),
];

/** One text of so many UTF-8 bytes: prose, code, JSON, logs, tables, base64, hex, five other scripts and emoji, in turn. */
export function mixedText(bytes, seed = 5) {
  const random = randomness(seed);
  const parts = [];
  for (let length = 0; length < bytes; ) {
    const part = `${pick(random, SCRIPTS)(random)}\n`;
    parts.push(part);
    length += Buffer.byteLength(part);
  }
  return JSON.parse(JSON.stringify(parts.join("")));
}
