//! Transcripts that live in the core, each behind a number.
//!
//! A number, and no object of wasm-bindgen: after a trap the instance is dropped with all of them, and a number with the count
//! of the instance beside it tells the host that it has to give the messages again.

use super::convert::{from_js, parse, thrown, to_js, Answer, OwnReading};
use super::messages::{explained, per_message, slot_number, span_of};
use super::stage::{take, take_lines};
use crate::error::{Error, ErrorCode};
use crate::fingerprint::Fingerprint;
use crate::formats::Format;
use crate::json::Tape;
use crate::ledger::FoldRecord;
use crate::meter::Window;
use crate::plan::{PlanOptions, PlanTokens};
use crate::tokens::Estimator;
use crate::transcript::{Commit, Transcript};
use crate::usage::Usage;
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

#[derive(Default)]
struct Shelf {
    places: Vec<Option<Transcript>>,
    free: Vec<u32>,
}

thread_local! {
    static SHELF: RefCell<Shelf> = RefCell::default();
}

fn put(transcript: Transcript) -> u32 {
    SHELF.with_borrow_mut(|shelf| match shelf.free.pop() {
        Some(place) => {
            shelf.places[place as usize] = Some(transcript);
            place
        }
        None => {
            shelf.places.push(Some(transcript));
            shelf.places.len() as u32 - 1
        }
    })
}

/// Runs `with` on a transcript. What runs calls nothing of the host's.
fn on<T>(place: u32, with: impl FnOnce(&mut Transcript) -> Answer<T>) -> Answer<T> {
    SHELF.with_borrow_mut(|shelf| match shelf.places.get_mut(place as usize) {
        Some(Some(transcript)) => with(transcript),
        _ => Err(thrown(Error::new(ErrorCode::Internal, "there is no such transcript"))),
    })
}

pub(super) fn window_from(window: JsValue) -> Answer<Option<Window>> {
    if window.is_undefined() {
        return Ok(None);
    }
    from_js(window, ErrorCode::BadArgument).map(Some)
}

/// A new transcript; its number.
#[wasm_bindgen(js_name = transcriptNew)]
pub fn transcript_new(format: Option<String>, estimator: Option<String>, window: JsValue) -> Answer<u32> {
    let format = format.as_deref().map(Format::from_name).transpose().map_err(thrown)?;
    let estimator = estimator.as_deref().map_or(Ok(Estimator::default()), Estimator::from_name).map_err(thrown)?;
    Ok(put(Transcript::new(format, estimator, window_from(window)?).map_err(thrown)?))
}

/// Lets a transcript go.
#[wasm_bindgen(js_name = transcriptFree)]
pub fn transcript_free(place: u32) {
    let gone = SHELF.with_borrow_mut(|shelf| {
        let gone = shelf.places.get_mut(place as usize).and_then(Option::take);
        if gone.is_some() {
            shelf.free.push(place);
        }
        gone
    });
    drop(gone);
}

/// Takes in the staged messages; see [`Transcript::append_part`].
#[wasm_bindgen(js_name = transcriptAppend)]
pub fn transcript_append(length: usize, place: u32, reading: JsValue, more: usize) -> Answer<bool> {
    let reading = OwnReading::from_js(reading)?;
    take_lines(length, |lines| {
        on(place, |transcript| transcript.append_part(lines, reading.reading(), more).map_err(thrown))
    })
}

/// See [`Transcript::truncate`].
#[wasm_bindgen(js_name = transcriptTruncate)]
pub fn transcript_truncate(place: u32, length: usize) -> Answer<bool> {
    on(place, |transcript| Ok(transcript.truncate(length)))
}

/// See [`Transcript::fork`].
#[wasm_bindgen(js_name = transcriptFork)]
pub fn transcript_fork(place: u32) -> Answer<u32> {
    let fork = on(place, |transcript| Ok(transcript.fork()))?;
    Ok(put(fork))
}

/// Makes the staged fingerprints, 16 bytes each, known as digests.
#[wasm_bindgen(js_name = transcriptKnow)]
pub fn transcript_know(length: usize, place: u32) -> Answer<()> {
    take(length, |bytes| {
        let prints = bytes.chunks_exact(16).map(|chunk| Fingerprint(chunk.try_into().expect("sixteen bytes")));
        on(place, |transcript| {
            transcript.know(prints);
            Ok(())
        })
    })
}

/// Tokens of the next request.
#[wasm_bindgen(js_name = transcriptTokens)]
pub fn transcript_tokens(place: u32) -> Answer<f64> {
    on(place, |transcript| Ok(transcript.tokens()))
}

