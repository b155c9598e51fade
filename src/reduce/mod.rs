//! A ladder of reductions that can be undone: what is said twice, what is out of date, what is old, what is too long, reasoning
//! of turns that are over, images. One rung after the other, until there is room enough.
//!
//! A rung proposes; here it is seen what each proposal gains and whether that pays for the part of the provider's cache that it
//! makes void. To add one: a file with a type that implements [`Rung`], and its line in [`ReduceOptions::rungs`].

mod apply;
mod cache;
mod cleared;
mod clipped;
mod count;
mod duplicates;
mod images;
mod reasoning;
mod scene;
mod superseded;

use crate::tools::ToolMeaning;
use apply::{draft, Act, Acts};
pub use cache::CacheTerms;
use count::Counter;
use scene::Scene;

use crate::edit::{Draft, Writer};
use crate::error::{Error, ErrorCode, Result};
use crate::formats::Format;
use crate::json::Tape;
use crate::order::sort_by_key;
use crate::outline::{object, Outline, Reading};
use crate::repair::{edits, Edit};
use serde::{Deserialize, Serialize};

/// What a step of a reduction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum StepCode {
    /// A result that a later one says again became a note.
    DuplicateResult,
    /// What a file held, which was read again or changed later, became a note.
    SupersededRead,
    /// An old result became a note; an old error was cut short.
    ClearedResult,
    /// Long texts of a result were cut down to head and tail.
    ClippedResult,
    /// Reasoning of a turn that is over was left out.
    DroppedReasoning,
    /// An image or a file became a note.
    ImageNote,
}

/// One step of a reduction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts", optional_fields))]
pub struct ReduceStep {
    /// What was done.
    pub code: StepCode,
    /// Index of the message, in the messages that came in.
    pub index: u32,
    /// Index of the part in it, as its format reports them.
    pub part: u32,
    /// Tokens that it gains, more than 0.
    #[cfg_attr(test, ts(type = "number"))]
    pub tokens: u64,
    /// Id of the call whose result it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The file that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Index of the later message that makes it redundant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<u32>,
}

/// Why steps were not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum RefusalReason {
    /// All of them together gain less than was asked for.
    MinGain,
    /// They gain less than it costs to read the part of the prompt anew that is in the provider's cache.
    Cache,
}

/// Steps of a rung that were not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct Refusal {
    /// What would have been done.
    pub code: StepCode,
    /// In how many places.
    pub steps: u32,
    /// Tokens that they would have gained.
    #[cfg_attr(test, ts(type = "number"))]
    pub gain: u64,
    /// Tokens that they would have had to gain.
    #[cfg_attr(test, ts(type = "number"))]
    pub cost: u64,
    /// Why.
    pub reason: RefusalReason,
}

/// Tokens of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct ReducedTokens {
    /// Before the reduction.
    #[cfg_attr(test, ts(type = "number"))]
    pub before: u64,
    /// After it: less by just what the steps gain.
    #[cfg_attr(test, ts(type = "number"))]
    pub after: u64,
}

/// What a reduction does to a provider's cache of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts", optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct CacheEffect {
    /// Index of the first message that changes, in the messages that came in; none when nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_changed: Option<u32>,
    /// Tokens from there on that are in the cache, and have to be read anew.
    #[cfg_attr(test, ts(type = "number"))]
    pub invalidated: u64,
}

/// When old results go.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Clear {
    /// So many of the newest results stay.
    pub keep: u32,
    /// The newest results stay that have so many tokens together.
    pub protect: f64,
    /// Nothing is cleared that does not gain so many tokens in all.
    pub min_gain: f64,
    /// Tools whose results stay, by name.
    pub exclude: Vec<String>,
}

impl Default for Clear {
    /// Three results are what Anthropic's own clearing keeps; 40 000 and 20 000 tokens are opencode's.
    fn default() -> Self {
        Clear { keep: 3, protect: 40_000.0, min_gain: 20_000.0, exclude: Vec::new() }
    }
}

