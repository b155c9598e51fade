//! LangChain messages in both serialised forms: `{type, data}` and `{lc, type: "constructor", id, kwargs}`. A live message
//! serialises itself as the second.

use super::blocks::{block_parts, is_call, is_server_call, thinking_block};
use super::{content_parts, openai_chat, Fit, MessageFormat, Unanswered};
use crate::convert::media::{Media, MediaKind, Spot};
use crate::convert::turn::{list, record, Answer, Call, Piece, Turn};
use crate::convert::Room;
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Provenance, Role};
use crate::profile::{self, Profile};
use crate::window::Side;

pub(super) struct Langchain;

const TYPES: [&str; 9] = ["human", "ai", "system", "developer", "tool", "function", "chat", "generic", "remove"];

/// The members of a message, whichever form it has.
fn body(message: Value<'_>) -> Option<Value<'_>> {
    let key = if message.get("lc").is_some() { "kwargs" } else { "data" };
    message.get(key).filter(|body| body.kind() == Kind::Object)
}

/// `AIMessage`, `AIMessageChunk`, … of the constructor form.
fn class(message: Value<'_>) -> Option<Value<'_>> {
    message.get("id")?.items().last()
}

fn is_a(message: Value<'_>, name: &str, class_prefix: &str) -> bool {
    if message.get("lc").is_none() {
        return message.get("type").is_some_and(|kind| kind.is_str(name));
    }
    class(message).and_then(Value::text).is_some_and(|class| class.starts_with(class_prefix.as_bytes()))
}

static ROOM: Room = Room {
    system: true,
    thoughts: true,
    seals: true,
    media: has_room,
    errors: true,
    any_arguments: false,
    any_ids: true,
    longest_id: None,
    text_errors: false,
    marks: &[Provenance::Summary],
    members: &[
        "lc",
        "type",
        "id",
        "data",
        "kwargs",
        "content",
        "content_blocks",
        "contentBlocks",
        "tool_calls",
        "invalid_tool_calls",
        "function",
        "arguments",
        "args",
        "input",
        "name",
        "tool_call_id",
        "tool_use_id",
        "status",
        "additional_kwargs",
        "reasoning_content",
        "lc_source",
        "reasoning",
        "thinking",
        "signature",
        "text",
    ],
};

impl MessageFormat for Langchain {
    fn profile(&self) -> &'static Profile {
        &profile::ANY_CHAT
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let Some(_) = body(message) else { return Fit::Impossible };
        let known = if message.get("lc").is_some() {
            class(message).and_then(Value::text).is_some_and(|class| class.windows(7).any(|part| part == b"Message"))
        } else {
            message.get("type").is_some_and(|kind| kind.is_any(&TYPES))
        };
        if known {
            Fit::Certain
        } else {
            Fit::Impossible
        }
    }

    fn telling(&self) -> Option<&'static [&'static str]> {
        None
    }

    fn role(&self, message: Value<'_>) -> Role {
        let speaker = body(message).and_then(|body| body.get("role"));
        if is_a(message, "human", "Human") {
            Role::User
        } else if is_a(message, "ai", "AI") {
            Role::Assistant
        } else if is_a(message, "system", "System") || is_a(message, "developer", "Developer") {
            Role::System
        } else if is_a(message, "tool", "Tool") || is_a(message, "function", "Function") {
            Role::Tool
        } else if speaker.is_some_and(|role| role.is_any(&["user", "human"])) {
            Role::User
        } else if speaker.is_some_and(|role| role.is_any(&["assistant", "ai"])) {
            Role::Assistant
        } else {
            Role::Other
        }
    }

    fn provenance(&self, message: Value<'_>) -> Provenance {
        let extra = body(message).and_then(|body| body.get("additional_kwargs"));
        match extra.and_then(|extra| extra.get("lc_source")) {
            Some(source) if source.is_str("summarization") => Provenance::Summary,
            _ => Provenance::Plain,
        }
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        let Some(body) = body(message) else { return };
        if self.role(message) == Role::Tool {
            return result(message, body, visit);
        }
        let extra = body.get("additional_kwargs");
        if let Some(text) =
            extra.and_then(|extra| extra.get_str("reasoning_content")).filter(|text| text.raw().len() > 2)
        {
            visit(Part::Reasoning { text: Some(text), signed: false, raw: text });
        }
        let calls = || body.get("tool_calls").into_iter().flat_map(Value::items);
        let listed = calls().next().is_some();
        // Version 1 may hold its own blocks beside the provider's content, or instead of it.
        let said = body.get("content").filter(|content| !content.is_null() && content.raw().len() > 2);
        let blocks = || body.get("content_blocks").or_else(|| body.get("contentBlocks"));
        let said = said.or_else(blocks).or_else(|| body.get("content"));
        content_parts(said, visit, &|block, visit| block_part(block, listed, visit));
        for call in calls() {
            let (id, name, arguments) = (call.get("id"), call.get_str("name"), call.get("args"));
            visit(Part::Call { id, name, arguments, hosted: false, raw: call });
        }
        // Some providers get to see these, others do not: their results belong to them, and may be missing.
        for call in body.get("invalid_tool_calls").into_iter().flat_map(Value::items) {
            let (id, name, arguments) = (call.get("id"), call.get_str("name"), call.get("args"));
            visit(Part::Call { id, name, arguments, hosted: true, raw: call });
        }
        // Older versions kept the provider's own calls alone.
        let older = extra.filter(|_| !listed).and_then(|extra| extra.get("tool_calls"));
        older.into_iter().flat_map(Value::items).for_each(|call| visit(openai_chat::call_part(call)));
    }

    fn list<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        body(message)?.get("content").filter(|content| content.kind() == Kind::Array)
    }

    fn digest(&self, text: &str, like: Option<Value<'_>>) -> Vec<String> {
        vec![human(text, r#"{"lc_source":"summarization"}"#, like)]
    }

    fn pinned(&self, text: &str, like: Option<Value<'_>>, system: bool) -> Vec<String> {
        let members = format!(r#"{{"content":{},"additional_kwargs":{{}},"response_metadata":{{}}}}"#, quote(text));
        let (kind, class) = if system { ("system", "SystemMessage") } else { ("human", "HumanMessage") };
        vec![in_form(like, kind, class, &members)]
    }

    fn pinned_type(&self) -> &'static str {
        r#"{ type: "system"; data: { content: string; additional_kwargs: {}; response_metadata: {} } } | { lc: 1; type: "constructor"; id: string[]; kwargs: { content: string; additional_kwargs: {}; response_metadata: {} } }"#
    }

    fn digest_shape(&self) -> &'static str {
        "langchain"
    }

    fn digest_type(&self) -> &'static str {
        r#"{ type: "human"; data: { content: string; additional_kwargs: { lc_source: "summarization" }; response_metadata: {} } } | { lc: 1; type: "constructor"; id: string[]; kwargs: { content: string; additional_kwargs: { lc_source: "summarization" }; response_metadata: {} } }"#
    }

    fn note(&self, side: Side, text: &str) -> String {
        match side {
            Side::User => human(text, "{}", None),
            Side::Model => format!(r#"{{"type":"ai","data":{{"content":{}}}}}"#, quote(text)),
        }
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        let (id, name, text) = (call.id, call.name, quote(text));
        let members = format!(r#"{{"content":{text},"tool_call_id":{id},"name":{name},"status":"error"}}"#);
        Some(in_form(Some(call.message), "tool", "ToolMessage", &members))
    }

    fn answered_inside(&self, call: Value<'_>) -> bool {
        is_server_call(call)
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        match turn.role {
            Role::Tool => turn.answers().map(tool_message).collect(),
            Role::Assistant => vec![ai_message(turn)],
            role => {
                let kind = if role == Role::System { "system" } else { "human" };
                let digest = turn.provenance == Provenance::Summary;
                let extra = if digest { r#","additional_kwargs":{"lc_source":"summarization"}"# } else { "" };
                let content = turn.said_as(r#""""#, &written_block);
                vec![format!(r#"{{"type":"{kind}","data":{{"content":{content}{extra}}}}}"#)]
            }
        }
    }

    fn id_path(&self, _message: Value<'_>, raw: Value<'_>, result: bool) -> Vec<&'static str> {
        match (result, raw.get("lc").is_some()) {
            (false, _) => vec!["id"],
            (true, true) => vec!["kwargs", "tool_call_id"],
            (true, false) => vec!["data", "tool_call_id"],
        }
    }
}

fn human(text: &str, extra: &str, like: Option<Value<'_>>) -> String {
    let members = format!(r#"{{"content":{},"additional_kwargs":{extra},"response_metadata":{{}}}}"#, quote(text));
    in_form(like, "human", "HumanMessage", &members)
}

/// A message in the form that `like` has.
fn in_form(like: Option<Value<'_>>, kind: &str, class: &str, members: &str) -> String {
    if like.is_some_and(|like| like.get("lc").is_some()) {
        let id = format!(r#"["langchain_core","messages","{class}"]"#);
        return format!(r#"{{"lc":1,"type":"constructor","id":{id},"kwargs":{members}}}"#);
    }
    format!(r#"{{"type":"{kind}","data":{members}}}"#)
}

fn result<'d>(message: Value<'d>, body: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    let content = body.get("content");
    let error = body.get("status").is_some_and(|status| status.is_str("error"));
    visit(Part::Result { id: body.get("tool_call_id"), name: body.get_str("name"), content, error, raw: message });
    content.into_iter().flat_map(Value::items).filter_map(media).for_each(visit);
}

/// A content block: those of several providers, or LangChain's own.
fn block_part<'d>(block: Value<'d>, listed: bool, visit: &mut dyn FnMut(Part<'d>)) {
    let kind = block.get("type");
    // The provider's form of a call that `tool_calls` holds as well; what the provider runs itself is not in there.
    let client = is_call(kind) && !is_server_call(block);
    if listed && (client || kind.is_some_and(|kind| kind.is_any(&["tool_call", "functionCall", "input_json_delta"]))) {
        return;
    }
    if kind.is_some_and(|kind| kind.is_str("reasoning")) {
        let text = block.get_str("reasoning").or_else(|| block.get_str("text"));
        let signed = block.get_str("signature").is_some_and(|signature| signature.raw().len() > 2);
        return visit(Part::Reasoning { text, signed, raw: block });
    }
    match media(block) {
        Some(media) => visit(media),
        None => block_parts(block, visit),
    }
}

fn media(block: Value<'_>) -> Option<Part<'_>> {
    if let Some(part) = openai_chat::media(block) {
        return Some(part);
    }
    // `{type: "image", data | base64 | url}` of LangChain itself; with `source` it is Anthropic's.
    let own = block.get("type")?.is_any(&["image", "audio", "video", "file"]) && block.get("source").is_none();
    own.then(|| Part::Media { data: block.get_str("data").or_else(|| block.get_str("base64")), raw: block })
}

/// Models that LangChain speaks to take media from the user and from tools.
fn has_room(_media: &Media<'_>, spot: Spot) -> bool {
    spot != Spot::Model
}

fn ai_message(turn: &Turn<'_>) -> String {
    let blocks: Vec<&Piece<'_>> = turn.pieces.iter().filter(|piece| !matches!(piece, Piece::Call(_))).collect();
    let content = match blocks[..] {
        [] => r#""""#.to_string(),
        [Piece::Text(text)] => text.to_string(),
        ref blocks => list(blocks.iter().map(|block| written_block(block))),
    };
    let calls = list(turn.calls().map(|Call { id, name, arguments, .. }| {
        format!(r#"{{"id":{id},"name":{name},"args":{},"type":"tool_call"}}"#, arguments.object())
    }));
    let calls = if calls.len() > 2 { format!(r#","tool_calls":{calls}"#) } else { String::new() };
    format!(r#"{{"type":"ai","data":{{"content":{content}{calls}}}}}"#)
}

fn written_block(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"type":"text","text":{text}}}"#),
        Piece::Thought(thought) if thought.seal.is_some() => thinking_block(thought),
        Piece::Thought(thought) => {
            format!(r#"{{"type":"reasoning","reasoning":{}}}"#, thought.text.as_deref().unwrap_or(r#""""#))
        }
        Piece::Media(media) if media.is_image() => {
            format!(r#"{{"type":"image_url","image_url":{{"url":{}}}}}"#, quote(&media.url()))
        }
        Piece::Media(media) => written_media(media),
        // They are members of a message.
        Piece::Call(_) | Piece::Answer(_) => String::new(),
    }
}

fn written_media(media: &Media<'_>) -> String {
    let kind = if media.kind == MediaKind::Audio { "audio" } else { "file" };
    let key = if media.inline().is_some() { "base64" } else { "url" };
    let members = [
        ("type", Some(quote(kind))),
        ("mime_type", media.media_type.as_deref().map(quote)),
        (key, Some(quote(media.raw()))),
        ("filename", media.name.as_deref().map(str::to_string)),
    ];
    record(&members)
}

fn tool_message(answer: &Answer<'_>) -> String {
    let (id, name, content) = (&answer.id, &answer.name, answer.content.text_or_list(&written_block));
    let status = if answer.error { "error" } else { "success" };
    let members = format!(r#""content":{content},"tool_call_id":{id},"name":{name},"status":"{status}""#);
    format!(r#"{{"type":"tool","data":{{{members}}}}}"#)
}
