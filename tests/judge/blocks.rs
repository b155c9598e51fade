//! Rules about the blocks of an assistant turn that Anthropic's messages and hotl's items share.

use super::{blank, id_of, text, Fault};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

/// A block and the message it stands in.
pub type Part<'a> = (usize, &'a Value);

pub fn kind(block: &Value) -> &str {
    text(block, "type").unwrap_or_default()
}

pub fn is_thinking(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

pub fn is_server_call(block: &Value) -> bool {
    kind(block).ends_with("_tool_use")
}

pub fn is_server_result(block: &Value) -> bool {
    kind(block) != "tool_result" && kind(block).ends_with("_tool_result")
}

/// Thinking in one assistant turn; `messages` are the parts of each message that the turn consists of.
pub fn thinking(parts: &[Part], messages: &[Range<usize>], index: usize, faults: &mut Vec<Fault>) {
    for (at, block) in parts {
        match kind(block) {
            "thinking" if blank(block.get("signature")) => {
                faults.push(Fault::new("thinking-unsigned", *at, "thinking without its signature"));
            }
            "redacted_thinking" if blank(block.get("data")) => {
                faults.push(Fault::new("thinking-unsigned", *at, "redacted_thinking without its data"));
            }
            _ => {}
        }
    }
    for message in messages.iter().map(|range| &parts[range.clone()]) {
        let calls = message.iter().any(|(_, block)| kind(block) == "tool_use");
        let thinks = message.iter().any(|(_, block)| is_thinking(block));
        if calls && thinks && !is_thinking(message[0].1) {
            faults.push(Fault::new("thinking-not-first", message[0].0, format!("starts with {}", kind(message[0].1))));
        }
    }
    match parts.last() {
        Some(_) if parts.iter().all(|(_, block)| is_thinking(block)) => {
            faults.push(Fault::new("thinking-only", index, "nothing but thinking"));
        }
        Some((at, last)) if is_thinking(last) => {
            faults.push(Fault::new("thinking-last", *at, "ends with thinking"));
        }
        _ => {}
    }
}

/// The id of a call, with what is to say about it. `ids` are those of the turn.
pub fn call_id<'a>(block: &'a Value, at: usize, ids: &mut HashSet<String>, faults: &mut Vec<Fault>) -> Option<&'a str> {
    match id_of(block, "id") {
        None => faults.push(Fault::new("missing-id", at, "a call without an id")),
        Some(id) if !ids.insert(id.to_owned()) => {
            faults.push(Fault::of("duplicate-id", at, Some(id), "twice in one turn"));
        }
        Some(_) => {}
    }
    text(block, "id")
}

/// Calls of tools that the provider runs itself; they are answered inside the assistant's turns.
#[derive(Default)]
pub struct Servers {
    open: HashMap<Option<String>, VecDeque<usize>>,
}

impl Servers {
    pub fn call(&mut self, at: usize, id: Option<&str>) {
        self.open.entry(id.map(str::to_owned)).or_default().push_back(at);
    }

    pub fn answer(&mut self, id: Option<&str>) -> bool {
        self.open.get_mut(&id.map(str::to_owned)).and_then(VecDeque::pop_front).is_some()
    }

    pub fn close(&mut self, rule: &'static str, faults: &mut Vec<Fault>) {
        for (id, calls) in std::mem::take(&mut self.open) {
            for at in calls {
                faults.push(Fault::of(rule, at, id.as_deref(), "a server's call without its result"));
            }
        }
    }
}
