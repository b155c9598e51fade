//! Whole files: a session folded into a conversation file and a ledger file, and back.
//!
//! Messages are copied byte for byte, so 19-digit ids, `1.0` and key order survive. The conversation
//! file is a JSON array with one message a line; the ledger file is what `Ledger.toJSON` gives, and
//! holds the source as well, so that a file which was only folded comes back to the last byte.

mod stored;

use crate::cuts::Boundaries;
use crate::deterministic::{self, DigestOptions};
use crate::digest;
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::formats::Format;
use crate::json::{quote, Kind, Tape};
use crate::ledger::{unfold_all, DigestPrint, FoldRecord, Origin, Record};
use crate::message::{Part, Provenance, Role};
use crate::outline::{Outline, Reading};
use crate::pinned;
use crate::plan::{plan_within, FoldPlan, Plan, PlanOptions};
use crate::session::{
    before_fold, ledger_folds, read_session, read_session_with, Branch, FoundFold, LedgerFold, NativeFold, Session,
    SessionKind, SessionMessage, SessionOptions, SessionProblem, Usage,
};
use crate::summarize::{self, SummarizeOptions, SummarizeRequest};
use crate::window::{explain, measure, slots, Fate, Slot, Span, FILLER};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use stored::{Stored, StoredLedger};

/// Where the text of a digest came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A summarizer wrote it.
    Summarized,
    /// Rules wrote it, from the folded span.
    Deterministic,
    /// Nothing folded.
    Unchanged,
}

/// Messages and tokens that met the same fate for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct FateRow {
    /// What happened to them.
    pub fate: Fate,
    /// Why.
    pub reason: String,
    /// How many messages.
    pub messages: u32,
    /// What they cost.
    #[cfg_attr(test, ts(type = "number"))]
    pub tokens: u64,
}

/// What a fold of a file did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct FoldReport {
    /// Kind of the file.
    pub kind: SessionKind,
    /// Format of its messages, by name.
    pub format: String,
    /// Where the digest came from.
    pub outcome: Outcome,
    /// Why nothing folded, if nothing did: a reason of the planner, or `no-gain`.
    pub reason: Option<String>,
    /// Messages before.
    pub messages_before: u32,
    /// Messages after, the digest included.
    pub messages_after: u32,
    /// Tokens before.
    #[cfg_attr(test, ts(type = "number"))]
    pub tokens_before: u64,
    /// Tokens after, the digest with its frame included.
    #[cfg_attr(test, ts(type = "number"))]
    pub tokens_after: u64,
    /// Tokens of the tail.
    #[cfg_attr(test, ts(type = "number"))]
    pub tail_tokens: u64,
    /// The smallest legal tail is larger than the budget.
    pub over_budget: bool,
    /// Ids of calls that wait for their result.
    pub pending: Vec<String>,
    /// What became of the messages, and why.
    pub fates: Vec<FateRow>,
    /// Folds in the ledger, those found in the file included.
    pub folds: u32,
    /// What was wrong in the file.
    pub problems: Vec<SessionProblem>,
}

/// The files that a fold makes, and its report.
#[derive(Debug, Clone)]
pub struct Folded {
    /// The folded conversation; absent when nothing folded, or a session was wanted.
    pub conversation: Option<String>,
    /// The session file with the fold in it; absent when nothing folded, or it was not wanted.
    pub session: Option<Vec<u8>>,
    /// Its ledger; absent when nothing folded, and where the session file itself holds what was folded.
    pub ledger: Option<String>,
    /// What was done.
    pub report: FoldReport,
}

/// A file about to be folded.
struct Job<'s> {
    session: Session<'s>,
    outline: Outline,
    boundaries: Boundaries,
    prints: Vec<Fingerprint>,
    provenance: Vec<(u32, Provenance)>,
    /// What was done so far: the ledger that came with the file, else the folds of the file itself.
    ledger: StoredLedger,
    /// No ledger came with the file: it is itself the source.
    fresh: bool,
}

