//! What the provider counted, as session files have it.

use crate::json::Value;
use serde::Serialize;

/// Tokens of one answer of the model, as its provider counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens of the whole prompt, those that a cache held included.
    #[cfg_attr(test, ts(type = "number"))]
    pub input: u64,
    /// Tokens of the answer, its reasoning included.
    #[cfg_attr(test, ts(type = "number"))]
    pub output: u64,
    /// Of the prompt, what was read from a cache.
    #[cfg_attr(test, ts(type = "number"))]
    pub cache_read: u64,
    /// Of the prompt, what was written to a cache.
    #[cfg_attr(test, ts(type = "number"))]
    pub cache_write: u64,
}

/// A count of tokens: a whole number that a double holds exactly; anything else is none.
pub(super) fn count(value: Option<Value<'_>>) -> Option<u64> {
    let count = value.and_then(Value::as_f64)?;
    (0.0..=9_007_199_254_740_991.0).contains(&count).then_some(count as u64)
}

impl Usage {
    /// The figures, where the prompt is counted without what came from a cache or went there (Anthropic's way). None
    /// when there is neither a prompt nor an answer.
    pub(super) fn apart(
        input: Option<u64>,
        output: Option<u64>,
        cache_read: Option<u64>,
        cache_write: Option<u64>,
    ) -> Option<Usage> {
        let (cache_read, cache_write) = (cache_read.unwrap_or(0), cache_write.unwrap_or(0));
        let input = input.unwrap_or(0).saturating_add(cache_read).saturating_add(cache_write);
        let usage = Usage { input, output: output.unwrap_or(0), cache_read, cache_write };
        (usage != Usage::default()).then_some(usage)
    }

    /// The figures, where the prompt is counted with what came from a cache (OpenAI's and Google's way).
    pub(super) fn within(input: Option<u64>, output: Option<u64>, cache_read: Option<u64>) -> Option<Usage> {
        let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
        let usage = Usage { input, output, cache_read: cache_read.unwrap_or(0), cache_write: 0 };
        (usage != Usage::default()).then_some(usage)
    }
}
