import type { Ledger, Signal } from "plica";
import type { ConversationOptions } from "./conversation.js";
/** Options of {@link foldSteps}: those of `compact`, the window, and where the conversation is kept. */
export type FoldStepsOptions<M extends object = object> = ConversationOptions<M>;
/** A step that is done, as far as it is looked at. */
export interface StepDone {
    /** What the provider counted. */
    readonly usage?: object | undefined;
    /** What the model said, with the results of its calls. */
    readonly response: {
        readonly messages: readonly object[];
    };
}
/** What `prepareStep` is given. */
export interface StepToPrepare<M extends object, I> {
    /** The messages of the step. */
    messages: M[];
    /** The steps of the run so far. */
    steps: readonly StepDone[];
    /** Version 7: the system text. */
    instructions?: I | undefined;
    /** Version 7: the messages that the run began with. */
    initialMessages?: readonly object[] | undefined;
}
/** What `prepareStep` gives. */
export interface PreparedStep<M extends object, I> {
    /** The window: your own objects, with the digests among them. */
    messages: M[];
    /** Version 7, with pins: the system text with the rules behind it. */
    instructions?: NonNullable<I>;
}
/** A run, as `generateText` and `streamText` give it, and `onFinish` and `onAbort` hear of it. */
export interface StepsDone {
    /** Its steps. */
    readonly steps: readonly StepDone[] | PromiseLike<readonly StepDone[]>;
}
/** One run of a conversation; see {@link StepFolding.run}. */
export interface StepRun<M extends object = object> {
    /**
     * For `prepareStep` of `generateText`, `streamText` and `ToolLoopAgent`.
     *
     * @throws PlicaError those of `compact` and of the store; `conflict` when another server has written to the conversation what is not
     * among the messages, when another run has taken the place of this one, when the messages of a {@link StepFolding.run} do not go on from
     * all that was said, or when they begin otherwise than the conversation: those of another, or an edited first message (`clear()` then).
     */
    readonly prepareStep: <N extends object, I = unknown>(step: StepToPrepare<N, I>) => Promise<PreparedStep<N, I>>;
    /**
     * For `onStepFinish` (version 7: `onStepEnd` as well): keeps each step as soon as it is done. The AI SDK ignores what it throws; what
     * could not be stored is stored by the next call, or by {@link record}, which says so.
     */
    readonly onStepFinish: (step: StepDone) => Promise<void>;
    /**
     * Keeps a run to its end: its last answer, which no further step is prepared with. When it is done, so is the writing.
     *
     * @param run what `generateText` or `streamText` gave, or `onFinish` or `onAbort` heard; or messages: all that was said, or the window
     * with what came since.
     * @throws PlicaError those of the store; `conflict` as {@link prepareStep}; `bad-argument` when it is not this
     * run that was handed over.
     */
    record(run: StepsDone | readonly M[]): Promise<void>;
}
/** One conversation that is folded step by step; see {@link foldSteps}. Its own `prepareStep`, `onStepFinish` and `record` are for runs that follow each other. */
export interface StepFolding<M extends object = object> extends StepRun<M> {
    /**
     * `prepareStep` for a run that can be aborted: the AI SDK does not tell `prepareStep` of its `abortSignal`, and waits for it.
     *
     * @example
     * generateText({ …, abortSignal, prepareStep: folding.until(abortSignal) })
     */
    until(signal: Signal): StepFolding<M>["prepareStep"];
    /**
     * A run of its own, for programs in which several may be under way at a time, on several servers as well. One of them goes on; one whose
     * messages do not go on from all that was said is told `conflict`, and begins anew with {@link messages}. Nothing is mixed, and nothing
     * is lost: such a run never takes the conversation back. An answer is made anew, and a request edited, with the folding's own
     * `prepareStep`.
     *
     * @param options.signal ends a fold, as with {@link until}.
     * @example
     * const run = folding.run({ signal: abortSignal });
     * const messages = [...(await folding.messages()), { role: "user", content: request }];
     * const result = await generateText({ model, tools, messages, abortSignal, prepareStep: run.prepareStep, onStepFinish: run.onStepFinish });
     * await run.record(result);
     */
    run(options?: {
        signal?: Signal | undefined;
    }): StepRun<M>;
    /** What to go on with: the window, without the rules, which are put in when it is sent. */
    messages(): Promise<M[]>;
    /** All that was ever said, but the system text at the head: every original. */
    originals(): Promise<M[]>;
    /** The ledger. With {@link messages} it is all that has to be kept where there is no store. */
    ledger(): Promise<Ledger<M>>;
    /** Forgets the conversation, in the store as well. */
    clear(): Promise<void>;
}
/**
 * Folds one conversation in the AI SDK's loop of steps, between one step and the next, when it is time to. Each conversation has a
 * folding of its own. Its runs follow each other: a run that begins takes the place of the one before, which is told `conflict` if it
 * goes on. Where several may be under way at a time, each is a {@link StepFolding.run} of its own.
 *
 * System text at the head of the messages, and `system` and `instructions`, are sent as they are and never fold. `pins` stand behind
 * them: in `instructions` (version 7), or in a system message behind those that lead the messages (version 6).
 *
 * @throws PlicaError `bad-argument`.
 * @example
 * const folding = foldSteps<ModelMessage>({ window: 200_000, summarize: summarizeWith({ generateText, model }) });
 * const messages = [...(await folding.messages()), { role: "user", content: request }];
 * const result = await generateText({ model, tools, stopWhen, messages, prepareStep: folding.prepareStep });
 * await folding.record(result);
 */
export declare function foldSteps<M extends object = object>(options: FoldStepsOptions<M>): StepFolding<M>;
