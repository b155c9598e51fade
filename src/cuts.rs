//! Legal cuts: where a transcript may be split without tearing what belongs together.
//!
//! Each rule is a small type that forbids cuts; a cut at `i` keeps messages `i..` and is legal when
//! no rule forbids it. All rules together are linear in messages and pairs.

use crate::message::Role;
use crate::outline::Outline;
use crate::pairing::Pairing;

/// Cuts that are forbidden so far, as a difference array: ranges cost O(1) each.
#[derive(Debug)]
pub struct Forbidden {
    steps: Vec<i64>,
}

impl Forbidden {
    fn range(&mut self, first: usize, last: usize) {
        if first <= last && first < self.steps.len() {
            self.steps[first] += 1;
            if let Some(after) = self.steps.get_mut(last + 1) {
                *after -= 1;
            }
        }
    }

    fn at(&mut self, index: usize) {
        self.range(index, index);
    }
}

/// Something that must not be torn.
pub trait CutRule {
    /// Forbids the cuts that this rule cannot allow.
    fn forbid(&self, outline: &Outline, pairing: &Pairing, cuts: &mut Forbidden);
}

/// The kept part starts at something that the user or the model said.
pub struct Starts;

impl CutRule for Starts {
    fn forbid(&self, outline: &Outline, _: &Pairing, cuts: &mut Forbidden) {
        for (index, shape) in outline.shapes.iter().enumerate() {
            if !matches!(shape.role, Role::User | Role::Assistant) {
                cuts.at(index);
            }
        }
    }
}

/// A call stays with its results, and a result with its call.
pub struct Pairs;

impl CutRule for Pairs {
    fn forbid(&self, _: &Outline, pairing: &Pairing, cuts: &mut Forbidden) {
        for pair in &pairing.pairs {
            cuts.range(pair.call as usize + 1, pair.result as usize);
        }
    }
}

/// A call that may still be answered is not folded away from its result.
pub struct Pending;

impl CutRule for Pending {
    fn forbid(&self, _: &Outline, pairing: &Pairing, cuts: &mut Forbidden) {
        for call in &pairing.pending {
            cuts.range(call.message as usize + 1, usize::MAX - 1);
        }
    }
}

/// The kept part does not open with a result that answers nothing.
pub struct Orphans;

impl CutRule for Orphans {
    fn forbid(&self, _: &Outline, pairing: &Pairing, cuts: &mut Forbidden) {
        for orphan in &pairing.orphans {
            cuts.at(orphan.message as usize);
        }
    }
}

/// Signed reasoning stays with its tool loop: within a loop that has signed reasoning, the kept part
/// opens with a message that brings its own. (Anthropic refuses a loop whose first assistant message
/// lost the reasoning that led to it.)
pub struct SignedLoops;

impl CutRule for SignedLoops {
    fn forbid(&self, outline: &Outline, _: &Pairing, cuts: &mut Forbidden) {
        let mut signed_in_loop = false;
        for (index, shape) in outline.shapes.iter().enumerate() {
            match shape.role {
                Role::User if !shape.has_results => signed_in_loop = false,
                Role::Assistant => {
                    if signed_in_loop && !shape.opens_with_reasoning {
                        cuts.at(index);
                    }
                    signed_in_loop |= shape.signed > 0;
                }
                _ => {}
            }
        }
    }
}

/// The kept part does not open with the reasoning that ends a reply written as several messages: alone, it would be a
/// reply of nothing but reasoning.
pub struct LoneReasoning;

impl CutRule for LoneReasoning {
    fn forbid(&self, outline: &Outline, _: &Pairing, cuts: &mut Forbidden) {
        let shapes = &outline.shapes;
        let assistant = |index: usize| shapes.get(index).is_some_and(|shape| shape.role == Role::Assistant);
        for (index, shape) in shapes.iter().enumerate().skip(1) {
            if shape.only_reasoning && assistant(index - 1) && !assistant(index + 1) {
                cuts.at(index);
            }
        }
    }
}

/// The rules that every format so far obeys.
pub const RULES: [&dyn CutRule; 6] = [&Starts, &Pairs, &Pending, &Orphans, &SignedLoops, &LoneReasoning];

/// The legal cuts of a transcript, ascending. Index 0 is a cut like others: it keeps everything.
pub fn legal(outline: &Outline, pairing: &Pairing, rules: &[&dyn CutRule]) -> Vec<usize> {
    let mut cuts = Forbidden { steps: vec![0; outline.len()] };
    for rule in rules {
        rule.forbid(outline, pairing, &mut cuts);
    }
    let mut depth = 0;
    let running = cuts.steps.iter().map(|step| {
        depth += step;
        depth
    });
    running.enumerate().filter(|&(_, depth)| depth == 0).map(|(index, _)| index).collect()
}
