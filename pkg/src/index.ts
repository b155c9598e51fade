// Everything that the package offers, by the file that holds it.

export { PlicaError } from "./errors.js";
export type { PlicaErrorCode, StoreErrorCode } from "./errors.js";
export { init } from "./loader/init.js";

export { foldedMessages, foldedSpanFor, foldedSpansFor, isCompactedSummary, spanFingerprint, summaryFingerprint } from "./folded.js";
export type { FoldedConversation, SpanLike, SummaryLike } from "./folded.js";

export {
  PINNED_KINDS,
  budgetFacts,
  computeMemoryHealth,
  effectiveImportance,
  isPinnedKind,
  keyPrefix,
  partitionPinned,
  salience,
} from "./memory.js";
export type { BudgetOptions, Fact, MemoryConfig, Partition, Recall, Time } from "./memory.js";

export { admitPins, pinnedMessage, placePins, proposePins, verifyPins } from "./pins.js";
export type { Admission, AdmitOptions, IssuerOptions, Pin, PinCheck, PinnedMessage, PinnedMessageOptions, PlaceOptions, Proposal, ProposeOptions, Refused } from "./pins.js";
export { surveyMemory } from "./survey.js";
export type { MemorySurvey, SurveyOptions } from "./survey.js";

export { fingerprint, fingerprints } from "./identity.js";
export type { FormatOptions } from "./identity.js";

export { detectFormat, estimate, explain, fold, measure, plan } from "./planning.js";
export type { Estimate, FoldOptions, Plan, PlanLike, PlanOptions, ProvenanceMark, ReadOptions } from "./planning.js";

export { check, clipResults, repair, undoRepair } from "./repair.js";
export type { Edit, Repaired } from "./repair.js";

export { reduce } from "./reduce.js";
export type { CacheOptions, ClearOptions, ReduceOptions, Reduction } from "./reduce.js";
export type { ToolUse } from "./tools.js";

export { convert, convertSession } from "./convert.js";
export type { ConvertOptions, Converted, ConvertedSession } from "./convert.js";

export { SUMMARIZE_SYSTEM, deterministicDigest, digestFormat, digestMessage, floorDigest, mergeRequests, summarizeRequest, summarizeRequests } from "./digests.js";
export type { DigestMessage, DigestMessageOptions, DigestOptions, MergeOptions, SummarizeOptions, SummarizeRequestsOptions } from "./digests.js";

export { activity, withActivity } from "./activity.js";
export type { ActivityOptions } from "./activity.js";

export { compact, prepare } from "./compact.js";
export type { CompactEvent, CompactOptions, CompactReason, Compaction, FailedAttempt, Preparation, PrepareOptions, Signal, Summarize, SummaryText } from "./compact.js";

export { isTooLong, judgeSummary } from "./accept.js";
export type { SummaryAnswer, Verdict } from "./accept.js";

export { Ledger } from "./ledger.js";
export type { AnyLedger, EditToRecord, Fold, FoldNotes, FoldToRecord, FromFoldedOptions, FromOptions, LedgerEdit, LedgerJson, LedgerOptions, RetiredPin, Retention } from "./ledger.js";
export { parseMessage, stringifyMessage } from "./texts.js";
export type { Span, SpanOptions, UnplacedSpan } from "./spans.js";

export { Transcript } from "./transcript.js";
export type { CommitOptions, DueOptions, TranscriptOptions, TranscriptPlanOptions, UsageFigures, WindowSize } from "./transcript.js";

export { foldSession, inspectSession, readSession, summarizeSession, unfoldSession } from "./session.js";
export type { FoldSessionOptions, FoldedSession, Session, SessionFold, UnfoldedSession } from "./session.js";

export type {
  Activity,
  AgentCount,
  AgentImportance,
  Branch,
  BudgetedFacts,
  CacheEffect,
  ClipOffer,
  CommandActivity,
  ConversationSurvey,
  ConversionReport,
  EditKind,
  EditRecord,
  EditRun,
  Explanation,
  Fate,
  FateRow,
  FileActivity,
  Filler,
  FoldPlan,
  FoldRecord,
  FoldReport,
  Format,
  FoundFoldReport,
  HealthFinding,
  HealthReport,
  Inspection,
  KeptReason,
  Loss,
  LossCode,
  Measure,
  NamespaceCount,
  NonePlan,
  NoneReason,
  Obstacle,
  OldestVerbatim,
  Outcome,
  PinSurvival,
  PlanTokens,
  Problem,
  ProblemCode,
  ProposalReason,
  ProposedPin,
  Provenance,
  ReduceStep,
  ReducedTokens,
  Refusal,
  RefusalReason,
  RefusedPin,
  Rejection,
  Role,
  SessionKind,
  SessionProblem,
  SessionProblemCode,
  SkipCode,
  Skipped,
  SmallFold,
  StepCode,
  SummarizeRequest,
  SurveyFinding,
  TokenRow,
  ToolKind,
} from "./generated/core.js";
