//! opencode sessions: the document of `opencode export`, `{info, messages: [{info, parts}]}`, the array of messages alone,
//! or one message per line. Each becomes the UI message that opencode makes of it before it asks the model.
//!
//! What surprises, from packages/opencode/src/session/message-v2.ts (`toModelMessages`, `filterCompacted`),
//! session/revert.ts and session/session.ts (`getUsage`):
//! * A compaction is a message of the user with a part `compaction`, which the model reads as a question, and the answer
//!   with `summary: true` that names it as its parent. Only an answer that was finished without error counts. Messages from
//!   `tail_start_id` on stand after the two. Before there were such parts, the summary alone began the window.
//! * Calls that never came to an end are told to the model as failed. Of a call that was interrupted the model sees what
//!   its metadata holds as output.
//! * Answers with an error were never sent again, unless they were aborted and hold more than reasoning.
//! * Of outputs with `time.compacted` the model sees a note. So does the current window here; messages that only folds
//!   hold have the output itself, as far as the file still does.
//! * `tokens.input` is without what came from a cache or went there; `tokens.output` is without reasoning only in later
//!   versions, which `tokens.total` tells.
//! * Version 2 (packages/core/src/session/runner/to-llm-message.ts, history.ts) keeps messages flat, `{id, type, time, …}`:
//!   its window begins at the last `compaction` that was completed, which holds the end of the conversation as text and so
//!   keeps no message. Two fixed sentences around the summary are left out here.
//! * A `revert` in the session's info takes back what follows it, though it is still in the file.

use super::lines::{self, Record};
use super::pieces::{self, Place};
use super::{bad_session, found::Windows, no_branch, FoundFold};
use super::{Session, SessionKind, SessionMessage, SessionOptions, SessionProblem, SessionProblemCode, SessionReader};
use super::{SkipCode, Skipped};
use crate::error::Result;
use crate::formats::Format;
use crate::json::{Kind, Value};
use crate::message::{Provenance, Role};
use crate::usage::{count, Usage};
use std::borrow::Cow;
use std::collections::HashMap;

/// Types of parts that opencode keeps for itself, or that have no place on one side of the conversation.
const SILENT: [&str; 12] = [
    "text",
    "reasoning",
    "file",
    "tool",
    "step-start",
    "step-finish",
    "snapshot",
    "patch",
    "agent",
    "retry",
    "compaction",
    "subtask",
];

pub(super) struct Opencode;

/// What the model sees of an output that was cleared.
const CLEARED: &[u8] = br#""[Old tool result content cleared]""#;

/// What it sees of a call that never came to an end.
const INTERRUPTED: &[u8] = br#""[Tool execution was interrupted]""#;

impl SessionReader for Opencode {
    fn recognises(&self, record: Value<'_>) -> bool {
        let list = match record.kind() {
            Kind::Array => Some(record),
            _ => record.get("messages").filter(|_| record.get("info").is_some()),
        };
        is_entry(record) || list.is_some_and(|list| list.items().take(8).any(is_entry))
    }

    fn reads_documents(&self) -> bool {
        true
    }

    fn read<'s>(&self, bytes: &'s [u8], options: &SessionOptions<'_>) -> Result<Session<'s>> {
        if let Some(id) = options.branch {
            return Err(no_branch(id));
        }
        let mut file = File::default();
        let mut problems = Vec::new();
        pieces::each(bytes, "messages", options.progress, &mut problems, |place, key, record| match place {
            Place::Around if key == "info" => file.revert = revert(record.value).or(file.revert.take()),
            Place::Around if key.is_empty() => file.around(&record),
            Place::Around => {}
            _ => file.entry(&record),
        });
        if file.known == 0 {
            return Err(bad_session("the file is an opencode session without any message that can be read"));
        }
        let (windows, mut found, skipped) = file.fold();
        problems.append(&mut found);
        let (kind, format, branches) = (SessionKind::Opencode, Format::AiSdkUi, Vec::new());
        let (messages, folds) = (windows.window, windows.folds);
        Ok(Session { kind, format, messages, folds, branches, leaf: None, problems, skipped, container: None })
    }
}

