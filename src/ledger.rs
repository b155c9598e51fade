//! The ledger: what each fold replaced, and how to get back through folds of folds.
//!
//! A record knows the layout of the window at the moment of the fold and the fingerprints of all that
//! the fold took away; the messages themselves are held by whoever keeps the ledger.

use crate::cuts::Boundaries;
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::formats::Format;
use crate::json::{quote, Kind, Tape, Value};
use crate::message::Role;
use crate::outline::Outline;
use crate::window::{slots, Side, Slot, Span, FILLER};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

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
    /// Messages that the fold put in so that user and model take turns. Left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<Filler>>"))]
    pub fillers: Vec<Filler>,
    /// What it replaced was gone before the ledger knew of it: its digest stays where it is. Left out where it is not so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub gone: bool,
}

/// A message that a fold put in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct Filler {
    /// Its place in the window, counted from the end of the prefix.
    pub at: u32,
    /// Its fingerprint.
    pub fingerprint: String,
}

/// A message of a digest, as a record needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestPrint {
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// Who speaks.
    pub role: Role,
}

impl FoldRecord {
    /// The record of a fold that is about to be made.
    ///
    /// # Errors
    /// Those of [`Span::check_units`]; [`ErrorCode::BadArgument`] when the digest is no message.
    pub fn new(
        outline: &Outline,
        boundaries: &Boundaries,
        span: &Span,
        messages: &[Fingerprint],
        digest: &[DigestPrint],
    ) -> Result<FoldRecord> {
        span.check_units(outline, boundaries)?;
        if digest.is_empty() {
            return Err(Error::new(ErrorCode::BadArgument, "the digest holds no message"));
        }
        let roles: Vec<Role> = digest.iter().map(|message| message.role).collect();
        let window = slots(outline, boundaries, span, &roles);
        let (mut before, mut after, mut fillers) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        let mut folded = false;
        let inside = window.iter().skip(span.prefix_end as usize);
        for slot in inside.take_while(|slot| !matches!(slot, Slot::Message(index) if *index >= span.kept_from)) {
            match slot {
                Slot::Message(index) if folded => after.push(*index),
                Slot::Message(index) => before.push(*index),
                Slot::Digest => folded = true,
                Slot::Filler(side) => {
                    fillers.push(Filler { at, fingerprint: filler_print(outline.format, *side).to_string() })
                }
            }
            at += if *slot == Slot::Digest { digest.len() as u32 } else { 1 };
        }
        let hex = |prints: &[Fingerprint]| prints.iter().map(Fingerprint::to_string).collect::<Vec<_>>();
        Ok(FoldRecord {
            format: outline.format.name().into(),
            prefix_end: span.prefix_end,
            kept_from: span.kept_from,
            before,
            after,
            digest: digest.iter().map(|message| message.fingerprint.to_string()).collect(),
            span: hex(&messages[span.range()]),
            tail: messages.get(span.kept_from as usize).map(Fingerprint::to_string),
            tail_length: (messages.len() - span.kept_from as usize) as u32,
            tail_span: fingerprint::span(&messages[span.kept_from as usize..]).to_string(),
            fillers,
            gone: false,
        })
    }

