/**
 * Files and commands, each once, the one touched last at the end.
 */
export type Activity = {
    /**
     * Files.
     */
    files: Array<FileActivity>;
    /**
     * Commands.
     */
    commands: Array<CommandActivity>;
};
/**
 * What was admitted and what was not: together every index once.
 */
export type AdmittedPins = {
    /**
     * Indices of the admitted ones, ascending.
     */
    pinned: Array<number>;
    /**
     * All others, by index.
     */
    refused: Array<RefusedEntry>;
    /**
     * What the admitted ones cost.
     */
    tokens: number;
};
/**
 * An agent and its number of facts, with the name as well-formed text.
 */
export type AgentCount = {
    /**
     * The trimmed name.
     */
    agent_id: string;
    /**
     * The number of facts.
     */
    facts: number;
};
/**
 * How an agent rates what it records.
 */
export type AgentImportance = {
    /**
     * The trimmed name.
     */
    agent_id: string;
    /**
     * Its facts.
     */
    facts: number;
    /**
     * Those of importance 5 or more.
     */
    imp5Count: number;
    /**
     * Their share in percent, one decimal.
     */
    imp5Pct: number;
    /**
     * The mean of its readable importances, two decimals; 0 without any.
     */
    meanImportance: number;
};
/**
 * A way through a file that holds several: one was left when the user went back and took another.
 */
export type Branch = {
    /**
     * Its id, for [`SessionOptions::branch`]: that of its last record.
     */
    id: string;
    /**
     * The line of its last record, counted from 1.
     */
    line: number;
    /**
     * Records with messages on the way to it, those before folds included.
     */
    records: number;
    /**
     * The one that the file's program goes on with.
     */
    active: boolean;
    /**
     * The conversation of a subagent.
     */
    sidechain: boolean;
};
/**
 * What [`budget_facts`] chose. Numbers are indices into the facts that were given; `rendered` and
 * `collapsed` together hold every index exactly once.
 *
 * ```
 * let nothing = plica::recall::BudgetedFacts::default();
 * assert!(nothing.rendered.is_empty() && nothing.notice.is_none());
 * ```
 */
export type BudgetedFacts = {
    /**
     * The facts to show, in the order to show them.
     */
    rendered: Array<number>;
    /**
     * The facts left out, in the order in which they were considered.
     */
    collapsed: Array<number>;
    /**
     * How many of `collapsed` lie inside the time window; 0 without one.
     */
    inWindowCollapsed: number;
    /**
     * A sentence that tells the reader what was left out, by groups; `None` when nothing was. Halves of
     * surrogate pairs are replaced, so that any encoder takes it.
     */
    notice: string | null;
};
/**
 * What a reduction does to a provider's cache of the prompt.
 */
export type CacheEffect = {
    /**
     * Index of the first message that changes, in the messages that came in; none when nothing does.
     */
    firstChanged?: number;
    /**
     * Tokens from there on that are in the cache, and have to be read anew.
     */
    invalidated: number;
};
/**
 * A tool result to clip.
 */
export type ClipOffer = {
    /**
     * Index of the message.
     */
    index: number;
    /**
     * Index of the part in it, as its format reports them.
     */
    part: number;
    /**
     * Id of the call that it answers.
     */
    id: string;
    /**
     * Size of its texts as the estimate counts them, in UTF-8 bytes: as JSON, or as text.
     */
    bytes: number;
    /**
     * Bytes of its texts to keep, head and tail, counted the same way, so that the tail fits.
     */
    keep: number;
    /**
     * Tokens that its texts may cost, by the balanced estimate: `keep` is about as much, and this is what counts.
     */
    tokens?: number;
};
/**
 * A command that was run.
 */
export type CommandActivity = {
    /**
     * Its text, on one line; of a long one head and tail.
     */
    command: string;
    /**
     * How often it was run.
     */
    runs: number;
    /**
     * The last run failed.
     */
    failed: boolean;
};
/**
 * A folded conversation.
 */
