//! Anthropic Messages API: `{role, content}` with content blocks; all results of a turn in the next
//! user message.

use super::blocks::{content_parts, is_distinctive};
use super::{fit_role_content, Fit, MessageFormat};
use crate::json::Value;
use crate::message::{Part, Provenance, Role};

pub(super) struct Anthropic;

/// Block types of other `{role, content}` formats.
const FOREIGN: [&str; 9] = [
    "image_url",
    "input_audio",
    "refusal",
    "file",
    "input_text",
    "output_text",
    "tool-call",
    "tool-result",
    "reasoning",
];

impl MessageFormat for Anthropic {
    fn fit(&self, message: Value<'_>) -> Fit {
        let known = fit_role_content(message, &["user", "assistant", "system"]);
        if known == Fit::Impossible {
            return known;
        }
        let foreign_field = ["tool_calls", "function_call", "tool_call_id", "toolCalls", "parts"]
            .iter()
            .any(|key| message.get(key).is_some());
        let content = message.get("content");
        let mut blocks = content.into_iter().flat_map(Value::items);
        if foreign_field || blocks.any(|block| block.get("type").is_some_and(|t| t.is_any(&FOREIGN))) {
            return Fit::Impossible;
        }
        if content.into_iter().flat_map(Value::items).any(is_distinctive) {
            return Fit::Certain;
        }
        // The API takes system text outside the array; arrays that hold it come from callers that
        // keep everything in one list.
        if message.get("role").is_some_and(|role| role.is_str("system")) {
            return Fit::Unusual;
        }
        Fit::Possible
    }

    fn role(&self, message: Value<'_>) -> Role {
        match message.get("role") {
            Some(role) if role.is_str("user") => Role::User,
            Some(role) if role.is_str("assistant") => Role::Assistant,
            Some(role) if role.is_str("system") => Role::System,
            _ => Role::Other,
        }
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

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        content_parts(message.get("content"), visit);
    }
}
