//! A transcript that grows: read once, message by message, and planned at any time in a few steps.
//!
//! It holds no contents: an outline, what must not be torn, a fingerprint of each message. The contents stay with
//! the caller, who gives them again where they are needed: when another format shows itself, and for a commit.

use crate::cuts::Boundaries;
use crate::digest;
use crate::error::{Error, ErrorCode, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::formats::{Detector, Format};
use crate::grow;
use crate::json::{Tape, Value};
use crate::ledger::{DigestPrint, FoldRecord};
use crate::message::Provenance;
use crate::meter::{Meter, Window};
use crate::outline::{self, object, Outline, Reading};
use crate::plan::{plan_within, Plan, PlanOptions, PlanTokens};
use crate::tokens::Estimator;
use crate::usage::Usage;
use crate::window::{self, slots, Explanation, Measure, Side, Slot, Span, FILLER};
use std::collections::HashSet;

/// A transcript that grows.
///
/// ```
/// use plica::{outline::Reading, plan::{Plan, PlanOptions}, transcript::Transcript};
/// let mut transcript = Transcript::new(None, Default::default(), None).unwrap();
/// let messages: Vec<&[u8]> = vec![
///     br#"{"role":"user","content":"one"}"#, br#"{"role":"assistant","content":"two"}"#,
///     br#"{"role":"user","content":"three"}"#, br#"{"role":"assistant","content":"four"}"#,
/// ];
/// assert!(transcript.append(&messages, Reading::default()).unwrap());
/// let Plan::Fold(fold) = transcript.plan(&PlanOptions::tail_budget(0.0)).unwrap() else { panic!() };
/// assert_eq!((fold.prefix_end, fold.kept_from, fold.over_budget), (0, 3, true));
/// ```
pub struct Transcript {
    named: Option<Format>,
    detector: Detector,
    /// Number of messages that the detector has seen: all, but while they are read again.
    shown: usize,
    /// After so many messages the detector has learned nothing new.
    settled: usize,
    outline: Outline,
    /// Behind the outline by the last message until a plan needs it: one that is replaced while it streams in never gets here.
    boundaries: Boundaries,
    /// A hash of each message, to see that it is still the same.
    hashes: Vec<u64>,
    /// Digests of folds that are on record.
    digests: HashSet<Fingerprint>,
    meter: Meter,
}

/// What a commit made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The record for the ledger.
    pub record: FoldRecord,
    /// The window: which message, digest or filler stands where.
    pub slots: Vec<Slot>,
}

/// What a fold is committed with.
pub struct Commit<'c, T> {
    /// All messages of the transcript, again.
    pub messages: &'c [T],
    /// The messages of the digest.
    pub digest: &'c [T],
    /// What folds.
    pub span: Span,
    /// What the plan says that its parts cost, if it says so.
    pub tokens: Option<PlanTokens>,
    /// Tokens of the digest's messages, and of a filler by the user and by the model, from the caller's own counter.
    pub counts: Option<&'c [f64]>,
}

impl Transcript {
    /// An empty one. Without a format, the messages tell it.
    ///
    /// # Errors
    /// Those of [`Window::check`].
    pub fn new(format: Option<Format>, estimator: Estimator, window: Option<Window>) -> Result<Transcript> {
        Ok(Transcript::empty(format, estimator, Meter::new(window)?, HashSet::new()))
    }

    fn empty(named: Option<Format>, estimator: Estimator, meter: Meter, digests: HashSet<Fingerprint>) -> Transcript {
        let outline = Outline::new(named.unwrap_or(Format::ALL[0]), estimator);
        let boundaries = Boundaries::of(&outline);
        let detector = Detector::default();
        Transcript { named, detector, shown: 0, settled: 0, outline, boundaries, hashes: Vec::new(), digests, meter }
    }

