//! Gemini contents: the user's side and the model's take turns, and all responses to the calls of one content stand in
//! the next. Ids are optional on either side; without them names and order tell which response is whose.

use super::{id_of, list, text, Fault};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

pub const RULES: [&str; 12] = [
    "bad-message",
    "bad-role",
    "first-not-user",
    "alternation",
    "empty-content",
    "reasoning-only",
    "duplicate-id",
    "unanswered-call",
    "pending-call",
    "orphan-result",
    "duplicate-result",
    "misplaced-result",
];

struct Call<'a> {
    index: usize,
    id: Option<&'a str>,
    name: Option<&'a str>,
    answered: bool,
}

/// Open calls, to be found by id and by name. Answered ones are skipped when they come up.
#[derive(Default)]
struct Shelf<'a> {
    by_id: HashMap<&'a str, VecDeque<usize>>,
    by_name: HashMap<Option<&'a str>, VecDeque<usize>>,
}

impl<'a> Shelf<'a> {
    fn put(&mut self, number: usize, call: &Call<'a>) {
        if let Some(id) = call.id {
            self.by_id.entry(id).or_default().push_back(number);
        }
        self.by_name.entry(call.name).or_default().push_back(number);
    }

    fn put_first(&mut self, number: usize, call: &Call<'a>) {
        if let Some(id) = call.id {
            self.by_id.entry(id).or_default().push_front(number);
        }
        self.by_name.entry(call.name).or_default().push_front(number);
    }
}

fn first(queue: Option<&mut VecDeque<usize>>, calls: &[Call]) -> Option<usize> {
    let queue = queue?;
    while let Some(number) = queue.pop_front() {
        if !calls[number].answered {
            return Some(number);
        }
    }
    None
}

/// What a fault calls a call or response: without an id, its name is all there is.
fn label(id: Option<&str>, name: Option<&str>) -> Option<String> {
    id.map(str::to_owned).or_else(|| name.map(|name| format!("name:{name}")))
}

#[derive(Default)]
struct Judge<'a> {
    faults: Vec<Fault>,
    calls: Vec<Call<'a>>,
    /// Calls of the content just before.
    here: Shelf<'a>,
    here_from: usize,
    /// Unanswered calls of earlier contents, the nearest content first.
    late: Shelf<'a>,
    ids_done: HashSet<&'a str>,
    names_done: HashSet<Option<&'a str>>,
}

pub fn judge(contents: &[Value]) -> Vec<Fault> {
    let mut judge = Judge::default();
    let mut before = None;
    // Whether anything but responses to the latest calls came after them.
    let mut in_flight = false;
    for (index, content) in contents.iter().enumerate() {
        if !content.is_object() {
            judge.faults.push(Fault::new("bad-message", index, "not an object"));
            continue;
        }
        let model = match content.get("role") {
            None | Some(Value::Null) => false,
            Some(Value::String(role)) if role == "user" || role == "function" => false,
            Some(Value::String(role)) if role == "model" => true,
            role => {
                judge.faults.push(Fault::new("bad-role", index, format!("role {role:?}")));
                continue;
            }
        };
        match before {
            None if model => judge.faults.push(Fault::new("first-not-user", index, "the model speaks first")),
            Some(side) if side == model => {
                judge.faults.push(Fault::new("alternation", index, "the same side as the content before"));
            }
            _ => {}
        }
        before = Some(model);
        if content.get("parts").is_some_and(|parts| !parts.is_array() && !parts.is_null()) {
            judge.faults.push(Fault::new("bad-message", index, "parts is not an array"));
            continue;
        }
        let parts = list(content, "parts");
        judge.hollow(index, parts, model);
        judge.responses(index, parts, model);
        judge.close();
        let called = judge.calls.len();
        judge.called(index, parts);
        let only_responses = !parts.is_empty() && parts.iter().all(|part| part.get("functionResponse").is_some());
        in_flight = judge.calls.len() > called || (in_flight && only_responses && !model);
    }
    judge.finish(in_flight);
    judge.faults
}

impl<'a> Judge<'a> {
    fn fault(&mut self, rule: &'static str, index: usize, id: Option<String>, detail: &str) {
        self.faults.push(Fault { rule, index, id, detail: detail.into() });
    }

    fn hollow(&mut self, index: usize, parts: &[Value], model: bool) {
        let nothing = match parts {
            [] => true,
            [part] => part.as_object().is_some_and(|part| part.len() == 1 && part.get("text") == Some(&"".into())),
            _ => false,
        };
        if nothing {
            self.faults.push(Fault::new("empty-content", index, "no parts that say anything"));
        } else if model && parts.iter().all(|part| part.get("thought") == Some(&Value::Bool(true))) {
            self.faults.push(Fault::new("reasoning-only", index, "nothing but thoughts"));
        }
    }

    fn responses(&mut self, index: usize, parts: &'a [Value], model: bool) {
        for response in parts.iter().filter_map(|part| part.get("functionResponse")) {
            let (id, name) = (id_of(response, "id"), text(response, "name"));
            let known =
                id.is_some_and(|id| self.ids_done.contains(id)) || (id.is_none() && self.names_done.contains(&name));
            match self.find(id, name) {
                Some(number) => {
                    let call = &mut self.calls[number];
                    call.answered = true;
                    self.ids_done.extend(call.id);
                    self.names_done.insert(name);
                    if number < self.here_from || model {
                        let label = label(id.or(call.id), name);
                        self.fault("misplaced-result", index, label, "not in the content after its call");
                    }
                }
                None if known => {
                    self.fault("duplicate-result", index, label(id, name), "more responses than calls");
                }
                None => self.fault("orphan-result", index, label(id, name), "no call that it could answer"),
            }
            self.ids_done.extend(id);
        }
    }

    /// By id first, wherever the call is; an id that no open call has is one that the client made up.
    fn find(&mut self, id: Option<&'a str>, name: Option<&'a str>) -> Option<usize> {
        let Judge { calls, here, late, .. } = self;
        if let Some(id) = id {
            let found = first(here.by_id.get_mut(id), calls).or_else(|| first(late.by_id.get_mut(id), calls));
            if found.is_some() {
                return found;
            }
        }
        first(here.by_name.get_mut(&name), calls).or_else(|| first(late.by_name.get_mut(&name), calls))
    }

    fn close(&mut self) {
        self.here = Shelf::default();
        for number in (self.here_from..self.calls.len()).rev() {
            if !self.calls[number].answered {
                self.late.put_first(number, &self.calls[number]);
            }
        }
        self.here_from = self.calls.len();
    }

    fn called(&mut self, index: usize, parts: &'a [Value]) {
        let mut ids = HashSet::new();
        for call in parts.iter().filter_map(|part| part.get("functionCall")) {
            let call = Call { index, id: id_of(call, "id"), name: text(call, "name"), answered: false };
            if call.id.is_some() && !ids.insert(call.id) {
                self.faults.push(Fault::of("duplicate-id", index, call.id, "twice in one content"));
            }
            self.here.put(self.calls.len(), &call);
            self.calls.push(call);
        }
    }

    fn finish(&mut self, in_flight: bool) {
        let last = self.calls.last().map(|call| call.index);
        for call in self.calls.iter().filter(|call| !call.answered) {
            let (rule, detail) = if in_flight && Some(call.index) == last {
                ("pending-call", "the conversation ends before the response")
            } else {
                ("unanswered-call", "no response in the next content")
            };
            let id = label(call.id, call.name);
            self.faults.push(Fault { rule, index: call.index, id, detail: detail.into() });
        }
    }
}
