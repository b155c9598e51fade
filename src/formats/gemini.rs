//! Gemini contents: `{role: "user" | "model", parts}`. Calls may lack ids, and clients invent them on the answering side
//! alone: then they pair by name and order. The REST spelling in snake_case is read as well.

use super::{json_text, object_form, role_by_name, Fit, MessageFormat, Unanswered, SYSTEM, USER};
use crate::convert::media::{Media, MediaSource, Spot};
use crate::convert::turn::{list, record, Answer, Call, Content, Piece, Turn};
use crate::convert::Room;
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Role};
use crate::profile::{self, Profile};
use crate::window::Side;

pub(super) struct Gemini;

/// Stands for the signature of a call that another model made: Gemini 3 refuses the first call of a turn without one, and its
/// documentation of thought signatures names this for histories from elsewhere.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// What the model says after a digest, so that user and model take turns.
const ACKNOWLEDGED: &str = "Understood. I go on from this summary.";

fn member<'d>(part: Value<'d>, camel: &str, snake: &str) -> Option<Value<'d>> {
    part.get(camel).or_else(|| part.get(snake))
}

fn function_call(part: Value<'_>) -> Option<Value<'_>> {
    member(part, "functionCall", "function_call").filter(|call| call.kind() == Kind::Object)
}

fn function_response(part: Value<'_>) -> Option<Value<'_>> {
    member(part, "functionResponse", "function_response").filter(|response| response.kind() == Kind::Object)
}

fn is_signed(part: Value<'_>) -> bool {
    signature(part).is_some()
}

fn signature(part: Value<'_>) -> Option<Value<'_>> {
    let signature = member(part, "thoughtSignature", "thought_signature");
    signature.filter(|signature| signature.kind() == Kind::String && signature.raw().len() > 2)
}

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
    marks: &[],
    members: &[
        "role",
        "parts",
        "text",
        "thought",
        "functionCall",
        "function_call",
        "functionResponse",
        "function_response",
        "id",
        "name",
        "args",
        "response",
        "output",
        "result",
        "error",
    ],
};

impl MessageFormat for Gemini {
    fn profile(&self) -> &'static Profile {
        &profile::GEMINI
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let role = message.get("role").is_none_or(|role| role.is_any(&["user", "model", "function", "system"]));
        let Some(parts) = message.get("parts").filter(|parts| role && parts.kind() == Kind::Array) else {
            return Fit::Impossible;
        };
        // Parts of other formats say what they are; here their members do.
        let typed = |part: Value<'_>| part.kind() != Kind::Object || part.get("type").is_some();
        if parts.items().any(typed) {
            return Fit::Impossible;
        }
        if parts.items().next().is_some() {
            Fit::Certain
        } else {
            Fit::Possible
        }
    }

    fn role(&self, message: Value<'_>) -> Role {
        // Without a role it is the user's.
        if message.get("role").is_none() {
            return Role::User;
        }
        role_by_name(message, &[USER, ("model", Role::Assistant), ("function", Role::Tool), SYSTEM])
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        message.get("parts").into_iter().flat_map(Value::items).for_each(|part| part_of(part, visit));
    }

    fn list<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get("parts").filter(|parts| parts.kind() == Kind::Array)
    }

    fn digest(&self, text: &str, _like: Option<Value<'_>>) -> Vec<String> {
        vec![self.note(Side::User, text), self.note(Side::Model, ACKNOWLEDGED)]
    }

    fn pinned_type(&self) -> &'static str {
        self.digest_type()
    }

    fn digest_shape(&self) -> &'static str {
        "gemini"
    }

    fn digest_type(&self) -> &'static str {
        r#"[{ role: "user"; parts: { text: string }[] }, { role: "model"; parts: { text: string }[] }]"#
    }

    fn note(&self, side: Side, text: &str) -> String {
        let role = if side == Side::User { "user" } else { "model" };
        format!(r#"{{"role":"{role}","parts":[{{"text":{}}}]}}"#, quote(text))
    }

    fn text_part(&self, text: &str) -> String {
        format!(r#"{{"text":{}}}"#, quote(text))
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        let id = if call.id == "null" { String::new() } else { format!(r#""id":{},"#, call.id) };
        let (name, text) = (call.name, quote(text));
        Some(format!(r#"{{"functionResponse":{{{id}"name":{name},"response":{{"error":{text}}}}}}}"#))
    }

    fn carrier(&self, results: &str) -> Option<String> {
        Some(format!(r#"{{"role":"user","parts":[{results}]}}"#))
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        let role = if turn.role == Role::Assistant { "model" } else { "user" };
        let first = turn.pieces.iter().position(|piece| matches!(piece, Piece::Call(_)));
        let part = |(at, piece): (usize, &Piece<'_>)| match Some(at) == first {
            true => written_part(piece).replacen('{', &format!(r#"{{"thoughtSignature":"{UNSIGNED}","#), 1),
            false => written_part(piece),
        };
        vec![format!(r#"{{"role":"{role}","parts":{}}}"#, list(turn.pieces.iter().enumerate().map(part)))]
    }

    fn said(&self, _raw: Value<'_>, content: Value<'_>, text: &str) -> Option<String> {
        let key = if content.get("error").is_some() { "error" } else { "output" };
        (content.kind() == Kind::Object).then(|| format!(r#"{{"{key}":{}}}"#, quote(text)))
    }

    fn unwrapped<'d>(&self, content: Value<'d>) -> Value<'d> {
        // A response is an object, whatever the tool said.
        let mut members = content.entries();
        match (members.next(), members.next()) {
            (Some((key, value)), None) if key.is_any(&["output", "result", "error"]) => value,
            _ => content,
        }
    }

    fn refused_form(&self, part: &Part<'_>) -> Option<(Vec<&'static str>, String)> {
        let (raw, result, value) = match *part {
            Part::Call { raw, arguments, .. } => (raw, false, arguments?),
            Part::Result { raw, content, .. } => (raw, true, content?),
            _ => return None,
        };
        // What is null is left out to the provider.
        if value.is_null() {
            return None;
        }
        let form = match result && value.kind() != Kind::Object {
            true => format!(r#"{{"output":{}}}"#, json_text(value)),
            false => object_form(Some(value))?,
        };
        Some((vec![body_key(raw, result), if result { "response" } else { "args" }], form))
    }

    fn signatures<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(usize, Value<'d>)) {
        for (at, part) in
            message.get("parts").into_iter().flat_map(Value::items).enumerate().filter(|(_, part)| is_signed(*part))
        {
            // What is no text, call or result counts as a whole.
            part_of(part, &mut |of| {
                if let (Part::Text(_) | Part::Call { .. } | Part::Result { .. }, Some(signature)) =
                    (of, signature(part))
                {
                    visit(at, signature);
                }
            });
        }
    }

    fn id_path(&self, _message: Value<'_>, raw: Value<'_>, result: bool) -> Vec<&'static str> {
        vec![body_key(raw, result), "id"]
    }
}

/// The member that holds a call or a result, in either spelling.
fn body_key(part: Value<'_>, result: bool) -> &'static str {
    let names = if result { ["functionResponse", "function_response"] } else { ["functionCall", "function_call"] };
    if part.get(names[1]).is_some() {
        names[1]
    } else {
        names[0]
    }
}

fn part_of<'d>(part: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    if let Some(call) = function_call(part) {
        let (id, name, arguments) = (call.get("id"), call.get_str("name"), call.get("args"));
        return visit(Part::Call { id, name, arguments, hosted: false, raw: part });
    }
    if let Some(response) = function_response(part) {
        let content = response.get("response");
        let error = content.is_some_and(|content| content.get("error").is_some());
        visit(Part::Result { id: response.get("id"), name: response.get_str("name"), content, error, raw: part });
        return response.get("parts").into_iter().flat_map(Value::items).filter_map(media).for_each(visit);
    }
    if let Some(text) = part.get_str("text") {
        let thought = part.get("thought").is_some_and(Value::is_true);
        return visit(match thought {
            true => Part::Reasoning { text: Some(text), signed: is_signed(part), raw: part },
            // The signature is what the part is there for.
            false if text.raw().len() <= 2 && is_signed(part) => Part::Other(part),
            false => Part::Text(text),
        });
    }
    visit(media(part).unwrap_or(Part::Other(part)));
}

fn media(part: Value<'_>) -> Option<Part<'_>> {
    if let Some(inline) = member(part, "inlineData", "inline_data") {
        return Some(Part::Media { data: inline.get_str("data"), raw: part });
    }
    member(part, "fileData", "file_data").map(|_| Part::Media { data: None, raw: part })
}

/// Addresses name their media type.
fn has_room(media: &Media<'_>, spot: Spot) -> bool {
    media.media_type.is_some() && (spot != Spot::Result || media.inline().is_some())
}

fn written_part(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"text":{text}}}"#),
        Piece::Thought(thought) => {
            format!(r#"{{"text":{},"thought":true}}"#, thought.text.as_deref().unwrap_or(r#""""#))
        }
        Piece::Media(media) => written_media(media),
        Piece::Call(Call { id, name, arguments, .. }) => {
            format!(r#"{{"functionCall":{{"id":{id},"name":{name},"args":{}}}}}"#, arguments.object())
        }
        Piece::Answer(answer) => written_response(answer),
    }
}

fn written_media(media: &Media<'_>) -> String {
    let media_type = quote(media.type_or(""));
    match &media.source {
        MediaSource::Inline(data) => {
            format!(r#"{{"inlineData":{{"mimeType":{media_type},"data":{}}}}}"#, quote(data))
        }
        MediaSource::Url(url) => format!(r#"{{"fileData":{{"mimeType":{media_type},"fileUri":{}}}}}"#, quote(url)),
    }
}

fn written_response(answer: &Answer<'_>) -> String {
    let said = match &answer.content {
        Content::Value(value) => value.to_string(),
        content => content.text(),
    };
    let key = if answer.error { "error" } else { "output" };
    let media = match &answer.content {
        Content::Pieces(pieces) => list(pieces.iter().filter(|p| matches!(p, Piece::Media(_))).map(written_part)),
        _ => "[]".to_string(),
    };
    let response = record(&[
        ("id", Some(answer.id.to_string())),
        ("name", Some(answer.name.to_string())),
        ("response", Some(record(&[(key, Some(said))]))),
        ("parts", Some(media).filter(|media| media.len() > 2)),
    ]);
    format!(r#"{{"functionResponse":{response}}}"#)
}
