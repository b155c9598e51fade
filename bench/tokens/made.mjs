// Texts that nobody writes by hand, from generators with a seed. Those that measure are other generators than those that
// the estimator is fitted to, not just other seeds, wherever a text has a form of its own.

export function make(name, seed) {
  const random = generator(seed * 7919 + [...name].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 7));
  const made = [];
  for (let i = 0; i < 40; i++) made.push(MAKERS[name](tools(random), i));
  return made;
}

/** mulberry32. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const WORDS = "time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea kid body information back parent face others level office door health person art war history party result change morning reason research girl guy moment air teacher force education".split(" ");
const FIRST = "Anna Ben Carla David Emma Felix Greta Hugo Ines Jonas Klara Liam Mara Noah Olga Paul Rosa Sam Tess Uwe Vera Will Yara Zoe".split(" ");
const LAST = "Smith Garcia Müller Rossi Novak Kim Tanaka Silva Dubois Jensen Ivanov Khan Lee Brown Costa Weber Moreau Haas Lindqvist Okafor".split(" ");
const MODULES = "auth billing search index cache router session queue worker storage metrics parser scheduler gateway notifier mailer export import sync render".split(" ");
const VERBS = "started finished failed retrying loaded saved deleted created updated received sent dropped accepted rejected connected closed".split(" ");
const EMOJI = "😀 😂 🥹 ❤️ 👍 🙏 🎉 🔥 😭 🤔 ✅ ❌ 🚀 ✨ 💯 👀 😅 🙌 💪 🤝 👋 😎 🥳 🤖 📈 📉 🛠️ 🐛 🎯 💡 ⚠️ 📝 🔒 🌍 🌱 ☕ 🍕 🎵 🏆 ⭐".split(" ");

function tools(random) {
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  const pick = (list) => list[int(0, list.length - 1)];
  const times = (count, fn, by = "\n") => Array.from({ length: count }, (_, i) => fn(i)).join(by);
  const bytes = (count) => Buffer.from(Array.from({ length: count }, () => int(0, 255)));
  const hex = (digits) => bytes(Math.ceil(digits / 2)).toString("hex").slice(0, digits);
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join("-");
  const words = (count) => times(count, () => pick(WORDS), " ");
  const sentence = () => { const text = words(int(4, 12)); return `${text[0].toUpperCase()}${text.slice(1)}.`; };
  const date = () => `20${int(18, 29)}-${pad(int(1, 12))}-${pad(int(1, 28))}`;
  const clock = () => `${pad(int(0, 23))}:${pad(int(0, 59))}:${pad(int(0, 59))}`;
  const ip = () => times(4, () => int(1, 254), ".");
  const path = () => `${pick(["src", "lib", "app", "pkg", "internal"])}/${pick(MODULES)}/${pick(MODULES)}_${pick(WORDS)}.${pick(["ts", "rs", "py", "go"])}`;
  const camel = () => { const [a, b, c] = [pick(WORDS), pick(WORDS), pick(WORDS)]; return a + cap(b) + (random() < 0.4 ? cap(c) : ""); };
  const chance = (share) => random() < share;
  return { random, int, pick, times, bytes, hex, uuid, words, sentence, date, clock, ip, path, camel, chance };
}

const pad = (n) => String(n).padStart(2, "0");
const cap = (word) => word[0].toUpperCase() + word.slice(1);

const MAKERS = {
  base64: (t, i) => { const text = t.bytes(7000).toString(i % 4 === 3 ? "base64url" : "base64"); return i % 2 ? text : text.replace(/(.{76})/g, "$1\n"); },
  hex: (t, i) => t.times(120, () => (i % 3 ? t.hex(t.pick([32, 40, 64])) : t.hex(64).toUpperCase()), i % 2 ? "\n" : " "),
  uuids: (t, i) => t.times(120, () => t.uuid(), i % 2 ? "\n" : ", "),
  ids: (t, i) => t.times(120, () => t.pick([() => `"id":"${t.uuid()}"`, () => `commit ${t.hex(40)}`, () => `sha256:${t.hex(64)}`, () => `toolu_01${t.bytes(17).toString("base64url").slice(0, 22)}`, () => `0x${t.hex(16)}`])(), "\n"),
  logs: (t, i) => t.times(60, () => [
    () => `${t.date()}T${t.clock()}.${t.int(100, 999)}Z ${t.pick(["INFO", "WARN", "ERROR", "DEBUG"])} [${t.pick(MODULES)}] ${t.pick(VERBS)} ${t.pick(WORDS)} id=${t.hex(8)} in ${t.int(1, 9000)}ms`,
    () => `${t.ip()} - - [${t.int(1, 28)}/Mar/2025:${t.clock()} +0000] "${t.pick(["GET", "POST"])} /${t.pick(MODULES)}/${t.int(1, 99999)} HTTP/1.1" ${t.pick([200, 304, 404, 500])} ${t.int(100, 99999)} "-" "Mozilla/5.0 (X11; Linux x86_64)"`,
    () => `[${t.date()} ${t.clock()}] ${t.pick(MODULES)}.${t.pick(["main", "http", "db"])} ${t.pick(["INFO", "ERROR"])}: ${t.sentence()} {"user":${t.int(1, 9999)},"ok":${t.chance(0.5)}}`,
  ][i % 3]()),
  server: (t, i) => t.times(60, () => [
    () => `Mar ${t.int(1, 28)} ${t.clock()} ${t.pick(["web", "db", "node"])}-${t.int(1, 20)} ${t.pick(["systemd", "sshd", "kernel", "nginx"])}[${t.int(100, 32000)}]: ${t.sentence()} (${t.ip()}:${t.int(1024, 65535)})`,
    () => `{"level":"${t.pick(["info", "warn", "error"])}","ts":${t.int(1.6e9, 1.9e9)}.${t.int(100, 999)},"caller":"${t.path()}:${t.int(1, 900)}","msg":"${t.pick(MODULES)} ${t.pick(VERBS)}","trace_id":"${t.hex(32)}","duration_ms":${t.int(1, 5000)}}`,
    () => `${t.pick(["I", "W", "E"])}${pad(t.int(1, 12))}${pad(t.int(1, 28))} ${t.clock()}.${t.int(100000, 999999)} ${t.int(1, 40)} ${t.pick(MODULES)}_controller.go:${t.int(10, 900)}] "${cap(t.pick(VERBS))} ${t.pick(WORDS)}" pod="${t.pick(MODULES)}/${t.pick(MODULES)}-${t.hex(10)}-${t.hex(5)}" err="${t.words(4)}"`,
    () => `${t.date()} ${t.clock()},${t.int(100, 999)} - ${t.pick(MODULES)}.${t.pick(WORDS)} - ${t.pick(["INFO", "WARNING"])} - Epoch ${t.int(1, 90)}/${t.int(90, 200)}: loss=${t.random().toFixed(4)}, acc=${t.random().toFixed(4)}, lr=${t.random().toExponential(2)}`,
  ][i % 4]()),
  tables: (t, i) => table(t, 30, ["Name", "Type", "Default", "Description"], () => [`\`${t.camel()}\``, `\`${t.pick(["string", "number", "boolean", "string[]"])}\``, `\`${t.pick(["true", "null", "10", '""'])}\``, t.sentence()], i % 2 === 0) + "\n\n" + table(t, 20, ["Model", "Score", "Time (ms)", "Change"], () => [`${t.pick(MODULES)}-${t.int(1, 9)}b`, (t.random() * 100).toFixed(1), String(t.int(1, 9999)), `${t.pick(["+", "-"])}${t.random().toFixed(2)}%`], i % 2 === 1),
  report: (t, i) => table(t, 25, ["Date", "Customer", "Region", "Units", "Revenue", "Status"].slice(0, 3 + (i % 4)), (n) => [t.date(), `${t.pick(FIRST)} ${t.pick(LAST)}`, t.pick(["North", "South", "EMEA", "APAC"]), String(t.int(1, 900)), `$${t.int(1, 90)},${t.int(100, 999)}.${pad(t.int(0, 99))}`, t.pick(["✅ done", "❌ open", "**late**", "[link](https://example.org/" + n + ")"])].slice(0, 3 + (i % 4)), i % 3 !== 0),
  csv: (t) => "id,name,email,amount,created_at,active\n" + t.times(80, (n) => `${n + 1},${t.pick(FIRST)} ${t.pick(LAST)},${t.pick(FIRST).toLowerCase()}${t.int(1, 99)}@example.com,${(t.random() * 1000).toFixed(2)},${t.date()},${t.chance(0.5)}`),
  sheet: (t) => "timestamp;sensor;value;unit;note\n" + t.times(80, () => `${t.date()}T${t.clock()}Z;${t.pick(MODULES)}-${t.int(1, 40)};${(t.random() * 200 - 50).toFixed(3)};${t.pick(["C", "kPa", "%"])};"${t.chance(0.3) ? t.words(3) : ""}"`),
  yaml: (t) => t.times(12, () => `${t.pick(MODULES)}:\n  image: registry.example.com/${t.pick(MODULES)}:${t.int(1, 9)}.${t.int(0, 20)}\n  replicas: ${t.int(1, 9)}\n  env:\n    - name: ${t.pick(WORDS).toUpperCase()}_${t.pick(WORDS).toUpperCase()}\n      value: "${t.words(2)}"\n  ports: [${t.int(80, 9000)}]\n  enabled: ${t.chance(0.5)}`),
  manifests: (t) => t.times(10, () => `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${t.pick(MODULES)}-${t.pick(WORDS)}\n  labels:\n    app.kubernetes.io/name: ${t.pick(MODULES)}\nspec:\n  selector:\n    matchLabels: {app: ${t.pick(MODULES)}}\n  template:\n    spec:\n      containers:\n      - name: ${t.pick(WORDS)}\n        resources:\n          limits:\n            cpu: ${t.int(100, 900)}m\n            memory: ${t.int(1, 8)}Gi\n        command: ["/bin/sh", "-c", "${t.words(3)}"]`, "\n---\n"),
  urls: (t) => t.times(60, () => `https://${t.pick(["www.", "api.", "docs.", ""])}${t.pick(WORDS)}${t.pick(MODULES)}.${t.pick(["com", "org", "io", "dev"])}/${t.pick(MODULES)}/${t.pick(WORDS)}-${t.pick(WORDS)}${t.chance(0.5) ? `?${t.pick(WORDS)}=${t.int(1, 9999)}&ref=${t.pick(WORDS)}` : `#${t.pick(WORDS)}`}`),
  links: (t) => t.times(60, () => t.pick([() => `https://github.com/${t.pick(LAST).toLowerCase()}/${t.pick(WORDS)}-${t.pick(MODULES)}/blob/${t.hex(40)}/${t.path()}#L${t.int(1, 900)}`, () => `http://${t.ip()}:${t.int(3000, 9999)}/v${t.int(1, 3)}/${t.pick(MODULES)}/${t.uuid()}`, () => `s3://${t.pick(MODULES)}-${t.pick(WORDS)}/${t.date().replaceAll("-", "/")}/part-${t.int(10000, 99999)}.parquet`, () => `https://en.wikipedia.org/wiki/${cap(t.pick(WORDS))}_${t.pick(WORDS)}`])()),
  numbers: (t, i) => t.times(200, () => t.pick([() => t.int(1, 1e9), () => (t.random() * 1000).toFixed(3), () => (-t.random()).toFixed(6), () => t.int(0, 100)])(), [", ", " ", "\n"][i % 3]),
  figures: (t, i) => t.times(80, () => `[${t.times(4, () => t.pick([() => t.random().toString().slice(0, 12), () => t.int(-5000, 5000), () => t.random().toExponential(3)])(), i % 2 ? "," : ", ")}]`, i % 2 ? "," : "\n"),
  ansi: (t) => t.times(60, () => t.pick([() => `\x1b[32m✓\x1b[0m ${t.words(4)} \x1b[90m(${t.int(1, 900)}ms)\x1b[39m`, () => `\x1b[1m\x1b[31merror\x1b[0m\x1b[1m: ${t.words(5)}\x1b[0m`, () => `   \x1b[34m-->\x1b[0m ${t.path()}:${t.int(1, 900)}:${t.int(1, 80)}`])()),
  colours: (t) => t.times(60, () => t.pick([() => `\x1b[38;5;${t.int(1, 255)}m${t.pick(WORDS)}\x1b[0m: \x1b[33m${t.words(3)}\x1b[0m`, () => `\x1b[2K\x1b[1G\x1b[36m[${t.int(1, 20)}/20]\x1b[39m ${t.path()}`, () => ` \x1b[41m\x1b[37m FAIL \x1b[39m\x1b[49m ${t.path()} \x1b[2m> ${t.words(4)}\x1b[22m`])()),
  traces: (t, i) => t.times(6, () => (i % 2 ? `Error: ${t.sentence()}\n` + t.times(9, () => `    at ${cap(t.camel())}.${t.camel()} (/home/${t.pick(FIRST).toLowerCase()}/${t.path()}:${t.int(1, 900)}:${t.int(1, 80)})`) : `Traceback (most recent call last):\n` + t.times(7, () => `  File "/usr/lib/python3/${t.path()}", line ${t.int(1, 900)}, in ${t.pick(WORDS)}_${t.pick(WORDS)}\n    ${t.pick(WORDS)} = self.${t.pick(WORDS)}(${t.pick(WORDS)}, ${t.int(1, 9)})`) + `\nValueError: ${t.words(5)}`)),
  crashes: (t, i) => t.times(6, () => (i % 2 ? `java.lang.${cap(t.pick(WORDS))}Exception: ${t.words(5)}\n` + t.times(10, () => `\tat com.${t.pick(LAST).toLowerCase()}.${t.pick(MODULES)}.${cap(t.camel())}.${t.camel()}(${cap(t.pick(MODULES))}.java:${t.int(1, 900)})`) : `thread 'main' panicked at ${t.path()}:${t.int(1, 900)}:${t.int(1, 80)}:\n${t.words(6)}\nstack backtrace:\n` + t.times(9, (n) => `  ${n}: 0x${t.hex(12)} - ${t.pick(MODULES)}::${t.pick(WORDS)}::${cap(t.camel())}::${t.pick(WORDS)}_${t.pick(WORDS)}::h${t.hex(16)}\n             at /rustc/${t.hex(40)}/library/${t.path()}:${t.int(1, 900)}`))),
  diff: (t) => t.times(6, () => { const file = t.path(); return `diff --git a/${file} b/${file}\nindex ${t.hex(7)}..${t.hex(7)} 100644\n--- a/${file}\n+++ b/${file}\n@@ -${t.int(1, 400)},7 +${t.int(1, 400)},9 @@ ${codeLine(t).trim()}\n` + t.times(12, () => `${t.pick([" ", " ", "+", "-"])}${codeLine(t)}`); }),
  patch: (t) => t.times(6, () => `--- ${t.path()}\t${t.date()} ${t.clock()}\n+++ ${t.path()}\t${t.date()} ${t.clock()}\n@@ -${t.int(1, 400)},${t.int(1, 30)} +${t.int(1, 400)},${t.int(1, 30)} @@\n` + t.times(14, () => `${t.pick([" ", "+", "-"])}${scriptLine(t)}`)),
  shell: (t, i) => (i % 2 ? `$ ls -la ${t.pick(MODULES)}\ntotal ${t.int(8, 900)}\n` + t.times(40, () => `-rw-r--r--  1 ${t.pick(FIRST).toLowerCase()} staff ${String(t.int(1, 99999)).padStart(7)} Mar ${String(t.int(1, 28)).padStart(2)} ${pad(t.int(0, 23))}:${pad(t.int(0, 59))} ${t.pick(WORDS)}_${t.pick(MODULES)}.rs`) : `$ cargo test\n` + t.times(30, () => `test ${t.pick(MODULES)}::tests::${t.pick(WORDS)}_${t.pick(WORDS)} ... ok`) + `\n\ntest result: ok. ${t.int(1, 90)} passed; 0 failed; finished in ${t.random().toFixed(2)}s`),
  terminal: (t, i) => [
    () => "$ git log --oneline\n" + t.times(40, () => `${t.hex(7)} ${t.pick(["fix", "feat", "docs"])}(${t.pick(MODULES)}): ${t.words(5)}`),
    () => "$ grep -rn TODO .\n" + t.times(40, () => `./${t.path()}:${t.int(1, 900)}:${codeLine(t)}`),
    () => "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n" + t.times(40, () => `${t.pick(FIRST).toLowerCase().padEnd(8)} ${String(t.int(1, 32000)).padStart(7)}  ${t.random().toFixed(1)}  ${t.random().toFixed(1)} ${String(t.int(1000, 999999)).padStart(6)} ${String(t.int(100, 99999)).padStart(5)} ?        Ssl  ${pad(t.int(0, 23))}:${pad(t.int(0, 59))}   ${t.int(0, 9)}:${pad(t.int(0, 59))} /usr/bin/${t.pick(MODULES)} --${t.pick(WORDS)}=${t.pick(WORDS)}`),
    () => "$ npm install\n" + t.times(40, () => `npm warn deprecated ${t.pick(WORDS)}-${t.pick(MODULES)}@${t.int(0, 9)}.${t.int(0, 20)}.${t.int(0, 9)}: ${t.sentence()}`),
  ][i % 4](),
  sql: (t) => t.times(20, () => t.pick([() => `SELECT u.${t.pick(WORDS)}_id, COUNT(*) AS ${t.pick(WORDS)}_count\nFROM ${t.pick(WORDS)}s u\nLEFT JOIN ${t.pick(WORDS)}_${t.pick(WORDS)} p ON p.user_id = u.id\nWHERE u.created_at >= '${t.date()}' AND u.status = '${t.pick(VERBS)}'\nGROUP BY 1 ORDER BY 2 DESC LIMIT ${t.int(1, 100)};`, () => `INSERT INTO ${t.pick(WORDS)}s (id, name, amount) VALUES (${t.int(1, 9999)}, '${t.pick(FIRST)} ${t.pick(LAST)}', ${t.random().toFixed(2)});`])()),
  queries: (t) => t.times(14, () => t.pick([() => `CREATE TABLE IF NOT EXISTS ${t.pick(WORDS)}_${t.pick(MODULES)} (\n    id BIGSERIAL PRIMARY KEY,\n    ${t.pick(WORDS)} VARCHAR(255) NOT NULL,\n    ${t.pick(WORDS)}_at TIMESTAMP WITH TIME ZONE DEFAULT now(),\n    CONSTRAINT fk_${t.pick(WORDS)} FOREIGN KEY (${t.pick(WORDS)}_id) REFERENCES ${t.pick(WORDS)}(id) ON DELETE CASCADE\n);`, () => `with ranked as (select *, row_number() over (partition by ${t.pick(WORDS)} order by ${t.pick(WORDS)} desc) as rn from ${t.pick(WORDS)}) select * from ranked where rn = 1 and ${t.pick(WORDS)} in ('${t.pick(WORDS)}', '${t.pick(WORDS)}');`, () => `UPDATE ${t.pick(WORDS)} SET ${t.pick(WORDS)} = COALESCE(${t.pick(WORDS)}, ${t.int(1, 999)}) WHERE id IN (SELECT id FROM ${t.pick(WORDS)} WHERE deleted IS NULL);`])()),
  calls: (t) => t.times(16, () => JSON.stringify({ role: "assistant", content: [{ type: "text", text: t.sentence() }, { type: "tool_use", id: `toolu_${t.hex(20)}`, name: t.pick(["read_file", "bash", "grep", "write"]), input: { path: t.path(), limit: t.int(1, 900), pattern: t.camel() } }] }), ""),
  records: (t, i) => JSON.stringify(Array.from({ length: 40 }, (_, n) => (i % 2 ? { id: n, name: `${t.pick(FIRST)} ${t.pick(LAST)}`, email: `${t.pick(FIRST).toLowerCase()}@example.com`, score: Number(t.random().toFixed(3)), tags: [t.pick(WORDS), t.pick(WORDS)], active: t.chance(0.5), created_at: `${t.date()}T${t.clock()}Z` } : { [t.camel()]: t.int(1, 9999), [t.camel()]: t.words(3), [t.camel()]: null, geo: { lat: t.random() * 90, lng: t.random() * 180 } }))),
  messages: (t) => JSON.stringify(Array.from({ length: 14 }, () => ({ event: t.pick(MODULES) + "." + t.pick(VERBS), payload: { orderId: t.uuid(), items: [{ sku: t.hex(6).toUpperCase(), qty: t.int(1, 20), price: t.int(1, 900) + 0.99 }], customer: { firstName: t.pick(FIRST), lastName: t.pick(LAST), address: { street: `${t.int(1, 200)} ${cap(t.pick(WORDS))} St`, zip: String(t.int(10000, 99999)) } }, note: t.sentence() }, timestamp: t.int(1.6e12, 1.9e12), tool_calls: [{ function: { name: "get_" + t.pick(WORDS), arguments: JSON.stringify({ [t.pick(WORDS)]: t.words(2), n: t.int(1, 50) }) } }] }))),
  pretty: (t) => JSON.stringify(Array.from({ length: 16 }, () => ({ [t.camel()]: t.sentence(), id: t.int(1, 9999), nested: { [t.pick(WORDS)]: [t.int(1, 9), t.int(1, 9)], enabled: t.chance(0.5), path: t.path() } })), null, t.pick([2, 4])),
  chat: (t) => t.times(40, () => `${t.chance(0.6) ? t.words(t.int(1, 5)) + " " : ""}${t.times(t.int(1, 6), () => t.pick(EMOJI), "")}`),
  emoji: (t, i) => (i % 2 ? t.times(300, () => (t.chance(0.8) ? String.fromCodePoint(t.pick([t.int(0x1f600, 0x1f64f), t.int(0x1f300, 0x1f5ff), t.int(0x1f900, 0x1f9ff), t.int(0x1f680, 0x1f6c5), t.int(0x2600, 0x26ff)])) : t.pick(["👩‍💻", "👨‍👩‍👧", "🏳️‍🌈", "👍🏽", "🇩🇪", "🇯🇵", "1️⃣"])), i % 4 === 1 ? "" : " ") : t.times(30, () => `${t.sentence()} ${t.times(t.int(2, 9), () => String.fromCodePoint(t.pick([t.int(0x1f600, 0x1f64f), t.int(0x1f440, 0x1f4ff)])), "")}`)),
};

function table(t, rows, head, row, padded) {
  const all = [head, ...Array.from({ length: rows }, (_, n) => row(n))];
  const widths = head.map((_, i) => Math.max(...all.map((cells) => cells[i].length)));
  const line = (cells) => (padded ? `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |` : `|${cells.join("|")}|`);
  const rule = padded ? `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|` : `|${head.map(() => "---").join("|")}|`;
  return [line(all[0]), rule, ...all.slice(1).map(line)].join("\n");
}

function codeLine(t) {
  return "    ".repeat(t.int(0, 3)) + t.pick([() => `const ${t.camel()} = await this.${t.camel()}(${t.pick(WORDS)}, { ${t.pick(WORDS)}: ${t.int(1, 99)} });`, () => `if (${t.pick(WORDS)}.${t.pick(WORDS)} === null) {`, () => `return ${t.camel()}.map((${t.pick(WORDS)}) => ${t.pick(WORDS)}.id);`, () => `let ${t.pick(WORDS)} = ${t.pick(WORDS)}_${t.pick(WORDS)}(&self.${t.pick(WORDS)})?;`, () => `}`, () => `// ${t.sentence()}`])();
}

function scriptLine(t) {
  return "  ".repeat(t.int(0, 4)) + t.pick([() => `def ${t.pick(WORDS)}_${t.pick(WORDS)}(self, ${t.pick(WORDS)}=None):`, () => `raise ${cap(t.pick(WORDS))}Error(f"${t.words(3)} {${t.pick(WORDS)}}")`, () => `for ${t.pick(WORDS)} in range(${t.int(1, 99)}):`, () => `self._${t.pick(WORDS)} = ${t.pick(WORDS)}.get("${t.pick(WORDS)}", ${t.int(0, 9)})`, () => `# ${t.sentence()}`, () => ``, () => `func (s *${cap(t.pick(MODULES))}) ${cap(t.camel())}(ctx context.Context) error {`])();
}
