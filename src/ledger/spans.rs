//! Conversations that others store: beside the messages a list of spans, each under the 32-bit FNV of its summary.
//!
//! Such a span says what a summary stands for, but not where it stands. One that reads it looks for a message with that
//! fingerprint, in the window and in the messages of other spans. So a fold can be told as a span only where its digest is one
//! message, nothing that stayed stands between what it took away, and no other message has the same fingerprint.

use super::{FoldRecord, Record};
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, fnv1a, Fingerprint};
use crate::formats::{Detector, Fit, Format};
use crate::json::Tape;
use crate::ledger::{unfold_all, Origin};
use crate::message::Role;
use crate::outline::object;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::ops::Range;

/// A message as spans need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanMessage {
    /// Its fingerprint.
    pub print: Fingerprint,
    /// FNV of its content, and our own fingerprint of that; `None` where its content is no text.
    pub content: Option<(u32, Fingerprint)>,
    /// The user speaks.
    pub user: bool,
    /// It can be a message of such a conversation.
    pub fits: bool,
}

/// A span as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct StoredSpan {
    /// FNV of the summary, in hex.
    pub key: String,
    /// Number of its messages behind those of the window and of the spans before; `None` where it has none.
    pub held: Option<u32>,
    /// How many messages it says to stand for.
    pub count: Option<u32>,
}

/// A span whose place was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpanAsFold {
    /// Index of the span.
    pub span: u32,
    /// The fold that it is.
    pub record: FoldRecord,
}

/// What became of the spans of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpanFolds {
    /// Those that have a place, the oldest first.
    pub folds: Vec<SpanAsFold>,
    /// Indices of those whose messages are none of agentfootprint.
    pub unreadable: Vec<u32>,
}

/// A fold that a span can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldAsSpan {
    /// Index of the record.
    pub record: u32,
    /// FNV of its digest's content.
    pub key: u32,
    /// Number of messages that it took away.
    pub count: u32,
}

fn refused(code: ErrorCode, what: impl Into<String>) -> Error {
    Error::new(code, what)
}

/// Reads messages, one JSON text each.
///
/// # Errors
/// [`ErrorCode::BadMessage`] for what is no message.
pub fn span_messages(lines: &[&[u8]]) -> Result<Vec<SpanMessage>> {
    let reader = Format::Agentfootprint.reader();
    let mut tape = Tape::new();
    let read = |(index, line): (usize, &&[u8])| {
        let message = object(&mut tape, line, index)?;
        let content = message.get("content").and_then(|content| content.text());
        Ok(SpanMessage {
            print: fingerprint::message(message, None),
            content: content.map(|text| (fnv1a(&text), fingerprint::text(&text))),
            user: reader.role(message) == Role::User,
            fits: reader.fit(message) != Fit::Impossible,
        })
    };
    lines.iter().enumerate().map(read).collect()
}

/// Sees that messages are those of agentfootprint, or plain text.
fn check_format<'l>(lines: impl Iterator<Item = &'l &'l [u8]>) -> Result<()> {
    let (mut detector, mut tape) = (Detector::default(), Tape::new());
    let reader = Format::Agentfootprint.reader();
    for (index, line) in lines.enumerate() {
        let message = object(&mut tape, line, index)?;
        detector.see(message);
        if reader.fit(message) == Fit::Impossible {
            let what = format!("message {index} is none of agentfootprint and no plain text, and spans know no other");
            return Err(refused(ErrorCode::BadArgument, what));
        }
    }
    let candidates = detector.candidates();
    match candidates.first() {
        Some(other) if !candidates.contains(&Format::Agentfootprint) => {
            let what = format!("the messages are those of {}; spans know agentfootprint and plain text", other.name());
            Err(refused(ErrorCode::BadArgument, what))
        }
        _ => Ok(()),
    }
}

/// A span on the way to its place.
struct Looking {
    key: Option<u32>,
    /// Its messages, or what stands in their place.
    messages: Vec<SpanMessage>,
    unknown: Option<u32>,
}