/// A message as opencode stores it; not yet one of the AI SDK, which has its role outside.
fn is_entry(record: Value<'_>) -> bool {
    if is_flat_entry(record) {
        return true;
    }
    let role = record.get("info").and_then(|info| info.get("role"));
    let known = role.is_some_and(|role| role.is_any(&["user", "assistant"]));
    let parts = record.get("parts").is_some_and(|parts| parts.kind() == Kind::Array);
    known && parts && record.get("role").is_none()
}

/// A message of version 2, by what no other program's have.
fn is_flat_entry(record: Value<'_>) -> bool {
    let is = |kind: &str| record.get("type").is_some_and(|name| name.is_str(kind));
    let text = |key: &str| record.get_str(key).is_some();
    let named = record.get_str("id").and_then(Value::text).is_some_and(|id| id.starts_with(b"msg"));
    let model = record.get("model").is_some_and(|model| model.get_str("providerID").is_some());
    let compaction = is("compaction") && text("summary") && text("recent");
    let answer = is("assistant") && model && record.get("content").is_some_and(|list| list.kind() == Kind::Array);
    let said = is("user") && text("text") && named && record.get("message").is_none();
    record.get("time").is_some_and(|time| time.get("created").is_some()) && (compaction || answer || said)
}

/// Where the session was taken back to: a message, or a part of it.
struct Revert {
    message: Vec<u8>,
    part: Option<Vec<u8>>,
}

fn revert(info: Value<'_>) -> Option<Revert> {
    let revert = info.get("revert")?;
    let text = |key: &str| revert.get_str(key).and_then(Value::text).map(Cow::into_owned);
    Some(Revert { message: text("messageID")?, part: text("partID") })
}

/// What a message does besides being said.
#[derive(Default)]
struct Marks {
    /// It asks for a compaction; who set it off.
    compaction: Option<&'static str>,
    tail: Option<Vec<u8>>,
    /// It asked for a compaction, which was made.
    answered: bool,
    /// It is a finished summary.
    summary: bool,
    parent: Option<Vec<u8>>,
}

struct Entry<'s> {
    id: Option<Vec<u8>>,
    message: SessionMessage<'s>,
    /// The same with notes in the place of outputs that were cleared.
    cleared: Option<Cow<'s, [u8]>>,
    marks: Marks,
}

/// Every message of a file, in its order.
#[derive(Default)]
struct File<'s> {
    entries: Vec<Entry<'s>>,
    by_id: HashMap<Vec<u8>, u32>,
    revert: Option<Revert>,
    /// Where the session was taken back to within a message, once that was read.
    reverted: bool,
    known: usize,
    problems: Vec<SessionProblem>,
    skipped: Vec<Skipped>,
}

impl<'s> File<'s> {
    fn skip(&mut self, line: u32, code: SkipCode) {
        self.skipped.push(Skipped { line, code });
    }

    fn report(&mut self, line: u32, code: SessionProblemCode, what: &str) {
        self.problems.push(SessionProblem { line, code, message: format!("line {line} {what}") });
    }

    /// A whole session on a line of its own.
    fn around(&mut self, record: &Record<'s, '_>) {
        self.revert = record.value.get("info").and_then(revert).or(self.revert.take());
        let list = if record.value.kind() == Kind::Array { Some(record.value) } else { record.value.get("messages") };
        if list.is_none_or(|list| list.items().next().is_none()) {
            self.skip(record.line, SkipCode::Metadata);
        }
    }

