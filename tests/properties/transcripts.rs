//! A transcript in all its states, against plans made of its messages from nothing.

use super::run::{follow, At, Extra, Outcome, Transcript};
use super::windows::{digest_for, SUMMARY};
use super::wish::{wish, Wish};
use crate::ensure;
use plica::fingerprint;
use plica::formats::Format;
use plica::json::Tape;
use plica::message::Provenance;
use plica::outline::{Outline, Reading};
use plica::plan::{plan, Plan, PlanOptions};
use plica::transcript::{self, Commit};
use plica::usage::Usage;
use plica::window::{Slot, Span};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub enum Step {
    /// So many messages more.
    Append(u8),
    /// The next message in place of the last one.
    Replace,
    /// Down to a length.
    Truncate(At),
    /// The provider counted.
    Count(u16),
    /// A copy goes on.
    Fork,
    /// A fold, with so many messages appended between plan and commit.
    Commit(Wish, u8),
}

#[derive(Clone, Debug)]
pub struct Steps {
    steps: Vec<Step>,
    wish: Wish,
    named: bool,
}

pub fn steps() -> impl Strategy<Value = Steps> {
    let step = prop_oneof![
        6 => (0_u8..6).prop_map(Step::Append),
        2 => Just(Step::Replace),
        1 => any::<At>().prop_map(Step::Truncate),
        1 => any::<u16>().prop_map(Step::Count),
        1 => Just(Step::Fork),
        2 => (wish(), 0_u8..3).prop_map(|(wish, more)| Step::Commit(wish, more)),
    ];
    (vec(step, 1..12), wish(), any::<bool>()).prop_map(|(steps, wish, named)| Steps { steps, wish, named })
}

impl Extra for Steps {
    fn settle(&mut self, transcript: &mut Transcript) {
        self.wish.settle(transcript);
    }

    fn without(&mut self, index: usize) {
        self.wish.without(index);
        for step in &mut self.steps {
            if let Step::Truncate(at) = step {
                follow(at, index);
            }
        }
    }
}

/// What a host holds.
struct Host<'t> {
    own: transcript::Transcript,
    named: Option<Format>,
    messages: Vec<Vec<u8>>,
    /// Digests and fillers, which the ledger knows.
    digests: Vec<fingerprint::Fingerprint>,
    rest: &'t [Vec<u8>],
}

pub fn hold(transcript: &Transcript, Steps { steps, wish, named }: &Steps) -> Outcome {
    let named = named.then_some(transcript.format);
    let own = transcript::Transcript::new(named, Default::default(), None).map_err(|error| error.to_string())?;
    let mut host = Host { own, named, messages: Vec::new(), digests: Vec::new(), rest: &transcript.messages };
    for step in steps {
        host.go(step, transcript).map_err(|why| format!("{why} at {step:?}"))?;
        host.agrees(wish, transcript).map_err(|why| format!("{why} after {step:?}"))?;
    }
    Ok(())
}

