//! The ledger as a file: what `Ledger.toJSON` gives, of every version, with the source beside it.
//!
//! What is not for the core to judge (ids, notes of a fold, pins that were retired, spans without a place) is carried as it stands,
//! so that a ledger which is written again has lost nothing.

use super::{lossy, message_print};
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint;
use crate::json::{quote, Kind, Tape, Value};
use crate::ledger::{FoldRecord, Record};
use std::collections::HashSet;

/// The ledger's form without edits and pins, with edits, and with pins; the TypeScript face writes the same three.
const WITHOUT_EDITS: u32 = 1;
const WITH_EDITS: u32 = 2;
const WITH_PINS: u32 = 3;

/// A record with the texts of what it took away.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub record: Record,
    /// `None` where the ledger does not hold them.
    pub originals: Option<Vec<String>>,
    /// All other members, as JSON; `None` until the record has an id.
    members: Option<String>,
    /// Members of a new record that say what was done, as JSON: `,"outcome":…`.
    notes: String,
}

impl Stored {
    /// A fold that was just made, or found in a file.
    pub fn fold(record: FoldRecord, originals: Vec<String>, notes: String) -> Stored {
        let originals = (!record.gone).then_some(originals);
        Stored { record: Record::Fold(record), originals, members: None, notes }
    }

    /// The record of a fold.
    pub fn as_fold(&self) -> Option<&FoldRecord> {
        match &self.record {
            Record::Fold(fold) => Some(fold),
            Record::Edit(_) => None,
        }
    }

    fn read(entry: Value<'_>) -> Result<Stored> {
        let bad = |what: &str| Error::new(ErrorCode::BadLedger, what);
        let record = entry.get("record").ok_or_else(|| bad("a fold or an edit of the ledger has no record"))?;
        let record = Record::from_json(record)?;
        let messages = entry.get("messages").filter(|messages| messages.kind() == Kind::Array);
        let originals: Option<Vec<String>> =
            messages.map(|messages| messages.items().map(|message| lossy(message.raw()).into_owned()).collect());
        let others = entry.entries().filter(|(key, _)| !key.is_str("messages"));
        let members: Vec<String> =
            others.map(|(key, value)| format!("{}:{}", lossy(key.raw()), lossy(value.raw()))).collect();
        Ok(Stored { record, originals, members: Some(members.join(",")), notes: String::new() })
    }