    fn entry(&mut self, record: &Record<'s, '_>) {
        let (line, value) = (record.line, record.value);
        if value.get("info").is_none() && value.get_str("type").is_some() {
            return self.flat(record);
        }
        let (info, parts) = (value.get("info"), value.get("parts").filter(|parts| parts.kind() == Kind::Array));
        let role = info.and_then(|info| info.get_str("role"));
        let (Some(info), Some(parts), Some(role)) = (info, parts, role) else {
            let what = "holds neither a message with a role nor its parts; it was skipped";
            self.report(line, SessionProblemCode::NotAMessage, what);
            return self.skip(line, SkipCode::Unreadable);
        };
        let id = info.get_str("id").and_then(Value::text).map(Cow::into_owned);
        if self.repeats(line, id.as_ref()) {
            return;
        }
        if self.taken_back(id.as_deref()) {
            self.known += 1;
            return self.skip(line, SkipCode::OtherBranch);
        }
        let mut body = Body::new(record, self.part_taken_back(id.as_deref()));
        let user = role.is_str("user");
        if !user && !role.is_str("assistant") {
            return self.skip(line, SkipCode::UnknownType);
        }
        for part in parts.items() {
            if !body.stands(part) {
                break;
            }
            if user {
                body.user_part(part);
            } else {
                body.assistant_part(part);
            }
        }
        self.known += 1;
        if body.broken > 0 {
            let what = format!("has {} parts without what their type needs; they were left out", body.broken);
            self.report(line, SessionProblemCode::NotAMessage, &what);
        }
        if !body.says || (!user && unseen(info, parts)) {
            return self.skip(line, if user { SkipCode::SystemNote } else { SkipCode::ApiError });
        }
        let role: &[u8] = if user { b"\"user\"" } else { b"\"assistant\"" };
        let entry = body.finish(id, info, role);
        self.entries.push(entry);
    }

    /// Whether an earlier message has the id; then this one is skipped.
    fn repeats(&mut self, line: u32, id: Option<&Vec<u8>>) -> bool {
        let Some(id) = id else { return false };
        let Some(&first) = self.by_id.get(id) else {
            self.by_id.insert(id.clone(), line);
            return false;
        };
        self.report(line, SessionProblemCode::DuplicateUuid, &format!("repeats the id of line {first}"));
        self.skip(line, SkipCode::Duplicate);
        true
    }

    /// A message of version 2.
    fn flat(&mut self, record: &Record<'s, '_>) {
        let (line, value) = (record.line, record.value);
        let id = value.get_str("id").and_then(Value::text).map(Cow::into_owned);
        if self.repeats(line, id.as_ref()) {
            return;
        }
        let mut body = Body::new(record, None);
        let is = |kinds: &[&str]| value.get("type").is_some_and(|kind| kind.is_any(kinds));
        let role: &[u8] = if is(&["user", "synthetic", "skill"]) {
            body.flat_text(value, !is(&["user"]));
            value.get("files").into_iter().flat_map(Value::items).for_each(|file| body.flat_file(file));
            b"\"user\""
        } else if is(&["shell"]) {
            body.flat_shell(value);
            b"\"user\""
        } else if is(&["system"]) {
            body.flat_text(value, true);
            b"\"system\""
        } else if is(&["assistant"]) {
            value.get("content").into_iter().flat_map(Value::items).for_each(|part| body.flat_part(value, part));
            b"\"assistant\""
        } else if is(&["compaction"]) {
            body.flat_summary(value);
            b"\"user\""
        } else {
            let known = is(&["agent-switched", "model-switched"]);
            return self.skip(line, if known { SkipCode::Metadata } else { SkipCode::UnknownType });
        };
        self.known += 1;
        if !body.says {
            let answer = is(&["assistant"]);
            return self.skip(line, if answer { SkipCode::ApiError } else { SkipCode::SystemNote });
        }
        let summary = is(&["compaction"]);
        let mut entry = body.finish(id, value, role);
        entry.marks.summary = summary;
        self.entries.push(entry);
    }

    /// Whether the message stands behind the point that the session was taken back to.
    fn taken_back(&mut self, id: Option<&[u8]>) -> bool {
        if self.reverted {
            return true;
        }
        let Some(revert) = &self.revert else { return false };
        self.reverted = id == Some(&revert.message);
        self.reverted && revert.part.is_none()
    }

    /// The part from which on its message was taken back.
    fn part_taken_back(&self, id: Option<&[u8]>) -> Option<Vec<u8>> {
        let revert = self.revert.as_ref().filter(|revert| id == Some(&revert.message))?;
        revert.part.clone()
    }

    // ---- folds

