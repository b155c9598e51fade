//! The golden vectors and cases of pins, memory health and recall. They lie outside the crate; without them
//! everything here is skipped, and says so.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use plica::health::{compute_memory_health, HealthFact, MemoryHealth};
use plica::pins::{is_pinned_kind, partition_pinned, MemoryConfig};
use plica::recall::{budget_facts, effective_importance, key_prefix, salience, BudgetOptions, RecallFact};
use plica::text::utf16_len;
use serde_json::{json, Value};
use support::{read_json as read, say};

const DAY_MS: f64 = 86_400_000.0;

/// Runs all vectors of a section.
type Run = fn(&[Value]);

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// A text; null, "<undefined>" and a missing field are none.
fn text(value: &Value) -> Option<&[u8]> {
    let text = value.as_str()?;
    (text != "<undefined>").then_some(text.as_bytes())
}

/// ISO 8601 in UTC to milliseconds, as far as the vectors use it; NaN for anything else.
fn time(value: &Value) -> Option<f64> {
    let text = value.as_str()?;
    Some(parse_utc(text).unwrap_or(f64::NAN))
}

fn parse_utc(text: &str) -> Option<f64> {
    let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
    let fields = |s: &str, by| -> Option<Vec<f64>> { s.split(by).map(|n| n.parse().ok()).collect() };
    let [year, month, day] = fields(date, '-')?[..] else {
        return None;
    };
    let [hour, minute, second] = fields(clock, ':')?[..] else {
        return None;
    };
    let shifted = (year * 12.0 + month - 3.0) / 12.0;
    let (y, m) = (shifted.floor(), (month + 9.0) % 12.0);
    let leap_days = (y / 4.0).floor() - (y / 100.0).floor() + (y / 400.0).floor();
    let days = 365.0 * y + leap_days + ((153.0 * m + 2.0) / 5.0).floor() + day - 1.0 - 719_468.0;
    Some(((days * 24.0 + hour) * 60.0 + minute) * 60_000.0 + second * 1000.0)
}

fn keys_at(facts: &[Value], indices: &[u32]) -> Value {
    indices.iter().map(|&i| facts[i as usize]["key"].clone()).collect()
}

fn partition_as_json(facts: &[Value], config: &MemoryConfig) -> (Value, Value) {
    let kinds: Vec<_> = facts.iter().map(|fact| text(&fact["kind"])).collect();
    let split = partition_pinned(&kinds, config);
    let halves = json!({
        "pinned": keys_at(facts, &split.pinned),
        "rest": keys_at(facts, &split.rest),
    });
    (halves, keys_at(facts, &split.overflow))
}

fn health_fact(fact: &Value) -> HealthFact<'_> {
    HealthFact { importance: number(&fact["importance"]), agent_id: text(&fact["agent_id"]), kind: text(&fact["kind"]) }
}

fn name(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8 names in the vectors")
}

/// Compares the fields that `expected` has; its `warnings` are codes.
fn assert_health(label: &str, health: &MemoryHealth<'_>, expected: &Value) {
    let by_agent = health.by_agent.iter();
    let by_agent = by_agent.map(|e| json!({"agent_id": name(e.agent_id), "facts": e.facts}));
    let codes = health.findings.iter().map(|finding| finding.code());
    let actual = json!({
        "totalFacts": health.total_facts,
        "imp5Count": health.imp5_count,
        "byAgent": by_agent.collect::<Value>(),
        "underRecording": health.under_recording.iter().map(|agent| name(agent)).collect::<Value>(),
        "pinnedCount": health.pinned_count,
        "warnings": codes.collect::<Value>(),
        "warnings_count": health.warnings.len(),
    });
    for (field, want) in expected.as_object().expect("an object") {
        match field.as_str() {
            "imp5Pct" => assert_eq!(health.imp5_pct, number(want), "{label}: {field}"),
            "warning_text_contains" => {
                let part = want.as_str().expect("a text");
                assert!(health.warnings.iter().any(|w| w.contains(part)), "{label}: {part}");
            }
            _ => assert_eq!(&actual[field], want, "{label}: {field}"),
        }
    }
    let messages: Vec<_> = health.findings.iter().map(|f| f.message()).collect();
    assert_eq!(health.warnings, messages, "{label}");
}

