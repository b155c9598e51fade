//! Memory health: does a store of facts still rank, does every agent record, are there standing rules.
//!
//! Belongs here: the counts over all facts and the findings drawn from them, with their sentences.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::order::sort_by_key;
use crate::pins::{has_pinned_kind, MemoryConfig};
use crate::text::{js_to_fixed, js_trim, one_line, to_well_formed};
use serde::Serialize;

/// The agent that facts without an agent belong to. It is nobody's role, so it never under-records.
///
/// ```
/// assert_eq!(plica::health::DEFAULT_AGENT, b"default");
/// ```
pub const DEFAULT_AGENT: &[u8] = b"default";

/// From this importance on a fact counts as one of the most important (the drop-in value: the top of the
/// scale 1–5; higher numbers count too).
pub const TOP_IMPORTANCE: f64 = 5.0;

/// An agent with fewer than one in so many of the busiest agent's facts under-records (the drop-in value).
pub const UNDER_RECORDING_FACTOR: u64 = 10;

/// A store of more facts than this should hold a standing rule (the drop-in value).
pub const RULES_EXPECTED_ABOVE: u32 = 50;

/// At most so many names in one sentence: warnings stay readable however many agents there are.
const NAMES_SHOWN: usize = 12;

/// A name in a sentence is at most so many UTF-16 units long.
const NAME_UNITS: usize = 40;

/// What memory health looks at in a fact. Texts are WTF-8; `None` stands for null and undefined.
///
/// ```
/// let fact = plica::health::HealthFact { importance: 5.0, agent_id: Some(b"qa"), kind: None };
/// assert_eq!(fact.agent_id, Some(b"qa".as_slice()));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HealthFact<'a> {
    /// Any JavaScript number; NaN is below every threshold.
    pub importance: f64,
    /// Who recorded the fact. Trimmed as in JavaScript; blank or absent is [`DEFAULT_AGENT`].
    pub agent_id: Option<&'a [u8]>,
    /// Decides whether the fact is of a pinned kind.
    pub kind: Option<&'a [u8]>,
}

/// How many facts an agent has recorded.
///
/// ```
/// let entry = plica::health::AgentFacts { agent_id: b"qa", facts: 3 };
/// assert_eq!(entry.facts, 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentFacts<'a> {
    /// The trimmed name (WTF-8), a part of the caller's own bytes; case is kept.
    pub agent_id: &'a [u8],
    /// The number of facts.
    pub facts: u32,
}

/// Something that is wrong with a store of facts, with the numbers that show it.
///
/// ```
/// use plica::health::Finding;
/// let finding = Finding::NoPinnedRules { total_facts: 60, message: "…".to_owned() };
/// assert_eq!(finding.code(), "no-pinned-rules");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Finding<'a> {
    /// So many facts have the top importance that importance ranks nothing any more.
    ImportanceInflation {
        /// Facts with importance [`TOP_IMPORTANCE`] or more.
        imp5_count: u32,
        /// All facts.
        total_facts: u32,
        /// Their share in percent, with one decimal.
        imp5_pct: f64,
        /// The share in percent that was exceeded.
        soft_cap: f64,
        /// The sentence for people and models.
        message: String,
    },
    /// Some agents record next to nothing beside the busiest one.
    UnderRecording {
        /// The agents concerned, by count descending.
        agents: Vec<AgentFacts<'a>>,
        /// The one that they were measured against.
        busiest: AgentFacts<'a>,
        /// The sentence for people and models.
        message: String,
    },
    /// Many facts, pinning is on, and no fact is of a pinned kind.
    NoPinnedRules {
        /// All facts.
        total_facts: u32,
        /// The sentence for people and models.
        message: String,
    },
}

impl Finding<'_> {
    /// The stable name of this sort of finding.
    ///
    /// ```
    /// use plica::health::{compute_memory_health, HealthFact};
    /// use plica::pins::MemoryConfig;
    /// let facts = [HealthFact { importance: 5.0, ..HealthFact::default() }];
    /// let health = compute_memory_health(&facts, &MemoryConfig::default());
    /// assert_eq!(health.findings[0].code(), "importance-inflation");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Self::ImportanceInflation { .. } => "importance-inflation",
            Self::UnderRecording { .. } => "under-recording",
            Self::NoPinnedRules { .. } => "no-pinned-rules",
        }
    }

    /// The sentence for people and models; the same that stands in `warnings`.
    ///
    /// ```
    /// use plica::health::Finding;
    /// let finding = Finding::NoPinnedRules { total_facts: 60, message: "why".to_owned() };
    /// assert_eq!(finding.message(), "why");
    /// ```
    pub fn message(&self) -> &str {
        match self {
            Self::ImportanceInflation { message, .. }
            | Self::UnderRecording { message, .. }
            | Self::NoPinnedRules { message, .. } => message,
        }
    }
}