    fn fold(mut self) -> (Windows<'s>, Vec<SessionProblem>, Vec<Skipped>) {
        self.drop_reverted();
        let current = self.current_from();
        let mut windows = Windows::new(self.entries.len());
        // Ids of the messages in the window, with what makes a compaction of one.
        let mut ids: Vec<(Option<Vec<u8>>, Marks)> = Vec::new();
        for (index, mut entry) in std::mem::take(&mut self.entries).into_iter().enumerate() {
            if let Some(cleared) = entry.cleared.take().filter(|_| index >= current) {
                let line = entry.message.lines[0];
                self.report(line, SessionProblemCode::ClearedOutput, "holds outputs that the model sees as cleared");
                entry.message.json = cleared;
            }
            let asked = if entry.marks.summary { asked(&ids, entry.marks.parent.as_deref()) } else { None };
            let (id, marks) = (entry.id, entry.marks);
            windows.window.push(entry.message);
            ids.push((id, marks));
            if let Some(at) = asked {
                self.fold_at(&mut windows, &mut ids, at);
            }
        }
        (windows, self.problems, self.skipped)
    }

    /// The last message of the window is the summary of what stands before `at`.
    fn fold_at(&mut self, windows: &mut Windows<'s>, ids: &mut Vec<(Option<Vec<u8>>, Marks)>, at: usize) {
        let mut after = windows.window.split_off(at);
        let mut after_ids = ids.split_off(at);
        let (Some(summary), Some(summary_id)) = (after.pop(), after_ids.pop()) else { return };
        let asks = after_ids.first().is_some_and(|(_, marks)| marks.compaction.is_some());
        let mut digest: Vec<SessionMessage<'s>> = after.drain(..usize::from(asks)).collect();
        let mut digest_ids: Vec<(Option<Vec<u8>>, Marks)> = after_ids.drain(..usize::from(asks)).collect();
        let done = Marks { answered: true, ..Marks::default() };
        let marks = digest_ids.first_mut().map(|(_, marks)| std::mem::replace(marks, done)).unwrap_or_default();
        let line = digest.first().map_or(summary.lines[0], |message| message.lines[0]);
        let told = summary_id.1.compaction;
        digest.push(summary);
        digest_ids.push((summary_id.0, Marks::default()));
        digest.iter_mut().for_each(|message| message.provenance = Provenance::Summary);

        let from = marks.tail.as_ref().map(|tail| ids.iter().rposition(|(id, _)| id.as_ref() == Some(tail)));
        let kept: Vec<u32> = match from {
            Some(Some(from)) => (from as u32..ids.len() as u32).collect(),
            _ => Vec::new(),
        };
        let trigger = marks.compaction.or(told).map(String::from);
        let fold = FoundFold { line, trigger, digest, ..FoundFold::default() };
        let fits = windows.fold(fold, kept);
        if from == Some(None) || !fits {
            let what = "is a compaction that keeps messages which are not in the file before it, or too many of them";
            self.report(line, SessionProblemCode::MissingPreserved, what);
        }
        let kept = from.flatten().filter(|_| fits).map(|from| ids.split_off(from)).unwrap_or_default();
        *ids = digest_ids;
        ids.extend(kept);
        windows.window.extend(after);
        ids.extend(after_ids);
    }

    /// Index of the first entry that the current window holds, digests aside.
    fn current_from(&self) -> usize {
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut from = 0;
        for (index, entry) in self.entries.iter().enumerate() {
            if let Some(id) = &entry.id {
                places.insert(id, index);
            }
            if !entry.marks.summary {
                continue;
            }
            let asked = entry.marks.parent.as_deref().and_then(|parent| places.get(parent));
            let marks = asked.map(|&at| &self.entries[at].marks);
            let tail = marks.and_then(|marks| places.get(marks.tail.as_deref()?)).copied();
            from = tail.unwrap_or(*asked.unwrap_or(&index));
        }
        from
    }

    /// When the point was told only after the messages, they are taken back here.
    fn drop_reverted(&mut self) {
        let Some(revert) = self.revert.take().filter(|_| !self.reverted) else { return };
        let Some(at) = self.entries.iter().position(|entry| entry.id.as_ref() == Some(&revert.message)) else {
            return;
        };
        for entry in self.entries.split_off(at) {
            self.skip(entry.message.lines[0], SkipCode::OtherBranch);
        }
    }
}