fn run_kinds(vectors: &[Value]) {
    for vector in vectors {
        let actual = is_pinned_kind(text(&vector["kind"]), &MemoryConfig::default());
        assert_eq!(json!(actual), vector["expected"], "{vector}");
    }
}

fn run_partitions(vectors: &[Value]) {
    for vector in vectors {
        let (halves, _) = partition_as_json(list(&vector["facts"]), &MemoryConfig::default());
        assert_eq!(halves, vector["expected"], "{}", vector["name"]);
    }
}

/// `spec` says: so many facts, each the usual one with these fields changed.
fn facts_of(spec: &Value) -> Vec<Value> {
    let mut facts = Vec::new();
    for part in list(spec) {
        let mut fact = json!({"importance": 5, "agent_id": "developer", "kind": "fact"});
        for (field, value) in part["p"].as_object().expect("an object") {
            fact[field] = value.clone();
        }
        facts.resize(facts.len() + number(&part["n"]) as usize, fact);
    }
    facts
}

fn run_health(vectors: &[Value]) {
    for vector in vectors {
        let facts = facts_of(&vector["spec"]);
        let facts: Vec<_> = facts.iter().map(health_fact).collect();
        let health = compute_memory_health(&facts, &MemoryConfig::default());
        assert_health(&vector["name"].to_string(), &health, &vector["expected"]);
    }
}

fn run_importance(vectors: &[Value]) {
    for vector in vectors {
        let now = number(&vector["now"]);
        let then = Some(now - number(&vector["daysAgo"]) * DAY_MS);
        let importance = number(&vector["importance"]);
        let expected = number(&vector["expected"]);
        for (last, created) in [(then, None), (None, then), (then, Some(now)), (then, Some(0.0))] {
            let actual = effective_importance(importance, last, created, now);
            assert!((actual - expected).abs() <= 1e-12, "{vector}: {actual}");
        }
    }
}

fn run_salience(vectors: &[Value]) {
    for vector in vectors {
        let last = time(&vector["last"]);
        let actual = salience(number(&vector["access"]), last, number(&vector["now"]));
        assert!((actual - number(&vector["expected"])).abs() <= 1e-12, "{vector}: {actual}");
    }
}

fn run_prefixes(vectors: &[Value]) {
    for vector in vectors {
        let key = text(&vector["key"]).expect("a key");
        let expected = text(&vector["expected"]).expect("a prefix");
        assert_eq!(&*key_prefix(key), expected, "{vector}");
    }
}

fn recall_fact(fact: &Value) -> RecallFact<'_> {
    RecallFact {
        key: text(&fact["key"]).expect("a key"),
        value_len: utf16_len(text(&fact["value"]).expect("a value")) as u32,
        kind: text(&fact["kind"]),
        created_ms: time(&fact["created_at"]),
    }
}

fn budget_options(opts: &Value) -> BudgetOptions {
    let mut options = BudgetOptions::default();
    for (option, value) in opts.as_object().expect("an object") {
        match option.as_str() {
            "maxChars" => options.max_chars = number(value),
            "minFacts" => options.min_facts = number(value),
            "pinnedMaxChars" => options.pinned_max_chars = number(value),
            unknown => panic!("option {unknown}: teach this test about it"),
        }
    }
    options
}

fn run_budgets(vectors: &[Value]) {
    for vector in vectors {
        let facts = list(&vector["facts"]);
        let borrowed: Vec<_> = facts.iter().map(recall_fact).collect();
        let options = budget_options(&vector["opts"]);
        let chosen = budget_facts(&borrowed, &options, &MemoryConfig::default());
        let actual = json!({
            "rendered": keys_at(facts, &chosen.rendered),
            "collapsed": keys_at(facts, &chosen.collapsed),
            "inWindowCollapsed": chosen.in_window_collapsed,
        });
        assert_eq!(actual, vector["expected"], "{}", vector["name"]);
        assert_eq!(chosen.notice.is_some(), !chosen.collapsed.is_empty(), "{}", vector["name"]);
    }
}

