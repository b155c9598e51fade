//! Admission: which of many that want to be pinned are pinned, when there is room for few.
//!
//! The room is a number of pins and a number of tokens. Agents pin by themselves, so nobody may be able to crowd out others by
//! pinning much. The rule, in full:
//!
//! 1. **What is no rule of its own steps back.** Blank pins, and those longer than all room. Of one key and one agent all but the newest (`superseded`). Of one key
//!    all whose issuer ranks below another issuer of that key: what the operator named, no agent renames (`superseded` where the
//!    operator's is the newer one, `outranked` where it is the older one). Agents of the same rank each keep their own.
//! 2. **By issuer.** All of a lower rank number come before all of a higher one.
//! 3. **By share.** Of one rank, each of the k agents has a k-th of the pins and a k-th of the tokens that are left to that rank,
//!    whatever the others want. What agents leave unused goes to those who want more, one pin at a time: to who has the fewest
//!    pins, then the fewest tokens, then the oldest pin waiting.
//! 4. **By age.** Of one agent the oldest comes first. What has no time stands behind what has, in the order given.
//!
//! A pin that says what an admitted one says is merged into it (`duplicate`, `near-duplicate`): into an admitted one, so that
//! nobody's pin is lost to a copy that was not admitted itself. What was not admitted is named with its reason, and none is lost.

use crate::defuse;
use crate::order::sort_by;
use crate::pinned::by_age;
use crate::text::{js_trim, to_well_formed};
use serde::Serialize;
use std::cmp::{Ordering, Reverse};
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, VecDeque};

/// Tokens that all pins together take at most unless the caller says otherwise: one per cent of a window of 200,000, and with
/// [`crate::pins::DEFAULT_PINNED_MAX_FACTS`] pins more than 160 tokens for each, which is a paragraph.
pub const DEFAULT_MAX_TOKENS: f64 = 2000.0;

/// Who ranks in front of everybody else unless the caller says otherwise, by the name of the agent: the operator, then the user.
pub const ISSUERS: [(&str, u32); 2] = [("operator", 0), ("user", 1)];

/// One that wants to be pinned. Texts are WTF-8.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Candidate<'a> {
    /// Its name; a newer one of the same name takes its place. Blank: none.
    pub key: &'a [u8],
    /// What it says.
    pub text: &'a [u8],
    /// Who issued it.
    pub agent: &'a [u8],
    /// The rank of who issued it: the lower, the earlier.
    pub rank: u32,
    /// When, in milliseconds; `None` or NaN where unknown.
    pub created_ms: Option<f64>,
    /// What it costs.
    pub tokens: u64,
}

/// Why one was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum RefusedPin {
    /// It says nothing.
    Blank,
    /// A newer one of the same key took its place.
    Superseded,
    /// Its key is that of one whose issuer ranks above its own.
    Outranked,
    /// An admitted one says the same, to the letter.
    Duplicate,
    /// An admitted one says the same but for case, punctuation, white space, articles and politeness.
    NearDuplicate,
    /// By itself it takes more tokens than all pins together may.
    TooLong,
    /// As many as may be are pinned.
    OverCount,
    /// What is left of the tokens does not hold it.
    OverTokens,
}

/// One that was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct RefusedEntry {
    /// Its index.
    pub index: u32,
    /// Why.
    pub reason: RefusedPin,
    /// Index of the one that stands for it or in front of it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub by: Option<u32>,
}

/// What was admitted and what was not: together every index once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct AdmittedPins {
    /// Indices of the admitted ones, ascending.
    pub pinned: Vec<u32>,
    /// All others, by index.
    pub refused: Vec<RefusedEntry>,
    /// What the admitted ones cost.
    #[cfg_attr(test, ts(type = "number"))]
    pub tokens: u64,
}

