//! The outline of a transcript: for each message just what planning needs, so that contents are
//! read once and can be let go.

use crate::clip::{clippable, Clippable};
use crate::error::{Error, ErrorCode, Result};
use crate::formats::{Detector, Format, MessageFormat};
use crate::grow::{expect, expect_exactly};
use crate::ids::Ids;
use crate::json::{Kind, Tape, Value};
use crate::landmarks::{within, Landmarks};
use crate::message::{Approval, Part, Provenance, Role};
use crate::pinned::Look;
use crate::tokens::Estimator;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What planning needs to know of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Its index.
    pub index: u32,
    /// Who speaks.
    pub role: Role,
    /// Where it came from.
    pub provenance: Provenance,
    /// Estimated tokens.
    pub tokens: u64,
    /// Signed reasoning parts in it.
    pub signed: u32,
    /// Its first part is reasoning.
    pub opens_with_reasoning: bool,
    /// It is reasoning and nothing else.
    pub only_reasoning: bool,
    /// It has no parts, but for texts of no length.
    pub is_empty: bool,
    /// It calls tools.
    pub has_calls: bool,
    /// It has results of tools, or answers to approvals.
    pub has_results: bool,
    /// It has such and nothing else.
    pub only_results: bool,
    /// It says what the pinned message says, or the model's word behind that; see [`crate::pinned`].
    pub pins: bool,
}

impl Shape {
    /// Something that the user said: no injected text, no digest, no bare results.
    pub fn is_request(&self) -> bool {
        let said = matches!(self.provenance, Provenance::Plain | Provenance::Steer);
        self.role == Role::User && said && !self.only_results
    }

    /// Text on the user's side, whoever wrote it: no results, no digest.
    pub fn is_spoken(&self) -> bool {
        self.role == Role::User && !self.has_results && self.provenance != Provenance::Summary
    }

    /// Whether this message of the model and another one would break each other if nothing stood between them: providers read
    /// neighbours as one turn, in which signed reasoning must come first and no id may stand twice.
    pub fn breaks(&self, next: &Shape) -> bool {
        next.signed > 0 || self.only_reasoning || self.has_calls
    }

    fn leads_as_pins(&self) -> bool {
        self.pins && self.role == Role::User && self.provenance == Provenance::Memory
    }

    /// Messages that may stand in the prefix: system text, and what the user's side has there for good. The model's word behind the
    /// pinned message belongs to that.
    pub(crate) fn leads(&self) -> bool {
        let answers = self.role == Role::Assistant && self.pins;
        self.role == Role::System || ((self.role == Role::User || answers) && self.is_standing())
    }

    /// Messages that stay verbatim wherever they stand.
    pub fn is_standing(&self) -> bool {
        matches!(self.provenance, Provenance::Instructions | Provenance::Memory)
    }
}

/// What a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// A tool call.
    Call,
    /// A tool call that the provider runs itself.
    HostedCall,
    /// A tool result.
    Result,
    /// Leave is asked for a call.
    Request,
    /// Leave is given.
    Granted,
    /// Leave is denied.
    Denied,
    /// A call that names the request it had leave by.
    Use,
}

/// A tool call, a tool result or a step of an approval, with its id as a number that is equal for equal ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Index of the message.
    pub message: u32,
    /// Index of the part in the message, as its format reports them.
    pub part: u32,
    /// Equal for equal ids; index into [`Outline::ids`]. Without an id, that of the name.
    pub id: u32,
    /// The tool's name; of a request the id of the call that leave is asked for.
    pub name: Option<u32>,
    /// The part has an id of its own.
    pub has_id: bool,
    /// Of a result: size of its long texts.
    pub long: Clippable,
    /// What it is.
    pub kind: LinkKind,
    /// How many numbers of ids and names were given for it first.
    fresh: u8,
}

impl Link {
    /// A call, whoever runs it.
    pub fn is_call(&self) -> bool {
        matches!(self.kind, LinkKind::Call | LinkKind::HostedCall)
    }
}

/// The outline of a transcript. It grows at its end and shrinks from there, each in constant time a message.
#[derive(Debug, Clone)]
pub struct Outline {
    /// The format that the messages were read by.
    pub format: Format,
    /// What counts their tokens.
    pub estimator: Estimator,
    /// One shape a message.
    pub shapes: Vec<Shape>,
    /// Calls and results in their order.
    pub links: Vec<Link>,
    /// The ids behind [`Link::id`]; tool names for formats that pair by name.
    pub ids: Ids,
    /// Where what the planner looks for stands.
    pub landmarks: Landmarks,
    sums: Vec<Sums>,
}

/// Sums over a message and all before it.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    tokens: u64,
    links: u32,
}

