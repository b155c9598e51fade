//! Session files whose records are a tree: pi, and the branches of Claude Code. What the file's own folds took away comes
//! back through the ledger.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use plica::document::{self, fold, fold_session, unfold_session, FileOptions};
use plica::error::ErrorCode;
use plica::json::Tape;
use plica::ledger::{unfold, Origin};
use plica::message::{Provenance, Role};
use plica::plan::PlanOptions;
use plica::session::{
    ledger_folds, read_session, read_session_with, Session, SessionKind, SessionMessage, SessionOptions,
    SessionProblemCode, SkipCode, Usage,
};
use serde_json::{json, Value};
use std::cell::Cell;

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn texts(messages: &[SessionMessage<'_>]) -> Vec<String> {
    messages.iter().map(|message| String::from_utf8(message.json.to_vec()).unwrap()).collect()
}

/// What each message says, in short: its text or its summary.
fn said(messages: &[SessionMessage<'_>]) -> Vec<String> {
    let say = |message: &SessionMessage<'_>| {
        let value: Value = serde_json::from_slice(&message.json).unwrap();
        let text = value["content"].as_str().or_else(|| value["content"][0]["text"].as_str());
        text.or_else(|| value["summary"].as_str()).unwrap_or("?").to_string()
    };
    messages.iter().map(say).collect()
}

/// The whole conversation, through the ledger.
fn unfolded(session: &Session<'_>) -> Vec<String> {
    let folds = ledger_folds(session).unwrap();
    let records: Vec<_> = folds.iter().map(|fold| fold.record.clone()).collect();
    let print =
        |message: &SessionMessage<'_>| plica::fingerprint::message(Tape::new().parse(&message.json).unwrap(), None);
    let prints: Vec<_> = session.messages.iter().map(print).collect();
    let original = |origin: Origin| match origin {
        Origin::Window(index) => session.messages[index as usize].clone(),
        Origin::Fold { fold, index } => {
            let place = folds[fold as usize].folded[index as usize];
            session.folds[fold as usize].originals[place as usize].clone()
        }
    };
    said(&unfold(&records, &prints).unwrap().into_iter().map(original).collect::<Vec<_>>())
}

fn read_branch<'s>(file: &'s str, branch: &str) -> Session<'s> {
    read_session_with(file.as_bytes(), &SessionOptions { branch: Some(branch), ..SessionOptions::default() }).unwrap()
}

// ------------------------------------------------------------------------------------------------------------- pi

const TIME: &str = "2026-01-02T03:04:05.678Z";
const TIME_MS: u64 = 1_767_323_045_678;

fn header() -> Value {
    json!({ "type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": "/garden" })
}

fn pi(id: &str, parent: Value, role: &str, text: &str) -> Value {
    let content = json!([{ "type": "text", "text": text }]);
    json!({ "type": "message", "id": id, "parentId": parent, "timestamp": TIME, "message": { "role": role, "content": content } })
}

fn compaction(id: &str, parent: &str, first: &str, summary: &str) -> Value {
    json!({ "type": "compaction", "id": id, "parentId": parent, "timestamp": TIME, "summary": summary, "firstKeptEntryId": first, "tokensBefore": 12345 })
}

