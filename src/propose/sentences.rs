//! A text as sentences, and those as words. Code, comments, block quotes and what stands in quotation marks are nobody's rules.

use crate::defuse::is_unseen;

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
        fence: "",
        comment: false,
        lists: 0,
        listing: false,
        margin: margin(text),
        apart: true,
        inside: false,
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
    /// What opened the code that this is inside of; empty outside.
    fence: &'t str,
    comment: bool,
    /// How many lists there were, and whether this is inside one.
    lists: u32,
    listing: bool,
    /// White space in front of every line of the text: it says nothing.
    margin: usize,
    /// The line before is blank or code: what is indented is code, and goes on with no sentence.
    apart: bool,
    /// Inside of quotation marks that hold a rule of the speaker's own.
    inside: bool,
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
        if self.in_fence(bare) || self.in_comment(bare) || is_code(line, bare) || self.in_block(line, bare) {
            self.apart = true;
            return self.end();
        }
        self.apart = bare.is_empty();
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

    /// Whether the line is inside of fenced code, or a fence. A fence is closed by its own sign, at least as often.
    fn in_fence(&mut self, bare: &'t str) -> bool {
        let sign = if bare.starts_with('~') { '~' } else { '`' };
        let run = &bare[..bare.len() - bare.trim_start_matches(sign).len()];
        if !self.fence.is_empty() {
            let closes = run.starts_with(self.fence) && bare[run.len()..].trim().is_empty();
            if closes {
                self.fence = "";
            }
            return true;
        }
        if run.len() >= 3 {
            self.fence = run;
        }
        run.len() >= 3
    }

    /// Whether the line is code by its four spaces: behind a blank line and outside of lists.
    fn in_block(&self, line: &str, bare: &str) -> bool {
        let line = line.get(self.margin..).unwrap_or(bare);
        self.apart && !self.listing && !bare.is_empty() && (line.starts_with("    ") || line.starts_with('\t'))
    }

    /// Whether the line is an item of a list, or goes on with one: blank lines and what is indented end none.
    fn list(&mut self, line: &str, bare: &str) {
        let item = marker(bare) > 0;
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
            if let Some(length) = quoted(rest, c).filter(|_| !self.inside && self.announces()) {
                self.own_words(at, at + length, width);
                at += length;
                continue;
            }
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
            if let Some(length) = tag(rest) {
                at += length;
                continue;
            }
            if is_word(c) && c != '_' {
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
            if c.is_whitespace() || matches!(c, '*' | '#' | '_') || is_unseen(c) {
                continue;
            }
            self.current.run.push(c);
            self.push(at - width, at, mark(c).into());
            if self.is_stop(c, at, end) {
                self.end();
            }
        }
    }

    /// Whether what comes is announced as the speaker's own rule: "my rule is", and a quotation behind it is no quotation.
    fn announces(&self) -> bool {
        let mut before = self.current.tokens.iter().rev().map(String::as_str).filter(|token| *token != ":");
        let rule = before.next().filter(|token| !COPULAS.contains(token)).or_else(|| before.next());
        rule.is_some_and(|rule| RULES.contains(&rule)) && before.take(2).any(|word| OWN.contains(&word))
    }

    /// Takes what is in the quotation marks as words of the sentence; `width` is that of the first mark.
    fn own_words(&mut self, start: usize, end: usize, width: usize) {
        self.inside = true;
        self.push(start, start + width, ":".into());
        let close = self.text[..end].chars().next_back().map_or(0, char::len_utf8);
        self.words(start + width, end - close);
        self.inside = false;
        self.push(end - close, end, "\u{2}".into());
        if self.text[..end - close].ends_with(['.', '!', '?']) {
            self.end();
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
            _ if self.inside => false,
            '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '।' | '॥' | '｡' | '．' => {
                // `?!` and `!!!` are one stop.
                !self.text[next..end].starts_with(['!', '?', '！', '？', '…', '.'])
            }
            '.' => {
                let rest = &self.text[next..end];
                let ends = rest.is_empty()
                    || rest.starts_with(|c: char| {
                        c.is_whitespace() || matches!(c, '"' | ')' | '”' | '»' | '*' | '_' | '<')
                    });
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
            sentence.range = with_emphasis(self.text, sentence.range);
            sentence.heads = sentence.tokens.last().is_some_and(|token| token == ":");
            sentence.list = if self.listing { self.lists } else { 0 };
            self.sentences.push(sentence);
        }
    }
}

/// Words for what somebody lays down, folded.
const RULES: [&str; 15] = [
    "rule",
    "rules",
    "policy",
    "principle",
    "regel",
    "regeln",
    "regle",
    "regles",
    "regla",
    "reglas",
    "regra",
    "regola",
    "правило",
    "zasada",
    "kural",
];

/// What may stand between such a word and what is laid down.
const COPULAS: [&str; 12] = ["is", "are", "ist", "sind", "lautet", "est", "es", "e", "son", "sao", "это", "to"];

/// What says that the rule is the speaker's own, or everybody's here.
const OWN: [&str; 24] = [
    "my", "our", "the", "one", "new", "this", "meine", "unsere", "die", "ma", "notre", "la", "mi", "nuestra", "minha",
    "nossa", "a", "mia", "nostra", "moja", "nasza", "мое", "наше", "benim",
];

/// White space that stands in front of every line that is not blank, in bytes: of a text that is indented as a whole.
fn margin(text: &str) -> usize {
    let lines = text.lines().filter(|line| !line.trim_start().is_empty());
    lines.map(|line| line.len() - line.trim_start_matches([' ', '\t']).len()).min().unwrap_or(0)
}