/// The spans of a conversation as folds, the oldest first. `lines` are the messages of the window, `window` of them, and behind them
/// those of the spans.
///
/// The spans are put back from the last to the first: each belongs to the summary that is to be seen once all later ones are undone,
/// so of several with one fingerprint each finds its own. Of several messages with the same text the first is the summary; those
/// behind it repeat it. A span whose summary is nowhere, or whose messages cannot be read, has no fold in the answer.
///
/// # Errors
/// [`ErrorCode::BadArgument`] for messages of another format; [`ErrorCode::BadLedger`] where it cannot be told which summary a span
/// is of.
pub fn folds_of_spans(lines: &[&[u8]], window: usize, spans: &[StoredSpan]) -> Result<SpanFolds> {
    let all = span_messages(lines)?;
    let mut next = window.min(all.len());
    let mut seen: Vec<&&[u8]> = lines[..next].iter().collect();
    let mut look = Vec::with_capacity(spans.len());
    let mut unreadable = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        let held = span.held.map(|count| {
            let from = next;
            next = (next + count as usize).min(all.len());
            from..next
        });
        let readable = held.clone().is_none_or(|range| all[range].iter().all(|message| message.fits));
        if readable {
            seen.extend(held.clone().into_iter().flat_map(|range| &lines[range]));
        } else {
            unreadable.push(number as u32);
        }
        let unknown = if held.is_none() && span.count != Some(0) { Some(span.count.unwrap_or(0)) } else { None };
        look.push(Looking {
            key: key_of(&span.key).filter(|_| readable),
            messages: match (held, unknown) {
                (Some(range), _) => all[range].to_vec(),
                (None, Some(_)) => vec![stand_in(number, &span.key)],
                (None, None) => Vec::new(),
            },
            unknown,
        });
    }
    check_format(seen.into_iter())?;
    Ok(SpanFolds { folds: placed(&all[..window.min(all.len())], &look, BLOCK)?, unreadable })
}

fn placed(window: &[SpanMessage], spans: &[Looking], block: usize) -> Result<Vec<SpanAsFold>> {
    let mut search = Search::new(window, spans, block);
    let mut folds = Vec::new();
    // Round by round, the last spans first, as long as it helps: they need not be in the order in which they were made. A round
    // looks at those alone whose summary is to be seen.
    while let Some(number) = search.next() {
        let Some(at) = search.place_of(number)? else { continue };
        folds.push(SpanAsFold { span: number as u32, record: search.put_back(number, at) });
    }
    // One of a pair that has a place could as well be the other.
    let mut left: HashMap<u32, Vec<usize>> = HashMap::new();
    for number in (0..spans.len()).rev().filter(|&number| !search.done[number]) {
        let others = left.entry(search.groups_of[number]).or_default();
        // Of those that hold the same the first is enough.
        if others.iter().all(|&other| search.kinds[other] != search.kinds[number]) && others.len() < 2 {
            others.push(number);
        }
    }
    for fold in &folds {
        let own = fold.span as usize;
        let mut others = left.get(&search.groups_of[own]).into_iter().flatten();
        if let Some(&other) = others.find(|&&other| search.kinds[other] != search.kinds[own]) {
            return Err(undecided(own, other));
        }
    }
    folds.reverse();
    Ok(folds)
}

/// Spans on the way to their places, and what is to be seen by now.
struct Search<'s> {
    spans: &'s [Looking],
    /// All messages that were ever to be seen, by number.
    messages: Vec<SpanMessage>,
    order: Order,
    /// By the fingerprint of spans.
    groups: Vec<Group>,
    group_of_key: HashMap<u32, u32>,
    /// Of each span, and of those whose fingerprint is none its number behind all groups.
    groups_of: Vec<u32>,
    /// Equal for spans that hold the same messages.
    kinds: Vec<u32>,
    done: Vec<bool>,
    /// The last span that was looked at.
    last: usize,
    /// Spans to look at in this round, and in the next.
    round: BinaryHeap<usize>,
    next: BinaryHeap<usize>,
}

/// What is to be seen under one fingerprint.
#[derive(Default)]
struct Group {
    /// Spans that have no place yet.
    spans: BTreeSet<usize>,
    users: Places,
    others: Places,
}

/// Messages with one fingerprint in their order.
#[derive(Default)]
struct Places {
    items: VecDeque<u32>,
    /// How many have which text.
    texts: HashMap<Option<(u32, Fingerprint)>, usize>,
    /// Spans that were put back at one of these places while the others were there as well: any of them could have been it.
    asked: Vec<usize>,
    /// Where in `asked` the spans begin to hold something else than those before.
    turns: Vec<usize>,
    /// For each message how many had been put back before it was to be seen.
    since: HashMap<u32, usize>,
}

