//! What each provider demands of a message array, as a choice of rules.
//!
//! A message format names its profile; rules are small types of their own in [`crate::cuts`] (where a transcript may be
//! split) and [`crate::check`] (what a request must not contain). Formats that any provider may get to see take the rules
//! that the strictest of them has.

use crate::check::rules as faults;
use crate::check::FaultRule;
use crate::cuts::{self, CutRule};
use crate::tokens::media::Images;

/// The demands of a provider.
pub struct Profile {
    /// Where a transcript may be split.
    pub cuts: fn() -> Vec<Box<dyn CutRule>>,
    /// What a request must not contain, in the order in which faults are mended.
    pub faults: &'static [&'static dyn FaultRule],
    /// Where the results of a turn must stand.
    pub results: Place,
    /// Messages of the user and of the model take turns.
    pub alternates: bool,
    /// Calls and results pair by the tool's name and order where an id is missing or fits nothing.
    pub pairs_by_name: bool,
    /// An id of a call stands once in a request, and not just once at a time.
    pub unique_ids: bool,
    /// Ids of calls are letters and digits of ASCII, `_` and `-`.
    pub plain_ids: bool,
    /// What counts as saying nothing.
    pub nothing: Nothing,
    /// The first message that is no system text is the user's.
    pub user_first: bool,
    /// System text is sent apart: in between, it parts nothing.
    pub system_apart: bool,
    /// The last message may be an empty one of the model.
    pub may_end_empty: bool,
    /// What images cost. Where any provider may get to see them, the rule that is dearest for a screenshot.
    pub images: Images,
    /// Which reasoning of finished turns may be left out.
    pub old_reasoning: OldReasoning,
}

/// Which reasoning from before the user's latest request a provider can do without. That of the turn that is under way always
/// stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldReasoning {
    /// All of it: Anthropic's documents let a client leave out the thinking of earlier turns, DeepSeek's ask for it, and
    /// Gemini's want signatures back in the current turn alone.
    Droppable,
    /// What no item id binds: OpenAI refuses an item that comes with its id and without the reasoning item that led to it.
    Unbound,
}

/// Where the results of the calls of a turn must stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Anywhere after their call.
    After,
    /// Directly behind the message that calls.
    BehindMessage,
    /// Directly behind the run of the model's messages that calls, in front of anything else.
    BehindTurn,
    /// Between the run of the model's messages that calls and the next one.
    NextTurn,
    /// In the part that calls.
    Inside,
}

/// What a provider takes for a message without content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nothing {
    /// One without parts.
    NoParts,
    /// One without parts, or with texts of no length alone.
    NoText,
    /// One without parts, or with blank texts alone.
    Blank,
}

macro_rules! cuts {
    ($($rule:ident),* $(,)?) => {
        || vec![$(Box::<cuts::$rule>::default() as Box<dyn CutRule>),*]
    };
}

/// Anthropic's Messages API. Neighbours of the same role are one turn to it; results come first in the user's next turn;
/// thinking is signed, comes first, and is never all of a turn.
pub static ANTHROPIC: Profile =
    Profile { unique_ids: true, plain_ids: true, system_apart: true, may_end_empty: true, ..BLOCKS };

/// Items with Anthropic's blocks in them. Results are items of their own, and the user may speak in front of them.
pub static HOTL: Profile = Profile { results: Place::NextTurn, ..BLOCKS };

const BLOCKS: Profile = Profile {
    cuts: cuts![Starts, Pairs, Orphans, Approvals, SignedLoops, LoneReasoning],
    faults: &[
        &faults::CallIds,
        &faults::Form,
        &faults::Results,
        &faults::UnsignedReasoning,
        &faults::ReasoningFirst,
        &faults::OnlyReasoning,
        &faults::BlankText,
        &faults::Empty,
        &faults::UserFirst,
    ],
    results: Place::BehindTurn,
    alternates: false,
    pairs_by_name: false,
    unique_ids: false,
    plain_ids: false,
    nothing: Nothing::Blank,
    user_first: true,
    system_apart: false,
    may_end_empty: false,
    images: Images::Anthropic,
    old_reasoning: OldReasoning::Droppable,
};

