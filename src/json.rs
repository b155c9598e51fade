//! JSON read as spans: one pass over the bytes, a flat tape of nodes, nothing decoded until asked.
//!
//! Why not a value tree of a JSON library: kept messages must keep their bytes (19-digit ids, `1.0`,
//! key order), strings may hold lone surrogates (`"\ud800"` is legal JSON and legal JavaScript, and
//! no legal Rust `str`), nesting must not cost stack, and most of a transcript is skipped, not read.
//! The reader accepts exactly what `JSON.parse` accepts; the tests hold it against `serde_json`.

use std::borrow::Cow;
use std::fmt;

/// What was wrong with a JSON text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset into the text.
    pub offset: usize,
    /// What was expected or found, as the end of a sentence.
    pub what: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number, kept as it is written.
    Number,
    /// A string, kept as it is written.
    String,
    /// `[…]`
    Array,
    /// `{…}`
    Object,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    /// Index just past this node's subtree.
    next: u32,
    kind: Kind,
    /// Strings: holds a backslash, so raw bytes and text differ.
    escaped: bool,
}

/// A parsed text. Reusable: [`Tape::parse`] keeps its buffers.
#[derive(Debug, Default)]
pub struct Tape {
    nodes: Vec<Node>,
    open: Vec<u32>,
}

/// A value inside a parsed text; copying it copies two references.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    src: &'d [u8],
    nodes: &'d [Node],
    at: u32,
}

impl Tape {
    /// An empty tape.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one JSON value that fills `src` but for white space around it.
    ///
    /// ```
    /// let mut tape = plica::json::Tape::new();
    /// let value = tape.parse(br#"{"a":[1,"x"]}"#).unwrap();
    /// assert_eq!(value.get("a").unwrap().items().count(), 2);
    /// ```
    ///
    /// # Errors
    /// [`JsonError`] with the offset of the first byte that `JSON.parse` would refuse as well.
    pub fn parse<'d>(&'d mut self, src: &'d [u8]) -> Result<Value<'d>, JsonError> {
        self.nodes.clear();
        self.open.clear();
        let end = Parser { src, at: 0, nodes: &mut self.nodes, open: &mut self.open }.value()?;
        let rest = skip_space(src, end);
        if rest != src.len() {
            return Err(JsonError { offset: rest, what: "text after the end of the value" });
        }
        Ok(Value { src, nodes: &self.nodes, at: 0 })
    }

    /// Reads the value that starts at `src[from]` and says where it ended, for texts that hold
    /// several values side by side.
    ///
    /// # Errors
    /// [`JsonError`], its offset counted from the start of `src`.
    pub fn parse_prefix<'d>(&'d mut self, src: &'d [u8], from: usize) -> Result<(Value<'d>, usize), JsonError> {
        self.nodes.clear();
        self.open.clear();
        let end = Parser { src, at: from, nodes: &mut self.nodes, open: &mut self.open }.value()?;
        Ok((Value { src, nodes: &self.nodes, at: 0 }, end))
    }
}

