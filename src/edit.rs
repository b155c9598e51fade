//! Messages that are changed without being written anew: what stays is named by its place in the caller's messages, so that
//! the caller's own objects, and the bytes of those that are text, come back.

use crate::formats::Format;
use crate::json::{quote, Kind, Tape, Value};
use crate::order::sort_by_key;
use serde::Serialize;
use std::collections::HashMap;
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
}

/// Writes drafts as JSON text. Each of the caller's messages that parts are taken from is read once.
pub struct Writer<'w, T> {
    originals: &'w [T],
    format: Format,
    /// By message, once it was read: where the elements of its list lie.
    items: Vec<Option<Vec<Range<usize>>>>,
}

impl<'w, T: AsRef<[u8]>> Writer<'w, T> {
    /// Of drafts of these messages.
    pub fn new(originals: &'w [T], format: Format) -> Writer<'w, T> {
        Writer { originals, format, items: vec![None; originals.len()] }
    }

    /// The message as JSON text.
    pub fn text(&mut self, draft: &Draft) -> Vec<u8> {
        let mut text = match &draft.source {
            Source::Original(index) => self.originals[*index as usize].as_ref().to_vec(),
            Source::Written(text) => text.clone().into_bytes(),
        };
        if let Some(items) = &draft.items {
            let (list, _) = list_of(&text, self.format);
            let mut inner = vec![b'['];
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    inner.push(b',');
                }
                inner.extend(self.item(item));
            }
            inner.push(b']');
            text.splice(list, inner);
        }
        apply(&draft.sets, &mut text);
        text
    }

    fn item(&mut self, item: &Item) -> Vec<u8> {
        let mut text = match &item.source {
            Source::Written(text) => text.clone().into_bytes(),
            Source::Original((message, place)) => {
                let original = self.originals[*message as usize].as_ref();
                let format = self.format;
                let items = self.items[*message as usize].get_or_insert_with(|| list_of(original, format).1);
                original[items[*place as usize].clone()].to_vec()
            }
        };
        apply(&item.sets, &mut text);
        text
    }
}

impl Item {
    /// The caller's, as it is.
    pub fn original(message: u32, item: u32) -> Item {
        Item { source: Source::Original((message, item)), sets: Vec::new() }
    }
}

/// Makes all changes, in one reading of the text where none of them touches another.
fn apply(sets: &[Set], text: &mut Vec<u8>) {
    let mut tape = Tape::new();
    let Ok(root) = tape.parse(text) else { return };
    let mut arrays = HashMap::new();
    let mut splices: Vec<(Range<usize>, Vec<u8>)> =
        sets.iter().filter_map(|set| set.splice(root, &mut arrays)).collect();
    sort_by_key(&mut splices, |(span, _)| span.start);
    let apart = splices.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start && pair[0].0.start < pair[1].0.start);
    if !apart {
        return sets.iter().for_each(|set| {
            let mut tape = Tape::new();
            let splice = tape.parse(text).ok().and_then(|root| set.splice(root, &mut HashMap::new()));
            if let Some((span, new)) = splice {
                text.splice(span, new);
            }
        });
    }
    let mut changed = Vec::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in splices {
        changed.extend_from_slice(&text[at..span.start]);
        changed.extend(new);
        at = span.end;
    }
    changed.extend_from_slice(&text[at..]);
    *text = changed;
}

impl Set {
    /// What takes the place of which bytes.
    fn splice<'d>(&self, root: Value<'d>, arrays: &mut Arrays<'d>) -> Option<(Range<usize>, Vec<u8>)> {
        let (last, parents) = self.path.split_last()?;
        let parent = parents.iter().try_fold(root, |value, step| step.of(value, arrays))?;
        match (last, last.of(parent, arrays), &self.value) {
            (Step::Key(key), None, Some(new)) if parent.kind() != Kind::Object => {
                Some((parent.span(), format!("{{{}:{new}}}", quote(key)).into_bytes()))
            }
            (_, Some(old), Some(new)) => Some((old.span(), new.clone().into_bytes())),
            (Step::Key(key), None, Some(new)) => {
                let comma = if parent.entries().next().is_some() { "," } else { "" };
                let end = parent.span().end - 1;
                Some((end..end, format!("{comma}{}:{new}", quote(key)).into_bytes()))
            }
            (Step::Key(key), Some(_), None) => Some((parent.span(), without(parent, key))),
            _ => None,
        }
    }
}

/// Elements of arrays by where those begin, so that each is walked once however many of its elements change.
type Arrays<'d> = HashMap<usize, Vec<Value<'d>>>;

