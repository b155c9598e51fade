//! What there is to reduce in a transcript: results with the calls that they answer, media, reasoning. Read once.

use super::ReduceOptions;
use crate::clip::texts_of;
use crate::error::Result;
use crate::fingerprint::{self, Fingerprint};
use crate::formats::MessageFormat;
use crate::json::{Kind, Tape, Value};
use crate::message::{Part, Provenance, Role};
use crate::outline::{object, LinkKind, Outline};
use crate::pairing::Pairing;
use crate::plan::turn_start;
use crate::profile::{OldReasoning, Place};
use crate::text::js_trim;
use crate::tokens;
use crate::tools::{Meaning, Tools};
use memchr::memmem;
use std::collections::{HashMap, HashSet};

/// How a note begins that stands for something left out, and how it ends.
pub(super) const NOTE: (&str, &str) = ("[…", "…]");

/// What every note says.
const LEFT_OUT: &str = "left out";

/// A note that takes the place of something; what must be there, in words.
pub(super) fn note(what: &str) -> String {
    format!("{}{what}{}", NOTE.0, NOTE.1)
}

/// A result of a tool.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) message: u32,
    /// Index of the part, as the format reports them.
    pub(super) part: u32,
    /// Id of the call.
    pub(super) id: Option<String>,
    pub(super) tool: String,
    pub(super) meaning: Meaning,
    /// Tool and arguments of the call.
    pub(super) call: Fingerprint,
    pub(super) content: Fingerprint,
    /// The tool failed.
    pub(super) error: bool,
    /// It failed, or seems to say so.
    pub(super) failed: bool,
    /// Bytes of its content, as JSON.
    pub(super) bytes: usize,
    /// Bytes of its longest text that can be cut.
    pub(super) longest: usize,
    /// Tokens by its bytes alone: what else is in its message must not move what is protected.
    pub(super) tokens: u64,
    /// It is a note already.
    pub(super) is_note: bool,
    /// Something in it was left out or cut.
    pub(super) marked: bool,
    /// It must stay as it is.
    pub(super) frozen: bool,
    /// A step of this run replaced it, with what was in it.
    pub(super) replaced: bool,
    /// A step of this run replaced or cut it.
    pub(super) settled: bool,
}

impl Output {
    /// Whether a step may change it.
    pub(super) fn is_open(&self) -> bool {
        !self.frozen && !self.is_note && !self.settled
    }
}

/// An image, a document, a sound.
#[derive(Debug, Clone)]
pub(super) struct Medium {
    pub(super) message: u32,
    pub(super) part: u32,
    /// The result that it is in, as an index into [`Scene::outputs`].
    pub(super) output: Option<u32>,
    /// What it was, for the note.
    pub(super) words: String,
    pub(super) frozen: bool,
}

/// A part that is reasoning and may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thought {
    pub(super) message: u32,
    pub(super) part: u32,
    pub(super) bytes: usize,
}

/// All of it, in the order of the messages.
pub(super) struct Scene {
    pub(super) outputs: Vec<Output>,
    pub(super) media: Vec<Medium>,
    pub(super) thoughts: Vec<Thought>,
    /// What was sent before the latest answer, and is in a provider's cache if anything is.
    pub(super) until: usize,
}

/// A call, as far as results need it.
struct Call {
    message: u32,
    tool: String,
    meaning: Meaning,
    print: Fingerprint,
    hosted: bool,
}

/// A part by what it is linked by.
enum Linked {
    Call(Call),
    Output(Box<Output>),
    Other,
}

impl Scene {
    pub(super) fn read<T: AsRef<[u8]>>(messages: &[T], outline: &Outline, options: &ReduceOptions) -> Result<Scene> {
        let pairing = Pairing::of(outline);
        let last_answer = outline.shapes.iter().rposition(|shape| shape.role == Role::Assistant).unwrap_or(0);
        let mut reader = Reader {
            outline,
            reader: outline.format.reader(),
            tools: Tools::new(&options.tools),
            fence: Fence::new(outline, options, last_answer),
            linked: Vec::with_capacity(outline.links.len()),
            scene: Scene { outputs: Vec::new(), media: Vec::new(), thoughts: Vec::new(), until: last_answer },
        };
        let mut tape = Tape::new();
        for (index, text) in messages.iter().enumerate() {
            reader.message(index, object(&mut tape, text.as_ref(), index)?);
        }
        let bound = bound_runs(messages, outline);
        Ok(reader.finish(&pairing, &bound))
    }
}

