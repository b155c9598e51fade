//! Conversion to every other format: what comes out is sound, what was said is in it or among the losses, and damaged messages
//! do no harm.

use super::hostile::Harm;
use super::run::{about, lines, values, Outcome, Transcript};
use crate::ensure;
use crate::judge::{benign, faults};
use plica::check::check;
use plica::convert::{convert, Converted, LossCode};
use plica::formats::Format;
use plica::json::Tape;
use plica::message::{Part, Role};
use plica::outline::{Outline, Reading};
use plica::pairing::Pairing;
use serde_json::{json, Value};
use std::collections::HashSet;

/// What every format has room for.
#[derive(Debug, Default, PartialEq)]
struct Said {
    /// By message; blank ones apart.
    texts: Vec<(usize, Role, String)>,
    thoughts: Vec<(usize, String)>,
    media: usize,
    calls: Vec<Call>,
}

/// A call that the provider does not run itself, and what came back.
#[derive(Debug, PartialEq)]
struct Call {
    index: usize,
    id: Option<String>,
    name: String,
    arguments: Value,
    result: Option<String>,
}

pub fn hold(transcript: &Transcript, _: &()) -> Outcome {
    let (from, messages) = (transcript.format, &transcript.messages);
    for &to in Format::ALL {
        let converted = converted(messages, from, to)?;
        if !transcript.sound || to == from {
            continue;
        }
        let outcome = is_sound(&converted, to).and_then(|()| keeps(messages, from, &converted, to));
        let outcome = outcome.and_then(|()| comes_back(&converted, to, from));
        outcome
            .map_err(about("losses", format!("{:?}", converted.losses)))
            .map_err(about(to.name(), format!("\n{}", lines(&converted.messages))))?;
    }
    Ok(())
}

/// Damaged messages of any format.
pub fn endure(transcript: &Transcript, _: &Harm) -> Outcome {
    let (from, messages) = (transcript.format, &transcript.messages);
    if !transcript.values.iter().all(Value::is_object) {
        ensure!(convert(messages, from, Format::Pi).is_err(), "converts what is no object");
        return Ok(());
    }
    Format::ALL.iter().try_for_each(|&to| converted(messages, from, to).map(|_| ()))
}

/// Converts, and looks at what needs no sound conversation.
fn converted(messages: &[Vec<u8>], from: Format, to: Format) -> Result<Converted, String> {
    let converted = convert(messages, from, to).map_err(|error| error.to_string())?;
    if from == to {
        let same = converted.messages.iter().map(String::as_bytes).eq(messages.iter().map(Vec::as_slice));
        ensure_ok(same && converted.losses.is_empty(), "the same format changes something")?;
        return Ok(converted);
    }
    for message in &converted.messages {
        ensure_ok(Tape::new().parse(message.as_bytes()).is_ok(), &format!("no JSON: {message}"))?;
    }
    let places = converted.losses.iter().all(|loss| (loss.index as usize) < messages.len());
    ensure_ok(places, "a loss is at no message")?;
    let sorted = converted.losses.windows(2).all(|pair| pair[0].index <= pair[1].index);
    ensure_ok(sorted, "losses are not by message")?;
    check(&converted.messages, to).map_err(|error| error.to_string())?;
    Ok(converted)
}

fn ensure_ok(holds: bool, why: &str) -> Outcome {
    ensure!(holds, "{why}");
    Ok(())
}

fn is_sound(converted: &Converted, to: Format) -> Outcome {
    let problems = check(&converted.messages, to).map_err(|error| error.to_string())?;
    ensure!(problems.is_empty(), "check says {problems:?}");
    let judged = faults(&values(&converted.messages), to.name());
    let judged: Vec<_> = judged.into_iter().filter(|fault| !benign(fault.rule)).collect();
    ensure!(judged.is_empty(), "the judge says {judged:?}");
    Ok(())
}

