// How messages are known again: by what they say. A framework may hand over copies each time, and what changes nothing of a message's
// meaning may have changed since.

import { fingerprints } from "plica";
import type { Format, Ledger } from "plica";

/** So many messages are compared at first. */
const FEW = 8;

/** It lasts as long as a conversation, however often that is loaded anew. */
export class Recognition<M extends object> {
  /** Fingerprints of digests whose folds were undone: what they stand for is said again, or gone. */
  readonly undone = new Set<string>();
  /** Messages with rules that were put into a window. */
  readonly rules = new WeakSet<object>();
  private prints = new WeakMap<object, string>();

  constructor(private readonly format: Format) {}

  /** The fingerprints of messages, each asked for once. */
  printsOf(messages: readonly M[]): string[] {
    const missing = messages.filter((message) => !this.prints.has(message));
    if (missing.length > 0) fingerprints(missing, { format: this.format }).forEach((print, i) => this.prints.set(missing[i]!, print));
    return messages.map((message) => this.prints.get(message)!);
  }

  /** How many messages the lists begin with alike. Lists that differ at once are not read to their ends. */
  common(a: readonly M[], b: readonly M[]): number {
    const length = Math.min(a.length, b.length);
    let at = 0;
    for (let size = FEW; ; size *= 2) {
      const others: number[] = [];
      for (; at < length && others.length < size; at++) if (a[at] !== b[at]) others.push(at);
      const [left, right] = [this.printsOf(others.map((i) => a[i]!)), this.printsOf(others.map((i) => b[i]!))];
      const first = others.findIndex((_, i) => left[i] !== right[i]);
      if (first >= 0) return others[first]!;
      if (at === length) return length;
    }
  }

  /** What was asked for there need not be asked for here: the ways of a conversation are handed the same messages. */
  sharePrints(other: Recognition<M>): void {
    this.prints = other.prints;
  }

  /** Messages were edited in place: they are to be read anew. */
  forgetPrints(): void {
    this.prints = new WeakMap();
  }

  /** Digests of this ledger are good, whatever was undone before. */
  knows({ records }: Ledger<M>): void {
    if (this.undone.size === 0) return;
    for (const { record } of records) if ("digest" in record) for (const print of record.digest) this.undone.delete(print);
  }

  /** Whether one of the messages is a digest whose fold was undone. */
  hasUndone(messages: readonly M[]): boolean {
    return this.undone.size > 0 && this.printsOf(messages).some((print) => this.undone.has(print));
  }
}
