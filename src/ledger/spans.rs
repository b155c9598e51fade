//! Conversations that others store: beside the messages a list of spans, each under the 32-bit FNV of its summary.
//!
//! Such a span says what a summary stands for, but not where it stands. One that reads it looks for a message with that
//! fingerprint, in the window and in the messages of other spans. So a fold can be told as a span only where its digest is one
//! message, nothing that stayed stands between what it took away, and no other message has the same fingerprint.

use super::{FoldRecord, Record};
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, fnv1a, Fingerprint};
use crate::formats::{Detector, Fit, Format};
use crate::json::Tape;
use crate::ledger::{unfold_all, Origin};
use crate::message::Role;
use crate::outline::object;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// A message as spans need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanMessage {
    /// Its fingerprint.
    pub print: Fingerprint,
    /// FNV of its content, and our own fingerprint of that; `None` where its content is no text.
    pub content: Option<(u32, Fingerprint)>,
    /// The user speaks.
    pub user: bool,
    /// It can be a message of such a conversation.
    pub fits: bool,
}

/// A span as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredSpan {
    /// FNV of the summary, in hex.
    pub key: String,
    /// Number of its messages behind those of the window and of the spans before; `None` where it has none.
    pub held: Option<u32>,
    /// How many messages it says to stand for.
    pub count: Option<u32>,
}

/// A span whose place was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpanAsFold {
    /// Index of the span.
    pub span: u32,
    /// The fold that it is.
    pub record: FoldRecord,
}

/// What became of the spans of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpanFolds {
    /// Those that have a place, the oldest first.
    pub folds: Vec<SpanAsFold>,
    /// Indices of those whose messages are none of agentfootprint.
    pub unreadable: Vec<u32>,
}

/// A fold that a span can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldAsSpan {
    /// Index of the record.
    pub record: u32,
    /// FNV of its digest's content.
    pub key: u32,
    /// Number of messages that it took away.
    pub count: u32,
}

fn refused(code: ErrorCode, what: impl Into<String>) -> Error {
    Error::new(code, what)
}

/// Reads messages, one JSON text each.
///
/// # Errors
/// [`ErrorCode::BadMessage`] for what is no message.
pub fn span_messages(lines: &[&[u8]]) -> Result<Vec<SpanMessage>> {
    let reader = Format::Agentfootprint.reader();
    let mut tape = Tape::new();
    let read = |(index, line): (usize, &&[u8])| {
        let message = object(&mut tape, line, index)?;
        let content = message.get("content").and_then(|content| content.text());
        Ok(SpanMessage {
            print: fingerprint::message(message, None),
            content: content.map(|text| (fnv1a(&text), fingerprint::text(&text))),
            user: reader.role(message) == Role::User,
            fits: reader.fit(message) != Fit::Impossible,
        })
    };
    lines.iter().enumerate().map(read).collect()
}

/// Sees that messages are those of agentfootprint, or plain text.
fn check_format<'l>(lines: impl Iterator<Item = &'l &'l [u8]>) -> Result<()> {
    let (mut detector, mut tape) = (Detector::default(), Tape::new());
    let reader = Format::Agentfootprint.reader();
    for (index, line) in lines.enumerate() {
        let message = object(&mut tape, line, index)?;
        detector.see(message);
        if reader.fit(message) == Fit::Impossible {
            let what = format!("message {index} is none of agentfootprint and no plain text, and spans know no other");
            return Err(refused(ErrorCode::BadArgument, what));
        }
    }
    let candidates = detector.candidates();
    match candidates.first() {
        Some(other) if !candidates.contains(&Format::Agentfootprint) => {
            let what = format!("the messages are those of {}; spans know agentfootprint and plain text", other.name());
            Err(refused(ErrorCode::BadArgument, what))
        }
        _ => Ok(()),
    }
}

/// A span on the way to its place.
struct Looking {
    key: Option<u32>,
    /// Its messages, or what stands in their place.
    messages: Vec<SpanMessage>,
    unknown: Option<u32>,
}

/// An undecided place: the message's number, and the span that could have been there as well.
type Contested = HashMap<u32, Vec<(usize, usize)>>;