/// First index at or after `at` that is not JSON white space.
pub fn skip_space(src: &[u8], mut at: usize) -> usize {
    while matches!(src.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

struct Parser<'p> {
    src: &'p [u8],
    at: usize,
    nodes: &'p mut Vec<Node>,
    open: &'p mut Vec<u32>,
}

impl Parser<'_> {
    fn fail<T>(&self, what: &'static str) -> Result<T, JsonError> {
        Err(JsonError { offset: self.at, what })
    }

    fn peek(&self) -> Option<u8> {
        self.src.get(self.at).copied()
    }

    /// One value with everything in it; a loop over an own stack, so depth costs no call stack.
    fn value(mut self) -> Result<usize, JsonError> {
        if self.src.len() > u32::MAX as usize {
            return self.fail("a text of more than 4 GiB");
        }
        loop {
            self.at = skip_space(self.src, self.at);
            match self.peek() {
                Some(b'{') => {
                    if self.open_container(Kind::Object, b'}') {
                        self.key()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    if self.open_container(Kind::Array, b']') {
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word(b"true", Kind::Bool)?,
                Some(b'f') => self.word(b"false", Kind::Bool)?,
                Some(b'n') => self.word(b"null", Kind::Null)?,
                Some(_) => return self.fail("a character that starts no JSON value"),
                None => return self.fail("the text ends where a value was expected"),
            }
            if self.close_finished()? {
                return Ok(self.at);
            }
        }
    }

    /// Opens a container; false when it was empty and is closed already.
    fn open_container(&mut self, kind: Kind, close: u8) -> bool {
        let index = self.nodes.len() as u32;
        let start = self.at as u32;
        self.at = skip_space(self.src, self.at + 1);
        let empty = self.peek() == Some(close);
        self.nodes.push(Node { start, end: 0, next: index + 1, kind, escaped: false });
        if empty {
            self.at += 1;
            self.nodes[index as usize].end = self.at as u32;
            return false;
        }
        self.open.push(index);
        true
    }

    /// After a value: commas and closing brackets, up to where the next value starts.
    /// True when the outermost value is complete.
    fn close_finished(&mut self) -> Result<bool, JsonError> {
        loop {
            let Some(&top) = self.open.last() else { return Ok(true) };
            self.at = skip_space(self.src, self.at);
            let object = self.nodes[top as usize].kind == Kind::Object;
            match self.peek() {
                Some(b',') => {
                    self.at = skip_space(self.src, self.at + 1);
                    if object {
                        self.key()?;
                    }
                    return Ok(false);
                }
                Some(b'}') if object => self.close(top),
                Some(b']') if !object => self.close(top),
                Some(_) => return self.fail("a character that neither continues nor closes the value around it"),
                None => return self.fail("the text ends inside an array or object"),
            }
        }
    }

    fn close(&mut self, top: u32) {
        self.at += 1;
        self.open.pop();
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[top as usize];
        node.end = self.at as u32;
        node.next = next;
    }

    fn key(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b'"') {
            return self.fail("an object key that is not a string");
        }
        self.string()?;
        self.at = skip_space(self.src, self.at);
        if self.peek() != Some(b':') {
            return self.fail("an object key without a colon after it");
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            self.at += plain_run(&self.src[self.at.min(self.src.len())..]);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return self.fail("a control character inside a string"),
                None => return self.fail("the text ends inside a string"),
            }
        }
        self.at += 1;
        self.leaf(Kind::String, start, escaped);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        match self.src.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') if hex4(self.src, self.at + 2).is_some() => self.at += 6,
            Some(_) => return self.fail("a backslash that starts no escape"),
            None => return self.fail("the text ends inside a string"),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return self.fail("a minus sign without a digit after it"),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.leaf(Kind::Number, start, false);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return self.fail("a number that lacks a digit");
        }
        Ok(())
    }

    fn word(&mut self, word: &'static [u8], kind: Kind) -> Result<(), JsonError> {
        if !self.src[self.at..].starts_with(word) {
            return self.fail("a word that is not true, false or null");
        }
        let start = self.at;
        self.at += word.len();
        self.leaf(kind, start, false);
        Ok(())
    }

    fn leaf(&mut self, kind: Kind, start: usize, escaped: bool) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { start: start as u32, end: self.at as u32, next, kind, escaped });
    }
}

/// Length of the run of bytes at the start that need no look inside a string: eight at a time.
fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let special = |b: u8| b == b'"' || b == b'\\' || b < 0x20;
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..at + 8) {
        let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        let zero = |x: u64| x.wrapping_sub(ONES) & !x & HIGH;
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        if (zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\'))) | control) != 0 {
            break;
        }
        at += 8;
    }
    while at < bytes.len() && !special(bytes[at]) {
        at += 1;
    }
    at
}

fn hex4(src: &[u8], at: usize) -> Option<u16> {
    let digits = src.get(at..at + 4)?;
    digits.iter().try_fold(0u16, |sum, &d| Some(sum << 4 | char::from(d).to_digit(16)? as u16))
}

