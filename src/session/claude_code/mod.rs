//! Claude Code session files: one record per line, a tree by `uuid` and `parentUuid`.
//!
//! Reading goes in four steps: every line becomes a [`Rec`] (spans into the file, no copies); the
//! active branch is walked from its last line up to the root ([`Walk`]); the branch is cut into
//! windows at compactions, and lines that belong to it but lie beside it join them ([`split`],
//! [`Beside`]); each window is grouped into messages as the API has them ([`Window`]).

mod write;

use super::found::MOST_KEPT;
use super::lines::{self, Record};
use super::native::NativeFold;
use super::tree::{branch_id, Id, Ids, Tree};
use super::{bad_session, no_branch, Branch};
use super::{
    FoundFold, Session, SessionKind, SessionMessage, SessionOptions, SessionProblem, SessionProblemCode, SessionReader,
    SkipCode, Skipped,
};
use crate::error::Result;
use crate::formats::Format;
use crate::json::{Kind, Tape, Value};
use crate::message::{Provenance, Role};
use crate::order::sort_by_key;
use crate::usage::{count, Usage};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

pub(super) struct ClaudeCode;

impl SessionReader for ClaudeCode {
    fn write_fold(&self, bytes: &[u8], session: &Session<'_>, fold: &NativeFold<'_>) -> Result<Vec<u8>> {
        write::fold(bytes, session, fold)
    }

    fn recognises(&self, record: Value<'_>) -> bool {
        let Some(kind) = record.get_str("type") else { return false };
        let has = |key: &str| record.get(key).is_some();
        let stream = kind.is_any(&["user", "assistant", "system"]) && has("session_id");
        let title = kind.is_str("summary") && has("leafUuid");
        let snapshot = kind.is_str("file-history-snapshot") && has("snapshot");
        has("parentUuid") || has("sessionId") || stream || title || snapshot
    }

    fn read<'s>(&self, bytes: &'s [u8], options: &SessionOptions<'_>) -> Result<Session<'s>> {
        let mut file = File::scan(bytes, options);
        let foreign = [Type::Other(SkipCode::UnknownType), Type::Other(SkipCode::Unreadable)];
        if file.recs.iter().all(|rec| foreign.contains(&rec.kind)) {
            return Err(bad_session("the file holds records with a session id, but none that Claude Code writes"));
        }
        let branches = file.branches();
        let leaf = file.leaf(options.branch)?;
        let leaf_id = leaf.map(|leaf| file.branch_id(leaf));
        file.choose_side(leaf);
        let (path, goes_on) = Walk::new(&mut file).path(leaf);
        let mut windows = split(&mut file, &path);
        let mut beside = Beside::find(&file, &mut windows);
        let (folds, messages) = assemble(&mut file, windows, &mut beside, &goes_on);
        let skipped = file.skipped(&beside.placed);
        let (kind, format) = (SessionKind::ClaudeCode, Format::Anthropic);
        Ok(Session {
            kind,
            format,
            messages,
            folds,
            branches,
            leaf: leaf_id,
            problems: file.problems,
            skipped,
            container: None,
        })
    }
}

/// Index into [`File::recs`].
type At = usize;

/// What a line says it continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parent {
    /// Nothing said: the lines are a plain sequence.
    Unsaid,
    /// Nothing: a conversation starts here.
    Root,
    Line(Id),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    User,
    Assistant,
    Boundary,
    Other(SkipCode),
}

/// A record, as spans into its text.
struct Rec<'s> {
    line: u32,
    text: &'s [u8],
    lossy: bool,
    kind: Type,
    uuid: Option<Id>,
    parent: Parent,
    /// Beside the conversation that is read.
    sidechain: bool,
    /// Repeats the uuid of an earlier record.
    duplicate: bool,
    meta: bool,
    summary: bool,
    /// An error or a stand-in in the place of an answer: not part of what the model saw.
    unseen: bool,
    body: Option<Body>,
    usage: Option<Usage>,
    fold: Option<Box<Compaction>>,
}

/// The message of a record.
struct Body {
    role: Role,
    /// The role as it is written, quotes included.
    role_span: Option<Range<usize>>,
    content: Range<usize>,
    /// The whole message, if it is `{"role":…,"content":…}` and nothing else.
    whole: Option<Range<usize>>,
    /// Same for all lines that one answer of the API was split into.
    answer: Option<(Id, Option<Id>)>,
    /// Content blocks; empty when the content is a string.
    blocks: Box<[Block]>,
    is_string: bool,
    only_results: bool,
}

struct Block {
    span: Range<usize>,
    call: Option<Id>,
    result: Option<Id>,
}

/// What a compaction says of itself.
#[derive(Default)]
struct Compaction {
    trigger: Option<String>,
    tokens_before: Option<u64>,
    preserved: Vec<Id>,
    /// First and last of a run of preserved lines.
    segment: Option<(Id, Id)>,
}

impl Rec<'_> {
    fn is_message(&self) -> bool {
        self.is_turn() && !self.sidechain
    }

    /// Something that was said, in the conversation or beside it.
    fn is_turn(&self) -> bool {
        let turn = matches!(self.kind, Type::User | Type::Assistant);
        turn && !self.duplicate && !self.unseen && self.body.is_some()
    }

    /// Lines that a line whose parent is lost may be taken to continue.
    fn can_stand_in(&self) -> bool {
        let named = self.uuid.is_some() || matches!(self.kind, Type::User | Type::Assistant | Type::Boundary);
        named && !self.sidechain && !self.duplicate
    }

    fn blocks(&self) -> &[Block] {
        self.body.as_ref().map_or(&[], |body| &body.blocks)
    }

    fn only_results(&self) -> bool {
        self.kind == Type::User && !self.summary && self.body.as_ref().is_some_and(|body| body.only_results)
    }
}

