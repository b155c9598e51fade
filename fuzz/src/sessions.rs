// SPDX-License-Identifier: MIT OR Apache-2.0

//! What holds of every session file, whatever is in it.

use super::{assert_json, line_count, parsed};
use plica::document::{self, FileOptions};
use plica::error::ErrorCode;
use plica::fingerprint::{self, Fingerprint};
use plica::json::Tape;
use plica::ledger::{unfold, FoldRecord, Origin};
use plica::plan::PlanOptions;
use plica::session::{ledger_folds, read_session, FoundFold, LedgerFold, Session};
use plica::session::{SessionKind, SessionMessage, SessionOptions};
use std::collections::HashSet;

/// Branches of a file that are read, too; a file may hold thousands.
const BRANCHES: usize = 4;

/// Reads `data` as a session of the kind, whatever it looks like, and does with it all that can be done.
pub fn hold(kind: SessionKind, data: &[u8]) {
    if let Ok(session) = kind.reader().read(data, &SessionOptions::default()) {
        sound(data, &session);
        for branch in session.branches.iter().take(BRANCHES) {
            let options = SessionOptions { branch: Some(&branch.id), progress: None };
            let other = kind.reader().read(data, &options).expect("a branch that the file says it has");
            sound(data, &other);
        }
    }
    // As a caller reads it: it may be taken for a file of another kind then.
    let Ok(session) = read_session(data) else { return };
    sound(data, &session);
    let inspection = document::inspect(data, None).expect("what can be read can be inspected");
    assert_eq!(inspection.messages as usize, session.messages.len());
    for budget in [0.0, 100.0] {
        folds_and_unfolds(data, budget);
        folds_natively(data, &session, budget);
    }
}

/// What holds of a session as it was read.
pub fn sound(data: &[u8], session: &Session<'_>) {
    let windows = session.folds.iter().flat_map(|fold| [&fold.originals, &fold.digest]).chain([&session.messages]);
    for message in windows.flatten().chain(fillers(session)) {
        assert_json(&message.json);
        assert!(!message.lines.is_empty(), "a message of no line");
        assert!(
            parsed(&message.json, |value| session.format.reader().role(value) == message.role),
            "{} is not of the role {}",
            String::from_utf8_lossy(&message.json),
            message.role.name()
        );
    }
    within(data, session);
    let folds = ledger_folds(session).expect("folds can be read");
    for (fold, found) in folds.iter().zip(&session.folds) {
        fold.record.check().expect("a record is possible");
        let places = found.before.iter().chain(&found.kept);
        assert!(places.clone().all(|&place| (place as usize) < found.originals.len()), "kept what there is not");
        assert!(!found.digest.is_empty(), "a fold without digest");
    }
    comes_back(session, &folds);
}

fn fillers<'a, 's>(session: &'a Session<'s>) -> impl Iterator<Item = &'a SessionMessage<'s>> {
    session.folds.iter().flat_map(|fold| &fold.fillers).map(|(_, message)| message)
}

/// Lines are those of the file, and each line that is not blank is named somewhere.
fn within(data: &[u8], session: &Session<'_>) {
    let mut seen: HashSet<u32> = session.skipped.iter().map(|skipped| skipped.line).collect();
    seen.extend(session.problems.iter().map(|problem| problem.line));
    seen.extend(session.folds.iter().map(|fold| fold.line));
    seen.extend(session.branches.iter().map(|branch| branch.line));
    let windows = session.folds.iter().flat_map(|fold| [&fold.originals, &fold.digest]).chain([&session.messages]);
    seen.extend(windows.flatten().chain(fillers(session)).flat_map(|message| &message.lines));
    let count = line_count(data);
    assert!(seen.iter().all(|line| (1..=count).contains(line)), "of {count} lines: {seen:?}");
    if is_document(data) {
        return;
    }
    for (number, line) in (1..).zip(data.split(|byte| *byte == b'\n')) {
        // A byte order mark may stand in front of nothing.
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let blank = line.iter().all(u8::is_ascii_whitespace);
        assert!(blank || seen.contains(&number), "line {number} is lost");
    }
    if let Some(container) = &session.container {
        assert_eq!(container.messages.len(), session.messages.len());
        assert!(container.messages.iter().all(|range| data.get(range.clone()).is_some()));
    }
}

/// Lines of a document that is laid out over them are no records.
fn is_document(data: &[u8]) -> bool {
    let mut lines = data.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let first = lines.next().unwrap_or_default();
    first.contains(&b'[') && !first.starts_with(b"{\"type\"") || !parsed(first, |_| true)
}

/// A message of the whole conversation: as it was folded, and as later windows have it where they kept it.
type Readings<'s> = Vec<&'s [u8]>;

/// All folds undone, by the windows that the reader gave.
fn expected<'s>(session: &'s Session<'_>) -> Vec<Readings<'s>> {
    let mut window: Vec<Readings<'s>> = session.messages.iter().map(|message| vec![message.json.as_ref()]).collect();
    for fold in session.folds.iter().rev().filter(|fold| !fold.is_gone()) {
        let mut whole: Vec<Readings<'s>> = fold.originals.iter().map(|message| vec![message.json.as_ref()]).collect();
        for (index, place) in kept_places(fold) {
            whole[index].extend(&window[place]);
        }
        whole.extend(window.drain(..).skip(fold.left()));
        window = whole;
    }
    window
}

