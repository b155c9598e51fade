//! Session files: what agents write to disk, read back as the messages that the model saw.
//!
//! To add a kind: write `src/session/<name>.rs` with a type that implements [`SessionReader`], and
//! add its line to the `registry!` below. Nothing else knows kinds by name.
//!
//! No line is dropped in silence: each is in the messages, in a fold's originals, in
//! [`Session::skipped`] with a code, or in [`Session::problems`] with a sentence.

mod claude_code;
mod codex;
mod found;
mod gemini_cli;
mod lines;
mod messages;
mod native;
mod opencode;
mod pi;
mod pieces;
mod spans;
mod tree;

pub use crate::usage::Usage;
pub use found::{ledger_folds, FoundFold, LedgerFold};
pub use native::{before_fold, NativeFold};

use crate::error::{Error, ErrorCode, Result};
use crate::formats::Format;
use crate::json::{Kind, Tape, Value};
use crate::message::{Provenance, Role};
use crate::order::sort_by_key;
use serde::Serialize;
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

/// What went wrong with a line. The kebab-case form is part of the API and never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum SessionProblemCode {
    /// Bytes that are not UTF-8; each was read as U+FFFD.
    InvalidUtf8,
    /// Not JSON, in whole or in part; that part was skipped.
    BrokenLine,
    /// The end of the file is missing: writing stopped in the middle of a record.
    TornLine,
    /// Several records on one line; all were read.
    JoinedRecords,
    /// NUL bytes around a record, as a crash of the machine leaves them; they were skipped.
    NulBytes,
    /// JSON, but no message or record; it was skipped.
    NotAMessage,
    /// A message of another format than the rest; it was kept.
    MixedFormats,
    /// A uuid that an earlier line has already; the earlier line counts.
    DuplicateUuid,
    /// The line that this one continues is not in the file; the nearest earlier one stands in for it.
    MissingParent,
    /// The lines continue each other in a circle, which was cut here.
    ParentLoop,
    /// A compaction that left no summary; the conversation was read on through it.
    BoundaryWithoutSummary,
    /// A compaction names messages as preserved that the window before it does not hold.
    MissingPreserved,
    /// The conversation went back behind a compaction, which therefore is none of it any more.
    FoldLeft,
    /// Outputs of tools that the program no longer shows to the model: the window has its note in their place, as the
    /// model does. The file still holds them.
    ClearedOutput,
}

/// Something wrong with a line that did not keep the rest from being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct SessionProblem {
    /// The line, counted from 1.
    pub line: u32,
    /// The code.
    pub code: SessionProblemCode,
    /// What was wrong, where, and what was done about it.
    pub message: String,
}

/// Why a line is no message of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum SkipCode {
    /// What the session is: its id, version, folder.
    Header,
    /// A title for lists of sessions, or a label on a record.
    Title,
    /// A change of settings: the model, how much it reasons.
    Setting,
    /// Progress of a tool or hook.
    Progress,
    /// A snapshot of files.
    Snapshot,
    /// A note of the program to the user.
    SystemNote,
    /// What the program attaches when it asks the model: files, reminders.
    Attachment,
    /// A conversation of a subagent.
    Sidechain,
    /// A branch that was left, by rewinding or editing.
    OtherBranch,
    /// An error of the provider, or a stand-in for an answer, which the model never saw.
    ApiError,
    /// Repeats the id of another line, which counts in its place.
    Duplicate,
    /// Not of the shape that its type has; see [`Session::problems`].
    Unreadable,
    /// A type that this version does not know.
    UnknownType,
    /// About the session or the turn: ids, folders, model, settings, instructions that go to the model beside the messages.
    Metadata,
    /// A command of the user to the program, which the model never saw.
    Command,
}

impl SkipCode {
    /// The name, as in the API.
    pub fn name(self) -> &'static str {
        match self {
            SkipCode::Header => "header",
            SkipCode::Title => "title",
            SkipCode::Setting => "setting",
            SkipCode::Progress => "progress",
            SkipCode::Snapshot => "snapshot",
            SkipCode::SystemNote => "system-note",
            SkipCode::Attachment => "attachment",
            SkipCode::Sidechain => "sidechain",
            SkipCode::OtherBranch => "other-branch",
            SkipCode::ApiError => "api-error",
            SkipCode::Duplicate => "duplicate",
            SkipCode::Unreadable => "unreadable",
            SkipCode::UnknownType => "unknown-type",
            SkipCode::Metadata => "metadata",
            SkipCode::Command => "command",
        }
    }
}

/// A record that is no message of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct Skipped {
    /// The line, counted from 1.
    pub line: u32,
    /// Why it is none.
    pub code: SkipCode,
}

/// One message, as the provider's API has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionMessage<'s> {
    /// Its JSON. Put together from slices of the file, so key order and the spelling of numbers are the file's.
    pub json: Cow<'s, [u8]>,
    /// The lines that it was put together from, counted from 1, in the order of their content.
    pub lines: Vec<u32>,
    /// Who speaks.
    pub role: Role,
    /// Where it came from, beyond its role.
    pub provenance: Provenance,
    /// What the provider counted when the model gave this answer.
    pub usage: Option<Usage>,
}