/// All records of a file.
struct File<'s> {
    recs: Vec<Rec<'s>>,
    by_uuid: HashMap<Id, At>,
    /// The summary after each boundary.
    summary_of: HashMap<At, At>,
    ids: Ids<'s>,
    /// Of each record the one before it on its side: of the conversation, or of the subagents.
    before: Vec<Option<At>>,
    /// What is read is the conversation of a subagent.
    on_sidechain: bool,
    problems: Vec<SessionProblem>,
}

impl<'s> File<'s> {
    fn scan(bytes: &'s [u8], options: &SessionOptions<'_>) -> File<'s> {
        let mut problems = Vec::new();
        let mut notes = Vec::new();
        let mut recs = Vec::new();
        let mut ids = Ids::default();
        lines::each_record(bytes, usize::MAX, options.progress, &mut problems, |record| {
            recs.push(rec(&mut ids, &record, &mut notes));
        });
        problems.append(&mut notes);
        let (by_uuid, summary_of) = (HashMap::new(), HashMap::new());
        let mut last = [None; 2];
        let before = recs.iter().enumerate().map(|(at, rec): (At, &Rec<'_>)| {
            let side = &mut last[usize::from(rec.sidechain)];
            if matches!(rec.kind, Type::User | Type::Assistant | Type::Boundary) {
                side.replace(at)
            } else {
                *side
            }
        });
        let before = before.collect();
        let mut file = File { recs, by_uuid, summary_of, ids, before, on_sidechain: false, problems };
        file.index();
        file
    }

    fn index(&mut self) {
        let mut boundary = None;
        for at in 0..self.recs.len() {
            if let Some(uuid) = self.recs[at].uuid {
                let first = *self.by_uuid.entry(uuid).or_insert(at);
                if first != at {
                    self.recs[at].duplicate = true;
                    let line = self.recs[first].line;
                    self.report(at, SessionProblemCode::DuplicateUuid, format!("repeats the uuid of line {line}"));
                    continue;
                }
            }
            let rec = &self.recs[at];
            if rec.kind == Type::Boundary {
                boundary = Some(at);
            }
            if rec.summary && rec.is_message() {
                let parent = self.parent(at).filter(|&parent| self.recs[parent].kind == Type::Boundary);
                if let Some(boundary) = parent.or(boundary) {
                    self.summary_of.entry(boundary).or_insert(at);
                }
            }
        }
    }

    /// The record that `at` names as its parent, if the file has it.
    fn parent(&self, at: At) -> Option<At> {
        match self.recs[at].parent {
            Parent::Line(id) => self.by_uuid.get(&id).copied(),
            _ => None,
        }
    }

    /// The last line of a branch; of the active one that of the file.
    fn leaf(&self, branch: Option<&str>) -> Result<Option<At>> {
        let turn = |rec: &Rec<'_>| matches!(rec.kind, Type::User | Type::Assistant) && !rec.duplicate;
        let Some(id) = branch else {
            // A subagent may have a file of its own.
            let main = self.recs.iter().rposition(|rec| turn(rec) && !rec.sidechain);
            return Ok(main.or_else(|| self.recs.iter().rposition(turn)));
        };
        let named = self.ids.known(id).and_then(|id| self.by_uuid.get(&id).copied());
        let numbered = || self.recs.iter().rposition(|rec| turn(rec) && id == format!("line-{}", rec.line));
        named.filter(|&at| turn(&self.recs[at])).or_else(numbered).map(Some).ok_or_else(|| no_branch(id))
    }

    /// A subagent's conversation is read like any other: what is beside it is the main one then.
    fn choose_side(&mut self, leaf: Option<At>) {
        self.on_sidechain = leaf.is_some_and(|leaf| self.recs[leaf].sidechain);
        if self.on_sidechain {
            self.recs.iter_mut().for_each(|rec| rec.sidechain = !rec.sidechain);
        }
    }

    /// All branches, subagents' as well. The results of parallel calls, which lie beside the path in the tree, are none.
    fn branches(&self) -> Vec<Branch> {
        let parents: Vec<Option<At>> = (0..self.recs.len()).map(|at| self.line_before(at)).collect();
        let counts: Vec<bool> = self.recs.iter().map(|rec| rec.is_turn()).collect();
        let tree = Tree { parents, counts };
        let depths = tree.depths();
        let active = self.leaf(None).ok().flatten();
        // An answer with several calls is several lines; the conversation goes on behind one of their results.
        let mut behind: HashMap<(Id, Option<Id>), u32> = HashMap::new();
        let parent_answer = |at: At| tree.parents[at].and_then(|parent| answer(&self.recs[parent]));
        for at in (0..self.recs.len()).filter(|&at| self.recs[at].is_turn()) {
            if let Some(of) = parent_answer(at).filter(|of| answer(&self.recs[at]) != Some(*of)) {
                *behind.entry(of).or_default() += 1;
            }
        }
        let beside = |at: At| self.recs[at].only_results() && parent_answer(at).is_some_and(|of| behind[&of] > 1);
        let mut leaves = tree.leaves();
        // New lines continue what a compaction preserved, and none its summary.
        leaves.retain(|&at| Some(at) == active || !(beside(at) || self.recs[at].summary));
        let branch = |at: At| {
            let (rec, records) = (&self.recs[at], depths[at]);
            let (id, line) = (self.branch_id(at), rec.line);
            Branch { id, line, records, active: active == Some(at), sidechain: rec.sidechain }
        };
        leaves.into_iter().map(branch).collect()
    }

    fn branch_id(&self, at: At) -> String {
        let rec = &self.recs[at];
        let mut tape = Tape::new();
        branch_id(tape.parse(rec.text).ok().and_then(|record| record.get_str("uuid")), rec.line)
    }

    /// The line that a line continues, as far as it says so; in a plain sequence the one before it on its side.
    fn line_before(&self, at: At) -> Option<At> {
        match self.recs[at].parent {
            Parent::Root => None,
            Parent::Line(_) => self.parent(at).filter(|&parent| parent != at),
            Parent::Unsaid => self.before[at],
        }
    }

    fn report(&mut self, at: At, code: SessionProblemCode, what: impl AsRef<str>) {
        let line = self.recs[at].line;
        self.problems.push(SessionProblem { line, code, message: format!("line {line} {}", what.as_ref()) });
    }

    /// Every record that no window took.
    fn skipped(&self, placed: &[bool]) -> Vec<Skipped> {
        let left = self.recs.iter().zip(placed).filter(|(_, placed)| !**placed);
        // Of a subagent's conversation the main one is another branch.
        let code = |rec: &Rec<'_>| match skip_code(rec) {
            SkipCode::Sidechain if self.on_sidechain => SkipCode::OtherBranch,
            code => code,
        };
        left.map(|(rec, _)| Skipped { line: rec.line, code: code(rec) }).collect()
    }

    fn message(&self, group: &Group) -> SessionMessage<'s> {
        let ats = &group.recs;
        let first = &self.recs[ats[0]];
        let all = |holds: fn(&Rec<'_>) -> bool| ats.iter().all(|&at| holds(&self.recs[at]));
        let provenance = match () {
            () if all(|rec| rec.summary) => Provenance::Summary,
            () if all(|rec| rec.meta) => Provenance::Injected,
            () => Provenance::Plain,
        };
        // A message that names no role is written with that of its line.
        let role = match &first.body {
            Some(body) if body.role_span.is_some() => body.role,
            _ if first.kind == Type::User => Role::User,
            _ => Role::Assistant,
        };
        let lines = ats.iter().map(|&at| self.recs[at].line).collect();
        let lossy = ats.iter().any(|&at| self.recs[at].lossy);
        // While an answer comes in, its lines know ever more of it.
        let usage = ats.iter().filter_map(|&at| self.recs[at].usage).max_by_key(|usage| usage.output);
        SessionMessage { json: lines::clean(self.json(group), lossy), lines, role, provenance, usage }
    }

    fn json(&self, group: &Group) -> Cow<'s, [u8]> {
        let first = &self.recs[group.recs[0]];
        let Some(body) = &first.body else { return Cow::Borrowed(b"null") };
        let alone = group.recs.len() == 1;
        if let Some(whole) = body.whole.clone().filter(|_| alone) {
            return Cow::Borrowed(&first.text[whole]);
        }
        let role = match &body.role_span {
            Some(span) => &first.text[span.clone()],
            None if first.kind == Type::User => b"\"user\"",
            None => b"\"assistant\"",
        };
        let mut out = [br#"{"role":"#, role, br#","content":"#].concat();
        if alone {
            out.extend_from_slice(&first.text[body.content.clone()]);
        } else {
            out.push(b'[');
            self.join_blocks(group, &mut out);
            out.push(b']');
        }
        out.push(b'}');
        Cow::Owned(out)
    }

    fn join_blocks(&self, group: &Group, out: &mut Vec<u8>) {
        let mut first = true;
        let mut push = |pieces: &[&[u8]]| {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
            pieces.iter().for_each(|piece| out.extend_from_slice(piece));
        };
        if !group.block_order.is_empty() {
            for &(at, block) in &group.block_order {
                let rec = &self.recs[at];
                push(&[&rec.text[rec.blocks()[block].span.clone()]]);
            }
            return;
        }
        for &at in &group.recs {
            let rec = &self.recs[at];
            let Some(body) = &rec.body else { continue };
            match body.blocks[..] {
                [] if body.is_string => push(&[br#"{"type":"text","text":"#, &rec.text[body.content.clone()], b"}"]),
                [] => {}
                // From the first block to the last: commas and white space between them are the file's.
                [ref head, ..] => {
                    let end = body.blocks[body.blocks.len() - 1].span.end;
                    push(&[&rec.text[head.span.start..end]]);
                }
            }
        }
    }
}

fn skip_code(rec: &Rec<'_>) -> SkipCode {
    match rec.kind {
        _ if rec.duplicate => SkipCode::Duplicate,
        _ if rec.sidechain => SkipCode::Sidechain,
        Type::Other(code) => code,
        Type::Boundary => SkipCode::SystemNote,
        _ if rec.unseen => SkipCode::ApiError,
        _ if rec.body.is_none() => SkipCode::Unreadable,
        _ => SkipCode::OtherBranch,
    }
}

/// Reads one record; what is wrong with it goes to `notes`.
fn rec<'s>(ids: &mut Ids<'s>, record: &Record<'s, '_>, notes: &mut Vec<SessionProblem>) -> Rec<'s> {
    let (text, value) = (record.text, record.value);
    let mut rec = Rec {
        line: record.line,
        text,
        lossy: record.lossy,
        kind: Type::Other(SkipCode::UnknownType),
        uuid: None,
        parent: Parent::Unsaid,
        sidechain: false,
        duplicate: false,
        meta: false,
        summary: false,
        unseen: false,
        body: None,
        usage: None,
        fold: None,
    };
    let mut note = |what: &str| {
        let message = format!("line {} {what}; it was skipped", record.line);
        notes.push(SessionProblem { line: record.line, code: SessionProblemCode::NotAMessage, message });
    };
    if value.kind() != Kind::Object {
        rec.kind = Type::Other(SkipCode::Unreadable);
        note("is no JSON object");
        return rec;
    }
    let (mut subtype, mut logical, mut request, mut message, mut metadata) = (None, None, None, None, None);
    let mut attachment = None;
    for (key, member) in value.entries() {
        match key.text().as_deref().unwrap_or_default() {
            b"type" => rec.kind = kind_of(member),
            b"subtype" => subtype = Some(member),
            b"uuid" => rec.uuid = ids.of(text, member),
            b"parentUuid" => rec.parent = ids.of(text, member).map_or(Parent::Root, Parent::Line),
            b"logicalParentUuid" => logical = ids.of(text, member),
            b"requestId" => request = ids.of(text, member),
            b"isSidechain" => rec.sidechain |= member.is_true(),
            b"parent_tool_use_id" => rec.sidechain |= member.kind() == Kind::String,
            b"isMeta" => rec.meta = member.is_true(),
            b"isCompactSummary" => rec.summary = member.is_true(),
            b"isApiErrorMessage" => rec.unseen |= member.is_true(),
            b"message" => message = Some(member),
            b"attachment" => attachment = Some(member),
            b"compactMetadata" | b"compact_metadata" => metadata = Some(member),
            _ => {}
        }
    }
    if rec.kind == Type::Other(SkipCode::SystemNote) && subtype.is_some_and(|s| s.is_str("compact_boundary")) {
        rec.kind = Type::Boundary;
        rec.fold = Some(Box::new(compaction(ids, text, metadata)));
        // It has no parent of its own, as the tree starts anew there.
        rec.parent = match (logical, rec.parent) {
            (Some(id), _) => Parent::Line(id),
            (None, Parent::Line(id)) => Parent::Line(id),
            (None, _) => Parent::Unsaid,
        };
    }
    if rec.kind == Type::Other(SkipCode::Attachment) {
        // What the user typed while the model was at work is told to it as any other word of the user's.
        let queued = attachment.filter(|it| it.get("type").is_some_and(|kind| kind.is_str("queued_command")));
        rec.body = queued.and_then(|queued| said(ids, text, queued.get("prompt")?));
        if rec.body.is_some() {
            rec.kind = Type::User;
            return rec;
        }
    }
    rec.summary &= rec.kind == Type::User;
    if matches!(rec.kind, Type::User | Type::Assistant) {
        let message = message.filter(|message| message.kind() == Kind::Object);
        let synthetic = message.and_then(|m| m.get("model")).is_some_and(|model| model.is_str("<synthetic>"));
        rec.unseen |= synthetic && rec.kind == Type::Assistant;
        rec.body = message.and_then(|message| body(ids, text, message, request));
        rec.usage = message.filter(|_| rec.kind == Type::Assistant).and_then(usage);
        if rec.body.is_none() {
            note("has no message with content");
        }
    }
    rec
}

