//! Fingerprints, planning, digests and the ledger, over staged messages.

use super::convert::{from_js, parse, thrown, to_js, Answer, OwnReading};
use super::stage::{take, take_lines};
use crate::cuts::Boundaries;
use crate::error::ErrorCode;
use crate::fingerprint::{self, Fingerprint};
use crate::formats::{Detector, Format};
use crate::json::Tape;
use crate::ledger::{folds_of_spans, replay, spans_of_folds, unfold_all, FoldAsSpan, StoredSpan};
use crate::ledger::{DigestPrint, EditKind, EditRecord, FoldRecord, Origin, Record};
use crate::outline::{object, Outline, Reading};
use crate::tail::{self, Tail};
use crate::window::{self, Explanation, Fate, Side, Slot, Span};
use crate::{check, clip, convert, digest, edit, plan, reduce, repair};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// The staged text: plain UTF-8, or one JSON string when it holds lone surrogates, which UTF-8 cannot.
pub(super) fn with_text<T>(length: usize, json: bool, with: impl FnOnce(&[u8]) -> T) -> T {
    take(length, |bytes| {
        if !json {
            return with(bytes);
        }
        let mut tape = Tape::new();
        let text = tape.parse(bytes).ok().and_then(|value| value.text()).unwrap_or_default();
        with(&text)
    })
}

/// FNV-1a of the staged text.
#[wasm_bindgen(js_name = fnv1a)]
pub fn fnv1a(length: usize, json: bool) -> u32 {
    with_text(length, json, fingerprint::fnv1a)
}

/// Fingerprint of the staged text.
#[wasm_bindgen(js_name = fingerprintText)]
pub fn fingerprint_text(length: usize, json: bool) -> String {
    with_text(length, json, |text| fingerprint::text(text).to_string())
}

fn prints(lines: &[&[u8]], format: Option<Format>) -> Answer<Vec<Fingerprint>> {
    let mut tape = Tape::new();
    let print = |(index, line): (usize, &&[u8])| {
        let message = object(&mut tape, line, index).map_err(thrown)?;
        Ok(fingerprint::message(message, format))
    };
    lines.iter().enumerate().map(print).collect()
}

fn format_of(name: Option<String>) -> Answer<Option<Format>> {
    name.as_deref().map(Format::from_name).transpose().map_err(thrown)
}

/// Fingerprints of the staged messages, 16 bytes each.
#[wasm_bindgen(js_name = fingerprintMessages)]
pub fn fingerprint_messages(length: usize, format: Option<String>) -> Answer<Vec<u8>> {
    let format = format_of(format)?;
    take_lines(length, |lines| Ok(prints(lines, format)?.iter().flat_map(|print| print.0).collect()))
}

/// Fingerprint of the staged messages as one span.
#[wasm_bindgen(js_name = fingerprintSpan)]
pub fn fingerprint_span(length: usize, format: Option<String>) -> Answer<String> {
    let format = format_of(format)?;
    take_lines(length, |lines| Ok(fingerprint::span(&prints(lines, format)?).to_string()))
}

/// The format of the staged messages, if it is certain.
#[wasm_bindgen(js_name = detectFormat)]
pub fn detect_format(length: usize) -> Answer<Option<String>> {
    take_lines(length, |lines| Ok(detected(lines)?.certain().map(|format| format.name().into())))
}

/// The format that the staged messages are read by when none is named.
#[wasm_bindgen(js_name = readFormat)]
pub fn read_format(length: usize) -> Answer<String> {
    take_lines(length, |lines| Ok(detected(lines)?.strictest().map_err(thrown)?.name().into()))
}

pub(super) fn detected(lines: &[&[u8]]) -> Answer<Detector> {
    let mut detector = Detector::default();
    let mut tape = Tape::new();
    for (index, line) in lines.iter().enumerate() {
        detector.see(object(&mut tape, line, index).map_err(thrown)?);
    }
    Ok(detector)
}

fn with_outline<T>(length: usize, reading: JsValue, with: impl FnOnce(&Outline) -> Answer<T>) -> Answer<T> {
    let reading = OwnReading::from_js(reading)?;
    take_lines(length, |lines| with(&Outline::read(lines, reading.reading()).map_err(thrown)?))
}

/// Tokens of each staged message.
#[wasm_bindgen(js_name = estimate)]
pub fn estimate(length: usize, reading: JsValue) -> Answer<Vec<u32>> {
    with_outline(length, reading, |outline| Ok(per_message(outline)))
}

