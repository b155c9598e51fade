//! pi session files: JSONL, a header and then entries.
//!
//! Since version 2 the entries are a tree by `id` and `parentId`, and the newest entry is where the program goes on. Before,
//! they were a plain sequence, and a compaction named the first entry that it kept by its index, the header counted.
//!
//! What the model sees: from the latest compaction on the way to the newest entry its summary, the entries from the first one
//! that it kept, and those after it.

use super::found::{FoundFold, Windows};
use super::lines::{self, Record};
use super::native::{appended, copied, mark, members_by_line, newest, not_sayable, uuid, NativeFold};
use super::tree::{branch_id, Id, Ids, Tree};
use super::{
    bad_session, no_branch, Branch, Session, SessionKind, SessionMessage, SessionOptions, SessionProblem,
    SessionProblemCode, SessionReader, SkipCode, Skipped,
};
use crate::error::Result;
use crate::formats::Format;
use crate::json::{js_number, quote, Kind, Tape, Value};
use crate::message::{Provenance, Role};
use crate::time::parse_time;
use crate::usage::{count, Usage};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

pub(super) struct Pi;

impl SessionReader for Pi {
    fn write_fold(&self, bytes: &[u8], session: &Session<'_>, fold: &NativeFold<'_>) -> Result<Vec<u8>> {
        write_fold(bytes, session, fold)
    }

    fn recognises(&self, record: Value<'_>) -> bool {
        let is = |kind: &str| record.get("type").is_some_and(|name| name.is_str(kind));
        let header = is("session")
            && record.get_str("id").is_some()
            && (record.get("timestamp").is_some() || record.get("version").is_some());
        let role = record.get("message").and_then(|message| message.get_str("role"));
        let message = is("message") && role.is_some() && record.get("payload").is_none();
        let kept = record.get("firstKeptEntryId").or_else(|| record.get("firstKeptEntryIndex"));
        header || message || (is("compaction") && kept.is_some())
    }

    fn read<'s>(&self, bytes: &'s [u8], options: &SessionOptions<'_>) -> Result<Session<'s>> {
        let mut file = File::scan(bytes, options);
        if file.entries.iter().all(|entry| !entry.shows()) {
            return Err(bad_session("the file holds the header of a pi session, but no messages"));
        }
        let leaf = match options.branch {
            None => file.entries.len() - 1,
            Some(id) => file.chosen(id).ok_or_else(|| no_branch(id))?,
        };
        let branches = file.branches();
        let id = Some(file.branch_id(leaf));
        let path = file.path(leaf);
        let windows = file.windows(&path);
        let skipped = file.skipped(&path);
        let (kind, format) = (SessionKind::Pi, Format::Pi);
        let Windows { folds, window: messages, .. } = windows;
        Ok(Session {
            kind,
            format,
            messages,
            folds,
            branches,
            leaf: id,
            problems: file.problems,
            skipped,
            container: None,
        })
    }
}

/// What an entry says it continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parent {
    /// Nothing said: the entries are a plain sequence.
    Unsaid,
    Root,
    Entry(Id),
}

enum What {
    /// A message: `role` and the rest as the model's side of pi has it.
    Message {
        json: Range<usize>,
        role: Role,
        provenance: Provenance,
        usage: Option<Usage>,
    },
    /// An entry that pi turns into a message of its own.
    Made {
        json: Vec<u8>,
        provenance: Provenance,
    },
    Compaction {
        digest: Vec<u8>,
        first_kept: FirstKept,
        tokens_before: Option<u64>,
    },
    Skip(SkipCode),
}

#[derive(Clone, Copy)]
enum FirstKept {
    Entry(Id),
    /// Index into the entries, the header counted.
    Index(usize),
    None,
}

struct Entry<'s> {
    line: u32,
    text: &'s [u8],
    lossy: bool,
    id: Option<Id>,
    parent: Parent,
    what: What,
}

impl Entry<'_> {
    /// It is one of the messages, or stands for some.
    fn shows(&self) -> bool {
        !matches!(self.what, What::Skip(_))
    }
}

