//! Which result answers which call: by id and occurrence.
//!
//! Many back ends use the same ids again on every reply, so an id alone says nothing: a result answers
//! the first unanswered call with its id in the nearest earlier batch. A batch is a run of calls
//! with no result between them. Linear in calls and results.

use crate::message::Role;
use crate::order::sort_by_key;
use crate::outline::Outline;
use std::collections::VecDeque;

/// A call and the result that answers it, as message indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Message of the call.
    pub call: u32,
    /// Message of the result; not before the call's.
    pub result: u32,
}

/// A call without result, or a result without call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loose {
    /// Index of the message.
    pub message: u32,
    /// Index into [`Outline::ids`].
    pub id: u32,
}

/// Pairs of a transcript, and what has no partner.
#[derive(Debug, Clone, Default)]
pub struct Pairing {
    /// All pairs, by result.
    pub pairs: Vec<Pair>,
    /// Results that answer nothing.
    pub orphans: Vec<Loose>,
    /// Unanswered calls that the model has moved on from: they block nothing.
    pub abandoned: Vec<Loose>,
    /// Unanswered calls of the newest batch, with no assistant message after it: a result may still come.
    pub pending: Vec<Loose>,
}

/// Unanswered calls of one id in one batch.
struct Waiting {
    batch: u32,
    calls: VecDeque<u32>,
}

impl Pairing {
    /// Pairs up the calls and results of a transcript.
    pub fn of(outline: &Outline) -> Pairing {
        let mut pairing = Pairing::default();
        let mut waiting: Vec<Vec<Waiting>> = Vec::new();
        waiting.resize_with(outline.ids.len(), Vec::new);
        let mut batch = 0;
        let mut result_since_call = false;
        let mut last_call_of_batch = vec![0];
        for link in &outline.links {
            let of_id = &mut waiting[link.id as usize];
            if !link.result {
                if std::mem::take(&mut result_since_call) {
                    batch += 1;
                    last_call_of_batch.push(link.message);
                }
                last_call_of_batch[batch as usize] = link.message;
                match of_id.last_mut().filter(|w| w.batch == batch) {
                    Some(same) => same.calls.push_back(link.message),
                    None => of_id.push(Waiting { batch, calls: VecDeque::from([link.message]) }),
                }
                continue;
            }
            result_since_call = true;
            let Some(nearest) = of_id.last_mut() else {
                pairing.orphans.push(Loose { message: link.message, id: link.id });
                continue;
            };
            let call = nearest.calls.pop_front().expect("a waiting entry has calls");
            if nearest.calls.is_empty() {
                of_id.pop();
            }
            pairing.pairs.push(Pair { call, result: link.message });
        }
        let last_assistant = outline.shapes.iter().rposition(|shape| shape.role == Role::Assistant);
        for (id, of_id) in waiting.iter().enumerate() {
            for waiting in of_id {
                let moved_on =
                    last_assistant.is_some_and(|last| last as u32 > last_call_of_batch[waiting.batch as usize]);
                let loose = waiting.calls.iter().map(|&message| Loose { message, id: id as u32 });
                if moved_on {
                    pairing.abandoned.extend(loose);
                } else {
                    pairing.pending.extend(loose);
                }
            }
        }
        // Ids were visited in the order of their first use; callers expect the order of the transcript.
        sort_by_key(&mut pairing.abandoned, |loose| loose.message);
        sort_by_key(&mut pairing.pending, |loose| loose.message);
        pairing
    }
}
