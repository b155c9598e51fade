//! Messages that are changed without being written anew: what stays is named by its place in the caller's messages, so that
//! the caller's own objects, and the bytes of those that are text, come back.

use crate::formats::Format;
use crate::json::{quote, Kind, Tape, Value};
use serde::Serialize;
use std::ops::Range;

/// A step into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Step {
    /// A member of an object.
    Key(String),
    /// An element of an array.
    Index(u32),
}

/// A value to set, or to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Where.
    pub path: Vec<Step>,
    /// The JSON text; `None` removes the member.
    pub value: Option<String>,
}

/// Where a message or a part of one comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source<Place> {
    /// The caller's.
    Original(Place),
    /// plica wrote it: its JSON text.
    Written(String),
}

/// An element of a message's list of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// A message and an index into its list, or a text.
    pub source: Source<(u32, u32)>,
    /// What is changed in it.
    pub sets: Vec<Set>,
}

/// A message, as the caller's own one with changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The message around the parts.
    pub source: Source<u32>,
    /// Its list of parts, where that changed.
    pub items: Option<Vec<Item>>,
    /// What is changed beside the list.
    pub sets: Vec<Set>,
}

impl Draft {
    /// The caller's message, as it is.
    pub fn original(index: u32) -> Draft {
        Draft { source: Source::Original(index), items: None, sets: Vec::new() }
    }

    /// A message that plica wrote.
    pub fn written(text: String) -> Draft {
        Draft { source: Source::Written(text), items: None, sets: Vec::new() }
    }

    /// The index of the caller's message, when nothing in it changed.
    pub fn untouched(&self) -> Option<u32> {
        match self.source {
            Source::Original(index) if self.items.is_none() && self.sets.is_empty() => Some(index),
            _ => None,
        }
    }

    /// The message as JSON text.
    pub fn text<T: AsRef<[u8]>>(&self, originals: &[T], format: Format) -> Vec<u8> {
        let mut text = match &self.source {
            Source::Original(index) => originals[*index as usize].as_ref().to_vec(),
            Source::Written(text) => text.clone().into_bytes(),
        };
        if let Some(items) = &self.items {
            let list = list_span(&text, format);
            let mut inner = Vec::new();
            for (place, item) in items.iter().enumerate() {
                inner.extend_from_slice(if place == 0 { b"[" } else { b"," });
                inner.extend(item.text(originals, format));
            }
            inner.extend_from_slice(if items.is_empty() { b"[]" } else { b"]" });
            text.splice(list, inner);
        }
        self.sets.iter().for_each(|set| set.apply(&mut text));
        text
    }
}

impl Item {
    /// The caller's, as it is.
    pub fn original(message: u32, item: u32) -> Item {
        Item { source: Source::Original((message, item)), sets: Vec::new() }
    }

    fn text<T: AsRef<[u8]>>(&self, originals: &[T], format: Format) -> Vec<u8> {
        let mut text = match &self.source {
            Source::Written(text) => text.clone().into_bytes(),
            Source::Original((message, item)) => {
                let message = originals[*message as usize].as_ref();
                message[item_span(message, *item, format)].to_vec()
            }
        };
        self.sets.iter().for_each(|set| set.apply(&mut text));
        text
    }
}

impl Set {
    fn apply(&self, text: &mut Vec<u8>) {
        let mut tape = Tape::new();
        let Ok(root) = tape.parse(text) else { return };
        let Some((last, parents)) = self.path.split_last() else { return };
        let Some(parent) = parents.iter().try_fold(root, |value, step| step.of(value)) else { return };
        let (span, new) = match (last, last.of(parent), &self.value) {
            (Step::Key(key), None, Some(new)) if parent.kind() != Kind::Object => {
                (parent.span(), format!("{{{}:{new}}}", quote(key)).into_bytes())
            }
            (_, Some(old), Some(new)) => (old.span(), new.clone().into_bytes()),
            (Step::Key(key), None, Some(new)) => {
                let comma = if parent.entries().next().is_some() { "," } else { "" };
                let end = parent.span().end - 1;
                (end..end, format!("{comma}{}:{new}", quote(key)).into_bytes())
            }
            (Step::Key(key), Some(_), None) => (parent.span(), without(parent, key)),
            _ => return,
        };
        text.splice(span, new);
    }
}

impl Step {
    fn of<'d>(&self, value: Value<'d>) -> Option<Value<'d>> {
        match self {
            Step::Key(key) => value.get(key),
            Step::Index(index) => value.items().nth(*index as usize),
        }
    }
}

