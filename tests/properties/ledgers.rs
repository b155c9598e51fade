//! Rounds of folding a conversation that goes on, and the way back from each.

use super::run::{about, follow, lines, written, At, Extra, Outcome, Transcript};
use super::windows::{digest_for, filled, roles, with, SUMMARY};
use super::wish::{wish, Wish};
use crate::ensure;
use plica::edit::Source;
use plica::fingerprint::{self, Fingerprint};
use plica::formats::Format;
use plica::json::Tape;
use plica::ledger::{unfold_all, DigestPrint, EditKind, EditRecord, FoldRecord, Origin, Record};
use plica::message::Provenance;
use plica::outline::Reading;
use plica::plan::{plan_within, Plan};
use plica::reduce::{reduce, Clear, Clip, Images, ReduceOptions};
use plica::repair::repair;
use plica::window::{slots, Slot, Span};
use proptest::collection::vec;
use proptest::prelude::*;

/// A fold, and what comes after it.
#[derive(Clone, Debug)]
pub struct Round {
    wish: Wish,
    /// Where the conversation is at that time, as a share of it.
    until: At,
    /// The summary says the same as that of other folds.
    same: bool,
    /// The planner is told that the digest is one.
    told: bool,
    /// What is done to the window before it folds.
    edit: Option<EditKind>,
}

pub fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let edit = prop::sample::select(&[None, Some(EditKind::Reduce), Some(EditKind::Repair)][..]);
    let round = (wish(), any::<At>(), any::<bool>(), any::<bool>(), edit);
    vec(round.prop_map(|(wish, until, same, told, edit)| Round { wish, until, same, told, edit }), 1..=4)
}

impl Extra for Round {
    fn settle(&mut self, transcript: &mut Transcript) {
        self.wish.settle(transcript);
        self.until %= transcript.messages.len() as At + 1;
    }

    fn without(&mut self, index: usize) {
        self.wish.without(index);
        follow(&mut self.until, index);
    }
}

/// What a host keeps.
#[derive(Default)]
struct Ledger {
    records: Vec<Record>,
    taken: Vec<Vec<Vec<u8>>>,
}

/// A message of a window, and whether the planner is told that it is a digest.
type Entry = (Vec<u8>, bool);

// The shape that a property's strategy gives.
#[allow(clippy::ptr_arg)]
pub fn hold(transcript: &Transcript, rounds: &Vec<Round>) -> Outcome {
    let all = &transcript.messages;
    let mut ends: Vec<usize> = rounds.iter().map(|round| usize::from(round.until) % (all.len() + 1)).collect();
    ends.sort_unstable();
    let mut ledger = Ledger::default();
    let mut window: Vec<Entry> = Vec::new();
    let mut said = 0;
    for (number, (round, end)) in rounds.iter().zip(ends).enumerate() {
        window.extend(all[said..end].iter().map(|message| (message.clone(), false)));
        said = end;
        let before: Vec<Vec<u8>> = window.iter().map(|(message, _)| message.clone()).collect();
        let round = |window: &mut Vec<Entry>, ledger: &mut Ledger| {
            if let Some(kind) = round.edit {
                edit(transcript.format, kind, window, ledger)?;
                ledger.gives_back(transcript.format, window, &all[..said])?;
            }
            fold(transcript, number, round, window, ledger)?;
            ledger.gives_back(transcript.format, window, &all[..said])
        };
        round(&mut window, &mut ledger)
            .map_err(about(&format!("window before fold {number}"), format!("\n{}", lines(&before))))?;
    }
    window.extend(all[said..].iter().map(|message| (message.clone(), false)));
    ledger.gives_back(transcript.format, &window, all)
}

