//! What the core answers to stories from seeds, in every format, as pinned fingerprints: the same natively, in Node and in
//! browsers. `tests/README.md` says how to pin them anew.

// An import wins over the prelude's attribute: the tests say `#[test]` everywhere.
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[path = "../story/mod.rs"]
mod story;

use plica::check::check;
use plica::cuts::Boundaries;
use plica::deterministic;
use plica::digest;
use plica::fingerprint;
use plica::formats::Format;
use plica::json::Tape;
use plica::message::Role;
use plica::outline::{Outline, Reading};
use plica::plan::{plan_within, Plan, PlanOptions};
use plica::repair::repair;
use plica::summarize;
use plica::window::{explain, measure, slots, Slot, Span, FILLER};
use std::ops::Range;
use story::{write, Story};

/// One line for each block of seeds.
const PINNED: &str = include_str!("../vectors/seeds.txt");

const BLOCK: u64 = 100;
const BLOCKS: u64 = 20;

/// All answers to the stories of these seeds, as one fingerprint.
pub fn answers(seeds: Range<u64>) -> String {
    let mut prints = String::new();
    for seed in seeds {
        let story = Story::from_seed(seed, [0.0, 0.3, 1.0][(seed % 3) as usize]);
        for &format in Format::ALL {
            let style = if seed % 5 == 0 { 0 } else { seed as u32 };
            let values = write(&story, format.name(), style);
            let messages: Vec<Vec<u8>> = values.iter().map(|value| value.to_string().into_bytes()).collect();
            let mut said = String::new();
            say_all(&mut said, &messages, format, seed);
            prints.push_str(&fingerprint::text(said.as_bytes()).to_string());
        }
    }
    fingerprint::text(prints.as_bytes()).to_string()
}

/// Everything in words: `{:?}` of answers, texts as they are.
fn say_all(said: &mut String, messages: &[Vec<u8>], format: Format, seed: u64) {
    let repaired = repair(messages, format).expect("messages are objects");
    say(said, &check(messages, format));
    say(said, &(&repaired.changes, &repaired.edits));
    say_texts(said, &repaired.texts(messages, format));
    let reading = Reading { format: Some(format), ..Reading::default() };
    let outline = Outline::read(messages, reading).expect("messages are objects");
    let boundaries = Boundaries::of(&outline);
    say(said, &boundaries.legal());
    let middle = outline.tokens(messages.len() / 2..messages.len());
    for (place, tail_budget) in [(0, 0.0), (1, middle as f64)] {
        let options = PlanOptions {
            tail_budget,
            keep_turns: u32::from(seed % 7 == 0),
            pinned: (0..messages.len() as u32).filter(|&index| u64::from(index) % 11 == seed % 11).collect(),
            keep_system: seed % 4 < 2,
            anchor_task: seed % 5 == 0,
            ..PlanOptions::default()
        };
        let plan = plan_within(&outline, &boundaries, &options).expect("the options are fine");
        say(said, &plan);
        match &plan {
            Plan::Fold(fold) if seed % 2 == place => {
                say_fold(said, messages, &outline, &boundaries, &Span::of(fold));
            }
            _ => {}
        }
    }
}

fn say_fold(said: &mut String, messages: &[Vec<u8>], outline: &Outline, boundaries: &Boundaries, span: &Span) {
    let (format, none) = (outline.format, |_| None);
    say(said, &explain(outline, boundaries, span));
    say(said, &measure(outline, span));
    let request = summarize::request(messages, format, span, &none, &Default::default()).expect("the plan is fine");
    said.push_str(&request.prompt);
    let summary = deterministic::digest(messages, format, span, &none, &Default::default()).expect("the plan is fine");
    let mut tape = Tape::new();
    let like = messages.first().and_then(|first| tape.parse(first).ok());
    let digest = digest::messages(&summary, format, like).expect("the summary says something");
    let role = |message: &String| format.reader().role(Tape::new().parse(message.as_bytes()).expect("JSON"));
    let roles: Vec<Role> = digest.iter().map(role).collect();
    for slot in slots(outline, boundaries, span, &roles) {
        match slot {
            Slot::Message(index) => say(said, &index),
            Slot::Digest => digest.iter().for_each(|message| said.push_str(message)),
            Slot::Filler(side) => said.push_str(&format.reader().note(side, FILLER)),
        }
    }
}

fn say(said: &mut String, what: &impl std::fmt::Debug) {
    said.push_str(&format!("{what:?}\n"));
}

fn say_texts(said: &mut String, texts: &[Vec<u8>]) {
    for text in texts {
        said.push_str(std::str::from_utf8(text).expect("stories are UTF-8"));
        said.push('\n');
    }
}

/// The line of a block.
pub fn line(block: u64) -> String {
    let seeds = block * BLOCK..(block + 1) * BLOCK;
    format!("{seeds:?} {}\n", answers(seeds.clone()))
}

/// All blocks.
pub fn blocks() -> Range<u64> {
    0..BLOCKS
}

/// Compares a part of the blocks: several tests run side by side, and say earlier that they are alive.
fn compare(part: u64) {
    if std::env::var_os("PLICA_PIN").is_some() {
        return;
    }
    let pinned: Vec<&str> = PINNED.lines().collect();
    assert_eq!(pinned.len() as u64, BLOCKS);
    for block in blocks().filter(|block| block % 4 == part) {
        assert_eq!(line(block).trim_end(), pinned[block as usize], "the answers differ from those that were pinned");
    }
}

#[test]
fn answers_to_seeds_1() {
    compare(0);
}

#[test]
fn answers_to_seeds_2() {
    compare(1);
}

#[test]
fn answers_to_seeds_3() {
    compare(2);
}

#[test]
fn answers_to_seeds_4() {
    compare(3);
}