impl<'s> Search<'s> {
    fn new(window: &[SpanMessage], spans: &'s [Looking], block: usize) -> Search<'s> {
        let mut group_of_key = HashMap::new();
        let mut groups: Vec<Group> = Vec::new();
        let mut groups_of = Vec::with_capacity(spans.len());
        let mut known = HashMap::new();
        let mut kinds = Vec::with_capacity(spans.len());
        for (number, span) in spans.iter().enumerate() {
            let prints: Vec<Fingerprint> = span.messages.iter().map(|message| message.print).collect();
            let kind = known.len() as u32;
            kinds.push(*known.entry(prints).or_insert(kind));
            let Some(key) = span.key else {
                groups_of.push(u32::MAX);
                continue;
            };
            let group = *group_of_key.entry(key).or_insert(groups.len() as u32);
            if group as usize == groups.len() {
                groups.push(Group::default());
            }
            groups[group as usize].spans.insert(number);
            groups_of.push(group);
        }
        let mut search = Search {
            spans,
            messages: window.to_vec(),
            order: Order::of(window.len() as u32, block),
            groups,
            group_of_key,
            groups_of,
            kinds,
            done: vec![false; spans.len()],
            last: usize::MAX,
            round: BinaryHeap::new(),
            next: BinaryHeap::new(),
        };
        (0..window.len() as u32).for_each(|item| search.see(item));
        search
    }

    fn group_of(&self, item: u32) -> Option<u32> {
        let (key, _) = self.messages[item as usize].content?;
        self.group_of_key.get(&key).copied()
    }

    /// Takes a message in that is to be seen by now.
    fn see(&mut self, item: u32) {
        let Some(group) = self.group_of(item) else { return };
        let message = self.messages[item as usize];
        let own = &mut self.groups[group as usize];
        let places = if message.user { &mut own.users } else { &mut own.others };
        let at = places.items.partition_point(|&other| self.order.is_before(other, item));
        places.items.insert(at, item);
        *places.texts.entry(message.content).or_default() += 1;
        places.since.insert(item, places.asked.len());
        self.wake(group);
    }

    /// Has the next span of a group looked at: the one that comes next in this round, or else the first of the next one.
    fn wake(&mut self, group: u32) {
        let spans = &self.groups[group as usize].spans;
        if let Some(&number) = spans.range(..self.last).next_back() {
            self.round.push(number);
        } else if let Some(&number) = spans.last() {
            self.next.push(number);
        }
    }

    /// The next span whose summary may be to be seen.
    fn next(&mut self) -> Option<usize> {
        loop {
            let Some(number) = self.round.pop() else {
                if self.next.is_empty() {
                    return None;
                }
                std::mem::swap(&mut self.round, &mut self.next);
                self.last = usize::MAX;
                continue;
            };
            // It may have been called several times.
            if !self.done[number] && self.last != number {
                self.last = number;
                return Some(number);
            }
        }
    }

    /// The message that is the summary of a span.
    fn place_of(&self, number: usize) -> Result<Option<u32>> {
        let group = &self.groups[self.groups_of[number] as usize];
        // A summary is told to the model by the user; others may well repeat it.
        let places = if group.users.items.is_empty() { &group.others } else { &group.users };
        let Some(&first) = places.items.front() else { return Ok(None) };
        let content = |item: u32| self.messages[item as usize].content;
        if places.texts.len() > 1 {
            let others = places.items.iter().copied().find(|&other| content(other) != content(first));
            let (first, other) = (self.order.place(first), others.map_or(0, |other| self.order.place(other)));
            let key = self.spans[number].key.unwrap_or_default();
            let what = format!(
                "messages {first} and {other}, as they stand before span {number} is undone, have the 32-bit fingerprint {key:x} of the span and different texts"
            );
            return Err(refused(ErrorCode::BadLedger, what));
        }
        match places.other_than(first, |other| self.kinds[other] == self.kinds[number]) {
            Some(other) => Err(undecided(number, other)),
            None => Ok(Some(first)),
        }
    }

    /// Puts the messages of a span back in the place of its summary, and tells the fold that this undoes.
    fn put_back(&mut self, number: usize, item: u32) -> FoldRecord {
        let span = &self.spans[number];
        let record = self.record(item, span);
        let group = self.groups_of[number];
        let message = self.messages[item as usize];
        let own = &mut self.groups[group as usize];
        own.spans.remove(&number);
        let places = if message.user { &mut own.users } else { &mut own.others };
        places.take_first(message.content);
        if places.asked.last().is_none_or(|&last| self.kinds[last] != self.kinds[number]) {
            places.turns.push(places.asked.len());
        }
        places.asked.push(number);
        self.done[number] = true;
        let first = self.messages.len() as u32;
        self.messages.extend(&span.messages);
        self.order.replace(item, first..self.messages.len() as u32);
        (first..self.messages.len() as u32).for_each(|item| self.see(item));
        self.wake(group);
        record
    }

    fn record(&self, item: u32, span: &Looking) -> FoldRecord {
        let at = self.order.place(item);
        let print = |item: u32| self.messages[item as usize].print;
        let tail: Vec<Fingerprint> = self.order.behind(item).take(TAIL).map(print).collect();
        FoldRecord {
            format: Format::Agentfootprint.name().into(),
            prefix_end: at as u32,
            kept_from: (at + span.messages.len()) as u32,
            before: Vec::new(),
            after: Vec::new(),
            digest: vec![print(item).to_string()],
            span: span.messages.iter().map(|message| message.print.to_string()).collect(),
            tail: tail.first().map(Fingerprint::to_string),
            tail_length: tail.len() as u32,
            tail_span: fingerprint::span(&tail).to_string(),
            fillers: Vec::new(),
            gone: false,
            unknown: span.unknown,
        }
    }
}

impl Places {
    fn take_first(&mut self, content: Option<(u32, Fingerprint)>) {
        let Some(first) = self.items.pop_front() else { return };
        self.since.remove(&first);
        if let Some(count) = self.texts.get_mut(&content) {
            *count -= 1;
            if *count == 0 {
                self.texts.remove(&content);
            }
        }
    }

