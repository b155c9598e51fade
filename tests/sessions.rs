//! Session readers: every rule on small invented sessions, invariants on real files and on thousands
//! of damaged copies of them.
#![cfg(not(target_arch = "wasm32"))]

use plica::error::ErrorCode;
use plica::json::{Tape, Value};
use plica::message::{Provenance, Role};
use plica::session::{read_session, Session, SessionKind, SessionMessage, SessionProblemCode, Shape, SkipCode};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

// ---------------------------------------------------------------- helpers

fn user(uuid: &str, parent: &str, content: &str) -> String {
    line("user", uuid, parent, "", &format!(r#"{{"role":"user","content":{content}}}"#))
}

fn said(uuid: &str, parent: &str, id: &str, content: &str) -> String {
    line("assistant", uuid, parent, "", &format!(r#"{{"id":"{id}","role":"assistant","content":{content}}}"#))
}

fn line(kind: &str, uuid: &str, parent: &str, extra: &str, message: &str) -> String {
    let parent = if parent.is_empty() { "null".into() } else { format!("\"{parent}\"") };
    format!(r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"sessionId":"s"{extra},"message":{message}}}"#)
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{"n":1.0}}}}"#)
}

fn result(id: &str) -> String {
    format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"of {id}"}}"#)
}

fn calls(ids: &[&str]) -> String {
    format!("[{}]", ids.iter().map(|id| call(id)).collect::<Vec<_>>().join(","))
}

fn results(ids: &[&str]) -> String {
    format!("[{}]", ids.iter().map(|id| result(id)).collect::<Vec<_>>().join(","))
}

fn boundary(uuid: &str, logical: &str, metadata: &str) -> String {
    format!(
        r#"{{"type":"system","subtype":"compact_boundary","uuid":"{uuid}","parentUuid":null,"logicalParentUuid":"{logical}","compactMetadata":{metadata}}}"#
    )
}