fn kind_of(value: Value<'_>) -> Type {
    match value.text().as_deref().unwrap_or_default() {
        b"user" => Type::User,
        b"assistant" => Type::Assistant,
        b"system" => Type::Other(SkipCode::SystemNote),
        b"summary" | b"custom-title" | b"ai-title" => Type::Other(SkipCode::Title),
        b"progress" => Type::Other(SkipCode::Progress),
        b"file-history-snapshot" => Type::Other(SkipCode::Snapshot),
        b"attachment" => Type::Other(SkipCode::Attachment),
        _ => Type::Other(SkipCode::UnknownType),
    }
}

fn body<'s>(ids: &mut Ids<'s>, text: &'s [u8], message: Value<'_>, request: Option<Id>) -> Option<Body> {
    let content = message.get("content").filter(|content| matches!(content.kind(), Kind::String | Kind::Array))?;
    let role = message.get_str("role");
    let blocks: Box<[Block]> = content.items().map(|block| read_block(ids, text, block)).collect();
    let mut keys = message.entries().map(|(key, _)| key);
    let bare = keys.next().is_some_and(|key| key.is_str("role"))
        && keys.next().is_some_and(|key| key.is_str("content"))
        && keys.next().is_none();
    Some(Body {
        role: role.map_or(Role::Other, role_of),
        role_span: role.map(Value::span),
        content: content.span(),
        whole: (bare && role.is_some()).then(|| message.span()),
        answer: message.get("id").and_then(|id| ids.of(text, id)).map(|id| (id, request)),
        is_string: content.kind() == Kind::String,
        only_results: !blocks.is_empty() && blocks.iter().all(|block| block.result.is_some()),
        blocks,
    })
}

