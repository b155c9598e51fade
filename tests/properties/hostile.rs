//! Messages that nobody would send: of another format than they are read as, damaged, or no messages at all.

use super::repairs;
use super::run::{about, texts, written, At, Extra, Outcome, Transcript};
use super::windows::{digest_for, filled, roles, with, SUMMARY};
use super::wish::{wish, Wish};
use crate::ensure;
use crate::story::write;
use plica::check::check;
use plica::clip;
use plica::deterministic;
use plica::error::ErrorCode;
use plica::fingerprint;
use plica::formats::{Detector, Format};
use plica::json::Tape;
use plica::ledger::{unfold, DigestPrint, FoldRecord};
use plica::plan::{plan_within, Plan};
use plica::repair::repair;
use plica::summarize;
use plica::window::{explain, measure, merged, slots, Span};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{json, Value};

/// What is done to the messages, and how they are read.
#[derive(Clone, Debug)]
pub struct Harm {
    /// The format that they are written in, counted from the one they are read as.
    written: usize,
    damages: Vec<(At, At, Damage)>,
    /// In the text itself.
    scars: Vec<(At, Scar)>,
    wish: Wish,
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Remove,
    Become(Thing),
    /// The value moves into a list, or into an object.
    Wrap,
    WrapInObject,
    /// Items of a list, or the message, stand there twice.
    Double,
}

#[derive(Clone, Copy, Debug)]
enum Thing {
    Null,
    Zero,
    True,
    Nothing,
    Blank,
    Word,
    List,
    Object,
    Nested,
}

/// What no JSON library would write.
#[derive(Clone, Copy, Debug)]
enum Scar {
    HalfPair,
    HugeNumber,
    Spaces,
    DoubleMember,
}

pub fn harms() -> impl Strategy<Value = Harm> {
    use Thing::*;
    let thing = prop::sample::select(&[Null, Zero, True, Nothing, Blank, Word, List, Object, Nested][..]);
    let damage = prop_oneof![
        3 => Just(Damage::Remove),
        6 => thing.prop_map(Damage::Become),
        1 => Just(Damage::Wrap),
        1 => Just(Damage::WrapInObject),
        1 => Just(Damage::Double),
    ];
    let scar = prop::sample::select(&[Scar::HalfPair, Scar::HugeNumber, Scar::Spaces, Scar::DoubleMember][..]);
    let written = prop_oneof![2 => Just(0), 1 => 0..Format::ALL.len()];
    let damages = vec((any::<At>(), any::<At>(), damage), 0..8);
    let scars = prop_oneof![3 => Just(Vec::new()), 1 => vec((any::<At>(), scar), 1..4)];
    (written, damages, scars, wish()).prop_map(|(written, damages, scars, wish)| Harm { written, damages, scars, wish })
}

impl Extra for Harm {
    /// Writes the conversation in another format, and does the damage.
    fn settle(&mut self, transcript: &mut Transcript) {
        let own = Format::ALL.iter().position(|format| *format == transcript.format).expect("a format of all");
        let written = Format::ALL[(own + self.written) % Format::ALL.len()];
        transcript.values = write(&transcript.story, written.name(), transcript.style);
        for &(at, inside, damage) in &self.damages {
            hurt(&mut transcript.values, at, inside, damage);
        }
        transcript.messages = texts(&transcript.values);
        let count = transcript.messages.len().max(1);
        for &(at, scar) in &self.scars {
            if let Some(message) = transcript.messages.get_mut(usize::from(at) % count) {
                cut(message, at, scar);
            }
        }
        self.wish.settle(transcript);
    }

    fn without(&mut self, index: usize) {
        self.wish.without(index);
    }
}

fn hurt(values: &mut Vec<Value>, at: At, inside: At, damage: Damage) {
    if values.is_empty() {
        return;
    }
    let index = usize::from(at) % values.len();
    if matches!(damage, Damage::Double) && inside % 2 == 0 {
        let again = values[index].clone();
        values.insert(index, again);
        return;
    }
    let mut count = 0;
    each(&mut values[index], &mut |_| count += 1);
    // One in sixteen hits the message itself.
    let place = if count == 0 || inside % 16 == 0 { None } else { Some(usize::from(inside / 16) % count) };
    let Some(place) = place else { return change(&mut values[index], damage) };
    let mut seen = 0;
    each(&mut values[index], &mut |value| {
        if seen == place {
            change(value, damage);
        }
        seen += 1;
    });
    prune(&mut values[index]);
}

/// Stands for a value that is taken away.
const GONE: &str = "\u{1}gone";

fn change(value: &mut Value, damage: Damage) {
    *value = match damage {
        Damage::Remove => json!(GONE),
        Damage::Become(thing) => match thing {
            Thing::Null => json!(null),
            Thing::Zero => json!(0),
            Thing::True => json!(true),
            Thing::Nothing => json!(""),
            Thing::Blank => json!(" \n"),
            Thing::Word => json!("tool_result"),
            Thing::List => json!([]),
            Thing::Object => json!({}),
            Thing::Nested => json!([{ "type": "text", "text": [null, { "content": [] }] }, [], 7]),
        },
        Damage::Wrap => json!([value.take()]),
        Damage::WrapInObject => json!({ "type": "text", "text": value.take() }),
        Damage::Double => match value.take() {
            Value::Array(items) => items.iter().chain(&items).cloned().collect(),
            other => json!([other, other]),
        },
    };
}

