//! Fingerprints: the 32-bit one that others stored, and our own of 128 bits.
//!
//! The 32-bit FNV-1a exists to read what others wrote. It collides by accident after a few thousand
//! texts and can be forged in under a second, so nothing of ours relies on it.

use crate::formats::{Fit, Format};
use crate::json::{Kind, Value};
use crate::message::{Part, Provenance, Role};
use crate::order::sort_by;
use crate::text::utf16_units;
use std::borrow::Cow;
use std::fmt;

const FNV_OFFSET: u32 = 2_166_136_261;
const FNV_PRIME: u32 = 16_777_619;

/// FNV-1a of 32 bits over UTF-16 code units, each taken as 16 bits at once. `text` is WTF-8, so
/// every JavaScript string has its value.
///
/// ```
/// assert_eq!(plica::fingerprint::fnv1a("é".as_bytes()), 0x6c0b6c44);
/// ```
pub fn fnv1a(text: &[u8]) -> u32 {
    let mut hash = FNV_OFFSET;
    for (at, &byte) in text.iter().enumerate() {
        if !byte.is_ascii() {
            return utf16_units(&text[at..]).fold(hash, fnv_step);
        }
        hash = fnv_step(hash, u16::from(byte));
    }
    hash
}

/// [`fnv1a`] of UTF-16 code units.
pub fn fnv1a_utf16(units: impl IntoIterator<Item = u16>) -> u32 {
    units.into_iter().fold(FNV_OFFSET, fnv_step)
}

fn fnv_step(hash: u32, unit: u16) -> u32 {
    (hash ^ u32::from(unit)).wrapping_mul(FNV_PRIME)
}

/// A fingerprint of 128 bits; prints as 32 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub [u8; 16]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl Fingerprint {
    /// Reads 32 hex digits.
    pub fn parse(text: &str) -> Option<Fingerprint> {
        if text.len() != 32 || !text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        let mut bytes = [0; 16];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
        }
        Some(Fingerprint(bytes))
    }
}

// Contexts keep the kinds apart; a new version of the encoding gets a new context. Each is a BLAKE3 key, so that a
// message costs one keyed hash: deriving the key anew for each doubled the time for short messages.
const TEXT: Context = Context::new("plica text fingerprint v1");
const MESSAGE: Context = Context::new("plica message fingerprint v1");
const SPAN: Context = Context::new("plica span fingerprint v1");
const SEAL: Context = Context::new("plica ledger seal v1");
const SEAL_KEY: &str = "plica ledger key v1";

/// A name of at most 32 bytes, padded with zeros to a key.
struct Context([u8; 32]);

impl Context {
    const fn new(name: &str) -> Context {
        let mut key = [0; 32];
        let mut i = 0;
        while i < name.len() {
            key[i] = name.as_bytes()[i];
            i += 1;
        }
        Context(key)
    }

    fn hash(&self, bytes: &[u8]) -> Fingerprint {
        first_half(blake3::keyed_hash(&self.0, bytes))
    }
}

/// The first 128 of the usual 256 bits, which is what BLAKE3 gives when asked for 128.
fn first_half(hash: blake3::Hash) -> Fingerprint {
    Fingerprint(hash.as_bytes()[..16].try_into().expect("32 bytes hold 16"))
}

/// Fingerprint of a text (WTF-8).
pub fn text(text: &[u8]) -> Fingerprint {
    TEXT.hash(text)
}

/// Fingerprint of one message: its role, provenance mark, texts, calls (id, name, arguments),
/// results (id, content, error), reasoning and what signs it. Left out, because providers and clients change them
/// on the way: ids and time stamps of the message itself, usage, stop reasons, `cache_control`.
///
/// Does not depend on key order, on how numbers are spelled, or on the messages around it. Without a
/// format, each message is read by the format that it fits best.
///
/// ```
/// let mut tape = plica::json::Tape::new();
/// let one = plica::fingerprint::message(tape.parse(br#"{"role":"user","content":"hi"}"#).unwrap(), None);
/// let two = plica::fingerprint::message(tape.parse(br#"{"content":[{"text":"hi","type":"text"}],"role":"user"}"#).unwrap(), None);
/// assert_eq!(one, two);
/// ```
pub fn message(message: Value<'_>, format: Option<Format>) -> Fingerprint {
    let mut sink = Sink::default();
    match format.or_else(|| best_format(message)) {
        Some(format) => sink.message(format, message),
        None => sink.canonical(b'?', message),
    }
    MESSAGE.hash(&sink.0)
}

