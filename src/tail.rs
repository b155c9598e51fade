//! A plan from the end of a transcript alone: for callers who keep no [`Transcript`](crate::transcript::Transcript) and
//! want no more read than a plan needs.
//!
//! Given are the messages from some index on, and of each one before them just enough to tell system text, instructions and memory
//! from the rest. From this the planner makes the plan that it would make of the whole transcript, or it is said what else has to be
//! read. Nothing is guessed: where what was not read could make a difference, more is asked for. The tests hold every
//! answer against the plan of the whole.

use crate::cuts::Boundaries;
use crate::error::{Error, ErrorCode, Result};
use crate::formats::{Detector, Format};
use crate::json::Tape;
use crate::message::{Provenance, Role};
use crate::outline::{object, LinkKind, Outline, Reading, Shape};
use crate::plan::{plan_within, FoldPlan, Plan, PlanOptions};
use crate::profile::Place;
use crate::tokens::Estimator;

/// What is known of a transcript.
#[derive(Debug, Clone, Copy)]
pub struct Tail<'t, T> {
    /// The format of its messages.
    pub format: Format,
    /// Number of its messages.
    pub length: usize,
    /// The last ones of them.
    pub messages: &'t [T],
    /// Messages in front of those that have been read as well, by index, ascending.
    pub others: &'t [(u32, T)],
    /// For each message in front of `messages` its class: messages that agree in the [telling] members.
    ///
    /// [telling]: crate::formats::MessageFormat::telling
    pub classes: &'t [u8],
    /// A message of each class, or what it has of the telling members.
    pub models: &'t [T],
    /// What counts tokens.
    pub estimator: Estimator,
    /// What the caller says of messages, by index.
    pub provenance: &'t [(u32, Provenance)],
    /// Tokens of `others` and of `messages`, from the caller's own counter.
    pub tokens: Option<&'t [f64]>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The plan of the whole transcript.
    Plan(Plan),
    /// These messages have to be read as well.
    Read(Vec<u32>),
    /// More of the end has to be read.
    More,
    /// All has to be read.
    All,
}

/// So many messages are read one by one; where it would take more, all are read.
const MOST: usize = 256;

/// The format that some messages of a transcript prove; where they are `all` there are, or one of each kind, the one that they are
/// read by. None where it takes more of them. Index `first` is that of the first one.
///
/// # Errors
/// [`ErrorCode::BadMessage`]; of all messages those of [`Detector::strictest`].
pub fn format_of<T: AsRef<[u8]>>(messages: &[T], first: usize, all: bool) -> Result<Option<Format>> {
    let mut detector = Detector::default();
    let mut tape = Tape::new();
    for (place, message) in messages.iter().enumerate() {
        detector.see(object(&mut tape, message.as_ref(), first + place)?);
    }
    if all {
        return detector.strictest().map(Some);
    }
    Ok(detector.proven())
}

/// Plans from what is known.
///
/// # Errors
/// As [`crate::plan::plan`].
pub fn plan<T: AsRef<[u8]>>(tail: &Tail<'_, T>, options: &PlanOptions) -> Result<Answer> {
    options.check(tail.length)?;
    if tail.classes.len() + tail.messages.len() != tail.length {
        return Err(Error::new(ErrorCode::Internal, "a tail and its classes are not the length of their transcript"));
    }
    let sketch = match Sketch::of(tail, options)? {
        Ok(sketch) => sketch,
        Err(answer) => return Ok(answer),
    };
    sketch.plan(options)
}

/// An outline of what was read. What was left out is one message in front of the tail, if there is any.
struct Sketch {
    outline: Outline,
    /// For each of its messages the index in the transcript.
    indices: Vec<u32>,
    /// The one that stands for what was left out.
    gap: Option<usize>,
    /// Where the tail begins in it.
    first: usize,
    length: usize,
}