/// What [`compute_memory_health`] finds.
///
/// ```
/// use plica::health::{compute_memory_health, MemoryHealth};
/// use plica::pins::MemoryConfig;
/// let nothing: MemoryHealth = compute_memory_health(&[], &MemoryConfig::default());
/// assert_eq!(nothing.imp5_pct, 0.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHealth<'a> {
    /// All facts.
    pub total_facts: u32,
    /// Facts with importance [`TOP_IMPORTANCE`] or more.
    pub imp5_count: u32,
    /// Their share in percent, with one decimal, rounded as JavaScript's `toFixed(1)`; 0 without facts.
    pub imp5_pct: f64,
    /// Every agent with its number of facts, by number descending, ties in the order first seen.
    pub by_agent: Vec<AgentFacts<'a>>,
    /// Agents with less than a tenth of the busiest one's facts, in the order of `by_agent`.
    /// [`DEFAULT_AGENT`] is neither of the two.
    pub under_recording: Vec<&'a [u8]>,
    /// All facts of a pinned kind, whether pinning is on or off and whatever its cap.
    pub pinned_count: u32,
    /// The sentences of `findings`, in their order.
    pub warnings: Vec<String>,
    /// What is wrong: inflation, then under-recording, then missing rules.
    pub findings: Vec<Finding<'a>>,
}

/// Looks over all facts once and says what is wrong with the store, if anything.
///
/// Warns when more than [`MemoryConfig::imp5_soft_cap`] percent have the top importance, when an agent
/// under-records, and when more than [`RULES_EXPECTED_ABOVE`] facts hold no standing rule although pinning
/// is on. At most 2^32 − 1 facts.
///
/// ```
/// use plica::health::{compute_memory_health, HealthFact};
/// use plica::pins::MemoryConfig;
/// let facts: Vec<HealthFact> = (0..8)
///     .map(|i| HealthFact { importance: if i < 5 { 5.0 } else { 1.0 }, ..HealthFact::default() })
///     .collect();
/// let health = compute_memory_health(&facts, &MemoryConfig::default());
/// assert_eq!(health.imp5_pct, 62.5);
/// assert!(health.warnings[0].contains("5/8 facts (63%)"));
/// ```
pub fn compute_memory_health<'a>(facts: &[HealthFact<'a>], config: &MemoryConfig) -> MemoryHealth<'a> {
    let total_facts = facts.len() as u32;
    let imp5_count = count(facts, |fact| fact.importance >= TOP_IMPORTANCE);
    let pinned_count = count(facts, |fact| has_pinned_kind(fact.kind));
    let by_agent = facts_by_agent(facts);
    let share = percentage(imp5_count, total_facts);
    let findings: Vec<Finding<'a>> = [
        inflation(imp5_count, total_facts, share, config.imp5_soft_cap),
        under_recording(&by_agent),
        no_pinned_rules(total_facts, pinned_count, config.pin_constraints),
    ]
    .into_iter()
    .flatten()
    .collect();
    MemoryHealth {
        total_facts,
        imp5_count,
        imp5_pct: one_decimal(share),
        under_recording: names_of(&findings),
        by_agent,
        pinned_count,
        warnings: findings.iter().map(|f| f.message().to_owned()).collect(),
        findings,
    }
}

fn count(facts: &[HealthFact<'_>], wanted: impl Fn(&HealthFact<'_>) -> bool) -> u32 {
    facts.iter().filter(|fact| wanted(fact)).count() as u32
}

/// The order of the operations is part of the contract: 23 of 40 is 57.49999999999999, which prints as 57.
fn percentage(part: u32, total: u32) -> f64 {
    if total == 0 {
        return 0.0;
    }
    (f64::from(part) / f64::from(total)) * 100.0
}

fn one_decimal(number: f64) -> f64 {
    js_to_fixed(number, 1).parse().unwrap_or(number)
}

pub(crate) fn agent_of<'a>(fact: &HealthFact<'a>) -> &'a [u8] {
    match js_trim(fact.agent_id.unwrap_or_default()) {
        [] => DEFAULT_AGENT,
        name => name,
    }
}

