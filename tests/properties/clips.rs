//! Clipping the results of a tail that is over its budget.

use super::run::{about, texts, written, At, Extra, Outcome, Transcript};
use crate::ensure;
use crate::story::{write, Answer, Step};
use plica::clip::{self, ClipOffer};
use plica::formats::Format;
use plica::json::Tape;
use plica::message::Part;
use plica::outline::{Outline, Reading};
use plica::plan::{plan, Plan, PlanOptions};
use plica::tokens::Estimator;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use std::ops::Range;

/// Results that say too much, and a budget as a share of the smallest tail.
#[derive(Clone, Debug)]
pub struct Flood {
    results: Vec<(At, usize, &'static str)>,
    share: f64,
    keep_turns: u32,
    estimator: Estimator,
}

pub fn floods() -> impl Strategy<Value = Flood> {
    let word =
        prop::sample::select(&["row ", "größer ", "庭と花", "🌱", "\n", "\u{2028}", "\0", "\"q\" ", "\\", "</b>"][..]);
    let share = prop_oneof![1 => Just(0.0), 8 => 0.0..1.1];
    let estimator = prop::sample::select(&[Estimator::Balanced, Estimator::Conservative][..]);
    (vec((any::<At>(), 0..2500_usize, word), 0..4), share, 0_u32..3, estimator)
        .prop_map(|(results, share, keep_turns, estimator)| Flood { results, share, keep_turns, estimator })
}

impl Extra for Flood {
    fn settle(&mut self, transcript: &mut Transcript) {
        let answers = transcript.story.steps.iter_mut().filter_map(|step| match step {
            Step::Results(batch) => Some(&mut batch.answers),
            _ => None,
        });
        let mut answers: Vec<&mut Answer> = answers.flatten().collect();
        let count = answers.len().max(1);
        for (at, times, word) in &self.results {
            if let Some(answer) = answers.get_mut(usize::from(*at) % count) {
                answer.content.push_str(&word.repeat(*times));
            }
        }
        transcript.values = write(&transcript.story, transcript.format.name(), transcript.style);
        transcript.messages = texts(&transcript.values);
    }