pub(super) fn per_message(outline: &Outline) -> Vec<u32> {
    outline.shapes.iter().map(|shape| u32::try_from(shape.tokens).unwrap_or(u32::MAX)).collect()
}

/// Plans the fold of the staged messages.
#[wasm_bindgen(js_name = plan)]
pub fn plan(length: usize, reading: JsValue, options: JsValue) -> Answer<JsValue> {
    let options: plan::PlanOptions = from_js(options, ErrorCode::BadArgument)?;
    with_outline(length, reading, |outline| to_js(&plan::plan(outline, &options).map_err(thrown)?))
}

/// What the host says of a transcript that is planned from its end.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsTail {
    format: String,
    /// Number of its messages.
    length: usize,
    /// How many of the staged messages are models of classes.
    models: usize,
    /// Indices of those behind them that stand before the end.
    others: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum JsAnswer {
    Plan(plan::Plan),
    Read(Vec<u32>),
    More,
    All,
}

/// Plans from the end of a transcript; see [`tail::plan`]. Staged are the models of the classes, the others, the end.
#[wasm_bindgen(js_name = planTail)]
pub fn plan_tail(length: usize, given: JsValue, classes: &[u8], reading: JsValue, options: JsValue) -> Answer<JsValue> {
    let options: plan::PlanOptions = from_js(options, ErrorCode::BadArgument)?;
    let given: JsTail = from_js(given, ErrorCode::Internal)?;
    let (reading, format) = (OwnReading::from_js(reading)?, Format::from_name(&given.format).map_err(thrown)?);
    take_lines(length, |lines| {
        let (models, rest) = lines.split_at(given.models.min(lines.len()));
        let (others, messages) = rest.split_at(given.others.len().min(rest.len()));
        let others: Vec<(u32, &[u8])> = given.others.iter().copied().zip(others.iter().copied()).collect();
        let Reading { provenance, tokens, estimator, .. } = reading.reading();
        let length = given.length;
        let others = &others;
        let tail = Tail { format, length, messages, others, classes, models, estimator, provenance, tokens };
        to_js(&match tail::plan(&tail, &options).map_err(thrown)? {
            tail::Answer::Plan(plan) => JsAnswer::Plan(plan),
            tail::Answer::Read(indices) => JsAnswer::Read(indices),
            tail::Answer::More => JsAnswer::More,
            tail::Answer::All => JsAnswer::All,
        })
    })
}

/// The format that the staged messages tell; see [`tail::format_of`].
#[wasm_bindgen(js_name = tailFormat)]
pub fn tail_format(length: usize, first: usize, all: bool) -> Answer<Option<String>> {
    let name = |format: Format| format.name().to_string();
    take_lines(length, |lines| Ok(tail::format_of(lines, first, all).map_err(thrown)?.map(name)))
}

pub(super) fn span_of(plan: JsValue) -> Answer<Span> {
    from_js(plan, ErrorCode::BadPlan)
}

/// Measures a plan of the staged messages.
#[wasm_bindgen(js_name = measure)]
pub fn measure(length: usize, reading: JsValue, plan: JsValue) -> Answer<JsValue> {
    let span = span_of(plan)?;
    with_outline(length, reading, |outline| to_js(&window::measure(outline, &span).map_err(thrown)?))
}

/// The fate of every staged message under a plan: each pair of fate and reason once, and for every message the index of its pair.
#[wasm_bindgen(js_name = explain)]
pub fn explain(length: usize, reading: JsValue, plan: JsValue) -> Answer<JsValue> {
    let span = span_of(plan)?;
    with_outline(length, reading, |outline| {
        explained(&window::explain(outline, &Boundaries::of(outline), &span).map_err(thrown)?)
    })
}

#[derive(PartialEq, Serialize)]
struct JsVerdict {
    fate: Fate,
    reason: &'static str,
}

/// There are a dozen reasons and up to 100,000 messages: the sentences cross once.
pub(super) fn explained(rows: &[Explanation]) -> Answer<JsValue> {
    let mut verdicts: Vec<JsVerdict> = Vec::new();
    let mut place_of = |row: &Explanation| {
        let verdict = JsVerdict { fate: row.fate, reason: row.reason };
        verdicts.iter().position(|known| *known == verdict).unwrap_or_else(|| {
            verdicts.push(verdict);
            verdicts.len() - 1
        }) as u8
    };
    let places: Vec<u8> = rows.iter().map(&mut place_of).collect();
    Ok(js_sys::Array::of2(&to_js(&verdicts)?, &js_sys::Uint8Array::from(&places[..])).into())
}

