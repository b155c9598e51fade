//! Images and files, of which a note stays.

use super::scene::{note, Scene};
use super::{Act, Images, Proposal, Rung, StepCode};

pub(super) struct Pictures<'o>(pub(super) &'o Images);

impl Rung for Pictures<'_> {
    fn code(&self) -> StepCode {
        StepCode::ImageNote
    }

    fn propose(&self, scene: &Scene) -> Vec<Proposal> {
        let gone = |output: Option<u32>| output.is_some_and(|output| scene.outputs[output as usize].replaced);
        let there = scene.media.iter().rev().filter(|medium| !gone(medium.output));
        let old = there.skip(self.0.keep as usize).filter(|medium| !medium.frozen);
        let proposal = |medium: &super::scene::Medium| Proposal {
            message: medium.message,
            part: medium.part,
            output: None,
            because: None,
            saves: 1,
            act: Act::Note(note(&medium.words)),
        };
        old.map(proposal).collect()
    }
}
