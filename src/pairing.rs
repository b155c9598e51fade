//! Which result answers which call: by id and occurrence; which approval answers which request.
//!
//! Many back ends use the same ids again on every reply, so an id alone says nothing: a result answers
//! the first unanswered call with its id in the nearest earlier batch. A batch is a run of calls
//! with no result between them, those of the provider's own tools apart. Kept message by message, each in amortised constant time.

use crate::grow::expect;
use crate::message::Role;
use crate::order::sort_by_key;
use crate::outline::{Link, LinkKind, Outline, Shape};
use crate::profile::{Place, Profile};

/// A call and the result that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Message of the call.
    pub call: u32,
    /// Message of the result; not before the call's.
    pub result: u32,
    /// The call, as an index into [`Outline::links`].
    pub call_link: u32,
    /// The result, as an index into [`Outline::links`].
    pub result_link: u32,
}

/// A call without result, or a result without call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loose {
    /// Index of the message.
    pub message: u32,
    /// Index into [`Outline::ids`].
    pub id: u32,
    /// Index into [`Outline::links`].
    pub link: u32,
}

/// A later message that names something in an earlier one, which therefore stays with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The earlier message.
    pub from: u32,
    /// The later one.
    pub to: u32,
}

/// Pairs of a transcript, and what has no partner.
#[derive(Debug, Clone, Default)]
pub struct Pairing {
    /// All pairs, by result.
    pub pairs: Vec<Pair>,
    /// Results that answer nothing, and answers to approvals that nobody asked for.
    pub orphans: Vec<Loose>,
    /// Approvals: a request and its call, an answer and its request, a call and the request that it names.
    pub approvals: Vec<Reference>,
    /// Requests for leave and their answers.
    pub answers: Vec<Pair>,
    calls: Vec<Call>,
    /// Calls by id, and where the format pairs by name, by name.
    by_id: Stacks,
    by_name: Stacks,
    /// All under one key.
    without_id: Stacks,
    /// Calls with one id or name are of one batch and not of one message, or the other way round.
    group_matters: bool,
    /// The latest call of each id, counted from 1, and the latest request of each approval.
    named: ById<u32>,
    requests: ById<Option<u32>>,
    asked: Vec<Asked>,
    /// Answers to requests that are not there, by approval.
    unasked: ById<Option<u32>>,
    /// Messages that refer to something that is not there.
    unresolved: Vec<u32>,
    /// Calls are grouped by message, not by batch.
    by_message: bool,
    batch: u32,
    /// First call and first request of the newest batch, and the message of its last one.
    batch_start: usize,
    asked_start: usize,
    batch_last: Option<u32>,
    result_since_call: bool,
    last_assistant: Option<u32>,
    links: u32,
}

/// Something for each id, by its number.
#[derive(Debug, Clone, Default)]
struct ById<T>(Vec<T>);

impl<T: Default> ById<T> {
    fn at(&mut self, id: u32) -> &mut T {
        if self.0.len() <= id as usize {
            self.0.resize_with(id as usize + 1, T::default);
        }
        &mut self.0[id as usize]
    }
}

#[derive(Debug, Clone, Copy)]
struct Call {
    loose: Loose,
    hosted: bool,
    answered: bool,
    /// Leave for it was denied: it waits for no result, though one may come.
    denied: bool,
}

#[derive(Debug, Clone, Copy)]
struct Asked {
    loose: Loose,
    /// Link of the call that it names, if it names one: then that is what waits.
    call: Option<u32>,
    names_call: bool,
    answered: bool,
    used: bool,
}

/// For each id or name the calls that wait, in groups: the newest group first, in it the oldest call. Chains through three
/// lists; measured, lists of queues for each id took 200 bytes an id.
#[derive(Debug, Clone, Default)]
struct Stacks {
    /// For each key its newest group, counted from 1; 0 for none.
    tops: ById<u32>,
    groups: Vec<Group>,
    /// Each call, and the place behind that of the next one of its group; 0 for none.
    calls: Vec<(u32, u32)>,
    /// Groups in which something waits.
    alive: u32,
}

#[derive(Debug, Clone, Copy)]
struct Group {
    batch: u32,
    first: u32,
    last: u32,
    /// The group under it, counted from 1.
    below: u32,
}