/// A message of the user's of which the record holds the content alone.
fn said<'s>(ids: &mut Ids<'s>, text: &'s [u8], content: Value<'_>) -> Option<Body> {
    let is_string = content.kind() == Kind::String;
    if !is_string && content.kind() != Kind::Array {
        return None;
    }
    let blocks = content.items().map(|block| read_block(ids, text, block)).collect();
    let (role_span, whole, answer) = (None, None, None);
    let span = content.span();
    Some(Body { role: Role::User, role_span, content: span, whole, answer, is_string, only_results: false, blocks })
}

/// What the API counted. Each line of an answer repeats it, as far as it was known then.
fn usage(message: Value<'_>) -> Option<Usage> {
    let usage = message.get("usage")?;
    let of = |key: &str| count(usage.get(key));
    Usage::apart(
        of("input_tokens"),
        of("output_tokens"),
        of("cache_read_input_tokens"),
        of("cache_creation_input_tokens"),
    )
}

fn role_of(role: Value<'_>) -> Role {
    match role.text().as_deref().unwrap_or_default() {
        b"user" => Role::User,
        b"assistant" => Role::Assistant,
        b"system" => Role::System,
        _ => Role::Other,
    }
}

fn read_block<'s>(ids: &mut Ids<'s>, text: &'s [u8], block: Value<'_>) -> Block {
    let is_call = block.get("type").and_then(Value::text).is_some_and(|kind| kind.ends_with(b"tool_use"));
    let id = if is_call { block.get("id") } else { None };
    Block {
        span: block.span(),
        call: id.and_then(|id| ids.of(text, id)),
        result: block.get("tool_use_id").and_then(|id| ids.of(text, id)),
    }
}