/// Where the compaction stands that the summary answers; none when it was answered before. A summary that answers none
/// begins the window itself.
fn asked(ids: &[(Option<Vec<u8>>, Marks)], parent: Option<&[u8]>) -> Option<usize> {
    let place = parent.and_then(|parent| ids.iter().rposition(|(id, _)| id.as_deref() == Some(parent)));
    let Some(at) = place.filter(|&at| ids[at].1.compaction.is_some() || ids[at].1.answered) else {
        return Some(ids.len());
    };
    (!ids[at].1.answered).then_some(at)
}

/// Whether the answer never went to the model again.
fn unseen(info: Value<'_>, parts: Value<'_>) -> bool {
    let Some(error) = info.get("error").filter(|error| !error.is_null()) else { return false };
    let aborted = error.get("name").is_some_and(|name| name.is_str("MessageAbortedError"));
    let says = |part: Value<'_>| !part.get("type").is_some_and(|kind| kind.is_any(&["step-start", "reasoning"]));
    !(aborted && parts.items().any(says))
}

fn is_true(value: Value<'_>, key: &str) -> bool {
    value.get(key).is_some_and(Value::is_true)
}

/// A value that JavaScript takes for true.
fn is_set(value: Option<Value<'_>>) -> bool {
    value.is_some_and(|value| !matches!(value.raw(), b"null" | b"false" | b"0" | b"\"\""))
}

/// The parts of a message as they are put together.
struct Body<'s> {
    text: &'s [u8],
    line: u32,
    lossy: bool,
    /// The part that it ends before.
    until: Option<Vec<u8>>,
    out: Vec<u8>,
    /// The same with notes for outputs that were cleared, once there is one.
    cleared: Option<Vec<u8>>,
    /// It holds more than seams between steps.
    says: bool,
    /// All that it says was put in by opencode.
    injected: bool,
    broken: usize,
    marks: Marks,
}

impl<'s> Body<'s> {
    fn new(record: &Record<'s, '_>, until: Option<Vec<u8>>) -> Self {
        Body {
            text: record.text,
            line: record.line,
            lossy: record.lossy,
            until,
            out: Vec::new(),
            cleared: None,
            says: false,
            injected: true,
            broken: 0,
            marks: Marks::default(),
        }
    }

    /// Whether the part stands before the point that the message was taken back to.
    fn stands(&self, part: Value<'_>) -> bool {
        let until = self.until.as_deref();
        until.is_none() || part.get_str("id").and_then(Value::text).as_deref() != until
    }

