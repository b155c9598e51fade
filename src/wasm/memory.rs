//! Pins, memory health and recall, over staged facts: one JSON array a line, of just the fields needed.

use super::convert::{from_js, thrown, to_js, Answer};
use super::stage::take_lines;
use crate::error::{Error, ErrorCode};
use crate::health::{compute_memory_health, HealthFact, HealthReport};
use crate::json::{Kind, Tape, Value};
use crate::pins::{is_pinned_kind, partition_pinned, MemoryConfig};
use crate::recall::{self, budget_facts, BudgetOptions, RecallFact, TimeWindow};
use crate::time::parse_time;
use serde::Deserialize;
use std::borrow::Cow;
use wasm_bindgen::prelude::*;

/// Configuration as the host gives it; what is missing keeps its default.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsConfig {
    pin_constraints: Option<bool>,
    pinned_max_facts: Option<f64>,
    #[serde(rename = "imp5SoftCap")]
    imp5_soft_cap: Option<f64>,
}

fn config(value: JsValue) -> Answer<MemoryConfig> {
    let given: JsConfig = from_js(value, ErrorCode::BadArgument)?;
    let default = MemoryConfig::default();
    Ok(MemoryConfig {
        pin_constraints: given.pin_constraints.unwrap_or(default.pin_constraints),
        pinned_max_facts: given.pinned_max_facts.unwrap_or(default.pinned_max_facts),
        imp5_soft_cap: given.imp5_soft_cap.unwrap_or(default.imp5_soft_cap),
    })
}

/// The fields of each staged fact: texts as WTF-8, numbers as they are, anything else absent.
struct Fields<'d> {
    texts: Vec<Option<Cow<'d, [u8]>>>,
    numbers: Vec<Option<f64>>,
}