#[test]
fn pi_folds_of_folds_come_back() {
    let mut answer = pi("b", json!("a"), "assistant", "two");
    answer["message"]["usage"] =
        json!({ "input": 7, "output": 5, "cacheRead": 100, "cacheWrite": 20, "totalTokens": 132 });
    let file = lines(&[
        header(),
        pi("a", Value::Null, "user", "one"),
        json!({ "type": "model_change", "id": "m", "parentId": "a", "timestamp": TIME, "provider": "p", "modelId": "q" }),
        answer,
        pi("c", json!("b"), "user", "three"),
        pi("d", json!("c"), "assistant", "four"),
        compaction("e", "d", "c", "first summary"),
        pi("f", json!("e"), "user", "five"),
        json!({ "type": "custom", "id": "x", "parentId": "f", "customType": "state", "data": 1 }),
        pi("g", json!("x"), "assistant", "six"),
        compaction("h", "g", "g", "second summary"),
        json!({ "type": "custom_message", "id": "i", "parentId": "h", "timestamp": TIME, "customType": "note", "content": "hook", "display": true, "details": 1.0 }),
        pi("j", json!("i"), "user", "seven"),
    ]);
    let session = read_session(file.as_bytes()).unwrap();
    assert_eq!((session.kind, session.format.name()), (SessionKind::Pi, "pi"));
    assert_eq!(session.problems, []);
    assert_eq!(said(&session.messages), ["second summary", "six", "hook", "seven"]);
    let [first, second] = &session.folds[..] else { panic!("two folds") };
    assert_eq!(
        (said(&first.originals), &first.kept),
        (["one", "two", "three", "four"].map(String::from).to_vec(), &vec![2, 3])
    );
    assert_eq!(said(&second.originals), ["first summary", "three", "four", "five", "six"]);
    assert_eq!((&second.kept, second.tokens_before, second.line), (&vec![4], Some(12345), 11));
    assert_eq!(unfolded(&session), ["one", "two", "three", "four", "five", "six", "hook", "seven"]);
    // As pi itself writes them, members in its order.
    assert_eq!(
        texts(&session.messages)[..1],
        [format!(
            r#"{{"role":"compactionSummary","summary":"second summary","tokensBefore":12345,"timestamp":{TIME_MS}}}"#
        )]
    );
    assert_eq!(
        texts(&session.messages)[2..3],
        [format!(
            r#"{{"role":"custom","customType":"note","content":"hook","display":true,"details":1.0,"timestamp":{TIME_MS}}}"#
        )]
    );
    let provenance: Vec<Provenance> = session.messages.iter().map(|message| message.provenance).collect();
    assert_eq!(provenance, [Provenance::Summary, Provenance::Plain, Provenance::Injected, Provenance::Plain]);
    let usage = Usage { input: 127, output: 5, cache_read: 100, cache_write: 20 };
    assert_eq!(
        first.originals.iter().map(|message| message.usage).collect::<Vec<_>>(),
        [None, Some(usage), None, None]
    );
    let skipped: Vec<(u32, SkipCode)> = session.skipped.iter().map(|s| (s.line, s.code)).collect();
    assert_eq!(skipped, [(1, SkipCode::Header), (3, SkipCode::Setting), (9, SkipCode::SystemNote)]);
    assert_eq!(session.branches.len(), 1);
}

#[test]
fn pi_branches_are_listed_and_chosen() {
    let file = lines(&[
        header(),
        pi("a", Value::Null, "user", "one"),
        pi("b", json!("a"), "assistant", "two"),
        pi("c", json!("b"), "user", "left"),
        pi("d", json!("c"), "assistant", "behind"),
        json!({ "type": "branch_summary", "id": "e", "parentId": "b", "timestamp": TIME, "fromId": "d", "summary": "what was left" }),
        pi("f", json!("e"), "user", "taken"),
    ]);
    let session = read_session(file.as_bytes()).unwrap();
    assert_eq!(said(&session.messages), ["one", "two", "what was left", "taken"]);
    let branches: Vec<_> = session.branches.iter().map(|b| (b.id.as_str(), b.line, b.records, b.active)).collect();
    assert_eq!(branches, [("d", 5, 4, false), ("f", 7, 4, true)]);
    assert_eq!(session.skipped.iter().filter(|s| s.code == SkipCode::OtherBranch).count(), 2);
    assert_eq!(said(&read_branch(&file, "d").messages), ["one", "two", "left", "behind"]);
    // Up to any record.
    assert_eq!(said(&read_branch(&file, "b").messages), ["one", "two"]);
    let missing = SessionOptions { branch: Some("nowhere"), ..SessionOptions::default() };
    let error = read_session_with(file.as_bytes(), &missing).unwrap_err();
    assert!(error.code == ErrorCode::BadArgument && error.message.contains("nowhere"), "{error}");
}

