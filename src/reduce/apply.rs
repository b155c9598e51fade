//! What is done to a message, as a draft of it.

use crate::clip::{clip, texts_of, MARK};
use crate::edit::{path_to, Draft, Item, Set, Source, Step, Ways};
use crate::formats::Format;
use crate::json::{write_string, Kind, Value};
use crate::message::Part;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What is done to a part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// The result says this alone.
    Say(String),
    /// Texts of the result longer than this, in bytes, are cut down to it.
    Clip(usize),
    /// The part goes.
    Leave,
    /// The image becomes this text.
    Note(String),
}

/// Parts and what is done to each, ascending.
pub(super) type Acts = Vec<(u32, Act)>;

/// The message with all of it done; `None` when it goes.
pub(super) fn draft(index: u32, message: Value<'_>, format: Format, acts: &Acts) -> Option<Draft> {
    let mut changes = Changes {
        index,
        message,
        format,
        list: format.reader().list(message),
        ways: Ways::default(),
        sets: Vec::new(),
        dropped: HashSet::new(),
        gone: false,
    };
    let mut acts = acts.iter().peekable();
    let mut place = 0;
    format.reader().parts(message, &mut |part| {
        while let Some((_, act)) = acts.next_if(|(at, _)| *at == place) {
            changes.act(part, act);
        }
        place += 1;
    });
    (!changes.gone).then(|| changes.draft())
}

struct Changes<'c> {
    index: u32,
    message: Value<'c>,
    format: Format,
    list: Option<Value<'c>>,
    ways: Ways<'c>,
    sets: Vec<Set>,
    /// Elements of the list that go, by where they begin.
    dropped: HashSet<usize>,
    gone: bool,
}

impl<'c> Changes<'c> {
    fn act(&mut self, part: Part<'c>, act: &Act) {
        let reader = self.format.reader();
        match (act, part) {
            (Act::Say(text), Part::Result { content: Some(content), raw, .. }) => {
                let said = reader.said(raw, content, text);
                self.set(content, said);
            }
            (Act::Clip(limit), Part::Result { content: Some(content), .. }) => self.clip(content, *limit),
            (Act::Note(text), Part::Media { raw, .. }) => self.set(raw, Some(reader.text_part(text))),
            (Act::Leave, Part::Reasoning { raw, .. }) if raw.span() == self.message.span() => self.gone = true,
            (Act::Leave, Part::Reasoning { raw, .. }) => {
                let place = raw.span();
                match self.list.filter(|list| list.span().start < place.start && place.end < list.span().end) {
                    Some(_) => drop(self.dropped.insert(place.start)),
                    None => self.set(raw, None),
                }
            }
            _ => {}
        }
    }

    fn set(&mut self, target: Value<'c>, value: Option<String>) {
        let path = self.ways.to(self.message, target);
        self.sets.push(Set { path, value });
    }

    fn clip(&mut self, content: Value<'c>, limit: usize) {
        for text in texts_of(content) {
            let whole = text.text_lossy();
            // What was cut once, mark and all, is not cut again.
            if whole.len() <= limit + MARK as usize {
                continue;
            }
            if let Cow::Owned(short) = clip(&whole, limit) {
                let mut value = Vec::new();
                write_string(short.as_bytes(), &mut value);
                self.set(text, Some(String::from_utf8_lossy(&value).into_owned()));
            }
        }
    }

    fn draft(mut self) -> Draft {
        let mut draft = Draft::original(self.index);
        let Some(list) = self.list.filter(|_| !self.dropped.is_empty()) else {
            draft.sets = self.sets;
            return draft;
        };
        // Places in the list shift: what changes in an element that stays goes with the element.
        let path = path_to(self.message, &list.span());
        let mut within: HashMap<u32, Vec<Set>> = HashMap::new();
        for mut set in std::mem::take(&mut self.sets) {
            match set.path.get(path.len()) {
                Some(&Step::Index(item)) if set.path.starts_with(&path) => {
                    set.path.drain(..=path.len());
                    within.entry(item).or_default().push(set);
                }
                _ => draft.sets.push(set),
            }
        }
        debug_assert_eq!(list.kind(), Kind::Array);
        let stays = |(_, item): &(usize, Value<'_>)| !self.dropped.contains(&item.span().start);
        let item = |(place, _): (usize, Value<'_>)| {
            let mut sets = within.remove(&(place as u32)).unwrap_or_default();
            match sets.iter().position(|set| set.path.is_empty()) {
                Some(whole) => {
                    let text = sets.swap_remove(whole).value.unwrap_or_else(|| "null".into());
                    Item { source: Source::Written(text), sets: Vec::new() }
                }
                None => Item { source: Source::Original((self.index, place as u32)), sets },
            }
        };
        draft.items = Some(list.items().enumerate().filter(stays).map(item).collect());
        draft
    }
}
