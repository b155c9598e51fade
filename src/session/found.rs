//! Folds that a file's own program made: put together while the file is read, and handed on as folds of a ledger.

use super::{Session, SessionMessage, SessionProblem, SessionProblemCode, SkipCode, Skipped};
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::json::Tape;
use crate::ledger::{Filler, FoldRecord};
use std::collections::{HashMap, HashSet};

/// A fold that the file's own program made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundFold<'s> {
    /// The line that marks it, counted from 1.
    pub line: u32,
    /// What set it off, in the file's words.
    pub trigger: Option<String>,
    /// Tokens in the window before it, as the file says.
    pub tokens_before: Option<u64>,
    /// The whole window before it, as far as the file still holds it. Of a later fold it begins with what the fold before
    /// left.
    pub originals: Vec<SessionMessage<'s>>,
    /// Indices into `originals` of messages that stand in front of the digest again.
    pub before: Vec<u32>,
    /// Indices into `originals` of messages that stand after the digest again.
    pub kept: Vec<u32>,
    /// Messages that the program put in beside the digest, each with its place in the window after the fold: nobody said
    /// them.
    pub fillers: Vec<(u32, SessionMessage<'s>)>,
    /// The summary that took the place of the rest; more than one message where user and model take turns.
    pub digest: Vec<SessionMessage<'s>>,
}

impl FoundFold<'_> {
    /// The file does not hold what it replaced.
    pub fn is_gone(&self) -> bool {
        self.originals.is_empty()
    }

    /// Messages that it left in front of the tail.
    pub fn left(&self) -> usize {
        self.before.len() + self.digest.len() + self.kept.len() + self.fillers.len()
    }
}

/// So many times as many messages as a file has records may be kept by its folds, all in all. A fold keeps some per cent of the
/// window, so that a real file stays far below; one that is made to grow without bound does not get there.
pub(super) const MOST_KEPT: usize = 16;

/// The current window of a file that is read from its beginning, and the folds before it.
#[derive(Default)]
pub(super) struct Windows<'s> {
    pub folds: Vec<FoundFold<'s>>,
    pub window: Vec<SessionMessage<'s>>,
    /// Messages that folds may still keep: files whose folds keep nearly everything, over and over, would grow without
    /// bound.
    allowance: usize,
}

impl<'s> Windows<'s> {
    /// Of a file with so many records.
    pub fn new(records: usize) -> Self {
        Windows { folds: Vec::new(), window: Vec::new(), allowance: records * MOST_KEPT }
    }

    /// A fold whose digest stands before what it keeps: the messages of the window at `kept`, ascending. False when there
    /// is more of that than a file can mean; then nothing is kept.
    pub fn fold(&mut self, fold: FoundFold<'s>, kept: Vec<u32>) -> bool {
        let rest = self.allowance.checked_sub(kept.len());
        let kept = if rest.is_some() { kept } else { Vec::new() };
        self.allowance = rest.unwrap_or(self.allowance);
        let originals = std::mem::take(&mut self.window);
        self.window.extend(fold.digest.iter().cloned());
        self.window.extend(kept.iter().map(|&index| originals[index as usize].clone()));
        self.folds.push(FoundFold { originals, kept, ..fold });
        rest.is_some()
    }

    /// A fold after which the window is what the file says, `digest` saying which of it is the digest. Messages that the
    /// window before it has as well were kept; the rest was put in.
    pub fn replace(&mut self, fold: FoundFold<'s>, window: Vec<SessionMessage<'s>>, digest: std::ops::Range<usize>) {
        let originals = std::mem::take(&mut self.window);
        let mut places: HashMap<&[u8], Vec<u32>> = HashMap::new();
        for (index, message) in originals.iter().enumerate().rev() {
            places.entry(message.json.as_ref()).or_default().push(index as u32);
        }
        let (mut before, mut kept, mut fillers) = (Vec::new(), Vec::new(), Vec::new());
        let mut next = 0;
        for (at, message) in window.iter().enumerate().filter(|(at, _)| !digest.contains(at)) {
            // Each once, and in their order.
            let mut place = None;
            if let Some(same) = places.get_mut(message.json.as_ref()) {
                while place.is_none_or(|place| place < next) && !same.is_empty() {
                    place = same.pop();
                }
            }
            match place.filter(|&place| place >= next) {
                Some(index) => {
                    next = index + 1;
                    if at < digest.start { &mut before } else { &mut kept }.push(index);
                }
                None => fillers.push((at as u32, message.clone())),
            }
        }
        // Of a window that is gone nothing can be said to have been kept or put in.
        if originals.is_empty() {
            fillers.clear();
        }
        let written = window[digest].to_vec();
        self.folds.push(FoundFold { originals, before, kept, fillers, digest: written, ..fold });
        self.window = window;
    }
}