    /// The record as JSON text.
    pub fn to_json(&self) -> String {
        let numbers = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let texts = |all: &[String]| all.iter().map(|text| quote(text)).collect::<Vec<_>>().join(",");
        let tail = self.tail.as_deref().map_or("null".into(), quote);
        let filler =
            |filler: &Filler| format!(r#"{{"at":{},"fingerprint":{}}}"#, filler.at, quote(&filler.fingerprint));
        let fillers = match &self.fillers[..] {
            [] => String::new(),
            all => format!(r#","fillers":[{}]"#, all.iter().map(filler).collect::<Vec<_>>().join(",")),
        };
        let gone = if self.gone { r#","gone":true"# } else { "" };
        format!(
            r#"{{"format":{},"prefixEnd":{},"keptFrom":{},"before":[{}],"after":[{}],"digest":[{}],"span":[{}],"tail":{tail},"tailLength":{},"tailSpan":{}{fillers}{gone}}}"#,
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
        let filler = |item: Value<'_>| {
            let at = item.get("at").and_then(index).ok_or_else(|| bad("fillers"))?;
            let fingerprint = item.get("fingerprint").and_then(text).ok_or_else(|| bad("fillers"))?;
            Ok(Filler { at, fingerprint })
        };
        let fillers =
            value.get("fillers").into_iter().flat_map(Value::items).map(filler).collect::<Result<Vec<Filler>>>()?;
        let record = FoldRecord {
            fillers,
            gone: value.get("gone").is_some_and(Value::is_true),
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
        if self.gone && !(self.span.is_empty() && self.fillers.is_empty()) {
            return bad("a fold whose originals are gone holds fingerprints of them");
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
        let body = self.before.len() + self.digest.len() + self.after.len() + self.fillers.len();
        let places = self.fillers.iter().map(|filler| filler.at as usize);
        if !places.clone().zip(places.clone().skip(1)).all(|(a, b)| a < b) || places.clone().any(|at| at >= body) {
            return bad("a fold put messages in at places that there are not");
        }
        let fillers = self.fillers.iter().map(|filler| &filler.fingerprint);
        let prints = self.digest.iter().chain(&self.span).chain(&self.tail).chain([&self.tail_span]).chain(fillers);
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
    if records.iter().any(|record| record.gone) {
        return unfold_past(records, window);
    }
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
            let starts = at.iter().filter_map(|place| place.checked_sub(prints[latest].digest_at));
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

/// The same where the originals of some folds are gone: the digest of such a fold is all there is, and stays. Folds before it are
/// undone where their digests are seen; mostly they went with the originals.
fn unfold_past(records: &[FoldRecord], window: &[Fingerprint]) -> Result<Vec<Origin>> {
    let mut origins: Vec<Origin> = (0..window.len() as u32).map(Origin::Window).collect();
    let mut prints = window.to_vec();
    let mut seen: HashSet<Fingerprint> = window.iter().copied().collect();
    let first = |record: &FoldRecord| record.digest.first().and_then(|digest| Fingerprint::parse(digest));
    let is_seen =
        |record: &FoldRecord, seen: &HashSet<Fingerprint>| first(record).is_some_and(|print| seen.contains(&print));
    let (mut known, mut stretches) = (false, 0);
    let mut end = records.len();
    // From the newest on, the stretches of folds between those that are gone.
    while end > 0 {
        let start = records[..end].iter().rposition(|record| record.gone).map_or(0, |gone| gone + 1);
        let stretch = &records[start..end];
        known |= start > 0 && is_seen(&records[start - 1], &seen);
        if stretch.iter().any(|record| is_seen(record, &seen)) {
            stretches += 1;
            if stretches > MOST_TRIES {
                return Err(missing(None));
            }
            if let Ok(back) = unfold(stretch, &prints) {
                known = true;
                (origins, prints) = placed(&back, stretch, start as u32, &origins, &prints);
                seen.extend(&prints);
            }
        }
        end = start.saturating_sub(1);
    }
    if known {
        Ok(origins)
    } else {
        Err(missing(None))
    }
}

/// Messages that a stretch of folds brought back, among those that were there.
fn placed(
    back: &[Origin],
    stretch: &[FoldRecord],
    offset: u32,
    origins: &[Origin],
    prints: &[Fingerprint],
) -> (Vec<Origin>, Vec<Fingerprint>) {
    let spans: Vec<Vec<u32>> = stretch.iter().map(FoldRecord::folded).collect();
    let place = |origin: &Origin| match *origin {
        Origin::Window(index) => Some((origins[index as usize], prints[index as usize])),
        Origin::Fold { fold, index } => {
            let span = spans[fold as usize][index as usize];
            let print = Fingerprint::parse(&stretch[fold as usize].span[span as usize])?;
            Some((Origin::Fold { fold: fold + offset, index }, print))
        }
    };
    back.iter().filter_map(place).unzip()
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
    /// Kept before, digest, kept after, with the fillers between them; of kept messages the index.
    body: Vec<(Option<u32>, Fingerprint)>,
    /// Place of the digest in it.
    digest_at: usize,
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
        let kept = |index: &u32| Some((Some(*index), *span.get((index - record.prefix_end) as usize)?));
        let written = digest.iter().map(|&print| (None, print));
        let parts = record.before.iter().filter_map(kept).chain(written).chain(record.after.iter().filter_map(kept));
        let mut fillers = record.fillers.iter().peekable();
        let mut body = Vec::new();
        let mut put_in = |body: &mut Vec<(Option<u32>, Fingerprint)>| {
            while let Some(filler) = fillers.next_if(|filler| filler.at as usize == body.len()) {
                body.extend(Fingerprint::parse(&filler.fingerprint).map(|print| (None, print)));
            }
        };
        let mut digest_at = 0;
        for (place, part) in parts.enumerate() {
            put_in(&mut body);
            if place == record.before.len() {
                digest_at = body.len();
            }
            body.push(part);
        }
        put_in(&mut body);
        let first = record.tail.as_deref().and_then(Fingerprint::parse);
        Prints { digest, body, digest_at, first, whole: Fingerprint::parse(&record.tail_span), span }
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
    let body = |start: usize| prints.body.iter().enumerate().all(|(i, (_, print))| at(start + i) == Some(*print));
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
    let mut body = items.split_off(items.len() - prints.body.len());
    body.reverse();
    let mut kept: HashMap<u32, Item> = HashMap::new();
    for (item, (place, _)) in body.into_iter().zip(&prints.body) {
        if let Some(index) = *place {
            kept.insert(index, item);
        }
    }
    let mut folded = 0;
    let mut span: Vec<Item> = Vec::with_capacity(prints.span.len());
    for (index, &print) in (record.prefix_end..record.kept_from).zip(&prints.span) {
        if let Some(item) = kept.remove(&index) {
            span.push(item);
            continue;
        }
        span.push((Origin::Fold { fold: number, index: folded }, print));
        folded += 1;
    }
    items.extend(span.into_iter().rev());
    items.append(&mut prefix);
}

fn filler_print(format: Format, side: Side) -> Fingerprint {
    let text = format.reader().note(side, FILLER);
    let mut tape = Tape::new();
    fingerprint::message(tape.parse(text.as_bytes()).expect("a format writes JSON"), None)
}
