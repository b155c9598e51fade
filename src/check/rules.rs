//! The rules: what a request must not contain, one type each.

use super::{At, Element, ElementKind, FaultRule, Finding, Fix, Problem, ProblemCode, Saying, View};
use crate::convert::is_plain;
use crate::fingerprint;
use crate::message::{Provenance, Role};
use crate::outline::LinkKind;
use crate::profile::{Nothing, Place};
use crate::window::Side;
use std::collections::{HashMap, HashSet, VecDeque};

/// What a result says that stands for none.
pub const NO_RESULT: &str = "No result was recorded for this call.";

/// What the user says in front of a conversation that the model begins.
pub const OPENING: &str = "(The beginning of this conversation is missing.)";

fn finding(code: ProblemCode, index: usize, id: Option<String>, message: String, fix: Fix) -> Finding {
    Finding { problem: Problem { code, index: index as u32, id, message }, fix }
}

fn whole(message: usize) -> At {
    At { message: message as u32, item: None }
}

// ------------------------------------------------------------------------------------------------------- calls, results

/// Messages of the model that belong together when results are looked for, and what stands behind them.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The last of its messages.
    pub last: u32,
    /// The last message behind it that holds its results in their place; `last` where there is none.
    pub end: u32,
    /// In that message, how many elements of the list come up to the last such result.
    pub end_items: u32,
    /// Something comes after the results.
    pub follows: bool,
}

/// The turns of a transcript; for each message the turn it belongs to; for each link of a result the turn behind which it
/// stands in its place.
pub struct Turns {
    /// The turns, in their order.
    pub all: Vec<Turn>,
    of_message: Vec<Option<u32>>,
    behind: Vec<Option<u32>>,
}

/// Finds the turns of a transcript.
pub fn turns(view: &View<'_>) -> Turns {
    let place = view.profile().results;
    let joins = matches!(place, Place::BehindTurn | Place::NextTurn | Place::After);
    let mut turns =
        Turns { all: Vec::new(), of_message: vec![None; view.len()], behind: vec![None; view.outline.links.len()] };
    let mut open = false;
    for index in 0..view.len() {
        let shape = view.shape(index);
        let model = shape.role == Role::Assistant;
        if joins && view.is_aside(index) && place != Place::After && !shape.has_calls {
            continue;
        }
        if !(model || shape.has_calls) {
            open = false;
            continue;
        }
        if !(open && joins && model) {
            let last = index as u32;
            turns.all.push(Turn { last, end: last, end_items: 0, follows: false });
        }
        open = model;
        let number = turns.all.len() - 1;
        let turn = &mut turns.all[number];
        (turn.last, turn.end) = (index as u32, index as u32);
        turns.of_message[index] = Some(number as u32);
    }
    for number in 0..turns.all.len() {
        let until = turns.all.get(number + 1).map_or(view.len(), |_| next_start(&turns, number + 1));
        turns.look_behind(view, place, number, until);
    }
    turns
}

/// The first message of a turn.
fn next_start(turns: &Turns, number: usize) -> usize {
    let after = turns.all[number - 1].last as usize + 1;
    (after..turns.of_message.len()).find(|&index| turns.of_message[index].is_some()).unwrap_or(turns.of_message.len())
}

impl Turns {
    /// Takes in the results that stand in their place, up to where the next turn starts.
    fn look_behind(&mut self, view: &View<'_>, place: Place, number: usize, until: usize) {
        let start = self.all[number].last as usize + 1;
        let mut in_place = true;
        for index in start..until {
            let shape = view.shape(index);
            let skipped = place != Place::BehindMessage && place != Place::After && view.is_aside(index);
            if skipped {
                continue;
            }
            if !in_place {
                self.all[number].follows = true;
                break;
            }
            if matches!(place, Place::BehindMessage | Place::After) && !(shape.role == Role::Tool || shape.only_results)
            {
                self.all[number].follows = true;
                break;
            }
            in_place = self.take_results(view, place, number, index);
        }
        self.all[number].follows |= until < view.len();
    }

