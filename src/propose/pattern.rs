//! Patterns: what a rule is told by, as short lines of words.
//!
//! A line is words apart by spaces. `a|b` is either; `pre*`, `*post` and `*in*` are the beginning, the end and a piece of a word; `_`
//! is any word. `..` is up to [`GAP`] words. In front of a word `~` says that it must not stand there, and takes up none. At the
//! start of a line (where `~` may stand as well) `^` wants the beginning of a clause, `<a|b` that none of these stands before, `@` a word of the language's
//! evidence in the sentence; at its end `$` wants the end of the sentence. In languages that have no spaces between words a line
//! is pieces of text in their order, with `^` and `$`, `|` and `..` between.

use super::sentences::Sentence;
use super::words::folded;
use super::{Language, ProposalReason};
use std::collections::{HashMap, HashSet};

/// `..` is at most so many words: "never, under any circumstances, push".
const GAP: usize = 6;

enum Word {
    Exact(String),
    Start(String),
    End(String),
    Inside(String),
    Any,
    /// The end of the sentence, as one choice among others.
    Stop,
}

impl Word {
    fn of(text: &str) -> Word {
        let is = |sign: &str| text.len() > 1 && sign == "*";
        let (first, last) = (text.strip_prefix('*'), text.strip_suffix('*'));
        match (first.filter(|_| is("*")), last.filter(|_| is("*"))) {
            _ if text == "_" => Word::Any,
            _ if text == "$" => Word::Stop,
            (Some(rest), Some(_)) => Word::Inside(folded(rest.strip_suffix('*').unwrap_or(rest))),
            (Some(end), None) => Word::End(folded(end)),
            (None, Some(start)) => Word::Start(folded(start)),
            (None, None) => Word::Exact(folded(text)),
        }
    }

    fn is(&self, token: &str) -> bool {
        match self {
            Word::Exact(word) => word == token,
            Word::Start(start) => token.starts_with(start.as_str()),
            Word::End(end) => token.ends_with(end.as_str()) && token.len() > end.len(),
            Word::Inside(piece) => token.contains(piece.as_str()),
            Word::Stop => false,
            Word::Any => token.chars().next().is_some_and(char::is_alphanumeric),
        }
    }
}

enum Step {
    One(Vec<Word>),
    Not(Vec<Word>),
    Gap,
    End,
}

struct Pattern {
    /// `None`: the sentence is no rule of its language.
    reason: Option<ProposalReason>,
    language: u16,
    at_start: bool,
    not_behind: Vec<Word>,
    evident: bool,
    steps: Vec<Step>,
}

/// Pieces of text in their order.
struct Pieces {
    reason: Option<ProposalReason>,
    language: u16,
    at_start: bool,
    at_end: bool,
    pieces: Vec<Vec<String>>,
}

/// All patterns, found by their first word.
pub(super) struct Book {
    languages: Vec<Spoken>,
    patterns: Vec<Pattern>,
    by_word: HashMap<String, Vec<u32>>,
    /// Those that begin with a piece of a word.
    loose: Vec<u32>,
    unspaced: Vec<Pieces>,
}

struct Spoken {
    code: &'static str,
    evidence: HashSet<String>,
    leads: HashSet<String>,
}

impl Book {
    pub(super) fn of(languages: impl Iterator<Item = &'static Language>) -> Book {
        let mut book = Book {
            languages: Vec::new(),
            patterns: Vec::new(),
            by_word: HashMap::new(),
            loose: Vec::new(),
            unspaced: Vec::new(),
        };
        for language in languages {
            let words = |text: &str| text.split_whitespace().map(folded).collect();
            let (evidence, leads) = (words(language.evidence), words(language.leads));
            book.languages.push(Spoken { code: language.code, evidence, leads });
            book.add(language, None, language.veto);
            language.rules.iter().for_each(|(reason, lines)| book.add(language, Some(*reason), lines));
        }
        book
    }

