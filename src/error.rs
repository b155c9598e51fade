//! Errors: one type, a code that programs can match, a sentence that helps people.

use serde::Serialize;
use std::fmt;

/// Why a call was refused. The kebab-case form is part of the API and never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// An argument is of the wrong type or out of range.
    BadArgument,
    /// `tailBudget` is not a number of 0 or more.
    BadBudget,
    /// A message cannot be read: not an object, a getter threw, a cycle, not expressible as JSON.
    BadMessage,
    /// Nested deeper than the runtime can read.
    TooDeep,
    /// More data than the core's memory can hold.
    TooLarge,
    /// The messages are of no known format, or of several at once.
    FormatUndetected,
    /// The messages fit several formats and the answer would depend on which.
    FormatAmbiguous,
    /// `format` names no known format.
    UnknownFormat,
    /// `estimator` names no known estimator, or the counter given threw or returned no number.
    BadEstimator,
    /// A plan object lacks fields or holds impossible indices.
    BadPlan,
    /// The plan was made for other messages.
    PlanMismatch,
    /// The messages that the plan was made for have changed since.
    StalePlan,
    /// The cut of the plan would tear a tool call from its result, or something else that belongs together.
    IllegalCut,
    /// The plan says that nothing can fold.
    NothingToFold,
    /// The summary is blank.
    EmptySummary,
    /// A text is not valid JSON, or not of the shape expected.
    BadJson,
    /// Not a session file or message array that plica can read.
    BadSession,
    /// A ledger object or file is not of the shape expected.
    BadLedger,
    /// The contents of a ledger were changed since it was written.
    LedgerAltered,
    /// A message that the ledger holds was changed in place since it was recorded.
    MessageChanged,
    /// The ledger is sealed with a key and the key given is missing or another.
    LedgerKey,
    /// The messages hold no digest of any fold in the ledger, or not at its place.
    DigestMissing,
    /// The originals of a fold are not in the ledger and were not supplied.
    OriginalsMissing,
    /// A window was refused because a pin would not be in it.
    PinsMissing,
    /// The same conversation was to be folded again and again, and nothing was freed.
    NoProgress,
    /// The object was freed: make a new one.
    Freed,
    /// The core is not loaded yet: await `init()` first.
    NotReady,
    /// This runtime cannot run WebAssembly, or forbids compiling it.
    WasmUnavailable,
    /// A bug in plica. The core was loaded anew; the next call works.
    Internal,
}

impl ErrorCode {
    /// The kebab-case form, as it appears in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::BadArgument => "bad-argument",
            ErrorCode::BadBudget => "bad-budget",
            ErrorCode::BadMessage => "bad-message",
            ErrorCode::TooDeep => "too-deep",
            ErrorCode::TooLarge => "too-large",
            ErrorCode::FormatUndetected => "format-undetected",
            ErrorCode::FormatAmbiguous => "format-ambiguous",
            ErrorCode::UnknownFormat => "unknown-format",
            ErrorCode::BadEstimator => "bad-estimator",
            ErrorCode::BadPlan => "bad-plan",
            ErrorCode::PlanMismatch => "plan-mismatch",
            ErrorCode::StalePlan => "stale-plan",
            ErrorCode::IllegalCut => "illegal-cut",
            ErrorCode::NothingToFold => "nothing-to-fold",
            ErrorCode::EmptySummary => "empty-summary",
            ErrorCode::BadJson => "bad-json",
            ErrorCode::BadSession => "bad-session",
            ErrorCode::BadLedger => "bad-ledger",
            ErrorCode::LedgerAltered => "ledger-altered",
            ErrorCode::MessageChanged => "message-changed",
            ErrorCode::LedgerKey => "ledger-key",
            ErrorCode::DigestMissing => "digest-missing",
            ErrorCode::OriginalsMissing => "originals-missing",
            ErrorCode::PinsMissing => "pins-missing",
            ErrorCode::NoProgress => "no-progress",
            ErrorCode::Freed => "freed",
            ErrorCode::NotReady => "not-ready",
            ErrorCode::WasmUnavailable => "wasm-unavailable",
            ErrorCode::Internal => "internal",
        }
    }
}

/// What every fallible function of this crate returns.
///
/// ```
/// use plica::error::{Error, ErrorCode};
/// let error = Error::new(ErrorCode::EmptySummary, "the summary is blank");
/// assert_eq!(error.to_string(), "empty-summary: the summary is blank");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The code.
    pub code: ErrorCode,
    /// What was wrong, where, and what to do.
    pub message: String,
}

impl Error {
    /// An error of `code` with a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Error { code, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {}

/// Result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
