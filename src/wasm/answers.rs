//! The gate for summaries, over staged text.

use super::convert::{parse, thrown, to_js, Answer as Given};
use super::messages::with_text;
use super::stage::take;
use crate::accept::{is_too_long, judge, Answer, Rejected, Rejection};
use crate::error::ErrorCode;
use crate::json::{Kind, Tape, Value};
use crate::text::to_well_formed;
use crate::usage::count;
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[derive(Serialize)]
struct JsVerdict {
    accepted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Rejection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Judges an answer, staged as one JSON object: long texts are not for the string glue, and lone surrogates have a form in JSON.
#[wasm_bindgen(js_name = judgeSummary)]
pub fn judge_summary(length: usize) -> Given<JsValue> {
    take(length, |bytes| {
        let mut tape = Tape::new();
        let given = parse(&mut tape, bytes, ErrorCode::BadArgument).map_err(thrown)?;
        let text = |key: &str| given.get(key).filter(|value| value.kind() == Kind::String).map(Value::text_lossy);
        let (finish_reason, prompt, earlier) = (text("finishReason"), text("prompt"), text("earlier"));
        let answer = Answer {
            text: &text("text").unwrap_or_default(),
            finish_reason: finish_reason.as_deref(),
            prompt: prompt.as_deref(),
            earlier: earlier.as_deref(),
            span_tokens: count(given.get("spanTokens")),
        };
        to_js(&match judge(&answer) {
            Ok(()) => JsVerdict { accepted: true, code: None, message: None },
            Err(Rejected { code, message }) => JsVerdict { accepted: false, code: Some(code), message: Some(message) },
        })
    })
}

/// Whether the staged text of an error says that the request was too long.
#[wasm_bindgen(js_name = isTooLong)]
pub fn too_long(length: usize, json: bool) -> bool {
    with_text(length, json, |text| is_too_long(&to_well_formed(text)))
}