/// Takes away the folds that the user went back behind: what they left does not stand in the window after them any more, so that
/// they are of a branch that was left, and what they took away is as well.
pub(super) fn drop_left(session: &mut Session<'_>) {
    let mut last = None;
    for number in 0..session.folds.len() {
        let (fold, later) = session.folds[number..].split_first_mut().expect("there is one");
        let window = later.first().map_or(&session.messages, |next| &next.originals);
        if !settle(fold, window) {
            last = Some(number);
        }
    }
    let Some(last) = last else { return };
    let left: Vec<FoundFold<'_>> = session.folds.drain(..=last).collect();
    let still = session.folds.iter().flat_map(|fold| &fold.originals).chain(&session.messages);
    let mut known: HashSet<u32> = still.flat_map(|message| message.lines.iter().copied()).collect();
    known.extend(session.skipped.iter().map(|skipped| skipped.line));
    for message in left.iter().flat_map(|fold| fold.originals.iter().chain(&fold.digest)) {
        for &line in message.lines.iter().filter(|&&line| known.insert(line)) {
            session.skipped.push(Skipped { line, code: SkipCode::OtherBranch });
        }
    }
    for line in left.iter().map(|fold| fold.line) {
        let message = format!(
            "the conversation went back behind the fold on line {line}; what that folded is of a branch that was left"
        );
        session.problems.push(SessionProblem { line, code: SessionProblemCode::FoldLeft, message });
    }
}

/// Settles what a fold left in the window after it; false when its digest does not stand there. Of what it kept behind the digest,
/// that counts which is there as it was: the rest was written anew or taken out since, and what stands in its place is told as well as what was folded.
fn settle<'s>(fold: &mut FoundFold<'s>, window: &[SessionMessage<'s>]) -> bool {
    let filled: HashSet<u32> = fold.fillers.iter().map(|(at, _)| *at).collect();
    let mut places = (0..fold.left() as u32).filter(|at| !filled.contains(at));
    let there = |place: Option<u32>| place.and_then(|at| window.get(at as usize));
    let same =
        |at: Option<u32>, message: &SessionMessage<'_>| there(at).is_some_and(|there| there.json == message.json);
    let before = fold.before.iter().all(|&index| same(places.next(), &fold.originals[index as usize]));
    let digest = fold.digest.iter().all(|digest| same(places.next(), digest));
    let end = |place: Option<u32>| place.unwrap_or(u32::MAX);
    let mut last = 0;
    let kept = fold.kept.iter().take_while(|&&index| {
        let place = places.next();
        last = end(place);
        same(place, &fold.originals[index as usize])
    });
    let kept = kept.count();
    if kept < fold.kept.len() {
        fold.kept.truncate(kept);
        fold.fillers.retain(|(at, _)| *at < last);
    }
    before && digest && fold.fillers.iter().all(|(at, message)| same(Some(*at), message))
}

/// A fold of a file as a fold of a ledger.
#[derive(Debug, Clone)]
pub struct LedgerFold {
    /// Layout and fingerprints. Of a fold whose originals are gone it names no message but the digest.
    pub record: FoldRecord,
    /// Indices into the fold's originals of those that it took away.
    pub folded: Vec<u32>,
}

/// The folds of a file as folds of a ledger, the oldest first.
///
/// # Errors
/// [`ErrorCode::BadMessage`] for a message that cannot be read.
pub fn ledger_folds(session: &Session<'_>) -> Result<Vec<LedgerFold>> {
    let later = session.folds.iter().skip(1).map(|fold| fold.originals.as_slice());
    let windows = later.chain([session.messages.as_slice()]);
    session.folds.iter().zip(windows).map(|(fold, next)| ledger_fold(session, fold, next)).collect()
}

fn ledger_fold(session: &Session<'_>, fold: &FoundFold<'_>, next: &[SessionMessage<'_>]) -> Result<LedgerFold> {
    let hex = |messages: &[SessionMessage<'_>]| -> Result<Vec<String>> {
        messages.iter().map(|message| Ok(print(message)?.to_string())).collect()
    };
    // In the window after it: what the fold left, then the tail. Which of the tail was there already, the file does not say;
    // its first message has to do.
    let digest = next.get(fold.before.len()..).is_some_and(|from| from.starts_with(&fold.digest));
    let tail = next.get(fold.left()).filter(|_| digest).map(print).transpose()?;
    let tail: Vec<Fingerprint> = tail.into_iter().collect();
    let fillers =
        fold.fillers.iter().map(|(at, message)| Ok(Filler { at: *at, fingerprint: print(message)?.to_string() }));
    let record = FoldRecord {
        format: session.format.name().into(),
        prefix_end: 0,
        kept_from: fold.originals.len() as u32,
        before: fold.before.clone(),
        after: fold.kept.clone(),
        digest: hex(&fold.digest)?,
        span: hex(&fold.originals)?,
        tail: tail.first().map(Fingerprint::to_string),
        tail_length: tail.len() as u32,
        tail_span: fingerprint::span(&tail).to_string(),
        fillers: fillers.collect::<Result<_>>()?,
        gone: fold.is_gone(),
        unknown: None,
    };
    Ok(LedgerFold { folded: record.folded(), record })
}

fn print(message: &SessionMessage<'_>) -> Result<Fingerprint> {
    let mut tape = Tape::new();
    let value = tape.parse(&message.json).map_err(|error| Error::new(ErrorCode::BadMessage, error.to_string()))?;
    Ok(fingerprint::message(value, None))
}
