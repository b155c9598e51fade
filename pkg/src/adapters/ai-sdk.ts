// The AI SDK's loop of steps: generateText, streamText, ToolLoopAgent. `prepareStep` is given the messages of each step and gives the
// window in their place. Version 6 hands over all that was said each time, version 7 the window that it was given, with what came
// since; what is new in either is for the conversation to find out.

import { PlicaError } from "plica";
import type { Ledger, Signal } from "plica";
import { parted, textsOf, withoutRules } from "./ai-sdk-system.js";
import { tokensOf } from "./beside.js";
import { isArray, memberOf, optionsIn, refuseMessages, refuseNoSignal } from "./checks.js";
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
  run(options?: { signal?: Signal | undefined }): StepRun<M>;
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

/** The steps of a run: the AI SDK has one array for each run, and puts each step into it that is done. */
type Steps = readonly StepDone[];

/** So many runs that others took the place of are remembered. */
const REPLACED = 8;

const OVER = "another run of this conversation began since, or it was cleared: begin anew with messages(); runs at one time need a run() each";

/** What the runs of a conversation share. */
class Shared<M extends object> {
  readonly conversation: Conversation<M>;
  /** Whose run an array of steps is of. */
  readonly owners = new WeakMap<Steps, Run<M>>();
  /** Last steps of runs that were recorded to their end. */
  readonly recorded = new WeakSet<StepDone>();
  /** Messages with rules that were put behind the system text: version 7 hands them over again. */
  readonly placed = new WeakSet<object>();
  /** How often the conversation was cleared. */
  cleared = 0;

  constructor(options: FoldStepsOptions<M>) {
    this.conversation = new Conversation<M>(options, { format: "ai-sdk" });
  }
}

class Run<M extends object> implements StepRun<M> {
  readonly prepareStep: StepRun<M>["prepareStep"];
  readonly onStepFinish: StepRun<M>["onStepFinish"];
  private current: Prepared<M> | undefined;
  /** The steps of the run that is under way, or was last. */
  private steps: Steps | undefined;
  /** Those of runs that it took the place of. */
  private replaced: Steps[] = [];
  /** How often the conversation had been cleared when the run began; one of its own begins when it is made. */
  private cleared: number;

  /** `alone`: runs that follow each other, each of which may go back with the conversation. */
  constructor(
    private readonly shared: Shared<M>,
    signal: Signal | undefined,
    private readonly alone: boolean,
  ) {
    this.cleared = shared.cleared;
    // Members of their own: they are handed over without their object.
    this.prepareStep = this.preparing(signal);
    this.onStepFinish = (step) => this.done(step);
  }

  async record(run: StepsDone | readonly M[]): Promise<void> {
    if (isArray(run)) {
      refuseMessages(run);
      return this.recordMessages(parted(run as readonly M[])[1]);
    }
    const steps = await (run as StepsDone | undefined | null)?.steps;
    if (!Array.isArray(steps)) throw new PlicaError("bad-argument", "record needs what generateText gave, or messages");
    const [last, number] = [steps[steps.length - 1] as StepDone | undefined, this.current?.number];
    if (last === undefined || this.shared.recorded.has(last)) return;
    this.refuseOther(steps);
    // A step that was prepared and came to nothing is none; those before it were handed over with it.
    if (number === steps.length) return;
    if (number !== steps.length - 1 || !this.isOfSteps(steps)) throw new PlicaError("bad-argument", "record needs the run that prepareStep was part of last");
    const { current } = this;
    await this.finished(last);
    this.shared.recorded.add(last);
    if (this.current === current) this.current = undefined;
  }

  preparing(signal: Signal | undefined): StepRun<M>["prepareStep"] {
    refuseNoSignal(signal);
    return async <N extends object, I>(step: StepToPrepare<N, I>) => (await this.prepared(step as unknown as StepToPrepare<M, I>, signal)) as unknown as PreparedStep<N, I>;
  }

  private async recordMessages(messages: readonly M[]): Promise<void> {
    this.refuseCleared();
    return this.shared.conversation.record(messages, { back: this.back(true) });
  }

  private async prepared<I>(step: StepToPrepare<M, I>, signal: Signal | undefined): Promise<PreparedStep<M, I>> {
    const { conversation } = this.shared;
    if (!isArray(memberOf(step, "steps"))) throw new PlicaError("bad-argument", "prepareStep needs what the AI SDK hands over: { messages, steps }");
    refuseMessages(step.messages);
    if (step.steps.length > 0) refuseNoStep(step.steps[step.steps.length - 1]);
    const [head, given] = parted(step.messages);
    this.refuseOther(step.steps);
    if (given.length === 0) return { messages: step.messages };
    const system = this.instructionsOf(step.instructions);
    const all = this.followed(given, step.steps.length);
    const beside = (): number => tokensOf(textsOf([...system, ...head]));
    const back = this.back(step.steps.length === 0);
    const usage = this.usageBefore(step);
    const giveUp = this.beginWith(step.steps);
    const { window, said } = await conversation.next(all, { back, signal, usage, beside }).catch((error: unknown) => {
      giveUp();
      throw error;
    });
    const [rules, handed] = withoutRules(window, conversation);
    const seven = step.initialMessages !== undefined;
    const before = seven ? 0 : step.steps[step.steps.length - 1]?.response.messages.length;
    // Another one may have begun while this one waited.
    this.refuseOther(step.steps);
    this.current = { number: step.steps.length, given, handed, said, before, counted: false };
    if (!seven) return { messages: [...head, ...rules, ...handed] };
    const messages = [...head, ...handed];
    return rules.length === 0 ? { messages } : { messages, instructions: this.withRules(step.instructions, system, rules) as NonNullable<I> };
  }

