//! Turns in the order that the target's provider demands.

use super::turn::{Answer, Piece, Turn};
use super::{Loss, LossCode};
use crate::check::rules::OPENING;
use crate::json::quote;
use crate::message::{Provenance, Role};
use crate::order::sort_by_key;
use crate::profile::{Place, Profile};
use crate::window::Side;

/// Takes out turns that say nothing, puts results behind their calls, and lets the sides take turns.
pub fn arrange<'m>(turns: Vec<Turn<'m>>, profile: &Profile, losses: &mut Vec<Loss>) -> Vec<Turn<'m>> {
    let mut arranged: Vec<Turn<'m>> = Vec::with_capacity(turns.len() * 2);
    for mut turn in turns {
        reasoning_first(&mut turn);
        if turn.pieces.iter().all(|piece| matches!(piece, Piece::Thought(_))) {
            losses.extend(turn.thoughts().map(|thought| Loss {
                code: LossCode::Reasoning,
                index: thought.index,
                message: "reasoning led to nothing that is left".into(),
            }));
            continue;
        }
        let answers = if profile.results == Place::Inside { Vec::new() } else { taken_answers(&mut turn) };
        let (index, provenance) = (turn.index, Provenance::Plain);
        push(turn, profile, &mut arranged);
        if !answers.is_empty() {
            let pieces = answers.into_iter().map(Piece::Answer).collect();
            let results = Turn { role: Role::Tool, provenance, injected_by: None, index, number: 0, pieces };
            push(results, profile, &mut arranged);
        }
    }
    if profile.user_first {
        open(&mut arranged);
    }
    arranged.iter_mut().enumerate().for_each(|(number, turn)| turn.number = number);
    arranged
}

/// Reasoning leads, as providers who sign it want it; between later steps it stays where it is.
fn reasoning_first(turn: &mut Turn<'_>) {
    let thought = |piece: &Piece<'_>| matches!(piece, Piece::Thought(_));
    let leads = turn.pieces.first().is_some_and(thought) && !turn.pieces.last().is_some_and(thought);
    if !leads {
        let (thoughts, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut turn.pieces).into_iter().partition(thought);
        turn.pieces = thoughts;
        turn.pieces.extend(rest);
    }
}

/// The answers of a turn's calls, in the order that they had.
fn taken_answers<'m>(turn: &mut Turn<'m>) -> Vec<Answer<'m>> {
    let take = |piece: &mut Piece<'m>| match piece {
        Piece::Call(call) => call.answer.take(),
        _ => None,
    };
    let mut answers: Vec<Answer<'m>> = turn.pieces.iter_mut().filter_map(take).collect();
    sort_by_key(&mut answers, |answer| answer.order);
    answers
}

/// Where sides take turns, two of one side are one.
fn push<'m>(turn: Turn<'m>, profile: &Profile, arranged: &mut Vec<Turn<'m>>) {
    let side = Side::of(turn.role);
    match arranged.last_mut().filter(|last| profile.alternates && Side::of(last.role) == side) {
        Some(last) => last.pieces.extend(turn.pieces),
        None => arranged.push(turn),
    }
}

/// The user begins, in words that a program put in.
fn open(turns: &mut Vec<Turn<'_>>) {
    let first = turns.iter().position(|turn| turn.role != Role::System);
    if let Some(first) = first.filter(|&first| turns[first].role == Role::Assistant) {
        let pieces = vec![Piece::Text(quote(OPENING).into())];
        let (index, provenance) = (turns[first].index, Provenance::Injected);
        turns.insert(first, Turn { role: Role::User, provenance, injected_by: None, index, number: 0, pieces });
    }
}
