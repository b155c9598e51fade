// The calls of the summarizer: their order, their end, and what is made of the answers.

import { isTooLong, judgeSummary } from "../accept.js";
import { activity, withActivity } from "../activity.js";
import { digestMessage, mergeRequests, summarizeRequests } from "../digests.js";
import { PlicaError, describe } from "../errors.js";
import type { SummarizeRequest } from "../generated/core.js";
import { isArray } from "../kinds.js";
import { fields } from "../options.js";
import type { Digest } from "./digest.js";
import { WHOLE, digestTokens, obstacleOf } from "./job.js";
import type { Job } from "./job.js";
import type { Settings } from "./settings.js";
import type { CompactReason, FailedAttempt } from "./types.js";

/** A request that is too long for the summarizer is halved so often. */
const HALVINGS = 6;

type Answer = { text: string; model?: string };
/** `keeps`: the model did answer, and what rules can make of the span would be worse than leaving it. */
type Failure = { reason: CompactReason; keeps?: boolean };
type Judge = (text: string) => { reason: CompactReason; message: string } | undefined;

/** One compaction's calls. */
export class Asking<M extends object> {
  /** How often the summarizer was called. */
  private calls = 0;

  constructor(private readonly given: Settings<M>) {}

  /** The model's summary of what folds, as a digest; or why there is none. */
  async summarized(job: Job<M>, failed: FailedAttempt[]): Promise<(Answer & { digest: Digest }) | Failure> {
    if (this.given.summarize === undefined) return { reason: "no-summarizer" };
    const { span, reading, plan } = job;
    const whole = { ...WHOLE, keptFrom: span.length };
    const done = activity(span, whole, { ...reading, tools: this.given.tools });
    const own = activity(span, whole, { ...reading, tools: this.given.tools, own: true });
    // Of a small span the list is small, too.
    const maxBytes = Math.min(this.given.listBytes, job.folded);
    let digest: Digest | undefined;
    const judge: Judge = (summary) => {
      const text = withActivity(summary, done, { maxBytes });
      const message = digestMessage(text, { format: plan.format, like: job.messages });
      const tokens = digestTokens(job, message);
      digest = { text, message, outcome: "summarized", activity: own };
      if (obstacleOf(job, this.given, tokens) === undefined) return undefined;
      smaller ||= tokens < job.folded;
      return { reason: "not-smaller", message: "with the summary in its place the conversation would hardly be smaller" };
    };
    let smaller = false;
    let window = this.given.summarizerWindow ?? job.window?.size ?? Infinity;
    for (let halved = 0; ; halved++) {
      const answer = await this.answered(job, whole, window, judge, failed);
      if ("text" in answer) return { ...answer, digest: { ...digest!, ...(answer.model === undefined ? {} : { model: answer.model }) } };
      if (answer.reason === "not-smaller" && (smaller || this.isMostlyEarlier(job, answer.earlier))) return { reason: "not-smaller", keeps: true };
      if (answer.reason !== "too-long" || halved === HALVINGS) return answer;
      window = answer.tokens / 2;
      this.given.tell({ type: "shortened", window });
    }
  }

  /** What folds is an earlier summary for the most part: rules would only cut that down. */
  private isMostlyEarlier(job: Job<M>, earlier: string | undefined): boolean {
    if (earlier === undefined) return false;
    return 2 * digestTokens(job, digestMessage(earlier, { format: job.plan.format, like: job.messages })) > job.folded;
  }

  private async answered(job: Job<M>, whole: { prefixEnd: number; keptFrom: number }, window: number, judge: Judge, failed: FailedAttempt[]): Promise<Answer | (Failure & { tokens: number; earlier?: string | undefined })> {
    let requests: SummarizeRequest[];
    const limits = { ...this.given.requests, window };
    try {
      requests = summarizeRequests(job.span, whole, { ...job.reading, ...limits });
    } catch (error) {
      // Either the model's window holds no request, or it has become so small that none fits it.
      const small = error instanceof PlicaError && error.code === "bad-argument" && Number.isFinite(window) && window !== this.given.summarizerWindow;
      if (!small) throw error;
      failed.push({ part: 1, attempt: 0, reason: "too-long", message: error.message });
      return { reason: "summarizer-failed", tokens: window };
    }
    const { earlier: base } = requests[0]!;
    for (let known: string | undefined; ; ) {
      // Seen before anything is paid for.
      if (requests.length > this.given.maxCalls - this.calls) {
        failed.push({ part: 1, attempt: 0, reason: "too-many-calls", message: `it would take ${requests.length} calls of the summarizer; maxCalls leaves ${this.given.maxCalls - this.calls}` });
        return { reason: "too-many-calls", tokens: window };
      }
      const last = requests.length === 1;
      const answers: Answer[] = [];
      for (const request of requests) {
        const earlier = known ?? request.earlier;
        const answer = await this.attempted(request, earlier, last ? judge : undefined, failed);
        if (!("text" in answer)) return { ...answer, tokens: Math.min(window, request.tokens), earlier: base };
        answers.push(answer);
      }
      if (last) return answers[0]!;
      const texts = answers.map(({ text }) => text);
      // What is put together repeats the lines of its parts, as it should.
      known = texts.join("\n");
      requests = mergeRequests(texts, limits);
    }
  }