    /// Takes messages in at the end, each given as JSON text. The indices and counts of `reading` begin with the first of them; its
    /// format is ignored. False when they tell that the messages before them are of another format than seemed so far: then the
    /// transcript is empty, and all messages are to be given again, in as many calls as you like.
    ///
    /// # Errors
    /// Those of [`Outline::read`]; nothing is taken then.
    pub fn append<T: AsRef<[u8]>>(&mut self, messages: &[T], reading: Reading<'_>) -> Result<bool> {
        self.append_part(messages, reading, 0)
    }

    /// The same for part of what is appended: with `more` messages to come, it may be too early to tell the format, and there
    /// is room to be made.
    ///
    /// # Errors
    /// As [`Transcript::append`]; what the parts before this one brought in stays.
    pub fn append_part<T: AsRef<[u8]>>(&mut self, messages: &[T], reading: Reading<'_>, more: usize) -> Result<bool> {
        let (length, format) = (self.len(), self.format());
        let (detector, shown, settled) = (self.detector.clone(), self.shown, self.settled);
        let taken = self.take(messages, more > 0).and_then(|taken| {
            if taken {
                self.settle(messages, reading)?;
                // Not the last one: it may still be streaming in, and what was taken into account cannot be taken back.
                self.follow(self.len().saturating_sub(1));
                self.expect(more);
            }
            Ok(taken)
        });
        if taken.is_err() {
            self.outline.truncate(length);
            self.hashes.truncate(length);
            if self.format() != format {
                // Only an empty one changes its format while it takes messages in.
                self.outline = Outline::new(format, self.outline.estimator);
            }
            (self.detector, self.shown, self.settled) = (detector, shown, settled);
        }
        taken
    }

    /// Makes room for `more` messages.
    fn expect(&mut self, more: usize) {
        grow::expect_exactly(&mut self.hashes, more);
        self.outline.expect_messages(more);
        if let Some(times) = grow::times(self.len(), more) {
            self.outline.expect(times);
            self.boundaries.expect(times);
        }
    }

    fn take<T: AsRef<[u8]>>(&mut self, messages: &[T], more: bool) -> Result<bool> {
        let first = self.len();
        let mut tape = Tape::new();
        for (place, message) in messages.iter().enumerate() {
            let value = object(&mut tape, message.as_ref(), first + place)?;
            if let Some(leading) = self.detect(value, first + place) {
                self.outline = Outline::new(leading, self.outline.estimator);
                self.hashes.clear();
                if first > 0 {
                    self.boundaries = Boundaries::of(&self.outline);
                    return Ok(false);
                }
                let mut tape = Tape::new();
                for (index, message) in messages[..place].iter().enumerate() {
                    self.hashes.push(self.outline.take(object(&mut tape, message.as_ref(), index)?));
                }
            }
            self.hashes.push(self.outline.take(value));
        }
        if self.named.is_none() && !more {
            self.detector.strictest()?;
        }
        Ok(true)
    }

    /// The format of all messages, where message `index` tells that it is another than seemed.
    fn detect(&mut self, message: Value<'_>, index: usize) -> Option<Format> {
        if self.named.is_some() || index < self.shown {
            return None;
        }
        self.shown = index + 1;
        if !self.detector.see(message) {
            return None;
        }
        self.settled = self.shown;
        self.detector.candidates().first().copied().filter(|&leading| leading != self.outline.format)
    }

    fn settle<T: AsRef<[u8]>>(&mut self, messages: &[T], reading: Reading<'_>) -> Result<()> {
        let mut marks = reading.provenance.to_vec();
        // Fingerprints cost more than all else that is done with a message: only where there are digests to know.
        if !self.digests.is_empty() {
            let prints = (0..).zip(prints(messages)?);
            let digests = prints.filter(|(_, print)| self.digests.contains(print));
            marks.extend(digests.map(|(index, _)| (index, Provenance::Summary)));
        }
        self.outline.settle(Reading { provenance: &marks, ..reading })
    }

    /// Forgets all messages. What was learned from the provider's counts stays.
    pub fn clear(&mut self) {
        let mut meter = self.meter.clone();
        meter.forget_count();
        let digests = std::mem::take(&mut self.digests);
        *self = Transcript::empty(self.named, self.outline.estimator, meter, digests);
    }

