//! From a log to the window: whoever only ever appends keeps originals and digests in one list, and must not send both.

use super::{EditRecord, FoldRecord, Record};
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::window::{Side, Slot};
use std::collections::{HashMap, HashSet, VecDeque};

/// The window that a log leads to: each fold is made again where its digest was appended. A list that is a window already stays
/// as it is, and so does the window that a log begins with. Messages are told by their place in the log; the digest of a fold by
/// those places, too.
///
/// A fold is made again where all of its record fits: its span stands at its place, and behind that, up to the digest, its tail. So
/// folds with the same digest are told apart from each other and from messages that repeat it. Only a fold that would otherwise
/// be missed may have another tail: one that was changed since, or came into the log later.
///
/// # Errors
/// [`ErrorCode::OriginalsMissing`] where messages that folded stand in front of their digest, but not all of them as they folded
/// (they were reduced or repaired first, or the log was changed): then nothing says what the window was.
pub fn replay(records: &[Record], log: &[Fingerprint]) -> Result<Vec<Slot>> {
    let folds: Vec<Fold<'_>> = records.iter().filter_map(Fold::of).collect();
    let changed = records.iter().filter_map(|record| match record {
        Record::Edit(edit) => Some(edit),
        Record::Fold(_) => None,
    });
    let changed: HashSet<(Fingerprint, Fingerprint)> = changed.flat_map(in_place).collect();
    let is = |message, folded| message == folded || changed.contains(&(message, folded));
    let mut lenient = vec![false; folds.len()];
    for last_but_one in [false, false, true, false] {
        let walk = best(folds.len(), |turns| Walk::along(&folds, log, &lenient, &is, turns));
        if walk.open.is_empty() {
            return Ok(walk.window.into_iter().map(|(slot, _)| slot).collect());
        }
        if walk.open.iter().all(|&(number, _)| lenient[number]) {
            break;
        }
        if last_but_one {
            lenient.fill(true);
        }
        walk.open.into_iter().for_each(|(number, _)| lenient[number] = true);
    }
    let what = "messages that folded stand in front of their digest, but not all of them as they folded; save the window (or the \
                messages behind the reduction) instead of the log";
    Err(Error::new(ErrorCode::OriginalsMissing, what))
}

/// Messages that an edit put in the place of others, one for one.
fn in_place(edit: &EditRecord) -> Vec<(Fingerprint, Fingerprint)> {
    let runs = edit.edits.iter().filter(|run| run.removed.len() == run.inserted.len());
    runs.flat_map(|run| prints(&run.removed).into_iter().zip(prints(&run.inserted))).collect()
}

fn prints(texts: &[String]) -> Vec<Fingerprint> {
    texts.iter().filter_map(|text| Fingerprint::parse(text)).collect()
}

/// A fold as it is looked for.
struct Fold<'r> {
    record: &'r FoldRecord,
    start: usize,
    end: usize,
    span: Vec<Fingerprint>,
    digest: Vec<Fingerprint>,
    /// What stood in the place of the span, and where in it the digest.
    body: Vec<(Placed, Fingerprint)>,
    digest_at: usize,
}

/// What a fold put in the place of its span.
#[derive(Clone, Copy)]
enum Placed {
    /// A message that stayed, by its place in the span.
    Kept(usize),
    Digest(u32),
    Filler(Side),
}

