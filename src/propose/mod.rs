//! Proposals: sentences of a conversation that read like standing rules or known mistakes.
//!
//! They are proposed and nothing more: whether one is pinned is the caller's to say. Looked for are the ways in which people lay down
//! rules ("never", "always", "from now on", …) and note mistakes ("that broke …", "not again"), in the languages of [`LANGUAGES`].
//! What is no rule though it has such words steps back: questions, what somebody else said, quotes and code, what was, what one
//! wished for oneself, idioms. Everything is found in one pass: patterns are looked up by their first word.

mod chinese;
mod english;
mod germanic;
mod japanese;
mod korean;
mod others;
mod pattern;
mod romance;
mod semitic;
mod sentences;
mod slavic;
mod southeast;
mod words;

use crate::error::Result;
use crate::formats::Format;
use crate::json::Tape;
use crate::message::{Part, Provenance, Role};
use crate::outline::object;
use pattern::Book;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::OnceLock;

/// What gives a sentence away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum ProposalReason {
    /// Something is never to be done: "never", "under no circumstances".
    Never,
    /// Something is not to be done: "do not", "is forbidden", "avoid".
    Prohibition,
    /// Something is to be done always: "always", "every time".
    Always,
    /// Something has to be done: "must", "make sure".
    Obligation,
    /// It holds from here on: "from now on".
    FromNowOn,
    /// This and nothing else: "only", "instead of".
    Exclusive,
    /// Something went wrong and is not to happen again: "that broke", "not again".
    Mistake,
}

/// A language that is looked for rules in.
pub(crate) struct Language {
    /// ISO 639-1.
    code: &'static str,
    /// Words that it is told by, where a pattern asks for it.
    evidence: &'static str,
    /// Words that may stand in front of the beginning of a clause.
    leads: &'static str,
    /// Patterns whose sentence is no rule.
    veto: &'static str,
    /// Patterns that make a rule, one a line.
    rules: &'static [(ProposalReason, &'static str)],
    /// Written without spaces between words: patterns are pieces of text.
    unspaced: bool,
}

/// All of them.
fn languages() -> impl Iterator<Item = &'static Language> {
    let families: [&[Language]; 10] = [
        &english::LANGUAGES,
        &germanic::LANGUAGES,
        &romance::LANGUAGES,
        &slavic::LANGUAGES,
        &others::LANGUAGES,
        &semitic::LANGUAGES,
        &southeast::LANGUAGES,
        &chinese::LANGUAGES,
        &japanese::LANGUAGES,
        &korean::LANGUAGES,
    ];
    families.into_iter().flatten()
}

/// A sentence that reads like a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What gave it away.
    pub reason: ProposalReason,
    /// The language of the pattern, as ISO 639-1 has it.
    pub language: &'static str,
}

/// The sentences of a text that read like rules, in their order.
///
/// ```
/// use plica::propose::in_text;
/// let text = "Hi! Never push to main. Did you never push?";
/// let found = in_text(text);
/// assert_eq!(found.len(), 1);
/// assert_eq!(&text[found[0].range.clone()], "Never push to main.");
/// ```
pub fn in_text(text: &str) -> Vec<Found> {
    static BOOK: OnceLock<Book> = OnceLock::new();
    let book = BOOK.get_or_init(|| Book::of(languages()));
    let sentences = sentences::of(text);
    let mut found: Vec<Option<Found>> = sentences
        .iter()
        .map(|sentence| {
            let (reason, language) = book.read(sentence)?;
            Some(Found { range: sentence.range.clone(), reason, language })
        })
        .collect();
    (0..sentences.len()).for_each(|head| take_list(&sentences, &mut found, head));
    found.into_iter().flatten().collect()
}

