//! The ledger: what each fold replaced, and how to get back through folds of folds.
//!
//! A record knows the layout of the window at the moment of the fold and the fingerprints of all that
//! the fold took away; the messages themselves are held by whoever keeps the ledger.

use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::formats::Format;
use crate::json::{quote, Kind, Value};
use crate::outline::Outline;
use crate::pairing::Pairing;
use crate::window::{slots, Slot, Span};
use serde::Serialize;
use std::collections::HashMap;

/// One fold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct FoldRecord {
    /// The format of the messages, by name.
    pub format: String,
    /// Messages before this index were the prefix.
    pub prefix_end: u32,
    /// Messages from this index on were the tail.
    pub kept_from: u32,
    /// Indices of the span that stayed verbatim before the digest, ascending.
    pub before: Vec<u32>,
    /// Indices of the span that stayed verbatim after the digest, ascending.
    pub after: Vec<u32>,
    /// Fingerprints of the digest's messages, 32 hex digits each.
    pub digest: Vec<String>,
    /// Fingerprints of all messages of the span, kept ones included.
    pub span: Vec<String>,
    /// Fingerprint of the first message of the tail, if there was one.
    pub tail: Option<String>,
    /// Number of messages in the tail.
    pub tail_length: u32,
    /// Fingerprint of the tail as one span.
    pub tail_span: String,
}

impl FoldRecord {
    /// The record of a fold that is about to be made.
    ///
    /// # Errors
    /// Those of [`Span::check_units`]; [`ErrorCode::BadArgument`] when the digest is no message.
    pub fn new(
        outline: &Outline,
        pairing: &Pairing,
        span: &Span,
        messages: &[Fingerprint],
        digest: &[Fingerprint],
    ) -> Result<FoldRecord> {
        span.check_units(outline, pairing)?;
        if digest.is_empty() {
            return Err(Error::new(ErrorCode::BadArgument, "the digest holds no message"));
        }
        let slots = slots(outline, pairing, span);
        let place = slots.iter().position(|slot| *slot == Slot::Digest).expect("a window has a digest");
        let before = (place - span.prefix_end as usize).min(span.kept.len());
        let index = |slot: &Slot| match slot {
            Slot::Message(index) => *index,
            Slot::Digest => unreachable!("only one digest"),
        };
        let after_count = span.kept.len() - before;
        let hex = |prints: &[Fingerprint]| prints.iter().map(Fingerprint::to_string).collect::<Vec<_>>();
        Ok(FoldRecord {
            format: outline.format.name().into(),
            prefix_end: span.prefix_end,
            kept_from: span.kept_from,
            before: slots[span.prefix_end as usize..place].iter().map(index).collect(),
            after: slots[place + 1..place + 1 + after_count].iter().map(index).collect(),
            digest: hex(digest),
            span: hex(&messages[span.range()]),
            tail: messages.get(span.kept_from as usize).map(Fingerprint::to_string),
            tail_length: (messages.len() - span.kept_from as usize) as u32,
            tail_span: fingerprint::span(&messages[span.kept_from as usize..]).to_string(),
        })
    }

    /// The record as JSON text.
    pub fn to_json(&self) -> String {
        let numbers = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let texts = |all: &[String]| all.iter().map(|text| quote(text)).collect::<Vec<_>>().join(",");
        let tail = self.tail.as_deref().map_or("null".into(), quote);
        format!(
            r#"{{"format":{},"prefixEnd":{},"keptFrom":{},"before":[{}],"after":[{}],"digest":[{}],"span":[{}],"tail":{tail},"tailLength":{},"tailSpan":{}}}"#,
            quote(&self.format),
            self.prefix_end,
            self.kept_from,
            numbers(&self.before),
            numbers(&self.after),
            texts(&self.digest),
            texts(&self.span),
            self.tail_length,
            quote(&self.tail_span),
        )
    }

