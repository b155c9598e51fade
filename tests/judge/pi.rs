//! pi messages: user, assistant, toolResult, and roles of pi's own, which the model reads as the user's words.

use super::lines::{self, Call, Line, Said};
use super::{content, text, Content, Fault};
use serde_json::Value;

pub const RULES: [&str; 10] = [
    "bad-message",
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
    let Some(role) = text(message, "role") else { return Line::Broken("not an object with a role") };
    let said = content(message.get("content"));
    if said == Content::Odd {
        return Line::Broken("content is neither a string nor an array");
    }
    let none = said == Content::None;
    match role {
        "assistant" => Line::Said(assistant(said)),
        "toolResult" => Line::Result { id: text(message, "toolCallId").map(str::to_owned), hollow: none },
        "user" => Line::Other { hollow: none },
        _ => Line::Other { hollow: false },
    }
}

fn assistant(said: Content) -> Said {
    let parts = match said {
        Content::Parts(parts) => parts,
        Content::Text(text) if !text.is_empty() => return Said::default(),
        _ => return Said { calls: Vec::new(), lacks: Some("empty-content") },
    };
    let is = |part: &Value, kind: &str| text(part, "type") == Some(kind);
    let calls = parts.iter().filter(|part| is(part, "toolCall"));
    let calls = calls.map(|call| Call { id: text(call, "id").map(str::to_owned), by_name: false }).collect();
    let lacks = parts.iter().all(|part| is(part, "thinking")).then_some("reasoning-only");
    Said { calls, lacks }
}
