//! Anthropic Messages.

use super::parts::{anthropic_blocks, set, spoken_before, text_part, PIXEL};
use super::style::Style;
use super::{Answer, Batch, Step, Story, When};
use serde_json::{json, Value};

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let mut out = Vec::new();
    for (n, step) in story.steps.iter().enumerate() {
        match step {
            Step::System { text, .. } => out.push(json!({ "role": "system", "content": text })),
            Step::User { texts, image } => out.push(user(texts, *image, style.coin(("user", n)))),
            Step::Injected { kind, text } => {
                let text = format!("<{kind}>\n{text}\n</{kind}>");
                out.push(user(&[text], false, style.coin(("user", n))));
            }
            Step::Summary { text } if style.coin("compaction") && spoken_before(story, n) => {
                let block = json!({ "type": "compaction", "content": text, "encrypted_content": null });
                out.push(json!({ "role": "assistant", "content": [block] }));
            }
            Step::Summary { text } => out.push(user(std::slice::from_ref(text), false, false)),
            Step::Assistant(said) => {
                let blocks = anthropic_blocks(said);
                let plain = blocks.len() == 1 && said.texts.len() == 1 && !style.coin(("said", n));
                let content = if plain { json!(said.texts[0]) } else { json!(blocks) };
                out.push(json!({ "role": "assistant", "content": content }));
            }
            Step::Results(batch) => results(batch, &mut out),
            Step::Unknown { .. } | Step::Approvals(_) => {}
        }
    }
    out
}

fn user(texts: &[String], image: bool, parts: bool) -> Value {
    if let ([text], false, false) = (texts, image, parts) {
        return json!({ "role": "user", "content": text });
    }
    let mut blocks = Vec::new();
    if image {
        let source = json!({ "type": "base64", "media_type": "image/png", "data": PIXEL });
        blocks.push(json!({ "type": "image", "source": source }));
    }
    blocks.extend(texts.iter().map(|text| text_part(text)));
    json!({ "role": "user", "content": blocks })
}

fn result(answer: &Answer) -> Value {
    let content = if answer.parts { json!([text_part(&answer.content)]) } else { json!(answer.content) };
    let mut block = json!({ "type": "tool_result", "content": content });
    set(&mut block, "tool_use_id", answer.call.as_deref());
    set(&mut block, "is_error", answer.error.then_some(true));
    block
}

fn results(batch: &Batch, out: &mut Vec<Value>) {
    let mut blocks: Vec<Value> = batch.answers.iter().map(result).collect();
    if batch.apart && blocks.len() > 1 {
        let rest = blocks.split_off(1);
        out.push(json!({ "role": "user", "content": blocks }));
        blocks = rest;
    }
    match &batch.word {
        Some((When::Before, word)) => blocks.insert(0, text_part(word)),
        Some((_, word)) => blocks.push(text_part(word)),
        None => {}
    }
    out.push(json!({ "role": "user", "content": blocks }));
}
