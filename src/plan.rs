//! What folds, where to cut, what stays verbatim, within a token budget.

use crate::clip::{self, ClipOffer};
use crate::cuts::Boundaries;
use crate::error::{Error, ErrorCode, Result};
use crate::formats::Format;
use crate::landmarks::within;
use crate::message::{Provenance, Role};
use crate::outline::Outline;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// What the caller asks of a plan.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlanOptions {
    /// Tokens that the tail may cost.
    pub tail_budget: f64,
    /// At least so many of the user's latest turns stay in the tail, whatever they cost.
    pub keep_turns: u32,
    /// At least so many leading messages are prefix.
    pub prefix: u32,
    /// Messages that must stay verbatim.
    pub pinned: Vec<u32>,
    /// Keep system messages from the middle verbatim, too.
    pub keep_system: bool,
    /// Keep the user's first request verbatim.
    pub anchor_task: bool,
    /// Keep the user's latest request verbatim.
    pub anchor_request: bool,
    /// Share of the budget to leave free, for estimates that are too low: 0 up to, not including, 1.
    pub margin: f64,
}

impl Default for PlanOptions {
    fn default() -> Self {
        PlanOptions {
            tail_budget: f64::NAN,
            keep_turns: 0,
            prefix: 0,
            pinned: Vec::new(),
            keep_system: false,
            anchor_task: false,
            anchor_request: false,
            margin: 0.0,
        }
    }
}

impl PlanOptions {
    /// Just a budget, all else by default.
    pub fn tail_budget(tail_budget: f64) -> Self {
        PlanOptions { tail_budget, ..PlanOptions::default() }
    }

    pub(crate) fn check(&self, messages: usize) -> Result<()> {
        if self.tail_budget.is_nan() || self.tail_budget < 0.0 {
            let message = "tailBudget must be a number of tokens, 0 or more";
            return Err(Error::new(ErrorCode::BadBudget, message));
        }
        if !(0.0..1.0).contains(&self.margin) {
            let message = format!("margin is a share of the budget, from 0 up to less than 1, not {}", self.margin);
            return Err(Error::new(ErrorCode::BadArgument, message));
        }
        if let Some(index) = self.pinned.iter().find(|&&index| index as usize >= messages) {
            let message = format!("pinned names message {index}, but there are {messages} messages");
            return Err(Error::new(ErrorCode::BadArgument, message));
        }
        Ok(())
    }
}

/// Why a message between prefix and tail stays verbatim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum KeptReason {
    /// Project instructions that arrived late.
    Instructions,
    /// Memory that arrived late.
    Memory,
    /// The caller pinned it.
    Pinned,
    /// A system message, kept because `keepSystem` asks for it.
    System,
    /// The user's first request, kept because `anchorTask` asks for it.
    Task,
    /// The user's latest request, kept because `anchorRequest` asks for it.
    Request,
    /// It belongs to the unit of a message that stays: a call and its results are never parted, and the user message behind
    /// an assistant message keeps it apart from the next one.
    Unit,
}

/// Why nothing folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum NoneReason {
    /// There is nothing between prefix and tail, or all of it must stay verbatim.
    NothingToFold,
    /// All that could fold is a digest of an earlier fold: folding it again only loses detail.
    OnlyExistingSummary,
    /// Every cut would tear something that belongs together.
    NoLegalCut,
    /// Every cut would part a call from a result that may still come: answer it or drop it first.
    PendingCall,
}

impl NoneReason {
    /// The name, as in the API.
    pub fn name(self) -> &'static str {
        match self {
            NoneReason::NothingToFold => "nothing-to-fold",
            NoneReason::OnlyExistingSummary => "only-existing-summary",
            NoneReason::NoLegalCut => "no-legal-cut",
            NoneReason::PendingCall => "pending-call",
        }
    }
}

/// Tokens of the parts of a planned window, the digest apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct PlanTokens {
    /// Leading messages that never fold.
    #[cfg_attr(test, ts(type = "number"))]
    pub prefix: u64,
    /// Messages between prefix and tail that stay verbatim.
    #[cfg_attr(test, ts(type = "number"))]
    pub kept: u64,
    /// What stays verbatim at the end.
    #[cfg_attr(test, ts(type = "number"))]
    pub tail: u64,
}

