//! Vercel AI SDK ModelMessage: results in the tool messages directly after, or, when the provider ran the tool, in the
//! assistant's own messages.

use super::calls::Calls;
use super::{content, id_of, list, text, Content, Fault};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

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

#[derive(Default)]
struct Judge<'a> {
    faults: Vec<Fault>,
    calls: Calls,
    /// Open calls of tools that the provider runs; they may be answered later, or never.
    provider: HashMap<Option<&'a str>, usize>,
    provider_done: HashSet<Option<&'a str>>,
    requests: HashMap<Option<&'a str>, Request<'a>>,
    /// Messages so far that ended the wait for results.
    turn: usize,
}

struct Request<'a> {
    call: Option<&'a str>,
    turn: usize,
    answered: bool,
}

pub fn judge(messages: &[Value]) -> Vec<Fault> {
    let mut judge = Judge::default();
    for (index, message) in messages.iter().enumerate() {
        if !message.is_object() {
            judge.faults.push(Fault::new("bad-message", index, "not an object"));
            continue;
        }
        let said = content(message.get("content"));
        if said == Content::Odd {
            judge.faults.push(Fault::new("bad-message", index, "content is neither a string nor an array"));
        }
        let empty = matches!(said, Content::None | Content::Text(""));
        match text(message, "role") {
            Some("tool") => {
                if empty {
                    judge.faults.push(Fault::new("empty-content", index, "no results"));
                }
                for part in list(message, "content") {
                    judge.answer(index, part);
                }
            }
            Some("assistant") => {
                judge.close();
                if empty {
                    judge.faults.push(Fault::new("empty-content", index, "an assistant without content"));
                }
                judge.said(index, list(message, "content"));
            }
            Some("user") => {
                judge.close();
                if empty {
                    judge.faults.push(Fault::new("empty-content", index, "a user without content"));
                }
            }
            Some("system") => {
                judge.close();
                if said == Content::None {
                    judge.faults.push(Fault::new("empty-content", index, "a system message without content"));
                }
            }
            role => {
                judge.close();
                judge.faults.push(Fault::new("bad-role", index, format!("role {role:?}")));
            }
        }
    }
    judge.calls.finish(&mut judge.faults);
    judge.faults
}

impl<'a> Judge<'a> {
    fn close(&mut self) {
        self.calls.close();
        self.turn += 1;
    }

    fn said(&mut self, index: usize, parts: &'a [Value]) {
        let reasoning = |part: &Value| matches!(text(part, "type"), Some("reasoning" | "reasoning-file"));
        if !parts.is_empty() && parts.iter().all(reasoning) {
            self.faults.push(Fault::new("reasoning-only", index, "nothing but reasoning"));
        }
        let mut ids = HashSet::new();
        for part in parts {
            match text(part, "type") {
                Some("tool-call") => self.call(index, part, &mut ids),
                Some("tool-approval-request") => {
                    let request = Request { call: text(part, "toolCallId"), turn: self.turn, answered: false };
                    self.requests.insert(text(part, "approvalId"), request);
                }
                _ => self.answer(index, part),
            }
        }
    }

    fn call(&mut self, index: usize, part: &'a Value, ids: &mut HashSet<&'a str>) {
        let id = text(part, "toolCallId");
        match id_of(part, "toolCallId") {
            None => self.faults.push(Fault::new("missing-id", index, "a call without an id")),
            Some(id) if !ids.insert(id) => {
                self.faults.push(Fault::of("duplicate-id", index, Some(id), "twice in one message"));
            }
            Some(_) => {}
        }
        if part.get("providerExecuted") == Some(&Value::Bool(true)) {
            *self.provider.entry(id).or_default() += 1;
        } else {
            self.calls.call(index, id);
        }
    }

    fn answer(&mut self, index: usize, part: &'a Value) {
        match text(part, "type") {
            Some("tool-result") => self.result(index, text(part, "toolCallId")),
            Some("tool-approval-response") => {
                let approval = text(part, "approvalId");
                match self.requests.get_mut(&approval) {
                    None => self.faults.push(Fault::of("orphan-result", index, approval, "an answer to no request")),
                    Some(Request { answered: true, .. }) => {
                        self.faults.push(Fault::of("duplicate-result", index, approval, "a second answer"));
                    }
                    Some(request) => {
                        request.answered = true;
                        // The SDK makes the result of a denied call from the denial.
                        if part.get("approved") == Some(&Value::Bool(false)) && request.turn == self.turn {
                            self.calls.excuse(request.call);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn result(&mut self, index: usize, id: Option<&'a str>) {
        if self.calls.answer(id) {
            return;
        }
        if let Some(open) = self.provider.get_mut(&id).filter(|open| **open > 0) {
            *open -= 1;
            self.provider_done.insert(id);
            return;
        }
        let again = self.calls.answered(id) || self.provider_done.contains(&id);
        self.faults.push(if self.calls.answer_late(id) {
            Fault::of("misplaced-result", index, id, "not in the tool messages after its call")
        } else if again {
            Fault::of("duplicate-result", index, id, "a second result")
        } else {
            Fault::of("orphan-result", index, id, "no such call before")
        });
    }
}
