//! Plans, against a slow and simple one: the cuts one by one, the units by walking bonds until nothing is new.

use super::run::{about, texts, Outcome, Transcript};
use super::wish::{Asked, Wish};
use crate::ensure;
use plica::message::{Provenance, Role};
use plica::outline::{Outline, Reading, Shape};
use plica::plan::{plan, plan_within, FoldPlan, KeptReason, NonePlan, NoneReason, Plan, PlanOptions};
use plica::window::{explain, measure, Fate, Span};
use serde_json::Value;

pub fn hold(transcript: &Transcript, wishes: &Vec<Wish>) -> Outcome {
    for wish in wishes {
        let asked = wish.of(transcript)?;
        let answer =
            plan_within(&asked.outline, &asked.boundaries, &asked.options).map_err(|error| error.to_string())?;
        let outcome = one(transcript, &asked, &answer);
        outcome.map_err(about("options", asked.words())).map_err(about("plan", format!("{answer:?}")))?;
    }
    Ok(())
}

fn one(transcript: &Transcript, asked: &Asked, answer: &Plan) -> Outcome {
    match answer {
        Plan::Fold(fold) => {
            adds_up(asked, fold)?;
            explains(asked, fold)?;
        }
        Plan::None(none) => none_adds_up(asked, none)?,
    }
    is_the_slow_one(asked, answer)?;
    more_budget_keeps_more(asked)?;
    again(transcript, asked, answer)?;
    prefix_texts_do_not_matter(transcript, asked, answer)
}

fn budget(options: &PlanOptions) -> f64 {
    options.tail_budget * (1.0 - options.margin)
}

fn over(options: &PlanOptions, tokens: u64) -> bool {
    tokens as f64 > budget(options)
}

fn tokens(outline: &Outline, indices: impl Iterator<Item = usize>) -> u64 {
    indices.map(|index| outline.shapes[index].tokens).sum()
}

fn adds_up(asked: &Asked, fold: &FoldPlan) -> Outcome {
    let Asked { outline, boundaries, options, .. } = asked;
    let (prefix, cut, n) = (fold.prefix_end as usize, fold.kept_from as usize, outline.len());
    ensure!(
        prefix <= cut && cut <= n && fold.length as usize == n,
        "prefixEnd ≤ keptFrom ≤ {n} = length does not hold"
    );
    ensure!(prefix == prefix_end(asked), "prefixEnd is not {}", prefix_end(asked));
    ensure!(fold.kept.windows(2).all(|pair| pair[0] < pair[1]), "kept does not ascend");
    ensure!(fold.kept.iter().all(|&index| (prefix..cut).contains(&(index as usize))), "kept is not inside the span");
    ensure!(fold.kept.len() == fold.kept_reasons.len(), "not one reason for each kept message");
    let kept = tokens(outline, fold.kept.iter().map(|&index| index as usize));
    let sums = (tokens(outline, 0..prefix), kept, tokens(outline, cut..n));
    ensure!((fold.tokens.prefix, fold.tokens.kept, fold.tokens.tail) == sums, "tokens are not {sums:?}");
    ensure!(fold.over_budget == over(options, sums.2), "overBudget is wrong for a tail of {} tokens", sums.2);
    ensure!(fold.over_budget || fold.clips.is_empty(), "clips are offered for a tail that fits");
    let waiting: Vec<String> = boundaries.pairing().pending().iter().map(|call| outline.ids.text(call.id)).collect();
    ensure!(fold.pending == waiting, "pending is not {waiting:?}");
    let signed: u32 = outline.shapes[cut..].iter().map(|shape| shape.signed).sum();
    ensure!(fold.signed_in_tail == signed, "signedInTail is not {signed}");
    let span = Span::of(fold);
    span.check_units(outline, boundaries).map_err(|error| format!("the plan is refused: {error}"))?;
    let sizes = measure(outline, &span).map_err(|error| error.to_string())?;
    let folded = tokens(outline, span.folded());
    ensure!((sizes.prefix, sizes.kept, sizes.tail) == sums && sizes.folded == folded, "measured otherwise: {sizes:?}");
    let total = tokens(outline, 0..n);
    ensure!(sizes.total == total && total == sums.0 + sums.1 + sums.2 + folded, "a total of {total}, not {sizes:?}");
    ensure!(sizes.folded_messages as usize == span.folded().count(), "{} messages fold", span.folded().count());
    Ok(())
}

