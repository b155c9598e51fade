//! Runs a property over random conversations of every format, and shows the smallest one that breaks it.

use crate::story::random::Random;
use crate::story::{stories, write, Story};
use crate::support::say;
use plica::edit::{Draft, Writer};
use plica::formats::Format;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Once;

/// Conversations of each format that a property with a share of 1 sees when nothing else is asked for: over 200,000 in all. The shares are
/// small where one conversation takes long (converted to nine formats and back, 21 ms; reduced, or read as another format, 5 ms; else 1 to 3).
const TRANSCRIPTS: f64 = 3000.0;

/// What is wrong, if anything is.
pub type Outcome = Result<(), String>;

/// Breaks a property unless the condition holds.
#[macro_export]
macro_rules! ensure {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+));
        }
    };
}

/// A random conversation in a format.
#[derive(Clone)]
pub struct Transcript {
    pub format: Format,
    pub story: Story,
    pub style: u32,
    /// Nothing went wrong in it.
    pub sound: bool,
    pub values: Vec<Value>,
    /// The same as JSON text.
    pub messages: Vec<Vec<u8>>,
}

impl Transcript {
    fn new(format: Format, (sound, story, style): (bool, Story, u32)) -> Transcript {
        let values = write(&story, format.name(), style);
        let messages = texts(&values);
        Transcript { format, story, style, sound, values, messages }
    }

    /// Without one of its messages, which may have left it malformed.
    fn without(&self, index: usize) -> Transcript {
        let mut less = Transcript { sound: false, ..self.clone() };
        less.values.remove(index);
        less.messages.remove(index);
        less
    }
}

pub fn texts(values: &[Value]) -> Vec<Vec<u8>> {
    values.iter().map(|value| value.to_string().into_bytes()).collect()
}

pub fn values<T: AsRef<[u8]>>(messages: &[T]) -> Vec<Value> {
    let read = |message: &T| serde_json::from_slice(message.as_ref()).expect("messages are JSON");
    messages.iter().map(read).collect()
}

/// Drafts as JSON texts.
pub fn written(drafts: &[Draft], messages: &[Vec<u8>], format: Format) -> Vec<Vec<u8>> {
    let mut writer = Writer::new(messages, format);
    drafts.iter().map(|draft| writer.text(draft)).collect()
}

/// Messages as lines.
pub fn lines<T: AsRef<[u8]>>(messages: &[T]) -> String {
    messages.iter().map(|message| format!("{}\n", String::from_utf8_lossy(message.as_ref()))).collect()
}

/// Half of the conversations are well-formed.
fn conversations() -> impl Strategy<Value = (bool, Story, u32)> {
    let sound = stories(0.0).prop_map(|story| (true, story));
    let rare = stories(0.3).prop_map(|story| (false, story));
    let often = stories(1.0).prop_map(|story| (false, story));
    let style = prop_oneof![1 => Just(0), 4 => any::<u32>()];
    (prop_oneof![2 => sound, 1 => rare, 1 => often], style).prop_map(|((sound, story), style)| (sound, story, style))
}

thread_local! {
    /// A panic in this thread is caught and reported with what led to it.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

fn keep_caught_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !CAUGHT.get() {
                usual(info);
            }
        }));
    });
}

/// A panic is a broken property like any other.
pub fn caught(run: impl FnOnce() -> Outcome) -> Outcome {
    keep_caught_panics_quiet();
    let before = CAUGHT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    CAUGHT.set(before);
    result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", text.unwrap_or("?")))
    })
}

/// Adds what the property was tried with.
pub fn about(what: &str, with: impl Display) -> impl FnOnce(String) -> String {
    let (what, with) = (what.to_string(), with.to_string());
    move |why| format!("{why}\n{what}: {with}")
}

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The formats to try: all, or those that `PLICA_FORMATS` names.
fn formats() -> Vec<Format> {
    match setting("PLICA_FORMATS") {
        None => Format::ALL.to_vec(),
        Some(names) => names.split(',').map(|name| Format::from_name(name).expect("a format's name")).collect(),
    }
}

/// So many times as many conversations as usual: `PLICA_CASES`.
fn times() -> f64 {
    setting("PLICA_CASES").map_or(1.0, |times| times.parse().expect("PLICA_CASES is a number"))
}

/// Where the conversations come from: `PLICA_SEED`, a number or `random`.
fn seed() -> u64 {
    match setting("PLICA_SEED").as_deref() {
        None => 0,
        Some("random") => {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            since.map_or(0, |since| since.as_nanos() as u64)
        }
        Some(number) => number.parse().expect("PLICA_SEED is a number, or random"),
    }
}