impl<'s> Job<'s> {
    fn new(source: &'s [u8], ledger: Option<&[u8]>, branch: Option<&str>) -> Result<Job<'s>> {
        let session = read_session_with(source, &SessionOptions { branch, progress: None })?;
        let prints = prints(&session.messages)?;
        let fresh = ledger.is_none();
        let mut ledger = match ledger {
            Some(bytes) => StoredLedger::read(bytes)?,
            None => StoredLedger::of(found_folds(&session)?),
        };
        // The source in the ledger is the whole file only as long as nothing came after the fold.
        ledger.source = ledger.source.take().filter(|_| ledger.is_of(source));
        let written = |fold: &'_ FoldRecord| -> Vec<String> {
            let fillers = fold.fillers.iter().map(|filler| filler.fingerprint.clone());
            fold.digest.iter().cloned().chain(fillers).collect()
        };
        let digests: HashSet<String> = ledger.folds().flat_map(written).collect();
        let provenance: Vec<(u32, Provenance)> = session
            .messages
            .iter()
            .zip(&prints)
            .enumerate()
            .filter_map(|(index, (message, print))| {
                let known = digests.contains(&print.to_string());
                let provenance = if known { Provenance::Summary } else { message.provenance };
                (provenance != Provenance::Plain).then_some((index as u32, provenance))
            })
            .collect();
        let texts = texts(&session.messages);
        let reading = Reading { format: Some(session.format), provenance: &provenance, ..Reading::default() };
        let outline = Outline::read(&texts, reading)?;
        let boundaries = Boundaries::of(&outline);
        Ok(Job { outline, boundaries, prints, provenance, ledger, fresh, session })
    }

    fn known(&self, index: usize) -> Option<Provenance> {
        let place = self.provenance.binary_search_by_key(&(index as u32), |(index, _)| *index).ok()?;
        Some(self.provenance[place].1)
    }

    fn unchanged(&self, reason: String, pending: Vec<String>) -> Folded {
        let count = self.outline.len() as u32;
        let tokens = self.outline.tokens(0..self.outline.len());
        let report = FoldReport {
            kind: self.session.kind,
            format: self.session.format.name().into(),
            outcome: Outcome::Unchanged,
            reason: Some(reason),
            messages_before: count,
            messages_after: count,
            tokens_before: tokens,
            tokens_after: tokens,
            tail_tokens: tokens,
            over_budget: false,
            pending,
            fates: Vec::new(),
            folds: self.ledger.folds().count() as u32,
            problems: self.session.problems.clone(),
        };
        Folded { conversation: None, session: None, ledger: None, report }
    }
}

/// How a file is folded.
#[derive(Debug, Clone, Copy)]
pub struct FileOptions<'o> {
    /// What the plan is asked for.
    pub plan: &'o PlanOptions,
    /// The ledger that came with the file, when it was folded before.
    pub ledger: Option<&'o [u8]>,
    /// A summary from a model; the deterministic digest without.
    pub summary: Option<&'o str>,
    /// The branch of the file to fold; the active one by default.
    pub branch: Option<&'o str>,
}

impl<'o> FileOptions<'o> {
    /// A plan, all else by default.
    pub fn plan(plan: &'o PlanOptions) -> Self {
        FileOptions { plan, ledger: None, summary: None, branch: None }
    }
}

/// The request that a summarizer would get for a file; `None` when nothing folds.
///
/// # Errors
/// [`ErrorCode::BadSession`], [`ErrorCode::BadLedger`], and those of [`crate::plan::plan`].
pub fn request(
    source: &[u8],
    options: &FileOptions<'_>,
    summarize: &SummarizeOptions,
) -> Result<Option<SummarizeRequest>> {
    let job = Job::new(source, options.ledger, options.branch)?;
    let Plan::Fold(fold) = plan_within(&job.outline, &job.boundaries, options.plan)? else { return Ok(None) };
    let texts = texts(&job.session.messages);
    summarize::request(&texts, job.session.format, &Span::of(&fold), &|i| job.known(i), summarize).map(Some)
}

