// Runs of numbers that follow each other, as pairs of the first and the last.

export type Range = [number, number];

/** Numbers in ascending order, as runs. */
export function rangesOf(numbers: ArrayLike<number>): Range[] {
  const ranges: Range[] = [];
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** All numbers of these runs, in as few runs as there can be. */
export function joined(ranges: readonly Range[]): Range[] {
  const out: Range[] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const open = out.at(-1);
    if (open !== undefined && first <= open[1] + 1) open[1] = Math.max(open[1], last);
    else out.push([first, last]);
  }
  return out;
}
