//! Mends what [`crate::check`] finds: no more than that, the same way every time, and so that it can be undone.
//!
//! Rules are mended one after the other, since each may uncover something: results that go away leave a message empty. Done
//! when a whole round finds nothing.

use crate::check::rules::{turns, Turn, OPENING};
use crate::check::{findings, rules::NO_RESULT, At, Finding, Fix, Form, Problem, View};
use crate::edit::{Draft, Item, Paths, Set, Source, Step, Writer};
use crate::error::Result;
use crate::formats::{Format, Unanswered};
use crate::json::{quote, Tape, Value};
use crate::message::{Part, Role};
use crate::order::sort_by_key;
use crate::profile::Place;
use crate::window::Side;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// What happens to a message; collected for all of them before anything is done, so that indices hold.
#[derive(Default)]
struct Change {
    dropped: bool,
    user_before: bool,
    sets: Vec<Set>,
    /// By the items of its list; empty when none of them changes.
    items: Vec<ItemChange>,
    /// New items: in front of which, and what.
    inserted: Option<(u32, Vec<Item>)>,
    /// New messages behind it.
    behind: Vec<Draft>,
    /// It is joined to this earlier message.
    joins: Option<u32>,
    /// It is joined to another one, or another one to it.
    joined: bool,
}

#[derive(Default, Clone)]
struct ItemChange {
    gone: bool,
    first: bool,
    sets: Vec<Set>,
}

/// Results that belong behind the calls of a turn, by turn and call: one that is to move, or none to be found.
type Placed = Vec<(u32, u32, Option<At>)>;

