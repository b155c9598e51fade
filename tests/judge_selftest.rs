//! The judge of message arrays and the random stories, tried on each other and on arrays made by hand.
#![cfg(not(target_arch = "wasm32"))]

mod judge;
mod story;

use judge::{added, benign, faults, rules, Fault, FORMATS};
use serde_json::{json, Value};
use std::collections::HashSet;
use story::{stories, write, Answer, Step, Story};

const SEEDS: u64 = 2000;

/// `rule@index` of each fault, with the id if there is one.
fn short(faults: &[Fault]) -> Vec<String> {
    let short = |fault: &Fault| match &fault.id {
        Some(id) => format!("{}@{} {id}", fault.rule, fault.index),
        None => format!("{}@{}", fault.rule, fault.index),
    };
    let mut short: Vec<String> = faults.iter().map(short).collect();
    short.sort();
    short
}

/// A style for each seed, the plainest among them.
fn style(seed: u64) -> u32 {
    if seed % 5 == 0 {
        0
    } else {
        seed as u32
    }
}

fn pretty(messages: &[Value]) -> String {
    messages.iter().enumerate().map(|(n, message)| format!("{n}: {message}\n")).collect()
}

#[test]
fn good_stories_are_good_in_every_format() {
    for format in FORMATS {
        let (mut messages, mut in_flight) = (0, 0);
        for seed in 0..SEEDS {
            let array = write(&Story::from_seed(seed, 0.0), format, style(seed));
            let found = faults(&array, format);
            let bad: Vec<&Fault> = found.iter().filter(|fault| !benign(fault.rule)).collect();
            assert!(bad.is_empty(), "{format}, seed {seed}: {bad:?}\n{}", pretty(&array));
            if seed % 8 == 0 {
                assert!(added(&array, &array, format).is_empty(), "{format}, seed {seed}: blamed for itself");
            }
            messages += array.len();
            in_flight += usize::from(found.iter().any(|fault| fault.rule == "pending-call"));
        }
        println!("{format}: {messages} messages, {in_flight} in flight");
        assert!(messages > 10 * SEEDS as usize && in_flight > 100, "{format}: too little happens");
    }
}

#[test]
fn bad_stories_are_bad_in_every_way() {
    // Stories consist of what a provider knows; these are tried by hand below.
    let by_hand = ["bad-message", "bad-role", "misplaced-block"];
    for format in FORMATS {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut bad = 0;
        for seed in 0..SEEDS {
            let array = write(&Story::from_seed(seed, 1.0), format, style(seed));
            let found = faults(&array, format);
            bad += usize::from(found.iter().any(|fault| !benign(fault.rule)));
            seen.extend(found.iter().map(|fault| fault.rule));
            assert!(found.windows(2).all(|pair| pair[0].index <= pair[1].index), "{format}, seed {seed}: order");
            assert!(found.iter().all(|fault| fault.index < array.len()), "{format}, seed {seed}: index");
            if seed % 8 == 0 {
                assert!(added(&array, &array, format).is_empty(), "{format}, seed {seed}: blamed for itself");
            }
        }
        println!("{format}: {bad} of {SEEDS} bad");
        assert!(bad > SEEDS as usize / 2, "{format}: only {bad} are bad");
        for rule in rules(format) {
            assert!(seen.contains(rule) || by_hand.contains(rule), "{format}: {rule} never seen");
        }
        assert!(seen.iter().all(|rule| rules(format).contains(rule)), "{format}: {seen:?}");
    }
}

#[test]
fn a_seed_tells_one_story() {
    for seed in 0..100 {
        assert_eq!(Story::from_seed(seed, 0.5), Story::from_seed(seed, 0.5));
        assert_ne!(Story::from_seed(seed, 0.5), Story::from_seed(seed + 1, 0.5));
    }
}