/// The length of a tag of markup that begins here. It says nothing.
fn tag(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('<')?;
    let name = inside.strip_prefix('/').unwrap_or(inside);
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(())?;
    let end = inside.char_indices().take_while(|(at, c)| *at < LONGEST_TAG && !matches!(c, '<' | '\n'));
    end.filter(|(_, c)| *c == '>').map(|(at, _)| at + 2).next()
}

const LONGEST_TAG: usize = 80;

/// Tags that stand around words as emphasis does.
const INLINE: [&str; 8] = ["b", "i", "em", "strong", "u", "mark", "s", "span"];

/// A range with the marks of emphasis at its ends, where the other half of each is in it: none is cut in two.
fn with_emphasis(text: &str, range: Range<usize>) -> Range<usize> {
    let (from, to) = (opened(&text[..range.start]), range.end + closed(&text[range.end..]));
    let (before, inside, after) = (&text[from..range.start], &text[range.clone()], &text[range.end..to]);
    let is_closed =
        |mark: &str| !mark.is_empty() && (inside.contains(&closing(mark)) || after.contains(&closing(mark)));
    let starts = is_closed(before);
    let start = if starts { from } else { range.start };
    let opens = |mark: &str| !mark.is_empty() && text[start..range.end].contains(&opening(mark));
    let end = if opens(after) { to } else { range.end };
    // What is closed only behind the end is taken with its end or not at all.
    let half = starts && end == range.end && !inside.contains(&closing(before));
    if half {
        range
    } else {
        start..end
    }
}

/// What ends the emphasis that a mark begins, and the other way round.
fn closing(mark: &str) -> String {
    mark.strip_prefix('<').map_or_else(|| mark.chars().rev().collect(), |tag| format!("</{}", tag))
}

fn opening(mark: &str) -> String {
    mark.strip_prefix("</").map_or_else(|| mark.chars().rev().collect(), |tag| format!("<{tag}"))
}

/// Where the mark begins that a text ends with.
fn opened(text: &str) -> usize {
    let bare = text.trim_end_matches(['*', '_']);
    if bare.len() < text.len() {
        return bare.len();
    }
    let is_tag = |name: &&&str| text.ends_with(&format!("<{name}>"));
    INLINE.iter().find(is_tag).map_or(text.len(), |name| text.len() - name.len() - 2)
}

/// The length of the mark that a text begins with.
fn closed(text: &str) -> usize {
    let marks = text.len() - text.trim_start_matches(['*', '_']).len();
    let is_tag = |name: &&&str| text.starts_with(&format!("</{name}>"));
    if marks > 0 {
        marks
    } else {
        INLINE.iter().find(is_tag).map_or(0, |name| name.len() + 3)
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
        let joins = match c {
            '\'' | '’' | 'ʼ' => chars.peek().is_some_and(|(_, next)| is_word(*next) && !is_unspaced(*next)),
            '`' | '´' => contracts(&rest[at + c.len_utf8()..]),
            _ => is_unseen(c),
        };
        if c == '_' && rest[at..].trim_start_matches('_').chars().next().is_none_or(|next| !is_word(next)) {
            break;
        }
        if !joins && (!is_word(c) || is_unspaced(c)) {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

/// Whether a contraction ends here, its apostrophe before: a mark of code is written for one.
fn contracts(rest: &str) -> bool {
    let letters = rest.len() - rest.trim_start_matches(char::is_alphabetic).len();
    matches!(&rest[..letters], "t" | "s" | "re" | "ll" | "ve" | "d" | "m") && !rest[letters..].starts_with(['`', '´'])
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
        let signs = ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "– ", "— ", "・"];
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
    fn fences_end_with_their_own_sign_and_four_spaces_are_code() {
        assert_eq!(texts("~~~\nnever\n```\nnever\n~~~\nGo on."), ["Go on."]);
        assert_eq!(texts("Look:\n\n    never push\n\n    never pull\nGo on."), ["Look:", "Go on."]);
        // Lists are indented, wrapped lines are, and whole texts are.
        assert_eq!(texts("- one\n\n    two\n\nsome\n    words"), ["one", "two", "some\n    words"]);
        assert_eq!(texts("\n    Be kind.\n\n    Never push.\n"), ["Be kind.", "Never push."]);
    }

    #[test]
    fn emphasis_and_tags_are_not_cut_in_two() {
        for whole in [
            "**Never** push to main.",
            "<b>Never</b> push.",
            "__Never__ push.",
            "Push **never**",
            "*Never push.*",
            "**Never push**.",
        ] {
            assert_eq!(texts(whole), [whole]);
        }
        assert_eq!(texts("<system>Never push.</system>"), ["Never push."]);
        assert_eq!(texts("**Never push. Always pull.**"), ["Never push.", "Always pull."]);
        assert_eq!(texts("* **Never** push.\n* _Never_ pull."), ["**Never** push.", "_Never_ pull."]);
    }

    #[test]
    fn what_is_not_seen_is_no_part_of_a_word() {
        let words = |text: &str| of(text).remove(0).tokens;
        assert_eq!(words("ne\u{200b}v\u{ad}er don`t snake_case"), ["never", "don't", "snake_case"]);
        assert_eq!(words("禁\u{200b}止").len(), 2);
        assert_eq!(of("禁\u{200b}止").remove(0).run, "禁止");
        assert_eq!(words("use `a`t once"), ["use", QUOTED, "t", "once"]);
    }

    #[test]
    fn a_megabyte_without_a_stop() {
        for piece in ["a", "\"", "(", "я ", "語", "'", "- ", "*", "_", "<", "<b>", "a*.", "a`", "~", "my rule is \""]
        {
            let text = piece.repeat((1 << 20) / piece.len());
            assert!(of(&text).iter().all(|sentence| sentence.tokens.len() <= MOST_TOKENS));
        }
    }
}
