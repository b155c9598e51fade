//! The outline of a transcript: for each message just what planning needs, so that contents are
//! read once and can be let go.

use crate::clip::{clippable, Clippable};
use crate::error::{Error, ErrorCode, Result};
use crate::formats::{Detector, Format};
use crate::json::{Kind, Tape, Value};
use crate::message::{Approval, Part, Provenance, Role};
use crate::tokens::Estimator;
use std::collections::HashMap;

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
}

impl Shape {
    /// Something that the user said: no injected text, no digest, no bare results.
    pub fn is_request(&self) -> bool {
        let said = matches!(self.provenance, Provenance::Plain | Provenance::Steer);
        self.role == Role::User && said && !self.only_results
    }

    /// Whether this message of the model and another one would break each other if nothing stood between them: providers read
    /// neighbours as one turn, in which signed reasoning must come first and no id may stand twice.
    pub fn breaks(&self, next: &Shape) -> bool {
        next.signed > 0 || self.only_reasoning || self.has_calls
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
}

impl Link {
    /// A call, whoever runs it.
    pub fn is_call(&self) -> bool {
        matches!(self.kind, LinkKind::Call | LinkKind::HostedCall)
    }
}

/// The outline of a transcript.
#[derive(Debug, Clone)]
pub struct Outline {
    /// The format that the messages were read by.
    pub format: Format,
    /// One shape a message.
    pub shapes: Vec<Shape>,
    /// Calls and results in their order.
    pub links: Vec<Link>,
    /// For each message, where its links end.
    link_ends: Vec<u32>,
    /// The ids behind [`Link::id`]; tool names for formats that pair by name.
    pub ids: Vec<String>,
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
    /// assert_eq!(outline.shapes[0].tokens, 4 + 1);
    /// ```
    ///
    /// # Errors
    /// [`ErrorCode::BadMessage`] for a message that is no JSON object; the errors of [`Detector::strictest`].
    pub fn read<T: AsRef<[u8]>>(messages: &[T], reading: Reading<'_>) -> Result<Outline> {
        let mut reader = Reader::new(reading.format.unwrap_or(Format::ALL[0]), reading.estimator);
        let mut detector = Detector::default();
        let mut tape = Tape::new();
        for (index, message) in messages.iter().enumerate() {
            let value = object(&mut tape, message.as_ref(), index)?;
            if reading.format.is_none() {
                detector.see(value);
                let leading = detector.candidates().first().copied();
                if leading.is_some_and(|format| format != reader.outline.format) {
                    // A later message told the format: read the ones before again. Happens at most once a format.
                    reader = Reader::of(leading.expect("just seen"), reading.estimator, &messages[..index])?;
                }
            }
            reader.take(value);
        }
        if reading.format.is_none() {
            let format = detector.strictest()?;
            if format != reader.outline.format {
                reader = Reader::of(format, reading.estimator, messages)?;
            }
        }
        let mut outline = reader.outline;
        outline.apply(reading)?;
        Ok(outline)
    }

    fn apply(&mut self, reading: Reading<'_>) -> Result<()> {
        for &(index, provenance) in reading.provenance {
            if let Some(shape) = self.shapes.get_mut(index as usize) {
                shape.provenance = provenance;
            }
        }
        let Some(tokens) = reading.tokens else { return Ok(()) };
        if tokens.len() != self.shapes.len() {
            return Err(Error::new(ErrorCode::BadEstimator, "the counter gave another number of counts than messages"));
        }
        for (index, (shape, &count)) in self.shapes.iter_mut().zip(tokens).enumerate() {
            if !(0.0..9_007_199_254_740_992.0).contains(&count) {
                let message = format!("the counter gave {count} for message {index}; a count is a number of 0 or more");
                return Err(Error::new(ErrorCode::BadEstimator, message));
            }
            shape.tokens = count.ceil() as u64;
        }
        Ok(())
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
        let start = message.checked_sub(1).map_or(0, |before| self.link_ends[before] as usize);
        &self.links[start..self.link_ends[message] as usize]
    }

