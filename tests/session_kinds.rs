//! Readers of Codex, opencode and gemini-cli sessions: every rule on small invented files, and invariants on thousands
//! of damaged copies of them.
#![cfg(not(target_arch = "wasm32"))]

use plica::error::ErrorCode;
use plica::fingerprint;
use plica::formats::Fit;
use plica::json::Tape;
use plica::ledger::{unfold, Origin};
use plica::message::Provenance;
use plica::session::{ledger_folds, read_session, read_session_with, Session, SessionMessage, SessionOptions};
use plica::session::{SessionKind, SessionProblemCode, Usage};
use std::collections::HashSet;

// ---------------------------------------------------------------- helpers

fn read<'s>(file: &'s str, kind: &str) -> Session<'s> {
    let session = read_session(file.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{file}"));
    assert_eq!(session.kind.name(), kind);
    check_invariants(file.as_bytes(), &session);
    session
}

fn texts(messages: &[SessionMessage<'_>]) -> Vec<String> {
    messages.iter().map(|message| String::from_utf8(message.json.to_vec()).unwrap()).collect()
}

fn lines_of(messages: &[SessionMessage<'_>]) -> Vec<u32> {
    messages.iter().map(|message| message.lines[0]).collect()
}

fn roles(messages: &[SessionMessage<'_>]) -> Vec<&'static str> {
    messages.iter().map(|message| message.role.name()).collect()
}

fn codes(session: &Session<'_>) -> Vec<(u32, SessionProblemCode)> {
    session.problems.iter().map(|problem| (problem.line, problem.code)).collect()
}

fn skipped(session: &Session<'_>) -> Vec<(u32, &'static str)> {
    session.skipped.iter().map(|skipped| (skipped.line, skipped.code.name())).collect()
}

/// The conversation with all folds undone.
fn whole(session: &Session<'_>) -> Vec<String> {
    let folds = ledger_folds(session).unwrap();
    let records: Vec<_> = folds.iter().map(|fold| fold.record.clone()).collect();
    records.iter().for_each(|record| record.check().unwrap());
    let print = |message: &SessionMessage<'_>| {
        let mut tape = Tape::new();
        fingerprint::message(tape.parse(&message.json).unwrap(), None)
    };
    let window: Vec<_> = session.messages.iter().map(print).collect();
    let text = |message: &SessionMessage<'_>| String::from_utf8(message.json.to_vec()).unwrap();
    let origin = |origin: Origin| match origin {
        Origin::Window(at) => text(&session.messages[at as usize]),
        Origin::Fold { fold, index } => {
            let place = folds[fold as usize].folded[index as usize];
            text(&session.folds[fold as usize].originals[place as usize])
        }
    };
    unfold(&records, &window).unwrap().into_iter().map(origin).collect()
}

/// What holds of every session, however damaged its file.
fn check_invariants(bytes: &[u8], session: &Session<'_>) {
    let reader = session.format.reader();
    let mut tape = Tape::new();
    let windows = session.folds.iter().map(|fold| &fold.originals).chain([&session.messages]);
    let written = session.folds.iter().map(|fold| &fold.digest);
    let mut seen: HashSet<u32> = session.skipped.iter().map(|skipped| skipped.line).collect();
    for message in windows.chain(written).flatten() {
        assert!(std::str::from_utf8(&message.json).is_ok());
        let value = tape.parse(&message.json).expect("messages are JSON");
        let mixed = codes(session).contains(&(message.lines[0], SessionProblemCode::MixedFormats));
        assert!(mixed || reader.fit(value) != Fit::Impossible, "{}", String::from_utf8_lossy(&message.json));
        assert_eq!(reader.role(value), message.role);
        assert!(!message.lines.is_empty());
        seen.extend(&message.lines);
    }
    seen.extend(session.folds.iter().map(|fold| fold.line));
    let lines = bytes.split(|b| *b == b'\n').count() as u32;
    assert!(seen.iter().all(|line| (1..=lines).contains(line)));
    seen.extend(session.problems.iter().map(|problem| problem.line));
    let document = matches!(bytes.iter().find(|b| !b.is_ascii_whitespace()), Some(b'[')) || is_document(bytes);
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let blank = line.iter().all(|b| b.is_ascii_whitespace());
        assert!(document || blank || seen.contains(&(i as u32 + 1)), "line {} is lost", i + 1);
    }
    for fold in &session.folds {
        assert!(!fold.digest.is_empty());
        assert!(fold.digest.iter().all(|message| message.provenance == Provenance::Summary));
        let repeats = |message: &SessionMessage<'_>| fold.digest.iter().any(|digest| digest.json == message.json);
        let last = session.folds.last().is_some_and(|last| std::ptr::eq(last, fold));
        let marked = |message: &SessionMessage<'_>| message.provenance == Provenance::Summary;
        assert!(!last || session.messages.iter().take(1).filter(|m| repeats(m)).all(marked));
        let inside = |index: &u32| (*index as usize) < fold.originals.len();
        assert!(fold.before.iter().chain(&fold.kept).all(inside));
    }
    for fold in ledger_folds(session).unwrap() {
        fold.record.check().unwrap();
    }
}

/// Lines of a document that is laid out over them are no records.
fn is_document(bytes: &[u8]) -> bool {
    let first = bytes.split(|b| *b == b'\n').find(|line| !line.is_empty()).unwrap_or_default();
    Tape::new().parse(first).is_err()
}

fn refused(bytes: &[u8]) -> String {
    let error = read_session(bytes).expect_err("no session");
    assert_eq!(error.code, ErrorCode::BadSession);
    error.message
}

// ---------------------------------------------------------------- codex

fn item(payload: &str) -> String {
    format!(r#"{{"timestamp":"t","type":"response_item","payload":{payload}}}"#)
}

fn user(text: &str) -> String {
    format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#)
}

fn said(text: &str) -> String {
    format!(r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}"#)
}

fn event(payload: &str) -> String {
    format!(r#"{{"timestamp":"t","type":"event_msg","payload":{payload}}}"#)
}

fn compacted(payload: &str) -> String {
    format!(r#"{{"timestamp":"t","type":"compacted","payload":{payload}}}"#)
}

fn strings(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

const META: &str =
    r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/p","base_instructions":{"text":"be good"}}}"#;

#[test]
fn a_codex_rollout_is_its_items() {
    let call =
        r#"{"type":"function_call","name":"exec_command","arguments":"{\"n\":1234567890123456789}","call_id":"c1"}"#;
    let output = r#"{"type":"function_call_output","call_id":"c1","output":"/repo"}"#;
    let reasoning = r#"{"type":"reasoning","summary":[],"encrypted_content":"x","n":1234567890123456789}"#;
    let context = user("<environment_context>\\n<cwd>/p</cwd>");
    let instructions = user("# AGENTS.md instructions for /p\\n\\nno tabs");
    let permissions = r#"{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>"}]}"#;
    let tokens = |input: u32| {
        event(&format!(
            r#"{{"type":"token_count","info":{{"last_token_usage":{{"input_tokens":{input},"cached_input_tokens":40,"output_tokens":7}}}}}}"#
        ))
    };
    let text = strings(&[
        META.into(),
        item(permissions),
        item(&instructions),
        item(&context),
        item(&user("where am I?")),
        event(r#"{"type":"user_message","message":"where am I?"}"#),
        r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/p"}}"#.into(),
        item(reasoning),
        item(call),
        tokens(100),
        tokens(100),
        item(output),
        item(&said("in /repo")),
        event(r#"{"type":"token_count","info":null}"#),
        tokens(120),
        item(r#"{"type":"ghost_snapshot","ghost_commit":{"id":"g"}}"#),
        r#"{"timestamp":"t","type":"world_state","payload":{"full":true}}"#.into(),
        r#"{"timestamp":"t","type":"of_tomorrow","payload":{}}"#.into(),
        event(r#"{"type":"error","message":"oh"}"#),
    ]);
    let session = read(&text, "codex");
    assert_eq!(session.format.name(), "openai-responses");
    let expected =
        [permissions, &instructions, &context, &user("where am I?"), reasoning, call, output, &said("in /repo")];
    assert_eq!(texts(&session.messages), expected);
    assert_eq!(lines_of(&session.messages), [2, 3, 4, 5, 8, 9, 12, 13]);
    assert_eq!(
        roles(&session.messages),
        ["system", "user", "user", "user", "assistant", "assistant", "tool", "assistant"]
    );
    let provenances: Vec<Provenance> = session.messages.iter().map(|message| message.provenance).collect();
    use Provenance::{Injected, Instructions, Plain};
    assert_eq!(provenances, [Injected, Instructions, Injected, Plain, Plain, Plain, Plain, Plain]);
    let usage = |input| Some(Usage { input, output: 7, cache_read: 40, cache_write: 0 });
    let usages: Vec<Option<Usage>> = session.messages.iter().map(|message| message.usage).collect();
    assert_eq!(usages, [None, None, None, None, None, usage(100), None, usage(120)]);
    assert_eq!(
        skipped(&session),
        [
            (1, "metadata"),
            (6, "progress"),
            (7, "metadata"),
            (10, "progress"),
            (11, "progress"),
            (14, "progress"),
            (15, "progress"),
            (16, "snapshot"),
            (17, "metadata"),
            (18, "unknown-type"),
            (19, "system-note"),
        ]
    );
    assert_eq!(codes(&session), []);
    assert!(session.folds.is_empty() && session.branches.is_empty() && session.container.is_none());
    let other = SessionOptions { branch: Some("x"), ..SessionOptions::default() };
    assert_eq!(read_session_with(text.as_bytes(), &other).unwrap_err().code, ErrorCode::BadArgument);
}

#[test]
fn an_old_rollout_holds_bare_items() {
    let text = strings(&[
        r#"{"id":"s","timestamp":"t","instructions":null,"git":{}}"#.into(),
        r#"{"record_type":"state"}"#.into(),
        user("hi"),
        said("hello"),
        r#"{"record_type":"state"}"#.into(),
        r#"{"type":"message","role":"user"}"#.into(),
    ]);
    let session = read(&text, "codex");
    assert_eq!(texts(&session.messages), [user("hi"), said("hello")]);
    assert_eq!(skipped(&session), [(1, "metadata"), (2, "metadata"), (5, "metadata"), (6, "unreadable")]);
    assert_eq!(codes(&session), [(6, SessionProblemCode::NotAMessage)]);
}

const PREFIX: &str = "Another language model started to solve this problem and produced a summary of it. So far:";

#[test]
fn a_replacement_is_the_window_after_a_compaction() {
    let summary = user(&format!("{PREFIX} all done"));
    let fresh = user("<environment_context>new");
    let history = [fresh.clone(), user("one"), summary.clone()].join(",");
    let text = strings(&[
        META.into(),
        item(&user("one")),
        item(&said("1")),
        item(&user("two")),
        item(&said("2")),
        compacted(&format!(r#"{{"message":"{PREFIX} all done","replacement_history":[{history}],"window_number":1}}"#)),
        event(r#"{"type":"context_compacted"}"#),
        item(&user("three")),
    ]);
    let session = read(&text, "codex");
    assert_eq!(texts(&session.messages), [fresh.clone(), user("one"), summary.clone(), user("three")]);
    // What was kept came from where it stood first.
    assert_eq!(lines_of(&session.messages), [6, 2, 6, 8]);
    let fold = &session.folds[0];
    assert_eq!(fold.line, 6);
    assert_eq!(texts(&fold.originals), [user("one"), said("1"), user("two"), said("2")]);
    assert_eq!((&fold.before[..], &fold.kept[..]), (&[0][..], &[][..]));
    assert_eq!(texts(&fold.digest), [summary]);
    let fillers: Vec<(u32, String)> =
        fold.fillers.iter().map(|(at, message)| (*at, texts(std::slice::from_ref(message))[0].clone())).collect();
    assert_eq!(fillers, [(0, fresh)]);
    assert_eq!(whole(&session), [user("one"), said("1"), user("two"), said("2"), user("three")]);
    assert_eq!(skipped(&session), [(1, "metadata"), (7, "system-note")]);
}

#[test]
fn a_sealed_summary_and_folds_of_folds() {
    let sealed = |id: &str| format!(r#"{{"type":"compaction","id":"{id}","encrypted_content":"x{id}"}}"#);
    let replaced =
        |items: &[String]| compacted(&format!(r#"{{"message":"","replacement_history":[{}]}}"#, items.join(",")));
    let text = strings(&[
        item(&user("one")),
        item(&said("1")),
        replaced(&[user("one"), sealed("a")]),
        item(&user("two")),
        item(&said("2")),
        replaced(&[user("one"), user("two"), sealed("b")]),
        item(&user("three")),
    ]);
    let session = read(&text, "codex");
    assert_eq!(texts(&session.messages), [user("one"), user("two"), sealed("b"), user("three")]);
    assert_eq!(texts(&session.folds[1].originals), [user("one"), sealed("a"), user("two"), said("2")]);
    assert_eq!(session.folds[1].before, [0, 2]);
    assert_eq!(session.messages[2].provenance, Provenance::Summary);
    assert_eq!(whole(&session), [user("one"), said("1"), user("two"), said("2"), user("three")]);
}

#[test]
fn without_a_replacement_the_window_is_rebuilt() {
    let long = user(&"x".repeat(60_000));
    let text = strings(&[
        item(&user("<environment_context>old")),
        item(&user("too far back")),
        item(&long),
        item(&long.replace("xx", "xy")),
        item(&user("two")),
        item(&said("2")),
        compacted(r#"{"message":"so \u0066ar"}"#),
        item(&user("three")),
    ]);
    let session = read(&text, "codex");
    let digest = r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"so \u0066ar"}]}"#;
    let kept = [long.clone(), long.replace("xx", "xy"), user("two")];
    assert_eq!(texts(&session.messages), [&kept[..], &[digest.into(), user("three")]].concat());
    assert_eq!(session.folds[0].before, [2, 3, 4]);
    assert_eq!(whole(&session).len(), 7);
    let empty = read_session(b"{\"type\":\"compacted\",\"payload\":{\"message\":\"\"}}").unwrap();
    assert!(texts(&empty.messages)[0].contains("(no summary available)"));
    assert!(empty.folds[0].is_gone());
}

#[test]
fn entries_name_earlier_items() {
    let named = |id: &str, text: &str| {
        format!(r#"{{"type":"message","id":"{id}","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#)
    };
    let summary = named("s", &format!("{PREFIX} x"));
    let entries = format!(
        r#"[{{"type":"reference","item_id":"m1"}},{{"type":"reference_v2","item_id":"m2","source_digest":"d"}},{{"type":"reference","item_id":"gone"}},{{"type":"reference","item_id":"s"}},{{"type":"inline","item":{summary}}}]"#
    );
    let text = strings(&[
        item(&named("m1", "one")),
        item(&said("1")),
        item(&named("m2", "two")),
        compacted(&format!(r#"{{"message":"","replacement_history_entries":{entries}}}"#)),
        item(&user("three")),
        compacted(r#"{"message":"","replacement_history_entries":[{"type":"reference","item_id":"s"}]}"#),
    ]);
    let session = read(&text, "codex");
    assert_eq!(texts(&session.messages), [named("m1", "one"), named("m2", "two"), summary, user("three")]);
    assert_eq!(session.folds[0].before, [0, 2]);
    // "gone" and "s" of the same compaction; the second compaction has no summary of its own.
    let missing = SessionProblemCode::MissingPreserved;
    assert_eq!(codes(&session), [(4, missing), (6, SessionProblemCode::BoundaryWithoutSummary)]);
    assert_eq!(skipped(&session), [(6, "unreadable")]);
    assert_eq!(whole(&session), [named("m1", "one"), said("1"), named("m2", "two"), user("three")]);
}

#[test]
fn a_summary_that_nothing_tells_and_a_history_elsewhere() {
    let history = [user("what I know"), user("one"), said("1")].join(",");
    let text = strings(&[
        r#"{"type":"session_meta","payload":{"id":"s","history_base":{"thread_id":"t","end_ordinal_exclusive":4}}}"#
            .into(),
        item(&user("one")),
        item(&said("1")),
        item(&user("two")),
        compacted(&format!(r#"{{"replacement_history":[{history}]}}"#)),
    ]);
    let session = read(&text, "codex");
    assert_eq!(texts(&session.messages), [user("what I know"), user("one"), said("1")]);
    assert_eq!(session.folds[0].kept, [0, 1]);
    use SessionProblemCode::{BoundaryWithoutSummary, MissingParent};
    assert_eq!(codes(&session), [(1, MissingParent), (5, BoundaryWithoutSummary)]);
    assert_eq!(whole(&session), [user("one"), said("1"), user("two")]);
}

fn rolled_back(turns: u32) -> String {
    event(&format!(r#"{{"type":"thread_rolled_back","num_turns":{turns}}}"#))
}

#[test]
fn turns_are_taken_back() {
    let context = user("<environment_context>again");
    let text = strings(&[
        item(&user("<environment_context>first")),
        item(&user("one")),
        item(&said("1")),
        item(&context),
        item(&user("two")),
        item(&said("2")),
        rolled_back(1),
        item(&user("other")),
    ]);
    let session = read(&text, "codex");
    assert_eq!(lines_of(&session.messages), [1, 2, 3, 8]);
    let other = "other-branch";
    assert_eq!(skipped(&session), [(4, other), (5, other), (6, other), (7, "system-note")]);
    let all = read_session_text(&format!("{text}{}\n", rolled_back(99)));
    assert_eq!(all, [1]);
}

fn read_session_text(text: &str) -> Vec<u32> {
    lines_of(&read(text, "codex").messages)
}

#[test]
fn a_compaction_goes_with_its_turn() {
    let summary = user(&format!("{PREFIX} x"));
    let started = event(r#"{"type":"task_started"}"#);
    let fold = compacted(&format!(r#"{{"message":"","replacement_history":[{},{summary}]}}"#, user("one")));
    // The compaction comes before the user's message, in one turn with it.
    let before = |back: u32| {
        let lines = [
            started.clone(),
            item(&user("one")),
            item(&said("1")),
            started.clone(),
            fold.clone(),
            item(&user("two")),
            item(&said("2")),
            rolled_back(back),
        ];
        strings(&lines)
    };
    let text = before(1);
    let session = read(&text, "codex");
    assert!(session.folds.is_empty());
    assert_eq!(texts(&session.messages), [user("one"), said("1")]);
    let (note, other) = ("system-note", "other-branch");
    assert_eq!(skipped(&session), [(1, "progress"), (4, "progress"), (5, other), (6, other), (7, other), (8, note)]);
    // After it, in a turn of its own: it stays until the turn before it goes.
    let alone = |back: u32| {
        let lines = [
            started.clone(),
            item(&user("one")),
            item(&said("1")),
            started.clone(),
            fold.clone(),
            started.clone(),
            item(&user("two")),
            rolled_back(back),
        ];
        strings(&lines)
    };
    let text = alone(1);
    let session = read(&text, "codex");
    assert_eq!(texts(&session.messages), [user("one"), summary.clone()]);
    assert_eq!(session.folds.len(), 1);
    assert!(read_session_text(&alone(2)).is_empty());
}

#[test]
fn messages_between_agents_are_items() {
    let text = strings(&[
        META.into(),
        r#"{"type":"inter_agent_communication","payload":{"author":"/a","recipient":"/b","content":"do \u0069t","trigger_turn":true}}"#.into(),
        item(&said("done")),
    ]);
    let session = read(&text, "codex");
    let expected = r#"{"type":"agent_message","author":"/a","recipient":"/b","content":[{"type":"input_text","text":"do \u0069t"}]}"#;
    assert_eq!(texts(&session.messages)[0], expected);
}

// ---------------------------------------------------------------- opencode

fn entry(info: &str, parts: &[&str]) -> String {
    format!(r#"{{"info":{{{info}}},"parts":[{}]}}"#, parts.join(","))
}

fn asks(id: &str, text: &str) -> String {
    entry(&format!(r#""id":"{id}","role":"user""#), &[&format!(r#"{{"id":"p{id}","type":"text","text":"{text}"}}"#)])
}

fn answers(id: &str, text: &str) -> String {
    let info = format!(r#""id":"{id}","role":"assistant","finish":"stop""#);
    entry(&info, &[r#"{"type":"step-start"}"#, &format!(r#"{{"type":"text","text":"{text}"}}"#)])
}

fn compaction(id: &str, rest: &str) -> String {
    let part = format!(r#"{{"type":"compaction","auto":true{rest}}}"#);
    entry(&format!(r#""id":"{id}","role":"user""#), &[&part])
}

fn summary(id: &str, parent: &str, rest: &str) -> String {
    let info = format!(r#""id":"{id}","role":"assistant","summary":true,"parentID":"{parent}"{rest}"#);
    entry(&info, &[r###"{"type":"text","text":"## Goal"}"###])
}

fn ui(id: &str, role: &str, text: &str) -> String {
    let step = if role == "assistant" { r#"{"type":"step-start"},"# } else { "" };
    format!(r#"{{"id":"{id}","role":"{role}","parts":[{step}{{"type":"text","text":"{text}"}}]}}"#)
}

const QUESTION: &str = r#""parts":[{"type":"text","text":"What did we do so far?"}]}"#;

fn question(id: &str) -> String {
    format!(r#"{{"id":"{id}","role":"user",{QUESTION}"#)
}

fn goal(id: &str) -> String {
    format!(r###"{{"id":"{id}","role":"assistant","parts":[{{"type":"text","text":"## Goal"}}]}}"###)
}

#[test]
fn an_opencode_export_is_what_the_model_saw() {
    let parts = [
        r#"{"type":"text","text":"look at \u0041"}"#,
        r#"{"type":"text","text":"for you only","ignored":true}"#,
        r#"{"type":"text","text":"Called the Read tool","synthetic":true}"#,
        r#"{"type":"file","mime":"text/plain","url":"file:///a","filename":"a"}"#,
        r#"{"type":"file","mime":"image/png","url":"data:image/png;base64,AA","filename":"a.png"}"#,
        r#"{"type":"agent","name":"build"}"#,
        r#"{"type":"subtask","prompt":"p","description":"d","agent":"a"}"#,
    ];
    let tool = |state: &str| format!(r#"{{"id":"t","type":"tool","callID":"c","tool":"read","state":{state}}}"#);
    let calls = [
        tool(r#"{"status":"completed","input":{"n":1234567890123456789,"a":1.0},"output":"A","time":{"start":1}}"#),
        tool(
            r#"{"status":"completed","input":{},"output":"B","time":{},"attachments":[{"mime":"image/png","url":"u"}]}"#,
        ),
        tool(r#"{"status":"completed","input":{},"output":"C","time":{"compacted":3}}"#),
        tool(r#"{"status":"error","input":{},"error":"no"}"#),
        tool(r#"{"status":"error","input":{},"error":"no","metadata":{"interrupted":true,"output":"half"}}"#),
        tool(r#"{"status":"running","input":{}}"#),
    ];
    let mut all = vec![
        r#"{"type":"step-start","snapshot":"s"}"#,
        r#"{"type":"reasoning","text":"hm","metadata":{"anthropic":{"signature":"x"}}}"#,
    ];
    all.extend(calls.iter().map(String::as_str));
    all.extend([r#"{"type":"step-finish","reason":"stop"}"#, r#"{"type":"patch","hash":"h","files":[]}"#]);
    all.push(r#"{"type":"retry","attempt":1}"#);
    let tokens = r#","tokens":{"input":10,"output":5,"reasoning":2,"cache":{"read":30,"write":4}}"#;
    let text = format!(
        "{{\n \"info\": {{\"id\":\"ses\",\"title\":\"x\"}},\n \"messages\": [\n{},\n{},\n{},\n{},\n{}\n]}}\n",
        entry(r#""id":"m1","role":"user""#, &parts),
        entry(&format!(r#""id":"m2","role":"assistant"{tokens}"#), &all),
        entry(r#""id":"m3","role":"assistant","error":{"name":"APIError"}"#, &[r#"{"type":"text","text":"x"}"#]),
        entry(
            r#""id":"m4","role":"assistant","error":{"name":"MessageAbortedError"}"#,
            &[r#"{"type":"text","text":"y"}"#]
        ),
        entry(r#""id":"m5","role":"user""#, &[]),
    );
    let session = read(&text, "opencode");
    assert_eq!(session.format.name(), "ai-sdk-ui");
    let user = r#"{"id":"m1","role":"user","parts":[{"type":"text","text":"look at \u0041"},{"type":"text","text":"Called the Read tool"},{"type":"file","url":"data:image/png;base64,AA","mediaType":"image/png","filename":"a.png"},{"type":"text","text":"The following tool was executed by the user"}]}"#;
    let call = |rest: &str| format!(r#"{{"type":"tool-read","toolCallId":"c","input":{rest}}}"#);
    let answer = [
        r#"{"type":"step-start"}"#.to_string(),
        r#"{"type":"reasoning","text":"hm","providerMetadata":{"anthropic":{"signature":"x"}}}"#.into(),
        call(r#"{"n":1234567890123456789,"a":1.0},"state":"output-available","output":"A""#),
        call(r#"{},"state":"output-available","output":{"text":"B","attachments":[{"mime":"image/png","url":"u"}]}"#),
        call(r#"{},"state":"output-available","output":"[Old tool result content cleared]""#),
        call(r#"{},"state":"output-error","errorText":"no""#),
        call(r#"{},"state":"output-available","output":"half""#),
        call(r#"{},"state":"output-error","errorText":"[Tool execution was interrupted]""#),
    ];
    let answer = format!(r#"{{"id":"m2","role":"assistant","parts":[{}]}}"#, answer.join(","));
    let aborted = r#"{"id":"m4","role":"assistant","parts":[{"type":"text","text":"y"}]}"#;
    assert_eq!(texts(&session.messages), [user, &answer, aborted]);
    assert_eq!(lines_of(&session.messages), [4, 5, 7]);
    let usage = Usage { input: 44, output: 5, cache_read: 30, cache_write: 4 };
    assert_eq!(session.messages[1].usage, Some(usage));
    assert_eq!(skipped(&session), [(6, "api-error"), (8, "system-note")]);
    assert_eq!(codes(&session), [(5, SessionProblemCode::ClearedOutput)]);
}

#[test]
fn an_opencode_compaction_is_a_question_and_its_summary() {
    for (joint, start, end) in
        [("\n", "", "\n"), (",\n", "[", "]"), (",\n", r#"{"info":{"id":"s"},"messages":["#, "]}")]
    {
        let lines = [
            asks("m1", "one"),
            answers("m2", "1"),
            asks("m3", "two"),
            answers("m4", "2"),
            compaction("m5", r#","tail_start_id":"m3""#),
            summary("m6", "m5", r#","finish":"stop""#),
            asks("m7", "three"),
        ];
        let text = format!("{start}{}{end}", lines.join(joint));
        let session = read(&text, "opencode");
        let (two, answer) = (ui("m3", "user", "two"), ui("m4", "assistant", "2"));
        let window = [question("m5"), goal("m6"), two.clone(), answer.clone(), ui("m7", "user", "three")];
        assert_eq!(texts(&session.messages), window);
        let fold = &session.folds[0];
        assert_eq!((fold.line, fold.trigger.as_deref()), (5, Some("auto")));
        assert_eq!(fold.kept, [2, 3]);
        assert_eq!(texts(&fold.digest), [question("m5"), goal("m6")]);
        let one = [ui("m1", "user", "one"), ui("m2", "assistant", "1"), two, answer, ui("m7", "user", "three")];
        assert_eq!(whole(&session), one);
    }
}

#[test]
fn opencode_summaries_that_do_not_count() {
    let base = [asks("m1", "one"), answers("m2", "1"), compaction("m3", "")];
    let with = |rest: &[String]| strings(&[&base[..], rest].concat());
    // Not finished, then failed, then one that counts, then one too many.
    let text = with(&[
        summary("m4", "m3", ""),
        summary("m5", "m3", r#","finish":"stop","error":{"name":"APIError"}"#),
        summary("m6", "m3", r#","finish":"stop""#),
        summary("m7", "m3", r#","finish":"stop""#),
    ]);
    let session = read(&text, "opencode");
    assert_eq!(texts(&session.messages), [question("m3"), goal("m6"), goal("m4"), goal("m7")]);
    assert_eq!(session.folds.len(), 1);
    assert_eq!(skipped(&session), [(5, "api-error")]);
    // A tail that is not there; a summary that no question asked for, as there were before.
    let text = strings(&[
        asks("m1", "one"),
        compaction("m3", r#","tail_start_id":"m0""#),
        summary("m4", "m3", r#","finish":"stop""#),
        answers("m5", "2"),
        summary("m6", "m1", r#","time":{"completed":5}"#),
        asks("m7", "three"),
    ]);
    let session = read(&text, "opencode");
    assert_eq!(texts(&session.messages), [goal("m6"), ui("m7", "user", "three")]);
    assert_eq!(codes(&session), [(2, SessionProblemCode::MissingPreserved)]);
    assert_eq!(whole(&session), [ui("m1", "user", "one"), ui("m5", "assistant", "2"), ui("m7", "user", "three")]);
}

#[test]
fn cleared_outputs_come_back_with_their_fold() {
    let call = |id: &str| {
        let part = r#"{"type":"tool","callID":"c","tool":"ls","state":{"status":"completed","input":{},"output":"long","time":{"compacted":9}}}"#;
        entry(&format!(r#""id":"{id}","role":"assistant""#), &[part])
    };
    let text = strings(&[
        asks("m1", "one"),
        call("m2"),
        asks("m3", "two"),
        call("m4"),
        compaction("m5", r#","tail_start_id":"m3""#),
        summary("m6", "m5", r#","finish":"stop""#),
    ]);
    let session = read(&text, "opencode");
    assert!(texts(&session.messages)[3].contains("[Old tool result content cleared]"));
    assert!(whole(&session)[1].contains(r#""output":"long""#));
    assert_eq!(codes(&session), [(4, SessionProblemCode::ClearedOutput)]);
}

#[test]
fn an_opencode_session_may_have_been_taken_back() {
    let messages = [asks("m1", "one"), answers("m2", "1"), asks("m3", "two"), answers("m4", "2")].join(",\n");
    let revert = |point: &str| format!(r#""info":{{"id":"s","revert":{{{point}}}}}"#);
    let first = format!("{{{},\n\"messages\":[{messages}]}}", revert(r#""messageID":"m3""#));
    let last = format!("{{\n\"messages\":[{messages}],{}}}", revert(r#""messageID":"m3""#));
    for text in [first, last] {
        let session = read(&text, "opencode");
        assert_eq!(texts(&session.messages), [ui("m1", "user", "one"), ui("m2", "assistant", "1")]);
        assert_eq!(skipped(&session).iter().map(|(_, code)| *code).collect::<Vec<_>>(), ["other-branch"; 2]);
    }
    let both = entry(
        r#""id":"m0","role":"user""#,
        &[r#"{"id":"a","type":"text","text":"x"}"#, r#"{"id":"b","type":"text","text":"y"}"#],
    );
    let text = format!("{{{},\"messages\":[{both},\n{messages}]}}", revert(r#""messageID":"m0","partID":"b""#));
    let session = read(&text, "opencode");
    assert_eq!(texts(&session.messages), [ui("m0", "user", "x")]);
}

#[test]
fn opencode_records_of_the_wrong_shape() {
    let odd = r#"{"info":{"id":"m2","role":"user"},"parts":[{"type":"text"},{"x":1},{"type":"tool"},{"type":"text","text":"b"}]}"#;
    let text = strings(&[
        asks("m1", "one"),
        asks("m1", "again"),
        odd.into(),
        r#"{"info":{"role":5},"parts":{}}"#.into(),
        r#"{"info":{"role":"system"},"parts":[]}"#.into(),
        "7".into(),
    ]);
    let session = read(&text, "opencode");
    assert_eq!(texts(&session.messages), [ui("m1", "user", "one"), ui("m2", "user", "b")]);
    use SessionProblemCode::{DuplicateUuid, NotAMessage};
    assert_eq!(codes(&session), [(2, DuplicateUuid), (3, NotAMessage), (4, NotAMessage), (6, NotAMessage)]);
    assert_eq!(skipped(&session), [(2, "duplicate"), (4, "unreadable"), (5, "unknown-type"), (6, "unreadable")]);
    let total = |total: u32| {
        let info = format!(
            r#""id":"m","role":"assistant","tokens":{{"total":{total},"input":1,"output":10,"reasoning":5,"cache":{{"read":0,"write":0}}}}"#
        );
        let text = entry(&info, &[r#"{"type":"text","text":"x"}"#]);
        read(&text, "opencode").messages[0].usage.unwrap().output
    };
    assert_eq!((total(16), total(11)), (15, 10));
}

#[test]
fn version_two_of_opencode_is_flat() {
    let flat = |kind: &str, id: &str, rest: &str| {
        format!(r#"{{"id":"msg_{id}","type":"{kind}","time":{{"created":1}}{rest}}}"#)
    };
    let model = r#","agent":"build","model":{"id":"m","providerID":"p"}"#;
    let answer = format!(
        r#"{model},"content":[{{"type":"reasoning","text":"hm","state":{{"s":1}}}},{{"type":"text","text":"1"}},{{"type":"tool","id":"c","name":"ls","state":{{"status":"completed","input":{{}},"content":[{{"type":"text","text":"a"}}],"structured":{{}}}}}},{{"type":"tool","id":"d","name":"rm","executed":true,"state":{{"status":"error","input":{{}},"error":{{"message":"no"}}}}}},{{"type":"tool","id":"e","name":"cp","state":{{"status":"running","input":{{}}}}}}],"tokens":{{"input":1,"output":2,"reasoning":0,"cache":{{"read":3,"write":0}}}}"#
    );
    let picture = r#","text":"one","files":[{"mime":"image/png","data":"AA","name":"a.png"}]"#;
    let lines = [
        flat("user", "1", picture),
        flat("assistant", "2", &answer),
        flat("model-switched", "3", ""),
        flat("shell", "4", r#","command":"ls","output":{"output":"a\n"}"#),
        flat("compaction", "5", r#","status":"failed","summary":"x","recent":"""#),
        flat("synthetic", "6", r#","text":"go on""#),
        flat("compaction", "7", r#","reason":"manual","summary":"so far","recent":"[User]: one""#),
        flat("system", "8", r#","text":"be good""#),
        flat("assistant", "9", r#","content":[]"#),
        flat("later", "10", ""),
        flat("user", "11", r#","text":"two""#),
    ];
    let digest = r#"{"id":"msg_7","role":"user","parts":[{"type":"text","text":"<conversation-checkpoint>\n<summary>\nso far\n</summary>\n\n<recent-context>\n[User]: one\n</recent-context>\n</conversation-checkpoint>"}]}"#;
    let expected = [
        r#"{"id":"msg_1","role":"user","parts":[{"type":"text","text":"one"},{"type":"file","url":"data:image/png;base64,AA","mediaType":"image/png","filename":"a.png"}]}"#,
        r#"{"id":"msg_2","role":"assistant","parts":[{"type":"reasoning","text":"hm","providerMetadata":{"p":{"s":1}}},{"type":"text","text":"1"},{"type":"tool-ls","toolCallId":"c","input":{},"state":"output-available","output":[{"type":"text","text":"a"}]},{"type":"tool-rm","toolCallId":"d","input":{},"state":"output-error","errorText":"no","providerExecuted":true},{"type":"tool-cp","toolCallId":"e","input":{},"state":"input-available"}]}"#,
        r#"{"id":"msg_4","role":"user","parts":[{"type":"text","text":"Shell command: ls\n\na\n"}]}"#,
        r#"{"id":"msg_6","role":"user","parts":[{"type":"text","text":"go on"}]}"#,
        r#"{"id":"msg_8","role":"system","parts":[{"type":"text","text":"be good"}]}"#,
        r#"{"id":"msg_11","role":"user","parts":[{"type":"text","text":"two"}]}"#,
    ];
    for text in [strings(&lines), format!("[{}]", lines.join(",\n"))] {
        let session = read(&text, "opencode");
        assert_eq!(texts(&session.messages), [digest, expected[4], expected[5]]);
        assert_eq!(session.folds[0].trigger.as_deref(), Some("manual"));
        assert_eq!(session.folds[0].originals[1].usage.map(|usage| usage.input), Some(4));
        assert_eq!(session.folds[0].originals[3].provenance, Provenance::Injected);
        assert_eq!(whole(&session), expected);
        let (note, meta) = ("system-note", "metadata");
        assert_eq!(skipped(&session), [(3, meta), (5, note), (9, "api-error"), (10, "unknown-type")]);
    }
}

// ---------------------------------------------------------------- gemini-cli

const HEADER: &str = r#"{"sessionId":"s","projectHash":"h","startTime":"t","lastUpdated":"t"}"#;

fn turn(kind: &str, id: &str, rest: &str) -> String {
    format!(r#"{{"id":"{id}","timestamp":"t","type":"{kind}",{rest}}}"#)
}

fn typed(id: &str, text: &str) -> String {
    turn("user", id, &format!(r#""content":[{{"text":"{text}"}}]"#))
}

fn spoken(id: &str, text: &str) -> String {
    turn("gemini", id, &format!(r#""content":"{text}""#))
}

fn content(role: &str, text: &str) -> String {
    format!(r#"{{"role":"{role}","parts":[{{"text":"{text}"}}]}}"#)
}

const SNAPSHOT: &str = "<state_snapshot>so far</state_snapshot>";
const ACKNOWLEDGED: &str = "Got it. Thanks for the additional context!";

#[test]
fn a_gemini_session_is_its_contents() {
    let calls = r#""content":"let me \u0073ee","thoughts":[{"subject":"Plan","description":"look \"up\"","timestamp":"t"},{"description":"go"}],
      "toolCalls":[{"id":"c1","name":"ls","args":{"n":1234567890123456789},"status":"success","result":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}}]},
                   {"id":"c2","name":"cat","args":{},"status":"success","result":"text"},
                   {"id":"c3","name":"rm","args":{},"status":"cancelled","result":null}],
      "tokens":{"input":100,"output":10,"cached":60,"thoughts":5,"tool":3,"total":118}"#;
    let list = [
        turn("user", "u0", r#""content":"<session_context>\nThis is the Gemini CLI""#),
        turn("user", "u1", r#""content":"hi""#),
        turn("info", "i1", r#""content":"updated""#),
        turn("user", "u2", r#""content":" /compress""#),
        turn("gemini", "g1", calls),
        turn("error", "e1", r#""content":"429""#),
        turn("user", "u3", r#""content":["see ",{"inlineData":{"mimeType":"image/png","data":"AA"}}]"#),
        turn("gemini", "g2", r#""content":"""#),
        turn("later", "x1", r#""content":"""#),
        turn("user", "u4", r#""content":true"#),
    ];
    let text = format!("{{\n\"sessionId\":\"s\",\"projectHash\":\"h\",\n\"messages\":[\n{}\n]}}", list.join(",\n"));
    let session = read(&text, "gemini-cli");
    assert_eq!(session.format.name(), "gemini");
    let model = r#"{"role":"model","parts":[{"text":"**Plan** look \"up\"","thought":true},{"text":"go","thought":true},{"text":"let me \u0073ee"},{"functionCall":{"id":"c1","name":"ls","args":{"n":1234567890123456789}}},{"functionCall":{"id":"c2","name":"cat","args":{}}},{"functionCall":{"id":"c3","name":"rm","args":{}}}]}"#;
    let responses = r#"{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}},{"functionResponse":{"id":"c2","name":"cat","response":{"output":"text"}}}]}"#;
    let picture = r#"{"role":"user","parts":[{"text":"see "},{"inlineData":{"mimeType":"image/png","data":"AA"}}]}"#;
    let context = content("user", r"<session_context>\nThis is the Gemini CLI");
    assert_eq!(texts(&session.messages), [&context, &content("user", "hi"), model, responses, picture]);
    assert_eq!(roles(&session.messages), ["user", "user", "assistant", "user", "user"]);
    assert_eq!(session.messages[0].provenance, Provenance::Injected);
    let usage = Usage { input: 103, output: 15, cache_read: 60, cache_write: 0 };
    assert_eq!(session.messages[2].usage, Some(usage));
    assert_eq!(lines_of(&session.messages), [4, 5, 8, 8, 14]);
    assert_eq!(
        skipped(&session),
        [
            (6, "system-note"),
            (7, "command"),
            (13, "api-error"),
            (15, "api-error"),
            (16, "unknown-type"),
            (17, "unreadable")
        ]
    );
    assert_eq!(codes(&session), [(17, SessionProblemCode::NotAMessage)]);
}

#[test]
fn lines_of_one_message_are_one_and_may_be_taken_back() {
    let text = strings(&[
        HEADER.into(),
        typed("u1", "one"),
        spoken("g1", "1"),
        r#"{"$set":{"lastUpdated":"t2"}}"#.into(),
        turn("gemini", "g1", r#""content":"1","tokens":{"input":5,"output":1}"#),
        typed("u2", "two"),
        spoken("g2", "2"),
        r#"{"$rewindTo":"u2"}"#.into(),
        typed("u3", "three"),
    ]);
    let session = read(&text, "gemini-cli");
    let expected = [content("user", "one"), content("model", "1"), content("user", "three")];
    assert_eq!(texts(&session.messages), expected);
    assert_eq!(session.messages[1].usage.map(|usage| usage.input), Some(5));
    assert_eq!(lines_of(&session.messages), [2, 5, 9]);
    let (meta, other) = ("metadata", "other-branch");
    assert_eq!(skipped(&session), [(1, meta), (3, "duplicate"), (4, meta), (6, other), (7, other), (8, "system-note")]);
    let text = format!("{text}{}\n{}\n", r#"{"$rewindTo":"u9"}"#, typed("u4", "four"));
    let session = read(&text, "gemini-cli");
    assert_eq!(texts(&session.messages), [content("user", "four")]);
    assert_eq!(codes(&session), [(10, SessionProblemCode::MissingParent)]);
}

fn set(messages: &[String]) -> String {
    format!(r#"{{"$set":{{"messages":[{}],"lastUpdated":"t"}}}}"#, messages.join(","))
}

#[test]
fn a_compression_sets_all_messages() {
    let (snapshot, ack) = (typed("s1", SNAPSHOT), spoken("a1", ACKNOWLEDGED));
    let before = [typed("u1", "one"), spoken("g1", "1"), typed("u2", "two"), spoken("g2", "2")];
    let list = set(&[snapshot.clone(), ack.clone(), before[2].clone(), before[3].clone()]);
    let masked = set(&[snapshot.clone(), ack.clone(), typed("u2", "masked"), typed("u3", "three")]);
    let text = strings(
        &[&[HEADER.to_string()], &before[..], &[list.clone(), typed("u3", "three")], std::slice::from_ref(&masked)]
            .concat(),
    );
    let session = read(&text, "gemini-cli");
    let digest = [content("user", SNAPSHOT), content("model", ACKNOWLEDGED)];
    let fold = &session.folds[0];
    assert_eq!(texts(&fold.digest), digest);
    // Neither stands as it was: one is masked, the other was taken out.
    assert_eq!(fold.kept, [0u32; 0]);
    assert_eq!(
        texts(&session.messages),
        [&digest[..], &[content("user", "masked"), content("user", "three")]].concat()
    );
    assert_eq!(lines_of(&session.messages), [6, 6, 8, 7]);
    // The same with the snapshot among the messages first, as it is recorded before the list.
    let text = strings(&[&[HEADER.to_string()], &before[..], &[snapshot, ack, list, typed("u3", "three")]].concat());
    let session = read(&text, "gemini-cli");
    assert_eq!(session.folds.len(), 1);
    assert_eq!(session.folds[0].kept, [2, 3]);
    let (two, answer) = (content("user", "two"), content("model", "2"));
    let all = [content("user", "one"), content("model", "1"), two, answer, content("user", "three")];
    assert_eq!(whole(&session), all);
    assert_eq!(skipped(&session), [(1, "metadata"), (6, "duplicate"), (7, "duplicate")]);
}

#[test]
fn a_snapshot_among_the_messages_is_a_fold() {
    let held = format!("Here: {SNAPSHOT}");
    let text = strings(&[
        HEADER.into(),
        typed("s0", SNAPSHOT),
        spoken("a0", ACKNOWLEDGED),
        typed("u1", "one"),
        spoken("g1", "1"),
        typed("s1", &held),
        spoken("a1", ACKNOWLEDGED),
        typed("u2", "two"),
        typed("u3", &held),
    ]);
    let session = read(&text, "gemini-cli");
    assert_eq!(session.folds.len(), 2);
    assert!(session.folds[0].is_gone());
    assert_eq!(session.folds[0].digest.len(), 2);
    assert_eq!(lines_of(&session.folds[1].originals), [2, 3, 4, 5]);
    // A snapshot that nobody acknowledged and that does not begin the text was quoted.
    assert_eq!(lines_of(&session.messages), [6, 7, 8, 9]);
    let first = [content("user", SNAPSHOT), content("model", ACKNOWLEDGED)];
    let rest = [content("user", "one"), content("model", "1"), content("user", "two"), content("user", &held)];
    assert_eq!(whole(&session), [&first[..], &rest[..]].concat());
}

#[test]
fn responses_stand_there_once() {
    let parts =
        r#"[{"text":"hm","thought":true},{"functionCall":{"id":"c1","name":"ls","args":{}},"thoughtSignature":"x"}]"#;
    let response = r#"{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}}"#;
    let call = format!(
        r#""content":{parts},"thoughts":[{{"subject":"a","description":"b"}}],"toolCalls":[{{"id":"c1","name":"ls","args":{{}},"result":[{response}]}}]"#
    );
    let answered = turn("user", "u2", &format!(r#""content":[{response}]"#));
    let text = strings(&[HEADER.into(), typed("u1", "one"), turn("gemini", "g1", &call), answered]);
    let session = read(&text, "gemini-cli");
    let expected = [
        content("user", "one"),
        format!(r#"{{"role":"model","parts":{parts}}}"#),
        format!(r#"{{"role":"user","parts":[{response}]}}"#),
    ];
    assert_eq!(texts(&session.messages), expected);
}

// ---------------------------------------------------------------- all kinds

#[test]
fn documents_tell_how_far_they_were_read() {
    let entries: Vec<String> = (0..400).map(|n| asks(&format!("m{n}"), &"x".repeat(10_000))).collect();
    let text = format!("[{}]", entries.join(",\n"));
    let told = std::cell::RefCell::new(Vec::new());
    let tell = |read: usize| {
        told.borrow_mut().push(read);
        read < 2 << 20
    };
    let options = SessionOptions { progress: Some(&tell), ..SessionOptions::default() };
    assert_eq!(read_session_with(text.as_bytes(), &options).unwrap_err().code, ErrorCode::BadArgument);
    let told = told.into_inner();
    assert!(told.len() >= 2 && told[0] >= 1 << 20 && told.windows(2).all(|pair| pair[0] <= pair[1]), "{told:?}");
    let session = read(&text, "opencode");
    assert_eq!((session.messages.len(), session.messages[399].lines[0]), (400, 400));
}

#[test]
fn each_file_is_of_one_kind() {
    for (text, kind) in [
        (item(&user("a")), "codex"),
        (strings(&[r#"{"id":"s","timestamp":"t","instructions":null}"#.into(), user("a")]), "codex"),
        (asks("m", "a"), "opencode"),
        (format!("[{}]", asks("m", "a")), "opencode"),
        (format!("[{},{{\"info\"", asks("m", "a")), "opencode"),
        (format!("{{\"info\":{{}},\"messages\":[{},", asks("m", "a")), "opencode"),
        (strings(&["{\"broken".into(), asks("m", "a")]), "opencode"),
        (strings(&[HEADER.into(), typed("u", "a")]), "gemini-cli"),
        (strings(&[typed("u", "a"), spoken("g", "b")]), "gemini-cli"),
        (format!("{{\"sessionId\":\"s\",\"messages\":[{},", spoken("g", "a")), "gemini-cli"),
        (r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"a"}}"#.into(), "claude-code"),
        (format!("[{}]", content("user", "a")), "messages"),
        (format!("[{}]", user("a")), "messages"),
        (format!("[{}]", ui("m", "user", "a")), "messages"),
        (r#"{"messages":[{"role":"user","content":"a"}]}"#.into(), "messages"),
    ] {
        let session = read_session(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(session.kind.name(), kind, "{text}");
        assert!(!session.messages.is_empty(), "{text}");
        let claims = SessionKind::ALL.iter().filter(|kind| {
            let mut tape = Tape::new();
            let first = text.lines().next().unwrap();
            tape.parse(first.as_bytes()).is_ok_and(|value| kind.reader().recognises(value))
        });
        let header = text.starts_with(r#"{"sessionId""#);
        assert!(claims.count() <= 1 + usize::from(header), "{text}");
    }
    for (text, what) in [
        (r#"{"type":"response_item","payload":{}}"#, "Codex rollout without any item"),
        (HEADER, "gemini-cli session without any message"),
        (r#"{"info":{"role":"user"},"parts":[]}"#, ""),
        (r#"{"info":{"id":"s"},"messages":[]}"#, "opencode"),
    ] {
        match read_session(text.as_bytes()) {
            Ok(session) => assert!(what.is_empty() && session.messages.is_empty()),
            Err(error) => assert!(error.message.contains(what), "{}", error.message),
        }
    }
    assert!(refused(b"{\"info\":{},\"parts\":1}").contains("opencode"));
}

/// A file of each kind that has something of everything.
fn samples() -> Vec<String> {
    let summary_item = user(&format!("{PREFIX} x"));
    let named = r#"{"type":"message","id":"m1","role":"user","content":[{"type":"input_text","text":"é one"}]}"#;
    let codex = strings(&[
        META.into(),
        event(r#"{"type":"task_started"}"#),
        item(&user("<environment_context>x")),
        item(named),
        item(r#"{"type":"function_call","name":"a","arguments":"{}","call_id":"c"}"#),
        event(r#"{"type":"token_count","info":{"last_token_usage":{"input_tokens":5,"output_tokens":1}}}"#),
        item(r#"{"type":"function_call_output","call_id":"c","output":"b"}"#),
        compacted(&format!(
            r#"{{"message":"","replacement_history_entries":[{{"type":"reference","item_id":"m1"}},{{"type":"inline","item":{summary_item}}}]}}"#
        )),
        item(&user("two")),
        item(&said("2")),
        compacted(&format!(r#"{{"message":"","replacement_history":[{},{summary_item}]}}"#, user("two"))),
        item(&user("three")),
        rolled_back(1),
        compacted(r#"{"message":"rebuilt"}"#),
        item(&user("four")),
    ]);
    let call = r#"{"type":"tool","callID":"c","tool":"ls","state":{"status":"completed","input":{},"output":"é","time":{"compacted":9}}}"#;
    let entries = [
        asks("m1", "é one"),
        entry(r#""id":"m2","role":"assistant""#, &[call]),
        compaction("m5", r#","tail_start_id":"m2""#),
        summary("m6", "m5", r#","finish":"stop""#),
        asks("m7", "three"),
        compaction("m8", ""),
        summary("m9", "m8", r#","finish":"stop""#),
    ];
    let export = format!("{{\"info\":{{\"id\":\"s\"}},\n\"messages\":[\n{}\n]}}\n", entries.join(",\n"));
    let (snapshot, ack) = (typed("s1", SNAPSHOT), spoken("a1", ACKNOWLEDGED));
    let called = turn(
        "gemini",
        "g1",
        r#""content":"é","toolCalls":[{"id":"c1","name":"ls","args":{},"result":"x"}],"tokens":{"input":5}"#,
    );
    let list = set(&[snapshot.clone(), ack.clone(), called.clone()]);
    let mut gemini = vec![HEADER.to_string(), typed("u1", "one"), called.clone(), called, typed("u2", "/x")];
    gemini.extend([snapshot, ack, list, typed("u3", "three"), r#"{"$rewindTo":"u3"}"#.into(), typed("u4", "four")]);
    let messages = gemini[1..5].join(",\n");
    let session = format!("{{\"sessionId\":\"s\",\"projectHash\":\"h\",\n\"messages\":[\n{messages}\n]}}\n");
    let flat = [
        r#"{"id":"msg_1","type":"user","time":{"created":1},"text":"é one","files":[{"mime":"a/b","data":"AA"}]}"#,
        r#"{"id":"msg_2","type":"assistant","time":{"created":1},"model":{"providerID":"p"},"content":[{"type":"reasoning","text":"x","state":{}},{"type":"tool","id":"c","name":"ls","state":{"status":"error","input":{},"error":{"message":"no"}}}]}"#,
        r#"{"id":"msg_3","type":"compaction","time":{"created":1},"reason":"auto","summary":"s","recent":"r"}"#,
        r#"{"id":"msg_4","type":"shell","time":{"created":1},"command":"ls","output":{"output":"a"}}"#,
    ];
    vec![codex, strings(&entries), export, strings(&flat.map(String::from)), strings(&gemini), session]
}

fn seen(bytes: &[u8], ran: &mut usize) {
    *ran += 1;
    if let Ok(session) = read_session(bytes) {
        check_invariants(bytes, &session);
    }
}

#[test]
fn damaged_files_never_panic_and_lose_no_line() {
    let mut ran = 0;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for text in samples() {
        let bytes = text.as_bytes();
        for cut in 0..bytes.len() {
            seen(&bytes[..cut], &mut ran);
        }
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let mut dropped = lines.clone();
            dropped.remove(at);
            seen(dropped.join("\n").as_bytes(), &mut ran);
            let mut joined = lines.clone();
            let both = format!("{}{}", lines[at], lines[(at + 1) % lines.len()]);
            joined[at] = &both;
            seen(joined.join("\n").as_bytes(), &mut ran);
            for other in 0..lines.len() {
                let mut swapped = lines.clone();
                swapped.swap(at, other);
                seen(swapped.join("\n").as_bytes(), &mut ran);
                let mut doubled = lines.clone();
                doubled.insert(other, lines[at]);
                seen(doubled.join("\n").as_bytes(), &mut ran);
            }
        }
        for _ in 0..4000 {
            let mut damaged = bytes.to_vec();
            for _ in 0..=random(3) {
                let at = random(damaged.len());
                match random(4) {
                    0 => damaged[at] ^= 1 << random(8),
                    1 => damaged[at] = b"\0\xff\n{}[]\",:1"[random(11)],
                    2 => drop(damaged.remove(at)),
                    _ => {
                        let from = random(bytes.len());
                        let piece = bytes[from..(from + random(60)).min(bytes.len())].to_vec();
                        damaged.splice(at..at, piece);
                    }
                }
            }
            seen(&damaged, &mut ran);
        }
    }
    println!("{ran} damaged files");
}

/// Values of the wrong type in the place of every value.
#[test]
fn hostile_values_everywhere() {
    let mut ran = 0;
    for text in samples() {
        let mut tape = Tape::new();
        let mut spans = Vec::new();
        let mut at = 0;
        while let Ok((value, end)) = tape.parse_prefix(text.as_bytes(), at) {
            spans.extend(value.walk().map(|value| value.span()));
            at = plica::json::skip_space(text.as_bytes(), end);
        }
        for span in spans {
            for value in ["null", "1e999", "[]", "{}", "\"\"", "true", "[{}]", "-1", "\"\\ud800\""] {
                let damaged = format!("{}{value}{}", &text[..span.start], &text[span.end..]);
                seen(damaged.as_bytes(), &mut ran);
            }
        }
    }
    println!("{ran} damaged files");
}

#[test]
fn a_gemini_session_that_goes_back_behind_its_fold() {
    let head = r#"{"sessionId":"s","projectHash":"h","startTime":"t"}"#;
    let one = r#"{"id":"u1","type":"user","content":"one"}"#;
    let snapshot = r#"{"id":"u3","type":"user","content":[{"text":"<state_snapshot>x</state_snapshot>"}]}"#;
    let back = r#"{"$rewindTo":"u3"}"#;
    let two = r#"{"id":"u4","type":"user","content":"two"}"#;
    let file = [head, one, snapshot, back, two].join("\n");
    let session = read_session(file.as_bytes()).unwrap();
    let folds = plica::session::ledger_folds(&session).unwrap();
    let records: Vec<_> = folds.iter().map(|fold| fold.record.clone()).collect();
    let print = |message: &SessionMessage<'_>| {
        plica::fingerprint::message(plica::json::Tape::new().parse(&message.json).unwrap(), None)
    };
    let prints: Vec<_> = session.messages.iter().map(print).collect();
    assert_eq!(plica::ledger::unfold(&records, &prints).unwrap().len(), session.messages.len());
    assert!(session.folds.is_empty());
    assert!(session.problems.iter().any(|problem| problem.code == SessionProblemCode::FoldLeft));
    let skipped: Vec<u32> = session.skipped.iter().map(|skipped| skipped.line).collect();
    assert!([2, 3].iter().all(|line| skipped.contains(line)), "{skipped:?}");
    assert!(plica::document::inspect(file.as_bytes(), None).unwrap().all_messages >= 1);
}

#[test]
fn work_grows_with_the_file() {
    let kept = |text: &str| -> usize {
        let session = read_session(text.as_bytes()).unwrap();
        session.folds.iter().map(|fold| fold.originals.len()).sum()
    };
    let many = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(|i| format!("{}\n", line(i))).collect::<String>();
    let named = |i: usize| item(&user("x").replace(r#""role""#, &format!(r#""id":"m{i}","role""#)));
    let files = |n: usize| {
        let names: Vec<String> = (0..50).map(|i| format!(r#"{{"type":"reference","item_id":"m{i}"}}"#)).collect();
        let inline = format!(r#"{{"type":"inline","item":{}}}"#, user(&format!("{PREFIX} x")));
        let entries = compacted(&format!(r#"{{"replacement_history_entries":[{},{inline}]}}"#, names.join(",")));
        let large = user(&"x".repeat(50_000));
        let tail = |i: usize| compaction(&format!("c{i}"), r#","tail_start_id":"m0""#);
        [
            many(n, &named) + &many(n / 4, &|_| entries.clone()),
            many(n, &|_| item(&user(""))) + &many(n, &|_| compacted(r#"{"message":"x"}"#)),
            item(&large) + "\n" + &many(n, &|_| compacted(r#"{"message":"x"}"#)),
            many(n, &|_| item(&user("a"))) + &many(n, &|_| rolled_back(1)),
            many(n, &|i| asks(&format!("m{i}"), "x"))
                + &many(n, &|i| {
                    format!("{}\n{}", tail(i), summary(&format!("s{i}"), &format!("c{i}"), r#","finish":"x""#))
                }),
            HEADER.to_string() + "\n" + &many(n, &|i| typed(&format!("u{i}"), SNAPSHOT)),
            HEADER.to_string()
                + "\n"
                + &many(n, &|i| typed(&format!("u{}", i % 7), "x"))
                + &many(n, &|_| r#"{"$rewindTo":"u0"}"#.into()),
            HEADER.to_string()
                + "\n"
                + &many(n, &|i| set(&[typed(&format!("s{i}"), SNAPSHOT), typed("u1", "x"), typed("u2", "y")])),
        ]
    };
    for (which, (small, large)) in files(2000).iter().zip(&files(8000)).enumerate() {
        let (before, after) = (kept(small), kept(large));
        println!("{which}: {before} messages in folds, {after} in a file of four times the size");
        assert!(after <= before * 5 + 1000, "{which}: {before}, then {after}");
    }
}

/// Numbers that are the same in every run.
fn generator(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    }
}

#[test]
fn whatever_was_folded_comes_back() {
    let mut undone = 0;
    for seed in 1..400_u64 {
        let mut random = generator(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        // What was said, and what of it (or of digests) the window holds: the kind's own record each time.
        let (mut said_all, mut window, mut codex): (Vec<String>, Vec<String>, Vec<String>) = Default::default();
        let (mut entries, mut tails): (Vec<String>, Vec<String>) = Default::default();
        let (mut turns, mut shown, mut contents): (Vec<String>, Vec<String>, Vec<String>) =
            (vec![HEADER.into()], Vec::new(), Vec::new());
        for n in 0..3 + random(40) {
            let id = format!("m{n}");
            if random(5) > 0 {
                let (item_text, entry_text, turn_text, role) = match random(2) {
                    0 => (user(&id), asks(&id, &id), typed(&id, &id), "user"),
                    _ => (said(&id), answers(&id, &id), spoken(&id, &id), "model"),
                };
                said_all.push(item_text.clone());
                window.push(item_text.clone());
                codex.push(item(&item_text));
                entries.push(entry_text);
                tails.push(id.clone());
                turns.push(turn_text.clone());
                shown.push(turn_text);
                contents.push(content(role, &id));
                continue;
            }
            let summary_text = format!("{PREFIX} {id}");
            let mut kept: Vec<String> = window.iter().filter(|_| random(3) == 0).cloned().collect();
            if random(2) == 0 {
                kept.insert(random(kept.len() + 1), user(&format!("<environment_context>{id}")));
            }
            kept.insert(random(kept.len() + 1), user(&summary_text));
            let payload = format!(r#"{{"message":"{summary_text}","replacement_history":[{}]}}"#, kept.join(","));
            codex.push(compacted(&payload));
            window = kept;

            let from = random(tails.len() + 1);
            let tail = tails.get(from).map_or(String::new(), |id| format!(r#","tail_start_id":"{id}""#));
            entries.push(compaction(&format!("c{n}"), &tail));
            entries.push(summary(&format!("s{n}"), &format!("c{n}"), r#","finish":"stop""#));
            tails.drain(..from);
            tails.splice(0..0, [format!("c{n}"), format!("s{n}")]);

            let from = random(shown.len() + 1);
            shown.drain(..from);
            shown.splice(
                0..0,
                [typed(&format!("s{n}"), &format!("<state_snapshot>{n}")), spoken(&format!("a{n}"), ACKNOWLEDGED)],
            );
            turns.push(set(&shown));
        }
        if said_all.is_empty() {
            continue;
        }
        let text = strings(&codex);
        let session = read(&text, "codex");
        // A fold of a window that was empty has nothing to give back: its digest stays.
        let expected = |all: &[String], session: &Session<'_>| {
            let gone = session.folds.iter().any(|fold| fold.is_gone());
            (!gone).then(|| all.to_vec())
        };
        if let Some(all) = expected(&said_all, &session) {
            undone += session.folds.len();
            assert_eq!(whole(&session), all, "seed {seed}\n{text}");
        }
        let text = strings(&entries);
        let session = read(&text, "opencode");
        let from_contents: Vec<String> = contents
            .iter()
            .map(|content| content.split(r#""text":""#).nth(1).unwrap().trim_end_matches("\"}]}").to_string())
            .collect();
        if !session.folds.iter().any(|fold| fold.is_gone()) {
            undone += session.folds.len();
            let all = whole(&session);
            assert_eq!(all.len(), from_contents.len(), "seed {seed}\n{text}");
            let same = |(one, id): (&String, &String)| one.contains(&format!(r#""text":"{id}""#));
            assert!(all.iter().zip(&from_contents).all(same), "seed {seed}\n{text}");
        }
        let text = strings(&turns);
        let session = read(&text, "gemini-cli");
        if let Some(all) = expected(&contents, &session) {
            undone += session.folds.len();
            assert_eq!(whole(&session), all, "seed {seed}\n{text}");
        }
    }
    assert!(undone > 2000, "{undone}");
}
