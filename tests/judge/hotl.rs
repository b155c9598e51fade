//! hotl items: system, user, assistant with a provider's blocks, tool_results. Items of other types are carried along
//! and not judged.

use super::blocks::{self, is_server_call, is_server_result, kind, Part, Servers};
use super::calls::Calls;
use super::{blank, list, text, Fault};
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;

pub const RULES: [&str; 14] = [
    "bad-message",
    "first-not-user",
    "empty-content",
    "misplaced-block",
    "missing-id",
    "duplicate-id",
    "unanswered-call",
    "pending-call",
    "orphan-result",
    "duplicate-result",
    "thinking-unsigned",
    "thinking-not-first",
    "thinking-only",
    "thinking-last",
];

/// The assistant's turn: items of his that touch are one.
#[derive(Default)]
struct Turn<'a> {
    index: usize,
    parts: Vec<Part<'a>>,
    messages: Vec<Range<usize>>,
    ids: HashSet<String>,
    client: bool,
}

#[derive(Default)]
struct Judge<'a> {
    faults: Vec<Fault>,
    calls: Calls,
    servers: Servers,
    turn: Turn<'a>,
    /// The item before is the assistant's.
    touching: bool,
}

pub fn judge(items: &[Value]) -> Vec<Fault> {
    let mut judge = Judge::default();
    let mut first = true;
    for (index, item) in items.iter().enumerate() {
        if !item.is_object() {
            judge.faults.push(Fault::new("bad-message", index, "not an object"));
            continue;
        }
        let kind = kind(item);
        if !matches!(kind, "system" | "user" | "assistant" | "tool_results") {
            continue;
        }
        if first && kind != "system" {
            first = false;
            if kind != "user" {
                judge.faults.push(Fault::new("first-not-user", index, "the first item must be the user's"));
            }
        }
        match kind {
            "assistant" => judge.said(index, item),
            "tool_results" => judge.results(index, item),
            _ => judge.heard(index, item),
        }
    }
    judge.end_turn();
    judge.servers.close("pending-call", &mut judge.faults);
    judge.calls.finish(&mut judge.faults);
    judge.faults
}

impl<'a> Judge<'a> {
    fn end_turn(&mut self) {
        if self.touching {
            blocks::thinking(&self.turn.parts, &self.turn.messages, self.turn.index, &mut self.faults);
        }
        self.touching = false;
    }

    /// A server's tool may itself wait for a client's tool; without one it has its result at once, or never.
    fn end_servers(&mut self) {
        if !self.turn.client {
            self.servers.close("unanswered-call", &mut self.faults);
        }
    }

    fn heard(&mut self, index: usize, item: &Value) {
        self.end_turn();
        self.calls.interrupt();
        self.end_servers();
        if blank(item.get("text")) && list(item, "images").is_empty() {
            self.faults.push(Fault::new("empty-content", index, format!("{} without text", kind(item))));
        }
    }

    fn array(&mut self, index: usize, item: &'a Value, field: &str) -> &'a [Value] {
        if !item.get(field).is_some_and(Value::is_array) {
            self.faults.push(Fault::new("bad-message", index, format!("{field} is not an array")));
        } else if list(item, field).is_empty() {
            self.faults.push(Fault::new("empty-content", index, format!("no {field}")));
        }
        list(item, field)
    }

    fn results(&mut self, index: usize, item: &'a Value) {
        self.end_turn();
        for result in self.array(index, item, "results") {
            let id = text(result, "tool_use_id");
            let called = self.calls.in_group(id);
            if !self.calls.answer(id) {
                let rule = if called { "duplicate-result" } else { "orphan-result" };
                self.faults.push(Fault::of(rule, index, id, "no open call in the assistant item before"));
            }
        }
    }

    fn said(&mut self, index: usize, item: &'a Value) {
        let array = self.array(index, item, "blocks");
        if !self.touching {
            self.calls.close();
            self.end_servers();
            self.turn = Turn { index, ..Turn::default() };
            self.touching = true;
        }
        let start = self.turn.parts.len();
        for block in array {
            if text(block, "type").is_none() {
                self.faults.push(Fault::new("bad-message", index, "a block without a type"));
                continue;
            }
            self.turn.parts.push((index, block));
            self.block(index, block);
        }
        self.turn.messages.push(start..self.turn.parts.len());
    }

    fn block(&mut self, index: usize, block: &'a Value) {
        let answers = text(block, "tool_use_id");
        if kind(block) == "tool_use" {
            self.turn.client = true;
            self.calls.call(index, blocks::call_id(block, index, &mut self.turn.ids, &mut self.faults));
        } else if is_server_call(block) {
            self.servers.call(index, blocks::call_id(block, index, &mut self.turn.ids, &mut self.faults));
        } else if kind(block) == "tool_result" {
            self.faults.push(Fault::of("misplaced-block", index, answers, "tool_result in an assistant item"));
        } else if is_server_result(block) && !self.servers.answer(answers) {
            self.faults.push(Fault::of("orphan-result", index, answers, format!("{} too many", kind(block))));
        }
    }
}
