//! Vercel AI SDK `ModelMessage` (v5, v6): results in `role: "tool"` messages, approvals as parts, tools that the provider
//! ran with their result in the assistant message.

use super::{
    content_parts, fit_role_content, role_by_name, Fit, MessageFormat, Unanswered, ASSISTANT, SYSTEM, TOOL, USER,
};
use crate::convert::media::{Media, MediaSource, Spot};
use crate::convert::turn::{list, Answer, Call, Content, Piece, Seal, Thought, Turn};
use crate::convert::Room;
use crate::json::{quote, Kind, Value};
use crate::message::{Approval, Part, Role};
use crate::profile::{self, Profile};

pub(super) struct AiSdk;

const OWN_TYPES: [&str; 6] = [
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "tool-approval-response",
    "reasoning-file",
    "redacted-reasoning",
];

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
    marks: &[],
    members: &[
        "role",
        "content",
        "type",
        "text",
        "toolCallId",
        "toolName",
        "input",
        "args",
        "output",
        "result",
        "value",
        "isError",
        "reason",
        "providerOptions",
        "anthropic",
        "signature",
        "redactedData",
        "providerExecuted",
    ],
};

impl MessageFormat for AiSdk {
    fn profile(&self) -> &'static Profile {
        &profile::AI_SDK
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let known = fit_role_content(message, &["system", "user", "assistant", "tool"]);
        let Some(content) = message.get("content").filter(|content| known != Fit::Impossible && !content.is_null())
        else {
            return Fit::Impossible;
        };
        let tool = message.get("role").is_some_and(|role| role.is_str("tool"));
        if tool && content.kind() != Kind::Array {
            return Fit::Impossible;
        }
        if content.items().any(is_distinctive) || message.get("providerOptions").is_some() {
            return Fit::Certain;
        }
        if tool || !content.items().all(|block| block.get("type").is_some_and(|t| t.is_str("text"))) {
            return Fit::Unusual;
        }
        Fit::Possible
    }

    fn role(&self, message: Value<'_>) -> Role {
        role_by_name(message, &[SYSTEM, USER, ASSISTANT, TOOL])
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        content_parts(message.get("content"), visit, &part_of);
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        let (id, name, text) = (call.id, call.name, quote(text));
        let output = format!(r#"{{"type":"error-text","value":{text}}}"#);
        Some(format!(r#"{{"type":"tool-result","toolCallId":{id},"toolName":{name},"output":{output}}}"#))
    }

    fn carrier(&self, results: &str) -> Option<String> {
        Some(format!(r#"{{"role":"tool","content":[{results}]}}"#))
    }

    fn said(&self, raw: Value<'_>, content: Value<'_>, text: &str) -> Option<String> {
        // An output that has a type and no value is of a kind that has no words.
        let wordless = raw.get("output").is_some_and(|o| o.span() == content.span() && o.get("type").is_some());
        let listed = content.kind() == Kind::Array && raw.get("output").is_some();
        (!wordless).then(|| if listed { format!("[{}]", self.text_part(text)) } else { quote(text) })
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        let role = turn.role.name();
        let content = match turn.role {
            Role::Tool | Role::Assistant if turn.said().len() < turn.pieces.len() => {
                list(turn.pieces.iter().map(written_part))
            }
            // The text of a system message is no list.
            Role::System => turn.text(),
            _ => turn.said_as("[]", &written_part),
        };
        vec![format!(r#"{{"role":"{role}","content":{content}}}"#)]
    }

    fn unwrapped<'d>(&self, content: Value<'d>) -> Value<'d> {
        let denied = content.get("type").is_some_and(|kind| kind.is_str("execution-denied"));
        content.get_str("reason").filter(|_| denied).unwrap_or(content)
    }

    fn id_path(&self, _message: Value<'_>, _raw: Value<'_>, _result: bool) -> Vec<&'static str> {
        vec!["toolCallId"]
    }
}

fn is_distinctive(block: Value<'_>) -> bool {
    let Some(kind) = block.get("type") else { return false };
    kind.is_any(&OWN_TYPES)
        || (kind.is_str("reasoning") && block.get_str("text").is_some())
        || (kind.is_str("file") && (block.get("mediaType").is_some() || block.get("mimeType").is_some()))
        || (kind.is_str("image") && block.get("image").is_some())
        || block.get("providerOptions").is_some()
}

fn part_of<'d>(block: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    let kind = block.get("type");
    let is = |name: &str| kind.is_some_and(|kind| kind.is_str(name));
    if is("text") {
        // Without text, the signature is what the part is there for.
        let text = block.get_str("text").filter(|text| text.raw().len() > 2 || !is_signed(block));
        return visit(text.map_or(Part::Other(block), Part::Text));
    }
    if is("reasoning") || is("redacted-reasoning") {
        let signed = is("redacted-reasoning") || is_signed(block);
        return visit(Part::Reasoning { text: block.get_str("text"), signed, raw: block });
    }
    if is("tool-call") {
        let arguments = block.get("input").or_else(|| block.get("args"));
        let hosted = block.get("providerExecuted").is_some_and(Value::is_true);
        let (id, name) = (block.get("toolCallId"), block.get_str("toolName"));
        return visit(Part::Call { id, name, arguments, hosted, raw: block });
    }
    if is("tool-result") {
        return result(block, visit);
    }
    if is("tool-approval-request") {
        let (id, call) = (block.get("approvalId"), block.get("toolCallId"));
        return visit(Part::Approval { step: Approval::Request, id, call, raw: block });
    }
    if is("tool-approval-response") {
        let given = block.get("approved").is_some_and(Value::is_true);
        let step = if given { Approval::Granted } else { Approval::Denied };
        return visit(Part::Approval { step, id: block.get("approvalId"), call: None, raw: block });
    }
    visit(media(block).unwrap_or(Part::Other(block)));
}

fn result<'d>(block: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    let output = block.get("output").or_else(|| block.get("result"));
    let kind = output.and_then(|output| output.get("type"));
    let error = kind.is_some_and(|kind| kind.is_any(&["error-text", "error-json", "execution-denied"]))
        || block.get("isError").is_some_and(Value::is_true);
    // `{type, value}` since v5; before, the output itself.
    let content = output.and_then(|output| output.get("value").filter(|_| kind.is_some()).or(Some(output)));
    visit(Part::Result { id: block.get("toolCallId"), name: block.get_str("toolName"), content, error, raw: block });
    content.into_iter().flat_map(Value::items).filter_map(media).for_each(visit);
}

/// Signed or encrypted by some provider, whichever it is.
pub(super) fn is_signed(block: Value<'_>) -> bool {
    let options = block.get("providerOptions").or_else(|| block.get("providerMetadata"));
    let seals = ["signature", "redactedData", "reasoningEncryptedContent", "thoughtSignature"];
    let sealed =
        |provider: Value<'_>| seals.iter().any(|key| provider.get_str(key).is_some_and(|seal| seal.raw().len() > 2));
    options.is_some_and(|options| options.entries().any(|(_, provider)| sealed(provider)))
}

fn media(block: Value<'_>) -> Option<Part<'_>> {
    let types = ["file", "image", "reasoning-file", "media", "image-data", "file-data", "image-url", "file-url"];
    if !block.get("type")?.is_any(&types) {
        return None;
    }
    let data = block.get_str("data").or_else(|| block.get_str("image"));
    let data = data.filter(|data| !data.text().is_some_and(|text| text.starts_with(b"http")));
    Some(Part::Media { data, raw: block })
}

/// Results have room for what is inlined.
fn has_room(media: &Media<'_>, spot: Spot) -> bool {
    match spot {
        Spot::Result => media.inline().is_some(),
        Spot::User => media.media_type.is_some() || media.is_image(),
        Spot::Model => media.media_type.is_some(),
    }
}

fn written_part(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"type":"text","text":{text}}}"#),
        Piece::Thought(thought) => {
            let text = thought.text.as_deref().unwrap_or(r#""""#);
            format!(r#"{{"type":"reasoning","text":{text}{}}}"#, sealed("providerOptions", thought))
        }
        Piece::Media(media) => written_media(media),
        Piece::Call(Call { id, name, arguments, .. }) => {
            let input = arguments.object();
            format!(r#"{{"type":"tool-call","toolCallId":{id},"toolName":{name},"input":{input}}}"#)
        }
        Piece::Answer(answer) => written_result(answer),
    }
}

/// The member that holds a seal, behind others.
pub(super) fn sealed(key: &str, thought: &Thought<'_>) -> String {
    let (name, seal) = match &thought.seal {
        None => return String::new(),
        Some(Seal::Signature(seal)) => ("signature", seal),
        Some(Seal::Redacted(seal)) => ("redactedData", seal),
    };
    format!(r#","{key}":{{"anthropic":{{"{name}":{seal}}}}}"#)
}

fn written_media(media: &Media<'_>) -> String {
    let (data, name) = (quote(media.raw()), media.name.as_deref());
    let Some(media_type) = &media.media_type else { return format!(r#"{{"type":"image","image":{data}}}"#) };
    let name = name.map_or_else(String::new, |name| format!(r#","filename":{name}"#));
    format!(r#"{{"type":"file","mediaType":{},"data":{data}{name}}}"#, quote(media_type))
}

fn written_result(answer: &Answer<'_>) -> String {
    let (kind, value) = match (&answer.content, answer.error) {
        (Content::Value(value), false) => ("json", value.to_string()),
        (Content::Value(value), true) => ("error-json", value.to_string()),
        (Content::Text(text), false) => ("text", text.to_string()),
        (Content::Pieces(_), false) => ("content", answer.content.list(&result_part)),
        (content, true) if only_text(content) => ("error-text", content.text()),
        (content, true) => ("error-json", content.list(&result_part)),
    };
    let (id, name) = (&answer.id, &answer.name);
    let output = format!(r#"{{"type":"{kind}","value":{value}}}"#);
    format!(r#"{{"type":"tool-result","toolCallId":{id},"toolName":{name},"output":{output}}}"#)
}

pub(super) fn only_text(content: &Content<'_>) -> bool {
    match content {
        Content::Pieces(pieces) => pieces.iter().all(|piece| matches!(piece, Piece::Text(_))),
        _ => true,
    }
}

/// A part of a result; its media have a type of their own.
pub(super) fn result_part(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Media(Media { source: MediaSource::Inline(data), media_type, .. }) => {
            let (data, media_type) = (quote(data), quote(media_type.as_deref().unwrap_or_default()));
            format!(r#"{{"type":"media","data":{data},"mediaType":{media_type}}}"#)
        }
        piece => written_part(piece),
    }
}
