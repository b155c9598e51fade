//! Readings of a file that was read again or changed later.

use super::scene::{note, Output, Scene};
use super::{Proposal, Rung, StepCode};
use crate::fingerprint::Fingerprint;
use crate::tools::ToolKind;
use std::collections::HashMap;

pub(super) struct Superseded;

/// What became of a file later than some place, the newest of each.
#[derive(Default)]
struct Later<'s> {
    written: Option<u32>,
    /// Read with no argument but its path, by tool.
    read: HashMap<&'s str, &'s Output>,
    /// Read by the very same call.
    calls: HashMap<Fingerprint, &'s Output>,
}

impl Rung for Superseded {
    fn code(&self) -> StepCode {
        StepCode::SupersededRead
    }

    fn propose(&self, scene: &Scene) -> Vec<Proposal> {
        let mut files: HashMap<&str, Later<'_>> = HashMap::new();
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

impl<'s> Later<'s> {
    fn see(&mut self, kind: ToolKind, output: &'s Output) {
        // What was reduced before no longer says what it said.
        if output.is_note || output.marked {
            return;
        }
        if kind == ToolKind::Write {
            if !output.failed {
                self.written.get_or_insert(output.message);
            }
            return;
        }
        if !output.meaning.partial {
            self.read.entry(&output.tool).or_insert(output);
        }
        self.calls.entry(output.call).or_insert(output);
    }

    /// The same reading again. One that says less than half is none: "file not found", "unchanged since the last read".
    fn again(&self, output: &Output) -> Option<u32> {
        let whole = || self.read.get(&output.tool[..]).filter(|_| !output.meaning.partial);
        let again = self.calls.get(&output.call).or_else(whole).filter(|_| !output.marked)?;
        (again.bytes * 2 >= output.bytes).then_some(again.message)
    }
}

fn superseded(scene: &Scene, place: usize, later: Option<&Later<'_>>) -> Option<Proposal> {
    let (later, output) = (later?, &scene.outputs[place]);
    let again = later.again(output);
    let words = if again.is_some() { "read again" } else { "changed" };
    let because = again.or(later.written)?;
    let text = note(&format!("{} bytes left out: the file was {words} further on", output.bytes));
    Proposal::say(scene, place, text, Some(because))
}