/// How to read messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'r> {
    /// The format, if the caller named it; detected otherwise.
    pub format: Option<Format>,
    /// Where messages came from, by index, for formats without a typed mark.
    pub provenance: &'r [(u32, Provenance)],
    /// What counts tokens, and the sizes of results.
    pub estimator: Estimator,
    /// Tokens of each message from the caller's own counter, instead.
    pub tokens: Option<&'r [f64]>,
}

impl Outline {
    /// Reads messages, each given as JSON text.
    ///
    /// ```
    /// use plica::outline::{Outline, Reading};
    /// let messages: [&[u8]; 1] = [br#"{"role":"user","content":"hi"}"#];
    /// let outline = Outline::read(&messages, Reading::default()).unwrap();
    /// assert_eq!(outline.tokens(0..1), 4 + 1);
    /// ```
    ///
    /// # Errors
    /// [`ErrorCode::BadMessage`] for a message that is no JSON object; the errors of [`Detector::strictest`].
    pub fn read<T: AsRef<[u8]>>(messages: &[T], reading: Reading<'_>) -> Result<Outline> {
        let mut outline = Outline::new(reading.format.unwrap_or(Format::ALL[0]), reading.estimator);
        let mut detector = Detector::default();
        let mut tape = Tape::new();
        for (index, message) in messages.iter().enumerate() {
            let value = object(&mut tape, message.as_ref(), index)?;
            if reading.format.is_none() && detector.see(value) {
                let leading = detector.candidates().first().copied();
                if leading.is_some_and(|format| format != outline.format) {
                    // A later message told the format: read the ones before again. Happens at most once a format.
                    outline = Outline::of(leading.expect("just seen"), reading.estimator, &messages[..index])?;
                }
            }
            outline.take(value);
        }
        if reading.format.is_none() {
            let format = detector.strictest()?;
            if format != outline.format {
                outline = Outline::of(format, reading.estimator, messages)?;
            }
        }
        outline.settle(reading)?;
        Ok(outline)
    }

    /// An outline of no messages.
    pub fn new(format: Format, estimator: Estimator) -> Outline {
        Outline {
            format,
            estimator,
            shapes: Vec::new(),
            links: Vec::new(),
            ids: Ids::default(),
            landmarks: Landmarks::default(),
            sums: Vec::new(),
        }
    }

    /// Reads messages as a format, unsettled.
    pub(crate) fn of<T: AsRef<[u8]>>(format: Format, estimator: Estimator, messages: &[T]) -> Result<Outline> {
        let mut outline = Outline::new(format, estimator);
        let mut tape = Tape::new();
        for (index, message) in messages.iter().enumerate() {
            outline.take(object(&mut tape, message.as_ref(), index)?);
        }
        Ok(outline)
    }

    /// Puts what the caller says of the messages taken since the last time in the place of what was read from them, and sums
    /// up. The indices and counts of `reading` begin with the first of these messages.
    ///
    /// # Errors
    /// [`ErrorCode::BadEstimator`].
    pub fn settle(&mut self, reading: Reading<'_>) -> Result<()> {
        let first = self.sums.len();
        for &(index, provenance) in reading.provenance {
            if let Some(shape) = self.shapes.get_mut(first + index as usize) {
                shape.provenance = provenance;
            }
        }
        let mut sums = self.sums.last().copied().unwrap_or_default();
        let mut links = self.links[sums.links as usize..].iter().peekable();
        if reading.tokens.is_some_and(|tokens| tokens.len() != self.shapes.len() - first) {
            return Err(Error::new(ErrorCode::BadEstimator, "the counter gave another number of counts than messages"));
        }
        let mut follows_pins = first.checked_sub(1).is_some_and(|last| self.shapes[last].leads_as_pins());
        for (place, shape) in self.shapes[first..].iter_mut().enumerate() {
            // The pinned message is memory at the head of a conversation; the same text further down is what somebody said.
            if shape.pins
                && self.landmarks.leading() == shape.index as usize
                && (shape.role == Role::User || follows_pins)
            {
                shape.provenance = Provenance::Memory;
            }
            follows_pins = shape.leads_as_pins();
            if let Some(tokens) = reading.tokens {
                shape.tokens = counted(tokens[place], shape.index)?;
            }
            sums.tokens += shape.tokens;
            while links.next_if(|link| link.message == shape.index).is_some() {
                sums.links += 1;
            }
            self.sums.push(sums);
            self.landmarks.push(shape);
        }
        Ok(())
    }

    /// Makes room for so many more messages, apart from what they hold.
    pub(crate) fn expect_messages(&mut self, more: usize) {
        expect_exactly(&mut self.shapes, more);
        expect_exactly(&mut self.sums, more);
    }

