//! What the next request will cost: the provider's own count where there is one, estimates for what came after it.
//!
//! A provider's count of a request is the truth about everything in it, system text and tool schemas included. From one count
//! to the next the meter learns how far the estimates are off, and how much is sent beside the messages.

use crate::error::{Error, ErrorCode, Result};
use crate::outline::Outline;
use crate::usage::Usage;
use serde::Deserialize;

/// The window of a model.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default)]
pub struct Window {
    /// Tokens that fit.
    pub size: f64,
    /// Tokens that are sent beside the messages: system text, tool schemas. None: learned from what the provider counts.
    pub overhead: Option<f64>,
    /// Tokens to keep free for the answer.
    pub output: f64,
}

impl Default for Window {
    fn default() -> Self {
        Window { size: f64::NAN, overhead: None, output: 0.0 }
    }
}

impl Window {
    /// Sees that the numbers make a window.
    ///
    /// # Errors
    /// [`ErrorCode::BadArgument`].
    pub fn check(&self) -> Result<()> {
        let bad = |what: &str| Err(Error::new(ErrorCode::BadArgument, format!("window: {what}")));
        if self.size.is_nan() || self.size <= 0.0 {
            return bad("size must be a number of tokens, more than 0");
        }
        if !(self.output >= 0.0 && self.output < self.size) {
            return bad("output must be a number of tokens, 0 or more and less than size");
        }
        match self.overhead {
            Some(overhead) if !(overhead >= 0.0 && overhead.is_finite()) => {
                bad("overhead must be a number of tokens, 0 or more")
            }
            _ => Ok(()),
        }
    }
}

/// Fold above this share of the window.
pub const DUE: f64 = 0.8;

/// How much a new observation counts. High enough to follow a session from prose to tool output within a few requests.
const ALPHA: f64 = 0.25;

/// Estimates are never corrected by more than a factor of two: beyond it something else was counted.
const RATIOS: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// Fewer estimated tokens than this between two counts say nothing: the envelope of a message weighs more.
const LEAST: f64 = 100.0;

/// Counts tokens of a transcript.
#[derive(Debug, Clone)]
pub struct Meter {
    window: Option<Window>,
    /// Real tokens for one estimated.
    ratio: f64,
    /// Learned, where the caller named none.
    overhead: f64,
    anchor: Option<Anchor>,
}

/// An answer that is counted with less than this share of its estimate was counted while it streamed in: one session file says "3"
/// of answers of hundreds of tokens.
const LOWEST: f64 = 0.5;

/// A request that the provider counted.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    /// Number of messages in it.
    messages: usize,
    input: f64,
    /// Tokens of the answer to it.
    output: Option<f64>,
}

impl Meter {
    /// A meter that knows nothing yet.
    ///
    /// # Errors
    /// Those of [`Window::check`].
    pub fn new(window: Option<Window>) -> Result<Meter> {
        window.as_ref().map_or(Ok(()), Window::check)?;
        Ok(Meter { window, ratio: 1.0, overhead: 0.0, anchor: None })
    }

    /// Tokens of the next request with these messages.
    pub fn tokens(&self, outline: &Outline) -> f64 {
        let Some(anchor) = self.anchor else {
            return self.overhead() + self.estimate(outline, 0, outline.len());
        };
        let end = reply_end(outline, anchor.messages);
        let estimate = self.estimate(outline, anchor.messages, end);
        let reply = anchor.output.filter(|&output| output >= LOWEST * estimate && end > anchor.messages);
        let reply = reply.unwrap_or(estimate);
        anchor.input + reply + self.estimate(outline, end, outline.len())
    }

    /// Whether more than the share `at` of the window is taken, what is kept free for the answer aside.
    ///
    /// # Errors
    /// [`ErrorCode::BadArgument`] when no window is known, or `at` is no share.
    pub fn due(&self, outline: &Outline, at: Option<f64>, window: Option<Window>) -> Result<bool> {
        let bad = |what: &str| Error::new(ErrorCode::BadArgument, what);
        let window = window.or(self.window);
        let window = window
            .ok_or_else(|| bad("due needs to know the model's window: pass { window } to it or to the Transcript"))?;
        window.check()?;
        let at = at.unwrap_or(DUE);
        if !(at > 0.0 && at <= 1.0) {
            return Err(bad("at must be a share of the window, more than 0 and at most 1"));
        }
        Ok(self.tokens(outline) > at * (window.size - window.output))
    }

