//! Codex rollouts: one record per line, `{timestamp, type, payload}`. A `response_item` holds one item of OpenAI
//! Responses, as the model saw it or gave it; the other types say what happened around the items. Rollouts from before
//! September 2025 hold the items bare, after a first line with the session's id, and `{"record_type":"state"}` between.
//!
//! What surprises, from codex-rs (core/src/session/rollout_reconstruction.rs, core/src/compact.rs,
//! core/src/context_manager/history.rs, history's `CompactedHistoryEntry`):
//! * `compacted` without `replacement_history` has the window rebuilt: the user's messages of up to 20,000 tokens, the
//!   latest first, then the summary. Context that Codex put in is left out.
//! * `replacement_history_entries` holds items inline or names earlier ones by id; an item of the same compaction is none
//!   of these, and of several with one id the last counts.
//! * `thread_rolled_back` drops the last turns of the user. A compaction that belongs to a dropped turn is undone with it:
//!   the window is the one before it again.
//! * Items `ghost_snapshot` and messages of the role `system` are kept in the file, but never sent.

use super::lines::{self, Record};
use super::native::{appended, copied, mark, newest, not_sayable, NativeFold};
use super::{bad_session, found::Windows, no_branch, FoundFold};
use super::{Session, SessionKind, SessionMessage, SessionOptions, SessionProblem, SessionProblemCode, SessionReader};
use super::{SkipCode, Skipped};
use crate::error::Result;
use crate::formats::{Fit, Format};
use crate::json::{quote, Kind, Tape, Value};
use crate::message::{Provenance, Role};
use crate::usage::{count, Usage};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

pub(super) struct Codex;

/// Types of records with a payload.
const TYPES: [&str; 6] =
    ["session_meta", "response_item", "compacted", "turn_context", "event_msg", "inter_agent_communication"];

/// Types of records that say something about the session or the turn.
const METADATA: [&str; 9] = [
    "session_meta",
    "turn_context",
    "world_state",
    "rollout_reference",
    "inter_agent_communication_metadata",
    "retained_context",
    "token_usage_record",
    "security_risk_score",
    "realtime_item",
];

/// How the texts of messages begin that Codex puts in under the user's name.
const INJECTED: [&str; 16] = [
    "<environment_context",
    "<skill",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent",
    "<codex_internal_context",
    "<goal_context>",
    "<recommended_plugins>",
    "<hook_prompt",
    "<agent_message_board_notification>",
    "<external_",
    "<user_action>",
    "<inter_agent_message",
    "warning: the maximum number of unified exec processes",
    "warning: apply_patch was requested via",
    "warning: your account was flagged",
];

/// The same for instructions of the user or the project.
const INSTRUCTIONS: [&str; 2] = ["<user_instructions>", "# agents.md instructions"];

/// The same for context in a developer's name that a turn brings along.
const DEVELOPER: [&str; 6] = [
    "<permissions instructions>",
    "<collaboration_mode>",
    "<model_switch>",
    "<realtime_conversation>",
    "<personality_spec>",
    "<environment",
];

/// How a summary begins that Codex had the model write.
const SUMMARY: &str = "Another language model started to solve this problem and produced a summary";

/// What a rebuilt window keeps of the user's messages, in tokens of four bytes.
const KEPT_TOKENS: usize = 20_000;

impl SessionReader for Codex {
    fn write_fold(&self, bytes: &[u8], _session: &Session<'_>, fold: &NativeFold<'_>) -> Result<Vec<u8>> {
        write_fold(bytes, fold)
    }

    fn recognises(&self, record: Value<'_>) -> bool {
        let payload = record.get("payload").is_some_and(|payload| payload.kind() == Kind::Object);
        let wrapped = payload && record.get("type").is_some_and(|kind| kind.is_any(&TYPES));
        wrapped || is_bare_meta(record) || is_state(record)
    }

    fn read<'s>(&self, bytes: &'s [u8], options: &SessionOptions<'_>) -> Result<Session<'s>> {
        if let Some(id) = options.branch {
            return Err(no_branch(id));
        }
        let spare = bytes.len().saturating_mul(4).saturating_add(16 << 20);
        let mut replay = Replay { spare, ..Replay::default() };
        let mut problems = Vec::new();
        lines::each_record(bytes, usize::MAX, options.progress, &mut problems, |record| replay.record(&record));
        if replay.items == 0 {
            return Err(bad_session("the file is a Codex rollout without any item that can be read"));
        }
        problems.append(&mut replay.problems);
        let (kind, format, branches) = (SessionKind::Codex, Format::OpenaiResponses, Vec::new());
        let (messages, folds) = (replay.windows.window, replay.windows.folds);
        Ok(Session {
            kind,
            format,
            messages,
            folds,
            branches,
            leaf: None,
            problems,
            skipped: replay.skipped,
            container: None,
        })
    }
}

