//! An independent judge of message arrays, written from what the providers document about their own request bodies. It
//! shares nothing with the crate it is meant to judge: no import, no helper, no table.
//!
//! Rules. Which of them a format has: [`rules`].
//!
//! * `bad-message`: not an object, or content of a wrong kind
//! * `bad-role`: a role the provider does not know
//! * `system-in-messages`: (anthropic) a system message inside the array; all other rules skip it
//! * `first-not-user`: the first message that is not system is not the user's
//! * `alternation`: (gemini) two contents of one side in a row
//! * `empty-content`: no content at all (anthropic: the very last assistant message may be empty)
//! * `empty-text`: (anthropic) a text block that is blank
//! * `empty-assistant`, `empty-tool-calls`: (openai-chat) neither content nor calls; `tool_calls: []`
//! * `misplaced-block`: (anthropic, hotl) a call in a user message, a client's result in an assistant message
//! * `missing-id`: a call without an id, in a format that pairs by id
//! * `duplicate-id`: one id twice among the calls that are open at the same time; (openai-responses) on two items
//! * `unanswered-call`: a call whose result is not where it has to be
//! * `pending-call`: a call after which nothing but results comes: in flight, not a fault of a running conversation
//! * `orphan-result`: a result without its call; an approval answer without its request
//! * `duplicate-result`: a second result for a call that has one
//! * `misplaced-result`: a result that has its call, but does not stand where it must
//! * `results-not-first`: (anthropic) another block in front of a tool_result
//! * `thinking-unsigned`, `thinking-not-first`, `thinking-only`, `thinking-last`: (anthropic, hotl)
//! * `reasoning-only`: an assistant message of nothing but reasoning
//! * `reasoning-orphan`: (openai-responses) reasoning that no item of the model follows
//! * `reasoning-split`, `approval-split`: (only [`added`]) a fold parted what belonged together
#![allow(dead_code)]

mod agentfootprint;
mod ai_sdk;
mod ai_sdk_ui;
mod anthropic;
mod blocks;
mod calls;
mod gemini;
mod hotl;
mod langchain;
mod lines;
mod openai_chat;
mod pi;
mod responses;
mod split;

use serde_json::Value;
use std::collections::HashMap;

pub const FORMATS: [&str; 10] = [
    "anthropic",
    "openai-chat",
    "openai-responses",
    "ai-sdk",
    "ai-sdk-ui",
    "langchain",
    "gemini",
    "hotl",
    "agentfootprint",
    "pi",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub rule: &'static str,
    /// Of the message in the array that was judged.
    pub index: usize,
    /// Of the call, result, approval or item, where there is one; in Gemini else its name, as `name:…`.
    pub id: Option<String>,
    pub detail: String,
}

impl Fault {
    fn new(rule: &'static str, index: usize, detail: impl Into<String>) -> Fault {
        Fault { rule, index, id: None, detail: detail.into() }
    }

    fn of(rule: &'static str, index: usize, id: Option<&str>, detail: impl Into<String>) -> Fault {
        Fault { rule, index, id: id.map(str::to_owned), detail: detail.into() }
    }
}

/// What is wrong with the messages, in their order.
pub fn faults(messages: &[Value], format: &str) -> Vec<Fault> {
    let mut faults = match format {
        "anthropic" => anthropic::judge(messages),
        "openai-chat" => openai_chat::judge(messages),
        "openai-responses" => responses::judge(messages),
        "ai-sdk" => ai_sdk::judge(messages),
        "ai-sdk-ui" => ai_sdk_ui::judge(messages),
        "langchain" => langchain::judge(messages),
        "gemini" => gemini::judge(messages),
        "hotl" => hotl::judge(messages),
        "agentfootprint" => agentfootprint::judge(messages),
        "pi" => pi::judge(messages),
        _ => panic!("no judge for {format}"),
    };
    faults.sort_by_key(|fault| fault.index);
    faults
}

/// Rules that do not make a conversation in flight, or one that still carries its system text, wrong.
pub fn benign(rule: &str) -> bool {
    matches!(rule, "pending-call" | "system-in-messages")
}

/// Every rule that [`faults`] can name in the format.
pub fn rules(format: &str) -> &'static [&'static str] {
    match format {
        "anthropic" => &anthropic::RULES,
        "openai-chat" => &openai_chat::RULES,
        "openai-responses" => &responses::RULES,
        "ai-sdk" => &ai_sdk::RULES,
        "ai-sdk-ui" => &ai_sdk_ui::RULES,
        "langchain" => &langchain::RULES,
        "gemini" => &gemini::RULES,
        "hotl" => &hotl::RULES,
        "agentfootprint" => &agentfootprint::RULES,
        "pi" => &pi::RULES,
        _ => panic!("no judge for {format}"),
    }
}

/// What `after` is to blame for: faults that `before` does not account for, and what a fold parted. Each fault of
/// `before` accounts for one of the same rule and id. An unanswered call also accounts for the same call being pending
/// (not the other way round), and an orphan and a second result of one id for each other: which of the two a stray
/// result is depends on whether a call with that id is still in the array. A result in the wrong turn may come into the right
/// one, without being first in it.
pub fn added(before: &[Value], after: &[Value], format: &str) -> Vec<Fault> {
    let mut have: HashMap<(&'static str, Option<String>), usize> = HashMap::new();
    for fault in faults(before, format) {
        *have.entry((fault.rule, fault.id)).or_default() += 1;
    }
    let mut take = |rule: &'static str, id: &Option<String>| match have.get_mut(&(rule, id.clone())) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    // The exact ones first, so that a stand-in is not spent on a fault that has one of its own.
    let mut left = faults(after, format);
    left.retain(|fault| !take(fault.rule, &fault.id));
    left.retain(|fault| match fault.rule {
        "pending-call" => !take("unanswered-call", &fault.id),
        "orphan-result" => !take("duplicate-result", &fault.id),
        "duplicate-result" => !take("orphan-result", &fault.id),
        "results-not-first" => !take("orphan-result", &fault.id) && !take("unanswered-call", &fault.id),
        _ => true,
    });
    left.extend(split::reasoning(before, after, format));
    left.extend(split::approvals(before, after, format));
    left.sort_by_key(|fault| fault.index);
    left
}

/// A string field.
fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

/// A string field that says something: an empty id is no id.
fn id_of<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    text(value, field).filter(|id| !id.is_empty())
}

/// An array field; nothing where there is none.
fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// No string, or one of white space as JavaScript's `trim` knows it.
fn blank(value: Option<&Value>) -> bool {
    let space = |c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}';
    !matches!(value, Some(Value::String(text)) if !text.chars().all(space))
}

/// What the content of a message amounts to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content<'a> {
    /// Absent, null or `[]`.
    None,
    Text(&'a str),
    Parts(&'a [Value]),
    /// A number, an object …
    Odd,
}

fn content(value: Option<&Value>) -> Content<'_> {
    match value {
        None | Some(Value::Null) => Content::None,
        Some(Value::String(text)) => Content::Text(text),
        Some(Value::Array(parts)) if parts.is_empty() => Content::None,
        Some(Value::Array(parts)) => Content::Parts(parts),
        Some(_) => Content::Odd,
    }
}