fn none_adds_up(asked: &Asked, none: &NonePlan) -> Outcome {
    let Asked { outline, options, .. } = asked;
    let (n, prefix) = (outline.len(), prefix_end(asked));
    ensure!(none.length as usize == n && none.total == tokens(outline, 0..n), "length or total is wrong");
    let digest = |&index: &usize| outline.shapes[index].provenance == Provenance::Summary;
    let start = prefix + (prefix..n).take_while(digest).count();
    let rest = tokens(outline, start..n);
    ensure!(none.over_budget == over(options, rest), "overBudget is wrong for {rest} tokens behind the prefix");
    ensure!(none.over_budget || none.clips.is_empty(), "clips are offered for what fits");
    Ok(())
}

/// One entry for each message, with the fate that the plan has for it.
fn explains(asked: &Asked, fold: &FoldPlan) -> Outcome {
    let span = Span::of(fold);
    let entries = explain(&asked.outline, &asked.boundaries, &span).map_err(|error| error.to_string())?;
    ensure!(entries.len() == asked.outline.len(), "{} entries explain {} messages", entries.len(), asked.outline.len());
    for (index, entry) in entries.iter().enumerate() {
        let fate = if index < fold.prefix_end as usize {
            Fate::Prefix
        } else if index >= fold.kept_from as usize {
            Fate::Tail
        } else if fold.kept.contains(&(index as u32)) {
            Fate::Kept
        } else {
            Fate::Folded
        };
        ensure!(entry.index as usize == index && entry.fate == fate, "message {index} is {fate:?}, not {entry:?}");
        ensure!(!entry.reason.is_empty(), "no reason for message {index}");
    }
    Ok(())
}

fn prefix_end(asked: &Asked) -> usize {
    let leads = |shape: &&Shape| {
        let standing = matches!(shape.provenance, Provenance::Instructions | Provenance::Memory);
        shape.role == Role::System || (shape.role == Role::User && standing)
    };
    let n = asked.outline.len();
    asked.outline.shapes.iter().take_while(leads).count().max(asked.options.prefix as usize).min(n)
}

/// What a user said: no injection, no digest, no bare results.
fn is_request(shape: &Shape) -> bool {
    let said = matches!(shape.provenance, Provenance::Plain | Provenance::Steer);
    shape.role == Role::User && said && !shape.only_results
}

/// What the slow planner says.
#[derive(Debug, PartialEq)]
enum Slow {
    Cut(usize),
    None(NoneReason),
}

fn is_the_slow_one(asked: &Asked, answer: &Plan) -> Outcome {
    let (slow, kept) = slow(asked);
    let fast = match answer {
        Plan::Fold(fold) => Slow::Cut(fold.kept_from as usize),
        Plan::None(none) => Slow::None(none.reason),
    };
    // Messages that keep others apart are not for the slow one to find; they may be all that was left to fold.
    let apart = |index: usize| {
        let shape = &asked.outline.shapes[index];
        let summary = shape.provenance == Provenance::Summary;
        summary || kept.contains(&index) || (shape.role == Role::User && !shape.has_results)
    };
    let nothing = |fast: &Slow| matches!(fast, Slow::None(NoneReason::NothingToFold | NoneReason::OnlyExistingSummary));
    let nothing_else = matches!(slow, Slow::Cut(cut) if nothing(&fast) && (prefix_end(asked)..cut).all(apart));
    ensure!(fast == slow || nothing_else, "{fast:?}, but looked up one by one {slow:?}");
    let Plan::Fold(fold) = answer else { return Ok(()) };
    for &index in &kept {
        ensure!(fold.kept.contains(&(index as u32)), "message {index} must stay, and is not kept");
    }
    for (&index, &reason) in fold.kept.iter().zip(&fold.kept_reasons) {
        let shape = &asked.outline.shapes[index as usize];
        let apart = reason == KeptReason::Unit && shape.role == Role::User && !shape.has_results;
        ensure!(kept.contains(&(index as usize)) || apart, "message {index} is kept without need");
    }
    Ok(())
}

