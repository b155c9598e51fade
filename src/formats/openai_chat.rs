//! OpenAI Chat Completions: `{role, content}`, `tool_calls` on the assistant message, one
//! `role: "tool"` message per result. Legacy `function_call` pairs by name and order.

use super::{content_parts, fit_role_content, role_by_name, text_form, Fit, MessageFormat, Unanswered};
use super::{ASSISTANT, DEVELOPER, SYSTEM, TOOL, USER};
use crate::convert::media::{Media, MediaKind, Spot};
use crate::convert::turn::{list, Answer, Arguments, Call, Content, Piece, Turn};
use crate::convert::Room;
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Role};
use crate::profile::{self, Profile};

pub(super) struct OpenaiChat;

static ROOM: Room = Room {
    system: true,
    thoughts: true,
    seals: false,
    media: has_room,
    errors: false,
    any_arguments: true,
    any_ids: true,
    // What Chat Completions takes from older models on; it answers 400 to more.
    longest_id: Some(40),
    text_errors: false,
    marks: &[],
    members: &[
        "role",
        "content",
        "type",
        "text",
        "refusal",
        "reasoning_content",
        "reasoning",
        "tool_calls",
        "function_call",
        "id",
        "function",
        "custom",
        "name",
        "arguments",
        "input",
        "tool_call_id",
        "tool_call_ids",
    ],
};