/// Where the elements of arrays begin, by where the array does: each is walked once.
#[derive(Default)]
struct Lists(HashMap<usize, HashSet<usize>>);

impl Lists {
    /// Whether a value is an element of an array, and not deeper in it.
    fn hold(&mut self, list: Value<'_>, item: Value<'_>) -> bool {
        let starts = || list.items().map(|item| item.span().start).collect();
        list.kind() == Kind::Array
            && self.0.entry(list.span().start).or_insert_with(starts).contains(&item.span().start)
    }
}

struct Reader<'r> {
    outline: &'r Outline,
    reader: &'static dyn MessageFormat,
    tools: Tools<'r>,
    fence: Fence,
    /// By link; media refer to results by link until all are read.
    linked: Vec<Linked>,
    scene: Scene,
}

impl Reader<'_> {
    fn message(&mut self, index: usize, message: Value<'_>) {
        let shape = &self.outline.shapes[index];
        let list = self.reader.list(message);
        let mut lists = Lists::default();
        let mut thoughts: Vec<Thought> = Vec::new();
        let mut says = false;
        let mut part = 0;
        let mut content: Option<(u32, Value<'_>)> = None;
        self.reader.parts(message, &mut |of| {
            match of {
                Part::Call { name, arguments, raw, .. } => {
                    says = true;
                    self.call(index, name, arguments, raw);
                }
                Part::Result { name, content: said, error, raw, .. } => {
                    says = true;
                    content = said.map(|said| (self.linked.len() as u32, said));
                    self.output(index, part, name, said, error, raw);
                }
                Part::Approval { .. } => {
                    says = true;
                    self.linked.push(Linked::Other);
                }
                Part::Reasoning { raw, .. } => {
                    thoughts.push(Thought { message: index as u32, part, bytes: raw.raw().len() });
                    says |= raw.span() == message.span();
                }
                // A document of text is what it says, and not a file.
                Part::Media { raw, .. } if tokens::is_text(raw) => says = true,
                Part::Media { data, raw } => {
                    says = true;
                    let inside = content.filter(|(_, said)| lists.hold(*said, raw)).map(|(link, _)| link);
                    let said = shape.role == Role::User && list.is_some_and(|list| lists.hold(list, raw));
                    if let Some(Linked::Output(output)) = inside.map(|link| &mut self.linked[link as usize]) {
                        // Data inlined is no text.
                        let inlined = tokens::conservative::of_bytes(data.map_or(0, |data| data.raw().len()));
                        output.tokens = output.tokens.saturating_sub(inlined) + tokens::conservative::MEDIA;
                    }
                    if inside.is_some() || said {
                        self.scene.media.push(Medium {
                            message: index as u32,
                            part,
                            output: inside,
                            words: described(data, raw),
                            frozen: self.fence.holds_message(index),
                        });
                    }
                }
                Part::Text(text) => says |= !js_trim(&text.text().unwrap_or_default()).is_empty(),
                Part::Summary(_) | Part::Other(_) => says = true,
            }
            part += 1;
        });
        if says && index < self.fence.turn && !self.fence.holds_message(index) {
            self.scene.thoughts.append(&mut thoughts);
        }
    }

    fn call(&mut self, index: usize, name: Option<Value<'_>>, arguments: Option<Value<'_>>, raw: Value<'_>) {
        let tool = name.map_or_else(String::new, |name| self.reader.tool_name(name).into_owned());
        let said = [tool.as_bytes(), b"\0", arguments.map_or(&b""[..], Value::raw)].concat();
        let kind = self.outline.links[self.linked.len()].kind;
        self.linked.push(Linked::Call(Call {
            message: index as u32,
            meaning: self.tools.meaning(&tool, arguments),
            print: fingerprint::text(&said),
            tool,
            hosted: kind == LinkKind::HostedCall || self.reader.is_hosted(raw),
        }));
    }

    fn output(
        &mut self,
        index: usize,
        part: u32,
        name: Option<Value<'_>>,
        content: Option<Value<'_>>,
        error: bool,
        raw: Value<'_>,
    ) {
        let shape = &self.outline.shapes[index];
        let link = &self.outline.links[self.linked.len()];
        let provider_ran = shape.role == Role::Assistant && self.reader.profile().results != Place::Inside;
        let writable = content.is_some_and(|content| self.reader.said(raw, content, "").is_some());
        let frozen =
            provider_ran || !writable || self.linked.len() >= self.fence.link || self.fence.holds_message(index);
        let said = content.map_or(&b""[..], Value::raw);
        let texts = || content.filter(|_| !frozen).into_iter().flat_map(texts_of);
        let is_note = content.is_some_and(|content| is_note(self.reader, content));
        let output = Output {
            message: index as u32,
            part,
            id: link.has_id.then(|| self.outline.ids.text(link.id)),
            tool: name.map_or_else(String::new, |name| self.reader.tool_name(name).into_owned()),
            meaning: Meaning::default(),
            call: fingerprint::text(b""),
            content: fingerprint::text(said),
            error,
            failed: error || tells_failure(said),
            bytes: said.len(),
            longest: texts().filter_map(|text| Some(text.text()?.len())).max().unwrap_or(0),
            tokens: tokens::conservative::of_bytes(said.len()),
            is_note,
            marked: is_marked(said),
            frozen,
            replaced: false,
            settled: false,
        };
        self.linked.push(Linked::Output(Box::new(output)));
    }

    fn finish(self, pairing: &Pairing, bound: &[bool]) -> Scene {
        let Reader { mut scene, linked, fence, .. } = self;
        let mut answers: Vec<Option<u32>> = vec![None; linked.len()];
        for pair in &pairing.pairs {
            answers[pair.result_link as usize] = Some(pair.call_link);
        }
        let mut places: Vec<Option<u32>> = vec![None; linked.len()];
        for (link, of) in linked.iter().enumerate() {
            let Linked::Output(output) = of else { continue };
            let mut output = output.as_ref().clone();
            let call = answers[link].and_then(|call| match &linked[call as usize] {
                Linked::Call(call) => Some(call),
                _ => None,
            });
            match call {
                Some(call) => {
                    output.frozen |= call.hosted || fence.pins[call.message as usize];
                    (output.tool, output.meaning, output.call) = (call.tool.clone(), call.meaning.clone(), call.print);
                }
                // What answers nothing is repair's to mend.
                None => output.frozen = true,
            }
            places[link] = Some(scene.outputs.len() as u32);
            scene.outputs.push(output);
        }
        for medium in &mut scene.media {
            medium.output = medium.output.and_then(|link| places[link as usize]);
            medium.frozen |= medium.output.is_some_and(|output| scene.outputs[output as usize].frozen);
        }
        scene.thoughts.retain(|thought| !bound[thought.message as usize]);
        scene
    }
}