impl Mender<'_> {
    fn mend(&self, found: &[Finding]) -> Vec<Draft> {
        let mut changes: Vec<Change> = Vec::new();
        changes.resize_with(self.old.len(), Change::default);
        let mut placed = Placed::new();
        let (mut closed, mut renamed, mut forms) = (Vec::new(), Vec::new(), Vec::new());
        for finding in found {
            match &finding.fix {
                Fix::Place { at, call, turn } => placed.push((*turn, *call, Some(*at))),
                Fix::Answer { call, turn } => placed.push((*turn, *call, None)),
                Fix::Close { call } => closed.push(*call),
                Fix::Rename { links, id } => renamed.extend(links.iter().map(|link| (*link, id.as_str()))),
                Fix::Form(form) => forms.push(form),
                fix => self.collect(fix, &mut changes),
            }
        }
        self.set_members(closed, renamed, &mut changes);
        self.set_forms(forms, &mut changes);
        self.place(placed, &mut changes);
        self.drafts(changes)
    }

    fn drafts(&self, mut changes: Vec<Change>) -> Vec<Draft> {
        let mut drafts: Vec<Draft> = Vec::with_capacity(self.old.len());
        let mut places = vec![0; self.old.len()];
        for index in 0..self.old.len() {
            let change = &mut changes[index];
            if change.user_before {
                drafts.push(Draft::written(self.format.reader().note(Side::User, OPENING)));
            }
            let (behind, to) = (std::mem::take(&mut change.behind), change.joins.take());
            if let Some(draft) = self.draft(index as u32, std::mem::take(change)) {
                places[index] = to.map_or(drafts.len(), |to| places[to as usize]);
                match drafts.get_mut(places[index]) {
                    Some(earlier) => {
                        earlier.items.get_or_insert_with(Vec::new).extend(draft.items.unwrap_or_default());
                    }
                    None => drafts.push(draft),
                }
            }
            drafts.extend(behind);
        }
        drafts
    }

    fn collect(&self, fix: &Fix, changes: &mut [Change]) {
        match fix {
            Fix::Drop(at) => self.drop_at(*at, changes),
            Fix::RenameItem { message, id } => {
                let set = Set { path: vec![Step::Key("id".into())], value: Some(quote(id)) };
                changes[*message as usize].sets.push(set);
            }
            Fix::Front { message, items } => {
                items.iter().for_each(|&item| self.item_change(*message, item, changes).first = true);
            }
            Fix::UserBefore(message) => changes[*message as usize].user_before = true,
            Fix::Join { to, message } => {
                changes[*message as usize].joins = Some(*to);
                changes[*message as usize].joined = true;
                changes[*to as usize].joined = true;
            }
            Fix::Member { message, key, value } => {
                let set = Set { path: vec![Step::Key((*key).into())], value: value.clone() };
                changes[*message as usize].sets.push(set);
            }
            Fix::Place { .. } | Fix::Answer { .. } | Fix::Close { .. } | Fix::Rename { .. } | Fix::Form(_) => {}
        }
    }

    fn drop_at(&self, at: At, changes: &mut [Change]) {
        match at.item {
            None => changes[at.message as usize].dropped = true,
            Some(item) => self.item_change(at.message, item, changes).gone = true,
        }
    }

    fn item_change<'c>(&self, message: u32, item: u32, changes: &'c mut [Change]) -> &'c mut ItemChange {
        let items = &mut changes[message as usize].items;
        if items.is_empty() {
            items.resize(self.view.message(message as usize).items.len(), ItemChange::default());
        }
        &mut items[item as usize]
    }

    /// Visits the parts behind links, ascending, each message read once: the link, the message, the part, its `raw`.
    fn visit(&self, links: &[u32], mut with: impl FnMut(u32, Value<'_>, Part<'_>, Value<'_>)) {
        let of = |link: u32| self.view.outline.links[link as usize];
        let mut tape = Tape::new();
        for links in links.chunk_by(|&a, &b| of(a).message == of(b).message) {
            let index = of(links[0]).message as usize;
            let message = tape.parse(self.view.messages[index]).expect("read before");
            let mut wanted = links.iter().copied().peekable();
            let mut place = 0;
            self.format.reader().parts(message, &mut |part| {
                let link = wanted.next_if(|&link| of(link).part == place);
                place += 1;
                if let (Some(link), Some(raw)) = (link, linked(&part)) {
                    with(link, message, part, raw);
                }
            });
        }
    }

    /// Turns calls that say themselves that they have no result, and new ids, into members to set.
    fn set_members(&self, mut closed: Vec<u32>, mut renamed: Vec<(u32, &str)>, changes: &mut [Change]) {
        closed.sort_unstable();
        sort_by_key(&mut renamed, |(link, _)| *link);
        let reader = self.format.reader();
        self.visit(&closed, |link, _, _, raw| {
            for (key, value) in reader.close(raw, NO_RESULT) {
                let At { message, item } = self.places[link as usize];
                let item = item.expect("a call that holds its result is a part of a list");
                let set = Set { path: vec![Step::Key(key.into())], value: Some(value) };
                self.item_change(message, item, changes).sets.push(set);
            }
        });
        let mut paths = Paths::default();
        let links: Vec<u32> = renamed.iter().map(|(link, _)| *link).collect();
        self.visit(&links, |link, message, _, raw| {
            let place = renamed.binary_search_by_key(&link, |(link, _)| *link).expect("wanted");
            let keys = reader.id_path(message, raw, !self.view.outline.links[link as usize].is_call());
            let keys = keys.into_iter().map(|key| Step::Key(key.into()));
            let set = Set { path: keys.collect(), value: Some(quote(renamed[place].1)) };
            self.set_in(link, set, || paths.to(self.places[link as usize].message, message, raw), changes);
        });
    }

    fn set_forms(&self, mut forms: Vec<&Form>, changes: &mut [Change]) {
        sort_by_key(&mut forms, |form| form.link);
        let mut paths = Paths::default();
        let links: Vec<u32> = forms.iter().map(|form| form.link).collect();
        self.visit(&links, |link, message, _, raw| {
            let form = forms[forms.binary_search_by_key(&link, |form| form.link).expect("wanted")];
            let keys = form.path.iter().map(|&key| Step::Key(key.into()));
            let set = Set { path: keys.collect(), value: Some(form.value.clone()) };
            self.set_in(link, set, || paths.to(self.places[link as usize].message, message, raw), changes);
        });
    }

    /// Sets a member of the part behind a link; `to` is the way to the part, where it is in no list.
    fn set_in(&self, link: u32, mut set: Set, to: impl FnOnce() -> Vec<Step>, changes: &mut [Change]) {
        let At { message, item } = self.places[link as usize];
        if let Some(item) = item {
            return self.item_change(message, item, changes).sets.push(set);
        }
        set.path.splice(0..0, to());
        changes[message as usize].sets.push(set);
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

    /// What becomes of a message; nothing, when it goes away or all of its parts do.
    fn draft(&self, index: u32, change: Change) -> Option<Draft> {
        if change.dropped {
            return None;
        }
        let mut draft = self.old[index as usize].clone();
        draft.sets.extend(change.sets);
        if change.items.is_empty() && change.inserted.is_none() && !change.joined {
            return Some(draft);
        }
        let (insert_at, mut new) = change.inserted.unwrap_or_default();
        let count = self.view.message(index as usize).items.len() as u32;
        let (mut first, mut rest): (Vec<Item>, Vec<Item>) = (Vec::new(), Vec::new());
        let mut changes = change.items.into_iter();
        for place in 0..count {
            if place == insert_at {
                rest.append(&mut new);
            }
            let ItemChange { gone, first: leads, sets } = changes.next().unwrap_or_default();
            let mut item = self.item(index, place);
            item.sets.extend(sets);
            match (leads, gone) {
                (true, _) => first.push(item),
                (false, true) => {}
                (false, false) => rest.push(item),
            }
        }
        rest.append(&mut new);
        first.append(&mut rest);
        // What is inside a list that is empty now was all there was; what is joined to another one may be empty.
        if first.is_empty() && !change.joined {
            return None;
        }
        draft.items = Some(first);
        Some(draft)
    }

    /// Results that move, and results that are written, each behind the calls of its turn.
    fn place(&self, mut placed: Placed, changes: &mut [Change]) {
        if placed.is_empty() {
            return;
        }
        sort_by_key(&mut placed, |(turn, call, _)| (*turn, *call));
        let turns = turns(self.view);
        let has_carrier = self.format.reader().carrier("").is_some();
        // Without a carrier, what is only a part of a message cannot stand as one.
        let moves = |at: &Option<At>| at.is_some_and(|at| has_carrier || at.item.is_none());
        let mut unanswered: Vec<u32> = placed.iter().filter(|(.., at)| !moves(at)).map(|(_, call, _)| *call).collect();
        unanswered.sort_unstable();
        let answers = self.answers(&unanswered);
        for placed in placed.chunk_by(|a, b| a.0 == b.0) {
            let turn = &turns.all[placed[0].0 as usize];
            for at in placed.iter().filter_map(|(.., at)| *at) {
                self.drop_at(at, changes);
            }
            if has_carrier {
                self.place_parts(turn, placed, &answers, changes);
                continue;
            }
            let drafts = placed.iter().map(|(_, call, at)| match at {
                Some(At { message, item: None }) => self.old[*message as usize].clone(),
                _ => Draft::written(answer(&answers, *call)),
            });
            changes[turn.end as usize].behind.extend(drafts);
        }
    }

    /// Places results that are parts of a message.
    fn place_parts(
        &self,
        turn: &Turn,
        placed: &[(u32, u32, Option<At>)],
        answers: &[(u32, String)],
        changes: &mut [Change],
    ) {
        let item = |(_, call, at): &(u32, u32, Option<At>)| match at {
            Some(at) => self.item(at.message, at.item.expect("a part")),
            None => Item { source: Source::Written(answer(answers, *call)), sets: Vec::new() },
        };
        let items: Vec<Item> = placed.iter().map(item).collect();
        if turn.end > turn.last {
            changes[turn.end as usize].inserted = Some((turn.end_items, items));
            return;
        }
        let moved: Vec<At> = placed.iter().filter_map(|(.., at)| *at).collect();
        let skips = self.view.profile().results != Place::BehindMessage;
        let mut after = turn.last as usize + 1..self.view.len();
        let next = after.find(|&index| !(skips && self.view.is_aside(index) && !self.view.shape(index).has_calls));
        let next = next.filter(|&next| self.takes_results(next));
        if let Some(host) = next.filter(|next| moved.iter().any(|at| at.message as usize == *next)) {
            // They are in the right message already, behind something else.
            changes[host].inserted = Some((0, items));
            return;
        }
        let draft = match moved.first().filter(|first| self.all_of_a_message(first.message, &moved, placed.len())) {
            // As it is.
            Some(first) => {
                changes[first.message as usize].dropped = true;
                self.old[first.message as usize].clone()
            }
            None => {
                let around = self.format.reader().carrier("").expect("parts are carried");
                Draft { source: Source::Written(around), items: Some(items), sets: Vec::new() }
            }
        };
        changes[turn.last as usize].behind.push(draft);
    }

    /// Whether results at the front of a message stand in their place, when it comes behind the calls.
    fn takes_results(&self, index: usize) -> bool {
        let shape = self.view.shape(index);
        match self.view.profile().results {
            Place::BehindMessage => shape.role == Role::Tool,
            _ => Side::of(shape.role) == Some(Side::User) && !shape.has_calls,
        }
    }

    /// Whether the parts that are placed are all that a message of the user's side holds.
    fn all_of_a_message(&self, message: u32, moved: &[At], placed: usize) -> bool {
        let count = self.view.message(message as usize).items.len();
        let users = Side::of(self.view.shape(message as usize).role) == Some(Side::User);
        users && moved.len() == count && placed == count && moved.iter().all(|at| at.message == message)
    }

    /// For each call, ascending, the text of a result that says that there is none.
    fn answers(&self, calls: &[u32]) -> Vec<(u32, String)> {
        let mut answers = Vec::new();
        self.visit(calls, |link, message, part, raw| {
            let (id, name) = match part {
                Part::Call { id, name, .. } => (json(id), json(name)),
                Part::Approval { id, .. } => (json(id), json(None)),
                _ => return,
            };
            let used = self.view.pairing.was_used(link);
            let unanswered = Unanswered { id: &id, name: &name, raw, message, used };
            answers.push((link, self.format.reader().result(unanswered, NO_RESULT).unwrap_or_default()));
        });
        answers
    }
}

fn answer(answers: &[(u32, String)], call: u32) -> String {
    let place = answers.binary_search_by_key(&call, |(call, _)| *call);
    place.map_or_else(|_| String::new(), |place| answers[place].1.clone())
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
pub(crate) fn edits(drafts: &[Draft], count: usize) -> Vec<Edit> {
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