    /// Takes in the results of one message; false when something else came before its end.
    fn take_results(&mut self, view: &View<'_>, place: Place, number: usize, index: usize) -> bool {
        let mut of_result: Option<Option<u32>> = None;
        let mut clean = true;
        for element in view.elements(index) {
            let result = matches!(element.kind, ElementKind::Result | ElementKind::Answer);
            // What is inside a result belongs to it; a result may be the whole message.
            let other = matches!(element.kind, ElementKind::Summary | ElementKind::Other);
            let inside = other && (of_result == Some(None) || of_result == Some(element.item));
            if result && (clean || place == Place::NextTurn) {
                of_result = Some(element.item);
                self.behind[element.link.expect("results are linked") as usize] = Some(number as u32);
                let turn = &mut self.all[number];
                (turn.end, turn.end_items) = (index as u32, element.item.map_or(0, |item| item + 1));
            } else if !inside {
                clean = false;
                self.all[number].follows = true;
            }
        }
        clean || place == Place::NextTurn
    }
}

/// Every result has its call and stands where the provider looks for it; every call has its result.
pub struct Results;

impl FaultRule for Results {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        let turns = turns(view);
        let places = view.places();
        let calls = call_elements(view);
        let pairing = &view.pairing;
        let turn_of = |call: u32| turns.of_message[view.outline.links[call as usize].message as usize];
        let early = self.orphans(view, &places, &turn_of, found);
        for pair in pairing.pairs.iter().chain(&pairing.answers) {
            let at = places[pair.result_link as usize];
            let turn = turns.of_message[pair.call as usize];
            let hosted = view.outline.links[pair.call_link as usize].kind == LinkKind::HostedCall;
            let inside = calls[pair.call_link as usize].is_some_and(|call| call.inside);
            let free = hosted || inside || matches!(view.profile().results, Place::After | Place::Inside);
            // Frameworks keep what the provider ran in the message that called it.
            let same = pair.call == pair.result && view.profile().results == Place::BehindMessage;
            let Some(turn) = turn.filter(|_| !free && !same) else { continue };
            if turns.behind[pair.result_link as usize] == Some(turn) {
                continue;
            }
            let id = view.id(pair.result_link);
            let message = format!("the result of {id:?} does not directly follow its call in message {}", pair.call);
            let fix = Fix::Place { at, call: pair.call_link, turn };
            found.push(finding(ProblemCode::MisplacedResult, at.message as usize, Some(id), message, fix));
        }
        let open_from = open_from(view);
        for call in pairing.unanswered().chain(pairing.requests_without_answer()) {
            if early.contains(&call.link) {
                continue;
            }
            let inside = calls[call.link as usize].is_some_and(|element| element.inside);
            // Nothing can answer a request that names neither itself nor its call.
            let request = calls[call.link as usize].is_none();
            let named = view.outline.links[call.link as usize].has_id && view.profile().results == Place::After;
            let mute = request && !named;
            let index = call.message as usize;
            let Some(turn) = turns.of_message[index] else { continue };
            let in_flight = match view.profile().results {
                Place::After => index >= open_from,
                Place::Inside => index + 1 == view.len(),
                _ => !turns.all[turn as usize].follows,
            };
            // A request that was acted on waits no more.
            if in_flight && !pairing.was_used(call.link) {
                continue;
            }
            let id = view.id(call.link);
            let message = format!("the call {id:?} has no result, and the conversation went on");
            let fix = match view.profile().results {
                Place::Inside => Fix::Close { call: call.link },
                _ if inside || mute => Fix::Drop(places[call.link as usize]),
                _ => Fix::Answer { call: call.link, turn },
            };
            found.push(finding(ProblemCode::UnansweredCall, index, Some(id), message, fix));
        }
    }
}

