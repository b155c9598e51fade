// The ways of a conversation of which nothing but prompts is seen. A prompt may go on from it, leave it (an answer made anew, a turn that
// was stopped, an edited request), or be a helper's that inherited the id: which of those it is shows when it is gone on with.

import { fingerprints } from "plica";
import type { Signal } from "plica";
import { unlessAborted } from "./aborts.js";
import { isArray, memberOf } from "./checks.js";
import type { Conversation } from "./conversation.js";
import { hasCode } from "./problems.js";

/** Ways that left a conversation are held in memory, so many of them: helpers that ask in a turn, each in its own words, push no other out. */
const WAYS = 16;

/** One way of a conversation. */
export interface Way {
  conversation: Conversation;
  /** How many messages it had in common with what there was when it began. */
  shared: number;
  /** Its last call, where there was one: what is counted of an earlier one is of another window. */
  last?: Call;
}

/** What came of a call, as far as it is known. */
export interface Call {
  /** Whether it came to nothing. */
  failed: boolean;
  usage?: object | undefined;
}

/** The conversation, and the ways that left it. */
export class Ways {
  /** The conversation first, then the others, the one that was used last at the end. */
  private list: [Way, ...Way[]];
  private isAsked = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(conversation: Conversation) {
    this.list = [{ conversation, shared: 0 }];
  }

  /** The conversation itself. */
  get main(): Way {
    return this.list[0];
  }

  /** In the order in which a prompt is held against them. */
  inOrder(): Way[] {
    const [main, ...others] = this.list;
    return [main, ...others.reverse()];
  }

  /** Whether nothing was asked in this process before: which ways there were in another one nobody knows. */
  asked(): boolean {
    const isFirst = !this.isAsked;
    this.isAsked = true;
    return isFirst;
  }

  /** The first call could not be made: the next one is the first. */
  unasked(): void {
    this.isAsked = false;
  }

  /** Notes that a way was used, a new one as well. One that nobody used for long goes where there are too many: first those that share little. */
  use(way: Way): void {
    if (way === this.main) return;
    const others = [...this.list.slice(1).filter((other) => other !== way), way];
    if (others.length > WAYS) {
      const least = Math.min(...others.slice(0, -1).map(({ shared }) => shared));
      others.splice(others.findIndex(({ shared }) => shared === least), 1);
    }
    this.list = [this.main, ...others];
  }

  /** A way becomes the conversation, with its folds; what that was is a way. One at a time. */
  become(way: Way, signal: Signal | undefined): Promise<void> {
    const turn = this.last.then(() => this.becomes(way, signal));
    this.last = turn.catch(() => undefined);
    return unlessAborted(() => turn, signal);
  }

  private async becomes(way: Way, signal: Signal | undefined): Promise<void> {
    const { main } = this;
    if (way === main || !this.list.includes(way)) return;
    const left = await main.conversation.branch({ signal });
    try {
      await main.conversation.become(way.conversation, { signal });
    } catch (error) {
      // Another server was there. The way stays what it is, and is asked about again when it is gone on with further.
      if (hasCode(error, "conflict")) return;
      throw error;
    }
    [main.conversation, way.conversation] = [left, main.conversation];
    this.list = [way, ...this.list.filter((other) => other !== way && other !== main), main];
  }
}

/**
 * Whether a way may go back: what would be left is a turn that came to nothing, or another process has left the conversation so. As long as
 * its last call did not fail it is under way: what asks meanwhile under its id is a helper.
 *
 * @param isFirst whether nothing was asked in this process before.
 */
export function mayGoBack(last: Call | undefined, isFirst: boolean, left: readonly object[], kept: number, instead: readonly object[]): boolean {
  if (last?.failed === true) return left.every((message) => !isAnswer(message) || (kept > 0 && isCall(message)));
  if (!isFirst) return false;
  const isUnanswered = !left.some(isAnswer);
  if (kept > 0 && isUnanswered) return true;
  return (kept > 0 || isUnanswered) && isGoneOnWith(instead) && requestsIn(instead) >= requestsIn(left) && !isCutOut(instead, left);
}

/** Whether there is a further request behind an answer: a helper asks once, be it through calls of tools. */
export function isGoneOnWith(messages: readonly object[]): boolean {
  const answer = messages.findIndex(isAnswer);
  return answer >= 0 && requestsIn(messages.slice(answer)) > 0;
}

/** Whether it goes on in the midst of what would be left: a helper that is given the last messages, say. */
function isCutOut(instead: readonly object[], left: readonly object[]): boolean {
  const [first] = fingerprints(instead.slice(0, 1), { format: "ai-sdk" });
  return fingerprints(left, { format: "ai-sdk" }).includes(first!);
}

function requestsIn(messages: readonly object[]): number {
  return messages.filter((message) => memberOf(message, "role") === "user").length;
}

function isAnswer(message: object): boolean {
  return memberOf(message, "role") === "assistant";
}

function isCall(message: object): boolean {
  const content = memberOf(message, "content");
  return isArray(content) && content.some((part) => memberOf(part, "type") === "tool-call");
}
