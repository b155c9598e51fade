//! A survey of what an agent remembers: more of memory health than the drop-in has, and what became of the rules, the summaries and
//! the tokens of a folded conversation.
//!
//! Belongs here: counts and findings over facts with a roster and namespaces, and over a window with the records of its folds.

use crate::health::{agent_of, HealthFact, DEFAULT_AGENT, TOP_IMPORTANCE};
use crate::ledger::FoldRecord;
use crate::message::{Provenance, Role};
use crate::order::sort_by_key;
use crate::outline::Outline;
use crate::text::{js_to_fixed, js_trim, one_line, to_well_formed};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// With fewer facts than this nothing is said about shares and silent roles: in a memory of 19 facts a single one is more than five
/// per cent, and a cap of 25 per cent is passed by the fifth. The numbers are there all the same.
pub const SMALL_MEMORY: u32 = 20;

/// So many facts of the highest importance one namespace may hold (the drop-in number, here as a count): a reader can keep that
/// many apart, however large the memory is.
pub const DEFAULT_NAMESPACE_SOFT_CAP: f64 = 25.0;

/// From this depth on a summary of summaries is reported. Each level writes down again what the one before wrote: at three, what was
/// said has been retold three times.
pub const DEEP: u32 = 3;

/// A fold that freed less than this share of the window is reported; the same twentieth below which `compact` makes none.
pub const LITTLE: f64 = crate::life::LEAST_GAIN;

/// Names in one sentence.
const NAMES_SHOWN: usize = 12;
const NAME_UNITS: usize = 40;

/// A fact, as the survey looks at it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SurveyFact<'a> {
    /// What memory health looks at.
    pub health: HealthFact<'a>,
    /// The part of the memory that it belongs to; `None` or blank: the whole.
    pub namespace: Option<&'a [u8]>,
}

/// How an agent rates what it records.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct AgentImportance {
    /// The trimmed name.
    #[serde(rename = "agent_id")]
    pub agent_id: String,
    /// Its facts.
    pub facts: u32,
    /// Those of importance 5 or more.
    pub imp5_count: u32,
    /// Their share in percent, one decimal.
    pub imp5_pct: f64,
    /// The mean of its readable importances, two decimals; 0 without any.
    pub mean_importance: f64,
}

/// The facts of a namespace.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct NamespaceCount {
    /// The trimmed name; `default` for facts without.
    pub namespace: String,
    /// Its facts.
    pub facts: u32,
    /// Those of importance 5 or more.
    pub imp5_count: u32,
}

/// Tokens of one part of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct TokenRow {
    /// `system`, `pinned`, `memory` (project instructions included), `digests`, `user`, `assistant`, `tools`, `other`.
    pub part: String,
    /// Its messages.
    pub messages: u32,
    /// Their tokens.
    #[cfg_attr(test, ts(type = "number"))]
    pub tokens: u64,
}

/// A fold that freed little.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct SmallFold {
    /// Its number in the ledger, from 0 on.
    pub fold: u32,
    /// Tokens before it.
    pub before: f64,
    /// Tokens behind it.
    pub after: f64,
    /// What it freed, in percent, one decimal.
    pub freed_pct: f64,
}

/// The oldest message of a window that is still what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct OldestVerbatim {
    /// Its index in the window, the prefix and digests apart.
    pub index: u32,
    /// How many messages of the whole conversation came since.
    pub age: u32,
    /// Messages of the whole conversation.
    pub of: u32,
}

/// What became of the pins.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
pub struct PinSurvival {
    /// Pins that there should be.
    pub pinned: u32,
    /// Those that are there.
    pub present: u32,
    /// The share in percent, one decimal; 100 without pins.
    pub pct: f64,
}

