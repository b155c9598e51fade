//! LangChain messages in both serialised forms: `{type, data}` and `{lc, id, kwargs}`.

use super::lines::{self, Call, Line, Said};
use super::{content, list, text, Content, Fault};
use serde_json::Value;

pub const RULES: [&str; 9] = [
    "bad-message",
    "empty-content",
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

/// The class of a message, whichever form names it, and its fields.
fn open(message: &Value) -> Option<(String, &Value)> {
    if let Some(fields) = message.get("kwargs").filter(|fields| fields.is_object()) {
        let class = list(message, "id").last().and_then(Value::as_str)?;
        return Some((short(class), fields));
    }
    let fields = message.get("data").filter(|fields| fields.is_object())?;
    Some((short(text(message, "type")?), fields))
}

/// `AIMessageChunk`, `AIMessage` and `ai` are one.
fn short(class: &str) -> String {
    let class = class.strip_suffix("Chunk").unwrap_or(class);
    class.strip_suffix("Message").unwrap_or(class).to_ascii_lowercase()
}

fn line(message: &Value) -> Line {
    let Some((class, fields)) = open(message) else { return Line::Broken("neither of the two serialised forms") };
    let said = content(fields.get("content"));
    if said == Content::Odd {
        return Line::Broken("content is neither a string nor an array");
    }
    let none = said == Content::None;
    match class.as_str() {
        "tool" => Line::Result { id: text(fields, "tool_call_id").map(str::to_owned), hollow: none },
        "ai" => {
            // Blocks of the provider in the content repeat these calls: they are none of their own.
            let calls: Vec<Call> = list(fields, "tool_calls")
                .iter()
                .map(|call| Call { id: text(call, "id").map(str::to_owned), by_name: false })
                .collect();
            let silent = none || said == Content::Text("");
            let lacks = (calls.is_empty() && silent).then_some("empty-content");
            Line::Said(Said { calls, lacks })
        }
        "human" | "system" | "developer" => Line::Other { hollow: none },
        // Classes such as RemoveMessage have no content to speak of.
        _ => Line::Other { hollow: false },
    }
}
