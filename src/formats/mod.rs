//! Message formats: one file each, and this registry.
//!
//! To add a format: write `src/formats/<name>.rs` with a type that implements [`MessageFormat`],
//! and add its line to the `registry!` below. Nothing else in the core knows formats by name.

mod agentfootprint;
mod ai_sdk;
mod ai_sdk_ui;
mod anthropic;
mod blocks;
mod gemini;
mod hotl;
mod langchain;
mod openai_chat;
mod openai_responses;
mod pi;

use crate::convert::turn::Turn;
use crate::convert::{is_object, under_input, Room};
use crate::error::{Error, ErrorCode, Result};
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Provenance, Role};
use crate::pinned::ACKNOWLEDGED;
use crate::profile::Profile;
use crate::window::Side;
use serde::Serialize;
use std::borrow::Cow;

/// How well a single message fits a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// No message of this format looks like this.
    Impossible,
    /// Not what the provider documents, but met in real arrays of this format.
    Unusual,
    /// Fits, and may fit others as well.
    Possible,
    /// Has something that only this format has.
    Certain,
}

/// A message format: how its messages are read, and how plica writes the few that it writes itself.
///
/// `parts` is the heart: everything else in the core (pairing, estimates, digests, fingerprints)
/// works on the parts that it reports, in their order.
pub trait MessageFormat: Sync {
    /// What the provider demands.
    fn profile(&self) -> &'static Profile;

