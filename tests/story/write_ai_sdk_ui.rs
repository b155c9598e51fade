//! Vercel AI SDK UIMessage: a result is written into the part of its call.

use super::parts::{png_url, set, text_part};
use super::style::Style;
use super::{Answer, Call, Half, Said, Step, Story, Verdict};
use serde_json::{json, Value};
use std::collections::HashMap;

struct Writer {
    out: Vec<Value>,
    style: Style,
    /// The message and part of the latest call with an id.
    calls: HashMap<Option<String>, (usize, usize)>,
    /// The assistant's message goes on: results came, nobody spoke.
    goes_on: bool,
}

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let mut writer = Writer { out: Vec::new(), style, calls: HashMap::new(), goes_on: false };
    for (n, step) in story.steps.iter().enumerate() {
        writer.step(n, step);
    }
    writer.out
}

impl Writer {
    fn push(&mut self, role: &str, parts: Vec<Value>) {
        let id = format!("m{}", self.out.len());
        self.out.push(json!({ "id": id, "role": role, "parts": parts }));
        self.goes_on = false;
    }

    fn step(&mut self, n: usize, step: &Step) {
        match step {
            Step::System { text, .. } => self.push("system", vec![text_part(text)]),
            Step::User { texts, image } => {
                let mut parts: Vec<Value> = texts.iter().map(|text| text_part(text)).collect();
                if *image {
                    parts.push(json!({ "type": "file", "mediaType": "image/png", "url": png_url() }));
                }
                self.push("user", parts);
            }
            Step::Injected { kind, text } => {
                self.push("user", vec![text_part(text)]);
                self.out.last_mut().expect("just pushed")["metadata"] = json!({ "injected": kind });
            }
            Step::Summary { text } => {
                self.push("assistant", vec![text_part(text)]);
                self.out.last_mut().expect("just pushed")["id"] = format!("compaction_{n}").into();
            }
            Step::Unknown { text } => {
                let last = self.out.last_mut().filter(|last| last["role"] == "assistant");
                if let Some(parts) = last.and_then(|last| last["parts"].as_array_mut()) {
                    parts.push(json!({ "type": "data-note", "id": format!("d{n}"), "data": { "note": text } }));
                }
            }
            Step::Assistant(said) => self.said(n, said),
            Step::Approvals(verdicts) => verdicts.iter().for_each(|verdict| self.verdict(verdict)),
            Step::Results(batch) => {
                batch.answers.iter().for_each(|answer| self.answer(answer));
                self.goes_on = self.style.coin("one message");
                if let Some((_, word)) = &batch.word {
                    self.push("user", vec![text_part(word)]);
                }
            }
        }
    }

    fn said(&mut self, n: usize, said: &Said) {
        // Inside one message ids must differ; a back end that uses them again begins a new one.
        let last = self.out.len().wrapping_sub(1);
        let again = |call: &Call| self.calls.get(&call.id).is_some_and(|(message, _)| *message == last);
        let goes_on = self.goes_on
            && self.out.last().is_some_and(|last| last["role"] == "assistant")
            && !said.calls.iter().any(again);
        if !goes_on {
            self.push("assistant", Vec::new());
        }
        self.goes_on = false;
        let message = self.out.len() - 1;
        let mut parts = self.out[message]["parts"].take().as_array().cloned().unwrap_or_default();
        let seams = goes_on || self.style.coin("seams");
        if seams && *said != Said::default() {
            parts.push(json!({ "type": "step-start" }));
        }
        let thoughts = said.thoughts.iter().map(|thought| {
            let mut part = json!({ "type": "reasoning", "text": thought.text, "state": "done" });
            if !thought.signature.is_empty() {
                part["providerMetadata"] = json!({ "anthropic": { "signature": thought.signature } });
            }
            part
        });
        let (first, last) = if said.thinking_last { (None, Some(thoughts)) } else { (Some(thoughts), None) };
        parts.extend(first.into_iter().flatten());
        parts.extend(said.texts.iter().map(|text| text_part(text)));
        if self.style.of(("source", n), 10) == 1 && !said.texts.is_empty() {
            parts.push(json!({ "type": "source-url", "sourceId": format!("s{n}"), "url": "https://example.org" }));
        }
        for server in &said.servers {
            let mut part = json!({ "type": "tool-web_search", "toolCallId": server.id, "providerExecuted": true });
            part["state"] = "input-available".into();
            part["input"] = json!({ "query": server.query });
            if server.half != Half::CallOnly {
                part["state"] = "output-available".into();
                part["output"] = json!([]);
            }
            parts.push(part);
        }
        for (c, call) in said.calls.iter().enumerate() {
            self.calls.insert(call.id.clone(), (message, parts.len()));
            let mut part = if self.style.coin(("dynamic", call.name)) {
                json!({ "type": "dynamic-tool", "toolName": call.name })
            } else {
                json!({ "type": format!("tool-{}", call.name) })
            };
            set(&mut part, "toolCallId", call.id.as_deref());
            part["state"] = "input-available".into();
            part["input"] = call.input.clone();
            if let Some(approval) = &call.approval {
                part["state"] = "approval-requested".into();
                part["approval"] = json!({ "id": approval });
            } else if self.style.of(("streaming", n * 8 + c), 4) == 1 {
                part["state"] = "input-streaming".into();
            }
            parts.push(part);
        }
        parts.extend(last.into_iter().flatten());
        self.out[message]["parts"] = parts.into();
    }

    fn part(&mut self, call: &Option<String>) -> Option<&mut Value> {
        let (message, part) = *self.calls.get(call)?;
        self.out[message]["parts"].get_mut(part)
    }

    fn verdict(&mut self, verdict: &Verdict) {
        let approval = json!({ "id": verdict.approval, "approved": verdict.approved });
        if let Some(part) = self.part(&verdict.call).filter(|part| part["state"] == "approval-requested") {
            part["state"] = "approval-responded".into();
            part["approval"] = approval;
        }
    }

    fn answer(&mut self, answer: &Answer) {
        let Some(part) = self.part(&answer.call) else { return };
        let (state, field) = match () {
            () if answer.denied() => ("output-denied", None),
            () if answer.error => ("output-error", Some("errorText")),
            () => ("output-available", Some("output")),
        };
        part["state"] = state.into();
        if let Some(field) = field {
            part[field] = answer.content.clone().into();
        }
    }
}
