//! Random options for plans, made to fit whatever transcript they meet.

use super::run::{follow, settle, At, Extra, Transcript};
use plica::cuts::Boundaries;
use plica::message::{Provenance, MARKS};
use plica::outline::{Outline, Reading};
use plica::plan::PlanOptions;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub struct Wish {
    budget: Budget,
    keep_turns: u32,
    prefix: Option<At>,
    pinned: Vec<At>,
    marks: Vec<(At, usize)>,
    keep_system: bool,
    anchor_task: bool,
    anchor_request: bool,
    margin: f64,
}

#[derive(Clone, Debug)]
enum Budget {
    Nothing,
    /// What the messages from this one on cost.
    TailFrom(At),
    /// One token less.
    JustUnder(At),
    /// A share of what all messages cost.
    Share(f64),
    Infinite,
}

/// One wish or several.
pub fn wishes() -> impl Strategy<Value = Vec<Wish>> {
    vec(wish(), 1..=3)
}

pub fn wish() -> impl Strategy<Value = Wish> {
    let budget = prop_oneof![
        2 => Just(Budget::Nothing),
        6 => any::<At>().prop_map(Budget::TailFrom),
        2 => any::<At>().prop_map(Budget::JustUnder),
        4 => (0.0..1.2).prop_map(Budget::Share),
        1 => Just(Budget::Infinite),
    ];
    let few = |chance: f64| weighted(chance, vec(any::<At>(), 1..4)).prop_map(Option::unwrap_or_default);
    let marks = weighted(0.25, vec((any::<At>(), 0..MARKS.len()), 1..4)).prop_map(Option::unwrap_or_default);
    let turns = prop_oneof![4 => Just(0), 1 => 1_u32..5];
    let seldom = || prop_oneof![3 => Just(false), 1 => Just(true)];
    let margin = prop_oneof![3 => Just(0.0), 1 => 0.0..0.99];
    (budget, turns, weighted(0.15, any::<At>()), few(0.4), marks, (seldom(), seldom(), seldom()), margin).prop_map(
        |(budget, keep_turns, prefix, pinned, marks, (keep_system, anchor_task, anchor_request), margin)| Wish {
            budget,
            keep_turns,
            prefix,
            pinned,
            marks,
            keep_system,
            anchor_task,
            anchor_request,
            margin,
        },
    )
}

impl Wish {
    fn places(&mut self) -> impl Iterator<Item = &mut At> {
        let budget = match &mut self.budget {
            Budget::TailFrom(at) | Budget::JustUnder(at) => Some(at),
            _ => None,
        };
        let marks = self.marks.iter_mut().map(|(at, _)| at);
        budget.into_iter().chain(&mut self.prefix).chain(&mut self.pinned).chain(marks)
    }
}

impl Extra for Wish {
    fn settle(&mut self, transcript: &mut Transcript) {
        self.places().for_each(|at| settle(at, transcript));
    }

    fn without(&mut self, index: usize) {
        self.pinned.retain(|at| usize::from(*at) != index);
        self.marks.retain(|(at, _)| usize::from(*at) != index);
        self.places().for_each(|at| follow(at, index));
    }
}

/// A transcript, read with a wish.
pub struct Asked {
    pub outline: Outline,
    pub boundaries: Boundaries,
    pub options: PlanOptions,
    pub marks: Vec<(u32, Provenance)>,
}

impl Wish {
    pub fn of(&self, transcript: &Transcript) -> Result<Asked, String> {
        self.on(&transcript.messages, transcript, &[])
    }

    /// The same for other messages of the transcript's format, some of which are marked already.
    pub fn on(
        &self,
        messages: &[Vec<u8>],
        transcript: &Transcript,
        known: &[(u32, Provenance)],
    ) -> Result<Asked, String> {
        let count = messages.len();
        let at = |at: At| usize::from(at) % count.max(1);
        let some =
            |list: &[At]| -> Vec<u32> { list.iter().map(|&index| at(index) as u32).filter(|_| count > 0).collect() };
        let marks: Vec<(u32, Provenance)> = self
            .marks
            .iter()
            .map(|&(index, mark)| (at(index) as u32, MARKS[mark]))
            .chain(known.iter().copied())
            .collect();
        let reading = Reading { format: Some(transcript.format), provenance: &marks, ..Reading::default() };
        let outline = Outline::read(messages, reading).map_err(|error| error.to_string())?;
        let tail = |index: At| outline.tokens(at(index).min(count)..count) as f64;
        let room = 1.0 - self.margin;
        let options = PlanOptions {
            tail_budget: match self.budget {
                Budget::Nothing => 0.0,
                Budget::TailFrom(index) => tail(index) / room,
                Budget::JustUnder(index) => (tail(index) - 1.0).max(0.0) / room,
                Budget::Share(share) => outline.tokens(0..count) as f64 * share,
                Budget::Infinite => f64::INFINITY,
            },
            keep_turns: self.keep_turns,
            prefix: self.prefix.map_or(0, |index| at(index) as u32),
            pinned: some(&self.pinned),
            keep_system: self.keep_system,
            anchor_task: self.anchor_task,
            anchor_request: self.anchor_request,
            margin: self.margin,
        };
        let boundaries = Boundaries::of(&outline);
        Ok(Asked { outline, boundaries, options, marks })
    }
}

impl Asked {
    /// The options, for people.
    pub fn words(&self) -> String {
        format!("{:?}, marks {:?}", self.options, self.marks)
    }
}