/// Fold messages `prefixEnd..keptFrom`, less those in `kept`; keep the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct FoldPlan {
    /// The format that the messages were read by.
    pub format: Format,
    /// Number of messages that were planned.
    pub length: u32,
    /// Messages before this index never fold.
    pub prefix_end: u32,
    /// Messages from this index on are the tail.
    pub kept_from: u32,
    /// Indices between prefix and tail that stay verbatim, ascending.
    pub kept: Vec<u32>,
    /// Why each message of `kept` stays.
    pub kept_reasons: Vec<KeptReason>,
    /// No legal cut fits the budget; this is the smallest legal tail.
    pub over_budget: bool,
    /// Ids of calls that wait for their result; they are in the tail.
    pub pending: Vec<String>,
    /// What the parts cost.
    pub tokens: PlanTokens,
    /// Signed reasoning parts in the tail. Some providers bind a signature to everything before it.
    pub signed_in_tail: u32,
    /// The cut splits a turn: index of the user's message that opened it, which folds or is kept apart from its turn.
    pub split_turn: Option<u32>,
    /// Over budget: the tool results of the tail whose clipping would help, the largest first.
    pub clips: Vec<ClipOffer>,
}

/// Nothing can fold, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct NonePlan {
    /// The format that the messages were read by.
    pub format: Format,
    /// Number of messages that were planned.
    pub length: u32,
    /// Why nothing folds.
    pub reason: NoneReason,
    /// Ids of calls that wait for their result.
    pub pending: Vec<String>,
    /// Tokens of all messages.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: u64,
    /// What follows the prefix, old digests at its start apart, costs more than the budget.
    pub over_budget: bool,
    /// Over budget: the tool results whose clipping would help, the largest first.
    pub clips: Vec<ClipOffer>,
}

/// The answer of the planner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Plan {
    /// Something folds.
    Fold(FoldPlan),
    /// Nothing folds.
    None(NonePlan),
}

/// Plans the fold of a transcript.
///
/// The cut is the earliest legal one whose tail fits the budget; when none fits, the latest legal
/// one, and the plan says that it is over budget.
///
/// ```
/// use plica::{outline::{Outline, Reading}, plan::{plan, Plan, PlanOptions}};
/// let messages: Vec<&[u8]> = vec![
///     br#"{"role":"user","content":"one"}"#, br#"{"role":"assistant","content":"two"}"#,
///     br#"{"role":"user","content":"three"}"#, br#"{"role":"assistant","content":"four"}"#,
/// ];
/// let outline = Outline::read(&messages, Reading::default()).unwrap();
/// let Plan::Fold(fold) = plan(&outline, &PlanOptions::tail_budget(0.0)).unwrap() else { panic!() };
/// assert_eq!((fold.prefix_end, fold.kept_from, fold.over_budget), (0, 3, true));
/// ```
///
/// # Errors
/// [`ErrorCode::BadBudget`], [`ErrorCode::BadArgument`].
pub fn plan(outline: &Outline, options: &PlanOptions) -> Result<Plan> {
    plan_within(outline, &Boundaries::of(outline), options)
}

/// The same, with the boundaries at hand.
///
/// # Errors
/// As [`plan`].
pub fn plan_within(outline: &Outline, boundaries: &Boundaries, options: &PlanOptions) -> Result<Plan> {
    options.check(outline.len())?;
    let prefix_end = prefix_end(outline, options);
    let planner =
        Planner { outline, boundaries, options, prefix_end, budget: options.tail_budget * (1.0 - options.margin) };
    Ok(match planner.fold() {
        Ok(fold) => Plan::Fold(fold),
        Err(reason) => Plan::None(planner.none(reason)),
    })
}

struct Planner<'p> {
    outline: &'p Outline,
    boundaries: &'p Boundaries,
    options: &'p PlanOptions,
    prefix_end: usize,
    budget: f64,
}

/// A cut and the tokens behind it.
#[derive(Clone, Copy)]
struct Cut {
    at: usize,
    tail: u64,
}

