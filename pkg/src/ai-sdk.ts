// The entry `plica/ai-sdk`: the Vercel AI SDK, versions 6 and 7.

export { foldSteps } from "./adapters/ai-sdk.js";
export type { FoldStepsOptions, PreparedStep, StepDone, StepFolding, StepRun, StepToPrepare, StepsDone } from "./adapters/ai-sdk.js";
export { foldPrompts } from "./adapters/ai-sdk-prompts.js";
export type { FoldPromptsOptions, FoldedConversation, KeptWindow, ModelCall, ModelStream, PromptFolding } from "./adapters/ai-sdk-prompts.js";
export { summarizeWith } from "./adapters/ai-sdk-summary.js";
export type { GeneratedText, SummarizeWithOptions, TextRequest } from "./adapters/ai-sdk-summary.js";
export type { ConversationOptions } from "./adapters/conversation.js";
