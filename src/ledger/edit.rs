//! One reduction or repair, as a ledger knows it: the runs of messages that it put in the place of others.

use super::{list, text, Members};
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::formats::Format;
use crate::json::{quote, Value};
use crate::repair::Edit;
use serde::{Deserialize, Serialize};

/// What made an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum EditKind {
    /// A reduction.
    Reduce,
    /// A repair.
    Repair,
}

/// One reduction or repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct EditRecord {
    /// Which of the two.
    pub kind: EditKind,
    /// The format of the messages, by name.
    pub format: String,
    /// What changed, in the order of the messages.
    pub edits: Vec<EditRun>,
    /// Number of messages that it left.
    pub length: u32,
    /// Fingerprint of all of them as one span.
    pub window: String,
}

/// A run of messages in the place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct EditRun {
    /// Index of the first message that it put in; where it put none in, of the one behind those that it took away.
    pub at: u32,
    /// Fingerprints of those that it put in, 32 hex digits each.
    pub inserted: Vec<String>,
    /// Fingerprints of those that it took away.
    pub removed: Vec<String>,
    /// Fingerprint of the message before it, where it put none in and there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub before: Option<String>,
    /// The same of the message behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub behind: Option<String>,
}

impl EditRecord {
    /// The record of an edit, from the runs and the fingerprints of the messages before and after it.
    ///
    /// # Errors
    /// [`ErrorCode::BadArgument`] for runs that are not those between the two.
    pub fn new(
        kind: EditKind,
        format: Format,
        edits: &[Edit],
        before: &[Fingerprint],
        after: &[Fingerprint],
    ) -> Result<EditRecord> {
        let bad =
            || Error::new(ErrorCode::BadArgument, "the edits are not those between the messages before and after");
        let hex = |prints: &[Fingerprint]| prints.iter().map(Fingerprint::to_string).collect::<Vec<_>>();
        let run = |edit: &Edit| {
            let old = before.get(edit.from as usize..edit.from as usize + edit.removed as usize)?;
            let new = after.get(edit.at as usize..edit.at as usize + edit.inserted as usize)?;
            let neighbour = |index: Option<usize>| {
                index.filter(|_| new.is_empty()).and_then(|index| after.get(index)).map(Fingerprint::to_string)
            };
            Some(EditRun {
                at: edit.at,
                inserted: hex(new),
                removed: hex(old),
                before: neighbour((edit.at as usize).checked_sub(1)),
                behind: neighbour(Some(edit.at as usize)),
            })
        };
        let edits: Vec<EditRun> = edits.iter().map(run).collect::<Option<_>>().ok_or_else(bad)?;
        let window = fingerprint::span(after).to_string();
        let record = EditRecord { kind, format: format.name().into(), edits, length: after.len() as u32, window };
        record.check().map_err(|_| bad())?;
        Ok(record)
    }

    /// Fingerprints of all messages that it took away, in their order.
    pub fn removed(&self) -> impl Iterator<Item = &String> {
        self.edits.iter().flat_map(|run| &run.removed)
    }

    /// The record as JSON text.
    pub fn to_json(&self) -> String {
        let neighbour = |key: &str, print: &Option<String>| {
            print.as_ref().map_or_else(String::new, |print| format!(r#","{key}":{}"#, quote(print)))
        };
        let run = |run: &EditRun| {
            let (inserted, removed) = (list(&run.inserted), list(&run.removed));
            let (before, behind) = (neighbour("before", &run.before), neighbour("behind", &run.behind));
            format!(r#"{{"at":{},"inserted":[{inserted}],"removed":[{removed}]{before}{behind}}}"#, run.at)
        };
        let kind = match self.kind {
            EditKind::Reduce => "reduce",
            EditKind::Repair => "repair",
        };
        format!(
            r#"{{"kind":"{kind}","format":{},"edits":[{}],"length":{},"window":{}}}"#,
            quote(&self.format),
            self.edits.iter().map(run).collect::<Vec<_>>().join(","),
            self.length,
            quote(&self.window),
        )
    }

    /// Reads a record, and sees that it is possible.
    ///
    /// # Errors
    /// [`ErrorCode::BadLedger`].
    pub fn from_json(value: Value<'_>) -> Result<EditRecord> {
        let members = Members { value, what: "an edit's record" };
        let run = |value: Value<'_>| {
            let members = Members { value, what: "an edit's record" };
            Ok(EditRun {
                at: members.number("at")?,
                inserted: members.texts("inserted")?,
                removed: members.texts("removed")?,
                before: value.get("before").and_then(text),
                behind: value.get("behind").and_then(text),
            })
        };
        let kind = match members.text("kind")?.as_str() {
            "reduce" => EditKind::Reduce,
            "repair" => EditKind::Repair,
            _ => return Err(members.bad("kind")),
        };
        let record = EditRecord {
            kind,
            format: members.text("format")?,
            edits: members.array("edits")?.items().map(run).collect::<Result<_>>()?,
            length: members.number("length")?,
            window: members.text("window")?,
        };
        record.check()?;
        Ok(record)
    }

    /// Sees that a record that comes from outside is possible.
    ///
    /// # Errors
    /// [`ErrorCode::BadLedger`].
    pub fn check(&self) -> Result<()> {
        let bad = |what: &str| Err(Error::new(ErrorCode::BadLedger, what));
        if Format::from_name(&self.format).is_err() {
            return bad(&format!("an edit is of the unknown format {:?}", self.format));
        }
        let mut end = 0;
        for run in &self.edits {
            if u64::from(run.at) < end || (run.inserted.is_empty() && run.removed.is_empty()) {
                return bad("the runs of an edit overlap, or hold nothing");
            }
            end = u64::from(run.at) + run.inserted.len() as u64;
        }
        if self.edits.is_empty() || end > u64::from(self.length) {
            return bad("an edit has no runs, or one outside of what it left");
        }
        let of = |run: &EditRun| {
            let neighbours = run.before.iter().chain(&run.behind);
            run.inserted.iter().chain(&run.removed).chain(neighbours).all(|print| Fingerprint::parse(print).is_some())
        };
        if Fingerprint::parse(&self.window).is_none() || !self.edits.iter().all(of) {
            return bad("an edit holds something that is no fingerprint of 32 hex digits");
        }
        Ok(())
    }
}
