//! Records of a JSONL file, line by line, through every kind of damage met in real files.
//!
//! Lines end at LF and nowhere else: U+2028, U+2029 and U+0085 are legal inside JSON strings.

use super::{SessionProblem, SessionProblemCode};
use crate::json::{skip_space, JsonError, Tape, Value};
use std::borrow::Cow;
use std::ops::Range;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One JSON value on a line.
pub(super) struct Record<'s, 't> {
    /// Line, counted from 1.
    pub line: u32,
    /// The value's bytes in the file.
    pub range: Range<usize>,
    /// The value's bytes; they may hold bad UTF-8 if `lossy`.
    pub text: &'s [u8],
    /// The line has bytes that are not UTF-8. Such bytes are legal to the parser only inside
    /// strings, so spans hold; [`clean`] replaces them where bytes leave the reader.
    pub lossy: bool,
    /// The parsed value. Its spans count from the start of `text`.
    pub value: Value<'t>,
}

/// Takes a record.
type Visit<'v, 's> = &'v mut dyn FnMut(Record<'s, '_>);

/// `bytes` with U+FFFD for what is not UTF-8.
pub(super) fn clean(bytes: Cow<'_, [u8]>, lossy: bool) -> Cow<'_, [u8]> {
    if !lossy {
        return bytes;
    }
    let repaired = match String::from_utf8_lossy(&bytes) {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text.into_bytes()),
    };
    repaired.map_or(bytes, Cow::Owned)
}

/// Visits the first `limit` records of a file. One pass: each byte is parsed once, and the tail of a
/// broken line at most twice more.
/// `progress` hears how many bytes were read, and may end it.
pub(super) fn each_record<'s>(
    bytes: &'s [u8],
    limit: usize,
    progress: Option<&dyn Fn(usize) -> bool>,
    problems: &mut Vec<SessionProblem>,
    mut visit: impl FnMut(Record<'s, '_>),
) {
    walk(bytes, limit, progress, problems, &mut visit);
}

/// The same, once for all callers: with each of them the whole of it would stand in the module again.
fn walk<'s>(
    bytes: &'s [u8],
    limit: usize,
    progress: Option<&dyn Fn(usize) -> bool>,
    problems: &mut Vec<SessionProblem>,
    visit: Visit<'_, 's>,
) {
    let sound = std::str::from_utf8(bytes).is_ok();
    let mut reader = LineReader { tape: Tape::new(), problems, left: limit };
    let mut number = 0;
    let mut start = 0;
    let mut told = 0;
    while start < bytes.len() && reader.left > 0 {
        if let Some(tell) = progress.filter(|_| start - told >= NEWS) {
            told = start;
            if !tell(start) {
                return;
            }
        }
        number += 1;
        let newline = memchr::memchr(b'\n', &bytes[start..]).map(|i| start + i);
        let end = newline.unwrap_or(bytes.len());
        let line = Line { bytes, number, range: start..end, last: newline.is_none(), sound };
        reader.line(&line, visit);
        start = end + 1;
    }
    if let Some(tell) = progress {
        tell(start.min(bytes.len()));
    }
}

/// Bytes between two news of the progress: a call across the border every few milliseconds.
pub(super) const NEWS: usize = 1 << 20;

struct Line<'s> {
    bytes: &'s [u8],
    number: u32,
    range: Range<usize>,
    /// No newline after it.
    last: bool,
    /// The whole file is UTF-8.
    sound: bool,
}

struct LineReader<'p> {
    tape: Tape,
    problems: &'p mut Vec<SessionProblem>,
    left: usize,
}

