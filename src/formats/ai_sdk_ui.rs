//! Vercel AI SDK `UIMessage`: a call and its result are one part of the assistant's message, and its state says how far it
//! came. A summary is a message whose id starts with `compaction_`, as other tools write it.

use super::ai_sdk::{is_signed, only_text, result_part, sealed};
use super::{role_by_name, Fit, MessageFormat, Unanswered, ASSISTANT, SYSTEM, USER};
use crate::convert::media::{Media, Spot};
use crate::convert::turn::{list, Answer, Call, Content, Piece, Turn};
use crate::convert::Room;
use crate::fingerprint;
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Provenance, Role};
use crate::profile::{self, Profile};
use crate::window::Side;
use std::borrow::Cow;

pub(super) struct AiSdkUi;

const SUMMARY_ID: &str = "compaction_";

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
        "id",
        "role",
        "parts",
        "type",
        "text",
        "state",
        "toolCallId",
        "toolName",
        "input",
        "rawInput",
        "output",
        "errorText",
        "value",
        "providerMetadata",
        "anthropic",
        "signature",
        "redactedData",
        "providerExecuted",
    ],
};

impl MessageFormat for AiSdkUi {
    fn profile(&self) -> &'static Profile {
        &profile::AI_SDK_UI
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let role = message.get("role").is_some_and(|role| role.is_any(&["system", "user", "assistant"]));
        let Some(parts) = message.get("parts").filter(|parts| role && parts.kind() == Kind::Array) else {
            return Fit::Impossible;
        };
        if !parts.items().all(|part| part.get_str("type").is_some()) {
            return Fit::Impossible;
        }
        if parts.items().next().is_some() {
            Fit::Certain
        } else {
            Fit::Possible
        }
    }

    fn role(&self, message: Value<'_>) -> Role {
        role_by_name(message, &[SYSTEM, USER, ASSISTANT])
    }

    fn provenance(&self, message: Value<'_>) -> Provenance {
        let id = message.get_str("id").and_then(Value::text);
        if id.is_some_and(|id| id.starts_with(SUMMARY_ID.as_bytes())) {
            Provenance::Summary
        } else {
            Provenance::Plain
        }
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        message.get("parts").into_iter().flat_map(Value::items).for_each(|part| part_of(part, visit));
    }

    fn list<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get("parts").filter(|parts| parts.kind() == Kind::Array)
    }

    fn tool_name<'d>(&self, name: Value<'d>) -> Cow<'d, str> {
        // `tool-read`: the part's type holds the name.
        let text = name.text_lossy();
        text.strip_prefix("tool-").map(|name| Cow::Owned(name.to_string())).unwrap_or(text)
    }

    fn digest(&self, text: &str, _like: Option<Value<'_>>) -> Vec<String> {
        // The id must not change from run to run.
        let id = fingerprint::text(text.as_bytes()).to_string();
        vec![ui_message(&format!("{SUMMARY_ID}{}", &id[..16]), "user", text)]
    }

    fn pinned(&self, text: &str, _like: Option<Value<'_>>, _system: bool) -> Vec<String> {
        let id = fingerprint::text(text.as_bytes()).to_string();
        vec![ui_message(&format!("pins_{}", &id[..16]), "system", text)]
    }

    fn pinned_type(&self) -> &'static str {
        r#"{ id: string; role: "system"; parts: { type: "text"; text: string }[] }"#
    }

    fn digest_shape(&self) -> &'static str {
        "ai-sdk-ui"
    }

    fn digest_type(&self) -> &'static str {
        r#"{ id: string; role: "user"; parts: { type: "text"; text: string }[] }"#
    }

    fn note(&self, side: Side, text: &str) -> String {
        let role = if side == Side::User { "user" } else { "assistant" };
        let id = fingerprint::text(text.as_bytes()).to_string();
        ui_message(&format!("note_{}", &id[..16]), role, text)
    }

    fn result(&self, _call: Unanswered<'_>, _text: &str) -> Option<String> {
        None
    }

    fn close(&self, call: Value<'_>, text: &str) -> Vec<(&'static str, String)> {
        // Leave was asked, and nothing came of it: denied, as the SDK has it.
        if let Some(approval) =
            call.get("approval").filter(|approval| !approval.get("approved").is_some_and(Value::is_true))
        {
            let id =
                approval.get("id").map_or_else(|| "null".into(), |id| String::from_utf8_lossy(id.raw()).into_owned());
            let denied = format!(r#"{{"id":{id},"approved":false,"reason":{}}}"#, quote(text));
            return vec![("state", quote("output-denied")), ("approval", denied)];
        }
        vec![("state", quote("output-error")), ("errorText", quote(text))]
    }

    fn said(&self, _raw: Value<'_>, _content: Value<'_>, text: &str) -> Option<String> {
        Some(quote(text))
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        if turn.provenance == Provenance::Summary && turn.said().len() == turn.pieces.len() {
            let text = turn.text();
            let print = fingerprint::text(text.as_bytes()).to_string();
            let parts = list(turn.pieces.iter().map(written_part));
            return vec![message(&format!("{SUMMARY_ID}{}", &print[..16]), "user", &parts)];
        }
        let parts = list(turn.pieces.iter().map(written_part));
        vec![message(&format!("m{}", turn.number), turn.role.name(), &parts)]
    }

    fn seams(&self, message: Value<'_>) -> Vec<usize> {
        let parts = message.get("parts").into_iter().flat_map(Value::items);
        let seam = |part: &Value<'_>| part.get("type").is_some_and(|kind| kind.is_str("step-start"));
        parts.filter(seam).map(|part| part.span().start).collect()
    }

    fn is_hosted(&self, call: Value<'_>) -> bool {
        call.get("providerExecuted").is_some_and(Value::is_true)
    }

    fn id_path(&self, _message: Value<'_>, _raw: Value<'_>, _result: bool) -> Vec<&'static str> {
        vec!["toolCallId"]
    }
}

