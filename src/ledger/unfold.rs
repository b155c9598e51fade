//! The way back from a window to the conversation.

use super::{EditRecord, FoldRecord, Record};
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use std::collections::{HashMap, HashSet};

/// Where a message of the unfolded conversation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Message of the window that was given.
    Window(u32),
    /// `taken()[index]` of a record.
    Fold {
        /// Index of the record: a fold, or an edit where there are such.
        fold: u32,
        /// Index among the messages that it took away.
        index: u32,
    },
}

/// The conversation as it was before all folds, as places to take each message from.
///
/// # Errors
/// Those of [`unfold_all`].
pub fn unfold(records: &[FoldRecord], window: &[Fingerprint]) -> Result<Vec<Origin>> {
    let all: Vec<Of<'_>> = records.iter().map(Of::Fold).collect();
    back(&all, window)
}

/// The conversation as it was before all folds, reductions and repairs, as places to take each message from.
///
/// They are undone from the last to the first. The place of a digest follows from the record; what stands there must have the
/// fingerprints of the digest, of the kept messages around it and of the tail behind it. So two folds with the same summary are
/// told apart by where they stand. What an edit put in must stand where it put it; an edit of which nothing is to be seen was made
/// of another window, and is passed over. A window from before the latest records is
/// fine: the latest record from which everything fits is taken. Only when none fits so, another place is searched, and at last a
/// tail that was changed since is forgiven.
///
/// # Errors
/// [`ErrorCode::DigestMissing`] when there is no record from which all earlier ones can be undone.
pub fn unfold_all(records: &[Record], window: &[Fingerprint]) -> Result<Vec<Origin>> {
    let all: Vec<Of<'_>> = records.iter().map(Of::from).collect();
    back(&all, window)
}

#[derive(Clone, Copy)]
enum Of<'r> {
    Fold(&'r FoldRecord),
    Edit(&'r EditRecord),
}

impl<'r> From<&'r Record> for Of<'r> {
    fn from(record: &'r Record) -> Of<'r> {
        match record {
            Record::Fold(fold) => Of::Fold(fold),
            Record::Edit(edit) => Of::Edit(edit),
        }
    }
}

impl Of<'_> {
    /// Its originals were gone before the ledger knew of it.
    fn is_gone(&self) -> bool {
        matches!(self, Of::Fold(fold) if fold.gone)
    }

    /// A message that it put into the window; `None` for an edit that only took away.
    fn first(&self) -> Option<Fingerprint> {
        let first = match self {
            Of::Fold(fold) => fold.digest.first(),
            Of::Edit(edit) => edit.edits.iter().find_map(|run| run.inserted.first()),
        };
        first.and_then(|print| Fingerprint::parse(print))
    }

    /// Fingerprints of what it took away.
    fn taken(&self) -> Vec<Fingerprint> {
        let parse = |text: &String| Fingerprint::parse(text);
        match self {
            Of::Fold(fold) => {
                fold.folded().into_iter().filter_map(|index| parse(fold.span.get(index as usize)?)).collect()
            }
            Of::Edit(edit) => edit.removed().filter_map(parse).collect(),
        }
    }

    fn trace(&self) -> Trace {
        match self {
            Of::Fold(fold) => Trace::Fold(FoldTrace::of(fold)),
            Of::Edit(edit) => Trace::Edit(EditTrace::of(edit)),
        }
    }
}

