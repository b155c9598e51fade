//! Readings of a file that was read again or changed later.

use super::scene::{note, Output, Scene};
use super::tools::ToolKind;
use super::{Proposal, Rung, StepCode};
use crate::fingerprint::Fingerprint;
use std::collections::HashMap;

pub(super) struct Superseded;

/// What became of a file later than some place: messages, the newest of each.
#[derive(Default)]
struct Later {
    written: Option<u32>,
    /// Read as a whole.
    read: Option<u32>,
    /// Read by the very same call.
    calls: HashMap<Fingerprint, u32>,
}

impl Rung for Superseded {
    fn code(&self) -> StepCode {
        StepCode::SupersededRead
    }

    fn propose(&self, scene: &Scene) -> Vec<Proposal> {
        let mut files: HashMap<&str, Later> = HashMap::new();
        let mut proposals = Vec::new();
        // From the newest on: what is met is later than all that comes. A call that failed made nothing old, and says more than
        // that it was made.
        for (place, output) in scene.outputs.iter().enumerate().rev().filter(|(_, output)| !output.error) {
            let Some(kind) = output.meaning.kind.filter(|kind| *kind != ToolKind::Run) else { continue };
            if let (ToolKind::Read, [path]) = (kind, &output.meaning.paths[..]) {
                proposals.extend(superseded(scene, place, files.get(path.as_str())));
            }
            for path in &output.meaning.paths {
                files.entry(path).or_default().see(kind, output);
            }
        }
        proposals
    }
}

impl Later {
    fn see(&mut self, kind: ToolKind, output: &Output) {
        if kind == ToolKind::Write {
            self.written.get_or_insert(output.message);
            return;
        }
        if !output.meaning.partial {
            self.read.get_or_insert(output.message);
        }
        self.calls.entry(output.call).or_insert(output.message);
    }
}

fn superseded(scene: &Scene, place: usize, later: Option<&Later>) -> Option<Proposal> {
    let (later, output) = (later?, &scene.outputs[place]);
    let again = later.read.or_else(|| later.calls.get(&output.call).copied());
    let words = if again.is_some() { "read again" } else { "changed" };
    let because = again.or(later.written)?;
    let text = note(&format!("{} bytes left out: the file was {words} further on", output.bytes));
    Proposal::say(scene, place, text, Some(because))
}