    /// The first span that could have been put back at a message, among those that do not hold the same.
    fn other_than(&self, item: u32, same: impl Fn(usize) -> bool) -> Option<usize> {
        let since = *self.since.get(&item)?;
        let first = *self.asked.get(since)?;
        if !same(first) {
            return Some(first);
        }
        let turn = self.turns.partition_point(|&turn| turn <= since);
        self.turns.get(turn).map(|&turn| self.asked[turn])
    }
}

/// Numbers in an order in which one is replaced by others, in blocks: neither a place nor a change costs a walk over all of them.
struct Order {
    /// Most numbers in a block.
    most: usize,
    /// Blocks in their order.
    blocks: Vec<u32>,
    /// By block: its place among the blocks, and what it holds.
    held: Vec<(usize, Vec<u32>)>,
    block_of: Vec<u32>,
}

/// Numbers in a block.
const BLOCK: usize = 512;

impl Order {
    fn of(length: u32, most: usize) -> Order {
        let held = vec![(0, (0..length).collect())];
        let mut order = Order { most, blocks: vec![0], held, block_of: vec![0; length as usize] };
        order.split(0);
        order
    }

    fn at(&self, item: u32) -> (usize, usize) {
        let (block, held) = &self.held[self.block_of[item as usize] as usize];
        (*block, held.iter().position(|&other| other == item).expect("a block holds its numbers"))
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        self.at(a) < self.at(b)
    }

    fn place(&self, item: u32) -> usize {
        let (block, at) = self.at(item);
        at + self.blocks[..block].iter().map(|&block| self.held[block as usize].1.len()).sum::<usize>()
    }

    fn behind(&self, item: u32) -> impl Iterator<Item = u32> + '_ {
        let (block, at) = self.at(item);
        self.blocks[block..].iter().flat_map(|&block| &self.held[block as usize].1).copied().skip(at + 1)
    }

    /// Puts new numbers, which follow all that were given before, in the place of one.
    fn replace(&mut self, item: u32, by: Range<u32>) {
        let (_, at) = self.at(item);
        let block = self.block_of[item as usize];
        self.block_of.resize(by.end as usize, block);
        self.held[block as usize].1.splice(at..=at, by);
        self.split(block);
    }

    fn split(&mut self, block: u32) {
        if self.held[block as usize].1.len() <= self.most {
            return;
        }
        let place = self.held[block as usize].0;
        let all = std::mem::take(&mut self.held[block as usize].1);
        let parts: Vec<Vec<u32>> = all.chunks(self.most / 2).map(<[u32]>::to_vec).collect();
        let mut blocks = vec![block];
        blocks.extend((self.held.len() as u32..).take(parts.len() - 1));
        self.held.resize_with(self.held.len() + parts.len() - 1, Default::default);
        for (&block, part) in blocks.iter().zip(parts) {
            part.iter().for_each(|&item| self.block_of[item as usize] = block);
            self.held[block as usize].1 = part;
        }
        self.blocks.splice(place..=place, blocks);
        for (place, &block) in self.blocks.iter().enumerate().skip(place) {
            self.held[block as usize].0 = place;
        }
    }
}

