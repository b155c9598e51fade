//! From a plan to the window: which messages stand where, what that costs, and why each is there.

use crate::cuts::Boundaries;
use crate::edit::{path_to, Draft, Item, Set, Source};
use crate::error::{Error, ErrorCode, Result};
use crate::json::{write_string, Tape};
use crate::message::{Part, Provenance, Role};
use crate::outline::{object, Outline};
use crate::plan::KeptReason;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The part of a plan that a fold needs; a plan made by hand has no more.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// Messages before this index never fold.
    pub prefix_end: u32,
    /// Messages from this index on are the tail.
    pub kept_from: u32,
    /// Indices in between that stay verbatim, ascending.
    #[serde(default)]
    pub kept: Vec<u32>,
    /// Why each of `kept` stays, where the planner said so.
    #[serde(default)]
    pub kept_reasons: Vec<KeptReason>,
    /// Number of messages that were planned, where the planner said so.
    #[serde(default)]
    pub length: Option<u32>,
    /// No legal cut fits the budget.
    #[serde(default)]
    pub over_budget: bool,
    /// The planner said that nothing folds: what does not lead is tail.
    #[serde(default)]
    pub nothing: bool,
}

impl Span {
    /// The span of a plan.
    pub fn of(plan: &crate::plan::FoldPlan) -> Span {
        Span {
            prefix_end: plan.prefix_end,
            kept_from: plan.kept_from,
            kept: plan.kept.clone(),
            kept_reasons: plan.kept_reasons.clone(),
            length: Some(plan.length),
            over_budget: plan.over_budget,
            nothing: false,
        }
    }

    /// The span to tell of, which may fold nothing.
    ///
    /// # Errors
    /// Those of [`Span::check`].
    fn shown(&self, outline: &Outline) -> Result<Span> {
        if !self.nothing {
            self.check(outline.len())?;
            return Ok(self.clone());
        }
        self.check_length(outline.len())?;
        let leading = outline.landmarks.leading() as u32;
        Ok(Span { prefix_end: leading, kept_from: leading, kept: Vec::new(), kept_reasons: Vec::new(), ..self.clone() })
    }

    fn check_length(&self, messages: usize) -> Result<()> {
        let Some(length) = self.length.filter(|&length| (length as usize) > messages) else { return Ok(()) };
        let what = format!("the plan is for {length} messages, but there are {messages}; plan again");
        Err(Error::new(ErrorCode::PlanMismatch, what))
    }

    /// Everything between prefix and tail.
    pub fn range(&self) -> Range<usize> {
        self.prefix_end as usize..self.kept_from as usize
    }

    /// The indices that fold, ascending.
    pub fn folded(&self) -> impl Iterator<Item = usize> + '_ {
        let mut kept = self.kept.iter().peekable();
        self.range().filter(move |&index| kept.next_if(|&&k| k as usize == index).is_none())
    }

    /// Sees that the indices can be those of a plan for `messages` messages.
    ///
    /// # Errors
    /// [`ErrorCode::BadPlan`], [`ErrorCode::PlanMismatch`], [`ErrorCode::NothingToFold`].
    pub fn check(&self, messages: usize) -> Result<()> {
        let bad = |what: String| Err(Error::new(ErrorCode::BadPlan, what));
        self.check_length(messages)?;
        if self.kept_from as usize > messages {
            let what =
                format!("the plan keeps from {} on, but there are {messages} messages; plan again", self.kept_from);
            return Err(Error::new(ErrorCode::PlanMismatch, what));
        }
        if self.prefix_end > self.kept_from {
            return bad(format!("prefixEnd {} lies behind keptFrom {}", self.prefix_end, self.kept_from));
        }
        if !self.kept.windows(2).all(|pair| pair[0] < pair[1]) {
            return bad("kept must hold ascending indices, each once".into());
        }
        if let Some(index) = self.kept.iter().find(|&&index| !self.range().contains(&(index as usize))) {
            return bad(format!("kept names message {index}, outside {}..{}", self.prefix_end, self.kept_from));
        }
        if self.folded().next().is_none() {
            return Err(Error::new(ErrorCode::NothingToFold, "the plan folds no message"));
        }
        Ok(())
    }

    /// Sees that the fold tears nothing: what is bound together stays together, what waits for a result stays.
    ///
    /// # Errors
    /// Those of [`Span::check`]; [`ErrorCode::IllegalCut`], naming the messages.
    pub fn check_units(&self, outline: &Outline, boundaries: &Boundaries) -> Result<()> {
        self.check(outline.len())?;
        let illegal = |what: String| Err(Error::new(ErrorCode::IllegalCut, what));
        let folds = self.fold_flags(outline.len());
        let parted = |from: u32, to: u32| folds[from as usize] != folds[to as usize];
        if let Some(pair) = boundaries.pairing().pairs.iter().find(|pair| parted(pair.call, pair.result)) {
            return illegal(format!(
                "the plan parts the tool call in message {} from its result in message {}",
                pair.call, pair.result
            ));
        }
        if let Some(call) = boundaries.pairing().pending().iter().find(|call| folds[call.message as usize]) {
            let id = outline.ids.text(call.id);
            return illegal(format!(
                "the plan folds the call {id:?} in message {}, which waits for its result",
                call.message
            ));
        }
        if let Some(bond) = boundaries.bonds().find(|bond| parted(bond.from, bond.to)) {
            return illegal(format!(
                "the plan parts message {} from message {}, on which it depends",
                bond.to, bond.from
            ));
        }
        Ok(())
    }

    fn fold_flags(&self, messages: usize) -> Vec<bool> {
        let mut flags = vec![false; messages];
        self.folded().for_each(|index| flags[index] = true);
        flags
    }
}

