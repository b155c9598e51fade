//! A text as sentences, and those as words. Code, comments, block quotes and what stands in quotation marks are nobody's rules.

use super::words::{fold, is_unspaced, is_word};
use std::ops::Range;

/// A sentence.
#[derive(Debug, Default)]
pub(super) struct Sentence {
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// Its words and marks, folded. A mark is a token of its own; what is quoted is one that no pattern has.
    pub tokens: Vec<String>,
    /// All that is not quoted, folded, without white space: for languages that have none between words.
    pub run: String,
    /// It asks.
    pub asks: bool,
    /// It ends with a colon: what follows belongs to it.
    pub heads: bool,
    /// Number of the list that it stands in, from 1 on; 0 outside of lists.
    pub list: u32,
}

/// Stands for what is quoted.
const QUOTED: &str = "\u{1}";

/// Longer ones are no sentences; the rest of one is the next, so that nothing in a text without stops takes longer than its length.
const MOST_TOKENS: usize = 120;

/// A quotation is at most so many bytes long: a mark that nobody closed quotes nothing.
const LONGEST_QUOTE: usize = 400;

/// The sentences of a text, in their order.
pub(super) fn of(text: &str) -> Vec<Sentence> {
    let mut reader = Reader {
        text,
        sentences: Vec::new(),
        current: Sentence::default(),
        fenced: false,
        comment: false,
        lists: 0,
        listing: false,
    };
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        reader.line(start, end);
        start = end + 1;
    }
    reader.end();
    reader.sentences
}

struct Reader<'t> {
    text: &'t str,
    sentences: Vec<Sentence>,
    current: Sentence,
    fenced: bool,
    comment: bool,
    /// How many lists there were, and whether this is inside one.
    lists: u32,
    listing: bool,
}

/// What opens and closes a quotation.
const QUOTES: [(char, &[char]); 9] = [
    ('"', &['"']),
    ('“', &['”', '“']),
    ('„', &['“', '”', '"']),
    ('«', &['»']),
    ('»', &['«']),
    ('「', &['」']),
    ('『', &['』']),
    ('`', &['`']),
    ('‹', &['›']),
];

/// Words behind which a stop ends nothing.
const ABBREVIATIONS: [&str; 18] = [
    "e.g", "i.e", "eg", "ie", "etc", "vs", "z.b", "bzw", "d.h", "p.ej", "ex", "cf", "approx", "mr", "dr", "т.е", "т.д",
    "np",
];

impl<'t> Reader<'t> {
    fn line(&mut self, start: usize, end: usize) {
        let line = &self.text[start..end];
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            self.end();
            self.fenced = !self.fenced;
            return;
        }
        if self.fenced || self.in_comment(bare) || is_code(line, bare) {
            return self.end();
        }
        // A line that goes on where the one before broke off is wrapped.
        let lower = bare.chars().next().is_some_and(char::is_lowercase);
        let text_start = end - bare.len() + marker(bare);
        let wraps = lower && !self.current.tokens.is_empty() && text_start == end - bare.len();
        if !wraps {
            self.end();
            self.list(line, bare);
        }
        self.words(text_start, end - trailing_comment(line));
    }

    /// Whether the line is an item of a list, or goes on with one: blank lines and what is indented end none.
    fn list(&mut self, line: &str, bare: &str) {
        let item = marker(bare) > 0 && !bare.starts_with("**") && !bare.starts_with("__");
        if item && !self.listing {
            self.lists += 1;
        }
        self.listing = item || (self.listing && (bare.is_empty() || line.len() > bare.len()));
    }

    /// Whether the line is inside a comment of several lines, or opens one.
    fn in_comment(&mut self, bare: &str) -> bool {
        let (opens, closes) =
            (bare.starts_with("/*") || bare.starts_with("<!--"), bare.contains("*/") || bare.contains("-->"));
        let inside = self.comment || opens;
        self.comment = inside && !closes;
        inside
    }

    fn words(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let rest = &self.text[at..end];
            let Some(c) = rest.chars().next() else { return };
            let width = c.len_utf8();
            if let Some(length) = quoted(rest, c) {
                self.push(at, at + length, QUOTED.into());
                at += length;
                continue;
            }
            if is_unspaced(c) {
                // No words to be told: each letter goes into the run, and one token stands for them all.
                let length: usize = rest.chars().take_while(|&c| is_unspaced(c)).map(char::len_utf8).sum();
                rest[..length].chars().for_each(|c| fold(c, &mut self.current.run));
                self.push(at, at + length, QUOTED.into());
                at += length;
                continue;
            }
            if is_word(c) {
                let length = word_length(rest);
                let mut word = String::with_capacity(length);
                rest[..length].chars().for_each(|c| fold(c, &mut word));
                self.current.run.push_str(&word);
                self.push(at, at + length, word);
                at += length;
                continue;
            }
            at += width;
            // Marks of emphasis say nothing.
            if c.is_whitespace() || matches!(c, '*' | '#') {
                continue;
            }
            self.current.run.push(c);
            self.push(at - width, at, mark(c).into());
            if self.is_stop(c, at, end) {
                self.end();
            }
        }
    }

    fn push(&mut self, from: usize, to: usize, token: String) {
        if self.current.tokens.is_empty() {
            // Marks in front of the first word are no part of it.
            if token.chars().all(|c| !is_word(c)) && token != QUOTED {
                self.current.run.clear();
                return;
            }
            self.current.range.start = from;
        }
        self.current.range.end = to;
        self.current.asks |= matches!(token.as_str(), "?");
        self.current.tokens.push(token);
        if self.current.tokens.len() == MOST_TOKENS {
            self.end();
        }
    }

    fn is_stop(&self, c: char, next: usize, end: usize) -> bool {
        match c {
            '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '।' | '॥' | '｡' | '．' => {
                // `?!` and `!!!` are one stop.
                !self.text[next..end].starts_with(['!', '?', '！', '？', '…', '.'])
            }
            '.' => {
                let rest = &self.text[next..end];
                let ends = rest.is_empty()
                    || rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '"' | ')' | '”' | '»'));
                // As far back as an abbreviation is long: a text of stops is read once.
                let back = self.text[..next - 1].char_indices().rev().take(8).last().map_or(next - 1, |(at, _)| at);
                let before = self.text[back..next - 1]
                    .rsplit(|c: char| c.is_whitespace() || c == '(')
                    .next()
                    .unwrap_or_default();
                let short = before.chars().count() == 1 && before.chars().all(char::is_alphabetic);
                ends && !short && !ABBREVIATIONS.iter().any(|word| before.eq_ignore_ascii_case(word))
            }
            _ => false,
        }
    }

    fn end(&mut self) {
        let mut sentence = std::mem::take(&mut self.current);
        if !sentence.tokens.is_empty() {
            sentence.heads = sentence.tokens.last().is_some_and(|token| token == ":");
            sentence.list = if self.listing { self.lists } else { 0 };
            self.sentences.push(sentence);
        }
    }
}

