// Which result is of which call: by id and occurrence, or by name and order where calls have no ids.

import type { Piece } from "./pieces.js";

/** Calls of one id that wait for a result, batch by batch: the newest batch is answered first, and in it the first call. */
interface Waiting {
  batch: number;
  parts: number[];
  next: number;
}

/** Reads the pieces of all items once, in their order. */
export class Pairing {
  /** The part's partner, by its number among all parts; -1 for none. */
  private readonly partners: number[] = [];
  /** Number of the first part of each item, among all parts. */
  private readonly starts: number[] = [0];
  private readonly waiting = new Map<string, Waiting[]>();
  /** Calls between which there is no result are of one batch. */
  private batch = 0;
  private answered = false;

  add(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      const part = this.partners.length;
      this.partners.push(-1);
      if (piece.kind === "call") this.call(piece, part);
      else if (piece.kind === "result") this.result(piece, part);
    }
    this.starts.push(this.partners.length);
  }

  private call(piece: Piece, part: number): void {
    if (this.answered) this.batch++;
    this.answered = false;
    const key = keyOf(piece);
    const batches = this.waiting.get(key) ?? [];
    if (batches.length === 0) this.waiting.set(key, batches);
    const last = batches.at(-1);
    if (last?.batch === this.batch) last.parts.push(part);
    else batches.push({ batch: this.batch, parts: [part], next: 0 });
  }

  private result(piece: Piece, part: number): void {
    this.answered = true;
    // Where ids may be given to results alone the name has to do.
    const call = this.take(keyOf(piece)) ?? (piece.looseId === true ? this.take(nameKey(piece.name ?? "")) : undefined);
    if (call === undefined) return;
    this.partners[call] = part;
    this.partners[part] = call;
  }

  private take(key: string): number | undefined {
    const batches = this.waiting.get(key);
    const last = batches?.at(-1);
    if (batches === undefined || last === undefined) return undefined;
    const part = last.parts[last.next++];
    if (last.next === last.parts.length) batches.pop();
    return part;
  }

  /** The pairs of all that was added. */
  done(): Pairs {
    return new Pairs(Int32Array.from(this.partners), Uint32Array.from(this.starts));
  }
}

function keyOf(piece: Piece): string {
  return piece.id === undefined ? nameKey(piece.name ?? "") : `id ${piece.id}`;
}

function nameKey(name: string): string {
  return `name ${name}`;
}

export class Pairs {
  constructor(private readonly partners: Int32Array, private readonly starts: Uint32Array) {}

  /** The item of the partner of a part, and its place there; undefined for none. */
  of(item: number, part: number): { item: number; part: number } | undefined {
    const partner = this.partners[this.starts[item]! + part];
    if (partner === undefined || partner === -1) return undefined;
    const other = this.itemOf(partner);
    return { item: other, part: partner - this.starts[other]! };
  }

  private itemOf(part: number): number {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high - 1) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! <= part) low = middle;
      else high = middle;
    }
    return low;
  }
}