/// A way through a file that holds several: one was left when the user went back and took another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct Branch {
    /// Its id, for [`SessionOptions::branch`]: that of its last record.
    pub id: String,
    /// The line of its last record, counted from 1.
    pub line: u32,
    /// Records with messages on the way to it, those before folds included.
    pub records: u32,
    /// The one that the file's program goes on with.
    pub active: bool,
    /// The conversation of a subagent.
    pub sidechain: bool,
}

/// How a file is read.
#[derive(Clone, Copy, Default)]
pub struct SessionOptions<'o> {
    /// Id of the branch to read, or of any record with a message: then the conversation up to there. The active branch by
    /// default.
    pub branch: Option<&'o str>,
    /// Told from time to time how many bytes were read; `false` stops the reading.
    pub progress: Option<&'o dyn Fn(usize) -> bool>,
}

/// How a file that holds plain messages is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One message per line.
    Lines,
    /// A JSON array.
    Array,
    /// A JSON object that holds the array under this key.
    Object(&'static str),
}

/// Where the messages lie in a file of plain messages, so that they can be replaced in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    /// How they are laid out.
    pub shape: Shape,
    /// Bytes between the brackets of the array, up to where reading stopped; for lines the whole file.
    pub inner: Range<usize>,
    /// Bytes of each message, in the order of [`Session::messages`].
    pub messages: Vec<Range<usize>>,
}

/// A session as read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session<'s> {
    /// What kind of file it is.
    pub kind: SessionKind,
    /// The format of its messages.
    pub format: Format,
    /// The current window: what follows the last fold, its digest first.
    pub messages: Vec<SessionMessage<'s>>,
    /// Folds found in the file, the oldest first.
    pub folds: Vec<FoundFold<'s>>,
    /// The branches of the file, in the order of their last lines; empty for a kind without branches.
    pub branches: Vec<Branch>,
    /// Id of the last record of the branch that was read, for a kind with branches.
    pub leaf: Option<String>,
    /// What was wrong, in the order of lines.
    pub problems: Vec<SessionProblem>,
    /// Records that are no messages of the conversation, in the order of lines.
    pub skipped: Vec<Skipped>,
    /// Where the messages lie, when the file holds plain messages.
    pub container: Option<Container>,
}

