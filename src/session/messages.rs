//! Plain messages of any format: a JSON array, an object with the array in it, or one message per line.

use super::lines::{self, LineCounter};
use super::{bad_session, looks_like, native, no_branch, spans, NativeFold, SessionOptions};
use super::{
    Container, Session, SessionKind, SessionMessage, SessionProblem, SessionProblemCode, SessionReader, Shape,
};
use super::{SkipCode, Skipped};
use crate::error::Result;
use crate::formats::{Detector, Fit, Format};
use crate::json::{skip_space, JsonError, Kind, Tape, Value};
use crate::message::{Provenance, Role};
use std::borrow::Cow;
use std::ops::Range;

pub(super) struct Messages;

/// Where an object keeps its messages, the likeliest first.
const KEYS: [&str; 4] = ["messages", "input", "contents", "items"];

impl SessionReader for Messages {
    /// The same file, with the folded messages replaced: what lies before the span and what lies behind it keeps its bytes.
    fn write_fold(&self, bytes: &[u8], session: &Session<'_>, fold: &NativeFold<'_>) -> Result<Vec<u8>> {
        let Some(container) = &session.container else { return Err(native::not_written(session.kind.name())) };
        let separator: &[u8] = if container.shape == Shape::Lines { b"\n" } else { b",\n" };
        let place = |index: u32| &container.messages[index as usize];
        let start = match fold.prefix_end {
            0 => place(0).start,
            some => place(some - 1).end,
        };
        let mut pieces = fold.between(session).to_vec();
        let tail = container.messages.get(fold.kept_from as usize);
        let end = tail.map_or(container.messages[container.messages.len() - 1].end, |tail| tail.start);
        let mut out = bytes[..start].to_vec();
        if fold.prefix_end > 0 {
            pieces.insert(0, b"");
        }
        out.extend_from_slice(&pieces.join(separator));
        if tail.is_some() {
            out.extend_from_slice(separator);
        }
        out.extend_from_slice(&bytes[end..]);
        Ok(out)
    }

    /// No record is a sign of this kind: it is what remains when no other kind claims the file.
    fn recognises(&self, _record: Value<'_>) -> bool {
        false
    }

    fn read<'s>(&self, bytes: &'s [u8], options: &SessionOptions<'_>) -> Result<Session<'s>> {
        if let Some(id) = options.branch {
            return Err(no_branch(id));
        }
        let start = lines::text_start(bytes);
        let mut scan = Scan::new(bytes);
        let document = match bytes.get(start) {
            Some(b'[') => Some(Document::array(&mut scan, start)),
            Some(b'{') => Document::object(&mut scan, start),
            _ => None,
        };
        match document {
            Some(document) => document.finish(bytes),
            None => alone(bytes, start).unwrap_or_else(|| by_lines(bytes, options)),
        }
    }
}

/// What one element is under one format.
#[derive(Clone, Copy)]
struct Reading {
    fit: Fit,
    role: Role,
    provenance: Provenance,
}

/// An element of the array, or a line.
struct Element {
    line: u32,
    range: Range<usize>,
    object: bool,
    /// It names a role, so it is a message even if no known format has such a one.
    has_role: bool,
    lossy: bool,
}

/// Elements as they are read. The format is known only at the end and every byte is parsed once, so
/// what each format makes of an element is noted on the way.
#[derive(Default)]
struct Elements {
    all: Vec<Element>,
    /// `Format::ALL.len()` readings per element.
    readings: Vec<Reading>,
    detector: Detector,
    objects: usize,
}

impl Elements {
    fn add(&mut self, value: Value<'_>, line: u32, range: Range<usize>, lossy: bool) {
        let object = value.kind() == Kind::Object;
        self.all.push(Element { line, range, object, has_role: value.get_str("role").is_some(), lossy });
        if object {
            self.objects += 1;
            self.detector.see(value);
        }
        self.readings.extend(Format::ALL.iter().map(|format| {
            let reader = format.reader();
            let fit = if object { reader.fit(value) } else { Fit::Impossible };
            Reading { fit, role: reader.role(value), provenance: reader.provenance(value) }
        }));
    }