export type ConversationSurvey = {
    /**
     * Folds on record.
     */
    folds: number;
    /**
     * How often what the deepest digest of the window stands for was summarized: 0 without a digest, 1 for a summary of messages,
     * 2 for a summary of a summary.
     */
    depth: number;
    /**
     * `null` where nothing is verbatim.
     */
    oldestVerbatim: OldestVerbatim | null;
    /**
     * Folds that freed less than a twentieth.
     */
    smallFolds: Array<SmallFold>;
    /**
     * Pins that there should be and those that there are.
     */
    pins: PinSurvival;
    /**
     * The window by its parts; they sum up to `total`.
     */
    tokens: Array<TokenRow>;
    /**
     * Tokens of the window.
     */
    total: number;
};
/**
 * What converting a file did.
 */
export type ConversionReport = {
    /**
     * Kind of the file.
     */
    kind: SessionKind;
    /**
     * Format of its messages, by name.
     */
    from: string;
    /**
     * Format that they have now, by name.
     */
    to: string;
    /**
     * Messages in the file's current window.
     */
    messagesBefore: number;
    /**
     * Messages that were written.
     */
    messagesAfter: number;
    /**
     * What could not be carried over, by message.
     */
    losses: Array<Loss>;
    /**
     * What was wrong with the file, by line.
     */
    problems: Array<SessionProblem>;
};
/**
 * A run of new messages in place of a run of old ones.
 */
export type Edit = {
    /**
     * Index of the first new message.
     */
    at: number;
    /**
     * Number of new messages.
     */
    inserted: number;
    /**
     * Index of the first old message.
     */
    from: number;
    /**
     * Number of old messages.
     */
    removed: number;
};
/**
 * What made an edit.
 */
export type EditKind = "reduce" | "repair";
/**
 * One reduction or repair.
 */
export type EditRecord = {
    /**
     * Which of the two.
     */
    kind: EditKind;
    /**
     * The format of the messages, by name.
     */
    format: string;
    /**
     * What changed, in the order of the messages.
     */
    edits: Array<EditRun>;
    /**
     * Number of messages that it left.
     */
    length: number;
    /**
     * Fingerprint of all of them as one span.
     */
    window: string;
};
/**
 * A run of messages in the place of another.
 */
export type EditRun = {
    /**
     * Index of the first message that it put in; where it put none in, of the one behind those that it took away.
     */
    at: number;
    /**
     * Fingerprints of those that it put in, 32 hex digits each.
     */
    inserted: Array<string>;
    /**
     * Fingerprints of those that it took away.
     */
    removed: Array<string>;
    /**
     * Fingerprint of the message before it, where it put none in and there is one.
     */
    before?: string;
    /**
     * The same of the message behind it.
     */
    behind?: string;
};
/**
 * Why a call was refused. The kebab-case form is part of the API and never changes its meaning.
 */
export type ErrorCode = "bad-argument" | "bad-budget" | "bad-message" | "too-deep" | "too-large" | "format-undetected" | "format-ambiguous" | "unknown-format" | "bad-estimator" | "bad-plan" | "plan-mismatch" | "stale-plan" | "illegal-cut" | "nothing-to-fold" | "empty-summary" | "bad-json" | "bad-session" | "bad-ledger" | "ledger-altered" | "message-changed" | "ledger-key" | "digest-missing" | "originals-missing" | "pins-missing" | "no-progress" | "freed" | "not-ready" | "wasm-unavailable" | "internal";
/**
 * The fate of one message, and why.
 */
export type Explanation = {
    /**
     * Index of the message.
     */
    index: number;
    /**
     * What happens to it.
     */
    fate: Fate;
    /**
     * Why, as a sentence.
     */
    reason: string;
};
/**
 * The facts of a memory.
 */
export type FactSurvey = {
    /**
     * Fewer facts than it takes to say anything about shares.
     */
    isSmall: boolean;
    /**
     * Every agent, most facts first, ties in first-seen order.
     */
    agents: Array<AgentImportance>;
    /**
     * Roles of the roster that recorded nothing, in its order.
     */
    silent: Array<string>;
    /**
     * Every namespace, most facts of the highest importance first, ties in first-seen order.
     */
    namespaces: Array<NamespaceCount>;
    /**
     * What is wrong.
     */
    findings: Array<SurveyFinding>;
};
/**
 * What happens to a message.
 */
export type Fate = "prefix" | "kept" | "folded" | "cleared" | "tail";
/**
 * Messages and tokens that met the same fate for the same reason.
 */
