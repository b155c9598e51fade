// The command, run as users run it: files in a temporary folder, exit codes, standard output and error.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const PLICA = join(ROOT, "pkg/bin/plica.mjs");
const EXAMPLE = join(ROOT, "examples/garden-planner.jsonl");
const folder = mkdtempSync(join(tmpdir(), "plica-command-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function plica(args, options = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PLICA, ...args], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, ...options });
  return { status, stdout, stderr };
}

/** A fresh copy of the example under a name of its own. */
function example(name) {
  const path = join(folder, name);
  copyFileSync(EXAMPLE, path);
  return path;
}

function write(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("fold, then unfold: the file comes back byte for byte", () => {
  const source = example("a.jsonl");
  const folded = plica(["fold", source, "--budget", "20k"]);
  assert.equal(folded.status, 0, folded.stderr);
  assert.match(folded.stdout, /messages\s+326\s+\d+/);
  assert.match(folded.stdout, /older than what the budget keeps/);
  const messages = JSON.parse(readFileSync(join(folder, "a.folded.json"), "utf8"));
  assert.ok(messages.length > 50 && messages.length < 326);
  assert.match(messages[0].content, /^<compaction-summary>\nGOAL:/);
  const unfolded = plica(["unfold", "a.folded.json"], { encoding: "buffer" });
  assert.equal(unfolded.status, 0);
  assert.ok(unfolded.stdout.equals(readFileSync(source)));
});

test("the report as JSON has what the table has", () => {
  const source = example("json.jsonl");
  const { stdout, status } = plica(["fold", source, "--budget", "20_000", "--json"]);
  assert.equal(status, 0);
  const report = JSON.parse(stdout);
  assert.equal(report.kind, "claude-code");
  assert.equal(report.outcome, "deterministic");
  assert.equal(report.messagesBefore, 326);
  assert.ok(report.tailTokens <= 20_000 && !report.overBudget);
  assert.equal(report.fates.reduce((sum, row) => sum + row.messages, 0), 326);
  assert.equal(report.fates.reduce((sum, row) => sum + row.tokens, 0), report.tokensBefore);
  assert.ok(existsSync(report.conversation) && existsSync(report.ledger));
});

test("messages keep their bytes: big integers, 1.0, key order", () => {
  const text = '[{"role":"user","content":"look up 2512292042121000001"},{"role":"assistant","content":[{"type":"tool_use","id":"g","name":"sql","input":{"zebra":1,"row_id":2512292042121000001,"apple":2.0}}]},'
    + '{"role":"user","content":[{"type":"tool_result","tool_use_id":"g","content":"1 row"}]},{"role":"assistant","content":"found"}]';
  const long = text.replace('"look up', `"${"please ".repeat(400)}look up`);
  const path = write("bytes.json", long);
  assert.equal(plica(["fold", path, "--budget", "100000"]).status, 0);
  const folded = readFileSync(join(folder, "bytes.folded.json"), "utf8");
  assert.ok(folded.includes('"zebra":1,"row_id":2512292042121000001,"apple":2.0'));
  assert.equal(plica(["unfold", "bytes.folded.json", "--out", "bytes.back.json"]).status, 0);
  assert.equal(readFileSync(join(folder, "bytes.back.json"), "utf8"), long);
});

test("a conversation that went on unfolds into all of it, through a fold of the fold", () => {
  const source = example("on.jsonl");
  assert.equal(plica(["fold", source, "--budget", "30k"]).status, 0);
  const first = readFileSync(join(folder, "on.folded.json"), "utf8");
  const more = '{"role":"user","content":"and now?"},\n{"role":"assistant","content":"now this, with 1.0"}';
  const continued = write("on2.json", first.replace(/\n\]\n$/, `,\n${more}\n]\n`));
  const again = plica(["fold", continued, "--budget", "8k", "--ledger", "on.ledger.json", "--json"]);
  assert.equal(again.status, 0, again.stderr);
  assert.equal(JSON.parse(again.stdout).folds, 3, "the file's own fold, and two of ours");
  const { status, stdout } = plica(["unfold", "on2.folded.json"]);
  assert.equal(status, 0);
  const whole = JSON.parse(stdout);
  assert.equal(whole.length, 383 + 2);
  assert.ok(stdout.includes(more.split("\n")[1]));
  assert.ok(!stdout.includes("<compaction-summary>"));
});

test("a summarizer gets the request and its text becomes the digest", () => {
  const source = example("s.jsonl");
  const program = write("summarizer.mjs", 'let all = ""; for await (const part of process.stdin) all += part; if (!all.includes("=== end of transcript ===") || !all.includes("GOAL:")) process.exit(7); console.log("GOAL: grow things (" + all.length + ")\\nSTATE: sown\\nDECISIONS: none\\nCONSTRAINTS: none\\nFILES: none\\nNEXT: water");');
  const { status, stdout, stderr } = plica(["fold", source, "--budget", "20k", "--json", "--summarizer", `"${process.execPath}" "${program}"`]);
  assert.equal(status, 0, stderr);
  assert.equal(JSON.parse(stdout).outcome, "summarized");
  assert.match(JSON.parse(readFileSync(join(folder, "s.folded.json"), "utf8"))[0].content, /GOAL: grow things \(\d+\)/);
});

for (const [name, command, why] of [
  ["fails", "exit 3", /exit code 3/],
  ["prints nothing", "true", /printed nothing/],
  ["does not exist", "no-such-program-here", /exit code 127/],
  ["never ends", "sleep 60", /took longer than 1 s/],
  ["prints more than it replaces", `"${process.execPath}" -e "console.log('GOAL: grow' + Array.from({length:100000},(_,i)=>'bed'+i).join(' ') + '\\nNEXT: water')"`, /larger than what it replaces/],
  ["prints the same word for ever", `"${process.execPath}" -e "console.log('word '.repeat(200000))"`, /no summary/],
  ["refuses", "echo I am sorry, but I cannot help with that.", /no summary/],
  ["prints an error", `echo '{"error":{"type":"overloaded_error","message":"Overloaded"}}'`, /no summary/],
]) {
  test(`a summarizer that ${name}: the deterministic digest, and it says so`, () => {
    const source = example(`bad-${name.replaceAll(" ", "-")}.jsonl`);
    const { status, stdout, stderr } = plica(["fold", source, "--budget", "20k", "--json", "--timeout", "1", "--summarizer", command]);
    assert.equal(status, 0, stderr);
    assert.equal(JSON.parse(stdout).outcome, "deterministic");
    assert.match(stderr, why);
  });
}

test("inspect says what is in a file", () => {
  const { status, stdout } = plica(["inspect", EXAMPLE]);
  assert.equal(status, 0);
  assert.match(stdout, /claude-code, anthropic messages/);
  assert.match(stdout, /line 114: auto, 58 originals/);
  const found = JSON.parse(plica(["inspect", EXAMPLE, "--json"]).stdout);
  assert.equal(found.messages, 326);
  assert.equal(found.calls, found.results);
  assert.equal(found.roles.assistant + found.roles.user + found.roles.tool, 326);
  assert.equal(found.skipped["other-branch"], 8);
});

test("broken lines are reported by line, the rest is read", () => {
  const path = write("torn.jsonl", '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"\n{"role":"user","content":"c"}\n');
  const found = JSON.parse(plica(["inspect", path, "--json"]).stdout);
  assert.equal(found.messages, 2);
  assert.deepEqual(found.problems.map(({ line, code }) => [line, code]), [[2, "broken-line"]]);
});

const refusals = [
  ["no command", [], 2, /plica fold FILE/],
  ["an unknown command", ["crease"], 2, /no command "crease"/],
  ["no file", ["fold", "--budget", "1"], 2, /no file was given/],
  ["no budget", ["fold", "x.jsonl"], 2, /--budget N/],
  ["a bad budget", ["fold", "x.jsonl", "--budget", "lots"], 2, /--budget lots is no number/],
  ["a negative budget", ["fold", "x.jsonl", "--budget=-5"], 2, /--budget -5 is no number/],
  ["an unknown option", ["fold", "x.jsonl", "--budge", "1"], 2, /--budge/],
  ["two files", ["inspect", "a", "b"], 2, /one file at a time/],
  ["a missing file", ["inspect", "missing.jsonl"], 3, /missing\.jsonl does not exist/],
  ["a folder", ["inspect", "."], 3, /is a folder/],
  ["a file to unfold that is missing", ["unfold", "nowhere.folded.json"], 3, /nowhere\.folded\.json does not exist/],
  ["a ledger that is missing", ["unfold", "lonely.folded.json"], 3, /lonely\.ledger\.json does not exist/],
];
write("lonely.folded.json", JSON.stringify([{ role: "user", content: "one" }, { role: "assistant", content: "two" }]));
for (const [name, args, exit, sentence] of refusals) {
  test(`refused with one sentence: ${name}`, () => {
    const { status, stderr } = plica(args);
    assert.equal(status, exit, stderr);
    assert.match(stderr, sentence);
    if (args.length > 0) assert.equal(stderr.trim().split("\n").length, 1, stderr);
  });
}

test("files of another kind are refused by what they look like, with their code in JSON", () => {
  for (const [name, content] of [["empty.jsonl", ""], ["prose.txt", "Once upon a time\nthere was no JSON.\n"], ["binary", Buffer.from([0x1f, 0x8b, 8, 0, 0, 1, 2, 3])], ["object.json", '{"name":"x"}']]) {
    write(name, content);
    const { status, stdout, stderr } = plica(["inspect", name, "--json"]);
    assert.equal(status, 3, `${name}: ${stderr}`);
    assert.equal(JSON.parse(stdout).error.code, "bad-session");
    assert.ok(stderr.length > 40);
  }
});

test("nothing to fold: exit code 4, no file written", () => {
  const path = write("short.json", '[{"role":"user","content":"hi"}]');
  const { status, stderr } = plica(["fold", path, "--budget", "10"]);
  assert.equal(status, 4);
  assert.match(stderr, /nothing to fold/);
  assert.ok(!existsSync(join(folder, "short.folded.json")));
  const small = write("gain.json", '[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]');
  const noGain = plica(["fold", small, "--budget", "10"]);
  assert.equal(noGain.status, 4);
  assert.match(noGain.stderr, /more room than what it replaces/);
});

test("what holds something else is not overwritten; the same result may be written again", () => {
  const source = example("twice.jsonl");
  assert.equal(plica(["fold", source, "--budget", "20k"]).status, 0);
  assert.equal(plica(["fold", source, "--budget", "20k"]).status, 0, "the same bytes again");
  const ledger = readFileSync(join(folder, "twice.ledger.json"));
  const other = plica(["fold", source, "--budget", "10k"]);
  assert.equal(other.status, 5);
  assert.match(other.stderr, /exists and holds something else/);
  assert.ok(readFileSync(join(folder, "twice.ledger.json")).equals(ledger));
  assert.equal(plica(["fold", source, "--budget", "10k", "--force"]).status, 0);
});

test("no output is left half-written", (t) => {
  const source = example("half.jsonl");
  const missing = plica(["fold", source, "--budget", "20k", "--out", "no/such/folder/x.json"]);
  assert.equal(missing.status, 5);
  assert.match(missing.stderr, /folder does not exist/);
  const place = join(folder, "blocked");
  mkdirSync(join(place, "x.json"), { recursive: true });
  const blocked = plica(["fold", source, "--budget", "20k", "--out", join(place, "x.json")]);
  assert.equal(blocked.status, 5);
  assert.deepEqual(readdirSync(place), ["x.json"], "neither ledger nor parts are left");
  if (process.getuid?.() === 0) return t.diagnostic("read-only folders not tried as root");
  chmodSync(place, 0o500);
  assert.equal(plica(["fold", source, "--budget", "20k", "--out", join(place, "y.json")]).status, 5);
});

test("an altered ledger is refused by name", () => {
  const source = example("alter.jsonl");
  assert.equal(plica(["fold", source, "--budget", "20k"]).status, 0);
  const path = join(folder, "alter.ledger.json");
  const ledger = readFileSync(path, "utf8");
  for (const [altered, code] of [[ledger.replace("tomato", "potato"), "ledger-altered"], [ledger.slice(0, -500), "bad-ledger"], ["[]", "bad-ledger"]]) {
    writeFileSync(path, altered);
    const { status, stdout } = plica(["unfold", "alter.folded.json", "--out", "alter.back", "--json"]);
    assert.equal(status, 6);
    assert.equal(JSON.parse(stdout).error.code, code);
    assert.ok(!existsSync(join(folder, "alter.back")));
  }
});

test("standard input and output", () => {
  const input = readFileSync(EXAMPLE);
  const folded = plica(["fold", "-", "--budget", "20k", "--out", "piped.json"], { input });
  assert.equal(folded.status, 0, folded.stderr);
  const back = plica(["unfold", "-", "--ledger", "piped.ledger.json"], { input: readFileSync(join(folder, "piped.json")), encoding: "buffer" });
  assert.ok(back.stdout.equals(input));
});

test("--help and --version", () => {
  assert.match(plica(["--help"]).stdout, /plica unfold FILE/);
  assert.match(plica(["fold", "--help"]).stdout, /--summarizer/);
  assert.equal(plica(["--version"]).stdout.trim(), JSON.parse(readFileSync(join(ROOT, "pkg/package.json"), "utf8")).version);
});

test("a folded file folds again with the ledger beside it, in place, and nothing is lost", () => {
  const source = example("again.jsonl");
  assert.equal(plica(["fold", source, "--budget", "20k"]).status, 0);
  const again = plica(["fold", "again.folded.json", "--budget", "5k", "--json"]);
  assert.equal(again.status, 0, again.stderr);
  assert.match(again.stderr, /going on with the ledger/);
  assert.equal(JSON.parse(again.stdout).folds, 3);
  const back = plica(["unfold", "again.folded.json"], { encoding: "buffer" });
  assert.ok(back.stdout.equals(readFileSync(source)));
});

test("a reader that closes the pipe early is no failure", (t) => {
  if (process.platform === "win32") return t.skip("needs a shell");
  for (const args of [`inspect "${EXAMPLE}" --json`, "--help"]) {
    const { stdout, stderr } = spawnSync("bash", ["-c", `"${process.execPath}" "${PLICA}" ${args} | true; echo "\${PIPESTATUS[0]}"`], { encoding: "utf8" });
    assert.equal(stdout.trim(), "0", stderr);
    assert.equal(stderr, "");
  }
});

test("targets are looked at before anything is written: folders, one file under two names, links, rights", () => {
  const source = example("targets.jsonl");
  mkdirSync(join(folder, "isdir"));
  const dir = plica(["fold", source, "--budget", "20k", "--out", "isdir"]);
  assert.equal(dir.status, 5);
  assert.ok(!existsSync(join(folder, "isdir.ledger.json")));
  assert.equal(plica(["fold", source, "--budget", "20k", "--out", "z.json", "--ledger-out", "./z.json"]).status, 2);
  const secret = write("secret.json", "old");
  chmodSync(secret, 0o600);
  symlinkSync(secret, join(folder, "link.json"));
  assert.equal(plica(["fold", source, "--budget", "20k", "--out", "link.json", "--ledger-out", "l.json", "--force"]).status, 0);
  assert.ok(lstatSync(join(folder, "link.json")).isSymbolicLink());
  assert.equal(statSync(secret).mode & 0o777, 0o600);
  assert.match(readFileSync(secret, "utf8"), /compaction-summary/);
});

test("a program left in the background does not hold the summary up", () => {
  const source = example("background.jsonl");
  const start = Date.now();
  const { status, stdout } = plica(["fold", source, "--budget", "20k", "--json", "--summarizer", "printf 'GOAL: grow\\nNEXT: water\\n'; sleep 20 2>/dev/null &"]);
  assert.equal(status, 0);
  assert.equal(JSON.parse(stdout).outcome, "summarized");
  assert.ok(Date.now() - start < 15_000);
});