    /// Sum of the tokens of a range of messages.
    pub fn tokens(&self, range: std::ops::Range<usize>) -> u64 {
        self.shapes[range].iter().map(|shape| shape.tokens).sum()
    }
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

struct Reader {
    outline: Outline,
    estimator: Estimator,
    known: HashMap<Vec<u8>, u32>,
}

impl Reader {
    fn new(format: Format, estimator: Estimator) -> Self {
        let outline = Outline { format, shapes: Vec::new(), links: Vec::new(), link_ends: Vec::new(), ids: Vec::new() };
        Reader { outline, estimator, known: HashMap::new() }
    }

    fn of<T: AsRef<[u8]>>(format: Format, estimator: Estimator, messages: &[T]) -> Result<Self> {
        let mut reader = Reader::new(format, estimator);
        let mut tape = Tape::new();
        for (index, message) in messages.iter().enumerate() {
            reader.take(object(&mut tape, message.as_ref(), index)?);
        }
        Ok(reader)
    }

    fn take(&mut self, message: Value<'_>) {
        let reader = self.outline.format.reader();
        let mut shape = Shape {
            index: self.outline.shapes.len() as u32,
            role: reader.role(message),
            provenance: reader.provenance(message),
            tokens: self.estimator.message(reader, message),
            signed: 0,
            opens_with_reasoning: false,
            only_reasoning: false,
            is_empty: false,
            has_calls: false,
            has_results: false,
            only_results: false,
        };
        let (mut reasoning, mut others) = (false, false);
        let mut count = 0;
        reader.parts(message, &mut |part| {
            let place = count;
            count += 1;
            match part {
                Part::Reasoning { signed, .. } => {
                    shape.opens_with_reasoning |= place == 0;
                    shape.signed += u32::from(signed);
                    reasoning = true;
                }
                Part::Call { id, name, hosted, .. } => {
                    self.link(
                        place,
                        id,
                        name,
                        Clippable::default(),
                        if hosted { LinkKind::HostedCall } else { LinkKind::Call },
                    );
                    shape.has_calls = true;
                    others = true;
                }
                Part::Result { id, name, content, .. } => {
                    let long =
                        content.map_or_else(Clippable::default, |content| clippable(content, reader, self.estimator));
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
        self.outline.shapes.push(shape);
        self.outline.link_ends.push(self.outline.links.len() as u32);
    }

    fn link(&mut self, part: u32, id: Option<Value<'_>>, name: Option<Value<'_>>, long: Clippable, kind: LinkKind) {
        let id = id.filter(|id| !id.is_null());
        let named = name.map(|name| self.number(b'n', Some(name)));
        let own = id.map(|id| self.number(b'i', Some(id)));
        // A call without an id has its name for one, or nothing.
        let number = own.or(named).unwrap_or_else(|| self.number(b'n', None));
        self.push(Link { message: 0, part, id: number, name: named, has_id: own.is_some(), long, kind });
    }

    fn approval(&mut self, part: u32, id: Option<Value<'_>>, call: Option<Value<'_>>, kind: LinkKind) {
        let id = id.filter(|id| !id.is_null());
        let number = self.number(b'a', id);
        let call = call.map(|call| self.number(b'i', Some(call)));
        self.push(Link {
            message: 0,
            part,
            id: number,
            name: call,
            has_id: id.is_some(),
            long: Clippable::default(),
            kind,
        });
    }

    fn push(&mut self, link: Link) {
        self.outline.links.push(Link { message: self.outline.shapes.len() as u32, ..link });
    }

    /// Ids, names and approvals live apart, so that a call without id never pairs with an id that reads like its name.
    fn number(&mut self, tag: u8, value: Option<Value<'_>>) -> u32 {
        let mut key = vec![tag];
        if let Some(value) = value {
            match value.text() {
                Some(text) => key.extend_from_slice(&text),
                None => key.extend_from_slice(value.raw()),
            }
        }
        let ids = &mut self.outline.ids;
        *self.known.entry(key).or_insert_with_key(|key| {
            ids.push(crate::text::to_well_formed(&key[1..]));
            ids.len() as u32 - 1
        })
    }
}
