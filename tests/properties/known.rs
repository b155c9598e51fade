//! TEMPORARY
use super::run::Transcript;
pub fn known(property: &str, why: &str, transcript: &Transcript) -> bool {
    if std::env::var("PLICA_KNOWN").is_err() { return false; }
    let text = super::run::lines(&transcript.messages);
    let f = transcript.format.name();
    let first = why.split("\nwindow").next().unwrap().split("\nrepaired").next().unwrap();
    let only = |rules: &[&str]| {
        let all: Vec<&str> = first.split("rule: \"").skip(1).map(|r| r.split('"').next().unwrap()).collect();
        !all.is_empty() && all.iter().all(|r| rules.contains(r))
    };
    match property {
        "windows" => {
            !transcript.sound && only(&["misplaced-result", "duplicate-result", "unanswered-call", "orphan-result", "results-not-first"]) 
        }
        "repairs" => (f == "langchain" && text.contains("server_tool_use")) || f == "ai-sdk-ui" && only(&["unanswered-call"]) || f == "gemini" && only(&["duplicate-result"]),
        "hostile" => (f == "ai-sdk" || f == "anthropic" || f == "gemini") && first.contains("MisplacedResult") || f == "openai-chat" && first.contains("MissingId") || (f == "langchain" && text.contains("server_tool_use")),
        "clips" => f == "hotl" && text.contains("\\"),
        _ => false,
    }
}
