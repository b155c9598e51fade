//! What the provider counted, whatever it calls it.

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
pub(crate) fn count(value: Option<Value<'_>>) -> Option<u64> {
    let count = value.and_then(Value::as_f64)?;
    (0.0..=9_007_199_254_740_991.0).contains(&count).then_some(count as u64)
}

impl Usage {
    /// The figures, where the prompt is counted without what came from a cache or went there (Anthropic's way). None
    /// when there is neither a prompt nor an answer.
    pub(crate) fn apart(
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
    pub(crate) fn within(input: Option<u64>, output: Option<u64>, cache_read: Option<u64>) -> Option<Usage> {
        let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
        let usage = Usage { input, output, cache_read: cache_read.unwrap_or(0), cache_write: 0 };
        (usage != Usage::default()).then_some(usage)
    }
}

/// What providers and frameworks call the prompt, the answer, and what of the prompt a cache held.
struct Names {
    input: &'static [&'static str],
    output: &'static [&'static str],
    /// Of the answer, what is counted beside it.
    reasoning: &'static [&'static str],
    cache_read: &'static [&'static [&'static str]],
    cache_write: &'static [&'static [&'static str]],
}

/// Anthropic, OpenAI (both APIs), Gemini, Bedrock, Ollama, the AI SDK, LangChain, pi and plica itself.
const NAMES: Names = Names {
    input: &[
        "input_tokens",
        "prompt_tokens",
        "promptTokenCount",
        "inputTokens",
        "promptTokens",
        "prompt_eval_count",
        "input",
    ],
    output: &[
        "output_tokens",
        "completion_tokens",
        "candidatesTokenCount",
        "outputTokens",
        "completionTokens",
        "eval_count",
        "output",
    ],
    reasoning: &["thoughtsTokenCount"],
    cache_read: &[
        &["cache_read_input_tokens"],
        &["input_tokens_details", "cached_tokens"],
        &["prompt_tokens_details", "cached_tokens"],
        &["input_token_details", "cache_read"],
        &["inputTokenDetails", "cacheReadTokens"],
        &["inputTokens", "cacheRead"],
        &["cachedContentTokenCount"],
        &["cacheReadInputTokens"],
        &["cachedInputTokens"],
        &["cached_input_tokens"],
        &["cacheRead"],
    ],
    cache_write: &[
        &["cache_creation_input_tokens"],
        &["input_token_details", "cache_creation"],
        &["inputTokenDetails", "cacheWriteTokens"],
        &["inputTokens", "cacheWrite"],
        &["cacheWriteInputTokens"],
        &["cacheWrite"],
    ],
};

/// Names by which cached tokens are counted beside the prompt, not in it: Anthropic's and Bedrock's.
const BESIDE: [&str; 4] =
    ["cache_read_input_tokens", "cache_creation_input_tokens", "cacheReadInputTokens", "cacheWriteInputTokens"];

/// Where an answer or a message holds its usage.
///
/// Codex says the last request beside the sum of all; the last one is the prompt that is there.
const HOLDERS: [&str; 7] =
    ["usage", "usageMetadata", "usage_metadata", "token_usage", "tokenUsage", "last_token_usage", "info"];

impl Usage {
    /// Reads the usage figures of any provider, or an answer that holds them. None where there is no count of a prompt.
    ///
    /// ```
    /// let mut tape = plica::json::Tape::new();
    /// let figures = tape.parse(br#"{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":5}"#).unwrap();
    /// assert_eq!(plica::usage::Usage::read(figures).unwrap().input, 100);
    /// ```
    pub fn read(value: Value<'_>) -> Option<Usage> {
        let held = HOLDERS.iter().filter_map(|key| value.get(key)).find_map(Usage::read);
        held.or_else(|| Usage::of_figures(value))
    }

    fn of_figures(value: Value<'_>) -> Option<Usage> {
        let first = |names: &[&str]| names.iter().find_map(|key| total(value.get(key)?));
        let deep = |paths: &[&[&str]]| {
            let at = |path: &&[&str]| path.iter().try_fold(value, |value, key| value.get(key));
            paths.iter().find_map(|path| count(at(path)))
        };
        let input = first(NAMES.input)?.saturating_add(count(value.get("toolUsePromptTokenCount")).unwrap_or(0));
        let output = first(NAMES.output).unwrap_or(0).saturating_add(first(NAMES.reasoning).unwrap_or(0));
        let (read, write) = (deep(NAMES.cache_read).unwrap_or(0), deep(NAMES.cache_write).unwrap_or(0));
        let cached = read.saturating_add(write);
        let all = ["total_tokens", "totalTokens"].iter().find_map(|key| count(value.get(key)));
        let beside = BESIDE.iter().any(|key| value.get(key).is_some())
            // More than the prompt cannot have been in it; and a total says what it is the total of.
            || cached > input
            || (cached > 0 && all == Some(input.saturating_add(output).saturating_add(cached)));
        Some(match beside {
            true => Usage { input: input.saturating_add(cached), output, cache_read: read, cache_write: write },
            false => Usage { input, output, cache_read: read, cache_write: write },
        })
    }
}

/// A count, or an object with one for all of it.
fn total(value: Value<'_>) -> Option<u64> {
    count(Some(value)).or_else(|| count(value.get("total")))
}

#[cfg(test)]
mod tests {
    use super::Usage;
    use crate::json::Tape;

    fn read(text: &str) -> Option<(u64, u64)> {
        let mut tape = Tape::new();
        Usage::read(tape.parse(text.as_bytes()).unwrap()).map(|usage| (usage.input, usage.output))
    }

    #[test]
    fn every_shape_gives_the_whole_prompt() {
        let shapes = [
            r#"{"input_tokens":100,"cache_creation_input_tokens":300,"cache_read_input_tokens":600,"output_tokens":50}"#,
            r#"{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_tokens_details":{"cached_tokens":900}}"#,
            r#"{"input_tokens":1000,"input_tokens_details":{"cached_tokens":900},"output_tokens":50,"total_tokens":1050}"#,
            r#"{"promptTokenCount":1000,"candidatesTokenCount":20,"thoughtsTokenCount":30,"totalTokenCount":1050,"cachedContentTokenCount":5}"#,
            r#"{"inputTokens":1000,"outputTokens":50,"totalTokens":1050,"cachedInputTokens":900}"#,
            r#"{"inputTokens":100,"outputTokens":50,"totalTokens":150,"cachedInputTokens":900}"#,
            r#"{"inputTokens":{"total":1000,"noCache":100,"cacheRead":900},"outputTokens":{"total":50}}"#,
            r#"{"inputTokens":100,"outputTokens":50,"cacheReadInputTokens":900,"cacheWriteInputTokens":0,"totalTokens":1050}"#,
            r#"{"promptTokens":1000,"completionTokens":50}"#,
            r#"{"prompt_eval_count":1000,"eval_count":50}"#,
            r#"{"input":400,"output":50,"cacheRead":600,"cacheWrite":0,"totalTokens":1050}"#,
            r#"{"input":1000,"output":50,"cacheRead":600,"cacheWrite":0}"#,
            r#"{"id":"msg_1","usage":{"input_tokens":1000,"output_tokens":50}}"#,
            r#"{"usage_metadata":{"input_tokens":1000,"output_tokens":50,"total_tokens":1050,"input_token_details":{"cache_read":900}}}"#,
            r#"{"usageMetadata":{"promptTokenCount":1000,"candidatesTokenCount":50}}"#,
            r#"{"type":"token_count","info":{"total_token_usage":{"input_tokens":9000,"output_tokens":400},"last_token_usage":{"input_tokens":1000,"cached_input_tokens":900,"output_tokens":50,"total_tokens":1050}}}"#,
        ];
        for shape in shapes {
            assert_eq!(read(shape), Some((1000, 50)), "{shape}");
        }
        for none in ["{}", "[]", "null", r#"{"input_tokens":-1}"#, r#"{"output_tokens":4}"#, r#"{"input_tokens":"4"}"#]
        {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
