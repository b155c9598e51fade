//! The entries of a request's transcript: each message as labelled lines that no text can forge.

use super::SummarizeOptions;
use crate::activity;
use crate::clip::clip;
use crate::digest::unframe;
use crate::formats::Format;
use crate::json::{Kind, Value};
use crate::message::{Approval, Part, Provenance, Role};
use crate::tokens::message::is_data;
use crate::tokens::Estimator;
use std::borrow::Cow;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// In square brackets.
    pub label: String,
    /// Line breaks that some reader knows are `\n`, each with the indent of what belongs to an entry.
    text: String,
}

/// In front of every line of an entry but the first.
const INDENT: &str = "\n  ";

impl Entry {
    /// Whatever could be taken for the start of another entry is indented.
    pub fn new(label: impl Into<String>, said: &str) -> Entry {
        let mut text = String::with_capacity(said.len());
        let mut rest = said;
        while let Some(at) = rest.find(is_line_break) {
            let (line, end) = rest.split_at(at);
            text.push_str(line);
            rest = end.strip_prefix("\r\n").unwrap_or_else(|| &end[end.chars().next().map_or(0, char::len_utf8)..]);
            // An empty line forges nothing; indented, many of them would cost many times what they did.
            text.push_str(if rest.starts_with(is_line_break) { "\n" } else { INDENT });
        }
        text.push_str(rest);
        Entry { label: label.into(), text }
    }

    pub fn write(&self, out: &mut String) {
        out.push_str(&self.label);
        out.push(' ');
        out.push_str(&self.text);
        out.push('\n');
    }

    /// Estimate, the line break behind it included.
    pub fn tokens(&self) -> u64 {
        let mut text = String::with_capacity(self.label.len() + self.text.len() + 2);
        self.write(&mut text);
        Estimator::default().text(text.as_bytes())
    }

    /// Pieces of at most `room` tokens that hold all of it, each labelled as what it is.
    pub fn split(self, room: u64) -> Vec<Entry> {
        let Entry { label, text } = self;
        let name = label.trim_end_matches(']');
        // Of room for `N of M` and the bracket.
        let label_tokens = Estimator::default().text(label.as_bytes()) + 12;
        let room = room.saturating_sub(label_tokens).max(16);
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        // A token of text has four bytes or so: where a piece costs more than that, the next is taken shorter.
        let mut bytes = room as usize * 4;
        while !rest.is_empty() {
            let piece = loop {
                let piece = &rest[..seam(rest, bytes)];
                if Estimator::default().text(piece.as_bytes()) <= room || bytes <= 16 {
                    break piece;
                }
                bytes = bytes * 3 / 4;
            };
            pieces.push(piece);
            rest = &rest[piece.len()..];
        }
        let count = pieces.len();
        let entry = |(number, piece): (usize, &str)| Entry {
            label: format!("{name}, piece {} of {count}]", number + 1),
            text: piece.strip_prefix(INDENT).unwrap_or(piece).into(),
        };
        pieces.into_iter().enumerate().map(entry).collect()
    }
}

/// Where to cut, at most `bytes` in: in front of a line where there is one in the second half, else in front of a word, else of a
/// character.
fn seam(text: &str, bytes: usize) -> usize {
    if text.len() <= bytes {
        return text.len();
    }
    let mut end = bytes.max(4);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let half = &text.as_bytes()[end / 2..end];
    let found = half.iter().rposition(|&byte| byte == b'\n').or_else(|| half.iter().rposition(|&byte| byte == b' '));
    match found {
        Some(at) if at > 0 => end / 2 + at,
        _ => end,
    }
}

/// Turns messages into entries.
pub(super) struct Writer<'w> {
    format: Format,
    options: &'w SummarizeOptions,
    pub entries: Vec<Entry>,
    /// Earlier summaries, without their frames and lists.
    pub earlier: Vec<String>,
}

