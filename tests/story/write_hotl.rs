//! hotl items.

use super::parts::{anthropic_blocks, set, PIXEL};
use super::style::Style;
use super::{Answer, Batch, Step, Story, When};
use serde_json::{json, Value};

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let mut out = Vec::new();
    for (n, step) in story.steps.iter().enumerate() {
        match step {
            Step::System { text, .. } => out.push(json!({ "type": "system", "text": text })),
            Step::User { texts, image } => {
                let mut item = json!({ "type": "user", "text": texts.join("\n") });
                if *image {
                    item["images"] = json!([{ "media_type": "image/png", "data": PIXEL }]);
                }
                out.push(item);
            }
            Step::Injected { kind, text } => out.push(json!({ "type": "user", "text": text, "synthetic": kind })),
            Step::Summary { text } => {
                let text = format!("<compaction-summary>\n{text}\n</compaction-summary>\nGo on from here.");
                out.push(json!({ "type": "user", "text": text, "synthetic": "compaction_summary" }));
            }
            Step::Unknown { text } => out.push(json!({ "type": "checkpoint", "note": text })),
            Step::Assistant(said) => {
                let mut item = json!({ "type": "assistant", "blocks": anthropic_blocks(said) });
                set(&mut item, "model", style.coin(("model", n)).then_some("some-model"));
                out.push(item);
            }
            Step::Results(batch) => results(batch, &mut out),
            Step::Approvals(_) => {}
        }
    }
    out
}

fn result(answer: &Answer) -> Value {
    let mut row = json!({ "content": answer.content });
    set(&mut row, "tool_use_id", answer.call.as_deref());
    set(&mut row, "is_error", answer.error.then_some(true));
    row
}

fn results(batch: &Batch, out: &mut Vec<Value>) {
    let mut rows: Vec<Value> = batch.answers.iter().map(result).collect();
    let mut word = batch.word.as_ref().map(|(_, text)| json!({ "type": "user", "text": text, "synthetic": "steer" }));
    if matches!(batch.word, Some((When::Before | When::During, _))) {
        out.extend(word.take());
    }
    if batch.apart && rows.len() > 1 {
        let rest = rows.split_off(1);
        out.push(json!({ "type": "tool_results", "results": rows }));
        rows = rest;
    }
    out.push(json!({ "type": "tool_results", "results": rows }));
    out.extend(word);
}