/// A `compacted` record behind the newest one, with the whole window in it: what stays is repeated as it is written.
fn write_fold(bytes: &[u8], fold: &NativeFold<'_>) -> Result<Vec<u8>> {
    let newest = newest(bytes, |record| record.get("payload").is_some());
    let Some(newest) = newest else {
        return Err(not_sayable("rollouts from before September 2025 have no mark for a fold with its window"));
    };
    let time = copied(newest, &["timestamp"]);
    let is_digest = |item: &[u8]| fold.digest.iter().any(|digest| digest.as_bytes() == item);
    let window: Vec<Cow<'_, str>> = fold
        .window
        .iter()
        .map(|item| if is_digest(item) { typed(item) } else { String::from_utf8_lossy(item) })
        .collect();
    let payload = format!(
        r#"{{"message":{},"replacement_history":[{}],{}}}"#,
        // As it stands in the window, frame and all: that is how Codex repeats it.
        member(&fold.digest[0], "content").unwrap_or_else(|| quote(fold.summary)),
        window.join(","),
        mark(bytes, 1)
    );
    // The time stands first there, and is left out where the file has none.
    let record = format!(r#"{{{}"type":"compacted","payload":{payload}}}"#, members_first(&time));
    Ok(appended(bytes, &[record]))
}

/// A message whose content is a text in the form that the items of a rollout have.
fn typed(message: &[u8]) -> Cow<'_, str> {
    let whole = || String::from_utf8_lossy(message);
    let mut tape = Tape::new();
    let Ok(value) = tape.parse(message) else { return whole() };
    let (Some(role), Some(text)) = (value.get("role"), value.get_str("content")) else { return whole() };
    let (role, text) = (String::from_utf8_lossy(role.raw()), String::from_utf8_lossy(text.raw()));
    Cow::Owned(format!(r#"{{"type":"message","role":{role},"content":[{{"type":"input_text","text":{text}}}]}}"#))
}

/// A member of an object, as it is written.
fn member(object: &str, key: &str) -> Option<String> {
    let mut tape = Tape::new();
    let value = tape.parse(object.as_bytes()).ok()?.get_str(key)?;
    Some(String::from_utf8_lossy(value.raw()).into_owned())
}

/// `,"a":1` as `"a":1,`.
fn members_first(members: &str) -> String {
    members.strip_prefix(',').map_or_else(String::new, |members| format!("{members},"))
}

/// The first line of an old rollout: about the session, without a type.
fn is_bare_meta(record: Value<'_>) -> bool {
    let none = |key: &str| record.get(key).is_none();
    let about = record.get("instructions").is_some() || record.get("git").is_some();
    let named = record.get_str("id").is_some() && record.get_str("timestamp").is_some();
    about && named && ["type", "role", "content", "parts"].into_iter().all(none)
}

fn is_state(record: Value<'_>) -> bool {
    record.get("record_type").is_some_and(|kind| kind.is_str("state")) && record.get("type").is_none()
}

/// A turn of the user: where it begins.
struct Turn {
    /// Folds before it.
    folds: usize,
    /// Its place in the window after them.
    at: usize,
}

/// What undoing a fold takes.
struct Mark {
    /// It is undone when so many turns or fewer are left, less one.
    turns: usize,
    /// Messages that stood in the window right after the fold before.
    base: usize,
}

/// The file as it is gone through.
#[derive(Default)]
struct Replay<'s> {
    windows: Windows<'s>,
    problems: Vec<SessionProblem>,
    skipped: Vec<Skipped>,
    /// Items that were read.
    items: usize,
    /// Items by their ids, for compactions that name them.
    by_id: HashMap<Vec<u8>, SessionMessage<'s>>,
    turns: Vec<Turn>,
    /// One for each fold.
    marks: Vec<Mark>,
    /// Messages in the window that a fold left.
    base: usize,
    /// A turn has begun, and the user has not spoken in it; with the fold that was made in it.
    fresh: Option<Option<usize>>,
    /// Where in the window the model spoke last, until its usage is known.
    spoke: Option<usize>,
    /// Bytes of earlier items that compactions may still name or keep: of files that do so over and over, the work would
    /// grow without bound.
    spare: usize,
}

impl<'s> Replay<'s> {
    fn record(&mut self, record: &Record<'s, '_>) {
        let (line, value) = (record.line, record.value);
        let payload = value.get("payload");
        let Some(kind) = value.get_str("type") else {
            if is_state(value) || is_bare_meta(value) {
                return self.skip(line, SkipCode::Metadata);
            }
            return self.unreadable(line, "has no type");
        };
        let Some(payload) = payload else { return self.bare(record) };
        if kind.is_str("response_item") {
            self.item(record, payload)
        } else if kind.is_str("compacted") {
            self.compacted(record, payload)
        } else if kind.is_str("event_msg") {
            self.event(line, payload)
        } else if kind.is_str("inter_agent_communication") {
            self.communication(record, payload)
        } else if kind.is_any(&METADATA) {
            self.metadata(line, kind, payload)
        } else {
            self.skip(line, SkipCode::UnknownType)
        }
    }

    /// A rollout may go on from another one without its items.
    fn metadata(&mut self, line: u32, kind: Value<'_>, payload: Value<'_>) {
        let base = payload.get("history_base").is_some_and(|base| !base.is_null());
        if base || kind.is_str("rollout_reference") {
            let what = "says that the conversation begins in another file; it was read from here on";
            self.report(line, SessionProblemCode::MissingParent, what);
        }
        self.skip(line, SkipCode::Metadata);
    }

    /// A record of an old rollout is the item itself.
    fn bare(&mut self, record: &Record<'s, '_>) {
        if record.value.get("type").is_some_and(|kind| kind.is_any(&TYPES)) {
            return self.unreadable(record.line, "has no payload");
        }
        self.item(record, record.value)
    }

    fn skip(&mut self, line: u32, code: SkipCode) {
        self.skipped.push(Skipped { line, code });
    }

    fn report(&mut self, line: u32, code: SessionProblemCode, what: &str) {
        self.problems.push(SessionProblem { line, code, message: format!("line {line} {what}") });
    }

    fn unreadable(&mut self, line: u32, what: &str) {
        self.report(line, SessionProblemCode::NotAMessage, &format!("{what}; it was skipped"));
        self.skip(line, SkipCode::Unreadable);
    }

    /// An item of the conversation.
    fn item(&mut self, record: &Record<'s, '_>, item: Value<'_>) {
        let line = record.line;
        let Some(kind) = item.get_str("type").filter(|_| item.kind() == Kind::Object) else {
            return self.unreadable(line, "holds an item without a type");
        };
        if kind.is_str("ghost_snapshot") {
            return self.skip(line, SkipCode::Snapshot);
        }
        let role = item.get("role");
        if kind.is_str("message") && role.is_some_and(|role| role.is_str("system")) {
            return self.skip(line, SkipCode::SystemNote);
        }
        let Some(message) = message(record, item) else {
            if kind.is_any(&["message", "reasoning"]) {
                return self.unreadable(line, "holds an item without what its type needs");
            }
            return self.skip(line, SkipCode::UnknownType);
        };
        if let Some(id) = item_id(item) {
            self.by_id.insert(id, message.clone());
        }
        self.push(message);
    }

    fn push(&mut self, message: SessionMessage<'s>) {
        self.items += 1;
        let at = self.windows.window.len();
        if message.role == Role::Assistant {
            self.spoke = Some(at);
        }
        let speaks = message.role == Role::User && message.provenance == Provenance::Plain;
        self.windows.window.push(message);
        if speaks {
            self.turn(at);
        }
    }

    /// A turn of the user begins at `at`.
    fn turn(&mut self, at: usize) {
        self.turns.push(Turn { folds: self.windows.folds.len(), at });
        // A compaction between the start of the turn and its message is part of it.
        if let Some(Some(fold)) = self.fresh.take() {
            if let Some(mark) = self.marks.get_mut(fold) {
                mark.turns = self.turns.len();
            }
        }
    }

    /// What one agent says to another: its model sees it as an item.
    fn communication(&mut self, record: &Record<'s, '_>, payload: Value<'_>) {
        let raw = |key: &str| payload.get_str(key).map(|text| &record.text[text.span()]);
        let (Some(author), Some(recipient)) = (raw("author"), raw("recipient")) else {
            return self.unreadable(record.line, "holds a message between agents without its author or recipient");
        };
        let content: Vec<u8> = match (raw("encrypted_content"), raw("content")) {
            (Some(sealed), _) => [br#"{"type":"encrypted_content","encrypted_content":"#, sealed, b"}"].concat(),
            (None, Some(text)) => [br#"{"type":"input_text","text":"#, text, b"}"].concat(),
            (None, None) => return self.unreadable(record.line, "holds a message between agents without content"),
        };
        let head = [br#"{"type":"agent_message","author":"#, author, br#","recipient":"#, recipient].concat();
        let json = [&head[..], br#","content":["#, &content, b"]}"].concat();
        let json = lines::clean(Cow::Owned(json), record.lossy);
        let at = self.windows.window.len();
        let (role, provenance) = (Role::Other, Provenance::Injected);
        self.push(SessionMessage { json, lines: vec![record.line], role, provenance, usage: None });
        self.turn(at);
    }

    fn event(&mut self, line: u32, payload: Value<'_>) {
        let is = |kinds: &[&str]| payload.get("type").is_some_and(|kind| kind.is_any(kinds));
        if is(&["token_count"]) {
            self.usage(payload);
        } else if is(&["task_started", "turn_started"]) {
            self.fresh = Some(None);
        } else if is(&["thread_rolled_back"]) {
            let turns = count(payload.get("num_turns")).unwrap_or(0);
            self.roll_back(usize::try_from(turns).unwrap_or(usize::MAX));
        }
        let notes = ["error", "warning", "stream_error", "turn_aborted", "thread_rolled_back", "context_compacted"];
        self.skip(line, if is(&notes) { SkipCode::SystemNote } else { SkipCode::Progress });
    }

    /// The count comes after the items of the answer that it is of, and again whenever limits are told.
    fn usage(&mut self, payload: Value<'_>) {
        let Some(last) = payload.get("info").and_then(|info| info.get("last_token_usage")) else { return };
        let of = |key: &str| count(last.get(key));
        let usage = Usage::within(of("input_tokens"), of("output_tokens"), of("cached_input_tokens"));
        if let Some(message) = self.spoke.and_then(|at| self.windows.window.get_mut(at)).filter(|_| usage.is_some()) {
            message.usage = usage;
            self.spoke = None;
        }
    }

    // ---- folds

    fn compacted(&mut self, record: &Record<'s, '_>, payload: Value<'_>) {
        let list = |key: &str| payload.get(key).filter(|list| list.kind() == Kind::Array);
        let summary = payload.get_str("message");
        let window = match (list("replacement_history_entries"), list("replacement_history")) {
            (Some(entries), _) => Some(self.entries(record, entries)),
            (None, Some(items)) => Some(self.replacement(record, items.items().map(|item| (item, None)))),
            (None, None) => None,
        };
        let Some(mut window) = window else { return self.rebuild(record, summary) };
        let told = window.iter().rposition(|message| is_summary(message, record.line, summary));
        let Some(at) = told.or_else(|| self.newest(record.line, &window)) else {
            let what = "is a compaction without a summary; the conversation was read on through it";
            self.report(record.line, SessionProblemCode::BoundaryWithoutSummary, what);
            return self.skip(record.line, SkipCode::Unreadable);
        };
        if told.is_none() {
            let what = "is a compaction that does not say which message is the summary; the last new one was taken";
            self.report(record.line, SessionProblemCode::BoundaryWithoutSummary, what);
        }
        window[at].provenance = Provenance::Summary;
        self.fold(record.line, window, at);
    }

    /// The last message in the user's name that the window before a compaction does not have.
    fn newest(&self, line: u32, window: &[SessionMessage<'s>]) -> Option<usize> {
        let known: HashSet<&[u8]> = self.windows.window.iter().map(|message| message.json.as_ref()).collect();
        let new = |message: &SessionMessage<'_>| message.lines == [line] && !known.contains(message.json.as_ref());
        let said = |message: &SessionMessage<'_>| {
            message.role == Role::User && message.provenance == Provenance::Plain && new(message)
        };
        window.iter().rposition(said)
    }

    /// Items of a replacement, those that only name an earlier one aside.
    fn replacement<'v>(
        &mut self,
        record: &Record<'s, '_>,
        items: impl Iterator<Item = (Value<'v>, Option<Value<'v>>)>,
    ) -> Vec<SessionMessage<'s>> {
        let mut window = Vec::new();
        let (mut inline, mut missing, mut unreadable) = (Vec::new(), 0, 0);
        for (item, reference) in items {
            if let Some(id) = reference {
                match self.resolve(id) {
                    Some(message) => window.push(message),
                    None => missing += 1,
                }
                continue;
            }
            if item.get("type").is_some_and(|kind| kind.is_str("ghost_snapshot")) {
                continue;
            }
            let Some(message) = message(record, item) else {
                unreadable += 1;
                continue;
            };
            inline.extend(item_id(item).map(|id| (id, message.clone())));
            window.push(message);
        }
        self.by_id.extend(inline);
        if missing > 0 {
            let what = format!("is a compaction that names {missing} items that are not in the file before it");
            self.report(record.line, SessionProblemCode::MissingPreserved, &what);
        }
        if unreadable > 0 {
            let what = format!("is a compaction with {unreadable} items that cannot be read; they were left out");
            self.report(record.line, SessionProblemCode::NotAMessage, &what);
        }
        self.items += window.len();
        window
    }

    fn entries(&mut self, record: &Record<'s, '_>, entries: Value<'_>) -> Vec<SessionMessage<'s>> {
        let entries = entries.items().map(|entry| {
            let reference = entry.get_str("item_id").filter(|_| entry.get("item").is_none());
            (entry.get("item").unwrap_or(entry), reference)
        });
        self.replacement(record, entries)
    }

    /// The item with this id, as the file had it last.
    fn resolve(&mut self, id: Value<'_>) -> Option<SessionMessage<'s>> {
        let message = self.by_id.get(id.text()?.as_ref())?;
        self.spare = self.spare.checked_sub(message.json.len() + 64)?;
        Some(message.clone())
    }

    /// The window after a compaction that does not say it.
    fn rebuild(&mut self, record: &Record<'s, '_>, summary: Option<Value<'_>>) {
        let Some(summary) = summary else {
            let what = "is a compaction without a summary; the conversation was read on through it";
            self.report(record.line, SessionProblemCode::BoundaryWithoutSummary, what);
            return self.skip(record.line, SkipCode::Unreadable);
        };
        let mut left = KEPT_TOKENS;
        let mut window = Vec::new();
        for message in self.windows.window.iter().rev() {
            if left == 0 || message.role != Role::User || message.provenance != Provenance::Plain {
                continue;
            }
            // Codex shortens the one that does not fit; here it stands whole.
            left = left.saturating_sub((message.json.len() / 4).max(1));
            let Some(rest) = self.spare.checked_sub(message.json.len() + 64) else {
                let what =
                    "is a compaction that keeps messages which those before it kept too often; they were left out";
                self.report(record.line, SessionProblemCode::MissingPreserved, what);
                break;
            };
            self.spare = rest;
            window.push(message.clone());
        }
        window.reverse();
        let text = match &record.text[summary.span()] {
            b"\"\"" => &b"\"(no summary available)\""[..],
            text => text,
        };
        let head = br#"{"type":"message","role":"user","content":[{"type":"input_text","text":"#;
        let json = lines::clean(Cow::Owned([&head[..], text, b"}]}"].concat()), record.lossy);
        let (role, provenance) = (Role::User, Provenance::Summary);
        window.push(SessionMessage { json, lines: vec![record.line], role, provenance, usage: None });
        self.items += 1;
        let at = window.len() - 1;
        self.fold(record.line, window, at);
    }

    /// A fold after which the window is `window`, whose digest stands at `at`.
    fn fold(&mut self, line: u32, window: Vec<SessionMessage<'s>>, at: usize) {
        let base = std::mem::replace(&mut self.base, window.len());
        self.marks.push(Mark { turns: self.turns.len(), base });
        if let Some(fold) = &mut self.fresh {
            *fold = Some(self.marks.len() - 1);
        }
        self.spoke = None;
        self.windows.replace(FoundFold { line, ..FoundFold::default() }, window, at..at + 1);
        // What was kept came from the lines where it stood first.
        let Some(fold) = self.windows.folds.last() else { return };
        let put_in = fold.fillers.iter().map(|(place, _)| *place as usize).chain([at]);
        let mut other = vec![true; self.windows.window.len()];
        put_in.for_each(|place| other[place] = false);
        let kept = fold.before.iter().chain(&fold.kept);
        let places = (0..other.len()).filter(|&place| other[place] && !fold.originals.is_empty());
        for (place, &index) in places.zip(kept) {
            self.windows.window[place] = fold.originals[index as usize].clone();
        }
    }

    // ---- turns that were taken back

    /// Drops the last turns of the user.
    fn roll_back(&mut self, turns: usize) {
        let left = self.turns.len().saturating_sub(turns);
        if left == self.turns.len() {
            return;
        }
        let cut = self.turns.split_off(left).swap_remove(0);
        self.fresh = None;
        self.spoke = None;
        while self.marks.last().is_some_and(|mark| mark.turns > left) {
            self.undo_fold();
        }
        if self.windows.folds.len() == cut.folds {
            let from = self.before_turn(cut.at.min(self.windows.window.len()));
            self.drop_from(from);
        }
    }

    fn undo_fold(&mut self) {
        let (Some(mark), Some(fold)) = (self.marks.pop(), self.windows.folds.pop()) else { return };
        self.drop_from(self.base);
        self.skip(fold.line, SkipCode::OtherBranch);
        self.windows.window = fold.originals;
        self.base = mark.base;
    }

    fn drop_from(&mut self, from: usize) {
        let dropped = self.windows.window.split_off(from.min(self.windows.window.len()));
        let lines = dropped.iter().flat_map(|message| &message.lines);
        self.skipped.extend(lines.map(|&line| Skipped { line, code: SkipCode::OtherBranch }));
    }

    /// Context that was put in for a turn goes with it, but not that of the first.
    fn before_turn(&self, mut at: usize) -> usize {
        let folds = self.windows.folds.len();
        let first = self.turns.iter().find(|turn| turn.folds == folds).map(|turn| turn.at);
        let floor = match first {
            Some(first) => first,
            None if folds == 0 => at,
            None => self.base,
        };
        let context = |message: &SessionMessage<'_>| {
            let put_in = matches!(message.provenance, Provenance::Injected | Provenance::Instructions);
            put_in && matches!(message.role, Role::User | Role::System)
        };
        while at > floor && context(&self.windows.window[at - 1]) {
            at -= 1;
        }
        at
    }
}

/// The item as a message; none when it is no item of OpenAI Responses.
fn message<'s>(record: &Record<'s, '_>, item: Value<'_>) -> Option<SessionMessage<'s>> {
    let reader = Format::OpenaiResponses.reader();
    if item.kind() != Kind::Object || item.get_str("type").is_none() || reader.fit(item) == Fit::Impossible {
        return None;
    }
    let json = lines::clean(Cow::Borrowed(&record.text[item.span()]), record.lossy);
    let role = reader.role(item);
    let provenance = match reader.provenance(item) {
        Provenance::Plain => provenance(item, role),
        marked => marked,
    };
    Some(SessionMessage { json, lines: vec![record.line], role, provenance, usage: None })
}

fn item_id(item: Value<'_>) -> Option<Vec<u8>> {
    Some(item.get_str("id")?.text()?.into_owned())
}

/// What Codex put in says so by how it begins; one such text among others is enough.
fn provenance(item: Value<'_>, role: Role) -> Provenance {
    let begins = |starts: &[&str]| texts(item).any(|text| starts.iter().any(|start| begins_with(text, start)));
    match role {
        Role::User if begins(&INSTRUCTIONS) => Provenance::Instructions,
        Role::User if begins(&INJECTED) => Provenance::Injected,
        Role::System if begins(&DEVELOPER) => Provenance::Injected,
        _ => Provenance::Plain,
    }
}

fn texts(item: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let content = item.get("content");
    content.into_iter().chain(content.into_iter().flat_map(Value::items).filter_map(|block| block.get_str("text")))
}

fn begins_with(text: Value<'_>, start: &str) -> bool {
    let Some(text) = text.text() else { return false };
    let text = text.trim_ascii_start();
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

/// Whether the message carries the summary of the compaction on `line`: one that stands there, unless its type says so.
fn is_summary(message: &SessionMessage<'_>, line: u32, summary: Option<Value<'_>>) -> bool {
    if message.provenance == Provenance::Summary {
        return true;
    }
    if message.role != Role::User || message.lines != [line] {
        return false;
    }
    let mut tape = crate::json::Tape::new();
    let Ok(item) = tape.parse(&message.json) else { return false };
    let summary = summary.and_then(Value::text).filter(|summary| !summary.is_empty());
    let carries = |text: Value<'_>| {
        let same = |text: &[u8]| summary.as_ref().is_some_and(|summary| memchr::memmem::find(text, summary).is_some());
        text.text().is_some_and(|text| same(&text)) || begins_with(text, SUMMARY)
    };
    let carried = texts(item).any(carries);
    carried
}
