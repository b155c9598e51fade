//! Pins: admission, the pinned message and its place, what could be pinned, and the survey of how it all holds.
//!
//! A fact is staged as a JSON array `[key, value, agent, created, importance, kind, namespace]`, as far as it is needed; a message as
//! itself.

use super::convert::{from_js, parse, thrown, to_js, Answer, OwnReading};
use super::messages::{format_to_read, json_array};
use super::stage::take_lines;
use crate::admission::{admit, Candidate};
use crate::error::{Error, ErrorCode};
use crate::formats::{Detector, Format};
use crate::health::{HealthFact, DEFAULT_AGENT};
use crate::json::{Kind, Tape, Value};
use crate::ledger::FoldRecord;
use crate::message::{Part, Role};
use crate::outline::{object, Outline};
use crate::pinned::{self, PinText};
use crate::pins::MemoryConfig;
use crate::survey::{self, SurveyFact};
use crate::text::js_trim;
use crate::time::parse_time;
use crate::tokens::Estimator;
use crate::{fingerprint, propose};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use wasm_bindgen::prelude::*;

/// Who issues pins, by rank; all others rank behind. Of names that are the same but for white space the first counts.
#[derive(Deserialize, Default)]
#[serde(from = "Vec<(String, u32)>")]
struct Issuers(HashMap<Vec<u8>, u32>);

impl From<Vec<(String, u32)>> for Issuers {
    fn from(named: Vec<(String, u32)>) -> Issuers {
        let mut ranks = HashMap::with_capacity(named.len());
        for (name, rank) in named {
            ranks.entry(js_trim(name.as_bytes()).to_vec()).or_insert(rank);
        }
        Issuers(ranks)
    }
}

/// The rank of who has none.
const UNRANKED: u32 = u32::MAX;

impl Issuers {
    fn rank(&self, agent: &[u8]) -> u32 {
        self.0.get(agent).copied().unwrap_or(UNRANKED)
    }
}

/// A staged fact.
struct Fact<'d> {
    texts: [Cow<'d, [u8]>; 3],
    created_ms: Option<f64>,
    importance: f64,
    kind: Option<Cow<'d, [u8]>>,
    namespace: Option<Cow<'d, [u8]>>,
}

impl<'d> Fact<'d> {
    fn of(line: Value<'d>) -> Fact<'d> {
        let mut items = line.items();
        let mut text = || items.next().and_then(Value::text);
        let texts = [text(), text(), text()].map(Option::unwrap_or_default);
        let time = |value: Value<'d>| match value.kind() {
            Kind::Null => None,
            _ => Some(number(value).unwrap_or_else(|| value.text().map_or(f64::NAN, |text| parse_time(&text)))),
        };
        let created_ms = items.next().and_then(time);
        let importance = items.next().and_then(number).unwrap_or(f64::NAN);
        let mut text = || items.next().and_then(Value::text);
        Fact { texts, created_ms, importance, kind: text(), namespace: text() }
    }

    fn agent(&self) -> &[u8] {
        match (js_trim(&self.texts[2]), &*self.texts[2]) {
            (_, []) => DEFAULT_AGENT,
            // White space alone is a name: who has it is not the program.
            ([], blank) => blank,
            (name, _) => name,
        }
    }

    fn pin(&self, issuers: &Issuers) -> PinText<'_> {
        let rank = issuers.rank(self.agent());
        let marked = rank == UNRANKED && self.agent() != DEFAULT_AGENT;
        PinText {
            key: &self.texts[0],
            value: &self.texts[1],
            agent: marked.then(|| self.agent()),
            rank,
            created_ms: self.created_ms,
        }
    }
}

fn number(value: Value<'_>) -> Option<f64> {
    match value.kind() {
        Kind::Bool => Some(f64::NAN),
        _ => value.as_f64(),
    }
}