export type FateRow = {
    /**
     * What happened to them.
     */
    fate: Fate;
    /**
     * Why.
     */
    reason: string;
    /**
     * How many messages.
     */
    messages: number;
    /**
     * What they cost.
     */
    tokens: number;
};
/**
 * What was done with a file.
 */
export type FileActivity = {
    /**
     * As the call named it.
     */
    path: string;
    /**
     * It was written, edited, moved or deleted; otherwise only read.
     */
    changed: boolean;
};
/**
 * A message that a fold put in.
 */
export type Filler = {
    /**
     * Its place in the window, counted from the end of the prefix.
     */
    at: number;
    /**
     * Its fingerprint.
     */
    fingerprint: string;
};
/**
 * Fold messages `prefixEnd..keptFrom`, less those in `kept`; keep the rest.
 */
export type FoldPlan = {
    /**
     * The format that the messages were read by.
     */
    format: Format;
    /**
     * Number of messages that were planned.
     */
    length: number;
    /**
     * Messages before this index never fold.
     */
    prefixEnd: number;
    /**
     * Messages from this index on are the tail.
     */
    keptFrom: number;
    /**
     * Indices between prefix and tail that stay verbatim, ascending.
     */
    kept: Array<number>;
    /**
     * Why each message of `kept` stays.
     */
    keptReasons: Array<KeptReason>;
    /**
     * No legal cut fits the budget; this is the smallest legal tail.
     */
    overBudget: boolean;
    /**
     * Ids of calls that wait for their result; they are in the tail.
     */
    pending: Array<string>;
    /**
     * What the parts cost.
     */
    tokens: PlanTokens;
    /**
     * Signed reasoning parts in the tail. Some providers bind a signature to everything before it.
     */
    signedInTail: number;
    /**
     * The cut splits a turn: index of the user's message that opened it, which folds or is kept apart from its turn.
     */
    splitTurn: number | null;
    /**
     * Over budget: the tool results of the tail whose clipping would help, the largest first.
     */
    clips: Array<ClipOffer>;
};
/**
 * One fold.
 */
export type FoldRecord = {
    /**
     * The format of the messages, by name.
     */
    format: string;
    /**
     * Messages before this index were the prefix.
     */
    prefixEnd: number;
    /**
     * Messages from this index on were the tail.
     */
    keptFrom: number;
    /**
     * Indices of the span that stayed verbatim before the digest, ascending.
     */
    before: Array<number>;
    /**
     * Indices of the span that stayed verbatim after the digest, ascending.
     */
    after: Array<number>;
    /**
     * Fingerprints of the digest's messages, 32 hex digits each.
     */
    digest: Array<string>;
    /**
     * Fingerprints of all messages of the span, kept ones included.
     */
    span: Array<string>;
    /**
     * Fingerprint of the first message of the tail, if there was one.
     */
    tail: string | null;
    /**
     * Number of messages in the tail.
     */
    tailLength: number;
    /**
     * Fingerprint of the tail as one span.
     */
    tailSpan: string;
    /**
     * Messages that the fold put in so that user and model take turns. Left out where there are none.
     */
    fillers?: Array<Filler>;
    /**
     * What it replaced was gone before the ledger knew of it: its digest stays where it is. Left out where it is not so.
     */
    gone?: boolean;
    /**
     * Number of messages that it replaced and of which nothing more is known; 0 where not even that is. `span` then holds one
     * fingerprint in their place. Left out where it is not so.
     */
    unknown?: number;
};
/**
 * What a fold of a file did.
 */
export type FoldReport = {
    /**
     * Kind of the file.
     */
    kind: SessionKind;
    /**
     * Format of its messages, by name.
     */
    format: string;
    /**
     * Where the digest came from.
     */
    outcome: Outcome;
    /**
     * Why nothing folded, if nothing did: a reason of the planner, or `no-gain`.
     */
    reason: string | null;
    /**
     * Messages before.
     */
    messagesBefore: number;
    /**
     * Messages after, the digest included.
     */
    messagesAfter: number;
    /**
     * Tokens before.
     */
    tokensBefore: number;
    /**
     * Tokens after, the digest with its frame included.
     */
    tokensAfter: number;
    /**
     * Tokens of the tail.
     */
    tailTokens: number;
    /**
     * The smallest legal tail is larger than the budget.
     */
    overBudget: boolean;
    /**
     * Ids of calls that wait for their result.
     */
    pending: Array<string>;
    /**
     * What became of the messages, and why.
     */
    fates: Array<FateRow>;
    /**
     * Folds in the ledger, those found in the file included.
     */
    folds: number;
    /**
     * What was wrong in the file.
     */
    problems: Array<SessionProblem>;
};
/**
 * A message format.
 */