impl<'d> Value<'d> {
    fn node(self) -> &'d Node {
        &self.nodes[self.at as usize]
    }

    fn with(self, at: u32) -> Self {
        Value { at, ..self }
    }

    /// The type of this value.
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// The bytes of this value as they are written.
    pub fn raw(self) -> &'d [u8] {
        let node = self.node();
        &self.src[node.start as usize..node.end as usize]
    }

    /// Where this value lies in the text that was parsed.
    pub fn span(self) -> std::ops::Range<usize> {
        let node = self.node();
        node.start as usize..node.end as usize
    }

    /// The member called `key` (ASCII); of duplicates the last, as `JSON.parse` does.
    pub fn get(self, key: &str) -> Option<Value<'d>> {
        // By hand, lengths first: two thirds of planning were spent here before.
        let (mut at, end) = self.children(Kind::Object);
        let mut found = None;
        while at < end {
            let name = &self.nodes[at as usize];
            let same_length = (name.end - name.start) as usize == key.len() + 2;
            // "role", "type", "text" and "name" are of one length: their first letter spares most comparisons.
            let may_be = same_length && self.src.get(name.start as usize + 1) == key.as_bytes().first();
            if (may_be || name.escaped || key.is_empty()) && self.with(at).is_str(key) {
                found = Some(name.next);
            }
            at = self.nodes[name.next as usize].next;
        }
        found.map(|at| self.with(at))
    }

    /// The member called `key`, when it is a string.
    pub fn get_str(self, key: &str) -> Option<Value<'d>> {
        self.get(key).filter(|value| value.kind() == Kind::String)
    }

    /// The elements of an array; nothing for any other kind.
    pub fn items(self) -> impl Iterator<Item = Value<'d>> {
        let (mut at, end) = self.children(Kind::Array);
        std::iter::from_fn(move || {
            let item = (at < end).then(|| self.with(at))?;
            at = item.node().next;
            Some(item)
        })
    }

    /// The members of an object in their order; nothing for any other kind.
    pub fn entries(self) -> impl Iterator<Item = (Value<'d>, Value<'d>)> {
        let (mut at, end) = self.children(Kind::Object);
        std::iter::from_fn(move || {
            let key = (at < end).then(|| self.with(at))?;
            let value = self.with(key.node().next);
            at = value.node().next;
            Some((key, value))
        })
    }

    fn children(self, kind: Kind) -> (u32, u32) {
        let node = self.node();
        if node.kind == kind {
            (self.at + 1, node.next)
        } else {
            (0, 0)
        }
    }

    /// The text of a string as WTF-8 (UTF-8 that may hold lone surrogates); `None` for other kinds.
    pub fn text(self) -> Option<Cow<'d, [u8]>> {
        let node = self.node();
        if node.kind != Kind::String {
            return None;
        }
        let inner = &self.src[node.start as usize + 1..node.end as usize - 1];
        Some(if node.escaped { Cow::Owned(decode(inner)) } else { Cow::Borrowed(inner) })
    }

    /// The text of a string with lone surrogates replaced by U+FFFD; empty for other kinds.
    pub fn text_lossy(self) -> Cow<'d, str> {
        match self.text() {
            None => Cow::Borrowed(""),
            Some(Cow::Borrowed(bytes)) => String::from_utf8_lossy(bytes),
            Some(Cow::Owned(bytes)) => Cow::Owned(crate::text::to_well_formed(&bytes)),
        }
    }

    /// Whether this is the string `text`.
    pub fn is_str(self, text: &str) -> bool {
        let node = self.node();
        let same_length = (node.end - node.start) as usize == text.len() + 2;
        if node.kind != Kind::String || !(same_length || node.escaped) {
            return false;
        }
        let inner = &self.src[node.start as usize + 1..node.end as usize - 1];
        if node.escaped {
            decode(inner) == text.as_bytes()
        } else {
            inner == text.as_bytes()
        }
    }

    /// Whether this is one of the given strings.
    pub fn is_any(self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is_str(text))
    }

    /// Whether this is the literal `true`.
    pub fn is_true(self) -> bool {
        self.raw() == b"true"
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The number as JavaScript would hold it; `None` for other kinds.
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() != Kind::Number {
            return None;
        }
        std::str::from_utf8(self.raw()).ok()?.parse().ok()
    }

    /// Bytes that `JSON.stringify(JSON.parse(raw))` would take in UTF-8: no white space, shortest
    /// numbers and escapes.
    ///
    /// ```
    /// let mut tape = plica::json::Tape::new();
    /// assert_eq!(tape.parse(br#"{ "a" : 1.0, "b":"\u0041" }"#).unwrap().compact_len(), 15);
    /// ```
    pub fn compact_len(self) -> usize {
        let node = self.node();
        let within = &self.nodes[self.at as usize..node.next as usize];
        // Each container adds its brackets; each child but the first a comma or, after a key, a colon.
        within.iter().map(|n| self.own_len(n)).sum::<usize>() + separators(within)
    }

    fn own_len(self, node: &Node) -> usize {
        let raw = &self.src[node.start as usize..node.end as usize];
        match node.kind {
            Kind::Array | Kind::Object => 2,
            Kind::String if node.escaped => 2 + escaped_len(&raw[1..raw.len() - 1]),
            Kind::Number => number_len(raw),
            _ => raw.len(),
        }
    }

    /// Writes the value as `JSON.stringify(JSON.parse(raw))` would, as UTF-8.
    pub fn write_compact(self, out: &mut Vec<u8>) {
        // Close brackets are due when the walk passes the end of their container.
        let mut open: Vec<(u32, Kind, bool)> = Vec::new();
        let mut at = self.at;
        let end = self.node().next;
        let mut after_key = false;
        loop {
            while let Some(&(close_at, kind, _)) = open.last() {
                if at < close_at {
                    break;
                }
                out.push(if kind == Kind::Object { b'}' } else { b']' });
                open.pop();
            }
            if at >= end {
                return;
            }
            let node = &self.nodes[at as usize];
            let mut is_key = false;
            if let Some((_, kind, first)) = open.last_mut() {
                if after_key {
                    out.push(b':');
                } else if !std::mem::take(first) {
                    out.push(b',');
                }
                is_key = *kind == Kind::Object && !after_key;
            }
            after_key = is_key;
            let raw = &self.src[node.start as usize..node.end as usize];
            match node.kind {
                Kind::Object => out.push(b'{'),
                Kind::Array => out.push(b'['),
                Kind::Number => out.extend_from_slice(number_text(raw).as_bytes()),
                Kind::String if node.escaped => write_string(&decode(&raw[1..raw.len() - 1]), out),
                _ => out.extend_from_slice(raw),
            }
            if matches!(node.kind, Kind::Object | Kind::Array) {
                open.push((node.next, node.kind, true));
            }
            at += 1;
        }
    }

    /// Depth-first walk over this value and everything in it, without recursion.
    pub fn walk(self) -> impl Iterator<Item = Value<'d>> {
        (self.at..self.node().next).map(move |at| self.with(at))
    }
}

