//! A fold written into a session file as the file's own program would have written it, so that the program goes on from there.
//!
//! Files that only grow are not rewritten: the fold is appended, and nothing of what was there changes. The mark says how long
//! the file was, so that the fold can be taken off again to the byte.

use super::lines;
use super::{Session, SessionMessage};
use crate::error::{Error, ErrorCode};
use crate::json::{quote, Tape, Value};
use std::collections::HashMap;
use std::ops::Range;

/// A fold, as a session file needs it.
#[derive(Debug, Clone)]
pub struct NativeFold<'f> {
    /// Indices of the messages that stay verbatim, ascending: prefix, kept ones, tail.
    pub stays: Vec<u32>,
    /// Messages before this index are the prefix.
    pub prefix_end: u32,
    /// Messages from this index on are the tail.
    pub kept_from: u32,
    /// All messages of the window after it.
    pub window: Vec<&'f [u8]>,
    /// The digest, as messages of the session's format.
    pub digest: &'f [String],
    /// The text of the summary.
    pub summary: &'f str,
    /// Tokens of the window before.
    pub tokens_before: u64,
    /// Tokens of the window after.
    pub tokens_after: u64,
}

impl NativeFold<'_> {
    /// Whether all that stays is a run of messages at the end.
    pub fn keeps_only_tail(&self) -> bool {
        self.stays.first().is_none_or(|&first| first == self.kept_from)
    }

    /// What stands between prefix and tail in the window: digest, kept messages, fillers.
    pub(super) fn between(&self, session: &Session<'_>) -> &[&[u8]] {
        let tail = session.messages.len() - self.kept_from as usize;
        &self.window[self.prefix_end as usize..self.window.len() - tail]
    }

    /// The messages that stay.
    pub(super) fn staying<'s>(&self, session: &'s Session<'_>) -> Vec<&'s SessionMessage<'s>> {
        self.stays.iter().map(|&index| &session.messages[index as usize]).collect()
    }
}

/// The error for a kind of file that cannot be written.
pub(super) fn not_written(kind: &str) -> Error {
    let what = format!("a fold cannot be written into a {kind} file; leave out native to get the folded messages");
    Error::new(ErrorCode::BadArgument, what)
}

/// The error for a fold that a kind of file has no way to say.
pub(super) fn not_sayable(what: &str) -> Error {
    Error::new(ErrorCode::BadPlan, what)
}

/// Says how the file was before the fold; a member for the record that marks it. `records`: how many are appended.
pub(super) fn mark(bytes: &[u8], records: u32) -> String {
    format!(r#""plica":{{"bytes":{},"blake3":"{}","records":{records}}}"#, bytes.len(), blake3::hash(bytes).to_hex())
}

/// The file with lines appended.
pub(super) fn appended(bytes: &[u8], records: &[String]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        out.push(b'\n');
    }
    for record in records {
        out.extend_from_slice(record.as_bytes());
        out.push(b'\n');
    }
    out
}

/// The file as it was before the latest fold that was appended to it; `None` where that cannot be: another program made the fold, or
/// something came after it.
pub fn before_fold(bytes: &[u8]) -> Option<&[u8]> {
    let mut at = bytes.len();
    // The records of a fold are the last ones; there are never more than a few.
    for _ in 0..4 {
        let end = bytes[..at].iter().rposition(|&byte| byte != b'\n')? + 1;
        at = bytes[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let mut tape = Tape::new();
        let record = tape.parse(&bytes[at..end]).ok()?;
        let Some(mark) = mark_in(record) else { continue };
        let length = mark.get("bytes").and_then(Value::as_f64).filter(|length| *length >= 0.0)? as usize;
        let source = bytes.get(..length).filter(|_| length <= at)?;
        let same = mark.get("blake3")?.is_str(&blake3::hash(source).to_hex());
        let mut records = 0;
        lines::each_record(&bytes[length..], 16, None, &mut Vec::new(), |_| records += 1);
        let all = mark.get("records").and_then(Value::as_f64) == Some(f64::from(records));
        return (same && all).then_some(source);
    }
    None
}

fn mark_in(record: Value<'_>) -> Option<Value<'_>> {
    ["compactMetadata", "details", "payload"].iter().find_map(|key| record.get(key)?.get("plica"))
}

/// For lines of a file, the member that each record on them has under a key, as text.
pub(super) fn members_by_line(bytes: &[u8], key: &str) -> HashMap<u32, String> {
    let mut found = HashMap::new();
    lines::each_record(bytes, usize::MAX, None, &mut Vec::new(), |record| {
        if let Some(value) = record.value.get_str(key) {
            found.entry(record.line).or_insert_with(|| value.text_lossy().into_owned());
        }
    });
    found
}

/// The newest record that `wanted` takes, as its bytes.
pub(super) fn newest(bytes: &[u8], wanted: impl Fn(Value<'_>) -> bool) -> Option<&[u8]> {
    let mut newest = None;
    lines::each_record(bytes, usize::MAX, None, &mut Vec::new(), |record| {
        if wanted(record.value) {
            newest = Some(record.text);
        }
    });
    newest
}

/// Members of a record as they are written, for a record like it: `,"key":…` each.
pub(super) fn copied(record: &[u8], keys: &[&str]) -> String {
    let mut tape = Tape::new();
    let Ok(value) = tape.parse(record) else { return String::new() };
    let member = |key: &&str| Some(format!(",{}:{}", quote(key), String::from_utf8_lossy(value.get(key)?.raw())));
    keys.iter().filter_map(member).collect()
}

/// An id in the form of a UUID, the same for the same file and purpose: version 8, which RFC 9562 leaves to the maker.
pub(super) fn uuid(bytes: &[u8], purpose: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(blake3::hash(bytes).as_bytes()).update(purpose.as_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    id[6] = id[6] & 0x0f | 0x80;
    id[8] = id[8] & 0x3f | 0x80;
    let hex = |range: Range<usize>| id[range].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("{}-{}-{}-{}-{}", hex(0..4), hex(4..6), hex(6..8), hex(8..10), hex(10..16))
}
