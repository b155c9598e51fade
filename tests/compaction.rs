//! The golden vectors and cases of compaction. They lie outside the crate; without them everything here
//! is skipped, and says so.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

mod support;

use plica::cuts::Boundaries;
use plica::deterministic;
use plica::digest;
use plica::fingerprint::{fnv1a, fnv1a_utf16};
use plica::formats::Format;
use plica::json::{Tape, Value};
use plica::message::Provenance;
use plica::outline::{Outline, Reading};
use plica::plan::{plan, FoldPlan, Plan, PlanOptions};
use plica::summarize::{self, SummarizeOptions};
use plica::tokens::{conservative, Estimator};
use plica::window::{explain, measure, slots, Fate, Slot, Span, FILLER};
use serde_json::Value as Json;
use support::{read, read_json, say, shared};

/// The messages of an array, as they are written.
fn messages(array: Value<'_>) -> Vec<Vec<u8>> {
    array.items().map(|message| message.raw().to_vec()).collect()
}

fn outline(messages: &[Vec<u8>], format: Option<&str>) -> Outline {
    let format = format.and_then(|name| Format::from_name(name).ok());
    Outline::read(messages, Reading { format, estimator: Estimator::Conservative, ..Reading::default() })
        .expect("readable messages")
}

fn plan_of(outline: &Outline, budget: f64) -> Plan {
    plan(outline, &PlanOptions::tail_budget(budget)).expect("a plan")
}

fn fold_of(outline: &Outline, budget: f64) -> FoldPlan {
    match plan_of(outline, budget) {
        Plan::Fold(fold) => fold,
        Plan::None(none) => panic!("nothing folds: {none:?}"),
    }
}

fn reason(plan: &Plan) -> String {
    match plan {
        Plan::Fold(_) => "fold".into(),
        Plan::None(none) => serde_json::to_value(none.reason).unwrap().as_str().unwrap().into(),
    }
}

fn summarize_prompt(messages: &[Vec<u8>], format: Format, span: &Span) -> String {
    summarize::request(messages, format, span, &|_| None, &SummarizeOptions::default()).expect("a request").prompt
}

fn range(from: u32, to: u32) -> Span {
    serde_json::from_value(serde_json::json!({ "prefixEnd": from, "keptFrom": to })).unwrap()
}

/// The window of a fold as JSON texts.
fn window(messages: &[Vec<u8>], outline: &Outline, span: &Span, digest: &[String]) -> Vec<Vec<u8>> {
    let reader = outline.format.reader();
    let role = |message: &String| reader.role(Tape::new().parse(message.as_bytes()).unwrap());
    let roles: Vec<_> = digest.iter().map(role).collect();
    let place = |slot| match slot {
        Slot::Message(index) => vec![messages[index as usize].clone()],
        Slot::Digest => digest.iter().map(|message| message.clone().into_bytes()).collect(),
        Slot::Filler(side) => vec![reader.note(side, FILLER).into_bytes()],
    };
    slots(outline, &Boundaries::of(outline), span, &roles).into_iter().flat_map(place).collect()
}

#[test]
fn estimate_vectors() {
    let Some(text) = read("vectors/compaction.json") else { return };
    let mut tape = Tape::new();
    let vectors = tape.parse(text.as_bytes()).unwrap();
    let mut ran = 0;
    for vector in vectors.get("estimate_text").unwrap().items() {
        assert_eq!(
            conservative::of_text(vector.get("input").unwrap()) as f64,
            vector.get("expected").unwrap().as_f64().unwrap()
        );
        ran += 1;
    }
    for vector in vectors.get("estimate_item").unwrap().items() {
        let item = vector.get("item").unwrap();
        assert_eq!(
            Format::Hotl.reader().conservative_tokens(item) as f64,
            vector.get("expected").unwrap().as_f64().unwrap(),
            "{:?}",
            item.text()
        );
        ran += 1;
    }
    say(&format!("estimates: {ran} vectors ran"));
}

