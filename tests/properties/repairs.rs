//! Repair, against the check that it shares its rules with and against the judge that knows neither.

use super::run::{about, lines, values, Outcome, Transcript};
use crate::ensure;
use crate::judge::{benign, faults};
use plica::check::{check, ProblemCode};
use plica::formats::Format;
use plica::repair::{repair, Edit};

pub fn hold(transcript: &Transcript, _: &()) -> Outcome {
    let (format, messages) = (transcript.format, &transcript.messages);
    let problems = check(messages, format).map_err(|error| error.to_string())?;
    // Stories count their ids anew with every reply as some back ends do; Anthropic's own takes none twice.
    let reused = |code| format == Format::Anthropic && code == ProblemCode::DuplicateId;
    let sound = problems.iter().all(|problem| reused(problem.code));
    ensure!(!transcript.sound || sound, "it obeys every rule, but check says {problems:?}");
    let texts = mends(messages, format)?;
    let left: Vec<_> = faults(&values(&texts), format.name()).into_iter().filter(|fault| !benign(fault.rule)).collect();
    ensure!(left.is_empty(), "after the repair there is {left:?}\nrepaired:\n{}", lines(&texts));
    Ok(())
}

/// Repairs any messages, and gives the repaired ones.
pub fn mends<T: AsRef<[u8]>>(messages: &[T], format: Format) -> Result<Vec<Vec<u8>>, String> {
    let problems = check(messages, format).map_err(|error| error.to_string())?;
    let repaired = repair(messages, format).map_err(|error| error.to_string())?;
    let texts = repaired.texts(messages, format);
    let outcome = || -> Outcome {
        let left = check(&texts, format).map_err(|error| error.to_string())?;
        ensure!(left.is_empty(), "still there: {left:?}");
        let places = repaired.changes.iter().all(|change| (change.index as usize) < messages.len());
        ensure!(places, "a change is at no message: {:?}", repaired.changes);
        ensure!(
            problems.is_empty() == repaired.changes.is_empty(),
            "check says {problems:?}, repair {:?}",
            repaired.changes
        );
        let same = texts.iter().map(Vec::as_slice).eq(messages.iter().map(AsRef::as_ref));
        ensure!(same == repaired.edits.is_empty(), "edits are {:?}", repaired.edits);
        ensure!(!problems.is_empty() || same, "nothing was wrong, and something changed");
        undoes(messages, &texts, &repaired.edits)?;
        let second = repair(&texts, format).map_err(|error| error.to_string())?;
        ensure!(second.changes.is_empty() && second.edits.is_empty(), "a second repair: {:?}", second.changes);
        ensure!(second.texts(&texts, format) == texts, "a second repair changes something");
        Ok(())
    };
    outcome()
        .map_err(about("repaired", format!("\n{}", lines(&texts))))
        .map_err(about("problems", format!("{problems:?}")))?;
    Ok(texts)
}

/// Backwards from the last, the edits give the old messages; so what no edit names is as it was.
pub fn undoes<T: AsRef<[u8]>>(old: &[T], new: &[Vec<u8>], edits: &[Edit]) -> Outcome {
    let mut back: Vec<&[u8]> = new.iter().map(Vec::as_slice).collect();
    let (mut at, mut from) = (0, 0);
    for edit in edits {
        ensure!(edit.inserted + edit.removed > 0, "an edit of nothing: {edits:?}");
        ensure!(edit.at >= at && edit.from >= from && edit.at - at == edit.from - from, "edits overlap: {edits:?}");
        (at, from) = (edit.at + edit.inserted, edit.from + edit.removed);
    }
    for edit in edits.iter().rev() {
        let gone = old[edit.from as usize..(edit.from + edit.removed) as usize].iter().map(AsRef::as_ref);
        back.splice(edit.at as usize..(edit.at + edit.inserted) as usize, gone);
    }
    ensure!(back.into_iter().eq(old.iter().map(AsRef::as_ref)), "undone, it is not what it was: {edits:?}");
    Ok(())
}
