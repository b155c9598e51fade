//! Reductions of conversations whose results say much, and the same again.

use super::run::{about, lines, settle, texts, values, At, Extra, Outcome, Transcript};
use crate::ensure;
use crate::judge::{added, Fault};
use crate::story::{write, Answer, Step};
use plica::check::check;
use plica::formats::Format;
use plica::json::Tape;
use plica::message::{Part, Role};
use plica::outline::{Outline, Reading};
use plica::reduce::{reduce, CacheTerms, Clear, Clip, Images, ReduceOptions, Reduced, StepCode};
use plica::tools::{ToolKind, ToolMeaning};
use proptest::collection::vec;
use proptest::prelude::*;

/// Results that say a lot, and what to do about it.
#[derive(Clone, Debug)]
pub struct Plenty {
    results: Vec<(At, usize, &'static str)>,
    /// Turned on, in the order of the ladder.
    rungs: [bool; 6],
    clear: Clear,
    clip: u32,
    images: u32,
    target: Option<f64>,
    keep_turns: u32,
    tail: f64,
    start: Option<At>,
    pinned: Vec<At>,
    cache: Option<CacheTerms>,
}

pub fn plenties() -> impl Strategy<Value = Plenty> {
    let word = prop::sample::select(&["row ", "größer ", "庭と花", "\n\u{2028}\0\"q\"\\", "[…9 bytes left out…]"][..]);
    let result = (any::<At>(), prop_oneof![Just(40), Just(120), 0..900_usize], word);
    let rungs = prop_oneof![3 => Just([true; 6]), 2 => any::<[bool; 6]>()];
    let clear = (0..4_u32, 0.0..400.0, prop_oneof![2 => Just(0.0), 1 => 0.0..2000.0], any::<bool>()).prop_map(
        |(keep, protect, min_gain, exclude)| {
            let exclude = if exclude { vec!["bash".to_string()] } else { Vec::new() };
            Clear { keep, protect, min_gain, exclude }
        },
    );
    let terms = (prop::option::of(0..30_u32), 0.05..1.0, 1.0..2.0, 1.0..60.0)
        .prop_map(|(until, read_price, write_price, turns)| CacheTerms { until, read_price, write_price, turns });
    let far = (prop::option::weighted(0.3, 0.0..1.0), 0..3_u32, prop_oneof![2 => Just(0.0), 1 => 0.0..600.0]);
    let fixed = (prop::option::weighted(0.3, any::<At>()), vec(any::<At>(), 0..3), prop::option::weighted(0.4, terms));
    (vec(result, 0..8), rungs, clear, 200..900_u32, 0..3_u32, far, fixed).prop_map(
        |(results, rungs, clear, clip, images, (target, keep_turns, tail), (start, pinned, cache))| Plenty {
            results,
            rungs,
            clear,
            clip,
            images,
            target,
            keep_turns,
            tail,
            start,
            pinned,
            cache,
        },
    )
}

impl Extra for Plenty {
    fn settle(&mut self, transcript: &mut Transcript) {
        let answers = transcript.story.steps.iter_mut().filter_map(|step| match step {
            Step::Results(batch) => Some(&mut batch.answers),
            _ => None,
        });
        let mut answers: Vec<&mut Answer> = answers.flatten().collect();
        let count = answers.len().max(1);
        for (at, times, word) in &self.results {
            if let Some(answer) = answers.get_mut(usize::from(*at) % count) {
                answer.content = word.repeat(*times);
            }
        }
        transcript.values = write(&transcript.story, transcript.format.name(), transcript.style);
        transcript.messages = texts(&transcript.values);
        self.start.iter_mut().chain(&mut self.pinned).for_each(|at| settle(at, transcript));
    }

