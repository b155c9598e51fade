//! OpenAI Responses items: messages, reasoning, calls and outputs side by side in one flat list. The items of the OpenAI
//! Agents SDK are the same in camelCase.
//!
//! Read by shape, not by a list of types: what ends in `_call` and has a call id waits for what ends in `_output` or
//! `_result` and has the same one. What ends in `_call` without one was run by the provider.

use super::{content_parts, fit_role_content, role_by_name, text_form, Fit, MessageFormat, Unanswered};
use super::{ASSISTANT, DEVELOPER, SYSTEM, USER};
use crate::convert::media::{Media, MediaKind, MediaSource, Spot};
use crate::convert::turn::{list, Answer, Arguments, Call, Piece, Turn};
use crate::convert::Room;
use crate::json::{quote, Kind, Value};
use crate::message::{Approval, Part, Provenance, Role};
use crate::profile::{self, Profile};

pub(super) struct OpenaiResponses;

const SUMMARIES: [&str; 3] = ["compaction", "compaction_summary", "context_compaction"];

/// What an item is.
enum Item {
    Message,
    Reasoning,
    Call,
    Output,
    Request,
    Answer,
    Summary,
    Unknown,
}

fn item(message: Value<'_>) -> Item {
    let Some(kind) = message.get("type") else { return Item::Message };
    let text = kind.text().unwrap_or_default();
    let hosted_name = message.get("name").filter(|_| kind.is_str("hosted_tool_call"));
    if kind.is_str("message") {
        Item::Message
    } else if kind.is_str("reasoning") {
        Item::Reasoning
    } else if kind.is_str("mcp_approval_request") || hosted_name.is_some_and(|n| n.is_str("mcp_approval_request")) {
        Item::Request
    } else if kind.is_str("mcp_approval_response") || hosted_name.is_some_and(|n| n.is_str("mcp_approval_response")) {
        Item::Answer
    } else if kind.is_any(&SUMMARIES) && sealed(message) {
        Item::Summary
    } else if text.ends_with(b"_call") || kind.is_str("mcp_list_tools") {
        Item::Call
    } else if call_id(message).is_some() && (text.ends_with(b"_output") || text.ends_with(b"_result")) {
        Item::Output
    } else {
        Item::Unknown
    }
}