impl Results {
    /// The first result of an id answers it: a later one that has no call is a second one. Gives the calls whose result
    /// stands before them.
    fn orphans(
        &self,
        view: &View<'_>,
        places: &[At],
        turn_of: &dyn Fn(u32) -> Option<u32>,
        found: &mut Vec<Finding>,
    ) -> HashSet<u32> {
        let mut waiting: HashMap<u32, VecDeque<u32>> = HashMap::new();
        for call in view.pairing.unanswered() {
            waiting.entry(call.id).or_default().push_back(call.link);
        }
        let mut early = HashSet::new();
        let pairing = &view.pairing;
        let mut orphans = vec![false; view.outline.links.len()];
        pairing.orphans.iter().for_each(|orphan| orphans[orphan.link as usize] = true);
        let mut answered = vec![false; view.outline.ids.len()];
        for (link, of) in view.outline.links.iter().enumerate().filter(|(_, link)| !link.is_call()) {
            let link = link as u32;
            if !orphans[link as usize] {
                answered[of.id as usize] = true;
                continue;
            }
            let (id, at) = (view.id(link), places[link as usize]);
            let later = |calls: &mut VecDeque<u32>| calls.front().copied().filter(|&call| call > link);
            let call = waiting.get_mut(&of.id).filter(|_| of.kind == LinkKind::Result).and_then(later);
            if let Some((call, turn)) = call.and_then(|call| Some((call, turn_of(call)?))) {
                waiting.get_mut(&of.id).and_then(VecDeque::pop_front);
                early.insert(call);
                let message = format!("the result of {id:?} stands in front of its call");
                let fix = Fix::Place { at, call, turn };
                found.push(finding(ProblemCode::MisplacedResult, at.message as usize, Some(id), message, fix));
                continue;
            }
            let known = of.kind != LinkKind::Result || answered[of.id as usize];
            if !known && behind_reference(view, at.message as usize) {
                continue;
            }
            let (code, message) = match (of.kind, answered[of.id as usize]) {
                (LinkKind::Granted | LinkKind::Denied, true) => {
                    (ProblemCode::DuplicateResult, format!("the approval {id:?} is answered already"))
                }
                (LinkKind::Granted | LinkKind::Denied, false) => {
                    (ProblemCode::OrphanResult, format!("the answer to the approval {id:?} has no request before it"))
                }
                (_, true) => (ProblemCode::DuplicateResult, format!("the call {id:?} has a result already")),
                (_, false) => (ProblemCode::OrphanResult, format!("the result of {id:?} has no call before it")),
            };
            found.push(finding(code, at.message as usize, Some(id), message, Fix::Drop(at)));
        }
        early
    }
}

/// Whether a reference stands in front of the results of which this message is one: it may stand for the call.
fn behind_reference(view: &View<'_>, index: usize) -> bool {
    let before = (0..index).rev().find(|&before| view.shape(before).role != Role::Tool);
    view.has_references && before.is_some_and(|before| view.message(before).is_reference)
}

/// For each link, the call that it is of.
fn call_elements<'v>(view: &'v View<'_>) -> Vec<Option<&'v Element>> {
    let mut calls = vec![None; view.outline.links.len()];
    for element in (0..view.len()).flat_map(|index| view.elements(index)) {
        if let (ElementKind::Call, Some(link)) = (element.kind, element.link) {
            calls[link as usize] = Some(element);
        }
    }
    calls
}

/// Where what is still in flight begins, when results may come anywhere: the last run of calls and the reasoning that led to
/// them, with nothing but results behind it.
fn open_from(view: &View<'_>) -> usize {
    let results = (0..view.len()).rev().take_while(|&index| view.shape(index).role == Role::Tool).count();
    let calls = |index: usize| {
        let asks = view.elements(index).iter().any(|element| element.kind == ElementKind::Request);
        view.shape(index).has_calls || view.shape(index).only_reasoning || asks
    };
    let open = (0..view.len() - results).rev().take_while(|&index| calls(index)).count();
    view.len() - results - open
}

/// Every call has an id, and no two of those that are open at the same time have the same.
pub struct CallIds;