/// Fingerprint of a span, from those of its messages.
pub fn span(messages: &[Fingerprint]) -> Fingerprint {
    let count = (messages.len() as u64).to_le_bytes();
    let bytes: Vec<u8> = count.into_iter().chain(messages.iter().flat_map(|message| message.0)).collect();
    SPAN.hash(&bytes)
}

/// Seal over a JSON object, whatever its key order, its own member `seal` apart; with a key only the key's
/// holder can make it.
pub fn seal(value: Value<'_>, key: Option<&[u8]>) -> Fingerprint {
    let mut sink = Sink::default();
    sink.value(b'L', value, Some("seal"));
    match key {
        None => SEAL.hash(&sink.0),
        Some(key) => first_half(blake3::keyed_hash(&blake3::derive_key(SEAL_KEY, key), &sink.0)),
    }
}

/// The format that a message fits best; of equals the strictest.
fn best_format(message: Value<'_>) -> Option<Format> {
    let mut best = (Fit::Impossible, None);
    for &format in Format::ALL {
        let fit = format.reader().fit(message);
        if fit > best.0 {
            best = (fit, Some(format));
        }
        if fit == Fit::Certain {
            break;
        }
    }
    best.1
}

/// Length-prefixed, tagged encoding of what is hashed.
#[derive(Default)]
struct Sink(Vec<u8>);

impl Sink {
    fn bytes(&mut self, tag: u8, bytes: &[u8]) {
        self.0.push(tag);
        self.0.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn maybe(&mut self, tag: u8, value: Option<Value<'_>>) {
        match value.filter(|value| !value.is_null()) {
            Some(value) => self.canonical(tag, value),
            None => self.0.extend_from_slice(&[tag, 0]),
        }
    }

    fn message(&mut self, format: Format, message: Value<'_>) {
        let reader = format.reader();
        self.0.extend_from_slice(&[role_tag(reader.role(message)), provenance_tag(reader.provenance(message))]);
        reader.parts(message, &mut |part| self.part(part));
        // They have to come back with their parts: one that is lost or altered is a change.
        reader.signatures(message, &mut |at, signature| {
            self.bytes(b'Z', &(at as u64).to_le_bytes());
            self.canonical(b'z', signature);
        });
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Text(text) => {
                let text = text.text().unwrap_or_default();
                // "" and null both mean that nothing was said beside a call.
                if !text.is_empty() {
                    self.bytes(b'T', &text);
                }
            }
            Part::Reasoning { raw, .. } => self.block(b'G', raw),
            Part::Call { id, name, arguments, .. } => {
                self.maybe(b'C', id);
                self.maybe(b'n', name);
                self.maybe(b'a', arguments);
            }
            Part::Result { id, name, content, error, .. } => {
                self.maybe(b'R', id);
                self.maybe(b'n', name);
                self.maybe(b'c', content);
                self.0.extend_from_slice(&[b'e', u8::from(error)]);
            }
            Part::Approval { step, id, raw, .. } => {
                self.maybe(b'A', id);
                self.block(step as u8, raw);
            }
            Part::Media { raw, .. } => self.block(b'M', raw),
            Part::Summary(raw) => self.block(b'S', raw),
            Part::Other(raw) => self.block(b'O', raw),
        }
    }

    /// A content block. Clients move `cache_control` from block to block between requests, so it does not count;
    /// deeper inside, a member of that name is somebody's data.
    fn block(&mut self, tag: u8, block: Value<'_>) {
        self.value(tag, block, Some("cache_control"));
    }

    fn canonical(&mut self, tag: u8, value: Value<'_>) {
        self.value(tag, value, None);
    }