    /// Makes room for what so many times as many messages hold.
    pub(crate) fn expect(&mut self, times: f64) {
        expect(&mut self.links, times);
        self.ids.expect(times);
        self.landmarks.expect(times);
    }

    /// Forgets all messages from `length` on.
    pub fn truncate(&mut self, length: usize) {
        self.shapes.truncate(length);
        self.sums.truncate(length);
        let links = self.sums.last().map_or(0, |sums| sums.links as usize);
        let fresh: u32 = self.links[links..].iter().map(|link| u32::from(link.fresh)).sum();
        self.links.truncate(links);
        self.ids.truncate(self.ids.len() as u32 - fresh);
        self.landmarks.truncate(length as u32);
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Calls and results of one message.
    pub fn links_of(&self, message: usize) -> &[Link] {
        self.links_in(message..message + 1)
    }

    /// Calls and results of a range of messages.
    pub fn links_in(&self, range: Range<usize>) -> &[Link] {
        &self.links[self.before(range.start).links as usize..self.before(range.end).links as usize]
    }

    /// Tokens of a range of messages.
    pub fn tokens(&self, range: Range<usize>) -> u64 {
        self.before(range.end).tokens - self.before(range.start).tokens
    }

    /// Signed reasoning parts in a range of messages.
    pub fn signed(&self, range: Range<usize>) -> u32 {
        within(self.landmarks.signed(), range).iter().map(|&index| self.shapes[index as usize].signed).sum()
    }

    fn before(&self, message: usize) -> Sums {
        message.checked_sub(1).map_or(Sums::default(), |last| self.sums[last])
    }
}

fn counted(count: f64, message: u32) -> Result<u64> {
    if (0.0..9_007_199_254_740_992.0).contains(&count) {
        return Ok(count.ceil() as u64);
    }
    let message = format!("the counter gave {count} for message {message}; a count is a number of 0 or more");
    Err(Error::new(ErrorCode::BadEstimator, message))
}

/// Parses message `index` and sees that it is an object.
///
/// # Errors
/// [`ErrorCode::BadMessage`].
pub fn object<'t>(tape: &'t mut Tape, message: &'t [u8], index: usize) -> Result<Value<'t>> {
    let fail = |what: String| Error::new(ErrorCode::BadMessage, format!("message {index} {what}"));
    let value = tape.parse(message).map_err(|error| fail(format!("is not valid JSON: {error}")))?;
    if value.kind() != Kind::Object {
        return Err(fail(format!("is {}, not an object", a_kind(value.kind()))));
    }
    Ok(value)
}

fn a_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

impl Outline {
    /// Reads the next message. What it adds counts once [`Outline::settle`] has seen it. The answer is a hash of what fingerprints
    /// take in, for telling whether the message is still the same: for one process, and not for storing.
    pub fn take(&mut self, message: Value<'_>) -> u64 {
        let reader = self.format.reader();
        let mut plain = Vec::new();
        let mut shape = Shape {
            index: self.shapes.len() as u32,
            role: reader.role(message),
            provenance: reader.provenance(message),
            tokens: self.estimator.message_with(reader, message, &mut plain),
            signed: 0,
            opens_with_reasoning: false,
            only_reasoning: false,
            is_empty: false,
            has_calls: false,
            has_results: false,
            only_results: false,
            pins: false,
        };
        let (mut reasoning, mut others) = (false, false);
        let mut plain = plain.into_iter();
        let mut count = 0;
        let mut hash = Hash::of(shape.role);
        let mut look = Look::new();
        reader.parts(message, &mut |part| {
            let place = count;
            count += 1;
            hash.part(&part);
            look.part(&part, shape.role);
            match part {
                Part::Reasoning { signed, .. } => {
                    shape.opens_with_reasoning |= place == 0;
                    shape.signed += u32::from(signed);
                    reasoning = true;
                }
                Part::Call { id, name, hosted, .. } => {
                    let kind = if hosted { LinkKind::HostedCall } else { LinkKind::Call };
                    self.link(place, id, name, Clippable::default(), kind);
                    shape.has_calls = true;
                    others = true;
                }
                Part::Result { id, name, content, .. } => {
                    let known = plain.next().flatten();
                    let long = content.map(|content| clippable(content, reader, self.estimator, known));
                    let long = long.unwrap_or_default();
                    self.link(place, id, name, long, LinkKind::Result);
                    shape.has_results = true;
                }
                Part::Approval { step, id, call, .. } => {
                    self.approval(place, id, call, step.into());
                    let answer = matches!(step, Approval::Granted | Approval::Denied);
                    shape.has_results |= answer;
                    others |= !answer;
                }
                // Media inside a result belongs to the result.
                Part::Media { .. } if shape.has_results => {}
                // In some formats a message without text has one of no length.
                Part::Text(text) if text.raw().len() <= 2 => {}
                _ => others = true,
            }
        });
        shape.is_empty = !reasoning && !others && !shape.has_results;
        shape.only_results = shape.has_results && !others && !reasoning;
        shape.only_reasoning = reasoning && !others && !shape.has_results;
        shape.pins = look.is_pinned();
        self.shapes.push(shape);
        hash.signatures(reader, message);
        hash.0
    }