    /// Reads a record, and sees that it is possible.
    ///
    /// # Errors
    /// [`ErrorCode::BadLedger`].
    pub fn from_json(value: Value<'_>) -> Result<FoldRecord> {
        let bad = |key: &str| Error::new(ErrorCode::BadLedger, format!("a fold's record has no usable {key:?}"));
        let index = |value: Value<'_>| {
            value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..4_294_967_296.0).contains(n)).map(|n| n as u32)
        };
        let text = |value: Value<'_>| value.text().map(|_| value.text_lossy().into_owned());
        let number = |key: &str| value.get(key).and_then(index).ok_or_else(|| bad(key));
        let array = |key: &str| value.get(key).filter(|v| v.kind() == Kind::Array).ok_or_else(|| bad(key));
        let numbers = |key: &str| {
            array(key)?.items().map(|item| index(item).ok_or_else(|| bad(key))).collect::<Result<Vec<u32>>>()
        };
        let texts = |key: &str| {
            array(key)?.items().map(|item| text(item).ok_or_else(|| bad(key))).collect::<Result<Vec<String>>>()
        };
        let record = FoldRecord {
            format: value.get("format").and_then(text).ok_or_else(|| bad("format"))?,
            prefix_end: number("prefixEnd")?,
            kept_from: number("keptFrom")?,
            before: numbers("before")?,
            after: numbers("after")?,
            digest: texts("digest")?,
            span: texts("span")?,
            tail: value.get("tail").and_then(text),
            tail_length: number("tailLength")?,
            tail_span: value.get("tailSpan").and_then(text).ok_or_else(|| bad("tailSpan"))?,
        };
        record.check()?;
        Ok(record)
    }

    /// Indices of the span that folded, relative to the prefix's end, ascending.
    pub fn folded(&self) -> Vec<u32> {
        let kept = |index: u32| self.before.binary_search(&index).is_ok() || self.after.binary_search(&index).is_ok();
        (self.prefix_end..self.kept_from).filter(|&index| !kept(index)).map(|index| index - self.prefix_end).collect()
    }

    /// Sees that a record that comes from outside is possible.
    ///
    /// # Errors
    /// [`ErrorCode::BadLedger`].
    pub fn check(&self) -> Result<()> {
        let bad = |what: &str| Err(Error::new(ErrorCode::BadLedger, what));
        if Format::from_name(&self.format).is_err() {
            return bad(&format!("a fold is of the unknown format {:?}", self.format));
        }
        if self.kept_from < self.prefix_end || self.span.len() as u64 != u64::from(self.kept_from - self.prefix_end) {
            return bad("a fold does not hold one fingerprint for each message of its span");
        }
        for kept in [&self.before, &self.after] {
            let inside = kept.iter().all(|index| (self.prefix_end..self.kept_from).contains(index));
            if !inside || !kept.windows(2).all(|pair| pair[0] < pair[1]) {
                return bad("a fold keeps messages that are not in its span, or not in order");
            }
        }
        let prints = self.digest.iter().chain(&self.span).chain(&self.tail).chain([&self.tail_span]);
        if self.digest.is_empty() || !prints.into_iter().all(|text| Fingerprint::parse(text).is_some()) {
            return bad("a fold holds something that is no fingerprint of 32 hex digits");
        }
        Ok(())
    }
}

/// Where a message of the unfolded conversation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Message of the window that was given.
    Window(u32),
    /// `folded()[index]` of a fold.
    Fold {
        /// Index of the fold.
        fold: u32,
        /// Index among the messages that it folded.
        index: u32,
    },
}

/// The conversation as it was before all folds, as places to take each message from.
///
/// Folds are undone from the last to the first. The place of a digest follows from the record; what
/// stands there must have the fingerprints of the digest, of the kept messages around it and of the
/// tail behind it. So two folds with the same summary are told apart by where they stand. A window
/// from before the latest folds is fine: the latest fold from which everything fits is taken. Only when
/// none fits so, another place is searched, and at last a tail that was changed since is forgiven.
///
/// # Errors
/// [`ErrorCode::DigestMissing`] when there is no fold from which all earlier ones can be undone.
pub fn unfold(records: &[FoldRecord], window: &[Fingerprint]) -> Result<Vec<Origin>> {
    let prints: Vec<Prints> = records.iter().map(Prints::of).collect();
    // Kept back to front, so that undoing a fold near the start moves only what is near the start.
    let items: Vec<Item> =
        window.iter().enumerate().map(|(i, &print)| (Origin::Window(i as u32), print)).rev().collect();
    if records.is_empty() {
        return Ok(items.into_iter().rev().map(|(origin, _)| origin).collect());
    }
    let mut places: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
    window.iter().enumerate().for_each(|(place, &print)| places.entry(print).or_default().push(place));
    let mut deepest = None;
    let mut tries = 0;
    for search in SEARCHES {
        for latest in (0..records.len()).rev() {
            // A fold whose digest is nowhere costs no search.
            let Some(at) = prints[latest].digest.first().and_then(|print| places.get(print)) else { continue };
            let starts = at.iter().filter_map(|place| place.checked_sub(records[latest].before.len()));
            let Some(start) = find(&records[latest], &prints[latest], &items, search, starts) else { continue };
            tries += 1;
            match undo_from(records, &prints, latest, start, &items) {
                Ok(items) => return Ok(items.into_iter().rev().map(|(origin, _)| origin).collect()),
                Err(fold) => deepest = deepest.or(Some(fold)),
            }
            if tries == MOST_TRIES {
                return Err(missing(deepest));
            }
        }
    }
    Err(missing(deepest))
}

/// More folds than this that all seem to be the latest are no window of this ledger; each try costs as much as an unfold.
const MOST_TRIES: usize = 64;

