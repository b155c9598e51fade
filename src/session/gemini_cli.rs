//! gemini-cli sessions: one JSON document `{sessionId, projectHash, messages}`, or, since 2026, one record per line.
//! Each message becomes a content of the Gemini API, one of the model's with calls a second one with their responses.
//! Saved chats are arrays of contents and so plain messages.
//!
//! What surprises, from packages/core/src/services/chatRecordingService.ts (`loadConversationRecord`,
//! `updateMessagesFromHistory`), packages/core/src/utils/sessionUtils.ts (`convertSessionToClientHistory`) and
//! services/chatCompressionService.ts:
//! * A message is written again, whole, whenever something of it changes: of lines with one id the last counts, at the
//!   place of the first.
//! * `{"$rewindTo": id}` takes back the message with that id and all after it; with an id that is not there, everything.
//! * `{"$set": {"messages": […]}}` replaces all messages: after a compression, and when outputs of tools were masked.
//! * A compression has left no other mark than its messages: `<state_snapshot>` in the user's name and a fixed answer of the
//!   model. Older versions wrote nothing when they compressed.
//! * When `content` holds calls or thoughts itself, `thoughts` and `toolCalls` repeat them; responses are then often
//!   messages of the user as well as `result` of the calls.
//! * What the user typed with a slash or a question mark in front was a command, and never reached the model.
//! * `tokens.output` is without `thoughts`, `tokens.input` with what was cached and without `tool`.

use super::found::{self, Windows};
use super::lines::{self, Record};
use super::pieces::{self, Place};
use super::{bad_session, no_branch, FoundFold};
use super::{Session, SessionKind, SessionMessage, SessionOptions, SessionProblem, SessionProblemCode, SessionReader};
use super::{SkipCode, Skipped};
use crate::error::Result;
use crate::formats::Format;
use crate::json::{Kind, Value};
use crate::message::{Provenance, Role};
use crate::usage::{count, Usage};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

pub(super) struct GeminiCli;

/// What the model is made to say after a snapshot.
const ACKNOWLEDGED: &str = "Got it. Thanks for the additional context!";

/// How texts begin that gemini-cli puts in under the user's name.
const INJECTED: [&str; 2] = ["<session_context>", "This is the Gemini CLI. We are setting up the context"];

impl SessionReader for GeminiCli {
    fn recognises(&self, record: Value<'_>) -> bool {
        let has = |key: &str| record.get_str(key).is_some();
        let session = has("sessionId") && (has("projectHash") || has("startTime")) && record.get("type").is_none();
        let answer = record.get("type").is_some_and(|kind| kind.is_str("gemini"));
        let answers = answer && has("id") && record.get("content").is_some() && record.get("role").is_none();
        session || answers || has("$rewindTo") || set_of(record).is_some_and(|set| set.get("lastUpdated").is_some())
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
            Place::Line => file.line(&record),
            Place::Element => file.message(&record, record.value, false),
            Place::Around if key.is_empty() => file.listed.push(record.line),
            Place::Around => {}
        });
        if file.known == 0 {
            return Err(bad_session("the file is a gemini-cli session without any message that can be read"));
        }
        file.finish();
        problems.append(&mut file.problems);
        let (kind, format, branches) = (SessionKind::GeminiCli, Format::Gemini, Vec::new());
        let (messages, folds) = (file.windows.window, file.windows.folds);
        let mut session = Session {
            kind,
            format,
            messages,
            folds,
            branches,
            leaf: None,
            problems,
            skipped: file.skipped,
            container: None,
        };
        found::drop_left(&mut session);
        Ok(session)
    }
}

