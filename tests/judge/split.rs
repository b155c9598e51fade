//! What a fold must not part: reasoning and the items it led to; an approval request, its answer and its call. Messages
//! are told apart by what they say, since a window holds the same messages as the array it was made from.

use super::responses::{self, Item};
use super::{list, text, Fault};
use serde_json::Value;
use std::collections::HashMap;

/// A number for each different message.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    fn of(&mut self, messages: &[Value]) -> Vec<usize> {
        let mut name = |message: &Value| {
            let next = self.0.len();
            *self.0.entry(message.to_string()).or_insert(next)
        };
        messages.iter().map(&mut name).collect()
    }
}

/// Runs of reasoning with the model's items after them, as ranges. Reasoning that led to nothing belongs to nothing.
fn led_to(items: &[Value]) -> Vec<std::ops::Range<usize>> {
    let kinds: Vec<Item> = items.iter().map(responses::read).collect();
    let mut runs = Vec::new();
    let mut at = 0;
    while at < kinds.len() {
        let start = at;
        while at < kinds.len() && kinds[at] == Item::Reasoning {
            at += 1;
        }
        let led = at;
        while led > start && at < kinds.len() && kinds[at].is_models() {
            at += 1;
        }
        if at > led {
            runs.push(start..at);
        }
        at = at.max(start + 1);
    }
    runs
}

/// The runs of an array as a tree of message numbers, so that looking one up costs its length.
#[derive(Default)]
struct Tree {
    next: HashMap<(usize, usize), usize>,
    ends: Vec<bool>,
}

impl Tree {
    fn add(&mut self, run: &[usize]) {
        self.ends.resize(self.ends.len().max(1), false);
        let mut node = 0;
        for &name in run {
            node = *self.next.entry((node, name)).or_insert_with(|| {
                self.ends.push(false);
                self.ends.len() - 1
            });
        }
        self.ends[node] = true;
    }

    /// The length of the longest run that the names start with.
    fn longest(&self, names: &[usize]) -> usize {
        let (mut node, mut longest) = (0, 0);
        for (length, &name) in names.iter().enumerate() {
            match self.next.get(&(node, name)) {
                Some(&next) => node = next,
                None => break,
            }
            if self.ends[node] {
                longest = length + 1;
            }
        }
        longest
    }
}

/// Items of `after` that stood in a run of `before` and do not stand in the whole of it.
pub fn reasoning(before: &[Value], after: &[Value], format: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if format != "openai-responses" {
        return faults;
    }
    let mut names = Names::default();
    let (old, new) = (names.of(before), names.of(after));
    let mut tree = Tree::default();
    // How often a message stands outside of any run: those may go where they like.
    let mut loose: HashMap<usize, usize> = HashMap::new();
    let mut members = vec![false; names.0.len()];
    for name in &old {
        *loose.entry(*name).or_default() += 1;
    }
    for run in led_to(before) {
        tree.add(&old[run.clone()]);
        for name in &old[run] {
            members[*name] = true;
            *loose.entry(*name).or_default() -= 1;
        }
    }
    let mut at = 0;
    while at < new.len() {
        let whole = tree.longest(&new[at..]);
        if whole > 0 {
            at += whole;
            continue;
        }
        if members[new[at]] {
            match loose.get_mut(&new[at]) {
                Some(left) if *left > 0 => *left -= 1,
                _ => {
                    let detail = "without the rest of what its reasoning led to";
                    faults.push(Fault::of("reasoning-split", at, text(&after[at], "id"), detail));
                }
            }
        }
        at += 1;
    }
    faults
}

/// An approval: its id and the messages that hold its request, its answer or its call.
type Approval<'a> = (&'a str, Vec<usize>);

/// A new request begins a new approval, though it may use an id again.
#[derive(Default)]
struct Approvals<'a> {
    all: Vec<Approval<'a>>,
    latest: HashMap<&'a str, usize>,
}

impl<'a> Approvals<'a> {
    fn request(&mut self, id: &'a str) {
        self.latest.insert(id, self.all.len());
        self.all.push((id, Vec::new()));
    }

    fn touch(&mut self, id: &'a str, index: usize) {
        if !self.latest.contains_key(id) {
            self.request(id);
        }
        let indexes = &mut self.all[self.latest[id]].1;
        if indexes.last() != Some(&index) {
            indexes.push(index);
        }
    }
}

fn approvals_of<'a>(messages: &'a [Value], format: &str) -> Vec<Approval<'a>> {
    let mut approvals = Approvals::default();
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        if format == "openai-responses" {
            match responses::read(message) {
                Item::Request(Some(id)) => {
                    approvals.request(id);
                    approvals.touch(id, index);
                }
                Item::Response(Some(id)) => approvals.touch(id, index),
                Item::Hosted => {
                    if let Some(id) = text(message, "approval_request_id") {
                        approvals.touch(id, index);
                    }
                }
                _ => {}
            }
            continue;
        }
        for part in list(message, "content") {
            match (text(part, "type"), text(part, "approvalId"), text(part, "toolCallId")) {
                (Some("tool-call"), _, Some(id)) => {
                    calls.insert(id, index);
                }
                (Some("tool-approval-request"), Some(approval), call) => {
                    approvals.request(approval);
                    if let Some(call) = call.and_then(|call| calls.get(call)) {
                        approvals.touch(approval, *call);
                    }
                    approvals.touch(approval, index);
                }
                (Some("tool-approval-response"), Some(approval), _) => approvals.touch(approval, index),
                _ => {}
            }
        }
    }
    approvals.all
}

/// Approvals of `after` that `before` has not in the same messages.
pub fn approvals(before: &[Value], after: &[Value], format: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !matches!(format, "openai-responses" | "ai-sdk") {
        return faults;
    }
    let mut names = Names::default();
    let (old, new) = (names.of(before), names.of(after));
    let named = |indexes: &[usize], names: &[usize]| indexes.iter().map(|i| names[*i]).collect::<Vec<_>>();
    let mut have: HashMap<(&str, Vec<usize>), usize> = HashMap::new();
    for (id, indexes) in approvals_of(before, format) {
        *have.entry((id, named(&indexes, &old))).or_default() += 1;
    }
    for (id, indexes) in approvals_of(after, format) {
        match have.get_mut(&(id, named(&indexes, &new))) {
            Some(left) if *left > 0 => *left -= 1,
            _ => {
                let detail = "without the rest of its request, answer and call";
                faults.push(Fault::of("approval-split", indexes[0], Some(id), detail));
            }
        }
    }
    faults
}