/// The settings that the vectors were made with are the defaults here.
fn assert_defaults(config: &Value) {
    use plica::recall as r;
    let (memory, budget) = (MemoryConfig::default(), BudgetOptions::default());
    assert_eq!(config["PIN_CONSTRAINTS"], json!(memory.pin_constraints));
    let same = [
        ("PINNED_MAX_FACTS", memory.pinned_max_facts),
        ("IMP5_SOFT_CAP", memory.imp5_soft_cap),
        ("RECALL_MAX_CHARS", budget.max_chars),
        ("RECALL_MIN_FACTS", budget.min_facts),
        ("PINNED_MAX_CHARS", budget.pinned_max_chars),
        ("IMPORTANCE_DECAY_DAYS", r::DECAY_DAYS),
        ("IMPORTANCE_DECAY_FLOOR", r::DECAY_FLOOR),
        ("W_SALIENCE", r::SALIENCE_WEIGHT),
        ("W_SALIENCE_ACCESS", r::SALIENCE_ACCESS_WEIGHT),
        ("SALIENCE_HALFLIFE_H", r::SALIENCE_HOURS),
    ];
    for (setting, value) in same {
        assert_eq!(number(&config[setting]), value, "{setting}");
    }
}

#[test]
fn golden_vectors() {
    let Some(vectors) = read("vectors/memory-quality.json") else {
        return;
    };
    assert_defaults(&vectors["config"]);
    let runs: [(&str, Run); 7] = [
        ("isPinnedKind", run_kinds),
        ("partitionPinned", run_partitions),
        ("computeMemoryHealth", run_health),
        ("effectiveImportance", run_importance),
        ("salience", run_salience),
        ("keyPrefix", run_prefixes),
        ("budgetFacts", run_budgets),
    ];
    let mut total = 0;
    for (section, run) in runs {
        run(list(&vectors[section]));
        total += list(&vectors[section]).len();
        say(&format!("{section}: {} vectors ran", list(&vectors[section]).len()));
    }
    let sections = vectors.as_object().expect("an object").len();
    assert_eq!(sections, runs.len() + 1, "a section that no test knows");
    say(&format!("memory-quality: {total} vectors ran"));
}

#[test]
fn case_pinned_facts_cap_and_order() {
    let Some(case) = read("cases/35-pinned-facts-cap-and-order.json") else {
        return;
    };
    let calls = list(&case["call"]["calls"]);
    let results = list(&case["expect"]["results"]);
    assert_eq!(calls.len(), results.len());
    for (call, expected) in calls.iter().zip(results) {
        let config = MemoryConfig {
            pinned_max_facts: number(&call["pinnedMaxFacts"]),
            pin_constraints: call["pinConstraints"].as_bool().unwrap_or(true),
            ..MemoryConfig::default()
        };
        let (halves, _) = partition_as_json(list(&case["input"]), &config);
        assert_eq!(&halves, expected, "{call}");
    }
    let first = MemoryConfig { pinned_max_facts: number(&calls[0]["pinnedMaxFacts"]), ..MemoryConfig::default() };
    let (_, overflow) = partition_as_json(list(&case["input"]), &first);
    assert_eq!(overflow, case["expect"]["overflow_reported"]);
    say(&format!("case 35: {} calls ran, and the overflow", calls.len()));
}

#[test]
fn case_memory_health_edges() {
    let Some(case) = read("cases/36-memory-health-edges.json") else {
        return;
    };
    let input = &case["input"];
    let plain = |importance, n: &Value| vec![json!({"importance": importance}); number(n) as usize];
    let generated = &input["fourth_set_generate"];
    let fourth = [plain(5, &generated["importance_5"]), plain(1, &generated["importance_1"])].concat();
    let sets = [
        ("first", list(&input["facts"])),
        ("second", list(&input["second_set"])),
        ("third", list(&input["third_set"])),
        ("fourth", &fourth),
        ("empty", list(&input["empty_set"])),
    ];
    for (set, facts) in sets {
        let facts: Vec<_> = facts.iter().map(health_fact).collect();
        let health = compute_memory_health(&facts, &MemoryConfig::default());
        assert_health(set, &health, &case["expect"][set]);
    }
    say(&format!("case 36: {} sets ran", sets.len()));
}
