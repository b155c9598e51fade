//! Mends what [`crate::check`] finds: no more than that, the same way every time, and so that it can be undone.
//!
//! Rules are mended one after the other, since each may uncover something: results that go away leave a message empty. Done
//! when a whole round finds nothing.

use crate::check::rules::{turns, Turn, OPENING};
use crate::check::{rules::NO_RESULT, At, Finding, Fix, Problem, View};
use crate::edit::{path_to, Draft, Item, Set, Source, Step};
use crate::error::Result;
use crate::formats::{Format, Unanswered};
use crate::json::{quote, Tape, Value};
use crate::message::Part;
use crate::order::sort_by_key;
use crate::profile::Place;
use crate::window::Side;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Rounds until nothing is found. Each takes away or moves; three have been seen at most.
const MOST_ROUNDS: usize = 16;

/// What a repair made of a transcript.
#[derive(Debug, Clone)]
pub struct Repaired {
    /// The messages, as the caller's own ones with changes.
    pub drafts: Vec<Draft>,
    /// What was mended, in the order in which it was: the problem, with its index in the messages that came in.
    pub changes: Vec<Problem>,
    /// The runs in which the new messages differ from those that came in, by place.
    pub edits: Vec<Edit>,
}

/// A run of new messages in place of a run of old ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    /// Index of the first new message.
    pub at: u32,
    /// Number of new messages.
    pub inserted: u32,
    /// Index of the first old message.
    pub from: u32,
    /// Number of old messages.
    pub removed: u32,
}

impl Repaired {
    /// The messages as JSON texts.
    pub fn texts<T: AsRef<[u8]>>(&self, originals: &[T], format: Format) -> Vec<Vec<u8>> {
        self.drafts.iter().map(|draft| draft.text(originals, format)).collect()
    }
}

/// Mends a transcript.
///
/// ```
/// use plica::formats::Format;
/// let messages: [&[u8]; 3] = [
///     br#"{"role":"user","content":"hi"}"#,
///     br#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
///     br#"{"role":"user","content":"never mind"}"#,
/// ];
/// let repaired = plica::repair::repair(&messages, Format::OpenaiChat).unwrap();
/// let texts = repaired.texts(&messages, Format::OpenaiChat);
/// assert!(texts[2].starts_with(br#"{"role":"tool","tool_call_id":"c""#));
/// assert!(plica::check::check(&texts, Format::OpenaiChat).unwrap().is_empty());
/// ```
///
/// # Errors
/// [`crate::error::ErrorCode::BadMessage`].
pub fn repair<T: AsRef<[u8]>>(messages: &[T], format: Format) -> Result<Repaired> {
    let mut work = Work {
        originals: messages.iter().map(AsRef::as_ref).collect(),
        format,
        drafts: (0..messages.len() as u32).map(Draft::original).collect(),
        texts: messages.iter().map(|message| Cow::Borrowed(message.as_ref())).collect(),
        changes: Vec::new(),
    };
    for _ in 0..MOST_ROUNDS {
        if !work.round()? {
            break;
        }
    }
    let edits = edits(&work.drafts, messages.len());
    Ok(Repaired { drafts: work.drafts, changes: work.changes, edits })
}

struct Work<'w> {
    originals: Vec<&'w [u8]>,
    format: Format,
    drafts: Vec<Draft>,
    texts: Vec<Cow<'w, [u8]>>,
    changes: Vec<Problem>,
}

impl<'w> Work<'w> {
    /// Each rule once; whether there was anything to mend.
    fn round(&mut self) -> Result<bool> {
        let mut any = false;
        for rule in self.format.reader().profile().faults {
            let view = View::read(&self.texts, self.format)?;
            let mut found = Vec::new();
            rule.find(&view, &mut found);
            if found.is_empty() {
                continue;
            }
            any = true;
            let drafts = Mender { view: &view, format: self.format, old: &self.drafts }.mend(&found);
            let texts = drafts.iter().map(|draft| self.text(draft)).collect();
            found.into_iter().for_each(|finding| self.note(finding.problem));
            (self.drafts, self.texts) = (drafts, texts);
        }
        Ok(any)
    }

    fn text(&self, draft: &Draft) -> Cow<'w, [u8]> {
        match draft.untouched() {
            Some(index) => Cow::Borrowed(self.originals[index as usize]),
            None => Cow::Owned(draft.text(&self.originals, self.format)),
        }
    }

    /// Of a message that plica wrote the place is that of the original before it.
    fn note(&mut self, problem: Problem) {
        let original = |draft: &Draft| match draft.source {
            Source::Original(index) => Some(index),
            Source::Written(_) => None,
        };
        let before = self.drafts[..=problem.index as usize].iter().rev().find_map(original);
        self.changes.push(Problem { index: before.unwrap_or(0), ..problem });
    }
}