impl<'w> Writer<'w> {
    pub fn new(format: Format, options: &'w SummarizeOptions) -> Writer<'w> {
        Writer { format, options, entries: Vec::new(), earlier: Vec::new() }
    }

    pub fn message(&mut self, message: Value<'_>, provenance: Option<Provenance>) {
        let reader = self.format.reader();
        let provenance = provenance.unwrap_or_else(|| reader.provenance(message));
        let label = label(reader.role(message), provenance);
        let mut said = String::new();
        reader.parts(message, &mut |part| match part {
            Part::Text(text) => said.push_str(&text.text_lossy()),
            Part::Media { raw, .. } => said.push_str(&media_note(raw)),
            Part::Call { name, arguments, .. } => {
                self.spoken(label, &mut said, provenance);
                self.call(name.map(|name| reader.tool_name(name)), arguments);
            }
            Part::Result { content, error, .. } => {
                self.spoken(label, &mut said, provenance);
                self.result(content, error);
            }
            Part::Summary(raw) => said.push_str(&raw.get_str("content").map_or(Cow::Borrowed(""), Value::text_lossy)),
            Part::Reasoning { .. } => {}
            Part::Approval { step, .. } => {
                self.spoken(label, &mut said, provenance);
                self.approval(step);
            }
            Part::Other(raw) => {
                self.spoken(label, &mut said, provenance);
                self.unknown(raw);
            }
        });
        self.spoken(label, &mut said, provenance);
        if reader.is_sealed(message) {
            self.entry("[note]", "an earlier summary stood here that only the provider can read");
        }
    }

    fn spoken(&mut self, label: &str, said: &mut String, provenance: Provenance) {
        let text = std::mem::take(said);
        if text.trim().is_empty() {
            return;
        }
        if provenance != Provenance::Summary {
            return self.entry(label, &text);
        }
        self.summary(&text);
    }

    /// An earlier summary: the base of the next one. What is kept as data is not summarized again.
    fn summary(&mut self, text: &str) {
        let mut text = unframe(text);
        activity::take(&mut text);
        if text.trim().is_empty() {
            return;
        }
        self.entry("[summary so far]", &text);
        self.earlier.push(text);
    }

    fn call(&mut self, name: Option<Cow<'_, str>>, arguments: Option<Value<'_>>) {
        let name = name.unwrap_or(Cow::Borrowed("?"));
        let arguments = arguments.map(arguments_text).unwrap_or_default();
        let arguments = clip(&arguments, self.options.argument_bytes as usize);
        self.entry("[tool call]", &format!("{name}({arguments})"));
    }

    fn result(&mut self, content: Option<Value<'_>>, error: bool) {
        let text = content.map(result_text).unwrap_or_default();
        let label = if error { "[tool error]" } else { "[tool result]" };
        if text.trim().is_empty() {
            return self.entry(label, "(no output)");
        }
        self.entry(label, &clip(&text, self.options.result_bytes as usize));
    }

    fn approval(&mut self, step: Approval) {
        match step {
            Approval::Request => self.entry("[note]", "leave was asked for a tool call"),
            Approval::Granted => self.entry("[note]", "leave was given for the tool call"),
            Approval::Denied => self.entry("[note]", "leave was denied for the tool call"),
            Approval::Use => {}
        }
    }

    fn unknown(&mut self, raw: Value<'_>) {
        let kind = raw.get_str("type").map_or(Cow::Borrowed("unnamed"), Value::text_lossy);
        self.entry("[note]", &format!("something of the kind {} stood here", clip(&kind, 60)));
    }

    fn entry(&mut self, label: &str, text: &str) {
        self.entries.push(Entry::new(label, text));
    }
}

/// Everything that some reader takes for the end of a line (Unicode Annex 14: BK, CR, LF, NL).
fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn label(role: Role, provenance: Provenance) -> &'static str {
    match (role, provenance) {
        (Role::System, _) => "[system]",
        (Role::Assistant, _) => "[assistant]",
        (Role::User, Provenance::Plain | Provenance::Steer) => "[user]",
        (Role::User, _) => "[user (injected)]",
        _ => "[note]",
    }
}

fn media_note(raw: Value<'_>) -> String {
    let source = raw.get("source").unwrap_or(raw);
    let kind =
        source.get_str("media_type").or_else(|| raw.get_str("type")).map_or(Cow::Borrowed("file"), Value::text_lossy);
    format!("\n({} attached)", clip(&kind, 60))
}

/// Arguments as JSON: compact when they are a value, as they are when they are JSON text already.
pub(crate) fn arguments_text(arguments: Value<'_>) -> String {
    match arguments.kind() {
        Kind::String => arguments.text_lossy().into_owned(),
        _ => compact(arguments),
    }
}

/// JSON, with a note where there are inlined data.
fn compact(value: Value<'_>) -> String {
    let mut out = Vec::new();
    write_plain(value, MOST_NESTED, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Deeper down nothing is looked for: no provider nests its media like that.
const MOST_NESTED: usize = 16;

fn write_plain(value: Value<'_>, depth: usize, out: &mut Vec<u8>) {
    let comma = |first: bool, out: &mut Vec<u8>| {
        if !first {
            out.push(b',');
        }
    };
    match value.kind() {
        Kind::Array if depth > 0 => {
            out.push(b'[');
            for (place, item) in value.items().enumerate() {
                comma(place == 0, out);
                write_plain(item, depth - 1, out);
            }
            out.push(b']');
        }
        Kind::Object if depth > 0 => {
            out.push(b'{');
            for (place, (key, member)) in value.entries().enumerate() {
                comma(place == 0, out);
                key.write_compact(out);
                out.push(b':');
                if is_data(key, member) {
                    out.extend_from_slice(format!("\"({} bytes of data)\"", member.raw().len() * 3 / 4).as_bytes());
                } else {
                    write_plain(member, depth - 1, out);
                }
            }
            out.push(b'}');
        }
        _ => value.write_compact(out),
    }
}

/// What a tool said, as text: strings and text blocks joined, images as notes, all else as JSON.
pub(crate) fn result_text(content: Value<'_>) -> String {
    match content.kind() {
        Kind::String => content.text_lossy().into_owned(),
        Kind::Array => content.items().map(block_text).collect(),
        Kind::Null => String::new(),
        _ => compact(content),
    }
}

fn block_text(block: Value<'_>) -> String {
    if block.kind() == Kind::String {
        return block.text_lossy().into_owned();
    }
    if let Some(text) = block.get_str("text") {
        return text.text_lossy().into_owned();
    }
    let kind = block.get_str("type").map_or(Cow::Borrowed(""), Value::text_lossy);
    let is_media =
        ["image", "media", "file", "audio", "video", "document", "screenshot"].iter().any(|word| kind.contains(word));
    if is_media || block.get("source").is_some() || block.get("image_url").is_some() {
        return media_note(block);
    }
    compact(block)
}
