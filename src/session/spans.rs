//! Folds that a file of plain messages tells of: spans that agentfootprint stores beside the messages, with what they folded,
//! and digests that their type marks as such, whose originals are gone.

use super::lines;
use super::{FoundFold, SessionMessage, SessionProblem, SessionProblemCode};
use crate::fingerprint::fnv1a;
use crate::formats::Format;
use crate::json::{Kind, Tape, Value};
use crate::message::{Provenance, Role};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The folds of a file, the oldest first. `spans` is where its array `folded` lies, and the line of it.
pub(super) fn found<'s>(
    bytes: &'s [u8],
    format: Format,
    messages: &mut [SessionMessage<'s>],
    spans: Option<(Range<usize>, u32)>,
    problems: &mut Vec<SessionProblem>,
) -> Vec<FoundFold<'s>> {
    let mut folds = match spans.filter(|_| format == Format::Agentfootprint) {
        Some((range, line)) => stored(bytes, range, line, messages, problems),
        None => Vec::new(),
    };
    let mut spoken = false;
    for message in messages.iter() {
        let digest = message.provenance == Provenance::Summary;
        let stored = || folds.iter().any(|fold| fold.digest.contains(message));
        // Anthropic's API ignores what stands before its own digest; an array that still holds it has lost nothing.
        let held = format == Format::Anthropic && spoken;
        if digest && !held && !stored() {
            let digest = vec![message.clone()];
            folds.push(FoundFold { line: message.lines[0], digest, ..FoundFold::default() });
        }
        spoken |= matches!(message.role, Role::User | Role::Assistant) && message.provenance == Provenance::Plain;
    }
    folds
}

/// A span as it is stored.
struct Span<'s> {
    fingerprint: String,
    messages: Option<Vec<SessionMessage<'s>>>,
}

fn stored<'s>(
    bytes: &'s [u8],
    range: Range<usize>,
    line: u32,
    messages: &mut [SessionMessage<'s>],
    problems: &mut Vec<SessionProblem>,
) -> Vec<FoundFold<'s>> {
    let text = &bytes[range];
    let mut tape = Tape::new();
    let Ok(list) = tape.parse(text) else { return Vec::new() };
    let lossy = std::str::from_utf8(text).is_err();
    let reader = Format::Agentfootprint.reader();
    let message = |value: Value<'_>| SessionMessage {
        json: lines::clean(Cow::Borrowed(&text[value.span()]), lossy),
        lines: vec![line],
        role: reader.role(value),
        provenance: reader.provenance(value),
        usage: None,
    };
    let span = |value: Value<'_>| {
        let held = value.get("messages").filter(|held| held.kind() == Kind::Array);
        let objects = |held: Value<'_>| -> Vec<SessionMessage<'s>> {
            held.items().filter(|item| item.kind() == Kind::Object).map(message).collect()
        };
        let fingerprint = value.get_str("summaryFingerprint")?.text_lossy().into_owned();
        Some(Span { fingerprint, messages: held.map(objects) })
    };
    let mut spans: Vec<Span<'s>> = list.items().filter_map(span).collect();
    // Of two spans with the same summary each is the other's twin: both are of any message that holds it.
    let mut wanted: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, span) in spans.iter().enumerate() {
        wanted.entry(span.fingerprint.clone()).or_default().push(number);
    }
    let mut digests: Vec<Option<SessionMessage<'s>>> = vec![None; spans.len()];
    let held = spans.iter_mut().filter_map(|span| span.messages.as_mut()).flatten();
    for message in messages.iter_mut().chain(held).filter(|message| message.role == Role::User) {
        let Some(numbers) = print(message).and_then(|print| wanted.remove(&print)) else { continue };
        message.provenance = Provenance::Summary;
        numbers.into_iter().for_each(|number| digests[number] = Some(message.clone()));
    }
    let mut folds = Vec::new();
    for (span, digest) in spans.into_iter().zip(digests) {
        let Some(digest) = digest else {
            let message = format!(
                "a span of \"folded\", on line {line}, is of a summary that no message holds ({}); it was left out",
                span.fingerprint
            );
            problems.push(SessionProblem { line, code: SessionProblemCode::BoundaryWithoutSummary, message });
            continue;
        };
        let originals = span.messages.unwrap_or_default();
        folds.push(FoundFold { line, originals, digest: vec![digest], ..FoundFold::default() });
    }
    folds
}

/// agentfootprint's fingerprint of a summary: FNV-1a over its text.
fn print(message: &SessionMessage<'_>) -> Option<String> {
    let mut tape = Tape::new();
    let content = tape.parse(&message.json).ok()?.get_str("content")?.text()?;
    Some(format!("{:x}", fnv1a(&content)))
}