/// When results are too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Clip {
    /// Bytes that stay of each long text, as UTF-8.
    pub bytes: u32,
}

impl Default for Clip {
    /// A tenth of what agents let a tool say at most (30 000 characters, 50 KB) is read in full; three times as much is not old
    /// logs and dumps alone.
    fn default() -> Self {
        Clip { bytes: 10_000 }
    }
}

/// Which images become notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Images {
    /// So many of the newest stay.
    pub keep: u32,
}

impl Default for Images {
    fn default() -> Self {
        Images { keep: 3 }
    }
}

/// What to reduce, and how far.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReduceOptions {
    /// Nothing more is done once all messages have no more tokens than this; without it, all is done that can be.
    pub target: Option<f64>,
    /// Identical results stand once.
    pub duplicates: bool,
    /// Readings of files that were read again or changed.
    pub superseded: bool,
    /// Old results.
    pub clear: Option<Clear>,
    /// Long results.
    pub clip: Option<Clip>,
    /// Old reasoning.
    pub reasoning: bool,
    /// Images and files.
    pub images: Option<Images>,
    /// What tools mean, beyond those that are known.
    pub tools: Vec<ToolMeaning>,
    /// So many of the user's latest turns stay as they are.
    pub keep_turns: u32,
    /// The newest messages stay as they are that have so many tokens together.
    pub tail_budget: f64,
    /// Messages before this one stay as they are.
    pub start: usize,
    /// Messages that stay as they are, with the results of their calls.
    pub pinned: Vec<u32>,
    /// What the provider's cache costs; without it no step is refused for its sake.
    pub cache: Option<CacheTerms>,
}

impl Default for ReduceOptions {
    fn default() -> Self {
        ReduceOptions {
            target: None,
            duplicates: true,
            superseded: true,
            clear: Some(Clear::default()),
            clip: Some(Clip::default()),
            reasoning: true,
            images: Some(Images::default()),
            tools: Vec::new(),
            keep_turns: 0,
            tail_budget: 0.0,
            start: 0,
            pinned: Vec::new(),
            cache: None,
        }
    }
}

impl ReduceOptions {
    /// The ladder, from what loses least to what loses most.
    fn rungs(&self) -> Vec<Box<dyn Rung + '_>> {
        let mut rungs: Vec<Box<dyn Rung + '_>> = Vec::new();
        if self.duplicates {
            rungs.push(Box::new(duplicates::Duplicates));
        }
        if self.superseded {
            rungs.push(Box::new(superseded::Superseded));
        }
        if let Some(clear) = &self.clear {
            rungs.push(Box::new(cleared::Cleared(clear)));
        }
        if let Some(clip) = &self.clip {
            rungs.push(Box::new(clipped::Clipped(clip)));
        }
        if self.reasoning {
            rungs.push(Box::new(reasoning::Reasoning));
        }
        if let Some(images) = &self.images {
            rungs.push(Box::new(images::Pictures(images)));
        }
        rungs
    }
}

/// A kind of reduction.
trait Rung {
    /// The code of its steps.
    fn code(&self) -> StepCode;

    /// All that it would do. What one rung did to a result is not undone by a later one.
    fn propose(&self, scene: &Scene) -> Vec<Proposal>;

    /// Tokens that it must gain in all, or it does nothing.
    fn least(&self) -> f64 {
        0.0
    }
}

/// A step that could be taken.
struct Proposal {
    message: u32,
    part: u32,
    /// The result that it changes, as an index into the scene's.
    output: Option<usize>,
    because: Option<u32>,
    /// Bytes, about.
    saves: usize,
    act: Act,
}

/// A note for less than this many bytes is not worth making. Kept well above what a token can be, so that whether a note gains
/// anything hardly depends on what else is done to its message.
const LEAST_SAVED: usize = 64;