/// What a list is introduced by is half of a rule: "Never: – push, – force" is one. Where each item is a rule by itself, the words
/// in front of them are none.
fn take_list(sentences: &[sentences::Sentence], found: &mut [Option<Found>], head: usize) {
    let number = match sentences.get(head + 1) {
        Some(first) if sentences[head].heads && first.list != 0 && first.list != sentences[head].list => first.list,
        _ => return,
    };
    if found[head].is_none() {
        return;
    }
    let items = sentences[head + 1..].iter().take_while(|item| item.list == number).count();
    let last = head + items;
    let (from, to) = (sentences[head].range.start, sentences[last].range.end);
    if to - from > LONGEST_LIST {
        return;
    }
    if found[head + 1..=last].iter().all(Option::is_some) {
        found[head] = None;
        return;
    }
    found[head + 1..=last].iter_mut().for_each(|item| *item = None);
    found[head].as_mut().expect("seen above").range = from..to;
}

/// A rule with a list of more bytes is cut to its heading: a pin of that size would push all others out.
const LONGEST_LIST: usize = 2_000;

/// A proposal: a sentence of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct ProposedPin {
    /// Index of the message.
    pub index: u32,
    /// Which text of the message it is, from 0 on: a string is the first, of a list the first text part.
    pub part: u32,
    /// Where it begins in that text, in UTF-16 units.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// What gave it away.
    pub reason: ProposalReason,
    /// The kind of fact that it would be: `constraint`, or `antipattern` for a known mistake.
    pub kind: String,
    /// The language of the words that gave it away, as ISO 639-1 has it.
    pub language: String,
    /// The sentence.
    pub text: String,
}

/// Whose messages are looked through.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProposeOptions {
    /// System text.
    pub system: bool,
    /// What the user said.
    pub user: bool,
    /// What the model said.
    pub assistant: bool,
    /// Text that a program injected in the user's name.
    pub injected: bool,
}

impl Default for ProposeOptions {
    fn default() -> Self {
        // What tools, programs and the model say lays down no rules for anybody.
        ProposeOptions { system: true, user: true, assistant: false, injected: false }
    }
}

/// The proposals of messages, given as JSON texts. Digests and the pinned message propose nothing: they repeat.
///
/// # Errors
/// [`crate::error::ErrorCode::BadMessage`].
pub fn in_messages<T: AsRef<[u8]>>(
    messages: &[T],
    format: Format,
    marks: &dyn Fn(usize) -> Option<Provenance>,
    options: &ProposeOptions,
) -> Result<Vec<ProposedPin>> {
    let reader = format.reader();
    let mut tape = Tape::new();
    let mut proposals = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let message = object(&mut tape, message.as_ref(), index)?;
        let provenance = marks(index).unwrap_or_else(|| reader.provenance(message));
        let wanted = match (reader.role(message), provenance) {
            (_, Provenance::Summary) => false,
            (Role::System, _) => options.system,
            (Role::User, Provenance::Injected) => options.injected,
            (Role::User, _) => options.user,
            (Role::Assistant, _) => options.assistant,
            _ => false,
        };
        if !wanted {
            continue;
        }
        let mut part = 0;
        reader.parts(message, &mut |each| {
            let Part::Text(text) = each else { return };
            let text = text.text_lossy();
            if crate::pinned::entries(&text).is_none() {
                proposals.extend(of_text(&text, index as u32, part));
            }
            part += 1;
        });
    }
    Ok(proposals)
}