/// For each message that a fold kept: its index among the originals, and its place in the window after it.
fn kept_places<'f>(fold: &'f FoundFold<'_>) -> impl Iterator<Item = (usize, usize)> + 'f {
    let filled: HashSet<u32> = fold.fillers.iter().map(|(at, _)| *at).collect();
    let body: Vec<usize> = (0..fold.left()).filter(|at| !filled.contains(&(*at as u32))).collect();
    let (before, after) = (fold.before.len(), fold.before.len() + fold.digest.len());
    let places: Vec<usize> = body[..before].iter().chain(&body[after..]).copied().collect();
    fold.before.iter().chain(&fold.kept).map(|&index| index as usize).zip(places)
}

/// Whether each window begins with what the fold before it left. A gemini-cli session can go back into that, or past it: then it
/// is no fold of the conversation any more.
fn stands(session: &Session<'_>) -> bool {
    let windows = session.folds.iter().skip(1).map(|fold| &fold.originals).chain([&session.messages]);
    session.folds.iter().zip(windows).all(|(fold, window)| {
        let digest = fold.before.len();
        let fillers = fold.fillers.iter().filter(|(at, _)| (*at as usize) <= digest).count();
        let (start, text) = (digest + fillers, |message: &SessionMessage<'_>| message.json.to_vec());
        let there = window.iter().skip(start).take(fold.digest.len()).map(text);
        let kept = |(index, place): (usize, usize)| fold.originals[index].json == window[place].json;
        let filled = |(at, message): &(u32, SessionMessage<'_>)| window[*at as usize].json == message.json;
        window.len() >= fold.left()
            && there.eq(fold.digest.iter().map(text))
            && kept_places(fold).all(kept)
            && fold.fillers.iter().all(filled)
    })
}

/// What a ledger of the file's folds brings back is what the reader says was folded.
fn comes_back(session: &Session<'_>, folds: &[LedgerFold]) {
    // Behind a fold that lost its originals nothing is known of the window before it.
    if session.folds.iter().skip(1).any(FoundFold::is_gone) {
        return;
    }
    assert!(session.kind != SessionKind::GeminiCli || stands(session), "a fold that was left is still there");
    let records: Vec<FoldRecord> = folds.iter().map(|fold| fold.record.clone()).collect();
    let prints: Vec<Fingerprint> = session.messages.iter().map(|message| print(&message.json)).collect();
    let origins = unfold(&records, &prints).expect("the folds of a file can be undone");
    let text = |origin: &Origin| match *origin {
        Origin::Window(at) => session.messages[at as usize].json.as_ref(),
        Origin::Fold { fold, index } => {
            let place = folds[fold as usize].folded[index as usize];
            session.folds[fold as usize].originals[place as usize].json.as_ref()
        }
    };
    let back: Vec<&[u8]> = origins.iter().map(text).collect();
    let whole = expected(session);
    assert_eq!(back.len(), whole.len(), "another number of messages comes back");
    for (index, (back, readings)) in back.iter().zip(&whole).enumerate() {
        assert!(readings.contains(back), "message {index} is another: {}", String::from_utf8_lossy(back));
    }
}

fn print(message: &[u8]) -> Fingerprint {
    fingerprint::message(Tape::new().parse(message).expect("messages are JSON"), None)
}

/// With a ledger, the file comes back to the byte.
fn folds_and_unfolds(data: &[u8], budget: f64) {
    let plan = PlanOptions::tail_budget(budget);
    let folded = document::fold(data, &FileOptions::plan(&plan)).expect("what can be read can be folded");
    let (Some(conversation), Some(ledger)) = (folded.conversation, folded.ledger) else { return };
    assert_json(conversation.as_bytes());
    assert_json(ledger.as_bytes());
    let back = document::unfold_file(conversation.as_bytes(), ledger.as_bytes()).expect("it unfolds");
    assert!(back.exact && back.bytes == data, "not the same bytes");
}

/// Written into the file as its own program would, and taken off again.
fn folds_natively(data: &[u8], session: &Session<'_>, budget: f64) {
    let plan = PlanOptions::tail_budget(budget);
    let folded = match document::fold_session(data, &FileOptions::plan(&plan)) {
        Ok(folded) => folded,
        Err(error) => {
            let code = error.code;
            return assert!(matches!(code, ErrorCode::BadArgument | ErrorCode::BadPlan), "{code:?}: {}", error.message);
        }
    };
    let Some(written) = folded.session else { return };
    let after = read_session(&written).expect("what was written can be read");
    sound(&written, &after);
    assert_eq!(after.kind, session.kind);
    assert_eq!(after.messages.len(), folded.report.messages_after as usize);
    let back = match &folded.ledger {
        Some(ledger) => document::unfold_file(&written, ledger.as_bytes()),
        None => document::unfold_session(&written),
    };
    let back = back.expect("it unfolds");
    assert!(back.exact && back.bytes == data, "not the same bytes");
}
