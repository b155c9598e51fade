// SPDX-License-Identifier: MIT OR Apache-2.0

//! What holds of every list of JSON objects, read as messages of any format.

use super::{assert_json, header, objects};
use plica::check::check;
use plica::clip;
use plica::cuts::Boundaries;
use plica::deterministic;
use plica::digest;
use plica::edit::Writer;
use plica::fingerprint::{self, Fingerprint};
use plica::formats::Format;
use plica::json::{Kind, Tape, Value};
use plica::ledger::{unfold, DigestPrint, FoldRecord, Origin};
use plica::message::Role;
use plica::outline::{Outline, Reading};
use plica::plan::{plan_within, Plan, PlanOptions};
use plica::repair::{repair, Repaired};
use plica::summarize;
use plica::window::{explain, measure, merged, slots, Slot, Span, FILLER};
use std::collections::HashSet;

pub fn hold(data: &[u8]) {
    let Some((numbers, text)) = header(data, 3) else { return };
    let format = Format::ALL[numbers[0] % Format::ALL.len()];
    let messages = objects(text);
    repairs(&messages, format);
    let outline = Outline::read(&messages, Reading { format: Some(format), provenance: &[], ..Reading::default() });
    let outline = outline.expect("objects can be read as messages");
    plans(&messages, &outline, &options(numbers[1], numbers[2], messages.len()));
}

fn options(budget: usize, bits: usize, count: usize) -> PlanOptions {
    let bit = |number: usize| bits >> number & 1 == 1;
    PlanOptions {
        tail_budget: (budget * budget) as f64,
        keep_turns: u32::from(bit(0)) * 2,
        prefix: u32::from(bit(1)).min(count as u32),
        pinned: if bit(2) && count > 0 { vec![count as u32 / 2] } else { Vec::new() },
        keep_system: bit(3),
        anchor_task: bit(4),
        anchor_request: bit(5),
        margin: if bit(6) { 0.25 } else { 0.0 },
    }
}

fn repairs(messages: &[&[u8]], format: Format) {
    let problems = check(messages, format).expect("objects can be checked");
    assert!(problems.iter().all(|problem| (problem.index as usize) < messages.len()));
    let repaired = repair(messages, format).expect("objects can be repaired");
    let texts = repaired.texts(messages, format);
    texts.iter().for_each(|text| assert_json(text));
    undoes(messages, &texts, &repaired);
    // With a member twice, it is open which of them a provider takes: what is written may settle it otherwise.
    if messages.iter().any(|message| says_twice(message)) {
        return;
    }
    assert_eq!(check(&texts, format).expect("repaired messages can be checked"), [], "left by the repair");
    assert_eq!(problems.is_empty(), repaired.changes.is_empty(), "{problems:?} against {:?}", repaired.changes);
    let second = repair(&texts, format).expect("repaired messages can be repaired");
    assert!(second.changes.is_empty() && second.texts(&texts, format) == texts, "a second repair changes something");
}

/// The edits, undone backwards, give what there was.
fn undoes(messages: &[&[u8]], texts: &[Vec<u8>], repaired: &Repaired) {
    let mut back: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    for edit in repaired.edits.iter().rev() {
        let old = &messages[edit.from as usize..(edit.from + edit.removed) as usize];
        back.splice(edit.at as usize..(edit.at + edit.inserted) as usize, old.iter().copied());
    }
    assert!(back == messages, "the edits do not lead back");
}

/// Whether an object anywhere in it has a member twice.
fn says_twice(message: &[u8]) -> bool {
    let mut tape = Tape::new();
    let value = tape.parse(message).expect("messages are JSON");
    let twice = |object: Value<'_>| {
        let mut keys = HashSet::new();
        !object.entries().all(|(key, _)| keys.insert(key.text_lossy()))
    };
    let found = value.walk().any(|value| value.kind() == Kind::Object && twice(value));
    found
}

fn plans(messages: &[&[u8]], outline: &Outline, options: &PlanOptions) {
    let boundaries = Boundaries::of(outline);
    let answer = plan_within(outline, &boundaries, options).expect("the options are possible");
    let clips = match &answer {
        Plan::Fold(fold) => &fold.clips,
        Plan::None(none) => &none.clips,
    };
    let mut writer = Writer::new(messages, outline.format);
    let drafts = clip::results(messages, outline.format, clips).expect("what a plan offers can be clipped");
    drafts.iter().for_each(|draft| assert_json(&writer.text(draft)));
    if let Plan::Fold(fold) = &answer {
        folds(messages, outline, &boundaries, &Span::of(fold));
    }
}

/// A planned fold: everything can be said about it, and it can be undone.
fn folds(messages: &[&[u8]], outline: &Outline, boundaries: &Boundaries, span: &Span) {
    let format = outline.format;
    span.check_units(outline, boundaries).expect("a plan tears nothing");
    measure(outline, span).expect("a plan can be measured");
    let fates = explain(outline, boundaries, span).expect("a plan can be explained");
    assert_eq!(fates.len(), messages.len());
    let none = |_| None;
    summarize::request(messages, format, span, &none, &Default::default()).expect("a plan can be summarized");
    let summary = deterministic::digest(messages, format, span, &none, &Default::default()).expect("a digest");
    let digest =
        with(messages[0], |like| digest::messages(&summary, format, Some(like))).expect("the digest is written");
    let prints: Vec<DigestPrint> = digest.iter().map(|message| digest_print(message.as_bytes(), format)).collect();
    let roles: Vec<Role> = prints.iter().map(|print| print.role).collect();
    let texts: Vec<&[u8]> = digest.iter().map(String::as_bytes).collect();
    if let Some(draft) = merged(outline, messages, span, &texts).expect("a digest can be merged or not") {
        assert_json(&Writer::new(messages, format).text(&draft));
    }
    let window = filled(messages, &digest, &slots(outline, boundaries, span, &roles), format);
    window.iter().for_each(|message| assert_json(message));
    let of_messages: Vec<Fingerprint> = messages.iter().map(|message| print(message)).collect();
    let of_window: Vec<Fingerprint> = window.iter().map(|message| print(message)).collect();
    let record = FoldRecord::new(outline, boundaries, span, &of_messages, &prints).expect("a plan can be recorded");
    let folded = record.folded();
    let back = unfold(&[record], &of_window).expect("a fold can be undone");
    let text = |origin: &Origin| match *origin {
        Origin::Window(at) => of_window[at as usize],
        Origin::Fold { index, .. } => of_messages[(span.prefix_end + folded[index as usize]) as usize],
    };
    assert!(back.iter().map(text).eq(of_messages.iter().copied()), "another conversation comes back");
}

fn filled(messages: &[&[u8]], digest: &[String], slots: &[Slot], format: Format) -> Vec<Vec<u8>> {
    let fill = |slot: &Slot| match *slot {
        Slot::Message(index) => vec![messages[index as usize].to_vec()],
        Slot::Digest => digest.iter().map(|message| message.clone().into_bytes()).collect(),
        Slot::Filler(side) => vec![format.reader().note(side, FILLER).into_bytes()],
    };
    slots.iter().flat_map(fill).collect()
}

fn digest_print(message: &[u8], format: Format) -> DigestPrint {
    DigestPrint { fingerprint: print(message), role: with(message, |value| format.reader().role(value)) }
}

fn print(message: &[u8]) -> Fingerprint {
    with(message, |value| fingerprint::message(value, None))
}

fn with<T>(message: &[u8], read: impl FnOnce(Value<'_>) -> T) -> T {
    read(Tape::new().parse(message).expect("messages are JSON"))
}
