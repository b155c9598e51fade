//! Plans made from the end of a transcript, against those made of the whole.

use super::run::{Outcome, Transcript};
use super::wish::Wish;
use crate::ensure;
use plica::message::Provenance;
use plica::plan::{plan_within, Plan, PlanOptions};
use plica::tail::{self, Answer, Tail};
use std::collections::HashMap;

// The shape that a property's strategy gives.
#[allow(clippy::ptr_arg)]
pub fn hold(transcript: &Transcript, wishes: &Vec<Wish>) -> Outcome {
    for wish in wishes {
        let asked = wish.of(transcript)?;
        let whole =
            plan_within(&asked.outline, &asked.boundaries, &asked.options).map_err(|error| error.to_string())?;
        let mut marks: HashMap<u32, Provenance> = HashMap::new();
        marks.extend(asked.marks.iter().copied());
        let mut marks: Vec<(u32, Provenance)> = marks.into_iter().collect();
        marks.sort_unstable_by_key(|(index, _)| *index);
        for first in [1, 4] {
            let Some((plan, _)) = from_the_end(transcript, &asked.options, &marks, first)? else { continue };
            ensure!(plan == whole, "from the end it is {plan:?}, of the whole {whole:?}; {}", asked.words());
        }
    }
    Ok(())
}

/// The plan from as little of the end as it takes, and how many messages that were; none where it takes all.
pub fn from_the_end(
    transcript: &Transcript,
    options: &PlanOptions,
    marks: &[(u32, Provenance)],
    first: usize,
) -> Result<Option<(Plan, usize)>, String> {
    let messages = &transcript.messages;
    let reader = transcript.format.reader();
    let Some(members) = reader.telling() else { return Ok(None) };
    let (mut models, mut known): (Vec<Vec<u8>>, HashMap<String, u8>) = (Vec::new(), HashMap::new());
    let classes: Vec<u8> = transcript
        .values
        .iter()
        .map(|value| {
            let told = members.iter().filter_map(|key| Some((key.to_string(), value.get(*key)?.clone())));
            let told = told.filter(|(_, value)| value.is_string());
            let model = serde_json::Value::Object(told.collect()).to_string();
            *known.entry(model.clone()).or_insert_with(|| {
                models.push(model.into_bytes());
                models.len() as u8 - 1
            })
        })
        .collect();
    let mut take = first;
    let mut others: Vec<(u32, Vec<u8>)> = Vec::new();
    for _ in 0..1000 {
        let front = messages.len().saturating_sub(take);
        if front == 0 {
            return Ok(None);
        }
        others.retain(|(index, _)| (*index as usize) < front);
        let tail = Tail {
            format: transcript.format,
            length: messages.len(),
            messages: &messages[front..],
            others: &others,
            classes: &classes[..front],
            models: &models,
            estimator: Default::default(),
            provenance: marks,
            tokens: None,
        };
        match tail::plan(&tail, options).map_err(|error| error.to_string())? {
            Answer::Plan(plan) => return Ok(Some((plan, take + others.len()))),
            Answer::Read(indices) => {
                ensure!(!indices.is_empty(), "nothing is asked for");
                for index in indices {
                    ensure!((index as usize) < front, "message {index} was read already");
                    ensure!(others.iter().all(|(other, _)| *other != index), "message {index} is asked for twice");
                    others.push((index, messages[index as usize].clone()));
                }
                others.sort_by_key(|(index, _)| *index);
            }
            Answer::More => take *= 2,
            Answer::All => return Ok(None),
        }
    }
    Err("it asks for more without end".into())
}
