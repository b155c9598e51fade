export { foldSteps } from "./adapters/ai-sdk.cjs";
export type { FoldStepsOptions, PreparedStep, StepDone, StepFolding, StepRun, StepToPrepare, StepsDone } from "./adapters/ai-sdk.cjs";
export { foldPrompts } from "./adapters/ai-sdk-prompts.cjs";
export type { FoldPromptsOptions, FoldedConversation, KeptWindow, ModelCall, ModelStream, PromptFolding } from "./adapters/ai-sdk-prompts.cjs";
export { summarizeWith } from "./adapters/ai-sdk-summary.cjs";
export type { GeneratedText, SummarizeWithOptions, TextRequest } from "./adapters/ai-sdk-summary.cjs";
export type { ConversationOptions } from "./adapters/conversation.cjs";