export type Format = "anthropic" | "openai-chat" | "openai-responses" | "ai-sdk" | "ai-sdk-ui" | "langchain" | "gemini" | "hotl" | "agentfootprint" | "pi";
/**
 * A fold that a file holds already.
 */
export type FoundFoldReport = {
    /**
     * The line that marks it.
     */
    line: number;
    /**
     * What set it off, in the file's words.
     */
    trigger: string | null;
    /**
     * Tokens before it, as the file says.
     */
    tokensBefore: number | null;
    /**
     * Messages that it replaced and that the file still holds.
     */
    originals: number;
    /**
     * Messages of them that stayed verbatim.
     */
    kept: number;
};
/**
 * A [`Finding`] that owns its texts.
 */
export type HealthFinding = {
    "code": "importance-inflation";
    /**
     * The sentence of `warnings`.
     */
    message: string;
    /**
     * Facts of importance 5 or more.
     */
    imp5Count: number;
    /**
     * All facts.
     */
    totalFacts: number;
    /**
     * The share in percent, one decimal.
     */
    imp5Pct: number;
    /**
     * The share above which this is reported.
     */
    softCap: number;
} | {
    "code": "under-recording";
    /**
     * The sentence of `warnings`.
     */
    message: string;
    /**
     * Who records little.
     */
    agents: Array<AgentCount>;
    /**
     * Who records most.
     */
    busiest: AgentCount;
} | {
    "code": "no-pinned-rules";
    /**
     * The sentence of `warnings`.
     */
    message: string;
    /**
     * All facts.
     */
    totalFacts: number;
};
/**
 * A [`MemoryHealth`] that owns its texts, for hosts.
 */
export type HealthReport = {
    /**
     * All facts.
     */
    totalFacts: number;
    /**
     * Facts of importance 5 or more.
     */
    imp5Count: number;
    /**
     * Their share in percent, one decimal.
     */
    imp5Pct: number;
    /**
     * Facts by agent, most first, ties in first-seen order.
     */
    byAgent: Array<AgentCount>;
    /**
     * Agents that record less than a tenth of the busiest one.
     */
    underRecording: Array<string>;
    /**
     * Facts of a pinned kind.
     */
    pinnedCount: number;
    /**
     * What is out of balance, as sentences.
     */
    warnings: Array<string>;
    /**
     * The same with codes and numbers.
     */
    findings: Array<HealthFinding>;
};
/**
 * What is in a file.
 */
export type Inspection = {
    /**
     * Kind of the file.
     */
    kind: SessionKind;
    /**
     * Format of its messages, by name.
     */
    format: string;
    /**
     * Messages in the current window.
     */
    messages: number;
    /**
     * The same by role.
     */
    roles: {
        [key in string]: number;
    };
    /**
     * Tokens of the current window.
     */
    tokens: number;
    /**
     * Tool calls in it.
     */
    calls: number;
    /**
     * Tool results in it.
     */
    results: number;
    /**
     * Ids of calls that wait for their result.
     */
    pending: Array<string>;
    /**
     * Ids of calls that never got a result.
     */
    unanswered: Array<string>;
    /**
     * Ids of results that answer no call.
     */
    orphans: Array<string>;
    /**
     * Images and other media.
     */
    media: number;
    /**
     * Signed reasoning parts.
     */
    signed: number;
    /**
     * Messages in the whole conversation, folded ones included.
     */
    allMessages: number;
    /**
     * Folds in the file, the oldest first.
     */
    folds: Array<FoundFoldReport>;
    /**
     * Answers of the window for which the file has the provider's count.
     */
    counted: number;
    /**
     * The latest of these counts.
     */
    usage: Usage | null;
    /**
     * The branches of the file.
     */
    branches: Array<Branch>;
    /**
     * Records that are no messages of the conversation, by kind.
     */
    skipped: {
        [key in string]: number;
    };
    /**
     * What was wrong, by line.
     */
    problems: Array<SessionProblem>;
};
/**
 * Why a message between prefix and tail stays verbatim.
 */
