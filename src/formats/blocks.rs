//! Content blocks in the manner of Anthropic's API, which other formats carry as well.
//!
//! Read by field, not by a list of types: any block with `tool_use_id` is a result, any type that
//! ends in `tool_use` a call, so that server tools of tomorrow pair like those of today.

use super::Unanswered;
use crate::convert::media::{Media, MediaSource};
use crate::convert::turn::{record, Answer, Call, Piece, Seal, Thought};
use crate::json::{quote, Kind, Value};
use crate::message::{Approval, Part};

/// One block; a result is followed by the media inside it.
pub(super) fn block_parts<'d>(block: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    if block.kind() == Kind::String {
        return visit(Part::Text(block));
    }
    let kind = block.get("type");
    let is = |name: &str| kind.is_some_and(|k| k.is_str(name));
    if block.get("tool_use_id").is_some() || is("tool_result") {
        return result_parts(block, visit);
    }
    if is_call(kind) {
        let (id, name, arguments) = (block.get("id"), block.get_str("name"), block.get("input"));
        visit(Part::Call { id, name, arguments, hosted: false, raw: block });
        // Code that the provider runs made the call, and waits for its result: the two go together.
        if let Some(code) = block.get("caller").and_then(|caller| caller.get_str("tool_id")) {
            visit(Part::Approval { step: Approval::Use, id: None, call: Some(code), raw: block });
        }
        return;
    }
    if is("text") {
        return visit(block.get_str("text").map_or(Part::Other(block), Part::Text));
    }
    if is("thinking") {
        let signed = block.get_str("signature").is_some_and(|s| s.raw().len() > 2);
        return visit(Part::Reasoning { text: block.get_str("thinking"), signed, raw: block });
    }
    if is("redacted_thinking") {
        return visit(Part::Reasoning { text: None, signed: true, raw: block });
    }
    if is("compaction") {
        return visit(Part::Summary(block));
    }
    visit(media(block).unwrap_or(Part::Other(block)));
    nested_media(block.get("source").and_then(|source| source.get("content")), MOST_NESTED, visit);
}

/// A result, and the media inside it.
pub(super) fn result_parts<'d>(block: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    let (id, content) = (block.get("tool_use_id"), block.get("content"));
    let error = block.get("is_error").is_some_and(Value::is_true);
    visit(Part::Result { id, name: None, content, error, raw: block });
    nested_media(content, MOST_NESTED, visit);
}

/// What a result says in the form of its content. Of the results of server tools each has a form of its own.
pub(super) fn said_in(block: Value<'_>, content: Value<'_>, text: &str) -> Option<String> {
    let plain = block.get("type").is_none_or(|kind| kind.is_str("tool_result"));
    match content.kind() {
        Kind::String if plain => Some(quote(text)),
        Kind::Array if plain => Some(format!(r#"[{{"type":"text","text":{}}}]"#, quote(text))),
        _ => None,
    }
}

/// Documents hold blocks, which may be documents: deeper than any API allows is text.
const MOST_NESTED: u32 = 4;

/// The media among the blocks of a result or a document, and among theirs.
fn nested_media<'d>(content: Option<Value<'d>>, depth: u32, visit: &mut dyn FnMut(Part<'d>)) {
    let blocks = content.filter(|_| depth > 0);
    for block in blocks.into_iter().flat_map(Value::items) {
        if let Some(part) = media(block) {
            visit(part);
            nested_media(block.get("source").and_then(|source| source.get("content")), depth - 1, visit);
        }
    }
}

pub(super) fn is_call(kind: Option<Value<'_>>) -> bool {
    kind.and_then(Value::text).is_some_and(|kind| kind.ends_with(b"tool_use"))
}

/// An image or document block; `data` is its inlined base64.
pub(super) fn media(block: Value<'_>) -> Option<Part<'_>> {
    if !block.get("type")?.is_any(&["image", "document", "container_upload"]) {
        return None;
    }
    let source = block.get("source");
    let inlined = source.filter(|s| s.get("type").is_none_or(|t| t.is_str("base64")));
    Some(Part::Media { data: inlined.and_then(|s| s.get_str("data")), raw: block })
}

/// A result block.
pub(super) fn result_block(call: Unanswered<'_>, text: &str) -> String {
    format!(r#"{{"type":"tool_result","tool_use_id":{},"content":{},"is_error":true}}"#, call.id, quote(text))
}

/// Tools that the provider runs are answered in the model's own message.
pub(super) fn is_server_call(block: Value<'_>) -> bool {
    is_call(block.get("type")) && !block.get("type").is_some_and(|kind| kind.is_str("tool_use"))
}

/// Where the id of a block is.
pub(super) fn block_id(result: bool) -> Vec<&'static str> {
    vec![if result { "tool_use_id" } else { "id" }]
}

/// Block types that only formats with this kind of block have.
pub(super) fn is_distinctive(block: Value<'_>) -> bool {
    if block.get("tool_use_id").is_some() {
        return true;
    }
    let Some(kind) = block.get("type") else { return false };
    if kind.is_any(&["thinking", "redacted_thinking"]) || is_call(Some(kind)) {
        return true;
    }
    kind.is_any(&["image", "document"]) && block.get("source").is_some()
}

/// Members of messages and blocks that a conversion carries over.
pub(super) const MEMBERS: [&str; 12] = [
    "role",
    "content",
    "type",
    "text",
    "thinking",
    "signature",
    "data",
    "id",
    "name",
    "input",
    "tool_use_id",
    "is_error",
];

/// A piece of a turn as a block.
pub(super) fn written_block(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"type":"text","text":{text}}}"#),
        Piece::Thought(thought) => thinking_block(thought),
        Piece::Media(media) => media_block(media),
        Piece::Call(Call { id, name, arguments, .. }) => {
            format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{}}}"#, arguments.object())
        }
        Piece::Answer(answer) => result_block_of(answer, Some("tool_result")),
    }
}

/// A result, with the type of its block where it is one among others.
pub(super) fn result_block_of(answer: &Answer<'_>, kind: Option<&str>) -> String {
    record(&[
        ("type", kind.map(quote)),
        ("tool_use_id", Some(answer.id.to_string())),
        ("content", Some(answer.content.text_or_list(&written_block))),
        ("is_error", answer.error.then(|| "true".to_string())),
    ])
}

/// A block of reasoning. Without a seal it is for formats that take it so.
pub(super) fn thinking_block(thought: &Thought<'_>) -> String {
    let text = thought.text.as_deref().unwrap_or(r#""""#);
    match &thought.seal {
        Some(Seal::Redacted(data)) => format!(r#"{{"type":"redacted_thinking","data":{data}}}"#),
        Some(Seal::Signature(seal)) => format!(r#"{{"type":"thinking","thinking":{text},"signature":{seal}}}"#),
        None => format!(r#"{{"type":"thinking","thinking":{text}}}"#),
    }
}

fn media_block(media: &Media<'_>) -> String {
    let kind = if media.is_image() { "image" } else { "document" };
    let source = match &media.source {
        MediaSource::Inline(data) => {
            format!(r#"{{"type":"base64","media_type":{},"data":{}}}"#, quote(media.type_or("")), quote(data))
        }
        MediaSource::Url(url) => format!(r#"{{"type":"url","url":{}}}"#, quote(url)),
    };
    format!(r#"{{"type":"{kind}","source":{source}}}"#)
}