  // --- whose run --------------------------------------------------------------------------------------------------------

  /**
   * Whether it may take the conversation back. In the midst of a run nobody edits, and a run of its own never goes back: what there is
   * beyond its messages another run has said, here or on another server.
   */
  private back(isFirst: boolean): "begun" | "never" {
    return this.alone && isFirst ? "begun" : "never";
  }

  /** A run of its own ends when the conversation is cleared: its messages may be from before. */
  private refuseCleared(): void {
    if (!this.alone && this.cleared !== this.shared.cleared) throw new PlicaError("conflict", OVER);
  }

  /** Refuses steps that are known to be of another run than the one that is under way. */
  private refuseOther(steps: Steps): void {
    this.refuseCleared();
    const owner = this.shared.owners.get(steps);
    if (owner === undefined) return;
    if (owner !== this) throw new PlicaError("bad-argument", "these are steps of another run: hand them to the run whose prepareStep it has");
    if (this.steps !== steps || this.cleared !== this.shared.cleared) throw new PlicaError("conflict", OVER);
  }

  /**
   * The run with these steps is under way now. A new one takes the place of the one before: that was aborted, say.
   *
   * @returns leaves everything as it was: nothing came of it.
   */
  private beginWith(steps: Steps): () => void {
    const { steps: before, current, replaced, cleared } = this;
    if (before === steps) return () => undefined;
    if (before !== undefined && (steps.length === 0 || !this.isOfSteps(steps))) {
      if (!this.isRecorded(before)) this.replaced = [...replaced, before].slice(-REPLACED);
      this.current = undefined;
    }
    this.steps = steps;
    if (this.alone) this.cleared = this.shared.cleared;
    this.shared.owners.set(steps, this);
    return () => {
      if (this.steps !== steps) return;
      Object.assign(this, { steps: before, current, replaced, cleared });
      this.shared.owners.delete(steps);
    };
  }

  private isRecorded(steps: Steps): boolean {
    const last = steps[steps.length - 1];
    return last !== undefined && this.shared.recorded.has(last);
  }

  /** Whether these may be the steps of the run: a copy of the array has the same steps in it. */
  private isOfSteps(steps: Steps): boolean {
    const own = this.steps ?? [];
    return own === steps || own.every((step, i) => step === steps[i]);
  }

  // --- one step to the next ---------------------------------------------------------------------------------------------

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

  /** A step that the AI SDK tells of: where it streams, before it puts the step into the array of its run. */
  private async done(step: StepDone): Promise<void> {
    refuseNoStep(step);
    if (this.replaced.length === 0 || this.steps?.includes(step) === true) return this.finished(step);
    if (this.replaced.some((steps) => steps.includes(step))) throw new PlicaError("conflict", OVER);
    // It may be one of a run that was replaced: it is kept when the array says whose it is, or with the next call.
    setTimeout(() => {
      if (this.steps?.[this.current?.number ?? -1] === step) this.finished(step).catch(() => undefined);
    });
  }

  private async finished(step: StepDone): Promise<void> {
    refuseNoStep(step);
    const { current } = this;
    if (this.cleared !== this.shared.cleared) throw new PlicaError("conflict", OVER);
    if (current === undefined) return;
    const { messages } = step.response;
    // What approved calls gave in front of the first step is among the messages that it was prepared with.
    const before = current.before ?? (isTool(messages[0]) ? 1 : 0);
    const usage = current.counted ? undefined : step.usage;
    current.counted = true;
    // What was said when the step was prepared is what it answers to: where that has changed, it is no answer.
    await this.shared.conversation.record([...current.said, ...(messages.slice(before) as M[])], { back: "never", usage });
  }

  /** The system text of version 7 as messages, without rules of ours. */
  private instructionsOf(given: unknown): object[] {
    if (given === undefined || given === null) return [];
    const list = (typeof given === "string" ? [{ role: "system", content: given }] : Array.isArray(given) ? given : [given]) as object[];
    return list.filter((message) => !this.shared.placed.has(message));
  }

  private withRules(given: unknown, system: readonly object[], rules: readonly M[]): unknown {
    const all = [...system, ...rules];
    for (const message of rules) this.shared.placed.add(message);
    return Array.isArray(given) && given.length === all.length && all.every((message, i) => message === given[i]) ? given : all;
  }
}

class Folding<M extends object> implements StepFolding<M> {
  readonly prepareStep: StepFolding<M>["prepareStep"];
  readonly onStepFinish: StepFolding<M>["onStepFinish"];
  private readonly shared: Shared<M>;
  /** Runs that follow each other. */
  private readonly own: Run<M>;
  private readonly conversation: Conversation<M>;

  constructor(options: FoldStepsOptions<M>) {
    this.shared = new Shared<M>(options);
    this.conversation = this.shared.conversation;
    this.own = new Run(this.shared, undefined, true);
    this.prepareStep = this.own.prepareStep;
    this.onStepFinish = this.own.onStepFinish;
  }

  run(options: { signal?: Signal | undefined } = {}): StepRun<M> {
    return new Run(this.shared, optionsIn(options).signal, false);
  }

  until(signal: Signal): StepFolding<M>["prepareStep"] {
    return this.own.preparing(signal);
  }

  record(run: StepsDone | readonly M[]): Promise<void> {
    return this.own.record(run);
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
    this.shared.cleared++;
    return this.conversation.clear();
  }
}

function refuseNoStep(step: unknown): void {
  const messages = memberOf(memberOf(step, "response"), "messages");
  if (!isArray(messages)) throw new PlicaError("bad-argument", "a step must be one of the AI SDK's, with response.messages");
}

function isTool(message: object | undefined): boolean {
  return memberOf(message, "role") === "tool";
}
