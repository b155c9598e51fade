//! The ledger: what each fold, reduction and repair replaced, and how to get back through any number of them.
//!
//! A record knows the layout of the window at its moment and the fingerprints of all that it took away; the messages
//! themselves are held by whoever keeps the ledger.

mod edit;
mod fold;
mod replay;
mod spans;
mod unfold;

pub use edit::{EditKind, EditRecord, EditRun};
pub use fold::{DigestPrint, Filler, FoldRecord};
pub use replay::replay;
pub use spans::{
    folds_of_spans, span_messages, spans_of_folds, FoldAsSpan, SpanAsFold, SpanFolds, SpanMessage, StoredSpan,
};
pub use unfold::{unfold, unfold_all, Origin};

use crate::error::{Error, ErrorCode, Result};
use crate::json::{Kind, Value};

/// What a ledger holds, one after the other as they were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A fold.
    Fold(FoldRecord),
    /// A reduction or a repair.
    Edit(EditRecord),
}

impl Record {
    /// Reads a record of either kind, and sees that it is possible.
    ///
    /// # Errors
    /// [`ErrorCode::BadLedger`].
    pub fn from_json(value: Value<'_>) -> Result<Record> {
        match value.get("edits") {
            Some(_) => EditRecord::from_json(value).map(Record::Edit),
            None => FoldRecord::from_json(value).map(Record::Fold),
        }
    }

    /// The record as JSON text.
    pub fn to_json(&self) -> String {
        match self {
            Record::Fold(fold) => fold.to_json(),
            Record::Edit(edit) => edit.to_json(),
        }
    }

    /// Which messages it took away, as indices into the fingerprints that it holds of them: of a fold those of its span that it
    /// did not keep, of an edit all.
    pub fn taken(&self) -> Vec<u32> {
        match self {
            Record::Fold(fold) => fold.folded(),
            Record::Edit(edit) => (0..edit.removed().count() as u32).collect(),
        }
    }
}

/// The members of a record.
struct Members<'v> {
    value: Value<'v>,
    /// What it is a record of, for errors.
    what: &'static str,
}

impl<'v> Members<'v> {
    fn bad(&self, key: &str) -> Error {
        Error::new(ErrorCode::BadLedger, format!("{} has no usable {key:?}", self.what))
    }

    fn number(&self, key: &str) -> Result<u32> {
        self.value.get(key).and_then(index).ok_or_else(|| self.bad(key))
    }

    fn text(&self, key: &str) -> Result<String> {
        self.value.get(key).and_then(text).ok_or_else(|| self.bad(key))
    }

    fn array(&self, key: &str) -> Result<Value<'v>> {
        self.value.get(key).filter(|value| value.kind() == Kind::Array).ok_or_else(|| self.bad(key))
    }

    fn numbers(&self, key: &str) -> Result<Vec<u32>> {
        self.array(key)?.items().map(|item| index(item).ok_or_else(|| self.bad(key))).collect()
    }

    fn texts(&self, key: &str) -> Result<Vec<String>> {
        self.array(key)?.items().map(|item| text(item).ok_or_else(|| self.bad(key))).collect()
    }
}

fn index(value: Value<'_>) -> Option<u32> {
    value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..4_294_967_296.0).contains(n)).map(|n| n as u32)
}

fn text(value: Value<'_>) -> Option<String> {
    value.text().map(|_| value.text_lossy().into_owned())
}

fn list(texts: &[String]) -> String {
    texts.iter().map(|text| crate::json::quote(text)).collect::<Vec<_>>().join(",")
}