/// The spans of a conversation as folds, the oldest first. `lines` are the messages of the window, `window` of them, and behind them
/// those of the spans.
///
/// The spans are put back from the last to the first: each belongs to the summary that is to be seen once all later ones are undone,
/// so of several with one fingerprint each finds its own. Of several messages with the same text the first is the summary; those
/// behind it repeat it. A span whose summary is nowhere, or whose messages cannot be read, has no fold in the answer.
///
/// # Errors
/// [`ErrorCode::BadArgument`] for messages of another format; [`ErrorCode::BadLedger`] where it cannot be told which summary a span
/// is of.
pub fn folds_of_spans(lines: &[&[u8]], window: usize, spans: &[StoredSpan]) -> Result<SpanFolds> {
    let all = span_messages(lines)?;
    let mut next = window.min(all.len());
    let mut seen: Vec<&&[u8]> = lines[..next].iter().collect();
    let mut look = Vec::with_capacity(spans.len());
    let mut unreadable = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        let held = span.held.map(|count| {
            let from = next;
            next = (next + count as usize).min(all.len());
            from..next
        });
        let readable = held.clone().is_none_or(|range| all[range].iter().all(|message| message.fits));
        if readable {
            seen.extend(held.clone().into_iter().flat_map(|range| &lines[range]));
        } else {
            unreadable.push(number as u32);
        }
        let unknown = if held.is_none() && span.count != Some(0) { Some(span.count.unwrap_or(0)) } else { None };
        look.push(Looking {
            key: key_of(&span.key).filter(|_| readable),
            messages: match (held, unknown) {
                (Some(range), _) => all[range].to_vec(),
                (None, Some(_)) => vec![stand_in(number, &span.key)],
                (None, None) => Vec::new(),
            },
            unknown,
        });
    }
    check_format(seen.into_iter())?;
    Ok(SpanFolds { folds: placed(&all[..window.min(all.len())], &look)?, unreadable })
}

fn placed(window: &[SpanMessage], spans: &[Looking]) -> Result<Vec<SpanAsFold>> {
    let mut items: Vec<(usize, SpanMessage)> = window.iter().copied().enumerate().collect();
    let mut ids = items.len();
    let mut folds = Vec::new();
    let mut left: Vec<usize> = (0..spans.len()).rev().collect();
    let mut contested = Contested::new();
    // Again as long as it helps: the spans need not be in the order in which they were made.
    loop {
        let before = left.len();
        let mut still = Vec::new();
        for number in left {
            let span = &spans[number];
            let Some(at) = place_of(&items, spans, number, &mut contested)? else {
                still.push(number);
                continue;
            };
            folds.push(SpanAsFold { span: number as u32, record: record_at(&items, at, span) });
            let back = span.messages.iter().enumerate().map(|(i, &message)| (ids + i, message)).collect::<Vec<_>>();
            ids += back.len();
            items.splice(at..=at, back);
        }
        left = still;
        if left.len() == before {
            break;
        }
    }
    // One of a pair that has a place could as well be the other.
    for fold in &folds {
        let own = fold.span as usize;
        if let Some(&other) =
            left.iter().find(|&&other| spans[other].key == spans[own].key && differ(spans, own, other))
        {
            return Err(undecided(own, other));
        }
    }
    folds.reverse();
    Ok(folds)
}

/// Where the summary of a span stands by now.
fn place_of(
    items: &[(usize, SpanMessage)],
    spans: &[Looking],
    number: usize,
    contested: &mut Contested,
) -> Result<Option<usize>> {
    let Some(key) = spans[number].key else { return Ok(None) };
    let has_key = |at: &usize| items[*at].1.content.is_some_and(|(own, _)| own == key);
    let mut places: Vec<usize> = (0..items.len()).filter(has_key).collect();
    // A summary is told to the model by the user; others may well repeat it.
    if places.iter().any(|&at| items[at].1.user) {
        places.retain(|&at| items[at].1.user);
    }
    let Some((&first, others)) = places.split_first() else { return Ok(None) };
    if let Some(&other) = others.iter().find(|&&at| items[at].1.content != items[first].1.content) {
        let what = format!(
            "messages {first} and {other}, as they stand before span {number} is undone, have the 32-bit fingerprint {key:x} of the span and different texts"
        );
        return Err(refused(ErrorCode::BadLedger, what));
    }
    let open = contested.entry(key).or_default();
    let id = items[first].0;
    if let Some((_, other)) = open.iter().find(|(item, other)| *item == id && differ(spans, number, *other)) {
        return Err(undecided(number, *other));
    }
    open.extend(others.iter().map(|&at| (items[at].0, number)));
    Ok(Some(first))
}

