//! OpenAI Chat Completions.

use super::parts::{png_url, set, text_part};
use super::style::Style;
use super::{Batch, Said, Step, Story, When};
use serde_json::{json, Value};

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let mut out = Vec::new();
    // The assistant just called by name, as it was done before there were ids.
    let mut by_name = None;
    for (n, step) in story.steps.iter().enumerate() {
        let parts = style.coin(("parts", n));
        match step {
            Step::System { text, developer } => {
                let role = if *developer { "developer" } else { "system" };
                out.push(json!({ "role": role, "content": text }));
            }
            Step::User { texts, image } => out.push(user(texts, *image, parts)),
            Step::Injected { kind, text } => out.push(json!({ "role": "user", "name": kind, "content": text })),
            Step::Summary { text } => {
                let role = if style.coin("summary") { "system" } else { "user" };
                out.push(json!({ "role": role, "content": text }));
            }
            Step::Assistant(said) => {
                by_name = Some("lookup")
                    .filter(|name| style.coin("by name") && matches!(&said.calls[..], [call] if call.name == *name));
                out.push(assistant(said, by_name.is_some(), parts));
            }
            Step::Results(batch) => results(batch, by_name, &mut out),
            Step::Unknown { .. } | Step::Approvals(_) => {}
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
        content.push(json!({ "type": "image_url", "image_url": { "url": png_url(), "detail": "low" } }));
    }
    json!({ "role": "user", "content": content })
}

fn assistant(said: &Said, by_name: bool, parts: bool) -> Value {
    let mut message = json!({ "role": "assistant", "content": null });
    match &said.texts[..] {
        [] => {}
        texts if parts => message["content"] = texts.iter().map(|text| text_part(text)).collect(),
        texts => message["content"] = texts.join("\n").into(),
    }
    if !said.thoughts.is_empty() {
        let thoughts: Vec<&str> = said.thoughts.iter().map(|thought| &*thought.text).collect();
        message["reasoning_content"] = thoughts.join("\n").into();
    }
    if by_name {
        let call = &said.calls[0];
        message["function_call"] = json!({ "name": call.name, "arguments": call.input.to_string() });
    } else if !said.calls.is_empty() || said.empty_calls {
        let call = |call: &super::Call| {
            let function = json!({ "name": call.name, "arguments": call.input.to_string() });
            let mut call_json = json!({ "type": "function", "function": function });
            set(&mut call_json, "id", call.id.as_deref());
            call_json
        };
        message["tool_calls"] = said.calls.iter().map(call).collect();
    }
    message
}

fn results(batch: &Batch, by_name: Option<&str>, out: &mut Vec<Value>) {
    let word = batch.word.as_ref().map(|(_, text)| json!({ "role": "user", "content": text }));
    let (before, after) = match batch.word {
        Some((When::Before, _)) => (word, None),
        _ => (None, word),
    };
    out.extend(before);
    out.extend(batch.answers.iter().map(|answer| {
        if Some(answer.name) == by_name {
            return json!({ "role": "function", "name": answer.name, "content": answer.content });
        }
        let content = if answer.parts { json!([text_part(&answer.content)]) } else { json!(answer.content) };
        let mut message = json!({ "role": "tool", "content": content });
        set(&mut message, "tool_call_id", answer.call.as_deref());
        message
    }));
    out.extend(after);
}
