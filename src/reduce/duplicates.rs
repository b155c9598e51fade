//! Results that say the same: the newest stays, the older ones say so.

use super::scene::{note, Scene};
use super::{Proposal, Rung, StepCode};
use std::collections::HashMap;

pub(super) struct Duplicates;

impl Rung for Duplicates {
    fn code(&self) -> StepCode {
        StepCode::DuplicateResult
    }

    fn propose(&self, scene: &Scene) -> Vec<Proposal> {
        // What was cut need not have been the same; what failed is worth knowing each time.
        let same = |output: &super::scene::Output| !output.error && !output.is_note && !output.marked;
        let mut newest = HashMap::new();
        let mut proposals = Vec::new();
        for (place, output) in scene.outputs.iter().enumerate().rev().filter(|(_, output)| same(output)) {
            let Some(&later) = newest.get(&output.content) else {
                newest.insert(output.content, place);
                continue;
            };
            let words = match scene.outputs[later].call == output.call {
                true => "the same call gave the same output again further on",
                false => "the same output stands further on",
            };
            let text = note(&format!("{} bytes left out: {words}", output.bytes));
            let because = scene.outputs[later].message;
            proposals.extend(Proposal::say(scene, place, text, Some(because)));
        }
        proposals
    }
}