/// A tail that starts where the user speaks lacks nothing; one that starts at results lacks their calls.
#[test]
fn cuts_are_blamed_where_they_part() {
    for format in FORMATS {
        let (mut clean, mut torn) = (0, 0);
        for seed in 0..80 {
            let story = Story::from_seed(seed, 0.0);
            let whole = write(&story, format, style(seed));
            for (n, step) in story.steps.iter().enumerate() {
                let before = Story { steps: story.steps[..n].to_vec() };
                let cut = || added(&whole, &whole[write(&before, format, style(seed)).len()..], format);
                match step {
                    Step::User { .. } => {
                        assert_eq!(cut(), [], "{format}, seed {seed}, cut before step {n}");
                        clean += 1;
                    }
                    // A denied call may leave no result; a UIMessage holds both.
                    Step::Results(batch) if format != "ai-sdk-ui" && !batch.answers.iter().all(Answer::denied) => {
                        if matches!(before.steps.last(), Some(Step::Approvals(_))) {
                            continue; // they may share a message
                        }
                        let blame = cut();
                        let rule = |fault: &Fault| matches!(fault.rule, "orphan-result" | "approval-split");
                        assert!(blame.iter().any(rule), "{format}, seed {seed}, cut before step {n}: {blame:?}");
                        torn += 1;
                    }
                    _ => {}
                }
            }
        }
        assert!(clean > 200 && (torn > 200 || format == "ai-sdk-ui"), "{format}: {clean} clean, {torn} torn");
    }
}

/// What each format has of its own comes up in its stories.
#[test]
fn stories_use_what_a_format_has() {
    let features: [(&str, &[&str]); 10] = [
        ("anthropic", &["signature", "redacted_thinking", "server_tool_use", "web_search_tool_result", "compaction"]),
        ("openai-chat", &["tool_calls", "function_call", "reasoning_content", "developer", "image_url"]),
        (
            "openai-responses",
            &[
                "encrypted_content",
                "call_id",
                "callId",
                "custom_tool_call_output",
                "function_call_result",
                "mcp_approval_request",
                "mcp_approval_response",
                "mcp_call",
                "web_search_call",
                "hosted_tool_call",
                "compaction",
                "input_image",
                "checkpoint",
            ],
        ),
        (
            "ai-sdk",
            &[
                "reasoning",
                "file",
                "tool-approval-request",
                "tool-approval-response",
                "providerExecuted",
                "execution-denied",
            ],
        ),
        (
            "ai-sdk-ui",
            &[
                "tool-read",
                "dynamic-tool",
                "input-streaming",
                "input-available",
                "approval-requested",
                "approval-responded",
                "output-available",
                "output-error",
                "output-denied",
                "step-start",
                "reasoning",
                "data-note",
                "file",
            ],
        ),
        ("langchain", &["constructor", "data", "additional_kwargs", "summarization", "tool_use", "RemoveMessage"]),
        ("gemini", &["thoughtSignature", "thought", "inlineData", "functionResponse", "function", "executableCode"]),
        ("hotl", &["compaction_summary", "steer", "memory", "brand_new_kind", "checkpoint", "images"]),
        ("agentfootprint", &["thinkingBlocks", "providerMeta", "injectedBy", "ephemeral", "toolName"]),
        (
            "pi",
            &["toolCall", "thinking", "toolResult", "bashExecution", "custom", "compactionSummary", "branchSummary"],
        ),
    ];
    for (format, features) in features {
        let mut text = String::new();
        for seed in 0..300 {
            text.extend(write(&Story::from_seed(seed, 0.0), format, style(seed)).iter().map(Value::to_string));
        }
        for feature in features {
            assert!(text.contains(&format!("\"{feature}\"")), "{format}: {feature} never written");
        }
    }
}

#[test]
fn good_stories_of_proptest_are_good() {
    let config = proptest::test_runner::Config { cases: 200, failure_persistence: None, ..Default::default() };
    proptest::proptest!(config, |(story in stories(0.0), style: u32)| {
        for format in FORMATS {
            let array = write(&story, format, style);
            let found = faults(&array, format);
            proptest::prop_assert!(found.iter().all(|fault| benign(fault.rule)), "{}: {:?}", format, found);
        }
    });
}