    fn reading(&self, element: usize, format: Format) -> Reading {
        let column = Format::ALL.iter().position(|f| *f == format).unwrap_or(0);
        self.readings[element * Format::ALL.len() + column]
    }

    /// The format of all; failing that, the one of most. None when none of its own messages proves
    /// more than that nothing speaks against it.
    fn format(&self) -> Option<Format> {
        let fitting =
            |format: Format| (0..self.all.len()).filter(|&i| self.reading(i, format).fit > Fit::Unusual).count();
        if let Ok(format) = self.detector.strictest() {
            return (fitting(format) > 0).then_some(format);
        }
        let counts = Format::ALL.iter().map(|&format| (fitting(format), format));
        // `rev`: of equal counts `max_by_key` takes the last, the registry prefers the first.
        counts.rev().max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 0).map(|(_, format)| format)
    }

    fn into_session(
        self,
        bytes: &[u8],
        format: Format,
        shape: Shape,
        inner: Range<usize>,
        spans: Option<(Range<usize>, u32)>,
        mut problems: Vec<SessionProblem>,
    ) -> Session<'_> {
        let (mut messages, mut ranges, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        for (i, element) in self.all.iter().enumerate() {
            let reading = self.reading(i, format);
            let line = element.line;
            if !element.object || (reading.fit == Fit::Impossible && !element.has_role) {
                let what = if element.object { "an object that is no message" } else { "not an object" };
                let message = format!("element {i}, on line {line}, is {what}; it was skipped");
                problems.push(SessionProblem { line, code: SessionProblemCode::NotAMessage, message });
                skipped.push(Skipped { line, code: SkipCode::Unreadable });
                continue;
            }
            if reading.fit == Fit::Impossible {
                let message =
                    format!("element {i}, on line {line}, does not fit the format of most, {}", format.name());
                problems.push(SessionProblem { line, code: SessionProblemCode::MixedFormats, message });
            }
            let json = lines::clean(Cow::Borrowed(&bytes[element.range.clone()]), element.lossy);
            let (role, provenance) = (reading.role, reading.provenance);
            messages.push(SessionMessage { json, lines: vec![line], role, provenance, usage: None });
            ranges.push(element.range.clone());
        }
        let container = Some(Container { shape, inner, messages: ranges });
        let folds = spans::found(bytes, format, &mut messages, spans, &mut problems);
        let (kind, branches) = (SessionKind::Messages, Vec::new());
        Session { kind, format, messages, folds, branches, leaf: None, problems, skipped, container }
    }
}

/// What reading a document needs along its way; offsets only grow, so the whole stays linear.
struct Scan<'s> {
    bytes: &'s [u8],
    tape: Tape,
    counter: LineCounter<'s>,
    /// The whole file is UTF-8.
    sound: bool,
}

impl<'s> Scan<'s> {
    fn new(bytes: &'s [u8]) -> Self {
        let sound = std::str::from_utf8(bytes).is_ok();
        Scan { bytes, tape: Tape::new(), counter: LineCounter::new(bytes), sound }
    }
}

/// An array, standing alone or in an object, read element by element.
struct Document {
    shape: Shape,
    inner: Range<usize>,
    elements: Elements,
    /// Where an array of folded spans lies beside the messages, and on which line.
    spans: Option<(Range<usize>, u32)>,
    problems: Vec<SessionProblem>,
    /// Where reading stopped, and why if it was not the end of the value.
    end: usize,
    broke: Option<JsonError>,
}

impl Document {
    /// Reads the array whose bracket is at `start`.
    fn array(scan: &mut Scan<'_>, start: usize) -> Document {
        let mut document = Document {
            shape: Shape::Array,
            inner: start + 1..start + 1,
            elements: Elements::default(),
            spans: None,
            problems: Vec::new(),
            end: start,
            broke: None,
        };
        if let Err(error) = document.read_elements(scan, start + 1) {
            document.end = error.offset;
            document.inner.end = error.offset.min(scan.bytes.len());
            document.broke = Some(error);
        }
        document
    }