  private async attempted(request: SummarizeRequest, earlier: string | undefined, judge: Judge | undefined, failed: FailedAttempt[]): Promise<Answer | Failure> {
    let last: FailedAttempt | undefined;
    for (let attempt = 1; attempt <= this.given.attempts && this.calls < this.given.maxCalls; attempt++) {
      this.given.tell({ type: "request", request: { ...request }, attempt });
      this.given.refuseAborted();
      this.calls++;
      const said = await this.asked(request, attempt, last);
      this.given.refuseAborted();
      const wrong = "reason" in said ? said : this.judged(said, request, earlier, judge);
      if (wrong === undefined) {
        const { text, model, usage } = said as Said & { text: string };
        this.given.tell({ type: "answered", request: { ...request }, text, ...(model === undefined ? {} : { model }), ...(usage === undefined ? {} : { usage }) });
        return { text, ...(model === undefined ? {} : { model }) };
      }
      last = { part: request.part, attempt, reason: wrong.reason, message: wrong.message };
      failed.push(last);
      this.given.tell({ type: "failed", failed: last, ...("text" in said && typeof said.text === "string" ? { text: said.text } : {}), ...("error" in said ? { error: said.error } : {}) });
      if (wrong.reason === "too-long") break;
    }
    return { reason: last?.reason ?? "too-many-calls" };
  }

  private judged(said: Said, request: SummarizeRequest, earlier: string | undefined, judge: Judge | undefined): { reason: CompactReason; message: string } | undefined {
    try {
      const verdict = judgeSummary({ text: said.text, prompt: request.prompt, ...(said.finishReason === undefined ? {} : { finishReason: said.finishReason }), ...(earlier === undefined ? {} : { earlier }) });
      if (!verdict.accepted) return { reason: verdict.code, message: verdict.message };
      const text = said.text as string;
      const { accept } = this.given;
      const own = accept?.(text);
      this.given.refuseAborted();
      if (own === false || typeof own === "string") return { reason: "not-accepted", message: own === false || own === "" ? "accept said no" : own };
      return judge?.(text);
    } catch (error) {
      this.given.refuseAborted();
      return { reason: "not-accepted", message: describe(error) };
    }
  }

  /** One call of the summarizer, which may never answer, throw anything, and give anything. */
  private async asked(request: SummarizeRequest, attempt: number, failed: FailedAttempt | undefined): Promise<Said | { reason: CompactReason; message: string; error?: unknown }> {
    const { signal, timeoutMs, summarize } = this.given;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let end: ((reason: CompactReason) => void) | undefined;
    const ended = new Promise<CompactReason>((resolve) => (end = resolve));
    const aborted = (): void => {
      controller.abort(signal!.reason);
      end!("summarizer-failed");
    };
    signal?.addEventListener("abort", aborted, { once: true });
    if (timeoutMs <= LONGEST_TIMER) {
      timer = setTimeout(() => {
        controller.abort(new PlicaError("bad-argument", `the summarizer took longer than ${timeoutMs} ms`));
        end!("timed-out");
      }, timeoutMs);
      if (this.given.background) (timer as { unref?: () => void }).unref?.();
    }
    try {
      const context = { signal: controller.signal, attempt, ...(failed === undefined ? {} : { failed }) };
      const answer = (async () => ({ said: await summarize!({ ...request }, context) }))();
      const first = await Promise.race([answer, ended]);
      if (typeof first === "string") return { reason: first, message: first === "timed-out" ? `the summarizer took longer than ${timeoutMs} ms` : "the compaction was aborted" };
      return saidOf(first.said);
    } catch (error) {
      if (isTooLong(error)) return { reason: "too-long", message: "the request was too long for the summarizer", error };
      return { reason: "summarizer-failed", message: describe(error), error };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    }
  }
}

/** What setTimeout holds; with more it would ring at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** An answer as it came. */
interface Said {
  text: unknown;
  finishReason?: string;
  usage?: object;
  model?: string;
}

function saidOf(answer: unknown): Said {
  if (typeof answer !== "object" || answer === null || isArray(answer)) return { text: answer };
  const { text, finishReason, usage, model } = fields(answer, ["text", "finishReason", "usage", "model"], "the summarizer's answer");
  return {
    text,
    ...(typeof finishReason === "string" ? { finishReason } : {}),
    ...(typeof usage === "object" && usage !== null ? { usage } : {}),
    ...(typeof model === "string" ? { model } : {}),
  };
}
