//! Computes from `tests/parity/inputs.json` what every runtime computes through the package, with the core alone:
//!
//! ```sh
//! cargo run --example parity -- tests/parity/inputs.json results.json
//! ```
//!
//! The counterpart in JavaScript is `tests/parity/compute.mjs`; both must be changed together. What the package's
//! TypeScript face does to arguments (which fields of a fact count, what a missing number is) is done here as well.

use plica::activity::{self, Activity, CommandActivity, FileActivity};
use plica::admission::{admit, Candidate, ISSUERS};
use plica::check::check;
use plica::convert::file::convert_file;
use plica::convert::{convert_marked, Converted};
use plica::cuts::Boundaries;
use plica::document::FileOptions;
use plica::edit::{Draft, Writer};
use plica::error::{Error, ErrorCode, Result};
use plica::fingerprint::{self, Fingerprint};
use plica::formats::{Detector, Format};
use plica::health::{compute_memory_health, HealthFact, HealthReport, DEFAULT_AGENT};
use plica::json::{js_number, write_string, Kind, Tape, Value};
use plica::ledger::{unfold, DigestPrint, FoldRecord, Origin};
use plica::message::{Provenance, Role, MARKS};
use plica::outline::{object as read_object, Outline, Reading};
use plica::pinned::{self, PinText};
use plica::pins::{is_pinned_kind, partition_pinned, MemoryConfig};
use plica::plan::{plan, FoldPlan, Plan, PlanOptions};
use plica::recall::{budget_facts, effective_importance, key_prefix, salience, BudgetOptions, RecallFact, TimeWindow};
use plica::reduce::{reduce, CacheTerms, Clear, Clip, Images, ReduceOptions, Reduced};
use plica::repair::{repair, Edit, Repaired};
use plica::session::{read_session, FoundFold, SessionMessage};
use plica::survey::{self, SurveyFact};
use plica::text::{js_trim, utf16_len, utf16_units};
use plica::time::parse_time;
use plica::tokens::Estimator;
use plica::usage::Usage;
use plica::window::{explain, measure, slots, Side, Slot, Span, FILLER};
use plica::{accept, clip, deterministic, digest, document, propose, summarize, transcript};
use serde::Serialize;
use std::borrow::Cow;

fn main() {
    let [inputs, results] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        panic!("usage: parity <inputs.json> <results.json>");
    };
    let text = std::fs::read(inputs).expect("inputs can be read");
    let mut tape = Tape::new();
    let inputs = tape.parse(&text).expect("inputs are JSON");
    std::fs::write(results, compute(inputs)).expect("results can be written");
}

type Part = fn(Value<'_>, &mut Entries);

/// The parts of the inputs, in the order of `compute.mjs`.
const PARTS: [(&str, Part); 7] = [
    ("texts", texts),
    ("messages", messages),
    ("transcripts", transcripts),
    ("facts", facts),
    ("salience", salience_of),
    ("importance", importance_of),
    ("sessions", sessions),
];

fn compute(inputs: Value<'_>) -> String {
    let mut entries = Entries::default();
    for (part, fill) in PARTS {
        for (number, input) in items(inputs, part).enumerate() {
            entries.prefix = format!("{part} {number}");
            fill(input, &mut entries);
        }
    }
    format!("{{\n{}\n}}\n", entries.lines.join(",\n"))
}

/// The entries so far; names of new ones start with `prefix`.
#[derive(Default)]
struct Entries {
    prefix: String,
    lines: Vec<String>,
}

impl Entries {
    fn put(&mut self, what: &str, value: Result<String>) {
        let name = format!("{} {what}", self.prefix);
        self.lines.push(format!("{}:{}", string(name.as_bytes()), value.unwrap_or_else(|error| refused(&error))));
    }

    /// Runs `fill` with a longer prefix.
    fn below(&mut self, what: String, fill: impl FnOnce(&mut Entries)) {
        let longer = format!("{} {what}", self.prefix);
        let before = std::mem::replace(&mut self.prefix, longer);
        fill(self);
        self.prefix = before;
    }
}

/// The sentence counts only where the package's TypeScript face does not refuse the argument before the core sees it.
fn refused(error: &Error) -> String {
    let code = string(error.code.as_str().as_bytes());
    match error.code {
        ErrorCode::BadArgument | ErrorCode::BadBudget => object([("code", code)]),
        _ => object([("code", code), ("message", string(error.message.as_bytes()))]),
    }
}

// --- canonical JSON

fn string(wtf8: &[u8]) -> String {
    let mut out = Vec::new();
    write_string(wtf8, &mut out);
    String::from_utf8(out).expect("lone surrogates are escaped")
}

fn number(x: f64) -> String {
    match x {
        _ if x.is_nan() => r#""NaN""#.into(),
        f64::INFINITY => r#""Infinity""#.into(),
        f64::NEG_INFINITY => r#""-Infinity""#.into(),
        _ => js_number(x),
    }
}

fn list<T>(all: impl IntoIterator<Item = T>, one: impl Fn(T) -> String) -> String {
    format!("[{}]", all.into_iter().map(one).collect::<Vec<_>>().join(","))
}

fn numbers<T: Into<f64>>(all: impl IntoIterator<Item = T>) -> String {
    list(all, |x| number(x.into()))
}

fn object<const N: usize>(mut members: [(&str, String); N]) -> String {
    members.sort();
    format!("{{{}}}", members.map(|(key, value)| format!("{}:{value}", string(key.as_bytes()))).join(","))
}

/// Sorted keys, the last of duplicates, numbers as JavaScript prints them.
fn canonical(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Null | Kind::Bool => String::from_utf8_lossy(value.raw()).into_owned(),
        Kind::Number => number(value.as_f64().expect("a number")),
        Kind::String => string(&value.text().expect("a text")),
        Kind::Array => list(value.items(), canonical),
        Kind::Object => {
            let mut members: Vec<(Vec<u16>, String)> = Vec::new();
            for (key, value) in value.entries() {
                let text = key.text().expect("a key");
                let units: Vec<u16> = utf16_units(&text).collect();
                members.retain(|(known, _)| *known != units);
                members.push((units, format!("{}:{}", string(&text), canonical(value))));
            }
            // JavaScript sorts by UTF-16 units, which is another order than that of bytes.
            members.sort();
            format!("{{{}}}", members.into_iter().map(|(_, member)| member).collect::<Vec<_>>().join(","))
        }
    }
}

