//! LangChain messages in one of the two serialised forms.

use super::parts::{anthropic_blocks, png_url, set, text_part};
use super::style::Style;
use super::{Answer, Batch, Said, Step, Story, When};
use serde_json::{json, Value};

struct Writer {
    out: Vec<Value>,
    style: Style,
    constructor: bool,
}

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let mut writer = Writer { out: Vec::new(), style, constructor: style.coin("constructor") };
    for (n, step) in story.steps.iter().enumerate() {
        writer.step(n, step);
    }
    writer.out
}

impl Writer {
    fn push(&mut self, kind: &str, class: &str, mut fields: Value) {
        if fields.get("additional_kwargs").is_none() {
            fields["additional_kwargs"] = json!({});
        }
        fields["response_metadata"] = json!({});
        self.out.push(if self.constructor {
            let id = json!(["langchain_core", "messages", class]);
            json!({ "lc": 1, "type": "constructor", "id": id, "kwargs": fields })
        } else {
            json!({ "type": kind, "data": fields })
        });
    }

    fn human(&mut self, fields: Value) {
        self.push("human", "HumanMessage", fields);
    }

    fn step(&mut self, n: usize, step: &Step) {
        let blocks = self.style.coin(("blocks", n));
        match step {
            Step::System { text, .. } => self.push("system", "SystemMessage", json!({ "content": text })),
            Step::User { texts, image } => match (&texts[..], image, blocks) {
                ([text], false, false) => self.human(json!({ "content": text })),
                _ => {
                    let mut content: Vec<Value> = texts.iter().map(|text| text_part(text)).collect();
                    if *image {
                        content.push(json!({ "type": "image_url", "image_url": { "url": png_url() } }));
                    }
                    self.human(json!({ "content": content }));
                }
            },
            Step::Injected { kind, text } => self.human(json!({ "content": text, "name": kind })),
            Step::Summary { text } => {
                let source = json!({ "lc_source": "summarization" });
                self.human(json!({ "content": text, "additional_kwargs": source }));
            }
            Step::Unknown { text } => self.push("remove", "RemoveMessage", json!({ "content": "", "id": text })),
            Step::Assistant(said) => self.said(said, blocks),
            Step::Results(batch) => self.results(batch),
            Step::Approvals(_) => {}
        }
    }

    fn said(&mut self, said: &Said, blocks: bool) {
        let call = |call: &super::Call| {
            let mut entry = json!({ "name": call.name, "args": call.input, "type": "tool_call" });
            set(&mut entry, "id", call.id.as_deref());
            entry
        };
        let calls: Vec<Value> = said.calls.iter().map(call).collect();
        let mut fields = json!({ "tool_calls": calls, "invalid_tool_calls": [] });
        if blocks {
            fields["content"] = anthropic_blocks(said).into();
        } else {
            fields["content"] = said.texts.join("\n").into();
            if let Some(thought) = said.thoughts.first() {
                fields["additional_kwargs"] = json!({ "reasoning_content": thought.text });
            }
        }
        fields["usage_metadata"] = json!({ "input_tokens": 10, "output_tokens": 5, "total_tokens": 15 });
        self.push("ai", "AIMessage", fields);
    }

    fn results(&mut self, batch: &Batch) {
        let word = batch.word.as_ref().map(|(_, text)| json!({ "content": text }));
        let (before, after) = match batch.word {
            Some((When::Before, _)) => (word, None),
            _ => (None, word),
        };
        before.into_iter().for_each(|word| self.human(word));
        batch.answers.iter().for_each(|answer| self.result(answer));
        after.into_iter().for_each(|word| self.human(word));
    }

    fn result(&mut self, answer: &Answer) {
        let content = if answer.parts { json!([text_part(&answer.content)]) } else { json!(answer.content) };
        let status = if answer.error { "error" } else { "success" };
        let mut fields = json!({ "content": content, "name": answer.name, "status": status });
        set(&mut fields, "tool_call_id", answer.call.as_deref());
        self.push("tool", "ToolMessage", fields);
    }
}
