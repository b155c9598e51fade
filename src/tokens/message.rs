//! The balanced estimate of a whole message: what its parts say, as text and not as JSON, and what is put around them.

use super::balanced::of_text;
use super::media;
use crate::formats::MessageFormat;
use crate::json::{Kind, Value};
use crate::message::Part;
use memchr::memmem;
use std::ops::Range;

/// Around a message: OpenAI's cookbook ("How to count tokens with tiktoken") counts 3, and one for the role.
const PER_MESSAGE: u64 = 4;

/// Around a call, its name and arguments apart: in OpenAI's harmony format a channel, `to=functions.`, a constraint and the
/// special tokens between them. What other providers write is not public; billed prompts suggest about as much.
const PER_CALL: u64 = 8;

/// Around a result: in the same format the name of the tool and to whom it answers.
const PER_RESULT: u64 = 4;

/// A step of an approval is not shown to the model, or is a word.
const PER_APPROVAL: u64 = 4;

/// Tokens of a message.
/// `plain` gets those of each result that is a string, in their order: it is most of a transcript and need not be counted twice.
pub(super) fn tokens(format: &dyn MessageFormat, message: Value<'_>, plain: &mut Vec<Option<u64>>) -> u64 {
    let mut counter = Counter { format, pictures: Spans::of(format, message), covered: 0 };
    let mut sum = PER_MESSAGE;
    format.parts(message, &mut |part| {
        let tokens = counter.part(part);
        if let Part::Result { content, .. } = part {
            let string = content.is_some_and(|content| content.kind() == Kind::String);
            plain.push(string.then(|| tokens - PER_RESULT));
        }
        sum += tokens;
    });
    sum
}

/// Shorter texts are cheap, whatever they are.
const DATA: usize = 256;

/// Whether a structure may have inlined data in it, where its format reports none: worth a look at its members.
fn may_hold_data(value: Value<'_>) -> bool {
    let holds = |word: &[u8]| memmem::find(value.raw(), word).is_some();
    let structured = matches!(value.kind(), Kind::Array | Kind::Object);
    structured && value.raw().len() > DATA && (holds(b";base64,") || holds(b"\"data\"") || holds(b"b64"))
}

/// A member that holds inlined data: a data URL, or base64 under a name that such data goes by.
pub(crate) fn is_data(key: Value<'_>, member: Value<'_>) -> bool {
    if member.kind() != Kind::String || member.raw().len() <= DATA {
        return false;
    }
    let text = &member.raw()[1..member.raw().len() - 1];
    let url = text.starts_with(b"data:") && memmem::find(&text[..128], b";base64,").is_some();
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    url || (key.is_any(&["data", "b64_json", "file_data", "base64"]) && text.iter().all(base64))
}

/// A document of plain text or of blocks: it is what it says.
pub(crate) fn is_text(media: Value<'_>) -> bool {
    let kind = media.get("source").and_then(|source| source.get("type"));
    kind.is_some_and(|kind| kind.is_any(&["text", "content"]))
}

/// Where the media of a message are, in its bytes: by their start, each with the furthest end up to it.
struct Spans(Vec<(usize, usize)>);

impl Spans {
    fn of(format: &dyn MessageFormat, message: Value<'_>) -> Spans {
        let mut spans = Vec::new();
        format.parts(message, &mut |part| match part {
            Part::Media { raw, .. } if !is_text(raw) => spans.push((raw.span().start, raw.span().end)),
            _ => {}
        });
        spans.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut spans {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        Spans(spans)
    }

    fn cover(&self, span: &Range<usize>) -> bool {
        let before = self.0.partition_point(|(start, _)| *start <= span.start);
        before > 0 && self.0[before - 1].1 >= span.end
    }

    fn begin_in(&self, span: &Range<usize>) -> bool {
        let before = self.0.partition_point(|(start, _)| *start < span.start);
        self.0.get(before).is_some_and(|(start, _)| *start < span.end)
    }
}

struct Counter<'f> {
    format: &'f dyn MessageFormat,
    /// Priced as parts of their own, wherever they are.
    pictures: Spans,
    /// Where the last part ends that was counted with the documents in it.
    covered: usize,
}