/// Every text, call and result of the source is in the target, or a loss of its message says otherwise.
fn keeps(messages: &[Vec<u8>], from: Format, converted: &Converted, to: Format) -> Outcome {
    let (before, after) = (said(messages, from)?, said(&converted.messages, to)?);
    let lost = |index: usize, codes: &[LossCode]| {
        converted.losses.iter().any(|loss| loss.index as usize == index && codes.contains(&loss.code))
    };
    for system in [true, false] {
        let of = |role: Role| (role == Role::System) == system;
        let all: String =
            after.texts.iter().filter(|(_, role, _)| of(*role)).map(|(_, _, text)| plain_tags(text) + "\n").collect();
        let mut rest = all.as_str();
        for (index, _, text) in before.texts.iter().filter(|(_, role, _)| of(*role)) {
            let text = plain_tags(text.trim());
            let codes = [LossCode::SystemText, LossCode::UnknownPart, LossCode::BlankText];
            match rest.find(&text) {
                Some(at) => rest = &rest[at + text.len()..],
                None => ensure!(lost(*index, &codes), "the text {text:?} of message {index} is gone"),
            }
        }
    }
    let thoughts: String = after.thoughts.iter().map(|(_, thought)| format!("{thought}\n")).collect();
    for (index, thought) in &before.thoughts {
        let there = thoughts.contains(thought.as_str()) || lost(*index, &[LossCode::Reasoning]);
        ensure!(there, "the reasoning {thought:?} of message {index} is gone");
    }
    let media = converted.losses.iter().filter(|loss| loss.code == LossCode::Media).count();
    ensure!(before.media <= after.media + media, "{} media became {}", before.media, after.media);
    let (olds, news) = (&before.calls, &after.calls);
    ensure!(olds.len() == news.len(), "calls were {olds:?}, and are {news:?}");
    let mut ids = HashSet::new();
    for (old, new) in olds.iter().zip(news) {
        let renamed = lost(old.index, &[LossCode::CallId]);
        let same_id = old.id.is_none() || old.id == new.id || renamed;
        ensure!(same_id, "the call {old:?} became {new:?}");
        ensure!(old.name == new.name && old.arguments == new.arguments, "the call {old:?} became {new:?}");
        // Where nothing was said, what became of the call is.
        let silent = old.result.as_ref().is_none_or(String::is_empty);
        let told = silent && new.result.as_ref().is_some_and(|said| said.contains("denied") || said.contains("failed"));
        ensure!(old.result == new.result || told, "the result of {old:?} became {:?}", new.result);
        if old.id.is_none() {
            ensure!(ids.insert(new.id.clone()), "the id {:?} was given twice", new.id);
        }
    }
    Ok(())
}

/// A digest's text cannot close the frame that it is put into.
fn plain_tags(text: &str) -> String {
    text.replace("&lt;", "<")
}

/// What went there and came back keeps its texts, calls and results.
fn comes_back(there: &Converted, to: Format, from: Format) -> Outcome {
    let messages: Vec<Vec<u8>> = there.messages.iter().map(|message| message.clone().into_bytes()).collect();
    let back = converted(&messages, to, from)?;
    let outcome = is_sound(&back, from).and_then(|()| keeps(&messages, to, &back, from));
    outcome.map_err(about("back", format!("\n{}{:?}", lines(&back.messages), back.losses)))
}

/// What is said in messages, as their own format reports it.
fn said<T: AsRef<[u8]>>(messages: &[T], format: Format) -> Result<Said, String> {
    let reading = Reading { format: Some(format), ..Reading::default() };
    let outline = Outline::read(messages, reading).map_err(|error| error.to_string())?;
    let pairing = Pairing::by_message(&outline);
    let (mut said, mut link) = (Said::default(), 0_u32);
    let mut results: Vec<Option<String>> = vec![None; outline.links.len()];
    let mut calls: Vec<(u32, Call)> = Vec::new();
    let reader = format.reader();
    let mut tape = Tape::new();
    for (index, message) in messages.iter().enumerate() {
        let message = tape.parse(message.as_ref()).map_err(|error| error.to_string())?;
        reader.parts(message, &mut |part| match part {
            Part::Text(text) if !text.text_lossy().trim().is_empty() => {
                said.texts.push((index, outline.shapes[index].role, text.text_lossy().into_owned()));
            }
            Part::Call { id, name, arguments, hosted, raw } => {
                if !(hosted || reader.is_hosted(raw)) {
                    let id = id.map(|id| id.text_lossy().into_owned()).filter(|id| !id.is_empty());
                    let name = name.map(|name| reader.tool_name(name).into_owned()).unwrap_or_default();
                    let arguments = arguments.map_or(json!({}), |value| object(value.raw()));
                    calls.push((link, Call { index, id, name, arguments, result: None }));
                }
                link += 1;
            }
            Part::Result { content, .. } => {
                let content = content.map(|content| reader.unwrapped(content));
                results[link as usize] = Some(content.map_or_else(String::new, |content| plain(content.raw())));
                link += 1;
            }
            Part::Reasoning { text: Some(text), .. } if !text.text_lossy().is_empty() => {
                said.thoughts.push((index, text.text_lossy().into_owned()));
            }
            Part::Media { .. } => said.media += 1,
            Part::Approval { .. } => link += 1,
            _ => {}
        });
    }
    for pair in &pairing.pairs {
        if let Some((_, call)) = calls.iter_mut().find(|(link, _)| *link == pair.call_link) {
            call.result = results[pair.result_link as usize].clone();
        }
    }
    said.calls = calls.into_iter().map(|(_, call)| call).collect();
    Ok(said)
}

/// Arguments as an object, however they are written.
fn object(raw: &[u8]) -> Value {
    match serde_json::from_slice(raw) {
        Ok(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        Ok(value) => value,
        Err(_) => Value::Null,
    }
}

/// Texts of a result.
fn plain(raw: &[u8]) -> String {
    match serde_json::from_slice(raw) {
        Ok(Value::String(text)) => text,
        Ok(Value::Array(blocks)) if blocks.iter().all(|block| block["text"].is_string()) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        Ok(Value::Null) | Err(_) => String::new(),
        Ok(value) => value.to_string(),
    }
}
