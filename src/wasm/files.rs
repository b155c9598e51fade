//! Session files, over staged bytes.

use super::convert::{from_js, thrown, to_js, Answer};
use super::stage::take;
use crate::convert::file::{convert_file, ConversionReport};
use crate::error::ErrorCode;
use crate::formats::Format;
use crate::message::Provenance;
use crate::plan::PlanOptions;
use crate::session::{read_session, SessionMessage, SessionProblem, Skipped};
use crate::{document, summarize};
use js_sys::{Object, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsSession {
    format: &'static str,
    message_format: &'static str,
    /// A JSON array of the messages; the host parses it, which is faster than building objects across the border.
    messages: String,
    provenance: Vec<Provenance>,
    folds: Vec<JsFold>,
    problems: Vec<SessionProblem>,
    skipped: Vec<Skipped>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsFold {
    line: u32,
    trigger: Option<String>,
    tokens_before: Option<u64>,
    originals: String,
    kept: Vec<u32>,
    digest: String,
}

fn array(messages: &[SessionMessage<'_>]) -> String {
    let texts: Vec<_> = messages.iter().map(|message| String::from_utf8_lossy(&message.json)).collect();
    format!("[{}]", texts.join(","))
}

/// Reads the staged session file.
#[wasm_bindgen(js_name = readSession)]
pub fn session(length: usize) -> Answer<JsValue> {
    take(length, |bytes| {
        let session = read_session(bytes).map_err(thrown)?;
        let fold = |fold: &crate::session::FoundFold<'_>| JsFold {
            line: fold.line,
            trigger: fold.trigger.clone(),
            tokens_before: fold.tokens_before,
            originals: array(&fold.originals),
            kept: fold.kept.clone(),
            digest: String::from_utf8_lossy(&fold.digest.json).into_owned(),
        };
        to_js(&JsSession {
            format: session.kind.name(),
            message_format: session.format.name(),
            messages: array(&session.messages),
            provenance: session.messages.iter().map(|message| message.provenance).collect(),
            folds: session.folds.iter().map(fold).collect(),
            problems: session.problems,
            skipped: session.skipped,
        })
    })
}

#[derive(Serialize)]
struct JsConvertedFile {
    conversation: String,
    report: ConversionReport,
}

/// Converts the staged session file to the format called `to`.
#[wasm_bindgen(js_name = convertFile)]
pub fn convert(length: usize, to: &str) -> Answer<JsValue> {
    let to = Format::from_name(to).map_err(thrown)?;
    take(length, |bytes| {
        let converted = convert_file(bytes, to).map_err(thrown)?;
        to_js(&JsConvertedFile { conversation: converted.conversation, report: converted.report })
    })
}

/// Says what is in the staged session file.
#[wasm_bindgen(js_name = inspectFile)]
pub fn inspect(length: usize) -> Answer<JsValue> {
    take(length, |bytes| to_js(&document::inspect(bytes).map_err(thrown)?))
}

/// The source and, when there is one, the ledger behind it.
fn source_and_ledger(bytes: &[u8], source_length: usize, with_ledger: bool) -> (&[u8], Option<&[u8]>) {
    let (source, ledger) = bytes.split_at(source_length.min(bytes.len()));
    (source, with_ledger.then_some(ledger))
}

/// The request for a summarizer of the staged file; undefined when nothing folds.
#[wasm_bindgen(js_name = requestForFile)]
pub fn request(
    length: usize,
    source_length: usize,
    ledger: bool,
    options: JsValue,
    summarizing: JsValue,
) -> Answer<JsValue> {
    let options: PlanOptions = from_js(options, ErrorCode::BadArgument)?;
    let summarizing: summarize::SummarizeOptions =
        if summarizing.is_undefined() { Default::default() } else { from_js(summarizing, ErrorCode::BadArgument)? };
    take(length, |bytes| {
        let (source, ledger) = source_and_ledger(bytes, source_length, ledger);
        match document::request(source, ledger, &options, &summarizing).map_err(thrown)? {
            Some(request) => to_js(&request),
            None => Ok(JsValue::UNDEFINED),
        }
    })
}

#[derive(Serialize)]
struct JsFolded {
    conversation: Option<String>,
    ledger: Option<String>,
    report: document::FoldReport,
}

/// Folds the staged file.
#[wasm_bindgen(js_name = foldFile)]
pub fn fold(
    length: usize,
    source_length: usize,
    ledger: bool,
    options: JsValue,
    summary: Option<String>,
) -> Answer<JsValue> {
    let options: PlanOptions = from_js(options, ErrorCode::BadArgument)?;
    take(length, |bytes| {
        let (source, ledger) = source_and_ledger(bytes, source_length, ledger);
        let folded = document::fold(source, ledger, &options, summary.as_deref()).map_err(thrown)?;
        to_js(&JsFolded { conversation: folded.conversation, ledger: folded.ledger, report: folded.report })
    })
}

/// Unfolds the staged conversation with the ledger behind it.
#[wasm_bindgen(js_name = unfoldFile)]
pub fn unfold(length: usize, source_length: usize) -> Answer<Object> {
    take(length, |bytes| {
        let (conversation, ledger) = bytes.split_at(source_length.min(bytes.len()));
        let unfolded = document::unfold_file(conversation, ledger).map_err(thrown)?;
        // A file goes out as one copy of its bytes; through serde it would be an array of numbers first.
        let answer = Object::new();
        let members: [(&str, JsValue); 3] = [
            ("bytes", Uint8Array::from(unfolded.bytes.as_slice()).into()),
            ("exact", unfolded.exact.into()),
            ("messages", unfolded.messages.into()),
        ];
        for (name, value) in members {
            Reflect::set(&answer, &name.into(), &value)?;
        }
        Ok(answer)
    })
}