/// What must stay as it is.
struct Fence {
    /// Messages from here on.
    from: usize,
    /// Links from here on: those of the newest batch.
    link: usize,
    /// Messages before this one.
    start: usize,
    /// By message: pinned, or standing wherever it is.
    pins: Vec<bool>,
    /// The user's latest request: reasoning from there on belongs to the turn that is under way.
    turn: usize,
}

/// The request that opened the turn that is under way. What the user says behind results, with nothing of the model's in between,
/// is of one turn with them: the loop of tools goes on, and the reasoning that led to it is wanted.
fn latest_turn(outline: &Outline) -> usize {
    let (mut turn, mut results) = (0, false);
    for (index, shape) in outline.shapes.iter().enumerate() {
        match shape.role {
            Role::Assistant => results = false,
            _ if shape.has_results => results = true,
            _ if shape.is_request() && !results => turn = index,
            _ => {}
        }
    }
    turn
}

/// Words by which tools say that they did not do what they were told to, where the format has no mark for it.
const FAILURES: [&str; 16] = [
    "error",
    "fail",
    "denied",
    "not found",
    "no such",
    "refus",
    "reject",
    "abort",
    "cancel",
    "invalid",
    "cannot",
    "unable",
    "timed out",
    "timeout",
    "did not",
    "conflict",
];

/// Whether a result seems to tell of a failure. That it does in vain costs what a reduction would have gained, and no more.
fn tells_failure(said: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&said[..said.len().min(400)]).to_lowercase();
    FAILURES.iter().any(|word| start.contains(word))
}

impl Fence {
    fn new(outline: &Outline, options: &ReduceOptions, last_answer: usize) -> Fence {
        let stays = |provenance| !matches!(provenance, Provenance::Plain | Provenance::Steer | Provenance::Injected);
        let mut pins: Vec<bool> = outline.shapes.iter().map(|shape| stays(shape.provenance)).collect();
        for &index in &options.pinned {
            if let Some(pin) = pins.get_mut(index as usize) {
                *pin = true;
            }
        }
        let turns = match options.keep_turns {
            0 => outline.len(),
            turns => turn_start(outline, turns).unwrap_or(0),
        };
        let mut left = options.tail_budget;
        let fits = outline.shapes.iter().rev().take_while(|shape| {
            left -= shape.tokens as f64;
            left >= 0.0
        });
        let tail = outline.len() - fits.count();
        Fence {
            from: (last_answer + 1).min(turns).min(tail),
            link: newest_batch(outline),
            start: options.start,
            pins,
            turn: latest_turn(outline),
        }
    }