fn undecided(a: usize, b: usize) -> Error {
    let what = format!(
        "spans {a} and {b} have the same 32-bit fingerprint, and nothing tells which summary is of which; leave one of them out"
    );
    refused(ErrorCode::BadLedger, what)
}

/// So many messages behind a summary are told of its tail: all of it, for each of many spans, would cost their product.
const TAIL: usize = 16;

/// The fingerprint as it is compared by those who wrote it: spelled otherwise it is none.
fn key_of(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok().filter(|key| format!("{key:x}") == text)
}

/// Stands in the place of messages of which nothing is known; no message has its fingerprint.
fn stand_in(number: usize, key: &str) -> SpanMessage {
    let print = fingerprint::text(format!("unknown originals of span {number}, {key}").as_bytes());
    SpanMessage { print, content: None, user: false, fits: true }
}

/// The folds behind a window as spans, the oldest first. `lines` are the messages of the window, `window` of them, and behind them
/// those that each record holds, as many as `held` says; `None` for a record that holds none.
///
/// Folds of another way that the conversation went once are left out, and so are those that hold nothing and whose digest folded into
/// one that holds nothing: nobody can ask for them any more.
///
/// # Errors
/// [`ErrorCode::DigestMissing`] for messages that are no window of these records; [`ErrorCode::BadArgument`] for messages of another
/// format; [`ErrorCode::BadLedger`] for what a span cannot tell: a reduction, a repair, a fold that kept messages between those that
/// it took away, put others in or has a digest of several messages, a digest whose 32-bit fingerprint another message has as well;
/// [`ErrorCode::OriginalsMissing`] where the digest of a fold, or the number of its messages, is not known.
pub fn spans_of_folds(
    records: &[Record],
    lines: &[&[u8]],
    window: usize,
    held: &[Option<u32>],
) -> Result<Vec<FoldAsSpan>> {
    let all = span_messages(lines)?;
    let (window, mut rest) = all.split_at(window.min(all.len()));
    let held: Vec<Option<&[SpanMessage]>> = held
        .iter()
        .map(|count| {
            let (own, behind) = rest.split_at((*count)?.try_into().unwrap_or(usize::MAX).min(rest.len()));
            rest = behind;
            Some(own)
        })
        .collect();
    let prints: Vec<Fingerprint> = window.iter().map(|message| message.print).collect();
    let undone = undone_edits(&unfold_all(records, &prints)?);
    // What is to be seen once later folds are undone; of what nobody holds the fingerprint alone.
    let mut known: HashMap<Fingerprint, Option<u32>> = HashMap::new();
    let mut keys: HashMap<u32, u32> = HashMap::new();
    let mut see = |messages: &[SpanMessage], known: &mut HashMap<Fingerprint, Option<u32>>| {
        for message in messages {
            let key = message.content.map(|(key, _)| key);
            known.insert(message.print, key);
            key.into_iter().for_each(|key| *keys.entry(key).or_default() += 1);
        }
    };
    see(window, &mut known);
    let mut out = Vec::new();
    for (index, record) in records.iter().enumerate().rev() {
        let own = held.get(index).copied().flatten();
        let fold = match record {
            Record::Fold(fold) => fold,
            Record::Edit(edit) => {
                let put_in =
                    edit.edits.iter().flat_map(|run| &run.inserted).filter_map(|text| Fingerprint::parse(text));
                if undone.contains(&(index as u32)) || put_in.into_iter().any(|print| known.contains_key(&print)) {
                    let what = "the ledger holds a reduction or a repair of these messages, which a span cannot tell";
                    return Err(refused(ErrorCode::BadLedger, what));
                }
                continue;
            }
        };
        let digest: Vec<Fingerprint> = fold.digest.iter().filter_map(|text| Fingerprint::parse(text)).collect();
        if !digest.iter().any(|print| known.contains_key(print)) {
            continue;
        }
        let taken = taken_prints(fold);
        let key = known.get(&digest[0]).copied().flatten();
        match (own, key) {
            (Some(messages), _) => see(messages, &mut known),
            (None, _) => taken.iter().for_each(|print| {
                known.entry(*print).or_insert(None);
            }),
        }
        let Some(key) = key else {
            if own.is_none() && fold.digest.len() == 1 {
                continue;
            }
            return Err(cannot(records, index, &Cannot::NoDigest));
        };
        if let Some(why) = reason(fold) {
            return Err(cannot(records, index, &why));
        }
        let count = fold.unknown.unwrap_or(taken.len() as u32);
        out.push(FoldAsSpan { record: index as u32, key, count });
    }
    if let Some(twice) = out.iter().find(|fold| keys.get(&fold.key) != Some(&1)) {
        return Err(cannot(records, twice.record as usize, &Cannot::Shared(twice.key)));
    }
    check_format(lines.iter())?;
    out.reverse();
    Ok(out)
}

