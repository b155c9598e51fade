//! OpenAI Responses items and their camelCase twin of the Agents SDK: a flat list, an output anywhere after its call.

use super::{content, id_of, text, Content, Fault};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

pub const RULES: [&str; 10] = [
    "bad-message",
    "bad-role",
    "empty-content",
    "missing-id",
    "duplicate-id",
    "unanswered-call",
    "pending-call",
    "orphan-result",
    "duplicate-result",
    "reasoning-orphan",
];

/// Tools that the provider runs: the item holds call and result.
const HOSTED: [&str; 7] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "hosted_tool_call",
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    Broken,
    Message(Option<&'a str>),
    Reasoning,
    Call(&'a str),
    /// A call that cannot be paired because it has no id.
    Nameless,
    Hosted,
    Output(&'a str),
    Request(Option<&'a str>),
    Response(Option<&'a str>),
    Other,
}

/// A field under its name in either twin.
fn either<'a>(item: &'a Value, snake: &str, camel: &str) -> Option<&'a str> {
    id_of(item, snake).or_else(|| id_of(item, camel))
}

pub fn read(item: &Value) -> Item<'_> {
    let role = text(item, "role");
    let id = either(item, "call_id", "callId");
    match (text(item, "type"), id) {
        (None, _) if item.get("type").is_none() && item.get("role").is_some() => Item::Message(role),
        (None, _) => Item::Broken,
        (Some("message"), _) => Item::Message(role),
        (Some("reasoning"), _) => Item::Reasoning,
        (Some("mcp_approval_request"), _) => Item::Request(id_of(item, "id")),
        (Some("mcp_approval_response"), _) => Item::Response(either(item, "approval_request_id", "approvalRequestId")),
        (Some(kind), _) if HOSTED.contains(&kind) => Item::Hosted,
        (Some(kind), Some(id)) if kind.ends_with("_call") => Item::Call(id),
        (Some("function_call" | "custom_tool_call"), None) => Item::Nameless,
        (Some(kind), None) if kind.ends_with("_call") => Item::Hosted,
        (Some(kind), Some(id)) if kind.ends_with("_output") || kind.ends_with("_result") => Item::Output(id),
        _ => Item::Other,
    }
}

impl Item<'_> {
    /// What the model writes and reasoning leads to.
    pub fn is_models(self) -> bool {
        match self {
            Item::Message(role) => role == Some("assistant"),
            Item::Call(_) | Item::Nameless | Item::Hosted | Item::Request(_) => true,
            _ => false,
        }
    }
}

struct Call<'a> {
    index: usize,
    id: &'a str,
    batch: usize,
    answered: bool,
}

#[derive(Default)]
struct Judge<'a> {
    faults: Vec<Fault>,
    calls: Vec<Call<'a>>,
    /// Open calls by id: the batches that have one, the nearest last, and in each the first call first.
    open: HashMap<&'a str, Vec<(usize, VecDeque<usize>)>>,
    answered: HashSet<&'a str>,
    /// The index of the last call of each batch. A batch is all calls between two outputs.
    batches: Vec<usize>,
    output_since: bool,
    /// The last item that is neither an output nor an answer to an approval request.
    last: usize,
}

pub fn judge(items: &[Value]) -> Vec<Fault> {
    let mut judge = Judge { output_since: true, ..Judge::default() };
    let mut ids = HashSet::new();
    let mut requests: HashMap<Option<&str>, bool> = HashMap::new();
    let mut reasoning = Vec::new();
    for (index, value) in items.iter().enumerate() {
        let item = read(value);
        let id = id_of(value, "id").filter(|_| text(value, "type") != Some("item_reference"));
        if id.is_some() && !ids.insert(id) {
            judge.faults.push(Fault::of("duplicate-id", index, id, "the id of another item"));
        }
        if !matches!(item, Item::Output(_) | Item::Response(_)) {
            judge.last = index;
        }
        match item {
            Item::Reasoning => reasoning.push((index, id)),
            _ if item.is_models() => reasoning.clear(),
            _ => judge.orphaned(&mut reasoning),
        }
        match item {
            Item::Broken => judge.faults.push(Fault::new("bad-message", index, "neither a type nor a role")),
            Item::Message(role) => judge.message(index, role, value),
            Item::Call(id) => judge.call(index, id),
            Item::Nameless => judge.faults.push(Fault::new("missing-id", index, "a call without an id")),
            Item::Output(id) => judge.output(index, id),
            Item::Request(id) => {
                requests.insert(id, false);
                judge.extend_batch(index);
            }
            Item::Response(id) => match requests.get_mut(&id) {
                None => judge.faults.push(Fault::of("orphan-result", index, id, "an answer to no request")),
                Some(true) => judge.faults.push(Fault::of("duplicate-result", index, id, "a second answer")),
                Some(answered) => *answered = true,
            },
            Item::Reasoning | Item::Hosted | Item::Other => {}
        }
    }
    judge.orphaned(&mut reasoning);
    judge.finish()
}

impl<'a> Judge<'a> {
    fn orphaned(&mut self, reasoning: &mut Vec<(usize, Option<&str>)>) {
        for (index, id) in reasoning.drain(..) {
            self.faults.push(Fault::of("reasoning-orphan", index, id, "no item of the model follows"));
        }
    }

    fn message(&mut self, index: usize, role: Option<&str>, item: &Value) {
        if !matches!(role, Some("user" | "system" | "developer" | "assistant")) {
            self.faults.push(Fault::new("bad-role", index, format!("role {role:?}")));
        }
        match content(item.get("content")) {
            Content::None => self.faults.push(Fault::new("empty-content", index, "no content")),
            Content::Odd => self.faults.push(Fault::new("bad-message", index, "content is not text or parts")),
            _ => {}
        }
    }

    fn call(&mut self, index: usize, id: &'a str) {
        if self.output_since {
            self.batches.push(index);
            self.output_since = false;
        }
        let batch = self.batches.len() - 1;
        self.batches[batch] = index;
        let open = self.open.entry(id).or_default();
        if !open.is_empty() {
            self.faults.push(Fault::of("duplicate-id", index, Some(id), "another open call has it"));
        }
        if open.last().is_none_or(|(of, _)| *of != batch) {
            open.push((batch, VecDeque::new()));
        }
        open.last_mut().expect("one was pushed").1.push_back(self.calls.len());
        self.calls.push(Call { index, id, batch, answered: false });
    }

    /// A call that waits for an approval is of the batch, though no output pairs with it.
    fn extend_batch(&mut self, index: usize) {
        if let Some(batch) = self.batches.last_mut().filter(|_| !self.output_since) {
            *batch = index;
        }
    }

    fn output(&mut self, index: usize, id: &'a str) {
        self.output_since = true;
        let open = self.open.entry(id).or_default();
        if let Some((_, queue)) = open.last_mut() {
            let number = queue.pop_front().expect("an emptied batch is taken away");
            if queue.is_empty() {
                open.pop();
            }
            self.calls[number].answered = true;
            self.answered.insert(id);
        } else if self.answered.contains(id) {
            self.faults.push(Fault::of("duplicate-result", index, Some(id), "a second output"));
        } else {
            self.faults.push(Fault::of("orphan-result", index, Some(id), "no such call before"));
        }
    }

    fn finish(mut self) -> Vec<Fault> {
        for call in self.calls.iter().filter(|call| !call.answered) {
            self.faults.push(if self.last <= self.batches[call.batch] {
                Fault::of("pending-call", call.index, Some(call.id), "the items end before the output")
            } else {
                Fault::of("unanswered-call", call.index, Some(call.id), "no output, and other items after it")
            });
        }
        self.faults
    }
}