impl Planner<'_> {
    fn fold(&self) -> std::result::Result<FoldPlan, NoneReason> {
        let legal = self.legal_cuts()?;
        let allowed = self.allowed_cuts(legal)?;
        let cut = self.choose(allowed);
        match self.fold_at(cut) {
            // What the user waits for may give way, when there is nothing but an old digest in front of it.
            Err(_) if self.is_over(cut.tail) && allowed.len() < legal.len() && self.options.keep_turns == 0 => {
                self.fold_at(self.choose(legal))
            }
            answer => answer,
        }
    }

    fn legal_cuts(&self) -> std::result::Result<&[u32], NoneReason> {
        if self.prefix_end + 1 >= self.outline.len() {
            return Err(NoneReason::NothingToFold);
        }
        let legal = self.after_prefix(self.boundaries.legal());
        if !legal.is_empty() {
            return Ok(legal);
        }
        let waits = !self.after_prefix(self.boundaries.legal_but_for_pending()).is_empty();
        Err(if waits { NoneReason::PendingCall } else { NoneReason::NoLegalCut })
    }

    fn after_prefix<'c>(&self, cuts: &'c [u32]) -> &'c [u32] {
        &cuts[cuts.partition_point(|&cut| cut as usize <= self.prefix_end)..]
    }

    /// Legal cuts that also keep together what the user waits to have answered, and the turns that the caller wants.
    fn allowed_cuts<'c>(&self, legal: &'c [u32]) -> std::result::Result<&'c [u32], NoneReason> {
        let up_to = |cuts: &'c [u32], limit: usize| &cuts[..cuts.partition_point(|&cut| cut as usize <= limit)];
        // What the user waits for stays together, unless that would turn every later call into a refusal.
        let waiting = unanswered_request(self.outline).map_or(&legal[..0], |limit| up_to(legal, limit));
        let allowed = if waiting.is_empty() { legal } else { waiting };
        if self.options.keep_turns == 0 {
            return Ok(allowed);
        }
        // The caller's own wish does not give way: with fewer turns than asked for, all of them stay.
        let limit = turn_start(self.outline, self.options.keep_turns).ok_or(NoneReason::NothingToFold)?;
        match up_to(allowed, limit) {
            [] => Err(NoneReason::NothingToFold),
            kept => Ok(kept),
        }
    }

    fn is_over(&self, tokens: u64) -> bool {
        tokens as f64 > self.budget
    }

    /// The earliest cut whose tail fits, else the latest.
    fn choose(&self, cuts: &[u32]) -> Cut {
        let tail = |at: usize| self.outline.tokens(at..self.outline.len());
        // The later the cut, the smaller the tail.
        let place = cuts.partition_point(|&cut| self.is_over(tail(cut as usize)));
        let at = cuts[place.min(cuts.len() - 1)] as usize;
        Cut { at, tail: tail(at) }
    }

    fn fold_at(&self, cut: Cut) -> std::result::Result<FoldPlan, NoneReason> {
        let outline = self.outline;
        let span = self.prefix_end..cut.at;
        let kept = Kept::of(outline, self.boundaries, span.clone(), self.options).why;
        let folded = span.len() - kept.len();
        if folded == 0 {
            return Err(NoneReason::NothingToFold);
        }
        let digests = within(outline.landmarks.summaries(), span).iter().filter(|digest| !kept.contains_key(digest));
        if digests.count() == folded {
            return Err(NoneReason::OnlyExistingSummary);
        }
        let tokens = PlanTokens {
            prefix: outline.tokens(0..self.prefix_end),
            kept: kept.keys().map(|&index| outline.shapes[index as usize].tokens).sum(),
            tail: cut.tail,
        };
        Ok(FoldPlan {
            format: outline.format,
            length: outline.len() as u32,
            prefix_end: self.prefix_end as u32,
            kept_from: cut.at as u32,
            kept: kept.keys().copied().collect(),
            kept_reasons: kept.values().copied().collect(),
            over_budget: self.is_over(cut.tail),
            pending: self.pending(),
            tokens,
            signed_in_tail: outline.signed(cut.at..outline.len()),
            split_turn: self.split_turn(cut.at),
            clips: clip::offers(outline, cut.at, cut.tail, self.budget),
        })
    }

    fn none(&self, reason: NoneReason) -> NonePlan {
        let outline = self.outline;
        let digests = outline.shapes[self.prefix_end..].iter().take_while(|s| s.provenance == Provenance::Summary);
        let start = self.prefix_end + digests.count();
        // What a tail would be: an old digest in front of it is no part of it.
        let rest = outline.tokens(start..outline.len());
        NonePlan {
            format: outline.format,
            length: outline.len() as u32,
            reason,
            pending: self.pending(),
            total: outline.tokens(0..outline.len()),
            over_budget: self.is_over(rest),
            clips: clip::offers(outline, start, rest, self.budget),
        }
    }

    fn pending(&self) -> Vec<String> {
        let pending = self.boundaries.pairing().pending();
        pending.iter().map(|call| self.outline.ids.text(call.id)).collect()
    }

    /// The request whose turn the cut splits.
    fn split_turn(&self, cut: usize) -> Option<u32> {
        if self.outline.shapes[cut].is_request() {
            return None;
        }
        within(self.outline.landmarks.requests(), self.prefix_end..cut).last().copied()
    }
}