fn set_of(record: Value<'_>) -> Option<Value<'_>> {
    record.get("$set").filter(|set| set.kind() == Kind::Object)
}

/// A message of the file, as the contents that it becomes.
struct Turn<'s> {
    line: u32,
    id: Option<Vec<u8>>,
    /// None when it became no content.
    content: Option<SessionMessage<'s>>,
    /// Responses to its calls, each with the id of its call.
    responses: Vec<(Option<Vec<u8>>, Vec<u8>)>,
    lossy: bool,
    /// Calls that its content itself holds responses to.
    answers: Vec<Vec<u8>>,
    /// It has parts that are none of the Gemini API.
    odd: bool,
    mark: Mark,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Plain,
    /// Its text begins with a snapshot.
    Snapshot,
    /// It holds one somewhere: a digest only when the model acknowledged it, else a quotation.
    HoldsSnapshot,
    /// The model's answer to a snapshot.
    Acknowledged,
}

/// The file as it is gone through.
#[derive(Default)]
struct File<'s> {
    /// The current window; none for one that was replaced by a later line.
    turns: Vec<Turn<'s>>,
    by_id: HashMap<Vec<u8>, usize>,
    windows: Windows<'s>,
    /// The last fold was made by a snapshot that stands among the messages, not by a list of all.
    by_message: bool,
    /// Lines that hold many messages.
    listed: Vec<u32>,
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

    /// A record on a line of its own.
    fn line(&mut self, record: &Record<'s, '_>) {
        let (line, value) = (record.line, record.value);
        if let Some(id) = value.get_str("$rewindTo") {
            return self.rewind(line, id);
        }
        if value.get_str("id").is_some() {
            return self.message(record, value, true);
        }
        if let Some(set) = set_of(value) {
            let list = set.get("messages").filter(|list| list.items().next().is_some());
            return match list {
                Some(list) => self.set(record, list),
                None => self.skip(line, SkipCode::Metadata),
            };
        }
        if value.get_str("sessionId").is_some() {
            return self.skip(line, SkipCode::Metadata);
        }
        self.message(record, value, false);
    }

    /// A message; with `again` it replaces the one with its id.
    fn message(&mut self, record: &Record<'s, '_>, value: Value<'_>, again: bool) {
        let turn = match turn(record, value) {
            Ok(turn) => turn,
            Err(Failure::Skip(code)) => {
                self.known += 1;
                return self.skip(record.line, code);
            }
            Err(Failure::Unknown) => return self.skip(record.line, SkipCode::UnknownType),
            Err(Failure::Unreadable) => {
                let what = "holds no message with a type and content; it was skipped";
                self.report(record.line, SessionProblemCode::NotAMessage, what);
                return self.skip(record.line, SkipCode::Unreadable);
            }
        };
        self.known += 1;
        self.tell_odd(&turn);
        let earlier = turn.id.as_ref().filter(|_| again).and_then(|id| self.by_id.get(id)).copied();
        if let Some(at) = earlier {
            return self.replace(at, turn);
        }
        self.push(turn);
        self.snapshot_among_messages();
    }

    /// The message at `at` was written again.
    fn replace(&mut self, at: usize, turn: Turn<'s>) {
        let before = std::mem::replace(&mut self.turns[at], turn);
        let provenance = before.content.map(|content| content.provenance);
        // A digest stays one.
        if let (Some(content), Some(Provenance::Summary)) = (&mut self.turns[at].content, provenance) {
            content.provenance = Provenance::Summary;
        }
        self.skip(before.line, SkipCode::Duplicate);
    }

    fn tell_odd(&mut self, turn: &Turn<'s>) {
        if turn.odd {
            let what = "holds parts with a type, as parts of the Gemini API have none; they were kept";
            self.report(turn.line, SessionProblemCode::MixedFormats, what);
        }
    }

    fn push(&mut self, turn: Turn<'s>) {
        if let Some(id) = &turn.id {
            self.by_id.insert(id.clone(), self.turns.len());
        }
        self.turns.push(turn);
    }

    fn rewind(&mut self, line: u32, id: Value<'_>) {
        let place = id.text().and_then(|id| self.by_id.get(id.as_ref())).copied();
        if place.is_none() {
            let what = "goes back to a message that is not in the file; as in gemini-cli nothing before it remains";
            self.report(line, SessionProblemCode::MissingParent, what);
        }
        self.skip(line, SkipCode::SystemNote);
        for turn in self.turns.split_off(place.unwrap_or(0)) {
            if let Some(id) = &turn.id {
                self.by_id.remove(id);
            }
            self.skip(turn.line, SkipCode::OtherBranch);
        }
    }

    // ---- compressions

    /// All messages at once.
    fn set(&mut self, record: &Record<'s, '_>, list: Value<'_>) {
        let mut turns = Vec::new();
        let mut unreadable = 0;
        for value in list.items() {
            match turn(record, value) {
                Ok(turn) if turn.content.is_some() => turns.push(turn),
                Ok(_) | Err(Failure::Skip(_)) => {}
                Err(_) => unreadable += 1,
            }
        }
        if unreadable > 0 {
            let what = format!("sets {unreadable} messages that cannot be read; they were left out");
            self.report(record.line, SessionProblemCode::NotAMessage, &what);
        }
        self.known += turns.len();
        self.listed.push(record.line);
        turns.iter().for_each(|turn| self.tell_odd(turn));
        let snapshot = turns.iter().enumerate().find(|(at, _)| is_snapshot(&turns, *at)).map(|(at, _)| at);
        let known = snapshot.is_some_and(|at| self.turns.iter().any(|turn| same(turn, &turns[at])));
        if known {
            self.forget_fold(&turns);
        }
        let before = std::mem::take(&mut self.turns);
        self.by_id.clear();
        match snapshot.filter(|_| !known || !self.same_snapshot(&before)) {
            Some(at) => self.compress(record.line, before, turns, at),
            None => self.sync(before, turns),
        }
    }

    /// A snapshot stood among the messages before the list of all came: the list says better what was kept.
    fn forget_fold(&mut self, turns: &[Turn<'s>]) {
        let listed = |turn: &Turn<'s>| turns.iter().any(|other| same(turn, other));
        // Nothing but the snapshot and its answer: else more was said since.
        if !self.by_message || self.turns.len() > 2 || !self.turns.iter().all(listed) {
            return;
        }
        let Some(fold) = self.windows.folds.pop() else { return };
        self.by_message = false;
        let digest = std::mem::take(&mut self.turns);
        digest.iter().for_each(|turn| self.skip(turn.line, SkipCode::Duplicate));
        self.turns = fold.originals.into_iter().map(plain).collect();
    }

    /// Whether the window has a snapshot that was there before, so that a list with it is no new compression.
    fn same_snapshot(&self, before: &[Turn<'s>]) -> bool {
        (0..before.len()).any(|at| is_snapshot(before, at))
    }

    fn compress(&mut self, line: u32, before: Vec<Turn<'s>>, turns: Vec<Turn<'s>>, at: usize) {
        let lines: Vec<u32> = before.iter().filter(|turn| turn.content.is_none()).map(|turn| turn.line).collect();
        lines.into_iter().for_each(|line| self.skip(line, SkipCode::ApiError));
        self.windows.window = messages(&before);
        let end = digest_end(&turns, at);
        turns.into_iter().for_each(|turn| self.push(turn));
        mark_digest(&mut self.turns[at..end]);
        // Contents up to the digest may be more than messages.
        let count = |turns: &[Turn<'s>]| messages(turns).len();
        let digest = count(&self.turns[..at])..count(&self.turns[..end]);
        let window = messages(&self.turns);
        self.windows.replace(FoundFold { line, ..FoundFold::default() }, window, digest);
        self.by_message = false;
    }

    /// The same messages, some of them changed or gone.
    fn sync(&mut self, before: Vec<Turn<'s>>, turns: Vec<Turn<'s>>) {
        let mut old: HashMap<Vec<u8>, Turn<'s>> = HashMap::new();
        let mut nameless = Vec::new();
        for turn in before {
            match turn.id.clone() {
                Some(id) => drop(old.insert(id, turn)),
                None => nameless.push(turn),
            }
        }
        for turn in turns {
            let earlier = turn.id.as_ref().and_then(|id| old.remove(id));
            match earlier {
                Some(mut earlier) if same(&earlier, &turn) => {
                    // Its tokens may have been counted since.
                    let counted = turn.content.and_then(|content| content.usage);
                    if let (Some(content), Some(usage)) = (&mut earlier.content, counted) {
                        content.usage = Some(usage);
                    }
                    self.push(earlier);
                }
                Some(earlier) => {
                    self.skip(earlier.line, SkipCode::Duplicate);
                    self.push(turn);
                }
                None => self.push(turn),
            }
        }
        let left: Vec<u32> = old.into_values().chain(nameless).map(|turn| turn.line).collect();
        left.into_iter().for_each(|line| self.skip(line, SkipCode::OtherBranch));
    }

    /// The last message may be a snapshot, or the answer to one.
    fn snapshot_among_messages(&mut self) {
        let last = self.turns.len() - 1;
        if self.turns[last].mark == Mark::Snapshot {
            let digest = self.turns.split_off(last);
            return self.fold_before(digest);
        }
        let Some(before) = last.checked_sub(1).filter(|_| self.turns[last].mark == Mark::Acknowledged) else { return };
        match self.turns[before].mark {
            Mark::HoldsSnapshot => {
                let digest = self.turns.split_off(before);
                self.fold_before(digest);
            }
            // The fold was made when the snapshot came: the answer is part of its digest.
            Mark::Snapshot if before == 0 && self.by_message => {
                let message = self.turns[last].content.as_mut();
                let Some(message) = message else { return };
                message.provenance = Provenance::Summary;
                let message = message.clone();
                if let Some(fold) = self.windows.folds.last_mut() {
                    fold.digest.push(message);
                }
            }
            _ => {}
        }
    }

    fn fold_before(&mut self, mut digest: Vec<Turn<'s>>) {
        let before = std::mem::take(&mut self.turns);
        self.by_id.clear();
        for turn in before.iter().filter(|turn| turn.content.is_none()) {
            self.skipped.push(Skipped { line: turn.line, code: SkipCode::ApiError });
        }
        self.windows.window = messages(&before);
        mark_digest(&mut digest);
        let line = digest[0].line;
        let written = digest.iter().filter_map(|turn| turn.content.clone()).collect();
        self.windows.fold(FoundFold { line, digest: written, ..FoundFold::default() }, Vec::new());
        digest.into_iter().for_each(|turn| self.push(turn));
        self.by_message = true;
    }

    fn finish(&mut self) {
        let turns = std::mem::take(&mut self.turns);
        for turn in turns.iter().filter(|turn| turn.content.is_none()) {
            self.skipped.push(Skipped { line: turn.line, code: SkipCode::ApiError });
        }
        self.windows.window = messages(&turns);
        self.account_for_lists();
    }

    /// A line with many messages is skipped once, and only when none of them stands anywhere.
    fn account_for_lists(&mut self) {
        let windows = self.windows.folds.iter().map(|fold| &fold.originals).chain([&self.windows.window]);
        let digests = self.windows.folds.iter().map(|fold| &fold.digest);
        let used: HashSet<u32> = windows.chain(digests).flatten().flat_map(|message| &message.lines).copied().collect();
        let mut open: HashSet<u32> = self.listed.iter().copied().collect();
        let listed = open.clone();
        let single = |skipped: &Skipped| !listed.contains(&skipped.line);
        let once =
            |skipped: &Skipped, open: &mut HashSet<u32>| !used.contains(&skipped.line) && open.remove(&skipped.line);
        self.skipped.retain(|skipped| single(skipped) || once(skipped, &mut open));
        for line in std::mem::take(&mut self.listed) {
            if open.remove(&line) && !used.contains(&line) {
                self.skip(line, SkipCode::Metadata);
            }
        }
    }
}

/// Whether the two are the same message.
fn same(one: &Turn<'_>, other: &Turn<'_>) -> bool {
    let json = [one, other].map(|turn| turn.content.as_ref().map(|content| &content.json));
    one.id == other.id && json[0] == json[1] && one.responses == other.responses
}

/// A message of a fold as a turn again.
fn plain(message: SessionMessage<'_>) -> Turn<'_> {
    let line = message.lines.first().copied().unwrap_or(1);
    let (id, responses, answers, lossy) = (None, Vec::new(), Vec::new(), false);
    Turn { line, id, content: Some(message), responses, lossy, answers, odd: false, mark: Mark::Plain }
}

fn is_snapshot(turns: &[Turn<'_>], at: usize) -> bool {
    match turns[at].mark {
        Mark::Snapshot => true,
        Mark::HoldsSnapshot => turns.get(at + 1).is_some_and(|next| next.mark == Mark::Acknowledged),
        _ => false,
    }
}

/// Where the digest that starts at `at` ends: after the model's answer to it.
fn digest_end(turns: &[Turn<'_>], at: usize) -> usize {
    at + 1 + usize::from(turns.get(at + 1).is_some_and(|next| next.mark == Mark::Acknowledged))
}

fn mark_digest(digest: &mut [Turn<'_>]) {
    digest[0].mark = Mark::Snapshot;
    let contents = digest.iter_mut().filter_map(|turn| turn.content.as_mut());
    contents.for_each(|content| content.provenance = Provenance::Summary);
}

fn messages<'s>(turns: &[Turn<'s>]) -> Vec<SessionMessage<'s>> {
    let mut out = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        out.extend(turn.content.clone());
        out.extend(responses(turn, turns.get(at + 1)));
    }
    out
}

/// The content with the responses to the calls of a turn, those aside that the next one holds itself.
fn responses<'s>(turn: &Turn<'s>, next: Option<&Turn<'s>>) -> Option<SessionMessage<'s>> {
    let answered: HashSet<&[u8]> = next.into_iter().flat_map(|next| &next.answers).map(Vec::as_slice).collect();
    let open = |id: &Option<Vec<u8>>| !id.as_ref().is_some_and(|id| answered.contains(id.as_slice()));
    let parts: Vec<&[u8]> =
        turn.responses.iter().filter(|(id, _)| open(id)).map(|(_, parts)| parts.as_slice()).collect();
    if parts.is_empty() {
        return None;
    }
    let json = [&br#"{"role":"user","parts":["#[..], &parts.join(&b','), b"]}"].concat();
    let json = lines::clean(Cow::Owned(json), turn.lossy);
    Some(SessionMessage { json, lines: vec![turn.line], role: Role::User, provenance: Provenance::Plain, usage: None })
}

/// Why a value became no turn.
enum Failure {
    Skip(SkipCode),
    Unknown,
    Unreadable,
}

fn turn<'s>(record: &Record<'s, '_>, value: Value<'_>) -> std::result::Result<Turn<'s>, Failure> {
    let Some(kind) = value.get_str("type") else { return Err(Failure::Unreadable) };
    if kind.is_any(&["info", "warning"]) {
        return Err(Failure::Skip(SkipCode::SystemNote));
    }
    if kind.is_str("error") {
        return Err(Failure::Skip(SkipCode::ApiError));
    }
    let user = kind.is_str("user");
    if !user && !kind.is_str("gemini") {
        return Err(Failure::Unknown);
    }
    let content = value.get("content").filter(|content| !content.is_null());
    if content.is_some_and(|content| matches!(content.kind(), Kind::Bool | Kind::Number)) {
        return Err(Failure::Unreadable);
    }
    if user && content.is_none() {
        return Err(Failure::Unreadable);
    }
    let reader = Reader { text: record.text };
    let mut turn = Turn {
        line: record.line,
        id: value.get_str("id").and_then(Value::text).map(Cow::into_owned),
        content: None,
        responses: Vec::new(),
        lossy: record.lossy,
        answers: answers(content),
        odd: has_odd_parts(value, content),
        mark: Mark::Plain,
    };
    let parts = if user { reader.user(content)? } else { reader.model(value, content, &mut turn) };
    turn.mark = mark(user, content);
    if parts.is_empty() {
        return Ok(turn);
    }
    let role: &[u8] = if user { b"user" } else { b"model" };
    let json = [br#"{"role":""#, role, br#"","parts":["#, &parts.join(&b','), b"]}"].concat();
    let injected = user && content.and_then(first_text).is_some_and(|text| begins(text, &INJECTED) || only_hook(text));
    turn.content = Some(SessionMessage {
        json: lines::clean(Cow::Owned(json), record.lossy),
        lines: vec![record.line],
        role: if user { Role::User } else { Role::Assistant },
        provenance: if injected { Provenance::Injected } else { Provenance::Plain },
        usage: value.get("tokens").filter(|_| !user).and_then(usage),
    });
    Ok(turn)
}

fn usage(tokens: Value<'_>) -> Option<Usage> {
    let sum = |one: &str, other: &str| {
        let both = [one, other].map(|key| count(tokens.get(key)).unwrap_or(0));
        Some(both[0].saturating_add(both[1]))
    };
    Usage::within(sum("input", "tool"), sum("output", "thoughts"), count(tokens.get("cached")))
}

/// Parts of a `content`: a text, one part, or a list of both.
fn parts_of(content: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    let list = content.filter(|content| content.kind() == Kind::Array);
    let alone = content.filter(|content| content.kind() != Kind::Array);
    alone.into_iter().chain(list.into_iter().flat_map(Value::items))
}

fn first_text(content: Value<'_>) -> Option<Value<'_>> {
    parts_of(Some(content)).find_map(|part| if part.kind() == Kind::String { Some(part) } else { part.get_str("text") })
}

fn begins(text: Value<'_>, starts: &[&str]) -> bool {
    text.text().is_some_and(|text| starts.iter().any(|start| text.trim_ascii_start().starts_with(start.as_bytes())))
}

/// What a hook says stands alone, or in front of what the user said.
fn only_hook(text: Value<'_>) -> bool {
    let closed = |text: &[u8]| text.trim_ascii_end().ends_with(b"</hook_context>");
    begins(text, &["<hook_context>"]) && text.text().is_some_and(|text| closed(&text))
}

fn mark(user: bool, content: Option<Value<'_>>) -> Mark {
    let Some(text) = content.and_then(first_text) else { return Mark::Plain };
    if !user {
        return if text.is_str(ACKNOWLEDGED) { Mark::Acknowledged } else { Mark::Plain };
    }
    if begins(text, &["<state_snapshot>"]) {
        return Mark::Snapshot;
    }
    let holds = text.text().is_some_and(|text| memchr::memmem::find(&text, b"<state_snapshot>").is_some());
    if holds {
        Mark::HoldsSnapshot
    } else {
        Mark::Plain
    }
}

/// Parts of other formats say what they are; here their members do.
fn has_odd_parts(value: Value<'_>, content: Option<Value<'_>>) -> bool {
    let calls = value.get("toolCalls").into_iter().flat_map(Value::items);
    let results = calls.flat_map(|call| parts_of(call.get("result")));
    parts_of(content).chain(results).any(|part| part.get("type").is_some())
}

/// Ids of the calls that responses in `content` answer.
fn answers(content: Option<Value<'_>>) -> Vec<Vec<u8>> {
    let id = |part: Value<'_>| Some(part.get("functionResponse")?.get_str("id")?.text()?.into_owned());
    parts_of(content).filter_map(id).collect()
}

/// Puts parts together from slices of `text`.
struct Reader<'s> {
    text: &'s [u8],
}

impl Reader<'_> {
    fn raw(&self, value: Value<'_>) -> &[u8] {
        &self.text[value.span()]
    }

    /// A part as the API has it; texts may stand there bare. None for what is no part.
    fn part(&self, value: Value<'_>) -> Option<Vec<u8>> {
        match value.kind() {
            Kind::String if value.raw().len() > 2 => Some([br#"{"text":"#, self.raw(value), b"}"].concat()),
            Kind::Object => Some(self.raw(value).to_vec()),
            _ => None,
        }
    }

    fn user(&self, content: Option<Value<'_>>) -> std::result::Result<Vec<Vec<u8>>, Failure> {
        let parts: Vec<Vec<u8>> = parts_of(content).filter_map(|part| self.part(part)).collect();
        if parts.is_empty() {
            return Err(Failure::Skip(SkipCode::SystemNote));
        }
        let command = content.and_then(first_text).is_some_and(|text| begins(text, &["/", "?"]));
        if command {
            return Err(Failure::Skip(SkipCode::Command));
        }
        Ok(parts)
    }

    fn model(&self, value: Value<'_>, content: Option<Value<'_>>, turn: &mut Turn<'_>) -> Vec<Vec<u8>> {
        let calls = || value.get("toolCalls").into_iter().flat_map(Value::items);
        turn.responses = calls().flat_map(|call| self.responses(call)).collect();
        let own =
            |part: Value<'_>| part.get("functionCall").is_some() || part.get("thought").is_some_and(Value::is_true);
        let said = parts_of(content).filter_map(|part| self.part(part));
        if parts_of(content).any(own) {
            return said.collect();
        }
        let thoughts = value.get("thoughts").into_iter().flat_map(Value::items).filter_map(|t| self.thought(t));
        thoughts.chain(said).chain(calls().map(|call| self.call(call))).collect()
    }

    fn thought(&self, thought: Value<'_>) -> Option<Vec<u8>> {
        let inner = |key: &str| {
            let text = self.raw(thought.get_str(key)?);
            Some(&text[1..text.len() - 1])
        };
        let description = inner("description").unwrap_or_default();
        let subject = inner("subject").filter(|subject| !subject.is_empty());
        let head = subject.map(|subject| [b"**", subject, b"** "].concat()).unwrap_or_default();
        if head.is_empty() && description.is_empty() {
            return None;
        }
        Some([br#"{"text":""#, &head[..], description, br#"","thought":true}"#].concat())
    }

    /// `"id":…,"name":…,` of a call, as far as it has them.
    fn named(&self, call: Value<'_>) -> Vec<u8> {
        let member = |key: &str| {
            call.get_str(key)
                .map(|text| [b"\"", key.as_bytes(), b"\":", self.raw(text), b","].concat())
                .unwrap_or_default()
        };
        [member("id"), member("name")].concat()
    }

    fn call(&self, call: Value<'_>) -> Vec<u8> {
        let args = call.get("args").map_or(&b"{}"[..], |args| self.raw(args));
        [br#"{"functionCall":{"#, &self.named(call)[..], br#""args":"#, args, b"}}"].concat()
    }

    /// What answers the call, part by part. Null or nothing: it was never answered.
    fn responses(&self, call: Value<'_>) -> Vec<(Option<Vec<u8>>, Vec<u8>)> {
        let Some(result) = call.get("result").filter(|result| !result.is_null()) else { return Vec::new() };
        let id = call.get_str("id").and_then(Value::text).map(Cow::into_owned);
        if result.kind() == Kind::String {
            let head = [br#"{"functionResponse":{"#, &self.named(call)[..], br#""response":{"output":"#].concat();
            return vec![(id, [&head[..], self.raw(result), b"}}}"].concat())];
        }
        parts_of(Some(result)).filter_map(|part| self.part(part)).map(|part| (id.clone(), part)).collect()
    }
}