/// A failure shrinks to little more than what makes it one.
#[test]
fn bad_stories_of_proptest_shrink() {
    use proptest::test_runner::{Config, TestError, TestRunner};
    let config = Config { cases: 2000, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let misplaced = |story: &Story| {
        let found = faults(&write(story, "gemini", 0), "gemini");
        found.iter().any(|fault| fault.rule == "misplaced-result")
    };
    let mut runner =
        TestRunner::new_with_rng(config, proptest::test_runner::TestRng::deterministic_rng(Default::default()));
    let failure = runner.run(&stories(1.0), |story| {
        proptest::prop_assert!(!misplaced(&story));
        Ok(())
    });
    let Err(TestError::Fail(_, story)) = failure else { panic!("nothing found: {failure:?}") };
    assert!(misplaced(&story) && story.steps.len() <= 8, "{story:#?}");
}

/// Much of one kind costs no more than its size: this would take minutes if each were compared with each.
#[test]
fn large_arrays_are_judged_in_time() {
    let many = 50_000;
    let large = |message: Value, answer: Value| {
        let start = std::iter::once(json!({ "role": "user", "type": "user", "content": "x", "text": "x" }));
        let calls = (0..many).map(move |_| message.clone());
        start.chain(calls).chain((0..many).map(move |_| answer.clone())).collect::<Vec<_>>()
    };
    let call = json!({ "type": "function_call", "call_id": "a", "name": "x", "arguments": "{}" });
    let output = json!({ "type": "function_call_output", "call_id": "a", "output": "x" });
    let items = large(call, output);
    assert_eq!(faults(&items, "openai-responses").len(), many - 1);
    let calls: Vec<Value> = (0..many).map(|_| json!({ "id": "a", "name": "x", "args": {} })).collect();
    let blocks: Vec<Value> =
        (0..many).map(|_| json!({ "type": "tool_use", "id": "a", "name": "x", "input": {} })).collect();
    let hotl = json!([{ "type": "user", "text": "x" }, { "type": "assistant", "blocks": blocks }]);
    assert_eq!(faults(hotl.as_array().unwrap(), "hotl").len(), many * 2 - 1);
    let reasoning =
        large(json!({ "type": "reasoning", "summary": [] }), json!({ "role": "assistant", "content": "x" }));
    assert!(added(&reasoning, &reasoning, "openai-responses").is_empty());
    let mut footprint = large(json!({ "role": "assistant", "content": "", "toolCalls": [{ "id": "a" }] }), json!(null));
    footprint.truncate(many);
    footprint.extend((0..many).map(|_| json!({ "role": "tool", "toolCallId": "a", "content": "x" })));
    assert_eq!(faults(&footprint, "agentfootprint").len(), many - 2 + 1);
    let one = json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": "", "toolCalls": calls }]);
    assert_eq!(faults(one.as_array().unwrap(), "agentfootprint").len(), many * 2 - 1);
}

/// One message a line. Expected: `rule@index` and the id, a fault each, in the order of the alphabet.
fn check(format: &str, lines: &str, expected: &[&str]) {
    let found = short(&faults(&lines_of(lines), format));
    assert_eq!(found, expected, "{format}: {lines}");
}

fn lines_of(lines: &str) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(parse).collect()
}

