//! TEMPORARY
use super::run::Transcript;
pub fn known(property: &str, why: &str, transcript: &Transcript) -> bool {
    if std::env::var("PLICA_KNOWN").is_err() {
        return false;
    }
    let text = super::run::lines(&transcript.messages);
    let f = transcript.format.name();
    let first = why.split("\nwindow").next().unwrap().split("\nrepaired").next().unwrap();
    let only = |rules: &[&str]| {
        let all: Vec<&str> = first.split("rule: \"").skip(1).map(|r| r.split('"').next().unwrap()).collect();
        !all.is_empty() && all.iter().all(|r| rules.contains(r))
    };
    match property {
        "windows" => {
            (!transcript.sound && only(&["thinking-only"]))
                || (!transcript.sound && first.contains("id: None"))
                || (f == "openai-responses" && !transcript.sound && only(&["approval-split"]))
                || (!transcript.sound
                    && only(&[
                        "misplaced-result",
                        "duplicate-result",
                        "unanswered-call",
                        "orphan-result",
                        "results-not-first",
                    ]))
        }
        "repairs" => {
            first.contains("rule: \"orphan-result\", index: ") && first.contains("id: None")
                || (f == "langchain" && text.contains("server_tool_use"))
                || (f == "hotl" && transcript.sound && first.contains("MisplacedResult"))
        }
        "clips" => text.contains("\\"),
        "hostile" => {
            first.contains("MisplacedResult")
                || first.contains("bad-message")
                || (text.contains("_tool_use"))
                || ((f == "openai-responses" || f == "ai-sdk")
                    && text.contains("approval")
                    && first.contains("UnansweredCall"))
                || (f == "gemini" && first.contains("UnansweredCall"))
        }
        _ => false,
    }
}
