//! Recall: how much a stored fact weighs now, and which facts are rendered within a budget of characters.
//!
//! Belongs here: what ages and ranks single facts, the choice within a budget, and the notice about what was
//! left out. Times are milliseconds since 1970 as JavaScript's `Date` counts them; reading dates is the
//! caller's part, and an unreadable one arrives as NaN. `exp` and `log` come from `libm`, so that native and
//! WebAssembly answers are the same to the last bit.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use crate::order::sort_by_key;
use crate::pins::{split_by_kind, MemoryConfig};
use crate::text::{one_line, utf16_len, utf16_prefix};
use serde::Serialize;

/// A prefix shorter than this many UTF-16 units says too little to group by (the drop-in value).
pub const PREFIX_MIN_UNITS: usize = 2;

/// So many UTF-16 units of the key stand in for a prefix that is too short (the drop-in value).
pub const PREFIX_FALLBACK_UNITS: usize = 8;

/// A fact keeps its full importance for so many days, and loses a step with each further such span (the
/// drop-in value).
pub const DECAY_DAYS: f64 = 14.0;

/// What a fact loses with each step of decay (the drop-in value).
pub const DECAY_STEP: f64 = 2.0;

/// Age alone takes no fact below this importance (the drop-in value).
pub const DECAY_FLOOR: f64 = 3.0;

/// The weight of salience in a ranking (the drop-in value).
pub const SALIENCE_WEIGHT: f64 = 0.15;

/// The weight of the number of retrievals within salience (the drop-in value).
pub const SALIENCE_ACCESS_WEIGHT: f64 = 0.5;

/// After so many hours the recency of a retrieval has fallen to 1/e (the drop-in value: a week).
pub const SALIENCE_HOURS: f64 = 168.0;

/// What a rendered fact costs beside its key and value, in UTF-16 units: bullet, labels, line end (the
/// drop-in value).
pub const FACT_OVERHEAD_UNITS: u64 = 24;

/// The notice names at most so many groups (the drop-in value).
pub const NOTICE_MAX_GROUPS: usize = 12;

/// A prefix in the notice is at most so many UTF-16 units long, so that keys without any separator cannot
/// make the notice larger than the budget.
const NOTICE_PREFIX_UNITS: usize = 40;

const MS_PER_HOUR: f64 = 3_600_000.0;
const MS_PER_DAY: f64 = 24.0 * MS_PER_HOUR;

/// The group that a key belongs to: its part before the first `_`, `-` or `.`, or all of it without one; if
/// that is shorter than [`PREFIX_MIN_UNITS`], the first [`PREFIX_FALLBACK_UNITS`] units of the key.
///
/// Key and prefix are WTF-8: the first eight units may end in half of a surrogate pair, as in JavaScript.
///
/// ```
/// use plica::recall::key_prefix;
/// assert_eq!(&*key_prefix(b"deploy_staging_url"), b"deploy");
/// assert_eq!(&*key_prefix(b"x-coordinate"), b"x-coordi");
/// ```
pub fn key_prefix(key: &[u8]) -> Cow<'_, [u8]> {
    let end = key.iter().position(|byte| matches!(byte, b'_' | b'-' | b'.'));
    let head = &key[..end.unwrap_or(key.len())];
    if utf16_len(head) >= PREFIX_MIN_UNITS {
        return Cow::Borrowed(head);
    }
    utf16_prefix(key, PREFIX_FALLBACK_UNITS)
}