    /// A JSON value: keys sorted, the last of duplicates, numbers as JavaScript holds them. A loop over an
    /// own stack, since arguments may be nested as deep as they like.
    fn value(&mut self, tag: u8, value: Value<'_>, mut left_out: Option<&str>) {
        enum Step<'d> {
            Key(Cow<'d, [u8]>),
            Value(Value<'d>),
        }
        self.0.extend_from_slice(&[tag, 1]);
        let mut steps = vec![Step::Value(value)];
        while let Some(step) = steps.pop() {
            let value = match step {
                Step::Key(key) => {
                    self.bytes(b'k', &key);
                    continue;
                }
                Step::Value(value) => value,
            };
            match value.kind() {
                Kind::Null => self.bytes(b'0', b""),
                Kind::Bool => self.bytes(b'b', value.raw()),
                Kind::Number => {
                    // -0 and 0 are one number after JSON.stringify.
                    let number = value.as_f64().unwrap_or(f64::NAN) + 0.0;
                    self.bytes(b'f', &number.to_bits().to_le_bytes());
                }
                Kind::String => self.bytes(b's', &value.text().unwrap_or_default()),
                Kind::Array => {
                    let first = steps.len();
                    steps.extend(value.items().map(Step::Value));
                    steps[first..].reverse();
                    let count = (steps.len() - first) as u64;
                    self.bytes(b'[', &count.to_le_bytes());
                }
                Kind::Object => {
                    let members = sorted_members(value, left_out.take());
                    self.bytes(b'{', &(members.len() as u64).to_le_bytes());
                    for (key, value) in members.into_iter().rev() {
                        steps.push(Step::Value(value));
                        steps.push(Step::Key(key));
                    }
                }
            }
        }
    }
}

fn sorted_members<'d>(object: Value<'d>, left_out: Option<&str>) -> Vec<(Cow<'d, [u8]>, Value<'d>)> {
    let kept = object.entries().filter(|(key, _)| !left_out.is_some_and(|name| key.is_str(name)));
    let mut members: Vec<(Cow<'_, [u8]>, Value<'_>)> =
        kept.map(|(key, value)| (key.text().unwrap_or_default(), value)).collect();
    // Stable, so that of equal keys the last one stays last; then the later ones win.
    sort_by(&mut members, |a, b| a.0.cmp(&b.0));
    members.reverse();
    members.dedup_by(|a, b| a.0 == b.0);
    members.reverse();
    members
}

fn role_tag(role: Role) -> u8 {
    match role {
        Role::System => b's',
        Role::User => b'u',
        Role::Assistant => b'a',
        Role::Tool => b't',
        Role::Other => b'o',
    }
}

fn provenance_tag(provenance: Provenance) -> u8 {
    match provenance {
        Provenance::Plain => b'p',
        Provenance::Instructions => b'i',
        Provenance::Memory => b'm',
        Provenance::Steer => b's',
        Provenance::Injected => b'j',
        Provenance::Summary => b'd',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    fn of(text: &str) -> Fingerprint {
        message(Tape::new().parse(text.as_bytes()).unwrap(), None)
    }

    #[test]
    fn fnv_takes_code_units_at_once() {
        for (text, hash) in [
            ("".as_bytes(), 0x811c_9dc5),
            (b"a", 0xe40c_292c),
            ("日本語".as_bytes(), 0x5406_374e),
            ("🙂".as_bytes(), 0x8d31_631e),
            (b"\0", 0x050c_5d1f),
            (b"\xed\xa0\x80", 0x0481_d51f),
        ] {
            assert_eq!(fnv1a(text), hash);
        }
        assert_eq!(fnv1a_utf16([0xd800]), 0x0481_d51f);
    }

    #[test]
    fn what_a_round_trip_changes_does_not_count() {
        let one =
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"a":1.0,"b":[1e2]}}]}"#;
        let two = r#"{"content":[{"input":{"b":[100],"a":1},"name":"f","id":"t","type":"tool_use","cache_control":{"type":"ephemeral"}}],"role":"assistant","id":"msg"}"#;
        assert_eq!(of(one), of(two));
    }

    #[test]
    fn what_matters_counts() {
        let texts = [
            r#"{"role":"user","content":"a"}"#,
            r#"{"role":"assistant","content":"a"}"#,
            r#"{"role":"user","content":"b"}"#,
            r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"a"}]}"#,
            r#"{"type":"user","text":"a","synthetic":"steer"}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"a"}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"y","content":"a"}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"a","is_error":true}]}"#,
            r#"{"role":"user","content":"\ud800"}"#,
            r#"{"role":"user","content":"\udc00"}"#,
            r#"{"strange":1}"#,
        ];
        let mut all: Vec<Fingerprint> = texts.iter().map(|text| of(text)).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), texts.len());
    }
}
