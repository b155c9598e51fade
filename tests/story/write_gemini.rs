//! Gemini contents. The system's text stands beside them and is left out.

use super::parts::PIXEL;
use super::style::Style;
use super::{Batch, Half, Said, Step, Story, When};
use serde_json::{json, Value};

/// Who has ids.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    Both,
    Nobody,
    /// The client makes one up for each response.
    Responses,
    /// Some calls and their responses.
    Some,
}

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let ids = [Ids::Both, Ids::Nobody, Ids::Responses, Ids::Some][style.of("ids", 4) as usize];
    let mut out = Vec::new();
    for (n, step) in story.steps.iter().enumerate() {
        match step {
            Step::User { texts, image } => {
                let mut parts: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
                if *image {
                    parts.push(json!({ "inlineData": { "mimeType": "image/png", "data": PIXEL } }));
                }
                out.push(json!({ "role": "user", "parts": parts }));
            }
            Step::Injected { text, .. } => aside(text.clone(), "Noted.", &mut out),
            Step::Summary { text } => {
                let text = format!("<state_snapshot>\n{text}\n</state_snapshot>");
                aside(text, "Got it. Thanks for the additional context!", &mut out);
            }
            Step::Assistant(said) => {
                let parts = said_parts(said, ids, style);
                if parts.is_empty() && style.coin(("no parts", n)) {
                    out.push(json!({ "role": "model" }));
                } else {
                    out.push(json!({ "role": "model", "parts": parts }));
                }
            }
            Step::Results(batch) => {
                let role = if style.coin("function") { "function" } else { "user" };
                let parts = responses(batch, ids, style, out.len());
                out.push(json!({ "role": role, "parts": parts }));
            }
            Step::System { .. } | Step::Unknown { .. } | Step::Approvals(_) => {}
        }
    }
    out
}

/// The model acknowledges what a program says in the user's place, so that the sides keep taking turns.
fn aside(text: String, acknowledged: &str, out: &mut Vec<Value>) {
    out.push(json!({ "role": "user", "parts": [{ "text": text }] }));
    out.push(json!({ "role": "model", "parts": [{ "text": acknowledged }] }));
}

fn has_id(ids: Ids, call: &str, style: Style) -> bool {
    ids == Ids::Both || (ids == Ids::Some && style.coin(("id of", call)))
}

fn said_parts(said: &Said, ids: Ids, style: Style) -> Vec<Value> {
    let thoughts = said.thoughts.iter().filter(|thought| !thought.redacted);
    let thoughts: Vec<Value> = thoughts.map(|thought| json!({ "text": thought.text, "thought": true })).collect();
    let mut rest: Vec<Value> = said.texts.iter().map(|text| json!({ "text": text })).collect();
    for server in &said.servers {
        if server.half != Half::ResultOnly {
            rest.push(json!({ "executableCode": { "language": "PYTHON", "code": server.query } }));
        }
        if server.half != Half::CallOnly {
            rest.push(json!({ "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "1" } }));
        }
    }
    for call in &said.calls {
        let mut function = json!({ "name": call.name, "args": call.input });
        if let Some(id) = call.id.as_deref().filter(|id| has_id(ids, id, style)) {
            function["id"] = id.into();
        }
        rest.push(json!({ "functionCall": function }));
    }
    // The signature of the thoughts rides on the first call, or on the last part when nothing is called.
    let signature = said.thoughts.first().map(|thought| &thought.signature).filter(|signature| !signature.is_empty());
    let bearer = rest.iter().position(|part| part.get("functionCall").is_some()).or(rest.len().checked_sub(1));
    if let (Some(signature), Some(bearer)) = (signature, bearer) {
        rest[bearer]["thoughtSignature"] = signature.clone().into();
    }
    if said.thinking_last {
        rest.into_iter().chain(thoughts).collect()
    } else {
        thoughts.into_iter().chain(rest).collect()
    }
}

fn responses(batch: &Batch, ids: Ids, style: Style, place: usize) -> Vec<Value> {
    let response = |(n, answer): (usize, &super::Answer)| {
        let field = if answer.error { "error" } else { "output" };
        let mut response = json!({ "name": answer.name, "response": { field: answer.content } });
        if ids == Ids::Responses {
            response["id"] = format!("{}-{place}-{n}", answer.name).into();
        } else if let Some(id) = answer.call.as_deref().filter(|id| has_id(ids, id, style)) {
            response["id"] = id.into();
        }
        json!({ "functionResponse": response })
    };
    let mut parts: Vec<Value> = batch.answers.iter().enumerate().map(response).collect();
    match &batch.word {
        Some((When::Before, word)) => parts.insert(0, json!({ "text": word })),
        Some((_, word)) => parts.push(json!({ "text": word })),
        None => {}
    }
    parts
}
