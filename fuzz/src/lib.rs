// SPDX-License-Identifier: MIT OR Apache-2.0

//! What the fuzzers do with their input. The crate's own tests do the same with the seed corpus, so this needs nothing but the
//! crate itself.

mod conversions;
mod ledgers;
mod sessions;
mod transcripts;

use plica::json::{Kind, Tape, Value};
use plica::session::SessionKind;

/// A target: its name, which is that of its corpus, too, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 9] = [
    ("claude_code", claude_code),
    ("codex", codex),
    ("pi", pi),
    ("opencode", opencode),
    ("gemini_cli", gemini_cli),
    ("messages", messages),
    ("transcript", transcript),
    ("ledger", ledger),
    ("convert", convert),
];

/// A session of Claude Code.
pub fn claude_code(data: &[u8]) {
    sessions::hold(SessionKind::ClaudeCode, data);
}

/// A rollout of Codex.
pub fn codex(data: &[u8]) {
    sessions::hold(SessionKind::Codex, data);
}

/// A session of pi.
pub fn pi(data: &[u8]) {
    sessions::hold(SessionKind::Pi, data);
}

/// A session of opencode.
pub fn opencode(data: &[u8]) {
    sessions::hold(SessionKind::Opencode, data);
}

/// A session of gemini-cli.
pub fn gemini_cli(data: &[u8]) {
    sessions::hold(SessionKind::GeminiCli, data);
}

/// A file of plain messages.
pub fn messages(data: &[u8]) {
    sessions::hold(SessionKind::Messages, data);
}

/// Checked, repaired, planned and folded: after a line of three bytes (format, budget, options), a message a line.
pub fn transcript(data: &[u8]) {
    transcripts::hold(data);
}

/// A ledger on the first line, and behind it the conversation that it may belong to.
pub fn ledger(data: &[u8]) {
    ledgers::hold(data);
}

/// Converted: after a line of two bytes (formats from and to), a message a line; and as a file.
pub fn convert(data: &[u8]) {
    conversions::hold(data);
}

/// The first `count` bytes as small numbers, digits as what they say, and what stands behind them and the end of their line.
fn header(data: &[u8], count: usize) -> Option<(Vec<usize>, &[u8])> {
    let (head, rest) = data.split_at_checked(count)?;
    let numbers = head.iter().map(|byte| usize::from(byte.wrapping_sub(b'0'))).collect();
    Some((numbers, rest.strip_prefix(b"\n").unwrap_or(rest)))
}

/// The lines that are JSON objects, in UTF-8 as all messages are by the time that a caller has them.
fn objects(text: &[u8]) -> Vec<&[u8]> {
    let object = |line: &&[u8]| std::str::from_utf8(line).is_ok() && parsed(line, |value| value.kind() == Kind::Object);
    text.split(|byte| *byte == b'\n').filter(object).collect()
}

/// Whether `text` is JSON and `holds` is true of it.
fn parsed(text: &[u8], holds: impl FnOnce(Value<'_>) -> bool) -> bool {
    Tape::new().parse(text).is_ok_and(holds)
}

/// It is UTF-8, and JSON.
fn assert_json(text: &[u8]) {
    assert!(std::str::from_utf8(text).is_ok(), "no UTF-8: {}", String::from_utf8_lossy(text));
    assert!(parsed(text, |_| true), "no JSON: {}", String::from_utf8_lossy(text));
}

/// Lines, counted as the readers count them.
fn line_count(bytes: &[u8]) -> u32 {
    bytes.split(|byte| *byte == b'\n').count() as u32
}