impl<'r> Fold<'r> {
    /// `None` for what nothing can be told of.
    fn of(record: &'r Record) -> Option<Fold<'r>> {
        let Record::Fold(record) = record else { return None };
        if record.gone || record.unknown.is_some() || record.check().is_err() {
            return None;
        }
        let (span, digest) = (prints(&record.span), prints(&record.digest));
        let kept = |indices: &[u32]| {
            let places = indices.iter().map(|&index| (index - record.prefix_end) as usize);
            places.map(|place| (Placed::Kept(place), span[place])).collect::<Vec<_>>()
        };
        let mut body = kept(&record.before);
        let mut digest_at = body.len();
        body.extend((0..).zip(&digest).map(|(number, &print)| (Placed::Digest(number), print)));
        body.extend(kept(&record.after));
        for filler in &record.fillers {
            let side = if record.is_filler(filler, Side::Model) { Side::Model } else { Side::User };
            let at = (filler.at as usize).min(body.len());
            body.insert(at, (Placed::Filler(side), Fingerprint::parse(&filler.fingerprint)?));
            digest_at += usize::from(at <= digest_at);
        }
        let (start, end) = (record.prefix_end as usize, record.kept_from as usize);
        Some(Fold { record, start, end, span, digest, body, digest_at })
    }

    /// Its span stands at its place.
    fn has_span(&self, window: &[Item]) -> bool {
        window.get(self.start..self.end).is_some_and(|items| items.iter().map(|item| &item.1).eq(&self.span))
    }

    /// Its tail is all that stands behind its span.
    fn has_tail(&self, window: &[Item]) -> bool {
        window.len() == self.end + self.record.tail_length as usize
            && self.is_tail(window[self.end..].iter().map(|item| item.1))
    }

    fn is_tail(&self, mut messages: impl Iterator<Item = Fingerprint>) -> bool {
        let first = messages.next();
        first.map(|print| print.to_string()) == self.record.tail && {
            let all: Vec<Fingerprint> = first.into_iter().chain(messages).collect();
            fingerprint::span(&all).to_string() == self.record.tail_span
        }
    }

    /// Folds, with the digest that begins at `digest` of the log.
    fn make(&self, window: &mut Vec<Item>, digest: usize) {
        let slot = |placed: Placed| match placed {
            Placed::Kept(place) => window[self.start + place].0,
            Placed::Digest(number) => Slot::Message(digest as u32 + number),
            Placed::Filler(side) => Slot::Filler(side),
        };
        let body: Vec<Item> = self.body.iter().map(|&(placed, print)| (slot(placed), print)).collect();
        window.splice(self.start..self.end, body);
    }

    /// How well a digest in front of which `window` stands, and `behind` behind it, is that of a window in which this fold was made
    /// already; `None` where it stands elsewhere.
    fn fits_in(&self, window: &[Item], behind: &[Fingerprint]) -> Option<Fit> {
        if window.len() != self.start + self.digest_at {
            return None;
        }
        let (before, rest) = self.body.split_at(self.digest_at);
        let after = &rest[self.digest.len()..];
        let same = |body: &[(Placed, Fingerprint)], found: &mut dyn Iterator<Item = Fingerprint>| {
            body.iter().all(|(_, print)| found.next() == Some(*print))
        };
        let around = same(before, &mut window[self.start..].iter().map(|item| item.1))
            && same(after, &mut behind.iter().copied());
        if !around {
            return Some(Fit::Place);
        }
        let tail = &behind[after.len()..];
        let first = self
            .record
            .tail
            .as_ref()
            .is_none_or(|print| tail.first().map(Fingerprint::to_string).as_ref() == Some(print));
        let whole = || {
            let whole = tail.get(..self.record.tail_length as usize);
            whole.is_some_and(|tail| self.is_tail(tail.iter().copied()))
        };
        Some(match first {
            true if whole() => Fit::Tail,
            true => Fit::FirstOfTail,
            false => Fit::Kept,
        })
    }

    /// Messages that it folded stand in `window`, where it was made, as `is` tells of a message and one of the span: most of them, or
    /// several in a row; a single one may well equal one that stayed. Or what stands at the end is its tail, at its old place.
    fn stands_in(&self, window: &[Item], is: impl Fn(Fingerprint, Fingerprint) -> bool) -> Option<Stand> {
        if window.len() <= self.start + self.digest_at {
            return None;
        }
        if self.record.tail_length > 0 && self.has_tail(window) {
            return Some(Stand::Tail);
        }
        let mut folded = vec![true; self.span.len()];
        for (placed, _) in &self.body {
            if let Placed::Kept(place) = placed {
                folded[*place] = false;
            }
        }
        let (mut row, mut longest, mut sum) = (0, 0, 0);
        for (place, (item, &print)) in window[self.start..].iter().zip(&self.span).enumerate() {
            if !is(item.1, print) {
                row = 0;
            } else if folded[place] {
                row += 1;
                sum += 1;
                longest = longest.max(row);
            }
        }
        let most = 2 * sum > folded.iter().filter(|folded| **folded).count();
        (longest >= 2 || most).then_some(Stand::Folded)
    }
}

/// How well a digest fits the window behind a fold, from what proves least to what proves most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Place,
    Kept,
    FirstOfTail,
    Tail,
}