#[test]
fn anthropic_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("anthropic", lines, expected);
    check(
        r#"{"role":"user","content":"hi"}
           {"role":"assistant","content":[{"type":"tool_use","id":"a"},{"type":"tool_use","id":"b"}]}
           {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":""}]}"#,
        &["pending-call@1 a"],
    );
    check(
        r#"{"role":"user","content":"hi"}
           {"role":"assistant","content":[{"type":"tool_use","id":"a"},{"type":"tool_use","id":"a"}]}
           {"role":"user","content":[{"type":"text","text":"stop"},{"type":"tool_result","tool_use_id":"a"}]}"#,
        &["duplicate-id@1 a", "results-not-first@2 a", "unanswered-call@1 a"],
    );
    check(
        r#"{"role":"system","content":"s"}
           {"role":"assistant","content":[{"type":"tool_result","tool_use_id":"z"}]}
           {"role":"user","content":[{"type":"tool_result","tool_use_id":"z"},{"type":"text","text":" "}]}"#,
        &["empty-text@2", "first-not-user@1", "misplaced-block@1 z", "orphan-result@2 z", "system-in-messages@0"],
    );
    check(
        r#"null
           {"role":"bot"}
           {"role":"user","content":7}
           {"role":"user","content":[{"text":"x"}]}
           {"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}
           {"role":"user","content":[]}"#,
        &[
            "bad-message@0",
            "bad-message@2",
            "bad-message@3",
            "bad-role@1",
            "empty-content@5",
            "thinking-only@4",
            "thinking-unsigned@4",
        ],
    );
    // A server's tool waits for the client's.
    check(
        r#"{"role":"user","content":"hi"}
           {"role":"assistant","content":[{"type":"server_tool_use","id":"s"},{"type":"tool_use","id":"a"}]}
           {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":""}]}
           {"role":"assistant","content":[{"type":"code_tool_result","tool_use_id":"s"},{"type":"text","text":"x"}]}"#,
        &[],
    );
}

#[test]
fn openai_chat_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("openai-chat", lines, expected);
    check(
        r#"{"role":"system","content":"s"}
           {"role":"assistant","content":null,"tool_calls":[{"id":"a"},{"id":"b"}]}
           {"role":"tool","tool_call_id":"b","content":"B"}
           {"role":"tool","tool_call_id":"a","content":"A"}"#,
        &[],
    );
    check(
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a"}]}
           {"role":"user","content":"wait"}
           {"role":"tool","tool_call_id":"a","content":"A"}"#,
        &["orphan-result@2 a", "unanswered-call@0 a"],
    );
    check(
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a"}]}
           {"role":"tool","tool_call_id":"a","content":"A"}
           {"role":"tool","tool_call_id":"a","content":null}
           {"role":"assistant","content":null,"tool_calls":[{"id":"a"},{"id":"a"},{"id":""}]}"#,
        &[
            "duplicate-id@3 a",
            "duplicate-result@2 a",
            "empty-content@2 a",
            "missing-id@3",
            "pending-call@3 ",
            "pending-call@3 a",
            "pending-call@3 a",
        ],
    );
    check(
        r#"{"role":"assistant","content":null}
           {"role":"assistant","content":"x","tool_calls":[]}
           {"role":"bot","content":"x"}
           5
           {"role":"user","content":{}}"#,
        &["bad-message@3", "bad-message@4", "bad-role@2", "empty-assistant@0", "empty-tool-calls@1"],
    );
    check(
        r#"{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}
           {"role":"function","name":"f","content":"x"}
           {"role":"function","name":"g","content":"x"}"#,
        &["orphan-result@2 function:g"],
    );
}

#[test]
fn responses_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("openai-responses", lines, expected);
    check(
        r#"{"role":"user","content":"hi"}
           {"type":"reasoning","id":"r","summary":[]}
           {"type":"reasoning","id":"s","summary":[]}
           {"type":"web_search_call","id":"w"}
           {"type":"function_call","call_id":"a"}
           {"type":"message","role":"user","content":"wait"}
           {"type":"function_call_output","call_id":"a","output":"A"}
           {"type":"brand_new"}"#,
        &[],
    );
    check(
        r#"{"type":"reasoning","id":"r"}
           {"role":"user","content":"x"}
           {"type":"reasoning","id":"r"}"#,
        &["duplicate-id@2 r", "reasoning-orphan@0 r", "reasoning-orphan@2 r"],
    );
    check(
        r#"{"type":"function_call","callId":"a"}
           {"type":"computer_call","call_id":"b"}
           {"type":"function_call_result","callId":"a"}
           {"type":"function_call_result","callId":"a"}
           {"type":"function_call","name":"x"}"#,
        &["duplicate-result@3 a", "missing-id@4", "unanswered-call@1 b"],
    );
    check(
        r#"{"type":"function_call","call_id":"a"}
           {"role":"user","content":"x"}
           {"type":"custom_tool_call","call_id":"a"}
           {"type":"custom_tool_call_output","call_id":"a"}"#,
        &["duplicate-id@2 a", "pending-call@2 a"],
    );
    check(
        r#"{"type":"mcp_approval_request","id":"q"}
           {"type":"mcp_approval_response","approval_request_id":"q"}
           {"type":"mcp_approval_response","approval_request_id":"p"}
           {"type":"mcp_call","id":"m","approval_request_id":"q"}
           {"type":"compaction","encrypted_content":"x"}"#,
        &["orphan-result@2 p"],
    );
    check(
        r#"{"role":"bot","content":"x"}
           {"role":"user","content":[]}
           "x"
           {"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}
           {"type":"function_call_output","call_id":"z","output":""}"#,
        &["bad-message@2", "bad-role@0", "empty-content@1", "orphan-result@4 z"],
    );
}

#[test]
fn ai_sdk_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("ai-sdk", lines, expected);
    check(
        r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a"},{"type":"tool-call","toolCallId":"b"}]}
           {"role":"tool","content":[{"type":"tool-result","toolCallId":"b"}]}
           {"role":"tool","content":[{"type":"tool-result","toolCallId":"a"}]}
           {"role":"assistant","content":[{"type":"tool-call","toolCallId":"s","providerExecuted":true}]}
           {"role":"user","content":"x"}"#,
        &[],
    );
    let asks = r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a"},
                  {"type":"tool-approval-request","approvalId":"q","toolCallId":"a"}]}"#;
    let asks = asks.replace('\n', "");
    let answer =
        r#"{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"APPROVAL","approved":VERDICT}]}"#;
    let answer = |id: &str, said: &str| answer.replace("APPROVAL", id).replace("VERDICT", said);
    let user = r#"{"role":"user","content":"x"}"#;
    // A denial is an answer; an approval is not.
    check(&format!("{asks}\n{}\n{user}", answer("q", "false")), &[]);
    check(&format!("{asks}\n{}\n{user}", answer("q", "true")), &["unanswered-call@0 a"]);
    check(&format!("{asks}\n{}", answer("q", "true")), &["pending-call@0 a"]);
    check(&format!("{asks}\n{}", answer("p", "false")), &["orphan-result@1 p", "pending-call@0 a"]);
    check(
        r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a"},{"type":"tool-call","toolCallId":"a"}]}
           {"role":"user","content":""}
           {"role":"tool","content":[{"type":"tool-result","toolCallId":"a"},{"type":"tool-result","toolCallId":"z"}]}
           {"role":"assistant","content":[]}
           {"role":"assistant","content":[{"type":"reasoning","text":"x"}]}
           {"role":"assistant","content":[{"type":"tool-call"}]}"#,
        &[
            "duplicate-id@0 a",
            "empty-content@1",
            "empty-content@3",
            "misplaced-result@2 a",
            "missing-id@5",
            "orphan-result@2 z",
            "pending-call@5",
            "reasoning-only@4",
            "unanswered-call@0 a",
        ],
    );
    check(
        r#"{"role":"function","content":"x"}
           1
           {"role":"user","content":1}
           {"role":"tool","content":[]}"#,
        &["bad-message@1", "bad-message@2", "bad-role@0", "empty-content@3"],
    );
}