fn runner(property: &str, format: Format, seed: u64, cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        max_shrink_time: 60_000,
        ..Config::default()
    };
    let name = property.bytes().chain(format.name().bytes());
    let mut random = Random::new(name.fold(seed, |hash, byte| Random::new(hash ^ u64::from(byte)).next()));
    let bytes: Vec<u8> = (0..4).flat_map(|_| random.next().to_le_bytes()).collect();
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// A message, counted around as often as it takes.
pub type At = u16;

/// What a property takes beside a conversation.
pub trait Extra: Clone + std::fmt::Debug {
    /// Changes the conversation, and names its messages by their index from now on.
    fn settle(&mut self, transcript: &mut Transcript);

    /// Follows when a message is taken away.
    fn without(&mut self, index: usize);
}

impl Extra for () {
    fn settle(&mut self, _: &mut Transcript) {}

    fn without(&mut self, _: usize) {}
}

impl<E: Extra> Extra for Vec<E> {
    fn settle(&mut self, transcript: &mut Transcript) {
        self.iter_mut().for_each(|extra| extra.settle(transcript));
    }

    fn without(&mut self, index: usize) {
        self.iter_mut().for_each(|extra| extra.without(index));
    }
}

/// The index of a message.
pub fn settle(at: &mut At, transcript: &Transcript) {
    *at %= (transcript.messages.len() as At).max(1);
}

/// The index of the same message, or of the next one, when another is taken away.
pub fn follow(at: &mut At, index: usize) {
    *at -= At::from(usize::from(*at) > index);
}

/// A property, and what it takes beside a conversation.
pub struct Property<S: Strategy> {
    pub name: &'static str,
    /// How many conversations it sees, where 1 is the usual number.
    pub share: f64,
    pub extra: fn() -> S,
    pub holds: fn(&Transcript, &S::Value) -> Outcome,
}

impl<S: Strategy> Property<S>
where
    S::Value: Extra,
{
    /// Tries it in every format, each to its end, whether another broke it or not.
    pub fn hold_everywhere(&self) {
        let seed = seed();
        let cases = (TRANSCRIPTS * self.share * times()).ceil() as u32;
        let mut broken = Vec::new();
        let mut counts = Vec::new();
        let mut total = 0;
        for format in formats() {
            let (seen, outcome) = self.hold(format, seed, cases);
            counts.push(format!("{} {seen}", format.name()));
            total += seen;
            broken.extend(outcome.err().map(|why| format!("seed {seed}, {} in {}: {why}", self.name, format.name())));
        }
        say(&format!("{}: {total} transcripts ({})", self.name, counts.join(", ")));
        assert!(broken.is_empty(), "broken in {} formats\n\n{}", broken.len(), broken.join("\n\n"));
    }

    /// How many conversations it saw until it broke, and how it broke.
    fn hold(&self, format: Format, seed: u64, cases: u32) -> (u64, Outcome) {
        let (seen, failed) = (Cell::new(0_u64), Cell::new(false));
        let smallest = RefCell::new(None);
        let result = runner(self.name, format, seed, cases).run(
            &(conversations(), (self.extra)()),
            |(conversation, mut extra)| {
                if !failed.get() {
                    seen.set(seen.get() + 1);
                }
                let mut transcript = Transcript::new(format, conversation);
                extra.settle(&mut transcript);
                caught(|| (self.holds)(&transcript, &extra)).map_err(|why| {
                    failed.set(true);
                    smallest.replace(Some((transcript, extra)));
                    TestCaseError::fail(why)
                })
            },
        );
        let outcome = match (result, smallest.into_inner()) {
            (Ok(()), _) => Ok(()),
            (Err(_), Some((transcript, extra))) => Err(self.shortest(transcript, extra)),
            (Err(error), None) => Err(error.to_string()),
        };
        (seen.get(), outcome)
    }

    /// Takes away messages as long as it still breaks, and tells what is left.
    fn shortest(&self, mut transcript: Transcript, mut extra: S::Value) -> String {
        let breaks = |transcript: &Transcript, extra: &S::Value| caught(|| (self.holds)(transcript, extra)).err();
        let mut why = breaks(&transcript, &extra).unwrap_or_default();
        loop {
            let before = transcript.messages.len();
            for index in (0..before).rev() {
                let mut less = (transcript.without(index), extra.clone());
                less.1.without(index);
                if let Some(still) = breaks(&less.0, &less.1) {
                    ((transcript, extra), why) = (less, still);
                }
            }
            if transcript.messages.len() == before {
                break;
            }
        }
        let (what, style) = (if transcript.sound { "well-formed" } else { "malformed" }, transcript.style);
        format!("{what}, style {style}\n{why}\nmessages:\n{}", lines(&transcript.messages))
    }
}
