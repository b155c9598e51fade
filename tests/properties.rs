//! What holds for every conversation, tried on random ones in all ten formats. How to run more of them, and what a
//! failure shows, is said in `tests/README.md`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

mod judge;
mod story;
mod support;

mod properties {
    pub mod clips;
    pub mod conversions;
    pub mod hostile;
    pub mod ledgers;
    pub mod plans;
    pub mod reductions;
    pub mod repairs;
    pub mod run;
    pub mod tails;
    pub mod transcripts;
    pub mod windows;
    pub mod wish;
}

use properties::run::Property;
use properties::*;
use proptest::strategy::Just;

/// Plans are what they say: the largest legal tail that fits, nothing kept without a reason, the same every time.
#[test]
fn plans() {
    Property { name: "plans", share: 1.0, extra: wish::wishes, holds: plans::hold }.hold_everywhere();
}

/// Plans made from the end alone are those of the whole.
#[test]
fn tails() {
    Property { name: "tails", share: 0.8, extra: wish::wishes, holds: tails::hold }.hold_everywhere();
}

/// A transcript that grows, shrinks and folds gives at any time the plan that is made of its messages from nothing.
#[test]
fn transcripts() {
    Property { name: "transcripts", share: 0.8, extra: transcripts::steps, holds: transcripts::hold }.hold_everywhere();
}

/// Windows lose nothing, change nothing, and have no fault that their conversation did not have.
#[test]
fn windows() {
    Property { name: "windows", share: 1.2, extra: wish::wishes, holds: windows::hold }.hold_everywhere();
}

/// Folds of folds, with messages appended in between, are undone exactly.
#[test]
fn ledgers() {
    Property { name: "ledgers", share: 1.0, extra: ledgers::rounds, holds: ledgers::hold }.hold_everywhere();
}

/// Repair removes every problem, nothing but problems, and can be undone.
#[test]
fn repairs() {
    Property { name: "repairs", share: 0.4, extra: || Just(()), holds: repairs::hold }.hold_everywhere();
}

/// Clipped results are smaller, and what is beside them is the same.
#[test]
fn clips() {
    Property { name: "clips", share: 1.2, extra: clips::floods, holds: clips::hold }.hold_everywhere();
}

/// Reductions gain what they say, change nothing else, add no fault, are undone, and are done once.
#[test]
fn reductions() {
    Property { name: "reductions", share: 0.2, extra: reductions::plenties, holds: reductions::hold }.hold_everywhere();
}

/// Nothing panics, whatever the messages are.
#[test]
fn hostile() {
    Property { name: "hostile", share: 0.2, extra: hostile::harms, holds: hostile::hold }.hold_everywhere();
}

/// Sound messages of one format are sound in every other one, say the same there, and what cannot be said is a loss.
#[test]
fn conversions() {
    Property { name: "conversions", share: 0.02, extra: || Just(()), holds: conversions::hold }.hold_everywhere();
}

/// Damaged messages convert to something, or are refused.
#[test]
fn hostile_conversions() {
    Property { name: "hostile conversions", share: 0.1, extra: hostile::harms, holds: conversions::endure }
        .hold_everywhere();
}
