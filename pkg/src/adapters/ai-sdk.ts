// The AI SDK's loop of steps: generateText, streamText, ToolLoopAgent. `prepareStep` is given the messages of each step and gives the
// window in their place. Version 6 hands over all that was said each time, version 7 the window that it was given, with what came
// since; what is new in either is for the conversation to find out.

import { PlicaError } from "plica";
import type { Ledger, Signal } from "plica";
import { parted, textsOf, tokensOf, withoutRules } from "./ai-sdk-system.js";
import type { AnyMessage } from "./ai-sdk-system.js";
import { Conversation } from "./conversation.js";
import type { ConversationOptions } from "./conversation.js";

/** Options of {@link foldSteps}: those of `compact`, the window, and where the conversation is kept. */
export type FoldStepsOptions<M extends object = object> = ConversationOptions<M>;

/** A step that is done, as far as it is looked at. */
export interface StepDone {
  /** What the provider counted. */
  readonly usage?: object | undefined;
  /** What the model said, with the results of its calls. */
  readonly response: { readonly messages: readonly object[] };
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

/** One conversation that is folded step by step; see {@link foldSteps}. */
export interface StepFolding<M extends object = object> {
  /**
   * For `prepareStep` of `generateText`, `streamText` and `ToolLoopAgent`.
   *
   * @throws PlicaError those of `compact` and of the store; `conflict` when another server has written to the conversation what is not
   * among the messages, or when they begin otherwise than the conversation: those of another, or an edited first message (`clear()` then).
   */
  readonly prepareStep: <N extends object, I = unknown>(step: StepToPrepare<N, I>) => Promise<PreparedStep<N, I>>;
  /**
   * For `onStepFinish` (version 7: `onStepEnd` as well): keeps each step as soon as it is done. The AI SDK ignores what it throws; what
   * could not be stored is stored by the next call, or by {@link record}, which says so.
   */
  readonly onStepFinish: (step: StepDone) => Promise<void>;
  /**
   * `prepareStep` for a run that can be aborted: the AI SDK does not tell `prepareStep` of its `abortSignal`, and waits for it.
   *
   * @example
   * generateText({ …, abortSignal, prepareStep: folding.until(abortSignal) })
   */
  until(signal: Signal): StepFolding<M>["prepareStep"];
  /**
   * Keeps a run to its end: its last answer, which no further step is prepared with. When it is done, so is the writing.
   *
   * @param run what `generateText` or `streamText` gave, or `onFinish` or `onAbort` heard; or messages: all that was said, or the window
   * with what came since.
   * @throws PlicaError those of the store; `conflict` as {@link prepareStep}; `bad-argument` when that was not part of the run.
   */
  record(run: StepsDone | readonly M[]): Promise<void>;
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
 * Folds one conversation in the AI SDK's loop of steps, between one step and the next, when it is time to. Runs of one conversation
 * follow each other; each conversation has a folding of its own.
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
export function foldSteps<M extends object = object>(options: FoldStepsOptions<M>): StepFolding<M> {
  return new Folding<M>(options);
}

/** A step as it was prepared. */
interface Prepared<M extends object> {
  /** Its number in the run, from 0 on. */
  number: number;
  /** The messages as they were handed over, but the system text at their head. */
  given: readonly M[];
  /** The window in their place. */
  handed: readonly M[];
  /** All that was said until then. */
  said: readonly M[];
  /** How many of the messages that the step will have answered with were there before it: version 6 counts a run's answers up. */
  before: number | undefined;
  /** Whether the provider's count of it was taken. */
  counted: boolean;
}

class Folding<M extends object> implements StepFolding<M> {
  readonly prepareStep: StepFolding<M>["prepareStep"];
  readonly onStepFinish: StepFolding<M>["onStepFinish"];
  private readonly conversation: Conversation<M>;
  private current: Prepared<M> | undefined;
  /** The last step of the run that was recorded last. */
  private recorded: StepDone | undefined;
  /** Messages with rules that were put behind the system text: version 7 hands them over again. */
  private readonly placed = new WeakSet<object>();

  constructor(options: FoldStepsOptions<M>) {
    this.conversation = new Conversation<M>(options, { format: "ai-sdk" });
    // Members of their own: they are handed over without their object.
    this.prepareStep = this.preparing(undefined);
    this.onStepFinish = (step) => this.finished(step);
  }

  until(signal: Signal): StepFolding<M>["prepareStep"] {
    return this.preparing(signal);
  }