fn facts_by_agent<'a>(facts: &[HealthFact<'a>]) -> Vec<AgentFacts<'a>> {
    let mut places: HashMap<&'a [u8], usize> = HashMap::new();
    let mut by_agent: Vec<AgentFacts<'a>> = Vec::new();
    for agent_id in facts.iter().map(agent_of) {
        let place = *places.entry(agent_id).or_insert(by_agent.len());
        if place == by_agent.len() {
            by_agent.push(AgentFacts { agent_id, facts: 0 });
        }
        by_agent[place].facts += 1;
    }
    // A stable sort, so ties stay in the order first seen.
    sort_by_key(&mut by_agent, |entry| Reverse(entry.facts));
    by_agent
}

fn inflation<'a>(count: u32, total: u32, share: f64, soft_cap: f64) -> Option<Finding<'a>> {
    // The unrounded share decides; a cap of NaN is exceeded by nothing.
    let is_inflated = share > soft_cap;
    if !is_inflated {
        return None;
    }
    let shown = js_to_fixed(share, 0);
    Some(Finding::ImportanceInflation {
        imp5_count: count,
        total_facts: total,
        imp5_pct: one_decimal(share),
        soft_cap,
        message: format!(
            "Importance is inflated: {count}/{total} facts ({shown}%) are rated 5 or higher, and above \
             {soft_cap}% the rating no longer tells what matters most. Keep 5 for facts whose loss would \
             break the work, and rate the others lower."
        ),
    })
}

fn under_recording<'a>(by_agent: &[AgentFacts<'a>]) -> Option<Finding<'a>> {
    let roles = || {
        let named = by_agent.iter().filter(|e| e.agent_id != DEFAULT_AGENT);
        named.copied()
    };
    let busiest = roles().next()?;
    let agents: Vec<AgentFacts<'a>> =
        roles().filter(|e| u64::from(e.facts) * UNDER_RECORDING_FACTOR < u64::from(busiest.facts)).collect();
    if agents.is_empty() {
        return None;
    }
    let message = format!(
        "Some agents record too little: {} – fewer than a tenth of what {} has stored ({}). What they \
         learn is lost when their context is folded; have them write down decisions and results.",
        listed(&agents),
        one_line(busiest.agent_id, NAME_UNITS),
        busiest.facts,
    );
    Some(Finding::UnderRecording { agents, busiest, message })
}

/// "qa (3), docs (1) and 5 more".
fn listed(agents: &[AgentFacts<'_>]) -> String {
    let shown: Vec<String> = agents
        .iter()
        .take(NAMES_SHOWN)
        .map(|e| format!("{} ({})", one_line(e.agent_id, NAME_UNITS), e.facts))
        .collect();
    let hidden = agents.len() - shown.len();
    if hidden == 0 {
        return shown.join(", ");
    }
    format!("{} and {hidden} more", shown.join(", "))
}

fn no_pinned_rules<'a>(total: u32, pinned: u32, pinning: bool) -> Option<Finding<'a>> {
    if !pinning || pinned > 0 || total <= RULES_EXPECTED_ABOVE {
        return None;
    }
    Some(Finding::NoPinnedRules {
        total_facts: total,
        message: format!(
            "None of the {total} facts is a standing rule. Only facts of kind \"constraint\" or \
             \"antipattern\" are kept from being cut when memory runs over its budget; record the rules \
             that must always hold as one of these."
        ),
    })
}

/// The names in the under-recording finding, if there is one.
fn names_of<'a>(findings: &[Finding<'a>]) -> Vec<&'a [u8]> {
    findings
        .iter()
        .flat_map(|finding| match finding {
            Finding::UnderRecording { agents, .. } => agents.as_slice(),
            _ => &[],
        })
        .map(|entry| entry.agent_id)
        .collect()
}

/// An agent and its number of facts, with the name as well-formed text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct AgentCount {
    /// The trimmed name.
    pub agent_id: String,
    /// The number of facts.
    pub facts: u32,
}

impl From<&AgentFacts<'_>> for AgentCount {
    fn from(agent: &AgentFacts<'_>) -> Self {
        AgentCount { agent_id: to_well_formed(agent.agent_id), facts: agent.facts }
    }
}