#[test]
fn ai_sdk_ui_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("ai-sdk-ui", lines, expected);
    check(
        r#"{"role":"assistant","parts":[{"type":"tool-x","toolCallId":"a","state":"output-available"}]}
           {"role":"assistant","parts":[{"type":"dynamic-tool","toolCallId":"b","state":"approval-responded"}]}"#,
        &["pending-call@1 b"],
    );
    let tools = r#"{"role":"assistant","parts":[{"type":"tool-x","toolCallId":"a","state":"input-available"},
                   {"type":"tool-x","toolCallId":"a","state":"output-error"}]}"#;
    let tools = tools.replace('\n', "");
    check(
        &format!(r#"{tools}{}{{"role":"user","parts":[{{"type":"text","text":"x"}}]}}"#, '\n'),
        &["duplicate-id@0 a", "unanswered-call@0 a"],
    );
    check("{\"role\":\"user\",\"parts\":[]}\n{\"role\":\"user\"}", &["empty-content@0", "empty-content@1"]);
    check(
        r#"{"role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"x"}]}"#,
        &["reasoning-only@0"],
    );
    check(
        r#"false
           {"role":"bot","parts":[{"type":"text","text":"x"}]}
           {"role":"user","parts":"x"}"#,
        &["bad-message@0", "bad-message@2", "bad-role@1"],
    );
}

