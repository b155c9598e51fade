//! What a reduction is worth where the provider keeps the prompt in a cache.
//!
//! A cached token costs a part of a fresh one; from the first message that changes on, all are fresh again. With I tokens in the
//! cache behind that place, a gain of g, prices r to read and w to write, and t requests to come, keeping costs t·r·I, and
//! changing w·(I−g) once and (t−1)·r·(I−g) later: it pays when g·(w + (t−1)·r) > I·(w−r).

use super::count::Counter;
use super::{Ladder, ReduceOptions, Refusal, RefusalReason, StepCode};
use crate::error::Result;
use crate::outline::Outline;
use serde::Deserialize;

/// What the provider's cache costs, as shares of the price of a token that is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CacheTerms {
    /// Index of the first message that is not in the cache; without it the model's latest one, which was its answer.
    pub until: Option<u32>,
    /// A token that is read from it.
    pub read_price: f64,
    /// A token that is written to it.
    pub write_price: f64,
    /// Requests to come.
    pub turns: f64,
}

impl Default for CacheTerms {
    /// The prices are Anthropic's for five minutes; an agent makes some ten requests in a turn of the user's.
    fn default() -> Self {
        CacheTerms { until: None, read_price: 0.1, write_price: 1.25, turns: 10.0 }
    }
}

impl CacheTerms {
    /// Tokens to gain for each token in the cache that is void.
    fn rate(&self) -> f64 {
        let later = (self.turns - 1.0).max(0.0) * self.read_price;
        ((self.write_price - self.read_price) / (self.write_price + later)).max(0.0)
    }
}

/// The ladder without the steps that do not pay. The earliest change makes all behind it void, whichever rung it is of: so the
/// place is looked for from which on all steps together are worth most.
pub(super) fn climb<'l, T: AsRef<[u8]>>(
    messages: &'l [T],
    outline: &'l Outline,
    options: &ReduceOptions,
    terms: &CacheTerms,
    counter: &mut Counter<'_>,
) -> Result<Option<Ladder<'l, T>>> {
    let everything = ReduceOptions { target: None, ..options.clone() };
    let Some(all) = Ladder::climb(messages, outline, &everything, counter)? else { return Ok(None) };
    let until = terms.until.map_or(all.scene.until, |until| (until as usize).min(messages.len()));
    let cached = Cached::new(outline, until, terms.rate());
    let mut start = cached.best_start(&all).max(options.start);
    let mut target = options.target;
    loop {
        let wanted = ReduceOptions { start, target, ..options.clone() };
        let Some(mut ladder) = Ladder::climb(messages, outline, &wanted, counter)? else { return Ok(None) };
        let gain = all.outline.tokens(0..messages.len()) - ladder.total;
        let first = ladder.first_changed().unwrap_or(until);
        // Steps up to a target may be fewer than those that pay together: then all are made. Where that is not it, what is cached
        // stays as it is.
        if first < until && gain as f64 <= cached.cost(first) {
            (start, target) = if target.take().is_some() { (start, None) } else { (until, options.target) };
            continue;
        }
        ladder.scene.until = until;
        if !ladder.is_done() {
            ladder.refused.extend(cached.refused(&all, start));
        }
        return Ok(Some(ladder));
    }
}

struct Cached {
    /// By message: tokens from there on that are in the cache.
    tokens: Vec<u64>,
    rate: f64,
}

impl Cached {
    fn new(outline: &Outline, until: usize, rate: f64) -> Cached {
        let mut tokens = vec![0; outline.len() + 1];
        for index in (0..until.min(outline.len())).rev() {
            tokens[index] = tokens[index + 1] + outline.shapes[index].tokens;
        }
        Cached { tokens, rate }
    }

    /// Tokens to gain so that a first change there pays.
    fn cost(&self, first: usize) -> f64 {
        self.tokens[first] as f64 * self.rate
    }

    /// Where the steps begin that are worth most together, those before it left out.
    fn best_start<T>(&self, all: &Ladder<'_, T>) -> usize {
        let (mut best, mut worth, mut gain) = (all.outline.len(), 0.0, 0);
        for index in (0..all.outline.len()).rev().filter(|&index| !all.acts[index].is_empty()) {
            gain += all.outline.shapes[index].tokens - all.tokens[index];
            let net = gain as f64 - self.cost(index);
            if net > worth {
                (best, worth) = (index, net);
            }
        }
        best
    }

    /// By rung, the steps in front of a place.
    fn refused<T>(&self, all: &Ladder<'_, T>, start: usize) -> Vec<Refusal> {
        let mut refused: Vec<Refusal> = Vec::new();
        let mut codes: Vec<StepCode> = all.steps.iter().map(|step| step.code).collect();
        codes.dedup();
        for code in codes {
            let left = || all.steps.iter().filter(|step| step.code == code && (step.index as usize) < start);
            let Some(first) = left().next() else { continue };
            let cost = self.cost(first.index as usize) - self.cost(start);
            refused.push(Refusal {
                code,
                steps: left().count() as u32,
                gain: left().map(|step| step.tokens).sum(),
                cost: cost.ceil().min(super::MOST) as u64,
                reason: RefusalReason::Cache,
            });
        }
        refused
    }
}
