//! Sketches by proptest, so that a failure shrinks to the fewest turns, rounds, calls and words that still fail.

use super::accidents::{self, Accident};
use super::random::WORDS;
use super::sketch::{Aside, Ask, Ending, Round, Sketch, Speech, Turn, INPUTS, KINDS, TOOLS};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

/// Never blank as a whole.
fn words(most: usize) -> impl Strategy<Value = String> {
    let known = vec(select(&WORDS[..]), 0..most).prop_map(|words| format!("w{}", words.join(" ")));
    prop_oneof![9 => known, 1 => ".{0,40}".prop_map(|text| format!("w{text}"))]
}

pub fn sketches(malformed: f64) -> impl Strategy<Value = Sketch> {
    let most = (malformed * 8.0).ceil() as usize;
    let accident = (0..accidents::COUNT, 0..1_usize << 16, any::<u64>());
    let accidents = vec(accident.prop_map(|(what, at, salt)| Accident { what, at, salt }), 0..=most);
    let ending = prop_oneof![
        3 => Just(Ending::Answered),
        1 => Just(Ending::Silent),
        1 => Just(Ending::Waiting),
        1 => Just(Ending::Approved),
        1 => Just(Ending::Partial),
    ];
    (
        vec((words(8), any::<bool>()), 0..3),
        weighted(0.15, words(8)),
        weighted(0.3, Just(())),
        vec(turn(), 1..9),
        ending,
        accidents,
    )
        .prop_map(|(systems, opening, reuse, turns, ending, accidents)| Sketch {
            systems,
            opening,
            reuse_ids: reuse.is_some(),
            turns,
            ending,
            accidents,
        })
}

fn turn() -> impl Strategy<Value = Turn> {
    let aside = prop_oneof![
        words(8).prop_map(Aside::System),
        (0..KINDS.len(), words(8)).prop_map(|(kind, text)| Aside::Injected(kind, text)),
        words(20).prop_map(Aside::Summary),
        words(4).prop_map(Aside::Unknown),
    ];
    (weighted(0.2, aside), vec(words(16), 1..3), rarely(), vec(round(), 0..5), speech(true))
        .prop_map(|(aside, asks, image, rounds, answer)| Turn { aside, asks, image, rounds, answer })
}

fn rarely() -> impl Strategy<Value = bool> {
    prop_oneof![9 => Just(false), 1 => Just(true)]
}

fn speech(speaks: bool) -> impl Strategy<Value = Speech> {
    (vec(words(12), 0..3), any::<bool>(), vec(words(20), usize::from(speaks)..3), weighted(0.08, words(4)))
        .prop_map(|(thoughts, redacted, texts, server)| Speech { thoughts, redacted, texts, server })
}

fn round() -> impl Strategy<Value = Round> {
    (speech(false), vec(ask(), 1..5), rarely(), rarely(), weighted(0.12, (any::<bool>(), words(8))))
        .prop_map(|(speech, calls, reversed, apart, word)| Round { speech, calls, reversed, apart, word })
}

fn ask() -> impl Strategy<Value = Ask> {
    let result = prop_oneof![19 => words(16), 1 => words(400)];
    (0..TOOLS.len(), 0..INPUTS, result, rarely(), rarely(), weighted(0.1, any::<bool>()))
        .prop_map(|(tool, input, result, error, parts, approval)| Ask { tool, input, result, error, parts, approval })
}