#[test]
fn langchain_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("langchain", lines, expected);
    check(
        r#"{"type":"human","data":{"content":"x"}}
           {"lc":1,"id":["AIMessageChunk"],"kwargs":{"content":[{"type":"tool_use","id":"a"}],"tool_calls":[{"id":"a"}]}}
           {"type":"tool","data":{"content":"A","tool_call_id":"a"}}"#,
        &[],
    );
    check(
        r#"{"type":"ai","data":{"content":"","tool_calls":[]}}
           {"lc":1,"id":["langchain","schema","AIMessage"],"kwargs":{"content":[]}}"#,
        &["empty-content@0", "empty-content@1"],
    );
    check(
        r#"{"type":"ai","data":{"content":"","tool_calls":[{"id":"a"},{"id":"b"}]}}
           {"type":"tool","data":{"content":"A","tool_call_id":"a"}}
           {"type":"human","data":{"content":"x"}}
           {"type":"tool","data":{"content":"B","tool_call_id":"b"}}
           {"type":"tool","data":{"content":"B","tool_call_id":"b"}}"#,
        &["duplicate-result@4 b", "misplaced-result@3 b"],
    );
    check(
        r#"{"type":"ai","data":{"content":"","tool_calls":[{"id":"a"},{"id":"a"},{}]}}
           {"type":"remove","data":{}}"#,
        &["duplicate-id@0 a", "missing-id@0", "unanswered-call@0", "unanswered-call@0 a", "unanswered-call@0 a"],
    );
    check(
        r#"{"role":"user","content":"x"}
           {"type":"tool","data":{"content":"A","tool_call_id":"z"}}"#,
        &["bad-message@0", "orphan-result@1 z"],
    );
}

#[test]
fn gemini_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("gemini", lines, expected);
    // Ids on either side, on both, or made up by the client.
    for (call, response) in [("", ""), (r#""id":"f","#, ""), ("", r#""id":"r1","#), (r#""id":"f","#, r#""id":"f","#)] {
        let lines = r#"{"role":"user","parts":[{"text":"x"}]}
            {"role":"model","parts":[{"functionCall":{CALL"name":"x"}},{"functionCall":{"name":"y"}}]}
            {"role":"user","parts":[{"functionResponse":{"name":"y"}},{"functionResponse":{RESPONSE"name":"x"}}]}"#;
        check(&lines.replace("CALL", call).replace("RESPONSE", response), &[]);
    }
    check(
        r#"{"role":"user","parts":[{"text":"x"}]}
           {"role":"user","parts":[{"text":"x"}]}
           {"role":"model","parts":[]}
           {"parts":[{"text":""}]}
           {"role":"model","parts":[{"text":"x","thought":true}]}"#,
        &["alternation@1", "empty-content@2", "empty-content@3", "reasoning-only@4"],
    );
    check(
        r#"{"role":"model","parts":[{"functionCall":{"id":"a","name":"x"}},{"functionCall":{"id":"b","name":"x"}}]}
           {"role":"function","parts":[{"functionResponse":{"id":"b","name":"x"}}]}"#,
        &["first-not-user@0", "pending-call@0 a"],
    );
    check(
        r#"{"role":"user","parts":[{"text":"x"}]}
           {"role":"model","parts":[{"functionCall":{"id":"a","name":"x"}},{"functionCall":{"id":"b","name":"x"}}]}
           {"role":"user","parts":[{"text":"x"}]}
           {"role":"model","parts":[{"text":"x"}]}
           {"role":"user","parts":[{"functionResponse":{"id":"b","name":"x"}},{"functionResponse":{"id":"b","name":"z"}}]}
           {"role":"function","parts":[{"functionResponse":{"id":"q","name":"z"}}]}"#,
        &["alternation@5", "duplicate-result@4 b", "misplaced-result@4 b", "orphan-result@5 q", "unanswered-call@1 a"],
    );
    check(
        r#"{"role":"system","parts":[{"text":"x"}]}
           {"role":"user","parts":7}
           "x"
           {"role":"model","parts":[{"functionCall":{"id":"a","name":"x"}},{"functionCall":{"id":"a","name":"x"}}]}"#,
        &["bad-message@1", "bad-message@2", "bad-role@0", "duplicate-id@3 a", "pending-call@3 a", "pending-call@3 a"],
    );
}