    fn holds_message(&self, message: usize) -> bool {
        message >= self.from || message < self.start || self.pins[message]
    }
}

/// The first link of the newest batch of calls: what the model has just asked for stays.
fn newest_batch(outline: &Outline) -> usize {
    let links = &outline.links;
    let Some(last) = links.iter().rposition(|link| link.is_call()) else { return 0 };
    if outline.format.reader().profile().results == Place::Inside {
        return last;
    }
    let before = links[..last].iter().rposition(|link| !link.is_call());
    before.map_or(0, |before| before + 1)
}

/// Whether a content is nothing but a note of ours.
fn is_note(reader: &dyn MessageFormat, content: Value<'_>) -> bool {
    let content = reader.unwrapped(content);
    let mut items = content.items();
    let only = match (items.next(), items.next()) {
        (Some(only), None) => only.get_str("text").or_else(|| only.get_str("stdout")).unwrap_or(content),
        _ => content,
    };
    only.kind() == Kind::String && {
        let text = only.text_lossy();
        text.starts_with(NOTE.0) && text.ends_with(NOTE.1) && text.contains(LEFT_OUT)
    }
}

/// Whether something in a JSON text has been cut: what looks the same then need not have been the same.
fn is_marked(json: &[u8]) -> bool {
    // The character of the mark, as it is and as programs write it that keep to ASCII.
    ["[…", "[\\u2026"].iter().any(|mark| memmem::find(json, mark.as_bytes()).is_some())
}

/// What an image or a file was.
fn described(data: Option<Value<'_>>, raw: Value<'_>) -> String {
    let is_type =
        |text: &str| ["image/", "audio/", "video/", "application/", "text/"].iter().any(|t| text.starts_with(t));
    let short = |value: &Value<'_>| value.kind() == Kind::String && value.raw().len() < 80;
    let named = raw.walk().filter(short).map(|value| value.text_lossy().into_owned()).find(|text| is_type(text));
    let inline = || {
        let head = data?.raw().strip_prefix(b"\"data:")?;
        let end = memchr::memchr2(b';', b',', &head[..head.len().min(80)])?;
        Some(String::from_utf8_lossy(&head[..end]).into_owned()).filter(|text| is_type(text))
    };
    let kind = named.or_else(inline);
    // Four characters of base64 are three bytes; an address of data says in front of them what they are.
    let inlined = |data: Value<'_>| {
        let text = &data.raw()[1..data.raw().len() - 1];
        let head = memchr::memchr(b',', &text[..text.len().min(80)]).filter(|_| text.starts_with(b"data:"));
        text.len() - head.map_or(0, |comma| comma + 1)
    };
    let size = data.map(|data| format!("{} bytes", inlined(data) / 4 * 3));
    let what = if kind.as_deref().is_some_and(|kind| !kind.starts_with("image/")) { "a file" } else { "an image" };
    let details: Vec<String> = kind.into_iter().chain(size).collect();
    match details.is_empty() {
        true => format!("{what} {LEFT_OUT}"),
        false => format!("{what} ({}) {LEFT_OUT}", details.join(", ")),
    }
}

/// By message: it belongs to a run of the model's messages in which an item id binds the reasoning to what came of it.
fn bound_runs<T: AsRef<[u8]>>(messages: &[T], outline: &Outline) -> Vec<bool> {
    let reader = outline.format.reader();
    let mut bound = vec![false; messages.len()];
    if reader.profile().old_reasoning == OldReasoning::Droppable {
        return bound;
    }
    let mut tape = Tape::new();
    let mut start = 0;
    for run in outline.shapes.chunk_by(|a, b| a.role == b.role) {
        let range = start..start + run.len();
        start = range.end;
        if run[0].role != Role::Assistant {
            continue;
        }
        let mut binds = |index: usize| {
            let text = messages[index].as_ref();
            // Item ids of OpenAI's, as the frameworks carry them.
            if reader.profile().results != Place::After {
                return ["\"itemId\"", "\"rs_"].iter().any(|id| memmem::find(text, id.as_bytes()).is_some());
            }
            !outline.shapes[index].only_reasoning
                && tape.parse(text).is_ok_and(|message| reader.item_id(message).is_some())
        };
        let any = range.clone().any(&mut binds);
        bound[range].fill(any);
    }
    bound
}