    /// How well one message fits; see [`Detector`].
    fn fit(&self, message: Value<'_>) -> Fit;

    /// Who speaks. A message that holds nothing but results may say [`Role::User`]: the planner looks at parts.
    fn role(&self, message: Value<'_>) -> Role;

    /// Where the message came from, if the format has a typed mark for it.
    fn provenance(&self, _message: Value<'_>) -> Provenance {
        Provenance::Plain
    }

    /// Whether a message is a digest that only the provider can read: nobody else can summarize it again.
    fn is_sealed(&self, _message: Value<'_>) -> bool {
        false
    }

    /// Top-level members that tell system text, instructions and memory from everything else: of two messages with the same
    /// strings in them, both are, or none is. `None` where it takes more than such members.
    fn telling(&self) -> Option<&'static [&'static str]> {
        Some(&["role"])
    }

    /// Reports the parts of a message in their order. `raw` of a part is what would have to go to take the part away: an
    /// element of [`MessageFormat::list`], or the message itself.
    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>));

    /// The array that holds the parts of a message.
    fn list<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get("content").filter(|content| content.kind() == Kind::Array)
    }

    /// Conservative estimate in tokens. The default holds for every format without a rule of its own:
    /// 8 + the message's compact JSON, inlined media at a flat price.
    fn conservative_tokens(&self, message: Value<'_>) -> u64 {
        crate::tokens::conservative::json_message(self, message)
    }

    /// Whether the conservative estimate counts a result that is a string by its text, and not by its JSON.
    fn counts_text(&self) -> bool {
        false
    }

    /// The digest as messages of this format, as JSON texts. `text` has its frame already; `like` is a message of the
    /// conversation, for formats that come in several forms.
    fn digest(&self, text: &str, _like: Option<Value<'_>>) -> Vec<String> {
        vec![self.note(Side::User, text)]
    }

    /// The pinned message as messages of this format, as JSON texts: system text where the format has such among its messages (and
    /// `system` does not say no to it), otherwise the user's, with the model's word behind it where they take turns.
    fn pinned(&self, text: &str, _like: Option<Value<'_>>, system: bool) -> Vec<String> {
        if system && self.room().system && !self.profile().system_apart {
            return vec![format!(r#"{{"role":"system","content":{}}}"#, quote(text))];
        }
        let mut messages = vec![self.note(Side::User, text)];
        if self.profile().alternates {
            messages.push(self.note(Side::Model, ACKNOWLEDGED));
        }
        messages
    }

    /// TypeScript type of what [`MessageFormat::pinned`] gives.
    fn pinned_type(&self) -> &'static str {
        r#"{ role: "system"; content: string }"#
    }

    /// Shape of [`MessageFormat::digest`]: formats of the same shape need no telling apart to fold.
    fn digest_shape(&self) -> &'static str {
        "role-content"
    }

    /// TypeScript type of what [`MessageFormat::digest`] gives.
    fn digest_type(&self) -> &'static str {
        r#"{ role: "user"; content: string }"#
    }

    /// A message of plain text, as JSON text.
    fn note(&self, side: Side, text: &str) -> String {
        let role = if side == Side::User { "user" } else { "assistant" };
        format!(r#"{{"role":"{role}","content":{}}}"#, quote(text))
    }

    /// A part that says `text`, as an element of [`MessageFormat::list`], as JSON text.
    fn text_part(&self, text: &str) -> String {
        format!(r#"{{"type":"text","text":{}}}"#, quote(text))
    }

    /// A result that says `text`, as JSON text: a part for [`MessageFormat::carrier`], or a message of its own. `None` in
    /// formats whose calls hold their results.
    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String>;

    /// A message around results, as JSON text; `None` where each result is a message.
    fn carrier(&self, _results: &str) -> Option<String> {
        None
    }

    /// Members to set in a call so that it counts as answered with `text`, in formats whose calls hold their results.
    fn close(&self, _call: Value<'_>, _text: &str) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The id of the message itself, where the provider refuses two of the same.
    fn item_id<'d>(&self, _message: Value<'d>) -> Option<Value<'d>> {
        None
    }

    /// Members of a message that the provider refuses as they are, with the JSON text to set them to; `None` removes one.
    fn refused_members(&self, _message: Value<'_>) -> Vec<(&'static str, Option<String>)> {
        Vec::new()
    }

    /// A member of a call or a result that the provider refuses as it is: the way to it inside the part, and the JSON that it takes.
    fn refused_form(&self, _part: &Part<'_>) -> Option<(Vec<&'static str>, String)> {
        None
    }

    /// Signatures of parts that say more than their signature, each with the index of its part.
    fn signatures<'d>(&self, _message: Value<'d>, _visit: &mut dyn FnMut(usize, Value<'d>)) {}

    /// Whether a message stands for one that the provider holds: what it is cannot be known.
    fn is_reference(&self, _message: Value<'_>) -> bool {
        false
    }

    /// Whether the result of a call stands in the model's own message, or is nothing that could be written for it; from the
    /// call's `raw`.
    fn answered_inside(&self, _call: Value<'_>) -> bool {
        false
    }

    /// The name of a tool, from the name that a part reports.
    fn tool_name<'d>(&self, name: Value<'d>) -> Cow<'d, str> {
        name.text_lossy()
    }

    /// What messages of this format have room for.
    fn room(&self) -> &'static Room;

    /// Writes a turn of a conversation as messages of this format, as JSON texts. It holds nothing that
    /// [`MessageFormat::room`] has no place for, and stands where the profile wants it.
    fn write(&self, turn: &Turn<'_>) -> Vec<String>;

    /// Where in a message, in bytes, the model begins another step.
    fn seams(&self, _message: Value<'_>) -> Vec<usize> {
        Vec::new()
    }

    /// What a result says, without what the format puts around it.
    fn unwrapped<'d>(&self, content: Value<'d>) -> Value<'d> {
        content
    }

    /// The JSON text of a result's content that says `text` alone, in the form of the content that it takes the place of; `None`
    /// where there is no such form. `raw` is the whole result.
    fn said(&self, _raw: Value<'_>, content: Value<'_>, text: &str) -> Option<String> {
        match content.kind() {
            Kind::String => Some(quote(text)),
            Kind::Array => Some(format!("[{}]", self.text_part(text))),
            _ => None,
        }
    }

    /// Whether a call is run, or can be answered, by the provider alone; from the call's `raw`.
    fn is_hosted(&self, call: Value<'_>) -> bool {
        self.answered_inside(call)
    }

    /// Whether the tool of a call takes any text; from the call's `raw`.
    fn is_free_form(&self, _call: Value<'_>) -> bool {
        false
    }

    /// The name of what injected a message, where it says so.
    fn injected_by<'d>(&self, _message: Value<'d>) -> Option<Value<'d>> {
        None
    }

    /// Where the id of a call or a result is, from the part's `raw`; nowhere, if it has none by design.
    fn id_path(&self, message: Value<'_>, raw: Value<'_>, result: bool) -> Vec<&'static str>;
}

/// A call that nothing answers.
#[derive(Clone, Copy)]
pub struct Unanswered<'d> {
    /// Its id, as JSON.
    pub id: &'d str,
    /// The tool's name, as JSON.
    pub name: &'d str,
    /// The whole part.
    pub raw: Value<'d>,
    /// The message around it.
    pub message: Value<'d>,
    /// A request for leave that was acted on, though nobody is on record to have given it.
    pub used: bool,
}