/// Applies the findings of one rule.
struct Mender<'m> {
    view: &'m View<'m>,
    format: Format,
    old: &'m [Draft],
}

/// Changes by message, collected before any is made, so that indices hold.
#[derive(Default)]
struct Plan {
    dropped: HashSet<At>,
    fronts: HashMap<u32, Vec<u32>>,
    /// Sets in items and beside them.
    item_sets: HashMap<(u32, u32), Vec<Set>>,
    sets: HashMap<u32, Vec<Set>>,
    /// For each turn, by the call's link: a result that moves there, or none to be found.
    placed: BTreeMap<u32, Vec<(u32, Option<At>)>>,
    user_before: HashSet<u32>,
    /// For each message that is joined to an earlier one, that one; and all that take part.
    joined: HashMap<u32, u32>,
    joining: HashSet<u32>,
}

/// Results in their new places.
#[derive(Default)]
struct Behind {
    /// Into the list of a message: where, and what.
    inserted: HashMap<u32, (u32, Vec<Item>)>,
    /// As messages behind a message.
    messages: HashMap<u32, Vec<Draft>>,
}

impl Mender<'_> {
    fn mend(&self, found: &[Finding]) -> Vec<Draft> {
        let mut plan = Plan::default();
        found.iter().for_each(|finding| self.collect(&finding.fix, &mut plan));
        let mut behind = self.placements(&mut plan);
        let mut drafts: Vec<Draft> = Vec::with_capacity(self.old.len());
        let mut place_of: HashMap<u32, usize> = HashMap::new();
        for index in 0..self.old.len() as u32 {
            if plan.user_before.contains(&index) {
                drafts.push(Draft::written(self.format.reader().note(Side::User, OPENING)));
            }
            if let Some(draft) = self.draft(index, &plan, behind.inserted.get(&index)) {
                match plan.joined.get(&index).and_then(|to| place_of.get(to)).copied() {
                    Some(place) => {
                        self.join(&mut drafts[place], draft);
                        place_of.insert(index, place);
                    }
                    None => {
                        place_of.insert(index, drafts.len());
                        drafts.push(draft);
                    }
                }
            }
            drafts.extend(behind.messages.remove(&index).unwrap_or_default());
        }
        drafts
    }

    fn collect(&self, fix: &Fix, plan: &mut Plan) {
        match fix {
            Fix::Drop(at) => drop(plan.dropped.insert(*at)),
            Fix::Place { at, call, turn } => plan.placed.entry(*turn).or_default().push((*call, Some(*at))),
            Fix::Answer { call, turn } => plan.placed.entry(*turn).or_default().push((*call, None)),
            Fix::Close { call } => self.with_part(*call, |_, raw, path| {
                for (key, value) in self.format.reader().close(raw, NO_RESULT) {
                    self.set(plan, *call, path.clone(), &[key], value);
                }
            }),
            Fix::Rename { links, id } => {
                for &link in links {
                    let result = !self.view.outline.links[link as usize].is_call();
                    self.with_part(link, |_, raw, path| {
                        let keys = self.format.reader().id_path(raw, result);
                        self.set(plan, link, path, &keys, quote(id));
                    });
                }
            }
            Fix::RenameItem { message, id } => {
                let set = Set { path: vec![Step::Key("id".into())], value: Some(quote(id)) };
                plan.sets.entry(*message).or_default().push(set);
            }
            Fix::Front { message, items } => drop(plan.fronts.insert(*message, items.clone())),
            Fix::UserBefore(message) => drop(plan.user_before.insert(*message)),
            Fix::Join { to, message } => {
                plan.joined.insert(*message, *to);
                plan.joining.extend([*to, *message]);
            }
            Fix::Member { message, key, value } => {
                let set = Set { path: vec![Step::Key((*key).into())], value: value.clone() };
                plan.sets.entry(*message).or_default().push(set);
            }
        }
    }

    /// The part behind a link: its message, itself, and the way to it.
    fn with_part(&self, link: u32, mut with: impl FnMut(Value<'_>, Value<'_>, Vec<Step>)) {
        let of = self.view.outline.links[link as usize];
        let mut tape = Tape::new();
        let message = tape.parse(self.view.messages[of.message as usize]).expect("read before");
        let mut place = 0;
        self.format.reader().parts(message, &mut |part| {
            if place == of.part {
                let raw = match part {
                    Part::Call { raw, .. } | Part::Result { raw, .. } | Part::Approval { raw, .. } => raw,
                    _ => message,
                };
                with(message, raw, path_to(message, &raw.span()));
            }
            place += 1;
        });
    }

    /// Sets a member of a part: in the item, where the part is one.
    fn set(&self, plan: &mut Plan, link: u32, path: Vec<Step>, keys: &[&str], value: String) {
        let message = self.view.outline.links[link as usize].message;
        let keys = keys.iter().map(|key| Step::Key((*key).into()));
        let element = self.view.elements(message as usize).iter().find(|element| element.link == Some(link));
        match element.and_then(|element| element.item) {
            Some(item) => {
                let set = Set { path: keys.collect(), value: Some(value) };
                plan.item_sets.entry((message, item)).or_default().push(set);
            }
            None => {
                let set = Set { path: path.into_iter().chain(keys).collect(), value: Some(value) };
                plan.sets.entry(message).or_default().push(set);
            }
        }
    }

    /// Items of an old draft's list as they are.
    fn items(&self, index: u32) -> Vec<Item> {
        if let Some(items) = &self.old[index as usize].items {
            return items.clone();
        }
        let ranges = &self.view.message(index as usize).items;
        let text = self.view.messages[index as usize];
        let item = |(place, range): (usize, &std::ops::Range<usize>)| match &self.old[index as usize].source {
            Source::Original(message) => Item::original(*message, place as u32),
            Source::Written(_) => Item {
                source: Source::Written(String::from_utf8_lossy(&text[range.clone()]).into_owned()),
                sets: Vec::new(),
            },
        };
        ranges.iter().enumerate().map(item).collect()
    }

    /// What becomes of a message; nothing, when it goes away or all of its parts do.
    fn draft(&self, index: u32, plan: &Plan, inserted: Option<&(u32, Vec<Item>)>) -> Option<Draft> {
        if plan.dropped.contains(&At { message: index, item: None }) {
            return None;
        }
        let mut draft = self.old[index as usize].clone();
        draft.sets.extend(plan.sets.get(&index).into_iter().flatten().cloned());
        let count = self.view.message(index as usize).items.len() as u32;
        let goes = |item: u32| plan.dropped.contains(&At { message: index, item: Some(item) });
        let changed = |item: u32| goes(item) || plan.item_sets.contains_key(&(index, item));
        let front = plan.fronts.get(&index);
        let joins = plan.joining.contains(&index);
        if inserted.is_none() && front.is_none() && !joins && !(0..count).any(changed) {
            return Some(draft);
        }
        let mut items = self.items(index);
        for (place, item) in items.iter_mut().enumerate() {
            item.sets.extend(plan.item_sets.get(&(index, place as u32)).into_iter().flatten().cloned());
        }
        let first: HashSet<u32> = front.into_iter().flatten().copied().collect();
        let (mut early, mut list): (Vec<Item>, Vec<Item>) = (Vec::new(), Vec::new());
        let (insert_at, new) = inserted.map_or((u32::MAX, &[][..]), |(at, new)| (*at, &new[..]));
        for (place, item) in items.into_iter().enumerate() {
            let place = place as u32;
            if place == insert_at {
                list.extend_from_slice(new);
            }
            if first.contains(&place) {
                early.push(item);
            } else if !goes(place) {
                list.push(item);
            }
        }
        if insert_at >= count {
            list.extend_from_slice(new);
        }
        early.append(&mut list);
        // What is inside a list that is empty now was all there was; what joins another may be empty.
        if early.is_empty() && !joins {
            return None;
        }
        draft.items = Some(early);
        Some(draft)
    }

    /// Results that move, and results that are written, each behind the calls of its turn.
    fn placements(&self, plan: &mut Plan) -> Behind {
        let mut behind = Behind::default();
        if plan.placed.is_empty() {
            return behind;
        }
        let turns = turns(self.view);
        for (turn, mut placed) in std::mem::take(&mut plan.placed) {
            sort_by_key(&mut placed, |(call, _)| *call);
            let turn = &turns.all[turn as usize];
            plan.dropped.extend(placed.iter().filter_map(|(_, at)| *at));
            if self.format.reader().carrier("").is_some() {
                self.place_parts(turn, &placed, plan, &mut behind);
            } else {
                let drafts = placed.iter().map(|(call, at)| match at {
                    Some(At { message, item: None }) => self.old[*message as usize].clone(),
                    // What is only a part of a message cannot stand as one.
                    _ => Draft::written(self.answer(*call)),
                });
                behind.messages.entry(turn.end).or_default().extend(drafts);
            }
        }
        behind
    }

    /// Places results that are parts of a message.
    fn place_parts(&self, turn: &Turn, placed: &[(u32, Option<At>)], plan: &mut Plan, behind: &mut Behind) {
        let item = |(call, at): &(u32, Option<At>)| match at {
            Some(at) => self.items(at.message).swap_remove(at.item.expect("a part") as usize),
            None => Item { source: Source::Written(self.answer(*call)), sets: Vec::new() },
        };
        let items: Vec<Item> = placed.iter().map(item).collect();
        if turn.end > turn.last {
            behind.inserted.insert(turn.end, (turn.end_items, items));
            return;
        }
        let moved: Vec<At> = placed.iter().filter_map(|(_, at)| *at).collect();
        let skips = self.view.profile().results != Place::BehindMessage;
        let after = turn.last as usize + 1..self.view.len();
        let next = after.into_iter().find(|&index| !(skips && self.view.is_aside(index)));
        let in_next = |next: &usize| moved.iter().any(|at| at.message as usize == *next);
        if let Some(host) = next.filter(in_next) {
            // They are in the right message already, behind something else.
            behind.inserted.insert(host as u32, (0, items));
            return;
        }
        let whole = moved.first().filter(|first| {
            let count = self.view.message(first.message as usize).items.len();
            let users = Side::of(self.view.shape(first.message as usize).role) == Some(Side::User);
            let all = moved.len() == count && placed.len() == count;
            users && all && moved.iter().all(|at| at.message == first.message)
        });
        let draft = match whole {
            // All of a message moves: as it is.
            Some(first) => {
                for at in &moved {
                    plan.dropped.remove(at);
                }
                plan.dropped.insert(At { message: first.message, item: None });
                self.old[first.message as usize].clone()
            }
            None => {
                let around = self.format.reader().carrier("").expect("parts are carried");
                Draft { source: Source::Written(around), items: Some(items), sets: Vec::new() }
            }
        };
        behind.messages.entry(turn.last).or_default().push(draft);
    }

    /// The text of a result that says that there is none.
    fn answer(&self, call: u32) -> String {
        let mut answer = String::new();
        self.with_part(call, |message, raw, _| {
            let (mut id, mut name) = (json(None), json(None));
            self.format.reader().parts(message, &mut |part| match part {
                Part::Call { id: own, name: tool, raw: of, .. } if of.span() == raw.span() => {
                    (id, name) = (json(own), json(tool));
                }
                Part::Approval { id: own, raw: of, .. } if of.span() == raw.span() => id = json(own),
                _ => {}
            });
            let used = self.view.boundaries.pairing().was_used(call);
            let unanswered = Unanswered { id: &id, name: &name, raw, message, used };
            answer = self.format.reader().result(unanswered, NO_RESULT).unwrap_or_default();
        });
        answer
    }

    fn join(&self, to: &mut Draft, other: Draft) {
        to.items.get_or_insert_with(Vec::new).extend(other.items.unwrap_or_default());
    }
}