/// Admits at most `max_pins` candidates of at most `max_tokens` together; any JavaScript numbers, NaN is 0.
///
/// ```
/// use plica::admission::{admit, Candidate};
/// let flood = (0..100).map(|_| Candidate { agent: b"a", text: b"x", ..Default::default() });
/// let texts: Vec<String> = (0..100).map(|i| format!("rule {i}")).collect();
/// let mut all: Vec<Candidate> = flood.zip(&texts).map(|(c, t)| Candidate { text: t.as_bytes(), tokens: 3, ..c }).collect();
/// all.push(Candidate { agent: b"b", text: b"mine", tokens: 2, ..Default::default() });
/// let admitted = admit(&all, 4.0, 100.0);
/// assert_eq!(admitted.pinned, [0, 1, 2, 100]);
/// ```
pub fn admit(candidates: &[Candidate<'_>], max_pins: f64, max_tokens: f64) -> AdmittedPins {
    let mut desk = Desk {
        candidates,
        // `as` rounds towards zero, saturates, and makes NaN zero.
        pins_left: max_pins as u64,
        tokens_left: max_tokens as u64,
        whole: max_tokens as u64,
        verdicts: vec![None; candidates.len()],
        exact: HashMap::new(),
        near: HashMap::new(),
    };
    desk.step_back();
    for agents in desk.queues() {
        desk.serve(agents);
    }
    desk.answer()
}

#[derive(Clone, Copy)]
enum Verdict {
    Pinned,
    Refused(RefusedPin, Option<u32>),
}

/// The candidates of one agent that wait, the oldest first.
struct Queue {
    waiting: VecDeque<u32>,
    pins: u64,
    tokens: u64,
}

struct Desk<'c, 'a> {
    candidates: &'c [Candidate<'a>],
    pins_left: u64,
    tokens_left: u64,
    whole: u64,
    verdicts: Vec<Option<Verdict>>,
    exact: HashMap<&'a [u8], u32>,
    near: HashMap<String, u32>,
}

