//! Legal cuts: where a transcript may be split without tearing what belongs together.
//!
//! Each rule is a small type that looks at one message after the other. It may refuse the cut in front of a message, or
//! bind a message to an earlier one: then no cut between the two is legal, and neither folds without the other. Which rules
//! hold is a matter of the provider: see [`crate::profile`].
//!
//! A bond always ends at the newest message, so the legal cuts are a stack: what a bond forbids lies on its top. Each
//! message costs amortised constant time, however long the transcript is.

use crate::grow::expect;
use crate::message::{Approval, Role};
use crate::outline::{Link, LinkKind, Outline, Shape};
use crate::pairing::{Pairing, Reference};
use crate::profile::Profile;

/// Two messages that are never parted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bond {
    /// The earlier message.
    pub from: u32,
    /// The later one.
    pub to: u32,
}

/// The newest message, as rules see it.
pub struct Seen<'s> {
    /// Its index.
    pub index: u32,
    /// Its shape.
    pub shape: &'s Shape,
    /// The message before it.
    pub before: Option<&'s Shape>,
    /// Its calls and results.
    pub links: &'s [Link],
    /// Messages of the calls that its results answer, in either reading of ids that stand twice.
    pub answered: &'s [u32],
    /// What approvals tie it to.
    pub approvals: &'s [Reference],
    /// It has a result that answers nothing.
    pub orphan: bool,
}

/// What a rule says about the newest message.
pub struct Verdict<'v> {
    index: u32,
    legal: bool,
    bonds: &'v mut Vec<Bond>,
}

impl Verdict<'_> {
    /// No cut in front of this message.
    pub fn refuse(&mut self) {
        self.legal = false;
    }

    /// This message and an earlier one are never parted. (A bond may also end before this message, as long as no cut
    /// between its end and this message was legal.)
    pub fn bind(&mut self, from: u32) {
        if from < self.index {
            self.bonds.push(Bond { from, to: self.index });
        }
    }
}

/// Something that must not be torn.
pub trait CutRule: Send {
    /// Looks at the next message.
    fn see(&mut self, next: &Seen<'_>, verdict: &mut Verdict<'_>);

    /// A bond that holds as long as nothing comes after the newest message.
    fn open(&self) -> Option<Bond> {
        None
    }
}

/// The kept part starts at something that the user or the model said.
#[derive(Default)]
pub struct Starts;

impl CutRule for Starts {
    fn see(&mut self, next: &Seen<'_>, verdict: &mut Verdict<'_>) {
        if !matches!(next.shape.role, Role::User | Role::Assistant) {
            verdict.refuse();
        }
    }
}

/// A call stays with its results, and a result with its call.
#[derive(Default)]
pub struct Pairs;

impl CutRule for Pairs {
    fn see(&mut self, next: &Seen<'_>, verdict: &mut Verdict<'_>) {
        next.answered.iter().for_each(|&call| verdict.bind(call));
    }
}

/// The kept part does not open with a result that answers nothing.
#[derive(Default)]
pub struct Orphans;

impl CutRule for Orphans {
    fn see(&mut self, next: &Seen<'_>, verdict: &mut Verdict<'_>) {
        if next.orphan {
            verdict.refuse();
        }
    }
}

/// A request for leave stays with its call, and its answer with it; what was done by a request or by a call of another tool
/// stays with that.
#[derive(Default)]
pub struct Approvals;

impl CutRule for Approvals {
    fn see(&mut self, next: &Seen<'_>, verdict: &mut Verdict<'_>) {
        next.approvals.iter().for_each(|reference| verdict.bind(reference.from));
    }
}

/// Reasoning written as an item of its own stays with what it led to: the items of the model up to the next one that is not
/// the model's. (OpenAI refuses reasoning without the item after it, and a call without the reasoning before it.)
#[derive(Default)]
pub struct BoundReasoning {
    reasoned: bool,
}

impl CutRule for BoundReasoning {
    fn see(&mut self, next: &Seen<'_>, verdict: &mut Verdict<'_>) {
        let model = next.shape.role == Role::Assistant;
        if model && self.reasoned {
            verdict.bind(next.index - 1);
        }
        self.reasoned = model && (self.reasoned || next.shape.only_reasoning);
    }
}

/// Signed reasoning stays with its tool loop: within a loop that has signed reasoning, the kept part
/// opens with a message that brings its own. (Anthropic refuses a loop whose first assistant message
/// lost the reasoning that led to it.)
#[derive(Default)]
pub struct SignedLoops {
    /// The latest message of the loop that opened with reasoning, once there was a signed one.
    reasoning: Option<u32>,
}

