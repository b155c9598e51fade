//! What a provider would refuse, found before it is sent.
//!
//! Each rule is a small type in [`rules`]; which of them hold is a matter of the [`crate::profile`]. A finding says what is
//! wrong and how to mend it; [`crate::repair`] does the mending, so that the two can never disagree.

pub mod rules;
mod view;

pub use view::{At, Element, ElementKind, Entry, Form, Saying, View};

use crate::error::Result;
use crate::formats::Format;
use crate::order::sort_by_key;
use serde::Serialize;

/// What is wrong with a message. The kebab-case form is part of the API and never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum ProblemCode {
    /// A result, or an answer to an approval, for which there is no call.
    OrphanResult,
    /// A call without result, though the conversation went on.
    UnansweredCall,
    /// A second result for one call.
    DuplicateResult,
    /// A result that does not stand where the provider looks for it.
    MisplacedResult,
    /// Reasoning that is not followed by what it led to.
    ReasoningOrphan,
    /// A reply of nothing but reasoning.
    ReasoningOnly,
    /// Reasoning behind what it led to.
    MisplacedReasoning,
    /// Reasoning without the signature that has to come back with it.
    UnsignedReasoning,
    /// A message, or a text in it, that says nothing.
    EmptyMessage,
    /// The first message is not the user's.
    WrongFirstRole,
    /// Two messages of one side in a row, where user and model must take turns.
    BrokenAlternation,
    /// One id for two calls that are open at the same time, or for two items.
    DuplicateId,
    /// A call without an id.
    MissingId,
    /// A member that the provider refuses as it is.
    BadMember,
}

/// Something that the provider would refuse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct Problem {
    /// What.
    pub code: ProblemCode,
    /// Index of the message.
    pub index: u32,
    /// Id of the call, result or item, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub id: Option<String>,
    /// The sentence.
    pub message: String,
}

/// A problem, and what mends it.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The problem.
    pub problem: Problem,
    /// What mends it.
    pub fix: Fix,
}

/// What mends a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// Take it away.
    Drop(At),
    /// Put the result behind the calls of the turn that ends with this message.
    Place {
        /// The result.
        at: At,
        /// Index of its call's link.
        call: u32,
        /// The turn, as an index into [`rules::turns`].
        turn: u32,
    },
    /// Write a result that says that there is none.
    Answer {
        /// Index of the call's link.
        call: u32,
        /// The turn, as an index into [`rules::turns`].
        turn: u32,
    },
    /// Let the call itself say that it has no result.
    Close {
        /// Index of the call's link.
        call: u32,
    },
    /// Give these links the id.
    Rename {
        /// A call, and its result where there is one.
        links: Vec<u32>,
        /// The new id.
        id: String,
    },
    /// Give the item another id.
    RenameItem {
        /// The message.
        message: u32,
        /// The new id.
        id: String,
    },
    /// Move these items to the front of their message.
    Front {
        /// The message.
        message: u32,
        /// Indices into its list.
        items: Vec<u32>,
    },
    /// Put a message of the user in front of this one.
    UserBefore(u32),
    /// Join it to the message before it.
    Join {
        /// The message before it, on the same side.
        to: u32,
        /// The message.
        message: u32,
    },
    /// Set a member of the message, as JSON, or remove it.
    Member {
        /// The message.
        message: u32,
        /// The member.
        key: &'static str,
        /// The JSON text; `None` removes it.
        value: Option<String>,
    },
    /// Set a member of a call or a result.
    Form(Form),
}

/// Something that a request must not contain.
pub trait FaultRule: Sync {
    /// Reports what this rule finds.
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>);
}

/// Everything that the provider would refuse, by message.
///
/// ```
/// let messages: [&[u8]; 2] = [br#"{"role":"user","content":"hi"}"#, br#"{"role":"tool","tool_call_id":"gone","content":"x"}"#];
/// let problems = plica::check::check(&messages, plica::formats::Format::OpenaiChat).unwrap();
/// assert_eq!((problems[0].index, problems[0].id.as_deref()), (1, Some("gone")));
/// ```
///
/// # Errors
/// [`crate::error::ErrorCode::BadMessage`].
pub fn check<T: AsRef<[u8]>>(messages: &[T], format: Format) -> Result<Vec<Problem>> {
    let view = View::read(messages, format)?;
    Ok(findings(&view).into_iter().map(|finding| finding.problem).collect())
}

/// What all rules of the format find.
pub(crate) fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    view.profile().faults.iter().for_each(|rule| rule.find(view, &mut found));
    sort_by_key(&mut found, |finding| finding.problem.index);
    found
}