    /// Forgets all messages from `length` on. False when those that are left have to be read again, since what told their
    /// format is gone: then the transcript is empty.
    pub fn truncate(&mut self, length: usize) -> bool {
        if length >= self.len() {
            return true;
        }
        self.meter.truncate(length);
        if self.named.is_none() && length < self.settled {
            let meter = self.meter.clone();
            self.clear();
            self.meter = meter;
            return length == 0;
        }
        self.outline.truncate(length);
        self.hashes.truncate(length);
        self.shown = self.shown.min(length);
        if self.boundaries.len() > length {
            self.boundaries = Boundaries::new(self.outline.format.reader().profile());
        }
        true
    }

    /// A copy to go another way with.
    pub fn fork(&self) -> Transcript {
        Transcript {
            named: self.named,
            detector: self.detector.clone(),
            shown: self.shown,
            settled: self.settled,
            outline: self.outline.clone(),
            boundaries: Boundaries::new(self.outline.format.reader().profile()),
            hashes: self.hashes.clone(),
            digests: self.digests.clone(),
            meter: self.meter.clone(),
        }
    }

    /// Makes fingerprints known as digests of earlier folds, for messages to come.
    pub fn know(&mut self, digests: impl IntoIterator<Item = Fingerprint>) {
        self.digests.extend(digests);
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.outline.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.outline.is_empty()
    }

    /// The format that the messages are read by.
    pub fn format(&self) -> Format {
        self.outline.format
    }

    /// The outline.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Tokens of the next request; see [`Meter::tokens`].
    pub fn tokens(&self) -> f64 {
        self.meter.tokens(&self.outline)
    }

    /// See [`Meter::calibration`].
    pub fn calibration(&self) -> f64 {
        self.meter.calibration()
    }

    /// The meter, to look at or to put back.
    pub fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    /// See [`Meter::due`].
    ///
    /// # Errors
    /// Those of [`Meter::due`].
    pub fn due(&self, at: Option<f64>, window: Option<Window>) -> Result<bool> {
        self.meter.due(&self.outline, at, window)
    }

    /// See [`Meter::observe`].
    ///
    /// # Errors
    /// Those of [`Meter::observe`].
    pub fn usage(&mut self, usage: &Usage, at: Option<usize>) -> Result<()> {
        self.meter.observe(&self.outline, usage, at)
    }

    /// The same plan as that of [`crate::plan::plan`] for the same messages, in time that hardly grows with their number.
    ///
    /// # Errors
    /// As [`crate::plan::plan`].
    pub fn plan(&mut self, options: &PlanOptions) -> Result<Plan> {
        self.follow(self.len());
        plan_within(&self.outline, &self.boundaries, options)
    }

    /// The fate of every message under a plan, as [`window::explain`] tells it: from the outline, without the contents.
    ///
    /// # Errors
    /// Those of [`Span::check`].
    pub fn explain(&mut self, span: &Span) -> Result<Vec<Explanation>> {
        self.follow(self.len());
        window::explain(&self.outline, &self.boundaries, span)
    }

    /// Tokens and messages of each part of a plan, as [`window::measure`] counts them.
    ///
    /// # Errors
    /// Those of [`Span::check`].
    pub fn measure(&self, span: &Span) -> Result<Measure> {
        window::measure(&self.outline, span)
    }

    /// Folds: the transcript becomes the window of the plan.
    ///
    /// # Errors
    /// [`ErrorCode::MessageChanged`] when a message is no longer what was appended; [`ErrorCode::StalePlan`] when the plan was
    /// made for other messages; those of [`FoldRecord::new`]. Nothing has changed then.
    pub fn commit<T: AsRef<[u8]>>(&mut self, commit: Commit<'_, T>) -> Result<Committed> {
        let Commit { messages, digest, span, tokens, counts } = commit;
        self.refuse_changed(messages)?;
        span.check(self.len())?;
        self.refuse_stale(&span, tokens)?;
        self.follow(self.len());
        let digests = self.digest_prints(digest)?;
        let record = FoldRecord::new(&self.outline, &self.boundaries, &span, &prints(messages)?, &digests)?;
        let roles: Vec<_> = digests.iter().map(|digest| digest.role).collect();
        let slots = slots(&self.outline, &self.boundaries, &span, &roles);
        *self = self.folded(messages, digest, &record, &slots, counts)?;
        Ok(Committed { record, slots })
    }

