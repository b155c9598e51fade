//! The plan of a story: few choices, each of which may be left out or made smaller without making the rest wrong. Ids,
//! signatures and the like follow from the places of things.

use super::accidents::{self, Accident};
use super::{Answer, Batch, Call, Half, Said, Server, Step, Story, Thought, Verdict, When};
use serde_json::{json, Value};

pub const TOOLS: [&str; 7] = ["read", "bash", "search", "write", "list", "apply_patch", "lookup"];
pub const INPUTS: usize = 6;
pub const KINDS: [&str; 7] = [
    "system_reminder",
    "steer",
    "memory",
    "subagent_result",
    "retry_feedback",
    "project_instructions",
    "brand_new_kind",
];

#[derive(Clone, Debug)]
pub struct Sketch {
    pub systems: Vec<(String, bool)>,
    /// Instructions of the project, in front of everything the user says.
    pub opening: Option<String>,
    /// The back end starts counting call ids anew with every reply.
    pub reuse_ids: bool,
    pub turns: Vec<Turn>,
    pub ending: Ending,
    pub accidents: Vec<Accident>,
}

#[derive(Clone, Debug)]
pub struct Turn {
    pub aside: Option<Aside>,
    pub asks: Vec<String>,
    pub image: bool,
    pub rounds: Vec<Round>,
    pub answer: Speech,
}

/// What stands between two turns.
#[derive(Clone, Debug)]
pub enum Aside {
    System(String),
    Injected(usize, String),
    Summary(String),
    Unknown(String),
}

#[derive(Clone, Debug)]
pub struct Speech {
    pub thoughts: Vec<String>,
    pub redacted: bool,
    pub texts: Vec<String>,
    pub server: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Round {
    pub speech: Speech,
    pub calls: Vec<Ask>,
    pub reversed: bool,
    pub apart: bool,
    pub word: Option<(bool, String)>,
}

#[derive(Clone, Debug)]
pub struct Ask {
    pub tool: usize,
    pub input: usize,
    pub result: String,
    pub error: bool,
    pub parts: bool,
    /// Whether it needs an approval, and which it gets.
    pub approval: Option<bool>,
}

/// How the last turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Answered,
    /// The results are there, the answer is not.
    Silent,
    /// Calls without results, and without approvals if they need any.
    Waiting,
    /// Approvals, and no results.
    Approved,
    /// The first result.
    Partial,
}

fn input(kind: usize, result: &str) -> Value {
    match kind {
        0 => json!({}),
        1 => json!({ "path": "src/a.rs" }),
        2 => json!({ "b": 1, "a": [1, 2.5, null], "z": { "y": true } }),
        3 => json!({ "text": result }),
        4 => json!({ "n": 9_007_199_254_740_991_u64 }),
        _ => json!({ "path": "größer/日本語.txt", "lines": [1, 200] }),
    }
}

fn said(speech: &Speech, place: &str) -> Said {
    let thought = |(n, text): (usize, &String)| Thought {
        text: text.clone(),
        signature: format!("Eq{place}{n}=="),
        redacted: speech.redacted && n > 0,
    };
    let server = |query: &String| Server { id: format!("srv_{place}"), query: query.clone(), half: Half::Whole };
    Said {
        thoughts: speech.thoughts.iter().enumerate().map(thought).collect(),
        texts: speech.texts.clone(),
        servers: speech.server.iter().map(server).collect(),
        ..Said::default()
    }
}

impl Sketch {
    pub fn build(&self) -> Story {
        let mut steps = Vec::new();
        for (text, developer) in &self.systems {
            steps.push(Step::System { text: text.clone(), developer: *developer });
        }
        if let Some(text) = &self.opening {
            steps.push(Step::Injected { kind: "project_instructions", text: text.clone() });
        }
        for (t, turn) in self.turns.iter().enumerate() {
            let ending = if t + 1 == self.turns.len() { self.ending } else { Ending::Answered };
            self.turn(turn, t, ending, &mut steps);
        }
        for accident in &self.accidents {
            accidents::happen(&mut steps, accident);
        }
        Story { steps }
    }

    fn turn(&self, turn: &Turn, t: usize, ending: Ending, steps: &mut Vec<Step>) {
        steps.extend(turn.aside.as_ref().map(|aside| match aside.clone() {
            Aside::System(text) => Step::System { text, developer: false },
            Aside::Injected(kind, text) => Step::Injected { kind: KINDS[kind % KINDS.len()], text },
            Aside::Summary(text) => Step::Summary { text },
            Aside::Unknown(text) => Step::Unknown { text },
        }));
        steps.push(Step::User { texts: turn.asks.clone(), image: turn.image });
        for (r, round) in turn.rounds.iter().enumerate() {
            let last = r + 1 == turn.rounds.len();
            self.round(round, &format!("{t}_{r}"), if last { ending } else { Ending::Answered }, steps);
        }
        if ending == Ending::Answered {
            let mut answer = said(&turn.answer, &format!("{t}"));
            if answer.texts.is_empty() {
                answer.texts.push("done".into());
            }
            steps.push(Step::Assistant(answer));
        }
    }

    fn round(&self, round: &Round, place: &str, ending: Ending, steps: &mut Vec<Step>) {
        let mut said = said(&round.speech, place);
        let mut answers = Vec::new();
        let mut verdicts = Vec::new();
        for (n, ask) in round.calls.iter().enumerate() {
            let id = if self.reuse_ids { format!("call_{n}") } else { format!("call_{place}_{n}") };
            let name = TOOLS[ask.tool % TOOLS.len()];
            let approval = ask.approval.map(|approved| (format!("apr_{place}_{n}"), approved));
            if let Some((approval, approved)) = approval.clone() {
                verdicts.push(Verdict { approval, call: Some(id.clone()), approved });
            }
            said.calls.push(Call {
                id: Some(id.clone()),
                name,
                input: input(ask.input % INPUTS, &ask.result),
                approval: approval.as_ref().map(|(id, _)| id.clone()),
            });
            answers.push(Answer {
                call: Some(id),
                name,
                content: ask.result.clone(),
                error: ask.error,
                parts: ask.parts,
                approval,
            });
        }
        steps.push(Step::Assistant(said));
        if ending == Ending::Waiting {
            return;
        }
        if !verdicts.is_empty() {
            steps.push(Step::Approvals(verdicts));
        }
        match ending {
            Ending::Approved => return,
            Ending::Partial => {
                // An approved call of a provider's tool comes back as a call of its own, which would not be a result.
                let first = answers.into_iter().find(|answer| answer.approval.is_none());
                if let Some(first) = first {
                    steps.push(Step::Results(Batch { answers: vec![first], ..Batch::default() }));
                }
                return;
            }
            _ => {}
        }
        if round.reversed {
            answers.reverse();
        }
        let word = round.word.as_ref().map(|(during, text)| {
            let when = if *during { When::During } else { When::After };
            (when, text.clone())
        });
        steps.push(Step::Results(Batch { answers, apart: round.apart, word }));
    }
}
