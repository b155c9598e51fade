//! One fold, as a ledger knows it.

use super::{index, list, text, Members};
use crate::cuts::Boundaries;
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::formats::Format;
use crate::json::{quote, Tape, Value};
use crate::message::Role;
use crate::outline::Outline;
use crate::window::{slots, Side, Slot, Span, FILLER};
use serde::Serialize;

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
    /// Number of messages that it replaced and of which nothing more is known; 0 where not even that is. `span` then holds one
    /// fingerprint in their place. Left out where it is not so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub unknown: Option<u32>,
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
            unknown: None,
        })
    }

    /// The record as JSON text.
    pub fn to_json(&self) -> String {
        let numbers = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let tail = self.tail.as_deref().map_or("null".into(), quote);
        let filler =
            |filler: &Filler| format!(r#"{{"at":{},"fingerprint":{}}}"#, filler.at, quote(&filler.fingerprint));
        let fillers = match &self.fillers[..] {
            [] => String::new(),
            all => format!(r#","fillers":[{}]"#, all.iter().map(filler).collect::<Vec<_>>().join(",")),
        };
        let gone = if self.gone { r#","gone":true"# } else { "" };
        let unknown = self.unknown.map_or_else(String::new, |count| format!(r#","unknown":{count}"#));
        format!(
            r#"{{"format":{},"prefixEnd":{},"keptFrom":{},"before":[{}],"after":[{}],"digest":[{}],"span":[{}],"tail":{tail},"tailLength":{},"tailSpan":{}{fillers}{gone}{unknown}}}"#,
            quote(&self.format),
            self.prefix_end,
            self.kept_from,
            numbers(&self.before),
            numbers(&self.after),
            list(&self.digest),
            list(&self.span),
            self.tail_length,
            quote(&self.tail_span),
        )
    }

    /// Reads a record, and sees that it is possible.
    ///
    /// # Errors
    /// [`ErrorCode::BadLedger`].
    pub fn from_json(value: Value<'_>) -> Result<FoldRecord> {
        let members = Members { value, what: "a fold's record" };
        let bad = |key: &str| members.bad(key);
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
            unknown: value.get("unknown").map(|_| members.number("unknown")).transpose()?,
            format: members.text("format")?,
            prefix_end: members.number("prefixEnd")?,
            kept_from: members.number("keptFrom")?,
            before: members.numbers("before")?,
            after: members.numbers("after")?,
            digest: members.texts("digest")?,
            span: members.texts("span")?,
            tail: value.get("tail").and_then(text),
            tail_length: members.number("tailLength")?,
            tail_span: members.text("tailSpan")?,
        };
        record.check()?;
        Ok(record)
    }

    /// Indices of the span that folded, relative to the prefix's end, ascending.
    pub fn folded(&self) -> Vec<u32> {
        let kept = |index: u32| self.before.binary_search(&index).is_ok() || self.after.binary_search(&index).is_ok();
        (self.prefix_end..self.kept_from).filter(|&index| !kept(index)).map(|index| index - self.prefix_end).collect()
    }

    /// Whether a message that it put in is one of this side.
    pub(super) fn is_filler(&self, filler: &Filler, side: Side) -> bool {
        let format = Format::from_name(&self.format);
        format.is_ok_and(|format| filler_print(format, side).to_string() == filler.fingerprint)
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
        let bare = self.span.len() == 1 && self.before.is_empty() && self.after.is_empty();
        if self.unknown.is_some() && (self.gone || !bare) {
            return bad("a fold whose originals are unknown holds fingerprints of them");
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

fn filler_print(format: Format, side: Side) -> Fingerprint {
    let text = format.reader().note(side, FILLER);
    let mut tape = Tape::new();
    fingerprint::message(tape.parse(text.as_bytes()).expect("a format writes JSON"), None)
}
