// SPDX-License-Identifier: MIT OR Apache-2.0

//! What holds of every ledger file, and of every conversation that is said to belong to it.

use super::{assert_json, parsed};
use plica::document::{self, FileOptions};
use plica::fingerprint::{self, Fingerprint};
use plica::json::{Tape, Value};
use plica::ledger::{unfold, FoldRecord, Origin};
use plica::plan::PlanOptions;
use plica::session::read_session;
use std::collections::HashSet;

pub fn hold(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (ledger, conversation) = (&data[..end], data.get(end + 1..).unwrap_or_default());
    let records = records(ledger);
    records.iter().for_each(survives);
    undoes(&records, &window(conversation));
    if let Ok(back) = document::unfold_file(conversation, ledger) {
        assert!(back.exact || parsed(&back.bytes, |whole| whole.items().count() == back.messages as usize));
    }
    folds_on(conversation, ledger);
}

/// The records of a ledger file that are possible.
fn records(ledger: &[u8]) -> Vec<FoldRecord> {
    let mut tape = Tape::new();
    let Ok(value) = tape.parse(ledger) else { return Vec::new() };
    let folds = value.get("folds").into_iter().flat_map(Value::items);
    folds.filter_map(|fold| FoldRecord::from_json(fold).ok()).collect()
}

/// A record is the same after being written and read.
fn survives(record: &FoldRecord) {
    record.check().expect("what was read is possible");
    let text = record.to_json();
    assert_json(text.as_bytes());
    let mut tape = Tape::new();
    let again = FoldRecord::from_json(tape.parse(text.as_bytes()).expect("a record is JSON"));
    assert_eq!(&again.expect("a record can be read"), record);
}

fn window(conversation: &[u8]) -> Vec<Fingerprint> {
    let Ok(session) = read_session(conversation) else { return Vec::new() };
    let mut tape = Tape::new();
    let print = |json: &[u8]| fingerprint::message(tape.parse(json).expect("messages are JSON"), None);
    let mut print = print;
    session.messages.iter().map(|message| print(&message.json)).collect()
}

/// Whatever comes back is there, and each message once.
fn undoes(records: &[FoldRecord], window: &[Fingerprint]) {
    let Ok(origins) = unfold(records, window) else { return };
    let mut seen = HashSet::new();
    for origin in origins {
        let place = match origin {
            Origin::Window(at) => {
                assert!((at as usize) < window.len());
                (u32::MAX, at)
            }
            Origin::Fold { fold, index } => {
                assert!((index as usize) < records[fold as usize].folded().len());
                (fold, index)
            }
        };
        assert!(seen.insert(place), "{origin:?} comes back twice");
    }
}

/// Folded again with the ledger: if that can be, then it unfolds as it did before.
fn folds_on(conversation: &[u8], ledger: &[u8]) {
    let plan = PlanOptions::tail_budget(20.0);
    let options = FileOptions { ledger: Some(ledger), ..FileOptions::plan(&plan) };
    let Ok(folded) = document::fold(conversation, &options) else { return };
    let (Some(window), Some(book)) = (folded.conversation, folded.ledger) else { return };
    let before = document::unfold_file(conversation, ledger);
    let after = document::unfold_file(window.as_bytes(), book.as_bytes());
    if let Ok(before) = before {
        let after = after.expect("a fold of a conversation that unfolds can be undone");
        assert_eq!(after.messages, before.messages, "another number of messages comes back");
    }
}
