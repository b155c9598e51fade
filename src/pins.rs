//! Pins: which facts are standing rules that must not be truncated away.
//!
//! Belongs here: the kinds that pin, the settings of pinning, and the split of a list of facts into pinned
//! and others. What is rendered within a budget is decided in `recall`.

use crate::text::{js_lowercase_eq_ascii, js_trim};

/// The kinds that pin a fact, in lower case.
///
/// ```
/// assert_eq!(plica::pins::PINNED_KINDS, ["constraint", "antipattern"]);
/// ```
pub const PINNED_KINDS: [&str; 2] = ["constraint", "antipattern"];

/// How many facts are pinned at most unless the caller says otherwise (the drop-in value): enough for a
/// project's standing rules, few enough that a runaway writer cannot pin everything.
pub const DEFAULT_PINNED_MAX_FACTS: f64 = 12.0;

/// The share of facts with importance 5 or more, in percent, above which importance counts as inflated,
/// unless the caller says otherwise (the drop-in value).
pub const DEFAULT_IMP5_SOFT_CAP: f64 = 25.0;

/// The settings that memory functions share. Always an argument, never read from the environment.
///
/// ```
/// use plica::pins::MemoryConfig;
/// let config = MemoryConfig { pinned_max_facts: 3.0, ..MemoryConfig::default() };
/// assert!(config.pin_constraints);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryConfig {
    /// Whether facts of a pinned kind are pinned at all. Default: true.
    pub pin_constraints: bool,
    /// At most so many facts are pinned; any JavaScript number. A fraction is rounded down, Infinity is no
    /// cap, and negative numbers and NaN pin nothing (as max(0, …) demands). No fact is lost either way.
    /// Default: [`DEFAULT_PINNED_MAX_FACTS`].
    pub pinned_max_facts: f64,
    /// Percent of facts with importance 5 or more above which (strictly) memory health warns; any JavaScript
    /// number, NaN never warns. Default: [`DEFAULT_IMP5_SOFT_CAP`].
    pub imp5_soft_cap: f64,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self { pin_constraints: true, pinned_max_facts: DEFAULT_PINNED_MAX_FACTS, imp5_soft_cap: DEFAULT_IMP5_SOFT_CAP }
    }
}

/// A list of facts split in two. All numbers are indices into the list that was given, ascending.
///
/// `pinned` and `rest` together hold every index exactly once.
///
/// ```
/// use plica::pins::Partition;
/// let Partition { pinned, rest, overflow } = Partition::default();
/// assert_eq!(pinned.len() + rest.len() + overflow.len(), 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partition {
    /// The pinned facts.
    pub pinned: Vec<u32>,
    /// All other facts, those that would be pinned but for the cap in their places.
    pub rest: Vec<u32>,
    /// The part of `rest` that is there only because of the cap: rules that are not protected now.
    pub overflow: Vec<u32>,
}

/// Whether a fact's kind is one of [`PINNED_KINDS`], after JavaScript's `trim()` and `toLowerCase()`,
/// whatever the settings say. `kind` is WTF-8; `None` stands for null and undefined.
///
/// ```
/// use plica::pins::has_pinned_kind;
/// assert!(has_pinned_kind(Some(b" Constraint ")));
/// assert!(!has_pinned_kind(Some(b"constraints")));
/// assert!(!has_pinned_kind(None));
/// ```
pub fn has_pinned_kind(kind: Option<&[u8]>) -> bool {
    let Some(kind) = kind else {
        return false;
    };
    let kind = js_trim(kind);
    PINNED_KINDS.iter().any(|pinned| js_lowercase_eq_ascii(kind, pinned))
}

/// Whether a fact of this kind is to be pinned: [`has_pinned_kind`], and false when pinning is off.
///
/// ```
/// use plica::pins::{is_pinned_kind, MemoryConfig};
/// let off = MemoryConfig { pin_constraints: false, ..MemoryConfig::default() };
/// assert!(is_pinned_kind(Some(b"ANTIPATTERN"), &MemoryConfig::default()));
/// assert!(!is_pinned_kind(Some(b"ANTIPATTERN"), &off));
/// ```
pub fn is_pinned_kind(kind: Option<&[u8]>, config: &MemoryConfig) -> bool {
    config.pin_constraints && has_pinned_kind(kind)
}

/// Splits facts, given by their kinds (WTF-8), into pinned ones and the rest.
///
/// The first facts of a pinned kind are pinned, up to the cap; relative order is kept in both parts. With
/// pinning off everything is in `rest`. At most 2^32 − 1 facts.
///
/// ```
/// use plica::pins::{partition_pinned, MemoryConfig};
/// let kinds: [Option<&[u8]>; 4] = [None, Some(b"constraint"), Some(b"fact"), Some(b"antipattern")];
/// let config = MemoryConfig { pinned_max_facts: 1.0, ..MemoryConfig::default() };
/// let split = partition_pinned(&kinds, &config);
/// assert_eq!(split.pinned, [1]);
/// assert_eq!(split.rest, [0, 2, 3]);
/// assert_eq!(split.overflow, [3]);
/// ```
pub fn partition_pinned(kinds: &[Option<&[u8]>], config: &MemoryConfig) -> Partition {
    split_by_kind(kinds.iter().copied(), config)
}