    /// Takes what the provider counted. `at` is the number of messages that the request held; left out, the request was the one
    /// that the model's last messages answer, or, where the last message is not the model's, the one with all messages.
    ///
    /// # Errors
    /// [`ErrorCode::BadArgument`] when `at` is more messages than there are.
    pub fn observe(&mut self, outline: &Outline, usage: &Usage, at: Option<usize>) -> Result<()> {
        let at = at.unwrap_or_else(|| reply_start(outline));
        if at > outline.len() {
            let what = format!("at is {at}, but there are {} messages", outline.len());
            return Err(Error::new(ErrorCode::BadArgument, what));
        }
        let input = usage.input as f64;
        self.learn(outline, input, at);
        if self.window.and_then(|window| window.overhead).is_none() {
            self.overhead = (input - self.estimate(outline, 0, at)).max(0.0);
        }
        let output = (usage.output > 0).then_some(usage.output as f64);
        self.anchor = Some(Anchor { messages: at, input, output });
        Ok(())
    }

    /// How far the estimates were off since the last count.
    fn learn(&mut self, outline: &Outline, input: f64, at: usize) {
        let (since, counted) = match self.anchor {
            Some(anchor) if anchor.messages < at => (anchor.messages, anchor.input),
            Some(_) => return,
            None => match self.window.and_then(|window| window.overhead) {
                Some(overhead) => (0, overhead),
                None => return,
            },
        };
        let estimate = outline.tokens(since..at) as f64;
        if estimate < LEAST {
            return;
        }
        let seen = ((input - counted) / estimate).clamp(*RATIOS.start(), *RATIOS.end());
        self.ratio += ALPHA * (seen - self.ratio);
    }

    /// Real tokens for one that is estimated, as learned so far.
    pub fn calibration(&self) -> f64 {
        self.ratio
    }

    /// All messages from `length` on are gone or will be others.
    pub fn truncate(&mut self, length: usize) {
        match &mut self.anchor {
            Some(anchor) if anchor.messages > length => self.anchor = None,
            Some(anchor) => anchor.output = None,
            None => {}
        }
    }

    /// The messages are others now: what was learned stays.
    pub fn forget_count(&mut self) {
        self.anchor = None;
    }

    /// What was learned and counted, as numbers; see [`Meter::set_state`].
    pub fn state(&self) -> [f64; 5] {
        let none = Anchor { messages: 0, input: f64::NAN, output: None };
        let anchor = self.anchor.unwrap_or(none);
        [self.ratio, self.overhead, anchor.messages as f64, anchor.input, anchor.output.unwrap_or(f64::NAN)]
    }

    /// Puts back what [`Meter::state`] gave.
    pub fn set_state(&mut self, [ratio, overhead, messages, input, output]: [f64; 5]) {
        (self.ratio, self.overhead) = (ratio, overhead);
        let output = (!output.is_nan()).then_some(output);
        self.anchor = (!input.is_nan()).then_some(Anchor { messages: messages as usize, input, output });
    }

    fn overhead(&self) -> f64 {
        self.window.and_then(|window| window.overhead).unwrap_or(self.overhead)
    }

    fn estimate(&self, outline: &Outline, from: usize, to: usize) -> f64 {
        self.ratio * outline.tokens(from..to) as f64
    }
}

/// Where the model's messages from `start` on end.
fn reply_end(outline: &Outline, start: usize) -> usize {
    let models = outline.landmarks.models();
    let first = models.partition_point(|&index| (index as usize) < start);
    let run = models[first..].iter().zip(start..).take_while(|(&index, place)| index as usize == *place);
    start + run.count()
}

/// Where the model's messages at the end begin.
fn reply_start(outline: &Outline) -> usize {
    let models = outline.landmarks.models().iter().rev();
    let run = models.zip((0..outline.len()).rev()).take_while(|(&index, place)| index as usize == *place);
    outline.len() - run.count()
}