    fn follow(&mut self, end: usize) {
        if self.boundaries.is_empty() {
            self.boundaries = Boundaries::new(self.outline.format.reader().profile());
        }
        self.boundaries.follow(&self.outline, end);
    }

    fn refuse_changed<T: AsRef<[u8]>>(&self, messages: &[T]) -> Result<()> {
        let changed = |what: String| Err(Error::new(ErrorCode::MessageChanged, what));
        if messages.len() != self.len() {
            return changed(format!("there are {} messages, but {} were appended", messages.len(), self.len()));
        }
        let mut tape = Tape::new();
        for (index, message) in messages.iter().enumerate() {
            if outline::hash(self.format(), object(&mut tape, message.as_ref(), index)?) != self.hashes[index] {
                return changed(format!(
                    "message {index} was changed in place since it was appended; put a new object in its place with replaceLast, or \
                     truncate and append"
                ));
            }
        }
        Ok(())
    }

    fn refuse_stale(&self, span: &Span, tokens: Option<PlanTokens>) -> Result<()> {
        let Some(tokens) = tokens else { return Ok(()) };
        let planned = span.length.map_or(self.len(), |length| length as usize);
        let now =
            (self.outline.tokens(0..span.prefix_end as usize), self.outline.tokens(span.kept_from as usize..planned));
        if now == (tokens.prefix, tokens.tail) {
            return Ok(());
        }
        Err(Error::new(ErrorCode::StalePlan, "the messages are not those that the plan was made for; plan again"))
    }

    fn digest_prints<T: AsRef<[u8]>>(&self, digest: &[T]) -> Result<Vec<DigestPrint>> {
        let roles = digest::roles(digest, self.outline.format)?;
        let print = |(fingerprint, role)| DigestPrint { fingerprint, role };
        Ok(prints(digest)?.into_iter().zip(roles).map(print).collect())
    }

    /// The transcript of a window. Marks and counts of the caller go with their messages.
    fn folded<T: AsRef<[u8]>>(
        &self,
        messages: &[T],
        digest: &[T],
        record: &FoldRecord,
        slots: &[Slot],
        counts: Option<&[f64]>,
    ) -> Result<Transcript> {
        let reader = self.outline.format.reader();
        let fillers = [reader.note(Side::User, FILLER), reader.note(Side::Model, FILLER)];
        let mut window: Vec<(&[u8], Option<Provenance>, f64)> = Vec::new();
        let count = |place: usize| counts.and_then(|counts| counts.get(place)).copied().unwrap_or(0.0);
        for slot in slots {
            match *slot {
                Slot::Message(index) => {
                    let shape = &self.outline.shapes[index as usize];
                    let mark = Some(shape.provenance).filter(|&mark| mark != Provenance::Plain);
                    window.push((messages[index as usize].as_ref(), mark, shape.tokens as f64));
                }
                Slot::Digest => {
                    let all = digest.iter().enumerate();
                    window.extend(all.map(|(place, text)| (text.as_ref(), Some(Provenance::Summary), count(place))));
                }
                Slot::Filler(side) => {
                    let place = usize::from(side == Side::Model);
                    window.push((fillers[place].as_bytes(), None, count(digest.len() + place)));
                }
            }
        }
        let texts: Vec<&[u8]> = window.iter().map(|(text, ..)| *text).collect();
        let marks: Vec<(u32, Provenance)> =
            (0..).zip(&window).filter_map(|(index, (_, mark, _))| Some((index, (*mark)?))).collect();
        let tokens: Vec<f64> = window.iter().map(|(.., tokens)| *tokens).collect();
        let mut meter = self.meter.clone();
        meter.forget_count();
        let mut digests = self.digests.clone();
        let fillers = record.fillers.iter().map(|filler| &filler.fingerprint);
        digests.extend(record.digest.iter().chain(fillers).filter_map(|text| Fingerprint::parse(text)));
        let mut folded = Transcript::empty(self.named, self.outline.estimator, meter, digests);
        let reading = Reading { provenance: &marks, tokens: counts.map(|_| &tokens[..]), ..Reading::default() };
        folded.append(&texts, reading)?;
        Ok(folded)
    }
}