impl<'a> Desk<'_, 'a> {
    fn of(&self, index: u32) -> &Candidate<'a> {
        &self.candidates[index as usize]
    }

    fn refuse(&mut self, index: u32, reason: RefusedPin, by: Option<u32>) {
        self.verdicts[index as usize] = Some(Verdict::Refused(reason, by));
    }

    /// Step 1: blank ones, and those whose key is another's.
    fn step_back(&mut self) {
        // Of each key the one that stands for it: the best rank, then the newest.
        let keys: Vec<String> = self.candidates.iter().map(|candidate| defuse::seen(candidate.key)).collect();
        let mut heads: HashMap<&str, u32> = HashMap::new();
        let mut newest: HashMap<(&'a [u8], &str), u32> = HashMap::new();
        for index in 0..self.candidates.len() as u32 {
            let candidate = *self.of(index);
            let key = keys[index as usize].as_str();
            if defuse::is_blank(candidate.text) {
                self.refuse(index, RefusedPin::Blank, None);
                continue;
            }
            // What can never be pinned takes no other one's place: the older rule of its key goes on standing.
            if candidate.tokens > self.whole {
                self.refuse(index, RefusedPin::TooLong, None);
                continue;
            }
            if key.is_empty() {
                continue;
            }
            self.lead(heads.entry(key), index, true);
            self.lead(newest.entry((js_trim(candidate.agent), key)), index, false);
        }
        for index in 0..self.candidates.len() as u32 {
            let candidate = *self.of(index);
            let key = keys[index as usize].as_str();
            if key.is_empty() || self.verdicts[index as usize].is_some() {
                continue;
            }
            let own = newest[&(js_trim(candidate.agent), key)];
            let head = heads[key];
            if own != index {
                self.refuse(index, RefusedPin::Superseded, Some(own));
            } else if self.of(head).rank < candidate.rank {
                let reason = if self.is_newer(head, index) { RefusedPin::Superseded } else { RefusedPin::Outranked };
                self.refuse(index, reason, Some(head));
            }
        }
    }

    fn lead<K>(&self, entry: Entry<'_, K, u32>, index: u32, by_rank: bool) {
        match entry {
            Entry::Vacant(free) => {
                free.insert(index);
            }
            Entry::Occupied(mut taken) => {
                let ranks = |index: u32| if by_rank { self.of(index).rank } else { 0 };
                let (old, new) = (ranks(*taken.get()), ranks(index));
                if new < old || (new == old && self.is_newer(index, *taken.get())) {
                    taken.insert(index);
                }
            }
        }
    }

    /// By time, then by place. What has no time is older than what has: an order that is whole, whatever is mixed.
    fn is_newer(&self, a: u32, b: u32) -> bool {
        let time = |index: u32| self.of(index).created_ms.filter(|time| !time.is_nan()).unwrap_or(f64::NEG_INFINITY);
        (time(a), a) > (time(b), b)
    }

    /// Steps 2 and 4: for each rank, the lowest first, the queues of its agents.
    fn queues(&self) -> Vec<Vec<Queue>> {
        let mut order: Vec<u32> =
            (0..self.candidates.len() as u32).filter(|&i| self.verdicts[i as usize].is_none()).collect();
        sort_by(&mut order, |&a, &b| self.of(a).rank.cmp(&self.of(b).rank).then_with(|| self.older(a, b)));
        let mut ranks: Vec<Vec<Queue>> = Vec::new();
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut rank = None;
        for index in order {
            let candidate = self.of(index);
            if rank != Some(candidate.rank) {
                rank = Some(candidate.rank);
                ranks.push(Vec::new());
                places.clear();
            }
            let Some(queues) = ranks.last_mut() else { continue };
            let place = *places.entry(js_trim(candidate.agent)).or_insert(queues.len());
            if place == queues.len() {
                queues.push(Queue { waiting: VecDeque::new(), pins: 0, tokens: 0 });
            }
            queues[place].waiting.push_back(index);
        }
        ranks
    }

    /// By age; where that says nothing, by what they say, so that the order of the list is of no matter.
    fn older(&self, a: u32, b: u32) -> Ordering {
        let (one, other) = (self.of(a), self.of(b));
        let timed = |c: &Candidate<'_>| c.created_ms.is_some_and(|time| !time.is_nan());
        let by_text = || (one.agent, one.key, one.text).cmp(&(other.agent, other.key, other.text));
        let by_place = if timed(one) && timed(other) { by_text() } else { Ordering::Equal };
        by_age(one.created_ms, other.created_ms).then(by_place).then(a.cmp(&b))
    }

    /// Step 3: the agents of one rank, first each within its share, then whoever has least.
    fn serve(&mut self, mut agents: Vec<Queue>) {
        let k = agents.len() as u64;
        let (pins, tokens) = (self.pins_left / k, self.tokens_left / k);
        for agent in &mut agents {
            let mut late = VecDeque::new();
            while let Some(index) = agent.waiting.pop_front() {
                let cost = self.of(index).tokens;
                let fits = agent.pins < pins && agent.tokens.saturating_add(cost) <= tokens;
                // A duplicate needs no share.
                if self.merge(index) {
                    continue;
                }
                if !fits {
                    late.push_back(index);
                    // Once all pins of the share are taken, the rest waits as it is.
                    if agent.pins >= pins {
                        late.append(&mut agent.waiting);
                    }
                    continue;
                }
                self.pin(index, agent);
            }
            agent.waiting = late;
        }
        let places = self.age_places(&agents);
        let mut heap = BinaryHeap::new();
        let entry = |place: usize, agent: &Queue| {
            let first = *agent.waiting.front()?;
            Some(Reverse((agent.pins, agent.tokens, places.get(&first).copied(), place)))
        };
        heap.extend(agents.iter().enumerate().filter_map(|(place, agent)| entry(place, agent)));
        while let Some(Reverse((_, _, _, place))) = heap.pop() {
            let agent = &mut agents[place];
            let Some(index) = agent.waiting.pop_front() else { continue };
            if !self.merge(index) {
                if self.pins_left == 0 {
                    self.refuse(index, RefusedPin::OverCount, None);
                } else if self.of(index).tokens > self.tokens_left {
                    self.refuse(index, RefusedPin::OverTokens, None);
                } else {
                    self.pin(index, agent);
                }
            }
            heap.extend(entry(place, &agents[place]));
        }
    }

    /// For each that waits its place among them by age.
    fn age_places(&self, agents: &[Queue]) -> HashMap<u32, u32> {
        let mut waiting: Vec<u32> = agents.iter().flat_map(|agent| agent.waiting.iter().copied()).collect();
        sort_by(&mut waiting, |&a, &b| self.older(a, b));
        waiting.into_iter().zip(0..).collect()
    }

    /// Merges a candidate into an admitted one that says the same.
    fn merge(&mut self, index: u32) -> bool {
        if self.near.is_empty() {
            return false;
        }
        let text = js_trim(self.of(index).text);
        if let Some(&by) = self.exact.get(text) {
            self.refuse(index, RefusedPin::Duplicate, Some(by));
            return true;
        }
        if let Some(&by) = self.near.get(&gist(text)) {
            self.refuse(index, RefusedPin::NearDuplicate, Some(by));
            return true;
        }
        false
    }

    fn pin(&mut self, index: u32, agent: &mut Queue) {
        let Candidate { text, tokens, .. } = *self.of(index);
        self.verdicts[index as usize] = Some(Verdict::Pinned);
        self.exact.insert(js_trim(text), index);
        self.near.insert(gist(js_trim(text)), index);
        self.pins_left -= 1;
        self.tokens_left -= tokens;
        agent.pins += 1;
        agent.tokens += tokens;
    }

    fn answer(self) -> AdmittedPins {
        let mut answer = AdmittedPins::default();
        for (index, verdict) in (0..).zip(&self.verdicts) {
            match verdict {
                Some(Verdict::Pinned) => {
                    answer.pinned.push(index);
                    answer.tokens += self.candidates[index as usize].tokens;
                }
                Some(Verdict::Refused(reason, by)) => {
                    answer.refused.push(RefusedEntry { index, reason: *reason, by: *by });
                }
                None => answer.refused.push(RefusedEntry { index, reason: RefusedPin::OverCount, by: None }),
            }
        }
        answer
    }
}