    fn add(&mut self, language: &Language, reason: Option<ProposalReason>, lines: &str) {
        let number = self.languages.len() as u16 - 1;
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if language.unspaced {
                self.unspaced.push(Pieces::of(line, reason, number));
                continue;
            }
            let place = self.patterns.len() as u32;
            let pattern = Pattern::of(line, reason, number);
            let Some(Step::One(words)) = pattern.steps.iter().find(|step| !matches!(step, Step::Not(_))) else {
                debug_assert!(false, "a pattern begins with a word: {line}");
                continue;
            };
            if words.iter().all(|word| matches!(word, Word::Exact(_))) {
                for word in words {
                    let Word::Exact(word) = word else { continue };
                    self.by_word.entry(word.clone()).or_default().push(place);
                }
            } else {
                self.loose.push(place);
            }
            self.patterns.push(pattern);
        }
    }

    /// What a sentence lays down, and in which language.
    pub(super) fn read(&self, sentence: &Sentence) -> Option<(ProposalReason, &'static str)> {
        if sentence.asks {
            return None;
        }
        let mut found: Option<(ProposalReason, u16)> = None;
        for (at, token) in sentence.tokens.iter().enumerate() {
            let exact = self.by_word.get(token.as_str()).map_or(&[][..], Vec::as_slice);
            for &place in exact.iter().chain(&self.loose) {
                let pattern = &self.patterns[place as usize];
                if (pattern.reason.is_none() || found.is_none()) && self.matches(pattern, &sentence.tokens, at) {
                    // What is no rule in one language is none in another that has the same words.
                    found = Some((pattern.reason?, pattern.language));
                }
            }
        }
        for pieces in &self.unspaced {
            if (pieces.reason.is_none() || found.is_none()) && pieces.matches(&sentence.run) {
                found = Some((pieces.reason?, pieces.language));
            }
        }
        let (reason, language) = found?;
        Some((reason, self.languages[usize::from(language)].code))
    }

    fn matches(&self, pattern: &Pattern, tokens: &[String], at: usize) -> bool {
        let spoken = &self.languages[usize::from(pattern.language)];
        let before = at.checked_sub(1).map(|before| tokens[before].as_str());
        if before.is_some_and(|before| pattern.not_behind.iter().any(|word| word.is(before))) {
            return false;
        }
        (!pattern.at_start || begins(tokens, at, &spoken.leads))
            && follow(&pattern.steps, &tokens[at..])
            && (!pattern.evident || tokens.iter().any(|token| spoken.evidence.contains(token)))
    }
}

/// Whether a clause begins at a word: behind nothing, a mark, or words that only lead in.
fn begins(tokens: &[String], at: usize, leads: &HashSet<String>) -> bool {
    let words = tokens[..at].iter().rev();
    let first = words.map(String::as_str).find(|token| !leads.contains(*token));
    first.is_none_or(|token| token != "\u{1}" && !token.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn follow(steps: &[Step], tokens: &[String]) -> bool {
    match steps {
        [] => true,
        [Step::End] => ends(tokens),
        [Step::End, ..] => false,
        [Step::Gap, rest @ ..] => (0..=GAP.min(tokens.len())).any(|skip| follow(rest, &tokens[skip..])),
        [Step::Not(words), rest @ ..] => {
            !tokens.first().is_some_and(|token| words.iter().any(|word| word.is(token))) && follow(rest, tokens)
        }
        [Step::One(words), ..] if ends(tokens) && words.iter().any(|word| matches!(word, Word::Stop)) => true,
        [Step::One(words), rest @ ..] => {
            tokens.first().is_some_and(|token| words.iter().any(|word| word.is(token))) && follow(rest, &tokens[1..])
        }
    }
}

/// Whether nothing but marks is left.
fn ends(tokens: &[String]) -> bool {
    tokens.iter().all(|token| matches!(token.as_str(), "." | "!" | "\u{2}" | "-"))
}

fn words(text: &str) -> Vec<Word> {
    // A bar alone is no word.
    text.split('|').filter(|word| !word.is_empty()).map(Word::of).collect()
}

impl Pattern {
    fn of(line: &str, reason: Option<ProposalReason>, language: u16) -> Pattern {
        let mut pattern =
            Pattern { reason, language, at_start: false, not_behind: Vec::new(), evident: false, steps: Vec::new() };
        for word in line.split_whitespace() {
            match word {
                "^" => pattern.at_start = true,
                "@" => pattern.evident = true,
                ".." => pattern.steps.push(Step::Gap),
                "$" => pattern.steps.push(Step::End),
                _ if word.starts_with('<') => pattern.not_behind = words(&word[1..]),
                _ if word.starts_with('~') => pattern.steps.push(Step::Not(words(&word[1..]))),
                _ => pattern.steps.push(Step::One(words(word))),
            }
        }
        pattern
    }
}

impl Pieces {
    fn of(line: &str, reason: Option<ProposalReason>, language: u16) -> Pieces {
        let mut pieces = Pieces { reason, language, at_start: false, at_end: false, pieces: Vec::new() };
        for piece in line.split_whitespace() {
            match piece {
                "^" => pieces.at_start = true,
                "$" => pieces.at_end = true,
                ".." => {}
                _ => pieces.pieces.push(piece.split('|').map(folded).collect()),
            }
        }
        pieces
    }

    fn matches(&self, run: &str) -> bool {
        let run = run.trim_end_matches(|c: char| !c.is_alphanumeric() && !super::words::is_word(c));
        let mut at = 0;
        for (number, piece) in self.pieces.iter().enumerate() {
            let (first, last) = (number == 0 && self.at_start, number + 1 == self.pieces.len() && self.at_end);
            let rest = &run[at..];
            let found = piece.iter().filter_map(|text| {
                let place = match (first, last) {
                    (true, _) => rest.starts_with(text.as_str()).then_some(0),
                    (_, true) => rest.ends_with(text.as_str()).then(|| rest.len() - text.len()),
                    _ => rest.find(text.as_str()),
                };
                let place = place.filter(|place| !last || place + text.len() == rest.len());
                place.map(|place| place + text.len())
            });
            let Some(length) = found.min() else { return false };
            at += length;
        }
        true
    }
}
