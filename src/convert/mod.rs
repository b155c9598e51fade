//! Messages of one format as messages of another.
//!
//! The source is read through the parts that its format reports, into turns that belong to no format ([`turn`]); each target
//! writes turns by itself ([`crate::formats::MessageFormat::write`]) and says what it has room for ([`Room`]). What it has no
//! room for never reaches it, and is a [`Loss`]. Results are looked up by their calls, so that they can stand wherever the
//! target wants them ([`layout`]).

pub mod file;
mod layout;
pub mod media;
pub mod turn;
mod walk;

pub(crate) use walk::{is_object, is_plain, under_input};

use crate::error::Result;
use crate::formats::Format;
use crate::message::Provenance;
use crate::outline::{Outline, Reading};
use crate::pairing::Pairing;
use media::{Media, Spot};
use serde::Serialize;

/// What could not be carried over. The kebab-case form is part of the API and never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum LossCode {
    /// System text, where it is sent apart from the messages.
    SystemText,
    /// Reasoning that the target's provider would refuse, or that led to nothing that is left.
    Reasoning,
    /// A signature that binds reasoning, or a call, to its provider; what it signs was carried over.
    Signature,
    /// A call that the provider ran itself, and its result.
    HostedCall,
    /// A step of asking leave for a call.
    Approval,
    /// An image, a document or a sound.
    Media,
    /// Members of a message that have no counterpart. Ids of messages and items themselves are not counted.
    Field,
    /// A digest that only the provider can read.
    Summary,
    /// A part, or a whole message, of a kind that is not known.
    UnknownPart,
    /// A call without a name; it was written under another one.
    ToolName,
    /// An id that the target's provider would refuse, for its characters or because it stands for several calls; it was
    /// changed.
    CallId,
    /// Arguments that are no JSON object, where the target takes objects alone; they were put into one, as `input`.
    Arguments,
    /// That a tool failed; what it said was carried over.
    ErrorFlag,
    /// A result whose call is not among the messages.
    OrphanResult,
    /// That text was injected by a program, or is the project's; it reads as the user's.
    Provenance,
    /// A text of white space.
    BlankText,
}

/// Something that could not be carried over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct Loss {
    /// What.
    pub code: LossCode,
    /// Index of the source's message.
    pub index: u32,
    /// The sentence.
    pub message: String,
}

/// Converted messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// The messages, as JSON texts.
    pub messages: Vec<String>,
    /// What could not be carried over, by message.
    pub losses: Vec<Loss>,
}

/// What messages of a format have room for.
pub struct Room {
    /// System text among the messages.
    pub system: bool,
    /// Reasoning without a signature.
    pub thoughts: bool,
    /// Anthropic's signatures of reasoning.
    pub seals: bool,
    /// Which media, and where.
    pub media: fn(&Media<'_>, Spot) -> bool,
    /// That a tool failed.
    pub errors: bool,
    /// Arguments that are no JSON object.
    pub any_arguments: bool,
    /// Ids of any characters; letters, digits, `_` and `-` alone where not.
    pub any_ids: bool,
    /// Characters that an id of a call may have at the most.
    pub longest_id: Option<usize>,
    /// A result that says that the tool failed holds text alone.
    pub text_errors: bool,
    /// Where a message came from.
    pub marks: &'static [Provenance],
    /// Members that a conversion from this format carries over, or that are nothing but form.
    pub members: &'static [&'static str],
}

/// Converts messages. Texts, media, calls and results keep what they say and, in JSON, how it is written; calls without id get
/// one that is the same in every run. Where the target's provider wants the user to begin, and nobody of the source does, a
/// sentence is put in front. Between messages of one format nothing changes.
///
/// ```
/// use plica::formats::Format;
/// let messages: [&[u8]; 1] = [br#"{"role":"user","parts":[{"text":"hi"}]}"#];
/// let converted = plica::convert::convert(&messages, Format::Gemini, Format::OpenaiChat).unwrap();
/// assert_eq!(converted.messages, [r#"{"role":"user","content":"hi"}"#]);
/// ```
///
/// # Errors
/// [`crate::error::ErrorCode::BadMessage`].
pub fn convert<T: AsRef<[u8]>>(messages: &[T], from: Format, to: Format) -> Result<Converted> {
    convert_marked(messages, &[], from, to)
}

/// The same, where the caller knows of some messages where they came from: pairs of index and provenance.
///
/// # Errors
/// Those of [`convert`].
pub fn convert_marked<T: AsRef<[u8]>>(
    messages: &[T],
    marks: &[(u32, Provenance)],
    from: Format,
    to: Format,
) -> Result<Converted> {
    let outline = Outline::read(messages, Reading { format: Some(from), provenance: marks, ..Reading::default() })?;
    if from == to {
        let text = |message: &T| String::from_utf8_lossy(message.as_ref()).into_owned();
        return Ok(Converted { messages: messages.iter().map(text).collect(), losses: Vec::new() });
    }
    let pairing = Pairing::by_message(&outline);
    let mut walk = walk::Walk::new(&outline, &pairing, to);
    let mut tape = crate::json::Tape::new();
    for (index, message) in messages.iter().enumerate() {
        let value = crate::outline::object(&mut tape, message.as_ref(), index)?;
        walk.message(index, message.as_ref(), value);
    }
    let (turns, mut losses) = walk.end();
    let turns = layout::arrange(turns, to.reader().profile(), &mut losses);
    crate::order::sort_by_key(&mut losses, |loss| loss.index);
    let written = turns.iter().flat_map(|turn| to.reader().write(turn));
    Ok(Converted { messages: written.collect(), losses })
}