/// The cut, and what stays in front of it.
fn slow(asked: &Asked) -> (Slow, Vec<usize>) {
    let Asked { outline, boundaries, options, .. } = asked;
    let (n, prefix) = (outline.len(), prefix_end(asked));
    let none = |reason| (Slow::None(reason), Vec::new());
    if prefix + 1 >= n {
        return none(NoneReason::NothingToFold);
    }
    let behind =
        |cuts: &[u32]| -> Vec<usize> { cuts.iter().map(|&cut| cut as usize).filter(|&cut| cut > prefix).collect() };
    let legal = behind(boundaries.legal());
    if legal.is_empty() {
        let waits = !behind(boundaries.legal_but_for_pending()).is_empty();
        return none(if waits { NoneReason::PendingCall } else { NoneReason::NoLegalCut });
    }
    let request = |index: &usize| is_request(&outline.shapes[*index]);
    let last = (0..n).rfind(|&index| outline.shapes[index].role == Role::Assistant);
    let waiting = (last.map_or(0, |last| last + 1)..n).find(request);
    let mut allowed: Vec<usize> =
        waiting.map_or_else(Vec::new, |limit| legal.iter().copied().filter(|&cut| cut <= limit).collect());
    if allowed.is_empty() {
        allowed.clone_from(&legal);
    }
    if options.keep_turns > 0 {
        let opens: Vec<usize> =
            (0..n).filter(|index| request(index) && (*index == 0 || !request(&(index - 1)))).collect();
        let turn = opens.len().checked_sub(options.keep_turns as usize).map(|nth| opens[nth]);
        allowed.retain(|&cut| turn.is_some_and(|turn| cut <= turn));
        if allowed.is_empty() {
            return none(NoneReason::NothingToFold);
        }
    }
    let fits = |cut: &usize| !over(options, tokens(outline, *cut..n));
    let choose = |cuts: &[usize]| cuts.iter().copied().find(fits).unwrap_or(cuts[cuts.len() - 1]);
    let cut = choose(&allowed);
    let mut answer = at(asked, prefix, cut);
    if matches!(answer.0, Slow::None(_)) && !fits(&cut) && options.keep_turns == 0 && allowed.len() < legal.len() {
        answer = at(asked, prefix, choose(&legal));
    }
    answer
}

fn at(asked: &Asked, prefix: usize, cut: usize) -> (Slow, Vec<usize>) {
    let kept = units(asked, prefix, cut);
    let folds: Vec<usize> = (prefix..cut).filter(|index| !kept.contains(index)).collect();
    let summary = |index: &usize| asked.outline.shapes[*index].provenance == Provenance::Summary;
    if folds.is_empty() {
        return (Slow::None(NoneReason::NothingToFold), kept);
    }
    if folds.iter().all(summary) {
        return (Slow::None(NoneReason::OnlyExistingSummary), kept);
    }
    (Slow::Cut(cut), kept)
}

/// What stays between prefix and cut: for reasons of its own, or bound to what stays.
fn units(asked: &Asked, prefix: usize, cut: usize) -> Vec<usize> {
    let Asked { outline, boundaries, options, .. } = asked;
    let shapes = &outline.shapes;
    let mut stays = vec![false; cut];
    stays[..prefix].fill(true);
    for index in prefix..cut {
        let standing = matches!(shapes[index].provenance, Provenance::Instructions | Provenance::Memory);
        let system = options.keep_system && shapes[index].role == Role::System;
        stays[index] = standing || system || options.pinned.contains(&(index as u32));
    }
    let requests: Vec<usize> = (0..outline.len()).filter(|&index| is_request(&shapes[index])).collect();
    let task = requests.iter().find(|&&index| index >= prefix).filter(|_| options.anchor_task);
    let latest = requests.last().filter(|_| options.anchor_request);
    for &index in task.into_iter().chain(latest).filter(|&&index| index < cut) {
        stays[index] = true;
    }
    loop {
        let torn = boundaries
            .bonds()
            .map(|bond| (bond.from as usize, bond.to as usize))
            .find(|&(from, to)| to < cut && to >= prefix && stays[from] != stays[to]);
        let Some((from, to)) = torn else { break };
        (stays[from], stays[to]) = (true, true);
    }
    (prefix..cut).filter(|&index| stays[index]).collect()
}