export type KeptReason = "instructions" | "memory" | "pinned" | "system" | "task" | "request" | "unit";
/**
 * Something that could not be carried over.
 */
export type Loss = {
    /**
     * What.
     */
    code: LossCode;
    /**
     * Index of the source's message.
     */
    index: number;
    /**
     * The sentence.
     */
    message: string;
};
/**
 * What could not be carried over. The kebab-case form is part of the API and never changes its meaning.
 */
export type LossCode = "system-text" | "reasoning" | "signature" | "hosted-call" | "approval" | "media" | "field" | "summary" | "unknown-part" | "tool-name" | "call-id" | "arguments" | "error-flag" | "orphan-result" | "provenance" | "blank-text";
/**
 * Tokens and messages of each part of a plan.
 */
export type Measure = {
    /**
     * Tokens of all messages, before the fold.
     */
    total: number;
    /**
     * Tokens of the messages that fold: what the fold frees, before the digest takes some back.
     */
    folded: number;
    /**
     * Tokens of the prefix.
     */
    prefix: number;
    /**
     * Tokens of the messages kept inside the span.
     */
    kept: number;
    /**
     * Tokens of the tail.
     */
    tail: number;
    /**
     * Number of messages that fold.
     */
    foldedMessages: number;
    /**
     * Tool calls in the messages that fold.
     */
    foldedCalls: number;
    /**
     * Signed reasoning parts in the messages that fold.
     */
    foldedSigned: number;
};
/**
 * The facts of a namespace.
 */
export type NamespaceCount = {
    /**
     * The trimmed name; `default` for facts without.
     */
    namespace: string;
    /**
     * Its facts.
     */
    facts: number;
    /**
     * Those of importance 5 or more.
     */
    imp5Count: number;
};
/**
 * Nothing can fold, and why.
 */
export type NonePlan = {
    /**
     * The format that the messages were read by.
     */
    format: Format;
    /**
     * Number of messages that were planned.
     */
    length: number;
    /**
     * Why nothing folds.
     */
    reason: NoneReason;
    /**
     * Ids of calls that wait for their result.
     */
    pending: Array<string>;
    /**
     * Tokens of all messages.
     */
    total: number;
    /**
     * What follows the prefix, old digests at its start apart, costs more than the budget.
     */
    overBudget: boolean;
    /**
     * Over budget: the tool results whose clipping would help, the largest first.
     */
    clips: Array<ClipOffer>;
};
/**
 * Why nothing folds.
 */
export type NoneReason = "nothing-to-fold" | "only-existing-summary" | "no-legal-cut" | "pending-call";
/**
 * Why a fold is not made although there is something to fold.
 */
export type Obstacle = "too-little-gain" | "cannot-fit";
/**
 * The oldest message of a window that is still what was said.
 */
export type OldestVerbatim = {
    /**
     * Its index in the window, the prefix and digests apart.
     */
    index: number;
    /**
     * How many messages of the whole conversation came since.
     */
    age: number;
    /**
     * Messages of the whole conversation.
     */
    of: number;
};
/**
 * Where the text of a digest came from.
 */
export type Outcome = "summarized" | "deterministic" | "unchanged";
/**
 * What became of the pins.
 */
export type PinSurvival = {
    /**
     * Pins that there should be.
     */
    pinned: number;
    /**
     * Those that are there.
     */
    present: number;
    /**
     * The share in percent, one decimal; 100 without pins.
     */
    pct: number;
};
/**
 * The answer of the planner.
 */
export type Plan = ({
    "kind": "fold";
} & FoldPlan) | ({
    "kind": "none";
} & NonePlan);
/**
 * Tokens of the parts of a planned window, the digest apart.
 */
export type PlanTokens = {
    /**
     * Leading messages that never fold.
     */
    prefix: number;
    /**
     * Messages between prefix and tail that stay verbatim.
     */
    kept: number;
    /**
     * What stays verbatim at the end.
     */
    tail: number;
};
/**
 * Something that the provider would refuse.
 */
export type Problem = {
    /**
     * What.
     */
    code: ProblemCode;
    /**
     * Index of the message.
     */
    index: number;
    /**
     * Id of the call, result or item, where it has one.
     */
    id?: string;
    /**
     * The sentence.
     */
    message: string;
};
/**
 * What is wrong with a message. The kebab-case form is part of the API and never changes its meaning.
 */
