//! Records of a file that is either one JSON document, with the records in an array, or has one record per line.
//!
//! Of a document that breaks off, the records before that are read.

use super::lines::{self, LineCounter, Record};
use super::{SessionProblem, SessionProblemCode};
use crate::json::{skip_space, JsonError, Kind, Tape, Value};
use std::ops::Range;

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// On a line of its own.
    Line,
    /// An element of the list.
    Element,
    /// The whole line around elements, after them; or what a document holds beside its list, member by member, with the
    /// value alone as the record.
    Around,
}

/// Visits the records of a file, whose document keeps its list under `list`; with each the name of the member that it
/// is, for those of a document. Spans of the values count from the start of the record's `text`.
pub(super) fn each<'s>(
    bytes: &'s [u8],
    list: &'static str,
    progress: Option<&dyn Fn(usize) -> bool>,
    problems: &mut Vec<SessionProblem>,
    mut visit: impl FnMut(Place, &str, Record<'s, '_>),
) {
    if is_document(bytes, list) {
        let mut document = Document { progress, ..Document::new(bytes, list, usize::MAX) };
        document.read(&mut visit);
        problems.append(&mut document.problems);
        if let Some(tell) = progress {
            tell(bytes.len());
        }
        return;
    }
    lines::each_record(bytes, usize::MAX, progress, problems, |record| {
        let elements = match record.value.kind() {
            Kind::Array => Some(record.value),
            _ => record.value.get(list).filter(|elements| elements.kind() == Kind::Array),
        };
        let Some(elements) = elements else { return visit(Place::Line, "", record) };
        for value in elements.items() {
            visit(Place::Element, "", Record { range: record.range.clone(), value, ..record });
        }
        visit(Place::Around, "", record);
    });
}

/// The first elements of a document that breaks off, so that its kind can be told.
pub(super) fn torn_head(bytes: &[u8], list: &'static str, limit: usize, mut visit: impl FnMut(Value<'_>)) {
    Document::new(bytes, list, limit).read(&mut |place, _: &str, record: Record<'_, '_>| {
        if place == Place::Element {
            visit(record.value);
        }
    });
}

/// Whether the file is one value with a list, whole or broken off; else it is read line by line.
fn is_document(bytes: &[u8], list: &'static str) -> bool {
    let start = lines::text_start(bytes);
    if let Ok((value, end)) = parse_at(&mut Tape::new(), bytes, start) {
        let alone = lines::text_start(&bytes[end..]) + end >= bytes.len();
        return alone && (value.kind() == Kind::Array || value.get(list).is_some_and(|l| l.kind() == Kind::Array));
    }
    let mut elements = 0;
    torn_head(bytes, list, 1, |value| elements += usize::from(value.kind() == Kind::Object));
    elements > 0
}

fn parse_at<'t>(tape: &'t mut Tape, bytes: &'t [u8], at: usize) -> Result<(Value<'t>, usize), JsonError> {
    let rest = &bytes[at.min(bytes.len())..];
    match tape.parse_prefix(&rest[..rest.len().min(u32::MAX as usize)], 0) {
        Ok((value, end)) => Ok((value, at + end)),
        Err(error) => Err(JsonError { offset: at + error.offset, ..error }),
    }
}

/// A document on its way, element by element.
struct Document<'s, 'p> {
    progress: Option<&'p dyn Fn(usize) -> bool>,
    /// Bytes that `progress` was told of.
    told: usize,
    bytes: &'s [u8],
    list: &'static str,
    left: usize,
    tape: Tape,
    counter: LineCounter<'s>,
    sound: bool,
    elements: usize,
    problems: Vec<SessionProblem>,
}

type Step<T> = Result<T, JsonError>;

