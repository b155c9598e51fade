//! agentfootprint's LLMMessage: the text is a string, calls and thinking stand beside it.

use super::lines::{self, Call, Line, Said};
use super::{content, list, text, Content, Fault};
use serde_json::Value;

pub const RULES: [&str; 11] = [
    "bad-message",
    "bad-role",
    "empty-content",
    "reasoning-only",
    "missing-id",
    "duplicate-id",
    "unanswered-call",
    "pending-call",
    "orphan-result",
    "duplicate-result",
    "misplaced-result",
];

pub fn judge(messages: &[Value]) -> Vec<Fault> {
    lines::judge(messages.iter().map(line), true)
}

fn line(message: &Value) -> Line {
    if !message.is_object() {
        return Line::Broken("not an object");
    }
    let said = content(message.get("content"));
    if said == Content::Odd {
        return Line::Broken("content is not a string");
    }
    let none = said == Content::None;
    match text(message, "role") {
        Some("assistant") => Line::Said(assistant(message, said)),
        Some("tool") => Line::Result { id: text(message, "toolCallId").map(str::to_owned), hollow: none },
        Some("system" | "developer" | "user") => Line::Other { hollow: none },
        role => Line::Stranger(format!("{role:?}")),
    }
}

fn assistant(message: &Value, said: Content) -> Said {
    let calls: Vec<Call> = list(message, "toolCalls")
        .iter()
        .map(|call| Call { id: text(call, "id").map(str::to_owned), by_name: false })
        .collect();
    let silent = matches!(said, Content::None | Content::Text(""));
    let lacks = match list(message, "thinkingBlocks") {
        _ if !calls.is_empty() || !silent => None,
        [] => Some("empty-content"),
        _ => Some("reasoning-only"),
    };
    Said { calls, lacks }
}