/// The first of several spellings of a member: files are camelCase, the SDK's stream is snake_case.
fn either<'d>(value: Value<'d>, names: [&str; 2]) -> Option<Value<'d>> {
    value.get(names[0]).or_else(|| value.get(names[1]))
}

fn compaction<'s>(ids: &mut Ids<'s>, text: &'s [u8], metadata: Option<Value<'_>>) -> Compaction {
    let Some(metadata) = metadata else { return Compaction::default() };
    let tokens = either(metadata, ["preTokens", "pre_tokens"]).and_then(Value::as_f64);
    let messages = either(metadata, ["preservedMessages", "preserved_messages"]);
    let uuids = messages.and_then(|messages| messages.get("uuids"));
    let segment = either(metadata, ["preservedSegment", "preserved_segment"]);
    let mut end = |names: [&str; 2]| segment.and_then(|segment| ids.of(text, either(segment, names)?));
    let ends = (end(["headUuid", "head_uuid"]), end(["tailUuid", "tail_uuid"]));
    Compaction {
        trigger: metadata.get_str("trigger").map(|trigger| trigger.text_lossy().into_owned()),
        tokens_before: tokens
            .filter(|tokens| (0.0..=9_007_199_254_740_991.0).contains(tokens))
            .map(|tokens| tokens as u64),
        preserved: uuids.into_iter().flat_map(Value::items).filter_map(|uuid| ids.of(text, uuid)).collect(),
        segment: ends.0.zip(ends.1),
    }
}

/// The way from the last line up to the root. Each record is visited at most once, so it ends.
struct Walk<'f, 's> {
    file: &'f mut File<'s>,
    visited: Vec<bool>,
    /// `below[i]`: where to look next for an unvisited stand-in before record `i`; halved on the way.
    below: Vec<usize>,
    /// Boundaries that name a record as preserved, in file order.
    preserved_by: HashMap<At, Vec<At>>,
    /// Of a compaction that the way led through, the preserved record behind which it goes on.
    goes_on: HashMap<At, At>,
}

impl<'f, 's> Walk<'f, 's> {
    fn new(file: &'f mut File<'s>) -> Self {
        let mut preserved_by: HashMap<At, Vec<At>> = HashMap::new();
        let mut steps = file.recs.len() * MOST_KEPT;
        for (at, rec) in file.recs.iter().enumerate() {
            let Some(fold) = &rec.fold else { continue };
            let of_segment = fold.segment.map(|ends| segment(file, ends, &mut steps)).unwrap_or_default();
            let listed = fold.preserved.iter().filter_map(|id| file.by_uuid.get(id).copied());
            for kept in listed.chain(of_segment) {
                preserved_by.entry(kept).or_default().push(at);
            }
        }
        let count = file.recs.len();
        Walk { file, visited: vec![false; count], below: (0..=count).collect(), preserved_by, goes_on: HashMap::new() }
    }

    /// The way to `leaf`, the first line first.
    fn path(mut self, leaf: Option<At>) -> (Vec<At>, HashMap<At, At>) {
        let mut next = leaf;
        let mut path = Vec::new();
        while let Some(at) = next {
            self.visited[at] = true;
            path.push(at);
            next = self.step(at);
        }
        path.reverse();
        (path, self.goes_on)
    }

    fn step(&mut self, at: At) -> Option<At> {
        match self.file.recs[at].parent {
            Parent::Root => return None,
            Parent::Unsaid => return self.earlier(at),
            Parent::Line(_) => {}
        }
        let Some(parent) = self.file.parent(at) else {
            let stand_in = self.earlier(at);
            self.report(at, SessionProblemCode::MissingParent, "continues a line that is not in the file", stand_in);
            return stand_in;
        };
        if let Some(summary) = self.summary_between(parent, at) {
            return Some(summary);
        }
        if self.visited[parent] {
            let stand_in = self.earlier(at);
            self.report(at, SessionProblemCode::ParentLoop, "continues a line that continues it", stand_in);
            return stand_in;
        }
        Some(parent)
    }

    /// New lines continue preserved ones, which lie before the compaction: the way to them leads
    /// through its summary, or the compaction would be passed over.
    fn summary_between(&mut self, parent: At, at: At) -> Option<At> {
        let boundaries = self.preserved_by.get(&parent)?;
        let before = boundaries.partition_point(|&boundary| boundary < at);
        let boundary = *boundaries[..before].last().filter(|&&boundary| boundary > parent)?;
        let summary = self.file.summary_of.get(&boundary).copied().filter(|&summary| !self.visited[summary])?;
        self.goes_on.insert(boundary, parent);
        Some(summary)
    }