/// A budget of exactly what some tail costs chooses that tail or a larger one; and what is chosen for this budget is the
/// largest of all the tails that any budget chooses and that fit this one.
fn more_budget_keeps_more(asked: &Asked) -> Outcome {
    let Asked { outline, boundaries, options, .. } = asked;
    let n = outline.len();
    let with = |tail_budget: f64| {
        let options = PlanOptions { tail_budget, margin: 0.0, ..options.clone() };
        match plan_within(outline, boundaries, &options).expect("the options are fine") {
            Plan::Fold(fold) => Some(fold),
            Plan::None(_) => None,
        }
    };
    let legal: Vec<usize> = boundaries.legal().iter().map(|&cut| cut as usize).collect();
    let mut accepted = Vec::new();
    for cut in 1..n {
        let tail = tokens(outline, cut..n);
        let Some(fold) = with(tail as f64) else { continue };
        let chosen = fold.kept_from as usize;
        ensure!(legal.contains(&chosen), "with a budget of {tail} it cuts at {chosen}, which is not legal");
        if legal.contains(&cut) && cut > fold.prefix_end as usize {
            ensure!(chosen <= cut, "with a budget of {tail} it cuts at {chosen}, though {cut} fits exactly");
        }
        if accepted.last() != Some(&chosen) {
            accepted.push(chosen);
        }
    }
    // Tails get smaller as the budget does.
    ensure!(accepted.windows(2).all(|pair| pair[0] < pair[1]), "smaller budgets keep more: {accepted:?}");
    let Some(fold) = with(budget(options)) else { return Ok(()) };
    let fits = |cut: &&usize| !over(options, tokens(outline, **cut..n));
    let best = accepted.iter().find(fits).or(accepted.last());
    ensure!(
        best.is_none_or(|&best| best == fold.kept_from as usize),
        "it cuts at {}, of {accepted:?} that other budgets choose",
        fold.kept_from
    );
    Ok(())
}

fn again(transcript: &Transcript, asked: &Asked, answer: &Plan) -> Outcome {
    let reading = Reading { format: Some(transcript.format), provenance: &asked.marks, ..Reading::default() };
    let outline = Outline::read(&transcript.messages, reading).map_err(|error| error.to_string())?;
    let second = plan(&outline, &asked.options).map_err(|error| error.to_string())?;
    ensure!(second == *answer, "the second time it is {second:?}");
    Ok(())
}

/// The same, with other words in front of the prefix's end.
fn prefix_texts_do_not_matter(transcript: &Transcript, asked: &Asked, answer: &Plan) -> Outcome {
    let prefix = prefix_end(asked);
    let mut values = transcript.values.clone();
    values[..prefix].iter_mut().for_each(reword);
    let messages = texts(&values);
    let reading = Reading { format: Some(transcript.format), provenance: &asked.marks, ..Reading::default() };
    let outline = Outline::read(&messages, reading).map_err(|error| error.to_string())?;
    let mut other = plan(&outline, &asked.options).map_err(|error| error.to_string())?;
    match (&mut other, answer) {
        (Plan::Fold(other), Plan::Fold(fold)) => other.tokens.prefix = fold.tokens.prefix,
        (Plan::None(other), Plan::None(none)) => other.total = none.total,
        _ => {}
    }
    ensure!(other == *answer, "with other words in the prefix it is {other:?}");
    Ok(())
}

fn reword(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    // What says nothing is another thing than what says something.
                    Value::String(text) if matches!(key.as_str(), "text" | "content") && !text.trim().is_empty() => {
                        text.push_str(" and more");
                    }
                    value => reword(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(reword),
        _ => {}
    }
}