impl FaultRule for CallIds {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        let links = &view.outline.links;
        // For each link, its partner in a pair.
        let mut partner = vec![None; links.len()];
        for pair in &view.pairing.pairs {
            partner[pair.call_link as usize] = Some(pair.result_link);
            partner[pair.result_link as usize] = Some(pair.call_link);
        }
        let known: HashSet<String> = view.outline.ids.texts().collect();
        let profile = view.profile();
        let mut ids = NewIds::beside(known);
        let mut stem_of: Option<(usize, String)> = None;
        // Open calls by id, and the turn and step that they are of: where one is answered before the next, the next begins anew.
        let mut open: Vec<Option<(Option<u32>, u32)>> = vec![None; view.outline.ids.len()];
        let turns = turns(view);
        let calls = (0..view.len()).flat_map(|index| view.elements(index).iter().map(move |e| (index, e)));
        for (index, element) in calls {
            let Some(link) = element.link else { continue };
            let turn = match view.profile().results {
                Place::After => None,
                Place::Inside => Some(index as u32),
                _ => turns.of_message[index],
            };
            if element.kind == ElementKind::Result && view.profile().results != Place::Inside {
                if let Some(call) = partner[link as usize].filter(|_| !profile.unique_ids) {
                    open[links[call as usize].id as usize] = None;
                }
                continue;
            }
            let of = &links[link as usize];
            if element.kind != ElementKind::Call || of.kind == LinkKind::HostedCall {
                continue;
            }
            let missing = element.wants_id && !element.has_id && !view.profile().pairs_by_name;
            let before = open[of.id as usize];
            if of.has_id && !missing {
                // What has no result stays open in all steps of its message.
                let step = if partner[link as usize].is_some() { element.step } else { u32::MAX };
                open[of.id as usize] = Some((turn, step));
            }
            let beside = |(of, step): (Option<u32>, u32)| of == turn && step >= element.step;
            let twice = of.has_id && !missing && before.is_some_and(|before| profile.unique_ids || beside(before));
            let refused = profile.plain_ids && of.has_id && !missing && !view.id(link).chars().all(is_plain);
            if !missing && !twice && !refused {
                continue;
            }
            let (code, message, id, stem) = if missing {
                // One print for all the calls of a message.
                if stem_of.as_ref().is_none_or(|(of, _)| *of != index) {
                    let print = fingerprint::text(view.messages[index]).to_string();
                    stem_of = Some((index, format!("call_{}", &print[..16])));
                }
                let stem = stem_of.as_ref().map_or_else(String::new, |(_, stem)| stem.clone());
                let message = format!("a call in message {index} has no id");
                (ProblemCode::MissingId, message, None, stem)
            } else if refused {
                let id = view.id(link);
                let stem = id.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
                let message = format!("the id {id:?} has characters that the provider refuses");
                (ProblemCode::BadMember, message, Some(id), stem)
            } else {
                let id = view.id(link);
                let when = if profile.unique_ids { "" } else { " that are open at the same time" };
                let message = format!("the id {id:?} stands for two calls{when}");
                (ProblemCode::DuplicateId, message, Some(id.clone()), id)
            };
            // The same in every run, so that a provider's cache of the prompt survives.
            let new = ids.of(&stem);
            let links = std::iter::once(link).chain(partner[link as usize]).collect();
            found.push(finding(code, index, id, message, Fix::Rename { links, id: new }));
        }
    }
}

/// New ids, each by a stem and the next number that is free.
pub(crate) struct NewIds {
    known: HashSet<String>,
    next: HashMap<String, u32>,
    given: HashSet<String>,
}

impl NewIds {
    /// None of which is known already.
    pub(crate) fn beside(known: HashSet<String>) -> NewIds {
        NewIds { known, next: HashMap::new(), given: HashSet::new() }
    }