/// Folds a file: plans, takes the summary (or makes the deterministic digest), and writes the folded
/// conversation and its ledger.
///
/// ```
/// use plica::{document::{fold, FileOptions}, plan::PlanOptions};
/// let long = "word ".repeat(400);
/// let file = format!(r#"[{{"role":"user","content":"{long}"}},{{"role":"assistant","content":"{long}"}},{{"role":"user","content":"go on"}}]"#);
/// let folded = fold(file.as_bytes(), &FileOptions::plan(&PlanOptions::tail_budget(100.0))).unwrap();
/// let back = plica::document::unfold_file(folded.conversation.unwrap().as_bytes(), folded.ledger.unwrap().as_bytes()).unwrap();
/// assert_eq!(back.bytes, file.as_bytes());
/// ```
///
/// # Errors
/// [`ErrorCode::BadSession`], [`ErrorCode::BadLedger`], [`ErrorCode::EmptySummary`], [`ErrorCode::BadArgument`] for a branch that the
/// file lacks, and those of [`crate::plan::plan`].
pub fn fold(source: &[u8], options: &FileOptions<'_>) -> Result<Folded> {
    fold_job(source, options, |_, window, _| Ok((Some(write_conversation(window)), None)))
}

/// Folds a session file into one of the same kind, with the fold as the file's own program would have written it: the
/// program goes on from there. What only grows holds its originals itself, and needs no ledger.
///
/// # Errors
/// As [`fold`]; [`ErrorCode::BadArgument`] for a kind of file that is not written; [`ErrorCode::BadPlan`] for a fold that the
/// file has no way to say.
pub fn fold_session(source: &[u8], options: &FileOptions<'_>) -> Result<Folded> {
    fold_job(source, options, |job, _, fold| {
        let session = job.session.kind.reader().write_fold(source, &job.session, fold)?;
        if !job.session.problems.is_empty() && !says(&session, job, fold) {
            let what = "the file is damaged where the fold would have to say what stays; leave out native to get the folded messages";
            return Err(Error::new(ErrorCode::BadPlan, what));
        }
        Ok((None, Some(session)))
    })
}