#[test]
fn hotl_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("hotl", lines, expected);
    check(
        r#"{"type":"user","text":"x"}
           {"type":"assistant","blocks":[{"type":"tool_use","id":"a"}]}
           {"type":"user","text":"x","synthetic":"steer"}
           {"type":"tool_results","results":[{"tool_use_id":"a","content":"A"}]}
           {"type":"assistant","blocks":[{"type":"tool_use","id":"a"}]}
           {"type":"checkpoint"}"#,
        &["pending-call@4 a"],
    );
    check(
        r#"{"type":"user","text":"x"}
           {"type":"assistant","blocks":[{"type":"tool_use","id":"a"}]}
           {"type":"user","text":"x"}"#,
        &["unanswered-call@1 a"],
    );
    check(
        r#"{"type":"assistant","blocks":[{"type":"tool_use","id":"a"}]}
           {"type":"tool_results","results":[{"tool_use_id":"a","content":"A"}]}
           {"type":"tool_results","results":[{"tool_use_id":"a","content":"A"},{"tool_use_id":"b","content":"B"}]}
           {"type":"assistant","blocks":[{"type":"tool_use","id":"a"}]}
           {"type":"user","text":"x"}
           {"type":"assistant","blocks":[{"type":"tool_use","id":"a"}]}"#,
        &["duplicate-result@2 a", "first-not-user@0", "orphan-result@2 b", "pending-call@5 a", "unanswered-call@3 a"],
    );
    check(
        r#"{"type":"user","text":"x"}
           {"type":"assistant","blocks":[{"type":"tool_use"},{"type":"redacted_thinking","data":"x"}]}
           {"type":"assistant","blocks":[{"type":"tool_result","tool_use_id":"q"}]}
           {"type":"assistant","blocks":[]}"#,
        &["empty-content@3", "misplaced-block@2 q", "missing-id@1", "pending-call@1", "thinking-not-first@1"],
    );
    check(
        r#"3
           {"type":"user","text":" "}
           {"type":"tool_results","results":[]}
           {"type":"assistant","blocks":[7,{"type":"text","text":"x"},{"type":"thinking","thinking":"x"}]}
           {"type":"user","text":"","images":[{}]}"#,
        &[
            "bad-message@0",
            "bad-message@3",
            "empty-content@1",
            "empty-content@2",
            "thinking-last@3",
            "thinking-unsigned@3",
        ],
    );
}

#[test]
fn agentfootprint_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("agentfootprint", lines, expected);
    check(
        r#"{"role":"assistant","content":"","toolCalls":[{"id":"a","name":"x","args":{}}]}
           {"role":"tool","content":"","toolCallId":"a","toolName":"x"}"#,
        &[],
    );
    check(
        r#"{"role":"assistant","content":""}
           {"role":"assistant","content":"","thinkingBlocks":[{}]}"#,
        &["empty-content@0", "reasoning-only@1"],
    );
    check(
        r#"{"role":"assistant","content":"","toolCalls":[{"id":"a"}]}
           {"role":"user","content":"x"}
           {"role":"tool","content":"","toolCallId":"a"}"#,
        &["misplaced-result@2 a"],
    );
    check(
        r#"{"role":"assistant","content":"","toolCalls":[{"id":"a"},{"name":"x"}]}
           {"role":"tool","content":"","toolCallId":"b"}"#,
        &["missing-id@0", "orphan-result@1 b", "pending-call@0", "pending-call@0 a"],
    );
    check(
        r#"{"role":"bot","content":""}
           {"role":"user","content":5}
           []"#,
        &["bad-message@1", "bad-message@2", "bad-role@0"],
    );
}

#[test]
fn pi_by_hand() {
    let check = |lines: &str, expected: &[&str]| check("pi", lines, expected);
    check(
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"toolCall","id":"a"}]}
           {"role":"toolResult","toolCallId":"a","content":[{"type":"text","text":"A"}]}
           {"role":"bashExecution","command":"ls"}
           {"role":"compactionSummary","summary":"x"}"#,
        &[],
    );
    check(
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"a"},{"type":"toolCall","id":"a"}]}
           {"role":"toolResult","toolCallId":"a","content":[{"type":"text","text":"A"}]}"#,
        &["duplicate-id@0 a", "pending-call@0 a"],
    );
    check(
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"a"}]}
           {"role":"custom","content":"x"}
           {"role":"toolResult","toolCallId":"a","content":[{"type":"text","text":"A"}]}
           {"role":"toolResult","toolCallId":"a","content":[{"type":"text","text":"A"}]}"#,
        &["duplicate-result@3 a", "misplaced-result@2 a"],
    );
    check(
        r#"{"role":"assistant","content":[]}
           {"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}
           {"role":"user","content":[]}"#,
        &["empty-content@0", "empty-content@2", "reasoning-only@1"],
    );
    check(
        r#"{"role":"toolResult","toolCallId":"a","content":"A"}
           {"content":"x"}"#,
        &["bad-message@1", "orphan-result@0 a"],
    );
}

