//! Results with texts that are too long, of whatever age.

use super::scene::{Output, Scene};
use super::{Act, Clip, Proposal, Rung, StepCode};
use crate::clip::MARK;

/// Of a result that is an error so many bytes stay, head and tail: why something failed is short, and asked for again.
pub(super) const ERROR_BYTES: usize = 600;

pub(super) struct Clipped<'o>(pub(super) &'o Clip);

impl Rung for Clipped<'_> {
    fn code(&self) -> StepCode {
        StepCode::ClippedResult
    }

    fn propose(&self, scene: &Scene) -> Vec<Proposal> {
        let limit = |output: &Output| match output.error {
            true => (self.0.bytes as usize).max(ERROR_BYTES),
            false => self.0.bytes as usize,
        };
        // With room for the mark: what was cut once is not cut again.
        let is_long = |output: &Output| output.is_open() && output.longest > limit(output) + MARK as usize;
        let clip = |(place, output): (usize, &Output)| Proposal {
            message: output.message,
            part: output.part,
            output: Some(place),
            because: None,
            saves: output.longest - limit(output),
            act: Act::Clip(limit(output)),
        };
        scene.outputs.iter().enumerate().filter(|(_, output)| is_long(output)).map(clip).collect()
    }
}
