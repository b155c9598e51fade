//! Vercel AI SDK UIMessage: a call and its result live in one part of the assistant's message.

use super::{id_of, text, Fault};
use serde_json::Value;
use std::collections::HashSet;

pub const RULES: [&str; 7] =
    ["bad-message", "bad-role", "empty-content", "reasoning-only", "duplicate-id", "unanswered-call", "pending-call"];

const WAITING: [&str; 4] = ["input-streaming", "input-available", "approval-requested", "approval-responded"];

pub fn judge(messages: &[Value]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if !message.is_object() {
            faults.push(Fault::new("bad-message", index, "not an object"));
            continue;
        }
        let role = text(message, "role");
        if !matches!(role, Some("system" | "user" | "assistant")) {
            faults.push(Fault::new("bad-role", index, format!("role {role:?}")));
        }
        match message.get("parts") {
            Some(Value::Array(parts)) if !parts.is_empty() => {
                if role == Some("assistant") && only_reasoning(parts) {
                    faults.push(Fault::new("reasoning-only", index, "nothing but reasoning"));
                }
                tools(parts, index, index + 1 == messages.len(), &mut faults);
            }
            None | Some(Value::Null | Value::Array(_)) => faults.push(Fault::new("empty-content", index, "no parts")),
            Some(_) => faults.push(Fault::new("bad-message", index, "parts is not an array")),
        }
    }
    faults
}

fn only_reasoning(parts: &[Value]) -> bool {
    let is = |part: &Value, kind: &str| text(part, "type") == Some(kind);
    parts.iter().all(|part| is(part, "reasoning") || is(part, "step-start"))
        && parts.iter().any(|part| is(part, "reasoning"))
}

fn tools(parts: &[Value], index: usize, last: bool, faults: &mut Vec<Fault>) {
    let mut ids = HashSet::new();
    for part in parts {
        let kind = text(part, "type").unwrap_or_default();
        if kind != "dynamic-tool" && !kind.starts_with("tool-") {
            continue;
        }
        let id = id_of(part, "toolCallId");
        if id.is_some() && !ids.insert(id) {
            faults.push(Fault::of("duplicate-id", index, id, "twice in one message"));
        }
        if text(part, "state").is_some_and(|state| WAITING.contains(&state)) {
            faults.push(if last {
                Fault::of("pending-call", index, id, "still without its output")
            } else {
                Fault::of("unanswered-call", index, id, "messages came after it, its output did not")
            });
        }
    }
}