impl Stacks {
    /// Puts a call behind those of its group. The newest call that waited before it, and whether it is of that group.
    fn wait(&mut self, key: u32, batch: u32, call: u32) -> Option<(u32, bool)> {
        let place = self.calls.len() as u32;
        self.calls.push((call, 0));
        let top = self.tops.at(key);
        let newest = top.checked_sub(1).map(|top| &mut self.groups[top as usize]);
        let before = newest.as_ref().map(|group| self.calls[group.last as usize].0);
        if let Some(group) = newest.filter(|group| group.batch == batch) {
            let last = std::mem::replace(&mut group.last, place);
            self.calls[last as usize].1 = place + 1;
            return before.map(|before| (before, true));
        }
        self.groups.push(Group { batch, first: place, last: place, below: *top });
        self.alive += 1;
        *top = self.groups.len() as u32;
        before.map(|before| (before, false))
    }

    /// The first unanswered call in the newest group. One that was answered through another key is dropped when it is met.
    fn nearest(&mut self, key: u32, calls: &[Call]) -> Option<u32> {
        let top = self.tops.at(key);
        while let Some(group) = top.checked_sub(1).map(|top| &mut self.groups[top as usize]) {
            let (call, next) = self.calls[group.first as usize];
            match next.checked_sub(1) {
                Some(next) => group.first = next,
                None => {
                    self.alive -= 1;
                    *top = group.below;
                }
            }
            // Mostly nothing else waits.
            if self.alive == 0 {
                self.groups.clear();
                self.calls.clear();
            }
            if !calls[call as usize].answered {
                return Some(call);
            }
        }
        None
    }

    fn holds(&self, key: u32) -> bool {
        self.tops.0.get(key as usize).is_some_and(|&top| top > 0)
    }
}

impl Pairing {
    /// Pairs up the calls and results of a transcript.
    pub fn of(outline: &Outline) -> Pairing {
        Pairing::default().with(outline)
    }

    /// The same as a provider reads it who wants results right behind their calls: of the calls of a batch with one id the
    /// nearest message's is answered first. The two readings differ where an id came again and its first call was left behind;
    /// the planner tears nothing in either.
    pub fn by_message(outline: &Outline) -> Pairing {
        Pairing::of_neighbours(outline.format.reader().profile()).unwrap_or_default().with(outline)
    }

    /// Whether grouping calls by message, and not by batch, could make a difference.
    pub fn group_matters(&self) -> bool {
        self.group_matters
    }

    /// An empty one that pairs so, if the provider does.
    pub fn of_neighbours(profile: &Profile) -> Option<Pairing> {
        let differs = !matches!(profile.results, Place::After | Place::Inside);
        differs.then(|| Pairing { by_message: true, ..Pairing::default() })
    }

    fn with(self, outline: &Outline) -> Pairing {
        self.up_to(outline, outline.len())
    }

    /// With the messages in front of `end`.
    pub fn up_to(self, outline: &Outline, end: usize) -> Pairing {
        let profile = outline.format.reader().profile();
        let mut pairing = self;
        for index in 0..end {
            pairing.push(profile, &outline.shapes[index], outline.links_of(index));
        }
        pairing
    }

    /// Makes room for so many times as many messages.
    pub(crate) fn expect(&mut self, times: f64) {
        expect(&mut self.pairs, times);
        expect(&mut self.calls, times);
        expect(&mut self.named.0, times);
        expect(&mut self.by_id.tops.0, times);
    }

    /// Takes the next message into account.
    pub fn push(&mut self, profile: &Profile, shape: &Shape, links: &[Link]) {
        if shape.role == Role::Assistant {
            self.last_assistant = Some(shape.index);
        }
        let first = self.links;
        self.links += links.len() as u32;
        let numbered = || {
            links
                .iter()
                .zip(first..)
                .map(|(link, number)| (link, Loose { message: link.message, id: link.id, link: number }))
        };
        if !profile.pairs_by_name {
            return numbered().for_each(|(link, loose)| self.link(link, loose, profile));
        }
        // What has a name alone takes what the ids of the same message leave over.
        let pairs = self.pairs.len();
        let by_id = |link: &Link| link.kind != LinkKind::Result || (link.has_id && self.by_id.holds(link.id));
        let (now, later): (Vec<_>, Vec<_>) = numbered().partition(|(link, _)| by_id(link));
        now.into_iter().chain(later).for_each(|(link, loose)| self.link(link, loose, profile));
        let mut newest = self.pairs.split_off(pairs);
        sort_by_key(&mut newest, |pair| pair.result_link);
        self.pairs.append(&mut newest);
    }