/// Every value inside a value, itself apart; one that was changed is not looked into.
fn each(value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    let mut enter = |inner: &mut Value| {
        let before = inner.clone();
        visit(inner);
        if *inner == before {
            each(inner, visit);
        }
    };
    match value {
        Value::Object(members) => members.values_mut().for_each(&mut enter),
        Value::Array(items) => items.iter_mut().for_each(&mut enter),
        _ => {}
    }
}

fn prune(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| value != GONE);
            members.values_mut().for_each(prune);
        }
        Value::Array(items) => {
            items.retain(|value| value != GONE);
            items.iter_mut().for_each(prune);
        }
        _ => {}
    }
}

fn cut(message: &mut Vec<u8>, at: At, scar: Scar) {
    let text = String::from_utf8_lossy(message).into_owned();
    let key = |place: &usize| !text[..*place].ends_with('\\');
    let colons: Vec<usize> = text.match_indices("\":").map(|(place, _)| place).filter(key).collect();
    let Some(&colon) = colons.get(usize::from(at) % colons.len().max(1)) else { return };
    let (head, rest) = text.split_at(colon + 2);
    *message = match scar {
        Scar::HalfPair if rest.starts_with('"') => format!(r#"{head}"\ud83c{}"#, &rest[1..]),
        Scar::HugeNumber if rest.starts_with(|first: char| first.is_ascii_digit()) => {
            let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
            format!("{head}9e9999{}", rest.trim_start_matches(number))
        }
        Scar::Spaces => format!("{head} \n\t{rest} \n"),
        Scar::DoubleMember if text.starts_with("{\"") => {
            format!(r#"{{"role":"assistant","type":"message","content":[],"parts":null,{}"#, &text[1..])
        }
        _ => text,
    }
    .into_bytes();
}

pub fn hold(transcript: &Transcript, harm: &Harm) -> Outcome {
    let (format, messages) = (transcript.format, &transcript.messages);
    detects(messages);
    if !transcript.values.iter().all(Value::is_object) {
        let refused = |code: ErrorCode| code == ErrorCode::BadMessage;
        ensure!(check(messages, format).is_err_and(|error| refused(error.code)), "check takes what is no object");
        ensure!(repair(messages, format).is_err_and(|error| refused(error.code)), "repair takes what is no object");
        return Ok(());
    }
    if !harm.scars.iter().any(|(_, scar)| matches!(scar, Scar::DoubleMember)) {
        repairs::mends(messages, format)?;
    } else if let Ok(repaired) = repair(messages, format) {
        let _ = check(&repaired.texts(messages, format), format);
    }
    let asked = harm.wish.of(transcript)?;
    let answer = plan_within(&asked.outline, &asked.boundaries, &asked.options).map_err(|error| error.to_string())?;
    let clips = match &answer {
        Plan::Fold(fold) => &fold.clips,
        Plan::None(none) => &none.clips,
    };
    let drafts = clip::results(messages, format, clips).map_err(|error| error.to_string())?;
    are_json(&written(&drafts, messages, format))?;
    super::reductions::reduces(messages, format)?;
    let prints = prints(messages, format);
    let Plan::Fold(fold) = &answer else { return Ok(()) };
    let outcome = folds(&asked, messages, &Span::of(fold), &prints, format);
    outcome.map_err(about("options", asked.words())).map_err(about("plan", format!("{answer:?}")))
}

fn are_json(messages: &[Vec<u8>]) -> Outcome {
    for message in messages {
        ensure!(Tape::new().parse(message).is_ok(), "no JSON any more: {}", String::from_utf8_lossy(message));
    }
    Ok(())
}

fn detects(messages: &[Vec<u8>]) {
    let mut detector = Detector::default();
    for message in messages {
        with(message, |message| detector.see(message));
    }
    let _ = (detector.certain(), detector.strictest(), detector.for_digest());
}

fn prints(messages: &[Vec<u8>], format: Format) -> Vec<fingerprint::Fingerprint> {
    messages
        .iter()
        .map(|message| {
            with(message, |message| fingerprint::message(message, None));
            with(message, |message| fingerprint::message(message, Some(format)))
        })
        .collect()
}

/// All that is done with a plan.
fn folds(
    asked: &super::wish::Asked,
    messages: &[Vec<u8>],
    span: &Span,
    prints: &[fingerprint::Fingerprint],
    format: Format,
) -> Outcome {
    let (outline, boundaries) = (&asked.outline, &asked.boundaries);
    let none = |_| None;
    let text = |error: plica::error::Error| error.to_string();
    span.check_units(outline, boundaries).map_err(text)?;
    measure(outline, span).map_err(text)?;
    explain(outline, boundaries, span).map_err(text)?;
    summarize::request(messages, format, span, &none, &Default::default()).map_err(text)?;
    let summary = deterministic::digest(messages, format, span, &none, &Default::default()).map_err(text)?;
    let digest = digest_for(&summary, format, messages)?;
    let roles = roles(&digest, format);
    let window = filled(&slots(outline, boundaries, span, &roles), format, messages, &digest);
    let draft = merged(outline, messages, span, &digest_for(SUMMARY, format, messages)?).map_err(text)?;
    are_json(&written(draft.as_slice(), messages, format))?;
    let digests = self::prints(&digest, format).into_iter().zip(&roles);
    let digests: Vec<DigestPrint> = digests.map(|(fingerprint, &role)| DigestPrint { fingerprint, role }).collect();
    let record = FoldRecord::new(outline, boundaries, span, prints, &digests).map_err(text)?;
    let back = unfold(&[record], &self::prints(&window, format)).map_err(text)?;
    ensure!(back.len() == messages.len(), "{} of {} messages come back", back.len(), messages.len());
    Ok(())
}