fn ui_message(id: &str, role: &str, text: &str) -> String {
    format!(r#"{{"id":{},"role":"{role}","parts":[{{"type":"text","text":{}}}]}}"#, quote(id), quote(text))
}

fn part_of<'d>(part: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    let Some(kind) = part.get_str("type") else { return visit(Part::Other(part)) };
    // Version 4 had one kind of part for all tools, with everything a level deeper.
    let tool = kind.text().is_some_and(|kind| kind.starts_with(b"tool-")) && !kind.is_str("tool-invocation");
    if tool || kind.is_str("dynamic-tool") {
        return tool_part(part, kind, visit);
    }
    if kind.is_str("text") {
        return visit(part.get_str("text").map_or(Part::Other(part), Part::Text));
    }
    if kind.is_str("reasoning") {
        return visit(Part::Reasoning { text: part.get_str("text"), signed: is_signed(part), raw: part });
    }
    if kind.is_str("file") {
        let data = part.get_str("url").filter(|url| url.text().is_some_and(|url| url.starts_with(b"data:")));
        return visit(Part::Media { data, raw: part });
    }
    // A seam between steps says nothing.
    if !kind.is_str("step-start") {
        visit(Part::Other(part));
    }
}

fn tool_part<'d>(part: Value<'d>, kind: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    let id = part.get("toolCallId");
    let name = part.get_str("toolName").or(Some(kind));
    let arguments = part.get("input").or_else(|| part.get("rawInput"));
    // Whoever runs it: the part holds its result.
    visit(Part::Call { id, name, arguments, hosted: false, raw: part });
    let Some(state) = part.get("state") else { return };
    let content = if state.is_str("output-available") {
        part.get("output")
    } else if state.is_str("output-error") {
        part.get("errorText")
    } else if state.is_str("output-denied") {
        part.get("approval").and_then(|approval| approval.get("reason"))
    } else {
        return;
    };
    visit(Part::Result { id, name, content, error: !state.is_str("output-available"), raw: part });
}

/// Files name their media type.
fn has_room(media: &Media<'_>, spot: Spot) -> bool {
    match spot {
        Spot::Result => media.inline().is_some(),
        _ => media.media_type.is_some() || media.is_image(),
    }
}

fn message(id: &str, role: &str, parts: &str) -> String {
    format!(r#"{{"id":{},"role":"{role}","parts":{parts}}}"#, quote(id))
}

fn written_part(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"type":"text","text":{text}}}"#),
        Piece::Thought(thought) => {
            let text = thought.text.as_deref().unwrap_or(r#""""#);
            format!(r#"{{"type":"reasoning","text":{text},"state":"done"{}}}"#, sealed("providerMetadata", thought))
        }
        Piece::Media(media) => {
            let name = media.name.as_deref().map_or_else(String::new, |name| format!(r#","filename":{name}"#));
            let (media_type, url) = (quote(media.type_or("image/*")), quote(&media.url()));
            format!(r#"{{"type":"file","mediaType":{media_type},"url":{url}{name}}}"#)
        }
        Piece::Call(call) => written_call(call),
        // It stands in its call.
        Piece::Answer(_) => String::new(),
    }
}

fn written_call(call: &Call<'_>) -> String {
    let (id, input) = (&call.id, call.arguments.object());
    // Version 4 had one kind of part for all tools, which no tool can be called like.
    let kind = match &call.name[1..call.name.len() - 1] {
        "invocation" => r#""type":"dynamic-tool","toolName":"invocation""#.to_string(),
        name => format!(r#""type":"tool-{name}""#),
    };
    let state = match &call.answer {
        None => r#""state":"input-available""#.to_string(),
        Some(answer) => state(answer),
    };
    format!(r#"{{{kind},"toolCallId":{id},"input":{input},{state}}}"#)
}

fn state(answer: &Answer<'_>) -> String {
    if answer.error {
        return format!(r#""state":"output-error","errorText":{}"#, answer.content.text());
    }
    let output = match &answer.content {
        Content::Value(value) => value.to_string(),
        Content::Pieces(_) if only_text(&answer.content) => answer.content.text(),
        content => content.text_or_list(&result_part),
    };
    format!(r#""state":"output-available","output":{output}"#)
}
