//! Where in a transcript the planner looks: lists of indices, kept message by message, so that a plan finds in a few
//! steps what it would otherwise have to walk through the transcript for.

use crate::grow::expect;
use crate::message::{Provenance, Role};
use crate::outline::Shape;
use std::ops::Range;

/// Indices of messages, each list ascending.
#[derive(Debug, Clone, Default)]
pub struct Landmarks {
    requests: Vec<u32>,
    turns: Vec<u32>,
    spoken: Vec<u32>,
    standing: Vec<u32>,
    systems: Vec<u32>,
    summaries: Vec<u32>,
    models: Vec<u32>,
    signed: Vec<u32>,
    leading: u32,
}

impl Landmarks {
    /// Takes the next message into account.
    pub(crate) fn push(&mut self, shape: &Shape) {
        let index = shape.index;
        if shape.is_request() {
            if self.requests.last().is_none_or(|&before| before + 1 < index) {
                self.turns.push(index);
            }
            self.requests.push(index);
        }
        let lists = [
            (shape.is_spoken(), &mut self.spoken),
            (shape.is_standing(), &mut self.standing),
            (shape.role == Role::System, &mut self.systems),
            (shape.provenance == Provenance::Summary, &mut self.summaries),
            (shape.role == Role::Assistant, &mut self.models),
            (shape.signed > 0, &mut self.signed),
        ];
        lists.into_iter().filter(|(is, _)| *is).for_each(|(_, list)| list.push(index));
        if shape.leads() && self.leading == index {
            self.leading += 1;
        }
    }

    /// Makes room for so many times as many messages.
    pub(crate) fn expect(&mut self, times: f64) {
        self.lists().into_iter().for_each(|list| expect(list, times));
    }

    /// Forgets all messages from `length` on.
    pub(crate) fn truncate(&mut self, length: u32) {
        for list in self.lists() {
            list.truncate(list.partition_point(|&index| index < length));
        }
        self.leading = self.leading.min(length);
    }

    fn lists(&mut self) -> [&mut Vec<u32>; 8] {
        [
            &mut self.requests,
            &mut self.turns,
            &mut self.spoken,
            &mut self.standing,
            &mut self.systems,
            &mut self.summaries,
            &mut self.models,
            &mut self.signed,
        ]
    }

    /// Length of the leading run of system, project-instruction and memory messages.
    pub fn leading(&self) -> usize {
        self.leading as usize
    }

    /// What the user said ([`Shape::is_request`]).
    pub fn requests(&self) -> &[u32] {
        &self.requests
    }

    /// Requests that open a turn: no other one stands directly before them.
    pub fn turns(&self) -> &[u32] {
        &self.turns
    }

    /// Messages of the user that are neither results nor digests.
    pub fn spoken(&self) -> &[u32] {
        &self.spoken
    }

    /// Project instructions and memory.
    pub fn standing(&self) -> &[u32] {
        &self.standing
    }

    /// System messages.
    pub fn systems(&self) -> &[u32] {
        &self.systems
    }

    /// Digests of earlier folds.
    pub fn summaries(&self) -> &[u32] {
        &self.summaries
    }

    /// Messages of the model.
    pub fn models(&self) -> &[u32] {
        &self.models
    }

    /// Messages with signed reasoning.
    pub fn signed(&self) -> &[u32] {
        &self.signed
    }

    /// Whether all messages of a range are the model's.
    pub fn all_of_model(&self, range: Range<usize>) -> bool {
        within(&self.models, range.clone()).len() == range.len()
    }
}

/// Those of a list that lie in a range.
pub fn within(list: &[u32], range: Range<usize>) -> &[u32] {
    let place = |index: usize| list.partition_point(|&other| (other as usize) < index);
    &list[place(range.start)..place(range.end)]
}