export type ProblemCode = "orphan-result" | "unanswered-call" | "duplicate-result" | "misplaced-result" | "reasoning-orphan" | "reasoning-only" | "misplaced-reasoning" | "unsigned-reasoning" | "empty-message" | "wrong-first-role" | "broken-alternation" | "duplicate-id" | "missing-id" | "bad-member";
/**
 * What gives a sentence away.
 */
export type ProposalReason = "never" | "prohibition" | "always" | "obligation" | "from-now-on" | "exclusive" | "mistake";
/**
 * A proposal: a sentence of a message.
 */
export type ProposedPin = {
    /**
     * Index of the message.
     */
    index: number;
    /**
     * Which text of the message it is, from 0 on: a string is the first, of a list the first text part.
     */
    part: number;
    /**
     * Where it begins in that text, in UTF-16 units.
     */
    start: number;
    /**
     * Where it ends.
     */
    end: number;
    /**
     * What gave it away.
     */
    reason: ProposalReason;
    /**
     * The kind of fact that it would be: `constraint`, or `antipattern` for a known mistake.
     */
    kind: string;
    /**
     * The language of the words that gave it away, as ISO 639-1 has it.
     */
    language: string;
    /**
     * The sentence.
     */
    text: string;
};
/**
 * Where a message came from, beyond its role.
 */
export type Provenance = "plain" | "instructions" | "memory" | "steer" | "injected" | "summary";
/**
 * One step of a reduction.
 */
export type ReduceStep = {
    /**
     * What was done.
     */
    code: StepCode;
    /**
     * Index of the message, in the messages that came in.
     */
    index: number;
    /**
     * Index of the part in it, as its format reports them.
     */
    part: number;
    /**
     * Tokens that it gains, more than 0.
     */
    tokens: number;
    /**
     * Id of the call whose result it is.
     */
    id?: string;
    /**
     * Name of the tool.
     */
    tool?: string;
    /**
     * The file that was read.
     */
    path?: string;
    /**
     * Index of the later message that makes it redundant.
     */
    because?: number;
};
/**
 * Tokens of a transcript.
 */
export type ReducedTokens = {
    /**
     * Before the reduction.
     */
    before: number;
    /**
     * After it: less by just what the steps gain.
     */
    after: number;
};
/**
 * Steps of a rung that were not taken.
 */
export type Refusal = {
    /**
     * What would have been done.
     */
    code: StepCode;
    /**
     * In how many places.
     */
    steps: number;
    /**
     * Tokens that they would have gained.
     */
    gain: number;
    /**
     * Tokens that they would have had to gain.
     */
    cost: number;
    /**
     * Why.
     */
    reason: RefusalReason;
};
/**
 * Why steps were not taken.
 */
export type RefusalReason = "min-gain" | "cache";
/**
 * One that was not admitted.
 */
export type RefusedEntry = {
    /**
     * Its index.
     */
    index: number;
    /**
     * Why.
     */
    reason: RefusedPin;
    /**
     * Index of the one that stands for it or in front of it, where there is one.
     */
    by?: number;
};
/**
 * Why one was not admitted.
 */
export type RefusedPin = "blank" | "superseded" | "outranked" | "duplicate" | "near-duplicate" | "too-long" | "over-count" | "over-tokens";
/**
 * Why an answer is no summary to rely on.
 */
export type Rejection = "blank" | "not-text" | "cut-off" | "error" | "refusal" | "echo" | "unchanged" | "repetition" | "not-smaller" | "not-a-summary";
/**
 * Who speaks.
 */
export type Role = "system" | "user" | "assistant" | "tool" | "other";
/**
 * A kind of session file.
 */
export type SessionKind = "codex" | "opencode" | "gemini-cli" | "claude-code" | "pi" | "messages";
/**
 * Something wrong with a line that did not keep the rest from being read.
 */
export type SessionProblem = {
    /**
     * The line, counted from 1.
     */
    line: number;
    /**
     * The code.
     */
    code: SessionProblemCode;
    /**
     * What was wrong, where, and what was done about it.
     */
    message: string;
};
/**
 * What went wrong with a line. The kebab-case form is part of the API and never changes its meaning.
 */
