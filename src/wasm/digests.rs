//! What takes the place of a folded span: requests, digests, and what was done.

use super::convert::{from_js, parse, thrown, to_js, Answer, OwnReading};
use super::messages::{detected, format_to_read, json_array, span_of};
use super::stage::{take, take_lines};
use super::transcript::window_from;
use crate::activity::{self, Activity};
use crate::error::{Error, ErrorCode};
use crate::formats::Format;
use crate::json::Tape;
use crate::outline::{object, Outline};
use crate::tools::ToolMeaning;
use crate::{deterministic, digest, life, summarize, window};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

/// The summarize requests for what a plan folds.
#[wasm_bindgen(js_name = summarizeRequests)]
pub fn summarize_requests(length: usize, reading: JsValue, plan: JsValue, options: JsValue) -> Answer<JsValue> {
    let options = if options.is_undefined() { Default::default() } else { from_js(options, ErrorCode::BadArgument)? };
    let (span, reading) = (span_of(plan)?, OwnReading::from_js(reading)?);
    take_lines(length, |lines| {
        let format = format_to_read(lines, &reading)?;
        to_js(&summarize::requests(lines, format, &span, &|i| reading.provenance(i), &options).map_err(thrown)?)
    })
}

/// The requests that put the staged summaries, one JSON array of strings, together.
#[wasm_bindgen(js_name = mergeRequests)]
pub fn merge_requests(length: usize, options: JsValue) -> Answer<JsValue> {
    let options = from_js(options, ErrorCode::BadArgument)?;
    take(length, |text| to_js(&summarize::merge(&strings(text)?, &options).map_err(thrown)?))
}

/// The strings of a JSON array.
fn strings(text: &[u8]) -> Answer<Vec<String>> {
    let mut tape = Tape::new();
    let array = parse(&mut tape, text, ErrorCode::BadArgument).map_err(thrown)?;
    Ok(array.items().map(|item| item.text_lossy().into_owned()).collect())
}

/// Indices of the staged messages that are digests which only the provider can read.
#[wasm_bindgen(js_name = sealedDigests)]
pub fn sealed_digests(length: usize, format: &str) -> Answer<Vec<u32>> {
    let reader = Format::from_name(format).map_err(thrown)?.reader();
    take_lines(length, |lines| {
        let mut tape = Tape::new();
        let mut sealed = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            if reader.is_sealed(object(&mut tape, line, index).map_err(thrown)?) {
                sealed.push(index as u32);
            }
        }
        Ok(sealed)
    })
}

/// What tools mean, and what was done before earlier folds.
#[derive(Deserialize, Default)]
#[serde(default)]
struct JsActivityOptions {
    tools: Vec<ToolMeaning>,
    earlier: Option<Vec<(u32, Activity)>>,
}

/// What was done in what a plan folds.
#[wasm_bindgen(js_name = activity)]
pub fn activity_of(length: usize, reading: JsValue, plan: JsValue, options: JsValue) -> Answer<JsValue> {
    let JsActivityOptions { tools, earlier } = from_js(options, ErrorCode::BadArgument)?;
    let (span, reading) = (span_of(plan)?, OwnReading::from_js(reading)?);
    take_lines(length, |lines| {
        let format = format_to_read(lines, &reading)?;
        let done = activity::of(lines, format, &span, &|i| reading.provenance(i), &tools, earlier.as_deref());
        to_js(&done.map_err(thrown)?)
    })
}

/// The staged summary, a JSON string, with the list of what was done behind it.
#[wasm_bindgen(js_name = withActivity)]
pub fn with_activity(length: usize, done: JsValue, limit: u32) -> Answer<String> {
    let done: Activity = from_js(done, ErrorCode::BadArgument)?;
    take(length, |text| {
        let mut tape = Tape::new();
        let summary = parse(&mut tape, text, ErrorCode::BadArgument).map_err(thrown)?;
        Ok(activity::with_list(&summary.text_lossy(), &done, limit as usize))
    })
}

/// The digest that needs no model, without its frame.
#[wasm_bindgen(js_name = deterministicDigest)]
pub fn deterministic_digest(length: usize, reading: JsValue, plan: JsValue, options: JsValue) -> Answer<String> {
    let options = if options.is_undefined() { Default::default() } else { from_js(options, ErrorCode::BadArgument)? };
    let (span, reading) = (span_of(plan)?, OwnReading::from_js(reading)?);
    take_lines(length, |lines| {
        let format = format_to_read(lines, &reading)?;
        deterministic::digest(lines, format, &span, &|i| reading.provenance(i), &options).map_err(thrown)
    })
}

/// The digest messages of a summary, as a JSON array. A staged message is one of the conversation, whose form is followed.
#[wasm_bindgen(js_name = digestMessage)]
pub fn digest_message(length: usize, summary: &str, format: &str) -> Answer<String> {
    let format = Format::from_name(format).map_err(thrown)?;
    take_lines(length, |lines| {
        let mut tape = Tape::new();
        let like = lines.first().map(|line| object(&mut tape, line, 0)).transpose().map_err(thrown)?;
        Ok(json_array(&digest::messages(summary, format, like).map_err(thrown)?))
    })
}

/// The floor digest for what a plan folds, as a JSON array.
#[wasm_bindgen(js_name = floorDigest)]
pub fn floor_digest(length: usize, reading: JsValue, plan: JsValue) -> Answer<String> {
    let (span, reading) = (span_of(plan)?, OwnReading::from_js(reading)?);
    take_lines(length, |lines| {
        if reading.format.is_none() {
            detected(lines)?.for_digest().map_err(thrown)?;
        }
        let outline = Outline::read(lines, reading.reading()).map_err(thrown)?;
        let measured = window::measure(&outline, &span).map_err(thrown)?;
        let mut tape = Tape::new();
        let like = lines.first().map(|line| object(&mut tape, line, 0)).transpose().map_err(thrown)?;
        let (messages, calls) = (measured.folded_messages as usize, measured.folded_calls as usize);
        Ok(json_array(&digest::floor(messages, calls, outline.format, like)))
    })
}

/// The format to write a digest in, for the staged messages.
#[wasm_bindgen(js_name = digestFormat)]
pub fn digest_format(length: usize) -> Answer<String> {
    take_lines(length, |lines| Ok(detected(lines)?.for_digest().map_err(thrown)?.name().into()))
}

/// Estimated tokens that the tail may take; see [`life::tail_budget`].
#[wasm_bindgen(js_name = tailBudget)]
pub fn tail_budget(window: JsValue, taken: Option<f64>, ratio: f64) -> Answer<f64> {
    let none = || Error::new(ErrorCode::BadBudget, "pass { tailBudget }, or { window } to take a share of it");
    let window = window_from(window)?.ok_or_else(none).map_err(thrown)?;
    life::tail_budget(&window, taken, ratio).map_err(thrown)
}

/// What speaks against a fold; see [`life::obstacle`].
#[wasm_bindgen(js_name = foldObstacle)]
pub fn fold_obstacle(weights: JsValue, window: JsValue) -> Answer<JsValue> {
    let weights = from_js(weights, ErrorCode::BadArgument)?;
    let obstacle = life::obstacle(&weights, window_from(window)?.as_ref()).map_err(thrown)?;
    obstacle.map_or(Ok(JsValue::UNDEFINED), |obstacle| to_js(&obstacle))
}
