//! Formats in which every result is a message of its own, directly after the assistant message that called: OpenAI's
//! chat and those that took after it. A format says what each message is; the rules are here.

use super::calls::Calls;
use super::Fault;
use std::collections::HashSet;

/// What one message is.
pub enum Line {
    /// Not a message at all: nobody reads it.
    Broken(&'static str),
    /// A role that the provider does not know.
    Stranger(String),
    Said(Said),
    Result {
        id: Option<String>,
        hollow: bool,
    },
    /// The user, the system, anybody else.
    Other {
        hollow: bool,
    },
}

#[derive(Default)]
pub struct Said {
    pub calls: Vec<Call>,
    /// The rule that the message breaks by what it lacks.
    pub lacks: Option<&'static str>,
}

pub struct Call {
    pub id: Option<String>,
    /// Paired by its name, for want of an id.
    pub by_name: bool,
}

/// The lines, each with the index of its message. `lenient`: a result that comes too late still belongs to its call, and
/// only stands in the wrong place; otherwise both are on their own.
pub fn judge(lines: impl Iterator<Item = Line>, lenient: bool) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut calls = Calls::default();
    for (index, line) in lines.enumerate() {
        match line {
            Line::Broken(detail) => faults.push(Fault::new("bad-message", index, detail)),
            Line::Stranger(role) => {
                calls.close();
                faults.push(Fault::new("bad-role", index, format!("role {role}")));
            }
            Line::Other { hollow } => {
                calls.close();
                if hollow {
                    faults.push(Fault::new("empty-content", index, "no content"));
                }
            }
            Line::Said(said) => {
                calls.close();
                judge_said(said, index, &mut calls, &mut faults);
            }
            Line::Result { id, hollow } => {
                let id = id.as_deref();
                if hollow {
                    faults.push(Fault::of("empty-content", index, id, "a result needs content"));
                }
                if calls.answer(id) {
                    continue;
                }
                let called = calls.in_group(id) || (lenient && calls.answered(id));
                faults.push(if lenient && calls.answer_late(id) {
                    Fault::of("misplaced-result", index, id, "not directly after its call")
                } else if called {
                    Fault::of("duplicate-result", index, id, "a second result")
                } else {
                    Fault::of("orphan-result", index, id, "no such call before")
                });
            }
        }
    }
    calls.finish(&mut faults);
    faults
}

fn judge_said(said: Said, index: usize, calls: &mut Calls, faults: &mut Vec<Fault>) {
    if let Some(rule) = said.lacks {
        faults.push(Fault::new(rule, index, "the assistant says nothing and calls nothing"));
    }
    let mut ids = HashSet::new();
    for Call { id, by_name } in &said.calls {
        let id = id.as_deref();
        match id {
            _ if *by_name => {}
            None | Some("") => faults.push(Fault::new("missing-id", index, "a call without an id")),
            Some(_) if !ids.insert(id) => faults.push(Fault::of("duplicate-id", index, id, "twice in one message")),
            Some(_) => {}
        }
        calls.call(index, id);
    }
}