fn fold(
    transcript: &Transcript,
    number: usize,
    round: &Round,
    window: &mut Vec<Entry>,
    ledger: &mut Ledger,
) -> Outcome {
    let format = transcript.format;
    let messages: Vec<Vec<u8>> = window.iter().map(|(message, _)| message.clone()).collect();
    let known: Vec<_> = (0_u32..)
        .zip(window.iter())
        .filter(|(_, entry)| entry.1)
        .map(|(index, _)| (index, Provenance::Summary))
        .collect();
    let asked = round.wish.on(&messages, transcript, &known)?;
    let answer = plan_within(&asked.outline, &asked.boundaries, &asked.options).map_err(|error| error.to_string())?;
    let Plan::Fold(plan) = &answer else { return Ok(()) };
    let span = Span::of(plan);
    let summary = if round.same { SUMMARY.to_string() } else { format!("{SUMMARY}\nNEXT: bed {number}") };
    let digest = digest_for(&summary, format, &messages)?;
    let roles = roles(&digest, format);
    let digest_prints: Vec<DigestPrint> = prints(&digest, format)
        .into_iter()
        .zip(&roles)
        .map(|(fingerprint, &role)| DigestPrint { fingerprint, role })
        .collect();
    let prints = prints(&messages, format);
    let record = FoldRecord::new(&asked.outline, &asked.boundaries, &span, &prints, &digest_prints);
    let record = record.map_err(|error| error.to_string()).map_err(about("options", asked.words()))?;
    let folded: Vec<usize> =
        record.folded().into_iter().map(|index| index as usize + span.prefix_end as usize).collect();
    ensure!(
        folded == span.folded().collect::<Vec<_>>(),
        "the record says that {folded:?} fold, the plan is {answer:?}"
    );
    let slots = slots(&asked.outline, &asked.boundaries, &span, &roles);
    let told: Vec<bool> = slots
        .iter()
        .flat_map(|slot| match slot {
            Slot::Message(index) => vec![window[*index as usize].1],
            Slot::Digest => vec![round.told; digest.len()],
            Slot::Filler(_) => vec![false],
        })
        .collect();
    ledger.record(Record::Fold(record))?;
    ledger.taken.push(folded.iter().map(|&index| messages[index].clone()).collect());
    *window = filled(&slots, format, &messages, &digest).into_iter().zip(told).collect();
    Ok(())
}

/// Reduces or repairs the window.
fn edit(format: Format, kind: EditKind, window: &mut Vec<Entry>, ledger: &mut Ledger) -> Outcome {
    let messages: Vec<Vec<u8>> = window.iter().map(|(message, _)| message.clone()).collect();
    let reading = Reading { format: Some(format), ..Reading::default() };
    let eager = ReduceOptions {
        clear: Some(Clear { keep: 1, protect: 0.0, min_gain: 0.0, exclude: Vec::new() }),
        clip: Some(Clip { bytes: 200 }),
        images: Some(Images { keep: 0 }),
        ..ReduceOptions::default()
    };
    let (drafts, edits) = match kind {
        EditKind::Reduce => {
            let reduced = reduce(&messages, reading, &eager).map_err(|error| error.to_string())?;
            (reduced.drafts, reduced.edits)
        }
        EditKind::Repair => {
            let repaired = repair(&messages, format).map_err(|error| error.to_string())?;
            (repaired.drafts, repaired.edits)
        }
    };
    if edits.is_empty() {
        return Ok(());
    }
    let texts = written(&drafts, &messages, format);
    let told = drafts.iter().map(|draft| match draft.source {
        Source::Original(index) => window[index as usize].1,
        Source::Written(_) => false,
    });
    let told: Vec<bool> = told.collect();
    let record = EditRecord::new(kind, format, &edits, &prints(&messages, format), &prints(&texts, format));
    ledger.record(Record::Edit(record.map_err(|error| error.to_string())?))?;
    let removed = edits.iter().flat_map(|edit| edit.from..edit.from + edit.removed);
    ledger.taken.push(removed.map(|index| messages[index as usize].clone()).collect());
    *window = texts.into_iter().zip(told).collect();
    Ok(())
}

fn prints(messages: &[Vec<u8>], format: Format) -> Vec<Fingerprint> {
    messages.iter().map(|message| with(message, |message| fingerprint::message(message, Some(format)))).collect()
}

impl Ledger {
    fn record(&mut self, record: Record) -> Outcome {
        let text = record.to_json();
        let read = Record::from_json(Tape::new().parse(text.as_bytes()).map_err(|error| error.to_string())?);
        ensure!(read.as_ref() == Ok(&record), "the record is read as {read:?} from {text}");
        self.records.push(record);
        Ok(())
    }

    fn gives_back(&self, format: Format, window: &[Entry], conversation: &[Vec<u8>]) -> Outcome {
        let messages: Vec<Vec<u8>> = window.iter().map(|(message, _)| message.clone()).collect();
        let context = || format!("records {:#?}\nwindow:\n{}", self.records, lines(&messages));
        let origins =
            unfold_all(&self.records, &prints(&messages, format)).map_err(|error| format!("{error}\n{}", context()))?;
        let back: Vec<&Vec<u8>> = origins
            .iter()
            .map(|origin| match *origin {
                Origin::Window(index) => &messages[index as usize],
                Origin::Fold { fold, index } => &self.taken[fold as usize][index as usize],
            })
            .collect();
        let same = back.iter().copied().eq(conversation);
        ensure!(
            same,
            "it unfolds to\n{}\n{}",
            back.iter().map(|message| format!("{}\n", String::from_utf8_lossy(message))).collect::<String>(),
            context()
        );
        Ok(())
    }
}
