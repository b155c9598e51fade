//! What the core knows of a message, whatever its format: a role, where it came from, its parts.

use crate::json::Value;
use serde::Serialize;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// System or developer text.
    System,
    /// The user, or text injected in the user's name.
    User,
    /// The model.
    Assistant,
    /// Results of tools and nothing else.
    Tool,
    /// Anything this version does not know; carried through untouched.
    Other,
}

impl Role {
    /// The name, as in the API.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::Other => "other",
        }
    }
}

/// Where a message came from, beyond its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Said by its role.
    #[default]
    Plain,
    /// Project instructions: never fold.
    Instructions,
    /// Memory: never folds.
    Memory,
    /// The user spoke while the model was at work.
    Steer,
    /// Injected by the program (reminders, nudges, …): folds like other messages.
    Injected,
    /// A digest of an earlier fold, by the format's typed mark or by the ledger.
    Summary,
}

/// The marks that a host may set on a message, by the number that stands for each at the border.
pub const MARKS: [Provenance; 5] =
    [Provenance::Instructions, Provenance::Memory, Provenance::Injected, Provenance::Summary, Provenance::Steer];

/// The steps of asking leave for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Leave is asked.
    Request,
    /// It is given.
    Granted,
    /// It is denied: that is all the result the call gets.
    Denied,
    /// What was done with it, by a call that names the request; or by a call that another call made, which it names.
    Use,
}

/// One part of a message, as a view into its JSON.
#[derive(Clone, Copy)]
pub enum Part<'d> {
    /// Text of the speaker.
    Text(Value<'d>),
    /// Reasoning of the model.
    Reasoning {
        /// The readable text, if any.
        text: Option<Value<'d>>,
        /// Signed or encrypted: must come back byte for byte.
        signed: bool,
        /// The whole part.
        raw: Value<'d>,
    },
    /// The model calls a tool.
    Call {
        /// Call id; absent in formats that pair by name and order.
        id: Option<Value<'d>>,
        /// Name of the tool.
        name: Option<Value<'d>>,
        /// The arguments: a JSON value, or a string that holds JSON text.
        arguments: Option<Value<'d>>,
        /// The provider runs the tool itself: the call waits for nobody.
        hosted: bool,
        /// The whole part.
        raw: Value<'d>,
    },
    /// A tool answers a call.
    Result {
        /// Id of the call it answers.
        id: Option<Value<'d>>,
        /// Name of the tool, where the format repeats it.
        name: Option<Value<'d>>,
        /// What the tool said.
        content: Option<Value<'d>>,
        /// The tool failed.
        error: bool,
        /// The whole part.
        raw: Value<'d>,
    },
    /// A step of asking somebody's leave for a call.
    Approval {
        /// Which step.
        step: Approval,
        /// Id of the request.
        id: Option<Value<'d>>,
        /// Id of the call that leave is asked for, where the request names one.
        call: Option<Value<'d>>,
        /// The whole part.
        raw: Value<'d>,
    },
    /// An image, a document, a sound.
    Media {
        /// The inlined base64 text, if the data is inlined.
        data: Option<Value<'d>>,
        /// The whole part.
        raw: Value<'d>,
    },
    /// A digest that the provider itself wrote.
    Summary(Value<'d>),
    /// A part this version does not know; carried through untouched.
    Other(Value<'d>),
}