#[test]
fn before_accounts_for_after() {
    let user = r#"{"role":"user","content":"x"}"#;
    let call = r#"{"role":"assistant","content":"","toolCalls":[{"id":"a"}]}"#;
    let result = r#"{"role":"tool","toolCallId":"a","content":"A"}"#;
    let added = |before: &[&str], after: &[&str]| {
        let list = |messages: &[&str]| lines_of(&messages.join("\n"));
        short(&added(&list(before), &list(after), "agentfootprint"))
    };
    assert_eq!(added(&[call, result, user], &[result, user]), ["orphan-result@0 a"]);
    assert_eq!(added(&[call, result, user], &[call, user]), ["unanswered-call@0 a"]);
    assert!(added(&[call, user], &[call]).is_empty(), "abandoned, then in flight");
    assert_eq!(added(&[call], &[call, user]), ["unanswered-call@0 a"]);
    assert!(added(&[call, result, result], &[user, result]).is_empty(), "the second result stays, without its call");
    assert_eq!(added(&[call, result, result], &[user, result, result]), ["orphan-result@2 a"]);
    assert!(added(&[result, call, result, user], &[call, result, result]).is_empty());
}

#[test]
fn what_belongs_together_is_not_parted() {
    let reasoning = |id: &str| format!(r#"{{"type":"reasoning","id":"{id}","summary":[]}}"#);
    let text = |text: &str| format!(r#"{{"type":"message","role":"assistant","content":"{text}"}}"#);
    let user = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let added = |before: &[&String], after: &[&String]| {
        let list = |items: &[&String]| items.iter().flat_map(|item| lines_of(item)).collect::<Vec<Value>>();
        short(&added(&list(before), &list(after), "openai-responses"))
    };
    let (r, s, a, b, u, digest) = (reasoning("r"), reasoning("s"), text("a"), text("b"), user("u"), user("digest"));
    let before = [&u, &r, &s, &a, &b, &u, &a];
    assert!(added(&before, &[&digest, &u, &r, &s, &a, &b]).is_empty());
    assert!(added(&before, &[&digest, &u, &a]).is_empty(), "this one had no reasoning");
    assert_eq!(added(&before, &[&digest, &b, &u, &a]), ["reasoning-split@1"]);
    assert_eq!(added(&before, &[&r, &a, &b]), ["reasoning-split@0 r", "reasoning-split@2"]);
    assert_eq!(
        added(&before, &[&r, &s, &a, &digest, &b]),
        ["reasoning-split@0 r", "reasoning-split@1 s", "reasoning-split@4"]
    );
    // Each reasoning has its own.
    assert!(added(&[&r, &a, &s, &b], &[&digest, &s, &b]).is_empty());
    assert!(added(&[&r, &a, &u, &b], &[&r, &a, &b]).is_empty());

    let request = r#"{"type":"mcp_approval_request","id":"q"}"#.to_owned();
    let verdict = r#"{"type":"mcp_approval_response","approval_request_id":"q"}"#.to_owned();
    let call = r#"{"type":"mcp_call","approval_request_id":"q"}"#.to_owned();
    let before = [&request, &verdict, &call, &u];
    assert!(added(&before, &[&digest, &u]).is_empty());
    assert_eq!(added(&before, &[&digest, &call, &u]), ["approval-split@1 q"]);
    assert_eq!(added(&before, &[&verdict, &call, &u]), ["approval-split@0 q", "orphan-result@0 q"]);
    // The same id again: each its own.
    assert!(added(&[&request, &verdict, &call, &u, &request, &verdict], &[&u, &request, &verdict]).is_empty());

    let request = json!({ "type": "tool-approval-request", "approvalId": "q", "toolCallId": "a" });
    let verdict = json!({ "type": "tool-approval-response", "approvalId": "q", "approved": true });
    let before = [
        json!({ "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": "a" }, request] }),
        json!({ "role": "tool", "content": [verdict] }),
        json!({ "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "a" }] }),
    ];
    let after = [before[0].clone(), before[2].clone()];
    assert_eq!(short(&judge::added(&before, &after, "ai-sdk")), ["approval-split@0 q"]);
}