fn undone_edits(origins: &[Origin]) -> HashSet<u32> {
    let record = |origin: &Origin| match origin {
        Origin::Fold { fold, .. } => Some(*fold),
        Origin::Window(_) => None,
    };
    origins.iter().filter_map(record).collect()
}

fn taken_prints(fold: &FoldRecord) -> Vec<Fingerprint> {
    fold.folded().into_iter().filter_map(|index| Fingerprint::parse(fold.span.get(index as usize)?)).collect()
}

/// Why a fold is no span.
enum Cannot {
    NoDigest,
    NoCount,
    Between,
    Fillers,
    SeveralMessages,
    Shared(u32),
}

/// Why the layout of a fold is none of a span.
fn reason(fold: &FoldRecord) -> Option<Cannot> {
    if fold.digest.len() != 1 {
        return Some(Cannot::SeveralMessages);
    }
    if !fold.fillers.is_empty() {
        return Some(Cannot::Fillers);
    }
    if fold.gone || fold.unknown == Some(0) {
        return Some(Cannot::NoCount);
    }
    // The reader puts the messages where the digest is: in their old order only if what stayed stands around all of them.
    let folded = fold.folded();
    let at = |index: &u32| index + fold.prefix_end;
    let (first, last) = (folded.first().map(at), folded.last().map(at));
    let torn = fold.before.last().is_some_and(|kept| first.is_some_and(|first| *kept > first))
        || fold.after.first().is_some_and(|kept| last.is_some_and(|last| *kept < last));
    torn.then_some(Cannot::Between)
}