/// OpenAI's Chat Completions API: every call is answered before anything else is said.
pub static OPENAI_CHAT: Profile = Profile {
    cuts: cuts![Starts, Pairs, Orphans, LoneReasoning],
    faults: &[&faults::CallIds, &faults::Results, &faults::Form, &faults::OnlyReasoning, &faults::Empty],
    results: Place::BehindMessage,
    alternates: false,
    pairs_by_name: false,
    unique_ids: false,
    plain_ids: false,
    nothing: Nothing::NoParts,
    user_first: false,
    system_apart: false,
    may_end_empty: false,
    images: Images::OpenAi,
    old_reasoning: OldReasoning::Droppable,
};

/// Messages of a framework that go to one provider or another: the rules of Chat Completions, and signed reasoning stays with
/// its tool loop.
pub static ANY_CHAT: Profile = Profile {
    cuts: cuts![Starts, Pairs, Orphans, SignedLoops, LoneReasoning],
    faults: &[&faults::CallIds, &faults::Results, &faults::OnlyReasoning, &faults::Empty],
    results: Place::BehindMessage,
    alternates: false,
    pairs_by_name: false,
    unique_ids: false,
    plain_ids: false,
    nothing: Nothing::NoText,
    user_first: false,
    system_apart: false,
    may_end_empty: false,
    images: Images::Anthropic,
    old_reasoning: OldReasoning::Unbound,
};

/// OpenAI's Responses API: reasoning is followed by what it led to; results come anywhere after their call; no item id
/// stands twice.
pub static OPENAI_RESPONSES: Profile = Profile {
    cuts: cuts![Starts, Pairs, Orphans, Approvals, BoundReasoning],
    faults: &[
        &faults::CallIds,
        &faults::Form,
        &faults::Results,
        &faults::ReasoningOrphan,
        &faults::Empty,
        &faults::ItemIds,
    ],
    results: Place::After,
    alternates: false,
    pairs_by_name: false,
    unique_ids: false,
    plain_ids: false,
    nothing: Nothing::NoParts,
    user_first: false,
    system_apart: false,
    may_end_empty: false,
    images: Images::OpenAi,
    old_reasoning: OldReasoning::Unbound,
};

/// Gemini: user and model take turns, the user begins, and all responses come in the turn after the calls.
pub static GEMINI: Profile = Profile {
    cuts: cuts![Starts, Pairs, Orphans, LoneReasoning],
    faults: &[
        &faults::CallIds,
        &faults::Form,
        &faults::Results,
        &faults::OnlyReasoning,
        &faults::Empty,
        &faults::UserFirst,
        &faults::Alternation,
    ],
    results: Place::NextTurn,
    alternates: true,
    pairs_by_name: true,
    unique_ids: false,
    plain_ids: false,
    nothing: Nothing::NoText,
    user_first: true,
    system_apart: false,
    may_end_empty: false,
    images: Images::Gemini,
    old_reasoning: OldReasoning::Droppable,
};

/// Vercel AI SDK model messages: results and answers to approvals in the `tool` messages behind the calls.
pub static AI_SDK: Profile = Profile {
    cuts: cuts![Starts, Pairs, Orphans, Approvals, SignedLoops, LoneReasoning],
    faults: &[&faults::CallIds, &faults::Results, &faults::OnlyReasoning, &faults::Empty],
    results: Place::BehindMessage,
    alternates: false,
    pairs_by_name: false,
    unique_ids: false,
    plain_ids: false,
    nothing: Nothing::NoText,
    user_first: false,
    system_apart: false,
    may_end_empty: false,
    images: Images::Anthropic,
    old_reasoning: OldReasoning::Unbound,
};

/// Vercel AI SDK UI messages: a call holds its own result.
pub static AI_SDK_UI: Profile = Profile {
    cuts: cuts![Starts, Pairs, SignedLoops, LoneReasoning],
    faults: &[&faults::CallIds, &faults::Results, &faults::OnlyReasoning, &faults::Empty],
    results: Place::Inside,
    alternates: false,
    pairs_by_name: false,
    unique_ids: false,
    plain_ids: false,
    nothing: Nothing::NoParts,
    user_first: false,
    system_apart: false,
    may_end_empty: false,
    images: Images::Anthropic,
    old_reasoning: OldReasoning::Unbound,
};