impl CutRule for SignedLoops {
    fn see(&mut self, next: &Seen<'_>, verdict: &mut Verdict<'_>) {
        let shape = next.shape;
        match shape.role {
            Role::User if !shape.has_results => self.reasoning = None,
            Role::Assistant => {
                let follows = self.reasoning.filter(|_| !shape.opens_with_reasoning);
                if let Some(reasoning) = follows {
                    verdict.bind(reasoning);
                }
                if shape.signed > 0 || (self.reasoning.is_some() && shape.opens_with_reasoning) {
                    self.reasoning = Some(next.index);
                }
            }
            _ => {}
        }
    }
}

/// Reasoning that is a message of its own stays with the reply it belongs to: with the message after it where the model goes
/// on, else with the one before it. Alone it would be a reply of nothing but reasoning.
#[derive(Default)]
pub struct LoneReasoning {
    /// The newest message is part of a reply; whether all of that is reasoning.
    reply: Option<Reply>,
    /// Where the reasoning begins that the reply ends with so far.
    trailing: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reply {
    OnlyReasoning,
    More,
}

impl CutRule for LoneReasoning {
    fn see(&mut self, next: &Seen<'_>, verdict: &mut Verdict<'_>) {
        if next.shape.role != Role::Assistant {
            verdict.bonds.extend(self.open());
            *self = LoneReasoning::default();
            return;
        }
        if self.reply == Some(Reply::OnlyReasoning) || self.trailing.is_some() {
            verdict.bind(next.index - 1);
        }
        // A message without parts adds nothing to the reply.
        if next.shape.is_empty && self.reply.is_some() {
            return;
        }
        match (self.reply, next.shape.only_reasoning) {
            (None, true) => self.reply = Some(Reply::OnlyReasoning),
            (Some(Reply::OnlyReasoning), true) => {}
            (Some(Reply::More), true) => self.trailing = self.trailing.or(Some(next.index)),
            (_, false) => (self.reply, self.trailing) = (Some(Reply::More), None),
        }
    }

    fn open(&self) -> Option<Bond> {
        self.trailing.map(|start| Bond { from: start - 1, to: start })
    }
}

/// For each message the bonds that begin and end there, as chains through the list of all bonds.
#[derive(Default)]
struct Chains {
    /// Of each message the latest bond on either side, counted from 1; 0 for none.
    heads: Vec<[u32; 2]>,
    /// Of each bond the next one of the same message on either side.
    links: Vec<[u32; 2]>,
}

impl Chains {
    fn push(&mut self, bond: Bond) {
        let number = self.links.len() as u32 + 1;
        let most = bond.from.max(bond.to) as usize;
        if self.heads.len() <= most {
            self.heads.resize(most + 1, [0; 2]);
        }
        let from = std::mem::replace(&mut self.heads[bond.from as usize][0], number);
        let to = std::mem::replace(&mut self.heads[bond.to as usize][1], number);
        self.links.push([from, to]);
    }

    /// Numbers of the bonds that begin (0) or end (1) at a message.
    fn of(&self, message: u32, side: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.heads.get(message as usize).map_or(0, |heads| heads[side]);
        let some = |number: u32| (number > 0).then(|| number as usize - 1);
        std::iter::successors(some(first), move |&bond| some(self.links[bond][side]))
    }
}

/// What must not be torn in a transcript, kept message by message.
pub struct Boundaries {
    rules: Vec<Box<dyn CutRule>>,
    legal: Vec<u32>,
    bonds: Vec<Bond>,
    chains: Chains,
    pairing: Pairing,
    /// As the provider pairs, from where that may differ on: nothing is torn in either reading.
    neighbours: Option<Pairing>,
    profile: &'static Profile,
    last: Option<Shape>,
}

impl Boundaries {
    /// Of an empty transcript.
    pub fn new(profile: &'static Profile) -> Boundaries {
        Boundaries {
            rules: (profile.cuts)(),
            legal: Vec::new(),
            bonds: Vec::new(),
            chains: Chains::default(),
            pairing: Pairing::default(),
            neighbours: None,
            profile,
            last: None,
        }
    }

    /// Of a whole transcript.
    pub fn of(outline: &Outline) -> Boundaries {
        let mut boundaries = Boundaries::new(outline.format.reader().profile());
        boundaries.follow(outline, outline.len());
        boundaries
    }

    /// Takes the messages into account that the transcript has gained, up to the one in front of `end`.
    pub fn follow(&mut self, outline: &Outline, end: usize) {
        for index in self.len()..end {
            self.push(outline, index);
        }
    }

    /// Makes room for so many times as many messages.
    pub(crate) fn expect(&mut self, times: f64) {
        expect(&mut self.legal, times);
        expect(&mut self.bonds, times);
        expect(&mut self.chains.heads, times);
        expect(&mut self.chains.links, times);
        self.pairing.expect(times);
    }