macro_rules! registry {
    ($($(#[$doc:meta])* $variant:ident = $name:literal => $reader:expr,)*) => {
        /// A message format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        #[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
        pub enum Format {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Format {
            /// Every format, the strictest first: where messages fit several, the first one's rules apply.
            pub const ALL: &'static [Format] = &[$(Format::$variant),*];

            /// The name, as in the API.
            pub fn name(self) -> &'static str {
                match self { $(Format::$variant => $name),* }
            }

            /// The reader of this format.
            pub fn reader(self) -> &'static dyn MessageFormat {
                match self { $(Format::$variant => &$reader),* }
            }
        }
    };
}

registry! {
    /// Anthropic Messages API: content blocks, results in the next user message.
    Anthropic = "anthropic" => anthropic::Anthropic,
    /// OpenAI Chat Completions: `tool_calls`, one `role: "tool"` message per result.
    OpenaiChat = "openai-chat" => openai_chat::OpenaiChat,
    /// OpenAI Responses items, and those of the OpenAI Agents SDK in camelCase.
    OpenaiResponses = "openai-responses" => openai_responses::OpenaiResponses,
    /// Vercel AI SDK `ModelMessage`.
    AiSdk = "ai-sdk" => ai_sdk::AiSdk,
    /// Vercel AI SDK `UIMessage`: call and result in one part.
    AiSdkUi = "ai-sdk-ui" => ai_sdk_ui::AiSdkUi,
    /// LangChain messages in both serialised forms.
    Langchain = "langchain" => langchain::Langchain,
    /// Gemini contents: `{role, parts}`.
    Gemini = "gemini" => gemini::Gemini,
    /// Typed items `system`, `user`, `assistant`, `tool_results` with provider blocks inside.
    Hotl = "hotl" => hotl::Hotl,
    /// agentfootprint `LLMMessage`: `toolCalls`, one `role: "tool"` message per result.
    Agentfootprint = "agentfootprint" => agentfootprint::Agentfootprint,
    /// pi agent messages: `toolCall` parts, `role: "toolResult"` messages.
    Pi = "pi" => pi::Pi,
}

impl Format {
    /// The format called `name`.
    ///
    /// # Errors
    /// [`ErrorCode::UnknownFormat`], naming the formats there are.
    pub fn from_name(name: &str) -> Result<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            Error::new(
                ErrorCode::UnknownFormat,
                format!("there is no message format {name:?}; known are {}", names.join(", ")),
            )
        })
    }
}

/// Collects, message by message, which formats an array can be.
#[derive(Debug, Clone)]
pub struct Detector {
    worst: Vec<Fit>,
    best: Vec<Fit>,
    /// First message that fits no format that the messages before it fit.
    broke_at: Option<usize>,
    seen: usize,
}

impl Default for Detector {
    fn default() -> Self {
        let count = Format::ALL.len();
        Detector { worst: vec![Fit::Certain; count], best: vec![Fit::Impossible; count], broke_at: None, seen: 0 }
    }
}

impl Detector {
    /// Takes the next message into account; whether it told anything new.
    pub fn see(&mut self, message: Value<'_>) -> bool {
        let mut news = self.seen == 0;
        for (i, format) in Format::ALL.iter().enumerate() {
            if self.worst[i] == Fit::Impossible {
                continue;
            }
            let fit = format.reader().fit(message);
            news |= fit < self.worst[i] || fit > self.best[i];
            self.worst[i] = self.worst[i].min(fit);
            self.best[i] = self.best[i].max(fit);
        }
        if self.broke_at.is_none() && self.worst.iter().all(|fit| *fit == Fit::Impossible) {
            self.broke_at = Some(self.seen);
        }
        self.seen += 1;
        news
    }

    /// Formats that every message fits; one with proof drives out those without, and what is usual
    /// drives out what is unusual.
    pub fn candidates(&self) -> Vec<Format> {
        // Where every message is unusual, nothing speaks for the format at all.
        let spoken_for = |i: usize| self.seen == 0 || self.best[i] > Fit::Unusual;
        let fits = |i: usize| self.worst[i] > Fit::Impossible && spoken_for(i);
        let possible: Vec<usize> = (0..Format::ALL.len()).filter(|&i| fits(i)).collect();
        let narrow = |from: Vec<usize>, keep: &dyn Fn(usize) -> bool| {
            let kept: Vec<usize> = from.iter().copied().filter(|&i| keep(i)).collect();
            if kept.is_empty() {
                from
            } else {
                kept
            }
        };
        let proven = narrow(possible, &|i| self.best[i] == Fit::Certain);
        let usual = narrow(proven, &|i| self.worst[i] > Fit::Unusual);
        usual.into_iter().map(|i| Format::ALL[i]).collect()
    }

