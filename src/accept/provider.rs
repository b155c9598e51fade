//! What providers say beside the text: why an answer ended, and why a request was not taken.

use super::Rejection;

/// Parts of finish reasons, in lower case without separators, and what they mean; the first that occurs decides. Parts rather
/// than whole words, since every gateway writes them a little differently (`MAX_TOKENS`, `FinishReason.MAX_TOKENS`,
/// `max_tokens_reached`).
const FINISH: &[(&str, Rejection)] = &[
    // Before the others: `error_toxic` and `incomplete: content_filter` are filters, not faults.
    ("filter", Rejection::Refusal),
    ("safety", Rejection::Refusal),
    ("toxic", Rejection::Refusal),
    ("recitation", Rejection::Refusal),
    ("refus", Rejection::Refusal),
    ("guardrail", Rejection::Refusal),
    ("blocklist", Rejection::Refusal),
    ("blocked", Rejection::Refusal),
    ("prohibited", Rejection::Refusal),
    ("spii", Rejection::Refusal),
    ("modelarmor", Rejection::Refusal),
    ("sensitive", Rejection::Refusal),
    ("moderat", Rejection::Refusal),
    ("policy", Rejection::Refusal),
    ("toolcall", Rejection::NotASummary),
    ("tooluse", Rejection::NotASummary),
    ("functioncall", Rejection::NotASummary),
    ("requiresaction", Rejection::NotASummary),
    ("maxtoken", Rejection::CutOff),
    ("maxoutput", Rejection::CutOff),
    ("maxcompletion", Rejection::CutOff),
    ("maxnewtokens", Rejection::CutOff),
    ("maxlength", Rejection::CutOff),
    ("maxlen", Rejection::CutOff),
    ("modellength", Rejection::CutOff),
    ("contextlength", Rejection::CutOff),
    ("contextwindow", Rejection::CutOff),
    ("tokenlimit", Rejection::CutOff),
    ("timelimit", Rejection::CutOff),
    ("timeout", Rejection::CutOff),
    ("incomplete", Rejection::CutOff),
    ("truncat", Rejection::CutOff),
    ("length", Rejection::CutOff),
    // A turn that the provider paused and that wants to be continued.
    ("pauseturn", Rejection::CutOff),
    ("inprogress", Rejection::CutOff),
    ("cancel", Rejection::CutOff),
    ("abort", Rejection::CutOff),
    ("interrupt", Rejection::CutOff),
    ("insufficientsystemresource", Rejection::CutOff),
    ("error", Rejection::Error),
    ("fail", Rejection::Error),
    ("malformed", Rejection::Error),
    ("exception", Rejection::Error),
    ("overload", Rejection::Error),
    ("ratelimit", Rejection::Error),
    ("missingthoughtsignature", Rejection::Error),
];

/// What a finish reason says against the answer; nothing for those that end well and for those that nobody knows.
pub(super) fn finish(reason: &str) -> Option<Rejection> {
    let plain = plain(reason);
    FINISH.iter().find(|(part, _)| plain.contains(part)).map(|(_, code)| *code)
}

/// Words of an answer that the model brought to its end itself. A stop sequence is the caller's: it may end anything.
const WHOLE: [&str; 9] =
    ["stop", "endturn", "endofturn", "endoftext", "eos", "eostoken", "complete", "completed", "finished"];

/// Whether a finish reason says that nothing is missing.
pub(super) fn is_whole(reason: &str) -> bool {
    let plain = plain(reason);
    WHOLE.contains(&plain.strip_prefix("finishreason").unwrap_or(&plain))
}

