//! Reads messages into turns, and keeps book of what their target has no room for.

use super::media::{self, Spot};
use super::turn::{Answer, Arguments, Call, Content, Json, Piece, Seal, Thought, Turn};
use super::{Loss, LossCode, Room};
use crate::check::rules::NewIds;
use crate::digest;
use crate::fingerprint;
use crate::formats::{Format, MessageFormat};
use crate::json::{quote, Kind, Tape, Value};
use crate::message::{Approval, Part, Provenance, Role};
use crate::outline::{LinkKind, Outline};
use crate::pairing::Pairing;
use crate::profile::{Nothing, Place};
use crate::text::js_trim;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// The name of a tool that has none.
const UNKNOWN_TOOL: &str = "unknown_tool";

/// What a call says whose leave was denied without a word.
const DENIED: &str = "Leave for this call was denied.";

/// What a call says that failed without a word.
const FAILED: &str = "The call failed, and nothing was said about it.";

/// What becomes of a call of the source.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// Not seen yet, or no call.
    Nowhere,
    /// The provider ran it: it is left out with its result.
    Hosted,
    /// A piece of a turn.
    At(usize, usize),
}

/// Reads one message after another.
pub struct Walk<'m, 'o> {
    source: &'static dyn MessageFormat,
    target: Format,
    room: &'static Room,
    outline: &'o Outline,
    /// By link of a result, that of its call.
    call_of: Vec<Option<u32>>,
    /// Links of calls that may still get a result.
    waits: HashSet<u32>,
    /// By link of a call.
    places: Vec<Fate>,
    next_link: u32,
    turns: Vec<Turn<'m>>,
    /// The model's turn that later messages may belong to.
    open: Option<usize>,
    ids: NewIds,
    given: HashSet<String>,
    losses: Vec<Loss>,
    /// Results of tools that failed, for a target that takes text alone from them: where, and of which message.
    failed: Vec<(usize, usize, u32)>,
}

/// The message that is read.
struct Reading<'m, 'd> {
    index: u32,
    bytes: &'m [u8],
    value: Value<'d>,
    role: Role,
    provenance: Provenance,
    /// Where new steps begin, and how many of them did.
    seams: Vec<usize>,
    passed: usize,
    /// What is inside here was dealt with.
    covered: Range<usize>,
    /// The newest result: where its content is, and its call.
    result: Option<(Range<usize>, usize, usize)>,
    /// Values that are carried over, or left out, as a whole.
    whole: HashSet<usize>,
    /// An id for its calls that have none.
    stem: Option<String>,
}

impl<'m> Reading<'m, '_> {
    /// The JSON text of a value.
    fn json(&self, value: Value<'_>) -> Json<'m> {
        String::from_utf8_lossy(&self.bytes[value.span()])
    }
}

impl<'m, 'o> Walk<'m, 'o> {
    /// Of messages with this outline.
    pub fn new(outline: &'o Outline, pairing: &Pairing, to: Format) -> Walk<'m, 'o> {
        let mut call_of = vec![None; outline.links.len()];
        pairing.pairs.iter().for_each(|pair| call_of[pair.result_link as usize] = Some(pair.call_link));
        Walk {
            source: outline.format.reader(),
            target: to,
            room: to.reader().room(),
            outline,
            call_of,
            waits: pairing.unanswered().map(|call| call.link).collect(),
            places: vec![Fate::Nowhere; outline.links.len()],
            next_link: 0,
            turns: Vec::new(),
            open: None,
            ids: NewIds::beside(outline.ids.texts().collect()),
            given: HashSet::new(),
            losses: Vec::new(),
            failed: Vec::new(),
        }
    }

    fn lose(&mut self, code: LossCode, index: u32, message: impl Into<String>) {
        self.losses.push(Loss { code, index, message: message.into() });
    }

    /// Reads the next message.
    pub fn message(&mut self, index: usize, bytes: &'m [u8], value: Value<'_>) {
        let shape = &self.outline.shapes[index];
        let mut reading = Reading {
            index: index as u32,
            bytes,
            value,
            role: shape.role,
            provenance: shape.provenance,
            seams: self.source.seams(value),
            passed: 0,
            covered: 0..0,
            result: None,
            whole: HashSet::new(),
            stem: None,
        };
        if !self.goes_on(reading.role) {
            self.open = None;
        }
        let source = self.source;
        source.parts(value, &mut |part| self.part(&mut reading, part));
        if reading.role == Role::Other {
            return self.lose(LossCode::UnknownPart, reading.index, "a message of a kind that is not known");
        }
        self.members(&reading);
    }