/// Words that a rule may have or lack and be the same rule: articles and politeness, of the languages where they are words of
/// their own and nothing else.
const EMPTY_WORDS: [&str; 24] = [
    "the",
    "a",
    "an",
    "please",
    "pls",
    "kindly",
    "der",
    "das",
    "den",
    "dem",
    "bitte",
    "le",
    "la",
    "les",
    "el",
    "los",
    "las",
    "il",
    "gli",
    "het",
    "пожалуйста",
    "proszę",
    "lütfen",
    "gentilmente",
];

/// What a text says, for telling that two say the same: its words in their order, lower-case, without what shows as nothing,
/// without quotes, brackets and stops at the ends of words, without [`EMPTY_WORDS`]. Signs inside words and before them stay: `-1`
/// is not `1`, and `!x` not `x`. No two texts that differ in a word are one: a rule that is lost weighs more than one that stands
/// twice.
pub fn gist(text: &[u8]) -> String {
    let shows = |c: &char| !defuse::is_unseen(*c);
    let half = |c: char| match u32::from(c) {
        point @ 0xFF01..=0xFF5E => char::from_u32(point - 0xFEE0).unwrap_or(c),
        _ => c,
    };
    let text: String = to_well_formed(text).chars().filter(shows).map(half).flat_map(char::to_lowercase).collect();
    let opens = ['"', '\'', '`', '(', '[', '{', '“', '”', '„', '‘', '’', '«', '»', '「', '『', '¡'];
    let closes = [
        '"', '\'', '`', ')', ']', '}', '“', '”', '‘', '’', '«', '»', '」', '』', '.', ',', ';', ':', '!', '…', '。',
        '、', '，', '।',
    ];
    let mut words = String::with_capacity(text.len());
    let mut rest = text.split_whitespace().peekable();
    while let Some(word) = rest.next() {
        let bare = word.trim_start_matches(opens).trim_end_matches(closes);
        let word = if bare.is_empty() { word } else { bare };
        // The last word is no article: it may be option A.
        if rest.peek().is_some() && EMPTY_WORDS.contains(&word) {
            continue;
        }
        words.push_str(word);
        words.push(' ');
    }
    if words.is_empty() {
        return text;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn rule<'a>(agent: &'a str, text: &'a str) -> Candidate<'a> {
        Candidate { agent: agent.as_bytes(), text: text.as_bytes(), tokens: 1, rank: 1, ..Default::default() }
    }

    fn reasons(admitted: &AdmittedPins) -> Vec<(u32, RefusedPin, Option<u32>)> {
        admitted.refused.iter().map(|entry| (entry.index, entry.reason, entry.by)).collect()
    }

    #[test]
    fn the_newest_of_a_key_stands_but_no_agent_renames_what_the_operator_named() {
        let keyed = |agent: &'static str, text: &'static str, rank, at: f64| Candidate {
            key: b"deploy",
            rank,
            created_ms: Some(at),
            ..rule(agent, text)
        };
        let all = [
            keyed("operator", "on Mondays", 0, 5.0),
            keyed("a", "never mind the operator", 2, 9.0),
            keyed("a", "whenever", 2, 1.0),
            keyed("operator", "on Tuesdays", 0, 7.0),
            keyed("b", "at night", 2, 6.0),
        ];
        let admitted = admit(&all, 12.0, 100.0);
        assert_eq!(admitted.pinned, [3]);
        use RefusedPin::{Outranked, Superseded};
        let expected =
            [(0, Superseded, Some(3)), (1, Outranked, Some(3)), (2, Superseded, Some(1)), (4, Superseded, Some(3))];
        assert_eq!(reasons(&admitted), expected);
    }

    #[test]
    fn what_shows_as_nothing_makes_no_key_and_no_text() {
        let of = |agent, key: &'static str, text, rank| Candidate { key: key.as_bytes(), rank, ..rule(agent, text) };
        let all = [
            of("operator", "deploy", "on Mondays", 0),
            of("a", "dep\u{34f}loy\u{200b}", "whenever", 2),
            of("a", "x", "\u{3164} ", 2),
        ];
        let admitted = admit(&all, 12.0, 100.0);
        assert_eq!((admitted.pinned.as_slice(), admitted.refused[1].reason), ([0].as_slice(), RefusedPin::Blank));
        assert_eq!(gist("p\u{115f}ush".as_bytes()), gist(b"push"));
    }

    #[test]
    fn two_agents_of_one_rank_keep_a_key_each() {
        let key = |c: Candidate<'static>| Candidate { key: b"k", ..c };
        assert_eq!(admit(&[key(rule("a", "x")), key(rule("b", "y"))], 9.0, 9.0).pinned, [0, 1]);
    }

    #[test]
    fn a_copy_that_is_not_admitted_takes_nobody_with_it() {
        // "a" copies b's rule with an older date, behind its own flood.
        let mut all: Vec<Candidate<'_>> = vec![];
        let texts: Vec<String> = (0..50).map(|i| format!("flood {i}")).collect();
        all.extend(texts.iter().map(|text| Candidate { created_ms: Some(0.0), ..rule("a", text) }));
        all.push(Candidate { created_ms: Some(1.0), ..rule("a", "Never drop the table.") });
        all.push(Candidate { created_ms: Some(2.0), ..rule("b", "never drop the table") });
        let admitted = admit(&all, 4.0, 100.0);
        assert!(admitted.pinned.contains(&51), "{:?}", admitted.pinned);
    }

    #[test]
    fn near_duplicates_are_few_and_different_rules_stay_two() {
        let same = [
            ("Never push to main.", "never push to  the MAIN!"),
            ("Bitte nie pushen", "nie pushen."),
            ("Use `uv`", "use “uv”"),
        ];
        for (a, b) in same {
            assert_eq!(gist(a.as_bytes()), gist(b.as_bytes()), "{a} {b}");
        }
        let other = [
            ("use C", "use C++"),
            ("rm -rf", "rm rf"),
            ("x = 1", "x = -1"),
            ("Never push", "Always push"),
            ("plan A", "plan"),
        ];
        for (a, b) in other {
            assert_ne!(gist(a.as_bytes()), gist(b.as_bytes()), "{a} {b}");
        }
    }

    #[test]
    fn one_large_pin_leaves_the_others_their_share() {
        let large = Candidate { tokens: 99, created_ms: Some(0.0), ..rule("a", "large") };
        let small = Candidate { tokens: 50, created_ms: Some(9.0), ..rule("b", "small") };
        let admitted = admit(&[large, small], 9.0, 100.0);
        assert_eq!((admitted.pinned.as_slice(), admitted.tokens), ([1].as_slice(), 50));
        assert_eq!(reasons(&admitted), [(0, RefusedPin::OverTokens, None)]);
    }

    #[test]
    fn a_hundred_thousand_of_one_agent_and_of_as_many() {
        let texts: Vec<String> = (0..100_000).map(|i| format!("rule number {i}")).collect();
        let one: Vec<Candidate<'_>> = texts.iter().map(|text| rule("a", text)).collect();
        assert_eq!(admit(&one, 12.0, 2000.0).pinned, (0..12).collect::<Vec<u32>>());
        let many: Vec<Candidate<'_>> = texts.iter().map(|text| rule(text, text)).collect();
        let admitted = admit(&many, f64::INFINITY, f64::INFINITY);
        assert_eq!(admitted.pinned.len(), 100_000);
        let twins: Vec<Candidate<'_>> = texts.iter().map(|_| rule("a", "the same")).collect();
        assert_eq!(admit(&twins, 12.0, 2000.0).refused.len(), 99_999);
    }

    #[derive(Debug, Clone)]
    struct Given {
        agent: u8,
        key: u8,
        text: u8,
        tokens: u64,
        time: Option<u8>,
    }

    fn given() -> impl Strategy<Value = Vec<Given>> {
        let one = (0u8..5, 0u8..8, 0u8..30, 0u64..30, prop::option::of(0u8..20));
        prop::collection::vec(
            one.prop_map(|(agent, key, text, tokens, time)| Given { agent, key, text, tokens, time }),
            0..60,
        )
    }

    fn texts_of(given: &[Given]) -> Vec<(String, String, String)> {
        let key = |k: u8| if k > 4 { String::new() } else { format!("key {k}") };
        given.iter().map(|g| (format!("agent {}", g.agent), key(g.key), format!("rule {}", g.text))).collect()
    }

    fn candidates<'a>(given: &[Given], texts: &'a [(String, String, String)]) -> Vec<Candidate<'a>> {
        let one = |(g, (agent, key, text)): (&Given, &'a (String, String, String))| Candidate {
            agent: agent.as_bytes(),
            key: key.as_bytes(),
            text: text.as_bytes(),
            rank: u32::from(g.agent > 0),
            tokens: g.tokens,
            created_ms: g.time.map(f64::from),
        };
        given.iter().zip(texts).map(one).collect()
    }

    proptest! {
        #[test]
        fn bounded_whole_and_named(given in given(), pins in 0f64..14.0, tokens in 0f64..200.0) {
            let texts = texts_of(&given);
            let all = candidates(&given, &texts);
            let admitted = admit(&all, pins, tokens);
            prop_assert!(admitted.pinned.len() as f64 <= pins && admitted.tokens as f64 <= tokens);
            let mut every: Vec<u32> = admitted.pinned.iter().copied().chain(admitted.refused.iter().map(|e| e.index)).collect();
            every.sort_unstable();
            prop_assert_eq!(every, (0..all.len() as u32).collect::<Vec<_>>());
            let said: HashSet<&[u8]> = admitted.pinned.iter().map(|&i| all[i as usize].text).collect();
            prop_assert_eq!(said.len(), admitted.pinned.len());
            for entry in &admitted.refused {
                if matches!(entry.reason, RefusedPin::Duplicate | RefusedPin::NearDuplicate) {
                    prop_assert!(admitted.pinned.contains(&entry.by.unwrap()));
                }
                if entry.reason == RefusedPin::OverCount {
                    prop_assert_eq!(admitted.pinned.len(), pins as usize);
                }
            }
        }

        /// Whatever one agent adds, the others of its rank keep what their share gives them, and those above it keep all.
        #[test]
        fn a_flood_takes_nobodys_share(given in given(), flood in 1usize..80, pins in 0f64..14.0) {
            let texts = texts_of(&given);
            let all = candidates(&given, &texts);
            let floods: Vec<String> = (0..flood).map(|i| format!("flood {i}")).collect();
            let mut more = all.clone();
            more.extend(floods.iter().map(|text| Candidate { tokens: 3, created_ms: Some(-1.0), ..rule("agent 1", text) }));
            let (before, after) = (admit(&all, pins, 300.0), admit(&more, pins, 300.0));
            let of = |admitted: &AdmittedPins, list: &[Candidate<'_>], agent: &str| {
                admitted.pinned.iter().filter(|&&i| list[i as usize].agent == agent.as_bytes()).count()
            };
            prop_assert_eq!(of(&before, &all, "agent 0"), of(&after, &more, "agent 0"));
            let above = of(&after, &more, "agent 0");
            let agents: HashSet<&[u8]> = more.iter().filter(|c| c.rank > 0).map(|c| c.agent).collect();
            let share = (pins as usize - above) / agents.len().max(1);
            for agent in ["agent 2", "agent 3", "agent 4"] {
                let had = of(&before, &all, agent);
                let has = of(&after, &more, agent);
                // Tokens are ample here, so the share of pins is what counts; a merge into another's pin takes none.
                let merged = after.refused.iter().filter(|e| e.by.is_some() && more[e.index as usize].agent == agent.as_bytes()).count();
                let tokens_left = after.tokens < 200;
                prop_assert!(has + merged >= had.min(share) || !tokens_left, "{agent}: {had} {has} share {share}");
            }
        }

        #[test]
        fn the_order_of_the_list_is_of_no_matter_where_all_have_a_time(given in given(), seed in any::<u64>()) {
            let given: Vec<Given> = given.into_iter().enumerate().map(|(i, g)| Given { time: Some(i as u8), ..g }).collect();
            let texts = texts_of(&given);
            let all = candidates(&given, &texts);
            let mut order: Vec<usize> = (0..all.len()).collect();
            let mut state = seed | 1;
            for i in (1..order.len()).rev() {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                order.swap(i, (state >> 33) as usize % (i + 1));
            }
            let shuffled: Vec<Candidate<'_>> = order.iter().map(|&i| all[i]).collect();
            let mut there: Vec<u32> = admit(&shuffled, 6.0, 90.0).pinned.iter().map(|&i| order[i as usize] as u32).collect();
            there.sort_unstable();
            prop_assert_eq!(there, admit(&all, 6.0, 90.0).pinned);
        }
    }
}