/// As JSON.stringify writes what JSON.parse read: of repeated keys the last value at the place of the first, small whole
/// numbers in front of all other keys.
fn as_javascript_writes(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Object => {
            let mut members: Vec<(Vec<u8>, Value<'_>)> = Vec::new();
            for (key, value) in value.entries() {
                let key = key.text().expect("a key").into_owned();
                match members.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => *known = value,
                    None => members.push((key, value)),
                }
            }
            let number = |key: &[u8]| {
                let number = std::str::from_utf8(key).ok()?.parse::<u32>().ok()?;
                (number.to_string().as_bytes() == key && number < u32::MAX).then_some(number)
            };
            members.sort_by_key(|(key, _)| number(key).map_or((1, 0), |number| (0, number)));
            let member =
                |(key, value): (Vec<u8>, Value<'_>)| format!("{}:{}", string(&key), as_javascript_writes(value));
            format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
        }
        Kind::Array => list(value.items(), as_javascript_writes),
        _ => canonical(value),
    }
}

fn canonical_text(json: &[u8]) -> String {
    let mut tape = Tape::new();
    canonical(tape.parse(json).expect("JSON"))
}

fn serialized<T: Serialize>(value: &T) -> String {
    canonical_text(&serde_json::to_vec(value).expect("plain data"))
}

// --- reading inputs

fn items<'d>(value: Value<'d>, key: &str) -> impl Iterator<Item = Value<'d>> {
    value.get(key).into_iter().flat_map(Value::items)
}

fn text(value: Value<'_>) -> Cow<'_, [u8]> {
    value.text().expect("a string")
}

/// The text under a key, when there is one.
fn text_at<'d>(value: Value<'d>, key: &str) -> Option<Cow<'d, [u8]>> {
    value.get(key).and_then(Value::text)
}

/// The number under a key; what JSON cannot say is a string.
fn number_at(value: Value<'_>, key: &str) -> Option<f64> {
    let value = value.get(key)?;
    value.as_f64().or_else(|| match value.text_lossy().as_ref() {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    })
}

fn count_at(value: Value<'_>, key: &str) -> Option<u32> {
    number_at(value, key).map(|number| number as u32)
}

fn flag_at(value: Value<'_>, key: &str) -> bool {
    value.get(key).is_some_and(Value::is_true)
}

fn indices(value: Value<'_>, key: &str) -> Vec<u32> {
    items(value, key).map(|index| index.as_f64().expect("an index") as u32).collect()
}

/// A point in time: text or milliseconds; nothing for null.
fn time(value: Option<Value<'_>>) -> Option<f64> {
    let value = value.filter(|value| !value.is_null())?;
    Some(value.as_f64().unwrap_or_else(|| value.text().map_or(f64::NAN, |text| parse_time(&text))))
}

/// What `JSON.stringify` makes of a value: the form in which messages reach the core.
fn compact(value: Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    value.write_compact(&mut out);
    out
}

// --- texts and messages