    /// The next one with this stem.
    pub(crate) fn of(&mut self, stem: &str) -> String {
        let next = self.next.entry(stem.into()).or_insert(2);
        loop {
            let id = format!("{stem}_{next}");
            *next += 1;
            if !self.known.contains(id.as_str()) && self.given.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// No item id stands twice.
pub struct ItemIds;

impl FaultRule for ItemIds {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        let ids = || (0..view.len()).filter_map(|index| Some((index, view.message(index).item_id.as_deref()?)));
        let known: HashSet<String> = ids().map(|(_, id)| id.to_owned()).collect();
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut new_ids = NewIds::beside(known);
        for (index, id) in ids() {
            let Some(&first) = seen.get(id) else {
                seen.insert(id, index);
                continue;
            };
            let linked = view.elements(index).iter().any(|element| element.link.is_some());
            let fix = if view.messages[index] == view.messages[first] && !linked {
                Fix::Drop(whole(index))
            } else {
                Fix::RenameItem { message: index as u32, id: new_ids.of(id) }
            };
            let message = format!("item {index} has the id {id:?} of item {first}");
            found.push(finding(ProblemCode::DuplicateId, index, Some(id.into()), message, fix));
        }
    }
}

// ----------------------------------------------------------------------------------------------------------- reasoning

fn is_reasoning(element: &Element) -> bool {
    matches!(element.kind, ElementKind::Reasoning { .. })
}

/// Reasoning items are followed by what they led to.
pub struct ReasoningOrphan;

impl FaultRule for ReasoningOrphan {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        let mut led_to = false;
        for index in (0..view.len()).rev() {
            let shape = view.shape(index);
            if !shape.only_reasoning {
                // What a reference stands for cannot be known.
                led_to = shape.role == Role::Assistant || view.message(index).is_reference;
            } else if !led_to {
                let message = format!("the reasoning in message {index} is not followed by what it led to");
                found.push(finding(ProblemCode::ReasoningOrphan, index, None, message, Fix::Drop(whole(index))));
            }
        }
    }
}

/// Reasoning has its signature.
pub struct UnsignedReasoning;

impl FaultRule for UnsignedReasoning {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        for index in 0..view.len() {
            let refused = |e: &&Element| e.kind == ElementKind::Reasoning { refused: true };
            for element in view.elements(index).iter().filter(refused) {
                let message = format!("reasoning in message {index} has no signature; it cannot be sent back");
                let fix = Fix::Drop(At { message: index as u32, item: element.item });
                found.push(finding(ProblemCode::UnsignedReasoning, index, None, message, fix));
            }
        }
    }
}

/// The runs of the model's messages, system text in between apart.
fn replies(view: &View<'_>) -> Vec<Vec<usize>> {
    let mut replies: Vec<Vec<usize>> = Vec::new();
    let mut open = false;
    let joins = matches!(view.profile().results, Place::BehindTurn | Place::NextTurn);
    for index in 0..view.len() {
        if view.shape(index).role != Role::Assistant {
            open &= joins && view.is_aside(index);
            continue;
        }
        match replies.last_mut().filter(|_| open && joins) {
            Some(reply) => reply.push(index),
            None => replies.push(vec![index]),
        }
        open = true;
    }
    replies
}

/// In a message, reasoning stands in front of the calls that it led to; a reply does not end with it.
pub struct ReasoningFirst;

impl FaultRule for ReasoningFirst {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        for reply in replies(view) {
            let last_words = reply.iter().rev().find(|&&index| !view.elements(index).is_empty()).copied();
            let only = reply.iter().all(|&index| view.elements(index).iter().all(is_reasoning));
            for &index in &reply {
                let elements = view.elements(index);
                // What is put first leads; reasoning between later steps stays between them, as it was signed.
                let mut reasoning: Vec<u32> =
                    elements.iter().filter(|e| is_reasoning(e)).filter_map(|e| e.item).collect();
                let (Some(first), Some(last)) = (elements.first(), elements.last()) else { continue };
                let calls = elements.iter().any(|e| e.kind == ElementKind::Call && !e.inside);
                let ends = Some(index) == last_words && is_reasoning(last) && !only;
                if reasoning.is_empty() || !(ends || (calls && !is_reasoning(first))) {
                    continue;
                }
                if !ends {
                    let run = reasoning.windows(2).take_while(|pair| pair[1] == pair[0] + 1).count() + 1;
                    reasoning.truncate(run);
                }
                if elements.iter().all(is_reasoning) {
                    let message = format!("the reply ends with the reasoning in message {index}, which led to nothing");
                    found.push(finding(ProblemCode::ReasoningOrphan, index, None, message, Fix::Drop(whole(index))));
                } else {
                    let message = format!("the reasoning in message {index} stands behind what it led to");
                    let fix = Fix::Front { message: index as u32, items: reasoning };
                    found.push(finding(ProblemCode::MisplacedReasoning, index, None, message, fix));
                }
            }
        }
    }
}

/// A reply is more than reasoning.
pub struct OnlyReasoning;

