//! OpenAI Responses items, and by style their camelCase twin of the Agents SDK.

use super::parts::{png_url, set};
use super::style::Style;
use super::{Answer, Batch, Call, Half, Said, Step, Story, Thought, Verdict, When};
use serde_json::{json, Value};

struct Writer {
    out: Vec<Value>,
    style: Style,
    camel: bool,
    /// Items have ids of their own.
    ids: bool,
}

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let camel = style.of("twin", 3) == 1;
    let mut writer = Writer { out: Vec::new(), style, camel, ids: !style.coin("no ids") };
    for (n, step) in story.steps.iter().enumerate() {
        writer.step(n, step);
    }
    writer.out
}

impl Writer {
    fn push(&mut self, mut item: Value, prefix: &str) {
        if self.ids {
            item["id"] = format!("{prefix}_{}", self.out.len()).into();
        }
        self.out.push(item);
    }

    fn coin(&self, key: &str) -> bool {
        self.style.coin((key, self.out.len()))
    }

    fn step(&mut self, n: usize, step: &Step) {
        match step {
            Step::System { text, developer } => {
                let role = if *developer && !self.camel { "developer" } else { "system" };
                self.message(role, std::slice::from_ref(text), false);
            }
            Step::User { texts, image } => self.message("user", texts, *image),
            Step::Injected { kind, text } => self.message("user", &[format!("<{kind}>{text}</{kind}>")], false),
            Step::Summary { text } if self.style.coin(("summary", n)) => {
                self.message("user", std::slice::from_ref(text), false);
            }
            Step::Summary { text } => {
                self.push(json!({ "type": "compaction", "encrypted_content": format!("gAAA{text}") }), "cmp");
            }
            Step::Unknown { text } => self.push(json!({ "type": "checkpoint", "note": text }), "chk"),
            Step::Assistant(said) => self.said(said),
            Step::Approvals(verdicts) if !self.camel => verdicts.iter().for_each(|verdict| self.verdict(verdict)),
            Step::Approvals(_) => {}
            Step::Results(batch) => self.results(batch),
        }
    }

    fn message(&mut self, role: &str, texts: &[String], image: bool) {
        let easy = self.coin("easy");
        let mut item = json!({ "role": role });
        if let ([text], false, true) = (texts, image, easy) {
            item["content"] = text.clone().into();
        } else {
            let kind = if role == "assistant" { "output_text" } else { "input_text" };
            let mut parts: Vec<Value> = texts.iter().map(|text| json!({ "type": kind, "text": text })).collect();
            if image {
                let field = if self.camel { "image" } else { "image_url" };
                parts.push(json!({ "type": "input_image", field: png_url() }));
            }
            item["content"] = parts.into();
        }
        if !easy || self.coin("typed") {
            item["type"] = "message".into();
        }
        if role == "assistant" {
            item["status"] = "completed".into();
            self.push(item, "msg");
        } else {
            self.out.push(item);
        }
    }

    fn said(&mut self, said: &Said) {
        if !said.thinking_last {
            said.thoughts.iter().for_each(|thought| self.thought(thought));
        }
        for server in &said.servers {
            // The item holds call and result: half of it is an item that did not get far.
            let status = if server.half == Half::Whole { "completed" } else { "failed" };
            if self.camel {
                self.push(json!({ "type": "hosted_tool_call", "name": "web_search_call", "status": status }), "ws");
            } else {
                let action = json!({ "type": "search", "query": server.query });
                self.push(json!({ "type": "web_search_call", "status": status, "action": action }), "ws");
            }
        }
        if self.coin("together") {
            if !said.texts.is_empty() {
                self.message("assistant", &said.texts, false);
            }
        } else {
            for text in &said.texts {
                self.message("assistant", std::slice::from_ref(text), false);
            }
        }
        let (waiting, ready): (Vec<&Call>, Vec<&Call>) =
            said.calls.iter().partition(|call| call.approval.is_some() && !self.camel);
        for call in waiting {
            let mut item = json!({ "type": "mcp_approval_request", "name": call.name, "server_label": "mcp" });
            item["arguments"] = call.input.to_string().into();
            set(&mut item, "id", call.approval.as_deref());
            self.out.push(item);
        }
        ready.into_iter().for_each(|call| self.call(call));
        if said.thinking_last {
            said.thoughts.iter().for_each(|thought| self.thought(thought));
        }
        if *said == Said::default() {
            self.message("assistant", &[], false);
        }
    }

    fn thought(&mut self, thought: &Thought) {
        let signed = Some(&*thought.signature).filter(|signature| !signature.is_empty());
        let mut item = json!({ "type": "reasoning" });
        let (list, part) = if self.camel { ("content", "input_text") } else { ("summary", "summary_text") };
        item[list] = json!([]);
        if !thought.redacted {
            item[list] = json!([{ "type": part, "text": thought.text }]);
        }
        if let (Some(signed), false) = (signed, self.camel) {
            item["encrypted_content"] = signed.into();
        } else if let Some(signed) = signed {
            item["providerData"] = json!({ "encrypted_content": signed });
        }
        self.push(item, "rs");
    }

    fn call_id(&self) -> &'static str {
        if self.camel {
            "callId"
        } else {
            "call_id"
        }
    }

    fn call(&mut self, call: &Call) {
        let mut item = json!({ "type": "function_call", "name": call.name, "arguments": call.input.to_string() });
        if self.custom(call.name) {
            item = json!({ "type": "custom_tool_call", "name": call.name, "input": call.input.to_string() });
        }
        set(&mut item, self.call_id(), call.id.as_deref());
        self.push(item, "fc");
    }

    fn custom(&self, name: &str) -> bool {
        name == "apply_patch" && !self.camel
    }

    fn verdict(&mut self, verdict: &Verdict) {
        let mut item = json!({ "type": "mcp_approval_response", "approve": verdict.approved });
        item["approval_request_id"] = verdict.approval.clone().into();
        self.out.push(item);
    }

    fn results(&mut self, batch: &Batch) {
        let word = batch.word.as_ref().map(|(_, text)| std::slice::from_ref(text));
        let before = matches!(batch.word, Some((When::Before | When::During, _)));
        if let (Some(word), true) = (word, before) {
            self.message("user", word, false);
        }
        batch.answers.iter().for_each(|answer| self.result(answer));
        if let (Some(word), false) = (word, before) {
            self.message("user", word, false);
        }
    }

    fn result(&mut self, answer: &Answer) {
        if let (Some((approval, approved)), false) = (&answer.approval, self.camel) {
            // The provider calls its tool after the approval; a denied call leaves nothing.
            if *approved {
                let mut item = json!({ "type": "mcp_call", "name": answer.name, "server_label": "mcp" });
                item["approval_request_id"] = approval.clone().into();
                item["arguments"] = "{}".into();
                item["output"] = answer.content.clone().into();
                self.push(item, "mcp");
            }
            return;
        }
        let kind = match () {
            () if self.camel => "function_call_result",
            () if self.custom(answer.name) => "custom_tool_call_output",
            () => "function_call_output",
        };
        let output = match (self.camel, answer.parts) {
            (true, _) => json!({ "type": "text", "text": answer.content }),
            (false, true) => json!([{ "type": "input_text", "text": answer.content }]),
            (false, false) => json!(answer.content),
        };
        let mut item = json!({ "type": kind, "output": output });
        set(&mut item, self.call_id(), answer.call.as_deref());
        set(&mut item, "name", Some(answer.name).filter(|_| self.camel));
        if self.coin("output id") {
            self.push(item, "fco");
        } else {
            self.out.push(item);
        }
    }
}
