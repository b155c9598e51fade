//! A conversation between formats: whose turn it is, and what is said in it. JSON is kept as it was written wherever it can
//! be, so that numbers and strings keep their spelling.

use super::media::Media;
use crate::json::quote;
use crate::message::{Provenance, Role};
use std::borrow::Cow;

/// JSON text, mostly a slice of the source.
pub type Json<'m> = Cow<'m, str>;

/// Somebody's turn. [`Role::Tool`] holds answers alone, [`Role::Assistant`] everything that the model does.
#[derive(Debug, Clone)]
pub struct Turn<'m> {
    /// Who speaks.
    pub role: Role,
    /// Where it came from.
    pub provenance: Provenance,
    /// What injected it, as a JSON string, where the source says so.
    pub injected_by: Option<Json<'m>>,
    /// The first message of the source that it was read from.
    pub index: u32,
    /// Its place among the turns that are written.
    pub number: usize,
    /// What is said.
    pub pieces: Vec<Piece<'m>>,
}

/// Something that is said in a turn.
#[derive(Debug, Clone)]
pub enum Piece<'m> {
    /// Text, as a JSON string.
    Text(Json<'m>),
    /// Reasoning of the model.
    Thought(Thought<'m>),
    /// An image, a document, a sound.
    Media(Media<'m>),
    /// The model calls a tool.
    Call(Call<'m>),
    /// The tool answers.
    Answer(Answer<'m>),
}

/// Reasoning; it has a text or a seal.
#[derive(Debug, Clone)]
pub struct Thought<'m> {
    /// The message of the source.
    pub index: u32,
    /// What can be read of it, as a JSON string.
    pub text: Option<Json<'m>>,
    /// What its provider wants back with it.
    pub seal: Option<Seal<'m>>,
}

/// What Anthropic wants back with its model's reasoning, as a JSON string. Several formats carry it.
#[derive(Debug, Clone)]
pub enum Seal<'m> {
    /// The signature of a text.
    Signature(Json<'m>),
    /// Reasoning that only the provider can read.
    Redacted(Json<'m>),
}

/// A call.
#[derive(Debug, Clone)]
pub struct Call<'m> {
    /// Its id, as a JSON string.
    pub id: Json<'m>,
    /// Name of the tool, as a JSON string.
    pub name: Json<'m>,
    /// What the tool gets.
    pub arguments: Arguments<'m>,
    /// Its answer, in formats that keep it with the call.
    pub answer: Option<Answer<'m>>,
}

/// What a tool gets.
#[derive(Debug, Clone)]
pub enum Arguments<'m> {
    /// A JSON object.
    Object(Json<'m>),
    /// A JSON string that holds no object, in formats whose arguments are text.
    Text(Json<'m>),
    /// The same, for a tool that takes any text.
    Free(Json<'m>),
}

/// What a tool gave.
#[derive(Debug, Clone)]
pub struct Answer<'m> {
    /// Id of the call, as a JSON string.
    pub id: Json<'m>,
    /// Name of the tool, as a JSON string.
    pub name: Json<'m>,
    /// The call's arguments were any text.
    pub free: bool,
    /// What it said.
    pub content: Content<'m>,
    /// The tool failed.
    pub error: bool,
    /// Answers of one turn keep this order.
    pub order: u32,
}

/// What a tool said.
#[derive(Debug, Clone)]
pub enum Content<'m> {
    /// Text, as a JSON string.
    Text(Json<'m>),
    /// Texts and media.
    Pieces(Vec<Piece<'m>>),
    /// Any other JSON value.
    Value(Json<'m>),
}

impl Arguments<'_> {
    /// As a JSON object.
    pub fn object(&self) -> &str {
        match self {
            Arguments::Object(object) => object,
            // Formats that have no room for these were given an object.
            Arguments::Text(_) | Arguments::Free(_) => "{}",
        }
    }

    /// As a JSON string that holds JSON text, or any text.
    pub fn string(&self) -> String {
        match self {
            Arguments::Object(object) => quote(object),
            Arguments::Text(text) | Arguments::Free(text) => text.to_string(),
        }
    }
}

impl<'m> Content<'m> {
    /// Puts a piece behind what there is.
    pub fn add(&mut self, piece: Piece<'m>) {
        match self {
            Content::Pieces(pieces) => pieces.push(piece),
            other => *other = Content::Pieces(vec![Piece::Text(other.text().into()), piece]),
        }
    }

    /// The texts in it as one JSON string; any other value as its JSON text.
    pub fn text(&self) -> String {
        match self {
            Content::Text(text) => text.to_string(),
            Content::Pieces(pieces) => joined(pieces),
            Content::Value(value) => quote(value),
        }
    }

    /// A JSON string, or where there are several pieces the array of what `piece` makes of them.
    pub fn text_or_list(&self, piece: &dyn Fn(&Piece<'_>) -> String) -> String {
        match self {
            // What is left of a result that was an image alone: providers refuse an empty list.
            Content::Pieces(pieces) if pieces.is_empty() => quote(""),
            Content::Pieces(pieces) => list(pieces.iter().map(piece)),
            _ => self.text(),
        }
    }

    /// Whether there is more than text in it.
    pub fn has_media(&self) -> bool {
        matches!(self, Content::Pieces(pieces) if pieces.iter().any(|piece| matches!(piece, Piece::Media(_))))
    }

    /// An array of what `piece` makes of texts and media.
    pub fn list(&self, piece: &dyn Fn(&Piece<'_>) -> String) -> String {
        match self {
            Content::Pieces(pieces) => list(pieces.iter().map(piece)),
            _ => list(std::iter::once(piece(&Piece::Text(self.text().into())))),
        }
    }
}

impl<'m> Turn<'m> {
    /// Its answers.
    pub fn answers(&self) -> impl Iterator<Item = &Answer<'m>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Answer(answer) => Some(answer),
            _ => None,
        })
    }

    /// Its calls.
    pub fn calls(&self) -> impl Iterator<Item = &Call<'m>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Its reasoning.
    pub fn thoughts(&self) -> impl Iterator<Item = &Thought<'m>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Thought(thought) => Some(thought),
            _ => None,
        })
    }

    /// Texts and media.
    pub fn said(&self) -> Vec<&Piece<'m>> {
        self.pieces.iter().filter(|piece| matches!(piece, Piece::Text(_) | Piece::Media(_))).collect()
    }

    /// A JSON string where one text is all that is said, `empty` where nothing is; else the array of what `piece` makes of
    /// texts and media.
    pub fn said_as(&self, empty: &str, piece: &dyn Fn(&Piece<'m>) -> String) -> String {
        match self.said()[..] {
            [] => empty.into(),
            [Piece::Text(text)] => text.to_string(),
            ref pieces => list(pieces.iter().map(|said| piece(said))),
        }
    }

    /// All its texts as one JSON string.
    pub fn text(&self) -> String {
        joined(&self.pieces)
    }
}

/// Texts as one JSON string, each on lines of its own.
fn joined(pieces: &[Piece<'_>]) -> String {
    let inner = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => text.get(1..text.len() - 1).map(str::to_string),
        _ => None,
    };
    format!("\"{}\"", pieces.iter().filter_map(inner).collect::<Vec<_>>().join("\\n"))
}

/// A JSON array.
pub fn list<'i>(items: impl Iterator<Item = String> + 'i) -> String {
    written(&mut { items }, '[', ']')
}

/// A JSON object; members without value are left out.
pub fn record(members: &[(&str, Option<String>)]) -> String {
    let member = |(key, value): &(&str, Option<String>)| value.as_ref().map(|value| format!("\"{key}\":{value}"));
    written(&mut members.iter().filter_map(member), '{', '}')
}

/// Behind one pointer, so that the module holds it once and not for each kind of iterator.
fn written(items: &mut dyn Iterator<Item = String>, open: char, close: char) -> String {
    let mut out = String::from(open);
    for item in items {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(close);
    out
}