/// What tells that a digest stands behind what it stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// Messages that folded.
    Folded,
    /// The tail, as far from the start as it was.
    Tail,
}

type Item = (Slot, Fingerprint);

/// Most ways along a log that are tried. The first is right but where folds with equal digests took away equal messages.
const MOST_TRIES: usize = 32;

/// The way that misses nothing, leads to the last fold and makes most of them: the list may begin with a window, of whichever fold.
fn best(folds: usize, along: impl Fn(&[usize]) -> Walk) -> Walk {
    let score = |walk: &Walk| (walk.open.is_empty(), walk.last, walk.made);
    let mut best = along(&[]);
    let mut turns = VecDeque::new();
    let branch = |turns: &mut VecDeque<Vec<usize>>, walk: &Walk, taken: &[usize]| {
        for (place, &options) in walk.options.iter().enumerate().skip(taken.len()) {
            let straight = || taken.iter().copied().chain(std::iter::repeat(0)).take(place);
            turns.extend((1..options).take(MOST_TRIES).map(|option| straight().chain([option]).collect::<Vec<_>>()));
            if turns.len() > MOST_TRIES {
                break;
            }
        }
    };
    branch(&mut turns, &best, &[]);
    for _ in 0..MOST_TRIES {
        if best.made == folds {
            break;
        }
        let Some(taken) = turns.pop_front() else { break };
        let other = along(&taken);
        branch(&mut turns, &other, &taken);
        if score(&other) > score(&best) {
            best = other;
        }
    }
    best
}

/// One way along a log.
struct Walk {
    window: Vec<Item>,
    /// All folds before this one are in the window, or were of another way that the conversation went once.
    done: usize,
    /// The number behind the last fold that was made, or is in the window.
    last: usize,
    /// Number of folds that were made.
    made: usize,
    /// Folds that were not made although their digest and messages that they folded are there.
    open: Vec<(usize, Stand)>,
    /// In how many ways it could have gone on, each time that there were several.
    options: Vec<usize>,
}