impl LineReader<'_> {
    fn line<'s>(&mut self, line: &Line<'s>, visit: Visit<'_, 's>) {
        let range = self.trim(line);
        if range.is_empty() {
            return;
        }
        let lossy = self.check_utf8(line, &range);
        let mut at = range.start;
        let mut count = 0;
        while at < range.end && self.left > 0 {
            match self.record(line, at..range.end, lossy, visit) {
                Ok(end) => {
                    count += 1;
                    at = skip_space(&line.bytes[..range.end], end);
                }
                Err(error) => {
                    let resumed = self.resume(line, at..range.end, &error, lossy, visit);
                    self.report_broken(line, at, &error, resumed);
                    break;
                }
            }
        }
        if count > 1 {
            let text = format!("line {} holds {count} records; all were read", line.number);
            self.report(line.number, SessionProblemCode::JoinedRecords, text);
        }
    }

    /// Parses the value that starts `range` (which starts with no white space); offsets count from there.
    fn record<'s>(
        &mut self,
        line: &Line<'s>,
        range: Range<usize>,
        lossy: bool,
        visit: Visit<'_, 's>,
    ) -> Result<usize, JsonError> {
        let source = &line.bytes[range.clone()];
        let (value, len) = self.tape.parse_prefix(source, 0)?;
        let end = range.start + len;
        self.left -= 1;
        visit(Record { line: line.number, range: range.start..end, text: &source[..len], lossy, value });
        Ok(end)
    }

    /// After a record that broke off, the next one may have been appended to the same line. It is
    /// taken only if it runs to the very end of the line; a value nested in the broken one does not.
    fn resume<'s>(
        &mut self,
        line: &Line<'s>,
        range: Range<usize>,
        error: &JsonError,
        lossy: bool,
        visit: Visit<'_, 's>,
    ) -> bool {
        // The brace and quote of the next record were read as the end of a string of the broken one.
        let from = range.start + error.offset.saturating_sub(2).max(1);
        let tail = line.bytes.get(from..range.end).unwrap_or_default();
        let Some(start) = memchr::memmem::find(tail, b"{\"").map(|i| from + i) else { return false };
        let whole = {
            let parsed = self.tape.parse_prefix(&line.bytes[start..range.end], 0);
            parsed.is_ok_and(|(_, end)| start + end == range.end)
        };
        whole && self.record(line, start..range.end, lossy, visit).is_ok()
    }

    fn report_broken(&mut self, line: &Line<'_>, at: usize, error: &JsonError, resumed: bool) {
        let number = line.number;
        let (in_line, in_file) = (at + error.offset - line.range.start, at + error.offset);
        let where_ = format!("{} at byte {in_line} of the line, byte {in_file} of the file", error.what);
        if resumed {
            let text = format!("line {number} holds a record that breaks off: {where_}; the record after it was read");
            return self.report(number, SessionProblemCode::BrokenLine, text);
        }
        if line.last {
            let text = format!("line {number}, the last one, breaks off: {where_}; it was skipped");
            return self.report(number, SessionProblemCode::TornLine, text);
        }
        self.report(
            number,
            SessionProblemCode::BrokenLine,
            format!("line {number} is not JSON: {where_}; it was skipped"),
        );
    }

    /// The line without white space, BOM and NUL bytes around it.
    fn trim(&mut self, line: &Line<'_>) -> Range<usize> {
        let Range { start, end } = line.range;
        let (range, nul) = trim(line.bytes, start..end);
        if let Some(offset) = nul {
            let what = if range.is_empty() { "is nothing but" } else { "has" };
            let text = format!("line {} {what} NUL bytes, the first at byte {offset} of the file", line.number);
            self.report(line.number, SessionProblemCode::NulBytes, text);
        }
        range
    }

    fn check_utf8(&mut self, line: &Line<'_>, range: &Range<usize>) -> bool {
        if line.sound {
            return false;
        }
        let Err(error) = std::str::from_utf8(&line.bytes[range.clone()]) else { return false };
        let offset = range.start + error.valid_up_to();
        self.report(line.number, SessionProblemCode::InvalidUtf8, invalid_utf8(line.number, offset));
        true
    }

    fn report(&mut self, line: u32, code: SessionProblemCode, message: String) {
        self.problems.push(SessionProblem { line, code, message });
    }
}

/// The sentence for [`SessionProblemCode::InvalidUtf8`].
pub(super) fn invalid_utf8(line: u32, offset: usize) -> String {
    format!("line {line} is not UTF-8 from byte {offset} of the file on; bad bytes were read as U+FFFD")
}

/// `range` without white space, BOM and NUL bytes around it, and the offset of the first such NUL.
fn trim(bytes: &[u8], range: Range<usize>) -> (Range<usize>, Option<usize>) {
    let Range { mut start, mut end } = range;
    let (mut first_nul, mut last_nul) = (None, None);
    while start < end {
        match bytes[start] {
            0 => first_nul = first_nul.or(Some(start)),
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ if bytes[start..end].starts_with(BOM) => start += BOM.len() - 1,
            _ => break,
        }
        start += 1;
    }
    while end > start && matches!(bytes[end - 1], 0 | b' ' | b'\t' | b'\n' | b'\r') {
        end -= 1;
        if bytes[end] == 0 {
            last_nul = Some(end);
        }
    }
    (start..end, first_nul.or(last_nul))
}

/// Where the text starts after white space, a BOM and NUL bytes.
pub(super) fn text_start(bytes: &[u8]) -> usize {
    trim(bytes, 0..bytes.len()).0.start
}

/// What the file is, when it is no text at all.
pub(super) fn not_text(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 8] = [
        (b"\x1f\x8b", "the file is compressed with gzip; decompress it first"),
        (b"\x28\xb5\x2f\xfd", "the file is compressed with zstd; decompress it first"),
        (b"PK\x03\x04", "the file is a zip archive; unpack it first"),
        (b"SQLite format 3\0", "the file is an SQLite database"),
        (b"\xff\xfe", "the file is UTF-16; save it as UTF-8"),
        (b"\xfe\xff", "the file is UTF-16; save it as UTF-8"),
        (b"\x89PNG", "the file is an image"),
        (b"%PDF", "the file is a PDF document"),
    ];
    if text_start(bytes) == bytes.len() {
        return Some("the file is empty");
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(what);
    }
    // A session is damaged here and there; without one line that could be JSON it is something else.
    let mut lines = bytes.split(|b| *b == b'\n').map(|line| &line[text_start(line)..]);
    let json = lines.any(|line| line.first().is_some_and(|b| matches!(b, b'{' | b'[' | b'"')) || line.contains(&b'{'));
    let control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r');
    let head = &bytes[..bytes.len().min(1024)];
    (!json && head.iter().any(control)).then_some("the file is binary, not text")
}

/// Counts lines up to offsets that only grow.
pub(super) struct LineCounter<'s> {
    bytes: &'s [u8],
    at: usize,
    line: u32,
}

impl<'s> LineCounter<'s> {
    /// A counter at the start of `bytes`.
    pub fn new(bytes: &'s [u8]) -> Self {
        LineCounter { bytes, at: 0, line: 1 }
    }

    /// The line of `offset`, counted from 1.
    pub fn line_of(&mut self, offset: usize) -> u32 {
        let passed = self.bytes.get(self.at..offset).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count() as u32;
        self.at = self.at.max(offset);
        self.line
    }
}