impl MessageFormat for OpenaiChat {
    fn profile(&self) -> &'static Profile {
        &profile::OPENAI_CHAT
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let known = fit_role_content(message, &["system", "developer", "user", "assistant", "tool", "function"]);
        if known == Fit::Impossible {
            // An unknown role still pairs by its call id.
            let answers = message.get_str("tool_call_id").is_some() && message.get_str("role").is_some();
            return if answers { Fit::Possible } else { Fit::Impossible };
        }
        // An assistant message may come without content; a role alone proves nothing.
        let fields = ["tool_calls", "function_call", "tool_call_id", "reasoning_content", "audio"];
        let blocks = || message.get("content").into_iter().flat_map(Value::items);
        let role_proves = message.get("role").is_some_and(|role| role.is_any(&["developer", "function"]));
        let field_proves = fields.iter().any(|key| message.get(key).is_some());
        if role_proves || field_proves || blocks().any(|block| media(block).is_some()) {
            return Fit::Certain;
        }
        let bare = message.get("content").is_none();
        let types = ["text", "refusal"];
        if bare || !blocks().all(|block| block.get("type").is_some_and(|t| t.is_any(&types))) {
            return Fit::Unusual;
        }
        Fit::Possible
    }

    fn role(&self, message: Value<'_>) -> Role {
        if message.get_str("tool_call_id").is_some() {
            return Role::Tool;
        }
        role_by_name(message, &[SYSTEM, DEVELOPER, USER, ASSISTANT, TOOL, ("function", Role::Tool)])
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        if self.role(message) == Role::Tool {
            return result_parts(message, visit);
        }
        for key in ["reasoning_content", "reasoning"] {
            if let Some(text) = message.get_str(key).filter(|text| text.raw().len() > 2) {
                visit(Part::Reasoning { text: Some(text), signed: false, raw: text });
            }
        }
        content_parts(message.get("content"), visit, &|block, visit| visit(block_part(block)));
        if let Some(refusal) = message.get_str("refusal") {
            visit(Part::Text(refusal));
        }
        if let Some(audio) = message.get("audio").filter(|audio| audio.kind() == Kind::Object) {
            visit(Part::Other(audio));
        }
        for call in message.get("tool_calls").into_iter().flat_map(Value::items) {
            visit(call_part(call));
        }
        if let Some(call) = message.get("function_call").filter(|call| call.kind() == Kind::Object) {
            let (name, arguments) = (call.get_str("name"), call.get("arguments"));
            visit(Part::Call { id: None, name, arguments, hosted: false, raw: call });
        }
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        let text = quote(text);
        // The legacy form has no ids.
        if call.message.get("function_call").is_some_and(|legacy| legacy.span() == call.raw.span()) {
            return Some(format!(r#"{{"role":"function","name":{},"content":{text}}}"#, call.name));
        }
        Some(format!(r#"{{"role":"tool","tool_call_id":{},"content":{text}}}"#, call.id))
    }

    fn refused_members(&self, message: Value<'_>) -> Vec<(&'static str, Option<String>)> {
        let empty = |key: &str| {
            message.get(key).is_some_and(|list| list.kind() == Kind::Array && list.items().next().is_none())
        };
        let mut refused = Vec::new();
        if empty("tool_calls") {
            refused.push(("tool_calls", None));
        }
        let tool = message.get("role").is_some_and(|role| role.is_str("tool"));
        if tool && (empty("content") || message.get("content").is_none_or(Value::is_null)) {
            refused.push(("content", Some(quote("(no output)"))));
        }
        let other =
            message.get("content").filter(|content| !matches!(content.kind(), Kind::String | Kind::Array | Kind::Null));
        if let Some(content) = other.filter(|_| tool) {
            refused.push(("content", Some(text_form(content))));
        }
        refused
    }

    fn refused_form(&self, part: &Part<'_>) -> Option<(Vec<&'static str>, String)> {
        let Part::Call { raw, .. } = *part else { return None };
        let arguments = raw.get("function").filter(|function| function.kind() == Kind::Object)?.get("arguments");
        let text = match arguments.filter(|arguments| !arguments.is_null()) {
            Some(arguments) if arguments.kind() == Kind::String => return None,
            Some(arguments) => text_form(arguments),
            None => quote("{}"),
        };
        Some((vec!["function", "arguments"], text))
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        match turn.role {
            Role::Tool => turn.answers().map(tool_message).collect(),
            Role::Assistant => vec![assistant_message(turn)],
            role => {
                let content = turn.said_as(r#""""#, &written_part);
                vec![format!(r#"{{"role":"{}","content":{content}}}"#, role.name())]
            }
        }
    }

    fn is_free_form(&self, call: Value<'_>) -> bool {
        call.get("function").is_none() && call.get("custom").is_some()
    }

    fn id_path(&self, message: Value<'_>, raw: Value<'_>, result: bool) -> Vec<&'static str> {
        // The legacy form pairs by name.
        let legacy = match result {
            true => raw.get("role").is_some_and(|role| role.is_str("function")),
            false => message.get("function_call").is_some_and(|call| call.span() == raw.span()),
        };
        match (legacy, result) {
            (true, _) => vec![],
            (false, true) => vec!["tool_call_id"],
            (false, false) => vec!["id"],
        }
    }
}

pub(super) fn call_part(call: Value<'_>) -> Part<'_> {
    // `function` for function tools, `custom` for free-form ones.
    let body = call.get("function").or_else(|| call.get("custom"));
    let name = body.and_then(|b| b.get_str("name"));
    let arguments = body.and_then(|b| b.get("arguments").or_else(|| b.get("input")));
    Part::Call { id: call.get("id"), name, arguments, hosted: false, raw: call }
}

fn result_parts<'d>(message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    // Some trajectories list the one id.
    let listed = || message.get("tool_call_ids").and_then(|ids| ids.items().next());
    let (id, name) = (message.get("tool_call_id").or_else(listed), message.get_str("name"));
    visit(Part::Result { id, name, content: message.get("content"), error: false, raw: message });
    let blocks = message.get("content").into_iter().flat_map(Value::items);
    blocks.filter_map(media).for_each(visit);
}

fn block_part(block: Value<'_>) -> Part<'_> {
    let text = |key: &str| block.get_str(key).map_or(Part::Other(block), Part::Text);
    match block.get("type") {
        Some(t) if t.is_str("text") => text("text"),
        Some(t) if t.is_str("refusal") => text("refusal"),
        _ => media(block).unwrap_or(Part::Other(block)),
    }
}

pub(super) fn media(block: Value<'_>) -> Option<Part<'_>> {
    let kind = block.get("type")?;
    let data = if kind.is_str("image_url") {
        // `{url}` per the API; a bare string is met in the wild.
        let url = block.get("image_url")?;
        let url = url.get_str("url").unwrap_or(url);
        url.text().is_some_and(|text| text.starts_with(b"data:")).then_some(url)
    } else if kind.is_str("input_audio") {
        block.get("input_audio")?.get_str("data")
    } else if kind.is_str("file") {
        block.get("file").filter(|file| file.kind() == Kind::Object)?.get_str("file_data")
    } else {
        return None;
    };
    Some(Part::Media { data, raw: block })
}

/// What Chat Completions take from the user: images, WAV and MP3, and files that are inlined.
fn has_room(media: &Media<'_>, spot: Spot) -> bool {
    let fits = match media.kind {
        MediaKind::Image => true,
        MediaKind::Audio => audio_format(media).is_some(),
        MediaKind::File => media.inline().is_some(),
    };
    spot == Spot::User && fits
}

fn audio_format(media: &Media<'_>) -> Option<&'static str> {
    media.inline()?;
    match media.type_or("") {
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/mp3" | "audio/mpeg" => Some("mp3"),
        _ => None,
    }
}

/// A text or a medium as a part of a content.
pub(super) fn written_part(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"type":"text","text":{text}}}"#),
        Piece::Media(media) => match (media.kind, audio_format(media)) {
            (MediaKind::Audio, Some(format)) => {
                let data = quote(media.raw());
                format!(r#"{{"type":"input_audio","input_audio":{{"data":{data},"format":"{format}"}}}}"#)
            }
            (MediaKind::Image, _) => {
                format!(r#"{{"type":"image_url","image_url":{{"url":{}}}}}"#, quote(&media.url()))
            }
            _ => {
                let (name, data) = (media.name.as_deref().unwrap_or(r#""file""#), quote(&media.url()));
                format!(r#"{{"type":"file","file":{{"filename":{name},"file_data":{data}}}}}"#)
            }
        },
        _ => String::new(),
    }
}

fn assistant_message(turn: &Turn<'_>) -> String {
    let calls = list(turn.calls().map(written_call));
    let empty = if calls.len() > 2 { "null" } else { r#""""# };
    let mut members = vec![format!(r#""content":{}"#, turn.said_as(empty, &written_part))];
    let thoughts: Vec<Piece<'_>> =
        turn.thoughts().filter_map(|thought| thought.text.clone()).map(Piece::Text).collect();
    if !thoughts.is_empty() {
        members.push(format!(r#""reasoning_content":{}"#, Content::Pieces(thoughts).text()));
    }
    if calls.len() > 2 {
        members.push(format!(r#""tool_calls":{calls}"#));
    }
    format!(r#"{{"role":"assistant",{}}}"#, members.join(","))
}

fn written_call(call: &Call<'_>) -> String {
    let (id, name, text) = (&call.id, &call.name, call.arguments.string());
    if let Arguments::Free(_) = call.arguments {
        return format!(r#"{{"id":{id},"type":"custom","custom":{{"name":{name},"input":{text}}}}}"#);
    }
    format!(r#"{{"id":{id},"type":"function","function":{{"name":{name},"arguments":{text}}}}}"#)
}

fn tool_message(answer: &Answer<'_>) -> String {
    let content = answer.content.text_or_list(&written_part);
    format!(r#"{{"role":"tool","tool_call_id":{},"content":{content}}}"#, answer.id)
}