impl Proposal {
    /// The result says `text` alone, if it may and that is worth it.
    fn say(scene: &Scene, place: usize, text: String, because: Option<u32>) -> Option<Proposal> {
        let output = &scene.outputs[place];
        let saves = output.bytes.checked_sub(text.len() + LEAST_SAVED).filter(|_| output.is_open())?;
        Some(Proposal {
            message: output.message,
            part: output.part,
            output: Some(place),
            because,
            saves: saves + LEAST_SAVED,
            act: Act::Say(text),
        })
    }
}

/// What a reduction made of a transcript.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// The format that the messages were read by.
    pub format: Format,
    /// The messages, as the caller's own ones with changes.
    pub drafts: Vec<Draft>,
    /// The runs in which the new messages differ from those that came in, by place.
    pub edits: Vec<Edit>,
    /// What was done, rung by rung, in the order of the messages.
    pub steps: Vec<ReduceStep>,
    /// What was not.
    pub refused: Vec<Refusal>,
    /// Tokens before and after.
    pub tokens: ReducedTokens,
    /// What becomes of the cache.
    pub cache: CacheEffect,
}

impl Reduced {
    /// The messages as JSON texts.
    pub fn texts<T: AsRef<[u8]>>(&self, originals: &[T]) -> Vec<Vec<u8>> {
        let mut writer = Writer::new(originals, self.format);
        self.drafts.iter().map(|draft| writer.text(draft)).collect()
    }
}

/// The answer of [`reduce_counted`].
pub enum Answer {
    /// It is done.
    Done(Box<Reduced>),
    /// The caller's counter must count these texts of messages, and be asked again with all counts so far.
    Wanted(Vec<Vec<u8>>),
}

/// Reduces a transcript.
///
/// ```
/// use plica::reduce::{reduce, ReduceOptions};
/// let long = "x".repeat(500);
/// let call = |id: &str| format!(r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"ls","arguments":"{{}}"}}}}]}}"#);
/// let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{long}"}}"#);
/// let messages = [call("a"), result("a"), call("b"), result("b"), r#"{"role":"assistant","content":"done"}"#.into()];
/// let reduced = reduce(&messages, Default::default(), &ReduceOptions::default()).unwrap();
/// assert_eq!(reduced.steps.len(), 1);
/// assert_eq!((reduced.steps[0].index, reduced.steps[0].because), (1, Some(3)));
/// assert_eq!(reduced.tokens.before - reduced.tokens.after, reduced.steps[0].tokens);
/// ```
///
/// # Errors
/// Those of [`Outline::read`]; [`ErrorCode::BadEstimator`] for counts of messages alone, which say nothing of the reduced ones.
pub fn reduce<T: AsRef<[u8]>>(messages: &[T], reading: Reading<'_>, options: &ReduceOptions) -> Result<Reduced> {
    match reduce_counted(messages, reading, options, &[])? {
        Answer::Done(reduced) => Ok(*reduced),
        Answer::Wanted(_) => {
            let what = "a counter of the caller's own must count the reduced messages as well: use reduce_counted";
            Err(Error::new(ErrorCode::BadEstimator, what))
        }
    }
}

/// The same with a counter that the caller holds: where [`Reading::tokens`] are given, the texts of changed messages are asked
/// for, some at a time, and `counts` are the answers to all questions so far, in their order.
///
/// # Errors
/// Those of [`Outline::read`].
pub fn reduce_counted<T: AsRef<[u8]>>(
    messages: &[T],
    reading: Reading<'_>,
    options: &ReduceOptions,
    counts: &[f64],
) -> Result<Answer> {
    let outline = Outline::read(messages, reading)?;
    let mut counter = Counter::new(reading, outline.format, counts);
    let run = match &options.cache {
        None => Ladder::climb(messages, &outline, options, &mut counter)?,
        Some(terms) => cache::climb(messages, &outline, options, terms, &mut counter)?,
    };
    Ok(match run {
        Some(ladder) => Answer::Done(Box::new(ladder.reduced())),
        None => Answer::Wanted(counter.wanted),
    })
}