/// Whether a file that a fold was written into is read as the window that was planned. In a damaged one it may not: records on
/// one line share its number, and what is appended may heal or hide what was broken.
fn says(written: &[u8], job: &Job<'_>, fold: &NativeFold<'_>) -> bool {
    let tail = job.session.messages.len() - fold.kept_from as usize;
    let Ok(after) = read_session(written) else { return false };
    let same = |(message, planned): (&SessionMessage<'_>, &&[u8])| message.json.as_ref() == *planned;
    let pairs = after.messages.iter().zip(&fold.window);
    after.kind == job.session.kind && after.messages.len() == fold.window.len() && pairs.rev().take(tail).all(same)
}

/// Writes a fold: the conversation, or the session.
type Written = (Option<String>, Option<Vec<u8>>);

fn fold_job(
    source: &[u8],
    FileOptions { plan: options, ledger, summary, branch }: &FileOptions<'_>,
    write: impl FnOnce(&Job<'_>, &[Cow<'_, [u8]>], &NativeFold<'_>) -> Result<Written>,
) -> Result<Folded> {
    let mut job = Job::new(source, *ledger, *branch)?;
    let fold = match plan_within(&job.outline, &job.boundaries, options)? {
        Plan::Fold(fold) => fold,
        Plan::None(none) => return Ok(job.unchanged(none.reason.name().into(), none.pending)),
    };
    let span = Span::of(&fold);
    let messages = texts(&job.session.messages);
    let text = match summary {
        Some(summary) => (*summary).to_string(),
        None => {
            deterministic::digest(&messages, job.session.format, &span, &|i| job.known(i), &DigestOptions::default())?
        }
    };
    let format = job.session.format;
    let mut tape = Tape::new();
    let like = messages.first().and_then(|message| tape.parse(message).ok());
    let digest = digest::messages(&text, format, like)?;
    let roles: Vec<Role> = digest.iter().map(|message| role_of(message, format)).collect();
    let written = |side| format.reader().note(side, FILLER).into_bytes();
    let window: Vec<Cow<'_, [u8]>> = slots(&job.outline, &job.boundaries, &span, &roles)
        .into_iter()
        .flat_map(|slot| match slot {
            Slot::Message(index) => vec![Cow::Borrowed(messages[index as usize])],
            Slot::Digest => digest.iter().map(|message| Cow::Borrowed(message.as_bytes())).collect(),
            Slot::Filler(side) => vec![Cow::Owned(written(side))],
        })
        .collect();
    let report = report(&job, &fold, &span, &window, summary.is_some())?;
    if report.tokens_after >= report.tokens_before {
        return Ok(job.unchanged("no-gain".into(), fold.pending));
    }
    let native = NativeFold {
        stays: staying(&span, messages.len()),
        prefix_end: fold.prefix_end,
        kept_from: fold.kept_from,
        window: window.iter().map(AsRef::as_ref).collect(),
        digest: &digest,
        summary: &text,
        tokens_before: report.tokens_before,
        tokens_after: report.tokens_after,
    };
    let (conversation, session) = write(&job, &window, &native)?;
    let report = FoldReport { folds: job.ledger.folds().count() as u32 + 1, ..report };
    let held = session.is_some() && job.session.container.is_none();
    let ledger = match session.as_deref().or(conversation.as_deref().map(str::as_bytes)).filter(|_| !held) {
        None => None,
        Some(written) => {
            let new = stored_fold_of(&job, &span, &digest, &roles, summary.is_some(), &report)?;
            if job.fresh {
                job.ledger.source = Some(source_member(&job.session, source));
            }
            job.ledger.records.push(new);
            Some(job.ledger.write(written))
        }
    };
    Ok(Folded { conversation, session, ledger, report })
}

/// A fold that was just made, for the ledger.
fn stored_fold_of(
    job: &Job<'_>,
    span: &Span,
    digest: &[String],
    roles: &[Role],
    summarized: bool,
    report: &FoldReport,
) -> Result<Stored> {
    let digest_prints: Vec<DigestPrint> = digest
        .iter()
        .zip(roles)
        .map(|(message, role)| Ok(DigestPrint { fingerprint: message_print(message.as_bytes())?, role: *role }))
        .collect::<Result<_>>()?;
    let record = FoldRecord::new(&job.outline, &job.boundaries, span, &job.prints, &digest_prints)?;
    let text = |index: usize| String::from_utf8_lossy(&job.session.messages[index].json).into_owned();
    let originals = span.folded().map(text).collect();
    let notes = format!(
        r#","outcome":"{}","tokens":{{"before":{},"after":{}}}"#,
        if summarized { "summarized" } else { "deterministic" },
        report.tokens_before,
        report.tokens_after
    );
    Ok(Stored::fold(record, originals, notes))
}

/// The messages that a fold leaves as they are.
fn staying(span: &Span, count: usize) -> Vec<u32> {
    let mut folded = span.folded().peekable();
    (0..count).filter(|index| folded.next_if_eq(index).is_none()).map(|index| index as u32).collect()
}

fn report(
    job: &Job<'_>,
    fold: &FoldPlan,
    span: &Span,
    window: &[Cow<'_, [u8]>],
    summarized: bool,
) -> Result<FoldReport> {
    let measured = measure(&job.outline, span)?;
    let after = Outline::read(window, Reading { format: Some(job.session.format), ..Reading::default() })?;
    let mut rows: BTreeMap<(Fate, &str), (u32, u64)> = BTreeMap::new();
    for explained in explain(&job.outline, &job.boundaries, span)? {
        let row = rows.entry((explained.fate, explained.reason)).or_default();
        row.0 += 1;
        row.1 += job.outline.shapes[explained.index as usize].tokens;
    }
    let fates = rows.into_iter().map(|((fate, reason), (messages, tokens))| FateRow {
        fate,
        reason: reason.into(),
        messages,
        tokens,
    });
    Ok(FoldReport {
        kind: job.session.kind,
        format: job.session.format.name().into(),
        outcome: if summarized { Outcome::Summarized } else { Outcome::Deterministic },
        reason: None,
        messages_before: job.outline.len() as u32,
        messages_after: after.len() as u32,
        tokens_before: measured.total,
        tokens_after: after.tokens(0..after.len()),
        tail_tokens: measured.tail,
        over_budget: fold.over_budget,
        pending: fold.pending.clone(),
        fates: fates.collect(),
        folds: 0,
        problems: job.session.problems.clone(),
    })
}

fn texts<'m>(messages: &'m [SessionMessage<'_>]) -> Vec<&'m [u8]> {
    messages.iter().map(|message| message.json.as_ref()).collect()
}

fn message_print(message: &[u8]) -> Result<Fingerprint> {
    let mut tape = Tape::new();
    let value = tape.parse(message).map_err(|error| Error::new(ErrorCode::BadMessage, error.to_string()))?;
    Ok(fingerprint::message(value, None))
}

fn prints(messages: &[SessionMessage<'_>]) -> Result<Vec<Fingerprint>> {
    messages.iter().map(|message| message_print(&message.json)).collect()
}

/// The folds that the file's own program made, as folds of the ledger.
fn found_folds(session: &Session<'_>) -> Result<Vec<Stored>> {
    let stored = |(fold, ledger): (&FoundFold<'_>, LedgerFold)| {
        let text = |index: u32| String::from_utf8_lossy(&fold.originals[index as usize].json).into_owned();
        let originals = ledger.folded.into_iter().map(text).collect();
        let notes = format!(r#","outcome":"found","madeBy":"{}","line":{}"#, session.kind.name(), fold.line);
        Stored::fold(ledger.record, originals, notes)
    };
    Ok(session.folds.iter().zip(ledger_folds(session)?).map(stored).collect())
}

/// The source as members of the ledger: text where it is UTF-8, base64 where it is not.
fn source_member(session: &Session<'_>, source: &[u8]) -> String {
    let hash = blake3::hash(source).to_hex();
    let content = match std::str::from_utf8(source) {
        Ok(text) => format!(r#""text":{}"#, quote(text)),
        Err(_) => format!(r#""base64":"{}""#, base64(source)),
    };
    format!(r#"{{"kind":"{}","bytes":{},"blake3":"{hash}",{content}}}"#, session.kind.name(), source.len())
}

fn role_of(message: &str, format: Format) -> Role {
    let mut tape = Tape::new();
    tape.parse(message.as_bytes()).map_or(Role::User, |message| format.reader().role(message))
}

fn write_conversation<T: AsRef<[u8]>>(window: &[T]) -> String {
    let mut out = String::from("[\n");
    for (index, message) in window.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ",\n" });
        out.push_str(&String::from_utf8_lossy(message.as_ref()));
    }
    out.push_str("\n]\n");
    out
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// What unfolding a file gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfolded {
    /// The file as it was, or, when messages came after the fold, the whole conversation as a JSON array.
    pub bytes: Vec<u8>,
    /// The source file came back byte for byte.
    pub exact: bool,
    /// Messages of the whole conversation.
    pub messages: u32,
}

/// Undoes all folds of a conversation file.
///
/// A conversation that is still as the fold left it gives back the source file, byte for byte; one that
/// went on gives the whole conversation: every original, byte for byte, and what was appended.
///
/// # Errors
/// [`ErrorCode::BadSession`], [`ErrorCode::BadLedger`], [`ErrorCode::LedgerAltered`],
/// [`ErrorCode::DigestMissing`], [`ErrorCode::OriginalsMissing`].
pub fn unfold_file(conversation: &[u8], ledger: &[u8]) -> Result<Unfolded> {
    let stored = StoredLedger::read(ledger)?;
    let source = stored.source.as_deref().filter(|_| stored.is_of(conversation)).map(source_bytes).transpose()?;
    unfold_with(&read_session(conversation)?, &stored, source)
}

/// Undoes the folds that a session file itself holds the originals of. A fold of [`fold_session`] that nothing followed is taken
/// off again, to the byte; else it is the whole conversation.
///
/// # Errors
/// [`ErrorCode::BadSession`], [`ErrorCode::DigestMissing`].
pub fn unfold_session(session: &[u8]) -> Result<Unfolded> {
    let read = read_session(session)?;
    let mut source = before_fold(session);
    // Of several folds each is behind the one before.
    while let Some(before) = source.and_then(before_fold) {
        source = Some(before);
    }
    unfold_with(&read, &StoredLedger::of(found_folds(&read)?), source.map(<[u8]>::to_vec))
}

fn unfold_with(session: &Session<'_>, ledger: &StoredLedger, source: Option<Vec<u8>>) -> Result<Unfolded> {
    let records: Vec<Record> = ledger.records.iter().map(|stored| stored.record.clone()).collect();
    let prints = prints(&session.messages)?;
    let origins = unfold_all(&records, &prints);
    if let Some(bytes) = source {
        // The source is at hand, whatever its own folds have become.
        let messages = origins.map_or(session.messages.len(), |origins| origins.len()) as u32;
        return Ok(Unfolded { bytes, exact: true, messages });
    }
    let placed = placed_in(session, &prints, ledger)?;
    let mut whole: Vec<&[u8]> = Vec::new();
    for origin in origins? {
        match origin {
            Origin::Window(index) if placed.contains(&index) => {}
            Origin::Window(index) => whole.push(session.messages[index as usize].json.as_ref()),
            Origin::Fold { fold, index } => whole.push(original(&ledger.records[fold as usize], fold, index)?),
        }
    }
    ledger.restore(&mut whole)?;
    let messages = whole.len() as u32;
    Ok(Unfolded { bytes: write_conversation(&whole).into_bytes(), exact: false, messages })
}

/// The pinned messages of the window that the ledger put there: they are none of the conversation.
fn placed_in(session: &Session<'_>, prints: &[Fingerprint], ledger: &StoredLedger) -> Result<HashSet<u32>> {
    if ledger.placed.is_empty() {
        return Ok(HashSet::new());
    }
    let reading = Reading { format: Some(session.format), ..Reading::default() };
    let outline = Outline::read(&texts(&session.messages), reading)?;
    let now = pinned::place(&outline).now.into_iter();
    Ok(now.filter(|index| ledger.placed.contains(&prints[*index as usize].to_string())).collect())
}

fn original(stored: &Stored, number: u32, index: u32) -> Result<&[u8]> {
    let held = stored.originals.as_ref().and_then(|originals| originals.get(index as usize));
    let text = held.ok_or_else(|| {
        let what = format!("the originals of record {} are not in the ledger", number + 1);
        Error::new(ErrorCode::OriginalsMissing, what)
    })?;
    Ok(text.as_bytes())
}

fn source_bytes(member: &str) -> Result<Vec<u8>> {
    let bad = |what: &str| Error::new(ErrorCode::BadLedger, what);
    let mut tape = Tape::new();
    let source = tape.parse(member.as_bytes()).map_err(|_| bad("the source in the ledger is no JSON"))?;
    let bytes = match (source.get_str("text"), source.get_str("base64")) {
        (Some(text), _) => text.text().unwrap_or_default().into_owned(),
        (_, Some(text)) => {
            from_base64(&text.text_lossy()).ok_or_else(|| bad("the source in the ledger is no base64"))?
        }
        _ => return Err(bad("the source in the ledger has no content")),
    };
    if !source.get("blake3").is_some_and(|hash| hash.is_str(&blake3::hash(&bytes).to_hex())) {
        return Err(Error::new(ErrorCode::LedgerAltered, "the source in the ledger is not what was folded"));
    }
    Ok(bytes)
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().enumerate().fold(0u32, |word, (i, &b)| word | u32::from(b) << (16 - 8 * i));
        for i in 0..4 {
            out.push(if i <= chunk.len() { char::from(BASE64[(word >> (18 - 6 * i) & 63) as usize]) } else { '=' });
        }
    }
    out
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .trim_end_matches('=')
        .bytes()
        .map(|b| BASE64.iter().position(|d| *d == b).map(|p| p as u32))
        .collect::<Option<_>>()?;
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let word = chunk.iter().enumerate().fold(0u32, |word, (i, d)| word | d << (18 - 6 * i));
        out.extend((0..chunk.len() - 1).map(|i| (word >> (16 - 8 * i)) as u8));
    }
    Some(out)
}

/// A fold that a file holds already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct FoundFoldReport {
    /// The line that marks it.
    pub line: u32,
    /// What set it off, in the file's words.
    pub trigger: Option<String>,
    /// Tokens before it, as the file says.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub tokens_before: Option<u64>,
    /// Messages that it replaced and that the file still holds.
    pub originals: u32,
    /// Messages of them that stayed verbatim.
    pub kept: u32,
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// Kind of the file.
    pub kind: SessionKind,
    /// Format of its messages, by name.
    pub format: String,
    /// Messages in the current window.
    pub messages: u32,
    /// The same by role.
    pub roles: BTreeMap<String, u32>,
    /// Tokens of the current window.
    #[cfg_attr(test, ts(type = "number"))]
    pub tokens: u64,
    /// Tool calls in it.
    pub calls: u32,
    /// Tool results in it.
    pub results: u32,
    /// Ids of calls that wait for their result.
    pub pending: Vec<String>,
    /// Ids of calls that never got a result.
    pub unanswered: Vec<String>,
    /// Ids of results that answer no call.
    pub orphans: Vec<String>,
    /// Images and other media.
    pub media: u32,
    /// Signed reasoning parts.
    pub signed: u32,
    /// Messages in the whole conversation, folded ones included.
    pub all_messages: u32,
    /// Folds in the file, the oldest first.
    pub folds: Vec<FoundFoldReport>,
    /// Answers of the window for which the file has the provider's count.
    pub counted: u32,
    /// The latest of these counts.
    pub usage: Option<Usage>,
    /// The branches of the file.
    pub branches: Vec<Branch>,
    /// Records that are no messages of the conversation, by kind.
    pub skipped: BTreeMap<String, u32>,
    /// What was wrong, by line.
    pub problems: Vec<SessionProblem>,
}

/// Says what is in a file.
///
/// # Errors
/// [`ErrorCode::BadSession`].
pub fn inspect(source: &[u8], branch: Option<&str>) -> Result<Inspection> {
    let job = Job::new(source, None, branch)?;
    let outline = &job.outline;
    let mut roles = BTreeMap::new();
    for shape in &outline.shapes {
        // Results travel as user messages in some formats: for a reader they are results.
        let role = if shape.only_results { Role::Tool } else { shape.role };
        *roles.entry(role.name().to_string()).or_default() += 1;
    }
    let mut skipped = BTreeMap::new();
    for record in &job.session.skipped {
        *skipped.entry(record.code.name().to_string()).or_default() += 1;
    }
    let ids = |loose: &[crate::pairing::Loose]| loose.iter().map(|l| outline.ids.text(l.id)).collect();
    let calls = outline.links.iter().filter(|link| link.is_call()).count() as u32;
    let folded: usize = job.ledger.folds().map(|fold| fold.folded().len()).sum();
    // Each digest stands for what it folded and is no message of the conversation itself.
    let digests: usize = job.session.folds.iter().filter(|fold| !fold.is_gone()).map(|fold| fold.digest.len()).sum();
    Ok(Inspection {
        kind: job.session.kind,
        format: job.session.format.name().into(),
        messages: outline.len() as u32,
        roles,
        tokens: outline.tokens(0..outline.len()),
        calls,
        results: outline.links.len() as u32 - calls,
        pending: ids(&job.boundaries.pairing().pending()),
        unanswered: ids(&job.boundaries.pairing().abandoned()),
        orphans: ids(&job.boundaries.pairing().orphans),
        media: media(&job.session),
        signed: outline.shapes.iter().map(|shape| shape.signed).sum(),
        all_messages: (outline.len() + folded).saturating_sub(digests) as u32,
        folds: job.session.folds.iter().map(found_report).collect(),
        counted: job.session.messages.iter().filter(|message| message.usage.is_some()).count() as u32,
        usage: job.session.messages.iter().rev().find_map(|message| message.usage),
        branches: job.session.branches.clone(),
        skipped,
        problems: job.session.problems.clone(),
    })
}

fn found_report(fold: &FoundFold<'_>) -> FoundFoldReport {
    FoundFoldReport {
        line: fold.line,
        trigger: fold.trigger.clone(),
        tokens_before: fold.tokens_before,
        originals: fold.originals.len() as u32,
        kept: fold.kept.len() as u32,
    }
}

fn media(session: &Session<'_>) -> u32 {
    let mut tape = Tape::new();
    let mut count = 0;
    for message in &session.messages {
        let Ok(value) = tape.parse(&message.json) else { continue };
        if value.kind() == Kind::Object {
            session.format.reader().parts(value, &mut |part| count += u32::from(matches!(part, Part::Media { .. })));
        }
    }
    count
}