/// Reads one kind of session file.
pub trait SessionReader: Sync {
    /// Whether only files of this kind hold such a record. Asked for the first records of a file,
    /// the very first value of the file (which may span lines) before all others.
    fn recognises(&self, record: Value<'_>) -> bool;

    /// Whether files of this kind may be one JSON document with the records in it.
    fn reads_documents(&self) -> bool {
        false
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`ErrorCode::BadSession`] when nothing in it is of this kind; [`ErrorCode::BadArgument`] for a branch that it lacks.
    fn read<'s>(&self, bytes: &'s [u8], options: &SessionOptions<'_>) -> Result<Session<'s>>;

    /// The file with a fold in it, as its own program writes one.
    ///
    /// # Errors
    /// [`ErrorCode::BadArgument`] where that cannot be; [`ErrorCode::BadPlan`] for a fold that the file has no way to say.
    fn write_fold(&self, _bytes: &[u8], session: &Session<'_>, _fold: &NativeFold<'_>) -> Result<Vec<u8>> {
        Err(native::not_written(session.kind.name()))
    }
}

macro_rules! registry {
    ($($(#[$doc:meta])* $variant:ident = $name:literal => $reader:expr,)*) => {
        /// A kind of session file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        #[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
        pub enum SessionKind {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl SessionKind {
            /// Every kind, in the order in which they are asked.
            pub const ALL: &'static [SessionKind] = &[$(SessionKind::$variant),*];

            /// The name, as in the API.
            pub fn name(self) -> &'static str {
                match self { $(SessionKind::$variant => $name),* }
            }

            /// The reader of this kind.
            pub fn reader(self) -> &'static dyn SessionReader {
                match self { $(SessionKind::$variant => &$reader),* }
            }
        }
    };
}

// A session of gemini-cli has a `sessionId` too, which Claude Code takes for its own: so it is asked first.
registry! {
    /// Codex: a rollout, one record per line, `{timestamp, type, payload}`.
    Codex = "codex" => codex::Codex,
    /// opencode: its export, or `{info, parts}` as an array or one per line.
    Opencode = "opencode" => opencode::Opencode,
    /// gemini-cli: a session as one JSON document, or one record per line.
    GeminiCli = "gemini-cli" => gemini_cli::GeminiCli,
    /// Claude Code: one record per line, a tree by `uuid` and `parentUuid`.
    ClaudeCode = "claude-code" => claude_code::ClaudeCode,
    /// pi: one entry per line, a tree by `id` and `parentId`, or a plain sequence.
    Pi = "pi" => pi::Pi,
    /// Messages of any known format: a JSON array, one message per line, or an object with the array in it.
    Messages = "messages" => messages::Messages,
}

/// Records that are looked at to tell the kind of a file.
const HEAD: usize = 64;

/// Reads a session file of any known kind.
///
/// ```
/// let file = br#"[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]"#;
/// let session = plica::session::read_session(file).unwrap();
/// assert_eq!(session.kind.name(), "messages");
/// assert_eq!(session.messages.len(), 2);
/// ```
///
/// # Errors
/// [`ErrorCode::BadSession`] when nothing of it can be read as a session, saying what it looks like instead.
pub fn read_session(bytes: &[u8]) -> Result<Session<'_>> {
    read_session_with(bytes, &SessionOptions::default())
}

/// The same, one branch of it, or with news of the progress.
///
/// # Errors
/// As [`read_session`]; [`ErrorCode::BadArgument`] for a branch that the file lacks, and when `progress` stops the reading.
pub fn read_session_with<'s>(bytes: &'s [u8], options: &SessionOptions<'_>) -> Result<Session<'s>> {
    if let Some(what) = lines::not_text(bytes) {
        return Err(bad_session(what));
    }
    let stopped = Cell::new(false);
    let tell = |read: usize| {
        let on = options.progress.is_none_or(|tell| tell(read));
        stopped.set(!on || stopped.get());
        !stopped.get()
    };
    let progress = options.progress.map(|_| &tell as &dyn Fn(usize) -> bool);
    let read = recognise(bytes).reader().read(bytes, &SessionOptions { progress, ..*options });
    if stopped.get() {
        return Err(Error::new(ErrorCode::BadArgument, "the reading was stopped by its caller"));
    }
    let mut session = read?;
    sort_by_key(&mut session.problems, |problem| problem.line);
    sort_by_key(&mut session.skipped, |skipped| skipped.line);
    Ok(session)
}

/// The kind of the file, by its first records; plain messages when no kind claims one.
fn recognise(bytes: &[u8]) -> SessionKind {
    let claims = |record: Value<'_>| SessionKind::ALL.iter().copied().find(|kind| kind.reader().recognises(record));
    let start = lines::text_start(bytes);
    let first = match Tape::new().parse_prefix(bytes, start) {
        Ok((value, _)) => claims(value),
        Err(_) => torn_document(bytes),
    };
    first.unwrap_or_else(|| {
        let mut found = None;
        lines::each_record(bytes, HEAD, None, &mut Vec::new(), |record| {
            found = found.or_else(|| claims(record.value));
        });
        found.unwrap_or(SessionKind::Messages)
    })
}

/// The kind of a document that breaks off, by its first records.
fn torn_document(bytes: &[u8]) -> Option<SessionKind> {
    let mut found = None;
    let claims = |record: Value<'_>| {
        let claims = |kind: &SessionKind| kind.reader().reads_documents() && kind.reader().recognises(record);
        SessionKind::ALL.iter().copied().find(claims)
    };
    pieces::torn_head(bytes, "messages", HEAD, |value| found = found.or_else(|| claims(value)));
    found
}

/// The error for a branch that a file does not have.
fn no_branch(id: &str) -> Error {
    Error::new(
        ErrorCode::BadArgument,
        format!("the file has no branch {id:?}; those that it has are listed when it is read or inspected"),
    )
}

/// The error for a file that is no session, with what every such error says.
fn bad_session(what: impl AsRef<str>) -> Error {
    let sentence = format!(
        "{}; plica reads sessions of Claude Code, Codex, opencode, gemini-cli and pi, and messages as a JSON array, as JSONL or in an object under \"messages\"",
        what.as_ref()
    );
    Error::new(ErrorCode::BadSession, sentence)
}

/// What a JSON value that is no session looks like, as the beginning of a sentence.
fn looks_like(value: Value<'_>) -> String {
    let has = |key: &str| value.get(key).is_some();
    if value.kind() != Kind::Object {
        return format!("the file holds a JSON {}", kind_name(value.kind()));
    }
    if has("payload") && has("timestamp") {
        return "the file looks like a Codex rollout, but holds no record that Codex writes".into();
    }
    if has("info") && has("parts") {
        return "the file looks like an opencode session, but holds no message with a role".into();
    }
    if let Some(messages) = value.get("messages").filter(|messages| messages.kind() == Kind::Array) {
        if messages.items().next().is_none() {
            return "the file holds no messages: its array \"messages\" is empty".into();
        }
        return "each line of the file holds a conversation of its own; pass one line at a time".into();
    }
    let keys: Vec<String> = value.entries().take(6).map(|(key, _)| format!("\"{}\"", clip(key))).collect();
    if keys.is_empty() {
        return "the file holds an empty JSON object".into();
    }
    format!("the file holds a JSON object with {}, but no messages", keys.join(", "))
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "boolean",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}

fn clip(text: Value<'_>) -> String {
    text.text_lossy().chars().take(40).collect()
}