/// A folded conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct ConversationSurvey {
    /// Folds on record.
    pub folds: u32,
    /// How often what the deepest digest of the window stands for was summarized: 0 without a digest, 1 for a summary of messages,
    /// 2 for a summary of a summary.
    pub depth: u32,
    /// `null` where nothing is verbatim.
    pub oldest_verbatim: Option<OldestVerbatim>,
    /// Folds that freed less than a twentieth.
    pub small_folds: Vec<SmallFold>,
    /// Pins that there should be and those that there are.
    pub pins: PinSurvival,
    /// The window by its parts; they sum up to `total`.
    pub tokens: Vec<TokenRow>,
    /// Tokens of the window.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: u64,
}

/// Something that is wrong, with the numbers that show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SurveyFinding {
    /// Roles of the roster that recorded nothing.
    SilentRoles {
        /// The sentence.
        message: String,
        /// Their names, as in the roster.
        roles: Vec<String>,
    },
    /// An agent that rates nearly everything highest.
    AgentInflation {
        /// The sentence.
        message: String,
        /// Who.
        agent: AgentImportance,
        /// The share in percent above which this is reported.
        soft_cap: f64,
    },
    /// A namespace with more facts of the highest importance than anybody keeps apart.
    NamespaceInflation {
        /// The sentence.
        message: String,
        /// Which.
        namespace: NamespaceCount,
        /// The number above which this is reported.
        soft_cap: f64,
    },
    /// Pins that are not in the window.
    PinsLost {
        /// The sentence.
        message: String,
        /// How many.
        lost: u32,
        /// Of how many.
        pinned: u32,
    },
    /// A digest that was retold too often.
    DeepSummary {
        /// The sentence.
        message: String,
        /// How often.
        depth: u32,
    },
    /// Folds that freed next to nothing.
    LittleFreed {
        /// The sentence.
        message: String,
        /// How many.
        folds: u32,
        /// Of how many.
        of: u32,
    },
}

/// The facts of a memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export, export_to = "core.ts"))]
#[serde(rename_all = "camelCase")]
pub struct FactSurvey {
    /// Fewer facts than it takes to say anything about shares.
    pub is_small: bool,
    /// Every agent, most facts first, ties in first-seen order.
    pub agents: Vec<AgentImportance>,
    /// Roles of the roster that recorded nothing, in its order.
    pub silent: Vec<String>,
    /// Every namespace, most facts of the highest importance first, ties in first-seen order.
    pub namespaces: Vec<NamespaceCount>,
    /// What is wrong.
    pub findings: Vec<SurveyFinding>,
}

/// Surveys facts. `roster` are names of agents that should record (WTF-8); an agent is meant by its trimmed name.
///
/// ```
/// use plica::survey::{facts, SurveyFact};
/// let survey = facts(&[SurveyFact::default()], &[b"qa".as_slice()], 25.0, 25.0);
/// assert_eq!((survey.silent, survey.findings.len()), (vec!["qa".to_string()], 0));
/// ```
pub fn facts(all: &[SurveyFact<'_>], roster: &[&[u8]], imp5_soft_cap: f64, namespace_soft_cap: f64) -> FactSurvey {
    let is_small = (all.len() as u64) < u64::from(SMALL_MEMORY);
    let agents = by_agent(all);
    let namespaces = by_namespace(all);
    let silent = silent(all, roster);
    let mut findings = Vec::new();
    if !is_small {
        findings.extend(silent_roles(&silent));
        findings.extend(agents.iter().filter_map(|agent| agent_inflation(agent, imp5_soft_cap)));
        findings.extend(namespaces.iter().filter_map(|space| namespace_inflation(space, namespace_soft_cap)));
    }
    FactSurvey { is_small, agents, silent, namespaces, findings }
}

struct Tally<'a> {
    name: &'a [u8],
    facts: u32,
    top: u32,
    rated: u32,
    sum: f64,
}