impl Sketch {
    fn of<T: AsRef<[u8]>>(tail: &Tail<'_, T>, options: &PlanOptions) -> Result<std::result::Result<Sketch, Answer>> {
        let front = tail.classes.len();
        let Some(kinds) = kinds(tail)? else { return Ok(Err(Answer::All)) };
        let kind =
            |index: usize| Kind { said: said(tail.provenance, index), ..kinds[usize::from(tail.classes[index])] };
        let leading = (0..front).take_while(|&index| kind(index).leads()).count().max(options.prefix as usize);
        if leading >= front {
            return Ok(Err(Answer::All));
        }
        let mut wanted: Vec<u32> = (0..leading as u32).collect();
        for index in leading..front {
            let kind = kind(index);
            if kind.stands() || (options.keep_system && kind.role == Role::System) {
                wanted.push(index as u32);
            }
            if wanted.len() > MOST {
                return Ok(Err(Answer::All));
            }
        }
        wanted.extend(options.pinned.iter().filter(|&&index| (index as usize) < front));
        let known = |index: u32| tail.others.binary_search_by_key(&index, |(index, _)| *index).is_ok();
        wanted.retain(|&index| !known(index));
        if !wanted.is_empty() {
            wanted.sort_unstable();
            wanted.dedup();
            return Ok(Err(if wanted.len() > MOST { Answer::All } else { Answer::Read(wanted) }));
        }
        let sketch = Sketch::read(tail, leading)?;
        // Messages that are tied to others would need those as well.
        let others = sketch.outline.shapes[..sketch.first].iter();
        Ok(if others.clone().all(is_untied) { Ok(sketch) } else { Err(Answer::All) })
    }

    /// Reads what is there: leading messages, one for those that are left out behind them, others, the tail.
    fn read<T: AsRef<[u8]>>(tail: &Tail<'_, T>, leading: usize) -> Result<Sketch> {
        let mut tape = Tape::new();
        let mut outline = Outline::new(tail.format, tail.estimator);
        let mut indices = Vec::new();
        let mut gap = None;
        let front = tail.classes.len() as u32;
        let others = tail.others.iter().map(|(index, text)| (*index, text));
        for (index, text) in others.chain((front..).zip(tail.messages)) {
            if gap.is_none() && index > leading as u32 && indices.last().is_none_or(|&last| last < leading as u32) {
                gap = Some(indices.len());
                outline.take_unseen();
                indices.push(leading as u32);
            }
            outline.take(object(&mut tape, text.as_ref(), index as usize)?);
            indices.push(index);
        }
        let mut tokens = tail.tokens.map(<[f64]>::to_vec);
        if let (Some(tokens), Some(gap)) = (&mut tokens, gap) {
            tokens.insert(gap.min(tokens.len()), 0.0);
        }
        let place = |index: &u32| indices.binary_search(index).ok().filter(|&place| gap != Some(place));
        let mark = |(index, mark): &(u32, Provenance)| Some((place(index)? as u32, *mark));
        let marks: Vec<(u32, Provenance)> = tail.provenance.iter().filter_map(mark).collect();
        outline.settle(Reading { provenance: &marks, tokens: tokens.as_deref(), ..Reading::default() })?;
        let first = indices.partition_point(|&index| index < front);
        Ok(Sketch { outline, indices, gap, first, length: tail.length })
    }

    fn plan(&self, options: &PlanOptions) -> Result<Answer> {
        let outline = &self.outline;
        if let Some(unread) = self.unread_before_task(options) {
            return Ok(if self.first > MOST { Answer::All } else { Answer::Read(vec![unread]) });
        }
        let budget = options.tail_budget * (1.0 - options.margin);
        let over = |from: usize| outline.tokens(from..outline.len()) as f64 > budget;
        let starts = (self.first + 1..outline.len()).rev().filter(|&at| over(at));
        let boundaries = Boundaries::of(outline);
        let Some(start) = { starts }.find(|&at| self.is_fresh(at) && self.is_closed(&boundaries, at)) else {
            return Ok(Answer::More);
        };
        let place = |index: &u32| self.indices.binary_search(index).ok().map(|place| place as u32);
        let pinned = options.pinned.iter().filter_map(place).collect();
        let Plan::Fold(fold) = plan_within(outline, &boundaries, &PlanOptions { pinned, ..options.clone() })? else {
            return Ok(Answer::More);
        };
        let kept = |index: usize| fold.kept.binary_search(&(index as u32)).is_ok();
        let digest = |index: usize| outline.shapes[index].provenance == Provenance::Summary;
        // One message that folds wherever the cut is and is no digest: so what was not read is not all there is to fold.
        let folds = (self.first..start).any(|index| !kept(index) && !digest(index));
        let untied = fold.kept.iter().all(|&index| is_untied(&outline.shapes[index as usize]));
        if (fold.kept_from as usize) < start || !folds || !untied {
            return Ok(Answer::More);
        }
        Ok(Answer::Plan(Plan::Fold(self.whole(fold))))
    }