fn texts(input: Value<'_>, out: &mut Entries) {
    let text = text(input);
    out.put("fnv", Ok(string(format!("{:x}", fingerprint::fnv1a(&text)).as_bytes())));
    out.put("fingerprint", Ok(print(&fingerprint::text(&text))));
    out.put("keyPrefix", Ok(string(&key_prefix(&text))));
    let said = input.text_lossy();
    let answer = accept::Answer { text: &said, ..Default::default() };
    let verdict = accept::judge(&answer).map_err(|rejected| serialized(&rejected.code));
    out.put("judgeSummary", Ok(verdict.err().unwrap_or_else(|| string(b"accepted"))));
    let summaries = [said.to_string(), format!("{said} {said}"), "GOAL: both".into()];
    let options = summarize::SummarizeOptions { window: 1500.0, ..Default::default() };
    out.put("mergeRequests", summarize::merge(&summaries, &options).map(|all| serialized(&all)));
    out.put("withActivity", Ok(string(activity::with_list(&said, &done(), 200).as_bytes())));
    for &format in Format::ALL {
        // A summary goes in as a string of Rust's: lone surrogates are replaced on the way.
        let messages = digest::messages(&input.text_lossy(), format, None);
        out.put(&format!("digestMessage {}", format.name()), messages.map(|all| canonical_digest(&all)));
    }
    let pin = PinText { key: b"k", value: &text, ..PinText::default() };
    for &format in Format::ALL {
        let written = pinned::messages(&[pin], format, None, true);
        out.put(&format!("pinnedMessage {}", format.name()), written.map(|all| canonical_digest(&all)));
    }
    let said = format!(r#"{{"role":"user","content":{}}}"#, string(&text));
    let proposed = propose::in_messages(&[said], Format::OpenaiChat, &|_| None, &propose::ProposeOptions::default());
    out.put("proposePins", proposed.map(|all| serialized(&all)));
}

fn done() -> Activity {
    let file = |path: &str, changed| FileActivity { path: path.into(), changed };
    let frost = CommandActivity { command: "frost --station 7".into(), runs: 2, failed: true };
    Activity { files: vec![file("beds/plan.md", true), file("map.csv", false)], commands: vec![frost] }
}

/// A digest as the package gives it: one message, or an array of them.
fn canonical_digest(messages: &[String]) -> String {
    match messages {
        [only] => canonical_text(only.as_bytes()),
        several => canonical_text(format!("[{}]", several.join(",")).as_bytes()),
    }
}

fn print(print: &Fingerprint) -> String {
    string(print.to_string().as_bytes())
}

fn messages(input: Value<'_>, out: &mut Entries) {
    let text = text(input);
    let mut tape = Tape::new();
    let message = tape.parse(&text).expect("a message");
    out.put("fingerprint", Ok(print(&fingerprint::message(message, None))));
    detection(&[&text], out);
    let unique = as_javascript_writes(message);
    for &format in Format::ALL {
        let name = format.name();
        out.put(&format!("fingerprint {name}"), Ok(print(&fingerprint::message(message, Some(format)))));
        let reading = Reading { format: Some(format), ..Reading::default() };
        let total = Outline::read(&[&unique], reading).map(|outline| number(outline.tokens(0..1) as f64));
        out.put(&format!("estimate {name}"), total);
    }
}

fn detector_of<T: AsRef<[u8]>>(messages: &[T]) -> Result<Detector> {
    let mut detector = Detector::default();
    let mut tape = Tape::new();
    for (index, message) in messages.iter().enumerate() {
        detector.see(read_object(&mut tape, message.as_ref(), index)?);
    }
    Ok(detector)
}

fn detection<T: AsRef<[u8]>>(messages: &[T], out: &mut Entries) {
    let detector = || detector_of(messages);
    let name = |format: Format| string(format.name().as_bytes());
    out.put("detectFormat", detector().map(|detector| detector.certain().map_or("null".into(), name)));
    out.put("digestFormat", detector().and_then(|detector| detector.for_digest().map(name)));
}

// --- transcripts

/// A transcript as the core gets it from the package.
struct Transcript<'d> {
    input: Value<'d>,
    messages: Vec<Vec<u8>>,
    format: Option<Format>,
    provenance: Vec<(u32, Provenance)>,
    estimator: Estimator,
    tokens: Option<Vec<f64>>,
}