/// Commas and colons between the children of all containers in a subtree: a container with c
/// children (keys count) has c − 1 of them, and every node but the root is somebody's child.
fn separators(within: &[Node]) -> usize {
    let filled = within
        .iter()
        .enumerate()
        .filter(|(i, n)| {
            matches!(n.kind, Kind::Array | Kind::Object) && within.get(i + 1).is_some_and(|c| c.start < n.end)
        })
        .count();
    within.len() - 1 - filled
}

fn push_wtf8(out: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[
            0xe0 | (code >> 12) as u8,
            0x80 | (code >> 6 & 0x3f) as u8,
            0x80 | (code & 0x3f) as u8,
        ]),
    }
}

/// Walks the inside of a string literal: runs as they are, and code points that were escaped.
fn each_piece(inner: &[u8], mut run: impl FnMut(&[u8]), mut point: impl FnMut(u32)) {
    let mut at = 0;
    while at < inner.len() {
        let next = memchr::memchr(b'\\', &inner[at..]).map_or(inner.len(), |i| at + i);
        if next > at {
            run(&inner[at..next]);
            at = next;
            continue;
        }
        let short = match inner[at + 1] {
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => u32::MAX,
            other => u32::from(other),
        };
        if short != u32::MAX {
            point(short);
            at += 2;
            continue;
        }
        let high = u32::from(hex4(inner, at + 2).unwrap_or(0xfffd));
        at += 6;
        let low = (0xd800..0xdc00)
            .contains(&high)
            .then(|| inner.get(at..at + 2).filter(|b| *b == b"\\u").and_then(|_| hex4(inner, at + 2)))
            .flatten()
            .map(u32::from)
            .filter(|low| (0xdc00..0xe000).contains(low));
        match low {
            Some(low) => {
                at += 6;
                point(0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00)));
            }
            None => point(high),
        }
    }
}

