// Plans for the window at a moment, and what else the core says of that window.

import { check, deterministicDigest, digestMessage, estimate } from "plica/slim";
import type { Explanation, Plan, ReadOptions, Transcript } from "plica/slim";
import { FATES } from "../protocol.js";
import type { CheckView, DigestView, PlanView, Settings } from "../protocol.js";
import type { Conversation } from "./opening.js";
import { windowAt } from "./timeline.js";
import { transcriptOf } from "./window.js";

/** The window at a moment, ready for the core. */
interface WindowAt {
  items: Uint32Array;
  messages: object[];
  reading: ReadOptions & { format: Conversation["session"]["messageFormat"] };
}

export class Planner {
  /** The last window and the last plan: a slider asks for the same again and again. */
  private window: { moment: number; value: WindowAt } | undefined;
  private planned: { key: string; plan: Plan; rows: readonly Pick<Explanation, "fate" | "reason">[] } | undefined;
  /** The longest window that the core has read so far: earlier moments are the beginning of it. */
  private read: { items: Uint32Array; transcript: Transcript };

  constructor(private readonly conversation: Conversation) {
    this.read = { items: conversation.timeline.window, transcript: conversation.transcript };
  }

  /** Gives the core's memory back. */
  free(): void {
    this.read.transcript.free();
  }

  plan(moment: number, settings: Settings): PlanView {
    const { items } = this.windowAt(moment);
    const { plan, rows } = this.settled(moment, settings);
    return planView(items, plan, rows, this.conversation.tokens);
  }

  digest(moment: number, settings: Settings): DigestView | null {
    const { messages, reading } = this.windowAt(moment);
    const made = this.planAt(moment, settings);
    if (made.kind === "none") return null;
    const text = deterministicDigest(messages, made, reading);
    const written = digestMessage(text, { format: reading.format, like: messages });
    const digest: object[] = Array.isArray(written) ? written : [written];
    return { text, tokens: estimate(digest, { format: reading.format }).total };
  }

  check(moment: number): CheckView[] {
    const { items, messages, reading } = this.windowAt(moment);
    if (messages.length === 0) return [];
    return check(messages, { format: reading.format }).map(({ index, code, message }) => ({ item: items[index]!, code, message: withoutIndex(message, index) }));
  }

  /** The core's own plan. */
  planAt(moment: number, settings: Settings): Plan {
    return this.settled(moment, settings).plan;
  }

  private settled(moment: number, settings: Settings): NonNullable<Planner["planned"]> {
    const key = JSON.stringify([moment, settings]);
    if (this.planned?.key !== key) {
      const { items } = this.windowAt(moment);
      this.planned = this.withTranscript(items, (transcript) => {
        const plan = transcript.plan({ ...settings });
        return { key, plan, rows: transcript.explain(plan) };
      });
    }
    return this.planned;
  }

  /** Runs `fn` on a transcript of these items. Contents cross into the core only for what it has not read yet. */
  private withTranscript<T>(items: Uint32Array, fn: (transcript: Transcript) => T): T {
    const shared = sharedLength(this.read.items, items);
    if (shared === items.length) {
      if (shared === this.read.items.length) return fn(this.read.transcript);
      const beginning = this.read.transcript.fork().truncate(shared);
      try {
        return fn(beginning);
      } finally {
        beginning.free();
      }
    }
    const before = this.read.transcript;
    // Another window of the past, or a longer one of the same: what is behind its beginning is read.
    const transcript = transcriptOf(this.conversation, items);
    this.read = { items, transcript };
    before.free();
    return fn(transcript);
  }

  private windowAt(moment: number): WindowAt {
    if (this.window?.moment !== moment) this.window = { moment, value: this.readWindow(moment) };
    return this.window.value;
  }

  private readWindow(moment: number): WindowAt {
    const { timeline, session, provenance } = this.conversation;
    const items = windowAt(timeline, moment);
    const messages = Array.from(items, (item) => timeline.messages[item]!);
    return { items, messages, reading: { format: session.messageFormat, provenance: (_, index) => provenance(items[index]!) } };
  }
}

/** The core numbers the messages of the window; people see the items of the conversation. */
function withoutIndex(message: string, index: number): string {
  const start = `message ${index} `;
  return message.startsWith(start) ? `it ${message.slice(start.length)}` : message;
}

/** How many of the first items are the same. */
function sharedLength(a: Uint32Array, b: Uint32Array): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}

function planView(items: Uint32Array, made: Plan, rows: readonly Pick<Explanation, "fate" | "reason">[], tokensOf: Uint32Array): PlanView {
  const reasons: string[] = [];
  const places = new Map<string, number>();
  const [fates, reasonOf] = [new Uint8Array(rows.length), new Uint32Array(rows.length)];
  const tokens = FATES.map(() => 0);
  rows.forEach(({ fate, reason }, i) => {
    if (!places.has(reason)) places.set(reason, reasons.push(reason) - 1);
    reasonOf[i] = places.get(reason)!;
    fates[i] = FATES.indexOf(fate);
    tokens[fates[i]!]! += tokensOf[items[i]!]!;
  });
  return {
    window: items.slice(),
    none: made.kind === "none" ? made.reason : null,
    overBudget: made.overBudget,
    keptFrom: made.kind === "none" ? 0 : made.keptFrom,
    fates,
    reasons,
    reasonOf,
    before: tokens.reduce((sum, of) => sum + of, 0),
    tokens,
    pending: made.pending,
  };
}