/// Reads facts, each from a tape of its own.
fn with_facts<T>(lines: &[&[u8]], with: impl FnOnce(&[Fact<'_>]) -> Answer<T>) -> Answer<T> {
    let mut tapes: Vec<Tape> = Vec::new();
    tapes.resize_with(lines.len(), Tape::new);
    let facts = tapes.iter_mut().zip(lines).map(|(tape, line)| parse(tape, line, ErrorCode::BadArgument).map(Fact::of));
    let facts = facts.collect::<Result<Vec<_>, Error>>().map_err(thrown)?;
    with(&facts)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsAdmission {
    facts: usize,
    max_pins: f64,
    max_tokens: f64,
    issuers: Issuers,
}

/// A message that wants to be pinned: by its role, what it says, what it costs.
fn message_candidate(line: &[u8], index: usize) -> Answer<(&'static [u8], Vec<u8>, u64)> {
    let mut tape = Tape::new();
    let message = object(&mut tape, line, index).map_err(thrown)?;
    let mut detector = Detector::default();
    detector.see(message);
    let reader = detector.strictest().map_err(thrown)?.reader();
    let agent: &'static [u8] = match reader.role(message) {
        Role::System => b"operator",
        Role::User => b"user",
        Role::Assistant => b"assistant",
        Role::Tool | Role::Other => b"tool",
    };
    let mut said = Vec::new();
    reader.parts(message, &mut |part| {
        if let Part::Text(text) = part {
            said.extend_from_slice(&text.text().unwrap_or_default());
        }
    });
    // A message of calls or media says something, too: then it is told by all of it.
    let said = if js_trim(&said).is_empty() { line.to_vec() } else { said };
    Ok((agent, said, Estimator::default().message(reader, message)))
}

/// So many bytes for each token of all room: texts of which a token holds more are read whole.
const BYTES_TOLD: usize = 64;

/// What a pin costs: its entry, and a token more for the end of the line.
fn cost(pin: &PinText<'_>) -> u64 {
    Estimator::default().text(pinned::entry(pin).as_bytes()) + 1
}

/// A pin as far as it takes to weigh it: one that is too long by its beginning is not read to its end.
fn told(pin: PinText<'_>, room: u64) -> PinText<'_> {
    let enough = usize::try_from(room).unwrap_or(usize::MAX).saturating_add(1).saturating_mul(BYTES_TOLD);
    let beginning = pin.beginning(enough);
    let is_long = pin.key.len().max(pin.value.len()) > enough && cost(&beginning) > room;
    if is_long {
        beginning
    } else {
        pin
    }
}

/// Which of the staged facts, and of the messages behind them, are pinned.
#[wasm_bindgen(js_name = admitPins)]
pub fn admit_pins(length: usize, options: JsValue) -> Answer<JsValue> {
    let options: JsAdmission = from_js(options, ErrorCode::BadArgument)?;
    take_lines(length, |lines| {
        let (facts, messages) = lines.split_at(options.facts.min(lines.len()));
        let messages = messages.iter().enumerate().map(|(index, line)| message_candidate(line, index));
        let messages = messages.collect::<Answer<Vec<_>>>()?;
        with_facts(facts, |facts| {
            let room = options.max_tokens as u64;
            let pins: Vec<PinText<'_>> = facts.iter().map(|fact| told(fact.pin(&options.issuers), room)).collect();
            let costs: Vec<u64> = pins.iter().map(cost).collect();
            let rules: Vec<String> = pins.iter().map(pinned::rule).collect();
            let mut all: Vec<Candidate<'_>> = Vec::with_capacity(lines.len());
            for (((fact, pin), text), tokens) in facts.iter().zip(&pins).zip(&rules).zip(costs) {
                // Name and all: "push to main: never" and "deploy on friday: never" are two rules.
                let (text, rank, created_ms) = (text.as_bytes(), pin.rank, pin.created_ms);
                all.push(Candidate { key: pin.key, text, agent: fact.agent(), rank, created_ms, tokens });
            }
            for (agent, said, tokens) in &messages {
                let rank = options.issuers.rank(agent);
                all.push(Candidate { key: b"", text: said, agent, rank, created_ms: None, tokens: *tokens });
            }
            to_js(&admit(&all, options.max_pins, options.max_tokens))
        })
    })
}

#[derive(Deserialize)]
struct JsPinned {
    facts: usize,
    /// The user's, although the format has system text.
    #[serde(default)]
    plain: bool,
    issuers: Issuers,
}

/// The pinned message of the staged facts, as a JSON array; a message of the conversation may stand behind them.
#[wasm_bindgen(js_name = pinnedMessage)]
pub fn pinned_message(length: usize, format: &str, options: JsValue) -> Answer<String> {
    let format = Format::from_name(format).map_err(thrown)?;
    let options: JsPinned = from_js(options, ErrorCode::BadArgument)?;
    take_lines(length, |lines| {
        let (facts, like) = lines.split_at(options.facts.min(lines.len()));
        let mut tape = Tape::new();
        let like = like.first().map(|line| object(&mut tape, line, 0)).transpose().map_err(thrown)?;
        with_facts(facts, |facts| {
            let pins: Vec<PinText<'_>> = facts.iter().map(|fact| fact.pin(&options.issuers)).collect();
            let written = pinned::messages(&pins, format, like, !options.plain).map_err(thrown)?;
            Ok(json_array(&written))
        })
    })
}

#[derive(Serialize)]
struct JsPlace {
    format: Format,
    now: Vec<u32>,
    at: u32,
    /// What is there is what is wanted, where it belongs.
    settled: bool,
}

/// Texts of the pinned messages among the staged ones.
fn pinned_texts(lines: &[&[u8]], outline: &Outline, now: &[u32]) -> Answer<Vec<String>> {
    let reader = outline.format.reader();
    let mut tape = Tape::new();
    let mut texts = Vec::new();
    for &index in now.iter().filter(|&&index| outline.shapes[index as usize].role != Role::Assistant) {
        let message = object(&mut tape, lines[index as usize], index as usize).map_err(thrown)?;
        reader.parts(message, &mut |part| {
            if let Part::Text(text) = part {
                texts.push(text.text_lossy().into_owned());
            }
        });
    }
    Ok(texts)
}

fn read(lines: &[&[u8]], reading: &OwnReading) -> Answer<Outline> {
    Outline::read(lines, reading.reading()).map_err(thrown)
}

/// Where the pinned message stands among the staged messages, and where it belongs. The facts that it is to hold are staged in front
/// of the messages.
#[wasm_bindgen(js_name = pinnedPlace)]
pub fn pinned_place(length: usize, reading: JsValue, options: JsValue) -> Answer<JsValue> {
    let (reading, options) = (OwnReading::from_js(reading)?, from_js::<JsPinned>(options, ErrorCode::BadArgument)?);
    take_lines(length, |lines| {
        let (facts, messages) = lines.split_at(options.facts.min(lines.len()));
        let outline = read(messages, &reading)?;
        let pinned::Place { now, at, settled } = pinned::place(&outline);
        let texts = pinned_texts(messages, &outline, &now)?;
        let wanted = with_facts(facts, |facts| {
            let pins: Vec<PinText<'_>> = facts.iter().map(|fact| fact.pin(&options.issuers)).collect();
            if pins.is_empty() {
                Ok(None)
            } else {
                pinned::text(&pins).map(Some).map_err(thrown)
            }
        })?;
        let settled = settled && matches!((&texts[..], &wanted), ([is], Some(wanted)) if is == wanted);
        to_js(&JsPlace { format: outline.format, now, at, settled })
    })
}

#[derive(Serialize)]
struct JsMissing {
    missing: Vec<u32>,
    copies: u32,
}

/// Which of the staged facts are not in the pinned message of the messages behind them.
#[wasm_bindgen(js_name = missingPins)]
pub fn missing_pins(length: usize, reading: JsValue, options: JsValue) -> Answer<JsValue> {
    let (reading, options) = (OwnReading::from_js(reading)?, from_js::<JsPinned>(options, ErrorCode::BadArgument)?);
    take_lines(length, |lines| {
        let (facts, messages) = lines.split_at(options.facts.min(lines.len()));
        let outline = read(messages, &reading)?;
        let texts = pinned_texts(messages, &outline, &pinned::place(&outline).now)?;
        with_facts(facts, |facts| {
            let pins: Vec<PinText<'_>> = facts.iter().map(|fact| fact.pin(&options.issuers)).collect();
            to_js(&JsMissing { missing: pinned::missing(&outline, &texts, &pins), copies: texts.len() as u32 })
        })
    })
}

/// Whether the first staged message is the pinned message, and the second one belongs to it: 0, 1 or 2. Whatever the format.
#[wasm_bindgen(js_name = pinnedLead)]
pub fn pinned_lead(length: usize) -> Answer<u32> {
    take_lines(length, |lines| {
        let mut leads = 0;
        for &format in Format::ALL {
            let mut outline = Outline::new(format, Estimator::Conservative);
            let mut tape = Tape::new();
            for (index, line) in lines.iter().enumerate() {
                outline.take(object(&mut tape, line, index).map_err(thrown)?);
            }
            let run = outline.shapes.iter().take_while(|shape| shape.pins).count() as u32;
            if outline.shapes.first().is_some_and(|shape| shape.role == Role::User) {
                leads = leads.max(run);
            }
        }
        Ok(leads)
    })
}

/// Sentences of the staged messages that read like rules.
#[wasm_bindgen(js_name = proposePins)]
pub fn propose_pins(length: usize, reading: JsValue, options: JsValue) -> Answer<JsValue> {
    let (reading, options) = (OwnReading::from_js(reading)?, from_js(options, ErrorCode::BadArgument)?);
    take_lines(length, |lines| {
        let format = format_to_read(lines, &reading)?;
        to_js(&propose::in_messages(lines, format, &|i| reading.provenance(i), &options).map_err(thrown)?)
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct JsSurvey {
    roster: Vec<String>,
    imp5_soft_cap: f64,
    namespace_soft_cap: f64,
}

impl Default for JsSurvey {
    fn default() -> Self {
        let imp5_soft_cap = MemoryConfig::default().imp5_soft_cap;
        JsSurvey { roster: Vec::new(), imp5_soft_cap, namespace_soft_cap: survey::DEFAULT_NAMESPACE_SOFT_CAP }
    }
}

/// Surveys the staged facts.
#[wasm_bindgen(js_name = surveyFacts)]
pub fn survey_facts(length: usize, options: JsValue) -> Answer<JsValue> {
    let options: JsSurvey = from_js(options, ErrorCode::BadArgument)?;
    let roster: Vec<&[u8]> = options.roster.iter().map(String::as_bytes).collect();
    take_lines(length, |lines| {
        with_facts(lines, |facts| {
            let all: Vec<SurveyFact<'_>> = facts
                .iter()
                .map(|fact| SurveyFact {
                    health: HealthFact {
                        importance: fact.importance,
                        agent_id: Some(&fact.texts[2]),
                        kind: fact.kind.as_deref(),
                    },
                    namespace: fact.namespace.as_deref(),
                })
                .collect();
            to_js(&survey::facts(&all, &roster, options.imp5_soft_cap, options.namespace_soft_cap))
        })
    })
}

#[derive(Deserialize)]
struct JsConversation {
    /// Tokens before and after, of each fold that noted them.
    tokens: Vec<Option<(f64, f64)>>,
    /// For each message of the unfolded conversation its index in the window, -1 for none.
    unfolded: Vec<i32>,
    pinned: u32,
    lost: u32,
}

#[derive(Serialize)]
struct JsConversationSurvey {
    survey: survey::ConversationSurvey,
    findings: Vec<survey::SurveyFinding>,
}

/// Surveys a window: staged are the records of the folds, a JSON array on one line, and the messages.
#[wasm_bindgen(js_name = surveyConversation)]
pub fn survey_conversation(length: usize, reading: JsValue, options: JsValue) -> Answer<JsValue> {
    let (reading, options) =
        (OwnReading::from_js(reading)?, from_js::<JsConversation>(options, ErrorCode::BadArgument)?);
    take_lines(length, |lines| {
        let Some((records, messages)) = lines.split_first() else { return Ok(JsValue::NULL) };
        let mut tape = Tape::new();
        let records = parse(&mut tape, records, ErrorCode::BadLedger).map_err(thrown)?;
        let records = records.items().map(FoldRecord::from_json).collect::<Result<Vec<_>, Error>>().map_err(thrown)?;
        let tokens = options.tokens.iter().copied().chain(std::iter::repeat(None));
        let folds: Vec<survey::NotedFold> = records.into_iter().zip(tokens).collect();
        let outline = read(messages, &reading)?;
        let mut tape = Tape::new();
        let mut prints = Vec::with_capacity(messages.len());
        for (index, line) in messages.iter().enumerate() {
            prints.push(fingerprint::message(object(&mut tape, line, index).map_err(thrown)?, None).to_string());
        }
        let unfolded: Vec<Option<u32>> = options.unfolded.iter().map(|&index| u32::try_from(index).ok()).collect();
        let pins = (options.pinned, options.lost);
        let given =
            survey::Conversation { outline: &outline, prints: &prints, folds: &folds, unfolded: &unfolded, pins };
        let (survey, findings) = survey::conversation(&given);
        to_js(&JsConversationSurvey { survey, findings })
    })
}