fn without(object: Value<'_>, key: &str) -> Vec<u8> {
    let mut out = vec![b'{'];
    for (name, value) in object.entries().filter(|(name, _)| !name.is_str(key)) {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(name.raw());
        out.push(b':');
        out.extend_from_slice(value.raw());
    }
    out.push(b'}');
    out
}

fn list_span(message: &[u8], format: Format) -> Range<usize> {
    let mut tape = Tape::new();
    let list = tape.parse(message).ok().and_then(|message| format.reader().list(message).map(Value::span));
    list.expect("items are changed only where there is a list")
}

fn item_span(message: &[u8], item: u32, format: Format) -> Range<usize> {
    let mut tape = Tape::new();
    let message = tape.parse(message).expect("read before");
    let item = format.reader().list(message).and_then(|list| list.items().nth(item as usize));
    item.expect("read before").span()
}

/// The way from a value to one inside it.
pub fn path_to(root: Value<'_>, target: &Range<usize>) -> Vec<Step> {
    let mut path = Vec::new();
    let mut at = root;
    while at.span() != *target {
        let holds = |value: Value<'_>| value.span().start <= target.start && target.end <= value.span().end;
        if let Some((key, value)) = at.entries().find(|(_, value)| holds(*value)) {
            path.push(Step::Key(key.text_lossy().into_owned()));
            at = value;
        } else if let Some((index, value)) = at.items().enumerate().find(|(_, value)| holds(*value)) {
            path.push(Step::Index(index as u32));
            at = value;
        } else {
            break;
        }
    }
    path
}

/// Drafts for a host that holds the messages as objects, as JSON: an index for one that is untouched, else
/// `{ from | json, list?, items?, sets? }`, where an item is `{ of, path } | { json }` with `sets?`.
pub fn recipe<T: AsRef<[u8]>>(drafts: &[Draft], originals: &[T], format: Format) -> String {
    let texts: Vec<String> = drafts.iter().map(|draft| draft_recipe(draft, originals, format)).collect();
    format!("[{}]", texts.join(","))
}

fn draft_recipe<T: AsRef<[u8]>>(draft: &Draft, originals: &[T], format: Format) -> String {
    if let Some(index) = draft.untouched() {
        return index.to_string();
    }
    let mut members = vec![match &draft.source {
        Source::Original(index) => format!(r#""from":{index}"#),
        Source::Written(text) => format!(r#""json":{text}"#),
    }];
    if let Some(items) = &draft.items {
        let list = match &draft.source {
            Source::Original(index) => list_path(originals[*index as usize].as_ref(), format),
            Source::Written(text) => list_path(text.as_bytes(), format),
        };
        let items: Vec<String> = items.iter().map(|item| item_recipe(item, originals, format)).collect();
        members.push(format!(r#""list":{},"items":[{}]"#, path_json(&list), items.join(",")));
    }
    if !draft.sets.is_empty() {
        members.push(sets_json(&draft.sets));
    }
    format!("{{{}}}", members.join(","))
}

fn item_recipe<T: AsRef<[u8]>>(item: &Item, originals: &[T], format: Format) -> String {
    let source = match &item.source {
        Source::Written(text) => format!(r#""json":{text}"#),
        Source::Original((message, index)) => {
            let mut path = list_path(originals[*message as usize].as_ref(), format);
            path.push(Step::Index(*index));
            format!(r#""of":{message},"path":{}"#, path_json(&path))
        }
    };
    if item.sets.is_empty() {
        return format!("{{{source}}}");
    }
    format!("{{{source},{}}}", sets_json(&item.sets))
}

fn list_path(message: &[u8], format: Format) -> Vec<Step> {
    let mut tape = Tape::new();
    let message = tape.parse(message).expect("read before");
    let list = format.reader().list(message).expect("items are changed only where there is a list");
    path_to(message, &list.span())
}

fn path_json(path: &[Step]) -> String {
    let steps: Vec<String> = path
        .iter()
        .map(|step| match step {
            Step::Key(key) => quote(key),
            Step::Index(index) => index.to_string(),
        })
        .collect();
    format!("[{}]", steps.join(","))
}

fn sets_json(sets: &[Set]) -> String {
    let set = |set: &Set| match &set.value {
        Some(value) => format!(r#"{{"path":{},"value":{value}}}"#, path_json(&set.path)),
        None => format!(r#"{{"path":{}}}"#, path_json(&set.path)),
    };
    format!(r#""sets":[{}]"#, sets.iter().map(set).collect::<Vec<_>>().join(","))
}
