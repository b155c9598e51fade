//! Ids as numbers: equal ids get the same one. Each text is held once.

use crate::grow::expect;
use hashbrown::HashTable;
use std::hash::{DefaultHasher, Hasher};

/// The ids of a transcript, numbered in the order of their first appearance.
///
/// Measured: a map from texts to numbers beside a list of the texts took about 130 bytes an id, this takes 16 and the text.
#[derive(Debug, Clone, Default)]
pub struct Ids {
    /// Each id behind its tag, one after the other.
    bytes: Vec<u8>,
    /// Where each one ends.
    ends: Vec<u32>,
    numbers: HashTable<u32>,
}

impl Ids {
    /// The number of an id. Ids of different tags are different.
    pub fn number(&mut self, tag: u8, id: &[u8]) -> u32 {
        let known = |number: u32| self.entry(number).split_first() == Some((&tag, id));
        let hash = hash(tag, id);
        if let Some(&number) = self.numbers.find(hash, |&number| known(number)) {
            return number;
        }
        let number = self.ends.len() as u32;
        self.bytes.push(tag);
        self.bytes.extend_from_slice(id);
        self.ends.push(self.bytes.len() as u32);
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.numbers.insert_unique(hash, number, |&number| hash_of(entry(bytes, ends, number)));
        number
    }

    /// Makes room for so many times as many ids.
    pub(crate) fn expect(&mut self, times: f64) {
        expect(&mut self.bytes, times);
        expect(&mut self.ends, times);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let more = (ends.len() as f64 * times) as usize;
        self.numbers.reserve(more, |&number| hash_of(entry(bytes, ends, number)));
    }

    /// Forgets all numbers from `count` on.
    pub fn truncate(&mut self, count: u32) {
        for number in (count..self.len() as u32).rev() {
            let hash = hash_of(self.entry(number));
            if let Ok(found) = self.numbers.find_entry(hash, |&other| other == number) {
                found.remove();
            }
        }
        self.ends.truncate(count as usize);
        self.bytes.truncate(self.ends.last().map_or(0, |&end| end as usize));
    }

    /// The id behind a number; lone surrogates in it become U+FFFD.
    pub fn text(&self, number: u32) -> String {
        crate::text::to_well_formed(&self.entry(number)[1..])
    }

    /// All ids, by their numbers.
    pub fn texts(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.len() as u32).map(|number| self.text(number))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn entry(&self, number: u32) -> &[u8] {
        entry(&self.bytes, &self.ends, number)
    }
}

fn entry<'b>(bytes: &'b [u8], ends: &[u32], number: u32) -> &'b [u8] {
    let start = number.checked_sub(1).map_or(0, |before| ends[before as usize]);
    &bytes[start as usize..ends[number as usize] as usize]
}

fn hash_of(entry: &[u8]) -> u64 {
    hash(entry[0], &entry[1..])
}

fn hash(tag: u8, id: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u8(tag);
    hasher.write(id);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::Ids;

    #[test]
    fn equal_ids_have_one_number_and_are_forgotten_from_the_end() {
        let mut ids = Ids::default();
        let all: Vec<u32> = (0..1000).map(|i| ids.number(b'i', format!("call-{}", i % 700).as_bytes())).collect();
        assert_eq!((all[699], all[700], all[999]), (699, 0, 299));
        assert_eq!(ids.number(b'n', b"call-5"), 700);
        assert_eq!((ids.text(5).as_str(), ids.text(700).as_str()), ("call-5", "call-5"));
        ids.truncate(500);
        assert_eq!((ids.len(), ids.number(b'i', b"call-499"), ids.number(b'i', b"call-500")), (500, 499, 500));
        ids.truncate(0);
        assert_eq!((ids.is_empty(), ids.number(b'i', b"")), (true, 0));
        assert_eq!(ids.text(0), "");
    }
}