struct File<'s> {
    entries: Vec<Entry<'s>>,
    ids: Ids<'s>,
    by_id: HashMap<Id, usize>,
    /// Of each entry the one before it, headers apart.
    before: Vec<Option<usize>>,
    problems: Vec<SessionProblem>,
}

impl<'s> File<'s> {
    fn scan(bytes: &'s [u8], options: &SessionOptions<'_>) -> File<'s> {
        let (mut problems, mut notes) = (Vec::new(), Vec::new());
        let (mut ids, mut entries) = (Ids::default(), Vec::new());
        lines::each_record(bytes, usize::MAX, options.progress, &mut problems, |record| {
            entries.push(entry(&mut ids, &record, &mut notes));
        });
        problems.append(&mut notes);
        let mut last = None;
        let before = entries.iter().enumerate().map(|(at, entry): (usize, &Entry<'_>)| {
            let header = matches!(entry.what, What::Skip(SkipCode::Header));
            if header {
                last
            } else {
                last.replace(at)
            }
        });
        let before = before.collect();
        let mut file = File { entries, ids, by_id: HashMap::new(), before, problems };
        for at in 0..file.entries.len() {
            let Some(id) = file.entries[at].id else { continue };
            let first = *file.by_id.entry(id).or_insert(at);
            if first != at {
                // The program looks ids up in a table that the later one overwrites; the messages of both are in the file.
                file.by_id.insert(id, at);
                let line = file.entries[first].line;
                file.report(
                    at,
                    SessionProblemCode::DuplicateUuid,
                    format!("repeats the id of line {line}; this one counts"),
                );
            }
        }
        file
    }

    fn report(&mut self, at: usize, code: SessionProblemCode, what: impl AsRef<str>) {
        let line = self.entries[at].line;
        self.problems.push(SessionProblem { line, code, message: format!("line {line} {}", what.as_ref()) });
    }

    fn named(&self, id: &str) -> Option<usize> {
        self.ids.known(id).and_then(|id| self.by_id.get(&id)).copied()
    }

    /// The entry that a branch of [`File::branches`] ends with, or any other that has an id.
    fn chosen(&self, id: &str) -> Option<usize> {
        let numbered = || self.entries.iter().rposition(|entry| entry.shows() && id == format!("line-{}", entry.line));
        self.named(id).or_else(numbered)
    }

    /// The entry before this one, headers apart.
    fn earlier(&self, at: usize) -> Option<usize> {
        self.before[at]
    }

    fn parent(&self, at: usize) -> Option<usize> {
        match self.entries[at].parent {
            Parent::Root => None,
            Parent::Unsaid => self.earlier(at),
            Parent::Entry(id) => self.by_id.get(&id).copied().filter(|&parent| parent != at),
        }
    }

    fn branches(&self) -> Vec<Branch> {
        let parents: Vec<Option<usize>> = (0..self.entries.len()).map(|at| self.parent(at)).collect();
        let counts: Vec<bool> = self.entries.iter().map(Entry::shows).collect();
        let tree = Tree { parents, counts };
        let depths = tree.depths();
        let last = self.entries.len() - 1;
        // The newest entry may be none with a message: then the branch is that of the last one before it that has.
        let mut active = Some(last);
        let mut steps = 0;
        while let Some(at) = active.filter(|&at| !self.entries[at].shows() && steps <= last) {
            active = tree.parents[at];
            steps += 1;
        }
        let mut leaves = tree.leaves();
        // The program may have gone back without saying anything since: then the way to there is a branch as well.
        if let Some(at) = active.filter(|at| leaves.binary_search(at).is_err()) {
            leaves.insert(leaves.partition_point(|&leaf| leaf < at), at);
        }
        let branch = |at: usize| Branch {
            id: self.branch_id(at),
            line: self.entries[at].line,
            records: depths[at],
            active: active == Some(at),
            sidechain: false,
        };
        leaves.into_iter().map(branch).collect()
    }

    fn branch_id(&self, at: usize) -> String {
        let entry = &self.entries[at];
        let mut tape = Tape::new();
        branch_id(tape.parse(entry.text).ok().and_then(|value| value.get_str("id")), entry.line)
    }

    /// The way to `leaf`, from the beginning.
    fn path(&mut self, leaf: usize) -> Vec<usize> {
        let mut visited = vec![false; self.entries.len()];
        let mut path = Vec::new();
        let mut next = Some(leaf);
        while let Some(at) = next {
            visited[at] = true;
            if !matches!(self.entries[at].what, What::Skip(SkipCode::Header)) {
                path.push(at);
            }
            next = self.parent(at);
            let lost = next.is_none() && matches!(self.entries[at].parent, Parent::Entry(_));
            let circle = next.is_some_and(|parent| visited[parent]);
            if !(lost || circle) {
                continue;
            }
            next = self.earlier(at).filter(|&before| !visited[before]);
            let (code, what) = match circle {
                true => (SessionProblemCode::ParentLoop, "continues an entry that continues it"),
                false => (SessionProblemCode::MissingParent, "continues an entry that is not in the file"),
            };
            let instead = match next {
                Some(before) => format!("line {} was taken instead", self.entries[before].line),
                None => "the conversation starts here".into(),
            };
            self.report(at, code, format!("{what}; {instead}"));
        }
        path.reverse();
        path
    }

    fn windows(&mut self, path: &[usize]) -> Windows<'s> {
        let mut windows = Windows::new(self.entries.len());
        // For each message of the window, the place of its entry on the path.
        let mut places: Vec<usize> = Vec::new();
        let on_path: HashMap<usize, usize> = path.iter().enumerate().map(|(place, &at)| (at, place)).collect();
        for (place, &at) in path.iter().enumerate() {
            let What::Compaction { digest, first_kept, tokens_before } = &self.entries[at].what else {
                if let Some(message) = self.message(at) {
                    windows.window.push(message);
                    places.push(place);
                }
                continue;
            };
            let first = match *first_kept {
                FirstKept::Entry(id) => self.by_id.get(&id).and_then(|at| on_path.get(at)).copied(),
                // In a plain sequence each entry is on the path.
                // The header is no entry to keep from.
                FirstKept::Index(index) => {
                    let header =
                        self.entries.get(index).is_none_or(|entry| matches!(entry.what, What::Skip(SkipCode::Header)));
                    (!header).then(|| path.partition_point(|&at| at < index))
                }
                FirstKept::None => None,
            };
            let names = !matches!(first_kept, FirstKept::None);
            let first = first.filter(|&first| first < place);
            let stays =
                |&i: &usize| first.is_some_and(|first| places[i] >= first) && !self.is_compaction(path[places[i]]);
            let kept: Vec<u32> = (0..places.len()).filter(stays).map(|index| index as u32).collect();
            let entry = &self.entries[at];
            let message = self.made(entry, digest, Provenance::Summary);
            let fold = FoundFold {
                line: entry.line,
                tokens_before: *tokens_before,
                digest: vec![message],
                ..FoundFold::default()
            };
            let before = std::mem::take(&mut places);
            places.push(place);
            if windows.fold(fold, kept.clone()) {
                places.extend(kept.iter().map(|&index| before[index as usize]));
            } else {
                let what =
                    "keeps more messages, with the compactions before it, than a file can mean; they were left out";
                self.report(at, SessionProblemCode::MissingPreserved, what);
            }
            if names && first.is_none() {
                let what = "keeps messages from an entry on that is not on the way to it; none were kept";
                self.report(at, SessionProblemCode::MissingPreserved, what);
            }
        }
        windows
    }

    fn is_compaction(&self, at: usize) -> bool {
        matches!(self.entries[at].what, What::Compaction { .. })
    }

    fn message(&self, at: usize) -> Option<SessionMessage<'s>> {
        let entry = &self.entries[at];
        match &entry.what {
            What::Message { json, role, provenance, usage } => Some(SessionMessage {
                json: lines::clean(Cow::Borrowed(&entry.text[json.clone()]), entry.lossy),
                lines: vec![entry.line],
                role: *role,
                provenance: *provenance,
                usage: *usage,
            }),
            What::Made { json, provenance } => Some(self.made(entry, json, *provenance)),
            What::Compaction { .. } | What::Skip(_) => None,
        }
    }

    fn made(&self, entry: &Entry<'s>, json: &[u8], provenance: Provenance) -> SessionMessage<'s> {
        let json = lines::clean(Cow::Owned(json.to_vec()), entry.lossy);
        SessionMessage { json, lines: vec![entry.line], role: Role::User, provenance, usage: None }
    }

    fn skipped(&self, path: &[usize]) -> Vec<Skipped> {
        let mut taken = vec![false; self.entries.len()];
        path.iter().for_each(|&at| taken[at] = true);
        let code = |(at, entry): (usize, &Entry<'_>)| match entry.what {
            What::Skip(code) => Some(Skipped { line: entry.line, code }),
            _ if taken[at] => None,
            _ => Some(Skipped { line: entry.line, code: SkipCode::OtherBranch }),
        };
        self.entries.iter().enumerate().filter_map(code).collect()
    }
}