fn tallies<'a>(all: &[SurveyFact<'a>], name_of: impl Fn(&SurveyFact<'a>) -> &'a [u8]) -> Vec<Tally<'a>> {
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    let mut tallies: Vec<Tally<'a>> = Vec::new();
    for fact in all {
        let name = name_of(fact);
        let place = *places.entry(name).or_insert(tallies.len());
        if place == tallies.len() {
            tallies.push(Tally { name, facts: 0, top: 0, rated: 0, sum: 0.0 });
        }
        let tally = &mut tallies[place];
        let importance = fact.health.importance;
        tally.facts += 1;
        tally.top += u32::from(importance >= TOP_IMPORTANCE);
        if importance.is_finite() {
            tally.rated += 1;
            tally.sum += importance;
        }
    }
    tallies
}

fn by_agent(all: &[SurveyFact<'_>]) -> Vec<AgentImportance> {
    let importance = |tally: Tally<'_>| AgentImportance {
        agent_id: to_well_formed(tally.name),
        facts: tally.facts,
        imp5_count: tally.top,
        imp5_pct: percent(f64::from(tally.top), f64::from(tally.facts)),
        mean_importance: if tally.rated == 0 { 0.0 } else { rounded(tally.sum / f64::from(tally.rated), 2) },
    };
    let mut agents: Vec<AgentImportance> =
        tallies(all, |fact| agent_of(&fact.health)).into_iter().map(importance).collect();
    sort_by_key(&mut agents, |agent| Reverse(agent.facts));
    agents
}

fn by_namespace(all: &[SurveyFact<'_>]) -> Vec<NamespaceCount> {
    let count = |tally: Tally<'_>| NamespaceCount {
        namespace: to_well_formed(tally.name),
        facts: tally.facts,
        imp5_count: tally.top,
    };
    let mut spaces: Vec<NamespaceCount> = tallies(all, namespace_of).into_iter().map(count).collect();
    sort_by_key(&mut spaces, |space| Reverse(space.imp5_count));
    spaces
}

fn namespace_of<'a>(fact: &SurveyFact<'a>) -> &'a [u8] {
    match js_trim(fact.namespace.unwrap_or_default()) {
        [] => DEFAULT_AGENT,
        name => name,
    }
}

fn silent(all: &[SurveyFact<'_>], roster: &[&[u8]]) -> Vec<String> {
    let heard: HashSet<&[u8]> = all.iter().map(|fact| agent_of(&fact.health)).collect();
    let mut named = HashSet::new();
    let names = roster.iter().map(|name| js_trim(name)).filter(|name| !name.is_empty() && !heard.contains(name));
    names.filter(|name| named.insert(*name)).map(to_well_formed).collect()
}

fn silent_roles(silent: &[String]) -> Option<SurveyFinding> {
    if silent.is_empty() {
        return None;
    }
    let message = format!(
        "Roles that have recorded nothing: {}. What they learn goes with their context when it is folded.",
        listed(silent.iter().map(String::as_str), silent.len())
    );
    Some(SurveyFinding::SilentRoles { message, roles: silent.to_vec() })
}

fn agent_inflation(agent: &AgentImportance, soft_cap: f64) -> Option<SurveyFinding> {
    // Of few facts a share says nothing, whoever's they are.
    let share = f64::from(agent.imp5_count) / f64::from(agent.facts.max(1)) * 100.0;
    let is_over = agent.facts >= SMALL_MEMORY && share > soft_cap;
    is_over.then(|| SurveyFinding::AgentInflation {
        message: format!(
            "{} rates {} of its {} facts 5 or higher; beyond {soft_cap}% that tells nobody what matters most to it.",
            one_line(agent.agent_id.as_bytes(), NAME_UNITS),
            agent.imp5_count,
            agent.facts
        ),
        agent: agent.clone(),
        soft_cap,
    })
}

fn namespace_inflation(space: &NamespaceCount, soft_cap: f64) -> Option<SurveyFinding> {
    let is_over = f64::from(space.imp5_count) > soft_cap;
    is_over.then(|| SurveyFinding::NamespaceInflation {
        message: format!(
            "The namespace {} holds {} facts rated 5 or higher; more than {soft_cap} are a list that nobody keeps in mind.",
            one_line(space.namespace.as_bytes(), NAME_UNITS),
            space.imp5_count
        ),
        namespace: space.clone(),
        soft_cap,
    })
}

fn listed<'a>(names: impl Iterator<Item = &'a str>, count: usize) -> String {
    let shown: Vec<String> = names.take(NAMES_SHOWN).map(|name| one_line(name.as_bytes(), NAME_UNITS)).collect();
    match count - shown.len() {
        0 => shown.join(", "),
        hidden => format!("{} and {hidden} more", shown.join(", ")),
    }
}

fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        rounded(part / whole * 100.0, 1)
    } else {
        0.0
    }
}

fn rounded(number: f64, digits: u8) -> f64 {
    js_to_fixed(number, digits).parse().unwrap_or(number)
}

/// A fold, and what it cost before and after, where that was noted.
pub type NotedFold = (FoldRecord, Option<(f64, f64)>);

/// A conversation to survey.
pub struct Conversation<'c> {
    /// Its window, in which the ledger's digests are marked.
    pub outline: &'c Outline,
    /// Fingerprints of the window's messages, as text.
    pub prints: &'c [String],
    /// The folds, the oldest first.
    pub folds: &'c [NotedFold],
    /// Where each message of the unfolded conversation stands in the window, if it does.
    pub unfolded: &'c [Option<u32>],
    /// Pins that there should be, and how many of them are missing.
    pub pins: (u32, u32),
}

/// Surveys a window and the folds behind it.
pub fn conversation(given: &Conversation<'_>) -> (ConversationSurvey, Vec<SurveyFinding>) {
    let (pinned, lost) = given.pins;
    let present = pinned.saturating_sub(lost);
    let tokens = rows(given.outline);
    let survey = ConversationSurvey {
        folds: given.folds.len() as u32,
        depth: depth(given),
        oldest_verbatim: oldest(given),
        small_folds: small_folds(given.folds),
        pins: PinSurvival {
            pinned,
            present,
            pct: if pinned == 0 { 100.0 } else { percent(f64::from(present), f64::from(pinned)) },
        },
        total: tokens.iter().map(|row| row.tokens).sum(),
        tokens,
    };
    let mut findings = Vec::new();
    if lost > 0 {
        let message =
            format!("{lost} of {pinned} pinned rules are not in the window; place them again with placePins.");
        findings.push(SurveyFinding::PinsLost { message, lost, pinned });
    }
    if survey.depth >= DEEP {
        let depth = survey.depth;
        let message = format!(
            "What the oldest digest stands for was summarized {depth} times, each time from the summary before; unfold it and \
             summarize the originals anew."
        );
        findings.push(SurveyFinding::DeepSummary { message, depth });
    }
    let folds = survey.small_folds.len() as u32;
    if folds > 0 {
        let of = survey.folds;
        let message = format!(
            "{folds} of {of} folds freed less than a twentieth of the window; fold later, or make the tail smaller."
        );
        findings.push(SurveyFinding::LittleFreed { message, folds, of });
    }
    (survey, findings)
}

fn depth(given: &Conversation<'_>) -> u32 {
    let mut depths: HashMap<&str, u32> = HashMap::new();
    for (record, _) in given.folds {
        let below = record.span.iter().filter_map(|print| depths.get(print.as_str())).max().copied().unwrap_or(0);
        for print in &record.digest {
            depths.insert(print, below + 1);
        }
    }
    given.prints.iter().filter_map(|print| depths.get(print.as_str())).max().copied().unwrap_or(0)
}

fn oldest(given: &Conversation<'_>) -> Option<OldestVerbatim> {
    let prefix = given.outline.landmarks.leading() as u32;
    let of = given.unfolded.len() as u32;
    let verbatim = |place: u32| {
        let shape = given.outline.shapes.get(place as usize);
        place >= prefix && shape.is_some_and(|shape| shape.provenance != Provenance::Summary)
    };
    let found = (0..)
        .zip(given.unfolded)
        .find_map(|(at, place)| place.filter(|&place| verbatim(place)).map(|place| (at, place)));
    found.map(|(at, index): (u32, u32)| OldestVerbatim { index, age: of - 1 - at, of })
}