/// A fact's importance after ageing.
///
/// Age counts from the last retrieval, or from the creation if there has been none: `None` stands for null
/// and undefined. A time that is there but unreadable (NaN) is used as it is, so it does not fall back. With
/// no readable time, and up to [`DECAY_DAYS`] of age, importance is unchanged; after that it loses
/// [`DECAY_STEP`] per full [`DECAY_DAYS`], but not below [`DECAY_FLOOR`], nor below itself if it was lower
/// before. Times are in milliseconds.
///
/// ```
/// use plica::recall::effective_importance;
/// let day = 86_400_000.0;
/// assert_eq!(effective_importance(9.0, None, Some(0.0), 30.0 * day), 5.0);
/// assert_eq!(effective_importance(9.0, Some(29.0 * day), Some(0.0), 30.0 * day), 9.0);
/// assert_eq!(effective_importance(9.0, Some(f64::NAN), Some(0.0), 30.0 * day), 9.0);
/// ```
pub fn effective_importance(
    importance: f64,
    last_retrieved_ms: Option<f64>,
    created_ms: Option<f64>,
    now_ms: f64,
) -> f64 {
    let Some(since) = last_retrieved_ms.or(created_ms) else {
        return importance;
    };
    let span = DECAY_DAYS * MS_PER_DAY;
    let age = now_ms - since;
    // Rust's `max` and `min` drop NaN where JavaScript's keep it: NaN must leave here.
    if !age.is_finite() || age <= span || importance.is_nan() {
        return importance;
    }
    let aged = importance - DECAY_STEP * (age / span).floor();
    aged.max(importance.min(DECAY_FLOOR))
}

/// How present a fact is: `0.15 × (0.5 × ln(1 + access) + e^(−hours since / 168))`.
///
/// `access` is the number of retrievals; `last_ms` the time of the last one in milliseconds, `None` for null
/// and undefined. A term whose input is missing is 0: an `access` that is no finite number above 0, a time
/// that is absent or unreadable. A time after `now_ms` counts by the same formula, so it weighs above 1.
///
/// ```
/// use plica::recall::salience;
/// assert_eq!(salience(0.0, None, 1e12), 0.0);
/// assert_eq!(salience(0.0, Some(1e12), 1e12), 0.15);
/// ```
pub fn salience(access: f64, last_ms: Option<f64>, now_ms: f64) -> f64 {
    SALIENCE_WEIGHT * (SALIENCE_ACCESS_WEIGHT * familiarity(access) + recency(last_ms, now_ms))
}

fn familiarity(access: f64) -> f64 {
    if !access.is_finite() || access <= 0.0 {
        return 0.0;
    }
    libm::log(1.0 + access)
}

fn recency(last_ms: Option<f64>, now_ms: f64) -> f64 {
    let hours = (now_ms - last_ms.unwrap_or(f64::NAN)) / MS_PER_HOUR;
    if !hours.is_finite() {
        return 0.0;
    }
    libm::exp(-hours / SALIENCE_HOURS)
}

/// What the choice within a budget looks at in a fact. Texts are WTF-8.
///
/// ```
/// let fact = plica::recall::RecallFact { key: b"db_url", value_len: 20, ..Default::default() };
/// assert_eq!(fact.created_ms, None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RecallFact<'a> {
    /// The key; its prefix groups the fact in the notice.
    pub key: &'a [u8],
    /// The length of the value in UTF-16 units. The value itself is not needed.
    pub value_len: u32,
    /// Decides whether the fact is of a pinned kind; `None` for null and undefined.
    pub kind: Option<&'a [u8]>,
    /// When the fact was created, in milliseconds; `None` or NaN where unknown.
    pub created_ms: Option<f64>,
}

/// A span of time, in milliseconds, both ends included; an infinite end is open.
///
/// A span with a NaN end, or one that ends before it starts, holds nothing.
///
/// ```
/// use plica::recall::TimeWindow;
/// let since = TimeWindow { from_ms: 1000.0, to_ms: f64::INFINITY };
/// assert!(since.contains(Some(1000.0)) && !since.contains(Some(999.0)));
/// assert!(!since.contains(None) && !since.contains(Some(f64::NAN)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeWindow {
    /// The first moment inside.
    pub from_ms: f64,
    /// The last moment inside.
    pub to_ms: f64,
}

impl TimeWindow {
    /// Whether a time lies inside; an absent or unreadable one never does.
    ///
    /// ```
    /// use plica::recall::TimeWindow;
    /// assert!(TimeWindow { from_ms: 1.0, to_ms: 2.0 }.contains(Some(2.0)));
    /// ```
    pub fn contains(&self, time_ms: Option<f64>) -> bool {
        time_ms.is_some_and(|time| self.from_ms <= time && time <= self.to_ms)
    }
}

