//! Anthropic Messages API: `{role, content}` with content blocks; all results of a turn in the next
//! user message.

use super::blocks::{
    block_id, block_parts, is_distinctive, is_server_call, result_block, said_in, written_block, MEMBERS,
};
use super::{content_parts, fit_role_content, object_form, role_by_name, Fit, MessageFormat, Unanswered};
use super::{ASSISTANT, SYSTEM, USER};
use crate::convert::media::{Media, Spot};
use crate::convert::turn::{list, Turn};
use crate::convert::Room;
use crate::json::Value;
use crate::message::{Part, Provenance, Role};
use crate::profile::{self, Profile};

pub(super) struct Anthropic;

/// The API documents images and PDF documents, in what the user says and in results.
pub(super) fn has_room(media: &Media<'_>, spot: Spot) -> bool {
    spot != Spot::Model && (media.is_image() || media.is_pdf())
}

static ROOM: Room = Room {
    system: false,
    thoughts: false,
    seals: true,
    media: has_room,
    errors: true,
    any_arguments: false,
    any_ids: false,
    longest_id: None,
    text_errors: true,
    marks: &[],
    members: &MEMBERS,
};

impl MessageFormat for Anthropic {
    fn profile(&self) -> &'static Profile {
        &profile::ANTHROPIC
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let known = fit_role_content(message, &["user", "assistant", "system"]);
        if known == Fit::Impossible {
            return known;
        }
        let blocks = || message.get("content").into_iter().flat_map(Value::items);
        if blocks().any(is_distinctive) {
            return Fit::Certain;
        }
        // The API takes system text outside the array; arrays that hold it come from callers that
        // keep everything in one list. Unknown blocks are carried through, and rather speak for another format.
        let system = message.get("role").is_some_and(|role| role.is_str("system"));
        let unknown = |block: Value<'_>| !block.get("type").is_some_and(|t| t.is_any(&["text", "compaction"]));
        let bare = message.get("content").is_none_or(Value::is_null);
        if system || bare || blocks().any(unknown) {
            return Fit::Unusual;
        }
        Fit::Possible
    }

    fn role(&self, message: Value<'_>) -> Role {
        role_by_name(message, &[USER, ASSISTANT, SYSTEM])
    }

    fn provenance(&self, message: Value<'_>) -> Provenance {
        let (mut summaries, mut others) = (0, 0);
        self.parts(message, &mut |part| match part {
            Part::Summary(_) => summaries += 1,
            _ => others += 1,
        });
        if summaries > 0 && others == 0 {
            Provenance::Summary
        } else {
            Provenance::Plain
        }
    }

    fn pinned_type(&self) -> &'static str {
        r#"{ role: "user"; content: string }"#
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        content_parts(message.get("content"), visit, &block_parts);
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        Some(result_block(call, text))
    }

    fn carrier(&self, results: &str) -> Option<String> {
        Some(format!(r#"{{"role":"user","content":[{results}]}}"#))
    }

    fn answered_inside(&self, call: Value<'_>) -> bool {
        is_server_call(call)
    }

    fn refused_form(&self, part: &Part<'_>) -> Option<(Vec<&'static str>, String)> {
        let Part::Call { arguments, .. } = part else { return None };
        Some((vec!["input"], object_form(*arguments)?))
    }

    fn said(&self, raw: Value<'_>, content: Value<'_>, text: &str) -> Option<String> {
        said_in(raw, content, text)
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        let role = match turn.role {
            Role::Assistant => "assistant",
            _ => "user",
        };
        let content = match turn.role {
            Role::User => turn.said_as("[]", &|piece| written_block(piece)),
            _ => list(turn.pieces.iter().map(written_block)),
        };
        vec![format!(r#"{{"role":"{role}","content":{content}}}"#)]
    }

    fn id_path(&self, _message: Value<'_>, _raw: Value<'_>, result: bool) -> Vec<&'static str> {
        block_id(result)
    }
}