fn small_folds(folds: &[NotedFold]) -> Vec<SmallFold> {
    let small = |(fold, (_, tokens)): (u32, &NotedFold)| {
        let (before, after) = (*tokens)?;
        let is_small = before > 0.0 && before - after < LITTLE * before;
        is_small.then(|| SmallFold { fold, before, after, freed_pct: percent(before - after, before) })
    };
    (0..).zip(folds).filter_map(small).collect()
}

const PARTS: [&str; 8] = ["system", "pinned", "memory", "digests", "user", "assistant", "tools", "other"];

fn rows(outline: &Outline) -> Vec<TokenRow> {
    let mut rows = PARTS.map(|part| TokenRow { part: part.to_string(), messages: 0, tokens: 0 });
    for shape in &outline.shapes {
        let leads = (shape.index as usize) < outline.landmarks.leading();
        let place = match (shape.role, shape.provenance) {
            _ if shape.pins && (leads || shape.role == Role::System) => 1,
            (_, Provenance::Summary) => 3,
            (_, Provenance::Instructions | Provenance::Memory) => 2,
            (Role::System, _) => 0,
            (Role::Tool, _) => 6,
            (Role::User, _) if shape.only_results => 6,
            (Role::User, _) => 4,
            (Role::Assistant, _) => 5,
            (Role::Other, _) => 7,
        };
        rows[place].messages += 1;
        rows[place].tokens += shape.tokens;
    }
    rows.into_iter().filter(|row| row.messages > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(importance: f64, agent: &'static str, namespace: Option<&'static str>) -> SurveyFact<'static> {
        let health = HealthFact { importance, agent_id: Some(agent.as_bytes()), kind: None };
        SurveyFact { health, namespace: namespace.map(str::as_bytes) }
    }

    fn codes(findings: &[SurveyFinding]) -> Vec<String> {
        let code =
            |finding: &SurveyFinding| serde_json::to_value(finding).unwrap()["code"].as_str().unwrap().to_string();
        findings.iter().map(code).collect()
    }

    #[test]
    fn a_small_memory_does_not_shout() {
        let small: Vec<_> = (0..19).map(|_| fact(5.0, "a", None)).collect();
        let survey = facts(&small, &[b"qa"], 25.0, 3.0);
        assert!(survey.is_small && survey.findings.is_empty());
        assert_eq!(survey.silent, ["qa"]);
        let enough: Vec<_> = (0..20).map(|_| fact(5.0, "a", None)).collect();
        let survey = facts(&enough, &[b"qa", b" a ", b"qa"], 25.0, 3.0);
        assert_eq!(codes(&survey.findings), ["silent-roles", "agent-inflation", "namespace-inflation"]);
    }

    #[test]
    fn importance_by_agent_and_namespace() {
        let mut all: Vec<_> = (0..30).map(|_| fact(5.0, " a ", Some(" x "))).collect();
        all.extend((0..40).map(|i| fact(f64::from(i % 4), "b", None)));
        all.push(fact(f64::NAN, "b", Some("")));
        let survey = facts(&all, &[], 100.0, 25.0);
        let b = &survey.agents[0];
        assert_eq!((b.agent_id.as_str(), b.facts, b.mean_importance), ("b", 41, 1.5));
        assert_eq!(survey.agents[1].imp5_pct, 100.0);
        assert_eq!((survey.namespaces[0].namespace.as_str(), survey.namespaces[0].imp5_count), ("x", 30));
        assert_eq!((survey.namespaces[1].namespace.as_str(), survey.namespaces[1].facts), ("default", 41));
        assert_eq!(codes(&survey.findings), ["namespace-inflation"]);
    }
}
