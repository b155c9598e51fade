//! From a log to the window: whoever only ever appends keeps originals and digests in one list, and must not send both.

use super::Record;
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::Fingerprint;
use crate::window::{Side, Slot};
use std::collections::HashSet;

/// The window that a log leads to: each fold is made again where its digest was appended. A list that is a window already stays
/// as it is. Messages are told by their place in the log; the digest of a fold by those places, too.
///
/// # Errors
/// [`ErrorCode::OriginalsMissing`] where messages that folded stand in front of their digest, but not all of them as they folded
/// (they were reduced or repaired first, or the log was changed): then nothing says what the window was.
pub fn replay(records: &[Record], log: &[Fingerprint]) -> Result<Vec<Slot>> {
    let log: Vec<String> = log.iter().map(Fingerprint::to_string).collect();
    let mut folds = records.iter().filter_map(|record| match record {
        Record::Fold(fold) if !fold.gone && fold.unknown.is_none() => Some(fold),
        _ => None,
    });
    let digests: HashSet<&String> = folds.clone().filter_map(|fold| fold.digest.first()).collect();
    let mut next = folds.next();
    let mut window: Vec<Slot> = Vec::new();
    let mut at = 0;
    while at < log.len() {
        // A window holds the digests of its last folds alone: those before are passed over.
        let mut rest = std::iter::once(next).flatten().chain(folds.clone());
        let here = digests.contains(&log[at]).then(|| rest.position(|fold| log[at..].starts_with(&fold.digest)));
        let Some(passed) = here.flatten() else {
            window.push(Slot::Message(at as u32));
            at += 1;
            continue;
        };
        for _ in 0..passed {
            next = folds.next();
        }
        let fold = next.expect("it was just found");
        next = folds.next();
        let print = |slot: &Slot| match slot {
            Slot::Message(index) => Some(&log[*index as usize]),
            _ => None,
        };
        let (start, end) = (fold.prefix_end as usize, fold.kept_from as usize);
        let digest = at as u32..(at + fold.digest.len()) as u32;
        at = digest.end as usize;
        let is_span = |slots: &[Slot]| {
            let mut pairs = slots.iter().zip(&fold.span);
            pairs.all(|(slot, span)| print(slot).is_none_or(|print| print == span))
        };
        let span = window.get(start..end).filter(|slots| !slots.is_empty() && is_span(slots));
        let Some(span) = span else {
            let first = fold.folded().first().map(|&index| index as usize);
            let stands = |first: usize| window.get(start + first).and_then(print) == fold.span.get(first);
            if first.is_some_and(stands) {
                let what = "messages that folded stand in front of their digest, but not all of them as they folded; save the window \
                            (or the messages behind the reduction) instead of the log";
                return Err(Error::new(ErrorCode::OriginalsMissing, what));
            }
            window.extend(digest.map(Slot::Message));
            continue;
        };
        let kept = |indices: &[u32]| indices.iter().map(|&index| span[index as usize - start]).collect::<Vec<_>>();
        let mut body = kept(&fold.before);
        body.extend(digest.map(Slot::Message));
        body.extend(kept(&fold.after));
        for filler in &fold.fillers {
            let model = Side::Model;
            let side = if fold.is_filler(filler, model) { model } else { Side::User };
            body.insert((filler.at as usize).min(body.len()), Slot::Filler(side));
        }
        window.splice(start..end, body);
    }
    Ok(window)
}