/// In lower case, without separators.
fn plain(reason: &str) -> String {
    // No provider's is longer; a caller's mistake must not cost time.
    reason.chars().take(200).filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

/// Texts that only a request too long for its model gets. Parts of one entry occur in this order.
const TOO_LONG: &[&[&str]] = &[
    // OpenAI, and all that speak its protocol: DeepSeek, vLLM, OpenRouter, Azure.
    &["context_length_exceeded"],
    &["context length exceeded"],
    &["maximum context length"],
    &["exceeds the context window"],
    &["exceeded the context window"],
    &["exceed the context window"],
    &["string_above_max_length"],
    // Anthropic, direct and on Bedrock and Vertex.
    &["prompt is too long"],
    &["prompt too long"],
    &["input length and", "exceed context limit"],
    &["request_too_large"],
    &["model_context_window_exceeded"],
    // Gemini.
    &["input token count", "exceeds the maximum"],
    // Bedrock.
    &["input is too long for requested model"],
    &["too many input tokens"],
    // Mistral.
    &["too large for model with"],
    // llama.cpp and Ollama.
    &["exceeds the available context size"],
    &["exceed_context_size"],
    &["exceed context window of"],
    &["input length exceeds", "context length"],
    // LM Studio.
    &["context the overflows"],
    &["overflows the context"],
    &["greater than the context length"],
    &["context size has been exceeded"],
    // xAI.
    &["maximum prompt length is"],
    // Copilot, GitHub Models.
    &["prompt token count", "exceeds the limit"],
    &["tokens_limit_reached"],
    // vLLM, SGLang, TGI.
    &["longer than the maximum model length"],
    &["longer than the model's context length"],
    &["exceeds max_model_len"],
    &["inputs", "must have less than", "tokens"],
    &["max_new_tokens", "must be <="],
    // MiniMax, Kimi, Qwen, GLM, Perplexity.
    &["context window exceeds limit"],
    &["exceeded model token limit"],
    &["range of input length should be"],
    &["prompt 超长"],
    &["输入长度超"],
    &["上下文长度超"],
    &["超过最大上下文"],
    &["超出上下文"],
    &["length of all messages is too long"],
    // LiteLLM, LangChain.
    &["contextwindowexceeded"],
    &["contextoverflow"],
    &["context overflow"],
];

/// Texts that say the same unless the context says that it is about a rate or about the output.
const PERHAPS_TOO_LONG: &[&[&str]] = &[
    // Cohere; but Bedrock throttles in the same words.
    &["too many tokens"],
    // Groq.
    &["reduce the length of the messages"],
    &["reduce the length of your"],
    &["reduce the length of the input"],
    &["reduce the length of either one"],
    &["reduce your prompt"],
    &["input is too long"],
    &["input too long"],
    &["input length too long"],
    &["token limit exceeded"],
    &["exceeds token limit"],
    &["exceeds the model's maximum"],
    &["exceeds the maximum allowed input"],
    // What was sent, and that it exceeds something.
    &["input", "exceed"],
    &["prompt", "exceed"],
    &["messages", "exceed"],
    &["tokens", "exceed"],
    &["exceed", "tokens"],
    &["content length", "exceed"],
    &["conversation", "too long"],
    &["string too long", "maximum length"],
    &["maxlength", "actual"],
    // By size: HTTP 413.
    &["request too large"],
    &["request entity too large"],
    &["request body too large"],
    &["payload too large"],
    &["content too large"],
    &["request exceeds the maximum size"],
];

/// Words of limits that waiting helps against.
const RATE: &[&str] = &[
    "rate limit",
    "rate_limit",
    "rate-limit",
    "ratelimit",
    "too many requests",
    "per minute",
    "per min",
    "per day",
    "per hour",
    "(tpm)",
    "quota",
    "throttl",
    "please wait",
    "try again in",
    "slow down",
    "retry after",
    "monthly",
    "daily",
    "credit",
    "billing",
];

/// Words of limits on the answer instead of the request.
const OUTPUT: &[&str] = &[
    "output token",
    "completion tokens",
    "maxoutputtokens",
    "max_output_tokens",
    "max_completion_tokens",
    "output length",
    "max_tokens",
    "maxtokens",
];

/// Whether the text of a provider's error says that the request did not fit the model's window.
///
/// Neither a rate limit nor a limit on the answer is that. One thing between the two counts: a single request larger than
/// all that a minute allows ("limit 6000, requested 14810"), since no waiting helps, and a shorter request does.
///
/// ```
/// use plica::accept::is_too_long;
/// assert!(is_too_long("prompt is too long: 207791 tokens > 200000 maximum"));
/// assert!(!is_too_long("Rate limit reached on tokens per min (TPM): Limit 6000, Used 5034, Requested 1443"));
/// ```
pub fn is_too_long(error: &str) -> bool {
    let text = error.to_lowercase();
    if TOO_LONG.iter().any(|parts| in_order(&text, parts)) {
        return true;
    }
    if RATE.iter().any(|word| text.contains(word)) {
        return asks_more_than_the_limit(&text);
    }
    let about_output = OUTPUT.iter().any(|word| text.contains(word));
    !about_output && PERHAPS_TOO_LONG.iter().any(|parts| in_order(&text, parts))
}

fn in_order(text: &str, parts: &[&str]) -> bool {
    let mut rest = text;
    parts.iter().all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// "limit 30000, requested 342389", without "used".
fn asks_more_than_the_limit(text: &str) -> bool {
    let number = |name: &str| -> Option<u64> {
        let after = text.split_once(name)?.1.trim_start_matches([':', ' ', '=']);
        let digits: String = after.chars().filter(|c| *c != ',').take_while(char::is_ascii_digit).take(18).collect();
        digits.parse().ok()
    };
    // The comma after the limit is one of the sentence: what follows it is a blank, which ends the number.
    matches!((number("limit "), number("requested ")), (Some(limit), Some(asked)) if asked > limit)
        && text.contains("too large")
}