impl<'d> Transcript<'d> {
    fn of(input: Value<'d>) -> Transcript<'d> {
        let messages: Vec<Vec<u8>> = items(input, "messages").map(compact).collect();
        let units = |line: &Vec<u8>, divisor: f64| utf16_len(line) as f64 / divisor;
        Transcript {
            format: text_at(input, "format")
                .map(|name| Format::from_name(&String::from_utf8_lossy(&name)).expect("a format")),
            provenance: items(input, "provenance").map(marked).collect(),
            estimator: text_at(input, "estimator").map_or_else(Estimator::default, |name| {
                Estimator::from_name(&String::from_utf8_lossy(&name)).expect("an estimator")
            }),
            tokens: number_at(input, "divisor").map(|by| messages.iter().map(|line| units(line, by)).collect()),
            input,
            messages,
        }
    }

    fn outline(&self) -> Result<Outline> {
        let (format, estimator, tokens) = (self.format, self.estimator, self.tokens.as_deref());
        let reading = Reading { format, provenance: &self.provenance, estimator, tokens };
        Outline::read(&self.messages, reading)
    }

    fn reduced(&self, cache: bool) -> Result<Reduced> {
        let options = ReduceOptions {
            clear: Some(Clear { keep: 1, protect: 0.0, min_gain: 0.0, exclude: Vec::new() }),
            clip: Some(Clip { bytes: 300 }),
            images: Some(Images { keep: 0 }),
            cache: cache.then(CacheTerms::default),
            ..ReduceOptions::default()
        };
        let reading = Reading {
            format: self.format,
            provenance: &self.provenance,
            estimator: self.estimator,
            tokens: self.tokens.as_deref(),
        };
        reduce(&self.messages, reading, &options)
    }

    fn grown(&self) -> Result<transcript::Transcript> {
        let mut grown = transcript::Transcript::new(self.format, self.estimator, None)?;
        for (piece, messages) in self.messages.chunks(3).enumerate() {
            let at = 3 * piece;
            if !self.append(&mut grown, at, at + messages.len())? {
                self.append(&mut grown, 0, at + messages.len())?;
            }
            let usage = Usage { input: 100 + 70 * at as u64, output: 20, ..Usage::default() };
            grown.usage(&usage, None)?;
        }
        Ok(grown)
    }

    fn append(&self, grown: &mut transcript::Transcript, from: usize, to: usize) -> Result<bool> {
        let inside = |(index, _): &&(u32, Provenance)| (from..to).contains(&(*index as usize));
        let marks: Vec<(u32, Provenance)> =
            self.provenance.iter().filter(inside).map(|(index, mark)| (index - from as u32, *mark)).collect();
        let tokens = self.tokens.as_ref().map(|tokens| &tokens[from..to]);
        grown.append(&self.messages[from..to], Reading { provenance: &marks, tokens, ..Reading::default() })
    }

    fn committed(&self, fork: &mut transcript::Transcript, fold: &FoldPlan, all: &[Vec<u8>]) -> Result<String> {
        let mut tape = Tape::new();
        let like = all.first().map(|message| tape.parse(message).expect("it was read"));
        let digest: Vec<Vec<u8>> = digest::messages("GOAL: the same everywhere", fold.format, like)?
            .into_iter()
            .map(String::into_bytes)
            .collect();
        let filler = |side| fold.format.reader().note(side, FILLER).into_bytes();
        let counted: Vec<Vec<u8>> = digest.iter().cloned().chain([filler(Side::User), filler(Side::Model)]).collect();
        let counts: Option<Vec<f64>> =
            number_at(self.input, "divisor").map(|by| counted.iter().map(|line| utf16_len(line) as f64 / by).collect());
        let done = fork.commit(transcript::Commit {
            messages: all,
            digest: &digest,
            span: Span::of(fold),
            tokens: Some(fold.tokens),
            counts: counts.as_deref(),
        })?;
        Ok(object([
            ("record", canonical_text(done.record.to_json().as_bytes())),
            ("tokens", number(fork.tokens().ceil())),
        ]))
    }

    fn prints(&self) -> Vec<Fingerprint> {
        let mut tape = Tape::new();
        self.messages.iter().map(|line| fingerprint::message(tape.parse(line).expect("JSON"), None)).collect()
    }

    fn said(&self, index: usize) -> Option<Provenance> {
        self.provenance.iter().find(|(at, _)| *at as usize == index).map(|(_, mark)| *mark)
    }
}

fn marked(pair: Value<'_>) -> (u32, Provenance) {
    let (index, name) = (pair.items().next(), pair.items().nth(1));
    let named = |mark: &&Provenance| serialized(*mark) == canonical(name.expect("a mark"));
    let mark = MARKS.iter().find(named).expect("a known mark");
    (index.and_then(Value::as_f64).expect("an index") as u32, *mark)
}

fn transcripts(input: Value<'_>, out: &mut Entries) {
    let transcript = Transcript::of(input);
    let prints = transcript.prints();
    detection(&transcript.messages, out);
    out.put("fingerprints", Ok(list(&prints, print)));
    out.put("fingerprint", Ok(print(&fingerprint::span(&prints))));
    out.put("estimate", transcript.outline().map(|outline| estimate(&outline)));
    let format = transcript.outline().map(|outline| outline.format);
    let messages = &transcript.messages;
    out.put("check", format.clone().and_then(|format| Ok(serialized(&check(messages, format)?))));
    out.put("repair", format.clone().and_then(|format| Ok(repaired(messages, format, &repair(messages, format)?))));
    for &to in Format::ALL {
        let converted = format.clone().and_then(|from| convert_marked(messages, &transcript.provenance, from, to));
        out.put(&format!("convert {}", to.name()), converted.map(|converted| conversion(&converted)));
    }
    if transcript.tokens.is_none() {
        for cache in [false, true] {
            let reduced = transcript.reduced(cache).map(|reduced| reduction(messages, &reduced));
            out.put(&format!("reduce {cache}"), reduced);
        }
    }
    out.below("transcript".into(), |out| grown(&transcript, out));
    for (number, options) in items(input, "plans").enumerate() {
        let planned = transcript.outline().and_then(|outline| plan(&outline, &plan_options(options)));
        out.put(&format!("plan {number}"), planned.clone().map(|plan| serialized(&plan)));
        let Ok(Plan::Fold(fold)) = planned else { continue };
        out.below(format!("plan {number}"), |out| {
            spanned(&transcript, &Span::of(&fold), out);
            if !fold.clips.is_empty() {
                let drafts = clip::results(messages, fold.format, &fold.clips);
                out.put("clipResults", drafts.map(|drafts| written(messages, fold.format, &drafts)));
            }
            ledger(&transcript, &Span::of(&fold), out);
        });
    }
    for (number, span) in items(input, "spans").enumerate() {
        out.below(format!("span {number}"), |out| spanned(&transcript, &span_by_hand(span), out));
    }
}

/// A transcript, three messages at a time, with what a provider counted.
fn grown(transcript: &Transcript<'_>, out: &mut Entries) {
    let all = &transcript.messages;
    let made = transcript.grown();
    let tokens = made.as_ref().map_err(Clone::clone).map(|grown| {
        object([
            ("format", string(grown.format().name().as_bytes())),
            ("tokens", number(grown.tokens().ceil())),
            ("calibration", number(grown.calibration())),
        ])
    });
    out.put("tokens", tokens);
    let Ok(mut grown) = made else { return };
    for (number_of, options) in items(transcript.input, "plans").enumerate() {
        let planned = grown.plan(&plan_options(options));
        out.put(&format!("plan {number_of}"), planned.clone().map(|plan| serialized(&plan)));
        let Ok(Plan::Fold(fold)) = planned else { continue };
        let committed = transcript.committed(&mut grown.fork(), &fold, all);
        out.put(&format!("commit {number_of}"), committed);
    }
}

fn reduction(messages: &[Vec<u8>], reduced: &Reduced) -> String {
    object([
        ("messages", written(messages, reduced.format, &reduced.drafts)),
        ("steps", serialized(&reduced.steps)),
        ("refused", serialized(&reduced.refused)),
        ("tokens", serialized(&reduced.tokens)),
        ("effect", serialized(&reduced.cache)),
    ])
}

fn conversion(converted: &Converted) -> String {
    object([
        ("messages", list(&converted.messages, |text| canonical_text(text.as_bytes()))),
        ("losses", serialized(&converted.losses)),
    ])
}

fn repaired(messages: &[Vec<u8>], format: Format, repaired: &Repaired) -> String {
    let edit = |edit: &Edit| numbers([edit.at, edit.removed, edit.inserted].map(f64::from));
    object([
        ("messages", written(messages, format, &repaired.drafts)),
        ("changes", serialized(&repaired.changes)),
        ("edits", list(&repaired.edits, edit)),
    ])
}

/// Drafts as the messages that they are.
fn written(messages: &[Vec<u8>], format: Format, drafts: &[Draft]) -> String {
    let mut writer = Writer::new(messages, format);
    let texts: Vec<Vec<u8>> = drafts.iter().map(|draft| writer.text(draft)).collect();
    list(texts, |text| canonical_text(&text))
}

fn estimate(outline: &Outline) -> String {
    let total = number(outline.tokens(0..outline.len()) as f64);
    object([("total", total), ("perMessage", numbers(outline.shapes.iter().map(|shape| shape.tokens as f64)))])
}

fn plan_options(options: Value<'_>) -> PlanOptions {
    PlanOptions {
        tail_budget: number_at(options, "tailBudget").unwrap_or(f64::NAN),
        keep_turns: count_at(options, "keepTurns").unwrap_or(0),
        prefix: count_at(options, "prefix").unwrap_or(0),
        pinned: indices(options, "pinned"),
        keep_system: flag_at(options, "keepSystem"),
        anchor_task: flag_at(options, "anchorTask"),
        anchor_request: flag_at(options, "anchorRequest"),
        margin: number_at(options, "margin").unwrap_or(0.0),
    }
}

fn span_by_hand(span: Value<'_>) -> Span {
    Span {
        prefix_end: count_at(span, "prefixEnd").expect("prefixEnd"),
        kept_from: count_at(span, "keptFrom").expect("keptFrom"),
        kept: indices(span, "kept"),
        kept_reasons: Vec::new(),
        length: None,
        over_budget: false,
        nothing: false,
    }
}

/// What every plan allows, one made by hand included.
fn spanned(transcript: &Transcript<'_>, span: &Span, out: &mut Entries) {
    let outline = transcript.outline();
    let with = |make: &dyn Fn(&Outline) -> Result<String>| outline.clone().and_then(|outline| make(&outline));
    out.put("measure", with(&|outline| Ok(serialized(&measure(outline, span)?))));
    out.put("explain", with(&|outline| Ok(serialized(&explain(outline, &Boundaries::of(outline), span)?))));
    out.put(
        "slots",
        with(&|outline| Ok(numbers(places(outline, span, &[Role::User])?.iter().map(|&place| place as f64)))),
    );
    out.put(
        "floorDigest",
        with(&|outline| {
            if transcript.format.is_none() {
                detector_of(&transcript.messages)?.for_digest()?;
            }
            let measured = measure(outline, span)?;
            let mut tape = Tape::new();
            let like = transcript.messages.first().map(|message| tape.parse(message).expect("it was read"));
            let (messages, calls) = (measured.folded_messages as usize, measured.folded_calls as usize);
            Ok(canonical_digest(&digest::floor(messages, calls, outline.format, like)))
        }),
    );
    let (messages, said) = (&transcript.messages, |index| transcript.said(index));
    for (number, limits) in items(transcript.input, "requests").enumerate() {
        let mut options = summarize::SummarizeOptions::default();
        options.result_bytes = count_at(limits, "resultBytes").unwrap_or(options.result_bytes);
        options.argument_bytes = count_at(limits, "argumentBytes").unwrap_or(options.argument_bytes);
        let request =
            with(&|outline| Ok(serialized(&summarize::request(messages, outline.format, span, &said, &options)?)));
        out.put(&format!("summarizeRequest {number}"), request);
    }
    let options = summarize::SummarizeOptions { window: 1500.0, ..Default::default() };
    let requests =
        with(&|outline| Ok(serialized(&summarize::requests(messages, outline.format, span, &said, &options)?)));
    out.put("summarizeRequests", requests);
    let done = with(&|outline| Ok(serialized(&activity::of(messages, outline.format, span, &said, &[], Some(&[]))?)));
    out.put("activity", done);
    for (number, limits) in items(transcript.input, "digests").enumerate() {
        let mut options = deterministic::DigestOptions::default();
        options.max_bytes = count_at(limits, "maxBytes").unwrap_or(options.max_bytes);
        let text = with(&|outline| {
            Ok(string(deterministic::digest(messages, outline.format, span, &said, &options)?.as_bytes()))
        });
        out.put(&format!("deterministicDigest {number}"), text);
    }
}

/// The window of a fold as indices, −1 for what the fold wrote.
fn places(outline: &Outline, span: &Span, digest: &[Role]) -> Result<Vec<i64>> {
    let boundaries = Boundaries::of(outline);
    span.check_units(outline, &boundaries)?;
    let place = |slot| match slot {
        Slot::Message(index) => vec![i64::from(index)],
        Slot::Digest => vec![-1; digest.len()],
        Slot::Filler(_) => vec![-1],
    };
    Ok(slots(outline, &boundaries, span, digest).into_iter().flat_map(place).collect())
}

fn digest_print(message: &str, format: Format) -> DigestPrint {
    let mut tape = Tape::new();
    let message = tape.parse(message.as_bytes()).expect("JSON");
    DigestPrint { fingerprint: fingerprint::message(message, None), role: format.reader().role(message) }
}

/// A ledger of one fold: its record, its seal, and the way back.
fn ledger(transcript: &Transcript<'_>, span: &Span, out: &mut Entries) {
    let outline = transcript.outline().expect("it was planned");
    let prints = transcript.prints();
    let mut tape = Tape::new();
    let like = transcript.messages.first().map(|message| tape.parse(message).expect("it was read"));
    let digest = digest::messages("GOAL: the same everywhere", outline.format, like).expect("a digest");
    let digest: Vec<DigestPrint> = digest.iter().map(|message| digest_print(message, outline.format)).collect();
    let roles: Vec<Role> = digest.iter().map(|message| message.role).collect();
    let record = match FoldRecord::new(&outline, &Boundaries::of(&outline), span, &prints, &digest) {
        Ok(record) => record,
        Err(error) => return out.put("record", Err(error)),
    };
    out.put("record", Ok(canonical_text(record.to_json().as_bytes())));
    let original = |index: u32| i64::from(record.prefix_end + record.folded()[index as usize]);
    let taken = list(record.folded(), |index| {
        String::from_utf8(transcript.messages[(record.prefix_end + index) as usize].clone()).expect("UTF-8")
    });
    let whole = format!(
        r#"{{"plica":"ledger","version":1,"folds":[{{"id":"fold-1","retention":"full","record":{},"messages":{taken}}}]}}"#,
        record.to_json()
    );
    out.put("seal", Ok(print(&fingerprint::seal(Tape::new().parse(whole.as_bytes()).expect("JSON"), None))));
    let window = slots(&outline, &Boundaries::of(&outline), span, &roles).into_iter().flat_map(|slot| match slot {
        Slot::Message(index) => vec![(i64::from(index), prints[index as usize])],
        Slot::Digest => digest.iter().map(|message| (-1, message.fingerprint)).collect(),
        Slot::Filler(side) => {
            let filler = digest_print(&outline.format.reader().note(side, FILLER), outline.format);
            vec![(-1, filler.fingerprint)]
        }
    });
    let (window, window_prints): (Vec<i64>, Vec<Fingerprint>) = window.unzip();
    let origins = unfold(std::slice::from_ref(&record), &window_prints).map(|origins| {
        numbers(origins.into_iter().map(|origin| match origin {
            Origin::Window(index) => window[index as usize] as f64,
            Origin::Fold { index, .. } => original(index) as f64,
        }))
    });
    out.put("unfold", origins);
}

// --- memory

fn memory_config(config: Value<'_>) -> MemoryConfig {
    let default = MemoryConfig::default();
    MemoryConfig {
        pin_constraints: config.get("pinConstraints").map_or(default.pin_constraints, Value::is_true),
        pinned_max_facts: number_at(config, "pinnedMaxFacts").unwrap_or(default.pinned_max_facts),
        imp5_soft_cap: number_at(config, "imp5SoftCap").unwrap_or(default.imp5_soft_cap),
    }
}

fn facts(input: Value<'_>, out: &mut Entries) {
    let all: Vec<Value<'_>> = items(input, "facts").collect();
    let kinds: Vec<Option<Cow<'_, [u8]>>> = all.iter().map(|&fact| text_at(fact, "kind")).collect();
    let kinds: Vec<Option<&[u8]>> = kinds.iter().map(Option::as_deref).collect();
    for (number, config) in items(input, "configs").enumerate() {
        let config = memory_config(config);
        out.put(&format!("isPinnedKind {number}"), Ok(list(&kinds, |kind| is_pinned_kind(*kind, &config).to_string())));
        let split = partition_pinned(&kinds, &config);
        let split = [("pinned", split.pinned), ("rest", split.rest), ("overflow", split.overflow)];
        out.put(&format!("partitionPinned {number}"), Ok(object(split.map(|(key, all)| (key, numbers(all))))));
        out.put(&format!("computeMemoryHealth {number}"), Ok(health(&all, &kinds, &config)));
    }
    for (number, options) in items(input, "budgets").enumerate() {
        out.put(&format!("budgetFacts {number}"), Ok(budgeted(&all, &kinds, options)));
    }
    out.put("admitPins", Ok(admitted(&all)));
    out.put("surveyMemory", Ok(surveyed(&all, &kinds)));
}

fn admitted(all: &[Value<'_>]) -> String {
    type Texts<'d> = [Cow<'d, [u8]>; 3];
    let value = |fact: Value<'_>| -> Vec<u8> {
        let Some(value) = fact.get("value").filter(|value| !value.is_null()) else { return Vec::new() };
        value.text().map_or_else(|| compact(value), |text| text.into_owned())
    };
    let texts = |&fact: &Value<'_>| -> Texts<'static> {
        let text = |key: &str| Cow::Owned(text_at(fact, key).unwrap_or_default().into_owned());
        [text("key"), Cow::Owned(value(fact)), text("agent_id")]
    };
    let texts: Vec<Texts<'static>> = all.iter().map(texts).collect();
    let candidate = |(fact, [key, value, agent]): (&Value<'_>, &'_ Texts<'static>)| {
        let agent = Some(js_trim(agent)).filter(|name| !name.is_empty()).unwrap_or(DEFAULT_AGENT).to_vec();
        let rank = ISSUERS.iter().find(|(name, _)| name.as_bytes() == agent).map_or(u32::MAX, |(_, rank)| *rank);
        let marked = rank == u32::MAX && agent != DEFAULT_AGENT;
        let pin = PinText { key, value, agent: marked.then_some(&agent[..]), rank, created_ms: None };
        let tokens = Estimator::default().text(pinned::entry(&pin).as_bytes()) + 1;
        (agent, rank, tokens, time(fact.get("created_at")))
    };
    let known: Vec<(Vec<u8>, u32, u64, Option<f64>)> = all.iter().zip(&texts).map(candidate).collect();
    let rules: Vec<String> =
        texts.iter().map(|[key, value, _]| pinned::rule(&PinText { key, value, ..Default::default() })).collect();
    let candidates: Vec<Candidate<'_>> = texts
        .iter()
        .zip(&rules)
        .zip(&known)
        .map(|(([key, ..], text), (agent, rank, tokens, created_ms))| Candidate {
            key,
            text: text.as_bytes(),
            agent,
            rank: *rank,
            created_ms: *created_ms,
            tokens: *tokens,
        })
        .collect();
    serialized(&admit(&candidates, 5.0, 300.0))
}