fn summary(uuid: &str, parent: &str) -> String {
    line("user", uuid, parent, r#","isCompactSummary":true"#, r#"{"role":"user","content":"so far"}"#)
}

fn file(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn lines_of(messages: &[SessionMessage<'_>]) -> Vec<Vec<u32>> {
    messages.iter().map(|message| message.lines.clone()).collect()
}

fn text(message: &SessionMessage<'_>) -> String {
    String::from_utf8(message.json.to_vec()).expect("messages are UTF-8")
}

fn codes(session: &Session<'_>) -> Vec<SessionProblemCode> {
    session.problems.iter().map(|problem| problem.code).collect()
}

fn skipped(session: &Session<'_>) -> Vec<(u32, SkipCode)> {
    session.skipped.iter().map(|skipped| (skipped.line, skipped.code)).collect()
}

/// Reads and checks the invariants on the way.
fn read(text: &str) -> Session<'_> {
    let session = read_session(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    check_invariants(text.as_bytes(), &session);
    session
}

fn refused(bytes: &[u8]) -> String {
    let error = read_session(bytes).expect_err("no session");
    assert_eq!(error.code, ErrorCode::BadSession);
    error.message
}

// ---------------------------------------------------------------- invariants

/// Lines of user and assistant records, found without the reader's line handling.
fn turns(bytes: &[u8]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut tape = Tape::new();
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let mut at = line.iter().position(|b| *b == b'{').unwrap_or(line.len());
        while at < line.len() {
            let Ok((value, end)) = tape.parse_prefix(line, at) else { break };
            if value.get("type").is_some_and(|kind| kind.is_any(&["user", "assistant"])) {
                found.push(i as u32 + 1);
            }
            at = plica::json::skip_space(line, end);
        }
    }
    found
}

/// Lines that the session accounts for: of each window those that it does not repeat from the one before.
fn accounted(session: &Session<'_>) -> Vec<u32> {
    let windows = session.folds.iter().map(|fold| &fold.originals).chain([&session.messages]);
    let mut found: Vec<u32> = session.skipped.iter().map(|skipped| skipped.line).collect();
    let mut repeated: HashSet<u32> = HashSet::new();
    for (i, window) in windows.enumerate() {
        let lines = window.iter().flat_map(|message| &message.lines).copied();
        found.extend(lines.filter(|line| !repeated.contains(line)));
        if let Some(fold) = session.folds.get(i) {
            let kept = fold.kept.iter().flat_map(|&index| &fold.originals[index as usize].lines).copied();
            repeated = kept.collect();
        }
    }
    found.sort_unstable();
    found
}

fn check_invariants(bytes: &[u8], session: &Session<'_>) {
    let mut tape = Tape::new();
    let windows = session.folds.iter().map(|fold| &fold.originals).chain([&session.messages]);
    for message in windows.flatten().chain(session.folds.iter().flat_map(|fold| &fold.digest)) {
        assert!(std::str::from_utf8(&message.json).is_ok());
        let value = tape.parse(&message.json).expect("messages are JSON");
        assert!(!message.lines.is_empty());
        if session.kind == SessionKind::ClaudeCode {
            let keys: Vec<String> = value.entries().map(|(key, _)| key.text_lossy().into_owned()).collect();
            assert_eq!(keys, ["role", "content"]);
        }
    }
    if session.kind != SessionKind::ClaudeCode {
        return;
    }
    // Each user and assistant record exactly once; other records at most once.
    let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    turns(bytes).into_iter().for_each(|line| counts.entry(line).or_default().0 += 1);
    accounted(session).into_iter().for_each(|line| counts.entry(line).or_default().1 += 1);
    // A line of several records may hold several turns, and one that broke off may hold one after it.
    let several =
        |code: SessionProblemCode| matches!(code, SessionProblemCode::BrokenLine | SessionProblemCode::JoinedRecords);
    let loose: HashSet<u32> = session.problems.iter().filter(|p| several(p.code)).map(|p| p.line).collect();
    for (line, (turns, accounted)) in counts {
        let exact = turns == accounted || (turns == 0 && accounted == 1);
        let fits = if loose.contains(&line) { turns <= accounted } else { exact };
        assert!(fits, "line {line}: {turns} in the file, {accounted} accounted for");
    }
    // A digest begins the window that it made, and kept messages follow it.
    let after = session.folds.iter().skip(1).map(|fold| &fold.originals).chain([&session.messages]);
    for (fold, window) in session.folds.iter().zip(after) {
        assert_eq!(window[..1], fold.digest[..]);
        assert_eq!(fold.digest[0].provenance, Provenance::Summary);
        assert!(fold.kept.windows(2).all(|pair| pair[0] < pair[1]));
        let first = window.iter().skip(1).flat_map(|message| &message.lines).collect::<HashSet<_>>();
        for &index in &fold.kept {
            assert!(fold.originals[index as usize].lines.iter().all(|line| first.contains(line)));
        }
    }
}

fn ids(value: Value<'_>, key: &str) -> Vec<String> {
    let blocks = value.get("content").into_iter().flat_map(Value::items);
    blocks.filter_map(|block| block.get(key)).map(|id| id.text_lossy().into_owned()).collect()
}

/// Every call has its result in the next message, in the order of the calls.
fn check_pairs(window: &[SessionMessage<'_>]) -> usize {
    let (mut tape, mut next_tape) = (Tape::new(), Tape::new());
    let mut pairs = 0;
    for (i, message) in window.iter().enumerate() {
        let value = tape.parse(&message.json).unwrap();
        let calls = ids(value, "id");
        if calls.is_empty() || message.role != Role::Assistant {
            continue;
        }
        let next = next_tape.parse(&window[i + 1].json).unwrap();
        assert_eq!(calls, ids(next, "tool_use_id"), "message {i}");
        pairs += calls.len();
    }
    pairs
}

// ---------------------------------------------------------------- claude-code, rule by rule

#[test]
fn a_plain_conversation_keeps_its_bytes() {
    let text_ = file(&[
        r#"{"type":"summary","summary":"a title","leafUuid":"b"}"#.into(),
        user("a", "", r#""h\u0069""#),
        r#"{"type":"progress","uuid":"p","parentUuid":"a","sessionId":"s"}"#.into(),
        said("b", "p", "m1", r#"[{"text":"x" , "type":"text","n":1.50}]"#),
    ]);
    let session = read(&text_);
    assert_eq!((session.kind.name(), session.format.name()), ("claude-code", "anthropic"));
    assert_eq!(text(&session.messages[0]), r#"{"role":"user","content":"h\u0069"}"#);
    assert_eq!(text(&session.messages[1]), r#"{"role":"assistant","content":[{"text":"x" , "type":"text","n":1.50}]}"#);
    assert_eq!(session.messages[1].role, Role::Assistant);
    assert_eq!(skipped(&session), [(1, SkipCode::Title), (3, SkipCode::Progress)]);
    assert!(session.problems.is_empty() && session.folds.is_empty() && session.container.is_none());
}

#[test]
fn one_answer_split_over_lines_is_one_message() {
    // Results lie between the lines of the answer, in the chain.
    let text_ = file(&[
        user("u", "", r#""go""#),
        said("a1", "u", "m", r#"[{"type":"text","text":"t"}]"#),
        said("a2", "a1", "m", &calls(&["A"])),
        user("ra", "a2", &results(&["A"])),
        said("a3", "ra", "m", &calls(&["B"])),
        user("rb", "a3", &results(&["B"])),
        said("e", "rb", "m2", r#"[{"type":"text","text":"end"}]"#),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![2, 3, 5], vec![4, 6], vec![7]]);
    assert_eq!(
        text(&session.messages[1]),
        format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"t"}},{},{}]}}"#, call("A"), call("B"))
    );
    assert_eq!(check_pairs(&session.messages), 2);
}

#[test]
fn parallel_calls_beside_the_chain_are_included() {
    let text_ = file(&[
        user("u", "", r#""go""#),
        said("a1", "u", "m", &calls(&["A"])),
        said("a2", "a1", "m", &calls(&["B"])),
        said("a3", "a1", "m", &calls(&["C"])),
        user("rc", "a3", &results(&["C"])),
        user("rb", "a2", &results(&["B"])),
        user("ra", "a1", &results(&["A"])),
        said("e", "rb", "m2", r#""end""#),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![2, 3, 4], vec![7, 6, 5], vec![8]]);
    assert!(session.skipped.is_empty());
    assert_eq!(check_pairs(&session.messages), 3);
}

#[test]
fn abandoned_branches_stay_out() {
    let text_ = file(&[
        user("u", "", r#""go""#),
        said("a", "u", "m", &calls(&["A"])),
        user("old", "a", &results(&["A"])),
        said("olda", "old", "mo", &calls(&["X"])),
        user("oldr", "olda", &results(&["X"])),
        user("new", "a", &results(&["A"])),
        said("e", "new", "m2", r#""end""#),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![2], vec![6], vec![7]]);
    let other = |line| (line, SkipCode::OtherBranch);
    assert_eq!(skipped(&session), [other(3), other(4), other(5)]);
}

#[test]
fn call_ids_that_come_back_pair_with_the_nearest_call() {
    let text_ = file(&[
        user("u", "", r#""go""#),
        said("a", "u", "m1", &calls(&["c0"])),
        user("r", "a", &results(&["c0"])),
        said("b", "r", "m2", &calls(&["c0"])),
        user("s", "b", &results(&["c0"])),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![2], vec![3], vec![4], vec![5]]);
}

#[test]
fn results_are_moved_to_their_call_and_mixed_lines_stay() {
    let mixed = format!(r#"[{},{{"type":"text","text":"and"}}]"#, result("B"));
    let text_ = file(&[
        said("a", "", "m1", &calls(&["A", "B"])),
        user("steer", "a", r#""wait""#),
        user("r", "steer", &results(&["A"])),
        user("mix", "r", &mixed),
        user("lost", "mix", &results(&["nobody"])),
        user("lost2", "lost", &results(&["nobody2"])),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![3], vec![2], vec![4], vec![5, 6]]);
}

#[test]
fn marks_become_provenance_and_unseen_lines_are_skipped() {
    let text_ = file(&[
        line("user", "m", "", r#","isMeta":true"#, r#"{"role":"user","content":"caveat"}"#),
        line("assistant", "e", "m", r#","isApiErrorMessage":true"#, r#"{"role":"assistant","content":"limit"}"#),
        line("assistant", "s", "e", "", r#"{"model":"<synthetic>","role":"assistant","content":"none"}"#),
        line("user", "side", "s", r#","isSidechain":true"#, r#"{"role":"user","content":"sub"}"#),
        user("u", "s", r#""go""#),
        line("user", "side2", "side", r#","isSidechain":true"#, r#"{"role":"user","content":"sub"}"#),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![5]]);
    assert_eq!(session.messages[0].provenance, Provenance::Injected);
    assert_eq!(session.messages[1].provenance, Provenance::Plain);
    let (api, side) = (SkipCode::ApiError, SkipCode::Sidechain);
    assert_eq!(skipped(&session), [(2, api), (3, api), (4, side), (6, side)]);
}

fn compacted(metadata: &str, continues: &str) -> String {
    file(&[
        user("u", "", r#""task""#),
        said("a", "u", "m1", r#""one""#),
        user("v", "a", r#""more""#),
        said("b", "v", "m2", r#""two""#),
        boundary("c", "b", metadata),
        summary("d", "c"),
        user("w", continues, r#""next""#),
    ])
}

#[test]
fn a_compaction_splits_windows() {
    let text_ = compacted(r#"{"trigger":"auto","preTokens":155025}"#, "d");
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![6], vec![7]]);
    let [fold] = &session.folds[..] else { panic!("one fold") };
    assert_eq!((fold.line, fold.trigger.as_deref(), fold.tokens_before), (5, Some("auto"), Some(155_025)));
    assert_eq!(lines_of(&fold.originals), [vec![1], vec![2], vec![3], vec![4]]);
    assert_eq!(fold.digest[..], session.messages[..1]);
    assert!(fold.kept.is_empty() && session.problems.is_empty() && session.skipped.is_empty());
}

#[test]
fn preserved_messages_stand_after_the_summary() {
    for (metadata, continues) in [
        (r#"{"preservedMessages":{"anchorUuid":"d","uuids":["v","b"]}}"#, "d"),
        (r#"{"preserved_messages":{"anchor_uuid":"d","uuids":["v","b"]}}"#, "b"),
        (r#"{"preservedSegment":{"headUuid":"v","anchorUuid":"d","tailUuid":"b"}}"#, "b"),
        (r#"{"preserved_segment":{"head_uuid":"v","anchor_uuid":"d","tail_uuid":"b"}}"#, "d"),
    ] {
        let text_ = compacted(metadata, continues);
        let session = read(&text_);
        assert_eq!(lines_of(&session.messages), [vec![6], vec![3], vec![4], vec![7]], "{metadata}");
        assert_eq!(session.folds[0].kept, [2, 3]);
        assert_eq!(session.folds[0].originals.len(), 4);
        assert!(session.problems.is_empty(), "{:?}", session.problems);
    }
    let text_ = compacted(r#"{"preservedMessages":{"uuids":["v","gone"]}}"#, "d");
    let session = read(&text_);
    assert_eq!(codes(&session), [SessionProblemCode::MissingPreserved]);
    assert_eq!(session.folds[0].kept, [2]);
}

#[test]
fn the_form_of_the_stream_is_read_too() {
    let text_ = r#"{"type":"system","subtype":"init","session_id":"s"}
{"type":"user","session_id":"s","parent_tool_use_id":null,"message":{"role":"user","content":"hi"}}
{"type":"user","session_id":"s","parent_tool_use_id":"t","message":{"role":"user","content":"sub"}}
{"type":"system","subtype":"compact_boundary","session_id":"s","compact_metadata":{"trigger":"manual","pre_tokens":9}}
{"type":"user","session_id":"s","isCompactSummary":true,"message":{"role":"user","content":"sum"}}
{"type":"assistant","session_id":"s","message":{"id":"m","role":"assistant","content":[]}}"#;
    let session = read(text_);
    assert_eq!(lines_of(&session.messages), [vec![5], vec![6]]);
    assert_eq!(lines_of(&session.folds[0].originals), [vec![2]]);
    assert_eq!(session.folds[0].tokens_before, Some(9));
    assert!(session.problems.is_empty());
}

#[test]
fn a_compaction_without_its_ends() {
    // No summary: the conversation goes on.
    let text_ = file(&[user("u", "", r#""a""#), boundary("c", "u", "{}"), user("v", "c", r#""b""#)]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![3]]);
    assert_eq!(codes(&session), [SessionProblemCode::BoundaryWithoutSummary]);
    // Nothing after it at all.
    let text_ = file(&[user("u", "", r#""a""#), boundary("c", "u", "{}")]);
    assert_eq!(codes(&read(&text_)), [SessionProblemCode::BoundaryWithoutSummary]);
    // The logical parent is not in the file: the order of lines tells.
    let text_ = file(&[user("u", "", r#""a""#), boundary("c", "gone", "{}"), summary("d", "c")]);
    let session = read(&text_);
    assert_eq!(codes(&session), [SessionProblemCode::MissingParent]);
    assert_eq!(lines_of(&session.folds[0].originals), [vec![1]]);
    assert_eq!(lines_of(&session.messages), [vec![3]]);
}

#[test]
fn folds_of_folds_begin_with_the_digest_before() {
    let text_ = file(&[
        user("u", "", r#""a""#),
        boundary("c", "u", r#"{"preservedMessages":{"uuids":["u"]}}"#),
        summary("d", "c"),
        user("v", "d", r#""b""#),
        boundary("e", "v", r#"{"preservedMessages":{"uuids":["u","v"]}}"#),
        summary("f", "e"),
        user("w", "v", r#""c""#),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.folds[0].originals), [vec![1]]);
    assert_eq!(lines_of(&session.folds[1].originals), [vec![3], vec![1], vec![4]]);
    assert_eq!(session.folds[1].kept, [1, 2]);
    assert_eq!(lines_of(&session.messages), [vec![6], vec![1], vec![4], vec![7]]);
}

#[test]
fn loops_missing_parents_and_repeated_uuids_end() {
    let text_ = file(&[
        user("z", "", r#""before""#),
        user("a", "b", r#""1""#),
        user("b", "a", r#""2""#),
        user("self", "self", r#""3""#),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![2], vec![3], vec![4]]);
    assert_eq!(codes(&session), [SessionProblemCode::ParentLoop; 2]);

    let text_ = file(&[user("a", "x", r#""1""#), user("b", "y", r#""2""#), user("b", "a", r#""3""#)]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![2]]);
    assert_eq!(
        codes(&session),
        [SessionProblemCode::MissingParent, SessionProblemCode::MissingParent, SessionProblemCode::DuplicateUuid]
    );
    assert_eq!(skipped(&session), [(3, SkipCode::Duplicate)]);
}

#[test]
fn records_of_the_wrong_shape_are_reported() {
    let text_ = file(&[
        user("u", "", r#""a""#),
        r#"{"type":"user","uuid":"n","parentUuid":"u"}"#.into(),
        line("assistant", "o", "n", "", r#"{"role":"assistant","content":7}"#),
        "[1]".into(),
        r#"{"type":"new-thing","uuid":"q","parentUuid":"o"}"#.into(),
        user("v", "q", r#"["bare",{}]"#),
    ]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![6]]);
    assert_eq!(codes(&session), [SessionProblemCode::NotAMessage; 3]);
    let bad = SkipCode::Unreadable;
    assert_eq!(skipped(&session), [(2, bad), (3, bad), (4, bad), (5, SkipCode::UnknownType)]);
}

// ---------------------------------------------------------------- lines

#[test]
fn line_ends_bom_and_separators() {
    let (a, b) = (user("a", "", "\"one\u{2028}two\u{2029}three\u{85}four\""), said("b", "a", "m", r#""x""#));
    let text_ = format!("\u{feff}{a}\r\n\r\n  \n{b}");
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![4]]);
    assert!(session.problems.is_empty());
    assert!(text(&session.messages[0]).contains("one\u{2028}two\u{2029}three\u{85}four"));

    let text_ = "{\"role\":\"user\",\"content\":\"1\u{2028}\u{2029}\u{85}\"}\r\n{\"role\":\"assistant\",\"content\":\"ok\"}\n\n{\"role\":\"user\",\"content\":\"bye\"}";
    let session = read(text_);
    assert_eq!((session.kind, session.messages.len(), session.problems.len()), (SessionKind::Messages, 3, 0));
}

#[test]
fn torn_broken_and_joined_lines() {
    let (a, b, c) = (user("a", "", r#""1""#), user("b", "a", r#""2""#), user("c", "b", r#""3""#));
    let torn = format!("{a}\n{b}\n{}", &c[..c.len() - 9]);
    let session = read(&torn);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![2]]);
    assert_eq!(codes(&session), [SessionProblemCode::TornLine]);
    assert!(
        session.problems[0].message.contains(&format!("byte {} of the file", torn.len())),
        "{:?}",
        session.problems
    );

    let text_ = format!("{a}\nnot json\n{b}{c}\n");
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![3], vec![3]]);
    assert_eq!(codes(&session), [SessionProblemCode::BrokenLine, SessionProblemCode::JoinedRecords]);

    // Writing stopped inside a string, and the next record was appended to the same line.
    let text_ = format!("{a}\n{}{b}\n{c}\n", &c[..c.len() - 4]);
    let session = read(&text_);
    assert_eq!(lines_of(&session.messages), [vec![1], vec![2], vec![3]]);
    assert_eq!(codes(&session), [SessionProblemCode::BrokenLine]);

    let text_ = format!("{a}\n\0\0\0\0{b}\n{c}\n\0\0\0");
    let session = read(&text_);
    assert_eq!(session.messages.len(), 3);
    assert_eq!(codes(&session), [SessionProblemCode::NulBytes; 2]);
}

#[test]
fn bad_utf8_is_replaced_and_reported() {
    let bytes = [&user("a", "", r#""x@y""#)[..], &user("b", "a", r#""fine""#)].join("\n").replace('@', "\u{1}");
    let bytes: Vec<u8> = bytes.bytes().map(|b| if b == 1 { 0xff } else { b }).collect();
    let session = read_session(&bytes).unwrap();
    assert_eq!(text(&session.messages[0]), "{\"role\":\"user\",\"content\":\"x\u{fffd}y\"}");
    assert_eq!(codes(&session), [SessionProblemCode::InvalidUtf8]);
    assert_eq!(session.problems[0].line, 1);

    let session = read_session(b"[{\"role\":\"user\",\"content\":\"\xc3\"}]").unwrap();
    assert_eq!(text(&session.messages[0]), "{\"role\":\"user\",\"content\":\"\u{fffd}\"}");
    assert_eq!(codes(&session), [SessionProblemCode::InvalidUtf8]);
}

#[test]
fn large_and_deep_lines() {
    let long = format!("\"{}\"", "x".repeat(5_000_000));
    let deep = format!(r#"[{{"type":"text","text":"t","extra":{}{}}}]"#, "[".repeat(200_000), "]".repeat(200_000));
    let text_ = file(&[user("a", "", &long), user("b", "a", &deep)]);
    let session = read(&text_);
    assert!(session.messages[0].json.len() > 5_000_000 && session.messages[1].json.len() > 400_000);
    let unclosed = format!("{}\n{}", user("a", "", r#""x""#), "[".repeat(200_000));
    assert_eq!(codes(&read(&unclosed)), [SessionProblemCode::TornLine]);
}

#[test]
fn work_grows_with_bytes_not_with_their_square() {
    let count = 30_000;
    let chain = |parent: &dyn Fn(usize) -> String| -> String {
        file(&(0..count).map(|i| user(&format!("u{i}"), &parent(i), r#""x""#)).collect::<Vec<_>>())
    };
    for text_ in [
        chain(&|i| format!("u{}", (i + 1) % count)),
        chain(&|i| format!("u{}", count - 1 - i)),
        chain(&|_| "gone".into()),
        chain(&|i| format!("u{}", i / 2)),
    ] {
        let session = read_session(text_.as_bytes()).unwrap();
        assert_eq!(accounted(&session).len(), count);
    }
    let mut lines = vec![user("u", "", r#""x""#)];
    for i in 0..3000 {
        let last = if i == 0 { "u".into() } else { format!("s{}", i - 1) };
        lines.push(boundary(
            &format!("c{i}"),
            &last,
            &format!(r#"{{"preservedSegment":{{"headUuid":"u","tailUuid":"{last}"}}}}"#),
        ));
        lines.push(summary(&format!("s{i}"), &format!("c{i}")));
    }
    let text_ = file(&lines);
    let session = read_session(text_.as_bytes()).unwrap();
    assert_eq!(session.folds.len(), 3000);
    let total: usize = session.folds.iter().map(|fold| fold.originals.len()).sum();
    assert!(total < 20_000, "{total}");
    let objects = "{} ".repeat(100_000);
    assert!(read_session(objects.as_bytes()).is_err());
}

// ---------------------------------------------------------------- plain messages

#[test]
fn arrays_objects_and_lines_of_messages() {
    let array = " [ {\"role\":\"user\",\"content\":\"a\"} ,\n7, {\"role\":\"assistant\",\"content\":\"b\"} ] \n";
    let session = read(array);
    assert_eq!(session.messages.len(), 2);
    assert_eq!(codes(&session), [SessionProblemCode::NotAMessage]);
    assert_eq!(session.problems[0].line, 2);
    let container = session.container.as_ref().unwrap();
    assert_eq!(container.shape, Shape::Array);
    for (range, message) in container.messages.iter().zip(&session.messages) {
        assert_eq!(array[range.clone()].as_bytes(), &message.json[..]);
    }
    assert_eq!((&array[..container.inner.start], &array[container.inner.end..]), (" [", "] \n"));

    let object = r#"{"model":"m","items":[{"x":1}],"messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"c","content":"r"}]}"#;
    let session = read(object);
    assert_eq!(session.container.as_ref().unwrap().shape, Shape::Object("messages"));
    assert_eq!((session.format.name(), session.messages[1].role), ("openai-chat", Role::Tool));

    let session = read(r#"{"role":"user","content":"alone"}"#);
    assert_eq!((session.container.as_ref().unwrap().shape, session.messages.len()), (Shape::Lines, 1));

    let hotl = "{\"type\":\"user\",\"text\":\"hi\"}\n{\"type\":\"user\",\"text\":\"s\",\"synthetic\":\"compaction_summary\"}\n";
    let session = read(hotl);
    assert_eq!(session.format.name(), "hotl");
    assert_eq!(session.messages[1].provenance, Provenance::Summary);
}

#[test]
fn damaged_plain_messages() {
    let session = read(r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"us"#);
    assert_eq!((session.messages.len(), codes(&session)), (2, vec![SessionProblemCode::TornLine]));
    let session = read(r#"{"messages":[{"role":"user","content":"a"},{"role""#);
    assert_eq!((session.messages.len(), codes(&session)), (1, vec![SessionProblemCode::TornLine]));
    let session = read(r#"[{"role":"user","content":"a"}] trailing"#);
    assert_eq!((session.messages.len(), codes(&session)), (1, vec![SessionProblemCode::BrokenLine]));
    let mixed = r#"[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"c","content":"r"},{"role":"critic","content":"x"},{"meta":1}]"#;
    let session = read(mixed);
    assert_eq!((session.format.name(), session.messages.len()), ("openai-chat", 3));
    assert_eq!(codes(&session), [SessionProblemCode::MixedFormats, SessionProblemCode::NotAMessage]);
}

#[test]
fn what_is_no_session_is_named() {
    for (bytes, expected) in [
        (&b""[..], "the file is empty"),
        (b"\xef\xbb\xbf \r\n\n", "the file is empty"),
        (b"\0\0\0\0", "the file is empty"),
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"\xff\xfe{\0", "UTF-16"),
        (b"\x7fELF\x02\x01\0\0\0", "binary"),
        (b"hello there", "starts with \"hello there\""),
        (b"42", "a JSON number"),
        (b"[]", "an array without elements"),
        (b"[1,2]", "array without objects"),
        (b"[[{\"a\":1", "array without elements"),
        (b"[{\"a\":1}]", "its first element is a JSON object with \"a\""),
        (b"{\n\"a\":[\n{\"role\":\"user\",\"content\":\"x\"},\n1]}", "object with \"a\""),
        (b"{}", "an empty JSON object"),
        (b"{\"name\":\"x\",\"version\":1}", "object with \"name\", \"version\""),
        (b"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n{\"messages\":[]}", "conversation of its own"),
        (b"{\"timestamp\":\"t\",\"type\":\"response_item\",\"payload\":{}}\n", "Codex"),
        (b"{\"type\":\"start\",\"sessionId\":\"s\"}", "none that Claude Code writes"),
        (
            b"{\"type\":\"session\",\"version\":3,\"id\":\"i\"}\n{\"type\":\"message\",\"message\":{}}",
            "header of a pi session",
        ),
    ] {
        let message = refused(bytes);
        assert!(message.contains(expected), "{message}");
    }
}

// ---------------------------------------------------------------- real files

fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("PLICA_SHARED").map(PathBuf::from);
    let above = || {
        let start = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let found = start.ancestors().map(|dir| dir.join("shared")).find(|dir| dir.is_dir());
        found
    };
    named.or_else(above).filter(|dir| dir.join("transcripts").is_dir())
}

fn real_files() -> Vec<(String, Vec<u8>)> {
    let Some(dir) = shared() else {
        println!("skipped: no shared/ directory with real session files");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(dir.join("transcripts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("claude-code-")));
    paths.sort();
    let read =
        |path: PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap());
    paths.into_iter().map(read).collect()
}

/// API messages per window, counted flat: no tree, only the stretches between boundaries, answers by
/// their id, and one message of results for each answer that calls.
fn count_flat(bytes: &[u8]) -> Vec<usize> {
    let mut windows = vec![(0, HashMap::<String, bool>::new())];
    for line in bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        let record: serde_json::Value = serde_json::from_slice(line).unwrap();
        if record["subtype"] == "compact_boundary" {
            windows.push(Default::default());
        }
        let message = &record["message"];
        let (others, answers) = windows.last_mut().unwrap();
        let has =
            |kind: &str| message["content"].as_array().is_some_and(|blocks| blocks.iter().any(|b| b["type"] == kind));
        if record["type"] == "assistant" && message["model"] != "<synthetic>" {
            *answers.entry(message["id"].as_str().unwrap().into()).or_default() |= has("tool_use");
        }
        if record["type"] == "user" && !has("tool_result") {
            *others += 1;
        }
    }
    let count = |(others, answers): &(usize, HashMap<String, bool>)| {
        others + answers.len() + answers.values().filter(|calls| **calls).count()
    };
    windows.iter().map(count).collect()
}

#[test]
fn real_files_are_read_whole() {
    for (name, bytes) in real_files() {
        let session = read_session(&bytes).unwrap();
        check_invariants(&bytes, &session);
        let windows: Vec<_> = session.folds.iter().map(|fold| &fold.originals).chain([&session.messages]).collect();
        let counts: Vec<usize> = windows.iter().map(|window| window.len()).collect();
        assert_eq!(counts, count_flat(&bytes), "{name}");
        let pairs: usize = windows.iter().map(|window| check_pairs(window)).sum();
        let mut by_code: BTreeMap<SkipCode, usize> = BTreeMap::new();
        session.skipped.iter().for_each(|skipped| *by_code.entry(skipped.code).or_default() += 1);
        println!(
            "{name}: windows {counts:?}, {pairs} calls paired, skipped {by_code:?}, problems {:?}",
            session.problems
        );
    }
}

#[test]
fn files_of_other_kinds_are_refused_by_name() {
    let Some(dir) = shared() else { return println!("skipped: no shared/ directory with real session files") };
    for entry in std::fs::read_dir(dir.join("transcripts")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("claude-code-") && !name.starts_with("pi-") {
            println!("{name} is refused: {}", refused(&std::fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn damaged_copies_never_panic_and_lose_nothing() {
    let mut ran = 0;
    let mut check = |bytes: &[u8]| {
        ran += 1;
        if let Ok(session) = read_session(bytes) {
            check_invariants(bytes, &session);
        }
    };
    for (_, bytes) in real_files() {
        let bytes = &thinned(&bytes)[..];
        let lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        for n in [2, 3, 5, 7, 11, 13, 17, 23] {
            let dropped: Vec<&[u8]> = lines.iter().enumerate().filter(|(i, _)| i % n != 1).map(|(_, l)| *l).collect();
            check(&dropped.join(&b'\n'));
            let doubled: Vec<&[u8]> = lines
                .iter()
                .enumerate()
                .flat_map(|(i, l)| std::iter::repeat_n(*l, 1 + usize::from(i % n == 0)))
                .collect();
            check(&doubled.join(&b'\n'));
            let mut swapped = lines.clone();
            (0..lines.len()).step_by(n).for_each(|i| swapped.swap(i, (i * 7 + n) % lines.len()));
            check(&swapped.join(&b'\n'));
            let joined = lines.chunks(n).map(<[&[u8]]>::concat).collect::<Vec<_>>();
            check(&joined.join(&b'\n'));
        }
        for i in 0..200 {
            check(&bytes[..bytes.len() * i / 200]);
        }
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..60 {
            let mut flipped = bytes.to_vec();
            for _ in 0..20 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (seed >> 33) as usize % flipped.len();
                flipped[at] ^= 1 << (seed >> 29 & 7);
            }
            check(&flipped);
        }
    }
    println!("{ran} damaged copies read");
}

/// A file with long strings cut and idle members left out, so that a thousand copies are read in seconds.
fn thinned(bytes: &[u8]) -> Vec<u8> {
    const IDLE: [&str; 10] =
        ["toolUseResult", "snapshot", "cwd", "slug", "usage", "todos", "hookInfos", "timestamp", "data", "gitBranch"];
    fn cut(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) if text.len() > 60 => *text = text.chars().take(20).collect(),
            serde_json::Value::Array(items) => items.iter_mut().for_each(cut),
            serde_json::Value::Object(members) => {
                members.retain(|key, _| !IDLE.contains(&key.as_str()));
                members.values_mut().for_each(cut);
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    for line in bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        let mut record: serde_json::Value = serde_json::from_slice(line).unwrap();
        cut(&mut record);
        out.extend_from_slice(record.to_string().as_bytes());
        out.push(b'\n');
    }
    out
}