#[test]
fn pi_reads_the_older_linear_form() {
    let old = |role: &str, text: &str| json!({ "type": "message", "timestamp": TIME, "message": { "role": role, "content": [{ "type": "text", "text": text }] } });
    // The header is entry 0.
    let fold = json!({ "type": "compaction", "timestamp": TIME, "summary": "sum", "firstKeptEntryIndex": 4, "tokensBefore": 9 });
    let file = lines(&[
        json!({ "type": "session", "id": "s", "timestamp": TIME, "cwd": "/garden", "provider": "p", "modelId": "q" }),
        old("user", "one"),
        old("assistant", "two"),
        json!({ "type": "thinking_level_change", "timestamp": TIME, "thinkingLevel": "off" }),
        old("user", "three"),
        fold,
        old("assistant", "four"),
    ]);
    let session = read_session(file.as_bytes()).unwrap();
    assert_eq!(said(&session.messages), ["sum", "three", "four"]);
    assert_eq!(unfolded(&session), ["one", "two", "three", "four"]);
    let [branch] = &session.branches[..] else { panic!("one branch") };
    assert_eq!((branch.id.as_str(), branch.records, branch.active), ("line-7", 5, true));
}

#[test]
fn pi_damage_is_reported_and_the_rest_read() {
    let sound = [
        header(),
        pi("a", Value::Null, "user", "one"),
        pi("b", json!("a"), "assistant", "two"),
        pi("c", json!("b"), "user", "three"),
    ];
    let codes = |file: &str| {
        let session = read_session(file.as_bytes()).unwrap();
        let codes: Vec<SessionProblemCode> = session.problems.iter().map(|problem| problem.code).collect();
        (said(&session.messages), codes)
    };
    let without = |index: usize| {
        let mut records = sound.to_vec();
        records.remove(index);
        lines(&records)
    };
    let owned = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    assert_eq!(codes(&without(2)), (owned(&["one", "three"]), vec![SessionProblemCode::MissingParent]));
    assert_eq!(codes(&without(0)), (owned(&["one", "two", "three"]), vec![]));
    let circle = lines(&[header(), pi("a", json!("b"), "user", "one"), pi("b", json!("a"), "assistant", "two")]);
    assert_eq!(codes(&circle), (owned(&["one", "two"]), vec![SessionProblemCode::ParentLoop]));
    let twice = lines(&[header(), pi("a", Value::Null, "user", "one"), pi("a", Value::Null, "user", "again")]);
    assert_eq!(codes(&twice), (owned(&["again"]), vec![SessionProblemCode::DuplicateUuid]));
    let lost = lines(&[
        header(),
        pi("a", Value::Null, "user", "one"),
        compaction("b", "a", "gone", "sum"),
        pi("c", json!("b"), "user", "two"),
    ]);
    assert_eq!(codes(&lost), (owned(&["sum", "two"]), vec![SessionProblemCode::MissingPreserved]));
    let none = lines(&[
        header(),
        json!({ "type": "message", "id": "z", "parentId": null, "message": { "content": 1 } }),
        sound[1].clone(),
    ]);
    assert_eq!(codes(&none), (owned(&["one"]), vec![SessionProblemCode::NotAMessage]));
}

// ----------------------------------------------------------------------------------------------------- Claude Code

fn claude(uuid: &str, parent: Value, kind: &str, text: &str) -> Value {
    json!({ "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": { "role": kind, "content": text } })
}

fn aside(uuid: &str, parent: Value, kind: &str, text: &str) -> Value {
    let mut record = claude(uuid, parent, kind, text);
    record["isSidechain"] = json!(true);
    record
}