    /// The plan by the indices of the whole transcript.
    fn whole(&self, mut fold: FoldPlan) -> FoldPlan {
        let whole = |index: u32| self.indices[index as usize];
        fold.kept_from = whole(fold.kept_from);
        fold.kept.iter_mut().for_each(|index| *index = whole(*index));
        fold.split_turn = fold.split_turn.map(whole);
        fold.clips.iter_mut().for_each(|clip| clip.index = whole(clip.index));
        fold.length = self.length as u32;
        fold
    }

    /// Where the first request is wanted: the message in front of it that was not read, if there is one.
    fn unread_before_task(&self, options: &PlanOptions) -> Option<u32> {
        let prefix = self.outline.landmarks.leading().max(options.prefix as usize);
        let asked = |place: &usize| options.anchor_task && *place < self.outline.len();
        for place in (prefix..).take_while(asked) {
            if self.gap == Some(place) || self.indices[place] as usize > place {
                return Some(place as u32);
            }
            if self.outline.shapes[place].is_request() {
                return None;
            }
        }
        None
    }

    /// A request in front of which everything is settled: no rule remembers anything from before it, and no call in front of it
    /// is of one batch with a call behind it.
    fn is_fresh(&self, at: usize) -> bool {
        let shapes = &self.outline.shapes;
        let speaks = shapes[at].is_request() && !shapes[at].has_results && !shapes[at].has_calls;
        if !speaks || shapes[at - 1].is_request() {
            return false;
        }
        let batched = |link: &crate::outline::Link| link.is_call() || link.kind == LinkKind::Request;
        let calls = self.outline.links_in(at..self.outline.len()).iter().any(batched);
        let last = self.outline.links_in(self.first..at).last();
        let answered = last
            .is_some_and(|link| link.kind == LinkKind::Result && shapes[link.message as usize].role != Role::Assistant);
        let inside = self.outline.format.reader().profile().results == Place::Inside;
        !calls || answered || inside
    }

    /// Nothing from `start` on is tied to anything before it, and the model spoke since.
    fn is_closed(&self, boundaries: &Boundaries, start: usize) -> bool {
        let spoke = self.outline.landmarks.models().last().is_some_and(|&last| last as usize >= start);
        let crosses = |bond: crate::cuts::Bond| (bond.from as usize) < start && bond.to as usize >= start;
        spoke && boundaries.is_whole_from(start as u32, &self.outline) && !boundaries.bonds().any(crosses)
    }
}

/// What the telling members of a message say.
#[derive(Clone, Copy)]
struct Kind {
    role: Role,
    provenance: Provenance,
    said: Option<Provenance>,
}

impl Kind {
    fn provenance(self) -> Provenance {
        self.said.unwrap_or(self.provenance)
    }

    fn stands(self) -> bool {
        matches!(self.provenance(), Provenance::Instructions | Provenance::Memory)
    }

    fn leads(self) -> bool {
        self.role == Role::System || (self.role == Role::User && self.stands())
    }
}

fn is_untied(shape: &Shape) -> bool {
    !shape.has_calls && !shape.has_results && shape.role != Role::Assistant
}

fn said(provenance: &[(u32, Provenance)], index: usize) -> Option<Provenance> {
    let place = provenance.binary_search_by_key(&(index as u32), |(index, _)| *index).ok()?;
    Some(provenance[place].1)
}

fn kinds<T: AsRef<[u8]>>(tail: &Tail<'_, T>) -> Result<Option<Vec<Kind>>> {
    let reader = tail.format.reader();
    if reader.telling().is_none() {
        return Ok(None);
    }
    let mut tape = Tape::new();
    let kind = |model: &T| {
        let value = object(&mut tape, model.as_ref(), 0)?;
        Ok(Kind { role: reader.role(value), provenance: reader.provenance(value), said: None })
    };
    tail.models.iter().map(kind).collect::<Result<Vec<Kind>>>().map(Some)
}