fn decode(inner: &[u8]) -> Vec<u8> {
    let out = std::cell::RefCell::new(Vec::with_capacity(inner.len()));
    each_piece(inner, |run| out.borrow_mut().extend_from_slice(run), |code| push_wtf8(&mut out.borrow_mut(), code));
    out.into_inner()
}

/// Length of a string's inside as `JSON.stringify` escapes it.
fn escaped_len(inner: &[u8]) -> usize {
    let len = std::cell::Cell::new(0);
    let add = |n: usize| len.set(len.get() + n);
    each_piece(inner, |run| add(run.len()), |code| add(stringified_len(code)));
    len.get()
}

fn stringified_len(code: u32) -> usize {
    match code {
        0x08 | 0x09 | 0x0a | 0x0c | 0x0d | 0x22 | 0x5c => 2,
        0..=0x1f | 0xd800..=0xdfff => 6,
        0x20..=0x7f => 1,
        0x80..=0x7ff => 2,
        0x800..=0xffff => 3,
        _ => 4,
    }
}

/// Writes WTF-8 text as a JSON string, escaped as `JSON.stringify` does (lone surrogates as `\udXXX`).
pub fn write_string(text: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        let short = match byte {
            b'"' => b'"',
            b'\\' => b'\\',
            0x08 => b'b',
            0x09 => b't',
            0x0a => b'n',
            0x0c => b'f',
            0x0d => b'r',
            _ => 0,
        };
        if short != 0 {
            out.extend_from_slice(&[b'\\', short]);
        } else if byte < 0x20 {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        } else if byte == 0xed && text.get(at + 1).is_some_and(|b| *b >= 0xa0) && at + 2 < text.len() {
            let code = 0xd000 | u16::from(text[at + 1] & 0x3f) << 6 | u16::from(text[at + 2] & 0x3f);
            out.extend_from_slice(b"\\u");
            out.extend((0..4).rev().map(|i| HEX[usize::from(code >> (4 * i) & 15)]));
            at += 2;
        } else {
            out.push(byte);
        }
        at += 1;
    }
    out.push(b'"');
}

/// `text` as a JSON string literal.
pub fn quote(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(text.as_bytes(), &mut out);
    String::from_utf8(out).expect("a str stays UTF-8 when quoted")
}

fn number_len(raw: &[u8]) -> usize {
    if is_plain_integer(raw) {
        raw.len()
    } else {
        number_text(raw).len()
    }
}

/// Integers of up to 15 digits print as they are written.
fn is_plain_integer(raw: &[u8]) -> bool {
    let digits = raw.strip_prefix(b"-").unwrap_or(raw);
    digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit) && raw != b"-0"
}

/// The number as `JSON.stringify(JSON.parse(raw))` prints it.
fn number_text(raw: &[u8]) -> Cow<'_, str> {
    let text = std::str::from_utf8(raw).unwrap_or("null");
    if is_plain_integer(raw) {
        return Cow::Borrowed(text);
    }
    match text.parse::<f64>() {
        Ok(number) => Cow::Owned(js_number(number)),
        Err(_) => Cow::Borrowed(text),
    }
}