#[test]
fn claude_branches_are_listed_and_chosen() {
    let mut answer = claude("u2", json!("u1"), "assistant", "two");
    answer["message"]["usage"] = json!({ "input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 2, "output_tokens": 9 });
    let file = lines(&[
        claude("u1", Value::Null, "user", "one"),
        answer,
        aside("s1", Value::Null, "user", "task"),
        aside("s2", json!("s1"), "assistant", "done"),
        claude("u3", json!("u2"), "user", "left"),
        json!({ "type": "progress", "uuid": "p", "parentUuid": "u3", "sessionId": "s" }),
        claude("u4", json!("p"), "assistant", "behind"),
        claude("u5", json!("u2"), "user", "taken"),
    ]);
    let session = read_session(file.as_bytes()).unwrap();
    assert_eq!(said(&session.messages), ["one", "two", "taken"]);
    let usage = Usage { input: 45, output: 9, cache_read: 40, cache_write: 2 };
    assert_eq!(session.messages.iter().map(|message| message.usage).collect::<Vec<_>>(), [None, Some(usage), None]);
    let branches: Vec<_> =
        session.branches.iter().map(|b| (b.id.as_str(), b.line, b.records, b.active, b.sidechain)).collect();
    assert_eq!(branches, [("s2", 4, 2, false, true), ("u4", 7, 4, false, false), ("u5", 8, 3, true, false)]);
    assert_eq!(said(&read_branch(&file, "u4").messages), ["one", "two", "left", "behind"]);
    assert_eq!(said(&read_branch(&file, "u2").messages), ["one", "two"]);
    let agent = read_branch(&file, "s2");
    assert_eq!(said(&agent.messages), ["task", "done"]);
    assert!(agent.skipped.iter().any(|skipped| (skipped.line, skipped.code) == (1, SkipCode::OtherBranch)));
    // A subagent's own file.
    let alone = lines(&[aside("s1", Value::Null, "user", "task"), aside("s2", json!("s1"), "assistant", "done")]);
    assert_eq!(said(&read_session(alone.as_bytes()).unwrap().messages), ["task", "done"]);
}

#[test]
fn parallel_results_are_no_branches() {
    let call = |uuid: &str, parent: &str, id: &str| {
        json!({ "type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "requestId": "r",
        "message": { "id": "m", "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "n", "input": {} }] } })
    };
    let result = |uuid: &str, parent: &str, id: &str| {
        json!({ "type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s",
        "message": { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "ok" }] } })
    };
    let file = lines(&[
        claude("u1", Value::Null, "user", "one"),
        call("a1", "u1", "t1"),
        call("a2", "a1", "t2"),
        result("r1", "a1", "t1"),
        result("r2", "a2", "t2"),
        claude("a3", json!("r2"), "assistant", "done"),
    ]);
    let session = read_session(file.as_bytes()).unwrap();
    assert_eq!(session.branches.iter().map(|branch| branch.id.as_str()).collect::<Vec<_>>(), ["a3"]);
    assert_eq!(session.messages.len(), 4);
}

fn boundary(metadata: Value) -> Value {
    json!({ "type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null, "logicalParentUuid": "u6", "sessionId": "s", "compactMetadata": metadata })
}

/// As Claude Code's own loader has it, of which the answers are.
#[test]
fn ways_back_into_preserved_messages() {
    let before: Vec<Value> = (1..=6)
        .map(|n| {
            let parent = if n == 1 { Value::Null } else { json!(format!("u{}", n - 1)) };
            claude(&format!("u{n}"), parent, if n % 2 == 1 { "user" } else { "assistant" }, &n.to_string())
        })
        .collect();
    let mut summary = claude("s", json!("b"), "user", "sum");
    summary["isCompactSummary"] = json!(true);
    let list = json!({ "preservedMessages": { "anchorUuid": "s", "uuids": ["u3", "u4", "u5", "u6"] } });
    let segment = json!({ "preservedSegment": { "headUuid": "u3", "anchorUuid": "s", "tailUuid": "u6" } });
    for metadata in [list, segment] {
        let with =
            |more: &[Value]| lines(&[&before[..], &[boundary(metadata.clone()), summary.clone()], more].concat());
        let on = with(&[claude("m", json!("u6"), "user", "more")]);
        assert_eq!(said(&read_session(on.as_bytes()).unwrap().messages), ["sum", "3", "4", "5", "6", "more"]);
        let back = with(&[claude("m", json!("u4"), "user", "more")]);
        let session = read_session(back.as_bytes()).unwrap();
        assert_eq!(said(&session.messages), ["sum", "3", "4", "more"]);
        assert_eq!(unfolded(&session), ["1", "2", "3", "4", "5", "6", "more"]);
        let twice = with(&[claude("m", json!("u6"), "user", "left"), claude("n", json!("u4"), "user", "more")]);
        assert_eq!(said(&read_session(twice.as_bytes()).unwrap().messages), ["sum", "3", "4", "more"]);
    }
}

#[test]
fn words_typed_while_the_model_worked_are_the_users() {
    let attached = |uuid: &str, parent: &str, attachment: Value| json!({ "type": "attachment", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "attachment": attachment });
    let long = "word ".repeat(500);
    let file = lines(&[
        claude("u1", Value::Null, "user", &long),
        claude("u2", json!("u1"), "assistant", &long),
        claude("u3", json!("u2"), "user", "go"),
        attached("a1", "u3", json!({ "type": "queued_command", "prompt": "stop" })),
        attached("a2", "a1", json!({ "type": "todo_reminder", "content": [] })),
        claude("u4", json!("a2"), "assistant", "stopped"),
    ]);
    let session = read_session(file.as_bytes()).unwrap();
    assert_eq!(said(&session.messages)[2..], ["go", "stop", "stopped"]);
    assert_eq!(session.skipped.iter().map(|s| (s.line, s.code)).collect::<Vec<_>>(), [(5, SkipCode::Attachment)]);
    let plan = PlanOptions::tail_budget(100.0);
    let folded = fold_session(file.as_bytes(), &FileOptions::plan(&plan)).unwrap();
    let text = String::from_utf8(folded.session.unwrap()).unwrap();
    // The reminder as well: the lines behind it continue it.
    assert!(text.contains(r#""uuids":["u3","a1","a2","u4"]"#), "{text}");
    assert_eq!(said(&read_session(text.as_bytes()).unwrap().messages)[1..], ["go", "stop", "stopped"]);
}

#[test]
fn folds_are_written_on_the_side_that_was_read() {
    let long = "word ".repeat(500);
    let side: Vec<Value> = (1..=4)
        .map(|n| {
            let parent = if n == 1 { Value::Null } else { json!(format!("u{}", n - 1)) };
            let text = if n < 3 { &long } else { "x" };
            let mut record = aside(&format!("u{n}"), parent, if n % 2 == 1 { "user" } else { "assistant" }, text);
            record["agentId"] = json!("q");
            record
        })
        .collect();
    let plan = PlanOptions::tail_budget(50.0);
    let file = lines(&side);
    let folded = fold_session(file.as_bytes(), &FileOptions::plan(&plan)).unwrap();
    let session_file = folded.session.unwrap();
    let session = read_session(&session_file).unwrap();
    assert_eq!(session.messages.len() as u32, folded.report.messages_after);
    assert_eq!(unfolded(&session).len(), 4);
    // Two folds, taken off at once.
    let tighter = PlanOptions::tail_budget(0.0);
    if let Some(again) = fold_session(&session_file, &FileOptions::plan(&tighter)).unwrap().session {
        assert_eq!(unfold_session(&again).unwrap().bytes, file.as_bytes());
    }
    // Claude Code would go on with the other branch.
    let branches = lines(&[
        claude("u1", Value::Null, "user", &long),
        claude("u2", json!("u1"), "assistant", &long),
        claude("u3", json!("u2"), "user", "left"),
        claude("u4", json!("u2"), "user", "taken"),
    ]);
    let left = FileOptions { branch: Some("u3"), ..FileOptions::plan(&plan) };
    assert_eq!(fold_session(branches.as_bytes(), &left).unwrap_err().code, ErrorCode::BadPlan);
    assert!(fold(branches.as_bytes(), &left).unwrap().conversation.unwrap().contains("left"));
}

// ---------------------------------------------------------------------------------------------------- plain messages

#[test]
fn spans_beside_the_messages_are_folds() {
    let says = |role: &str, text: &str| json!({ "role": role, "content": text });
    let print = |text: &str| format!("{:x}", plica::fingerprint::fnv1a(text.as_bytes()));
    let span = |summary: &str, messages: Option<Vec<Value>>| {
        let retained = if messages.is_some() { "conversation" } else { "discard" };
        json!({ "summaryFingerprint": print(summary), "runId": "r", "iteration": 1, "foldedAtMs": 0, "model": "m", "messageCount": 2,
            "removedStageIds": [], "retained": retained, "messages": messages })
    };
    let tool = json!({ "role": "tool", "toolCallId": "c", "toolName": "read", "content": "ok" });
    let call = json!({ "role": "assistant", "content": "", "toolCalls": [{ "id": "c", "name": "read", "args": {} }] });
    let (first, second) = ("[compacted history] first", "[compacted history] second");
    let file = json!({
        "messages": [says("system", "S"), says("user", second), says("user", "five"), says("assistant", "six"), call, tool],
        "folded": [
            span("nowhere", Some(vec![])),
            span(first, Some(vec![says("user", "one"), says("assistant", "two")])),
            span(second, Some(vec![says("user", first), says("user", "three"), says("assistant", "four")])),
            5,
        ],
    })
    .to_string();
    let session = read_session(file.as_bytes()).unwrap();
    assert_eq!(session.format.name(), "agentfootprint");
    assert_eq!(session.folds.len(), 2);
    assert_eq!(session.messages[1].provenance, Provenance::Summary);
    assert_eq!(unfolded(&session), ["S", "one", "two", "three", "four", "five", "six", "", "ok"]);
    let codes: Vec<SessionProblemCode> = session.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [SessionProblemCode::BoundaryWithoutSummary]);
    // The first is held, but its summary went with the second's originals: that one stands where it is.
    let discarded = file.replace(
        &span(second, Some(vec![says("user", first), says("user", "three"), says("assistant", "four")])).to_string(),
        &span(second, None).to_string(),
    );
    let session = read_session(discarded.as_bytes()).unwrap();
    assert_eq!(unfolded(&session)[..2], ["S", second]);
}

#[test]
fn digests_by_type_are_folds_whose_originals_are_gone() {
    let says = |kind: &str, text: &str| json!({ "type": kind, "text": text });
    let digest = json!({ "type": "user", "text": "<compaction-summary>", "synthetic": "compaction_summary" });
    let blocks = json!({ "type": "assistant", "blocks": [{ "type": "text", "text": "yes" }] });
    let file = json!([says("system", "S"), digest, says("user", "go on"), blocks]).to_string();
    let session = read_session(file.as_bytes()).unwrap();
    let [fold] = &session.folds[..] else { panic!("one fold") };
    assert!(fold.is_gone() && fold.digest[0] == session.messages[1]);
    let folds = ledger_folds(&session).unwrap();
    assert!(folds[0].record.gone);
    assert_eq!(unfolded(&session).len(), 4);
    // What Anthropic's API was told stands before its digest: nothing is gone.
    let compaction = json!({ "role": "assistant", "content": [{ "type": "compaction", "content": "sum" }] });
    let user = |text: &str| json!({ "role": "user", "content": text });
    let held = json!([user("one"), compaction, user("two")]).to_string();
    assert_eq!(read_session(held.as_bytes()).unwrap().folds.len(), 0);
    let gone = json!([compaction, user("two")]).to_string();
    assert_eq!(read_session(gone.as_bytes()).unwrap().folds.len(), 1);
}

// ------------------------------------------------------------------------------------------------------- all trees

#[test]
fn progress_is_told() {
    let big = "x".repeat(1000);
    let records: Vec<Value> = (0..5000)
        .map(|i| pi(&format!("e{i}"), if i == 0 { Value::Null } else { json!(format!("e{}", i - 1)) }, "user", &big))
        .collect();
    let file = lines(&[vec![header()], records].concat());
    let (times, last) = (Cell::new(0), Cell::new(0));
    let tell = |bytes: usize| {
        assert!(bytes >= last.get());
        last.set(bytes);
        times.set(times.get() + 1);
        true
    };
    let options = SessionOptions { progress: Some(&tell), ..SessionOptions::default() };
    read_session_with(file.as_bytes(), &options).unwrap();
    assert_eq!(last.get(), file.len());
    let stop = SessionOptions { progress: Some(&|_| false), ..SessionOptions::default() };
    assert_eq!(read_session_with(file.as_bytes(), &stop).unwrap_err().code, ErrorCode::BadArgument);
    assert!((4..=7).contains(&times.get()), "told {} times of {} bytes", times.get(), file.len());
}

/// Long chains, combs, circles, folds that keep everything: work and memory stay in proportion to the file.
#[test]
fn hostile_trees_are_read_in_linear_time() {
    const N: usize = 60_000;
    let id = |i: usize| json!(format!("e{i}"));
    let comb: Vec<Value> = (0..N)
        .map(|i| pi(&format!("e{i}"), if i == 0 { Value::Null } else { id((i - 1) / 2 * 2) }, "user", "x"))
        .collect();
    let circle: Vec<Value> = (0..N).map(|i| pi(&format!("e{i}"), id((i + N - 1) % N), "user", "x")).collect();
    let lost: Vec<Value> = (0..N).map(|i| pi(&format!("e{i}"), json!(format!("gone{i}")), "user", "x")).collect();
    let keeps: Vec<Value> = (0..N / 4)
        .flat_map(|i| {
            let parent = if i == 0 { Value::Null } else { json!(format!("c{}", i - 1)) };
            [pi(&format!("e{i}"), parent, "user", "x"), compaction(&format!("c{i}"), &format!("e{i}"), "e0", "s")]
        })
        .collect();
    for (name, records) in [("comb", comb), ("circle", circle), ("lost", lost), ("keeps", keeps)] {
        let file = lines(&[vec![header()], records].concat());
        let session = read_session(file.as_bytes()).unwrap();
        let held: usize = session.folds.iter().map(|fold| fold.originals.len()).sum::<usize>() + session.messages.len();
        assert!(held <= 20 * N, "{name}: {held} messages");
        assert!(!session.branches.is_empty(), "{name}");
        assert_eq!(session.branches.iter().filter(|branch| branch.active).count(), 1, "{name}");
    }
}

#[test]
fn every_branch_that_is_listed_can_be_read() {
    let message =
        |id: &str, text: &str| format!(r#"{{"type":"message"{id},"message":{{"role":"user","content":"{text}"}}}}"#);
    let header = r#"{"type":"session","id":"s","timestamp":"t"}"#;
    let claude =
        |uuid: &str| format!(r#"{{"type":"user","uuid":"{uuid}","parentUuid":null,"message":{{"content":"x"}}}}"#);
    let files = [
        // Older entries have no ids.
        format!("{header}\n{}\n{}\n", message("", "one"), message("", "two")),
        // Half a character cannot be written as an id.
        format!("{header}\n{}\n", message(r#","id":"\ud800","parentId":null"#, "one")),
        claude(r"\ud800"),
    ];
    for file in &files {
        let session = read_session(file.as_bytes()).unwrap();
        assert!(!session.branches.is_empty());
        for branch in &session.branches {
            let messages = read_branch(file, &branch.id).messages;
            assert_eq!(messages, session.messages, "{}", branch.id);
            // A message that names no role has the one of its line.
            assert!(messages.iter().all(|message| message.role == Role::User));
        }
    }
}

#[test]
fn a_fold_that_a_damaged_file_would_read_otherwise_is_refused() {
    let message = |id: u32, text: &str| {
        format!(
            r#"{{"type":"message","id":"e{id}","parentId":"e{}","message":{{"role":"user","content":"{text}"}}}}"#,
            id - 1
        )
    };
    let long = "word ".repeat(200);
    // Two entries share a line, and the tail begins with the second.
    let file = format!("{}\n{}\n{} {}\n", message(1, &long), message(2, &long), message(3, &long), message(4, "last"));
    let plan = PlanOptions::tail_budget(20.0);
    let error = document::fold_session(file.as_bytes(), &FileOptions::plan(&plan)).unwrap_err();
    assert_eq!(error.code, ErrorCode::BadPlan);
    let folded = document::fold(file.as_bytes(), &FileOptions::plan(&plan)).unwrap();
    assert!(folded.conversation.is_some());
}
