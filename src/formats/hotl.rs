//! Typed items: `{type: "system" | "user", text}`, `{type: "assistant", blocks}`,
//! `{type: "tool_results", results}`; `synthetic` says where a user item came from.

use super::blocks::{block_id, block_parts, is_server_call, result_block_of, result_parts, said_in, written_block};
use super::{Fit, MessageFormat, Unanswered};
use crate::convert::media::{Media, Spot};
use crate::convert::turn::{list, record, Piece, Turn};
use crate::convert::Room;
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Provenance, Role};
use crate::profile::{self, Profile};
use crate::tokens::conservative;
use crate::window::Side;

pub(super) struct Hotl;

static ROOM: Room = Room {
    system: true,
    thoughts: false,
    seals: true,
    media: has_room,
    errors: true,
    any_arguments: false,
    any_ids: false,
    longest_id: None,
    text_errors: true,
    marks: &[
        Provenance::Instructions,
        Provenance::Memory,
        Provenance::Steer,
        Provenance::Injected,
        Provenance::Summary,
    ],
    members: &[
        "type",
        "text",
        "images",
        "media_type",
        "data",
        "blocks",
        "results",
        "tool_use_id",
        "content",
        "is_error",
        "synthetic",
        "thinking",
        "signature",
        "id",
        "name",
        "input",
    ],
};

