//! Mends what [`crate::check`] finds: no more than that, the same way every time, and so that it can be undone.
//!
//! Rules are mended one after the other, since each may uncover something: results that go away leave a message empty. Done
//! when a whole round finds nothing.

use crate::check::rules::{turns, Turn, OPENING};
use crate::check::{findings, rules::NO_RESULT, At, Finding, Fix, Problem, View};
use crate::edit::{Draft, Item, Paths, Set, Source, Step, Writer};
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
        let mut writer = Writer::new(originals, format);
        self.drafts.iter().map(|draft| writer.text(draft)).collect()
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
        // One look that finds nothing ends it; a round reads again after each rule that changed something.
        let view = View::read(&work.texts, format)?;
        if findings(&view).is_empty() {
            break;
        }
        work.round()?;
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
    /// Each rule once.
    fn round(&mut self) -> Result<()> {
        let mut rules = self.format.reader().profile().faults.iter().peekable();
        while rules.peek().is_some() {
            let view = View::read(&self.texts, self.format)?;
            let mut found = Vec::new();
            for rule in rules.by_ref() {
                rule.find(&view, &mut found);
                if !found.is_empty() {
                    break;
                }
            }
            let places = view.places();
            let drafts = Mender { view: &view, format: self.format, old: &self.drafts, places }.mend(&found);
            let texts = self.texts(&drafts);
            found.into_iter().for_each(|finding| self.note(finding.problem));
            (self.drafts, self.texts) = (drafts, texts);
        }
        Ok(())
    }

    fn texts(&self, drafts: &[Draft]) -> Vec<Cow<'w, [u8]>> {
        let mut writer = Writer::new(&self.originals, self.format);
        let text = |draft: &Draft| match draft.untouched() {
            Some(index) => Cow::Borrowed(self.originals[index as usize]),
            None => Cow::Owned(writer.text(draft)),
        };
        drafts.iter().map(text).collect()
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
    /// For each link, where its part stands.
    places: Vec<At>,
}

/// Changes by message, collected before any is made, so that indices hold.
#[derive(Default)]
struct Plan {
    dropped: HashSet<At>,
    /// Links of calls that say themselves that they have no result; links that get another id.
    closed: HashSet<u32>,
    renamed: HashMap<u32, String>,
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
        self.set_members(&mut plan);
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
            Fix::Close { call } => drop(plan.closed.insert(*call)),
            Fix::Rename { links, id } => plan.renamed.extend(links.iter().map(|link| (*link, id.clone()))),
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