/// The limits of [`budget_facts`]. Each number may be any JavaScript number.
///
/// ```
/// use plica::recall::BudgetOptions;
/// let options = BudgetOptions { max_chars: 4000.0, ..BudgetOptions::default() };
/// assert_eq!(options.min_facts, 10.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetOptions {
    /// What all rendered facts together, pinned ones included, may take, in UTF-16 units. 0, negative or NaN
    /// switches the budget off: everything is rendered. Default (the drop-in value): 16000.
    pub max_chars: f64,
    /// While fewer facts than this are rendered (pinned ones count), the next is rendered whether it fits or
    /// not. NaN is 0. Default (the drop-in value): 10.
    pub min_facts: f64,
    /// What the pinned facts together may take, in UTF-16 units; the first pinned fact is rendered in any
    /// case. `max_chars` does not limit them. Default (the drop-in value): 9000.
    pub pinned_max_chars: f64,
    /// Facts created inside it come before the other facts that are not pinned. Default: none.
    pub window: Option<TimeWindow>,
}

impl Default for BudgetOptions {
    fn default() -> Self {
        Self { max_chars: 16_000.0, min_facts: 10.0, pinned_max_chars: 9_000.0, window: None }
    }
}

/// What [`budget_facts`] chose. Numbers are indices into the facts that were given; `rendered` and
/// `collapsed` together hold every index exactly once.
///
/// ```
/// let nothing = plica::recall::BudgetedFacts::default();
/// assert!(nothing.rendered.is_empty() && nothing.notice.is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct BudgetedFacts {
    /// The facts to show, in the order to show them.
    pub rendered: Vec<u32>,
    /// The facts left out, in the order in which they were considered.
    pub collapsed: Vec<u32>,
    /// How many of `collapsed` lie inside the time window; 0 without one.
    pub in_window_collapsed: u32,
    /// A sentence that tells the reader what was left out, by groups; `None` when nothing was. Halves of
    /// surrogate pairs are replaced, so that any encoder takes it.
    pub notice: Option<String>,
}

/// Chooses which facts to render. `facts` come ranked, best first; nothing is re-ranked here.
///
/// A fact takes its key and value in UTF-16 units plus [`FACT_OVERHEAD_UNITS`].
/// 1. Without facts, or with a budget that is switched off, all are rendered as they stand.
/// 2. Pinned facts ([`crate::pins::partition_pinned`], with its cap) that fit `pinned_max_chars`, the first
///    one always. One that does not fit leaves room for later ones and joins the rest in its old place, as
///    those beyond the cap do.
/// 3. The rest, those inside the window first. Each is rendered while fewer than `min_facts` are, or if it
///    fits what is left of `max_chars`; a smaller later one may still fit. What is not, is `collapsed`.
///
/// At most 2^32 − 1 facts; the time taken grows with their number only.
///
/// ```
/// use plica::pins::MemoryConfig;
/// use plica::recall::{budget_facts, BudgetOptions, RecallFact};
/// let fact = |key, value_len| RecallFact { key, value_len, ..RecallFact::default() };
/// let mut facts = [fact(b"log_1".as_slice(), 500), fact(b"log_2", 500), fact(b"rule", 30)];
/// facts[2].kind = Some(b"constraint");
/// let options = BudgetOptions { max_chars: 600.0, min_facts: 0.0, ..BudgetOptions::default() };
/// let chosen = budget_facts(&facts, &options, &MemoryConfig::default());
/// assert_eq!(chosen.rendered, [2, 0]);
/// assert_eq!(chosen.collapsed, [1]);
/// assert!(chosen.notice.unwrap().contains("log (1)"));
/// ```
pub fn budget_facts(facts: &[RecallFact<'_>], options: &BudgetOptions, config: &MemoryConfig) -> BudgetedFacts {
    // NaN is not above 0 either.
    let has_budget = options.max_chars > 0.0;
    if !has_budget {
        return BudgetedFacts {
            rendered: (0u32..).zip(facts).map(|(index, _)| index).collect(),
            ..BudgetedFacts::default()
        };
    }
    let split = split_by_kind(facts.iter().map(|fact| fact.kind), config);
    let (pins, unfit) = fitting_pins(facts, &split.pinned, options.pinned_max_chars);
    let rest = in_window_first(facts, merged(split.rest, unfit), options.window);
    let (rendered, collapsed) = fill(facts, pins, rest, options);
    let in_window_collapsed = count_in_window(facts, &collapsed, options.window);
    BudgetedFacts { notice: notice(facts, &collapsed, in_window_collapsed), rendered, collapsed, in_window_collapsed }
}

fn cost(fact: &RecallFact<'_>) -> u64 {
    utf16_len(fact.key) as u64 + u64::from(fact.value_len) + FACT_OVERHEAD_UNITS
}

fn at<'f, 'a>(facts: &'f [RecallFact<'a>], index: u32) -> &'f RecallFact<'a> {
    &facts[index as usize]
}

