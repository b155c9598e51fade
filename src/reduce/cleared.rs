//! Old results, whatever they say.

use super::clipped::ERROR_BYTES;
use super::scene::{note, Scene};
use super::{Act, Clear, Proposal, Rung, StepCode};
use crate::clip::MARK;

pub(super) struct Cleared<'o>(pub(super) &'o Clear);

impl Rung for Cleared<'_> {
    fn code(&self) -> StepCode {
        StepCode::ClearedResult
    }

    fn least(&self) -> f64 {
        self.0.min_gain
    }

    fn propose(&self, scene: &Scene) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        let mut newer = 0.0;
        for (count, (place, output)) in scene.outputs.iter().enumerate().rev().enumerate() {
            // As large as it came: what an earlier step made of it must not move the fence, or a second run would go on.
            newer += output.tokens as f64;
            if count < self.0.keep as usize || newer <= self.0.protect || self.0.exclude.contains(&output.tool) {
                continue;
            }
            if output.error {
                proposals.extend(shortened(scene, place));
                continue;
            }
            let text = note(&format!("{} bytes of an old result left out", output.bytes));
            proposals.extend(Proposal::say(scene, place, text, None));
        }
        proposals
    }
}

fn shortened(scene: &Scene, place: usize) -> Option<Proposal> {
    let output = &scene.outputs[place];
    let long = output.is_open() && output.longest > ERROR_BYTES + MARK as usize;
    long.then(|| Proposal {
        message: output.message,
        part: output.part,
        output: Some(place),
        because: None,
        saves: output.longest - ERROR_BYTES,
        act: Act::Clip(ERROR_BYTES),
    })
}