    fn without(&mut self, index: usize) {
        self.pinned.retain(|at| usize::from(*at) != index);
        self.start.iter_mut().chain(&mut self.pinned).for_each(|at| super::run::follow(at, index));
    }
}

impl Plenty {
    fn options(&self, total: u64) -> ReduceOptions {
        let [duplicates, superseded, clear, clip, reasoning, images] = self.rungs;
        let lookup = ToolMeaning { name: "lookup".into(), kind: ToolKind::Read, path: Some("key".into()) };
        ReduceOptions {
            target: self.target.map(|share| (share * total as f64).floor()),
            duplicates,
            superseded,
            clear: clear.then(|| self.clear.clone()),
            clip: clip.then_some(Clip { bytes: self.clip }),
            reasoning,
            images: images.then_some(Images { keep: self.images }),
            tools: vec![lookup],
            keep_turns: self.keep_turns,
            tail_budget: self.tail.floor(),
            start: self.start.map_or(0, usize::from),
            pinned: self.pinned.iter().map(|&at| u32::from(at)).collect(),
            cache: self.cache,
        }
    }
}

pub fn hold(transcript: &Transcript, plenty: &Plenty) -> Outcome {
    let (format, messages) = (transcript.format, &transcript.messages);
    let outline = read(messages, format)?;
    let options = plenty.options(outline.tokens(0..messages.len()));
    let reduced = run(messages, format, &options)?;
    let outcome = one(transcript, &outline, &options, &reduced);
    let context = || format!("{:?}, refused {:?}\n{}", reduced.steps, reduced.refused, lines(&reduced.texts(messages)));
    outcome.map_err(about("options", format!("{options:?}"))).map_err(|why| format!("{why}\nsteps: {}", context()))
}

fn read(messages: &[Vec<u8>], format: Format) -> Result<Outline, String> {
    let reading = Reading { format: Some(format), ..Reading::default() };
    Outline::read(messages, reading).map_err(|error| error.to_string())
}

fn run(messages: &[Vec<u8>], format: Format, options: &ReduceOptions) -> Result<Reduced, String> {
    let reading = Reading { format: Some(format), ..Reading::default() };
    reduce(messages, reading, options).map_err(|error| error.to_string())
}

fn one(transcript: &Transcript, outline: &Outline, options: &ReduceOptions, reduced: &Reduced) -> Outcome {
    let (format, messages) = (transcript.format, &transcript.messages);
    let texts = reduced.texts(messages);
    adds_up(outline, reduced, &read(&texts, format)?)?;
    changes_only_what_it_says(outline, messages, options, reduced, &texts)?;
    super::repairs::undoes(messages, &texts, &reduced.edits)?;
    let new = check(&texts, format).map_err(|error| error.to_string())?;
    let old = check(messages, format).map_err(|error| error.to_string())?;
    ensure!(new.len() <= old.len(), "check says {new:?}, and said {old:?}");
    // A changed message is another one to the judge, whose neighbours lost theirs.
    let split = |fault: &Fault| fault.rule.ends_with("-split");
    let mut added = added(&transcript.values, &values(&texts), format.name());
    added.retain(|fault| !split(fault));
    ensure!(added.is_empty(), "the reduction adds {added:?}");
    let again = run(&texts, format, &again(options, messages, reduced))?;
    ensure!(again.steps.is_empty(), "reduced again: {:?}, {:?}", again.steps, again.refused);
    Ok(())
}

/// Reduces any messages as far as it goes, and sees that the numbers are right.
pub fn reduces(messages: &[Vec<u8>], format: Format) -> Outcome {
    let options = ReduceOptions {
        clear: Some(Clear { keep: 0, protect: 0.0, min_gain: 0.0, exclude: Vec::new() }),
        clip: Some(Clip { bytes: 50 }),
        images: Some(Images { keep: 0 }),
        ..ReduceOptions::default()
    };
    let reduced = run(messages, format, &options)?;
    let texts = reduced.texts(messages);
    let outcome = adds_up(&read(messages, format)?, &reduced, &read(&texts, format)?);
    outcome
        .and_then(|()| super::repairs::undoes(messages, &texts, &reduced.edits))
        .map_err(about("reduced", lines(&texts)))
}

/// The same options for messages of which some are gone.
fn again(options: &ReduceOptions, messages: &[Vec<u8>], reduced: &Reduced) -> ReduceOptions {
    let gone = |end: usize| {
        let kept = reduced.drafts.iter().filter(|draft| match draft.source {
            plica::edit::Source::Original(index) => (index as usize) < end,
            plica::edit::Source::Written(_) => false,
        });
        end.min(messages.len()) - kept.count()
    };
    let moved = |at: usize| at - gone(at);
    let cache = options.cache.map(|terms| CacheTerms {
        until: terms.until.map(|until| moved((until as usize).min(messages.len())) as u32),
        ..terms
    });
    let pinned = options.pinned.iter().map(|&at| moved((at as usize).min(messages.len())) as u32).collect();
    ReduceOptions { start: moved(options.start.min(messages.len())), pinned, cache, ..options.clone() }
}

fn adds_up(outline: &Outline, reduced: &Reduced, after: &Outline) -> Outcome {
    let gain: u64 = reduced.steps.iter().map(|step| step.tokens).sum();
    let tokens = reduced.tokens;
    ensure!(reduced.steps.iter().all(|step| step.tokens > 0), "a step gains nothing");
    ensure!(tokens.before == outline.tokens(0..outline.len()), "before it says {}", tokens.before);
    ensure!(
        tokens.after == after.tokens(0..after.len()),
        "it says {}, counted {}",
        tokens.after,
        after.tokens(0..after.len())
    );
    ensure!(tokens.before - tokens.after == gain, "the steps gain {gain} of {tokens:?}");
    let first = reduced.steps.iter().map(|step| step.index).min();
    ensure!(reduced.cache.first_changed == first, "first changed is {:?}", reduced.cache);
    Ok(())
}

fn changes_only_what_it_says(
    outline: &Outline,
    messages: &[Vec<u8>],
    options: &ReduceOptions,
    reduced: &Reduced,
    texts: &[Vec<u8>],
) -> Outcome {
    let steps = |index: usize| reduced.steps.iter().filter(move |step| step.index as usize == index);
    let mut news = texts.iter();
    for (index, old) in messages.iter().enumerate() {
        let own: Vec<_> = steps(index).collect();
        if own.is_empty() {
            ensure!(news.next() == Some(old), "message {index} changed without a step");
            continue;
        }
        let fixed = options.pinned.contains(&(index as u32)) || index < options.start;
        ensure!(!fixed, "message {index} was to stay");
        if outline.shapes[index].only_reasoning && outline.format == Format::OpenaiResponses {
            continue;
        }
        let new = news.next().ok_or("a message is missing")?;
        let same = said(old, outline.format)? == said(new, outline.format)?;
        let noted = own.iter().any(|step| step.code == StepCode::ImageNote);
        ensure!(same || noted, "a text of message {index} changed");
        let system = outline.shapes[index].role == Role::System;
        ensure!(!system, "message {index} is a system text");
        for step in own {
            ensure!(
                step.because.is_none_or(|later| later as usize >= index),
                "{step:?} is because of something earlier"
            );
        }
    }
    ensure!(news.next().is_none(), "there are more messages");
    Ok(())
}

/// What is said in a message, and called: texts and arguments.
fn said(message: &[u8], format: Format) -> Result<Vec<Vec<u8>>, String> {
    let mut tape = Tape::new();
    let mut said = Vec::new();
    format.reader().parts(tape.parse(message).map_err(|error| error.to_string())?, &mut |part| match part {
        Part::Text(text) => said.push(text.raw().to_vec()),
        Part::Call { id, arguments, .. } => {
            said.extend(id.into_iter().chain(arguments).map(|value| value.raw().to_vec()));
        }
        _ => {}
    });
    Ok(said)
}