    fn link(&mut self, link: &Link, loose: Loose, profile: &Profile) {
        match link.kind {
            LinkKind::Call | LinkKind::HostedCall => self.call(loose, link, profile),
            LinkKind::Result => self.result(loose, link, profile),
            LinkKind::Request => self.request(loose, link, profile),
            LinkKind::Granted => self.answer(loose, false),
            LinkKind::Denied => self.answer(loose, true),
            LinkKind::Use if link.name.is_some() => {
                let call = link.name.and_then(|call| self.named(call));
                self.refer(call.map(|call| call.message), link.message);
            }
            LinkKind::Use => {
                let asked = self.requests.at(link.id).map(|asked| &mut self.asked[asked as usize]);
                let from = asked.map(|asked| {
                    asked.used = true;
                    asked.loose.message
                });
                let unasked = *self.unasked.at(link.id);
                self.refer(from.or(unasked), link.message);
            }
        }
    }

    /// A call, or a request that stands for one, begins a batch or belongs to the newest.
    fn in_batch(&mut self, message: u32, profile: &Profile) {
        let results = std::mem::take(&mut self.result_since_call);
        // A message that holds the results of its calls is a batch of its own.
        let new = match profile.results {
            Place::Inside => self.batch_last != Some(message),
            _ => results,
        };
        if new {
            self.batch += 1;
            (self.batch_start, self.asked_start) = (self.calls.len(), self.asked.len());
        }
        self.batch_last = Some(message);
    }

    fn call(&mut self, loose: Loose, link: &Link, profile: &Profile) {
        self.in_batch(link.message, profile);
        let index = self.calls.len() as u32;
        self.calls.push(Call { loose, hosted: link.kind == LinkKind::HostedCall, answered: false, denied: false });
        *self.named.at(link.id) = self.calls.len() as u32;
        let group = if self.by_message { link.message } else { self.batch };
        let before = [
            self.by_id.wait(link.id, group, index),
            if link.has_id { None } else { self.without_id.wait(0, group, index) },
            link.name.filter(|_| profile.pairs_by_name).and_then(|name| self.by_name.wait(name, group, index)),
        ];
        let differs =
            |&(before, joined): &(u32, bool)| joined != (self.calls[before as usize].loose.message == link.message);
        self.group_matters |= before.iter().flatten().any(differs);
    }

    fn result(&mut self, loose: Loose, link: &Link, profile: &Profile) {
        // What the provider ran has its result in the model's own message: the calls beside it go on waiting.
        self.result_since_call |= self.last_assistant != Some(link.message);
        let mut call = match profile.results {
            // The call that it is a part of was seen just before.
            Place::Inside => self.calls.len().checked_sub(1).map(|last| last as u32),
            // Where names pair, the name alone must not pass over a call that has an id as well.
            _ if profile.pairs_by_name && !link.has_id && link.name.is_some() => None,
            _ => self.by_id.nearest(link.id, &self.calls),
        };
        if let (None, true, Some(name)) = (call, profile.pairs_by_name, link.name) {
            call = self.by_name.nearest(name, &self.calls);
        }
        // Where ids went missing on both sides, order is all there is.
        if call.is_none() && !link.has_id && !profile.pairs_by_name {
            call = self.without_id.nearest(0, &self.calls);
        }
        let Some(call) = call else { return self.orphans.push(loose) };
        let call = &mut self.calls[call as usize];
        call.answered = true;
        let (message, call_link) = (call.loose.message, call.loose.link);
        self.pairs.push(Pair { call: message, result: link.message, call_link, result_link: loose.link });
    }

    fn request(&mut self, loose: Loose, link: &Link, profile: &Profile) {
        if link.name.is_none() {
            self.in_batch(link.message, profile);
        }
        *self.requests.at(link.id) = Some(self.asked.len() as u32);
        let call = link.name.and_then(|call| self.named(call));
        let (names_call, call_link) = (link.name.is_some(), call.map(|call| call.link));
        self.asked.push(Asked { loose, call: call_link, names_call, answered: false, used: false });
        if names_call {
            self.refer(call.map(|call| call.message), link.message);
        }
    }