/// The window of a plan: indices of messages, −1 where the digest stands, −2 and −3 for fillers by the user and the model.
/// The last `digests` staged messages are the digest.
#[wasm_bindgen(js_name = windowSlots)]
pub fn window_slots(length: usize, digests: usize, reading: JsValue, plan: JsValue) -> Answer<Vec<i32>> {
    let (span, reading) = (span_of(plan)?, OwnReading::from_js(reading)?);
    take_lines(length, |lines| {
        let (messages, digest) = lines.split_at(lines.len().saturating_sub(digests));
        let outline = Outline::read(messages, reading.reading()).map_err(thrown)?;
        let boundaries = Boundaries::of(&outline);
        span.check_units(&outline, &boundaries).map_err(thrown)?;
        let roles = digest::roles(digest, outline.format).map_err(thrown)?;
        Ok(window::slots(&outline, &boundaries, &span, &roles).into_iter().map(slot_number).collect())
    })
}

/// A place of a window as a number.
pub(super) fn slot_number(slot: Slot) -> i32 {
    match slot {
        Slot::Message(index) => index as i32,
        Slot::Digest => -1,
        Slot::Filler(Side::User) => -2,
        Slot::Filler(Side::Model) => -3,
    }
}

/// The first message of the tail with the digest in front of it; how to make it, as JSON; undefined where it cannot be.
/// The last `digests` staged messages are the digest.
#[wasm_bindgen(js_name = mergeDigest)]
pub fn merge_digest(length: usize, digests: usize, reading: JsValue, plan: JsValue) -> Answer<Option<String>> {
    let (span, reading) = (span_of(plan)?, OwnReading::from_js(reading)?);
    take_lines(length, |lines| {
        let (messages, digest) = lines.split_at(lines.len().saturating_sub(digests));
        let outline = Outline::read(messages, reading.reading()).map_err(thrown)?;
        let draft = window::merged(&outline, messages, &span, digest).map_err(thrown)?;
        Ok(draft.map(|draft| edit::recipe(&[draft], messages, outline.format)))
    })
}

/// The message that a fold puts between two of one side, as JSON text.
#[wasm_bindgen(js_name = fillerMessage)]
pub fn filler_message(format: &str, model: bool) -> Answer<String> {
    let side = if model { Side::Model } else { Side::User };
    Ok(Format::from_name(format).map_err(thrown)?.reader().note(side, window::FILLER))
}

/// What the provider would refuse in the staged messages.
#[wasm_bindgen(js_name = check)]
pub fn check_messages(length: usize, reading: JsValue) -> Answer<JsValue> {
    let reading = OwnReading::from_js(reading)?;
    take_lines(length, |lines| to_js(&check::check(lines, format_to_read(lines, &reading)?).map_err(thrown)?))
}

#[derive(Serialize)]
struct JsRepaired {
    /// How to make the messages, as JSON; see `edit::recipe`.
    recipe: String,
    changes: Vec<check::Problem>,
    edits: Vec<repair::Edit>,
}

