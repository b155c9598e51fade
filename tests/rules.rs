//! How well rules are told from what is none: precision and recall over sentences of many languages, printed.
//!
//! `rules-development.tsv` is what the patterns were made with. `rules-seen.tsv` are three sets of 300 that were each written when the
//! patterns seemed done, and measured 0.95 and 0.93, 0.94 and 0.70, 0.88 and 0.85; what they showed was mended since, so they say
//! nothing any more. `rules-held-out.tsv` was written after that, and nothing was changed for it. `PLICA_RULES_FILE` names a file of
//! your own, `PLICA_RULES_WRONG=1` prints the sentences that went wrong.
#![cfg(not(target_arch = "wasm32"))]

use plica::propose::in_text;
use std::collections::BTreeMap;

#[derive(Default, Clone, Copy)]
struct Score {
    hits: u32,
    misses: u32,
    false_alarms: u32,
    rejected: u32,
}

impl Score {
    fn note(&mut self, is_rule: bool, said: bool) {
        *match (is_rule, said) {
            (true, true) => &mut self.hits,
            (true, false) => &mut self.misses,
            (false, true) => &mut self.false_alarms,
            (false, false) => &mut self.rejected,
        } += 1;
    }

    fn precision(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.false_alarms).max(1))
    }

    fn recall(&self) -> f64 {
        f64::from(self.hits) / f64::from((self.hits + self.misses).max(1))
    }
}

/// Lines of language, `+` or `-`, and the sentence, in which `\\n` is the end of a line.
fn sentences(text: &str) -> impl Iterator<Item = (&str, bool, String)> {
    text.lines().map(|line| {
        let mut fields = line.splitn(3, '\t');
        let mut field = || fields.next().expect("three fields");
        (field(), field() == "+", field().replace("\\n", "\n"))
    })
}

fn measured(name: &str, text: &str) -> Score {
    let mut all = Score::default();
    let mut by_language: BTreeMap<&str, Score> = BTreeMap::new();
    for (language, is_rule, sentence) in sentences(text) {
        let said = !in_text(&sentence).is_empty();
        all.note(is_rule, said);
        by_language.entry(language).or_default().note(is_rule, said);
        if std::env::var_os("PLICA_RULES_WRONG").is_some() && said != is_rule {
            println!("{} {language} {sentence:?} {:?}", if is_rule { "missed" } else { "taken" }, in_text(&sentence));
        }
    }
    println!("{name}: language, rules, others, precision, recall");
    for (language, score) in by_language.iter().map(|(name, score)| (*name, *score)).chain([("all", all)]) {
        let (rules, others) = (score.hits + score.misses, score.false_alarms + score.rejected);
        println!("{language:>4} {rules:>4} {others:>4}  {:.2}  {:.2}", score.precision(), score.recall());
    }
    all
}

#[test]
fn development_sentences() {
    let score = measured("development", include_str!("fixtures/rules-development.tsv"));
    assert!(score.precision() >= 0.97 && score.recall() >= 0.95, "{} {}", score.precision(), score.recall());
}

#[test]
fn seen_sentences() {
    let score = measured("seen", include_str!("fixtures/rules-seen.tsv"));
    assert!(score.precision() >= 0.97 && score.recall() >= 0.97, "{} {}", score.precision(), score.recall());
}

#[test]
fn held_out_sentences() {
    let score = measured("held out", include_str!("fixtures/rules-held-out.tsv"));
    assert_eq!(score.hits + score.misses + score.false_alarms + score.rejected, 300);
    assert!(score.precision() >= 0.9 && score.recall() >= 0.7, "{} {}", score.precision(), score.recall());
}

#[test]
fn a_file_of_your_own() {
    let Some(path) = std::env::var_os("PLICA_RULES_FILE") else { return };
    measured("your own", &std::fs::read_to_string(path).expect("a file of sentences"));
}