    /// Whether a turn of the model goes on with, or past, a message of this role.
    fn goes_on(&self, role: Role) -> bool {
        let profile = self.source.profile();
        match role {
            Role::Assistant => matches!(profile.results, Place::BehindTurn | Place::NextTurn | Place::After),
            Role::Other => true,
            Role::System => profile.system_apart,
            _ => false,
        }
    }

    fn part<'d>(&mut self, reading: &mut Reading<'m, 'd>, part: Part<'d>) {
        let link = self.next_link;
        let linked = matches!(part, Part::Call { .. } | Part::Result { .. } | Part::Approval { .. });
        self.next_link += u32::from(linked);
        if reading.role == Role::Other && !linked {
            return;
        }
        match part {
            Part::Text(text) => self.text(reading, text),
            Part::Reasoning { text, signed, raw } => self.thought(reading, text, signed, raw),
            Part::Call { id, name, arguments, hosted, raw } => {
                self.past_seam(reading, raw);
                if hosted || self.source.is_hosted(raw) {
                    let name = name.map_or(Cow::Borrowed(""), |name| self.source.tool_name(name));
                    let message = format!("the call of {name:?} ran at the provider and stays there, with its result");
                    self.lose(LossCode::HostedCall, reading.index, message);
                    self.places[link as usize] = Fate::Hosted;
                    reading.whole.insert(raw.span().start);
                    reading.covered = raw.span();
                    reading.result = None;
                    return;
                }
                self.call(reading, link, id, name, arguments, raw);
            }
            Part::Result { content, error, raw, .. } => self.result(reading, link, content, error, raw),
            Part::Approval { step, raw, .. } if step != Approval::Use => {
                self.lose(LossCode::Approval, reading.index, "leave for a call, asked or answered, has no counterpart");
                reading.whole.insert(raw.span().start);
            }
            Part::Approval { .. } => {}
            Part::Media { raw, .. } => self.medium(reading, raw),
            Part::Summary(block) => self.summary(reading, block),
            Part::Other(raw) => self.unknown(reading, raw),
        }
    }

    fn unknown(&mut self, reading: &mut Reading<'m, '_>, raw: Value<'_>) {
        reading.whole.insert(raw.span().start);
        self.lose(LossCode::UnknownPart, reading.index, "a part of a kind that is not known");
    }

    // ------------------------------------------------------------------------------------------------------------- turns

    /// The turn that a piece belongs to.
    fn turn(&mut self, reading: &Reading<'m, '_>, role: Role) -> usize {
        let own = |turn: &Turn<'_>| turn.role == role && turn.index == reading.index;
        let last = self.turns.len().checked_sub(1);
        let found = match role {
            Role::Assistant => self.open,
            _ => last.filter(|&last| own(&self.turns[last])),
        };
        if let Some(found) = found {
            return found;
        }
        let provenance = if role == Role::User { reading.provenance } else { Provenance::Plain };
        let injected_by = self.source.injected_by(reading.value).map(|name| reading.json(name));
        let index = reading.index;
        self.turns.push(Turn { role, provenance, injected_by, index, number: 0, pieces: Vec::new() });
        let new = self.turns.len() - 1;
        if role == Role::Assistant {
            self.open = Some(new);
        } else if !matches!(provenance, Provenance::Plain | Provenance::Summary)
            && !self.room.marks.contains(&provenance)
        {
            let message = "where the text came from has no counterpart; it reads as the user's";
            self.lose(LossCode::Provenance, index, message);
        }
        new
    }

    fn push(&mut self, reading: &Reading<'m, '_>, role: Role, piece: Piece<'m>) -> (usize, usize) {
        let turn = self.turn(reading, role);
        self.turns[turn].pieces.push(piece);
        (turn, self.turns[turn].pieces.len() - 1)
    }

    /// A new step of the model is a new turn.
    fn past_seam(&mut self, reading: &mut Reading<'m, '_>, value: Value<'_>) {
        let at = value.span().start;
        while reading.seams.get(reading.passed).is_some_and(|&seam| seam < at) {
            reading.passed += 1;
            self.open = None;
        }
    }

    // ------------------------------------------------------------------------------------------------------------- texts

    fn text(&mut self, reading: &mut Reading<'m, '_>, text: Value<'_>) {
        self.past_seam(reading, text);
        let said = text.text().unwrap_or_default();
        if said.is_empty() {
            return;
        }
        if js_trim(&said).is_empty() && self.target.reader().profile().nothing == Nothing::Blank {
            return self.lose(LossCode::BlankText, reading.index, "a text of white space would be refused");
        }
        if reading.role == Role::System && !self.room.system {
            let message =
                format!("system text is sent apart from {} messages: pass it with the request", self.target.name());
            return self.lose(LossCode::SystemText, reading.index, message);
        }
        let json = match reading.provenance {
            Provenance::Summary => framed(text).unwrap_or_else(|| reading.json(text)),
            _ => reading.json(text),
        };
        // A digest stands for both sides; beside results it is the user who speaks.
        let user = reading.provenance == Provenance::Summary || reading.role == Role::Tool;
        let role = if user { Role::User } else { reading.role };
        self.push(reading, role, Piece::Text(json));
    }

    fn summary(&mut self, reading: &mut Reading<'m, '_>, block: Value<'_>) {
        reading.whole.insert(block.span().start);
        let readable = block.get_str("content").filter(|text| !js_trim(&text.text().unwrap_or_default()).is_empty());
        let Some(text) = readable else {
            return self.lose(LossCode::Summary, reading.index, "only the provider can read this digest");
        };
        if ["signature", "encrypted_content"]
            .iter()
            .any(|key| block.get_str(key).is_some_and(|seal| seal.raw().len() > 2))
        {
            self.lose(LossCode::Signature, reading.index, "the digest's signature stays with its provider");
        }
        let json = framed(text).unwrap_or_else(|| reading.json(text));
        let before = std::mem::replace(&mut reading.provenance, Provenance::Summary);
        self.push(reading, Role::User, Piece::Text(json));
        reading.provenance = before;
        self.open = None;
    }

    fn thought(&mut self, reading: &mut Reading<'m, '_>, text: Option<Value<'_>>, signed: bool, raw: Value<'_>) {
        self.past_seam(reading, raw);
        let seal = seal(raw, reading).filter(|_| signed && self.room.seals);
        let text = text.filter(|text| text.raw().len() > 2).map(|text| whole_thought(raw, text, reading));
        if seal.is_none() && (text.is_none() || !self.room.thoughts) {
            let why = if signed { "is bound to its provider" } else { "without signature would be refused" };
            return self.lose(LossCode::Reasoning, reading.index, format!("reasoning {why}"));
        }
        if signed && seal.is_none() {
            self.lose(LossCode::Signature, reading.index, "the signature of reasoning stays with its provider");
        }
        self.push(reading, Role::Assistant, Piece::Thought(Thought { index: reading.index, text, seal }));
    }

    fn medium(&mut self, reading: &mut Reading<'m, '_>, raw: Value<'_>) {
        let at = raw.span().start;
        let in_result = reading.result.clone().filter(|_| reading.covered.contains(&at));
        match in_result {
            Some((content, turn, piece)) if !content.contains(&at) => {
                let medium = self.carried(reading.index, raw, Spot::Result);
                let answer = self.call_at(turn, piece).and_then(|call| call.answer.as_mut());
                if let (Some(medium), Some(answer)) = (medium, answer) {
                    answer.content.add(medium);
                }
            }
            None if !reading.covered.contains(&at) => {
                self.past_seam(reading, raw);
                let (role, spot) = match reading.role {
                    Role::Assistant => (Role::Assistant, Spot::Model),
                    Role::Tool => (Role::User, Spot::User),
                    role => (role, Spot::User),
                };
                // Documents hold media of their own.
                reading.covered = raw.span();
                reading.result = None;
                if role == Role::System {
                    return self.lose(LossCode::Media, reading.index, "media among system text have no counterpart");
                }
                if let Some(medium) = self.carried(reading.index, raw, spot) {
                    self.push(reading, role, medium);
                }
            }
            _ => {}
        }
    }

    /// A medium that the target has room for.
    fn carried(&mut self, index: u32, raw: Value<'_>, spot: Spot) -> Option<Piece<'m>> {
        let medium = media::read(raw).filter(|medium| (self.room.media)(medium, spot));
        if medium.is_none() {
            let place = match spot {
                Spot::User => "what the user says",
                Spot::Model => "what the model says",
                Spot::Result => "a result",
            };
            let name = self.target.name();
            self.lose(LossCode::Media, index, format!("a medium in {place} has no counterpart in {name}"));
        }
        medium.map(Piece::Media)
    }

    // ------------------------------------------------------------------------------------------------------------- calls

    fn call<'d>(
        &mut self,
        reading: &mut Reading<'m, 'd>,
        link: u32,
        id: Option<Value<'d>>,
        name: Option<Value<'d>>,
        arguments: Option<Value<'d>>,
        raw: Value<'d>,
    ) {
        let id = self.call_id(reading, id);
        let name = self.call_name(reading, name);
        let free = self.source.is_free_form(raw);
        let arguments = self.arguments(reading, arguments, free);
        let (turn, piece) =
            self.push(reading, Role::Assistant, Piece::Call(Call { id, name, arguments, answer: None }));
        self.places[link as usize] = Fate::At(turn, piece);
    }

    fn call_id(&mut self, reading: &mut Reading<'m, '_>, id: Option<Value<'_>>) -> Json<'m> {
        let Some(id) = id.filter(|id| id.kind() == Kind::String && id.raw().len() > 2) else {
            let print = || format!("call_{}", &fingerprint::text(reading.bytes).to_string()[..16]);
            let stem = reading.stem.get_or_insert_with(print).clone();
            return quote(&self.ids.of(&stem)).into();
        };
        let old = id.text_lossy();
        let unique = self.target.reader().profile().unique_ids;
        let long = self.room.longest_id.is_some_and(|most| old.chars().count() > most);
        let why = if !self.room.any_ids && !old.chars().all(is_plain) {
            "has characters that would be refused"
        } else if long {
            "is longer than would be taken"
        } else if unique && !self.given.insert(old.to_string()) {
            "stands for two calls"
        } else {
            return reading.json(id);
        };
        let stem: String = match long {
            true => format!("call_{}", &fingerprint::text(old.as_bytes()).to_string()[..16]),
            false => old.chars().map(|c| if self.room.any_ids || is_plain(c) { c } else { '_' }).collect(),
        };
        let new = self.ids.of(&stem);
        self.lose(LossCode::CallId, reading.index, format!("the id {old:?} {why}; here it is {new:?}"));
        quote(&new).into()
    }

    fn call_name(&mut self, reading: &Reading<'m, '_>, name: Option<Value<'_>>) -> Json<'m> {
        let Some(name) = name.filter(|name| !self.source.tool_name(*name).is_empty()) else {
            self.lose(LossCode::ToolName, reading.index, format!("a call has no name; here it is {UNKNOWN_TOOL}"));
            return quote(UNKNOWN_TOOL).into();
        };
        let plain = self.source.tool_name(name);
        if plain == name.text_lossy() {
            reading.json(name)
        } else {
            quote(&plain).into()
        }
    }

    fn arguments(&mut self, reading: &mut Reading<'m, '_>, arguments: Option<Value<'_>>, free: bool) -> Arguments<'m> {
        let Some(value) = arguments.filter(|value| !value.is_null()) else { return Arguments::Object("{}".into()) };
        reading.whole.insert(value.span().start);
        if value.kind() == Kind::Object {
            return Arguments::Object(reading.json(value));
        }
        let text = value.text_lossy();
        if value.kind() == Kind::String && !free && js_trim(text.as_bytes()).is_empty() {
            return Arguments::Object("{}".into());
        }
        if is_object(&text) {
            return Arguments::Object(Cow::Owned(text.into_owned()));
        }
        if value.kind() == Kind::String && self.room.any_arguments {
            let json = reading.json(value);
            return if free { Arguments::Free(json) } else { Arguments::Text(json) };
        }
        let message = "arguments that are no JSON object were put into one, as input";
        self.lose(LossCode::Arguments, reading.index, message);
        Arguments::Object(under_input(&reading.json(value)).into())
    }

    fn call_at(&mut self, turn: usize, piece: usize) -> Option<&mut Call<'m>> {
        match self.turns.get_mut(turn)?.pieces.get_mut(piece)? {
            Piece::Call(call) => Some(call),
            _ => None,
        }
    }

    fn result<'d>(
        &mut self,
        reading: &mut Reading<'m, 'd>,
        link: u32,
        content: Option<Value<'d>>,
        error: bool,
        raw: Value<'d>,
    ) {
        // What the provider ran has its result inside it.
        let inside = reading.whole.contains(&raw.span().start);
        reading.covered = raw.span();
        reading.result = None;
        let place = self.call_of[link as usize].map_or(Fate::Nowhere, |call| self.places[call as usize]);
        let (turn, piece) = match place {
            Fate::At(turn, piece) => (turn, piece),
            Fate::Hosted => {
                reading.whole.insert(raw.span().start);
                return;
            }
            Fate::Nowhere => {
                reading.whole.insert(raw.span().start);
                if !inside {
                    self.lose(LossCode::OrphanResult, reading.index, "the call of a result is not among the messages");
                }
                return;
            }
        };
        if error && !self.room.errors {
            self.lose(LossCode::ErrorFlag, reading.index, "that the tool failed has no counterpart");
        }
        let span = content.map_or(0..0, Value::span);
        let silent = content.is_none_or(|content| content.is_null() || content.raw() == b"\"\"");
        if error && self.room.text_errors {
            self.failed.push((turn, piece, reading.index));
        }
        let content = match error && silent {
            true => Content::Text(quote(FAILED).into()),
            false => self.content(reading, content),
        };
        reading.result = Some((span, turn, piece));
        self.answer(turn, piece, content, error, link);
    }

    fn answer(&mut self, turn: usize, piece: usize, content: Content<'m>, error: bool, order: u32) {
        if let Some(call) = self.call_at(turn, piece) {
            let (id, name) = (call.id.clone(), call.name.clone());
            let free = matches!(call.arguments, Arguments::Free(_));
            call.answer = Some(Answer { id, name, free, content, error, order });
        }
    }

    fn content(&mut self, reading: &mut Reading<'m, '_>, content: Option<Value<'_>>) -> Content<'m> {
        let Some(content) = content.filter(|content| !content.is_null()) else { return Content::Text(r#""""#.into()) };
        let content = self.source.unwrapped(content);
        let is_block = |block: Value<'_>| block_text(block).is_some() || media::is_media(block);
        match content.kind() {
            Kind::String => return Content::Text(reading.json(content)),
            Kind::Object if media::is_media(content) && media::read(content).is_some() => {
                return Content::Pieces(self.carried(reading.index, content, Spot::Result).into_iter().collect());
            }
            Kind::Array if content.items().any(is_block) => {}
            _ => {
                reading.whole.insert(content.span().start);
                return Content::Value(reading.json(content));
            }
        }
        let mut pieces = Vec::new();
        for block in content.items() {
            match block_text(block) {
                Some(text) => pieces.push(Piece::Text(reading.json(text))),
                None if media::is_media(block) => pieces.extend(self.carried(reading.index, block, Spot::Result)),
                None => self.unknown(reading, block),
            }
        }
        match pieces.pop() {
            Some(Piece::Text(text)) if pieces.is_empty() => Content::Text(text),
            last => Content::Pieces(pieces.into_iter().chain(last).collect()),
        }
    }

    /// The turns, and what has no place in them. Calls whose leave was denied say so.
    pub fn end(mut self) -> (Vec<Turn<'m>>, Vec<Loss>) {
        for (turn, piece, index) in std::mem::take(&mut self.failed) {
            let answer = self.call_at(turn, piece).and_then(|call| call.answer.as_mut());
            let Some(answer) = answer.filter(|answer| answer.content.has_media()) else { continue };
            answer.error = false;
            self.lose(LossCode::ErrorFlag, index, "that the tool failed cannot be said of a result with media");
        }
        for (link, of) in self.outline.links.iter().enumerate() {
            let Fate::At(turn, piece) = self.places[link] else { continue };
            let answered = self.call_at(turn, piece).is_none_or(|call| call.answer.is_some());
            if of.kind == LinkKind::Call && !answered && !self.waits.contains(&(link as u32)) {
                self.answer(turn, piece, Content::Text(quote(DENIED).into()), self.room.errors, link as u32);
            }
        }
        (self.turns, self.losses)
    }

    // ----------------------------------------------------------------------------------------------------------- members

    /// Members that the walk did not carry over, by name, in one loss.
    fn members(&mut self, reading: &Reading<'m, '_>) {
        let mut left = HashSet::new();
        let known = self.source.room().members;
        if !reading.whole.contains(&reading.value.span().start) {
            leftovers(reading.value, known, &reading.whole, &mut left);
        }
        left.extend(speaker_name(reading));
        if left.remove("approval") {
            self.lose(LossCode::Approval, reading.index, "leave for a call, asked or answered, has no counterpart");
        }
        // Both spellings first: one loss for both.
        let signed = [left.remove("thoughtSignature"), left.remove("thought_signature")];
        if signed.contains(&true) {
            self.lose(LossCode::Signature, reading.index, "a signature stays with its provider");
        }
        if !left.is_empty() {
            let mut names: Vec<String> = left.into_iter().collect();
            names.sort_unstable();
            self.lose(LossCode::Field, reading.index, format!("without counterpart: {}", names.join(", ")));
        }
    }
}

/// The name of a speaker, told from that of a tool by what is beside it.
fn speaker_name(reading: &Reading<'_, '_>) -> Option<String> {
    let holders =
        || [Some(reading.value), reading.value.get("data"), reading.value.get("kwargs")].into_iter().flatten();
    let named = |holder: Value<'_>| holder.get("content").is_some() && holder.get_str("name").is_some();
    (reading.role != Role::Tool && holders().any(named)).then(|| "name".to_string())
}

/// Names of members that are neither known nor empty, inside known ones as well.
fn leftovers(value: Value<'_>, known: &[&str], whole: &HashSet<usize>, left: &mut HashSet<String>) {
    // By hand: messages may be nested deeper than a stack is.
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        open.extend(value.items().filter(|item| !whole.contains(&item.span().start)));
        for (key, member) in value.entries() {
            if key.is_any(known) || key.is_any(&media::MEMBERS) {
                let inner = matches!(member.kind(), Kind::Object | Kind::Array);
                open.extend(Some(member).filter(|_| inner && !whole.contains(&member.span().start)));
            } else if says_something(member) {
                left.insert(key.text_lossy().into_owned());
            }
        }
    }
}

fn says_something(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Null => false,
        Kind::Array => value.items().next().is_some(),
        Kind::Object => value.entries().next().is_some(),
        _ => true,
    }
}

/// The text of a block of text, in any format.
fn block_text(block: Value<'_>) -> Option<Value<'_>> {
    let kind = block.get("type")?;
    kind.is_any(&["text", "input_text", "output_text"]).then(|| block.get_str("text")).flatten()
}

/// A digest that has no frame yet, in one: its reader must not take it for the user's words.
fn framed<'m>(text: Value<'_>) -> Option<Json<'m>> {
    let text = text.text_lossy();
    let has_frame = text.trim_start().starts_with("<compaction-summary");
    let framed = if has_frame { None } else { digest::frame(&text, false).ok() };
    framed.map(|framed| quote(&framed).into())
}