#[test]
fn plan_vectors() {
    let Some(text) = read("vectors/compaction.json") else { return };
    let mut tape = Tape::new();
    let vectors = tape.parse(text.as_bytes()).unwrap();
    let mut ran = 0;
    for vector in vectors.get("plan").unwrap().items() {
        let name = vector.get("name").unwrap().text_lossy().into_owned();
        let items = messages(vector.get("items").unwrap());
        let budget = vector.get("tail_budget").unwrap().as_f64().unwrap();
        let answer = plan_of(&outline(&items, Some("hotl")), budget);
        let expected = vector.get("expected").unwrap();
        let number = |key: &str| expected.get(key).and_then(Value::as_f64);
        match &answer {
            Plan::None(_) => {
                assert!(expected.is_null(), "{name}");
                let why = vector.get("reason").map(|r| r.text_lossy().into_owned()).unwrap_or("nothing-to-fold".into());
                assert_eq!(reason(&answer), why, "{name}");
            }
            Plan::Fold(fold) => {
                assert_eq!(Some(f64::from(fold.prefix_end)), number("prefix_end"), "{name}");
                assert_eq!(Some(f64::from(fold.kept_from)), number("kept_from"), "{name}");
                // Beside an old wrong answer the estimate is that of the old answer's tail.
                if vector.get("seed_0_4_0").is_none() {
                    assert_eq!(Some(fold.tokens.tail as f64), vector.get("tail_estimate").unwrap().as_f64(), "{name}");
                }
                assert_eq!(fold.over_budget, fold.tokens.tail as f64 > budget, "{name}");
            }
        }
        ran += 1;
    }
    say(&format!("plans: {ran} vectors ran"));
}

#[test]
fn fnv_vectors() {
    // Lone surrogates make no `serde_json` value: read by the core's own reader.
    let Some(vectors) = read("vectors/fold-module.json") else { return };
    let mut tape = Tape::new();
    let vectors = tape.parse(vectors.as_bytes()).unwrap();
    let mut ran = 0;
    for vector in vectors.get("fnv1a").unwrap().items() {
        let hash = vector.get("hash").unwrap().text_lossy().into_owned();
        assert_eq!(format!("{:x}", fnv1a(&vector.get("input").unwrap().text().unwrap())), hash);
        let units = vector.get("utf16").into_iter().flat_map(Value::items);
        let units: Vec<u16> = units.map(|u| u.as_f64().unwrap() as u16).collect();
        if !units.is_empty() && units.len() < 12 {
            assert_eq!(format!("{:x}", fnv1a_utf16(units)), hash);
        }
        ran += 1;
    }
    say(&format!("fnv1a: {ran} vectors ran"));
}