    /// The nearest line before `at` that is not on the path yet.
    fn earlier(&mut self, at: At) -> Option<At> {
        // Slot i + 1 is record i, slot 0 the end; a slot that is its own next is a candidate.
        let mut slot = at;
        while slot > 0 {
            let usable = !self.visited[slot - 1] && self.file.recs[slot - 1].can_stand_in();
            if self.below[slot] == slot {
                if usable {
                    return Some(slot - 1);
                }
                self.below[slot] = slot - 1;
            }
            let next = self.below[slot];
            self.below[slot] = self.below[next];
            slot = next;
        }
        None
    }

    fn report(&mut self, at: At, code: SessionProblemCode, what: &str, stand_in: Option<At>) {
        let instead = match stand_in {
            Some(other) => format!("line {} was taken instead", self.file.recs[other].line),
            None => "the conversation starts here".into(),
        };
        self.file.report(at, code, format!("{what}; {instead}"));
    }
}

/// The lines from the last of a run up to its first; the last alone where they do not continue each other.
fn segment(file: &File<'_>, (head, tail): (Id, Id), steps: &mut usize) -> Vec<At> {
    let Some(&last) = file.by_uuid.get(&tail) else { return Vec::new() };
    let mut run = vec![last];
    let mut at = last;
    while file.recs[at].uuid != Some(head) && *steps > 0 {
        *steps -= 1;
        let Some(parent) = file.parent(at).filter(|&parent| parent < at) else { return vec![last] };
        run.push(parent);
        at = parent;
    }
    run
}

/// The stretch of the path between two compactions.
#[derive(Default)]
struct Window {
    /// The compaction that began it.
    boundary: Option<At>,
    members: Vec<At>,
}

/// Cuts the path at compactions that left a summary.
fn split(file: &mut File<'_>, path: &[At]) -> Vec<Window> {
    let mut windows = vec![Window::default()];
    // A boundary without summary so far, and how many members its window had then.
    let mut open: Option<(At, usize)> = None;
    let mut bare = Vec::new();
    for &at in path {
        let current = windows.last_mut().expect("starts with one");
        let rec = &file.recs[at];
        if rec.kind == Type::Boundary {
            bare.extend(open.replace((at, current.members.len())).map(|(boundary, _)| boundary));
        }
        if !rec.is_message() {
            continue;
        }
        match open.filter(|_| rec.summary) {
            None => current.members.push(at),
            Some((boundary, mark)) => {
                open = None;
                let after = current.members.split_off(mark);
                let members = std::iter::once(at).chain(after).collect();
                windows.push(Window { boundary: Some(boundary), members });
            }
        }
    }
    bare.extend(open.map(|(boundary, _)| boundary));
    report_bare(file, path, bare);
    windows
}

/// Boundaries without summary: `bare` of the path, and those that no line continues.
fn report_bare(file: &mut File<'_>, path: &[At], mut bare: Vec<At>) {
    let on_path: HashSet<At> = path.iter().copied().collect();
    let lonely = |&at: &At| {
        let rec = &file.recs[at];
        let boundary = rec.kind == Type::Boundary && !rec.sidechain && !rec.duplicate;
        boundary && !on_path.contains(&at) && !file.summary_of.contains_key(&at)
    };
    bare.extend((0..file.recs.len()).filter(lonely));
    for at in bare {
        let what = "marks a compaction that left no summary; the conversation was read on through it";
        file.report(at, SessionProblemCode::BoundaryWithoutSummary, what);
    }
}

/// Lines that belong to the path but lie beside it: calls made in parallel branch in the tree.
struct Beside {
    /// Results by the assistant line whose call they answer.
    results_of: HashMap<At, Vec<At>>,
    /// Records that are in a window or mark a fold.
    placed: Vec<bool>,
}

impl Beside {
    /// Adds assistant lines beside the path to the window that holds the rest of their answer.
    fn find(file: &File<'_>, windows: &mut [Window]) -> Beside {
        let mut placed = vec![false; file.recs.len()];
        let mut window_of = HashMap::new();
        let mut calls = HashSet::new();
        for (index, window) in windows.iter().enumerate() {
            window.boundary.into_iter().for_each(|at| placed[at] = true);
            for &at in &window.members {
                placed[at] = true;
                let rec = &file.recs[at];
                if let Some(answer) = answer(rec) {
                    window_of.entry(answer).or_insert(index);
                    calls.extend(rec.blocks().iter().filter_map(|block| Some((answer, block.call?))));
                }
            }
        }
        for (at, rec) in file.recs.iter().enumerate() {
            let Some(answer) = answer(rec).filter(|_| !placed[at] && rec.is_message()) else { continue };
            let Some(&index) = window_of.get(&answer) else { continue };
            // A call that the answer has already: a second copy, not another part of it.
            let copy = rec.blocks().iter().filter_map(|b| b.call).any(|call| !calls.insert((answer, call)));
            if !copy {
                placed[at] = true;
                windows[index].members.push(at);
            }
        }
        let results_of = results_beside(file, &placed);
        Beside { results_of, placed }
    }
}

/// What ties the lines of one answer together.
fn answer(rec: &Rec<'_>) -> Option<(Id, Option<Id>)> {
    rec.body.as_ref().filter(|_| rec.kind == Type::Assistant)?.answer
}