/// Whether a text is a JSON object.
pub(crate) fn is_object(text: &str) -> bool {
    Tape::new().parse(text.as_bytes()).is_ok_and(|value| value.kind() == Kind::Object)
}

/// Arguments that are no object, in one.
pub(crate) fn under_input(json: &str) -> String {
    format!(r#"{{"input":{json}}}"#)
}

/// Whether ids of calls may hold the character everywhere.
pub(crate) fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Summaries of reasoning come in several pieces; parts report the first.
fn whole_thought<'m>(raw: Value<'_>, text: Value<'_>, reading: &Reading<'m, '_>) -> Json<'m> {
    let texts: Vec<Json<'m>> = raw
        .get("summary")
        .into_iter()
        .flat_map(Value::items)
        .filter_map(|block| block.get_str("text"))
        .map(|text| reading.json(text))
        .collect();
    if texts.len() < 2 {
        return reading.json(text);
    }
    let inner: Vec<&str> = texts.iter().map(|text| &text[1..text.len() - 1]).collect();
    format!("\"{}\"", inner.join("\\n\\n")).into()
}

/// What Anthropic wants back with reasoning, in its own blocks or as the AI SDK keeps it.
fn seal<'m>(raw: Value<'_>, reading: &Reading<'m, '_>) -> Option<Seal<'m>> {
    fn full<'d>(holder: Value<'d>, key: &str) -> Option<Value<'d>> {
        holder.get_str(key).filter(|text| text.raw().len() > 2)
    }
    let options = raw.get("providerOptions").or_else(|| raw.get("providerMetadata"));
    let anthropic = options.and_then(|options| options.get("anthropic"));
    let is = |name: &str| raw.get("type").is_some_and(|kind| kind.is_str(name));
    let (signature, redacted) = if let Some(anthropic) = anthropic {
        (full(anthropic, "signature"), full(anthropic, "redactedData"))
    } else if is("thinking") {
        (full(raw, "signature"), None)
    } else if is("redacted_thinking") {
        (None, full(raw, "data"))
    } else {
        (None, None)
    };
    let signature = signature.map(|text| Seal::Signature(reading.json(text)));
    signature.or_else(|| redacted.map(|data| Seal::Redacted(reading.json(data))))
}
