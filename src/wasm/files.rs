//! Session files, over staged bytes.

use super::convert::{from_js, thrown, to_js, Answer};
use super::stage::take;
use crate::convert::file::{convert_file, ConversionReport};
use crate::document::{self, FileOptions};
use crate::error::{Error, ErrorCode};
use crate::formats::Format;
use crate::message::Provenance;
use crate::plan::PlanOptions;
use crate::session::{
    ledger_folds, read_session_with, Branch, FoundFold, LedgerFold, SessionMessage, SessionOptions, SessionProblem,
    Skipped, Usage,
};
use crate::summarize;
use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsSession {
    format: &'static str,
    message_format: &'static str,
    provenance: Vec<Provenance>,
    usage: Vec<Option<Usage>>,
    folds: Vec<JsFold>,
    /// The folds as records of a ledger, a JSON array.
    records: String,
    branches: Vec<Branch>,
    problems: Vec<SessionProblem>,
    skipped: Vec<Skipped>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsFold {
    line: u32,
    trigger: Option<String>,
    tokens_before: Option<u64>,
    before: Vec<u32>,
    kept: Vec<u32>,
    /// Indices into the originals of those that it took away.
    folded: Vec<u32>,
}

/// Bytes that are handed to the host's JSON parser at once: it is faster than building objects across the border, and a
/// piece of this size is not held twice for long.
const PIECE: usize = 1 << 20;

/// The core has read it already; only the host's own limits can refuse it now.
fn unparsed(_: JsValue) -> JsValue {
    thrown(Error::new(ErrorCode::TooDeep, "a message is nested deeper than this runtime can parse"))
}

/// Messages as the host's objects, in arrays of some each.
fn objects(messages: &[SessionMessage<'_>]) -> Answer<JsValue> {
    let arrays = Array::new();
    let mut text = String::from("[");
    for (index, message) in messages.iter().enumerate() {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&String::from_utf8_lossy(&message.json));
        if text.len() > PIECE || index + 1 == messages.len() {
            text.push(']');
            arrays.push(&js_sys::JSON::parse(&text).map_err(unparsed)?);
            text.truncate(1);
        }
    }
    Ok(arrays.into())
}

/// Reads the staged session file. `progress` is called with the number of bytes read; what it throws comes out.
#[wasm_bindgen(js_name = readSession)]
pub fn session(length: usize, branch: Option<String>, progress: Option<js_sys::Function>) -> Answer<JsValue> {
    let failure = RefCell::new(None);
    let tell = |bytes: usize| {
        let told = progress.as_ref().map(|tell| tell.call1(&JsValue::UNDEFINED, &JsValue::from_f64(bytes as f64)));
        let thrown = told.and_then(Result::err);
        let on = thrown.is_none();
        failure.replace(thrown);
        on
    };
    let progress = progress.as_ref().map(|_| &tell as &dyn Fn(usize) -> bool);
    let options = SessionOptions { branch: branch.as_deref(), progress };
    take(length, |bytes| {
        let read = read_session_with(bytes, &options);
        if let Some(error) = failure.borrow_mut().take() {
            return Err(error);
        }
        let session = read.map_err(thrown)?;
        let ledger = ledger_folds(&session).map_err(thrown)?;
        let records: Vec<String> = ledger.iter().map(|fold| fold.record.to_json()).collect();
        let fold = |(fold, ledger): (&FoundFold<'_>, LedgerFold)| JsFold {
            line: fold.line,
            trigger: fold.trigger.clone(),
            tokens_before: fold.tokens_before,
            before: fold.before.clone(),
            kept: fold.kept.clone(),
            folded: ledger.folded,
        };
        let answer = to_js(&JsSession {
            format: session.kind.name(),
            message_format: session.format.name(),
            provenance: session.messages.iter().map(|message| message.provenance).collect(),
            usage: session.messages.iter().map(|message| message.usage).collect(),
            records: format!("[{}]", records.join(",")),
            folds: session.folds.iter().zip(ledger).map(fold).collect(),
            branches: session.branches,
            problems: session.problems,
            skipped: session.skipped,
        })?;
        let folds = Array::from(&Reflect::get(&answer, &"folds".into())?);
        for (fold, object) in session.folds.iter().zip(folds.iter()) {
            Reflect::set(&object, &"originals".into(), &objects(&fold.originals)?)?;
            Reflect::set(&object, &"digest".into(), &objects(&fold.digest)?)?;
        }
        Reflect::set(&answer, &"messages".into(), &objects(&session.messages)?)?;
        Ok(answer)
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
pub fn inspect(length: usize, branch: Option<String>) -> Answer<JsValue> {
    take(length, |bytes| to_js(&document::inspect(bytes, branch.as_deref()).map_err(thrown)?))
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
    branch: Option<String>,
) -> Answer<JsValue> {
    let options: PlanOptions = from_js(options, ErrorCode::BadArgument)?;
    let summarizing: summarize::SummarizeOptions =
        if summarizing.is_undefined() { Default::default() } else { from_js(summarizing, ErrorCode::BadArgument)? };
    take(length, |bytes| {
        let (source, ledger) = source_and_ledger(bytes, source_length, ledger);
        let options = FileOptions { plan: &options, ledger, summary: None, branch: branch.as_deref() };
        match document::request(source, &options, &summarizing).map_err(thrown)? {
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

/// Folds the staged file; with `native` into a session file, whose bytes come as `session`.
#[wasm_bindgen(js_name = foldFile)]
pub fn fold(
    length: usize,
    source_length: usize,
    ledger: bool,
    options: JsValue,
    summary: Option<String>,
    native: bool,
    branch: Option<String>,
) -> Answer<JsValue> {
    let options: PlanOptions = from_js(options, ErrorCode::BadArgument)?;
    take(length, |bytes| {
        let (source, ledger) = source_and_ledger(bytes, source_length, ledger);
        let (summary, branch) = (summary.as_deref(), branch.as_deref());
        let options = FileOptions { plan: &options, ledger, summary, branch };
        let fold = if native { document::fold_session } else { document::fold };
        let folded = fold(source, &options);
        let folded = folded.map_err(thrown)?;
        let answer =
            to_js(&JsFolded { conversation: folded.conversation, ledger: folded.ledger, report: folded.report })?;
        let session = folded.session.map_or(JsValue::NULL, |bytes| Uint8Array::from(bytes.as_slice()).into());
        Reflect::set(&answer, &"session".into(), &session)?;
        Ok(answer)
    })
}

/// Unfolds the staged conversation with the ledger behind it, or a session by the folds that it holds.
#[wasm_bindgen(js_name = unfoldFile)]
pub fn unfold(length: usize, source_length: usize, with_ledger: bool) -> Answer<Object> {
    take(length, |bytes| {
        let unfolded = match source_and_ledger(bytes, source_length, with_ledger) {
            (conversation, Some(ledger)) => document::unfold_file(conversation, ledger),
            (session, None) => document::unfold_session(session),
        };
        let unfolded = unfolded.map_err(thrown)?;
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