/// Mends the staged messages.
#[wasm_bindgen(js_name = repair)]
pub fn repair_messages(length: usize, reading: JsValue) -> Answer<JsValue> {
    let reading = OwnReading::from_js(reading)?;
    take_lines(length, |lines| {
        let format = format_to_read(lines, &reading)?;
        let repair::Repaired { drafts, changes, edits } = repair::repair(lines, format).map_err(thrown)?;
        to_js(&JsRepaired { recipe: edit::recipe(&drafts, lines, format), changes, edits })
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsReduced {
    format: Format,
    /// How to make the messages, as JSON; see `edit::recipe`.
    recipe: String,
    edits: Vec<repair::Edit>,
    steps: Vec<reduce::ReduceStep>,
    refused: Vec<reduce::Refusal>,
    tokens: reduce::ReducedTokens,
    cache: reduce::CacheEffect,
    /// For the ledger; undefined when nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<EditRecord>,
}

/// What the caller's counter has to count first.
#[derive(Serialize)]
struct JsWanted {
    /// Texts of messages.
    wanted: Vec<String>,
}

/// Reduces the staged messages; `counts` are those of the caller's counter for all texts that were wanted so far.
#[wasm_bindgen(js_name = reduce)]
pub fn reduce_messages(length: usize, reading: JsValue, options: JsValue, counts: Vec<f64>) -> Answer<JsValue> {
    let options: reduce::ReduceOptions = from_js(options, ErrorCode::BadArgument)?;
    let reading = OwnReading::from_js(reading)?;
    take_lines(length, |lines| {
        match reduce::reduce_counted(lines, reading.reading(), &options, &counts).map_err(thrown)? {
            reduce::Answer::Wanted(texts) => {
                let wanted = texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
                to_js(&JsWanted { wanted })
            }
            reduce::Answer::Done(reduced) => {
                let recipe = edit::recipe(&reduced.drafts, lines, reduced.format);
                let record = (!reduced.edits.is_empty()).then(|| reduction_record(&reduced, lines)).transpose()?;
                let reduce::Reduced { format, edits, steps, refused, tokens, cache, .. } = *reduced;
                to_js(&JsReduced { format, recipe, edits, steps, refused, tokens, cache, record })
            }
        }
    })
}

/// The record of a reduction: what did not change is read once.
fn reduction_record(reduced: &reduce::Reduced, lines: &[&[u8]]) -> Answer<EditRecord> {
    let before = prints(lines, None)?;
    let mut writer = edit::Writer::new(lines, reduced.format);
    let after = reduced.drafts.iter().map(|draft| match draft.untouched() {
        Some(index) => Ok(before[index as usize]),
        None => Ok(prints(&[&writer.text(draft)], None)?[0]),
    });
    let after = after.collect::<Answer<Vec<Fingerprint>>>()?;
    EditRecord::new(EditKind::Reduce, reduced.format, &reduced.edits, &before, &after).map_err(thrown)
}

#[derive(Serialize)]
struct JsConverted {
    /// A JSON array; undefined where the messages have the format already.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<String>,
    losses: Vec<convert::Loss>,
}

/// Converts the staged messages to the format called `to`.
#[wasm_bindgen(js_name = convert)]
pub fn convert_messages(length: usize, reading: JsValue, to: &str) -> Answer<JsValue> {
    let (reading, to) = (OwnReading::from_js(reading)?, Format::from_name(to).map_err(thrown)?);
    take_lines(length, |lines| {
        let from = format_to_read(lines, &reading)?;
        let marks = reading.reading().provenance;
        let convert::Converted { messages, losses } =
            convert::convert_marked(lines, marks, from, to).map_err(thrown)?;
        to_js(&JsConverted { messages: (from != to).then(|| json_array(&messages)), losses })
    })
}

/// Clips results of the staged messages; how to make the messages, as JSON.
#[wasm_bindgen(js_name = clipResults)]
pub fn clip_results(length: usize, reading: JsValue, offers: JsValue) -> Answer<String> {
    let reading = OwnReading::from_js(reading)?;
    let offers: Vec<clip::ClipOffer> = from_js(offers, ErrorCode::BadPlan)?;
    take_lines(length, |lines| {
        let format = format_to_read(lines, &reading)?;
        let drafts = clip::results(lines, format, &offers).map_err(thrown)?;
        Ok(edit::recipe(&drafts, lines, format))
    })
}

pub(super) fn format_to_read(lines: &[&[u8]], reading: &OwnReading) -> Answer<Format> {
    match reading.format {
        Some(format) => Ok(format),
        None => Ok(Outline::read(lines, reading.reading()).map_err(thrown)?.format),
    }
}

pub(super) fn json_array(texts: &[String]) -> String {
    format!("[{}]", texts.join(","))
}

/// The record of a fold; the last `digests` staged messages are the digest.
#[wasm_bindgen(js_name = foldRecord)]
pub fn fold_record(length: usize, digests: usize, reading: JsValue, plan: JsValue) -> Answer<JsValue> {
    let (span, reading) = (span_of(plan)?, OwnReading::from_js(reading)?);
    take_lines(length, |lines| {
        let (messages, digest) = lines.split_at(lines.len().saturating_sub(digests));
        let outline = Outline::read(messages, reading.reading()).map_err(thrown)?;
        let (messages, digests) = (prints(messages, None)?, prints(digest, None)?);
        let print = |(fingerprint, role)| DigestPrint { fingerprint, role };
        let digest: Vec<DigestPrint> =
            digests.into_iter().zip(digest::roles(digest, outline.format).map_err(thrown)?).map(print).collect();
        let record = FoldRecord::new(&outline, &Boundaries::of(&outline), &span, &messages, &digest);
        to_js(&record.map_err(thrown)?)
    })
}

/// The record of a reduction or a repair; the last `after` staged messages are those that it left.
#[wasm_bindgen(js_name = editRecord)]
pub fn edit_record(length: usize, after: usize, reading: JsValue, kind: JsValue, edits: JsValue) -> Answer<JsValue> {
    let kind: EditKind = from_js(kind, ErrorCode::BadArgument)?;
    let edits: Vec<repair::Edit> = from_js(edits, ErrorCode::BadArgument)?;
    let reading = OwnReading::from_js(reading)?;
    take_lines(length, |lines| {
        let (before, after) = lines.split_at(lines.len().saturating_sub(after));
        let format = format_to_read(before, &reading)?;
        let record = EditRecord::new(kind, format, &edits, &prints(before, None)?, &prints(after, None)?);
        to_js(&record.map_err(thrown)?)
    })
}

fn records(text: &[u8]) -> Answer<Vec<Record>> {
    let mut tape = Tape::new();
    let array = parse(&mut tape, text, ErrorCode::BadLedger).map_err(thrown)?;
    array.items().map(Record::from_json).collect::<Result<_, _>>().map_err(thrown)
}

/// Checks the staged records, a JSON array, and gives the indices of what each took away: count, then indices.
#[wasm_bindgen(js_name = checkRecords)]
pub fn check_records(length: usize) -> Answer<Vec<u32>> {
    take(length, |text| {
        let all = records(text)?;
        Ok(all
            .iter()
            .flat_map(|record| {
                let taken = record.taken();
                std::iter::once(taken.len() as u32).chain(taken)
            })
            .collect())
    })
}

/// Where each message of the unfolded conversation comes from: pairs of record (0: the window, else 1 + its
/// index) and index. Staged are the records, a JSON array, and behind them the window's fingerprints.
#[wasm_bindgen(js_name = unfold)]
pub fn unfold_window(length: usize, records_length: usize) -> Answer<Vec<u32>> {
    take(length, |bytes| {
        let (text, window) = with_prints(bytes, records_length);
        let origins = unfold_all(&records(text)?, &window).map_err(thrown)?;
        let pair = |origin| match origin {
            Origin::Window(index) => [0, index],
            Origin::Fold { fold, index } => [fold + 1, index],
        };
        Ok(origins.into_iter().flat_map(pair).collect())
    })
}

/// The spans of a stored conversation as folds. Staged are the window's messages, `window` of them, and those of the spans.
#[wasm_bindgen(js_name = foldsOfSpans)]
pub fn spans_to_folds(length: usize, window: usize, spans: JsValue) -> Answer<JsValue> {
    let spans: Vec<StoredSpan> = from_js(spans, ErrorCode::BadArgument)?;
    take_lines(length, |lines| to_js(&folds_of_spans(lines, window, &spans).map_err(thrown)?))
}

/// The folds behind a window as spans: index of the record, FNV of the digest and number of messages, of each. Staged are the
/// records, a JSON array on one line, the window's messages, `window` of them, and those that each record holds: `held`, -1
/// where it holds none.
#[wasm_bindgen(js_name = spansOfFolds)]
pub fn folds_to_spans(length: usize, window: usize, held: &[i32]) -> Answer<Vec<u32>> {
    take_lines(length, |lines| {
        let Some((text, messages)) = lines.split_first() else { return Ok(Vec::new()) };
        let held: Vec<Option<u32>> = held.iter().map(|&count| u32::try_from(count).ok()).collect();
        let spans = spans_of_folds(&records(text)?, messages, window, &held).map_err(thrown)?;
        Ok(spans.into_iter().flat_map(|FoldAsSpan { record, key, count }| [record, key, count]).collect())
    })
}

/// Staged bytes: a text, and behind it fingerprints.
fn with_prints(bytes: &[u8], text_length: usize) -> (&[u8], Vec<Fingerprint>) {
    let (text, prints) = bytes.split_at(text_length.min(bytes.len()));
    let print = |chunk: &[u8]| Fingerprint(chunk.try_into().expect("sixteen bytes"));
    (text, prints.chunks_exact(16).map(print).collect())
}

/// The window that a log leads to, as [`window_slots`] has it. Staged are the records, a JSON array, and behind them the log's
/// fingerprints.
#[wasm_bindgen(js_name = replay)]
pub fn replay_log(length: usize, records_length: usize) -> Answer<Vec<i32>> {
    take(length, |bytes| {
        let (text, log) = with_prints(bytes, records_length);
        Ok(replay(&records(text)?, &log).map_err(thrown)?.into_iter().map(slot_number).collect())
    })
}

/// Seal over the staged JSON value.
#[wasm_bindgen(js_name = seal)]
pub fn seal(length: usize, key: Option<Vec<u8>>) -> Answer<String> {
    take(length, |text| {
        let mut tape = Tape::new();
        let value = parse(&mut tape, text, ErrorCode::BadLedger).map_err(thrown)?;
        Ok(fingerprint::seal(value, key.as_deref()).to_string())
    })
}