fn results_beside(file: &File<'_>, placed: &[bool]) -> HashMap<At, Vec<At>> {
    let mut callers: HashMap<Id, Vec<At>> = HashMap::new();
    for (at, rec) in file.recs.iter().enumerate() {
        if rec.kind == Type::Assistant && rec.is_message() {
            rec.blocks()
                .iter()
                .filter_map(|block| block.call)
                .for_each(|call| callers.entry(call).or_default().push(at));
        }
    }
    let mut results_of: HashMap<At, Vec<At>> = HashMap::new();
    for (at, rec) in file.recs.iter().enumerate() {
        if placed[at] || !rec.is_message() || !rec.only_results() {
            continue;
        }
        let found = rec.blocks().iter().filter_map(|block| block.result).find_map(|id| callers.get(&id));
        let Some(callers) = found else { continue };
        // Call ids may come back: the parent says which call is meant, or else the nearest before.
        let parent = file.parent(at).filter(|parent| callers.binary_search(parent).is_ok());
        let before = callers.partition_point(|&caller| caller < at);
        let caller = parent.unwrap_or(callers[before.saturating_sub(1)]);
        if placed[caller] {
            results_of.entry(caller).or_default().push(at);
        }
    }
    results_of
}

/// Records that make one message.
#[derive(Default)]
struct Group {
    recs: Vec<At>,
    /// Of results from several lines: record and block of each, in the order of their calls.
    block_order: Vec<(At, usize)>,
    results: bool,
}

/// Builds the windows one after the other, as each takes over what the compaction preserved.
fn assemble<'s>(
    file: &mut File<'s>,
    windows: Vec<Window>,
    beside: &mut Beside,
    goes_on: &HashMap<At, At>,
) -> (Vec<FoundFold<'s>>, Vec<SessionMessage<'s>>) {
    let mut folds = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    // Files whose compactions preserve nearly everything, over and over, would grow without bound.
    let mut allowance = file.recs.len() * MOST_KEPT;
    for mut window in windows {
        let Some(boundary) = window.boundary else {
            groups = group(file, &window.members, beside);
            continue;
        };
        let kept = kept(file, boundary, &groups, &mut allowance, goes_on.get(&boundary).copied());
        let preserved = kept.iter().flat_map(|&index| groups[index as usize].recs.iter().copied());
        let summary = window.members[0];
        window.members.splice(1..1, preserved);
        let digest = file.message(&Group { recs: vec![summary], ..Group::default() });
        let originals = groups.iter().map(|group| file.message(group)).collect();
        let (line, fold) = (file.recs[boundary].line, file.recs[boundary].fold.take().unwrap_or_default());
        let (trigger, tokens_before) = (fold.trigger, fold.tokens_before);
        let digest = vec![digest];
        folds.push(FoundFold { line, trigger, tokens_before, originals, kept, digest, ..FoundFold::default() });
        groups = group(file, &window.members, beside);
    }
    let messages = groups.iter().map(|group| file.message(group)).collect();
    (folds, messages)
}

/// Which groups of the window before `boundary` it preserved.
fn kept(file: &mut File<'_>, boundary: At, groups: &[Group], allowance: &mut usize, goes_on: Option<At>) -> Vec<u32> {
    let Some(fold) = &file.recs[boundary].fold else { return Vec::new() };
    if fold.preserved.is_empty() && fold.segment.is_none() {
        return Vec::new();
    }
    let members = groups.iter().enumerate().flat_map(|(i, group)| group.recs.iter().map(move |&at| (at, i)));
    let group_of: HashMap<At, usize> = members.collect();
    let find = |id: Id| file.by_uuid.get(&id).and_then(|at| group_of.get(at)).copied();
    // Lines that are no messages (progress, …) are nothing to keep; those after the boundary stand there anyway.
    let is_note = |id: Id| file.by_uuid.get(&id).is_some_and(|&at| at > boundary || !file.recs[at].is_message());
    let mut missing = 0;
    let mut kept: Vec<usize> = Vec::new();
    for &id in &fold.preserved {
        match find(id) {
            Some(index) => kept.push(index),
            None => missing += usize::from(!is_note(id)),
        }
    }
    if let (true, Some((head, tail))) = (kept.is_empty(), fold.segment) {
        match (find(head), find(tail)) {
            (Some(head), Some(tail)) => kept.extend(head..=tail),
            (head, tail) => {
                kept.extend(head.or(tail));
                missing += 1;
            }
        }
    }
    sort_by_key(&mut kept, |index| *index);
    kept.dedup();
    // The user went back to one of them: what came after it was left.
    if let Some(last) = goes_on.and_then(|at| group_of.get(&at)) {
        kept.retain(|index| index <= last);
    }
    if missing > 0 {
        let what = "preserves messages that the window before it does not hold; they were left out";
        file.report(boundary, SessionProblemCode::MissingPreserved, what);
    }
    let lines: usize = kept.iter().map(|&index| groups[index].recs.len()).sum();
    let Some(rest) = allowance.checked_sub(lines) else {
        let what = "preserves more messages, with those before it, than the file has lines; they were left out";
        file.report(boundary, SessionProblemCode::MissingPreserved, what);
        return Vec::new();
    };
    *allowance = rest;
    kept.into_iter().map(|index| index as u32).collect()
}

/// Groups the lines of a window into messages: lines of one answer into one, the results of its
/// calls into one right after it, all others on their own.
fn group(file: &File<'_>, members: &[At], beside: &mut Beside) -> Vec<Group> {
    let mut answers = Answers::gather(file, members);
    answers.attach_results(file, members);
    answers.attach_beside(file, beside);
    answers.emit(file, members)
}