    fn read_elements(&mut self, scan: &mut Scan<'_>, from: usize) -> std::result::Result<(), JsonError> {
        let bytes = scan.bytes;
        let mut at = skip_space(bytes, from);
        let mut first = true;
        loop {
            match bytes.get(at) {
                Some(b']') if first => return self.close(at),
                None => return Err(JsonError { offset: at, what: "the text ends inside an array" }),
                _ => first = false,
            }
            let (value, end) = parse_at(&mut scan.tape, bytes, at)?;
            let line = scan.counter.line_of(at);
            let bad = if scan.sound { None } else { std::str::from_utf8(&bytes[at..end]).err() };
            if let Some(bad) = bad {
                let message = lines::invalid_utf8(line, at + bad.valid_up_to());
                self.problems.push(SessionProblem { line, code: SessionProblemCode::InvalidUtf8, message });
            }
            self.elements.add(value, line, at..end, bad.is_some());
            at = skip_space(bytes, end);
            match bytes.get(at) {
                Some(b',') => at = skip_space(bytes, at + 1),
                Some(b']') => return self.close(at),
                None => return Err(JsonError { offset: at, what: "the text ends inside an array" }),
                Some(_) => return Err(JsonError { offset: at, what: "neither a comma nor the end of the array" }),
            }
        }
    }

    fn close(&mut self, bracket: usize) -> std::result::Result<(), JsonError> {
        self.inner.end = bracket;
        self.end = bracket + 1;
        Ok(())
    }

    /// Reads the object at `start` if it holds an array of messages; `None` sends the file to [`by_lines`].
    ///
    /// Key by key, so that of a file that breaks off the part before is read.
    fn object(scan: &mut Scan<'_>, start: usize) -> Option<Document> {
        let bytes = scan.bytes;
        let mut best: Option<(usize, Document)> = None;
        let mut spans = None;
        let mut at = skip_space(bytes, start + 1);
        let mut complete = false;
        while bytes.get(at) == Some(&b'"') {
            let Ok((key, end)) = parse_at(&mut scan.tape, bytes, at) else { break };
            let rank = KEYS.iter().position(|name| key.is_str(name));
            let folded = key.is_str("folded");
            at = skip_space(bytes, end);
            if bytes.get(at) != Some(&b':') {
                break;
            }
            at = skip_space(bytes, at + 1);
            match rank.filter(|_| bytes.get(at) == Some(&b'[')) {
                None => match parse_at(&mut scan.tape, bytes, at) {
                    Ok((value, end)) => {
                        if folded && value.kind() == Kind::Array {
                            spans = Some((at..end, scan.counter.line_of(at)));
                        }
                        at = end;
                    }
                    Err(_) => break,
                },
                Some(rank) => {
                    let array = Document::array(scan, at);
                    let (end, broke) = (array.end, array.broke.is_some());
                    let shape = Shape::Object(KEYS[rank]);
                    // Of a key that is there twice the last counts, as for `JSON.parse`.
                    let better = best.as_ref().is_none_or(|(other, _)| rank <= *other);
                    if array.elements.objects > 0 && better {
                        best = Some((rank, Document { shape, ..array }));
                    }
                    at = end;
                    if broke {
                        break;
                    }
                }
            }
            at = skip_space(bytes, at);
            if bytes.get(at) != Some(&b',') {
                complete = bytes.get(at) == Some(&b'}');
                break;
            }
            at = skip_space(bytes, at + 1);
        }
        let (_, mut document) = best?;
        document.spans = spans;
        if !complete && document.broke.is_none() {
            document.broke = Some(JsonError { offset: at, what: "the object around the messages is broken" });
        }
        document.end = at + usize::from(complete);
        // More objects after this one: a file of lines, each with messages of its own.
        let rest = lines::text_start(&bytes[document.end.min(bytes.len())..]) + document.end;
        (document.broke.is_some() || rest >= bytes.len()).then_some(document)
    }

