//! Calls that wait for their results, in the formats where the results must follow directly.

use super::Fault;
use std::collections::{HashMap, HashSet, VecDeque};

type Id = Option<String>;

struct Call {
    index: usize,
    id: Id,
    settled: bool,
}

/// The calls of one array. The group is what may be answered now: the calls of the assistant's last word.
#[derive(Default)]
pub struct Calls {
    all: Vec<Call>,
    group: Vec<usize>,
    /// Unanswered calls of the group, first come first served.
    open: HashMap<Id, VecDeque<usize>>,
    /// How many calls of the group need no result, by id.
    excused: HashMap<Id, usize>,
    /// Unanswered calls of earlier groups; the last is the first one of the nearest group.
    late: HashMap<Id, Vec<usize>>,
    seen: HashSet<Id>,
    interrupted: bool,
}

impl Calls {
    pub fn call(&mut self, index: usize, id: Option<&str>) {
        let id = id.map(str::to_owned);
        let number = self.all.len();
        self.group.push(number);
        self.open.entry(id.clone()).or_default().push_back(number);
        self.all.push(Call { index, id, settled: false });
    }

    /// A result where it has to be: it answers the first open call with its id. False when there is none.
    pub fn answer(&mut self, id: Option<&str>) -> bool {
        let id = id.map(str::to_owned);
        let call = self.open.get_mut(&id).and_then(VecDeque::pop_front);
        self.settle(call, id)
    }

    /// A result that comes too late: it answers the first call with its id in the nearest earlier group.
    pub fn answer_late(&mut self, id: Option<&str>) -> bool {
        let id = id.map(str::to_owned);
        let call = self.late.get_mut(&id).and_then(Vec::pop);
        self.settle(call, id)
    }

    fn settle(&mut self, call: Option<usize>, id: Id) -> bool {
        let Some(call) = call else { return false };
        self.all[call].settled = true;
        self.seen.insert(id);
        true
    }

    /// Whether any call with this id was answered before.
    pub fn answered(&self, id: Option<&str>) -> bool {
        self.seen.contains(&id.map(str::to_owned))
    }

    /// Whether a call of the group has this id, answered or not.
    pub fn in_group(&self, id: Option<&str>) -> bool {
        self.open.contains_key(&id.map(str::to_owned))
    }

    /// One call of the group with this id needs no result any more.
    pub fn excuse(&mut self, id: Option<&str>) {
        *self.excused.entry(id.map(str::to_owned)).or_default() += 1;
    }

    /// Something that is not a result came: what is still open now is not in flight, though it may be answered.
    pub fn interrupt(&mut self) {
        self.interrupted = !self.group.is_empty();
    }

    /// The group is over. What is open has no result where it had to be; a result may still come too late, even for a
    /// call that needs none.
    pub fn close(&mut self) {
        self.excuse_some();
        for queue in self.open.values_mut() {
            while let Some(call) = queue.pop_back() {
                self.late.entry(self.all[call].id.clone()).or_default().push(call);
            }
        }
        self.group.clear();
        self.open.clear();
        self.interrupted = false;
    }

    /// Settles as many open calls of each id as are excused.
    fn excuse_some(&mut self) {
        for (id, many) in std::mem::take(&mut self.excused) {
            for call in self.open.get(&id).into_iter().flatten().take(many) {
                self.all[*call].settled = true;
            }
        }
    }

    /// The array is over: what is open now is in flight, what was left open before is not.
    pub fn finish(mut self, faults: &mut Vec<Fault>) {
        let pending: HashSet<usize> = if self.interrupted { HashSet::new() } else { self.group.drain(..).collect() };
        self.close();
        for (number, call) in self.all.iter().enumerate().filter(|(_, call)| !call.settled) {
            let id = call.id.as_deref();
            faults.push(if pending.contains(&number) {
                Fault::of("pending-call", call.index, id, "the conversation ends before the result")
            } else {
                Fault::of("unanswered-call", call.index, id, "no result where it has to be")
            });
        }
    }
}