/// The largest whole number that a double holds exactly.
const MOST: f64 = 9_007_199_254_740_991.0;

/// A reduction under way.
struct Ladder<'l, T> {
    messages: &'l [T],
    outline: &'l Outline,
    scene: Scene,
    target: f64,
    /// A cache is better served when the newest messages change first.
    newest_first: bool,
    /// By message.
    acts: Vec<Acts>,
    tokens: Vec<u64>,
    total: u64,
    steps: Vec<ReduceStep>,
    refused: Vec<Refusal>,
}

impl<'l, T: AsRef<[u8]>> Ladder<'l, T> {
    /// All rungs; nothing where texts must be counted first.
    fn climb(
        messages: &'l [T],
        outline: &'l Outline,
        options: &ReduceOptions,
        counter: &mut Counter<'_>,
    ) -> Result<Option<Ladder<'l, T>>> {
        let tokens: Vec<u64> = outline.shapes.iter().map(|shape| shape.tokens).collect();
        let mut ladder = Ladder {
            messages,
            outline,
            scene: Scene::read(messages, outline, options)?,
            target: options.target.unwrap_or(-1.0),
            newest_first: options.cache.is_some(),
            acts: vec![Acts::new(); messages.len()],
            total: tokens.iter().sum(),
            tokens,
            steps: Vec::new(),
            refused: Vec::new(),
        };
        for rung in options.rungs() {
            if ladder.is_done() {
                break;
            }
            if !ladder.rung(rung.as_ref(), counter)? {
                return Ok(None);
            }
        }
        Ok(Some(ladder))
    }

    fn is_done(&self) -> bool {
        self.total as f64 <= self.target
    }

    /// One rung; false where texts must be counted first.
    fn rung(&mut self, rung: &dyn Rung, counter: &mut Counter<'_>) -> Result<bool> {
        let mut proposals = rung.propose(&self.scene);
        sort_by_key(&mut proposals, |proposal| (proposal.message, proposal.part));
        let mut changes: Vec<Change<'_>> = Vec::new();
        for group in proposals.chunk_by(|a, b| a.message == b.message) {
            changes.push(Change { proposals: group, text: self.changed(group)?, tokens: 0 });
        }
        let texts: Vec<&[u8]> = changes.iter().filter_map(|change| change.text.as_deref()).collect();
        let Some(counts) = counter.count(&texts)? else { return Ok(false) };
        let mut counts = counts.into_iter();
        for change in &mut changes {
            change.tokens = if change.text.is_some() { counts.next().unwrap_or(0) } else { 0 };
        }
        // Each step gains something.
        changes.retain(|change| self.gain(change) >= change.proposals.len() as u64);
        let gain: u64 = changes.iter().map(|change| self.gain(change)).sum();
        if (gain as f64) < rung.least() && gain > 0 {
            let steps = changes.iter().map(|change| change.proposals.len() as u32).sum();
            let (cost, reason) = (rung.least().ceil().min(MOST) as u64, RefusalReason::MinGain);
            self.refused.push(Refusal { code: rung.code(), steps, gain, cost, reason });
            return Ok(true);
        }
        if self.newest_first {
            changes.reverse();
        }
        let first = self.steps.len();
        for change in changes {
            if self.is_done() {
                break;
            }
            self.take(rung.code(), &change);
        }
        let mut taken = self.steps.split_off(first);
        sort_by_key(&mut taken, |step| (step.index, step.part));
        self.steps.append(&mut taken);
        Ok(true)
    }

    fn gain(&self, change: &Change<'_>) -> u64 {
        self.tokens[change.proposals[0].message as usize].saturating_sub(change.tokens)
    }

    /// The text of a message with the proposals carried out, and all that was done to it before.
    fn changed(&self, proposals: &[Proposal]) -> Result<Option<Vec<u8>>> {
        let index = proposals[0].message;
        let mut acts = self.acts[index as usize].clone();
        acts.extend(proposals.iter().map(|proposal| (proposal.part, proposal.act.clone())));
        let draft = self.draft(index, acts)?;
        Ok(draft
            .map(|draft| Writer::new(&[self.messages[index as usize].as_ref()], self.outline.format).text(&own(draft))))
    }

    fn draft(&self, index: u32, mut acts: Acts) -> Result<Option<Draft>> {
        sort_by_key(&mut acts, |(part, _)| *part);
        let mut tape = Tape::new();
        let message = object(&mut tape, self.messages[index as usize].as_ref(), index as usize)?;
        Ok(draft(index, message, self.outline.format, &acts))
    }

    fn take(&mut self, code: StepCode, change: &Change<'_>) {
        let gain = self.gain(change);
        let index = change.proposals[0].message;
        for (proposal, tokens) in change.proposals.iter().zip(shares(gain, change.proposals)) {
            let output = proposal.output.map(|output| &mut self.scene.outputs[output]);
            let (id, tool, path) = match output {
                Some(output) => {
                    output.replaced = matches!(proposal.act, Act::Say(_));
                    output.settled = true;
                    let path = output.meaning.paths.first().filter(|_| code == StepCode::SupersededRead);
                    (output.id.clone(), Some(output.tool.clone()).filter(|tool| !tool.is_empty()), path.cloned())
                }
                None => (None, None, None),
            };
            let (part, because) = (proposal.part, proposal.because);
            self.steps.push(ReduceStep { code, index, part, tokens, id, tool, path, because });
            self.acts[index as usize].push((part, proposal.act.clone()));
        }
        self.tokens[index as usize] -= gain;
        self.total -= gain;
    }

    fn first_changed(&self) -> Option<usize> {
        self.acts.iter().position(|acts| !acts.is_empty())
    }

    fn reduced(self) -> Reduced {
        let draft = |(index, acts): (usize, &Acts)| match acts.is_empty() {
            true => Some(Draft::original(index as u32)),
            false => self.draft(index as u32, acts.clone()).expect("read before"),
        };
        let drafts: Vec<Draft> = self.acts.iter().enumerate().filter_map(draft).collect();
        let first_changed = self.first_changed();
        let until = self.scene.until;
        Reduced {
            format: self.outline.format,
            edits: edits(&drafts, self.messages.len()),
            drafts,
            tokens: ReducedTokens { before: self.outline.tokens(0..self.outline.len()), after: self.total },
            cache: CacheEffect {
                first_changed: first_changed.map(|first| first as u32),
                invalidated: first_changed.map_or(0, |first| self.outline.tokens(first..until.max(first))),
            },
            steps: self.steps,
            refused: self.refused,
        }
    }
}

/// What a rung would do to a message.
struct Change<'c> {
    proposals: &'c [Proposal],
    /// None when the message goes.
    text: Option<Vec<u8>>,
    tokens: u64,
}

/// A draft as one of the only message of a list.
fn own(mut draft: Draft) -> Draft {
    use crate::edit::Source;
    if let Source::Original(index) = &mut draft.source {
        *index = 0;
    }
    for item in draft.items.iter_mut().flatten() {
        if let Source::Original((index, _)) = &mut item.source {
            *index = 0;
        }
    }
    draft
}

/// The gain of a message, shared among the steps by the bytes that each saves: whole tokens, one at least.
fn shares(gain: u64, proposals: &[Proposal]) -> Vec<u64> {
    let spare = u128::from(gain - proposals.len() as u64);
    let all = proposals.iter().map(|proposal| proposal.saves as u128).sum::<u128>().max(1);
    let (mut saved, mut given) = (0, 0);
    let share = |proposal: &Proposal| {
        saved += proposal.saves as u128;
        let up_to = spare * saved / all;
        let share = up_to - given;
        given = up_to;
        1 + share as u64
    };
    proposals.iter().map(share).collect()
}