impl Counter<'_> {
    fn part(&mut self, part: Part<'_>) -> u64 {
        match part {
            Part::Text(text) => of_string(text),
            Part::Reasoning { text, raw, .. } => reasoning(text, raw),
            Part::Call { name, arguments, .. } => {
                PER_CALL + name.map_or(0, of_string) + arguments.map_or(0, |arguments| self.text_or_json(arguments))
            }
            Part::Result { content, raw, .. } => {
                self.covered = raw.span().end;
                PER_RESULT + content.map_or(0, |content| self.result(content))
            }
            Part::Approval { .. } => PER_APPROVAL,
            Part::Media { data, raw } => self.media(data, raw),
            Part::Summary(raw) => match sealed(raw) {
                0 => self.json(raw),
                tokens => tokens,
            },
            Part::Other(raw) => self.json(raw),
        }
    }

    fn text_or_json(&self, value: Value<'_>) -> u64 {
        if value.kind() == Kind::String {
            of_string(value)
        } else {
            self.json(value)
        }
    }

    fn result(&self, content: Value<'_>) -> u64 {
        let mut sum = 0;
        each_said(self.format, content, &mut |said, is_text| {
            sum += if is_text { of_string(said) } else { self.json(said) };
        });
        sum
    }

    fn media(&mut self, data: Option<Value<'_>>, raw: Value<'_>) -> u64 {
        if !is_text(raw) {
            return data.map_or(media::FLAT, |data| media::tokens(self.format.profile().images, data, raw));
        }
        if raw.span().start < self.covered {
            return 0;
        }
        self.covered = raw.span().end;
        self.json(raw)
    }

    /// A value's compact JSON, without the media in it. By a stack of its own: nesting may be deep.
    fn json(&self, value: Value<'_>) -> u64 {
        let mut sum = 0;
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let span = value.span();
            if self.pictures.cover(&span) {
                continue;
            }
            if !self.pictures.begin_in(&span) && !may_hold_data(value) {
                sum += of_json(value);
                continue;
            }
            open.extend(value.items());
            for (key, member) in value.entries() {
                if is_data(key, member) {
                    sum += media::FLAT;
                } else {
                    open.push(member);
                }
            }
        }
        sum
    }
}

/// Tokens of a string's text.
fn of_string(text: Value<'_>) -> u64 {
    text.text().map_or(0, |text| of_text(&text))
}

/// Tokens of a value's compact JSON.
fn of_json(value: Value<'_>) -> u64 {
    // Most values are compact already.
    if value.compact_len() == value.raw().len() {
        return of_text(value.raw());
    }
    let mut compact = Vec::with_capacity(value.raw().len());
    value.write_compact(&mut compact);
    of_text(&compact)
}

/// Reasoning by what can be read of it or by what is sealed, whichever is more: the readable text may be a summary of what
/// the seal holds (Anthropic and OpenAI document that), and a signature beside the whole text is not counted again.
fn reasoning(text: Option<Value<'_>>, raw: Value<'_>) -> u64 {
    text.map_or(0, of_string).max(sealed(raw))
}

/// Members that hold sealed reasoning.
const SEALS: [&str; 8] = [
    "encrypted_content",
    "encryptedContent",
    "reasoningEncryptedContent",
    "redactedData",
    "data",
    "signature",
    "thoughtSignature",
    "thinkingSignature",
];

/// Tokens behind sealed text: it is billed as what it holds and not as base64. Four characters are three bytes, and four
/// bytes of text about a token.
fn sealed(raw: Value<'_>) -> u64 {
    let mut sum = 0;
    let mut open = vec![raw];
    while let Some(value) = open.pop() {
        for (key, member) in value.entries() {
            match member.kind() {
                Kind::String if key.is_any(&SEALS) => sum += member.raw().len() as u64 * 3 / 16,
                _ => open.push(member),
            }
        }
        open.extend(value.items());
    }
    sum
}

/// What a result says, in the pieces that are counted one by one: texts (true) and JSON (false).
fn each_said<'d>(format: &dyn MessageFormat, content: Value<'d>, visit: &mut dyn FnMut(Value<'d>, bool)) {
    let mut content = format.unwrapped(content);
    // The AI SDK says of each output what it is.
    if let Some(value) = content.get("value").filter(|_| content.get_str("type").is_some()) {
        content = value;
    }
    match content.kind() {
        Kind::String => visit(content, true),
        Kind::Null => {}
        Kind::Array => content.items().for_each(|item| match item.get_str("text") {
            Some(text) if item.get_str("type").is_some() => visit(text, true),
            _ => visit(item, false),
        }),
        _ => visit(content, false),
    }
}

/// Where the strings of a result begin that are counted as text; all others are counted as JSON.
pub(crate) fn text_starts(format: &dyn MessageFormat, content: Value<'_>) -> Vec<usize> {
    let mut starts = Vec::new();
    each_said(format, content, &mut |said, is_text| {
        if is_text {
            starts.push(said.span().start);
        }
    });
    starts
}
