//! Tokens of messages that do not exist yet.

use crate::error::Result;
use crate::formats::Format;
use crate::outline::{Outline, Reading};

/// Counts the texts of messages as those that came in were counted.
pub(super) struct Counter<'c> {
    reading: Reading<'c>,
    /// Answers of the caller's counter, from the first question on; those that are not used yet.
    counts: &'c [f64],
    /// Texts that the caller's counter has not been asked for.
    pub(super) wanted: Vec<Vec<u8>>,
}

impl<'c> Counter<'c> {
    pub(super) fn new(reading: Reading<'c>, format: Format, counts: &'c [f64]) -> Counter<'c> {
        Counter { reading: Reading { format: Some(format), provenance: &[], ..reading }, counts, wanted: Vec::new() }
    }

    /// The tokens of each text; nothing where the caller has to count first.
    pub(super) fn count(&mut self, texts: &[&[u8]]) -> Result<Option<Vec<u64>>> {
        let mut reading = self.reading;
        if reading.tokens.is_some() {
            let Some((own, rest)) = self.counts.split_at_checked(texts.len()) else {
                self.wanted = texts.iter().map(|text| text.to_vec()).collect();
                return Ok(None);
            };
            self.counts = rest;
            reading.tokens = Some(own);
        }
        let outline = Outline::read(texts, reading)?;
        Ok(Some(outline.shapes.iter().map(|shape| shape.tokens).collect()))
    }
}
