//! agentfootprint `LLMMessage`: `{role, content: string}` with `toolCalls` on the assistant's message and one `role: "tool"`
//! message per result.

use super::blocks::block_parts;
use super::{fit_role_content, role_by_name, Fit, MessageFormat, Unanswered, ASSISTANT, SYSTEM, TOOL, USER};
use crate::json::{quote, Kind, Value};
use crate::message::{Part, Provenance, Role};
use crate::profile::{self, Profile};

pub(super) struct Agentfootprint;

impl MessageFormat for Agentfootprint {
    fn profile(&self) -> &'static Profile {
        &profile::ANY_CHAT
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        let known = fit_role_content(message, &["system", "user", "assistant", "tool"]);
        let text = message.get("content").is_none_or(|content| matches!(content.kind(), Kind::String | Kind::Null));
        if known == Fit::Impossible || !text {
            return Fit::Impossible;
        }
        let bare = message.get_str("content").is_none();
        let list = |key: &str| message.get(key).is_some_and(|value| value.kind() == Kind::Array);
        let own = list("toolCalls") || list("thinkingBlocks") || message.get_str("toolCallId").is_some();
        if own || message.get("injectedBy").is_some() || message.get("ephemeral").is_some() {
            return Fit::Certain;
        }
        if bare || message.get("role").is_some_and(|role| role.is_str("tool")) {
            return Fit::Unusual;
        }
        Fit::Possible
    }

    fn role(&self, message: Value<'_>) -> Role {
        role_by_name(message, &[SYSTEM, USER, ASSISTANT, TOOL])
    }

    fn provenance(&self, message: Value<'_>) -> Provenance {
        if message.get_str("injectedBy").is_some() {
            Provenance::Injected
        } else {
            Provenance::Plain
        }
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        let content = message.get_str("content");
        if self.role(message) == Role::Tool {
            let (id, name) = (message.get("toolCallId"), message.get_str("toolName"));
            let error = message.get("isError").is_some_and(Value::is_true);
            return visit(Part::Result { id, name, content, error, raw: message });
        }
        let list = |key: &str| message.get(key).into_iter().flat_map(Value::items);
        list("thinkingBlocks").for_each(|block| block_parts(block, visit));
        if let Some(text) = content {
            visit(Part::Text(text));
        }
        for call in list("toolCalls") {
            let (id, name, arguments) = (call.get("id"), call.get_str("name"), call.get("args"));
            visit(Part::Call { id, name, arguments, hosted: false, raw: call });
        }
    }

    fn list<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get("thinkingBlocks").filter(|blocks| blocks.kind() == Kind::Array)
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        let (id, name, text) = (call.id, call.name, quote(text));
        Some(format!(r#"{{"role":"tool","content":{text},"toolCallId":{id},"toolName":{name}}}"#))
    }

    fn id_path(&self, _message: Value<'_>, _raw: Value<'_>, result: bool) -> Vec<&'static str> {
        vec![if result { "toolCallId" } else { "id" }]
    }
}