fn with_facts<T>(length: usize, width: usize, with: impl FnOnce(&[Fields<'_>]) -> Answer<T>) -> Answer<T> {
    let mut with = Some(with);
    let mut answer = None;
    read_facts(length, width, &mut |facts| {
        answer = with.take().map(|with| with(facts));
    })?;
    answer.expect("facts are read once")
}

/// Apart from the above, so that it exists once and not once for each caller.
fn read_facts(length: usize, width: usize, with: &mut dyn FnMut(&[Fields<'_>])) -> Answer<()> {
    take_lines(length, |lines| {
        let mut tapes: Vec<Tape> = Vec::new();
        tapes.resize_with(lines.len(), Tape::new);
        let mut facts = Vec::with_capacity(lines.len());
        for (tape, line) in tapes.iter_mut().zip(lines) {
            let fact =
                tape.parse(line).map_err(|error| thrown(Error::new(ErrorCode::BadArgument, error.to_string())))?;
            let at = |i: usize| fact.items().nth(i);
            facts.push(Fields {
                texts: (0..width).map(|i| at(i).and_then(Value::text)).collect(),
                numbers: (0..width).map(|i| at(i).and_then(number)).collect(),
            });
        }
        with(&facts);
        Ok(())
    })
}

/// JSON has no NaN: the face writes `false` for a number that is none.
fn number(value: Value<'_>) -> Option<f64> {
    match value.kind() {
        Kind::Bool => Some(f64::NAN),
        _ => value.as_f64(),
    }
}

/// A point in time: a number of milliseconds, or text; present but unreadable is NaN.
fn time(fact: &Fields<'_>, at: usize) -> Option<f64> {
    fact.numbers[at].or_else(|| fact.texts[at].as_deref().map(parse_time))
}

/// Whether each staged `[kind]` is pinned, as 0 or 1.
#[wasm_bindgen(js_name = pinnedKinds)]
pub fn pinned_kinds(length: usize, options: JsValue) -> Answer<Vec<u8>> {
    let config = config(options)?;
    with_facts(length, 1, |facts| {
        Ok(facts.iter().map(|f| u8::from(is_pinned_kind(f.texts[0].as_deref(), &config))).collect())
    })
}

/// Partition of the staged `[kind]`: the number of pinned ones, then their indices, then those of the rest.
#[wasm_bindgen(js_name = partitionPinned)]
pub fn partition(length: usize, options: JsValue) -> Answer<Vec<u32>> {
    let config = config(options)?;
    with_facts(length, 1, |facts| {
        let kinds: Vec<Option<&[u8]>> = facts.iter().map(|fact| fact.texts[0].as_deref()).collect();
        let parts = partition_pinned(&kinds, &config);
        let head = [parts.pinned.len() as u32, parts.overflow.len() as u32];
        Ok(head.into_iter().chain(parts.pinned).chain(parts.overflow).chain(parts.rest).collect())
    })
}

/// Health of the staged `[importance, agent_id, kind]`.
#[wasm_bindgen(js_name = memoryHealth)]
pub fn memory_health(length: usize, options: JsValue) -> Answer<JsValue> {
    let config = config(options)?;
    with_facts(length, 3, |facts| {
        let facts: Vec<HealthFact<'_>> = facts
            .iter()
            .map(|fact| HealthFact {
                importance: fact.numbers[0].unwrap_or(f64::NAN),
                agent_id: fact.texts[1].as_deref(),
                kind: fact.texts[2].as_deref(),
            })
            .collect();
        to_js(&HealthReport::from(compute_memory_health(&facts, &config)))
    })
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsBudget {
    max_chars: Option<f64>,
    min_facts: Option<f64>,
    pinned_max_chars: Option<f64>,
    from_ms: Option<f64>,
    to_ms: Option<f64>,
}

/// Which of the staged `[key, value units, kind, created]` fit the budget.
#[wasm_bindgen(js_name = budgetFacts)]
pub fn budget(length: usize, options: JsValue, memory: JsValue) -> Answer<JsValue> {
    let (given, config): (JsBudget, MemoryConfig) = (from_js(options, ErrorCode::BadArgument)?, config(memory)?);
    let default = BudgetOptions::default();
    let window = given.from_ms.zip(given.to_ms).map(|(from_ms, to_ms)| TimeWindow { from_ms, to_ms });
    let options = BudgetOptions {
        max_chars: given.max_chars.unwrap_or(default.max_chars),
        min_facts: given.min_facts.unwrap_or(default.min_facts),
        pinned_max_chars: given.pinned_max_chars.unwrap_or(default.pinned_max_chars),
        window,
    };
    with_facts(length, 4, |facts| {
        let facts: Vec<RecallFact<'_>> = facts
            .iter()
            .map(|fact| RecallFact {
                key: fact.texts[0].as_deref().unwrap_or_default(),
                value_len: fact.numbers[1].unwrap_or(0.0) as u32,
                kind: fact.texts[2].as_deref(),
                created_ms: time(fact, 3),
            })
            .collect();
        to_js(&budget_facts(&facts, &options, &config))
    })
}

/// Length in UTF-16 units of the key's prefix; the host slices its own string.
#[wasm_bindgen(js_name = keyPrefixUnits)]
pub fn key_prefix_units(length: usize) -> Answer<usize> {
    with_facts(length, 1, |facts| {
        let key = facts.first().and_then(|fact| fact.texts[0].as_deref()).unwrap_or_default();
        Ok(crate::text::utf16_len(&recall::key_prefix(key)))
    })
}

/// Importance after decay, of the staged `[importance, last_retrieved_at, created_at, now]`.
#[wasm_bindgen(js_name = effectiveImportance)]
pub fn effective_importance(length: usize) -> Answer<f64> {
    with_facts(length, 4, |facts| {
        let Some(fact) = facts.first() else { return Ok(f64::NAN) };
        let importance = fact.numbers[0].unwrap_or(f64::NAN);
        Ok(recall::effective_importance(importance, time(fact, 1), time(fact, 2), time(fact, 3).unwrap_or(f64::NAN)))
    })
}

/// Salience by use, of the staged `[access, last, now]`.
#[wasm_bindgen(js_name = salience)]
pub fn salience(length: usize) -> Answer<f64> {
    with_facts(length, 3, |facts| {
        let Some(fact) = facts.first() else { return Ok(0.0) };
        let access = fact.numbers[0].unwrap_or(0.0);
        Ok(recall::salience(access, time(fact, 1), time(fact, 2).unwrap_or(f64::NAN)))
    })
}

/// The staged `[time]` in milliseconds since 1970; NaN when it cannot be read.
#[wasm_bindgen(js_name = milliseconds)]
pub fn milliseconds(length: usize) -> Answer<f64> {
    with_facts(length, 1, |facts| Ok(facts.first().and_then(|fact| time(fact, 0)).unwrap_or(f64::NAN)))
}