    /// Visits the parts behind links, each message read once: the link, the message, the part's `raw`.
    fn visit(&self, links: impl Iterator<Item = u32>, mut with: impl FnMut(u32, Value<'_>, Part<'_>, Value<'_>)) {
        let mut by_message: BTreeMap<u32, HashMap<u32, u32>> = BTreeMap::new();
        for link in links {
            let of = self.view.outline.links[link as usize];
            by_message.entry(of.message).or_default().insert(of.part, link);
        }
        let mut tape = Tape::new();
        for (message, wanted) in by_message {
            let message = tape.parse(self.view.messages[message as usize]).expect("read before");
            let mut place = 0;
            self.format.reader().parts(message, &mut |part| {
                let link = wanted.get(&place);
                place += 1;
                if let (Some(&link), Some(raw)) = (link, linked(&part)) {
                    with(link, message, part, raw);
                }
            });
        }
    }

    /// Turns new ids and closed calls into members to set.
    fn set_members(&self, plan: &mut Plan) {
        let wanted: Vec<u32> = plan.closed.iter().chain(plan.renamed.keys()).copied().collect();
        let mut paths = Paths::default();
        self.visit(wanted.into_iter(), |link, message, _, raw| {
            let mut members: Vec<(Vec<&str>, String)> = Vec::new();
            if let Some(id) = plan.renamed.get(&link) {
                let result = !self.view.outline.links[link as usize].is_call();
                members.push((self.format.reader().id_path(raw, result), quote(id)));
            }
            if plan.closed.contains(&link) {
                let closing = self.format.reader().close(raw, NO_RESULT).into_iter();
                members.extend(closing.map(|(key, value)| (vec![key], value)));
            }
            let at = self.places[link as usize];
            for (keys, value) in members {
                let keys = keys.into_iter().map(|key| Step::Key(key.into()));
                let set = |path| Set { path, value: Some(value) };
                match at.item {
                    Some(item) => plan.item_sets.entry((at.message, item)).or_default().push(set(keys.collect())),
                    None => {
                        let path = paths.to(at.message, message, raw);
                        plan.sets.entry(at.message).or_default().push(set(path.into_iter().chain(keys).collect()));
                    }
                }
            }
        });
    }

    /// An item of an old draft's list as it is.
    fn item(&self, index: u32, place: u32) -> Item {
        let old = &self.old[index as usize];
        match (&old.items, &old.source) {
            (Some(items), _) => items[place as usize].clone(),
            (None, Source::Original(message)) => Item::original(*message, place),
            (None, Source::Written(_)) => {
                let range = self.view.message(index as usize).items[place as usize].clone();
                let text = &self.view.messages[index as usize][range];
                Item { source: Source::Written(String::from_utf8_lossy(text).into_owned()), sets: Vec::new() }
            }
        }
    }

    /// All of them.
    fn items(&self, index: u32) -> Vec<Item> {
        let count = self.view.message(index as usize).items.len() as u32;
        (0..count).map(|place| self.item(index, place)).collect()
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
        let has_carrier = self.format.reader().carrier("").is_some();
        // Without a carrier, what is only a part of a message cannot stand as one.
        let moves = |at: &Option<At>| at.is_some_and(|at| has_carrier || at.item.is_none());
        let unanswered = plan.placed.values().flatten().filter(|(_, at)| !moves(at)).map(|(call, _)| *call);
        let answers = self.answers(unanswered);
        for (turn, mut placed) in std::mem::take(&mut plan.placed) {
            sort_by_key(&mut placed, |(call, _)| *call);
            let turn = &turns.all[turn as usize];
            plan.dropped.extend(placed.iter().filter_map(|(_, at)| *at));
            if has_carrier {
                self.place_parts(turn, &placed, &answers, plan, &mut behind);
                continue;
            }
            let drafts = placed.iter().map(|(call, at)| match at {
                Some(At { message, item: None }) => self.old[*message as usize].clone(),
                _ => Draft::written(answers[call].clone()),
            });
            behind.messages.entry(turn.end).or_default().extend(drafts);
        }
        behind
    }

    /// Places results that are parts of a message.
    fn place_parts(
        &self,
        turn: &Turn,
        placed: &[(u32, Option<At>)],
        answers: &HashMap<u32, String>,
        plan: &mut Plan,
        behind: &mut Behind,
    ) {
        let item = |(call, at): &(u32, Option<At>)| match at {
            Some(at) => self.item(at.message, at.item.expect("a part")),
            None => Item { source: Source::Written(answers[call].clone()), sets: Vec::new() },
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

    /// For each call, the text of a result that says that there is none.
    fn answers(&self, calls: impl Iterator<Item = u32>) -> HashMap<u32, String> {
        let mut answers = HashMap::new();
        self.visit(calls, |link, message, part, raw| {
            let (id, name) = match part {
                Part::Call { id, name, .. } => (json(id), json(name)),
                Part::Approval { id, .. } => (json(id), json(None)),
                _ => return,
            };
            let used = self.view.boundaries.pairing().was_used(link);
            let unanswered = Unanswered { id: &id, name: &name, raw, message, used };
            answers.insert(link, self.format.reader().result(unanswered, NO_RESULT).unwrap_or_default());
        });
        answers
    }

    fn join(&self, to: &mut Draft, other: Draft) {
        to.items.get_or_insert_with(Vec::new).extend(other.items.unwrap_or_default());
    }
}

/// The `raw` of a part that the outline links.
fn linked<'d>(part: &Part<'d>) -> Option<Value<'d>> {
    match *part {
        Part::Call { raw, .. } | Part::Result { raw, .. } | Part::Approval { raw, .. } => Some(raw),
        _ => None,
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