/// `String(number)` of JavaScript, for finite numbers; `null`, as `JSON.stringify` has it, for others.
///
/// Rust's `{:e}` gives the same shortest digits; only the layout differs
/// (ECMA-262, Number::toString).
pub fn js_number(number: f64) -> String {
    if !number.is_finite() {
        return "null".into();
    }
    if number == 0.0 {
        return "0".into();
    }
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').expect("{:e} prints an exponent");
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let point = exponent.parse::<i32>().expect("an integer") + 1;
    let count = digits.len() as i32;
    let sign = if number < 0.0 { "-" } else { "" };
    if (count..=21).contains(&point) {
        return format!("{sign}{digits}{}", "0".repeat((point - count) as usize));
    }
    if (1..count).contains(&point) {
        let (whole, part) = digits.split_at(point as usize);
        return format!("{sign}{whole}.{part}");
    }
    if (-5..=0).contains(&point) {
        return format!("{sign}0.{}{digits}", "0".repeat(-point as usize));
    }
    let (first, rest) = digits.split_at(1);
    let dot = if rest.is_empty() { "" } else { "." };
    let plus = if point > 0 { "+" } else { "-" };
    format!("{sign}{first}{dot}{rest}e{plus}{}", (point - 1).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compact(text: &str) -> String {
        let mut tape = Tape::new();
        let value = tape.parse(text.as_bytes()).unwrap();
        let mut out = Vec::new();
        value.write_compact(&mut out);
        assert_eq!(out.len(), value.compact_len(), "{text}");
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn compact_form_is_that_of_json_stringify() {
        for (text, expected) in [
            (" [ ] ", "[]"),
            ("{ }", "{}"),
            (
                r#"{ "a" : [ 1.0 , -0.0, 1e21, 1E-7, 123456789012345678901 ] , "b" : { } }"#,
                r#"{"a":[1,0,1e+21,1e-7,123456789012345680000],"b":{}}"#,
            ),
            (r#""\u0041\u00e9\/\ud83d\ude42\u0001\n""#, "\"Aé/🙂\\u0001\\n\""),
            (r#""\ud800x""#, r#""\ud800x""#),
            (
                r#"[[],[[]],{"a":[]},"x",null,true,0.1,5e-324,1.5e300]"#,
                r#"[[],[[]],{"a":[]},"x",null,true,0.1,5e-324,1.5e+300]"#,
            ),
            ("1e400", "null"),
        ] {
            assert_eq!(compact(text), expected);
        }
    }

    #[test]
    fn refuses_what_json_parse_refuses() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\"}",
            "{a:1}",
            "01",
            "1.",
            "1e",
            "-",
            "\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\n\"",
            "tru",
            "nul",
            "[1] x",
            "{\"a\":1,}",
            "]",
            ",",
            "\"a\\",
        ] {
            assert!(Tape::new().parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = [vec![b'['; 1_000_000], vec![b']'; 1_000_000]].concat();
        let mut tape = Tape::new();
        let value = tape.parse(&deep).unwrap();
        assert_eq!(value.compact_len(), deep.len());
        let mut out = Vec::new();
        value.write_compact(&mut out);
        assert_eq!(out, deep);
    }

    #[test]
    fn text_keeps_lone_surrogates_and_the_last_duplicate_wins() {
        let mut tape = Tape::new();
        let value = tape.parse(br#"{"k":1,"k":"\udc00"}"#).unwrap();
        let text = value.get("k").unwrap();
        assert_eq!(text.text().unwrap().as_ref(), [0xed, 0xb0, 0x80]);
        assert_eq!(text.text_lossy(), "\u{fffd}");
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod against_serde_json {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn accepts_the_same_texts(text in r#"[\[\]{}:,"\\0-9a-eu. \-+tfn]{0,40}"#) {
            let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            prop_assert_eq!(Tape::new().parse(text.as_bytes()).is_ok(), theirs, "{}", text);
        }

        #[test]
        fn any_string_survives(text in any::<String>()) {
            let quoted = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(&quote(&text), &quoted);
            let mut tape = Tape::new();
            let value = tape.parse(quoted.as_bytes()).unwrap();
            let read = value.text().unwrap().into_owned();
            prop_assert_eq!(read, text.as_bytes());
            prop_assert_eq!(value.compact_len(), quoted.len());
        }
    }
}