fn surveyed(all: &[Value<'_>], kinds: &[Option<&[u8]>]) -> String {
    let agents: Vec<Option<Cow<'_, [u8]>>> = all.iter().map(|&fact| text_at(fact, "agent_id")).collect();
    let facts: Vec<SurveyFact<'_>> = all
        .iter()
        .zip(&agents)
        .zip(kinds)
        .map(|((fact, agent), kind)| SurveyFact {
            health: HealthFact {
                importance: fact.get("importance").and_then(Value::as_f64).unwrap_or(f64::NAN),
                agent_id: agent.as_deref(),
                kind: *kind,
            },
            namespace: None,
        })
        .collect();
    serialized(&survey::facts(&facts, &[b"nobody".as_slice()], 25.0, 25.0))
}

fn health(all: &[Value<'_>], kinds: &[Option<&[u8]>], config: &MemoryConfig) -> String {
    let agents: Vec<Option<Cow<'_, [u8]>>> = all.iter().map(|&fact| text_at(fact, "agent_id")).collect();
    let fact = |((&fact, agent), kind): ((&Value<'_>, _), &Option<_>)| HealthFact {
        importance: fact.get("importance").and_then(Value::as_f64).unwrap_or(f64::NAN),
        agent_id: Option::<&Cow<'_, [u8]>>::map(agent, |agent| agent.as_ref()),
        kind: *kind,
    };
    let facts: Vec<HealthFact<'_>> = all.iter().zip(agents.iter().map(Option::as_ref)).zip(kinds).map(fact).collect();
    serialized(&HealthReport::from(compute_memory_health(&facts, config)))
}

fn budgeted(all: &[Value<'_>], kinds: &[Option<&[u8]>], options: Value<'_>) -> String {
    let keys: Vec<Cow<'_, [u8]>> = all.iter().map(|&fact| text_at(fact, "key").unwrap_or_default()).collect();
    let fact = |((&fact, key), kind): ((&Value<'_>, _), &Option<_>)| RecallFact {
        key,
        value_len: value_units(fact.get("value")),
        kind: *kind,
        created_ms: time(fact.get("created_at")),
    };
    let facts: Vec<RecallFact<'_>> = all.iter().zip(keys.iter().map(Cow::as_ref)).zip(kinds).map(fact).collect();
    let default = BudgetOptions::default();
    let window = options.get("window").map(|window| TimeWindow {
        from_ms: time(window.get("from")).unwrap_or(f64::NAN),
        to_ms: time(window.get("to")).unwrap_or(f64::NAN),
    });
    let limits = BudgetOptions {
        max_chars: number_at(options, "maxChars").unwrap_or(default.max_chars),
        min_facts: number_at(options, "minFacts").unwrap_or(default.min_facts),
        pinned_max_chars: number_at(options, "pinnedMaxChars").unwrap_or(default.pinned_max_chars),
        window,
    };
    serialized(&budget_facts(&facts, &limits, &memory_config(options)))
}

/// UTF-16 units that a value takes: of a text its own, of anything else those of its JSON.
fn value_units(value: Option<Value<'_>>) -> u32 {
    let Some(value) = value.filter(|value| !value.is_null()) else { return 0 };
    let units = value.text().map_or_else(|| utf16_len(&compact(value)), |text| utf16_len(&text));
    units as u32
}

fn salience_of(input: Value<'_>, out: &mut Entries) {
    let at = |index| input.items().nth(index);
    let access = at(0).and_then(Value::as_f64).unwrap_or(0.0);
    out.put("value", Ok(number(salience(access, time(at(1)), time(at(2)).unwrap_or(f64::NAN)))));
}

fn importance_of(input: Value<'_>, out: &mut Entries) {
    let at = |index| input.items().nth(index);
    let importance = at(0).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let now = time(at(3)).unwrap_or(f64::NAN);
    out.put("value", Ok(number(effective_importance(importance, time(at(1)), time(at(2)), now))));
}

// --- session files

fn sessions(input: Value<'_>, out: &mut Entries) {
    let source: Vec<u8> = items(input, "bytes").flat_map(bytes).collect();
    out.put("readSession", session(&source));
    out.put("inspectSession", document::inspect(&source, None).map(|inspection| serialized(&inspection)));
    let converted = convert_file(&source, Format::OpenaiResponses);
    out.put(
        "convertSession",
        converted.map(|converted| {
            object([
                ("conversation", string(converted.conversation.as_bytes())),
                ("report", serialized(&converted.report)),
            ])
        }),
    );
    for (number, given) in items(input, "folds").enumerate() {
        let options = plan_options(given);
        let summary = given.get_str("summary").map(Value::text_lossy);
        let folded =
            document::fold(&source, &FileOptions { summary: summary.as_deref(), ..FileOptions::plan(&options) });
        out.put(&format!("foldSession {number}"), folded.as_ref().map(files).map_err(Clone::clone));
        let file_options = FileOptions { summary: summary.as_deref(), ..FileOptions::plan(&options) };
        let native = document::fold_session(&source, &file_options);
        out.put(&format!("foldSession {number}, native"), native.as_ref().map(files).map_err(Clone::clone));
        if let Some(written) = native.ok().and_then(|folded| folded.session) {
            out.put(
                &format!("unfoldSession {number}, native"),
                document::unfold_session(&written).map(|unfolded| {
                    let whole = string(String::from_utf8_lossy(&unfolded.bytes).as_bytes());
                    object([
                        ("exact", unfolded.exact.to_string()),
                        ("messages", self::number(unfolded.messages.into())),
                        ("text", whole),
                    ])
                }),
            );
        }
        let request = document::request(&source, &FileOptions::plan(&options), &summarize::SummarizeOptions::default());
        let request = request.map(|request| request.map_or("null".into(), |request| serialized(&request)));
        out.put(&format!("summarizeSession {number}"), request);
        let Ok(document::Folded { conversation: Some(conversation), ledger: Some(ledger), .. }) = folded else {
            continue;
        };
        out.below(format!("foldSession {number}"), |out| {
            way_back(&source, &conversation, ledger.as_bytes(), &options, out)
        });
    }
}

/// Bytes, given as texts (UTF-8) and numbers between them.
fn bytes(part: Value<'_>) -> Vec<u8> {
    part.as_f64().map_or_else(|| text(part).into_owned(), |byte| vec![byte as u8])
}

fn session(source: &[u8]) -> Result<String> {
    let session = read_session(source)?;
    let one = |message: &SessionMessage<'_>| canonical_text(String::from_utf8_lossy(&message.json).as_bytes());
    let fold = |fold: &FoundFold<'_>| {
        object([
            ("line", number(fold.line.into())),
            ("trigger", serialized(&fold.trigger)),
            ("tokensBefore", serialized(&fold.tokens_before)),
            ("originals", list(&fold.originals, one)),
            ("kept", numbers(fold.kept.iter().copied())),
            ("before", numbers(fold.before.iter().copied())),
            ("digest", list(&fold.digest, one)),
        ])
    };
    Ok(object([
        ("format", string(session.kind.name().as_bytes())),
        ("messageFormat", string(session.format.name().as_bytes())),
        ("messages", list(&session.messages, one)),
        ("provenance", list(&session.messages, |message| serialized(&message.provenance))),
        ("folds", list(&session.folds, fold)),
        ("usage", list(&session.messages, |message| serialized(&message.usage))),
        ("branches", serialized(&session.branches)),
        ("problems", serialized(&session.problems)),
        ("skipped", serialized(&session.skipped)),
    ]))
}

fn files(folded: &document::Folded) -> String {
    object([
        ("conversation", serialized(&folded.conversation)),
        (
            "session",
            folded.session.as_deref().map_or("null".into(), |bytes| string(String::from_utf8_lossy(bytes).as_bytes())),
        ),
        ("ledger", serialized(&folded.ledger)),
        ("report", serialized(&folded.report)),
    ])
}

fn way_back(source: &[u8], conversation: &str, ledger: &[u8], options: &PlanOptions, out: &mut Entries) {
    let exact = |unfolded: &document::Unfolded| {
        [("exact", unfolded.exact.to_string()), ("messages", number(unfolded.messages.into()))]
    };
    let unfolded = document::unfold_file(conversation.as_bytes(), ledger);
    let same = unfolded.map(|unfolded| {
        let [exact, messages] = exact(&unfolded);
        object([exact, messages, ("same", (unfolded.bytes == source).to_string())])
    });
    out.put("unfoldSession", same);
    let open = conversation.strip_suffix("\n]\n").expect("an array with one message a line");
    let longer = format!("{open},\n{{\"role\":\"user\",\"content\":\"and then?\"}}\n]\n");
    let whole = document::unfold_file(longer.as_bytes(), ledger).map(|unfolded| {
        let [exact, messages] = exact(&unfolded);
        object([exact, messages, ("text", string(String::from_utf8_lossy(&unfolded.bytes).as_bytes()))])
    });
    out.put("unfoldSession, longer", whole);
    let again = document::fold(
        longer.as_bytes(),
        &FileOptions { ledger: Some(ledger), summary: Some("GOAL: twice"), ..FileOptions::plan(options) },
    );
    out.put("foldSession, again", again.as_ref().map(files).map_err(Clone::clone));
}