fn call_id(message: Value<'_>) -> Option<Value<'_>> {
    let own = message.get("call_id").or_else(|| message.get("callId"));
    // The output of a local shell names its call by `id`.
    let shell = || message.get("id").filter(|_| is_local_shell_output(message));
    own.filter(|id| !id.is_null()).or_else(shell)
}

fn is_local_shell_output(message: Value<'_>) -> bool {
    message.get("type").is_some_and(|kind| kind.is_str("local_shell_call_output"))
}

/// The API knows no reasoning but its own, by an id or encrypted.
static ROOM: Room = Room {
    system: true,
    thoughts: false,
    seals: false,
    media: has_room,
    errors: true,
    any_arguments: true,
    any_ids: true,
    longest_id: Some(64),
    text_errors: false,
    marks: &[],
    members: &[
        "type",
        "role",
        "content",
        "status",
        "id",
        "text",
        "refusal",
        "summary",
        "encrypted_content",
        "encryptedContent",
        "call_id",
        "callId",
        "name",
        "arguments",
        "input",
        "action",
        "operation",
        "output",
    ],
};

impl MessageFormat for OpenaiResponses {
    fn profile(&self) -> &'static Profile {
        &profile::OPENAI_RESPONSES
    }

    fn fit(&self, message: Value<'_>) -> Fit {
        match item(message) {
            Item::Message => fit_message(message),
            Item::Reasoning if message.get("content").is_some_and(|content| content.kind() == Kind::String) => {
                Fit::Impossible
            }
            Item::Unknown => fit_unknown(message),
            _ => Fit::Certain,
        }
    }

    fn telling(&self) -> Option<&'static [&'static str]> {
        Some(&["type", "role"])
    }

    fn role(&self, message: Value<'_>) -> Role {
        match item(message) {
            Item::Message => role_by_name(message, &[USER, ASSISTANT, SYSTEM, DEVELOPER]),
            Item::Reasoning | Item::Call | Item::Request => Role::Assistant,
            Item::Output | Item::Answer => Role::Tool,
            // It stands for earlier messages of both sides, as a digest in the user's name does.
            Item::Summary => Role::User,
            Item::Unknown => Role::Other,
        }
    }

    fn provenance(&self, message: Value<'_>) -> Provenance {
        match item(message) {
            Item::Summary => Provenance::Summary,
            _ => Provenance::Plain,
        }
    }

    fn is_sealed(&self, message: Value<'_>) -> bool {
        message.get("type").is_some_and(|kind| kind.is_any(&SUMMARIES))
    }

    fn parts<'d>(&self, message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
        match item(message) {
            Item::Message => {
                content_parts(message.get("content"), visit, &|block, visit| visit(block_part(block)));
            }
            Item::Reasoning => visit(reasoning(message)),
            Item::Call => call(message, visit),
            Item::Output => {
                let content = message.get("output");
                let (id, name) = (call_id(message), message.get_str("name"));
                let error = message.get("status").is_some_and(|status| status.is_any(&["incomplete", "failed"]));
                visit(Part::Result { id, name, content, error, raw: message });
                content.into_iter().flat_map(Value::items).chain(content).filter_map(media).for_each(visit);
            }
            Item::Request => {
                let id = message.get("providerData").and_then(|data| data.get("id")).or_else(|| message.get("id"));
                visit(Part::Approval { step: Approval::Request, id, call: None, raw: message });
            }
            Item::Answer => {
                let data = message.get("providerData");
                let of = |key: &str| message.get(key).or_else(|| data?.get(key));
                let step = if of("approve").is_some_and(Value::is_true) { Approval::Granted } else { Approval::Denied };
                visit(Part::Approval { step, id: of("approval_request_id"), call: None, raw: message });
            }
            Item::Summary => visit(Part::Summary(message)),
            Item::Unknown => visit(Part::Other(message)),
        }
    }

    fn text_part(&self, text: &str) -> String {
        format!(r#"{{"type":"input_text","text":{}}}"#, quote(text))
    }

    fn result(&self, call: Unanswered<'_>, text: &str) -> Option<String> {
        let (id, text) = (call.id, quote(text));
        if let Item::Request = item(call.raw) {
            return Some(decision(call));
        }
        let kind = call.raw.get_str("type").map_or_else(Default::default, Value::text_lossy);
        let key = if call.raw.get("callId").is_some() { "callId" } else { "call_id" };
        match kind.as_ref() {
            "shell_call" => {
                let outcome = r#"{"type":"exit","exitCode":1}"#;
                let outcome = if key == "callId" { outcome.into() } else { outcome.replace("exitCode", "exit_code") };
                let output = format!(r#"[{{"stdout":"","stderr":{text},"outcome":{outcome}}}]"#);
                return Some(format!(r#"{{"type":"shell_call_output","{key}":{id},"output":{output}}}"#));
            }
            "apply_patch_call" => {
                let members = format!(r#""{key}":{id},"status":"failed","output":{text}"#);
                return Some(format!(r#"{{"type":"apply_patch_call_output",{members}}}"#));
            }
            "local_shell_call" => {
                return Some(format!(r#"{{"type":"local_shell_call_output","id":{id},"output":{text}}}"#));
            }
            _ => {}
        }
        if call.raw.get("callId").is_none() {
            return Some(format!(r#"{{"type":{},"call_id":{id},"output":{text}}}"#, quote(&format!("{kind}_output"))));
        }
        if kind != "function_call" {
            return Some(format!(r#"{{"type":{},"callId":{id},"output":{text}}}"#, quote(&format!("{kind}_result"))));
        }
        let output = format!(r#"{{"type":"text","text":{text}}}"#);
        let name = call.name;
        Some(format!(
            r#"{{"type":"function_call_result","name":{name},"callId":{id},"status":"completed","output":{output}}}"#
        ))
    }

    fn refused_form(&self, part: &Part<'_>) -> Option<(Vec<&'static str>, String)> {
        let (raw, key, kind, missing) = match *part {
            Part::Call { raw, .. } => (raw, "arguments", "function_call", "{}"),
            // The Agents SDK has a kind of its own for results, and says more in them.
            Part::Result { raw, .. } => (raw, "output", "function_call_output", "(no output)"),
            _ => return None,
        };
        raw.get("type").filter(|of| of.is_str(kind))?;
        let text = match raw.get(key).filter(|value| !value.is_null()) {
            Some(value) if value.kind() == Kind::String || (key == "output" && value.kind() == Kind::Array) => {
                return None
            }
            Some(value) => text_form(value),
            None => quote(missing),
        };
        Some((vec![key], text))
    }

    fn room(&self) -> &'static Room {
        &ROOM
    }

    fn write(&self, turn: &Turn<'_>) -> Vec<String> {
        let mut items: Vec<String> = Vec::new();
        if !turn.said().is_empty() {
            let role = turn.role.name();
            let kind = if turn.role == Role::Assistant { "output_text" } else { "input_text" };
            let content = match turn.role {
                Role::User | Role::System => turn.said_as("[]", &|piece| written_part(piece, kind)),
                _ => list(turn.said().into_iter().map(|piece| written_part(piece, kind))),
            };
            items.push(format!(r#"{{"type":"message","role":"{role}","content":{content}}}"#));
        }
        items.extend(turn.calls().map(written_call));
        items.extend(turn.answers().map(written_output));
        items
    }

    fn said(&self, _raw: Value<'_>, content: Value<'_>, text: &str) -> Option<String> {
        let is_input = |block: Value<'_>| {
            let kind = block.get_str("type").and_then(Value::text);
            kind.is_some_and(|kind| kind.starts_with(b"input_"))
        };
        match content.kind() {
            Kind::String => Some(quote(text)),
            Kind::Array if content.items().all(is_input) => Some(format!("[{}]", self.text_part(text))),
            // A shell says of each command what it printed, and how it ended.
            Kind::Array => {
                let outcome = content.items().last()?.get("outcome")?;
                let outcome = String::from_utf8_lossy(outcome.raw());
                Some(format!(r#"[{{"stdout":{},"stderr":"","outcome":{outcome}}}]"#, quote(text)))
            }
            // The Agents SDK puts one block where the API has a text.
            Kind::Object if self.unwrapped(content).kind() == Kind::String => {
                let kind = String::from_utf8_lossy(content.get("type")?.raw());
                Some(format!(r#"{{"type":{kind},"text":{}}}"#, quote(text)))
            }
            _ => None,
        }
    }

    fn unwrapped<'d>(&self, content: Value<'d>) -> Value<'d> {
        // The Agents SDK puts one block where the API has a text.
        let block = content.get("type").is_some_and(|kind| kind.is_any(&["text", "input_text", "output_text"]));
        content.get_str("text").filter(|_| block).unwrap_or(content)
    }

    fn is_free_form(&self, call: Value<'_>) -> bool {
        call.get("type").is_some_and(|kind| kind.is_str("custom_tool_call"))
    }

    fn id_path(&self, _message: Value<'_>, raw: Value<'_>, _result: bool) -> Vec<&'static str> {
        if is_local_shell_output(raw) && raw.get("call_id").is_none() {
            return vec!["id"];
        }
        vec![if raw.get("callId").is_some() { "callId" } else { "call_id" }]
    }

    fn item_id<'d>(&self, message: Value<'d>) -> Option<Value<'d>> {
        message.get_str("id").filter(|_| !is_local_shell_output(message))
    }

    fn is_reference(&self, message: Value<'_>) -> bool {
        message.get("type").is_some_and(|kind| kind.is_str("item_reference"))
    }

    fn answered_inside(&self, call: Value<'_>) -> bool {
        // Its result is a picture, or the tools that were found: nothing that could be written in their place.
        call.get("type").is_some_and(|kind| kind.is_any(&["computer_call", "tool_search_call"]))
    }
}

/// A request for leave that nobody answered is denied, unless it was acted on.
fn decision(request: Unanswered<'_>) -> String {
    let (id, given) = (request.id, request.used);
    if request.raw.get("type").is_some_and(|kind| kind.is_str("mcp_approval_request")) {
        return format!(r#"{{"type":"mcp_approval_response","approval_request_id":{id},"approve":{given}}}"#);
    }
    let data = format!(r#"{{"type":"mcp_approval_response","approve":{given},"approval_request_id":{id}}}"#);
    format!(r#"{{"type":"hosted_tool_call","name":"mcp_approval_response","providerData":{data}}}"#)
}

/// Items of tomorrow will have an id, a status, a call or a developer's voice, as those of today.
fn fit_unknown(message: Value<'_>) -> Fit {
    let like_an_item = ["id", "status", "call_id", "callId"].iter().any(|key| message.get(key).is_some());
    let role = message.get("role");
    let voice = role.is_some_and(|role| role.is_any(&["developer", "system"]));
    let marker =
        message.get("type").is_some_and(|kind| kind.is_any(&["compaction_trigger", "item_reference", "agent_message"]));
    if message.get_str("type").is_some() && (marker || voice || (like_an_item && role.is_none())) {
        Fit::Unusual
    } else {
        Fit::Impossible
    }
}

/// A message may come without `type`, as in other formats; then only its blocks tell.
fn fit_message(message: Value<'_>) -> Fit {
    let known = fit_role_content(message, &["user", "assistant", "system", "developer"]);
    let Some(content) = message.get("content").filter(|_| known != Fit::Impossible) else { return Fit::Impossible };
    if content.kind() == Kind::String {
        return if message.get("type").is_some() { Fit::Certain } else { Fit::Possible };
    }
    let typed = |block: Value<'_>, starts: &[&[u8]]| {
        let kind = block.get_str("type").and_then(Value::text);
        kind.is_some_and(|kind| starts.iter().any(|start| kind.starts_with(start)))
    };
    if content.items().any(|block| typed(block, &[b"input_text", b"input_image", b"input_file", b"output_"])) {
        return Fit::Certain;
    }
    if content.items().all(|block| typed(block, &[b"input_", b"output_", b"refusal"])) {
        return Fit::Possible;
    }
    Fit::Unusual
}

fn reasoning(message: Value<'_>) -> Part<'_> {
    let first = |key: &str| message.get(key).and_then(|list| list.items().find_map(|block| block.get_str("text")));
    Part::Reasoning { text: first("summary").or_else(|| first("content")), signed: sealed(message), raw: message }
}

/// It holds what only the provider can read.
fn sealed(message: Value<'_>) -> bool {
    let keys = ["encrypted_content", "encryptedContent"];
    let sealed =
        |holder: Value<'_>| keys.iter().any(|key| holder.get_str(key).is_some_and(|text| text.raw().len() > 2));
    sealed(message) || message.get("providerData").is_some_and(sealed)
}

fn call<'d>(message: Value<'d>, visit: &mut dyn FnMut(Part<'d>)) {
    let own = call_id(message);
    // Without an id of its call it ran at the provider, or the id is missing.
    let client = message.get("type").is_some_and(|kind| kind.is_any(&CLIENT_CALLS));
    if own.is_some() || client {
        let (name, arguments) = (message.get_str("name").or_else(|| message.get("type")), first(message, &ARGUMENTS));
        return visit(Part::Call { id: own, name, arguments, hosted: false, raw: message });
    }
    // The Agents SDK keeps what it does not know itself aside.
    let body =
        message.get("providerData").filter(|_| message.get("type").is_some_and(|t| t.is_str("hosted_tool_call")));
    let of = |keys: &[&str]| first(message, keys).or_else(|| first(body?, keys));
    let (id, name) = (message.get("id"), of(&["name", "type"]));
    visit(Part::Call { id, name, arguments: of(&ARGUMENTS), hosted: true, raw: message });
    if let Some(request) = of(&["approval_request_id"]) {
        visit(Part::Approval { step: Approval::Use, id: Some(request), call: None, raw: message });
    }
    if message.get("type").is_some_and(|kind| kind.is_str("image_generation_call")) {
        return visit(Part::Media { data: message.get_str("result"), raw: message });
    }
    // What the provider ran brings its result along.
    let failed = of(&["error"]);
    if let Some(content) = failed.or_else(|| of(&["output", "outputs", "results", "result"])) {
        visit(Part::Result { id, name, content: Some(content), error: failed.is_some(), raw: message });
    }
}

/// Calls of tools that the caller runs.
const CLIENT_CALLS: [&str; 6] =
    ["function_call", "custom_tool_call", "shell_call", "local_shell_call", "apply_patch_call", "computer_call"];

const ARGUMENTS: [&str; 6] = ["arguments", "input", "action", "operation", "code", "queries"];

/// The first of these members that is there and not null.
fn first<'d>(value: Value<'d>, keys: &[&str]) -> Option<Value<'d>> {
    keys.iter().find_map(|key| value.get(key).filter(|member| !member.is_null()))
}

fn block_part(block: Value<'_>) -> Part<'_> {
    let text = block.get_str("text").or_else(|| block.get_str("refusal"));
    text.map(Part::Text).or_else(|| media(block)).unwrap_or(Part::Other(block))
}

fn media(block: Value<'_>) -> Option<Part<'_>> {
    let kind = block.get("type")?;
    if !kind.is_any(&["input_image", "input_file", "input_audio", "audio", "image", "computer_screenshot"]) {
        return None;
    }
    let audio = block.get("input_audio").and_then(|audio| audio.get_str("data"));
    let keys = ["image_url", "file_data", "image", "file", "audio", "data"];
    let data = audio.or_else(|| keys.iter().find_map(|key| block.get_str(key)));
    // An address is no data.
    let data = data.filter(|data| !data.text().is_some_and(|text| text.starts_with(b"http")));
    Some(Part::Media { data, raw: block })
}

/// What the API takes from the user and from tools: images and files.
fn has_room(media: &Media<'_>, spot: Spot) -> bool {
    spot != Spot::Model && media.kind != MediaKind::Audio
}

fn written_part(piece: &Piece<'_>, text_kind: &str) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"type":"{text_kind}","text":{text}}}"#),
        Piece::Media(media) if media.is_image() => {
            format!(r#"{{"type":"input_image","image_url":{}}}"#, quote(&media.url()))
        }
        Piece::Media(media) => match &media.source {
            MediaSource::Url(url) => format!(r#"{{"type":"input_file","file_url":{}}}"#, quote(url)),
            MediaSource::Inline(_) => {
                let (name, data) = (media.name.as_deref().unwrap_or(r#""file""#), quote(&media.url()));
                format!(r#"{{"type":"input_file","filename":{name},"file_data":{data}}}"#)
            }
        },
        _ => String::new(),
    }
}

fn written_call(call: &Call<'_>) -> String {
    let (id, name, text) = (&call.id, &call.name, call.arguments.string());
    if let Arguments::Free(_) = call.arguments {
        return format!(r#"{{"type":"custom_tool_call","call_id":{id},"name":{name},"input":{text}}}"#);
    }
    format!(r#"{{"type":"function_call","call_id":{id},"name":{name},"arguments":{text}}}"#)
}

fn written_output(answer: &Answer<'_>) -> String {
    let kind = if answer.free { "custom_tool_call_output" } else { "function_call_output" };
    let output = answer.content.text_or_list(&|piece| written_part(piece, "input_text"));
    let status = if answer.error { r#","status":"incomplete""# } else { "" };
    format!(r#"{{"type":"{kind}","call_id":{},"output":{output}{status}}}"#, answer.id)
}