/// One place of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The message at this index of the transcript.
    Message(u32),
    /// The digest, be it one message or more.
    Digest,
    /// A message of no weight, by the user or the model, where the provider wants them to take turns.
    Filler(Side),
}

/// The text of a [`Slot::Filler`].
pub const FILLER: &str = "(noted)";

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The user's; results of tools are on this side.
    User,
    /// The model's.
    Model,
}

impl Side {
    /// The side of a role; system text is on neither.
    pub fn of(role: Role) -> Option<Side> {
        match role {
            Role::User | Role::Tool => Some(Side::User),
            Role::Assistant => Some(Side::Model),
            Role::System | Role::Other => None,
        }
    }

    fn other(self) -> Side {
        match self {
            Side::User => Side::Model,
            Side::Model => Side::User,
        }
    }
}

/// The window after a fold: prefix, kept user and system units, digest, other kept units, tail.
///
/// A kept unit that is bound to the prefix stands before the digest as well: results directly follow their call. `digest`
/// are the roles of the digest's messages.
pub fn slots(outline: &Outline, boundaries: &Boundaries, span: &Span, digest: &[Role]) -> Vec<Slot> {
    let before = stands_before_digest(outline, boundaries, span);
    let message = |index: usize| Slot::Message(index as u32);
    let kept =
        |first: bool| span.kept.iter().zip(&before).filter(move |(_, b)| **b == first).map(|(&i, _)| Slot::Message(i));
    let slots = (0..span.prefix_end as usize)
        .map(message)
        .chain(kept(true))
        .chain([Slot::Digest])
        .chain(kept(false))
        .chain((span.kept_from as usize..outline.len()).map(message));
    kept_apart(outline, digest, slots)
}

/// Fillers where two messages of one side meet that did not meet before: wherever user and model must take turns, else
/// where two messages of the model would be read as one turn and break each other. (Most of those have a message of the user kept
/// between them by the plan.)
fn kept_apart(outline: &Outline, digest: &[Role], slots: impl Iterator<Item = Slot>) -> Vec<Slot> {
    let profile = outline.format.reader().profile();
    let breaks = |first: Option<usize>, next: Option<usize>| {
        let (Some(first), Some(next)) = (first, next) else { return profile.alternates };
        let (first, next) = (&outline.shapes[first], &outline.shapes[next]);
        let one_turn = first.role == Role::Assistant && next.role == Role::Assistant;
        profile.alternates || (one_turn && first.breaks(next))
    };
    let side_of = |index: usize| Side::of(outline.shapes[index].role);
    // In the transcript, the nearest message before it that is on a side.
    let mut neighbours = Vec::with_capacity(outline.len());
    let mut latest = None;
    for index in 0..outline.len() {
        neighbours.push(latest);
        latest = if side_of(index).is_some() { Some(index) } else { latest };
    }
    let mut window = Vec::with_capacity(outline.len());
    let mut last: Option<(Side, Option<usize>)> = None;
    for slot in slots {
        let (first, end, index) = match slot {
            Slot::Message(index) => (side_of(index as usize), side_of(index as usize), Some(index as usize)),
            Slot::Digest => {
                (digest.iter().copied().find_map(Side::of), digest.iter().rev().copied().find_map(Side::of), None)
            }
            Slot::Filler(side) => (Some(side), Some(side), None),
        };
        if let (Some((side, before)), Some(first)) = (last, first) {
            let met_before = index.is_some_and(|index| before.is_some() && neighbours[index] == before);
            if side == first && !met_before && breaks(before, index) {
                window.push(Slot::Filler(side.other()));
            }
        }
        last = end.map(|end| (end, index)).or(last);
        window.push(slot);
    }
    window
}