  async record(run: StepsDone | readonly M[]): Promise<void> {
    if (Array.isArray(run)) return this.conversation.record(parted(run as readonly M[])[1], { back: "begun" });
    const steps = await (run as StepsDone | undefined | null)?.steps;
    if (!Array.isArray(steps)) throw new PlicaError("bad-argument", "record needs what generateText gave, or messages");
    const [last, number] = [steps[steps.length - 1] as StepDone | undefined, this.current?.number];
    if (last !== undefined && last === this.recorded) return;
    // A step that was prepared and came to nothing is none; those before it were handed over with it.
    if (last === undefined || number === steps.length) return;
    if (number !== steps.length - 1) throw new PlicaError("bad-argument", "record needs the run that prepareStep was part of last");
    await this.finished(last);
    this.recorded = last;
    this.current = undefined;
  }

  async messages(): Promise<M[]> {
    return withoutRules(await this.conversation.messages(), this.conversation)[1];
  }

  originals(): Promise<M[]> {
    return this.conversation.originals();
  }

  ledger(): Promise<Ledger<M>> {
    return this.conversation.ledger();
  }

  clear(): Promise<void> {
    this.current = undefined;
    return this.conversation.clear();
  }

  private preparing(signal: Signal | undefined): StepFolding<M>["prepareStep"] {
    return async <N extends object, I>(step: StepToPrepare<N, I>) => (await this.prepared(step as unknown as StepToPrepare<M, I>, signal)) as unknown as PreparedStep<N, I>;
  }

  private async prepared<I>(step: StepToPrepare<M, I>, signal: Signal | undefined): Promise<PreparedStep<M, I>> {
    const [head, given] = parted(step.messages);
    if (given.length === 0) return { messages: step.messages };
    const system = this.instructionsOf(step.instructions);
    const all = this.followed(given, step.steps.length);
    const beside = (): number => tokensOf(textsOf([...system, ...head]));
    // In the midst of a run nobody edits: what does not go on from the step before is another run's.
    const back = step.steps.length > 0 && this.current !== undefined && all === given ? "never" : "begun";
    const window = await this.conversation.window(all, { back, signal, usage: this.usageBefore(step), beside });
    const [rules, handed] = withoutRules(window, this.conversation);
    const said = await this.conversation.originals(all);
    const seven = step.initialMessages !== undefined;
    const before = seven ? 0 : step.steps[step.steps.length - 1]?.response.messages.length;
    this.current = { number: step.steps.length, given, handed, said, before, counted: false };
    if (!seven) return { messages: [...head, ...rules, ...handed] };
    const messages = [...head, ...handed];
    return rules.length === 0 ? { messages } : { messages, instructions: this.withRules(step.instructions, system, rules) as NonNullable<I> };
  }

  /** All that was said, where the messages go on from those of the step before, in either way. */
  private followed(given: readonly M[], number: number): readonly M[] {
    const { current } = this;
    if (current === undefined || number === 0 || current.number !== number - 1) return given;
    for (const list of [current.given, current.handed]) {
      if (list.length <= given.length && list.every((message, i) => message === given[i])) return [...current.said, ...given.slice(list.length)];
    }
    return given;
  }

  private usageBefore({ steps }: StepToPrepare<M, unknown>): object | undefined {
    const { current } = this;
    // Only the request that the window is still as it was for.
    if (current === undefined || current.number !== steps.length - 1 || current.counted) return undefined;
    current.counted = true;
    return steps[steps.length - 1]!.usage;
  }

  private async finished(step: StepDone): Promise<void> {
    const { current } = this;
    if (current === undefined) return;
    const { messages } = step.response;
    // What approved calls gave in front of the first step is among the messages that it was prepared with.
    const before = current.before ?? (isTool(messages[0]) ? 1 : 0);
    const usage = current.counted ? undefined : step.usage;
    current.counted = true;
    await this.conversation.record([...current.said, ...(messages.slice(before) as M[])], { back: "begun", usage });
  }

  /** The system text of version 7 as messages, without rules of ours. */
  private instructionsOf(given: unknown): object[] {
    if (given === undefined || given === null) return [];
    const list = (typeof given === "string" ? [{ role: "system", content: given }] : Array.isArray(given) ? given : [given]) as object[];
    return list.filter((message) => !this.placed.has(message));
  }

  private withRules(given: unknown, system: readonly object[], rules: readonly M[]): unknown {
    const all = [...system, ...rules];
    for (const message of rules) this.placed.add(message);
    return Array.isArray(given) && given.length === all.length && all.every((message, i) => message === given[i]) ? given : all;
  }
}

function isTool(message: object | undefined): boolean {
  return (message as AnyMessage | undefined)?.role === "tool";
}