fn back(records: &[Of<'_>], window: &[Fingerprint]) -> Result<Vec<Origin>> {
    if records.iter().any(Of::is_gone) {
        return back_past(records, window);
    }
    let traces: Vec<Trace> = records.iter().map(Of::trace).collect();
    // Kept back to front, so that undoing a fold near the start moves only what is near the start.
    let items: Vec<Item> =
        window.iter().enumerate().map(|(i, &print)| (Origin::Window(i as u32), print)).rev().collect();
    if records.is_empty() {
        return Ok(items.into_iter().rev().map(|(origin, _)| origin).collect());
    }
    let mut places: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
    window.iter().enumerate().for_each(|(place, &print)| places.entry(print).or_default().push(place));
    if traces.iter().all(|trace| trace.is_of_another_window(|print| places.contains_key(print))) {
        return Ok(items.into_iter().rev().map(|(origin, _)| origin).collect());
    }
    // What an edit put in is undone before anything older is: nothing of it may stay.
    let edited = traces.iter().rposition(|trace| match trace {
        Trace::Edit(edit) => edit.stands(&items, Tail::First, edit.runs[0].at),
        Trace::Fold(_) => false,
    });
    let mut deepest = None;
    let mut tries = 0;
    for search in SEARCHES {
        for latest in (edited.unwrap_or(0)..records.len()).rev() {
            let trace = &traces[latest];
            let found = match records[latest].first().filter(|_| edited != Some(latest)) {
                // A record of which nothing is to be seen costs no search.
                Some(print) => places.get(&print).and_then(|at| {
                    let starts = at.iter().map(|&place| place as isize - trace.first_at());
                    trace.find(&items, search, starts)
                }),
                None => trace.find(&items, search, 0..items.len() as isize),
            };
            let Some(start) = found else { continue };
            tries += 1;
            match undo_from(&traces, latest, start, &items, search.0 == Tail::Whole) {
                Ok(items) => return Ok(items.into_iter().rev().map(|(origin, _)| origin).collect()),
                Err(record) => deepest = deepest.or(Some(record)),
            }
            if tries == MOST_TRIES {
                return Err(missing(deepest));
            }
        }
    }
    if !records.iter().filter_map(Of::first).any(|print| places.contains_key(&print)) {
        return Err(foreign());
    }
    Err(missing(deepest))
}

/// The same where the originals of some folds are gone: the digest of such a fold is all there is, and stays. Folds before it are
/// undone where their digests are seen; mostly they went with the originals.
fn back_past(records: &[Of<'_>], window: &[Fingerprint]) -> Result<Vec<Origin>> {
    let mut origins: Vec<Origin> = (0..window.len() as u32).map(Origin::Window).collect();
    let mut prints = window.to_vec();
    let mut seen: HashSet<Fingerprint> = window.iter().copied().collect();
    let is_seen =
        |record: &Of<'_>, seen: &HashSet<Fingerprint>| record.first().is_none_or(|print| seen.contains(&print));
    let (mut known, mut stretches) = (false, 0);
    let mut end = records.len();
    // From the newest on, the stretches of folds between those that are gone.
    while end > 0 {
        let start = records[..end].iter().rposition(Of::is_gone).map_or(0, |gone| gone + 1);
        let stretch = &records[start..end];
        known |= start > 0 && is_seen(&records[start - 1], &seen);
        if stretch.iter().any(|record| is_seen(record, &seen)) {
            stretches += 1;
            if stretches > MOST_TRIES {
                return Err(missing(None));
            }
            if let Ok(back) = back(stretch, &prints) {
                known = true;
                (origins, prints) = placed(&back, stretch, start as u32, &origins, &prints);
                seen.extend(&prints);
            }
        }
        end = start.saturating_sub(1);
    }
    if known {
        Ok(origins)
    } else if records.iter().filter_map(Of::first).any(|print| window.contains(&print)) {
        Err(missing(None))
    } else {
        Err(foreign())
    }
}

/// Messages that a stretch of records brought back, among those that were there.
fn placed(
    back: &[Origin],
    stretch: &[Of<'_>],
    offset: u32,
    origins: &[Origin],
    prints: &[Fingerprint],
) -> (Vec<Origin>, Vec<Fingerprint>) {
    let taken: Vec<Vec<Fingerprint>> = stretch.iter().map(Of::taken).collect();
    let place = |origin: &Origin| match *origin {
        Origin::Window(index) => (origins[index as usize], prints[index as usize]),
        Origin::Fold { fold, index } => {
            (Origin::Fold { fold: fold + offset, index }, taken[fold as usize][index as usize])
        }
    };
    back.iter().map(place).unzip()
}

/// More records than this that all seem to be the latest are no window of this ledger; each try costs as much as an unfold.
const MOST_TRIES: usize = 64;

fn missing(record: Option<usize>) -> Error {
    let what = match record {
        Some(record) => {
            format!("fold {record} of the ledger is not in the messages that the folds after it bring back")
        }
        None => "what stands around the digests of the ledger is not what stood there: messages were changed".into(),
    };
    Error::new(ErrorCode::DigestMissing, what)
}

fn foreign() -> Error {
    let what = "the messages hold none of the digests of this ledger: it is the ledger of another conversation, or they were changed";
    Error::new(ErrorCode::DigestMissing, what)
}

type Item = (Origin, Fingerprint);

/// How much of the tail behind a digest must be as it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    Whole,
    First,
    Any,
}

/// Where to look for what a record left, from what proves most to what proves least: at the place where it was made (or
/// anywhere), with as much of its tail.
const SEARCHES: [(Tail, bool); 6] = [
    (Tail::Whole, true),
    (Tail::First, true),
    (Tail::Whole, false),
    (Tail::First, false),
    (Tail::Any, true),
    (Tail::Any, false),
];

/// Undoes record `latest`, found at `start`, and all before it; the error is the record that was not found. Where the window behind
/// the latest one is `whole`, as it was, a fold before it whose digest is nowhere was cut away before: by a conversation that went
/// back and took another way.
fn undo_from(
    traces: &[Trace],
    latest: usize,
    start: usize,
    window: &[Item],
    whole: bool,
) -> std::result::Result<Vec<Item>, usize> {
    let mut items = window.to_vec();
    traces[latest].undo(latest as u32, start, &mut items);
    for (number, trace) in traces[..latest].iter().enumerate().rev() {
        let everywhere = 0..items.len() as isize;
        match SEARCHES.iter().find_map(|&search| trace.find(&items, search, everywhere.clone())) {
            Some(start) => trace.undo(number as u32, start, &mut items),
            None if trace.is_of_another_window(seen_in(&items)) || (whole && trace.was_cut_away(seen_in(&items))) => {}
            None => return Err(number),
        }
    }
    Ok(items)
}

/// Whether a fingerprint is among those of a window.
fn seen_in(items: &[Item]) -> impl Fn(&Fingerprint) -> bool {
    let prints: HashSet<Fingerprint> = items.iter().map(|(_, print)| *print).collect();
    move |print| prints.contains(print)
}

/// What a record left in a window, by fingerprint.
enum Trace {
    Fold(FoldTrace),
    Edit(EditTrace),
}

impl Trace {
    /// How far behind the start of what it left the message is that [`Of::first`] gives.
    fn first_at(&self) -> isize {
        match self {
            Trace::Fold(fold) => fold.digest_at as isize,
            Trace::Edit(edit) => {
                let run = edit.runs.iter().find(|run| !run.inserted.is_empty());
                run.map_or(0, |run| run.at - edit.runs[0].at)
            }
        }
    }

    /// Index, counted from the front, at which what it left begins. `starts` are the places to try when it need not be the usual
    /// one.
    fn find(
        &self,
        items: &[Item],
        (tail, usual_place): (Tail, bool),
        mut starts: impl Iterator<Item = isize>,
    ) -> Option<usize> {
        let matches = |start: isize| match self {
            Trace::Fold(fold) => start >= 0 && fold.stands(items, tail, start as usize),
            Trace::Edit(edit) => edit.stands(items, tail, start),
        };
        let found = match (usual_place, self) {
            (true, Trace::Fold(fold)) => Some(fold.start as isize).filter(|&start| matches(start)),
            (true, Trace::Edit(edit)) => Some(edit.runs[0].at).filter(|&start| matches(start)),
            // The whole of what an edit left is looked for where it left it.
            (false, Trace::Edit(_)) if tail != Tail::Any => None,
            (false, _) => starts.find(|&start| matches(start)),
        };
        found.map(|start| start as usize)
    }

    /// Whether it is an edit of which nothing is to be seen: whoever reduces all messages anew for every request has edits in the
    /// ledger that were never made of the same window. One that put nothing in cannot be told from one that was tampered with.
    fn is_of_another_window(&self, seen: impl Fn(&Fingerprint) -> bool) -> bool {
        let Trace::Edit(edit) = self else { return false };
        let mut inserted = edit.runs.iter().flat_map(|run| &run.inserted).peekable();
        inserted.peek().is_some() && !inserted.any(seen)
    }

    /// Whether it is a fold of whose digest nothing is to be seen.
    fn was_cut_away(&self, seen: impl Fn(&Fingerprint) -> bool) -> bool {
        let Trace::Fold(fold) = self else { return false };
        !fold.body.iter().filter(|(kept, _)| kept.is_none()).any(|(_, print)| seen(print))
    }

    fn undo(&self, number: u32, start: usize, items: &mut Vec<Item>) {
        match self {
            Trace::Fold(fold) => fold.undo(number, start, items),
            Trace::Edit(edit) => edit.undo(number, start as isize, items),
        }
    }
}

/// The fingerprint at an index, counted from the front.
fn print_at(items: &[Item], index: usize) -> Option<Fingerprint> {
    items.len().checked_sub(index.checked_add(1)?).map(|i| items[i].1)
}

/// The fingerprints of a fold, in the order in which they stand in a window.
struct FoldTrace {
    span: Vec<Fingerprint>,
    /// Kept before, digest, kept after, with the fillers between them; of kept messages the index in the span.
    body: Vec<(Option<u32>, Fingerprint)>,
    /// Place of the digest in it.
    digest_at: usize,
    start: usize,
    /// Of the tail.
    first: Option<Fingerprint>,
    whole: Option<Fingerprint>,
    length: usize,
}

impl FoldTrace {
    /// Records were checked when they came in: every text is a fingerprint.
    fn of(record: &FoldRecord) -> FoldTrace {
        let read = |texts: &[String]| -> Vec<Fingerprint> {
            texts.iter().filter_map(|text| Fingerprint::parse(text)).collect()
        };
        let (digest, span) = (read(&record.digest), read(&record.span));
        let kept = |index: &u32| {
            let place = index - record.prefix_end;
            Some((Some(place), *span.get(place as usize)?))
        };
        let written = digest.iter().map(|&print| (None, print));
        let parts = record.before.iter().filter_map(kept).chain(written).chain(record.after.iter().filter_map(kept));
        let mut fillers = record.fillers.iter().peekable();
        let mut body = Vec::new();
        let mut put_in = |body: &mut Vec<(Option<u32>, Fingerprint)>| {
            while let Some(filler) = fillers.next_if(|filler| filler.at as usize == body.len()) {
                body.extend(Fingerprint::parse(&filler.fingerprint).map(|print| (None, print)));
            }
        };
        let mut digest_at = 0;
        for (place, part) in parts.enumerate() {
            put_in(&mut body);
            if place == record.before.len() {
                digest_at = body.len();
            }
            body.push(part);
        }
        put_in(&mut body);
        FoldTrace {
            body,
            digest_at,
            start: record.prefix_end as usize,
            first: record.tail.as_deref().and_then(Fingerprint::parse),
            whole: Fingerprint::parse(&record.tail_span),
            length: record.tail_length as usize,
            span,
        }
    }

    fn stands(&self, items: &[Item], tail: Tail, start: usize) -> bool {
        let at = |index: usize| print_at(items, index);
        let from = start + self.body.len();
        let first = || self.first.is_none() || at(from) == self.first;
        self.body.iter().enumerate().all(|(i, (_, print))| at(start + i) == Some(*print))
            && match tail {
                Tail::Any => true,
                Tail::First => first(),
                Tail::Whole => {
                    // The cheap look first: hashing every tail of a long chain is not.
                    let fits = items.len().checked_sub(from).is_some_and(|left| self.length <= left) && first();
                    let all = || (from..from + self.length).filter_map(at).collect::<Vec<Fingerprint>>();
                    fits && Some(fingerprint::span(&all())) == self.whole
                }
            }
    }

    fn undo(&self, number: u32, start: usize, items: &mut Vec<Item>) {
        let mut prefix = items.split_off(items.len() - start);
        let mut body = items.split_off(items.len() - self.body.len());
        body.reverse();
        let mut kept: HashMap<u32, Item> = HashMap::new();
        for (item, (place, _)) in body.into_iter().zip(&self.body) {
            if let Some(index) = *place {
                kept.insert(index, item);
            }
        }
        let mut folded = 0;
        let mut span: Vec<Item> = Vec::with_capacity(self.span.len());
        for (index, &print) in (0..).zip(&self.span) {
            if let Some(item) = kept.remove(&index) {
                span.push(item);
                continue;
            }
            span.push((Origin::Fold { fold: number, index: folded }, print));
            folded += 1;
        }
        items.extend(span.into_iter().rev());
        items.append(&mut prefix);
    }
}

/// The fingerprints of an edit.
struct EditTrace {
    runs: Vec<RunTrace>,
    length: usize,
    whole: Option<Fingerprint>,
}

struct RunTrace {
    at: isize,
    inserted: Vec<Fingerprint>,
    removed: Vec<Fingerprint>,
    before: Option<Fingerprint>,
    behind: Option<Fingerprint>,
}

impl EditTrace {
    fn of(record: &EditRecord) -> EditTrace {
        let read = |texts: &[String]| texts.iter().filter_map(|text| Fingerprint::parse(text)).collect();
        let one = |text: &Option<String>| text.as_deref().and_then(Fingerprint::parse);
        let runs = record.edits.iter().map(|run| RunTrace {
            at: run.at as isize,
            inserted: read(&run.inserted),
            removed: read(&run.removed),
            before: one(&run.before),
            behind: one(&run.behind),
        });
        let whole = Fingerprint::parse(&record.window);
        EditTrace { runs: runs.collect(), length: record.length as usize, whole }
    }

    /// Whether the first run is at `start`, and all others as far from it as they were.
    fn stands(&self, items: &[Item], tail: Tail, start: isize) -> bool {
        let shift = start - self.runs[0].at;
        match tail {
            Tail::Whole => {
                let all = || items.iter().rev().take(self.length).map(|item| item.1).collect::<Vec<Fingerprint>>();
                shift == 0 && self.length <= items.len() && Some(fingerprint::span(&all())) == self.whole
            }
            // Something of it is where it was: what came behind it may have been cut off or be other messages by now.
            Tail::First => shift == 0 && self.runs.iter().any(|run| run.is_seen(items)),
            Tail::Any => self.runs.iter().all(|run| run.stands(items, run.at + shift)),
        }
    }

    fn undo(&self, number: u32, start: isize, items: &mut Vec<Item>) {
        let shift = start - self.runs[0].at;
        let whole = self.stands(items, Tail::Whole, start);
        let standing: Vec<bool> = self.runs.iter().map(|run| whole || run.stands(items, run.at + shift)).collect();
        let mut now = std::mem::take(items).into_iter().rev();
        let (mut next, mut taken) = (0, 0);
        for (run, stands) in self.runs.iter().zip(standing) {
            let at = (run.at + shift).max(0) as usize;
            items.extend(now.by_ref().take(at.saturating_sub(next)));
            next = at + run.inserted.len();
            let removed = run.removed.iter().zip(taken..);
            let back = removed.map(|(&print, index)| (Origin::Fold { fold: number, index }, print));
            taken += run.removed.len() as u32;
            let put_in = now.by_ref().take(run.inserted.len());
            if stands {
                put_in.for_each(drop);
                items.extend(back);
            } else if run.inserted.len() == run.removed.len() {
                // One for one: each that is still there.
                let one =
                    |((item, print), back): ((Item, &Fingerprint), Item)| if item.1 == *print { back } else { item };
                items.extend(put_in.zip(&run.inserted).zip(back).map(one));
            } else {
                items.extend(put_in);
            }
        }
        items.extend(now);
        items.reverse();
    }
}

impl RunTrace {
    /// Whether one of the messages that it put in is where it was put.
    fn is_seen(&self, items: &[Item]) -> bool {
        (self.at..).zip(&self.inserted).any(|(index, print)| print_at(items, index as usize) == Some(*print))
    }

    fn stands(&self, items: &[Item], at: isize) -> bool {
        let print = |index: isize| usize::try_from(index).ok().and_then(|index| print_at(items, index));
        if !self.inserted.is_empty() {
            return (at..).zip(&self.inserted).all(|(index, inserted)| print(index) == Some(*inserted));
        }
        // Nothing of it is there: its neighbours are neighbours, and what it took away is not between them.
        let before = match self.before {
            Some(before) => print(at - 1) == Some(before),
            None => at == 0,
        };
        let behind = self.behind.is_none() || print(at) == self.behind;
        before && behind && (self.behind.is_some() || print(at) != self.removed.first().copied())
    }
}