/// The first message of the tail with the digest in front of its own text, where both are the user's and the digest is one
/// message: for callers who want no two messages of the user in a row. Never a message that carries results: those come
/// first. `None` where there is no such message.
///
/// # Errors
/// [`ErrorCode::BadMessage`].
pub fn merged<T: AsRef<[u8]>>(outline: &Outline, messages: &[T], span: &Span, digest: &[T]) -> Result<Option<Draft>> {
    span.check(outline.len())?;
    let reader = outline.format.reader();
    let at = span.kept_from as usize;
    let plain = |shape: &crate::outline::Shape| shape.role == Role::User && !shape.has_results && !shape.has_calls;
    let (Some(_), [digest]) = (outline.shapes.get(at).filter(|shape| plain(shape)), digest) else { return Ok(None) };
    let mut tape = Tape::new();
    let digest = object(&mut tape, digest.as_ref(), 0)?;
    if reader.role(digest) != Role::User {
        return Ok(None);
    }
    // What stays behind the digest must not come to stand in front of it.
    let window = slots(outline, &Boundaries::of(outline), span, &[Role::User]);
    let behind = window.iter().skip_while(|slot| **slot != Slot::Digest).nth(1);
    if behind != Some(&Slot::Message(span.kept_from)) {
        return Ok(None);
    }
    let mut said = String::new();
    reader.parts(digest, &mut |part| {
        if let Part::Text(text) = part {
            said.push_str(&text.text_lossy());
        }
    });
    let mut tape = Tape::new();
    let message = object(&mut tape, messages[at].as_ref(), at)?;
    let mut draft = Draft::original(at as u32);
    if let Some(list) = reader.list(message) {
        let own = (0..list.items().count()).map(|item| Item::original(at as u32, item as u32));
        let first = Item { source: Source::Written(reader.text_part(&said)), sets: Vec::new() };
        draft.items = Some(std::iter::once(first).chain(own).collect());
        return Ok(Some(draft));
    }
    let mut first = None;
    reader.parts(message, &mut |part| match part {
        Part::Text(text) if first.is_none() => first = Some(text),
        _ => {}
    });
    let Some(text) = first else { return Ok(None) };
    // As bytes: half a surrogate pair in the user's text must stay what it is.
    let mut value = Vec::new();
    write_string(&[said.as_bytes(), b"\n\n", &text.text().unwrap_or_default()].concat(), &mut value);
    let value = String::from_utf8(value).ok();
    draft.sets.push(Set { path: path_to(message, &text.span()), value });
    Ok(Some(draft))
}

/// For each kept message: whether its whole unit is user and system text, or hangs on the prefix.
fn stands_before_digest(outline: &Outline, boundaries: &Boundaries, span: &Span) -> Vec<bool> {
    let place = |index: u32| span.kept.binary_search(&index).ok();
    let mut partners: Vec<Vec<usize>> = vec![Vec::new(); span.kept.len()];
    let mut on_prefix = vec![false; span.kept.len()];
    for bond in boundaries.bonds() {
        match (place(bond.from), place(bond.to)) {
            (Some(from), Some(to)) => {
                partners[from].push(to);
                partners[to].push(from);
            }
            (None, Some(to)) if bond.from < span.prefix_end => on_prefix[to] = true,
            _ => {}
        }
    }
    let mut before = vec![None; span.kept.len()];
    for start in 0..span.kept.len() {
        if before[start].is_some() {
            continue;
        }
        let mut unit = vec![start];
        let mut at = 0;
        before[start] = Some(false);
        while let Some(&member) = unit.get(at) {
            at += 1;
            for &partner in &partners[member] {
                if before[partner].replace(false).is_none() {
                    unit.push(partner);
                }
            }
        }
        let spoken = |&m: &usize| matches!(outline.shapes[span.kept[m] as usize].role, Role::User | Role::System);
        // Kept as part of a unit without being paired: it keeps two assistant messages apart, and stands between them.
        let separates = |&m: &usize| span.kept_reasons.get(m) == Some(&KeptReason::Unit);
        let spoken_unit = unit.iter().all(spoken) && !unit.iter().any(separates);
        let first = spoken_unit || unit.iter().any(|&m| on_prefix[m]);
        unit.iter().for_each(|&m| before[m] = Some(first));
    }
    before.into_iter().map(|b| b == Some(true)).collect()
}

/// What happens to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// Leads the window, never folds.
    Prefix,
    /// Stays verbatim inside the folded span.
    Kept,
    /// Goes into the digest.
    Folded,
    /// Stays, but parts of it were cleared.
    Cleared,
    /// Stays verbatim at the end.
    Tail,
}

/// The fate of one message, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct Explanation {
    /// Index of the message.
    pub index: u32,
    /// What happens to it.
    pub fate: Fate,
    /// Why, as a sentence.
    pub reason: &'static str,
}