fn missing(fold: Option<usize>) -> Error {
    let what = match fold {
        Some(fold) => format!("fold {fold} of the ledger is not in the messages that the folds after it bring back"),
        None => {
            "the messages hold none of the digests that the ledger knows, or what stands around them was changed".into()
        }
    };
    Error::new(ErrorCode::DigestMissing, what)
}

type Item = (Origin, Fingerprint);

/// How much of the tail behind a digest must be as it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    Whole,
    First,
    Any,
}

/// Where to look for what a fold left, from what proves most to what proves least: at the place where it was made (or
/// anywhere), with as much of its tail.
const SEARCHES: [(Tail, bool); 6] = [
    (Tail::Whole, true),
    (Tail::First, true),
    (Tail::Whole, false),
    (Tail::First, false),
    (Tail::Any, true),
    (Tail::Any, false),
];

/// The fingerprints of a record, in the order in which they stand in a window.
struct Prints {
    digest: Vec<Fingerprint>,
    span: Vec<Fingerprint>,
    /// Kept before, digest, kept after.
    body: Vec<Fingerprint>,
    first: Option<Fingerprint>,
    whole: Option<Fingerprint>,
}

impl Prints {
    /// Records were checked when they came in: every text is a fingerprint.
    fn of(record: &FoldRecord) -> Prints {
        let read = |texts: &[String]| -> Vec<Fingerprint> {
            texts.iter().filter_map(|text| Fingerprint::parse(text)).collect()
        };
        let (digest, span) = (read(&record.digest), read(&record.span));
        let kept = |indices: &[u32]| -> Vec<Fingerprint> {
            indices.iter().filter_map(|index| span.get((index - record.prefix_end) as usize).copied()).collect()
        };
        let body = [kept(&record.before), digest.clone(), kept(&record.after)].concat();
        let first = record.tail.as_deref().and_then(Fingerprint::parse);
        Prints { digest, body, first, whole: Fingerprint::parse(&record.tail_span), span }
    }
}

/// Undoes fold `latest`, found at `start`, and all before it; the error is the fold that was not found.
fn undo_from(
    records: &[FoldRecord],
    prints: &[Prints],
    latest: usize,
    start: usize,
    window: &[Item],
) -> std::result::Result<Vec<Item>, usize> {
    let mut items = window.to_vec();
    undo(&records[latest], &prints[latest], latest as u32, start, &mut items);
    for number in (0..latest).rev() {
        let (record, prints) = (&records[number], &prints[number]);
        let everywhere = 0..items.len();
        let found = SEARCHES.iter().find_map(|&search| find(record, prints, &items, search, everywhere.clone()));
        undo(record, prints, number as u32, found.ok_or(number)?, &mut items);
    }
    Ok(items)
}

/// Index, counted from the front, at which the part of the window that a fold made begins. `starts` are the places to try
/// when it need not be the usual one.
fn find(
    record: &FoldRecord,
    prints: &Prints,
    items: &[Item],
    (tail, usual_place): (Tail, bool),
    mut starts: impl Iterator<Item = usize>,
) -> Option<usize> {
    let at = |index: usize| items.len().checked_sub(index + 1).map(|i| items[i].1);
    let body = |start: usize| prints.body.iter().enumerate().all(|(i, print)| at(start + i) == Some(*print));
    let behind = |start: usize| {
        let from = start + prints.body.len();
        match tail {
            Tail::Any => true,
            Tail::First => prints.first.is_none() || at(from) == prints.first,
            Tail::Whole => {
                let length = record.tail_length as usize;
                // The cheap look first: hashing every tail of a long chain is not.
                let fits = from + length <= items.len() && (prints.first.is_none() || at(from) == prints.first);
                let all = || (from..from + length).filter_map(at).collect::<Vec<Fingerprint>>();
                fits && Some(fingerprint::span(&all())) == prints.whole
            }
        }
    };
    let matches = |start: usize| body(start) && behind(start);
    if usual_place {
        return Some(record.prefix_end as usize).filter(|&start| matches(start));
    }
    starts.find(|&start| matches(start))
}

fn undo(record: &FoldRecord, prints: &Prints, number: u32, start: usize, items: &mut Vec<Item>) {
    let mut prefix = items.split_off(items.len() - start);
    let mut take = |count: usize| {
        let mut taken = items.split_off(items.len() - count);
        taken.reverse();
        taken.into_iter()
    };
    let mut before = take(record.before.len());
    take(record.digest.len());
    let mut after = take(record.after.len());
    let mut folded = 0;
    let mut span: Vec<Item> = Vec::with_capacity(prints.span.len());
    for (index, &print) in (record.prefix_end..record.kept_from).zip(&prints.span) {
        if record.before.binary_search(&index).is_ok() {
            span.extend(before.next());
        } else if record.after.binary_search(&index).is_ok() {
            span.extend(after.next());
        } else {
            span.push((Origin::Fold { fold: number, index: folded }, print));
            folded += 1;
        }
    }
    items.extend(span.into_iter().rev());
    items.append(&mut prefix);
}
