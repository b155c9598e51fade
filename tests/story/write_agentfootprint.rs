//! agentfootprint's LLMMessage.

use super::parts::set;
use super::style::Style;
use super::{Batch, Said, Step, Story, When};
use serde_json::{json, Value};

const FRAME: &str =
    "[compacted history — 12 earlier message(s) were folded out of this window at iteration 4. The text \
                     after this line is a SUMMARY written by a model; it is a claim about the conversation.]";

pub fn write(story: &Story, style: Style) -> Vec<Value> {
    let mut out = Vec::new();
    for (n, step) in story.steps.iter().enumerate() {
        match step {
            Step::System { text, .. } => out.push(json!({ "role": "system", "content": text })),
            Step::User { texts, .. } if texts.is_empty() => out.push(json!({ "role": "user" })),
            Step::User { texts, .. } => out.push(json!({ "role": "user", "content": texts.join("\n") })),
            Step::Injected { kind, text } => {
                let mut message = json!({ "role": "user", "content": text, "injectedBy": kind });
                set(&mut message, "ephemeral", style.coin(("ephemeral", n)).then_some(true));
                out.push(message);
            }
            Step::Summary { text } => out.push(json!({ "role": "user", "content": format!("{FRAME}\n\n{text}") })),
            Step::Assistant(said) => out.push(assistant(said, style, n)),
            Step::Results(batch) => results(batch, &mut out),
            Step::Unknown { .. } | Step::Approvals(_) => {}
        }
    }
    out
}

fn assistant(said: &Said, style: Style, n: usize) -> Value {
    let mut message = json!({ "role": "assistant", "content": said.texts.join("\n") });
    let signature = said.thoughts.first().map(|thought| thought.signature.clone());
    let calls = said.calls.iter().enumerate().map(|(c, call)| {
        let mut entry = json!({ "name": call.name, "args": call.input });
        set(&mut entry, "id", call.id.as_deref());
        if let (Some(signature), true, 0) = (&signature, style.coin(("meta", n)), c) {
            entry["providerMeta"] = json!({ "thoughtSignature": signature });
        }
        entry
    });
    if !said.calls.is_empty() || said.empty_calls {
        message["toolCalls"] = calls.collect();
    }
    if !said.thoughts.is_empty() {
        let block = |thought: &super::Thought| {
            if thought.redacted {
                return json!({ "type": "redacted_thinking", "data": thought.signature });
            }
            json!({ "type": "thinking", "thinking": thought.text, "signature": thought.signature })
        };
        message["thinkingBlocks"] = said.thoughts.iter().map(block).collect();
    }
    message
}

fn results(batch: &Batch, out: &mut Vec<Value>) {
    let word = batch.word.as_ref().map(|(_, text)| json!({ "role": "user", "content": text }));
    let (before, after) = match batch.word {
        Some((When::Before, _)) => (word, None),
        _ => (None, word),
    };
    out.extend(before);
    out.extend(batch.answers.iter().map(|answer| {
        let mut message = json!({ "role": "tool", "content": answer.content, "toolName": answer.name });
        set(&mut message, "toolCallId", answer.call.as_deref());
        message
    }));
    out.extend(after);
}