impl MessageFormat for Hotl {
    fn profile(&self) -> &'static Profile {
        &profile::HOTL
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let has = |key: &str, kind: Kind| message.get(key).is_some_and(|value| value.kind() == kind);
        let Some(kind) = message.get_str("type") else { return Fit::Impossible };
        if message.get("role").is_some() {
            return Fit::Impossible;
        }
        let body = (kind.is_any(&["system", "user"]) && has("text", Kind::String))
            || (kind.is_str("assistant") && has("blocks", Kind::Array))
            || (kind.is_str("tool_results") && has("results", Kind::Array));
        if body {
            return Fit::Certain;
        }
        // Types that this version does not know are carried through; a known type of another shape is another format's.
        if kind.is_any(&["system", "user", "assistant", "tool_results"]) {
            return Fit::Impossible;
        }
        Fit::Unusual
    }

    fn role(&self, message: Value<'_>) -> Role {
        match message.get("type") {
            Some(kind) if kind.is_str("system") => Role::System,
            Some(kind) if kind.is_str("user") => Role::User,
            Some(kind) if kind.is_str("assistant") => Role::Assistant,
            Some(kind) if kind.is_str("tool_results") => Role::Tool,
            _ => Role::Other,
        }
    }

    fn telling(&self) -> Option<&'static [&'static str]> {
        Some(&["type", "synthetic"])
    }

    fn provenance(&self, message: Value<'_>) -> Provenance {
        let Some(synthetic) = message.get_str("synthetic") else { return Provenance::Plain };
        match synthetic.text_lossy().as_ref() {
            "project_instructions" => Provenance::Instructions,
            "memory" => Provenance::Memory,
            "steer" => Provenance::Steer,
            "compaction_summary" => Provenance::Summary,
            // system_reminder, subagent_result, doom_loop_nudge, retry_feedback, moim,
            // subdir_instructions, and anything newer.
            _ => Provenance::Injected,
        }
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        match self.role(message) {
            Role::System | Role::User => {
                if let Some(text) = message.get_str("text") {
                    visit(Part::Text(text));
                }
                for image in message.get("images").into_iter().flat_map(Value::items) {
                    visit(Part::Media { data: image.get_str("data"), raw: image });
                }
            }
            Role::Assistant => {
                message.get("blocks").into_iter().flat_map(Value::items).for_each(|block| block_parts(block, visit));
            }
            Role::Tool => {
                message
                    .get("results")
                    .into_iter()
                    .flat_map(Value::items)
                    .for_each(|result| result_parts(result, visit));
            }
            Role::Other => visit(Part::Other(message)),
        }
    }

    fn conservative_tokens(&self, message: Value<'_>) -> u64 {
        let body = match self.role(message) {
            Role::System | Role::User => {
                let text = message.get_str("text").map_or(0, conservative::of_text);
                let images = message.get("images").map_or(0, |images| images.items().count() as u64);
                text + images * conservative::MEDIA
            }
            Role::Assistant => message.get("blocks").into_iter().flat_map(Value::items).map(block_tokens).sum(),
            Role::Tool => message.get("results").into_iter().flat_map(Value::items).map(result_tokens).sum(),
            Role::Other => 0,
        };
        conservative::PER_MESSAGE + body
    }

    fn counts_text(&self) -> bool {
        true
    }

    fn list<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        let key = if self.role(message) == Role::Tool { "results" } else { "blocks" };
        message.get(key).filter(|list| list.kind() == Kind::Array)
    }

    fn digest(&self, text: &str, _like: Option<Value<'_>>) -> Vec<String> {
        vec![format!(r#"{{"type":"user","text":{},"synthetic":"compaction_summary"}}"#, quote(text))]
    }

    fn pinned(&self, text: &str, _like: Option<Value<'_>>, _system: bool) -> Vec<String> {
        vec![format!(r#"{{"type":"user","text":{},"synthetic":"memory"}}"#, quote(text))]
    }

    fn pinned_type(&self) -> &'static str {
        r#"{ type: "user"; text: string; synthetic: "memory" }"#
    }

    fn digest_shape(&self) -> &'static str {
        "hotl"
    }

    fn digest_type(&self) -> &'static str {
        r#"{ type: "user"; text: string; synthetic: "compaction_summary" }"#
    }

    fn note(&self, side: Side, text: &str) -> String {
        let text = quote(text);
        match side {
            Side::User => format!(r#"{{"type":"user","text":{text},"synthetic":"system_reminder"}}"#),
            Side::Model => format!(r#"{{"type":"assistant","blocks":[{{"type":"text","text":{text}}}]}}"#),
        }
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        Some(format!(r#"{{"tool_use_id":{},"content":{},"is_error":true}}"#, call.id, quote(text)))
    }

    fn carrier(&self, results: &str) -> Option<String> {
        Some(format!(r#"{{"type":"tool_results","results":[{results}]}}"#))
    }

    fn answered_inside(&self, call: Value<'_>) -> bool {
        is_server_call(call)
    }

    fn said(&self, raw: Value<'_>, content: Value<'_>, text: &str) -> Option<String> {
        said_in(raw, content, text)
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        match turn.role {
            Role::Assistant => {
                let blocks = list(turn.pieces.iter().map(written_block));
                vec![format!(r#"{{"type":"assistant","blocks":{blocks}}}"#)]
            }
            Role::Tool => {
                let results = list(turn.answers().map(|answer| result_block_of(answer, None)));
                vec![format!(r#"{{"type":"tool_results","results":{results}}}"#)]
            }
            role => {
                let images = list(turn.pieces.iter().filter_map(written_image));
                let members = [
                    ("type", Some(quote(role.name()))),
                    ("text", Some(turn.text())),
                    ("images", Some(images).filter(|images| images.len() > 2)),
                    ("synthetic", synthetic(turn)),
                ];
                vec![record(&members)]
            }
        }
    }

    fn injected_by<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get_str("synthetic").filter(|_| self.provenance(message) == Provenance::Injected)
    }

    fn id_path(&self, _message: Value<'_>, _raw: Value<'_>, result: bool) -> Vec<&'static str> {
        block_id(result)
    }
}

fn block_tokens(block: Value<'_>) -> u64 {
    conservative::json_without_media(block, |visit| block_parts(block, visit))
}

/// Each result costs its content and 6 for its envelope.
fn result_tokens(result: Value<'_>) -> u64 {
    let content = match result.get("content") {
        Some(content) if content.kind() == Kind::String => conservative::of_text(content),
        Some(content) => conservative::json_without_media(content, |visit| {
            content.items().for_each(|block| block_parts(block, visit));
        }),
        None => 0,
    };
    content + 6
}

/// Images that are inlined; results hold what Anthropic's do.
fn has_room(media: &Media<'_>, spot: Spot) -> bool {
    match spot {
        Spot::User => media.is_image() && media.inline().is_some(),
        Spot::Model => false,
        Spot::Result => media.is_image() || media.is_pdf(),
    }
}

fn written_image(piece: &Piece<'_>) -> Option<String> {
    let Piece::Media(media) = piece else { return None };
    Some(format!(r#"{{"media_type":{},"data":{}}}"#, quote(media.type_or("")), quote(media.raw())))
}

/// The mark of where a turn came from.
fn synthetic(turn: &Turn<'_>) -> Option<String> {
    let reserved = ["project_instructions", "memory", "steer", "compaction_summary"];
    match turn.provenance {
        Provenance::Plain => None,
        Provenance::Instructions => Some(quote(reserved[0])),
        Provenance::Memory => Some(quote(reserved[1])),
        Provenance::Steer => Some(quote(reserved[2])),
        Provenance::Summary => Some(quote(reserved[3])),
        Provenance::Injected => {
            let own = turn.injected_by.as_deref().filter(|name| !reserved.iter().any(|other| quote(other) == *name));
            Some(own.map_or_else(|| quote("system_reminder"), str::to_string))
        }
    }
}
