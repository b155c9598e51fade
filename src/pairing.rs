//! Which result answers which call: by id and occurrence; which approval answers which request.
//!
//! Many back ends use the same ids again on every reply, so an id alone says nothing: a result answers
//! the first unanswered call with its id in the nearest earlier batch. A batch is a run of calls
//! with no result between them. Kept message by message, each in amortised constant time.

use crate::message::Role;
use crate::outline::{Link, LinkKind, Outline, Shape};
use std::collections::{HashMap, VecDeque};

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
    calls: Vec<Call>,
    /// Calls by id, and where the format pairs by name, by name.
    by_id: HashMap<u32, Vec<Waiting>>,
    by_name: HashMap<u32, Vec<Waiting>>,
    /// The latest call of each id, and the latest request of each approval.
    named: HashMap<u32, u32>,
    requests: HashMap<u32, u32>,
    /// Requests without answer, with no assistant message after them.
    asked: Vec<Loose>,
    batch: u32,
    /// First call of the newest batch.
    batch_start: usize,
    result_since_call: bool,
    last_assistant: Option<u32>,
    links: u32,
}

#[derive(Debug, Clone, Copy)]
struct Call {
    loose: Loose,
    hosted: bool,
    answered: bool,
}

/// Calls of one id or name in one batch, as indices of calls.
#[derive(Debug, Clone)]
struct Waiting {
    batch: u32,
    calls: VecDeque<u32>,
}

impl Pairing {
    /// Pairs up the calls and results of a transcript.
    pub fn of(outline: &Outline) -> Pairing {
        let by_name = outline.format.reader().profile().pairs_by_name;
        let mut pairing = Pairing::default();
        for index in 0..outline.len() {
            pairing.push(by_name, &outline.shapes[index], outline.links_of(index));
        }
        pairing
    }

    /// Takes the next message into account.
    pub fn push(&mut self, by_name: bool, shape: &Shape, links: &[Link]) {
        if shape.role == Role::Assistant {
            self.last_assistant = links.first().map(|link| link.message).or(Some(shape.index));
            self.asked.clear();
        }
        for link in links {
            let loose = Loose { message: link.message, id: link.id, link: self.links };
            self.links += 1;
            match link.kind {
                LinkKind::Call | LinkKind::HostedCall => self.call(loose, link, by_name),
                LinkKind::Result => self.result(loose, link, by_name),
                LinkKind::Request => self.request(loose, link),
                LinkKind::Answer => self.answer(loose),
                LinkKind::Use => self.refer(self.requests.get(&link.id).copied(), link.message),
            }
        }
    }

    fn call(&mut self, loose: Loose, link: &Link, by_name: bool) {
        if std::mem::take(&mut self.result_since_call) {
            self.batch += 1;
            self.batch_start = self.calls.len();
        }
        let index = self.calls.len() as u32;
        self.calls.push(Call { loose, hosted: link.kind == LinkKind::HostedCall, answered: false });
        self.named.insert(link.id, link.message);
        wait(&mut self.by_id, link.id, self.batch, index);
        if let Some(name) = link.name.filter(|_| by_name) {
            wait(&mut self.by_name, name, self.batch, index);
        }
    }

    fn result(&mut self, loose: Loose, link: &Link, by_name: bool) {
        self.result_since_call = true;
        let mut call = nearest(&mut self.by_id, link.id, &self.calls);
        if let (None, true, Some(name)) = (call, by_name, link.name) {
            call = nearest(&mut self.by_name, name, &self.calls);
        }
        let Some(call) = call else { return self.orphans.push(loose) };
        let call = &mut self.calls[call as usize];
        call.answered = true;
        let (message, call_link) = (call.loose.message, call.loose.link);
        self.pairs.push(Pair { call: message, result: link.message, call_link, result_link: loose.link });
    }

    fn request(&mut self, loose: Loose, link: &Link) {
        self.requests.insert(link.id, link.message);
        match link.name {
            // The call that leave is asked for is what waits.
            Some(call) => self.refer(self.named.get(&call).copied(), link.message),
            None => self.asked.push(loose),
        }
    }

    fn answer(&mut self, loose: Loose) {
        self.asked.retain(|asked| asked.id != loose.id);
        match self.requests.get(&loose.id).copied() {
            Some(request) => self.refer(Some(request), loose.message),
            None => self.orphans.push(loose),
        }
    }

    fn refer(&mut self, from: Option<u32>, to: u32) {
        if let Some(from) = from.filter(|&from| from != to) {
            self.approvals.push(Reference { from, to });
        }
    }

    /// Unanswered calls of the newest batch, with no assistant message after it: a result may still come. Requests for
    /// leave that nobody answered are waited for as well.
    pub fn pending(&self) -> Vec<Loose> {
        let newest = &self.calls[self.batch_start..];
        let last = newest.last().map(|call| call.loose.message);
        let moved_on = self.last_assistant > last;
        let open = newest.iter().filter(|call| !moved_on && call.waits()).map(|call| call.loose);
        let mut pending: Vec<Loose> = open.chain(self.asked.iter().copied()).collect();
        crate::order::sort_by_key(&mut pending, |loose| loose.link);
        pending
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

impl Call {
    fn waits(&self) -> bool {
        !self.answered && !self.hosted
    }
}

fn wait(waiting: &mut HashMap<u32, Vec<Waiting>>, key: u32, batch: u32, call: u32) {
    let of_key = waiting.entry(key).or_default();
    match of_key.last_mut().filter(|w| w.batch == batch) {
        Some(same) => same.calls.push_back(call),
        None => of_key.push(Waiting { batch, calls: VecDeque::from([call]) }),
    }
}

/// The first unanswered call in the nearest batch. One that was answered through the other key is dropped when it is met.
fn nearest(waiting: &mut HashMap<u32, Vec<Waiting>>, key: u32, calls: &[Call]) -> Option<u32> {
    let of_key = waiting.get_mut(&key)?;
    while let Some(batch) = of_key.last_mut() {
        let call = batch.calls.pop_front();
        if batch.calls.is_empty() {
            of_key.pop();
        }
        if let Some(call) = call.filter(|&call| !calls[call as usize].answered) {
            return Some(call);
        }
    }
    None
}