    /// Number of messages taken into account.
    pub fn len(&self) -> usize {
        self.last.map_or(0, |shape| shape.index as usize + 1)
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    fn push(&mut self, outline: &Outline, index: usize) {
        let (shape, links) = (&outline.shapes[index], outline.links_of(index));
        let (pairs, orphans, approvals) =
            (self.pairing.pairs.len(), self.pairing.orphans.len(), self.pairing.approvals.len());
        self.pairing.push(self.profile, shape, links);
        let mut answered: Vec<u32> = self.pairing.pairs[pairs..].iter().map(|pair| pair.call).collect();
        if self.neighbours.is_none() && self.pairing.group_matters() {
            // Up to here the two were the same.
            self.neighbours = Pairing::of_neighbours(self.profile).map(|pairing| pairing.up_to(outline, index));
        }
        if let Some(neighbours) = &mut self.neighbours {
            let pairs = neighbours.pairs.len();
            neighbours.push(self.profile, shape, links);
            let others: Vec<u32> = neighbours.pairs[pairs..].iter().map(|pair| pair.call).collect();
            if others != answered {
                answered.extend(others);
            }
        }
        let seen = Seen {
            index: shape.index,
            shape,
            before: self.last.as_ref(),
            links,
            answered: &answered,
            approvals: &self.pairing.approvals[approvals..],
            orphan: self.pairing.orphans.len() > orphans,
        };
        let known = self.bonds.len();
        let mut verdict = Verdict { index: shape.index, legal: true, bonds: &mut self.bonds };
        self.rules.iter_mut().for_each(|rule| rule.see(&seen, &mut verdict));
        let mut legal = verdict.legal;
        for bond in &self.bonds[known..] {
            self.chains.push(*bond);
            legal &= bond.to < shape.index;
            while self.legal.last().is_some_and(|&cut| cut > bond.from) {
                self.legal.pop();
            }
        }
        if legal {
            self.legal.push(shape.index);
        }
        self.last = Some(*shape);
    }

    /// The legal cuts, ascending: a cut at `i` keeps messages `i..`. Index 0 is a cut like others: it keeps everything.
    pub fn legal(&self) -> &[u32] {
        let all = self.legal_but_for_pending();
        let pending = |pairing: &Pairing| pairing.pending().first().map(|call| call.message);
        // A call that may still be answered is not folded away from its result.
        match pending(&self.pairing).into_iter().chain(self.neighbours.as_ref().and_then(pending)).min() {
            Some(call) => up_to(all, call),
            None => all,
        }
    }

    /// The cuts that would be legal if no call waited for its result.
    pub fn legal_but_for_pending(&self) -> &[u32] {
        match self.open().map(|bond| bond.from).min() {
            Some(last) => up_to(&self.legal, last),
            None => &self.legal,
        }
    }

    fn open(&self) -> impl Iterator<Item = Bond> + '_ {
        self.rules.iter().filter_map(|rule| rule.open())
    }

    /// All pairs of messages that are never parted, by the later one.
    pub fn bonds(&self) -> impl Iterator<Item = Bond> + '_ {
        self.bonds.iter().copied().chain(self.open())
    }

    /// The messages that one is never parted from, on either side of it.
    pub fn partners(&self, message: u32) -> impl Iterator<Item = u32> + '_ {
        let later = self.chains.of(message, 0).map(|bond| self.bonds[bond].to);
        let earlier = self.chains.of(message, 1).map(|bond| self.bonds[bond].from);
        let open = self.open().filter_map(move |bond| match message {
            _ if message == bond.from => Some(bond.to),
            _ if message == bond.to => Some(bond.from),
            _ => None,
        });
        later.chain(earlier).chain(open)
    }

    /// Messages from `cut` on that are bound to something in front of it. Nothing is where the cut is legal, which is
    /// mostly so and takes no search.
    pub fn bound_across(&self, cut: u32) -> Vec<u32> {
        if cut == 0 || self.legal_but_for_pending().binary_search(&cut).is_ok() {
            return Vec::new();
        }
        let later = |from: u32| self.chains.of(from, 0).map(|bond| self.bonds[bond].to);
        let open = self.open().filter(|bond| bond.from < cut).map(|bond| bond.to);
        (0..cut).flat_map(later).chain(open).filter(|&to| to >= cut).collect()
    }

    /// [`Pairing::is_whole_from`], in both readings of ids that stand twice.
    pub fn is_whole_from(&self, message: u32, outline: &Outline) -> bool {
        let whole = |pairing: &Pairing| pairing.is_whole_from(message, outline);
        whole(&self.pairing) && self.neighbours.as_ref().is_none_or(whole)
    }

    /// Calls and results.
    pub fn pairing(&self) -> &Pairing {
        &self.pairing
    }
}

fn up_to(cuts: &[u32], last: u32) -> &[u32] {
    &cuts[..cuts.partition_point(|&cut| cut <= last)]
}

impl From<Approval> for LinkKind {
    fn from(step: Approval) -> LinkKind {
        match step {
            Approval::Request => LinkKind::Request,
            Approval::Granted => LinkKind::Granted,
            Approval::Denied => LinkKind::Denied,
            Approval::Use => LinkKind::Use,
        }
    }
}