/// The pinned facts that fit, and those that do not, each in order.
fn fitting_pins(facts: &[RecallFact<'_>], pinned: &[u32], max_chars: f64) -> (Vec<u32>, Vec<u32>) {
    let mut used = 0;
    let mut is_first = true;
    pinned.iter().partition(|&&index| {
        let total = used + cost(at(facts, index));
        let fits = is_first || total as f64 <= max_chars;
        is_first = false;
        if fits {
            used = total;
        }
        fits
    })
}

/// Two ascending lists as one.
fn merged(mut rest: Vec<u32>, unfit: Vec<u32>) -> Vec<u32> {
    rest.extend(unfit);
    // The sort finds the two runs and merges them in linear time.
    sort_by_key(&mut rest, |index| *index);
    rest
}

fn in_window_first(facts: &[RecallFact<'_>], rest: Vec<u32>, window: Option<TimeWindow>) -> Vec<u32> {
    let Some(window) = window else {
        return rest;
    };
    let (mut inside, outside): (Vec<u32>, Vec<u32>) =
        rest.into_iter().partition(|&index| window.contains(at(facts, index).created_ms));
    inside.extend(outside);
    inside
}

/// Adds to the pins what may be rendered of the rest; gives all that is rendered, and what is not.
fn fill(facts: &[RecallFact<'_>], pins: Vec<u32>, rest: Vec<u32>, options: &BudgetOptions) -> (Vec<u32>, Vec<u32>) {
    let mut used: u64 = pins.iter().map(|&index| cost(at(facts, index))).sum();
    let mut rendered = pins;
    let mut collapsed = Vec::new();
    for index in rest {
        let total = used + cost(at(facts, index));
        let is_owed = (rendered.len() as f64) < options.min_facts;
        if !is_owed && total as f64 > options.max_chars {
            collapsed.push(index);
            continue;
        }
        rendered.push(index);
        used = total;
    }
    (rendered, collapsed)
}

fn count_in_window(facts: &[RecallFact<'_>], collapsed: &[u32], window: Option<TimeWindow>) -> u32 {
    let Some(window) = window else {
        return 0;
    };
    let inside = |index: &&u32| window.contains(at(facts, **index).created_ms);
    collapsed.iter().filter(inside).count() as u32
}

fn notice(facts: &[RecallFact<'_>], collapsed: &[u32], in_window: u32) -> Option<String> {
    if collapsed.is_empty() {
        return None;
    }
    let groups = grouped(facts, collapsed);
    let shown: Vec<String> = groups
        .iter()
        .take(NOTICE_MAX_GROUPS)
        .map(|(prefix, count)| format!("{} ({count})", shown_prefix(prefix)))
        .collect();
    Some(format!(
        "{} not shown here to stay within the budget{}, by key prefix: {}{}. Nothing is deleted; look them \
         up by key or search when they matter.",
        counted(collapsed.len(), "stored fact is", "stored facts are"),
        window_part(in_window),
        shown.join(", "),
        hidden_part(&groups[shown.len()..]),
    ))
}

/// The prefixes of the facts left out with their numbers, most first, ties in the order met.
fn grouped<'a>(facts: &[RecallFact<'a>], collapsed: &[u32]) -> Vec<(Cow<'a, [u8]>, usize)> {
    let mut places: HashMap<Cow<'a, [u8]>, usize> = HashMap::new();
    let mut groups: Vec<(Cow<'a, [u8]>, usize)> = Vec::new();
    for &index in collapsed {
        let key: &'a [u8] = at(facts, index).key;
        let prefix = key_prefix(key);
        if let Some(&place) = places.get(&prefix) {
            groups[place].1 += 1;
            continue;
        }
        places.insert(prefix.clone(), groups.len());
        groups.push((prefix, 1));
    }
    sort_by_key(&mut groups, |(_, count)| Reverse(*count));
    groups
}

fn shown_prefix(prefix: &[u8]) -> String {
    if prefix.is_empty() {
        return "(no key)".to_owned();
    }
    one_line(prefix, NOTICE_PREFIX_UNITS)
}

fn window_part(in_window: u32) -> String {
    match in_window {
        0 => String::new(),
        n => format!(" ({n} of them from the time window)"),
    }
}

fn hidden_part(groups: &[(Cow<'_, [u8]>, usize)]) -> String {
    let facts: usize = groups.iter().map(|(_, count)| count).sum();
    if facts == 0 {
        return String::new();
    }
    let prefixes = counted(groups.len(), "other prefix", "other prefixes");
    format!(", and {facts} more under {prefixes}")
}

fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: f64 = MS_PER_DAY;

    fn fact(key: &str, value_len: u32) -> RecallFact<'_> {
        RecallFact { key: key.as_bytes(), value_len, ..RecallFact::default() }
    }

    fn rule(key: &str, value_len: u32) -> RecallFact<'_> {
        RecallFact { kind: Some(b"constraint"), ..fact(key, value_len) }
    }

    fn options(max_chars: f64, min_facts: f64) -> BudgetOptions {
        BudgetOptions { max_chars, min_facts, ..BudgetOptions::default() }
    }

    fn choose(facts: &[RecallFact<'_>], options: &BudgetOptions) -> BudgetedFacts {
        budget_facts(facts, options, &MemoryConfig::default())
    }

    #[test]
    fn prefixes() {
        let cases = [
            ("ab.c", "ab"),
            ("a-b_c.d-efgh", "a-b_c.d-"),
            ("_", "_"),
            ("noseparator at all", "noseparator at all"),
            ("😀_x", "😀"),
            ("é_x", "é_x"),
            ("..........", "........"),
        ];
        for (key, expected) in cases {
            assert_eq!(&*key_prefix(key.as_bytes()), expected.as_bytes(), "{key}");
        }
        assert_eq!(&*key_prefix("_123456😀".as_bytes()), b"_123456\xED\xA0\xBD");
        assert_eq!(&*key_prefix(b"\xED\xA0\xBD_1"), b"\xED\xA0\xBD_1", "one unit is too short");
    }

    #[test]
    fn importance_ages_by_steps() {
        let after = |importance, days: f64| effective_importance(importance, None, Some(0.0), days * DAY);
        assert_eq!(after(10.0, 14.0), 10.0);
        assert_eq!(after(10.0, 27.9), 8.0);
        assert_eq!(after(10.0, 28.0), 6.0);
        assert_eq!(after(10.0, 1e6), 3.0);
        assert_eq!(after(2.5, 1e6), 2.5);
        assert_eq!(after(-7.0, 1e6), -7.0);
        assert_eq!(after(10.0, -1e6), 10.0, "created in the future");
        assert_eq!(after(f64::INFINITY, 30.0), f64::INFINITY);
        assert_eq!(after(f64::NEG_INFINITY, 30.0), f64::NEG_INFINITY);
        assert!(after(f64::NAN, 30.0).is_nan());
    }

    #[test]
    fn the_last_retrieval_counts_even_when_unreadable() {
        let now = 100.0 * DAY;
        assert_eq!(effective_importance(9.0, Some(90.0 * DAY), Some(0.0), now), 9.0);
        assert_eq!(effective_importance(9.0, Some(0.0), Some(90.0 * DAY), now), 3.0);
        assert_eq!(effective_importance(9.0, Some(f64::NAN), Some(0.0), now), 9.0);
        assert_eq!(effective_importance(9.0, None, Some(f64::NAN), now), 9.0);
        assert_eq!(effective_importance(9.0, None, None, now), 9.0);
        assert_eq!(effective_importance(9.0, Some(0.0), None, f64::NAN), 9.0);
    }

    #[test]
    fn salience_of_what_is_missing_is_nothing() {
        for access in [0.0, -0.5, -5.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(salience(access, None, 0.0), 0.0, "{access}");
        }
        for last in [Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), None] {
            assert_eq!(salience(0.0, last, 0.0), 0.0, "{last:?}");
        }
        assert_eq!(salience(0.0, Some(0.0), f64::NAN), 0.0);
    }

    /// The last bit is fixed: a change of these numbers is a change of the answers between builds.
    #[test]
    fn salience_to_the_last_bit() {
        let week = 7.0 * DAY;
        assert_eq!(salience(0.0, Some(0.0), week).to_bits(), 0x3fac_40cd_da9c_5243);
        assert_eq!(salience(3.0, None, week).to_bits(), 0x3fba_9de9_fec5_df1f);
    }

    #[test]
    fn a_budget_that_is_off_keeps_the_order() {
        let facts = [fact("a", 9999), rule("b", 9999), fact("c", 9999)];
        for off in [0.0, -1.0, f64::NEG_INFINITY, f64::NAN] {
            let chosen = choose(&facts, &options(off, 1.0));
            assert_eq!(chosen.rendered, [0, 1, 2], "{off}");
            assert_eq!(chosen.notice, None);
        }
        let all = choose(&facts, &options(f64::INFINITY, 0.0));
        assert_eq!(all.rendered, [1, 0, 2]);
    }

    #[test]
    fn the_length_counts_utf16_units_and_the_edge_fits() {
        // 3 units of key, 5 of value, 24 around them.
        let facts = [fact("é😀", 5), fact("x", 0)];
        assert_eq!(choose(&facts, &options(32.0, 0.0)).rendered, [0]);
        assert_eq!(choose(&facts, &options(31.9, 0.0)).rendered, [1]);
    }

    #[test]
    fn min_facts_of_every_sort() {
        let facts = [fact("a", 99); 6];
        let cases = [(f64::NAN, 0), (-3.0, 0), (2.0, 2), (2.5, 3), (f64::INFINITY, 6)];
        for (min_facts, expected) in cases {
            let chosen = choose(&facts, &options(1.0, min_facts));
            assert_eq!(chosen.rendered.len(), expected, "{min_facts}");
        }
    }

    #[test]
    fn pins_have_a_budget_of_their_own() {
        let facts = [fact("n", 1), rule("big", 5000), rule("large", 200), rule("s", 25)];
        let with = |pinned_max_chars| BudgetOptions { pinned_max_chars, ..options(10.0, 0.0) };
        // The first is always rendered; once it fills the room, the others wait in line with the rest.
        let tight = choose(&facts, &with(100.0));
        assert_eq!((tight.rendered, tight.collapsed), (vec![1], vec![0, 2, 3]));
        // One that does not fit leaves its room to a smaller one.
        let roomy = choose(&facts, &with(5077.0));
        assert_eq!((roomy.rendered, roomy.collapsed), (vec![1, 3], vec![0, 2]));
        let none = choose(&facts, &with(f64::NAN));
        assert_eq!(none.rendered, [1]);
    }

    #[test]
    fn pins_that_do_not_fit_compete_in_their_places() {
        let facts = [rule("a", 80), fact("b", 80), rule("c", 80), fact("d", 80)];
        let options = BudgetOptions { pinned_max_chars: 1.0, ..options(1.0, 3.0) };
        let chosen = choose(&facts, &options);
        assert_eq!((chosen.rendered, chosen.collapsed), (vec![0, 1, 2], vec![3]));
    }

    #[test]
    fn pinned_facts_use_up_the_budget() {
        let facts = [fact("a", 75), rule("b", 75)];
        assert_eq!(choose(&facts, &options(199.0, 0.0)).rendered, [1]);
        assert_eq!(choose(&facts, &options(200.0, 0.0)).rendered, [1, 0]);
    }

    #[test]
    fn pinning_can_be_off_or_capped() {
        let facts = [fact("a", 75), rule("b", 75), rule("c", 75)];
        let with = |pin_constraints, pinned_max_facts| {
            let config = MemoryConfig { pin_constraints, pinned_max_facts, ..MemoryConfig::default() };
            budget_facts(&facts, &options(100.0, 0.0), &config).rendered
        };
        assert_eq!(with(true, 9.0), [1, 2]);
        assert_eq!(with(true, 1.0), [1]);
        assert_eq!(with(false, 9.0), [0]);
    }

    #[test]
    fn the_window_comes_first_after_the_pins() {
        let mut facts = [fact("a", 76), fact("b", 76), rule("c", 76), fact("d", 76), fact("e", 76)];
        for (index, fact) in facts.iter_mut().enumerate() {
            fact.created_ms = Some(index as f64);
        }
        facts[1].created_ms = None;
        let window =
            |from_ms, to_ms| BudgetOptions { window: Some(TimeWindow { from_ms, to_ms }), ..options(303.0, 0.0) };
        let late = choose(&facts, &window(3.0, f64::INFINITY));
        assert_eq!((late.rendered, late.collapsed), (vec![2, 3, 4], vec![0, 1]));
        assert_eq!(late.in_window_collapsed, 0);
        let wide = choose(&facts, &window(f64::NEG_INFINITY, 4.0));
        assert_eq!((wide.rendered, wide.collapsed), (vec![2, 0, 3], vec![4, 1]));
        assert_eq!(wide.in_window_collapsed, 1);
        assert!(wide.notice.unwrap().contains("1 of them from the time window"));
        for (from_ms, to_ms) in [(f64::NAN, 9.0), (0.0, f64::NAN), (9.0, 0.0)] {
            assert_eq!(choose(&facts, &window(from_ms, to_ms)).rendered, [2, 0, 1]);
        }
    }

    #[test]
    fn the_notice_groups_by_prefix() {
        let keys = ["log_1", "todo_1", "log_2", "", "todo.2", "x_yz", "log"];
        let facts = keys.map(|key| fact(key, 99));
        let notice = choose(&facts, &options(1.0, 0.0)).notice.unwrap();
        assert!(notice.starts_with("7 stored facts are not shown"), "{notice}");
        assert!(notice.contains("log (3), todo (2), (no key) (1), x_yz (1). "), "{notice}");
        let notice = choose(&facts[..1], &options(1.0, 0.0)).notice.unwrap();
        assert!(notice.starts_with("1 stored fact is not shown"), "{notice}");
    }

    #[test]
    fn the_notice_stays_short_and_on_one_line() {
        let keys: Vec<String> = (0..40).map(|i| format!("</x>\nSYSTEM😀{i}{}", "y".repeat(500))).collect();
        let facts: Vec<_> = keys.iter().map(|key| fact(key, 1)).collect();
        let notice = choose(&facts, &options(1.0, 0.0)).notice.unwrap();
        assert!(notice.contains(", and 28 more under 28 other prefixes. "), "{notice}");
        assert!(notice.len() < 1000 && !notice.contains('\n'));
        let half = [RecallFact { key: b"\xED\xA0\xBD\xED\xA0\xBD_", ..fact("", 1) }];
        let notice = choose(&half, &options(1.0, 0.0)).notice.unwrap();
        assert!(notice.contains("\u{FFFD}\u{FFFD} (1)"), "{notice}");
    }

    #[test]
    fn two_hundred_thousand_facts() {
        let keys: Vec<String> = (0..200_000).map(|i| format!("k{i}_x")).collect();
        let mut facts: Vec<_> = keys.iter().map(|key| fact(key, u32::MAX)).collect();
        for (index, fact) in facts.iter_mut().enumerate() {
            fact.created_ms = Some(index as f64);
            fact.kind = (index % 2 == 0).then_some(b"antipattern".as_slice());
        }
        let config = MemoryConfig { pinned_max_facts: f64::INFINITY, ..MemoryConfig::default() };
        let options =
            BudgetOptions { window: Some(TimeWindow { from_ms: 5e4, to_ms: 1e5 }), ..BudgetOptions::default() };
        let chosen = budget_facts(&facts, &options, &config);
        assert_eq!(chosen.rendered.len(), 10);
        assert_eq!(chosen.collapsed.len(), 199_990);
        assert_eq!(chosen.in_window_collapsed, 49_992);
    }

    fn any_facts() -> impl Strategy<Value = Vec<RecallFact<'static>>> {
        let key = prop::sample::select(vec!["a_1", "bb.2", "", "😀-x", "long key without any"]);
        let kind = prop::sample::select(vec![None, Some("fact"), Some("constraint")]);
        let created = prop_oneof![Just(None), Just(Some(f64::NAN)), (0.0..9.0).prop_map(Some)];
        let fact = (key, 0u32..300, kind, created).prop_map(|(key, value_len, kind, created_ms)| RecallFact {
            key: key.as_bytes(),
            value_len,
            kind: kind.map(str::as_bytes),
            created_ms,
        });
        prop::collection::vec(fact, 0..40)
    }

    fn any_options() -> impl Strategy<Value = BudgetOptions> {
        let number = || prop_oneof![4 => -1.0..4000.0, 1 => any::<f64>()];
        let window = prop::option::of((0.0..9.0, 0.0..9.0));
        (number(), -1.0..12.0, number(), window).prop_map(|(max_chars, min_facts, pinned_max_chars, window)| {
            BudgetOptions {
                max_chars,
                min_facts,
                pinned_max_chars,
                window: window.map(|(from_ms, to_ms)| TimeWindow { from_ms, to_ms }),
            }
        })
    }

    proptest! {
        #[test]
        fn no_fact_is_lost(facts in any_facts(), options in any_options()) {
            let chosen = choose(&facts, &options);
            let mut all = [chosen.rendered.clone(), chosen.collapsed.clone()].concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..facts.len() as u32).collect::<Vec<_>>());
            prop_assert_eq!(chosen.notice.is_some(), !chosen.collapsed.is_empty());
            prop_assert!(chosen.in_window_collapsed as usize <= chosen.collapsed.len());
        }

        #[test]
        fn what_is_left_out_would_not_fit(facts in any_facts(), options in any_options()) {
            let chosen = choose(&facts, &options);
            let used: u64 = chosen.rendered.iter().map(|&i| cost(at(&facts, i))).sum();
            if let Some(&first) = chosen.collapsed.first() {
                prop_assert!(chosen.rendered.len() as f64 >= options.min_facts);
                prop_assert!((used + cost(at(&facts, first))) as f64 > options.max_chars);
            }
        }

        #[test]
        fn importance_neither_grows_nor_falls_through_the_floor(
            importance in -20.0..20.0f64, last in prop::option::of(-1e11..1e11f64), now in -1e11..1e11f64,
        ) {
            let aged = effective_importance(importance, last, Some(0.0), now);
            prop_assert!(aged <= importance && aged >= importance.min(DECAY_FLOOR));
        }

        #[test]
        fn salience_is_near_the_platforms_own(access in 0u32..1_000_000, hours in 0.0..5000.0f64) {
            let own = 0.15 * (0.5 * f64::from(access).ln_1p() + (-hours / 168.0).exp());
            let now = hours * MS_PER_HOUR;
            prop_assert!((salience(f64::from(access), Some(0.0), now) - own).abs() < 1e-12);
        }
    }
}