/// The leading run of system, project-instruction and memory messages; longer when the caller says so.
fn prefix_end(outline: &Outline, options: &PlanOptions) -> usize {
    outline.landmarks.leading().max(options.prefix as usize).min(outline.len())
}

/// First of the user's messages after the last assistant message.
fn unanswered_request(outline: &Outline) -> Option<usize> {
    let after = outline.landmarks.models().last().map_or(0, |&last| last as usize + 1);
    within(outline.landmarks.requests(), after..outline.len()).first().map(|&index| index as usize)
}

/// Where the `turns`-th turn from the end starts: a request that does not follow another one directly.
pub(crate) fn turn_start(outline: &Outline, turns: u32) -> Option<usize> {
    let all = outline.landmarks.turns();
    all.len().checked_sub(turns as usize).map(|place| all[place] as usize)
}

/// Messages inside the span that stay verbatim, and why. Its cost is that of what it keeps, whatever the length of the span.
struct Kept<'o> {
    outline: &'o Outline,
    span: Range<usize>,
    why: BTreeMap<u32, KeptReason>,
}

impl<'o> Kept<'o> {
    fn of(outline: &'o Outline, boundaries: &Boundaries, span: Range<usize>, options: &PlanOptions) -> Kept<'o> {
        let landmarks = &outline.landmarks;
        let mut kept = Kept { outline, span: span.clone(), why: BTreeMap::new() };
        for &index in within(landmarks.standing(), span.clone()) {
            let memory = outline.shapes[index as usize].provenance == Provenance::Memory;
            kept.keep(index, if memory { KeptReason::Memory } else { KeptReason::Instructions });
        }
        if options.keep_system {
            kept.keep_all(within(landmarks.systems(), span.clone()), KeptReason::System);
        }
        if options.anchor_task {
            kept.keep_all(within(landmarks.requests(), span.clone()).first(), KeptReason::Task);
        }
        if options.anchor_request {
            kept.keep_all(landmarks.requests().last(), KeptReason::Request);
        }
        kept.keep_all(&options.pinned, KeptReason::Pinned);
        kept.close_units(boundaries);
        // Where the two must take turns, the window has something between them anyway.
        if !outline.format.reader().profile().alternates {
            kept.separate();
        }
        kept
    }

    fn has(&self, index: usize) -> bool {
        self.why.contains_key(&(index as u32))
    }

    fn keep(&mut self, index: u32, reason: KeptReason) {
        if self.span.contains(&(index as usize)) {
            self.why.entry(index).or_insert(reason);
        }
    }

    fn keep_all<'i>(&mut self, indices: impl IntoIterator<Item = &'i u32>, reason: KeptReason) {
        indices.into_iter().for_each(|&index| self.keep(index, reason));
    }

    /// Keeps two assistant messages apart that folding would bring together, where that would break them.
    /// The user message that stood behind the first one stays with it.
    fn separate(&mut self) {
        let (outline, span) = (self.outline, self.span.clone());
        let shapes = &outline.shapes;
        let assistant = |index: usize| shapes[index].role == Role::Assistant;
        // User and system text on its own stands before the digest, and so between nothing.
        let before = |index: &usize| shapes[*index].role == Role::System || shapes[*index].is_spoken();
        let stays: Vec<usize> = self.why.keys().map(|&index| index as usize).filter(|index| !before(index)).collect();
        let followers = stays.iter().copied().skip(1).chain([span.end]);
        for (first, next) in stays.iter().copied().zip(followers) {
            let meet = next < outline.len() && assistant(first) && assistant(next);
            if meet && !outline.landmarks.all_of_model(first..next) && shapes[first].breaks(&shapes[next]) {
                // One that is kept already may stand before the digest.
                let between = within(outline.landmarks.spoken(), first + 1..next);
                let free = between.iter().find(|&&index| !self.has(index as usize)).copied();
                self.keep_all(&free, KeptReason::Unit);
            }
        }
    }

    /// Whatever is bound to a message that stays (kept, or in the prefix) stays as well.
    fn close_units(&mut self, boundaries: &Boundaries) {
        let mut open: Vec<u32> = self.why.keys().copied().collect();
        open.extend(boundaries.bound_across(self.span.start as u32));
        open.retain(|&index| self.span.contains(&(index as usize)));
        let mut seen: HashSet<u32> = open.iter().copied().collect();
        while let Some(index) = open.pop() {
            self.keep(index, KeptReason::Unit);
            let inside = |partner: &u32| self.span.contains(&(*partner as usize));
            open.extend(boundaries.partners(index).filter(inside).filter(|&partner| seen.insert(partner)));
        }
    }
}
