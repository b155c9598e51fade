//! Reasoning of turns that are over, where the provider can do without.

use super::scene::Scene;
use super::{Act, Proposal, Rung, StepCode};

pub(super) struct Reasoning;

impl Rung for Reasoning {
    fn code(&self) -> StepCode {
        StepCode::DroppedReasoning
    }

    fn propose(&self, scene: &Scene) -> Vec<Proposal> {
        let leave = |thought: &super::scene::Thought| Proposal {
            message: thought.message,
            part: thought.part,
            output: None,
            because: None,
            saves: thought.bytes,
            act: Act::Leave,
        };
        scene.thoughts.iter().map(leave).collect()
    }
}
