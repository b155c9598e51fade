//! OpenAI Chat Completions: every tool_call is answered by a tool message of its own before the next other message.

use super::lines::{self, Call, Line, Said};
use super::{blank, content, text, Content, Fault};
use serde_json::Value;

pub const RULES: [&str; 11] = [
    "bad-message",
    "bad-role",
    "empty-content",
    "empty-assistant",
    "empty-tool-calls",
    "missing-id",
    "duplicate-id",
    "unanswered-call",
    "pending-call",
    "orphan-result",
    "duplicate-result",
];

pub fn judge(messages: &[Value]) -> Vec<Fault> {
    let mut faults = lines::judge(messages.iter().map(line), false);
    for (index, message) in messages.iter().enumerate() {
        if matches!(content(message.get("content")), Content::Odd) && known(message) {
            faults.push(Fault::new("bad-message", index, "content is neither a string nor an array"));
        }
        match message.get("tool_calls") {
            Some(Value::Array(calls)) if calls.is_empty() && text(message, "role") == Some("assistant") => {
                faults.push(Fault::new("empty-tool-calls", index, "tool_calls must not be empty"));
            }
            None | Some(Value::Null | Value::Array(_)) => {}
            Some(_) => faults.push(Fault::new("bad-message", index, "tool_calls is not an array")),
        }
    }
    faults
}

fn known(message: &Value) -> bool {
    matches!(text(message, "role"), Some("system" | "developer" | "user" | "assistant" | "tool" | "function"))
}

/// How calls of the time before there were ids are told apart.
fn by_name(owner: &Value) -> String {
    format!("function:{}", text(owner, "name").unwrap_or_default())
}

fn line(message: &Value) -> Line {
    if !message.is_object() {
        return Line::Broken("not an object");
    }
    let none = content(message.get("content")) == Content::None;
    match text(message, "role") {
        Some("tool") => Line::Result { id: text(message, "tool_call_id").map(str::to_owned), hollow: none },
        Some("function") => Line::Result { id: Some(by_name(message)), hollow: false },
        Some("assistant") => Line::Said(said(message, none)),
        Some("system" | "developer" | "user") => Line::Other { hollow: none },
        role => Line::Stranger(format!("{role:?}")),
    }
}

fn said(message: &Value, none: bool) -> Said {
    let mut calls: Vec<Call> = super::list(message, "tool_calls")
        .iter()
        .map(|call| Call { id: text(call, "id").map(str::to_owned), by_name: false })
        .collect();
    if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
        calls.push(Call { id: Some(by_name(call)), by_name: true });
    }
    let spoken = !none || !blank(message.get("refusal")) || message.get("audio").is_some_and(Value::is_object);
    let lacks = (calls.is_empty() && !spoken).then_some("empty-assistant");
    Said { calls, lacks }
}