fn differ(spans: &[Looking], a: usize, b: usize) -> bool {
    let prints = |number: usize| spans[number].messages.iter().map(|message| message.print);
    !prints(a).eq(prints(b))
}

fn undecided(a: usize, b: usize) -> Error {
    let what = format!(
        "spans {a} and {b} have the same 32-bit fingerprint, and nothing tells which summary is of which; leave one of them out"
    );
    refused(ErrorCode::BadLedger, what)
}

/// So many messages behind a summary are told of its tail: all of it, for each of many spans, would cost their product.
const TAIL: usize = 16;

fn record_at(items: &[(usize, SpanMessage)], at: usize, span: &Looking) -> FoldRecord {
    let tail: Vec<Fingerprint> = items[at + 1..].iter().take(TAIL).map(|(_, message)| message.print).collect();
    FoldRecord {
        format: Format::Agentfootprint.name().into(),
        prefix_end: at as u32,
        kept_from: (at + span.messages.len()) as u32,
        before: Vec::new(),
        after: Vec::new(),
        digest: vec![items[at].1.print.to_string()],
        span: span.messages.iter().map(|message| message.print.to_string()).collect(),
        tail: tail.first().map(Fingerprint::to_string),
        tail_length: tail.len() as u32,
        tail_span: fingerprint::span(&tail).to_string(),
        fillers: Vec::new(),
        gone: false,
        unknown: span.unknown,
    }
}

/// The fingerprint as it is compared by those who wrote it: spelled otherwise it is none.
fn key_of(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok().filter(|key| format!("{key:x}") == text)
}

/// Stands in the place of messages of which nothing is known; no message has its fingerprint.
fn stand_in(number: usize, key: &str) -> SpanMessage {
    let print = fingerprint::text(format!("unknown originals of span {number}, {key}").as_bytes());
    SpanMessage { print, content: None, user: false, fits: true }
}

