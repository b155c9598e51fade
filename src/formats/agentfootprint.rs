//! agentfootprint `LLMMessage`: `{role, content: string}` with `toolCalls` on the assistant's message and one `role: "tool"`
//! message per result.

use super::blocks::{block_parts, thinking_block};
use super::{fit_role_content, role_by_name, Fit, MessageFormat, Unanswered, ASSISTANT, SYSTEM, TOOL, USER};
use crate::convert::media::{Media, Spot};
use crate::convert::turn::{list, record, Answer, Call, Turn};
use crate::convert::Room;
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Provenance, Role};
use crate::profile::{self, Profile};

pub(super) struct Agentfootprint;

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
    marks: &[Provenance::Injected],
    members: &[
        "role",
        "content",
        "toolCalls",
        "id",
        "name",
        "args",
        "toolCallId",
        "toolName",
        "isError",
        "thinkingBlocks",
        "type",
        "thinking",
        "signature",
        "injectedBy",
    ],
};

impl MessageFormat for Agentfootprint {
    fn profile(&self) -> &'static Profile {
        &profile::ANY_CHAT
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let known = fit_role_content(message, &["system", "user", "assistant", "tool"]);
        let text = message.get("content").is_none_or(|content| matches!(content.kind(), Kind::String | Kind::Null));
        if known == Fit::Impossible || !text {
            return Fit::Impossible;
        }
        let bare = message.get_str("content").is_none();
        let list = |key: &str| message.get(key).is_some_and(|value| value.kind() == Kind::Array);
        let own = list("toolCalls") || list("thinkingBlocks") || message.get_str("toolCallId").is_some();
        if own || message.get("injectedBy").is_some() || message.get("ephemeral").is_some() {
            return Fit::Certain;
        }
        if bare || message.get("role").is_some_and(|role| role.is_str("tool")) {
            return Fit::Unusual;
        }
        Fit::Possible
    }

    fn role(&self, message: Value<'_>) -> Role {
        role_by_name(message, &[SYSTEM, USER, ASSISTANT, TOOL])
    }

    fn provenance(&self, message: Value<'_>) -> Provenance {
        if message.get_str("injectedBy").is_some() {
            Provenance::Injected
        } else {
            Provenance::Plain
        }
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        let content = message.get_str("content");
        if self.role(message) == Role::Tool {
            let (id, name) = (message.get("toolCallId"), message.get_str("toolName"));
            let error = message.get("isError").is_some_and(Value::is_true);
            return visit(Part::Result { id, name, content, error, raw: message });
        }
        let list = |key: &str| message.get(key).into_iter().flat_map(Value::items);
        list("thinkingBlocks").for_each(|block| block_parts(block, visit));
        if let Some(text) = content {
            visit(Part::Text(text));
        }
        for call in list("toolCalls") {
            let (id, name, arguments) = (call.get("id"), call.get_str("name"), call.get("args"));
            visit(Part::Call { id, name, arguments, hosted: false, raw: call });
        }
    }

    fn list<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get("thinkingBlocks").filter(|blocks| blocks.kind() == Kind::Array)
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        let (id, name, text) = (call.id, call.name, quote(text));
        Some(format!(r#"{{"role":"tool","content":{text},"toolCallId":{id},"toolName":{name}}}"#))
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        if turn.role == Role::Tool {
            return turn.answers().map(tool_message).collect();
        }
        let injected = (turn.provenance == Provenance::Injected)
            .then(|| turn.injected_by.as_deref().map_or_else(|| quote("converted"), str::to_string));
        let call = |Call { id, name, arguments, .. }: &Call<'_>| {
            format!(r#"{{"id":{id},"name":{name},"args":{}}}"#, arguments.object())
        };
        let some = |list: String| Some(list).filter(|list| list.len() > 2);
        vec![record(&[
            ("role", Some(quote(turn.role.name()))),
            ("content", Some(turn.text())),
            ("toolCalls", some(list(turn.calls().map(call)))),
            ("thinkingBlocks", some(list(turn.thoughts().map(thinking_block)))),
            ("injectedBy", injected),
        ])]
    }

    fn injected_by<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get_str("injectedBy")
    }

    fn id_path(&self, _message: Value<'_>, _raw: Value<'_>, result: bool) -> Vec<&'static str> {
        vec![if result { "toolCallId" } else { "id" }]
    }
}

/// Its content is text.
fn has_room(_media: &Media<'_>, _spot: Spot) -> bool {
    false
}

fn tool_message(answer: &Answer<'_>) -> String {
    let (id, name, content) = (&answer.id, &answer.name, answer.content.text());
    let error = if answer.error { r#","isError":true"# } else { "" };
    format!(r#"{{"role":"tool","content":{content},"toolCallId":{id},"toolName":{name}{error}}}"#)
}
