//! Vercel AI SDK ModelMessage.

use super::parts::{png_url, set, text_part, PIXEL};
use super::style::Style;
use super::{Answer, Batch, Half, Said, Step, Story, Thought, When};
use serde_json::{json, Value};

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for (n, step) in story.steps.iter().enumerate() {
        let parts = style.coin(("parts", n));
        match step {
            Step::System { text, .. } => out.push(json!({ "role": "system", "content": text })),
            Step::User { texts, image } => out.push(user(texts, *image, parts)),
            Step::Injected { kind, text } => {
                let options = json!({ "app": { "injected": kind } });
                out.push(json!({ "role": "user", "content": text, "providerOptions": options }));
            }
            Step::Summary { text } => {
                let role = if style.coin("summary") { "system" } else { "user" };
                out.push(json!({ "role": role, "content": text }));
            }
            Step::Assistant(said) => {
                let content = match (&said_parts(said, style.of(("file", n), 12) == 1)[..], &said.texts[..]) {
                    ([], _) if parts => json!(""),
                    ([_], [text]) if !parts => json!(text),
                    (parts, _) => json!(parts),
                };
                out.push(json!({ "role": "assistant", "content": content }));
            }
            Step::Approvals(verdicts) => {
                let part = |verdict: &super::Verdict| {
                    let id = &verdict.approval;
                    json!({ "type": "tool-approval-response", "approvalId": id, "approved": verdict.approved })
                };
                let content: Vec<Value> = verdicts.iter().map(part).collect();
                out.push(json!({ "role": "tool", "content": content }));
            }
            Step::Results(batch) => results(batch, style, n, &mut out),
            Step::Unknown { .. } => {}
        }
    }
    out
}

fn user(texts: &[String], image: bool, parts: bool) -> Value {
    if let ([text], false, false) = (texts, image, parts) {
        return json!({ "role": "user", "content": text });
    }
    let mut content: Vec<Value> = texts.iter().map(|text| text_part(text)).collect();
    if image && parts {
        content.push(json!({ "type": "image", "image": png_url() }));
    } else if image {
        content.push(json!({ "type": "file", "mediaType": "image/png", "data": PIXEL }));
    }
    json!({ "role": "user", "content": content })
}

fn reasoning(thought: &Thought) -> Value {
    let mut part = json!({ "type": "reasoning", "text": thought.text });
    if thought.redacted {
        part = json!({ "type": "reasoning", "text": "" });
        part["providerOptions"] = json!({ "anthropic": { "redactedData": thought.signature } });
    } else if !thought.signature.is_empty() {
        part["providerOptions"] = json!({ "anthropic": { "signature": thought.signature } });
    }
    part
}

fn said_parts(said: &Said, file: bool) -> Vec<Value> {
    let mut rest: Vec<Value> = said.texts.iter().map(|text| text_part(text)).collect();
    if file && !rest.is_empty() {
        rest.push(json!({ "type": "file", "mediaType": "image/png", "data": PIXEL }));
    }
    for server in &said.servers {
        let mut call = json!({ "type": "tool-call", "toolCallId": server.id, "toolName": "web_search" });
        let mut result = call.clone();
        if server.half != Half::ResultOnly {
            call["input"] = json!({ "query": server.query });
            call["providerExecuted"] = true.into();
            rest.push(call);
        }
        if server.half != Half::CallOnly {
            result["type"] = "tool-result".into();
            result["output"] = json!({ "type": "json", "value": [] });
            rest.push(result);
        }
    }
    for call in &said.calls {
        let mut part = json!({ "type": "tool-call", "toolName": call.name, "input": call.input });
        set(&mut part, "toolCallId", call.id.as_deref());
        rest.push(part);
    }
    for call in &said.calls {
        if let Some(approval) = &call.approval {
            let mut part = json!({ "type": "tool-approval-request", "approvalId": approval });
            set(&mut part, "toolCallId", call.id.as_deref());
            rest.push(part);
        }
    }
    let thoughts = said.thoughts.iter().map(reasoning);
    if said.thinking_last {
        rest.into_iter().chain(thoughts).collect()
    } else {
        thoughts.chain(rest).collect()
    }
}

fn result(answer: &Answer) -> Value {
    let output = match (answer.error, answer.parts) {
        _ if answer.denied() => json!({ "type": "execution-denied", "reason": answer.content }),
        (true, _) => json!({ "type": "error-text", "value": answer.content }),
        (false, true) => json!({ "type": "content", "value": [text_part(&answer.content)] }),
        (false, false) => json!({ "type": "text", "value": answer.content }),
    };
    let mut part = json!({ "type": "tool-result", "toolName": answer.name, "output": output });
    set(&mut part, "toolCallId", answer.call.as_deref());
    part
}

fn results(batch: &Batch, style: Style, n: usize, out: &mut Vec<Value>) {
    let mut word = batch.word.as_ref().map(|(_, text)| json!({ "role": "user", "content": text }));
    if matches!(batch.word, Some((When::Before, _))) {
        out.extend(word.take());
    }
    // The SDK makes the result of a denied call from the denial; some write it down nevertheless.
    let implied = style.coin(("denied", n));
    let mut parts: Vec<Value> =
        batch.answers.iter().filter(|answer| !(implied && answer.denied())).map(result).collect();
    if batch.apart && parts.len() > 1 {
        let rest = parts.split_off(1);
        out.push(json!({ "role": "tool", "content": parts }));
        parts = rest;
    }
    let merge = style.coin(("merge", n)) && !parts.is_empty();
    match out.last_mut().filter(|last| merge && last["role"] == "tool") {
        Some(last) => last["content"].as_array_mut().expect("a list of parts").extend(parts),
        None if parts.is_empty() && !batch.answers.is_empty() => {}
        None => out.push(json!({ "role": "tool", "content": parts })),
    }
    out.extend(word);
}