    /// The format, when there is exactly one candidate and at least one message.
    pub fn certain(&self) -> Option<Format> {
        match self.candidates()[..] {
            [only] if self.seen > 0 => Some(only),
            _ => None,
        }
    }

    /// The format, when a message was seen that only this one has, and no other format fits as well.
    pub fn proven(&self) -> Option<Format> {
        let only = self.certain()?;
        let place = Format::ALL.iter().position(|format| *format == only)?;
        (self.best[place] == Fit::Certain).then_some(only)
    }

    /// The format to read the messages by: the strictest candidate.
    ///
    /// # Errors
    /// [`ErrorCode::FormatUndetected`] when no format fits, naming the message that rules out the last one.
    pub fn strictest(&self) -> Result<Format> {
        self.candidates().first().copied().ok_or_else(|| {
            let at = self.broke_at.unwrap_or(0);
            Error::new(
                ErrorCode::FormatUndetected,
                format!(
                    "message {at} fits no format that the messages before it fit; pass {{ format }} if you know it"
                ),
            )
        })
    }

    /// The format to write a digest in.
    ///
    /// # Errors
    /// [`ErrorCode::FormatAmbiguous`] when candidates disagree about the shape of a digest;
    /// [`ErrorCode::FormatUndetected`] when there is none.
    pub fn for_digest(&self) -> Result<Format> {
        let candidates = self.candidates();
        let first = self.strictest()?;
        let shape = first.reader().digest_shape();
        match candidates.iter().find(|format| format.reader().digest_shape() != shape) {
            None => Ok(first),
            Some(other) => Err(Error::new(
                ErrorCode::FormatAmbiguous,
                format!(
                    "the messages fit both {} and {}, whose digests differ; pass {{ format }}",
                    first.name(),
                    other.name()
                ),
            )),
        }
    }
}

/// The object to be in the place of arguments that are none: the one that a text holds, otherwise all of it as `input`.
fn object_form(arguments: Option<Value<'_>>) -> Option<String> {
    let Some(value) = arguments.filter(|value| !value.is_null()) else { return Some("{}".into()) };
    if value.kind() == Kind::Object {
        return None;
    }
    let text = value.text_lossy();
    let holds = value.kind() == Kind::String && is_object(&text);
    Some(if holds { text.into_owned() } else { under_input(&json_text(value)) })
}

/// The text to be in the place of something that is none.
fn text_form(value: Value<'_>) -> String {
    quote(&json_text(value))
}

fn json_text(value: Value<'_>) -> String {
    String::from_utf8_lossy(value.raw()).into_owned()
}

/// Fit of a message by its `role` and the type of its `content`, common to formats of that shape.
fn fit_role_content(message: Value<'_>, roles: &[&str]) -> Fit {
    let role_fits = message.get("role").is_some_and(|role| role.is_any(roles));
    let content_fits = match message.get("content").map(Value::kind) {
        // Formats that have parts have no content.
        None => message.get("parts").is_none(),
        Some(Kind::String | Kind::Array | Kind::Null) => true,
        Some(_) => false,
    };
    if role_fits && content_fits {
        Fit::Possible
    } else {
        Fit::Impossible
    }
}

/// The role behind the message's `role`.
fn role_by_name(message: Value<'_>, names: &[(&str, Role)]) -> Role {
    let role = message.get("role");
    let named = names.iter().find(|(name, _)| role.is_some_and(|role| role.is_str(name)));
    named.map_or(Role::Other, |(_, role)| *role)
}

const SYSTEM: (&str, Role) = ("system", Role::System);
const DEVELOPER: (&str, Role) = ("developer", Role::System);
const USER: (&str, Role) = ("user", Role::User);
const ASSISTANT: (&str, Role) = ("assistant", Role::Assistant);
const TOOL: (&str, Role) = ("tool", Role::Tool);

/// Reads a content block.
type ReadBlock<'r, 'd> = &'r dyn Fn(Value<'d>, &mut dyn FnMut(Part<'d>));

/// The parts of a `content`: a string is text, of an array each block is read by `block`.
fn content_parts<'d>(content: Option<Value<'d>>, visit: &mut dyn FnMut(Part<'d>), block: ReadBlock<'_, 'd>) {
    let Some(content) = content else { return };
    match content.kind() {
        Kind::String => visit(Part::Text(content)),
        Kind::Array => content.items().for_each(|item| block(item, visit)),
        Kind::Null => {}
        _ => visit(Part::Other(content)),
    }
}