    fn raw(&self, value: Value<'_>) -> &'s [u8] {
        &self.text[value.span()]
    }

    fn push(&mut self, pieces: &[&[u8]]) {
        for out in [Some(&mut self.out), self.cleared.as_mut()].into_iter().flatten() {
            if !out.is_empty() {
                out.push(b',');
            }
            pieces.iter().for_each(|piece| out.extend_from_slice(piece));
        }
    }

    /// A part that the model sees.
    fn said(&mut self, pieces: &[&[u8]], injected: bool) {
        self.says = true;
        self.injected &= injected;
        self.push(pieces);
    }

    fn user_part(&mut self, part: Value<'_>) {
        let Some(kind) = part.get_str("type") else {
            self.broken += 1;
            return;
        };
        if kind.is_str("text") {
            let Some(text) = part.get_str("text") else {
                self.broken += 1;
                return;
            };
            if !is_true(part, "ignored") {
                let text = self.raw(text);
                self.said(&[br#"{"type":"text","text":"#, text, b"}"], is_true(part, "synthetic"));
            }
        } else if kind.is_str("file") {
            self.file(part);
        } else if kind.is_str("compaction") {
            self.marks.compaction = Some(if is_true(part, "auto") { "auto" } else { "manual" });
            self.marks.tail = part.get_str("tail_start_id").and_then(Value::text).map(Cow::into_owned);
            self.said(&[br#"{"type":"text","text":"What did we do so far?"}"#], true);
        } else if kind.is_str("subtask") {
            self.said(&[br#"{"type":"text","text":"The following tool was executed by the user"}"#], true);
        } else {
            self.silent(kind);
        }
    }

    /// A part that the model is told nothing of; one that nobody knows is reported.
    fn silent(&mut self, kind: Value<'_>) {
        self.broken += usize::from(!kind.is_any(&SILENT));
    }

    /// Files of text and folders stand there as texts already.
    fn file(&mut self, part: Value<'_>) {
        let (Some(mime), Some(url)) = (part.get_str("mime"), part.get_str("url")) else {
            self.broken += 1;
            return;
        };
        if mime.is_any(&["text/plain", "application/x-directory"]) {
            return;
        }
        let (mime, url) = (self.raw(mime), self.raw(url));
        let head = [br#"{"type":"file","url":"#, url, br#","mediaType":"#, mime].concat();
        match part.get_str("filename").map(|name| self.raw(name)) {
            Some(name) => self.said(&[&head, br#","filename":"#, name, b"}"], false),
            None => self.said(&[&head, b"}"], false),
        }
    }

    fn assistant_part(&mut self, part: Value<'_>) {
        let Some(kind) = part.get_str("type") else {
            self.broken += 1;
            return;
        };
        let metadata = part.get("metadata").filter(|metadata| metadata.kind() == Kind::Object);
        let metadata = metadata.map(|metadata| [br#","providerMetadata":"#, self.raw(metadata)].concat());
        let metadata = metadata.unwrap_or_default();
        if kind.is_str("step-start") {
            self.push(&[br#"{"type":"step-start"}"#]);
        } else if kind.is_any(&["text", "reasoning"]) {
            let Some(text) = part.get_str("text") else {
                self.broken += 1;
                return;
            };
            let (kind, text) = (self.raw(kind), self.raw(text));
            self.said(&[br#"{"type":"#, kind, br#","text":"#, text, &metadata, b"}"], false);
        } else if kind.is_str("tool") {
            self.tool(part);
        } else {
            self.silent(kind);
        }
    }

    fn tool(&mut self, part: Value<'_>) {
        let (Some(name), Some(id)) = (part.get_str("tool"), part.get_str("callID")) else {
            self.broken += 1;
            return;
        };
        let state = part.get("state");
        let of = |key: &str| state.and_then(|state| state.get(key));
        let is = |status: &str| of("status").is_some_and(|given| given.is_str(status));
        let input = of("input").map_or(&b"{}"[..], |input| self.raw(input));
        let (end, cleared) = if is("completed") {
            self.completed(state)
        } else if is("error") {
            (self.failed(state), None)
        } else if is("pending") || is("running") {
            ([br#""state":"output-error","errorText":"#, INTERRUPTED].concat(), None)
        } else {
            // What it holds beside the input cannot be told.
            self.broken += 1;
            (br#""state":"input-available""#.to_vec(), None)
        };
        // `tool-` and the name between its quotes.
        let name = &self.raw(name)[1..];
        let head = [br#"{"type":"tool-"#, name, br#","toolCallId":"#, self.raw(id), br#","input":"#, input].concat();
        let foot = self.tool_metadata(part);
        self.says = true;
        self.injected = false;
        if cleared.is_some() && self.cleared.is_none() {
            self.cleared = Some(self.out.clone());
        }
        let other = self.cleared.take();
        self.push(&[&head, b",", &end, &foot, b"}"]);
        self.cleared = other.map(|mut other| {
            let comma: &[u8] = if other.is_empty() { b"" } else { b"," };
            let end = cleared.as_deref().unwrap_or(&end);
            [comma, &head, b",", end, &foot, b"}"].iter().for_each(|piece| other.extend_from_slice(piece));
            other
        });
    }

    /// State and output of a call; the same as the model sees it after the output was cleared.
    fn completed(&self, state: Option<Value<'_>>) -> (Vec<u8>, Option<Vec<u8>>) {
        let of = |key: &str| state.and_then(|state| state.get(key));
        let head = br#""state":"output-available","output":"#;
        let output = of("output").map_or(&b"\"\""[..], |output| self.raw(output));
        let cleared = is_set(of("time").and_then(|time| time.get("compacted")));
        let attachments = of("attachments").filter(|list| list.items().next().is_some());
        let output = match attachments {
            Some(list) => [br#"{"text":"#, output, br#","attachments":"#, self.raw(list), b"}"].concat(),
            None => output.to_vec(),
        };
        let cleared = cleared.then(|| [&head[..], CLEARED].concat());
        ([&head[..], &output].concat(), cleared)
    }

    fn failed(&self, state: Option<Value<'_>>) -> Vec<u8> {
        let of = |key: &str| state.and_then(|state| state.get(key));
        let metadata = of("metadata").filter(|metadata| is_true(*metadata, "interrupted"));
        if let Some(output) = metadata.and_then(|metadata| metadata.get_str("output")) {
            return [br#""state":"output-available","output":"#, self.raw(output)].concat();
        }
        let text = of("error").filter(|error| error.kind() == Kind::String);
        let text = text.map_or(&b"\"\""[..], |text| self.raw(text));
        [&br#""state":"output-error","errorText":"#[..], text].concat()
    }

    fn tool_metadata(&self, part: Value<'_>) -> Vec<u8> {
        let Some(metadata) = part.get("metadata").filter(|metadata| metadata.kind() == Kind::Object) else {
            return Vec::new();
        };
        let run: &[u8] = if is_true(metadata, "providerExecuted") { br#","providerExecuted":true"# } else { b"" };
        [run, br#","callProviderMetadata":"#, self.raw(metadata)].concat()
    }

    fn flat_text(&mut self, value: Value<'_>, injected: bool) {
        if let Some(text) = value.get_str("text").filter(|text| text.raw().len() > 2) {
            let text = self.raw(text);
            self.said(&[br#"{"type":"text","text":"#, text, b"}"], injected);
        }
    }

    /// Text files go to the model as text; here they stand as the files that they are.
    fn flat_file(&mut self, file: Value<'_>) {
        let (Some(mime), Some(data)) = (file.get_str("mime"), file.get_str("data")) else {
            self.broken += 1;
            return;
        };
        let url = [br#"{"type":"file","url":"data:"#, self.inner(mime), b";base64,", self.inner(data), b"\""].concat();
        let name = file.get_str("name").map(|name| [br#","filename":"#, self.raw(name)].concat());
        let mime = self.raw(mime);
        self.said(&[&url, br#","mediaType":"#, mime, &name.unwrap_or_default(), b"}"], false);
    }

    fn flat_shell(&mut self, value: Value<'_>) {
        let command = value.get_str("command").map_or(&b""[..], |text| self.inner(text));
        let output = value.get("output").and_then(|output| output.get_str("output"));
        let output = output.map_or(&b""[..], |text| self.inner(text));
        self.said(&[br#"{"type":"text","text":"Shell command: "#, command, br"\n\n", output, br#""}"#], false);
    }

    /// A compaction that came to an end; the first ones did not say so.
    fn flat_summary(&mut self, value: Value<'_>) {
        let ended = value.get("status").is_none_or(|status| status.is_str("completed"));
        let Some(summary) = value.get_str("summary").filter(|_| ended).map(|text| self.inner(text)) else { return };
        let recent = value.get_str("recent").map_or(&b""[..], |text| self.inner(text));
        let auto = value.get("reason").is_none_or(|reason| reason.is_str("auto"));
        self.marks.compaction = Some(if auto { "auto" } else { "manual" });
        let open = br#"{"type":"text","text":"<conversation-checkpoint>\n<summary>\n"#;
        let middle = br"\n</summary>\n\n<recent-context>\n";
        let close = br#"\n</recent-context>\n</conversation-checkpoint>"}"#;
        self.said(&[open, summary, middle, recent, close], true);
    }

    fn flat_part(&mut self, message: Value<'_>, part: Value<'_>) {
        let is = |kind: &str| part.get("type").is_some_and(|name| name.is_str(kind));
        if is("tool") {
            return self.flat_tool(part);
        }
        let Some(text) = part.get_str("text").filter(|_| is("text") || is("reasoning")) else {
            self.broken += 1;
            return;
        };
        let provider = message.get("model").and_then(|model| model.get_str("providerID"));
        let state = part.get("state").filter(|state| is("reasoning") && state.kind() == Kind::Object);
        let metadata = provider.zip(state).map(|(provider, state)| {
            [br#","providerMetadata":{"#, self.raw(provider), b":", self.raw(state), b"}"].concat()
        });
        let kind: &[u8] = if is("text") { b"text" } else { b"reasoning" };
        let text = self.raw(text);
        let metadata = metadata.unwrap_or_default();
        self.said(&[br#"{"type":""#, kind, br#"","text":"#, text, &metadata, b"}"], false);
    }

    fn flat_tool(&mut self, part: Value<'_>) {
        let (Some(name), Some(id)) = (part.get_str("name"), part.get_str("id")) else {
            self.broken += 1;
            return;
        };
        let state = part.get("state");
        let of = |key: &str| state.and_then(|state| state.get(key));
        let is = |status: &str| of("status").is_some_and(|given| given.is_str(status));
        let input = of("input").map_or(&b"{}"[..], |input| self.raw(input));
        let filled = of("content").filter(|content| content.items().next().is_some());
        let end = if is("completed") {
            let output = filled.or(of("structured")).map_or(&b"\"\""[..], |output| self.raw(output));
            [&br#""state":"output-available","output":"#[..], output].concat()
        } else if is("error") {
            let text = of("error").and_then(|error| error.get_str("message"));
            let text = text.map_or(&b"\"\""[..], |text| self.raw(text));
            [&br#""state":"output-error","errorText":"#[..], text].concat()
        } else {
            br#""state":"input-available""#.to_vec()
        };
        let run: &[u8] = if is_true(part, "executed") { br#","providerExecuted":true"# } else { b"" };
        let (name, id) = (&self.raw(name)[1..], self.raw(id));
        let head = [br#"{"type":"tool-"#, name, br#","toolCallId":"#, id, br#","input":"#, input, b","].concat();
        self.said(&[&head, &end, run, b"}"], false);
    }

    /// A string without its quotes.
    fn inner(&self, text: Value<'_>) -> &'s [u8] {
        let raw = self.raw(text);
        &raw[1..raw.len() - 1]
    }

    /// The message; `role` in quotes.
    fn finish(self, id: Option<Vec<u8>>, info: Value<'_>, role: &[u8]) -> Entry<'s> {
        let user = role == b"\"user\"";
        let system = role == b"\"system\"";
        let id_text = info.get_str("id").map(|id| [br#""id":"#, self.raw(id), b","].concat()).unwrap_or_default();
        let head = [b"{", &id_text[..], br#""role":"#, role, br#","parts":["#].concat();
        let whole = |parts: &[u8]| lines::clean(Cow::Owned([&head[..], parts, b"]}"].concat()), self.lossy);
        let cleared = self.cleared.as_deref().map(whole);
        let text = |key: &str| info.get_str(key).and_then(Value::text).map(Cow::into_owned);
        let ended = is_set(info.get("finish")) || info.get("time").is_some_and(|time| is_set(time.get("completed")));
        let failed = is_set(info.get("error"));
        let summary = !user && is_true(info, "summary") && ended && !failed;
        let marks = Marks { summary, parent: text("parentID"), ..self.marks };
        let provenance = if user && self.injected { Provenance::Injected } else { Provenance::Plain };
        let (role, usage) = match (user, system) {
            (true, _) => (Role::User, None),
            (_, true) => (Role::System, None),
            _ => (Role::Assistant, usage(info)),
        };
        let message = SessionMessage { json: whole(&self.out), lines: vec![self.line], role, provenance, usage };
        Entry { id, message, cleared, marks }
    }
}

fn usage(info: Value<'_>) -> Option<Usage> {
    let tokens = info.get("tokens")?;
    let of = |key: &str| count(tokens.get(key)).unwrap_or(0);
    let cache = |key: &str| tokens.get("cache").and_then(|cache| count(cache.get(key))).unwrap_or(0);
    let (input, output, reasoning, read, write) =
        (of("input"), of("output"), of("reasoning"), cache("read"), cache("write"));
    let apart = [input, output, reasoning, read, write].iter().fold(0u64, |sum, part| sum.saturating_add(*part));
    let reasoning = if count(tokens.get("total")) == Some(apart) { reasoning } else { 0 };
    Usage::apart(Some(input), Some(output.saturating_add(reasoning)), Some(read), Some(write))
}