/// The marks that patterns know, whatever they are written as.
fn mark(c: char) -> &'static str {
    match c {
        '?' | '？' | '؟' | '¿' => "?",
        '!' | '！' | '¡' => "!",
        '.' | '…' | '。' | '।' | '｡' => ".",
        ',' | '、' | '，' | '،' => ",",
        ':' | '：' => ":",
        ';' | '；' | '؛' => ";",
        '-' | '–' | '—' | '(' | ')' => "-",
        _ => "\u{2}",
    }
}

fn word_length(rest: &str) -> usize {
    let mut end = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '\'' | '’' | 'ʼ')
            && chars.peek().is_some_and(|(_, next)| is_word(*next) && !is_unspaced(*next));
        if !joins && (!is_word(c) || is_unspaced(c)) {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

/// The length of a quotation that begins here.
fn quoted(rest: &str, c: char) -> Option<usize> {
    let (_, closes) = QUOTES.iter().find(|(open, _)| *open == c)?;
    let inside = rest.char_indices().skip(1).take_while(|(at, _)| *at <= LONGEST_QUOTE);
    let mut inside = inside.filter(|(_, c)| closes.contains(c));
    inside.next().map(|(at, c)| at + c.len_utf8())
}

/// The length of what marks an item of a list, or a box to tick.
fn marker(bare: &str) -> usize {
    let mut rest = bare;
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let numbered = digits > 0 && digits < 4 && rest[digits..].starts_with(['.', ')']);
        let signs = ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "– ", "— ", "**", "__", "・"];
        let skip = match signs.iter().find(|sign| rest.starts_with(*sign)) {
            Some(sign) => sign.len(),
            None if numbered => digits + 1,
            None => return bare.len() - rest.len(),
        };
        rest = &rest[skip..];
    }
}

/// A comment, a block quote, a heading of code, or a line that is plainly code.
fn is_code(line: &str, bare: &str) -> bool {
    let comments = ["//", "# ", "#!", "-- ", ">", "* @", "\"\"\"", "'''", "%%", ";;", "REM ", "rem "];
    if comments.iter().any(|sign| bare.starts_with(sign)) {
        return true;
    }
    let indented = line.starts_with("    ") || line.starts_with('\t');
    let ends = bare.trim_end();
    let looks = ends.ends_with([';', '{', '}']) || ends.contains("==") || ends.contains("=>") || ends.contains("();");
    looks && (indented || ends.contains('=') || ends.contains("();") || ends.ends_with(['{', '}']))
}

/// The length of a comment behind code on the same line.
fn trailing_comment(line: &str) -> usize {
    let code = |before: &str| before.contains(['=', '(', ';', '{']) && !before.contains("://");
    for sign in [" // ", "\t// ", " # ", " /* ", " -- ", ";// ", ";//"] {
        if let Some(at) = line.find(sign).filter(|&at| code(&line[..at]) || (at > 0 && sign.starts_with(';'))) {
            return line.len() - at;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        of(text).into_iter().map(|sentence| &text[sentence.range]).collect()
    }

    #[test]
    fn sentences_end_where_they_end() {
        let text = "Use node.js, e.g. version 20. ok then! Really?! yes\n- one\n2. two\nwrapped\nhere\n終わり。次";
        let expected = [
            "Use node.js, e.g. version 20.",
            "ok then!",
            "Really?!",
            "yes",
            "one",
            "two\nwrapped\nhere",
            "終わり。",
            "次",
        ];
        assert_eq!(texts(text), expected);
    }

    #[test]
    fn code_and_quotes_are_left_out() {
        let text =
            "```\nnever\n```\n> never\n// never\nx = 1; // never\n/* never\nnever */\nHe said \"never push\" twice";
        let found = of(text);
        assert!(found.iter().all(|sentence| !sentence.tokens.contains(&"never".to_string())), "{found:?}");
    }

    #[test]
    fn a_megabyte_without_a_stop() {
        for piece in ["a", "\"", "(", "я ", "語", "'", "- "] {
            let text = piece.repeat((1 << 20) / piece.len());
            assert!(of(&text).iter().all(|sentence| sentence.tokens.len() <= MOST_TOKENS));
        }
    }
}
