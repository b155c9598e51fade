//! Windows, as a caller builds them from a plan and a digest.

use super::run::{about, lines, values, written, Outcome, Transcript};
use super::wish::{Asked, Wish};
use crate::ensure;
use crate::judge::added;
use plica::digest;
use plica::json::{Tape, Value};
use plica::message::{Provenance, Role};
use plica::outline::Outline;
use plica::plan::{plan_within, Plan};
use plica::window::{merged, slots, Slot, Span, FILLER};
use plica::{cuts::Boundaries, formats::Format};

pub const SUMMARY: &str = "GOAL: grow kale\nSTATE: sown";

pub fn hold(transcript: &Transcript, wishes: &Vec<Wish>) -> Outcome {
    for wish in wishes {
        let asked = wish.of(transcript)?;
        let answer =
            plan_within(&asked.outline, &asked.boundaries, &asked.options).map_err(|error| error.to_string())?;
        let Plan::Fold(fold) = &answer else { continue };
        let outcome = one(transcript, &asked, &Span::of(fold));
        outcome.map_err(about("options", asked.words())).map_err(about("plan", format!("{answer:?}")))?;
    }
    Ok(())
}

/// The messages of a digest in the form of the conversation.
pub fn digest_for<T: AsRef<[u8]>>(summary: &str, format: Format, messages: &[T]) -> Result<Vec<Vec<u8>>, String> {
    let mut tape = Tape::new();
    let like = messages.first().and_then(|first| tape.parse(first.as_ref()).ok());
    let digest = digest::messages(summary, format, like).map_err(|error| error.to_string())?;
    Ok(digest.into_iter().map(String::into_bytes).collect())
}

/// Reads a message.
pub fn with<T>(message: &[u8], read: impl FnOnce(Value<'_>) -> T) -> T {
    read(Tape::new().parse(message).expect("messages are JSON"))
}

pub fn roles<T: AsRef<[u8]>>(messages: &[T], format: Format) -> Vec<Role> {
    messages.iter().map(|message| with(message.as_ref(), |message| format.reader().role(message))).collect()
}

/// The messages in their places.
pub fn filled<T: AsRef<[u8]>>(slots: &[Slot], format: Format, messages: &[T], digest: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let fill = |slot: &Slot| match *slot {
        Slot::Message(index) => vec![messages[index as usize].as_ref().to_vec()],
        Slot::Digest => digest.to_vec(),
        Slot::Filler(side) => vec![format.reader().note(side, FILLER).into_bytes()],
    };
    slots.iter().flat_map(fill).collect()
}

fn one(transcript: &Transcript, asked: &Asked, span: &Span) -> Outcome {
    let (format, messages) = (transcript.format, &transcript.messages);
    let digest = digest_for(SUMMARY, format, messages)?;
    let slots = slots(&asked.outline, &asked.boundaries, span, &roles(&digest, format));
    let window = filled(&slots, format, messages, &digest);
    loses_nothing(asked, span, &slots, &window, messages).map_err(about("window", format!("\n{}", lines(&window))))?;
    adds_no_fault(transcript, &window)?;
    with_merged_digest(transcript, &asked.outline, &asked.boundaries, span, &digest)
}

fn loses_nothing(asked: &Asked, span: &Span, slots: &[Slot], window: &[Vec<u8>], messages: &[Vec<u8>]) -> Outcome {
    let n = messages.len();
    let places: Vec<usize> = slots
        .iter()
        .filter_map(|slot| match slot {
            Slot::Message(index) => Some(*index as usize),
            _ => None,
        })
        .collect();
    let mut seen = vec![0; n];
    places.iter().for_each(|&index| seen[index] += 1);
    span.folded().for_each(|index| seen[index] += 1);
    ensure!(seen.iter().all(|&times| times == 1), "not every message is either folded or in the window once: {seen:?}");
    let must_stay = |index: usize| {
        let shape = &asked.outline.shapes[index];
        let standing = matches!(shape.provenance, Provenance::Instructions | Provenance::Memory);
        standing || asked.options.pinned.contains(&(index as u32))
    };
    for index in (0..n).filter(|&index| must_stay(index)) {
        let times = places.iter().filter(|&&place| place == index).count();
        ensure!(times == 1, "message {index} must stay, and is in the window {times} times");
        let copies = window.iter().filter(|message| **message == messages[index]).count();
        let folded = span.folded().filter(|&other| messages[other] == messages[index]).count();
        let all = messages.iter().filter(|message| **message == messages[index]).count();
        ensure!(copies == all - folded, "message {index} is {copies} times in the window, byte for byte");
    }
    let (prefix, tail) = (span.prefix_end as usize, span.kept_from as usize);
    ensure!(window.starts_with(&messages[..prefix]), "the window does not start with the prefix");
    ensure!(window.ends_with(&messages[tail..]), "the window does not end with the tail");
    let digest = slots.iter().position(|slot| *slot == Slot::Digest);
    ensure!(slots.iter().filter(|slot| **slot == Slot::Digest).count() == 1, "not one digest");
    let message = |slot: &Slot| matches!(slot, Slot::Message(_));
    let before = digest.map_or(0, |digest| slots[..digest].iter().filter(|slot| message(slot)).count());
    for side in [&places[..before], &places[before..]] {
        ensure!(
            side.windows(2).all(|pair| pair[0] < pair[1]),
            "messages of the window changed their order: {places:?}"
        );
    }
    Ok(())
}

fn adds_no_fault(transcript: &Transcript, window: &[Vec<u8>]) -> Outcome {
    let added = added(&transcript.values, &values(window), transcript.format.name());
    ensure!(added.is_empty(), "the fold adds {added:?}\nwindow:\n{}", lines(window));
    Ok(())
}

/// The same with the digest merged into the first message of the tail, where that can be.
fn with_merged_digest(
    transcript: &Transcript,
    outline: &Outline,
    boundaries: &Boundaries,
    span: &Span,
    digest: &[Vec<u8>],
) -> Outcome {
    let (format, messages) = (transcript.format, &transcript.messages);
    let Some(draft) = merged(outline, messages, span, digest).map_err(|error| error.to_string())? else {
        return Ok(());
    };
    let digest = written(&[draft], messages, format);
    let text = String::from_utf8(digest[0].clone()).map_err(|error| format!("merged: {error}"))?;
    ensure!(text.contains("GOAL: grow kale"), "the merged message lacks the summary: {text}");
    let span = Span { kept_from: span.kept_from + 1, ..span.clone() };
    let slots = slots(outline, boundaries, &span, &roles(&digest, format));
    let window = filled(&slots, format, messages, &digest);
    adds_no_fault(transcript, &window).map_err(about("merged into", span.kept_from - 1))
}