    fn write(&self, free_id: &mut impl FnMut() -> String) -> String {
        let members = self.members.clone().unwrap_or_else(|| {
            let retention = if self.originals.is_some() { "full" } else { "discard" };
            let record = self.record.to_json();
            format!(r#""id":{},"retention":"{retention}","record":{record}{}"#, quote(&free_id()), self.notes)
        });
        match &self.originals {
            Some(originals) => format!(r#"{{{members},"messages":[{}]}}"#, originals.join(",")),
            None => format!("{{{members}}}"),
        }
    }
}

/// A ledger that came with a file.
#[derive(Debug, Clone, Default)]
pub(super) struct StoredLedger {
    /// Folds and edits as they were made, one after the other.
    pub records: Vec<Stored>,
    /// The file that was folded first, as a member of the ledger.
    pub source: Option<String>,
    /// Hash of the conversation that the ledger was written beside.
    pub conversation: Option<String>,
    /// Fingerprints of the pinned messages that were put in.
    pub placed: HashSet<String>,
    /// Messages that gave way to them: their place in the conversation, and their text.
    pub displaced: Vec<(usize, String)>,
    /// The members `pins` and `unplaced`, as they stand.
    pins: Option<String>,
    unplaced: Option<String>,
}

impl StoredLedger {
    /// One of the folds that a file holds itself.
    pub fn of(records: Vec<Stored>) -> StoredLedger {
        StoredLedger { records, ..StoredLedger::default() }
    }

    /// The folds among the records.
    pub fn folds(&self) -> impl Iterator<Item = &FoldRecord> {
        self.records.iter().filter_map(Stored::as_fold)
    }

    /// Whether this is the file that the ledger was written beside, to the byte.
    pub fn is_of(&self, file: &[u8]) -> bool {
        self.conversation.as_deref() == Some(blake3::hash(file).to_hex().as_str())
    }

    /// Reads a ledger file, and sees to its seal.
    ///
    /// # Errors
    /// [`ErrorCode::BadLedger`], [`ErrorCode::LedgerAltered`].
    pub fn read(bytes: &[u8]) -> Result<StoredLedger> {
        let bad = |what: &str| Error::new(ErrorCode::BadLedger, what);
        let mut tape = Tape::new();
        let ledger = tape.parse(bytes).map_err(|error| bad(&format!("the ledger is not valid JSON: {error}")))?;
        if !ledger.get("plica").is_some_and(|mark| mark.is_str("ledger")) {
            return Err(bad("the file given as ledger is none: it lacks \"plica\": \"ledger\""));
        }
        let version = ledger.get("version").and_then(Value::as_f64);
        if ![WITHOUT_EDITS, WITH_EDITS, WITH_PINS].iter().any(|known| version == Some(f64::from(*known))) {
            return Err(bad("the ledger is of a version that this plica does not read; use a newer one"));
        }
        let seal = ledger.get_str("seal").ok_or_else(|| bad("the ledger has no seal: it was cut off, or edited"))?;
        if !seal.is_str(&fingerprint::seal(ledger, None).to_string()) {
            let what = "the ledger was changed since it was written, or is sealed with a key";
            return Err(Error::new(ErrorCode::LedgerAltered, what));
        }
        let raw = |key: &str| ledger.get(key).map(|value| lossy(value.raw()).into_owned());
        let (placed, displaced) = ledger.get("pins").map(placed_pins).transpose()?.unwrap_or_default();
        Ok(StoredLedger {
            records: records(ledger)?,
            source: raw("source"),
            conversation: ledger.get_str("conversation").map(|text| text.text_lossy().into_owned()),
            placed,
            displaced,
            pins: raw("pins"),
            unplaced: raw("unplaced"),
        })
    }

    /// The ledger file, sealed.
    pub fn write(&self, conversation: &[u8]) -> String {
        let mut ids: HashSet<String> = self.records.iter().filter_map(id_of).collect();
        let mut free_id = || {
            let id = (1..).map(|n| format!("fold-{n}")).find(|id| !ids.contains(id)).expect("there is always a number");
            ids.insert(id.clone());
            id
        };
        let (mut folds, mut edits) = (Vec::new(), Vec::new());
        for stored in &self.records {
            match stored.record {
                Record::Fold(_) => folds.push(stored.write(&mut free_id)),
                Record::Edit(_) => edits.push(stored.write(&mut free_id)),
            }
        }
        let version = match (&self.pins, edits.is_empty() && self.unplaced.is_none()) {
            (Some(_), _) => WITH_PINS,
            (None, true) => WITHOUT_EDITS,
            (None, false) => WITH_EDITS,
        };
        let lines = |entries: &[String]| entries.iter().map(|entry| format!("\n{entry}")).collect::<Vec<_>>().join(",");
        let mut out = format!(r#"{{"plica":"ledger","version":{version},"folds":[{}"#, lines(&folds));
        out.push_str("\n]");
        let edits = (!edits.is_empty()).then(|| format!("[{}\n]", lines(&edits)));
        for (key, member) in [("pins", &self.pins), ("edits", &edits), ("unplaced", &self.unplaced)] {
            if let Some(member) = member {
                out.push_str(&format!(",\n\"{key}\":{member}"));
            }
        }
        if let Some(source) = &self.source {
            let hash = blake3::hash(conversation).to_hex();
            out.push_str(&format!(",\n\"source\":{source},\n\"conversation\":\"{hash}\""));
        }
        let unsealed = format!("{out}}}");
        let mut tape = Tape::new();
        let seal = fingerprint::seal(tape.parse(unsealed.as_bytes()).expect("a ledger is JSON"), None);
        format!("{out},\n\"seal\":\"{seal}\"}}\n")
    }

    /// Puts what gave way to the pinned message back into a conversation that lacks it.
    ///
    /// # Errors
    /// [`ErrorCode::BadLedger`] where it is no message.
    pub fn restore<'m>(&'m self, whole: &mut Vec<&'m [u8]>) -> Result<()> {
        for (at, message) in &self.displaced {
            let print = message_print(message.as_bytes())?;
            let there = whole.get(*at).is_some_and(|other| message_print(other).is_ok_and(|other| other == print));
            if !there {
                whole.insert((*at).min(whole.len()), message.as_bytes());
            }
        }
        Ok(())
    }
}

/// Folds and edits in the order in which they were made: an edit says how many folds were there before it.
fn records(ledger: Value<'_>) -> Result<Vec<Stored>> {
    let list = |key: &str| ledger.get(key).into_iter().flat_map(Value::items);
    let mut edits = Vec::new();
    for entry in list("edits") {
        let behind = entry.get("behind").and_then(Value::as_f64).unwrap_or(-1.0);
        edits.push((behind, Stored::read(entry)?));
    }
    // Stable: those behind the same fold stay in their order.
    edits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut edits = edits.into_iter().peekable();
    let mut out = Vec::new();
    for (number, entry) in list("folds").enumerate() {
        while let Some((_, edit)) = edits.next_if(|(behind, _)| *behind <= number as f64) {
            out.push(edit);
        }
        out.push(Stored::read(entry)?);
    }
    out.extend(edits.map(|(_, edit)| edit));
    Ok(out)
}

type PlacedPins = (HashSet<String>, Vec<(usize, String)>);

fn placed_pins(pins: Value<'_>) -> Result<PlacedPins> {
    let bad = || Error::new(ErrorCode::BadLedger, "a displaced message of the ledger lacks its place, or itself");
    let list = |key: &str| pins.get(key).into_iter().flat_map(Value::items);
    let placed = list("placed").map(|print| print.text_lossy().into_owned()).collect();
    let displaced = list("displaced").map(|entry| {
        let at =
            entry.get("at").and_then(Value::as_f64).filter(|at| at.fract() == 0.0 && *at >= 0.0).ok_or_else(bad)?;
        let message = entry.get("message").ok_or_else(bad)?;
        Ok((at as usize, lossy(message.raw()).into_owned()))
    });
    Ok((placed, displaced.collect::<Result<_>>()?))
}

fn id_of(stored: &Stored) -> Option<String> {
    let members = format!("{{{}}}", stored.members.as_ref()?);
    let mut tape = Tape::new();
    let entry = tape.parse(members.as_bytes()).ok()?;
    entry.get_str("id").map(|id| id.text_lossy().into_owned())
}