/// A [`Finding`] that owns its texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum HealthFinding {
    /// Too many facts are of the highest importance for it to rank anything.
    ImportanceInflation {
        /// The sentence of `warnings`.
        message: String,
        /// Facts of importance 5 or more.
        imp5_count: u32,
        /// All facts.
        total_facts: u32,
        /// The share in percent, one decimal.
        imp5_pct: f64,
        /// The share above which this is reported.
        soft_cap: f64,
    },
    /// Some agents record far less than the busiest one.
    UnderRecording {
        /// The sentence of `warnings`.
        message: String,
        /// Who records little.
        agents: Vec<AgentCount>,
        /// Who records most.
        busiest: AgentCount,
    },
    /// A large memory without a single standing rule.
    NoPinnedRules {
        /// The sentence of `warnings`.
        message: String,
        /// All facts.
        total_facts: u32,
    },
}

impl From<&Finding<'_>> for HealthFinding {
    fn from(finding: &Finding<'_>) -> Self {
        let message = finding.message().to_string();
        match finding {
            Finding::ImportanceInflation { imp5_count, total_facts, imp5_pct, soft_cap, .. } => {
                HealthFinding::ImportanceInflation {
                    message,
                    imp5_count: *imp5_count,
                    total_facts: *total_facts,
                    imp5_pct: *imp5_pct,
                    soft_cap: *soft_cap,
                }
            }
            Finding::UnderRecording { agents, busiest, .. } => {
                let agents = agents.iter().map(AgentCount::from).collect();
                HealthFinding::UnderRecording { message, agents, busiest: AgentCount::from(busiest) }
            }
            Finding::NoPinnedRules { total_facts, .. } => {
                HealthFinding::NoPinnedRules { message, total_facts: *total_facts }
            }
        }
    }
}

/// A [`MemoryHealth`] that owns its texts, for hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct HealthReport {
    /// All facts.
    pub total_facts: u32,
    /// Facts of importance 5 or more.
    pub imp5_count: u32,
    /// Their share in percent, one decimal.
    pub imp5_pct: f64,
    /// Facts by agent, most first, ties in first-seen order.
    pub by_agent: Vec<AgentCount>,
    /// Agents that record less than a tenth of the busiest one.
    pub under_recording: Vec<String>,
    /// Facts of a pinned kind.
    pub pinned_count: u32,
    /// What is out of balance, as sentences.
    pub warnings: Vec<String>,
    /// The same with codes and numbers.
    pub findings: Vec<HealthFinding>,
}

