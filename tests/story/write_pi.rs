//! pi messages. The system's text stands beside them and is left out.

use super::parts::{set, text_part, PIXEL};
use super::style::Style;
use super::{Answer, Batch, Said, Step, Story, When};
use serde_json::{json, Value};

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let mut out = Vec::new();
    for (n, step) in story.steps.iter().enumerate() {
        match step {
            Step::User { texts, image } => out.push(user(texts, *image, style.coin(("parts", n)))),
            Step::Injected { kind, text } => out.push(if style.coin(("shell", n)) {
                json!({ "role": "bashExecution", "command": "make", "output": text, "exitCode": 0, "cancelled": false })
            } else {
                json!({ "role": "custom", "customType": kind, "content": text, "display": true })
            }),
            Step::Summary { text } => {
                let role = if style.coin(("branch", n)) { "branchSummary" } else { "compactionSummary" };
                out.push(json!({ "role": role, "summary": text, "tokensBefore": 50_000 }));
            }
            Step::Unknown { text } => out.push(json!({ "role": "brandNewRole", "note": text })),
            Step::Assistant(said) => out.push(assistant(said)),
            Step::Results(batch) => results(batch, &mut out),
            Step::System { .. } | Step::Approvals(_) => {}
        }
        // Most messages of pi say when they were written.
        if let Some(last) = out.last_mut().filter(|last| last.get("timestamp").is_none()) {
            last["timestamp"] = (1_700_000_000_000_u64 + n as u64).into();
        }
    }
    out
}

fn user(texts: &[String], image: bool, parts: bool) -> Value {
    if let ([text], false, false) = (texts, image, parts) {
        return json!({ "role": "user", "content": text });
    }
    let mut content: Vec<Value> = texts.iter().map(|text| text_part(text)).collect();
    if image {
        content.push(json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" }));
    }
    json!({ "role": "user", "content": content })
}

fn assistant(said: &Said) -> Value {
    let thoughts = said.thoughts.iter().map(|thought| {
        let mut part = json!({ "type": "thinking", "thinking": thought.text });
        if thought.redacted {
            part = json!({ "type": "thinking", "thinking": "", "redacted": true });
        }
        set(&mut part, "thinkingSignature", Some(&*thought.signature).filter(|signature| !signature.is_empty()));
        part
    });
    let texts = said.texts.iter().map(|text| text_part(text));
    let calls = said.calls.iter().map(|call| {
        let mut part = json!({ "type": "toolCall", "name": call.name, "arguments": call.input });
        set(&mut part, "id", call.id.as_deref());
        part
    });
    let content: Vec<Value> = if said.thinking_last {
        texts.chain(calls).chain(thoughts).collect()
    } else {
        thoughts.chain(texts).chain(calls).collect()
    };
    let reason = if said.calls.is_empty() { "stop" } else { "toolUse" };
    let usage = json!({ "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2 });
    json!({ "role": "assistant", "content": content, "usage": usage, "stopReason": reason })
}

fn result(answer: &Answer) -> Value {
    let mut message = json!({ "role": "toolResult", "toolName": answer.name, "isError": answer.error });
    message["content"] = json!([text_part(&answer.content)]);
    set(&mut message, "toolCallId", answer.call.as_deref());
    message
}

fn results(batch: &Batch, out: &mut Vec<Value>) {
    let mut word = batch.word.as_ref().map(|(_, text)| json!({ "role": "user", "content": text }));
    if matches!(batch.word, Some((When::Before, _))) {
        out.extend(word.take());
    }
    out.extend(batch.answers.iter().map(result));
    out.extend(word);
}