    fn without(&mut self, _: usize) {}
}

pub fn hold(transcript: &Transcript, flood: &Flood) -> Outcome {
    let messages = &transcript.messages;
    let reading = Reading { format: Some(transcript.format), estimator: flood.estimator, ..Reading::default() };
    let smallest = match planned(
        messages,
        reading,
        &PlanOptions { keep_turns: flood.keep_turns, ..PlanOptions::tail_budget(0.0) },
    )? {
        Plan::Fold(fold) => fold.tokens.tail,
        Plan::None(none) => none.total,
    };
    let options = PlanOptions {
        keep_turns: flood.keep_turns,
        ..PlanOptions::tail_budget((smallest as f64 * flood.share).floor())
    };
    let before = planned(messages, reading, &options)?;
    let (offers, tail) = match &before {
        Plan::Fold(fold) => (&fold.clips, fold.tokens.tail),
        Plan::None(none) => (&none.clips, behind_prefix(messages, reading)?),
    };
    if offers.is_empty() {
        return Ok(());
    }
    let outcome = clips(messages, reading, &options, offers, tail);
    outcome.map_err(about("options", format!("{options:?}, {flood:?}"))).map_err(about("plan", format!("{before:?}")))
}

fn planned(messages: &[Vec<u8>], reading: Reading<'_>, options: &PlanOptions) -> Result<Plan, String> {
    let outline = Outline::read(messages, reading).map_err(|error| error.to_string())?;
    plan(&outline, options).map_err(|error| error.to_string())
}

/// Tokens of what a plan without prefix of its own could keep as tail at most.
fn behind_prefix(messages: &[Vec<u8>], reading: Reading<'_>) -> Result<u64, String> {
    let outline = Outline::read(messages, reading).map_err(|error| error.to_string())?;
    let leads = outline.shapes.iter().take_while(|shape| {
        shape.role == plica::message::Role::System || (shape.role == plica::message::Role::User && shape.is_standing())
    });
    let prefix = leads.count();
    Ok(outline.tokens(prefix..outline.len()))
}

fn clips(
    messages: &[Vec<u8>],
    reading: Reading<'_>,
    options: &PlanOptions,
    offers: &[ClipOffer],
    tail: u64,
) -> Outcome {
    let format = reading.format.expect("a format");
    let drafts = clip::results(messages, format, offers).map_err(|error| error.to_string())?;
    let clipped = written(&drafts, messages, format);
    ensure!(clipped.len() == messages.len(), "there were {} messages, now {}", messages.len(), clipped.len());
    for (index, (old, new)) in messages.iter().zip(&clipped).enumerate() {
        let own: Vec<&ClipOffer> = offers.iter().filter(|offer| offer.index as usize == index).collect();
        only_contents_differ(old, new, format, &own)
            .map_err(about("message", format!("{index}, {}", String::from_utf8_lossy(new))))?;
    }
    let after = planned(&clipped, reading, options)?;
    let (over, now) = match &after {
        Plan::Fold(fold) => (fold.over_budget, fold.tokens.tail),
        Plan::None(none) => (none.over_budget, if none.over_budget { behind_prefix(&clipped, reading)? } else { 0 }),
    };
    ensure!(now < tail, "the tail had {tail} tokens, clipped {now}: {after:?}");
    let excess = (tail as f64 - options.tail_budget).max(0.0) * 3.0;
    let gain: u64 = offers.iter().map(|offer| u64::from(offer.bytes - offer.keep)).sum();
    // Each offer leaves 64 bytes for the mark of the cut; where tokens are counted, the last one is not cut to the least.
    let sure = match reading.estimator {
        Estimator::Conservative => gain.saturating_sub(64 * offers.len() as u64) as f64 >= excess,
        Estimator::Balanced => offers.iter().any(|offer| offer.tokens > Some(220)),
    };
    ensure!(!(sure && over), "the offers cover {excess} bytes, but it is over still: {after:?}");
    Ok(())
}

/// Outside the contents of the clipped results each byte is as it was; inside only texts are, and they are cut and marked.
fn only_contents_differ(old: &[u8], new: &[u8], format: Format, offers: &[&ClipOffer]) -> Outcome {
    std::str::from_utf8(new).map_err(|error| format!("clipped text is not UTF-8: {error}"))?;
    let contents = |text: &[u8]| -> Vec<Range<usize>> {
        let mut contents = Vec::new();
        let mut place = 0;
        let mut tape = Tape::new();
        format.reader().parts(tape.parse(text).expect("messages are JSON"), &mut |part| {
            if let Part::Result { content: Some(content), .. } = part {
                if offers.iter().any(|offer| offer.part == place) {
                    contents.push(content.span());
                }
            }
            place += 1;
        });
        contents
    };
    let (olds, news) = (contents(old), contents(new));
    ensure!(olds.len() == offers.len() && news.len() == offers.len(), "not one content for each offer");
    let (mut from, mut at) = (0, 0);
    for (old_span, new_span) in olds.iter().zip(&news) {
        ensure!(old[from..old_span.start] == new[at..new_span.start], "something beside the results changed");
        (from, at) = (old_span.end, new_span.end);
        let read = |text: &[u8]| serde_json::from_slice::<Value>(text).map_err(|error| error.to_string());
        let cuts = texts_are_cut(&read(&old[old_span.clone()])?, &read(&new[new_span.clone()])?)?;
        ensure!(cuts > 0, "a result was to be clipped, and nothing of it was");
    }
    ensure!(old[from..] == new[at..], "something beside the results changed");
    Ok(())
}

/// How many texts are cut.
fn texts_are_cut(old: &Value, new: &Value) -> Result<usize, String> {
    match (old, new) {
        (Value::String(old), Value::String(new)) if old != new => {
            let (head, rest) = new.split_once(" […").ok_or("no mark")?;
            let (bytes, tail) = rest.split_once(" bytes cut…] ").ok_or("no mark")?;
            let bytes: usize = bytes.parse().map_err(|_| format!("{bytes} bytes"))?;
            // A text that holds such a mark of its own was split at the wrong one.
            let whole = old.starts_with(head) && old.ends_with(tail) && head.len() + bytes + tail.len() == old.len();
            ensure!(whole, "{old:?} is cut to {new:?}");
            Ok(1)
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).map(|(old, new)| texts_are_cut(old, new)).sum()
        }
        (Value::Object(old), Value::Object(new)) if old.keys().eq(new.keys()) => {
            old.values().zip(new.values()).map(|(old, new)| texts_are_cut(old, new)).sum()
        }
        _ => {
            ensure!(old == new, "{old} became {new}");
            Ok(0)
        }
    }
}
