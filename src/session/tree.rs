//! Records that continue each other: ids as small numbers, the branches of the tree that they make.

use crate::json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// An id as a small number, see [`Ids`].
pub(super) type Id = u32;

/// Gives equal ids (of records, messages, calls) equal numbers.
#[derive(Default)]
pub(super) struct Ids<'s>(HashMap<Cow<'s, [u8]>, Id>);

impl<'s> Ids<'s> {
    /// The number of the string `value`, which lies in `text`; `None` for other kinds.
    pub fn of(&mut self, text: &'s [u8], value: Value<'_>) -> Option<Id> {
        let decoded = value.text()?;
        let span = value.span();
        let key = match decoded {
            Cow::Borrowed(_) => Cow::Borrowed(&text[span.start + 1..span.end - 1]),
            Cow::Owned(decoded) => Cow::Owned(decoded),
        };
        let next = self.0.len() as Id;
        Some(*self.0.entry(key).or_insert(next))
    }

    /// The number that an id has, if any record names it.
    pub fn known(&self, id: &str) -> Option<Id> {
        self.0.get(id.as_bytes()).copied()
    }
}

/// The id of a branch that ends with this record: its own where a caller can write it, else its line's.
pub(super) fn branch_id(id: Option<Value<'_>>, line: u32) -> String {
    let written = id.and_then(|id| String::from_utf8(id.text()?.into_owned()).ok());
    written.unwrap_or_else(|| format!("line-{line}"))
}

/// Nodes that name their parents.
pub(super) struct Tree {
    /// Of each node its parent.
    pub parents: Vec<Option<usize>>,
    /// Nodes that count: those with messages.
    pub counts: Vec<bool>,
}

impl Tree {
    /// Nodes that count and that none that counts continues, in their order. Each node is walked over once.
    pub fn leaves(&self) -> Vec<usize> {
        let mut walked = vec![false; self.parents.len()];
        let mut continued = vec![false; self.parents.len()];
        for start in (0..self.parents.len()).filter(|&node| self.counts[node]) {
            let mut at = start;
            while let Some(parent) = self.parents[at].filter(|&parent| !walked[parent]) {
                walked[parent] = true;
                if self.counts[parent] {
                    continued[parent] = true;
                    break;
                }
                at = parent;
            }
        }
        (0..self.parents.len()).filter(|&node| self.counts[node] && !continued[node]).collect()
    }

    /// For each node, how many that count are on the way to it, itself included. A circle is cut where it is met.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths: Vec<Option<u32>> = vec![None; self.parents.len()];
        let mut way = Vec::new();
        for start in 0..self.parents.len() {
            let mut next = Some(start);
            while let Some(node) = next.filter(|&node| depths[node].is_none()) {
                // Stands for "on the way": a circle ends here.
                depths[node] = Some(0);
                way.push(node);
                next = self.parents[node];
            }
            let mut depth = next.and_then(|node| depths[node]).unwrap_or(0);
            while let Some(node) = way.pop() {
                depth += u32::from(self.counts[node]);
                depths[node] = Some(depth);
            }
        }
        depths.into_iter().map(Option::unwrap_or_default).collect()
    }
}