fn json(value: Option<Value<'_>>) -> String {
    value.map_or_else(|| "null".into(), |value| String::from_utf8_lossy(value.raw()).into_owned())
}

/// Where the new messages differ from the old ones: between the untouched messages that kept their order.
fn edits(drafts: &[Draft], count: usize) -> Vec<Edit> {
    let kept =
        longest_rise(drafts.iter().enumerate().filter_map(|(at, draft)| Some((at, draft.untouched()? as usize))));
    let mut edits = Vec::new();
    let (mut at, mut from) = (0, 0);
    for (next_at, next_from) in kept.into_iter().chain([(drafts.len(), count)]) {
        if next_at > at || next_from > from {
            edits.push(Edit {
                at: at as u32,
                inserted: (next_at - at) as u32,
                from: from as u32,
                removed: (next_from - from) as u32,
            });
        }
        (at, from) = (next_at + 1, next_from + 1);
    }
    edits
}

/// A longest run of pairs whose second numbers rise.
fn longest_rise(pairs: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let all: Vec<(usize, usize)> = pairs.collect();
    // For each length, the pair that ends such a run with the least number; for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(all.len());
    for (place, &(_, number)) in all.iter().enumerate() {
        let length = ends.partition_point(|&end| all[end].1 < number);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(place);
        } else {
            ends[length] = place;
        }
    }
    let mut run = Vec::new();
    let mut at = ends.last().copied();
    while let Some(place) = at {
        run.push(all[place]);
        at = before[place];
    }
    run.reverse();
    run
}