/// The folds behind a window as spans, the oldest first. `lines` are the messages of the window, `window` of them, and behind them
/// those that each record holds, as many as `held` says; `None` for a record that holds none.
///
/// Folds of another way that the conversation went once are left out, and so are those that hold nothing and whose digest folded into
/// one that holds nothing: nobody can ask for them any more.
///
/// # Errors
/// [`ErrorCode::DigestMissing`] for messages that are no window of these records; [`ErrorCode::BadArgument`] for messages of another
/// format; [`ErrorCode::BadLedger`] for what a span cannot tell: a reduction, a repair, a fold that kept messages between those that
/// it took away, put others in or has a digest of several messages, a digest whose 32-bit fingerprint another message has as well;
/// [`ErrorCode::OriginalsMissing`] where the digest of a fold, or the number of its messages, is not known.
pub fn spans_of_folds(
    records: &[Record],
    lines: &[&[u8]],
    window: usize,
    held: &[Option<u32>],
) -> Result<Vec<FoldAsSpan>> {
    let all = span_messages(lines)?;
    let (window, mut rest) = all.split_at(window.min(all.len()));
    let held: Vec<Option<&[SpanMessage]>> = held
        .iter()
        .map(|count| {
            let (own, behind) = rest.split_at((*count)?.try_into().unwrap_or(usize::MAX).min(rest.len()));
            rest = behind;
            Some(own)
        })
        .collect();
    let prints: Vec<Fingerprint> = window.iter().map(|message| message.print).collect();
    let undone = undone_edits(&unfold_all(records, &prints)?);
    // What is to be seen once later folds are undone; of what nobody holds the fingerprint alone.
    let mut known: HashMap<Fingerprint, Option<u32>> = HashMap::new();
    let mut keys: HashMap<u32, u32> = HashMap::new();
    let mut see = |messages: &[SpanMessage], known: &mut HashMap<Fingerprint, Option<u32>>| {
        for message in messages {
            let key = message.content.map(|(key, _)| key);
            known.insert(message.print, key);
            key.into_iter().for_each(|key| *keys.entry(key).or_default() += 1);
        }
    };
    see(window, &mut known);
    let mut out = Vec::new();
    for (index, record) in records.iter().enumerate().rev() {
        let own = held.get(index).copied().flatten();
        let fold = match record {
            Record::Fold(fold) => fold,
            Record::Edit(edit) => {
                let put_in =
                    edit.edits.iter().flat_map(|run| &run.inserted).filter_map(|text| Fingerprint::parse(text));
                if undone.contains(&(index as u32)) || put_in.into_iter().any(|print| known.contains_key(&print)) {
                    let what = "the ledger holds a reduction or a repair of these messages, which a span cannot tell";
                    return Err(refused(ErrorCode::BadLedger, what));
                }
                continue;
            }
        };
        let digest: Vec<Fingerprint> = fold.digest.iter().filter_map(|text| Fingerprint::parse(text)).collect();
        if !digest.iter().any(|print| known.contains_key(print)) {
            continue;
        }
        let taken = taken_prints(fold);
        let key = known.get(&digest[0]).copied().flatten();
        match (own, key) {
            (Some(messages), _) => see(messages, &mut known),
            (None, _) => taken.iter().for_each(|print| {
                known.entry(*print).or_insert(None);
            }),
        }
        let Some(key) = key else {
            if own.is_none() && fold.digest.len() == 1 {
                continue;
            }
            return Err(cannot(records, index, &Cannot::NoDigest));
        };
        if let Some(why) = reason(fold) {
            return Err(cannot(records, index, &why));
        }
        let count = fold.unknown.unwrap_or(taken.len() as u32);
        out.push(FoldAsSpan { record: index as u32, key, count });
    }
    if let Some(twice) = out.iter().find(|fold| keys.get(&fold.key) != Some(&1)) {
        return Err(cannot(records, twice.record as usize, &Cannot::Shared(twice.key)));
    }
    check_format(lines.iter())?;
    out.reverse();
    Ok(out)
}

fn undone_edits(origins: &[Origin]) -> HashSet<u32> {
    let record = |origin: &Origin| match origin {
        Origin::Fold { fold, .. } => Some(*fold),
        Origin::Window(_) => None,
    };
    origins.iter().filter_map(record).collect()
}

fn taken_prints(fold: &FoldRecord) -> Vec<Fingerprint> {
    fold.folded().into_iter().filter_map(|index| Fingerprint::parse(fold.span.get(index as usize)?)).collect()
}

/// Why a fold is no span.
enum Cannot {
    NoDigest,
    NoCount,
    Between,
    Fillers,
    SeveralMessages,
    Shared(u32),
}

/// Why the layout of a fold is none of a span.
fn reason(fold: &FoldRecord) -> Option<Cannot> {
    if fold.digest.len() != 1 {
        return Some(Cannot::SeveralMessages);
    }
    if !fold.fillers.is_empty() {
        return Some(Cannot::Fillers);
    }
    if fold.gone || fold.unknown == Some(0) {
        return Some(Cannot::NoCount);
    }
    // The reader puts the messages where the digest is: in their old order only if what stayed stands around all of them.
    let folded = fold.folded();
    let at = |index: &u32| index + fold.prefix_end;
    let (first, last) = (folded.first().map(at), folded.last().map(at));
    let torn = fold.before.last().is_some_and(|kept| first.is_some_and(|first| *kept > first))
        || fold.after.first().is_some_and(|kept| last.is_some_and(|last| *kept < last));
    torn.then_some(Cannot::Between)
}