/// [`partition_pinned`] for facts that hold their kind among other things.
pub(crate) fn split_by_kind<'a>(kinds: impl Iterator<Item = Option<&'a [u8]>>, config: &MemoryConfig) -> Partition {
    let cap = cap_of(config.pinned_max_facts);
    let mut split = Partition::default();
    for (index, kind) in (0u32..).zip(kinds) {
        if !is_pinned_kind(kind, config) {
            split.rest.push(index);
            continue;
        }
        if split.pinned.len() < cap {
            split.pinned.push(index);
            continue;
        }
        split.rest.push(index);
        split.overflow.push(index);
    }
    split
}

/// A cap from any JavaScript number. Rust's `as` rounds towards zero, saturates, and makes NaN zero.
fn cap_of(number: f64) -> usize {
    number as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn capped(cap: f64) -> MemoryConfig {
        MemoryConfig { pinned_max_facts: cap, ..MemoryConfig::default() }
    }

    #[test]
    fn kinds_as_javascript_reads_them() {
        let yes = ["constraint", "\u{FEFF}AntiPattern\u{2029}", "\u{3000}CONSTRAINT\r\n"];
        let no =
            ["", " ", "\u{85}constraint", "\u{200B}constraint", "constra\u{131}nt", "ant\u{130}pattern", "con straint"];
        for kind in yes {
            assert!(has_pinned_kind(Some(kind.as_bytes())), "{kind:?}");
        }
        for kind in no {
            assert!(!has_pinned_kind(Some(kind.as_bytes())), "{kind:?}");
        }
        assert!(!has_pinned_kind(Some(b"constraint\xED\xA0\xBD")));
    }

    #[test]
    fn caps_of_every_sort() {
        let rule: Option<&[u8]> = Some(b"constraint");
        let kinds = [rule; 5];
        let expected = [
            (f64::NAN, 0),
            (f64::NEG_INFINITY, 0),
            (-1.0, 0),
            (-0.0, 0),
            (0.9, 0),
            (2.9, 2),
            (5.0, 5),
            (1e300, 5),
            (f64::INFINITY, 5),
        ];
        for (cap, pinned) in expected {
            let split = partition_pinned(&kinds, &capped(cap));
            assert_eq!(split.pinned.len(), pinned, "cap {cap}");
            assert_eq!(split.rest.len(), 5 - pinned, "cap {cap}");
            assert_eq!(split.overflow, split.rest, "cap {cap}");
        }
    }

    #[test]
    fn off_pins_nothing_and_overflows_nothing() {
        let off = MemoryConfig { pin_constraints: false, ..MemoryConfig::default() };
        let split = partition_pinned(&[Some(b"constraint".as_slice()), None], &off);
        assert_eq!((split.pinned.len(), split.overflow.len()), (0, 0));
        assert_eq!(split.rest, [0, 1]);
    }

    #[test]
    fn two_hundred_thousand_facts() {
        let kinds: Vec<Option<&[u8]>> =
            (0..200_000).map(|i| (i % 3 == 0).then_some(b" constraint ".as_slice())).collect();
        let split = partition_pinned(&kinds, &capped(f64::INFINITY));
        assert_eq!(split.pinned.len(), 66_667);
    }

    fn kinds() -> impl Strategy<Value = Vec<Option<&'static [u8]>>> {
        let kind = prop_oneof![
            Just(None),
            Just(Some(b"fact".as_slice())),
            Just(Some(b" Constraint".as_slice())),
            Just(Some(b"antipattern".as_slice())),
        ];
        prop::collection::vec(kind, 0..40)
    }

    proptest! {
        #[test]
        fn a_permutation_in_order_under_the_cap(
            kinds in kinds(),
            cap in prop_oneof![any::<f64>(), -2.0..20.0],
        ) {
            let split = partition_pinned(&kinds, &capped(cap));
            let mut all = [split.pinned.clone(), split.rest.clone()].concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..kinds.len() as u32).collect::<Vec<_>>());
            prop_assert!(split.pinned.is_sorted() && split.rest.is_sorted() && split.overflow.is_sorted());
            prop_assert!(split.pinned.is_empty() || split.pinned.len() as f64 <= cap);
            let pinned_kinds = kinds.iter().filter(|kind| has_pinned_kind(**kind)).count();
            prop_assert_eq!(split.pinned.len() + split.overflow.len(), pinned_kinds);
            prop_assert!(split.overflow.iter().all(|i| split.rest.contains(i)));
        }
    }
}