    /// A message that was not read: nobody's, of no cost, and taken for a digest, so that it proves nothing about what there is to
    /// fold.
    pub(crate) fn take_unseen(&mut self) {
        self.shapes.push(Shape {
            index: self.shapes.len() as u32,
            role: Role::Other,
            provenance: Provenance::Summary,
            tokens: 0,
            signed: 0,
            opens_with_reasoning: false,
            only_reasoning: false,
            is_empty: true,
            has_calls: false,
            has_results: false,
            only_results: false,
            pins: false,
        });
    }

    fn link(&mut self, part: u32, id: Option<Value<'_>>, name: Option<Value<'_>>, long: Clippable, kind: LinkKind) {
        let known = self.ids.len();
        let id = id.filter(|id| !id.is_null());
        let named = name.map(|name| self.number(b'n', Some(name)));
        let own = id.map(|id| self.number(b'i', Some(id)));
        // A call without an id has its name for one, or nothing.
        let number = own.or(named).unwrap_or_else(|| self.number(b'n', None));
        self.push(
            known,
            Link { message: 0, part, id: number, name: named, has_id: own.is_some(), long, kind, fresh: 0 },
        );
    }

    fn approval(&mut self, part: u32, id: Option<Value<'_>>, call: Option<Value<'_>>, kind: LinkKind) {
        let known = self.ids.len();
        let id = id.filter(|id| !id.is_null());
        let number = self.number(b'a', id);
        let call = call.map(|call| self.number(b'i', Some(call)));
        let long = Clippable::default();
        self.push(known, Link { message: 0, part, id: number, name: call, has_id: id.is_some(), long, kind, fresh: 0 });
    }

    /// `known` is how many ids had a number before.
    fn push(&mut self, known: usize, link: Link) {
        let fresh = (self.ids.len() - known) as u8;
        self.links.push(Link { message: self.shapes.len() as u32, fresh, ..link });
    }

    /// Ids, names and approvals live apart, so that a call without id never pairs with an id that reads like its name.
    fn number(&mut self, tag: u8, value: Option<Value<'_>>) -> u32 {
        match value.map(|value| (value.text(), value)) {
            None => self.ids.number(tag, b""),
            Some((Some(text), _)) => self.ids.number(tag, &text),
            Some((None, value)) => self.ids.number(tag, value.raw()),
        }
    }
}

/// The hash that [`Outline::take`] gives, without anything else.
pub(crate) fn hash(format: Format, message: Value<'_>) -> u64 {
    let reader = format.reader();
    let mut hash = Hash::of(reader.role(message));
    reader.parts(message, &mut |part| hash.part(&part));
    hash.signatures(reader, message);
    hash.0
}

/// A chain of hashes over the parts of a message, as they are written.
struct Hash(u64);

impl Hash {
    fn of(role: Role) -> Hash {
        Hash(role as u64)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn maybe(&mut self, value: &Option<Value<'_>>) {
        self.bytes(value.map_or(b"", Value::raw));
    }

    fn signatures(&mut self, reader: &dyn MessageFormat, message: Value<'_>) {
        reader.signatures(message, &mut |at, signature| {
            self.bytes(&(at as u64).to_le_bytes());
            self.bytes(signature.raw());
        });
    }

    fn part(&mut self, part: &Part<'_>) {
        match part {
            Part::Text(text) => self.bytes(text.raw()),
            Part::Call { id, name, arguments, .. } => {
                [id, name, arguments].into_iter().for_each(|value| self.maybe(value))
            }
            Part::Result { id, name, content, error, .. } => {
                self.0 ^= u64::from(*error);
                [id, name, content].into_iter().for_each(|value| self.maybe(value));
            }
            Part::Reasoning { raw, .. } | Part::Approval { raw, .. } | Part::Media { raw, .. } => self.block(*raw),
            Part::Summary(raw) | Part::Other(raw) => self.block(*raw),
        }
    }

    /// Clients move `cache_control` from block to block: it does not count, as in fingerprints.
    fn block(&mut self, block: Value<'_>) {
        if block.kind() != Kind::Object {
            return self.bytes(block.raw());
        }
        for (key, value) in block.entries().filter(|(key, _)| !key.is_str("cache_control")) {
            self.bytes(key.raw());
            self.bytes(value.raw());
        }
    }
}