fn entry<'s>(ids: &mut Ids<'s>, record: &Record<'s, '_>, notes: &mut Vec<SessionProblem>) -> Entry<'s> {
    let (text, value) = (record.text, record.value);
    let parent = match value.get("parentId") {
        None => Parent::Unsaid,
        Some(parent) => ids.of(text, parent).map_or(Parent::Root, Parent::Entry),
    };
    let id = value.get("id").and_then(|id| ids.of(text, id));
    let what = what(ids, text, value).unwrap_or_else(|fault| {
        let message = format!("line {} {fault}; it was skipped", record.line);
        notes.push(SessionProblem { line: record.line, code: SessionProblemCode::NotAMessage, message });
        What::Skip(SkipCode::Unreadable)
    });
    Entry { line: record.line, text, lossy: record.lossy, id, parent, what }
}

fn what<'s>(ids: &mut Ids<'s>, text: &'s [u8], value: Value<'_>) -> std::result::Result<What, &'static str> {
    if value.kind() != Kind::Object {
        return Err("is no JSON object");
    }
    let kind = value.get_str("type").map(Value::text_lossy).unwrap_or_default();
    let raw = |key: &str| value.get(key).map(Value::raw);
    Ok(match &*kind {
        "message" => {
            let message = value.get("message").filter(|message| message.get_str("role").is_some());
            let message = message.ok_or("has no message with a role")?;
            let reader = Format::Pi.reader();
            let (role, provenance) = (reader.role(message), reader.provenance(message));
            What::Message { json: message.span(), role, provenance, usage: usage(message) }
        }
        "compaction" => {
            let summary = value.get_str("summary").ok_or("marks a compaction without a summary")?;
            let index = value.get("firstKeptEntryIndex").and_then(Value::as_f64).filter(|index| *index >= 0.0);
            let first = value.get("firstKeptEntryId").and_then(|id| ids.of(text, id));
            let members: [(&str, Option<&[u8]>); 2] =
                [("summary", Some(summary.raw())), ("tokensBefore", raw("tokensBefore"))];
            What::Compaction {
                digest: made("compactionSummary", &members, value),
                first_kept: match (first, index) {
                    (Some(id), _) => FirstKept::Entry(id),
                    (None, Some(index)) => FirstKept::Index(index as usize),
                    (None, None) => FirstKept::None,
                },
                tokens_before: count(value.get("tokensBefore")),
            }
        }
        "branch_summary" => {
            let summary = value.get_str("summary").ok_or("marks a branch without a summary")?;
            let members: [(&str, Option<&[u8]>); 2] = [("summary", Some(summary.raw())), ("fromId", raw("fromId"))];
            // Without words there is nothing that the model would be told.
            match summary.raw().len() > 2 {
                true => What::Made { json: made("branchSummary", &members, value), provenance: Provenance::Injected },
                false => What::Skip(SkipCode::SystemNote),
            }
        }
        "custom_message" => {
            let content = value.get("content").filter(|content| matches!(content.kind(), Kind::String | Kind::Array));
            content.ok_or("has no content")?;
            let members = ["customType", "content", "display", "details"].map(|key| (key, raw(key)));
            What::Made { json: made("custom", &members, value), provenance: Provenance::Injected }
        }
        "session" => What::Skip(SkipCode::Header),
        "session_info" | "label" => What::Skip(SkipCode::Title),
        "model_change" | "thinking_level_change" => What::Skip(SkipCode::Setting),
        "custom" => What::Skip(SkipCode::SystemNote),
        _ => What::Skip(SkipCode::UnknownType),
    })
}