impl Step {
    fn of<'d>(&self, value: Value<'d>, arrays: &mut Arrays<'d>) -> Option<Value<'d>> {
        match self {
            Step::Key(key) => value.get(key),
            Step::Index(index) => {
                let items = arrays.entry(value.span().start).or_insert_with(|| value.items().collect());
                items.get(*index as usize).copied()
            }
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

/// Where the list of parts is, and each of them.
fn list_of(message: &[u8], format: Format) -> (Range<usize>, Vec<Range<usize>>) {
    let mut tape = Tape::new();
    let list = tape.parse(message).ok().and_then(|message| format.reader().list(message));
    let list = list.expect("items are changed only where there is a list");
    (list.span(), list.items().map(Value::span).collect())
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

/// Ways into messages, for many parts of one: arrays are walked once.
#[derive(Default)]
pub struct Paths {
    message: Option<u32>,
    arrays: HashMap<usize, Vec<usize>>,
}

impl Paths {
    /// The way from a message to a value in it.
    pub fn to(&mut self, index: u32, message: Value<'_>, target: Value<'_>) -> Vec<Step> {
        if self.message.replace(index) != Some(index) {
            self.arrays.clear();
        }
        let (mut path, mut at, target) = (Vec::new(), message, target.span());
        while at.span() != target {
            let key =
                at.entries().find(|(_, value)| value.span().start <= target.start && target.end <= value.span().end);
            if let Some((key, value)) = key {
                path.push(Step::Key(key.text_lossy().into_owned()));
                at = value;
                continue;
            }
            let starts = self
                .arrays
                .entry(at.span().start)
                .or_insert_with(|| at.items().map(|item| item.span().start).collect());
            let Some(place) = starts.partition_point(|&start| start <= target.start).checked_sub(1) else { break };
            path.push(Step::Index(place as u32));
            if starts[place] == target.start {
                break;
            }
            let Some(item) = at.items().nth(place) else { break };
            at = item;
        }
        path
    }
}

/// The same for one message whose values live on: an element far behind in an array costs no walk to it.
#[derive(Default)]
pub struct Ways<'d> {
    arrays: Arrays<'d>,
}

impl<'d> Ways<'d> {
    /// The way from the message to a value in it.
    pub fn to(&mut self, message: Value<'d>, target: Value<'d>) -> Vec<Step> {
        let (mut path, mut at, target) = (Vec::new(), message, target.span());
        let holds = |value: &Value<'d>| value.span().start <= target.start && target.end <= value.span().end;
        while at.span() != target {
            if let Some((key, value)) = at.entries().find(|(_, value)| holds(value)) {
                path.push(Step::Key(key.text_lossy().into_owned()));
                at = value;
                continue;
            }
            let items = self.arrays.entry(at.span().start).or_insert_with(|| at.items().collect());
            let Some(place) = items.partition_point(|item| item.span().start <= target.start).checked_sub(1) else {
                break;
            };
            path.push(Step::Index(place as u32));
            at = items[place];
        }
        path
    }
}

/// Drafts for a host that holds the messages as objects, as JSON: an index for one that is untouched, else
/// `{ from | json, list?, items?, sets? }`, where an item is `{ of, list, at } | { json }` with `sets?`.
pub fn recipe<T: AsRef<[u8]>>(drafts: &[Draft], originals: &[T], format: Format) -> String {
    let mut lists: Vec<Option<String>> = vec![None; originals.len()];
    let mut list = |index: u32| {
        let path = || path_json(&list_path(originals[index as usize].as_ref(), format));
        lists[index as usize].get_or_insert_with(path).clone()
    };
    let texts: Vec<String> = drafts.iter().map(|draft| draft_recipe(draft, format, &mut list)).collect();
    format!("[{}]", texts.join(","))
}

fn draft_recipe(draft: &Draft, format: Format, list: &mut dyn FnMut(u32) -> String) -> String {
    if let Some(index) = draft.untouched() {
        return index.to_string();
    }
    let mut members = vec![match &draft.source {
        Source::Original(index) => format!(r#""from":{index}"#),
        Source::Written(text) => format!(r#""json":{text}"#),
    }];
    if let Some(items) = &draft.items {
        let own = match &draft.source {
            Source::Original(index) => list(*index),
            Source::Written(text) => path_json(&list_path(text.as_bytes(), format)),
        };
        let items: Vec<String> = items.iter().map(|item| item_recipe(item, list)).collect();
        members.push(format!(r#""list":{own},"items":[{}]"#, items.join(",")));
    }
    if !draft.sets.is_empty() {
        members.push(sets_json(&draft.sets));
    }
    format!("{{{}}}", members.join(","))
}

fn item_recipe(item: &Item, list: &mut dyn FnMut(u32) -> String) -> String {
    let source = match &item.source {
        Source::Written(text) => format!(r#""json":{text}"#),
        Source::Original((message, index)) => format!(r#""of":{message},"list":{},"at":{index}"#, list(*message)),
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