fn cannot(records: &[Record], index: usize, why: &Cannot) -> Error {
    let number = records[..index].iter().filter(|record| matches!(record, Record::Fold(_))).count();
    let (code, what) = match why {
        Cannot::NoDigest => {
            (ErrorCode::OriginalsMissing, "its digest is among originals that the ledger does not hold".to_string())
        }
        Cannot::NoCount => (ErrorCode::OriginalsMissing, "nobody knows how many messages it stands for".into()),
        Cannot::Between => (ErrorCode::BadLedger, "it kept messages between those that it took away".into()),
        Cannot::Fillers => (ErrorCode::BadLedger, "it put messages in so that user and model take turns".into()),
        Cannot::SeveralMessages => (ErrorCode::BadLedger, "its digest is of several messages".into()),
        Cannot::Shared(key) => (
            ErrorCode::BadLedger,
            format!("another message has the 32-bit fingerprint {key:x} of its digest, and would be taken for it"),
        ),
    };
    refused(code, format!("fold {number} of the ledger cannot be told as a span: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::unfold;

    fn user(text: &str) -> String {
        format!(r#"{{"role":"user","content":"{text}"}}"#)
    }

    fn span(summary: &str, held: Option<u32>) -> StoredSpan {
        StoredSpan { key: format!("{:x}", fnv1a(summary.as_bytes())), held, count: Some(held.unwrap_or(3)) }
    }

    /// The folds of spans that hold messages with these texts, and what the window unfolds to.
    fn read(window: &[&str], spans: &[(&str, Option<&[&str]>)]) -> Result<(Vec<u32>, Vec<String>)> {
        let held = spans.iter().flat_map(|(_, held)| held.unwrap_or_default().iter());
        let texts: Vec<String> = window.iter().chain(held).map(|text| user(text)).collect();
        let lines: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let stored: Vec<StoredSpan> =
            spans.iter().map(|(summary, held)| span(summary, held.map(|held| held.len() as u32))).collect();
        let folds = folds_of_spans(&lines, window.len(), &stored)?.folds;
        let records: Vec<FoldRecord> = folds.iter().map(|fold| fold.record.clone()).collect();
        records.iter().for_each(|record| record.check().unwrap());
        let prints: Vec<Fingerprint> = span_messages(&lines)?[..window.len()].iter().map(|m| m.print).collect();
        let origins = unfold(&records, &prints)?;
        let text = |origin: &Origin| match *origin {
            Origin::Window(index) => window[index as usize].to_string(),
            Origin::Fold { fold, index } => {
                let held = spans[folds[fold as usize].span as usize].1;
                held.map_or("?", |held| held[index as usize]).to_string()
            }
        };
        Ok((folds.iter().map(|fold| fold.span).collect(), origins.iter().map(text).collect()))
    }

    #[test]
    fn spans_in_spans_unfold() {
        let spans: [(&str, Option<&[&str]>); 3] = [("A", Some(&["1", "2"])), ("B", Some(&["A", "3"])), ("C", None)];
        let (folds, back) = read(&["B", "4", "C", "5"], &spans).unwrap();
        assert_eq!(folds, [0, 1, 2]);
        assert_eq!(back, ["1", "2", "3", "4", "?", "5"]);
    }

    #[test]
    fn the_same_summary_is_told_apart_by_its_place() {
        let spans: [(&str, Option<&[&str]>); 2] = [("A", Some(&["1", "2"])), ("A", Some(&["A", "3"]))];
        assert_eq!(read(&["A", "4"], &spans).unwrap().1, ["1", "2", "3", "4"]);
        let beside: [(&str, Option<&[&str]>); 2] = [("A", Some(&["1", "2"])), ("A", Some(&["3"]))];
        for window in [&["A", "4", "A"][..], &["A", "4"]] {
            assert_eq!(read(window, &beside).unwrap_err().code, ErrorCode::BadLedger);
        }
    }

    #[test]
    fn what_has_no_place_has_no_fold() {
        let spans: [(&str, Option<&[&str]>); 2] = [("A", Some(&["1"])), ("nowhere", Some(&["2"]))];
        assert_eq!(read(&["A", "4"], &spans).unwrap(), (vec![0], vec!["1".to_string(), "4".to_string()]));
    }
}