#[test]
fn plan_cases() {
    let Some(folder) = shared() else { return say("cases: skipped, no folder with vectors") };
    let mut names: Vec<_> = std::fs::read_dir(folder.join("cases"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut ran = 0;
    for name in names {
        let text = read(&format!("cases/{name}")).unwrap();
        let mut tape = Tape::new();
        let case = tape.parse(text.as_bytes()).unwrap();
        let function = case.get("call").unwrap().get("fn").unwrap().text_lossy().into_owned();
        if !function.starts_with("plan") {
            continue;
        }
        let format = case.get("format").unwrap().text_lossy().into_owned();
        run_plan_case(&name, case, &format);
        ran += 1;
    }
    say(&format!("cases: {ran} plan cases ran"));
}

fn run_plan_case(name: &str, case: Value<'_>, format: &str) {
    let items = messages(case.get("input").unwrap());
    let call = case.get("call").unwrap();
    let expect = case.get("expect").unwrap();
    let outline = outline(&items, Some(format));
    if let Some(calls) = call.get("calls") {
        for (args, plan) in calls.items().zip(expect.get("plans").unwrap().items()) {
            check_plan(name, &plan_of(&outline, args.get("tail_budget").unwrap().as_f64().unwrap()), plan);
        }
        return;
    }
    let args = call.get("args").unwrap();
    let answer = plan_of(&outline, args.get("tail_budget").unwrap().as_f64().unwrap());
    if let Some(expected) = expect.get("plan") {
        check_plan(name, &answer, expected);
    }
    if let Some(why) = expect.get("reason") {
        assert!(why.is_str(&reason(&answer)), "{name}: {answer:?}");
    }
    if let Some(limit) = expect.get("kept_from_at_most") {
        let Plan::Fold(fold) = &answer else { panic!("{name}") };
        assert!(f64::from(fold.kept_from) <= limit.as_f64().unwrap(), "{name}");
    }
    if let Some(pending) = expect.get("pending") {
        let expected: Vec<String> = pending.items().map(|id| id.text_lossy().into_owned()).collect();
        let Plan::Fold(fold) = &answer else { panic!("{name}") };
        assert_eq!(fold.pending, expected, "{name}");
    }
    if let Some(over) = expect.get("tail_over_budget") {
        let Plan::Fold(fold) = &answer else { panic!("{name}") };
        assert_eq!(fold.over_budget, over.is_true(), "{name}");
    }
    let Plan::Fold(fold) = answer else { return };
    for never in expect.get("never_kept_from").into_iter().flat_map(Value::items) {
        assert_ne!(f64::from(fold.kept_from), never.as_f64().unwrap(), "{name}");
    }
    let span = Span::of(&fold);
    span.check_units(&outline, &Boundaries::of(&outline)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let prompt = summarize_prompt(&items, outline.format, &span);
    for text in expect.get("prompt_contains").into_iter().flat_map(Value::items) {
        assert!(prompt.contains(text.text_lossy().as_ref()), "{name}: {prompt}");
    }
    if let Some(text) = expect.get("prompt_contains_in_full") {
        assert!(prompt.contains(text.text_lossy().as_ref()), "{name}: {prompt}");
    }
    if let Some(summary) = args.get("summary") {
        check_window(name, &items, &outline, &span, &summary.text_lossy(), expect);
    }
}

fn check_plan(name: &str, answer: &Plan, expected: Value<'_>) {
    match answer {
        Plan::None(none) => assert!(expected.is_null(), "{name}: {none:?}"),
        Plan::Fold(fold) => {
            let number = |key: &str| expected.get(key).and_then(Value::as_f64);
            assert_eq!(number("prefix_end"), Some(f64::from(fold.prefix_end)), "{name}");
            if let Some(kept_from) = number("kept_from") {
                assert_eq!(kept_from, f64::from(fold.kept_from), "{name}");
            }
            if let Some(any) = expected.get("kept_from_any") {
                assert!(any.items().any(|i| i.as_f64() == Some(f64::from(fold.kept_from))), "{name}");
            }
        }
    }
}

fn check_window(name: &str, items: &[Vec<u8>], outline: &Outline, span: &Span, summary: &str, expect: Value<'_>) {
    let digest = digest::messages(summary, outline.format, None).unwrap();
    let window = window(items, outline, span, &digest);
    let after = self::outline(&window, Some(outline.format.name()));
    assert!(window.ends_with(&items[span.kept_from as usize..]), "{name}");
    if let Some(text) = expect.get("output_contains_verbatim") {
        let text = text.text_lossy().into_owned();
        assert_eq!(window.iter().filter(|m| String::from_utf8_lossy(m).contains(&text)).count(), 1, "{name}");
    }
    if let Some(least) = expect.get("tokens_after_at_least") {
        assert!(after.tokens(0..after.len()) as f64 >= least.as_f64().unwrap(), "{name}");
    }
    if let Some(roles) = expect.get("output_roles") {
        let roles: Vec<String> = roles.items().map(|r| r.text_lossy().into_owned()).collect();
        let mut tape = Tape::new();
        let actual: Vec<String> =
            window.iter().map(|m| tape.parse(m).unwrap().get("role").unwrap().text_lossy().into_owned()).collect();
        assert_eq!(actual, roles, "{name}");
    }
    if let Some(count) = expect.get("signed_blocks_in_tail") {
        let signed: u32 = outline.shapes[span.kept_from as usize..].iter().map(|s| s.signed).sum();
        assert_eq!(f64::from(signed), count.as_f64().unwrap(), "{name}");
    }
    let measured = measure(outline, span).unwrap();
    assert_eq!(measured.total, measured.prefix + measured.kept + measured.folded + measured.tail, "{name}");
    let fates = explain(outline, &Boundaries::of(outline), span).unwrap();
    assert_eq!(fates.iter().filter(|e| e.fate == Fate::Folded).count() as u32, measured.folded_messages, "{name}");
}

#[test]
fn text_cases() {
    if shared().is_none() {
        return say("digest and request cases: skipped, no folder with vectors");
    }
    let text = |case: &Json, path: &str| case.pointer(path).and_then(Json::as_str).unwrap_or_default().to_string();
    let framed = |summary: &str| digest::frame(summary, false).unwrap();

    let case = read_json("cases/38-summaries-nest-and-grow.json").unwrap();
    let nested = framed(&text(&case, "/input/summary"));
    assert_eq!(
        (nested.matches("<compaction-summary>").count(), nested.matches("</compaction-summary>").count()),
        (1, 1)
    );
    assert!(nested.contains("GOAL: build the shop") && nested.contains("NEXT: payment"), "{nested}");

    let case = read_json("cases/43-digest-closing-tag-breakout.json").unwrap();
    let broken = framed(&text(&case, "/input/summary"));
    assert_eq!(broken.matches("</compaction-summary>").count(), 1);
    assert!(broken.find("</compaction-summary>") > broken.find("more"));

    for blank in ["", "  \n\t"] {
        assert!(digest::messages(blank, Format::Hotl, None).is_err());
    }
    assert!(digest::floor(12, 3, Format::Hotl, None)[0].contains("degraded=\\\"true\\\""));

    let prompt_of = |file: &str, to: u32| {
        let text = read(&format!("cases/{file}.json")).unwrap();
        let mut tape = Tape::new();
        let case = tape.parse(text.as_bytes()).unwrap();
        let format = Format::from_name(&case.get("format").unwrap().text_lossy()).unwrap();
        summarize_prompt(&messages(case.get("input").unwrap()), format, &range(0, to))
    };
    let starts = |prompt: &str, label: &str| prompt.lines().filter(|line| line.starts_with(label)).count();
    let prompt = prompt_of("44-forged-role-lines-in-the-prompt", 3);
    let counts = ["[user]", "[assistant]", "[tool call]", "[tool result]"].map(|label| starts(&prompt, label));
    assert_eq!(counts, [1, 1, 0, 1], "{prompt}");
    let prompt = prompt_of("42-empty-text-parts-in-the-fold", 4);
    assert_eq!((starts(&prompt, "["), prompt.contains("real words")), (1, true), "{prompt}");
    let prompt = prompt_of("46-clip-in-the-middle-of-a-character", 1);
    assert!(!prompt.contains('\u{fffd}') && prompt.contains("bytes cut"), "{prompt}");
    let prompt = prompt_of("06-call-id-reused-every-turn", 5);
    assert_eq!((prompt.matches("AAA").count(), prompt.matches("BBB").count()), (1, 1), "{prompt}");
    say("digest and request cases: 7 ran (06, 38, 41, 42, 43, 44, 46)");
}

#[test]
fn the_deterministic_digest_of_a_real_trajectory_is_useful() {
    let Some(text) = read("transcripts/swe-agent-marshmallow-1867.traj") else { return };
    let mut tape = Tape::new();
    let trajectory = tape.parse(text.as_bytes()).unwrap();
    let items = messages(trajectory.get("history").unwrap());
    let outline = outline(&items, None);
    let fold = fold_of(&outline, 4000.0);
    let span = Span::of(&fold);
    let digest = deterministic::digest(&items, outline.format, &span, &|_| None, &Default::default()).unwrap();
    for heading in deterministic::HEADINGS {
        assert_eq!(digest.matches(&format!("{heading}:\n")).count(), 1, "{digest}");
    }
    say(&format!(
        "deterministic digest of a trajectory: {} of {} messages, {} bytes",
        fold.kept_from,
        items.len(),
        digest.len()
    ));
    assert_ne!(outline.shapes[0].provenance, Provenance::Summary);
}