impl Host<'_> {
    fn go(&mut self, step: &Step, transcript: &Transcript) -> Outcome {
        match step {
            Step::Append(count) => self.append(usize::from(*count)),
            Step::Replace => match self.messages.len().checked_sub(1) {
                None => Ok(()),
                Some(length) => {
                    let before = self.messages.clone();
                    self.messages.truncate(length);
                    if self.own.truncate(length) {
                        return self.append(1);
                    }
                    let (now, later) = self.rest.split_at(1.min(self.rest.len()));
                    self.rest = later;
                    let mut after = self.messages.clone();
                    after.extend_from_slice(now);
                    self.give_or(after, before)
                }
            },
            Step::Truncate(at) => self.truncate(usize::from(*at) % (self.messages.len() + 1)),
            Step::Count(input) => {
                let usage = Usage { input: u64::from(*input), output: 10, ..Usage::default() };
                let before = self.own.tokens();
                self.own.usage(&usage, None).map_err(|error| error.to_string())?;
                ensure!(before >= 0.0 && self.own.tokens() >= f64::from(*input), "less than what was counted");
                Ok(())
            }
            Step::Fork => {
                let mut fork = self.own.fork();
                let _ = fork.truncate(0);
                self.own = self.own.fork();
                Ok(())
            }
            Step::Commit(wish, more) => self.commit(wish, usize::from(*more), transcript),
        }
    }

    fn append(&mut self, count: usize) -> Outcome {
        let (now, later) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = later;
        let mut all = self.messages.clone();
        all.extend_from_slice(now);
        match self.own.append(now, Reading::default()) {
            Ok(true) => self.messages = all,
            // Another format: all again, in two pieces. Together they may be of none.
            Ok(false) => {
                ensure!(self.own.is_empty(), "it is not empty, though it wants all again");
                return self.give_or(all, self.messages.clone());
            }
            Err(error) => {
                let whole = Outline::read(&all, Reading { format: self.named, ..Reading::default() });
                ensure!(whole.is_err(), "it refuses what can be read: {error}");
                // Nothing was taken.
                ensure!(self.own.len() == self.messages.len(), "something was taken");
            }
        }
        Ok(())
    }

    /// Gives all messages, or others where these cannot be read.
    fn give_or(&mut self, all: Vec<Vec<u8>>, others: Vec<Vec<u8>>) -> Outcome {
        if self.give(&all).is_ok_and(|again| again) {
            self.messages = all;
            return Ok(());
        }
        let whole = Outline::read(&all, Reading { format: self.named, ..Reading::default() });
        ensure!(whole.is_err(), "it refuses what can be read");
        self.own.clear();
        ensure!(self.give(&others)?, "it wants all again and again");
        self.messages = others;
        Ok(())
    }

    /// In two pieces, where the first alone can be read.
    fn give(&mut self, all: &[Vec<u8>]) -> Result<bool, String> {
        let half = &all[..all.len() / 2];
        let readable = Outline::read(half, Reading { format: self.named, ..Reading::default() }).is_ok();
        let (one, two) = all.split_at(if readable { half.len() } else { 0 });
        for part in [one, two] {
            if !self.own.append(part, Reading::default()).map_err(|error| error.to_string())? {
                return self.give(all);
            }
        }
        Ok(true)
    }

    fn truncate(&mut self, length: usize) -> Outcome {
        let before = self.messages.clone();
        self.messages.truncate(length);
        if self.own.truncate(length) {
            return Ok(());
        }
        self.give_or(self.messages.clone(), before)
    }

    fn commit(&mut self, wish: &Wish, more: usize, transcript: &Transcript) -> Outcome {
        let options = self.options(wish, transcript)?;
        let Plan::Fold(fold) = self.own.plan(&options).map_err(|error| error.to_string())? else { return Ok(()) };
        let format = self.own.format();
        self.append(more)?;
        if self.own.format() != format {
            return Ok(());
        }
        let digest = digest_for(SUMMARY, format, &self.messages)?;
        let commit = Commit {
            messages: &self.messages[..],
            digest: &digest[..],
            span: Span::of(&fold),
            tokens: Some(fold.tokens),
            counts: None,
        };
        let done = match self.own.commit(commit) {
            Ok(done) => done,
            // What came since may have answered a call that folds: then the plan is refused by name.
            Err(error) => {
                ensure!(more > 0, "the plan is refused: {error}");
                return Ok(());
            }
        };
        let mut window = Vec::new();
        for slot in &done.slots {
            match slot {
                Slot::Message(index) => window.push(self.messages[*index as usize].clone()),
                Slot::Digest => window.extend(digest.iter().cloned()),
                Slot::Filler(side) => window.push(format.reader().note(*side, plica::window::FILLER).into_bytes()),
            }
        }
        let prints = done.record.digest.iter().chain(done.record.fillers.iter().map(|filler| &filler.fingerprint));
        self.digests.extend(prints.filter_map(|text| fingerprint::Fingerprint::parse(text)));
        self.messages = window;
        Ok(())
    }

    fn marks(&self) -> Vec<(u32, Provenance)> {
        let mut tape = Tape::new();
        let mut marks = Vec::new();
        for (index, message) in (0..).zip(&self.messages) {
            let print = fingerprint::message(tape.parse(message).expect("messages are JSON"), None);
            if self.digests.contains(&print) {
                marks.push((index, Provenance::Summary));
            }
        }
        marks
    }

    fn options(&self, wish: &Wish, transcript: &Transcript) -> Result<PlanOptions, String> {
        Ok(wish.on(&self.messages, transcript, &[])?.options)
    }

    fn agrees(&mut self, wish: &Wish, transcript: &Transcript) -> Outcome {
        let options = self.options(wish, transcript)?;
        let marks = self.marks();
        let reading = Reading { format: self.named, provenance: &marks, ..Reading::default() };
        let outline = Outline::read(&self.messages, reading).map_err(|error| error.to_string())?;
        let fresh = plan(&outline, &options).map_err(|error| error.to_string())?;
        let own = self.own.plan(&options).map_err(|error| error.to_string())?;
        ensure!(own == fresh, "the transcript plans {own:?}, its messages {fresh:?}");
        Ok(())
    }
}