    /// The latest call of an id.
    fn named(&mut self, id: u32) -> Option<Loose> {
        let call = self.named.at(id).checked_sub(1)?;
        Some(self.calls[call as usize].loose)
    }

    fn answer(&mut self, loose: Loose, denied: bool) {
        self.result_since_call = true;
        let asked = self.requests.at(loose.id).map(|asked| &mut self.asked[asked as usize]);
        let Some(asked) = asked else {
            *self.unasked.at(loose.id) = Some(loose.message);
            return self.orphans.push(loose);
        };
        if asked.answered {
            let request = asked.loose.message;
            self.orphans.push(loose);
            return self.refer(Some(request), loose.message);
        }
        asked.answered = true;
        let request = asked.loose;
        if let Some(call) = asked.call.filter(|_| denied) {
            let place = self.calls.binary_search_by_key(&call, |call| call.loose.link);
            self.calls[place.expect("it was looked up")].denied = true;
        }
        let pair =
            Pair { call: request.message, result: loose.message, call_link: request.link, result_link: loose.link };
        self.answers.push(pair);
        self.refer(Some(request.message), loose.message);
    }

    fn refer(&mut self, from: Option<u32>, to: u32) {
        match from {
            Some(from) if from != to => self.approvals.push(Reference { from, to }),
            Some(_) => {}
            None => self.unresolved.push(to),
        }
    }

    /// Whether everything from a message on has its partner, as far as it names one, and has it by its id where it has one.
    pub fn is_whole_from(&self, message: u32, outline: &Outline) -> bool {
        let profile = outline.format.reader().profile();
        let links = &outline.links;
        let by_id = |pair: &Pair| {
            let (call, result) = (&links[pair.call_link as usize], &links[pair.result_link as usize]);
            let by_name = profile.pairs_by_name && !result.has_id;
            call.id == result.id || by_name || profile.results == Place::Inside
        };
        let later = |last: Option<u32>| last.is_some_and(|last| last >= message);
        let loose = later(self.orphans.last().map(|loose| loose.message)) || later(self.unresolved.last().copied());
        !loose && self.pairs.iter().rev().take_while(|pair| pair.result >= message).all(by_id)
    }

    /// Unanswered calls of the newest batch, with no assistant message after it: a result may still come. Requests for
    /// leave that nobody answered are waited for as well.
    pub fn pending(&self) -> Vec<Loose> {
        if self.last_assistant > self.batch_last {
            return Vec::new();
        }
        let calls = self.calls[self.batch_start..].iter().filter(|call| call.waits()).map(|call| call.loose);
        let asked = self.asked[self.asked_start..].iter().filter(|asked| asked.waits()).map(|asked| asked.loose);
        let mut pending: Vec<Loose> = calls.chain(asked).collect();
        sort_by_key(&mut pending, |loose| loose.link);
        pending
    }

    /// Requests for leave that nobody answered, where they name no call that waits itself.
    pub fn requests_without_answer(&self) -> impl Iterator<Item = Loose> + '_ {
        self.asked.iter().filter(|asked| asked.waits()).map(|asked| asked.loose)
    }

    /// Whether the request behind a link was acted on.
    pub fn was_used(&self, request: u32) -> bool {
        let place = self.asked.binary_search_by_key(&request, |asked| asked.loose.link);
        place.is_ok_and(|place| self.asked[place].used)
    }

    /// Calls without result that do not run at the provider, in their order.
    pub fn unanswered(&self) -> impl Iterator<Item = Loose> + '_ {
        self.calls.iter().filter(|call| call.waits()).map(|call| call.loose)
    }

    /// Unanswered calls that the model has moved on from: they block nothing.
    pub fn abandoned(&self) -> Vec<Loose> {
        let pending = self.pending();
        let waits = |loose: &Loose| pending.binary_search_by_key(&loose.link, |p| p.link).is_ok();
        self.unanswered().filter(|loose| !waits(loose)).collect()
    }
}

impl Asked {
    fn waits(&self) -> bool {
        !self.answered && !self.names_call
    }
}

impl Call {
    fn waits(&self) -> bool {
        !self.answered && !self.hosted && !self.denied
    }
}