fn of_text(text: &str, index: u32, part: u32) -> Vec<ProposedPin> {
    // Sentences come in their order: each unit is counted once.
    let (mut at, mut units) = (0, 0);
    let mut units_to = |byte: usize| {
        units += text[at..byte].chars().map(|c| c.len_utf16() as u32).sum::<u32>();
        at = byte;
        units
    };
    let proposal = |Found { range, reason, language }: Found| ProposedPin {
        index,
        part,
        start: units_to(range.start),
        end: units_to(range.end),
        reason,
        kind: crate::pins::PINNED_KINDS[usize::from(reason == ProposalReason::Mistake)].to_string(),
        language: language.to_string(),
        text: text[range].to_string(),
    };
    in_text(text).into_iter().map(proposal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_units_and_reasons_say_why() {
        let messages = [
            r#"{"role":"user","content":"🌱 Hi. Never push to main. Thanks!"}"#,
            r#"{"role":"assistant","content":"Never push to main."}"#,
            r#"{"role":"user","content":[{"type":"text","text":"ok"},{"type":"text","text":"That broke the build, don't do it again."}]}"#,
        ];
        let none = |_: usize| None;
        let found = in_messages(&messages, Format::Anthropic, &none, &ProposeOptions::default()).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].start, found[0].end, found[0].reason), (7, 26, ProposalReason::Never));
        assert_eq!((found[1].index, found[1].part, found[1].kind.as_str()), (2, 1, "antipattern"));
        let all = ProposeOptions { assistant: true, ..ProposeOptions::default() };
        assert_eq!(in_messages(&messages, Format::Anthropic, &none, &all).unwrap().len(), 3);
    }

    #[test]
    fn rules_in_any_dress() {
        for rule in [
            "**Never** push to main.",
            "<b>Never</b> push to main.",
            "Ne\u{200b}ver push to main.",
            "Do n\u{ad}ot push to main.",
            "Don`t push to `main`.",
            "My rule is \"Never push to main.\"",
            "Unsere Regel lautet: „Nie auf main pushen.“",
            "Run the linter before each commit.",
            "Deploy on Tuesdays and on no other day.",
            "We have a zero-tolerance policy here.",
            "Lass die Produktion in Ruhe.",
            "Passwörter gehören nicht in das Repo.",
            "Il est hors de question de toucher à la prod.",
            "Guai a chi tocca il database.",
            "Руки прочь от продакшена.",
        ] {
            let found = in_text(rule);
            assert_eq!(found.iter().map(|found| &rule[found.range.clone()]).collect::<Vec<_>>(), [rule]);
        }
        let tagged = "<system>Never push.</system>";
        assert_eq!(&tagged[in_text(tagged)[0].range.clone()], "Never push.");
        for other in [
            "Do not pass go, do not collect 200 dollars, as they say.",
            "You should never have seen this error.",
            "~~~\nNever push.\n```\nNever push.\n~~~",
            "Like so:\n\n    Never push.\n",
            "The sign said \"Never push.\"",
        ] {
            assert_eq!(in_text(other), [], "{other}");
        }
    }

    #[test]
    fn a_list_belongs_to_the_words_in_front_of_it() {
        let texts =
            |text: &str| in_text(text).into_iter().map(|found| text[found.range].to_string()).collect::<Vec<_>>();
        let never = "Never:\n- push to main\n\n- delete branches,\n  not even old ones\n";
        assert_eq!(texts(&format!("Hello.\n{never}\nThanks!")), [never.trim_end()]);
        assert_eq!(texts("Please do NOT:\n* restart the server"), ["Please do NOT:\n* restart the server"]);
        // Rules by themselves need no heading.
        assert_eq!(
            texts("Rules:\n1. Do not use eval\n2. Always write tests"),
            ["Do not use eval", "Always write tests"]
        );
        // A heading that lays down nothing takes nothing.
        assert_eq!(texts("To buy:\n- milk\n- never mind\n- Never buy oat milk."), ["Never buy oat milk."]);
        let long = format!("Never:\n{}", "- push to main, whoever asks for it\n".repeat(100));
        assert_eq!(texts(&long), ["Never:"]);
    }

    #[test]
    fn a_megabyte_is_read_in_one_pass() {
        for piece in
            ["never ", "never push to main. ", "не ", "nie ", "不要", "ない", "* ", "\"", "a", "\n", "- never\n"]
        {
            let text = piece.repeat((1 << 20) / piece.len());
            let started = in_text(&text);
            assert!(started.len() <= text.len());
        }
    }
}
