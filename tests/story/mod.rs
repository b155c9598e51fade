//! Conversations without a format: what the user says, what the assistant answers and calls, what comes back. A story
//! is invented first (from a seed, or by proptest), then, as often as it is told to, something goes wrong in it, and
//! last it is written down in a format.
//!
//! A story in which nothing goes wrong obeys every provider's rules; it may still end in calls that are in flight.
#![allow(dead_code)]

mod accidents;
mod parts;
pub mod random;
mod sketch;
#[cfg(not(target_arch = "wasm32"))]
mod strategy;
mod style;
mod write_agentfootprint;
mod write_ai_sdk;
mod write_ai_sdk_ui;
mod write_anthropic;
mod write_gemini;
mod write_hotl;
mod write_langchain;
mod write_openai_chat;
mod write_pi;
mod write_responses;

use serde_json::Value;
use style::Style;

#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    System {
        text: String,
        developer: bool,
    },
    /// Several texts are one message where the format has parts.
    User {
        texts: Vec<String>,
        image: bool,
    },
    /// A program speaks in the user's place. The kind is a name, known to the format or not.
    Injected {
        kind: &'static str,
        text: String,
    },
    /// What an earlier fold left.
    Summary {
        text: String,
    },
    /// A kind of message that nobody has heard of, where the format leaves room for one.
    Unknown {
        text: String,
    },
    Assistant(Said),
    Approvals(Vec<Verdict>),
    Results(Batch),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    pub thoughts: Vec<Thought>,
    pub texts: Vec<String>,
    /// Tools that the provider ran.
    pub servers: Vec<Server>,
    pub calls: Vec<Call>,
    pub thinking_last: bool,
    /// An empty list of calls, written out.
    pub empty_calls: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    pub text: String,
    /// Empty: unsigned.
    pub signature: String,
    pub redacted: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    pub id: String,
    pub query: String,
    pub half: Half,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Whole,
    CallOnly,
    ResultOnly,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub id: Option<String>,
    pub name: &'static str,
    pub input: Value,
    /// The id of the approval that it waits for.
    pub approval: Option<String>,
}

/// The answer to a request for approval.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub approval: String,
    pub call: Option<String>,
    pub approved: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    pub answers: Vec<Answer>,
    /// In several messages, where that is allowed.
    pub apart: bool,
    /// What the user says at the same time.
    pub word: Option<(When, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before the results, allowed or not.
    Before,
    /// Before the results where a format allows it, else after.
    During,
    After,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub call: Option<String>,
    pub name: &'static str,
    pub content: String,
    pub error: bool,
    /// As a list of parts, where that is allowed.
    pub parts: bool,
    /// The approval it was given or denied.
    pub approval: Option<(String, bool)>,
}

impl Answer {
    pub fn denied(&self) -> bool {
        matches!(self.approval, Some((_, false)))
    }
}

impl Story {
    /// The same story for the same numbers on every platform. `malformed`: from 0 (nothing goes wrong) to 1 (something
    /// surely does, and often more than one thing).
    pub fn from_seed(seed: u64, malformed: f64) -> Story {
        random::sketch(seed, malformed).build()
    }
}

/// Stories of the kind that [`Story::from_seed`] tells, for proptest: a failure shrinks to fewer turns, rounds, calls,
/// accidents and words.
#[cfg(not(target_arch = "wasm32"))]
pub fn stories(malformed: f64) -> impl proptest::strategy::Strategy<Value = Story> {
    use proptest::strategy::Strategy;
    strategy::sketches(malformed).prop_map(|sketch| sketch.build())
}

/// The story in a format. The style decides wherever a format leaves a choice; style 0 is the plainest.
pub fn write(story: &Story, format: &str, style: u32) -> Vec<Value> {
    let style = Style::new(style);
    match format {
        "anthropic" => write_anthropic::write(story, style),
        "openai-chat" => write_openai_chat::write(story, style),
        "openai-responses" => write_responses::write(story, style),
        "ai-sdk" => write_ai_sdk::write(story, style),
        "ai-sdk-ui" => write_ai_sdk_ui::write(story, style),
        "langchain" => write_langchain::write(story, style),
        "gemini" => write_gemini::write(story, style),
        "hotl" => write_hotl::write(story, style),
        "agentfootprint" => write_agentfootprint::write(story, style),
        "pi" => write_pi::write(story, style),
        _ => panic!("no stories in {format}"),
    }
}