/// The format by which it is read.
#[wasm_bindgen(js_name = transcriptFormat)]
pub fn transcript_format(place: u32) -> Answer<String> {
    on(place, |transcript| Ok(transcript.format().name().into()))
}

/// Whether it is time to fold.
#[wasm_bindgen(js_name = transcriptDue)]
pub fn transcript_due(place: u32, at: Option<f64>, window: JsValue) -> Answer<bool> {
    let window = window_from(window)?;
    on(place, |transcript| transcript.due(at, window).map_err(thrown))
}

/// Takes the staged usage figures, a JSON value.
#[wasm_bindgen(js_name = transcriptUsage)]
pub fn transcript_usage(length: usize, place: u32, at: Option<u32>) -> Answer<()> {
    take(length, |text| {
        let mut tape = Tape::new();
        let value = parse(&mut tape, text, ErrorCode::BadArgument).map_err(thrown)?;
        let none =
            || Error::new(ErrorCode::BadArgument, "usage holds no count of input tokens by any name that is known");
        let usage = Usage::read(value).ok_or_else(none).map_err(thrown)?;
        on(place, |transcript| transcript.usage(&usage, at.map(|at| at as usize)).map_err(thrown))
    })
}

/// What was learned and counted; see [`crate::meter::Meter::state`].
#[wasm_bindgen(js_name = transcriptMeter)]
pub fn transcript_meter(place: u32) -> Answer<Vec<f64>> {
    on(place, |transcript| Ok(transcript.meter().state().to_vec()))
}

/// Puts it back.
#[wasm_bindgen(js_name = transcriptSetMeter)]
pub fn transcript_set_meter(place: u32, state: Vec<f64>) -> Answer<()> {
    on(place, |transcript| {
        if let Ok(state) = state.try_into() {
            transcript.meter().set_state(state);
        }
        Ok(())
    })
}

/// Plans the fold of a transcript.
#[wasm_bindgen(js_name = transcriptPlan)]
pub fn transcript_plan(place: u32, options: JsValue) -> Answer<JsValue> {
    let options: PlanOptions = from_js(options, ErrorCode::BadArgument)?;
    on(place, |transcript| to_js(&transcript.plan(&options).map_err(thrown)?))
}

/// The fate of every message under a plan, as [`super::messages::explain`] gives it.
#[wasm_bindgen(js_name = transcriptExplain)]
pub fn transcript_explain(place: u32, plan: JsValue) -> Answer<JsValue> {
    let span = span_of(plan)?;
    on(place, |transcript| explained(&transcript.explain(&span).map_err(thrown)?))
}

/// Measures a plan of a transcript.
#[wasm_bindgen(js_name = transcriptMeasure)]
pub fn transcript_measure(place: u32, plan: JsValue) -> Answer<JsValue> {
    let span = span_of(plan)?;
    on(place, |transcript| to_js(&transcript.measure(&span).map_err(thrown)?))
}

/// The estimate of each message.
#[wasm_bindgen(js_name = transcriptEstimate)]
pub fn transcript_estimate(place: u32) -> Answer<Vec<u32>> {
    on(place, |transcript| Ok(per_message(transcript.outline())))
}

#[derive(Serialize)]
struct JsCommitted {
    record: FoldRecord,
    slots: Vec<i32>,
}

/// Folds; staged are all messages and behind them the `digests` messages of the digest. `tokens` are what the plan says of
/// prefix and tail.
#[wasm_bindgen(js_name = transcriptCommit)]
pub fn transcript_commit(
    length: usize,
    place: u32,
    digests: usize,
    plan: JsValue,
    tokens: Option<Vec<f64>>,
    counts: Option<Vec<f64>>,
) -> Answer<JsValue> {
    let span = from_js(plan, ErrorCode::BadPlan)?;
    let tokens = tokens.and_then(|tokens| match tokens[..] {
        [prefix, tail] => Some(PlanTokens { prefix: prefix as u64, kept: 0, tail: tail as u64 }),
        _ => None,
    });
    take_lines(length, |lines| {
        let (messages, digest) = lines.split_at(lines.len().saturating_sub(digests));
        let commit = Commit { messages, digest, span, tokens, counts: counts.as_deref() };
        let done = on(place, |transcript| transcript.commit(commit).map_err(thrown))?;
        let slots = done.slots.into_iter().map(slot_number).collect();
        to_js(&JsCommitted { record: done.record, slots })
    })
}