export type SessionProblemCode = "invalid-utf8" | "broken-line" | "torn-line" | "joined-records" | "nul-bytes" | "not-a-message" | "mixed-formats" | "duplicate-uuid" | "missing-parent" | "parent-loop" | "boundary-without-summary" | "missing-preserved" | "fold-left" | "cleared-output";
/**
 * How a file that holds plain messages is laid out.
 */
export type Shape = "lines" | "array" | {
    "object": string;
};
/**
 * Why a line is no message of the conversation.
 */
export type SkipCode = "header" | "title" | "setting" | "progress" | "snapshot" | "system-note" | "attachment" | "sidechain" | "other-branch" | "api-error" | "duplicate" | "unreadable" | "unknown-type" | "metadata" | "command";
/**
 * A record that is no message of the conversation.
 */
export type Skipped = {
    /**
     * The line, counted from 1.
     */
    line: number;
    /**
     * Why it is none.
     */
    code: SkipCode;
};
/**
 * A fold that freed little.
 */
export type SmallFold = {
    /**
     * Its number in the ledger, from 0 on.
     */
    fold: number;
    /**
     * Tokens before it.
     */
    before: number;
    /**
     * Tokens behind it.
     */
    after: number;
    /**
     * What it freed, in percent, one decimal.
     */
    freedPct: number;
};
/**
 * What a step of a reduction did.
 */
export type StepCode = "duplicate-result" | "superseded-read" | "cleared-result" | "clipped-result" | "dropped-reasoning" | "image-note";
/**
 * A request to a model.
 */
export type SummarizeRequest = {
    /**
     * The system text.
     */
    system: string;
    /**
     * The user text: the transcript of what folds, or of a part of it, or the summaries of the parts.
     */
    prompt: string;
    /**
     * Estimate of both, in tokens.
     */
    tokens: number;
    /**
     * Which part of the transcript this is, from 1 on.
     */
    part: number;
    /**
     * Number of parts: 1 where nothing is to be put together.
     */
    parts: number;
    /**
     * The earlier summary that it starts with, without its frame.
     */
    earlier?: string;
};
/**
 * Something that is wrong, with the numbers that show it.
 */
export type SurveyFinding = {
    "code": "silent-roles";
    /**
     * The sentence.
     */
    message: string;
    /**
     * Their names, as in the roster.
     */
    roles: Array<string>;
} | {
    "code": "agent-inflation";
    /**
     * The sentence.
     */
    message: string;
    /**
     * Who.
     */
    agent: AgentImportance;
    /**
     * The share in percent above which this is reported.
     */
    softCap: number;
} | {
    "code": "namespace-inflation";
    /**
     * The sentence.
     */
    message: string;
    /**
     * Which.
     */
    namespace: NamespaceCount;
    /**
     * The number above which this is reported.
     */
    softCap: number;
} | {
    "code": "pins-lost";
    /**
     * The sentence.
     */
    message: string;
    /**
     * How many.
     */
    lost: number;
    /**
     * Of how many.
     */
    pinned: number;
} | {
    "code": "deep-summary";
    /**
     * The sentence.
     */
    message: string;
    /**
     * How often.
     */
    depth: number;
} | {
    "code": "little-freed";
    /**
     * The sentence.
     */
    message: string;
    /**
     * How many.
     */
    folds: number;
    /**
     * Of how many.
     */
    of: number;
};
/**
 * Tokens of one part of a window.
 */
export type TokenRow = {
    /**
     * `system`, `pinned`, `memory` (project instructions included), `digests`, `user`, `assistant`, `tools`, `other`.
     */
    part: string;
    /**
     * Its messages.
     */
    messages: number;
    /**
     * Their tokens.
     */
    tokens: number;
};
/**
 * What a tool does.
 */
export type ToolKind = "read" | "write" | "run";
/**
 * Tokens of one answer of the model, as its provider counted them.
 */
export type Usage = {
    /**
     * Tokens of the whole prompt, those that a cache held included.
     */
    input: number;
    /**
     * Tokens of the answer, its reasoning included.
     */
    output: number;
    /**
     * Of the prompt, what was read from a cache.
     */
    cacheRead: number;
    /**
     * Of the prompt, what was written to a cache.
     */
    cacheWrite: number;
};