/// The answers of the model in a window, with the results of their calls.
#[derive(Default)]
struct Answers {
    lines: Vec<Vec<At>>,
    results: Vec<Vec<At>>,
    /// Answer of each assistant line, and of each result line that was attached.
    of: HashMap<At, usize>,
    /// Calls that have their result.
    answered: HashSet<(usize, Id)>,
}

impl Answers {
    fn gather(file: &File<'_>, members: &[At]) -> Answers {
        let mut answers = Answers::default();
        let mut by_id = HashMap::new();
        for &at in members {
            let rec = &file.recs[at];
            if rec.kind != Type::Assistant {
                continue;
            }
            let next = answers.lines.len();
            let index = answer(rec).map_or(next, |answer| *by_id.entry(answer).or_insert(next));
            if index == next {
                answers.lines.push(Vec::new());
            }
            answers.lines[index].push(at);
            answers.of.insert(at, index);
        }
        answers.lines.iter_mut().for_each(|lines| sort_by_key(lines, |at| *at));
        answers.results.resize(answers.lines.len(), Vec::new());
        answers
    }

    /// Results in the window go to the nearest answer before them that made their call.
    fn attach_results(&mut self, file: &File<'_>, members: &[At]) {
        let mut latest: HashMap<Id, usize> = HashMap::new();
        let mut reached = vec![false; self.lines.len()];
        for &at in members {
            if let Some(&index) = self.of.get(&at) {
                if !std::mem::replace(&mut reached[index], true) {
                    latest.extend(self.calls(file, index).map(|call| (call, index)));
                }
                continue;
            }
            let rec = &file.recs[at];
            let ids = || rec.blocks().iter().filter_map(|block| block.result);
            let answers = ids().filter_map(|id| Some((*latest.get(&id)?, id)));
            self.answered.extend(answers);
            let owner = ids().find_map(|id| latest.get(&id).copied());
            if let Some(index) = owner.filter(|_| rec.only_results()) {
                self.results[index].push(at);
                self.of.insert(at, index);
            }
        }
    }

    /// Results beside the path answer the calls that are still open.
    fn attach_beside(&mut self, file: &File<'_>, beside: &mut Beside) {
        for index in 0..self.lines.len() {
            for line in self.lines[index].clone() {
                for result in beside.results_of.remove(&line).unwrap_or_default() {
                    let ids: Vec<Id> = file.recs[result].blocks().iter().filter_map(|block| block.result).collect();
                    // Answered on the path: this one is of a branch that was left.
                    if ids.iter().any(|id| self.answered.contains(&(index, *id))) {
                        continue;
                    }
                    self.answered.extend(ids.into_iter().map(|id| (index, id)));
                    self.results[index].push(result);
                    beside.placed[result] = true;
                }
            }
        }
    }

    fn calls<'a>(&'a self, file: &'a File<'_>, index: usize) -> impl Iterator<Item = Id> + 'a {
        self.lines[index].iter().flat_map(|&at| file.recs[at].blocks()).filter_map(|block| block.call)
    }

    fn emit(mut self, file: &File<'_>, members: &[At]) -> Vec<Group> {
        let mut out: Vec<Group> = Vec::new();
        for &at in members {
            let rec = &file.recs[at];
            match self.of.get(&at) {
                Some(&index) if rec.kind == Type::Assistant => {
                    if self.lines[index].is_empty() {
                        continue;
                    }
                    let results = self.in_call_order(file, index);
                    out.push(Group { recs: std::mem::take(&mut self.lines[index]), ..Group::default() });
                    out.extend(results);
                }
                Some(_) => {}
                // Results without a call join the results before them.
                None if rec.only_results() => match out.last_mut().filter(|group| group.results) {
                    Some(group) => add_results(file, group, at),
                    None => out.push(Group { recs: vec![at], results: true, ..Group::default() }),
                },
                None => out.push(Group { recs: vec![at], ..Group::default() }),
            }
        }
        out
    }

    fn in_call_order(&self, file: &File<'_>, index: usize) -> Option<Group> {
        let results = &self.results[index];
        if results.len() < 2 {
            return results.first().map(|&at| Group { recs: vec![at], results: true, ..Group::default() });
        }
        let order: HashMap<Id, usize> = self.calls(file, index).enumerate().map(|(i, call)| (call, i)).collect();
        let blocks = |&at: &At| (0..file.recs[at].blocks().len()).map(move |block| (at, block));
        let mut block_order: Vec<(At, usize)> = results.iter().flat_map(blocks).collect();
        let rank = |&(at, block): &(At, usize)| {
            file.recs[at].blocks()[block].result.and_then(|id| order.get(&id)).copied().unwrap_or(usize::MAX)
        };
        sort_by_key(&mut block_order, rank);
        let mut seen = HashSet::new();
        let recs = block_order.iter().map(|(at, _)| *at).filter(|at| seen.insert(*at)).collect();
        Some(Group { recs, block_order, results: true })
    }
}

/// Adds a further line of results to a message of results.
fn add_results(file: &File<'_>, group: &mut Group, at: At) {
    if group.block_order.is_empty() {
        let first = group.recs[0];
        group.block_order = (0..file.recs[first].blocks().len()).map(|block| (first, block)).collect();
    }
    group.block_order.extend((0..file.recs[at].blocks().len()).map(|block| (at, block)));
    group.recs.push(at);
}