impl<'s> Document<'s, '_> {
    fn new(bytes: &'s [u8], list: &'static str, left: usize) -> Self {
        let sound = std::str::from_utf8(bytes).is_ok();
        let (counter, problems) = (LineCounter::new(bytes), Vec::new());
        Document {
            progress: None,
            told: 0,
            bytes,
            list,
            left,
            tape: Tape::new(),
            counter,
            sound,
            elements: 0,
            problems,
        }
    }

    fn read(&mut self, visit: &mut impl FnMut(Place, &str, Record<'s, '_>)) {
        let start = lines::text_start(self.bytes);
        let read = match self.bytes.get(start) {
            Some(b'[') => self.array(start + 1, visit),
            Some(b'{') => self.object(start + 1, visit),
            _ => Ok(start),
        };
        let Err(error) = read else { return };
        let line = self.counter.line_of(error.offset.min(self.bytes.len()));
        let torn = error.offset >= self.bytes.len() || error.what.starts_with("the text ends");
        let code = if torn { SessionProblemCode::TornLine } else { SessionProblemCode::BrokenLine };
        let count = self.elements;
        let message = format!("the JSON is broken on line {line}: {error}; the {count} records before it were read");
        self.problems.push(SessionProblem { line, code, message });
    }

    fn object(&mut self, from: usize, visit: &mut impl FnMut(Place, &str, Record<'s, '_>)) -> Step<usize> {
        let mut at = skip_space(self.bytes, from);
        if self.bytes.get(at) == Some(&b'}') {
            return Ok(at + 1);
        }
        loop {
            let (key, end) = parse_at(&mut self.tape, self.bytes, at)?;
            let key = match key.kind() {
                Kind::String => key.text_lossy().into_owned(),
                _ => return Err(JsonError { offset: at, what: "a member without a name" }),
            };
            at = skip_space(self.bytes, end);
            if self.bytes.get(at) != Some(&b':') {
                return Err(self.unexpected(at, "no colon after the name of a member"));
            }
            at = skip_space(self.bytes, at + 1);
            at = if key == self.list && self.bytes.get(at) == Some(&b'[') {
                self.array(at + 1, visit)?
            } else {
                self.value(at, Place::Around, &key, visit)?
            };
            at = skip_space(self.bytes, at);
            match self.bytes.get(at) {
                Some(b',') => at = skip_space(self.bytes, at + 1),
                Some(b'}') => return Ok(at + 1),
                _ => return Err(self.unexpected(at, "neither a comma nor the end of the object")),
            }
        }
    }

    fn array(&mut self, from: usize, visit: &mut impl FnMut(Place, &str, Record<'s, '_>)) -> Step<usize> {
        let mut at = skip_space(self.bytes, from);
        if self.bytes.get(at) == Some(&b']') {
            return Ok(at + 1);
        }
        loop {
            if self.left == 0 {
                return Err(JsonError { offset: at, what: "enough was seen" });
            }
            self.left -= 1;
            at = self.value(at, Place::Element, "", visit)?;
            self.elements += 1;
            at = skip_space(self.bytes, at);
            match self.bytes.get(at) {
                Some(b',') => at = skip_space(self.bytes, at + 1),
                Some(b']') => return Ok(at + 1),
                _ => return Err(self.unexpected(at, "neither a comma nor the end of the array")),
            }
        }
    }

    fn unexpected(&self, offset: usize, what: &'static str) -> JsonError {
        let what = if offset >= self.bytes.len() { "the text ends inside the document" } else { what };
        JsonError { offset, what }
    }

    fn value(
        &mut self,
        at: usize,
        place: Place,
        key: &str,
        visit: &mut impl FnMut(Place, &str, Record<'s, '_>),
    ) -> Step<usize> {
        if let Some(tell) = self.progress.filter(|_| at - self.told >= lines::NEWS) {
            self.told = at;
            if !tell(at) {
                return Err(JsonError { offset: at, what: "the reading was stopped" });
            }
        }
        let (value, end) = parse_at(&mut self.tape, self.bytes, at)?;
        let line = self.counter.line_of(at);
        let range: Range<usize> = at..end;
        let text = &self.bytes[range.clone()];
        let bad = if self.sound { None } else { std::str::from_utf8(text).err() };
        if let Some(bad) = bad {
            let message = lines::invalid_utf8(line, at + bad.valid_up_to());
            self.problems.push(SessionProblem { line, code: SessionProblemCode::InvalidUtf8, message });
        }
        visit(place, key, Record { line, range, text, lossy: bad.is_some(), value });
        Ok(end)
    }
}