impl FaultRule for OnlyReasoning {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        for reply in replies(view) {
            let says = |element: &Element| !is_reasoning(element) && element.kind != ElementKind::Text(Saying::Nothing);
            let elements = || reply.iter().flat_map(|&index| view.elements(index));
            if elements().any(says) || !elements().any(is_reasoning) {
                continue;
            }
            for &index in &reply {
                let message = format!("message {index} is nothing but reasoning");
                found.push(finding(ProblemCode::ReasoningOnly, index, None, message, Fix::Drop(whole(index))));
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ contents

/// No text among other parts is blank.
pub struct BlankText;

impl FaultRule for BlankText {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        for index in (0..view.len()).filter(|&index| !says_nothing(view, index) && !view.is_silent(index)) {
            for element in view.elements(index) {
                let blank = matches!(element.kind, ElementKind::Text(Saying::Nothing | Saying::Blank));
                if !blank || element.item.is_none() {
                    continue;
                }
                let message = format!("a text in message {index} is blank");
                let fix = Fix::Drop(At { message: index as u32, item: element.item });
                found.push(finding(ProblemCode::EmptyMessage, index, None, message, fix));
            }
        }
    }
}

fn says_nothing(view: &View<'_>, index: usize) -> bool {
    let most = match view.profile().nothing {
        Nothing::NoParts => return view.elements(index).is_empty(),
        Nothing::NoText => Saying::Nothing,
        Nothing::Blank => Saying::Blank,
    };
    view.elements(index).iter().all(|element| matches!(element.kind, ElementKind::Text(said) if said <= most))
}

/// A message says something.
pub struct Empty;

impl FaultRule for Empty {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        for index in 0..view.len() {
            let shape = view.shape(index);
            // A reply that is about to be written may be empty as yet.
            let about_to = view.profile().may_end_empty
                && index + 1 == view.len()
                && shape.role == Role::Assistant
                && view.elements(index).is_empty();
            if shape.role == Role::Other || about_to || !says_nothing(view, index) {
                continue;
            }
            let message = format!("message {index} says nothing");
            found.push(finding(ProblemCode::EmptyMessage, index, None, message, Fix::Drop(whole(index))));
        }
    }
}

/// Members are as the provider takes them.
pub struct Form;

impl FaultRule for Form {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        for index in 0..view.len() {
            for (key, value) in &view.message(index).members {
                let message = format!("{key} of message {index} is not as the provider takes it");
                let fix = Fix::Member { message: index as u32, key, value: value.clone() };
                found.push(finding(ProblemCode::BadMember, index, None, message, fix));
            }
            for form in &view.message(index).forms {
                let key = form.path.last().copied().unwrap_or_default();
                let message = format!("{key} of a call or result in message {index} is not as the provider takes it");
                let id = view.outline.links[form.link as usize].has_id.then(|| view.id(form.link));
                found.push(finding(ProblemCode::BadMember, index, id, message, Fix::Form(form.clone())));
            }
        }
    }
}

// --------------------------------------------------------------------------------------------------------------- roles

/// The user begins.
pub struct UserFirst;

impl FaultRule for UserFirst {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        let Some(first) = (0..view.len()).find(|&index| !view.is_silent(index)) else { return };
        // A digest that the provider wrote stands for what the user said first, also with the model's answer behind it.
        let shape = view.shape(first);
        let is_digest = view.elements(first).first().is_some_and(|element| element.kind == ElementKind::Summary);
        if Side::of(shape.role) == Some(Side::User) || shape.provenance == Provenance::Summary || is_digest {
            return;
        }
        let message = format!("message {first} is the first, and not the user's");
        found.push(finding(ProblemCode::WrongFirstRole, first, None, message, Fix::UserBefore(first as u32)));
    }
}

/// User and model take turns.
pub struct Alternation;

impl FaultRule for Alternation {
    fn find(&self, view: &View<'_>, found: &mut Vec<Finding>) {
        let mut last: Option<(usize, Side)> = None;
        for index in 0..view.len() {
            let shape = view.shape(index);
            let side = Side::of(shape.role);
            // Calls and results keep what is around them apart, whoever made them.
            let odd = shape.has_calls && side != Some(Side::Model);
            let Some(side) = side.filter(|_| !odd) else {
                last = last.filter(|_| !shape.has_calls && !shape.has_results);
                continue;
            };
            if let Some((to, _)) = last.filter(|(_, before)| *before == side) {
                let message = format!("messages {to} and {index} are of one side");
                let fix = Fix::Join { to: to as u32, message: index as u32 };
                found.push(finding(ProblemCode::BrokenAlternation, index, None, message, fix));
            }
            last = Some((index, side));
        }
    }
}
