//! pi agent messages: `toolCall` parts, one `role: "toolResult"` message per result, and messages that the program itself
//! puts into the user's turn.

use super::{content_parts, fit_role_content, Fit, MessageFormat, Unanswered};
use crate::convert::media::{Media, Spot};
use crate::convert::turn::{list, Answer, Call, Piece, Turn};
use crate::convert::Room;
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Provenance, Role};
use crate::profile::{self, Profile};

pub(super) struct Pi;

const OWN_ROLES: [&str; 5] = ["toolResult", "bashExecution", "custom", "branchSummary", "compactionSummary"];

static ROOM: Room = Room {
    system: false,
    thoughts: true,
    seals: false,
    media: has_room,
    errors: true,
    any_arguments: false,
    any_ids: true,
    longest_id: None,
    text_errors: false,
    marks: &[Provenance::Injected, Provenance::Summary],
    members: &[
        "role",
        "content",
        "type",
        "text",
        "thinking",
        "thinkingSignature",
        "id",
        "name",
        "arguments",
        "toolCallId",
        "toolName",
        "isError",
        "summary",
        "command",
        "output",
        "customType",
    ],
};

impl MessageFormat for Pi {
    fn profile(&self) -> &'static Profile {
        &profile::ANY_CHAT
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        if message.get("role").is_some_and(|role| role.is_any(&OWN_ROLES)) {
            return Fit::Certain;
        }
        let known = fit_role_content(message, &["user", "assistant"]);
        let Some(content) = message.get("content").filter(|_| known != Fit::Impossible) else { return Fit::Impossible };
        let own = |block: Value<'_>| {
            let kind = block.get("type");
            kind.is_some_and(|kind| kind.is_str("toolCall"))
                || block.get("thinkingSignature").is_some()
                || (kind.is_some_and(|kind| kind.is_str("image")) && block.get("mimeType").is_some())
        };
        let stopped = message.get("stopReason").is_some() && message.get("usage").is_some();
        if stopped || content.items().any(own) {
            return Fit::Certain;
        }
        let known = ["text", "thinking"];
        if content.kind() == Kind::Null
            || !content.items().all(|block| block.get("type").is_some_and(|t| t.is_any(&known)))
        {
            return Fit::Unusual;
        }
        Fit::Possible
    }

    fn role(&self, message: Value<'_>) -> Role {
        match message.get("role") {
            Some(role) if role.is_str("assistant") => Role::Assistant,
            Some(role) if role.is_str("toolResult") => Role::Tool,
            Some(role) if role.is_str("user") || role.is_any(&OWN_ROLES) => Role::User,
            _ => Role::Other,
        }
    }

    fn provenance(&self, message: Value<'_>) -> Provenance {
        match message.get("role") {
            Some(role) if role.is_str("compactionSummary") => Provenance::Summary,
            Some(role) if role.is_any(&["bashExecution", "custom", "branchSummary"]) => Provenance::Injected,
            _ => Provenance::Plain,
        }
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        let content = message.get("content");
        if self.role(message) == Role::Tool {
            let (id, name) = (message.get("toolCallId"), message.get_str("toolName"));
            let error = message.get("isError").is_some_and(Value::is_true);
            visit(Part::Result { id, name, content, error, raw: message });
            return content.into_iter().flat_map(Value::items).filter_map(media).for_each(visit);
        }
        for text in ["summary", "command", "output"].iter().filter_map(|key| message.get_str(key)) {
            visit(Part::Text(text));
        }
        content_parts(content, visit, &|block, visit| visit(part_of(block)));
    }

    fn pinned(&self, text: &str, _like: Option<Value<'_>>, _system: bool) -> Vec<String> {
        let text = quote(text);
        vec![format!(r#"{{"role":"custom","customType":"plica-pins","content":{text},"display":false,"timestamp":0}}"#)]
    }

    fn pinned_type(&self) -> &'static str {
        r#"{ role: "custom"; customType: "plica-pins"; content: string; display: false; timestamp: 0 }"#
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        let (id, name, text) = (call.id, call.name, quote(text));
        let content = format!(r#"[{{"type":"text","text":{text}}}]"#);
        Some(format!(
            r#"{{"role":"toolResult","toolCallId":{id},"toolName":{name},"content":{content},"isError":true,"timestamp":0}}"#
        ))
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        // Nobody knows when it was said; the program wants a number.
        let time = r#""timestamp":0"#;
        let content = || list(turn.pieces.iter().map(written_part));
        let all_text = turn.pieces.iter().all(|piece| matches!(piece, Piece::Text(_)));
        vec![match (turn.role, turn.provenance) {
            (Role::Tool, _) => return turn.answers().map(tool_result).collect(),
            (Role::Assistant, _) => {
                let reason = if turn.calls().next().is_some() { "toolUse" } else { "stop" };
                format!(r#"{{"role":"assistant","content":{},"stopReason":"{reason}",{time}}}"#, content())
            }
            (_, Provenance::Summary) if all_text => {
                format!(r#"{{"role":"compactionSummary","summary":{},"tokensBefore":0,{time}}}"#, turn.text())
            }
            (_, Provenance::Injected) => {
                let kind = turn.injected_by.as_deref().unwrap_or(r#""converted""#);
                let content = content();
                format!(r#"{{"role":"custom","customType":{kind},"content":{content},"display":true,{time}}}"#)
            }
            _ => format!(r#"{{"role":"user","content":{},{time}}}"#, turn.said_as("[]", &written_part)),
        }]
    }

    fn injected_by<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get_str("customType")
    }

    fn id_path(&self, _message: Value<'_>, _raw: Value<'_>, result: bool) -> Vec<&'static str> {
        vec![if result { "toolCallId" } else { "id" }]
    }
}

fn part_of(block: Value<'_>) -> Part<'_> {
    let kind = block.get("type");
    let is = |name: &str| kind.is_some_and(|kind| kind.is_str(name));
    if is("text") {
        return block.get_str("text").map_or(Part::Other(block), Part::Text);
    }
    if is("thinking") {
        let signed = block.get_str("thinkingSignature").is_some_and(|signature| signature.raw().len() > 2);
        return Part::Reasoning { text: block.get_str("thinking"), signed, raw: block };
    }
    if is("toolCall") {
        let (id, name, arguments) = (block.get("id"), block.get_str("name"), block.get("arguments"));
        return Part::Call { id, name, arguments, hosted: false, raw: block };
    }
    media(block).unwrap_or(Part::Other(block))
}

fn media(block: Value<'_>) -> Option<Part<'_>> {
    block.get("type")?.is_str("image").then(|| Part::Media { data: block.get_str("data"), raw: block })
}

/// Images that are inlined.
fn has_room(media: &Media<'_>, spot: Spot) -> bool {
    spot != Spot::Model && media.is_image() && media.inline().is_some()
}

fn written_part(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"type":"text","text":{text}}}"#),
        Piece::Thought(thought) => {
            format!(r#"{{"type":"thinking","thinking":{}}}"#, thought.text.as_deref().unwrap_or(r#""""#))
        }
        Piece::Media(media) => {
            let (data, media_type) = (quote(media.raw()), quote(media.type_or("")));
            format!(r#"{{"type":"image","data":{data},"mimeType":{media_type}}}"#)
        }
        Piece::Call(Call { id, name, arguments, .. }) => {
            format!(r#"{{"type":"toolCall","id":{id},"name":{name},"arguments":{}}}"#, arguments.object())
        }
        Piece::Answer(answer) => tool_result(answer),
    }
}

fn tool_result(answer: &Answer<'_>) -> String {
    let (id, name, error) = (&answer.id, &answer.name, answer.error);
    let content = answer.content.list(&written_part);
    let named = format!(r#""role":"toolResult","toolCallId":{id},"toolName":{name}"#);
    format!(r#"{{{named},"content":{content},"isError":{error},"timestamp":0}}"#)
}