impl From<MemoryHealth<'_>> for HealthReport {
    fn from(health: MemoryHealth<'_>) -> Self {
        HealthReport {
            total_facts: health.total_facts,
            imp5_count: health.imp5_count,
            imp5_pct: health.imp5_pct,
            by_agent: health.by_agent.iter().map(AgentCount::from).collect(),
            under_recording: health.under_recording.iter().map(|name| to_well_formed(name)).collect(),
            pinned_count: health.pinned_count,
            findings: health.findings.iter().map(HealthFinding::from).collect(),
            warnings: health.warnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(importance: f64, agent: &str) -> HealthFact<'_> {
        HealthFact { importance, agent_id: Some(agent.as_bytes()), kind: None }
    }

    fn health<'a>(facts: &[HealthFact<'a>]) -> MemoryHealth<'a> {
        compute_memory_health(facts, &MemoryConfig::default())
    }

    fn codes(health: &MemoryHealth<'_>) -> Vec<&'static str> {
        health.findings.iter().map(Finding::code).collect()
    }

    fn many<'a>(fact: HealthFact<'a>, n: usize) -> impl Iterator<Item = HealthFact<'a>> {
        std::iter::repeat_n(fact, n)
    }

    #[test]
    fn no_facts_at_all() {
        let none = health(&[]);
        assert_eq!((none.total_facts, none.imp5_count, none.pinned_count), (0, 0, 0));
        assert_eq!(none.imp5_pct.to_bits(), 0.0f64.to_bits());
        assert!(none.by_agent.is_empty() && none.findings.is_empty() && none.warnings.is_empty());
    }

    #[test]
    fn any_number_is_an_importance() {
        let odd = [f64::NAN, f64::NEG_INFINITY, -0.0, 4.999999999999999, 5.0, f64::INFINITY];
        let facts: Vec<_> = odd.iter().map(|&i| fact(i, "a")).collect();
        assert_eq!(health(&facts).imp5_count, 2);
        assert_eq!(health(&facts).imp5_pct, 33.3);
    }

    #[test]
    fn percentages_round_as_in_javascript() {
        let of = |part, total| {
            let facts: Vec<_> = many(fact(5.0, "a"), part).chain(many(fact(1.0, "a"), total - part)).collect();
            health(&facts)
        };
        assert_eq!(of(1, 400).imp5_pct, 0.3);
        assert_eq!(of(49, 400).imp5_pct, 12.3);
        assert!(of(23, 40).warnings[0].contains("23/40 facts (57%)"));
        assert!(of(53, 200).warnings[0].contains("53/200 facts (27%)"));
        assert!(of(1, 4).warnings.is_empty(), "the cap itself is fine");
        // 25.1 % rounds to 25: the unrounded share decides.
        assert!(of(251, 1000).warnings[0].contains("251/1000 facts (25%)"));
    }

    #[test]
    fn the_cap_on_importance_is_a_setting() {
        let facts = [fact(5.0, "a"), fact(1.0, "a")];
        let with = |imp5_soft_cap| {
            let config = MemoryConfig { imp5_soft_cap, ..MemoryConfig::default() };
            compute_memory_health(&facts, &config).findings.len()
        };
        assert_eq!((with(49.9), with(50.0), with(f64::NAN)), (1, 0, 0));
    }

    #[test]
    fn names_are_trimmed_and_blank_is_default() {
        let mut facts = vec![fact(1.0, "\u{FEFF} "), fact(1.0, " b\t"), fact(1.0, "b"), fact(1.0, "B")];
        facts.push(HealthFact::default());
        facts.push(fact(1.0, "\u{85}"));
        let seen: Vec<_> = health(&facts)
            .by_agent
            .iter()
            .map(|e| (String::from_utf8_lossy(e.agent_id).into_owned(), e.facts))
            .collect();
        let expected = [("default", 2), ("b", 2), ("B", 1), ("\u{85}", 1)];
        assert_eq!(seen, expected.map(|(name, n)| (name.to_owned(), n)));
    }

    #[test]
    fn under_recording_is_strict_and_skips_default() {
        let store = |busy: usize, few: usize| -> Vec<HealthFact<'static>> {
            many(fact(1.0, "default"), 900)
                .chain(many(fact(1.0, "lead"), busy))
                .chain(many(fact(1.0, "qa"), few))
                .collect()
        };
        assert!(health(&store(30, 3)).under_recording.is_empty());
        let facts = store(31, 3);
        let found = health(&facts);
        assert_eq!(found.under_recording, [b"qa"]);
        let Finding::UnderRecording { agents, busiest, message } = &found.findings[0] else {
            panic!("{:?}", found.findings);
        };
        assert_eq!((agents[0].facts, busiest.facts), (3, 31));
        assert!(message.contains("qa (3)") && message.contains("lead"), "{message}");
        assert_eq!(found.warnings, [message.clone(), found.findings[1].message().to_owned()]);
    }

    #[test]
    fn many_and_strange_names_keep_the_sentence_short() {
        let names: Vec<String> = (0..5000).map(|i| format!("agent\n{i}{}", "x".repeat(99))).collect();
        let mut facts: Vec<_> = names.iter().map(|n| fact(1.0, n)).collect();
        facts.extend(many(fact(1.0, "busy"), 11));
        facts.push(HealthFact { agent_id: Some(b"\xED\xA0\xBD"), ..HealthFact::default() });
        let found = health(&facts);
        assert_eq!(found.under_recording.len(), 5001);
        assert!(found.under_recording.contains(&b"\xED\xA0\xBD".as_slice()));
        assert!(found.warnings[0].len() < 1200 && !found.warnings[0].contains('\n'));
        assert!(found.warnings[0].contains("and 4989 more"), "{}", found.warnings[0]);
    }

    #[test]
    fn rules_are_missed_only_when_pinning_is_on() {
        let mut facts: Vec<_> = many(fact(1.0, "a"), 51).collect();
        assert_eq!(codes(&health(&facts)), ["no-pinned-rules"]);
        assert!(health(&facts[..50]).findings.is_empty());
        let off = MemoryConfig { pin_constraints: false, ..MemoryConfig::default() };
        assert!(compute_memory_health(&facts, &off).findings.is_empty());
        facts[7].kind = Some(b" ANTIPATTERN");
        assert!(health(&facts).findings.is_empty());
        assert_eq!(compute_memory_health(&facts, &off).pinned_count, 1);
    }

    #[test]
    fn two_hundred_thousand_facts_of_as_many_agents() {
        let names: Vec<String> = (0..200_000).map(|i| format!("agent {i}")).collect();
        let facts: Vec<_> = names.iter().map(|n| fact(5.0, n)).collect();
        let found = health(&facts);
        assert_eq!(found.by_agent.len(), 200_000);
        assert_eq!(found.by_agent[199_999].agent_id, b"agent 199999");
        assert_eq!(codes(&found), ["importance-inflation", "no-pinned-rules"]);
    }
}