fn prints<T: AsRef<[u8]>>(messages: &[T]) -> Result<Vec<Fingerprint>> {
    let mut tape = Tape::new();
    let print =
        |(index, message): (usize, &T)| Ok(fingerprint::message(object(&mut tape, message.as_ref(), index)?, None));
    messages.iter().enumerate().map(print).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: usize = 256 * 1024;

    /// Appends as the face does: in parts, each of which says how many messages come behind it. The answer is the most room that
    /// there ever was, as numbers of messages and of calls and results.
    fn room(messages: &[String]) -> (Transcript, usize, usize) {
        let mut transcript = Transcript::new(Some(Format::OpenaiChat), Estimator::default(), None).unwrap();
        let (mut from, mut shapes, mut links) = (0, 0, 0);
        while from < messages.len() {
            let (mut end, mut size) = (from, 0);
            while end < messages.len() && (size < PART || end == from) {
                size += messages[end].len();
                end += 1;
            }
            transcript.append_part(&messages[from..end], Reading::default(), messages.len() - end).unwrap();
            from = end;
            shapes = shapes.max(transcript.outline.shapes.capacity());
            links = links.max(transcript.outline.links.capacity());
        }
        (transcript, shapes, links)
    }

    fn calling(calls: usize, size: usize, after: usize) -> Vec<String> {
        let text = "x".repeat(size);
        let call = |i| {
            format!(
                r#"{{"id":"c{i}","type":"function","function":{{"name":"write","arguments":"{{\"text\":\"{text}\"}}"}}}}"#
            )
        };
        let calls_of = (0..calls).map(call).collect::<Vec<_>>().join(",");
        let mut all = vec![
            r#"{"role":"user","content":"go"}"#.to_string(),
            format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls_of}]}}"#),
        ];
        all.extend((0..calls).map(|i| format!(r#"{{"role":"tool","tool_call_id":"c{i}","content":"ok"}}"#)));
        let role = |i| if i % 2 == 0 { "assistant" } else { "user" };
        all.extend((0..after).map(|i| format!(r#"{{"role":"{}","content":"m{i}"}}"#, role(i))));
        all
    }

    #[test]
    fn one_message_of_many_calls_makes_no_room_for_as_many_in_each() {
        for (calls, size, after) in [(20_000, 0, 3), (2_000, 120, 100_000), (300, 900, 20_000)] {
            let messages = calling(calls, size, after);
            let (mut transcript, shapes, links) = room(&messages);
            assert_eq!(transcript.len(), messages.len());
            assert!(
                shapes <= messages.len() * 11 / 10,
                "{calls} calls: room for {shapes} of {} messages",
                messages.len()
            );
            assert!(links <= 2 * calls * 6, "{calls} calls: room for {links} calls and results");
            assert!(transcript.plan(&PlanOptions::tail_budget(50.0)).is_ok());
        }
    }

    #[test]
    fn messages_like_each_other_get_the_room_that_they_need() {
        let text = "x".repeat(2_000);
        let pair = |i: usize| {
            let call = format!(r#"{{"id":"c{i}","type":"function","function":{{"name":"read","arguments":"{{}}"}}}}"#);
            [
                format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}}"#),
                format!(r#"{{"role":"tool","tool_call_id":"c{i}","content":"{text}"}}"#),
            ]
        };
        let messages: Vec<String> = (0..5_000).flat_map(pair).collect();
        let (_, shapes, links) = room(&messages);
        assert!(shapes <= 10_300 && links <= 10_300, "room for {shapes} messages and {links} calls and results");
    }
}