fn cannot(records: &[Record], index: usize, why: &Cannot) -> Error {
    let number = records[..index].iter().filter(|record| matches!(record, Record::Fold(_))).count();
    let (code, what) = match why {
        Cannot::NoDigest => {
            (ErrorCode::OriginalsMissing, "its digest is among originals that the ledger does not hold".to_string())
        }
        Cannot::NoCount => (ErrorCode::OriginalsMissing, "nobody knows how many messages it stands for".into()),
        Cannot::Between => (ErrorCode::BadLedger, "it kept messages between those that it took away".into()),
        Cannot::Fillers => (ErrorCode::BadLedger, "it put messages in so that user and model take turns".into()),
        Cannot::SeveralMessages => (ErrorCode::BadLedger, "its digest is of several messages".into()),
        Cannot::Shared(key) => (
            ErrorCode::BadLedger,
            format!("another message has the 32-bit fingerprint {key:x} of its digest, and would be taken for it"),
        ),
    };
    refused(code, format!("fold {number} of the ledger cannot be told as a span: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::unfold;

    fn user(text: &str) -> String {
        format!(r#"{{"role":"user","content":"{text}"}}"#)
    }

    fn span(summary: &str, held: Option<u32>) -> StoredSpan {
        StoredSpan { key: format!("{:x}", fnv1a(summary.as_bytes())), held, count: Some(held.unwrap_or(3)) }
    }

    /// The folds of spans that hold messages with these texts, and what the window unfolds to.
    fn read(window: &[&str], spans: &[(&str, Option<&[&str]>)]) -> Result<(Vec<u32>, Vec<String>)> {
        let held = spans.iter().flat_map(|(_, held)| held.unwrap_or_default().iter());
        let texts: Vec<String> = window.iter().chain(held).map(|text| user(text)).collect();
        let lines: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let stored: Vec<StoredSpan> =
            spans.iter().map(|(summary, held)| span(summary, held.map(|held| held.len() as u32))).collect();
        let folds = folds_of_spans(&lines, window.len(), &stored)?.folds;
        let records: Vec<FoldRecord> = folds.iter().map(|fold| fold.record.clone()).collect();
        records.iter().for_each(|record| record.check().unwrap());
        let prints: Vec<Fingerprint> = span_messages(&lines)?[..window.len()].iter().map(|m| m.print).collect();
        let origins = unfold(&records, &prints)?;
        let text = |origin: &Origin| match *origin {
            Origin::Window(index) => window[index as usize].to_string(),
            Origin::Fold { fold, index } => {
                let held = spans[folds[fold as usize].span as usize].1;
                held.map_or("?", |held| held[index as usize]).to_string()
            }
        };
        Ok((folds.iter().map(|fold| fold.span).collect(), origins.iter().map(text).collect()))
    }

    #[test]
    fn spans_in_spans_unfold() {
        let spans: [(&str, Option<&[&str]>); 3] = [("A", Some(&["1", "2"])), ("B", Some(&["A", "3"])), ("C", None)];
        let (folds, back) = read(&["B", "4", "C", "5"], &spans).unwrap();
        assert_eq!(folds, [0, 1, 2]);
        assert_eq!(back, ["1", "2", "3", "4", "?", "5"]);
    }

    #[test]
    fn the_same_summary_is_told_apart_by_its_place() {
        let spans: [(&str, Option<&[&str]>); 2] = [("A", Some(&["1", "2"])), ("A", Some(&["A", "3"]))];
        assert_eq!(read(&["A", "4"], &spans).unwrap().1, ["1", "2", "3", "4"]);
        let beside: [(&str, Option<&[&str]>); 2] = [("A", Some(&["1", "2"])), ("A", Some(&["3"]))];
        for window in [&["A", "4", "A"][..], &["A", "4"]] {
            assert_eq!(read(window, &beside).unwrap_err().code, ErrorCode::BadLedger);
        }
    }

    #[test]
    fn what_has_no_place_has_no_fold() {
        let spans: [(&str, Option<&[&str]>); 2] = [("A", Some(&["1"])), ("nowhere", Some(&["2"]))];
        assert_eq!(read(&["A", "4"], &spans).unwrap(), (vec![0], vec!["1".to_string(), "4".to_string()]));
    }

    fn looking(key: Option<u32>, messages: &[SpanMessage]) -> Looking {
        Looking { key, messages: messages.to_vec(), unknown: None }
    }

    fn said(text: &str, by_user: bool) -> SpanMessage {
        let print = fingerprint::text(format!("{text} {by_user}").as_bytes());
        let content = Some((fnv1a(text.as_bytes()), fingerprint::text(text.as_bytes())));
        SpanMessage { print, content, user: by_user, fits: true }
    }

    fn key(text: &str) -> Option<u32> {
        Some(fnv1a(text.as_bytes()))
    }

    #[test]
    fn many_spans_find_their_places_in_any_order() {
        let count = 20_000;
        let name = |i: usize| format!("summary {i}");
        let chained = |i: usize| {
            let inner = if i == 0 { said("first", true) } else { said(&name(i - 1), true) };
            looking(key(&name(i)), &[inner, said("more", false)])
        };
        let window = [said(&name(count - 1), true), said("tail", true)];
        let mut spans: Vec<Looking> = (0..count).map(chained).collect();
        assert_eq!(placed(&window, &spans, BLOCK).unwrap().len(), count);
        spans.reverse();
        assert_eq!(placed(&window, &spans, BLOCK).unwrap().len(), count);
        let beside: Vec<Looking> = (0..count).map(|i| looking(key(&name(i)), &[said("more", false)])).collect();
        let window: Vec<SpanMessage> = (0..count).map(|i| said(&name(i), true)).collect();
        assert_eq!(placed(&window, &beside, BLOCK).unwrap().len(), count);
        let same: Vec<Looking> = (0..count).map(|_| looking(key("same"), &[said("more", false)])).collect();
        let window: Vec<SpanMessage> = (0..count).map(|_| said("same", true)).collect();
        assert_eq!(placed(&window, &same, BLOCK).unwrap().len(), count);
    }

    #[cfg(not(target_arch = "wasm32"))]
    mod random {
        use super::*;
        use proptest::collection::vec;
        use proptest::prelude::*;

        /// Two texts with one fingerprint among them.
        const TEXTS: [&str; 6] = ["a", "b", "c", "d", "GOAL: ticket 162789 closed", "GOAL: ticket 379192 closed"];

        fn messages(most: usize) -> impl Strategy<Value = Vec<SpanMessage>> {
            let text = prop_oneof![20 => 0..4_usize, 1 => 4..6_usize];
            vec((text, prop::bool::weighted(0.7)).prop_map(|(text, user)| said(TEXTS[text], user)), 0..=most)
        }

        proptest! {
            #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

            #[test]
            fn the_places_are_those_of_a_plain_search(
                window in messages(6),
                spans in vec((prop_oneof![20 => 0..4_usize, 1 => 4..6_usize], messages(3)), 0..8),
            ) {
                let spans: Vec<Looking> = spans.iter().map(|(text, held)| looking(key(TEXTS[*text]), held)).collect();
                prop_assert_eq!(placed(&window, &spans, 2), plainly::placed(&window, &spans));
            }
        }
    }

    /// The same, as it is meant: every span looks at every message in each round.
    mod plainly {
        use super::super::*;

        type Contested = HashMap<u32, Vec<(usize, usize)>>;

        pub fn placed(window: &[SpanMessage], spans: &[Looking]) -> Result<Vec<SpanAsFold>> {
            let mut items: Vec<(usize, SpanMessage)> = window.iter().copied().enumerate().collect();
            let mut ids = items.len();
            let mut folds = Vec::new();
            let mut left: Vec<usize> = (0..spans.len()).rev().collect();
            let mut contested = Contested::new();
            // Again as long as it helps: the spans need not be in the order in which they were made.
            loop {
                let before = left.len();
                let mut still = Vec::new();
                for number in left {
                    let span = &spans[number];
                    let Some(at) = place_of(&items, spans, number, &mut contested)? else {
                        still.push(number);
                        continue;
                    };
                    folds.push(SpanAsFold { span: number as u32, record: record_at(&items, at, span) });
                    let back =
                        span.messages.iter().enumerate().map(|(i, &message)| (ids + i, message)).collect::<Vec<_>>();
                    ids += back.len();
                    items.splice(at..=at, back);
                }
                left = still;
                if left.len() == before {
                    break;
                }
            }
            // One of a pair that has a place could as well be the other.
            for fold in &folds {
                let own = fold.span as usize;
                if let Some(&other) =
                    left.iter().find(|&&other| spans[other].key == spans[own].key && differ(spans, own, other))
                {
                    return Err(undecided(own, other));
                }
            }
            folds.reverse();
            Ok(folds)
        }

        fn place_of(
            items: &[(usize, SpanMessage)],
            spans: &[Looking],
            number: usize,
            contested: &mut Contested,
        ) -> Result<Option<usize>> {
            let Some(key) = spans[number].key else { return Ok(None) };
            let has_key = |at: &usize| items[*at].1.content.is_some_and(|(own, _)| own == key);
            let mut places: Vec<usize> = (0..items.len()).filter(has_key).collect();
            // A summary is told to the model by the user; others may well repeat it.
            if places.iter().any(|&at| items[at].1.user) {
                places.retain(|&at| items[at].1.user);
            }
            let Some((&first, others)) = places.split_first() else { return Ok(None) };
            if let Some(&other) = others.iter().find(|&&at| items[at].1.content != items[first].1.content) {
                let what = format!(
                    "messages {first} and {other}, as they stand before span {number} is undone, have the 32-bit fingerprint {key:x} of the span and different texts"
                );
                return Err(refused(ErrorCode::BadLedger, what));
            }
            let open = contested.entry(key).or_default();
            let id = items[first].0;
            if let Some((_, other)) = open.iter().find(|(item, other)| *item == id && differ(spans, number, *other)) {
                return Err(undecided(number, *other));
            }
            open.extend(others.iter().map(|&at| (items[at].0, number)));
            Ok(Some(first))
        }

        fn differ(spans: &[Looking], a: usize, b: usize) -> bool {
            let prints = |number: usize| spans[number].messages.iter().map(|message| message.print);
            !prints(a).eq(prints(b))
        }

        fn record_at(items: &[(usize, SpanMessage)], at: usize, span: &Looking) -> FoldRecord {
            let tail: Vec<Fingerprint> = items[at + 1..].iter().take(TAIL).map(|(_, message)| message.print).collect();
            FoldRecord {
                format: Format::Agentfootprint.name().into(),
                prefix_end: at as u32,
                kept_from: (at + span.messages.len()) as u32,
                before: Vec::new(),
                after: Vec::new(),
                digest: vec![items[at].1.print.to_string()],
                span: span.messages.iter().map(|message| message.print.to_string()).collect(),
                tail: tail.first().map(Fingerprint::to_string),
                tail_length: tail.len() as u32,
                tail_span: fingerprint::span(&tail).to_string(),
                fillers: Vec::new(),
                gone: false,
                unknown: span.unknown,
            }
        }
    }
}