    fn finish(mut self, bytes: &[u8]) -> Result<Session<'_>> {
        let rest = lines::text_start(bytes.get(self.end..).unwrap_or_default()) + self.end;
        if self.broke.is_none() && rest < bytes.len() {
            self.broke = Some(JsonError { offset: rest, what: "text after the end of the array" });
        }
        let count = self.elements.all.len();
        if let Some(error) = self.broke.take() {
            let line = LineCounter::new(bytes).line_of(error.offset.min(bytes.len()));
            let torn = error.offset >= bytes.len() || error.what.starts_with("the text ends");
            let code = if torn { SessionProblemCode::TornLine } else { SessionProblemCode::BrokenLine };
            let message =
                format!("the JSON is broken on line {line}: {error}; the {count} elements before it were read");
            self.problems.push(SessionProblem { line, code, message });
        }
        match self.elements.format() {
            Some(format) => {
                Ok(self.elements.into_session(bytes, format, self.shape, self.inner, self.spans, self.problems))
            }
            None if count == 0 => Err(bad_session("the file holds an array without elements that can be read")),
            None => Err(self.no_messages(bytes)),
        }
    }

    fn no_messages(&self, bytes: &[u8]) -> crate::error::Error {
        let objects = self.elements.all.iter().find(|element| element.object);
        let Some(element) = objects else { return bad_session("the file holds a JSON array without objects") };
        let mut tape = Tape::new();
        let what = tape.parse(&bytes[element.range.clone()]).map(looks_like).unwrap_or_default();
        bad_session(what.replacen("the file holds a", "the file holds an array; its first element is a", 1))
    }
}

/// The value at `at`; the offset of an error counts from the start of `bytes`.
fn parse_at<'t>(tape: &'t mut Tape, bytes: &'t [u8], at: usize) -> std::result::Result<(Value<'t>, usize), JsonError> {
    // A tape counts in 32 bits; the file may be larger as long as no element is.
    let rest = &bytes[at.min(bytes.len())..];
    let rest = &rest[..rest.len().min(u32::MAX as usize)];
    match tape.parse_prefix(rest, 0) {
        Ok((value, end)) => Ok((value, at + end)),
        Err(error) => Err(JsonError { offset: at + error.offset, ..error }),
    }
}

/// A file that is one value and not a list of messages: one message, or no session at all.
///
/// Not left to [`by_lines`]: lines of an indented document can look like messages by chance.
fn alone(bytes: &[u8], start: usize) -> Option<Result<Session<'_>>> {
    let mut tape = Tape::new();
    let (value, end) = parse_at(&mut tape, bytes, start).ok()?;
    if lines::text_start(&bytes[end..]) + end < bytes.len() {
        return None;
    }
    // On one line it is JSONL as well, and read as such.
    if !bytes[start..end].contains(&b'\n') && value.kind() == Kind::Object {
        return None;
    }
    let mut problems = Vec::new();
    let mut elements = Elements::default();
    let line = LineCounter::new(bytes).line_of(start);
    let bad = std::str::from_utf8(&bytes[start..end]).err();
    if let Some(bad) = bad {
        let message = lines::invalid_utf8(line, start + bad.valid_up_to());
        problems.push(SessionProblem { line, code: SessionProblemCode::InvalidUtf8, message });
    }
    elements.add(value, line, start..end, bad.is_some());
    Some(match elements.format() {
        Some(format) => Ok(elements.into_session(bytes, format, Shape::Lines, 0..bytes.len(), None, problems)),
        None => Err(bad_session(looks_like(value))),
    })
}

fn by_lines<'s>(bytes: &'s [u8], options: &SessionOptions<'_>) -> Result<Session<'s>> {
    let mut problems = Vec::new();
    let mut elements = Elements::default();
    let mut first_look = None;
    lines::each_record(bytes, usize::MAX, options.progress, &mut problems, |record| {
        first_look.get_or_insert_with(|| looks_like(record.value));
        elements.add(record.value, record.line, record.range, record.lossy);
    });
    match elements.format() {
        Some(format) => Ok(elements.into_session(bytes, format, Shape::Lines, 0..bytes.len(), None, problems)),
        None => Err(bad_session(first_look.unwrap_or_else(|| not_json(bytes)))),
    }
}

fn not_json(bytes: &[u8]) -> String {
    let start = lines::text_start(bytes);
    let head: String = String::from_utf8_lossy(&bytes[start..bytes.len().min(start + 160)]).chars().take(40).collect();
    format!("the file is not JSON; it starts with {head:?}")
}
