//! Small things that several formats write alike.

use super::{Half, Said, Step, Story};
use serde_json::{json, Value};

pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFUlEQVR4nGOIWuC2atUqBiBVEaABACmUBW+QKI+rAAAAAElFTkSuQmCC";

/// Sets a field unless the value is null.
pub fn set(object: &mut Value, field: &str, value: impl Into<Value>) {
    let value = value.into();
    if !value.is_null() {
        object[field] = value;
    }
}

pub fn png_url() -> String {
    format!("data:image/png;base64,{PIXEL}")
}

pub fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// The blocks of an assistant turn as Anthropic has them; hotl and LangChain carry the same.
pub fn anthropic_blocks(said: &Said) -> Vec<Value> {
    let thinking = said.thoughts.iter().map(|thought| {
        if thought.redacted {
            return json!({ "type": "redacted_thinking", "data": thought.signature });
        }
        let mut block = json!({ "type": "thinking", "thinking": thought.text });
        set(&mut block, "signature", Some(&*thought.signature).filter(|signature| !signature.is_empty()));
        block
    });
    let mut rest: Vec<Value> = said.texts.iter().map(|text| text_part(text)).collect();
    for server in &said.servers {
        if server.half != Half::ResultOnly {
            let input = json!({ "query": server.query });
            rest.push(json!({ "type": "server_tool_use", "id": server.id, "name": "web_search", "input": input }));
        }
        if server.half != Half::CallOnly {
            let found = json!([{ "type": "web_search_result", "url": "https://example.org", "title": server.query }]);
            rest.push(json!({ "type": "web_search_tool_result", "tool_use_id": server.id, "content": found }));
        }
    }
    for call in &said.calls {
        let mut block = json!({ "type": "tool_use", "name": call.name, "input": call.input });
        set(&mut block, "id", call.id.as_deref());
        rest.push(block);
    }
    if said.thinking_last {
        rest.into_iter().chain(thinking).collect()
    } else {
        thinking.chain(rest).collect()
    }
}

/// Whether the assistant has spoken before this step: only then can a message of his stand in front of it.
pub fn spoken_before(story: &Story, step: usize) -> bool {
    story.steps[..step].iter().rev().any(|step| matches!(step, Step::Assistant(_)))
}