impl Walk {
    fn along(
        folds: &[Fold<'_>],
        log: &[Fingerprint],
        lenient: &[bool],
        is: &dyn Fn(Fingerprint, Fingerprint) -> bool,
        turns: &[usize],
    ) -> Walk {
        let mut by_digest: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
        for (number, fold) in folds.iter().enumerate() {
            by_digest.entry(fold.digest[0]).or_default().push(number);
        }
        let mut walk = Walk { window: Vec::new(), done: 0, last: 0, made: 0, open: Vec::new(), options: Vec::new() };
        // Before this one nothing can be made any more; what the window began with says so only once all is read.
        let (mut next, mut at) = (0, 0);
        let mut weakly_done = 0;
        while at < log.len() {
            let here = by_digest.get(&log[at]).into_iter().flatten().copied();
            let here: Vec<usize> = here.filter(|&number| log[at..].starts_with(&folds[number].digest)).collect();
            let to_come = || here.iter().copied().filter(|&number| number >= next);
            let exact = |&number: &usize| {
                let fold = &folds[number];
                fold.has_span(&walk.window) && fold.has_tail(&walk.window)
            };
            let loose = |&number: &usize| lenient[number] && folds[number].has_span(&walk.window);
            let mut options: Vec<usize> = to_come().filter(exact).collect();
            if options.is_empty() {
                options.extend(to_come().find(loose));
            }
            if !options.is_empty() {
                let turn = turns.get(walk.options.len()).copied().unwrap_or(0);
                // One more: to make none.
                walk.options.push(options.len() + 1);
                if let Some(&number) = options.get(turn) {
                    folds[number].make(&mut walk.window, at);
                    at += folds[number].digest.len();
                    next = number + 1;
                    walk.made += 1;
                    walk.done = walk.done.max(next);
                    walk.last = walk.last.max(next);
                    continue;
                }
            }
            let fit = |number: usize| {
                let fold = &folds[number];
                fold.fits_in(&walk.window, &log[at + fold.digest.len()..]).map(|fit| (fit, number))
            };
            if let Some((fit, number)) = here.iter().filter_map(|&number| fit(number)).max() {
                let done = if fit >= Fit::FirstOfTail { &mut walk.done } else { &mut weakly_done };
                *done = (*done).max(number + 1);
                walk.last = walk.last.max(number + 1);
            } else if options.is_empty() {
                let stands = |number: usize| Some((number, folds[number].stands_in(&walk.window, is)?));
                walk.open.extend(to_come().filter_map(stands));
            }
            walk.window.push((Slot::Message(at as u32), log[at]));
            at += 1;
        }
        let done = walk.done;
        walk.open.retain(|&(number, proof)| number >= done && (proof == Stand::Tail || number >= weakly_done));
        walk
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Format;
    use crate::json::Tape;
    use crate::ledger::Filler;
    use crate::window::FILLER;

    fn print(text: &str) -> Fingerprint {
        let note = |side| Format::OpenaiChat.reader().note(side, FILLER);
        let note = match text {
            "(user)" => note(Side::User),
            "(model)" => note(Side::Model),
            _ => return fingerprint::text(text.as_bytes()),
        };
        fingerprint::message(Tape::new().parse(note.as_bytes()).unwrap(), None)
    }

    fn all(texts: &[String]) -> Vec<Fingerprint> {
        texts.iter().map(|text| print(text)).collect()
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    /// What folds, and what of it stays before the digest and after it.
    #[derive(Clone, Debug, Default)]
    pub struct Cut {
        start: usize,
        end: usize,
        before: Vec<usize>,
        after: Vec<usize>,
        fillers: Vec<(usize, Side)>,
    }

    /// A conversation in which somebody folds, and every list of it that somebody may have kept.
    #[derive(Clone, Default)]
    pub struct Life {
        pub records: Vec<Record>,
        pub window: Vec<String>,
        /// The log, and for each fold the window behind it with what was appended since.
        pub lists: Vec<Vec<String>>,
    }

    impl Life {
        fn new(log: &str) -> Life {
            Life { records: Vec::new(), window: words(log), lists: vec![words(log)] }
        }

        pub fn append(&mut self, text: &str) {
            self.window.extend(words(text));
            self.lists.iter_mut().for_each(|list| list.extend(words(text)));
        }

        pub fn fold(&mut self, cut: &Cut, digest: &str) {
            let hex = |texts: &[String]| all(texts).iter().map(Fingerprint::to_string).collect::<Vec<_>>();
            let digest = words(digest);
            let kept = |places: &[usize]| places.iter().map(|&at| self.window[at].clone()).collect::<Vec<_>>();
            let mut body = kept(&cut.before);
            body.extend(digest.clone());
            body.extend(kept(&cut.after));
            let mut fillers = Vec::new();
            for &(at, side) in &cut.fillers {
                let text = if side == Side::User { "(user)" } else { "(model)" };
                body.insert(at, text.into());
                fillers.push(Filler { at: at as u32, fingerprint: print(text).to_string() });
            }
            let numbers = |places: &[usize]| places.iter().map(|&at| at as u32).collect();
            let tail = &self.window[cut.end..];
            let record = FoldRecord {
                format: Format::OpenaiChat.name().into(),
                prefix_end: cut.start as u32,
                kept_from: cut.end as u32,
                before: numbers(&cut.before),
                after: numbers(&cut.after),
                digest: hex(&digest),
                span: hex(&self.window[cut.start..cut.end]),
                tail: tail.first().map(|text| print(text).to_string()),
                tail_length: tail.len() as u32,
                tail_span: fingerprint::span(&all(tail)).to_string(),
                fillers,
                gone: false,
                unknown: None,
            };
            record.check().unwrap();
            self.records.push(Record::Fold(record));
            self.lists.iter_mut().for_each(|list| list.extend(digest.clone()));
            self.window.splice(cut.start..cut.end, body);
            self.lists.push(self.window.clone());
        }

        pub fn replay(&self, list: &[String]) -> Result<Vec<String>> {
            let text = |slot: Slot| match slot {
                Slot::Message(index) => list[index as usize].clone(),
                Slot::Filler(Side::User) => "(user)".into(),
                Slot::Filler(Side::Model) => "(model)".into(),
                Slot::Digest => unreachable!("a digest is messages of the log"),
            };
            Ok(replay(&self.records, &all(list))?.into_iter().map(text).collect())
        }

        fn holds(&self) {
            for list in &self.lists {
                assert_eq!(self.replay(list).as_ref(), Ok(&self.window), "{list:?}");
            }
        }

        fn refuses(&self, list: &str) {
            assert_eq!(
                self.replay(&words(list)).map_err(|error| error.code),
                Err(ErrorCode::OriginalsMissing),
                "{list}"
            );
        }
    }

    fn span(start: usize, end: usize) -> Cut {
        Cut { start, end, ..Cut::default() }
    }

    #[test]
    fn what_stayed_may_equal_what_folded() {
        let mut life = Life::new("S continue a continue b tests c thanks welcome");
        life.fold(&Cut { before: vec![3], ..span(1, 7) }, "D");
        life.holds();
        let mut life = Life::new("S continue a continue b tests c thanks welcome");
        life.fold(&Cut { after: vec![3], ..span(1, 7) }, "D");
        life.append("more");
        life.holds();
        life.fold(&Cut { before: vec![1, 2], fillers: vec![(1, Side::Model)], ..span(1, 4) }, "E F");
        life.append("and more");
        life.holds();
    }

    #[test]
    fn folds_with_one_digest_are_told_apart_from_each_other_and_from_quotes() {
        let mut life = Life::new("S a b c d");
        life.fold(&span(1, 4), "D");
        life.append("e f D g");
        life.holds();
        life.fold(&span(1, 4), "D");
        life.append("h D i");
        life.holds();
        life.fold(&Cut { before: vec![3], ..span(1, 5) }, "D");
        life.append("j");
        life.holds();
    }

    #[test]
    fn a_log_without_the_way_that_was_left_leads_to_the_window() {
        let mut life = Life::new("S a b c d e");
        let mut other = life.clone();
        other.append("x");
        other.fold(&span(1, 6), "D");
        life.records = other.records;
        life.append("f g");
        life.fold(&span(1, 6), "D");
        life.append("h");
        life.holds();
    }

    #[test]
    fn a_tail_may_change_or_come_late() {
        let mut life = Life::new("S a b c d e");
        life.fold(&span(1, 4), "D");
        for (log, window) in [("S a b c d new D x", "S D d new x"), ("S a b c D d e x", "S D d e x")] {
            assert_eq!(life.replay(&words(log)), Ok(words(window)));
        }
    }

    #[test]
    fn changed_originals_are_refused() {
        let mut life = Life::new("S a b c d e");
        life.fold(&span(1, 4), "D");
        life.refuses("S a changed c d e D f");
        life.refuses("S a b changed d e D");
        assert_eq!(life.replay(&words("S D changed e f")), Ok(words("S D changed e f")));
        let mut life = Life::new("S D x y z u");
        life.fold(&span(1, 4), "D");
        life.refuses("S D x changed z u D");
        // Reduced, all of them, and the ledger knows of it.
        let mut life = Life::new("S A B c d");
        let hex = |text: &str| all(&words(text)).iter().map(Fingerprint::to_string).collect::<Vec<_>>();
        let run =
            crate::ledger::EditRun { at: 1, inserted: hex("A B"), removed: hex("a b"), before: None, behind: None };
        let edits = vec![run];
        let kind = crate::ledger::EditKind::Reduce;
        let window = fingerprint::span(&all(&life.window)).to_string();
        life.records.push(Record::Edit(EditRecord { kind, format: "openai-chat".into(), edits, length: 5, window }));
        life.fold(&span(1, 3), "D");
        life.holds();
        life.refuses("S a b c d D e");
    }

    #[cfg(not(target_arch = "wasm32"))]
    mod random {
        use super::*;
        use proptest::collection::vec;
        use proptest::prelude::*;
        use std::collections::BTreeSet;

        #[derive(Clone, Debug)]
        enum Step {
            /// Messages that are new, or `None` for one that was there: like others, or like a digest.
            Append(Vec<Option<usize>>),
            Fold {
                start: usize,
                length: usize,
                stay: Vec<u8>,
                digest: Option<usize>,
                fillers: Vec<bool>,
            },
        }

        const TOLD: [&str; 4] = ["continue", "ok", "D", "E F"];

        fn step() -> impl Strategy<Value = Step> {
            let message = prop::option::weighted(0.3, prop::sample::select(&[0, 0, 0, 0, 1, 1, 1, 2, 2, 3][..]));
            let fold = (
                0..3_usize,
                1..8_usize,
                vec(0..6_u8, 8),
                prop::option::weighted(0.6, 2..4_usize),
                vec(prop::bool::weighted(0.1), 2),
            );
            prop_oneof![
                vec(message, 1..5).prop_map(Step::Append),
                fold.prop_map(|(start, length, stay, digest, fillers)| Step::Fold {
                    start,
                    length,
                    stay,
                    digest,
                    fillers
                }),
            ]
        }

        fn live(life: &mut Life, number: usize, step: &Step) {
            match step {
                Step::Append(messages) => {
                    for (place, message) in messages.iter().enumerate() {
                        life.append(&message.map_or(format!("m{number}.{place}"), |told| TOLD[told].into()));
                    }
                }
                Step::Fold { start, length, stay, digest, fillers } => {
                    let start = *start.min(&life.window.len());
                    let end = (start + length).min(life.window.len());
                    // The last one of the span folds in any case.
                    let stays =
                        |which: u8| (start..end).filter(|at| at + 1 < end && stay[at - start] == which).collect();
                    let (before, after): (Vec<usize>, Vec<usize>) = (stays(0), stays(1));
                    if start == end {
                        return;
                    }
                    let digest = digest.map_or(format!("D{number}"), |told| TOLD[told].into());
                    let mut put = Vec::new();
                    if fillers[0] {
                        put.push((before.len(), Side::Model));
                    }
                    if fillers[1] {
                        put.push((before.len() + put.len() + words(&digest).len(), Side::User));
                    }
                    life.fold(&Cut { start, end, before, after, fillers: put }, &digest);
                }
            }
        }

        /// Every window that a log can lead to, with the number of folds that are made on the way: at each digest one may be made
        /// whose span and tail are all that is there, or none.
        fn readings(records: &[Record], window: &[String], rest: &[String], made: usize) -> Vec<(usize, Vec<String>)> {
            let Some(first) = rest.first() else { return vec![(made, window.to_vec())] };
            let mut all_of = readings(records, &[window, std::slice::from_ref(first)].concat(), &rest[1..], made);
            for (number, record) in records.iter().enumerate() {
                let Record::Fold(fold) = record else { continue };
                let (start, end) = (fold.prefix_end as usize, fold.kept_from as usize);
                let hex = |texts: &[String]| all(texts).iter().map(Fingerprint::to_string).collect::<Vec<_>>();
                let count = fold.digest.len();
                let fits = window.len() == end + fold.tail_length as usize
                    && hex(&window[start..end]) == fold.span
                    && fingerprint::span(&all(&window[end..])).to_string() == fold.tail_span
                    && rest.len() >= count
                    && hex(&rest[..count]) == fold.digest;
                if !fits {
                    continue;
                }
                let kept = |places: &[u32]| places.iter().map(|&at| window[at as usize].clone()).collect::<Vec<_>>();
                let mut body = [kept(&fold.before), rest[..count].to_vec(), kept(&fold.after)].concat();
                for filler in &fold.fillers {
                    let text = if fold.is_filler(filler, Side::User) { "(user)" } else { "(model)" };
                    body.insert(filler.at as usize, text.into());
                }
                let window = [&window[..start], &body, &window[end..]].concat();
                all_of.extend(readings(&records[number + 1..], &window, &rest[count..], made + 1));
            }
            all_of
        }

        proptest! {
            #![proptest_config(ProptestConfig { cases: 5_000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

            #[test]
            fn every_list_of_a_life_leads_to_its_window(steps in vec(step(), 1..14)) {
                let mut life = Life::new("S");
                for (number, step) in steps.iter().enumerate() {
                    live(&mut life, number, step);
                    for list in life.lists.iter().collect::<BTreeSet<_>>() {
                        let replayed = life.replay(list);
                        if replayed.as_ref() == Ok(&life.window) {
                            continue;
                        }
                        // Or it is the list of another life with the same folds, and at least as many of them in it.
                        let of = life.lists.iter().rposition(|other| other == list).unwrap();
                        let reads = |(made, window): &(usize, Vec<String>)| {
                            *made >= life.records.len() - of && replayed.as_ref() == Ok(window)
                        };
                        let fits = readings(&life.records, &[], list, 0).iter().any(reads);
                        prop_assert!(fits, "{:?} of {:?}: {:?}", list, life.lists, replayed);
                    }
                }
            }
        }
    }
}
