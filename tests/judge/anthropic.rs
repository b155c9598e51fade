//! Anthropic Messages: all results of one assistant turn stand at the start of the next user turn.

use super::blocks::{self, is_server_call, is_server_result, is_thinking, kind, Part, Servers};
use super::calls::Calls;
use super::{blank, content, text, Content, Fault};
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;

pub const RULES: [&str; 18] = [
    "bad-message",
    "bad-role",
    "system-in-messages",
    "first-not-user",
    "empty-content",
    "empty-text",
    "misplaced-block",
    "missing-id",
    "duplicate-id",
    "unanswered-call",
    "pending-call",
    "orphan-result",
    "duplicate-result",
    "results-not-first",
    "thinking-unsigned",
    "thinking-not-first",
    "thinking-only",
    "thinking-last",
];

/// Neighbours of one role are one turn to the provider.
struct Turn<'a> {
    assistant: bool,
    index: usize,
    parts: Vec<Part<'a>>,
    messages: Vec<Range<usize>>,
}

pub fn judge(messages: &[Value]) -> Vec<Fault> {
    let mut faults = Vec::new();
    // A string is a text block; the block has to live somewhere.
    let texts: Vec<Value> = messages
        .iter()
        .map(|message| match content(message.get("content")) {
            Content::Text(text) if !text.is_empty() => serde_json::json!([{ "type": "text", "text": text }]),
            _ => Value::Null,
        })
        .collect();
    let turns = turns(messages, &texts, &mut faults);
    if let Some(first) = turns.first().filter(|turn| turn.assistant) {
        faults.push(Fault::new("first-not-user", first.index, "the first message must be the user's"));
    }
    for turn in &turns {
        for (at, block) in &turn.parts {
            if kind(block) == "text" && blank(block.get("text")) {
                faults.push(Fault::new("empty-text", *at, "a blank text block"));
            }
        }
        if turn.assistant {
            blocks::thinking(&turn.parts, &turn.messages, turn.index, &mut faults);
        }
    }
    tools(&turns, &mut faults);
    faults
}

fn turns<'a>(messages: &'a [Value], texts: &'a [Value], faults: &mut Vec<Fault>) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if !message.is_object() {
            faults.push(Fault::new("bad-message", index, "not an object"));
            continue;
        }
        let assistant = match text(message, "role") {
            Some("system") => {
                faults.push(Fault::new("system-in-messages", index, "system belongs beside the messages"));
                continue;
            }
            Some("user") => false,
            Some("assistant") => true,
            role => {
                faults.push(Fault::new("bad-role", index, format!("role {role:?}")));
                continue;
            }
        };
        let blocks = match content(message.get("content")) {
            Content::Text(_) => texts[index].as_array().map_or(&[][..], Vec::as_slice),
            Content::Parts(parts) => parts,
            Content::None => &[],
            Content::Odd => {
                faults.push(Fault::new("bad-message", index, "content is neither a string nor an array"));
                &[]
            }
        };
        let odd = content(message.get("content")) == Content::Odd;
        if blocks.is_empty() && !odd && !(assistant && index + 1 == messages.len()) {
            faults.push(Fault::new("empty-content", index, "no content"));
        }
        if turns.last().is_none_or(|turn| turn.assistant != assistant) {
            turns.push(Turn { assistant, index, parts: Vec::new(), messages: Vec::new() });
        }
        let turn = turns.last_mut().expect("one was pushed");
        let start = turn.parts.len();
        for block in blocks {
            if text(block, "type").is_some() {
                turn.parts.push((index, block));
            } else {
                faults.push(Fault::new("bad-message", index, "a block without a type"));
            }
        }
        turn.messages.push(start..turn.parts.len());
    }
    turns
}

fn tools(turns: &[Turn], faults: &mut Vec<Fault>) {
    let mut calls = Calls::default();
    let mut servers = Servers::default();
    for (t, turn) in turns.iter().enumerate() {
        if !turn.assistant {
            results(turn, &mut calls, faults);
            continue;
        }
        calls.close();
        let client = said(turn, &mut calls, &mut servers, faults);
        // A server's tool may itself wait for a client's tool: then its result comes after the client's results.
        let next = turns.get(t + 1);
        let waits = client && next.is_none_or(|next| next.parts.iter().all(|(_, block)| kind(block) == "tool_result"));
        if next.is_some() && !waits {
            servers.close("unanswered-call", faults);
        }
    }
    servers.close("pending-call", faults);
    calls.finish(faults);
}

/// An assistant turn; true when it calls a tool of the client.
fn said(turn: &Turn, calls: &mut Calls, servers: &mut Servers, faults: &mut Vec<Fault>) -> bool {
    let mut ids = HashSet::new();
    let mut done = HashSet::new();
    let mut client = false;
    for &(at, block) in &turn.parts {
        let answers = text(block, "tool_use_id");
        if kind(block) == "tool_use" {
            client = true;
            calls.call(at, blocks::call_id(block, at, &mut ids, faults));
        } else if is_server_call(block) {
            servers.call(at, blocks::call_id(block, at, &mut ids, faults));
        } else if kind(block) == "tool_result" || (kind(block) == "image" && block.get("source").is_some()) {
            faults.push(Fault::of("misplaced-block", at, answers, format!("{} of an assistant", kind(block))));
        } else if is_server_result(block) {
            if servers.answer(answers) {
                done.insert(answers);
            } else {
                let rule = if done.contains(&answers) { "duplicate-result" } else { "orphan-result" };
                faults.push(Fault::of(rule, at, answers, format!("{} too many", kind(block))));
            }
        }
    }
    client
}

fn results(turn: &Turn, calls: &mut Calls, faults: &mut Vec<Fault>) {
    let mut other = turn.parts.is_empty();
    for &(at, block) in &turn.parts {
        let answers = text(block, "tool_use_id");
        if kind(block) == "tool_result" {
            let called = calls.in_group(answers);
            if !calls.answer(answers) {
                let rule = if called { "duplicate-result" } else { "orphan-result" };
                faults.push(Fault::of(rule, at, answers, "no open call in the assistant turn before"));
            }
            if other && called {
                faults.push(Fault::of("results-not-first", at, answers, "another block before it"));
            }
            continue;
        }
        other = true;
        if kind(block) == "tool_use" || is_server_call(block) || is_server_result(block) || is_thinking(block) {
            let id = text(block, "id").or(answers);
            faults.push(Fault::of("misplaced-block", at, id, format!("{} in a user message", kind(block))));
        }
    }
    if other {
        calls.interrupt();
    }
}