/// A message as pi makes it of an entry: the role, members of the entry as they are written, the time in milliseconds.
fn made(role: &str, members: &[(&str, Option<&[u8]>)], entry: Value<'_>) -> Vec<u8> {
    let mut out = format!(r#"{{"role":"{role}""#).into_bytes();
    for (key, raw) in members.iter().filter_map(|(key, raw)| Some((key, (*raw)?))) {
        out.extend_from_slice(format!(r#","{key}":"#).as_bytes());
        out.extend_from_slice(raw);
    }
    let time = entry.get_str("timestamp").and_then(Value::text).map(|text| parse_time(&text));
    if let Some(time) = time.filter(|time| time.is_finite()) {
        out.extend_from_slice(format!(r#","timestamp":{}"#, js_number(time)).as_bytes());
    }
    out.push(b'}');
    out
}

fn usage(message: Value<'_>) -> Option<Usage> {
    let usage = message.get("usage")?;
    let of = |key: &str| count(usage.get(key));
    Usage::apart(of("input"), of("output"), of("cacheRead"), of("cacheWrite"))
}

/// A compaction entry behind the newest one. What it keeps is named by its first entry: a run up to the end, nothing else.
fn write_fold(bytes: &[u8], session: &Session<'_>, fold: &NativeFold<'_>) -> Result<Vec<u8>> {
    let first = session.messages.get(fold.kept_from as usize).filter(|_| fold.keeps_only_tail());
    let Some(line) = first.and_then(|first| first.lines.first()) else {
        let what = "a pi session keeps one run of messages up to its end, and this plan keeps others; plan without pins, anchors and prefix";
        return Err(not_sayable(what));
    };
    let ids = members_by_line(bytes, "id");
    let leaf = newest(bytes, |record| match &session.leaf {
        Some(id) if !id.starts_with("line-") => record.get_str("id").is_some_and(|own| own.is_str(id)),
        _ => !record.get("type").is_some_and(|kind| kind.is_str("session")),
    });
    let time = leaf.map(|record| copied(record, &["timestamp"])).unwrap_or_default();
    let summary = format!(r#""summary":{},"tokensBefore":{}"#, quote(fold.summary), fold.tokens_before);
    let details = format!(r#""details":{{"readFiles":[],"modifiedFiles":[],{}}}"#, mark(bytes, 1));
    let mut tape = Tape::new();
    let parent = leaf.and_then(|record| Some(tape.parse(record).ok()?.get_str("id")?.text_lossy().into_owned()));
    let record = match (ids.get(line), parent) {
        (Some(first), Some(parent)) => {
            let id = &uuid(bytes, "compaction")[..8];
            let tree = format!(r#""id":"{id}","parentId":{},"firstKeptEntryId":{}"#, quote(&parent), quote(first));
            format!(r#"{{"type":"compaction",{tree}{time},{summary},{details}}}"#)
        }
        _ => {
            // The older form counts entries, the header included.
            let mut index = 0;
            lines::each_record(bytes, usize::MAX, None, &mut Vec::new(), |record| {
                index += u32::from(record.line < *line)
            });
            format!(r#"{{"type":"compaction"{time},{summary},"firstKeptEntryIndex":{index},{details}}}"#)
        }
    };
    Ok(appended(bytes, &[record]))
}