/// Gives every message its fate and the reason.
///
/// # Errors
/// Those of [`Span::check`].
pub fn explain(outline: &Outline, boundaries: &Boundaries, span: &Span) -> Result<Vec<Explanation>> {
    let span = &span.shown(outline)?;
    let mut pending = vec![false; outline.len()];
    boundaries.pairing().pending().iter().for_each(|call| pending[call.message as usize] = true);
    let last_assistant = outline.shapes.iter().rposition(|shape| shape.role == Role::Assistant).unwrap_or(0);
    let tail_reason = |index: usize| {
        let shape = &outline.shapes[index];
        if pending[index] {
            "a call in it waits for its result"
        } else if index > last_assistant && shape.is_request() {
            "the user waits for an answer to it"
        } else if span.nothing {
            "nothing folds, so it stays"
        } else if span.over_budget {
            "it belongs to the smallest tail that can be kept, which is over the budget"
        } else {
            "the tail up to it fits the budget"
        }
    };
    let why = |index: usize| -> (Fate, &'static str) {
        let shape = &outline.shapes[index];
        if index < span.prefix_end as usize {
            return (Fate::Prefix, prefix_reason(shape));
        }
        if index >= span.kept_from as usize {
            return (Fate::Tail, tail_reason(index));
        }
        match span.kept.binary_search(&(index as u32)) {
            Ok(place) => (Fate::Kept, kept_reason(shape, span.kept_reasons.get(place).copied())),
            Err(_) if shape.provenance == Provenance::Summary => {
                (Fate::Folded, "an earlier digest: the new one builds on it")
            }
            Err(_) => (Fate::Folded, "older than what the budget keeps"),
        }
    };
    let explained = (0..outline.len()).map(|index| {
        let (fate, reason) = why(index);
        Explanation { index: index as u32, fate, reason }
    });
    Ok(explained.collect())
}

fn prefix_reason(shape: &crate::outline::Shape) -> &'static str {
    match (shape.role, shape.provenance) {
        (Role::System, _) => "leading system text never folds",
        (_, Provenance::Instructions) => "leading project instructions never fold",
        (_, Provenance::Memory) => "leading memory never folds",
        _ => "the caller made it part of the prefix",
    }
}

fn kept_reason(shape: &crate::outline::Shape, reason: Option<KeptReason>) -> &'static str {
    match (reason, shape.provenance) {
        (Some(KeptReason::Instructions), _) | (None, Provenance::Instructions) => {
            "project instructions never fold, even when they come late"
        }
        (Some(KeptReason::Memory), _) | (None, Provenance::Memory) => "memory never folds, even when it comes late",
        (Some(KeptReason::System), _) => "keepSystem keeps system text from the middle",
        (Some(KeptReason::Task), _) => "anchorTask keeps the user's first request",
        (Some(KeptReason::Request), _) => "anchorRequest keeps the user's latest request",
        (Some(KeptReason::Unit), _) => "it belongs to something that stays",
        (Some(KeptReason::Pinned) | None, _) => "pinned",
    }
}

/// Tokens and messages of each part of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Measure {
    /// Tokens of all messages, before the fold.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: u64,
    /// Tokens of the messages that fold: what the fold frees, before the digest takes some back.
    #[cfg_attr(test, ts(type = "number"))]
    pub folded: u64,
    /// Tokens of the prefix.
    #[cfg_attr(test, ts(type = "number"))]
    pub prefix: u64,
    /// Tokens of the messages kept inside the span.
    #[cfg_attr(test, ts(type = "number"))]
    pub kept: u64,
    /// Tokens of the tail.
    #[cfg_attr(test, ts(type = "number"))]
    pub tail: u64,
    /// Number of messages that fold.
    pub folded_messages: u32,
    /// Tool calls in the messages that fold.
    pub folded_calls: u32,
    /// Signed reasoning parts in the messages that fold.
    pub folded_signed: u32,
}

/// Measures a plan; this needs a look at everything, which planning does not.
///
/// # Errors
/// Those of [`Span::check`].
pub fn measure(outline: &Outline, span: &Span) -> Result<Measure> {
    let span = &span.shown(outline)?;
    let flags = span.fold_flags(outline.len());
    let folded = || span.folded().map(|index| &outline.shapes[index]);
    let total = outline.tokens(0..outline.len());
    let folded_tokens = folded().map(|shape| shape.tokens).sum();
    let prefix = outline.tokens(0..span.prefix_end as usize);
    let tail = outline.tokens(span.kept_from as usize..outline.len());
    Ok(Measure {
        total,
        folded: folded_tokens,
        prefix,
        kept: total - folded_tokens - prefix - tail,
        tail,
        folded_messages: folded().count() as u32,
        folded_calls: outline.links.iter().filter(|link| link.is_call() && flags[link.message as usize]).count() as u32,
        folded_signed: folded().map(|shape| shape.signed).sum(),
    })
}
